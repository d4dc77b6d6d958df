/* Ranges of integers: see range.h. */
#include "analysis/range.h"

#include "analysis/match.h"
#include "base/math.h"

/* Operands of operands that are looked at; binary operations double the work each time. */
enum { MAX_DEPTH = 5 };

typedef hlo_range range;

static bool find_range(const hlo_instr *instr, int depth, range *out);

bool hlo_range_of_type(hlo_type type, range *out) {
    const hlo_type_info *info = &hlo_types[type];
    *out = (range){0, 1};
    if (type == HLO_PRED) return true;
    if (!hlo_type_is_integral(type)) return false;
    bool is_signed = info->class == HLO_CLASS_SIGNED;
    if (!is_signed && info->bits > 63) return false;
    unsigned bits = info->bits - is_signed;
    out->most = (int64_t)(((uint64_t)1 << bits) - 1);
    out->least = is_signed ? -out->most - 1 : 0;
    return true;
}

static bool lies_in(range inner, range outer) {
    HLO_ASSERT(inner.least <= inner.most && outer.least <= outer.most);
    return inner.least >= outer.least && inner.most <= outer.most;
}

/* The result of a sum, difference or product, when it cannot leave the type. */
static bool in_type(const hlo_instr *instr, range found, range *out) {
    range whole;
    *out = found;
    return hlo_range_of_type((hlo_type)instr->shape->type, &whole) && lies_in(found, whole);
}

static bool look_both(const hlo_instr *instr, uint32_t first, int depth, range *a, range *b) {
    return find_range(hlo_operand(instr, first), depth, a) &&
           find_range(hlo_operand(instr, first + 1), depth, b);
}

static bool look_at_sum(const hlo_instr *instr, int depth, range *out) {
    range a, b, sum;
    if (!look_both(instr, 0, depth, &a, &b)) return false;
    bool overflows = instr->opcode == HLO_OP_ADD
                         ? __builtin_add_overflow(a.least, b.least, &sum.least) ||
                               __builtin_add_overflow(a.most, b.most, &sum.most)
                         : __builtin_sub_overflow(a.least, b.most, &sum.least) ||
                               __builtin_sub_overflow(a.most, b.least, &sum.most);
    return !overflows && in_type(instr, sum, out);
}

/* Of numbers that are not negative. */
static bool look_at_product(const hlo_instr *instr, int depth, range *out) {
    range a, b, product;
    if (!look_both(instr, 0, depth, &a, &b) || a.least < 0 || b.least < 0) return false;
    if (__builtin_mul_overflow(a.most, b.most, &product.most)) return false;
    product.least = a.least * b.least;
    return in_type(instr, product, out);
}

static bool look_at_extreme(const hlo_instr *instr, int depth, range *out) {
    range a, b;
    if (!look_both(instr, 0, depth, &a, &b)) return false;
    if (instr->opcode == HLO_OP_MINIMUM)
        *out = (range){hlo_smaller(a.least, b.least), hlo_smaller(a.most, b.most)};
    else *out = (range){hlo_larger(a.least, b.least), hlo_larger(a.most, b.most)};
    return true;
}

static bool look_at_choice(const hlo_instr *select, int depth, range *out) {
    range a, b;
    if (!look_both(select, 1, depth, &a, &b)) return false;
    *out = (range){hlo_smaller(a.least, b.least), hlo_larger(a.most, b.most)};
    return true;
}

/* min(max(a, low), high), bound by bound. */
static bool look_at_clamp(const hlo_instr *clamp, int depth, range *out) {
    range low, a, high;
    if (!look_both(clamp, 0, depth, &low, &a) || !find_range(hlo_operand(clamp, 2), depth, &high))
        return false;
    out->least = hlo_smaller(hlo_larger(a.least, low.least), high.least);
    out->most = hlo_smaller(hlo_larger(a.most, low.most), high.most);
    return true;
}

/* Masked by a number that is not negative. */
static bool look_at_and(const hlo_instr *instr, int depth, range *out) {
    range a, b;
    bool knows_a = find_range(hlo_operand(instr, 0), depth, &a) && a.least >= 0;
    bool knows_b = find_range(hlo_operand(instr, 1), depth, &b) && b.least >= 0;
    if (!knows_a && !knows_b) return false;
    *out = (range){0, !knows_b || (knows_a && a.most < b.most) ? a.most : b.most};
    return true;
}

/* The sign of the dividend, and less than a positive divisor. */
static bool look_at_remainder(const hlo_instr *instr, int depth, range *out) {
    range a, b;
    if (!look_both(instr, 0, depth, &a, &b) || b.least <= 0) return false;
    int64_t most = b.most - 1;
    out->least = a.least >= 0 ? 0 : hlo_larger(a.least, -most);
    out->most = a.most <= 0 ? 0 : hlo_smaller(a.most, most);
    return true;
}

static bool look_at_iota(const hlo_instr *iota, range *out) {
    HLO_ASSERT(iota->opcode == HLO_OP_IOTA);
    int64_t n = iota->shape->dims[hlo_attr_int(iota, HLO_ATTR_IOTA_DIMENSION)];
    return n > 0 && in_type(iota, (range){0, n - 1}, out);
}

static bool look_at_convert(const hlo_instr *convert, int depth, range *out) {
    range a;
    return find_range(hlo_operand(convert, 0), depth, &a) && in_type(convert, a, out);
}

static bool look_at_opcode(const hlo_instr *instr, int depth, range *out) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_BROADCAST:
    case HLO_OP_COPY:
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE: return find_range(hlo_operand(instr, 0), depth, out);
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT: return look_at_sum(instr, depth, out);
    case HLO_OP_MULTIPLY: return look_at_product(instr, depth, out);
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM: return look_at_extreme(instr, depth, out);
    case HLO_OP_AND: return look_at_and(instr, depth, out);
    case HLO_OP_CLAMP: return look_at_clamp(instr, depth, out);
    case HLO_OP_CONVERT: return look_at_convert(instr, depth, out);
    case HLO_OP_IOTA: return look_at_iota(instr, out);
    case HLO_OP_REMAINDER: return look_at_remainder(instr, depth, out);
    case HLO_OP_SELECT: return look_at_choice(instr, depth, out);
    default: return false;
    }
}

static bool find_range(const hlo_instr *instr, int depth, range *out) {
    if (!hlo_shape_is_array(instr->shape)) return false;
    hlo_type type = (hlo_type)instr->shape->type;
    if (!hlo_type_is_integral(type) && type != HLO_PRED) return false;
    int64_t value;
    if (hlo_integer_of(instr, &value)) {
        *out = (range){value, value};
        return true;
    }
    if (depth > 0 && type != HLO_PRED && look_at_opcode(instr, depth - 1, out)) return true;
    return hlo_range_of_type(type, out);
}

bool hlo_range_of(const hlo_instr *instr, range *out) {
    return find_range(instr, MAX_DEPTH, out);
}
