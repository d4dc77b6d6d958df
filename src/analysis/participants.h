/* Who talks to whom in a collective, whatever its groups are written like.
 *
 * Devices are numbered replica * num_partitions + partition. Counts that the module's header does
 * not give are 1 there; groups may then name more devices. */
#ifndef HLO_ANALYSIS_PARTICIPANTS_H
#define HLO_ANALYSIS_PARTICIPANTS_H

#include "shape/collective_groups.h"

enum { HLO_MOST_PARTICIPANTS = 1 << 20 };

/* The attribute's value, NULL when it has none or names no group: all devices of the mode. */
const hlo_groups *hlo_groups_of(const hlo_instr *collective);

/* How many devices exchange data with each other: the same for all groups, or 0 when groups differ
 * in size or the mode is impossible. */
int64_t hlo_participant_count(const hlo_instr *collective);

/* How many ids the mode has, by the module's header; 0: it does not specify that. */
int64_t hlo_id_count(const hlo_instr *collective);

/* The ids that the mode numbers, group by group and in the order in which parts are taken; where
 * none is named, one group of all. In `arena`. */
const hlo_int_lists *hlo_listed_groups(hlo_arena *arena, const hlo_instr *collective);
/* The same by device: replicas stand for each of their partitions, partitions for those of each
 * replica. NULL: there are more than HLO_MOST_PARTICIPANTS, or the mode is impossible. */
const hlo_int_lists *hlo_listed_devices(hlo_arena *arena, const hlo_instr *collective);

/* Both name the same groups, whatever they are written like; to name none is not to name all. */
bool hlo_same_groups(hlo_arena *arena, const hlo_instr *a, const hlo_instr *b);
uint64_t hlo_groups_hash(hlo_arena *arena, const hlo_instr *collective);
/* Two collectives that this holds for may be one, as far as devices go: the same groups of the same
 * mode. */
bool hlo_same_participants(hlo_arena *arena, const hlo_instr *a, const hlo_instr *b);

/* One more than the largest channel_id of the module. */
int64_t hlo_next_channel(const hlo_module *module);

#endif
