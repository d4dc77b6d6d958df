/* What dimensions of gather and scatter are, and indices in tiles: see partition_roles.h. */
#include "passes/spmd/partition_roles.h"

/* ---- roles of dimensions ---- */

hlo_index_roles hlo_index_roles_of(const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_GATHER || instr->opcode == HLO_OP_SCATTER);
    bool is_gather = instr->opcode == HLO_OP_GATHER;
    uint32_t n = is_gather ? 1 : instr->operand_count / 2;
    return (hlo_index_roles){0, n, n + 1, is_gather, hlo_index_dims_of(instr)};
}

/* The shape of what lies outside: a gather's result, a scatter's updates. */
static const hlo_shape *windows_shape(const hlo_instr *instr, const hlo_index_roles *ro) {
    return ro->is_gather ? instr->shape : hlo_operand(instr, ro->result)->shape;
}

/* Dimension d of what lies outside belongs to the factor, in all results or updates. */
static void set_outside(const hlo_instr *instr, const hlo_index_roles *ro, hlo_factors *f,
                        uint32_t d, int32_t factor) {
    if (ro->is_gather) f->results[0][d] = factor;
    for (uint32_t i = ro->result; !ro->is_gather && i < instr->operand_count; i++)
        f->operands[i][d] = factor;
}

/* The same of what is indexed; a scatter's results are like it. */
static void set_inside(const hlo_index_roles *ro, hlo_factors *f, uint32_t d, int32_t factor) {
    for (uint32_t i = 0; i < ro->indices; i++) {
        f->operands[i][d] = factor;
        if (!ro->is_gather) f->results[i][d] = factor;
    }
}

int64_t hlo_index_window(const hlo_instr *instr, const hlo_index_roles *ro, uint32_t d,
                         int64_t *outside) {
    uint32_t number = 0;
    *outside = -1;
    if (hlo_index_drops(&ro->numbers, d)) return 1;
    for (uint32_t k = 0; k < d; k++) number += !hlo_index_drops(&ro->numbers, k);
    /* A dimension of two roles is dropped once and counted twice: the last ones have no place. */
    if (number >= ro->numbers.window->n) return 1;
    *outside = ro->numbers.window->v[number];
    return windows_shape(instr, ro)->dims[*outside];
}

/* ---- batches ---- */

/* The instruction counts 0, 1, 2 ... along the dimension. */
static bool counts(const hlo_instr *instr, int64_t dimension) {
    if (instr->opcode == HLO_OP_IOTA)
        return hlo_attr_int(instr, HLO_ATTR_IOTA_DIMENSION) == dimension;
    const hlo_instr *from = instr->opcode == HLO_OP_BROADCAST ? hlo_operand(instr, 0) : NULL;
    return from && from->opcode == HLO_OP_IOTA && from->shape->rank == 1 &&
           hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0] == dimension;
}

/* Number k of each index, when that is an array by itself; else NULL. */
static const hlo_instr *number_of(const hlo_instr *indices, const hlo_index_roles *ro, int64_t k) {
    if (ro->numbers.map->n == 1) return indices;
    bool joins = indices->opcode == HLO_OP_CONCATENATE &&
                 hlo_attr_ints(indices, HLO_ATTR_DIMENSIONS)->v[0] == ro->numbers.vector_dim;
    for (uint32_t i = 0; joins && i < indices->operand_count; i++) {
        const hlo_instr *part = hlo_operand(indices, i);
        int64_t size = part->shape->dims[ro->numbers.vector_dim];
        if (k == 0 && size == 1) return part;
        k -= size;
    }
    return NULL;
}

/* The dimension of the operand that is indexed by the place in batch i of the indices, -1: none.
 * Then tiles of both go together as those of batches do. */
static int64_t counted_by(const hlo_instr *instr, const hlo_index_roles *ro, uint32_t i) {
    const hlo_instr *indices = hlo_operand(instr, ro->indices);
    const hlo_shape *whole = hlo_operand(instr, 0)->shape;
    for (uint32_t k = 0; k < ro->numbers.map->n; k++) {
        int64_t d = ro->numbers.map->v[k], outside;
        const hlo_instr *number = number_of(indices, ro, k);
        if (number && counts(number, i) && indices->shape->dims[i] == whole->dims[d] &&
            hlo_index_window(instr, ro, (uint32_t)d, &outside) == 1)
            return d;
    }
    return -1;
}

/* A dimension of indices that is no part of an index. What shares a batch with the operand goes
 * with its tiles; results of others are put together where `others` permits that. */
static void describe_batch(const hlo_instr *instr, const hlo_index_roles *ro, hlo_factors *f,
                           uint32_t i, uint32_t outside, bool others) {
    int64_t shared = hlo_ints_find(ro->numbers.indices_batching, i);
    int64_t counted = shared < 0 ? counted_by(instr, ro, i) : -1;
    int64_t inside = shared < 0 ? counted : ro->numbers.operand_batching->v[shared];
    bool summed = !ro->is_gather && inside < 0;
    if (summed && !others) return;
    int64_t divides = counted < 0 ? 0 : hlo_operand(instr, 0)->shape->dims[counted];
    int32_t factor = hlo_factor_new(f, summed, divides);
    f->operands[ro->indices][i] = factor;
    set_outside(instr, ro, f, outside, factor);
    if (inside >= 0) set_inside(ro, f, (uint32_t)inside, factor);
}

void hlo_describe_batches(const hlo_instr *instr, const hlo_index_roles *ro, hlo_factors *f,
                          bool others) {
    uint32_t i = 0, rank = windows_shape(instr, ro)->rank;
    for (uint32_t d = 0; d < rank; d++) {
        if (hlo_ints_contain(ro->numbers.window, d)) continue;
        if (i == ro->numbers.vector_dim) i++;
        describe_batch(instr, ro, f, i++, d, others);
    }
}

/* ---- the operand ---- */

/* Windows with all of a dimension have its tiles; of an indexed one, devices take what they have
 * (a gather's parts are put together), or write what they have. */
void hlo_describe_inside(const hlo_instr *instr, const hlo_index_roles *ro, hlo_factors *f) {
    const hlo_shape *whole = hlo_operand(instr, 0)->shape;
    for (uint32_t d = 0; d < whole->rank; d++) {
        int64_t outside, window = hlo_index_window(instr, ro, d, &outside);
        bool all = window == whole->dims[d] && outside >= 0;
        if (f->operands[0][d] >= 0) continue; /* goes with a batch */
        if (!all && !hlo_ints_contain(ro->numbers.map, d)) continue;
        int32_t factor = hlo_factor_new(f, ro->is_gather && !all, 0);
        set_inside(ro, f, d, factor);
        if (all) set_outside(instr, ro, f, (uint32_t)outside, factor);
    }
}

/* ---- indices in tiles ---- */

bool hlo_is_cut(const hlo_placed *s, const hlo_index_roles *ro, uint32_t d, int64_t *window) {
    int64_t outside;
    *window = hlo_index_window(s->instr, ro, d, &outside);
    bool all = *window == s->operands[0].shape->dims[d] && outside >= 0;
    return hlo_ints_contain(ro->numbers.map, d) && !all && s->operands[0].tiles->tiles[d] > 1;
}

/* Preds: whether an element of the indices is number k of its vector; NULL: all are. */
static hlo_instr *is_number(hlo_partitioner *p, const hlo_index_roles *ro, const hlo_shape *s32,
                            uint32_t k) {
    if (ro->numbers.map->n == 1) return NULL;
    hlo_instr *number = hlo_build_iota(p->r, s32, ro->numbers.vector_dim);
    hlo_instr *wanted = hlo_build_integer(p->r, s32, k);
    return hlo_build_compare(p->r, number, wanted, "EQ");
}

static hlo_instr *chosen(hlo_partitioner *p, hlo_instr *where, hlo_instr *yes, hlo_instr *no) {
    return where ? hlo_build_select(p->r, where, yes, no) : yes;
}

/* In a tile with margins: index - offset + margin. */
static hlo_instr *moved(hlo_partitioner *p, const hlo_placed *s, uint32_t d, hlo_instr *index,
                        int64_t margin) {
    hlo_instr *offset = hlo_shard_offset(p, &s->operands[0], d);
    if (index->shape->rank) offset = hlo_emit_broadcast(p->r, index->shape, offset, NULL, 0);
    hlo_instr *by = hlo_build_integer(p->r, index->shape, margin);
    by = hlo_build_binary(p->r, HLO_OP_SUBTRACT, by, offset);
    return hlo_build_binary(p->r, HLO_OP_ADD, index, by);
}

/* A scatter's windows that begin outside of 0 .. most are left out: -1 is never inside. */
static hlo_instr *left_out(hlo_partitioner *p, hlo_instr *index, hlo_instr *in_tile, int64_t most) {
    hlo_instr *zero = hlo_build_integer(p->r, index->shape, 0);
    hlo_instr *last = hlo_build_integer(p->r, index->shape, most);
    hlo_instr *after = hlo_build_compare(p->r, index, zero, "GE");
    hlo_instr *before = hlo_build_compare(p->r, index, last, "LE");
    hlo_instr *good = hlo_build_binary(p->r, HLO_OP_AND, after, before);
    hlo_instr *nowhere = hlo_build_integer(p->r, index->shape, -1);
    return hlo_build_select(p->r, good, in_tile, nowhere);
}

int64_t hlo_index_margin(const hlo_index_roles *ro, int64_t window) {
    HLO_ASSERT(window > 0);
    return ro->is_gather || window > 1 ? window : 0;
}

/* Number k of each index, which is of dimension d, clamped (a gather) or just outside (a scatter),
 * and counted from the tile where that is cut. */
static hlo_instr *one_index(hlo_partitioner *p, const hlo_placed *s, const hlo_index_roles *ro,
                            hlo_instr *given, uint32_t d) {
    int64_t window, most;
    bool cut = hlo_is_cut(s, ro, d, &window);
    most = s->operands[0].shape->dims[d] - window;
    hlo_instr *index = ro->is_gather ? hlo_part_clamped(p, given, 0, most)
                                     : hlo_part_clamped(p, given, -1, most + 1);
    if (!cut) return index;
    hlo_instr *in_tile = moved(p, s, d, index, hlo_index_margin(ro, window));
    return ro->is_gather ? in_tile : left_out(p, index, in_tile, most);
}

/* Unsigned indices have no -1, which is outside: they are above the most then. */
hlo_instr *hlo_indices_in_tiles(hlo_partitioner *p, const hlo_placed *s,
                                const hlo_index_roles *ro) {
    hlo_instr *given = s->data[ro->indices], *indices = NULL;
    const hlo_shape *s32 = hlo_shape_with_type(&p->r->module->shapes, given->shape, HLO_S32);
    for (uint32_t k = 0; k < ro->numbers.map->n; k++) {
        hlo_instr *index = one_index(p, s, ro, given, (uint32_t)ro->numbers.map->v[k]);
        indices = indices ? chosen(p, is_number(p, ro, s32, k), index, indices) : index;
    }
    return indices ? indices : given;
}

bool hlo_cuts_indexed(const hlo_placed *s, const hlo_index_roles *ro) {
    bool any = false;
    int64_t window;
    for (uint32_t d = 0; d < s->operands[0].shape->rank; d++) any |= hlo_is_cut(s, ro, d, &window);
    return any;
}

void hlo_drop_index_order(hlo_instr *made) {
    hlo_instr_remove_attr(made, HLO_ATTR_INDICES_ARE_SORTED);
}

hlo_instr *hlo_indexed_with_margins(hlo_partitioner *p, const hlo_placed *s,
                                    const hlo_index_roles *ro, hlo_instr *data) {
    int64_t window;
    for (uint32_t d = 0; d < s->operands[0].shape->rank; d++)
        if (hlo_is_cut(s, ro, d, &window) && hlo_index_margin(ro, window))
            data = hlo_part_margins(p, data, d, hlo_index_margin(ro, window));
    return data;
}
