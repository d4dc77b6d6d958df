/* Windows of operations that undo what a window did: cotangents slide where operands did. */
#ifndef HLO_PASSES_AUTODIFF_WINDOW_H
#define HLO_PASSES_AUTODIFF_WINDOW_H

#include "passes/autodiff/moves.h"

/* A copy to be changed, with n dimensions even where the attribute is absent. */
hlo_window *hlo_gradient_window(hlo_gradient *g, const hlo_instr *instr, uint32_t n);
/* The elements of an array, or of a window, stand so far apart; false on overflow. */
bool hlo_dilated_extent(int64_t size, int64_t dilation, int64_t *extent);
/* Of a window that made `output` elements of `input` ones, the one that goes back over the output's
 * cotangent, and adds to each element of the input what it was used for. Its elements stand in the
 * opposite order. Neither size is 0; false on overflow. */
bool hlo_window_turn(hlo_window_dim *dim, int64_t input, int64_t output);

/* One of the operands that a reduce-window combines by a separate operation. */
typedef struct {
    hlo_gradient *g;
    hlo_instr *instr;
    uint32_t operand, init; /* their numbers */
    hlo_instr *c;
    hlo_opcode opcode;
    bool is_empty; /* there are no elements or no windows */
} hlo_windowed;

/* By multiply. */
bool hlo_gradient_window_product(const hlo_windowed *w);
/* The cotangents `c` of windows over x where the windows have the elements that win every
 * comparison with `direction` against a later one. */
hlo_instr *hlo_gradient_scattered(hlo_gradient *g, hlo_instr *x, hlo_instr *c,
                                  const hlo_window *window, const char *direction);

#endif
