/* Properties that later steps rely on: how many operands, results and regions operations
 * have, that regions end with a return, that functions have different names, and the rows of
 * checks.def. An operation with an error becomes a call of an unknown function, so that later steps
 * find the errors of others. */
#include "stablehlo/check.h"

#include "mlir/forms.h"
#include "stablehlo/expand.h"
#include "stablehlo/refused.h"

enum { ANY = 255 };

/* Of operations whose row of ops.def has no words for their counts. */
typedef struct {
    hlo_mlir_op_id id;
    uint8_t least, most; /* operands; most ANY: no limit */
    uint8_t regions;     /* ANY: any number */
} counts;

static const counts generic[] = {
    {HLO_MLIR_OP_STABLEHLO_MAP, 1, ANY, 1},
    {HLO_MLIR_OP_STABLEHLO_GATHER, 2, 2, 0},
    {HLO_MLIR_OP_STABLEHLO_SCATTER, 3, ANY, 1},
    {HLO_MLIR_OP_STABLEHLO_TRIANGULAR_SOLVE, 2, 2, 0},
    {HLO_MLIR_OP_STABLEHLO_REDUCE, 2, ANY, 1},
    {HLO_MLIR_OP_STABLEHLO_REDUCE_WINDOW, 2, ANY, 1},
    {HLO_MLIR_OP_STABLEHLO_SELECT_AND_SCATTER, 3, 3, 2},
    {HLO_MLIR_OP_STABLEHLO_SORT, 1, ANY, 1},
    {HLO_MLIR_OP_STABLEHLO_BATCH_NORM_GRAD, 5, 5, 0},
    {HLO_MLIR_OP_STABLEHLO_BATCH_NORM_INFERENCE, 5, 5, 0},
    {HLO_MLIR_OP_STABLEHLO_BATCH_NORM_TRAINING, 3, 3, 0},
    {HLO_MLIR_OP_STABLEHLO_IF, 1, 1, 2},
    {HLO_MLIR_OP_STABLEHLO_CASE, 1, 1, ANY},
    {HLO_MLIR_OP_STABLEHLO_WHILE, 0, ANY, 2},
    {HLO_MLIR_OP_STABLEHLO_COMPOSITE, 0, ANY, ANY},
    {HLO_MLIR_OP_STABLEHLO_INFEED, 1, 1, 0},
    {HLO_MLIR_OP_STABLEHLO_OUTFEED, 1, ANY, 0},
    {HLO_MLIR_OP_STABLEHLO_SEND, 1, ANY, 0},
    {HLO_MLIR_OP_STABLEHLO_RECV, 1, 1, 0},
    {HLO_MLIR_OP_STABLEHLO_ASYNC_START, 0, ANY, 1},
    {HLO_MLIR_OP_STABLEHLO_ASYNC_DONE, 1, 1, 0},
    {HLO_MLIR_OP_STABLEHLO_ALL_GATHER, 1, ANY, 0},
    {HLO_MLIR_OP_STABLEHLO_ALL_REDUCE, 1, ANY, 1},
    {HLO_MLIR_OP_STABLEHLO_REDUCE_SCATTER, 1, 1, 1},
    {HLO_MLIR_OP_STABLEHLO_ALL_TO_ALL, 1, ANY, 0},
    {HLO_MLIR_OP_STABLEHLO_COLLECTIVE_BROADCAST, 1, ANY, 0},
    {HLO_MLIR_OP_STABLEHLO_COLLECTIVE_PERMUTE, 1, ANY, 0},
    {HLO_MLIR_OP_CHLO_CONSTANT_LIKE, 1, 1, 0},
    {HLO_MLIR_OP_CHLO_RAGGED_DOT, 3, 3, 0},
    {HLO_MLIR_OP_MHLO_RAGGED_DOT, 3, 3, 0},
    {HLO_MLIR_OP_CHLO_SCAN, 0, ANY, 1},
    {HLO_MLIR_OP_MHLO_SCAN, 0, ANY, 1},
    {HLO_MLIR_OP_MHLO_ASYNC_DONE, 1, 1, 0},
    {HLO_MLIR_OP_MHLO_ASYNC_UPDATE, 1, 1, 0},
    {HLO_MLIR_OP_MHLO_DOMAIN, 1, 1, 0},
    {HLO_MLIR_OP_MHLO_FUSION, 0, ANY, 1},
    {HLO_MLIR_OP_MHLO_STOCHASTIC_CONVERT, 2, 2, 0},
    {HLO_MLIR_OP_SDY_MANUAL_COMPUTATION, 0, ANY, 1},
    {HLO_MLIR_OP_SDY_NAMED_COMPUTATION, 0, ANY, 1},
};

typedef struct {
    counts rows[HLO_MLIR_OP_COUNT];
    hlo_mlir_module *module;
    hlo_diags *diags;
    uint64_t left; /* attributes and locations that may still be unfolded */
    HLO_LIST(hlo_mlir_location *) open;
    hlo_check_functions functions;
    HLO_LIST(hlo_mlir_op *) wrong; /* those with an error, which can be left */
    bool ends;                     /* no later step may see the tree */
} checks;

/* Each word `v` of a form is an operand, `v*` any number of them. */
static counts counts_of_words(hlo_mlir_op_id id, const char *words) {
    counts row = {id, 0, 0, 0};
    for (const char *at = words; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        size_t n = strcspn(at, " ");
        if (n == 1 && *at == 'v') row.least++, row.most++;
        if (n == 2 && at[0] == 'v' && at[1] == '*') row.most = ANY;
    }
    return row;
}

static void fill_rows(checks *c) {
    for (int i = 0; i < HLO_MLIR_OP_COUNT; i++) {
        switch (hlo_mlir_form_of(hlo_str_from(hlo_mlir_ops[i].name))) {
        case HLO_MLIR_FORM_PLAIN:
            c->rows[i] = counts_of_words((hlo_mlir_op_id)i, hlo_mlir_ops[i].words);
            break;
        case HLO_MLIR_FORM_CONSTANT: c->rows[i] = (counts){(hlo_mlir_op_id)i, 0, 0, 0}; break;
        default: c->rows[i] = (counts){(hlo_mlir_op_id)i, 0, ANY, ANY};
        }
    }
    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
        c->rows[generic[i].id] = generic[i];
}

static bool refuse(checks *c, const hlo_mlir_op *op, hlo_rule rule, const char *why) {
    hlo_error(c->diags, rule, c->module->source, op->at, "'%.*s' %s", (int)op->name.len,
              op->name.ptr, why);
    return false;
}

static bool check_counts(checks *c, const hlo_mlir_op *op) {
    counts row = c->rows[op->id];
    bool has_enough = op->operand_count >= row.least;
    if (!has_enough || (row.most != ANY && op->operand_count > row.most)) {
        uint32_t limit = has_enough ? row.most : row.least;
        hlo_error(c->diags, HLO_RULE_OPERAND_COUNT, c->module->source, op->at,
                  "'%.*s' has %u operand%s; it takes %s%u", (int)op->name.len, op->name.ptr,
                  op->operand_count, op->operand_count == 1 ? "" : "s",
                  row.least == row.most ? ""
                  : has_enough          ? "at most "
                                        : "at least ",
                  limit);
        return false;
    }
    if (row.regions != ANY && op->region_count != row.regions) {
        hlo_error(c->diags, HLO_RULE_SYNTAX, c->module->source, op->at,
                  "'%.*s' has %u region%s; it takes %u", (int)op->name.len, op->name.ptr,
                  op->region_count, op->region_count == 1 ? "" : "s", row.regions);
        return false;
    }
    return true;
}

/* Calls have as many results as the function that they call. */
static bool check_results(checks *c, const hlo_mlir_op *op) {
    uint32_t n = op->result_count;
    switch (op->id) {
    case HLO_MLIR_OP_FUNC_CALL:
    case HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL:
    case HLO_MLIR_OP_STABLEHLO_COMPOSITE: return true;
    case HLO_MLIR_OP_STABLEHLO_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_REDUCE_WINDOW:
        return n * 2 == op->operand_count || refuse(c, op, HLO_RULE_RESULT_FORM,
                                                    "has an operand, an initial value and a result "
                                                    "for each array");
    case HLO_MLIR_OP_STABLEHLO_SCATTER:
        return n * 2 + 1 == op->operand_count ||
               refuse(c, op, HLO_RULE_RESULT_FORM,
                      "has an operand, updates and a result for each "
                      "array");
    case HLO_MLIR_OP_STABLEHLO_SORT:
    case HLO_MLIR_OP_STABLEHLO_WHILE:
    case HLO_MLIR_OP_STABLEHLO_OPTIMIZATION_BARRIER:
        return n == op->operand_count ||
               refuse(c, op, HLO_RULE_RESULT_FORM, "has a result for each operand");
    default: break;
    }
    switch (hlo_mlir_ops[op->id].results) {
    case HLO_MLIR_RESULTS_ONE:
        return n == 1 || refuse(c, op, HLO_RULE_RESULT_FORM, "has one result");
    case HLO_MLIR_RESULTS_NONE: return !n || refuse(c, op, HLO_RULE_RESULT_FORM, "has no result");
    case HLO_MLIR_RESULTS_ALL: break;
    }
    return true;
}

static bool is_end(const hlo_mlir_op *op) {
    return op->id == HLO_MLIR_OP_FUNC_RETURN || op->id == HLO_MLIR_OP_STABLEHLO_RETURN ||
           op->id == HLO_MLIR_OP_MHLO_RETURN || op->id == HLO_MLIR_OP_SDY_RETURN;
}

static bool check_regions(checks *c, const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->region_count; i++) {
        const hlo_mlir_block *block = op->regions[i].first;
        if (!block && op->id == HLO_MLIR_OP_FUNC_FUNC) continue; /* a declaration */
        if (!block || block->next)
            return refuse(c, op, HLO_RULE_UNSUPPORTED_STABLEHLO,
                          "has regions that are not of one block");
        for (const hlo_mlir_op *inner = block->first; inner; inner = inner->next)
            if (is_end(inner) && inner->next)
                return refuse(c, inner, HLO_RULE_ROOT, "stands before the end of its block");
        if (!block->last || !is_end(block->last))
            return refuse(c, op, HLO_RULE_ROOT, "has a region whose block has no return");
    }
    return true;
}

static bool check_constant(checks *c, const hlo_mlir_op *op) {
    const hlo_mlir_attr *value = hlo_mlir_attr_of(op, "value");
    if (!value) return refuse(c, op, HLO_RULE_MISSING_ATTRIBUTE, "has no attribute 'value'");
    switch (value->kind) {
    case HLO_MLIR_INT:
    case HLO_MLIR_BOOL:
    case HLO_MLIR_FLOAT: return true;
    case HLO_MLIR_DENSE:
    case HLO_MLIR_RESOURCE:
        if (value->literal && value->type == op->results[0].type) return true;
        break;
    default: break;
    }
    return refuse(c, op, HLO_RULE_ATTRIBUTE_VALUE, "has a value of another type than its result");
}

/* ---- sizes without aliases: aliases of lists of aliases double at each line ---- */

enum { OPEN = UINT32_MAX, MOST_OF_LOCATION = 1 << 14 };

static uint32_t sum(uint32_t a, uint32_t b) {
    return a + b < a || a + b >= OPEN ? OPEN - 1 : a + b;
}

static uint32_t attr_size(const hlo_mlir_attr *attr) {
    if (attr->size) return attr->size;
    bool has_text = attr->kind == HLO_MLIR_STRING || attr->kind == HLO_MLIR_SYMBOL ||
                    attr->kind == HLO_MLIR_WORD || attr->kind == HLO_MLIR_MAP;
    uint32_t size = 1 + (has_text ? hlo_mlir_text_of(attr).len / 16 : 0);
    for (uint32_t i = 0; i < attr->list.n; i++) size = sum(size, attr_size(attr->list.v[i].value));
    ((hlo_mlir_attr *)(uintptr_t)attr)->size = size;
    return size;
}

/* The program is too large to go on. */
static bool end(checks *c, const hlo_mlir_op *op, const char *why) {
    c->ends = true;
    return refuse(c, op, HLO_RULE_NESTING, why);
}

static bool take(checks *c, const hlo_mlir_op *op, uint64_t size) {
    if (size > c->left) return end(c, op, "has attributes or places that stand for too much");
    c->left -= size;
    return true;
}

static uint32_t part_count(const hlo_mlir_location *l) {
    return l->kind == HLO_MLIR_FUSED_PLACE ? l->part_count : 2;
}

static hlo_mlir_location *part_of(const hlo_mlir_location *l, uint32_t i) {
    const hlo_mlir_location *part = NULL;
    if (l->kind == HLO_MLIR_FUSED_PLACE) part = l->parts[i];
    else part = i ? l->caller : l->first;
    return (hlo_mlir_location *)(uintptr_t)part;
}

/* Each location is counted after its parts; one that is met again while it is open is its own part.
 */
static bool count_location(checks *c, const hlo_mlir_op *op, const hlo_mlir_location *location) {
    c->open.n = 0;
    hlo_list_push(&c->open, (hlo_mlir_location *)(uintptr_t)location);
    while (c->open.n) {
        hlo_mlir_location *l = c->open.v[c->open.n - 1];
        bool is_new = !l->size;
        uint32_t size = 1 + l->name.len / 64;
        if (l->size && l->size != OPEN) {
            c->open.n--;
            continue;
        }
        l->size = OPEN;
        for (uint32_t i = 0; i < part_count(l); i++) {
            hlo_mlir_location *part = part_of(l, i);
            if (part && is_new && part->size == OPEN)
                return end(c, op, "has a location that is a part of itself");
            if (part && is_new && !part->size) hlo_list_push(&c->open, part);
            else if (part) size = sum(size, part->size);
        }
        if (is_new && c->open.v[c->open.n - 1] != l) continue;
        l->size = size;
        c->open.n--;
        if (size - l->name.len / 64 > MOST_OF_LOCATION)
            return end(c, op, "has a location that stands for too many");
        if (!take(c, op, size)) return false;
    }
    return true;
}

static bool check_location(checks *c, const hlo_mlir_op *op, const hlo_mlir_location *location) {
    return !location || (location->size && location->size != OPEN) ||
           count_location(c, op, location);
}

static bool check_sizes(checks *c, const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (!take(c, op, attr_size(op->attrs[i].value))) return false;
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const hlo_mlir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->argument_count; i++)
                if (!check_location(c, op, b->arguments[i].location)) return false;
    return check_location(c, op, op->location);
}

static bool check_op(checks *c, const hlo_mlir_op *op) {
    if (!check_sizes(c, op)) return false;
    if (op->id == HLO_MLIR_OP_COUNT) return true; /* refused where it is used */
    if (!check_counts(c, op) || !check_results(c, op) || !check_regions(c, op)) return false;
    if (hlo_mlir_form_of(op->name) == HLO_MLIR_FORM_CONSTANT) return check_constant(c, op);
    hlo_check s = {c->module, c->diags, op, &c->functions};
    return hlo_stablehlo_check_op(&s);
}

/* A function, and what ends a block, cannot be left. */
static void note_wrong(checks *c, hlo_mlir_op *op) {
    if (op->id == HLO_MLIR_OP_FUNC_FUNC || is_end(op)) c->ends = true;
    else hlo_list_push(&c->wrong, op);
}

/* The operation after this one, or after the one around it; NULL: the function ends. */
static hlo_mlir_op *next_of(hlo_mlir_op *op, const hlo_mlir_op *function) {
    hlo_mlir_op *next = NULL;
    for (uint32_t i = 0; i < op->region_count && !next; i++)
        for (const hlo_mlir_block *b = op->regions[i].first; b && !next; b = b->next)
            next = b->first;
    while (!next && op != function) {
        next = op->next;
        const hlo_mlir_region *region = op->block->region;
        hlo_mlir_op *around = region->op;
        for (const hlo_mlir_block *b = op->block->next; b && !next; b = b->next) next = b->first;
        for (uint32_t i = (uint32_t)(region - around->regions) + 1;
             i < around->region_count && !next; i++)
            for (const hlo_mlir_block *b = around->regions[i].first; b && !next; b = b->next)
                next = b->first;
        if (!next) op = around;
    }
    return next;
}

/* Without recursion: a file chooses how deep regions nest. */
static void check_inside(checks *c, hlo_mlir_op *function) {
    for (hlo_mlir_op *op = function; op; op = next_of(op, function)) {
        if (!check_op(c, op)) note_wrong(c, op);
        if (c->ends && hlo_diags_full(c->diags)) return;
    }
}

static bool check_name(checks *c, const hlo_mlir_op *op) {
    const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
    if (!name || name->kind != HLO_MLIR_STRING || !hlo_mlir_text_of(name).len)
        return refuse(c, op, HLO_RULE_SYNTAX, "has no name");
    if (op->operand_count || op->result_count || op->region_count > 1)
        return refuse(c, op, HLO_RULE_SYNTAX, "has a region, and no operands and results");
    hlo_str text = hlo_mlir_text_of(name);
    if (hlo_check_function_named(&c->functions, text)) {
        hlo_error(c->diags, HLO_RULE_DUPLICATE_NAME, c->module->source, op->at,
                  "there are two functions '@%.*s'", (int)text.len, text.ptr);
        return false;
    }
    c->functions.v[c->functions.n++] = op;
    hlo_hash_add(&c->functions.by_name, (uint32_t)hlo_hash_bytes(text.ptr, text.len),
                 c->functions.n);
    return true;
}

static bool check_module(checks *c) {
    hlo_mlir_module *module = c->module;
    const hlo_mlir_op *root = module->root;
    if (root->region_count != 1) return refuse(c, root, HLO_RULE_SYNTAX, "has one region");
    if (!check_sizes(c, root)) return false;
    const hlo_mlir_block *top = root->regions[0].first;
    if (top && (top->next || top->argument_count))
        return refuse(c, root, HLO_RULE_SYNTAX, "has one block without arguments");
    uint32_t n = 0;
    for (const hlo_mlir_op *op = top ? top->first : NULL; op; op = op->next) n++;
    c->functions.v = HLO_NEW_ARRAY(&module->arena, const hlo_mlir_op *, n);
    for (const hlo_mlir_op *op = top ? top->first : NULL; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC && !check_name(c, op)) c->ends = true;
    for (hlo_mlir_op *op = top ? top->first : NULL; op && !c->ends; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC) check_inside(c, op);
        else if (!check_sizes(c, op)) c->ends = true;
    return !c->ends;
}

bool hlo_stablehlo_check(hlo_mlir_module *module, hlo_diags *diags) {
    enum { AT_LEAST = 1 << 22, EACH_BYTE = 64 };
    uint64_t most = AT_LEAST + EACH_BYTE * (uint64_t)module->source->len;
    checks c = {.module = module, .diags = diags, .left = most};
    fill_rows(&c);
    bool good = check_module(&c);
    for (uint32_t i = 0; good && i < c.wrong.n; i++) hlo_refused_leave(module, c.wrong.v[i]);
    hlo_list_free(&c.open);
    hlo_list_free(&c.wrong);
    hlo_hash_free(&c.functions.by_name);
    return good;
}
