/* Reading modules for the programs. */
#include "modules.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"
#include "progress.h"
#include "say.h"
#include "terminal.h"

bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

hlo_status worse(hlo_status a, hlo_status b) {
    return a > b ? a : b;
}

static hlo_status parse_and_work(hlo_source *source, module_work *work, void *context,
                                 hlo_diags *diags) {
    hlo_module *module;
    bool shows = progress_begin_stage("reading the module");
    hlo_status status = hlo_read_module(source, diags, &module);
    progress_end_stage(shows);
    if (status != HLO_OK) return status;
    status = work(module, context, diags);
    hlo_module_free(module);
    return status;
}

static hlo_status each_part(hlo_source *source, module_work *work, void *context,
                            hlo_diags *diags) {
    hlo_source **parts;
    size_t count = hlo_source_split(source, &parts);
    if (!count) process_no_memory("the parts of the input");
    hlo_status status = HLO_OK;
    for (size_t i = 0; i < count; i++)
        status = worse(status, parse_and_work(parts[i], work, context, diags));
    hlo_source_parts_free(parts, count);
    return status;
}

/* Whoever types no file and sees nothing happen shall know what is waited for. */
static void invite_typing(void) {
    if (isatty(STDERR_FILENO))
        say(program_invocation_short_name,
            "note: reading a module from the terminal; Ctrl-D ends it; --help lists the options");
}

/* The source is freed after an error. */
static hlo_status give_shapes(hlo_source *source, const common_options *common, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    size_t count = 0;
    while (common->shape_files && common->shape_files[count]) count++;
    if (common->input_shapes) status = hlo_source_give_shapes(source, common->input_shapes, diags);
    else if (count) status = hlo_source_give_shapes_of(source, common->shape_files, count, diags);
    if (status != HLO_OK) hlo_source_free(source);
    return status;
}

hlo_status modules_read_source(const char *path, const common_options *common, hlo_diags *diags,
                               hlo_source **out) {
    bool is_input = !path || strcmp(path, "-") == 0, is_typed = is_input && isatty(STDIN_FILENO);
    if (is_typed) invite_typing();
    bool shows =
        !is_typed && progress_begin_stage("reading %s", is_input ? "standard input" : path);
    hlo_status status = hlo_read_source_within(path, common->unpack_bytes, diags, out);
    progress_end_stage(shows);
    if (status == HLO_OK && common->dialect) hlo_source_read_as(*out, common->dialect);
    if (status == HLO_OK) status = give_shapes(*out, common, diags);
    return status;
}

hlo_status modules_each(const char *path, const common_options *common, module_work *work,
                        void *context, hlo_diags *diags) {
    hlo_source *source;
    hlo_status status = modules_read_source(path, common, diags, &source);
    if (status != HLO_OK) return status;
    status = common->split_input ? each_part(source, work, context, diags)
                                 : parse_and_work(source, work, context, diags);
    hlo_source_free(source);
    return status;
}

hlo_status modules_commit(hlo_output *output, const char *path, hlo_diags *diags) {
    bool shows = !terminal_is_output(path) && progress_begin_stage("writing %s", path);
    hlo_status status = hlo_output_commit(output, diags);
    progress_end_stage(shows);
    return status;
}

hlo_status show_diags(hlo_diags *diags, const common_options *common) {
    uint32_t errors = hlo_diags_error_count(diags);
    hlo_diags_render(diags, stderr, common->colour);
    return hlo_diags_error_count(diags) > errors ? HLO_BAD_SYSTEM : HLO_OK;
}

int finish(hlo_diags *diags, const common_options *common, hlo_status status) {
    status = worse(status, show_diags(diags, common));
    hlo_diags_free(diags);
    return (int)status;
}

int at_most_one_module(const program_info *program, const common_options *common) {
    if (common->argument_count <= 1) return OPTIONS_GO_ON;
    return options_wrong_use(program, "expected one module; unexpected argument '%s'",
                             common->arguments[1]);
}
