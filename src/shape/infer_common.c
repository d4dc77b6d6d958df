/* Checks and shape making that the families of inference rules share. */
#include <stdlib.h>

#include "shape/dialects.h"
#include "shape/rules.h"

/* ---- checks ---- */

bool hlo_expect_array(hlo_inference *in, uint32_t operand) {
    HLO_ASSERT(operand < in->n);
    if (hlo_shape_is_array(in->operands[operand])) return true;
    hlo_infer_fail(in, HLO_RULE_ARRAY_OPERAND, (int)operand,
                   "operand %u is %s and must be an array", operand,
                   hlo_infer_text(in, in->operands[operand]));
    if (hlo_shape_is_tuple(in->operands[operand]))
        hlo_dialect_claims(in->draft->diags, HLO_DIALECT_SHAPE, in->opcode, "", 0);
    return false;
}

/* The words of a set of element types: "signed integer, floating-point or complex". */
static const char *say_elements(hlo_inference *in, unsigned elements) {
    static const struct {
        unsigned elements;
        const char *text;
    } words[] = {{HLO_ELEMENTS_PRED, "pred"},
                 {HLO_ELEMENTS_INTEGER, "integer"},
                 {HLO_ELEMENTS_SIGNED, "signed integer"},
                 {HLO_ELEMENTS_UNSIGNED, "unsigned integer"},
                 {HLO_ELEMENTS_FLOAT, "floating-point"},
                 {HLO_ELEMENTS_COMPLEX, "complex"}};
    hlo_buf text = HLO_BUF_INIT;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if ((elements & words[i].elements) != words[i].elements) continue;
        elements &= ~words[i].elements;
        if (text.len) hlo_buf_cstr(&text, elements ? ", " : " or ");
        hlo_buf_cstr(&text, words[i].text);
    }
    hlo_buf_char(&text, '\0');
    char *out = hlo_arena_copy(&in->scratch, text.data, text.len);
    hlo_buf_free(&text);
    return out;
}

bool hlo_expect_elements(hlo_inference *in, uint32_t operand) {
    HLO_ASSERT(in->opcode < HLO_OP_COUNT);
    if (!hlo_expect_array(in, operand)) return false;
    unsigned wanted = hlo_ops[in->opcode].elements;
    const hlo_shape *shape = in->operands[operand];
    if (hlo_type_is_in((hlo_type)shape->type, wanted)) return true;
    return hlo_refuse(in, HLO_RULE_ELEMENT_TYPE, (int)operand,
                      "operand %u is %s and must have elements of type %s", operand,
                      hlo_infer_text(in, shape), say_elements(in, wanted));
}

bool hlo_expect_arrays(hlo_inference *in) {
    for (uint32_t i = 0; i < in->n; i++)
        if (!hlo_expect_array(in, i)) return false;
    return true;
}

bool hlo_expect_token(hlo_inference *in, uint32_t operand) {
    HLO_ASSERT(operand < in->n);
    if (in->operands[operand]->type == HLO_TOKEN) return true;
    return hlo_refuse(in, HLO_RULE_TOKEN_OPERAND, (int)operand,
                      "operand %u is %s and must be token[]", operand,
                      hlo_infer_text(in, in->operands[operand]));
}

bool hlo_expect_stated(hlo_inference *in) {
    if (in->stated) return true;
    return hlo_refuse(in, HLO_RULE_SHAPE_REQUIRED, HLO_NOWHERE, "the result shape must be written");
}

bool hlo_expect_range(hlo_inference *in, hlo_rule rule, hlo_attr_id id, int64_t limit) {
    HLO_ASSERT(hlo_attr_is_integers(id));
    const hlo_ints *list = hlo_infer_ints(in, id);
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] < 0 || list->v[i] >= limit)
            return hlo_refuse(in, rule, hlo_at_attr(id), "%s=%s: %lld is not in [0,%lld)",
                              hlo_attr_table[id].text, hlo_infer_ints_text(in, list->v, list->n),
                              (long long)list->v[i], (long long)limit);
    return true;
}

bool hlo_expect_unique(hlo_inference *in, hlo_rule rule, hlo_attr_id id) {
    const hlo_ints *list = hlo_infer_ints(in, id);
    if (list->n < 2) return true;
    int64_t *sorted = hlo_arena_copy(&in->scratch, list->v, list->n * sizeof *sorted);
    qsort(sorted, list->n, sizeof *sorted, hlo_by_number);
    for (uint32_t i = 1; i < list->n; i++)
        if (sorted[i] == sorted[i - 1])
            return hlo_refuse(in, rule, hlo_at_attr(id), "%s=%s names %lld twice",
                              hlo_attr_table[id].text, hlo_infer_ints_text(in, list->v, list->n),
                              (long long)sorted[i]);
    return true;
}

bool hlo_expect_sorted(hlo_inference *in, hlo_rule rule, hlo_attr_id id) {
    const hlo_ints *list = hlo_infer_ints(in, id);
    for (uint32_t i = 1; i < list->n; i++)
        if (list->v[i] < list->v[i - 1])
            return hlo_refuse(in, rule, hlo_at_attr(id), "%s=%s must ascend",
                              hlo_attr_table[id].text, hlo_infer_ints_text(in, list->v, list->n));
    return true;
}

uint8_t *hlo_mark_dims(hlo_inference *in, uint8_t *marks, uint32_t rank, hlo_attr_id id) {
    if (!marks) marks = HLO_NEW_ARRAY(&in->scratch, uint8_t, rank);
    const hlo_ints *list = hlo_infer_ints(in, id);
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] >= 0 && list->v[i] < rank) marks[list->v[i]] = 1;
    return marks;
}

static bool check_reducer_input(hlo_inference *in, hlo_attr_id id, const hlo_signature *reducer,
                                uint32_t count, uint32_t i, const hlo_shape *accumulator,
                                const hlo_shape *init, hlo_type element) {
    HLO_ASSERT(i < count && reducer->n == 2 * count);
    const hlo_shape *state = reducer->parameters[i], *input = reducer->parameters[count + i];
    if (!hlo_shapes_compatible(accumulator, state, 0))
        return hlo_refuse(in, HLO_RULE_REDUCER, hlo_at_attr(id),
                          "%s takes accumulator %u as %s and returns it as %s", reducer->name, i,
                          hlo_infer_text(in, state), hlo_infer_text(in, accumulator));
    if (!hlo_shapes_compatible(accumulator, init, HLO_IGNORE_FP_PRECISION))
        return hlo_refuse(in, HLO_RULE_REDUCER, hlo_at_attr(id),
                          "accumulator %u of %s is %s and starts from %s", i, reducer->name,
                          hlo_infer_text(in, accumulator), hlo_infer_text(in, init));
    const hlo_shape *scalar = hlo_make_scalar(in, element);
    if (!hlo_shapes_compatible(scalar, input, HLO_IGNORE_FP_PRECISION))
        return hlo_refuse(in, HLO_RULE_REDUCER, hlo_at_attr(id),
                          "parameter %u of %s is %s and gets elements of type %s", count + i,
                          reducer->name, hlo_infer_text(in, input), hlo_types[element].text);
    if (!hlo_shapes_compatible(accumulator, input, HLO_IGNORE_FP_PRECISION))
        return hlo_refuse(in, HLO_RULE_REDUCER, hlo_at_attr(id),
                          "parameter %u of %s is %s and the accumulator is %s", count + i,
                          reducer->name, hlo_infer_text(in, input),
                          hlo_infer_text(in, accumulator));
    return true;
}

bool hlo_expect_reducer(hlo_inference *in, hlo_attr_id id, const hlo_signature *reducer,
                        uint32_t count, const hlo_shape *const *inits, const hlo_type *elements) {
    if (reducer->n != 2 * (uint64_t)count)
        return hlo_refuse(in, HLO_RULE_REDUCER, hlo_at_attr(id), "%s has %s and needs %llu",
                          reducer->name, hlo_infer_count_text(in, reducer->n, "parameter"),
                          2 * (unsigned long long)count);
    const hlo_shape *result = reducer->result;
    bool tuple = hlo_shape_is_tuple(result);
    if (!(tuple ? result->rank == count : count == 1 && hlo_shape_is_array(result)))
        return hlo_refuse(in, HLO_RULE_REDUCER, hlo_at_attr(id), "%s returns %s and must return %s",
                          reducer->name, hlo_infer_text(in, result),
                          hlo_infer_count_text(in, count, "scalar"));
    const hlo_shape *const *accumulators = tuple ? result->elements : &result;
    for (uint32_t i = 0; i < count; i++)
        if (!hlo_shape_is_scalar(accumulators[i]))
            return hlo_refuse(in, HLO_RULE_REDUCER, hlo_at_attr(id),
                              "%s returns %s, whose parts must be scalars", reducer->name,
                              hlo_infer_text(in, result));
    for (uint32_t i = 0; i < count; i++)
        if (!check_reducer_input(in, id, reducer, count, i, accumulators[i], inits[i], elements[i]))
            return false;
    return true;
}

/* ---- making shapes ---- */

hlo_dims hlo_dims_new(hlo_inference *in, uint32_t rank) {
    return (hlo_dims){rank, HLO_NEW_ARRAY(&in->scratch, int64_t, rank),
                      HLO_NEW_ARRAY(&in->scratch, uint8_t, rank)};
}

hlo_dims hlo_dims_of(hlo_inference *in, const hlo_shape *shape) {
    hlo_dims dims = hlo_dims_new(in, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++) {
        dims.size[i] = shape->dims[i];
        dims.dynamic[i] = hlo_dim_is_dynamic(shape, i);
    }
    return dims;
}

void hlo_dims_push(hlo_dims *dims, int64_t size, bool dynamic) {
    dims->size[dims->rank] = size;
    dims->dynamic[dims->rank++] = dynamic;
}

static bool sizes_are_sound(hlo_inference *in, hlo_type type, hlo_dims dims) {
    HLO_ASSERT(type < HLO_TYPE_COUNT);
    int64_t product = hlo_types[type].bytes;
    for (uint32_t i = 0; i < dims.rank; i++) {
        if (dims.size[i] == HLO_UNBOUNDED) {
            dims.dynamic[i] = 1;
            continue;
        }
        if (dims.size[i] < 0)
            return hlo_refuse(in, HLO_RULE_SHAPE_SIZE, HLO_NOWHERE,
                              "dimension %u of the result would have the size %lld", i,
                              (long long)dims.size[i]);
        if (__builtin_mul_overflow(product, dims.size[i], &product))
            return hlo_refuse(in, HLO_RULE_SHAPE_SIZE, HLO_NOWHERE,
                              "a result of dimensions %s is too large",
                              hlo_infer_ints_text(in, dims.size, dims.rank));
    }
    return true;
}

const hlo_shape *hlo_make_array(hlo_inference *in, hlo_type type, hlo_dims dims) {
    if (!sizes_are_sound(in, type, dims)) return NULL;
    return hlo_shape_array(&in->module->shapes, type, dims.size, dims.rank, dims.dynamic, NULL,
                           NULL);
}

/* A layout's element size is a matter of types that share bytes. */
static const hlo_layout_parts *parts_for(const hlo_shape *like, hlo_type type,
                                         hlo_layout_parts *changed) {
    const hlo_layout_parts *parts = like->layout->parts;
    if (!parts || parts->element_bits == 0 || hlo_types[type].bits < 8) return parts;
    *changed = *parts;
    changed->element_bits = 0;
    return changed;
}

const hlo_shape *hlo_make_like(hlo_inference *in, const hlo_shape *like, hlo_type type,
                               hlo_dims dims) {
    HLO_ASSERT(like->rank == dims.rank);
    if (!sizes_are_sound(in, type, dims)) return NULL;
    hlo_layout_parts changed;
    const hlo_layout_parts *parts =
        like->type == type ? like->layout->parts : parts_for(like, type, &changed);
    return hlo_shape_array(&in->module->shapes, type, dims.size, dims.rank, dims.dynamic,
                           like->layout->minor_to_major, parts);
}

const hlo_shape *hlo_make_retyped(hlo_inference *in, const hlo_shape *shape, hlo_type type) {
    HLO_ASSERT(hlo_shape_is_array(shape));
    hlo_layout_parts changed;
    const hlo_layout_parts *parts = parts_for(shape, type, &changed);
    if (shape->type == type && parts == shape->layout->parts) return shape;
    hlo_dims dims = hlo_dims_of(in, shape);
    if (!sizes_are_sound(in, type, dims)) return NULL;
    return hlo_shape_array(&in->module->shapes, type, dims.size, dims.rank, dims.dynamic,
                           shape->layout->minor_to_major, parts);
}

const hlo_shape *hlo_make_scalar(hlo_inference *in, hlo_type type) {
    return hlo_shape_scalar(&in->module->shapes, type);
}

const hlo_shape *hlo_make_tuple(hlo_inference *in, const hlo_shape *const *elements, uint32_t n) {
    return hlo_shape_tuple(&in->module->shapes, elements, n);
}

const hlo_shape *hlo_make_pair(hlo_inference *in, const hlo_shape *first, const hlo_shape *second) {
    const hlo_shape *elements[] = {first, second};
    return hlo_make_tuple(in, elements, 2);
}

const hlo_shape *hlo_make_one_or_tuple(hlo_inference *in, const hlo_shape *const *shapes,
                                       uint32_t n) {
    HLO_ASSERT(n > 0);
    return n == 1 ? shapes[0] : hlo_make_tuple(in, shapes, n);
}
