/* Elementwise operations of builders, and broadcasting as the operation semantics have it: by
 * explicit dimensions, of scalars, and of dimensions of size 1. */
#include "build/builder.h"

#define UNBROADCAST ((hlo_int_list){0, NULL})

/* ---- broadcasting ---- */

static bool has_all_arrays(hlo_builder *b, hlo_opcode opcode, hlo_instrs_list operands) {
    for (size_t i = 0; i < operands.count; i++) {
        const hlo_shape *shape = operands.values[i]->shape;
        if (hlo_shape_is_array(shape)) continue;
        hlo_builder_fail(b, HLO_RULE_ARRAY_OPERAND, "%s: operand %zu is %s and must be an array",
                         hlo_ops[opcode].text, i, hlo_shape_name(&b->module->arena, shape));
        return false;
    }
    return true;
}

static bool is_repeated(hlo_int_list places, size_t i) {
    size_t k = 0;
    while (k < i && places.values[k] != places.values[i]) k++;
    return k < i;
}

/* Each dimension of the operand has a distinct place in the result, and fits there. */
static bool check_places(hlo_builder *b, const hlo_instr *operand, hlo_int_list dims,
                         hlo_int_list places) {
    const hlo_shape *shape = operand->shape;
    bool good = places.count == shape->rank;
    for (size_t i = 0; i < places.count && good; i++) {
        int64_t place = places.values[i];
        good = place >= 0 && place < (int64_t)dims.count && !is_repeated(places, i) &&
               (shape->dims[i] == 1 || shape->dims[i] == dims.values[place]);
    }
    if (!good)
        hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                         "broadcast: the dimensions of %s do not match the result dimensions",
                         hlo_shape_name(&b->module->arena, shape));
    return good;
}

/* Dimensions of size 1 that are repeated are first taken away. */
static const hlo_instr *spread(hlo_builder *b, const hlo_instr *operand, hlo_int_list dims,
                               hlo_int_list places) {
    int64_t kept_sizes[64], kept_places[64];
    size_t kept = 0;
    for (size_t i = 0; i < places.count; i++) {
        if (operand->shape->dims[i] != dims.values[places.values[i]]) continue;
        kept_sizes[kept] = operand->shape->dims[i];
        kept_places[kept++] = places.values[i];
    }
    if (kept < places.count)
        operand = hlo_builder_made(b, HLO_OP_RESHAPE,
                                   hlo_builder_resized(b, operand->shape, kept_sizes, kept),
                                   HLO_INSTRS(operand), HLO_NO_ATTRS);
    if (!operand) return NULL;
    return hlo_builder_made(
        b, HLO_OP_BROADCAST, hlo_builder_resized(b, operand->shape, dims.values, dims.count),
        HLO_INSTRS(operand),
        HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_DIMENSIONS, (hlo_int_list){kept, kept_places})));
}

static bool same_sizes(const hlo_instr *operand, hlo_int_list dims) {
    bool same = operand->shape->rank == dims.count;
    for (size_t i = 0; i < dims.count && same; i++)
        same = operand->shape->dims[i] == dims.values[i];
    return same;
}

const hlo_instr *hlo_builder_broadcast_in_dim(hlo_builder *b, const hlo_instr *operand,
                                              hlo_int_list out_dim_size,
                                              hlo_int_list broadcast_dimensions) {
    HLO_BUILDER_TAKES(b, operand);
    if (!has_all_arrays(b, HLO_OP_BROADCAST, HLO_INSTRS(operand)) ||
        !check_places(b, operand, out_dim_size, broadcast_dimensions))
        return NULL;
    return spread(b, operand, out_dim_size, broadcast_dimensions);
}

const hlo_instr *hlo_builder_broadcast(hlo_builder *b, const hlo_instr *operand,
                                       hlo_int_list broadcast_sizes) {
    HLO_BUILDER_TAKES(b, operand);
    if (!has_all_arrays(b, HLO_OP_BROADCAST, HLO_INSTRS(operand))) return NULL;
    uint32_t rank = operand->shape->rank;
    if (broadcast_sizes.count + rank > 64)
        return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "broadcast: more than 64 dimensions");
    int64_t dims[64], places[64];
    if (broadcast_sizes.count)
        memcpy(dims, broadcast_sizes.values, broadcast_sizes.count * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) {
        places[i] = (int64_t)broadcast_sizes.count + i;
        dims[places[i]] = operand->shape->dims[i];
    }
    return spread(b, operand, (hlo_int_list){broadcast_sizes.count + rank, dims},
                  (hlo_int_list){rank, places});
}

const hlo_instr *hlo_builder_filled(hlo_builder *b, const hlo_instr *value,
                                    const hlo_shape *shape) {
    if (hlo_shape_is_scalar(shape)) return value;
    return spread(b, value, (hlo_int_list){shape->rank, shape->dims}, UNBROADCAST);
}

/* ---- two operands of different sizes ---- */

/* The operand of lower rank among the dimensions of the other, which it may not fill. */
static const hlo_instr *raised(hlo_builder *b, const hlo_instr *low, const hlo_instr *high,
                               hlo_int_list places) {
    int64_t dims[64];
    bool good = places.count == low->shape->rank && high->shape->rank <= 64;
    for (size_t i = 0; i < places.count && good; i++)
        good = places.values[i] >= 0 && places.values[i] < high->shape->rank;
    if (!good)
        return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                                "broadcast_dimensions name a dimension of the operand of higher "
                                "rank for each of the other");
    for (size_t i = 1; i < places.count; i++)
        if (places.values[i] <= places.values[i - 1])
            return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                                    "broadcast_dimensions must ascend: %lld follows %lld",
                                    (long long)places.values[i], (long long)places.values[i - 1]);
    memcpy(dims, high->shape->dims, high->shape->rank * sizeof *dims);
    for (size_t i = 0; i < places.count; i++)
        if (dims[places.values[i]] == 1) dims[places.values[i]] = low->shape->dims[i];
    hlo_int_list to = {high->shape->rank, dims};
    return check_places(b, low, to, places) ? spread(b, low, to, places) : NULL;
}

/* Both sides to the greater one of each pair of sizes, one of which may be 1. */
static bool level(hlo_builder *b, const hlo_instr **lhs, const hlo_instr **rhs) {
    int64_t dims[64], places[64];
    uint32_t rank = (*lhs)->shape->rank;
    if (rank > 64) return true;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t l = (*lhs)->shape->dims[i], r = (*rhs)->shape->dims[i];
        if (l != r && l != 1 && r != 1) return true; /* inference reports the error */
        dims[i] = l == 1 ? r : l;
        places[i] = i;
    }
    hlo_int_list to = {rank, dims}, all = {rank, places};
    if (!same_sizes(*lhs, to)) *lhs = spread(b, *lhs, to, all);
    if (*lhs && !same_sizes(*rhs, to)) *rhs = spread(b, *rhs, to, all);
    return *lhs && *rhs;
}

static bool match_sizes(hlo_builder *b, const hlo_instr **lhs, const hlo_instr **rhs,
                        hlo_int_list places) {
    uint32_t l = (*lhs)->shape->rank, r = (*rhs)->shape->rank;
    if (l != r && !places.count && l && r) return true; /* the same */
    if (l < r)
        *lhs = l ? raised(b, *lhs, *rhs, places) : hlo_builder_filled(b, *lhs, (*rhs)->shape);
    if (r < l)
        *rhs = r ? raised(b, *rhs, *lhs, places) : hlo_builder_filled(b, *rhs, (*lhs)->shape);
    return *lhs && *rhs && level(b, lhs, rhs);
}

/* What is set for the next instruction is for the one after the broadcasts. */
static bool match(hlo_builder *b, const hlo_instr **lhs, const hlo_instr **rhs,
                  hlo_int_list places) {
    hlo_builder_next next = hlo_builder_take_next(b);
    bool matched = match_sizes(b, lhs, rhs, places);
    hlo_builder_give_back(b, next);
    return matched;
}

static const hlo_instr *binary(hlo_builder *b, hlo_opcode opcode, const hlo_instr *lhs,
                               const hlo_instr *rhs, hlo_int_list places, hlo_attr first,
                               hlo_attr second) {
    if (!has_all_arrays(b, opcode, HLO_INSTRS(lhs, rhs)) || !match(b, &lhs, &rhs, places))
        return NULL;
    return hlo_builder_made(b, opcode, NULL, HLO_INSTRS(lhs, rhs), HLO_ATTRS(first, second));
}

/* ---- the functions of the table ---- */

static int64_t word(hlo_word_set set, const char *text) {
    return hlo_word_find(set, hlo_str_from(text))->number;
}

/* Only floats have another order than the usual one. */
static hlo_attr order_of(const hlo_instr *operand, bool total) {
    bool differs = total && hlo_types[operand->shape->type].class == HLO_CLASS_FLOAT;
    return differs ? hlo_builder_int(HLO_ATTR_TYPE, word(HLO_WORDS_COMPARE_TYPE, "TOTALORDER"))
                   : hlo_builder_no_attr();
}

#define HLO_BUILD_UNARY(name, opcode)                                                         \
    const hlo_instr *hlo_builder_##name(hlo_builder *b, const hlo_instr *operand) {           \
        HLO_BUILDER_TAKES(b, operand);                                                        \
        return hlo_builder_made(b, HLO_OP_##opcode, NULL, HLO_INSTRS(operand), HLO_NO_ATTRS); \
    }
#define HLO_BUILD_BINARY(name, opcode)                                                             \
    const hlo_instr *hlo_builder_##name(hlo_builder *b, const hlo_instr *lhs,                      \
                                        const hlo_instr *rhs, hlo_int_list broadcast_dimensions) { \
        HLO_BUILDER_TAKES(b, lhs, rhs);                                                            \
        return binary(b, HLO_OP_##opcode, lhs, rhs, broadcast_dimensions, hlo_builder_no_attr(),   \
                      hlo_builder_no_attr());                                                      \
    }
#define HLO_BUILD_COMPARE(name, direction, total)                                                  \
    const hlo_instr *hlo_builder_##name(hlo_builder *b, const hlo_instr *lhs,                      \
                                        const hlo_instr *rhs, hlo_int_list broadcast_dimensions) { \
        HLO_BUILDER_TAKES(b, lhs, rhs);                                                            \
        return binary(b, HLO_OP_COMPARE, lhs, rhs, broadcast_dimensions,                           \
                      hlo_builder_int(HLO_ATTR_DIRECTION, word(HLO_WORDS_DIRECTION, direction)),   \
                      order_of(lhs, total));                                                       \
    }
#include "build/elementwise.def"

/* ---- others ---- */

const hlo_instr *hlo_builder_clamp(hlo_builder *b, const hlo_instr *min, const hlo_instr *operand,
                                   const hlo_instr *max) {
    HLO_BUILDER_TAKES(b, min, operand, max);
    return hlo_builder_made(b, HLO_OP_CLAMP, NULL, HLO_INSTRS(min, operand, max), HLO_NO_ATTRS);
}

static const hlo_instr *select_arrays(hlo_builder *b, const hlo_instr *pred, const hlo_instr *yes,
                                      const hlo_instr *no) {
    if (!has_all_arrays(b, HLO_OP_SELECT, HLO_INSTRS(pred, yes, no))) return NULL;
    return hlo_builder_made(b, HLO_OP_SELECT, NULL, HLO_INSTRS(pred, yes, no), HLO_NO_ATTRS);
}

static const hlo_instr *select_any(hlo_builder *b, const hlo_instr *pred, const hlo_instr *yes,
                                   const hlo_instr *no) {
    if (!hlo_shape_is_tuple(yes->shape)) return select_arrays(b, pred, yes, no);
    if (!hlo_shape_compatible(yes->shape, no->shape))
        return hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                                "select: on_true is %s and on_false is %s",
                                hlo_shape_name(&b->module->arena, yes->shape),
                                hlo_shape_name(&b->module->arena, no->shape));
    uint32_t n = yes->shape->rank;
    const hlo_instr **parts = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, n);
    hlo_builder_next next = hlo_builder_take_next(b);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_instr *y = hlo_builder_get_tuple_element(b, yes, i);
        const hlo_instr *z = hlo_builder_get_tuple_element(b, no, i);
        parts[i] = y && z ? select_any(b, pred, y, z) : NULL;
        if (!parts[i]) return NULL;
    }
    hlo_builder_give_back(b, next);
    return hlo_builder_tuple(b, (hlo_instrs_list){n, parts});
}

const hlo_instr *hlo_builder_select(hlo_builder *b, const hlo_instr *pred, const hlo_instr *on_true,
                                    const hlo_instr *on_false) {
    HLO_BUILDER_TAKES(b, pred, on_true, on_false);
    return select_any(b, pred, on_true, on_false);
}

/* The operand's array with another type, `type`. */
static const hlo_instr *retyped(hlo_builder *b, hlo_opcode opcode, const hlo_instr *operand,
                                hlo_element_type type, const hlo_attr *attrs, size_t n) {
    if (!has_all_arrays(b, opcode, HLO_INSTRS(operand))) return NULL;
    if (!hlo_element_type_bytes(type))
        return hlo_builder_misuse(b, "type %d is no array's", (int)type);
    return hlo_builder_made(
        b, opcode,
        hlo_shape_with_type(hlo_builder_shapes(b), operand->shape, hlo_builder_type(type)),
        HLO_INSTRS(operand), attrs, n);
}

const hlo_instr *hlo_builder_convert_element_type(hlo_builder *b, const hlo_instr *operand,
                                                  hlo_element_type type) {
    HLO_BUILDER_TAKES(b, operand);
    return retyped(b, HLO_OP_CONVERT, operand, type, HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_stochastic_convert(hlo_builder *b, const hlo_instr *operand,
                                                const hlo_instr *random, hlo_element_type type) {
    HLO_BUILDER_TAKES(b, operand, random);
    if (!has_all_arrays(b, HLO_OP_STOCHASTIC_CONVERT, HLO_INSTRS(operand, random))) return NULL;
    if (!hlo_element_type_bytes(type))
        return hlo_builder_misuse(b, "type %d is no array's", (int)type);
    return hlo_builder_made(
        b, HLO_OP_STOCHASTIC_CONVERT,
        hlo_shape_with_type(hlo_builder_shapes(b), operand->shape, hlo_builder_type(type)),
        HLO_INSTRS(operand, random), HLO_NO_ATTRS);
}

/* Widths in bits: types of less than a byte count as what they are. */
static const hlo_shape *bitcast_shape(hlo_builder *b, const hlo_shape *from, hlo_type type) {
    int64_t dims[64];
    uint32_t rank = from->rank;
    int64_t before = hlo_types[from->type].bits, after = hlo_types[type].bits;
    if (rank >= 64) return NULL;
    memcpy(dims, from->dims, rank * sizeof *dims);
    if (before > after) {
        if (before % after) return NULL;
        dims[rank++] = before / after;
    } else if (before < after) {
        if (!rank || dims[rank - 1] * before != after) return NULL;
        rank--;
    }
    return hlo_shape_array(hlo_builder_shapes(b), type, dims, rank, NULL, NULL, NULL);
}

const hlo_instr *hlo_builder_bitcast_convert_type(hlo_builder *b, const hlo_instr *operand,
                                                  hlo_element_type type) {
    HLO_BUILDER_TAKES(b, operand);
    if (!has_all_arrays(b, HLO_OP_BITCAST_CONVERT, HLO_INSTRS(operand))) return NULL;
    if (!hlo_element_type_bytes(type))
        return hlo_builder_misuse(b, "type %d is no array's", (int)type);
    const hlo_shape *shape = bitcast_shape(b, operand->shape, hlo_builder_type(type));
    if (!shape)
        return hlo_builder_fail(
            b, HLO_RULE_ELEMENT_TYPE,
            "bitcast-convert: %s cannot be converted to elements of type %s: the sizes do not fit",
            hlo_shape_name(&b->module->arena, operand->shape), hlo_element_type_name(type));
    return hlo_builder_made(b, HLO_OP_BITCAST_CONVERT, shape, HLO_INSTRS(operand), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_reduce_precision(hlo_builder *b, const hlo_instr *operand,
                                              int32_t exponent_bits, int32_t mantissa_bits) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_made(b, HLO_OP_REDUCE_PRECISION, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_EXPONENT_BITS, exponent_bits),
                                      hlo_builder_int(HLO_ATTR_MANTISSA_BITS, mantissa_bits)));
}
