/* Which lane functions clusters have as machine code: see cluster_coder.h. */
#include "eval/codegen/cluster/cluster_coder.h"

static const hlo_code_row rows[] = {
#define HLO_CODE(opcode, from, to, manner, op, bits) \
    {HLO_OP_##opcode, HLO_##from, HLO_##to, HLO_CODE_##manner, HLO_VECTOR_##op, HLO_CODE_##bits},
#include "eval/codegen/cluster/cluster_code.def"
#undef HLO_CODE
};

static bool is_order(const hlo_code_row *row, hlo_lanes_fn *run) {
    hlo_lanes_fn *of;
    for (int64_t direction = 0; (of = hlo_lanes_compare(direction, false, row->from)); direction++)
        if (run == of) return true;
    return false;
}

static bool is_function(const hlo_code_row *row, hlo_lanes_fn *run) {
    switch (row->opcode) {
    case HLO_OP_COMPARE: return is_order(row, run);
    case HLO_OP_SELECT: return run == hlo_lanes_select(row->to);
    case HLO_OP_CONVERT: return run == hlo_lanes_convert(row->from, row->to);
    case HLO_OP_BITCAST_CONVERT: return run == hlo_lanes_bitcast_convert(row->from, row->to);
    default: break;
    }
    return run == (hlo_type_is_float(row->from) ? hlo_lanes_float(row->opcode, row->from)
                                                : hlo_lanes_integer(row->opcode, row->from));
}

const hlo_code_row *hlo_code_row_of(hlo_lanes_fn *run) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_function(&rows[i], run)) return &rows[i];
    return NULL;
}
