/* algsimp: padding. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

static const hlo_padding *padding_of(const hlo_instr *pad) {
    HLO_ASSERT(pad->opcode == HLO_OP_PAD);
    return hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
}

/* `pad` with other padding. */
static hlo_instr *padded(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *a, hlo_instr *value,
                         const hlo_padding *padding) {
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    return hlo_emit(r, HLO_OP_PAD, shape, (hlo_instr *[]){a, value}, 2, &attr, 1);
}

hlo_instr *hlo_rewrite_pad_nothing(hlo_rewriter *r, hlo_instr *pad) {
    (void)r;
    const hlo_padding *padding = padding_of(pad);
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
    const hlo_padding *padding = padding_of(pad);
    const hlo_shape *from = hlo_operand(pad, 0)->shape;
    bool cuts = false;
    for (uint32_t i = 0; i < padding->n; i++) {
        if (padding->v[i].low > 0 || padding->v[i].high > 0 || padding->v[i].interior) return NULL;
        if (from->dims[i] + padding->v[i].low + padding->v[i].high < 0) return NULL;
        cuts |= padding->v[i].low || padding->v[i].high;
    }
    if (!cuts) return NULL;
    hlo_slice *slice = hlo_new_slice(r, padding->n);
    for (uint32_t i = 0; i < padding->n; i++) {
        slice->v[i].start = -padding->v[i].low;
        slice->v[i].limit = from->dims[i] + padding->v[i].high;
        slice->v[i].stride = 1;
    }
    return hlo_emit_slice(r, pad->shape, hlo_operand(pad, 0), slice);
}

static bool only_adds(const hlo_padding *padding) {
    for (uint32_t i = 0; i < padding->n; i++)
        if (padding->v[i].low < 0 || padding->v[i].high < 0 || padding->v[i].interior) return false;
    return true;
}

hlo_instr *hlo_rewrite_pad_of_pad(hlo_rewriter *r, hlo_instr *pad) {
    hlo_instr *inner = hlo_operand(pad, 0);
    if (inner->opcode != HLO_OP_PAD || hlo_operand(inner, 1) != hlo_operand(pad, 1)) return NULL;
    const hlo_padding *outer = padding_of(pad);
    const hlo_padding *first = padding_of(inner);
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

/* Nothing lies between one element. */
hlo_instr *hlo_rewrite_pad_between_one(hlo_rewriter *r, hlo_instr *pad) {
    const hlo_padding *old = padding_of(pad);
    hlo_instr *a = hlo_operand(pad, 0);
    bool fits = false;
    for (uint32_t i = 0; i < old->n; i++) fits |= old->v[i].interior && a->shape->dims[i] == 1;
    if (!fits) return NULL;
    hlo_padding *plain = hlo_new_padding(r, old->n);
    for (uint32_t i = 0; i < old->n; i++) {
        plain->v[i] = old->v[i];
        if (a->shape->dims[i] == 1) plain->v[i].interior = 0;
    }
    return padded(r, pad->shape, a, hlo_operand(pad, 1), plain);
}

/* What pads here and cuts there pads first and is sliced then. */
hlo_instr *hlo_rewrite_pad_and_cut(hlo_rewriter *r, hlo_instr *pad) {
    const hlo_padding *old = padding_of(pad);
    const hlo_shape *from = hlo_operand(pad, 0)->shape;
    bool cuts = false, pads = false;
    if (!hlo_shape_elements(pad->shape)) return NULL;
    for (uint32_t i = 0; i < old->n; i++) {
        cuts |= old->v[i].low < 0 || old->v[i].high < 0;
        pads |= old->v[i].low > 0 || old->v[i].high > 0 || old->v[i].interior;
    }
    if (!cuts || !pads) return NULL;
    hlo_padding *plus = hlo_new_padding(r, old->n);
    hlo_slice *minus = hlo_new_slice(r, old->n);
    hlo_ints *sizes = hlo_ints_from(&r->module->arena, pad->shape->dims, old->n);
    for (uint32_t i = 0; i < old->n; i++) {
        int64_t low = old->v[i].low, high = old->v[i].high;
        plus->v[i] = old->v[i];
        if (low < 0) plus->v[i].low = 0;
        if (high < 0) plus->v[i].high = 0;
        sizes->v[i] += (low < 0 ? -low : 0) + (high < 0 ? -high : 0);
        minus->v[i].start = low < 0 ? -low : 0;
        minus->v[i].limit = minus->v[i].start + pad->shape->dims[i];
        minus->v[i].stride = 1;
    }
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)from->type, sizes->v, sizes->n);
    hlo_instr *larger = padded(r, shape, hlo_operand(pad, 0), hlo_operand(pad, 1), plus);
    return hlo_emit_slice(r, pad->shape, larger, minus);
}

/* Dimensions that are padded, in order; their number. */
static uint32_t padded_dims(const hlo_padding *padding, int64_t *dims) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < padding->n; i++)
        if (padding->v[i].low || padding->v[i].high || padding->v[i].interior) dims[n++] = i;
    return n;
}

/* A broadcast that makes all dimensions which are not padded comes after the pad: less is padded.
 */
hlo_instr *hlo_rewrite_pad_of_broadcast(hlo_rewriter *r, hlo_instr *pad) {
    const hlo_instr *broadcast = hlo_operand(pad, 0);
    const hlo_padding *old = padding_of(pad);
    if (broadcast->opcode != HLO_OP_BROADCAST || !hlo_has_one_user(broadcast)) return NULL;
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    hlo_ints *which = hlo_ints_new(&r->module->arena, old->n);
    hlo_ints *before = hlo_ints_new(&r->module->arena, old->n);
    hlo_ints *after = hlo_ints_new(&r->module->arena, old->n);
    hlo_ints *places = hlo_ints_new(&r->module->arena, dims->n);
    which->n = padded_dims(old, which->v);
    if (which->n == 0 || which->n == old->n) return NULL;
    hlo_padding *padding = hlo_new_padding(r, which->n);
    for (uint32_t i = 0; i < which->n; i++) {
        padding->v[i] = old->v[which->v[i]];
        before->v[i] = broadcast->shape->dims[which->v[i]];
        after->v[i] = pad->shape->dims[which->v[i]];
    }
    for (uint32_t k = 0; k < dims->n; k++) {
        uint32_t i = 0;
        while (i < which->n && which->v[i] != dims->v[k]) i++;
        if (i == which->n) return NULL;
        places->v[k] = i;
    }
    hlo_type type = (hlo_type)pad->shape->type;
    const hlo_shape *small = hlo_shape_of_sizes(r, type, before->v, which->n);
    const hlo_shape *large = hlo_shape_of_sizes(r, type, after->v, which->n);
    hlo_instr *inner =
        hlo_emit_broadcast(r, small, hlo_operand(broadcast, 0), places->v, places->n);
    hlo_instr *by = padded(r, large, inner, hlo_operand(pad, 1), padding);
    return hlo_emit_broadcast(r, pad->shape, by, which->v, which->n);
}
