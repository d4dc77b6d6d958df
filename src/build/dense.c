/* Products, transforms, normalisation, sorts and random numbers of builders, and the small
 * computations that reductions and sorts call. */
#include "build/builder.h"

/* ---- small computations ---- */

static const hlo_instr *scalar_parameter(hlo_builder *b, int64_t number, hlo_type type) {
    return hlo_builder_parameter(b, number, hlo_shape_scalar(hlo_builder_shapes(b), type));
}

/* What a computation is called, and what its instructions carry, is its own. */
static void open_plain(hlo_builder *b, const char *name) {
    hlo_builder_begin_scope(b);
    hlo_builder_scope *scope = b->scope;
    *scope = (hlo_builder_scope){.outer = scope->outer};
    hlo_builder_begin(b, name);
}

static const hlo_computation *close_plain(hlo_builder *b, const hlo_instr *root) {
    const hlo_computation *c = root ? hlo_builder_end(b, root) : NULL;
    hlo_builder_end_scope(b);
    return c;
}

const hlo_computation *hlo_builder_reducer(hlo_builder *b, const char *operation,
                                           hlo_element_type type) {
    HLO_BUILDER_TAKES(b, operation);
    hlo_opcode opcode = hlo_op_from_text(operation, strlen(operation));
    if (opcode == HLO_OP_COUNT || hlo_ops[opcode].min_operands != 2 ||
        !(hlo_ops[opcode].flags & HLO_OP_IS_ELEMENTWISE) || !hlo_element_type_bytes(type)) {
        hlo_builder_misuse(b, "%s: '%s' of type %d is not an operation of two arrays", __func__,
                           operation, (int)type);
        return NULL;
    }
    open_plain(b, operation);
    const hlo_instr *x = scalar_parameter(b, 0, hlo_builder_type(type));
    const hlo_instr *y = scalar_parameter(b, 1, hlo_builder_type(type));
    const hlo_instr *root = hlo_builder_made(b, opcode, NULL, HLO_INSTRS(x, y), HLO_NO_ATTRS);
    return close_plain(b, root);
}

static const hlo_instr *less_first(hlo_builder *b, const char *direction) {
    const hlo_instr *x = b->frame->computation->first;
    bool greater = strcmp(direction, "GT") == 0;
    hlo_int_list none = {0, NULL};
    return x && x->next ? (greater ? hlo_builder_gt_total_order
                                   : hlo_builder_lt_total_order)(b, x, x->next, none)
                        : NULL;
}

static const hlo_computation *comparator(hlo_builder *b, const char *direction,
                                         const hlo_type *types, size_t count) {
    open_plain(b, "compare");
    for (size_t i = 0; i < 2 * count; i++) scalar_parameter(b, (int64_t)i, types[i / 2]);
    return close_plain(b, less_first(b, direction));
}

const hlo_computation *hlo_builder_comparator(hlo_builder *b, const char *direction,
                                              const hlo_element_type *types, size_t count) {
    HLO_BUILDER_TAKES(b, direction, types);
    bool good = count && (strcmp(direction, "LT") == 0 || strcmp(direction, "GT") == 0);
    for (size_t i = 0; i < count && good; i++) good = hlo_element_type_bytes(types[i]) > 0;
    if (!good) {
        hlo_builder_misuse(b, "%s: '%s' of %zu types", __func__, direction, count);
        return NULL;
    }
    hlo_type *own = HLO_NEW_ARRAY(&b->module->arena, hlo_type, count);
    for (size_t i = 0; i < count; i++) own[i] = hlo_builder_type(types[i]);
    return comparator(b, direction, own, count);
}

/* ---- sorts ---- */

static const hlo_computation *usual_comparator(hlo_builder *b, hlo_instrs_list operands) {
    hlo_type *types = HLO_NEW_ARRAY(&b->module->arena, hlo_type, operands.count);
    for (size_t i = 0; i < operands.count; i++) {
        const hlo_shape *shape = operands.values[i]->shape;
        types[i] = (hlo_type)shape->type;
        if (hlo_shape_is_array(shape)) continue;
        hlo_builder_fail(b, HLO_RULE_ARRAY_OPERAND, "sort: operand %zu is not an array", i);
        return NULL;
    }
    return comparator(b, "LT", types, operands.count);
}

static const hlo_instr *sorted(hlo_builder *b, hlo_instrs_list operands,
                               const hlo_computation *given, int64_t dimension, bool is_stable) {
    const hlo_shape *shape = operands.values[0]->shape;
    const hlo_computation *by = given ? given : usual_comparator(b, operands);
    if (!by) return NULL;
    if (dimension == -1 && hlo_shape_is_array(shape)) dimension = (int64_t)shape->rank - 1;
    return hlo_builder_made(b, HLO_OP_SORT, NULL, operands,
                            HLO_ATTRS(hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, dimension),
                                      hlo_builder_flag(HLO_ATTR_IS_STABLE, is_stable),
                                      hlo_builder_callee(HLO_ATTR_TO_APPLY, by)));
}

const hlo_instr *hlo_builder_sort(hlo_builder *b, hlo_instrs_list operands,
                                  const hlo_computation *given, int64_t dimension, bool is_stable) {
    HLO_BUILDER_CALL(b, NULL);
    if (!hlo_builder_has_list(b, __func__, operands)) return NULL;
    if (!operands.count)
        return hlo_builder_fail(b, HLO_RULE_OPERAND_COUNT, "sort: it has no operand");
    return sorted(b, operands, given, dimension, is_stable);
}

const hlo_instr *hlo_builder_top_k(hlo_builder *b, const hlo_instr *operand, int64_t k,
                                   bool largest) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_made(
        b, HLO_OP_TOPK, NULL, HLO_INSTRS(operand),
        HLO_ATTRS(hlo_builder_int(HLO_ATTR_K, k), hlo_builder_int(HLO_ATTR_LARGEST, largest)));
}

/* ---- products ---- */

static const hlo_instr *product(hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs,
                                const hlo_int_list contracting[2], const hlo_int_list batch[2]) {
    return hlo_builder_made(
        b, HLO_OP_DOT, NULL, HLO_INSTRS(lhs, rhs),
        HLO_ATTRS(hlo_builder_some_ints(b, HLO_ATTR_LHS_BATCH_DIMS, batch[0]),
                  hlo_builder_ints(b, HLO_ATTR_LHS_CONTRACTING_DIMS, contracting[0]),
                  hlo_builder_some_ints(b, HLO_ATTR_RHS_BATCH_DIMS, batch[1]),
                  hlo_builder_ints(b, HLO_ATTR_RHS_CONTRACTING_DIMS, contracting[1])));
}

const hlo_instr *hlo_builder_dot(hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs) {
    HLO_BUILDER_TAKES(b, lhs, rhs);
    const hlo_shape *l = lhs->shape, *r = rhs->shape;
    bool good = hlo_shape_is_array(l) && hlo_shape_is_array(r) && l->rank >= 1 && l->rank <= 2 &&
                r->rank >= 1 && r->rank <= 2;
    if (!good)
        return hlo_builder_fail(
            b, HLO_RULE_OPERAND_DIMENSIONS, "dot: operands are vectors or matrices, not %s and %s",
            hlo_shape_name(&b->module->arena, l), hlo_shape_name(&b->module->arena, r));
    int64_t last = (int64_t)l->rank - 1, first = 0;
    hlo_int_list contracting[] = {{1, &last}, {1, &first}}, batch[2] = {{0, NULL}, {0, NULL}};
    return product(b, lhs, rhs, contracting, batch);
}

const hlo_instr *hlo_builder_dot_general(hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs,
                                         hlo_int_list lhs_contracting, hlo_int_list rhs_contracting,
                                         hlo_int_list lhs_batch, hlo_int_list rhs_batch) {
    HLO_BUILDER_TAKES(b, lhs, rhs);
    return product(b, lhs, rhs, (const hlo_int_list[]){lhs_contracting, rhs_contracting},
                   (const hlo_int_list[]){lhs_batch, rhs_batch});
}

const hlo_instr *hlo_builder_ragged_dot(hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs,
                                        const hlo_instr *group_sizes,
                                        const hlo_ragged_dimensions *d) {
    HLO_BUILDER_TAKES(b, lhs, rhs, group_sizes, d);
    return hlo_builder_made(
        b, HLO_OP_RAGGED_DOT, NULL, HLO_INSTRS(lhs, rhs, group_sizes),
        HLO_ATTRS(hlo_builder_some_ints(b, HLO_ATTR_LHS_BATCH_DIMS, d->lhs_batch),
                  hlo_builder_ints(b, HLO_ATTR_LHS_CONTRACTING_DIMS, d->lhs_contracting),
                  hlo_builder_some_ints(b, HLO_ATTR_RHS_BATCH_DIMS, d->rhs_batch),
                  hlo_builder_ints(b, HLO_ATTR_RHS_CONTRACTING_DIMS, d->rhs_contracting),
                  hlo_builder_some_ints(b, HLO_ATTR_LHS_RAGGED_DIMS, d->lhs_ragged),
                  hlo_builder_some_ints(b, HLO_ATTR_RHS_GROUP_DIMS, d->rhs_group)));
}

const hlo_instr *hlo_builder_scaled_dot(hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs,
                                        const hlo_instr *lhs_scale, const hlo_instr *rhs_scale,
                                        hlo_int_list lhs_contracting, hlo_int_list rhs_contracting,
                                        hlo_int_list lhs_batch, hlo_int_list rhs_batch) {
    HLO_BUILDER_TAKES(b, lhs, rhs, lhs_scale, rhs_scale);
    return hlo_builder_made(
        b, HLO_OP_SCALED_DOT, NULL, HLO_INSTRS(lhs, rhs, lhs_scale, rhs_scale),
        HLO_ATTRS(hlo_builder_some_ints(b, HLO_ATTR_LHS_BATCH_DIMS, lhs_batch),
                  hlo_builder_ints(b, HLO_ATTR_LHS_CONTRACTING_DIMS, lhs_contracting),
                  hlo_builder_some_ints(b, HLO_ATTR_RHS_BATCH_DIMS, rhs_batch),
                  hlo_builder_ints(b, HLO_ATTR_RHS_CONTRACTING_DIMS, rhs_contracting)));
}

/* ---- transforms and solvers ---- */

const hlo_instr *hlo_builder_fft(hlo_builder *b, const hlo_instr *operand, hlo_fft_kind fft_type,
                                 hlo_int_list fft_length) {
    HLO_BUILDER_TAKES(b, operand);
    if ((unsigned)fft_type > HLO_IRFFT) return hlo_builder_misuse(b, "%s: no such type", __func__);
    return hlo_builder_made(b, HLO_OP_FFT, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_FFT_TYPE, fft_type),
                                      hlo_builder_ints(b, HLO_ATTR_FFT_LENGTH, fft_length)));
}

const hlo_instr *hlo_builder_cholesky(hlo_builder *b, const hlo_instr *a, bool lower) {
    HLO_BUILDER_TAKES(b, a);
    return hlo_builder_made(b, HLO_OP_CHOLESKY, NULL, HLO_INSTRS(a),
                            HLO_ATTRS(hlo_builder_flag(HLO_ATTR_LOWER, lower)));
}

const hlo_instr *hlo_builder_triangular_solve(hlo_builder *b, const hlo_instr *a,
                                              const hlo_instr *right, bool left_side, bool lower,
                                              bool unit_diagonal, hlo_transpose_kind transpose_a) {
    HLO_BUILDER_TAKES(b, a, right);
    if (transpose_a < HLO_NO_TRANSPOSE || transpose_a > HLO_ADJOINT)
        return hlo_builder_misuse(b, "%s: no such transpose_a", __func__);
    return hlo_builder_made(b, HLO_OP_TRIANGULAR_SOLVE, NULL, HLO_INSTRS(a, right),
                            HLO_ATTRS(hlo_builder_flag(HLO_ATTR_LEFT_SIDE, left_side),
                                      hlo_builder_flag(HLO_ATTR_LOWER, lower),
                                      hlo_builder_flag(HLO_ATTR_UNIT_DIAGONAL, unit_diagonal),
                                      hlo_builder_int(HLO_ATTR_TRANSPOSE_A, transpose_a)));
}

/* ---- normalisation ---- */

static const hlo_instr *normalised(hlo_builder *b, hlo_opcode opcode, hlo_instrs_list operands,
                                   float epsilon, int64_t feature_index) {
    return hlo_builder_made(b, opcode, NULL, operands,
                            HLO_ATTRS(hlo_builder_float(HLO_ATTR_EPSILON, (double)epsilon),
                                      hlo_builder_int(HLO_ATTR_FEATURE_INDEX, feature_index)));
}

const hlo_instr *hlo_builder_batch_norm_training(hlo_builder *b, const hlo_instr *operand,
                                                 const hlo_instr *scale, const hlo_instr *offset,
                                                 float epsilon, int64_t feature_index) {
    HLO_BUILDER_TAKES(b, operand, scale, offset);
    return normalised(b, HLO_OP_BATCH_NORM_TRAINING, HLO_INSTRS(operand, scale, offset), epsilon,
                      feature_index);
}

const hlo_instr *hlo_builder_batch_norm_inference(hlo_builder *b, const hlo_instr *operand,
                                                  const hlo_instr *scale, const hlo_instr *offset,
                                                  const hlo_instr *mean, const hlo_instr *variance,
                                                  float epsilon, int64_t feature_index) {
    HLO_BUILDER_TAKES(b, operand, scale, offset, mean, variance);
    return normalised(b, HLO_OP_BATCH_NORM_INFERENCE,
                      HLO_INSTRS(operand, scale, offset, mean, variance), epsilon, feature_index);
}

const hlo_instr *hlo_builder_batch_norm_grad(hlo_builder *b, const hlo_instr *operand,
                                             const hlo_instr *scale, const hlo_instr *mean,
                                             const hlo_instr *variance,
                                             const hlo_instr *grad_output, float epsilon,
                                             int64_t feature_index) {
    HLO_BUILDER_TAKES(b, operand, scale, mean, variance, grad_output);
    return normalised(b, HLO_OP_BATCH_NORM_GRAD,
                      HLO_INSTRS(operand, scale, mean, variance, grad_output), epsilon,
                      feature_index);
}

/* ---- random numbers ---- */

static const hlo_instr *random(hlo_builder *b, const char *distribution, const hlo_instr *x,
                               const hlo_instr *y, const hlo_shape *shape) {
    int64_t word = hlo_word_find(HLO_WORDS_DISTRIBUTION, hlo_str_from(distribution))->number;
    return hlo_builder_made(b, HLO_OP_RNG, shape, HLO_INSTRS(x, y),
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_DISTRIBUTION, word)));
}

const hlo_instr *hlo_builder_rng_uniform(hlo_builder *b, const hlo_instr *x, const hlo_instr *y,
                                         const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, x, y, shape);
    return random(b, "rng_uniform", x, y, shape);
}

const hlo_instr *hlo_builder_rng_normal(hlo_builder *b, const hlo_instr *mu, const hlo_instr *sigma,
                                        const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, mu, sigma, shape);
    return random(b, "rng_normal", mu, sigma, shape);
}

const hlo_instr *hlo_builder_rng_bernoulli(hlo_builder *b, const hlo_instr *mean,
                                           hlo_int_list sizes) {
    HLO_BUILDER_TAKES(b, mean);
    hlo_builder_next next = hlo_builder_take_next(b);
    const hlo_shape *shape = hlo_builder_shape(b, HLO_TYPE_F32, sizes);
    const hlo_instr *zero = hlo_builder_constant_f32(b, 0), *one = hlo_builder_constant_f32(b, 1);
    const hlo_instr *drawn = hlo_builder_rng_uniform(b, zero, one, shape);
    const hlo_instr *below = hlo_builder_lt(b, drawn, mean, (hlo_int_list){0, NULL});
    if (below) hlo_builder_give_back(b, next);
    return hlo_builder_convert_element_type(b, below, HLO_TYPE_U32);
}

const hlo_instr *hlo_builder_rng_bit_generator(hlo_builder *b, hlo_rng_algorithm algorithm,
                                               const hlo_instr *initial_state,
                                               const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, initial_state, shape);
    if ((unsigned)algorithm > HLO_RNG_PHILOX)
        return hlo_builder_misuse(b, "%s: no such algorithm", __func__);
    const hlo_shape *parts[] = {initial_state->shape, hlo_builder_own_shape(b, shape)};
    return hlo_builder_made(
        b, HLO_OP_RNG_BIT_GENERATOR, hlo_shape_tuple(hlo_builder_shapes(b), parts, 2),
        HLO_INSTRS(initial_state), HLO_ATTRS(hlo_builder_int(HLO_ATTR_RNG_ALGORITHM, algorithm)));
}

const hlo_instr *hlo_builder_rng_get_and_update_state(hlo_builder *b, int64_t delta,
                                                      const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, shape);
    return hlo_builder_made(b, HLO_OP_RNG_GET_AND_UPDATE_STATE, shape, HLO_NO_INSTRS,
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_DELTA, delta)));
}
