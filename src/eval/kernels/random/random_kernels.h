/* Counter-based generators of random bits on many counters at once, for each instruction set:
 * random_kernels.c is compiled once for each one, as lane functions are (lanes_isa.h), and gives
 * the same bits in all. */
#ifndef HLO_EVAL_KERNELS_RANDOM_RANDOM_KERNELS_H
#define HLO_EVAL_KERNELS_RANDOM_RANDOM_KERNELS_H

#include <stdint.h>

enum { HLO_RANDOM_WORDS = 4, HLO_RANDOM_BLOCK = 256 };

/* Word w of counter k at [w][k]. */
typedef uint32_t hlo_random_words[HLO_RANDOM_WORDS][HLO_RANDOM_BLOCK];

/* The words of n counters from one on, at most HLO_RANDOM_BLOCK. (Salmon and others: Parallel
 * random numbers: as easy as 1, 2, 3; 2011.) */
typedef struct hlo_random_set {
    /* Threefry 2x32 with 20 rounds: two words */
    void (*threefry)(hlo_random_words words, uint64_t key, uint64_t counter, int64_t n);
    /* Philox 4x32 with 10 rounds: four words; the counter's low and high half */
    void (*philox)(hlo_random_words words, uint64_t key, uint64_t low, uint64_t high, int64_t n);
} hlo_random_set;

/* That of the instruction set that kernels are made for now (isa.h). */
const hlo_random_set *hlo_random_chosen(void);

#endif
