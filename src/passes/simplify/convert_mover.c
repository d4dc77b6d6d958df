/* convert-mover: conversions move to where data movement handles fewer bytes. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

static bool moves_data(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_BROADCAST:
    case HLO_OP_RESHAPE:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE: return true;
    default: return false;
    }
}

static unsigned bits(const hlo_instr *instr) {
    return hlo_types[instr->shape->type].bits;
}

/* move(convert(a)) to a wider type is convert(move(a)). */
hlo_instr *hlo_rewrite_sink_widening(hlo_rewriter *r, hlo_instr *move) {
    hlo_instr *convert = moves_data(move) ? hlo_operand(move, 0) : NULL;
    if (!convert || convert->opcode != HLO_OP_CONVERT || !hlo_has_one_user(convert)) return NULL;
    hlo_instr *a = hlo_operand(convert, 0);
    if (bits(a) >= bits(convert)) return NULL;
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, move->shape, (hlo_type)a->shape->type);
    return hlo_emit_unary(r, HLO_OP_CONVERT, move->shape, hlo_emit_like(r, move, shape, &a, 1));
}

/* convert(move(a)) to a narrower type is move(convert(a)), unless that converts more elements. */
hlo_instr *hlo_rewrite_hoist_narrowing(hlo_rewriter *r, hlo_instr *convert) {
    hlo_instr *move = hlo_operand(convert, 0);
    if (!moves_data(move) || !hlo_has_one_user(move) || bits(move) <= bits(convert)) return NULL;
    hlo_instr *a = hlo_operand(move, 0);
    if (hlo_shape_elements(a->shape) > hlo_shape_elements(move->shape)) return NULL;
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, a->shape, (hlo_type)convert->shape->type);
    hlo_instr *narrow = hlo_emit_unary(r, HLO_OP_CONVERT, shape, a);
    return hlo_emit_like(r, move, convert->shape, &narrow, 1);
}

static bool is_own_widening(const hlo_instr *part, const hlo_shape *narrow) {
    return part->opcode == HLO_OP_CONVERT && hlo_has_one_user(part) &&
           hlo_operand(part, 0)->shape->type == narrow->type;
}

/* concatenate(convert(a), convert(b)) from one narrower type is convert(concatenate(a, b)). */
hlo_instr *hlo_rewrite_sink_widening_parts(hlo_rewriter *r, hlo_instr *whole) {
    const hlo_instr *first = hlo_operand(whole, 0);
    if (first->opcode != HLO_OP_CONVERT) return NULL;
    const hlo_shape *narrow = hlo_operand(first, 0)->shape;
    if (bits(hlo_operand(first, 0)) >= bits(first)) return NULL;
    for (uint32_t i = 0; i < whole->operand_count; i++)
        if (!is_own_widening(hlo_operand(whole, i), narrow)) return NULL;
    hlo_instr **parts = hlo_malloc(whole->operand_count * sizeof *parts);
    for (uint32_t i = 0; i < whole->operand_count; i++)
        parts[i] = hlo_operand(hlo_operand(whole, i), 0);
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, whole->shape, (hlo_type)narrow->type);
    hlo_instr *joined = hlo_emit_like(r, whole, shape, parts, whole->operand_count);
    hlo_free(parts);
    return hlo_emit_unary(r, HLO_OP_CONVERT, whole->shape, joined);
}

/* convert(concatenate(a, b)) to a narrower type is concatenate(convert(a), convert(b)). */
hlo_instr *hlo_rewrite_hoist_narrowing_parts(hlo_rewriter *r, hlo_instr *convert) {
    hlo_instr *whole = hlo_operand(convert, 0);
    if (whole->opcode != HLO_OP_CONCATENATE || !hlo_has_one_user(whole) ||
        bits(whole) <= bits(convert))
        return NULL;
    hlo_instr **parts = hlo_malloc(whole->operand_count * sizeof *parts);
    for (uint32_t i = 0; i < whole->operand_count; i++) {
        hlo_instr *part = hlo_operand(whole, i);
        const hlo_shape *shape =
            hlo_shape_with_type(&r->module->shapes, part->shape, (hlo_type)convert->shape->type);
        parts[i] = hlo_emit_unary(r, HLO_OP_CONVERT, shape, part);
    }
    hlo_instr *out = hlo_emit_like(r, whole, convert->shape, parts, whole->operand_count);
    hlo_free(parts);
    return out;
}
