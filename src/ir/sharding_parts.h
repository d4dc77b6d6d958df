/* What the canonical forms of shardings, meshes and replica groups share. Private to src/ir. */
#ifndef HLO_IR_SHARDING_PARTS_H
#define HLO_IR_SHARDING_PARTS_H

#include "base/list.h"
#include "ir/sharding.h"

/* Explicit limits, so that no short text asks for much memory or time. */
enum {
    HLO_MOST_LISTED_DEVICES = 1 << 24, /* of an order that has to be written out */
    HLO_MOST_MESH_AXES = 1024,
};

/* The product of n numbers; -1 when one of them is not positive or the product has no int64. */
int64_t hlo_checked_product(const int64_t *v, uint32_t n);

/* ---- orders of devices (device_order.c) ---- */

/* `read` in canonical form when it orders exactly `count` devices; else NULL and *why. */
const hlo_iota_list *hlo_iota_of_count(hlo_arena *arena, const hlo_iota_list *read, int64_t count,
                                       const char **why);
/* The canonical iota of n dimensions and a permutation of them. */
const hlo_iota_list *hlo_iota_from(hlo_arena *arena, const int64_t *dims, const int64_t *perm,
                                   uint32_t n);
/* The order that an array of `dims` filled by `iota` has after a transposition by `perm`, when an
 * iota can express it; else NULL. The devices must be at most 2^32. */
const hlo_iota_list *hlo_iota_transposed(hlo_arena *arena, const hlo_iota_list *iota,
                                         const int64_t *dims, const int64_t *perm, uint32_t rank);
/* An array of `dims` transposed by `perm`. */
hlo_ints *hlo_listed_transposed(hlo_arena *arena, const int64_t *values, const int64_t *dims,
                                const int64_t *perm, uint32_t rank);

/* ---- axes of meshes (mesh.c) ---- */

/* A reference to an axis or a part of it, resolved. */
typedef struct {
    uint32_t axis;
    bool is_sub_axis;
    int64_t pre_size,
        next_pre_size; /* the sub-axis is [pre_size, next_pre_size); 1 and size if whole */
} hlo_axis_part;

/* References of one sharding or one group list, in the order in which they were resolved. */
typedef HLO_LIST(hlo_axis_part) hlo_axis_parts; /* in an arena */

/* Replaces the list by one with the mesh's own names and appends its parts to `parts`; false and
 * *why when a reference is impossible, overlaps one of `parts` or could be merged with an adjacent
 * one. */
bool hlo_axes_resolve(hlo_arena *arena, const hlo_mesh *mesh, hlo_axis_list *list,
                      hlo_axis_parts *parts, const char **why);
/* A NAMED sharding in canonical form. */
const hlo_sharding *hlo_named_sharding_canonical(hlo_arena *arena, const hlo_sharding *read,
                                                 const char **why);

#endif
