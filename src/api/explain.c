/* --explain: a rule's row, its source and its examples as text; and the same for an operation. */
#include <hlo.h>

#include "diag/rule_examples.h"
#include "host/output.h"
#include "ir/op_examples.h"
#include "lint/linter.h"

static const hlo_rule_example *example_of(hlo_rule rule) {
    HLO_ASSERT(rule < HLO_RULE_COUNT);
    for (const hlo_rule_example *e = hlo_rule_examples; e->rule; e++)
        if (strcmp(e->rule, hlo_rule_name(rule)) == 0) return e;
    return NULL;
}

/* The operations of XLA Operation Semantics that demand the rule, then its other sources. */
static void put_sources(hlo_buf *to, hlo_rule rule) {
    hlo_buf_lit(to, "\nsource:\n");
    for (const hlo_rule_source *s = hlo_rule_sources; s->rule; s++)
        if (strcmp(s->rule, hlo_rule_name(rule)) == 0)
            hlo_buf_printf(to, "  operation semantics, editions %s: %s\n", s->editions,
                           s->operation);
    switch (hlo_rule_stage(rule)) {
    case HLO_STAGE_LEX:
    case HLO_STAGE_PARSE:
    case HLO_STAGE_SHAPE:
    case HLO_STAGE_VERIFY: hlo_buf_lit(to, "  XLA today\n"); break;
    case HLO_STAGE_LINT:
        hlo_buf_printf(to, "  this program, beyond XLA; off by default%s\n",
                       hlo_lint_is_recommended(rule) ? ", on with `recommended`" : "");
        break;
    default: hlo_buf_lit(to, "  this program\n"); break;
    }
}

static void put_indented(hlo_buf *to, const char *heading, const char *text) {
    if (!*text) return;
    hlo_buf_printf(to, "\n%s:\n", heading);
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n) hlo_buf_lit(to, "  ");
        hlo_buf_bytes(to, text, n);
        hlo_buf_char(to, '\n');
        text += n + (text[n] != 0);
    }
}

static void put_rule(hlo_buf *to, hlo_rule rule) {
    hlo_buf_printf(to, "%s (%s): %s\n", hlo_rule_name(rule), hlo_stage_name(hlo_rule_stage(rule)),
                   hlo_rule_text(rule));
    const hlo_rule_example *example = example_of(rule);
    if (example && *example->remark) hlo_buf_printf(to, "\n%s", example->remark);
    put_sources(to, rule);
    if (!example) return;
    put_indented(to, "bad", example->bad);
    put_indented(to, "good", example->good);
}

/* ---- operations ---- */

static void put_attributes(hlo_buf *to, hlo_opcode op) {
    HLO_ASSERT(op < HLO_OP_COUNT);
    const char *heading = "\nattributes:\n";
    for (const uint16_t *a = hlo_ops[op].attrs; *a != HLO_ATTR_COUNT; a++) {
        const char *mark = *a & HLO_ATTR_REQUIRED  ? ""
                           : *a & HLO_ATTR_DROPPED ? " (dropped)"
                                                   : " (optional)";
        hlo_buf_printf(to, "%s  %s%s\n", heading, hlo_attr_table[*a & HLO_ATTR_MASK].text, mark);
        heading = "";
    }
}

static void put_operation(hlo_buf *to, hlo_opcode op) {
    HLO_ASSERT(op < HLO_OP_COUNT);
    const hlo_op_example *e = hlo_op_examples;
    while (e->op && strcmp(e->op, hlo_ops[op].text) != 0) e++;
    if (!e->op) return;
    hlo_buf_printf(to, "%s (operation): %s\n", e->op, e->meaning);
    put_indented(to, "result", *e->shape ? e->shape : "the shape of the operands");
    put_attributes(to, op);
    put_indented(to, "example", e->example);
}

hlo_status hlo_explain_rule(const char *name, hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, output);
    hlo_rule rule = hlo_rule_from_name(name, strlen(name));
    hlo_opcode op = hlo_op_from_text(name, strlen(name));
    if (rule == HLO_RULE_COUNT && op == HLO_OP_COUNT) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "unknown rule '%s'", name);
        hlo_hint_at_rule(diags, name, strlen(name), HLO_ADVICE_RULES);
        return HLO_BAD_USE;
    }
    if (rule != HLO_RULE_COUNT) put_rule(&output->buf, rule);
    if (rule != HLO_RULE_COUNT && op != HLO_OP_COUNT) hlo_buf_char(&output->buf, '\n');
    if (op != HLO_OP_COUNT) put_operation(&output->buf, op);
    return HLO_OK;
}
