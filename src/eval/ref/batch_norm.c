/* batch-norm-training, batch-norm-inference and batch-norm-grad, computed in double precision.
 * Called through the kernel table. */
#include <math.h>

#include "base/blocks.h"
#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/dynamic.h"
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

/* All elements in double precision, to be freed with hlo_block_free. */
static double *new_wide_copy(const hlo_value *x) {
    size_t n = (size_t)hlo_shape_elements(x->shape);
    double *copy = hlo_scratch_new(n * sizeof *copy);
    hlo_convert_elements((hlo_type)x->shape->type, HLO_F64, x->data, copy, n);
    return copy;
}

/* Frees the numbers, too. */
static hlo_value *new_result(const hlo_shape *shape, double *wide) {
    hlo_value *out = hlo_value_new(shape);
    if (out)
        hlo_convert_elements(HLO_F64, (hlo_type)shape->type, wide, out->data,
                             (size_t)hlo_shape_elements(shape));
    hlo_block_free(wide);
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

/* ---- loops over features, in lines of neighbouring elements ---- */

/* The outer elements are cut into parts, whose sums are added in order. */
enum { PARTS = 16, PIECE = 1 << 14 };

typedef struct {
    const view *v;
    const double *x, *center, *y, *other;
    double *sums; /* of each part, by feature */
    int64_t step; /* outer elements of a part */
} sum_loop;

/* Adds (x - c) * (y - o) over n neighbours that have one feature, or a feature each. */
static void add_line(const sum_loop *l, double *sums, int64_t at, int64_t f, int64_t n,
                     int64_t features) {
    const double *x = l->x + at, *y = l->y ? l->y + at : NULL;
    for (int64_t k = 0; k < n; k++) {
        int64_t g = features > 1 ? k : f;
        double a = x[k] - (l->center ? l->center[g] : 0);
        sums[g] += y ? a * (y[k] - (l->other ? l->other[g] : 0)) : a;
    }
}

static void sum_parts(void *context, int64_t first, int64_t last) {
    const sum_loop *l = context;
    const view *v = l->v;
    const int64_t plane = v->features * v->inner;
    for (int64_t p = first; p < last; p++) {
        double *sums = l->sums + p * v->features;
        for (int64_t i = p * l->step; i < v->outer && i < (p + 1) * l->step; i++) {
            if (v->inner == 1) {
                add_line(l, sums, i * plane, 0, v->features, v->features);
                continue;
            }
            for (int64_t f = 0; f < v->features; f++)
                add_line(l, sums, i * plane + f * v->inner, f, v->inner, 1);
        }
    }
}

/* sums[f] = the sum of (x - center[f]) * (y - other[f]); NULL stands for zeros as a center, and y
 * NULL for ones without one. */
static double *new_sums(const view *v, const double *x, const double *center, const double *y,
                        const double *other) {
    sum_loop l = {v, x, center, y, other, NULL, (v->outer + PARTS - 1) / PARTS};
    l.sums = hlo_scratch_zeros((size_t)(PARTS * v->features) * sizeof *l.sums);
    if (v->elements) hlo_parallel(PARTS, v->elements / 2 < PIECE ? PARTS : 1, sum_parts, &l);
    for (int64_t p = 1; p < PARTS; p++)
        for (int64_t f = 0; f < v->features; f++) l.sums[f] += l.sums[p * v->features + f];
    return l.sums;
}

typedef struct {
    const view *v;
    double *to;
    const double *x;                             /* of the gradient */
    const double *add, *factor, *scale, *offset; /* by feature */
} feature_loop;

static void for_elements(const view *v, hlo_range_body *body, feature_loop *l) {
    hlo_parallel(v->elements, PIECE, body, l);
}

static void normalise_range(void *context, int64_t first, int64_t last) {
    const feature_loop *l = context;
    const view *v = l->v;
    int64_t f = first / v->inner % v->features, left = v->inner - first % v->inner;
    for (int64_t at = first; at < last; at++) {
        l->to[at] = (l->to[at] - l->add[f]) / l->factor[f] * l->scale[f] + l->offset[f];
        if (--left) continue;
        left = v->inner;
        if (++f == v->features) f = 0;
    }
}

/* The deviation of each feature. */
static double *new_roots(const view *v, const double *variance) {
    double *roots = hlo_scratch_new((size_t)v->features * sizeof *roots);
    for (int64_t f = 0; f < v->features; f++) roots[f] = sqrt(variance[f] + v->epsilon);
    return roots;
}

/* x becomes (x - mean) / sqrt(variance + epsilon) * scale + offset. */
static void normalise(const view *v, double *x, const double *mean, const double *variance,
                      const double *scale, const double *offset) {
    double *roots = new_roots(v, variance);
    feature_loop l = {
        .v = v, .to = x, .add = mean, .factor = roots, .scale = scale, .offset = offset};
    for_elements(v, normalise_range, &l);
    hlo_block_free(roots);
}

hlo_value *hlo_eval_batch_norm_training(hlo_eval *eval, const hlo_instr *instr,
                                        hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    view v = view_of(instr, args[0]->shape);
    double *x = new_wide_copy(args[0]), *scale = new_wide_copy(args[1]);
    double *offset = new_wide_copy(args[2]);
    double count = (double)v.outer * (double)v.inner;
    double *mean = new_sums(&v, x, NULL, NULL, NULL);
    for (int64_t f = 0; f < v.features; f++) mean[f] /= count;
    double *variance = new_sums(&v, x, mean, x, mean);
    for (int64_t f = 0; f < v.features; f++) variance[f] /= count;
    normalise(&v, x, mean, variance, scale, offset);
    hlo_block_free(scale);
    hlo_block_free(offset);
    const hlo_shape *const *shapes = instr->shape->elements;
    return new_triple(instr->shape, new_result(shapes[0], x), new_result(shapes[1], mean),
                      new_result(shapes[2], variance));
}

hlo_value *hlo_eval_batch_norm_inference(hlo_eval *eval, const hlo_instr *instr,
                                         hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    view v = view_of(instr, args[0]->shape);
    double *wide[5];
    for (int i = 0; i < 5; i++) wide[i] = new_wide_copy(args[i]);
    normalise(&v, wide[0], wide[3], wide[4], wide[1], wide[2]);
    for (int i = 1; i < 5; i++) hlo_block_free(wide[i]);
    return new_result(instr->shape, wide[0]);
}

/* dy becomes (dy - add - (x - mean) * factor) * scale, mean being `offset`. */
static void gradient_range(void *context, int64_t first, int64_t last) {
    const feature_loop *l = context;
    const view *v = l->v;
    int64_t f = first / v->inner % v->features, left = v->inner - first % v->inner;
    for (int64_t at = first; at < last; at++) {
        double pull = l->add[f] + (l->x[at] - l->offset[f]) * l->factor[f];
        l->to[at] = l->scale[f] * (l->to[at] - pull);
        if (--left) continue;
        left = v->inner;
        if (++f == v->features) f = 0;
    }
}

/* dy becomes the gradient of the operand. */
static void operand_gradient(const view *v, double *dy, const double *x, const double *scale,
                             const double *mean, const double *variance, const double *dy_sums,
                             const double *dy_x_sums) {
    double count = (double)v->outer * (double)v->inner;
    size_t bytes = (size_t)v->features * sizeof(double);
    double *add = hlo_scratch_new(bytes), *factor = hlo_scratch_new(bytes);
    double *scales = new_roots(v, variance);
    for (int64_t f = 0; f < v->features; f++) {
        add[f] = dy_sums[f] / count;
        factor[f] = dy_x_sums[f] / (variance[f] + v->epsilon) / count;
        scales[f] = scale[f] / scales[f];
    }
    feature_loop l = {v, dy, x, add, factor, scales, mean};
    for_elements(v, gradient_range, &l);
    hlo_block_free(add);
    hlo_block_free(factor);
    hlo_block_free(scales);
}

/* Operands: operand, scale, mean, variance, gradient of the output. */
hlo_value *hlo_eval_batch_norm_grad(hlo_eval *eval, const hlo_instr *instr,
                                    hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    view v = view_of(instr, args[0]->shape);
    double *wide[5];
    for (int i = 0; i < 5; i++) wide[i] = new_wide_copy(args[i]);
    double *x = wide[0], *scale = wide[1], *mean = wide[2], *variance = wide[3], *dy = wide[4];
    double *offset_gradient = new_sums(&v, dy, NULL, NULL, NULL);
    double *scale_gradient = new_sums(&v, dy, NULL, x, mean);
    operand_gradient(&v, dy, x, scale, mean, variance, offset_gradient, scale_gradient);
    for (int64_t f = 0; f < v.features; f++) scale_gradient[f] /= sqrt(variance[f] + v.epsilon);
    for (int i = 0; i < 4; i++) hlo_block_free(wide[i]);
    const hlo_shape *const *shapes = instr->shape->elements;
    return new_triple(instr->shape, new_result(shapes[0], dy),
                      new_result(shapes[1], scale_gradient),
                      new_result(shapes[2], offset_gradient));
}
