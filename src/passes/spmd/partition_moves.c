/* Rules of operations that move elements along dimensions: slice, pad, concatenate, reverse. Where
 * a dimension that they change has tiles, devices reach into their neighbours' tiles. */
#include "passes/spmd/partition.h"

static void describe_alike(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    (void)p;
    for (uint32_t d = 0; d < instr->shape->rank; d++) hlo_factor_everywhere(instr, f, d);
}

static bool is_tiled(const hlo_placed *s, uint32_t d) {
    HLO_ASSERT(d < hlo_shape_part(s->shape, 0)->rank);
    return hlo_factor_tiles(s, s->factors->results[0][d]) > 1;
}

/* ---- slice ---- */

static hlo_instr *make_slice(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_SLICE);
    const hlo_slice *old = hlo_instr_attr(s->instr, HLO_ATTR_SLICE)->u.slice;
    hlo_slice *slice = hlo_new_slice(p->r, old->n);
    hlo_shard x = s->operands[0];
    memcpy(slice->v, old->v, old->n * sizeof old->v[0]);
    for (uint32_t d = 0; d < old->n; d++) {
        if (!is_tiled(s, d)) continue;
        int64_t size = s->shape->dims[d], stride = old->v[d].stride;
        int64_t span = size ? (size - 1) * stride + 1 : 0;
        bool all = old->v[d].start == 0 && stride == 1 && size == x.data->shape->dims[d];
        if (!all)
            x.data =
                hlo_shard_reach(p, &x, &(hlo_reach){d, old->v[d].start, size * stride, span, NULL});
        slice->v[d].start = 0;
        slice->v[d].limit = span;
    }
    return hlo_emit_slice(p->r, s->shape, x.data, slice);
}

const hlo_partition_rule hlo_part_slice = {describe_alike, make_slice, NULL};

/* ---- pad ---- */

/* Between tiles of a dimension with interior padding the pattern of elements and padding has to
 * stay the same. */
static void describe_pad(hlo_partitioner *p, const hlo_instr *pad, hlo_factors *f) {
    HLO_ASSERT(pad->opcode == HLO_OP_PAD);
    HLO_ASSERT(pad->opcode == HLO_OP_PAD);
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    describe_alike(p, pad, f);
    for (uint32_t d = 0; d < padding->n; d++) {
        int64_t period = padding->v[d].interior + 1, size = pad->shape->dims[d];
        if (period > 1)
            f->divides[f->results[0][d]] = size && size % period == 0 ? size / period : 1;
    }
}

/* The elements of one tile of the result, and the padding that is left to do. */
static hlo_instr *pad_tile(hlo_partitioner *p, const hlo_shard *x, uint32_t d, int64_t size,
                           int64_t *low, int64_t *high, int64_t period, hlo_instr *fill) {
    int64_t phase = (-*low % period + period) % period;
    int64_t n = size ? (phase + size - 1) / period + 1 : 0;
    hlo_reach reach = {d, (-*low - phase) / period, size / period, n, fill};
    if (period == 1) reach.step = size;
    *low = -phase;
    *high = size - (n ? (n - 1) * period + 1 - phase : 0);
    return hlo_shard_reach(p, x, &reach);
}

static hlo_instr *make_pad(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_PAD);
    const hlo_padding *old = hlo_instr_attr(s->instr, HLO_ATTR_PADDING)->u.padding;
    hlo_padding *padding = hlo_new_padding(p->r, old->n);
    hlo_shard x = s->operands[0];
    memcpy(padding->v, old->v, old->n * sizeof old->v[0]);
    for (uint32_t d = 0; d < old->n; d++) {
        bool untouched = !old->v[d].low && !old->v[d].high && !old->v[d].interior;
        if (untouched || !is_tiled(s, d)) continue;
        x.data = pad_tile(p, &x, d, s->shape->dims[d], &padding->v[d].low, &padding->v[d].high,
                          old->v[d].interior + 1, s->data[1]);
    }
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    hlo_instr *operands[] = {x.data, s->data[1]};
    return hlo_emit(p->r, HLO_OP_PAD, s->shape, operands, 2, &attr, 1);
}

const hlo_partition_rule hlo_part_pad = {describe_pad, make_pad, NULL};

/* ---- concatenate ---- */

/* The operand of a slice that takes all but a part of one dimension, from *start up to *limit. */
static hlo_instr *sliced_from(const hlo_instr *slice, uint32_t d, int64_t *start, int64_t *limit) {
    if (slice->opcode != HLO_OP_SLICE) return NULL;
    const hlo_slice *v = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    hlo_instr *from = hlo_operand(slice, 0);
    for (uint32_t k = 0; k < v->n; k++) {
        bool is_whole = v->v[k].start == 0 && v->v[k].limit == from->shape->dims[k];
        if (v->v[k].stride != 1 || (k != d && !is_whole)) return NULL;
    }
    *start = v->v[d].start;
    *limit = v->v[d].limit;
    return from;
}

/* Of which instruction a concatenation is a rotation: its last part, from *start on, and then what
 * is before that. NULL: it is none. */
static hlo_instr *rotated_from(const hlo_instr *instr, uint32_t d, int64_t *start) {
    int64_t limit, from, end;
    if (instr->operand_count != 2) return NULL;
    hlo_instr *a = sliced_from(hlo_operand(instr, 0), d, start, &limit);
    hlo_instr *b = sliced_from(hlo_operand(instr, 1), d, &from, &end);
    bool is_rotation = a && a == b && from == 0 && end == *start && limit == a->shape->dims[d];
    return is_rotation ? a : NULL;
}

/* What the tiles `distance` further on have, in a circle, from start up to limit. */
static hlo_instr *from_circle(hlo_partitioner *p, const hlo_shard *x, uint32_t d, int64_t distance,
                              int64_t start, int64_t limit) {
    int64_t tiles = x->tiles->tiles[d];
    int64_t *source = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++)
        source[i] =
            hlo_tile_neighbour(x->tiles, i, d, (hlo_tile_at(x->tiles, i, d) + distance) % tiles);
    bool is_whole = start == 0 && limit == x->data->shape->dims[d];
    hlo_instr *piece = is_whole ? x->data : hlo_build_slice(p->r, x->data, d, start, limit);
    return distance % tiles ? hlo_part_permute(p, piece, source) : piece;
}

/* NULL when it is no rotation of tiles of one size. */
static hlo_instr *make_rotation(hlo_partitioner *p, const hlo_placed *s, uint32_t d) {
    int64_t start, size = s->shape->dims[d];
    hlo_instr *from = rotated_from(s->instr, d, &start);
    if (!from || size == 0 ||
        size * hlo_factor_tiles(s, s->factors->results[0][d]) != s->instr->shape->dims[d])
        return NULL;
    hlo_shard x = hlo_reshard(p, p->known[from->index]->leaves[0], s->results[0]);
    hlo_instr *parts[] = {from_circle(p, &x, d, start / size, start % size, size),
                          start % size ? from_circle(p, &x, d, start / size + 1, 0, start % size)
                                       : NULL};
    return hlo_build_concatenate(p->r, parts, parts[1] ? 2 : 1, d);
}

/* Of each operand what would be in the tile, and from its start on it counts. */
static hlo_instr *make_concatenate(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_CONCATENATE);
    uint32_t d = (uint32_t)hlo_attr_ints(s->instr, HLO_ATTR_DIMENSIONS)->v[0];
    if (!is_tiled(s, d)) return hlo_part_make_same(p, s);
    hlo_instr *rotated = make_rotation(p, s, d);
    if (rotated) return rotated;
    hlo_rewriter *r = p->r;
    const hlo_shape *s32 = hlo_shape_with_type(&r->module->shapes, s->shape, HLO_S32);
    hlo_instr *numbers = hlo_build_iota(r, s32, d), *joined = NULL;
    hlo_shard own = {numbers, s->instr->shape, s->results[0]};
    hlo_instr *offset = hlo_shard_offset(p, &own, d);
    offset = hlo_emit_broadcast(r, s32, offset, NULL, 0);
    hlo_instr *position = hlo_build_binary(r, HLO_OP_ADD, numbers, offset);
    int64_t start = 0, size = s->shape->dims[d];
    for (uint32_t i = 0; i < s->instr->operand_count; i++) {
        const hlo_shard *x = &s->operands[i];
        if (x->shape->dims[d] == 0) continue;
        hlo_instr *part = hlo_shard_reach(p, x, &(hlo_reach){d, -start, size, size, NULL});
        if (joined) {
            hlo_instr *first = hlo_build_integer(r, s32, start);
            hlo_instr *counts = hlo_build_compare(r, position, first, "GE");
            part = hlo_build_select(r, counts, part, joined);
        }
        joined = part;
        start += x->shape->dims[d];
    }
    return joined ? joined : hlo_part_make_same(p, s);
}

const hlo_partition_rule hlo_part_concatenate = {describe_alike, make_concatenate, NULL};

/* ---- reverse ---- */

/* Tiles in reverse order; what was after the end is before the beginning then. */
static hlo_instr *mirrored(hlo_partitioner *p, const hlo_shard *x, uint32_t d) {
    HLO_ASSERT(d < x->shape->rank);
    int64_t *source = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++)
        source[i] = hlo_tile_neighbour(x->tiles, i, d,
                                       x->tiles->tiles[d] - 1 - hlo_tile_at(x->tiles, i, d));
    return hlo_part_permute(p, x->data, source);
}

static hlo_instr *shifted(hlo_partitioner *p, const hlo_placed *s, hlo_instr *data, uint32_t d) {
    HLO_ASSERT(d < s->shape->rank);
    int64_t size = s->shape->dims[d], all = size * hlo_factor_tiles(s, s->factors->results[0][d]);
    int64_t *sizes = HLO_NEW_ARRAY(&p->scratch, int64_t, s->shape->rank);
    memcpy(sizes, s->instr->shape->dims, s->shape->rank * sizeof *sizes);
    sizes[d] = all;
    const hlo_shape *padded =
        hlo_shape_of_sizes(p->r, (hlo_type)s->shape->type, sizes, s->shape->rank);
    hlo_shard x = {data, padded, s->results[0]};
    return hlo_shard_reach(p, &x,
                           &(hlo_reach){d, all - s->instr->shape->dims[d], size, size, NULL});
}

static hlo_instr *make_reverse(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_REVERSE);
    const hlo_ints *dims = hlo_attr_ints(s->instr, HLO_ATTR_DIMENSIONS);
    hlo_shard x = s->operands[0];
    for (uint32_t i = 0; i < dims->n; i++)
        if (is_tiled(s, (uint32_t)dims->v[i])) x.data = mirrored(p, &x, (uint32_t)dims->v[i]);
    hlo_instr *made = hlo_emit_like(p->r, s->instr, s->shape, &x.data, 1);
    for (uint32_t i = 0; i < dims->n; i++)
        if (hlo_shard_is_uneven(&x, (uint32_t)dims->v[i]))
            made = shifted(p, s, made, (uint32_t)dims->v[i]);
    return made;
}

const hlo_partition_rule hlo_part_reverse = {describe_alike, make_reverse, NULL};
