/* Rule of gather: batches and whole dimensions of windows may have tiles, dimensions that are
 * indexed too: each device takes what falls into its tile. */
#include "passes/spmd/partition_roles.h"

static void describe_gather(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_GATHER);
    (void)p;
    hlo_index_roles ro = hlo_index_roles_of(instr);
    hlo_describe_batches(instr, &ro, f, true);
    hlo_describe_inside(instr, &ro, f);
}

static hlo_attr slice_sizes(hlo_partitioner *p, const hlo_placed *s, const hlo_index_roles *ro) {
    const hlo_ints *old = hlo_attr_ints(s->instr, HLO_ATTR_SLICE_SIZES);
    hlo_ints *sizes = hlo_ints_from(&p->r->module->arena, old->v, old->n);
    for (uint32_t d = 0; d < old->n; d++) {
        int64_t outside;
        hlo_index_window(s->instr, ro, d, &outside);
        if (outside >= 0) sizes->v[d] = s->shape->dims[outside];
    }
    return (hlo_attr){.id = HLO_ATTR_SLICE_SIZES, .u.ints = sizes};
}

static hlo_instr *make_gather(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_GATHER);
    hlo_index_roles ro = hlo_index_roles_of(s->instr);
    bool cuts = hlo_cuts_indexed(s, &ro);
    if (cuts) {
        s->data[1] = hlo_indices_in_tiles(p, s, &ro);
        s->data[0] = hlo_indexed_with_margins(p, s, &ro, s->data[0]);
    }
    hlo_instr *made = hlo_part_make_same(p, s);
    hlo_instr_set_attr(made, slice_sizes(p, s, &ro));
    if (cuts) hlo_drop_index_order(made);
    return made;
}

const hlo_partition_rule hlo_part_gather = {describe_gather, make_gather, NULL};
