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
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
/* UNROLL: before a loop over registers, whose number is known, all of it. NO_CARRIED: before one
 * none of whose elements needs one before it. WITH_FEATURE: around functions for processors that
 * have a feature more than the set. */
#if defined __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define NO_CARRIED _Pragma("clang loop vectorize(assume_safety)")
#define WITH_FEATURE(feature) \
    PRAGMA(clang attribute push(__attribute__((target(feature))), apply_to = function))
#define WITHOUT_FEATURE _Pragma("clang attribute pop")
#else
#define UNROLL _Pragma("GCC unroll 64")
#define NO_CARRIED _Pragma("GCC ivdep")
#define WITH_FEATURE(feature) _Pragma("GCC push_options") PRAGMA(GCC target(feature))
#define WITHOUT_FEATURE _Pragma("GCC pop_options")
#endif

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

#endif
