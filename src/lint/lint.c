/* Lint: which rules are on, the walk, reporting and suppression. The rules are in the other files
 * of this directory. */
#include <stdarg.h>
#include <stdio.h>

#include "ir/places.h"
#include "lint/linter.h"

/* ---- which rules are on ---- */

static const char recommended[] = "recommended";

hlo_lint *hlo_lint_create(void) {
    HLO_API_CALL(NULL) return NULL;
    hlo_lint *lint = hlo_calloc(1, sizeof *lint);
    lint->large_constant = 1 << 20;
    return lint;
}

void hlo_lint_free(hlo_lint *lint) {
    hlo_free(lint);
}

void hlo_lint_set_large_constant(hlo_lint *lint, uint64_t bytes) {
    if (!lint) return;
    lint->large_constant = bytes;
}

static bool is_any(hlo_rule rule) {
    return hlo_rule_stage(rule) == HLO_STAGE_LINT;
}

static void set_those(hlo_lint *lint, bool is_in(hlo_rule rule), hlo_lint_level level) {
    for (int i = 0; i < HLO_RULE_COUNT; i++)
        if (is_in((hlo_rule)i)) lint->levels[i] = level;
}

static void hint_at_name(hlo_diags *diags, const char *name, size_t n) {
    hlo_nearest set = hlo_nearest_to(name, n);
    hlo_nearest_try(&set, recommended, strlen(recommended), false);
    if (set.name) hlo_hint_nearest(diags, &set);
    else hlo_hint_at_rule(diags, name, n, HLO_ADVICE_LINT_RULES);
}

static void unknown_rule(hlo_diags *diags, const char *name, size_t n) {
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "unknown rule '%.*s'", (int)n, name);
    hint_at_name(diags, name, n);
}

/* The name is spelled well: no other one is near. */
static void not_lint(hlo_diags *diags, const char *name, size_t n, hlo_lint_level level) {
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "'%.*s' is not a lint rule%s", (int)n,
              name, level == HLO_LINT_OFF ? ": it cannot be disabled" : "");
    hlo_advise(diags, HLO_ADVICE_LINT_RULES);
}

static hlo_status set_one(hlo_lint *lint, const char *name, size_t n, hlo_lint_level level,
                          hlo_diags *diags) {
    hlo_rule rule = hlo_rule_from_name(name, n);
    if (rule == HLO_RULE_COUNT) rule = hlo_lint_rule_by_prefix(name, n);
    if (n == 3 && memcmp(name, "all", n) == 0) {
        set_those(lint, is_any, level);
    } else if (n == strlen(recommended) && memcmp(name, recommended, n) == 0) {
        set_those(lint, hlo_lint_is_recommended, level);
    } else if (rule != HLO_RULE_COUNT && hlo_rule_stage(rule) == HLO_STAGE_LINT) {
        lint->levels[rule] = level;
    } else {
        if (rule == HLO_RULE_COUNT) unknown_rule(diags, name, n);
        else not_lint(diags, name, n, level);
        return HLO_BAD_USE;
    }
    return HLO_OK;
}

hlo_status hlo_lint_set(hlo_lint *lint, const char *rules, hlo_lint_level level, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, lint);
    HLO_REQUIRE(diags, rules);
    if (level > HLO_LINT_ERROR) return hlo_misuse(diags, "unknown lint level %d", (int)level);
    hlo_status status = HLO_OK;
    for (const char *at = rules;;) {
        size_t n = strcspn(at, ",");
        hlo_status one = set_one(lint, at, n, level, diags);
        if (one > status) status = one;
        if (!at[n]) return status;
        at += n + 1;
    }
}

/* ---- suppression ---- */

/* Whether a comma-separated list names the rule or all; blanks do not count. */
static bool list_names(hlo_str list, const char *rule) {
    uint32_t at = 0;
    while (at < list.len) {
        while (at < list.len && strchr(", \t\"", list.ptr[at])) at++;
        uint32_t from = at;
        while (at < list.len && !strchr(", \t\"", list.ptr[at])) at++;
        hlo_str word = {list.ptr + from, at - from, 0};
        if (hlo_str_is(word, rule) || hlo_str_is(word, "all")) return true;
    }
    return false;
}

static bool attr_suppresses(const hlo_attr *attr, hlo_rule rule) {
    for (uint32_t i = 0; attr && i < attr->u.frontend->n; i++)
        if (hlo_str_is(attr->u.frontend->v[i].key, "hlo_lint_suppress"))
            return list_names(attr->u.frontend->v[i].value, hlo_rule_name(rule));
    return false;
}

bool hlo_lint_suppresses(const hlo_linter *l, hlo_rule rule, const hlo_instr *instr) {
    return attr_suppresses(hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES), rule) ||
           attr_suppresses(hlo_module_attr(l->module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES), rule);
}

/* ---- reporting ---- */

static void report(hlo_linter *l, hlo_rule rule, hlo_span at, const char *what, const char *format,
                   va_list args) {
    char message[512];
    vsnprintf(message, sizeof message, format, args);
    if (l->options->levels[rule] == HLO_LINT_ERROR) {
        hlo_error(l->diags, rule, l->module->source, at, "%s: %s", what, message);
        l->failed = true;
    } else {
        hlo_warning(l->diags, rule, l->module->source, at, "%s: %s", what, message);
    }
}

bool hlo_lint_report(hlo_linter *l, hlo_rule rule, const hlo_instr *instr, const char *format,
                     ...) {
    if (hlo_lint_suppresses(l, rule, instr)) return false;
    va_list args;
    va_start(args, format);
    report(l, rule, instr->at, hlo_info(instr)->text, format, args);
    va_end(args);
    hlo_place_finding(l->diags, instr->parent, instr->name);
    return true;
}

bool hlo_lint_report_computation(hlo_linter *l, hlo_rule rule, const hlo_computation *computation,
                                 const char *format, ...) {
    if (hlo_lint_suppresses(l, rule, computation->root)) return false;
    va_list args;
    va_start(args, format);
    report(l, rule, computation->at, hlo_lint_name(l, computation->name), format, args);
    va_end(args);
    hlo_place_finding(l->diags, computation, NULL);
    return true;
}

void hlo_lint_note(hlo_linter *l, hlo_span at, const char *what) {
    if (at.hi) hlo_note(l->diags, l->module->source, at, "%s", what);
}

const char *hlo_lint_text(hlo_linter *l, const hlo_shape *shape) {
    return hlo_shape_name(&l->scratch, shape);
}

const char *hlo_lint_name(hlo_linter *l, const hlo_name *name) {
    return hlo_name_quoted(&l->scratch, name);
}

/* ---- the walk ---- */

typedef void each_rule(hlo_linter *l, const hlo_instr *instr);
typedef void module_rule(hlo_linter *l);

static const struct {
    hlo_rule rule;
    each_rule *each; /* or NULL */
    module_rule *module;
} lint_rules[] = {
#define HLO_LINT_EACH(rule, function, in) {HLO_RULE_##rule, hlo_lint_##function, NULL},
#define HLO_LINT_MODULE(rule, function, in) {HLO_RULE_##rule, NULL, hlo_lint_##function},
#include "lint/lint.def"
#undef HLO_LINT_EACH
#undef HLO_LINT_MODULE
};

void hlo_lint_number(hlo_linter *l) {
    l->instr_count = 0;
    for (hlo_computation *c = l->module->first; c; c = c->next)
        for (hlo_instr *instr = c->first; instr; instr = instr->next)
            instr->index = l->instr_count++;
}

static void run_each(hlo_linter *l, each_rule *rule) {
    for (const hlo_computation *c = l->module->first; c; c = c->next)
        for (const hlo_instr *instr = c->first; instr; instr = instr->next) rule(l, instr);
}

hlo_status hlo_lint_module(const hlo_lint *lint, hlo_module *module, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, lint);
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_linter l = {.options = lint, .module = module, .diags = diags};
    hlo_arena_init(&l.scratch);
    hlo_call_graph_init(&l.graph, module);
    hlo_lint_number(&l);
    for (size_t i = 0; i < sizeof lint_rules / sizeof *lint_rules; i++) {
        if (lint->levels[lint_rules[i].rule] == HLO_LINT_OFF) continue;
        if (lint_rules[i].each) run_each(&l, lint_rules[i].each);
        else lint_rules[i].module(&l);
    }
    hlo_call_graph_free(&l.graph);
    hlo_arena_free(&l.scratch);
    return l.failed ? HLO_BAD_MODULE : HLO_OK;
}
