/* What the inner parts of kernels, FAMILY_kernels.c, which are compiled for each instruction set
 * (lanes_isa.h), write their loops with. */
#ifndef HLO_EVAL_KERNEL_VECTORS_H
#define HLO_EVAL_KERNEL_VECTORS_H

#include "eval/kernel/lanes_isa.h"

#if defined __SSE2__
#include <immintrin.h>
#endif

/* The widest registers there are. */
#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX2__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#define INLINE static inline __attribute__((always_inline))
/* Before a loop over registers, whose number is known: all of it. */
#define UNROLL _Pragma("GCC unroll 64")

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

#endif
