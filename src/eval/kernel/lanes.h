/* Lane functions: one elementwise instruction over n elements of plain arrays, element k of the
 * result from element k of every operand. The elementwise kernels run them over whole arrays,
 * scalar programs over short blocks. Written by lanes_*.c, one subject each; found through
 * hlo_lanes_find. */
#ifndef HLO_EVAL_KERNEL_LANES_H
#define HLO_EVAL_KERNEL_LANES_H

#include "ir/ir.h"

enum { HLO_LANES_BLOCK = 256, HLO_LANES_MAX_OPERANDS = 3, HLO_LANES_MAX_BYTES = 16 };

typedef struct hlo_lanes hlo_lanes;

/* `out` may be the same array as an operand of the same element size; else arrays do not overlap.
 */
typedef void hlo_lanes_fn(const hlo_lanes *lanes, void *out, const void *const *in, size_t n);

struct hlo_lanes {
    hlo_lanes_fn *run;
    hlo_lanes_fn *inner;             /* of functions that decode to f32: what runs there */
    hlo_lanes_fn *to_f32, *from_f32; /* of these: conversions of `from` */
    uint32_t arity;                  /* operands */
    hlo_type from;                   /* element type of the first operand */
    hlo_type to;                     /* element type of the result */
    hlo_type operands[HLO_LANES_MAX_OPERANDS];
    bool plain;                       /* functions are the mathematical library's */
    int64_t direction;                /* of compare */
    int exponent_bits, mantissa_bits; /* of reduce-precision */
};

/* The function of an elementwise instruction whose operands all have as many elements as its
 * result. False when there is none for the opcode and its element types. `plain` asks for the
 * mathematical library instead of vector kernels: the reference engine and whatever lasts. */
bool hlo_lanes_find(const hlo_instr *instr, bool plain, hlo_lanes *lanes);

/* The parts, each for its element types, compiled for the machine (lanes_isa.h); NULL when the
 * opcode does not take the type. */
hlo_lanes_fn *hlo_lanes_integer(hlo_opcode opcode, hlo_type type); /* pred too */
hlo_lanes_fn *hlo_lanes_float(hlo_opcode opcode, hlo_type type);   /* f32, f64: arithmetic */
hlo_lanes_fn *hlo_lanes_math(hlo_opcode opcode, hlo_type type); /* functions, where a kernel is */
hlo_lanes_fn *hlo_lanes_bf16(hlo_opcode opcode); /* arithmetic and functions, in one loop */
hlo_lanes_fn *hlo_lanes_compare(int64_t direction, bool total_order, hlo_type type);
hlo_lanes_fn *hlo_lanes_select(hlo_type type);
hlo_lanes_fn *hlo_lanes_convert(hlo_type from, hlo_type to);
/* A step that does it. */
static inline hlo_lanes hlo_lanes_of_convert(hlo_type from, hlo_type to) {
    return (hlo_lanes){
        .run = hlo_lanes_convert(from, to), .arity = 1, .from = from, .to = to, .operands = {from}};
}

/* The same function where the operands whose bits are set in `single` are one element each, which
 * all lanes take; NULL when there is none. No function takes all of its operands so. */
hlo_lanes_fn *hlo_lanes_single(hlo_lanes_fn *of, uint32_t single);
/* Where operand `place` of `second` is the result of `first`: a function of the operands of
 * `first`, then of the other one of `second`; HLO_LANES_SQUARE: both operands of `second` are the
 * result, and there is no other; HLO_LANES_ALONE: `second` has one operand. The same bits; NULL
 * when there is none. */
hlo_lanes_fn *hlo_lanes_pair(hlo_lanes_fn *first, hlo_lanes_fn *second, uint32_t place);
enum { HLO_LANES_SQUARE = 2, HLO_LANES_ALONE = 3 };

/* The parts of hlo_lanes_single. */
hlo_lanes_fn *hlo_lanes_single_float(hlo_lanes_fn *of, uint32_t single);
hlo_lanes_fn *hlo_lanes_single_integer(hlo_lanes_fn *of, uint32_t single);
hlo_lanes_fn *hlo_lanes_single_compare(hlo_lanes_fn *of, uint32_t single);

/* Parts that call the mathematical library or are rare: compiled once. */
hlo_lanes_fn *hlo_lanes_libm(hlo_opcode opcode, hlo_type type); /* f32, f64: functions */
hlo_lanes_fn *hlo_lanes_complex(hlo_opcode opcode, hlo_type type);
hlo_lanes_fn *hlo_lanes_reduce_precision(hlo_type type);
hlo_lanes_fn *hlo_lanes_stochastic_convert(hlo_type from, hlo_type to);
hlo_lanes_fn *hlo_lanes_bitcast_convert(hlo_type from, hlo_type to); /* types of one width */

/* Makes the unused high bits of stored elements what they have to be: the sign of signed integers,
 * zero for all others. */
void hlo_extend_elements(hlo_type type, void *elements, size_t n);

/* Floats that are computed in f32: f16, bf16 and everything of eight bits or less. */
static inline bool hlo_type_is_small_float(hlo_type type) {
    return hlo_type_is_float(type) && type != HLO_F32 && type != HLO_F64;
}

/* A function, and the one in its place where some operands are single. */
typedef struct {
    hlo_lanes_fn *of;
    uint32_t single;
    hlo_lanes_fn *run;
} hlo_lanes_variant;

/* What a compilation for stencils (jit/stencils/stencil.h) makes of the definitions below. */
#ifndef HLO_STENCIL_UNARY
#define HLO_STENCIL_UNARY(name, T, expression)
#define HLO_STENCIL_BINARY(name, T, expression)
#define HLO_STENCIL_TERNARY(name, T, expression)
#define HLO_STENCIL_COMPARE(name, T, expression)
#endif

/* Defines a lane function that computes `expression` from elements a (and b, c) of type T. */
#define HLO_LANES_UNARY(name, T, expression)                                               \
    HLO_STENCIL_UNARY(name, T, expression)                                                 \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        (void)lanes;                                                                       \
        const T *x = in[0];                                                                \
        T *o = out;                                                                        \
        for (size_t k = 0; k < n; k++) {                                                   \
            T a = x[k];                                                                    \
            o[k] = (T)(expression);                                                        \
        }                                                                                  \
    }
#define HLO_LANES_BINARY(name, T, expression)                                              \
    HLO_STENCIL_BINARY(name, T, expression)                                                \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        (void)lanes;                                                                       \
        const T *x = in[0], *y = in[1];                                                    \
        T *o = out;                                                                        \
        for (size_t k = 0; k < n; k++) {                                                   \
            T a = x[k], b = y[k];                                                          \
            o[k] = (T)(expression);                                                        \
        }                                                                                  \
    }
#define HLO_LANES_TERNARY(name, T, expression)                                             \
    HLO_STENCIL_TERNARY(name, T, expression)                                               \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        (void)lanes;                                                                       \
        const T *x = in[0], *y = in[1], *z = in[2];                                        \
        T *o = out;                                                                        \
        for (size_t k = 0; k < n; k++) {                                                   \
            T a = x[k], b = y[k], c = z[k];                                                \
            o[k] = (T)(expression);                                                        \
        }                                                                                  \
    }

/* Lane functions with single operands: how `a`, `b` and `c` are read states which. There is at
 * least one element. */
#define HLO_LANES_EACH(x, first, k) x[k]
#define HLO_LANES_FIRST(x, first, k) first
#define HLO_LANES_MIXED(name, T, R, READ_A, READ_B, READ_C, count, expression)                 \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {     \
        (void)lanes;                                                                           \
        const T *x = in[0], *y = in[1], *z = in[count - 1];                                    \
        const T first_a = *x, first_b = *y, first_c = *z;                                      \
        R *o = out;                                                                            \
        for (size_t k = 0; k < n; k++) {                                                       \
            T a = READ_A(x, first_a, k), b = READ_B(y, first_b, k), c = READ_C(z, first_c, k); \
            (void)first_a, (void)first_b, (void)first_c, (void)c;                              \
            o[k] = (R)(expression);                                                            \
        }                                                                                      \
    }
/* Of a binary one: name_1 takes one element as its first operand, name_2 as its second. */
#define HLO_LANES_SINGLE(name, T, R, expression) HLO_LANES_SINGLE_(name, T, R, expression)
#define HLO_LANES_SINGLE_(name, T, R, expression)                                        \
    HLO_LANES_MIXED(name##_1, T, R, HLO_LANES_FIRST, HLO_LANES_EACH, HLO_LANES_FIRST, 2, \
                    expression)                                                          \
    HLO_LANES_MIXED(name##_2, T, R, HLO_LANES_EACH, HLO_LANES_FIRST, HLO_LANES_FIRST, 2, expression)
#define HLO_LANES_SINGLE_ROWS(name) HLO_LANES_SINGLE_ROWS_(name)
#define HLO_LANES_SINGLE_ROWS_(name) \
    {name, 1, name##_1}, {           \
        name, 2, name##_2            \
    }

#endif
