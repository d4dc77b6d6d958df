/* Rules of dynamic-slice and dynamic-update-slice. A dimension of which a part is taken or written
 * may have tiles: each device does what falls into its own. */
#include "passes/spmd/partition_indexed.h"

#include "ir/float_types.h"

/* ---- positions ---- */

static hlo_instr *clamped_in(hlo_partitioner *p, hlo_instr *x, int64_t least, int64_t most) {
    HLO_ASSERT(least <= most);
    hlo_type type = (hlo_type)x->shape->type;
    if (hlo_types[type].class != HLO_CLASS_SIGNED && least < 0) least = 0;
    hlo_instr *low = hlo_build_integer(p->r, x->shape, least);
    hlo_instr *high = hlo_build_integer(p->r, x->shape, most);
    hlo_instr *up = hlo_build_binary(p->r, HLO_OP_MAXIMUM, x, low);
    return hlo_build_binary(p->r, HLO_OP_MINIMUM, up, high);
}

/* Small types may not hold the bounds, large ones not fit into s32 before. */
hlo_instr *hlo_part_clamped(hlo_partitioner *p, hlo_instr *indices, int64_t least, int64_t most) {
    bool is_small = hlo_types[indices->shape->type].bits < 32;
    if (is_small) indices = hlo_build_convert(p->r, indices, HLO_S32);
    return hlo_build_convert(p->r, clamped_in(p, indices, least, most), HLO_S32);
}

hlo_instr *hlo_part_margins(hlo_partitioner *p, hlo_instr *x, uint32_t dimension, int64_t margin) {
    HLO_ASSERT(dimension < x->shape->rank && margin >= 0);
    const hlo_shape *scalar = hlo_shape_scalar(&p->r->module->shapes, (hlo_type)x->shape->type);
    hlo_instr *zero = hlo_build_integer(p->r, scalar, 0);
    return hlo_build_pad(p->r, x, zero, dimension, margin, margin);
}

hlo_instr *hlo_part_without_margins(hlo_partitioner *p, hlo_instr *x, uint32_t dimension,
                                    int64_t margin) {
    HLO_ASSERT(dimension < x->shape->rank);
    HLO_ASSERT(dimension < x->shape->rank);
    int64_t end = x->shape->dims[dimension] - margin;
    return hlo_build_slice(p->r, x, dimension, margin, end);
}

/* Where the window begins in a tile with margins, or in the dimension without tiles. */
static hlo_instr *start_in(hlo_partitioner *p, const hlo_placed *s, uint32_t d, hlo_instr *start,
                           int64_t window) {
    const hlo_shard *x = &s->operands[0];
    hlo_instr *clamped = hlo_part_clamped(p, start, 0, x->shape->dims[d] - window);
    if (x->tiles->tiles[d] == 1) return clamped;
    hlo_instr *offset = hlo_shard_offset(p, x, d);
    hlo_instr *margin = hlo_build_integer(p->r, clamped->shape, window);
    hlo_instr *moved = hlo_build_binary(p->r, HLO_OP_SUBTRACT, clamped, offset);
    return hlo_build_binary(p->r, HLO_OP_ADD, moved, margin);
}

/* ---- dynamic-slice ---- */

/* A part of a dimension comes from the tiles that it falls into: the others add zeros. */
static void describe_slice(hlo_partitioner *p, const hlo_instr *slice, hlo_factors *f) {
    (void)p;
    const hlo_shape *whole = hlo_operand(slice, 0)->shape;
    for (uint32_t d = 0; d < whole->rank; d++) {
        bool all = whole->dims[d] == slice->shape->dims[d];
        if (all) hlo_factor_join(f, 0, d, d);
        else f->operands[0][d] = hlo_factor_new(f, true, 0);
    }
}

/* The instruction's starts, `first` operands before them; zero where all of a dimension is meant.
 */
static hlo_instr **starts_of(hlo_partitioner *p, const hlo_placed *s, uint32_t first,
                             const hlo_shape *window) {
    const hlo_shape *whole = s->operands[0].shape;
    const hlo_shape *s32 = hlo_shape_scalar(&p->r->module->shapes, HLO_S32);
    hlo_instr **starts = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, whole->rank + 1u), *given;
    bool is_vector =
        s->instr->operand_count == first + 1 && hlo_operand(s->instr, first)->shape->rank == 1;
    for (uint32_t d = 0; d < whole->rank; d++) {
        if (whole->dims[d] == window->dims[d]) {
            starts[d] = hlo_build_integer(p->r, s32, 0);
            continue;
        }
        given = s->data[is_vector ? first : first + d];
        if (is_vector)
            given = hlo_build_reshape(p->r, hlo_build_slice(p->r, given, 0, d, d + 1), NULL, 0);
        starts[d] = start_in(p, s, d, given, window->dims[d]);
    }
    return starts;
}

static hlo_instr *make_dynamic_slice(hlo_partitioner *p, const hlo_placed *s) {
    const hlo_shard *x = &s->operands[0];
    hlo_instr *data = x->data, **starts = starts_of(p, s, 1, s->instr->shape);
    HLO_ASSERT(s->instr->opcode == HLO_OP_DYNAMIC_SLICE);
    for (uint32_t d = 0; d < x->shape->rank; d++) {
        int64_t window = s->instr->shape->dims[d];
        if (window != x->shape->dims[d] && x->tiles->tiles[d] > 1)
            data = hlo_part_margins(p, data, d, window);
    }
    return hlo_build_dynamic_slice(p->r, data, starts, s->shape->dims);
}

const hlo_partition_rule hlo_part_dynamic_slice = {describe_slice, make_dynamic_slice, NULL};

/* ---- dynamic-update-slice ---- */

static void describe_update(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE);
    (void)p;
    const hlo_shape *whole = instr->shape, *update = hlo_operand(instr, 1)->shape;
    for (uint32_t d = 0; d < whole->rank; d++) {
        hlo_factor_join(f, 0, d, d);
        if (whole->dims[d] == update->dims[d]) f->operands[1][d] = f->operands[0][d];
    }
}

static hlo_instr *make_dynamic_update(hlo_partitioner *p, const hlo_placed *s) {
    const hlo_shard *x = &s->operands[0];
    const hlo_shape *update = s->operands[1].shape;
    hlo_instr *data = x->data, **starts = starts_of(p, s, 2, update);
    HLO_ASSERT(s->instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE);
    for (uint32_t d = 0; d < x->shape->rank; d++)
        if (update->dims[d] != x->shape->dims[d] && x->tiles->tiles[d] > 1)
            data = hlo_part_margins(p, data, d, update->dims[d]);
    data = hlo_build_dynamic_update(p->r, data, s->data[1], starts);
    for (uint32_t d = 0; d < x->shape->rank; d++)
        if (update->dims[d] != x->shape->dims[d] && x->tiles->tiles[d] > 1)
            data = hlo_part_without_margins(p, data, d, update->dims[d]);
    return data;
}

const hlo_partition_rule hlo_part_dynamic_update_slice = {describe_update, make_dynamic_update,
                                                          NULL};
