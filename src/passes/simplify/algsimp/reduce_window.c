/* algsimp: reductions of windows. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

/* The windows of one array that are combined by one operation, beginning with its neutral element;
 * NULL for others. */
static const hlo_window *window_of(const hlo_instr *reduce) {
    const hlo_attr *window = hlo_instr_attr(reduce, HLO_ATTR_WINDOW);
    if (reduce->operand_count != 2 || !window) return NULL;
    hlo_opcode opcode = hlo_binary_computation(hlo_called(reduce, 0));
    bool neutral = opcode != HLO_OP_COUNT && hlo_is_neutral(opcode, hlo_operand(reduce, 1)) &&
                   hlo_operand(reduce, 0)->shape->type == reduce->shape->type;
    return neutral ? window->u.window : NULL;
}

/* Combining an element with the initial value gives that element. */
static bool keeps_elements(const hlo_rewriter *r, const hlo_instr *reduce) {
    hlo_opcode opcode = hlo_binary_computation(hlo_called(reduce, 0));
    return hlo_is_exactly_neutral(opcode, hlo_operand(reduce, 1)) || hlo_is_fast_math(r) ||
           (opcode == HLO_OP_ADD && hlo_is_never_negative_zero(hlo_operand(reduce, 0)));
}

static bool is_trivial_window(const hlo_window *window) {
    for (uint32_t i = 0; i < window->n; i++) {
        const hlo_window_dim *d = &window->v[i];
        if (d->size != 1 || d->stride != 1 || d->pad_low || d->pad_high || d->base_dilation != 1)
            return false;
    }
    return true;
}

/* Windows of one element each. */
hlo_instr *hlo_rewrite_reduce_window_nothing(hlo_rewriter *r, hlo_instr *reduce) {
    const hlo_window *window = window_of(reduce);
    return window && is_trivial_window(window) && keeps_elements(r, reduce) ? hlo_operand(reduce, 0)
                                                                            : NULL;
}

/* ---- windows of one element ---- */

/* The window only has strides: a slice. */
hlo_instr *hlo_rewrite_reduce_window_to_slice(hlo_rewriter *r, hlo_instr *reduce) {
    const hlo_window *window = window_of(reduce);
    bool steps = false;
    if (!window || !hlo_shape_elements(reduce->shape) || !keeps_elements(r, reduce)) return NULL;
    for (uint32_t i = 0; i < window->n; i++) {
        const hlo_window_dim *d = &window->v[i];
        if (d->size != 1 || d->pad_low || d->pad_high || d->base_dilation != 1) return NULL;
        steps |= d->stride != 1;
    }
    if (!steps) return NULL;
    hlo_slice *slice = hlo_new_whole_slice(r, hlo_operand(reduce, 0)->shape);
    for (uint32_t i = 0; i < window->n; i++) slice->v[i].stride = window->v[i].stride;
    return hlo_emit_slice(r, reduce->shape, hlo_operand(reduce, 0), slice);
}

/* The window only has padding and base dilation: a pad. */
hlo_instr *hlo_rewrite_reduce_window_to_pad(hlo_rewriter *r, hlo_instr *reduce) {
    const hlo_window *window = window_of(reduce);
    bool pads = false;
    if (!window || !keeps_elements(r, reduce)) return NULL;
    for (uint32_t i = 0; i < window->n; i++) {
        const hlo_window_dim *d = &window->v[i];
        if (d->size != 1 || d->stride != 1) return NULL;
        pads |= d->pad_low || d->pad_high || d->base_dilation != 1;
    }
    if (!pads) return NULL;
    hlo_padding *padding = hlo_new_padding(r, window->n);
    for (uint32_t i = 0; i < window->n; i++) {
        padding->v[i].low = window->v[i].pad_low;
        padding->v[i].high = window->v[i].pad_high;
        padding->v[i].interior = window->v[i].base_dilation - 1;
    }
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    hlo_instr *operands[] = {hlo_operand(reduce, 0), hlo_operand(reduce, 1)};
    return hlo_emit(r, HLO_OP_PAD, reduce->shape, operands, 2, &attr, 1);
}

/* ---- one window ---- */

/* In every dimension one window over everything, or windows of one element. */
hlo_instr *hlo_rewrite_reduce_window_to_reduce(hlo_rewriter *r, hlo_instr *reduce) {
    const hlo_window *window = window_of(reduce);
    const hlo_shape *from = hlo_operand(reduce, 0)->shape;
    uint32_t n = 0, left = 0;
    if (!window) return NULL;
    hlo_ints *dims = hlo_ints_new(&r->module->arena, window->n);
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, window->n);
    for (uint32_t i = 0; i < window->n; i++) {
        const hlo_window_dim *d = &window->v[i];
        if (d->pad_low || d->pad_high || d->base_dilation != 1 || d->window_dilation != 1)
            return NULL;
        bool whole = d->size == from->dims[i] && d->size > 1;
        if (!whole && (d->size != 1 || d->stride != 1)) return NULL;
        if (whole) dims->v[n++] = i;
        else sizes->v[left++] = from->dims[i];
    }
    if (n == 0) return NULL;
    dims->n = n;
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)from->type, sizes->v, left);
    hlo_instr *once = hlo_emit_reduce(r, shape, hlo_operand(reduce, 0), hlo_operand(reduce, 1),
                                      dims, hlo_called(reduce, 0));
    return hlo_emit_unary(r, HLO_OP_RESHAPE, reduce->shape, once);
}

/* ---- padding ---- */

/* Padding by what changes nothing is the window's. */
hlo_instr *hlo_rewrite_reduce_window_of_pad(hlo_rewriter *r, hlo_instr *reduce) {
    const hlo_window *old = window_of(reduce);
    const hlo_instr *pad = hlo_operand(reduce, 0);
    if (!old || pad->opcode != HLO_OP_PAD || !hlo_shape_elements(hlo_operand(pad, 0)->shape))
        return NULL;
    if (!hlo_changes_nothing(hlo_binary_computation(hlo_called(reduce, 0)), hlo_operand(pad, 1),
                             hlo_operand(reduce, 1)))
        return NULL;
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    hlo_window *window =
        hlo_arena_copy(&r->module->arena, old, sizeof *old + old->n * sizeof old->v[0]);
    for (uint32_t i = 0; i < window->n; i++) {
        hlo_window_dim *d = &window->v[i];
        if (padding->v[i].low < 0 || padding->v[i].high < 0 || padding->v[i].interior) return NULL;
        if (d->base_dilation != 1 && (padding->v[i].low || padding->v[i].high)) return NULL;
        if (__builtin_add_overflow(d->pad_low, padding->v[i].low, &d->pad_low)) return NULL;
        if (__builtin_add_overflow(d->pad_high, padding->v[i].high, &d->pad_high)) return NULL;
    }
    hlo_instr *by = hlo_emit_with_operand(r, reduce, 0, hlo_operand(pad, 0));
    hlo_instr_set_attr(by, (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = window});
    return by;
}
