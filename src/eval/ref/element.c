/* Single elements as numbers: see element.h. */
#include "eval/ref/element.h"

#include "eval/kernel/combine.h"
#include "ir/float_types.h"

/* Stored integers are extended to whole bytes, so that those bytes are the number. */
static uint64_t load_integer(hlo_type type, const void *element) {
    unsigned bytes = hlo_types[type].bytes, above = 64 - 8 * bytes;
    uint64_t bits = hlo_element_bits(element, bytes);
    if (hlo_types[type].class != HLO_CLASS_SIGNED) return bits;
    return (uint64_t)((int64_t)(bits << above) >> above);
}

static double load_part(hlo_type type, const void *element) {
    float single;
    double wide;
    switch (type) {
    case HLO_F32: memcpy(&single, element, sizeof single); return single;
    case HLO_F64: memcpy(&wide, element, sizeof wide); return wide;
    default: return hlo_float_decode(type, hlo_element_bits(element, hlo_types[type].bytes));
    }
}

hlo_number hlo_load(hlo_type type, const void *data, int64_t at) {
    const char *element = (const char *)data + at * hlo_types[type].bytes;
    hlo_type part = hlo_type_part(type);
    hlo_number number = {0};
    if (hlo_type_is_float(part)) {
        number.re = load_part(part, element);
        if (part != type) number.im = load_part(part, element + hlo_types[part].bytes);
    } else {
        number.integer = load_integer(type, element);
        bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
        number.re = is_signed ? (double)(int64_t)number.integer : (double)number.integer;
    }
    return number;
}

static void store_part(hlo_type type, void *element, double value) {
    float single = (float)value;
    switch (type) {
    case HLO_F32: memcpy(element, &single, sizeof single); break;
    case HLO_F64: memcpy(element, &value, sizeof value); break;
    default: hlo_set_element_bits(element, hlo_types[type].bytes, hlo_float_encode(type, value));
    }
}

void hlo_store(hlo_type type, void *data, int64_t at, hlo_number number) {
    char *element = (char *)data + at * hlo_types[type].bytes;
    hlo_type part = hlo_type_part(type);
    if (hlo_type_is_float(part)) {
        store_part(part, element, number.re);
        if (part != type) store_part(part, element + hlo_types[part].bytes, number.im);
    } else if (type == HLO_PRED) {
        *element = number.integer != 0;
    } else {
        hlo_set_element_bits(element, hlo_types[type].bytes, number.integer);
        hlo_extend_elements(type, element, 1);
    }
}

void hlo_copy_element(hlo_value *to, int64_t to_at, const hlo_value *from, int64_t from_at) {
    size_t bytes = hlo_types[to->shape->type].bytes;
    memcpy((char *)to->data + (size_t)to_at * bytes,
           (const char *)from->data + (size_t)from_at * bytes, bytes);
}

hlo_numbers hlo_numbers_of(hlo_type type) {
    if (hlo_type_is_complex(type)) return HLO_COMPLEXES;
    return hlo_type_is_float(type) ? HLO_REALS : HLO_INTEGERS;
}

void hlo_add_product(hlo_numbers numbers, hlo_number *sum, hlo_number a, hlo_number b) {
    switch (numbers) {
    case HLO_INTEGERS: sum->integer += a.integer * b.integer; break;
    case HLO_REALS: sum->re += a.re * b.re; break;
    case HLO_COMPLEXES:
        sum->re += a.re * b.re - a.im * b.im;
        sum->im += a.re * b.im + a.im * b.re;
        break;
    }
}

void hlo_store_sum(hlo_numbers numbers, hlo_value *to, int64_t at, hlo_number sum) {
    hlo_type type = (hlo_type)to->shape->type;
    char *element = (char *)to->data + at * hlo_types[type].bytes;
    if (numbers != HLO_INTEGERS && hlo_numbers_of(type) == HLO_INTEGERS)
        hlo_convert_elements(HLO_F64, type, &sum.re, element, 1);
    else hlo_store(type, to->data, at, sum);
}
