/* Element types and shapes at random, and how far numbers of a type may go. */
#include <float.h>
#include <math.h>

#include "generator/generator.h"
#include "ir/float_types.h"

/* How often a type is taken where all are admitted; others count 1. */
static const uint8_t weights[HLO_TYPE_COUNT] = {
    [HLO_PRED] = 4, [HLO_F32] = 16, [HLO_S32] = 8, [HLO_F64] = 4, [HLO_BF16] = 4, [HLO_F16] = 3,
    [HLO_S64] = 3,  [HLO_S8] = 3,   [HLO_U8] = 2,  [HLO_U32] = 4, [HLO_U64] = 3,  [HLO_S16] = 2,
    [HLO_C64] = 4,  [HLO_C128] = 2, [HLO_U16] = 2, [HLO_S4] = 2,  [HLO_U4] = 2,
};

static uint64_t weight_of(const generator *g, hlo_type type, unsigned classes) {
    if (!hlo_type_is_array(type) || !g->options.types[type] || !is_of(type, classes)) return 0;
    return weights[type] ? weights[type] : 1;
}

hlo_type choose_type(generator *g, unsigned classes) {
    uint64_t sum = 0;
    for (unsigned t = 0; t < HLO_TYPE_COUNT; t++) sum += weight_of(g, (hlo_type)t, classes);
    if (!sum) return HLO_TYPE_COUNT;
    uint64_t at = roll(g, sum);
    for (unsigned t = 0; t < HLO_TYPE_COUNT; t++) {
        uint64_t weight = weight_of(g, (hlo_type)t, classes);
        if (at < weight) return (hlo_type)t;
        at -= weight;
    }
    return HLO_TYPE_COUNT;
}

hlo_type choose_index_type(generator *g) {
    static const hlo_type types[] = {HLO_S32, HLO_S32, HLO_S32, HLO_S64, HLO_U32,
                                     HLO_S8,  HLO_U8,  HLO_S16, HLO_U64};
    for (int attempt = 0; attempt < 8; attempt++) {
        hlo_type type = types[roll(g, sizeof types / sizeof *types)];
        if (g->options.types[type]) return type;
    }
    return HLO_S32;
}

const hlo_shape *array_of(generator *g, hlo_type type, const int64_t *dims, uint32_t rank) {
    return hlo_shape_array(&g->module->shapes, type, dims, rank, NULL, NULL, NULL);
}

const hlo_shape *scalar_of(generator *g, hlo_type type) {
    return hlo_shape_scalar(&g->module->shapes, type);
}

/* Mostly small sizes; now and then none at all. */
static int64_t choose_size(generator *g, int64_t most) {
    if (one_in(g, 60)) return 0;
    int64_t limit = most < 6 ? most : one_in(g, 4) && most < 24 ? most : 6;
    return limit < 1 ? 1 : between(g, 1, limit);
}

const hlo_shape *choose_shape(generator *g, hlo_type type, uint32_t least_rank,
                              uint32_t most_rank) {
    int64_t dims[MAX_RANK], budget = g->options.elements;
    uint32_t usual = most_rank < 3 || one_in(g, 4) ? most_rank : 3;
    if (usual < least_rank) usual = least_rank;
    uint32_t rank = g->scope->scalars ? 0 : (uint32_t)between(g, least_rank, usual);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = choose_size(g, budget);
        if (dims[i] > 1) budget /= dims[i];
    }
    return array_of(g, type, dims, rank);
}

double type_epsilon(hlo_type type) {
    const hlo_float_format *format = hlo_type_float_format(type);
    return format ? ldexp(1, -format->mantissa_bits) : 0;
}

double type_reach(hlo_type type) {
    const hlo_float_format *format = hlo_type_float_format(type);
    if (!format) return facts_of_type(type).high;
    double most = hlo_float_to_double(format, format->max_finite) / 2;
    return most < 512 ? most : 512;
}

double type_error_limit(hlo_type type) {
    double limit = type_epsilon(type) * 4096;
    return limit < 4 ? limit : 4;
}
