/* batchnorm_expander: batch-norm as sums and products. Narrow floats are summed in f32. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

typedef struct {
    hlo_rewriter *r;
    const hlo_shape *shape; /* of the operand, in the type of the sums */
    int64_t feature;
    int64_t *others; /* all dimensions but the features' */
    double count;    /* elements of a feature */
    double epsilon;
} norm;

static hlo_type sum_type(hlo_type type) {
    return hlo_types[type].bits < 32 ? HLO_F32 : type;
}

/* False for arrays without elements, which have no mean, and where a run refuses operands. */
static bool start_norm(norm *n, hlo_rewriter *r, const hlo_instr *instr) {
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    int64_t feature = hlo_attr_int(instr, HLO_ATTR_FEATURE_INDEX);
    int64_t elements = hlo_shape_elements(shape);
    if (elements <= 0 || hlo_misfit_of_norm(instr)) return false;
    *n = (norm){.r = r, .feature = feature};
    n->shape = hlo_shape_with_type(&r->module->shapes, shape, sum_type((hlo_type)shape->type));
    int64_t count = elements / shape->dims[feature];
    n->count = (double)count;
    n->epsilon = hlo_instr_attr(instr, HLO_ATTR_EPSILON)->u.f;
    n->others = hlo_calloc(shape->rank, sizeof *n->others);
    for (uint32_t i = 0, k = 0; i < shape->rank; i++)
        if (i != feature) n->others[k++] = i;
    return true;
}

static hlo_instr *operand(const norm *n, const hlo_instr *instr, uint32_t i) {
    return hlo_build_convert(n->r, hlo_operand(instr, i), (hlo_type)n->shape->type);
}

static hlo_instr *spread(const norm *n, hlo_instr *by_feature) {
    return hlo_build_spread(n->r, by_feature, n->shape, &n->feature);
}

static hlo_instr *sum(const norm *n, hlo_instr *x) {
    return hlo_build_reduce(n->r, x, HLO_OP_ADD, n->others, n->shape->rank - 1);
}

static hlo_instr *scaled(const norm *n, hlo_instr *x, double factor) {
    return hlo_build_binary(n->r, HLO_OP_MULTIPLY, x, hlo_build_number(n->r, x->shape, factor));
}

/* By the number of elements. */
static hlo_instr *divided(const norm *n, hlo_instr *total) {
    return hlo_build_binary(n->r, HLO_OP_DIVIDE, total,
                            hlo_build_number(n->r, total->shape, n->count));
}

static hlo_instr *mean(const norm *n, hlo_instr *x) {
    return divided(n, sum(n, x));
}

static hlo_instr *with_epsilon(const norm *n, hlo_instr *variance) {
    return hlo_build_binary(n->r, HLO_OP_ADD, variance,
                            hlo_build_number(n->r, variance->shape, n->epsilon));
}

/* 1 / sqrt(variance + epsilon) */
static hlo_instr *inverse_deviation(const norm *n, hlo_instr *variance) {
    return hlo_build_unary(n->r, HLO_OP_RSQRT, with_epsilon(n, variance));
}

static hlo_instr *multiply(const norm *n, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(n->r, HLO_OP_MULTIPLY, a, b);
}

/* centred * scale / deviation + offset */
static hlo_instr *normalised(const norm *n, const hlo_instr *instr, hlo_instr *centred,
                             hlo_instr *variance) {
    hlo_instr *scale = operand(n, instr, 1), *offset = operand(n, instr, 2);
    hlo_instr *factor = multiply(n, scale, inverse_deviation(n, variance));
    hlo_instr *product = multiply(n, centred, spread(n, factor));
    return hlo_build_binary(n->r, HLO_OP_ADD, product, spread(n, offset));
}

static hlo_instr *result(const norm *n, hlo_instr *x, const hlo_shape *shape) {
    return hlo_build_as(hlo_build_convert(n->r, x, (hlo_type)shape->type), shape);
}

static hlo_instr *triple(const norm *n, const hlo_shape *shape, hlo_instr *a, hlo_instr *b,
                         hlo_instr *c) {
    hlo_instr *parts[3];
    parts[0] = result(n, a, shape->elements[0]);
    parts[1] = result(n, b, shape->elements[1]);
    parts[2] = result(n, c, shape->elements[2]);
    hlo_free(n->others);
    return hlo_build_as(hlo_emit_tuple(n->r, parts, 3), shape);
}

hlo_instr *hlo_rewrite_expand_batch_norm_inference(hlo_rewriter *r, hlo_instr *instr) {
    norm n;
    if (!start_norm(&n, r, instr)) return NULL;
    hlo_instr *x = operand(&n, instr, 0);
    hlo_instr *centred = hlo_build_binary(r, HLO_OP_SUBTRACT, x, spread(&n, operand(&n, instr, 3)));
    hlo_instr *out = normalised(&n, instr, centred, operand(&n, instr, 4));
    hlo_free(n.others);
    return result(&n, out, instr->shape);
}

hlo_instr *hlo_rewrite_expand_batch_norm_training(hlo_rewriter *r, hlo_instr *instr) {
    norm n;
    if (!start_norm(&n, r, instr)) return NULL;
    hlo_instr *x = operand(&n, instr, 0), *centre = mean(&n, x);
    hlo_instr *centred = hlo_build_binary(r, HLO_OP_SUBTRACT, x, spread(&n, centre));
    hlo_instr *variance = mean(&n, multiply(&n, centred, centred));
    hlo_instr *out = normalised(&n, instr, centred, variance);
    return triple(&n, instr->shape, out, centre, variance);
}

/* With g the result's gradient and n elements of a feature, by the steps of XLA's expander, which
 * decide what infinities and NaN become: the offset's gradient is sum(g), the scale's
 * s / deviation with s = sum(g (x - mean)), and the operand's
 * scale / deviation / n * (n g - sum(g) - (x - mean) s / deviation^2). */
hlo_instr *hlo_rewrite_expand_batch_norm_grad(hlo_rewriter *r, hlo_instr *instr) {
    norm n;
    if (!start_norm(&n, r, instr)) return NULL;
    hlo_instr *x = operand(&n, instr, 0), *g = operand(&n, instr, 4);
    hlo_instr *variance = operand(&n, instr, 3), *inverse = inverse_deviation(&n, variance);
    hlo_instr *centred = hlo_build_binary(r, HLO_OP_SUBTRACT, x, spread(&n, operand(&n, instr, 2)));
    hlo_instr *offset_grad = sum(&n, g), *product = sum(&n, multiply(&n, g, centred));
    hlo_instr *divisor = spread(&n, with_epsilon(&n, variance));
    hlo_instr *slope =
        hlo_build_binary(r, HLO_OP_DIVIDE, multiply(&n, spread(&n, product), centred), divisor);
    hlo_instr *offset = spread(&n, offset_grad);
    hlo_instr *rest = hlo_build_binary(r, HLO_OP_SUBTRACT, scaled(&n, g, n.count), offset);
    hlo_instr *inner = hlo_build_binary(r, HLO_OP_SUBTRACT, rest, slope);
    hlo_instr *factor = divided(&n, multiply(&n, operand(&n, instr, 1), inverse));
    hlo_instr *scale_grad = multiply(&n, product, inverse);
    return triple(&n, instr->shape, multiply(&n, spread(&n, factor), inner), scale_grad,
                  offset_grad);
}
