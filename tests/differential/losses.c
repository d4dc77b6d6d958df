/* What XLA's messages do not keep, taken from a module: what a message holds is compared with what
 * is left of the module that it was made of. */
#include "differential/differential.h"
#include "ir/ir.h"
#include "ir/sharding.h"
#include "parse/parse.h"
#include "shape/verifier.h"

/* ---- shardings ---- */

static bool is_on_one_device(const hlo_sharding *s) {
    if (s->kind != HLO_SHARDING_TILED) return false;
    if (s->devices) return s->devices->n == 1;
    for (uint32_t i = 0; s->iota && i < s->iota->dims->n; i++)
        if (s->iota->dims->v[i] != 1) return false;
    return s->iota != NULL;
}

/* Tiles on one device are read as replication, without the subgroups that they had. */
static const hlo_sharding *kept_sharding(hlo_arena *arena, const hlo_sharding *s) {
    hlo_sharding *kept = HLO_NEW(arena, hlo_sharding);
    *kept = *s;
    if (is_on_one_device(s))
        *kept = (hlo_sharding){.kind = HLO_SHARDING_REPLICATED,
                               .group_kind = s->group_kind,
                               .group = s->group,
                               .has_metadata = s->has_metadata,
                               .metadata = s->metadata};
    const hlo_sharding **elements = HLO_NEW_ARRAY(arena, const hlo_sharding *, s->n);
    for (uint32_t i = 0; i < s->n; i++) elements[i] = kept_sharding(arena, s->elements[i]);
    kept->elements = elements;
    return kept;
}

/* ---- instructions ---- */

/* One form for a flag that is false and one that is not written; positive channels and group counts
 * only; no version and no thread without a name. */
static bool is_lost(const hlo_attr *attr) {
    switch (attr->id) {
    case HLO_ATTR_IS_STABLE:
    case HLO_ATTR_TOPK_IS_STABLE:
    case HLO_ATTR_HAS_DYNAMIC_ROOT: return attr->u.i == 0;
    case HLO_ATTR_API_VERSION: return attr->u.i == 0;
    case HLO_ATTR_CHANNEL_ID:
    case HLO_ATTR_FEATURE_GROUP_COUNT:
    case HLO_ATTR_BATCH_GROUP_COUNT: return attr->u.i <= 0;
    case HLO_ATTR_ASYNC_EXECUTION_THREAD: return attr->u.string->len == 0;
    default: return false;
    }
}

static void lose_of(hlo_arena *arena, hlo_instr *instr) {
    for (uint32_t i = instr->attr_count; i-- > 0;) {
        hlo_attr attr = instr->attrs[i];
        if (is_lost(&attr)) {
            hlo_instr_remove_attr(instr, attr.id);
        } else if (attr.id == HLO_ATTR_SHARDING) {
            attr.u.sharding = kept_sharding(arena, attr.u.sharding);
            hlo_instr_set_attr(instr, attr);
        }
    }
}

void lose_what_messages_lose(hlo_module *module) {
    for (hlo_computation *c = module->first; c; c = c->next) {
        if (c->execution_thread.len == 0) c->execution_thread = HLO_STR("main");
        for (hlo_instr *i = c->first; i; i = i->next) lose_of(&module->arena, i);
    }
}

/* ---- what messages have no form for ---- */

/* Sizes of slices are one list, cut by the dimensions of the operands. */
static bool has_other_slices(const hlo_instr *permute) {
    const hlo_attr *sizes = hlo_instr_attr(permute, HLO_ATTR_PERMUTE_SLICE_SIZES);
    if (!sizes) return false;
    const hlo_shape *sliced = hlo_operand(permute, 0)->shape;
    uint32_t parts = hlo_shape_is_tuple(sliced) ? sliced->rank : 1, n = sizes->u.int_lists->n;
    bool fits = parts && n && n % parts == 0;
    for (uint32_t i = 0; fits && i < n; i++) {
        const hlo_shape *part =
            hlo_shape_is_tuple(sliced) ? sliced->elements[i / (n / parts)] : sliced;
        fits = hlo_shape_is_array(part) && sizes->u.int_lists->v[i]->n == part->rank;
    }
    return !fits;
}

/* The text takes recovery modules with any layout, and XLA's messages none that is no permutation.
 */
static bool has_other_layouts(const hlo_module *module) {
    hlo_arena scratch;
    hlo_arena_init(&scratch);
    bool has = false;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            has |= !hlo_layouts_are_sound(&scratch, i->shape);
    const hlo_attr *layout = hlo_module_attr(module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT);
    const hlo_program_shape *entry = layout ? layout->u.program_shape : NULL;
    for (uint32_t i = 0; entry && i < entry->parameters->n; i++)
        has |= !hlo_layouts_are_sound(&scratch, entry->parameters->v[i]);
    if (entry) has |= !hlo_layouts_are_sound(&scratch, entry->result);
    hlo_arena_free(&scratch);
    return has;
}

static bool recovers_other_layouts(const hlo_module *module) {
    const hlo_attr *table = hlo_module_attr(module, HLO_ATTR_ORIGIN_RECOVERY_TABLE);
    bool recovers = false;
    for (uint32_t i = 0; table && i < table->u.recovery->n; i++) {
        hlo_str text = table->u.recovery->v[i].module;
        if (!text.ptr) continue;
        hlo_diags *diags = hlo_diags_create(1);
        hlo_source *source = hlo_source_from_text("recovery", text.ptr, text.len);
        hlo_module *inner = NULL;
        if (hlo_parse(source, diags, &inner) == HLO_OK) recovers |= has_other_layouts(inner);
        hlo_module_free(inner);
        hlo_source_free(source);
        hlo_diags_free(diags);
    }
    return recovers;
}

static bool has_no_form(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_SEND_DONE: return hlo_operand(instr, 0)->opcode != HLO_OP_SEND;
    case HLO_OP_RECV_DONE: return hlo_operand(instr, 0)->opcode != HLO_OP_RECV;
    default: return has_other_slices(instr);
    }
}

bool can_be_a_message(const hlo_module *module) {
    if (recovers_other_layouts(module)) return false;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (has_no_form(i)) return false;
    return true;
}
