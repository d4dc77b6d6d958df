/* Keys: unsigned numbers in the order of elements, as wide as these, and elements from keys. Called
 * by sort and topk. */
#ifndef HLO_EVAL_KERNELS_KEYS_H
#define HLO_EVAL_KERNELS_KEYS_H

#include "eval/kernels/order.h"

/* How elements of one type become keys. */
typedef struct {
    hlo_key_order by;
    uint32_t bytes; /* of a key as of an element */
    uint64_t mask;  /* integers: the bits that are flipped; floats: the same, once in order */
    bool is_float;
    uint64_t infinity; /* floats in plain order: what is above it has no key; else UINT64_MAX */
    /* Elements of a byte: the key of each, and the first element of each key. NULL: wider ones. */
    const uint8_t *ranks, *elements;
    const bool *has_rank; /* by element */
} hlo_keys;

/* `arena` holds tables. */
hlo_keys hlo_keys_of(const hlo_key_order *by, hlo_arena *arena);

/* Writes the keys of n elements. False when one of them has none (NaN in a plain order); all are
 * written even so. */
bool hlo_keys_make(const hlo_keys *keys, const void *elements, void *to, size_t n);
/* Writes, of each key, an element that has it. */
void hlo_keys_restore(const hlo_keys *keys, const void *from, void *elements, size_t n);

#endif
