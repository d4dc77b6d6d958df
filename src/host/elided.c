/* Runs of modules whose text leaves out elements of constants, as XLA's dumps and its default print
 * do: what depends on them means nothing. */
#include "host/run.h"

void hlo_run_note_elided(hlo_run *run, const hlo_module *module, const hlo_run_options *given) {
    run->elided.places = module->elided;
    run->elided.source = module->source;
    run->elided.may_be_filled = given->fill_elided;
}

/* Whether an input is given: the result is then expected to have a meaning. */
static bool has_given_input(const hlo_run *run) {
    for (uint32_t d = 0; d < run->device_count; d++) {
        const hlo_run *device = hlo_run_of_device(run, d);
        for (uint32_t i = 0; i < device->input_count; i++)
            if (device->inputs[i].value && !device->inputs[i].is_made_up) return true;
    }
    return false;
}

bool hlo_run_may_use_elided(hlo_run *run, hlo_diags *diags) {
    hlo_run_elided *elided = &run->elided;
    uint32_t n = elided->places.count;
    const char *more = n == 1 ? "" : "s";
    if (!n) return true;
    if (!elided->may_be_filled && has_given_input(run)) {
        hlo_error(diags, HLO_RULE_INPUT, elided->source, elided->places.first,
                  "the elements of %u constant%s are elided here (`{...}`), and the result of the "
                  "given inputs depends on them",
                  n, more);
        hlo_advise(diags, HLO_ADVICE_ELIDED);
        return false;
    }
    if (!elided->is_reported) {
        hlo_warning(diags, HLO_RULE_INPUT, elided->source, elided->places.first,
                    "the elements of %u constant%s are elided here (`{...}`) and filled with a "
                    "counter",
                    n, more);
        hlo_advise(diags, HLO_ADVICE_ELIDED);
    }
    elided->is_reported = true;
    return true;
}
