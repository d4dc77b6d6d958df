/* Convolutions as matrix products: a row of the left matrix is a window, of which only the
 * addresses are collected, and the right one is the kernel, packed in strips once for all. Called
 * by convolution.c. */
#include <string.h>

#include "base/pool.h"
#include "eval/kernels/convolution.h"

/* A share has MOST_ROWS rows, or fewer where their addresses were more than MOST_ADDRESSES or there
 * were less than ENOUGH_SHARES; and as many columns as COLUMN_BYTES are. */
enum { MOST_ROWS = 512, LEAST_ROWS = 64, ENOUGH_SHARES = 16 };
enum { MOST_ADDRESSES = 1 << 16, COLUMN_BYTES = 1024 };
/* With more rows, packing the kernel takes so little of the time that it is not kept; nor is one of
 * more bytes. */
enum { MOST_KEPT_ROWS = 512, MOST_KEPT = 1 << 25 };

/* ---- preparing ---- */

static int64_t all_rows(const hlo_convolution *c) {
    return c->out_batch * c->out_volume;
}

static int64_t strip_columns(const hlo_convolution *c) {
    return 2 * c->kernels->lanes;
}

static int64_t row_shares(const hlo_convolution *c) {
    return hlo_units(all_rows(c), c->rows);
}

static int64_t column_shares(const hlo_convolution *c) {
    return hlo_units(c->wide, c->columns);
}

/* Bytes of the packed kernel of a group. */
static int64_t packed_bytes(const hlo_convolution *c) {
    return hlo_round_up(c->wide, strip_columns(c)) * c->deep * c->kernels->bytes;
}

static void set_shares(hlo_convolution *c) {
    int64_t most = COLUMN_BYTES / c->kernels->bytes, across = hlo_units(c->wide, most);
    c->columns = hlo_round_up(hlo_units(c->wide, across), strip_columns(c));
    c->rows = MOST_ROWS;
    while (c->rows > LEAST_ROWS && c->groups * row_shares(c) * column_shares(c) < ENOUGH_SHARES)
        c->rows /= 2;
    while (c->rows > HLO_GEMM_ROWS && c->rows > MOST_ADDRESSES / c->window_volume) c->rows /= 2;
    c->rows = hlo_round_up(c->rows, c->kernels->rows);
}

/* Addresses of the rows of a share: strips of HLO_GEMM_ROWS, of which a tile may need fewer. */
static size_t address_bytes(const hlo_convolution *c) {
    int64_t strips =
        hlo_smaller(c->rows, hlo_round_up(all_rows(c), c->kernels->rows)) / c->kernels->rows;
    return (size_t)(strips * c->window_volume * HLO_GEMM_ROWS) * sizeof(void *);
}

void hlo_prepare_convolution_strips(hlo_preparation *p, hlo_convolution *c) {
    const hlo_gemm_set *set = hlo_gemm_chosen();
    bool is_complex = hlo_type_is_complex(c->type);
    int64_t depth = c->window_volume * c->run;
    hlo_type sums = hlo_type_part(c->type);
    c->kernels = c->pairs ? set->pairs(c->stored).kernels : set->kernels(sums);
    c->storage = c->pairs ? set->pairs(c->stored).storage : set->storage(c->stored, sums);
    c->deep = is_complex ? 2 * depth : c->pairs ? depth / 2 : depth;
    c->wide = is_complex ? 2 * c->out_group : c->out_group;
    size_t bytes = (size_t)(c->groups * packed_bytes(c));
    c->strips_at = hlo_prepare_scratch(p, bytes);
    if (all_rows(c) <= MOST_KEPT_ROWS && bytes <= MOST_KEPT)
        c->kept = hlo_prepare_kept(p, 1, bytes);
    c->zeros_at = hlo_prepare_scratch(p, (size_t)(c->run * c->bytes));
}

/* About as many nanoseconds as a share takes. */
static int64_t share_cost(const hlo_convolution *c) {
    int64_t area = hlo_smaller(c->rows, all_rows(c)) * hlo_smaller(c->columns, c->wide) / 32 + 1;
    return area > HLO_PIECE_COST ? area : area * hlo_smaller(c->deep, HLO_PIECE_COST);
}

static void prepare_following(hlo_preparation *p, hlo_convolution *c) {
    c->is_followed = p->is_followed && c->groups == 1 && !c->stores;
    if (!c->is_followed) return;
    c->counts = hlo_prepare_block_counts(p, row_shares(c), column_shares(c), share_cost(c),
                                         c->rows * c->out_features);
    p->hands_on = c->hands_on = c->counts.early * c->rows * c->out_features;
    p->hands_on_unit = c->out_features;
}

void hlo_prepare_convolution_tiles(hlo_preparation *p, hlo_convolution *c) {
    hlo_prepare_convolution_strips(p, c);
    set_shares(c);
    c->work_bytes = address_bytes(c);
    p->piece_bytes = c->work_bytes + hlo_visitor_bytes(c);
    prepare_following(p, c);
}

/* ---- the kernel ---- */

char *hlo_convolution_strips(const hlo_convolution *c, int64_t group) {
    return c->strips + group * packed_bytes(c);
}

/* Strips of all groups. */
static void pack_strips(void *context, int64_t first, int64_t last) {
    const hlo_convolution *c = context;
    int64_t strips = hlo_round_up(c->wide, strip_columns(c)) / strip_columns(c);
    for (int64_t s = first; s < last; s++) {
        int64_t group = s / strips, j = s % strips * strip_columns(c);
        int64_t column = group * c->out_group + j * c->out_group / c->wide;
        c->storage->pack_columns(hlo_convolution_strips(c, group) + j * c->deep * c->kernels->bytes,
                                 c->kernel + column * c->bytes, c->out_features,
                                 hlo_smaller(strip_columns(c), c->wide - j), c->deep);
    }
}

void hlo_pack_convolution_kernel(const hlo_convolution *c) {
    int64_t strips = hlo_round_up(c->wide, strip_columns(c)) / strip_columns(c);
    memset((char *)c->call->scratch + c->zeros_at, 0, (size_t)(c->run * c->bytes));
    if (c->kept_now.is_made) return;
    hlo_parallel(c->groups * strips, hlo_grain(c->deep * strip_columns(c) / 8), pack_strips,
                 (void *)c);
    if (c->kept_now.data) hlo_call_set_kept(c->call, c->kept);
}

/* ---- shares ---- */

/* Rows and columns of one group. */
typedef struct {
    int64_t group, row, rows, column, columns;
    const void **addresses; /* [strips, window elements, HLO_GEMM_ROWS] */
} share;

/* A part of the depth: some elements of the window, or a part of the run of one of them. */
typedef struct {
    int64_t element, elements, offset, depth; /* depth: of an element, in units */
} depth_block;

void hlo_window_addresses(hlo_window_visitor *v, int64_t group, int64_t row, const void **to) {
    const hlo_convolution *c = v->c;
    const char *zeros = (const char *)c->call->scratch + c->zeros_at;
    int64_t batch = row / c->out_volume;
    if (c->batch_groups) batch += group * c->out_batch;
    int64_t feature = c->batch_groups ? 0 : group * c->in_group;
    const char *from = c->input + (batch * c->input_volume * c->features + feature) * c->bytes;
    const int64_t *inputs = hlo_window_inputs(v, row % c->out_volume);
    int64_t step = c->features * c->bytes;
    for (int64_t w = 0; w < c->window_volume; w++)
        to[w * HLO_GEMM_ROWS] = inputs[w] < 0 ? zeros : from + inputs[w] * step;
}

/* The addresses of row number r of the share. */
static void find_windows(hlo_window_visitor *v, const share *s, int64_t r) {
    const hlo_convolution *c = v->c;
    int64_t tall = c->kernels->rows;
    hlo_window_addresses(v, s->group, s->row + r,
                         s->addresses + r / tall * c->window_volume * HLO_GEMM_ROWS + r % tall);
}

/* One strip of rows, i, and one of columns, j, meet along a part of the depth. */
static void multiply_strips(const hlo_convolution *c, const share *s, const depth_block *b,
                            int64_t i, int64_t j) {
    int64_t unit = c->kernels->bytes, run = c->deep / c->window_volume, tall = c->kernels->rows;
    int64_t column = s->column + j, columns = hlo_smaller(strip_columns(c), s->columns - j);
    int64_t width = columns <= c->kernels->lanes ? c->kernels->lanes : strip_columns(c);
    int64_t depth = b->element * run + b->offset, n = hlo_smaller(tall, s->rows - i);
    const void *const *rows =
        s->addresses + (i / tall * c->window_volume + b->element) * HLO_GEMM_ROWS;
    const void *shifted[HLO_GEMM_ROWS];
    for (int64_t r = 0; b->offset && r < n; r++)
        shifted[r] = (const char *)rows[r] + b->offset * unit;
    char *to = c->sums + ((s->row + i) * c->out_features + s->group * c->out_group) * c->sum_bytes;
    hlo_gemm_tile tile = {
        .rows = b->offset ? shifted : rows,
        .segments = b->elements,
        .depth = b->depth,
        .step = 1,
        .b = hlo_convolution_strips(c, s->group) + (column * c->deep + depth * width) * unit,
        .c = to + column * unit,
        .c_stride = c->out_features * c->sum_bytes / unit,
        .adds = depth > 0,
    };
    hlo_gemm_multiply_tile(c->kernels, &tile, n, columns);
}

static void multiply_block(const hlo_convolution *c, const share *s, const depth_block *b) {
    for (int64_t j = 0; j < s->columns; j += strip_columns(c))
        for (int64_t i = 0; i < s->rows; i += c->kernels->rows) multiply_strips(c, s, b, i, j);
}

static void multiply_share(const hlo_convolution *c, const share *s) {
    int64_t run = c->deep / c->window_volume, at_once = HLO_GEMM_DEPTH / run;
    if (at_once < 1) at_once = 1;
    for (int64_t w = 0; w < c->window_volume; w += at_once)
        for (int64_t offset = 0; offset < run; offset += HLO_GEMM_DEPTH) {
            depth_block b = {w, hlo_smaller(at_once, c->window_volume - w), offset,
                             hlo_smaller(HLO_GEMM_DEPTH, run - offset)};
            multiply_block(c, s, &b);
        }
}

/* A share is complete. With the last one of its rows, the follower gets these as elements of the
 * result. */
static void hand_on(const hlo_convolution *c, const share *s, char *memory) {
    if (!hlo_count_share(&c->counts, c->call, s->row / c->rows)) return;
    int64_t first = s->row * c->out_features, last = first + s->rows * c->out_features;
    hlo_accumulators_finish_part(&c->result, c->call->out, c->sums, first, last);
    c->call->follower->follow(c->call->follower, memory, first, last);
}

/* Shares of all groups; columns change fastest, so that addresses serve several of them. */
static void convolve_shares(void *context, int64_t first, int64_t last) {
    const hlo_convolution *c = context;
    char *memory = hlo_piece_take(c->call);
    hlo_window_visitor v = hlo_new_visitor(c, memory);
    int64_t across = column_shares(c), down = row_shares(c), found = -1;
    for (int64_t at = first; at < last; at++) {
        share s = {.group = at / across / down, .addresses = (const void **)memory};
        s.row = at / across % down * c->rows;
        s.rows = hlo_smaller(c->rows, all_rows(c) - s.row);
        s.column = at % across * c->columns;
        s.columns = hlo_smaller(c->columns, c->wide - s.column);
        for (int64_t r = 0; found != at / across && r < s.rows; r++) find_windows(&v, &s, r);
        found = at / across;
        multiply_share(c, &s);
        if (c->call->follower) hand_on(c, &s, memory);
    }
    hlo_piece_leave(c->call, memory);
}

void hlo_convolve_tiles(const hlo_convolution *c) {
    hlo_pack_convolution_kernel(c);
    if (c->call->follower) hlo_start_block_counts(&c->counts, c->call);
    hlo_parallel(c->groups * row_shares(c) * column_shares(c), hlo_grain(share_cost(c)),
                 convolve_shares, (void *)c);
}
