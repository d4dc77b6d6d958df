/* Equality of shardings by what they mean. */
#include "ir/sharding_parts.h"

static bool same_iota(const hlo_iota_list *a, const hlo_iota_list *b) {
    return hlo_ints_equal(a->dims, b->dims) && hlo_ints_equal(a->perm, b->perm);
}

/* The order may be a list on one side and an iota on the other. */
static bool same_devices(hlo_tiles a, hlo_tiles b) {
    if (a.iota && b.iota) return same_iota(a.iota, b.iota);
    if (a.devices && b.devices) return hlo_ints_equal(a.devices, b.devices);
    hlo_tiles listed = a.devices ? a : b, other = a.devices ? b : a;
    if (!listed.devices || !other.iota) return false;
    if (hlo_checked_product(other.iota->dims->v, other.iota->dims->n) != listed.devices->n)
        return false;
    hlo_arena arena;
    hlo_arena_init(&arena);
    bool same = hlo_ints_equal(listed.devices, hlo_iota_listed(&arena, other.iota));
    hlo_arena_free(&arena);
    return same;
}

bool hlo_tiles_equal(hlo_tiles a, hlo_tiles b) {
    return hlo_ints_equal(a.dims, b.dims) && same_devices(a, b);
}

static bool same_tiles(const hlo_sharding *a, const hlo_sharding *b) {
    return a->replicate_last == b->replicate_last && a->last_kind_count == b->last_kind_count &&
           (!a->last_kind_count || memcmp(a->last_kinds, b->last_kinds, a->last_kind_count) == 0) &&
           hlo_tiles_equal(hlo_tiles_of(a), hlo_tiles_of(b));
}

/* ---- named shardings ---- */

static bool same_mesh(const hlo_mesh *a, const hlo_mesh *b) {
    if (a->maximal != b->maximal || a->n != b->n || a->device_id != b->device_id) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->axes[i].size != b->axes[i].size) return false;
    if (!a->device_iota != !b->device_iota) return false;
    return hlo_ints_equal(a->device_ids, b->device_ids) &&
           (!a->device_iota || same_iota(a->device_iota, b->device_iota));
}

/* Axes are compared by their places: meshes may call them differently. */
static bool same_axes(const hlo_sharding *a, const hlo_sharding *b, hlo_axis_list x,
                      hlo_axis_list y) {
    if (x.n != y.n) return false;
    for (uint32_t i = 0; i < x.n; i++)
        if (hlo_mesh_axis_number(a->mesh, x.v[i].name) !=
                hlo_mesh_axis_number(b->mesh, y.v[i].name) ||
            x.v[i].is_sub_axis != y.v[i].is_sub_axis || x.v[i].pre_size != y.v[i].pre_size ||
            x.v[i].size != y.v[i].size)
            return false;
    return true;
}

static bool same_dims(const hlo_sharding *a, const hlo_sharding *b) {
    if (a->dim_count != b->dim_count) return false;
    for (uint32_t i = 0; i < a->dim_count; i++)
        if (a->dims[i].open != b->dims[i].open ||
            !same_axes(a, b, a->dims[i].axes, b->dims[i].axes))
            return false;
    return true;
}

/* No dimension is split: axes of size 1 split nothing. */
static bool is_replicated(const hlo_sharding *s) {
    if (s->mesh->maximal || s->unreduced.n || s->manual.n) return false;
    for (uint32_t i = 0; i < s->dim_count; i++)
        for (uint32_t k = 0; k < s->dims[i].axes.n; k++) {
            const hlo_axis_ref *axis = &s->dims[i].axes.v[k];
            if (axis->is_sub_axis ||
                s->mesh->axes[hlo_mesh_axis_number(s->mesh, axis->name)].size != 1)
                return false;
        }
    return true;
}

static bool same_named(const hlo_sharding *a, const hlo_sharding *b) {
    if (is_replicated(a) && is_replicated(b)) return true;
    return same_mesh(a->mesh, b->mesh) && same_dims(a, b) && a->reduction == b->reduction &&
           same_axes(a, b, a->unreduced, b->unreduced) && same_axes(a, b, a->manual, b->manual);
}

bool hlo_sharding_equal(const hlo_sharding *a, const hlo_sharding *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->group_kind != b->group_kind || a->group != b->group)
        return false;
    if (a->kind == HLO_SHARDING_MAXIMAL) return a->device == b->device;
    if (a->kind == HLO_SHARDING_TILED) return same_tiles(a, b);
    if (a->kind == HLO_SHARDING_NAMED) return same_named(a, b);
    if (a->kind != HLO_SHARDING_TUPLE) return true;
    if (a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!hlo_sharding_equal(a->elements[i], b->elements[i])) return false;
    return true;
}
