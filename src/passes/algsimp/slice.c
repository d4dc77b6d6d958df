/* algsimp: slice, pad, concatenate, dynamic-slice and dynamic-update-slice. Patterns, called by
 * patterns.c. */
#include "passes/emit.h"
#include "passes/match.h"

static const hlo_slice *slice_of(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
}

static hlo_slice *new_slice(hlo_rewriter *r, uint32_t n) {
    hlo_slice *slice = hlo_arena_zero(&r->module->arena, sizeof *slice + n * sizeof slice->v[0]);
    slice->n = n;
    return slice;
}

/* ---- slice ---- */

hlo_instr *hlo_rewrite_slice_nothing(hlo_rewriter *r, hlo_instr *slice) {
    (void)r;
    return hlo_operand(slice, 0)->shape == slice->shape ? hlo_operand(slice, 0) : NULL;
}

hlo_instr *hlo_rewrite_slice_of_slice(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *inner = hlo_operand(slice, 0);
    if (inner->opcode != HLO_OP_SLICE) return NULL;
    const hlo_slice *outer = slice_of(slice), *first = slice_of(inner);
    hlo_slice *both = new_slice(r, outer->n);
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
            hlo_slice *moved = new_slice(r, old->n);
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
    hlo_slice *moved = new_slice(r, old->n);
    memcpy(moved->v, old->v, old->n * sizeof old->v[0]);
    for (uint32_t i = 0; i < old->n; i++) {
        moved->v[i].start -= padding->v[i].low;
        moved->v[i].limit -= padding->v[i].low;
    }
    return hlo_emit_slice(r, slice->shape, a, moved);
}

/* ---- pad ---- */

hlo_instr *hlo_rewrite_pad_nothing(hlo_rewriter *r, hlo_instr *pad) {
    (void)r;
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    for (uint32_t i = 0; i < padding->n; i++)
        if (padding->v[i].low || padding->v[i].high || padding->v[i].interior) return NULL;
    return hlo_operand(pad, 0);
}

hlo_instr *hlo_rewrite_pad_of_nothing(hlo_rewriter *r, hlo_instr *pad) {
    if (hlo_shape_elements(hlo_operand(pad, 0)->shape) != 0 || pad->shape->rank == 0) return NULL;
    return hlo_emit_broadcast(r, pad->shape, hlo_operand(pad, 1), NULL, 0);
}

/* What is padded and what it is padded with are the same value everywhere. */
hlo_instr *hlo_rewrite_pad_of_scalar(hlo_rewriter *r, hlo_instr *pad) {
    const hlo_instr *a = hlo_operand(pad, 0);
    bool fits = a->opcode == HLO_OP_BROADCAST && hlo_operand(a, 0) == hlo_operand(pad, 1);
    return fits ? hlo_emit_broadcast(r, pad->shape, hlo_operand(pad, 1), NULL, 0) : NULL;
}

/* Negative padding alone cuts off. */
hlo_instr *hlo_rewrite_pad_to_slice(hlo_rewriter *r, hlo_instr *pad) {
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    const hlo_shape *from = hlo_operand(pad, 0)->shape;
    bool cuts = false;
    for (uint32_t i = 0; i < padding->n; i++) {
        if (padding->v[i].low > 0 || padding->v[i].high > 0 || padding->v[i].interior) return NULL;
        if (from->dims[i] + padding->v[i].low + padding->v[i].high < 0) return NULL;
        cuts |= padding->v[i].low || padding->v[i].high;
    }
    if (!cuts) return NULL;
    hlo_slice *slice = new_slice(r, padding->n);
    for (uint32_t i = 0; i < padding->n; i++) {
        slice->v[i].start = -padding->v[i].low;
        slice->v[i].limit = from->dims[i] + padding->v[i].high;
        slice->v[i].stride = 1;
    }
    return hlo_emit_slice(r, pad->shape, hlo_operand(pad, 0), slice);
}

/* ---- concatenate ---- */

hlo_instr *hlo_rewrite_concatenate_one(hlo_rewriter *r, hlo_instr *concatenate) {
    (void)r;
    return concatenate->operand_count == 1 ? hlo_operand(concatenate, 0) : NULL;
}

static hlo_instr *concatenated(hlo_rewriter *r, const hlo_instr *like, hlo_instr *const *parts,
                               uint32_t n) {
    return n == 1 ? parts[0] : hlo_emit_like(r, like, like->shape, parts, n);
}

hlo_instr *hlo_rewrite_concatenate_empty(hlo_rewriter *r, hlo_instr *concatenate) {
    uint32_t all = concatenate->operand_count, n = 0;
    if (!hlo_shape_elements(concatenate->shape)) return NULL;
    hlo_instr **parts = hlo_malloc(all * sizeof *parts), *by = NULL;
    for (uint32_t i = 0; i < all; i++)
        if (hlo_shape_elements(hlo_operand(concatenate, i)->shape))
            parts[n++] = hlo_operand(concatenate, i);
    if (n && n < all) by = concatenated(r, concatenate, parts, n);
    hlo_free(parts);
    return by;
}

static bool is_inner_concatenate(const hlo_instr *part, const hlo_instr *outer) {
    return part->opcode == HLO_OP_CONCATENATE && hlo_has_one_user(part) &&
           hlo_attr_ints(part, HLO_ATTR_DIMENSIONS)->v[0] ==
               hlo_attr_ints(outer, HLO_ATTR_DIMENSIONS)->v[0];
}

hlo_instr *hlo_rewrite_concatenate_of_concatenate(hlo_rewriter *r, hlo_instr *concatenate) {
    uint32_t n = 0, at = 0;
    bool fits = false;
    for (uint32_t i = 0; i < concatenate->operand_count; i++) {
        const hlo_instr *part = hlo_operand(concatenate, i);
        bool inner = is_inner_concatenate(part, concatenate);
        fits |= inner;
        n += inner ? part->operand_count : 1;
    }
    if (!fits) return NULL;
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    for (uint32_t i = 0; i < concatenate->operand_count; i++) {
        hlo_instr *part = hlo_operand(concatenate, i);
        if (!is_inner_concatenate(part, concatenate)) parts[at++] = part;
        else
            for (uint32_t k = 0; k < part->operand_count; k++) parts[at++] = hlo_operand(part, k);
    }
    hlo_instr *by = hlo_emit_like(r, concatenate, concatenate->shape, parts, n);
    hlo_free(parts);
    return by;
}

/* All parts repeat the same scalar. */
hlo_instr *hlo_rewrite_concatenate_of_scalar(hlo_rewriter *r, hlo_instr *concatenate) {
    hlo_instr *scalar = NULL;
    for (uint32_t i = 0; i < concatenate->operand_count; i++) {
        const hlo_instr *part = hlo_operand(concatenate, i);
        if (part->opcode != HLO_OP_BROADCAST || hlo_operand(part, 0)->shape->rank) return NULL;
        if (i && hlo_operand(part, 0) != scalar) return NULL;
        scalar = hlo_operand(part, 0);
    }
    return scalar ? hlo_emit_broadcast(r, concatenate->shape, scalar, NULL, 0) : NULL;
}

/* `b` goes on where `a` ends, in the dimension `d` alone, with the same steps. */
static bool continues(const hlo_instr *a, const hlo_instr *b, int64_t d) {
    if (a->opcode != HLO_OP_SLICE || b->opcode != HLO_OP_SLICE) return false;
    if (hlo_operand(a, 0) != hlo_operand(b, 0)) return false;
    const hlo_slice *x = slice_of(a), *y = slice_of(b);
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->v[i].stride != y->v[i].stride) return false;
        bool same = x->v[i].start == y->v[i].start && x->v[i].limit == y->v[i].limit;
        bool next = x->v[i].stride == 1 && x->v[i].limit == y->v[i].start;
        if (i == d ? !next : !same) return false;
    }
    return true;
}

/* The first two neighbours that are one slice become it. */
hlo_instr *hlo_rewrite_concatenate_of_slices(hlo_rewriter *r, hlo_instr *concatenate) {
    int64_t d = hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS)->v[0];
    uint32_t all = concatenate->operand_count, i = 0;
    while (i + 1 < all &&
           !continues(hlo_operand(concatenate, i), hlo_operand(concatenate, i + 1), d))
        i++;
    if (i + 1 >= all) return NULL;
    hlo_instr *a = hlo_operand(concatenate, i), *b = hlo_operand(concatenate, i + 1);
    hlo_slice *both = new_slice(r, a->shape->rank);
    memcpy(both->v, slice_of(a)->v, both->n * sizeof both->v[0]);
    both->v[d].limit = slice_of(b)->v[d].limit;
    hlo_ints *sizes = hlo_ints_from(&r->module->arena, a->shape->dims, a->shape->rank);
    sizes->v[d] += b->shape->dims[d];
    const hlo_shape *shape =
        all == 2 ? concatenate->shape
                 : hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes->v, sizes->n);
    hlo_instr *joined = hlo_emit_slice(r, shape, hlo_operand(a, 0), both);
    hlo_instr **parts = hlo_malloc(all * sizeof *parts);
    for (uint32_t k = 0, n = 0; k < all; k++)
        if (k != i + 1) parts[n++] = k == i ? joined : hlo_operand(concatenate, k);
    hlo_instr *by = concatenated(r, concatenate, parts, all - 1);
    hlo_free(parts);
    return by;
}

/* ---- dynamic-slice, dynamic-update-slice ---- */

static bool has_one_index_each(const hlo_instr *instr, uint32_t first) {
    return instr->operand_count == first + hlo_operand(instr, 0)->shape->rank;
}

hlo_instr *hlo_rewrite_dynamic_slice_all(hlo_rewriter *r, hlo_instr *slice) {
    (void)r;
    return hlo_operand(slice, 0)->shape == slice->shape ? hlo_operand(slice, 0) : NULL;
}

hlo_instr *hlo_rewrite_dynamic_slice_constant(hlo_rewriter *r, hlo_instr *slice) {
    hlo_instr *a = hlo_operand(slice, 0);
    uint32_t rank = a->shape->rank;
    int64_t start;
    if (!has_one_index_each(slice, 1) || rank == 0) return NULL;
    for (uint32_t i = 0; i < rank; i++)
        if (!hlo_integer_of(hlo_operand(slice, 1 + i), &start)) return NULL;
    hlo_slice *fixed = new_slice(r, rank);
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

/* An update by what stands there already. */
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

/* ---- more about padding and indices ---- */

static bool only_adds(const hlo_padding *padding) {
    for (uint32_t i = 0; i < padding->n; i++)
        if (padding->v[i].low < 0 || padding->v[i].high < 0 || padding->v[i].interior) return false;
    return true;
}

hlo_instr *hlo_rewrite_pad_of_pad(hlo_rewriter *r, hlo_instr *pad) {
    hlo_instr *inner = hlo_operand(pad, 0);
    if (inner->opcode != HLO_OP_PAD || hlo_operand(inner, 1) != hlo_operand(pad, 1)) return NULL;
    const hlo_padding *outer = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    const hlo_padding *first = hlo_instr_attr(inner, HLO_ATTR_PADDING)->u.padding;
    if (!only_adds(outer) || !only_adds(first)) return NULL;
    size_t bytes = sizeof *outer + outer->n * sizeof outer->v[0];
    hlo_padding *both = hlo_arena_copy(&r->module->arena, outer, bytes);
    for (uint32_t i = 0; i < both->n; i++) {
        both->v[i].low += first->v[i].low;
        both->v[i].high += first->v[i].high;
    }
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = both};
    hlo_instr *operands[] = {hlo_operand(inner, 0), hlo_operand(pad, 1)};
    return hlo_emit(r, HLO_OP_PAD, pad->shape, operands, 2, &attr, 1);
}

/* An array beside one scalar repeated is that array, padded. */
hlo_instr *hlo_rewrite_concatenate_to_pad(hlo_rewriter *r, hlo_instr *concatenate) {
    if (concatenate->operand_count != 2) return NULL;
    int64_t d = hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS)->v[0];
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *fill = hlo_operand(concatenate, i), *a = hlo_operand(concatenate, 1 - i);
        if (fill->opcode != HLO_OP_BROADCAST || hlo_operand(fill, 0)->shape->rank) continue;
        uint32_t n = concatenate->shape->rank;
        hlo_padding *padding =
            hlo_arena_zero(&r->module->arena, sizeof *padding + n * sizeof padding->v[0]);
        padding->n = n;
        *(i == 0 ? &padding->v[d].low : &padding->v[d].high) = fill->shape->dims[d];
        hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
        hlo_instr *operands[] = {a, hlo_operand(fill, 0)};
        return hlo_emit(r, HLO_OP_PAD, concatenate->shape, operands, 2, &attr, 1);
    }
    return NULL;
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
