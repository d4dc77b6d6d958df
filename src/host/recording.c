/* Running a module on what was recorded of another run of it (HloSnapshot). */
#include "host/recording.h"

#include "host/arrays.h"
#include "host/run.h"

/* ---- leaves ---- */

/* The arrays of a literal in order; a walk over them finds one after the other. */
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
static const hlo_literal *leaf_of_arguments(const hlo_module *module, uint32_t device,
                                            uint32_t leaf) {
    const hlo_recording *recording = module->recording;
    if (!recording || !recording->arguments || device >= recording->device_count) return NULL;
    leaf_search s = {.wanted = leaf};
    for (uint32_t i = 0; i < recording->argument_count; i++)
        if (search(recording->arguments[(size_t)device * recording->argument_count + i], &s))
            return s.found;
    return NULL;
}

const hlo_literal *hlo_recorded_result(const hlo_module *module, uint32_t leaf) {
    leaf_search s = {.wanted = leaf};
    if (!module->recording || !module->recording->result) return NULL;
    return search(module->recording->result, &s) ? s.found : NULL;
}

/* ---- the interface ---- */

/* Fills the inputs of a device that have not been set. */
static hlo_status fill_device(hlo_run *run, uint32_t device, bool *fills_all, hlo_diags *diags) {
    const hlo_run *own = hlo_run_of_device(run, device);
    for (uint32_t leaf = 0; leaf < own->input_count; leaf++) {
        if (own->inputs[leaf].value) {
            *fills_all = false;
            continue;
        }
        const hlo_literal *literal = leaf_of_arguments(run->module, device, leaf);
        if (!literal) continue;
        const hlo_array array = hlo_array_of(literal->shape, literal->data);
        hlo_status status = hlo_run_set_input(run, device, leaf, &array, diags);
        if (status != HLO_OK) return status;
    }
    return HLO_OK;
}

hlo_status hlo_run_use_recording(hlo_run *run, hlo_diags *diags, bool *replays) {
    HLO_API_CALL(diags) {
        if (replays) *replays = false;
        return HLO_BAD_SYSTEM;
    }
    if (replays) *replays = false;
    HLO_REQUIRE(diags, replays);
    HLO_REQUIRE(diags, run);
    const hlo_recording *recording = run->module->recording;
    uint32_t devices = recording && recording->device_count > 1 ? recording->device_count : 1;
    bool fills_all = true;
    for (uint32_t d = 0; d < devices && d < run->device_count; d++) {
        hlo_status status = fill_device(run, d, &fills_all, diags);
        if (status != HLO_OK) return status;
    }
    *replays = recording && recording->result && fills_all;
    return HLO_OK;
}
