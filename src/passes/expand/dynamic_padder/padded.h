/* Values without run-time sizes: what dynamic_padder makes of arrays with them. An array becomes
 * one of its bounds, and a scalar for each dimension: how much of it counts. Shared by the
 * files of this directory. */
#ifndef HLO_PASSES_EXPAND_DYNAMIC_PADDER_PADDED_H
#define HLO_PASSES_EXPAND_DYNAMIC_PADDER_PADDED_H

#include "passes/pipeline/expression.h"

/* Either `data` with sizes, or a tuple of `elements`. */
typedef struct hlo_padded {
    hlo_instr *data;   /* of a static shape; NULL: see elements */
    hlo_instr **sizes; /* s32[] by dimension; entries, or the list, NULL: as large as data */
    struct hlo_padded *const *elements;
    uint32_t n; /* elements */
} hlo_padded;

typedef struct hlo_padding_job hlo_padding_job; /* padder.c */

typedef struct {
    hlo_rewriter *r;
    hlo_diags *diags;
    hlo_arena arena; /* of padded values and jobs */
    hlo_padded *
        *known; /* by hlo_instr.index of the current computation; 0 is for new instructions */
    hlo_padding_job *jobs, *last_job, *unfinished;
} hlo_padder;

/* A rule makes the padded value of an instruction whose operands are known, before it; NULL after
 * an error. */
typedef hlo_padded *hlo_padding_rule(hlo_padder *p, hlo_instr *instr);

hlo_padding_rule hlo_pad_bitcast_convert, hlo_pad_broadcast, hlo_pad_concatenate,
    hlo_pad_convolution, hlo_pad_dot, hlo_pad_dynamic_reshape, hlo_pad_dynamic_slice,
    hlo_pad_dynamic_update_slice, hlo_pad_element, hlo_pad_elementwise, hlo_pad_gather,
    hlo_pad_get_dimension_size, hlo_pad_pad, hlo_pad_reduce, hlo_pad_reduce_window, hlo_pad_reshape,
    hlo_pad_reverse, hlo_pad_same, hlo_pad_scatter, hlo_pad_select_and_scatter,
    hlo_pad_set_dimension_size, hlo_pad_slice, hlo_pad_sort, hlo_pad_topk, hlo_pad_transpose,
    hlo_pad_tuple;

/* ---- values ---- */
/* The shape without dynamic marks. */
const hlo_shape *hlo_padded_shape(hlo_padder *p, const hlo_shape *shape);
/* `sizes` is copied; NULL, or entries that are NULL: static. */
hlo_padded *hlo_padded_new(hlo_padder *p, hlo_instr *data, hlo_instr *const *sizes);
hlo_padded *hlo_padded_tuple(hlo_padder *p, hlo_padded *const *elements, uint32_t n);
/* What is known of an operand, or the operand itself. */
hlo_padded *hlo_padded_operand(hlo_padder *p, const hlo_instr *instr, uint32_t i);
/* Element k of a tuple. */
hlo_padded *hlo_padded_element(hlo_padder *p, const hlo_padded *tuple, uint32_t k);
/* The same sizes for an array, or for every array of a tuple. */
hlo_padded *hlo_padded_results(hlo_padder *p, hlo_instr *made, hlo_instr *const *sizes);
/* Space for the sizes of a result of that rank, all static. */
hlo_instr **hlo_padded_sizes(hlo_padder *p, uint32_t rank);
static inline bool hlo_has_size(const hlo_padded *x, int64_t d) {
    return x->sizes && x->sizes[d];
}
/* s32[]: the run-time size, or a constant. */
hlo_instr *hlo_padded_size(hlo_padder *p, const hlo_padded *x, int64_t d);

/* ---- numbers of s32[] ---- */
hlo_instr *hlo_padded_number(hlo_padder *p, int64_t value);
/* The size between 0 and the bound; NULL when it is the bound. */
hlo_instr *hlo_padded_valid_size(hlo_padder *p, hlo_instr *size, int64_t bound);
/* `a opcode number`, in the type of a */
hlo_instr *hlo_padded_count(hlo_padder *p, hlo_opcode opcode, hlo_instr *a, int64_t number);

/* ---- sizes of results, at most `most`, by that of dimension d of x ---- */
bool hlo_window_keeps_all(const hlo_window_dim *w);
/* How many windows there are over the elements with their padding and dilation. */
hlo_instr *hlo_padded_windows(hlo_padder *p, const hlo_window_dim *w, const hlo_padded *x,
                              int64_t d, int64_t most);
/* How many of the elements start, start + stride ... lie inside. */
hlo_instr *hlo_padded_sliced(hlo_padder *p, const hlo_padded *x, int64_t d, int64_t start,
                             int64_t stride, int64_t most);
/* live + (live - 1) * interior, for live > 0, + low + high; at least 0. */
hlo_instr *hlo_padded_widened(hlo_padder *p, const hlo_padded *x, int64_t d,
                              const hlo_padding *padding, int64_t most);
/* s64[]: what `size` elements take when they stand `dilation` apart. */
hlo_instr *hlo_padded_dilated(hlo_padder *p, hlo_instr *size, int64_t dilation);
/* Whether s32 holds all of the numbers. */
bool hlo_fit_sizes(const __int128 *numbers, uint32_t n);

/* ---- masks ---- */
/* Which elements of an array of that shape lie inside the sizes, along the dimensions with
 * counts[d] (NULL: all); NULL when all do. */
hlo_instr *hlo_padded_live(hlo_padder *p, const hlo_shape *shape, hlo_instr *const *sizes,
                           const bool *counts);
/* x with the scalar `fill` in place of what lies outside. */
hlo_instr *hlo_padded_masked(hlo_padder *p, const hlo_padded *x, const bool *counts,
                             hlo_instr *fill);

/* An error at the instruction: `why` ends the sentence. NULL. */
hlo_padded *hlo_padding_refuse(hlo_padder *p, const hlo_instr *instr, const char *why);

#endif
