/* Two modules against each other: computations from the entries down, and what no call leads to. */
#include "diff/diff.h"

/* Computations that no matched call leads to: those that do the same, and then those of one name.
 */
static void pair_uncalled(hlo_diff *d, bool by_name) {
    for (hlo_computation *a = d->a.module->first; a; a = a->next) {
        if (d->a.met[a->id]) continue;
        for (hlo_computation *b = d->b.module->first; b; b = b->next) {
            bool fits =
                by_name ? hlo_same_name(a->name, b->name) : d->a.body[a->id] == d->b.body[b->id];
            if (d->b.met[b->id] || !fits) continue;
            hlo_diff_pair_computations(d, a, b);
            break;
        }
    }
}

/* Instructions that moved into another computation, and kept their name. */
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
            if (same && !hlo_diff_partner(&d->b, same)) hlo_diff_pair_instrs(d, i, same);
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
