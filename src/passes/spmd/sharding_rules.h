/* Relations of shardings: how the sharding of one array carries over to another one whose
 * dimensions correspond, which of two is the more specific, and what two are together. */
#ifndef HLO_PASSES_SPMD_SHARDING_RULES_H
#define HLO_PASSES_SPMD_SHARDING_RULES_H

#include "ir/ir.h"

/* Shardings are canonical and never changed; new ones, and all that they need on the way, are
 * allocated in the given arena. They have at most HLO_MOST_SHARDED_DEVICES devices, since device
 * orders may have to be written out: so none of these functions fails. NULL is no sharding.
 * Metadata goes with the sharding it comes from. */
enum { HLO_MOST_SHARDED_DEVICES = 1 << 24 };

/* ---- what a sharding is ---- */

/* It, or each element of a tuple, is of that kind. */
bool hlo_sharding_is(const hlo_sharding *s, hlo_sharding_kind kind);
/* Every device that has some of the array has all of it: replicated, or on one device. */
bool hlo_sharding_is_whole(const hlo_sharding *s);
/* Neither replicated, on one device, manual, unknown nor unreduced. */
bool hlo_sharding_is_tiled(const hlo_sharding *s);
/* Several devices have the same tile, or a subgroup is replicated. */
bool hlo_sharding_has_replicas(const hlo_sharding *s);
/* It has a subgroup of that kind; of a tuple, each element has. */
bool hlo_sharding_has_subgroup(const hlo_sharding *s, hlo_sharding_kind kind);

/* Dimensions of tiles that are dimensions of data; 0 when not tiled. */
uint32_t hlo_tiled_rank(const hlo_sharding *s);
/* Tiles along one dimension; 1 when not tiled. */
int64_t hlo_tiles_along(const hlo_sharding *s, int64_t dimension);
/* Different tiles. */
int64_t hlo_tile_number(const hlo_sharding *s);
/* Which of the tiles' dimensions is the subgroup of that kind; -1: none. */
int hlo_subgroup_dimension(const hlo_sharding *s, hlo_sharding_kind kind);

/* ---- new shardings ---- */

/* With the metadata of another one, or without when that is NULL. */
const hlo_sharding *hlo_sharding_replicated(hlo_arena *, const hlo_sharding *like);
const hlo_sharding *hlo_sharding_manual(hlo_arena *, const hlo_sharding *like);
const hlo_sharding *hlo_sharding_maximal(hlo_arena *, int64_t device, const hlo_sharding *like);
/* Of tiles whose last n dimensions are subgroups of those kinds. */
const hlo_sharding *hlo_sharding_of_tiles(hlo_arena *, hlo_tiles, const uint8_t *kinds, uint32_t n,
                                          const hlo_sharding *like);
/* Of tiles that end with the subgroups of `like`. */
const hlo_sharding *hlo_sharding_retiled(hlo_arena *, hlo_tiles, const hlo_sharding *like);
/* The same with another list of metadata. */
const hlo_sharding *hlo_sharding_with_metadata(hlo_arena *, const hlo_sharding *,
                                               hlo_metadata_list metadata);
/* The same without shard group, in one, or of that group. */
const hlo_sharding *hlo_sharding_in_group(hlo_arena *, const hlo_sharding *, int group_kind,
                                          int64_t group);

#define HLO_SPMD_SUFFIX "_spmd"
/* Names what one device does of the computation `whole` as XLA does. Names are made unique when the
 * module is printed. */
void hlo_name_for_device(hlo_computation *computation, const hlo_name *whole);
bool hlo_has_shardings(const hlo_module *module);
/* The module is the program of one device: its message stated the shardings, or, because text has
 * no place for them, the name of its entry ends with _spmd, as XLA names it.
 * Shardings of its parameters state of which arrays they are tiles. */
bool hlo_is_device_program(const hlo_module *module);
/* A list without entries, with space for some. */
static inline hlo_ints *hlo_empty_ints(hlo_arena *arena, uint32_t most) {
    hlo_ints *list = hlo_ints_new(arena, most);
    list->n = 0;
    return list;
}

/* ---- tuples ---- */

const hlo_sharding *hlo_sharding_tuple(hlo_arena *, const hlo_sharding *const *elements,
                                       uint32_t n);
/* Leaf i of the tuple has another sharding. */
const hlo_sharding *hlo_sharding_with_leaf(hlo_arena *, const hlo_sharding *tuple, uint32_t i,
                                           const hlo_sharding *leaf);
/* Of element i of a tuple of that shape. */
const hlo_sharding *hlo_sharding_element(hlo_arena *, const hlo_sharding *, const hlo_shape *tuple,
                                         uint32_t i);
/* The leaves that a sharding of the shape has: one of an empty tuple too. */
uint32_t hlo_sharding_leaves(const hlo_shape *shape);

/* ---- from one array to another (sharding_rules.c) ----
 * What is not tiled is the same for every array and comes back as it is. */

/* Dimension i of the other array is dimension from[i] of this one; -1: it is new and not split.
 * NULL when a dimension that is left out is split. */
const hlo_sharding *hlo_sharding_mapped(hlo_arena *, const hlo_sharding *, const int64_t *from,
                                        uint32_t rank);
/* The same order of tiles under other dimensions of data, as many tiles in all. */
const hlo_sharding *hlo_sharding_with_dims(hlo_arena *, const hlo_sharding *, const int64_t *dims,
                                           uint32_t rank);
/* Not split along some dimensions: devices that differ there only have the same. */
const hlo_sharding *hlo_sharding_replicate(hlo_arena *, const hlo_sharding *, const hlo_ints *dims);
/* Split along these dimensions only. */
const hlo_sharding *hlo_sharding_keep(hlo_arena *, const hlo_sharding *, const hlo_ints *dims);
/* Split along none, for an array of that rank; manual subgroups stay. */
const hlo_sharding *hlo_sharding_replicate_all(hlo_arena *, const hlo_sharding *, uint32_t rank);
/* Without dimensions that are not split. */
const hlo_sharding *hlo_sharding_remove_dims(hlo_arena *, const hlo_sharding *,
                                             const hlo_ints *dims);
/* Dimension source->v[i] of one array is target->v[i] of the other; others are not split. */
const hlo_sharding *hlo_sharding_along(hlo_arena *, const hlo_sharding *, const hlo_ints *source,
                                       const hlo_ints *target, uint32_t target_rank);
/* The tiles of those dimensions in the opposite order. */
const hlo_sharding *hlo_sharding_reversed(hlo_arena *, const hlo_sharding *, const hlo_ints *dims);
/* Whether the tiles along the dimension could move to another one, which they divide. */
bool hlo_sharding_can_move(const hlo_sharding *, const hlo_shape *, int64_t dimension);
/* Of what a reshape makes of the array (sharding_rules_reshape.c): as many dimensions as possible
 * stay split. */
const hlo_sharding *hlo_sharding_reshaped(hlo_arena *, const hlo_sharding *, const hlo_shape *from,
                                          const hlo_shape *to);

/* ---- two shardings of one array (sharding_rules_merge.c) ---- */

/* Tuples: no element is less specific and one is more. */
bool hlo_sharding_is_more_specific(const hlo_sharding *a, const hlo_sharding *b);
/* *dst becomes what splits the array as both do, when there is such a sharding, and it has at least
 * `least` tiles. Neither is a tuple. */
bool hlo_sharding_merge_least(hlo_arena *, const hlo_sharding *from, int64_t least,
                              const hlo_sharding **dst);
/* The same where more tiles than *dst has are wanted. */
bool hlo_sharding_merge(hlo_arena *, const hlo_sharding *from, const hlo_sharding **dst);
/* *dst is more specific than `from`, or was made so by merging (with `may_combine`). */
bool hlo_sharding_combine(hlo_arena *, const hlo_sharding *from, const hlo_sharding **dst,
                          bool may_combine);
/* What all shardings are together; `fallback` when two of them do not fit. */
const hlo_sharding *hlo_sharding_common(hlo_arena *, const hlo_sharding *const *v, uint32_t n,
                                        const hlo_sharding *fallback);
/* Each device's part by `part` lies in its part by `whole` (sharding_rules_tiling.c). */
bool hlo_sharding_is_within(hlo_arena *, const hlo_shape *, const hlo_sharding *part,
                            const hlo_sharding *whole);

/* What an array that has a sharding, or none, shall have on account of a new one; NULL: it stays.
 * `freely`: also when devices would have to exchange parts. */
const hlo_sharding *hlo_sharding_improved(hlo_arena *, const hlo_sharding *found,
                                          const hlo_sharding *present, const hlo_shape *,
                                          bool may_combine, bool freely);

#endif
