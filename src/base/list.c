/* Growing of lists: see list.h. */
#include "base/list.h"

enum { LEAST = 16, LEAST_IN_ARENA = 8 };

void *hlo_list_enlarge(void *block, uint32_t *capacity, size_t wanted, size_t size) {
    if (wanted <= *capacity) return block;
    size_t more = 2 * (size_t)*capacity;
    HLO_ASSERT(size > 0 && (block || !*capacity));
    if (more < LEAST) more = LEAST;
    if (more < wanted) more = wanted;
    if (more > UINT32_MAX) more = UINT32_MAX;
    if (wanted > UINT32_MAX || more > SIZE_MAX / size) hlo_out_of_memory(SIZE_MAX);
    block = hlo_realloc(block, more * size);
    *capacity = (uint32_t)more;
    return block;
}

void *hlo_list_enlarge_in(hlo_arena *arena, const void *block, uint32_t n, uint32_t *capacity,
                          size_t size) {
    HLO_ASSERT(size > 0 && n <= *capacity);
    size_t more = n < LEAST_IN_ARENA / 2 ? LEAST_IN_ARENA : 2 * (size_t)n;
    if (more > UINT32_MAX || more > SIZE_MAX / size) hlo_out_of_memory(SIZE_MAX);
    HLO_ASSERT(more > n);
    void *larger = hlo_arena_alloc(arena, more * size);
    if (n) memcpy(larger, block, n * size);
    *capacity = (uint32_t)more;
    return larger;
}

int hlo_by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}
