/* The values of instructions as .npy files with names that stay the same from run to run. Called
 * while a run is watched. */
#include <errno.h>
#include <sys/stat.h>

#include "host/run.h"

/* Makes the parent directories of a NUL-terminated path. */
static bool make_directories(hlo_run *run, char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool there = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!there)
            hlo_error(run->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot make %s: %s", path,
                      strerror(errno));
        *slash = '/';
        if (!there) return false;
    }
    return true;
}

/* `index` is the place in a tuple, "0,1", or nothing. */
static bool write_leaf(hlo_run *run, const hlo_instr *instr, const hlo_value *value,
                       const hlo_buf *index) {
    hlo_buf path = HLO_BUF_INIT;
    hlo_buf_printf(&path, "%s/", run->dump);
    hlo_thread_put_path(run->thread, &path);
    hlo_buf_bytes(&path, instr->name->ptr, instr->name->len);
    if (index->len) hlo_buf_printf(&path, "{%.*s}", (int)index->len, index->data);
    hlo_run_put_device(&path, run);
    hlo_buf_bytes(&path, ".npy", sizeof ".npy");
    const hlo_literal literal = {.shape = value->shape, .data = value->data};
    bool ok = make_directories(run, path.data) &&
              hlo_npy_write(path.data, &literal, run->diags) == HLO_OK;
    hlo_buf_free(&path);
    return ok;
}

static bool write_value(hlo_run *run, const hlo_instr *instr, const hlo_value *value,
                        hlo_buf *index) {
    if (hlo_shape_is_array(value->shape)) return write_leaf(run, instr, value, index);
    bool ok = true;
    size_t before = index->len;
    for (uint32_t i = 0; value->elements && i < value->shape->rank && ok; i++) {
        hlo_buf_printf(index, before ? ",%u" : "%u", i);
        ok = write_value(run, instr, value->elements[i], index);
        index->len = before;
    }
    return ok;
}

bool hlo_run_dump_value(hlo_run *run, const hlo_instr *instr, const hlo_value *result) {
    hlo_value *settled =
        hlo_value_settle(&run->result_shapes, hlo_value_retain((hlo_value *)result));
    if (!settled) {
        hlo_run_no_memory(run->diags, "a value to be written");
        return false;
    }
    hlo_buf index = HLO_BUF_INIT;
    bool ok = write_value(run, instr, settled, &index);
    hlo_buf_free(&index);
    hlo_value_release(settled);
    return ok;
}
