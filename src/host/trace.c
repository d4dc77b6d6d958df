/* Watching a run: a line for every instruction, its value in a file, and a stop at the first one
 * that makes a NaN or an infinity. */
#include "eval/value/distance.h"
#include "host/run.h"

/* ` SUMMARY` of an array; tuples one after the other. */
void hlo_run_put_summaries(hlo_buf *to, const hlo_value *value) {
    if (hlo_shape_is_array(value->shape)) {
        const hlo_literal array = {.shape = value->shape, .data = value->data};
        hlo_array_summary summary = hlo_summarise_array(&array);
        hlo_buf_char(to, ' ');
        hlo_summary_print(to, &summary);
        return;
    }
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++) {
        if (i) hlo_buf_char(to, ',');
        hlo_run_put_summaries(to, value->elements[i]);
    }
}

static void print_line(const hlo_run *run, const hlo_instr *instr, const hlo_value *result) {
    hlo_buf line = HLO_BUF_INIT;
    if (run->device_count > 1) hlo_buf_printf(&line, "device %u: ", run->number);
    hlo_thread_put_path(run->thread, &line);
    hlo_buf_printf(&line, "%.*s ", (int)instr->name->len, instr->name->ptr);
    hlo_shape_print(&line, instr->shape, false);
    hlo_buf_char(&line, ':');
    hlo_run_put_summaries(&line, result);
    hlo_buf_char(&line, '\n');
    fwrite(line.data, 1, line.len, run->trace);
    hlo_buf_free(&line);
}

/* Inputs and constants are known, and tuples only hold what other lines have: shown where a pattern
 * selects them. */
static bool computes(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_CONSTANT:
    case HLO_OP_TUPLE:
    case HLO_OP_GET_TUPLE_ELEMENT: return false;
    default: return true;
    }
}

bool hlo_run_observe(void *context, const hlo_instr *instr, hlo_value *const *operands,
                     const hlo_value *result) {
    hlo_run *run = context;
    if ((run->trace || run->dump) && hlo_run_is_watched(run, instr)) {
        if (run->trace && (run->watched_count || computes(instr))) print_line(run, instr, result);
        if (run->dump && !hlo_run_dump_value(run, instr, result)) return false;
    }
    if (run->only.inside && hlo_run_catch_only(run, instr, result)) return false;
    return hlo_run_is_finite(run, instr, operands, result);
}
