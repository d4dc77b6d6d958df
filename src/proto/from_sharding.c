/* Shardings, meshes and replica groups from nodes; their canonical forms are made by src/ir, as for
 * text. */
#include "proto/from_values.h"

static hlo_arena *arena_of(hlo_reader *r) {
    return &r->module->arena;
}

/* Numbers of a field, or NULL when it has none. */
static const hlo_ints *ints_or_none(hlo_reader *r, const hlo_node *message,
                                    const hlo_proto_field *field) {
    return hlo_node_number_count(message, field) ? hlo_from_ints(r, message, field) : NULL;
}

/* ---- meshes ---- */

static const hlo_iota_list *read_iota(hlo_reader *r, const hlo_node *message,
                                      const hlo_proto_field *dims, const hlo_proto_field *perm) {
    hlo_iota_list *iota = HLO_NEW(arena_of(r), hlo_iota_list);
    iota->dims = hlo_from_ints(r, message, dims);
    iota->perm = hlo_from_ints(r, message, perm);
    if (iota->dims->n == iota->perm->n) return iota;
    hlo_node_bad(r, message, HLO_RULE_SHARDING, "%s and %s differ in length, %u and %u",
                 dims->json_name, perm->json_name, iota->dims->n, iota->perm->n);
    return NULL;
}

static hlo_mesh *read_mesh(hlo_reader *r, const hlo_node *node) {
    const hlo_proto_field *axes = HLO_F(MeshProto, axes);
    hlo_mesh *mesh = HLO_NEW(arena_of(r), hlo_mesh);
    mesh->n = hlo_node_count(node, axes);
    hlo_mesh_axis *list = HLO_NEW_ARRAY(arena_of(r), hlo_mesh_axis, mesh->n);
    mesh->axes = list;
    for (const hlo_node *axis = hlo_node_get(node, axes); axis; axis = axis->next, list++) {
        list->name = hlo_reader_keep(r, hlo_node_text(axis, HLO_F(MeshProto_MeshAxis, name)));
        list->size = hlo_node_int(axis, HLO_F(MeshProto_MeshAxis, size));
    }
    const hlo_ints *ids = ints_or_none(r, node, HLO_F(MeshProto, device_ids));
    mesh->maximal = ids && mesh->n == 0;
    if (mesh->maximal) {
        mesh->device_id = ids->v[0];
        if (ids->n == 1) return mesh;
        hlo_node_bad(r, node, HLO_RULE_SHARDING, "a mesh without axes has at most one device");
        return NULL;
    }
    mesh->device_ids = ids;
    const hlo_node *iota = hlo_node_get(node, HLO_F(MeshProto, iota_transform));
    if (!iota) return mesh;
    mesh->device_iota = read_iota(r, iota, HLO_F(MeshProto_IotaTransform, reshape_dims),
                                  HLO_F(MeshProto_IotaTransform, transpose_perm));
    return mesh->device_iota ? mesh : NULL;
}

static bool read_axes(hlo_reader *r, const hlo_node *message, const hlo_proto_field *field,
                      const hlo_mesh *mesh, hlo_axis_list *out) {
    hlo_axis_ref *refs = HLO_NEW_ARRAY(arena_of(r), hlo_axis_ref, hlo_node_count(message, field));
    *out = (hlo_axis_list){hlo_node_count(message, field), refs};
    for (const hlo_node *axis = hlo_node_get(message, field); axis; axis = axis->next, refs++) {
        int64_t number = hlo_node_int(axis, HLO_F(AxisRefProto, mesh_axis_index));
        if (number < 0 || number >= mesh->n)
            return hlo_node_bad(r, axis, HLO_RULE_SHARDING, "the mesh has no axis %lld",
                                (long long)number);
        refs->name = mesh->axes[number].name;
        const hlo_node *part = hlo_node_get(axis, HLO_F(AxisRefProto, sub_axis_info));
        if (!part) continue;
        refs->is_sub_axis = true;
        refs->pre_size = hlo_node_int(part, HLO_F(AxisRefProto_SubAxis, pre_size));
        refs->size = hlo_node_int(part, HLO_F(AxisRefProto_SubAxis, size));
    }
    return true;
}

/* ---- shardings ---- */

static void read_metadata(hlo_reader *r, const hlo_node *message, const hlo_proto_field *field,
                          hlo_sharding *s) {
    uint32_t n = hlo_node_count(message, field), kept = 0;
    const hlo_metadata **list = HLO_NEW_ARRAY(arena_of(r), const hlo_metadata *, n);
    for (const hlo_node *m = hlo_node_get(message, field); m; m = m->next) {
        /* XLA's encoding of how unreduced values are combined; a sum has none. */
        bool reduction =
            hlo_str_is(hlo_node_text(m, HLO_F(OpMetadata, op_type)), "sdy::reduction_op");
        if (!reduction) list[kept++] = hlo_from_metadata(r, m);
    }
    s->has_metadata = kept != 0;
    s->metadata = (hlo_metadata_list){kept, list};
}

static bool read_named(hlo_reader *r, const hlo_node *node, hlo_sharding *s) {
    const hlo_proto_field *field = HLO_F(NamedShardingProto, dim_shardings);
    const hlo_node *mesh = hlo_node_get(node, HLO_F(NamedShardingProto, mesh));
    s->kind = HLO_SHARDING_NAMED;
    if (!mesh) s->mesh = HLO_NEW(arena_of(r), hlo_mesh);
    else if (!(s->mesh = read_mesh(r, mesh))) return false;
    s->has_dims = !s->mesh->maximal;
    s->dim_count = hlo_node_count(node, field);
    hlo_dim_sharding *dims = HLO_NEW_ARRAY(arena_of(r), hlo_dim_sharding, s->dim_count);
    s->dims = dims;
    for (const hlo_node *d = hlo_node_get(node, field); d; d = d->next, dims++) {
        dims->open = !hlo_node_int(d, HLO_F(NamedShardingProto_DimensionSharding, is_closed));
        if (!read_axes(r, d, HLO_F(NamedShardingProto_DimensionSharding, axes), s->mesh,
                       &dims->axes))
            return false;
    }
    read_metadata(r, node, HLO_F(NamedShardingProto, metadata), s);
    int64_t reduction = hlo_node_int(node, HLO_F(NamedShardingProto, reduction_op));
    s->reduction = hlo_word_text(HLO_WORDS_REDUCTION, reduction) ? reduction : 0;
    return read_axes(r, node, HLO_F(NamedShardingProto, replicated_axes), s->mesh,
                     &s->replicated) &&
           read_axes(r, node, HLO_F(NamedShardingProto, unreduced_axes), s->mesh, &s->unreduced) &&
           read_axes(r, node, HLO_F(NamedShardingProto, manual_axes), s->mesh, &s->manual);
}

/* hlo_sharding_kind by OpSharding.Type. */
static const uint8_t kinds[] = {HLO_SHARDING_REPLICATED, HLO_SHARDING_MAXIMAL, HLO_SHARDING_TUPLE,
                                HLO_SHARDING_TILED,      HLO_SHARDING_MANUAL,  HLO_SHARDING_UNKNOWN,
                                HLO_SHARDING_UNREDUCED};

static bool read_kind(hlo_reader *r, const hlo_node *node, int64_t number, uint8_t *kind) {
    if (number < 0 || number >= (int64_t)sizeof kinds)
        return hlo_node_bad(r, node, HLO_RULE_SHARDING, "%lld is not a type of sharding",
                            (long long)number);
    *kind = kinds[number];
    return true;
}

static bool read_last_kinds(hlo_reader *r, const hlo_node *node, hlo_sharding *s) {
    const hlo_proto_field *field = HLO_F(OpSharding, last_tile_dims);
    s->last_kind_count = (uint32_t)hlo_node_number_count(node, field);
    uint8_t *last = hlo_arena_alloc(arena_of(r), s->last_kind_count);
    s->last_kinds = last;
    for (uint32_t i = 0; i < s->last_kind_count; i++) {
        int64_t number = hlo_node_number(node, field, i);
        if (!read_kind(r, node, number, &last[i])) return false;
        if (last[i] != HLO_SHARDING_TUPLE && last[i] != HLO_SHARDING_TILED &&
            last[i] != HLO_SHARDING_UNKNOWN)
            continue;
        return hlo_node_bad(r, hlo_node_get(node, field), HLO_RULE_SHARDING,
                            "%lld is not a kind of subgroup", (long long)number);
    }
    return true;
}

/* XLA takes tiles on a single device for replication. */
static bool is_one_device(const hlo_sharding *s) {
    if (s->devices) return s->devices->n == 1;
    for (uint32_t i = 0; s->iota && i < s->iota->dims->n; i++)
        if (s->iota->dims->v[i] != 1) return false;
    return s->iota != NULL;
}

static bool read_tiles(hlo_reader *r, const hlo_node *node, hlo_sharding *s) {
    s->tile_dims = hlo_from_ints(r, node, HLO_F(OpSharding, tile_assignment_dimensions));
    s->devices = ints_or_none(r, node, HLO_F(OpSharding, tile_assignment_devices));
    if (hlo_node_number_count(node, HLO_F(OpSharding, iota_reshape_dims))) {
        s->iota = read_iota(r, node, HLO_F(OpSharding, iota_reshape_dims),
                            HLO_F(OpSharding, iota_transpose_perm));
        if (!s->iota) return false;
    }
    s->replicate_last = hlo_node_int(node, HLO_F(OpSharding, replicate_on_last_tile_dim)) != 0;
    if (!read_last_kinds(r, node, s)) return false;
    if (s->kind == HLO_SHARDING_TILED && is_one_device(s)) {
        hlo_sharding plain = {.kind = HLO_SHARDING_REPLICATED};
        *s = plain;
    } else if (s->kind != HLO_SHARDING_TILED && s->kind != HLO_SHARDING_MAXIMAL) {
        s->devices = NULL; /* these types need none */
    }
    return true;
}

static bool read_tuple(hlo_reader *r, const hlo_node *node, hlo_sharding *s) {
    const hlo_proto_field *field = HLO_F(OpSharding, tuple_shardings);
    s->n = hlo_node_count(node, field);
    const hlo_sharding **elements = HLO_NEW_ARRAY(arena_of(r), const hlo_sharding *, s->n);
    s->elements = elements;
    for (const hlo_node *e = hlo_node_get(node, field); e; e = e->next)
        if (!(*elements++ = hlo_from_sharding(r, e))) return false;
    return true;
}

static bool read_members(hlo_reader *r, const hlo_node *node, hlo_sharding *s) {
    uint8_t kind = 0;
    if (!read_kind(r, node, hlo_node_int(node, HLO_F(OpSharding, type)), &kind)) return false;
    s->kind = (hlo_sharding_kind)kind;
    if (s->kind == HLO_SHARDING_TUPLE) return read_tuple(r, node, s);
    if (!read_tiles(r, node, s)) return false;
    read_metadata(r, node, HLO_F(OpSharding, metadata), s);
    if (!hlo_node_int(node, HLO_F(OpSharding, is_shard_group))) return true;
    bool like = hlo_node_int(node, HLO_F(OpSharding, shard_group_type)) != 0;
    s->group_kind = like ? HLO_SHARD_LIKE : HLO_SHARD_AS;
    s->group = hlo_node_int(node, HLO_F(OpSharding, shard_group_id));
    return true;
}

const hlo_sharding *hlo_from_sharding(hlo_reader *r, const hlo_node *node) {
    hlo_sharding *read = HLO_NEW(arena_of(r), hlo_sharding);
    const hlo_node *named = hlo_node_get(node, HLO_F(OpSharding, named_sharding));
    if (!(named ? read_named(r, named, read) : read_members(r, node, read))) return NULL;
    /* The elements of a tuple are canonical already, and that is not done twice. */
    if (read->kind == HLO_SHARDING_TUPLE) {
        for (uint32_t i = 0; i < read->n; i++) {
            if (read->elements[i]->kind != HLO_SHARDING_TUPLE) continue;
            hlo_node_bad(r, node, HLO_RULE_SHARDING,
                         "a tuple of shardings is flat: one for each leaf");
            return NULL;
        }
        return read;
    }
    const char *why = NULL;
    const hlo_sharding *s = hlo_sharding_canonical(arena_of(r), read, &why);
    if (!s) hlo_node_bad(r, node, HLO_RULE_SHARDING, "%s", why);
    return s;
}

/* ---- replica groups ---- */

static void read_lists(hlo_reader *r, const hlo_node *message, const hlo_proto_field *field,
                       hlo_groups *groups) {
    uint32_t n = hlo_node_count(message, field), i = 0;
    hlo_int_lists *lists = hlo_arena_alloc(arena_of(r), sizeof *lists + n * sizeof lists->v[0]);
    lists->n = n;
    for (const hlo_node *group = hlo_node_get(message, field); group; group = group->next)
        lists->v[i++] = hlo_from_ints(r, group, HLO_F(ReplicaGroup, replica_ids));
    groups->form = HLO_GROUPS_LIST;
    groups->lists = lists;
}

static bool read_iota_groups(hlo_reader *r, const hlo_node *node, hlo_groups *groups) {
    groups->form = HLO_GROUPS_IOTA;
    groups->group_count = hlo_node_int(node, HLO_F(IotaReplicaGroupListProto, num_replica_groups));
    groups->group_size =
        hlo_node_int(node, HLO_F(IotaReplicaGroupListProto, num_devices_per_group));
    groups->iota = read_iota(r, node, HLO_F(IotaReplicaGroupListProto, iota_reshape_dims),
                             HLO_F(IotaReplicaGroupListProto, iota_transpose_perm));
    return groups->iota != NULL;
}

static bool read_mesh_groups(hlo_reader *r, const hlo_node *node, hlo_groups *groups) {
    const hlo_node *mesh = hlo_node_get(node, HLO_F(MeshAxesReplicaGroupListProto, mesh));
    groups->form = HLO_GROUPS_MESH;
    if (!mesh) return hlo_node_bad(r, node, HLO_RULE_SHARDING, "the mesh is missing");
    if (!(groups->mesh = read_mesh(r, mesh))) return false;
    return read_axes(r, node, HLO_F(MeshAxesReplicaGroupListProto, axes), groups->mesh,
                     &groups->axes);
}

const hlo_groups *hlo_from_groups(hlo_reader *r, const hlo_node *instr) {
    const hlo_node *list = hlo_node_get(instr, HLO_F(HloInstructionProto, collective_device_list));
    const hlo_node *iota =
        hlo_node_get(instr, HLO_F(HloInstructionProto, iota_collective_device_list));
    const hlo_node *mesh =
        hlo_node_get(instr, HLO_F(HloInstructionProto, mesh_axes_replica_group_list));
    const hlo_node *at = mesh ? mesh : iota ? iota : list ? list : instr;
    hlo_groups *read = HLO_NEW(arena_of(r), hlo_groups);
    bool good = true;
    if (mesh) good = read_mesh_groups(r, mesh, read);
    else if (iota) good = read_iota_groups(r, iota, read);
    else if (list) read_lists(r, list, HLO_F(CollectiveDeviceListProto, replica_groups), read);
    else read_lists(r, instr, HLO_F(HloInstructionProto, replica_groups), read);
    if (!good) return NULL;
    const char *why = NULL;
    const hlo_groups *groups = hlo_groups_canonical(arena_of(r), read, &why);
    if (!groups) hlo_node_bad(r, at, HLO_RULE_REPLICA_GROUPS, "%s", why);
    return groups;
}
