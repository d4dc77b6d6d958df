/* The rules of sort and topk: elements go back to where they came from. A sort that is
 * differentiated carries the places of its elements along (prepare.c); a topk has them anyway. */
#include "passes/autodiff/indexed.h"
#include "passes/autodiff/prepared.h"
#include "passes/pipeline/inline.h"

/* ---- places of sorted elements ---- */

static int64_t sorted_dimension(const hlo_instr *sort) {
    HLO_ASSERT(sort->opcode == HLO_OP_SORT);
    return hlo_attr_ints(sort, HLO_ATTR_DIMENSIONS)->v[0];
}

/* The last operand counts up along the dimension, and is not compared. */
static bool has_places(const hlo_instr *sort) {
    HLO_ASSERT(sort->opcode == HLO_OP_SORT);
    const hlo_computation *comparator = hlo_called(sort, 0);
    const hlo_instr *last = hlo_operand(sort, sort->operand_count - 1);
    return sort->operand_count > 1 && last->opcode == HLO_OP_IOTA &&
           hlo_attr_int(last, HLO_ATTR_IOTA_DIMENSION) == sorted_dimension(sort) &&
           !comparator->parameters[comparator->parameter_count - 1]->first_use &&
           !comparator->parameters[comparator->parameter_count - 2]->first_use;
}

/* The same comparator of two values more, which it does not look at. */
static hlo_computation *wider_comparator(hlo_rewriter *r, hlo_computation *comparator,
                                         hlo_type type) {
    const hlo_shape *place = hlo_shape_scalar(&r->module->shapes, type);
    uint32_t n = comparator->parameter_count;
    hlo_instr **args = hlo_malloc((n + 1u) * sizeof *args);
    hlo_body body = hlo_build_open(r, "compare");
    for (uint32_t i = 0; i < n; i++)
        args[i] = hlo_build_parameter(r, &body, i, comparator->parameters[i]->shape);
    for (uint32_t i = 0; i < 2; i++) hlo_build_parameter(r, &body, n + i, place);
    hlo_instr *root = hlo_inline_body(r, comparator, args);
    hlo_free(args);
    return hlo_build_close(r, &body, root);
}

static hlo_instr *places_of(hlo_rewriter *r, const hlo_instr *sort) {
    int64_t dimension = sorted_dimension(sort);
    const hlo_shape *shape = hlo_operand(sort, 0)->shape;
    hlo_type type = shape->dims[dimension] <= INT32_MAX ? HLO_S32 : HLO_S64;
    return hlo_build_iota(r, hlo_shape_with_type(&r->module->shapes, shape, type), dimension);
}

/* The results that the sort has had. */
static hlo_instr *first_results(hlo_rewriter *r, const hlo_instr *sort, hlo_instr *wider) {
    if (hlo_shape_is_array(sort->shape)) return hlo_emit_element(r, wider, 0);
    hlo_instr **parts = hlo_malloc(sort->operand_count * sizeof *parts);
    for (uint32_t i = 0; i < sort->operand_count; i++) parts[i] = hlo_emit_element(r, wider, i);
    hlo_instr *tuple = hlo_emit_tuple(r, parts, sort->operand_count);
    hlo_free(parts);
    return tuple;
}

hlo_instr *hlo_sort_with_places(hlo_rewriter *r, hlo_instr *sort) {
    uint32_t n = sort->operand_count;
    if (has_places(sort) || sort->shape->dynamic) return NULL;
    hlo_instr **operands = hlo_malloc((n + 1u) * sizeof *operands);
    const hlo_shape **shapes = hlo_malloc((n + 1u) * sizeof *shapes);
    for (uint32_t i = 0; i < n; i++) operands[i] = hlo_operand(sort, i);
    operands[n] = places_of(r, sort);
    for (uint32_t i = 0; i <= n; i++) shapes[i] = operands[i]->shape;
    for (uint32_t i = 0; i < n && n > 1; i++) shapes[i] = sort->shape->elements[i];
    hlo_type type = (hlo_type)operands[n]->shape->type;
    hlo_computation *comparator = wider_comparator(r, hlo_called(sort, 0), type);
    hlo_instr *wider =
        hlo_emit_like(r, sort, hlo_shape_tuple(&r->module->shapes, shapes, n + 1), operands, n + 1);
    HLO_ASSERT(sort->opcode == HLO_OP_SORT);
    hlo_set_called(r, wider, &comparator);
    hlo_instr_set_attr(wider, hlo_attr_of_int(HLO_ATTR_IS_STABLE, 1));
    hlo_free(operands);
    hlo_free(shapes);
    return first_results(r, sort, wider);
}

/* ---- rules ---- */

bool hlo_gradient_sort(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    (void)cotangent;
    if (instr->shape->dynamic) return hlo_gradient_refuse_dynamic(g, instr);
    uint32_t last = instr->operand_count - 1;
    hlo_instr *places = hlo_gradient_element(g, instr, last);
    HLO_ASSERT(instr->opcode == HLO_OP_SORT);
    const hlo_shape *shape = places->shape;
    hlo_indexed x = hlo_indexed_along(g, shape, shape, sorted_dimension(instr));
    for (uint32_t i = 0; i < last; i++) {
        hlo_instr *c = hlo_gradient_cotangent(g, instr, i);
        if (c && hlo_gradient_is_needed(g, instr, i))
            hlo_gradient_add(g, instr, i, hlo_indexed_sum(g, &x, places, c, true));
    }
    return true;
}

bool hlo_gradient_topk(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    (void)cotangent;
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    if (shape->dynamic) return hlo_gradient_refuse_dynamic(g, instr);
    hlo_instr *c = hlo_gradient_cotangent(g, instr, 0);
    hlo_instr *places = hlo_gradient_element(g, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_TOPK || instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_indexed x = hlo_indexed_along(g, shape, c->shape, shape->rank - 1);
    hlo_gradient_add(g, instr, 0, hlo_indexed_sum(g, &x, places, c, true));
    return true;
}
