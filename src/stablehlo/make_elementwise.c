/* Operations whose instruction has the same operands: elementwise ones, and those that move data.
 */
#include "base/text.h"
#include "stablehlo/convert.h"

static hlo_opcode opcode_of(const hlo_stablehlo *s) {
    return hlo_stablehlo_opcode(s->op->id);
}

/* The instruction of the row's opcode with the operation's operands, and the attributes that were
 * pushed. */
static bool same(hlo_stablehlo *s) {
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_stablehlo_push_operands(s);
    return hlo_stablehlo_set_result(s, hlo_stablehlo_make(s, opcode_of(s), shape));
}

/* result_accuracy of functions: a mode, or tolerances. */
static bool push_accuracy(hlo_stablehlo *s) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, "result_accuracy");
    if (!attr) return true;
    hlo_accuracy *accuracy = HLO_NEW(s->arena, hlo_accuracy);
    const hlo_mlir_attr *mode = hlo_mlir_member(attr, "mode"), *part;
    hlo_str word = HLO_STR("DEFAULT");
    if (mode && !hlo_stablehlo_word_of(mode, &word))
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "the mode of result_accuracy is a word") != NULL;
    accuracy->is_tolerance = hlo_str_is(word, "TOLERANCE");
    accuracy->mode = hlo_str_is(word, "HIGHEST");
    if ((part = hlo_mlir_member(attr, "atol"))) accuracy->atol = part->u.f;
    if ((part = hlo_mlir_member(attr, "rtol"))) accuracy->rtol = part->u.f;
    accuracy->ulps = hlo_stablehlo_member_int(attr, "ulps", 0);
    if (accuracy->is_tolerance || accuracy->mode)
        hlo_stablehlo_push_any(s, HLO_ATTR_RESULT_ACCURACY, accuracy);
    return true;
}

bool hlo_shlo_elementwise(hlo_stablehlo *s) {
    return push_accuracy(s) && same(s);
}

/* A scalar among arrays is broadcast, as XLA's builder does it. */
bool hlo_shlo_ternary(hlo_stablehlo *s) {
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_instr *operands[3];
    if (!shape) return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (!(operands[i] = hlo_stablehlo_operand(s, i))) return false;
        if (!shape->rank || operands[i]->shape->rank) continue;
        hlo_type type = (hlo_type)operands[i]->shape->type;
        const hlo_shape *sizes =
            hlo_shape_array(&s->module->shapes, type, shape->dims, shape->rank, NULL, NULL, NULL);
        hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){0});
        operands[i] = hlo_stablehlo_make_of(s, HLO_OP_BROADCAST, sizes, &operands[i], 1);
    }
    return hlo_stablehlo_set_result(s, hlo_stablehlo_make_of(s, opcode_of(s), shape, operands, 3));
}

/* Of a complex number to a real one: its real part first. */
bool hlo_shlo_convert(hlo_stablehlo *s) {
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    if (!shape || !operand) return false;
    hlo_type from = (hlo_type)operand->shape->type;
    if (hlo_type_is_complex(from) && !hlo_type_is_complex((hlo_type)shape->type)) {
        const hlo_shape *real =
            hlo_shape_with_type(&s->module->shapes, operand->shape, hlo_type_part(from));
        operand = hlo_stablehlo_make_of(s, HLO_OP_REAL, real, &operand, 1);
    }
    return hlo_stablehlo_set_result(s,
                                    hlo_stablehlo_make_of(s, HLO_OP_CONVERT, shape, &operand, 1));
}

bool hlo_shlo_compare(hlo_stablehlo *s) {
    hlo_str direction, type;
    if (!hlo_stablehlo_word(s, "comparison_direction", &direction)) return false;
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_DIRECTION, direction);
    if (!word)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "there is no comparison_direction %.*s", (int)direction.len,
                                  direction.ptr) != NULL;
    hlo_stablehlo_push_int(s, HLO_ATTR_DIRECTION, word->number);
    if (hlo_stablehlo_attr(s, "compare_type")) {
        if (!hlo_stablehlo_word(s, "compare_type", &type)) return false;
        word = hlo_word_find(HLO_WORDS_COMPARE_TYPE, type);
        if (!word && !hlo_str_is(type, "NOTYPE"))
            return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE, "there is no compare_type %.*s",
                                      (int)type.len, type.ptr) != NULL;
        if (word) hlo_stablehlo_push_int(s, HLO_ATTR_TYPE, word->number);
    }
    return same(s);
}

static bool take(const char **at, const char *end, char c) {
    if (*at == end || **at != c) return false;
    (*at)++;
    return true;
}

/* e5m10, or exponent_bits and mantissa_bits. */
bool hlo_shlo_reduce_precision(hlo_stablehlo *s) {
    const hlo_mlir_attr *format = hlo_stablehlo_attr(s, "format");
    int64_t exponent = 0, mantissa = 0;
    if (format) {
        const char *at = format->u.text.ptr, *end = at + format->u.text.len;
        uint64_t e, m;
        if (format->kind != HLO_MLIR_WORD || !take(&at, end, 'e') ||
            !hlo_digits(&at, end, 9999, &e) || !take(&at, end, 'm') ||
            !hlo_digits(&at, end, 9999, &m) || at != end)
            return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                      "format is written like e5m10") != NULL;
        exponent = (int64_t)e;
        mantissa = (int64_t)m;
    } else if (!hlo_stablehlo_int(s, "exponent_bits", &exponent) ||
               !hlo_stablehlo_int(s, "mantissa_bits", &mantissa)) {
        return false;
    }
    hlo_stablehlo_push_int(s, HLO_ATTR_EXPONENT_BITS, exponent);
    hlo_stablehlo_push_int(s, HLO_ATTR_MANTISSA_BITS, mantissa);
    return same(s);
}

/* ---- constants ---- */

/* One value for all elements is a scalar that is broadcast, as XLA's builder makes it. */
static hlo_instr *filled(hlo_stablehlo *s, const hlo_literal *scalar, const hlo_shape *shape) {
    hlo_carried carried = s->carried;
    s->carried.sharding = NULL;
    hlo_stablehlo_push_any(s, HLO_ATTR_VALUE, scalar);
    hlo_instr *made = hlo_stablehlo_make_of(s, HLO_OP_CONSTANT, scalar->shape, NULL, 0);
    s->carried = carried;
    if (!made) return NULL;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){0});
    return hlo_stablehlo_make_of(s, HLO_OP_BROADCAST, shape, &made, 1);
}

/* A literal of the tree in the module's memory. */
static hlo_literal *own_literal(hlo_stablehlo *s, const hlo_literal *from, const hlo_shape *shape) {
    hlo_literal *literal = hlo_literal_new_raw(s->arena, shape);
    int64_t bytes = hlo_shape_bytes(shape);
    if (bytes > 0) memcpy(literal->data, hlo_literal_data(from), (size_t)bytes);
    literal->is_read = true;
    return literal;
}

bool hlo_shlo_constant(hlo_stablehlo *s) {
    const hlo_mlir_attr *value = hlo_stablehlo_attr(s, "value");
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    if (!shape) return false;
    if (!value || !value->literal)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "the value of a constant is dense<...>") != NULL;
    const hlo_shape *plain =
        hlo_shape_array(&s->module->shapes, (hlo_type)value->literal->shape->type, shape->dims,
                        shape->rank, NULL, NULL, NULL);
    if (plain->type != shape->type)
        return hlo_stablehlo_fail(s, HLO_RULE_ELEMENT_TYPE,
                                  "the elements of the value are not those of the result") != NULL;
    if (value->is_splat && hlo_shape_elements(plain) > 1) {
        hlo_literal *scalar = own_literal(
            s, value->literal, hlo_shape_scalar(&s->module->shapes, (hlo_type)plain->type));
        return hlo_stablehlo_set_result(s, filled(s, scalar, plain));
    }
    const hlo_mlir_attr *order = hlo_stablehlo_attr(s, "result_layout");
    uint32_t n;
    const int64_t *v;
    if (order && hlo_mlir_ints(s->tree, order, &n, &v) && n == plain->rank)
        plain = hlo_shape_array(&s->module->shapes, (hlo_type)plain->type, plain->dims, plain->rank,
                                NULL, v, NULL);
    hlo_stablehlo_push_any(s, HLO_ATTR_VALUE, own_literal(s, value->literal, plain));
    return hlo_stablehlo_set_result(s, hlo_stablehlo_make_of(s, HLO_OP_CONSTANT, plain, NULL, 0));
}

bool hlo_shlo_iota(hlo_stablehlo *s) {
    int64_t dimension;
    if (!hlo_stablehlo_int(s, "iota_dimension", &dimension)) return false;
    hlo_stablehlo_push_int(s, HLO_ATTR_IOTA_DIMENSION, dimension);
    return same(s);
}

/* ---- sizes ---- */

/* New dimensions stand before those of the operand. */
bool hlo_shlo_broadcast(hlo_stablehlo *s) {
    hlo_int_view sizes;
    if (!hlo_stablehlo_ints(s, "broadcast_sizes", &sizes)) return false;
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    if (!operand) return false;
    int64_t *dims = HLO_NEW_ARRAY(s->arena, int64_t, operand->shape->rank);
    for (uint32_t i = 0; i < operand->shape->rank; i++) dims[i] = sizes.n + i;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){operand->shape->rank, dims});
    return same(s);
}

/* Dimensions of size 1 that grow are dropped by a reshape first. */
static hlo_instr *broadcast_of(hlo_stablehlo *s, hlo_instr *operand, const hlo_shape *shape,
                               hlo_int_view dims) {
    const hlo_shape *from = operand->shape;
    int64_t *in_sizes = HLO_NEW_ARRAY(s->arena, int64_t, shape->rank);
    bool grows = false;
    for (uint32_t i = 0; i < shape->rank; i++) in_sizes[i] = shape->dims[i];
    for (uint32_t i = 0; i < dims.n; i++) {
        if (dims.v[i] < 0 || dims.v[i] >= shape->rank)
            return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                      "broadcast dimension %lld is out of range",
                                      (long long)dims.v[i]);
        grows |= from->dims[i] != shape->dims[dims.v[i]];
        in_sizes[dims.v[i]] = from->dims[i];
    }
    const hlo_shape *first = grows ? hlo_shape_array(&s->module->shapes, (hlo_type)shape->type,
                                                     in_sizes, shape->rank, NULL, NULL, NULL)
                                   : shape;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, dims);
    hlo_instr *made = hlo_stablehlo_make_of(s, HLO_OP_BROADCAST, first, &operand, 1);
    if (!grows || !made) return made;
    /* Then those of size 1 go, and the rest is broadcast. */
    int64_t *kept = HLO_NEW_ARRAY(s->arena, int64_t, shape->rank),
            *places = HLO_NEW_ARRAY(s->arena, int64_t, shape->rank);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (in_sizes[i] != shape->dims[i]) continue;
        kept[rank] = in_sizes[i];
        places[rank++] = i;
    }
    const hlo_shape *reshaped =
        hlo_shape_array(&s->module->shapes, (hlo_type)shape->type, kept, rank, NULL, NULL, NULL);
    hlo_carried carried = s->carried;
    s->carried.sharding = NULL; /* that of the broadcast has other dimensions */
    made = hlo_stablehlo_make_of(s, HLO_OP_RESHAPE, reshaped, &made, 1);
    s->carried = carried;
    if (!made) return NULL;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){rank, places});
    return hlo_stablehlo_make_of(s, HLO_OP_BROADCAST, shape, &made, 1);
}

bool hlo_shlo_broadcast_in_dim(hlo_stablehlo *s) {
    hlo_int_view dims;
    if (!hlo_stablehlo_ints(s, "broadcast_dimensions", &dims)) return false;
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    if (!shape || !operand) return false;
    if (operand->shape->rank != dims.n)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "broadcast_dimensions has %u numbers for an operand of rank %u",
                                  dims.n, operand->shape->rank) != NULL;
    return hlo_stablehlo_set_result(s, broadcast_of(s, operand, shape, dims));
}

bool hlo_shlo_reshape(hlo_stablehlo *s) {
    return same(s);
}

static bool with_dimensions(hlo_stablehlo *s, const char *name) {
    hlo_int_view dims;
    if (!hlo_stablehlo_ints(s, name, &dims)) return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, dims);
    return same(s);
}

bool hlo_shlo_transpose(hlo_stablehlo *s) {
    return with_dimensions(s, "permutation");
}

bool hlo_shlo_reverse(hlo_stablehlo *s) {
    return with_dimensions(s, "dimensions");
}

static bool with_dimension(hlo_stablehlo *s) {
    int64_t dimension;
    if (!hlo_stablehlo_int(s, "dimension", &dimension)) return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &dimension});
    return same(s);
}

bool hlo_shlo_concatenate(hlo_stablehlo *s) {
    return with_dimension(s);
}

bool hlo_shlo_get_dimension_size(hlo_stablehlo *s) {
    return with_dimension(s);
}

bool hlo_shlo_set_dimension_size(hlo_stablehlo *s) {
    return with_dimension(s);
}

bool hlo_shlo_pad(hlo_stablehlo *s) {
    hlo_int_view low, high, interior;
    if (!hlo_stablehlo_ints(s, "edge_padding_low", &low) ||
        !hlo_stablehlo_ints(s, "edge_padding_high", &high) ||
        !hlo_stablehlo_ints(s, "interior_padding", &interior))
        return false;
    if (low.n != high.n || low.n != interior.n)
        return hlo_stablehlo_fail(s, HLO_RULE_PAD_PADDING,
                                  "low, high and interior have a number for each dimension") !=
               NULL;
    hlo_padding *padding =
        hlo_arena_alloc(s->arena, sizeof *padding + low.n * sizeof padding->v[0]);
    padding->n = low.n;
    for (uint32_t i = 0; i < low.n; i++) {
        padding->v[i].low = low.v[i];
        padding->v[i].high = high.v[i];
        padding->v[i].interior = interior.v[i];
    }
    hlo_stablehlo_push_any(s, HLO_ATTR_PADDING, padding);
    return same(s);
}

/* [START:LIMIT:STRIDE, ...], or three lists. */
static bool slice_lists(hlo_stablehlo *s, hlo_int_view v[3]) {
    const hlo_mlir_attr *ranges = hlo_stablehlo_attr(s, "ranges");
    if (!ranges)
        return hlo_stablehlo_ints(s, "start_indices", &v[0]) &&
               hlo_stablehlo_ints(s, "limit_indices", &v[1]) &&
               hlo_stablehlo_ints(s, "strides", &v[2]);
    uint32_t n = ranges->list.n;
    int64_t *all = HLO_NEW_ARRAY(s->arena, int64_t, 3 * (size_t)n);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *range = ranges->list.v[i].value;
        if (range->kind != HLO_MLIR_INTS || range->u.ints.n != 3)
            return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                      "a range is START:LIMIT or START:LIMIT:STRIDE") != NULL;
        for (uint32_t k = 0; k < 3; k++) all[k * n + i] = range->u.ints.v[k];
    }
    for (uint32_t k = 0; k < 3; k++) v[k] = (hlo_int_view){n, all + k * n};
    return true;
}

bool hlo_shlo_slice(hlo_stablehlo *s) {
    hlo_int_view v[3];
    if (!slice_lists(s, v)) return false;
    if (v[0].n != v[1].n || v[0].n != v[2].n)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "starts, limits and strides have a number for each dimension") !=
               NULL;
    hlo_slice *slice = hlo_arena_alloc(s->arena, sizeof *slice + v[0].n * sizeof slice->v[0]);
    slice->n = v[0].n;
    for (uint32_t i = 0; i < slice->n; i++) {
        slice->v[i].start = v[0].v[i];
        slice->v[i].limit = v[1].v[i];
        slice->v[i].stride = v[2].v[i];
    }
    hlo_stablehlo_push_any(s, HLO_ATTR_SLICE, slice);
    return same(s);
}

bool hlo_shlo_dynamic_slice(hlo_stablehlo *s) {
    hlo_int_view sizes;
    if (!hlo_stablehlo_ints(s, "slice_sizes", &sizes)) return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DYNAMIC_SLICE_SIZES, sizes);
    return same(s);
}

bool hlo_shlo_dynamic_update_slice(hlo_stablehlo *s) {
    return same(s);
}

/* A cast between shapes that say more and less: the operand itself. */
bool hlo_shlo_cast(hlo_stablehlo *s) {
    return hlo_stablehlo_set_result(s, hlo_stablehlo_operand(s, 0));
}

/* Run-time sizes of a bounded result. */
bool hlo_shlo_dynamic_reshape(hlo_stablehlo *s) {
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_instr *operand = hlo_stablehlo_operand(s, 0), *sizes = hlo_stablehlo_operand(s, 1);
    if (!shape || !operand || !sizes) return false;
    hlo_instr **all = HLO_NEW_ARRAY(s->arena, hlo_instr *, shape->rank + 1);
    all[0] = operand;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == HLO_UNBOUNDED)
            return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO,
                                      "dimension %u of the result has no bound", i) != NULL;
        hlo_slice *slice = hlo_arena_alloc(s->arena, sizeof *slice + sizeof slice->v[0]);
        slice->n = 1;
        slice->v[0].start = i;
        slice->v[0].limit = i + 1;
        slice->v[0].stride = 1;
        int64_t one = 1;
        hlo_type type = (hlo_type)sizes->shape->type;
        hlo_stablehlo_push_any(s, HLO_ATTR_SLICE, slice);
        hlo_instr *size = hlo_stablehlo_make_of(
            s, HLO_OP_SLICE, hlo_shape_array(&s->module->shapes, type, &one, 1, NULL, NULL, NULL),
            &sizes, 1);
        all[i + 1] = hlo_stablehlo_make_of(s, HLO_OP_RESHAPE,
                                           hlo_shape_scalar(&s->module->shapes, type), &size, 1);
    }
    return hlo_stablehlo_set_result(
        s, hlo_stablehlo_make_of(s, HLO_OP_DYNAMIC_RESHAPE, shape, all, shape->rank + 1));
}
