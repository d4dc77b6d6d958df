/* What moved in a schedule: in every pair of computations, the fewest instructions without which
 * the others stand in one order on both sides. */
#include "diff/diff.h"

/* Instructions of `a` whose partner is in `b`, and the place of each among b's. */
typedef struct {
    const hlo_diff_side *a, *b;
    hlo_instr **instrs;
    uint32_t n;
} kept;

static kept find_kept(const hlo_diff *d, const hlo_computation *a, const hlo_computation *b) {
    kept k = {&d->a, &d->b, hlo_calloc(a->instr_count + 1, sizeof(hlo_instr *)), 0};
    for (hlo_instr *i = a->first; i; i = i->next) {
        const hlo_instr *partner = hlo_diff_partner(&d->a, i);
        if (partner && partner->parent == b) k.instrs[k.n++] = i;
    }
    return k;
}

static uint32_t place(const kept *k, uint32_t i) {
    HLO_ASSERT(i < k->n);
    return hlo_diff_partner(k->a, k->instrs[i])->index;
}

/* How many of tails[0..n) end before the place: the tails of increasing sequences by length. */
static uint32_t longest_before(const kept *k, const uint32_t *tails, uint32_t n, uint32_t at) {
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = low + (n - low) / 2;
        if (place(k, tails[middle]) < at) low = middle + 1;
        else n = middle;
    }
    return low;
}

/* Clears `moved` of the longest sequence that kept its order. */
static void clear_longest(const kept *k, bool *moved) {
    uint32_t *tails = hlo_calloc(k->n + 1, sizeof *tails);
    uint32_t *before = hlo_calloc(k->n + 1, sizeof *before), longest = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t at = longest_before(k, tails, longest, place(k, i));
        before[i] = at ? tails[at - 1] : i;
        tails[at] = i;
        if (at == longest) longest++;
    }
    for (uint32_t i = longest ? tails[longest - 1] : 0; longest > 0; longest--, i = before[i])
        moved[hlo_diff_number(k->a, k->instrs[i])] = false;
    hlo_free(before);
    hlo_free(tails);
}

void hlo_diff_find_moved(hlo_diff *d) {
    if (!hlo_module_flag(d->a.module, HLO_ATTR_IS_SCHEDULED) ||
        !hlo_module_flag(d->b.module, HLO_ATTR_IS_SCHEDULED))
        return;
    d->a.moved = hlo_calloc(d->a.total + 1, sizeof *d->a.moved);
    for (uint32_t i = 0; i < d->pairs.n; i++) {
        kept k = find_kept(d, d->pairs.v[i].a, d->pairs.v[i].b);
        for (uint32_t n = 0; n < k.n; n++) d->a.moved[hlo_diff_number(&d->a, k.instrs[n])] = true;
        clear_longest(&k, d->a.moved);
        hlo_free(k.instrs);
    }
}
