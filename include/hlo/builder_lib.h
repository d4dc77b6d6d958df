/* The functions of XLA's builder library (xla/hlo/builder/lib), made of the operations of
 * hlo_builder.h: special functions, products by formula, triangles and diagonals, loops, sorts.
 *
 *     const hlo_instr *y = hlo_lib_lgamma(b, x);
 *     const hlo_instr *p = hlo_lib_einsum(b, x, y, "...mk,...kn->...mn", NULL);
 *
 * Rules as in hlo_builder.h: the first error is kept and makes every function return NULL. An
 * operand of a type or shape that XLA's function refuses is such an error. Real floats are all
 * types of floats; narrow ones are computed in f32 where stated. The comment of a function begins
 * with its name in XLA and the header there that has it. */
#ifndef HLO_PUBLIC_BUILDER_LIB_H
#define HLO_PUBLIC_BUILDER_LIB_H

#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- constants ---- */

/* ConstantR0WithType (constants.h): a scalar of any type, rounded to it; a number that is no
 * integer makes no integer. */
HLO_API const hlo_instr *hlo_lib_scalar(hlo_builder *builder, hlo_element_type type, double value);
/* Zero (constants.h). */
HLO_API const hlo_instr *hlo_lib_zero(hlo_builder *builder, hlo_element_type type);
/* One (constants.h). */
HLO_API const hlo_instr *hlo_lib_one(hlo_builder *builder, hlo_element_type type);
/* ScalarLike (constants.h): a scalar of the type of `prototype`, an array. */
HLO_API const hlo_instr *hlo_lib_scalar_like(hlo_builder *builder, const hlo_instr *prototype,
                                             double value);
/* FullLike (constants.h): the value in all places of an array like `prototype`. */
HLO_API const hlo_instr *hlo_lib_full_like(hlo_builder *builder, const hlo_instr *prototype,
                                           double value);
/* ZerosLike (constants.h). */
HLO_API const hlo_instr *hlo_lib_zeros_like(hlo_builder *builder, const hlo_instr *prototype);
/* Zeros (constants.h): of an array's shape. */
HLO_API const hlo_instr *hlo_lib_zeros(hlo_builder *builder, const hlo_shape *shape);
/* Epsilon (constants.h): of a type of floats, the difference of 1 and the next number. */
HLO_API const hlo_instr *hlo_lib_epsilon(hlo_builder *builder, hlo_element_type type);
/* MinValue (constants.h): the least number of a real type; -inf where there is one. */
HLO_API const hlo_instr *hlo_lib_min_value(hlo_builder *builder, hlo_element_type type);
/* MinFiniteValue (constants.h). */
HLO_API const hlo_instr *hlo_lib_min_finite_value(hlo_builder *builder, hlo_element_type type);
/* MinPositiveNormalValue (constants.h): of a type of floats. */
HLO_API const hlo_instr *hlo_lib_min_positive_normal_value(hlo_builder *builder,
                                                           hlo_element_type type);
/* MaxValue (constants.h): the greatest number of a real type; inf where there is one. */
HLO_API const hlo_instr *hlo_lib_max_value(hlo_builder *builder, hlo_element_type type);
/* MaxFiniteValue (constants.h). */
HLO_API const hlo_instr *hlo_lib_max_finite_value(hlo_builder *builder, hlo_element_type type);
/* NanValue (constants.h): of a type of floats. */
HLO_API const hlo_instr *hlo_lib_nan_value(hlo_builder *builder, hlo_element_type type);

/* ---- functions of one operand, element by element ---- */

/* Each gives an array of the operand's shape. */
#define HLO_LIB_UNARY_FUNCTION(name) \
    HLO_API const hlo_instr *hlo_lib_##name(hlo_builder *builder, const hlo_instr *operand)

/* Acos (math.h): of floats and complex numbers. */
HLO_LIB_UNARY_FUNCTION(acos);
/* Acosh (math.h): of floats and complex numbers; NaN below 1. */
HLO_LIB_UNARY_FUNCTION(acosh);
/* Asin (math.h): of floats, those of 16 bits and less in f32, and complex numbers, by T. Hull,
 * T. Fairgrieve and P. Tang. */
HLO_LIB_UNARY_FUNCTION(asin);
/* Asinh (math.h): of floats, f16 and bf16 in f32, and complex numbers. */
HLO_LIB_UNARY_FUNCTION(asinh);
/* Atan (math.h): of floats and complex numbers. */
HLO_LIB_UNARY_FUNCTION(atan);
/* Atanh (math.h): of floats, bf16 in f32, and complex numbers; NaN outside of [-1, 1]. */
HLO_LIB_UNARY_FUNCTION(atanh);
/* Cosh (math.h): of floats, f16 and bf16 in f32, and complex numbers. */
HLO_LIB_UNARY_FUNCTION(cosh);
/* Sinh (math.h): of floats, f16 and bf16 in f32, and complex numbers. */
HLO_LIB_UNARY_FUNCTION(sinh);
/* Erfc (math.h): 1 - erf of real floats, those of 16 bits and less in f32; by Eigen in f32, by
 * Cephes in f64. */
HLO_LIB_UNARY_FUNCTION(erfc);
/* ErfInv (math.h): the inverse of erf, of real floats, those of 16 bits and less in f32; by
 * M. Giles. */
HLO_LIB_UNARY_FUNCTION(erf_inv);
/* Lgamma (math.h): ln|gamma(x)| of real floats, those of 16 bits and less in f32; by C. Lanczos. */
HLO_LIB_UNARY_FUNCTION(lgamma);
/* Digamma (math.h): its derivative. NaN at poles. */
HLO_LIB_UNARY_FUNCTION(digamma);
/* BesselI0e (math.h): e^-|x| I0(x) of real floats, f16 and bf16 in f32; by Cephes. */
HLO_LIB_UNARY_FUNCTION(bessel_i0e);
/* BesselI1e (math.h): e^-|x| I1(x), the same. */
HLO_LIB_UNARY_FUNCTION(bessel_i1e);
/* RoundToEven (math.h): of real floats. */
HLO_LIB_UNARY_FUNCTION(round_to_even);
/* Square (math.h): of numbers. */
HLO_LIB_UNARY_FUNCTION(square);
/* Reciprocal (math.h): 1 / x of numbers. */
HLO_LIB_UNARY_FUNCTION(reciprocal);
/* Conj (math.h): of complex numbers. */
HLO_LIB_UNARY_FUNCTION(conj);
/* IsPosInf (math.h): pred, of real floats; false of types without infinities. */
HLO_LIB_UNARY_FUNCTION(is_pos_inf);
/* IsNegInf (math.h): the same. */
HLO_LIB_UNARY_FUNCTION(is_neg_inf);
/* IsInf (math.h): the same. */
HLO_LIB_UNARY_FUNCTION(is_inf);
/* IsNan (math.h): pred, of real floats. */
HLO_LIB_UNARY_FUNCTION(is_nan);
/* IsNegZero (math.h): pred, of real floats; false of types without -0. */
HLO_LIB_UNARY_FUNCTION(is_neg_zero);

/* MaybeConjugate (math.h): Conj of complex numbers if `conjugate`; else the operand. */
HLO_API const hlo_instr *hlo_lib_maybe_conjugate(hlo_builder *builder, const hlo_instr *operand,
                                                 bool conjugate);
/* EvaluatePolynomial (math.cc): of floats or complex numbers, coefficients of the highest power
 * first, by Horner's rule; of none of them a scalar 0, of one a scalar. */
HLO_API const hlo_instr *hlo_lib_evaluate_polynomial(hlo_builder *builder, const hlo_instr *x,
                                                     const double *coefficients, size_t count);
/* EvaluateChebyshevPolynomial (math.cc): half of the series in x/2, by Clenshaw's rule. */
HLO_API const hlo_instr *hlo_lib_evaluate_chebyshev_polynomial(hlo_builder *builder,
                                                               const hlo_instr *x,
                                                               const double *coefficients,
                                                               size_t count);

/* ---- functions of several operands, element by element ---- */

/* Arrays of one shape of real floats; f16, bf16 and narrower ones are computed in f32, by Zeta and
 * Polygamma f16 and bf16 only. */

/* Igamma (math.h): the regularized lower incomplete gamma function P(a, x); as in Cephes. */
HLO_API const hlo_instr *hlo_lib_igamma(hlo_builder *builder, const hlo_instr *a,
                                        const hlo_instr *x);
/* Igammac (math.h): the upper one, 1 - P(a, x). */
HLO_API const hlo_instr *hlo_lib_igammac(hlo_builder *builder, const hlo_instr *a,
                                         const hlo_instr *x);
/* IgammaGradA (math.h): the derivative of P(a, x) by a. */
HLO_API const hlo_instr *hlo_lib_igamma_grad_a(hlo_builder *builder, const hlo_instr *a,
                                               const hlo_instr *x);
/* RandomGammaGrad (math.h): the derivative by a of a sample x of Gamma(a, 1). */
HLO_API const hlo_instr *hlo_lib_random_gamma_grad(hlo_builder *builder, const hlo_instr *a,
                                                   const hlo_instr *x);
/* RegularizedIncompleteBeta (math.h): I(x; a, b), of f16, bf16, f32 and f64; NaN outside of a > 0,
 * b > 0, 0 <= x <= 1; by I. Thompson and A. Barnett. */
HLO_API const hlo_instr *hlo_lib_regularized_incomplete_beta(hlo_builder *builder,
                                                             const hlo_instr *a, const hlo_instr *b,
                                                             const hlo_instr *x);
/* Zeta (math.h): the Hurwitz zeta function of x and q; by F. Johansson. */
HLO_API const hlo_instr *hlo_lib_zeta(hlo_builder *builder, const hlo_instr *x, const hlo_instr *q);
/* Polygamma (math.h): derivative n of digamma at x; NaN unless n is a natural number. */
HLO_API const hlo_instr *hlo_lib_polygamma(hlo_builder *builder, const hlo_instr *n,
                                           const hlo_instr *x);
/* NextAfter (math.h): the number next to `from` toward `to`, of types of 4, 8, 16, 32 and 64 bits
 * with a sign. */
HLO_API const hlo_instr *hlo_lib_next_after(hlo_builder *builder, const hlo_instr *from,
                                            const hlo_instr *to);
/* Select (xla_builder.h): hlo_builder_select, where scalars are repeated to the sizes of the
 * others. */
HLO_API const hlo_instr *hlo_lib_select(hlo_builder *builder, const hlo_instr *pred,
                                        const hlo_instr *on_true, const hlo_instr *on_false);

/* ---- computations of scalars, and reductions ---- */

/* CreateScalarAddComputation (arithmetic.h): of two scalars: "add", "mul", "ge", "max", "min",
 * "and" or "or". */
HLO_API const hlo_computation *hlo_lib_scalar_computation(hlo_builder *builder,
                                                          const char *operation,
                                                          hlo_element_type type);
/* Of two scalars, or of two arrays. */
typedef const hlo_instr *hlo_lib_combiner(hlo_builder *builder, const hlo_instr *old,
                                          const hlo_instr *update, void *context);
/* CreateScalarComputation (arithmetic.h): of two scalars of a type, by the caller's function; it is
 * called NAME_TYPE. */
HLO_API const hlo_computation *hlo_lib_scalar_computation_of(hlo_builder *builder, const char *name,
                                                             hlo_element_type type,
                                                             hlo_lib_combiner *combiner,
                                                             void *context);
/* CreateScalarIdentityWithZeroComputation (arithmetic.h): whose neutral element is 0: "or" of
 * integers and pred, "add" of floats and complex numbers. */
HLO_API const hlo_computation *hlo_lib_scalar_identity_with_zero_computation(hlo_builder *builder,
                                                                             hlo_element_type type);
/* Any (arithmetic.h): whether a pred of the array is true, pred[]. */
HLO_API const hlo_instr *hlo_lib_any(hlo_builder *builder, const hlo_instr *predicates);
/* ArgMax (arithmetic.h): where the greatest element along an axis is, of equal ones the first;
 * integers of `type` without that dimension. */
HLO_API const hlo_instr *hlo_lib_arg_max(hlo_builder *builder, const hlo_instr *input,
                                         hlo_element_type type, int64_t axis);
/* ArgMinMax (arithmetic.h): the same of the least element. */
HLO_API const hlo_instr *hlo_lib_arg_min(hlo_builder *builder, const hlo_instr *input,
                                         hlo_element_type type, int64_t axis);

/* ---- comparators of sorts ---- */

typedef enum {
    HLO_LIB_UNORDERED, /* not compared */
    HLO_LIB_LT,
    HLO_LIB_GT,
    HLO_LIB_LT_TOTAL_ORDER, /* -NaN < -inf < -0 < 0 < inf < NaN */
    HLO_LIB_GT_TOTAL_ORDER
} hlo_lib_order;

/* CreateScalarComparisonComputation (comparators.h): two scalars of each of `count` types; by the
 * first that has an order, where these are equal by the next one. At least one is compared. */
HLO_API const hlo_computation *hlo_lib_comparator(hlo_builder *builder, const char *name,
                                                  const hlo_element_type *types,
                                                  const hlo_lib_order *orders, size_t count);
/* CreateScalarLtComputation (comparators.h): by the first of `count` types, ascending. */
HLO_API const hlo_computation *hlo_lib_lt_comparator(hlo_builder *builder,
                                                     const hlo_element_type *types, size_t count);
/* CreateScalarGtComputation (comparators.h): descending. */
HLO_API const hlo_computation *hlo_lib_gt_comparator(hlo_builder *builder,
                                                     const hlo_element_type *types, size_t count);

/* ---- loops ---- */

/* pred[] of the loop's values, in the condition's computation, which is open. */
typedef const hlo_instr *hlo_lib_loop_condition(hlo_builder *builder,
                                                const hlo_instr *const *values, size_t count,
                                                void *context);
/* Sets updated[0] ... updated[count - 1], of the values' shapes, in the body's computation. False:
 * an error. */
typedef bool hlo_lib_loop_body(hlo_builder *builder, const hlo_instr *const *values,
                               const hlo_instr **updated, size_t count, void *context);
/* The same with the iteration's number, from 0 on. */
typedef bool hlo_lib_index_body(hlo_builder *builder, const hlo_instr *index,
                                const hlo_instr *const *values, const hlo_instr **updated,
                                size_t count, void *context);

/* WhileLoopHelper (loops.h): `results` are initial.count values after the loop, whose computations
 * are called NAME_condition and NAME_body. False after an error. */
HLO_API bool hlo_lib_while_loop(hlo_builder *builder, hlo_lib_loop_condition *condition,
                                hlo_lib_loop_body *body, hlo_instrs_list initial, const char *name,
                                void *context, const hlo_instr **results);
/* ForEachIndex (loops.h): `iterations` times; the index is an integer of `type`. */
HLO_API bool hlo_lib_for_each_index(hlo_builder *builder, int64_t iterations, hlo_element_type type,
                                    hlo_lib_index_body *body, hlo_instrs_list initial,
                                    const char *name, void *context, const hlo_instr **results);

/* ---- matrices in the last two dimensions ---- */

/* IdentityMatrix (matrix.h): m x n, of any type. */
HLO_API const hlo_instr *hlo_lib_identity_matrix(hlo_builder *builder, hlo_element_type type,
                                                 int64_t m, int64_t n);
/* GetDiagonalMask (matrix.h): pred, of x's sizes: true on a diagonal; above the main one it is > 0.
 */
HLO_API const hlo_instr *hlo_lib_get_diagonal_mask(hlo_builder *builder, const hlo_instr *x,
                                                   int64_t diagonal);
/* GetMatrixDiagonal (matrix.h): diagonal k as vectors: [..., M, N] gives [..., min(M, N - k)], or
 * [..., min(M + k, N)] for k < 0; none outside. */
HLO_API const hlo_instr *hlo_lib_get_matrix_diagonal(hlo_builder *builder, const hlo_instr *x,
                                                     int64_t k);
/* GetMatrixDiagonalViaGather (matrix.h): the same by a gather. */
HLO_API const hlo_instr *hlo_lib_get_matrix_diagonal_via_gather(hlo_builder *builder,
                                                                const hlo_instr *x, int64_t k);
/* SetMatrixDiagonal (matrix.h): the matrices with other diagonals k. */
HLO_API const hlo_instr *hlo_lib_set_matrix_diagonal(hlo_builder *builder, const hlo_instr *matrix,
                                                     const hlo_instr *diag, int64_t k);
/* TriangleMask (matrix.h): pred, of x's sizes: true on and below a diagonal. */
HLO_API const hlo_instr *hlo_lib_triangle_mask(hlo_builder *builder, const hlo_instr *x,
                                               int64_t diagonal);
/* Triangle (matrix.h): one triangle with the diagonal, else zeros. */
HLO_API const hlo_instr *hlo_lib_triangle(hlo_builder *builder, const hlo_instr *x, bool lower);
/* UpperTriangle (matrix.h). */
HLO_API const hlo_instr *hlo_lib_upper_triangle(hlo_builder *builder, const hlo_instr *x);
/* LowerTriangle (matrix.h). */
HLO_API const hlo_instr *hlo_lib_lower_triangle(hlo_builder *builder, const hlo_instr *x);
/* Symmetrize (matrix.h): square matrices made symmetric by one triangle; complex ones Hermitian. */
HLO_API const hlo_instr *hlo_lib_symmetrize(hlo_builder *builder, const hlo_instr *x, bool lower);
/* TransposeInMinorDims (matrix.h). */
HLO_API const hlo_instr *hlo_lib_transpose_in_minor_dims(hlo_builder *builder, const hlo_instr *x);
/* MaybeTransposeInMinorDims (matrix.h): the operand itself unless `transpose`. */
HLO_API const hlo_instr *hlo_lib_maybe_transpose_in_minor_dims(hlo_builder *builder,
                                                               const hlo_instr *x, bool transpose);

/* ---- products ---- */

typedef enum {
    HLO_LIB_DEFAULT_PRECISION,
    HLO_LIB_HIGH_PRECISION,
    HLO_LIB_HIGHEST_PRECISION
} hlo_lib_precision;

/* All zero: the defaults. */
typedef struct {
    hlo_lib_precision precision;             /* of both operands */
    hlo_element_type preferred_element_type; /* of the product; 0: the operands' */
    bool grad_x, grad_y;                     /* frontend attributes of the product */
} hlo_lib_einsum_options;

/* Einsum (matrix.h): the product of two arrays whose dimensions have letters, "ab,bc->ac", or
 * "...": those without a letter. A letter of both that is not in the output is summed, as is one of
 * one operand; one that stands twice is a diagonal; a size of 1 goes with any other. Without "->"
 * the output is the ellipsis and the letters that stand there once, sorted. `options` may be NULL.
 */
HLO_API const hlo_instr *hlo_lib_einsum(hlo_builder *builder, const hlo_instr *x,
                                        const hlo_instr *y, const char *config,
                                        const hlo_lib_einsum_options *options);
/* Einsum (matrix.h): of one array, "aab->b". */
HLO_API const hlo_instr *hlo_lib_einsum_of_one(hlo_builder *builder, const hlo_instr *x,
                                               const char *config,
                                               const hlo_lib_einsum_options *options);
/* Einsum (matrix.h): with numbers as names of dimensions. */
HLO_API const hlo_instr *hlo_lib_einsum_numbered(hlo_builder *builder, const hlo_instr *x,
                                                 hlo_int_list x_config, const hlo_instr *y,
                                                 hlo_int_list y_config, hlo_int_list output_config,
                                                 const hlo_lib_einsum_options *options);
/* BatchDot (matrix.h): products of matrices, either of which may be transposed. */
HLO_API const hlo_instr *hlo_lib_batch_dot(hlo_builder *builder, const hlo_instr *x,
                                           bool transpose_x, const hlo_instr *y, bool transpose_y,
                                           const hlo_lib_einsum_options *options);

/* ---- slices, gathers and scatters ---- */

/* SliceInMinorDims (slicing.h): of the last start.count dimensions; the others whole. */
HLO_API const hlo_instr *hlo_lib_slice_in_minor_dims(hlo_builder *builder, const hlo_instr *x,
                                                     hlo_int_list start, hlo_int_list end);
/* UpdateSlice (slicing.h): x with `update` from `start` on, a number for each dimension. */
HLO_API const hlo_instr *hlo_lib_update_slice(hlo_builder *builder, const hlo_instr *x,
                                              const hlo_instr *update, hlo_int_list start);
/* UpdateSliceInMinorDims (slicing.h): from `start` on in the last start.count dimensions. */
HLO_API const hlo_instr *hlo_lib_update_slice_in_minor_dims(hlo_builder *builder,
                                                            const hlo_instr *x,
                                                            const hlo_instr *update,
                                                            hlo_int_list start);
/* DynamicSliceInMinorDims (slicing.h): of `sizes` from s32 scalars on. */
HLO_API const hlo_instr *hlo_lib_dynamic_slice_in_minor_dims(hlo_builder *builder,
                                                             const hlo_instr *x,
                                                             hlo_instrs_list starts,
                                                             hlo_int_list sizes);
/* DynamicUpdateSliceInMinorDims (slicing.h). */
HLO_API const hlo_instr *hlo_lib_dynamic_update_slice_in_minor_dims(hlo_builder *builder,
                                                                    const hlo_instr *x,
                                                                    const hlo_instr *update,
                                                                    hlo_instrs_list starts);
/* TorchGather (slicing.h): for dim = 1 of three dimensions out[i][j][k] =
 * input[i][index[i][j][k]][k]; of indices of rank 1 TorchIndexSelect. Not sparse: by a mask and a
 * reduction. */
HLO_API const hlo_instr *hlo_lib_torch_gather(hlo_builder *builder, const hlo_instr *input,
                                              const hlo_instr *index, int64_t dim, bool sparse);

/* TorchScatterDense (slicing.h): the input combined with src[i][j][k] at
 * input[i][index[i][j][k]][k]. */
HLO_API const hlo_instr *hlo_lib_torch_scatter_dense(hlo_builder *builder, const hlo_instr *input,
                                                     const hlo_instr *index, const hlo_instr *src,
                                                     int64_t dim, hlo_lib_combiner *combiner,
                                                     void *context);
/* TorchIndexSelect (slicing.h): the places of dimension `dim` that `index` lists; the first
 * batch_dims dimensions of both belong together. */
HLO_API const hlo_instr *hlo_lib_torch_index_select(hlo_builder *builder, const hlo_instr *input,
                                                    const hlo_instr *index, int64_t dim,
                                                    int64_t batch_dims);

/* ---- matrices of three diagonals ---- */

/* TridiagonalSolver (tridiagonal.h): diagonals [..., 1, N], rhs and the result [..., K, N]; the
 * first number of the lower and the last one of the upper diagonal do not count. By the algorithm
 * of L. Thomas. */
HLO_API const hlo_instr *hlo_lib_tridiagonal_solver(hlo_builder *builder,
                                                    const hlo_instr *lower_diagonal,
                                                    const hlo_instr *main_diagonal,
                                                    const hlo_instr *upper_diagonal,
                                                    const hlo_instr *rhs);
/* TridiagonalSolver (tridiagonal.h): diagonals [..., 3, N], the upper one first; rhs [..., N, K].
 */
HLO_API const hlo_instr *hlo_lib_tridiagonal_solver_of_stack(hlo_builder *builder,
                                                             const hlo_instr *diagonals,
                                                             const hlo_instr *rhs);
/* TridiagonalMatMul (tridiagonal.h): diagonals [..., 1, M] by rhs [..., M, N]. */
HLO_API const hlo_instr *hlo_lib_tridiagonal_mat_mul(hlo_builder *builder,
                                                     const hlo_instr *upper_diagonal,
                                                     const hlo_instr *main_diagonal,
                                                     const hlo_instr *lower_diagonal,
                                                     const hlo_instr *rhs);

/* ---- random numbers ---- */

typedef enum { HLO_LIB_THREEFRY, HLO_LIB_PHILOX } hlo_lib_bit_generator;

/* What a generator gives; both NULL after an error. */
typedef struct {
    const hlo_instr *value, *state;
} hlo_lib_random;

/* ThreeFryBitGenerator (prng.h): random bits of `shape`, an array of integers or floats of up to 64
 * bits, as unsigned integers of that width; key and state are one number of u64. By J. Salmon et
 * al. */
HLO_API hlo_lib_random hlo_lib_threefry_bit_generator(hlo_builder *builder, const hlo_instr *key,
                                                      const hlo_instr *initial_state,
                                                      const hlo_shape *shape);
/* PhiloxBitGenerator (prng.h): the same; the state is u64[2]. */
HLO_API hlo_lib_random hlo_lib_philox_bit_generator(hlo_builder *builder, const hlo_instr *key,
                                                    const hlo_instr *initial_state,
                                                    const hlo_shape *shape);
/* ScramblePhiloxKey (prng.h): a key (the value) and a state of any one number of u64. */
HLO_API hlo_lib_random hlo_lib_scramble_philox_key(hlo_builder *builder, const hlo_instr *key);
/* PhiloxIncreaseCounter (prng.h): u64[2] plus a scalar of u64. */
HLO_API const hlo_instr *hlo_lib_philox_increase_counter(hlo_builder *builder,
                                                         const hlo_instr *counter,
                                                         const hlo_instr *delta);
/* ConcatScalars (prng.h): a vector of scalars. */
HLO_API const hlo_instr *hlo_lib_concat_scalars(hlo_builder *builder, hlo_instrs_list scalars);
/* UniformFloatingPointDistribution (prng.h): floats from minval up to maxval, scalars, without it.
 */
HLO_API hlo_lib_random hlo_lib_uniform_floating_point_distribution(
    hlo_builder *builder, const hlo_instr *key, const hlo_instr *initial_state,
    hlo_lib_bit_generator by, const hlo_instr *minval, const hlo_instr *maxval,
    const hlo_shape *shape);
/* UniformIntDistribution (prng.h): the same of u32, s32, u64 and s64. */
HLO_API hlo_lib_random hlo_lib_uniform_int_distribution(hlo_builder *builder, const hlo_instr *key,
                                                        const hlo_instr *initial_state,
                                                        hlo_lib_bit_generator by,
                                                        const hlo_instr *minval,
                                                        const hlo_instr *maxval,
                                                        const hlo_shape *shape);
/* NormalFloatingPointDistribution (prng.h): of mean 0 and variance 1, f16, f32 and f64; by G. Box
 * and M. Muller. */
HLO_API hlo_lib_random hlo_lib_normal_floating_point_distribution(hlo_builder *builder,
                                                                  const hlo_instr *key,
                                                                  const hlo_instr *initial_state,
                                                                  hlo_lib_bit_generator by,
                                                                  const hlo_shape *shape);

/* ---- the greatest elements ---- */

/* TopK (sorting.h): the k greatest elements of the last dimension in descending order, and their
 * indices of index_type, a tuple; of equal ones the first comes first. Short rows of bf16 are
 * sorted together with their indices as integers. */
HLO_API const hlo_instr *hlo_lib_top_k(hlo_builder *builder, const hlo_instr *input, int64_t k,
                                       hlo_element_type index_type);
/* TopKWithPartitions (sorting.h): the same in a loop over parts of the last dimension. */
HLO_API const hlo_instr *hlo_lib_top_k_with_partitions(hlo_builder *builder, const hlo_instr *input,
                                                       int64_t k, int64_t num_partitions,
                                                       hlo_element_type index_type);
/* ApproxTopK (approx_topk.h): of the first of N arrays about the k elements that the comparator of
 * N pairs of scalars puts first along a dimension, and what stands there in the others: a tuple of
 * N. A custom call PartialReduce takes the first of each window; there are so many windows that a
 * share recall_target, in (0, 1], of the k elements is expected (XLA: 0.9). Where there are few
 * elements nothing is lost. With aggregate_to_topk (XLA: true) k elements are taken of what is
 * left. init_values are scalars that no element comes after. reduction_input_size_override: the
 * size along the dimension of which this is a part; -1: this is all of it. */
HLO_API const hlo_instr *hlo_lib_approx_top_k(hlo_builder *builder, hlo_instrs_list operands,
                                              hlo_instrs_list init_values, int64_t top_k,
                                              int64_t reduction_dim,
                                              const hlo_computation *comparator,
                                              float recall_target, bool aggregate_to_topk,
                                              int64_t reduction_input_size_override);
/* ApproxTopKFallback (approx_topk.h): as many elements by a stable sort, none of which is lost. */
HLO_API const hlo_instr *hlo_lib_approx_top_k_fallback(
    hlo_builder *builder, hlo_instrs_list operands, hlo_instrs_list init_values, int64_t top_k,
    int64_t reduction_dim, const hlo_computation *comparator, float recall_target,
    bool aggregate_to_topk, int64_t reduction_input_size_override);

/* Both -1 after an error. */
typedef struct {
    int64_t size;           /* of the result's dimension */
    int64_t log2_reduction; /* of how many elements a window takes one; -1: k are taken of all */
} hlo_lib_top_k_size;

/* ApproxTopKReductionOutputSize (approx_topk_shape.h): how many elements ApproxTopK gives. */
HLO_API hlo_lib_top_k_size hlo_lib_approx_top_k_output_size(hlo_builder *builder,
                                                            int64_t input_size, int64_t rank,
                                                            int64_t top_k, float recall_target,
                                                            bool aggregate_to_topk,
                                                            int64_t input_size_override);

/* BroadcastTo (broadcast.h): the input repeated to multiples of its sizes, with new
 * dimensions on the left. */
HLO_API const hlo_instr *hlo_lib_broadcast_to(hlo_builder *builder, const hlo_instr *input,
                                              hlo_int_list output_dims);

/* ---- pooling: windows of the spatial dimensions ---- */

/* MaxPool (pooling.h): the greatest element of each window; kernel and stride have a number for
 * each dimension. */
HLO_API const hlo_instr *hlo_lib_max_pool(hlo_builder *builder, const hlo_instr *operand,
                                          hlo_int_list kernel_size, hlo_int_list stride,
                                          hlo_padding_rule padding);
/* AvgPool (pooling.h): the mean of each window. spatial_dimensions are all but two; padding has a
 * number for each of them, and counts if so wanted. */
HLO_API const hlo_instr *hlo_lib_avg_pool(hlo_builder *builder, const hlo_instr *operand,
                                          hlo_int_list kernel_size, hlo_int_list stride,
                                          hlo_int_list padding_low, hlo_int_list padding_high,
                                          hlo_int_list spatial_dimensions,
                                          bool counts_include_padding);
/* AvgPoolGrad (pooling.h): its gradient, of sizes gradients_size. */
HLO_API const hlo_instr *hlo_lib_avg_pool_grad(hlo_builder *builder, const hlo_instr *out_backprop,
                                               hlo_int_list gradients_size,
                                               hlo_int_list kernel_size, hlo_int_list stride,
                                               hlo_int_list padding_low, hlo_int_list padding_high,
                                               hlo_int_list spatial_dimensions,
                                               bool counts_include_padding);

/* MakePadding (padding.h): low[i] and high[i], the padding of dimension i by a rule. Sizes are not
 * negative, windows and strides positive. False after an error. */
HLO_API bool hlo_lib_make_padding(hlo_builder *builder, hlo_int_list input_dimensions,
                                  hlo_int_list window_dimensions, hlo_int_list window_strides,
                                  hlo_padding_rule padding, int64_t *low, int64_t *high);
/* MakeSpatialPadding (pooling.h): the same of the spatial dimensions, in their order, as AvgPool
 * takes it; the lists have a number for each dimension. */
HLO_API bool hlo_lib_make_spatial_padding(hlo_builder *builder, hlo_int_list input_size,
                                          hlo_int_list kernel_size, hlo_int_list stride,
                                          hlo_padding_rule padding, hlo_int_list spatial_dimensions,
                                          int64_t *low, int64_t *high);

/* All -1 after an error. */
typedef struct {
    int64_t output_size; /* of the gradients, with strides - 1 zeros between them */
    int64_t pad_before, pad_after;
} hlo_lib_conv_grad_size;

/* ConvGradExtractAndVerifyDimension (conv_grad_size_util.h): how the gradients of a convolution are
 * padded in a spatial dimension, so that windows over them give the input's size. output_size must
 * be that of the convolution. */
HLO_API hlo_lib_conv_grad_size hlo_lib_conv_grad_dimension(hlo_builder *builder, int64_t input_size,
                                                           int64_t filter_size, int64_t output_size,
                                                           int64_t dilation, int64_t stride,
                                                           hlo_padding_rule padding);

/* ---- dynamic sizes ---- */

/* DynamicConditional (dynamic_shaped_ops.h): a conditional whose computations may give arrays of
 * different sizes, not ranks: the smaller ones are padded, and their sizes are then dynamic. */
HLO_API const hlo_instr *hlo_lib_dynamic_conditional(hlo_builder *builder, const hlo_instr *pred,
                                                     const hlo_instr *true_operand,
                                                     const hlo_computation *true_computation,
                                                     const hlo_instr *false_operand,
                                                     const hlo_computation *false_computation);
/* DynamicConditional (dynamic_shaped_ops.h): of several computations, by an index. */
HLO_API const hlo_instr *hlo_lib_dynamic_conditional_indexed(
    hlo_builder *builder, const hlo_instr *branch_index, hlo_computations_list branch_computations,
    hlo_instrs_list branch_operands);
/* SetDimensionSizeWithRebound (dynamic_shaped_ops.h): SetDimensionSize to a size, s32[]; where the
 * operations that made the size imply that it is less than the bound, that becomes the bound, and
 * where they give it exactly, the dimension is not dynamic. */
HLO_API const hlo_instr *hlo_lib_set_dimension_size_with_rebound(hlo_builder *builder,
                                                                 const hlo_instr *operand,
                                                                 const hlo_instr *dimension_size,
                                                                 int64_t dimension);
/* SetAllDimensionSizes (dynamic_shaped_ops.h): SetDimensionSize of each dimension whose number in
 * size_vector, integers [rank], is not known before a run. */
HLO_API const hlo_instr *hlo_lib_set_all_dimension_sizes(hlo_builder *builder,
                                                         const hlo_instr *operand,
                                                         const hlo_instr *size_vector);

/* ---- tuples of tuples ---- */

/* GetLeafCount (shape_util.h): how many arrays, tokens and buffers a shape has, of tuples those of
 * all elements in their order; 0 for NULL and for more than 2^24. */
HLO_API size_t hlo_lib_leaf_count(const hlo_shape *shape);
/* DisassembleTuple (tuple.h): sets leaves[0] ... of a value, as many as its shape has. False after
 * an error. */
HLO_API bool hlo_lib_disassemble_tuple(hlo_builder *builder, const hlo_instr *tuple,
                                       const hlo_instr **leaves);
/* AssembleTuple (tuple.h): tuples nested as in the shape, of as many leaves as it has; what they
 * are is not compared. */
HLO_API const hlo_instr *hlo_lib_assemble_tuple(hlo_builder *builder, const hlo_shape *shape,
                                                hlo_instrs_list leaves);

/* ---- decompositions: custom calls with the names that XLA's library has for them ---- */

/* Qr (qr.h): of matrices [..., m, n] a tuple of R with the Householder reflectors below, as
 * LAPACK's xGEQRF has it, and their factors [..., min(m, n)]. */
HLO_API const hlo_instr *hlo_lib_qr(hlo_builder *builder, const hlo_instr *a);
/* ProductOfElementaryHouseholderReflectors (qr.h): Q of what Qr gives, m >= n; LAPACK's xORGQR. */
HLO_API const hlo_instr *hlo_lib_product_of_elementary_householder_reflectors(
    hlo_builder *builder, const hlo_instr *a, const hlo_instr *taus);
/* QrExplicit (qr.h): a tuple of Q and R, [m, m] and [m, n], or [m, p] and [p, n] with p = min(m,
 * n). */
HLO_API const hlo_instr *hlo_lib_qr_explicit(hlo_builder *builder, const hlo_instr *a,
                                             bool full_matrices);
/* LuDecomposition (lu_decomposition.h): a tuple of L with U, pivots and permutation, s32. */
HLO_API const hlo_instr *hlo_lib_lu_decomposition(hlo_builder *builder, const hlo_instr *a);
/* SelfAdjointEig (self_adjoint_eig.h): a tuple of eigenvectors and eigenvalues of square matrices
 * of floats or complex numbers, of which one triangle is read. */
HLO_API const hlo_instr *hlo_lib_self_adjoint_eig(hlo_builder *builder, const hlo_instr *a,
                                                  bool lower, int64_t max_iter, float tol,
                                                  bool sort_eigenvalues);

/* Both NULL after an error. */
typedef struct {
    const hlo_instr *sign, *log_det;
} hlo_lib_sign_and_log_det;

/* SLogDet (logdet.h): sign, and logarithm of the magnitude, of the determinants of square matrices,
 * by Qr. */
HLO_API hlo_lib_sign_and_log_det hlo_lib_slogdet(hlo_builder *builder, const hlo_instr *a);
/* LogDet (logdet.h): NaN of a negative determinant. */
HLO_API const hlo_instr *hlo_lib_logdet(hlo_builder *builder, const hlo_instr *a);

/* a = u diag(d) v'; all NULL after an error. */
typedef struct {
    const hlo_instr *u, *d, *v;
} hlo_lib_svd_result;

/* SVD (svd.h): of matrices [..., m, n] of real floats: u [..., m, m], the singular values d [...,
 * min(m, n)] in descending order, v [..., n, n]. At most max_iter sweeps (XLA: 100), until what is
 * beside the diagonal is less than epsilon (1e-6) of it; by Householder reflections and one-sided
 * Jacobi rotations. */
HLO_API hlo_lib_svd_result hlo_lib_svd(hlo_builder *builder, const hlo_instr *a, int64_t max_iter,
                                       float epsilon, hlo_lib_precision precision);

/* Dequantize (quantize.h): numbers of u8, s8, u16 or s16 in words of u32 [d0, ..., dn], the highest
 * bits first, as bf16 [d0, ..., dn * K] from `least` to `most`; transposed [dn * K, ..., d0]. Mode
 * MIN_COMBINED. */
HLO_API const hlo_instr *hlo_lib_dequantize(hlo_builder *builder, const hlo_instr *input,
                                            hlo_element_type packed, float least, float most,
                                            bool transpose_output);

/* PackToUint32 (quantize.h): `count` numbers of u8, s8, u16 or s16 as the words that Dequantize
 * takes, the first number in the highest bits, zeros after the last. How many words; `packed` NULL:
 * nothing is written. 0 for other types. */
HLO_API size_t hlo_lib_pack_to_u32(hlo_element_type type, const void *values, size_t count,
                                   uint32_t *packed);

#ifdef __cplusplus
}
#endif

#endif
