/* Sizes of results where dimensions are cut, padded or covered by windows: in s32, as sizes are,
 * unless steps on the way do not fit there. */
#include "passes/expand/dynamic_padder/padded.h"

bool hlo_fit_sizes(const __int128 *numbers, uint32_t n) {
    bool fit = true;
    for (uint32_t i = 0; i < n; i++) fit &= numbers[i] >= INT32_MIN && numbers[i] <= INT32_MAX;
    return fit;
}

static hlo_instr *wide(hlo_padder *p, hlo_instr *size) {
    return hlo_build_convert(p->r, size, HLO_S64);
}

static hlo_instr *clamp(hlo_padder *p, hlo_instr *low, hlo_instr *size, hlo_instr *high) {
    return hlo_emit(p->r, HLO_OP_CLAMP, size->shape, (hlo_instr *[]){low, size, high}, 3, NULL, 0);
}

/* How many steps of `stride` begin within `length` (s64) and `more` elements, at most `most`. No
 * sum exceeds these elements: a stride can be of any size. */
static hlo_instr *wide_steps(hlo_padder *p, hlo_instr *length, int64_t more, int64_t stride,
                             int64_t most) {
    hlo_instr *rest = hlo_padded_count(p, HLO_OP_ADD, length, more);
    rest = hlo_padded_count(p, HLO_OP_MAXIMUM, rest, 0);
    hlo_instr *whole = hlo_padded_count(p, HLO_OP_DIVIDE, rest, stride);
    hlo_instr *begun = hlo_padded_count(p, HLO_OP_REMAINDER, rest, stride);
    begun = hlo_padded_count(p, HLO_OP_MINIMUM, begun, 1);
    hlo_instr *steps = hlo_build_binary(p->r, HLO_OP_ADD, whole, begun);
    return hlo_build_convert(p->r, hlo_padded_count(p, HLO_OP_MINIMUM, steps, most), HLO_S32);
}

/* ---- windows ---- */

bool hlo_window_keeps_all(const hlo_window_dim *w) {
    return w->size == 1 && w->stride == 1 && w->pad_low == 0 && w->pad_high == 0 &&
           w->base_dilation == 1 && w->window_dilation == 1;
}

hlo_instr *hlo_padded_dilated(hlo_padder *p, hlo_instr *size, int64_t dilation) {
    HLO_ASSERT(dilation > 0);
    hlo_instr *length = wide(p, size);
    if (dilation == 1) return length;
    hlo_instr *before = hlo_padded_count(p, HLO_OP_SUBTRACT, length, 1);
    before = hlo_padded_count(p, HLO_OP_MAXIMUM, before, 0);
    before = hlo_padded_count(p, HLO_OP_MULTIPLY, before, dilation);
    hlo_instr *last = hlo_padded_count(p, HLO_OP_MINIMUM, length, 1);
    return hlo_build_binary(p->r, HLO_OP_ADD, before, last);
}

/* Shape inference knows that the array of the bound, dilated and padded, has less than 2^63
 * elements. */
static hlo_instr *wide_windows(hlo_padder *p, const hlo_window_dim *w, hlo_instr *live,
                               __int128 around, int64_t most) {
    __int128 more = around + 1;
    if (more < INT64_MIN) more = INT64_MIN; /* as well less than any length */
    hlo_instr *length = hlo_padded_dilated(p, live, w->base_dilation);
    return wide_steps(p, length, (int64_t)more, w->stride, most);
}

hlo_instr *hlo_padded_windows(hlo_padder *p, const hlo_window_dim *w, const hlo_padded *x,
                              int64_t d, int64_t most) {
    hlo_instr *last = x->sizes[d];
    if (hlo_window_keeps_all(w)) return last;
    __int128 around = (__int128)w->pad_low + w->pad_high;
    around -= (__int128)(w->size - 1) * w->window_dilation + 1;
    __int128 end = (__int128)x->data->shape->dims[d] * w->base_dilation,
             others = around + w->stride;
    const __int128 steps[] = {w->base_dilation, w->stride, end, others, end + others};
    if (!hlo_fit_sizes(steps, sizeof steps / sizeof *steps))
        return wide_windows(p, w, last, around, most);
    hlo_instr *low = hlo_padded_number(p, 0), *high = hlo_padded_number(p, most);
    if (w->base_dilation > 1) {
        last = hlo_padded_count(p, HLO_OP_MULTIPLY, last, w->base_dilation);
        last = hlo_padded_count(p, HLO_OP_SUBTRACT, last, w->base_dilation - 1);
        last = hlo_build_binary(p->r, HLO_OP_MAXIMUM, last, low);
    }
    last = hlo_padded_count(p, HLO_OP_ADD, last, (int64_t)others);
    last = hlo_padded_count(p, HLO_OP_DIVIDE, last, w->stride);
    return clamp(p, low, last, high);
}

/* ---- slice, pad ---- */

hlo_instr *hlo_padded_sliced(hlo_padder *p, const hlo_padded *x, int64_t d, int64_t start,
                             int64_t stride, int64_t most) {
    HLO_ASSERT(d >= 0 && d < x->data->shape->rank);
    hlo_instr *size = x->sizes[d];
    if (!hlo_fit_sizes(&(__int128){(__int128)x->data->shape->dims[d] + stride}, 1))
        return wide_steps(p, wide(p, size), -start, stride, most);
    hlo_instr *rest = start ? hlo_padded_count(p, HLO_OP_SUBTRACT, size, start) : size;
    if (stride > 1) {
        rest = hlo_padded_count(p, HLO_OP_ADD, rest, stride - 1);
        rest = hlo_padded_count(p, HLO_OP_DIVIDE, rest, stride);
    }
    hlo_instr *low = hlo_padded_number(p, 0), *high = hlo_padded_number(p, most);
    return clamp(p, low, rest, high);
}

/* From the size of the bound, `most`, down: each element that is not there takes its gap along, the
 * first one has none. */
static hlo_instr *wide_widened(hlo_padder *p, hlo_instr *size, int64_t bound, int64_t interior,
                               int64_t most) {
    if (bound == 0) return hlo_padded_number(p, most);
    hlo_instr *live = wide(p, size);
    int64_t apart = (interior < INT32_MAX ? interior : INT32_MAX) + 1; /* more than `most` */
    hlo_instr *missing = hlo_padded_count(p, HLO_OP_MAXIMUM, live, 1);
    missing = hlo_padded_count(p, HLO_OP_SUBTRACT, missing, bound);
    missing = hlo_padded_count(p, HLO_OP_MULTIPLY, missing, apart);
    hlo_instr *first = hlo_padded_count(p, HLO_OP_MINIMUM, live, 1);
    hlo_instr *all = hlo_build_binary(p->r, HLO_OP_ADD, missing, first);
    all = hlo_padded_count(p, HLO_OP_ADD, all, most - 1);
    return hlo_build_convert(p->r, hlo_padded_count(p, HLO_OP_MAXIMUM, all, 0), HLO_S32);
}

hlo_instr *hlo_padded_widened(hlo_padder *p, const hlo_padded *x, int64_t d,
                              const hlo_padding *padding, int64_t most) {
    HLO_ASSERT(d >= 0 && d < x->data->shape->rank);
    HLO_ASSERT(d >= 0 && d < padding->n);
    hlo_instr *live = x->sizes[d], *size = live;
    int64_t bound = x->data->shape->dims[d], interior = padding->v[d].interior;
    __int128 around = (__int128)padding->v[d].low + padding->v[d].high;
    __int128 end = bound + (bound ? (__int128)(bound - 1) * interior : 0);
    const __int128 steps[] = {interior, end, around, end + around};
    if (!hlo_fit_sizes(steps, sizeof steps / sizeof *steps))
        return wide_widened(p, live, bound, interior, most);
    if (interior) {
        hlo_instr *gaps = hlo_padded_count(p, HLO_OP_SUBTRACT, live, 1);
        gaps = hlo_padded_count(p, HLO_OP_MAXIMUM, gaps, 0);
        gaps = hlo_padded_count(p, HLO_OP_MULTIPLY, gaps, interior);
        size = hlo_build_binary(p->r, HLO_OP_ADD, size, gaps);
    }
    if (around) size = hlo_padded_count(p, HLO_OP_ADD, size, (int64_t)around);
    return around < 0 ? hlo_padded_count(p, HLO_OP_MAXIMUM, size, 0) : size;
}
