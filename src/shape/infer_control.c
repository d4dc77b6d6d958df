/* Shapes of calls, control flow, fusion, custom calls and of what only orders instructions. */
#include "shape/rules.h"

/* ---- calls ---- */

static bool check_arguments(hlo_inference *in, const hlo_signature *callee, uint32_t count) {
    HLO_ASSERT(count <= in->n && count <= callee->n);
    for (uint32_t i = 0; i < count; i++)
        if (!hlo_shapes_compatible(in->operands[i], callee->parameters[i], 0))
            return hlo_refuse(in, HLO_RULE_CALL_ARGUMENTS, (int)i,
                              "operand %u is %s and parameter %u of %s is %s", i,
                              hlo_infer_text(in, in->operands[i]), i, callee->name,
                              hlo_infer_text(in, callee->parameters[i]));
    return true;
}

const hlo_shape *hlo_infer_call(hlo_inference *in) {
    hlo_signature callee;
    if (!hlo_infer_callee(in, HLO_ATTR_TO_APPLY, &callee)) return NULL;
    if (callee.n != in->n)
        return hlo_infer_fail(in, HLO_RULE_CALL_ARGUMENTS, HLO_AT(TO_APPLY),
                              "%s has %s and the call %s", callee.name,
                              hlo_infer_count_text(in, callee.n, "parameter"),
                              hlo_infer_count_text(in, in->n, "operand"));
    return check_arguments(in, &callee, in->n) ? callee.result : NULL;
}

/* A fusion may have operands that its computation leaves unused. */
const hlo_shape *hlo_infer_fusion(hlo_inference *in) {
    hlo_signature fused;
    if (!hlo_infer_callee(in, HLO_ATTR_CALLS, &fused)) return NULL;
    if (fused.n > in->n)
        return hlo_infer_fail(in, HLO_RULE_CALL_ARGUMENTS, HLO_AT(CALLS),
                              "%s has %s and the fusion only %s", fused.name,
                              hlo_infer_count_text(in, fused.n, "parameter"),
                              hlo_infer_count_text(in, in->n, "operand"));
    return check_arguments(in, &fused, fused.n) ? fused.result : NULL;
}

/* The constraints of these two targets do not describe operand layouts. */
static bool constrains_otherwise(const hlo_inference *in) {
    const hlo_attr *target = hlo_infer_attr(in, HLO_ATTR_CUSTOM_CALL_TARGET);
    return target && (hlo_str_is(*target->u.string, "LayoutConstraint") ||
                      hlo_str_is(*target->u.string, "control_dep"));
}

const hlo_shape *hlo_infer_custom_call(hlo_inference *in) {
    const hlo_attr *constraints = hlo_infer_attr(in, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS);
    if (!hlo_expect_stated(in)) return NULL;
    if (!constraints || constrains_otherwise(in)) return in->stated;
    const hlo_shapes *shapes = constraints->u.shapes;
    if (shapes->n != in->n)
        return hlo_infer_fail(in, HLO_RULE_CUSTOM_CALL_LAYOUTS, HLO_AT(OPERAND_LAYOUT_CONSTRAINTS),
                              "operand_layout_constraints is for %u and the call has %s", shapes->n,
                              hlo_infer_count_text(in, in->n, "operand"));
    for (uint32_t i = 0; i < in->n; i++)
        if (!hlo_shapes_compatible(in->operands[i], shapes->v[i], 0))
            return hlo_infer_fail(in, HLO_RULE_CUSTOM_CALL_LAYOUTS, (int)i,
                                  "operand %u is %s and its layout constraint is %s", i,
                                  hlo_infer_text(in, in->operands[i]),
                                  hlo_infer_text(in, shapes->v[i]));
    return in->stated;
}

/* ---- while ---- */

static bool takes_state(hlo_inference *in, hlo_attr_id id, const hlo_signature *callee) {
    const hlo_shape *state = in->operands[0];
    if (callee->n != 1)
        return hlo_refuse(in, HLO_RULE_WHILE_SIGNATURE, hlo_at_attr(id),
                          "%s %s has %s and must have one", hlo_attr_table[id].text, callee->name,
                          hlo_infer_count_text(in, callee->n, "parameter"));
    if (hlo_shapes_compatible(callee->parameters[0], state, 0)) return true;
    return hlo_refuse(in, HLO_RULE_WHILE_SIGNATURE, hlo_at_attr(id),
                      "%s %s takes %s and the state is %s", hlo_attr_table[id].text, callee->name,
                      hlo_infer_text(in, callee->parameters[0]), hlo_infer_text(in, state));
}

const hlo_shape *hlo_infer_while(hlo_inference *in) {
    hlo_signature condition, body;
    if (!hlo_infer_callee(in, HLO_ATTR_CONDITION, &condition) ||
        !hlo_infer_callee(in, HLO_ATTR_BODY, &body) ||
        !takes_state(in, HLO_ATTR_CONDITION, &condition) || !takes_state(in, HLO_ATTR_BODY, &body))
        return NULL;
    if (!hlo_is_scalar_of(condition.result, HLO_PRED))
        return hlo_infer_fail(in, HLO_RULE_WHILE_SIGNATURE, HLO_AT(CONDITION),
                              "condition %s returns %s and must return pred[]", condition.name,
                              hlo_infer_text(in, condition.result));
    if (!hlo_shapes_compatible(body.result, in->operands[0], 0))
        return hlo_infer_fail(in, HLO_RULE_WHILE_SIGNATURE, HLO_AT(BODY),
                              "body %s returns %s and the state is %s", body.name,
                              hlo_infer_text(in, body.result), hlo_infer_text(in, in->operands[0]));
    return in->operands[0];
}

/* ---- conditional ---- */

static uint32_t branch_count(const hlo_inference *in) {
    const hlo_attr *list = hlo_infer_attr(in, HLO_ATTR_BRANCH_COMPUTATIONS);
    if (list) return list->u.computations->n;
    return hlo_infer_attr(in, HLO_ATTR_TRUE_COMPUTATION) &&
                   hlo_infer_attr(in, HLO_ATTR_FALSE_COMPUTATION)
               ? 2
               : 0;
}

/* Where branch i is named. */
static int branch_at(const hlo_inference *in, uint32_t i) {
    HLO_ASSERT(i < branch_count(in));
    if (hlo_infer_attr(in, HLO_ATTR_BRANCH_COMPUTATIONS)) return HLO_AT(BRANCH_COMPUTATIONS);
    return i ? HLO_AT(FALSE_COMPUTATION) : HLO_AT(TRUE_COMPUTATION);
}

static bool branch_signature(hlo_inference *in, uint32_t i, hlo_signature *out) {
    const hlo_attr *list = hlo_infer_attr(in, HLO_ATTR_BRANCH_COMPUTATIONS);
    if (list) return hlo_infer_signature(in, list->u.computations->v[i], out);
    return hlo_infer_callee(in, i ? HLO_ATTR_FALSE_COMPUTATION : HLO_ATTR_TRUE_COMPUTATION, out);
}

static bool check_index(hlo_inference *in, uint32_t branches) {
    const hlo_shape *index = in->operands[0];
    if (!hlo_is_scalar_of(index, HLO_PRED) && !hlo_is_scalar_of(index, HLO_S32))
        return hlo_refuse(in, HLO_RULE_CONDITIONAL_INDEX, 0,
                          "operand 0 is %s and must be pred[] or s32[]", hlo_infer_text(in, index));
    if (branches == 0 || (index->type == HLO_PRED && branches != 2))
        return hlo_refuse(in, HLO_RULE_CONDITIONAL_INDEX, 0, "%s cannot choose between %s",
                          hlo_infer_text(in, index),
                          hlo_infer_count_text(in, branches, "computation"));
    if (in->n == branches + 1) return true;
    return hlo_refuse(in, HLO_RULE_CONDITIONAL_BRANCHES, HLO_NOWHERE,
                      "it has %s and needs %u: the index and one for each branch",
                      hlo_infer_count_text(in, in->n, "operand"), branches + 1);
}

static bool check_branch(hlo_inference *in, uint32_t i, const hlo_signature *branch,
                         const hlo_signature *first) {
    const hlo_shape *operand = in->operands[i + 1];
    if (branch->n != 1)
        return hlo_refuse(in, HLO_RULE_CONDITIONAL_BRANCHES, branch_at(in, i),
                          "branch %u, %s, has %s and must have one", i, branch->name,
                          hlo_infer_count_text(in, branch->n, "parameter"));
    if (!hlo_shapes_compatible(branch->parameters[0], operand, 0))
        return hlo_refuse(in, HLO_RULE_CONDITIONAL_BRANCHES, (int)(i + 1),
                          "branch %u, %s, takes %s and operand %u is %s", i, branch->name,
                          hlo_infer_text(in, branch->parameters[0]), i + 1,
                          hlo_infer_text(in, operand));
    if (!hlo_shapes_compatible(branch->result, first->result, 0))
        return hlo_refuse(in, HLO_RULE_CONDITIONAL_BRANCHES, branch_at(in, i),
                          "branch %u, %s, returns %s and branch 0, %s, returns %s", i, branch->name,
                          hlo_infer_text(in, branch->result), first->name,
                          hlo_infer_text(in, first->result));
    return true;
}

/* The first shape with a dynamic mark wherever one of the two has it. */
static const hlo_shape *join_dynamic(hlo_inference *in, const hlo_shape *a, const hlo_shape *b) {
    if (a == b || !b->dynamic) return a;
    if (hlo_shape_is_tuple(a)) {
        const hlo_shape **elements = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, a->rank);
        for (uint32_t i = 0; i < a->rank; i++) {
            elements[i] = join_dynamic(in, a->elements[i], b->elements[i]);
            if (!elements[i]) return NULL;
        }
        return hlo_make_tuple(in, elements, a->rank);
    }
    if (!hlo_shape_is_array(a)) return a;
    hlo_dims dims = hlo_dims_of(in, a);
    for (uint32_t i = 0; i < a->rank; i++) dims.dynamic[i] |= hlo_dim_is_dynamic(b, i);
    return hlo_make_like(in, a, (hlo_type)a->type, dims);
}

const hlo_shape *hlo_infer_conditional(hlo_inference *in) {
    uint32_t branches = branch_count(in);
    if (!check_index(in, branches)) return NULL;
    hlo_signature first, branch;
    if (!branch_signature(in, 0, &first)) return NULL;
    const hlo_shape *result = first.result;
    for (uint32_t i = 0; i < branches; i++) {
        if (!branch_signature(in, i, &branch) || !check_branch(in, i, &branch, &first)) return NULL;
        result = join_dynamic(in, result, branch.result);
        if (!result) return NULL;
    }
    return result;
}

/* ---- order and passing on ---- */

const hlo_shape *hlo_infer_opt_barrier(hlo_inference *in) {
    return in->operands[0];
}

const hlo_shape *hlo_infer_domain(hlo_inference *in) {
    return in->operands[0];
}

const hlo_shape *hlo_infer_add_dependency(hlo_inference *in) {
    return hlo_expect_token(in, 1) ? in->operands[0] : NULL;
}

/* XLA lets it wait for values of any shape. */
const hlo_shape *hlo_infer_after_all(hlo_inference *in) {
    return hlo_shape_token(&in->module->shapes);
}
