/* Products of matrices: see gemm.h. A share of a product is a block of c, or all of it over a part
 * of a long depth; it meets a packed panel of b that stays in the second cache and reads a where it
 * lies, unless its elements are of another type or its rows no neighbours along the depth. Where
 * several shares meet the same panel, b is packed before them. Few rows of a read b where it lies.
 */
#include "eval/kernels/gemm/gemm.h"

#include <string.h>

#include "base/pool.h"
#include "eval/kernels/gemm/gemm_shares.h"

/* A share has rows of which MOST_DOWN bytes are one unit of depth, so that a block of them stays in
 * the second cache, or fewer where there would be less than ENOUGH_SHARES, but no fewer than
 * LEAST_ROWS, which have to pay for the packing. */
enum { DEPTH = HLO_GEMM_DEPTH };
enum { MOST_DOWN = 2048, LEAST_ROWS = 64, ENOUGH_SHARES = 16 };
/* Where c has at most SMALL_RESULT elements and the depth is that of two parts or more, each part
 * is a share and has a separate c. */
enum { PART_DEPTH = 32 * DEPTH, SMALL_RESULT = 64 * 64 };
/* Products of so few multiplications, with so few elements of b, are tiny; those of few rows or
 * columns at an earlier point. */
enum { TINY_COST = 4096, TINY_FEW_COST = 256 };
/* Rows of a that are few, and what a share of theirs reads. */
enum { FEW_ROWS = 3, FEW_ELEMENTS = 1 << 16, FEW_COLUMNS = 1024 };
/* The most bytes that b packed before the shares may have. */
enum { MOST_PACKED = 1 << 25 };
/* With more rows, packing takes so little of the time that what was packed is not kept. */
enum { MOST_KEPT_ROWS = 512 };
/* Strips of a panel that meet rows of a too seldom to wait for these. */
enum { FEW_STRIPS = 4 };
/* So many rows of tiles read b so seldom that packing it does not pay. */
enum { ROWS_OF_TILES = 3 };

/* ---- preparing ---- */

static bool is_tiny(const hlo_gemm *g) {
    int64_t most = hlo_smaller(g->m, g->n) > FEW_ROWS ? TINY_COST : TINY_FEW_COST;
    return g->m <= most && g->n <= HLO_GEMM_TINY_MATRIX && g->k <= HLO_GEMM_TINY_MATRIX &&
           g->n * g->k <= HLO_GEMM_TINY_MATRIX && g->m * g->n * g->k <= most;
}

/* Few rows of a meet b; `a_column`, `b_row` and `b_column` as if they were those of g. */
static hlo_gemm_kind kind_of_few(int64_t a_column, int64_t b_row, int64_t b_column,
                                 bool is_turned) {
    if (is_turned) return HLO_GEMM_ADD_ROWS;
    if (b_row == 1 && a_column == 1) return HLO_GEMM_DOTS;
    return b_column == 1 ? HLO_GEMM_ADD_ROWS : HLO_GEMM_TILES;
}

static void swap_operands(hlo_gemm *g) {
    hlo_gemm_operand a = g->a;
    int64_t m = g->m;
    g->a = (hlo_gemm_operand){g->b.type, g->b.column, g->b.row, g->b.batches, g->b.is_turned};
    g->b = (hlo_gemm_operand){a.type, a.column, a.row, a.batches, a.is_turned};
    g->m = g->n;
    g->n = m;
    g->is_swapped = true;
}

static void set_kind(hlo_gemm *g) {
    g->kind = HLO_GEMM_TILES;
    if (hlo_type_is_complex(g->type) || g->is_resized) return;
    if (is_tiny(g)) g->kind = HLO_GEMM_TINY;
    else if (g->m <= FEW_ROWS)
        g->kind = kind_of_few(g->a.column, g->b.row, g->b.column, g->b.is_turned);
    else if (g->n <= FEW_ROWS) {
        g->kind = kind_of_few(g->b.row, g->a.column, g->a.row, g->a.is_turned);
        if (g->kind != HLO_GEMM_TILES) swap_operands(g);
    }
}

/* f16 and bf16 are converted to f32 when they are read, other small types before. */
static hlo_type type_to_read(hlo_type stored, hlo_type sums) {
    return sums == HLO_F32 && (stored == HLO_BF16 || stored == HLO_F16) ? stored : sums;
}

/* Whether 16 bits hold integers of the type. */
static bool fits_half(hlo_type type) {
    return hlo_type_is_integral(type) && (hlo_types[type].bits < 16 || type == HLO_S16);
}

hlo_type hlo_gemm_pair(hlo_type a, hlo_type b, hlo_type sums) {
    hlo_type type = HLO_TYPE_COUNT;
    if (sums == HLO_S32 && fits_half(a) && fits_half(b)) type = HLO_S16;
    if (sums == HLO_F32 && a == HLO_BF16 && b == HLO_BF16) type = HLO_BF16;
    return hlo_gemm_chosen()->pairs(type).kernels ? type : HLO_TYPE_COUNT;
}

static bool takes_pairs(const hlo_gemm *g) {
    return g->kind == HLO_GEMM_TILES && !g->is_resized && g->k % 2 == 0 &&
           hlo_gemm_pair(g->a.type, g->b.type, g->type) != HLO_TYPE_COUNT;
}

static void set_pairs(hlo_gemm *g) {
    g->a.type = g->b.type = hlo_gemm_pair(g->a.type, g->b.type, g->type);
    hlo_gemm_pairs pairs = hlo_gemm_chosen()->pairs(g->a.type);
    g->kernels = pairs.kernels;
    g->a_storage = g->b_storage = pairs.storage;
}

static void set_types(hlo_gemm *g) {
    const hlo_gemm_set *set = hlo_gemm_chosen();
    hlo_type sums = hlo_type_part(g->type);
    g->pairs = takes_pairs(g);
    if (g->pairs) {
        set_pairs(g);
        return;
    }
    if (g->kind == HLO_GEMM_TINY) g->b.type = g->type;
    g->a.type = g->kind == HLO_GEMM_TILES ? type_to_read(g->a.type, g->type) : g->type;
    g->b.type = type_to_read(g->b.type, g->type);
    g->kernels = set->kernels(sums);
    g->a_storage = set->storage(g->a.type, sums);
    g->b_storage = set->storage(g->b.type, sums);
}

/* Units of k and n. */
static void set_units(hlo_gemm *g) {
    bool is_complex = hlo_type_is_complex(g->type);
    g->deep = is_complex ? 2 * g->k : g->pairs ? g->k / 2 : g->k;
    g->wide = is_complex ? 2 * g->n : g->n;
    g->c_row = g->is_swapped ? 1 : g->wide;
    g->c_column = g->is_swapped ? g->m : 1;
}

static int64_t most_rows(const hlo_gemm *g) {
    return MOST_DOWN / g->kernels->bytes;
}

static void set_tile_shares(hlo_gemm *g) {
    int64_t strip = 2 * g->kernels->lanes, tall = g->kernels->rows, rows = most_rows(g);
    int64_t across = hlo_units(g->wide, hlo_gemm_panel_columns(g));
    g->columns = across == 1 ? g->wide : hlo_round_up(hlo_units(g->wide, across), strip);
    while (rows > LEAST_ROWS && g->batch * across * hlo_units(g->m, rows) < ENOUGH_SHARES)
        rows /= 2;
    g->rows = hlo_round_up(hlo_units(g->m, hlo_larger(hlo_units(g->m, rows), 1)), tall);
}

static void set_shares(hlo_gemm *g) {
    bool is_deep = g->k >= INT64_C(2) * PART_DEPTH && g->n <= SMALL_RESULT / hlo_larger(g->m, 1);
    g->depth = g->deep;
    if (is_deep && !g->is_resized) g->depth = PART_DEPTH * g->deep / g->k;
    g->block = hlo_round_up(hlo_units(g->depth, hlo_larger(hlo_units(g->depth, DEPTH), 1)), 2);
    g->rows = g->m;
    g->columns = g->wide;
    if (g->kind == HLO_GEMM_TILES) set_tile_shares(g);
    else if (g->kind == HLO_GEMM_DOTS)
        g->columns = hlo_smaller(g->n, hlo_larger(FEW_ELEMENTS / g->depth, 1));
    else if (g->kind == HLO_GEMM_ADD_ROWS) g->columns = hlo_smaller(g->n, FEW_COLUMNS);
    g->down = hlo_units(g->m, g->rows);
    g->across = hlo_units(g->wide, g->columns);
    g->parts = hlo_units(g->deep, g->depth);
}

static int64_t shares_of_product(const hlo_gemm *g) {
    return g->parts * g->down * g->across;
}

/* Whether rows of a are copied: they are of another type or no neighbours along the depth. */
static bool copies_rows(const hlo_gemm *g) {
    return g->a_storage->copy_rows || g->a.column != 1;
}

static bool may_read_b(const hlo_gemm *g) {
    return g->kind == HLO_GEMM_TILES && g->b.column == 1 && g->b.type == g->type &&
           !hlo_type_is_complex(g->type) && !g->is_resized &&
           g->m <= ROWS_OF_TILES * g->kernels->rows;
}

static size_t all_packed_bytes(const hlo_gemm *g) {
    return (size_t)(g->batch * hlo_gemm_packed_bytes(g));
}

/* Whether all of b may be packed before the shares. */
static bool may_pack_all(const hlo_gemm *g) {
    return g->kind == HLO_GEMM_TILES && !g->is_resized && g->parts == 1 &&
           all_packed_bytes(g) <= MOST_PACKED;
}

static bool may_keep(const hlo_gemm *g) {
    return g->keeps && g->m <= MOST_KEPT_ROWS && may_pack_all(g);
}

static size_t panel_bytes(const hlo_gemm *g) {
    int64_t most = g->reads_b || g->packs_first ? 1 : hlo_gemm_panel_columns(g);
    int64_t columns = hlo_round_up(hlo_smaller(g->wide, most), 2 * g->kernels->lanes);
    int64_t block = hlo_smaller(DEPTH, hlo_round_up(g->deep, 2));
    return (size_t)(columns * block * g->kernels->bytes);
}

static size_t rows_bytes(const hlo_gemm *g) {
    int64_t rows = hlo_round_up(hlo_smaller(g->m, most_rows(g)), g->kernels->rows) + HLO_GEMM_ROWS;
    int64_t block = hlo_smaller(DEPTH, hlo_round_up(g->deep, 2));
    return copies_rows(g) ? (size_t)(rows * block * g->kernels->bytes) : 0;
}

/* About as many nanoseconds as the multiplications of a share take. */
static int64_t share_cost(const hlo_gemm *g) {
    int64_t area = g->rows * g->columns / 32 + 1;
    return area > HLO_PIECE_COST ? area : area * hlo_smaller(g->depth, HLO_PIECE_COST);
}

/* Tiles are complete at their full depth; what follows needs memory of the piece. */
static void prepare_following(hlo_preparation *p, hlo_gemm *g) {
    g->is_followed = g->is_followed && g->kind == HLO_GEMM_TILES && g->parts == 1;
    if (g->is_followed)
        g->counts = hlo_prepare_block_counts(p, g->batch * g->down, g->across, share_cost(g),
                                             hlo_smaller(g->rows, g->m) * g->n);
}

/* The last block of a product may have fewer rows than others. */
int64_t hlo_gemm_hands_on(const hlo_gemm *g) {
    if (!g->is_followed) return 0;
    int64_t early = g->counts.early;
    return (early / g->down * g->m + early % g->down * g->rows) * g->n;
}

void hlo_prepare_gemm(hlo_preparation *p, hlo_gemm *g) {
    g->batch = 1;
    for (uint32_t d = 0; d < g->batch_rank; d++) g->batch *= g->batch_sizes[d];
    set_kind(g);
    set_types(g);
    set_units(g);
    set_shares(g);
    g->reads_b = may_read_b(g);
    g->packs_first = may_pack_all(g) && !g->reads_b && g->rows < g->m;
    prepare_following(p, g);
    if (may_keep(g)) g->cached = hlo_prepare_cached(p, g->is_swapped ? 0 : 1, all_packed_bytes(g));
    if (g->packs_first) g->panels_at = hlo_prepare_scratch(p, all_packed_bytes(g));
    if (g->parts > 1)
        g->parts_at = hlo_prepare_scratch(
            p, (size_t)(g->batch * g->parts * g->m * g->wide * g->kernels->bytes));
    if (g->kind == HLO_GEMM_TILES)
        g->memory = hlo_prepare_work(p, panel_bytes(g) + rows_bytes(g),
                                     !g->is_resized && !g->is_followed &&
                                         g->batch * shares_of_product(g) == 1);
}

void hlo_gemm_resize(hlo_gemm *g, int64_t m, int64_t k) {
    g->m = m;
    g->k = k;
    if (!m || !k) return; /* hlo_gemm_run does nothing */
    set_units(g);
    set_shares(g);
}

/* ---- a share of tiles ---- */

/* The rows of a block of a: strip after strip of as many rows as a tile has. */
typedef struct {
    const char *data;
    int64_t strip_bytes, row_bytes, step;
} left_rows;

static left_rows rows_of_block(const hlo_gemm *g, const hlo_gemm_share *s, int64_t q, int64_t depth,
                               char *memory) {
    const char *a = s->a + hlo_gemm_depth_bytes(g, g->a.type, g->a.column, q);
    int64_t tall = g->kernels->rows, unit = g->kernels->bytes;
    int64_t row = g->a.row * hlo_types[g->a.type].bytes;
    if (!copies_rows(g)) return (left_rows){a, row * tall, row, 1};
    if (g->a.column == 1) {
        g->a_storage->copy_rows(memory, a, g->a.row, s->rows, depth);
        return (left_rows){memory, depth * unit * tall, depth * unit, 1};
    }
    g->a_storage->copy_columns(memory, a, g->a.column, s->rows, depth);
    return (left_rows){memory, depth * unit * tall, unit, tall};
}

/* Columns of b at a depth: packed, or where they lie. */
typedef struct {
    const char *data;
    int64_t stride; /* of hlo_gemm_tile */
} right_columns;

/* The tile's c has fewer columns than the vectors. */
static void multiply_edge(const hlo_gemm_kernels *kernels, const hlo_gemm_tile *whole, int64_t rows,
                          int64_t vectors, int64_t columns) {
    _Alignas(64) char edge[HLO_GEMM_ROWS * HLO_GEMM_ROW_BYTES];
    hlo_gemm_tile t = *whole;
    t.c = edge;
    t.c_stride = vectors * kernels->lanes;
    t.adds = false;
    kernels->tile(&t, rows, vectors);
    for (int64_t r = 0; r < rows; r++) {
        const char *from = edge + r * t.c_stride * kernels->bytes;
        char *to = (char *)whole->c + r * whole->c_stride * kernels->bytes;
        if (whole->adds) kernels->add(columns, from, to);
        else memcpy(to, from, (size_t)(columns * kernels->bytes));
    }
}

void hlo_gemm_multiply_tile(const hlo_gemm_kernels *kernels, const hlo_gemm_tile *tile,
                            int64_t rows, int64_t columns) {
    int64_t vectors = columns <= kernels->lanes ? 1 : 2;
    if (columns == vectors * kernels->lanes) kernels->tile(tile, rows, vectors);
    else multiply_edge(kernels, tile, rows, vectors, columns);
}

/* Prefetches the rows of the next tile, which are too many at once for the hardware prefetcher:
 * without this, whether it succeeds depends on where the code lies. For panels of few strips, which
 * use each row seldom. */
static void fetch_rows(left_rows a, int64_t first, int64_t n, int64_t bytes) {
    enum { LINE = 64 };
    for (int64_t r = 0; r < n; r++)
        for (int64_t at = 0; at < bytes; at += LINE)
            __builtin_prefetch(a.data + first + r * a.row_bytes + at);
}

/* c (+)= a b, a strip of b after the other. */
static void multiply_panel(const hlo_gemm *g, const hlo_gemm_share *s, left_rows a, right_columns b,
                           int64_t depth, bool adds) {
    int64_t tall = g->kernels->rows, strip = 2 * g->kernels->lanes, unit = g->kernels->bytes;
    const void *rows[HLO_GEMM_ROWS];
    bool fetches = s->columns <= FEW_STRIPS * strip && !copies_rows(g);
    for (int64_t j = 0; j < s->columns; j += strip)
        for (int64_t i = 0; i < s->rows; i += tall) {
            int64_t n = hlo_smaller(tall, s->rows - i), next = hlo_smaller(tall, s->rows - i - n);
            if (fetches && j == 0)
                fetch_rows(a, (i / tall + 1) * a.strip_bytes, next, depth * unit);
            for (int64_t r = 0; r < n; r++)
                rows[r] = a.data + i / tall * a.strip_bytes + r * a.row_bytes;
            hlo_gemm_tile tile = {.rows = rows,
                                  .segments = 1,
                                  .depth = depth,
                                  .step = a.step,
                                  .b = b.data + (b.stride ? j : j * depth) * unit,
                                  .c = s->c + (i * g->c_row + j) * unit,
                                  .c_stride = g->c_row,
                                  .adds = adds,
                                  .b_stride = b.stride};
            hlo_gemm_multiply_tile(g->kernels, &tile, n, hlo_smaller(strip, s->columns - j));
        }
}

/* Splits off the columns that are read where they lie: whole vectors, since no more may be read. */
static hlo_gemm_share take_lying(const hlo_gemm *g, hlo_gemm_share *s) {
    hlo_gemm_share lying = *s;
    bool reads = g->reads_b && !s->panels;
    lying.columns = reads ? s->columns / g->kernels->lanes * g->kernels->lanes : 0;
    s->columns -= lying.columns;
    s->b += lying.columns * g->kernels->bytes;
    s->c += lying.columns * g->kernels->bytes;
    return lying;
}

static const char *packed_panel(const hlo_gemm *g, const hlo_gemm_share *s, int64_t q,
                                int64_t depth, char *memory) {
    if (s->panels) return hlo_gemm_packed_columns(g, s, q, depth);
    const char *b = s->b + hlo_gemm_depth_bytes(g, g->b.type, g->b.row, q);
    hlo_gemm_pack_panel(g, b, s->columns, depth, memory);
    return memory;
}

static void multiply_tiles(const hlo_gemm *g, const hlo_gemm_share *all, char *memory) {
    hlo_gemm_share packed = *all, lying = take_lying(g, &packed);
    for (int64_t q = 0; q < all->depth; q += g->block) {
        int64_t depth = hlo_smaller(g->block, all->depth - q);
        bool adds = q > 0 || g->is_resized;
        const char *panel = packed_panel(g, &packed, q, depth, memory);
        left_rows a = rows_of_block(g, all, q, depth, memory + panel_bytes(g));
        right_columns there = {lying.b + hlo_gemm_depth_bytes(g, g->b.type, g->b.row, q), g->b.row};
        multiply_panel(g, &lying, a, there, depth, adds);
        multiply_panel(g, &packed, a, (right_columns){panel, 0}, depth, adds);
    }
}

/* ---- running ---- */

/* A list of products that runs. */
typedef struct {
    const hlo_gemm *gemm;
    const hlo_call *call;
    const char *a, *b;
    char *c;                      /* or the parts' */
    char *panels;                 /* NULL: shares pack theirs */
    const hlo_follower *follower; /* NULL: none */
} multiplication;

/* Where a share begins: row, column, depth, and number of the product and of its part. */
typedef struct {
    int64_t i, j, q, batch, part;
} share_place;

/* Of share number s: columns change fastest, then rows, then parts of the depth, then products. */
static share_place place_of_share(const hlo_gemm *g, int64_t s) {
    if (!s) return (share_place){0}; /* divisions would take longer than small products */
    int64_t part = s / (g->across * g->down);
    return (share_place){.i = s / g->across % g->down * g->rows,
                         .j = s % g->across * g->columns,
                         .q = part % g->parts * g->depth,
                         .batch = part / g->parts,
                         .part = part};
}

static hlo_gemm_share share_at(const multiplication *x, int64_t s) {
    const hlo_gemm *g = x->gemm;
    share_place at = place_of_share(g, s);
    return (hlo_gemm_share){
        .a = x->a + hlo_gemm_batch_bytes(g, &g->a, at.batch) +
             at.i * g->a.row * hlo_types[g->a.type].bytes +
             hlo_gemm_depth_bytes(g, g->a.type, g->a.column, at.q),
        .b = x->b + hlo_gemm_batch_bytes(g, &g->b, at.batch) + hlo_gemm_column_bytes(g, at.j) +
             hlo_gemm_depth_bytes(g, g->b.type, g->b.row, at.q),
        .c = x->c +
             (at.part * g->m * g->wide + at.i * g->c_row + at.j * g->c_column) * g->kernels->bytes,
        .rows = hlo_smaller(g->rows, g->m - at.i),
        .columns = hlo_smaller(g->columns, g->wide - at.j),
        .depth = hlo_smaller(g->depth, g->deep - at.q),
        .panels = x->panels ? x->panels + at.batch * hlo_gemm_packed_bytes(g) : NULL,
        .column = at.j,
    };
}

static void multiply_tiny(void *context, int64_t first, int64_t last) {
    const multiplication *x = context;
    hlo_gemm_multiply_tiny(x->gemm, x->a, x->b, x->c, first, last);
}

/* Share number s is complete. With the last one of its rows, the follower gets these. */
static void hand_on(const multiplication *x, int64_t s, char *memory) {
    const hlo_gemm *g = x->gemm;
    int64_t block = s / g->counts.shares, row = block % g->down * g->rows;
    if (!hlo_count_share(&g->counts, x->call, block)) return;
    int64_t first = (block / g->down * g->m + row) * g->n;
    int64_t rows = hlo_smaller(g->rows, g->m - row);
    x->follower->follow(x->follower, memory, first, first + rows * g->n);
}

static void multiply_shares(void *context, int64_t first, int64_t last) {
    const multiplication *x = context;
    bool is_tiled = x->gemm->kind == HLO_GEMM_TILES;
    char *memory = is_tiled ? hlo_work_take(&x->gemm->memory, x->call) : NULL;
    for (int64_t s = first; s < last; s++) {
        hlo_gemm_share at = share_at(x, s);
        if (is_tiled) multiply_tiles(x->gemm, &at, memory);
        else hlo_gemm_multiply_few(x->gemm, &at);
        if (x->follower) hand_on(x, s, memory);
    }
    if (is_tiled) hlo_work_leave(&x->gemm->memory, x->call, memory);
}

/* c is the sum of what the parts of the depth gave, in their order. */
static void add_parts(const hlo_gemm *g, const char *from, char *c) {
    int64_t size = g->m * g->wide, bytes = size * g->kernels->bytes;
    for (int64_t b = 0; b < g->batch; b++, c += bytes)
        for (int64_t part = 0; part < g->parts; part++, from += bytes) {
            if (part) g->kernels->add(size, from, c);
            else memcpy(c, from, (size_t)bytes);
        }
}

/* The right operand is packed before the shares, unless it is kept from an earlier run. */
static void set_panels(multiplication *x, hlo_cached_memory cached) {
    const hlo_gemm *g = x->gemm;
    if (cached.data) x->panels = cached.data;
    else if (g->packs_first) x->panels = (char *)x->call->scratch + g->panels_at;
    if (!x->panels || cached.is_made) return;
    hlo_gemm_pack_all(g, x->b, x->panels);
    if (cached.data) hlo_call_set_cached(x->call, g->cached);
}

void hlo_gemm_run(const hlo_gemm *g, const hlo_call *call, const hlo_gemm_operands *operands,
                  void *c, const hlo_follower *follower) {
    if (!g->m || !g->k) return; /* a group without elements */
    const void *lhs = operands->lhs, *rhs = operands->rhs;
    multiplication x = {g, call, g->is_swapped ? rhs : lhs,       g->is_swapped ? lhs : rhs,
                        c, NULL, g->is_followed ? follower : NULL};
    if (g->kind == HLO_GEMM_TINY) {
        hlo_parallel(g->batch, hlo_grain(g->m * g->n * g->k / 8 + 4), multiply_tiny, &x);
        return;
    }
    if (g->parts > 1) x.c = (char *)call->scratch + g->parts_at;
    set_panels(&x, operands->cached);
    if (x.follower) hlo_start_block_counts(&g->counts, call);
    hlo_parallel(g->batch * shares_of_product(g), hlo_grain(share_cost(g)), multiply_shares, &x);
    if (g->parts > 1) add_parts(g, x.c, c);
}
