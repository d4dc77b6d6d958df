/* Device meshes, references to their axes, and shardings that are written with them (XLA's
 * NamedSharding). */
#include "ir/sharding_parts.h"

#include "base/text.h"

static const hlo_ints *check_device_ids(hlo_arena *arena, const hlo_ints *ids, int64_t count,
                                        const char **why) {
    if (ids->n != count)
        return hlo_refuse(arena, why, "the mesh has %lld devices, but %u device ids are listed",
                          (long long)count, ids->n);
    uint8_t *seen = hlo_arena_zero(arena, ids->n);
    bool identity = true;
    for (uint32_t i = 0; i < ids->n; i++) {
        int64_t id = ids->v[i];
        if (id < 0 || id >= count || seen[id])
            return hlo_refuse(arena, why,
                              "the device ids of a mesh must be 0 to %lld in some order",
                              (long long)count - 1);
        seen[id] = 1;
        identity &= id == i;
    }
    if (identity) return hlo_refuse(arena, why, "device ids in ascending order must be omitted");
    return ids;
}

static bool check_axes(hlo_arena *arena, const hlo_mesh *mesh, const char **why) {
    if (mesh->n > HLO_MOST_MESH_AXES) {
        hlo_refuse(arena, why, "a mesh has at most %d axes", HLO_MOST_MESH_AXES);
        return false;
    }
    for (uint32_t i = 0; i < mesh->n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (!hlo_str_equal(mesh->axes[i].name, mesh->axes[k].name)) continue;
            hlo_refuse(arena, why, "two axes of the mesh are called '%.*s'",
                       (int)mesh->axes[i].name.len, mesh->axes[i].name.ptr);
            return false;
        }
    }
    return true;
}

/* The number of devices of a mesh with axes; -1 with *why when it has none. */
static int64_t mesh_devices(hlo_arena *arena, const hlo_mesh *mesh, const char **why) {
    int64_t count = 1;
    for (uint32_t i = 0; i < mesh->n; i++) {
        if (mesh->axes[i].size <= 0 || __builtin_mul_overflow(count, mesh->axes[i].size, &count)) {
            hlo_refuse(arena, why,
                       "the sizes of mesh axes must be positive and their product must "
                       "fit 64 bits");
            return -1;
        }
    }
    return count;
}

uint32_t hlo_mesh_axis_number(const hlo_mesh *mesh, hlo_str name) {
    uint32_t i = 0;
    while (i < mesh->n && !hlo_str_equal(mesh->axes[i].name, name)) i++;
    return i;
}

const hlo_mesh *hlo_mesh_canonical(hlo_arena *arena, const hlo_mesh *read, const char **why) {
    if (read->maximal || read->n == 0) {
        if (read->n || read->device_ids || read->device_iota)
            return hlo_refuse(arena, why, "a mesh without axes lists no device ids");
        return read;
    }
    int64_t count = mesh_devices(arena, read, why);
    if (count < 0 || !check_axes(arena, read, why)) return NULL;
    if (read->device_ids && read->device_iota)
        return hlo_refuse(arena, why, "device ids are either listed or an iota");
    if (read->device_ids)
        return check_device_ids(arena, read->device_ids, count, why) ? read : NULL;
    if (!read->device_iota) return read;
    const hlo_iota_list *iota = hlo_iota_of_count(arena, read->device_iota, count, why);
    if (!iota) return NULL;
    hlo_mesh *mesh = hlo_arena_copy(arena, read, sizeof *read);
    mesh->device_iota = iota->dims->n == 1 ? NULL : iota;
    return mesh;
}

/* ---- references to axes ---- */

static bool find_axis(const hlo_mesh *mesh, hlo_str name, uint32_t *axis) {
    for (*axis = 0; *axis < mesh->n; (*axis)++)
        if (hlo_str_equal(mesh->axes[*axis].name, name)) return true;
    int64_t index;
    if (!hlo_int_as_abseil(name, &index) || index < 0 || index >= mesh->n) return false;
    *axis = (uint32_t)index;
    return true;
}

static bool resolve(hlo_arena *arena, const hlo_mesh *mesh, const hlo_axis_ref *ref,
                    hlo_axis_part *part, const char **why) {
    if (!find_axis(mesh, ref->name, &part->axis)) {
        hlo_refuse(arena, why, "the mesh has no axis '%.*s'", (int)ref->name.len, ref->name.ptr);
        return false;
    }
    int64_t size = mesh->axes[part->axis].size;
    part->is_sub_axis = ref->is_sub_axis;
    part->pre_size = 1;
    part->next_pre_size = size;
    if (!ref->is_sub_axis) return true;
    part->pre_size = ref->pre_size;
    if (ref->pre_size < 1 || ref->size < 2 || ref->size >= size ||
        __builtin_mul_overflow(ref->pre_size, ref->size, &part->next_pre_size) ||
        size % part->next_pre_size != 0) {
        hlo_refuse(arena, why, "axis '%.*s' of size %lld has no sub-axis :(%lld)%lld",
                   (int)ref->name.len, ref->name.ptr, (long long)size, (long long)ref->pre_size,
                   (long long)ref->size);
        return false;
    }
    return true;
}

/* Parts of one axis must not overlap, and the larger must start at a multiple of the smaller's end.
 */
static bool can_stand_together(const hlo_axis_part *a, const hlo_axis_part *b) {
    if (a->axis != b->axis) return true;
    if (!a->is_sub_axis || !b->is_sub_axis) return false;
    const hlo_axis_part *low = a->pre_size < b->pre_size ? a : b, *high = low == a ? b : a;
    return high->pre_size >= low->next_pre_size && high->pre_size % low->next_pre_size == 0;
}

static bool are_mergeable(const hlo_axis_part *a, const hlo_axis_part *b) {
    return a->axis == b->axis && a->is_sub_axis && b->is_sub_axis &&
           a->next_pre_size == b->pre_size;
}

/* Whether `part` may follow the parts before it; `first`: it begins a new list. */
static bool check_part(hlo_arena *arena, const hlo_axis_parts *parts, const hlo_axis_part *part,
                       hlo_str name, bool first, const char **why) {
    for (uint32_t i = 0; i < parts->n; i++) {
        if (can_stand_together(&parts->v[i], part)) continue;
        hlo_refuse(arena, why, "axis '%.*s' is used twice, or with overlapping sub-axes",
                   (int)name.len, name.ptr);
        return false;
    }
    if (first || !are_mergeable(&parts->v[parts->n - 1], part)) return true;
    hlo_refuse(arena, why, "adjacent sub-axes of axis '%.*s' must be merged", (int)name.len,
               name.ptr);
    return false;
}

bool hlo_axes_resolve(hlo_arena *arena, const hlo_mesh *mesh, hlo_axis_list *list,
                      hlo_axis_parts *parts, const char **why) {
    hlo_axis_ref *refs = hlo_arena_copy(arena, list->v, list->n * sizeof *refs);
    list->v = refs;
    for (uint32_t i = 0; i < list->n; i++) {
        hlo_axis_part part;
        if (!resolve(arena, mesh, &refs[i], &part, why)) return false;
        refs[i].name = mesh->axes[part.axis].name;
        if (!check_part(arena, parts, &part, refs[i].name, i == 0, why)) return false;
        hlo_list_push_in(arena, parts, part);
    }
    return true;
}

/* ---- named shardings ---- */

static bool are_sorted(const hlo_axis_part *v, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (v[i].axis < v[i - 1].axis ||
            (v[i].axis == v[i - 1].axis && v[i].pre_size < v[i - 1].pre_size))
            return false;
    return true;
}

/* Replicated, unreduced and manual axes stand in the order of the mesh. */
static bool resolve_sorted(hlo_arena *arena, const hlo_mesh *mesh, hlo_axis_list *list,
                           hlo_axis_parts *parts, const char **why) {
    uint32_t base = parts->n;
    if (!hlo_axes_resolve(arena, mesh, list, parts, why)) return false;
    if (list->n == 0 || are_sorted(parts->v + base, list->n)) return true;
    hlo_refuse(arena, why,
               "replicated, unreduced and manual axes are listed in the order of the mesh");
    return false;
}

static bool resolve_dims(hlo_arena *arena, hlo_sharding *s, hlo_axis_parts *parts,
                         const char **why) {
    hlo_dim_sharding *dims = hlo_arena_copy(arena, s->dims, s->dim_count * sizeof *dims);
    s->dims = dims;
    for (uint32_t i = 0; i < s->dim_count; i++)
        if (!hlo_axes_resolve(arena, s->mesh, &dims[i].axes, parts, why)) return false;
    return true;
}

static hlo_axis_list all_axes(hlo_arena *arena, const hlo_mesh *mesh) {
    hlo_axis_ref *refs = HLO_NEW_ARRAY(arena, hlo_axis_ref, mesh->n);
    for (uint32_t i = 0; i < mesh->n; i++) refs[i].name = mesh->axes[i].name;
    return (hlo_axis_list){mesh->n, refs};
}

/* Every axis of the mesh in its order and whole; axes of size 1 may be left out. */
static bool covers_mesh(const hlo_mesh *mesh, hlo_axis_list axes) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < mesh->n; i++) {
        if (at < axes.n && hlo_str_equal(axes.v[at].name, mesh->axes[i].name)) {
            if (axes.v[at++].is_sub_axis) return false;
        } else if (mesh->axes[i].size != 1) {
            return false;
        }
    }
    return axes.n && at == axes.n;
}

/* A sharding of no dimensions is printed by a word if one fits. */
static void choose_word(hlo_sharding *s) {
    s->named_word = false;
    s->has_dims = !s->mesh->maximal;
    if (s->dim_count || s->mesh->maximal) return;
    if (!s->replicated.n && !s->unreduced.n && !s->manual.n) s->word = HLO_SHARDING_REPLICATED;
    else if (covers_mesh(s->mesh, s->unreduced)) s->word = HLO_SHARDING_UNREDUCED;
    else if (covers_mesh(s->mesh, s->manual)) s->word = HLO_SHARDING_MANUAL;
    else return;
    s->named_word = true;
    s->has_dims = false;
}

const hlo_sharding *hlo_named_sharding_canonical(hlo_arena *arena, const hlo_sharding *read,
                                                 const char **why) {
    hlo_sharding *s = hlo_arena_copy(arena, read, sizeof *read);
    s->mesh = hlo_mesh_canonical(arena, read->mesh, why);
    if (!s->mesh) return NULL;
    if (s->named_word && s->word != HLO_SHARDING_REPLICATED) {
        if (s->mesh->n == 0)
            return hlo_refuse(arena, why, "only a mesh with axes can be manual or unreduced");
        hlo_axis_list *meant = s->word == HLO_SHARDING_MANUAL ? &s->manual : &s->unreduced;
        if (!meant->n) *meant = all_axes(arena, s->mesh);
    }
    hlo_axis_parts parts = {0};
    if (!resolve_dims(arena, s, &parts, why) ||
        !resolve_sorted(arena, s->mesh, &s->replicated, &parts, why) ||
        !resolve_sorted(arena, s->mesh, &s->unreduced, &parts, why) ||
        !resolve_sorted(arena, s->mesh, &s->manual, &parts, why))
        return NULL;
    choose_word(s);
    return s;
}
