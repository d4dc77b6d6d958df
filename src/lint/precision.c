/* Lint: element types: unintended f64, conversions that lose bits, dots that widen
 * their operands. */
#include "lint/linter.h"

/* ---- f64 in a model without it ---- */

typedef struct {
    bool wide, narrow; /* floating-point arrays of 64 bits a part, and others */
} float_widths;

static void look_at(const hlo_shape *shape, float_widths *found) {
    if (hlo_shape_is_tuple(shape))
        for (uint32_t i = 0; i < shape->rank; i++) look_at(shape->elements[i], found);
    if (!hlo_shape_is_array(shape)) return;
    hlo_type part = hlo_type_part((hlo_type)shape->type);
    if (part == HLO_F64) found->wide = true;
    else if (hlo_type_is_float(part)) found->narrow = true;
}

static bool is_wide(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && hlo_type_part((hlo_type)shape->type) == HLO_F64;
}

/* Where f64 comes from: nothing that goes in has it. */
static bool is_source(const hlo_instr *instr) {
    if (!is_wide(instr->shape) || instr->opcode == HLO_OP_PARAMETER ||
        instr->opcode == HLO_OP_GET_TUPLE_ELEMENT || hlo_called_count(instr) > 0)
        return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (is_wide(hlo_operand(instr, i)->shape)) return false;
    return true;
}

void hlo_lint_f64_in_f32_model(hlo_linter *l) {
    const hlo_computation *entry = l->module->entry;
    float_widths found = {0};
    look_at(entry->root->shape, &found);
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        look_at(entry->parameters[i]->shape, &found);
    if (found.wide || !found.narrow) return;
    for (const hlo_computation *c = l->module->first; c; c = c->next)
        for (const hlo_instr *instr = c->first; instr; instr = instr->next)
            if (is_source(instr))
                hlo_lint_report(l, HLO_RULE_F64_IN_F32_MODEL, instr,
                                "%s, and no input or result of the model is f64",
                                hlo_lint_text(l, instr->shape));
}

/* ---- there and back ---- */

/* Every value of `from` is one of `to`. */
static bool holds_all(hlo_type to, hlo_type from) {
    const hlo_type_info *a = &hlo_types[to], *b = &hlo_types[from];
    if (to == from || from == HLO_PRED) return true;
    if (hlo_type_is_complex(to) && hlo_type_is_complex(from))
        return a->mantissa_bits >= b->mantissa_bits;
    if (hlo_type_is_float(to) && hlo_type_is_float(from))
        return a->mantissa_bits >= b->mantissa_bits && a->exponent_bits >= b->exponent_bits &&
               to != HLO_F8E8M0FNU;
    if (hlo_type_is_integral(to) && hlo_type_is_integral(from))
        return a->class == b->class ? a->bits >= b->bits
                                    : a->class == HLO_CLASS_SIGNED && a->bits > b->bits;
    if (hlo_type_is_float(to) && hlo_type_is_integral(from)) return a->mantissa_bits + 1 >= b->bits;
    return false;
}

enum { CHAIN = 8 };

/* The value was of this type before the conversion, maybe some conversions earlier. */
static bool came_from(const hlo_instr *convert, hlo_type type) {
    for (int i = 0; i < CHAIN; i++) {
        if (convert->opcode != HLO_OP_CONVERT && !hlo_lint_moves_only(convert)) return false;
        convert = hlo_operand(convert, 0);
        if (convert->shape->type == type) return true;
    }
    return false;
}

/* narrowed[i]: the conversion that took bits from the value of instruction i, which was only moved
 * since. */
static void follow(hlo_linter *l, const hlo_instr *instr, const hlo_instr **narrowed) {
    if (instr->opcode == HLO_OP_CONVERT) {
        const hlo_shape *to = instr->shape, *from = hlo_operand(instr, 0)->shape;
        const hlo_instr *before = narrowed[hlo_operand(instr, 0)->index];
        if (before && came_from(before, (hlo_type)to->type)) {
            if (hlo_lint_report(l, HLO_RULE_LOSSY_ROUND_TRIP, instr,
                                "converts back to %s after a lossy conversion to %s",
                                hlo_types[to->type].text, hlo_types[before->shape->type].text))
                hlo_lint_note(l, before->at, "the lossy conversion");
        } else if (!holds_all((hlo_type)to->type, (hlo_type)from->type)) {
            narrowed[instr->index] = instr;
        } else {
            narrowed[instr->index] = before; /* widened to something else on the way */
        }
    } else if (hlo_lint_moves_only(instr)) {
        narrowed[instr->index] = narrowed[hlo_operand(instr, 0)->index];
    }
}

void hlo_lint_lossy_round_trip(hlo_linter *l) {
    const hlo_instr **narrowed = HLO_NEW_ARRAY(&l->scratch, const hlo_instr *, l->instr_count);
    for (hlo_computation *c = l->module->first; c; c = c->next) {
        hlo_instr **order = hlo_malloc(c->instr_count * sizeof(hlo_instr *));
        uint32_t n = hlo_post_order(c, order);
        for (uint32_t i = 0; i < n; i++) follow(l, order[i], narrowed);
        hlo_free(order);
    }
}

/* ---- dots ---- */

/* The conversion from a narrower floating-point type from which data movement leads here, or NULL.
 */
static const hlo_instr *widened(const hlo_instr *instr) {
    for (int i = 0; i < CHAIN && hlo_lint_moves_only(instr); i++) instr = hlo_operand(instr, 0);
    if (instr->opcode != HLO_OP_CONVERT) return NULL;
    hlo_type to = (hlo_type)instr->shape->type, from = (hlo_type)hlo_operand(instr, 0)->shape->type;
    bool widens =
        hlo_type_is_float(to) && hlo_type_is_float(from) && to != from && holds_all(to, from);
    return widens ? instr : NULL;
}

void hlo_lint_needless_upcast(hlo_linter *l, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_DOT) return;
    const hlo_instr *lhs = widened(hlo_operand(instr, 0)), *rhs = widened(hlo_operand(instr, 1));
    if (!lhs || !rhs) return;
    hlo_type narrow = (hlo_type)hlo_operand(lhs, 0)->shape->type;
    if (hlo_operand(rhs, 0)->shape->type != narrow) return;
    if (!hlo_lint_report(l, HLO_RULE_NEEDLESS_UPCAST, instr,
                         "both operands are widened from %s to %s before it",
                         hlo_types[narrow].text, hlo_types[lhs->shape->type].text))
        return;
    hlo_lint_note(l, lhs->at, "operand 0 is widened here");
    if (rhs != lhs) hlo_lint_note(l, rhs->at, "operand 1 is widened here");
    hlo_hint(l->diags, "a dot of two %s operands may have the result type %s",
             hlo_types[narrow].text, hlo_types[instr->shape->type].text);
}
