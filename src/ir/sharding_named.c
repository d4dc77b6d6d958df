/* Named shardings as tiles: axes of the mesh become dimensions of an array of devices, which are
 * put into the order in which the sharding uses them. */
#include "ir/sharding_named.h"

#include "ir/sharding_parts.h"

typedef struct {
    hlo_arena *arena;
    const hlo_sharding *named;
    hlo_axis_parts used; /* by dimensions of data, then manual, then unreduced */
    uint32_t used_count; /* of them; what follows is only cut out */
    hlo_axis_parts all;  /* of the whole mesh, in its order */
    hlo_ints *dims;      /* of the tiles */
    uint8_t kinds[3];
    uint32_t kind_count;
} unnaming;

static int64_t size_of(const hlo_axis_part *part) {
    return part->next_pre_size / part->pre_size;
}

/* Appends the parts of a list; returns the product of their sizes. */
static int64_t use_axes(unnaming *u, hlo_axis_list axes) {
    const char *why;
    uint32_t before = u->used.n;
    int64_t product = 1;
    if (!hlo_axes_resolve(u->arena, u->named->mesh, &axes, &u->used, &why)) return 1;
    for (uint32_t i = before; i < u->used.n; i++) product *= size_of(&u->used.v[i]);
    return product;
}

static void use_subgroup(unnaming *u, hlo_axis_list axes, hlo_sharding_kind kind) {
    if (!axes.n) return;
    u->kinds[u->kind_count++] = (uint8_t)kind;
    u->dims->v[u->dims->n++] = use_axes(u, axes);
}

static void use_all_axes(unnaming *u) {
    const hlo_sharding *s = u->named;
    u->dims = hlo_ints_new(u->arena, s->dim_count + 3);
    u->dims->n = 0;
    for (uint32_t i = 0; i < s->dim_count; i++)
        u->dims->v[u->dims->n++] = use_axes(u, s->dims[i].axes);
    use_subgroup(u, s->manual, HLO_SHARDING_MANUAL);
    use_subgroup(u, s->unreduced, HLO_SHARDING_UNREDUCED);
    u->used_count = u->used.n;
    use_axes(u, s->replicated);
}

/* The next place after `from` where the axis is cut. */
static int64_t next_cut(const unnaming *u, uint32_t axis, int64_t from) {
    int64_t next = u->named->mesh->axes[axis].size;
    for (uint32_t i = 0; i < u->used.n; i++) {
        const hlo_axis_part *part = &u->used.v[i];
        if (part->axis != axis) continue;
        if (part->pre_size > from && part->pre_size < next) next = part->pre_size;
        if (part->next_pre_size > from && part->next_pre_size < next) next = part->next_pre_size;
    }
    return next;
}

/* Axes of which parts are used are cut into these and what is between them. */
static void cut_axes(unnaming *u) {
    for (uint32_t axis = 0; axis < u->named->mesh->n; axis++) {
        int64_t size = u->named->mesh->axes[axis].size, at = 1;
        do {
            hlo_axis_part part = {.axis = axis, .pre_size = at};
            part.next_pre_size = at = next_cut(u, axis, at);
            hlo_list_push_in(u->arena, &u->all, part);
        } while (at < size);
    }
}

static bool is_same_part(const hlo_axis_part *a, const hlo_axis_part *b) {
    return a->axis == b->axis && a->pre_size == b->pre_size && a->next_pre_size == b->next_pre_size;
}

/* Parts in the order of their use, then those that hold replicas; returns how many replicas. */
static int64_t order_parts(const unnaming *u, int64_t *perm) {
    bool *taken = HLO_NEW_ARRAY(u->arena, bool, u->all.n);
    uint32_t at = 0;
    int64_t replicas = 1;
    for (uint32_t i = 0; i < u->used_count; i++)
        for (uint32_t k = 0; k < u->all.n; k++)
            if (!taken[k] && is_same_part(&u->used.v[i], &u->all.v[k])) {
                taken[k] = true;
                perm[at++] = k;
                break;
            }
    for (uint32_t k = 0; k < u->all.n; k++) {
        if (taken[k]) continue;
        perm[at++] = k;
        replicas *= size_of(&u->all.v[k]);
    }
    return replicas;
}

static hlo_tiles devices_of(const unnaming *u, const int64_t *sizes) {
    const hlo_mesh *mesh = u->named->mesh;
    hlo_tiles t = hlo_tiles_in_order(u->arena, sizes, u->all.n);
    if (mesh->device_ids || mesh->device_iota) t.iota = mesh->device_iota;
    t.devices = mesh->device_ids;
    return t;
}

static const hlo_sharding *unnamed(unnaming *u, const char **why) {
    hlo_ints *sizes = hlo_ints_new(u->arena, u->all.n), *perm = hlo_ints_new(u->arena, u->all.n);
    for (uint32_t i = 0; i < u->all.n; i++) sizes->v[i] = size_of(&u->all.v[i]);
    int64_t replicas = order_parts(u, perm->v);
    if (replicas > 1) {
        u->kinds[u->kind_count++] = HLO_SHARDING_REPLICATED;
        u->dims->v[u->dims->n++] = replicas;
    }
    hlo_tiles t = hlo_tiles_transposed(u->arena, devices_of(u, sizes->v), perm->v);
    hlo_sharding read = {.kind = HLO_SHARDING_TILED,
                         .tile_dims = u->dims,
                         .devices = t.devices,
                         .iota = t.iota,
                         .last_kinds = u->kinds,
                         .last_kind_count = u->kind_count,
                         .has_metadata = u->named->has_metadata,
                         .metadata = u->named->metadata};
    return hlo_sharding_canonical(u->arena, &read, why);
}

static int64_t product_of(const hlo_ints *dims) {
    int64_t product = 1;
    for (uint32_t i = 0; i < dims->n; i++) product *= dims->v[i];
    return product;
}

const hlo_sharding *hlo_sharding_as_tiles(hlo_arena *arena, const hlo_sharding *named,
                                          const char **why) {
    unnaming u = {.arena = arena, .named = named};
    hlo_sharding plain = {.kind = HLO_SHARDING_REPLICATED,
                          .device = named->mesh->device_id,
                          .has_metadata = named->has_metadata,
                          .metadata = named->metadata};
    if (named->reduction)
        return hlo_refuse(arena, why,
                          "has a reduction of unreduced values, which tiles cannot express");
    if (named->named_word) plain.kind = named->word;
    if (named->mesh->maximal) plain.kind = HLO_SHARDING_MAXIMAL;
    if (named->named_word || named->mesh->maximal)
        return hlo_sharding_canonical(arena, &plain, why);
    use_all_axes(&u);
    if (u.kind_count == 0 && product_of(u.dims) == 1)
        return hlo_sharding_canonical(arena, &plain, why);
    cut_axes(&u);
    return unnamed(&u, why);
}
