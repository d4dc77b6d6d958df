/* Functions of the builder's library that are about whole arrays: matrices, products by formula,
 * slices, systems of equations, random numbers. Only public headers of the library are included. */
#include <hlo_builder_lib.h>

#include "unit/built.h"

/* 0, 1, 2 ... in row-major order. */
static const hlo_instr *numbered(hlo_int_list dims) {
    int64_t n = 1;
    for (size_t i = 0; i < dims.count; i++) n *= dims.values[i];
    return hlo_builder_reshape(b, counting(HLO_INTS(n)), HLO_NONE, dims);
}

/* ---- matrices ---- */

static void test_masks(void) {
    start();
    runs("identity_matrix", hlo_lib_identity_matrix(b, HLO_TYPE_S8, 2, 3),
         "s8[2,3] { { 1, 0, 0 }, { 0, 1, 0 } }");
    start();
    runs("get_diagonal_mask", hlo_lib_get_diagonal_mask(b, numbered(HLO_INTS(2, 3)), 1),
         "pred[2,3] { { 0, 1, 0 }, { 0, 0, 1 } }");
    start();
    runs("triangle_mask", hlo_lib_triangle_mask(b, numbered(HLO_INTS(3, 2)), -1),
         "pred[3,2] { { 0, 0 }, { 1, 0 }, { 1, 1 } }");
}

typedef const hlo_instr *diagonal_function(hlo_builder *, const hlo_instr *, int64_t);

/* Diagonals of [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]. */
static void test_diagonals(void) {
    static const struct {
        int64_t k;
        const char *wanted;
    } cases[] = {{0, "f32[3] {0, 5, 10}"},
                 {1, "f32[3] {1, 6, 11}"},
                 {3, "f32[1] {3}"},
                 {-1, "f32[2] {4, 9}"},
                 {-2, "f32[1] {8}"}};
    static diagonal_function *const functions[] = {hlo_lib_get_matrix_diagonal,
                                                   hlo_lib_get_matrix_diagonal_via_gather};
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            start();
            runs("get_matrix_diagonal", functions[f](b, numbered(HLO_INTS(3, 4)), cases[i].k),
                 cases[i].wanted);
        }
    start();
    runs("no diagonal", hlo_lib_get_matrix_diagonal(b, numbered(HLO_INTS(2, 2)), 2), "f32[0] {}");
    start();
    runs("diagonals of a batch", hlo_lib_get_matrix_diagonal(b, numbered(HLO_INTS(2, 2, 2)), 0),
         "f32[2,2] { { 0, 3 }, { 4, 7 } }");
}

static void test_set_diagonals(void) {
    static const float values[] = {-1, -2};
    start();
    runs("set_matrix_diagonal",
         hlo_lib_set_matrix_diagonal(b, numbered(HLO_INTS(2, 3)), floats(HLO_INTS(2), values), 1),
         "f32[2,3] { { 0, -1, 2 }, { 3, 4, -2 } }");
    start();
    runs("set_matrix_diagonal below",
         hlo_lib_set_matrix_diagonal(b, numbered(HLO_INTS(2, 3)), floats(HLO_INTS(1), values), -1),
         "f32[2,3] { { 0, 1, 2 }, { -1, 4, 5 } }");
}

static void test_triangles(void) {
    start();
    runs("upper_triangle", hlo_lib_upper_triangle(b, numbered(HLO_INTS(2, 2))),
         "f32[2,2] { { 0, 1 }, { 0, 3 } }");
    start();
    runs("lower_triangle", hlo_lib_lower_triangle(b, numbered(HLO_INTS(2, 2))),
         "f32[2,2] { { 0, 0 }, { 2, 3 } }");
    start();
    runs("triangle", hlo_lib_triangle(b, numbered(HLO_INTS(2, 2)), true),
         "f32[2,2] { { 0, 0 }, { 2, 3 } }");
    start();
    runs("symmetrize", hlo_lib_symmetrize(b, numbered(HLO_INTS(2, 2)), true),
         "f32[2,2] { { 0, 2 }, { 2, 3 } }");
    start();
    const hlo_instr *x = numbered(HLO_INTS(2, 2));
    runs("symmetrize, Hermitian",
         hlo_lib_symmetrize(b, hlo_builder_complex(b, x, x, HLO_NONE), false),
         "c64[2,2] { { (0, 0), (1, 1) }, { (1, -1), (3, 0) } }");
    start();
    runs("transpose_in_minor_dims", hlo_lib_transpose_in_minor_dims(b, numbered(HLO_INTS(1, 1, 2))),
         "f32[1,2,1] { { {0}, {1} } }");
    start();
    runs("maybe_transpose_in_minor_dims",
         hlo_lib_maybe_transpose_in_minor_dims(b, numbered(HLO_INTS(1, 2)), false),
         "f32[1,2] { { 0, 1 } }");
}

/* ---- products ---- */

static void einsum_is(const char *config, hlo_int_list x, hlo_int_list y, const char *wanted) {
    start();
    runs(config, hlo_lib_einsum(b, numbered(x), numbered(y), config, NULL), wanted);
}

static void test_einsum(void) {
    einsum_is("ab,bc->ac", HLO_INTS(2, 2), HLO_INTS(2, 2), "f32[2,2] { { 2, 3 }, { 6, 11 } }");
    einsum_is("ab,bc->ca", HLO_INTS(2, 2), HLO_INTS(2, 2), "f32[2,2] { { 2, 6 }, { 3, 11 } }");
    einsum_is("ab,bc", HLO_INTS(2, 2), HLO_INTS(2, 2), "f32[2,2] { { 2, 3 }, { 6, 11 } }");
    einsum_is("a,b->ab", HLO_INTS(2), HLO_INTS(3), "f32[2,3] { { 0, 0, 0 }, { 0, 1, 2 } }");
    einsum_is("ab,ab->", HLO_INTS(2, 2), HLO_INTS(2, 2), "f32[] 14");
    einsum_is("ab,c->c", HLO_INTS(2, 2), HLO_INTS(2), "f32[2] {0, 6}");
    einsum_is("ii,i->i", HLO_INTS(2, 2), HLO_INTS(2), "f32[2] {0, 3}");
    einsum_is("i,i->ii", HLO_INTS(2), HLO_INTS(2), "f32[2,2] { { 0, 0 }, { 0, 1 } }");
    einsum_is("...ab,...bc->...ac", HLO_INTS(2, 1, 2), HLO_INTS(2, 2, 1),
              "f32[2,1,1] { { {1} }, { {13} } }");
    einsum_is("ab,ab->ab", HLO_INTS(1, 2), HLO_INTS(2, 2), "f32[2,2] { { 0, 1 }, { 0, 3 } }");
}

static void test_einsum_options(void) {
    static const hlo_lib_einsum_options options = {HLO_LIB_HIGHEST_PRECISION, HLO_TYPE_F64, 0, 0};
    start();
    runs("einsum of another type",
         hlo_lib_einsum(b, numbered(HLO_INTS(2, 2)), numbered(HLO_INTS(2)), "ab,b->a", &options),
         "f64[2] {1, 3}");
    start();
    runs("einsum_of_one", hlo_lib_einsum_of_one(b, numbered(HLO_INTS(2, 3)), "ab->b", NULL),
         "f32[3] {3, 5, 7}");
    start();
    runs("einsum_numbered",
         hlo_lib_einsum_numbered(b, numbered(HLO_INTS(2, 2)), HLO_INTS(7, 8), numbered(HLO_INTS(2)),
                                 HLO_INTS(8), HLO_INTS(7), NULL),
         "f32[2] {1, 3}");
    start();
    runs("batch_dot",
         hlo_lib_batch_dot(b, numbered(HLO_INTS(1, 2, 2)), true, numbered(HLO_INTS(1, 1, 2)), true,
                           NULL),
         "f32[1,2,1] { { {2}, {3} } }");
}

static void test_einsum_errors(void) {
    static const struct {
        const char *config, *words;
    } cases[] = {{"ab->ab", "expected one \",\""},      {"a,b->c->d", "expected one \"->\""},
                 {"a1,bc->a", "unexpected character"},  {"a.b,b->a", "unsupported \".\""},
                 {"abc,bc->a", "3 and 2 names"},        {"...a...,bc->a", "too many ellipses"},
                 {"...abc,bc->a", "too few dimensions"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start();
        hlo_lib_einsum(b, numbered(HLO_INTS(2, 2)), numbered(HLO_INTS(2, 2)), cases[i].config,
                       NULL);
        fails(cases[i].config, HLO_BAD_MODULE, cases[i].words);
    }
}

/* ---- slices, gathers ---- */

static void test_slices(void) {
    start();
    runs("slice_in_minor_dims",
         hlo_lib_slice_in_minor_dims(b, numbered(HLO_INTS(2, 3)), HLO_INTS(1), HLO_INTS(3)),
         "f32[2,2] { { 1, 2 }, { 4, 5 } }");
    start();
    const hlo_instr *x = numbered(HLO_INTS(2, 3)), *update = floats(HLO_INTS(1, 2), VALUES(-1, -2));
    runs("update_slice", hlo_lib_update_slice(b, x, update, HLO_INTS(1, 1)),
         "f32[2,3] { { 0, 1, 2 }, { 3, -1, -2 } }");
    start();
    x = numbered(HLO_INTS(2, 3)), update = floats(HLO_INTS(2, 1), VALUES(-1, -2));
    runs("update_slice_in_minor_dims",
         hlo_lib_update_slice_in_minor_dims(b, x, update, HLO_INTS(2)),
         "f32[2,3] { { 0, 1, -1 }, { 3, 4, -2 } }");
    start();
    x = numbered(HLO_INTS(2, 3));
    const hlo_instr *at = hlo_builder_constant_s32(b, 1);
    runs("dynamic_slice_in_minor_dims",
         hlo_lib_dynamic_slice_in_minor_dims(b, x, HLO_INSTRS(at), HLO_INTS(1)),
         "f32[2,1] { {1}, {4} }");
    start();
    x = numbered(HLO_INTS(2, 3)), update = floats(HLO_INTS(2, 1), VALUES(-1, -2));
    at = hlo_builder_constant_s32(b, 0);
    runs("dynamic_update_slice_in_minor_dims",
         hlo_lib_dynamic_update_slice_in_minor_dims(b, x, update, HLO_INSTRS(at)),
         "f32[2,3] { { -1, 1, 2 }, { -2, 4, 5 } }");
}

static const hlo_instr *sum(hlo_builder *builder, const hlo_instr *old, const hlo_instr *update,
                            void *context) {
    ++*(int *)context;
    return hlo_builder_add(builder, old, update, HLO_NONE);
}

static void test_gathers(void) {
    static const int32_t places[] = {1, 0, 2, 1};
    for (int sparse = 0; sparse < 2; sparse++) {
        start();
        runs("torch_gather",
             hlo_lib_torch_gather(b, numbered(HLO_INTS(2, 3)), ints(HLO_INTS(2, 2), places), 1,
                                  sparse),
             "f32[2,2] { { 1, 0 }, { 5, 4 } }");
    }
    start();
    int calls = 0;
    const hlo_instr *x = numbered(HLO_INTS(2, 3)), *at = ints(HLO_INTS(2, 2), places);
    const hlo_instr *source = floats(HLO_INTS(2, 2), VALUES(10, 20, 30, 40));
    runs("torch_scatter_dense", hlo_lib_torch_scatter_dense(b, x, at, source, 1, sum, &calls),
         "f32[2,3] { { 20, 11, 2 }, { 3, 44, 35 } }");
    check(calls == 2, "a combiner makes a reducer and a result");
    start();
    runs("torch_index_select",
         hlo_lib_torch_index_select(b, numbered(HLO_INTS(3, 2)), ints(HLO_INTS(2), places), 0, 0),
         "f32[2,2] { { 2, 3 }, { 0, 1 } }");
    start();
    runs(
        "torch_index_select of a batch",
        hlo_lib_torch_index_select(b, numbered(HLO_INTS(2, 3)), ints(HLO_INTS(2, 2), places), 1, 1),
        "f32[2,2] { { 1, 0 }, { 5, 4 } }");
}

/* ---- three diagonals ---- */

/* [[2, 1, 0], [1, 3, 1], [0, 1, 4]] x = [3, 5, 5] has x = [1, 1, 1]. */
static const hlo_instr *row(float x, float y, float z) {
    return floats(HLO_INTS(1, 3), VALUES(x, y, z));
}

static void test_tridiagonal(void) {
    start();
    const hlo_instr *lower = row(0, 1, 1), *main_row = row(2, 3, 4), *upper = row(1, 1, 0);
    runs("tridiagonal_solver", hlo_lib_tridiagonal_solver(b, lower, main_row, upper, row(3, 5, 5)),
         "f32[1,3] { { 1, 1, 1 } }");
    start();
    const hlo_instr *all = floats(HLO_INTS(3, 3), VALUES(1, 1, 0, 2, 3, 4, 0, 1, 1));
    runs("tridiagonal_solver_of_stack",
         hlo_lib_tridiagonal_solver_of_stack(b, all, floats(HLO_INTS(3, 1), VALUES(3, 5, 5))),
         "f32[3,1] { {1}, {1}, {1} }");
    start();
    lower = row(0, 1, 1), main_row = row(2, 3, 4), upper = row(1, 1, 0);
    const hlo_instr *right = floats(HLO_INTS(3, 2), VALUES(1, 2, 1, 0, 1, 0));
    runs("tridiagonal_mat_mul", hlo_lib_tridiagonal_mat_mul(b, upper, main_row, lower, right),
         "f32[3,2] { { 3, 4 }, { 5, 2 }, { 5, 0 } }");
}

/* ---- random numbers ---- */

static const hlo_instr *u64s(hlo_int_list dims, const uint64_t *values) {
    return hlo_builder_constant(
        b, &(hlo_array){HLO_TYPE_U64, (uint32_t)dims.count, dims.values, NULL, values});
}

/* The library's bits are those of the operation with the same key and state. */
static void same_bits(hlo_lib_bit_generator by, hlo_element_type type, hlo_int_list dims) {
    static const uint64_t values[] = {42, 7, 11};
    start();
    bool is_philox = by == HLO_LIB_PHILOX;
    const hlo_instr *key = u64s(HLO_NONE, values);
    const hlo_instr *state = u64s(HLO_INTS(is_philox ? 2 : 1), values + 1);
    const hlo_shape *shape = hlo_builder_shape(b, type, dims);
    hlo_lib_random made = is_philox ? hlo_lib_philox_bit_generator(b, key, state, shape)
                                    : hlo_lib_threefry_bit_generator(b, key, state, shape);
    const hlo_instr *whole = u64s(HLO_INTS(is_philox ? 3 : 2), values);
    const hlo_instr *wanted = hlo_builder_rng_bit_generator(
        b, is_philox ? HLO_RNG_PHILOX : HLO_RNG_THREE_FRY, whole, shape);
    const hlo_instr *bits = hlo_builder_get_tuple_element(b, wanted, 1);
    const hlo_instr *differ = hlo_lib_any(b, hlo_builder_ne(b, made.value, bits, HLO_NONE));
    runs(is_philox ? "philox_bit_generator" : "threefry_bit_generator", differ, "pred[] false");
}

static void test_bits(void) {
    static const hlo_lib_bit_generator both[] = {HLO_LIB_THREEFRY, HLO_LIB_PHILOX};
    for (size_t i = 0; i < 2; i++) {
        same_bits(both[i], HLO_TYPE_U32, HLO_INTS(3, 5));
        same_bits(both[i], HLO_TYPE_U32, HLO_INTS(8));
        same_bits(both[i], HLO_TYPE_U64, HLO_INTS(2, 3));
        same_bits(both[i], HLO_TYPE_U16, HLO_INTS(7));
        same_bits(both[i], HLO_TYPE_U8, HLO_INTS(4));
    }
    static const uint64_t one = 1, pair[] = {UINT64_MAX, 5};
    start();
    const hlo_instr *counter = u64s(HLO_INTS(2), pair);
    runs("philox_increase_counter",
         hlo_lib_philox_increase_counter(b, counter, u64s(HLO_NONE, &one)), "u64[2] {0, 6}");
    start();
    const hlo_instr *x = hlo_builder_constant_s32(b, 4), *y = hlo_builder_constant_s32(b, 5);
    runs("concat_scalars", hlo_lib_concat_scalars(b, HLO_INSTRS(x, y)), "s32[2] {4, 5}");
    start(); /* ten rounds of Philox of the key 1, computed apart */
    hlo_lib_random key = hlo_lib_scramble_philox_key(b, u64s(HLO_NONE, &one));
    runs("scramble_philox_key", hlo_builder_tuple(b, HLO_INSTRS(key.value, key.state)),
         "(u64[], u64[2]) ( 5021939587448326713, {0, 11707347269556952885} )");
}

/* All numbers are in [least, most), and their mean is near `mean`. */
static void is_spread(const char *what, const hlo_instr *x, float least, float most, float mean) {
    const hlo_instr *n = hlo_lib_full_like(b, hlo_builder_constant_f32(b, 0), 4096);
    x = hlo_builder_convert_element_type(b, x, HLO_TYPE_F32);
    const hlo_instr *zero = hlo_builder_constant_f32(b, 0);
    const hlo_computation *add = hlo_lib_scalar_computation(b, "add", HLO_TYPE_F32);
    const hlo_instr *total =
        hlo_builder_reduce(b, HLO_INSTRS(x), HLO_INSTRS(zero), add, HLO_INTS(0));
    const hlo_instr *off = hlo_builder_sub(b, hlo_builder_div(b, total, n, HLO_NONE),
                                           hlo_builder_constant_f32(b, mean), HLO_NONE);
    const hlo_instr *far = hlo_builder_gt(
        b, hlo_builder_abs(b, off), hlo_builder_constant_f32(b, 0.04F * (most - least)), HLO_NONE);
    const hlo_instr *below = hlo_builder_lt(b, x, hlo_builder_constant_f32(b, least), HLO_NONE);
    const hlo_instr *above = hlo_builder_ge(b, x, hlo_builder_constant_f32(b, most), HLO_NONE);
    const hlo_instr *outside = hlo_lib_any(b, hlo_builder_or(b, below, above, HLO_NONE));
    runs(what, hlo_builder_or(b, outside, far, HLO_NONE), "pred[] false");
}

static void test_distributions(void) {
    static const uint64_t seed[] = {3, 0, 0};
    static const hlo_element_type types[] = {HLO_TYPE_F16, HLO_TYPE_F32, HLO_TYPE_F64,
                                             HLO_TYPE_BF16};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        start();
        const hlo_instr *key = u64s(HLO_NONE, seed), *state = u64s(HLO_INTS(1), seed + 1);
        const hlo_instr *least = hlo_lib_scalar(b, types[i], -1),
                        *most = hlo_lib_scalar(b, types[i], 3);
        const hlo_shape *shape = hlo_builder_shape(b, types[i], HLO_INTS(4096));
        hlo_lib_random r = hlo_lib_uniform_floating_point_distribution(
            b, key, state, HLO_LIB_THREEFRY, least, most, shape);
        is_spread("uniform_floating_point_distribution", r.value, -1, 3, 1);
        if (types[i] == HLO_TYPE_BF16) continue;
        start();
        key = u64s(HLO_NONE, seed), state = u64s(HLO_INTS(2), seed + 1);
        shape = hlo_builder_shape(b, types[i], HLO_INTS(4096));
        r = hlo_lib_normal_floating_point_distribution(b, key, state, HLO_LIB_PHILOX, shape);
        is_spread("normal_floating_point_distribution", r.value, -6, 6, 0);
    }
    start();
    const hlo_instr *key = u64s(HLO_NONE, seed), *state = u64s(HLO_INTS(2), seed + 1);
    const hlo_instr *least = hlo_builder_constant_s32(b, -10),
                    *most = hlo_builder_constant_s32(b, 30);
    const hlo_shape *shape = hlo_builder_shape(b, HLO_TYPE_S32, HLO_INTS(4096));
    hlo_lib_random r =
        hlo_lib_uniform_int_distribution(b, key, state, HLO_LIB_PHILOX, least, most, shape);
    is_spread("uniform_int_distribution", r.value, -10, 30, 9.5F);
    start();
    key = u64s(HLO_NONE, seed), state = u64s(HLO_INTS(1), seed + 1);
    hlo_lib_normal_floating_point_distribution(b, key, state, HLO_LIB_PHILOX,
                                               hlo_builder_shape(b, HLO_TYPE_F32, HLO_INTS(2)));
    fails("a state of another generator", HLO_BAD_MODULE, "takes a key of u64 and a state of 2");
}

/* ---- the greatest elements ---- */

static const hlo_instr *keys(hlo_element_type type) {
    const hlo_instr *x = floats(HLO_INTS(2, 4), VALUES(3, 1, 4, 1, -5, 9, 2, 9));
    return hlo_builder_convert_element_type(b, x, type);
}

static void test_top_k(void) {
    start();
    runs("top_k", hlo_lib_top_k(b, keys(HLO_TYPE_F32), 2, HLO_TYPE_S32),
         "(f32[2,2], s32[2,2]) ( { { 4, 3 }, { 9, 9 } }, { { 2, 0 }, { 1, 3 } } )");
    start();
    runs("top_k of bf16", hlo_lib_top_k(b, keys(HLO_TYPE_BF16), 3, HLO_TYPE_S32),
         "(bf16[2,3], s32[2,3]) ( { { 4, 3, 1 }, { 9, 9, 2 } }, { { 2, 0, 1 }, { 1, 3, 2 } } )");
    start();
    runs("top_k_with_partitions",
         hlo_lib_top_k_with_partitions(b, keys(HLO_TYPE_F32), 1, 2, HLO_TYPE_S32),
         "(f32[2,1], s32[2,1]) ( { {4}, {9} }, { {2}, {1} } )");
    start();
    hlo_lib_top_k(b, keys(HLO_TYPE_F32), 5, HLO_TYPE_S32);
    fails("more than there are", HLO_BAD_MODULE, "TopK: the first 5 of f32[2,4]");
}

static void test_broadcast_to(void) {
    start();
    runs("broadcast_to", hlo_lib_broadcast_to(b, numbered(HLO_INTS(2)), HLO_INTS(2, 4)),
         "f32[2,4] { { 0, 1, 0, 1 }, { 0, 1, 0, 1 } }");
    start();
    runs("broadcast_to of one", hlo_lib_broadcast_to(b, numbered(HLO_INTS(2, 1)), HLO_INTS(2, 2)),
         "f32[2,2] { { 0, 0 }, { 1, 1 } }");
    start();
    hlo_lib_broadcast_to(b, numbered(HLO_INTS(2)), HLO_INTS(3));
    fails("no multiple", HLO_BAD_MODULE, "invalid shape broadcast from f32[2]");
}

/* ---- pooling ---- */

/* A row of five with windows of two in steps of two, one element of padding after it. */
#define ROW HLO_INTS(1, 5, 1)
#define WINDOW HLO_INTS(1, 2, 1)
#define PADDED HLO_INTS(0), HLO_INTS(1), HLO_INTS(1)

static void test_pooling(void) {
    start();
    runs("max_pool", hlo_lib_max_pool(b, numbered(ROW), WINDOW, WINDOW, HLO_PAD_SAME),
         "f32[1,3,1] { { {1}, {3}, {4} } }");
    start();
    runs("avg_pool", hlo_lib_avg_pool(b, numbered(ROW), WINDOW, WINDOW, PADDED, false),
         "f32[1,3,1] { { {0.5}, {2.5}, {4} } }");
    start();
    runs("avg_pool with padding", hlo_lib_avg_pool(b, numbered(ROW), WINDOW, WINDOW, PADDED, true),
         "f32[1,3,1] { { {0.5}, {2.5}, {2} } }");
    start();
    const hlo_instr *grad = floats(HLO_INTS(1, 3, 1), VALUES(2, 4, 8));
    runs("avg_pool_grad", hlo_lib_avg_pool_grad(b, grad, ROW, WINDOW, WINDOW, PADDED, false),
         "f32[1,5,1] { { {1}, {1}, {2}, {2}, {8} } }");
    start();
    hlo_lib_avg_pool_grad(b, numbered(HLO_INTS(1, 2, 1)), ROW, WINDOW, WINDOW, PADDED, true);
    fails("another size", HLO_BAD_MODULE, "size of out_backprop doesn't match computed: 2 and 3");
}

/* ---- decompositions: a back end that has the names computes them ---- */

static void test_decompositions(void) {
    start();
    builds("qr", hlo_lib_qr(b, numbered(HLO_INTS(2, 4, 3))), "(f32[2,4,3], f32[2,3])");
    start();
    builds("product_of_elementary_householder_reflectors",
           hlo_lib_product_of_elementary_householder_reflectors(b, numbered(HLO_INTS(3, 2)),
                                                                numbered(HLO_INTS(2))),
           "f32[3,2]");
    start();
    builds("qr_explicit", hlo_lib_qr_explicit(b, numbered(HLO_INTS(4, 3)), true),
           "(f32[4,4], f32[4,3])");
    start();
    builds("qr_explicit, less", hlo_lib_qr_explicit(b, numbered(HLO_INTS(4, 3)), false),
           "(f32[4,3], f32[3,3])");
    start();
    builds("qr_explicit, wide", hlo_lib_qr_explicit(b, numbered(HLO_INTS(2, 3)), false),
           "(f32[2,2], f32[2,3])");
    start();
    builds("lu_decomposition", hlo_lib_lu_decomposition(b, numbered(HLO_INTS(2, 3))),
           "(f32[2,3], s32[2], s32[2])");
    start();
    builds("self_adjoint_eig",
           hlo_lib_self_adjoint_eig(b, numbered(HLO_INTS(3, 3)), true, 15, 1e-5F, true),
           "(f32[3,3], f32[3])");
    start();
    builds("slogdet", hlo_lib_slogdet(b, numbered(HLO_INTS(5, 2, 2))).sign, "f32[5]");
    start();
    builds("logdet", hlo_lib_logdet(b, numbered(HLO_INTS(5, 2, 2))), "f32[5]");
    start();
    hlo_lib_logdet(b, numbered(HLO_INTS(2, 3)));
    fails("no square", HLO_BAD_MODULE, "(batched) square matrices, got: f32[2,3]");
}

/* u diag(d) v' is the matrix, u and v are orthogonal, d descends. */
static void svd_is_good(const char *what, hlo_int_list dims, hlo_element_type type, double places) {
    start();
    const hlo_instr *a = hlo_builder_sin(b, numbered(dims));
    a = hlo_builder_convert_element_type(b, a, type);
    hlo_lib_svd_result r =
        hlo_lib_svd(b, a, 100, type == HLO_TYPE_F64 ? 1e-13F : 1e-6F, HLO_LIB_HIGHEST_PRECISION);
    int64_t m = dims.values[dims.count - 2], n = dims.values[dims.count - 1], p = m < n ? m : n;
    const hlo_instr *u = hlo_lib_slice_in_minor_dims(b, r.u, HLO_INTS(0, 0), HLO_INTS(m, p));
    const hlo_instr *v = hlo_lib_slice_in_minor_dims(b, r.v, HLO_INTS(0, 0), HLO_INTS(n, p));
    const hlo_instr *scaled = hlo_lib_einsum(b, u, r.d, "...mk,...k->...mk", NULL);
    const hlo_instr *again = hlo_lib_batch_dot(b, scaled, false, v, true, NULL);
    const hlo_instr *off = hlo_builder_abs(b, hlo_builder_sub(b, again, a, HLO_NONE));
    const hlo_instr *uu = hlo_lib_batch_dot(b, r.u, true, r.u, false, NULL);
    const hlo_instr *one = hlo_lib_identity_matrix(b, type, m, m);
    const hlo_instr *like_it =
        dims.count == 2 ? one : hlo_builder_broadcast(b, one, HLO_INTS(dims.values[0]));
    const hlo_instr *skew = hlo_builder_abs(b, hlo_builder_sub(b, uu, like_it, HLO_NONE));
    const hlo_instr *most = hlo_lib_scalar(b, type, places);
    const hlo_instr *far = hlo_lib_any(b, hlo_builder_gt(b, off, most, HLO_NONE));
    const hlo_instr *bent = hlo_lib_any(b, hlo_builder_gt(b, skew, most, HLO_NONE));
    const hlo_instr *first = hlo_lib_slice_in_minor_dims(b, r.d, HLO_INTS(0), HLO_INTS(p - 1));
    const hlo_instr *next = hlo_lib_slice_in_minor_dims(b, r.d, HLO_INTS(1), HLO_INTS(p));
    const hlo_instr *wrong = hlo_lib_any(b, hlo_builder_lt(b, first, next, HLO_NONE));
    runs(what, hlo_builder_tuple(b, HLO_INSTRS(far, bent, wrong)),
         "(pred[], pred[], pred[]) ( false, false, false )");
}

static void test_svd(void) {
    svd_is_good("svd", HLO_INTS(4, 3), HLO_TYPE_F32, 1e-5);
    svd_is_good("svd, wide", HLO_INTS(2, 5), HLO_TYPE_F32, 1e-5);
    svd_is_good("svd of a batch", HLO_INTS(2, 3, 3), HLO_TYPE_F32, 1e-5);
    svd_is_good("svd of f64", HLO_INTS(4, 4), HLO_TYPE_F64, 1e-10);
    start();
    const hlo_instr *a = floats(HLO_INTS(2, 2), VALUES(3, 0, 4, 5));
    const hlo_instr *d = hlo_lib_svd(b, a, 100, 1e-6F, HLO_LIB_HIGHEST_PRECISION).d;
    const hlo_instr *square = hlo_builder_round_nearest_even(b, hlo_lib_square(b, d));
    runs("svd of [[3, 0], [4, 5]]", square, "f32[2] {45, 5}");
    start();
    hlo_lib_svd(b, ints(HLO_INTS(1, 1), NUMBERS(1)), 1, 1, HLO_LIB_DEFAULT_PRECISION);
    fails("svd of integers", HLO_BAD_MODULE, "operands to SVD must be real-valued");
}

static const hlo_instr *words(hlo_int_list dims, const uint32_t *values) {
    return hlo_builder_constant(
        b, &(hlo_array){HLO_TYPE_U32, (uint32_t)dims.count, dims.values, NULL, values});
}

static void test_dequantize(void) {
    static const uint32_t values[] = {0x00010203, 0xfffefdfc};
    start();
    runs("dequantize",
         hlo_lib_dequantize(b, words(HLO_INTS(2, 1), values), HLO_TYPE_U8, 0, 255, false),
         "bf16[2,4] { { 0, 1, 2, 3 }, { 255, 254, 253, 252 } }");
    start();
    runs("dequantize of s16",
         hlo_lib_dequantize(b, words(HLO_INTS(1), values), HLO_TYPE_S16, 0, 65536, false),
         "bf16[2] {3.277e+04, 3.328e+04}");
    start();
    runs("dequantize, transposed",
         hlo_lib_dequantize(b, words(HLO_INTS(1, 1), values), HLO_TYPE_U8, 0, 255, true),
         "bf16[4,1] { {0}, {1}, {2}, {3} }");
    start();
    hlo_lib_dequantize(b, numbered(HLO_INTS(1)), HLO_TYPE_U8, 0, 1, false);
    fails("dequantize of floats", HLO_BAD_MODULE, "only u32 is supported");
}

static void test_packing(void) {
    static const uint8_t bytes[] = {1, 2, 3, 4, 255};
    static const int16_t halves[] = {-1, 2, 3};
    uint32_t packed[2];
    check(hlo_lib_pack_to_u32(HLO_TYPE_U8, bytes, 5, packed) == 2 && packed[0] == 0x01020304 &&
              packed[1] == 0xff000000,
          "pack_to_u32 of u8");
    check(hlo_lib_pack_to_u32(HLO_TYPE_S16, halves, 3, packed) == 2 && packed[0] == 0xffff0002 &&
              packed[1] == 0x00030000,
          "pack_to_u32 of s16");
    check(hlo_lib_pack_to_u32(HLO_TYPE_S16, NULL, 5, NULL) == 3, "pack_to_u32 counts words");
    check(hlo_lib_pack_to_u32(HLO_TYPE_F32, bytes, 1, packed) == 0, "pack_to_u32 of floats");
}

int main(void) {
    test_packing();
    test_dequantize();
    test_svd();
    test_top_k();
    test_broadcast_to();
    test_pooling();
    test_decompositions();
    test_masks();
    test_diagonals();
    test_set_diagonals();
    test_triangles();
    test_einsum();
    test_einsum_options();
    test_einsum_errors();
    test_slices();
    test_gathers();
    test_tridiagonal();
    test_bits();
    test_distributions();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
