/* Shardings, meshes and replica groups as XLA prints them (docs/text-format.md, 7.3). */
#include "ir/print_parts.h"
#include "ir/sharding.h"

/* ---- meshes and axes ---- */

static void print_iota(hlo_buf *to, const hlo_iota_list *iota) {
    hlo_buf_char(to, '[');
    hlo_print_numbers(to, iota->dims->v, iota->dims->n);
    hlo_buf_char(to, ']');
    if (iota->dims->n <= 1) return;
    hlo_buf_lit(to, "T(");
    hlo_print_numbers(to, iota->perm->v, iota->perm->n);
    hlo_buf_char(to, ')');
}

static void print_axis_name(hlo_buf *to, hlo_str name) {
    hlo_buf_char(to, '\'');
    hlo_buf_str(to, name);
    hlo_buf_char(to, '\'');
}

static void print_mesh(hlo_buf *to, const hlo_mesh *mesh) {
    if (mesh->maximal) {
        hlo_buf_lit(to, "maximal_mesh[device_id=");
        hlo_buf_int(to, mesh->device_id);
        hlo_buf_char(to, ']');
        return;
    }
    hlo_buf_lit(to, "mesh[");
    for (uint32_t i = 0; i < mesh->n; i++) {
        if (i) hlo_buf_char(to, ',');
        print_axis_name(to, mesh->axes[i].name);
        hlo_buf_char(to, '=');
        hlo_buf_int(to, mesh->axes[i].size);
    }
    hlo_buf_char(to, ']');
    if (!mesh->device_ids && !mesh->device_iota) return;
    hlo_buf_lit(to, ", device_ids=(");
    if (mesh->device_ids) hlo_print_numbers(to, mesh->device_ids->v, mesh->device_ids->n);
    else print_iota(to, mesh->device_iota);
    hlo_buf_char(to, ')');
}

static void print_axis(hlo_buf *to, const hlo_axis_ref *axis) {
    print_axis_name(to, axis->name);
    if (!axis->is_sub_axis) return;
    hlo_buf_lit(to, ":(");
    hlo_buf_int(to, axis->pre_size);
    hlo_buf_char(to, ')');
    hlo_buf_int(to, axis->size);
}

static void print_axes(hlo_buf *to, hlo_axis_list axes, const char *separator) {
    for (uint32_t i = 0; i < axes.n; i++) {
        if (i) hlo_buf_cstr(to, separator);
        print_axis(to, &axes.v[i]);
    }
}

/* ---- named shardings ---- */

static void print_dims(hlo_buf *to, const hlo_sharding *s) {
    hlo_buf_lit(to, ", [");
    for (uint32_t i = 0; i < s->dim_count; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_buf_char(to, '{');
        print_axes(to, s->dims[i].axes, ", ");
        if (s->dims[i].open && s->dims[i].axes.n) hlo_buf_lit(to, ", ");
        if (s->dims[i].open) hlo_buf_char(to, '?');
        hlo_buf_char(to, '}');
    }
    hlo_buf_char(to, ']');
}

static void print_named_axes(hlo_buf *to, const char *name, const char *how, hlo_axis_list axes) {
    if (!axes.n) return;
    hlo_buf_printf(to, ", %s=%s{", name, how);
    print_axes(to, axes, ", ");
    hlo_buf_char(to, '}');
}

static void print_metadata_list(hlo_buf *to, hlo_metadata_list list) {
    for (uint32_t i = 0; i < list.n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_buf_char(to, '{');
        hlo_print_metadata_fields(to, list.v[i]);
        hlo_buf_char(to, '}');
    }
}

static const char *word_of(hlo_sharding_kind kind) {
    static const char *const words[] = {
        [HLO_SHARDING_REPLICATED] = "replicated", [HLO_SHARDING_MAXIMAL] = "maximal",
        [HLO_SHARDING_MANUAL] = "manual",         [HLO_SHARDING_UNKNOWN] = "unknown",
        [HLO_SHARDING_UNREDUCED] = "unreduced",
    };
    HLO_ASSERT(kind < sizeof words / sizeof *words);
    return words[kind];
}

/* `max` of `unreduced=max{...}`; values that are added need no word. */
static const char *reduction_of(const hlo_sharding *s) {
    return s->reduction ? hlo_word_text(HLO_WORDS_REDUCTION, s->reduction) : "";
}

static void print_named(hlo_buf *to, const hlo_sharding *s, bool with_metadata) {
    print_mesh(to, s->mesh);
    if (s->named_word) {
        hlo_buf_lit(to, ", ");
        hlo_buf_cstr(to, word_of(s->word));
        if (s->word == HLO_SHARDING_UNREDUCED && s->reduction)
            hlo_buf_printf(to, "=%s", reduction_of(s));
    } else if (!s->mesh->maximal) {
        print_dims(to, s);
        print_named_axes(to, "replicated", "", s->replicated);
        print_named_axes(to, "unreduced", reduction_of(s), s->unreduced);
        print_named_axes(to, "manual", "", s->manual);
    }
    if (!with_metadata || !s->has_metadata) return;
    hlo_buf_lit(to, ", metadata={");
    if (s->metadata.n) print_metadata_list(to, s->metadata);
    else hlo_buf_lit(to, "{}");
    hlo_buf_char(to, '}');
}

/* ---- the older forms ---- */

static void print_tiles(hlo_buf *to, const hlo_sharding *s) {
    hlo_buf_lit(to, "devices=[");
    hlo_print_numbers(to, s->tile_dims->v, s->tile_dims->n);
    hlo_buf_char(to, ']');
    if (s->devices) {
        hlo_print_numbers(to, s->devices->v, s->devices->n);
    } else {
        hlo_buf_lit(to, "<=");
        print_iota(to, s->iota);
    }
    if (s->replicate_last) hlo_buf_lit(to, " last_tile_dim_replicate");
    if (!s->last_kind_count) return;
    hlo_buf_lit(to, " last_tile_dims={");
    for (uint32_t i = 0; i < s->last_kind_count; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_buf_cstr(to, word_of((hlo_sharding_kind)s->last_kinds[i]));
    }
    hlo_buf_char(to, '}');
}

static void print_group_and_metadata(hlo_buf *to, const hlo_sharding *s, bool with_metadata) {
    if (s->group_kind != HLO_SHARD_NONE) {
        if (s->group_kind == HLO_SHARD_AS) hlo_buf_lit(to, " shard_as ");
        else hlo_buf_lit(to, " shard_like ");
        hlo_buf_int(to, s->group);
    }
    if (!with_metadata || !s->has_metadata) return;
    hlo_buf_lit(to, " metadata={");
    if (s->metadata.n == 1) hlo_print_metadata_fields(to, s->metadata.v[0]);
    else print_metadata_list(to, s->metadata);
    hlo_buf_char(to, '}');
}

void hlo_sharding_print(hlo_buf *to, const hlo_sharding *s, bool with_metadata) {
    hlo_buf_char(to, '{');
    switch (s->kind) {
    case HLO_SHARDING_TUPLE:
        for (uint32_t i = 0; i < s->n; i++) {
            hlo_print_separator(to, i);
            hlo_sharding_print(to, s->elements[i], with_metadata);
        }
        break;
    case HLO_SHARDING_NAMED: print_named(to, s, with_metadata); break;
    case HLO_SHARDING_MAXIMAL:
        hlo_buf_lit(to, "maximal device=");
        hlo_buf_int(to, s->device);
        print_group_and_metadata(to, s, with_metadata);
        break;
    case HLO_SHARDING_TILED:
        print_tiles(to, s);
        print_group_and_metadata(to, s, with_metadata);
        break;
    case HLO_SHARDING_REPLICATED:
    case HLO_SHARDING_MANUAL:
    case HLO_SHARDING_UNKNOWN:
    case HLO_SHARDING_UNREDUCED:
        hlo_buf_cstr(to, word_of(s->kind));
        print_group_and_metadata(to, s, with_metadata);
        break;
    }
    hlo_buf_char(to, '}');
}

/* ---- replica groups ---- */

void hlo_groups_print(hlo_buf *to, const hlo_groups *groups) {
    switch (groups->form) {
    case HLO_GROUPS_IOTA:
        hlo_buf_char(to, '[');
        hlo_buf_int(to, groups->group_count);
        hlo_buf_char(to, ',');
        hlo_buf_int(to, groups->group_size);
        hlo_buf_lit(to, "]<=");
        print_iota(to, groups->iota);
        return;
    case HLO_GROUPS_MESH:
        print_mesh(to, groups->mesh);
        hlo_buf_lit(to, " {");
        print_axes(to, groups->axes, ",");
        hlo_buf_char(to, '}');
        return;
    case HLO_GROUPS_LIST: break;
    }
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; groups->lists && i < groups->lists->n; i++) {
        if (i) hlo_buf_char(to, ',');
        hlo_print_ints(to, groups->lists->v[i]);
    }
    hlo_buf_char(to, '}');
}
