/* The tables of passes, rewrites and pipelines, row by row. */
#include <hlo.h>

#include "base/table_row.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/rewrite.h"

const char *hlo_pass_name(const char *text, size_t length) {
    if (!text) return NULL;
    const hlo_pass_info *pass = hlo_pass_find((hlo_str){text, (uint32_t)length, 0});
    return pass ? pass->name : NULL;
}

bool hlo_pass_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_PASS_COUNT)) return false;
    row->name = hlo_passes[number].name;
    row->group = hlo_pass_group_name(hlo_passes[number].group);
    row->description = hlo_passes[number].about;
    return true;
}

bool hlo_pass_option_row(size_t pass, size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, pass, HLO_PASS_COUNT)) return false;
    const hlo_pass_option *options = hlo_passes[pass].options;
    for (size_t i = 0; i <= number; i++)
        if (!options || !options[i].name) return false;
    row->name = options[number].name;
    row->description = options[number].about;
    return true;
}

bool hlo_rewrite_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_REWRITE_COUNT)) return false;
    row->name = hlo_rewrites[number].name;
    row->group = hlo_passes[hlo_rewrites[number].pass].name;
    row->description = hlo_rewrites[number].about;
    return true;
}

const char *hlo_pipeline_passes(const char *name) {
    const hlo_named_pipeline *pipeline = name ? hlo_named_pipeline_find(hlo_str_from(name)) : NULL;
    return pipeline ? pipeline->passes : NULL;
}

bool hlo_pipeline_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_PIPELINE_COUNT)) return false;
    const hlo_named_pipeline *pipeline = hlo_named_pipeline_at(number);
    row->name = pipeline->name;
    row->group = pipeline->passes;
    row->description = pipeline->about;
    return true;
}
