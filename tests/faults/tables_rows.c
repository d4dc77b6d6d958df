/* Calls that list tables and look up words. Called by faults.c, by way of rows.c. */
#include "faults/rows.h"

CALL(tables) {
    hlo_table_row row;
    NOTHING(c);
    return hlo_operation_row(0, &row) && hlo_pass_row(0, &row) && hlo_rewrite_row(0, &row) &&
           hlo_pipeline_row(0, &row) && hlo_rule_row(0, &row) && hlo_verify_option_row(0, &row) &&
           hlo_fill_row(0, &row) && hlo_advice_row(0, &row) && hlo_old_form_row(0, &row) &&
           !hlo_pass_option_row(SIZE_MAX, 0, &row);
}

CALL(words) {
    NOTHING(c);
    return hlo_version() && hlo_pass_name("algsimp", 7) && hlo_names_arrays("a.npy") &&
           hlo_element_type_name(HLO_TYPE_F32) && hlo_element_type_bytes(HLO_TYPE_F32) == 4 &&
           hlo_element_type_from_name("f32") == HLO_TYPE_F32;
}

const faults_row faults_tables_rows[] = {
    {"hlo_operation_row hlo_pass_row hlo_pass_option_row hlo_rewrite_row hlo_pipeline_row "
     "hlo_rule_row hlo_verify_option_row hlo_fill_row hlo_advice_row hlo_old_form_row",
     "", 0, call_tables},
    {"hlo_version hlo_pass_name hlo_names_arrays hlo_element_type_name hlo_element_type_bytes "
     "hlo_element_type_from_name",
     "", 0, call_words},
    {0},
};
