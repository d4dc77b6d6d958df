/* Random bits of a key and a counter, and numbers of distributions made of them: XLA's prng.h. */
#include <math.h>

#include "build/lib/counters.h"
#include "ir/float_types.h"

static const hlo_lib_random nothing = {NULL, NULL};

/* ---- sizes ---- */

/* A shape with one dimension cut in two, and a new dimension of size 2 for the parts. */
typedef struct {
    hlo_int_list half, both;
    int64_t split, joined; /* the dimension that is cut, and that of the halves */
} halves;

static int64_t half_up(int64_t size) {
    return size / 2 + size % 2;
}

/* The first dimension of even size, or the largest one. */
static int64_t split_dimension(const hlo_shape *shape) {
    int64_t largest = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] % 2 == 0) return i;
        if (shape->dims[i] > shape->dims[largest]) largest = i;
    }
    return largest;
}

static halves halves_of(hlo_builder *b, const hlo_shape *shape) {
    size_t rank = shape->rank, n = 0;
    int64_t *half = HLO_NEW_ARRAY(&b->module->arena, int64_t, rank + 1);
    int64_t *both = HLO_NEW_ARRAY(&b->module->arena, int64_t, rank + 1);
    if (!rank) {
        half[0] = 1;
        both[0] = 2;
        return (halves){{1, half}, {1, both}, 0, 0};
    }
    int64_t split = split_dimension(shape);
    for (size_t i = 0; i < rank; i++) {
        bool cut = (int64_t)i == split;
        half[n] = both[n] = cut ? half_up(shape->dims[i]) : shape->dims[i];
        n++;
        if (cut) half[n] = 1;
        if (cut) both[n++] = 2;
    }
    return (halves){{n, half}, {n, both}, split, split + 1};
}

/* The halves as an array of the shape; of a scalar the first one. */
static hlo_term joined(hlo_builder *b, hlo_term first, hlo_term second, const halves *h,
                       const hlo_shape *shape) {
    if (!shape->rank) return hlo_builder_reshape(b, first, HLO_NO_DIMS, HLO_NO_DIMS);
    hlo_term all = hlo_builder_concatenate(b, HLO_INSTRS(first, second), h->joined);
    hlo_int_list dims = {shape->rank, shape->dims};
    int64_t *even = hlo_lib_copied(b, dims), *start = hlo_lib_counting(b, dims.count);
    even[h->split] = 2 * half_up(shape->dims[h->split]);
    for (size_t i = 0; i < dims.count; i++) start[i] = 0;
    all = hlo_builder_reshape(b, all, HLO_NO_DIMS, (hlo_int_list){dims.count, even});
    if (even[h->split] == shape->dims[h->split]) return all;
    return hlo_builder_slice(b, all, (hlo_int_list){dims.count, start}, dims, HLO_NO_DIMS);
}

static const hlo_shape *retyped(hlo_builder *b, const hlo_shape *shape, hlo_type type) {
    return hlo_lib_shape(b, type, (hlo_int_list){shape->rank, shape->dims});
}

/* ---- Threefry ---- */

/* The state plus the number of each place, as two words; and the state after all of them. */
static hlo_term threefry_inputs(hlo_builder *b, hlo_term state, hlo_int_list dims,
                                hlo_term inputs[2]) {
    hlo_term scalar = hlo_builder_reshape(b, state, HLO_NO_DIMS, HLO_NO_DIMS);
    hlo_term sum = hlo_builder_broadcast(b, scalar, dims);
    const hlo_shape *shape = hlo_lib_shape(b, HLO_U64, dims);
    int64_t product = 1;
    for (size_t i = dims.count; i > 0; i--) {
        if (dims.values[i - 1] < 2) continue;
        hlo_term iota = hlo_builder_iota(b, shape, (int64_t)i - 1);
        hlo_term stride = hlo_lib_integer(b, HLO_U64, product);
        iota = hlo_builder_mul(b, iota, stride, HLO_NO_DIMS);
        sum = hlo_builder_add(b, sum, iota, HLO_NO_DIMS);
        product *= dims.values[i - 1];
    }
    hlo_term count = hlo_lib_integer(b, HLO_U64, hlo_shape_elements(shape));
    hlo_term next = hlo_builder_add(b, state, count, HLO_NO_DIMS);
    hlo_lib_split_u64(b, sum, &inputs[0], &inputs[1]);
    return next;
}

static hlo_lib_random threefry_bits(hlo_builder *b, hlo_term key, hlo_term state,
                                    const hlo_shape *shape, bool wide) {
    halves h = halves_of(b, shape);
    hlo_term inputs[2], keys[2], outputs[2];
    hlo_int_list all = {shape->rank, shape->dims};
    hlo_term next = threefry_inputs(b, state, wide ? all : h.half, inputs);
    hlo_lib_split_u64(b, key, &keys[0], &keys[1]);
    hlo_lib_threefry(b, inputs, keys, outputs);
    hlo_term value = wide ? hlo_lib_join_u64(b, outputs[0], outputs[1])
                          : joined(b, outputs[0], outputs[1], &h, shape);
    return (hlo_lib_random){value, next};
}

/* ---- Philox ---- */

typedef struct {
    hlo_term low, high; /* of 128 bits */
} wide_number;

static wide_number wide_of(hlo_builder *b, hlo_term pair) {
    hlo_term parts[2];
    for (int64_t i = 0; i < 2; i++) {
        parts[i] = hlo_builder_slice(b, pair, HLO_INTS(i), HLO_INTS(i + 1), HLO_INTS(1));
        parts[i] = hlo_builder_reshape(b, parts[i], HLO_NO_DIMS, HLO_NO_DIMS);
    }
    return (wide_number){parts[0], parts[1]};
}

static hlo_term pair_of(hlo_builder *b, wide_number x) {
    const hlo_term parts[] = {x.low, x.high};
    return hlo_lib_concat_scalars(b, (hlo_instrs_list){2, parts});
}

/* The sum, whose dimensions `sizes` come from the added number. */
static wide_number wide_sum(hlo_builder *b, wide_number x, hlo_term y, hlo_int_list sizes) {
    hlo_term low = hlo_builder_add(b, x.low, y, HLO_NO_DIMS);
    hlo_term one = hlo_lib_integer(b, HLO_U64, 1);
    hlo_term carried = hlo_builder_lt(b, low, x.low, HLO_NO_DIMS);
    hlo_term more = hlo_builder_add(b, x.high, one, HLO_NO_DIMS);
    more = hlo_builder_broadcast(b, more, sizes);
    hlo_term same = hlo_builder_broadcast(b, x.high, sizes);
    return (wide_number){low, hlo_builder_select(b, carried, more, same)};
}

static hlo_lib_words words_of(hlo_builder *b, wide_number x) {
    hlo_lib_words w;
    hlo_lib_split_u64(b, x.low, &w.v[0], &w.v[1]);
    hlo_lib_split_u64(b, x.high, &w.v[2], &w.v[3]);
    return w;
}

static wide_number wide_of_words(hlo_builder *b, hlo_lib_words w) {
    hlo_term low = hlo_lib_join_u64(b, w.v[0], w.v[1]);
    return (wide_number){low, hlo_lib_join_u64(b, w.v[2], w.v[3])};
}

/* Four words for each counter from the state on. */
static hlo_lib_words philox_words(hlo_builder *b, int64_t words, hlo_term *state, hlo_term op_key) {
    int64_t n = words / 4 + (words % 4 != 0);
    hlo_term key[2];
    hlo_lib_split_u64(b, op_key, &key[0], &key[1]);
    hlo_lib_words start = words_of(b, wide_of(b, *state));
    hlo_term iota = hlo_lib_iota(b, HLO_U64, n);
    wide_number counter = wide_of_words(b, start);
    hlo_lib_words inputs = words_of(b, wide_sum(b, counter, iota, HLO_INTS(n)));
    hlo_term count = hlo_lib_integer(b, HLO_U64, n);
    *state = pair_of(b, wide_sum(b, counter, count, HLO_NO_DIMS));
    return hlo_lib_philox(b, inputs, key);
}

/* The results in turn, as many as the shape has. */
static hlo_term interleaved(hlo_builder *b, const hlo_term *results, size_t n,
                            const hlo_shape *shape) {
    hlo_term columns[4];
    int64_t count = hlo_shape_elements(shape),
            each = count / (int64_t)n + (count % (int64_t)n != 0);
    for (size_t i = 0; i < n; i++)
        columns[i] = hlo_builder_reshape(b, results[i], HLO_NO_DIMS, HLO_INTS(each, 1));
    hlo_term all = hlo_builder_concatenate(b, (hlo_instrs_list){n, columns}, 1);
    all = hlo_builder_reshape(b, all, HLO_NO_DIMS, HLO_INTS(each * (int64_t)n));
    all = hlo_builder_slice(b, all, HLO_INTS(0), HLO_INTS(count), HLO_INTS(1));
    return hlo_builder_reshape(b, all, HLO_NO_DIMS, (hlo_int_list){shape->rank, shape->dims});
}

static hlo_lib_random philox_bits(hlo_builder *b, hlo_term key, hlo_term state,
                                  const hlo_shape *shape, bool wide) {
    int64_t count = hlo_shape_elements(shape);
    hlo_lib_words bits = philox_words(b, wide ? 2 * count : count, &state, key);
    if (!wide) return (hlo_lib_random){interleaved(b, bits.v, 4, shape), state};
    hlo_term pairs[2];
    pairs[0] = hlo_lib_join_u64(b, bits.v[0], bits.v[1]);
    pairs[1] = hlo_lib_join_u64(b, bits.v[2], bits.v[3]);
    return (hlo_lib_random){interleaved(b, pairs, 2, shape), state};
}

/* ---- bits of a type ---- */

static hlo_type unsigned_of(unsigned bits) {
    static const struct {
        unsigned bits;
        hlo_type type;
    } types[] = {{1, HLO_U1},   {2, HLO_U2},   {4, HLO_U4},  {8, HLO_U8},
                 {16, HLO_U16}, {32, HLO_U32}, {64, HLO_U64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].bits == bits) return types[i].type;
    return HLO_TYPE_COUNT;
}

static bool check_generator(hlo_builder *b, const char *function, hlo_term key, hlo_term state,
                            const hlo_shape *shape, int64_t words) {
    unsigned allowed = HLO_ELEMENTS_INTEGER | HLO_ELEMENTS_FLOAT;
    bool good = hlo_shape_is_array(shape) && hlo_type_is_in((hlo_type)shape->type, allowed) &&
                unsigned_of(hlo_types[shape->type].bits) != HLO_TYPE_COUNT;
    if (!good)
        hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "%s does not generate %s", function,
                         hlo_shape_name(&b->module->arena, shape));
    else if (key->shape->type != HLO_U64 || hlo_shape_elements(key->shape) != 1 ||
             state->shape->type != HLO_U64 || hlo_shape_elements(state->shape) != words)
        hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                         "%s takes a key of u64 and a state of %lld, not %s and %s", function,
                         (long long)words, hlo_shape_name(&b->module->arena, key->shape),
                         hlo_shape_name(&b->module->arena, state->shape));
    return !hlo_builder_failed(b);
}

typedef hlo_lib_random generator(hlo_builder *, hlo_term, hlo_term, const hlo_shape *, bool);

/* Narrow types get the low bits of words. */
static hlo_lib_random generate(hlo_builder *b, generator *bits_of, hlo_term key, hlo_term state,
                               const hlo_shape *shape) {
    unsigned bits = hlo_types[shape->type].bits;
    const hlo_shape *words = retyped(b, shape, bits == 64 ? HLO_U64 : HLO_U32);
    hlo_lib_random made = bits_of(b, key, state, words, bits == 64);
    if (hlo_builder_failed(b)) return nothing;
    if (bits < 32) made.value = hlo_lib_convert(b, made.value, unsigned_of(bits));
    return made;
}

static hlo_lib_random generated(hlo_builder *b, hlo_lib_bit_generator by, hlo_term key,
                                hlo_term state, const hlo_shape *shape) {
    bool is_philox = by == HLO_LIB_PHILOX;
    if (!check_generator(b, is_philox ? "PhiloxBitGenerator" : "ThreeFryBitGenerator", key, state,
                         shape, is_philox ? 2 : 1))
        return nothing;
    return generate(b, is_philox ? philox_bits : threefry_bits, key, state, shape);
}

static bool are_there(hlo_builder *b, const char *function, const void *const *arguments,
                      size_t n) {
    return hlo_builder_can_go_on(b) && hlo_builder_has_all(b, function, arguments, n);
}
#define ARE_THERE(b, ...)                                        \
    are_there((b), __func__, (const void *const[]){__VA_ARGS__}, \
              sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))

hlo_lib_random hlo_lib_threefry_bit_generator(hlo_builder *b, hlo_term key, hlo_term initial_state,
                                              const hlo_shape *shape) {
    HLO_BUILDER_CALL(b, nothing);
    if (!ARE_THERE(b, key, initial_state, shape)) return nothing;
    return generated(b, HLO_LIB_THREEFRY, key, initial_state, shape);
}

hlo_lib_random hlo_lib_philox_bit_generator(hlo_builder *b, hlo_term key, hlo_term initial_state,
                                            const hlo_shape *shape) {
    HLO_BUILDER_CALL(b, nothing);
    if (!ARE_THERE(b, key, initial_state, shape)) return nothing;
    return generated(b, HLO_LIB_PHILOX, key, initial_state, shape);
}

/* ---- Philox keys and counters ---- */

hlo_lib_random hlo_lib_scramble_philox_key(hlo_builder *b, hlo_term key) {
    HLO_BUILDER_CALL(b, nothing);
    if (!ARE_THERE(b, key)) return nothing;
    if (key->shape->type != HLO_U64 || hlo_shape_elements(key->shape) != 1)
        return hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                                "ScramblePhiloxKey takes one number of u64, not %s",
                                hlo_shape_name(&b->module->arena, key->shape)),
               nothing;
    hlo_term words[2], wide[2];
    hlo_lib_words state;
    hlo_lib_split_u64(b, key, &words[0], &words[1]);
    for (int i = 0; i < 2; i++) wide[i] = hlo_lib_convert(b, words[i], HLO_U64);
    for (int i = 0; i < 2; i++) {
        state.v[2 * i] = hlo_lib_convert(b, wide[i], HLO_U32);
        hlo_term high = HLO_FORMULA(b, "shift_right(x, 32)", "x", wide[i]);
        state.v[2 * i + 1] = hlo_lib_convert(b, high, HLO_U32);
    }
    hlo_term fixed[2];
    fixed[0] = hlo_lib_integer(b, HLO_U32, 0x3ec8f720);
    fixed[1] = hlo_lib_integer(b, HLO_U32, 0x02461e29);
    state = hlo_lib_philox(b, state, fixed);
    hlo_term zero = hlo_lib_integer(b, HLO_U32, 0);
    wide_number counter = wide_of_words(b, (hlo_lib_words){{zero, zero, state.v[2], state.v[3]}});
    hlo_term of_state = pair_of(b, counter);
    return (hlo_lib_random){hlo_lib_join_u64(b, state.v[0], state.v[1]), of_state};
}

hlo_term hlo_lib_philox_increase_counter(hlo_builder *b, hlo_term counter, hlo_term delta) {
    HLO_BUILDER_TAKES(b, counter, delta);
    return pair_of(b, wide_sum(b, wide_of(b, counter), delta, HLO_NO_DIMS));
}

hlo_term hlo_lib_concat_scalars(hlo_builder *b, hlo_instrs_list scalars) {
    HLO_BUILDER_CALL(b, NULL);
    if (!hlo_builder_has_list(b, __func__, scalars)) return NULL;
    hlo_term *vectors = HLO_NEW_ARRAY(&b->module->arena, hlo_term, scalars.count + 1);
    for (size_t i = 0; i < scalars.count; i++)
        vectors[i] = hlo_builder_reshape(b, scalars.values[i], HLO_NO_DIMS, HLO_INTS(1));
    return hlo_builder_concatenate(b, (hlo_instrs_list){scalars.count, vectors}, 0);
}

/* ---- uniform floats ---- */

/* An f16 of the exponent of 1, less 1, as TensorFlow's kernels do it. */
static hlo_term half_of_bits(hlo_builder *b, hlo_term bits) {
    hlo_term of_one = HLO_FORMULA(b, "m = bits && 1023; 15360 || m", "bits", bits);
    if (!of_one) return NULL;
    hlo_term from_one = hlo_builder_bitcast_convert_type(b, of_one, HLO_TYPE_F16);
    return HLO_FORMULA(b, "x - 1", "x", from_one);
}

/* As many high bits as a mantissa has, divided by 2 to that. */
static hlo_term fraction_of_bits(hlo_builder *b, hlo_term bits, hlo_type type) {
    int width = hlo_types[bits->shape->type].bits, mantissa = hlo_types[type].mantissa_bits;
    if (mantissa > width)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "%s bit type argument must have enough bits to cover the number of "
                                "mantissa bits of the result type %s",
                                hlo_types[bits->shape->type].text, hlo_types[type].text);
    hlo_formula f = hlo_formula_of(b, "bits", &bits);
    hlo_formula_set_number(&f, "unused", width - mantissa);
    hlo_term whole = hlo_lib_convert(b, hlo_formula_run(&f, "shift_right(bits, unused)"), type);
    if (!whole) return NULL;
    f = hlo_formula_of(b, "x", &whole);
    hlo_formula_set_number(&f, "unit", ldexp(1, -mantissa));
    return hlo_formula_run(&f, "x * unit");
}

static hlo_term uniform_of_bits(hlo_builder *b, hlo_term bits, hlo_term least, hlo_term most) {
    if (!bits || !least || !most) return NULL;
    hlo_type type = (hlo_type)least->shape->type, of = (hlo_type)bits->shape->type;
    if (!hlo_type_is_float(type) || !hlo_type_is_integral(of))
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "a uniform distribution of numbers of %s by bits of %s",
                                hlo_types[type].text, hlo_types[of].text);
    hlo_term x =
        type == HLO_F16 && of == HLO_U16 ? half_of_bits(b, bits) : fraction_of_bits(b, bits, type);
    if (!x) return NULL;
    return HLO_FORMULA(b, "x * (most - least) + least", "x least most", x, least, most);
}

static bool check_by(hlo_builder *b, hlo_lib_bit_generator by) {
    if (by == HLO_LIB_THREEFRY || by == HLO_LIB_PHILOX) return true;
    hlo_builder_misuse(b, "no such bit generator: %d", (int)by);
    return false;
}

hlo_lib_random hlo_lib_uniform_floating_point_distribution(hlo_builder *b, hlo_term key,
                                                           hlo_term initial_state,
                                                           hlo_lib_bit_generator by,
                                                           hlo_term minval, hlo_term maxval,
                                                           const hlo_shape *shape) {
    HLO_BUILDER_CALL(b, nothing);
    if (!ARE_THERE(b, key, initial_state, minval, maxval, shape) || !check_by(b, by))
        return nothing;
    hlo_lib_random bits = generated(b, by, key, initial_state, shape);
    bits.value = uniform_of_bits(b, bits.value, minval, maxval);
    return bits.value ? bits : nothing;
}

/* ---- uniform integers ---- */

/* min + bits mod (max - min), added in two halves that do not overflow. */
static hlo_term integer_of_bits(hlo_builder *b, hlo_term bits, hlo_term least, hlo_term most) {
    if (hlo_builder_failed(b)) return NULL;
    hlo_element_type type = hlo_lib_public((hlo_type)least->shape->type);
    hlo_element_type of = hlo_lib_public((hlo_type)bits->shape->type);
    hlo_term top = hlo_builder_bitcast_convert_type(b, most, of);
    hlo_term bottom = hlo_builder_bitcast_convert_type(b, least, of);
    hlo_formula f = hlo_formula_of(b, "bits top bottom", (const hlo_term[]){bits, top, bottom});
    hlo_formula_run(&f, "range = top - bottom; d = bits % range; half = shift_right(d, 1)");
    hlo_term half = hlo_formula_get(&f, "half");
    half = half ? hlo_builder_bitcast_convert_type(b, half, type) : NULL;
    hlo_term sum = hlo_builder_add(b, least, half, HLO_NO_DIMS);
    hlo_term rest = hlo_formula_run(&f, "d - half");
    rest = rest ? hlo_builder_bitcast_convert_type(b, rest, type) : NULL;
    return hlo_builder_add(b, sum, rest, HLO_NO_DIMS);
}

hlo_lib_random hlo_lib_uniform_int_distribution(hlo_builder *b, hlo_term key,
                                                hlo_term initial_state, hlo_lib_bit_generator by,
                                                hlo_term minval, hlo_term maxval,
                                                const hlo_shape *shape) {
    HLO_BUILDER_CALL(b, nothing);
    if (!ARE_THERE(b, key, initial_state, minval, maxval, shape) || !check_by(b, by))
        return nothing;
    bool integral = hlo_shape_is_array(shape) && hlo_type_is_integral((hlo_type)shape->type) &&
                    hlo_types[shape->type].bits >= 32;
    if (!integral)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "UniformIntDistribution takes u32, s32, u64 and s64, not %s",
                                hlo_shape_name(&b->module->arena, shape)),
               nothing;
    hlo_lib_random bits = generated(b, by, key, initial_state, shape);
    bits.value = integer_of_bits(b, bits.value, minval, maxval);
    return bits.value ? bits : nothing;
}

/* ---- normal distribution ---- */

/* G. Box and M. Muller: two uniform numbers make two normal ones. */
static hlo_lib_random normal(hlo_builder *b, hlo_lib_random uniform, const hlo_shape *shape,
                             const halves *h) {
    int64_t *start = hlo_lib_counting(b, h->half.count);
    for (size_t i = 0; i < h->half.count; i++) start[i] = 0;
    hlo_int_list from = {h->half.count, start};
    hlo_term first = hlo_builder_slice(b, uniform.value, from, h->half, HLO_NO_DIMS);
    start[h->joined] = 1;
    hlo_term second = hlo_builder_slice(b, uniform.value, from, h->both, HLO_NO_DIMS);
    if (!first || !second) return nothing;
    hlo_formula f = hlo_formula_of(b, "x y", (const hlo_term[]){first, second});
    hlo_formula_set_number(&f, "least", (double)1.0e-7f);
    hlo_formula_run(&f, "u = max(x, least); v = 6.2831853071795862 * y; r = sqrt(-2 * log(u));"
                        "a = sin(v) * r; b = cos(v) * r");
    hlo_term one = hlo_formula_get(&f, "a"), other = hlo_formula_get(&f, "b");
    return (hlo_lib_random){joined(b, one, other, h, shape), uniform.state};
}

hlo_lib_random hlo_lib_normal_floating_point_distribution(hlo_builder *b, hlo_term key,
                                                          hlo_term initial_state,
                                                          hlo_lib_bit_generator by,
                                                          const hlo_shape *shape) {
    HLO_BUILDER_CALL(b, nothing);
    if (!ARE_THERE(b, key, initial_state, shape) || !check_by(b, by)) return nothing;
    hlo_type type = (hlo_type)shape->type;
    if (type != HLO_F16 && type != HLO_F32 && type != HLO_F64)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "NormalFloatingPointDistribution takes f16, f32 and f64, not %s",
                                hlo_shape_name(&b->module->arena, shape)),
               nothing;
    halves h = halves_of(b, shape);
    hlo_term zero = hlo_lib_number(b, type, 0), one = hlo_lib_number(b, type, 1);
    hlo_lib_random uniform = hlo_lib_uniform_floating_point_distribution(
        b, key, initial_state, by, zero, one, hlo_lib_shape(b, type, h.both));
    return uniform.value ? normal(b, uniform, shape, &h) : nothing;
}
