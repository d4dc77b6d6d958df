/* One module of the two as the matching sees it: numbers of its instructions, and hashes of what
 * each is, computes and is used for. */
#include "diff/diff.h"

/* ---- hashes ---- */

/* Large constants are not distinguished when some text leaves their elements out. */
static bool is_distinguishable(const hlo_diff *d, const hlo_literal *literal) {
    if (hlo_literal_is_elided(literal)) return false;
    return !d->elides || hlo_shape_elements(literal->shape) <= HLO_SHOWN_ELEMENTS;
}

/* The layouts of a constant are those of its shape, which counts by itself. */
static uint64_t hash_elements(const hlo_diff *d, uint64_t h, const hlo_literal *literal) {
    if (!literal) return h;
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++)
        h = hash_elements(d, h, literal->elements[i]);
    if (!hlo_shape_is_array(literal->shape) || !is_distinguishable(d, literal)) return h;
    return hlo_literal_hash(h, literal);
}

/* By what it is, not by where it is: hashes decide the order in which equal things are paired,
 * which must be the same in every run. */
static uint64_t hash_shape(const hlo_shape *shape) {
    uint64_t h = hlo_hash_mix(shape->hash, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++)
        h = hlo_hash_mix(h, shape->elements ? hash_shape(shape->elements[i])
                                            : (uint64_t)shape->dims[i]);
    return h;
}

static uint64_t hash_own(const hlo_diff *d, const hlo_instr *instr, const hlo_shape *shape) {
    HLO_ASSERT(instr->opcode < HLO_OP_COUNT);
    uint64_t h = hlo_hash_mix(instr->opcode, instr->operand_count);
    h = hlo_hash_mix(h, hash_shape(shape));
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        const hlo_attr *attr = &instr->attrs[i];
        if (!hlo_diff_counts(d, attr)) continue;
        h = hlo_hash_mix(h, attr->id);
        hlo_attr same = hlo_diff_attr(d, attr);
        if (attr->id == HLO_ATTR_VALUE) h = hash_elements(d, h, attr->u.literal);
        else h = hlo_hash_mix(h, hlo_attr_hash(&same));
    }
    return h;
}

uint64_t hlo_diff_hash_value(const hlo_diff_side *side, const hlo_instr *instr) {
    uint64_t h = side->own[hlo_diff_number(side, instr)];
    for (uint32_t i = 0; i < instr->operand_count; i++)
        h = hlo_hash_mix(h, hlo_diff_operand_value(side, instr, i));
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        h = hlo_hash_mix(h, side->body[called->id]);
    return h;
}

hlo_instr **hlo_diff_order(hlo_computation *c, uint32_t *n) {
    hlo_instr **order = hlo_calloc(c->instr_count + 1, sizeof(hlo_instr *));
    *n = hlo_post_order(c, order);
    return order;
}

/* What an attribute of hlo_diff_edges names, one after the other; NULL: no more. */
static const hlo_instr *next_named(const hlo_instr *instr, int edge, uint32_t *i) {
    const hlo_attr *attr = hlo_instr_attr(instr, hlo_diff_edges[edge]);
    return attr && *i < attr->u.instructions->n ? attr->u.instructions->v[(*i)++] : NULL;
}

/* What stands in no operand list: the values of control predecessors and of back edges, and which
 * of several that look the same and have an effect is used where. */
static uint64_t hash_unhashed(const hlo_diff_side *side, const hlo_instr *instr) {
    uint32_t number = hlo_diff_number(side, instr);
    const hlo_instr *named;
    uint64_t h = 0;
    for (int k = 0; k < HLO_DIFF_EDGES; k++)
        for (uint32_t i = 0; (named = next_named(instr, k, &i));)
            h += hlo_hash_mix(side->value[hlo_diff_number(side, named)], 1 + (uint64_t)k);
    if (h) h = hlo_hash_mix(h, side->value[number]);
    if (hlo_diff_has_effect(side, instr))
        h += hlo_hash_mix(side->value[number], side->use[HLO_DIFF_USES - 1][number]);
    return h;
}

static void hash_edge(hlo_diff_side *side, uint32_t from, uint32_t to) {
    for (int k = 0; k < HLO_DIFF_USES; k++) {
        side->use[k][from] += hlo_hash_mix(side->own[to], 1);
        side->use[k][to] += hlo_hash_mix(k < 2 ? side->own[from] : side->value[from], 2);
    }
}

/* Control dependencies are hashed like uses, without a result. Those on `instr` are passed on to
 * what has to run before it, whose hashes are made later. A back edge distinguishes a
 * next-iteration, whose hash is made already, by what its merge begins with. */
static void hash_edges(hlo_diff_side *side, const hlo_instr *instr) {
    uint32_t number = hlo_diff_number(side, instr);
    const hlo_instr *named, *next = hlo_back_edge(instr);
    for (uint32_t i = 0; (named = next_named(instr, 0, &i));)
        hash_edge(side, hlo_diff_number(side, named), number);
    for (int k = 0; next && k < HLO_DIFF_USES; k++)
        side->use[k][hlo_diff_number(side, next)] += hlo_hash_mix(side->value[number], 3);
}

/* The opcodes of the users and the operand index of the result in them, but not their other
 * operands. The deepest hash is most specific, and changes with everything below; the others look
 * less far. */
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
            side->use[k][hlo_diff_number(side, order[i])] +=
                all[k] + (order[i]->parent->root == order[i]);
        hash_edges(side, order[i]);
    }
}

/* Called computations come first: recursion in the text is refused by the parser. */
static void hash_body(const hlo_diff *d, hlo_diff_side *side, hlo_computation *c) {
    uint32_t n;
    hlo_instr **order = hlo_diff_order(c, &n);
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = hlo_diff_number(side, order[i]);
        side->shape[number] = hlo_diff_comparable_shape(d, order[i]->shape);
        side->own[number] = hash_own(d, order[i], side->shape[number]);
        side->value[number] = hlo_diff_hash_value(side, order[i]);
        all += side->value[number]; /* what is dead has no place in an order */
    }
    hash_uses(side, order, n);
    for (uint32_t i = 0; i < n; i++) {
        side->has_effect[c->id] |= hlo_diff_has_effect(side, order[i]);
        all += hash_unhashed(side, order[i]);
    }
    hlo_free(order);
    all += hlo_hash_bytes(c->execution_thread.ptr, c->execution_thread.len);
    uint64_t root = c->root ? side->value[hlo_diff_number(side, c->root)] : 0;
    side->body[c->id] = hlo_hash_mix(root, all);
}

void hlo_diff_init_side(const hlo_diff *d, hlo_diff_side *side) {
    hlo_module *m = side->module;
    side->base = hlo_calloc(m->next_id + 1, sizeof *side->base);
    side->body = hlo_calloc(m->next_id + 1, sizeof *side->body);
    side->has_effect = hlo_calloc(m->next_id + 1, sizeof *side->has_effect);
    side->met = hlo_calloc(m->next_id + 1, sizeof(hlo_computation *));
    for (hlo_computation *c = m->first; c; c = c->next) {
        hlo_number_instructions(c);
        side->base[c->id] = side->total;
        side->total += c->instr_count;
    }
    side->partner = hlo_calloc(side->total + 1, sizeof(hlo_instr *));
    side->shape = hlo_calloc(side->total + 1, sizeof(hlo_shape *));
    side->own = hlo_calloc(side->total + 1, sizeof *side->own);
    side->value = hlo_calloc(side->total + 1, sizeof *side->value);
    for (int k = 0; k < HLO_DIFF_USES; k++)
        side->use[k] = hlo_calloc(side->total + 1, sizeof *side->use[k]);
    side->namesake = hlo_calloc(side->total + 1, sizeof(hlo_instr *));
    side->settled = hlo_calloc(side->total + 1, sizeof *side->settled);
    hlo_computation **order = hlo_calloc(m->computation_count + 1, sizeof(hlo_computation *));
    hlo_print_order(m, order);
    for (uint32_t i = 0; i < m->computation_count; i++) hash_body(d, side, order[i]);
    hlo_free(order);
}

void hlo_diff_free_side(hlo_diff_side *side) {
    hlo_free(side->base);
    hlo_free(side->body);
    hlo_free(side->has_effect);
    hlo_free(side->moved);
    hlo_free(side->met);
    hlo_free(side->partner);
    hlo_free(side->shape);
    hlo_free(side->own);
    hlo_free(side->value);
    for (int k = 0; k < HLO_DIFF_USES; k++) hlo_free(side->use[k]);
    hlo_free(side->namesake);
    hlo_free(side->settled);
}
