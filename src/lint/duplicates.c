/* Lint: computations that do the same (analysis/equal.h). */
#include "analysis/equal.h"
#include "lint/linter.h"

/* Computations that do the same, in order of the text. Dumps hold hundreds of copies of one
 * reducer: one message for all of them. */
typedef struct {
    const hlo_computation *first, *copy; /* the first one, the first copy */
    uint32_t more;                       /* further copies */
} group;

static void report(hlo_linter *l, const group *g) {
    char others[48] = "";
    if (g->more)
        snprintf(others, sizeof others, ", and so %s %u more", g->more == 1 ? "does" : "do",
                 g->more);
    hlo_lint_report_computation(l, HLO_RULE_DUPLICATE_COMPUTATION, g->copy, "it is equal to %s%s",
                                hlo_lint_name(l, g->first->name), others);
    hlo_lint_note(l, g->first->at, "the first one");
}

/* The entry is no copy, and neither is what suppresses the rule. */
static void report_groups(hlo_linter *l, const uint32_t *kinds) {
    group *groups = HLO_NEW_ARRAY(&l->scratch, group, l->module->next_id);
    for (const hlo_computation *c = l->module->first; c; c = c->next) {
        group *g = &groups[kinds[c->id]];
        if (!g->first) g->first = c;
        else if (c == l->module->entry ||
                 hlo_lint_suppresses(l, HLO_RULE_DUPLICATE_COMPUTATION, c->root))
            continue;
        else if (!g->copy) g->copy = c;
        else g->more++;
    }
    for (const hlo_computation *c = l->module->first; c; c = c->next)
        if (groups[kinds[c->id]].copy == c) report(l, &groups[kinds[c->id]]);
}

void hlo_lint_duplicate_computation(hlo_linter *l) {
    uint32_t *kinds = hlo_computation_kinds(l->module, &l->graph);
    report_groups(l, kinds);
    hlo_free(kinds);
    hlo_lint_number(l);
}
