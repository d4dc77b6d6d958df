/* Multi-indices: see index.h. */
#include "eval/ref/index.h"

hlo_indices hlo_prepare_indices(hlo_preparation *p, uint32_t count, uint32_t rank) {
    return (hlo_indices){rank, hlo_prepare_scratch(p, (size_t)count * rank * sizeof(int64_t))};
}

int64_t *hlo_index(const hlo_call *call, hlo_indices indices, uint32_t i) {
    return (int64_t *)((char *)call->scratch + indices.at) + (size_t)i * indices.rank;
}

bool hlo_first_index(uint32_t rank, const int64_t *sizes, int64_t *index) {
    bool is_any = true;
    for (uint32_t d = 0; d < rank; d++) {
        index[d] = 0;
        is_any = is_any && sizes[d] > 0;
    }
    return is_any;
}

bool hlo_next_index(uint32_t rank, const int64_t *sizes, int64_t *index) {
    for (uint32_t d = rank; d-- > 0;) {
        if (++index[d] < sizes[d]) return true;
        index[d] = 0;
    }
    return false;
}

bool hlo_is_inside(uint32_t rank, const int64_t *sizes, const int64_t *index) {
    for (uint32_t d = 0; d < rank; d++)
        if (index[d] < 0 || index[d] >= sizes[d]) return false;
    return true;
}

int64_t hlo_offset_of(uint32_t rank, const int64_t *sizes, const int64_t *index) {
    int64_t offset = 0;
    for (uint32_t d = 0; d < rank; d++) offset = offset * sizes[d] + index[d];
    return offset;
}
