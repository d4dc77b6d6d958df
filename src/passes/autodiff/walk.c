/* The reverse walk: cotangents meet at the values that they belong to, and rules hand them on. The
 * functions of rule.h about cotangents. Called by the pass, loops and branches. */
#include "passes/autodiff/scope.h"

static hlo_gradient_rule *const rules[HLO_OP_COUNT] = {
#define HLO_GRADIENT(opcode, function) [HLO_OP_##opcode] = hlo_gradient_##function,
#include "passes/autodiff/rules.def"
#undef HLO_GRADIENT
};

hlo_gradient_rule *hlo_gradient_rule_of(hlo_opcode opcode) {
    return rules[opcode];
}

/* Operations whose results do not change with their operands, but in steps. No leaf of theirs is
 * active, so that nothing reaches them. */
bool hlo_gradient_none(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    (void)g, (void)instr, (void)cotangent;
    return true;
}

/* ---- cotangents ---- */

bool hlo_gradient_wants_leaf(const hlo_gradient *g, const hlo_instr *value, uint32_t leaf) {
    const hlo_leaf *leaves = hlo_scope_leaves(g->scope, value);
    return leaves && leaves[leaf].is_reached;
}

bool hlo_gradient_wants(const hlo_gradient *g, const hlo_instr *instr, uint32_t operand) {
    const hlo_instr *value = hlo_operand(instr, operand);
    uint32_t n = hlo_scope_leaf_count(g->scope, value);
    for (uint32_t i = 0; i < n; i++)
        if (hlo_gradient_wants_leaf(g, value, i)) return true;
    return false;
}

hlo_instr *hlo_gradient_cotangent(const hlo_gradient *g, const hlo_instr *instr, uint32_t leaf) {
    return hlo_scope_leaves(g->scope, instr)[leaf].cotangent;
}

hlo_instr *hlo_gradient_cotangent_or_zeros(hlo_gradient *g, const hlo_instr *instr, uint32_t leaf) {
    hlo_instr *cotangent = hlo_gradient_cotangent(g, instr, leaf);
    if (cotangent) return cotangent;
    return hlo_build_number(g->r, hlo_leaf_shape(instr->shape, leaf), 0);
}

void hlo_gradient_add_leaf(hlo_gradient *g, hlo_instr *instr, hlo_instr *to, uint32_t leaf,
                           hlo_instr *contribution) {
    if (!contribution || !hlo_gradient_wants_leaf(g, to, leaf)) return;
    hlo_leaf *at = hlo_scope_leaves(g->scope, to) + leaf;
    hlo_type type = (hlo_type)hlo_leaf_shape(to->shape, leaf)->type;
    contribution = hlo_build_convert(g->r, contribution, type);
    if (!at->from) at->from = instr;
    at->cotangent = at->cotangent ? hlo_build_binary(g->r, HLO_OP_ADD, at->cotangent, contribution)
                                  : contribution;
}

void hlo_gradient_add(hlo_gradient *g, hlo_instr *instr, uint32_t operand,
                      hlo_instr *contribution) {
    hlo_gradient_add_leaf(g, instr, hlo_operand(instr, operand), 0, contribution);
}

/* ---- the walk ---- */

static bool is_reached(const hlo_gradient *g, const hlo_instr *instr) {
    const hlo_leaf *leaves = hlo_scope_leaves(g->scope, instr);
    uint32_t n = hlo_scope_leaf_count(g->scope, instr);
    for (uint32_t i = 0; i < n; i++)
        if (leaves[i].cotangent) return true;
    return false;
}

/* What a rule makes stands for the instruction in messages and profiles. */
static bool apply_rule(hlo_gradient *g, hlo_instr *instr) {
    hlo_gradient_rule *rule = rules[instr->opcode];
    if (!rule) return hlo_gradient_refuse(g, instr, "has no gradient");
    size_t before = g->r->fresh.n;
    bool is_array = hlo_shape_is_array(instr->shape);
    if (!rule(g, instr, is_array ? hlo_gradient_cotangent(g, instr, 0) : NULL)) return false;
    for (size_t i = before; i < g->r->fresh.n; i++) {
        hlo_inherit_metadata(instr, g->r->fresh.v[i]);
        if (!g->r->fresh.v[i]->at.hi) g->r->fresh.v[i]->at = instr->at;
    }
    return true;
}

bool hlo_gradient_walk(hlo_gradient *g) {
    for (uint32_t i = g->scope->count; i-- > 0;) {
        hlo_instr *instr = g->scope->order[i];
        if (instr->opcode == HLO_OP_PARAMETER || !is_reached(g, instr)) continue;
        if (!apply_rule(g, instr)) return false;
    }
    return true;
}
