/* Recipes of fusions: of random instructions, and of instructions that only forward or move what
 * they get. */
#include "generator/generator.h"

/* A fusion may not have dead instructions: unused arrays are its results, the rest is removed. */
static hlo_instr *use_everything(generator *g) {
    enum { MOST = 64 };
    hlo_instr *results[MOST];
    scope *s = g->scope;
    uint32_t n = 0;
    for (uint32_t i = s->values.n; i-- > 0;) {
        hlo_instr *value = s->values.v[i];
        if (value->first_use) continue;
        if (hlo_shape_is_array(value->shape) && n < MOST) results[n++] = value;
        else if (value->opcode != HLO_OP_PARAMETER) hlo_instr_remove(value);
    }
    if (n == 1 && one_in(g, 2)) return results[0];
    return emit_value(g, HLO_OP_TUPLE, NULL, results, n, NULL, 0, (facts){0});
}

/* Ends the body; kinds make no difference to values. */
static hlo_instr *fusion_of(generator *g, hlo_instr *const *operands, uint32_t n, hlo_instr *root) {
    static const char *const kinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
    hlo_attr attrs[2] = {attr_word(HLO_ATTR_KIND, kinds[roll(g, 4)]),
                         attr_computation(HLO_ATTR_CALLS, close_scope(g, root))};
    if (!root) return NULL;
    attrs[1].u.computation->is_fusion_body = true;
    return emit_value(g, HLO_OP_FUSION, root->shape, operands, n, attrs, 2, facts_of(g, root));
}

static void open_body(generator *g, scope *s, hlo_instr *const *operands, uint32_t n) {
    open_scope(g, s, "fused", false);
    for (uint32_t i = 0; i < n; i++) add_parameter(g, operands[i]->shape, facts_of(g, operands[i]));
}

hlo_instr *take_apart(generator *g, const hlo_instr *fusion, hlo_instr *made) {
    const hlo_instr *root = hlo_called(fusion, 0)->root;
    for (uint32_t i = 0; made && root->opcode == HLO_OP_TUPLE && i < root->operand_count; i++)
        element_of(g, made, i, facts_of(g, hlo_operand(root, i)));
    return made;
}

/* The value itself, or its elements in their order. */
static hlo_instr *moved(generator *g, hlo_instr *a) {
    static const hlo_opcode moves[] = {HLO_OP_COPY, HLO_OP_RESHAPE, HLO_OP_BITCAST};
    hlo_opcode opcode = moves[roll(g, 3)];
    bool fits = opcode != HLO_OP_BITCAST || a->shape->plain_layout;
    if (one_in(g, 4) || !fits || !g->options.opcodes[opcode]) return a;
    const hlo_shape *shape = opcode == HLO_OP_COPY ? NULL : regrouped(g, a->shape);
    hlo_instr *made = emit(g, opcode, shape, &a, 1, NULL, 0);
    return made ? made : a;
}

/* Each parameter is a result, some of them several times. */
hlo_instr *forwarding_fusion(generator *g, hlo_instr *const *operands, uint32_t n) {
    enum { MORE = 2 };
    hlo_instr *results[MOST_OPERANDS + MORE];
    scope s;
    open_body(g, &s, operands, n);
    uint32_t count = n + (uint32_t)roll(g, MORE + 1);
    for (uint32_t i = 0; i < count; i++) {
        results[i] = moved(g, s.values.v[i < n ? i : roll(g, n)]);
        if (one_in(g, 3)) results[i] = moved(g, results[i]);
    }
    bool is_array = count == 1 && one_in(g, 2);
    hlo_instr *root = is_array
                          ? results[0]
                          : emit_value(g, HLO_OP_TUPLE, NULL, results, count, NULL, 0, (facts){0});
    return fusion_of(g, operands, n, root);
}

hlo_instr *generate_fusion(generator *g, hlo_opcode opcode) {
    hlo_instr *operands[MOST_OPERANDS], *fusion;
    uint32_t n = is_too_deep(g) ? 0 : pick_operands(g, operands, MOST_OPERANDS);
    (void)opcode;
    if (!n) return NULL;
    if (one_in(g, 3)) {
        fusion = forwarding_fusion(g, operands, n);
    } else {
        scope s;
        open_body(g, &s, operands, n);
        generate_steps(g, BODY_SIZE);
        fusion = fusion_of(g, operands, n, use_everything(g));
    }
    return fusion ? take_apart(g, fusion, fusion) : NULL;
}
