/* map by its definition: one call of the computation for each element. */
#include "eval/kernel/dynamic.h"
#include "eval/kernel/scalar.h"

typedef struct {
    const hlo_scalar_program *program;
    size_t operands_at, inputs_at; /* pointers in scratch memory */
} map_state;

static bool prepare_map(hlo_preparation *p) {
    map_state *s = HLO_NEW_STATE(p, map_state);
    int64_t elements = hlo_shape_elements(p->instr->shape);
    s->program = hlo_prepare_scalar(p, hlo_called(p->instr, 0));
    if (!s->program) return false;
    bool fits = hlo_scalar_input_count(s->program) == p->instr->operand_count &&
                hlo_scalar_output_count(s->program) == 1;
    for (uint32_t i = 0; fits && i < p->instr->operand_count; i++)
        fits = hlo_shape_elements(hlo_operand(p->instr, i)->shape) == elements;
    if (!fits)
        return hlo_prepare_error(p, HLO_RULE_RUN, "has operands that do not match its computation");
    s->operands_at = hlo_prepare_scratch(p, p->instr->operand_count * sizeof(hlo_value *));
    s->inputs_at = hlo_prepare_scratch(p, p->instr->operand_count * sizeof(void *));
    p->state = s;
    return true;
}

static bool map_elements(hlo_call *call, hlo_value *const *operands) {
    const map_state *s = call->state;
    const void **inputs = (const void **)((char *)call->scratch + s->inputs_at);
    for (int64_t at = 0; at < hlo_shape_elements(call->shape); at++) {
        void *output = (char *)call->out->data + at * hlo_types[call->shape->type].bytes;
        for (uint32_t i = 0; i < call->count; i++)
            inputs[i] =
                (const char *)operands[i]->data + at * hlo_types[operands[i]->shape->type].bytes;
        if (!hlo_scalar_run(s->program, call, inputs, NULL, &output, 1)) return false;
    }
    return true;
}

static bool run_map(hlo_call *call) {
    const map_state *s = call->state;
    hlo_value **operands = (hlo_value **)((char *)call->scratch + s->operands_at);
    int64_t *sizes = hlo_joint_sizes(call);
    call->out->sizes = sizes;
    if (!hlo_stretch_operands(call, sizes, operands)) return false;
    bool ok = map_elements(call, operands);
    for (uint32_t i = 0; i < call->count; i++) hlo_value_release(operands[i]);
    return ok;
}

const hlo_kernel hlo_plain_map = {prepare_map, run_map};
