/* The reverse walk: cotangents meet at the values that they belong to, and rules hand them on. The
 * functions of rule.h about cotangents. */
#include "passes/autodiff/scope.h"

static hlo_gradient_rule *const rules[HLO_OP_COUNT] = {
#define HLO_GRADIENT(opcode, function, zeros) [HLO_OP_##opcode] = hlo_gradient_##function,
#include "passes/autodiff/rules.def"
#undef HLO_GRADIENT
};

static const uint8_t zeros_of_rules[HLO_OP_COUNT] = {
#define HLO_GRADIENT(opcode, function, zeros) [HLO_OP_##opcode] = HLO_RULE_##zeros,
#include "passes/autodiff/rules.def"
#undef HLO_GRADIENT
};

hlo_gradient_rule *hlo_gradient_rule_of(hlo_opcode opcode) {
    HLO_ASSERT(opcode < sizeof rules / sizeof *rules);
    return rules[opcode];
}

hlo_rule_zeros hlo_gradient_zeros_of(hlo_opcode opcode) {
    HLO_ASSERT(opcode < sizeof zeros_of_rules / sizeof *zeros_of_rules);
    return (hlo_rule_zeros)zeros_of_rules[opcode];
}

/* Operations whose results do not change with their operands, but in steps. No leaf of theirs is
 * active, so that nothing reaches them. */
bool hlo_gradient_none(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    (void)g, (void)instr, (void)cotangent;
    return true;
}

/* ---- cotangents ---- */

bool hlo_gradient_leaf_is_needed(const hlo_gradient *g, const hlo_instr *value, uint32_t leaf) {
    HLO_ASSERT(leaf < hlo_shape_leaf_count(value->shape));
    const hlo_leaf *leaves = hlo_scope_leaves(g->scope, value);
    return leaves && leaves[leaf].is_reached;
}

bool hlo_gradient_is_needed(const hlo_gradient *g, const hlo_instr *instr, uint32_t operand) {
    HLO_ASSERT(operand < instr->operand_count);
    const hlo_instr *value = hlo_operand(instr, operand);
    uint32_t n = hlo_scope_leaf_count(g->scope, value);
    for (uint32_t i = 0; i < n; i++)
        if (hlo_gradient_leaf_is_needed(g, value, i)) return true;
    return false;
}

hlo_instr *hlo_gradient_cotangent(const hlo_gradient *g, const hlo_instr *instr, uint32_t leaf) {
    HLO_ASSERT(leaf < hlo_shape_leaf_count(instr->shape));
    return hlo_scope_leaves(g->scope, instr)[leaf].cotangent;
}

hlo_instr *hlo_gradient_cotangent_or_zeros(hlo_gradient *g, const hlo_instr *instr, uint32_t leaf) {
    hlo_instr *cotangent = hlo_gradient_cotangent(g, instr, leaf);
    if (cotangent) return cotangent;
    return hlo_build_number(g->r, hlo_shape_leaf(instr->shape, leaf), 0);
}

/* ---- guards ---- */

/* Lanes of a chain of elementwise operations are guarded once, at its end. */
static void resolve(hlo_gradient *g, hlo_leaf *leaf) {
    hlo_guard guard = leaf->guard;
    leaf->guard = (hlo_guard){NULL, false};
    if (!guard.is_due) return;
    hlo_rewriter *r = g->r;
    hlo_instr *zero = hlo_build_number(r, guard.source->shape, 0);
    hlo_instr *counts = hlo_build_compare(r, guard.source, zero, "NE");
    if (leaf->cotangent->shape != zero->shape)
        zero = hlo_build_number(r, leaf->cotangent->shape, 0);
    leaf->cotangent = hlo_build_select(r, counts, leaf->cotangent, zero);
}

/* Of what the instruction gives the operand. */
static hlo_guard guard_of(const hlo_gradient *g, const hlo_instr *instr, uint32_t operand,
                          const hlo_instr *contribution) {
    hlo_guard guard = g->guard;
    bool is_same = contribution == hlo_gradient_cotangent(g, instr, 0);
    guard.is_due |= guard.source && !is_same &&
                    hlo_gradient_zeros_of((hlo_opcode)instr->opcode) == HLO_RULE_SLOPE &&
                    hlo_slope_may_be_nan(g->scope, instr, operand);
    return guard;
}

/* ---- sums ---- */

static void add(hlo_gradient *g, hlo_leaf *at, hlo_leaf other) {
    if (!at->cotangent || at->guard.source != other.guard.source) {
        if (at->cotangent) resolve(g, at);
        if (at->cotangent) resolve(g, &other);
    }
    at->cotangent = at->cotangent
                        ? hlo_build_binary(g->r, HLO_OP_ADD, at->cotangent, other.cotangent)
                        : other.cotangent;
    at->guard.source = other.guard.source;
    at->guard.is_due |= other.guard.is_due;
}

static void add_guarded(hlo_gradient *g, hlo_instr *instr, hlo_instr *to, uint32_t leaf,
                        hlo_leaf part) {
    if (!part.cotangent || !hlo_gradient_leaf_is_needed(g, to, leaf)) return;
    hlo_leaf *at = hlo_scope_leaves(g->scope, to) + leaf;
    hlo_type type = (hlo_type)hlo_shape_leaf(to->shape, leaf)->type;
    part.cotangent = hlo_build_convert(g->r, part.cotangent, type);
    if (!at->from) at->from = instr;
    add(g, at, part);
}

void hlo_gradient_add_leaf(hlo_gradient *g, hlo_instr *instr, hlo_instr *to, uint32_t leaf,
                           hlo_instr *contribution) {
    add_guarded(g, instr, to, leaf, (hlo_leaf){.cotangent = contribution});
}

void hlo_gradient_add(hlo_gradient *g, hlo_instr *instr, uint32_t operand,
                      hlo_instr *contribution) {
    HLO_ASSERT(operand < instr->operand_count);
    if (!contribution || !hlo_gradient_is_needed(g, instr, operand)) return;
    hlo_leaf part = {.cotangent = contribution};
    if (g->guard.source) part.guard = guard_of(g, instr, operand, contribution);
    if (hlo_makes_zeros(g->scope, instr, operand)) resolve(g, &part);
    add_guarded(g, instr, hlo_operand(instr, operand), 0, part);
}

/* ---- the walk ---- */

static bool is_reached(const hlo_gradient *g, const hlo_instr *instr) {
    const hlo_leaf *leaves = hlo_scope_leaves(g->scope, instr);
    uint32_t n = hlo_scope_leaf_count(g->scope, instr);
    for (uint32_t i = 0; i < n; i++)
        if (leaves[i].cotangent) return true;
    return false;
}

/* An elementwise operation hands the guard of its cotangent on, or begins one; before others, what
 * is due is done. */
static void set_guard(hlo_gradient *g, const hlo_instr *instr) {
    hlo_leaf *leaves = hlo_scope_leaves(g->scope, instr);
    bool is_elementwise = (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) &&
                          hlo_gradient_zeros_of((hlo_opcode)instr->opcode) != HLO_RULE_MAKES;
    g->guard = (hlo_guard){NULL, false};
    if (!is_elementwise) {
        uint32_t n = hlo_scope_leaf_count(g->scope, instr);
        for (uint32_t i = 0; i < n; i++) resolve(g, &leaves[i]);
    } else if (leaves->zeros == HLO_ZEROS_MASKED) {
        g->guard = leaves->guard;
        if (!g->guard.source) g->guard.source = leaves->cotangent;
    }
}

/* What a rule makes stands for the instruction in messages and profiles. */
static bool apply_rule(hlo_gradient *g, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode < HLO_OP_COUNT);
    hlo_gradient_rule *rule = rules[instr->opcode];
    if (!rule) return hlo_gradient_refuse(g, instr, "has no gradient");
    size_t before = g->r->fresh.n;
    bool is_array = hlo_shape_is_array(instr->shape);
    set_guard(g, instr);
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
        if (!is_reached(g, instr)) continue;
        if (instr->opcode == HLO_OP_PARAMETER) set_guard(g, instr);
        else if (!apply_rule(g, instr)) return false;
    }
    return true;
}
