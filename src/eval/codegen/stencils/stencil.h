/* How a stencil is written: a function whose operands come in the registers of the calling
 * convention, and which hands its result on, in the first of them, to the next one. Nothing of it
 * is linked: cut_stencils.c takes the code out of the objects. */
#ifndef HLO_EVAL_CODEGEN_STENCILS_STENCIL_H
#define HLO_EVAL_CODEGEN_STENCILS_STENCIL_H

#include <stdbool.h>
#include <stdint.h>

#define HLO_ISA stencil

#define STENCIL_TYPES(X) \
    X(int8_t)            \
    X(int16_t)           \
    X(int32_t)           \
    X(int64_t)           \
    X(uint8_t)           \
    X(uint16_t)          \
    X(uint32_t)          \
    X(uint64_t)          \
    X(float)             \
    X(double)

/* The code after the stencil, by the type of what it gets. */
#define STENCIL_NEXT(T) extern void hlo_next_##T(T);
STENCIL_TYPES(STENCIL_NEXT)
#undef STENCIL_NEXT
extern void hlo_next_nothing(void);

/* Two or four elements in one register, such as short vectors have. */
typedef float hlo_vector __attribute__((vector_size(16)));
extern void hlo_next_vector(hlo_vector);

/* All else is left out: the objects are made of whole programs (STENCIL_FLAGS in the Makefile). */
#define STENCIL(name, parameters)                                           \
    __attribute__((externally_visible)) void hlo_stencil_##name parameters; \
    void hlo_stencil_##name parameters
#define STENCIL_DEFINE(name, T, parameters, expression) \
    STENCIL(name, parameters) {                         \
        hlo_next_##T((T)(expression));                  \
    }
/* The same on each element: gcc makes vector instructions of it where there are any. */
#define STENCIL_VECTOR(name, T, parameters, read, expression) \
    STENCIL(V_##name, parameters) {                           \
        enum { ELEMENTS = sizeof(hlo_vector) / sizeof(T) };   \
        T p[ELEMENTS], q[ELEMENTS];                           \
        read for (int k = 0; k < ELEMENTS; k++) {             \
            T a = p[k], b = q[k];                             \
            (void)b;                                          \
            p[k] = (T)(expression);                           \
        }                                                     \
        __builtin_memcpy(&x, p, sizeof x);                    \
        hlo_next_vector(x);                                   \
    }
#define STENCIL_READ_1                 \
    __builtin_memcpy(p, &x, sizeof x); \
    __builtin_memset(q, 0, sizeof q);
#define STENCIL_READ_2                 \
    __builtin_memcpy(p, &x, sizeof x); \
    __builtin_memcpy(q, &y, sizeof y);
#define STENCIL_VECTOR_UNARY(name, T, expression) \
    STENCIL_VECTOR(name, T, (hlo_vector x), STENCIL_READ_1, expression)
#define STENCIL_VECTOR_BINARY(name, T, expression) \
    STENCIL_VECTOR(name, T, (hlo_vector x, hlo_vector y), STENCIL_READ_2, expression)

/* Which types have vectors: those that short arrays in loops are of. */
#define STENCIL_NO_VECTOR(shape, name, T, expression)
#define STENCIL_HAS_VECTOR(shape, name, T, expression) STENCIL_VECTOR_##shape(name, T, expression)
#define STENCIL_VECTOR_OF_int8_t STENCIL_NO_VECTOR
#define STENCIL_VECTOR_OF_int16_t STENCIL_NO_VECTOR
#define STENCIL_VECTOR_OF_int32_t STENCIL_HAS_VECTOR
#define STENCIL_VECTOR_OF_int64_t STENCIL_HAS_VECTOR
#define STENCIL_VECTOR_OF_uint8_t STENCIL_NO_VECTOR
#define STENCIL_VECTOR_OF_uint16_t STENCIL_NO_VECTOR
#define STENCIL_VECTOR_OF_uint32_t STENCIL_HAS_VECTOR
#define STENCIL_VECTOR_OF_uint64_t STENCIL_HAS_VECTOR
#define STENCIL_VECTOR_OF_float STENCIL_HAS_VECTOR
#define STENCIL_VECTOR_OF_double STENCIL_HAS_VECTOR

#define HLO_STENCIL_UNARY(name, T, expression) STENCIL_UNARY(name, T, expression)
#define STENCIL_UNARY(name, T, expression)     \
    STENCIL_DEFINE(name, T, (T a), expression) \
    STENCIL_VECTOR_OF_##T(UNARY, name, T, expression)
#define HLO_STENCIL_BINARY(name, T, expression) STENCIL_BINARY(name, T, expression)
#define STENCIL_BINARY(name, T, expression)         \
    STENCIL_DEFINE(name, T, (T a, T b), expression) \
    STENCIL_VECTOR_OF_##T(BINARY, name, T, expression)
#define HLO_STENCIL_TERNARY(name, T, expression) STENCIL_TERNARY(name, T, expression)
#define STENCIL_TERNARY(name, T, expression) STENCIL_DEFINE(name, T, (T a, T b, T c), expression)
#define HLO_STENCIL_COMPARE(name, T, expression) \
    STENCIL_DEFINE(name, uint8_t, (T a, T b), expression)

#endif
