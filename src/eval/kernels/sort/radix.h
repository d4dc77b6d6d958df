/* Records in the order of their keys: stable, by digits from the lowest on, in pieces that threads
 * share. */
#ifndef HLO_EVAL_KERNELS_SORT_RADIX_H
#define HLO_EVAL_KERNELS_SORT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers that hold a key among their bits, or a key of 64 bits with something beside it. */
typedef enum { HLO_RECORD_16, HLO_RECORD_32, HLO_RECORD_64, HLO_RECORD_PLACED } hlo_record;

typedef struct {
    uint64_t key, place;
} hlo_placed_key;

static inline size_t hlo_record_bytes(hlo_record record) {
    return (size_t)2 << record;
}

/* At most so many records are sorted. */
#define HLO_MOST_RECORDS ((int64_t)UINT32_MAX)

/* Bytes of scratch memory that sorting n records takes besides `other`. */
size_t hlo_radix_scratch(int64_t n);

/* Sorts n records by `bits` bits of their keys from bit `first` on. `other` has memory for as many;
 * returns which of both has them in order. NULL when the pool was stopped. */
void *hlo_radix_sort(hlo_record record, void *records, void *other, int64_t n, unsigned first,
                     unsigned bits, void *scratch);

#endif
