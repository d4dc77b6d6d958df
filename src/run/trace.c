/* Watching a run: a line for every instruction, its value in a file, and a stop at the first one
 * that makes a NaN. */

#include "eval/compare.h"
#include "run/run.h"

static hlo_array_summary summary_of(const hlo_value *value) {
    const hlo_literal array = {value->shape, value->data, NULL};
    return hlo_summarise_array(&array);
}

/* NaNs in all arrays of a value; operands that a kernel took over are NULL. */
static int64_t count_nans(const hlo_value *value) {
    if (!value) return 0;
    if (hlo_shape_is_array(value->shape)) return summary_of(value).nans;
    int64_t nans = 0;
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        nans += count_nans(value->elements[i]);
    return nans;
}

/* ` SUMMARY` of an array; tuples one after the other. */
static void put_summaries(hlo_buf *to, const hlo_value *value) {
    if (hlo_shape_is_array(value->shape)) {
        hlo_array_summary summary = summary_of(value);
        hlo_buf_char(to, ' ');
        hlo_summary_print(to, &summary);
        return;
    }
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++) {
        if (i) hlo_buf_char(to, ',');
        put_summaries(to, value->elements[i]);
    }
}

static void print_line(const hlo_run *run, const hlo_instr *instr, const hlo_value *result) {
    hlo_buf line = HLO_BUF_INIT;
    hlo_thread_put_path(run->thread, &line);
    hlo_buf_printf(&line, "%.*s ", (int)instr->name->len, instr->name->ptr);
    hlo_shape_print(&line, instr->shape, false);
    hlo_buf_char(&line, ':');
    put_summaries(&line, result);
    hlo_buf_char(&line, '\n');
    fwrite(line.data, 1, line.len, run->trace);
    hlo_buf_free(&line);
}

/* Whether a NaN can originate here: not in instructions that only forward a value. */
static bool makes_nan(const hlo_instr *instr, hlo_value *const *operands, const hlo_value *result) {
    if (instr->opcode == HLO_OP_PARAMETER || instr->opcode == HLO_OP_CONSTANT) return false;
    if (!count_nans(result)) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (count_nans(operands[i])) return false;
    return true;
}

static void report_nan(hlo_run *run, const hlo_instr *instr, hlo_value *const *operands,
                       const hlo_value *result) {
    hlo_buf path = HLO_BUF_INIT;
    hlo_thread_put_path(run->thread, &path);
    if (path.len)
        hlo_thread_error(run->thread, instr, "makes %lld NaN in %.*s",
                         (long long)count_nans(result), (int)path.len - 1, path.data);
    else hlo_thread_error(run->thread, instr, "makes %lld NaN", (long long)count_nans(result));
    hlo_buf_free(&path);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *def = hlo_operand(instr, i);
        hlo_buf text = HLO_BUF_INIT;
        put_summaries(&text, operands[i]);
        hlo_note(run->diags, run->module->source, def->at, "operand '%.*s' has%.*s",
                 (int)def->name->len, def->name->ptr, (int)text.len, text.data);
        hlo_buf_free(&text);
    }
}

bool hlo_run_observe(void *context, const hlo_instr *instr, hlo_value *const *operands,
                     const hlo_value *result) {
    hlo_run *run = context;
    if (run->trace) print_line(run, instr, result);
    if (run->dump && !hlo_run_dump_value(run, instr, result)) return false;
    if (run->only.inside && hlo_run_catch_only(run, instr, result)) return false;
    if (!run->break_on_nan || !makes_nan(instr, operands, result)) return true;
    report_nan(run, instr, operands, result);
    return false;
}
