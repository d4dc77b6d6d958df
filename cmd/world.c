/* Processes that mpirun started: see world.h. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "say.h"

int world_enter(world_place *place, const program_info *self, const common_options *common,
                const char *alone, hlo_diags *diags) {
    hlo_status status = hlo_world_open(diags, &place->world);
    if (status != HLO_OK) return finish(diags, common, status);
    if (!place->world || !alone) return OPTIONS_GO_ON;
    hlo_diags_free(diags);
    int ended = world_is_first(place) ? options_wrong_use(self, "%s is for one process, not for %u",
                                                          alone, hlo_world_size(place->world))
                                      : HLO_BAD_USE;
    hlo_world_close(place->world);
    return ended;
}

bool world_is_first(const world_place *place) {
    return hlo_world_rank(place->world) == 0;
}

hlo_status world_agree(world_place *place, hlo_status own) {
    uint32_t first;
    hlo_status worst = hlo_world_agree(place->world, own, &first);
    place->has_agreed = true;
    place->is_silent = worst != HLO_OK && first != hlo_world_rank(place->world);
    return own != HLO_OK ? own : worst;
}

/* Warnings are the same in all processes. */
static bool says_nothing(const world_place *place, const hlo_diags *diags) {
    return place->is_silent || (!world_is_first(place) && !hlo_diags_error_count(diags));
}

static bool reads_standard_input(const common_options *common) {
    return !common->argument_count || strcmp(common->arguments[0], "-") == 0;
}

/* mpirun would wait seconds for the other processes after one ends with an error: the process that
 * reported an error ends all. */
static void tell_and_stop(const world_place *place, const common_options *common,
                          bool has_failed_early, hlo_status status) {
    if (has_failed_early && !world_is_first(place) && reads_standard_input(common))
        say("hlo-run", "mpirun forwards standard input to rank 0, with -stdin all to all ranks");
    if (status == HLO_OK) return;
    fflush(NULL);
    hlo_world_stop(place->world, (int)status);
}

int world_finish(world_place *place, hlo_diags *diags, const common_options *common,
                 hlo_status status) {
    bool has_failed_early = !place->has_agreed && status != HLO_OK;
    if (!place->has_agreed) status = world_agree(place, status);
    if (!says_nothing(place, diags)) {
        bool has_errors = hlo_diags_error_count(diags);
        status = worse(status, show_diags(diags, common));
        if (has_errors) tell_and_stop(place, common, has_failed_early, status);
    }
    hlo_diags_free(diags);
    hlo_world_close(place->world);
    return (int)status;
}
