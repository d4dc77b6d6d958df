/* What a fusion reads and writes, as XLA's analysis counts: see cost.h. */
#include "analysis/cost.h"

/* Deeper inside, values count as read whole. */
enum { MOST_DEPTH = 8 };

/* ---- what is read ---- */

/* Users that share one reading of the whole count once. */
typedef struct {
    double bytes;
    bool has_whole;
} reading;

static void read_whole(reading *r, const hlo_instr *value) {
    if (!r->has_whole) r->bytes += hlo_own_bytes(value->shape);
    r->has_whole = true;
}

static double read_bytes(const hlo_instr *value, unsigned depth);

static void read_by(reading *r, const hlo_instr *value, const hlo_instr *user, unsigned depth) {
    bool is_first = hlo_operand(user, 0) == value;
    switch ((hlo_opcode)user->opcode) {
    case HLO_OP_FUSION:
        for (uint32_t i = 0; i < hlo_called(user, 0)->parameter_count; i++)
            if (hlo_operand(user, i) == value)
                r->bytes += read_bytes(hlo_called(user, 0)->parameters[i], depth + 1);
        break;
    case HLO_OP_SLICE: r->bytes += hlo_own_bytes(user->shape); break;
    case HLO_OP_DYNAMIC_SLICE:
        if (is_first) r->bytes += hlo_own_bytes(user->shape);
        else read_whole(r, value);
        break;
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        if (!is_first) read_whole(r, value); /* the first operand is the result */
        break;
    case HLO_OP_BROADCAST:
    case HLO_OP_RESHAPE: r->bytes += hlo_own_bytes(value->shape); break;
    default: read_whole(r, value);
    }
}

/* One of several operands that are the same value. */
static bool is_repeated(const hlo_use *use) {
    for (const hlo_use *other = use->user->operands; other < use; other++)
        if (other->def == use->def) return true;
    return false;
}

/* `depth` counts fusions and tuples that were entered. */
static double read_bytes(const hlo_instr *value, unsigned depth) {
    reading r = {0};
    if (depth > MOST_DEPTH) return hlo_leaf_bytes(value->shape);
    for (const hlo_use *use = value->first_use; use; use = use->next) {
        bool is_tuple = hlo_shape_is_tuple(value->shape);
        if (is_tuple && use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT)
            r.bytes += read_bytes(use->user, depth + 1);
        else if (!is_repeated(use)) read_by(&r, value, use->user, depth);
    }
    return r.bytes;
}

/* Single numbers are part of the code. */
static double constant_bytes(const hlo_computation *body) {
    double bytes = 0;
    for (const hlo_instr *i = body->first; i; i = i->next)
        if (i->opcode == HLO_OP_CONSTANT && hlo_shape_elements(i->shape) > 1)
            bytes += hlo_own_bytes(i->shape);
    return bytes;
}

/* ---- what is written ---- */

static double written_bytes(const hlo_instr *result) {
    if (result->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE)
        return hlo_own_bytes(hlo_operand(result, 1)->shape);
    return hlo_leaf_bytes(result->shape);
}

double hlo_fusion_bytes(const hlo_instr *fusion) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    const hlo_computation *body = hlo_called(fusion, 0);
    double bytes = constant_bytes(body);
    for (uint32_t i = 0; i < body->parameter_count; i++)
        bytes += read_bytes(body->parameters[i], 0);
    if (body->root->opcode != HLO_OP_TUPLE) return bytes + written_bytes(body->root);
    for (uint32_t i = 0; i < body->root->operand_count; i++)
        bytes += written_bytes(hlo_operand(body->root, i));
    return bytes;
}
