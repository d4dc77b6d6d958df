/* The files of hlo-run, by its options. See run_files.h. */
#include "run_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "say.h"

const char *run_files_fills(char *buffer, size_t size) {
    hlo_table_row row;
    buffer[0] = '\0';
    for (size_t i = 0, n = 0; hlo_fill_row(i, &row) && n < size; i++)
        n += (size_t)snprintf(buffer + n, size - n, "%s%s", i ? "|" : "", row.name);
    return buffer;
}

/* The number in an option's text, which may be missing. */
static bool read_tolerance(const char *text, double *number) {
    if (!text) return true;
    const char *end = hlo_read_number(text, number);
    return end && !*end;
}

int run_files_check(const program_info *self, run_files *files) {
    files->tolerance.auto_rtol = files->rtol && strcmp(files->rtol, "auto") == 0;
    if (files->tolerance.auto_rtol) files->rtol = NULL;
    if (!read_tolerance(files->rtol, &files->tolerance.rtol) ||
        !read_tolerance(files->atol, &files->tolerance.atol))
        return options_wrong_use(
            self, "--rtol and --atol require non-negative numbers, or --rtol=auto, not '%s'",
            read_tolerance(files->rtol, &files->tolerance.rtol) ? files->atol : files->rtol);
    if (files->plan && *files->plan && strcmp(files->plan, "module") != 0)
        return options_wrong_use(self, "--print-plan takes module, not '%s'", files->plan);
    for (size_t i = 0; i < files->named.count; i++) {
        const char *equals = strchr(files->named.v[i], '=');
        if (!equals || equals == files->named.v[i] || !equals[1])
            return options_wrong_use(self, "--input takes NAME=FILE, not '%s'", files->named.v[i]);
    }
    return OPTIONS_GO_ON;
}

void run_files_forget(run_files *files) {
    free(files->named.v);
    free(files->infeed.v);
    free(files->recv.v);
    free(files->send.v);
}

void run_files_apply(const run_files *files, hlo_run_options *how) {
    how->seed = files->seed;
    how->fill_elided = files->elided == ELIDED_FILL;
    how->exact_literals = files->literals == LITERALS_EXACT;
    how->host.infeed = files->infeed.v;
    how->host.infeed_count = files->infeed.count;
    how->host.outfeed = files->outfeed;
    how->host.recv = files->recv.v;
    how->host.recv_count = files->recv.count;
    how->host.send = files->send.v;
    how->host.send_count = files->send.count;
}

/* NAME=FILE */
static hlo_status read_named(hlo_run *run, const char *text, hlo_diags *diags) {
    size_t length = strcspn(text, "=");
    char *name = process_made(strndup(text, length), "a name");
    hlo_status status = hlo_run_read_parameter(run, name, text + length + 1, diags);
    free(name);
    return status;
}

static bool holds_several(const char *path) {
    const char *ending = strrchr(path, '.');
    return (ending && strcmp(ending, ".npz") == 0) || is_folder(path);
}

/* The only argument, when a single input would not be enough: it is read as --input-dir is. */
static bool has_all_inputs(const run_files *files, const hlo_run *run) {
    return files->positional[0] && !files->positional[1] && hlo_run_input_count(run) > 1 &&
           !files->named.count && !files->input_dir && files->fill < 0 &&
           holds_several(files->positional[0]);
}

hlo_status run_files_read(const run_files *files, hlo_run *run, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    bool filled = files->fill >= 0;
    if (has_all_inputs(files, run))
        return hlo_run_read_inputs(run, files->positional[0], false, diags);
    for (uint32_t leaf = 0; files->positional[leaf] && status == HLO_OK; leaf++)
        status = hlo_run_read_input(run, leaf, files->positional[leaf], diags);
    for (size_t i = 0; i < files->named.count && status == HLO_OK; i++)
        status = read_named(run, files->named.v[i], diags);
    if (status == HLO_OK && files->input_dir)
        status = (files->is_record ? hlo_run_read_record
                                   : hlo_run_read_inputs)(run, files->input_dir, filled, diags);
    if (status == HLO_OK && filled)
        status = hlo_run_fill_inputs(run, (hlo_input_fill)files->fill, files->seed, diags);
    return status;
}

/* Elements of an array that a terminal shows. */
enum { TERMINAL_LIMIT = 1000 };

static bool shows_on_terminal(const run_files *files) {
    bool is_standard = !files->output || strcmp(files->output, "-") == 0;
    return is_standard && isatty(STDOUT_FILENO);
}

static size_t print_limit(const run_files *files) {
    if (files->print_limit != PRINT_LIMIT_UNSET) return (size_t)files->print_limit;
    return shows_on_terminal(files) ? TERMINAL_LIMIT : 0;
}

static bool has_more_elements(const hlo_array *array, int64_t limit) {
    int64_t count = 1;
    for (uint32_t d = 0; d < array->rank; d++)
        if (__builtin_mul_overflow(count, array->dims[d], &count)) return true;
    return count > limit;
}

/* Notes that the default limit of a terminal elided arrays. */
static void tell_of_limit(const run_files *files, const hlo_run *run, hlo_diags *diags) {
    if (files->print_limit != PRINT_LIMIT_UNSET || !shows_on_terminal(files)) return;
    bool is_cut = false;
    hlo_array array;
    for (uint32_t leaf = 0; leaf < hlo_run_output_count(run) && !is_cut; leaf++)
        is_cut = hlo_run_output(run, 0, leaf, diags, &array) == HLO_OK &&
                 has_more_elements(&array, TERMINAL_LIMIT);
    if (is_cut)
        print_lines(
            "arrays of more than %d elements are {...} on a terminal; --print-limit=0 shows "
            "them, -o result.npz writes them\n",
            TERMINAL_LIMIT);
}

static hlo_status write_literal(const run_files *files, const hlo_run *run, hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(files->output, diags, &output);
    if (status != HLO_OK) return status;
    status = hlo_run_write_literal(run, print_limit(files), output, diags);
    if (status == HLO_OK) status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    if (status == HLO_OK) tell_of_limit(files, run, diags);
    return status;
}

hlo_status run_files_write_plan(const run_files *files, const hlo_run *run, hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(files->output, diags, &output);
    if (status != HLO_OK) return status;
    status = *files->plan ? hlo_run_write_planned_module(run, output, diags)
                          : hlo_run_write_plan(run, output, diags);
    if (status == HLO_OK) status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}

bool run_files_names_output(const run_files *files) {
    return files->output_dir || (files->output && hlo_names_arrays(files->output));
}

hlo_status run_files_write(const run_files *files, const hlo_run *run, hlo_diags *diags) {
    if (files->output_dir) return hlo_run_write_outputs(run, files->output_dir, diags);
    if (run_files_names_output(files)) return hlo_run_write_outputs(run, files->output, diags);
    return write_literal(files, run, diags);
}

static hlo_status compare(const run_files *files, const hlo_run *run, hlo_output *report,
                          hlo_diags *diags) {
    hlo_compare_options how = files->tolerance;
    how.largest = files->largest;
    return files->expect ? hlo_run_compare(run, files->expect, &how, report, diags)
                         : hlo_run_compare_recording(run, &how, report, diags);
}

hlo_status run_files_compare(const run_files *files, const hlo_run *run, hlo_diags *diags) {
    hlo_output *output;
    if (files->report) return compare(files, run, files->report, diags);
    hlo_status status = hlo_output_open(files->output, diags, &output);
    if (status != HLO_OK) return status;
    status = compare(files, run, output, diags);
    /* The report is written also when results differ. */
    if (status == HLO_OK || status == HLO_BAD_MODULE)
        status = worse(status, hlo_output_commit(output, diags));
    hlo_output_free(output);
    return status;
}
