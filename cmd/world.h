/* hlo-run as one of the processes that mpirun started: what only one of them does, and how they
 * stay in step. Without mpirun, all of it is about this process alone. */
#ifndef HLO_CMD_WORLD_H
#define HLO_CMD_WORLD_H

#include "modules.h"

typedef struct {
    hlo_world *world; /* NULL: there are no other processes */
    bool has_agreed, is_silent;
} world_place;

/* Finds out where this process is. `alone` is what was asked for that one process can do, or NULL.
 * Anything but OPTIONS_GO_ON is the status to end with; the diagnostics are shown and freed then.
 */
int world_enter(world_place *place, const program_info *self, const common_options *common,
                const char *alone, hlo_diags *diags);
/* Rank 0 writes results, reports and all other output that appears once. */
bool world_is_first(const world_place *place);
/* Called by all processes once, with what each of them has come to before the run: the worst of it.
 * Where several met an error, the first reports it. */
hlo_status world_agree(world_place *place, hlo_status own);
/* finish, and the end of what processes have in common. */
int world_finish(world_place *place, hlo_diags *diags, const common_options *common,
                 hlo_status status);

#endif
