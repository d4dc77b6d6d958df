/* Counting flops, transcendentals and bytes: see cost.h. */
#include "analysis/cost.h"

#include "base/math.h"

#include <math.h>

enum { FMA_FLOPS = 2, POINTER_BYTES = 8, COMPLEX_MULTIPLY = 4 };

/* Foreign code: XLA counts so too. */
enum { UNKNOWN = -1 };

/* ---- sizes ---- */

double hlo_leaf_elements(const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) {
        int64_t n = hlo_shape_elements(shape);
        return n < 0 ? 0 : (double)n;
    }
    double sum = 0;
    if (hlo_shape_is_tuple(shape))
        for (uint32_t i = 0; i < shape->rank; i++) sum += hlo_leaf_elements(shape->elements[i]);
    return sum;
}

/* Elements below a byte share bytes when the layout packs them. The elements of a bounded array
 * are followed by the sizes that it has at run time. */
static double array_bytes(const hlo_shape *shape) {
    enum { SIZE_BYTES = 4, BYTE_BITS = 8 };
    shape = hlo_shape_held(shape);
    if (!hlo_shape_is_array(shape)) return 0;
    const hlo_layout_parts *parts = shape->layout->parts;
    double bytes = hlo_leaf_elements(shape) * hlo_types[shape->type].bytes;
    if (parts && parts->element_bits)
        bytes = __builtin_ceil(hlo_leaf_elements(shape) * (double)parts->element_bits / BYTE_BITS);
    return shape->is_dynamic ? bytes + (double)SIZE_BYTES * shape->rank : bytes;
}

double hlo_own_bytes(const hlo_shape *shape) {
    return hlo_shape_is_tuple(shape) ? (double)POINTER_BYTES * shape->rank : array_bytes(shape);
}

double hlo_leaf_bytes(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return array_bytes(shape);
    double sum = 0;
    for (uint32_t i = 0; i < shape->rank; i++) sum += hlo_leaf_bytes(shape->elements[i]);
    return sum;
}

static const hlo_shape *operand_shape(const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    return hlo_operand(instr, i)->shape;
}

static const hlo_shape *first_array(const hlo_shape *shape) {
    return hlo_shape_is_tuple(shape) && shape->rank ? shape->elements[0] : shape;
}

static double moved_bytes(const hlo_instr *instr) {
    double bytes = hlo_leaf_bytes(instr->shape);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        bytes += hlo_own_bytes(operand_shape(instr, i));
    return bytes;
}

/* ---- dense operations ---- */

static double contracted_size(const hlo_instr *dot) {
    const hlo_ints *contracting = hlo_attr_ints(dot, HLO_ATTR_LHS_CONTRACTING_DIMS);
    double width = 1;
    for (uint32_t i = 0; i < contracting->n; i++)
        width *= (double)operand_shape(dot, 0)->dims[contracting->v[i]];
    return width;
}

static double dot_flops(const hlo_instr *dot) {
    return FMA_FLOPS * hlo_leaf_elements(dot->shape) * contracted_size(dot);
}

/* As if each row met one group: XLA leaves as many of the result's outer dimensions out, every
 * other one, as there are group dimensions. */
static double ragged_dot_flops(const hlo_instr *dot) {
    uint32_t groups = hlo_attr_ints(dot, HLO_ATTR_RHS_GROUP_DIMS)->n;
    double out = 1;
    for (uint32_t d = 0; d < dot->shape->rank; d++)
        if (d % 2 || d / 2 >= groups) out *= (double)dot->shape->dims[d];
    return FMA_FLOPS * out * contracted_size(dot);
}

/* Output positions o along one dimension for which o * stride - shift is an element of the input
 * with its base dilation: they follow each other at equal distances. */
static double positions_inside(const hlo_window_dim *w, int64_t shift, int64_t input,
                               int64_t output) {
    int64_t last_at = shift + (input - 1) * w->base_dilation;
    if (last_at < 0) return 0;
    int64_t from = shift > 0 ? (shift - 1) / w->stride + 1 : 0;
    int64_t to = last_at / w->stride < output ? last_at / w->stride : output - 1;
    int64_t distance = w->base_dilation / hlo_gcd(w->stride, w->base_dilation);
    for (int64_t o = from; o <= to && o - from < distance; o++)
        if ((o * w->stride - shift) % w->base_dilation == 0)
            return (double)((to - o) / distance + 1);
    return 0;
}

/* Pairs of kernel and output positions along one dimension that meet an input element. */
static double valid_positions(const hlo_window_dim *w, int64_t input, int64_t kernel,
                              int64_t output) {
    enum { MOST_TRIES = 10000000 }; /* more are not worth counting: padding hardly matters then */
    double count = 0;
    if (!input || !output) return 0;
    if ((double)kernel * (double)w->base_dilation > MOST_TRIES)
        return (double)kernel * (double)output;
    for (int64_t k = 0; k < kernel; k++)
        count += positions_inside(w, w->pad_low - k * w->window_dilation, input, output);
    return count;
}

/* Of a sparse array, which is a tuple, the values. */
static const hlo_shape *values_shape(const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    const hlo_shape *shape = operand_shape(instr, i);
    return hlo_shape_is_tuple(shape) && shape->rank ? shape->elements[0] : shape;
}

static double convolution_flops(const hlo_instr *c) {
    const hlo_attr *labels_attr = hlo_instr_attr(c, HLO_ATTR_DIM_LABELS);
    const hlo_attr *window_attr = hlo_instr_attr(c, HLO_ATTR_WINDOW);
    if (!labels_attr) return 0;
    const hlo_dim_labels *labels = labels_attr->u.dim_labels;
    const hlo_shape *input = values_shape(c, 0), *kernel = values_shape(c, 1);
    int64_t features =
        input->dims[labels->input_feature] / hlo_attr_int(c, HLO_ATTR_FEATURE_GROUP_COUNT);
    int64_t batch = input->dims[labels->input_batch] / hlo_attr_int(c, HLO_ATTR_BATCH_GROUP_COUNT);
    double count =
        (double)features * (double)c->shape->dims[labels->output_feature] * (double)batch;
    for (uint32_t i = 0; window_attr && i < window_attr->u.window->n && i < labels->n; i++)
        count *= valid_positions(
            &window_attr->u.window->v[i], input->dims[labels->input_spatial[i]],
            kernel->dims[labels->kernel_spatial[i]], c->shape->dims[labels->output_spatial[i]]);
    return FMA_FLOPS * count;
}

static double floor_log2(int64_t n) {
    return n > 1 ? 63 - __builtin_clzll((uint64_t)n) : 0;
}

static double ceil_log2(double n) {
    int exponent;
    double fraction = frexp(n, &exponent); /* n = fraction * 2^exponent, fraction in [0.5, 1) */
    return n <= 1 ? 0 : fraction > 0.5 ? exponent : exponent - 1;
}

static double fft_flops(const hlo_instr *fft) {
    HLO_ASSERT(fft->opcode == HLO_OP_FFT);
    const hlo_ints *lengths = hlo_attr_ints(fft, HLO_ATTR_FFT_LENGTH);
    double factors = 1;
    for (uint32_t i = 0; i < lengths->n; i++) factors *= floor_log2(lengths->v[i]);
    return FMA_FLOPS * COMPLEX_MULTIPLY * factors * hlo_leaf_elements(operand_shape(fft, 0));
}

static double matrix_side(const hlo_shape *matrix) {
    HLO_ASSERT(hlo_shape_is_array(matrix));
    return matrix->rank ? (double)matrix->dims[matrix->rank - 1] : 1;
}

/* ---- operations that apply computations ---- */

static double window_elements(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    double n = 1;
    for (uint32_t i = 0; attr && i < attr->u.window->n; i++) n *= (double)attr->u.window->v[i].size;
    return n;
}

/* How often the k-th called computation runs, or 0 when that is none of the cases here. */
static double applications(const hlo_instr *instr, uint32_t k) {
    double out = hlo_leaf_elements(first_array(instr->shape));
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_MAP: return out;
    case HLO_OP_REDUCE: return hlo_leaf_elements(operand_shape(instr, 0)) - out;
    case HLO_OP_REDUCE_WINDOW: return (window_elements(instr) - 1) * out;
    case HLO_OP_SCAN: return hlo_leaf_elements(operand_shape(instr, instr->operand_count > 1));
    case HLO_OP_SELECT_AND_SCATTER:
        return hlo_leaf_elements(operand_shape(instr, 1)) *
               (k == 0 ? window_elements(instr) - 1 : 1);
    case HLO_OP_SCATTER: {
        uint32_t inputs = instr->operand_count / 2;
        return hlo_leaf_elements(operand_shape(instr, inputs + 1));
    }
    default: return 0;
    }
}

static void add_cost(hlo_cost *to, const hlo_cost *cost, double times) {
    to->flops += cost->flops * times;
    to->transcendentals += cost->transcendentals * times;
}

static void add_applied(hlo_cost *cost, const hlo_instr *instr, const hlo_cost *computations) {
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        add_cost(cost, &computations[called->id], applications(instr, k));
}

/* The most expensive branch. */
static void raise_cost(hlo_cost *to, const hlo_cost *branch) {
    to->flops = fmax(to->flops, branch->flops);
    to->transcendentals = fmax(to->transcendentals, branch->transcendentals);
    to->bytes = fmax(to->bytes, branch->bytes);
}

/* What happens inside a fusion touches no memory: its own bytes are known. */
static void add_callees(hlo_cost *cost, const hlo_instr *instr, const hlo_cost *computations) {
    bool adds_bytes = hlo_info(instr)->traffic == HLO_TRAFFIC_CALL;
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) {
        const hlo_cost *one = &computations[called->id];
        if (instr->opcode == HLO_OP_CONDITIONAL) {
            raise_cost(cost, one);
            continue;
        }
        add_cost(cost, one, 1);
        if (adds_bytes) cost->bytes += one->bytes;
    }
}

/* ---- one instruction ---- */

/* The bytes stay where they are: in memory the dimensions have the same order. */
static bool moves_nothing(const hlo_instr *transpose) {
    HLO_ASSERT(transpose->opcode == HLO_OP_TRANSPOSE);
    const hlo_ints *order = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS);
    const hlo_shape *from = operand_shape(transpose, 0), *to = transpose->shape;
    for (uint32_t i = 0; i < to->rank; i++)
        if (from->layout->minor_to_major[i] != order->v[to->layout->minor_to_major[i]])
            return false;
    return true;
}

static double no_bytes(const hlo_instr *instr) {
    (void)instr;
    return 0;
}

static double unknown(const hlo_instr *instr) {
    (void)instr;
    return UNKNOWN;
}

static double result_bytes(const hlo_instr *instr) {
    return hlo_own_bytes(instr->shape);
}

static double operand_bytes(const hlo_instr *instr) {
    return hlo_own_bytes(operand_shape(instr, 0));
}

static double transpose_bytes(const hlo_instr *instr) {
    return moves_nothing(instr) ? 0 : moved_bytes(instr);
}

/* Read and written: of the operand only what the slice takes. */
static double slice_bytes(const hlo_instr *instr) {
    return 2 * hlo_own_bytes(instr->shape);
}

static double dynamic_slice_bytes(const hlo_instr *instr) {
    return 2 * hlo_own_bytes(instr->shape) +
           (instr->operand_count > 1 ? hlo_own_bytes(operand_shape(instr, 1)) : 0);
}

static double update_bytes(const hlo_instr *instr) {
    return 2 * hlo_own_bytes(operand_shape(instr, 1)) +
           (instr->operand_count > 2 ? hlo_own_bytes(operand_shape(instr, 2)) : 0);
}

static double gather_bytes(const hlo_instr *instr) {
    return 2 * hlo_own_bytes(instr->shape) + hlo_own_bytes(operand_shape(instr, 1));
}

/* Updates, and what they replace before and after. */
static double scatter_bytes(const hlo_instr *instr) {
    uint32_t inputs = instr->operand_count / 2;
    double bytes = hlo_own_bytes(operand_shape(instr, inputs));
    for (uint32_t i = inputs + 1; i < instr->operand_count; i++)
        bytes += 3 * hlo_own_bytes(operand_shape(instr, i));
    return bytes;
}

static double infeed_bytes(const hlo_instr *instr) {
    return hlo_leaf_bytes(instr->shape);
}

static double outfeed_bytes(const hlo_instr *instr) {
    return hlo_leaf_bytes(operand_shape(instr, 0));
}

/* Only one triangle of the first operand is read. */
static double solve_bytes(const hlo_instr *instr) {
    return moved_bytes(instr) - hlo_own_bytes(operand_shape(instr, 0)) / 2;
}

/* By column COST of ops.def. What calls has the bytes of the computations. */
static double (*const traffic[HLO_TRAFFIC_COUNT])(const hlo_instr *instr) = {
    [HLO_TRAFFIC_NONE] = no_bytes,
    [HLO_TRAFFIC_ALL] = moved_bytes,
    [HLO_TRAFFIC_RESULT] = result_bytes,
    [HLO_TRAFFIC_OPERAND] = operand_bytes,
    [HLO_TRAFFIC_TRANSPOSE] = transpose_bytes,
    [HLO_TRAFFIC_SLICE] = slice_bytes,
    [HLO_TRAFFIC_DYNAMIC_SLICE] = dynamic_slice_bytes,
    [HLO_TRAFFIC_UPDATE] = update_bytes,
    [HLO_TRAFFIC_GATHER] = gather_bytes,
    [HLO_TRAFFIC_SCATTER] = scatter_bytes,
    [HLO_TRAFFIC_INFEED] = infeed_bytes,
    [HLO_TRAFFIC_OUTFEED] = outfeed_bytes,
    [HLO_TRAFFIC_SOLVE] = solve_bytes,
    [HLO_TRAFFIC_CALL] = no_bytes,
    [HLO_TRAFFIC_FUSION] = hlo_fusion_bytes,
    [HLO_TRAFFIC_FOREIGN] = unknown,
};

double hlo_touched_bytes(const hlo_instr *instr) {
    HLO_ASSERT(hlo_info(instr)->traffic < HLO_TRAFFIC_COUNT && traffic[hlo_info(instr)->traffic]);
    return traffic[hlo_info(instr)->traffic](instr);
}

static double solve_flops(const hlo_instr *instr) {
    return FMA_FLOPS * matrix_side(operand_shape(instr, 0)) *
           hlo_leaf_elements(operand_shape(instr, 1));
}

static double cholesky_flops(const hlo_instr *instr) {
    return __builtin_floor(matrix_side(operand_shape(instr, 0)) *
                           hlo_leaf_elements(operand_shape(instr, 0)) / 3);
}

static double sort_flops(const hlo_instr *instr) {
    double n = hlo_leaf_elements(operand_shape(instr, 0));
    return n * ceil_log2(n);
}

double hlo_own_flops(const hlo_instr *instr) {
    switch (hlo_info(instr)->work) {
    case HLO_WORK_ELEMENT: return hlo_leaf_elements(instr->shape);
    case HLO_WORK_DOT: return dot_flops(instr);
    case HLO_WORK_RAGGED_DOT: return ragged_dot_flops(instr);
    case HLO_WORK_CONVOLUTION: return convolution_flops(instr);
    case HLO_WORK_FFT: return fft_flops(instr);
    case HLO_WORK_SOLVE: return solve_flops(instr);
    case HLO_WORK_CHOLESKY: return cholesky_flops(instr);
    case HLO_WORK_SORT: return sort_flops(instr);
    case HLO_WORK_FOREIGN: return UNKNOWN;
    default: return 0;
    }
}

hlo_cost hlo_instr_cost(const hlo_instr *instr, const hlo_cost *computations) {
    hlo_cost cost = {.bytes = hlo_touched_bytes(instr)};
    switch (hlo_info(instr)->work) {
    case HLO_WORK_FUSION:
    case HLO_WORK_CALL: add_callees(&cost, instr, computations); break;
    case HLO_WORK_APPLY: add_applied(&cost, instr, computations); break;
    case HLO_WORK_FUNCTION: cost.transcendentals = hlo_leaf_elements(instr->shape); break;
    default: cost.flops = hlo_own_flops(instr); break;
    }
    return cost;
}

hlo_cost hlo_known_part(hlo_cost cost) {
    return (hlo_cost){fmax(cost.flops, 0), fmax(cost.transcendentals, 0), fmax(cost.bytes, 0)};
}

/* Callees come first, so that their costs are known. */
static hlo_cost *sum_costs(const hlo_call_graph *graph, bool only_known) {
    uint32_t ids = 1;
    for (uint32_t n = 0; n < graph->count; n++)
        if (graph->order[n]->id >= ids) ids = graph->order[n]->id + 1;
    hlo_cost *costs = hlo_calloc(ids, sizeof *costs);
    for (uint32_t n = graph->count; n-- > 0;) {
        hlo_cost *sum = &costs[graph->order[n]->id];
        for (const hlo_instr *i = graph->order[n]->first; i; i = i->next) {
            hlo_cost one = hlo_instr_cost(i, costs);
            if (only_known) one = hlo_known_part(one);
            add_cost(sum, &one, 1);
            sum->bytes += one.bytes;
        }
    }
    return costs;
}

hlo_cost *hlo_computation_costs(const hlo_call_graph *graph) {
    return sum_costs(graph, false);
}

hlo_cost *hlo_known_costs(const hlo_call_graph *graph) {
    return sum_costs(graph, true);
}
