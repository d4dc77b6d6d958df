/* The right operand of products in strips, as tiles read it: a panel for one share, or all of it
 * before the shares. */
#include <string.h>

#include "base/pool.h"
#include "eval/kernels/gemm/gemm_shares.h"
#include "eval/kernels/moves/move_kernels.h"

/* A block of b is HLO_GEMM_DEPTH by PANEL_BYTES. */
enum { PANEL_BYTES = 1024 };

int64_t hlo_gemm_batch_bytes(const hlo_gemm *g, const hlo_gemm_operand *operand, int64_t batch) {
    int64_t offset = 0;
    for (uint32_t d = g->batch_rank; d-- > 0; batch /= g->batch_sizes[d])
        offset += batch % g->batch_sizes[d] * operand->batches[d];
    return offset * hlo_types[operand->type].bytes;
}

int64_t hlo_gemm_panel_columns(const hlo_gemm *g) {
    return PANEL_BYTES / g->kernels->bytes;
}

static int64_t padded_columns(const hlo_gemm *g) {
    return hlo_round_up(g->wide, 2 * g->kernels->lanes);
}

int64_t hlo_gemm_packed_bytes(const hlo_gemm *g) {
    return padded_columns(g) * g->deep * g->kernels->bytes;
}

/* Whether rows of b are units already, which need to be turned only. */
static bool turns_rows(const hlo_gemm *g) {
    return g->pairs || (g->b.type == g->type && !hlo_type_is_complex(g->type));
}

/* Strips of columns whose units are neighbours in memory. */
static void turn_columns(const hlo_gemm *g, const char *b, int64_t columns, int64_t depth,
                         char *to) {
    int64_t unit = g->kernels->bytes, lanes = g->kernels->lanes, width, n;
    int64_t stride = g->b.column * hlo_types[g->b.type].bytes;
    void (*transpose)(const hlo_move_tile *) =
        hlo_move_chosen()->transpose[hlo_cell_number((uint32_t)unit)];
    for (int64_t j = 0; j < columns; j += n, b += n * stride, to += depth * width * unit) {
        width = columns - j <= lanes ? lanes : 2 * lanes;
        n = hlo_smaller(width, columns - j);
        transpose(&(hlo_move_tile){.to = to,
                                   .from = b,
                                   .to_stride = width * unit,
                                   .from_stride = stride,
                                   .rows = n,
                                   .columns = depth});
        for (int64_t p = 0; p < depth && n < width; p++)
            memset(to + (p * width + n) * unit, 0, (size_t)((width - n) * unit));
    }
}

void hlo_gemm_pack_panel(const hlo_gemm *g, const char *b, int64_t columns, int64_t depth,
                         char *panel) {
    if (g->b.column == 1) g->b_storage->pack_columns(panel, b, g->b.row, columns, depth);
    else if (turns_rows(g)) turn_columns(g, b, columns, depth, panel);
    else g->b_storage->pack_rows(panel, b, g->b.column, columns, depth);
}

/* ---- all of it ---- */

typedef struct {
    const hlo_gemm *gemm;
    const char *b;
    char *panels;
} packing;

/* Units of columns that are packed at a time. */
static int64_t packing_columns(const hlo_gemm *g) {
    return hlo_smaller(hlo_gemm_panel_columns(g), padded_columns(g));
}

/* Strips of the blocks of all products. */
static void pack_strips(void *context, int64_t first, int64_t last) {
    const packing *x = context;
    const hlo_gemm *g = x->gemm;
    int64_t width = packing_columns(g), across = hlo_units(g->wide, width);
    int64_t blocks = hlo_units(g->deep, g->block), wide = padded_columns(g);
    for (int64_t s = first; s < last; s++) {
        int64_t j = s % across * width, q = s / across % blocks * g->block;
        int64_t depth = hlo_smaller(g->block, g->deep - q), batch = s / across / blocks;
        const char *b = x->b + hlo_gemm_batch_bytes(g, &g->b, batch) + hlo_gemm_column_bytes(g, j) +
                        hlo_gemm_depth_bytes(g, g->b.type, g->b.row, q);
        char *panels = x->panels + batch * hlo_gemm_packed_bytes(g);
        hlo_gemm_pack_panel(g, b, hlo_smaller(width, g->wide - j), depth,
                            panels + (q * wide + j * depth) * g->kernels->bytes);
    }
}

void hlo_gemm_pack_all(const hlo_gemm *g, const char *b, char *panels) {
    packing x = {g, b, panels};
    int64_t width = packing_columns(g);
    hlo_parallel(g->batch * hlo_units(g->wide, width) * hlo_units(g->deep, g->block),
                 hlo_grain(width * g->block / 8), pack_strips, &x);
}
