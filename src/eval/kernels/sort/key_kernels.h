/* Loops over keys (keys.h) for each instruction set, compiled as lane functions are (lanes_isa.h).
 */
#ifndef HLO_EVAL_KERNELS_SORT_KEY_KERNELS_H
#define HLO_EVAL_KERNELS_SORT_KEY_KERNELS_H

#include "eval/kernels/sort/keys.h"

/* Of elements of one width; what they return or add to `found` is a hlo_keys_found. */
typedef struct hlo_key_kernels {
    unsigned (*make)(const hlo_keys *keys, const void *elements, void *to, size_t n);
    void (*restore)(const hlo_keys *keys, const void *from, void *elements, size_t n);
    /* The least key. */
    uint64_t (*least)(const hlo_keys *keys, const void *elements, size_t n, unsigned *found);
    /* Where from[i] < least[i] it takes its place, and `place` that of where[i], a number as wide.
     */
    void (*take_less)(const void *from, void *least, void *where, uint64_t place, size_t n);
} hlo_key_kernels;

/* Of 16, 32 and 64 bits. */
typedef struct hlo_key_set {
    hlo_key_kernels of[3];
} hlo_key_set;

/* That of the instruction set that kernels are made for now (isa.h). */
const hlo_key_set *hlo_key_chosen(void);

#endif
