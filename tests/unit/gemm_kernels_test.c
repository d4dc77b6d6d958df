/* The inner parts of matrix products of every instruction set that this machine has: on small whole
 * numbers, whose sums are exact in every type, each gives what the definition gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/kernel/combine.h"
#include "eval/kernel/lanes_isa.h"
#include "eval/kernels/gemm/gemm_kernels.h"

enum { MOST = 40 }; /* rows, columns, and the depth of a product */

static unsigned passed, failed;

/* A product of whole numbers, and the same as elements of some type: row-major and transposed. */
typedef struct {
    hlo_type stored, sums;
    const hlo_gemm_kernels *kernels;
    const hlo_gemm_storage *storage;
    bool pairs; /* elements meet in pairs */
    int64_t m, n, k;
    double a[2 * MOST * MOST], b[2 * MOST * MOST], c[2 * MOST * MOST]; /* complex ones in pairs */
    _Alignas(64) char left[16 * MOST * MOST], left_turned[16 * MOST * MOST];
    _Alignas(64) char right[16 * MOST * MOST], right_turned[16 * MOST * MOST];
} product;

static int parts(const product *p) {
    return hlo_type_is_complex(p->stored) ? 2 : 1;
}

/* Elements of a type from numbers, rows by columns, or the other way round. */
static void store(const product *p, hlo_type type, const double *from, int64_t rows,
                  int64_t columns, bool turned, void *to) {
    static double numbers[2 * MOST * MOST];
    int q = parts(p);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            memcpy(numbers + q * (turned ? j * rows + i : i * columns + j),
                   from + q * (i * columns + j), (size_t)q * sizeof *numbers);
    hlo_convert_elements(q == 2 ? HLO_C128 : HLO_F64, type, numbers, to, (size_t)(rows * columns));
}

static void multiply(product *p) {
    int q = parts(p);
    memset(p->c, 0, sizeof p->c);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t d = 0; d < p->k; d++) {
                const double *x = p->a + q * (i * p->k + d), *y = p->b + q * (d * p->n + j);
                double *sum = p->c + q * (i * p->n + j);
                sum[0] += q == 2 ? x[0] * y[0] - x[1] * y[1] : x[0] * y[0];
                if (q == 2) sum[1] += x[0] * y[1] + x[1] * y[0];
            }
}

static void make(product *p, int64_t m, int64_t n, int64_t k) {
    p->m = m, p->n = n, p->k = k;
    for (int64_t i = 0; i < 2 * MOST * MOST; i++) {
        p->a[i] = (double)(i * 7 % 13 - 6);
        p->b[i] = (double)(i * 5 % 11 - 5);
    }
    multiply(p);
    store(p, p->stored, p->a, m, k, false, p->left);
    store(p, p->stored, p->a, m, k, true, p->left_turned);
    store(p, p->stored, p->b, k, n, false, p->right);
    store(p, p->stored, p->b, k, n, true, p->right_turned);
}

/* c, m by n sums whose rows lie `stride` units apart, is the product `times` times. */
static void judge(const char *set, const char *what, const product *p, const void *c,
                  int64_t stride, int times) {
    static double got[4 * MOST * MOST];
    bool same = true;
    for (int64_t i = 0; i < p->m; i++) {
        const char *row = (const char *)c + i * stride * p->kernels->bytes;
        hlo_convert_elements(p->sums, HLO_F64, row, got, (size_t)(parts(p) * p->n));
        for (int64_t j = 0; j < parts(p) * p->n; j++)
            same = same && got[j] == times * p->c[i * parts(p) * p->n + j];
    }
    if (same) passed++;
    else failed++;
    if (!same)
        printf("%s: %s of %s in %s, %d by %d by %d, differs\n", set, what,
               hlo_types[p->stored].text, hlo_types[p->sums].text, (int)p->m, (int)p->n, (int)p->k);
}

/* ---- tiles ---- */

/* b where it lies, when its rows are whole vectors of units. */
static void run_lying(const char *set, const product *p, const void *const *rows) {
    static _Alignas(64) char c[HLO_GEMM_ROWS * HLO_GEMM_ROW_BYTES];
    int64_t width = p->n / p->kernels->lanes;
    if (p->stored != p->sums || width * p->kernels->lanes != p->n || width < 1 || width > 2) return;
    hlo_gemm_tile tile = {.rows = rows, .segments = 1, .depth = p->k, .step = 1, .b = p->right};
    tile.c = c, tile.c_stride = tile.b_stride = p->n;
    p->kernels->tile(&tile, p->m, width);
    judge(set, "a tile with b where it lies", p, c, p->n, 1);
}

static void run_tile(const char *set, const char *what, const product *p, const void *panel,
                     const void *const *rows, int64_t step, int64_t depth) {
    static _Alignas(64) char c[HLO_GEMM_ROWS * HLO_GEMM_ROW_BYTES];
    int64_t width = parts(p) * p->n <= p->kernels->lanes ? 1 : 2;
    hlo_gemm_tile tile = {.rows = rows, .segments = 1, .depth = depth, .step = step, .b = panel};
    tile.c = c, tile.c_stride = width * p->kernels->lanes;
    for (int times = 1; times <= 2; times++, tile.adds = true) {
        p->kernels->tile(&tile, p->m, width);
        judge(set, what, p, c, tile.c_stride, times);
    }
}

/* Both orders of a and of b. */
static void check_tile(const char *set, const product *p) {
    static _Alignas(64) char panel[32 * MOST * MOST], block[32 * MOST * MOST];
    int64_t units = parts(p) * p->k / (p->pairs ? 2 : 1), columns = parts(p) * p->n;
    int64_t unit = p->kernels->bytes;
    const void *rows[HLO_GEMM_ROWS], *turned[HLO_GEMM_ROWS];
    const char *straight = p->left;
    if (p->storage->copy_rows) {
        p->storage->copy_rows(block, p->left, p->k, p->m, units);
        straight = block;
    }
    char *strip = block + 16 * MOST * MOST;
    p->storage->copy_columns(strip, p->left_turned, p->m, p->m, units);
    for (int64_t r = 0; r < p->m; r++) {
        rows[r] = straight + r * units * unit;
        turned[r] = strip + r * unit;
    }
    p->storage->pack_columns(panel, p->right, p->n, columns, units);
    run_tile(set, "a tile", p, panel, rows, 1, units);
    run_lying(set, p, rows);
    run_tile(set, "a tile with a turned", p, panel, turned, p->kernels->rows, units);
    memset(panel, 1, sizeof panel);
    p->storage->pack_rows(panel, p->right_turned, p->k, columns, units);
    run_tile(set, "a tile with b turned", p, panel, rows, 1, units);
}

/* Two segments of one window element each, and rows that are read half a row before. */
static void check_segments(const char *set, const product *p) {
    static _Alignas(64) char panel[32 * MOST * MOST], c[HLO_GEMM_ROWS * HLO_GEMM_ROW_BYTES];
    const void *rows[2 * HLO_GEMM_ROWS];
    if (p->k % 4 || p->storage->copy_rows || parts(p) == 2) return;
    int64_t units = p->k / (p->pairs ? 2 : 1), vectors = p->n > p->kernels->lanes ? 2 : 1;
    p->storage->pack_columns(panel, p->right, p->n, p->n, units);
    for (int64_t r = 0; r < p->m; r++) {
        rows[r] = p->left + (r * units + units / 2) * p->kernels->bytes;
        rows[HLO_GEMM_ROWS + r] = p->left + (r + 1) * units * p->kernels->bytes;
    }
    hlo_gemm_tile tile = {.rows = rows, .segments = 2, .depth = units / 2, .step = 1, .b = panel};
    tile.offset = -(units / 2);
    tile.c = c, tile.c_stride = vectors * p->kernels->lanes;
    p->kernels->tile(&tile, p->m, vectors);
    judge(set, "a tile of two segments", p, c, tile.c_stride, 1);
}

static void check_tiles(const char *set, product *p) {
    int64_t lanes = p->kernels->lanes / parts(p);
    const int64_t widths[] = {1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes - 1, 2 * lanes};
    const int64_t depths[] = {1, 2, 3, 4, 16, 17, 36};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            for (int64_t m = 1; m <= p->kernels->rows; m++) {
                if (widths[w] < 1 || (p->pairs && depths[d] % 2)) continue;
                make(p, m, widths[w], depths[d]);
                check_tile(set, p);
                check_segments(set, p);
            }
}

/* ---- the others ---- */

static void check_few(const char *set, product *p) {
    static _Alignas(64) char a[16 * MOST * MOST], c[16 * MOST * MOST];
    static const int64_t sizes[] = {1, 2, 7, 8, 15, 16, 17, 33, 40};
    for (size_t w = 0; w < sizeof sizes / sizeof *sizes; w++)
        for (size_t d = 0; d < sizeof sizes / sizeof *sizes; d++)
            for (int64_t m = 1; m <= 3; m++) {
                make(p, m, sizes[w], sizes[d]);
                store(p, p->sums, p->a, m, p->k, false, a);
                hlo_gemm_few few = {m,    p->n, p->k, a,    p->right_turned, c, p->k, 1,
                                    p->k, p->n, 1,    false};
                p->storage->dots(&few);
                judge(set, "dots", p, c, p->n, 1);
                few.b = p->right;
                few.b_stride = p->n;
                memset(c, 1, sizeof c);
                p->storage->add_rows(&few);
                judge(set, "sums of rows", p, c, p->n, 1);
                few.adds = true;
                p->storage->add_rows(&few);
                judge(set, "sums of rows that are added", p, c, p->n, 2);
            }
}

static void check_tiny(const char *set, product *p) {
    static _Alignas(64) char c[2][16 * MOST * MOST];
    for (int64_t m = 1; m <= 9; m++)
        for (int64_t n = 1; n <= MOST; n++) {
            make(p, m, n, m + 2);
            hlo_gemm_tiny tiny = {1, m, n, p->k, p->left, p->right, c[0], 0, p->k, 1, 0, n, 1};
            p->kernels->tiny(&tiny);
            judge(set, "a tiny product", p, c[0], n, 1);
            tiny.a = p->left_turned, tiny.a_row = 1, tiny.a_column = m;
            tiny.count = 2;
            p->kernels->tiny(&tiny);
            judge(set, "a tiny product with a turned", p, c[0], n, 1);
            tiny.b = p->right_turned, tiny.b_row = 1, tiny.b_column = p->k;
            p->kernels->tiny(&tiny);
            judge(set, "a tiny product with both turned", p, c[0], n, 1);
            judge(set, "the next one", p, c[0] + m * n * p->kernels->bytes, n, 1);
        }
}

/* Each column of a product with one row is the sum over a depth of the products of two rows. */
static void check_groups(const char *set, product *p) {
    static _Alignas(64) char c[16 * MOST * MOST], ones[16 * MOST * MOST];
    const void *inputs[MOST], *kernels[MOST];
    for (int64_t n = 1; n <= MOST; n++) {
        make(p, 1, n, 5);
        for (int64_t i = 0; i < 5 * n; i++) p->a[i] = i < 5 ? 1 : 0;
        multiply(p);
        for (int64_t i = 0; i < n; i++) p->a[i] = 1;
        store(p, p->sums, p->a, 1, n, false, ones);
        for (int64_t i = 0; i < 5; i++) {
            inputs[i] = ones;
            kernels[i] = p->right + i * n * p->kernels->bytes;
        }
        p->kernels->depthwise(5, inputs, kernels, n, c);
        judge(set, "a depthwise window", p, c, n, 1);
        memset(c, 0, sizeof c);
        p->kernels->grouped(1, 5, n, ones, p->right, c);
        if (n >= 5) judge(set, "a window of groups", p, c, n, 1);
    }
}

static void check(const char *name, const hlo_gemm_set *set, hlo_type stored, hlo_type sums) {
    static product p;
    p = (product){.stored = stored, .sums = sums};
    p.kernels = set->kernels(sums);
    p.storage = set->storage(stored, sums);
    check_tiles(name, &p);
    if (p.storage->dots) check_few(name, &p);
    if (stored != sums) return;
    check_tiny(name, &p);
    check_groups(name, &p);
}

/* Tiles are all that there is of pairs, where the machine has them. */
static void check_pairs(const char *name, const hlo_gemm_set *set, hlo_type stored, hlo_type sums) {
    static product p;
    hlo_gemm_pairs pairs = set->pairs(stored);
    p = (product){.stored = stored, .sums = sums, .pairs = true};
    p.kernels = pairs.kernels;
    p.storage = pairs.storage;
    if (p.kernels) check_tiles(name, &p);
}

int main(void) {
    static const hlo_type types[][2] = {{HLO_F32, HLO_F32}, {HLO_F64, HLO_F64},  {HLO_S32, HLO_S32},
                                        {HLO_S64, HLO_S64}, {HLO_BF16, HLO_F32}, {HLO_F16, HLO_F32},
                                        {HLO_C64, HLO_F32}, {HLO_C128, HLO_F64}};
    const hlo_lanes_set *set;
    for (uint32_t i = 0; (set = hlo_lanes_set_at(i)); i++) {
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            check(set->name, set->gemm, types[t][0], types[t][1]);
        check_pairs(set->name, set->gemm, HLO_S16, HLO_S32);
        check_pairs(set->name, set->gemm, HLO_BF16, HLO_F32);
    }
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
