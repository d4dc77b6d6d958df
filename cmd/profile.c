/* Writing the profile of a run: see profile.h. */
#include "profile.h"

#include <string.h>

#include "process.h"
#include "say.h"

/* Of a trace: about 150 MB of text. */
enum { MOST_EVENTS = 1 << 20 };

void profile_apply(const profile_options *options, hlo_run_options *how) {
    how->watch.profile = options->report || options->trace || options->roofline;
    how->watch.profile_events = options->trace ? MOST_EVENTS : 0;
}

static hlo_status write_file(hlo_run *run, hlo_profile_form form, const char *path,
                             hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(path, diags, &output);
    if (status != HLO_OK) return status;
    status = hlo_run_write_profile(run, form, output, diags);
    if (status == HLO_OK) status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}

static hlo_status show(hlo_run *run, hlo_profile_form form, hlo_diags *diags) {
    size_t count;
    hlo_output *output = process_made(hlo_output_to_memory(), "a profile");
    hlo_status status = hlo_run_write_profile(run, form, output, diags);
    const char *bytes = hlo_output_bytes(output, &count);
    if (status == HLO_OK && bytes) print_escaped_bytes(bytes, count);
    hlo_output_free(output);
    return status;
}

static bool ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

static hlo_status write_report(const char *report, hlo_run *run, hlo_diags *diags) {
    if (!*report) return show(run, HLO_PROFILE_TABLE, diags);
    if (strcmp(report, "json") == 0) return show(run, HLO_PROFILE_JSON, diags);
    bool is_json = ends_with(report, ".json");
    return write_file(run, is_json ? HLO_PROFILE_JSON : HLO_PROFILE_TABLE, report, diags);
}

hlo_status profile_write(const profile_options *options, hlo_run *run, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    if (options->report) status = write_report(options->report, run, diags);
    if (status == HLO_OK && options->trace)
        status = write_file(run, HLO_PROFILE_TRACE, options->trace, diags);
    if (status == HLO_OK && options->roofline)
        status = write_file(run, HLO_PROFILE_ROOFLINE, options->roofline, diags);
    return status;
}
