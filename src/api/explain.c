/* --explain: a rule's row, its source and its examples as text. */
#include "diag/rule_examples.h"
#include "run/output.h"

static const hlo_rule_example *example_of(hlo_rule rule) {
    for (const hlo_rule_example *e = hlo_rule_examples; e->rule; e++)
        if (strcmp(e->rule, hlo_rule_name(rule)) == 0) return e;
    return NULL;
}

/* The seeds' operations that ask for the rule, then who else does. */
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
    case HLO_STAGE_LINT: hlo_buf_lit(to, "  this program, beyond XLA; off by default\n"); break;
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

hlo_status hlo_explain_rule(const char *name, hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, output);
    hlo_rule rule = hlo_rule_from_name(name, strlen(name));
    if (rule == HLO_RULE_COUNT) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "unknown rule '%s'", name);
        hlo_hint_at_rule(diags, name, strlen(name), HLO_ADVICE_RULES);
        return HLO_BAD_USE;
    }
    hlo_buf *to = &output->buf;
    hlo_buf_printf(to, "%s (%s): %s\n", name, hlo_stage_name(hlo_rule_stage(rule)),
                   hlo_rule_text(rule));
    const hlo_rule_example *example = example_of(rule);
    if (example && *example->remark) hlo_buf_printf(to, "\n%s", example->remark);
    put_sources(to, rule);
    if (example) {
        put_indented(to, "bad", example->bad);
        put_indented(to, "good", example->good);
    }
    return HLO_OK;
}
