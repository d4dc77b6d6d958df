/* hlo-xla-builder [--compact-gte] FILE: prints the module with a computation for each custom call
 * that names a function of the builder's library, xla_builder.math.Acos, as XLA's pass
 * test-only-xla-builder gives it one. XLA's tests of its library are written so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hlo.h>

#include "xla_builder/targets.h"

/* The same call with the computation; the old one stays, without users, as in XLA. */
static void call_computation(hlo_instr *old, hlo_computation *computation) {
    hlo_module *module = computation->module;
    hlo_computations *list = hlo_arena_alloc(&module->arena, sizeof *list + sizeof list->v[0]);
    list->n = 1;
    list->v[0] = computation;
    const hlo_attr attrs[] = {*hlo_instr_attr(old, HLO_ATTR_CUSTOM_CALL_TARGET),
                              {.id = HLO_ATTR_CALLED_COMPUTATIONS, .u.computations = list}};
    hlo_instr **operands = HLO_NEW_ARRAY(&module->arena, hlo_instr *, old->operand_count + 1u);
    for (uint32_t i = 0; i < old->operand_count; i++) operands[i] = hlo_operand(old, i);
    hlo_instr *made = hlo_instr_new(old->parent, HLO_OP_CUSTOM_CALL, old->shape,
                                    hlo_take_fresh_name(module, "custom-call"), operands,
                                    old->operand_count, attrs, 2);
    hlo_instr_replace_all_uses(old, made);
}

static bool give_computation(hlo_instr *call, hlo_diags *diags) {
    hlo_computation *computation = build_target(call, diags);
    if (computation) call_computation(call, computation);
    return computation != NULL;
}

static hlo_status give_computations(hlo_module *module, hlo_diags *diags) {
    hlo_computation *last = module->last;
    for (hlo_computation *c = module->first; c; c = c == last ? NULL : c->next)
        for (hlo_instr *i = c->first, *end = c->last; i; i = i == end ? NULL : i->next)
            if (is_target(i) && !hlo_instr_attr(i, HLO_ATTR_CALLED_COMPUTATIONS) &&
                !give_computation(i, diags))
                return HLO_BAD_MODULE;
    return HLO_OK;
}

static hlo_status print(hlo_module *module, bool compact, hlo_diags *diags) {
    hlo_text_options how = HLO_TEXT_OPTIONS_INIT;
    hlo_output *output;
    if (compact) how.compact_gte = HLO_ON;
    hlo_status status = hlo_output_open("-", diags, &output);
    if (status == HLO_OK) status = hlo_write_text(module, &how, output, diags);
    if (status == HLO_OK) status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}

static hlo_status convert(const char *path, bool compact, hlo_diags *diags) {
    hlo_source *source;
    hlo_module *module = NULL;
    hlo_status status = hlo_read_source(path, diags, &source);
    if (status == HLO_OK) status = hlo_read_module(source, diags, &module);
    hlo_source_free(source);
    if (status == HLO_OK) status = hlo_verify(module, diags);
    if (status == HLO_OK) status = give_computations(module, diags);
    if (status == HLO_OK) status = hlo_verify(module, diags);
    if (status == HLO_OK) status = print(module, compact, diags);
    hlo_module_free(module);
    return status;
}

int main(int argc, char **argv) {
    bool compact = argc == 3 && strcmp(argv[1], "--compact-gte") == 0;
    if (argc != 2 + compact) {
        fprintf(stderr, "usage: hlo-xla-builder [--compact-gte] FILE\n");
        return HLO_BAD_USE;
    }
    hlo_diags *diags = hlo_diags_create(0);
    hlo_status status = convert(argv[argc - 1], compact, diags);
    hlo_diags_render(diags, stderr, false);
    hlo_diags_free(diags);
    return (int)status;
}
