/* Lint: computations that do the same. Compared are operations, shapes, operands and attributes, in
 * source order; names, metadata and the like do not count, and called computations count as equal
 * when they do the same themselves. */
#include "lint/linter.h"

typedef struct {
    uint32_t *kind;          /* by computation: the id of the first one that does the same */
    hlo_computation **slots; /* open addressing by hash */
    uint64_t *hashes;        /* by computation */
    uint32_t mask;
} duplicates;

static bool counts(const hlo_attr *attr) {
    switch (attr->id) {
    case HLO_ATTR_METADATA:
    case HLO_ATTR_ORIGIN:
    case HLO_ATTR_STATISTICS: return false;
    default: return true;
    }
}

/* Numbers of instructions are module-wide; within a computation they start at its first. */
static uint32_t place(const hlo_instr *instr) {
    return instr->index - instr->parent->first->index;
}

static uint64_t hash_attr(const hlo_attr *attr) {
    uint64_t h = attr->id;
    switch (hlo_attr_table[attr->id].kind) {
    case HLO_KIND_COMPUTATION:
    case HLO_KIND_COMPUTATIONS: return h; /* the caller adds what is called */
    case HLO_KIND_INSTRUCTIONS:
        for (uint32_t i = 0; i < attr->u.instructions->n; i++)
            h = hlo_hash_mix(h, place(attr->u.instructions->v[i]));
        return h;
    default: return hlo_hash_mix(h, hlo_attr_hash(attr));
    }
}

static uint64_t hash_instr(const duplicates *d, const hlo_instr *instr) {
    uint64_t h = hlo_hash_mix(instr->opcode, (uint64_t)(uintptr_t)instr->shape);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        h = hlo_hash_mix(h, place(hlo_operand(instr, i)));
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (counts(&instr->attrs[i])) h = hlo_hash_mix(h, hash_attr(&instr->attrs[i]));
    for (uint32_t k = 0; k < hlo_called_count(instr); k++)
        h = hlo_hash_mix(h, d->kind[hlo_called(instr, k)->id]);
    return h;
}

static bool same_attr(const hlo_attr *a, const hlo_attr *b) {
    if (a->id != b->id) return false;
    switch (hlo_attr_table[a->id].kind) {
    case HLO_KIND_COMPUTATION:
    case HLO_KIND_COMPUTATIONS: return true; /* compared by what is called */
    case HLO_KIND_INSTRUCTIONS:
        if (a->u.instructions->n != b->u.instructions->n) return false;
        for (uint32_t i = 0; i < a->u.instructions->n; i++)
            if (place(a->u.instructions->v[i]) != place(b->u.instructions->v[i])) return false;
        return true;
    default: return hlo_attr_equal(a, b);
    }
}

static const hlo_attr *next_counting(const hlo_instr *instr, uint32_t *at) {
    while (*at < instr->attr_count && !counts(&instr->attrs[*at])) ++*at;
    return *at < instr->attr_count ? &instr->attrs[(*at)++] : NULL;
}

static bool same_instr(const duplicates *d, const hlo_instr *a, const hlo_instr *b) {
    if (a->opcode != b->opcode || a->shape != b->shape || a->operand_count != b->operand_count)
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (place(hlo_operand(a, i)) != place(hlo_operand(b, i))) return false;
    uint32_t at_a = 0, at_b = 0;
    for (;;) {
        const hlo_attr *x = next_counting(a, &at_a), *y = next_counting(b, &at_b);
        if (!x && !y) break;
        if (!x || !y || !same_attr(x, y)) return false;
    }
    if (hlo_called_count(a) != hlo_called_count(b)) return false;
    for (uint32_t k = 0; k < hlo_called_count(a); k++)
        if (d->kind[hlo_called(a, k)->id] != d->kind[hlo_called(b, k)->id]) return false;
    return true;
}

static bool same_computation(const duplicates *d, const hlo_computation *a,
                             const hlo_computation *b) {
    if (a->instr_count != b->instr_count || place(a->root) != place(b->root) ||
        !hlo_str_equal(a->execution_thread, b->execution_thread))
        return false;
    const hlo_instr *y = b->first;
    for (const hlo_instr *x = a->first; x; x = x->next, y = y->next)
        if (!same_instr(d, x, y)) return false;
    return true;
}

/* Finds the first computation that does the same, or enters this one. */
static void classify(duplicates *d, hlo_computation *c) {
    uint64_t h = hlo_hash_mix(c->instr_count, place(c->root));
    for (const hlo_instr *instr = c->first; instr; instr = instr->next)
        h = hlo_hash_mix(h, hash_instr(d, instr));
    d->hashes[c->id] = h;
    d->kind[c->id] = c->id;
    uint32_t at = (uint32_t)h & d->mask;
    for (; d->slots[at]; at = (at + 1) & d->mask) {
        const hlo_computation *other = d->slots[at];
        if (d->hashes[other->id] != h || !same_computation(d, c, other)) continue;
        d->kind[c->id] = other->id;
        return;
    }
    d->slots[at] = c;
}

/* ---- what is said ---- */

/* Computations that do the same, in order of the text. Dumps hold hundreds of copies of one
 * reducer: one message for all of them. */
typedef struct {
    const hlo_computation *first, *copy; /* the first one, the first copy */
    uint32_t more;                       /* further copies */
} group;

static void report(hlo_linter *l, const group *g) {
    char others[48] = "";
    if (g->more)
        snprintf(others, sizeof others, ", and so %s %u more", g->more == 1 ? "does" : "do",
                 g->more);
    hlo_lint_report_computation(l, HLO_RULE_DUPLICATE_COMPUTATION, g->copy,
                                "it does the same as %s%s", hlo_lint_name(l, g->first->name),
                                others);
    hlo_lint_note(l, g->first->at, "the first one");
}

/* The entry is no copy, and neither is what suppresses the rule. */
static void report_groups(hlo_linter *l, const duplicates *d) {
    group *groups = HLO_NEW_ARRAY(&l->scratch, group, l->module->next_id);
    for (const hlo_computation *c = l->module->first; c; c = c->next) {
        group *g = &groups[d->kind[c->id]];
        if (!g->first) g->first = c;
        else if (c == l->module->entry) continue;
        else if (hlo_lint_suppresses(l, HLO_RULE_DUPLICATE_COMPUTATION, c->root)) continue;
        else if (!g->copy) g->copy = c;
        else g->more++;
    }
    for (const hlo_computation *c = l->module->first; c; c = c->next)
        if (groups[d->kind[c->id]].copy == c) report(l, &groups[d->kind[c->id]]);
}

void hlo_lint_duplicate_computation(hlo_linter *l) {
    uint32_t ids = l->module->next_id, capacity = 16;
    while (capacity < 2 * ids) capacity *= 2;
    duplicates d = {.kind = HLO_NEW_ARRAY(&l->scratch, uint32_t, ids),
                    .slots = HLO_NEW_ARRAY(&l->scratch, hlo_computation *, capacity),
                    .hashes = HLO_NEW_ARRAY(&l->scratch, uint64_t, ids),
                    .mask = capacity - 1};
    for (uint32_t i = l->graph.count; i-- > 0;) classify(&d, l->graph.order[i]);
    report_groups(l, &d);
}
