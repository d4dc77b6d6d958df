/* Shardings, meshes and replica groups as messages. */
#include "proto/to_values.h"

/* OpSharding.Type by hlo_sharding_kind; a named sharding is no type but a separate message. */
static const uint8_t type_numbers[] = {
    [HLO_SHARDING_REPLICATED] = 0, [HLO_SHARDING_MAXIMAL] = 1, [HLO_SHARDING_TUPLE] = 2,
    [HLO_SHARDING_TILED] = 3,      [HLO_SHARDING_MANUAL] = 4,  [HLO_SHARDING_UNKNOWN] = 5,
    [HLO_SHARDING_UNREDUCED] = 6,  [HLO_SHARDING_NAMED] = 0,
};

/* ---- meshes ---- */

static void write_mesh(hlo_writer *w, const hlo_proto_field *field, const hlo_mesh *mesh) {
    hlo_emit_begin(w, field);
    for (uint32_t i = 0; i < mesh->n; i++) {
        hlo_emit_begin(w, HLO_F(MeshProto, axes));
        hlo_emit_text(w, HLO_F(MeshProto_MeshAxis, name), mesh->axes[i].name);
        hlo_emit_int(w, HLO_F(MeshProto_MeshAxis, size), mesh->axes[i].size);
        hlo_emit_end(w);
    }
    if (mesh->maximal) hlo_emit_ints(w, HLO_F(MeshProto, device_ids), &mesh->device_id, 1);
    else hlo_write_ints(w, HLO_F(MeshProto, device_ids), mesh->device_ids);
    if (mesh->device_iota) {
        hlo_emit_begin(w, HLO_F(MeshProto, iota_transform));
        hlo_write_ints(w, HLO_F(MeshProto_IotaTransform, reshape_dims), mesh->device_iota->dims);
        hlo_write_ints(w, HLO_F(MeshProto_IotaTransform, transpose_perm), mesh->device_iota->perm);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

static void write_axes(hlo_writer *w, const hlo_proto_field *field, const hlo_mesh *mesh,
                       hlo_axis_list axes) {
    for (uint32_t i = 0; i < axes.n; i++) {
        hlo_emit_begin(w, field);
        hlo_emit_int(w, HLO_F(AxisRefProto, mesh_axis_index),
                     hlo_mesh_axis_number(mesh, axes.v[i].name));
        if (axes.v[i].is_sub_axis) {
            hlo_emit_begin(w, HLO_F(AxisRefProto, sub_axis_info));
            hlo_emit_int(w, HLO_F(AxisRefProto_SubAxis, pre_size), axes.v[i].pre_size);
            hlo_emit_int(w, HLO_F(AxisRefProto_SubAxis, size), axes.v[i].size);
            hlo_emit_end(w);
        }
        hlo_emit_end(w);
    }
}

/* ---- shardings ---- */

static void write_metadata_list(hlo_writer *w, const hlo_proto_field *field,
                                const hlo_sharding *s) {
    for (uint32_t i = 0; i < s->metadata.n; i++) hlo_write_metadata(w, field, s->metadata.v[i]);
}

static void write_named(hlo_writer *w, const hlo_sharding *s) {
    hlo_emit_begin(w, HLO_F(OpSharding, named_sharding));
    write_mesh(w, HLO_F(NamedShardingProto, mesh), s->mesh);
    for (uint32_t i = 0; i < s->dim_count; i++) {
        hlo_emit_begin(w, HLO_F(NamedShardingProto, dim_shardings));
        write_axes(w, HLO_F(NamedShardingProto_DimensionSharding, axes), s->mesh, s->dims[i].axes);
        hlo_emit_int(w, HLO_F(NamedShardingProto_DimensionSharding, is_closed), !s->dims[i].open);
        hlo_emit_end(w);
    }
    write_axes(w, HLO_F(NamedShardingProto, replicated_axes), s->mesh, s->replicated);
    write_axes(w, HLO_F(NamedShardingProto, unreduced_axes), s->mesh, s->unreduced);
    write_metadata_list(w, HLO_F(NamedShardingProto, metadata), s);
    write_axes(w, HLO_F(NamedShardingProto, manual_axes), s->mesh, s->manual);
    hlo_emit_int(w, HLO_F(NamedShardingProto, reduction_op), s->reduction);
    hlo_emit_end(w);
}

static void write_last_kinds(hlo_writer *w, const hlo_sharding *s) {
    int32_t few[16], *numbers = few;
    if (s->last_kind_count > 16) numbers = hlo_malloc(s->last_kind_count * sizeof *numbers);
    for (uint32_t i = 0; i < s->last_kind_count; i++) numbers[i] = type_numbers[s->last_kinds[i]];
    hlo_emit_array(w, HLO_F(OpSharding, last_tile_dims), numbers, s->last_kind_count);
    if (numbers != few) hlo_free(numbers);
}

static void write_members(hlo_writer *w, const hlo_sharding *s) {
    hlo_emit_int(w, HLO_F(OpSharding, type), type_numbers[s->kind]);
    if (s->kind == HLO_SHARDING_TILED)
        hlo_write_ints(w, HLO_F(OpSharding, tile_assignment_dimensions), s->tile_dims);
    if (s->kind == HLO_SHARDING_MAXIMAL)
        hlo_emit_ints(w, HLO_F(OpSharding, tile_assignment_devices), &s->device, 1);
    else if (s->kind == HLO_SHARDING_TILED)
        hlo_write_ints(w, HLO_F(OpSharding, tile_assignment_devices), s->devices);
    for (uint32_t i = 0; s->kind == HLO_SHARDING_TUPLE && i < s->n; i++)
        hlo_write_sharding(w, HLO_F(OpSharding, tuple_shardings), s->elements[i]);
    hlo_emit_int(w, HLO_F(OpSharding, replicate_on_last_tile_dim), s->replicate_last);
    if (s->kind != HLO_SHARDING_NAMED) write_metadata_list(w, HLO_F(OpSharding, metadata), s);
    write_last_kinds(w, s);
    if (s->kind == HLO_SHARDING_TILED && s->iota && !s->devices) {
        hlo_write_ints(w, HLO_F(OpSharding, iota_reshape_dims), s->iota->dims);
        hlo_write_ints(w, HLO_F(OpSharding, iota_transpose_perm), s->iota->perm);
    }
    if (s->group_kind != HLO_SHARD_NONE) {
        hlo_emit_int(w, HLO_F(OpSharding, is_shard_group), 1);
        hlo_emit_int(w, HLO_F(OpSharding, shard_group_id), s->group);
        hlo_emit_int(w, HLO_F(OpSharding, shard_group_type), s->group_kind == HLO_SHARD_LIKE);
    }
}

void hlo_write_sharding(hlo_writer *w, const hlo_proto_field *field, const hlo_sharding *s) {
    hlo_emit_begin(w, field);
    if (s->kind == HLO_SHARDING_NAMED) write_named(w, s);
    else write_members(w, s);
    hlo_emit_end(w);
}

/* ---- replica groups ---- */

static void write_group_lists(hlo_writer *w, const hlo_int_lists *lists) {
    hlo_emit_begin(w, HLO_F(HloInstructionProto, collective_device_list));
    for (uint32_t i = 0; lists && i < lists->n; i++) {
        hlo_emit_begin(w, HLO_F(CollectiveDeviceListProto, replica_groups));
        hlo_write_ints(w, HLO_F(ReplicaGroup, replica_ids), lists->v[i]);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

static void write_iota_groups(hlo_writer *w, const hlo_groups *groups) {
    hlo_emit_begin(w, HLO_F(HloInstructionProto, iota_collective_device_list));
    hlo_emit_int(w, HLO_F(IotaReplicaGroupListProto, num_replica_groups), groups->group_count);
    hlo_emit_int(w, HLO_F(IotaReplicaGroupListProto, num_devices_per_group), groups->group_size);
    hlo_write_ints(w, HLO_F(IotaReplicaGroupListProto, iota_reshape_dims), groups->iota->dims);
    hlo_write_ints(w, HLO_F(IotaReplicaGroupListProto, iota_transpose_perm), groups->iota->perm);
    hlo_emit_end(w);
}

static void write_mesh_groups(hlo_writer *w, const hlo_groups *groups) {
    hlo_emit_begin(w, HLO_F(HloInstructionProto, mesh_axes_replica_group_list));
    write_mesh(w, HLO_F(MeshAxesReplicaGroupListProto, mesh), groups->mesh);
    write_axes(w, HLO_F(MeshAxesReplicaGroupListProto, axes), groups->mesh, groups->axes);
    hlo_emit_end(w);
}

void hlo_write_groups(hlo_writer *w, const hlo_proto_field *field, const hlo_groups *groups) {
    int form = groups ? (int)groups->form : (int)HLO_GROUPS_LIST;
    if (field == HLO_F(HloInstructionProto, iota_collective_device_list)) {
        if (form == HLO_GROUPS_IOTA) write_iota_groups(w, groups);
    } else if (field == HLO_F(HloInstructionProto, mesh_axes_replica_group_list)) {
        if (form == HLO_GROUPS_MESH) write_mesh_groups(w, groups);
    } else if (form == HLO_GROUPS_LIST) {
        write_group_lists(w, groups ? groups->lists : NULL);
    }
}
