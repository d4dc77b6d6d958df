/* Infeed and outfeed: each device has a queue of its own, which brings or takes its tiles. Called
 * by partition_rules.c. */
#include "passes/spmd/partition.h"

/* Some array is one device's alone; what is said of tokens does not count. */
static bool is_for_one(hlo_partitioner *p, const hlo_shape *shape, const hlo_tiling *const *tiles) {
    const hlo_shards *x = hlo_shards_new(p, shape);
    bool one = false;
    for (uint32_t i = 0; i < x->n; i++)
        one |= hlo_shape_is_array(x->leaves[i].shape) && tiles[i]->only >= 0;
    return one;
}

static hlo_shards *refuse_one(hlo_partitioner *p) {
    return hlo_part_refuse(p, "is done by one device only (maximal), which is not supported");
}

hlo_shards *hlo_part_infeed(hlo_partitioner *p, hlo_instr *instr) {
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    if (!wanted) return NULL;
    if (is_for_one(p, instr->shape, wanted)) return refuse_one(p);
    const hlo_shape *shape = hlo_part_shape_of(p, instr->shape, wanted);
    hlo_instr *token = hlo_part_array(p, instr, 0).data;
    hlo_instr *made = hlo_emit_like(p->r, instr, shape, &token, 1);
    return hlo_shards_of(p, made, instr->shape, wanted);
}

/* The sharding of an outfeed is that of what goes out; one for the token may follow. */
static const hlo_tiling **outgoing(hlo_partitioner *p, const hlo_instr *instr,
                                   const hlo_shards *x) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    const hlo_tiling **tiles = hlo_part_whole_tiles(p, x->shape);
    const char *why = NULL;
    if (!attr) return tiles;
    const hlo_sharding *s = attr->u.sharding;
    bool is_list = s->kind == HLO_SHARDING_TUPLE;
    if (is_list && s->n != x->n && s->n != x->n + 1)
        return hlo_part_refuse(p, "has a sharding with another number of leaves");
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t rank = hlo_shape_is_array(x->leaves[i].shape) ? x->leaves[i].shape->rank : 0;
        const hlo_tiling *t =
            hlo_tiling_of_sharding(&p->scratch, is_list ? s->elements[i] : s, rank, p->count, &why);
        if (!t) return hlo_part_refuse(p, why);
        tiles[i] = hlo_part_kept(p, t);
    }
    return tiles;
}

hlo_shards *hlo_part_outfeed(hlo_partitioner *p, hlo_instr *instr) {
    hlo_shards *x = hlo_part_operand(p, instr, 0);
    const hlo_tiling **tiles = outgoing(p, instr, x);
    if (!tiles) return NULL;
    if (is_for_one(p, x->shape, tiles)) return refuse_one(p);
    hlo_instr *operands[] = {hlo_shards_pack(p, x, tiles), hlo_part_array(p, instr, 1).data};
    hlo_instr *made = hlo_emit_like(p->r, instr, instr->shape, operands, 2);
    hlo_attr shape = {.id = HLO_ATTR_OUTFEED_SHAPE, .u.shape = operands[0]->shape};
    if (hlo_instr_attr(made, HLO_ATTR_OUTFEED_SHAPE)) hlo_instr_set_attr(made, shape);
    return hlo_shards_of(p, made, instr->shape, hlo_part_whole_tiles(p, instr->shape));
}
