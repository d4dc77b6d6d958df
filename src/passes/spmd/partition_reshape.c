/* Rule of reshape: within a group of dimensions that hold the same elements, tiles of the first
 * dimension stay when they divide it on both sides. */
#include "base/math.h"
#include "passes/spmd/partition.h"
#include "shape/reshape_groups.h"

/* The first dimension of from .. to that is not of size 1; `to` when there is none. */
static uint32_t leading(const hlo_shape *shape, uint32_t from, uint32_t to) {
    HLO_ASSERT(from <= to && to <= shape->rank);
    while (from < to && shape->dims[from] == 1) from++;
    return from;
}

/* Nothing but ones after the leading dimension. */
static bool is_alone(const hlo_shape *shape, uint32_t lead, uint32_t end) {
    return leading(shape, lead + 1, end) == end;
}

static void describe_reshape(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_RESHAPE || instr->opcode == HLO_OP_BITCAST);
    (void)p;
    hlo_reshape_group g = {0};
    const hlo_shape *from = hlo_operand(instr, 0)->shape, *to = instr->shape;
    while (hlo_reshape_next_group(from, to, &g)) {
        uint32_t a = leading(from, g.from, g.from_end), b = leading(to, g.to, g.to_end);
        if (a == g.from_end || b == g.to_end) continue;
        hlo_factor_join(f, 0, a, b);
        if (is_alone(from, a, g.from_end) && is_alone(to, b, g.to_end)) continue;
        f->divides[f->count - 1] = hlo_gcd(from->dims[a], to->dims[b]);
    }
}

const hlo_partition_rule hlo_part_reshape = {describe_reshape, NULL, NULL};
