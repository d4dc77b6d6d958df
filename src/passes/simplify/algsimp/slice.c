/* algsimp: slices. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

static const hlo_slice *slice_of(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
}

hlo_instr *hlo_rewrite_slice_of_slice(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *inner = hlo_operand(slice, 0);
    if (inner->opcode != HLO_OP_SLICE) return NULL;
    const hlo_slice *outer = slice_of(slice), *first = slice_of(inner);
    hlo_slice *both = hlo_new_slice(r, outer->n);
    for (uint32_t i = 0; i < outer->n; i++) {
        int64_t size = slice->shape->dims[i];
        both->v[i].start = first->v[i].start + outer->v[i].start * first->v[i].stride;
        both->v[i].stride = first->v[i].stride * outer->v[i].stride;
        both->v[i].limit =
            size ? both->v[i].start + (size - 1) * both->v[i].stride + 1 : both->v[i].start;
    }
    return hlo_emit_slice(r, slice->shape, hlo_operand(inner, 0), both);
}

/* All of the slice lies in one operand. */
hlo_instr *hlo_rewrite_slice_of_concatenate(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *concatenate = hlo_operand(slice, 0);
    if (concatenate->opcode != HLO_OP_CONCATENATE || !hlo_shape_elements(slice->shape)) return NULL;
    int64_t d = hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS)->v[0], at = 0;
    const hlo_slice *old = slice_of(slice);
    for (uint32_t i = 0; i < concatenate->operand_count; i++) {
        hlo_instr *part = hlo_operand(concatenate, i);
        int64_t end = at + part->shape->dims[d];
        if (old->v[d].start >= at && old->v[d].limit <= end) {
            hlo_slice *moved = hlo_new_slice(r, old->n);
            memcpy(moved->v, old->v, old->n * sizeof old->v[0]);
            moved->v[d].start -= at;
            moved->v[d].limit -= at;
            return hlo_emit_slice(r, slice->shape, part, moved);
        }
        at = end;
    }
    return NULL;
}

/* A dimension that the broadcast made is shortened there. */
hlo_instr *hlo_rewrite_slice_of_broadcast(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *broadcast = hlo_operand(slice, 0);
    if (broadcast->opcode != HLO_OP_BROADCAST) return NULL;
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    if (dims->n == 0) return NULL;
    for (uint32_t i = 0; i < dims->n; i++)
        if (slice->shape->dims[dims->v[i]] != broadcast->shape->dims[dims->v[i]]) return NULL;
    return hlo_emit_broadcast(r, slice->shape, hlo_operand(broadcast, 0), dims->v, dims->n);
}

/* The slice takes what was padded, and nothing of the padding. */
hlo_instr *hlo_rewrite_slice_of_pad(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *pad = hlo_operand(slice, 0);
    if (pad->opcode != HLO_OP_PAD || !hlo_shape_elements(slice->shape)) return NULL;
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    const hlo_slice *old = slice_of(slice);
    hlo_instr *a = hlo_operand(pad, 0);
    for (uint32_t i = 0; i < old->n; i++) {
        bool inside = old->v[i].start >= padding->v[i].low && padding->v[i].low >= 0 &&
                      old->v[i].limit <= padding->v[i].low + a->shape->dims[i];
        if (!inside || padding->v[i].interior) return NULL;
    }
    hlo_slice *moved = hlo_new_slice(r, old->n);
    memcpy(moved->v, old->v, old->n * sizeof old->v[0]);
    for (uint32_t i = 0; i < old->n; i++) {
        moved->v[i].start -= padding->v[i].low;
        moved->v[i].limit -= padding->v[i].low;
    }
    return hlo_emit_slice(r, slice->shape, a, moved);
}

/* ---- slices of what is moved or computed ---- */

/* One element is taken: there is no step. */
hlo_instr *hlo_rewrite_slice_one_step(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_slice *old = slice_of(slice);
    bool steps = false;
    for (uint32_t i = 0; i < old->n; i++)
        steps |= slice->shape->dims[i] == 1 && old->v[i].stride != 1;
    if (!steps) return NULL;
    hlo_slice *plain = hlo_new_slice(r, old->n);
    for (uint32_t i = 0; i < old->n; i++) {
        plain->v[i] = old->v[i];
        if (slice->shape->dims[i] != 1) continue;
        plain->v[i].stride = 1;
        plain->v[i].limit = old->v[i].start + 1;
    }
    return hlo_emit_slice(r, slice->shape, hlo_operand(slice, 0), plain);
}

/* The counted dimension begins at 0 and takes every number. */
hlo_instr *hlo_rewrite_slice_of_iota(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *iota = hlo_operand(slice, 0);
    if (iota->opcode != HLO_OP_IOTA) return NULL;
    int64_t along = hlo_attr_int(iota, HLO_ATTR_IOTA_DIMENSION);
    const hlo_slice *ranges = slice_of(slice);
    if (ranges->v[along].start != 0 || ranges->v[along].stride != 1) return NULL;
    return hlo_build_iota(r, slice->shape, along);
}

/* Counted from the other end. */
hlo_instr *hlo_rewrite_slice_of_reverse(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *reverse = hlo_operand(slice, 0);
    if (reverse->opcode != HLO_OP_REVERSE || !hlo_has_one_user(reverse)) return NULL;
    if (!hlo_shape_elements(slice->shape)) return NULL;
    const hlo_ints *dims = hlo_attr_ints(reverse, HLO_ATTR_DIMENSIONS);
    const hlo_slice *old = slice_of(slice);
    hlo_slice *moved = hlo_new_slice(r, old->n);
    for (uint32_t i = 0; i < old->n; i++) {
        int64_t last = reverse->shape->dims[i] - 1, taken = slice->shape->dims[i] - 1;
        moved->v[i] = old->v[i];
        if (!hlo_ints_contain(dims, i)) continue;
        moved->v[i].start = last - (old->v[i].start + taken * old->v[i].stride);
        moved->v[i].limit = last - old->v[i].start + 1;
    }
    hlo_instr *part = hlo_emit_slice(r, slice->shape, hlo_operand(reverse, 0), moved);
    return hlo_emit_like(r, reverse, slice->shape, &part, 1);
}

/* Dimensions of size 1 come or go: the others are cut the same way. */
hlo_instr *hlo_rewrite_slice_of_reshape(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *reshape = hlo_operand(slice, 0);
    if (reshape->opcode != HLO_OP_RESHAPE || !hlo_has_one_user(reshape)) return NULL;
    hlo_instr *a = hlo_operand(reshape, 0);
    const hlo_slice *old = slice_of(slice);
    hlo_ints *place = hlo_ints_new(&r->module->arena, a->shape->rank);
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, a->shape->rank);
    if (!hlo_shape_elements(slice->shape) || !hlo_follow_dims(a->shape, reshape->shape, place->v))
        return NULL;
    hlo_slice *moved = hlo_new_slice(r, a->shape->rank);
    for (uint32_t i = 0; i < a->shape->rank; i++) {
        moved->v[i].limit = moved->v[i].stride = sizes->v[i] = 1;
        if (place->v[i] < 0) continue;
        moved->v[i] = old->v[place->v[i]];
        sizes->v[i] = slice->shape->dims[place->v[i]];
    }
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes->v, sizes->n);
    hlo_instr *part = hlo_emit_slice(r, shape, a, moved);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, slice->shape, part);
}

/* Nothing but padding is taken. */
hlo_instr *hlo_rewrite_slice_of_padding(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *pad = hlo_operand(slice, 0);
    if (pad->opcode != HLO_OP_PAD || !hlo_shape_elements(slice->shape)) return NULL;
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    const hlo_slice *taken = slice_of(slice);
    for (uint32_t i = 0; i < taken->n; i++) {
        int64_t end = pad->shape->dims[i] - padding->v[i].high;
        bool outside = taken->v[i].limit <= padding->v[i].low || taken->v[i].start >= end;
        if (outside) return hlo_emit_broadcast(r, slice->shape, hlo_operand(pad, 1), NULL, 0);
    }
    return NULL;
}

/* What was written at a known place is taken, or nothing of it. */
hlo_instr *hlo_rewrite_slice_of_fixed_update(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *update = hlo_operand(slice, 0);
    const hlo_slice *old = slice_of(slice);
    if (update->opcode != HLO_OP_DYNAMIC_UPDATE_SLICE || update->operand_count != 2u + old->n)
        return NULL;
    hlo_instr *part = hlo_operand(update, 1);
    if (!hlo_shape_elements(slice->shape) || !hlo_shape_elements(part->shape)) return NULL;
    hlo_slice *moved = hlo_new_slice(r, old->n);
    bool inside = true;
    for (uint32_t i = 0; i < old->n; i++) {
        int64_t start, size = part->shape->dims[i], most = update->shape->dims[i] - size;
        if (!hlo_integer_of(hlo_operand(update, i + 2), &start)) return NULL;
        start = start < 0 ? 0 : start > most ? most : start;
        moved->v[i] = old->v[i];
        moved->v[i].start -= start;
        moved->v[i].limit -= start;
        if (old->v[i].limit <= start || old->v[i].start >= start + size)
            return hlo_emit_slice(r, slice->shape, hlo_operand(update, 0), old);
        inside &= moved->v[i].start >= 0 && moved->v[i].limit <= size;
    }
    return inside ? hlo_emit_slice(r, slice->shape, part, moved) : NULL;
}

/* ---- of a product only what is needed ---- */

/* The operand, cut along its dimensions that the result has: batch dimensions stand first there,
 * this side's free ones from `free_at` on. */
static hlo_instr *cut_operand(hlo_rewriter *r, const hlo_instr *dot, int side, uint32_t free_at,
                              const hlo_slice *ranges) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    hlo_instr *a = hlo_operand(dot, (uint32_t)side);
    const hlo_ints *batch =
        hlo_attr_ints(dot, side ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *contracted =
        hlo_attr_ints(dot, side ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS);
    hlo_slice *cut = hlo_new_whole_slice(r, a->shape);
    hlo_ints *sizes = hlo_ints_from(&r->module->arena, a->shape->dims, a->shape->rank);
    bool cuts = false;
    for (uint32_t d = 0; d < a->shape->rank; d++) {
        int64_t from = hlo_ints_find(batch, d);
        if (from < 0 && !hlo_ints_contain(contracted, d)) from = free_at++;
        if (from < 0) continue;
        cut->v[d] = ranges->v[from];
        sizes->v[d] = (cut->v[d].limit - cut->v[d].start + cut->v[d].stride - 1) / cut->v[d].stride;
        cuts |= sizes->v[d] != a->shape->dims[d];
    }
    if (!cuts) return a;
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes->v, sizes->n);
    return hlo_emit_slice(r, shape, a, cut);
}

hlo_instr *hlo_rewrite_slice_of_dot(hlo_rewriter *r, hlo_instr *slice) {
    const hlo_instr *dot = hlo_operand(slice, 0);
    if (dot->opcode != HLO_OP_DOT || dot->operand_count != 2 || !hlo_has_one_user(dot) ||
        slice->shape == dot->shape || !hlo_shape_elements(slice->shape))
        return NULL;
    uint32_t batch = hlo_attr_ints(dot, HLO_ATTR_LHS_BATCH_DIMS)->n;
    uint32_t contracted = hlo_attr_ints(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)->n;
    hlo_instr *a = cut_operand(r, dot, 0, batch, slice_of(slice));
    hlo_instr *b =
        cut_operand(r, dot, 1, hlo_operand(dot, 0)->shape->rank - contracted, slice_of(slice));
    return hlo_emit_like(r, dot, slice->shape, (hlo_instr *[]){a, b}, 2);
}
