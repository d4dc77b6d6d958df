/* Random kernels: the counter-based generators of rng-bit-generator, bit for bit as XLA has them,
 * and rng, whose numbers come from the same Philox. Called by the runner. */
#include <math.h>

#include "base/pool.h"
#include "eval/kernel_device.h"
#include "eval/kernels/lanes.h"
#include "eval/kernels/strides.h"
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

/* What a generator fills. Every item has a counter of its own, so that threads share the items. */
typedef struct {
    uint64_t key, low, high; /* low, high: the counter of item 0 */
    hlo_type type;
    void *data;
    int64_t count;             /* of elements */
    int64_t size, half, inner; /* Threefry of 32 bits: see threefry_32 */
} generation;

enum { ITEM_COST = 20 };

/* 32 bits per element. The array is outer x size x inner around the paired dimension; items run
 * over the array with half that dimension. */
static void threefry_32(void *context, int64_t first, int64_t last) {
    const generation *g = context;
    int64_t i = first % g->inner, s = first / g->inner % g->half;
    int64_t o = first / g->inner / g->half;
    for (int64_t item = first; item < last; item++) {
        uint32_t x[2];
        threefry_at(g->key, g->low + (uint64_t)item, x);
        int64_t element = (o * g->size + 2 * s) * g->inner + i;
        store_bits(g->type, g->data, element, x[0]);
        if (2 * s + 1 < g->size) store_bits(g->type, g->data, element + g->inner, x[1]);
        if (++i < g->inner) continue;
        i = 0;
        if (++s < g->half) continue;
        s = 0;
        o++;
    }
}

static void threefry_64(void *context, int64_t first, int64_t last) {
    const generation *g = context;
    for (int64_t k = first; k < last; k++) {
        uint32_t x[2];
        threefry_at(g->key, g->low + (uint64_t)k, x);
        store_bits(g->type, g->data, k, x[0] | (uint64_t)x[1] << 32);
    }
}

/* state: key, counter */
static void run_threefry(uint64_t *state, const hlo_shape *shape, void *data) {
    uint32_t paired = paired_dimension(shape);
    generation g = {.key = state[0], .low = state[1], .type = (hlo_type)shape->type, .data = data};
    bool is_wide = hlo_types[shape->type].bits == 64;
    int64_t outer = 1;
    g.size = g.inner = 1;
    if (hlo_shape_elements(shape) == 0) return; /* and products of dimensions may overflow */
    for (uint32_t d = 0; d < shape->rank; d++)
        *(d < paired ? &outer : d == paired ? &g.size : &g.inner) *= shape->dims[d];
    g.half = g.size / 2 + g.size % 2;
    int64_t items = is_wide ? hlo_shape_elements(shape) : outer * g.half * g.inner;
    hlo_parallel(items, hlo_grain(ITEM_COST), is_wide ? threefry_64 : threefry_32, &g);
    state[1] += (uint64_t)items;
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

/* Items of 128 bits. */
static void philox_items(void *context, int64_t first, int64_t last) {
    const generation *g = context;
    bool is_wide = hlo_types[g->type].bits == 64;
    int64_t per_item = is_wide ? 2 : 4;
    for (int64_t item = first; item < last; item++) {
        uint64_t low = g->low, high = g->high;
        uint32_t x[4];
        advance(&low, &high, (uint64_t)item);
        philox(g->key, low, high, x);
        for (int64_t k = 0; k < per_item && item * per_item + k < g->count; k++)
            store_bits(g->type, g->data, item * per_item + k,
                       is_wide ? x[2 * k] | (uint64_t)x[2 * k + 1] << 32 : x[k]);
    }
}

/* state: key, counter low, counter high; a state of two is key and counter, whose words are then
 * the high and the low one: the key counts as the high word. */
static void run_philox(uint64_t *state, uint32_t words, const hlo_shape *shape, void *data) {
    generation g = {.key = state[0],
                    .low = state[1],
                    .high = words > 2 ? state[2] : state[0],
                    .type = (hlo_type)shape->type,
                    .data = data,
                    .count = hlo_shape_elements(shape)};
    int64_t per_item = hlo_types[shape->type].bits == 64 ? 2 : 4;
    int64_t items = g.count / per_item + (g.count % per_item != 0);
    hlo_parallel(items, hlo_grain(ITEM_COST), philox_items, &g);
    advance(&state[1], words > 2 ? &state[2] : &g.high, (uint64_t)items);
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

typedef struct {
    bool is_supported, is_threefry;
    uint32_t words; /* of the state */
} generator_state;

static bool is_supported(const hlo_shape *result, int64_t words, bool is_threefry) {
    bool is_pair = hlo_shape_is_tuple(result) && result->rank == 2;
    return is_pair && words >= 2 && words <= 3 && !(is_threefry && words != 2) &&
           hlo_shape_is_array(result->elements[1]) && has_bits((hlo_type)result->elements[1]->type);
}

static bool prepare_rng_bit_generator(hlo_preparation *p) {
    const hlo_shape *state = hlo_operand(p->instr, 0)->shape;
    int64_t words = state->type == HLO_U64 && state->rank == 1 ? state->dims[0] : 0;
    generator_state *g = HLO_NEW_STATE(p, generator_state);
    g->is_threefry = is_generator_word(p->instr, "rng_three_fry");
    g->is_supported = is_supported(p->instr->shape, words, g->is_threefry);
    g->words = g->is_supported ? (uint32_t)words : 0;
    p->state = g;
    return true;
}

static bool run_rng_bit_generator(hlo_call *call) {
    const generator_state *g = call->state;
    if (!g->is_supported)
        return hlo_call_rule_error(call, HLO_RULE_UNSUPPORTED,
                                   "takes a state of u64[2]%s and gives it back with bits",
                                   g->is_threefry ? "" : " or u64[3]");
    hlo_value *next = call->out->elements[0], *bits = call->out->elements[1];
    uint64_t *state = next->data;
    memcpy(state, call->in[0]->data, g->words * sizeof *state);
    hlo_value_copy_sizes(next, call->in[0]);
    if (g->is_threefry) run_threefry(state, bits->shape, bits->data);
    else run_philox(state, g->words, bits->shape, bits->data);
    hlo_extend_elements((hlo_type)bits->shape->type, bits->data,
                        (size_t)hlo_shape_elements(bits->shape));
    return true;
}

const hlo_kernel hlo_kernel_rng_bit_generator = {prepare_rng_bit_generator, run_rng_bit_generator};

/* ---- rng ---- */

/* Numbers for one run of one instruction, from the blocks of the stream `stream`, and where they
 * go. Every element has a block of its own, or a pair of them has: threads share the blocks. */
typedef struct {
    uint64_t key, stream;
    hlo_type type;
    void *data;
    int64_t count;           /* of elements */
    double from, scale, end; /* floats: least number, range, greatest; or mean and deviation */
    uint64_t first, range;   /* bits of the least number; integers: how many there are, 0: one */
} drawing;

/* 128 bits. */
static void draw(const drawing *d, int64_t block, uint64_t words[2]) {
    uint32_t x[4];
    philox(d->key, (uint64_t)block, d->stream, x);
    words[0] = x[0] | (uint64_t)x[1] << 32;
    words[1] = x[2] | (uint64_t)x[3] << 32;
}

/* In [0, 1), with 53 bits; with 24 for f32, so that rounding does not reach 1. */
static double fraction(uint64_t word, int bits) {
    return ldexp((double)(word >> (64 - bits)), -bits);
}

static void draw_uniform_floats(void *context, int64_t first, int64_t last) {
    const drawing *d = context;
    for (int64_t k = first; k < last; k++) {
        uint64_t words[2];
        draw(d, k, words);
        double value = d->from + fraction(words[0], d->type == HLO_F64 ? 53 : 24) * d->scale;
        uint64_t bits = hlo_float_encode(d->type, value);
        if (hlo_float_decode(d->type, bits) >= d->end && d->from < d->end) bits = d->first;
        store_bits(d->type, d->data, k, bits);
    }
}

static void draw_uniform_integers(void *context, int64_t first, int64_t last) {
    const drawing *d = context;
    for (int64_t k = first; k < last; k++) {
        uint64_t words[2];
        draw(d, k, words);
        store_bits(d->type, d->data, k, d->first + (d->range ? words[0] % d->range : 0));
    }
}

/* By Box and Muller: two numbers from two. Items are pairs. */
static void draw_normal(void *context, int64_t first, int64_t last) {
    const drawing *d = context;
    for (int64_t pair = first; pair < last; pair++) {
        uint64_t words[2];
        draw(d, pair, words);
        double radius = sqrt(-2 * log(1 - fraction(words[0], 53)));
        double angle = 2 * 3.14159265358979323846 * fraction(words[1], 53);
        double both[2] = {radius * cos(angle), radius * sin(angle)};
        for (int64_t p = 0; p < 2 && 2 * pair + p < d->count; p++)
            store_bits(d->type, d->data, 2 * pair + p,
                       hlo_float_encode(d->type, d->from + d->scale * both[p]));
    }
}

static void set_float_bounds(drawing *d, hlo_value *const *args, bool is_normal) {
    unsigned bytes = hlo_types[d->type].bytes;
    d->from = hlo_float_decode(d->type, hlo_element_bits(args[0]->data, bytes));
    d->end = hlo_float_decode(d->type, hlo_element_bits(args[1]->data, bytes));
    d->scale = is_normal ? d->end : d->end - d->from;
    d->first = hlo_float_encode(d->type, d->from);
}

static void set_integer_bounds(drawing *d, hlo_value *const *args) {
    int64_t low = hlo_index_at(args[0], 0), high = hlo_index_at(args[1], 0);
    d->first = (uint64_t)low;
    d->range = low < high ? (uint64_t)high - (uint64_t)low : 0;
}

typedef struct {
    hlo_type type;
    hlo_range_body *draw; /* NULL: not supported */
    bool is_normal, is_float;
    int64_t count, items, grain; /* of elements; of draws, and of those in a piece */
} rng_state;

static bool prepare_rng(hlo_preparation *p) {
    const hlo_shape *shape = p->instr->shape;
    const char *word =
        hlo_word_text(HLO_WORDS_DISTRIBUTION, hlo_attr_int(p->instr, HLO_ATTR_DISTRIBUTION));
    rng_state *state = HLO_NEW_STATE(p, rng_state);
    state->type = (hlo_type)shape->type;
    state->is_normal = word && strcmp(word, "rng_normal") == 0;
    state->is_float = hlo_type_is_float(state->type);
    bool is_whole = hlo_type_is_integral(state->type) || state->type == HLO_PRED;
    if (p->instr->operand_count == 2 && state->is_float)
        state->draw = state->is_normal ? draw_normal : draw_uniform_floats;
    else if (p->instr->operand_count == 2 && is_whole && !state->is_normal)
        state->draw = draw_uniform_integers;
    state->count = hlo_shape_elements(shape);
    state->items = state->is_normal ? state->count / 2 + state->count % 2 : state->count;
    state->grain = hlo_grain(state->is_normal ? 4 * ITEM_COST : 2 * ITEM_COST);
    p->state = state;
    return true;
}

static bool run_rng(hlo_call *call) {
    const rng_state *state = call->state;
    if (!state->draw)
        return hlo_call_rule_error(call, HLO_RULE_UNSUPPORTED,
                                   "does not support results of type %s",
                                   hlo_types[state->type].text);
    hlo_rng_stream stream = hlo_call_rng_stream(call);
    drawing d = {.key = stream.key,
                 .stream = stream.stream,
                 .type = state->type,
                 .data = call->out->data,
                 .count = state->count};
    if (state->is_float) set_float_bounds(&d, call->in, state->is_normal);
    else set_integer_bounds(&d, call->in);
    hlo_parallel(state->items, state->grain, state->draw, &d);
    return true;
}

const hlo_kernel hlo_kernel_rng = {prepare_rng, run_rng};

/* ---- rng-get-and-update-state ---- */

typedef struct {
    bool is_supported;
    uint64_t delta;
} counter_state;

static bool prepare_rng_get_and_update_state(hlo_preparation *p) {
    const hlo_shape *shape = p->instr->shape;
    counter_state *state = HLO_NEW_STATE(p, counter_state);
    state->is_supported = shape->type == HLO_U64 && hlo_shape_elements(shape) == 2;
    state->delta = (uint64_t)hlo_attr_int(p->instr, HLO_ATTR_DELTA);
    p->state = state;
    return true;
}

/* The state before the call; then it counts up by delta. */
static bool run_rng_get_and_update_state(hlo_call *call) {
    const counter_state *state = call->state;
    if (!state->is_supported) return hlo_call_error(call, "has a result that is not u64[2]");
    uint64_t *counter = hlo_call_rng_state(call);
    memcpy(call->out->data, counter, 2 * sizeof *counter);
    advance(&counter[0], &counter[1], state->delta);
    return true;
}

const hlo_kernel hlo_kernel_rng_get_and_update_state = {prepare_rng_get_and_update_state,
                                                        run_rng_get_and_update_state};
