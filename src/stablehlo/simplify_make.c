/* Operations, constants, locations and copied attributes that patterns make. */
#include "stablehlo/simplify.h"

hlo_mlir_op *hlo_simplify_new(hlo_simplifier *s, hlo_mlir_op_id id,
                              const hlo_mlir_location *location, uint32_t results,
                              const hlo_mlir_type *const *types, uint32_t operands,
                              hlo_mlir_value *const *values, uint32_t regions) {
    hlo_mlir_op *op = hlo_mlir_op_new(s->module, s->block, s->before, hlo_mlir_name_of(id),
                                      operands, results, 0, regions);
    op->location = location;
    for (uint32_t i = 0; i < results; i++) op->results[i].type = types[i];
    for (uint32_t i = 0; i < operands; i++) hlo_mlir_set_operand(op, i, values[i]);
    hlo_simplify_notify(s, op);
    return op;
}

hlo_mlir_op *hlo_simplify_new_unary(hlo_simplifier *s, hlo_mlir_op_id id,
                                    const hlo_mlir_location *location, const hlo_mlir_type *type,
                                    hlo_mlir_value *operand) {
    return hlo_simplify_new(s, id, location, 1, &type, 1, &operand, 0);
}

hlo_mlir_value *hlo_simplify_constant(hlo_simplifier *s, const hlo_mlir_location *location,
                                      const hlo_mlir_attr *value) {
    hlo_mlir_op *op =
        hlo_simplify_new(s, HLO_MLIR_OP_STABLEHLO_CONSTANT, location, 1, &value->type, 0, NULL, 0);
    hlo_mlir_set_attr(s->module, op, "value", value);
    return &op->results[0];
}

void hlo_simplify_set_ints(hlo_simplifier *s, hlo_mlir_op *op, const char *name, uint32_t n,
                           const int64_t *v) {
    hlo_mlir_set_attr(s->module, op, name, hlo_mlir_ints_new(s->module, n, v));
}

/* ---- places ---- */

static bool same_place(const hlo_mlir_location *a, const hlo_mlir_location *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || !hlo_str_equal(a->name, b->name) || a->line != b->line ||
        a->column != b->column || a->end_line != b->end_line || a->end_column != b->end_column ||
        a->part_count != b->part_count)
        return false;
    for (uint32_t i = 0; i < a->part_count; i++)
        if (!same_place(a->parts[i], b->parts[i])) return false;
    return same_place(a->first, b->first) && same_place(a->caller, b->caller);
}

typedef HLO_LIST(const hlo_mlir_location *) places;

static void add_place(hlo_arena *arena, places *to, const hlo_mlir_location *place) {
    for (uint32_t i = 0; i < to->n; i++)
        if (same_place(to->v[i], place)) return;
    hlo_list_push_in(arena, to, place);
}

const hlo_mlir_location *hlo_simplify_fuse(hlo_simplifier *s, uint32_t n, hlo_mlir_op *const *ops) {
    hlo_arena *arena = &s->module->arena;
    places all = {0};
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_location *place = ops[i]->location;
        if (!place || place->kind == HLO_MLIR_UNKNOWN_PLACE) continue;
        if (place->kind != HLO_MLIR_FUSED_PLACE) add_place(arena, &all, place);
        else
            for (uint32_t k = 0; k < place->part_count; k++)
                add_place(arena, &all, place->parts[k]);
    }
    if (all.n < 2) return all.n ? all.v[0] : NULL;
    hlo_mlir_location *fused = HLO_NEW(arena, hlo_mlir_location);
    fused->kind = HLO_MLIR_FUSED_PLACE;
    fused->part_count = all.n;
    fused->parts = all.v;
    return fused;
}

/* ---- attributes ---- */

/* Those of both; of one that both have, that of `from`. */
static const hlo_mlir_attr *merge_frontend(hlo_simplifier *s, const hlo_mlir_attr *from,
                                           const hlo_mlir_attr *to) {
    if (!to || from->kind != HLO_MLIR_DICT || to->kind != HLO_MLIR_DICT) return from;
    hlo_arena *arena = &s->module->arena;
    hlo_mlir_named *merged = HLO_NEW_ARRAY(arena, hlo_mlir_named, from->list.n + to->list.n);
    uint32_t n = to->list.n;
    if (n) memcpy(merged, to->list.v, n * sizeof *merged);
    for (uint32_t i = 0; i < from->list.n; i++) {
        const hlo_mlir_named *named = &from->list.v[i];
        uint32_t k = 0;
        while (k < n && !hlo_str_equal(merged[k].key, named->key)) k++;
        merged[k] = *named;
        if (k == n) n++;
    }
    hlo_mlir_attr *attr = hlo_arena_copy(arena, to, sizeof *to);
    attr->list.n = n;
    attr->list.v = merged;
    return attr;
}

static const hlo_mlir_attr *find(const hlo_mlir_op *op, hlo_str key) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (hlo_str_equal(op->attrs[i].key, key)) return op->attrs[i].value;
    return NULL;
}

static void set(hlo_simplifier *s, hlo_mlir_op *op, hlo_str key, const hlo_mlir_attr *value) {
    char *name = hlo_arena_alloc(&s->module->arena, key.len + 1);
    memcpy(name, key.ptr, key.len);
    name[key.len] = 0;
    hlo_mlir_set_attr(s->module, op, name, value);
}

void hlo_simplify_merge_attrs(hlo_simplifier *s, const hlo_mlir_op *from, hlo_mlir_op *to) {
    if (!from || !to || from == to) return;
    for (uint32_t i = 0; i < from->attr_count; i++) {
        hlo_str key = from->attrs[i].key;
        const hlo_mlir_attr *value = from->attrs[i].value;
        if (!hlo_mlir_is_discardable(key)) continue;
        if (hlo_str_is(key, "mhlo.frontend_attributes"))
            value = merge_frontend(s, value, find(to, key));
        set(s, to, key, value);
    }
}
