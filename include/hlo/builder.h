/* Building HLO modules: every operation of the operation semantics as a function of libhlo.
 *
 *     hlo_builder *b = hlo_builder_create("axpy");
 *     const hlo_shape *v = hlo_builder_shape(b, HLO_TYPE_F32, HLO_INTS(4));
 *     const hlo_instr *x = hlo_builder_parameter(b, 0, v), *y = hlo_builder_parameter(b, 1, v);
 *     const hlo_instr *a = hlo_builder_constant_f32(b, 2);
 *     hlo_builder_add(b, hlo_builder_mul(b, a, x, HLO_NONE), y, HLO_NONE);
 *     hlo_status status = hlo_builder_build(b, NULL, diags, &module);
 *
 * Rules, beside those of hlo.h
 * - Shapes are inferred during building: hlo_instr_shape returns them at once.
 * - An error is a value. The first one is kept; from then on every function returns NULL and does
 *   nothing, so that results need not be tested, and hlo_builder_build reports it. A function
 *   without a further comment has one kind of error: the operation does not take operands of these
 *   shapes or these arguments, by the rules that hlo_verify names.
 * - Operands belong to the computation that is open. Lists are copied; shapes may be of any module.
 * - The comment of an operation begins with its name in XLA Operation Semantics, the editions
 *   that have it (0 = 2018, 1 = 2019, 2 = 2025, 3 = 2024; 4 = Implementation of Control Flow in
 *   TensorFlow, 2017), its operands and its result.
 *   Where editions differ, the current XLA decides. */
#ifndef HLO_PUBLIC_BUILDER_H
#define HLO_PUBLIC_BUILDER_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hlo_builder hlo_builder;

/* ---- lists ---- */

typedef struct {
    size_t count;
    const int64_t *values;
} hlo_int_list;

typedef struct {
    size_t count;
    const hlo_instr *const *values;
} hlo_instrs_list;

typedef struct {
    size_t count;
    const hlo_computation *const *values;
} hlo_computations_list;

/* Groups of devices; none: all of them are one group. */
typedef struct {
    size_t count;
    const hlo_int_list *values;
} hlo_group_list;

#ifndef __cplusplus
#define HLO_INTS(...)                                                         \
    ((hlo_int_list){sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
                    (const int64_t[]){__VA_ARGS__}})
#define HLO_INSTRS(...)                                                                       \
    ((hlo_instrs_list){sizeof((const hlo_instr *const[]){__VA_ARGS__}) / sizeof(hlo_instr *), \
                       (const hlo_instr *const[]){__VA_ARGS__}})
#define HLO_COMPUTATIONS(...)                                                        \
    ((hlo_computations_list){sizeof((const hlo_computation *const[]){__VA_ARGS__}) / \
                                 sizeof(hlo_computation *),                          \
                             (const hlo_computation *const[]){__VA_ARGS__}})
#define HLO_GROUPS(...)                                                                   \
    ((hlo_group_list){sizeof((const hlo_int_list[]){__VA_ARGS__}) / sizeof(hlo_int_list), \
                      (const hlo_int_list[]){__VA_ARGS__}})
#define HLO_NONE ((hlo_int_list){0, NULL})
#define HLO_ONE_GROUP ((hlo_group_list){0, NULL})
#endif

/* ---- a module ---- */

/* With its entry computation, which is open. NULL without memory. In names, here and below, bytes
 * that names of HLO text have not become _, as in XLA. */
HLO_API hlo_builder *hlo_builder_create(const char *name);
/* With everything that was not built. */
HLO_API void hlo_builder_free(hlo_builder *builder);
/* Whether there was an error. */
HLO_API bool hlo_builder_failed(const hlo_builder *builder);
/* Ends the entry computation with `root` (NULL: the newest instruction) and hands the module over,
 * which hlo_verify can check as a whole. The builder can only be freed then. HLO_BAD_MODULE,
 * HLO_BAD_USE or HLO_BAD_SYSTEM: the first error. */
HLO_API hlo_status hlo_builder_build(hlo_builder *builder, const hlo_instr *root, hlo_diags *diags,
                                     hlo_module **out);

/* An attribute of the module as HLO's text has it after `name=`: ("num_partitions", "4"),
 * ("input_output_alias", "{ {0}: (0, {}, may-alias) }"). How many replicas and partitions there are
 * is set before the collectives whose shapes depend on it. Without it entry_computation_layout is
 * that of the entry computation. */
HLO_API void hlo_builder_set_module_attribute(hlo_builder *builder, const char *name,
                                              const char *text);

/* ---- computations ---- */

/* Opens a computation that others of the module can call; instructions belong to it until
 * hlo_builder_end closes it with `root` (NULL: its newest instruction) and returns it. They nest.
 */
HLO_API void hlo_builder_begin(hlo_builder *builder, const char *name);
HLO_API const hlo_computation *hlo_builder_end(hlo_builder *builder, const hlo_instr *root);
/* The name of the open computation; a number is added when it is taken. Without it the entry is
 * called "main". */
HLO_API void hlo_builder_set_computation_name(hlo_builder *builder, const char *name);
/* The thread that runs the open computation, which is called by async starts only. */
HLO_API void hlo_builder_set_execution_thread(hlo_builder *builder, const char *thread);
/* root(parameter 0, parameter 1) of scalars, for reductions: `operation` is one with two operands
 * that needs no attributes, such as "add". */
HLO_API const hlo_computation *hlo_builder_reducer(hlo_builder *builder, const char *operation,
                                                   hlo_element_type type);
/* The comparator of a sort: by the first of `types`, the others follow. `direction` is "LT" or
 * "GT"; floating-point numbers are in total order. */
HLO_API const hlo_computation *hlo_builder_comparator(hlo_builder *builder, const char *direction,
                                                      const hlo_element_type *types, size_t count);

/* ---- shapes ---- */

/* An array with the default layout. */
HLO_API const hlo_shape *hlo_builder_shape(hlo_builder *builder, hlo_element_type type,
                                           hlo_int_list dims);
/* dynamic[i] != 0: dims[i] is a bound. */
HLO_API const hlo_shape *hlo_builder_bounded_shape(hlo_builder *builder, hlo_element_type type,
                                                   hlo_int_list dims, hlo_int_list dynamic);
/* With a layout: dimensions from the most minor one. */
HLO_API const hlo_shape *hlo_builder_laid_out_shape(hlo_builder *builder, hlo_element_type type,
                                                    hlo_int_list dims, hlo_int_list minor_to_major);
HLO_API const hlo_shape *hlo_builder_tuple_shape(hlo_builder *builder,
                                                 const hlo_shape *const *elements, size_t count);
HLO_API const hlo_shape *hlo_builder_token_shape(hlo_builder *builder);
/* As HLO spells it, with anything that a shape can have: "f32[<=8,128]{1,0:T(8,128)S(1)}". */
HLO_API const hlo_shape *hlo_builder_shape_from_text(hlo_builder *builder, const char *text);

/* ---- what instructions carry ---- */

/* Metadata, sharding and frontend attributes of every instruction that is made until they are set
 * again; hlo_builder_end_scope brings back what held at hlo_builder_begin_scope. */
HLO_API void hlo_builder_begin_scope(hlo_builder *builder);
HLO_API void hlo_builder_end_scope(hlo_builder *builder);

typedef struct {
    const char *op_type, *op_name, *source_file; /* NULL: not known */
    int32_t source_line;
} hlo_op_metadata;

/* NULL: none. */
HLO_API void hlo_builder_set_metadata(hlo_builder *builder, const hlo_op_metadata *metadata);

typedef enum {
    HLO_SHARD_REPLICATED,
    HLO_SHARD_MAXIMAL, /* all of it on one device */
    HLO_SHARD_MANUAL,
    HLO_SHARD_TILED
} hlo_shard_kind;

typedef struct {
    hlo_shard_kind kind;
    int64_t device;       /* MAXIMAL */
    hlo_int_list tiles;   /* TILED: in how many parts each dimension is cut */
    hlo_int_list devices; /* TILED: in row-major order of the tiles */
    bool replicate_last;  /* TILED: the last of `tiles` is no dimension: tiles are replicated */
} hlo_shard;

/* NULL: none. */
HLO_API void hlo_builder_set_sharding(hlo_builder *builder, const hlo_shard *sharding);
/* Adds a key; a value of NULL removes it. */
HLO_API void hlo_builder_set_frontend_attribute(hlo_builder *builder, const char *key,
                                                const char *value);

/* Of the next instruction of the open computation alone: the one that is the result of the next
 * function, when that makes several. Of infeeds and transfers without tokens it is the operation
 * itself. */

/* Its name; a number is added when it is taken. Without it an instruction is named like its
 * operation. */
HLO_API void hlo_builder_set_name(hlo_builder *builder, const char *name);
/* Its shape where that is not what is inferred: with a layout, in another memory space, of another
 * precision. Only hlo_verify checks whether it fits. NULL: it is inferred. */
HLO_API void hlo_builder_set_shape(hlo_builder *builder, const hlo_shape *shape);
/* What must run before it, of the open computation. */
HLO_API void hlo_builder_set_control_predecessors(hlo_builder *builder,
                                                  hlo_instrs_list predecessors);
/* Any attribute as HLO's text has it after `name=`: ("operand_precision", "{highest,default}"),
 * ("backend_config", "{\"window\":1}"), ("sharding", "{devices=[2,1]<=[2]}"). It replaces
 * the value from the function or the scope. Computations are no text: they are arguments. Errors,
 * also of the text, are those of the operation that is made. */
HLO_API void hlo_builder_set_attribute(hlo_builder *builder, const char *name, const char *text);

/* Where something was called in a program; file and function are texts. */
typedef struct {
    const char *file, *function;
    int32_t line, end_line, column, end_column; /* 0: not known */
} hlo_source_location;

/* The number, from 1, of a frame in the module's table, for metadata's stack_frame_id= as an
 * attribute in words; `parent` is the number of the frame that called it, 0: none. Equal frames are
 * one. 0 after an error. */
HLO_API uint32_t hlo_builder_stack_frame(hlo_builder *builder, uint32_t parent,
                                         const hlo_source_location *location);

/* ---- parameters and constants ---- */

/* Parameter `number` of the open computation. */
HLO_API const hlo_instr *hlo_builder_parameter(hlo_builder *builder, int64_t number,
                                               const hlo_shape *shape);
/* Elements are copied. */
HLO_API const hlo_instr *hlo_builder_constant(hlo_builder *builder, const hlo_array *value);
/* As HLO spells it, "{ { 1, 2 }, { 3, 4 } }"; of a tuple too. */
HLO_API const hlo_instr *hlo_builder_constant_from_text(hlo_builder *builder,
                                                        const hlo_shape *shape, const char *text);
HLO_API const hlo_instr *hlo_builder_constant_f32(hlo_builder *builder, float value);
HLO_API const hlo_instr *hlo_builder_constant_s32(hlo_builder *builder, int32_t value);
HLO_API const hlo_instr *hlo_builder_constant_pred(hlo_builder *builder, bool value);

/* ---- elementwise operations of one operand ---- */

/* Each gives an array with the operand's sizes. */
#define HLO_BUILDER_UNARY(name) \
    HLO_API const hlo_instr *hlo_builder_##name(hlo_builder *builder, const hlo_instr *operand)

/* Abs (all): |x|; of complex numbers the magnitude, a real number. */
HLO_BUILDER_UNARY(abs);
/* Acos (XLA): arc cosine of floats. */
HLO_BUILDER_UNARY(acos);
/* Acosh (XLA): inverse hyperbolic cosine of floats. */
HLO_BUILDER_UNARY(acosh);
/* Asin (XLA): arc sine of floats. */
HLO_BUILDER_UNARY(asin);
/* Asinh (XLA): inverse hyperbolic sine of floats. */
HLO_BUILDER_UNARY(asinh);
/* Atanh (XLA): inverse hyperbolic tangent of floats. */
HLO_BUILDER_UNARY(atanh);
/* Cbrt (2024 2025): cube root of floats. */
HLO_BUILDER_UNARY(cbrt);
/* Ceil (all): the least integer that is not less, of floats. */
HLO_BUILDER_UNARY(ceil);
/* Clz (2024 2025): leading zeros of integers. */
HLO_BUILDER_UNARY(clz);
/* Cos (all): cosine of floats and complex numbers. */
HLO_BUILDER_UNARY(cos);
/* Cosh (XLA): hyperbolic cosine of floats. */
HLO_BUILDER_UNARY(cosh);
/* Erf (2024 2025): error function of floats. */
HLO_BUILDER_UNARY(erf);
/* Exp (all): e^x of floats and complex numbers. */
HLO_BUILDER_UNARY(exp);
/* Expm1 (2024 2025): e^x - 1. */
HLO_BUILDER_UNARY(expm1);
/* Floor (all): the greatest integer that is not greater, of floats. */
HLO_BUILDER_UNARY(floor);
/* Imag (2024 2025): the imaginary part of a complex number; 0 of a float. */
HLO_BUILDER_UNARY(imag);
/* IsFinite (all): pred: neither infinite nor NaN. */
HLO_BUILDER_UNARY(is_finite);
/* Log (all): natural logarithm of floats and complex numbers. */
HLO_BUILDER_UNARY(log);
/* Log1p (2024 2025): ln(1 + x). */
HLO_BUILDER_UNARY(log1p);
/* Logistic (2024 2025): 1 / (1 + e^-x). */
HLO_BUILDER_UNARY(logistic);
/* LogicalNot (2018 2019), Not (2024 2025): of pred; of integers bit by bit. */
HLO_BUILDER_UNARY(not );
/* Neg (all): -x. */
HLO_BUILDER_UNARY(neg);
/* PopulationCount (2024 2025): bits of integers that are 1. */
HLO_BUILDER_UNARY(population_count);
/* Real (2024 2025): the real part of a complex number; a float itself. */
HLO_BUILDER_UNARY(real);
/* Round (2024 2025): to the nearest integer, halves away from zero, of floats. */
HLO_BUILDER_UNARY(round);
/* RoundNearestEven (2024 2025): the same, halves to even. */
HLO_BUILDER_UNARY(round_nearest_even);
/* Rsqrt (2024 2025): 1 / sqrt(x). */
HLO_BUILDER_UNARY(rsqrt);
/* Sign (all): -1, 0 or 1; zeros and NaN of floats stay what they are. */
HLO_BUILDER_UNARY(sign);
/* Sin (2024 2025): sine. */
HLO_BUILDER_UNARY(sin);
/* Sinh (XLA): hyperbolic sine of floats. */
HLO_BUILDER_UNARY(sinh);
/* Sqrt (2024 2025): square root. */
HLO_BUILDER_UNARY(sqrt);
/* Tan (2024 2025): tangent. */
HLO_BUILDER_UNARY(tan);
/* Tanh (all): hyperbolic tangent. */
HLO_BUILDER_UNARY(tanh);

/* Copy (XLA): the operand itself in separate memory. */
HLO_BUILDER_UNARY(copy);

/* ---- elementwise operations of two operands ---- */

/* Arrays of one element type. Sizes are equal; or an operand is a scalar; or dimensions of size 1,
 * on either side, are repeated; or, with broadcast_dimensions, dimension i of the operand of lower
 * rank is dimension broadcast_dimensions[i] of the other, and it is repeated along the rest. */
#define HLO_BUILDER_BINARY(name)                                                            \
    HLO_API const hlo_instr *hlo_builder_##name(hlo_builder *builder, const hlo_instr *lhs, \
                                                const hlo_instr *rhs,                       \
                                                hlo_int_list broadcast_dimensions)

/* Add (all): lhs + rhs; of pred: or. */
HLO_BUILDER_BINARY(add);
/* LogicalAnd (2018 2019), And (2024 2025): of pred; of integers bit by bit. */
HLO_BUILDER_BINARY(and);
/* Atan2 (2024 2025): the angle of the point (rhs, lhs). */
HLO_BUILDER_BINARY(atan2);
/* Complex (2024 2025): lhs + i rhs of floats. */
HLO_BUILDER_BINARY(complex);
/* Div (all): lhs / rhs; of integers towards zero, by zero all bits are 1. */
HLO_BUILDER_BINARY(div);
/* Max (all): the greater one; NaN wins. */
HLO_BUILDER_BINARY(max);
/* Mulhi (XLA): the upper half of the product of integers. */
HLO_BUILDER_BINARY(mulhi);
/* Min (all): the lesser one; NaN wins. */
HLO_BUILDER_BINARY(min);
/* Mul (all): lhs * rhs; of pred: and. */
HLO_BUILDER_BINARY(mul);
/* LogicalOr (2018 2019), Or (2024 2025): of pred; of integers bit by bit. */
HLO_BUILDER_BINARY(or);
/* Pow (2024 2025): lhs^rhs. */
HLO_BUILDER_BINARY(pow);
/* Rem (all): the remainder, with the sign of lhs. */
HLO_BUILDER_BINARY(rem);
/* ShiftLeft (2024 2025): of integers; by the width and more: 0. */
HLO_BUILDER_BINARY(shift_left);
/* ShiftRightArithmetic (2024 2025): the sign comes in. */
HLO_BUILDER_BINARY(shift_right_arithmetic);
/* ShiftRightLogical (2024 2025): zeros come in. */
HLO_BUILDER_BINARY(shift_right_logical);
/* Sub (all): lhs - rhs. */
HLO_BUILDER_BINARY(sub);
/* Xor (2024 2025): of pred; of integers bit by bit. */
HLO_BUILDER_BINARY(xor);

/* Eq (all): pred, by IEEE 754 for floats. */
HLO_BUILDER_BINARY(eq);
/* Ne (all): the same. */
HLO_BUILDER_BINARY(ne);
/* Ge (all): the same. */
HLO_BUILDER_BINARY(ge);
/* Gt (all): the same. */
HLO_BUILDER_BINARY(gt);
/* Le (all): the same. */
HLO_BUILDER_BINARY(le);
/* Lt (all): the same. */
HLO_BUILDER_BINARY(lt);
/* EqTotalOrder (2024 2025): -NaN < -Inf < -0 < +0 < +Inf < +NaN. */
HLO_BUILDER_BINARY(eq_total_order);
/* NeTotalOrder (2024 2025): the same. */
HLO_BUILDER_BINARY(ne_total_order);
/* GeTotalOrder (2024 2025): the same. */
HLO_BUILDER_BINARY(ge_total_order);
/* GtTotalOrder (2024 2025): the same. */
HLO_BUILDER_BINARY(gt_total_order);
/* LeTotalOrder (2024 2025): the same. */
HLO_BUILDER_BINARY(le_total_order);
/* LtTotalOrder (2024 2025): the same. */
HLO_BUILDER_BINARY(lt_total_order);

/* ---- other elementwise operations ---- */

/* Clamp (all): min(max(min, operand), max); min and max are scalars or have the operand's shape. */
HLO_API const hlo_instr *hlo_builder_clamp(hlo_builder *builder, const hlo_instr *min,
                                           const hlo_instr *operand, const hlo_instr *max);
/* Select (all), Select between tuples (all): where pred is true on_true, else on_false, which have
 * one shape; pred is a scalar or has their sizes. Of tuples element by element. */
HLO_API const hlo_instr *hlo_builder_select(hlo_builder *builder, const hlo_instr *pred,
                                            const hlo_instr *on_true, const hlo_instr *on_false);
/* ConvertElementType (all): the same sizes, another type. */
HLO_API const hlo_instr *hlo_builder_convert_element_type(hlo_builder *builder,
                                                          const hlo_instr *operand,
                                                          hlo_element_type type);
/* BitcastConvertType (2019 2024 2025): the same bits. Elements of a type k times as narrow get a
 * new last dimension of size k; elements of a wider one take the last dimension away. */
HLO_API const hlo_instr *hlo_builder_bitcast_convert_type(hlo_builder *builder,
                                                          const hlo_instr *operand,
                                                          hlo_element_type type);
/* ReducePrecision (all): floats rounded to so many bits of exponent (at least 1) and mantissa. */
HLO_API const hlo_instr *hlo_builder_reduce_precision(hlo_builder *builder,
                                                      const hlo_instr *operand,
                                                      int32_t exponent_bits, int32_t mantissa_bits);
/* StochasticConvert (XLA): floats rounded up or down to `type` by chance: `random` has the
 * operand's sizes, unsigned integers of its width. */
HLO_API const hlo_instr *hlo_builder_stochastic_convert(hlo_builder *builder,
                                                        const hlo_instr *operand,
                                                        const hlo_instr *random,
                                                        hlo_element_type type);
/* Map (all): `computation` of scalars for each position of the operands, which have one size.
 * static_operands (2018) are values that every call gets after them as they are; with others than
 * scalars, which XLA's map has not, it is a loop. */
HLO_API const hlo_instr *hlo_builder_map(hlo_builder *builder, hlo_instrs_list operands,
                                         const hlo_computation *computation,
                                         hlo_instrs_list static_operands);

/* ---- data movement ---- */

/* Broadcast (all): the operand for each index of new dimensions on the left. */
HLO_API const hlo_instr *hlo_builder_broadcast(hlo_builder *builder, const hlo_instr *operand,
                                               hlo_int_list broadcast_sizes);
/* BroadcastInDim (2024 2025): an array of out_dim_size; dimension i of the operand is dimension
 * broadcast_dimensions[i] of it, of the same size or of size 1, which is repeated. */
HLO_API const hlo_instr *hlo_builder_broadcast_in_dim(hlo_builder *builder,
                                                      const hlo_instr *operand,
                                                      hlo_int_list out_dim_size,
                                                      hlo_int_list broadcast_dimensions);
/* Collapse (all): the dimensions, consecutive and in order, become one. None, or one: the operand.
 */
HLO_API const hlo_instr *hlo_builder_collapse(hlo_builder *builder, const hlo_instr *operand,
                                              hlo_int_list dimensions);
/* Concatenate (all): arrays, at least one, that differ in the size of `dimension` alone. */
HLO_API const hlo_instr *hlo_builder_concatenate(hlo_builder *builder, hlo_instrs_list operands,
                                                 int64_t dimension);
/* Pad (all): padding_value around each dimension, low and high (negative: cuts), and `interior`
 * times between elements. An empty list is zeros. */
HLO_API const hlo_instr *hlo_builder_pad(hlo_builder *builder, const hlo_instr *operand,
                                         const hlo_instr *padding_value, hlo_int_list low,
                                         hlo_int_list high, hlo_int_list interior);
/* Reshape (all): the elements in row-major order as an array of other sizes. With `dimensions`
 * (2018 2019 2024), a permutation, in the order in which these are read, the last one fastest. */
HLO_API const hlo_instr *hlo_builder_reshape(hlo_builder *builder, const hlo_instr *operand,
                                             hlo_int_list dimensions, hlo_int_list new_sizes);
/* Bitcast (XLA): the operand's memory as an array of that shape, with its layout. */
HLO_API const hlo_instr *hlo_builder_bitcast(hlo_builder *builder, const hlo_instr *operand,
                                             const hlo_shape *shape);
/* DynamicReshape (XLA): a reshape to a shape whose sizes, s32[] for each dimension, are known at
 * run time. */
HLO_API const hlo_instr *hlo_builder_dynamic_reshape(hlo_builder *builder, const hlo_instr *operand,
                                                     hlo_instrs_list sizes, const hlo_shape *shape);
/* Rev (all): the elements in the opposite order along the dimensions. */
HLO_API const hlo_instr *hlo_builder_rev(hlo_builder *builder, const hlo_instr *operand,
                                         hlo_int_list dimensions);
/* Slice (all): from start to limit, without it, in steps of `strides` (2024 2025; none: 1). */
HLO_API const hlo_instr *hlo_builder_slice(hlo_builder *builder, const hlo_instr *operand,
                                           hlo_int_list start_indices, hlo_int_list limit_indices,
                                           hlo_int_list strides);
/* DynamicSlice (all): of size_indices from start_indices on, moved so that all is inside. The start
 * is an integer scalar for each dimension, or (2018 2019) one array of rank 1. */
HLO_API const hlo_instr *hlo_builder_dynamic_slice(hlo_builder *builder, const hlo_instr *operand,
                                                   hlo_instrs_list start_indices,
                                                   hlo_int_list size_indices);
/* DynamicUpdateSlice (all): the operand with `update` from start_indices on, as above. */
HLO_API const hlo_instr *hlo_builder_dynamic_update_slice(hlo_builder *builder,
                                                          const hlo_instr *operand,
                                                          const hlo_instr *update,
                                                          hlo_instrs_list start_indices);
/* Transpose (all): dimension permutation[i] of the operand becomes dimension i. */
HLO_API const hlo_instr *hlo_builder_transpose(hlo_builder *builder, const hlo_instr *operand,
                                               hlo_int_list permutation);
/* Iota (2019 2024 2025): 0, 1, 2 ... along iota_dimension. */
HLO_API const hlo_instr *hlo_builder_iota(hlo_builder *builder, const hlo_shape *shape,
                                          int64_t iota_dimension);
/* GetDimensionSize (2024 2025): the size of a dimension at run time, s32[]. */
HLO_API const hlo_instr *hlo_builder_get_dimension_size(hlo_builder *builder,
                                                        const hlo_instr *operand,
                                                        int64_t dimension);
/* SetDimensionSize (2024 2025): the operand with that size, s32[], the old one being a bound. */
HLO_API const hlo_instr *hlo_builder_set_dimension_size(hlo_builder *builder,
                                                        const hlo_instr *operand,
                                                        const hlo_instr *size, int64_t dimension);
/* Gather (2019 2024 2025): windows of slice_sizes of the operand, whose starts are the vectors
 * along index_vector_dim of start_indices: component i is the index of dimension
 * start_index_map[i]. collapsed_slice_dims, of size 1, are left out of the result, offset_dims are
 * where the others are. */
HLO_API const hlo_instr *hlo_builder_gather(hlo_builder *builder, const hlo_instr *operand,
                                            const hlo_instr *start_indices,
                                            int64_t index_vector_dim, hlo_int_list offset_dims,
                                            hlo_int_list slice_sizes,
                                            hlo_int_list collapsed_slice_dims,
                                            hlo_int_list start_index_map, bool indices_are_sorted);
/* Scatter (2019 2024 2025): the operands, of one size, with update_computation(old, update) where
 * the windows of the updates are; numbers as in a gather, whose inverse it is. Of several operands
 * a tuple. Windows that are not inside are left out. */
HLO_API const hlo_instr *hlo_builder_scatter(
    hlo_builder *builder, hlo_instrs_list operands, const hlo_instr *scatter_indices,
    hlo_instrs_list updates, const hlo_computation *update_computation, int64_t index_vector_dim,
    hlo_int_list update_window_dims, hlo_int_list inserted_window_dims,
    hlo_int_list scatter_dims_to_operand_dims, bool indices_are_sorted, bool unique_indices);

/* ---- reductions and windows ---- */

/* Padding of windows by a rule (all). VALID: none; SAME: so that the result has ceil(size /
 * stride) positions, the odd one at the end. */
typedef enum { HLO_PAD_VALID, HLO_PAD_SAME } hlo_padding_rule;

/* Reduce (all): over the dimensions, by a computation of N running values and N elements; of N > 1
 * operands a tuple. */
HLO_API const hlo_instr *hlo_builder_reduce(hlo_builder *builder, hlo_instrs_list operands,
                                            hlo_instrs_list init_values,
                                            const hlo_computation *computation,
                                            hlo_int_list dimensions);
/* ReduceWindow (all): the same for every position of a window. strides (none: 1), dilations of
 * operand and window (2024 2025; none: 1). */
HLO_API const hlo_instr *hlo_builder_reduce_window(
    hlo_builder *builder, hlo_instrs_list operands, hlo_instrs_list init_values,
    const hlo_computation *computation, hlo_int_list window_dimensions, hlo_int_list window_strides,
    hlo_int_list base_dilations, hlo_int_list window_dilations, hlo_padding_rule padding);
/* ReduceWindow with padding by numbers, negative ones cut (XLA): the same. */
HLO_API const hlo_instr *hlo_builder_reduce_window_padded(
    hlo_builder *builder, hlo_instrs_list operands, hlo_instrs_list init_values,
    const hlo_computation *computation, hlo_int_list window_dimensions, hlo_int_list window_strides,
    hlo_int_list base_dilations, hlo_int_list window_dilations, hlo_int_list padding_low,
    hlo_int_list padding_high);
/* SelectAndScatter (all): `select` chooses an element of each window of the operand, where
 * `scatter` combines the element of `source` for that window with the current value, at first
 * init_value. */
HLO_API const hlo_instr *hlo_builder_select_and_scatter(
    hlo_builder *builder, const hlo_instr *operand, const hlo_computation *select,
    hlo_int_list window_dimensions, hlo_int_list window_strides, hlo_padding_rule padding,
    const hlo_instr *source, const hlo_instr *init_value, const hlo_computation *scatter);
/* SelectAndScatter with padding by numbers (XLA): the same; an empty list is zeros. */
HLO_API const hlo_instr *hlo_builder_select_and_scatter_padded(
    hlo_builder *builder, const hlo_instr *operand, const hlo_computation *select,
    hlo_int_list window_dimensions, hlo_int_list window_strides, hlo_int_list padding_low,
    hlo_int_list padding_high, const hlo_instr *source, const hlo_instr *init_value,
    const hlo_computation *scatter);
/* Sort (all): along a dimension (-1: the last one) by a comparator of scalars, two of each operand;
 * NULL (2018 2019): ascending by the first operand. Of several operands a tuple. */
HLO_API const hlo_instr *hlo_builder_sort(hlo_builder *builder, hlo_instrs_list operands,
                                          const hlo_computation *comparator, int64_t dimension,
                                          bool is_stable);
/* TopK (2025): the k largest, or smallest, of the last dimension and their s32 indices, a tuple. */
HLO_API const hlo_instr *hlo_builder_top_k(hlo_builder *builder, const hlo_instr *operand,
                                           int64_t k, bool largest);

/* ---- products, transforms, normalisation ---- */

/* Dot (all): of vectors and matrices. */
HLO_API const hlo_instr *hlo_builder_dot(hlo_builder *builder, const hlo_instr *lhs,
                                         const hlo_instr *rhs);
/* DotGeneral (2019 2024 2025): sums over pairs of contracting dimensions; the result has the batch
 * dimensions, then those of lhs, then those of rhs that are left. */
HLO_API const hlo_instr *hlo_builder_dot_general(hlo_builder *builder, const hlo_instr *lhs,
                                                 const hlo_instr *rhs, hlo_int_list lhs_contracting,
                                                 hlo_int_list rhs_contracting,
                                                 hlo_int_list lhs_batch, hlo_int_list rhs_batch);
/* Which dimensions of a ragged product have which role. */
typedef struct {
    hlo_int_list lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
    hlo_int_list lhs_ragged; /* one: its rows, one after the other, belong to groups */
    hlo_int_list rhs_group;  /* one, of a ragged dimension that is not contracted: a matrix each */
} hlo_ragged_dimensions;

/* RaggedDot (XLA): a product by groups of group_sizes rows of lhs. */
HLO_API const hlo_instr *hlo_builder_ragged_dot(hlo_builder *builder, const hlo_instr *lhs,
                                                const hlo_instr *rhs, const hlo_instr *group_sizes,
                                                const hlo_ragged_dimensions *dimensions);
/* ScaledDot (XLA): DotGeneral of operands in blocks, which are multiplied by their scales first.
 * One of the operands may have none: of bf16, beside a scalar 1 of bf16. */
HLO_API const hlo_instr *hlo_builder_scaled_dot(hlo_builder *builder, const hlo_instr *lhs,
                                                const hlo_instr *rhs, const hlo_instr *lhs_scale,
                                                const hlo_instr *rhs_scale,
                                                hlo_int_list lhs_contracting,
                                                hlo_int_list rhs_contracting,
                                                hlo_int_list lhs_batch, hlo_int_list rhs_batch);
/* Conv (all): lhs [batch, features, spatial...], rhs [output features, features, spatial...];
 * feature_group_count (2019 2024 2025) and batch_group_count (2024 2025): 1. */
HLO_API const hlo_instr *hlo_builder_conv(hlo_builder *builder, const hlo_instr *lhs,
                                          const hlo_instr *rhs, hlo_int_list window_strides,
                                          hlo_padding_rule padding, int64_t feature_group_count,
                                          int64_t batch_group_count);
/* ConvWithGeneralPadding (all): the same with padding by numbers and dilations of lhs (holes in it)
 * and rhs. An empty list: no padding, strides and dilations of 1. */
HLO_API const hlo_instr *hlo_builder_conv_with_general_padding(
    hlo_builder *builder, const hlo_instr *lhs, const hlo_instr *rhs, hlo_int_list window_strides,
    hlo_int_list padding_low, hlo_int_list padding_high, hlo_int_list lhs_dilation,
    hlo_int_list rhs_dilation, int64_t feature_group_count, int64_t batch_group_count);

/* Where the roles of dimensions are. */
typedef struct {
    int64_t input_batch, input_feature;
    hlo_int_list input_spatial;
    int64_t kernel_input_feature, kernel_output_feature;
    hlo_int_list kernel_spatial;
    int64_t output_batch, output_feature;
    hlo_int_list output_spatial;
} hlo_conv_dimensions;

/* ConvGeneralDilated (all): the same with dimensions in any order. */
HLO_API const hlo_instr *hlo_builder_conv_general_dilated(
    hlo_builder *builder, const hlo_instr *lhs, const hlo_instr *rhs, hlo_int_list window_strides,
    hlo_int_list padding_low, hlo_int_list padding_high, hlo_int_list lhs_dilation,
    hlo_int_list rhs_dilation, const hlo_conv_dimensions *dimensions, int64_t feature_group_count,
    int64_t batch_group_count);

typedef enum { HLO_FFT, HLO_IFFT, HLO_RFFT, HLO_IRFFT } hlo_fft_kind;

/* Fft (2024 2025): of the innermost one to three dimensions, of sizes fft_length. */
HLO_API const hlo_instr *hlo_builder_fft(hlo_builder *builder, const hlo_instr *operand,
                                         hlo_fft_kind fft_type, hlo_int_list fft_length);
/* Cholesky (2024 2025): the factor of the matrices in the last two dimensions; one triangle is
 * read. */
HLO_API const hlo_instr *hlo_builder_cholesky(hlo_builder *builder, const hlo_instr *a, bool lower);

typedef enum { HLO_NO_TRANSPOSE = 1, HLO_TRANSPOSE = 2, HLO_ADJOINT = 3 } hlo_transpose_kind;

/* TriangularSolve (2024 2025): x of op(a) x = b, or of x op(a) = b unless left_side. */
HLO_API const hlo_instr *hlo_builder_triangular_solve(hlo_builder *builder, const hlo_instr *a,
                                                      const hlo_instr *b, bool left_side,
                                                      bool lower, bool unit_diagonal,
                                                      hlo_transpose_kind transpose_a);
/* BatchNormTraining (all): (normalised, mean, variance) by feature. */
HLO_API const hlo_instr *hlo_builder_batch_norm_training(hlo_builder *builder,
                                                         const hlo_instr *operand,
                                                         const hlo_instr *scale,
                                                         const hlo_instr *offset, float epsilon,
                                                         int64_t feature_index);
/* BatchNormInference (all): normalised by given mean and variance. */
HLO_API const hlo_instr *hlo_builder_batch_norm_inference(
    hlo_builder *builder, const hlo_instr *operand, const hlo_instr *scale, const hlo_instr *offset,
    const hlo_instr *mean, const hlo_instr *variance, float epsilon, int64_t feature_index);
/* BatchNormGrad (all): the gradients of operand, scale and offset. */
HLO_API const hlo_instr *hlo_builder_batch_norm_grad(hlo_builder *builder, const hlo_instr *operand,
                                                     const hlo_instr *scale, const hlo_instr *mean,
                                                     const hlo_instr *variance,
                                                     const hlo_instr *grad_output, float epsilon,
                                                     int64_t feature_index);

/* ---- random numbers ---- */

/* RngUniform (all): in [a, b), of the scalars' type. */
HLO_API const hlo_instr *hlo_builder_rng_uniform(hlo_builder *builder, const hlo_instr *a,
                                                 const hlo_instr *b, const hlo_shape *shape);
/* RngNormal (all): of mean mu and standard deviation sigma, floats. */
HLO_API const hlo_instr *hlo_builder_rng_normal(hlo_builder *builder, const hlo_instr *mu,
                                                const hlo_instr *sigma, const hlo_shape *shape);
/* RngBernoulli (2018): u32, 1 with the probability `mean`, f32[]. */
HLO_API const hlo_instr *hlo_builder_rng_bernoulli(hlo_builder *builder, const hlo_instr *mean,
                                                   hlo_int_list sizes);

typedef enum { HLO_RNG_DEFAULT, HLO_RNG_THREE_FRY, HLO_RNG_PHILOX } hlo_rng_algorithm;

/* RngBitGenerator (2024 2025): (the next state, bits of `shape`). */
HLO_API const hlo_instr *hlo_builder_rng_bit_generator(hlo_builder *builder,
                                                       hlo_rng_algorithm algorithm,
                                                       const hlo_instr *initial_state,
                                                       const hlo_shape *shape);

/* RngGetAndUpdateState (XLA): the state of the device, which is advanced by delta. */
HLO_API const hlo_instr *hlo_builder_rng_get_and_update_state(hlo_builder *builder, int64_t delta,
                                                              const hlo_shape *shape);

/* ---- tuples and control ---- */

/* Tuple (all): any number of values. */
HLO_API const hlo_instr *hlo_builder_tuple(hlo_builder *builder, hlo_instrs_list elements);
/* GetTupleElement (all). */
HLO_API const hlo_instr *hlo_builder_get_tuple_element(hlo_builder *builder, const hlo_instr *tuple,
                                                       int64_t index);
/* AfterAll (2024 2025): one token after any number of them. */
HLO_API const hlo_instr *hlo_builder_after_all(hlo_builder *builder, hlo_instrs_list tokens);
/* OptimizationBarrier (2024 2025): the operand; of several a tuple. No pass moves anything across
 * it. */
HLO_API const hlo_instr *hlo_builder_optimization_barrier(hlo_builder *builder,
                                                          hlo_instrs_list operands);
/* Call (all). */
HLO_API const hlo_instr *hlo_builder_call(hlo_builder *builder, const hlo_computation *computation,
                                          hlo_instrs_list operands);
/* CompositeCall (2025): a call that a back end may replace by what it knows by this name;
 * attributes are a text in braces, or NULL. */
HLO_API const hlo_instr *hlo_builder_composite_call(hlo_builder *builder,
                                                    const hlo_computation *computation,
                                                    hlo_instrs_list operands, const char *name,
                                                    const char *attributes, int64_t version);
/* While (all): body of the state as long as condition of it is true. */
HLO_API const hlo_instr *hlo_builder_while(hlo_builder *builder, const hlo_computation *condition,
                                           const hlo_computation *body, const hlo_instr *init);
/* Conditional(pred) (2019 2024 2025): one of two computations, each of one parameter. */
HLO_API const hlo_instr *hlo_builder_conditional(hlo_builder *builder, const hlo_instr *pred,
                                                 const hlo_instr *true_operand,
                                                 const hlo_computation *true_computation,
                                                 const hlo_instr *false_operand,
                                                 const hlo_computation *false_computation);
/* Conditional(index) (2024 2025): one of several; the last one for an index, s32[], out of range.
 * */
HLO_API const hlo_instr *hlo_builder_conditional_indexed(hlo_builder *builder,
                                                         const hlo_instr *branch_index,
                                                         hlo_computations_list branch_computations,
                                                         hlo_instrs_list branch_operands);
/* CustomCall (all): what the host knows by that name. */
HLO_API const hlo_instr *hlo_builder_custom_call(hlo_builder *builder, const char *target,
                                                 hlo_instrs_list operands, const hlo_shape *shape,
                                                 const char *opaque, bool has_side_effect);

/* CustomCall with computations that it may call (XLA). */
HLO_API const hlo_instr *hlo_builder_custom_call_with_computations(
    hlo_builder *builder, const char *target, hlo_instrs_list operands,
    hlo_computations_list computations, const hlo_shape *shape, const char *opaque,
    bool has_side_effect);
/* Scan (XLA): `computation` for each index of a dimension of the inputs: it takes the slices of the
 * inputs and the carries, and gives slices of the outputs and the carries. `operands` are the
 * inputs, then num_carries initial values. */
HLO_API const hlo_instr *hlo_builder_scan(hlo_builder *builder, const hlo_computation *computation,
                                          hlo_instrs_list operands, int64_t dimension,
                                          int64_t num_carries, bool is_reverse,
                                          bool is_associative);
/* Fusion (XLA): a computation that a back end runs as one; kind is "kLoop", "kInput", "kOutput" or
 * "kCustom". */
HLO_API const hlo_instr *hlo_builder_fusion(hlo_builder *builder,
                                            const hlo_computation *computation,
                                            hlo_instrs_list operands, const char *kind);
/* Domain (XLA): the operand; `domain` specifies as text where shardings change:
 * "{kind=\"sharding\", entry={replicated}, exit={maximal device=0}}". */
HLO_API const hlo_instr *hlo_builder_domain(hlo_builder *builder, const hlo_instr *operand,
                                            const char *domain);
/* AddDependency (XLA): the operand, after the token. */
HLO_API const hlo_instr *hlo_builder_add_dependency(hlo_builder *builder, const hlo_instr *operand,
                                                    const hlo_instr *token);

/* ---- dataflow graphs ---- */

/* docs/dataflow.md. They stand in the entry computation, and make its module a graph. */

/* Switch (2017): (value if the predicate is false, value if it is true); the other one is dead. */
HLO_API const hlo_instr *hlo_builder_switch(hlo_builder *builder, const hlo_instr *value,
                                            const hlo_instr *predicate);
/* Merge (2017): the first of its operands that is not dead. That of a loop has one, an enter, and a
 * back edge, which is set when the next iteration is made. */
HLO_API const hlo_instr *hlo_builder_merge(hlo_builder *builder, hlo_instrs_list operands);
/* Enter (2017): the operand in the frame of a loop; a constant one is there in each iteration.
 * parallel_iterations: how many may run at once; 0: 10 of them. */
HLO_API const hlo_instr *hlo_builder_enter(hlo_builder *builder, const hlo_instr *operand,
                                           const char *frame_name, bool is_constant,
                                           int64_t parallel_iterations);
/* Exit (2017): the operand in the outer frame. */
HLO_API const hlo_instr *hlo_builder_exit(hlo_builder *builder, const hlo_instr *operand);
/* NextIteration (2017). */
HLO_API const hlo_instr *hlo_builder_next_iteration(hlo_builder *builder, const hlo_instr *operand);
/* The merge continues with what the next iteration, which was made after it, gets. */
HLO_API void hlo_builder_set_back_edge(hlo_builder *builder, const hlo_instr *merge,
                                       const hlo_instr *next_iteration);
/* EdgeSend (2017), EdgeRecv (2017): an edge between parts of a graph on several devices. */
HLO_API const hlo_instr *hlo_builder_edge_send(hlo_builder *builder, const hlo_instr *operand,
                                               const char *key, int64_t to_device);
HLO_API const hlo_instr *hlo_builder_edge_recv(hlo_builder *builder, const hlo_shape *shape,
                                               const char *key, int64_t from_device);
/* StackCreate (2017): an empty stack of such arrays; no graph is needed for it. */
HLO_API const hlo_instr *hlo_builder_stack_create(hlo_builder *builder, const hlo_shape *element);
/* StackPush (2017): the stack with the value on top. */
HLO_API const hlo_instr *hlo_builder_stack_push(hlo_builder *builder, const hlo_instr *stack,
                                                const hlo_instr *value);
/* StackPop (2017): (the stack without its top, the top). */
HLO_API const hlo_instr *hlo_builder_stack_pop(hlo_builder *builder, const hlo_instr *stack,
                                               const hlo_shape *element);

/* ---- asynchronous operations ---- */

/* AsyncStart (XLA): begins a call; thread NULL: that of the computation. The pair of operands and
 * result, and a context of type u32. */
HLO_API const hlo_instr *hlo_builder_async_start(hlo_builder *builder,
                                                 const hlo_computation *computation,
                                                 hlo_instrs_list operands, const char *thread);
/* AsyncUpdate (XLA): a point in time between start and done; operands that the start did not have
 * follow. */
HLO_API const hlo_instr *hlo_builder_async_update(hlo_builder *builder, const hlo_instr *chain,
                                                  hlo_instrs_list operands);
/* AsyncDone (XLA): waits; the call's result. */
HLO_API const hlo_instr *hlo_builder_async_done(hlo_builder *builder, const hlo_instr *chain);
/* CopyStart (XLA): begins a copy; (copy, operand, context). Another place: hlo_builder_set_shape.
 */
HLO_API const hlo_instr *hlo_builder_copy_start(hlo_builder *builder, const hlo_instr *operand);
/* CopyDone (XLA): waits; the copy. */
HLO_API const hlo_instr *hlo_builder_copy_done(hlo_builder *builder, const hlo_instr *start);

/* ---- host and transfers ---- */

/* Without a token, as in XLA Operation Semantics: these follow one another in the order in which
 * they are made. A module of this library has tokens, which a chain in each computation connects.
 */

/* Infeed (all): the next item of data, of that shape. */
HLO_API const hlo_instr *hlo_builder_infeed(hlo_builder *builder, const hlo_shape *shape,
                                            const char *config);
/* Outfeed (XLA): hands the operand to the host. A token. */
HLO_API const hlo_instr *hlo_builder_outfeed(hlo_builder *builder, const hlo_instr *operand,
                                             const hlo_shape *shape, const char *config);
/* Send (2019 2024 2025): the context for SendDone. */
HLO_API const hlo_instr *hlo_builder_send(hlo_builder *builder, const hlo_instr *operand,
                                          int64_t channel_id);
/* SendDone (2019 2024 2025): waits; a token. */
HLO_API const hlo_instr *hlo_builder_send_done(hlo_builder *builder, const hlo_instr *context);
/* Recv (2019 2024 2025): the context for RecvDone. */
HLO_API const hlo_instr *hlo_builder_recv(hlo_builder *builder, const hlo_shape *shape,
                                          int64_t channel_id);
/* RecvDone (2019 2024 2025): waits; the data. */
HLO_API const hlo_instr *hlo_builder_recv_done(hlo_builder *builder, const hlo_instr *context);
/* With tokens, as in XLA: an infeed and a recv-done are tuples of the data and a token. */
HLO_API const hlo_instr *hlo_builder_infeed_with_token(hlo_builder *builder, const hlo_instr *token,
                                                       const hlo_shape *shape, const char *config);
HLO_API const hlo_instr *hlo_builder_outfeed_with_token(hlo_builder *builder,
                                                        const hlo_instr *operand,
                                                        const hlo_instr *token,
                                                        const hlo_shape *shape, const char *config);
HLO_API const hlo_instr *hlo_builder_send_with_token(hlo_builder *builder, const hlo_instr *operand,
                                                     const hlo_instr *token, int64_t channel_id,
                                                     bool is_host_transfer);
HLO_API const hlo_instr *hlo_builder_recv_with_token(hlo_builder *builder, const hlo_instr *token,
                                                     const hlo_shape *shape, int64_t channel_id,
                                                     bool is_host_transfer);

/* SendDone, RecvDone with tokens (XLA): a token; the pair of data and a token. The context may come
 * from anywhere: a loop's state, an element of a tuple. */
HLO_API const hlo_instr *hlo_builder_send_done_with_token(hlo_builder *builder,
                                                          const hlo_instr *context,
                                                          int64_t channel_id,
                                                          bool is_host_transfer);
HLO_API const hlo_instr *hlo_builder_recv_done_with_token(hlo_builder *builder,
                                                          const hlo_instr *context,
                                                          int64_t channel_id,
                                                          bool is_host_transfer);

/* ---- collectives ---- */

/* channel_id 0: none. */

/* AllGather (2024 2025): the operands of a group joined along a dimension in the order of the
 * group; shard_count is the size of the groups, 0: from replica_groups or the module. */
HLO_API const hlo_instr *hlo_builder_all_gather(hlo_builder *builder, const hlo_instr *operand,
                                                int64_t all_gather_dim, int64_t shard_count,
                                                hlo_group_list replica_groups, int64_t channel_id);
/* AllReduce (2024 2025): of an array, or of each element of a tuple. */
HLO_API const hlo_instr *hlo_builder_all_reduce(hlo_builder *builder, const hlo_instr *operand,
                                                const hlo_computation *computation,
                                                hlo_group_list replica_groups, int64_t channel_id);
/* CrossReplicaSum (all): AllReduce with a sum. */
HLO_API const hlo_instr *hlo_builder_cross_replica_sum(hlo_builder *builder,
                                                       const hlo_instr *operand,
                                                       hlo_group_list replica_groups);
/* AllToAll (2019 2024 2025): cut along split_dimension into split_count parts, of which member i of
 * the group gets part i of each, joined along concat_dimension in the order of the group. Groups
 * have split_count members; without any, devices 0 to split_count - 1 become the one group. */
HLO_API const hlo_instr *hlo_builder_all_to_all(hlo_builder *builder, const hlo_instr *operand,
                                                int64_t split_dimension, int64_t concat_dimension,
                                                int64_t split_count, hlo_group_list replica_groups,
                                                int64_t channel_id);
/* CollectivePermute (2024 2025): pairs of source and target; zeros for who is no target. */
HLO_API const hlo_instr *hlo_builder_collective_permute(hlo_builder *builder,
                                                        const hlo_instr *operand,
                                                        hlo_group_list source_target_pairs,
                                                        int64_t channel_id);
/* CollectiveBroadcast (XLA): the operand of the first of each group. */
HLO_API const hlo_instr *hlo_builder_collective_broadcast(hlo_builder *builder,
                                                          const hlo_instr *operand,
                                                          hlo_group_list replica_groups,
                                                          int64_t channel_id);
/* ReduceScatter (2024 2025): AllReduce, of which member i of the group gets part i along
 * scatter_dim. */
HLO_API const hlo_instr *hlo_builder_reduce_scatter(hlo_builder *builder, const hlo_instr *operand,
                                                    const hlo_computation *computation,
                                                    int64_t scatter_dim, int64_t shard_count,
                                                    hlo_group_list replica_groups,
                                                    int64_t channel_id);

/* Of several operands at once: the result is a tuple of what each gives, of one operand an array.
 */

/* AllGatherTuple (XLA): group_size as shard_count of AllGather, 0: from replica_groups or the
 * module. */
HLO_API const hlo_instr *hlo_builder_all_gather_tuple(hlo_builder *builder,
                                                      hlo_instrs_list operands,
                                                      int64_t all_gather_dim, int64_t shard_count,
                                                      hlo_group_list replica_groups,
                                                      int64_t channel_id);
/* AllReduceTuple (XLA). */
HLO_API const hlo_instr *hlo_builder_all_reduce_tuple(hlo_builder *builder,
                                                      hlo_instrs_list operands,
                                                      const hlo_computation *computation,
                                                      hlo_group_list replica_groups,
                                                      int64_t channel_id);
/* ReduceScatterTuple (XLA). */
HLO_API const hlo_instr *hlo_builder_reduce_scatter_tuple(
    hlo_builder *builder, hlo_instrs_list operands, const hlo_computation *computation,
    int64_t scatter_dim, int64_t shard_count, hlo_group_list replica_groups, int64_t channel_id);
/* AllToAllTuple (XLA): operand i goes to member i of the group; element i came from it. */
HLO_API const hlo_instr *hlo_builder_all_to_all_tuple(hlo_builder *builder,
                                                      hlo_instrs_list operands,
                                                      hlo_group_list replica_groups,
                                                      int64_t channel_id);
/* RaggedAllToAll (XLA): rows of `input` from input_offsets on, send_sizes of them, to each member,
 * into `output` from output_offsets on; recv_sizes come from each. */
HLO_API const hlo_instr *hlo_builder_ragged_all_to_all(
    hlo_builder *builder, const hlo_instr *input, const hlo_instr *output,
    const hlo_instr *input_offsets, const hlo_instr *send_sizes, const hlo_instr *output_offsets,
    const hlo_instr *recv_sizes, hlo_group_list replica_groups, int64_t channel_id);
/* CollectivePermuteTuple (XLA): of several operands; with slice_sizes, as text, of input, output
 * and where slices start in both. */
HLO_API const hlo_instr *hlo_builder_collective_permute_tuple(hlo_builder *builder,
                                                              hlo_instrs_list operands,
                                                              hlo_group_list source_target_pairs,
                                                              int64_t channel_id);
/* CollectiveBroadcastTuple (XLA): of several operands with has_dynamic_root: the last one, s32,
 * selects which member of the group sends each of the others. */
HLO_API const hlo_instr *hlo_builder_collective_broadcast_tuple(hlo_builder *builder,
                                                                hlo_instrs_list operands,
                                                                hlo_group_list replica_groups,
                                                                int64_t channel_id,
                                                                bool has_dynamic_root);

/* Begun and waited for: a start takes what the tuple form takes; a done gives its result. */

/* AllGatherStart (XLA): the pair of operands and results. */
HLO_API const hlo_instr *hlo_builder_all_gather_start(hlo_builder *builder,
                                                      hlo_instrs_list operands,
                                                      int64_t all_gather_dim, int64_t shard_count,
                                                      hlo_group_list replica_groups,
                                                      int64_t channel_id);
/* AllGatherDone (XLA). */
HLO_API const hlo_instr *hlo_builder_all_gather_done(hlo_builder *builder, const hlo_instr *start);
/* AllReduceStart (XLA): the results, complete after its done. */
HLO_API const hlo_instr *hlo_builder_all_reduce_start(hlo_builder *builder,
                                                      hlo_instrs_list operands,
                                                      const hlo_computation *computation,
                                                      hlo_group_list replica_groups,
                                                      int64_t channel_id);
/* AllReduceDone (XLA). */
HLO_API const hlo_instr *hlo_builder_all_reduce_done(hlo_builder *builder, const hlo_instr *start);
/* CollectivePermuteStart (XLA): the pair of operands and results. */
HLO_API const hlo_instr *hlo_builder_collective_permute_start(hlo_builder *builder,
                                                              hlo_instrs_list operands,
                                                              hlo_group_list source_target_pairs,
                                                              int64_t channel_id);
/* CollectivePermuteDone (XLA). */
HLO_API const hlo_instr *hlo_builder_collective_permute_done(hlo_builder *builder,
                                                             const hlo_instr *start);

/* Who runs. */

/* ReplicaId (2024 2025): u32[]. */
HLO_API const hlo_instr *hlo_builder_replica_id(hlo_builder *builder);
/* PartitionId (XLA): u32[]. */
HLO_API const hlo_instr *hlo_builder_partition_id(hlo_builder *builder);

#ifdef __cplusplus
}
#endif
#endif
