/* Infeed and outfeed: each device has a separate queue, which brings or takes its tiles. */
#include "passes/spmd/partition.h"

/* ---- one device alone ---- */

/* The only device that has some array, -1: there is none; tiles of tokens do not count. */
static int64_t only_device(hlo_partitioner *p, const hlo_shape *shape,
                           const hlo_tiling *const *tiles) {
    const hlo_shards *x = hlo_shards_new(p, shape);
    for (uint32_t i = 0; i < x->n; i++)
        if (hlo_shape_is_array(x->leaves[i].shape) && tiles[i]->only >= 0) return tiles[i]->only;
    return -1;
}

/* Zeros of that shape, and the token. */
static hlo_instr *nothing(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *token) {
    if (hlo_shape_is_array(shape)) return hlo_build_integer(r, shape, 0);
    if (!hlo_shape_is_tuple(shape)) return token;
    hlo_instr **elements = hlo_malloc((shape->rank + 1) * sizeof *elements);
    for (uint32_t i = 0; i < shape->rank; i++) elements[i] = nothing(r, shape->elements[i], token);
    hlo_instr *tuple = hlo_emit_tuple(r, elements, shape->rank);
    hlo_free(elements);
    return tuple;
}

/* A computation of a tuple of the operands, the last of which is a token: the instruction, or
 * nothing. */
static hlo_computation *branch(hlo_rewriter *r, const hlo_instr *instr, const hlo_shape *operands,
                               bool does) {
    hlo_body body = hlo_build_open(r, does ? "does" : "does_not");
    hlo_instr *given = hlo_build_parameter(r, &body, 0, operands);
    hlo_instr **elements = hlo_malloc(operands->rank * sizeof *elements);
    for (uint32_t i = 0; i < operands->rank; i++) elements[i] = hlo_emit_element(r, given, i);
    hlo_instr *token = elements[operands->rank - 1];
    hlo_instr *root = does ? hlo_emit_like(r, instr, instr->shape, elements, operands->rank)
                           : nothing(r, instr->shape, token);
    hlo_free(elements);
    return hlo_build_close(r, &body, root);
}

/* One device does it, the others go on with zeros, which are unused. */
static hlo_instr *done_by(hlo_partitioner *p, const hlo_instr *instr, int64_t device,
                          hlo_instr *const *operands) {
    hlo_rewriter *r = p->r;
    int64_t *chosen = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    chosen[device] = 1;
    hlo_instr *number = hlo_part_number(p, chosen);
    hlo_instr *one = hlo_build_integer(r, number->shape, 1);
    hlo_instr *is_it = hlo_build_compare(r, number, one, "EQ");
    hlo_instr *given = hlo_emit_tuple(r, operands, instr->operand_count);
    hlo_computation *does = branch(r, instr, given->shape, true);
    hlo_computation *does_not = branch(r, instr, given->shape, false);
    hlo_attr attrs[] = {{.id = HLO_ATTR_TRUE_COMPUTATION, .u.computation = does},
                        {.id = HLO_ATTR_FALSE_COMPUTATION, .u.computation = does_not}};
    hlo_instr *all[] = {is_it, given, given};
    return hlo_emit(r, HLO_OP_CONDITIONAL, instr->shape, all, 3, attrs, 2);
}

/* What all devices do, each for its tile, keeps the sharding. */
static hlo_instr *done_by_all(hlo_partitioner *p, const hlo_instr *instr, const hlo_shape *shape,
                              hlo_instr *const *operands) {
    hlo_instr *made = hlo_emit_like(p->r, instr, shape, operands, instr->operand_count);
    const hlo_attr *sharding = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (sharding) hlo_instr_set_attr(made, *sharding);
    return made;
}

/* ---- infeed ---- */

/* All arrays are the same device's. */
static bool all_for(hlo_partitioner *p, const hlo_shape *shape, const hlo_tiling *const *tiles,
                    int64_t device) {
    const hlo_shards *x = hlo_shards_new(p, shape);
    bool all = true;
    for (uint32_t i = 0; i < x->n; i++)
        all &= !hlo_shape_is_array(x->leaves[i].shape) || tiles[i]->only == device;
    return all;
}

hlo_shards *hlo_part_infeed(hlo_partitioner *p, hlo_instr *instr) {
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    if (!wanted) return NULL;
    HLO_ASSERT(instr->opcode == HLO_OP_INFEED);
    int64_t device = only_device(p, instr->shape, wanted);
    hlo_instr *token = hlo_part_array(p, instr, 0).data;
    if (device >= 0 && !all_for(p, instr->shape, wanted, device))
        return hlo_part_refuse(p, "moves some arrays to a single device, which is not supported");
    const hlo_shape *shape = hlo_part_shape_of(p, instr->shape, wanted);
    hlo_instr *made =
        device >= 0 ? done_by(p, instr, device, &token) : done_by_all(p, instr, shape, &token);
    return hlo_shards_of(p, made, instr->shape, wanted);
}

/* ---- outfeed ---- */

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
    HLO_ASSERT(instr->opcode == HLO_OP_OUTFEED);
    hlo_shards *x = hlo_part_operand(p, instr, 0);
    const hlo_tiling **tiles = outgoing(p, instr, x);
    if (!tiles) return NULL;
    int64_t device = only_device(p, x->shape, tiles);
    if (device >= 0 && !all_for(p, x->shape, tiles, device))
        return hlo_part_refuse(p, "reads some arrays of a single device, which is not supported");
    hlo_instr *operands[] = {hlo_shards_pack(p, x, tiles), hlo_part_array(p, instr, 1).data};
    hlo_instr *made = device >= 0 ? done_by(p, instr, device, operands)
                                  : done_by_all(p, instr, instr->shape, operands);
    hlo_attr shape = {.id = HLO_ATTR_OUTFEED_SHAPE, .u.shape = operands[0]->shape};
    if (hlo_instr_attr(made, HLO_ATTR_OUTFEED_SHAPE)) hlo_instr_set_attr(made, shape);
    return hlo_shards_of(p, made, instr->shape, hlo_part_whole_tiles(p, instr->shape));
}
