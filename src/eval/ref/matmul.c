/* Matrix products: see matmul.h. One template, matmul.inc, for every element type. */
#include "eval/ref/matmul.h"

#include <string.h>

#include "base/arena.h"

/* The blocks of one product: a panel of DEPTH by COLUMNS of b (half a second-level cache of f32)
 * meets panels of ROWS by DEPTH of a. A tile of TILE_ROWS by two vectors of c stays in registers.
 */
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

/* ---- complex numbers: four real products of planes ---- */

#define DEFINE_PLANES(type, T)                                                                   \
    static void read_plane_##type(T *to, hlo_matrix from, int64_t rows, int64_t columns,         \
                                  int part) {                                                    \
        const T *data = from.data;                                                               \
        for (int64_t i = 0; i < rows; i++)                                                       \
            for (int64_t j = 0; j < columns; j++)                                                \
                to[i * columns + j] = data[2 * (i * from.stride + j) + part];                    \
    }                                                                                            \
    /* c's part += sign * left right */                                                          \
    static void add_plane_##type(int64_t m, int64_t n, int64_t k, const T *left, const T *right, \
                                 T *sum, T sign, T *c, int64_t c_stride) {                       \
        memset(sum, 0, (size_t)(m * n) * sizeof(T));                                             \
        multiply_##type(m, n, k, (hlo_matrix){left, k}, (hlo_matrix){right, n}, sum, n);         \
        for (int64_t i = 0; i < m; i++)                                                          \
            for (int64_t j = 0; j < n; j++) c[2 * (i * c_stride + j)] += sign * sum[i * n + j];  \
    }                                                                                            \
    static void multiply_complex_##type(int64_t m, int64_t n, int64_t k, hlo_matrix a,           \
                                        hlo_matrix b, T *c, int64_t c_stride) {                  \
        T *planes = hlo_malloc((size_t)(2 * m * k + 2 * k * n + m * n) * sizeof(T));             \
        T *a_real = planes, *a_imag = a_real + m * k, *b_real = a_imag + m * k;                  \
        T *b_imag = b_real + k * n, *sum = b_imag + k * n;                                       \
        read_plane_##type(a_real, a, m, k, 0);                                                   \
        read_plane_##type(a_imag, a, m, k, 1);                                                   \
        read_plane_##type(b_real, b, k, n, 0);                                                   \
        read_plane_##type(b_imag, b, k, n, 1);                                                   \
        add_plane_##type(m, n, k, a_real, b_real, sum, 1, c, c_stride);                          \
        add_plane_##type(m, n, k, a_imag, b_imag, sum, -1, c, c_stride);                         \
        add_plane_##type(m, n, k, a_real, b_imag, sum, 1, c + 1, c_stride);                      \
        add_plane_##type(m, n, k, a_imag, b_real, sum, 1, c + 1, c_stride);                      \
        hlo_free(planes);                                                                        \
    }
DEFINE_PLANES(f32, float)
DEFINE_PLANES(f64, double)

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
