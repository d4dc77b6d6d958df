/* Single elements as numbers, for the plain kernels: whatever the element type, a kernel loads,
 * computes in 64 bits and stores, which rounds or wraps once. */
#ifndef HLO_EVAL_REF_ELEMENT_H
#define HLO_EVAL_REF_ELEMENT_H

#include "eval/kernel/kernel.h"

/* Of an integer or pred both: `integer`, sign extended, and its nearest real number. Of floats and
 * complex numbers the parts, and `integer` is 0. */
typedef struct {
    uint64_t integer;
    double re, im;
} hlo_number;

/* Element `at` of an array. */
hlo_number hlo_load(hlo_type type, const void *data, int64_t at);
/* Sets it. Integers keep their low bits, pred is whether `integer` is not 0; floats are rounded as
 * by convert, and of a number without imaginary part `re` counts. */
void hlo_store(hlo_type type, void *data, int64_t at, hlo_number number);

static inline hlo_number hlo_load_from(const hlo_value *value, int64_t at) {
    return hlo_load((hlo_type)value->shape->type, value->data, at);
}
static inline void hlo_store_to(hlo_value *value, int64_t at, hlo_number number) {
    hlo_store((hlo_type)value->shape->type, value->data, at, number);
}

/* Copies an element's bits; both values are of one type. */
void hlo_copy_element(hlo_value *to, int64_t to_at, const hlo_value *from, int64_t from_at);

/* What operations on operands of two types, with results of a third, compute with. */
typedef enum { HLO_INTEGERS, HLO_REALS, HLO_COMPLEXES } hlo_numbers;
hlo_numbers hlo_numbers_of(hlo_type type);

/* *sum += a * b */
void hlo_add_product(hlo_numbers numbers, hlo_number *sum, hlo_number a, hlo_number b);
/* Stores a sum of such products: that of floats in an array of integers is truncated as by convert.
 */
void hlo_store_sum(hlo_numbers numbers, hlo_value *to, int64_t at, hlo_number sum);

#endif
