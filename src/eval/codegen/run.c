/* Running the code of loops, and where a program's code is. */
#include <string.h>
#include <sys/mman.h>

#include "base/fresh.h"
#include "base/pool.h"
#include "eval/codegen/loop_code.h"
#include "eval/codegen/ops.h"
#include "eval/program/code.h"
#include "eval/run/frame.h"

/* ---- the code of a program ---- */

/* Written first, and executable only when it is no longer writable. False without memory for it,
 * and where the system lets no memory become executable. */
static bool map_code(hlo_code *code, const void *bytes, size_t n) {
    void *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    *code = (hlo_code){memory, n};
    memcpy(memory, bytes, n);
    if (mprotect(memory, n, PROT_READ | PROT_EXEC) == 0) return true;
    hlo_code_free(code);
    return false;
}

static void interpret_all(hlo_program *program) {
    for (uint32_t n = 0; n < program->plan_count; n++)
        for (uint32_t k = 0; k < program->plans[n]->count; k++) {
            program->plans[n]->steps[k].code = NULL;
            program->plans[n]->steps[k].is_called = false;
            program->plans[n]->steps[k].has_code = false;
        }
}

void hlo_planner_place_code(hlo_planner *planner) {
    hlo_code *code = planner->program->options.code;
    if (!code) return;
    hlo_code_free(code);
    hlo_assembler *made = planner->code;
    if (!made->code.n) return;
    hlo_end_code(made);
    if (!map_code(code, made->code.v, made->code.n)) interpret_all(planner->program);
}

void hlo_code_free(hlo_code *code) {
    if (code->memory) munmap(code->memory, code->bytes);
    *code = (hlo_code){0};
}

/* ---- the state ---- */

static bool has_all_elements(const hlo_value *value) {
    if (!value->elements) return !value->sizes && value->data;
    for (uint32_t e = 0; e < value->shape->rank; e++)
        if (!has_all_elements(value->elements[e])) return false;
    return true;
}

bool hlo_loop_suits(const hlo_call *call) {
    const hlo_device *device = call->thread->device;
    return call->thread->frame->step->code && !device->options.observe &&
           has_all_elements(call->in[0]);
}

/* Elements, extended as registers hold them, or the address of an array. */
static void read_leaf(const hlo_loop_leaf *leaf, const hlo_value *value, uint64_t *frame) {
    uint64_t *word = &frame[leaf->word];
    *word = (uintptr_t)value->data;
    if (!leaf->bytes) return;
    *word = 0;
    memcpy(word, value->data, leaf->bytes);
    if (leaf->bytes > sizeof *word) return;
    unsigned unused = 64 - 8u * leaf->bytes;
    if (hlo_types[value->shape->type].class == HLO_CLASS_SIGNED)
        *word = (uint64_t)((int64_t)(*word << unused) >> unused);
}

/* Reads the leaves from *next on; those that change become the value's own. NULL without memory,
 * and the reference to `value` is gone. */
static hlo_value *read_state(const hlo_loop_leaf **next, hlo_value *value, uint64_t *frame) {
    if (!value->elements) {
        const hlo_loop_leaf *leaf = (*next)++;
        if (leaf->is_changed) value = hlo_value_own(value);
        if (value) read_leaf(leaf, value, frame);
        return value;
    }
    value = hlo_value_own(value);
    for (uint32_t e = 0; value && e < value->shape->rank; e++) {
        value->elements[e] = read_state(next, value->elements[e], frame);
        if (value->elements[e]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

static void write_state(const hlo_loop_leaf **next, const hlo_value *value, const uint64_t *frame) {
    if (!value->elements) {
        const hlo_loop_leaf *leaf = (*next)++;
        if (leaf->is_changed && leaf->bytes) memcpy(value->data, &frame[leaf->word], leaf->bytes);
        return;
    }
    for (uint32_t e = 0; e < value->shape->rank; e++) write_state(next, value->elements[e], frame);
}

/* ---- kernels that the code calls ---- */

/* What the frame holds of an array: its elements, or their address. */
static hlo_value *place_value(hlo_value *header, const hlo_loop_place *place, uint64_t *frame) {
    uint64_t *word = &frame[place->word];
    return hlo_value_place(header, place->shape,
                           place->is_address ? (void *)(uintptr_t)*word : word);
}

/* An element as registers hold it. */
static void extend(const hlo_loop_place *place, uint64_t *frame) {
    if (place->is_address) return;
    const hlo_type_info *type = &hlo_types[place->shape->type];
    unsigned unused = 64 - 8u * type->bytes;
    uint64_t bits = frame[place->word] << unused;
    frame[place->word] =
        type->class == HLO_CLASS_SIGNED ? (uint64_t)((int64_t)bits >> unused) : bits >> unused;
}

bool hlo_loop_call_kernel(uint64_t *frame, const hlo_loop_call *it) {
    hlo_value headers[2 * HLO_MOST_CALL_PLACES], *in[HLO_MOST_CALL_PLACES],
        *out[HLO_MOST_CALL_PLACES], tuple;
    hlo_call call = {.state = it->step->state,
                     .in = in,
                     .count = it->in_count,
                     .shape = it->step->instr->shape,
                     .instr = it->step->instr,
                     .thread = (hlo_thread *)(uintptr_t)frame[HLO_WORD_THREAD]};
    for (uint32_t i = 0; i < it->in_count; i++)
        in[i] = place_value(&headers[i], &it->places[i], frame);
    const hlo_loop_place *results = it->places + it->in_count;
    for (uint32_t i = 0; i < it->out_count; i++) {
        out[i] = place_value(&headers[it->in_count + i], &results[i], frame);
        if (hlo_fresh_fills() && it->step->result == HLO_RESULT_FRESH)
            hlo_fresh_fill(out[i]->data, (size_t)hlo_shape_bytes(out[i]->shape));
    }
    tuple = (hlo_value){.shape = call.shape, .refs = 1, .elements = out};
    call.out = hlo_shape_is_tuple(call.shape) ? &tuple : out[0];
    if (!hlo_run_called_step(it->plan, it->step, &call)) return false;
    for (uint32_t i = 0; i < it->out_count; i++) extend(&results[i], frame);
    return true;
}

/* ---- running ---- */

typedef bool question(uint64_t *frame);

static bool goes_on(uint64_t *frame) {
    frame[HLO_WORD_COUNTDOWN] = HLO_JIT_WORK;
    return !hlo_pool_is_stopped();
}

static uint64_t *new_frame(const hlo_loop *loop, const hlo_call *call) {
    char *memory = call->scratch;
    uint64_t *frame = call->scratch;
    size_t words = loop->word_count * sizeof *frame;
    question *ask = goes_on;
    memcpy(frame, loop->set, words);
    frame[HLO_WORD_COUNTDOWN] = HLO_JIT_WORK;
    memcpy(&frame[HLO_WORD_GOES_ON], &ask, sizeof ask);
    frame[HLO_WORD_THREAD] = (uintptr_t)call->thread;
    char *arrays = memory + (words + 63) / 64 * 64;
    for (uint32_t i = 0; i < loop->array_count; i++)
        frame[loop->arrays[i].word] = (uintptr_t)(arrays + loop->arrays[i].at);
    return frame;
}

bool hlo_run_loop(hlo_call *call) {
    HLO_ASSERT(call->instr->opcode == HLO_OP_WHILE);
    const hlo_loop *loop = call->thread->frame->step->code;
    uint64_t *frame = new_frame(loop, call);
    const hlo_loop_leaf *next = loop->leaves;
    hlo_value *state = read_state(&next, hlo_call_take(call, 0), frame);
    if (!state) return false;
    question *code;
    const char *at = (const char *)call->thread->program->options.code->memory + loop->start;
    memcpy(&code, &at, sizeof code);
    if (!code(frame)) {
        hlo_value_release(state);
        return false;
    }
    next = loop->leaves;
    write_state(&next, state, frame);
    return hlo_call_give(call, state);
}
