/* Which instruction of one module is which of the other. Iterates: equal instructions are matched
 * by hashes; then, where the first unmatched instructions meet, it is decided what was changed,
 * added or removed, which lets more hashes agree. Names decide first where they have proved to stay
 * what they are, and in the end: nothing that both modules have a name for is added and removed. */
#include <stdlib.h>

#include "diff/diff.h"

/* Beyond so many iterations two computations have so little in common that the rest counts as
 * replaced. */
enum { MOST_ITERATIONS = 500 };

/* ---- pairs ---- */

void hlo_diff_pair_computations(hlo_diff *d, hlo_computation *a, hlo_computation *b) {
    if (!a || !b || d->a.met[a->id] || d->b.met[b->id]) return;
    d->a.met[a->id] = b;
    d->b.met[b->id] = a;
    hlo_list_push(&d->pairs, (hlo_diff_pair){a, b});
}

void hlo_diff_pair_instrs(hlo_diff *d, hlo_instr *a, hlo_instr *b) {
    uint32_t i = hlo_diff_number(&d->a, a), k = hlo_diff_number(&d->b, b);
    d->a.partner[i] = b;
    d->b.partner[k] = a;
    d->a.settled[i] = d->b.settled[k] = true;
    d->b.value[k] = d->a.value[i];
    if (a->opcode != b->opcode) return; /* their computations have other purposes */
    for (uint32_t n = 0; hlo_called(a, n) && hlo_called(b, n); n++)
        hlo_diff_pair_computations(d, hlo_called(a, n), hlo_called(b, n));
}

/* The instruction has no partner. An instruction that was put between two others is seen through:
 * its users use the instruction that it was inserted after. */
static void leave_alone(hlo_diff_side *side, const hlo_instr *instr, bool transparent) {
    uint32_t number = hlo_diff_number(side, instr);
    side->settled[number] = true;
    if (transparent && instr->operand_count)
        side->value[number] = side->value[hlo_diff_number(side, hlo_operand(instr, 0))];
}

/* ---- one computation against its counterpart ---- */

/* Instructions in an order in which operands stand before users. */
typedef struct {
    hlo_instr **v;
    uint32_t n;
} ordered;

typedef struct {
    hlo_diff *d;
    ordered a, b;           /* all */
    ordered left_a, left_b; /* what was not settled when the iteration began */
    bool names_hold;        /* most names that both computations have mean the same instruction */
} match;

static bool is_settled(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->settled[hlo_diff_number(side, instr)];
}
static hlo_instr *namesake(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->namesake[hlo_diff_number(side, instr)];
}

/* The unmatched namesake of an instruction, when it may be what became of it; or NULL. */
static hlo_instr *anchor(const match *m, const hlo_diff_side *side, const hlo_diff_side *other,
                         const hlo_instr *instr) {
    hlo_instr *same = m->names_hold ? namesake(side, instr) : NULL;
    if (!same || is_settled(other, same)) return NULL;
    bool fits = same->opcode == instr->opcode || side->shape[hlo_diff_number(side, instr)] ==
                                                     other->shape[hlo_diff_number(other, same)];
    return fits ? same : NULL;
}

/* ---- equal values ---- */

typedef struct {
    uint64_t value, use;
    hlo_instr *instr;
    uint32_t place;
} candidate;

static int by_value(const void *x, const void *y) {
    const candidate *a = x, *b = y;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->use != b->use) return a->use < b->use ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Drops settled instructions and recomputes the values of the others. */
static void find_values(hlo_diff_side *side, ordered *left) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < left->n; i++) {
        uint32_t number = hlo_diff_number(side, left->v[i]);
        if (side->settled[number]) continue;
        side->value[number] = hlo_diff_hash_value(side, left->v[i]);
        left->v[n++] = left->v[i];
    }
    left->n = n;
}

/* The unsettled ones. */
static candidate *candidates(const hlo_diff_side *side, const ordered *left, uint32_t *count) {
    candidate *list = hlo_calloc(left->n + 1u, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < left->n; i++) {
        uint32_t number = hlo_diff_number(side, left->v[i]);
        if (side->settled[number]) continue;
        list[(*count)++] = (candidate){side->value[number], 0, left->v[i], i};
    }
    return list;
}

/* Drops candidates whose value the other list does not have, as far as one bit for each value of it
 * shows: they have no partner, and need not be sorted in each iteration. */
static void keep_common(candidate *list, uint32_t *n, const candidate *other, uint32_t others) {
    enum { BITS_OF_A_VALUE = 16 };
    uint64_t bits = 64;
    while (bits < (uint64_t)others * BITS_OF_A_VALUE) bits *= 2;
    uint64_t *seen = hlo_calloc(bits / 64, sizeof *seen);
    for (uint32_t i = 0; i < others; i++)
        seen[other[i].value % bits / 64] |= UINT64_C(1) << other[i].value % 64;
    uint32_t left = 0;
    for (uint32_t i = 0; i < *n; i++)
        if (seen[list[i].value % bits / 64] >> list[i].value % 64 & 1) list[left++] = list[i];
    *n = left;
    hlo_free(seen);
}

/* Drops what is paired, and sorts by value and by one of the hashes of uses; without one for -1. */
static void sort_candidates(const hlo_diff_side *side, candidate *list, uint32_t *n, int use) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t number = hlo_diff_number(side, list[i].instr);
        if (side->settled[number]) continue;
        list[left] = list[i];
        list[left++].use = use < 0 ? 0 : side->use[use][number];
    }
    *n = left;
    if (left) qsort(list, left, sizeof *list, by_value);
}

/* The same value and the same use: the instruction that kept its name before any other. */
static void pair_equal_namesake(hlo_diff *d, hlo_instr *a, int use) {
    hlo_instr *b = namesake(&d->a, a);
    if (!b || is_settled(&d->a, a) || is_settled(&d->b, b)) return;
    uint32_t i = hlo_diff_number(&d->a, a), k = hlo_diff_number(&d->b, b);
    bool used_so = use < 0 || d->a.use[use][i] == d->b.use[use][k];
    if (d->a.value[i] == d->b.value[k] && used_so) hlo_diff_pair_instrs(d, a, b);
}

static void pair_equal_namesakes(hlo_diff *d, const candidate *a, uint32_t n, int use) {
    for (uint32_t i = 0; i < n; i++) pair_equal_namesake(d, a[i].instr, use);
}

/* The same before anything is sorted: only the order of what is called depends on that. */
static void pair_simple_namesakes(match *m, int use) {
    for (uint32_t i = 0; i < m->left_a.n; i++)
        if (!hlo_called_count(m->left_a.v[i])) pair_equal_namesake(m->d, m->left_a.v[i], use);
}

static bool is_before(const candidate *a, const candidate *b) {
    return a->value < b->value || (a->value == b->value && a->use < b->use);
}

/* What computes the same but is used differently: not when a name contradicts. */
static bool is_contested(const match *m, const candidate *a, const candidate *b) {
    return anchor(m, &m->d->a, &m->d->b, a->instr) || anchor(m, &m->d->b, &m->d->a, b->instr);
}

static void pair_sorted(match *m, const candidate *a, uint32_t na, const candidate *b, uint32_t nb,
                        bool by_use) {
    for (uint32_t i = 0, k = 0; i < na; i++) {
        if (is_settled(&m->d->a, a[i].instr)) continue;
        while (k < nb && (is_before(&b[k], &a[i]) || is_settled(&m->d->b, b[k].instr))) k++;
        if (k == nb || is_before(&a[i], &b[k])) continue;
        if (by_use || !is_contested(m, &a[i], &b[k]))
            hlo_diff_pair_instrs(m->d, a[i].instr, b[k++].instr);
    }
}

/* Equal values are pairs: first those with equal uses as far down as the search goes; at last, with
 * `all`, those in the same order. */
static void pair_equal_values(match *m, bool all) {
    uint32_t na, nb;
    find_values(&m->d->a, &m->left_a);
    find_values(&m->d->b, &m->left_b);
    pair_simple_namesakes(m, HLO_DIFF_USES - 1);
    candidate *a = candidates(&m->d->a, &m->left_a, &na);
    candidate *b = candidates(&m->d->b, &m->left_b, &nb);
    keep_common(a, &na, b, nb);
    keep_common(b, &nb, a, na);
    for (int use = HLO_DIFF_USES - 1; use >= (all ? -1 : 0); use--) {
        sort_candidates(&m->d->a, a, &na, use);
        sort_candidates(&m->d->b, b, &nb, use);
        pair_equal_namesakes(m->d, a, na, use);
        pair_sorted(m, a, na, b, nb, use >= 0);
    }
    hlo_free(a);
    hlo_free(b);
}

/* ---- likely pairs ---- */

static bool is_frontier(const hlo_diff_side *side, const hlo_instr *instr) {
    if (is_settled(side, instr)) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!is_settled(side, hlo_operand(instr, i))) return false;
    return true;
}

/* Unsettled instructions all of whose operands are settled. */
static hlo_instr **frontier(const hlo_diff_side *side, const ordered *left, uint32_t *count) {
    hlo_instr **list = hlo_calloc(left->n + 1u, sizeof(hlo_instr *));
    *count = 0;
    for (uint32_t i = 0; i < left->n; i++)
        if (is_frontier(side, left->v[i])) list[(*count)++] = left->v[i];
    return list;
}

/* Pairs of the two frontiers, the likeliest for each; whether there was one. */
static bool pair_likely(match *m, hlo_instr **fa, uint32_t na, hlo_instr **fb, uint32_t nb) {
    bool any = false;
    for (uint32_t i = 0; i < na; i++) {
        if (!fa[i]) continue;
        uint32_t best = 0, at = 0;
        for (uint32_t k = 0; k < nb; k++) {
            if (!fb[k]) continue;
            uint32_t score = hlo_diff_likeness(m->d, fa[i], fb[k]);
            if (score <= best) continue;
            best = score;
            at = k;
        }
        if (!best) continue;
        hlo_diff_pair_instrs(m->d, fa[i], fb[at]);
        fb[at] = NULL;
        any = true;
    }
    return any;
}

/* A user of `instr` looks like one of the other frontier: `instr` was put before that one. */
static bool stands_before(const hlo_diff_side *own, const hlo_instr *instr,
                          const hlo_diff_side *other, hlo_instr **others, uint32_t n) {
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        for (uint32_t k = 0; k < n; k++)
            if (others[k] && own->own[hlo_diff_number(own, use->user)] ==
                                 other->own[hlo_diff_number(other, others[k])])
                return true;
    return false;
}

static bool leave_inserted(hlo_diff_side *own, hlo_instr **list, uint32_t n,
                           const hlo_diff_side *other, hlo_instr **others, uint32_t count) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!list[i] || !stands_before(own, list[i], other, others, count)) continue;
        leave_alone(own, list[i], true);
        any = true;
    }
    return any;
}

/* ---- names ---- */

/* Names are interned by module: those of b's computation lead to its instructions for a while. */
static void find_namesakes(hlo_diff *d, hlo_computation *a, hlo_computation *b) {
    for (hlo_instr *i = b->first; i; i = i->next) ((hlo_name *)i->name)->bound = i;
    for (hlo_instr *i = a->first; i; i = i->next) {
        const hlo_name *name =
            hlo_module_find_name(b->module, (hlo_str){i->name->ptr, i->name->len, 0});
        hlo_instr *same = name ? name->bound : NULL;
        if (!same || namesake(&d->b, same)) continue;
        d->a.namesake[hlo_diff_number(&d->a, i)] = same;
        d->b.namesake[hlo_diff_number(&d->b, same)] = i;
    }
    for (hlo_instr *i = b->first; i; i = i->next) ((hlo_name *)i->name)->bound = NULL;
}

/* Called after the first equal values were matched by structure. Instructions that were renamed, in
 * some order, have the same names by accident. */
static bool names_hold(const hlo_diff *d, const ordered *a) {
    uint32_t held = 0, moved = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const hlo_instr *partner = hlo_diff_partner(&d->a, a->v[i]);
        const hlo_instr *same = namesake(&d->a, a->v[i]);
        held += same && partner == same;
        moved += same && partner && partner != same;
    }
    return held >= moved;
}

/* Pairs what has an anchor; with `both`, where both stand in the frontier. */
static bool pair_anchors(match *m, hlo_instr *const *fa, uint32_t na, bool both) {
    bool any = false;
    for (uint32_t i = 0; i < na; i++) {
        hlo_instr *b = anchor(m, &m->d->a, &m->d->b, fa[i]);
        if (!b || (both && !is_frontier(&m->d->b, b))) continue;
        hlo_diff_pair_instrs(m->d, fa[i], b);
        any = true;
    }
    return any;
}

/* What has no anchor. */
static hlo_instr **without_anchor(const match *m, const hlo_diff_side *side,
                                  const hlo_diff_side *other, hlo_instr *const *list, uint32_t n) {
    hlo_instr **left = hlo_calloc(n + 1, sizeof(hlo_instr *));
    for (uint32_t i = 0; i < n; i++)
        if (!anchor(m, side, other, list[i])) left[i] = list[i];
    return left;
}

/* Pairs unmatched instructions of equal names: changed, not removed and added. */
static void pair_left_namesakes(match *m) {
    for (uint32_t i = 0; i < m->a.n; i++) {
        hlo_instr *a = m->a.v[i], *b = namesake(&m->d->a, a);
        if (b && !hlo_diff_partner(&m->d->a, a) && !hlo_diff_partner(&m->d->b, b))
            hlo_diff_pair_instrs(m->d, a, b);
    }
}

/* ---- deciding ---- */

static bool leave_all(hlo_diff_side *side, hlo_instr *const *list, uint32_t n) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!list[i]) continue;
        leave_alone(side, list[i], false);
        any = true;
    }
    return any;
}

/* Where no name decides. What has an anchor further on waits for it. */
static bool decide_by_structure(match *m, hlo_instr **fa, uint32_t na, hlo_instr **fb,
                                uint32_t nb) {
    hlo_diff_side *a = &m->d->a, *b = &m->d->b;
    hlo_instr **la = without_anchor(m, a, b, fa, na), **lb = without_anchor(m, b, a, fb, nb);
    hlo_instr **unlikely = hlo_calloc(nb + 1, sizeof(hlo_instr *));
    memcpy(unlikely, lb, nb * sizeof(hlo_instr *));
    bool any = pair_likely(m, la, na, unlikely, nb) || leave_inserted(b, lb, nb, a, fa, na) ||
               leave_inserted(a, la, na, b, fb, nb);
    if (!any) {
        bool some = leave_all(a, la, na);
        any = leave_all(b, lb, nb) || some;
    }
    hlo_free(unlikely);
    hlo_free(la);
    hlo_free(lb);
    return any;
}

/* Decides about the first instructions that are not matched yet; false when there are none. */
static bool decide(match *m) {
    uint32_t na, nb;
    hlo_instr **fa = frontier(&m->d->a, &m->left_a, &na);
    hlo_instr **fb = frontier(&m->d->b, &m->left_b, &nb);
    bool any = pair_anchors(m, fa, na, true) || decide_by_structure(m, fa, na, fb, nb) ||
               pair_anchors(m, fa, na, false);
    hlo_free(fa);
    hlo_free(fb);
    return any;
}

static void leave_rest(hlo_diff_side *side, const ordered *left) {
    for (uint32_t i = 0; i < left->n; i++)
        if (!is_settled(side, left->v[i])) leave_alone(side, left->v[i], false);
}

/* Everything that is left at once. */
static void hurry(match *m) {
    pair_anchors(m, m->a.v, m->a.n, false);
    pair_equal_values(m, true);
    leave_rest(&m->d->a, &m->left_a);
    leave_rest(&m->d->b, &m->left_b);
}

static ordered copy_of(const ordered *all) {
    ordered copy = {hlo_calloc(all->n + 1u, sizeof(hlo_instr *)), all->n};
    memcpy(copy.v, all->v, all->n * sizeof *all->v);
    return copy;
}

void hlo_diff_match(hlo_diff *d, hlo_computation *a, hlo_computation *b) {
    match m = {.d = d};
    m.a.v = hlo_diff_order(a, &m.a.n);
    m.b.v = hlo_diff_order(b, &m.b.n);
    m.left_a = copy_of(&m.a);
    m.left_b = copy_of(&m.b);
    find_namesakes(d, a, b);
    pair_equal_values(&m, false);
    m.names_hold = names_hold(d, &m.a);
    uint32_t iteration = 0;
    do pair_equal_values(&m, true);
    while (iteration++ < MOST_ITERATIONS && decide(&m));
    hurry(&m);
    pair_left_namesakes(&m);
    hlo_free(m.a.v);
    hlo_free(m.b.v);
    hlo_free(m.left_a.v);
    hlo_free(m.left_b.v);
}
