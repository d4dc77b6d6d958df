/* Comparing the results of a run with stored ones, and of one run with another. */
#include <sys/stat.h>

#include "api/output.h"
#include "api/run.h"
#include "eval/compare.h"
#include "ir/npz.h"

static hlo_literal literal_of(const hlo_value *value) {
    return (hlo_literal){value->shape, value->data, NULL};
}

/* outK.npy of a folder, or outK (or arr_K) of an archive. */
static hlo_status read_expected(const char *path, hlo_npz *npz, uint32_t number,
                                const hlo_shape *shape, hlo_diags *diags, hlo_array_file *file) {
    char name[32];
    hlo_buf full = HLO_BUF_INIT;
    snprintf(name, sizeof name, "out%u", number);
    int64_t member = npz ? hlo_npz_find(npz, name) : 0;
    if (member < 0) {
        snprintf(name, sizeof name, "arr_%u", number);
        member = hlo_npz_find(npz, name);
    }
    if (member < 0) {
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "there is no out%u in %s", number,
                  path);
        return HLO_BAD_SYSTEM;
    }
    if (npz) return hlo_npz_read(npz, (uint32_t)member, shape, diags, file);
    hlo_buf_printf(&full, "%s/%s.npy", path, name);
    hlo_buf_char(&full, '\0');
    hlo_status status = hlo_npy_read(full.data, shape, diags, file);
    hlo_buf_free(&full);
    return status;
}

static bool is_folder(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

hlo_status hlo_run_compare(const hlo_run *run, const char *path, const hlo_compare_options *options,
                           hlo_output *report, hlo_diags *diags) {
    const hlo_tolerance tolerance = {options->rtol, options->atol, options->max_ulp};
    hlo_npz *npz = is_folder(path) ? NULL : hlo_npz_open(path, diags);
    if (!npz && !is_folder(path)) return HLO_BAD_SYSTEM;
    hlo_status status = HLO_OK;
    bool agrees = true;
    for (uint32_t k = 0; k < run->output_count && status == HLO_OK; k++) {
        const hlo_literal got = literal_of(run->outputs[k]);
        hlo_array_file file;
        status = read_expected(path, npz, k, got.shape, diags, &file);
        if (status != HLO_OK) break;
        hlo_comparison found = hlo_compare_arrays(&got, &file.literal, &tolerance);
        char name[32];
        snprintf(name, sizeof name, "out%u", k);
        hlo_comparison_print(&report->buf, name, &found, &got, &file.literal);
        agrees &= found.different == 0;
        hlo_array_file_free(&file);
    }
    if (npz) hlo_npz_close(npz);
    return status == HLO_OK && !agrees ? HLO_BAD_MODULE : status;
}

/* Whether the results are, bit for bit, the leaves of an earlier result. */
static bool is_same(const hlo_run *run, hlo_value *const *earlier, uint32_t *number) {
    for (*number = 0; *number < run->output_count; ++*number) {
        const hlo_value *a = run->outputs[*number], *b = earlier[*number];
        int64_t bytes = hlo_shape_bytes(a->shape);
        if (a->shape != b->shape && !hlo_shape_compatible(a->shape, b->shape)) return false;
        if (bytes > 0 && memcmp(a->data, b->data, (size_t)bytes) != 0) return false;
    }
    return true;
}

static hlo_status run_again(hlo_run *run, uint64_t count, hlo_value *const *earlier,
                            hlo_diags *diags) {
    for (uint64_t i = 2; i <= count; i++) {
        hlo_status status = hlo_run_execute(run, diags);
        if (status != HLO_OK) return status;
        uint32_t number;
        if (is_same(run, earlier, &number)) continue;
        hlo_error(diags, HLO_RULE_RUN, NULL, (hlo_span){0},
                  "run %llu gives another out%u than the first run", (unsigned long long)i, number);
        return HLO_BAD_MODULE;
    }
    return HLO_OK;
}

hlo_status hlo_run_repeat(hlo_run *run, uint64_t count, hlo_diags *diags) {
    hlo_status status = hlo_run_execute(run, diags);
    if (status != HLO_OK || count < 2) return status;
    hlo_value *first = hlo_value_retain(run->result);
    hlo_value **leaves = hlo_calloc(run->output_count, sizeof *leaves);
    hlo_leaf_values(first, leaves);
    status = run_again(run, count, leaves, diags);
    hlo_free(leaves);
    hlo_value_release(first);
    return status;
}
