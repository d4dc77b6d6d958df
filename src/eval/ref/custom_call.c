/* The custom-call kernel: targets by name (custom_calls.def). Called by the runner and by the check
 * before a run. */
#include "eval/eval.h"
#include "eval/ref/custom_call_function.h"
#include "eval/ref/lapack.h"
#include "eval/ref/solves.h"

/* ---- targets ---- */

static hlo_value *identity(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_shape *shape = instr->shape;
    if (instr->operand_count == 1 && hlo_shape_compatible(shape, args[0]->shape))
        return hlo_shape_is_array(shape) ? hlo_value_view(args[0], shape)
                                         : hlo_value_retain(args[0]);
    if (hlo_shape_is_tuple(shape) && shape->rank == 0)
        return hlo_value_new(shape); /* a mere marker */
    hlo_eval_error(eval, instr,
                   instr->operand_count == 1
                       ? "changes the shape of its operand, which requires more than one device"
                       : "takes one operand");
    return NULL;
}

/* A buffer without contents; zeros, so that runs are reproducible. */
static hlo_value *new_buffer(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval, (void)args;
    const hlo_shape *shape = instr->shape;
    return hlo_value_zeros(shape->type == HLO_BUFFER ? shape->elements[0] : shape);
}

/* A buffer holds what was put into it. */
static hlo_value *pin(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (instr->operand_count == 1) return hlo_value_retain(args[0]);
    hlo_eval_error(eval, instr, "takes one operand");
    return NULL;
}

/* Whether the result is (values, positions) of the operand with a shorter last dimension. */
static bool is_top_of(const hlo_shape *result, const hlo_shape *operand) {
    if (!hlo_shape_is_tuple(result) || result->rank != 2 || !hlo_shape_is_array(operand) ||
        operand->rank == 0)
        return false;
    const hlo_shape *values = result->elements[0], *positions = result->elements[1];
    if (values->type != operand->type || values->rank != operand->rank ||
        positions->type != HLO_S32 || positions->rank != operand->rank)
        return false;
    uint32_t last = operand->rank - 1;
    for (uint32_t d = 0; d < operand->rank; d++) {
        bool fits =
            d == last ? values->dims[d] <= operand->dims[d] : values->dims[d] == operand->dims[d];
        if (!fits || positions->dims[d] != values->dims[d]) return false;
    }
    return true;
}

/* The instruction topk, whose k is written in the result's shape. */
static hlo_value *top_k(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (instr->operand_count != 1 || !is_top_of(instr->shape, args[0]->shape)) {
        hlo_eval_error(eval, instr, "does not have the result of TopK: values and s32 positions");
        return NULL;
    }
    const hlo_shape *values = instr->shape->elements[0];
    hlo_attr k = {.id = HLO_ATTR_K, .u.i = values->dims[values->rank - 1]};
    hlo_instr topk = *instr;
    topk.attrs = &k;
    topk.attr_count = 1;
    return hlo_eval_topk(eval, &topk, args);
}

static const struct {
    const char *target;
    hlo_old_kernel *run;
} targets[] = {
#define HLO_CUSTOM_CALL(target, function) {target, function},
#include "eval/custom_calls.def"
#undef HLO_CUSTOM_CALL
};

static hlo_old_kernel *find_target(const hlo_str *name) {
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        if (hlo_str_is(*name, targets[k].target)) return targets[k].run;
    return NULL;
}

static const hlo_str *target_of(const hlo_instr *instr) {
    static const hlo_str none;
    const hlo_attr *target = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    return target ? target->u.string : &none;
}

static hlo_function *find_function(const hlo_program_options *options, const hlo_str *name) {
    return options->find_function ? options->find_function(options->context, name) : NULL;
}

const char *hlo_custom_call_problem(const hlo_program_options *options, const hlo_instr *instr,
                                    hlo_arena *arena) {
    const hlo_str *name = target_of(instr);
    if (find_function(options, name)) return hlo_function_problem(instr);
    if (find_target(name) || options->stub_custom_calls) return NULL;
    static const char text[] = "calls the unknown target \"%.*s\"";
    size_t size = sizeof text + name->len;
    char *problem = hlo_arena_alloc(arena, size);
    snprintf(problem, size, text, (int)name->len, name->ptr);
    return problem;
}

hlo_value *hlo_eval_custom_call(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_str *name = target_of(instr);
    hlo_function *function = find_function(&eval->program->options, name);
    if (function) return hlo_call_function(eval, instr, args, function);
    hlo_old_kernel *run = find_target(name);
    if (run) return run(eval, instr, args);
    if (eval->program->options.stub_custom_calls) return hlo_value_zeros(instr->shape);
    hlo_eval_error(eval, instr, "calls an unknown target");
    return NULL;
}
