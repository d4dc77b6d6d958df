/* Rows of kinds.def: each kind can be printed, compared and scanned, and what a hint proposes for a
 * missing attribute is read without a complaint about its form. Prints "N passed, N failed"; built
 * and run by `make test`. */
#include "form/refuse.h"
#include "ir/attr_layout.h"
#include "parse/attr_tokens.h"
#include "parse/parse.h"
#include "unit/read_text.h"

static int passed, failed;

static void expect(bool holds, const char *name, const char *what) {
    passed += holds;
    failed += !holds;
    if (!holds) printf("FAILED: %s: %s\n", name, what);
}

/* The hint for a missing attribute, without the text before the attribute: to be freed. NULL:
 * there is none. */
static char *hint_for(hlo_attr_id id) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("hint", "", 0);
    hlo_error(&diags, HLO_RULE_MISSING_ATTRIBUTE, source, (hlo_span){0}, "it is missing");
    hlo_suggest_value(&diags, id);
    const char *hint = diags.last->hint;
    const char *attribute = hint ? strstr(hint, hlo_attr_table[id].text) : NULL;
    expect(!hint || attribute, hlo_attr_table[id].text, "the hint names the attribute");
    char *copy = attribute ? strdup(attribute) : NULL;
    hlo_diags_drop(&diags);
    hlo_source_release(source);
    return copy;
}

static bool is_about_form(hlo_rule rule) {
    return rule == HLO_RULE_LEX || rule == HLO_RULE_SYNTAX || rule == HLO_RULE_ATTRIBUTE_VALUE ||
           rule == HLO_RULE_UNKNOWN_ATTRIBUTE;
}

/* Other errors there are: the instruction has no operands, and no computation is defined. */
static bool is_well_formed(const hlo_op_info *op, const char *attribute) {
    char text[512];
    snprintf(text, sizeof text, "HloModule m\nENTRY e { ROOT r = f32[] %s(), %s }", op->text,
             attribute);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("test", text, strlen(text));
    hlo_module *module = NULL;
    if (hlo_parse(source, &diags, &module) == HLO_OK) hlo_module_free(module);
    bool good = true;
    for (const hlo_diag *d = diags.first; d; d = d->next)
        if (is_about_form(d->rule)) good = false;
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    return good;
}

static void check_hints(const hlo_op_info *op) {
    for (const uint16_t *a = op->attrs; *a != HLO_ATTR_COUNT; a++) {
        if (!(*a & HLO_ATTR_REQUIRED)) continue;
        char *attribute = hint_for((hlo_attr_id)(*a & HLO_ATTR_MASK));
        if (attribute) expect(is_well_formed(op, attribute), op->text, attribute);
        free(attribute);
    }
}

int main(void) {
    static const char *const names[] = {
#define HLO_KIND(id, ...) [HLO_KIND_##id] = "kind " #id,
#include "ir/kinds.def"
    };
    for (int kind = 0; kind < HLO_KIND_COUNT; kind++) {
        const char *name = names[kind];
        expect(hlo_kind_fields[kind]->how != HLO_FIELD_END, name, "it has a layout");
        expect(hlo_attr_token((hlo_attr_kind)kind) > 0, name, "it has a token");
    }
    for (int id = 0; id < HLO_ATTR_COUNT; id++) free(hint_for((hlo_attr_id)id));
    for (int op = 0; op < HLO_OP_COUNT; op++) check_hints(&hlo_ops[op]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
