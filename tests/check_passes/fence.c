/* opt-barrier separates code: what passes do on one side of it does not depend on the other. Here
 * each barrier of the entry computation is replaced by an opaque call that must not be merged or
 * removed; passes must do the same as with barriers. */
#include <stdio.h>
#include <string.h>

#include "check_passes/check.h"

static const char target[] = "opaque_fence";

/* A dead barrier may be removed with its operands: the opaque call has to become a barrier first.
 */
#define WITHOUT_DEAD "fix(dce{use_call_analysis=true,control_flow=true})"

static bool is_opaque(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    return instr->opcode == HLO_OP_CUSTOM_CALL && attr && hlo_str_is(*attr->u.string, target);
}

bool check_has_fences(const hlo_module *module) {
    for (const hlo_instr *i = module->entry->first; i; i = i->next)
        if (i->opcode == HLO_OP_OPT_BARRIER) return true;
    return false;
}

/* The instruction in the place of `old`, under its name. */
static void exchange(hlo_instr *old, hlo_opcode opcode, const hlo_attr *attrs, uint32_t n) {
    hlo_instr *operand = hlo_operand(old, 0);
    hlo_instr *by =
        hlo_instr_new(old->parent, opcode, old->shape, old->name, &operand, 1, attrs, n);
    hlo_instr_move_before(by, old);
    hlo_instr_replace_all_uses(old, by);
    hlo_instr_remove(old);
}

static void make_opaque(hlo_module *module) {
    hlo_str *name = HLO_NEW(&module->arena, hlo_str);
    *name = hlo_str_from(target);
    hlo_attr attrs[] = {{.id = HLO_ATTR_CUSTOM_CALL_TARGET, .u.string = name},
                        {.id = HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT, .u.i = true}};
    for (hlo_instr *i = module->entry->first, *next; i; i = next) {
        next = i->next;
        if (i->opcode == HLO_OP_OPT_BARRIER) exchange(i, HLO_OP_CUSTOM_CALL, attrs, 2);
    }
}

static void make_barriers(hlo_module *module) {
    for (hlo_instr *i = module->entry->first, *next; i; i = next) {
        next = i->next;
        if (is_opaque(i)) exchange(i, HLO_OP_OPT_BARRIER, NULL, 0);
    }
}

/* The result of the passes without dead code; false after an error. */
static bool text_after(const check_case *c, const hlo_pipeline *pipeline, bool opaque,
                       hlo_buf *text) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module = check_read(c, &diags);
    if (module && opaque) make_opaque(module);
    bool good = module && hlo_pipeline_execute(pipeline, module, &diags, NULL) == HLO_OK;
    if (good && opaque) make_barriers(module);
    good = good && hlo_pipeline_run(module, WITHOUT_DEAD ",canonicalize-names", &diags) == HLO_OK;
    if (good) hlo_module_print(module, &hlo_print_default, text);
    else hlo_diags_render(&diags, stdout, false);
    hlo_module_free(module);
    hlo_diags_drop(&diags);
    return good;
}

void check_fences(check_case *c, const char *passes, const hlo_pipeline *pipeline) {
    if (!check_has_fences(c->original)) return;
    if (strcmp(passes, hlo_passes[HLO_PASS_BARRIER_EXPANDER].name) == 0) return; /* its purpose */
    hlo_buf open = HLO_BUF_INIT, opaque = HLO_BUF_INIT;
    bool ran = text_after(c, pipeline, false, &open) && text_after(c, pipeline, true, &opaque);
    c->tally->fences++;
    if (!ran) check_fail(c, passes, "fails around fences");
    else if (open.len != opaque.len || memcmp(open.data, opaque.data, open.len) != 0)
        check_fail(c, passes, "sees through an opt-barrier");
    hlo_buf_free(&open);
    hlo_buf_free(&opaque);
}
