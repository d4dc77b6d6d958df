/* Tuples, loops, conditionals, calls and barriers: values pass through them leaf by leaf, each with
 * its tiles. spmd_partitioner.c makes a copy of a called computation for each way of calling it. */
#include "passes/spmd/jobs.h"
#include "passes/spmd/sharding_rules.h"

/* ---- jobs ---- */

static bool same_tiles(const hlo_tiling *const *a, const hlo_tiling *const *b, uint32_t n) {
    bool same = true;
    for (uint32_t i = 0; same && i < n; i++) same = hlo_tiling_equal(a[i], b[i]);
    return same;
}

static bool is_job(const hlo_partition_job *job, const hlo_computation *original,
                   const hlo_tiling **const *parameters, const hlo_tiling **root) {
    bool same = job->original == original &&
                same_tiles(job->root, root, hlo_shape_leaf_count(original->root->shape));
    for (uint32_t i = 0; same && i < original->parameter_count; i++)
        same = same_tiles(job->parameters[i], parameters[i],
                          hlo_shape_leaf_count(original->parameters[i]->shape));
    return same;
}

/* The copy that will be made of the computation for parameters and a root with these tiles. */
static hlo_computation *copy_for(hlo_partitioner *p, hlo_computation *original,
                                 const hlo_tiling ***parameters, const hlo_tiling **root) {
    for (hlo_partition_job *job = p->jobs; job; job = job->next)
        if (is_job(job, original, parameters, root)) return job->copy;
    hlo_partition_job *job = HLO_NEW(&p->arena, hlo_partition_job);
    *job = (hlo_partition_job){.original = original,
                               .copy = hlo_computation_clone(original, "spmd"),
                               .parameters = parameters,
                               .root = root};
    hlo_name_for_device(job->copy, original->name);
    if (p->last_job) p->last_job->next = job;
    else p->jobs = job;
    if (!p->unfinished) p->unfinished = job;
    p->last_job = job;
    return job->copy;
}

/* ---- operations that call computations ---- */

/* The tiles of the parameter's sharding, else those of the value that is passed. */
static const hlo_tiling **parameter_tiles(hlo_partitioner *p, const hlo_instr *parameter,
                                          const hlo_shards *given) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    if (hlo_instr_attr(parameter, HLO_ATTR_SHARDING)) return hlo_part_wanted(p, parameter);
    const hlo_tiling **tiles = HLO_NEW_ARRAY(&p->arena, const hlo_tiling *, given->n + 1u);
    for (uint32_t i = 0; i < given->n; i++) tiles[i] = given->leaves[i].tiles;
    return tiles;
}

/* A loop's state has the same tiles everywhere. Devices that have separate values go on, or choose,
 * each for itself. */
static hlo_shards *part_while(hlo_partitioner *p, hlo_instr *loop, const hlo_tiling **wanted) {
    const hlo_tiling ***state = HLO_NEW(&p->arena, const hlo_tiling **);
    *state = wanted;
    hlo_computation *condition = hlo_called(loop, 1);
    hlo_computation *copies[] = {
        copy_for(p, hlo_called(loop, 0), state, wanted),
        copy_for(
            p, condition, state,
            hlo_part_own_tiles(p, condition->root->shape, hlo_part_own_of(wanted, loop->shape)))};
    hlo_instr *start = hlo_shards_pack(p, hlo_part_operand(p, loop, 0), wanted);
    hlo_instr *made =
        hlo_emit_like(p->r, loop, hlo_part_shape_of(p, loop->shape, wanted), &start, 1);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_set_called(p->r, made, copies);
    return hlo_shards_of(p, made, loop->shape, wanted);
}

/* The operand i of the instruction as the k-th called computation takes it. */
static hlo_instr *argument(hlo_partitioner *p, const hlo_instr *instr, uint32_t i,
                           const hlo_instr *parameter, const hlo_tiling ***tiles) {
    hlo_shards *given = hlo_part_operand(p, instr, i);
    HLO_ASSERT(i < instr->operand_count);
    *tiles = parameter_tiles(p, parameter, given);
    return *tiles ? hlo_shards_pack(p, given, *tiles) : NULL;
}

static hlo_shards *part_call(hlo_partitioner *p, hlo_instr *call, const hlo_tiling **wanted) {
    uint32_t n = call->operand_count;
    hlo_computation *called = hlo_called(call, 0);
    const hlo_tiling ***tiles = HLO_NEW_ARRAY(&p->arena, const hlo_tiling **, n + 1u);
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n + 1u);
    for (uint32_t i = 0; i < n; i++) {
        operands[i] = argument(p, call, i, called->parameters[i], &tiles[i]);
        if (!operands[i]) return NULL;
    }
    hlo_computation *copy = copy_for(p, called, tiles, wanted);
    hlo_instr *made =
        hlo_emit_like(p->r, call, hlo_part_shape_of(p, call->shape, wanted), operands, n);
    hlo_set_called(p->r, made, &copy);
    return hlo_shards_of(p, made, call->shape, wanted);
}

static hlo_shards *part_conditional(hlo_partitioner *p, hlo_instr *instr,
                                    const hlo_tiling **wanted) {
    uint32_t n = instr->operand_count;
    hlo_computation **copies = HLO_NEW_ARRAY(&p->arena, hlo_computation *, n);
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n);
    hlo_shards *choice = hlo_part_operand(p, instr, 0);
    operands[0] = hlo_shards_pack(
        p, choice, hlo_part_own_tiles(p, choice->shape, hlo_part_own_of(wanted, instr->shape)));
    for (uint32_t i = 1; i < n; i++) {
        const hlo_tiling ***tiles = HLO_NEW(&p->arena, const hlo_tiling **);
        hlo_computation *branch = hlo_called(instr, i - 1);
        operands[i] = argument(p, instr, i, branch->parameters[0], tiles);
        if (!operands[i]) return NULL;
        copies[i - 1] = copy_for(p, branch, tiles, wanted);
    }
    hlo_instr *made =
        hlo_emit_like(p->r, instr, hlo_part_shape_of(p, instr->shape, wanted), operands, n);
    HLO_ASSERT(instr->opcode == HLO_OP_CONDITIONAL);
    hlo_set_called(p->r, made, copies);
    return hlo_shards_of(p, made, instr->shape, wanted);
}

/* ---- tuples ---- */

static hlo_shards *tuple_of(hlo_partitioner *p, const hlo_instr *tuple) {
    HLO_ASSERT(tuple->opcode == HLO_OP_TUPLE);
    hlo_shards *x = hlo_shards_new(p, tuple->shape);
    uint32_t n = 0;
    for (uint32_t i = 0; i < tuple->operand_count; i++) {
        const hlo_shards *element = hlo_part_operand(p, tuple, i);
        memcpy(x->leaves + n, element->leaves, element->n * sizeof x->leaves[0]);
        n += element->n;
    }
    return x;
}

/* Without a separate sharding, a tuple or an element is what its operands are. */
static hlo_shards *as_said(hlo_partitioner *p, const hlo_instr *instr, hlo_shards *x) {
    if (!hlo_instr_attr(instr, HLO_ATTR_SHARDING)) return x;
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    return wanted ? hlo_shards_as(p, x, wanted) : NULL;
}

static hlo_shards *part_barrier(hlo_partitioner *p, hlo_instr *instr, const hlo_tiling **wanted) {
    hlo_instr *operand = hlo_shards_pack(p, hlo_part_operand(p, instr, 0), wanted);
    hlo_instr *made = hlo_emit_like(p->r, instr, operand->shape, &operand, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_OPT_BARRIER);
    return hlo_shards_of(p, made, instr->shape, wanted);
}

hlo_shards *hlo_part_control(hlo_partitioner *p, hlo_instr *instr) {
    if (instr->opcode == HLO_OP_TUPLE) return as_said(p, instr, tuple_of(p, instr));
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
        uint32_t index = (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX);
        return as_said(p, instr, hlo_shards_element(p, hlo_part_operand(p, instr, 0), index));
    }
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    if (!wanted) return NULL;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_WHILE: return part_while(p, instr, wanted);
    case HLO_OP_CALL: return part_call(p, instr, wanted);
    case HLO_OP_CONDITIONAL: return part_conditional(p, instr, wanted);
    default: return part_barrier(p, instr, wanted);
    }
}
