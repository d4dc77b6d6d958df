/* Inputs and results of a run in files: .npy, folders of them, .npz archives; and made-up inputs.
 */
#include <errno.h>
#include <sys/stat.h>

#include "api/run.h"
#include "ir/fill.h"
#include "ir/npz.h"

static bool is_archive(const char *path) {
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".npz") == 0;
}

/* FOLDER/NAME in a buffer that the caller frees. */
static hlo_buf join(const char *folder, const char *name) {
    hlo_buf path = HLO_BUF_INIT;
    hlo_buf_printf(&path, "%s/%s", folder, name);
    return path;
}

/* ---- inputs ---- */

/* Takes over the array that was read. */
static hlo_status put_file(hlo_run_leaf *leaf, hlo_array_file *file, hlo_diags *diags) {
    hlo_value *value = hlo_value_from_literal(&file->literal);
    if (!value) {
        hlo_array_file_free(file);
        return hlo_run_no_memory(diags, "an input");
    }
    hlo_run_put_input(leaf, value, file);
    return HLO_OK;
}

hlo_status hlo_run_read_input(hlo_run *run, uint32_t number, const char *path, hlo_diags *diags) {
    if (number >= run->input_count) {
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "%s is one input too many: the module takes %u", path, run->input_count);
        return HLO_BAD_USE;
    }
    hlo_array_file file;
    hlo_status status = hlo_npy_read(path, run->inputs[number].shape, diags, &file);
    return status == HLO_OK ? put_file(&run->inputs[number], &file, diags) : status;
}

static hlo_status missing(const char *where, uint32_t number, hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "there is no in%u.npy in %s", number,
              where);
    return HLO_BAD_SYSTEM;
}

static hlo_status read_from_folder(hlo_run *run, uint32_t number, const char *folder, bool may_miss,
                                   hlo_diags *diags) {
    static const char *const forms[] = {"in%u.npy", "in%u.r0.npy"};
    for (int form = 0; form < 2; form++) {
        char name[32];
        snprintf(name, sizeof name, form ? forms[1] : forms[0], number);
        hlo_buf path = join(folder, name);
        hlo_buf_char(&path, '\0');
        struct stat found;
        bool exists = stat(path.data, &found) == 0;
        hlo_status status = exists ? hlo_run_read_input(run, number, path.data, diags) : HLO_OK;
        hlo_buf_free(&path);
        if (exists) return status;
    }
    return may_miss ? HLO_OK : missing(folder, number, diags);
}

static hlo_status read_from_archive(hlo_run *run, uint32_t number, hlo_npz *npz, const char *path,
                                    bool may_miss, hlo_diags *diags) {
    char name[32];
    snprintf(name, sizeof name, "in%u", number);
    int64_t member = hlo_npz_find(npz, name);
    snprintf(name, sizeof name, "arr_%u", number);
    if (member < 0) member = hlo_npz_find(npz, name);
    if (member < 0) return may_miss ? HLO_OK : missing(path, number, diags);
    hlo_array_file file;
    hlo_run_leaf *leaf = &run->inputs[number];
    hlo_status status = hlo_npz_read(npz, (uint32_t)member, leaf->shape, diags, &file);
    return status == HLO_OK ? put_file(leaf, &file, diags) : status;
}

hlo_status hlo_run_read_inputs(hlo_run *run, const char *path, bool may_miss, hlo_diags *diags) {
    hlo_npz *npz = NULL;
    if (is_archive(path) && !(npz = hlo_npz_open(path, diags))) return HLO_BAD_SYSTEM;
    hlo_status status = HLO_OK;
    for (uint32_t number = 0; number < run->input_count && status == HLO_OK; number++) {
        if (run->inputs[number].value) continue;
        status = npz ? read_from_archive(run, number, npz, path, may_miss, diags)
                     : read_from_folder(run, number, path, may_miss, diags);
    }
    if (npz) hlo_npz_close(npz);
    return status;
}

hlo_status hlo_run_fill_inputs(hlo_run *run, hlo_input_fill fill, uint64_t seed, hlo_diags *diags) {
    for (uint32_t number = 0; number < run->input_count; number++) {
        hlo_run_leaf *leaf = &run->inputs[number];
        if (leaf->value) continue;
        hlo_value *value = hlo_value_new(leaf->shape);
        if (!value) return hlo_run_no_memory(diags, "an input");
        hlo_literal literal = {leaf->shape, value->data, NULL};
        hlo_fill_literal(&literal, fill, seed, number);
        hlo_run_put_input(leaf, value, NULL);
    }
    return HLO_OK;
}

/* ---- results ---- */

static hlo_literal output_literal(const hlo_run *run, uint32_t number) {
    return (hlo_literal){run->outputs[number]->shape, run->outputs[number]->data, NULL};
}

static hlo_status write_archive(const hlo_run *run, const char *path, hlo_diags *diags) {
    hlo_npz_writer *writer = hlo_npz_create(path, diags);
    if (!writer) return HLO_BAD_SYSTEM;
    hlo_status status = HLO_OK;
    hlo_literal *literals = hlo_calloc(run->output_count, sizeof *literals);
    for (uint32_t number = 0; number < run->output_count && status == HLO_OK; number++) {
        char name[32];
        snprintf(name, sizeof name, "out%u", number);
        literals[number] = output_literal(run, number);
        status = hlo_npz_add(writer, name, &literals[number], diags);
    }
    if (status == HLO_OK) status = hlo_npz_finish(writer, diags);
    else hlo_npz_discard(writer);
    hlo_free(literals);
    return status;
}

static hlo_status write_folder(const hlo_run *run, const char *folder, hlo_diags *diags) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot make %s: %s", folder,
                  strerror(errno));
        return HLO_BAD_SYSTEM;
    }
    hlo_status status = HLO_OK;
    for (uint32_t number = 0; number < run->output_count && status == HLO_OK; number++) {
        char name[32];
        snprintf(name, sizeof name, "out%u.npy", number);
        hlo_buf path = join(folder, name);
        hlo_buf_char(&path, '\0');
        const hlo_literal literal = output_literal(run, number);
        status = hlo_npy_write(path.data, &literal, diags);
        hlo_buf_free(&path);
    }
    return status;
}

hlo_status hlo_run_write_outputs(const hlo_run *run, const char *path, hlo_diags *diags) {
    return is_archive(path) ? write_archive(run, path, diags) : write_folder(run, path, diags);
}
