/* Arithmetic on words and Philox, for rng_expander and rng_bit_generator_expander. */
#ifndef HLO_PASSES_EXPAND_RANDOM_PARTS_H
#define HLO_PASSES_EXPAND_RANDOM_PARTS_H

#include "passes/pipeline/expression.h"

/* a + b. */
hlo_instr *hlo_random_sum(hlo_rewriter *r, hlo_instr *a, hlo_instr *b);

/* a xor b. */
hlo_instr *hlo_random_xor(hlo_rewriter *r, hlo_instr *a, hlo_instr *b);

/* Those stored bits with the shape of `a`. */
hlo_instr *hlo_random_like(hlo_rewriter *r, hlo_instr *a, uint64_t bits);

/* A scalar with the shape of `a`. */
hlo_instr *hlo_random_spread(hlo_rewriter *r, hlo_instr *scalar, const hlo_instr *a);

/* u32: the low 32 bits of words of u64. */
hlo_instr *hlo_low_words(hlo_rewriter *r, hlo_instr *wide);

/* u32: the high 32 bits of words of u64. */
hlo_instr *hlo_high_words(hlo_rewriter *r, hlo_instr *wide);

/* u64: words of which these are the low and the high 32 bits. */
hlo_instr *hlo_joined_words(hlo_rewriter *r, hlo_instr *low, hlo_instr *high);

/* The word of that number of a state, as a scalar. */
hlo_instr *hlo_state_word(hlo_rewriter *r, hlo_instr *state, int64_t number);

/* 0, 1, 2 ... of the sizes, in u64. */
hlo_instr *hlo_counters(hlo_rewriter *r, const int64_t *sizes, uint32_t rank);

/* `high`, plus one where `sum`, of which `low` is a term, has wrapped around. */
hlo_instr *hlo_high_sum(hlo_rewriter *r, hlo_instr *high, hlo_instr *sum, hlo_instr *low);

/* u32 or u64: all random words of the shape as one dimension; *used counters. A state of two words
 * is key and counter, one of three has the counter's high word too. */
hlo_instr *hlo_philox_words(hlo_rewriter *r, hlo_instr *state, const hlo_shape *shape,
                            int64_t *used);

#endif
