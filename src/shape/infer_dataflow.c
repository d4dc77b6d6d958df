/* Shapes of the primitives of dataflow and of stacks. */
#include "shape/rules.h"

static bool is_handle(const hlo_shape *shape) {
    return shape->type == HLO_OPAQUE;
}

static bool flows(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) || shape->type == HLO_TOKEN || is_handle(shape);
}

static bool expect_flowing(hlo_inference *in, uint32_t operand) {
    HLO_ASSERT(operand < in->n);
    return flows(in->operands[operand]) ||
           hlo_refuse(in, HLO_RULE_FLOW_VALUE, (int)operand,
                      "operand %u is %s and must be an array, a token or a stack", operand,
                      hlo_infer_text(in, in->operands[operand]));
}

/* ---- primitives ---- */

const hlo_shape *hlo_infer_pass_on(hlo_inference *in) {
    return expect_flowing(in, 0) ? in->operands[0] : NULL;
}

const hlo_shape *hlo_infer_switch(hlo_inference *in) {
    if (!expect_flowing(in, 0)) return NULL;
    if (hlo_shape_is_scalar(in->operands[1]) && in->operands[1]->type == HLO_PRED)
        return hlo_make_pair(in, in->operands[0], in->operands[0]);
    return hlo_infer_fail(in, HLO_RULE_FLOW_PREDICATE, 1, "operand 1 is %s and must be pred[]",
                          hlo_infer_text(in, in->operands[1]));
}

/* That of a next-iteration over the back edge is compared by the verifier: it may come later. */
const hlo_shape *hlo_infer_merge(hlo_inference *in) {
    if (!expect_flowing(in, 0)) return NULL;
    for (uint32_t i = 1; i < in->n; i++)
        if (!hlo_shapes_compatible(in->operands[0], in->operands[i], 0))
            return hlo_infer_fail(
                in, HLO_RULE_FLOW_VALUE, (int)i, "operand 0 is %s and operand %u is %s",
                hlo_infer_text(in, in->operands[0]), i, hlo_infer_text(in, in->operands[i]));
    return in->operands[0];
}

const hlo_shape *hlo_infer_edge_send(hlo_inference *in) {
    return expect_flowing(in, 0) ? hlo_make_tuple(in, NULL, 0) : NULL;
}

const hlo_shape *hlo_infer_edge_recv(hlo_inference *in) {
    if (!hlo_expect_stated(in) || flows(in->stated)) return in->stated;
    return hlo_infer_fail(in, HLO_RULE_FLOW_VALUE, HLO_NOWHERE,
                          "the result is %s and must be an array, a token or a stack",
                          hlo_infer_text(in, in->stated));
}

/* ---- stacks ---- */

static bool expect_handle(hlo_inference *in) {
    return is_handle(in->operands[0]) ||
           hlo_refuse(in, HLO_RULE_STACK_ELEMENT, 0, "operand 0 is %s and must be opaque[]",
                      hlo_infer_text(in, in->operands[0]));
}

const hlo_shape *hlo_infer_stack_create(hlo_inference *in) {
    const hlo_attr *element = hlo_infer_attr(in, HLO_ATTR_ELEMENT);
    if (!element || hlo_shape_is_array(element->u.shape))
        return hlo_shape_opaque(&in->module->shapes);
    return hlo_infer_fail(in, HLO_RULE_STACK_ELEMENT, HLO_AT(ELEMENT),
                          "the element is %s and must be an array",
                          hlo_infer_text(in, element->u.shape));
}

const hlo_shape *hlo_infer_stack_push(hlo_inference *in) {
    return expect_handle(in) && hlo_expect_array(in, 1) ? in->operands[0] : NULL;
}

const hlo_shape *hlo_infer_stack_pop(hlo_inference *in) {
    if (!expect_handle(in) || !hlo_expect_stated(in)) return NULL;
    const hlo_shape *stated = in->stated;
    if (hlo_shape_is_tuple(stated) && stated->rank == 2 && hlo_shape_is_array(stated->elements[1]))
        return hlo_make_pair(in, in->operands[0], stated->elements[1]);
    return hlo_infer_fail(in, HLO_RULE_RESULT_SHAPE, HLO_NOWHERE,
                          "the result is %s and must be a pair of the stack and an array",
                          hlo_infer_text(in, stated));
}
