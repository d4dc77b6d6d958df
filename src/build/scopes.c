/* What instructions carry beside what they compute: names, metadata, shardings and frontend
 * attributes, in force until they are set again. */
#include "build/builder.h"

/* ---- scopes ---- */

void hlo_builder_begin_scope(hlo_builder *b) {
    HLO_BUILDER_CALL(b, (void)0);
    hlo_builder_scope *scope = hlo_arena_copy(&b->module->arena, b->scope, sizeof *scope);
    scope->outer = b->scope;
    b->scope = scope;
}

void hlo_builder_end_scope(hlo_builder *b) {
    HLO_BUILDER_CALL(b, (void)0);
    if (b->scope->outer) b->scope = b->scope->outer;
    else hlo_builder_misuse(b, "%s: no scope was begun", __func__);
}

/* ---- metadata ---- */

static hlo_str text_or_none(hlo_builder *b, const char *text) {
    return text ? hlo_builder_text(b, text) : (hlo_str){0};
}

void hlo_builder_set_metadata(hlo_builder *b, const hlo_op_metadata *given) {
    HLO_BUILDER_CALL(b, (void)0);
    b->scope->metadata = NULL;
    if (!given) return;
    hlo_metadata *metadata = HLO_NEW(&b->module->arena, hlo_metadata);
    metadata->op_type = text_or_none(b, given->op_type);
    metadata->op_name = text_or_none(b, given->op_name);
    metadata->source_file = text_or_none(b, given->source_file);
    metadata->source_line = given->source_line;
    b->scope->metadata = metadata;
}

/* ---- shardings ---- */

static hlo_sharding_kind kind_of(hlo_shard_kind kind) {
    switch (kind) {
    case HLO_SHARD_REPLICATED: return HLO_SHARDING_REPLICATED;
    case HLO_SHARD_MAXIMAL: return HLO_SHARDING_MAXIMAL;
    case HLO_SHARD_MANUAL: return HLO_SHARDING_MANUAL;
    case HLO_SHARD_TILED: break;
    }
    return HLO_SHARDING_TILED;
}

static const hlo_ints *ints_of(hlo_builder *b, hlo_int_list list) {
    return hlo_ints_from(&b->module->arena, list.values, (uint32_t)list.count);
}

void hlo_builder_set_sharding(hlo_builder *b, const hlo_shard *given) {
    HLO_BUILDER_CALL(b, (void)0);
    b->scope->sharding = NULL;
    if (!given) return;
    hlo_sharding read = {.kind = kind_of(given->kind), .replicate_last = given->replicate_last};
    if (read.kind == HLO_SHARDING_MAXIMAL)
        read.devices = ints_of(b, (hlo_int_list){1, &given->device});
    if (read.kind == HLO_SHARDING_TILED) {
        read.tile_dims = ints_of(b, given->tiles);
        read.devices = ints_of(b, given->devices);
    }
    const char *why = "it is inconsistent";
    b->scope->sharding = hlo_sharding_canonical(&b->module->arena, &read, &why);
    if (!b->scope->sharding) hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "sharding: %s", why);
}

/* ---- frontend attributes ---- */

/* Keys are sorted bytewise; the entry of `key` goes, and comes again with a value. */
static const hlo_frontend *with_entry(hlo_builder *b, const hlo_frontend *old, hlo_str key,
                                      const char *value) {
    uint32_t n = old ? old->n : 0, used = 0, i = 0;
    hlo_frontend *made =
        hlo_arena_alloc(&b->module->arena, sizeof *made + (n + 1) * sizeof made->v[0]);
    for (; i < n && strcmp(old->v[i].key.ptr, key.ptr) < 0; i++) made->v[used++] = old->v[i];
    if (value) made->v[used++] = (hlo_frontend_entry){key, hlo_builder_text(b, value)};
    if (i < n && hlo_str_equal(old->v[i].key, key)) i++;
    for (; i < n; i++) made->v[used++] = old->v[i];
    made->n = used;
    return used ? made : NULL;
}

void hlo_builder_set_frontend_attribute(hlo_builder *b, const char *key, const char *value) {
    HLO_BUILDER_CALL(b, (void)0);
    if (!key) {
        hlo_builder_misuse(b, "%s: key is NULL", __func__);
        return;
    }
    b->scope->frontend = with_entry(b, b->scope->frontend, hlo_builder_text(b, key), value);
}
