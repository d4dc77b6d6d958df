/* Random kernels: the counter-based generators of rng-bit-generator, bit for bit as XLA has them,
 * and rng, whose numbers come from the same Philox. Counters become bits in random_kernels.c. */
#include <math.h>

#include "base/pool.h"
#include "eval/kernel/kernel_device.h"
#include "eval/kernel/lanes.h"
#include "eval/kernel/strides.h"
#include "eval/kernels/random/random_kernels.h"
#include "ir/float_types.h"

/* ---- bits as elements ---- */

/* What a generator fills. Every item has a separate counter, so that threads share the items. */
typedef struct generation generation;
struct generation {
    const hlo_random_set *set;
    /* The words of n items from `item` on, and the elements that they become */
    void (*make)(const generation *g, int64_t item, int64_t n, hlo_random_words words);
    void (*store)(const generation *g, hlo_random_words words, int64_t item, int64_t n);
    uint64_t key, low, high; /* low, high: the counter of item 0 */
    hlo_type type;
    char *data;
    int64_t count;             /* of elements */
    int64_t size, half, inner; /* Threefry of 32 bits: see store_halves */
};

enum { ITEM_COST = 6, BLOCK = HLO_RANDOM_BLOCK };

static int64_t items_at_once(int64_t item, int64_t last) {
    return last - item < BLOCK ? last - item : BLOCK;
}

/* Elements of up to 32 bits: the low bits of words. */
static void store_words(const generation *g, int64_t element, const uint32_t *words, int64_t n) {
    unsigned bytes = hlo_types[g->type].bytes;
    void *to = g->data + element * bytes;
    switch (bytes) {
    case 1:
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = (uint8_t)words[i];
        break;
    case 2:
        for (int64_t i = 0; i < n; i++) ((uint16_t *)to)[i] = (uint16_t)words[i];
        break;
    default: memcpy(to, words, (size_t)n * sizeof *words);
    }
}

static uint64_t joined(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

static void generate(void *context, int64_t first, int64_t last) {
    const generation *g = context;
    hlo_random_words words;
    for (int64_t item = first, n; item < last && !hlo_pool_is_stopped(); item += n) {
        n = items_at_once(item, last);
        g->make(g, item, n, words);
        g->store(g, words, item, n);
    }
}

/* ---- Threefry ---- */

static void make_threefry(const generation *g, int64_t item, int64_t n, hlo_random_words words) {
    g->set->threefry(words, g->key, g->low + (uint64_t)item, n);
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

/* n items from number k of a block on, which are neighbours in one row of the array. */
static void store_pairs(const generation *g, hlo_random_words words, int64_t k, int64_t n,
                        int64_t element, bool has_second) {
    store_words(g, element, words[0] + k, n);
    if (has_second) store_words(g, element + g->inner, words[1] + k, n);
}

/* The same where the paired dimension is the last one: `s` of its pairs precede. */
static void store_neighbours(const generation *g, hlo_random_words words, int64_t k, int64_t n,
                             int64_t element, int64_t s) {
    uint32_t both[2 * BLOCK];
    for (int64_t i = 0; i < n; i++) {
        both[2 * i] = words[0][k + i];
        both[2 * i + 1] = words[1][k + i];
    }
    int64_t left = g->size - 2 * s;
    store_words(g, element, both, 2 * n < left ? 2 * n : left);
}

/* 32 bits per element. The array is outer x size x inner around the paired dimension; items run
 * over the array with half that dimension. */
static void store_halves(const generation *g, hlo_random_words words, int64_t item, int64_t n) {
    bool is_last = g->inner == 1;
    int64_t length = is_last ? g->half : g->inner;
    for (int64_t k = 0, m; k < n; k += m, item += m) {
        int64_t at = item % length, row = item / length;
        int64_t s = is_last ? at : row % g->half, o = is_last ? row : row / g->half;
        int64_t element = (o * g->size + 2 * s) * g->inner + (is_last ? 0 : at);
        m = length - at < n - k ? length - at : n - k;
        if (is_last) store_neighbours(g, words, k, m, element, s);
        else store_pairs(g, words, k, m, element, 2 * s + 1 < g->size);
    }
}

static void store_joined_pairs(const generation *g, hlo_random_words words, int64_t item,
                               int64_t n) {
    uint64_t *to = (uint64_t *)g->data + item;
    for (int64_t k = 0; k < n; k++) to[k] = joined(words[0][k], words[1][k]);
}

/* state: key, counter */
static void run_threefry(uint64_t *state, const hlo_shape *shape, void *data) {
    uint32_t paired = paired_dimension(shape);
    bool is_wide = hlo_types[shape->type].bits == 64;
    generation g = {.set = hlo_random_chosen(),
                    .make = make_threefry,
                    .store = is_wide ? store_joined_pairs : store_halves,
                    .key = state[0],
                    .low = state[1],
                    .type = (hlo_type)shape->type,
                    .data = data};
    int64_t outer = 1;
    g.size = g.inner = 1;
    if (hlo_shape_elements(shape) == 0) return; /* and products of dimensions may overflow */
    for (uint32_t d = 0; d < shape->rank; d++)
        *(d < paired ? &outer : d == paired ? &g.size : &g.inner) *= shape->dims[d];
    g.half = g.size / 2 + g.size % 2;
    int64_t items = is_wide ? hlo_shape_elements(shape) : outer * g.half * g.inner;
    hlo_parallel(items, hlo_grain(ITEM_COST), generate, &g);
    state[1] += (uint64_t)items;
}

/* ---- Philox ---- */

/* A 128-bit counter. */
static void advance(uint64_t *low, uint64_t *high, uint64_t by) {
    *low += by;
    *high += *low < by;
}

static void make_philox(const generation *g, int64_t item, int64_t n, hlo_random_words words) {
    uint64_t low = g->low, high = g->high;
    advance(&low, &high, (uint64_t)item);
    g->set->philox(words, g->key, low, high, n);
}

/* Items are 128 bits: four elements, or two of 64 bits. */
static void store_words_in_turn(const generation *g, hlo_random_words words, int64_t item,
                                int64_t n) {
    uint32_t bits[HLO_RANDOM_WORDS * BLOCK];
    for (int64_t k = 0; k < n; k++)
        for (int64_t w = 0; w < HLO_RANDOM_WORDS; w++) bits[HLO_RANDOM_WORDS * k + w] = words[w][k];
    int64_t element = HLO_RANDOM_WORDS * item, left = g->count - element;
    store_words(g, element, bits, HLO_RANDOM_WORDS * n < left ? HLO_RANDOM_WORDS * n : left);
}

static void store_joined_words(const generation *g, hlo_random_words words, int64_t item,
                               int64_t n) {
    uint64_t *to = (uint64_t *)g->data;
    for (int64_t k = 0; k < n; k++) {
        to[2 * (item + k)] = joined(words[0][k], words[1][k]);
        if (2 * (item + k) + 1 < g->count)
            to[2 * (item + k) + 1] = joined(words[2][k], words[3][k]);
    }
}

/* state: key, counter low, counter high; a state of two is key and counter, whose words are then
 * the high and the low one: the key counts as the high word. */
static void run_philox(uint64_t *state, uint32_t words, const hlo_shape *shape, void *data) {
    bool is_wide = hlo_types[shape->type].bits == 64;
    generation g = {.set = hlo_random_chosen(),
                    .make = make_philox,
                    .store = is_wide ? store_joined_words : store_words_in_turn,
                    .key = state[0],
                    .low = state[1],
                    .high = words > 2 ? state[2] : state[0],
                    .type = (hlo_type)shape->type,
                    .data = data,
                    .count = hlo_shape_elements(shape)};
    int64_t per_item = is_wide ? 2 : 4;
    int64_t items = g.count / per_item + (g.count % per_item != 0);
    hlo_parallel(items, hlo_grain(2 * ITEM_COST), generate, &g);
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

enum { MOST_WORDS = 3 };

typedef struct {
    bool is_supported, is_threefry;
    uint32_t words; /* of the state */
} generator_state;

/* The result is bits, after the next state or alone. */
static bool is_supported(const hlo_shape *result, int64_t words, bool is_threefry) {
    const hlo_shape *bits = result;
    if (hlo_shape_is_tuple(result)) bits = result->rank == 2 ? result->elements[1] : NULL;
    return bits && words >= 2 && words <= MOST_WORDS && !(is_threefry && words != 2) &&
           hlo_shape_is_array(bits) && has_bits((hlo_type)bits->type);
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
        return hlo_call_rule_error(
            call, HLO_RULE_UNSUPPORTED,
            "takes a state of u64[2]%s and returns bits, with or without the new state",
            g->is_threefry ? "" : " or u64[3]");
    bool gives_state = hlo_shape_is_tuple(call->shape);
    hlo_value *bits = gives_state ? call->out->elements[1] : call->out;
    uint64_t own[MOST_WORDS], *state = gives_state ? call->out->elements[0]->data : own;
    memcpy(state, call->in[0]->data, g->words * sizeof *state);
    if (gives_state) hlo_value_copy_sizes(call->out->elements[0], call->in[0]);
    if (g->is_threefry) run_threefry(state, bits->shape, bits->data);
    else run_philox(state, g->words, bits->shape, bits->data);
    hlo_extend_elements((hlo_type)bits->shape->type, bits->data,
                        (size_t)hlo_shape_elements(bits->shape));
    return true;
}

const hlo_kernel hlo_kernel_rng_bit_generator = {prepare_rng_bit_generator, run_rng_bit_generator};

/* ---- rng ---- */

/* Numbers for one run of one instruction, from the counters of the stream `stream`, and where they
 * go. Every element has a separate counter, or a pair of them has: threads share the counters. */
typedef struct drawing drawing;
/* What counter k becomes, of whose bits the two words are. */
typedef void drawn_fn(const drawing *d, int64_t k, uint64_t first, uint64_t second);

struct drawing {
    const hlo_random_set *set;
    drawn_fn *store;
    uint64_t key, stream;
    hlo_type type;
    void *data;
    int64_t count;           /* of elements */
    double from, scale, end; /* floats: least number, range, greatest; or mean and deviation */
    uint64_t first, range;   /* bits of the least number; integers: how many there are, 0: one */
};

enum { DRAW_COST = 20 };

/* Elements, or pairs of them, from 128 bits each. */
static void draw(void *context, int64_t first, int64_t last) {
    const drawing *d = context;
    hlo_random_words words;
    for (int64_t k = first, n; k < last && !hlo_pool_is_stopped(); k += n) {
        n = items_at_once(k, last);
        d->set->philox(words, d->key, (uint64_t)k, d->stream, n);
        for (int64_t i = 0; i < n; i++)
            d->store(d, k + i, joined(words[0][i], words[1][i]), joined(words[2][i], words[3][i]));
    }
}

static void store_bits(hlo_type type, void *data, int64_t element, uint64_t bits) {
    unsigned bytes = hlo_types[type].bytes;
    hlo_set_element_bits((char *)data + element * bytes, bytes, bits);
}

/* In [0, 1), with 53 bits; with 24 for f32, so that rounding does not reach 1. */
static double fraction(uint64_t word, int bits) {
    return ldexp((double)(word >> (64 - bits)), -bits);
}

static void store_uniform_float(const drawing *d, int64_t k, uint64_t word, uint64_t other) {
    (void)other;
    double value = d->from + fraction(word, d->type == HLO_F64 ? 53 : 24) * d->scale;
    uint64_t bits = hlo_float_encode(d->type, value);
    if (hlo_float_decode(d->type, bits) >= d->end && d->from < d->end) bits = d->first;
    store_bits(d->type, d->data, k, bits);
}

static void store_uniform_integer(const drawing *d, int64_t k, uint64_t word, uint64_t other) {
    (void)other;
    store_bits(d->type, d->data, k, d->first + (d->range ? word % d->range : 0));
}

/* By Box and Muller: two numbers from two. */
static void store_normal_pair(const drawing *d, int64_t pair, uint64_t first, uint64_t second) {
    double radius = sqrt(-2 * log(1 - fraction(first, 53)));
    double angle = 2 * 3.14159265358979323846 * fraction(second, 53);
    double both[2] = {radius * cos(angle), radius * sin(angle)};
    for (int64_t p = 0; p < 2 && 2 * pair + p < d->count; p++)
        store_bits(d->type, d->data, 2 * pair + p,
                   hlo_float_encode(d->type, d->from + d->scale * both[p]));
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
    drawn_fn *store; /* NULL: not supported */
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
    if (state->is_float) state->store = state->is_normal ? store_normal_pair : store_uniform_float;
    else if (is_whole && !state->is_normal) state->store = store_uniform_integer;
    state->count = hlo_shape_elements(shape);
    state->items = state->is_normal ? state->count / 2 + state->count % 2 : state->count;
    state->grain = hlo_grain(state->is_normal ? 4 * DRAW_COST : 2 * DRAW_COST);
    p->state = state;
    return true;
}

static bool run_rng(hlo_call *call) {
    const rng_state *state = call->state;
    if (!state->store)
        return hlo_call_rule_error(call, HLO_RULE_UNSUPPORTED,
                                   "does not support results of type %s",
                                   hlo_types[state->type].text);
    hlo_rng_stream stream = hlo_call_rng_stream(call);
    drawing d = {.set = hlo_random_chosen(),
                 .store = state->store,
                 .key = stream.key,
                 .stream = stream.stream,
                 .type = state->type,
                 .data = call->out->data,
                 .count = state->count};
    if (state->is_float) set_float_bounds(&d, call->in, state->is_normal);
    else set_integer_bounds(&d, call->in);
    hlo_parallel(state->items, state->grain, draw, &d);
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
