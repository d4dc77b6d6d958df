/* Infeed from .npy files and outfeed to them: every leaf a file, in the order of execution. */
#include <errno.h>
#include <sys/stat.h>

#include "api/run.h"

static bool is_folder(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* The path of the next leaf, ended by a zero byte: a file of the list, or infeedK.npy of its only
 * entry, a folder. False at the end of the list. */
static bool next_path(hlo_run *run, hlo_buf *path) {
    size_t number = run->infeeds_taken++;
    if (run->infeed_count == 1 && is_folder(run->infeed[0]))
        hlo_buf_printf(path, "%s/infeed%zu.npy", run->infeed[0], number);
    else if (number < run->infeed_count) hlo_buf_printf(path, "%s", run->infeed[number]);
    else return false;
    hlo_buf_char(path, '\0');
    return true;
}

static hlo_value *read_array(hlo_run *run, const hlo_instr *instr, const hlo_shape *shape) {
    hlo_buf path = HLO_BUF_INIT;
    if (!next_path(run, &path)) {
        hlo_eval_error(run->eval, instr, "wants more than the %zu files of the infeed",
                       run->infeed_count);
        return NULL;
    }
    hlo_array_file file;
    hlo_status status = hlo_npy_read(path.data, shape, run->diags, &file);
    hlo_buf_free(&path);
    if (status != HLO_OK) return NULL;
    hlo_value *value = hlo_value_new(shape);
    int64_t bytes = hlo_shape_bytes(shape);
    if (value && bytes > 0) memcpy(value->data, file.literal.data, (size_t)bytes);
    hlo_array_file_free(&file);
    return value;
}

hlo_value *hlo_run_infeed(void *context, const hlo_instr *instr, const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) return read_array(context, instr, shape);
    hlo_value *value = hlo_value_new(shape);
    for (uint32_t i = 0; value && hlo_shape_is_tuple(shape) && i < shape->rank; i++) {
        value->elements[i] = hlo_run_infeed(context, instr, shape->elements[i]);
        if (value->elements[i]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

static bool write_array(hlo_run *run, const hlo_value *value) {
    hlo_buf path = HLO_BUF_INIT;
    hlo_buf_printf(&path, "%s/outfeed%zu.npy", run->outfeed, run->outfeeds_given++);
    hlo_buf_char(&path, '\0');
    const hlo_literal literal = {value->shape, value->data, NULL};
    hlo_status status = hlo_npy_write(path.data, &literal, run->diags);
    hlo_buf_free(&path);
    return status == HLO_OK;
}

bool hlo_run_outfeed(void *context, const hlo_instr *instr, const hlo_value *value) {
    hlo_run *run = context;
    if (hlo_shape_is_array(value->shape)) return write_array(run, value);
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        if (!hlo_run_outfeed(context, instr, value->elements[i])) return false;
    return true;
}

hlo_status hlo_run_begin_feeds(hlo_run *run, hlo_diags *diags) {
    run->infeeds_taken = run->outfeeds_given = 0;
    if (!run->outfeed || mkdir(run->outfeed, 0777) == 0 || errno == EEXIST) return HLO_OK;
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot make %s: %s", run->outfeed,
              strerror(errno));
    return HLO_BAD_SYSTEM;
}
