/* shardy-xla: regions in which axes of a mesh are manual, and the conversions at their edges. */
#include "passes/spmd/shardy_import.h"

bool hlo_region_equal(const hlo_manual_region *a, const hlo_manual_region *b) {
    if (a == b) return true;
    if (!a || !b || a->mesh != b->mesh || a->axes.n != b->axes.n) return false;
    for (uint32_t i = 0; i < a->axes.n; i++)
        if (!hlo_shardy_has_axis(b->axes, a->axes.v[i].name)) return false;
    return true;
}

bool hlo_region_covers_mesh(const hlo_manual_region *region) {
    return region && region->axes.n && region->axes.n == region->mesh->n;
}

hlo_axis_list hlo_region_axes(const hlo_manual_region *region) {
    return region ? region->axes : (hlo_axis_list){0, NULL};
}

const hlo_manual_region *hlo_region_of(const hlo_shardy_import *s, const hlo_computation *c) {
    HLO_ASSERT(s->entered.v[c->id].is_entered);
    return s->entered.v[c->id].region;
}

const hlo_manual_region *hlo_region_inside(hlo_shardy_import *s, const hlo_instr *conversion,
                                           const hlo_shardy_shardings *shardings) {
    static const char key[] = "xla.sdy.manual_axes";
    const hlo_manual_region *around = hlo_region_of(s, conversion->parent);
    const hlo_str *text = hlo_frontend_value(conversion, key);
    const char *why = "is missing";
    hlo_axis_list own;
    if (!text || !hlo_shardy_read_axes(&s->arena, *text, &own, &why)) {
        hlo_shardy_refuse(s, conversion, key, why);
        return NULL;
    }
    hlo_manual_region *region = HLO_NEW(&s->arena, hlo_manual_region);
    hlo_axis_list outer = hlo_region_axes(around);
    hlo_axis_ref *all = HLO_NEW_ARRAY(&s->arena, hlo_axis_ref, outer.n + own.n);
    if (outer.n) memcpy(all, outer.v, outer.n * sizeof *all);
    if (own.n) memcpy(all + outer.n, own.v, own.n * sizeof *all);
    region->axes = (hlo_axis_list){outer.n + own.n, all};
    region->mesh = around ? around->mesh : shardings->n ? shardings->v[0].mesh : NULL;
    if (region->axes.n && !region->mesh) {
        hlo_shardy_refuse(s, conversion, key, "no sharding names the mesh of the axes");
        return NULL;
    }
    for (uint32_t i = 0; i < region->axes.n; i++) {
        bool is_there = hlo_mesh_axis_number(region->mesh, all[i].name) < region->mesh->n;
        bool is_second = hlo_shardy_has_axis((hlo_axis_list){i, all}, all[i].name);
        if (is_there && !is_second) continue;
        hlo_shardy_refuse(s, conversion, key,
                          is_second ? "an axis is manual twice" : "the mesh has no such axis");
        return NULL;
    }
    return region;
}

/* ---- to and from manual regions ---- */

/* Each element of a conversion of several values is what stands for it. */
static void replace_elements(hlo_shardy_import *s, hlo_instr *conversion, hlo_instr *const *values,
                             uint32_t n) {
    bool is_used = conversion->parent->root == conversion;
    for (hlo_use *use = conversion->first_use, *next; use; use = next) {
        next = use->next;
        hlo_instr *user = use->user;
        if (user->opcode != HLO_OP_GET_TUPLE_ELEMENT) is_used = true;
        else hlo_shardy_replace(user, values[hlo_attr_int(user, HLO_ATTR_INDEX)]);
    }
    hlo_instr *tuple = is_used ? hlo_emit_tuple(s->r, values, n) : NULL;
    if (tuple) hlo_instr_replace_all_uses(conversion, tuple);
    hlo_instr_remove(conversion);
    conversion->parent = NULL;
}

typedef struct {
    const char *key, *target;
    const hlo_manual_region *from, *to; /* regions of operands and results */
} conversion_kind;

/* One value: hlo_shardy_stated in the region that it comes from, then relabelled. */
static hlo_instr *convert_value(hlo_shardy_import *s, hlo_instr *at, const conversion_kind *kind,
                                hlo_instr *operand, const hlo_shape *shape,
                                const hlo_shardy_sharding *sharding) {
    if (!hlo_shape_is_array(shape)) return operand;
    hlo_shardy_sharding before =
        hlo_shardy_without(&s->arena, sharding, hlo_region_axes(kind->from));
    hlo_shardy_sharding after = hlo_shardy_without(&s->arena, sharding, hlo_region_axes(kind->to));
    hlo_instr *annotated = hlo_shardy_annotate(s, at, operand, operand->shape, &before, kind->from);
    const hlo_sharding *tiles = annotated ? hlo_shardy_tiles(s, at, shape, &after, kind->to) : NULL;
    if (!tiles) return NULL;
    /* sharding-propagation refines both together when they leave the same dimensions open. */
    const hlo_attr *open = hlo_instr_attr(annotated, HLO_ATTR_BACKEND_CONFIG);
    return hlo_shardy_emit(s, at, kind->target, annotated, shape, tiles, open);
}

/* XLA has no tuples among values, so that an empty one is none and has no sharding. */
static bool is_empty(const hlo_shape *shape) {
    return hlo_shape_is_tuple(shape) && shape->rank == 0;
}

static uint32_t convertible_operands(const hlo_instr *call, hlo_instr **out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->operand_count; i++)
        if (!is_empty(hlo_operand(call, i)->shape)) out[n++] = hlo_operand(call, i);
    return n;
}

static uint32_t convertible_results(const hlo_shape *shape) {
    uint32_t n = 0;
    if (!hlo_shape_is_tuple(shape)) return 1;
    for (uint32_t i = 0; i < shape->rank; i++) n += !is_empty(shape->elements[i]);
    return n;
}

bool hlo_shardy_converts_nothing(const hlo_instr *conversion) {
    for (uint32_t i = 0; i < conversion->operand_count; i++)
        if (!is_empty(hlo_operand(conversion, i)->shape)) return false;
    return convertible_results(conversion->shape) == 0;
}

/* One for each result. */
static bool convert_values(hlo_shardy_import *s, hlo_instr *call, const conversion_kind *kind,
                           hlo_instr *const *operands, const hlo_shardy_shardings *shardings,
                           hlo_instr **out) {
    bool is_tuple = hlo_shape_is_tuple(call->shape);
    uint32_t results = is_tuple ? call->shape->rank : 1, next = 0;
    for (uint32_t i = 0; i < results; i++) {
        const hlo_shape *shape = is_tuple ? call->shape->elements[i] : call->shape;
        if (is_empty(shape)) {
            out[i] = hlo_emit_tuple(s->r, NULL, 0);
            continue;
        }
        out[i] = convert_value(s, call, kind, operands[next], shape, &shardings->v[next]);
        if (!out[i]) return false;
        next++;
    }
    return true;
}

bool hlo_shardy_convert(hlo_shardy_import *s, hlo_instr *call, bool to_local) {
    conversion_kind kind = {to_local ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings",
                            to_local ? "SPMDFullToShardShape" : "SPMDShardToFullShape",
                            hlo_region_of(s, call->parent), hlo_region_of(s, call->parent)};
    hlo_shardy_shardings shardings;
    bool is_tuple = hlo_shape_is_tuple(call->shape);
    hlo_instr **operands = HLO_NEW_ARRAY(&s->arena, hlo_instr *, call->operand_count + 1u);
    uint32_t n = convertible_operands(call, operands), results = is_tuple ? call->shape->rank : 1;
    if (!hlo_shardy_read(s, call, kind.key, &shardings)) return false;
    if (shardings.n != n || convertible_results(call->shape) != n)
        return hlo_shardy_refuse(s, call, kind.key,
                                 "there must be one for each operand and each result");
    const hlo_manual_region *inside = n ? hlo_region_inside(s, call, &shardings) : NULL;
    if (n && !inside) return false;
    *(to_local ? &kind.to : &kind.from) = inside;
    hlo_rewriter_aim(s->r, call);
    hlo_instr **values = HLO_NEW_ARRAY(&s->arena, hlo_instr *, results + 1u);
    if (!convert_values(s, call, &kind, operands, &shardings, values)) return false;
    bool is_result = call == call->parent->root && call->parent != s->module->entry;
    /* The root of a called computation takes the sharding of its call, which a change from manual
     * sharding must not: its sharding defines what the parts are. */
    if (is_result && !is_tuple && !to_local && hlo_shape_is_array(call->shape))
        values[0] = hlo_emit_unary(s->r, HLO_OP_COPY, call->shape, values[0]);
    if (is_tuple) replace_elements(s, call, values, results);
    else hlo_shardy_replace(call, values[0]);
    return true;
}
