/* Values as leaves with tiles: making them, packing them into tuples, giving them other tiles. */
#include "passes/spmd/partition.h"

void *hlo_part_refuse(hlo_partitioner *p, const char *why) {
    const hlo_instr *at = p->at;
    if (!p->failed)
        hlo_error(p->diags, HLO_RULE_PIPELINE, at->at.hi ? p->r->module->source : NULL, at->at,
                  "spmd-partitioner: '%.*s' (%s) %s", (int)at->name->len, at->name->ptr,
                  hlo_info(at)->text, why);
    p->failed = true;
    return NULL;
}

/* ---- tilings ---- */

/* Programs have few different ones. */
const hlo_tiling *hlo_part_kept(hlo_partitioner *p, const hlo_tiling *tiling) {
    if (!tiling) return NULL;
    for (size_t i = 0; i < p->tilings.n; i++)
        if (hlo_tiling_equal(p->tilings.v[i], tiling)) return p->tilings.v[i];
    const hlo_tiling *kept = hlo_tiling_copy(&p->arena, tiling);
    hlo_list_push(&p->tilings, kept);
    return kept;
}

const hlo_tiling *hlo_part_whole_tiling(hlo_partitioner *p, uint32_t rank) {
    for (size_t i = 0; i < p->tilings.n; i++)
        if (p->tilings.v[i]->rank == rank && hlo_tiling_is_whole(p->tilings.v[i]))
            return p->tilings.v[i];
    return hlo_part_kept(p, hlo_tiling_whole(&p->scratch, rank, p->count));
}

/* ---- shapes ---- */

const hlo_shape *hlo_part_shape(hlo_partitioner *p, const hlo_shape *whole,
                                const hlo_tiling *tiles) {
    if (!hlo_shape_is_array(whole) || tiles->only >= 0) return whole;
    int64_t *sizes = HLO_NEW_ARRAY(&p->scratch, int64_t, whole->rank + 1u);
    for (uint32_t d = 0; d < whole->rank; d++)
        sizes[d] = hlo_tile_size(whole->dims[d], tiles->tiles[d]);
    return hlo_shape_array(&p->r->module->shapes, (hlo_type)whole->type, sizes, whole->rank,
                           whole->is_dynamic, whole->layout->minor_to_major, whole->layout->parts);
}

/* `tiles` goes on to the leaves that follow. */
static const hlo_shape *shape_of(hlo_partitioner *p, const hlo_shape *whole,
                                 const hlo_tiling *const **tiles) {
    if (!hlo_shape_is_tuple(whole)) return hlo_part_shape(p, whole, *(*tiles)++);
    const hlo_shape **elements = HLO_NEW_ARRAY(&p->arena, const hlo_shape *, whole->rank + 1u);
    for (uint32_t i = 0; i < whole->rank; i++) elements[i] = shape_of(p, whole->elements[i], tiles);
    return hlo_shape_tuple(&p->r->module->shapes, elements, whole->rank);
}

const hlo_shape *hlo_part_shape_of(hlo_partitioner *p, const hlo_shape *whole,
                                   const hlo_tiling *const *tiles) {
    return shape_of(p, whole, &tiles);
}

/* ---- values ---- */

static void list_leaves(const hlo_shape *shape, hlo_shards *x) {
    if (hlo_shape_is_tuple(shape))
        for (uint32_t i = 0; i < shape->rank; i++) list_leaves(shape->elements[i], x);
    else x->leaves[x->n++].shape = shape;
}

hlo_instr *hlo_scalar_zero(hlo_partitioner *p, const hlo_shape *like) {
    hlo_shapes_table *table = &p->r->module->shapes;
    return hlo_build_integer(p->r, hlo_shape_scalar(table, (hlo_type)like->type), 0);
}

hlo_shards *hlo_shards_new(hlo_partitioner *p, const hlo_shape *shape) {
    uint32_t n = hlo_shape_leaf_count(shape);
    hlo_shards *x = hlo_arena_zero(&p->arena, sizeof *x + n * sizeof x->leaves[0]);
    x->shape = shape;
    list_leaves(shape, x);
    return x;
}

/* The arrays that `made` holds become the data of the leaves from `next` on. */
static void unpack(hlo_partitioner *p, hlo_instr *made, hlo_shards *x, uint32_t *next) {
    if (!hlo_shape_is_tuple(made->shape)) {
        x->leaves[(*next)++].data = made;
        return;
    }
    for (uint32_t i = 0; i < made->shape->rank; i++)
        unpack(p, hlo_emit_element(p->r, made, i), x, next);
}

hlo_shards *hlo_shards_of(hlo_partitioner *p, hlo_instr *made, const hlo_shape *shape,
                          const hlo_tiling *const *tiles) {
    hlo_shards *x = hlo_shards_new(p, shape);
    uint32_t next = 0;
    unpack(p, made, x, &next);
    for (uint32_t i = 0; i < x->n; i++) x->leaves[i].tiles = tiles[i];
    x->whole = made;
    return x;
}

hlo_shards *hlo_part_operand(hlo_partitioner *p, const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    return p->known[hlo_operand(instr, i)->index];
}

hlo_shard hlo_part_array(hlo_partitioner *p, const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    return hlo_part_operand(p, instr, i)->leaves[0];
}

hlo_shards *hlo_shards_element(hlo_partitioner *p, const hlo_shards *tuple, uint32_t k) {
    HLO_ASSERT(hlo_shape_is_tuple(tuple->shape) && k < tuple->shape->rank);
    uint32_t first = 0;
    for (uint32_t i = 0; i < k; i++) first += hlo_shape_leaf_count(tuple->shape->elements[i]);
    hlo_shards *x = hlo_shards_new(p, tuple->shape->elements[k]);
    memcpy(x->leaves, tuple->leaves + first, x->n * sizeof x->leaves[0]);
    return x;
}

static hlo_instr *pack(hlo_partitioner *p, const hlo_shape *shape, const hlo_shards *x,
                       uint32_t *next) {
    if (!hlo_shape_is_tuple(shape)) return x->leaves[(*next)++].data;
    hlo_instr **elements = HLO_NEW_ARRAY(&p->arena, hlo_instr *, shape->rank + 1u);
    for (uint32_t i = 0; i < shape->rank; i++) elements[i] = pack(p, shape->elements[i], x, next);
    return hlo_emit_tuple(p->r, elements, shape->rank);
}

static bool have_tiles(const hlo_shards *x, const hlo_tiling *const *tiles) {
    bool same = true;
    for (uint32_t i = 0; same && i < x->n; i++)
        same = hlo_tiling_equal(x->leaves[i].tiles, tiles[i]);
    return same;
}

hlo_shards *hlo_shards_as(hlo_partitioner *p, const hlo_shards *x, const hlo_tiling *const *tiles) {
    hlo_shards *out = hlo_shards_new(p, x->shape);
    for (uint32_t i = 0; i < x->n; i++) out->leaves[i] = hlo_reshard(p, x->leaves[i], tiles[i]);
    if (have_tiles(x, tiles)) out->whole = x->whole;
    return out;
}

hlo_instr *hlo_shards_pack(hlo_partitioner *p, const hlo_shards *x,
                           const hlo_tiling *const *tiles) {
    uint32_t next = 0;
    hlo_shards *as = hlo_shards_as(p, x, tiles);
    return as->whole ? as->whole : pack(p, x->shape, as, &next);
}

/* ---- tiles that shardings ask for ---- */

const hlo_tiling **hlo_part_whole_tiles(hlo_partitioner *p, const hlo_shape *shape) {
    hlo_shards *x = hlo_shards_new(p, shape);
    const hlo_tiling **tiles = HLO_NEW_ARRAY(&p->arena, const hlo_tiling *, x->n + 1u);
    for (uint32_t i = 0; i < x->n; i++) {
        const hlo_shape *leaf = x->leaves[i].shape;
        uint32_t rank = hlo_shape_is_array(leaf) ? leaf->rank : 0;
        tiles[i] = hlo_part_whole_tiling(p, rank);
    }
    return tiles;
}

static bool is_manual(const hlo_partitioner *p, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_shards *x = p->known[hlo_operand(instr, i)->index];
        for (uint32_t k = 0; x && k < x->n; k++)
            if (hlo_tiling_is_manual(x->leaves[k].tiles) && p->count > 1) return true;
    }
    return false;
}

static const hlo_tiling *tiles_of(hlo_partitioner *p, const hlo_sharding *s,
                                  const hlo_shape *leaf) {
    const char *why = NULL;
    bool is_array = hlo_shape_is_array(leaf);
    if (!is_array && (s->kind == HLO_SHARDING_TILED || s->kind == HLO_SHARDING_NAMED))
        return hlo_part_whole_tiling(p, 0);
    const hlo_tiling *tiles =
        hlo_tiling_of_sharding(&p->scratch, s, is_array ? leaf->rank : 0, p->count, &why);
    return tiles ? hlo_part_kept(p, tiles) : hlo_part_refuse(p, why);
}

/* The sharding of an outfeed is not that of its token. */
const hlo_tiling **hlo_part_wanted(hlo_partitioner *p, const hlo_instr *instr) {
    bool says_operand = instr->opcode == HLO_OP_OUTFEED;
    const hlo_attr *attr = says_operand ? NULL : hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    const hlo_tiling **tiles = hlo_part_whole_tiles(p, instr->shape);
    static const hlo_sharding manual = {.kind = HLO_SHARDING_MANUAL};
    const hlo_sharding *s = attr ? attr->u.sharding : is_manual(p, instr) ? &manual : NULL;
    hlo_shards *x = hlo_shards_new(p, instr->shape);
    if (!s) return tiles;
    if (s->kind == HLO_SHARDING_TUPLE && s->n != x->n)
        return x->n ? hlo_part_refuse(p, "has a sharding with another number of leaves") : tiles;
    for (uint32_t i = 0; i < x->n; i++) {
        const hlo_sharding *own = s->kind == HLO_SHARDING_TUPLE ? s->elements[i] : s;
        tiles[i] = tiles_of(p, own, x->leaves[i].shape);
        if (!tiles[i]) return NULL;
    }
    return tiles;
}

const hlo_tiling *hlo_part_own_of(const hlo_tiling *const *tiles, const hlo_shape *shape) {
    for (uint32_t i = 0; i < hlo_shape_leaf_count(shape); i++)
        if (tiles[i]->tiles[tiles[i]->rank] > 1) return tiles[i];
    return NULL;
}

const hlo_tiling **hlo_part_own_tiles(hlo_partitioner *p, const hlo_shape *shape,
                                      const hlo_tiling *own) {
    hlo_shards *x = hlo_shards_new(p, shape);
    const hlo_tiling **tiles = hlo_part_whole_tiles(p, shape);
    for (uint32_t i = 0; own && i < x->n; i++) {
        const hlo_tiling *whole = tiles[i];
        tiles[i] =
            hlo_part_kept(p, hlo_tiling_with(&p->scratch, whole, whole->rank, own, own->rank));
    }
    return tiles;
}
