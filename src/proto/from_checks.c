/* Checks of single instructions: counts, required attributes, and by opcode what the rest of the
 * library takes for granted. Called by from_instr.c. */
#include "proto/from_checks.h"

static hlo_attr *attr_of(const hlo_instr_draft *d, hlo_attr_id id) {
    for (uint32_t i = 0; i < d->attr_count; i++)
        if (d->attrs[i].id == id) return &d->attrs[i];
    return NULL;
}

/* ---- for all opcodes ---- */

static bool check_count(hlo_reader *r, const hlo_instr_draft *d) {
    const hlo_op_info *info = &hlo_ops[d->opcode];
    uint32_t n = d->operand_count;
    bool few = info->min_operands >= 0 && n < (uint32_t)info->min_operands;
    bool many = info->max_operands >= 0 && n > (uint32_t)info->max_operands;
    bool odd =
        (info->arity == HLO_ARITY_EVEN && n % 2) || (info->arity == HLO_ARITY_ODD && n % 2 == 0);
    if (!few && !many && !odd) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_OPERAND_COUNT, "%s cannot have %u operands",
                        info->text, n);
}

static bool check_required(hlo_reader *r, const hlo_instr_draft *d) {
    for (const uint16_t *a = hlo_ops[d->opcode].attrs; *a != HLO_ATTR_COUNT; a++) {
        hlo_attr_id id = (hlo_attr_id)(*a & HLO_ATTR_MASK);
        if (!(*a & HLO_ATTR_REQUIRED) || attr_of(d, id)) continue;
        return hlo_node_bad(r, d->node, HLO_RULE_MISSING_ATTRIBUTE,
                            "%s requires the fields of %s=", hlo_ops[d->opcode].text,
                            hlo_attr_table[id].text);
    }
    return true;
}

/* ---- by opcode ---- */

typedef bool check(hlo_reader *r, hlo_instr_draft *d);

static bool one_dimension(hlo_reader *r, hlo_instr_draft *d) {
    const hlo_attr *dims = attr_of(d, HLO_ATTR_DIMENSIONS);
    if (!dims || dims->u.ints->n == 1) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_ATTRIBUTE_VALUE, "%s takes exactly one dimension",
                        hlo_ops[d->opcode].text);
}

static bool branches(hlo_reader *r, hlo_instr_draft *d) {
    const hlo_shape *index = d->operands[0]->shape;
    if (!hlo_shape_is_scalar(index) || (index->type != HLO_PRED && index->type != HLO_S32))
        return hlo_node_bad(r, d->node, HLO_RULE_CONDITIONAL_INDEX,
                            "the branch index of a conditional is pred[] or s32[], not %s",
                            hlo_shape_name(&r->scratch, index));
    const hlo_attr *list = attr_of(d, HLO_ATTR_BRANCH_COMPUTATIONS);
    uint32_t n = index->type == HLO_PRED ? 2 : list ? list->u.computations->n : 0;
    if (n && n + 1 == d->operand_count) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_OPERAND_COUNT,
                        "a conditional of %u branches has %u operands instead of %u", n,
                        d->operand_count, n + 1);
}

/* One scalar index for each dimension, or one vector of them, after the first `fixed` operands. */
static bool index_operands(hlo_reader *r, const hlo_instr_draft *d, uint32_t fixed) {
    uint32_t n = d->operand_count - fixed;
    const hlo_shape *sliced = d->operands[0]->shape;
    if (!hlo_shape_is_array(sliced) || n == sliced->rank) return true;
    const hlo_shape *index = n == 1 ? d->operands[fixed]->shape : NULL;
    if (index && hlo_shape_is_array(index) && index->rank == 1) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_OPERAND_COUNT, "%s of %s has %u index operands",
                        hlo_ops[d->opcode].text, hlo_shape_name(&r->scratch, sliced), n);
}

static bool slice_indices(hlo_reader *r, hlo_instr_draft *d) {
    return index_operands(r, d, 1);
}

static bool update_indices(hlo_reader *r, hlo_instr_draft *d) {
    return index_operands(r, d, 2);
}

static bool tuple_elements(hlo_reader *r, hlo_instr_draft *d) {
    if (hlo_shape_is_tuple(d->shape) && d->shape->rank == d->operand_count) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_OPERAND_COUNT,
                        "a tuple of %u operands has the shape %s", d->operand_count,
                        hlo_shape_name(&r->scratch, d->shape));
}

static bool scan_operands(hlo_reader *r, hlo_instr_draft *d) {
    const hlo_computation *step = attr_of(d, HLO_ATTR_TO_APPLY)->u.computation;
    if (!one_dimension(r, d)) return false;
    if (step->parameter_count == d->operand_count) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_OPERAND_COUNT,
                        "the computation of this scan has %u parameters, %u operands are given",
                        step->parameter_count, d->operand_count);
}

static bool parameter(hlo_reader *r, hlo_instr_draft *d) {
    const hlo_attr *number = attr_of(d, HLO_ATTR_PARAMETER_NUMBER);
    const hlo_attr *leaves = attr_of(d, HLO_ATTR_PARAMETER_REPLICATION);
    if (number->u.i < 0 || number->u.i > UINT32_MAX)
        return hlo_node_bad(r, d->node, HLO_RULE_PARAMETER_NUMBERS, "parameter number %lld",
                            (long long)number->u.i);
    if (!leaves || leaves->u.ints->n == hlo_shape_leaf_count(d->shape)) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_ATTRIBUTE_VALUE,
                        "parameterReplication must have a value for each leaf of the shape");
}

/* Same arrays in the same order of elements; tiles and memory spaces are the constant's own. */
static bool is_laid_out_alike(const hlo_shape *a, const hlo_shape *b) {
    if (!hlo_shape_compatible(a, b)) return false;
    for (uint32_t i = 0; a->elements && i < a->rank; i++)
        if (!is_laid_out_alike(a->elements[i], b->elements[i])) return false;
    if (!hlo_shape_is_array(a)) return true;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->layout->minor_to_major[i] != b->layout->minor_to_major[i]) return false;
    return true;
}

static bool constant(hlo_reader *r, hlo_instr_draft *d) {
    const hlo_attr *value = attr_of(d, HLO_ATTR_VALUE);
    if (!value)
        return hlo_node_bad(r, d->node, HLO_RULE_MISSING_ATTRIBUTE,
                            "a constant requires a literal");
    if (is_laid_out_alike(value->u.literal->shape, d->shape)) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_RESULT_SHAPE,
                        "a constant of shape %s has a literal of shape %s",
                        hlo_shape_name(&r->scratch, d->shape),
                        hlo_shape_name(&r->scratch, value->u.literal->shape));
}

static bool constraints(hlo_reader *r, hlo_instr_draft *d) {
    const hlo_attr *attr = attr_of(d, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS);
    if (!attr) return true;
    bool good = attr->u.shapes->n == d->operand_count;
    for (uint32_t i = 0; good && i < d->operand_count; i++)
        good = hlo_shape_compatible(attr->u.shapes->v[i], d->operands[i]->shape);
    return good || hlo_node_bad(r, d->node, HLO_RULE_CUSTOM_CALL_LAYOUTS,
                                "operandShapesWithLayout must have the shape of each operand");
}

static bool data_and_token(hlo_reader *r, hlo_instr_draft *d) {
    if (hlo_shape_is_tuple(d->shape) && d->shape->rank) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_RESULT_FORM,
                        "the result of %s is a tuple of the data and a token, not %s",
                        hlo_ops[d->opcode].text, hlo_shape_name(&r->scratch, d->shape));
}

static bool start_shape(hlo_reader *r, hlo_instr_draft *d) {
    const hlo_shape *s = d->shape;
    if (hlo_shape_is_tuple(s) && s->rank >= 2 && hlo_shape_is_tuple(s->elements[0])) return true;
    return hlo_node_bad(r, d->node, HLO_RULE_RESULT_FORM,
                        "the result of async-start is ((operands), result, ...), not %s",
                        hlo_shape_name(&r->scratch, s));
}

static bool follows(hlo_reader *r, hlo_instr_draft *d, hlo_opcode first, hlo_opcode second,
                    hlo_rule rule) {
    hlo_opcode operand = (hlo_opcode)d->operands[0]->opcode;
    if (operand == first || operand == second) return true;
    return hlo_node_bad(r, d->node, rule, "the operand of %s is %s, not %s",
                        hlo_ops[d->opcode].text, hlo_ops[first].text, hlo_ops[operand].text);
}

static bool async_chain(hlo_reader *r, hlo_instr_draft *d) {
    return follows(r, d, HLO_OP_ASYNC_START, HLO_OP_ASYNC_UPDATE, HLO_RULE_ASYNC);
}

static bool send_done(hlo_reader *r, hlo_instr_draft *d) {
    return follows(r, d, HLO_OP_SEND, HLO_OP_SEND, HLO_RULE_CHANNEL);
}

static bool recv_done(hlo_reader *r, hlo_instr_draft *d) {
    return data_and_token(r, d) && follows(r, d, HLO_OP_RECV, HLO_OP_RECV, HLO_RULE_CHANNEL);
}

static bool outfeed(hlo_reader *r, hlo_instr_draft *d) {
    return attr_of(d, HLO_ATTR_OUTFEED_SHAPE) ||
           hlo_node_bad(r, d->node, HLO_RULE_MISSING_ATTRIBUTE, "outfeed requires an outfeedShape");
}

/* A map goes over all dimensions, whatever is said. */
static bool map_dimensions(hlo_reader *r, hlo_instr_draft *d) {
    hlo_attr *dims = attr_of(d, HLO_ATTR_DIMENSIONS);
    if (!dims)
        return hlo_node_bad(r, d->node, HLO_RULE_MISSING_ATTRIBUTE, "map requires dimensions");
    hlo_ints *all =
        hlo_ints_new(&r->module->arena, hlo_shape_is_array(d->shape) ? d->shape->rank : 0);
    for (uint32_t i = 0; i < all->n; i++) all->v[i] = i;
    dims->u.ints = all;
    return true;
}

static check *const checks[HLO_OP_COUNT] = {
    [HLO_OP_ALL_GATHER] = one_dimension,
    [HLO_OP_ALL_GATHER_START] = one_dimension,
    [HLO_OP_REDUCE_SCATTER] = one_dimension,
    [HLO_OP_ALL_TO_ALL] = one_dimension,
    [HLO_OP_CONCATENATE] = one_dimension,
    [HLO_OP_SORT] = one_dimension,
    [HLO_OP_GET_DIMENSION_SIZE] = one_dimension,
    [HLO_OP_SET_DIMENSION_SIZE] = one_dimension,
    [HLO_OP_SCAN] = scan_operands,
    [HLO_OP_CONDITIONAL] = branches,
    [HLO_OP_DYNAMIC_SLICE] = slice_indices,
    [HLO_OP_DYNAMIC_UPDATE_SLICE] = update_indices,
    [HLO_OP_TUPLE] = tuple_elements,
    [HLO_OP_PARAMETER] = parameter,
    [HLO_OP_CONSTANT] = constant,
    [HLO_OP_CUSTOM_CALL] = constraints,
    [HLO_OP_INFEED] = data_and_token,
    [HLO_OP_RECV] = data_and_token,
    [HLO_OP_RECV_DONE] = recv_done,
    [HLO_OP_SEND_DONE] = send_done,
    [HLO_OP_ASYNC_START] = start_shape,
    [HLO_OP_ASYNC_UPDATE] = async_chain,
    [HLO_OP_ASYNC_DONE] = async_chain,
    [HLO_OP_OUTFEED] = outfeed,
    [HLO_OP_MAP] = map_dimensions,
};

bool hlo_check_draft(hlo_reader *r, hlo_instr_draft *d) {
    if (!check_count(r, d) || !check_required(r, d)) return false;
    check *by_opcode = checks[d->opcode];
    return !by_opcode || by_opcode(r, d);
}
