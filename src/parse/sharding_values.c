/* Shardings, meshes and replica groups as the grammar reads them; what they mean is decided by the
 * canonical forms of ir/sharding.h. */
#include "base/text.h"
#include "parse/attribute_values.h"
#include "parse/suggest.h"

static bool key_is(const hlo_name *key, const char *text) {
    return hlo_str_is((hlo_str){key->ptr, key->len, 0}, text);
}

static void refuse(hlo_parser *p, hlo_span at, const char *why) {
    hlo_parse_error(p, HLO_RULE_SHARDING, at, "%s", why);
    hlo_note_instruction(p);
}

static void want_key(hlo_parser *p, const hlo_name *key, hlo_span at, const char *wanted) {
    if (!key_is(key, wanted))
        hlo_parse_error(p, HLO_RULE_SHARDING, at, "expected %s= here, found '%.*s='", wanted,
                        (int)(key->len > 80 ? 80 : key->len), key->ptr);
}

/* ---- one sharding ---- */

hlo_sharding *hlo_new_sharding(hlo_parser *p) {
    hlo_sharding *sharding = HLO_NEW(p->arena, hlo_sharding);
    sharding->kind = HLO_SHARDING_TILED;
    return sharding;
}

void hlo_start_sharding(hlo_parser *p) {
    p->value.sharding = hlo_new_sharding(p);
    p->value.sharding_rank = UINT32_MAX;
}

/* Of several words the first in this order decides. */
void hlo_sharding_kind_part(hlo_parser *p, int kind, hlo_span at) {
    static const hlo_sharding_kind order[] = {HLO_SHARDING_REPLICATED, HLO_SHARDING_MAXIMAL,
                                              HLO_SHARDING_MANUAL, HLO_SHARDING_UNKNOWN,
                                              HLO_SHARDING_UNREDUCED};
    (void)at;
    for (uint32_t i = 0; i < sizeof order / sizeof *order && i < p->value.sharding_rank; i++) {
        if (order[i] != (hlo_sharding_kind)kind) continue;
        p->value.sharding_rank = i;
        p->value.sharding->kind = order[i];
    }
}

void hlo_sharding_device(hlo_parser *p, hlo_name *key, hlo_span at, int64_t device,
                         hlo_span value_at) {
    (void)value_at;
    want_key(p, key, at, "device");
    p->value.sharding->devices = hlo_ints_from(p->arena, &device, 1);
}

void hlo_sharding_devices(hlo_parser *p, hlo_name *key, hlo_span key_at, uint32_t dims_base,
                          uint32_t devices_base, const hlo_iota_list *iota, hlo_span at) {
    want_key(p, key, key_at, "devices");
    if (iota && hlo_reported_since(p, at.lo))
        hlo_note(p->diags, p->source, at, "in this list of devices");
    if (iota) p->value.sharding->iota = iota;
    else p->value.sharding->devices = hlo_take_ints(p, devices_base);
    p->value.sharding->tile_dims = hlo_take_ints(p, dims_base);
}

void hlo_sharding_last_dims(hlo_parser *p, hlo_name *key, hlo_span at, uint32_t base) {
    uint32_t n = p->stacks.ints.n - base;
    uint8_t *kinds = hlo_arena_alloc(p->arena, n);
    for (uint32_t i = 0; i < n; i++) {
        kinds[i] = (uint8_t)p->stacks.ints.v[base + i];
        if (kinds[i] == HLO_SHARDING_UNKNOWN)
            refuse(p, at, "the last dimensions cannot be unknown");
    }
    want_key(p, key, at, "last_tile_dims");
    p->value.sharding->last_kind_count = n;
    p->value.sharding->last_kinds = kinds;
    p->stacks.ints.n = base;
}

/* Of both kinds `shard_as` wins, of several numbers the last. */
void hlo_sharding_group(hlo_parser *p, int kind, int64_t group) {
    if (p->value.sharding->group_kind != HLO_SHARD_AS)
        p->value.sharding->group_kind = kind == HLO_SHARD_AS ? HLO_SHARD_AS : HLO_SHARD_LIKE;
    p->value.sharding->group = group;
}

/* Given twice, the lists follow each other. */
void hlo_sharding_metadata(hlo_parser *p, const hlo_metadata_list *metadata) {
    hlo_metadata_list *all = &p->value.sharding->metadata;
    const hlo_metadata **v = hlo_arena_alloc(p->arena, (all->n + metadata->n) * sizeof *v);
    if (all->n) memcpy(v, all->v, all->n * sizeof *v);
    if (metadata->n) memcpy(v + all->n, metadata->v, metadata->n * sizeof *v);
    *all = (hlo_metadata_list){all->n + metadata->n, v};
    p->value.sharding->has_metadata = true;
}

/* NULL after reporting. Canonical values are never changed, so the cast gives nothing away. */
hlo_sharding *hlo_canonical_sharding(hlo_parser *p, hlo_sharding *read, hlo_span at) {
    const char *why = "this sharding is not possible";
    if (hlo_reported_since(p, at.lo)) return NULL;
    if (read && read->kind == HLO_SHARDING_MAXIMAL && !read->devices) {
        refuse(p, at, "a maximal sharding names exactly one device");
        return NULL;
    }
    const hlo_sharding *sharding = read ? hlo_sharding_canonical(p->arena, read, &why) : NULL;
    if (read && !sharding) refuse(p, at, why);
    return (hlo_sharding *)(uintptr_t)sharding;
}

hlo_sharding *hlo_tuple_sharding(hlo_parser *p, uint32_t base) {
    hlo_sharding *tuple = hlo_new_sharding(p);
    tuple->kind = HLO_SHARDING_TUPLE;
    tuple->n = p->stacks.pointers.n - base;
    bool whole = true;
    for (uint32_t i = base; i < p->stacks.pointers.n; i++) whole &= p->stacks.pointers.v[i] != NULL;
    tuple->elements =
        hlo_arena_copy(p->arena, p->stacks.pointers.v + base, tuple->n * sizeof *tuple->elements);
    p->stacks.pointers.n = base;
    return whole ? tuple : NULL;
}

/* The place of number `n` of a list whose numbers stand at `at`. */
static hlo_span number_at(const hlo_parser *p, hlo_span at, uint32_t n) {
    const char *from = p->scan.begin + at.lo, *limit = p->scan.begin + at.hi;
    while (n && from < limit) n -= *from++ == ',';
    while (hlo_is_blank(*from)) from++;
    const char *to = from;
    while (to < limit && *to != ',') to++;
    return hlo_span_of(p, from, to);
}

/* A transposition that names a dimension that is not there, or one twice, is refused at that
 * number. */
static bool check_transposition(hlo_parser *p, const hlo_ints *perm, hlo_span at) {
    bool *seen = hlo_arena_zero(p->arena, perm->n);
    for (uint32_t i = 0; i < perm->n; i++) {
        bool good = perm->v[i] >= 0 && perm->v[i] < perm->n && !seen[perm->v[i]];
        if (good) seen[perm->v[i]] = true;
        if (good) continue;
        hlo_span number = number_at(p, at, i);
        hlo_parse_error(p, HLO_RULE_SHARDING, number, "T(...) names each of 0 to %u once",
                        perm->n - 1);
        hlo_note_after(p, number.hi);
        return false;
    }
    return true;
}

/* After an error the order is as if there were no transposition. */
const hlo_iota_list *hlo_iota(hlo_parser *p, uint32_t dims_base, uint32_t perm_base, hlo_span at,
                              hlo_span perm_at) {
    bool transposed = perm_base != UINT32_MAX;
    const hlo_ints *perm = transposed ? hlo_take_ints(p, perm_base) : NULL;
    const hlo_ints *dims = hlo_take_ints(p, dims_base);
    hlo_ints *identity = hlo_ints_new(p->arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) identity->v[i] = i;
    hlo_span after = {at.hi, at.hi + 1};
    bool good = false;
    if (!transposed && dims->n > 1)
        refuse(p, after, "several dimensions require T(...) after them");
    else if (transposed && dims->n == 1) refuse(p, at, "one dimension has no transposition");
    else if (perm && perm->n != dims->n) refuse(p, at, "T(...) must name each dimension once");
    else good = !perm || check_transposition(p, perm, perm_at);
    const char *why = "this order of devices is not possible";
    const hlo_iota_list *canonical =
        good ? hlo_iota_canonical(p->arena, dims, perm ? perm : identity, &why) : NULL;
    if (canonical) return canonical;
    if (good) refuse(p, at, why);
    hlo_iota_list *list = HLO_NEW(p->arena, hlo_iota_list);
    *list = (hlo_iota_list){dims, identity};
    return list;
}

/* ---- meshes and the named form ---- */

hlo_mesh *hlo_new_mesh(hlo_parser *p) {
    p->value.mesh_axes = p->stacks.axes.n;
    return HLO_NEW(p->arena, hlo_mesh);
}

void hlo_add_mesh_axis(hlo_parser *p, const hlo_str *name, int64_t size) {
    hlo_mesh_axis axis = {*name, size};
    hlo_list_push(&p->stacks.axes, axis);
    hlo_mesh *mesh = p->value.mesh;
    mesh->n = p->stacks.axes.n - p->value.mesh_axes;
}

/* The axes lie on their stack until the mesh is complete. */
static void take_mesh_axes(hlo_parser *p, hlo_mesh *mesh) {
    if (mesh->axes || !mesh->n) return;
    uint32_t base = p->stacks.axes.n - mesh->n;
    mesh->axes = hlo_arena_copy(p->arena, p->stacks.axes.v + base, mesh->n * sizeof *mesh->axes);
    p->stacks.axes.n = base;
}

hlo_mesh *hlo_mesh_devices(hlo_parser *p, hlo_mesh *mesh, hlo_name *key, hlo_span at, uint32_t base,
                           const hlo_iota_list *iota) {
    want_key(p, key, at, "device_ids");
    if (iota) mesh->device_iota = iota;
    else mesh->device_ids = hlo_take_ints(p, base);
    return mesh;
}

static const hlo_mesh *canonical_mesh(hlo_parser *p, hlo_mesh *mesh, hlo_span at) {
    const char *why = "this mesh is not possible";
    take_mesh_axes(p, mesh);
    const hlo_mesh *canonical = hlo_mesh_canonical(p->arena, mesh, &why);
    if (!canonical) refuse(p, at, why);
    return canonical ? canonical : mesh;
}

void hlo_start_named(hlo_parser *p, hlo_mesh *mesh, hlo_span at) {
    hlo_start_sharding(p);
    p->value.sharding->kind = HLO_SHARDING_NAMED;
    p->value.sharding->mesh = canonical_mesh(p, mesh, at);
}

void hlo_start_maximal_mesh(hlo_parser *p, hlo_name *key, hlo_span at, int64_t device) {
    want_key(p, key, at, "device_id");
    hlo_mesh *mesh = HLO_NEW(p->arena, hlo_mesh);
    mesh->maximal = true;
    mesh->device_id = device;
    hlo_start_named(p, mesh, at);
}

void hlo_push_axis(hlo_parser *p, hlo_axis_ref axis) {
    hlo_list_push(&p->stacks.pointers, hlo_arena_copy(p->arena, &axis, sizeof axis));
}

hlo_axis_list hlo_take_axes(hlo_parser *p, uint32_t base) {
    uint32_t n = p->stacks.pointers.n - base;
    hlo_axis_ref *axes = hlo_arena_alloc(p->arena, n * sizeof *axes);
    for (uint32_t i = 0; i < n; i++)
        axes[i] = *(const hlo_axis_ref *)p->stacks.pointers.v[base + i];
    p->stacks.pointers.n = base;
    return (hlo_axis_list){n, axes};
}

void hlo_push_dim(hlo_parser *p, hlo_axis_list axes, bool open) {
    hlo_dim_sharding dim = {axes, open};
    hlo_list_push(&p->stacks.pointers, hlo_arena_copy(p->arena, &dim, sizeof dim));
}

void hlo_named_dims(hlo_parser *p, uint32_t base, hlo_span at) {
    p->value.dims_at = at;
    uint32_t n = p->stacks.pointers.n - base;
    hlo_dim_sharding *dims = hlo_arena_alloc(p->arena, n * sizeof *dims);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = *(const hlo_dim_sharding *)p->stacks.pointers.v[base + i];
    p->stacks.pointers.n = base;
    p->value.sharding->has_dims = true;
    p->value.sharding->dim_count = n;
    p->value.sharding->dims = dims;
}

void hlo_named_axes(hlo_parser *p, hlo_name *key, hlo_span at, hlo_axis_list axes) {
    if (key_is(key, "replicated")) p->value.sharding->replicated = axes;
    else if (key_is(key, "unreduced")) p->value.sharding->unreduced = axes;
    else if (key_is(key, "manual")) p->value.sharding->manual = axes;
    else {
        refuse(p, at, "expected replicated=, unreduced=, manual= or metadata= here");
        hlo_suggest_listed(p, key, "replicated, unreduced, manual, metadata");
        hlo_note(p->diags, p->source, p->value.dims_at, "after these dimensions");
    }
}

/* `unreduced=max`, how values are combined: before the axes, or for all of them. */
void hlo_unreduced_by(hlo_parser *p, hlo_name *key, hlo_span at, hlo_name *word, hlo_span word_at) {
    const hlo_word_info *how =
        hlo_word_find(HLO_WORDS_REDUCTION, (hlo_str){word->ptr, word->len, 0});
    want_key(p, key, at, "unreduced");
    if (how) p->value.sharding->reduction = how->number;
    else refuse(p, word_at, "expected sum, max or min here");
    if (!how) hlo_suggest_of_set(p, word, HLO_WORDS_REDUCTION);
}

void hlo_start_unreduced(hlo_parser *p, hlo_mesh *mesh, hlo_span at, hlo_name *key, hlo_span key_at,
                         hlo_name *word, hlo_span word_at) {
    hlo_start_named(p, mesh, at);
    p->value.sharding->named_word = true;
    p->value.sharding->word = HLO_SHARDING_UNREDUCED;
    hlo_unreduced_by(p, key, key_at, word, word_at);
}

void hlo_unreduced_axes(hlo_parser *p, hlo_axis_list axes, hlo_span at) {
    if (p->value.sharding->word != HLO_SHARDING_UNREDUCED)
        refuse(p, at, "only 'unreduced' has axes here");
    p->value.sharding->unreduced = axes;
}

/* ---- groups ---- */

static const hlo_groups *canonical_groups(hlo_parser *p, const hlo_groups *read, hlo_span at) {
    const char *why = "these replica groups are not possible";
    const hlo_groups *groups = hlo_groups_canonical(p->arena, read, &why);
    if (!groups && !hlo_reported_since(p, at.lo)) {
        hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, at, "%s", why);
        hlo_note_instruction(p);
    }
    return groups ? groups : read;
}

const hlo_groups *hlo_list_groups(hlo_parser *p, const hlo_int_lists *lists) {
    hlo_groups *groups = HLO_NEW(p->arena, hlo_groups);
    groups->form = HLO_GROUPS_LIST;
    groups->lists = lists;
    return groups;
}

const hlo_groups *hlo_iota_groups(hlo_parser *p, int64_t count, int64_t size,
                                  const hlo_iota_list *iota, hlo_span at) {
    hlo_groups *groups = HLO_NEW(p->arena, hlo_groups);
    groups->form = HLO_GROUPS_IOTA;
    groups->group_count = count;
    groups->group_size = size;
    groups->iota = iota;
    return canonical_groups(p, groups, at);
}

const hlo_groups *hlo_mesh_groups(hlo_parser *p, hlo_mesh *mesh, hlo_axis_list axes, hlo_span at) {
    hlo_groups *groups = HLO_NEW(p->arena, hlo_groups);
    groups->form = HLO_GROUPS_MESH;
    groups->mesh = canonical_mesh(p, mesh, at);
    groups->axes = axes;
    return canonical_groups(p, groups, at);
}
