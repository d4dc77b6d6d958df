/* Modules, computations and their instructions as the operations of a tree. */
#include "stablehlo/write.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/listed_order.h"
#include "mlir/forms.h"
#include "stablehlo/expand.h"
#include "stablehlo/stablehlo.h"

/* What a module may unfold to: regions are copied for each use. */
enum { MOST_DEPTH = 400, AT_LEAST = 1 << 20, EACH = 64 };

/* ---- errors ---- */

void *hlo_sw_refuse(hlo_sw *w, const char *format, ...) {
    if (w->failed) return NULL;
    w->failed = true;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const hlo_instr *instr = w->instr;
    if (!instr) {
        hlo_error(w->diags, HLO_RULE_UNSUPPORTED_STABLEHLO, w->module->source, (hlo_span){0, 0},
                  "%s", text);
        return NULL;
    }
    hlo_error(w->diags, HLO_RULE_UNSUPPORTED_STABLEHLO, w->module->source, instr->at,
              "%s '%.*s': %s", hlo_info(instr)->text, (int)instr->name->len, instr->name->ptr,
              text);
    return NULL;
}

/* ---- operations ---- */

hlo_mlir_op_id hlo_sw_op_of(hlo_opcode opcode) {
    static const uint16_t opcodes[HLO_MLIR_OP_COUNT] = {
#define HLO_OP_NONE HLO_OP_COUNT
#define HLO_MLIR_OP(id, name, form, results, types, maker, opcode) HLO_OP_##opcode,
#include "mlir/ops.def"
#undef HLO_MLIR_OP
#undef HLO_OP_NONE
    };
    for (unsigned i = 0; i < HLO_MLIR_OP_COUNT; i++)
        if (opcodes[i] == opcode && (strncmp(hlo_mlir_ops[i].name, "stablehlo.", 10) == 0 ||
                                     strncmp(hlo_mlir_ops[i].name, "mhlo.", 5) == 0))
            return (hlo_mlir_op_id)i;
    return HLO_MLIR_OP_COUNT;
}

void hlo_sw_push(hlo_sw *w, const char *name, const hlo_mlir_attr *value) {
    hlo_list_push(&w->attrs, (hlo_mlir_named){hlo_str_from(name), value, 0});
}

void hlo_sw_push_int(hlo_sw *w, const char *name, int64_t value) {
    hlo_sw_push(w, name, hlo_sw_int(w, HLO_S64, value));
}

void hlo_sw_push_ints(hlo_sw *w, const char *name, hlo_attr_id id) {
    const hlo_ints *list = hlo_attr_ints(w->instr, id);
    hlo_sw_push(w, name, hlo_sw_i64s(w, list->v, list->n));
}

void hlo_sw_push_flag(hlo_sw *w, const char *name, hlo_attr_id id) {
    hlo_sw_push(w, name, hlo_sw_bool(w, hlo_attr_int(w->instr, id) != 0));
}

hlo_mlir_op *hlo_sw_op(hlo_sw *w, hlo_mlir_op_id id, hlo_mlir_value *const *operands, uint32_t n,
                       const hlo_mlir_type *const *results, uint32_t result_count,
                       uint32_t regions) {
    HLO_ASSERT(id < HLO_MLIR_OP_COUNT);
    if (++w->made > w->most)
        return hlo_sw_refuse(w, "regions, which are copied for each use, have too many operations");
    hlo_mlir_op *op = hlo_mlir_op_new(w->tree, w->block, NULL, hlo_str_from(hlo_mlir_ops[id].name),
                                      n, result_count, w->attrs.n, regions);
    op->location = w->location;
    if (w->instr && w->module->source) op->at = w->instr->at;
    for (uint32_t i = 0; i < n; i++) hlo_mlir_set_operand(op, i, operands[i]);
    for (uint32_t i = 0; i < result_count; i++) op->results[i].type = results[i];
    if (w->attrs.n) memcpy(op->attrs, w->attrs.v, w->attrs.n * sizeof *op->attrs);
    w->attrs.n = 0;
    return op;
}

hlo_mlir_value *hlo_sw_one(hlo_sw *w, hlo_mlir_op_id id, hlo_mlir_value *const *operands,
                           uint32_t n, const hlo_mlir_type *type) {
    if (!type) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!operands[i]) return NULL;
    hlo_mlir_op *op = hlo_sw_op(w, id, operands, n, &type, 1, 0);
    return op ? &op->results[0] : NULL;
}

hlo_mlir_value *hlo_sw_operand(hlo_sw *w, uint32_t i) {
    HLO_ASSERT(i < w->instr->operand_count);
    return w->values[hlo_operand(w->instr, i)->index];
}

hlo_mlir_value **hlo_sw_operands(hlo_sw *w) {
    uint32_t n = w->instr->operand_count;
    hlo_mlir_value **v = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, n);
    for (uint32_t i = 0; i < n; i++) v[i] = hlo_sw_operand(w, i);
    return v;
}

hlo_mlir_value *hlo_sw_same(hlo_sw *w, hlo_mlir_op_id id) {
    return hlo_sw_one(w, id, hlo_sw_operands(w), w->instr->operand_count,
                      hlo_sw_type(w, w->instr->shape));
}

/* ---- tuples ---- */

static const hlo_mlir_location *location_of(hlo_sw *w, const hlo_mlir_value *value) {
    const hlo_mlir_location *location = value->op ? value->op->location : value->location;
    return location ? location : w->unknown;
}

void hlo_sw_flatten_value(hlo_sw *w, hlo_mlir_value *value, hlo_mlir_value_list *to) {
    if (value->type->kind != HLO_MLIR_TUPLE) {
        hlo_list_push(to, value);
        return;
    }
    const hlo_mlir_location *outer = w->location;
    for (uint32_t i = 0; i < value->type->part_count && !w->failed; i++) {
        w->location = location_of(w, value);
        hlo_sw_push(w, "index", hlo_sw_int(w, HLO_S32, i));
        hlo_mlir_value *part = hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_GET_TUPLE_ELEMENT, &value, 1,
                                          value->type->parts[i]);
        if (part) hlo_sw_flatten_value(w, part, to);
    }
    w->location = outer;
}

hlo_mlir_value *hlo_sw_tuple_of(hlo_sw *w, hlo_mlir_value *const **values,
                                const hlo_mlir_type *type) {
    if (type->kind != HLO_MLIR_TUPLE) return *(*values)++;
    hlo_mlir_value **parts = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, type->part_count);
    for (uint32_t i = 0; i < type->part_count; i++)
        if (!(parts[i] = hlo_sw_tuple_of(w, values, type->parts[i]))) return NULL;
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_TUPLE, parts, type->part_count, type);
}

static hlo_mlir_value **results_of(hlo_sw *w, hlo_mlir_op *op) {
    hlo_mlir_value **v = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) v[i] = &op->results[i];
    return v;
}

hlo_mlir_value *hlo_sw_results_as(hlo_sw *w, hlo_mlir_op *op, const hlo_mlir_type *type) {
    if (!op || w->failed) return NULL;
    hlo_mlir_value *const *values = results_of(w, op);
    return hlo_sw_tuple_of(w, &values, type);
}

hlo_mlir_value *hlo_sw_wrapped(hlo_sw *w, hlo_mlir_op *op) {
    if (!op || w->failed) return NULL;
    const hlo_mlir_type **types = HLO_NEW_ARRAY(w->arena, const hlo_mlir_type *, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_TUPLE, results_of(w, op), op->result_count,
                      hlo_sw_parts_type(w, HLO_MLIR_TUPLE, types, op->result_count));
}

/* An element of a tuple that an operation of the block makes is that operand. */
static bool fold_element(hlo_mlir_op *op) {
    hlo_mlir_op *tuple = hlo_mlir_operand(op, 0)->op;
    if (!tuple || tuple->id != HLO_MLIR_OP_STABLEHLO_TUPLE) return false;
    int64_t index = hlo_mlir_attr_of(op, "index")->u.i;
    if (index < 0 || index >= tuple->operand_count) return false;
    hlo_mlir_value *part = hlo_mlir_operand(tuple, (uint32_t)index);
    if (op->results[0].first_use) hlo_mlir_replace_uses(&op->results[0], part);
    hlo_mlir_remove(op);
    return true;
}

/* Elements of tuples and tuples that nothing uses go. As in XLA the last of them in the block
 * decides whether the block is looked at once more. */
static void drop_tuples(hlo_mlir_block *block) {
    for (bool changed = true; changed;) {
        changed = false;
        for (hlo_mlir_op *op = block->first, *next; op; op = next) {
            next = op->next;
            if (op->id == HLO_MLIR_OP_STABLEHLO_GET_TUPLE_ELEMENT) {
                changed = fold_element(op);
            } else if (op->id == HLO_MLIR_OP_STABLEHLO_TUPLE && !op->results[0].first_use) {
                hlo_mlir_remove(op);
                changed = true;
            }
        }
    }
}

/* ---- computations ---- */

static hlo_sw_write *const writers[HLO_OP_COUNT] = {
#define HLO_WRITER(opcode, writer) [HLO_OP_##opcode] = hlo_sw_write_##writer,
#include "stablehlo/writers.def"
#undef HLO_WRITER
};

static void set_shape(hlo_sw *w, hlo_mlir_op *op, const hlo_shape *shape) {
    bool has_layout = hlo_sw_has_layout(shape);
    bool is_plain = hlo_shape_is_array(shape) || shape->type == HLO_BUFFER;
    if (!is_plain || has_layout) {
        hlo_str text = hlo_shape_text(&w->module->shapes, shape);
        hlo_mlir_set_attr(w->tree, op, "xla_shape", hlo_sw_text(w, HLO_MLIR_STRING, text));
    }
    if (has_layout) hlo_mlir_set_attr(w->tree, op, "result_layout", hlo_sw_layout(w, shape));
}

static bool write_instruction(hlo_sw *w, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_PARAMETER) return true;
    w->instr = instr;
    w->location = hlo_sw_location(w, instr);
    w->attrs.n = 0;
    hlo_sw_write *writer = writers[instr->opcode];
    if (!writer) return hlo_sw_refuse(w, "StableHLO has no such operation") != NULL;
    if (hlo_op_count_faults((hlo_opcode)instr->opcode, instr->operand_count))
        return hlo_sw_refuse(w, "it cannot have %u operands", instr->operand_count) != NULL;
    hlo_mlir_value *value = writer(w);
    if (!value || w->failed) {
        hlo_sw_refuse(w, "it cannot be written as StableHLO");
        return false;
    }
    w->values[instr->index] = value;
    if (value->op) set_shape(w, value->op, instr->shape);
    return true;
}

/* Parameters have the values of arguments, or tuples of them. */
static bool take_arguments(hlo_sw *w, hlo_computation *c, hlo_mlir_block *block) {
    hlo_mlir_value **arguments = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, block->argument_count);
    for (uint32_t i = 0; i < block->argument_count; i++) arguments[i] = &block->arguments[i];
    hlo_mlir_value *const *next = arguments;
    w->location = w->unknown;
    for (uint32_t i = 0; i < c->parameter_count; i++) {
        const hlo_mlir_type *type = hlo_sw_type(w, c->parameters[i]->shape);
        if (!type) return false;
        hlo_mlir_value *value = hlo_sw_tuple_of(w, &next, type);
        if (!value) return false;
        w->values[c->parameters[i]->index] = value;
    }
    return true;
}

static bool write_return(hlo_sw *w, hlo_computation *c, hlo_mlir_op_id id) {
    hlo_mlir_value_list results = {0};
    w->location = w->unknown;
    w->attrs.n = 0;
    hlo_sw_flatten_value(w, w->values[c->root->index], &results);
    bool good = !w->failed && hlo_sw_op(w, id, results.v, results.n, NULL, 0, 0);
    hlo_list_free(&results);
    return good;
}

static hlo_mlir_op_id return_of(const hlo_mlir_op *op) {
    if (op->id == HLO_MLIR_OP_FUNC_FUNC) return HLO_MLIR_OP_FUNC_RETURN;
    return strncmp(op->name.ptr, "mhlo.", 5) == 0 ? HLO_MLIR_OP_MHLO_RETURN
                                                  : HLO_MLIR_OP_STABLEHLO_RETURN;
}

static bool write_body(hlo_sw *w, hlo_computation *c, hlo_mlir_block *block) {
    hlo_instr **order = hlo_malloc((c->instr_count + 1) * sizeof *order);
    uint32_t n = hlo_post_order(c, order);
    bool good = take_arguments(w, c, block);
    for (uint32_t i = 0; i < n && good; i++) good = write_instruction(w, order[i]);
    hlo_free(order);
    if (!good || !write_return(w, c, return_of(block->region->op))) return false;
    drop_tuples(block);
    return true;
}

/* The block, filled; what was open before is open again. */
static bool fill_block(hlo_sw *w, hlo_computation *c, hlo_mlir_block *block) {
    hlo_sw outer = *w;
    if (++w->depth > MOST_DEPTH) return hlo_sw_refuse(w, "regions nest too deep") != NULL;
    w->block = block;
    w->values = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, c->instr_count);
    bool good = write_body(w, c, block);
    w->depth = outer.depth;
    w->block = outer.block;
    w->values = outer.values;
    w->instr = outer.instr;
    w->location = outer.location;
    w->attrs.n = 0;
    return good;
}

static bool flatten_parameters(hlo_sw *w, hlo_computation *c, hlo_mlir_type_list *to) {
    for (uint32_t i = 0; i < c->parameter_count; i++) {
        w->instr = c->parameters[i];
        const hlo_mlir_type *type = hlo_sw_type(w, c->parameters[i]->shape);
        if (!type) return false;
        hlo_sw_flatten(type, to);
    }
    return true;
}

bool hlo_sw_region(hlo_sw *w, hlo_mlir_op *op, uint32_t region, hlo_computation *c) {
    if (!op) return false;
    const hlo_instr *outer = w->instr;
    hlo_mlir_type_list types = {0};
    bool good = flatten_parameters(w, c, &types);
    w->instr = outer;
    hlo_mlir_block *block = hlo_mlir_block_new(w->tree, &op->regions[region], types.n);
    /* The form of a loop has no locations of arguments. */
    bool is_loop = op->id == HLO_MLIR_OP_STABLEHLO_WHILE;
    for (uint32_t i = 0; i < types.n; i++) {
        block->arguments[i].type = types.v[i];
        block->arguments[i].location = is_loop ? w->unknown : op->location;
    }
    hlo_list_free(&types);
    return good && fill_block(w, c, block);
}

/* ---- functions ---- */

static hlo_mlir_op *symbol_named(hlo_sw *w, hlo_str name) {
    uint32_t hash = (uint32_t)hlo_hash_bytes(name.ptr, name.len);
    hlo_hash_each (number, &w->symbols_by_name, hash) {
        hlo_mlir_op *op = w->symbols.v[number - 1];
        if (hlo_str_equal(hlo_mlir_attr_of(op, "sym_name")->u.text, name)) return op;
    }
    return NULL;
}

void hlo_sw_add_symbol(hlo_sw *w, hlo_mlir_op *function, bool is_first) {
    hlo_str wanted = hlo_mlir_attr_of(function, "sym_name")->u.text, name = wanted;
    hlo_mlir_block *body = w->tree->root->regions[0].first;
    while (symbol_named(w, name)) {
        char *text = hlo_arena_alloc(w->arena, (size_t)wanted.len + 16);
        int n = sprintf(text, "%.*s_%u", (int)wanted.len, wanted.ptr, w->symbol_count++);
        name = (hlo_str){text, (uint32_t)n, 0};
    }
    hlo_mlir_set_attr(w->tree, function, "sym_name", hlo_sw_text(w, HLO_MLIR_STRING, name));
    hlo_list_push(&w->symbols, function);
    hlo_hash_add(&w->symbols_by_name, (uint32_t)hlo_hash_bytes(name.ptr, name.len), w->symbols.n);
    hlo_mlir_append(function, body);
    if (is_first && body->first != function) hlo_mlir_move(function, body, body->first);
}

const hlo_mlir_attr *hlo_sw_symbol_of(hlo_sw *w, const hlo_mlir_op *function) {
    return hlo_sw_text(w, HLO_MLIR_SYMBOL, hlo_mlir_attr_of(function, "sym_name")->u.text);
}

hlo_mlir_op *hlo_sw_new_function(hlo_sw *w, hlo_str name, bool is_public,
                                 const hlo_mlir_type_list *arguments,
                                 const hlo_mlir_type_list *results) {
    uint32_t n = arguments->n + results->n;
    const hlo_mlir_type **parts = HLO_NEW_ARRAY(w->arena, const hlo_mlir_type *, n);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = i < arguments->n ? arguments->v[i] : results->v[i - arguments->n];
    hlo_mlir_type type = {.kind = HLO_MLIR_FUNCTION,
                          .element = HLO_TYPE_COUNT,
                          .part_count = n,
                          .inputs = arguments->n,
                          .parts = parts};
    hlo_mlir_attr *function_type = HLO_NEW(w->arena, hlo_mlir_attr);
    function_type->kind = HLO_MLIR_TYPE;
    function_type->type = hlo_mlir_type_of(w->tree, &type);
    hlo_mlir_op *op = hlo_mlir_op_new(w->tree, NULL, NULL, HLO_STR("func.func"), 0, 0, 0, 1);
    op->location = w->unknown;
    hlo_mlir_set_attr(w->tree, op, "sym_name", hlo_sw_text(w, HLO_MLIR_STRING, name));
    hlo_mlir_set_attr(w->tree, op, "function_type", function_type);
    if (!is_public)
        hlo_mlir_set_attr(w->tree, op, "sym_visibility",
                          hlo_sw_text(w, HLO_MLIR_STRING, HLO_STR("private")));
    hlo_mlir_block *block = hlo_mlir_block_new(w->tree, &op->regions[0], arguments->n);
    for (uint32_t i = 0; i < arguments->n; i++) block->arguments[i].type = arguments->v[i];
    return op;
}

/* Names of functions have no '-'. */
static hlo_str function_name(hlo_sw *w, const hlo_computation *c) {
    if (c == w->module->entry) return HLO_STR("main");
    char *copy = hlo_arena_copy(w->arena, c->name->ptr, c->name->len);
    for (uint32_t i = 0; i < c->name->len; i++)
        if (copy[i] == '-') copy[i] = '_';
    return (hlo_str){copy, c->name->len, 0};
}

static hlo_mlir_op *make_function(hlo_sw *w, hlo_computation *c) {
    hlo_mlir_type_list arguments = {0}, results = {0};
    hlo_mlir_op *op = NULL;
    bool good = flatten_parameters(w, c, &arguments);
    w->instr = c->root;
    const hlo_mlir_type *result = good ? hlo_sw_type(w, c->root->shape) : NULL;
    if (result) {
        hlo_sw_flatten(result, &results);
        op = hlo_sw_new_function(w, function_name(w, c), c == w->module->entry, &arguments,
                                 &results);
    }
    hlo_list_free(&arguments);
    hlo_list_free(&results);
    return op;
}

hlo_mlir_op *hlo_sw_function(hlo_sw *w, hlo_computation *c) {
    hlo_mlir_op **made = &w->functions[c->mark];
    if (*made) return *made;
    const hlo_instr *outer = w->instr;
    hlo_mlir_op *op = make_function(w, c);
    if (op && hlo_sw_set_function_attrs(w, c, op)) {
        hlo_sw_add_symbol(w, op, false);
        *made = op;
        if (!fill_block(w, c, op->regions[0].first)) op = NULL;
    } else {
        op = NULL;
    }
    w->instr = outer;
    return op;
}

/* ---- the module ---- */

static bool write_functions(hlo_sw *w) {
    uint32_t count = w->module->computation_count;
    hlo_computation **order = hlo_malloc((count + 1) * sizeof *order);
    uint32_t n = hlo_listed_order(w->module, order);
    for (uint32_t i = 0; i < n; i++) order[i]->mark = i;
    w->functions = HLO_NEW_ARRAY(w->arena, hlo_mlir_op *, n);
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) good = hlo_sw_function(w, order[i]) != NULL;
    hlo_free(order);
    return good;
}

static void begin_tree(hlo_sw *w) {
    hlo_mlir_location *unknown = HLO_NEW(w->arena, hlo_mlir_location);
    unknown->kind = HLO_MLIR_UNKNOWN_PLACE;
    w->unknown = unknown;
    w->frames = HLO_NEW_ARRAY(w->arena, const hlo_mlir_location *,
                              (size_t)w->module->frames.frame_count + 1);
    hlo_mlir_op *root = hlo_mlir_op_new(w->tree, NULL, NULL, HLO_STR("builtin.module"), 0, 0, 0, 1);
    root->location = unknown;
    hlo_mlir_block_new(w->tree, &root->regions[0], 0);
    w->tree->root = root;
}

hlo_status hlo_stablehlo_tree(hlo_module *module, hlo_diags *diags, hlo_mlir_module **out) {
    *out = NULL;
    hlo_source *empty = module->source ? NULL : hlo_source_from_text("", "", 0);
    hlo_sw w = {.module = module, .diags = diags};
    w.tree = hlo_mlir_new(module->source ? module->source : empty);
    if (empty) hlo_source_release(empty);
    w.arena = &w.tree->arena;
    w.most = AT_LEAST;
    for (const hlo_computation *c = module->first; c; c = c->next)
        w.most += EACH * (uint64_t)c->instr_count;
    begin_tree(&w);
    hlo_sw_set_module_attrs(&w);
    bool good = write_functions(&w) && !w.failed && hlo_stablehlo_check(w.tree, diags);
    hlo_list_free(&w.symbols);
    hlo_hash_free(&w.symbols_by_name);
    hlo_list_free(&w.attrs);
    if (good) *out = w.tree;
    else hlo_mlir_free(w.tree);
    return good ? HLO_OK : HLO_BAD_MODULE;
}
