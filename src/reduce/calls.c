/* Edits around called computations: one of them becomes the program, one takes the place of its
 * call, and what passes know to simplify. */
#include "passes/pipeline/inline.h"
#include "passes/pipeline/pipeline.h"
#include "reduce/edit.h"

/* ---- a computation becomes the program ---- */

/* From the last one on: those are the entry's own. */
bool hlo_edit_enter_computation(hlo_module *module, uint32_t at, uint32_t size) {
    (void)size;
    hlo_computation *c = module->last;
    while (c && at--) c = c->prev;
    if (!c || c == module->entry || !c->root) return false;
    c->is_fusion_body = c->is_async_body = false;
    c->execution_thread = module->entry->execution_thread;
    module->entry = c;
    return true;
}

/* ---- a computation takes the place of its call ---- */

static bool is_inlinable(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_CALL || instr->opcode == HLO_OP_FUSION ||
           instr->opcode == HLO_OP_WHILE || instr->opcode == HLO_OP_CONDITIONAL;
}

/* Only the branches of a conditional leave a choice. */
static uint32_t choices(const hlo_instr *instr) {
    if (!is_inlinable(instr)) return 0;
    return instr->opcode == HLO_OP_CONDITIONAL ? hlo_called_count(instr) : 1;
}

uint32_t hlo_count_calls(const hlo_module *module) {
    uint32_t n = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) n += choices(i);
    return n;
}

/* A loop's body runs once. */
static bool inline_one(hlo_module *module, hlo_instr *call, uint32_t which) {
    hlo_computation *body = hlo_called(call, which);
    uint32_t from = call->opcode == HLO_OP_CONDITIONAL ? which + 1 : 0;
    if (!body || !body->root || from + body->parameter_count > call->operand_count) return false;
    hlo_instr **args = hlo_malloc((body->parameter_count + 1u) * sizeof *args);
    for (uint32_t i = 0; i < body->parameter_count; i++) args[i] = hlo_operand(call, from + i);
    hlo_rewriter rewriter;
    hlo_rewriter_init(&rewriter, module, NULL, NULL);
    hlo_rewriter_aim(&rewriter, call);
    hlo_instr_replace_all_uses(call, hlo_inline_body(&rewriter, body, args));
    hlo_rewriter_free(&rewriter);
    hlo_free(args);
    call->mark = hlo_module_new_mark(module);
    hlo_edit_remove_marked(call->parent, call->mark);
    return true;
}

bool hlo_edit_inline_call(hlo_module *module, uint32_t at, uint32_t size) {
    (void)size;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            uint32_t n = choices(i);
            if (at < n) return inline_one(module, i, at);
            at -= n;
        }
    return false;
}

/* ---- passes ---- */

static const char *const pipelines[] = {
    "fix(tuple-simplifier,hlo-module-dce,dce)",
    "fix(tuple-simplifier,zero_sized_hlo_elimination,simplify-conditional,cse,dce)",
    "fix(call-inliner,map-inline,dce)",
    "simplify-while-loops",
    "fix(algsimp,cse,dce)",
    "simplify-sorts",
};

uint32_t hlo_count_pipelines(const hlo_module *module) {
    (void)module;
    return sizeof pipelines / sizeof *pipelines;
}

static bool run(hlo_module *module, const char *text) {
    bool changed = false;
    return hlo_edit_run(module, text, &changed) && changed;
}

bool hlo_edit_run_passes(hlo_module *module, uint32_t at, uint32_t size) {
    HLO_ASSERT(at < sizeof pipelines / sizeof *pipelines);
    (void)size;
    return run(module, pipelines[at]);
}

/* ---- one element of a loop's state, or of another result that is no separate tuple ---- */

uint32_t hlo_count_elements(const hlo_module *module) {
    const hlo_instr *root = module->entry->root;
    bool has_some = root->opcode != HLO_OP_TUPLE && hlo_shape_is_tuple(root->shape);
    return has_some ? root->shape->rank : 0;
}

/* The get-tuple-element is one more instruction, but the other elements become dead. */
bool hlo_edit_take_element(hlo_module *module, uint32_t at, uint32_t size) {
    hlo_instr *root = module->entry->root;
    (void)size;
    if (!hlo_shape_is_data(root->shape->elements[at])) return false;
    hlo_attr index = {.id = HLO_ATTR_INDEX, .u.i = at};
    module->entry->root =
        hlo_instr_new(module->entry, HLO_OP_GET_TUPLE_ELEMENT, root->shape->elements[at],
                      hlo_edit_name(module, "element"), &root, 1, &index, 1);
    return run(module, pipelines[0]);
}
