/* Which instruction of one module is which of the other. Equal instructions are matched by hashes,
 * and then what looks the same in the same place, from the root down to where the computations
 * differ. In between, where the first unmatched instructions meet, it is decided what was changed,
 * added or removed, which lets more hashes agree. Names only choose between equal candidates. */
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
} match;

static bool is_settled(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->settled[hlo_diff_number(side, instr)];
}
static hlo_instr *namesake(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->namesake[hlo_diff_number(side, instr)];
}

static bool is_matched(const hlo_diff_side *side, const hlo_instr *instr) {
    return hlo_diff_partner(side, instr);
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

/* A set of hashes, one bit for each: it may have one that was not put in. */
typedef struct {
    uint64_t *words, bits;
} hash_set;

static hash_set new_set(uint32_t n) {
    enum { BITS_OF_A_HASH = 16 };
    hash_set set = {.bits = 64};
    while (set.bits < (uint64_t)n * BITS_OF_A_HASH) set.bits *= 2;
    set.words = hlo_calloc(set.bits / 64, sizeof *set.words);
    return set;
}
static void put_hash(hash_set *set, uint64_t hash) {
    set->words[hash % set->bits / 64] |= UINT64_C(1) << hash % 64;
}
static bool has_hash(const hash_set *set, uint64_t hash) {
    return set->words[hash % set->bits / 64] >> hash % 64 & 1;
}

/* Drops candidates whose value the other list does not have, as far as a set of its values shows:
 * they have no partner, and need not be sorted in each iteration. */
static void keep_common(candidate *list, uint32_t *n, const candidate *other, uint32_t others) {
    hash_set seen = new_set(others);
    for (uint32_t i = 0; i < others; i++) put_hash(&seen, other[i].value);
    uint32_t left = 0;
    for (uint32_t i = 0; i < *n; i++)
        if (has_hash(&seen, list[i].value)) list[left++] = list[i];
    *n = left;
    hlo_free(seen.words);
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

static void pair_sorted(match *m, const candidate *a, uint32_t na, const candidate *b,
                        uint32_t nb) {
    for (uint32_t i = 0, k = 0; i < na; i++) {
        if (is_settled(&m->d->a, a[i].instr)) continue;
        while (k < nb && (is_before(&b[k], &a[i]) || is_settled(&m->d->b, b[k].instr))) k++;
        if (k == nb || is_before(&a[i], &b[k])) continue;
        hlo_diff_pair_instrs(m->d, a[i].instr, b[k++].instr);
    }
}

/* Equal values are pairs: first those with equal uses as far down as the search goes; at last those
 * in the same order. */
static void pair_equal_values(match *m) {
    uint32_t na, nb;
    find_values(&m->d->a, &m->left_a);
    find_values(&m->d->b, &m->left_b);
    pair_simple_namesakes(m, HLO_DIFF_USES - 1);
    candidate *a = candidates(&m->d->a, &m->left_a, &na);
    candidate *b = candidates(&m->d->b, &m->left_b, &nb);
    keep_common(a, &na, b, nb);
    keep_common(b, &nb, a, na);
    for (int use = HLO_DIFF_USES - 1; use >= -1; use--) {
        sort_candidates(&m->d->a, a, &na, use);
        sort_candidates(&m->d->b, b, &nb, use);
        pair_equal_namesakes(m->d, a, na, use);
        pair_sorted(m, a, na, b, nb);
    }
    hlo_free(a);
    hlo_free(b);
}

/* ---- from the roots down ---- */

/* Whether two instructions in the same place of a pair are one that is the same or was changed. */
typedef bool fitting(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b);

static bool has_same_opcode(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    (void)d;
    return a->opcode == b->opcode;
}
/* Parameters of other numbers are other ones. Another operation with another number of operands
 * replaced the first, unless the name was kept. */
static bool is_similar(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    if (a->opcode == HLO_OP_PARAMETER || b->opcode == HLO_OP_PARAMETER) return false;
    if (a->opcode == b->opcode) return true;
    return hlo_diff_same_shape(d, a, b) &&
           (a->operand_count == b->operand_count || namesake(&d->a, a) == b);
}

/* The operand in the place that `use` has in the partner of its user; or NULL. */
static hlo_instr *counterpart(const hlo_diff_side *side, const hlo_use *use) {
    const hlo_instr *user = hlo_diff_partner(side, use->user);
    uint32_t place = (uint32_t)(use - use->user->operands);
    return user && place < user->operand_count ? hlo_operand(user, place) : NULL;
}

/* The unmatched instruction that is used where `a` was, when it fits: with the name of `a` before
 * any other; or NULL. */
static hlo_instr *find_replacement(const hlo_diff *d, const hlo_instr *a, fitting *fits) {
    hlo_instr *first = NULL;
    for (const hlo_use *use = a->first_use; use; use = use->next) {
        hlo_instr *b = counterpart(&d->a, use);
        if (!b || b == first || is_matched(&d->b, b) || !fits(d, a, b)) continue;
        if (b == namesake(&d->a, a)) return b;
        if (!first) first = b;
    }
    return first;
}

/* What fits and is used in the same place of a pair is a pair. Users stand after their operands:
 * one walk leads from the root to wherever the computations differ. */
static void pair_operands(hlo_diff *d, const ordered *left, fitting *fits) {
    for (uint32_t i = left->n; i-- > 0;) {
        if (is_matched(&d->a, left->v[i])) continue;
        hlo_instr *b = find_replacement(d, left->v[i], fits);
        if (b) hlo_diff_pair_instrs(d, left->v[i], b);
    }
}

static void pair_roots(hlo_diff *d, hlo_instr *a, hlo_instr *b, fitting *fits) {
    HLO_ASSERT(a && b);
    if (!is_matched(&d->a, a) && !is_matched(&d->b, b) && fits(d, a, b))
        hlo_diff_pair_instrs(d, a, b);
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

/* ---- deciding ---- */

static bool leave_all(hlo_diff_side *side, hlo_instr *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) leave_alone(side, list[i], false);
    return n > 0;
}

/* Leaves what looks like nothing that is unsettled on the other side, and what follows and does not
 * either. The rest waits for what may be further on there. */
static bool leave_unlike(hlo_diff_side *side, const ordered *left, const hlo_diff_side *other,
                         const ordered *others) {
    hash_set looks = new_set(others->n);
    for (uint32_t i = 0; i < others->n; i++)
        if (!is_settled(other, others->v[i]))
            put_hash(&looks, other->own[hlo_diff_number(other, others->v[i])]);
    bool any = false;
    for (uint32_t i = 0; i < left->n; i++) {
        hlo_instr *instr = left->v[i];
        if (has_hash(&looks, side->own[hlo_diff_number(side, instr)]) || !is_frontier(side, instr))
            continue;
        leave_alone(side, instr, false);
        any = true;
    }
    hlo_free(looks.words);
    return any;
}

/* What has no likely partner is left: first what can have none. */
static bool leave_unlikely(match *m, hlo_instr *const *fa, uint32_t na, hlo_instr *const *fb,
                           uint32_t nb) {
    hlo_diff_side *a = &m->d->a, *b = &m->d->b;
    bool any = leave_unlike(a, &m->left_a, b, &m->left_b);
    any = leave_unlike(b, &m->left_b, a, &m->left_a) || any;
    if (any) return true;
    any = leave_all(a, fa, na);
    return leave_all(b, fb, nb) || any;
}

/* Decides about the first instructions that are not matched yet; false when there are none. */
static bool decide(match *m) {
    hlo_diff_side *a = &m->d->a, *b = &m->d->b;
    uint32_t na, nb;
    hlo_instr **fa = frontier(a, &m->left_a, &na), **fb = frontier(b, &m->left_b, &nb);
    hlo_instr **unlikely = hlo_calloc(nb + 1, sizeof(hlo_instr *));
    memcpy(unlikely, fb, nb * sizeof(hlo_instr *));
    bool any = pair_likely(m, fa, na, unlikely, nb) || leave_inserted(b, fb, nb, a, fa, na) ||
               leave_inserted(a, fa, na, b, fb, nb) || leave_unlikely(m, fa, na, fb, nb);
    hlo_free(unlikely);
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
    pair_equal_values(m);
    leave_rest(&m->d->a, &m->left_a);
    leave_rest(&m->d->b, &m->left_b);
}

/* ---- what was put in between ---- */

/* What the instruction would be replaced by if it was removed: its first operand, or the element
 * that it gets out of a tuple. */
static const hlo_instr *look_through(const hlo_diff_side *side, const hlo_instr *instr) {
    const hlo_instr *first = hlo_operand(instr, 0);
    bool is_element = instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && first->opcode == HLO_OP_TUPLE;
    if (!is_element || is_matched(side, first)) return first;
    return hlo_operand(first, (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX));
}

/* A partner of a user has `value` where the user has the instruction. */
static bool is_bypassed(const hlo_diff_side *own, const hlo_diff_side *other,
                        const hlo_instr *instr, uint64_t value) {
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        const hlo_instr *now = counterpart(own, use);
        if (now && other->value[hlo_diff_number(other, now)] == value) return true;
    }
    return false;
}

/* What has no partner, and was put between others or taken out, gets the value of what its users
 * use without it. */
static void see_through(hlo_diff_side *own, const hlo_diff_side *other, const ordered *all,
                        uint32_t count) {
    uint64_t *before = hlo_calloc(count + 1u, sizeof *before); /* by place in source order */
    for (uint32_t i = 0; i < all->n; i++) {
        const hlo_instr *instr = all->v[i];
        HLO_ASSERT(instr->index < count);
        uint64_t *value = &own->value[hlo_diff_number(own, instr)];
        before[instr->index] = *value;
        if (is_matched(own, instr) || !instr->operand_count) continue;
        before[instr->index] = before[look_through(own, instr)->index];
        if (is_bypassed(own, other, instr, before[instr->index])) *value = before[instr->index];
    }
    hlo_free(before);
}

/* ---- all of it ---- */

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
    pair_equal_values(&m);
    pair_roots(d, a->root, b->root, has_same_opcode);
    pair_operands(d, &m.left_a, hlo_diff_looks_same);
    for (uint32_t i = 0; i < MOST_ITERATIONS && decide(&m); i++) pair_equal_values(&m);
    hurry(&m);
    pair_roots(d, a->root, b->root, is_similar);
    pair_operands(d, &m.a, is_similar); /* what was settled without a partner, too */
    see_through(&d->a, &d->b, &m.a, a->instr_count);
    see_through(&d->b, &d->a, &m.b, b->instr_count);
    hlo_free(m.a.v);
    hlo_free(m.b.v);
    hlo_free(m.left_a.v);
    hlo_free(m.left_b.v);
}
