/* A module built anew from itself: see like.h. */
#include "build/like.h"

#include "build/builder.h"
#include "form/form.h"

typedef struct {
    hlo_builder b;
    hlo_computation **computations; /* by id of the old one */
    hlo_instr **instrs;             /* by hlo_instr.index in the old computation */
} remaking;

/* ---- references to what is made anew ---- */

static hlo_attr renewed(remaking *r, const hlo_attr *old) {
    hlo_attr attr = *old;
    hlo_arena *arena = &r->b.module->arena;
    hlo_attr_kind kind = hlo_attr_table[old->id].kind;
    if (kind == HLO_KIND_COMPUTATION) {
        attr.u.computation = r->computations[old->u.computation->id];
    } else if (kind == HLO_KIND_COMPUTATIONS) {
        const hlo_computations *from = old->u.computations;
        hlo_computations *to =
            hlo_arena_copy(arena, from, sizeof *from + from->n * sizeof from->v[0]);
        for (uint32_t i = 0; i < to->n; i++) to->v[i] = r->computations[from->v[i]->id];
        attr.u.computations = to;
    } else if (kind == HLO_KIND_INSTRUCTIONS) {
        const hlo_instrs *from = old->u.instructions;
        hlo_instrs *to = hlo_arena_copy(arena, from, sizeof *from + from->n * sizeof from->v[0]);
        for (uint32_t i = 0; i < to->n; i++) to->v[i] = r->instrs[from->v[i]->index];
        attr.u.instructions = to;
    }
    return attr;
}

/* ---- instructions ---- */

typedef const hlo_instr *unary_function(hlo_builder *, const hlo_instr *);
typedef const hlo_instr *binary_function(hlo_builder *, const hlo_instr *, const hlo_instr *,
                                         hlo_int_list);

static unary_function *const unary_of[HLO_OP_COUNT] = {
#define HLO_BUILD_UNARY(name, opcode) [HLO_OP_##opcode] = hlo_builder_##name,
#include "build/elementwise.def"
};
static binary_function *const binary_of[HLO_OP_COUNT] = {
#define HLO_BUILD_BINARY(name, opcode) [HLO_OP_##opcode] = hlo_builder_##name,
#include "build/elementwise.def"
};

static hlo_instr *by_draft(remaking *r, const hlo_instr *old, hlo_instr **operands) {
    hlo_draft draft = {.computation = r->b.frame->computation,
                       .name = old->name,
                       .opcode = (hlo_opcode)old->opcode,
                       .origin = HLO_DRAFT_OF_CODE,
                       .shape = old->shape,
                       .operands = operands,
                       .operand_count = old->operand_count,
                       .diags = r->b.diags};
    for (uint32_t i = 0; i < old->attr_count; i++)
        hlo_draft_add(&draft, renewed(r, &old->attrs[i]));
    return hlo_form_make(&draft);
}

/* Operands of one size and type give what is there already; attributes are added. */
static hlo_instr *by_function(remaking *r, const hlo_instr *old, hlo_instr **operands) {
    const hlo_instr *made = NULL;
    if (old->operand_count == 1) made = unary_of[old->opcode](&r->b, operands[0]);
    else made = binary_of[old->opcode](&r->b, operands[0], operands[1], (hlo_int_list){0, NULL});
    hlo_instr *instr = (hlo_instr *)(uintptr_t)made;
    if (!instr) return NULL;
    for (uint32_t i = 0; i < old->attr_count; i++)
        hlo_instr_set_attr(instr, renewed(r, &old->attrs[i]));
    instr->shape = old->shape; /* layouts, and precisions that a verifier may let mix */
    hlo_instr_take_name(instr, old->name);
    return instr;
}

static bool has_function(const hlo_instr *old) {
    if (!unary_of[old->opcode] && !binary_of[old->opcode]) return false;
    for (uint32_t i = 0; i < old->operand_count; i++)
        if (!hlo_shape_is_array(hlo_operand(old, i)->shape) ||
            hlo_operand(old, i)->shape->type != hlo_operand(old, 0)->shape->type ||
            !hlo_shape_compatible(hlo_operand(old, i)->shape, hlo_operand(old, 0)->shape))
            return false;
    return true;
}

static bool remake_instr(remaking *r, const hlo_instr *old) {
    hlo_instr **operands = HLO_NEW_ARRAY(&r->b.module->arena, hlo_instr *, old->operand_count + 1u);
    for (uint32_t i = 0; i < old->operand_count; i++)
        operands[i] = r->instrs[hlo_operand(old, i)->index];
    hlo_instr *made =
        has_function(old) ? by_function(r, old, operands) : by_draft(r, old, operands);
    if (made) made->at = old->at;
    r->instrs[old->index] = made;
    return made != NULL;
}

/* ---- computations ---- */

static bool remake_computation(remaking *r, hlo_computation *old) {
    hlo_computation *made = hlo_computation_new(r->b.module, old->name);
    made->execution_thread = old->execution_thread;
    made->at = old->at;
    made->is_fusion_body = old->is_fusion_body;
    made->is_async_body = old->is_async_body;
    hlo_builder_open(&r->b, made);
    hlo_number_instructions(old);
    r->instrs = HLO_NEW_ARRAY(&r->b.module->arena, hlo_instr *, old->instr_count + 1u);
    for (hlo_instr *i = old->first; i; i = i->next)
        if (!remake_instr(r, i)) return false;
    r->computations[old->id] = made;
    return hlo_builder_close(&r->b, r->instrs[old->root->index]) != NULL;
}

/* The old computations go, or after an error the new ones; those that stay are in the old order. */
static void settle(remaking *r, hlo_computation **old, uint32_t n, hlo_computation *last,
                   bool good) {
    hlo_module *module = r->b.module;
    if (good) {
        module->entry = r->computations[module->entry->id];
        for (uint32_t i = 0; i < n; i++) hlo_computation_remove(old[i]);
    } else {
        while (module->last != last) hlo_computation_remove(module->last);
    }
    hlo_count_names(module);
}

bool hlo_builder_remake(hlo_module *module, hlo_diags *diags) {
    hlo_builder_scope nothing = {0};
    remaking r = {.b = {.module = module, .diags = hlo_diags_create(1), .scope = &nothing}};
    uint32_t n = module->computation_count;
    hlo_computation *last = module->last;
    hlo_computation **order = HLO_NEW_ARRAY(&module->arena, hlo_computation *, n + 1u);
    r.computations = HLO_NEW_ARRAY(&module->arena, hlo_computation *, module->next_id + 1u);
    hlo_callees_first_order(module, order);
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) good = remake_computation(&r, order[i]);
    settle(&r, order, n, last, good);
    if (!good) hlo_diags_append(diags, r.b.diags);
    hlo_diags_free(r.b.diags);
    return good;
}
