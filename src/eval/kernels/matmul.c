/* Matrix products: see matmul.h. Templates for every element type: matmul.inc for plain numbers,
 * and matmul_complex.inc on top of it. */
#include "eval/kernels/matmul.h"

#include <string.h>

#include "base/arena.h"
#include "base/pool.h"

/* The blocks of one product: a panel of DEPTH by COLUMNS of b (512 KiB of f32) meets panels of ROWS
 * by DEPTH of a. A tile of TILE_ROWS by two vectors of c stays in registers. */
enum { DEPTH = 256, ROWS = 64, COLUMNS = 512, TILE_ROWS = 4, VECTOR_BYTES = 16 };

static inline int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#define TYPE f32
#define T float
#include "eval/kernels/matmul.inc"

#define TYPE f64
#define T double
#include "eval/kernels/matmul.inc"

#define TYPE s32
#define T uint32_t
#include "eval/kernels/matmul.inc"

#define TYPE s64
#define T uint64_t
#include "eval/kernels/matmul.inc"

#define TYPE f32
#define T float
#include "eval/kernels/matmul_complex.inc"

#define TYPE f64
#define T double
#include "eval/kernels/matmul_complex.inc"

void hlo_add_elements(hlo_type type, int64_t n, const void *from, void *to) {
    switch (type) {
    case HLO_F32: add_f32(n, from, to); break;
    case HLO_F64: add_f64(n, from, to); break;
    case HLO_C64: add_f32(2 * n, from, to); break;
    case HLO_C128: add_f64(2 * n, from, to); break;
    case HLO_S32: add_s32(n, from, to); break;
    default: add_s64(n, from, to); break;
    }
}

static void multiply(hlo_type type, int64_t m, int64_t n, int64_t k, hlo_matrix a, hlo_matrix b,
                     void *c, int64_t c_stride) {
    switch (type) {
    case HLO_F32: multiply_f32(m, n, k, a, b, c, c_stride); break;
    case HLO_F64: multiply_f64(m, n, k, a, b, c, c_stride); break;
    case HLO_C64: multiply_complex_f32(m, n, k, a, b, c, c_stride); break;
    case HLO_C128: multiply_complex_f64(m, n, k, a, b, c, c_stride); break;
    case HLO_S32: multiply_s32(m, n, k, a, b, c, c_stride); break;
    default: multiply_s64(m, n, k, a, b, c, c_stride); break;
    }
}

/* ---- shares of a product ---- */

/* A product in shares that are computed on their own: blocks of c, and runs of the depth when c is
 * small. Which ones depends on the sizes only. */
typedef struct {
    hlo_type type;
    int64_t bytes; /* of an element */
    int64_t m, n, k;
    hlo_matrix a, b;
    char *c;
    int64_t c_stride;
    int64_t rows, columns, depth; /* of a share */
} product;

/* Rows of a share meet one packed panel of b, which has to pay; few columns allow more rows. */
enum { SHARE_ROWS = 128, SHARE_DEPTH = 32 * DEPTH, SMALL_RESULT = 64 * 64 };

static int64_t shares(int64_t size, int64_t share) {
    return (size + share - 1) / share;
}

/* Shares of c, row after row. */
static void multiply_shares(void *context, int64_t first, int64_t last) {
    const product *p = context;
    int64_t across = shares(p->n, p->columns);
    for (int64_t s = first; s < last; s++) {
        int64_t i = s / across * p->rows, j = s % across * p->columns;
        hlo_matrix a = {(const char *)p->a.data + i * p->a.stride * p->bytes, p->a.stride};
        hlo_matrix b = {(const char *)p->b.data + j * p->bytes, p->b.stride};
        multiply(p->type, smaller(p->rows, p->m - i), smaller(p->columns, p->n - j), p->k, a, b,
                 p->c + (i * p->c_stride + j) * p->bytes, p->c_stride);
    }
}

/* Shares of the depth, each with a result of its own. */
static void multiply_depths(void *context, int64_t first, int64_t last) {
    const product *p = context;
    for (int64_t s = first; s < last; s++) {
        int64_t q = s * p->depth;
        hlo_matrix a = {(const char *)p->a.data + q * p->bytes, p->a.stride};
        hlo_matrix b = {(const char *)p->b.data + q * p->b.stride * p->bytes, p->b.stride};
        multiply(p->type, p->m, p->n, smaller(p->depth, p->k - q), a, b,
                 p->c + s * p->m * p->n * p->bytes, p->n);
    }
}

/* Sums of long chains that meet in few elements: parts of the chains first, then their sums. */
static void multiply_deep(const product *whole) {
    product p = *whole;
    int64_t parts = shares(p.k, p.depth), size = p.m * p.n;
    p.c = hlo_calloc((size_t)(parts * size), (size_t)p.bytes);
    hlo_parallel(parts, 1, multiply_depths, &p);
    for (int64_t s = 0; s < parts; s++)
        for (int64_t i = 0; i < p.m; i++)
            hlo_add_elements(p.type, p.n, p.c + (s * size + i * p.n) * p.bytes,
                             whole->c + i * p.c_stride * p.bytes);
    hlo_free(p.c);
}

/* The cost of a share is about its products over 16 (a nanosecond's worth). */
static int64_t share_grain(const product *p) {
    int64_t area = p->rows * p->columns / 16 + 1;
    return hlo_grain(area > HLO_PIECE_COST ? area : area * smaller(p->k, HLO_PIECE_COST));
}

void hlo_matmul(hlo_type type, int64_t m, int64_t n, int64_t k, hlo_matrix a, hlo_matrix b, void *c,
                int64_t c_stride) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    product p = {type, hlo_types[type].bytes, m, n, k, a, b, c, c_stride, m, n, SHARE_DEPTH};
    if (k >= INT64_C(2) * SHARE_DEPTH && n <= SMALL_RESULT / m) {
        multiply_deep(&p);
        return;
    }
    if (m > TILE_ROWS) p.rows = n <= COLUMNS / 2 ? 2 * SHARE_ROWS : SHARE_ROWS;
    p.columns = COLUMNS;
    hlo_parallel(shares(m, p.rows) * shares(n, p.columns), share_grain(&p), multiply_shares, &p);
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
