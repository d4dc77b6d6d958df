/* isolate: one instruction becomes the whole program, its operands become parameters. Constants
 * among them stay constants, and computations that it calls stay too. */
#include "analysis/call_graph.h"
#include "ir/name_search.h"
#include "passes/pipeline/rewrite.h"
#include "passes/tools/program.h"
#include "shape/compatible.h"

/* The operand's stand-in: one for each operand, however often it is used. */
static hlo_instr *placeholder(hlo_computation *c, const hlo_instr *instr, uint32_t k,
                              hlo_instr **made, int64_t *number) {
    hlo_instr *operand = hlo_operand(instr, k);
    for (uint32_t i = 0; i < k; i++)
        if (hlo_operand(instr, i) == operand) return made[i];
    if (operand->opcode == HLO_OP_CONSTANT) return hlo_instr_clone(operand, c, NULL, 0);
    return hlo_parameter_new(c, operand->shape, "parameter", (*number)++);
}

static hlo_computation *program_of(hlo_module *module, hlo_instr *instr) {
    hlo_computation *c =
        hlo_computation_new(module, hlo_module_intern_copy(module, HLO_STR("isolated")));
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    int64_t number = 0;
    for (uint32_t k = 0; k < instr->operand_count; k++)
        operands[k] = placeholder(c, instr, k, operands, &number);
    c->root = hlo_instr_clone(instr, c, operands, instr->operand_count);
    c->execution_thread = module->entry->execution_thread;
    hlo_computation_index_parameters(c);
    hlo_free(operands);
    return c;
}

static hlo_pass_result fail(const hlo_pass_call *call, const char *what, const char *name) {
    hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0}, "isolate: %s '%s'", what,
              name);
    return HLO_PASS_FAILED;
}

/* The program is the instruction with parameters and constants already. */
static bool is_alone(const hlo_instr *instr) {
    const hlo_computation *entry = instr->parent->module->entry;
    bool alone = instr == entry->root;
    for (const hlo_instr *i = entry->first; i && alone; i = i->next)
        alone = i == instr || i->opcode == HLO_OP_PARAMETER || i->opcode == HLO_OP_CONSTANT;
    return alone;
}

hlo_pass_result hlo_pass_isolate(const hlo_pass_call *call) {
    hlo_module *module = call->module;
    const char *name = HLO_TEXT_OPTION(call, ISOLATE, instruction);
    if (!name[0]) return HLO_UNCHANGED;
    hlo_instr *instr = hlo_instr_named(module, name);
    if (!instr) {
        fail(call, "the module has no instruction", name);
        hlo_hint_at_instr(call->diags, module, hlo_str_from(name));
        return HLO_PASS_FAILED;
    }
    if (instr->opcode == HLO_OP_PARAMETER) return fail(call, "a parameter has no producer", name);
    if (is_alone(instr)) return HLO_UNCHANGED;
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_isolated)) return HLO_UNCHANGED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_isolated, instr->name);
    hlo_set_program(module, program_of(module, instr));
    hlo_remove_unreachable(module);
    module->entry->root->name = instr->name;
    return HLO_CHANGED;
}
