/* What stands for a value that is no longer computed: a parameter, or zeros. */
#include "reduce/edit.h"

hlo_name *hlo_edit_name(hlo_module *module, const char *base) {
    hlo_name *name = hlo_fresh_name(module, base);
    name->uses++;
    return name;
}

/* Recursion is as deep as the shape nests, which the parser bounds. */
bool hlo_shape_is_data(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return hlo_shape_is_array(shape);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!hlo_shape_is_data(shape->elements[i])) return false;
    return true;
}

void hlo_placeholders_init(hlo_placeholders *made, hlo_computation *computation) {
    *made = (hlo_placeholders){.computation = computation, .place = computation->first};
    for (const hlo_instr *i = computation->first; i; i = i->next)
        if (i->opcode == HLO_OP_PARAMETER) made->next_number++;
}

void hlo_placeholders_free(hlo_placeholders *made) {
    hlo_list_free(&made->zeros);
    *made = (hlo_placeholders){0};
}

static hlo_instr *known(const hlo_placeholders *made, const hlo_shape *shape) {
    for (uint32_t i = 0; i < made->zeros.n; i++)
        if (made->zeros.v[i]->shape == shape) return made->zeros.v[i];
    return NULL;
}

static hlo_instr *remember(hlo_placeholders *made, hlo_instr *instr) {
    if (instr) hlo_list_push(&made->zeros, instr);
    return instr;
}

/* ---- the kinds ---- */

static hlo_instr *parameter(hlo_placeholders *made, const hlo_shape *shape) {
    hlo_computation *c = made->computation;
    hlo_attr number = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = made->next_number++};
    hlo_instr *instr = hlo_instr_new(c, HLO_OP_PARAMETER, shape, hlo_edit_name(c->module, "cut"),
                                     NULL, 0, &number, 1);
    hlo_instr_move_before(instr, made->place);
    return instr;
}

static hlo_instr *scalar_zero(hlo_placeholders *made, const hlo_shape *shape) {
    hlo_computation *c = made->computation;
    hlo_attr value = {.id = HLO_ATTR_VALUE, .u.literal = hlo_literal_new(&c->module->arena, shape)};
    hlo_instr *zero = hlo_instr_new(c, HLO_OP_CONSTANT, shape, hlo_edit_name(c->module, "zero"),
                                    NULL, 0, &value, 1);
    hlo_instr_move_before(zero, made->place);
    return zero;
}

static hlo_instr *zeros(hlo_placeholders *made, const hlo_shape *shape) {
    hlo_module *module = made->computation->module;
    if (shape->dynamic) return NULL;
    if (shape->rank == 0) return scalar_zero(made, shape);
    const hlo_shape *scalar = hlo_shape_scalar(&module->shapes, (hlo_type)shape->type);
    hlo_instr *zero = known(made, scalar);
    if (!zero) zero = remember(made, scalar_zero(made, scalar));
    hlo_ints *none = HLO_NEW(&module->arena, hlo_ints);
    hlo_attr dimensions = {.id = HLO_ATTR_DIMENSIONS, .u.ints = none};
    hlo_instr *instr = hlo_instr_new(made->computation, HLO_OP_BROADCAST, shape,
                                     hlo_edit_name(module, "zeros"), &zero, 1, &dimensions, 1);
    hlo_instr_move_before(instr, made->place);
    return instr;
}

static hlo_instr *without_attributes(hlo_placeholders *made, hlo_opcode opcode,
                                     const hlo_shape *shape, hlo_instr *const *operands,
                                     uint32_t n) {
    hlo_computation *c = made->computation;
    hlo_instr *instr = hlo_instr_new(
        c, opcode, shape, hlo_edit_name(c->module, hlo_ops[opcode].text), operands, n, NULL, 0);
    hlo_instr_move_before(instr, made->place);
    return instr;
}

/* Recursion is as deep as the shape nests. */
static hlo_instr *tuple(hlo_placeholders *made, const hlo_shape *shape) {
    hlo_instr **elements = hlo_malloc((shape->rank + 1u) * sizeof *elements);
    uint32_t n = 0;
    while (n < shape->rank && (elements[n] = hlo_placeholder(made, shape->elements[n]))) n++;
    hlo_instr *instr =
        n < shape->rank ? NULL : without_attributes(made, HLO_OP_TUPLE, shape, elements, n);
    hlo_free(elements);
    return instr;
}

hlo_instr *hlo_placeholder(hlo_placeholders *made, const hlo_shape *shape) {
    bool is_entry = made->computation == made->computation->module->entry;
    if (is_entry && hlo_shape_is_data(shape)) return parameter(made, shape);
    hlo_instr *instr = known(made, shape);
    if (instr) return instr;
    if (shape->type == HLO_TOKEN)
        instr = without_attributes(made, HLO_OP_AFTER_ALL, shape, NULL, 0);
    else if (hlo_shape_is_tuple(shape)) instr = tuple(made, shape);
    else if (hlo_shape_is_array(shape)) instr = zeros(made, shape);
    return remember(made, instr);
}
