/* The inner parts of kernels that move elements, for each instruction set: move_kernels.c is
 * compiled once for each one, as lane functions are (lanes_isa.h). Elements are moved as bytes, 1,
 * 2, 4, 8 or 16 of them, whatever their type is. */
#ifndef HLO_EVAL_KERNELS_MOVES_MOVE_KERNELS_H
#define HLO_EVAL_KERNELS_MOVES_MOVE_KERNELS_H

#include <stdatomic.h>

#include "ir/types.h"

/* One component of n index vectors: integers of a type, `stride` elements from each other. A window
 * that starts at one of them fits up to `last`, and begins `unit` further for each. */
typedef struct {
    const void *indices;
    int64_t stride, last, unit;
} hlo_move_index;

/* Elements, or as many neighbours as make so many bytes, as they are moved: at any address. */
typedef uint8_t __attribute__((may_alias)) hlo_cell_1;
typedef uint16_t __attribute__((may_alias, aligned(1))) hlo_cell_2;
typedef uint32_t __attribute__((may_alias, aligned(1))) hlo_cell_4;
typedef uint64_t __attribute__((may_alias, aligned(1))) hlo_cell_8;
typedef struct {
    uint64_t low, high;
} __attribute__((may_alias, packed)) hlo_cell_16;
enum { HLO_CELLS = 5 };

/* Rows of fewer elements take longer to copy one by one than as a separate array. */
enum { HLO_SHORTEST_ROW = 8 };

/* The number of the cell of that many bytes, among the five. */
static inline uint32_t hlo_cell_number(uint32_t bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}

/* to[c][r] = from[r][c]: neighbours are elements of a row of `from`, and of a column in `to`. */
typedef struct {
    char *to;
    const char *from;
    int64_t to_stride, from_stride; /* bytes between columns, between rows */
    int64_t rows, columns;
    bool streams; /* stores go past the caches; `to` and its columns are aligned to 64 then */
} hlo_move_tile;

/* Results of so many bytes are not in the caches any more when they are read; tests set fewer. */
extern _Atomic int64_t hlo_stream_bytes;

static inline int64_t hlo_stream_least(void) {
    return atomic_load_explicit(&hlo_stream_bytes, memory_order_relaxed);
}

/* What was stored past the caches is seen by other threads. */
static inline void hlo_end_stream(void) {
#if defined __x86_64__
    __builtin_ia32_sfence();
#endif
}

/* Functions of cells are listed by hlo_cell_number; strides count bytes. */
typedef struct hlo_move_set {
    /* n cells at fixed distances. */
    void (*row[HLO_CELLS])(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                           int64_t n);
    /* n neighbours, and between each two of them the other cell. */
    void (*between[HLO_CELLS])(char *to, const char *from, const char *other, int64_t n);
    void (*transpose[HLO_CELLS])(const hlo_move_tile *tile);
    /* to[i] = from[i] where keeps[i] is 0, for i < n. */
    void (*replace[HLO_CELLS])(char *to, const char *from, const uint8_t *keeps, int64_t n);
    /* n rows of that many bytes. */
    void (*rows)(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t bytes,
                 int64_t n);
    /* A copy from cache to cache. Above 2 KiB memcpy may be one string instruction, which takes
     * several times as long while stores past the caches are under way. */
    void (*copy)(char *to, const char *from, int64_t bytes);
    /* A copy past the caches, or most of it. */
    void (*stream)(char *to, const char *from, int64_t bytes);
    /* starts[i] = first + i step */
    void (*count_up)(int64_t *starts, int64_t first, int64_t step, int64_t n);
    /* Whether all of them are at least `first` and less than `last`, neither of which is negative.
     */
    bool (*are_between)(const int64_t *starts, int64_t first, int64_t last, int64_t n);
    /* Adds to each start what the index, or the nearest one that fits, amounts to; the other adds
     * the index itself, and makes starts of windows that do not fit -1, which they stay. NULL for
     * types that are no integers. `last` is not negative when indices are clamped. */
    void (*add_clamped[HLO_TYPE_COUNT])(int64_t *starts, const hlo_move_index *index, int64_t n);
    void (*add_fitting[HLO_TYPE_COUNT])(int64_t *starts, const hlo_move_index *index, int64_t n);
} hlo_move_set;

/* That of the instruction set that kernels are made for now (isa.h). */
const hlo_move_set *hlo_move_chosen(void);

#endif
