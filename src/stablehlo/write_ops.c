/* Elementwise operations, constants, and those that move data. */
#include "stablehlo/write.h"

void hlo_sw_push_common(hlo_sw *w) {
    const hlo_attr *sharding = hlo_instr_attr(w->instr, HLO_ATTR_SHARDING);
    const hlo_attr *frontend = hlo_instr_attr(w->instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    const hlo_mlir_attr *dict = frontend ? hlo_sw_frontend(w, frontend->u.frontend, NULL) : NULL;
    if (sharding) hlo_sw_push(w, "mhlo.sharding", hlo_sw_sharding(w, sharding->u.sharding));
    if (dict) hlo_sw_push(w, "mhlo.frontend_attributes", dict);
}

/* ---- elementwise ---- */

hlo_mlir_value *hlo_sw_write_same(hlo_sw *w) {
    hlo_sw_push_common(w);
    return hlo_sw_same(w, hlo_sw_op_of((hlo_opcode)w->instr->opcode));
}

static const hlo_mlir_attr *tolerance(hlo_sw *w, double value) {
    hlo_mlir_attr *attr = HLO_NEW(w->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_FLOAT;
    attr->u.f = value;
    return attr;
}

static void push_accuracy(hlo_sw *w) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_RESULT_ACCURACY);
    const hlo_accuracy *accuracy = attr ? attr->u.accuracy : NULL;
    if (!accuracy || (!accuracy->is_tolerance && accuracy->mode == 0)) return;
    hlo_sw_members m = {0};
    const char *mode = "TOLERANCE";
    if (accuracy->is_tolerance) {
        if (accuracy->atol != 0) hlo_sw_member(&m, "atol", tolerance(w, accuracy->atol));
        if (accuracy->rtol != 0) hlo_sw_member(&m, "rtol", tolerance(w, accuracy->rtol));
        hlo_sw_number_member(w, &m, "ulps", accuracy->ulps);
    } else {
        mode = hlo_sw_capitals(w, HLO_WORDS_ACCURACY_MODE, accuracy->mode);
    }
    hlo_sw_member(&m, "mode", hlo_sw_word(w, "stablehlo.result_accuracy_mode", mode));
    hlo_sw_push(w, "result_accuracy", hlo_sw_struct(w, "stablehlo.result_accuracy", &m));
}

hlo_mlir_value *hlo_sw_write_accurate(hlo_sw *w) {
    push_accuracy(w);
    return hlo_sw_write_same(w);
}

/* Of truth values it is an or. */
hlo_mlir_value *hlo_sw_write_add(hlo_sw *w) {
    hlo_sw_push_common(w);
    return hlo_sw_same(w, w->instr->shape->type == HLO_PRED ? HLO_MLIR_OP_STABLEHLO_OR
                                                            : HLO_MLIR_OP_STABLEHLO_ADD);
}

/* Zeros of the type; where the type has a bound, of the size that the operand has there. */
static hlo_mlir_value *zeros_like(hlo_sw *w, hlo_mlir_value *operand, const hlo_shape *shape) {
    const hlo_mlir_type *type = operand->type;
    int64_t bounded = -1;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] != HLO_UNBOUNDED) continue;
        if (bounded >= 0 || !type->bounds || type->bounds[i] == HLO_UNBOUNDED)
            return hlo_sw_refuse(w, "its operand has not one dimension with a bound");
        bounded = i;
    }
    const hlo_mlir_type *full = hlo_sw_tensor(w, type->element, type->rank, shape->dims);
    hlo_sw_push(w, "value", hlo_sw_zeros(w, full));
    hlo_mlir_value *zeros = hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_CONSTANT, NULL, 0, full);
    if (bounded < 0) return zeros;
    hlo_sw_push_int(w, "dimension", bounded);
    hlo_mlir_value *size = hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_GET_DIMENSION_SIZE, &operand, 1,
                                      hlo_sw_tensor(w, HLO_S32, 0, NULL));
    hlo_mlir_value *both[] = {zeros, size};
    hlo_sw_push_int(w, "dimension", bounded);
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_SET_DIMENSION_SIZE, both, 2, type);
}

/* To a truth value it is a comparison with zero. */
hlo_mlir_value *hlo_sw_write_convert(hlo_sw *w) {
    if (w->instr->shape->type != HLO_PRED) return hlo_sw_write_same(w);
    hlo_mlir_value *operand = hlo_sw_operand(w, 0);
    hlo_mlir_value *both[] = {operand, zeros_like(w, operand, hlo_operand(w->instr, 0)->shape)};
    hlo_sw_push(w, "comparison_direction", hlo_sw_word(w, "stablehlo.comparison_direction", "NE"));
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_COMPARE, both, 2, hlo_sw_type(w, w->instr->shape));
}

static const char *usual_comparison(hlo_type type) {
    switch (hlo_types[type].class) {
    case HLO_CLASS_SIGNED: return "SIGNED";
    case HLO_CLASS_PRED:
    case HLO_CLASS_UNSIGNED: return "UNSIGNED";
    default: return "FLOAT";
    }
}

hlo_mlir_value *hlo_sw_write_compare(hlo_sw *w) {
    const hlo_attr *type = hlo_instr_attr(w->instr, HLO_ATTR_TYPE);
    const char *usual = usual_comparison((hlo_type)hlo_operand(w->instr, 0)->shape->type);
    const char *word = type ? hlo_word_text(HLO_WORDS_COMPARE_TYPE, type->u.i) : usual;
    const char *direction =
        hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(w->instr, HLO_ATTR_DIRECTION));
    hlo_sw_push_common(w);
    hlo_sw_push(w, "comparison_direction",
                hlo_sw_word(w, "stablehlo.comparison_direction", direction));
    if (strcmp(word, usual) != 0)
        hlo_sw_push(w, "compare_type", hlo_sw_word(w, "stablehlo.comparison_type", word));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_COMPARE);
}

hlo_mlir_value *hlo_sw_write_reduce_precision(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push(w, "exponent_bits",
                hlo_sw_int(w, HLO_S32, hlo_attr_int(w->instr, HLO_ATTR_EXPONENT_BITS)));
    hlo_sw_push(w, "mantissa_bits",
                hlo_sw_int(w, HLO_S32, hlo_attr_int(w->instr, HLO_ATTR_MANTISSA_BITS)));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_REDUCE_PRECISION);
}

/* ---- constants ---- */

hlo_mlir_value *hlo_sw_write_constant(hlo_sw *w) {
    const hlo_attr *value = hlo_instr_attr(w->instr, HLO_ATTR_VALUE);
    const hlo_mlir_type *type = hlo_sw_type(w, value ? value->u.literal->shape : w->instr->shape);
    if (!type) return NULL;
    if (!value || type->kind != HLO_MLIR_TENSOR || w->instr->shape->dynamic)
        return hlo_sw_refuse(w, "a constant of StableHLO is an array of fixed sizes");
    hlo_sw_push_common(w);
    hlo_sw_push(w, "value", hlo_sw_dense(w, value->u.literal, type));
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_CONSTANT, NULL, 0, type);
}

hlo_mlir_value *hlo_sw_write_iota(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "iota_dimension", hlo_attr_int(w->instr, HLO_ATTR_IOTA_DIMENSION));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_IOTA);
}

/* ---- data ---- */

static int64_t only_dimension(hlo_sw *w) {
    const hlo_ints *dims = hlo_attr_ints(w->instr, HLO_ATTR_DIMENSIONS);
    return dims->n ? dims->v[0] : 0;
}

hlo_mlir_value *hlo_sw_write_broadcast(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_ints(w, "broadcast_dimensions", HLO_ATTR_DIMENSIONS);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM);
}

hlo_mlir_value *hlo_sw_write_transpose(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_ints(w, "permutation", HLO_ATTR_DIMENSIONS);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_TRANSPOSE);
}

hlo_mlir_value *hlo_sw_write_reverse(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_ints(w, "dimensions", HLO_ATTR_DIMENSIONS);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_REVERSE);
}

/* get-dimension-size and set-dimension-size */
hlo_mlir_value *hlo_sw_write_with_dimension(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "dimension", only_dimension(w));
    return hlo_sw_same(w, hlo_sw_op_of((hlo_opcode)w->instr->opcode));
}

hlo_mlir_value *hlo_sw_write_concatenate(hlo_sw *w) {
    return hlo_sw_write_with_dimension(w);
}

/* Three lists of `n` numbers each, which stand one after another. */
static hlo_mlir_value *with_lists(hlo_sw *w, hlo_mlir_op_id id, const char *const names[3],
                                  const int64_t *v, uint32_t n) {
    hlo_sw_push_common(w);
    for (uint32_t i = 0; i < 3; i++) hlo_sw_push(w, names[i], hlo_sw_i64s(w, v + (size_t)i * n, n));
    return hlo_sw_same(w, id);
}

hlo_mlir_value *hlo_sw_write_pad(hlo_sw *w) {
    static const char *const names[] = {"edge_padding_low", "edge_padding_high",
                                        "interior_padding"};
    const hlo_padding *padding = hlo_instr_attr(w->instr, HLO_ATTR_PADDING)->u.padding;
    int64_t *v = HLO_NEW_ARRAY(w->arena, int64_t, 3 * (size_t)padding->n);
    uint32_t n = padding->n;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = padding->v[i].low;
        v[n + i] = padding->v[i].high;
        v[2 * n + i] = padding->v[i].interior;
    }
    return with_lists(w, HLO_MLIR_OP_STABLEHLO_PAD, names, v, n);
}

hlo_mlir_value *hlo_sw_write_slice(hlo_sw *w) {
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    const hlo_slice *slice = hlo_instr_attr(w->instr, HLO_ATTR_SLICE)->u.slice;
    int64_t *v = HLO_NEW_ARRAY(w->arena, int64_t, 3 * (size_t)slice->n);
    uint32_t n = slice->n;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = slice->v[i].start;
        v[n + i] = slice->v[i].limit;
        v[2 * n + i] = slice->v[i].stride;
    }
    return with_lists(w, HLO_MLIR_OP_STABLEHLO_SLICE, names, v, n);
}

hlo_mlir_value *hlo_sw_write_dynamic_slice(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_ints(w, "slice_sizes", HLO_ATTR_DYNAMIC_SLICE_SIZES);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_DYNAMIC_SLICE);
}

/* The sizes become one array. */
hlo_mlir_value *hlo_sw_write_dynamic_reshape(hlo_sw *w) {
    uint32_t n = w->instr->operand_count;
    if (n < 2) return hlo_sw_refuse(w, "it has no sizes");
    hlo_mlir_value **sizes = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, n);
    int64_t one = 1, count = n - 1;
    for (uint32_t i = 1; i < n; i++) {
        sizes[i - 1] = hlo_sw_operand(w, i);
        if (sizes[i - 1]->type->rank) continue;
        sizes[i - 1] = hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_RESHAPE, &sizes[i - 1], 1,
                                  hlo_sw_tensor(w, sizes[i - 1]->type->element, 1, &one));
        if (!sizes[i - 1]) return NULL;
    }
    hlo_type element = sizes[0]->type->element;
    hlo_sw_push_int(w, "dimension", 0);
    hlo_mlir_value *both[] = {hlo_sw_operand(w, 0),
                              hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_CONCATENATE, sizes, n - 1,
                                         hlo_sw_tensor(w, element, 1, &count))};
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_DYNAMIC_RESHAPE, both, 2,
                      hlo_sw_type(w, w->instr->shape));
}

/* Layouts are what it is about. */
hlo_mlir_value *hlo_sw_write_bitcast(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push(w, "result_layout", hlo_sw_layout(w, w->instr->shape));
    hlo_sw_push(w, "source_layout", hlo_sw_layout(w, hlo_operand(w->instr, 0)->shape));
    return hlo_sw_same(w, HLO_MLIR_OP_MHLO_BITCAST);
}

/* ---- tokens and tuples ---- */

hlo_mlir_value *hlo_sw_write_after_all(hlo_sw *w) {
    hlo_sw_push_common(w);
    return hlo_sw_same(w, w->instr->operand_count ? HLO_MLIR_OP_STABLEHLO_AFTER_ALL
                                                  : HLO_MLIR_OP_STABLEHLO_CREATE_TOKEN);
}

/* Its location is that of the tuple. */
hlo_mlir_value *hlo_sw_write_get_tuple_element(hlo_sw *w) {
    hlo_mlir_value *tuple = hlo_sw_operand(w, 0);
    int64_t index = hlo_attr_int(w->instr, HLO_ATTR_INDEX);
    if (tuple->type->kind != HLO_MLIR_TUPLE || index < 0 || index >= tuple->type->part_count)
        return hlo_sw_refuse(w, "its operand is no tuple with such an element");
    hlo_sw_push_common(w);
    hlo_sw_push(w, "index", hlo_sw_int(w, HLO_S32, index));
    w->location = tuple->op ? tuple->op->location : tuple->location;
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_GET_TUPLE_ELEMENT, &tuple, 1,
                      tuple->type->parts[index]);
}
