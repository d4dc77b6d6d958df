/* Equality and hashes of what instructions and computations do: see equal.h. */
#include "analysis/equal.h"

/* How operands and called computations are compared: as they are, or operands by hlo_instr.index,
 * which is their place when two computations are compared, and computations by kind. */
typedef struct {
    const uint32_t *kinds; /* by id of computations; NULL: as they are */
    bool by_index;
} view;

/* ---- parts ---- */

static bool counts(const hlo_attr *attr) {
    return attr->id != HLO_ATTR_METADATA && attr->id != HLO_ATTR_ORIGIN &&
           attr->id != HLO_ATTR_STATISTICS;
}

static uint64_t operand_key(const view *v, const hlo_instr *operand) {
    return v->by_index ? operand->index : (uint64_t)(uintptr_t)operand;
}

static uint64_t callee_key(const view *v, const hlo_computation *callee) {
    HLO_ASSERT(!v->kinds || callee->id < callee->module->next_id);
    return v->kinds ? v->kinds[callee->id] : callee->id;
}

static bool is_commutative(const hlo_instr *instr) {
    return instr->operand_count == 2 && (hlo_info(instr)->flags & HLO_OP_IS_COMMUTATIVE);
}

/* ---- hashes ---- */

static uint64_t hash_attr(const view *v, const hlo_attr *attr) {
    HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
    uint64_t h = attr->id;
    switch (hlo_attr_table[attr->id].kind) {
    case HLO_KIND_COMPUTATION:
    case HLO_KIND_COMPUTATIONS: return h; /* the caller adds what is called */
    case HLO_KIND_INSTRUCTIONS:
        for (uint32_t i = 0; i < attr->u.instructions->n; i++)
            h = hlo_hash_mix(h, operand_key(v, attr->u.instructions->v[i]));
        return h;
    default: return hlo_hash_mix(h, hlo_attr_hash(attr));
    }
}

/* Swapped operands of a commutative operation have one hash. */
static uint64_t hash_operands(const view *v, const hlo_instr *instr) {
    uint64_t h = instr->operand_count;
    if (is_commutative(instr)) {
        uint64_t a = operand_key(v, hlo_operand(instr, 0));
        uint64_t b = operand_key(v, hlo_operand(instr, 1));
        return hlo_hash_mix(hlo_hash_mix(h, a < b ? a : b), a < b ? b : a);
    }
    for (uint32_t i = 0; i < instr->operand_count; i++)
        h = hlo_hash_mix(h, operand_key(v, hlo_operand(instr, i)));
    return h;
}

static uint64_t hash_operation(const view *v, const hlo_instr *instr) {
    uint64_t h = instr->opcode;
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (counts(&instr->attrs[i])) h = hlo_hash_mix(h, hash_attr(v, &instr->attrs[i]));
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        h = hlo_hash_mix(h, callee_key(v, called));
    return h;
}

static uint64_t hash_instr(const view *v, const hlo_instr *instr) {
    uint64_t h = hlo_hash_mix(hash_operation(v, instr), (uint64_t)(uintptr_t)instr->shape);
    return hlo_hash_mix(h, hash_operands(v, instr));
}

/* ---- equality ---- */

static bool same_instructions(const view *v, const hlo_instrs *a, const hlo_instrs *b) {
    if (a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (operand_key(v, a->v[i]) != operand_key(v, b->v[i])) return false;
    return true;
}

static bool same_attr(const view *v, const hlo_attr *a, const hlo_attr *b) {
    if (a->id != b->id) return false;
    switch (hlo_attr_table[a->id].kind) {
    case HLO_KIND_COMPUTATION:
    case HLO_KIND_COMPUTATIONS: return true; /* compared by what is called */
    case HLO_KIND_INSTRUCTIONS: return same_instructions(v, a->u.instructions, b->u.instructions);
    default: return hlo_attr_equal(a, b);
    }
}

/* Instructions of an opcode have their attributes in one order, so that lists are compared side by
 * side. */
static const hlo_attr *next_counting(const hlo_instr *instr, uint32_t *at) {
    while (*at < instr->attr_count && !counts(&instr->attrs[*at])) ++*at;
    return *at < instr->attr_count ? &instr->attrs[(*at)++] : NULL;
}

static bool same_attrs(const view *v, const hlo_instr *a, const hlo_instr *b) {
    uint32_t at_a = 0, at_b = 0;
    for (;;) {
        const hlo_attr *x = next_counting(a, &at_a), *y = next_counting(b, &at_b);
        if (!x && !y) return true;
        if (!x || !y || !same_attr(v, x, y)) return false;
    }
}

static bool same_callees(const view *v, const hlo_instr *a, const hlo_instr *b) {
    for (uint32_t k = 0;; k++) {
        const hlo_computation *x = hlo_called(a, k), *y = hlo_called(b, k);
        if (!x || !y) return x == y;
        if (callee_key(v, x) != callee_key(v, y)) return false;
    }
}

static bool same_operands(const view *v, const hlo_instr *a, const hlo_instr *b) {
    bool same = true, swapped = is_commutative(a);
    for (uint32_t i = 0; i < a->operand_count; i++)
        same &= operand_key(v, hlo_operand(a, i)) == operand_key(v, hlo_operand(b, i));
    for (uint32_t i = 0; swapped && i < 2; i++)
        swapped = operand_key(v, hlo_operand(a, i)) == operand_key(v, hlo_operand(b, 1 - i));
    return same || swapped;
}

static bool same_operation(const view *v, const hlo_instr *a, const hlo_instr *b) {
    return a->opcode == b->opcode && a->operand_count == b->operand_count && same_attrs(v, a, b) &&
           same_callees(v, a, b);
}

static bool same_instr(const view *v, const hlo_instr *a, const hlo_instr *b) {
    return a->opcode == b->opcode && a->shape == b->shape && a->operand_count == b->operand_count &&
           same_operands(v, a, b) && same_operation(v, a, b);
}

static const view as_they_are = {NULL, false}, by_index = {NULL, true};

bool hlo_computes_same(const hlo_instr *a, const hlo_instr *b) {
    return same_instr(&as_they_are, a, b);
}

uint64_t hlo_computes_hash(const hlo_instr *instr) {
    return hash_instr(&as_they_are, instr);
}

bool hlo_may_be_merged(const hlo_call_graph *graph, const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_AFTER_ALL:
    case HLO_OP_ADD_DEPENDENCY: return false;
    default:
        return !(hlo_info(instr)->flags & HLO_OP_IS_ASYNC) && !hlo_call_graph_effect(graph, instr);
    }
}

bool hlo_computes_same_by_index(const hlo_instr *a, const hlo_instr *b) {
    return same_instr(&by_index, a, b);
}

uint64_t hlo_computes_hash_by_index(const hlo_instr *instr) {
    return hash_instr(&by_index, instr);
}

bool hlo_same_operation(const hlo_instr *a, const hlo_instr *b) {
    return same_operation(&as_they_are, a, b);
}

uint64_t hlo_operation_hash(const hlo_instr *instr) {
    return hash_operation(&as_they_are, instr);
}

/* ---- computations ---- */

static bool same_computation(const view *v, const hlo_computation *a, const hlo_computation *b) {
    if (a->instr_count != b->instr_count || a->root->index != b->root->index ||
        !hlo_str_equal(a->execution_thread, b->execution_thread))
        return false;
    const hlo_instr *y = b->first;
    for (const hlo_instr *x = a->first; x; x = x->next, y = y->next)
        if (!same_instr(v, x, y)) return false;
    return true;
}

static uint64_t hash_computation(const view *v, hlo_computation *c) {
    hlo_number_instructions(c);
    uint64_t h = hlo_hash_mix(c->instr_count, c->root->index);
    for (const hlo_instr *i = c->first; i; i = i->next) h = hlo_hash_mix(h, hash_instr(v, i));
    return h;
}

/* Bottom-up hash-consing: callees come first, so that computations which differ only in which of
 * several equal callees they name are equal, too. */
uint32_t *hlo_computation_kinds(hlo_module *module, const hlo_call_graph *graph) {
    uint32_t *kinds = hlo_calloc(module->next_id ? module->next_id : 1, sizeof *kinds);
    hlo_hash by_hash = {0}; /* places in the graph's order + 1 */
    view v = {kinds, true};
    for (uint32_t n = graph->count; n-- > 0;) {
        hlo_computation *c = graph->order[n];
        kinds[c->id] = c->id;
        if (!c->root) continue;
        uint64_t h = hash_computation(&v, c);
        const hlo_computation *same = NULL;
        hlo_hash_each (number, &by_hash, h) {
            same = graph->order[number - 1];
            if (same_computation(&v, c, same)) break;
            same = NULL;
        }
        if (same) kinds[c->id] = same->id;
        else hlo_hash_add(&by_hash, h, n + 1);
    }
    hlo_hash_free(&by_hash);
    return kinds;
}
