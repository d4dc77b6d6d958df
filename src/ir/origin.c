/* The order of an origin_recovery_table. Called by readers of modules. */
#include <stdlib.h>

#include "ir/attrs.h"

static int compare_index(const hlo_ints *a, const hlo_ints *b) {
    uint32_t n = a ? a->n : 0, m = b ? b->n : 0;
    for (uint32_t i = 0; i < n && i < m; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return (n > m) - (n < m);
}

static int compare_arrays(const hlo_origin *a, const hlo_origin *b) {
    int names = hlo_str_compare(a->name, b->name);
    return names ? names : compare_index(a->index, b->index);
}

typedef struct {
    const hlo_origin *from;
    uint32_t row;
} sort_key;

static int compare_keys(const void *a, const void *b) {
    const sort_key *x = a, *y = b;
    int order = compare_arrays(x->from, y->from);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

const hlo_recovery *hlo_recovery_sorted(hlo_arena *arena, const hlo_recovery *read) {
    size_t row_size = sizeof read->v[0];
    sort_key *keys = hlo_arena_alloc(arena, read->n * sizeof *keys);
    hlo_recovery *sorted = hlo_arena_zero(arena, sizeof *sorted + read->n * row_size);
    for (uint32_t i = 0; i < read->n; i++) keys[i] = (sort_key){read->v[i].from, i};
    if (read->n) qsort(keys, read->n, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < read->n; i++) {
        if (i && compare_arrays(keys[i - 1].from, keys[i].from) == 0) continue;
        memcpy(&sorted->v[sorted->n++], &read->v[keys[i].row], row_size);
    }
    return sorted;
}
