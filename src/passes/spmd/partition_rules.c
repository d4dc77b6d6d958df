/* The rule of each operation, and operations that have none: constants, and what every device
 * computes as a whole. */
#include "analysis/match.h"
#include "passes/spmd/partition.h"

static const hlo_partition_rule *const rules[HLO_OP_COUNT] = {
    [HLO_OP_ALL_GATHER] = &hlo_part_collective,
    [HLO_OP_ALL_REDUCE] = &hlo_part_collective,
    [HLO_OP_ALL_TO_ALL] = &hlo_part_collective,
    [HLO_OP_BATCH_NORM_GRAD] = &hlo_part_batch_norm,
    [HLO_OP_BATCH_NORM_INFERENCE] = &hlo_part_batch_norm,
    [HLO_OP_BATCH_NORM_TRAINING] = &hlo_part_batch_norm,
    [HLO_OP_BITCAST_CONVERT] = &hlo_part_bitcast_convert,
    [HLO_OP_BROADCAST] = &hlo_part_broadcast,
    [HLO_OP_CHOLESKY] = &hlo_part_batched,
    [HLO_OP_COLLECTIVE_BROADCAST] = &hlo_part_collective,
    [HLO_OP_COLLECTIVE_PERMUTE] = &hlo_part_collective,
    [HLO_OP_CONCATENATE] = &hlo_part_concatenate,
    [HLO_OP_CONVOLUTION] = &hlo_part_convolution,
    [HLO_OP_COPY] = &hlo_part_elementwise,
    [HLO_OP_DOT] = &hlo_part_dot,
    [HLO_OP_DYNAMIC_SLICE] = &hlo_part_dynamic_slice,
    [HLO_OP_DYNAMIC_UPDATE_SLICE] = &hlo_part_dynamic_update_slice,
    [HLO_OP_FFT] = &hlo_part_batched,
    [HLO_OP_GATHER] = &hlo_part_gather,
    [HLO_OP_IOTA] = &hlo_part_iota,
    [HLO_OP_MAP] = &hlo_part_elementwise,
    [HLO_OP_PAD] = &hlo_part_pad,
    [HLO_OP_REDUCE] = &hlo_part_reduce,
    [HLO_OP_REDUCE_SCATTER] = &hlo_part_collective,
    [HLO_OP_REDUCE_WINDOW] = &hlo_part_reduce_window,
    [HLO_OP_REVERSE] = &hlo_part_reverse,
    [HLO_OP_RNG] = &hlo_part_rng,
    [HLO_OP_SCATTER] = &hlo_part_scatter,
    [HLO_OP_SELECT_AND_SCATTER] = &hlo_part_select_and_scatter,
    [HLO_OP_SLICE] = &hlo_part_slice,
    [HLO_OP_SORT] = &hlo_part_sort,
    [HLO_OP_TOPK] = &hlo_part_batched,
    [HLO_OP_TRANSPOSE] = &hlo_part_transpose,
    [HLO_OP_TRIANGULAR_SOLVE] = &hlo_part_batched,
};

/* Rules are for arrays; a copy, for example, may be of a tuple. */
static bool takes_arrays(const hlo_instr *instr) {
    bool arrays = true;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        arrays &= hlo_shape_is_array(hlo_operand(instr, i)->shape);
    return arrays;
}

static const hlo_partition_rule *rule_of(const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode < HLO_OP_COUNT);
    const hlo_partition_rule *rule = rules[instr->opcode];
    bool is_elementwise = (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) != 0;
    if (hlo_info(instr)->class == HLO_CLASS_COLLECTIVE && !hlo_part_is_collective(instr))
        return NULL;
    if (!takes_arrays(instr)) return NULL;
    return !rule && is_elementwise ? &hlo_part_elementwise : rule;
}

/* What is reported when an operation gets all of a dimension that has tiles. */
static const hlo_rewrite_id whole[HLO_OP_COUNT] = {
    [HLO_OP_BATCH_NORM_GRAD] = HLO_REWRITE_whole_batch_norm,
    [HLO_OP_BATCH_NORM_INFERENCE] = HLO_REWRITE_whole_batch_norm,
    [HLO_OP_BATCH_NORM_TRAINING] = HLO_REWRITE_whole_batch_norm,
    [HLO_OP_CHOLESKY] = HLO_REWRITE_whole_linear_algebra,
    [HLO_OP_CONVOLUTION] = HLO_REWRITE_whole_convolution,
    [HLO_OP_CUSTOM_CALL] = HLO_REWRITE_whole_custom_call,
    [HLO_OP_FFT] = HLO_REWRITE_whole_fft,
    [HLO_OP_GATHER] = HLO_REWRITE_whole_gather,
    [HLO_OP_REDUCE_WINDOW] = HLO_REWRITE_whole_windows,
    [HLO_OP_RESHAPE] = HLO_REWRITE_whole_reshape,
    [HLO_OP_SCATTER] = HLO_REWRITE_whole_scatter,
    [HLO_OP_SELECT_AND_SCATTER] = HLO_REWRITE_whole_select_and_scatter,
    [HLO_OP_SORT] = HLO_REWRITE_whole_sort,
    [HLO_OP_TOPK] = HLO_REWRITE_whole_sort,
    [HLO_OP_TRIANGULAR_SOLVE] = HLO_REWRITE_whole_linear_algebra,
};

void hlo_part_count_whole(hlo_partitioner *p, const hlo_instr *instr) {
    hlo_rewrite_id id = whole[instr->opcode];
    if (hlo_rewrites[id].pass != HLO_PASS_SPMD_PARTITIONER) id = HLO_REWRITE_whole_other;
    if (hlo_rewrite_allowed(p->r, id)) hlo_rewrite_count(p->r, id, instr->name);
}

static bool has_tiles(const hlo_shards *x) {
    bool any = false;
    for (uint32_t i = 0; i < x->n; i++) {
        const hlo_tiling *t = x->leaves[i].tiles;
        any |= t->only < 0 && t->copies * t->tiles[t->rank] < t->count;
    }
    return any;
}

/* Every device computes all of it, or, in manual regions, all of what is its own. */
hlo_shards *hlo_part_whole(hlo_partitioner *p, hlo_instr *instr) {
    uint32_t n = instr->operand_count;
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    if (!wanted) return NULL;
    const hlo_tiling *own = hlo_part_own_of(wanted, instr->shape);
    hlo_instr **operands = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, n + 1u);
    bool gathers = false;
    for (uint32_t i = 0; i < n; i++) {
        hlo_shards *x = hlo_part_operand(p, instr, i);
        gathers |= has_tiles(x);
        hlo_instr *operand = hlo_shards_pack(p, x, hlo_part_own_tiles(p, x->shape, own));
        operands[i] = hlo_emit_as_read(p->r, instr, i, operand);
    }
    hlo_instr *made = hlo_emit_like(p->r, instr, instr->shape, operands, n);
    if (gathers) hlo_part_count_whole(p, instr);
    const hlo_tiling **all = hlo_part_own_tiles(p, instr->shape, own);
    return hlo_shards_as(p, hlo_shards_of(p, made, instr->shape, all), wanted);
}

/* One number everywhere has the shape of a tile; other constants are cut. */
static hlo_shards *part_constant(hlo_partitioner *p, hlo_instr *constant) {
    HLO_ASSERT(constant->opcode == HLO_OP_CONSTANT);
    const void *element = hlo_splat_of(constant);
    const hlo_tiling **wanted = hlo_part_wanted(p, constant);
    if (!wanted || !element || constant->shape->rank == 0) return hlo_part_whole(p, constant);
    const hlo_shape *shape = hlo_part_shape_of(p, constant->shape, wanted);
    hlo_instr *made = hlo_emit_filled_with(p->r, shape, element);
    return hlo_shards_of(p, made, constant->shape, wanted);
}

/* Which device it is means something in manual regions only. */
static hlo_shards *part_partition_id(hlo_partitioner *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_PARTITION_ID);
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    if (!wanted) return NULL;
    bool is_own = hlo_tiling_is_manual(wanted[0]) || p->count == 1;
    return is_own ? hlo_part_whole(p, instr)
                  : hlo_part_refuse(p, "has no meaning outside of manual shardings");
}

hlo_shards *hlo_part_instr(hlo_partitioner *p, hlo_instr *instr) {
    const hlo_partition_rule *rule = rule_of(instr);
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_TUPLE:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_WHILE:
    case HLO_OP_CALL:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_OPT_BARRIER: return hlo_part_control(p, instr);
    case HLO_OP_CONSTANT: return part_constant(p, instr);
    case HLO_OP_PARTITION_ID: return part_partition_id(p, instr);
    case HLO_OP_RESHAPE: return hlo_part_reshaped(p, instr);
    case HLO_OP_CUSTOM_CALL: return hlo_part_custom_call(p, instr);
    case HLO_OP_INFEED: return hlo_part_infeed(p, instr);
    case HLO_OP_OUTFEED: return hlo_part_outfeed(p, instr);
    default: return rule ? hlo_part_by_factors(p, instr, rule) : hlo_part_whole(p, instr);
    }
}
