/* Shardings carried over from one array to another whose dimensions correspond. */
#include "passes/spmd/sharding_rules.h"

/* The dimensions of tiles with those of the data replaced. */
static hlo_ints *with_subgroups(hlo_arena *arena, const hlo_sharding *s, const int64_t *dims,
                                uint32_t rank) {
    uint32_t groups = s->tile_dims->n - hlo_tiled_rank(s), data = hlo_tiled_rank(s);
    hlo_ints *out = hlo_ints_new(arena, rank + groups);
    for (uint32_t i = 0; i < rank; i++) out->v[i] = dims[i];
    for (uint32_t i = 0; i < groups; i++) out->v[rank + i] = s->tile_dims->v[data + i];
    return out;
}

const hlo_sharding *hlo_sharding_with_dims(hlo_arena *arena, const hlo_sharding *s,
                                           const int64_t *dims, uint32_t rank) {
    if (s->kind != HLO_SHARDING_TILED) return s;
    const hlo_ints *all = with_subgroups(arena, s, dims, rank);
    return hlo_sharding_retiled(arena, hlo_tiles_reshaped(arena, hlo_tiles_of(s), all->v, all->n),
                                s);
}

/* Dimensions that stay in the order of the other array, those left out, the subgroups. NULL when
 * one that is left out is split. */
static int64_t *order_of_dims(hlo_arena *arena, const hlo_sharding *s, const int64_t *from,
                              uint32_t rank) {
    uint32_t data = hlo_tiled_rank(s), n = 0;
    int64_t *perm = hlo_arena_alloc(arena, s->tile_dims->n * sizeof *perm);
    bool *kept = HLO_NEW_ARRAY(arena, bool, data);
    for (uint32_t i = 0; i < rank; i++) {
        if (from[i] < 0) continue;
        kept[from[i]] = true;
        perm[n++] = from[i];
    }
    for (uint32_t i = 0; i < data; i++) {
        if (kept[i]) continue;
        if (s->tile_dims->v[i] > 1) return NULL;
        perm[n++] = i;
    }
    for (uint32_t i = data; i < s->tile_dims->n; i++) perm[i] = i;
    return perm;
}

const hlo_sharding *hlo_sharding_mapped(hlo_arena *arena, const hlo_sharding *s,
                                        const int64_t *from, uint32_t rank) {
    if (s->kind != HLO_SHARDING_TILED) return s;
    const int64_t *perm = order_of_dims(arena, s, from, rank);
    if (!perm) return NULL;
    hlo_ints *dims = hlo_ints_new(arena, rank);
    for (uint32_t i = 0; i < rank; i++) dims->v[i] = from[i] < 0 ? 1 : s->tile_dims->v[from[i]];
    const hlo_ints *all = with_subgroups(arena, s, dims->v, rank);
    hlo_tiles t = hlo_tiles_transposed(arena, hlo_tiles_of(s), perm);
    return hlo_sharding_retiled(arena, hlo_tiles_reshaped(arena, t, all->v, all->n), s);
}

/* Devices of `count` tiles that the dimensions distinguished are replicas now. */
static const hlo_sharding *regroup(hlo_arena *arena, const hlo_sharding *s, const hlo_ints *dims,
                                   int64_t count) {
    uint32_t data = hlo_tiled_rank(s), n = s->tile_dims->n, at = 0;
    int64_t *perm = hlo_arena_alloc(arena, n * sizeof *perm);
    hlo_ints *sizes = hlo_ints_new(arena, n + 1);
    for (uint32_t i = 0; i < data; i++)
        if (!hlo_ints_contain(dims, i)) perm[at++] = i;
    for (uint32_t i = 0; i < data; i++)
        if (hlo_ints_contain(dims, i)) perm[at++] = i;
    for (uint32_t i = 0; i < data; i++)
        sizes->v[i] = hlo_ints_contain(dims, i) ? 1 : s->tile_dims->v[i];
    sizes->v[data] = count;
    for (uint32_t i = data; i < n; i++) {
        perm[i] = i;
        sizes->v[i + 1] = s->tile_dims->v[i];
    }
    uint8_t *kinds = hlo_arena_alloc(arena, n - data + 1);
    kinds[0] = HLO_SHARDING_REPLICATED;
    for (uint32_t i = data; i < n; i++)
        kinds[i - data + 1] = s->replicate_last ? HLO_SHARDING_REPLICATED : s->last_kinds[i - data];
    hlo_tiles t = hlo_tiles_transposed(arena, hlo_tiles_of(s), perm);
    t = hlo_tiles_reshaped(arena, t, sizes->v, n + 1);
    return hlo_sharding_of_tiles(arena, t, kinds, n - data + 1, s);
}

const hlo_sharding *hlo_sharding_replicate(hlo_arena *arena, const hlo_sharding *s,
                                           const hlo_ints *dims) {
    if (s->kind != HLO_SHARDING_TILED) return s;
    int64_t count = 1;
    for (uint32_t i = 0; i < dims->n; i++) count *= hlo_tiles_along(s, dims->v[i]);
    if (count == 1) return s;
    if (count == hlo_tile_number(s) && !s->last_kind_count)
        return hlo_sharding_replicated(arena, s);
    return regroup(arena, s, dims, count);
}

const hlo_sharding *hlo_sharding_keep(hlo_arena *arena, const hlo_sharding *s,
                                      const hlo_ints *dims) {
    uint32_t rank = hlo_tiled_rank(s);
    hlo_ints *others = hlo_ints_new(arena, rank);
    others->n = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (!hlo_ints_contain(dims, i)) others->v[others->n++] = i;
    return hlo_sharding_replicate(arena, s, others);
}

static hlo_ints *ones(hlo_arena *arena, uint32_t n) {
    hlo_ints *dims = hlo_ints_new(arena, n);
    for (uint32_t i = 0; i < n; i++) dims->v[i] = 1;
    return dims;
}

const hlo_sharding *hlo_sharding_replicate_all(hlo_arena *arena, const hlo_sharding *s,
                                               uint32_t rank) {
    if (s->kind == HLO_SHARDING_MANUAL) return s;
    if (s->kind != HLO_SHARDING_TILED || !s->last_kind_count)
        return hlo_sharding_replicated(arena, s);
    const hlo_sharding *kept = hlo_sharding_keep(arena, s, hlo_ints_new(arena, 0));
    if (kept->kind != HLO_SHARDING_TILED || hlo_tiled_rank(kept) == rank) return kept;
    kept = hlo_sharding_with_dims(arena, kept, ones(arena, rank)->v, rank);
    return hlo_sharding_with_metadata(arena, kept, (hlo_metadata_list){0, NULL});
}

const hlo_sharding *hlo_sharding_remove_dims(hlo_arena *arena, const hlo_sharding *s,
                                             const hlo_ints *dims) {
    if (dims->n == 0 || s->kind != HLO_SHARDING_TILED) return s;
    hlo_ints *left = hlo_ints_new(arena, hlo_tiled_rank(s));
    left->n = 0;
    for (uint32_t i = 0; i < hlo_tiled_rank(s); i++)
        if (!hlo_ints_contain(dims, i)) left->v[left->n++] = s->tile_dims->v[i];
    return hlo_sharding_with_dims(arena, s, left->v, left->n);
}

const hlo_sharding *hlo_sharding_along(hlo_arena *arena, const hlo_sharding *s,
                                       const hlo_ints *source, const hlo_ints *target,
                                       uint32_t target_rank) {
    s = hlo_sharding_keep(arena, s, source);
    if (s->kind != HLO_SHARDING_TILED) return s;
    hlo_ints *from = hlo_ints_new(arena, target_rank);
    for (uint32_t i = 0; i < target_rank; i++) from->v[i] = -1;
    for (uint32_t i = 0; i < source->n; i++) from->v[target->v[i]] = source->v[i];
    return hlo_sharding_mapped(arena, s, from->v, target_rank);
}

const hlo_sharding *hlo_sharding_reversed(hlo_arena *arena, const hlo_sharding *s,
                                          const hlo_ints *dims) {
    if (s->kind != HLO_SHARDING_TILED || dims->n == 0) return s;
    hlo_tiles t = hlo_tiles_of(s);
    const hlo_ints *from = hlo_tiles_listed(arena, t);
    hlo_ints *to = hlo_ints_new(arena, from->n);
    for (uint32_t k = 0; k < from->n; k++) {
        int64_t rest = k, at = 0, stride = 1;
        for (uint32_t i = t.dims->n; i-- > 0;) {
            int64_t size = t.dims->v[i], index = rest % size;
            rest /= size;
            at += stride * (hlo_ints_contain(dims, i) ? size - 1 - index : index);
            stride *= size;
        }
        to->v[k] = from->v[at];
    }
    t.iota = NULL;
    t.devices = to;
    return hlo_sharding_retiled(arena, t, s);
}

bool hlo_has_shardings(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (hlo_instr_attr(i, HLO_ATTR_SHARDING)) return true;
    return false;
}

void hlo_name_for_device(hlo_computation *computation, const hlo_name *whole) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_bytes(&name, whole->ptr, whole->len);
    hlo_buf_lit(&name, HLO_SPMD_SUFFIX);
    computation->name =
        hlo_module_intern_copy(computation->module, (hlo_str){name.data, (uint32_t)name.len, 0});
    hlo_buf_free(&name);
}

bool hlo_is_device_program(const hlo_module *module) {
    if (module->spmd) return true;
    const hlo_name *name = module->entry->name;
    size_t n = name->len, tail = sizeof HLO_SPMD_SUFFIX - 1, digits = 0;
    while (n > digits && name->ptr[n - 1 - digits] >= '0' && name->ptr[n - 1 - digits] <= '9')
        digits++;
    /* Another computation had the name. */
    if (digits && n > digits && name->ptr[n - 1 - digits] == '.') n -= digits + 1;
    return n >= tail && memcmp(name->ptr + n - tail, HLO_SPMD_SUFFIX, tail) == 0;
}
