/* Padded values: see padded.h. */
#include "passes/expand/dynamic_padder/padded.h"

#include "analysis/match.h"

const hlo_shape *hlo_padded_shape(hlo_padder *p, const hlo_shape *shape) {
    if (!shape->dynamic) return shape;
    hlo_shapes_table *table = &p->r->module->shapes;
    if (hlo_shape_is_array(shape))
        return hlo_shape_array(table, (hlo_type)shape->type, shape->dims, shape->rank, NULL,
                               shape->layout->minor_to_major, shape->layout->parts);
    const hlo_shape **elements = hlo_malloc((shape->rank + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < shape->rank; i++)
        elements[i] = hlo_padded_shape(p, shape->elements[i]);
    const hlo_shape *out = hlo_shape_tuple(table, elements, shape->rank);
    hlo_free(elements);
    return out;
}

hlo_instr **hlo_padded_sizes(hlo_padder *p, uint32_t rank) {
    return hlo_arena_zero(&p->arena, (rank + 1u) * sizeof(hlo_instr *));
}

hlo_padded *hlo_padded_new(hlo_padder *p, hlo_instr *data, hlo_instr *const *sizes) {
    hlo_padded *x = HLO_NEW(&p->arena, hlo_padded);
    *x = (hlo_padded){.data = data};
    bool any = false;
    for (uint32_t d = 0; sizes && d < data->shape->rank; d++) any |= sizes[d] != NULL;
    if (!any) return x;
    x->sizes = hlo_padded_sizes(p, data->shape->rank);
    memcpy(x->sizes, sizes, data->shape->rank * sizeof *sizes);
    return x;
}

hlo_padded *hlo_padded_tuple(hlo_padder *p, hlo_padded *const *elements, uint32_t n) {
    hlo_padded *x = HLO_NEW(&p->arena, hlo_padded);
    hlo_padded **copy = hlo_arena_zero(&p->arena, (n + 1u) * sizeof *copy);
    memcpy(copy, elements, n * sizeof *copy);
    *x = (hlo_padded){.elements = copy, .n = n};
    return x;
}

/* Index 0: made by this pass, of a static shape. */
hlo_padded *hlo_padded_operand(hlo_padder *p, const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    hlo_instr *operand = hlo_operand(instr, i);
    hlo_padded *known = operand->index ? p->known[operand->index] : NULL;
    return known ? known : hlo_padded_new(p, operand, NULL);
}

hlo_padded *hlo_padded_element(hlo_padder *p, const hlo_padded *tuple, uint32_t k) {
    if (!tuple->data) return tuple->elements[k];
    return hlo_padded_new(p, hlo_emit_element(p->r, tuple->data, k), NULL);
}

hlo_padded *hlo_padded_results(hlo_padder *p, hlo_instr *made, hlo_instr *const *sizes) {
    if (!hlo_shape_is_tuple(made->shape)) return hlo_padded_new(p, made, sizes);
    uint32_t n = made->shape->rank;
    hlo_padded **elements = hlo_arena_zero(&p->arena, (n + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < n; i++)
        elements[i] = hlo_padded_new(p, hlo_emit_element(p->r, made, i), sizes);
    return hlo_padded_tuple(p, elements, n);
}

/* ---- numbers ---- */

hlo_instr *hlo_padded_number(hlo_padder *p, int64_t value) {
    return hlo_build_integer(p->r, hlo_shape_scalar(&p->r->module->shapes, HLO_S32), value);
}

hlo_instr *hlo_padded_count(hlo_padder *p, hlo_opcode opcode, hlo_instr *a, int64_t number) {
    return hlo_build_binary(p->r, opcode, a, hlo_build_integer(p->r, a->shape, number));
}

hlo_instr *hlo_padded_size(hlo_padder *p, const hlo_padded *x, int64_t d) {
    HLO_ASSERT(d >= 0);
    return hlo_has_size(x, d) ? x->sizes[d] : hlo_padded_number(p, x->data->shape->dims[d]);
}

/* A clamp of `size` that this pass has made already (index 0); few of the last users are looked at,
 * since a size that a whole model shares has thousands. */
static hlo_instr *known_clamp(const hlo_instr *size, int64_t bound) {
    enum { MOST_LOOKS = 8 };
    int looks = 0;
    int64_t low, high;
    for (const hlo_use *use = size->last_use; use && looks < MOST_LOOKS; use = use->prev, looks++) {
        hlo_instr *user = use->user;
        bool is_clamp = user->opcode == HLO_OP_CLAMP && use == &user->operands[1] && !user->index;
        if (is_clamp && hlo_integer_of(hlo_operand(user, 0), &low) && low == 0 &&
            hlo_integer_of(hlo_operand(user, 2), &high) && high == bound)
            return user;
    }
    return NULL;
}

hlo_instr *hlo_padded_valid_size(hlo_padder *p, hlo_instr *size, int64_t bound) {
    int64_t value;
    if (hlo_integer_of(size, &value)) {
        if (value >= bound) return NULL;
        return value < 0 ? hlo_padded_number(p, 0) : size;
    }
    hlo_instr *known = known_clamp(size, bound);
    if (known) return known;
    hlo_instr *low = hlo_padded_number(p, 0), *high = hlo_padded_number(p, bound);
    return hlo_emit(p->r, HLO_OP_CLAMP, size->shape, (hlo_instr *[]){low, size, high}, 3, NULL, 0);
}

/* ---- masks ---- */

hlo_instr *hlo_padded_live(hlo_padder *p, const hlo_shape *shape, hlo_instr *const *sizes,
                           const bool *counts) {
    hlo_instr *live = NULL;
    const hlo_shape *places = hlo_shape_with_type(&p->r->module->shapes, shape, HLO_S32);
    for (uint32_t d = 0; sizes && d < shape->rank; d++) {
        if (!sizes[d] || (counts && !counts[d])) continue;
        hlo_instr *place = hlo_build_iota(p->r, places, d);
        hlo_instr *size = hlo_build_spread(p->r, sizes[d], places, NULL);
        hlo_instr *inside = hlo_build_compare(p->r, place, size, "LT");
        live = live ? hlo_build_binary(p->r, HLO_OP_AND, live, inside) : inside;
    }
    return live;
}

hlo_instr *hlo_padded_masked(hlo_padder *p, const hlo_padded *x, const bool *counts,
                             hlo_instr *fill) {
    hlo_instr *live = hlo_padded_live(p, x->data->shape, x->sizes, counts);
    if (!live) return x->data;
    return hlo_build_select(p->r, live, x->data,
                            hlo_build_spread(p->r, fill, x->data->shape, NULL));
}

hlo_padded *hlo_padding_refuse(hlo_padder *p, const hlo_instr *instr, const char *why) {
    hlo_error(p->diags, HLO_RULE_PIPELINE, instr->at.hi ? p->r->module->source : NULL, instr->at,
              "dynamic_padder: '%.*s' (%s) %s", (int)instr->name->len, instr->name->ptr,
              hlo_info(instr)->text, why);
    return NULL;
}
