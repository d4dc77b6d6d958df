/* batch-norm-training, batch-norm-inference and batch-norm-grad, computed in double precision.
 * Called through the kernel table. */
#include <math.h>

#include "eval/ref/combine.h"
#include "eval/ref/strides.h"

/* The operand seen as [outer, features, inner]. */
typedef struct {
    int64_t outer, features, inner, elements;
    double epsilon;
} view;

static view view_of(const hlo_instr *instr, const hlo_shape *shape) {
    int64_t feature = hlo_attr_int(instr, HLO_ATTR_FEATURE_INDEX);
    view v = {.outer = 1, .inner = 1, .features = shape->dims[feature]};
    v.elements = hlo_shape_elements(shape);
    v.epsilon = hlo_instr_attr(instr, HLO_ATTR_EPSILON)->u.f;
    for (uint32_t d = 0; d < shape->rank && v.elements; d++) {
        if (d < feature) v.outer *= shape->dims[d];
        if (d > feature) v.inner *= shape->dims[d];
    }
    return v;
}

/* All elements in double precision, to be freed with hlo_free. */
static double *new_wide_copy(const hlo_value *x) {
    size_t n = (size_t)hlo_shape_elements(x->shape);
    double *copy = hlo_malloc(n * sizeof *copy);
    hlo_convert_elements((hlo_type)x->shape->type, HLO_F64, x->data, copy, n);
    return copy;
}

/* Frees the numbers, too. */
static hlo_value *new_result(const hlo_shape *shape, double *wide) {
    hlo_value *out = hlo_value_new(shape);
    if (out)
        hlo_convert_elements(HLO_F64, (hlo_type)shape->type, wide, out->data,
                             (size_t)hlo_shape_elements(shape));
    hlo_free(wide);
    return out;
}

/* A tuple of three results, whose references it takes. */
static hlo_value *new_triple(const hlo_shape *shape, hlo_value *a, hlo_value *b, hlo_value *c) {
    hlo_value *tuple = a && b && c ? hlo_value_new(shape) : NULL;
    if (tuple) {
        tuple->elements[0] = a, tuple->elements[1] = b, tuple->elements[2] = c;
        return tuple;
    }
    hlo_value_release(a);
    hlo_value_release(b);
    hlo_value_release(c);
    return NULL;
}

/* sums[f] = the sum of (x - center[f]) * (y - other[f]); NULL stands for zeros as a center, and y
 * NULL for ones without one. */
static double *new_sums(const view *v, const double *x, const double *center, const double *y,
                        const double *other) {
    double *sums = hlo_calloc((size_t)v->features, sizeof *sums);
    const int64_t plane = v->features * v->inner;
    for (int64_t f = 0; f < v->features && v->elements; f++) {
        double c = center ? center[f] : 0, o = other ? other[f] : 0;
        for (int64_t i = 0; i < v->outer; i++) {
            for (int64_t k = 0; k < v->inner; k++) {
                int64_t at = i * plane + f * v->inner + k;
                sums[f] += (x[at] - c) * (y ? y[at] - o : 1);
            }
        }
    }
    return sums;
}

/* x becomes (x - mean) / sqrt(variance + epsilon) * scale + offset. */
static void normalise(const view *v, double *x, const double *mean, const double *variance,
                      const double *scale, const double *offset) {
    for (int64_t at = 0; at < v->elements; at++) {
        int64_t f = at / v->inner % v->features;
        x[at] = (x[at] - mean[f]) / sqrt(variance[f] + v->epsilon) * scale[f] + offset[f];
    }
}

hlo_value *hlo_eval_batch_norm_training(hlo_eval *eval, const hlo_instr *instr,
                                        hlo_value *const *args) {
    if (!hlo_operands_are_full(eval, instr, args)) return NULL;
    view v = view_of(instr, args[0]->shape);
    double *x = new_wide_copy(args[0]), *scale = new_wide_copy(args[1]);
    double *offset = new_wide_copy(args[2]);
    double count = (double)v.outer * (double)v.inner;
    double *mean = new_sums(&v, x, NULL, NULL, NULL);
    for (int64_t f = 0; f < v.features; f++) mean[f] /= count;
    double *variance = new_sums(&v, x, mean, x, mean);
    for (int64_t f = 0; f < v.features; f++) variance[f] /= count;
    normalise(&v, x, mean, variance, scale, offset);
    hlo_free(scale);
    hlo_free(offset);
    const hlo_shape *const *shapes = instr->shape->elements;
    return new_triple(instr->shape, new_result(shapes[0], x), new_result(shapes[1], mean),
                      new_result(shapes[2], variance));
}

hlo_value *hlo_eval_batch_norm_inference(hlo_eval *eval, const hlo_instr *instr,
                                         hlo_value *const *args) {
    if (!hlo_operands_are_full(eval, instr, args)) return NULL;
    view v = view_of(instr, args[0]->shape);
    double *wide[5];
    for (int i = 0; i < 5; i++) wide[i] = new_wide_copy(args[i]);
    normalise(&v, wide[0], wide[3], wide[4], wide[1], wide[2]);
    for (int i = 1; i < 5; i++) hlo_free(wide[i]);
    return new_result(instr->shape, wide[0]);
}

/* dy becomes the gradient of the operand. */
static void operand_gradient(const view *v, double *dy, const double *x, const double *scale,
                             const double *mean, const double *variance, const double *dy_sums,
                             const double *dy_x_sums) {
    double count = (double)v->outer * (double)v->inner;
    for (int64_t at = 0; at < v->elements; at++) {
        int64_t f = at / v->inner % v->features;
        double spread = variance[f] + v->epsilon;
        double pull = dy_sums[f] + (x[at] - mean[f]) * dy_x_sums[f] / spread;
        dy[at] = scale[f] / sqrt(spread) * (dy[at] - pull / count);
    }
}

/* Operands: operand, scale, mean, variance, gradient of the output. */
hlo_value *hlo_eval_batch_norm_grad(hlo_eval *eval, const hlo_instr *instr,
                                    hlo_value *const *args) {
    if (!hlo_operands_are_full(eval, instr, args)) return NULL;
    view v = view_of(instr, args[0]->shape);
    double *wide[5];
    for (int i = 0; i < 5; i++) wide[i] = new_wide_copy(args[i]);
    double *x = wide[0], *scale = wide[1], *mean = wide[2], *variance = wide[3], *dy = wide[4];
    double *offset_gradient = new_sums(&v, dy, NULL, NULL, NULL);
    double *scale_gradient = new_sums(&v, dy, NULL, x, mean);
    operand_gradient(&v, dy, x, scale, mean, variance, offset_gradient, scale_gradient);
    for (int64_t f = 0; f < v.features; f++) scale_gradient[f] /= sqrt(variance[f] + v.epsilon);
    for (int i = 0; i < 4; i++) hlo_free(wide[i]);
    const hlo_shape *const *shapes = instr->shape->elements;
    return new_triple(instr->shape, new_result(shapes[0], dy),
                      new_result(shapes[1], scale_gradient),
                      new_result(shapes[2], offset_gradient));
}
