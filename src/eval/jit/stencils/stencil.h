/* How a stencil is written: a function whose operands come in the registers of the calling
 * convention, and which hands its result on, in the first of them, to whatever comes next. Included
 * before the lane functions (-include) where these are compiled once more for their stencils, and
 * by stencils.c. Nothing of it is linked: cut_stencils.c takes the code out of the objects. */
#ifndef HLO_EVAL_JIT_STENCIL_H
#define HLO_EVAL_JIT_STENCIL_H

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

#define STENCIL_DEFINE(name, T, parameters, expression) \
    void hlo_stencil_##name parameters;                 \
    void hlo_stencil_##name parameters {                \
        hlo_next_##T((T)(expression));                  \
    }
#define HLO_STENCIL_UNARY(name, T, expression) STENCIL_DEFINE(name, T, (T a), expression)
#define HLO_STENCIL_BINARY(name, T, expression) STENCIL_DEFINE(name, T, (T a, T b), expression)
#define HLO_STENCIL_TERNARY(name, T, expression) \
    STENCIL_DEFINE(name, T, (T a, T b, T c), expression)
#define HLO_STENCIL_COMPARE(name, T, expression) \
    STENCIL_DEFINE(name, uint8_t, (T a, T b), expression)

#endif
