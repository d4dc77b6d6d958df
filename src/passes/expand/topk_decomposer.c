/* topk-decomposer: topk as a sort and slices. */
#include "passes/expand/parts.h"

/* compare(first value, second value) in total order; positions are not looked at. */
hlo_computation *hlo_topk_comparator(hlo_rewriter *r, hlo_type type, bool descending) {
    hlo_shapes_table *shapes = &r->module->shapes;
    const hlo_shape *value = hlo_shape_scalar(shapes, type);
    const hlo_shape *position = hlo_shape_scalar(shapes, HLO_S32);
    hlo_body body = hlo_build_open(r, "compare");
    hlo_instr *a = hlo_build_parameter(r, &body, 0, value);
    hlo_instr *b = hlo_build_parameter(r, &body, 1, value);
    hlo_build_parameter(r, &body, 2, position);
    hlo_build_parameter(r, &body, 3, position);
    hlo_instr *before = hlo_build_compare(r, a, b, descending ? "GT" : "LT");
    if (hlo_type_is_float(type)) {
        const hlo_word_info *total = hlo_word_find(HLO_WORDS_COMPARE_TYPE, HLO_STR("TOTALORDER"));
        hlo_instr_set_attr(before, hlo_attr_of_int(HLO_ATTR_TYPE, total->number));
    }
    return hlo_build_close(r, &body, before);
}

/* Values and positions are sorted together, without changing the order of equals; the first k stay.
 */
hlo_instr *hlo_rewrite_expand_topk(hlo_rewriter *r, hlo_instr *topk) {
    hlo_instr *x = hlo_operand(topk, 0);
    int64_t last = (int64_t)x->shape->rank - 1, k = hlo_attr_int(topk, HLO_ATTR_K);
    bool largest = hlo_attr_int(topk, HLO_ATTR_LARGEST) != 0;
    hlo_instr *positions =
        hlo_build_iota(r, hlo_shape_with_type(&r->module->shapes, x->shape, HLO_S32), last);
    const hlo_shape *shapes[] = {x->shape, positions->shape};
    hlo_attr attrs[] = {
        hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &last, 1),
        hlo_attr_of_int(HLO_ATTR_IS_STABLE, 1),
        {.id = HLO_ATTR_TO_APPLY,
         .u.computation = hlo_topk_comparator(r, (hlo_type)x->shape->type, largest)}};
    hlo_instr *sorted =
        hlo_emit(r, HLO_OP_SORT, hlo_shape_tuple(&r->module->shapes, shapes, 2),
                 (hlo_instr *[]){x, positions}, 2, attrs, sizeof attrs / sizeof *attrs);
    hlo_instr *parts[2];
    for (int i = 0; i < 2; i++)
        parts[i] = hlo_build_as(hlo_build_slice(r, hlo_emit_element(r, sorted, i), last, 0, k),
                                topk->shape->elements[i]);
    return hlo_build_as(hlo_emit_tuple(r, parts, 2), topk->shape);
}
