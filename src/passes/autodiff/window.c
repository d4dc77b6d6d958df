/* Windows that go back from results to operands: see window.h. */
#include "passes/autodiff/window.h"

hlo_window *hlo_gradient_window(hlo_gradient *g, const hlo_instr *instr, uint32_t n) {
    static const hlo_window_dim plain = {
        .size = 1, .stride = 1, .base_dilation = 1, .window_dilation = 1};
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    hlo_window *window =
        hlo_arena_zero(&g->r->module->arena, sizeof *window + n * sizeof window->v[0]);
    window->n = n;
    for (uint32_t i = 0; i < n; i++) window->v[i] = attr ? attr->u.window->v[i] : plain;
    return window;
}

bool hlo_dilated_extent(int64_t size, int64_t dilation, int64_t *extent) {
    return !__builtin_mul_overflow(size - 1, dilation, extent) &&
           !__builtin_add_overflow(*extent, 1, extent);
}

/* Window p reads what stands at p * stride + k * window dilation in the padded input, where element
 * q is at q * base dilation + low: the equation of the new window has the roles of the stride and
 * of the base dilation exchanged. */
bool hlo_window_turn(hlo_window_dim *dim, int64_t input, int64_t output) {
    hlo_window_dim old = *dim;
    int64_t window, base, dilated, whole, padded;
    dim->stride = old.base_dilation;
    dim->base_dilation = old.stride;
    return hlo_dilated_extent(old.size, old.window_dilation, &window) &&
           hlo_dilated_extent(input, old.base_dilation, &base) &&
           hlo_dilated_extent(output, old.stride, &dilated) &&
           !__builtin_add_overflow(base, window - 1, &whole) &&
           !__builtin_sub_overflow(window - 1, old.pad_low, &dim->pad_low) &&
           !__builtin_add_overflow(dilated, dim->pad_low, &padded) &&
           !__builtin_sub_overflow(whole, dilated, &whole) &&
           !__builtin_sub_overflow(whole, dim->pad_low, &dim->pad_high);
}
