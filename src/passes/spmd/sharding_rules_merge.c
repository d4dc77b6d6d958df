/* Two shardings of one array, and the one that splits the array as both do: by the order that both
 * have when replicas are distinguished, or device by device. */
#include <stdlib.h>

#include "passes/spmd/sharding_rules.h"

/* ---- merging ---- */

/* One of the two, and how its dimensions become those of the merged tiles: those that it has, and
 * those into which its replicas are split. */
typedef struct {
    const hlo_sharding *sharding;
    hlo_ints *old, *added;       /* sizes */
    hlo_ints *perm, *added_dims; /* by merged dimension: of the reshaped tiles; which are added */
    int64_t groups;
} merge_side;

typedef struct {
    hlo_arena *arena;
    merge_side from, to;
    hlo_ints *dims; /* merged */
    int64_t replicas, devices;
} merging;

/* More are tried as XLA does by listing devices, not by going through all orders. */
enum { MOST_ADDED = 8 };

static void append(hlo_ints *list, int64_t value) {
    list->v[list->n++] = value;
}

static void start_side(merging *m, merge_side *side, const hlo_sharding *s, uint32_t most) {
    side->sharding = s;
    side->old = hlo_empty_ints(m->arena, most);
    side->added = hlo_empty_ints(m->arena, most);
    side->added_dims = hlo_empty_ints(m->arena, most);
    side->perm = hlo_ints_new(m->arena, most);
    side->groups = 1;
}

static void keep_dim(merge_side *side, uint32_t i, int64_t size) {
    HLO_ASSERT(i < side->perm->n);
    side->perm->v[i] = side->old->n;
    append(side->old, size);
}

static void add_dim(merge_side *side, uint32_t i, int64_t size) {
    append(side->added, size);
    append(side->added_dims, i);
}

/* Each dimension is split by one of them, or by both alike. */
static bool merge_dims(merging *m) {
    const hlo_sharding *a = m->from.sharding, *b = m->to.sharding;
    for (uint32_t i = 0; i < hlo_tiled_rank(a); i++) {
        int64_t x = a->tile_dims->v[i], y = b->tile_dims->v[i];
        if (x != y && x != 1 && y != 1) return false;
        m->from.groups *= x;
        m->to.groups *= y;
        append(m->dims, x > y ? x : y);
        if (x == y || y == 1) keep_dim(&m->from, i, x);
        else add_dim(&m->from, i, y);
        if (x == y || x == 1) keep_dim(&m->to, i, y);
        else add_dim(&m->to, i, x);
    }
    return true;
}

/* Manual subgroups must be there in both or in neither, and of one size. */
static bool merge_subgroups(merging *m, int64_t tiles) {
    const hlo_sharding *a = m->from.sharding, *b = m->to.sharding;
    int manual = hlo_subgroup_dimension(a, HLO_SHARDING_MANUAL);
    int64_t size = 1;
    if (manual >= 0) {
        size = a->tile_dims->v[manual];
        if (size != b->tile_dims->v[hlo_subgroup_dimension(b, HLO_SHARDING_MANUAL)]) return false;
        keep_dim(&m->from, hlo_tiled_rank(a), size);
        keep_dim(&m->to, hlo_tiled_rank(a), size);
        append(m->dims, size);
        m->from.groups *= size;
        m->to.groups *= size;
    }
    if (m->devices % (tiles * size) != 0) return false;
    m->replicas = m->devices / (tiles * size);
    if (m->replicas > 1) append(m->dims, m->replicas);
    return true;
}

/* ---- the same order of devices, reshaped ---- */

/* The next order of the numbers, in lexicographic order; false after the last one. */
static bool next_order(int64_t *v, uint32_t n) {
    if (n < 2) return false;
    uint32_t i = n - 1, k = n - 1;
    while (i > 0 && v[i - 1] >= v[i]) i--;
    if (i == 0) return false;
    while (v[k] <= v[i - 1]) k--;
    int64_t swapped = v[i - 1];
    v[i - 1] = v[k];
    v[k] = swapped;
    for (uint32_t a = i, b = n - 1; a < b; a++, b--) {
        swapped = v[a];
        v[a] = v[b];
        v[b] = swapped;
    }
    return true;
}

typedef HLO_LIST(hlo_tiles) tiles_list; /* in the arena */

/* The side's tiles with its replicas split in the given order of the added dimensions. */
static hlo_tiles tell_apart(const merging *m, const merge_side *side, const hlo_ints *order) {
    uint32_t kept = side->old->n, n = kept + order->n;
    hlo_ints *dims = hlo_ints_new(m->arena, n);
    hlo_ints *perm = hlo_ints_from(m->arena, side->perm->v, n);
    memcpy(dims->v, side->old->v, kept * sizeof *dims->v);
    for (uint32_t k = 0; k < order->n; k++) {
        dims->v[kept + k] = side->added->v[order->v[k]];
        perm->v[side->added_dims->v[order->v[k]]] = kept + k;
    }
    hlo_tiles t = hlo_tiles_of(side->sharding);
    return hlo_tiles_transposed(m->arena, hlo_tiles_reshaped(m->arena, t, dims->v, n), perm->v);
}

static void list_orders(const merging *m, merge_side *side, tiles_list *out) {
    const hlo_sharding *s = side->sharding;
    int replicas = hlo_subgroup_dimension(s, HLO_SHARDING_REPLICATED);
    if (replicas < 0 || s->tile_dims->v[replicas] == m->replicas) {
        hlo_list_push_in(m->arena, out, hlo_tiles_of(s));
        return;
    }
    if (m->replicas > 1) add_dim(side, m->dims->n - 1, m->replicas);
    hlo_ints *order = hlo_ints_new(m->arena, side->added->n);
    for (uint32_t i = 0; i < order->n; i++) order->v[i] = i;
    if (order->n > MOST_ADDED) return;
    do hlo_list_push_in(m->arena, out, tell_apart(m, side, order));
    while (next_order(order->v, order->n));
}

/* An order that both have, as an iota where one of them has it so. */
static bool find_common_order(merging *m, hlo_tiles *found) {
    tiles_list from = {0}, to = {0};
    bool any = false;
    list_orders(m, &m->from, &from);
    list_orders(m, &m->to, &to);
    for (uint32_t i = 0; i < to.n; i++)
        for (uint32_t k = 0; k < from.n; k++) {
            if (!hlo_tiles_equal(to.v[i], from.v[k])) continue;
            *found = to.v[i].iota ? to.v[i] : from.v[k];
            any = true;
        }
    return any;
}

/* ---- devices one by one ---- */

/* A device and the groups of replicas in which it is on both sides. */
typedef struct {
    int64_t from, to, device;
} member;

static int by_device(const void *a, const void *b) {
    const member *x = a, *y = b;
    return (x->device > y->device) - (x->device < y->device);
}

static int by_groups(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return by_device(a, b);
}

/* Devices of one side with their groups, by device. */
static member *list_members(const merging *m, const merge_side *side) {
    const hlo_ints *devices = hlo_tiles_listed(m->arena, hlo_tiles_of(side->sharding));
    member *list = HLO_NEW_ARRAY(m->arena, member, devices->n);
    int64_t size = devices->n / side->groups;
    for (uint32_t i = 0; i < devices->n; i++) list[i] = (member){i / size, i / size, devices->v[i]};
    qsort(list, devices->n, sizeof *list, by_device);
    return list;
}

/* Devices that are on both sides, by their groups; returns how many. */
static uint32_t join_members(const merging *m, member *out) {
    member *a = list_members(m, &m->from), *b = list_members(m, &m->to);
    uint32_t x = 0, y = 0, n = 0, count = (uint32_t)m->devices;
    while (x < count && y < count) {
        int64_t device = a[x].device, other = b[y].device;
        if (device == other) out[n++] = (member){a[x].from, b[y].to, device};
        x += device <= other;
        y += other <= device;
    }
    qsort(out, n, sizeof *out, by_groups);
    return n;
}

/* The group of one side in which a merged tile lies. */
static int64_t group_of(const merging *m, const merge_side *side, const int64_t *index) {
    const hlo_sharding *s = side->sharding;
    uint32_t rank = hlo_tiled_rank(s);
    int manual = hlo_subgroup_dimension(s, HLO_SHARDING_MANUAL);
    int64_t group = 0;
    for (uint32_t i = 0; i < rank; i++)
        group = group * s->tile_dims->v[i] + (s->tile_dims->v[i] == 1 ? 0 : index[i]);
    if (manual >= 0) group = group * m->dims->v[rank] + index[rank];
    return group;
}

/* The first of the members of both groups; n when there is none. */
static uint32_t first_member(const member *list, uint32_t n, member wanted) {
    uint32_t low = 0, high = n;
    wanted.device = INT64_MIN;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_groups(&list[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Each tile takes the least device that is left in both of its groups. Replicas of one tile follow
 * each other, so those taken are the first. */
static bool assign_devices(merging *m, hlo_tiles *found) {
    member *list = HLO_NEW_ARRAY(m->arena, member, m->devices);
    uint32_t n = join_members(m, list), rank = m->dims->n;
    hlo_ints *out = hlo_ints_new(m->arena, (uint32_t)m->devices);
    int64_t *index = HLO_NEW_ARRAY(m->arena, int64_t, rank);
    uint32_t *taken = HLO_NEW_ARRAY(m->arena, uint32_t, m->devices);
    for (uint32_t i = 0; i < out->n; i++) {
        member wanted = {group_of(m, &m->from, index), group_of(m, &m->to, index), 0};
        uint32_t first = first_member(list, n, wanted);
        if (first == n) return false;
        uint32_t at = first + taken[first]++;
        if (at >= n || list[at].from != wanted.from || list[at].to != wanted.to) return false;
        out->v[i] = list[at].device;
        for (uint32_t d = rank; d-- > 0;) {
            if (++index[d] < m->dims->v[d]) break;
            index[d] = 0;
        }
    }
    *found = (hlo_tiles){m->dims, out, NULL};
    return true;
}

/* ---- results ---- */

static bool same_metadata(const hlo_metadata *a, const hlo_metadata *b) {
    hlo_metadata_list x = {1, &a}, y = {1, &b};
    hlo_sharding s = {.kind = HLO_SHARDING_REPLICATED, .has_metadata = true, .metadata = x};
    hlo_sharding t = {.kind = HLO_SHARDING_REPLICATED, .has_metadata = true, .metadata = y};
    hlo_attr one = {.id = HLO_ATTR_SHARDING, .u.sharding = &s};
    hlo_attr other = {.id = HLO_ATTR_SHARDING, .u.sharding = &t};
    return a == b || hlo_attr_equal(&one, &other);
}

static bool is_listed(const hlo_metadata_list *list, const hlo_metadata *metadata) {
    for (uint32_t i = 0; i < list->n; i++)
        if (same_metadata(list->v[i], metadata)) return true;
    return false;
}

static hlo_metadata_list join_metadata(hlo_arena *arena, const hlo_sharding *to,
                                       const hlo_sharding *from) {
    uint32_t n = to->metadata.n;
    const hlo_metadata **v = hlo_arena_alloc(arena, (n + from->metadata.n) * sizeof *v);
    for (uint32_t i = 0; i < n; i++) v[i] = to->metadata.v[i];
    for (uint32_t i = 0; i < from->metadata.n; i++)
        if (!is_listed(&to->metadata, from->metadata.v[i])) v[n++] = from->metadata.v[i];
    return (hlo_metadata_list){n, v};
}

static const hlo_sharding *merged(const merging *m, hlo_tiles tiles) {
    uint8_t kinds[2];
    uint32_t n = 0;
    if (hlo_sharding_has_subgroup(m->from.sharding, HLO_SHARDING_MANUAL))
        kinds[n++] = HLO_SHARDING_MANUAL;
    if (m->replicas > 1) kinds[n++] = HLO_SHARDING_REPLICATED;
    const hlo_sharding *s = hlo_sharding_of_tiles(m->arena, tiles, kinds, n, NULL);
    return hlo_sharding_with_metadata(m->arena, s,
                                      join_metadata(m->arena, m->to.sharding, m->from.sharding));
}

/* Tiled shardings of which the second one has replicas. */
static bool merge_tiled(hlo_arena *arena, const hlo_sharding *from, int64_t least,
                        const hlo_sharding **dst) {
    const hlo_sharding *to = *dst;
    if (!hlo_sharding_has_replicas(to) || hlo_tiled_rank(to) != hlo_tiled_rank(from) ||
        hlo_sharding_has_subgroup(to, HLO_SHARDING_MANUAL) !=
            hlo_sharding_has_subgroup(from, HLO_SHARDING_MANUAL))
        return false;
    merging m = {.arena = arena, .devices = hlo_tiles_count(hlo_tiles_of(from))};
    uint32_t most = to->tile_dims->n + from->tile_dims->n + 2;
    start_side(&m, &m.from, from, most);
    start_side(&m, &m.to, to, most);
    m.dims = hlo_empty_ints(arena, most);
    if (m.devices != hlo_tiles_count(hlo_tiles_of(to)) || !merge_dims(&m)) return false;
    int64_t tiles = 1;
    for (uint32_t i = 0; i < m.dims->n; i++) tiles *= m.dims->v[i];
    if (m.devices % tiles != 0 || tiles < least || !merge_subgroups(&m, tiles)) return false;
    hlo_tiles found;
    if (!find_common_order(&m, &found) && !assign_devices(&m, &found)) return false;
    *dst = merged(&m, found);
    return true;
}

bool hlo_sharding_merge_least(hlo_arena *arena, const hlo_sharding *from, int64_t least,
                              const hlo_sharding **dst) {
    if (from->kind == HLO_SHARDING_MANUAL || (*dst)->kind == HLO_SHARDING_MANUAL) return false;
    if (hlo_sharding_is_whole(from)) return false;
    if (hlo_sharding_is_whole(*dst)) {
        *dst = from;
        return true;
    }
    if (from->kind != HLO_SHARDING_TILED || (*dst)->kind != HLO_SHARDING_TILED) return false;
    return merge_tiled(arena, from, least, dst);
}

bool hlo_sharding_merge(hlo_arena *arena, const hlo_sharding *from, const hlo_sharding **dst) {
    return hlo_sharding_merge_least(arena, from, hlo_tile_number(*dst) + 1, dst);
}
