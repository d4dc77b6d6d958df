/* Expressions for expanders: see expression.h. */
#include "passes/pipeline/expression.h"

#include "ir/float_types.h"

static const hlo_shape *sized_like(hlo_rewriter *r, const hlo_shape *like, hlo_type type) {
    return hlo_shape_with_type(&r->module->shapes, like, type);
}

static const hlo_shape *with_size(hlo_rewriter *r, const hlo_shape *shape, int64_t dimension,
                                  int64_t size) {
    int64_t *sizes = hlo_malloc((shape->rank + 1) * sizeof *sizes);
    memcpy(sizes, shape->dims, shape->rank * sizeof *sizes);
    sizes[dimension] = size;
    const hlo_shape *out = hlo_shape_array(&r->module->shapes, (hlo_type)shape->type, sizes,
                                           shape->rank, NULL, shape->layout->minor_to_major, NULL);
    hlo_free(sizes);
    return out;
}

/* ---- elementwise ---- */

hlo_instr *hlo_build_unary(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a) {
    return hlo_emit_unary(r, opcode, a->shape, a);
}

hlo_instr *hlo_build_binary(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    return hlo_emit_binary(r, opcode, a->shape, a, b);
}

hlo_instr *hlo_build_compare(hlo_rewriter *r, hlo_instr *a, hlo_instr *b, const char *direction) {
    return hlo_emit_compare(r, sized_like(r, a->shape, HLO_PRED), a, b, direction);
}

hlo_instr *hlo_build_select(hlo_rewriter *r, hlo_instr *choice, hlo_instr *yes, hlo_instr *no) {
    return hlo_emit(r, HLO_OP_SELECT, yes->shape, (hlo_instr *[]){choice, yes, no}, 3, NULL, 0);
}

hlo_instr *hlo_build_convert(hlo_rewriter *r, hlo_instr *a, hlo_type type) {
    if (a->shape->type == type) return a;
    return hlo_emit_unary(r, HLO_OP_CONVERT, sized_like(r, a->shape, type), a);
}

hlo_instr *hlo_build_bitcast_convert(hlo_rewriter *r, hlo_instr *a, hlo_type type) {
    return hlo_emit_unary(r, HLO_OP_BITCAST_CONVERT, sized_like(r, a->shape, type), a);
}

hlo_instr *hlo_build_integer(hlo_rewriter *r, const hlo_shape *like, int64_t value) {
    return hlo_emit_filled(r, like, value);
}

hlo_instr *hlo_build_bits(hlo_rewriter *r, const hlo_shape *like, uint64_t bits) {
    uint64_t element[2] = {0, 0};
    hlo_set_element_bits(element, hlo_types[hlo_type_part((hlo_type)like->type)].bytes, bits);
    return hlo_emit_filled_with(r, like, element);
}

hlo_instr *hlo_build_number(hlo_rewriter *r, const hlo_shape *like, double value) {
    return hlo_build_bits(r, like, hlo_float_encode(hlo_type_part((hlo_type)like->type), value));
}

/* The least (or greatest) number of an integer type. */
static uint64_t integer_bound(hlo_type type, bool least) {
    unsigned width = hlo_types[type].bits;
    uint64_t all = width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    if (hlo_types[type].class != HLO_CLASS_SIGNED) return least ? 0 : all;
    return least ? UINT64_MAX << (width - 1) : all >> 1;
}

hlo_instr *hlo_build_neutral(hlo_rewriter *r, const hlo_shape *like, hlo_opcode opcode) {
    hlo_type type = (hlo_type)like->type;
    bool is_float = hlo_type_is_float(type), is_complex = hlo_type_is_complex(type);
    switch (opcode) {
    case HLO_OP_ADD: return hlo_build_integer(r, like, 0);
    case HLO_OP_MULTIPLY: return hlo_build_integer(r, like, 1);
    case HLO_OP_OR: return is_float || is_complex ? NULL : hlo_build_integer(r, like, 0);
    case HLO_OP_AND: {
        if (is_float || is_complex) return NULL;
        return hlo_build_integer(r, like, type == HLO_PRED ? 1 : -1);
    }
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM: {
        bool least = opcode == HLO_OP_MAXIMUM;
        if (is_complex) return NULL;
        if (is_float)
            return hlo_build_bits(r, like,
                                  hlo_float_extreme(hlo_type_float_format(type), !least, false));
        if (type == HLO_PRED) return hlo_build_integer(r, like, !least);
        return hlo_build_bits(r, like, integer_bound(type, least));
    }
    default: return NULL;
    }
}

/* ---- arrays ---- */

hlo_instr *hlo_build_iota(hlo_rewriter *r, const hlo_shape *shape, int64_t dimension) {
    hlo_attr attr = hlo_attr_of_int(HLO_ATTR_IOTA_DIMENSION, dimension);
    return hlo_emit(r, HLO_OP_IOTA, shape, NULL, 0, &attr, 1);
}

hlo_instr *hlo_build_reshape(hlo_rewriter *r, hlo_instr *a, const int64_t *sizes, uint32_t rank) {
    return hlo_emit_unary(r, HLO_OP_RESHAPE,
                          hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes, rank), a);
}

hlo_instr *hlo_build_transpose(hlo_rewriter *r, hlo_instr *a, const int64_t *order) {
    int64_t *sizes = hlo_malloc((a->shape->rank + 1) * sizeof *sizes);
    for (uint32_t i = 0; i < a->shape->rank; i++) sizes[i] = a->shape->dims[order[i]];
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes, a->shape->rank);
    hlo_free(sizes);
    return hlo_emit_transpose(r, shape, a, order);
}

hlo_instr *hlo_build_spread(hlo_rewriter *r, hlo_instr *a, const hlo_shape *like,
                            const int64_t *dims) {
    return hlo_emit_broadcast(r, sized_like(r, like, (hlo_type)a->shape->type), a, dims,
                              a->shape->rank);
}

hlo_instr *hlo_build_slice(hlo_rewriter *r, hlo_instr *a, int64_t dimension, int64_t start,
                           int64_t limit) {
    hlo_slice *slice = hlo_new_whole_slice(r, a->shape);
    slice->v[dimension].start = start;
    slice->v[dimension].limit = limit;
    return hlo_emit_slice(r, with_size(r, a->shape, dimension, limit - start), a, slice);
}

hlo_instr *hlo_build_pad(hlo_rewriter *r, hlo_instr *a, hlo_instr *value, int64_t dimension,
                         int64_t low, int64_t high) {
    hlo_padding *padding = hlo_new_padding(r, a->shape->rank);
    padding->v[dimension].low = low;
    padding->v[dimension].high = high;
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    const hlo_shape *shape =
        with_size(r, a->shape, dimension, a->shape->dims[dimension] + low + high);
    return hlo_emit(r, HLO_OP_PAD, shape, (hlo_instr *[]){a, value}, 2, &attr, 1);
}

hlo_instr *hlo_build_concatenate(hlo_rewriter *r, hlo_instr *const *parts, uint32_t n,
                                 int64_t dimension) {
    int64_t size = 0;
    if (n == 1) return parts[0];
    for (uint32_t i = 0; i < n; i++) size += parts[i]->shape->dims[dimension];
    hlo_attr attr = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &dimension, 1);
    return hlo_emit(r, HLO_OP_CONCATENATE, with_size(r, parts[0]->shape, dimension, size), parts, n,
                    &attr, 1);
}

static const hlo_shape *without_dims(hlo_rewriter *r, const hlo_shape *shape, const hlo_ints *dims,
                                     hlo_type type) {
    int64_t *sizes = hlo_malloc((shape->rank + 1) * sizeof *sizes);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!hlo_ints_contain(dims, i)) sizes[rank++] = shape->dims[i];
    const hlo_shape *out = hlo_shape_of_sizes(r, type, sizes, rank);
    hlo_free(sizes);
    return out;
}

hlo_instr *hlo_build_reduce(hlo_rewriter *r, hlo_instr *a, hlo_opcode opcode, const int64_t *dims,
                            uint32_t n) {
    hlo_type type = (hlo_type)a->shape->type;
    const hlo_ints *list = hlo_ints_from(&r->module->arena, dims, n);
    hlo_instr *init = hlo_build_neutral(r, hlo_shape_scalar(&r->module->shapes, type), opcode);
    return hlo_emit_reduce(r, without_dims(r, a->shape, list, type), a, init, list,
                           hlo_build_reducer(r, opcode, type));
}

static hlo_instr **with_starts(hlo_instr *a, hlo_instr *b, hlo_instr *const *starts,
                               uint32_t rank) {
    hlo_instr **operands = hlo_malloc((rank + 2) * sizeof *operands);
    uint32_t n = 0;
    operands[n++] = a;
    if (b) operands[n++] = b;
    for (uint32_t i = 0; i < rank; i++) operands[n++] = starts[i];
    return operands;
}

hlo_instr *hlo_build_dynamic_slice(hlo_rewriter *r, hlo_instr *a, hlo_instr *const *starts,
                                   const int64_t *sizes) {
    uint32_t rank = a->shape->rank;
    hlo_instr **operands = with_starts(a, NULL, starts, rank);
    hlo_attr attr = hlo_attr_of_ints(r, HLO_ATTR_DYNAMIC_SLICE_SIZES, sizes, rank);
    hlo_instr *out = hlo_emit(r, HLO_OP_DYNAMIC_SLICE,
                              hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes, rank),
                              operands, rank + 1, &attr, 1);
    hlo_free(operands);
    return out;
}

hlo_instr *hlo_build_dynamic_update(hlo_rewriter *r, hlo_instr *a, hlo_instr *update,
                                    hlo_instr *const *starts) {
    uint32_t rank = a->shape->rank;
    hlo_instr **operands = with_starts(a, update, starts, rank);
    hlo_instr *out =
        hlo_emit(r, HLO_OP_DYNAMIC_UPDATE_SLICE, a->shape, operands, rank + 2, NULL, 0);
    hlo_free(operands);
    return out;
}

hlo_instr *hlo_build_matmul(hlo_rewriter *r, hlo_instr *a, hlo_instr *b, bool transpose_b) {
    uint32_t rank = a->shape->rank, batch = rank - 2;
    int64_t *sizes = hlo_malloc(rank * sizeof *sizes);
    int64_t *dims = hlo_malloc((batch + 1) * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) sizes[i] = a->shape->dims[i];
    for (uint32_t i = 0; i < batch; i++) dims[i] = i;
    int64_t lhs = rank - 1, rhs = transpose_b ? rank - 1 : rank - 2;
    sizes[rank - 1] = b->shape->dims[transpose_b ? rank - 2 : rank - 1];
    hlo_attr attrs[4];
    uint32_t n = 0;
    if (batch) {
        attrs[n++] = hlo_attr_of_ints(r, HLO_ATTR_LHS_BATCH_DIMS, dims, batch);
        attrs[n++] = hlo_attr_of_ints(r, HLO_ATTR_RHS_BATCH_DIMS, dims, batch);
    }
    attrs[n++] = hlo_attr_of_ints(r, HLO_ATTR_LHS_CONTRACTING_DIMS, &lhs, 1);
    attrs[n++] = hlo_attr_of_ints(r, HLO_ATTR_RHS_CONTRACTING_DIMS, &rhs, 1);
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes, rank);
    hlo_free(sizes);
    hlo_free(dims);
    return hlo_emit(r, HLO_OP_DOT, shape, (hlo_instr *[]){a, b}, 2, attrs, n);
}

/* ---- computations ---- */

/* Computations are numbered by their ids, past names that something has or had. */
static hlo_name *computation_name(hlo_module *module, const char *base) {
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t number = module->next_id;; number++) {
        text.len = 0;
        hlo_buf_printf(&text, "%s.%u", base, number);
        if (!hlo_module_find_name(module, (hlo_str){text.data, (uint32_t)text.len, 0})) break;
    }
    hlo_name *name = hlo_module_intern_copy(module, (hlo_str){text.data, (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return name;
}

hlo_body hlo_build_open(hlo_rewriter *r, const char *name) {
    hlo_computation *c = hlo_computation_new(r->module, computation_name(r->module, name));
    hlo_body body = {.computation = c, .outer = r->target};
    body.place = hlo_open_end(r, c);
    return body;
}

hlo_instr *hlo_build_parameter(hlo_rewriter *r, const hlo_body *body, int64_t number,
                               const hlo_shape *shape) {
    (void)body;
    hlo_attr attr = hlo_attr_of_int(HLO_ATTR_PARAMETER_NUMBER, number);
    return hlo_emit(r, HLO_OP_PARAMETER, shape, NULL, 0, &attr, 1);
}

hlo_computation *hlo_build_close(hlo_rewriter *r, const hlo_body *body, hlo_instr *root) {
    body->computation->root = root;
    hlo_close_end(body->place);
    hlo_computation_index_parameters(body->computation);
    r->target = body->outer;
    return body->computation;
}

hlo_computation *hlo_build_reducer(hlo_rewriter *r, hlo_opcode opcode, hlo_type type) {
    const hlo_shape *scalar = hlo_shape_scalar(&r->module->shapes, type);
    hlo_body body = hlo_build_open(r, hlo_ops[opcode].text);
    hlo_instr *a = hlo_build_parameter(r, &body, 0, scalar);
    hlo_instr *b = hlo_build_parameter(r, &body, 1, scalar);
    return hlo_build_close(r, &body, hlo_build_binary(r, opcode, a, b));
}

hlo_instr *hlo_build_call(hlo_rewriter *r, hlo_computation *callee, hlo_instr *const *operands,
                          uint32_t n) {
    hlo_attr attr = {.id = HLO_ATTR_TO_APPLY, .u.computation = callee};
    return hlo_emit(r, HLO_OP_CALL, callee->root->shape, operands, n, &attr, 1);
}

hlo_instr *hlo_build_while(hlo_rewriter *r, hlo_computation *condition, hlo_computation *body,
                           hlo_instr *state) {
    hlo_attr attrs[] = {{.id = HLO_ATTR_CONDITION, .u.computation = condition},
                        {.id = HLO_ATTR_BODY, .u.computation = body}};
    return hlo_emit(r, HLO_OP_WHILE, state->shape, &state, 1, attrs, 2);
}

/* A counter that the state begins with, so that passes over loops recognise it and know the count.
 */
static hlo_computation *loop_condition(hlo_rewriter *r, const hlo_shape *state, int64_t count) {
    hlo_body body = hlo_build_open(r, "condition");
    hlo_instr *iteration = hlo_emit_element(r, hlo_build_parameter(r, &body, 0, state), 0);
    hlo_instr *end = hlo_build_integer(r, iteration->shape, count);
    return hlo_build_close(r, &body, hlo_build_compare(r, iteration, end, "LT"));
}

hlo_instr *hlo_build_whole_loop(hlo_rewriter *r, int64_t count, hlo_instr *const *state, uint32_t n,
                                hlo_loop_step *step, void *context) {
    const hlo_shape *s32 = hlo_shape_scalar(&r->module->shapes, HLO_S32);
    hlo_instr **elements = hlo_malloc((n + 1) * sizeof *elements);
    elements[0] = hlo_build_integer(r, s32, 0);
    memcpy(elements + 1, state, n * sizeof *elements);
    hlo_instr *start = hlo_emit_tuple(r, elements, n + 1);
    hlo_computation *condition = loop_condition(r, start->shape, count);
    hlo_body body = hlo_build_open(r, "body");
    hlo_instr *whole = hlo_build_parameter(r, &body, 0, start->shape);
    hlo_instr *iteration = hlo_emit_element(r, whole, 0);
    for (uint32_t i = 0; i < n; i++) elements[i + 1] = hlo_emit_element(r, whole, i + 1);
    step(r, iteration, elements + 1, n, context);
    for (uint32_t i = 0; i < n; i++) hlo_build_as(elements[i + 1], start->shape->elements[i + 1]);
    elements[0] = hlo_build_binary(r, HLO_OP_ADD, iteration, hlo_build_integer(r, s32, 1));
    hlo_computation *loop_body = hlo_build_close(r, &body, hlo_emit_tuple(r, elements, n + 1));
    hlo_free(elements);
    return hlo_build_while(r, condition, loop_body, start);
}

hlo_instr *hlo_build_loop(hlo_rewriter *r, int64_t count, hlo_instr *const *state, uint32_t n,
                          hlo_loop_step *step, void *context) {
    return hlo_emit_element(r, hlo_build_whole_loop(r, count, state, n, step, context), 1);
}

/* Shapes that differ in their layouts only: what an expander computes in the default layout takes
 * the layout that its place asks for. */
hlo_instr *hlo_build_as(hlo_instr *instr, const hlo_shape *shape) {
    if (hlo_shape_compatible(instr->shape, shape)) instr->shape = shape;
    return instr;
}
