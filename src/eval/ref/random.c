/* Random kernels: the counter-based generators of rng-bit-generator, bit for bit as XLA has them,
 * and rng, whose numbers come from the same Philox. Called by the runner. */
#include <math.h>

#include "eval/context.h"
#include "eval/ref/lanes.h"
#include "eval/ref/strides.h"
#include "ir/float_types.h"

/* ---- Threefry 2x32 with 20 rounds (Salmon and others, 2011) ---- */

static uint32_t rotate_left(uint32_t x, int distance) {
    return x << distance | x >> (32 - distance);
}

static void threefry(const uint32_t key[2], uint32_t x[2]) {
    static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t keys[3] = {key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]};
    x[0] += keys[0];
    x[1] += keys[1];
    for (uint32_t group = 0; group < 5; group++) {
        for (int r = 0; r < 4; r++) {
            x[0] += x[1];
            x[1] = rotate_left(x[1], rotations[group % 2][r]) ^ x[0];
        }
        x[0] += keys[(group + 1) % 3];
        x[1] += keys[(group + 2) % 3] + group + 1;
    }
}

static void split(uint64_t word, uint32_t halves[2]) {
    halves[0] = (uint32_t)word;
    halves[1] = (uint32_t)(word >> 32);
}

static void threefry_at(uint64_t key, uint64_t counter, uint32_t x[2]) {
    uint32_t key_halves[2];
    split(key, key_halves);
    split(counter, x);
    threefry(key_halves, x);
}

/* Which dimension XLA cuts into pairs, each pair sharing one counter: the first even one, or the
 * largest. */
static uint32_t paired_dimension(const hlo_shape *shape) {
    uint32_t largest = 0;
    for (uint32_t d = 0; d < shape->rank; d++) {
        if (shape->dims[d] % 2 == 0) return d;
        if (shape->dims[d] > shape->dims[largest]) largest = d;
    }
    return largest;
}

static void store_bits(hlo_type type, void *data, int64_t element, uint64_t bits) {
    unsigned bytes = hlo_types[type].bytes;
    hlo_set_element_bits((char *)data + element * bytes, bytes, bits);
}

/* 32 bits per element. The array is outer x size x inner around the paired dimension; counters run
 * over the array with half that dimension. Returns how many were used. */
static uint64_t threefry_32(uint64_t key, uint64_t counter, const hlo_shape *shape, void *data) {
    int64_t outer = 1, size = 1, inner = 1;
    uint32_t paired = paired_dimension(shape);
    for (uint32_t d = 0; d < shape->rank; d++)
        *(d < paired ? &outer : d == paired ? &size : &inner) *= shape->dims[d];
    int64_t half = size / 2 + size % 2;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t s = 0; s < half; s++)
            for (int64_t i = 0; i < inner; i++) {
                uint32_t x[2];
                threefry_at(key, counter + (uint64_t)((o * half + s) * inner + i), x);
                int64_t first = (o * size + 2 * s) * inner + i;
                store_bits((hlo_type)shape->type, data, first, x[0]);
                if (2 * s + 1 < size) store_bits((hlo_type)shape->type, data, first + inner, x[1]);
            }
    return (uint64_t)(outer * half * inner);
}

static uint64_t threefry_64(uint64_t key, uint64_t counter, const hlo_shape *shape, void *data) {
    int64_t count = hlo_shape_elements(shape);
    for (int64_t k = 0; k < count; k++) {
        uint32_t x[2];
        threefry_at(key, counter + (uint64_t)k, x);
        store_bits((hlo_type)shape->type, data, k, x[0] | (uint64_t)x[1] << 32);
    }
    return (uint64_t)count;
}

/* state: key, counter */
static void run_threefry(uint64_t *state, const hlo_shape *shape, void *data) {
    bool is_wide = hlo_types[shape->type].bits == 64;
    state[1] += (is_wide ? threefry_64 : threefry_32)(state[0], state[1], shape, data);
}

/* ---- Philox 4x32 with 10 rounds (the same paper) ---- */

static void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t x[4]) {
    uint32_t k[2];
    split(key, k);
    split(low, x);
    split(high, x + 2);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)x[0] * 0xD2511F53, b = (uint64_t)x[2] * 0xCD9E8D57;
        x[0] = (uint32_t)(b >> 32) ^ x[1] ^ k[0];
        x[1] = (uint32_t)b;
        x[2] = (uint32_t)(a >> 32) ^ x[3] ^ k[1];
        x[3] = (uint32_t)a;
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
}

/* A 128-bit counter. */
static void advance(uint64_t *low, uint64_t *high, uint64_t by) {
    *low += by;
    *high += *low < by;
}

/* state: key, counter low, counter high; a state of two is key and counter, whose words are then
 * the high and the low one: the key counts as the high word. */
static void run_philox(uint64_t *state, uint32_t words, const hlo_shape *shape, void *data) {
    uint64_t key = state[0], low = state[1], high = words > 2 ? state[2] : state[0];
    hlo_type type = (hlo_type)shape->type;
    int64_t count = hlo_shape_elements(shape), done = 0;
    while (done < count) {
        uint32_t x[4];
        philox(key, low, high, x);
        if (hlo_types[type].bits == 64) {
            for (int k = 0; k < 4 && done < count; k += 2)
                store_bits(type, data, done++, x[k] | (uint64_t)x[k + 1] << 32);
        } else {
            for (int k = 0; k < 4 && done < count; k++) store_bits(type, data, done++, x[k]);
        }
        advance(&low, &high, 1);
    }
    state[1] = low;
    if (words > 2) state[2] = high;
}

/* ---- rng-bit-generator ---- */

static bool is_generator_word(const hlo_instr *instr, const char *word) {
    int64_t algorithm = hlo_attr_int(instr, HLO_ATTR_RNG_ALGORITHM);
    const char *text = hlo_word_text(HLO_WORDS_RNG_ALGORITHM, algorithm);
    return text && strcmp(text, word) == 0;
}

/* What bits can be made into: single numbers whose width is a power of two. */
static bool has_bits(hlo_type type) {
    unsigned bits = hlo_types[type].bits;
    return (hlo_type_is_integral(type) || hlo_type_is_float(type)) && (bits & (bits - 1)) == 0;
}

static bool check_generator(hlo_eval *eval, const hlo_instr *instr, const hlo_shape *state) {
    const hlo_shape *result = instr->shape;
    bool is_pair = hlo_shape_is_tuple(result) && result->rank == 2;
    int64_t words = state->type == HLO_U64 && state->rank == 1 ? state->dims[0] : 0;
    bool is_threefry = is_generator_word(instr, "rng_three_fry");
    if (is_pair && words >= 2 && words <= 3 && !(is_threefry && words != 2) &&
        hlo_shape_is_array(result->elements[1]) && has_bits((hlo_type)result->elements[1]->type))
        return true;
    hlo_eval_error(eval, instr, "takes a state of u64[2]%s and gives it back with bits",
                   is_threefry ? "" : " or u64[3]");
    return false;
}

hlo_value *hlo_eval_rng_bit_generator(hlo_eval *eval, const hlo_instr *instr,
                                      hlo_value *const *args) {
    const hlo_shape *state_shape = args[0]->shape;
    if (!check_generator(eval, instr, state_shape)) return NULL;
    hlo_value *result = hlo_value_new(instr->shape);
    if (!result) return NULL;
    result->elements[0] = hlo_value_own(hlo_value_retain(args[0]));
    result->elements[1] = hlo_value_new(instr->shape->elements[1]);
    if (!result->elements[0] || !result->elements[1]) {
        hlo_value_release(result);
        return NULL;
    }
    uint64_t *state = result->elements[0]->data;
    hlo_value *bits = result->elements[1];
    if (is_generator_word(instr, "rng_three_fry")) run_threefry(state, bits->shape, bits->data);
    else run_philox(state, (uint32_t)state_shape->dims[0], bits->shape, bits->data);
    hlo_extend_elements((hlo_type)bits->shape->type, bits->data,
                        (size_t)hlo_shape_elements(bits->shape));
    return result;
}

/* ---- rng ---- */

/* Numbers for one run of one instruction: block `next` of the stream `stream`. */
typedef struct {
    uint64_t key, stream, next;
} generator;

/* 128 fresh bits. */
static void draw(generator *g, uint64_t words[2]) {
    uint32_t x[4];
    philox(g->key, g->next++, g->stream, x);
    words[0] = x[0] | (uint64_t)x[1] << 32;
    words[1] = x[2] | (uint64_t)x[3] << 32;
}

/* In [0, 1), with 53 bits; with 24 for f32, so that rounding does not reach 1. */
static double fraction(uint64_t word, int bits) {
    return ldexp((double)(word >> (64 - bits)), -bits);
}

static void draw_uniform_floats(generator *g, hlo_value *result, hlo_value *const *args) {
    hlo_type type = (hlo_type)result->shape->type;
    unsigned bytes = hlo_types[type].bytes;
    double low = hlo_float_decode(type, hlo_element_bits(args[0]->data, bytes));
    double high = hlo_float_decode(type, hlo_element_bits(args[1]->data, bytes));
    int64_t count = hlo_shape_elements(result->shape);
    for (int64_t k = 0; k < count; k++) {
        uint64_t words[2];
        draw(g, words);
        double value = low + fraction(words[0], type == HLO_F64 ? 53 : 24) * (high - low);
        uint64_t bits = hlo_float_encode(type, value);
        if (hlo_float_decode(type, bits) >= high && low < high) bits = hlo_float_encode(type, low);
        store_bits(type, result->data, k, bits);
    }
}

static void draw_uniform_integers(generator *g, hlo_value *result, hlo_value *const *args) {
    hlo_type type = (hlo_type)result->shape->type;
    int64_t low = hlo_index_at(args[0], 0), high = hlo_index_at(args[1], 0);
    uint64_t range = (uint64_t)high - (uint64_t)low;
    int64_t count = hlo_shape_elements(result->shape);
    for (int64_t k = 0; k < count; k++) {
        uint64_t words[2];
        draw(g, words);
        store_bits(type, result->data, k, (uint64_t)low + (low < high ? words[0] % range : 0));
    }
}

/* By Box and Muller: two numbers from two. */
static void draw_normal(generator *g, hlo_value *result, hlo_value *const *args) {
    hlo_type type = (hlo_type)result->shape->type;
    unsigned bytes = hlo_types[type].bytes;
    double mean = hlo_float_decode(type, hlo_element_bits(args[0]->data, bytes));
    double deviation = hlo_float_decode(type, hlo_element_bits(args[1]->data, bytes));
    int64_t count = hlo_shape_elements(result->shape);
    for (int64_t k = 0; k < count; k += 2) {
        uint64_t words[2];
        draw(g, words);
        double radius = sqrt(-2 * log(1 - fraction(words[0], 53)));
        double angle = 2 * 3.14159265358979323846 * fraction(words[1], 53);
        double pair[2] = {radius * cos(angle), radius * sin(angle)};
        for (int64_t p = 0; p < 2 && k + p < count; p++)
            store_bits(type, result->data, k + p,
                       hlo_float_encode(type, mean + deviation * pair[p]));
    }
}

hlo_value *hlo_eval_rng(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    int64_t distribution = hlo_attr_int(instr, HLO_ATTR_DISTRIBUTION);
    const char *word = hlo_word_text(HLO_WORDS_DISTRIBUTION, distribution);
    bool is_normal = word && strcmp(word, "rng_normal") == 0;
    hlo_type type = (hlo_type)instr->shape->type;
    bool is_float = hlo_type_is_float(type);
    if (instr->operand_count != 2 || !(is_float || (hlo_type_is_integral(type) && !is_normal))) {
        hlo_eval_error(eval, instr, "draws no numbers of type %s", hlo_types[type].text);
        return NULL;
    }
    hlo_value *result = hlo_value_new(instr->shape);
    if (!result) return NULL;
    generator g = {.key = eval->options.seed ^ (uint64_t)eval->options.device << 32,
                   .stream = eval->shared->rng_calls++};
    if (is_normal) draw_normal(&g, result, args);
    else if (is_float) draw_uniform_floats(&g, result, args);
    else draw_uniform_integers(&g, result, args);
    return result;
}

/* ---- rng-get-and-update-state ---- */

/* The state before the call; then it counts up by delta. */
hlo_value *hlo_eval_rng_get_and_update_state(hlo_eval *eval, const hlo_instr *instr,
                                             hlo_value *const *args) {
    (void)args;
    if (instr->shape->type != HLO_U64 || hlo_shape_elements(instr->shape) != 2) {
        hlo_eval_error(eval, instr, "has a result that is not u64[2]");
        return NULL;
    }
    hlo_value *result = hlo_value_new(instr->shape);
    if (!result) return NULL;
    memcpy(result->data, eval->shared->rng_state, sizeof eval->shared->rng_state);
    uint64_t delta = (uint64_t)hlo_attr_int(instr, HLO_ATTR_DELTA);
    advance(&eval->shared->rng_state[0], &eval->shared->rng_state[1], delta);
    return result;
}
