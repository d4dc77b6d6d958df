/* Which instruction of one module is which of the other. Iterates: equal instructions are matched
 * by hashes; then, where the first unmatched instructions meet, it is decided what was changed,
 * added or removed, which lets more hashes agree. Called by hlo-diff. */
#include <stdlib.h>

#include "diff/diff.h"

/* Beyond so many iterations two computations have so little in common that the rest counts as
 * replaced. */
enum { MOST_ITERATIONS = 500 };

/* ---- attributes that count ---- */

static bool counts(const hlo_diff *d, const hlo_attr *attr) {
    switch (attr->id) {
    case HLO_ATTR_METADATA: return d->metadata;
    case HLO_ATTR_ORIGIN:
    case HLO_ATTR_STATISTICS: return false;
    default: return true;
    }
}

static bool names_code(const hlo_attr *attr) {
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    return kind == HLO_KIND_COMPUTATION || kind == HLO_KIND_COMPUTATIONS ||
           kind == HLO_KIND_INSTRUCTIONS;
}

/* An attribute of either module as one of `a`: shapes are equal when they are the same. */
static hlo_attr imported(const hlo_diff *d, const hlo_attr *attr) {
    return hlo_attr_import(&d->a.module->arena, &d->a.module->shapes, attr);
}

static const hlo_shape *imported_shape(const hlo_diff *d, const hlo_shape *shape) {
    return hlo_shape_import(&d->a.module->shapes, shape);
}

/* ---- hashes ---- */

static uint64_t hash_own(const hlo_diff *d, const hlo_instr *instr) {
    uint64_t h = hlo_hash_mix(instr->opcode, instr->operand_count);
    h = hlo_hash_mix(h, (uint64_t)(uintptr_t)imported_shape(d, instr->shape));
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        const hlo_attr *attr = &instr->attrs[i];
        if (!counts(d, attr) || names_code(attr)) continue;
        hlo_attr same = imported(d, attr);
        h = hlo_hash_mix(hlo_hash_mix(h, attr->id), hlo_attr_hash(&same));
    }
    return h;
}

static uint64_t hash_value(const hlo_diff_side *side, const hlo_instr *instr) {
    uint64_t h = side->own[hlo_diff_number(side, instr)];
    for (uint32_t i = 0; i < instr->operand_count; i++)
        h = hlo_hash_mix(h, side->value[hlo_diff_number(side, hlo_operand(instr, i))]);
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        h = hlo_hash_mix(h, side->body[called->id]);
    return h;
}

/* The computation's instructions, operands before users; to be freed. */
static hlo_instr **in_order(hlo_computation *c, uint32_t *n) {
    hlo_instr **order = hlo_calloc(c->instr_count + 1, sizeof(hlo_instr *));
    *n = hlo_post_order(c, order);
    return order;
}

/* The opcodes of the users and the operand index of the result in them, but not their other
 * operands. The deepest hash tells most, and changes with everything below; the others look less
 * far. */
static void hash_uses(hlo_diff_side *side, hlo_instr *const *order, uint32_t n) {
    for (uint32_t i = n; i-- > 0;) {
        uint64_t all[HLO_DIFF_USES] = {0};
        for (const hlo_use *use = order[i]->first_use; use; use = use->next) {
            uint32_t user = hlo_diff_number(side, use->user);
            uint64_t own = hlo_hash_mix(side->own[user], (uint64_t)(use - use->user->operands));
            all[0] += own;
            all[1] += hlo_hash_mix(own, side->use[0][user]);
            all[2] += hlo_hash_mix(own, side->use[2][user]);
        }
        for (int k = 0; k < HLO_DIFF_USES; k++)
            side->use[k][hlo_diff_number(side, order[i])] =
                all[k] + (order[i]->parent->root == order[i]);
    }
}

/* Called computations come first: recursion in the text is refused by the parser. */
static void hash_body(const hlo_diff *d, hlo_diff_side *side, hlo_computation *c) {
    uint32_t n;
    hlo_instr **order = in_order(c, &n);
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = hlo_diff_number(side, order[i]);
        side->own[number] = hash_own(d, order[i]);
        side->value[number] = hash_value(side, order[i]);
        all += side->value[number]; /* what is dead has no place in an order */
    }
    hash_uses(side, order, n);
    hlo_free(order);
    uint64_t root = c->root ? side->value[hlo_diff_number(side, c->root)] : 0;
    side->body[c->id] = hlo_hash_mix(root, all);
}

static void init_side(const hlo_diff *d, hlo_diff_side *side) {
    hlo_module *m = side->module;
    side->base = hlo_calloc(m->next_id + 1, sizeof *side->base);
    side->body = hlo_calloc(m->next_id + 1, sizeof *side->body);
    side->met = hlo_calloc(m->next_id + 1, sizeof(hlo_computation *));
    for (hlo_computation *c = m->first; c; c = c->next) {
        hlo_number_instructions(c);
        side->base[c->id] = side->total;
        side->total += c->instr_count;
    }
    side->partner = hlo_calloc(side->total + 1, sizeof(hlo_instr *));
    side->own = hlo_calloc(side->total + 1, sizeof *side->own);
    side->value = hlo_calloc(side->total + 1, sizeof *side->value);
    for (int k = 0; k < HLO_DIFF_USES; k++)
        side->use[k] = hlo_calloc(side->total + 1, sizeof *side->use[k]);
    side->settled = hlo_calloc(side->total + 1, sizeof *side->settled);
    hlo_computation **order = hlo_calloc(m->computation_count + 1, sizeof(hlo_computation *));
    hlo_print_order(m, order);
    for (uint32_t i = 0; i < m->computation_count; i++) hash_body(d, side, order[i]);
    hlo_free(order);
}

static void free_side(hlo_diff_side *side) {
    hlo_free(side->base);
    hlo_free(side->body);
    hlo_free(side->met);
    hlo_free(side->partner);
    hlo_free(side->own);
    hlo_free(side->value);
    for (int k = 0; k < HLO_DIFF_USES; k++) hlo_free(side->use[k]);
    hlo_free(side->settled);
}

/* ---- pairs ---- */

static void pair_computations(hlo_diff *d, hlo_computation *a, hlo_computation *b) {
    if (!a || !b || d->a.met[a->id] || d->b.met[b->id]) return;
    d->a.met[a->id] = b;
    d->b.met[b->id] = a;
    hlo_list_push(&d->pairs, (hlo_diff_pair){a, b});
}

static void pair(hlo_diff *d, hlo_instr *a, hlo_instr *b) {
    uint32_t i = hlo_diff_number(&d->a, a), k = hlo_diff_number(&d->b, b);
    d->a.partner[i] = b;
    d->b.partner[k] = a;
    d->a.settled[i] = d->b.settled[k] = true;
    d->b.value[k] = d->a.value[i];
    for (uint32_t n = 0; hlo_called(a, n) && hlo_called(b, n); n++)
        pair_computations(d, hlo_called(a, n), hlo_called(b, n));
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

typedef struct {
    hlo_diff *d;
    hlo_instr **a, **b; /* operands before users */
    uint32_t na, nb;
} match;

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

/* Values anew, those of settled instructions staying; the unsettled ones. */
static candidate *unsettled(hlo_diff_side *side, hlo_instr **order, uint32_t n, uint32_t *count) {
    candidate *list = hlo_calloc(n + 1, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = hlo_diff_number(side, order[i]);
        if (side->settled[number]) continue;
        side->value[number] = hash_value(side, order[i]);
        list[(*count)++] = (candidate){side->value[number], 0, order[i], i};
    }
    return list;
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

static void pair_sorted(hlo_diff *d, const candidate *a, uint32_t na, const candidate *b,
                        uint32_t nb) {
    for (uint32_t i = 0, k = 0; i < na; i++) {
        while (k < nb &&
               (b[k].value < a[i].value || (b[k].value == a[i].value && b[k].use < a[i].use)))
            k++;
        if (k < nb && b[k].value == a[i].value && b[k].use == a[i].use)
            pair(d, a[i].instr, b[k++].instr);
    }
}

/* Equal values are pairs: first those that are used alike as far down as can be seen, at last those
 * that stand in the same order. */
static void pair_equal_values(match *m) {
    uint32_t na, nb;
    candidate *a = unsettled(&m->d->a, m->a, m->na, &na);
    candidate *b = unsettled(&m->d->b, m->b, m->nb, &nb);
    for (int use = HLO_DIFF_USES - 1; use >= -1; use--) {
        sort_candidates(&m->d->a, a, &na, use);
        sort_candidates(&m->d->b, b, &nb, use);
        pair_sorted(m->d, a, na, b, nb);
    }
    hlo_free(a);
    hlo_free(b);
}

static bool is_frontier(const hlo_diff_side *side, const hlo_instr *instr) {
    if (side->settled[hlo_diff_number(side, instr)]) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!side->settled[hlo_diff_number(side, hlo_operand(instr, i))]) return false;
    return true;
}

/* Unsettled instructions all of whose operands are settled. */
static hlo_instr **frontier(const hlo_diff_side *side, hlo_instr **order, uint32_t n,
                            uint32_t *count) {
    hlo_instr **list = hlo_calloc(n + 1, sizeof(hlo_instr *));
    *count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_frontier(side, order[i])) list[(*count)++] = order[i];
    return list;
}

static uint64_t operand_value(const hlo_diff_side *side, const hlo_instr *instr, uint32_t i) {
    return side->value[hlo_diff_number(side, hlo_operand(instr, i))];
}

static uint32_t shared_operands(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->operand_count && i < b->operand_count; i++)
        n += operand_value(&d->a, a, i) == operand_value(&d->b, b, i);
    return n;
}

/* Some user of each takes it at the same place and looks the same; the first few are asked. */
static bool users_agree(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    enum { FEW = 8 };
    if (!a->first_use || !b->first_use) return a->parent->root == a && b->parent->root == b;
    int i = 0;
    if (d->a.use[0][hlo_diff_number(&d->a, a)] == d->b.use[0][hlo_diff_number(&d->b, b)])
        return true;
    for (const hlo_use *x = a->first_use; x && i < FEW; x = x->next, i++) {
        uint64_t own = d->a.own[hlo_diff_number(&d->a, x->user)];
        int k = 0;
        for (const hlo_use *y = b->first_use; y && k < FEW; y = y->next, k++)
            if (d->b.own[hlo_diff_number(&d->b, y->user)] == own &&
                x - x->user->operands == y - y->user->operands)
                return true;
    }
    return false;
}

/* How likely b is what became of a; 0: it is not. */
static uint32_t likeness(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    bool same_opcode = a->opcode == b->opcode;
    bool same_shape = imported_shape(d, a->shape) == imported_shape(d, b->shape);
    bool same_count = a->operand_count == b->operand_count;
    uint32_t shared = shared_operands(d, a, b);
    bool same_operands = same_count && shared == a->operand_count;
    bool same_own = d->a.own[hlo_diff_number(&d->a, a)] == d->b.own[hlo_diff_number(&d->b, b)];
    bool is_parameter = a->opcode == HLO_OP_PARAMETER || b->opcode == HLO_OP_PARAMETER;
    if (is_parameter && (!same_opcode || hlo_attr_int(a, HLO_ATTR_PARAMETER_NUMBER) !=
                                             hlo_attr_int(b, HLO_ATTR_PARAMETER_NUMBER)))
        return 0;
    uint32_t score = 16u * same_own + 8u * same_opcode + 4u * same_operands + 2u * same_shape +
                     4u * users_agree(d, a, b);
    if (a->operand_count) score += 4 * shared / a->operand_count;
    bool likely = same_opcode
                      ? same_operands || same_own || (shared && same_shape)
                      : same_operands && same_shape && a->operand_count && users_agree(d, a, b);
    return likely ? score : 0;
}

/* Pairs of the two frontiers, the likeliest for each; whether there was one. */
static bool pair_likely(match *m, hlo_instr **fa, uint32_t na, hlo_instr **fb, uint32_t nb) {
    bool any = false;
    for (uint32_t i = 0; i < na; i++) {
        uint32_t best = 0, at = 0;
        for (uint32_t k = 0; k < nb; k++) {
            if (!fb[k]) continue;
            uint32_t score = likeness(m->d, fa[i], fb[k]);
            if (score <= best) continue;
            best = score;
            at = k;
        }
        if (!best) continue;
        pair(m->d, fa[i], fb[at]);
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
            if (own->own[hlo_diff_number(own, use->user)] ==
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

/* Decides about the first instructions that are not matched yet; false when there are none. */
static bool decide(match *m, bool hurry) {
    uint32_t na, nb;
    hlo_instr **fa = frontier(&m->d->a, m->a, m->na, &na);
    hlo_instr **fb = frontier(&m->d->b, m->b, m->nb, &nb);
    hlo_instr **left = hlo_calloc(nb + 1, sizeof(hlo_instr *));
    memcpy(left, fb, nb * sizeof(hlo_instr *));
    bool any = na || nb;
    bool done = !hurry && (pair_likely(m, fa, na, left, nb) ||
                           leave_inserted(&m->d->b, fb, nb, &m->d->a, fa, na) ||
                           leave_inserted(&m->d->a, fa, na, &m->d->b, fb, nb));
    if (any && !done) {
        for (uint32_t i = 0; i < na; i++) leave_alone(&m->d->a, fa[i], false);
        for (uint32_t i = 0; i < nb; i++) leave_alone(&m->d->b, fb[i], false);
    }
    hlo_free(left);
    hlo_free(fa);
    hlo_free(fb);
    return any;
}

static void match_computations(hlo_diff *d, hlo_computation *a, hlo_computation *b) {
    match m = {.d = d};
    m.a = in_order(a, &m.na);
    m.b = in_order(b, &m.nb);
    uint32_t iteration = 0;
    do pair_equal_values(&m);
    while (decide(&m, iteration++ >= MOST_ITERATIONS));
    hlo_free(m.a);
    hlo_free(m.b);
}

/* ---- what differs ---- */

static const hlo_attr *find_attr(const hlo_attr *attrs, uint32_t n, uint16_t id) {
    for (uint32_t i = 0; i < n; i++)
        if (attrs[i].id == id) return &attrs[i];
    return NULL;
}

static bool same_attr(const hlo_diff *d, const hlo_attr *a, const hlo_attr *b) {
    if (!a || !b) return a == b;
    hlo_attr x = imported(d, a), y = imported(d, b);
    return hlo_attr_equal(&x, &y);
}

/* Attributes of two lists; those that name code are compared elsewhere. */
static uint32_t compare_attrs(const hlo_diff *d, const hlo_attr *a, uint32_t na, const hlo_attr *b,
                              uint32_t nb, hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < na; i++) {
        if (!counts(d, &a[i]) || names_code(&a[i])) continue;
        const hlo_attr *other = find_attr(b, nb, a[i].id);
        if (same_attr(d, &a[i], other)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_ATTRIBUTE, 0, &a[i], other);
    }
    for (uint32_t i = 0; i < nb; i++) {
        if (!counts(d, &b[i]) || names_code(&b[i]) || find_attr(a, na, b[i].id)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_ATTRIBUTE, 0, NULL, &b[i]);
    }
    return n;
}

static uint32_t compare_operands(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                                 hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    if (a->operand_count != b->operand_count) {
        if (visit) visit(context, HLO_DIFF_OPERAND_COUNT, 0, NULL, NULL);
        return 1;
    }
    for (uint32_t i = 0; i < a->operand_count; i++) {
        /* Through what was put in between: that is reported by itself. */
        if (operand_value(&d->a, a, i) == operand_value(&d->b, b, i)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_OPERAND, i, NULL, NULL);
    }
    return n;
}

static uint32_t compare_callees(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                                hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    for (uint32_t k = 0; hlo_called(a, k) || hlo_called(b, k); k++) {
        const hlo_computation *x = hlo_called(a, k), *y = hlo_called(b, k);
        if (x && y && (d->a.body[x->id] == d->b.body[y->id] || d->a.met[x->id] == y)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_CALLEE, k, NULL, NULL);
    }
    return n;
}

uint32_t hlo_diff_compare(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                          hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    if (a->opcode != b->opcode) {
        n++;
        if (visit) visit(context, HLO_DIFF_OPCODE, 0, NULL, NULL);
    }
    if (imported_shape(d, a->shape) != imported_shape(d, b->shape)) {
        n++;
        if (visit) visit(context, HLO_DIFF_SHAPE, 0, NULL, NULL);
    }
    n += compare_operands(d, a, b, visit, context);
    n += compare_attrs(d, a->attrs, a->attr_count, b->attrs, b->attr_count, visit, context);
    n += compare_callees(d, a, b, visit, context);
    bool was_root = a->parent->root == a, is_root = b->parent->root == b;
    if (was_root != is_root) {
        n++;
        if (visit) visit(context, HLO_DIFF_ROOT, is_root, NULL, NULL);
    }
    return n;
}

uint32_t hlo_diff_compare_headers(const hlo_diff *d, hlo_diff_visit *visit, void *context) {
    return compare_attrs(d, d->a.module->attrs, d->a.module->attr_count, d->b.module->attrs,
                         d->b.module->attr_count, visit, context);
}

/* ---- the whole ---- */

/* Computations that no matched call leads to: those that do the same, in order. */
static void pair_uncalled(hlo_diff *d) {
    for (hlo_computation *a = d->a.module->first; a; a = a->next) {
        if (d->a.met[a->id]) continue;
        for (hlo_computation *b = d->b.module->first; b; b = b->next)
            if (!d->b.met[b->id] && d->a.body[a->id] == d->b.body[b->id]) {
                pair_computations(d, a, b);
                break;
            }
    }
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

void hlo_diff_init(hlo_diff *d, hlo_module *a, hlo_module *b, bool metadata) {
    *d = (hlo_diff){.a = {.module = a}, .b = {.module = b}, .metadata = metadata};
    init_side(d, &d->a);
    init_side(d, &d->b);
    pair_computations(d, a->entry, b->entry);
    uint32_t done = 0;
    for (int uncalled = 0; uncalled < 2; uncalled++) {
        for (; done < d->pairs.n; done++)
            match_computations(d, d->pairs.v[done].a, d->pairs.v[done].b);
        if (!uncalled) pair_uncalled(d);
    }
    count_all(d);
}

void hlo_diff_free(hlo_diff *d) {
    free_side(&d->a);
    free_side(&d->b);
    hlo_list_free(&d->pairs);
}
