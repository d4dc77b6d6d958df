/* The order of the tables that are kept by array of the original program: origin_recovery_table,
 * debug_attributes. */
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

static void sort_keys(sort_key *keys, uint32_t n) {
    if (n) qsort(keys, n, sizeof *keys, compare_keys);
}

const hlo_recovery *hlo_recovery_sorted(hlo_arena *arena, const hlo_recovery *read) {
    size_t row_size = sizeof read->v[0];
    sort_key *keys = hlo_arena_alloc(arena, read->n * sizeof *keys);
    hlo_recovery *sorted = hlo_arena_zero(arena, sizeof *sorted + read->n * row_size);
    for (uint32_t i = 0; i < read->n; i++) keys[i] = (sort_key){read->v[i].from, i};
    sort_keys(keys, read->n);
    for (uint32_t i = 0; i < read->n; i++) {
        if (i && compare_arrays(keys[i - 1].from, keys[i].from) == 0) continue;
        memcpy(&sorted->v[sorted->n++], &read->v[keys[i].row], row_size);
    }
    return sorted;
}

bool hlo_origin_same_array(const hlo_origin *a, const hlo_origin *b) {
    return compare_arrays(a, b) == 0;
}

/* The last row of the array that row `i` is of. */
static uint32_t last_of_array(const sort_key *keys, uint32_t n, uint32_t i) {
    while (i + 1 < n && hlo_origin_same_array(keys[i].from, keys[i + 1].from)) i++;
    return i;
}

const hlo_debug_table *hlo_debug_sorted(hlo_arena *arena, const hlo_debug_table *read,
                                        bool is_text) {
    sort_key *keys = hlo_arena_alloc(arena, read->n * sizeof *keys);
    hlo_debug_table *sorted = hlo_arena_zero(arena, sizeof *sorted + read->n * sizeof read->v[0]);
    for (uint32_t i = 0; i < read->n; i++) keys[i] = (sort_key){read->v[i].array, i};
    sort_keys(keys, read->n);
    for (uint32_t i = 0, last = 0; i < read->n; i++) {
        if (i == 0 || i > last) last = last_of_array(keys, read->n, i);
        const hlo_debug_log *log = &read->v[keys[i].row];
        if (is_text && log->array != keys[last].from) continue;
        if (log->mode != HLO_DEBUG_NOTHING) sorted->v[sorted->n++] = *log;
    }
    return sorted;
}
