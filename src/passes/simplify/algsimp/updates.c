/* algsimp: dynamic-slice and dynamic-update-slice. Patterns. A window that would leave the
 * array starts at the last place where it fits. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

static bool has_one_index_each(const hlo_instr *instr, uint32_t first) {
    return instr->operand_count == first + hlo_operand(instr, 0)->shape->rank;
}

hlo_instr *hlo_rewrite_dynamic_slice_constant(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *a = hlo_operand(slice, 0);
    uint32_t rank = a->shape->rank;
    int64_t start;
    if (!has_one_index_each(slice, 1) || rank == 0) return NULL;
    for (uint32_t i = 0; i < rank; i++)
        if (!hlo_integer_of(hlo_operand(slice, 1 + i), &start)) return NULL;
    hlo_slice *fixed = hlo_new_slice(r, rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = slice->shape->dims[i], most = a->shape->dims[i] - size;
        hlo_integer_of(hlo_operand(slice, 1 + i), &start);
        start = start < 0 ? 0 : start > most ? most : start;
        fixed->v[i].start = start;
        fixed->v[i].limit = start + size;
        fixed->v[i].stride = 1;
    }
    return hlo_emit_slice(r, slice->shape, a, fixed);
}

hlo_instr *hlo_rewrite_update_all(hlo_rewriter *r, hlo_instr *update) {
    (void)r;
    return hlo_operand(update, 1)->shape == update->shape ? hlo_operand(update, 1) : NULL;
}

hlo_instr *hlo_rewrite_update_with_nothing(hlo_rewriter *r, hlo_instr *update) {
    (void)r;
    bool empty = hlo_shape_elements(hlo_operand(update, 1)->shape) == 0;
    return empty ? hlo_operand(update, 0) : NULL;
}

/* An update by the elements that are already there. */
hlo_instr *hlo_rewrite_update_with_own_slice(hlo_rewriter *r, hlo_instr *update) {
    (void)r;
    const hlo_instr *slice = hlo_operand(update, 1);
    if (slice->opcode != HLO_OP_DYNAMIC_SLICE || hlo_operand(slice, 0) != hlo_operand(update, 0) ||
        slice->operand_count + 1 != update->operand_count)
        return NULL;
    for (uint32_t i = 1; i < slice->operand_count; i++)
        if (hlo_operand(slice, i) != hlo_operand(update, i + 1)) return NULL;
    return hlo_operand(update, 0);
}

/* dynamic-slice of what was just written there. */
hlo_instr *hlo_rewrite_slice_of_update(hlo_rewriter *r, hlo_instr *slice) {
    (void)r;
    const hlo_instr *update = hlo_operand(slice, 0);
    if (update->opcode != HLO_OP_DYNAMIC_UPDATE_SLICE ||
        slice->operand_count + 1 != update->operand_count ||
        hlo_operand(update, 1)->shape != slice->shape)
        return NULL;
    for (uint32_t i = 1; i < slice->operand_count; i++)
        if (hlo_operand(slice, i) != hlo_operand(update, i + 1)) return NULL;
    return hlo_operand(update, 1);
}

/* Where a window is as large as the array it can only start at 0. */
static hlo_instr *fixed_start(hlo_rewriter *r, hlo_instr *instr, uint32_t first,
                              const hlo_shape *window) {
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    if (!has_one_index_each(instr, first)) return NULL;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const hlo_instr *index = hlo_operand(instr, first + i);
        if (shape->dims[i] != window->dims[i] || hlo_constant_of(index)) continue;
        hlo_instr *zero = hlo_emit_filled(r, index->shape, 0);
        return hlo_emit_with_operand(r, instr, first + i, zero);
    }
    return NULL;
}

hlo_instr *hlo_rewrite_dynamic_slice_fixed_start(hlo_rewriter *r, hlo_instr *slice) {
    return fixed_start(r, slice, 1, slice->shape);
}

hlo_instr *hlo_rewrite_update_fixed_start(hlo_rewriter *r, hlo_instr *update) {
    return fixed_start(r, update, 2, hlo_operand(update, 1)->shape);
}

/* ---- slices of what is moved ---- */

static bool is_dynamic_slice(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_DYNAMIC_SLICE && has_one_index_each(instr, 1) &&
           instr->shape->rank > 0;
}

/* In each dimension one of both takes all that there is: the other one has the start. */
hlo_instr *hlo_rewrite_dynamic_slice_twice(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *inner = hlo_operand(slice, 0);
    if (!is_dynamic_slice(slice) || !is_dynamic_slice(inner)) return NULL;
    hlo_instr *a = hlo_operand(inner, 0);
    uint32_t rank = a->shape->rank;
    for (uint32_t i = 0; i < rank; i++) {
        bool outer_takes_all = slice->shape->dims[i] == inner->shape->dims[i];
        bool inner_takes_all = inner->shape->dims[i] == a->shape->dims[i];
        if (!outer_takes_all && !inner_takes_all) return NULL;
        if (hlo_operand(slice, 1 + i)->shape != hlo_operand(inner, 1 + i)->shape) return NULL;
    }
    hlo_instr **starts = hlo_malloc(rank * sizeof *starts);
    for (uint32_t i = 0; i < rank; i++) {
        bool outer_takes_all = slice->shape->dims[i] == inner->shape->dims[i];
        starts[i] = hlo_operand(outer_takes_all ? inner : slice, 1 + i);
    }
    hlo_instr *by = hlo_build_dynamic_slice(r, a, starts, slice->shape->dims);
    hlo_free(starts);
    return by;
}

/* Dimensions that the broadcast made need no place. */
hlo_instr *hlo_rewrite_dynamic_slice_of_broadcast(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *broadcast = hlo_operand(slice, 0);
    if (broadcast->opcode != HLO_OP_BROADCAST || !is_dynamic_slice(slice)) return NULL;
    hlo_instr *a = hlo_operand(broadcast, 0);
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    if (dims->n == 0) return NULL;
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, dims->n);
    hlo_instr **starts = hlo_malloc(dims->n * sizeof *starts);
    bool cuts = false;
    for (uint32_t i = 0; i < dims->n; i++) {
        sizes->v[i] = slice->shape->dims[dims->v[i]];
        starts[i] = hlo_operand(slice, 1 + (uint32_t)dims->v[i]);
        cuts |= sizes->v[i] != a->shape->dims[i];
    }
    hlo_instr *part = cuts ? hlo_build_dynamic_slice(r, a, starts, sizes->v) : a;
    hlo_free(starts);
    return hlo_emit_broadcast(r, slice->shape, part, dims->v, dims->n);
}

hlo_instr *hlo_rewrite_dynamic_slice_of_transpose(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *transpose = hlo_operand(slice, 0);
    if (transpose->opcode != HLO_OP_TRANSPOSE || !is_dynamic_slice(slice) ||
        !hlo_has_one_user(transpose))
        return NULL;
    const hlo_ints *order = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS);
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, order->n);
    hlo_instr **starts = hlo_malloc(order->n * sizeof *starts);
    for (uint32_t i = 0; i < order->n; i++) {
        sizes->v[order->v[i]] = slice->shape->dims[i];
        starts[order->v[i]] = hlo_operand(slice, 1 + i);
    }
    hlo_instr *part = hlo_build_dynamic_slice(r, hlo_operand(transpose, 0), starts, sizes->v);
    hlo_free(starts);
    return hlo_emit_transpose(r, slice->shape, part, order->v);
}

/* Dimensions of size 1 come or go. */
hlo_instr *hlo_rewrite_dynamic_slice_of_reshape(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *reshape = hlo_operand(slice, 0);
    if (reshape->opcode != HLO_OP_RESHAPE || !is_dynamic_slice(slice) || !hlo_has_one_user(reshape))
        return NULL;
    hlo_instr *a = hlo_operand(reshape, 0);
    hlo_ints *place = hlo_ints_new(&r->module->arena, a->shape->rank);
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, a->shape->rank);
    if (a->shape->rank == 0 || !hlo_follow_dims(a->shape, reshape->shape, place->v)) return NULL;
    hlo_instr **starts = hlo_malloc(a->shape->rank * sizeof *starts), *zero = NULL;
    for (uint32_t i = 0; i < a->shape->rank; i++) {
        bool is_there = place->v[i] >= 0;
        if (!is_there && !zero) zero = hlo_emit_filled(r, hlo_operand(slice, 1)->shape, 0);
        sizes->v[i] = is_there ? slice->shape->dims[place->v[i]] : 1;
        starts[i] = is_there ? hlo_operand(slice, 1 + (uint32_t)place->v[i]) : zero;
    }
    hlo_instr *part = hlo_build_dynamic_slice(r, a, starts, sizes->v);
    hlo_free(starts);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, slice->shape, part);
}

/* ---- updates ---- */

static bool same_places(const hlo_instr *a, const hlo_instr *b) {
    if (a->operand_count != b->operand_count) return false;
    for (uint32_t i = 2; i < a->operand_count; i++)
        if (hlo_operand(a, i) != hlo_operand(b, i)) return false;
    return true;
}

/* What was written is written over. */
hlo_instr *hlo_rewrite_update_twice(hlo_rewriter *r, hlo_instr *update) {
    const hlo_instr *inner = hlo_operand(update, 0);
    bool fits = inner->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && same_places(update, inner) &&
                hlo_operand(inner, 1)->shape == hlo_operand(update, 1)->shape;
    return fits ? hlo_emit_with_operand(r, update, 0, hlo_operand(inner, 0)) : NULL;
}

/* A known place in one value everywhere: padding with that value. */
hlo_instr *hlo_rewrite_update_to_pad(hlo_rewriter *r, hlo_instr *update) {
    const hlo_instr *field = hlo_operand(update, 0);
    hlo_instr *part = hlo_operand(update, 1);
    uint32_t rank = update->shape->rank;
    if (field->opcode != HLO_OP_BROADCAST || hlo_operand(field, 0)->shape->rank || rank == 0 ||
        !has_one_index_each(update, 2))
        return NULL;
    hlo_padding *padding = hlo_new_padding(r, rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t start, most = update->shape->dims[i] - part->shape->dims[i];
        if (!hlo_integer_of(hlo_operand(update, 2 + i), &start)) return NULL;
        padding->v[i].low = start < 0 ? 0 : start > most ? most : start;
        padding->v[i].high = most - padding->v[i].low;
    }
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    hlo_instr *operands[] = {part, hlo_operand(field, 0)};
    return hlo_emit(r, HLO_OP_PAD, update->shape, operands, 2, &attr, 1);
}

/* A sum with zeros in which one part was written is a sum with that part. */
hlo_instr *hlo_rewrite_add_update_of_zeros(hlo_rewriter *r, hlo_instr *add) {
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_instr *update = hlo_operand(add, i);
        hlo_instr *whole = hlo_operand(add, 1 - i);
        bool fits = update->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && hlo_has_one_user(update) &&
                    has_one_index_each(update, 2) && hlo_is_all(hlo_operand(update, 0), 0) &&
                    (hlo_is_exactly_neutral(HLO_OP_ADD, hlo_operand(update, 0)) ||
                     hlo_is_never_negative_zero(whole) || hlo_is_fast_math(r));
        if (!fits) continue;
        hlo_instr *part = hlo_operand(update, 1);
        uint32_t rank = add->shape->rank;
        hlo_instr **starts = hlo_malloc((rank + 1) * sizeof *starts);
        for (uint32_t k = 0; k < rank; k++) starts[k] = hlo_operand(update, 2 + k);
        hlo_instr *old = hlo_build_dynamic_slice(r, whole, starts, part->shape->dims);
        hlo_instr *sum = hlo_emit_binary(r, HLO_OP_ADD, part->shape, old, part);
        hlo_instr *by = hlo_build_dynamic_update(r, whole, sum, starts);
        hlo_free(starts);
        return by;
    }
    return NULL;
}
