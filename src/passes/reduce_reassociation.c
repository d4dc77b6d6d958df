/* reduce-reassociation: results of reductions that are combined by the operation of the reductions
 * need not be reduced apart. Patterns, called by patterns.c. Reductions of one array by one
 * operation; sums may be taken in another order. */
#include "passes/emit.h"
#include "passes/match.h"

typedef struct {
    hlo_instr *operand, *init;
    const hlo_ints *dims;
    hlo_computation *computation;
} reduction;

static bool is_associative(hlo_opcode opcode) {
    switch (opcode) {
    case HLO_OP_ADD:
    case HLO_OP_MULTIPLY:
    case HLO_OP_MINIMUM:
    case HLO_OP_MAXIMUM:
    case HLO_OP_AND:
    case HLO_OP_OR:
    case HLO_OP_XOR: return true;
    default: return false;
    }
}

/* A reduction by the operation, in the type of its operand, that nobody else uses. */
static bool is_reduction(const hlo_instr *instr, hlo_opcode opcode, reduction *out) {
    if (instr->opcode != HLO_OP_REDUCE || instr->operand_count != 2 || !hlo_has_one_user(instr))
        return false;
    out->operand = hlo_operand(instr, 0);
    out->init = hlo_operand(instr, 1);
    out->dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    out->computation = hlo_called(instr, 0);
    return out->operand->shape->type == instr->shape->type && !out->operand->shape->dynamic &&
           hlo_binary_computation(out->computation) == opcode;
}

static bool same_dims(const hlo_ints *a, const hlo_ints *b) {
    bool same = a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++) same = hlo_ints_contain(b, a->v[i]);
    return same;
}

static bool can_be_joined(const hlo_instr *x, const hlo_instr *y, hlo_opcode opcode, reduction *a,
                          reduction *b) {
    return is_reduction(x, opcode, a) && is_reduction(y, opcode, b) &&
           a->operand->shape == b->operand->shape && same_dims(a->dims, b->dims);
}

/* Both initial values in one. */
static hlo_instr *joined_init(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    if (hlo_is_neutral(opcode, a)) return b;
    if (hlo_is_neutral(opcode, b)) return a;
    return hlo_emit_binary(r, opcode, a->shape, a, b);
}

hlo_instr *hlo_rewrite_join_reductions(hlo_rewriter *r, hlo_instr *instr) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    reduction a, b;
    if (!is_associative(opcode) ||
        !can_be_joined(hlo_operand(instr, 0), hlo_operand(instr, 1), opcode, &a, &b))
        return NULL;
    hlo_instr *both = hlo_emit_binary(r, opcode, a.operand->shape, a.operand, b.operand);
    hlo_instr *init = joined_init(r, opcode, a.init, b.init);
    return hlo_emit_reduce(r, instr->shape, both, init, a.dims, a.computation);
}

/* The operand of `inner` that could be joined with the reduction, when the two operands of `inner`
 * could not be joined with each other; the other one to *rest. */
static hlo_instr *partner(const hlo_instr *inner, const hlo_instr *reduce, hlo_instr **rest) {
    hlo_opcode opcode = (hlo_opcode)inner->opcode;
    hlo_instr *x = hlo_operand(inner, 0), *y = hlo_operand(inner, 1);
    reduction a, b;
    if (can_be_joined(x, y, opcode, &a, &b)) return NULL;
    bool first = can_be_joined(x, reduce, opcode, &a, &b);
    if (!first && !can_be_joined(y, reduce, opcode, &a, &b)) return NULL;
    *rest = first ? y : x;
    return first ? x : y;
}

hlo_instr *hlo_rewrite_reductions_meet(hlo_rewriter *r, hlo_instr *instr) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    for (uint32_t i = 0; is_associative(opcode) && i < 2; i++) {
        hlo_instr *inner = hlo_operand(instr, i), *reduce = hlo_operand(instr, 1 - i), *rest;
        if (inner->opcode != opcode || reduce->opcode != HLO_OP_REDUCE || !hlo_has_one_user(inner))
            continue;
        hlo_instr *other = partner(inner, reduce, &rest);
        if (!other) continue;
        hlo_instr *both = hlo_emit_binary(r, opcode, instr->shape, other, reduce);
        return hlo_emit_binary(r, opcode, instr->shape, both, rest);
    }
    return NULL;
}

/* ---- initial values ---- */

/* In any order the same bits. */
static bool is_exact(hlo_opcode opcode, hlo_type type) {
    bool rounds = opcode == HLO_OP_ADD || opcode == HLO_OP_MULTIPLY;
    return !rounds || hlo_type_is_integral(type);
}

static hlo_instr *scalar_of(hlo_instr *instr) {
    if (instr->opcode == HLO_OP_BROADCAST) instr = hlo_operand(instr, 0);
    return instr->shape->rank == 0 ? instr : NULL;
}

hlo_instr *hlo_rewrite_reduction_takes_init(hlo_rewriter *r, hlo_instr *instr) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    if (!is_associative(opcode) || !is_exact(opcode, (hlo_type)instr->shape->type)) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *scalar = scalar_of(hlo_operand(instr, 1 - i));
        reduction a;
        if (!scalar || !is_reduction(hlo_operand(instr, i), opcode, &a)) continue;
        return hlo_emit_reduce(r, instr->shape, a.operand, joined_init(r, opcode, a.init, scalar),
                               a.dims, a.computation);
    }
    return NULL;
}

/* ---- reductions of reductions ---- */

/* Dimensions of the inner array that both reductions reduce together. */
static const hlo_ints *dims_of_both(hlo_rewriter *r, const hlo_ints *outer,
                                    const reduction *inner) {
    uint32_t rank = inner->operand->shape->rank, n = 0, left = 0;
    hlo_ints *dims = hlo_ints_new(&r->module->arena, outer->n + inner->dims->n);
    for (uint32_t d = 0; d < rank; d++) {
        bool first = hlo_ints_contain(inner->dims, d);
        if (first || hlo_ints_contain(outer, left)) dims->v[n++] = d;
        left += !first;
    }
    return dims;
}

/* The initial value counts once: the second reduction begins with its own, which is neutral. */
hlo_instr *hlo_rewrite_reduce_parts_apart(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_instr *sum = hlo_operand(instr, 0);
    hlo_opcode opcode = hlo_binary_computation(hlo_called(instr, 0));
    reduction a, b;
    if (instr->operand_count != 2 || opcode != sum->opcode || !is_associative(opcode)) return NULL;
    if (!hlo_has_one_user(sum) || sum->shape->type != instr->shape->type) return NULL;
    if (!is_reduction(hlo_operand(sum, 0), opcode, &a) ||
        !is_reduction(hlo_operand(sum, 1), opcode, &b))
        return NULL;
    bool joined = a.operand->shape == b.operand->shape && same_dims(a.dims, b.dims);
    if (joined || !hlo_is_neutral(opcode, a.init) || !hlo_is_neutral(opcode, b.init)) return NULL;
    hlo_instr *x = hlo_emit_reduce(r, instr->shape, a.operand, hlo_operand(instr, 1),
                                   dims_of_both(r, dims, &a), a.computation);
    hlo_instr *y = hlo_emit_reduce(r, instr->shape, b.operand, b.init, dims_of_both(r, dims, &b),
                                   b.computation);
    return hlo_emit_binary(r, opcode, instr->shape, x, y);
}
