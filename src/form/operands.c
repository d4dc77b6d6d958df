/* How many operands single opcodes take, where that depends on other operands, on attributes or on
 * the shape. */
#include "form/refuse.h"
#include "form/steps.h"

/* XLA's parser never looks at a third operand of a dot. */
bool hlo_form_respell_dot(hlo_draft *d) {
    if (hlo_form_is_text(d) && d->operand_count > 2) d->operand_count = 2;
    return true;
}

/* ---- conditional ---- */

static bool check_branch_index(const hlo_draft *d) {
    const hlo_shape *index = hlo_form_operand(d, 0);
    if (hlo_shape_is_scalar(index) && (index->type == HLO_PRED || index->type == HLO_S32))
        return true;
    hlo_form_refuse(d, HLO_RULE_CONDITIONAL_INDEX, HLO_PART_FIRST_OPERAND,
                    "the branch index of a conditional is pred[] or s32[], not %s",
                    hlo_form_text(d, index));
    hlo_form_note_instr(d, d->operands[0], "the index is defined here");
    hlo_form_note_refusal(d, HLO_PART_AFTER_OPERANDS);
    return false;
}

static bool refuse_attr(const hlo_draft *d, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    if (!hlo_draft_attr(d, id)) return true;
    return hlo_form_refuse(d, HLO_RULE_UNKNOWN_ATTRIBUTE, hlo_part_attr(id),
                           "a conditional on %s takes no %s=",
                           hlo_form_text(d, hlo_form_operand(d, 0)), hlo_attr_table[id].text);
}

static bool want_attr(const hlo_draft *d, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    if (hlo_draft_attr(d, id)) return true;
    hlo_form_refuse(d, HLO_RULE_MISSING_ATTRIBUTE, HLO_PART_OPCODE,
                    "a conditional on %s needs %s=", hlo_form_text(d, hlo_form_operand(d, 0)),
                    hlo_attr_table[id].text);
    hlo_form_note_refusal(d, HLO_PART_AFTER_OPERANDS);
    return false;
}

/* A branch index chooses between two computations (pred) or among a list (s32). A message calls
 * computations without saying as what. */
static bool check_branches(const hlo_draft *d, bool pred) {
    if (hlo_form_is_message(d)) return true;
    if (!pred)
        return refuse_attr(d, HLO_ATTR_TRUE_COMPUTATION) &&
               refuse_attr(d, HLO_ATTR_FALSE_COMPUTATION) &&
               want_attr(d, HLO_ATTR_BRANCH_COMPUTATIONS);
    return refuse_attr(d, HLO_ATTR_BRANCH_COMPUTATIONS) &&
           want_attr(d, HLO_ATTR_TRUE_COMPUTATION) && want_attr(d, HLO_ATTR_FALSE_COMPUTATION);
}

static uint32_t branch_count(const hlo_draft *d, bool pred) {
    const hlo_attr *list = hlo_draft_attr(d, HLO_ATTR_BRANCH_COMPUTATIONS);
    return pred ? 2 : list ? list->u.computations->n : 0;
}

bool hlo_form_conditional(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_CONDITIONAL);
    if (!check_branch_index(d)) return false;
    bool pred = hlo_form_operand(d, 0)->type == HLO_PRED;
    if (!check_branches(d, pred)) return false;
    uint32_t branches = branch_count(d, pred), n = d->operand_count;
    if (branches && branches + 1 == n) return true;
    if (hlo_form_is_message(d))
        return hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                               "a conditional of %u branches has %u operands instead of %u",
                               branches, n, branches + 1);
    hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                    "a conditional of %u branches takes %u operands, %u are given", branches,
                    branches + 1, n);
    hlo_form_note_refusal(d, HLO_PART_NAME);
    return false;
}

/* ---- indices ---- */

/* One scalar index for each dimension, or one vector of them, after the first `fixed` operands. */
static bool check_indices(const hlo_draft *d, uint32_t fixed) {
    uint32_t n = d->operand_count - fixed;
    const hlo_shape *sliced = hlo_form_operand(d, 0);
    if (!hlo_shape_is_array(sliced) || n == sliced->rank) return true;
    const hlo_shape *vector = n == 1 ? hlo_form_operand(d, fixed) : NULL;
    if (vector && hlo_shape_is_array(vector) && vector->rank == 1) return true;
    const char *opcode = hlo_form_op(d)->text, *shape = hlo_form_text(d, sliced);
    if (hlo_form_is_message(d))
        return hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                               "%s of %s has %u index operands", opcode, shape, n);
    hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                    "%s of %s takes %u index operands, %u %s given", opcode, shape, sliced->rank, n,
                    n == 1 ? "is" : "are");
    hlo_form_note_refusal(d, HLO_PART_NEXT);
    return false;
}

bool hlo_form_dynamic_slice(hlo_draft *d) {
    return check_indices(d, 1);
}

bool hlo_form_dynamic_update(hlo_draft *d) {
    return check_indices(d, 2);
}

/* ---- tuples ---- */

bool hlo_form_tuple(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_TUPLE);
    uint32_t n = d->operand_count;
    bool fits = d->shape && hlo_shape_is_tuple(d->shape) && d->shape->rank == n;
    if (fits) return true;
    if (!hlo_form_is_text(d))
        return !d->shape || hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                                            "a tuple of %u operands has the shape %s", n,
                                            hlo_form_text(d, d->shape));
    /* In the body of an async-start, updates may bring more elements. */
    if (!d->shape || !hlo_shape_is_tuple(d->shape) || d->computation->is_async_body) return true;
    hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                    "the tuple is written with %u element%s, %u operand%s given", d->shape->rank,
                    d->shape->rank == 1 ? "" : "s", n, n == 1 ? " is" : "s are");
    hlo_form_note(d, HLO_PART_SHAPE, "the tuple is written here");
    return false;
}

/* Only where the tuple alone gives the shape: else the verifier compares. */
bool hlo_form_tuple_index(hlo_draft *d) {
    int64_t index = hlo_draft_attr(d, HLO_ATTR_INDEX)->u.i;
    const hlo_shape *tuple = hlo_form_operand(d, 0);
    if (d->shape || !hlo_shape_is_tuple(tuple) || (index >= 0 && index < tuple->rank)) return true;
    return hlo_form_refuse(d, HLO_RULE_ATTRIBUTE_VALUE, hlo_part_attr(HLO_ATTR_INDEX),
                           "the tuple has %u elements", tuple->rank);
}

/* ---- others ---- */

bool hlo_form_scan(hlo_draft *d) {
    const hlo_computation *step = hlo_draft_attr(d, HLO_ATTR_TO_APPLY)->u.computation;
    bool good = hlo_form_one_dimension(d);
    if (good && step->parameter_count == d->operand_count) return true;
    if (good)
        hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                        "the computation of this scan has %u parameters, %u operands are given",
                        step->parameter_count, d->operand_count);
    hlo_form_note_refusal(d, HLO_PART_NEXT);
    return false;
}

bool hlo_form_permute(hlo_draft *d) {
    if (!hlo_draft_attr(d, HLO_ATTR_PERMUTE_SLICE_SIZES) || d->operand_count == 4) return true;
    return hlo_form_refuse_op(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPCODE,
                              "slice_sizes= requires exactly four operands");
}
