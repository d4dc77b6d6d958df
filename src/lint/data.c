/* Lint: constants that are large, and padding that is never read. */
#include "lint/linter.h"

void hlo_lint_large_constant(hlo_linter *l, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_CONSTANT) return;
    int64_t bytes = hlo_shape_bytes(instr->shape);
    if (bytes < 0 || (uint64_t)bytes <= l->options->large_constant) return;
    if (hlo_lint_report(l, HLO_RULE_LARGE_CONSTANT, instr, "%s takes %lld bytes, more than %llu",
                        hlo_lint_text(l, instr->shape), (long long)bytes,
                        (unsigned long long)l->options->large_constant))
        hlo_hint(l->diags, "pass the data as a parameter");
}

/* Whether the positions start, start+stride ... below limit of a padded dimension are all elements
 * of the operand, which stand at low, low+1+interior ... . */
static bool reads_no_padding(int64_t start, int64_t limit, int64_t stride, int64_t low,
                             int64_t interior, int64_t size) {
    if (start >= limit) return true;
    int64_t last = start + (limit - 1 - start) / stride * stride;
    int64_t step = interior + 1;
    if (start < low || size == 0 || last > low + (size - 1) * step) return false;
    return (start - low) % step == 0 && (start == last || stride % step == 0);
}

static bool slice_skips_padding(const hlo_instr *slice, const hlo_padding *padding,
                                const hlo_shape *operand) {
    HLO_ASSERT(slice->opcode == HLO_OP_SLICE);
    const hlo_slice *cut = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    for (uint32_t d = 0; d < operand->rank; d++)
        if (!reads_no_padding(cut->v[d].start, cut->v[d].limit, cut->v[d].stride, padding->v[d].low,
                              padding->v[d].interior, operand->dims[d]))
            return false;
    return true;
}

static bool adds_something(const hlo_padding *padding) {
    for (uint32_t d = 0; d < padding->n; d++)
        if (padding->v[d].low > 0 || padding->v[d].high > 0 || padding->v[d].interior > 0)
            return true;
    return false;
}

void hlo_lint_unread_padding(hlo_linter *l, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_PAD || !instr->first_use || instr == instr->parent->root) return;
    const hlo_padding *padding = hlo_instr_attr(instr, HLO_ATTR_PADDING)->u.padding;
    const hlo_shape *operand = hlo_operand(instr, 0)->shape;
    if (!adds_something(padding) || operand->dynamic) return;
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_SLICE || !slice_skips_padding(use->user, padding, operand))
            return;
    if (hlo_lint_report(l, HLO_RULE_UNREAD_PADDING, instr, "all users slice the padding off"))
        hlo_lint_note(l, instr->first_use->user->at, "one of the slices");
}
