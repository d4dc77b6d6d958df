/* Recipes of operations with effects. Each takes the token of the previous one, so that the order
 * is total; bodies of calls, loops and conditionals take the token and return one. Infeeds take
 * numbers, which infeed files can count up; outfeeds send values that are equal in every correct
 * implementation. */
#include "generator/generator.h"

const hlo_shape *token_shape(generator *g) {
    return hlo_shape_token(&g->module->shapes);
}

bool shall_have_effects(generator *g) {
    return g->scope->token && one_in(g, 2);
}

void start_effects(generator *g) {
    if (!g->options.effects || !g->options.types[HLO_U32]) return;
    g->scope->token = emit_value(g, HLO_OP_AFTER_ALL, NULL, NULL, 0, NULL, 0, (facts){0});
}

hlo_instr *generate_infeed(generator *g, hlo_opcode opcode) {
    hlo_instr *token = g->scope->token;
    if (!token) return NULL;
    const hlo_shape *parts[2] = {scalar_of(g, HLO_U32), token_shape(g)};
    const hlo_shape *shape = hlo_shape_tuple(&g->module->shapes, parts, 2);
    hlo_instr *infeed = emit_value(g, opcode, shape, &token, 1, NULL, 0, (facts){0});
    hlo_attr first = attr_int(HLO_ATTR_INDEX, 0), second = attr_int(HLO_ATTR_INDEX, 1);
    hlo_instr *number = emit_value(g, HLO_OP_GET_TUPLE_ELEMENT, NULL, &infeed, 1, &first, 1,
                                   facts_of_type(HLO_U32));
    g->scope->token =
        emit_value(g, HLO_OP_GET_TUPLE_ELEMENT, NULL, &infeed, 1, &second, 1, (facts){0});
    return number;
}

hlo_instr *generate_outfeed(generator *g, hlo_opcode opcode) {
    hlo_instr *token = g->scope->token;
    hlo_instr *value = token ? exact(g, pick_static(g, OF_PRED | OF_INTEGER, 0, 3)) : NULL;
    if (!value) return NULL;
    hlo_instr *operands[2] = {value, token};
    hlo_attr shape = {.id = HLO_ATTR_OUTFEED_SHAPE, .u.shape = value->shape};
    g->scope->token = emit_value(g, opcode, NULL, operands, 2, &shape, 1, (facts){0});
    return g->scope->token;
}
