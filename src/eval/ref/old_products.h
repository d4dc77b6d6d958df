/* Operand packing for kernels of the old form: sort. To go with them. */
#ifndef HLO_EVAL_REF_OLD_PRODUCTS_H
#define HLO_EVAL_REF_OLD_PRODUCTS_H

#include "base/blocks.h"
#include "eval/ref/strides.h"

typedef struct {
    const char *data;
    void *copy; /* to be freed with hlo_block_free, or NULL */
} hlo_packed;

hlo_packed hlo_old_pack(const hlo_value *x, const uint32_t *order, hlo_type type);

#endif
