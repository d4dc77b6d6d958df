/* Tiles that devices have of arrays of all devices together: see whole_tiles.h. */
#include "host/whole_tiles.h"

hlo_sharded_leaf hlo_sharded_leaf_of(const hlo_instr *instr, const hlo_sharding *s, uint32_t number,
                                     const hlo_shape *shape) {
    bool is_tuple = s && s->kind == HLO_SHARDING_TUPLE && number < s->n;
    return (hlo_sharded_leaf){instr, is_tuple ? s->elements[number] : s, shape};
}

int64_t hlo_run_partitions(const hlo_run *run) {
    return hlo_module_int(run->module, HLO_ATTR_NUM_PARTITIONS);
}

int64_t hlo_run_partition_of(const hlo_run *run, uint32_t device) {
    return hlo_assigned_place(&run->program_options.assignment, device) % hlo_run_partitions(run);
}

const hlo_tiling *hlo_sharded_tiling(hlo_arena *arena, const hlo_run *run,
                                     const hlo_sharded_leaf *leaf, const char **why) {
    uint32_t rank = leaf->shape->rank;
    int64_t count = hlo_run_partitions(run);
    if (!leaf->sharding) return hlo_tiling_whole(arena, rank, count);
    *why = "has the sharding of another tuple";
    if (leaf->sharding->kind == HLO_SHARDING_TUPLE) return NULL;
    const hlo_tiling *t = hlo_tiling_of_sharding(arena, leaf->sharding, rank, count, why);
    if (!t || t->tiles[rank] == 1) return t;
    *why = "has a manual sharding: each device has a separate value";
    return NULL;
}

bool hlo_has_tiles(const hlo_shape *whole, const hlo_tiling *t, const hlo_shape *tile) {
    bool same = whole->type == tile->type && whole->rank == tile->rank;
    for (uint32_t d = 0; same && d < tile->rank; d++)
        same = tile->dims[d] ==
               (t->only >= 0 ? whole->dims[d] : hlo_tile_size(whole->dims[d], t->tiles[d]));
    return same;
}

const hlo_shape *hlo_joined_shape(hlo_shapes_table *shapes, hlo_arena *arena, const hlo_shape *tile,
                                  const hlo_tiling *t) {
    int64_t *dims = HLO_NEW_ARRAY(arena, int64_t, tile->rank + 1u);
    for (uint32_t d = 0; d < tile->rank; d++) {
        dims[d] = tile->dims[d];
        if (t && t->only < 0 && __builtin_mul_overflow(dims[d], t->tiles[d], &dims[d])) return NULL;
    }
    return hlo_shape_array(shapes, (hlo_type)tile->type, dims, tile->rank, NULL, NULL, NULL);
}

/* ---- cutting ---- */

hlo_tile_part hlo_tile_part_of(const hlo_tiling *t, int64_t partition, uint32_t dimension,
                               int64_t size) {
    if (t->only >= 0) return (hlo_tile_part){0, size};
    int64_t tile = hlo_tile_size(size, t->tiles[dimension]);
    int64_t begin = hlo_tile_at(t, partition, dimension) * tile;
    int64_t left = begin < size ? size - begin : 0;
    return (hlo_tile_part){begin, left < tile ? left : tile};
}

typedef struct {
    const hlo_shape *from, *to;
    const hlo_tile_part *parts;
    size_t element;
} cut;

/* From the dimension on; both are row-major. */
static void copy_tile(const cut *c, uint32_t dimension, char *to, const char *from) {
    if (dimension == c->from->rank) {
        memcpy(to, from, c->element);
        return;
    }
    int64_t to_stride = (int64_t)c->element, from_stride = (int64_t)c->element;
    for (uint32_t d = dimension + 1; d < c->from->rank; d++) {
        to_stride *= c->to->dims[d];
        from_stride *= c->from->dims[d];
    }
    const hlo_tile_part *p = &c->parts[dimension];
    from += p->begin * from_stride;
    if (dimension + 1 == c->from->rank) {
        memcpy(to, from, (size_t)(p->count * from_stride));
        return;
    }
    for (int64_t i = 0; i < p->count; i++)
        copy_tile(c, dimension + 1, to + i * to_stride, from + i * from_stride);
}

void hlo_cut_tile(hlo_arena *arena, hlo_value *tile, const hlo_value *whole, const hlo_tiling *t,
                  int64_t partition) {
    const hlo_shape *shape = tile->shape;
    HLO_ASSERT(hlo_has_tiles(whole->shape, t, shape));
    hlo_tile_part *parts = HLO_NEW_ARRAY(arena, hlo_tile_part, shape->rank + 1u);
    bool is_empty = hlo_shape_bytes(shape) <= 0;
    for (uint32_t d = 0; d < shape->rank; d++) {
        parts[d] = hlo_tile_part_of(t, partition, d, whole->shape->dims[d]);
        is_empty |= parts[d].count == 0;
    }
    const cut c = {whole->shape, shape, parts, hlo_types[shape->type].bytes};
    if (!is_empty) copy_tile(&c, 0, tile->data, whole->data);
}
