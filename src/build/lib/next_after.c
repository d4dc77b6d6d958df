/* The next number after another one in the direction of a third: counting the bits up and down. */
#include "build/lib/formula.h"
#include "ir/float_types.h"

/* The unsigned integers of the type's width. */
static hlo_type bits_of(hlo_type type) {
    switch (hlo_types[type].bits) {
    case 4: return HLO_U4;
    case 8: return HLO_U8;
    case 16: return HLO_U16;
    case 32: return HLO_U32;
    case 64: return HLO_U64;
    default: return HLO_TYPE_COUNT;
    }
}

static void set_bits(hlo_formula *f, const char *name, hlo_type type, uint64_t bits) {
    hlo_formula_set(f, name, hlo_lib_bits(f->b, type, bits));
}

/* Toward zero, unless both have one sign and `to` is the larger one. */
static void count(hlo_formula *f, hlo_type bits, uint64_t sign) {
    hlo_term from = hlo_formula_get(f, "u");
    hlo_formula_run(f, "larger = from_abs > to_abs; smaller = larger || from_sign != to_sign");
    hlo_term down = hlo_lib_spread(f->b, hlo_lib_bits(f->b, bits, sign | (sign - 1)), from->shape);
    hlo_formula_set(f, "down", down);
    hlo_formula_run(f, "result = u + select(smaller, down, full(u, 1))");
}

/* The negative number next to zero goes to the only zero. */
static void count_to_only_zero(hlo_formula *f, hlo_type bits, uint64_t sign) {
    hlo_term convert =
        hlo_builder_convert_element_type(f->b, hlo_formula_get(f, "to_sign"), HLO_TYPE_PRED);
    hlo_formula_set(f, "to_negative", convert);
    set_bits(f, "least", bits, sign | 1);
    hlo_formula_run(f, "result = select(u == least && !to_negative, full(u, 0), result)");
}

static hlo_term next_bits(hlo_builder *b, hlo_term from, hlo_term to, hlo_type bits) {
    hlo_formula f = hlo_formula_of(b, "from to", (const hlo_term[]){from, to});
    uint64_t sign = (uint64_t)1 << (hlo_types[bits].bits - 1);
    hlo_float_specials specials = hlo_type_float_format((hlo_type)from->shape->type)->specials;
    hlo_formula_set(&f, "u", hlo_builder_bitcast_convert_type(b, from, hlo_lib_public(bits)));
    hlo_formula_set(&f, "v", hlo_builder_bitcast_convert_type(b, to, hlo_lib_public(bits)));
    hlo_formula_run(&f, "any_nan = from != from || to != to");
    hlo_term none = hlo_formula_run(&f, "full(from, nan)");
    hlo_formula_set(&f, "none", hlo_builder_bitcast_convert_type(b, none, hlo_lib_public(bits)));
    f.like = hlo_formula_get(&f, "u");
    set_bits(&f, "rest", bits, sign - 1);
    hlo_formula_run(&f, "from_abs = u && rest");
    set_bits(&f, "rest", bits, sign - 1);
    hlo_formula_run(&f,
                    "to_abs = v && rest; equal = u == v; from_zero = from_abs == zeros(from_abs);"
                    "to_zero = to_abs == zeros(to_abs)");
    set_bits(&f, "top", bits, sign);
    hlo_formula_run(&f, "from_sign = u && top");
    set_bits(&f, "top", bits, sign);
    hlo_formula_run(&f, "to_sign = v && top; least = to_sign || 1");
    hlo_formula_set(&f, "from_nothing", hlo_formula_get(&f, "least"));
    count(&f, bits, sign);
    if (specials == HLO_FLOAT_FNUZ) count_to_only_zero(&f, bits, sign);
    return hlo_formula_run(&f,
                           "result = select(from_zero, select(to_zero, v, from_nothing), result);"
                           "result = select(equal, v, result); select(any_nan, none, result)");
}

hlo_term hlo_lib_next_after(hlo_builder *b, hlo_term from, hlo_term to) {
    HLO_BUILDER_TAKES(b, from, to);
    if (!hlo_lib_is_real_float(b, "NextAfter", from) ||
        !hlo_lib_same_shapes(b, "NextAfter", from, to))
        return NULL;
    hlo_type type = (hlo_type)from->shape->type, bits = bits_of(type);
    bool has_sign = hlo_type_float_format(type)->sign != 0;
    if (bits == HLO_TYPE_COUNT || !has_sign)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "NextAfter got unsupported element type %s", hlo_types[type].text);
    hlo_term result = next_bits(b, from, to, bits);
    return result ? hlo_builder_bitcast_convert_type(b, result, hlo_lib_public(type)) : NULL;
}
