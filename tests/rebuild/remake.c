/* Instructions remade by the functions of hlo_builder.h: one remaker for each opcode that has
 * attributes or a shape as arguments, found by remakers.def. */
#include "rebuild/remake.h"

/* ---- arguments ---- */

static hlo_int_list ints(const hlo_instr *old, hlo_attr_id id) {
    const hlo_ints *list = hlo_attr_ints(old, id);
    return (hlo_int_list){list->n, list->v};
}

static hlo_computations_list callees(const remaking *r, const hlo_instr *old, hlo_attr_id id) {
    const hlo_attr *attr = hlo_instr_attr(old, id);
    uint32_t n = attr ? attr->u.computations->n : 0;
    const hlo_computation **list = HLO_NEW_ARRAY(r->scratch, const hlo_computation *, n);
    for (uint32_t i = 0; i < n; i++) list[i] = r->computations[attr->u.computations->v[i]->id];
    return (hlo_computations_list){n, list};
}

static hlo_int_list sizes(const hlo_shape *shape) {
    return (hlo_int_list){hlo_shape_is_array(shape) ? shape->rank : 0, shape->dims};
}

/* ---- windows ---- */

typedef struct {
    hlo_int_list size, stride, low, high, base_dilation, window_dilation;
} window_lists;

/* A member of each dimension of a window. */
static hlo_int_list member(const remaking *r, const hlo_window *window, size_t offset) {
    int64_t *list = HLO_NEW_ARRAY(r->scratch, int64_t, window->n);
    for (uint32_t i = 0; i < window->n; i++)
        memcpy(&list[i], (const char *)&window->v[i] + offset, sizeof *list);
    return (hlo_int_list){window->n, list};
}

/* What lists cannot express is set as text: windows that are reversed, or dilated where the
 * function does not ask. */
static window_lists window_of(remaking *r, const hlo_instr *old, bool asks_dilations) {
    const hlo_attr *attr = hlo_instr_attr(old, HLO_ATTR_WINDOW);
    if (!attr) return (window_lists){0};
    const hlo_window *w = attr->u.window;
    bool differs = false;
    for (uint32_t i = 0; i < w->n; i++)
        differs |=
            w->v[i].reversed ||
            (!asks_dilations && (w->v[i].base_dilation != 1 || w->v[i].window_dilation != 1));
    if (differs) remake_in_words(r, attr);
    return (window_lists){member(r, w, offsetof(hlo_window_dim, size)),
                          member(r, w, offsetof(hlo_window_dim, stride)),
                          member(r, w, offsetof(hlo_window_dim, pad_low)),
                          member(r, w, offsetof(hlo_window_dim, pad_high)),
                          member(r, w, offsetof(hlo_window_dim, base_dilation)),
                          member(r, w, offsetof(hlo_window_dim, window_dilation))};
}

const hlo_instr *remake_convolution(remaking *r, const hlo_instr *old) {
    window_lists w = window_of(r, old, true);
    const hlo_dim_labels *d = hlo_instr_attr(old, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    hlo_conv_dimensions dims = {
        d->input_batch,          d->input_feature,         {d->n, d->input_spatial},
        d->kernel_input_feature, d->kernel_output_feature, {d->n, d->kernel_spatial},
        d->output_batch,         d->output_feature,        {d->n, d->output_spatial}};
    return hlo_builder_conv_general_dilated(
        r->b, op(r, 0), op(r, 1), w.stride, w.low, w.high, w.base_dilation, w.window_dilation,
        &dims, number(old, HLO_ATTR_FEATURE_GROUP_COUNT), number(old, HLO_ATTR_BATCH_GROUP_COUNT));
}

const hlo_instr *remake_reduce_window(remaking *r, const hlo_instr *old) {
    window_lists w = window_of(r, old, true);
    uint32_t n = old->operand_count / 2;
    return hlo_builder_reduce_window_padded(r->b, ops_from(r, 0, n), ops_after(r, n),
                                            callee(r, old, HLO_ATTR_TO_APPLY), w.size, w.stride,
                                            w.base_dilation, w.window_dilation, w.low, w.high);
}

const hlo_instr *remake_select_and_scatter(remaking *r, const hlo_instr *old) {
    window_lists w = window_of(r, old, false);
    return hlo_builder_select_and_scatter_padded(r->b, op(r, 0), callee(r, old, HLO_ATTR_SELECT),
                                                 w.size, w.stride, w.low, w.high, op(r, 1),
                                                 op(r, 2), callee(r, old, HLO_ATTR_SCATTER));
}

/* ---- elementwise ---- */

const hlo_instr *remake_clamp(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_clamp(r->b, op(r, 0), op(r, 1), op(r, 2));
}

const hlo_instr *remake_select(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_select(r->b, op(r, 0), op(r, 1), op(r, 2));
}

typedef const hlo_instr *compare_function(hlo_builder *, const hlo_instr *, const hlo_instr *,
                                          hlo_int_list);

const hlo_instr *remake_compare(remaking *r, const hlo_instr *old) {
    static const struct {
        const char *direction;
        bool is_total;
        compare_function *function;
    } functions[] = {
#define HLO_BUILD_COMPARE(name, direction, total) {direction, total, hlo_builder_##name},
#include "build/elementwise.def"
    };
    const char *direction = hlo_word_text(HLO_WORDS_DIRECTION, number(old, HLO_ATTR_DIRECTION));
    const char *type = hlo_word_text(HLO_WORDS_COMPARE_TYPE, number(old, HLO_ATTR_TYPE));
    bool is_total = hlo_instr_attr(old, HLO_ATTR_TYPE) && type && strcmp(type, "TOTALORDER") == 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].is_total == is_total && strcmp(functions[i].direction, direction) == 0)
            return functions[i].function(r->b, op(r, 0), op(r, 1), (hlo_int_list){0, NULL});
    return NULL;
}

const hlo_instr *remake_convert(remaking *r, const hlo_instr *old) {
    return hlo_builder_convert_element_type(r->b, op(r, 0), hlo_shape_type(old->shape));
}

const hlo_instr *remake_bitcast_convert(remaking *r, const hlo_instr *old) {
    return hlo_builder_bitcast_convert_type(r->b, op(r, 0), hlo_shape_type(old->shape));
}

const hlo_instr *remake_stochastic_convert(remaking *r, const hlo_instr *old) {
    return hlo_builder_stochastic_convert(r->b, op(r, 0), op(r, 1), hlo_shape_type(old->shape));
}

const hlo_instr *remake_reduce_precision(remaking *r, const hlo_instr *old) {
    return hlo_builder_reduce_precision(r->b, op(r, 0),
                                        (int32_t)number(old, HLO_ATTR_EXPONENT_BITS),
                                        (int32_t)number(old, HLO_ATTR_MANTISSA_BITS));
}

const hlo_instr *remake_map(remaking *r, const hlo_instr *old) {
    return hlo_builder_map(r->b, all_ops(r), callee(r, old, HLO_ATTR_TO_APPLY),
                           (hlo_instrs_list){0, NULL});
}

/* ---- data movement ---- */

const hlo_instr *remake_bitcast(remaking *r, const hlo_instr *old) {
    return hlo_builder_bitcast(r->b, op(r, 0), old->shape);
}

const hlo_instr *remake_broadcast(remaking *r, const hlo_instr *old) {
    return hlo_builder_broadcast_in_dim(r->b, op(r, 0), sizes(old->shape),
                                        ints(old, HLO_ATTR_DIMENSIONS));
}

const hlo_instr *remake_concatenate(remaking *r, const hlo_instr *old) {
    return hlo_builder_concatenate(r->b, all_ops(r), first_of(old, HLO_ATTR_DIMENSIONS));
}

const hlo_instr *remake_dynamic_reshape(remaking *r, const hlo_instr *old) {
    return hlo_builder_dynamic_reshape(r->b, op(r, 0), ops_after(r, 1), old->shape);
}

const hlo_instr *remake_dynamic_slice(remaking *r, const hlo_instr *old) {
    return hlo_builder_dynamic_slice(r->b, op(r, 0), ops_after(r, 1),
                                     ints(old, HLO_ATTR_DYNAMIC_SLICE_SIZES));
}

const hlo_instr *remake_dynamic_update_slice(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_dynamic_update_slice(r->b, op(r, 0), op(r, 1), ops_after(r, 2));
}

const hlo_instr *remake_gather(remaking *r, const hlo_instr *old) {
    return hlo_builder_gather(r->b, op(r, 0), op(r, 1), number(old, HLO_ATTR_INDEX_VECTOR_DIM),
                              ints(old, HLO_ATTR_OFFSET_DIMS), ints(old, HLO_ATTR_SLICE_SIZES),
                              ints(old, HLO_ATTR_COLLAPSED_SLICE_DIMS),
                              ints(old, HLO_ATTR_START_INDEX_MAP),
                              number(old, HLO_ATTR_INDICES_ARE_SORTED));
}

const hlo_instr *remake_get_dimension_size(remaking *r, const hlo_instr *old) {
    return hlo_builder_get_dimension_size(r->b, op(r, 0), first_of(old, HLO_ATTR_DIMENSIONS));
}

const hlo_instr *remake_set_dimension_size(remaking *r, const hlo_instr *old) {
    return hlo_builder_set_dimension_size(r->b, op(r, 0), op(r, 1),
                                          first_of(old, HLO_ATTR_DIMENSIONS));
}

const hlo_instr *remake_iota(remaking *r, const hlo_instr *old) {
    return hlo_builder_iota(r->b, old->shape, number(old, HLO_ATTR_IOTA_DIMENSION));
}

const hlo_instr *remake_pad(remaking *r, const hlo_instr *old) {
    const hlo_padding *padding = hlo_instr_attr(old, HLO_ATTR_PADDING)->u.padding;
    uint32_t n = padding->n;
    int64_t *low = HLO_NEW_ARRAY(r->scratch, int64_t, 3 * (size_t)n), *high = low + n,
            *interior = high + n;
    for (uint32_t i = 0; i < n; i++) {
        low[i] = padding->v[i].low;
        high[i] = padding->v[i].high;
        interior[i] = padding->v[i].interior;
    }
    return hlo_builder_pad(r->b, op(r, 0), op(r, 1), (hlo_int_list){n, low},
                           (hlo_int_list){n, high}, (hlo_int_list){n, interior});
}

const hlo_instr *remake_reshape(remaking *r, const hlo_instr *old) {
    return hlo_builder_reshape(r->b, op(r, 0), (hlo_int_list){0, NULL}, sizes(old->shape));
}

const hlo_instr *remake_reverse(remaking *r, const hlo_instr *old) {
    return hlo_builder_rev(r->b, op(r, 0), ints(old, HLO_ATTR_DIMENSIONS));
}

const hlo_instr *remake_scatter(remaking *r, const hlo_instr *old) {
    uint32_t n = old->operand_count / 2;
    return hlo_builder_scatter(
        r->b, ops_from(r, 0, n), op(r, n), ops_after(r, n + 1), callee(r, old, HLO_ATTR_TO_APPLY),
        number(old, HLO_ATTR_INDEX_VECTOR_DIM), ints(old, HLO_ATTR_UPDATE_WINDOW_DIMS),
        ints(old, HLO_ATTR_INSERTED_WINDOW_DIMS), ints(old, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS),
        number(old, HLO_ATTR_INDICES_ARE_SORTED), number(old, HLO_ATTR_UNIQUE_INDICES));
}

const hlo_instr *remake_slice(remaking *r, const hlo_instr *old) {
    const hlo_slice *slice = hlo_instr_attr(old, HLO_ATTR_SLICE)->u.slice;
    uint32_t n = slice->n;
    int64_t *start = HLO_NEW_ARRAY(r->scratch, int64_t, 3 * (size_t)n), *limit = start + n,
            *stride = limit + n;
    for (uint32_t i = 0; i < n; i++) {
        start[i] = slice->v[i].start;
        limit[i] = slice->v[i].limit;
        stride[i] = slice->v[i].stride;
    }
    return hlo_builder_slice(r->b, op(r, 0), (hlo_int_list){n, start}, (hlo_int_list){n, limit},
                             (hlo_int_list){n, stride});
}

const hlo_instr *remake_transpose(remaking *r, const hlo_instr *old) {
    return hlo_builder_transpose(r->b, op(r, 0), ints(old, HLO_ATTR_DIMENSIONS));
}

/* ---- parameters and constants ---- */

const hlo_instr *remake_parameter(remaking *r, const hlo_instr *old) {
    return hlo_builder_parameter(r->b, number(old, HLO_ATTR_PARAMETER_NUMBER), old->shape);
}

/* Of a tuple, or of what has no elements in memory, as text. */
const hlo_instr *remake_constant(remaking *r, const hlo_instr *old) {
    hlo_array value;
    if (hlo_shape_is_array(old->shape) && hlo_instr_literal(old, 0, &value))
        return hlo_builder_constant(r->b, &value);
    hlo_buf words = HLO_BUF_INIT;
    hlo_literal_print(&words, hlo_instr_attr(old, HLO_ATTR_VALUE)->u.literal);
    hlo_buf_char(&words, 0);
    const hlo_instr *made = hlo_builder_constant_from_text(r->b, old->shape, words.data);
    hlo_buf_free(&words);
    return made;
}

/* ---- reductions, sorts, products ---- */

const hlo_instr *remake_reduce(remaking *r, const hlo_instr *old) {
    uint32_t n = old->operand_count / 2;
    return hlo_builder_reduce(r->b, ops_from(r, 0, n), ops_after(r, n),
                              callee(r, old, HLO_ATTR_TO_APPLY), ints(old, HLO_ATTR_DIMENSIONS));
}

const hlo_instr *remake_scan(remaking *r, const hlo_instr *old) {
    return hlo_builder_scan(r->b, callee(r, old, HLO_ATTR_TO_APPLY), all_ops(r),
                            first_of(old, HLO_ATTR_DIMENSIONS), number(old, HLO_ATTR_NUM_CARRIES),
                            number(old, HLO_ATTR_IS_REVERSE), number(old, HLO_ATTR_IS_ASSOCIATIVE));
}

const hlo_instr *remake_sort(remaking *r, const hlo_instr *old) {
    return hlo_builder_sort(r->b, all_ops(r), callee(r, old, HLO_ATTR_TO_APPLY),
                            first_of(old, HLO_ATTR_DIMENSIONS), number(old, HLO_ATTR_IS_STABLE));
}

const hlo_instr *remake_topk(remaking *r, const hlo_instr *old) {
    return hlo_builder_top_k(r->b, op(r, 0), number(old, HLO_ATTR_K),
                             number(old, HLO_ATTR_LARGEST));
}

const hlo_instr *remake_dot(remaking *r, const hlo_instr *old) {
    return hlo_builder_dot_general(
        r->b, op(r, 0), op(r, 1), ints(old, HLO_ATTR_LHS_CONTRACTING_DIMS),
        ints(old, HLO_ATTR_RHS_CONTRACTING_DIMS), ints(old, HLO_ATTR_LHS_BATCH_DIMS),
        ints(old, HLO_ATTR_RHS_BATCH_DIMS));
}

const hlo_instr *remake_scaled_dot(remaking *r, const hlo_instr *old) {
    return hlo_builder_scaled_dot(
        r->b, op(r, 0), op(r, 1), op(r, 2), op(r, 3), ints(old, HLO_ATTR_LHS_CONTRACTING_DIMS),
        ints(old, HLO_ATTR_RHS_CONTRACTING_DIMS), ints(old, HLO_ATTR_LHS_BATCH_DIMS),
        ints(old, HLO_ATTR_RHS_BATCH_DIMS));
}

const hlo_instr *remake_ragged_dot(remaking *r, const hlo_instr *old) {
    hlo_ragged_dimensions dims = {
        ints(old, HLO_ATTR_LHS_CONTRACTING_DIMS), ints(old, HLO_ATTR_RHS_CONTRACTING_DIMS),
        ints(old, HLO_ATTR_LHS_BATCH_DIMS),       ints(old, HLO_ATTR_RHS_BATCH_DIMS),
        ints(old, HLO_ATTR_LHS_RAGGED_DIMS),      ints(old, HLO_ATTR_RHS_GROUP_DIMS)};
    return hlo_builder_ragged_dot(r->b, op(r, 0), op(r, 1), op(r, 2), &dims);
}

const hlo_instr *remake_fft(remaking *r, const hlo_instr *old) {
    return hlo_builder_fft(r->b, op(r, 0), (hlo_fft_kind)number(old, HLO_ATTR_FFT_TYPE),
                           ints(old, HLO_ATTR_FFT_LENGTH));
}

const hlo_instr *remake_cholesky(remaking *r, const hlo_instr *old) {
    return hlo_builder_cholesky(r->b, op(r, 0), number(old, HLO_ATTR_LOWER));
}

/* An invalid transpose is set as text. */
const hlo_instr *remake_triangular_solve(remaking *r, const hlo_instr *old) {
    int64_t transpose = number(old, HLO_ATTR_TRANSPOSE_A);
    if (!transpose) hlo_builder_set_attribute(r->b, "transpose_a", "TRANSPOSE_INVALID");
    return hlo_builder_triangular_solve(
        r->b, op(r, 0), op(r, 1), number(old, HLO_ATTR_LEFT_SIDE), number(old, HLO_ATTR_LOWER),
        number(old, HLO_ATTR_UNIT_DIAGONAL),
        transpose ? (hlo_transpose_kind)transpose : HLO_NO_TRANSPOSE);
}

static float epsilon(const hlo_instr *old) {
    return (float)hlo_instr_attr(old, HLO_ATTR_EPSILON)->u.f;
}

const hlo_instr *remake_batch_norm_training(remaking *r, const hlo_instr *old) {
    return hlo_builder_batch_norm_training(r->b, op(r, 0), op(r, 1), op(r, 2), epsilon(old),
                                           number(old, HLO_ATTR_FEATURE_INDEX));
}

const hlo_instr *remake_batch_norm_inference(remaking *r, const hlo_instr *old) {
    return hlo_builder_batch_norm_inference(r->b, op(r, 0), op(r, 1), op(r, 2), op(r, 3), op(r, 4),
                                            epsilon(old), number(old, HLO_ATTR_FEATURE_INDEX));
}

const hlo_instr *remake_batch_norm_grad(remaking *r, const hlo_instr *old) {
    return hlo_builder_batch_norm_grad(r->b, op(r, 0), op(r, 1), op(r, 2), op(r, 3), op(r, 4),
                                       epsilon(old), number(old, HLO_ATTR_FEATURE_INDEX));
}

/* ---- random numbers ---- */

const hlo_instr *remake_rng(remaking *r, const hlo_instr *old) {
    const char *word = hlo_word_text(HLO_WORDS_DISTRIBUTION, number(old, HLO_ATTR_DISTRIBUTION));
    bool normal = word && strcmp(word, "rng_normal") == 0;
    return (normal ? hlo_builder_rng_normal : hlo_builder_rng_uniform)(r->b, op(r, 0), op(r, 1),
                                                                       old->shape);
}

/* The state may be all of the result. */
const hlo_instr *remake_rng_bit_generator(remaking *r, const hlo_instr *old) {
    return hlo_builder_rng_bit_generator(
        r->b, (hlo_rng_algorithm)number(old, HLO_ATTR_RNG_ALGORITHM), op(r, 0), part(old, 1));
}

const hlo_instr *remake_rng_get_and_update_state(remaking *r, const hlo_instr *old) {
    return hlo_builder_rng_get_and_update_state(r->b, number(old, HLO_ATTR_DELTA), old->shape);
}

/* ---- tuples and control ---- */

const hlo_instr *remake_tuple(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_tuple(r->b, all_ops(r));
}

const hlo_instr *remake_get_tuple_element(remaking *r, const hlo_instr *old) {
    return hlo_builder_get_tuple_element(r->b, op(r, 0), number(old, HLO_ATTR_INDEX));
}

const hlo_instr *remake_after_all(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_after_all(r->b, all_ops(r));
}

const hlo_instr *remake_add_dependency(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_add_dependency(r->b, op(r, 0), op(r, 1));
}

const hlo_instr *remake_opt_barrier(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_optimization_barrier(r->b, all_ops(r));
}

const hlo_instr *remake_domain(remaking *r, const hlo_instr *old) {
    hlo_buf words = HLO_BUF_INIT;
    hlo_attr_print_value(hlo_instr_attr(old, HLO_ATTR_DOMAIN), &hlo_print_default, &words);
    hlo_buf_char(&words, 0);
    const hlo_instr *made = hlo_builder_domain(r->b, op(r, 0), words.data);
    hlo_buf_free(&words);
    return made;
}

const hlo_instr *remake_call(remaking *r, const hlo_instr *old) {
    return hlo_builder_call(r->b, callee(r, old, HLO_ATTR_TO_APPLY), all_ops(r));
}

const hlo_instr *remake_fusion(remaking *r, const hlo_instr *old) {
    return hlo_builder_fusion(r->b, callee(r, old, HLO_ATTR_CALLS), all_ops(r),
                              hlo_word_text(HLO_WORDS_FUSION_KIND, number(old, HLO_ATTR_KIND)));
}

const hlo_instr *remake_while(remaking *r, const hlo_instr *old) {
    return hlo_builder_while(r->b, callee(r, old, HLO_ATTR_CONDITION),
                             callee(r, old, HLO_ATTR_BODY), op(r, 0));
}

const hlo_instr *remake_conditional(remaking *r, const hlo_instr *old) {
    if (hlo_instr_attr(old, HLO_ATTR_TRUE_COMPUTATION))
        return hlo_builder_conditional(r->b, op(r, 0), op(r, 1),
                                       callee(r, old, HLO_ATTR_TRUE_COMPUTATION), op(r, 2),
                                       callee(r, old, HLO_ATTR_FALSE_COMPUTATION));
    return hlo_builder_conditional_indexed(
        r->b, op(r, 0), callees(r, old, HLO_ATTR_BRANCH_COMPUTATIONS), ops_after(r, 1));
}

const hlo_instr *remake_custom_call(remaking *r, const hlo_instr *old) {
    const char *target = text(r, *hlo_instr_attr(old, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string);
    bool has_side_effect = number(old, HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT);
    hlo_computations_list called = callees(r, old, HLO_ATTR_CALLED_COMPUTATIONS);
    if (!called.count)
        return hlo_builder_custom_call(r->b, target, all_ops(r), old->shape, NULL, has_side_effect);
    return hlo_builder_custom_call_with_computations(r->b, target, all_ops(r), called, old->shape,
                                                     NULL, has_side_effect);
}

/* ---- the table ---- */

#define HLO_BUILD_UNARY(name, opcode)                                              \
    static const hlo_instr *remake_unary_##name(remaking *r, const hlo_instr *o) { \
        (void)o;                                                                   \
        return hlo_builder_##name(r->b, op(r, 0));                                 \
    }
#define HLO_BUILD_BINARY(name, opcode)                                                \
    static const hlo_instr *remake_binary_##name(remaking *r, const hlo_instr *o) {   \
        (void)o;                                                                      \
        return hlo_builder_##name(r->b, op(r, 0), op(r, 1), (hlo_int_list){0, NULL}); \
    }
#include "build/elementwise.def"

#define NOTHING ((const uint16_t[]){HLO_ATTR_COUNT})
#define S(attribute) HLO_ATTR_##attribute
#define SAYS(...) ((const uint16_t[]){__VA_ARGS__, HLO_ATTR_COUNT})

const remaker_row remakers[HLO_OP_COUNT] = {
#define HLO_REMAKER(opcode, name, says) [HLO_OP_##opcode] = {remake_##name, says},
#include "rebuild/remakers.def"
#undef HLO_REMAKER
#define HLO_BUILD_UNARY(name, opcode) [HLO_OP_##opcode] = {remake_unary_##name, NOTHING},
#define HLO_BUILD_BINARY(name, opcode) [HLO_OP_##opcode] = {remake_binary_##name, NOTHING},
#include "build/elementwise.def"
};
