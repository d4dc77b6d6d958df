/* replicate: the program several times side by side, each time with separate parameters or all with
 * the same. For modules of any size out of small ones. */
#include "passes/pipeline/expression.h"
#include "passes/tools/program.h"

/* New parameters from *number on. */
static void add_parameters(hlo_rewriter *r, const hlo_body *body, const hlo_computation *program,
                           hlo_instr **args, int64_t *number) {
    for (uint32_t i = 0; i < program->parameter_count; i++)
        args[i] = hlo_build_parameter(r, body, (*number)++, program->parameters[i]->shape);
}

static hlo_computation *side_by_side(hlo_rewriter *r, hlo_computation *program, int64_t count,
                                     bool share) {
    hlo_body body = hlo_build_open(r, "replicated");
    hlo_instr **args = hlo_malloc((program->parameter_count + 1u) * sizeof *args);
    hlo_instr **results = hlo_malloc((size_t)count * sizeof *results);
    int64_t number = 0;
    for (int64_t k = 0; k < count; k++) {
        if (k == 0 || !share) add_parameters(r, &body, program, args, &number);
        results[k] = hlo_build_call(r, program, args, program->parameter_count);
    }
    hlo_instr *all = hlo_emit_tuple(r, results, (uint32_t)count);
    hlo_free(args);
    hlo_free(results);
    return hlo_build_close(r, &body, all);
}

hlo_pass_result hlo_pass_replicate(const hlo_pass_call *call) {
    enum { MOST_COPIES = 1000000 };
    hlo_computation *program = call->module->entry;
    int64_t count = HLO_OPTION(call, REPLICATE, count);
    if (count == 1) return HLO_UNCHANGED;
    if (count < 1 || count > MOST_COPIES) {
        hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                  "replicate: count is %lld and must be between 1 and %d", (long long)count,
                  MOST_COPIES);
        return HLO_PASS_FAILED;
    }
    hlo_rewriter *r = call->rewriter;
    if (!hlo_rewrite_allowed(r, HLO_REWRITE_replicated)) return HLO_UNCHANGED;
    hlo_rewrite_count(r, HLO_REWRITE_replicated, program->name);
    hlo_rewriter_aim(r, program->root);
    hlo_computation *entry =
        side_by_side(r, program, count, HLO_OPTION(call, REPLICATE, share_parameters) != 0);
    entry->execution_thread = program->execution_thread;
    hlo_set_program(call->module, entry);
    return HLO_CHANGED;
}
