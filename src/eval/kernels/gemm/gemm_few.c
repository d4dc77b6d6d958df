/* Products of few rows, which read the right operand where it lies, and tiny ones. */
#include "eval/kernels/gemm/gemm_shares.h"
#include "eval/kernels/moves/move_kernels.h"

/* Of b as it lies transposed, which is turned a square at a time. */
enum { SQUARE = 64 };

/* Prefetches the lines of a square before it is turned: its rows lie too far apart for the hardware
 * prefetcher. */
static void prefetch_square(const char *from, int64_t stride, int64_t rows, int64_t bytes) {
    enum { LINE = 64 };
    for (int64_t r = 0; r < rows; r++)
        for (int64_t b = 0; b < bytes; b += LINE) __builtin_prefetch(from + r * stride + b);
}

static void multiply_turned(const hlo_gemm *g, const hlo_gemm_few *whole) {
    _Alignas(64) char square[SQUARE * SQUARE * HLO_GEMM_MOST_BYTES];
    int64_t bytes = hlo_types[g->b.type].bytes, unit = g->kernels->bytes;
    void (*transpose)(const hlo_move_tile *) =
        hlo_move_chosen()->transpose[hlo_cell_number((uint32_t)bytes)];
    for (int64_t j = 0; j < whole->columns; j += SQUARE)
        for (int64_t p = 0; p < whole->depth; p += SQUARE) {
            hlo_gemm_few few = *whole;
            few.columns = hlo_smaller(SQUARE, whole->columns - j);
            few.depth = hlo_smaller(SQUARE, whole->depth - p);
            const char *from = (const char *)whole->b + (j * g->b.column + p) * bytes;
            if (p + SQUARE < whole->depth)
                prefetch_square(from + SQUARE * bytes, g->b.column * bytes, few.columns,
                                hlo_smaller(SQUARE, whole->depth - p - SQUARE) * bytes);
            transpose(&(hlo_move_tile){
                .to = square,
                .from = from,
                .to_stride = SQUARE * bytes,
                .from_stride = g->b.column * bytes,
                .rows = few.columns,
                .columns = few.depth,
            });
            few.a = (const char *)whole->a + p * whole->a_column * unit;
            few.b = square;
            few.b_stride = SQUARE;
            few.c = (char *)whole->c + j * whole->c_column * unit;
            few.adds = p > 0;
            g->b_storage->add_rows(&few);
        }
}

void hlo_gemm_multiply_few(const hlo_gemm *g, const hlo_gemm_share *s) {
    hlo_gemm_few few = {.rows = s->rows,
                        .columns = s->columns,
                        .depth = s->depth,
                        .a = s->a,
                        .b = s->b,
                        .c = s->c,
                        .a_row = g->a.row,
                        .a_column = g->a.column,
                        .c_row = g->c_row,
                        .c_column = g->c_column};
    few.b_stride = g->kind == HLO_GEMM_DOTS ? g->b.column : g->b.row;
    if (g->kind == HLO_GEMM_DOTS) g->b_storage->dots(&few);
    else if (g->b.is_turned) multiply_turned(g, &few);
    else g->b_storage->add_rows(&few);
}

void hlo_gemm_multiply_tiny(const hlo_gemm *g, const char *a, const char *b, char *c, int64_t first,
                            int64_t last) {
    hlo_gemm_tiny tiny = {.m = g->m, .n = g->n, .k = g->k};
    tiny.b_row = g->b.row;
    tiny.b_column = g->b.column;
    tiny.a_row = g->a.row;
    tiny.a_column = g->a.column;
    tiny.a_next = g->batch_rank ? g->a.batches[g->batch_rank - 1] : 0;
    tiny.b_next = g->batch_rank ? g->b.batches[g->batch_rank - 1] : 0;
    int64_t row = g->batch_rank ? g->batch_sizes[g->batch_rank - 1] : 1;
    for (int64_t q = first; q < last; q += tiny.count) {
        tiny.count = hlo_smaller(last - q, row - q % row);
        tiny.a = a + hlo_gemm_batch_bytes(g, &g->a, q);
        tiny.b = b + hlo_gemm_batch_bytes(g, &g->b, q);
        tiny.c = c + q * g->m * g->n * g->kernels->bytes;
        g->kernels->tiny(&tiny);
    }
}
