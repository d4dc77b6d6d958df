/* Edges of tiles: where a tile lies, elements after the end of the array, and elements that a
 * device needs of its neighbours (halos). */
#include "base/math.h"
#include "passes/spmd/partition.h"

/* ---- where a tile lies ---- */

hlo_instr *hlo_shard_offset(hlo_partitioner *p, const hlo_shard *x, uint32_t dimension) {
    HLO_ASSERT(dimension < x->data->shape->rank);
    int64_t *offsets = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++)
        offsets[i] = hlo_tile_at(x->tiles, i, dimension) * x->data->shape->dims[dimension];
    return hlo_part_number(p, offsets);
}

bool hlo_shard_is_uneven(const hlo_shard *x, uint32_t dimension) {
    HLO_ASSERT(dimension < x->shape->rank);
    int64_t size = x->shape->dims[dimension], tiles = x->tiles->tiles[dimension];
    return x->tiles->only < 0 && hlo_tile_size(size, tiles) * tiles != size;
}

/* ---- masks ---- */

static hlo_instr *spread_scalar(hlo_partitioner *p, hlo_instr *scalar, const hlo_shape *like) {
    const hlo_shape *shape =
        hlo_shape_with_type(&p->r->module->shapes, like, (hlo_type)scalar->shape->type);
    return like->rank ? hlo_emit_broadcast(p->r, shape, scalar, NULL, 0) : scalar;
}

/* first <= position < end along the dimension, positions counted from the scalar `start`. */
static hlo_instr *between(hlo_partitioner *p, const hlo_shape *shape, uint32_t dimension,
                          hlo_instr *start, int64_t end, bool from_zero) {
    hlo_rewriter *r = p->r;
    const hlo_shape *s32 = hlo_shape_with_type(&r->module->shapes, shape, HLO_S32);
    HLO_ASSERT(dimension < shape->rank);
    hlo_instr *position = hlo_build_iota(r, s32, dimension);
    hlo_instr *base = spread_scalar(p, start, shape);
    position = hlo_build_binary(r, HLO_OP_ADD, position, base);
    hlo_instr *limit = hlo_build_integer(r, s32, end);
    hlo_instr *inside = hlo_build_compare(r, position, limit, "LT");
    if (!from_zero) return inside;
    hlo_instr *zero = hlo_build_integer(r, s32, 0);
    hlo_instr *after = hlo_build_compare(r, position, zero, "GE");
    return hlo_build_binary(r, HLO_OP_AND, inside, after);
}

hlo_instr *hlo_shard_masked(hlo_partitioner *p, const hlo_shard *x, const bool *chosen,
                            hlo_instr *fill) {
    hlo_instr *mask = NULL;
    for (uint32_t d = 0; d < x->shape->rank; d++) {
        if (!chosen[d] || !hlo_shard_is_uneven(x, d)) continue;
        hlo_instr *start = hlo_shard_offset(p, x, d);
        hlo_instr *own = between(p, x->data->shape, d, start, x->shape->dims[d], false);
        mask = mask ? hlo_build_binary(p->r, HLO_OP_AND, mask, own) : own;
    }
    if (!mask) return x->data;
    hlo_instr *filled = spread_scalar(p, fill, x->data->shape);
    return hlo_build_select(p->r, mask, x->data, filled);
}

/* ---- reaching into other tiles ---- */

/* How many elements before and after its tile some device needs. */
typedef struct {
    int64_t left, right;
    bool goes_out; /* of the array */
} halo;

static halo halo_of(const hlo_shard *x, const hlo_reach *reach) {
    HLO_ASSERT(reach->dimension < x->shape->rank);
    int64_t whole = x->shape->dims[reach->dimension], tiles = x->tiles->tiles[reach->dimension];
    int64_t size = x->data->shape->dims[reach->dimension];
    halo h = {0, 0, false};
    for (int64_t c = 0; c < tiles; c++) {
        int64_t first = reach->first + c * reach->step, end = first + reach->size;
        h.goes_out |= first < 0 || end > whole;
        if (first < 0) first = 0;
        if (end > whole) end = whole;
        if (first >= end) continue;
        h.left = hlo_larger(h.left, c * size - first);
        h.right = hlo_larger(h.right, end - (c + 1) * size);
    }
    return h;
}

/* What the tile `distance` further on (negative: before) has, from start up to limit. */
static hlo_instr *from_neighbour(hlo_partitioner *p, const hlo_shard *x, uint32_t d,
                                 int64_t distance, int64_t start, int64_t limit) {
    int64_t *source = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++) {
        int64_t at = hlo_tile_at(x->tiles, i, d) + distance;
        bool there = at >= 0 && at < x->tiles->tiles[d];
        source[i] = there ? hlo_tile_neighbour(x->tiles, i, d, at) : -1;
    }
    bool all = start == 0 && limit == x->data->shape->dims[d];
    hlo_instr *piece = all ? x->data : hlo_build_slice(p->r, x->data, d, start, limit);
    HLO_ASSERT(d < x->data->shape->rank && start >= 0 && start <= limit);
    return hlo_part_permute(p, piece, source);
}

/* The tile with `left` elements before it and `right` after it. */
static hlo_instr *with_halo(hlo_partitioner *p, const hlo_shard *x, uint32_t d, const halo *h) {
    HLO_ASSERT(d < x->data->shape->rank);
    int64_t size = x->data->shape->dims[d];
    int64_t before = h->left ? (h->left + size - 1) / size : 0;
    int64_t after = h->right ? (h->right + size - 1) / size : 0;
    hlo_instr **parts = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, before + after + 1);
    uint32_t n = 0;
    for (int64_t k = before; k > 0; k--) {
        int64_t left = h->left - (k - 1) * size;
        parts[n++] = from_neighbour(p, x, d, -k, left < size ? size - left : 0, size);
    }
    parts[n++] = x->data;
    for (int64_t k = 1; k <= after; k++) {
        int64_t right = h->right - (k - 1) * size;
        parts[n++] = from_neighbour(p, x, d, k, 0, right < size ? right : size);
    }
    return hlo_build_concatenate(p->r, parts, n, d);
}

/* Of each tile's elements those from starts[c] on, by the tile's number c; where that begins or
 * ends outside, elements are unknown. */
static hlo_instr *taken(hlo_partitioner *p, hlo_instr *x, const hlo_tiling *tiles, uint32_t d,
                        const int64_t *starts, int64_t size) {
    HLO_ASSERT(d < x->shape->rank);
    hlo_rewriter *r = p->r;
    int64_t low = 0, high = 0, *offsets = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t c = 0; c < tiles->tiles[d]; c++) {
        low = hlo_larger(low, -starts[c]);
        high = hlo_larger(high, starts[c] + size - x->shape->dims[d]);
    }
    for (int64_t i = 0; i < p->count; i++) offsets[i] = starts[hlo_tile_at(tiles, i, d)] + low;
    const hlo_shape *scalar = hlo_shape_scalar(&r->module->shapes, (hlo_type)x->shape->type);
    if (low || high) x = hlo_build_pad(r, x, hlo_build_integer(r, scalar, 0), d, low, high);
    int64_t *sizes = HLO_NEW_ARRAY(&p->scratch, int64_t, x->shape->rank);
    hlo_instr **from = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, x->shape->rank);
    memcpy(sizes, x->shape->dims, x->shape->rank * sizeof *sizes);
    if (sizes[d] == size) return x;
    sizes[d] = size;
    hlo_instr *zero = hlo_build_integer(r, hlo_shape_scalar(&r->module->shapes, HLO_S32), 0);
    for (uint32_t k = 0; k < x->shape->rank; k++)
        from[k] = k == d ? hlo_part_number(p, offsets) : zero;
    return hlo_build_dynamic_slice(r, x, from, sizes);
}

/* Elements that are needed of all tiles: those around the tile where no other way sends less, in
 * pieces, or all. */
static hlo_instr *fetched(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach,
                          const halo *h) {
    uint32_t d = reach->dimension;
    int64_t tiles = x->tiles->tiles[d], size = x->data->shape->dims[d];
    bool gathers = h->left + h->right >= (tiles - 1) * size && tiles > 2;
    int64_t sends = gathers ? (tiles - 1) * size : h->left + h->right;
    hlo_instr *data;
    if (sends && hlo_pieces_size(p, x, reach) < sends) return hlo_shard_pieces(p, x, reach);
    int64_t *starts = HLO_NEW_ARRAY(&p->scratch, int64_t, tiles);
    for (int64_t c = 0; c < tiles; c++)
        starts[c] = reach->first + c * reach->step - (gathers ? 0 : c * size - h->left);
    if (gathers) data = hlo_reshard(p, *x, hlo_tiling_without(&p->scratch, x->tiles, d)).data;
    else data = with_halo(p, x, d, h);
    return taken(p, data, x->tiles, d, starts, reach->size);
}

hlo_instr *hlo_shard_reach(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach) {
    uint32_t d = reach->dimension;
    halo h = halo_of(x, reach);
    hlo_instr *data = fetched(p, x, reach, &h);
    if (!reach->fill || !h.goes_out) return data;
    int64_t *starts = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++)
        starts[i] = reach->first + hlo_tile_at(x->tiles, i, d) * reach->step;
    hlo_instr *start = hlo_part_number(p, starts);
    hlo_instr *inside = between(p, data->shape, d, start, x->shape->dims[d], true);
    hlo_instr *filled = spread_scalar(p, reach->fill, data->shape);
    return hlo_build_select(p->r, inside, data, filled);
}
