/* canonicalize-names: names that depend on what is computed alone, so that texts can be compared:
 * instructions are called after their opcodes, computations after their callers' opcodes, in the
 * order in which they are printed. */
#include "passes/pipeline/rewrite.h"

typedef struct {
    hlo_module *module;
    hlo_computation **order;
    uint32_t n;
    uint32_t next[HLO_OP_COUNT], next_computation;
    bool changed;
} renaming;

static hlo_name *numbered(hlo_module *module, const char *root, uint32_t number) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_cstr(&text, root);
    if (number) hlo_buf_printf(&text, ".%u", number);
    hlo_name *name = hlo_module_intern_copy(module, (hlo_str){text.data, (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return name;
}

static void give_name(renaming *r, hlo_name **slot, const char *root, uint32_t number) {
    hlo_name *name = numbered(r->module, root, number);
    r->changed |= *slot != name;
    *slot = name;
}

static void rename_instructions(renaming *r, hlo_computation *c) {
    hlo_instr **order = hlo_malloc((c->instr_count + 1u) * sizeof *order);
    uint32_t n = hlo_post_order(c, order);
    for (uint32_t i = 0; i < n; i++)
        give_name(r, &order[i]->name, hlo_info(order[i])->text, r->next[order[i]->opcode]++);
    hlo_free(order);
}

static void rename_all(renaming *r) {
    for (uint32_t i = 0; i < r->n; i++) {
        hlo_computation *c = r->order[i];
        if (c == r->module->entry) give_name(r, &c->name, "main", 0);
        else give_name(r, &c->name, "computation", r->next_computation++);
        rename_instructions(r, c);
    }
}

hlo_pass_result hlo_pass_canonicalize_names(const hlo_pass_call *call) {
    renaming r = {.module = call->module};
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_canonical_names)) return HLO_UNCHANGED;
    r.order = hlo_malloc((call->module->computation_count + 1u) * sizeof(hlo_computation *));
    r.n = hlo_print_order(call->module, r.order);
    for (hlo_computation *c = call->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) i->name->uses = 0;
    rename_all(&r);
    hlo_module_forget_scratch(call->module);
    hlo_count_names(call->module);
    call->module->names_are_unique = true;
    hlo_free(r.order);
    if (!r.changed) return HLO_UNCHANGED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_canonical_names, call->module->entry->name);
    return HLO_CHANGED;
}
