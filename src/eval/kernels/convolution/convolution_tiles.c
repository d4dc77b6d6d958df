/* Convolutions as matrix products: a row of the left matrix is a window, of which only the
 * addresses are collected, and the right one is the kernel, packed in strips once for all. */
#include <string.h>

#include "base/pool.h"
#include "eval/kernels/convolution/convolution_strips.h"

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
    return hlo_units(hlo_count_strips(c), hlo_units(c->rows, c->kernels->rows));
}

static int64_t column_shares(const hlo_convolution *c) {
    return hlo_units(c->wide, c->columns);
}

static int64_t all_shares(const hlo_convolution *c) {
    return c->groups / c->groups_of_share * row_shares(c) * column_shares(c);
}

/* Bytes of the packed kernel of a group. */
static int64_t packed_bytes(const hlo_convolution *c) {
    return hlo_round_up(c->wide, strip_columns(c)) * c->deep * c->kernels->bytes;
}

/* A share has all groups of features where its rows are few enough so: groups of few columns would
 * let threads write to the same lines of memory. */
static void set_shares(hlo_convolution *c) {
    int64_t most = COLUMN_BYTES / c->kernels->bytes, across = hlo_units(c->wide, most);
    c->columns = hlo_round_up(hlo_units(c->wide, across), strip_columns(c));
    c->rows = LEAST_ROWS;
    bool are_enough = row_shares(c) * column_shares(c) >= ENOUGH_SHARES;
    c->groups_of_share = c->batch_groups || !are_enough ? 1 : c->groups;
    c->rows = MOST_ROWS;
    while (c->rows > LEAST_ROWS && all_shares(c) < ENOUGH_SHARES) c->rows /= 2;
    while (c->rows > HLO_GEMM_ROWS && c->rows > MOST_ADDRESSES / c->window_volume) c->rows /= 2;
    c->strips_of_share = hlo_smaller(hlo_units(c->rows, c->kernels->rows), hlo_count_strips(c));
    c->rows = c->strips_of_share * c->kernels->rows;
}

/* Padding is read at the places of all features. */
static size_t zero_bytes(const hlo_convolution *c) {
    return (size_t)((c->run > c->features ? c->run : c->features) * c->bytes);
}

static void prepare_strips(hlo_preparation *p, hlo_convolution *c) {
    const hlo_gemm_set *set = hlo_gemm_chosen();
    bool is_complex = hlo_type_is_complex(c->type);
    int64_t depth = c->window_volume * c->run;
    hlo_type sums = hlo_type_part(c->type);
    c->kernels = c->pairs ? set->pairs(c->stored).kernels : set->kernels(sums);
    c->storage = c->pairs ? set->pairs(c->stored).storage : set->storage(c->stored, sums);
    c->deep = is_complex ? 2 * depth : c->pairs ? depth / 2 : depth;
    c->run_units = c->deep / c->window_volume;
    c->unit = c->run_units / c->joined.size;
    c->wide = is_complex ? 2 * c->out_group : c->out_group;
    size_t bytes = (size_t)(c->groups * packed_bytes(c));
    c->strips_at = hlo_prepare_scratch(p, bytes);
    bool is_same = !hlo_operand(p->instr, c->input_at)->shape->dynamic;
    if (all_rows(c) <= MOST_KEPT_ROWS && bytes <= MOST_KEPT && is_same)
        c->cached = hlo_prepare_cached(p, c->kernel_at, bytes);
    c->zeros_at = hlo_prepare_scratch(p, zero_bytes(c));
}

/* About as many nanoseconds as a share takes. */
static int64_t share_cost(const hlo_convolution *c) {
    int64_t area = hlo_smaller(c->rows, all_rows(c)) * hlo_smaller(c->columns, c->wide) / 32 + 1;
    if (area > HLO_PIECE_COST) return area;
    return area * hlo_smaller(c->groups_of_share * c->deep, HLO_PIECE_COST);
}

static void prepare_following(hlo_preparation *p, hlo_convolution *c) {
    c->is_followed = p->is_followed && c->groups == 1 && c->period == 1 && !c->stores;
    if (!c->is_followed) return;
    c->counts = hlo_prepare_block_counts(p, row_shares(c), column_shares(c), share_cost(c),
                                         c->rows * c->out_features);
    p->hands_on = c->hands_on = c->counts.early * c->rows * c->out_features;
    p->hands_on_unit = c->out_features;
}

void hlo_prepare_convolution_tiles(hlo_preparation *p, hlo_convolution *c) {
    prepare_strips(p, c);
    c->period = c->spatial ? hlo_window_period(&c->window[c->spatial - 1]) : 1;
    set_shares(c);
    p->piece_bytes = c->work_bytes = hlo_strips_bytes(c, c->strips_of_share);
    prepare_following(p, c);
}

/* ---- the kernel ---- */

static char *packed_kernel(const hlo_convolution *c, int64_t group) {
    return c->strips + group * packed_bytes(c);
}

/* Strips of all groups. */
static void pack_strips(void *context, int64_t first, int64_t last) {
    HLO_ASSERT(first >= 0 && first < last);
    const hlo_convolution *c = context;
    int64_t strips = hlo_round_up(c->wide, strip_columns(c)) / strip_columns(c);
    for (int64_t s = first; s < last; s++) {
        int64_t group = s / strips, j = s % strips * strip_columns(c);
        int64_t column = group * c->out_group + j * c->out_group / c->wide;
        c->storage->pack_columns(packed_kernel(c, group) + j * c->deep * c->kernels->bytes,
                                 c->kernel + column * c->bytes, c->out_features,
                                 hlo_smaller(strip_columns(c), c->wide - j), c->deep);
    }
}

static void pack_kernel(const hlo_convolution *c) {
    int64_t strips = hlo_round_up(c->wide, strip_columns(c)) / strip_columns(c);
    memset((char *)c->call->scratch + c->zeros_at, 0, zero_bytes(c));
    if (c->cached_now.is_made) return;
    hlo_parallel(c->groups * strips, hlo_grain(c->deep * strip_columns(c) / 8), pack_strips,
                 (void *)c);
    if (c->cached_now.data) hlo_call_set_cached(c->call, c->cached);
}

/* ---- shares ---- */

/* A tile of rows in any strip of columns; `at`: units of depth before it. */
typedef struct {
    hlo_gemm_tile tile;
    int64_t rows, at;
} row_tile;

/* Strips and columns of some groups of features, or of one of batches. */
enum { MOST_TILES = 128 };
typedef struct {
    const hlo_convolution *c;
    int64_t group, groups, first, strips, column, columns;
    hlo_strip_finder finder;
    row_tile *tiles; /* that are to be multiplied */
    int64_t count;
} share;

/* A part of the depth: some elements of the window, or a part of the run of one of them. */
typedef struct {
    int64_t element, elements, offset, depth; /* depth: of an element, in units */
} depth_block;

/* Sums of a row of the strip, in the first column of the first group. */
static char *sums_of(const hlo_convolution *c, const hlo_strip *strip, int64_t row) {
    return c->sums + (strip->first + row * c->period) * c->out_features * c->sum_bytes;
}

/* From there on to a column of a group. */
static int64_t column_at(const hlo_convolution *c, int64_t group, int64_t column) {
    return group * c->out_group * c->sum_bytes + column * c->kernels->bytes;
}

/* The tiles meet one strip of columns. */
static void multiply_columns(const share *s, int64_t group, int64_t column) {
    const hlo_convolution *c = s->c;
    int64_t columns = hlo_smaller(strip_columns(c), s->column + s->columns - column);
    int64_t width = columns <= c->kernels->lanes ? c->kernels->lanes : strip_columns(c);
    const char *strip = packed_kernel(c, group) + column * c->deep * c->kernels->bytes;
    int64_t offset = c->batch_groups ? 0 : group * c->run_units, to = column_at(c, group, column);
    for (int64_t i = 0; i < s->count; i++) {
        hlo_gemm_tile tile = s->tiles[i].tile;
        tile.offset += offset;
        tile.b = strip + s->tiles[i].at * width * c->kernels->bytes;
        tile.c = (char *)tile.c + to;
        hlo_gemm_multiply_tile(c->kernels, &tile, s->tiles[i].rows, columns);
    }
}

static void multiply_tiles(share *s) {
    for (int64_t g = s->group; g < s->group + s->groups; g++)
        for (int64_t j = s->column; j < s->column + s->columns; j += strip_columns(s->c))
            multiply_columns(s, g, j);
    s->count = 0;
}

/* The rows of a group meet the kernel along a part of the depth. */
static void add_tile(share *s, const hlo_strip *strip, const hlo_row_group *g,
                     const depth_block *b) {
    const hlo_convolution *c = s->c;
    if (s->count == MOST_TILES) multiply_tiles(s);
    row_tile *to = &s->tiles[s->count++];
    to->rows = g->rows;
    to->at = b->element * c->run_units + b->offset;
    to->tile = (hlo_gemm_tile){
        .rows = strip->addresses + b->element * HLO_GEMM_ROWS + g->row,
        .offset = b->offset,
        .segments = b->elements,
        .depth = b->depth,
        .step = 1,
        .c = sums_of(c, strip, g->row),
        .c_stride = c->period * c->out_features * c->sum_bytes / c->kernels->bytes,
        .adds = b->element > g->runs[0].first || b->offset > g->offset,
    };
}

/* What of the block the rows of a group meet, of which runs before g->next are done. */
static void add_group(share *s, const hlo_strip *strip, const hlo_row_group *g,
                      const depth_block *b) {
    int64_t block_end = b->element + b->elements;
    depth_block part = {.offset = b->offset > g->offset ? b->offset : g->offset};
    part.depth = hlo_smaller(b->offset + b->depth, g->offset + g->depth) - part.offset;
    for (int64_t i = g->next; i < g->count && part.depth > 0; i++) {
        int64_t first = g->runs[i].first > b->element ? g->runs[i].first : b->element;
        int64_t end = hlo_smaller(g->runs[i].end, block_end);
        if (first >= end) break;
        part.elements = part.depth == s->c->run_units ? end - first : 1;
        for (part.element = first; part.element < end; part.element += part.elements)
            add_tile(s, strip, g, &part);
    }
}

static void multiply_block(share *s, const depth_block *b) {
    for (int64_t i = 0; i < s->strips; i++) {
        const hlo_strip *strip = &s->finder.strips[i];
        for (int64_t g = 0; g < strip->count; g++) add_group(s, strip, &strip->groups[g], b);
    }
    multiply_tiles(s);
}

/* The first element of the window from `element` on that the group meets. */
static int64_t next_of_group(const hlo_convolution *c, hlo_row_group *g, int64_t element) {
    while (g->next < g->count && g->runs[g->next].end <= element) g->next++;
    if (g->next == g->count) return c->window_volume;
    return g->runs[g->next].first > element ? g->runs[g->next].first : element;
}

static int64_t next_element(const share *s, int64_t element) {
    int64_t next = s->c->window_volume;
    for (int64_t i = 0; i < s->strips; i++)
        for (int64_t g = 0; g < s->finder.strips[i].count; g++)
            next = hlo_smaller(next, next_of_group(s->c, &s->finder.strips[i].groups[g], element));
    return next;
}

/* How many elements of the window are met at once. */
static int64_t elements_at_once(const hlo_convolution *c) {
    int64_t at_once = HLO_GEMM_DEPTH / c->run_units;
    return at_once < 1 ? 1 : at_once;
}

/* Sums over elements from `element` on, as many as are met at once. */
static void multiply_elements(share *s, int64_t element) {
    const hlo_convolution *c = s->c;
    int64_t run = c->run_units;
    int64_t n = hlo_smaller(elements_at_once(c), c->window_volume - element);
    for (int64_t offset = 0; offset < run; offset += HLO_GEMM_DEPTH) {
        depth_block b = {element, n, offset, hlo_smaller(HLO_GEMM_DEPTH, run - offset)};
        multiply_block(s, &b);
    }
}

/* Rows that meet nothing but padding. */
static void clear_group(const share *s, const hlo_strip *strip, const hlo_row_group *g) {
    for (int64_t r = g->row; r < g->row + g->rows && !g->count; r++)
        for (int64_t q = s->group; q < s->group + s->groups; q++)
            memset(sums_of(s->c, strip, r) + column_at(s->c, q, s->column), 0,
                   (size_t)(s->columns * s->c->kernels->bytes));
}

static void start_groups(const share *s) {
    for (int64_t i = 0; i < s->strips; i++)
        for (int64_t g = 0; g < s->finder.strips[i].count; g++) {
            s->finder.strips[i].groups[g].next = 0;
            clear_group(s, &s->finder.strips[i], &s->finder.strips[i].groups[g]);
        }
}

/* ---- zeros that met no number ---- */

/* Padding that a row has for the sake of others in its group adds nothing, unless an element of the
 * kernel is infinite or no number: sums are no numbers then. */
static bool has_nan(const share *s, const hlo_strip *strip, int64_t row) {
    const void *sums = sums_of(s->c, strip, row) + column_at(s->c, s->group, s->column);
    const float *floats = sums;
    const double *doubles = sums;
    int found = 0;
    if (s->c->kernels->bytes == sizeof(float))
        for (int64_t j = 0; j < s->columns; j++) found |= floats[j] != floats[j];
    else
        for (int64_t j = 0; j < s->columns; j++) found |= doubles[j] != doubles[j];
    return found;
}

/* The sums of a row, without padding. */
static void multiply_row(share *s, const hlo_strip *strip, int64_t row) {
    hlo_row_group g = hlo_single_row(&s->finder, strip, row);
    int64_t all = s->c->window_volume, n = elements_at_once(s->c), run = s->c->run_units;
    clear_group(s, strip, &g);
    for (int64_t w = next_of_group(s->c, &g, 0); w < all; w = next_of_group(s->c, &g, w + n))
        for (int64_t offset = 0; offset < run; offset += HLO_GEMM_DEPTH) {
            depth_block b = {w, hlo_smaller(n, all - w), offset,
                             hlo_smaller(HLO_GEMM_DEPTH, run - offset)};
            add_group(s, strip, &g, &b);
        }
    multiply_tiles(s);
}

static void repeat_row(const share *all, const hlo_strip *strip, int64_t row) {
    share s = *all;
    s.groups = 1;
    for (s.group = all->group; s.group < all->group + all->groups; s.group++)
        if (has_nan(&s, strip, row)) multiply_row(&s, strip, row);
}

static void repeat_without_zeros(const share *s) {
    if (!hlo_type_is_float(hlo_type_part(s->c->type))) return;
    for (int64_t i = 0; i < s->strips; i++)
        for (int64_t g = 0; g < s->finder.strips[i].count; g++) {
            const hlo_row_group *group = &s->finder.strips[i].groups[g];
            for (int64_t r = group->row; group->zeros >> r; r++)
                if (group->zeros >> r & 1) repeat_row(s, &s->finder.strips[i], r);
        }
}

/* ---- all shares ---- */

static void multiply_share(share *s) {
    int64_t at_once = elements_at_once(s->c), all = s->c->window_volume;
    start_groups(s);
    for (int64_t w = next_element(s, 0); w < all; w = next_element(s, w + at_once))
        multiply_elements(s, w);
    repeat_without_zeros(s);
}

/* A share is complete. With the last one of its rows, the follower gets these as elements of the
 * result. */
static void hand_on(const share *s, char *memory) {
    const hlo_convolution *c = s->c;
    if (!hlo_count_share(&c->counts, c->call, s->first / c->strips_of_share)) return;
    int64_t row = s->first * c->kernels->rows, rows = hlo_smaller(c->rows, all_rows(c) - row);
    int64_t first = row * c->out_features, last = first + rows * c->out_features;
    hlo_accumulators_finish_part(&c->result, c->call->out, c->sums, first, last);
    c->call->follower->follow(c->call->follower, memory, first, last);
}

static void find_strips(const share *s) {
    int64_t batch_group = s->c->batch_groups ? s->group : 0;
    for (int64_t i = 0; i < s->strips; i++)
        hlo_find_strip(&s->finder, batch_group, s->first + i, i);
}

/* Some of all shares; columns change fastest, so that addresses serve several of them. */
static void convolve_shares(void *context, int64_t first, int64_t last) {
    HLO_ASSERT(first >= 0 && first < last);
    const hlo_convolution *c = context;
    char *memory = hlo_piece_take(c->call);
    hlo_strip_finder finder = hlo_new_strips(c, c->strips_of_share, memory);
    int64_t across = column_shares(c), down = row_shares(c);
    row_tile tiles[MOST_TILES];
    for (int64_t at = first; at < last; at++) {
        share s = {.c = c, .groups = c->groups_of_share, .finder = finder, .tiles = tiles};
        s.group = at / across / down * c->groups_of_share;
        s.first = at / across % down * c->strips_of_share;
        s.strips = hlo_smaller(c->strips_of_share, hlo_count_strips(c) - s.first);
        s.column = at % across * c->columns;
        s.columns = hlo_smaller(c->columns, c->wide - s.column);
        if (at == first || !s.column) find_strips(&s);
        multiply_share(&s);
        if (c->call->follower) hand_on(&s, memory);
    }
    hlo_piece_leave(c->call, memory);
}

void hlo_convolve_tiles(const hlo_convolution *c) {
    pack_kernel(c);
    if (c->call->follower) hlo_start_block_counts(&c->counts, c->call);
    hlo_parallel(all_shares(c), hlo_grain(share_cost(c)), convolve_shares, (void *)c);
}
