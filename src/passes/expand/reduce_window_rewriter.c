/* reduce-window-rewriter: a cumulative reduce-window in log2(n) steps. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

/* The one dimension that the window extends over from its near end (forwards) or to its far one. */
static bool is_cumulative(const hlo_instr *instr, int64_t *dimension, bool *backwards) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    *dimension = -1;
    for (uint32_t i = 0; attr && i < attr->u.window->n; i++) {
        const hlo_window_dim *w = &attr->u.window->v[i];
        if (w->stride != 1 || w->base_dilation != 1 || w->window_dilation != 1 || w->reversed)
            return false;
        if (w->size == 1 && w->pad_low == 0 && w->pad_high == 0) continue;
        if (*dimension >= 0 || w->size != shape->dims[i]) return false;
        if (w->pad_low + w->pad_high != w->size - 1 || (w->pad_low && w->pad_high)) return false;
        *dimension = i;
        *backwards = w->pad_low == 0;
    }
    return *dimension >= 0 && shape->dims[*dimension] > 1;
}

/* After step i, element k holds what the window's last 2^i elements before k combine to. */
hlo_instr *hlo_rewrite_expand_cumulative_window(hlo_rewriter *r, hlo_instr *instr) {
    int64_t dimension;
    bool backwards = false;
    if (instr->operand_count != 2 || !is_cumulative(instr, &dimension, &backwards)) return NULL;
    hlo_opcode opcode =
        hlo_binary_computation(hlo_instr_attr(instr, HLO_ATTR_TO_APPLY)->u.computation);
    hlo_instr *init = hlo_operand(instr, 1), *x = hlo_operand(instr, 0);
    if (opcode == HLO_OP_COUNT || instr->shape->type != x->shape->type) return NULL;
    hlo_instr *neutral = hlo_build_neutral(r, init->shape, opcode);
    if (!neutral) return NULL;
    int64_t n = x->shape->dims[dimension];
    for (int64_t step = 1; step < n; step *= 2) {
        hlo_instr *moved = backwards ? hlo_build_pad(r, x, neutral, dimension, -step, step)
                                     : hlo_build_pad(r, x, neutral, dimension, step, -step);
        x = hlo_build_binary(r, opcode, x, moved);
    }
    hlo_instr *spread = hlo_build_spread(r, init, x->shape, NULL);
    return hlo_build_as(hlo_build_binary(r, opcode, x, spread), instr->shape);
}
