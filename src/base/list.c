/* Growing of lists: see list.h. */
#include "base/list.h"

enum { LEAST = 16 };

void *hlo_list_enlarge(void *block, uint32_t *capacity, size_t wanted, size_t size) {
    if (wanted <= *capacity) return block;
    size_t more = 2 * (size_t)*capacity;
    if (more < LEAST) more = LEAST;
    if (more < wanted) more = wanted;
    if (more > UINT32_MAX) more = UINT32_MAX;
    if (wanted > UINT32_MAX || more > SIZE_MAX / size) hlo_out_of_memory(SIZE_MAX);
    block = hlo_realloc(block, more * size);
    *capacity = (uint32_t)more;
    return block;
}
