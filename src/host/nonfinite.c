/* Stopping a run where the first NaN or infinity is made: which instruction, which element, from
 * what, and by which line of the program that the module was made from. Called while a run is
 * watched. */
#include "eval/value/distance.h"
#include "host/run.h"
#include "ir/program_line.h"

typedef enum { MAKES_NAN, MAKES_INF } kind;

static const char *const kind_names[] = {"NaN", "inf"};

static hlo_array_summary summary_of(const hlo_value *array) {
    const hlo_literal literal = {.shape = array->shape, .data = array->data};
    return hlo_summarise_array(&literal);
}

/* How many numbers of the kind are in all arrays of a value; operands that a kernel took over are
 * NULL. */
static int64_t count_of(kind which, const hlo_value *value) {
    if (!value) return 0;
    if (hlo_shape_is_array(value->shape)) {
        hlo_array_summary summary = summary_of(value);
        return which == MAKES_NAN ? summary.nans : summary.infinities;
    }
    int64_t count = 0;
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        count += count_of(which, value->elements[i]);
    return count;
}

/* Whether it can originate here: not in instructions that only forward a value. */
static bool originates(kind which, const hlo_instr *instr, hlo_value *const *operands,
                       const hlo_value *result) {
    if (instr->opcode == HLO_OP_PARAMETER || instr->opcode == HLO_OP_CONSTANT) return false;
    if (!count_of(which, result)) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (count_of(which, operands[i])) return false;
    return true;
}

/* ---- the report ---- */

static void report_origin(hlo_run *run, kind which, const hlo_instr *instr,
                          const hlo_value *result) {
    hlo_buf path = HLO_BUF_INIT;
    long long count = (long long)count_of(which, result);
    hlo_thread_put_path(run->thread, &path);
    if (path.len)
        hlo_thread_error(run->thread, instr, "produces %lld %s in %.*s", count, kind_names[which],
                         (int)path.len - 1, path.data);
    else hlo_thread_error(run->thread, instr, "produces %lld %s", count, kind_names[which]);
    hlo_buf_free(&path);
}

/* Appends the index of the first one, `{1}[0,2]` in element 1 of a tuple; returns the array that
 * holds it, and its position there. */
static const hlo_value *put_first(hlo_buf *to, kind which, const hlo_value *value,
                                  int64_t *position) {
    if (hlo_shape_is_array(value->shape)) {
        hlo_array_summary summary = summary_of(value);
        *position = which == MAKES_NAN ? summary.first_nan : summary.first_infinity;
        hlo_element_index_print(to, value->shape, *position);
        return value;
    }
    uint32_t i = 0;
    while (!count_of(which, value->elements[i])) i++;
    hlo_buf_printf(to, "{%u}", i);
    return put_first(to, which, value->elements[i], position);
}

/* `/home/me/model.py:12:4 (loss)` */
static void put_line(hlo_buf *to, const hlo_program_line *line) {
    hlo_buf_str(to, line->file);
    if (line->line > 0) hlo_buf_printf(to, ":%d", line->line);
    if (line->line > 0 && line->column > 0) hlo_buf_printf(to, ":%d", line->column);
    if (!line->function.len) return;
    hlo_buf_lit(to, " (");
    hlo_buf_str(to, line->function);
    hlo_buf_char(to, ')');
}

/* Note: `computed by model.py:12:4 (loss), jit(loss)/log`, as far as it is known. */
static void report_line(hlo_run *run, const hlo_instr *instr) {
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_str op_name = hlo_thread_op_name(run->thread, &arena, instr);
    hlo_program_line line = hlo_instr_program_line(instr);
    hlo_buf text = HLO_BUF_INIT;
    if (line.file.len) put_line(&text, &line);
    if (line.file.len && op_name.len) hlo_buf_lit(&text, ", ");
    hlo_buf_str(&text, op_name);
    if (text.len)
        hlo_note(run->diags, NULL, (hlo_span){0}, "it is computed by %.*s", (int)text.len,
                 text.data);
    hlo_buf_free(&text);
    hlo_arena_free(&arena);
}

/* `; -1 at [0,2]`, for an operand whose elements the result's are made of, one of each. */
static void put_element_of(hlo_buf *to, const hlo_instr *instr, const hlo_value *operand,
                           const hlo_value *made, int64_t position) {
    bool is_elementwise = hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE;
    if (!is_elementwise || !hlo_shape_is_array(operand->shape) || operand->shape->rank == 0 ||
        hlo_shape_elements(operand->shape) != hlo_shape_elements(made->shape))
        return;
    hlo_type type = (hlo_type)operand->shape->type;
    hlo_buf_lit(to, "; ");
    hlo_element_print(to, type,
                      (const char *)operand->data + position * (int64_t)hlo_types[type].bytes);
    hlo_buf_lit(to, " at ");
    hlo_element_index_print(to, operand->shape, position);
}

static void report_operands(hlo_run *run, const hlo_instr *instr, hlo_value *const *operands,
                            const hlo_value *made, int64_t position) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        if (!operands[i]) continue;
        const hlo_instr *def = hlo_operand(instr, i);
        hlo_buf text = HLO_BUF_INIT;
        hlo_run_put_summaries(&text, operands[i]);
        put_element_of(&text, instr, operands[i], made, position);
        hlo_note(run->diags, run->module->source, def->at, "operand '%.*s' has%.*s",
                 (int)def->name->len, def->name->ptr, (int)text.len, text.data);
        hlo_buf_free(&text);
    }
}

static void report(hlo_run *run, kind which, const hlo_instr *instr, hlo_value *const *operands,
                   const hlo_value *result) {
    hlo_buf index = HLO_BUF_INIT;
    int64_t position;
    report_origin(run, which, instr, result);
    const hlo_value *made = put_first(&index, which, result, &position);
    hlo_note(run->diags, NULL, (hlo_span){0}, "the first %s is at %.*s", kind_names[which],
             (int)index.len, index.data);
    hlo_buf_free(&index);
    report_line(run, instr);
    report_operands(run, instr, operands, made, position);
}

bool hlo_run_is_finite(hlo_run *run, const hlo_instr *instr, hlo_value *const *operands,
                       const hlo_value *result) {
    const bool wanted[] = {[MAKES_NAN] = run->break_on_nan, [MAKES_INF] = run->break_on_inf};
    for (kind which = MAKES_NAN; which <= MAKES_INF; which++) {
        if (!wanted[which] || !originates(which, instr, operands, result)) continue;
        report(run, which, instr, operands, result);
        return false;
    }
    return true;
}
