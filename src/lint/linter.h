/* What the lint rules share: the state of one run, reporting, small questions about instructions.
 * Private to src/lint. */
#ifndef HLO_LINT_LINTER_H
#define HLO_LINT_LINTER_H

#include <hlo/lint.h>

#include "analysis/call_graph.h"
#include "ir/ir.h"

struct hlo_lint {
    hlo_lint_level levels[HLO_RULE_COUNT]; /* of LINT rules; the others stay off */
    uint64_t large_constant;               /* bytes */
};

typedef struct {
    const hlo_lint *options;
    hlo_module *module;
    hlo_diags *diags;
    hlo_call_graph graph;
    hlo_arena scratch;    /* lives as long as one run */
    uint32_t instr_count; /* of the module: every instruction's `index` is below, no two the same */
    bool failed;
} hlo_linter;

/* The rule is part of the set `recommended`; false for rules that are no lint. */
bool hlo_lint_is_recommended(hlo_rule rule);

/* Numbers all instructions of the module, again after something else used their `index`. */
void hlo_lint_number(hlo_linter *l);

/* One function per row of lint.def. */
#define HLO_LINT_EACH(rule, function, in) \
    void hlo_lint_##function(hlo_linter *l, const hlo_instr *instr);
#define HLO_LINT_MODULE(rule, function, in) void hlo_lint_##function(hlo_linter *l);
#include "lint/lint.def"
#undef HLO_LINT_EACH
#undef HLO_LINT_MODULE

/* Warns or reports an error at an instruction's name, the message after its opcode and a colon,
 * unless the instruction or the module suppresses the rule. True when it did: a note or hint may
 * follow. */
bool hlo_lint_report(hlo_linter *l, hlo_rule rule, const hlo_instr *instr, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same at a computation's name; its root is asked for suppression. */
bool hlo_lint_report_computation(hlo_linter *l, hlo_rule rule, const hlo_computation *computation,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The instruction or the module suppresses the rule. */
bool hlo_lint_suppresses(const hlo_linter *l, hlo_rule rule, const hlo_instr *instr);
void hlo_lint_note(hlo_linter *l, hlo_span at, const char *what);

/* Texts for messages; names are quoted. */
const char *hlo_lint_text(hlo_linter *l, const hlo_shape *shape);
const char *hlo_lint_name(hlo_linter *l, const hlo_name *name);

/* The instruction gives a value of which every element is `value`: a constant of one element, maybe
 * broadcast, reshaped, copied or converted. */
bool hlo_lint_is_constant(const hlo_instr *instr, double value);
/* The operation passes elements on, each unchanged: reshape, transpose, broadcast, slice... */
bool hlo_lint_moves_only(const hlo_instr *instr);
/* The value of a constant integer scalar. */
bool hlo_lint_integer(const hlo_instr *instr, int64_t *value);

#endif
