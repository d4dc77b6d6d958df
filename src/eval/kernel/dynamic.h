/* Dimensions whose sizes are known at run time only: what an operation makes of its operands'
 * sizes, by the rules of XLA's dynamic padder, and what it refuses. */
#ifndef HLO_EVAL_KERNEL_DYNAMIC_H
#define HLO_EVAL_KERNEL_DYNAMIC_H

#include "eval/kernel/kernel.h"
#include "eval/kernel/strides.h"

/* Whether the operand has fewer elements than its shape along dimension d. */
static inline bool hlo_is_short(const hlo_value *operand, uint32_t d) {
    HLO_ASSERT(d < operand->shape->rank);
    return operand->sizes && operand->sizes[d] != operand->shape->dims[d];
}

/* Whether an operand has sizes of a run. */
static inline bool hlo_call_has_sizes(const hlo_call *call) {
    for (uint32_t i = 0; i < call->count; i++)
        if (call->in[i]->sizes) return true;
    return false;
}

/* Reports operand i's dimension d, whose run-time size the operation cannot take: `why` ends the
 * sentence. False. */
bool hlo_refuse_short(const hlo_call *call, uint32_t i, uint32_t d, const char *why);
/* Whether every operand has all the elements of its shape; if not, reports it. For operations that
 * have no meaning on run-time sizes. */
bool hlo_operands_are_full(const hlo_call *call);

/* The length of dimension d of a padded array that has `live` elements there. */
int64_t hlo_size_when_padded(const hlo_padding *padding, uint32_t d, int64_t live);
/* How many windows a dimension of `live` elements has, with its padding and dilation; at most
 * `bound`. */
int64_t hlo_windows_of_live(const hlo_window_dim *dim, int64_t live, int64_t bound);
/* The result's sizes, of a reduction over windows and of one over dimensions of `x`. */
void hlo_set_windowed_sizes(hlo_value *out, const hlo_value *x, const hlo_window *window);
void hlo_set_reduced_sizes(hlo_value *out, const hlo_value *x, const bool *is_reduced);
/* What dynamic-slice and convolution refuse: a part of a shorter dimension, since how much of it
 * would be there is not defined; a shorter dimension of the kernel, whose window has a fixed size.
 * Along the features of a convolution what is missing takes no part. False after reporting it. */
bool hlo_check_slice_sizes(const hlo_call *call);
bool hlo_check_convolution_sizes(const hlo_call *call, const hlo_dim_labels *labels,
                                 bool batch_groups);
/* Whether a batch of a dot, dimension l of operand 0 and r of operand 1, has one size when both
 * mark it as dynamic; if not, reports it. */
bool hlo_check_batch_size(const hlo_call *call, uint32_t l, uint32_t r);
/* The result's sizes: as many batches as the input has, as many places as there are windows;
 * `window` is that of the instruction, with as many dimensions as the labels are of. */
void hlo_set_convolution_sizes(const hlo_call *call, const hlo_dim_labels *labels,
                               const hlo_window_dim *window);

/* The result's sizes: `total` along the dimension, and along others those of the last operand that
 * is dynamic there. */
void hlo_set_concatenated_sizes(const hlo_call *call, uint32_t dimension, int64_t total);

/* The run-time sizes of an elementwise result, allocated, or NULL when no operand has any. Where
 * operands differ the smallest counts, but a size of 1 stretches. Scalars among arrays do not
 * count. */
int64_t *hlo_joint_sizes(const hlo_call *call);
/* The operands, retained, or copies whose dimensions of size 1 are stretched to `sizes` (NULL: no
 * operand has any). False, and nothing is retained, when there is no memory for a copy. */
bool hlo_stretch_operands(const hlo_call *call, const int64_t *sizes, hlo_value **operands);
/* The operand, retained, or a copy that has zeros in the place of elements beyond its run-time
 * sizes. NULL when there is no memory for a copy. */
hlo_value *hlo_zero_extended(const hlo_call *call, hlo_value *operand);
/* Which elements of an array along dimension d: `size` of them from `first` on. */
typedef struct {
    int64_t first, size;
} hlo_part;
typedef hlo_part hlo_part_of(const void *context, const hlo_value *x, uint32_t d);
/* The same for elements outside a part. */
hlo_value *hlo_zero_outside(const hlo_call *call, hlo_value *operand, hlo_part_of *part_of,
                            const void *context);
/* Copies a part between arrays of one shape. */
void hlo_copy_part(hlo_value *to, const hlo_value *from, hlo_part_of *part_of, const void *context);
/* The live elements of x, in row-major order, become those of `out`. */
void hlo_repack(hlo_value *out, const hlo_value *x);

#endif
