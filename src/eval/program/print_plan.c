/* The plans of a program as text: steps, where results are, buffers and how they share memory. */
#include <inttypes.h>

#include "eval/program/operand_cache.h"

/* ---- steps ---- */

void hlo_step_put_result(hlo_buf *to, const hlo_plan *plan, const hlo_plan_step *step) {
    switch ((hlo_op_result)step->result) {
    case HLO_RESULT_VIEW:
        if (step->instr->opcode == HLO_OP_PARAMETER) hlo_buf_lit(to, "argument");
        else if (step->instr->opcode == HLO_OP_CONSTANT) hlo_buf_lit(to, "constant");
        else hlo_buf_lit(to, "view");
        return;
    case HLO_RESULT_CALL: hlo_buf_lit(to, "of its callee"); return;
    case HLO_RESULT_FRESH:
    case HLO_RESULT_OVERWRITE:
    case HLO_RESULT_UPDATE: break;
    }
    if (plan->has_memory && step->takes) {
        const hlo_instr *taken = hlo_operand(step->instr, (uint32_t)__builtin_ctz(step->takes));
        hlo_buf_printf(to, "over %.*s", (int)taken->name->len, taken->name->ptr);
    } else if (plan->has_memory && step->buffers != HLO_NO_BUFFER) {
        hlo_buf_printf(to, "buffer %u", step->buffers);
    } else {
        hlo_buf_lit(to, "own memory");
    }
}

/* A cluster goes on with what its product's kernel computes. */
static const char *name_of_cluster(const hlo_computation *body) {
    for (const hlo_instr *i = body->first; i; i = i->next) {
        if (i->opcode == HLO_OP_DOT) return "dot, cluster";
        if (i->opcode == HLO_OP_CONVOLUTION) return "convolution, cluster";
    }
    return "cluster";
}

const char *hlo_step_kernel(const hlo_plan_step *step) {
    bool is_cluster =
        step->instr->opcode == HLO_OP_FUSION && step->result != (uint8_t)HLO_RESULT_CALL;
    if (step->code) return "code";
    if (is_cluster) return name_of_cluster(hlo_called(step->instr, 0));
    return hlo_kernel_name((hlo_opcode)step->instr->opcode);
}

/* Whose packed form of an operand is kept, and how long. */
static void put_kept(hlo_buf *to, const hlo_program *program, const hlo_plan_step *step) {
    for (const hlo_cached *cached = program->cached; cached; cached = cached->next) {
        if (cached->step != step || !cached->bytes) continue;
        const hlo_name *name = hlo_operand(cached->instr, cached->operand)->name;
        hlo_buf_printf(to, ", %.*s packed once", (int)name->len, name->ptr);
        if (cached->loop)
            hlo_buf_printf(to, " in %.*s", (int)cached->loop->name->len, cached->loop->name->ptr);
    }
}

static void put_steps(hlo_buf *to, const hlo_program *program, const hlo_plan *plan) {
    enum { WIDEST = 40 };
    int width = 11;
    for (uint32_t k = 0; k < plan->count; k++) {
        int length = (int)plan->steps[k].instr->name->len;
        if (length > width) width = length < WIDEST ? length : WIDEST;
    }
    hlo_buf_printf(to, "  %7s  %-*s  %-20s  result\n", "step", width, "instruction", "kernel");
    for (uint32_t k = 0; k < plan->count; k++) {
        const hlo_plan_step *step = &plan->steps[k];
        const hlo_name *name = step->instr->name;
        hlo_buf_printf(to, "  %7u  %-*.*s  %-20s  ", k, width, (int)name->len, name->ptr,
                       hlo_step_kernel(step));
        hlo_step_put_result(to, plan, step);
        if (step->is_called) hlo_buf_lit(to, ", called by code");
        if (step->has_code) hlo_buf_lit(to, ", by code");
        put_kept(to, program, step);
        hlo_buf_char(to, '\n');
    }
}

/* ---- buffers ---- */

static bool share_bytes(const hlo_plan_buffer *a, const hlo_plan_buffer *b) {
    return a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* The buffers before it whose bytes it takes, but for those that others have taken since. */
static void put_former(hlo_buf *to, const hlo_plan *plan, uint32_t b) {
    const hlo_plan_buffer *buffer = &plan->buffers[b];
    const char *before = "  after ";
    uint64_t from = buffer->at + buffer->bytes, end = buffer->at;
    for (uint32_t f = b; f-- > 0 && (from > buffer->at || end < buffer->at + buffer->bytes);) {
        const hlo_plan_buffer *former = &plan->buffers[f];
        if (former->at == HLO_NOT_PLACED || !share_bytes(buffer, former)) continue;
        if (former->at >= from && former->at + former->bytes <= end) continue;
        if (former->at < from) from = former->at;
        if (former->at + former->bytes > end) end = former->at + former->bytes;
        hlo_buf_printf(to, "%s%u", before, f);
        before = ", ";
    }
}

static void put_buffer(hlo_buf *to, const hlo_plan *plan, uint32_t b) {
    static const char *const uses[] = {[HLO_BUFFER_RESULT] = "result",
                                       [HLO_BUFFER_SCRATCH] = "scratch",
                                       [HLO_BUFFER_CALLED] = "called",
                                       [HLO_BUFFER_RETURNED] = "returned",
                                       [HLO_BUFFER_INSIDE] = "inside"};
    const hlo_plan_buffer *buffer = &plan->buffers[b];
    hlo_buf_printf(to, "  %7u  ", b);
    if (buffer->at == HLO_NOT_PLACED) hlo_buf_printf(to, "%14s", "own");
    else hlo_buf_printf(to, "%14" PRIu64, buffer->at);
    hlo_buf_printf(to, "  %14" PRIu64 "  %7u  %7u  %-8s", buffer->bytes, buffer->first,
                   buffer->last, uses[buffer->use]);
    if (buffer->at != HLO_NOT_PLACED && buffer->bytes) put_former(to, plan, b);
    while (to->len && to->data[to->len - 1] == ' ') to->len--;
    hlo_buf_char(to, '\n');
}

/* ---- programs ---- */

static void put_plan(hlo_buf *to, const hlo_program *program, const hlo_plan *plan) {
    const hlo_name *name = plan->computation->name;
    hlo_buf_printf(to, "plan %.*s: %u steps", (int)name->len, name->ptr, plan->count);
    if (plan->has_memory)
        hlo_buf_printf(to, ", %" PRIu64 " bytes (at least %" PRIu64 "), others %" PRIu64 " bytes",
                       plan->bytes, plan->least_bytes, plan->heap_bytes);
    if (plan->followers) hlo_buf_lit(to, ", concurrent steps, each with own memory");
    hlo_buf_char(to, '\n');
    put_steps(to, program, plan);
    if (plan->has_memory && plan->buffer_count) {
        hlo_buf_printf(to, "  %7s  %14s  %14s  %7s  %7s  use\n", "buffer", "offset", "bytes",
                       "from", "to");
        for (uint32_t b = 0; b < plan->buffer_count; b++) put_buffer(to, plan, b);
    }
}

void hlo_program_print(hlo_buf *to, const hlo_program *program) {
    for (uint32_t n = 0; n < program->plan_count; n++) put_plan(to, program, program->plans[n]);
    const hlo_program_memory *memory = &program->memory;
    hlo_buf_printf(to, "run: %" PRIu64 " bytes at once, %" PRIu64 " of them inputs", memory->peak,
                   memory->inputs);
    if (memory->cached) hlo_buf_printf(to, ", %" PRIu64 " packed once", memory->cached);
    hlo_buf_char(to, '\n');
}
