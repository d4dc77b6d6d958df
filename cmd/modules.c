/* Reading modules for the programs. */
#include "modules.h"

#include "process.h"

hlo_status worse(hlo_status a, hlo_status b) {
    return a > b ? a : b;
}

static hlo_status parse_and_work(hlo_source *source, module_work *work, void *context,
                                 hlo_diags *diags) {
    hlo_module *module;
    hlo_status status = hlo_read_module(source, diags, &module);
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

hlo_status modules_read_source(const char *path, const common_options *common, hlo_diags *diags,
                               hlo_source **out) {
    hlo_status status = hlo_read_source(path, diags, out);
    if (status == HLO_OK && common->dialect) hlo_source_read_as(*out, common->dialect);
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
