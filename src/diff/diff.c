/* Two modules against each other: computations from the entries down, and what no call leads to. */
#include <stdlib.h>

#include "diff/diff.h"

/* ---- computations that no matched call leads to ---- */

/* Found by what it does or by its name; the other member is empty. */
typedef struct {
    hlo_str name;
    uint64_t body;
    hlo_computation *computation;
    uint32_t place;
} uncalled;

static int compare_keys(const uncalled *a, const uncalled *b) {
    return a->body != b->body ? (a->body < b->body ? -1 : 1) : hlo_str_compare(a->name, b->name);
}

static int by_key(const void *x, const void *y) {
    const uncalled *a = x, *b = y;
    int c = compare_keys(a, b);
    return c ? c : (a->place > b->place) - (a->place < b->place);
}

static uncalled *find_uncalled(const hlo_diff_side *side, bool by_name, uint32_t *n) {
    uncalled *list = hlo_calloc(side->module->computation_count + 1u, sizeof *list);
    *n = 0;
    for (hlo_computation *c = side->module->first; c; c = c->next) {
        if (side->met[c->id]) continue;
        uncalled one = {.computation = c, .place = *n};
        if (by_name) one.name = (hlo_str){c->name->ptr, c->name->len, 0};
        else one.body = side->body[c->id];
        list[(*n)++] = one;
    }
    qsort(list, *n, sizeof *list, by_key);
    return list;
}

/* Those that do the same, and then those of one name; of several the first of either module. */
static void pair_uncalled(hlo_diff *d, bool by_name) {
    uint32_t na, nb, i = 0, k = 0;
    uncalled *a = find_uncalled(&d->a, by_name, &na), *b = find_uncalled(&d->b, by_name, &nb);
    hlo_computation **first = hlo_calloc(na + 1u, sizeof(hlo_computation *));
    hlo_computation **second = hlo_calloc(na + 1u, sizeof(hlo_computation *));
    while (i < na && k < nb) {
        int c = compare_keys(&a[i], &b[k]);
        if (c == 0) first[a[i].place] = a[i].computation;
        if (c == 0) second[a[i].place] = b[k].computation;
        i += c <= 0;
        k += c >= 0;
    }
    for (uint32_t n = 0; n < na; n++) hlo_diff_pair_computations(d, first[n], second[n]);
    hlo_free(first);
    hlo_free(second);
    hlo_free(a);
    hlo_free(b);
}

/* ---- instructions ---- */

/* Instructions that moved into another computation, and kept their name and their looks. */
static void pair_moved(hlo_diff *d) {
    hlo_module *m = d->b.module;
    for (hlo_computation *c = m->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (d->b.met[c->id] && !hlo_diff_partner(&d->b, i)) ((hlo_name *)i->name)->bound = i;
    for (hlo_computation *c = d->a.module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (!d->a.met[c->id] || hlo_diff_partner(&d->a, i)) continue;
            const hlo_name *name =
                hlo_module_find_name(m, (hlo_str){i->name->ptr, i->name->len, 0});
            hlo_instr *same = name ? name->bound : NULL;
            if (same && !hlo_diff_partner(&d->b, same) && hlo_diff_looks_same(d, i, same))
                hlo_diff_pair_instrs(d, i, same);
        }
    hlo_module_forget_scratch(m);
}

static void count_pair(hlo_diff *d, const hlo_computation *a, const hlo_computation *b) {
    for (hlo_instr *i = a->first; i; i = i->next) {
        hlo_instr *partner = hlo_diff_partner(&d->a, i);
        if (!partner) d->removed++;
        else if (hlo_diff_compare(d, i, partner, NULL, NULL)) d->changed++;
    }
    for (hlo_instr *i = b->first; i; i = i->next) d->added += !hlo_diff_partner(&d->b, i);
}

static void count_all(hlo_diff *d) {
    d->changed = hlo_diff_compare_headers(d, NULL, NULL);
    for (uint32_t i = 0; i < d->pairs.n; i++) count_pair(d, d->pairs.v[i].a, d->pairs.v[i].b);
    for (hlo_computation *c = d->a.module->first; c; c = c->next)
        d->removed_computations += !d->a.met[c->id];
    for (hlo_computation *c = d->b.module->first; c; c = c->next)
        d->added_computations += !d->b.met[c->id];
}

static void match_pairs(hlo_diff *d, uint32_t *done) {
    for (; *done < d->pairs.n; ++*done) hlo_diff_match(d, d->pairs.v[*done].a, d->pairs.v[*done].b);
}

void hlo_diff_init(hlo_diff *d, hlo_module *a, hlo_module *b, hlo_diff_settings settings) {
    *d = (hlo_diff){.a = {.module = a}, .b = {.module = b}, .settings = settings};
    d->elides = a->elided.count || b->elided.count;
    hlo_diff_init_side(d, &d->a);
    hlo_diff_init_side(d, &d->b);
    hlo_module_forget_scratch(b);
    hlo_diff_pair_computations(d, a->entry, b->entry);
    uint32_t done = 0;
    match_pairs(d, &done);
    for (int by_name = 0; by_name < 2; by_name++) {
        pair_uncalled(d, by_name);
        match_pairs(d, &done);
    }
    pair_moved(d);
    match_pairs(d, &done);
    if (settings.schedule) hlo_diff_find_moved(d);
    count_all(d);
}

void hlo_diff_free(hlo_diff *d) {
    hlo_diff_free_side(&d->a);
    hlo_diff_free_side(&d->b);
    hlo_list_free(&d->pairs);
}
