/* Values that are kept for a gradient: see residuals.h. */
#include "passes/autodiff/residuals.h"

#include "analysis/equal.h"
#include "passes/autodiff/threads.h"

hlo_instr *hlo_hold_place(hlo_gradient *g, hlo_instr *instr) {
    hlo_instr *place = hlo_instr_new(g->r->target->parent, HLO_OP_AFTER_ALL, instr->shape,
                                     hlo_fresh_name(g->r->module, "place"), NULL, 0, NULL, 0);
    hlo_instr_move_before(place, g->r->target);
    hlo_list_push(&g->scope->kept, (hlo_known){instr, place});
    return place;
}

/* ---- what is smaller than the value ---- */

/* One operation, with literals besides, makes less of it. */
static bool makes_less(const hlo_instr *user, const hlo_instr *value) {
    hlo_opcode opcode = (hlo_opcode)user->opcode;
    bool is_one = opcode == HLO_OP_CONVERT || opcode == HLO_OP_GET_DIMENSION_SIZE ||
                  opcode == HLO_OP_REDUCE || opcode == HLO_OP_SLICE;
    for (uint32_t i = 0; is_one && i < user->operand_count; i++)
        is_one =
            i ? hlo_operand(user, i)->opcode == HLO_OP_CONSTANT : hlo_operand(user, i) == value;
    return is_one && hlo_shape_is_array(user->shape) &&
           hlo_shape_bytes(user->shape) < hlo_shape_bytes(value->shape);
}

static bool is_same_literal(const hlo_instr *a, const hlo_instr *b) {
    return a == b || hlo_computes_same(a, b);
}

static bool is_same(const hlo_instr *a, const hlo_instr *b) {
    bool same = hlo_same_operation(a, b) && a->shape == b->shape;
    for (uint32_t i = 1; same && i < a->operand_count; i++)
        same = is_same_literal(hlo_operand(a, i), hlo_operand(b, i));
    return same;
}

/* What alone is made of the value, by all its users; NULL: it is needed itself. */
static hlo_instr *only_use(const hlo_instr *value) {
    hlo_instr *first = value->first_use->user;
    if (!makes_less(first, value)) return NULL;
    for (const hlo_use *use = value->first_use->next; use; use = use->next)
        if (!makes_less(use->user, value) || !is_same(first, use->user)) return NULL;
    return first;
}

/* The forward computation makes it too, right after what it is made of. */
static hlo_instr *made_forward(hlo_gradient *g, const hlo_instr *like, hlo_instr *forward) {
    hlo_instr *target = g->r->target;
    g->r->target = forward->next;
    hlo_instr **operands = hlo_malloc(like->operand_count * sizeof *operands);
    operands[0] = forward;
    for (uint32_t i = 1; i < like->operand_count; i++)
        operands[i] =
            hlo_emit_like(g->r, hlo_operand(like, i), hlo_operand(like, i)->shape, NULL, 0);
    hlo_instr *made = hlo_emit_like(g->r, like, like->shape, operands, like->operand_count);
    hlo_free(operands);
    g->r->target = target;
    return made;
}

/* ---- values in their places ---- */

static void take_out(hlo_instr *instr) {
    hlo_instr_remove(instr);
    instr->parent = NULL;
}

static void replace_users(hlo_instr *place, hlo_instr *value) {
    while (place->first_use) {
        hlo_instr *user = place->first_use->user;
        hlo_instr_replace_operand_uses(user, value);
        take_out(user);
    }
}

/* A place that nothing uses is one that a rule asked for in vain. */
static bool fill_place(hlo_gradient *g, hlo_scope *scope, hlo_instr *forward, hlo_instr *place) {
    hlo_instr *less = place->first_use ? only_use(place) : NULL, *value = NULL;
    g->r->target = place;
    if (place->first_use)
        value = hlo_keep_value(g, scope, less ? made_forward(g, less, forward) : forward);
    bool good = value || !place->first_use;
    if (less && value) replace_users(place, value);
    else if (value) hlo_instr_replace_operand_uses(place, value);
    if (good) take_out(place);
    return good;
}

bool hlo_fill_places(hlo_gradient *g, hlo_scope *scope) {
    for (uint32_t i = 0; i < scope->kept.n; i++) {
        const hlo_known *kept = &scope->kept.v[i];
        if (!fill_place(g, scope, (hlo_instr *)(uintptr_t)kept->forward, kept->value)) return false;
    }
    hlo_enter_scope(g, scope);
    return true;
}
