/* Replica groups: their canonical form, and the same groups written out as lists. */
#include "ir/sharding_parts.h"

static int64_t mesh_size(const hlo_mesh *mesh) {
    int64_t count = 1;
    for (uint32_t i = 0; i < mesh->n; i++) count *= mesh->axes[i].size;
    return count;
}

static const hlo_groups *iota_groups(hlo_arena *arena, const hlo_groups *read, const char **why) {
    int64_t dims[] = {read->group_count, read->group_size}, count = hlo_checked_product(dims, 2);
    if (count < 0)
        return hlo_refuse(arena, why,
                          "the number of replica groups and their size must be positive");
    if (count > HLO_MOST_LISTED_DEVICES)
        return hlo_refuse(arena, why, "replica groups of more than %d devices",
                          HLO_MOST_LISTED_DEVICES);
    const hlo_iota_list *iota = hlo_iota_of_count(arena, read->iota, count, why);
    if (!iota) return NULL;
    hlo_groups *groups = hlo_arena_copy(arena, read, sizeof *read);
    groups->iota = iota;
    return groups;
}

static const hlo_groups *mesh_groups(hlo_arena *arena, const hlo_groups *read, const char **why) {
    hlo_groups *groups = hlo_arena_copy(arena, read, sizeof *read);
    groups->mesh = hlo_mesh_canonical(arena, read->mesh, why);
    if (!groups->mesh) return NULL;
    if (!groups->mesh->maximal && groups->mesh->n == 0)
        return hlo_refuse(arena, why, "replica groups require a mesh with axes");
    int64_t count = mesh_size(groups->mesh);
    if (count > HLO_MOST_LISTED_DEVICES)
        return hlo_refuse(arena, why, "replica groups of more than %d devices",
                          HLO_MOST_LISTED_DEVICES);
    hlo_axis_parts parts = {0};
    if (!hlo_axes_resolve(arena, groups->mesh, &groups->axes, &parts, why)) return NULL;
    groups->group_size = 1;
    for (uint32_t i = 0; i < parts.n; i++)
        groups->group_size *= parts.v[i].next_pre_size / parts.v[i].pre_size;
    groups->group_count = count / groups->group_size;
    return groups;
}

const hlo_groups *hlo_groups_canonical(hlo_arena *arena, const hlo_groups *read, const char **why) {
    switch (read->form) {
    case HLO_GROUPS_IOTA: return iota_groups(arena, read, why);
    case HLO_GROUPS_MESH: return mesh_groups(arena, read, why);
    case HLO_GROUPS_LIST: break;
    }
    hlo_groups *groups = hlo_arena_copy(arena, read, sizeof *read);
    groups->group_count = read->lists ? read->lists->n : 0;
    groups->group_size = 0;
    return groups;
}

/* ---- written out ---- */

/* Devices in rows of `size`, each row a group. */
static const hlo_int_lists *cut(hlo_arena *arena, const hlo_ints *devices, int64_t size) {
    HLO_ASSERT(size > 0 && devices->n % size == 0);
    uint32_t n = (uint32_t)(devices->n / size);
    hlo_int_lists *lists = hlo_arena_alloc(arena, sizeof *lists + n * sizeof *lists->v);
    lists->n = n;
    for (uint32_t i = 0; i < n; i++)
        lists->v[i] = hlo_ints_from(arena, devices->v + i * size, (uint32_t)size);
    return lists;
}

/* The mesh taken apart so that each grouped part of an axis is a separate dimension. */
typedef struct {
    uint32_t n;
    int64_t *dims;
    int64_t *grouped; /* by reference: its dimension */
} split_mesh;

static void add_dim(split_mesh *split, int64_t size) {
    split->dims[split->n++] = size;
}

/* Cuts one axis at the ends of the parts that groups use, in ascending order. */
static void split_axis(split_mesh *split, const hlo_axis_parts *parts, uint32_t axis,
                       int64_t size) {
    int64_t done = 1;
    for (;;) {
        const hlo_axis_part *next = NULL;
        for (uint32_t i = 0; i < parts->n; i++) {
            const hlo_axis_part *part = &parts->v[i];
            if (part->axis != axis || part->pre_size < done || part->next_pre_size == done)
                continue;
            if (!next || part->pre_size < next->pre_size) next = part;
        }
        if (!next) break;
        if (next->pre_size > done) add_dim(split, next->pre_size / done);
        split->grouped[next - parts->v] = split->n;
        add_dim(split, next->next_pre_size / next->pre_size);
        done = next->next_pre_size;
    }
    if (done < size) add_dim(split, size / done);
}

static const hlo_ints *mesh_order(hlo_arena *arena, const hlo_mesh *mesh) {
    if (mesh->device_ids) return mesh->device_ids;
    if (mesh->device_iota) return hlo_iota_listed(arena, mesh->device_iota);
    hlo_ints *order = hlo_ints_new(arena, (uint32_t)mesh_size(mesh));
    for (uint32_t i = 0; i < order->n; i++) order->v[i] = i;
    return order;
}

/* Dimensions without groups stay major, the grouped ones become minor in the order they are named.
 */
static const hlo_int_lists *expand_mesh(hlo_arena *arena, const hlo_groups *groups) {
    const hlo_mesh *mesh = groups->mesh;
    if (mesh->maximal) return cut(arena, hlo_ints_from(arena, &mesh->device_id, 1), 1);
    const char *why;
    hlo_axis_parts parts = {0};
    hlo_axis_list axes = groups->axes;
    if (!hlo_axes_resolve(arena, mesh, &axes, &parts, &why)) return NULL;
    size_t most = mesh->n + 2 * (size_t)parts.n;
    split_mesh split = {0, hlo_arena_alloc(arena, most * sizeof(int64_t)),
                        hlo_arena_zero(arena, parts.n * sizeof(int64_t))};
    for (uint32_t i = 0; i < mesh->n; i++) split_axis(&split, &parts, i, mesh->axes[i].size);
    uint8_t *is_grouped = hlo_arena_zero(arena, most);
    /* A whole axis of size 1 has no dimension: it changes nothing. */
    for (uint32_t i = 0; i < parts.n; i++)
        if (parts.v[i].next_pre_size > 1) is_grouped[split.grouped[i]] = 1;
    int64_t *perm = hlo_arena_alloc(arena, most * sizeof *perm);
    uint32_t at = 0;
    for (uint32_t i = 0; i < split.n; i++)
        if (!is_grouped[i]) perm[at++] = i;
    for (uint32_t i = 0; i < parts.n; i++)
        if (parts.v[i].next_pre_size > 1) perm[at++] = split.grouped[i];
    const hlo_ints *order = mesh_order(arena, mesh);
    HLO_ASSERT(at == split.n && split.n <= most);
    return cut(arena, hlo_listed_transposed(arena, order->v, split.dims, perm, split.n),
               groups->group_size);
}

const hlo_int_lists *hlo_groups_expand(hlo_arena *arena, const hlo_groups *groups) {
    switch (groups->form) {
    case HLO_GROUPS_IOTA:
        return cut(arena, hlo_iota_listed(arena, groups->iota), groups->group_size);
    case HLO_GROUPS_MESH: return expand_mesh(arena, groups);
    case HLO_GROUPS_LIST: break;
    }
    return groups->lists && groups->lists->n ? groups->lists : NULL;
}
