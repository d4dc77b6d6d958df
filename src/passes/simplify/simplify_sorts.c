/* simplify-sorts: removes sorted operands whose results are unused. A pattern. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

/* Result k is taken, or the sort is used otherwise. */
static bool is_needed(const hlo_instr *sort, uint32_t k) {
    HLO_ASSERT(sort->opcode == HLO_OP_SORT);
    if (sort->parent->root == sort) return true;
    for (const hlo_use *use = sort->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT ||
            hlo_attr_int(use->user, HLO_ATTR_INDEX) == k)
            return true;
    const hlo_computation *less = hlo_called(sort, 0);
    const hlo_instr *a = less->parameters[(size_t)2 * k], *b = less->parameters[(size_t)2 * k + 1];
    return a->first_use || b->first_use || less->root == a || less->root == b;
}

/* A copy of the comparator without the parameters of what is not sorted any more. */
static hlo_computation *narrow_comparator(hlo_computation *less, const bool *keep) {
    hlo_computation *copy = hlo_computation_clone(less, "clone");
    uint32_t kept = 0;
    for (uint32_t p = 0; p < copy->parameter_count; p++) {
        hlo_instr *parameter = copy->parameters[p];
        if (!keep[p / 2]) {
            hlo_instr_remove(parameter);
            parameter->parent = NULL;
            continue;
        }
        hlo_instr_set_attr(parameter, hlo_attr_of_int(HLO_ATTR_PARAMETER_NUMBER, kept));
        copy->parameters[kept++] = parameter;
    }
    copy->parameter_count = kept;
    return copy;
}

static hlo_instr *narrow_sort(hlo_rewriter *r, hlo_instr *sort, const bool *keep, uint32_t n) {
    hlo_instr **kept = hlo_malloc((n + 1u) * sizeof *kept);
    const hlo_shape **shapes = hlo_malloc((n + 1u) * sizeof *shapes);
    uint32_t at = 0;
    for (uint32_t k = 0; k < sort->operand_count; k++) {
        if (!keep[k]) continue;
        kept[at] = hlo_operand(sort, k);
        shapes[at++] = sort->shape->elements[k];
    }
    const hlo_shape *shape = n == 1 ? shapes[0] : hlo_shape_tuple(&r->module->shapes, shapes, n);
    hlo_instr *by = hlo_emit_like(r, sort, shape, kept, n);
    HLO_ASSERT(sort->opcode == HLO_OP_SORT);
    hlo_instr_set_attr(by,
                       (hlo_attr){.id = HLO_ATTR_TO_APPLY,
                                  .u.computation = narrow_comparator(hlo_called(sort, 0), keep)});
    hlo_free(kept);
    hlo_free(shapes);
    return by;
}

/* Operands that are no longer sorted are passed through: their results are unused. */
hlo_instr *hlo_rewrite_sort_unused(hlo_rewriter *r, hlo_instr *sort) {
    uint32_t all = sort->operand_count, n = 0;
    if (!hlo_shape_is_tuple(sort->shape) || hlo_instr_attr(sort, HLO_ATTR_SHARDING)) return NULL;
    bool *keep = hlo_calloc(all + 1u, sizeof *keep);
    for (uint32_t k = 0; k < all; k++) n += keep[k] = is_needed(sort, k);
    hlo_instr *by = NULL;
    if (n && n < all) {
        hlo_instr *narrow = narrow_sort(r, sort, keep, n), **elements = NULL;
        elements = hlo_malloc(all * sizeof *elements);
        uint32_t at = 0;
        for (uint32_t k = 0; k < all; k++) {
            if (!keep[k]) elements[k] = hlo_operand(sort, k);
            else elements[k] = n == 1 ? narrow : hlo_emit_element(r, narrow, at++);
        }
        by = hlo_emit_tuple(r, elements, all);
        hlo_free(elements);
    }
    hlo_free(keep);
    return by;
}
