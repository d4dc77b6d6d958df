/* Keys: unsigned numbers in the order of elements, as wide as these, and elements from keys. */
#ifndef HLO_EVAL_KERNELS_SORT_KEYS_H
#define HLO_EVAL_KERNELS_SORT_KEYS_H

#include "eval/kernels/sort/order.h"

/* How elements of one type become keys. */
typedef struct {
    hlo_key_order by;
    uint32_t bytes; /* of a key as of an element */
    uint64_t mask;  /* integers: the bits that are flipped; floats: the same, once in order */
    bool is_float;
    uint64_t infinity; /* floats in plain order: what is above it has no key; else UINT64_MAX */
    /* Elements of a byte: the key of each, and the first element of each key. NULL: wider ones. */
    const uint8_t *ranks, *elements;
    const uint8_t *found;                  /* by element */
    const struct hlo_key_kernels *kernels; /* wider ones */
} hlo_keys;

/* What floats in a plain order have no different keys for. */
typedef enum { HLO_KEYS_NAN = 1, HLO_KEYS_MINUS_ZERO = 2 } hlo_keys_found;

/* `arena` holds tables. */
hlo_keys hlo_keys_of(const hlo_key_order *by, hlo_arena *arena);

/* Writes the keys of n elements; returns what was found: in a plain order the key of NaN is 0, that
 * of no number, and that of -0 is that of 0. */
unsigned hlo_keys_make(const hlo_keys *keys, const void *elements, void *to, size_t n);
/* Writes, of each key, an element that has it. */
void hlo_keys_restore(const hlo_keys *keys, const void *from, void *elements, size_t n);
/* The least key of n elements, with UINT64_MAX for none; adds to `found`. */
uint64_t hlo_keys_least(const hlo_keys *keys, const void *elements, size_t n, unsigned *found);

#endif
