/* layout_normalization of reductions, products and convolutions, whose results have other
 * dimensions than their operands: these name dimensions of their operands, which are renumbered.
 * Patterns. */
#include "passes/layout/normal_form.h"

/* Of an attribute that is there. */
static void set_ints(hlo_instr *instr, hlo_attr_id id, const hlo_ints *ints) {
    if (!hlo_instr_attr(instr, id)) return;
    hlo_instr_set_attr(instr, (hlo_attr){.id = (uint16_t)id, .u.ints = ints});
}

/* ---- reduce ---- */

/* The dimensions that stay, numbered as in the result, in the order of the operand's layout. */
static hlo_ints *order_of_kept(hlo_rewriter *r, const hlo_ints *order, const hlo_ints *reduced) {
    hlo_ints *kept = hlo_ints_new(&r->module->arena, order->n - reduced->n);
    uint32_t n = 0;
    for (uint32_t k = 0; k < order->n; k++) {
        if (hlo_ints_contain(reduced, order->v[k])) continue;
        int64_t number = order->v[k];
        for (uint32_t i = 0; i < reduced->n; i++) number -= reduced->v[i] < order->v[k];
        kept->v[n++] = number;
    }
    return kept;
}

hlo_instr *hlo_rewrite_normalize_reduce(hlo_rewriter *r, hlo_instr *reduce) {
    if (reduce->operand_count != 2 || !hlo_has_other_layout(reduce)) return NULL;
    hlo_instr *from = hlo_operand(reduce, 0);
    const hlo_ints *reduced = hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS);
    const hlo_ints *order = hlo_layout_order(r, from->shape);
    const hlo_ints *kept = order_of_kept(r, order, reduced);
    hlo_instr *operands[] = {hlo_normal_form(r, from), hlo_operand(reduce, 1)};
    hlo_instr *out =
        hlo_emit_like(r, reduce, hlo_shape_in_order(r, reduce->shape, kept), operands, 2);
    set_ints(out, HLO_ATTR_DIMENSIONS, hlo_places_in_order(r, reduced, order));
    return hlo_from_order(r, out, kept, reduce->shape);
}

/* ---- dot ---- */

typedef struct {
    const hlo_ints *batch, *contracted;
    hlo_attr_id batch_id, contracted_id;
    const hlo_ints *order;
    hlo_instr *normal;
} dot_side;

static dot_side side_of(hlo_rewriter *r, const hlo_instr *dot, uint32_t side) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    dot_side s = {.batch_id = side ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS,
                  .contracted_id =
                      side ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS};
    s.batch = hlo_attr_ints(dot, s.batch_id);
    s.contracted = hlo_attr_ints(dot, s.contracted_id);
    s.order = hlo_layout_order(r, hlo_operand(dot, side)->shape);
    s.normal = hlo_normal_form(r, hlo_operand(dot, side));
    return s;
}

static bool is_free(const dot_side *side, int64_t d) {
    return !hlo_ints_contain(side->batch, d) && !hlo_ints_contain(side->contracted, d);
}

/* Appends the side's free dimensions, as they are numbered in the result, in the side's order. */
static uint32_t append_free(hlo_ints *result, uint32_t n, const dot_side *side) {
    uint32_t first = n;
    for (uint32_t k = 0; k < side->order->n; k++) {
        if (!is_free(side, side->order->v[k])) continue;
        int64_t number = first;
        for (int64_t d = 0; d < side->order->v[k]; d++) number += is_free(side, d);
        result->v[n++] = number;
    }
    return n;
}

static void name_dimensions(hlo_rewriter *r, hlo_instr *dot, const dot_side *side) {
    const hlo_ints *places = hlo_order_places(r, side->order);
    set_ints(dot, side->batch_id, hlo_places_of(r, side->batch, places));
    set_ints(dot, side->contracted_id, hlo_places_of(r, side->contracted, places));
}

hlo_instr *hlo_rewrite_normalize_dot(hlo_rewriter *r, hlo_instr *dot) {
    if (dot->operand_count != 2 || !hlo_has_other_layout(dot)) return NULL;
    dot_side lhs = side_of(r, dot, 0), rhs = side_of(r, dot, 1);
    hlo_ints *order = hlo_default_order(r, dot->shape->rank); /* batch dimensions stay in front */
    append_free(order, append_free(order, lhs.batch->n, &lhs), &rhs);
    hlo_instr *out = hlo_emit_like(r, dot, hlo_shape_in_order(r, dot->shape, order),
                                   (hlo_instr *[]){lhs.normal, rhs.normal}, 2);
    name_dimensions(r, out, &lhs);
    name_dimensions(r, out, &rhs);
    return hlo_from_order(r, out, order, dot->shape);
}

/* ---- convolution ---- */

static const int64_t *named(hlo_rewriter *r, const int64_t *dims, uint32_t n,
                            const hlo_ints *places) {
    return hlo_places_of(r, hlo_ints_from(&r->module->arena, dims, n), places)->v;
}

static const hlo_dim_labels *named_labels(hlo_rewriter *r, const hlo_dim_labels *old,
                                          const hlo_ints *input, const hlo_ints *kernel,
                                          const hlo_ints *output) {
    hlo_dim_labels *labels = hlo_arena_zero(&r->module->arena, sizeof *labels);
    labels->n = old->n;
    labels->input_batch = input->v[old->input_batch];
    labels->input_feature = input->v[old->input_feature];
    labels->input_spatial = named(r, old->input_spatial, old->n, input);
    labels->kernel_input_feature = kernel->v[old->kernel_input_feature];
    labels->kernel_output_feature = kernel->v[old->kernel_output_feature];
    labels->kernel_spatial = named(r, old->kernel_spatial, old->n, kernel);
    labels->output_batch = output->v[old->output_batch];
    labels->output_feature = output->v[old->output_feature];
    labels->output_spatial = named(r, old->output_spatial, old->n, output);
    return labels;
}

static hlo_ints *layout_places(hlo_rewriter *r, const hlo_shape *shape) {
    return hlo_order_places(r, hlo_layout_order(r, shape));
}

hlo_instr *hlo_rewrite_normalize_convolution(hlo_rewriter *r, hlo_instr *convolution) {
    const hlo_attr *labels = hlo_instr_attr(convolution, HLO_ATTR_DIM_LABELS);
    if (!labels || convolution->operand_count != 2 || !hlo_has_other_layout(convolution))
        return NULL;
    hlo_instr *input = hlo_operand(convolution, 0), *kernel = hlo_operand(convolution, 1);
    const hlo_ints *order = hlo_layout_order(r, convolution->shape);
    hlo_attr named_attr = {.id = HLO_ATTR_DIM_LABELS};
    named_attr.u.dim_labels =
        named_labels(r, labels->u.dim_labels, layout_places(r, input->shape),
                     layout_places(r, kernel->shape), hlo_order_places(r, order));
    hlo_instr *operands[] = {hlo_normal_form(r, input), hlo_normal_form(r, kernel)};
    hlo_instr *out = hlo_emit_like(r, convolution, hlo_shape_in_order(r, convolution->shape, order),
                                   operands, 2);
    hlo_instr_set_attr(out, named_attr);
    return hlo_from_order(r, out, order, convolution->shape);
}
