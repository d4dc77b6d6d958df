/* batch-norm-training, batch-norm-inference and batch-norm-grad by their formulas, in double
 * precision, feature after feature. */
#include <math.h>

#include "eval/kernel/dynamic.h"
#include "eval/kernels/reduce/batch_norm.h"
#include "eval/ref/element.h"

/* The operand seen as [outer, features, inner]. */
typedef struct {
    int64_t outer, features, inner;
    double epsilon;
} view;

static bool prepare_view(hlo_preparation *p) {
    if (!hlo_check_norm_vectors(p)) return false;
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    int64_t feature = hlo_attr_int(p->instr, HLO_ATTR_FEATURE_INDEX);
    view *v = HLO_NEW_STATE(p, view);
    *v = (view){.outer = 1, .inner = 1, .features = shape->dims[feature]};
    v->epsilon = hlo_instr_attr(p->instr, HLO_ATTR_EPSILON)->u.f;
    for (uint32_t d = 0; d < shape->rank && hlo_shape_elements(shape) > 0; d++) {
        if (d < feature) v->outer *= shape->dims[d];
        if (d > feature) v->inner *= shape->dims[d];
    }
    if (hlo_shape_elements(shape) <= 0) v->outer = v->inner = 0;
    p->state = v;
    return true;
}

/* Element i of a feature's elements, as a number of the array's elements. */
static int64_t element_of(const view *v, int64_t feature, int64_t i) {
    return (i / v->inner * v->features + feature) * v->inner + i % v->inner;
}

static double real_at(const hlo_value *x, int64_t at) {
    return hlo_load_from(x, at).re;
}

static void put_real(hlo_value *to, int64_t at, double value) {
    hlo_store_to(to, at, (hlo_number){.re = value});
}

/* (x - mean) / sqrt(variance + epsilon) * scale + offset */
static void normalise(const hlo_call *call, hlo_value *out, int64_t feature, double mean,
                      double variance) {
    const view *v = call->state;
    double scale = real_at(call->in[1], feature), offset = real_at(call->in[2], feature);
    for (int64_t i = 0; i < v->outer * v->inner; i++) {
        int64_t at = element_of(v, feature, i);
        double x = real_at(call->in[0], at);
        put_real(out, at, (x - mean) / sqrt(variance + v->epsilon) * scale + offset);
    }
}

/* ---- batch-norm-training ---- */

static bool run_training(hlo_call *call) {
    const view *v = call->state;
    hlo_value *const *results = call->out->elements;
    if (!hlo_operands_are_full(call)) return false;
    for (int64_t f = 0; f < v->features; f++) {
        int64_t count = v->outer * v->inner;
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < count; i++) sum += real_at(call->in[0], element_of(v, f, i));
        double mean = sum / (double)count;
        for (int64_t i = 0; i < count; i++) {
            double distance = real_at(call->in[0], element_of(v, f, i)) - mean;
            squares += distance * distance;
        }
        double variance = squares / (double)count;
        normalise(call, results[0], f, mean, variance);
        put_real(results[1], f, mean);
        put_real(results[2], f, variance);
    }
    return true;
}

const hlo_kernel hlo_plain_batch_norm_training = {prepare_view, run_training};

/* ---- batch-norm-inference ---- */

static bool run_inference(hlo_call *call) {
    const view *v = call->state;
    if (!hlo_operands_are_full(call)) return false;
    for (int64_t f = 0; f < v->features; f++)
        normalise(call, call->out, f, real_at(call->in[3], f), real_at(call->in[4], f));
    return true;
}

const hlo_kernel hlo_plain_batch_norm_inference = {prepare_view, run_inference};

/* ---- batch-norm-grad ---- */

/* Operands: x, scale, mean, variance, and the gradient dy of the output. With n elements a feature
 * and d = sqrt(variance + epsilon):
 *   offset's gradient  = sum(dy)
 *   scale's gradient   = sum(dy * (x - mean)) / d
 *   operand's gradient = scale / d * (dy - sum(dy) / n
 *                                     - (x - mean) * sum(dy * (x - mean)) / d^2 / n) */
static void gradients_of(const hlo_call *call, int64_t f) {
    const view *v = call->state;
    hlo_value *const *results = call->out->elements;
    int64_t count = v->outer * v->inner;
    double scale = real_at(call->in[1], f), mean = real_at(call->in[2], f);
    double square = real_at(call->in[3], f) + v->epsilon, n = (double)count, sum = 0, sum_x = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = element_of(v, f, i);
        double dy = real_at(call->in[4], at);
        sum += dy;
        sum_x += dy * (real_at(call->in[0], at) - mean);
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t at = element_of(v, f, i);
        double dy = real_at(call->in[4], at), x = real_at(call->in[0], at) - mean;
        put_real(results[0], at, scale / sqrt(square) * (dy - sum / n - x * sum_x / square / n));
    }
    put_real(results[1], f, sum_x / sqrt(square));
    put_real(results[2], f, sum);
}

static bool run_grad(hlo_call *call) {
    const view *v = call->state;
    if (!hlo_operands_are_full(call)) return false;
    for (int64_t f = 0; f < v->features; f++) gradients_of(call, f);
    return true;
}

const hlo_kernel hlo_plain_batch_norm_grad = {prepare_view, run_grad};
