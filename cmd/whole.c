/* Reading the module before it was partitioned: see whole.h. */
#include "whole.h"

#include "strictness.h"

/* Parameters get the shardings that partitioning gives them. */
static hlo_status spread_shardings(hlo_module *module, hlo_diags *diags) {
    hlo_pipeline *pipeline;
    hlo_status status =
        hlo_pipeline_parse("--input-sharded", "shardy-xla,sharding-propagation", diags, &pipeline);
    if (status != HLO_OK) return status;
    status = hlo_pipeline_execute(pipeline, module, diags, NULL);
    hlo_pipeline_free(pipeline);
    return status;
}

static hlo_status with_whole(hlo_module *module, void *context, hlo_diags *diags) {
    whole_inputs *whole = context;
    hlo_status status = hlo_verify_with(module, strictness(), diags);
    if (status == HLO_OK) status = spread_shardings(module, diags);
    if (status != HLO_OK) return status;
    whole->module = module;
    status = modules_each(whole->common->arguments[0], whole->common, whole->work, whole->context,
                          diags);
    whole->module = NULL;
    return status;
}

hlo_status whole_each(whole_inputs *whole, const common_options *common, module_work *work,
                      void *context, hlo_diags *diags) {
    whole->common = common;
    whole->work = work;
    whole->context = context;
    bool is_other = whole->path && *whole->path;
    return is_other ? modules_each(whole->path, common, with_whole, whole, diags)
                    : modules_each(common->arguments[0], common, work, context, diags);
}
