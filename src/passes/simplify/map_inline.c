/* map-inline: the operations of the computation that map applies, done on whole arrays. A pattern.
 */
#include "analysis/match.h"
#include "passes/pipeline/inline.h"

static bool is_elementwise_body(const hlo_computation *body) {
    for (const hlo_instr *i = body->first; i; i = i->next) {
        bool fits = i->opcode == HLO_OP_PARAMETER || i->opcode == HLO_OP_CONSTANT ||
                    ((hlo_info(i)->flags & HLO_OP_IS_ELEMENTWISE) && !hlo_instr_has_side_effect(i));
        if (!fits || i->shape->rank || !hlo_shape_is_array(i->shape) ||
            hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS))
            return false;
    }
    return true;
}

static hlo_instr *widened(hlo_rewriter *r, hlo_instr *scalar, hlo_instr *const *copies,
                          const hlo_shape *like) {
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, like, (hlo_type)scalar->shape->type);
    if (scalar->opcode == HLO_OP_CONSTANT)
        return hlo_emit_filled_with(r, shape, hlo_literal_data(hlo_constant_of(scalar)));
    hlo_instr *operands[3];
    for (uint32_t i = 0; i < scalar->operand_count; i++)
        operands[i] = copies[hlo_operand(scalar, i)->index];
    return hlo_emit_like(r, scalar, shape, operands, scalar->operand_count);
}

/* The verifier takes scalars among arrays, as XLA's does; no run does. */
static bool has_one_extent(const hlo_instr *map) {
    for (uint32_t i = 0; i < map->operand_count; i++) {
        const hlo_shape *shape = hlo_operand(map, i)->shape;
        if (shape->rank != map->shape->rank ||
            memcmp(shape->dims, map->shape->dims, shape->rank * sizeof *shape->dims) != 0)
            return false;
    }
    return true;
}

hlo_instr *hlo_rewrite_inline_map(hlo_rewriter *r, hlo_instr *map) {
    hlo_computation *body = hlo_called(map, 0);
    if (!body || !body->root || !has_one_extent(map) || !is_elementwise_body(body) ||
        !hlo_inline_fits(r, body))
        return NULL;
    hlo_inline_count(r, body);
    hlo_number_instructions(body);
    hlo_instr **copies = hlo_calloc(body->instr_count + 1u, sizeof *copies);
    for (hlo_instr *i = body->first; i; i = i->next) {
        if (i->opcode == HLO_OP_PARAMETER)
            copies[i->index] =
                hlo_operand(map, (uint32_t)hlo_attr_int(i, HLO_ATTR_PARAMETER_NUMBER));
        else copies[i->index] = widened(r, i, copies, map->shape);
    }
    hlo_instr *root = copies[body->root->index];
    hlo_free(copies);
    return root;
}
