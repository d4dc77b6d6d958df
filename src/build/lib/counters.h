/* Numbers of 64 and 128 bits as numbers of 32 bits, the lowest first, and the two functions that
 * make random bits of counters. Private to src/build/lib. */
#ifndef HLO_BUILD_LIB_COUNTERS_H
#define HLO_BUILD_LIB_COUNTERS_H

#include "build/lib/matrices.h"

typedef struct {
    hlo_term v[4];
} hlo_lib_words;

void hlo_lib_split_u64(hlo_builder *b, hlo_term u64, hlo_term *low, hlo_term *high);
hlo_term hlo_lib_join_u64(hlo_builder *b, hlo_term low, hlo_term high);

/* 20 rounds of Threefry-2x32 with a key of two words. */
void hlo_lib_threefry(hlo_builder *b, const hlo_term input[2], const hlo_term key[2],
                      hlo_term output[2]);
/* 10 rounds of Philox-4x32 with a key of two words. */
hlo_lib_words hlo_lib_philox(hlo_builder *b, hlo_lib_words state, const hlo_term key[2]);

#endif
