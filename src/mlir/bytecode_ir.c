/* Operations, regions and blocks of MLIR's bytecode. Open regions are in a list and not on the
 * stack: a file chooses how deep they nest. */
#include "mlir/bytecode.h"

/* Parts that an operation has. */
enum {
    HAS_ATTRS = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16,
    HAS_USE_LISTS = 32,
    HAS_PROPERTIES = 64
};

/* Versions of the format that added something to operations. */
enum { REGIONS_IN_SECTIONS = 2, USE_LISTS = 3, PLACES_OF_ARGUMENTS = 4 };

/* An operation whose regions are being read. */
typedef struct {
    hlo_mlir_op *op;
    uint32_t region;       /* the next one */
    uint64_t blocks, ops;  /* that are left: in the region, in the block */
    hlo_mlir_block *block; /* NULL: no region has begun */
    bool has_values;       /* the region defines some */
    uint32_t from, next;   /* where the region's values begin, which is defined next */
    uint32_t scope;        /* where the values begin that operands can be */
    uint32_t reader;       /* number of the frame whose bytes are read */
    hlo_bc_in in;          /* where that is this one */
} frame;

typedef struct {
    hlo_bc *r;
    HLO_LIST(frame) frames; /* outermost first */
    uint64_t values;        /* that regions may still have: each takes a byte of the file */
    uint64_t regions;
} tree;

static hlo_bc_in *reader(tree *t) {
    return &t->frames.v[t->frames.v[t->frames.n - 1].reader].in;
}

/* ---- values ---- */

static bool operand(tree *t, hlo_mlir_value **out) {
    hlo_bc *r = t->r;
    hlo_bc_in *in = reader(t);
    uint32_t scope = t->frames.v[t->frames.n - 1].scope;
    uint64_t number;
    if (!hlo_bc_varint(in, &number)) return false;
    if (number >= r->values.n - scope)
        return hlo_bc_bad(in, "value %llu, where %u are visible", (unsigned long long)number,
                          r->values.n - scope);
    *out = r->values.v[scope + number];
    return *out ||
           hlo_bc_bad(in, "value %llu is used before it is defined", (unsigned long long)number);
}

/* Gives the next values of the region their numbers. */
static bool take_numbers(tree *t, uint32_t n, uint32_t *first) {
    frame *f = &t->frames.v[t->frames.n - 1];
    if (!f->has_values || !n) return true;
    if (n > t->r->values.n - f->next)
        return hlo_bc_bad(reader(t), "the region defines more values than the %u that it states",
                          t->r->values.n - f->from);
    *first = f->next;
    f->next += n;
    return true;
}

static bool define(tree *t, hlo_mlir_value *v, uint32_t n) {
    uint32_t first = 0;
    if (!take_numbers(t, n, &first)) return false;
    if (!t->frames.v[t->frames.n - 1].has_values) return true;
    for (uint32_t i = 0; i < n; i++) t->r->values.v[first + i] = &v[i];
    return true;
}

/* The operands of a cast to their own types are its results. */
static bool define_as_operands(tree *t) {
    hlo_bc *r = t->r;
    uint32_t first = 0;
    if (!take_numbers(t, r->operands.n, &first)) return false;
    if (!t->frames.v[t->frames.n - 1].has_values) return true;
    for (uint32_t i = 0; i < r->operands.n; i++) r->values.v[first + i] = r->operands.v[i];
    return true;
}

/* How uses are ordered is of no interest. */
static bool skip_use_lists(hlo_bc_in *in, uint32_t values) {
    uint32_t lists = 1, n;
    uint64_t number;
    bool is_pairs;
    if (values > 1 && !hlo_bc_count(in, &lists)) return false;
    for (uint32_t i = 0; i < lists; i++) {
        if (values > 1 && !hlo_bc_varint(in, &number)) return false;
        if (!hlo_bc_flagged(in, &number, &is_pairs)) return false;
        for (n = 0; n < number; n++) {
            uint64_t index;
            if (!hlo_bc_varint(in, &index)) return false;
        }
    }
    return true;
}

/* ---- blocks and regions ---- */

/* Before version 4 every argument had a location. */
static bool argument(hlo_bc_in *in, hlo_mlir_value *value) {
    uint64_t type;
    bool has_place = true, is_old = in->r->version < PLACES_OF_ARGUMENTS;
    if (!(is_old ? hlo_bc_varint(in, &type) : hlo_bc_flagged(in, &type, &has_place)) ||
        !hlo_bc_type_at(in, type, &value->type) ||
        (has_place && !hlo_bc_location(in, &value->location)))
        return false;
    if (value->location && value->location->kind == HLO_MLIR_UNKNOWN_PLACE) value->location = NULL;
    return true;
}

static bool begin_block(tree *t, hlo_mlir_region *region) {
    hlo_bc_in *in = reader(t);
    uint64_t ops;
    uint32_t arguments = 0;
    bool has_arguments;
    uint8_t has_use_lists = 0;
    if (!hlo_bc_flagged(in, &ops, &has_arguments) ||
        (has_arguments && !hlo_bc_count(in, &arguments)))
        return false;
    hlo_mlir_block *block = hlo_mlir_block_new(t->r->module, region, arguments);
    for (uint32_t i = 0; i < arguments; i++)
        if (!argument(in, &block->arguments[i])) return false;
    frame *f = &t->frames.v[t->frames.n - 1];
    f->block = block;
    f->ops = ops;
    if (!define(t, block->arguments, arguments)) return false;
    if (has_arguments && t->r->version >= USE_LISTS && !hlo_bc_byte(in, &has_use_lists))
        return false;
    return !has_use_lists || skip_use_lists(in, arguments);
}

static bool begin_region(tree *t) {
    hlo_bc_in *in = reader(t);
    uint32_t blocks, values;
    if (!hlo_bc_count(in, &blocks)) return false;
    frame *f = &t->frames.v[t->frames.n - 1];
    hlo_mlir_region *region = &f->op->regions[f->region++];
    if (!blocks) return true;
    if (!hlo_bc_u32(in, &values)) return false;
    if (values > t->values)
        return hlo_bc_bad(in, "a region of %u values, where the file can define %llu more", values,
                          (unsigned long long)t->values);
    t->values -= values;
    f->blocks = blocks - 1;
    f->has_values = values;
    f->from = f->next = t->r->values.n;
    for (uint32_t i = 0; i < values; i++) hlo_list_push(&t->r->values, NULL);
    return begin_block(t, region);
}

static void end_region(tree *t) {
    frame *f = &t->frames.v[t->frames.n - 1];
    t->r->values.n = f->from;
    f->block = NULL;
}

/* ---- operations ---- */

static bool count_of(hlo_bc_in *in, uint8_t mask, uint8_t part, uint32_t *n) {
    *n = 0;
    return !(mask & part) || hlo_bc_count(in, n);
}

static bool results(hlo_bc_in *in, uint8_t mask) {
    uint32_t n;
    const hlo_mlir_type *type;
    in->r->result_types.n = 0;
    if (!count_of(in, mask, HAS_RESULTS, &n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!hlo_bc_type(in, &type)) return false;
        hlo_list_push(&in->r->result_types, type);
    }
    return true;
}

static bool operands(tree *t, uint8_t mask) {
    uint32_t n;
    hlo_mlir_value *value = NULL;
    t->r->operands.n = 0;
    if (!count_of(reader(t), mask, HAS_OPERANDS, &n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!operand(t, &value)) return false;
        hlo_list_push(&t->r->operands, value);
    }
    return true;
}

static bool attributes(hlo_bc_in *in, uint8_t mask, const hlo_bc_op_name *name) {
    const hlo_mlir_attr *dict = NULL;
    in->r->named.n = 0;
    if (mask & HAS_ATTRS && !hlo_bc_attr_of(in, HLO_MLIR_DICT, &dict)) return false;
    if (mask & HAS_PROPERTIES && !hlo_bc_read_properties(in, name)) return false;
    if (dict && !hlo_bc_add_attrs(in, dict)) return false;
    return !name->rules || hlo_bc_upgrade(in, name->rules);
}

/* vhlo.return ends functions too. */
static hlo_str name_of(const tree *t, const hlo_bc_op_name *name) {
    const hlo_mlir_op *parent = t->frames.v[t->frames.n - 1].op;
    bool is_end = name->rules && hlo_str_is(name->name, "stablehlo.return");
    return is_end && parent->id == HLO_MLIR_OP_FUNC_FUNC ? HLO_STR("func.return") : name->name;
}

/* Artifacts of several dialects have casts between types of vhlo and what those are today. */
static bool is_no_cast(const hlo_bc *r, hlo_str name) {
    if (!hlo_str_is(name, "builtin.unrealized_conversion_cast") ||
        r->operands.n != r->result_types.n)
        return false;
    for (uint32_t i = 0; i < r->operands.n; i++)
        if (r->operands.v[i]->type != r->result_types.v[i]) return false;
    return true;
}

/* What was read as the newest operation of the innermost block. */
static hlo_mlir_op *make_op(tree *t, hlo_str name, const hlo_mlir_location *location,
                            uint32_t region_count) {
    hlo_bc *r = t->r;
    hlo_mlir_op *op = hlo_mlir_op_new(r->module, t->frames.v[t->frames.n - 1].block, NULL, name,
                                      r->operands.n, r->result_types.n, r->named.n, region_count);
    for (uint32_t i = 0; i < r->operands.n; i++) hlo_mlir_set_operand(op, i, r->operands.v[i]);
    for (uint32_t i = 0; i < r->result_types.n; i++) op->results[i].type = r->result_types.v[i];
    if (r->named.n) memcpy(op->attrs, r->named.v, r->named.n * sizeof *op->attrs);
    op->location = location->kind == HLO_MLIR_UNKNOWN_PLACE ? NULL : location;
    return op;
}

/* Its regions are read next. Those that use no values from outside have a section. */
static bool open_op(tree *t, hlo_mlir_op *op, bool is_isolated) {
    enum { SECTION_OF_IR_ID = 4 };
    hlo_bc_in *in = reader(t);
    frame *around = &t->frames.v[t->frames.n - 1];
    frame f = {.op = op, .scope = around->scope, .reader = around->reader};
    uint8_t id;
    if (t->frames.n >= HLO_BC_MOST_NESTED)
        return hlo_bc_bad_at(t->r, in->at, HLO_RULE_NESTING, "regions nest more than %d deep",
                             HLO_BC_MOST_NESTED);
    if (is_isolated) f.scope = t->r->values.n;
    if (is_isolated && t->r->version >= REGIONS_IN_SECTIONS) {
        if (!hlo_bc_section(in, &id, &f.in)) return false;
        if (id != SECTION_OF_IR_ID)
            return hlo_bc_bad(in, "section %u, where that of a region is expected", id);
        f.reader = t->frames.n;
    }
    hlo_list_push(&t->frames, f);
    return true;
}

static bool read_op(tree *t) {
    hlo_bc *r = t->r;
    hlo_bc_in *in = reader(t);
    uint64_t number, region_count = 0;
    uint8_t mask;
    bool is_isolated = false;
    const hlo_mlir_location *location;
    if (!hlo_bc_varint(in, &number)) return false;
    if (number >= r->op_names.n)
        return hlo_bc_bad(in, "operation name %llu, where the file has %u",
                          (unsigned long long)number, r->op_names.n);
    const hlo_bc_op_name *name = &r->op_names.v[number];
    if (!hlo_bc_byte(in, &mask) || !hlo_bc_location(in, &location) || !attributes(in, mask, name) ||
        !results(in, mask) || !operands(t, mask))
        return false;
    if (mask & HAS_SUCCESSORS)
        return hlo_bc_bad(in, "%.*s goes on in another block, which is not supported",
                          HLO_BC_SHOWN(name->name));
    if (mask & HAS_USE_LISTS && r->version >= USE_LISTS && !skip_use_lists(in, r->result_types.n))
        return false;
    if (mask & HAS_REGIONS && !hlo_bc_flagged(in, &region_count, &is_isolated)) return false;
    if (region_count > t->regions)
        return hlo_bc_bad(in, "%llu regions, where the file can have %llu more",
                          (unsigned long long)region_count, (unsigned long long)t->regions);
    t->regions -= region_count;
    if (!region_count && is_no_cast(r, name->name)) return define_as_operands(t);
    hlo_mlir_op *op = make_op(t, name_of(t, name), location, (uint32_t)region_count);
    return define(t, op->results, op->result_count) &&
           (!region_count || open_op(t, op, is_isolated));
}

/* One step: an operation, or what begins or ends in the innermost open operation. */
static bool step(tree *t) {
    frame *f = &t->frames.v[t->frames.n - 1];
    if (f->block && f->ops) {
        f->ops--;
        return read_op(t);
    }
    if (f->block && f->blocks) {
        f->blocks--;
        return begin_block(t, f->block->region);
    }
    if (f->block) end_region(t);
    else if (f->region < f->op->region_count) return begin_region(t);
    else t->frames.n--;
    return true;
}

/* A file of one module is that module; of anything else, operations in a module. */
static void set_root(hlo_mlir_module *module, hlo_mlir_op *around) {
    hlo_mlir_op *first = around->regions[0].first->first;
    module->root = around;
    if (!first || first->next || first->id != HLO_MLIR_OP_BUILTIN_MODULE) return;
    first->block = NULL;
    module->root = first;
}

static bool read_all(tree *t, hlo_bc_in *in) {
    hlo_mlir_op *around =
        hlo_mlir_op_new(t->r->module, NULL, NULL, HLO_STR("builtin.module"), 0, 0, 0, 1);
    hlo_list_push(&t->frames, ((frame){.op = around, .region = 1, .in = *in}));
    if (!begin_block(t, &around->regions[0])) return false;
    while (t->frames.n)
        if (!step(t)) return false;
    set_root(t->r->module, around);
    return true;
}

bool hlo_bc_read_ir(hlo_bc_in *in) {
    uint64_t size = (uint64_t)(in->end - in->at);
    tree t = {.r = in->r, .values = size, .regions = size};
    bool good = read_all(&t, in);
    hlo_list_free(&t.frames);
    return good;
}
