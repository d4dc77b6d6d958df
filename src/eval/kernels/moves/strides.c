/* Strided walks: see strides.h; copies.c has the copies. */
#include "eval/kernel/strides.h"

#include "eval/kernels/moves/move_kernels.h"

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
        HLO_ASSERT(walk->rank > 0);
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
