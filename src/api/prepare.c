/* hlo_run_prepare: what runs is a copy of the module that went through the pipeline `run`, where that
 * is worth its time. */
#include "analysis/cost.h"
#include "passes/pipeline.h"
#include "run/run.h"

/* ---- the copy ---- */

/* Gives the instructions of the copy numbers, and the list the originals by number. */
static const hlo_instr **number_origins(const hlo_module *module, hlo_module *copy) {
    uint32_t count = 0;
    for (const hlo_computation *c = module->first; c; c = c->next) count += c->instr_count;
    const hlo_instr **origins = hlo_malloc((count + 1u) * sizeof *origins);
    const hlo_computation *of = module->first;
    count = 0;
    for (hlo_computation *c = copy->first; c; c = c->next, of = of->next) {
        const hlo_instr *origin = of->first;
        for (hlo_instr *i = c->first; i; i = i->next, origin = origin->next) {
            i->at = (hlo_span){count, count + 1};
            origins[count++] = origin;
        }
    }
    return origins;
}

static bool optimise(hlo_module *copy) {
    const hlo_named_pipeline *row = hlo_named_pipeline_at(HLO_PIPELINE_RUN);
    hlo_diags unheard;
    hlo_diags_init(&unheard);
    bool good = hlo_pipeline_run(copy, row->passes, &unheard) == HLO_OK;
    hlo_diags_drop(&unheard);
    return good;
}

static hlo_run_copy copy_to_run(hlo_module *module) {
    hlo_run_copy copy = {.module = hlo_module_clone_to_run(module)};
    copy.origins = number_origins(module, copy.module);
    if (optimise(copy.module)) return copy;
    hlo_module_free(copy.module);
    hlo_free(copy.origins);
    return (hlo_run_copy){0};
}

hlo_status hlo_run_prepare(hlo_module *module, const hlo_run_options *options, hlo_diags *diags,
                           hlo_run **out) {
    return hlo_run_prepare_by(copy_to_run, module, options, diags, out);
}
