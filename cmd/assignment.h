/* --device-assignment: which device computes for which replica and partition. */
#ifndef HLO_CMD_ASSIGNMENT_H
#define HLO_CMD_ASSIGNMENT_H

#include "options.h"

typedef struct {
    uint32_t replicas, partitions; /* 0: no assignment is given */
    uint32_t *devices;             /* by replica * partitions + partition; of malloc */
} device_assignment;

/* Reads {{0,1},{2,3}}: the devices of each replica, by partition. NULL is fine. Wrong use when it
 * is nothing of the kind, or disagrees with numbers of replicas and partitions that are not 0. */
int assignment_read(const program_info *program, const char *text, uint64_t replicas,
                    uint64_t partitions, device_assignment *assignment);
static inline void assignment_give(const device_assignment *assignment, hlo_run_options *how) {
    how->devices.assignment = assignment->devices;
    how->devices.assignment_count = (size_t)assignment->replicas * assignment->partitions;
}
/* Sets the module's counts; those of an assignment take precedence. */
hlo_status assignment_apply(const device_assignment *assignment, hlo_module *module,
                            uint64_t replicas, uint64_t partitions, hlo_diags *diags);

#endif
