/* The passes over StableHLO in XLA's order, and those of them that are short: one form for what
 * was read, and functions that nothing calls. */
#include "stablehlo/prepare.h"

#include "stablehlo/dense.h"
#include "stablehlo/edit.h"

/* ---- one form ---- */

/* [start:limit:stride, ...] as three attributes. */
static void split_ranges(hlo_mlir_module *module, hlo_mlir_op *op) {
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    const hlo_mlir_attr *ranges = hlo_mlir_attr_of(op, "ranges");
    if (!ranges || ranges->kind != HLO_MLIR_LIST) return;
    int64_t *v = HLO_NEW_ARRAY(&module->arena, int64_t, ranges->list.n);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < ranges->list.n; i++) {
            const hlo_mlir_attr *range = ranges->list.v[i].value;
            if (range->kind != HLO_MLIR_INTS || range->u.ints.n != 3) return;
            v[i] = range->u.ints.v[k];
        }
        hlo_mlir_set_attr(module, op, names[k], hlo_mlir_ints_new(module, ranges->list.n, v));
    }
    hlo_mlir_drop_attr(op, "ranges");
}

static void normalise(hlo_mlir_op *op, void *context) {
    hlo_mlir_module *module = context;
    if (op->id == HLO_MLIR_OP_STABLEHLO_SLICE) split_ranges(module, op);
    if (!hlo_mlir_is_constant(op)) return;
    for (uint32_t i = 0; i < op->attr_count; i++)
        op->attrs[i].value = hlo_dense_normal(module, op->attrs[i].value);
}

void hlo_stablehlo_normalise(hlo_mlir_module *module) {
    hlo_mlir_walk_functions(module, normalise, module);
}

/* ---- functions that nothing calls ---- */

typedef struct {
    hlo_mlir_block *top;
    HLO_LIST(hlo_mlir_op *) live; /* those whose references are not noted yet are at the end */
    HLO_LIST(hlo_mlir_op *) named;
    hlo_hash by_name; /* numbers of them, from 1 */
} reaching;

static hlo_str name_of(const hlo_mlir_op *op) {
    const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "sym_name");
    return own && own->kind == HLO_MLIR_STRING ? own->u.text : (hlo_str){0};
}

static void number_names(reaching *r) {
    for (hlo_mlir_op *op = r->top->first; op; op = op->next) {
        hlo_str name = name_of(op);
        hlo_list_push(&r->named, op);
        hlo_hash_add(&r->by_name, (uint32_t)hlo_hash_bytes(name.ptr, name.len), r->named.n);
    }
}

static hlo_mlir_op *function_named(const reaching *r, hlo_str name) {
    hlo_hash_each (number, &r->by_name, (uint32_t)hlo_hash_bytes(name.ptr, name.len))
        if (hlo_str_equal(name_of(r->named.v[number - 1]), name)) return r->named.v[number - 1];
    return NULL;
}

static void reach(reaching *r, hlo_mlir_op *op) {
    if (op->place) return;
    op->place = 1;
    hlo_list_push(&r->live, op);
}

static void note_symbols(reaching *r, const hlo_mlir_attr *attr) {
    if (!attr) return;
    if (attr->kind == HLO_MLIR_SYMBOL) {
        hlo_mlir_op *op = function_named(r, attr->u.text);
        if (op) reach(r, op);
    }
    for (uint32_t i = 0; i < attr->list.n; i++) note_symbols(r, attr->list.v[i].value);
}

static void note_references(hlo_mlir_op *op, void *context) {
    for (uint32_t i = 0; i < op->attr_count; i++) note_symbols(context, op->attrs[i].value);
}

static bool is_private(const hlo_mlir_op *op) {
    const hlo_mlir_attr *visibility = hlo_mlir_attr_of(op, "sym_visibility");
    return op->id == HLO_MLIR_OP_FUNC_FUNC && visibility &&
           hlo_str_is(hlo_mlir_word_of(visibility), "private");
}

static void drop_uses(hlo_mlir_op *op, void *context) {
    (void)context;
    for (uint32_t i = 0; i < op->operand_count; i++) hlo_mlir_set_operand(op, i, NULL);
}

static bool has_private(const hlo_mlir_block *top) {
    for (const hlo_mlir_op *op = top->first; op; op = op->next)
        if (is_private(op)) return true;
    return false;
}

void hlo_stablehlo_drop_unused_functions(hlo_mlir_module *module) {
    reaching r = {.top = module->root->regions[0].first};
    if (!r.top || !has_private(r.top)) return;
    number_names(&r);
    for (hlo_mlir_op *op = r.top->first; op; op = op->next) op->place = 0;
    for (hlo_mlir_op *op = r.top->first; op; op = op->next)
        if (!is_private(op)) reach(&r, op);
    while (r.live.n) {
        hlo_mlir_op *op = hlo_list_pop(&r.live);
        note_references(op, &r);
        for (uint32_t i = 0; i < op->region_count; i++)
            hlo_mlir_walk(&op->regions[i], note_references, &r);
    }
    for (hlo_mlir_op *op = r.top->first, *next; op; op = next) {
        next = op->next;
        if (op->place) continue;
        for (uint32_t i = 0; i < op->region_count; i++)
            hlo_mlir_walk(&op->regions[i], drop_uses, NULL);
        hlo_mlir_remove(op);
    }
    hlo_list_free(&r.live);
    hlo_list_free(&r.named);
    hlo_hash_free(&r.by_name);
}

/* ---- all ---- */

void hlo_stablehlo_prepare(hlo_mlir_module *module) {
    hlo_stablehlo_normalise(module);
    hlo_stablehlo_drop_unused_functions(module);
    hlo_stablehlo_sink_constants(module);
    hlo_stablehlo_drop_unused_functions(module);
    hlo_stablehlo_simplify(module);
    hlo_stablehlo_drop_attributes(module);
    hlo_stablehlo_sink_constants(module);
    hlo_stablehlo_prepare_export(module);
}
