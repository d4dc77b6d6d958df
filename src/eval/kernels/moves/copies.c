/* Copies between arrays of other orders and distances: see strides.h. A copy is of rows of
 * neighbours, of tiles where the source's neighbours are another dimension's than the target's, or
 * of single elements. */
#include "base/pool.h"
#include "eval/kernel/strides.h"
#include "eval/kernels/moves/move_kernels.h"

_Atomic int64_t hlo_stream_bytes = 32 << 20;

typedef struct copy copy;
typedef void part_copier(const copy *c, hlo_walk *part);

struct copy {
    const hlo_walk *walk;
    char *to;
    const char *from;
    const hlo_move_set *moves;
    part_copier *copy_part;
    uint32_t bytes;     /* of a cell */
    uint32_t dimension; /* along which it is cut into pieces */
    bool streams;       /* too much for the caches */
};

/* ---- rows and elements ---- */

enum { LONG_ROW = 512, STAGE_BYTES = 4096 };

/* A row whose target are neighbours, by way of a stage in the first cache. */
static void stream_row(const copy *c, char *to, const char *from, int64_t from_stride, int64_t n) {
    _Alignas(64) char stage[STAGE_BYTES];
    int64_t bytes = c->bytes, at_once = STAGE_BYTES / bytes;
    uint32_t cell = hlo_cell_number(c->bytes);
    for (int64_t k = 0, m; k < n; k += m) {
        m = n - k < at_once ? n - k : at_once;
        if (k == 0 || from_stride || m < at_once)
            c->moves->row[cell](stage, bytes, from + k * from_stride, from_stride, m);
        c->moves->stream(to + k * bytes, stage, m * bytes);
    }
}

/* The row that the walk is at, of rows that lie `stride` apart: a separate inner dimension. */
typedef struct {
    int64_t count, to_stride, from_stride;
} inner;

static inner take_inner(hlo_walk *walk) {
    if (!walk->rank) return (inner){1, 0, 0};
    walk->rank--;
    return (inner){walk->size[walk->rank], walk->stride[walk->rank][0],
                   walk->stride[walk->rank][1]};
}

static void copy_rows(const copy *c, hlo_walk *walk) {
    inner in = take_inner(walk);
    int64_t bytes = in.count * c->bytes;
    for (bool more = hlo_walk_start(walk); more; more = hlo_walk_next(walk)) {
        char *to = c->to + walk->at[0];
        const char *from = c->from + walk->at[1];
        if (!c->streams || bytes < LONG_ROW) {
            c->moves->rows(to, walk->row_stride[0], from, walk->row_stride[1], bytes, walk->row);
            continue;
        }
        for (int64_t i = 0; i < walk->row; i++)
            c->moves->stream(to + i * walk->row_stride[0], from + i * walk->row_stride[1], bytes);
    }
}

/* Few columns and many rows: a column at a time, of so many rows as stay in the cache. */
static void copy_columns(const copy *c, const hlo_walk *walk, inner in) {
    enum { ROWS = 256 };
    uint32_t cell = hlo_cell_number(c->bytes);
    for (int64_t i = 0, n; i < walk->row; i += n) {
        n = walk->row - i < ROWS ? walk->row - i : ROWS;
        char *to = c->to + walk->at[0] + i * walk->row_stride[0];
        const char *from = c->from + walk->at[1] + i * walk->row_stride[1];
        for (int64_t k = 0; k < in.count; k++)
            c->moves->row[cell](to + k * in.to_stride, walk->row_stride[0],
                                from + k * in.from_stride, walk->row_stride[1], n);
    }
}

static void copy_cells(const copy *c, hlo_walk *walk) {
    enum { FEW = 8 };
    inner in = take_inner(walk);
    uint32_t cell = hlo_cell_number(c->bytes);
    bool streams = c->streams && in.to_stride == c->bytes && in.count * c->bytes >= LONG_ROW;
    for (bool more = hlo_walk_start(walk); more; more = hlo_walk_next(walk)) {
        if (in.count <= FEW && walk->row > in.count) {
            copy_columns(c, walk, in);
            continue;
        }
        for (int64_t i = 0; i < walk->row; i++) {
            char *to = c->to + walk->at[0] + i * walk->row_stride[0];
            const char *from = c->from + walk->at[1] + i * walk->row_stride[1];
            if (streams) stream_row(c, to, from, in.from_stride, in.count);
            else c->moves->row[cell](to, in.to_stride, from, in.from_stride, in.count);
        }
    }
}

/* ---- tiles ---- */

enum { LINE = 64 };

/* The last dimension is one of neighbours in the target, that before it in the source; some columns
 * of tiles at a time, so that as many rows of the target are written to. */
static void copy_tiles(const copy *c, hlo_walk *walk) {
    enum { CHUNK = 1024 };
    inner in = take_inner(walk);
    int64_t at_once = CHUNK / c->bytes;
    hlo_move_tile tile = {.rows = in.count, .from_stride = in.from_stride};
    for (bool more = hlo_walk_start(walk); more; more = hlo_walk_next(walk)) {
        tile.to_stride = walk->row_stride[0];
        for (int64_t k = 0; k < walk->row && !hlo_pool_is_stopped(); k += at_once) {
            tile.columns = walk->row - k < at_once ? walk->row - k : at_once;
            tile.to = c->to + walk->at[0] + k * tile.to_stride;
            tile.from = c->from + walk->at[1] + k * c->bytes;
            tile.streams =
                c->streams && ((uintptr_t)tile.to | (uintptr_t)tile.to_stride) % LINE == 0;
            c->moves->transpose[hlo_cell_number(c->bytes)](&tile);
        }
    }
}

/* Puts a dimension at another's place, further in; those between move out by one. */
static void move_dim(hlo_walk *walk, uint32_t d, uint32_t to) {
    int64_t size = walk->size[d], to_stride = walk->stride[d][0], from_stride = walk->stride[d][1];
    for (; d < to; d++) {
        walk->size[d] = walk->size[d + 1];
        memcpy(walk->stride[d], walk->stride[d + 1], sizeof walk->stride[d]);
    }
    walk->size[to] = size;
    walk->stride[to][0] = to_stride;
    walk->stride[to][1] = from_stride;
}

/* The innermost dimension of neighbours in array k; the rank: none is. */
static uint32_t dim_of_neighbours(const hlo_walk *walk, uint32_t k, uint32_t bytes) {
    for (uint32_t d = walk->rank; d-- > 0;)
        if (walk->stride[d][k] == bytes) return d;
    return walk->rank;
}

/* Makes a dimension of neighbours in the target the last one and one of neighbours in the source
 * that before it, where these are two. */
static bool pair_for_tiles(hlo_walk *walk, uint32_t bytes) {
    uint32_t last = walk->rank - 1, none = walk->rank;
    uint32_t to = dim_of_neighbours(walk, 0, bytes), from = dim_of_neighbours(walk, 1, bytes);
    if (to == none || from == none || to == from || walk->stride[to][1] == 0) return false;
    move_dim(walk, to, last);
    move_dim(walk, from - (from > to), last - 1);
    return true;
}

static bool has_rows(const hlo_walk *walk, uint32_t bytes) {
    uint32_t last = walk->rank - 1;
    return walk->rank && walk->stride[last][0] == bytes && walk->stride[last][1] == bytes;
}

/* Rows as short as a cell whose places change are cells of a transposition: takes them so; whether
 * it did. */
static bool widen_cells(hlo_walk *wide, const hlo_walk *walk, uint32_t *bytes) {
    if (walk->rank < 3 || !has_rows(walk, *bytes)) return false;
    int64_t row = walk->size[walk->rank - 1] * *bytes;
    if (row > 16 || (row & (row - 1))) return false;
    hlo_walk_part(wide, walk, walk->rank, 0, 1);
    HLO_ASSERT(wide->rank > 0);
    wide->rank--;
    if (!pair_for_tiles(wide, (uint32_t)row)) return false;
    *bytes = (uint32_t)row;
    return true;
}

/* ---- pieces ---- */

enum { PIECE = 1 << 15 };

static void copy_piece(void *context, int64_t first, int64_t last) {
    const copy *c = context;
    hlo_walk part;
    hlo_walk_part(&part, c->walk, c->dimension, first, last);
    c->copy_part(c, &part);
    if (c->streams) hlo_end_stream();
}

/* The longest dimension; of tiles rather the one along which the source's rows stay whole. */
static uint32_t dimension_of_pieces(const copy *c) {
    uint32_t longest = hlo_walk_longest(c->walk, 0), last = c->walk->rank - 1;
    bool is_column = c->copy_part == copy_tiles && longest + 1 == last;
    return is_column && c->walk->size[last] >= 4 * LINE ? last : longest;
}

/* Pieces of whole tiles: others would be cut at every border between threads. */
static void copy_in_pieces(copy *c, int64_t count) {
    c->streams = count >= hlo_stream_least() / c->bytes;
    c->dimension = dimension_of_pieces(c);
    int64_t size = c->walk->size[c->dimension], grain = PIECE / (count / size);
    grain = grain < 1 ? 1 : (grain + LINE - 1) / LINE * LINE;
    if (c->copy_part == copy_tiles && c->dimension + 2 >= c->walk->rank && grain < LINE)
        grain = LINE;
    hlo_parallel(size, grain, copy_piece, c);
}

void hlo_copy_walk(hlo_walk *walk, void *to, const void *from, uint32_t bytes) {
    if (walk->empty) return;
    hlo_walk wide;
    copy c = {.walk = walk, .to = to, .from = from, .moves = hlo_move_chosen(), .bytes = bytes};
    if (widen_cells(&wide, walk, &c.bytes)) {
        c.walk = walk = &wide;
        c.copy_part = copy_tiles;
    } else {
        c.copy_part = has_rows(walk, bytes)         ? copy_rows
                      : pair_for_tiles(walk, bytes) ? copy_tiles
                                                    : copy_cells;
    }
    int64_t count = hlo_walk_elements(walk);
    if (count > PIECE && hlo_walk_longest(walk, 0) < walk->rank) {
        copy_in_pieces(&c, count);
        return;
    }
    uint32_t rank = walk->rank;
    c.copy_part(&c, walk);
    walk->rank = rank;
}

void hlo_copy_row(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                  uint32_t bytes, int64_t n) {
    if (to_stride == bytes && from_stride == bytes) memcpy(to, from, (size_t)n * bytes);
    else hlo_move_chosen()->row[hlo_cell_number(bytes)](to, to_stride, from, from_stride, n);
}

void hlo_fill_elements(void *to, const void *element, uint32_t bytes, int64_t count) {
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    hlo_walk_dim2(&walk, count, bytes, 0);
    hlo_copy_walk(&walk, to, element, bytes);
}
