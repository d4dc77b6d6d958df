/* Equivalence classes of instructions: see equivalence.h. */
#include "analysis/equivalence.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b) {
    const hlo_class_member *x = a, *y = b;
    int order = compare(x->key, y->key);
    return order ? order : compare(x->instr->index, y->instr->index);
}

static int by_group(const void *a, const void *b) {
    const hlo_class_member *x = a, *y = b;
    int order = compare(x->first, y->first);
    if (!order) order = compare(x->side, y->side);
    return order ? order : by_key(a, b);
}

size_t hlo_class_end(const hlo_class_member *v, size_t n, size_t from) {
    HLO_ASSERT(from < n);
    size_t end = from + 1;
    while (end < n && v[end].key == v[from].key && v[end].first == v[from].first &&
           v[end].side == v[from].side)
        end++;
    return end;
}

void hlo_classes_sort(hlo_class_member *v, size_t n, hlo_equivalence *same) {
    if (n) qsort(v, n, sizeof *v, by_key);
    for (size_t from = 0, i = 0; i < n; i++) {
        if (v[i].key != v[from].key || !same(&v[from], &v[i])) from = i;
        v[i].first = v[from].instr->index;
    }
    if (n) qsort(v, n, sizeof *v, by_group);
}
