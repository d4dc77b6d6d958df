/* Shardings, device meshes and replica groups as data, canonicalised as XLA does when it reads
 * them. */
#ifndef HLO_IR_SHARDING_H
#define HLO_IR_SHARDING_H

#include "ir/attrs.h"

/* Devices as an iota reshaped to `dims` and transposed by `perm` (text: <=[dims]T(perm)). */
typedef struct {
    const hlo_ints *dims;
    const hlo_ints *perm; /* as many entries as dims; identity for one dimension */
} hlo_iota_list;

typedef struct {
    hlo_str name;
    int64_t size;
} hlo_mesh_axis;

typedef struct {
    bool maximal; /* maximal_mesh[device_id=N] */
    int64_t device_id;
    uint32_t n;
    const hlo_mesh_axis *axes;
    const hlo_ints *device_ids;       /* an explicit list, or NULL */
    const hlo_iota_list *device_iota; /* an iota, or NULL; both NULL: 0, 1, 2 ... */
} hlo_mesh;

/* A mesh axis, or a part of one: `name` or `name:(pre)size`. */
typedef struct {
    hlo_str name;
    bool is_sub_axis;
    int64_t pre_size, size;
} hlo_axis_ref;

typedef struct {
    uint32_t n;
    const hlo_axis_ref *v;
} hlo_axis_list;

typedef struct {
    hlo_axis_list axes;
    bool open; /* ends with '?' */
} hlo_dim_sharding;

typedef enum {
    HLO_SHARDING_REPLICATED,
    HLO_SHARDING_MAXIMAL,
    HLO_SHARDING_TUPLE,
    HLO_SHARDING_TILED,
    HLO_SHARDING_MANUAL,
    HLO_SHARDING_UNKNOWN,
    HLO_SHARDING_UNREDUCED,
    HLO_SHARDING_NAMED
} hlo_sharding_kind;

typedef struct {
    uint32_t n;
    const hlo_metadata *const *v;
} hlo_metadata_list;

typedef struct hlo_sharding {
    hlo_sharding_kind kind;
    int64_t device;            /* MAXIMAL */
    const hlo_ints *tile_dims; /* TILED: with the subgroup dimensions at the end */
    const hlo_ints *devices;   /* TILED: a list, or NULL for the iota */
    const hlo_iota_list *iota; /* TILED */
    bool replicate_last;       /* last_tile_dim_replicate */
    uint32_t last_kind_count;  /* last_tile_dims={...} */
    const uint8_t *last_kinds; /* hlo_sharding_kind of each */
    enum { HLO_SHARD_NONE, HLO_SHARD_AS, HLO_SHARD_LIKE } group_kind;
    int64_t group;
    bool has_metadata; /* metadata={} counts */
    hlo_metadata_list metadata;
    uint32_t n; /* TUPLE */
    const struct hlo_sharding *const *elements;
    const hlo_mesh *mesh; /* NAMED */
    bool named_word;      /* NAMED: `word` stands for the dimensions */
    hlo_sharding_kind word;
    bool has_dims;
    uint32_t dim_count;
    const hlo_dim_sharding *dims;
    hlo_axis_list replicated, unreduced, manual;
    int64_t reduction; /* NAMED: how unreduced values are combined, a word of REDUCTION; 0: added */
} hlo_sharding;

typedef struct hlo_groups {
    enum { HLO_GROUPS_LIST, HLO_GROUPS_IOTA, HLO_GROUPS_MESH } form;
    const hlo_int_lists *lists; /* LIST */
    int64_t group_count, group_size;
    const hlo_iota_list *iota; /* IOTA */
    const hlo_mesh *mesh;      /* MESH */
    hlo_axis_list axes;
} hlo_groups;

/* Canonical forms. Each takes what was read and returns what XLA keeps (docs/text-format.md,
 * 7.3), allocated in `arena`; on an impossible value NULL with *why set to a message.
 * Strings are not copied. A sharding goes through here once: XLA's form of tiles with subgroups is
 * not always a fixed point. Impossible is what XLA refuses, aborts on, or cannot read from its own
 * proto: tiles that are not as many as the devices, dimensions that are not positive.
 *
 * What was read is given so: `kind` is the one that the words decide (the first that applies of
 * replicated, maximal, manual, unknown, unreduced, else tiled); `devices` holds every device number
 * of device= and devices=, also for maximal shardings, whose `device` is then filled from it;
 * `iota` holds <=[...]; `replicate_last` and `last_kinds` hold last_tile_dim_replicate and
 * last_tile_dims=. NAMED: `mesh` and either `named_word` with `word`, or `dims` and the lists of
 * axes. In canonical form a word is kept where XLA prints one, and the lists of axes repeat its
 * meaning; axes go by their names, also where they were written as numbers. */
const hlo_iota_list *hlo_iota_canonical(hlo_arena *, const hlo_ints *dims, const hlo_ints *perm,
                                        const char **why);
/* The numbers of a canonical iota, written out. Their count must be checked before. */
hlo_ints *hlo_iota_listed(hlo_arena *, const hlo_iota_list *);
const hlo_sharding *hlo_sharding_canonical(hlo_arena *, const hlo_sharding *read, const char **why);
/* The axis of that name; as many as there are axes: none has it. */
uint32_t hlo_mesh_axis_number(const hlo_mesh *mesh, hlo_str name);
const hlo_mesh *hlo_mesh_canonical(hlo_arena *, const hlo_mesh *read, const char **why);
/* Also fills group_count and group_size of the MESH form. */
const hlo_groups *hlo_groups_canonical(hlo_arena *, const hlo_groups *read, const char **why);
/* One sharding on a value of tuple shape stands for the same on every leaf. */
const hlo_sharding *hlo_sharding_for_shape(hlo_arena *, const hlo_sharding *, const hlo_shape *);
/* All of a value of that shape on one device. */
const hlo_sharding *hlo_sharding_on_device(hlo_arena *, int64_t device, const hlo_shape *);
/* That device; that of a tuple is the one that all of its elements have. -1: there is none. */
int64_t hlo_sharding_device_of(const hlo_sharding *);

/* Whether canonical shardings place values in the same way, as XLA compares: metadata, names of
 * axes and explicitly replicated axes do not count. The named and the older form are never equal.
 */
bool hlo_sharding_equal(const hlo_sharding *a, const hlo_sharding *b);

/* ---- tiles ---- */

/* How many tiles an array has along each dimension, dimensions of subgroups after those of data,
 * and the devices that hold them: a list in the order of the tiles, or else an iota. A view of a
 * canonical sharding, or what one is made of. */
typedef struct {
    const hlo_ints *dims;
    const hlo_ints *devices;
    const hlo_iota_list *iota;
} hlo_tiles;

/* Those of a TILED sharding. */
static inline hlo_tiles hlo_tiles_of(const hlo_sharding *tiled) {
    HLO_ASSERT(tiled->kind == HLO_SHARDING_TILED && !tiled->devices != !tiled->iota);
    return (hlo_tiles){tiled->tile_dims, tiled->devices, tiled->iota};
}
/* n dimensions of devices 0, 1, 2 ... */
hlo_tiles hlo_tiles_in_order(hlo_arena *, const int64_t *dims, uint32_t n);
/* The same devices in the same order under other dimensions, whose product is the same. */
hlo_tiles hlo_tiles_reshaped(hlo_arena *, hlo_tiles, const int64_t *dims, uint32_t n);
/* Dimension i of the result is dimension perm[i]. An iota stays one where the result is one. At
 * most 2^24 devices. */
hlo_tiles hlo_tiles_transposed(hlo_arena *, hlo_tiles, const int64_t *perm);
/* The devices in the order of the tiles, written out; at most 2^24. */
const hlo_ints *hlo_tiles_listed(hlo_arena *, hlo_tiles);
/* Same dimensions and same devices; one side may be a list and the other an iota. */
bool hlo_tiles_equal(hlo_tiles a, hlo_tiles b);
int64_t hlo_tiles_count(hlo_tiles);

void hlo_sharding_print(hlo_buf *to, const hlo_sharding *, bool with_metadata);
void hlo_groups_print(hlo_buf *to, const hlo_groups *);
/* Canonical groups as plain lists whatever the form (fingerprint print, evaluation); NULL: all
 * devices. */
const hlo_int_lists *hlo_groups_expand(hlo_arena *, const hlo_groups *);

/* Sets *why to a message in `arena`; always NULL, to be returned. */
void *hlo_refuse(hlo_arena *arena, const char **why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
