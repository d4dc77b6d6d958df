/* Questions about instructions: see match.h. */
#include "analysis/match.h"

#include "ir/float_types.h"

const hlo_literal *hlo_constant_of(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_CONSTANT) return NULL;
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    return attr ? attr->u.literal : NULL;
}

/* Comparing the data with itself one element on finds the first different pair. */
static bool all_elements_equal(const hlo_literal *literal) {
    HLO_ASSERT(hlo_shape_is_array(literal->shape));
    int64_t n = hlo_shape_elements(literal->shape);
    size_t bytes = hlo_types[literal->shape->type].bytes;
    const char *data = hlo_literal_data(literal);
    return n == 1 || (n > 1 && memcmp(data, data + bytes, bytes * (size_t)(n - 1)) == 0);
}

/* Zeros are what one number and zeros can be. */
static const void *splat_of_huge(const hlo_implied *implied) {
    static const char zeros[sizeof implied->first];
    bool are_zeros = !implied->is_elided && memcmp(implied->first, zeros, sizeof zeros) == 0;
    return are_zeros ? implied->first : NULL;
}

const void *hlo_splat_of(const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_BROADCAST && instr->operand_count == 1) {
        const hlo_instr *of = hlo_operand(instr, 0);
        if (of->shape->rank || of->shape->type != instr->shape->type) return NULL;
        instr = of;
    }
    const hlo_literal *literal = hlo_constant_of(instr);
    if (!literal || !hlo_shape_is_array(literal->shape)) return NULL;
    if (hlo_literal_is_huge(literal)) return splat_of_huge(literal->implied);
    const void *data = hlo_literal_data(literal);
    return data && all_elements_equal(literal) ? data : NULL;
}

/* ---- numbers ---- */

static int64_t signed_bits(uint64_t bits, unsigned bytes) {
    unsigned shift = 64 - 8 * bytes;
    HLO_ASSERT(bytes > 0 && bytes <= 8);
    return (int64_t)(bits << shift) >> shift;
}

static double part_number(hlo_type type, uint64_t bits) {
    if (hlo_type_is_float(type)) return hlo_float_decode(type, bits);
    if (hlo_types[type].class != HLO_CLASS_SIGNED) return (double)bits;
    return (double)signed_bits(bits, hlo_types[type].bytes);
}

bool hlo_is_all(const hlo_instr *instr, double value) {
    const char *element = hlo_splat_of(instr);
    if (!element) return false;
    hlo_type type = (hlo_type)instr->shape->type, part = hlo_type_part(type);
    unsigned bytes = hlo_types[part].bytes;
    if (part_number(part, hlo_element_bits(element, bytes)) != value) return false;
    return !hlo_type_is_complex(type) ||
           part_number(part, hlo_element_bits(element + bytes, bytes)) == 0;
}

static bool element_integer(hlo_type type, const void *element, int64_t *value) {
    if (!hlo_type_is_integral(type) && type != HLO_PRED) return false;
    uint64_t bits = hlo_element_bits(element, hlo_types[type].bytes);
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    if (!is_signed && bits > INT64_MAX) return false;
    *value = is_signed ? signed_bits(bits, hlo_types[type].bytes) : (int64_t)bits;
    return true;
}

bool hlo_integer_of(const hlo_instr *instr, int64_t *value) {
    const void *element = hlo_splat_of(instr);
    return element && element_integer((hlo_type)instr->shape->type, element, value);
}

bool hlo_integer_at(const hlo_literal *literal, int64_t i, int64_t *value) {
    HLO_ASSERT(i >= 0 && hlo_shape_is_array(literal->shape));
    hlo_type type = (hlo_type)literal->shape->type;
    const char *data = hlo_literal_data(literal);
    return data && element_integer(type, data + i * hlo_types[type].bytes, value);
}

/* Beyond 2^53 an integer might be rounded, and two different ones compare equal. */
bool hlo_element_number(hlo_type type, const void *element, double *value) {
    if (hlo_type_is_complex(type)) return false;
    uint64_t bits = hlo_element_bits(element, hlo_types[type].bytes);
    *value = part_number(type, bits);
    return hlo_type_is_float(type) || (*value < 0x1p53 && *value > -0x1p53);
}

bool hlo_number_of(const hlo_instr *instr, double *value) {
    const void *element = hlo_splat_of(instr);
    return element && hlo_element_number((hlo_type)instr->shape->type, element, value);
}

bool hlo_is_power_of_two(const hlo_instr *instr) {
    double value;
    int exponent;
    return hlo_number_of(instr, &value) && value != 0 &&
           __builtin_fabs(__builtin_frexp(value, &exponent)) == 0.5;
}

bool hlo_is_exact_factor(const hlo_instr *instr) {
    if (hlo_is_integral(instr)) return hlo_splat_of(instr) != NULL;
    return hlo_is_real(instr) && hlo_is_power_of_two(instr);
}

/* A product with itself may wrap around in integers. A constant of zero may be -0. */
bool hlo_is_non_negative(const hlo_instr *instr) {
    double value;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_ABS:
    case HLO_OP_EXPONENTIAL:
    case HLO_OP_LOGISTIC: return true;
    case HLO_OP_MULTIPLY:
        return hlo_operand(instr, 0) == hlo_operand(instr, 1) &&
               hlo_type_is_float((hlo_type)instr->shape->type);
    case HLO_OP_CONSTANT:
    case HLO_OP_BROADCAST: return hlo_number_of(instr, &value) && value > 0;
    default: return hlo_types[instr->shape->type].class == HLO_CLASS_UNSIGNED;
    }
}

/* The least or the greatest value of a type. */
static bool is_extreme(const hlo_instr *instr, bool greatest) {
    int64_t value;
    const hlo_type_info *type = &hlo_types[instr->shape->type];
    if (instr->shape->type == HLO_PRED) return hlo_is_all(instr, greatest);
    if (hlo_type_is_float((hlo_type)instr->shape->type))
        return hlo_is_all(instr, greatest ? __builtin_inf() : -__builtin_inf());
    if (!hlo_type_is_integral((hlo_type)instr->shape->type)) return false;
    if (type->class == HLO_CLASS_UNSIGNED && !greatest) return hlo_is_all(instr, 0);
    if (type->class == HLO_CLASS_UNSIGNED && type->bits == 64) return false;
    if (!hlo_integer_of(instr, &value)) return false;
    unsigned bits = type->bits - (type->class == HLO_CLASS_SIGNED);
    int64_t most = (int64_t)(((uint64_t)1 << bits) - 1);
    return value == (greatest ? most : -most - 1);
}

bool hlo_is_neutral(hlo_opcode opcode, const hlo_instr *init) {
    switch (opcode) {
    case HLO_OP_ADD:
    case HLO_OP_OR:
    case HLO_OP_XOR: return hlo_is_all(init, 0);
    case HLO_OP_MULTIPLY: return hlo_is_all(init, 1);
    case HLO_OP_MAXIMUM: return is_extreme(init, false);
    case HLO_OP_MINIMUM: return is_extreme(init, true);
    case HLO_OP_AND: return init->shape->type == HLO_PRED && hlo_is_all(init, 1);
    default: return false;
    }
}

/* A splat of zero with the sign; complex numbers, which have two signs, are none. */
static bool is_signed_zero(const hlo_instr *instr, bool negative) {
    double value;
    return hlo_is_real(instr) && hlo_number_of(instr, &value) && value == 0 &&
           (__builtin_signbit(value) != 0) == negative;
}

/* Complex factors have an imaginary part, whose product with an infinity is no number. */
bool hlo_is_exactly_neutral(hlo_opcode opcode, const hlo_instr *instr) {
    if (!hlo_is_neutral(opcode, instr)) return false;
    if (hlo_type_is_complex((hlo_type)instr->shape->type)) return false;
    return opcode != HLO_OP_ADD || !hlo_is_real(instr) || is_signed_zero(instr, true);
}

/* A sum is -0 only when all its terms are. */
static bool is_sum_from_zero(const hlo_instr *instr) {
    return instr->operand_count == 2 &&
           hlo_binary_computation(hlo_called(instr, 0)) == HLO_OP_ADD &&
           is_signed_zero(hlo_operand(instr, 1), false);
}

enum { ZERO_DEPTH = 8 };

static bool never_negative_zero(const hlo_instr *instr, int depth) {
    double value;
    if (!hlo_is_real(instr)) return !hlo_type_is_complex((hlo_type)instr->shape->type);
    if (depth == 0) return false;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_ABS:
    case HLO_OP_EXPONENTIAL:
    case HLO_OP_LOGISTIC:
    case HLO_OP_IOTA: return true;
    case HLO_OP_MULTIPLY: return hlo_operand(instr, 0) == hlo_operand(instr, 1);
    case HLO_OP_CONSTANT: return hlo_number_of(instr, &value) && !is_signed_zero(instr, true);
    case HLO_OP_CONVERT:
        return hlo_type_is_integral((hlo_type)hlo_operand(instr, 0)->shape->type) ||
               hlo_operand(instr, 0)->shape->type == HLO_PRED;
    case HLO_OP_ADD:
        return never_negative_zero(hlo_operand(instr, 0), depth - 1) ||
               never_negative_zero(hlo_operand(instr, 1), depth - 1);
    case HLO_OP_REDUCE:
    case HLO_OP_REDUCE_WINDOW: return is_sum_from_zero(instr);
    case HLO_OP_BROADCAST:
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE: return never_negative_zero(hlo_operand(instr, 0), depth - 1);
    case HLO_OP_SELECT:
        return never_negative_zero(hlo_operand(instr, 1), depth - 1) &&
               never_negative_zero(hlo_operand(instr, 2), depth - 1);
    default: return false;
    }
}

bool hlo_is_never_negative_zero(const hlo_instr *instr) {
    return never_negative_zero(instr, ZERO_DEPTH);
}

bool hlo_changes_nothing(hlo_opcode opcode, const hlo_instr *term, const hlo_instr *init) {
    if (hlo_is_exactly_neutral(opcode, term)) return true;
    return hlo_is_neutral(opcode, term) && opcode == HLO_OP_ADD && hlo_is_never_negative_zero(init);
}

bool hlo_is_exact_in_any_order(hlo_opcode opcode, hlo_type type) {
    bool rounds = opcode == HLO_OP_ADD || opcode == HLO_OP_MULTIPLY;
    return !rounds || !(hlo_type_is_float(type) || hlo_type_is_complex(type));
}

/* ---- structure ---- */

bool hlo_is_only_taken_apart(const hlo_instr *tuple) {
    if (tuple->parent->root == tuple) return false;
    for (const hlo_use *use = tuple->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT) return false;
    return true;
}

bool hlo_has_one_user(const hlo_instr *instr) {
    return instr->first_use && !instr->first_use->next && instr->parent->root != instr;
}

bool hlo_has_dim_of_two_roles(const hlo_instr *instr) {
    bool is_gather = instr->opcode == HLO_OP_GATHER;
    if (!is_gather && instr->opcode != HLO_OP_SCATTER) return false;
    const hlo_ints *batching = hlo_attr_ints(instr, is_gather ? HLO_ATTR_OPERAND_BATCHING_DIMS
                                                              : HLO_ATTR_INPUT_BATCHING_DIMS);
    const hlo_ints *absent = hlo_attr_ints(instr, is_gather ? HLO_ATTR_COLLAPSED_SLICE_DIMS
                                                            : HLO_ATTR_INSERTED_WINDOW_DIMS);
    const hlo_ints *indices =
        hlo_attr_ints(instr, is_gather ? HLO_ATTR_START_INDICES_BATCHING_DIMS
                                       : HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS);
    for (uint32_t i = 0; i < batching->n; i++)
        if (hlo_ints_contain(absent, batching->v[i])) return true;
    return hlo_ints_contain(indices, hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM));
}

bool hlo_has_sparse_operand(const hlo_instr *convolution) {
    HLO_ASSERT(convolution->opcode == HLO_OP_CONVOLUTION);
    return !hlo_shape_is_array(hlo_operand(convolution, 1)->shape) ||
           hlo_instr_attr(convolution, HLO_ATTR_SPARSITY_CONFIG);
}

uint32_t hlo_misfit_of_norm(const hlo_instr *norm) {
    int64_t feature = hlo_attr_int(norm, HLO_ATTR_FEATURE_INDEX);
    int64_t features = hlo_operand(norm, 0)->shape->dims[feature];
    for (uint32_t i = 1; i < norm->operand_count; i++) {
        const hlo_shape *shape = hlo_operand(norm, i)->shape;
        bool is_whole = i == 4 && norm->opcode == HLO_OP_BATCH_NORM_GRAD;
        if (!is_whole && (shape->rank != 1 || shape->dims[0] != features)) return i;
    }
    return 0;
}

bool hlo_is_identity_order(const hlo_ints *order) {
    for (uint32_t i = 0; i < order->n; i++)
        if (order->v[i] != i) return false;
    return true;
}

bool hlo_follow_dims(const hlo_shape *from, const hlo_shape *to, int64_t *place) {
    uint32_t i = 0, k = 0;
    while (i < from->rank || k < to->rank) {
        if (i < from->rank && k < to->rank && from->dims[i] == to->dims[k]) {
            place[i++] = k++;
        } else if (i < from->rank && from->dims[i] == 1) {
            place[i++] = -1;
        } else if (k < to->rank && to->dims[k] == 1) {
            k++;
        } else {
            return false;
        }
    }
    return true;
}

/* Whether a float of 16 bits or more holds all values of a smaller type. Those with many NaNs are
 * none: on the way back they become one. */
static bool holds_small_float(hlo_type to, hlo_type from) {
    const hlo_float_format *wide = hlo_type_float_format(to);
    const hlo_float_format *narrow = hlo_type_float_format(from);
    if (hlo_types[to].bits < 16 || narrow->specials == HLO_FLOAT_IEEE) return false;
    bool is_scale = narrow->specials == HLO_FLOAT_SCALE;
    int least = is_scale ? -narrow->bias : 1 - narrow->bias - narrow->mantissa_bits;
    int greatest = (1 << narrow->exponent_bits) - 1 - is_scale - narrow->bias;
    return narrow->mantissa_bits <= wide->mantissa_bits && greatest <= wide->bias &&
           least >= 1 - wide->bias - wide->mantissa_bits;
}

bool hlo_type_holds(hlo_type to, hlo_type from) {
    const hlo_type_info *wide = &hlo_types[to], *narrow = &hlo_types[from];
    bool is_signed = narrow->class == HLO_CLASS_SIGNED;
    if (from == to) return true;
    if (from == HLO_PRED) return hlo_type_is_integral(to) || to == HLO_F32 || to == HLO_F64;
    if (hlo_type_is_integral(from)) {
        int bits = narrow->bits - is_signed;
        if (to == HLO_F64) return bits <= 53;
        if (to == HLO_F32) return bits <= 24;
        if (wide->class == HLO_CLASS_SIGNED) return wide->bits - 1 >= bits;
        return wide->class == HLO_CLASS_UNSIGNED && !is_signed && wide->bits >= bits;
    }
    if (!hlo_type_is_float(from) || !hlo_type_is_float(to)) return false;
    if (narrow->bits <= 8) return holds_small_float(to, from);
    if (to == HLO_F64) return from == HLO_F32 || from == HLO_F16 || from == HLO_BF16;
    return to == HLO_F32 && (from == HLO_F16 || from == HLO_BF16);
}

void hlo_invert_order(const hlo_ints *order, int64_t *inverse) {
    for (uint32_t i = 0; i < order->n; i++) inverse[order->v[i]] = i;
}

hlo_opcode hlo_binary_of(const hlo_instr *instr, const hlo_instr *a, const hlo_instr *b) {
    if (instr->operand_count != 2) return HLO_OP_COUNT;
    const hlo_instr *first = hlo_operand(instr, 0), *second = hlo_operand(instr, 1);
    bool swapped = first == b && second == a;
    bool fits = (first == a && second == b) ||
                (swapped && (hlo_info(instr)->flags & HLO_OP_IS_COMMUTATIVE));
    return fits ? (hlo_opcode)instr->opcode : HLO_OP_COUNT;
}

hlo_opcode hlo_binary_computation(const hlo_computation *c) {
    if (!c->root || c->parameter_count != 2) return HLO_OP_COUNT;
    return hlo_binary_of(c->root, c->parameters[0], c->parameters[1]);
}

hlo_opcode hlo_combiner_of(const hlo_computation *c, uint32_t i, uint32_t n) {
    HLO_ASSERT(i < n);
    const hlo_instr *result = c->root;
    if (!result || c->parameter_count != 2 * n) return HLO_OP_COUNT;
    if (hlo_shape_is_tuple(result->shape)) {
        if (result->opcode != HLO_OP_TUPLE) return HLO_OP_COUNT;
        result = hlo_operand(result, i);
    }
    if (result == c->parameters[n + i]) return HLO_OP_PARAMETER;
    return hlo_binary_of(result, c->parameters[i], c->parameters[n + i]);
}
