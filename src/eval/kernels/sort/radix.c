/* Radix sort: see radix.h. */
#include "eval/kernels/sort/radix.h"

#include <string.h>

#include "base/pool.h"

/* Digits of many records, of fewer ones; up to how many are fewer, and few enough to be inserted.
 */
enum { WIDE = 11, NARROW = 8, FEWER = 1 << 13, FEW = 24 };

/* Many records are sorted in pieces. */
enum { PIECE = 1 << 16, MOST_PIECES = 16 };

/* One digit of all records. */
typedef struct {
    const void *from;
    void *to;
    int64_t n, step, pieces; /* step: records of a piece */
    unsigned shift;
    int64_t digits;   /* how many there are */
    uint32_t *counts; /* by piece and digit, then the places of the next ones */
} digit_pass;

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(word) JOIN(word, SUFFIX)

#define RECORD uint16_t
#define KEY(r) ((uint64_t)(r))
#define SUFFIX 16
#include "eval/kernels/sort/radix.inc"

#define RECORD uint32_t
#define KEY(r) (r)
#define SUFFIX 32
#include "eval/kernels/sort/radix.inc"

#define RECORD uint64_t
#define KEY(r) (r)
#define SUFFIX 64
#include "eval/kernels/sort/radix.inc"

#define RECORD hlo_placed_key
#define KEY(r) ((r).key)
#define SUFFIX placed
#include "eval/kernels/sort/radix.inc"

typedef struct {
    hlo_range_body *count, *move;
    void (*insert)(void *records, int64_t n, unsigned shift);
} functions;

static const functions functions_of[] = {
    [HLO_RECORD_16] = {count_16, move_16, insert_16},
    [HLO_RECORD_32] = {count_32, move_32, insert_32},
    [HLO_RECORD_64] = {count_64, move_64, insert_64},
    [HLO_RECORD_PLACED] = {count_placed, move_placed, insert_placed}};

static int64_t pieces_of(int64_t n) {
    int64_t pieces = n / PIECE;
    return pieces < 2 ? 1 : pieces > MOST_PIECES ? MOST_PIECES : pieces;
}

size_t hlo_radix_scratch(int64_t n) {
    return (size_t)pieces_of(n) * sizeof(uint32_t) << (n > FEWER ? WIDE : NARROW);
}

/* Counts become places; false when all records have the same digit. */
static bool place_digits(const digit_pass *d) {
    uint32_t place = 0;
    for (int64_t digit = 0; digit < d->digits; digit++) {
        uint32_t before = place;
        for (int64_t p = 0; p < d->pieces; p++) {
            uint32_t *at = &d->counts[p * d->digits + digit], count = *at;
            *at = place;
            place += count;
        }
        if (place - before == d->n) return false;
    }
    return true;
}

void *hlo_radix_sort(hlo_record record, void *records, void *other, int64_t n, unsigned first,
                     unsigned bits, void *scratch) {
    HLO_ASSERT(n >= 0);
    HLO_ASSERT(record < sizeof functions_of / sizeof *functions_of);
    const functions *f = &functions_of[record];
    if (n <= FEW) {
        f->insert(records, n, first);
        return records;
    }
    unsigned widest = n > FEWER ? WIDE : NARROW, passes = (bits + widest - 1) / widest;
    unsigned digit_bits = (bits + passes - 1) / passes;
    digit_pass d = {
        .from = records, .to = other, .n = n, .counts = scratch, .pieces = pieces_of(n)};
    d.step = (n + d.pieces - 1) / d.pieces;
    for (unsigned at = 0; at < bits; at += digit_bits) {
        d.shift = first + at;
        d.digits = INT64_C(1) << (bits - at < digit_bits ? bits - at : digit_bits);
        hlo_parallel(d.pieces, 1, f->count, &d);
        if (hlo_pool_is_stopped()) return NULL;
        if (!place_digits(&d)) continue;
        hlo_parallel(d.pieces, 1, f->move, &d);
        if (hlo_pool_is_stopped()) return NULL;
        void *sorted = d.to;
        d.to = (void *)d.from;
        d.from = sorted;
    }
    return (void *)d.from;
}
