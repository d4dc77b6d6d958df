/* Warnings about what the text of a module does not give back when it is read, each once for a
 * module. */
#include "ir/losses.h"

#include "ir/async_text.h"

/* Bits of hlo_module.losses_told. */
enum { TOLD_ZERO = 1, TOLD_NAN = 2, TOLD_ASYNC = 4, TOLD_SPMD = 8 };

typedef struct {
    hlo_module *module;
    const hlo_print_options *options;
    hlo_diags *diags;
} search;

/* True the first time that there is something of the kind. */
static bool begins(const search *s, unsigned kind) {
    bool first = !(s->module->losses_told & kind);
    s->module->losses_told |= kind;
    return first;
}

static const char *name_of(const search *s, const hlo_instr *instr) {
    return hlo_name_quoted(&s->diags->arena, instr->name);
}

static void look_at_constant(const search *s, const hlo_instr *constant) {
    HLO_ASSERT(constant->opcode == HLO_OP_CONSTANT);
    const hlo_attr *value = hlo_instr_attr(constant, HLO_ATTR_VALUE);
    if (!value || !hlo_literal_is_shown(value->u.literal, s->options)) return;
    hlo_literal_loss loss = hlo_literal_text_loss(value->u.literal);
    if (loss == HLO_LITERAL_LOSES_ZERO && !s->options->exact_literals && begins(s, TOLD_ZERO)) {
        hlo_warning(s->diags, HLO_RULE_LOSSY_TEXT, s->module->source, constant->at,
                    "constant %s has a negative zero, which is printed as -0, as by XLA, and read "
                    "as +0",
                    name_of(s, constant));
        hlo_advise(s->diags, HLO_ADVICE_EXACT_LITERALS);
    } else if (loss == HLO_LITERAL_LOSES_NAN && begins(s, TOLD_NAN)) {
        hlo_warning(s->diags, HLO_RULE_LOSSY_TEXT, s->module->source, constant->at,
                    "the parts of a complex nan of constant %s are not read back to the same bits",
                    name_of(s, constant));
        hlo_hint(s->diags, "JSON and protobuf preserve all bits");
    }
}

static void look_at_start(const search *s, const hlo_instr *start) {
    const hlo_instr *wrapped = hlo_async_lossy_form(start);
    if (!wrapped || !begins(s, TOLD_ASYNC)) return;
    hlo_warning(s->diags, HLO_RULE_LOSSY_TEXT, s->module->source, start->at,
                "%s is printed as async-start with calls=: %s-start, as XLA prints it, does not "
                "read back to computation %s",
                name_of(s, start), hlo_info(wrapped)->text,
                hlo_name_quoted(&s->diags->arena, wrapped->parent->name));
}

/* Text has the shardings of parameters with these. */
static void look_at_result(const search *s) {
    const hlo_spmd_shardings *spmd = s->module->spmd;
    if (!spmd || !spmd->is_read || !spmd->result || !begins(s, TOLD_SPMD)) return;
    hlo_warning(s->diags, HLO_RULE_LOSSY_TEXT, NULL, (hlo_span){0, 0},
                "spmdOutputSharding, the sharding of the result before partitioning, has no place "
                "in text");
    hlo_hint(s->diags, "JSON and protobuf have it");
}

void hlo_warn_of_losses(hlo_module *module, const hlo_print_options *options, hlo_diags *diags) {
    if (options->canonical) return; /* not to be read again */
    for (; module; module = module->next_device) {
        search s = {module, options, diags};
        look_at_result(&s);
        for (const hlo_computation *c = module->first; c; c = c->next)
            for (const hlo_instr *i = c->first; i; i = i->next)
                if (i->opcode == HLO_OP_CONSTANT) look_at_constant(&s, i);
                else if (i->opcode == HLO_OP_ASYNC_START) look_at_start(&s, i);
    }
}
