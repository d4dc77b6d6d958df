/* Kernels that the code of a loop calls, for what it has no stencils: their operands and results
 * are arrays and words of the loop's frame. */
#include "eval/codegen/generate.h"

#include <string.h>

/* ---- which ---- */

static bool is_small(const hlo_shape *shape) {
    int64_t bytes = hlo_shape_bytes(shape);
    return bytes >= 0 && bytes <= HLO_MOST_JIT_CALLED_BYTES;
}

static bool is_result(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return is_small(shape);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (hlo_shape_is_tuple(shape->elements[i]) || !is_small(shape->elements[i])) return false;
    return shape->rank && shape->rank <= HLO_MOST_CALL_PLACES;
}

/* Operations on elements alone. What has effects, is random, or asks a host, is left to the runner.
 */
static bool is_pure(const hlo_instr *instr) {
    hlo_op_class class = (hlo_op_class)hlo_info(instr)->class;
    return instr->opcode == HLO_OP_FUSION || class == HLO_CLASS_ELEMENTWISE ||
           class == HLO_CLASS_TRANSCENDENTAL || class == HLO_CLASS_DATA ||
           class == HLO_CLASS_REDUCE || class == HLO_CLASS_DENSE;
}

/* A heavy step gains nothing, and several may run at once with the runner. */
bool hlo_jit_may_call(const hlo_plan *plan, const hlo_plan_step *step) {
    bool makes_array = step->result == (uint8_t)HLO_RESULT_FRESH ||
                       step->result == (uint8_t)HLO_RESULT_OVERWRITE ||
                       (step->result == (uint8_t)HLO_RESULT_UPDATE && step->updates == 1 &&
                        !hlo_shape_is_tuple(step->instr->shape));
    return makes_array && !step->calls && !step->has_effect && !step->is_heavy && step->fits &&
           !plan->followers && step->instr->operand_count <= HLO_MOST_CALL_PLACES &&
           is_pure(step->instr) && is_result(step->instr->shape);
}

/* ---- operands ---- */

/* What the kernel gets may stand before the instruction's operand: operand_given. */
static const hlo_shape *given_shape(const hlo_jit_step *step, uint32_t i) {
    HLO_ASSERT(i < step->instr->operand_count);
    const hlo_plan *plan = step->plan;
    return plan->steps[plan->operand_steps[step->planned->operands + i]].instr->shape;
}

static hlo_loop_place place_at(const hlo_shape *shape, hlo_jit_leaf leaf) {
    return (hlo_loop_place){shape, leaf.word, leaf.storage != HLO_NO_STORAGE};
}

/* False when one is no array, or in vectors. Those that are made for the call are held. */
static bool place_operands(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *in,
                           hlo_loop_place *places) {
    for (uint32_t i = 0; i < step->instr->operand_count; i++) {
        const hlo_shape *shape = given_shape(step, i);
        if (!hlo_shape_is_array(shape) || step->operands[i].count != 1 ||
            step->operands[i].v[0].vectors)
            return false;
        in[i] = step->operands[i].v[0];
        if (!hlo_jit_is_scalar(shape)) in[i] = hlo_jit_shape_in_memory(b, in[i], shape);
        hlo_jit_retain(b, &(hlo_jit_leaves){1, &in[i]});
        places[i] = place_at(shape, in[i]);
    }
    return true;
}

/* ---- results ---- */

/* The operand whose memory the only leaf may take; false: none. */
static bool take_operand(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *leaf) {
    uint64_t bytes = (uint64_t)hlo_shape_bytes(step->instr->shape);
    for (uint32_t i = 0; i < step->instr->operand_count && i < 32; i++) {
        bool may = step->planned->overwrites >> i & 1;
        if (!may || !hlo_jit_is_dying(b, step, i)) continue;
        *leaf = step->operands[i].v[0];
        if (hlo_jit_storage_of(b, *leaf)->bytes == bytes) return true;
    }
    return false;
}

static hlo_jit_leaf new_leaf(hlo_jit_builder *b, const hlo_shape *shape) {
    return hlo_jit_is_scalar(shape) ? hlo_jit_word_leaf(hlo_jit_word_of(b, (hlo_type)shape->type))
                                    : hlo_jit_new_array(b, (uint64_t)hlo_shape_bytes(shape));
}

/* Operand 0 itself, or a copy of it. */
static hlo_jit_leaf start_update(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf from) {
    const hlo_shape *shape = step->instr->shape;
    bool is_array = from.storage != HLO_NO_STORAGE;
    if (is_array && from.storage == step->operands[0].v[0].storage && hlo_jit_is_dying(b, step, 0))
        return from;
    hlo_jit_leaf to = new_leaf(b, shape);
    if (is_array) hlo_jit_copy_array(b, to, from, (uint64_t)hlo_shape_bytes(shape));
    else hlo_jit_move(b, to.word, from.word);
    return to;
}

static hlo_jit_leaf start_result(hlo_jit_builder *b, const hlo_jit_step *step,
                                 const hlo_jit_leaf *in) {
    hlo_jit_leaf leaf;
    if (step->planned->result == (uint8_t)HLO_RESULT_UPDATE) return start_update(b, step, in[0]);
    if (step->planned->result == (uint8_t)HLO_RESULT_OVERWRITE && take_operand(b, step, &leaf))
        return leaf;
    return new_leaf(b, step->instr->shape);
}

/* Each leaf is held, so that the next one gets other memory. */
static void start_results(hlo_jit_builder *b, const hlo_jit_step *step, const hlo_jit_leaf *in,
                          hlo_jit_leaves *result) {
    const hlo_shape *shape = step->instr->shape;
    *result = hlo_jit_new_leaves(b, hlo_shape_leaf_count(shape));
    for (uint32_t i = 0; i < result->count; i++) {
        bool is_tuple = hlo_shape_is_tuple(shape);
        result->v[i] = is_tuple ? new_leaf(b, shape->elements[i]) : start_result(b, step, in);
        hlo_jit_retain(b, &(hlo_jit_leaves){1, &result->v[i]});
    }
    hlo_jit_release(b, result);
}

/* ---- the call ---- */

static void add_call(hlo_jit_builder *b, const hlo_jit_step *step, const hlo_loop_place *places,
                     uint32_t results) {
    uint32_t operands = step->instr->operand_count;
    hlo_loop_call *call = HLO_NEW(b->arena, hlo_loop_call);
    *call = (hlo_loop_call){step->plan, step->planned, operands, results, NULL};
    call->places = hlo_arena_copy(b->arena, places, (operands + results) * sizeof *places);
    hlo_jit_add(b, (hlo_jit_op){.kind = HLO_JIT_CALL, .call = call, .out = HLO_NO_WORD});
    hlo_list_push(&b->called, step->planned);
}

bool hlo_jit_call(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    hlo_jit_leaf in[HLO_MOST_CALL_PLACES];
    hlo_loop_place places[2 * HLO_MOST_CALL_PLACES];
    const hlo_shape *shape = step->instr->shape;
    uint32_t operands = step->instr->operand_count;
    if (!hlo_jit_may_call(step->plan, step->planned) || !place_operands(b, step, in, places))
        return false;
    start_results(b, step, in, result);
    hlo_jit_release(b, &(hlo_jit_leaves){operands, in});
    for (uint32_t i = 0; i < result->count; i++)
        places[operands + i] =
            place_at(hlo_shape_is_tuple(shape) ? shape->elements[i] : shape, result->v[i]);
    add_call(b, step, places, result->count);
    return true;
}
