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
static const hlo_literal *leaf_of_arguments(const hlo_module *module, uint32_t leaf) {
    if (!module->recording || !module->recording->arguments) return NULL;
    leaf_search s = {.wanted = leaf};
    for (uint32_t i = 0; i < module->entry->parameter_count; i++)
        if (search(module->recording->arguments[i], &s)) return s.found;
    return NULL;
}

const hlo_literal *hlo_recorded_result(const hlo_module *module, uint32_t leaf) {
    leaf_search s = {.wanted = leaf};
    if (!module->recording || !module->recording->result) return NULL;
    return search(module->recording->result, &s) ? s.found : NULL;
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
