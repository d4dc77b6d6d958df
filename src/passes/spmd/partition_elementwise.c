/* Rules of operations whose dimensions are independent of each other: elementwise ones, broadcast,
 * transpose, iota, random numbers, and what works on each batch for itself. */
#include "passes/spmd/partition.h"

/* ---- elementwise, broadcast, transpose ---- */

static void describe_elementwise(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    (void)p;
    for (uint32_t d = 0; d < hlo_shape_part(instr->shape, 0)->rank; d++)
        hlo_factor_everywhere(instr, f, d);
}

/* Between types of different widths one side has one more dimension, the last. */
static void describe_bitcast_convert(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_BITCAST_CONVERT);
    (void)p;
    uint32_t rank = instr->shape->rank, given = hlo_operand(instr, 0)->shape->rank;
    for (uint32_t d = 0; d < rank && d < given; d++) hlo_factor_everywhere(instr, f, d);
}

/* A tile of what is broadcast along its diagonal is in no tile of the operand: all of it is needed.
 */
static void describe_broadcast(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_BROADCAST);
    (void)p;
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    bool is_diagonal = hlo_ints_repeat(dims);
    for (uint32_t i = 0; i < dims->n && !is_diagonal; i++) hlo_factor_join(f, 0, i, dims->v[i]);
    for (uint32_t d = 0; d < instr->shape->rank; d++)
        if (!hlo_ints_contain(dims, d)) f->results[0][d] = hlo_factor_new(f, false, 0);
}

static void describe_transpose(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_TRANSPOSE);
    (void)p;
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    for (uint32_t d = 0; d < dims->n; d++) hlo_factor_join(f, 0, dims->v[d], d);
}

const hlo_partition_rule hlo_part_elementwise = {describe_elementwise, NULL, NULL};
const hlo_partition_rule hlo_part_bitcast_convert = {describe_bitcast_convert, NULL, NULL};
const hlo_partition_rule hlo_part_broadcast = {describe_broadcast, NULL, NULL};
const hlo_partition_rule hlo_part_transpose = {describe_transpose, NULL, NULL};

/* ---- iota ---- */

/* Numbers are counted in s32, so that those of small floats are rounded once. */
static hlo_instr *make_iota(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_IOTA);
    hlo_rewriter *r = p->r;
    int64_t d = hlo_attr_int(s->instr, HLO_ATTR_IOTA_DIMENSION);
    if (hlo_factor_tiles(s, s->factors->results[0][d]) == 1) return hlo_part_make_same(p, s);
    const hlo_shape *s32 = hlo_shape_with_type(&r->module->shapes, s->shape, HLO_S32);
    hlo_instr *numbers = hlo_build_iota(r, s32, d);
    hlo_shard own = {numbers, s->instr->shape, s->results[0]};
    hlo_instr *offset = hlo_shard_offset(p, &own, (uint32_t)d);
    offset = hlo_emit_broadcast(r, s32, offset, NULL, 0);
    hlo_instr *sum = hlo_build_binary(r, HLO_OP_ADD, numbers, offset);
    return hlo_build_convert(r, sum, (hlo_type)s->shape->type);
}

const hlo_partition_rule hlo_part_iota = {describe_elementwise, make_iota, NULL};

/* ---- random numbers ---- */

/* Devices that hold the same get what the first of them drew. */
static hlo_instr *make_rng(hlo_partitioner *p, const hlo_placed *s) {
    hlo_instr *drawn = hlo_part_make_same(p, s);
    const hlo_tiling *t = s->results[0];
    if (t->copies == 1) return drawn;
    hlo_rewriter *r = p->r;
    uint32_t n = (uint32_t)(t->count / t->copies);
    hlo_int_lists *groups = hlo_arena_zero(&p->scratch, sizeof *groups + n * sizeof groups->v[0]);
    int64_t *copy = HLO_NEW_ARRAY(&p->scratch, int64_t, t->count);
    groups->n = n;
    for (uint32_t g = 0; g < n; g++)
        groups->v[g] = hlo_ints_from(&p->scratch, t->devices + g * t->copies, (uint32_t)t->copies);
    for (int64_t i = 0; i < t->count; i++) copy[t->devices[i]] = i % t->copies;
    hlo_instr *number = hlo_part_number(p, copy), *zero = hlo_build_integer(r, number->shape, 0);
    hlo_instr *is_first = hlo_build_compare(r, number, zero, "EQ");
    const hlo_shape *pred = hlo_shape_with_type(&r->module->shapes, s->shape, HLO_PRED);
    if (s->shape->rank) is_first = hlo_emit_broadcast(r, pred, is_first, NULL, 0);
    hlo_instr *zeros = hlo_build_integer(r, s->shape, 0);
    return hlo_part_sum(p, hlo_build_select(r, is_first, drawn, zeros), groups);
}

const hlo_partition_rule hlo_part_rng = {describe_elementwise, make_rng, NULL};

/* ---- what works on batches ---- */

/* How many of the first dimensions are batches. */
static uint32_t batch_dims(const hlo_instr *instr) {
    uint32_t rank = hlo_operand(instr, 0)->shape->rank;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_FFT: return rank - hlo_attr_ints(instr, HLO_ATTR_FFT_LENGTH)->n;
    case HLO_OP_TOPK: return rank - 1;
    default: return rank - 2;
    }
}

static void describe_batched(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    (void)p;
    for (uint32_t d = 0; d < batch_dims(instr); d++) hlo_factor_everywhere(instr, f, d);
}

static void describe_sort(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_SORT);
    (void)p;
    const hlo_ints *sorted = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    for (uint32_t d = 0; d < hlo_operand(instr, 0)->shape->rank; d++)
        if (!hlo_ints_contain(sorted, d)) hlo_factor_everywhere(instr, f, d);
}

const hlo_partition_rule hlo_part_batched = {describe_batched, NULL, NULL};
const hlo_partition_rule hlo_part_sort = {describe_sort, NULL, NULL};

/* Each feature has its own mean and variance. */
static void describe_batch_norm(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    (void)p;
    int64_t feature = hlo_attr_int(instr, HLO_ATTR_FEATURE_INDEX);
    int32_t factor = hlo_factor_new(f, false, 0);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        f->operands[i][hlo_operand(instr, i)->shape->rank == 1 ? 0 : feature] = factor;
    for (uint32_t i = 0; i < hlo_shape_part_count(instr->shape); i++)
        f->results[i][hlo_shape_part(instr->shape, i)->rank == 1 ? 0 : feature] = factor;
}

const hlo_partition_rule hlo_part_batch_norm = {describe_batch_norm, NULL, NULL};
