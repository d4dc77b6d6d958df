/* Running a module on what was recorded of another run of it (HloSnapshot). */
#include "eval/compare.h"
#include "run/arrays.h"
#include "run/output.h"
#include "run/run.h"

/* ---- leaves ---- */

/* The arrays of a literal in order; a walk over them asks for one after the other. */
typedef struct {
    uint32_t wanted; /* leaves to pass over first */
    const hlo_literal *found;
} leaf_search;

static bool search(const hlo_literal *literal, leaf_search *s) {
    if (hlo_shape_is_array(literal->shape)) {
        if (s->wanted--) return false;
        s->found = literal;
        return true;
    }
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++)
        if (search(literal->elements[i], s)) return true;
    return false;
}

/* NULL: nothing was recorded for it. */
static const hlo_literal *leaf_of_arguments(const hlo_module *module, uint32_t leaf) {
    if (!module->recording || !module->recording->arguments) return NULL;
    leaf_search s = {.wanted = leaf};
    for (uint32_t i = 0; i < module->entry->parameter_count; i++)
        if (search(module->recording->arguments[i], &s)) return s.found;
    return NULL;
}

static const hlo_literal *leaf_of_result(const hlo_module *module, uint32_t leaf) {
    leaf_search s = {.wanted = leaf};
    return module->recording && module->recording->result && search(module->recording->result, &s)
               ? s.found
               : NULL;
}

/* ---- the interface ---- */

hlo_status hlo_run_use_recording(hlo_run *run, hlo_diags *diags, bool *replays) {
    HLO_API_CALL(diags) {
        if (replays) *replays = false;
        return HLO_BAD_SYSTEM;
    }
    if (replays) *replays = false;
    HLO_REQUIRE(diags, replays);
    HLO_REQUIRE(diags, run);
    const hlo_recording *recording = run->module->recording;
    *replays = recording && recording->result;
    for (uint32_t leaf = 0; leaf < run->input_count; leaf++) {
        if (run->inputs[leaf].value) {
            *replays = false;
            continue;
        }
        const hlo_literal *literal = leaf_of_arguments(run->module, leaf);
        if (!literal) continue;
        const hlo_array array = hlo_array_of(literal->shape, literal->data);
        hlo_status status = hlo_run_set_input(run, 0, leaf, &array, diags);
        if (status != HLO_OK) return status;
    }
    return HLO_OK;
}

hlo_status hlo_run_compare_recording(const hlo_run *run, const hlo_compare_options *options,
                                     hlo_output *report, hlo_diags *diags) {
    HLO_API_CALL(diags) {
        hlo_output_lost(report);
        return HLO_BAD_SYSTEM;
    }
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, report);
    hlo_status status = hlo_run_check_result(run, diags);
    if (status != HLO_OK) return status;
    hlo_compare_options given = HLO_COMPARE_OPTIONS_INIT;
    status = hlo_take_options(options, &given, sizeof given, diags);
    if (status != HLO_OK) return status;
    const hlo_tolerance tolerance = {given.rtol, given.atol, given.max_ulp};
    bool agrees = true;
    for (uint32_t k = 0; k < run->output_count; k++) {
        const hlo_literal got = {run->outputs[k]->shape, run->outputs[k]->data, NULL};
        const hlo_literal *expected = leaf_of_result(run->module, k);
        char name[32];
        snprintf(name, sizeof name, "out%u", k);
        if (!expected || !hlo_shape_compatible(expected->shape, got.shape)) {
            hlo_error(diags, HLO_RULE_RUN, NULL, (hlo_span){0}, "%s is %s, recorded was %s", name,
                      hlo_shape_name(&diags->arena, got.shape),
                      expected ? hlo_shape_name(&diags->arena, expected->shape) : "nothing");
            return HLO_BAD_MODULE;
        }
        hlo_comparison found = hlo_compare_arrays(&got, expected, &tolerance);
        hlo_comparison_print(&report->buf, name, &found, &got, expected);
        agrees &= found.different == 0;
    }
    return agrees ? HLO_OK : HLO_BAD_MODULE;
}

void hlo_module_forget_extras(hlo_module *module, hlo_diags *diags) {
    if (!module || !diags) return;
    HLO_API_CALL(diags) return;
    for (const hlo_unkept *u = module->unkept; u; u = u->next)
        hlo_warning(diags, HLO_RULE_MESSAGE, module->source, u->at, "%.*s is dropped",
                    (int)u->what.len, u->what.ptr);
    module->unkept = NULL;
    if (!module->recording) return;
    hlo_warning(diags, HLO_RULE_MESSAGE, NULL, (hlo_span){0},
                "arguments and result that were recorded with module %.*s are dropped",
                (int)(module->name.len < 80 ? module->name.len : 80), module->name.ptr);
    module->recording = NULL;
}
