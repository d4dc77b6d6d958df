/* Arrays with other tiles: the collectives, slices and copies that do each step. */
#include "passes/spmd/partition_steps.h"

/* More elements, of which nothing is known, or fewer, along a dimension. */
static hlo_instr *resized(hlo_partitioner *p, hlo_instr *x, uint32_t d, int64_t size) {
    HLO_ASSERT(d < x->shape->rank && size >= 0);
    HLO_ASSERT(d < x->shape->rank);
    int64_t has = x->shape->dims[d];
    if (has > size) return hlo_build_slice(p->r, x, d, 0, size);
    if (has == size) return x;
    const hlo_shape *scalar = hlo_shape_scalar(&p->r->module->shapes, (hlo_type)x->shape->type);
    return hlo_build_pad(p->r, x, hlo_build_integer(p->r, scalar, 0), d, 0, size - has);
}

static hlo_instr *send_to_others(hlo_partitioner *p, const hlo_shard *x) {
    int64_t *others = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++) others[i] = i != x->tiles->only;
    const hlo_shape *s32 = hlo_shape_scalar(&p->r->module->shapes, HLO_S32);
    hlo_instr *other = hlo_part_number(p, others), *zero = hlo_build_integer(p->r, s32, 0);
    hlo_instr *has = hlo_build_compare(p->r, other, zero, "EQ");
    const hlo_shape *pred = hlo_shape_with_type(&p->r->module->shapes, x->data->shape, HLO_PRED);
    if (x->shape->rank) has = hlo_emit_broadcast(p->r, pred, has, NULL, 0);
    hlo_instr *zeros = hlo_build_integer(p->r, x->data->shape, 0);
    hlo_instr *own = hlo_build_select(p->r, has, x->data, zeros);
    const hlo_tiling *apart = hlo_tiling_manual(&p->scratch, 0, p->count);
    return hlo_part_sum(p, own, hlo_tile_groups(&p->scratch, apart, (bool[]){true}));
}

/* Devices that need what they have keep it; the others are paired in order. */
static hlo_instr *permuted(hlo_partitioner *p, const hlo_shard *x, const hlo_tiling *to) {
    const hlo_tiling *from = x->tiles;
    int64_t *source = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++) source[i] = -1;
    for (int64_t tile = 0; tile < p->count / to->copies; tile++) {
        const int64_t *giver = from->devices + tile * to->copies;
        for (int64_t k = 0; k < to->copies; k++) {
            int64_t needs = to->devices[tile * to->copies + k];
            if (from->places[needs] == tile) {
                source[needs] = needs;
                continue;
            }
            while (to->places[*giver] == tile) giver++;
            source[needs] = *giver++;
        }
    }
    return hlo_part_permute(p, x->data, source);
}

/* The dimension `d` becomes two: `parts`, and what is in one. */
static hlo_instr *cut(hlo_partitioner *p, hlo_instr *x, uint32_t d, int64_t parts) {
    HLO_ASSERT(d < x->shape->rank && parts > 0);
    uint32_t rank = x->shape->rank, n = 0;
    int64_t *sizes = HLO_NEW_ARRAY(&p->scratch, int64_t, rank + 1);
    for (uint32_t k = 0; k < rank; k++) {
        if (k == d) sizes[n++] = parts;
        sizes[n++] = k == d ? x->shape->dims[k] / parts : x->shape->dims[k];
    }
    return hlo_build_reshape(p->r, x, sizes, n);
}

/* Dimension `part` is put before what was dimension `d` without it, and joined with that. */
static hlo_instr *joined_before(hlo_partitioner *p, hlo_instr *x, uint32_t part, uint32_t d) {
    HLO_ASSERT(part < x->shape->rank && d < x->shape->rank);
    uint32_t rank = x->shape->rank, n = 0, at = d < part ? d : d + 1, m = 0;
    int64_t *order = HLO_NEW_ARRAY(&p->scratch, int64_t, rank);
    int64_t *sizes = HLO_NEW_ARRAY(&p->scratch, int64_t, rank);
    for (uint32_t k = 0; k < rank; k++) {
        if (k == part) continue;
        if (k == at) order[n++] = part;
        order[n++] = k;
        sizes[m++] = x->shape->dims[k] * (k == at ? x->shape->dims[part] : 1);
    }
    return hlo_build_reshape(p->r, hlo_build_transpose(p->r, x, order), sizes, m);
}

/* Groups of `parts` devices that have neighbouring tiles along the dimension. */
static const hlo_int_lists *neighbours(hlo_partitioner *p, const hlo_tiling *t, uint32_t d,
                                       int64_t parts) {
    HLO_ASSERT(t->tiles[d] % parts == 0);
    bool *chosen = HLO_NEW_ARRAY(&p->scratch, bool, t->rank + 1u);
    chosen[d] = true;
    const hlo_int_lists *lines = hlo_tile_groups(&p->scratch, t, chosen);
    uint32_t pieces = (uint32_t)(t->tiles[d] / parts), n = lines->n * pieces;
    hlo_int_lists *groups = hlo_arena_zero(&p->scratch, sizeof *groups + n * sizeof groups->v[0]);
    groups->n = n;
    for (uint32_t g = 0; g < n; g++)
        groups->v[g] = hlo_ints_from(&p->scratch, lines->v[g / pieces]->v + g % pieces * parts,
                                     (uint32_t)parts);
    return groups;
}

static hlo_instr *exchange(hlo_partitioner *p, const hlo_shard *x, const hlo_reshard_step *s) {
    uint32_t i = s->dimension, j = s->other;
    int64_t parts = x->tiles->tiles[i] / s->tiles->tiles[i];
    int64_t size = parts * hlo_tile_size(x->shape->dims[j], s->tiles->tiles[j]);
    hlo_instr *pieces = cut(p, resized(p, x->data, j, size), j, parts);
    pieces = hlo_part_all_to_all(p, pieces, j, neighbours(p, x->tiles, i, parts));
    return resized(p, joined_before(p, pieces, j, i), i,
                   hlo_tile_size(x->shape->dims[i], s->tiles->tiles[i]));
}

static hlo_instr *sliced(hlo_partitioner *p, const hlo_shard *x, const hlo_reshard_step *s) {
    uint32_t d = s->dimension, rank = x->shape->rank;
    int64_t parts = s->tiles->tiles[d] / x->tiles->tiles[d];
    const hlo_shape *shape = hlo_part_shape(p, x->shape, s->tiles);
    int64_t *offsets = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (int64_t i = 0; i < p->count; i++)
        offsets[i] = hlo_tile_at(s->tiles, i, d) % parts * shape->dims[d];
    hlo_instr *wide = resized(p, x->data, d, parts * shape->dims[d]);
    return hlo_build_dynamic_slice(p->r, wide, hlo_part_indices(p, rank, d, offsets), shape->dims);
}

static hlo_instr *gathered(hlo_partitioner *p, const hlo_shard *x, const hlo_reshard_step *s) {
    uint32_t d = s->dimension;
    int64_t parts = x->tiles->tiles[d] / s->tiles->tiles[d];
    hlo_instr *whole = hlo_part_all_gather(p, x->data, d, neighbours(p, x->tiles, d, parts));
    return resized(p, whole, d, hlo_tile_size(x->shape->dims[d], s->tiles->tiles[d]));
}

static hlo_instr *made(hlo_partitioner *p, const hlo_shard *x, const hlo_reshard_step *s) {
    switch (s->kind) {
    case HLO_STEP_SPREAD: return send_to_others(p, x);
    case HLO_STEP_PERMUTE: return permuted(p, x, s->tiles);
    case HLO_STEP_EXCHANGE: return exchange(p, x, s);
    case HLO_STEP_SLICE: return sliced(p, x, s);
    case HLO_STEP_GATHER: return gathered(p, x, s);
    default: return x->data;
    }
}

/* Where the steps from the data are listed. */
static hlo_made_step **steps_from(hlo_partitioner *p, const hlo_instr *data) {
    return &p->steps[((uintptr_t)data >> 6) % HLO_MADE_STEP_LISTS];
}

/* Each step of the same data is made once. */
static hlo_instr *made_once(hlo_partitioner *p, const hlo_shard *x, const hlo_reshard_step *s) {
    hlo_made_step **list = steps_from(p, x->data);
    for (const hlo_made_step *step = *list; step; step = step->next)
        if (step->from == x->data && hlo_tiling_equal(step->tiles, s->tiles)) return step->to;
    hlo_made_step *step = HLO_NEW(&p->arena, hlo_made_step);
    *step = (hlo_made_step){*list, x->data, made(p, x, s), hlo_part_kept(p, s->tiles)};
    *list = step;
    return step->to;
}

/* Nothing has to be sent of an array without elements. */
static hlo_shard empty(hlo_partitioner *p, const hlo_shape *shape, const hlo_tiling *to) {
    hlo_instr *none = hlo_build_integer(p->r, hlo_part_shape(p, shape, to), 0);
    return (hlo_shard){none, shape, to};
}

hlo_shard hlo_reshard(hlo_partitioner *p, hlo_shard x, const hlo_tiling *to) {
    HLO_ASSERT(x.data && x.tiles && to && x.tiles->rank == to->rank);
    if (!hlo_shape_is_array(x.shape)) return (hlo_shard){x.data, x.shape, to};
    if (hlo_shape_elements(x.shape) == 0) return empty(p, x.shape, to);
    for (;;) {
        hlo_reshard_step s = hlo_next_reshard_step(&p->scratch, x.shape, x.tiles, to);
        if (s.kind == HLO_STEP_NONE) return (hlo_shard){x.data, x.shape, to};
        if (s.kind == HLO_STEP_IMPOSSIBLE) {
            hlo_part_refuse(
                p, "uses per-device values (manual) where all devices must have one value");
            return (hlo_shard){x.data, x.shape, to};
        }
        x.data = made_once(p, &x, &s);
        x.tiles = s.tiles;
    }
}
