/* Families of leaves: see families.h. */
#include "eval/program/families.h"

static const hlo_family_list empty = {HLO_NO_CELL, HLO_NO_CELL};

void hlo_families_free(hlo_families *families) {
    hlo_list_free(&families->all);
    hlo_list_free(&families->cells);
}

uint32_t hlo_family_new(hlo_families *families) {
    uint32_t f = families->all.n;
    hlo_list_push(&families->all, (hlo_family){.parent = f, .buffers = empty, .arguments = empty});
    return f;
}

/* Shortens the way for the next time. */
hlo_family *hlo_family_of(hlo_families *families, uint32_t f) {
    HLO_ASSERT(f < families->all.n);
    hlo_family *v = families->all.v;
    while (v[f].parent != f) {
        v[f].parent = v[v[f].parent].parent;
        f = v[f].parent;
    }
    return &v[f];
}

/* ---- lists ---- */

static void join_families(hlo_families *families, hlo_family_list *to, hlo_family_list from) {
    HLO_ASSERT(from.last < families->cells.n || from.first == HLO_NO_CELL);
    if (from.first == HLO_NO_CELL) return;
    if (to->first == HLO_NO_CELL) to->first = from.first;
    else families->cells.v[to->last].next = from.first;
    to->last = from.last;
}

static void add(hlo_families *families, hlo_family_list *to, uint32_t value) {
    uint32_t cell = families->cells.n;
    hlo_list_push(&families->cells, (hlo_family_cell){value, HLO_NO_CELL});
    join_families(families, to, (hlo_family_list){cell, cell});
}

void hlo_family_add_buffer(hlo_families *families, uint32_t f, uint32_t buffer) {
    add(families, &hlo_family_of(families, f)->buffers, buffer);
}

void hlo_family_add_argument(hlo_families *families, uint32_t f, uint32_t leaf) {
    add(families, &hlo_family_of(families, f)->arguments, leaf);
}

void hlo_families_unite(hlo_families *families, uint32_t a, uint32_t b) {
    hlo_family *to = hlo_family_of(families, a), *from = hlo_family_of(families, b);
    if (to == from) return;
    from->parent = to->parent;
    to->holders += from->holders;
    to->is_fixed |= from->is_fixed;
    to->escapes |= from->escapes;
    join_families(families, &to->buffers, from->buffers);
    join_families(families, &to->arguments, from->arguments);
}
