/* shardy-xla: shardings that instructions state, constraints, groups and barriers become those of
 * HLO. */
#include "base/text.h"
#include "passes/spmd/shardy_import.h"

bool hlo_shardy_refuse(hlo_shardy_import *s, const hlo_instr *at, const char *key,
                       const char *why) {
    hlo_error(s->diags, HLO_RULE_PIPELINE, s->module->source, at ? at->at : (hlo_span){0, 0},
              "shardy-xla: %s%s%s: %s", at ? hlo_name_quoted(&s->module->arena, at->name) : "",
              at ? ": " : "", key, why);
    return false;
}

/* ---- shardings ---- */

bool hlo_shardy_read(hlo_shardy_import *s, const hlo_instr *instr, const char *key,
                     hlo_shardy_shardings *out) {
    const hlo_str *text = hlo_frontend_value(instr, key);
    const char *why = "is missing";
    if (text && hlo_shardy_read_shardings(&s->arena, &s->meshes, *text, out, &why)) return true;
    return hlo_shardy_refuse(s, instr, key, why);
}

const hlo_sharding *hlo_shardy_tiles(hlo_shardy_import *s, const hlo_instr *at,
                                     const hlo_shape *shape, const hlo_shardy_sharding *sharding,
                                     const hlo_manual_region *region) {
    const char *why = "there must be one part for each dimension";
    if (hlo_shape_is_array(shape) && shape->rank != sharding->rank) {
        hlo_shardy_refuse(s, at, "its sharding", why);
        return NULL;
    }
    const hlo_sharding *tiles =
        hlo_shardy_as_tiles(&s->module->arena, sharding, hlo_region_axes(region), &why);
    if (!tiles) hlo_shardy_refuse(s, at, "its sharding", why);
    return tiles;
}

static hlo_attr sharding_attr(const hlo_sharding *sharding) {
    return (hlo_attr){.id = HLO_ATTR_SHARDING, .u.sharding = sharding};
}

static hlo_attr text_attr(hlo_shardy_import *s, hlo_attr_id id, hlo_str text) {
    hlo_str *copy = HLO_NEW(&s->module->arena, hlo_str);
    *copy = (hlo_str){hlo_arena_copy(&s->module->arena, text.ptr, text.len), text.len, 0};
    return (hlo_attr){.id = (uint16_t)id, .u.string = copy};
}

static hlo_attr target_attr(hlo_shardy_import *s, const char *target) {
    return text_attr(s, HLO_ATTR_CUSTOM_CALL_TARGET, hlo_str_from(target));
}

/* `unspecified_dims=[...]` of the dimensions that a sharding leaves open; false when there is none.
 */
static bool open_dims(hlo_shardy_import *s, const hlo_shardy_sharding *sharding, hlo_attr *out) {
    hlo_buf text = HLO_BUF_INIT;
    uint32_t n = 0;
    for (uint32_t i = 0; i < sharding->rank; i++)
        if (sharding->dims[i].open) hlo_buf_printf(&text, n++ ? ",%u" : "unspecified_dims=[%u", i);
    hlo_buf_printf(&text, "]");
    if (n)
        *out = text_attr(s, HLO_ATTR_BACKEND_CONFIG, (hlo_str){text.data, (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return n > 0;
}

hlo_instr *hlo_shardy_emit(hlo_shardy_import *s, const hlo_instr *of, const char *target,
                           hlo_instr *operand, const hlo_shape *shape, const hlo_sharding *sharding,
                           const hlo_attr *config) {
    hlo_attr attrs[] = {target_attr(s, target), sharding_attr(sharding),
                        config ? *config : (hlo_attr){0}};
    hlo_instr *made = hlo_emit(s->r, HLO_OP_CUSTOM_CALL, shape, &operand, 1, attrs, config ? 3 : 2);
    hlo_inherit_metadata(of, made);
    made->at = of->at;
    return made;
}

hlo_instr *hlo_shardy_annotate(hlo_shardy_import *s, const hlo_instr *of, hlo_instr *operand,
                               const hlo_shape *shape, const hlo_shardy_sharding *sharding,
                               const hlo_manual_region *region) {
    hlo_attr config;
    hlo_shardy_sharding reduced = *sharding;
    reduced.unreduced.n = 0;
    reduced.reduction = 0;
    const hlo_sharding *tiles = hlo_shardy_tiles(s, of, shape, &reduced, region);
    bool open = tiles && !hlo_region_covers_mesh(region) && open_dims(s, sharding, &config);
    return tiles ? hlo_shardy_emit(s, of, "Sharding", operand, shape, tiles, open ? &config : NULL)
                 : NULL;
}

void hlo_shardy_replace(hlo_instr *old, hlo_instr *by) {
    hlo_instr_replace_all_uses(old, by);
    hlo_instr_remove(old);
    old->parent = NULL;
}

/* ---- values ---- */

void hlo_shardy_set_manual(hlo_shardy_import *s, hlo_instr *instr) {
    hlo_arena *arena = &s->module->arena;
    const hlo_sharding *manual = hlo_sharding_manual(arena, NULL);
    hlo_instr_set_attr(instr, sharding_attr(hlo_sharding_for_shape(arena, manual, instr->shape)));
}

/* The sharding that Shardy states on the value; NULL: none, which is no error when `good` stays. */
static const hlo_shardy_shardings *stated(hlo_shardy_import *s, const hlo_instr *instr,
                                          bool *good) {
    static const char key[] = "xla.sdy.sharding";
    if (!hlo_frontend_value(instr, key)) return NULL;
    hlo_shardy_shardings *out = HLO_NEW(&s->arena, hlo_shardy_shardings);
    *good = hlo_shardy_read(s, instr, key, out);
    return *good ? out : NULL;
}

bool hlo_shardy_restate(hlo_shardy_import *s, hlo_instr *call) {
    const hlo_manual_region *region = hlo_region_of(s, call->parent);
    bool good = true, has_other_layout;
    if (call->operand_count != 1 || !hlo_shape_compatible(hlo_operand(call, 0)->shape, call->shape))
        return hlo_shardy_refuse(s, call, "xla.sdy.sharding", "it is not of one value");
    hlo_instr *operand = hlo_operand(call, 0);
    has_other_layout = operand->shape != call->shape;
    const hlo_shardy_shardings *shardings = stated(s, call, &good);
    if (!good) return false;
    if (shardings && shardings->n != 1)
        return hlo_shardy_refuse(s, call, "xla.sdy.sharding", "it is not of one value");
    if (!shardings && hlo_instr_attr(call, HLO_ATTR_SHARDING) && !hlo_region_covers_mesh(region))
        return true;
    if (shardings && shardings->v[0].unreduced.n && call->parent == s->module->entry &&
        hlo_calls_target(call, "xla.sdy.FuncResultSharding"))
        return hlo_shardy_refuse(s, call, "xla.sdy.sharding",
                                 "unreduced results of a module are not supported");
    hlo_rewriter_aim(s->r, call);
    if (!shardings || hlo_region_covers_mesh(region) || !hlo_shape_is_array(call->shape)) {
        hlo_instr *plain =
            has_other_layout ? hlo_emit_unary(s->r, HLO_OP_COPY, call->shape, operand) : operand;
        if (has_other_layout && hlo_region_covers_mesh(region)) hlo_shardy_set_manual(s, plain);
        hlo_shardy_replace(call, plain);
        return true;
    }
    hlo_instr *made = hlo_shardy_annotate(s, call, operand, call->shape, &shardings->v[0], region);
    if (made) hlo_shardy_replace(call, made);
    return made != NULL;
}

static bool is_open(const hlo_shardy_sharding *sharding) {
    bool open = sharding->rank && !sharding->replicated.n && !sharding->unreduced.n;
    for (uint32_t i = 0; i < sharding->rank; i++)
        open &= sharding->dims[i].open && !sharding->dims[i].axes.n;
    return open;
}

bool hlo_shardy_set_stated(hlo_shardy_import *s, hlo_instr *instr,
                           const hlo_shardy_shardings *shardings) {
    const hlo_manual_region *region = hlo_region_of(s, instr->parent);
    uint32_t n = hlo_sharding_leaves(instr->shape);
    const hlo_sharding **leaves = HLO_NEW_ARRAY(&s->arena, const hlo_sharding *, n);
    if (shardings->n != n)
        return hlo_shardy_refuse(s, instr, "xla.sdy.sharding", "there must be one for each array");
    for (uint32_t i = 0; i < n; i++)
        if (!(leaves[i] = hlo_shardy_tiles(s, instr, hlo_shape_leaf(instr->shape, i),
                                           &shardings->v[i], region)))
            return false;
    const hlo_sharding *all = hlo_shape_is_tuple(instr->shape)
                                  ? hlo_sharding_tuple(&s->module->arena, leaves, n)
                                  : leaves[0];
    if (n == 1 && is_open(&shardings->v[0])) hlo_instr_remove_attr(instr, HLO_ATTR_SHARDING);
    else hlo_instr_set_attr(instr, sharding_attr(all));
    return true;
}

/* Those whose attribute states their sharding. Passes copy attributes to what they make, also where
 * they do not fit: what other instructions have is not read. */
static bool states_own(const hlo_instr *instr) {
    static const char *const callbacks[] = {"xla_python_cpu_callback", "xla_python_gpu_callback",
                                            "xla_ffi_python_cpu_callback",
                                            "xla_ffi_python_gpu_callback"};
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        if (hlo_calls_target(instr, callbacks[i])) return true;
    return instr->opcode == HLO_OP_PARAMETER || instr->opcode == HLO_OP_SEND ||
           instr->opcode == HLO_OP_RECV || instr->opcode == HLO_OP_AFTER_ALL;
}

bool hlo_shardy_state_own(hlo_shardy_import *s, hlo_instr *instr) {
    bool good = true;
    const hlo_shardy_shardings *shardings = states_own(instr) ? stated(s, instr, &good) : NULL;
    return shardings ? hlo_shardy_set_stated(s, instr, shardings) : good;
}

/* The digits that begin a text, of an attribute such as `2 : i64`. */
static bool read_number(hlo_shardy_import *s, const hlo_instr *instr, const char *key,
                        int64_t *out) {
    const hlo_str *text = hlo_frontend_value(instr, key);
    uint64_t value = 0;
    hlo_cursor c = text ? hlo_cursor_of(*text) : (hlo_cursor){NULL, NULL};
    if (!text || !hlo_take_number(&c, INT64_MAX, &value))
        return hlo_shardy_refuse(s, instr, key, "a number is expected");
    *out = (int64_t)value;
    return true;
}

bool hlo_shardy_join_group(hlo_shardy_import *s, hlo_instr *call) {
    int64_t group;
    hlo_sharding unknown = {.kind = HLO_SHARDING_UNKNOWN};
    if (call->operand_count != 1 || call->first_use)
        return hlo_shardy_refuse(s, call, "xla.sdy.ShardingGroup", "it is not of one value");
    if (!read_number(s, call, "xla.sdy.sharding_group_id", &group)) return false;
    if (!hlo_region_covers_mesh(hlo_region_of(s, call->parent))) {
        hlo_instr *value = hlo_operand(call, 0);
        hlo_arena *arena = &s->module->arena;
        hlo_rewriter_aim(s->r, call);
        hlo_shardy_emit(s, call, "Sharding", value, value->shape,
                        hlo_sharding_in_group(arena,
                                              hlo_sharding_for_shape(arena, &unknown, value->shape),
                                              HLO_SHARD_AS, group),
                        NULL);
    }
    hlo_instr_remove(call);
    call->parent = NULL;
    return true;
}

/* A barrier lets shardings pass forward (1), backward (2), in both directions (3) or in none (0).
 */
bool hlo_shardy_set_barrier(hlo_shardy_import *s, hlo_instr *call) {
    int64_t allowed;
    if (call->operand_count != 1 || hlo_operand(call, 0)->shape != call->shape)
        return hlo_shardy_refuse(s, call, "xla.sdy.PropagationBarrier", "it is not of one value");
    if (!read_number(s, call, "xla.sdy.allowed_direction", &allowed)) return false;
    hlo_instr *value = hlo_operand(call, 0);
    hlo_rewriter_aim(s->r, call);
    for (int i = 0; i < 2; i++) {
        hlo_attr target = target_attr(s, i ? "ShardBarrierTo" : "ShardBarrierFrom");
        if (allowed & (i ? 2 : 1)) continue;
        value = hlo_emit(s->r, HLO_OP_CUSTOM_CALL, call->shape, &value, 1, &target, 1);
        hlo_inherit_metadata(call, value);
        value->at = call->at;
    }
    hlo_shardy_replace(call, value);
    return true;
}
