/* Custom calls: those that specify where values are, those that hand a value on, and those that
 * work on batches. What others do is not known: they get whole arrays. */
#include "passes/spmd/partition.h"
#include "passes/spmd/sharding_rules_ops.h"

/* ---- batches ---- */

static void describe_call(hlo_partitioner *p, const hlo_instr *call, hlo_factors *f) {
    (void)p;
    for (uint32_t d = 0; d < hlo_call_batch_dims(call); d++) hlo_factor_everywhere(call, f, d);
}

/* The layouts that a call demands of its operands, of tiles. */
static const hlo_shapes *tile_layouts(hlo_partitioner *p, const hlo_placed *s,
                                      const hlo_shapes *old) {
    hlo_shapes *shapes =
        hlo_arena_zero(&p->r->module->arena, sizeof *shapes + old->n * sizeof shapes->v[0]);
    shapes->n = old->n;
    for (uint32_t i = 0; i < old->n; i++)
        shapes->v[i] = hlo_part_shape(p, old->v[i], s->operands[i].tiles);
    return shapes;
}

static hlo_instr *make_call(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_instr like = *s->instr;
    hlo_instr **operands =
        hlo_arena_copy(&p->scratch, s->data, (like.operand_count + 1u) * sizeof *operands);
    like.attrs = hlo_arena_copy(&p->scratch, like.attrs, like.attr_count * sizeof *like.attrs);
    for (uint32_t a = 0; a < like.attr_count; a++) {
        if (like.attrs[a].id != HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS) continue;
        const hlo_shapes *shapes = tile_layouts(p, s, like.attrs[a].u.shapes);
        like.attrs[a].u.shapes = shapes;
        for (uint32_t i = 0; i < shapes->n; i++)
            operands[i] = hlo_emit_laid_out(p->r, operands[i], shapes->v[i]);
    }
    return hlo_emit_like(p->r, &like, s->shape, operands, like.operand_count);
}

const hlo_partition_rule hlo_part_batched_call = {describe_call, make_call, NULL};

/* ---- all ---- */

/* What devices hold becomes their own value, or the other way round: the data stays. */
static hlo_shards *relabelled(hlo_partitioner *p, hlo_instr *call, const hlo_tiling **wanted) {
    hlo_shards *from = hlo_part_operand(p, call, 0);
    hlo_shard x = from->leaves[0];
    const hlo_attr *attr = hlo_instr_attr(hlo_operand(call, 0), HLO_ATTR_SHARDING);
    if (from->n != 1 || !hlo_shape_is_array(call->shape))
        return hlo_part_refuse(p, "requires one operand and one result");
    if (!attr) x = hlo_reshard(p, x, hlo_part_whole_tiling(p, x.shape->rank));
    const hlo_shape *shape = hlo_part_shape(p, call->shape, wanted[0]);
    if (!hlo_shape_compatible(shape, x.data->shape))
        return hlo_part_refuse(p, "has a shape that is not that of a device's part");
    hlo_shards *out = hlo_shards_new(p, call->shape);
    out->leaves[0] = (hlo_shard){x.data, call->shape, wanted[0]};
    return out;
}

typedef enum { CALL_UNKNOWN, CALL_RELABELS, CALL_HANDS_ON } call_kind;

static call_kind kind_of(const hlo_instr *call) {
    HLO_ASSERT(call->opcode == HLO_OP_CUSTOM_CALL);
    static const struct {
        const char *target;
        call_kind kind;
    } kinds[] = {{"SPMDFullToShardShape", CALL_RELABELS},
                 {"SPMDShardToFullShape", CALL_RELABELS},
                 {"Sharding", CALL_HANDS_ON},
                 {"ShardBarrierFrom", CALL_HANDS_ON},
                 {"ShardBarrierTo", CALL_HANDS_ON},
                 {"xla.sdy.FuncResultSharding", CALL_HANDS_ON},
                 {"xla.sdy.PropagationBarrier", CALL_HANDS_ON}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (hlo_calls_target(call, kinds[i].target)) return kinds[i].kind;
    return CALL_UNKNOWN;
}

hlo_shards *hlo_part_custom_call(hlo_partitioner *p, hlo_instr *call) {
    call_kind kind = kind_of(call);
    if (kind == CALL_UNKNOWN && hlo_call_batch_dims(call))
        return hlo_part_by_factors(p, call, &hlo_part_batched_call);
    if (kind == CALL_UNKNOWN || call->operand_count != 1) return hlo_part_whole(p, call);
    const hlo_tiling **wanted = hlo_part_wanted(p, call);
    if (!wanted) return NULL;
    if (kind == CALL_RELABELS) return relabelled(p, call, wanted);
    hlo_shards *x = hlo_part_operand(p, call, 0);
    if (!hlo_shape_compatible(x->shape, call->shape)) return hlo_part_whole(p, call);
    return hlo_shards_as(p, x, wanted);
}
