/* What each LAPACK custom call does to one matrix: templates over the four element types. The
 * driver in lapack.c has checked the shapes and flags. */
#include <assert.h>
#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "base/library.h"
#include "eval/kernels/linalg/lapack.h"

static_assert(sizeof(lapack_int) == 4, "LAPACK with 32-bit integers");
static_assert(HLO_LAPACK_NO_MEMORY == LAPACK_WORK_MEMORY_ERROR, "LAPACKE's own number");

/* The leading dimension of a matrix: never 0, not even for an empty one. */
static lapack_int leading(int32_t rows) {
    return rows > 1 ? rows : 1;
}

/* A first operand with infinities or NaN, on which the iterations for eigenvalues do not end. */
enum { NOT_FINITE = -4 };

static hlo_library library = HLO_LIBRARY("liblapacke.so.3");

const char *hlo_lapack_missing(void) {
    return hlo_library_missing(&library);
}

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define ROUTINE(symbol) ((__typeof__(&symbol))hlo_library_symbol(&library, TEXT(symbol)))
#define CALL(name) ROUTINE(PASTE(LAPACKE_, PASTE(LETTER, name)))
#define NAME(name) PASTE(name##_, LETTER)

#define LETTER s
#define T float
#define R float
#define C float _Complex
#define ORTHOGONAL(name) CALL(or ##name)
#define SYMMETRIC(name) CALL(sy##name)
#define ADJOINT 'T'
#include "eval/kernels/linalg/lapack_real.inc"
#include "eval/kernels/linalg/lapack_routines.inc"
#undef LETTER
#undef T
#undef R
#undef C

#define LETTER d
#define T double
#define R double
#define C double _Complex
#include "eval/kernels/linalg/lapack_real.inc"
#include "eval/kernels/linalg/lapack_routines.inc"
#undef LETTER
#undef T
#undef R
#undef C
#undef ORTHOGONAL
#undef SYMMETRIC
#undef ADJOINT

#define LETTER c
#define T float _Complex
#define R float
#define ORTHOGONAL(name) CALL(un##name)
#define SYMMETRIC(name) CALL(he##name)
#define ADJOINT 'C'
#include "eval/kernels/linalg/lapack_complex.inc"
#include "eval/kernels/linalg/lapack_routines.inc"
#undef LETTER
#undef T
#undef R

#define LETTER z
#define T double _Complex
#define R double
#include "eval/kernels/linalg/lapack_complex.inc"
#include "eval/kernels/linalg/lapack_routines.inc"
#undef LETTER
#undef T
#undef R

static int32_t (*const routines[HLO_LAPACK_COUNT][4])(const hlo_lapack_call *) = {
#define HLO_LAPACK(id, ...) [HLO_LAPACK_##id] = {id##_s, id##_d, id##_c, id##_z},
#include "analysis/lapack.def"
#undef HLO_LAPACK
};

int32_t hlo_lapack_run(hlo_lapack_id id, int letter, const hlo_lapack_call *call) {
    ROUTINE(LAPACKE_set_nancheck)
    (0); /* NaN is a number like others here: results get it, as in XLA */
    return routines[id][letter](call);
}
