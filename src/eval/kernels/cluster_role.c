/* What can be in a cluster: the one place that says so, for the kernel of fusion and for the pass
 * that makes fusions for it. */
#include "eval/kernels/cluster_program.h"

/* The first element of a constant stands for all of a tile; more are read like any other array. */
static hlo_cluster_role role_of_constant(const hlo_instr *instr) {
    bool is_one = hlo_instr_attr(instr, HLO_ATTR_VALUE) && hlo_shape_elements(instr->shape) == 1;
    return is_one ? HLO_CLUSTER_SOURCE : HLO_CLUSTER_NEVER;
}

static hlo_cluster_role role_of_iota(const hlo_instr *instr) {
    bool counts = hlo_lanes_convert(HLO_S64, (hlo_type)instr->shape->type) != NULL;
    return counts ? HLO_CLUSTER_SOURCE : HLO_CLUSTER_NEVER;
}

/* Operands have as many elements as the result, or one. */
static hlo_cluster_role role_of_elementwise(const hlo_instr *instr) {
    hlo_lanes lanes;
    int64_t elements = hlo_shape_elements(instr->shape);
    if (!hlo_lanes_find(instr, &lanes)) return HLO_CLUSTER_NEVER;
    for (uint32_t i = 0; i < lanes.arity; i++) {
        int64_t count = hlo_shape_elements(hlo_operand(instr, i)->shape);
        if (count != elements && count != 1) return HLO_CLUSTER_NEVER;
    }
    return HLO_CLUSTER_WORK;
}

static bool has_fixed_sizes(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && !shape->is_dynamic;
}

hlo_cluster_role hlo_cluster_role_of(const hlo_instr *instr) {
    if (!has_fixed_sizes(instr->shape)) return HLO_CLUSTER_NEVER;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!has_fixed_sizes(hlo_operand(instr, i)->shape)) return HLO_CLUSTER_NEVER;
    int64_t inner;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_CONSTANT: return role_of_constant(instr);
    case HLO_OP_IOTA: return role_of_iota(instr);
    case HLO_OP_BROADCAST:
        return hlo_broadcast_inner(instr, &inner) ? HLO_CLUSTER_MOVE : HLO_CLUSTER_NEVER;
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE: return HLO_CLUSTER_MOVE;
    default: return role_of_elementwise(instr);
    }
}

bool hlo_broadcast_inner(const hlo_instr *broadcast, int64_t *inner) {
    const hlo_ints *to = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    const hlo_shape *shape = broadcast->shape;
    int64_t next = -1; /* of the result, after what has been met of the operand */
    for (uint32_t i = 0; i < to->n; i++) {
        if (shape->dims[to->v[i]] == 1) continue;
        if (next >= 0 && to->v[i] < next) return false;
        for (; next >= 0 && next < to->v[i]; next++)
            if (shape->dims[next] != 1) return false;
        next = to->v[i] + 1;
    }
    *inner = next < 0 ? 1 : hlo_elements_after(shape, next - 1);
    return true;
}
