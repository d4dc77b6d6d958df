/* dot_dimension_sorter: contracting dimensions that are adjacent are listed in ascending order, so
 * that the operand that has them need not be transposed. A pattern. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

/* Different numbers without gaps, in any order. */
static bool are_neighbours(const hlo_ints *dims) {
    int64_t least = dims->v[0], most = dims->v[0];
    for (uint32_t i = 1; i < dims->n; i++) {
        if (dims->v[i] < least) least = dims->v[i];
        if (dims->v[i] > most) most = dims->v[i];
    }
    return most - least + 1 == dims->n;
}

/* Neither side gets worse: what is not sorted is sorted with, or is scattered anyway. */
static bool is_worth_it(const hlo_ints *lhs, const hlo_ints *rhs) {
    bool left = are_neighbours(lhs), right = are_neighbours(rhs);
    bool sort_left = left && !hlo_ints_ascend(lhs), sort_right = right && !hlo_ints_ascend(rhs);
    return (sort_left && (!right || sort_right)) || (sort_right && !left);
}

static void set_sorted(hlo_rewriter *r, hlo_instr *dot, hlo_attr_id id, const hlo_ints *dims,
                       const hlo_ints *key) {
    hlo_ints *sorted = hlo_ints_new(&r->module->arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) {
        uint32_t place = 0;
        for (uint32_t k = 0; k < key->n; k++) place += key->v[k] < key->v[i];
        sorted->v[place] = dims->v[i];
    }
    hlo_instr_set_attr(dot, (hlo_attr){.id = (uint16_t)id, .u.ints = sorted});
}

hlo_instr *hlo_rewrite_sort_contracted(hlo_rewriter *r, hlo_instr *dot) {
    const hlo_ints *lhs = hlo_attr_ints(dot, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *rhs = hlo_attr_ints(dot, HLO_ATTR_RHS_CONTRACTING_DIMS);
    hlo_instr *operands[] = {hlo_operand(dot, 0), hlo_operand(dot, 1)};
    if (!operands[0]->shape->plain_layout || !operands[1]->shape->plain_layout) return NULL;
    if (lhs->n == 0 || !is_worth_it(lhs, rhs)) return NULL;
    const hlo_ints *key = are_neighbours(lhs) ? lhs : rhs;
    hlo_instr *by = hlo_emit_like(r, dot, dot->shape, operands, 2);
    set_sorted(r, by, HLO_ATTR_LHS_CONTRACTING_DIMS, lhs, key);
    set_sorted(r, by, HLO_ATTR_RHS_CONTRACTING_DIMS, rhs, key);
    return by;
}
