/* What single opcodes ask of their attributes, and which of them XLA keeps. */
#include "form/refuse.h"
#include "form/steps.h"

/* ---- spellings that XLA's parser forgives ---- */

bool hlo_form_respell_broadcast(hlo_draft *d) {
    static const hlo_ints none = {0};
    if (hlo_draft_attr(d, HLO_ATTR_DIMENSIONS) || hlo_form_is_message(d)) return true;
    if (!hlo_shape_is_scalar(hlo_form_operand(d, 0)))
        return hlo_form_refuse_op(d, HLO_RULE_MISSING_ATTRIBUTE, HLO_PART_OPCODE,
                                  "dimensions= may be left out for scalars only");
    hlo_draft_set(d, HLO_ATTR_DIMENSIONS, &none);
    return true;
}

/* XLA's parser keeps one of the two forms: to_apply= is stronger, and with layout constraints
 * neither stays. */
bool hlo_form_respell_custom_call(hlo_draft *d) {
    if (!hlo_form_is_text(d)) return true;
    const hlo_attr *to_apply = hlo_draft_attr(d, HLO_ATTR_TO_APPLY);
    hlo_computation *called = to_apply ? to_apply->u.computation : NULL;
    hlo_draft_drop(d, HLO_ATTR_TO_APPLY);
    if (hlo_draft_attr(d, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS)) {
        hlo_draft_drop(d, HLO_ATTR_CALLED_COMPUTATIONS);
    } else if (called) {
        hlo_computations *one =
            hlo_arena_alloc(&hlo_form_module(d)->arena, sizeof *one + sizeof one->v[0]);
        one->n = 1;
        one->v[0] = called;
        hlo_draft_set(d, HLO_ATTR_CALLED_COMPUTATIONS, one);
    }
    return true;
}

/* ---- lists ---- */

bool hlo_form_one_dimension(hlo_draft *d) {
    const hlo_attr *dims = hlo_draft_attr(d, HLO_ATTR_DIMENSIONS);
    if (!dims || dims->u.ints->n == 1) return true;
    hlo_form_refuse(d, HLO_RULE_ATTRIBUTE_VALUE, hlo_part_attr(HLO_ATTR_DIMENSIONS),
                    "%s takes exactly one dimension", hlo_form_op(d)->text);
    hlo_form_note(d, HLO_PART_NAME, "of this instruction");
    return false;
}

/* XLA keeps 32 bits of what its parser reads as 64, and so do messages. */
bool hlo_form_precision(hlo_draft *d) {
    static const hlo_attr_id ids[] = {HLO_ATTR_EXPONENT_BITS, HLO_ATTR_MANTISSA_BITS};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        hlo_attr *bits = hlo_draft_attr(d, ids[i]);
        if (bits) bits->u.i = (int32_t)(uint32_t)bits->u.i;
    }
    return true;
}

bool hlo_form_constraints(hlo_draft *d) {
    const hlo_attr_id id = HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS;
    const hlo_attr *constraints = hlo_draft_attr(d, id);
    if (!constraints) return true;
    const hlo_shapes *list = constraints->u.shapes;
    uint32_t good = 0;
    if (list->n == d->operand_count)
        while (good < list->n && hlo_shape_compatible(list->v[good], hlo_form_operand(d, good)))
            good++;
    if (good == list->n && good == d->operand_count) return true;
    if (hlo_form_is_message(d))
        return hlo_form_refuse(d, HLO_RULE_CUSTOM_CALL_LAYOUTS, hlo_part_attr(id),
                               "operandShapesWithLayout must have the shape of each operand");
    if (list->n != d->operand_count)
        return hlo_form_refuse_op(d, HLO_RULE_CUSTOM_CALL_LAYOUTS, hlo_part_attr(id),
                                  "operand_layout_constraints= must list a shape for each operand");
    hlo_form_refuse(d, HLO_RULE_CUSTOM_CALL_LAYOUTS, hlo_part_attr(id),
                    "layout constraint %u is for %s, the operand is %s", good,
                    hlo_form_text(d, list->v[good]), hlo_form_text(d, hlo_form_operand(d, good)));
    hlo_form_note_refusal(d, HLO_PART_NEXT);
    return false;
}

/* The range of the number is also checked where the text is read: there it ends the statement. */
static bool check_parameter_number(const hlo_draft *d) {
    int64_t number = hlo_draft_attr(d, HLO_ATTR_PARAMETER_NUMBER)->u.i;
    if (number >= 0 && number <= UINT32_MAX) return true;
    return hlo_form_refuse(d, HLO_RULE_PARAMETER_NUMBERS, hlo_part_attr(HLO_ATTR_PARAMETER_NUMBER),
                           "parameter number %lld", (long long)number);
}

bool hlo_form_parameter(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_PARAMETER);
    const hlo_attr_id id = HLO_ATTR_PARAMETER_REPLICATION;
    const hlo_attr *leaves = hlo_draft_attr(d, id);
    if (!check_parameter_number(d)) return false;
    if (!leaves || !d->shape || leaves->u.ints->n == hlo_shape_leaf_count(d->shape)) return true;
    if (hlo_form_is_message(d))
        return hlo_form_refuse(d, HLO_RULE_ATTRIBUTE_VALUE, hlo_part_attr(id),
                               "parameterReplication must have a value for each leaf of the shape");
    return hlo_form_refuse_op(
        d, HLO_RULE_ATTRIBUTE_VALUE, hlo_part_attr(id),
        "parameter_replication= must have a value for each leaf of the shape");
}

/* ---- comparisons ---- */

int hlo_implied_compare_type(const hlo_shape *operand) {
    HLO_ASSERT(operand->type < HLO_TYPE_COUNT);
    static const int8_t implied[] = {
        [HLO_CLASS_PRED] = 3,  [HLO_CLASS_SIGNED] = 2,  [HLO_CLASS_UNSIGNED] = 3,
        [HLO_CLASS_FLOAT] = 0, [HLO_CLASS_COMPLEX] = 0, [HLO_CLASS_OTHER] = -1,
    };
    return implied[hlo_types[operand->type].class];
}

/* A type that the operands' type implies is not kept. */
bool hlo_form_compare(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_COMPARE);
    const hlo_attr *type = hlo_draft_attr(d, HLO_ATTR_TYPE);
    if (type && type->u.i == hlo_implied_compare_type(hlo_form_operand(d, 0)))
        hlo_draft_drop(d, HLO_ATTR_TYPE);
    return true;
}

/* ---- channels ---- */

/* In a message the verifier finds it. */
bool hlo_form_grouped(hlo_draft *d) {
    const hlo_attr *global = hlo_draft_attr(d, HLO_ATTR_USE_GLOBAL_DEVICE_IDS);
    if (!global || !global->u.i || hlo_form_is_message(d)) return true;
    if (hlo_draft_attr(d, HLO_ATTR_CHANNEL_ID)) return true;
    hlo_form_refuse(d, HLO_RULE_CHANNEL, hlo_part_attr(HLO_ATTR_USE_GLOBAL_DEVICE_IDS),
                    "use_global_device_ids=true needs a channel_id=");
    hlo_form_note(d, HLO_PART_OPERANDS, "after these operands");
    return false;
}

bool hlo_form_gathered(hlo_draft *d) {
    return hlo_form_grouped(d) && hlo_form_one_dimension(d);
}

typedef struct {
    char text[32];
} channel_text;

static channel_text channel_of(const hlo_attr *attr) {
    channel_text channel = {"none"};
    if (attr) snprintf(channel.text, sizeof channel.text, "%lld", (long long)attr->u.i);
    return channel;
}

static bool disagree(const hlo_draft *d, const hlo_instr *start) {
    const char *mine = hlo_form_op(d)->text, *theirs = hlo_info(start)->text;
    const hlo_attr *own = hlo_draft_attr(d, HLO_ATTR_CHANNEL_ID);
    const channel_text here = channel_of(own),
                       there = channel_of(hlo_instr_attr(start, HLO_ATTR_CHANNEL_ID));
    hlo_form_refuse(d, HLO_RULE_CHANNEL, own ? hlo_part_attr(HLO_ATTR_CHANNEL_ID) : HLO_PART_NAME,
                    "%s and its %s name different channels, %s and %s", mine, theirs, here.text,
                    there.text);
    hlo_form_note_instr(d, start, "the %s is here", theirs);
    hlo_form_note(d, HLO_PART_NAME, "the %s is here", mine);
    return false;
}

/* The end of a transfer is on the channel of its start. In a message it must have one; elsewhere
 * that is the verifier's business. */
static bool ends_transfer(const hlo_draft *d, hlo_opcode wanted) {
    const hlo_instr *start = d->operands[0];
    if (hlo_form_is_message(d) || start->opcode != wanted) return true;
    const hlo_attr *mine = hlo_draft_attr(d, HLO_ATTR_CHANNEL_ID);
    const hlo_attr *theirs = hlo_instr_attr(start, HLO_ATTR_CHANNEL_ID);
    if (!mine == !theirs && (!mine || mine->u.i == theirs->u.i)) return true;
    return disagree(d, start);
}

bool hlo_form_send_done(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_SEND_DONE);
    return ends_transfer(d, HLO_OP_SEND);
}

bool hlo_form_recv_done(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_RECV_DONE);
    return ends_transfer(d, HLO_OP_RECV);
}
