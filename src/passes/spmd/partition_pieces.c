/* Elements that each device needs of tiles, sent in pieces: for each distance between two tiles one
 * permutation of as many elements as some device needs over that distance. */
#include "base/math.h"
#include "passes/spmd/partition.h"

/* What goes from tile c + distance to tile c. */
typedef struct {
    int64_t distance, size; /* size: elements, the same for all; 0: nothing is sent */
    int64_t *first;         /* by c: the position in the array of the first one; -1: nothing */
} tile_piece;

/* The elements of tile t that tile c needs, from *first on; how many. */
static int64_t needed(const hlo_shard *x, const hlo_reach *reach, int64_t c, int64_t t,
                      int64_t *first) {
    int64_t size = x->data->shape->dims[reach->dimension];
    int64_t from = reach->first + c * reach->step, end = from + reach->size;
    *first = hlo_larger(hlo_larger(from, t * size), 0);
    end = hlo_smaller(end, hlo_smaller((t + 1) * size, x->shape->dims[reach->dimension]));
    return end > *first ? end - *first : 0;
}

/* Every piece lies in one tile: where fewer elements are needed, neighbours come with them. */
static tile_piece piece_at(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach,
                           int64_t distance) {
    int64_t tiles = x->tiles->tiles[reach->dimension], first;
    int64_t tile_size = x->data->shape->dims[reach->dimension];
    tile_piece piece = {distance, 0, HLO_NEW_ARRAY(&p->scratch, int64_t, tiles)};
    for (int64_t c = 0; c < tiles; c++)
        if (c + distance >= 0 && c + distance < tiles)
            piece.size = hlo_larger(piece.size, needed(x, reach, c, c + distance, &first));
    for (int64_t c = 0; c < tiles; c++) {
        int64_t t = c + distance;
        bool is_needed = t >= 0 && t < tiles && needed(x, reach, c, t, &first);
        piece.first[c] = is_needed ? hlo_smaller(first, (t + 1) * tile_size - piece.size) : -1;
    }
    return piece;
}

int64_t hlo_pieces_size(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach) {
    int64_t tiles = x->tiles->tiles[reach->dimension], all = 0;
    for (int64_t k = 1 - tiles; k < tiles; k++)
        if (k) all += piece_at(p, x, reach, k).size;
    return all;
}

/* What the devices of each tile give to those of the tile at the distance. */
static hlo_instr *given(hlo_partitioner *p, const hlo_shard *x, uint32_t d,
                        const tile_piece *piece) {
    const hlo_shape *tile = x->data->shape;
    int64_t *starts = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++) {
        int64_t t = hlo_tile_at(x->tiles, i, d), c = t - piece->distance;
        bool is_there = c >= 0 && c < x->tiles->tiles[d] && piece->first[c] >= 0;
        starts[i] = is_there ? piece->first[c] - t * tile->dims[d] : 0;
    }
    if (piece->size == tile->dims[d]) return x->data;
    if (hlo_all_equal(starts, p->count))
        return hlo_build_slice(p->r, x->data, d, starts[0], starts[0] + piece->size);
    int64_t *sizes = hlo_arena_copy(&p->scratch, tile->dims, tile->rank * sizeof *sizes);
    sizes[d] = piece->size;
    return hlo_build_dynamic_slice(p->r, x->data, hlo_part_indices(p, tile->rank, d, starts),
                                   sizes);
}

static hlo_instr *sent(hlo_partitioner *p, const hlo_shard *x, uint32_t d,
                       const tile_piece *piece) {
    hlo_instr *data = given(p, x, d, piece);
    int64_t *source = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    if (piece->distance == 0) return data;
    for (int64_t i = 0; i < p->count; i++) {
        int64_t c = hlo_tile_at(x->tiles, i, d);
        source[i] =
            piece->first[c] < 0 ? -1 : hlo_tile_neighbour(x->tiles, i, d, c + piece->distance);
    }
    return hlo_part_permute(p, data, source);
}

/* How much space pieces need before and after the elements that each device wants: nothing of value
 * is written over, as all elements of a piece are where they are in the array, and a piece that a
 * device does not need goes after the end. */
typedef struct {
    int64_t low, high;
} piece_space;

static void make_space(piece_space *space, const hlo_reach *reach, const tile_piece *piece,
                       int64_t tiles) {
    for (int64_t c = 0; c < tiles; c++) {
        int64_t at = piece->first[c] - (reach->first + c * reach->step);
        if (piece->first[c] < 0) at = reach->size;
        space->low = hlo_larger(space->low, -at);
        space->high = hlo_larger(space->high, at + piece->size - reach->size);
    }
}

static hlo_instr *placed(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach,
                         const tile_piece *piece, hlo_instr *to, int64_t low) {
    uint32_t d = reach->dimension;
    int64_t *at = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++) {
        int64_t c = hlo_tile_at(x->tiles, i, d);
        at[i] = low + (piece->first[c] < 0 ? reach->size
                                           : piece->first[c] - reach->first - c * reach->step);
    }
    return hlo_build_dynamic_update(p->r, to, sent(p, x, d, piece),
                                    hlo_part_indices(p, to->shape->rank, d, at));
}

hlo_instr *hlo_shard_pieces(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach) {
    uint32_t d = reach->dimension, rank = x->data->shape->rank;
    int64_t tiles = x->tiles->tiles[d];
    piece_space space = {0, 0};
    tile_piece *pieces = HLO_NEW_ARRAY(&p->scratch, tile_piece, 2 * tiles - 1);
    for (int64_t k = 0; k < 2 * tiles - 1; k++) {
        pieces[k] = piece_at(p, x, reach, k - tiles + 1);
        if (pieces[k].size) make_space(&space, reach, &pieces[k], tiles);
    }
    int64_t *sizes = hlo_arena_copy(&p->scratch, x->data->shape->dims, rank * sizeof *sizes);
    sizes[d] = space.low + reach->size + space.high;
    const hlo_shape *shape = hlo_shape_of_sizes(p->r, (hlo_type)x->data->shape->type, sizes, rank);
    hlo_instr *all = hlo_build_integer(p->r, shape, 0);
    for (int64_t k = 0; k < 2 * tiles - 1; k++)
        if (pieces[k].size) all = placed(p, x, reach, &pieces[k], all, space.low);
    return space.low + space.high
               ? hlo_build_slice(p->r, all, d, space.low, space.low + reach->size)
               : all;
}
