/* Calls that list tables, look up words and find out about other processes. */
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
    double number;
    uint64_t whole;
    bool fits;
    NOTHING(c);
    bool reads = hlo_read_number("1e3", &number) && hlo_read_whole("12", &whole, &fits) &&
                 hlo_read_size("1.5K", &whole, &fits) && whole == 1536;
    char figure[HLO_FIGURE_SIZE];
    reads = reads && hlo_write_figure(HLO_FIGURE_BYTES, 1536, figure);
    return reads && hlo_version() && hlo_pass_name("algsimp", 7) && hlo_pipeline_passes("run") &&
           hlo_names_arrays("a.npy") && hlo_element_type_name(HLO_TYPE_F32) &&
           hlo_element_type_bytes(HLO_TYPE_F32) == 4 &&
           hlo_element_type_from_name("f32") == HLO_TYPE_F32;
}

/* No mpirun has started this process. */
CALL(world) {
    hlo_world *world = NULL;
    uint32_t rank = 1;
    bool is_alone = hlo_world_open(c->diags, &world) == HLO_OK && !world;
    hlo_world_stop(world, 1);
    is_alone = is_alone && hlo_world_rank(world) == 0 && hlo_world_size(world) == 1 &&
               hlo_world_agree(world, HLO_BAD_MODULE, &rank) == HLO_BAD_MODULE && rank == 0;
    hlo_world_close(world);
    return is_alone;
}

const faults_row faults_tables_rows[] = {
    {"hlo_operation_row hlo_pass_row hlo_pass_option_row hlo_rewrite_row hlo_pipeline_row "
     "hlo_rule_row hlo_verify_option_row hlo_fill_row hlo_advice_row hlo_old_form_row",
     "", 0, call_tables},
    {"hlo_version hlo_pass_name hlo_pipeline_passes hlo_names_arrays hlo_element_type_name "
     "hlo_element_type_bytes "
     "hlo_element_type_from_name hlo_read_number hlo_read_whole hlo_read_size "
     "hlo_write_figure",
     "", 0, call_words},
    {"hlo_world_open hlo_world_close hlo_world_rank hlo_world_size hlo_world_agree hlo_world_stop",
     "", 0, call_world},
    {0},
};
