/* Watching a run: a line for every instruction, its value in a file, and a stop at the first one
 * that makes a NaN or an infinity. */
#include <fnmatch.h>

#include "eval/compare.h"
#include "run/run.h"

/* ---- which instructions ---- */

static bool has_op_name_like(const hlo_instr *instr, const char *pattern) {
    const hlo_attr *metadata = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    if (!metadata || !metadata->u.metadata->op_name.len) return false;
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_str(&text, metadata->u.metadata->op_name);
    hlo_buf_char(&text, '\0');
    bool found = fnmatch(pattern, text.data, 0) == 0;
    hlo_buf_free(&text);
    return found;
}

/* `path` is `loop/1/` for what the second iteration of a loop does. */
static bool is_like(const hlo_instr *instr, const hlo_buf *path, const char *pattern) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_bytes(&name, path->data, path->len);
    hlo_buf_bytes(&name, instr->name->ptr, instr->name->len);
    hlo_buf_char(&name, '\0');
    bool found = fnmatch(pattern, name.data + path->len, 0) == 0 ||
                 fnmatch(pattern, name.data, 0) == 0 || has_op_name_like(instr, pattern);
    hlo_buf_free(&name);
    return found;
}

static bool is_watched(const hlo_run *run, const hlo_instr *instr) {
    if (!run->watched_count) return true;
    hlo_buf path = HLO_BUF_INIT;
    hlo_thread_put_path(run->thread, &path);
    bool found = false;
    for (size_t i = 0; i < run->watched_count && !found; i++)
        found = is_like(instr, &path, run->watched[i]);
    hlo_buf_free(&path);
    return found;
}

/* Callers come before the last slash: whether they call the instruction shows when they run. */
static bool can_match(const hlo_module *module, const char *pattern) {
    const hlo_buf no_path = HLO_BUF_INIT;
    const char *slash = strrchr(pattern, '/');
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *instr = c->first; instr; instr = instr->next)
            if (is_like(instr, &no_path, pattern) || (slash && is_like(instr, &no_path, slash + 1)))
                return true;
    return false;
}

hlo_status hlo_run_check_watched(const hlo_run *run, hlo_diags *diags) {
    for (size_t i = 0; i < run->watched_count; i++) {
        if (can_match(run->module, run->watched[i])) continue;
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "no instruction has a name or op_name like '%s'", run->watched[i]);
        return HLO_BAD_USE;
    }
    return HLO_OK;
}

/* ---- what is shown ---- */

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

bool hlo_run_observe(void *context, const hlo_instr *instr, hlo_value *const *operands,
                     const hlo_value *result) {
    hlo_run *run = context;
    if ((run->trace || run->dump) && is_watched(run, instr)) {
        if (run->trace) print_line(run, instr, result);
        if (run->dump && !hlo_run_dump_value(run, instr, result)) return false;
    }
    if (run->only.inside && hlo_run_catch_only(run, instr, result)) return false;
    return hlo_run_is_finite(run, instr, operands, result);
}
