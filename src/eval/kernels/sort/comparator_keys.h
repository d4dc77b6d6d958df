/* Comparators that order by keys: each key is one function of an element's values, taken on both
 * sides. */
#ifndef HLO_EVAL_KERNELS_SORT_COMPARATOR_KEYS_H
#define HLO_EVAL_KERNELS_SORT_COMPARATOR_KEYS_H

#include "eval/kernels/sort/order.h"

enum { HLO_MOST_KEYS = 8 };

typedef struct {
    hlo_key_order by;
    bool is_element; /* the key is the element of array `array` itself */
    bool has_array;  /* it is computed from that of array `array` alone */
    uint32_t array;
    uint32_t output; /* unless it is an element: of the program */
} hlo_sort_key;

typedef struct {
    uint32_t count;                  /* 0: the comparator is something else */
    hlo_sort_key key[HLO_MOST_KEYS]; /* the first that differs decides */
    /* Computes keys from inputs as the comparator has them, of which it reads only the even ones.
     * NULL: all are elements. */
    const hlo_scalar_program *program;
} hlo_sort_keys;

/* The keys by which the comparator, which takes two elements of each array in turn, orders. */
void hlo_find_sort_keys(hlo_preparation *p, hlo_computation *comparator, hlo_sort_keys *keys);

#endif
