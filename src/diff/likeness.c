/* How likely an instruction is what became of another one. */
#include "diff/diff.h"

static uint32_t shared_operands(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->operand_count && i < b->operand_count; i++)
        n += hlo_diff_operand_value(&d->a, a, i) == hlo_diff_operand_value(&d->b, b, i);
    return n;
}

/* Some user of each takes it at the same place and looks the same; the first few are asked. */
static bool users_agree(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    enum { FEW = 8 };
    if (!a->first_use || !b->first_use) return a->parent->root == a && b->parent->root == b;
    int i = 0;
    if (d->a.use[0][hlo_diff_number(&d->a, a)] == d->b.use[0][hlo_diff_number(&d->b, b)])
        return true;
    for (const hlo_use *x = a->first_use; x && i < FEW; x = x->next, i++) {
        uint64_t own = d->a.own[hlo_diff_number(&d->a, x->user)];
        int k = 0;
        for (const hlo_use *y = b->first_use; y && k < FEW; y = y->next, k++)
            if (d->b.own[hlo_diff_number(&d->b, y->user)] == own &&
                x - x->user->operands == y - y->user->operands)
                return true;
    }
    return false;
}

uint32_t hlo_diff_likeness(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    bool same_opcode = a->opcode == b->opcode;
    bool same_shape = hlo_diff_same_shape(d, a, b);
    bool same_count = a->operand_count == b->operand_count;
    uint32_t shared = shared_operands(d, a, b);
    bool same_operands = same_count && shared == a->operand_count;
    bool same_own = d->a.own[hlo_diff_number(&d->a, a)] == d->b.own[hlo_diff_number(&d->b, b)];
    bool is_parameter = a->opcode == HLO_OP_PARAMETER || b->opcode == HLO_OP_PARAMETER;
    if (is_parameter && (!same_opcode || hlo_attr_int(a, HLO_ATTR_PARAMETER_NUMBER) !=
                                             hlo_attr_int(b, HLO_ATTR_PARAMETER_NUMBER)))
        return 0;
    uint32_t score = 16u * same_own + 8u * same_opcode + 4u * same_operands + 2u * same_shape +
                     4u * users_agree(d, a, b);
    if (a->operand_count) score += 4 * shared / a->operand_count;
    if (!a->operand_count) same_operands = same_shape || is_parameter;
    bool likely = same_opcode
                      ? same_operands || same_own || (shared && same_shape)
                      : same_operands && same_shape && a->operand_count && users_agree(d, a, b);
    return likely ? score : 0;
}
