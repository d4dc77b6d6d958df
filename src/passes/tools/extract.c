/* extract: an instruction with what computes it, or a computation, becomes the whole program. What
 * lies further away than `height` operands becomes parameters; constants stay, and computations
 * that are called. Control dependencies are those of the old program and are dropped. */
#include "analysis/call_graph.h"
#include "ir/name_search.h"
#include "passes/pipeline/rewrite.h"
#include "passes/tools/program.h"

/* The instructions of a computation by number of edges from the root: those that are kept, and
 * the first that are not. */
typedef struct {
    hlo_instr *root;
    int64_t height; /* negative: no limit */
    int64_t *hops;  /* by hlo_instr.index; -1: neither */
    hlo_instr **copies;
    hlo_computation *to;
    int64_t parameters; /* of it, so far */
} cone;

/* ---- what is kept ---- */

static bool is_boundary(const cone *c, const hlo_instr *instr) {
    return c->height >= 0 && c->hops[instr->index] > c->height;
}

static void measure(cone *c) {
    uint32_t count = c->root->parent->instr_count, read = 0, written = 1;
    hlo_instr **queue = hlo_malloc(count * sizeof *queue);
    for (uint32_t i = 0; i < count; i++) c->hops[i] = -1;
    c->hops[c->root->index] = 0;
    queue[0] = c->root;
    while (read < written) {
        const hlo_instr *instr = queue[read++];
        for (uint32_t k = 0; k < instr->operand_count && !is_boundary(c, instr); k++) {
            hlo_instr *operand = hlo_operand(instr, k);
            if (c->hops[operand->index] >= 0) continue;
            c->hops[operand->index] = c->hops[instr->index] + 1;
            queue[written++] = operand;
        }
    }
    hlo_free(queue);
}

static bool is_leaf(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_PARAMETER || instr->opcode == HLO_OP_CONSTANT;
}

static bool is_whole_program(const cone *c) {
    const hlo_computation *entry = c->root->parent->module->entry;
    bool whole = c->root == entry->root;
    for (const hlo_instr *i = entry->first; i && whole; i = i->next)
        whole = c->hops[i->index] >= 0 && (is_leaf(i) || !is_boundary(c, i));
    return whole;
}

/* ---- the new computation ---- */

/* Of the name of what it stands for. */
static hlo_instr *new_parameter(cone *c, const hlo_instr *instr) {
    hlo_attr number = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = c->parameters++};
    instr->name->uses++;
    hlo_instr *parameter =
        hlo_instr_new(c->to, HLO_OP_PARAMETER, instr->shape, instr->name, NULL, 0, &number, 1);
    parameter->at = instr->at;
    return parameter;
}

static void copy_parameters(cone *c) {
    const hlo_computation *from = c->root->parent;
    for (uint32_t i = 0; i < from->parameter_count; i++) {
        const hlo_instr *parameter = from->parameters[i];
        if (c->hops[parameter->index] >= 0)
            c->copies[parameter->index] = new_parameter(c, parameter);
    }
}

static hlo_instr *copy_of(cone *c, hlo_instr *instr) {
    if (is_boundary(c, instr) && !is_leaf(instr)) return new_parameter(c, instr);
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t k = 0; k < instr->operand_count; k++)
        operands[k] = c->copies[hlo_operand(instr, k)->index];
    hlo_instr *copy = hlo_instr_clone(instr, c->to, operands, instr->operand_count);
    hlo_instr_take_name(copy, instr->name);
    hlo_free(operands);
    return copy;
}

static hlo_computation *program_of(cone *c, hlo_module *module) {
    hlo_computation *from = c->root->parent;
    hlo_instr **order = hlo_malloc(from->instr_count * sizeof *order);
    uint32_t count = hlo_post_order(from, order);
    c->to = hlo_computation_new(module, hlo_fresh_name(module, "extracted"));
    c->to->execution_thread = module->entry->execution_thread;
    copy_parameters(c);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = order[i]->index;
        if (c->hops[n] >= 0 && !c->copies[n]) c->copies[n] = copy_of(c, order[i]);
    }
    c->to->root = c->copies[c->root->index];
    hlo_computation_index_parameters(c->to);
    hlo_free(order);
    return c->to;
}

/* ---- the pass ---- */

static void become(const hlo_pass_call *call, hlo_computation *entry, hlo_rewrite_id id,
                   const hlo_name *name) {
    hlo_rewrite_count(call->rewriter, id, name);
    hlo_set_program(call->module, entry);
    hlo_remove_unreachable(call->module);
}

static hlo_pass_result extract_instruction(const hlo_pass_call *call, hlo_instr *root) {
    uint32_t count = root->parent->instr_count;
    cone c = {.root = root,
              .height = HLO_OPTION(call, EXTRACT, height),
              .hops = hlo_calloc(count, sizeof *c.hops),
              .copies = hlo_calloc(count, sizeof *c.copies)};
    hlo_number_instructions(root->parent);
    measure(&c);
    bool changes = !is_whole_program(&c) &&
                   hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_extracted_instruction);
    if (changes)
        become(call, program_of(&c, call->module), HLO_REWRITE_extracted_instruction, root->name);
    hlo_free(c.hops);
    hlo_free(c.copies);
    return changes ? HLO_CHANGED : HLO_UNCHANGED;
}

static hlo_pass_result extract_computation(const hlo_pass_call *call, hlo_computation *c) {
    if (c == call->module->entry) return HLO_UNCHANGED;
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_extracted_computation))
        return HLO_UNCHANGED;
    become(call, c, HLO_REWRITE_extracted_computation, c->name);
    return HLO_CHANGED;
}

static hlo_pass_result refuse(const hlo_pass_call *call, const char *why) {
    hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0}, "extract: %s", why);
    return HLO_PASS_FAILED;
}

static hlo_pass_result fail(const hlo_pass_call *call, const char *what, const char *name) {
    hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0}, "extract: %s '%s'", what,
              name);
    return HLO_PASS_FAILED;
}

static hlo_pass_result extract_named_instruction(const hlo_pass_call *call, const char *name) {
    hlo_instr *root = hlo_instr_named(call->module, name);
    if (root) return extract_instruction(call, root);
    fail(call, "the module has no instruction", name);
    hlo_hint_at_instr(call->diags, call->module, hlo_str_from(name));
    return HLO_PASS_FAILED;
}

static hlo_pass_result extract_named_computation(const hlo_pass_call *call, const char *name) {
    hlo_computation *c = hlo_computation_named(call->module, name);
    if (c) return extract_computation(call, c);
    fail(call, "the module has no computation", name);
    hlo_hint_at_computation(call->diags, call->module, hlo_str_from(name));
    return HLO_PASS_FAILED;
}

hlo_pass_result hlo_pass_extract(const hlo_pass_call *call) {
    const char *instruction = HLO_TEXT_OPTION(call, EXTRACT, instruction);
    const char *computation = HLO_TEXT_OPTION(call, EXTRACT, computation);
    if (instruction[0] && computation[0])
        return fail(call, "instruction= and computation= are mutually exclusive", computation);
    if (instruction[0]) return extract_named_instruction(call, instruction);
    if (HLO_OPTION(call, EXTRACT, height) >= 0) return refuse(call, "height= needs instruction=");
    if (computation[0]) return extract_named_computation(call, computation);
    return HLO_UNCHANGED;
}
