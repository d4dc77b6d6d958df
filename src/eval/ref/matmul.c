/* Matrix products: see matmul.h. Templates for every element type: matmul.inc for plain numbers,
 * and matmul_complex.inc on top of it. */
#include "eval/ref/matmul.h"

#include <string.h>

#include "base/arena.h"

/* The blocks of one product: a panel of DEPTH by COLUMNS of b (512 KiB of f32) meets panels of ROWS
 * by DEPTH of a. A tile of TILE_ROWS by two vectors of c stays in registers. */
enum { DEPTH = 256, ROWS = 64, COLUMNS = 512, TILE_ROWS = 4, VECTOR_BYTES = 16 };

static inline int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#define TYPE f32
#define T float
#include "eval/ref/matmul.inc"

#define TYPE f64
#define T double
#include "eval/ref/matmul.inc"

#define TYPE s32
#define T uint32_t
#include "eval/ref/matmul.inc"

#define TYPE s64
#define T uint64_t
#include "eval/ref/matmul.inc"

#define TYPE f32
#define T float
#include "eval/ref/matmul_complex.inc"

#define TYPE f64
#define T double
#include "eval/ref/matmul_complex.inc"

void hlo_matmul(hlo_type type, int64_t m, int64_t n, int64_t k, hlo_matrix a, hlo_matrix b, void *c,
                int64_t c_stride) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    switch (type) {
    case HLO_F32: multiply_f32(m, n, k, a, b, c, c_stride); break;
    case HLO_F64: multiply_f64(m, n, k, a, b, c, c_stride); break;
    case HLO_C64: multiply_complex_f32(m, n, k, a, b, c, c_stride); break;
    case HLO_C128: multiply_complex_f64(m, n, k, a, b, c, c_stride); break;
    case HLO_S32: multiply_s32(m, n, k, a, b, c, c_stride); break;
    default: multiply_s64(m, n, k, a, b, c, c_stride); break;
    }
}

void hlo_multiply_grouped(hlo_type type, int64_t groups, int64_t in_group, int64_t out_group,
                          const void *input, const void *kernel, void *sums) {
    switch (type) {
    case HLO_F32: grouped_f32(groups, in_group, out_group, input, kernel, sums); break;
    case HLO_F64: grouped_f64(groups, in_group, out_group, input, kernel, sums); break;
    case HLO_S32: grouped_s32(groups, in_group, out_group, input, kernel, sums); break;
    default: grouped_s64(groups, in_group, out_group, input, kernel, sums); break;
    }
}
