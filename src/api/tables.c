/* The tables of operations, passes and rules, row by row. */
#include "eval/program.h"
#include "ir/fill.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"

static const char *const class_names[] = {
#define HLO_STYLE(class, shape, fill, border, name) [HLO_CLASS_##class] = name,
#include "dot/style.def"
#undef HLO_STYLE
};

bool hlo_operation_row(size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    if (number >= HLO_OP_COUNT) return false;
    const hlo_op_info *op = &hlo_ops[number];
    row->name = op->text;
    row->group = class_names[op->class];
    row->min_operands = op->min_operands;
    row->max_operands = op->max_operands;
    row->elementwise = op->flags & HLO_OP_IS_ELEMENTWISE;
    row->commutative = op->flags & HLO_OP_IS_COMMUTATIVE;
    row->side_effect = op->flags & HLO_OP_HAS_SIDE_EFFECT;
    row->executable = hlo_eval_can_run((hlo_opcode)number);
    return true;
}

const char *hlo_pass_name(const char *text, size_t length) {
    if (!text) return NULL;
    const hlo_pass_info *pass = hlo_pass_find((hlo_str){text, (uint32_t)length, 0});
    return pass ? pass->name : NULL;
}

bool hlo_pass_row(size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    if (number >= HLO_PASS_COUNT) return false;
    row->name = hlo_passes[number].name;
    row->group = hlo_pass_group_name(hlo_passes[number].group);
    row->description = hlo_passes[number].about;
    return true;
}

bool hlo_pass_option_row(size_t pass, size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    if (pass >= HLO_PASS_COUNT) return false;
    const hlo_pass_option *options = hlo_passes[pass].options;
    for (size_t i = 0; i <= number; i++)
        if (!options || !options[i].name) return false;
    row->name = options[number].name;
    row->description = options[number].about;
    return true;
}

bool hlo_rewrite_row(size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    if (number >= HLO_REWRITE_COUNT) return false;
    row->name = hlo_rewrites[number].name;
    row->group = hlo_passes[hlo_rewrites[number].pass].name;
    row->description = hlo_rewrites[number].about;
    return true;
}

bool hlo_pipeline_row(size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    const hlo_named_pipeline *pipeline = hlo_named_pipeline_at(number);
    if (!pipeline) return false;
    row->name = pipeline->name;
    row->group = pipeline->passes;
    row->description = pipeline->about;
    return true;
}

bool hlo_rule_row(size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    if (number >= HLO_RULE_COUNT) return false;
    row->name = hlo_rule_name((hlo_rule)number);
    row->group = hlo_stage_name(hlo_rule_stage((hlo_rule)number));
    row->description = hlo_rule_text((hlo_rule)number);
    return true;
}

bool hlo_advice_row(size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    if (number >= HLO_ADVICE_COUNT) return false;
    row->name = hlo_advice_topic((hlo_advice)number);
    row->description = hlo_advice_text(NULL, (hlo_advice)number);
    return true;
}

bool hlo_fill_row(size_t number, hlo_table_row *row) {
    if (!row) return false;
    *row = (hlo_table_row){0};
    if (number > UINT16_MAX || !hlo_fill_name((unsigned)number)) return false;
    row->name = hlo_fill_name((unsigned)number);
    row->description = hlo_fill_description((unsigned)number);
    return true;
}
