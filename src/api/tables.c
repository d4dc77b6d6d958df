/* The tables of operations, rules, advice and fills, row by row. Those of passes are in a file of
 * their own: a program that has no passes is linked without them, and without the evaluator, and
 * so starts sooner. */
#include <hlo.h>

#include "base/table_row.h"
#include "ir/fill.h"
#include "ir/ir.h"
#include "legacy/dialect.h"
#include "lint/linter.h"

static const char *const class_names[] = {
#define HLO_STYLE(class, shape, style, fill, border, name) [HLO_CLASS_##class] = name,
#include "graph/model/style.def"
#undef HLO_STYLE
};

bool hlo_operation_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_OP_COUNT)) return false;
    const hlo_op_info *op = &hlo_ops[number];
    row->name = op->text;
    row->group = class_names[op->class];
    row->min_operands = op->min_operands;
    row->max_operands = op->max_operands;
    row->elementwise = op->flags & HLO_OP_IS_ELEMENTWISE;
    row->commutative = op->flags & HLO_OP_IS_COMMUTATIVE;
    row->side_effect = op->flags & HLO_OP_HAS_SIDE_EFFECT;
    row->executable = true; /* ops.def names a kernel for each */
    return true;
}

bool hlo_rule_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_RULE_COUNT)) return false;
    row->name = hlo_rule_name((hlo_rule)number);
    row->group = hlo_stage_name(hlo_rule_stage((hlo_rule)number));
    row->description = hlo_rule_text((hlo_rule)number);
    row->on = hlo_lint_is_recommended((hlo_rule)number);
    return true;
}

bool hlo_advice_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_ADVICE_COUNT)) return false;
    row->name = hlo_advice_topic((hlo_advice)number);
    row->description = hlo_advice_text(NULL, (hlo_advice)number);
    row->group = hlo_advice_of_programs((hlo_advice)number);
    return true;
}

bool hlo_fill_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_FILL_UNIFORM + 1)) return false;
    row->name = hlo_fill_name((unsigned)number);
    row->description = hlo_fill_description((unsigned)number);
    return true;
}

bool hlo_old_form_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_OLD_COUNT)) return false;
    const hlo_old_form *form = &hlo_old_forms[number];
    row->name = form->name;
    row->group = form->until;
    row->old = form->old;
    row->dialects = form->dialects;
    row->description = form->now[0] ? form->now : "none: it has no meaning today";
    return true;
}
