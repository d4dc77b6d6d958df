/* Made-up inputs, reproducible by seed. */
#include "ir/fill.h"

#include <math.h>

#include "base/pool.h"
#include "ir/float_types.h"

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

enum { FILL_COUNT = HLO_FILL_UNIFORM + 1 };

static const struct {
    const char *name, *description;
} fills[FILL_COUNT] = {
    [HLO_FILL_HASH] = {"hash",
                       "small numbers from a hash: floats from -0.1 to 0.1, from 0 to 0.1 below "
                       "rank 2; integers from 0 to 7"},
    [HLO_FILL_HASH_POSITIVE] = {"hash-positive",
                                "as hash, with floats from 0 to 0.1 at every rank"},
    [HLO_FILL_ZEROS] = {"zeros", "zeros, false"},
    [HLO_FILL_ONES] = {"ones", "ones, true"},
    [HLO_FILL_IOTA] = {"iota", "0, 1, 2... in row-major order; small integers and pred wrap"},
    [HLO_FILL_RANDOM] =
        {"random",
         "floats from -1 to 1, integers from 0 to 3, from a hash, independent of their use"},
    [HLO_FILL_NORMAL] = {"normal", "normally distributed floats; integers as uniform"},
    [HLO_FILL_UNIFORM] = {"uniform", "as random, but indices stay within their array"},
};

bool hlo_fill_from_text(const char *name, hlo_input_fill *out) {
    for (int fill = 0; fill < FILL_COUNT; fill++) {
        if (strcmp(fills[fill].name, name) != 0) continue;
        *out = (hlo_input_fill)fill;
        return true;
    }
    return false;
}

const char *hlo_fill_name(unsigned fill) {
    return fill < FILL_COUNT ? fills[fill].name : NULL;
}

const char *hlo_fill_description(unsigned fill) {
    return fill < FILL_COUNT ? fills[fill].description : NULL;
}

/* Element i of flat leaf p is made from splitmix64(seed * GOLDEN + (p << 40) + i). */
static uint64_t splitmix64(uint64_t x) {
    x += GOLDEN;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* One array being filled. */
typedef struct {
    hlo_input_fill fill;
    hlo_type type;
    uint64_t base; /* hash index of element 0 */
    bool centred;  /* hash: floats around zero */
    int64_t most;  /* random and normal: integers are 0 to this; -1: a few small ones */
    char *data;
} filler;

/* Uniform in [0, 1). */
static double uniform(uint64_t u) {
    return (double)(u >> 40) / 16777216.0;
}

/* By Box and Muller: the second number of a pair is the hash's low bits. */
static double normal(uint64_t u) {
    enum { BITS = 24 };
    double radius = sqrt(-2 * log(1 - uniform(u)));
    double turn = (double)(u & ((1 << BITS) - 1)) / (1 << BITS);
    return radius * cos(6.283185307179586 * turn);
}

/* Part i of a float or complex array; iota counts elements and leaves imaginary parts zero. */
static double real_value(const filler *f, uint64_t i) {
    HLO_ASSERT(f->type < HLO_TYPE_COUNT);
    uint64_t u = splitmix64(f->base + i);
    double t = uniform(u);
    bool is_complex = hlo_type_is_complex(f->type);
    uint64_t element = is_complex ? i / 2 : i;
    switch (f->fill) {
    case HLO_FILL_HASH:
    case HLO_FILL_HASH_POSITIVE: return (double)(float)(f->centred ? 0.2 * t - 0.1 : 0.1 * t);
    case HLO_FILL_ONES: return is_complex && (i & 1) ? 0 : 1;
    case HLO_FILL_IOTA: return is_complex && (i & 1) ? 0 : (double)element;
    case HLO_FILL_RANDOM:
    case HLO_FILL_UNIFORM: return 2 * t - 1;
    case HLO_FILL_NORMAL: return normal(u);
    case HLO_FILL_ZEROS: break;
    }
    return 0;
}

static uint64_t integer_value(const filler *f, uint64_t i) {
    uint64_t u = splitmix64(f->base + i);
    bool narrow = hlo_types[f->type].bits <= 2;
    switch (f->fill) {
    case HLO_FILL_HASH:
    case HLO_FILL_HASH_POSITIVE:
        return f->type == HLO_PRED ? u >> 63 : (u >> 40) % (narrow ? 2 : 8);
    case HLO_FILL_ONES: return 1;
    case HLO_FILL_IOTA: return f->type == HLO_PRED ? i & 1 : i;
    case HLO_FILL_RANDOM:
    case HLO_FILL_NORMAL:
    case HLO_FILL_UNIFORM:
        if (f->most >= 0) return (u >> 8) % ((uint64_t)f->most + 1);
        return (u >> 40) % (narrow || f->type == HLO_PRED ? 2 : 4);
    case HLO_FILL_ZEROS: break;
    }
    return 0;
}

/* Parts of the array, real and imaginary ones of complex numbers being two. */
static void fill_range(void *context, int64_t first, int64_t last) {
    const filler *f = context;
    hlo_type part = hlo_type_part(f->type);
    unsigned bytes = hlo_types[part].bytes;
    HLO_ASSERT(first >= 0 && first <= last && f->data);
    char *at = f->data + first * bytes;
    bool is_float = hlo_type_is_float(part);
    for (uint64_t i = (uint64_t)first; i < (uint64_t)last; i++, at += bytes)
        hlo_set_element_bits(
            at, bytes, is_float ? hlo_float_encode(part, real_value(f, i)) : integer_value(f, i));
    if (!is_float) hlo_elements_normalise(f->type, f->data + first * bytes, last - first);
}

static void fill_array(hlo_literal *literal, filler *f) {
    HLO_ASSERT(hlo_shape_is_array(literal->shape));
    enum { PIECE = 1 << 13 };
    int64_t count = hlo_shape_elements(literal->shape);
    f->data = literal->data;
    hlo_parallel(hlo_type_is_complex(f->type) ? 2 * count : count, PIECE, fill_range, f);
}

bool hlo_fill_bounds_indices(hlo_input_fill fill) {
    return fill == HLO_FILL_NORMAL || fill == HLO_FILL_UNIFORM;
}

/* What the type can hold of the numbers from 0 on. */
static int64_t in_type(hlo_type type, int64_t most) {
    unsigned bits = hlo_types[type].bits - (hlo_types[type].class == HLO_CLASS_SIGNED);
    int64_t greatest = bits > 62 ? INT64_MAX - 1 : ((int64_t)1 << bits) - 1;
    return most < greatest ? most : greatest;
}

uint32_t hlo_fill_literal(hlo_literal *literal, hlo_input_fill fill, uint64_t seed, uint32_t leaf,
                          int64_t most) {
    const hlo_shape *shape = literal->shape;
    for (uint32_t i = 0; literal->elements && i < shape->rank; i++)
        leaf = hlo_fill_literal(literal->elements[i], fill, seed, leaf, most);
    if (!hlo_shape_is_array(shape)) return leaf;
    filler f = {.fill = fill, .type = (hlo_type)shape->type};
    f.most = in_type(f.type, most);
    f.base = seed * GOLDEN + ((uint64_t)leaf << 40);
    f.centred = fill == HLO_FILL_HASH && shape->rank >= 2;
    if (literal->data) fill_array(literal, &f);
    return leaf + 1;
}
