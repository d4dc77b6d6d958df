/* batch-norm-training, batch-norm-inference and batch-norm-grad, computed in double precision. */
#include <math.h>

#include "analysis/match.h"
#include "base/blocks.h"
#include "base/pool.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernels/reduce/batch_norm.h"

/* The outer elements are cut into parts, whose sums are added in order. */
enum { PARTS = 16, PIECE = 1 << 14, OPERANDS = 5 };

/* The operand seen as [outer, features, inner]. */
typedef struct {
    int64_t outer, features, inner, elements;
    double epsilon;
} view;

/* All operands in double precision, and what is computed for each feature, lie in scratch memory;
 * distances count bytes. */
typedef struct {
    view view;
    hlo_type types[OPERANDS];
    int64_t elements[OPERANDS];
    size_t wide_at[OPERANDS];
    size_t sums_at[2]; /* of each part, by feature */
    size_t roots_at;
    size_t add_at, factor_at; /* of the gradient */
} state;

static view view_of(const hlo_instr *instr, const hlo_shape *shape) {
    int64_t feature = hlo_attr_int(instr, HLO_ATTR_FEATURE_INDEX);
    view v = {.outer = 1, .inner = 1, .features = shape->dims[feature]};
    v.elements = hlo_shape_elements(shape);
    v.epsilon = hlo_instr_attr(instr, HLO_ATTR_EPSILON)->u.f;
    for (uint32_t d = 0; d < shape->rank && v.elements > 0; d++) {
        if (d < feature) v.outer *= shape->dims[d];
        if (d > feature) v.inner *= shape->dims[d];
    }
    /* Dimensions beside one of size 0 may have any product: means are of no elements, NaN. */
    if (v.elements == 0) v.outer = 0;
    return v;
}

bool hlo_check_norm_vectors(hlo_preparation *p) {
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    uint32_t i = hlo_misfit_of_norm(p->instr);
    if (!i) return true;
    return hlo_prepare_error(
        p, HLO_RULE_BATCH_NORM_FEATURE, "has %s as operand %u, not a vector of %lld features",
        hlo_shape_name(p->arena, hlo_operand(p->instr, i)->shape), i,
        (long long)operand->dims[hlo_attr_int(p->instr, HLO_ATTR_FEATURE_INDEX)]);
}

/* Operands and deviations, which all three need. NULL after an error. */
static state *prepare_operands(hlo_preparation *p) {
    if (!hlo_check_norm_vectors(p)) return NULL;
    state *s = HLO_NEW_STATE(p, state);
    s->view = view_of(p->instr, hlo_operand(p->instr, 0)->shape);
    for (uint32_t i = 0; i < p->instr->operand_count; i++) {
        const hlo_shape *shape = hlo_operand(p->instr, i)->shape;
        s->types[i] = (hlo_type)shape->type;
        s->elements[i] = hlo_shape_elements(shape);
        s->wide_at[i] = hlo_prepare_scratch(p, (size_t)s->elements[i] * sizeof(double));
    }
    s->roots_at = hlo_prepare_scratch(p, (size_t)s->view.features * sizeof(double));
    p->state = s;
    return s;
}

static void prepare_sums(hlo_preparation *p, state *s) {
    for (int i = 0; i < 2; i++)
        s->sums_at[i] = hlo_prepare_scratch(p, (size_t)s->view.features * PARTS * sizeof(double));
}

static double *numbers_at(const hlo_call *call, size_t at) {
    return (double *)((char *)call->scratch + at);
}

/* Operand i in double precision. */
static double *widen(const hlo_call *call, uint32_t i) {
    const state *s = call->state;
    double *wide = numbers_at(call, s->wide_at[i]);
    hlo_convert_elements(s->types[i], HLO_F64, call->in[i]->data, wide, (size_t)s->elements[i]);
    return wide;
}

static void store(hlo_value *to, const double *wide) {
    hlo_convert_elements(HLO_F64, (hlo_type)to->shape->type, wide, to->data,
                         (size_t)hlo_shape_elements(to->shape));
}

/* ---- loops over features, in lines of neighbouring elements ---- */

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
 * NULL for ones without one. `sums` holds PARTS by feature, of which the first are the result. */
static void sum_features(const view *v, double *sums, const double *x, const double *center,
                         const double *y, const double *other) {
    sum_loop l = {v, x, center, y, other, sums, (v->outer + PARTS - 1) / PARTS};
    hlo_zero_bytes(sums, (size_t)v->features * PARTS * sizeof *sums);
    if (v->elements) hlo_parallel(PARTS, v->elements / 2 < PIECE ? PARTS : 1, sum_parts, &l);
    for (int64_t p = 1; p < PARTS; p++)
        for (int64_t f = 0; f < v->features; f++) sums[f] += sums[p * v->features + f];
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
static double *take_roots(const hlo_call *call, const double *variance) {
    const state *s = call->state;
    double *roots = numbers_at(call, s->roots_at);
    for (int64_t f = 0; f < s->view.features; f++) roots[f] = sqrt(variance[f] + s->view.epsilon);
    return roots;
}

/* x becomes (x - mean) / sqrt(variance + epsilon) * scale + offset. */
static void normalise(const hlo_call *call, double *x, const double *mean, const double *variance,
                      const double *scale, const double *offset) {
    const state *s = call->state;
    feature_loop l = {.v = &s->view,
                      .to = x,
                      .add = mean,
                      .factor = take_roots(call, variance),
                      .scale = scale,
                      .offset = offset};
    for_elements(&s->view, normalise_range, &l);
}

/* ---- batch-norm-training ---- */

static bool prepare_training(hlo_preparation *p) {
    state *s = prepare_operands(p);
    if (s) prepare_sums(p, s);
    return s;
}

static bool run_training(hlo_call *call) {
    const state *s = call->state;
    const view *v = &s->view;
    if (!hlo_operands_are_full(call)) return false;
    double *x = widen(call, 0), *scale = widen(call, 1), *offset = widen(call, 2);
    double *mean = numbers_at(call, s->sums_at[0]), *variance = numbers_at(call, s->sums_at[1]);
    double count = (double)v->outer * (double)v->inner;
    sum_features(v, mean, x, NULL, NULL, NULL);
    for (int64_t f = 0; f < v->features; f++) mean[f] /= count;
    sum_features(v, variance, x, mean, x, mean);
    for (int64_t f = 0; f < v->features; f++) variance[f] /= count;
    normalise(call, x, mean, variance, scale, offset);
    store(call->out->elements[0], x);
    store(call->out->elements[1], mean);
    store(call->out->elements[2], variance);
    return true;
}

const hlo_kernel hlo_kernel_batch_norm_training = {prepare_training, run_training};

/* ---- batch-norm-inference ---- */

static bool prepare_inference(hlo_preparation *p) {
    return prepare_operands(p);
}

static bool run_inference(hlo_call *call) {
    if (!hlo_operands_are_full(call)) return false;
    double *wide[OPERANDS];
    for (uint32_t i = 0; i < OPERANDS; i++) wide[i] = widen(call, i);
    normalise(call, wide[0], wide[3], wide[4], wide[1], wide[2]);
    store(call->out, wide[0]);
    return true;
}

const hlo_kernel hlo_kernel_batch_norm_inference = {prepare_inference, run_inference};

/* ---- batch-norm-grad ---- */

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
static void operand_gradient(const hlo_call *call, double *dy, const double *x, const double *scale,
                             const double *mean, const double *variance, const double *dy_sums,
                             const double *dy_x_sums) {
    const state *s = call->state;
    const view *v = &s->view;
    double count = (double)v->outer * (double)v->inner;
    double *add = numbers_at(call, s->add_at), *factor = numbers_at(call, s->factor_at);
    double *scales = take_roots(call, variance);
    for (int64_t f = 0; f < v->features; f++) {
        add[f] = dy_sums[f] / count;
        factor[f] = dy_x_sums[f] / (variance[f] + v->epsilon) / count;
        scales[f] = scale[f] / scales[f];
    }
    feature_loop l = {v, dy, x, add, factor, scales, mean};
    for_elements(v, gradient_range, &l);
}

static bool prepare_grad(hlo_preparation *p) {
    state *s = prepare_operands(p);
    if (!s) return false;
    prepare_sums(p, s);
    s->add_at = hlo_prepare_scratch(p, (size_t)s->view.features * sizeof(double));
    s->factor_at = hlo_prepare_scratch(p, (size_t)s->view.features * sizeof(double));
    return true;
}

/* Operands: operand, scale, mean, variance, gradient of the output. */
static bool run_grad(hlo_call *call) {
    const state *s = call->state;
    const view *v = &s->view;
    if (!hlo_operands_are_full(call)) return false;
    double *wide[OPERANDS];
    for (uint32_t i = 0; i < OPERANDS; i++) wide[i] = widen(call, i);
    double *x = wide[0], *scale = wide[1], *mean = wide[2], *variance = wide[3], *dy = wide[4];
    double *offset_gradient = numbers_at(call, s->sums_at[0]);
    double *scale_gradient = numbers_at(call, s->sums_at[1]);
    sum_features(v, offset_gradient, dy, NULL, NULL, NULL);
    sum_features(v, scale_gradient, dy, NULL, x, mean);
    operand_gradient(call, dy, x, scale, mean, variance, offset_gradient, scale_gradient);
    for (int64_t f = 0; f < v->features; f++) scale_gradient[f] /= sqrt(variance[f] + v->epsilon);
    store(call->out->elements[0], dy);
    store(call->out->elements[1], scale_gradient);
    store(call->out->elements[2], offset_gradient);
    return true;
}

const hlo_kernel hlo_kernel_batch_norm_grad = {prepare_grad, run_grad};
