/* Putting a loop together: computations are gone through in the order of their plans, calls and
 * fusions inlined, tuples become lists of leaves; whiles and conditionals inside become jumps
 * (generate_control.c). A leaf is a word, vectors, or an array in memory (generate_arrays.c);
 * kernels are called for what is neither (generate_calls.c). */
#include "eval/codegen/generate.h"

#include <string.h>

#include "eval/program/code.h"
#include "ir/literal.h"

/* ---- leaves ---- */

hlo_jit_leaves hlo_jit_new_leaves(hlo_jit_builder *b, uint32_t count) {
    return (hlo_jit_leaves){count, HLO_NEW_ARRAY(&b->scratch, hlo_jit_leaf, count)};
}

static hlo_jit_leaves copy_leaves(hlo_jit_builder *b, const hlo_jit_leaves *from) {
    hlo_jit_leaves to = hlo_jit_new_leaves(b, from->count);
    if (from->count) memcpy(to.v, from->v, from->count * sizeof *to.v);
    return to;
}

/* ---- a computation ---- */

static bool build_constant(hlo_jit_builder *b, const hlo_instr *instr, hlo_jit_leaves *result) {
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    const hlo_shape *shape = instr->shape;
    if (!value || !hlo_shape_is_array(shape) || hlo_shape_bytes(shape) > HLO_MOST_JIT_COPIED_BYTES)
        return false;
    const void *data = hlo_literal_data(value->u.literal);
    *result = hlo_jit_new_leaves(b, 1);
    if (hlo_jit_vectors(b, shape)) {
        result->v[0] = hlo_jit_constant_vectors(b, data, hlo_jit_vectors(b, shape));
        return true;
    }
    if (!hlo_jit_is_scalar(shape)) {
        result->v[0] = hlo_jit_fixed_array(b, data, (uint64_t)hlo_shape_bytes(shape));
        return true;
    }
    int64_t bits = 0;
    unsigned unused = 64 - 8u * hlo_types[shape->type].bytes;
    memcpy(&bits, data, hlo_types[shape->type].bytes);
    if (hlo_types[shape->type].class == HLO_CLASS_SIGNED)
        bits = (int64_t)((uint64_t)bits << unused) >> unused;
    bool is_vector = shape->type == HLO_F32 || shape->type == HLO_F64;
    result->v[0] = hlo_jit_word_leaf(hlo_jit_number(b, (uint64_t)bits, is_vector));
    return true;
}

static void build_tuple(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < step->instr->operand_count; i++) total += step->operands[i].count;
    *result = hlo_jit_new_leaves(b, total);
    for (uint32_t i = 0; i < step->instr->operand_count; at += step->operands[i++].count)
        if (step->operands[i].count)
            memcpy(result->v + at, step->operands[i].v,
                   step->operands[i].count * sizeof *result->v);
}

static bool build_element(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    const hlo_shape *tuple = hlo_operand(step->instr, 0)->shape;
    int64_t index = hlo_attr_int(step->instr, HLO_ATTR_INDEX);
    uint32_t first = 0;
    if (!hlo_shape_is_tuple(tuple) || index < 0 || index >= tuple->rank) return false;
    for (int64_t e = 0; e < index; e++) first += hlo_shape_leaf_count(tuple->elements[e]);
    hlo_jit_leaves part = {hlo_shape_leaf_count(tuple->elements[index]),
                           step->operands[0].v + first};
    *result = copy_leaves(b, &part);
    return true;
}

/* One element for all: a leaf that is not in memory until it is needed there. */
static bool build_broadcast(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    const hlo_shape *from = hlo_operand(step->instr, 0)->shape;
    bool is_view = hlo_shape_elements(from) == hlo_shape_elements(step->instr->shape);
    *result = copy_leaves(b, &step->operands[0]);
    bool is_word = result->v[0].storage == HLO_NO_STORAGE && !result->v[0].vectors;
    return is_word || (is_view && from->rank <= 1) || hlo_jit_call(b, step, result);
}

/* Elements in the same order under another shape. */
static bool build_view(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    const hlo_shape *from = hlo_operand(step->instr, 0)->shape, *to = step->instr->shape;
    bool is_array = hlo_shape_is_array(from) && hlo_shape_is_array(to);
    if (step->instr->opcode == HLO_OP_BITCAST &&
        !(is_array && from->plain_layout && to->plain_layout))
        return false;
    if (is_array && (from->type != to->type || hlo_shape_elements(from) != hlo_shape_elements(to)))
        return false;
    *result = copy_leaves(b, &step->operands[0]);
    return true;
}

static bool build_array_step(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    for (uint32_t i = 0; i < step->instr->operand_count; i++)
        if (step->operands[i].count != 1) return false;
    if (!hlo_shape_is_array(step->instr->shape) || !hlo_jit_is_known(step))
        return hlo_jit_call(b, step, result);
    *result = hlo_jit_new_leaves(b, 1);
    bool is_elementwise = hlo_info(step->instr)->flags & HLO_OP_IS_ELEMENTWISE;
    for (uint32_t i = 0; i < step->instr->operand_count; i++)
        if (step->operands[i].v[0].vectors && !is_elementwise) return false;
    switch (step->instr->opcode) {
    case HLO_OP_SLICE: return hlo_jit_slice(b, step, result->v);
    case HLO_OP_DYNAMIC_SLICE: return hlo_jit_dynamic_slice(b, step, result->v);
    case HLO_OP_DYNAMIC_UPDATE_SLICE: return hlo_jit_update(b, step, result->v);
    default: return hlo_jit_elementwise(b, step, result->v);
    }
}

static bool build_step(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    switch (step->instr->opcode) {
    case HLO_OP_CONSTANT: return build_constant(b, step->instr, result);
    case HLO_OP_TUPLE: build_tuple(b, step, result); return true;
    case HLO_OP_GET_TUPLE_ELEMENT: return build_element(b, step, result);
    case HLO_OP_BROADCAST: return build_broadcast(b, step, result);
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_BITCAST:
    case HLO_OP_OPT_BARRIER: return build_view(b, step, result);
    default: return build_array_step(b, step, result);
    }
}

/* ---- computations ---- */

/* A computation that is being gone through. */
typedef struct {
    hlo_jit_builder *b;
    const hlo_plan *plan;
    const hlo_jit_leaves *arguments;
    uint32_t argument_count, depth;
    bool *is_taken;         /* by argument: a parameter has its references */
    hlo_jit_leaves *values; /* by step */
    uint32_t *uses;         /* by step: those still to come */
} walk;

static void drop_operands(walk *w, const hlo_plan_step *step) {
    for (uint32_t i = 0; i < step->instr->operand_count; i++) {
        uint32_t operand = w->plan->operand_steps[step->operands + i];
        if (--w->uses[operand] == 0) hlo_jit_release(w->b, &w->values[operand]);
    }
}

static bool take_argument(walk *w, const hlo_instr *instr, hlo_jit_leaves *result) {
    int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    if (number < 0 || number >= w->argument_count || w->is_taken[number]) return false;
    w->is_taken[number] = true;
    *result = copy_leaves(w->b, &w->arguments[number]);
    return true;
}

/* Whether all that the fusion does to arrays, which are short, is elementwise: lane functions then
 * take less time than its kernel. */
static bool is_short(const hlo_plan *plan) {
    for (uint32_t k = 0; k < plan->count; k++) {
        const hlo_instr *instr = plan->steps[k].instr;
        hlo_op_class class = (hlo_op_class)hlo_info(instr)->class;
        bool is_known = hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE || class == HLO_CLASS_DATA ||
                        class == HLO_CLASS_LEAF || class == HLO_CLASS_TUPLE;
        bool is_long = instr->opcode != HLO_OP_PARAMETER && hlo_shape_is_array(instr->shape) &&
                       hlo_shape_elements(instr->shape) > HLO_MOST_JIT_LANES;
        if (!is_known || is_long) return false;
    }
    return true;
}

static bool is_inlined_fusion(walk *w, const hlo_plan_step *step) {
    return !hlo_jit_may_call(w->plan, step) ||
           is_short(hlo_planner_plan(w->b->planner, hlo_called(step->instr, 0)));
}

static hlo_computation *inlined(walk *w, const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    switch (instr->opcode) {
    case HLO_OP_CALL: return hlo_called(instr, 0);
    case HLO_OP_FUSION: return is_inlined_fusion(w, step) ? hlo_called(instr, 0) : NULL;
    case HLO_OP_MAP: return hlo_jit_is_scalar(instr->shape) ? hlo_called(instr, 0) : NULL;
    default: return NULL;
    }
}

/* The callee takes the operands, and may change in place what has no later use. */
static bool call_step(walk *w, const hlo_plan_step *step, const hlo_jit_leaves *operands,
                      hlo_jit_leaves *result) {
    uint32_t count = step->instr->operand_count;
    for (uint32_t i = 0; i < count; i++) hlo_jit_retain(w->b, &operands[i]);
    drop_operands(w, step);
    if (step->instr->opcode == HLO_OP_WHILE)
        return hlo_jit_while(w->b, step->instr, operands, w->depth, result);
    return hlo_jit_computation(w->b, inlined(w, step), operands, count, w->depth + 1, result);
}

static bool plain_step(walk *w, hlo_plan_step *step, const hlo_jit_leaves *operands,
                       hlo_jit_leaves *result) {
    uint32_t count = step->instr->operand_count;
    bool *is_last = HLO_NEW_ARRAY(&w->b->scratch, bool, count);
    for (uint32_t i = 0; i < count; i++)
        is_last[i] = w->uses[w->plan->operand_steps[step->operands + i]] == 1;
    hlo_jit_step it = {step->instr, operands, is_last, w->plan, step};
    bool is_good = step->instr->opcode == HLO_OP_CONDITIONAL
                       ? hlo_jit_conditional(w->b, &it, w->depth, result)
                       : build_step(w->b, &it, result);
    if (!is_good) return false;
    hlo_jit_retain(w->b, result);
    drop_operands(w, step);
    return true;
}

static bool take_step(walk *w, uint32_t k) {
    HLO_ASSERT(k < w->plan->count);
    hlo_plan_step *step = &w->plan->steps[k];
    const hlo_instr *instr = step->instr;
    hlo_jit_leaves *operands = HLO_NEW_ARRAY(&w->b->scratch, hlo_jit_leaves, instr->operand_count);
    if (++w->b->visits > HLO_MOST_JIT_VISITS || w->b->code.ops.n > HLO_MOST_JIT_OPS ||
        step->has_effect || !hlo_jit_can_hold(instr->shape))
        return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = w->values[w->plan->operand_steps[step->operands + i]];
    bool is_call = instr->opcode == HLO_OP_WHILE || inlined(w, step);
    bool is_good = instr->opcode == HLO_OP_PARAMETER ? take_argument(w, instr, &w->values[k])
                   : is_call                         ? call_step(w, step, operands, &w->values[k])
                                                     : plain_step(w, step, operands, &w->values[k]);
    w->uses[k] = step->uses;
    if (is_good && !step->uses) hlo_jit_release(w->b, &w->values[k]);
    return is_good;
}

/* The arguments' references end; those of the result are the caller's. */
bool hlo_jit_computation(hlo_jit_builder *b, hlo_computation *computation,
                         const hlo_jit_leaves *arguments, uint32_t count, uint32_t depth,
                         hlo_jit_leaves *result) {
    if (depth > HLO_EVAL_MAX_DEPTH) return false;
    const hlo_plan *plan = hlo_planner_plan(b->planner, computation);
    walk w = {
        .b = b, .plan = plan, .arguments = arguments, .argument_count = count, .depth = depth};
    w.is_taken = HLO_NEW_ARRAY(&b->scratch, bool, count);
    w.values = HLO_NEW_ARRAY(&b->scratch, hlo_jit_leaves, plan->count);
    w.uses = HLO_NEW_ARRAY(&b->scratch, uint32_t, plan->count);
    for (uint32_t k = 0; k < plan->count; k++)
        if (!take_step(&w, k)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!w.is_taken[i]) hlo_jit_release(b, &arguments[i]);
    *result = w.values[plan->root];
    return true;
}

/* ---- the outermost loop ---- */

/* Words that the state's leaf is in before and after. */
static void set_words(hlo_jit_builder *b, const hlo_jit_state *it) {
    uint32_t count = it->place.vectors + !it->place.vectors;
    for (uint32_t k = 0; k < count; k++) {
        hlo_jit_word *word = &b->code.words.v[hlo_jit_vector(it->place, k)];
        word->is_set = true;
        word->is_result = it->place.storage == HLO_NO_STORAGE && !it->is_kept;
    }
}

/* The leaves of operand 0, which is set before the code runs. */
static hlo_jit_state *place_outermost(hlo_jit_builder *b, const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    uint32_t count = hlo_shape_leaf_count(loop->shape);
    hlo_jit_state *state = hlo_jit_new_state(b, loop);
    for (uint32_t i = 0; i < count; i++) {
        hlo_jit_state *it = &state[i];
        if (!hlo_jit_is_in_memory(b, it->shape)) {
            it->place = hlo_jit_new_place(b, it->shape);
        } else {
            it->place = (hlo_jit_leaf){.storage = b->storages.n, .word = hlo_jit_address_word(b)};
            hlo_list_push(&b->storages,
                          (hlo_jit_storage){.word = it->place.word,
                                            .bytes = (uint64_t)hlo_shape_bytes(it->shape),
                                            .holders = 1});
        }
        set_words(b, it);
    }
    return state;
}

static const hlo_loop *finish(hlo_jit_builder *b, const hlo_jit_state *state, uint32_t count,
                              hlo_assembler *code) {
    hlo_loop *loop = HLO_NEW(b->arena, hlo_loop);
    hlo_loop_leaf *leaves = HLO_NEW_ARRAY(b->arena, hlo_loop_leaf, count);
    uint64_t *set = HLO_NEW_ARRAY(b->arena, uint64_t, b->code.words.n);
    for (uint32_t i = 0; i < count; i++) {
        leaves[i] = (hlo_loop_leaf){.word = state[i].place.word, .is_changed = !state[i].is_kept};
        if (state[i].place.storage == HLO_NO_STORAGE)
            leaves[i].bytes = (uint8_t)hlo_shape_bytes(state[i].shape);
    }
    for (uint32_t i = 0; i < b->constants.n; i++)
        set[b->constants.v[i].word] = b->constants.v[i].bits;
    loop->start = hlo_jit_emit(&b->code, code);
    loop->set = set;
    loop->word_count = b->code.words.n;
    loop->leaf_count = count;
    loop->leaves = leaves;
    loop->array_count = b->arrays.n;
    loop->arrays = hlo_arena_copy(b->arena, b->arrays.v, b->arrays.n * sizeof *b->arrays.v);
    for (uint32_t i = 0; i < b->called.n; i++) b->called.v[i]->is_called = true;
    return loop;
}

static void free_builder(hlo_jit_builder *b) {
    hlo_list_free(&b->code.ops);
    hlo_list_free(&b->code.words);
    hlo_list_free(&b->storages);
    hlo_list_free(&b->constants);
    hlo_list_free(&b->arrays);
    hlo_list_free(&b->called);
    hlo_arena_free(&b->scratch);
}

/* The loop, with short arrays as vectors or in memory; NULL when it has to be interpreted. */
static const hlo_loop *build_loop(hlo_planner *planner, hlo_plan_step *step, bool has_vectors) {
    HLO_ASSERT(step->instr->opcode == HLO_OP_WHILE);
    hlo_jit_builder b = {.planner = planner, .arena = &planner->program->arena};
    const hlo_loop *loop = NULL;
    b.has_vectors = has_vectors;
    hlo_arena_init(&b.scratch);
    while (b.code.words.n < HLO_FIRST_WORD) hlo_jit_new_word(&b, false, false);
    hlo_jit_state *state = place_outermost(&b, step->instr);
    if (hlo_jit_iterations(&b, step->instr, state, 0)) {
        loop = finish(&b, state, hlo_shape_leaf_count(step->instr->shape), planner->code);
        size_t words = (size_t)loop->word_count * sizeof *loop->set;
        step->scratch_bytes = (words + 63) / 64 * 64 + b.array_bytes;
    }
    free_builder(&b);
    return loop;
}

static void build_code(hlo_planner *planner, hlo_plan_step *step) {
    if (step->instr->opcode != HLO_OP_WHILE || !hlo_jit_can_hold(step->instr->shape)) return;
    step->code = build_loop(planner, step, true);
    if (!step->code) step->code = build_loop(planner, step, false);
}

void hlo_planner_build_code(hlo_planner *planner) {
    const hlo_program *program = planner->program;
    const hlo_program_options *options = &program->options;
    if (!options->code || !hlo_stencil_count || options->one_by_one ||
        options->engine == HLO_ENGINE_REFERENCE)
        return;
    for (uint32_t n = 0; n < program->plan_count; n++)
        for (uint32_t k = 0; k < program->plans[n]->count; k++)
            build_code(planner, &program->plans[n]->steps[k]);
}
