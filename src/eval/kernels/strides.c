/* Strided walks and copies: see strides.h. Called by kernels. */
#include "eval/kernels/strides.h"

#include "base/pool.h"
#include "eval/kernels/move_kernels.h"

void hlo_walk_init(hlo_walk *walk, uint32_t arrays) {
    walk->arrays = arrays;
    walk->rank = 0;
    walk->empty = false;
    for (uint32_t k = 0; k < HLO_WALK_ARRAYS; k++) walk->at[k] = 0;
}

/* True when a step of the walk's last dimension is what `size` steps of the new one amount to. The
 * products overflow only for arrays that have no elements because of another dimension. */
static bool collapses(const hlo_walk *walk, int64_t size, const int64_t *strides) {
    int64_t span;
    if (!walk->rank || __builtin_mul_overflow(size, walk->size[walk->rank - 1], &span))
        return false;
    for (uint32_t k = 0; k < walk->arrays; k++)
        if (__builtin_mul_overflow(size, strides[k], &span) ||
            walk->stride[walk->rank - 1][k] != span)
            return false;
    return true;
}

void hlo_walk_dim(hlo_walk *walk, int64_t size, const int64_t *strides) {
    if (size <= 0) walk->empty = true;
    if (size <= 1) return;
    if (collapses(walk, size, strides)) {
        walk->rank--;
        size *= walk->size[walk->rank];
    }
    /* Beyond this rank there are 2^63 elements, unless a dimension of none is still to come. */
    if (walk->rank == HLO_WALK_RANK) {
        walk->empty = true;
        return;
    }
    walk->size[walk->rank] = size;
    for (uint32_t k = 0; k < walk->arrays; k++) walk->stride[walk->rank][k] = strides[k];
    walk->rank++;
}

void hlo_walk_dim1(hlo_walk *walk, int64_t size, int64_t a) {
    hlo_walk_dim(walk, size, (int64_t[HLO_WALK_ARRAYS]){a});
}

void hlo_walk_dim2(hlo_walk *walk, int64_t size, int64_t a, int64_t b) {
    hlo_walk_dim(walk, size, (int64_t[HLO_WALK_ARRAYS]){a, b});
}

void hlo_walk_dim3(hlo_walk *walk, int64_t size, int64_t a, int64_t b, int64_t c) {
    hlo_walk_dim(walk, size, (int64_t[HLO_WALK_ARRAYS]){a, b, c});
}

bool hlo_walk_start(hlo_walk *walk) {
    if (walk->empty) return false;
    walk->outer = walk->rank ? walk->rank - 1 : 0;
    walk->row = walk->rank ? walk->size[walk->outer] : 1;
    for (uint32_t k = 0; k < walk->arrays; k++)
        walk->row_stride[k] = walk->rank ? walk->stride[walk->outer][k] : 0;
    for (uint32_t d = 0; d < walk->outer; d++) walk->index[d] = 0;
    return true;
}

bool hlo_walk_next(hlo_walk *walk) {
    for (uint32_t d = walk->outer; d-- > 0;) {
        if (++walk->index[d] < walk->size[d]) {
            for (uint32_t k = 0; k < walk->arrays; k++) walk->at[k] += walk->stride[d][k];
            return true;
        }
        walk->index[d] = 0;
        for (uint32_t k = 0; k < walk->arrays; k++)
            walk->at[k] -= walk->stride[d][k] * (walk->size[d] - 1);
    }
    return false;
}

/* Of an array without elements products may overflow, and any strides will do. */
void hlo_row_major(const hlo_shape *shape, int64_t unit, int64_t *strides) {
    if (hlo_shape_elements(shape) <= 0) unit = 0;
    for (uint32_t d = shape->rank; d-- > 0;) {
        strides[d] = unit;
        unit *= shape->dims[d];
    }
}

int64_t *hlo_new_strides(const hlo_shape *shape, int64_t unit) {
    int64_t *strides = hlo_malloc(shape->rank * sizeof *strides);
    hlo_row_major(shape, unit, strides);
    return strides;
}

typedef void row_copier(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                        int64_t n);

/* A constant size lets the compiler make vector moves of the loop; a memcpy of a variable size
 * would be a call for every element. */
#define DEFINE_ROW_COPIER(bytes)                                                 \
    static void copy_row_##bytes(char *to, int64_t to_stride, const char *from,  \
                                 int64_t from_stride, int64_t n) {               \
        if (to_stride == (bytes) && from_stride == 0) {                          \
            const hlo_cell_##bytes value = *(const hlo_cell_##bytes *)from;      \
            for (int64_t i = 0; i < n; i++) ((hlo_cell_##bytes *)to)[i] = value; \
            return;                                                              \
        }                                                                        \
        for (int64_t i = 0; i < n; i++)                                          \
            *(hlo_cell_##bytes *)(to + i * to_stride) =                          \
                *(const hlo_cell_##bytes *)(from + i * from_stride);             \
    }
DEFINE_ROW_COPIER(1)
DEFINE_ROW_COPIER(2)
DEFINE_ROW_COPIER(4)
DEFINE_ROW_COPIER(8)
DEFINE_ROW_COPIER(16)

static row_copier *row_copier_of(uint32_t bytes) {
    return bytes == 1   ? copy_row_1
           : bytes == 2 ? copy_row_2
           : bytes == 4 ? copy_row_4
           : bytes == 8 ? copy_row_8
                        : copy_row_16;
}

/* Makes a dimension along which the source is contiguous the last but one, when the row is not such
 * a dimension itself: then pairs of dimensions can be copied in tiles. */
static bool pair_for_tiles(hlo_walk *walk, uint32_t bytes) {
    if (walk->rank < 2) return false;
    uint32_t last = walk->rank - 1;
    if (walk->stride[last][1] == bytes || walk->stride[last][1] == 0) return false;
    for (uint32_t d = last; d-- > 0;) {
        if (walk->stride[d][1] != bytes) continue;
        for (uint32_t e = d; e + 1 < last; e++) {
            int64_t size = walk->size[e];
            walk->size[e] = walk->size[e + 1];
            walk->size[e + 1] = size;
            for (uint32_t k = 0; k < 2; k++) {
                int64_t stride = walk->stride[e][k];
                walk->stride[e][k] = walk->stride[e + 1][k];
                walk->stride[e + 1][k] = stride;
            }
        }
        return true;
    }
    return false;
}

/* Rows of a tile are short enough that the lines of both arrays stay in the first cache. */
enum { TILE = 32 };

static void copy_tiles(hlo_walk *walk, char *to, const char *from, uint32_t bytes) {
    row_copier *copy_row = row_copier_of(bytes);
    uint32_t last = --walk->rank; /* the columns; the walk's row is the other side of the tiles */
    int64_t columns = walk->size[last];
    int64_t to_column = walk->stride[last][0], from_column = walk->stride[last][1];
    for (bool more = hlo_walk_start(walk); more; more = hlo_walk_next(walk)) {
        for (int64_t r0 = 0; r0 < walk->row; r0 += TILE) {
            int64_t r1 = r0 + TILE < walk->row ? r0 + TILE : walk->row;
            for (int64_t c0 = 0; c0 < columns; c0 += TILE) {
                int64_t n = c0 + TILE < columns ? TILE : columns - c0;
                for (int64_t r = r0; r < r1; r++)
                    copy_row(to + walk->at[0] + r * walk->row_stride[0] + c0 * to_column, to_column,
                             from + walk->at[1] + r * walk->row_stride[1] + c0 * from_column,
                             from_column, n);
            }
        }
    }
    walk->rank++;
}

void hlo_copy_row(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                  uint32_t bytes, int64_t n) {
    if (to_stride == bytes && from_stride == bytes) memcpy(to, from, (size_t)n * bytes);
    else row_copier_of(bytes)(to, to_stride, from, from_stride, n);
}

static void copy_rows(hlo_walk *walk, char *to, const char *from, uint32_t bytes) {
    for (bool more = hlo_walk_start(walk); more; more = hlo_walk_next(walk))
        hlo_copy_row(to + walk->at[0], walk->row_stride[0], from + walk->at[1], walk->row_stride[1],
                     bytes, walk->row);
}

/* ---- parts of a walk ---- */

int64_t hlo_walk_elements(const hlo_walk *walk) {
    int64_t count = !walk->empty;
    for (uint32_t d = 0; d < walk->rank; d++)
        if (__builtin_mul_overflow(count, walk->size[d], &count)) return INT64_MAX;
    return count;
}

uint32_t hlo_walk_longest(const hlo_walk *walk, uint32_t moving) {
    uint32_t longest = walk->rank;
    for (uint32_t d = 0; d < walk->rank; d++)
        if (walk->stride[d][moving] &&
            (longest == walk->rank || walk->size[d] > walk->size[longest]))
            longest = d;
    return longest;
}

void hlo_walk_part(hlo_walk *part, const hlo_walk *walk, uint32_t d, int64_t first, int64_t last) {
    part->arrays = walk->arrays;
    part->rank = walk->rank;
    part->empty = walk->empty || last <= first;
    for (uint32_t e = 0; e < walk->rank; e++) {
        part->size[e] = walk->size[e];
        for (uint32_t k = 0; k < walk->arrays; k++) part->stride[e][k] = walk->stride[e][k];
    }
    for (uint32_t k = 0; k < walk->arrays; k++)
        part->at[k] = walk->at[k] + (d < walk->rank ? first * walk->stride[d][k] : 0);
    if (d < walk->rank) part->size[d] = last - first;
}

typedef struct {
    const hlo_walk *walk;
    uint32_t dimension, bytes;
    bool in_tiles;
    char *to;
    const char *from;
} copy;

static void copy_part(void *context, int64_t first, int64_t last) {
    const copy *c = context;
    hlo_walk part;
    hlo_walk_part(&part, c->walk, c->dimension, first, last);
    (c->in_tiles ? copy_tiles : copy_rows)(&part, c->to, c->from, c->bytes);
}

void hlo_copy_walk(hlo_walk *walk, void *to, const void *from, uint32_t bytes) {
    enum { PIECE = 1 << 15 }; /* elements that one thread copies at a time */
    bool in_tiles = !walk->empty && pair_for_tiles(walk, bytes);
    uint32_t d = walk->rank;
    int64_t count = hlo_walk_elements(walk);
    if (count > PIECE) d = hlo_walk_longest(walk, 0);
    if (d == walk->rank) {
        (in_tiles ? copy_tiles : copy_rows)(walk, to, from, bytes);
        return;
    }
    /* Pieces of whole tiles: others would be cut at every border between threads. */
    int64_t grain = PIECE / (count / walk->size[d]);
    grain = grain < 1 ? 1 : (grain + TILE - 1) / TILE * TILE;
    copy c = {walk, d, bytes, in_tiles, to, from};
    hlo_parallel(walk->size[d], grain, copy_part, &c);
}

void hlo_fill_elements(void *to, const void *element, uint32_t bytes, int64_t count) {
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    hlo_walk_dim2(&walk, count, bytes, 0);
    hlo_copy_walk(&walk, to, element, bytes);
}

int64_t hlo_index_at(const hlo_value *value, int64_t element) {
    const hlo_type_info *type = &hlo_types[value->shape->type];
    const char *at = (const char *)value->data + element * type->bytes;
    uint64_t bits;
    switch (type->bytes) {
    case 1: bits = *(const hlo_cell_1 *)at; break;
    case 2: bits = *(const hlo_cell_2 *)at; break;
    case 4: bits = *(const hlo_cell_4 *)at; break;
    default: bits = *(const hlo_cell_8 *)at; break;
    }
    unsigned unused = 64 - 8 * (unsigned)type->bytes;
    if (type->class == HLO_CLASS_SIGNED) return (int64_t)(bits << unused) >> unused;
    return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}
