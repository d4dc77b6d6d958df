/* The rule of convolution: each operand gets a convolution of the cotangent with the other one. */
#include "analysis/match.h"
#include "passes/autodiff/formula.h"
#include "passes/autodiff/window.h"
#include "shape/compatible.h"

typedef struct {
    hlo_gradient *g;
    hlo_instr *instr, *c;
    const hlo_dim_labels *labels;
    int64_t feature_groups, batch_groups;
} convolution;

/* What is specific to a convolution of a gradient. */
typedef struct {
    hlo_instr *lhs, *rhs;
    hlo_window *window;
    hlo_dim_labels labels;
    int64_t feature_groups, batch_groups;
} product;

static const hlo_shape *shape_of(const convolution *v, uint32_t operand) {
    HLO_ASSERT(operand < 2);
    return hlo_operand(v->instr, operand)->shape;
}

/* The product for an operand, in the most precise of their types. */
static hlo_instr *emit_product(const convolution *v, const product *p, uint32_t operand) {
    hlo_rewriter *r = v->g->r;
    const hlo_attr *precision = hlo_instr_attr(v->instr, HLO_ATTR_OPERAND_PRECISION);
    hlo_type type =
        hlo_higher_precision((hlo_type)p->lhs->shape->type, (hlo_type)p->rhs->shape->type);
    type = hlo_higher_precision(type, (hlo_type)shape_of(v, operand)->type);
    hlo_instr *operands[2] = {hlo_build_convert(r, p->lhs, type)};
    operands[1] = hlo_build_convert(r, p->rhs, type);
    hlo_attr attrs[5] = {
        {.id = HLO_ATTR_DIM_LABELS,
         .u.dim_labels = hlo_arena_copy(&r->module->arena, &p->labels, sizeof p->labels)},
        hlo_attr_of_int(HLO_ATTR_FEATURE_GROUP_COUNT, p->feature_groups),
        hlo_attr_of_int(HLO_ATTR_BATCH_GROUP_COUNT, p->batch_groups)};
    uint32_t n = 3;
    if (p->window->n) attrs[n++] = (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = p->window};
    if (precision) attrs[n++] = *precision;
    return hlo_emit(r, HLO_OP_CONVOLUTION, NULL, operands, 2, attrs, n);
}

/* Groups that dimension `from` consists of become the outer part of dimension `to`. */
static hlo_instr *regrouped(hlo_gradient *g, hlo_instr *a, int64_t from, int64_t to,
                            int64_t groups) {
    if (groups == 1) return a;
    uint32_t rank = a->shape->rank, n = 0;
    int64_t *sizes = hlo_malloc((rank + 1u) * sizeof *sizes);
    int64_t *order = hlo_malloc((rank + 1u) * sizeof *order);
    for (uint32_t d = 0; d < rank; d++) {
        if (d == from) sizes[n++] = groups;
        sizes[n++] = d == from ? a->shape->dims[d] / groups : a->shape->dims[d];
    }
    hlo_instr *split = hlo_build_reshape(g->r, a, sizes, rank + 1);
    n = 0;
    for (uint32_t d = 0; d < rank; d++) {
        if (d == to) order[n++] = from;
        order[n++] = d >= from ? d + 1 : d;
        sizes[d] = d == from ? a->shape->dims[d] / groups : a->shape->dims[d];
    }
    sizes[to] *= groups;
    a = hlo_build_reshape(g->r, hlo_build_transpose(g->r, split, order), sizes, rank);
    hlo_free(sizes);
    hlo_free(order);
    return a;
}

/* ---- the input ---- */

static bool turn_window(const convolution *v, hlo_window *window) {
    for (uint32_t i = 0; i < window->n; i++) {
        hlo_window_dim *dim = &window->v[i];
        dim->reversed = !dim->reversed;
        if (!hlo_window_turn(dim, shape_of(v, 0)->dims[v->labels->input_spatial[i]],
                             v->c->shape->dims[v->labels->output_spatial[i]]))
            return false;
    }
    return true;
}

/* The cotangent stands for the input, and the kernel's features change places. Groups of the
 * input's batch, like groups of its features, are groups of the output's features. */
static void add_to_input(const convolution *v, hlo_window *window) {
    const hlo_dim_labels *l = v->labels;
    int64_t groups = v->feature_groups * v->batch_groups;
    product p = {
        .lhs = v->c, .window = window, .labels = *l, .feature_groups = groups, .batch_groups = 1};
    p.rhs = regrouped(v->g, hlo_gradient_operand(v->g, v->instr, 1), l->kernel_output_feature,
                      l->kernel_input_feature, groups);
    p.labels.input_batch = l->output_batch;
    p.labels.input_feature = l->output_feature;
    p.labels.input_spatial = l->output_spatial;
    p.labels.kernel_input_feature = l->kernel_output_feature;
    p.labels.kernel_output_feature = l->kernel_input_feature;
    p.labels.output_batch = l->input_batch;
    p.labels.output_feature = l->input_feature;
    p.labels.output_spatial = l->input_spatial;
    hlo_instr *grad = emit_product(v, &p, 0);
    grad = regrouped(v->g, grad, l->input_feature, l->input_batch, v->batch_groups);
    hlo_gradient_add(v->g, v->instr, 0, grad);
}

/* ---- the kernel ---- */

/* The cotangent is the window, and there are as many positions for it as the kernel has elements.
 */
static bool cotangent_window(const convolution *v, hlo_window *window) {
    for (uint32_t i = 0; i < window->n; i++) {
        hlo_window_dim *dim = &window->v[i], old = *dim;
        int64_t base, kernel, own, whole, input = shape_of(v, 0)->dims[v->labels->input_spatial[i]];
        dim->size = v->c->shape->dims[v->labels->output_spatial[i]];
        dim->stride = old.window_dilation;
        dim->window_dilation = old.stride;
        dim->reversed = false;
        if (!hlo_dilated_extent(input, old.base_dilation, &base) ||
            !hlo_dilated_extent(old.size, old.window_dilation, &kernel) ||
            !hlo_dilated_extent(dim->size, old.stride, &own) ||
            __builtin_add_overflow(kernel, own - 1, &whole) ||
            __builtin_sub_overflow(whole, base + old.pad_low, &dim->pad_high))
            return false;
    }
    return true;
}

/* A kernel that was read backwards. */
static hlo_instr *put_forwards(const convolution *v, hlo_instr *kernel) {
    const hlo_attr *window = hlo_instr_attr(v->instr, HLO_ATTR_WINDOW);
    hlo_ints *dims = hlo_ints_new(&v->g->r->module->arena, v->labels->n);
    dims->n = 0;
    for (uint32_t i = 0; window && i < v->labels->n; i++)
        if (window->u.window->v[i].reversed) dims->v[dims->n++] = v->labels->kernel_spatial[i];
    hlo_attr attr = {.id = HLO_ATTR_DIMENSIONS, .u.ints = dims};
    return dims->n ? hlo_emit(v->g->r, HLO_OP_REVERSE, kernel->shape, &kernel, 1, &attr, 1)
                   : kernel;
}

/* Batches are summed over, and what the kernel's input features meet are the batch. */
static void add_to_kernel(const convolution *v, hlo_window *window) {
    const hlo_dim_labels *l = v->labels;
    product p = {.lhs = hlo_gradient_operand(v->g, v->instr, 0),
                 .rhs = v->c,
                 .window = window,
                 .labels = *l,
                 .feature_groups = v->batch_groups,
                 .batch_groups = v->feature_groups};
    p.labels.input_batch = l->input_feature;
    p.labels.input_feature = l->input_batch;
    p.labels.kernel_input_feature = l->output_batch;
    p.labels.kernel_output_feature = l->output_feature;
    p.labels.kernel_spatial = l->output_spatial;
    p.labels.output_batch = l->kernel_input_feature;
    p.labels.output_feature = l->kernel_output_feature;
    p.labels.output_spatial = l->kernel_spatial;
    hlo_gradient_add(v->g, v->instr, 1, put_forwards(v, emit_product(v, &p, 1)));
}

/* ---- the rule ---- */

bool hlo_gradient_convolution(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    convolution v = {.g = g,
                     .instr = instr,
                     .c = c,
                     .labels = hlo_instr_attr(instr, HLO_ATTR_DIM_LABELS)->u.dim_labels,
                     .feature_groups = hlo_attr_int(instr, HLO_ATTR_FEATURE_GROUP_COUNT),
                     .batch_groups = hlo_attr_int(instr, HLO_ATTR_BATCH_GROUP_COUNT)};
    if (hlo_has_sparse_operand(instr))
        return hlo_gradient_refuse(g, instr, "has no gradient for sparse operands");
    if (instr->shape->dynamic || shape_of(&v, 0)->dynamic || shape_of(&v, 1)->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    if (!hlo_shape_elements(shape_of(&v, 0)) || !hlo_shape_elements(shape_of(&v, 1)) ||
        !hlo_shape_elements(v.c->shape))
        return true;
    hlo_window *windows[] = {hlo_gradient_window(g, instr, v.labels->n),
                             hlo_gradient_window(g, instr, v.labels->n)};
    HLO_ASSERT(instr->opcode == HLO_OP_CONVOLUTION);
    if (!turn_window(&v, windows[0]) || !cotangent_window(&v, windows[1]))
        return hlo_gradient_refuse(g, instr, "has a gradient that is padded beyond 63 bits");
    if (hlo_gradient_is_needed(g, instr, 0)) add_to_input(&v, windows[0]);
    if (hlo_gradient_is_needed(g, instr, 1)) add_to_kernel(&v, windows[1]);
    return true;
}
