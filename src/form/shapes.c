/* What the shapes of single opcodes must be, and what XLA's parser makes of those that a text
 * states. The shape is there. */
#include "form/refuse.h"
#include "form/steps.h"
#include "shape/compatible.h"

static hlo_shapes_table *shapes(const hlo_draft *d) {
    return &hlo_form_module(d)->shapes;
}

/* ---- constants ---- */

/* Same arrays in the same order of elements; tiles and memory spaces are the constant's own. */
static bool has_same_order(const hlo_shape *a, const hlo_shape *b) {
    if (!hlo_shape_compatible(a, b)) return false;
    for (uint32_t i = 0; a->elements && i < a->rank; i++)
        if (!has_same_order(a->elements[i], b->elements[i])) return false;
    if (!hlo_shape_is_array(a)) return true;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->layout->minor_to_major[i] != b->layout->minor_to_major[i]) return false;
    return true;
}

static bool check_literal(const hlo_draft *d) {
    const hlo_shape *literal = hlo_draft_attr(d, HLO_ATTR_VALUE)->u.literal->shape;
    if (has_same_order(literal, d->shape)) return true;
    return hlo_form_refuse(d, HLO_RULE_RESULT_SHAPE, HLO_PART_SHAPE,
                           "a constant of shape %s has a literal of shape %s",
                           hlo_form_text(d, d->shape), hlo_form_text(d, literal));
}

/* A constant has all of the elements that its text lists: no dimension of it is dynamic, for runs
 * neither. */
static void give_sizes(hlo_draft *d) {
    hlo_literal *literal = HLO_NEW(&hlo_form_module(d)->arena, hlo_literal);
    *literal = *hlo_draft_attr(d, HLO_ATTR_VALUE)->u.literal;
    literal->shape = d->shape;
    hlo_draft_set(d, HLO_ATTR_VALUE, literal);
}

/* The literal of a text was read in this shape, of which the bits of its elements are not kept. */
bool hlo_form_constant(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_CONSTANT);
    if (!hlo_form_is_text(d)) return check_literal(d);
    const hlo_shape *written = d->shape;
    if (written->elements || !written->layout) return true;
    hlo_layout_parts parts = {
        .tail_padding_alignment = 1, .index_type = HLO_TYPE_COUNT, .pointer_type = HLO_TYPE_COUNT};
    if (written->layout->parts) parts = *written->layout->parts;
    parts.element_bits = 0;
    d->shape = hlo_shape_array(shapes(d), (hlo_type)written->type, written->dims, written->rank,
                               NULL, written->layout->minor_to_major, &parts);
    if (written->dynamic) give_sizes(d);
    return true;
}

/* ---- operations of the host ---- */

/* In messages the operand of a done is its start. */
static bool check_start(const hlo_draft *d, hlo_opcode wanted) {
    HLO_ASSERT(wanted < HLO_OP_COUNT);
    hlo_opcode operand = (hlo_opcode)d->operands[0]->opcode;
    if (!hlo_form_is_message(d) || operand == wanted) return true;
    return hlo_form_refuse(d, HLO_RULE_CHANNEL, HLO_PART_FIRST_OPERAND,
                           "the operand of %s is %s, not %s", hlo_form_op(d)->text,
                           hlo_ops[wanted].text, hlo_ops[operand].text);
}

bool hlo_form_token(hlo_draft *d) {
    if (d->opcode == HLO_OP_SEND_DONE && !check_start(d, HLO_OP_SEND)) return false;
    if (hlo_form_is_text(d)) d->shape = hlo_shape_token(shapes(d));
    return true;
}

bool hlo_form_outfeed(hlo_draft *d) {
    bool given = hlo_draft_attr(d, HLO_ATTR_OUTFEED_SHAPE) != NULL;
    if (!given && hlo_form_is_message(d))
        return hlo_form_refuse(d, HLO_RULE_MISSING_ATTRIBUTE, HLO_PART_OPCODE,
                               "outfeed requires an outfeedShape");
    if (!given) hlo_draft_set(d, HLO_ATTR_OUTFEED_SHAPE, hlo_form_operand(d, 0));
    return hlo_form_token(d);
}

bool hlo_form_send(hlo_draft *d) {
    if (!hlo_form_is_text(d)) return true;
    const hlo_shape *parts[] = {hlo_form_operand(d, 0), hlo_shape_scalar(shapes(d), HLO_U32),
                                hlo_shape_token(shapes(d))};
    d->shape = hlo_shape_tuple(shapes(d), parts, 3);
    return true;
}

/* Of infeed and recv: a text's shape is rebuilt from the first element of the tuple. */
bool hlo_form_data_and_token(hlo_draft *d) {
    if (!hlo_shape_is_tuple(d->shape) || d->shape->rank == 0) {
        hlo_form_refuse(d, HLO_RULE_RESULT_FORM, HLO_PART_SHAPE,
                        "the result of %s is a tuple of the data and a token, not %s",
                        hlo_form_op(d)->text, hlo_form_text(d, d->shape));
        hlo_form_note(d, HLO_PART_AROUND, "in this instruction");
        hlo_form_note_refusal(d, HLO_PART_NEXT);
        return false;
    }
    if (!hlo_form_is_text(d)) return true;
    const hlo_shape *parts[3] = {d->shape->elements[0]};
    uint32_t n = 1;
    if (d->opcode == HLO_OP_RECV) parts[n++] = hlo_shape_scalar(shapes(d), HLO_U32);
    parts[n++] = hlo_shape_token(shapes(d));
    d->shape = hlo_shape_tuple(shapes(d), parts, n);
    return true;
}

/* Of a recv-done, whatever its text has: the data of the recv, and a token. */
static bool take_received_shape(hlo_draft *d) {
    const hlo_shape *recv = hlo_form_operand(d, 0);
    if (!hlo_form_is_text(d) || !hlo_shape_is_tuple(recv) || recv->rank == 0) return false;
    const hlo_shape *parts[] = {recv->elements[0], hlo_shape_token(shapes(d))};
    d->shape = hlo_shape_tuple(shapes(d), parts, 2);
    return true;
}

bool hlo_form_received(hlo_draft *d) {
    return take_received_shape(d) || (hlo_form_data_and_token(d) && check_start(d, HLO_OP_RECV));
}

/* ---- others ---- */

bool hlo_form_add_dependency(hlo_draft *d) {
    if (hlo_form_is_text(d)) d->shape = hlo_form_operand(d, 0);
    return true;
}

/* A map goes over all dimensions, whatever is given. */
bool hlo_form_map(hlo_draft *d) {
    HLO_ASSERT(d->opcode == HLO_OP_MAP);
    if (hlo_form_is_message(d) && !hlo_draft_attr(d, HLO_ATTR_DIMENSIONS))
        return hlo_form_refuse(d, HLO_RULE_MISSING_ATTRIBUTE, HLO_PART_OPCODE,
                               "map requires dimensions");
    uint32_t rank = hlo_shape_is_array(d->shape) ? d->shape->rank : 0;
    hlo_ints *all = hlo_ints_new(&hlo_form_module(d)->arena, rank);
    for (uint32_t i = 0; i < rank; i++) all->v[i] = i;
    hlo_draft_set(d, HLO_ATTR_DIMENSIONS, all);
    return true;
}

/* Of a start and of an update; for updates in messages shape inference reports it. */
bool hlo_form_async_shape(hlo_draft *d) {
    bool update = d->opcode == HLO_OP_ASYNC_UPDATE;
    if (hlo_is_async_shape(d->shape)) return !update || hlo_form_check_async_update(d);
    if (hlo_form_is_message(d) && update) return true;
    hlo_form_refuse(d, HLO_RULE_RESULT_FORM, HLO_PART_SHAPE,
                    "the result of %s is ((operands), result, ...), not %s", hlo_form_op(d)->text,
                    hlo_form_text(d, d->shape));
    hlo_form_note_refusal(d, HLO_PART_AFTER_OPERANDS);
    return false;
}
