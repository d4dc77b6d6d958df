/* Computations that raise-control-flow makes, and what stands in them for the values of nodes. */
#include "passes/dataflow/raise.h"

/* ---- opening and closing ---- */

void hlo_raise_open(hlo_raising *r, hlo_raise_body *body, uint32_t region, hlo_raise_body *outer,
                    const char *name) {
    HLO_ASSERT(region < r->regions.n);
    *body = (hlo_raise_body){.region = region, .outer = outer};
    body->made = hlo_build_open(r->r, name);
    if (!region) return;
    const hlo_shape *none = hlo_shape_tuple(&r->r->module->shapes, NULL, 0);
    body->parameter = hlo_build_parameter(r->r, &body->made, 0, none);
}

hlo_raise_tuple hlo_raise_given(hlo_raising *r, const hlo_raise_body *body) {
    uint32_t n = body->elements.n;
    const hlo_shape **shapes = HLO_NEW_ARRAY(&r->scratch, const hlo_shape *, n + 1u);
    for (uint32_t i = 0; i < n; i++) shapes[i] = body->elements.v[i]->shape;
    return (hlo_raise_tuple){n, shapes, body->form};
}

/* A parameter of one value is the value. */
static void settle_parameter(hlo_raising *r, const hlo_raise_body *body) {
    hlo_raise_tuple given = hlo_raise_given(r, body);
    body->parameter->shape = hlo_raise_packed(r, &given);
    if (given.form)
        hlo_raise_read_by_form(r, body->parameter, given.form, body->elements.v, given.n);
    else if (given.n == 1) hlo_instr_replace_operand_uses(body->elements.v[0], body->parameter);
    for (uint32_t i = 0; i < given.n; i++)
        if (!body->elements.v[i]->first_use && body->elements.v[i] != body->made.computation->root)
            hlo_instr_remove(body->elements.v[i]);
}

hlo_computation *hlo_raise_close(hlo_raising *r, hlo_raise_body *body,
                                 const hlo_raise_tuple *result, hlo_instr *const *values) {
    body->made.computation->root = hlo_raise_pack(r, result, values);
    if (body->parameter) settle_parameter(r, body);
    return hlo_build_close(r->r, &body->made, body->made.computation->root);
}

/* ---- values ---- */

/* The body may be one around that which is being filled. */
hlo_instr *hlo_raise_give(hlo_raising *r, hlo_raise_body *body, hlo_instr *value,
                          const hlo_shape *shape) {
    hlo_attr number = hlo_attr_of_int(HLO_ATTR_INDEX, body->elements.n);
    hlo_instr *element =
        hlo_emit(r->r, HLO_OP_GET_TUPLE_ELEMENT, shape, &body->parameter, 1, &number, 1);
    hlo_instr_move_before(element, body->made.place);
    hlo_list_push_in(&r->scratch, &body->given, value);
    hlo_list_push_in(&r->scratch, &body->elements, element);
    return element;
}

/* The value of another region in a copy, which all readers in the computation share. */
static hlo_instr *keep_copy(hlo_raise_node *node, const hlo_raise_body *body, hlo_instr *copy) {
    node->copy = copy;
    node->copy_in = body->made.computation;
    return copy;
}

static hlo_instr *literal_in(hlo_raising *r, hlo_raise_body *body, hlo_instr *literal) {
    hlo_raise_node *node = hlo_raise_at(r, literal);
    if (node->copy_in == body->made.computation) return node->copy;
    return keep_copy(node, body, hlo_raise_copy(r, body, literal));
}

static hlo_instr *refuse_reader(hlo_raising *r, const hlo_instr *node, const hlo_instr *reader) {
    hlo_raise_refuse(r, reader, "it reads a value of another region without a switch");
    hlo_note(r->call->diags, r->from->module->source, node->at, "the value is here");
    return NULL;
}

/* Recursion is as deep as branches nest. What a branch reads without a switch is given to it all
 * the same. */
hlo_instr *hlo_raise_value(hlo_raising *r, hlo_raise_body *body, hlo_instr *instr,
                           const hlo_instr *reader) {
    hlo_raise_node *node = hlo_raise_at(r, instr);
    if (node->literal) return literal_in(r, body, node->literal);
    if (node->image && node->image->parent == body->made.computation) return node->image;
    if (node->copy && node->copy_in == body->made.computation) return node->copy;
    if (!body->outer || node->region == body->region) return refuse_reader(r, instr, reader);
    hlo_instr *value = hlo_raise_value(r, body->outer, instr, reader);
    return value ? keep_copy(node, body, hlo_raise_give(r, body, value, value->shape)) : NULL;
}

/* ---- copies ---- */

static void own_body(hlo_raising *r, hlo_instr *copy) {
    hlo_computation *body = copy->opcode == HLO_OP_FUSION ? hlo_called(copy, 0) : NULL;
    if (body && body->mark == r->seen) hlo_instr_own_body(copy, "clone");
    else if (body) body->mark = r->seen;
}

static hlo_instr *as_read(hlo_raising *r, const hlo_raise_body *body, const hlo_instr *instr,
                          uint32_t i, hlo_instr *value) {
    hlo_instr *read = hlo_emit_as_read(r->r, instr, i, value);
    if (read != value) hlo_instr_move_before(read, body->made.place);
    return read;
}

hlo_instr *hlo_raise_copy(hlo_raising *r, hlo_raise_body *body, hlo_instr *instr) {
    hlo_instr **operands = HLO_NEW_ARRAY(&r->scratch, hlo_instr *, instr->operand_count + 1u);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        operands[i] = hlo_raise_value(r, body, hlo_operand(instr, i), instr);
        if (!operands[i]) return NULL;
        operands[i] = as_read(r, body, instr, i, operands[i]);
    }
    hlo_instr *copy =
        hlo_instr_clone(instr, body->made.computation, operands, instr->operand_count);
    hlo_instr_move_before(copy, body->made.place);
    if (instr->mark != r->seen) hlo_instr_take_name(copy, instr->name);
    instr->mark = r->seen;
    own_body(r, copy);
    hlo_raise_at(r, instr)->image = copy;
    return copy;
}
