/* Shardings as XLA keeps them: what was read is checked and brought into canonical form. */
#include <stdlib.h>

#include "ir/sharding_parts.h"

/* Tiles and the devices that hold them: `devices` in the order of the tiles, or else `iota`. */
typedef struct {
    hlo_arena *arena;
    uint32_t rank;
    const int64_t *dims;
    int64_t count;
    const hlo_ints *devices;
    const hlo_iota_list *iota;
} tiling;

/* How the kinds of subgroups are ordered after the data dimensions. */
static const hlo_sharding_kind subgroup_order[] = {HLO_SHARDING_MAXIMAL, HLO_SHARDING_MANUAL,
                                                   HLO_SHARDING_UNREDUCED, HLO_SHARDING_REPLICATED};
enum { SUBGROUP_KINDS = sizeof subgroup_order / sizeof *subgroup_order };

/* ---- results ---- */

/* Shard group and metadata are kept as read. */
static hlo_sharding *start(hlo_arena *arena, const hlo_sharding *read, hlo_sharding_kind kind) {
    hlo_sharding *s = HLO_NEW(arena, hlo_sharding);
    s->kind = kind;
    s->group_kind = read->group_kind;
    s->group = read->group_kind == HLO_SHARD_NONE ? 0 : read->group;
    s->has_metadata = read->has_metadata;
    s->metadata = read->metadata;
    return s;
}

static hlo_sharding *start_tiled(const tiling *t, const hlo_sharding *read) {
    HLO_ASSERT(!t->devices != !t->iota);
    hlo_sharding *s = start(t->arena, read, HLO_SHARDING_TILED);
    s->tile_dims = hlo_ints_from(t->arena, t->dims, t->rank);
    s->devices = t->devices;
    s->iota = t->iota;
    return s;
}

/* ---- tiles whose last dimension is replicated ---- */

static int compare_devices(const void *a, const void *b) {
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void sort_numbers(int64_t *v, size_t n) {
    qsort(v, n, sizeof *v, compare_devices);
}

static bool write_out(tiling *t, const char **why) {
    if (t->devices) return true;
    if (t->count > HLO_MOST_LISTED_DEVICES) {
        hlo_refuse(t->arena, why,
                   "this order of %lld devices is not an iota, and lists of more than %d are not "
                   "supported",
                   (long long)t->count, HLO_MOST_LISTED_DEVICES);
        return false;
    }
    t->devices = hlo_iota_listed(t->arena, t->iota);
    t->iota = NULL;
    return true;
}

/* The order of the members of a group means nothing, so they are sorted. In an iota the dimensions
 * that make up the minor `group` members are put into their natural order; the first of them may be
 * split. NULL when group and dimensions do not divide each other. */
static const hlo_iota_list *sort_minor_members(hlo_arena *arena, const hlo_iota_list *iota,
                                               int64_t group) {
    HLO_ASSERT(iota->perm->n == iota->dims->n && group > 0);
    uint32_t n = iota->dims->n, grouped = 0, split = UINT32_MAX;
    int64_t left = group, outer = 0;
    while (left > 1 && grouped < n) {
        int64_t dim = iota->perm->v[n - 1 - grouped], size = iota->dims->v[dim];
        if (size % left != 0 && left % size != 0) return NULL;
        grouped++;
        if (size > left) {
            split = (uint32_t)dim;
            outer = size / left;
            left = 1;
        } else {
            left /= size;
        }
    }
    int64_t *dims = hlo_arena_alloc(arena, (n + (size_t)1) * sizeof *dims);
    int64_t *perm = hlo_arena_alloc(arena, (n + (size_t)1) * sizeof *perm);
    uint32_t d = 0, p = 0;
    for (uint32_t i = 0; i < n; i++) {
        dims[d++] = i == split ? outer : iota->dims->v[i];
        if (i == split) dims[d++] = iota->dims->v[i] / outer;
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim = iota->perm->v[i];
        perm[p++] = dim > split ? dim + 1 : dim;
        if (dim == split) perm[p++] = dim + 1;
    }
    sort_numbers(perm + p - grouped, grouped);
    HLO_ASSERT(d == p && grouped <= p);
    return hlo_iota_from(arena, dims, perm, d);
}

static bool sort_members(tiling *t, int64_t group, const char **why) {
    HLO_ASSERT(!t->iota != !t->devices);
    HLO_ASSERT(group > 0 && t->count % group == 0);
    if (t->iota) {
        const hlo_ints *perm = t->iota->perm;
        if (t->iota->dims->v[perm->v[perm->n - 1]] == group) return true;
        const hlo_iota_list *sorted = sort_minor_members(t->arena, t->iota, group);
        if (sorted) {
            t->iota = sorted;
            return true;
        }
        if (!write_out(t, why)) return false;
    }
    hlo_ints *devices = hlo_ints_from(t->arena, t->devices->v, t->devices->n);
    for (int64_t i = 0; i < t->count; i += group) sort_numbers(devices->v + i, (size_t)group);
    t->devices = devices;
    return true;
}

/* Tiles whose last dimension counts replicas. */
static hlo_sharding *partly_replicated(tiling t, const hlo_sharding *read, const char **why) {
    HLO_ASSERT(t.rank > 0);
    int64_t group = t.dims[t.rank - 1];
    if (t.rank == 1 || group == t.count) return start(t.arena, read, HLO_SHARDING_REPLICATED);
    if (group == 1) {
        t.rank--;
        return start_tiled(&t, read);
    }
    if (!sort_members(&t, group, why)) return NULL;
    hlo_sharding *s = start_tiled(&t, read);
    s->replicate_last = true;
    return s;
}

/* ---- subgroups ---- */

/* Removes subgroup dimensions of size 1, merges those of one kind and orders the kinds. The devices
 * follow. Fills `kinds` and returns how many are left, or -1 with *why. */
static int merge_subgroups(tiling *t, uint32_t data_rank, const uint8_t *read_kinds,
                           uint8_t kinds[SUBGROUP_KINDS], const char **why) {
    HLO_ASSERT(data_rank <= t->rank);
    size_t bytes = t->rank * sizeof(int64_t);
    int64_t *perm = hlo_arena_alloc(t->arena, bytes), *merged = hlo_arena_alloc(t->arena, bytes);
    uint32_t at = 0, rank = 0;
    int n = 0;
    for (; at < data_rank; at++) {
        perm[at] = at;
        merged[rank++] = t->dims[at];
    }
    for (int k = 0; k < SUBGROUP_KINDS; k++) {
        int64_t size = 1;
        for (uint32_t i = data_rank; i < t->rank; i++) {
            if (read_kinds[i - data_rank] != subgroup_order[k] || t->dims[i] == 1) continue;
            perm[at++] = i;
            size *= t->dims[i];
        }
        if (size == 1) continue;
        merged[rank++] = size;
        kinds[n++] = (uint8_t)subgroup_order[k];
    }
    for (uint32_t i = data_rank; i < t->rank; i++)
        if (t->dims[i] == 1) perm[at++] = i;
    HLO_ASSERT(at == t->rank && rank <= t->rank && n <= SUBGROUP_KINDS);
    const hlo_iota_list *iota =
        t->iota ? hlo_iota_transposed(t->arena, t->iota, t->dims, perm, t->rank) : NULL;
    if (iota) {
        t->iota = iota;
    } else {
        if (!write_out(t, why)) return -1;
        t->devices = hlo_listed_transposed(t->arena, t->devices->v, t->dims, perm, t->rank);
    }
    t->dims = merged;
    t->rank = rank;
    return n;
}

static bool is_one_kind(const uint8_t *kinds, uint32_t n) {
    HLO_ASSERT(n > 0);
    for (uint32_t i = 1; i < n; i++)
        if (kinds[i] != kinds[0]) return false;
    return true;
}

static hlo_sharding *with_subgroups(tiling t, const hlo_sharding *read, const uint8_t *read_kinds,
                                    uint32_t n, const char **why) {
    if (n > t.rank)
        return hlo_refuse(t.arena, why, "%u kinds of subgroups for %u tile dimensions", n, t.rank);
    if (t.count > INT64_C(1) << 32)
        return hlo_refuse(t.arena, why, "subgroups of %lld devices; at most 2^32 are supported",
                          (long long)t.count);
    uint32_t data_rank = t.rank - n;
    if (is_one_kind(read_kinds, n) && read_kinds[0] != HLO_SHARDING_MAXIMAL &&
        hlo_checked_product(t.dims, data_rank) == 1)
        return start(t.arena, read, (hlo_sharding_kind)read_kinds[0]);
    uint8_t kinds[SUBGROUP_KINDS];
    int left = merge_subgroups(&t, data_rank, read_kinds, kinds, why);
    if (left < 0) return NULL;
    if (left == 0) return start_tiled(&t, read);
    bool replicated = kinds[left - 1] == HLO_SHARDING_REPLICATED;
    if (left == 1 && kinds[0] == HLO_SHARDING_MANUAL && t.dims[t.rank - 1] == t.count)
        return start(t.arena, read, HLO_SHARDING_MANUAL);
    hlo_sharding *s = replicated ? partly_replicated(t, read, why) : start_tiled(&t, read);
    if (!s || s->kind != HLO_SHARDING_TILED || (replicated && left == 1)) return s;
    s->replicate_last = false;
    s->last_kind_count = (uint32_t)left;
    s->last_kinds = hlo_arena_copy(t.arena, kinds, (size_t)left);
    return s;
}

/* ---- one sharding ---- */

/* Devices as they were read, checked against the tiles. */
static bool read_devices(tiling *t, const hlo_sharding *read, const char **why) {
    if (read->iota) {
        if (read->devices) {
            hlo_refuse(t->arena, why, "the devices of a sharding are either listed or an iota");
            return false;
        }
        t->iota = hlo_iota_of_count(t->arena, read->iota, t->count, why);
        return t->iota != NULL;
    }
    t->devices = read->devices;
    if (!t->devices || t->devices->n < 2)
        hlo_refuse(t->arena, why, "a tiled sharding needs at least two devices");
    else if (t->devices->n != t->count)
        hlo_refuse(t->arena, why, "%u devices are listed for %lld tiles", t->devices->n,
                   (long long)t->count);
    else return true;
    return false;
}

static hlo_sharding *tiled(hlo_arena *arena, const hlo_sharding *read, const char **why) {
    if (!read->tile_dims || read->tile_dims->n == 0)
        return hlo_refuse(arena, why, "a tiled sharding requires devices=[...]");
    tiling t = {.arena = arena, .rank = read->tile_dims->n, .dims = read->tile_dims->v};
    t.count = hlo_checked_product(t.dims, t.rank);
    if (t.count < 0)
        return hlo_refuse(arena, why,
                          "tile dimensions must be positive and their product must fit "
                          "64 bits");
    if (!read_devices(&t, read, why)) return NULL;
    if (read->replicate_last && read->last_kind_count)
        return hlo_refuse(arena, why,
                          "last_tile_dim_replicate and last_tile_dims are mutually exclusive");
    static const uint8_t replicated = HLO_SHARDING_REPLICATED;
    if (read->replicate_last) return with_subgroups(t, read, &replicated, 1, why);
    if (!read->last_kind_count) return start_tiled(&t, read);
    return with_subgroups(t, read, read->last_kinds, read->last_kind_count, why);
}

static hlo_sharding *maximal(hlo_arena *arena, const hlo_sharding *read, const char **why) {
    if (read->iota || (read->devices && read->devices->n != 1))
        return hlo_refuse(arena, why, "a maximal sharding names exactly one device");
    hlo_sharding *s = start(arena, read, HLO_SHARDING_MAXIMAL);
    s->device = read->devices ? read->devices->v[0] : read->device;
    return s;
}

static const hlo_sharding *tuple(hlo_arena *arena, const hlo_sharding *read, const char **why) {
    const hlo_sharding **elements = hlo_arena_alloc(arena, read->n * sizeof *elements);
    for (uint32_t i = 0; i < read->n; i++) {
        if (read->elements[i]->kind == HLO_SHARDING_TUPLE)
            return hlo_refuse(arena, why, "a tuple of shardings is flat: one for each leaf");
        elements[i] = hlo_sharding_canonical(arena, read->elements[i], why);
        if (!elements[i]) return NULL;
    }
    hlo_sharding *s = HLO_NEW(arena, hlo_sharding);
    s->kind = HLO_SHARDING_TUPLE;
    s->n = read->n;
    s->elements = elements;
    return s;
}

const hlo_sharding *hlo_sharding_canonical(hlo_arena *arena, const hlo_sharding *read,
                                           const char **why) {
    static const char *const words[] = {
        [HLO_SHARDING_REPLICATED] = "replicated",
        [HLO_SHARDING_MANUAL] = "manual",
        [HLO_SHARDING_UNKNOWN] = "unknown",
        [HLO_SHARDING_UNREDUCED] = "unreduced",
    };
    switch (read->kind) {
    case HLO_SHARDING_TUPLE: return tuple(arena, read, why);
    case HLO_SHARDING_TILED: return tiled(arena, read, why);
    case HLO_SHARDING_MAXIMAL: return maximal(arena, read, why);
    case HLO_SHARDING_NAMED: return hlo_named_sharding_canonical(arena, read, why);
    case HLO_SHARDING_REPLICATED:
    case HLO_SHARDING_MANUAL:
    case HLO_SHARDING_UNKNOWN:
    case HLO_SHARDING_UNREDUCED: break;
    }
    HLO_ASSERT(words[read->kind]);
    if (read->devices && read->devices->n)
        return hlo_refuse(arena, why, "a sharding that is %s has no devices", words[read->kind]);
    return start(arena, read, read->kind);
}

const hlo_sharding *hlo_sharding_for_shape(hlo_arena *arena, const hlo_sharding *sharding,
                                           const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape) || sharding->kind == HLO_SHARDING_TUPLE) return sharding;
    uint32_t leaves = hlo_shape_leaf_count(shape);
    uint32_t n = leaves ? leaves : 1; /* the empty tuple itself */
    const hlo_sharding **elements = hlo_arena_alloc(arena, n * sizeof *elements);
    for (uint32_t i = 0; i < n; i++) elements[i] = sharding;
    hlo_sharding *s = HLO_NEW(arena, hlo_sharding);
    s->kind = HLO_SHARDING_TUPLE;
    s->n = n;
    s->elements = elements;
    return s;
}

/* ---- single devices ---- */

const hlo_sharding *hlo_sharding_on_device(hlo_arena *arena, int64_t device,
                                           const hlo_shape *shape) {
    hlo_sharding *sharding = HLO_NEW(arena, hlo_sharding);
    sharding->kind = HLO_SHARDING_MAXIMAL;
    sharding->device = device;
    sharding->devices = hlo_ints_from(arena, &device, 1);
    return hlo_sharding_for_shape(arena, sharding, shape);
}

int64_t hlo_sharding_device_of(const hlo_sharding *sharding) {
    if (sharding->kind == HLO_SHARDING_MAXIMAL) return sharding->device;
    if (sharding->kind != HLO_SHARDING_TUPLE || !sharding->n) return -1;
    int64_t device = hlo_sharding_device_of(sharding->elements[0]);
    for (uint32_t i = 1; i < sharding->n; i++)
        if (hlo_sharding_device_of(sharding->elements[i]) != device) return -1;
    return device;
}
