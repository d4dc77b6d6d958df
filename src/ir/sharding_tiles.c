/* Tiles of shardings under other dimensions and in another order. */
#include "ir/sharding_parts.h"

int64_t hlo_tiles_count(hlo_tiles t) {
    return hlo_checked_product(t.dims->v, t.dims->n);
}

hlo_tiles hlo_tiles_in_order(hlo_arena *arena, const int64_t *dims, uint32_t n) {
    static const int64_t first = 0;
    int64_t count = hlo_checked_product(dims, n);
    return (hlo_tiles){hlo_ints_from(arena, dims, n), NULL,
                       hlo_iota_from(arena, &count, &first, 1)};
}

hlo_tiles hlo_tiles_reshaped(hlo_arena *arena, hlo_tiles t, const int64_t *dims, uint32_t n) {
    t.dims = hlo_ints_from(arena, dims, n);
    return t;
}

const hlo_ints *hlo_tiles_listed(hlo_arena *arena, hlo_tiles t) {
    HLO_ASSERT(!t.devices != !t.iota);
    return t.devices ? t.devices : hlo_iota_listed(arena, t.iota);
}

hlo_tiles hlo_tiles_transposed(hlo_arena *arena, hlo_tiles t, const int64_t *perm) {
    uint32_t n = t.dims->n;
    hlo_tiles out = {NULL, NULL, NULL};
    hlo_ints *dims = hlo_ints_new(arena, n);
    for (uint32_t i = 0; i < n; i++) dims->v[i] = t.dims->v[perm[i]];
    out.dims = dims;
    if (t.iota) out.iota = hlo_iota_transposed(arena, t.iota, t.dims->v, perm, n);
    if (out.iota) return out;
    const hlo_ints *listed = hlo_tiles_listed(arena, t);
    out.devices = hlo_listed_transposed(arena, listed->v, t.dims->v, perm, n);
    return out;
}
