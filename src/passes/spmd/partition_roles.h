/* Roles of dimensions of gather and scatter, and their indices in tiles: what both rules share. */
#ifndef HLO_PASSES_SPMD_PARTITION_ROLES_H
#define HLO_PASSES_SPMD_PARTITION_ROLES_H

#include "ir/index_dims.h"
#include "passes/spmd/partition_indexed.h"

/* What gather and scatter have in common, by the names of gather. */
typedef struct {
    uint32_t operand, indices, result; /* numbers of operands; a gather's result: see is_gather */
    bool is_gather;
    hlo_index_dims numbers;
} hlo_index_roles;

hlo_index_roles hlo_index_roles_of(const hlo_instr *instr);
/* How much of dimension d of the operand a window has; *outside: where, -1 when that is not seen.
 */
int64_t hlo_index_window(const hlo_instr *instr, const hlo_index_roles *ro, uint32_t d,
                         int64_t *outside);
/* Factors of batches; `others`: results of several devices can be put together. */
void hlo_describe_batches(const hlo_instr *instr, const hlo_index_roles *ro, hlo_factors *f,
                          bool others);
/* Factors of the operand's dimensions. */
void hlo_describe_inside(const hlo_instr *instr, const hlo_index_roles *ro, hlo_factors *f);

/* Dimension d has tiles, and windows have only a part of it. */
bool hlo_is_cut(const hlo_placed *s, const hlo_index_roles *ro, uint32_t d, int64_t *window);
bool hlo_cuts_indexed(const hlo_placed *s, const hlo_index_roles *ro);
/* The indices as s32, those of cut dimensions counted from the tile with its margins. */
hlo_instr *hlo_indices_in_tiles(hlo_partitioner *p, const hlo_placed *s, const hlo_index_roles *ro);
/* Elements around the tile of a cut dimension. */
int64_t hlo_index_margin(const hlo_index_roles *ro, int64_t window);
hlo_instr *hlo_indexed_with_margins(hlo_partitioner *p, const hlo_placed *s,
                                    const hlo_index_roles *ro, hlo_instr *data);
/* Indices of different numbers are no longer in order. */
void hlo_drop_index_order(hlo_instr *made);

#endif
