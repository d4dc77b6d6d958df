/* Several values as one and back: one alone is itself, others are a tuple, or have the form that a
 * primitive specifies. */
#include "passes/dataflow/raise.h"

/* ---- packing ---- */

typedef struct {
    hlo_raising *r;
    const char *form;
    const hlo_shape *const *shapes;
    hlo_instr *const *values;
    bool shapes_alone;
    const hlo_shape *shape; /* of the part that was packed last */
} packing;

/* The part of the form that comes next: a value, or NULL where there are shapes alone. */
static hlo_instr *pack_next(packing *p) {
    if (*p->form++ == '.') {
        p->shape = *p->shapes++;
        return p->shapes_alone ? NULL : *p->values++;
    }
    HLO_LIST(hlo_instr *) parts = {0};
    HLO_LIST(const hlo_shape *) shapes = {0};
    while (*p->form != ')') {
        hlo_list_push_in(&p->r->scratch, &parts, pack_next(p));
        hlo_list_push_in(&p->r->scratch, &shapes, p->shape);
    }
    p->form++;
    p->shape = hlo_shape_tuple(&p->r->r->module->shapes, shapes.v, shapes.n);
    if (p->shapes_alone) return NULL;
    hlo_instr *tuple = hlo_emit_tuple(p->r->r, parts.v, parts.n);
    tuple->shape = p->shape;
    return tuple;
}

static const char *form_of(hlo_raising *r, const char *form, uint32_t n) {
    if (form || n == 1) return form ? form : ".";
    char *flat = hlo_arena_zero(&r->scratch, n + 3u);
    memset(flat, '.', n + 1u);
    flat[0] = '(';
    flat[n + 1u] = ')';
    return flat;
}

const hlo_shape *hlo_raise_packed(hlo_raising *r, const hlo_raise_tuple *tuple) {
    packing p = {.r = r,
                 .form = form_of(r, tuple->form, tuple->n),
                 .shapes = tuple->shapes,
                 .shapes_alone = true};
    pack_next(&p);
    return p.shape;
}

hlo_instr *hlo_raise_pack(hlo_raising *r, const hlo_raise_tuple *tuple, hlo_instr *const *values) {
    packing p = {.r = r,
                 .form = form_of(r, tuple->form, tuple->n),
                 .shapes = tuple->shapes,
                 .values = values};
    return pack_next(&p);
}

/* ---- elements ---- */

static hlo_instr *new_element(hlo_raising *r, hlo_instr *tuple, uint32_t index) {
    hlo_instr *element = hlo_emit_element(r->r, tuple, index);
    hlo_list_push(&r->elements, element);
    return element;
}

/* An element that leaves share. */
static hlo_instr *inner_tuple(hlo_raising *r, hlo_instr *tuple, uint32_t index) {
    for (const hlo_use *use = tuple->first_use; use; use = use->next)
        if (use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT && hlo_shape_is_tuple(use->user->shape) &&
            hlo_attr_int(use->user, HLO_ATTR_INDEX) == index)
            return use->user;
    return new_element(r, tuple, index);
}

static void read_by_path(hlo_raising *r, const char *form, hlo_instr *element, uint32_t i) {
    uint32_t path[HLO_FORM_DEPTH], depth = hlo_flow_path(form, i, path);
    hlo_instr *tuple = hlo_operand(element, 0);
    for (uint32_t k = 0; k + 1 < depth; k++) tuple = inner_tuple(r, tuple, path[k]);
    hlo_instr_set_operand(element, 0, tuple);
    hlo_instr_set_attr(element, hlo_attr_of_int(HLO_ATTR_INDEX, path[depth - 1]));
}

void hlo_raise_read_by_form(hlo_raising *r, hlo_instr *parameter, const char *form,
                            hlo_instr *const *elements, uint32_t n) {
    hlo_instr *target = r->r->target;
    r->r->target = parameter->next;
    for (uint32_t i = 0; i < n; i++)
        if (elements[i]->first_use) read_by_path(r, form, elements[i], i);
    r->r->target = target;
}

hlo_instr *hlo_raise_element(hlo_raising *r, const hlo_raise_tuple *tuple, hlo_instr *value,
                             uint32_t i) {
    if (!tuple->form) return tuple->n == 1 ? value : new_element(r, value, i);
    uint32_t path[HLO_FORM_DEPTH], depth = hlo_flow_path(tuple->form, i, path);
    for (uint32_t k = 0; k + 1 < depth; k++) value = inner_tuple(r, value, path[k]);
    return new_element(r, value, path[depth - 1]);
}
