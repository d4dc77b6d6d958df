/* What running a module costs, and what its devices exchange. Part of hlo.h. */
#ifndef HLO_PUBLIC_COST_H
#define HLO_PUBLIC_COST_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What running a module that has been verified costs. The first three are XLA's: a loop's body
 * counts once, nothing is kept in registers. peak_bytes is what is alive at the same time when
 * instructions run in order. Those of a run are counted in the same way, but what loops run as
 * often as it runs, where the trip count is known: unknown_loops is the number of loops where it is
 * not, which count once. */
typedef struct {
    double flops, transcendentals, bytes, peak_bytes;
    double run_flops, run_transcendentals, run_bytes;
    double unknown_loops;
} hlo_module_cost;

/* All NaN without memory, or for a module that can only be freed. */
HLO_API hlo_module_cost hlo_module_estimate(hlo_module *module);

/* How the devices that take part in a collective are connected: in a ring, or in rows and columns
 * (as square as their number allows), without or with links from the last to the first of each. */
typedef enum { HLO_RING, HLO_MESH, HLO_TORUS } hlo_topology;

typedef struct {
    size_t size;
    hlo_topology topology;
    double gigabits;     /* a second that a link carries in each direction; more than 0 */
    double microseconds; /* until a message begins to arrive at the next device; not negative */
} hlo_link_options;

#define HLO_LINK_OPTIONS_INIT \
    { sizeof(hlo_link_options), HLO_RING, 100, 1 }

/* What a collective exchanges in one run of its module. Bytes and seconds are those of all times
 * together. */
typedef struct {
    const char *kind;        /* its opcode; that of a start without "-start" */
    const char *instruction; /* with its length; not NUL-terminated, like the next one */
    size_t instruction_len;
    const char *computation;
    size_t computation_len;
    uint64_t devices; /* of a group, the largest; of a permute: those that send */
    double times;     /* how often it runs */
    bool times_known; /* false: it is in a loop of unknown trip count, counted once, or in a
                         branch, counted as taken */
    double bytes_sent, bytes_received; /* by the device that has most of them */
    double seconds; /* of the algorithms in docs/communication.md, nothing else on the links */
} hlo_transfer;

/* Strings live as long as the call. */
typedef void hlo_transfer_visitor(void *context, const hlo_transfer *transfer);

/* Shows the collectives of a module that verifies, in the order in which it is printed. */
HLO_API hlo_status hlo_module_transfers(hlo_module *module, const hlo_link_options *links,
                                        hlo_transfer_visitor *visit, void *context,
                                        hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
