/* shrink-dims: rules of operations that combine elements along dimensions. */
#include "passes/tools/shrink_dims.h"

static uint32_t operand_dims(const hlo_shrink *s, const hlo_instr *instr, uint32_t i) {
    return hlo_shrink_first(s, hlo_operand(instr, i));
}

/* ---- products ---- */

static void relate_pairs(hlo_shrink *s, uint32_t a, const hlo_ints *in_a, uint32_t b,
                         const hlo_ints *in_b, const hlo_instr *instr) {
    for (uint32_t i = 0; i < in_a->n; i++)
        hlo_shrink_join(s, a + (uint32_t)in_a->v[i], b + (uint32_t)in_b->v[i], 0, instr);
}

/* The dimensions of an operand that are in neither list, in order, are the next of the result. */
static uint32_t relate_free(hlo_shrink *s, const hlo_instr *instr, uint32_t i,
                            const hlo_ints *batch, const hlo_ints *contracting, uint32_t to) {
    for (uint32_t d = 0; d < hlo_operand(instr, i)->shape->rank; d++)
        if (!hlo_ints_contain(batch, d) && !hlo_ints_contain(contracting, d))
            hlo_shrink_join(s, operand_dims(s, instr, i) + d, to++, 0, instr);
    return to;
}

static void relate_dot(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_ints *batch_a = hlo_attr_ints(instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *batch_b = hlo_attr_ints(instr, HLO_ATTR_RHS_BATCH_DIMS);
    const hlo_ints *sum_a = hlo_attr_ints(instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *sum_b = hlo_attr_ints(instr, HLO_ATTR_RHS_CONTRACTING_DIMS);
    uint32_t a = operand_dims(s, instr, 0), b = operand_dims(s, instr, 1);
    uint32_t to = hlo_shrink_first(s, instr);
    relate_pairs(s, a, sum_a, b, sum_b, instr);
    relate_pairs(s, a, batch_a, b, batch_b, instr);
    for (uint32_t i = 0; i < batch_a->n; i++)
        hlo_shrink_join(s, a + (uint32_t)batch_a->v[i], to++, 0, instr);
    to = relate_free(s, instr, 0, batch_a, sum_a, to);
    relate_free(s, instr, 1, batch_b, sum_b, to);
}

static bool is_plain(const hlo_window_dim *w) {
    return w->size == 1 && w->stride == 1 && !w->pad_low && !w->pad_high && w->base_dilation == 1;
}

static void relate_spatial(hlo_shrink *s, const hlo_instr *instr, const hlo_dim_labels *labels) {
    static const char *const reason = "it is a spatial dimension of a convolution";
    uint32_t input = operand_dims(s, instr, 0), kernel = operand_dims(s, instr, 1);
    uint32_t output = hlo_shrink_first(s, instr);
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    for (uint32_t d = 0; d < labels->n; d++) {
        uint32_t from = input + (uint32_t)labels->input_spatial[d];
        uint32_t to = output + (uint32_t)labels->output_spatial[d];
        hlo_shrink_keep(s, kernel + (uint32_t)labels->kernel_spatial[d], reason, instr);
        if (attr && is_plain(&attr->u.window->v[d]) && s->dims[from].size == s->dims[to].size) {
            hlo_shrink_join(s, from, to, 0, instr);
            continue;
        }
        hlo_shrink_keep(s, from, reason, instr);
        hlo_shrink_keep(s, to, reason, instr);
    }
}

typedef struct {
    uint32_t batch, features; /* of the input */
    uint32_t taken, given;    /* features of the kernel, in and out */
    uint32_t kept, result;    /* batch and features of the output */
} convolved;

static convolved convolved_of(const hlo_shrink *s, const hlo_instr *instr,
                              const hlo_dim_labels *labels) {
    uint32_t input = operand_dims(s, instr, 0), kernel = operand_dims(s, instr, 1);
    uint32_t output = hlo_shrink_first(s, instr);
    return (convolved){input + (uint32_t)labels->input_batch,
                       input + (uint32_t)labels->input_feature,
                       kernel + (uint32_t)labels->kernel_input_feature,
                       kernel + (uint32_t)labels->kernel_output_feature,
                       output + (uint32_t)labels->output_batch,
                       output + (uint32_t)labels->output_feature};
}

/* A group for each feature of the input; or for each member of its batch, which is so for the
 * gradient of the former. */
static void relate_single_groups(hlo_shrink *s, const hlo_instr *instr, uint32_t of, int64_t groups,
                                 const convolved *c, bool by_batch) {
    static const char *const reason = "it is a dimension of a convolution in groups";
    hlo_shrink_join(s, c->given, c->result, 0, instr);
    if (s->dims[of].size == groups) {
        hlo_shrink_scale(s, of, c->given, instr);
    } else {
        hlo_shrink_keep(s, of, reason, instr);
        hlo_shrink_keep(s, c->given, reason, instr);
        hlo_shrink_keep(s, by_batch ? c->kept : c->taken, reason, instr);
    }
}

static void relate_convolution(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_dim_labels *labels = hlo_instr_attr(instr, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    convolved c = convolved_of(s, instr, labels);
    int64_t by_feature = hlo_attr_int(instr, HLO_ATTR_FEATURE_GROUP_COUNT);
    int64_t by_batch = hlo_attr_int(instr, HLO_ATTR_BATCH_GROUP_COUNT);
    relate_spatial(s, instr, labels);
    if (by_batch == 1) hlo_shrink_join(s, c.batch, c.kept, 0, instr);
    if (by_feature == 1) hlo_shrink_join(s, c.features, c.taken, 0, instr);
    if (by_feature != 1) relate_single_groups(s, instr, c.features, by_feature, &c, false);
    else if (by_batch != 1) relate_single_groups(s, instr, c.batch, by_batch, &c, true);
    else hlo_shrink_join(s, c.given, c.result, 0, instr);
}

/* ---- reductions ---- */

static void relate_reduce(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_ints *reduced = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    uint32_t n = instr->operand_count / 2, rank = hlo_operand(instr, 0)->shape->rank;
    uint32_t to = hlo_shrink_first(s, instr);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = operand_dims(s, instr, i);
        hlo_shrink_join_all(s, operand_dims(s, instr, 0), from, rank, instr);
        for (uint32_t d = 0; d < rank; d++)
            if (!hlo_ints_contain(reduced, d)) hlo_shrink_join(s, from + d, to++, 0, instr);
    }
}

bool hlo_shrink_is_whole_window(const hlo_window_dim *w, int64_t size) {
    bool sums_all = !w->pad_low && !w->pad_high;
    bool sums_up = w->stride == 1 && ((w->pad_low == size - 1 && !w->pad_high) ||
                                      (w->pad_high == size - 1 && !w->pad_low));
    return size > 1 && w->size == size && w->base_dilation == 1 && w->window_dilation == 1 &&
           (sums_all || sums_up);
}

/* Windows of one element leave a dimension as it is, and windows of all elements change with it:
 * the result has one element, or as many. */
static void relate_window_dim(hlo_shrink *s, const hlo_instr *instr, const hlo_window *window,
                              uint32_t d, uint32_t from, uint32_t to) {
    bool can_be_whole = window && instr->opcode == HLO_OP_REDUCE_WINDOW;
    bool is_whole = can_be_whole && hlo_shrink_is_whole_window(&window->v[d], s->dims[from].size);
    if (is_whole && s->dims[to].size == 1) return;
    bool plain = !window || (is_plain(&window->v[d]) && window->v[d].window_dilation == 1);
    if ((plain || is_whole) && s->dims[from].size == s->dims[to].size) {
        hlo_shrink_join(s, from, to, 0, instr);
        return;
    }
    hlo_shrink_keep(s, from, "windows go over it", instr);
    hlo_shrink_keep(s, to, "windows go over it", instr);
}

static const hlo_window *window_of(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    return attr ? attr->u.window : NULL;
}

static void relate_reduce_window(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t n = instr->operand_count / 2, rank = hlo_operand(instr, 0)->shape->rank;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = 0; d < rank; d++)
            relate_window_dim(s, instr, window_of(instr), d, operand_dims(s, instr, i) + d,
                              hlo_shrink_first(s, instr) + i * rank + d);
}

static void relate_select_and_scatter(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t rank = instr->shape->rank;
    hlo_shrink_join_all(s, operand_dims(s, instr, 0), hlo_shrink_first(s, instr), rank, instr);
    for (uint32_t d = 0; d < rank; d++)
        relate_window_dim(s, instr, window_of(instr), d, operand_dims(s, instr, 0) + d,
                          operand_dims(s, instr, 1) + d);
}

/* The array, then vectors along its features, in operands and results. */
static void relate_batch_norm(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t array = operand_dims(s, instr, 0), rank = hlo_operand(instr, 0)->shape->rank;
    uint32_t feature = array + (uint32_t)hlo_attr_int(instr, HLO_ATTR_FEATURE_INDEX);
    uint32_t own = hlo_shrink_first(s, instr), n = hlo_shrink_count(s, instr);
    hlo_shrink_join_all(s, array, own, rank, instr);
    for (uint32_t d = rank; d < n; d++) hlo_shrink_join(s, feature, own + d, 0, instr);
    for (uint32_t i = 1; i < instr->operand_count; i++) {
        uint32_t other = operand_dims(s, instr, i);
        if (hlo_operand(instr, i)->shape->rank == rank && rank > 1)
            hlo_shrink_join_all(s, array, other, rank, instr);
        else hlo_shrink_join(s, feature, other, 0, instr);
    }
}

/* ---- along the last dimensions ---- */

static void relate_fft(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t rank = instr->shape->rank, n = hlo_attr_ints(instr, HLO_ATTR_FFT_LENGTH)->n;
    uint32_t from = operand_dims(s, instr, 0), to = hlo_shrink_first(s, instr);
    for (uint32_t d = 0; d < rank; d++) {
        bool halved = d + 1 == rank && s->dims[from + d].size != s->dims[to + d].size;
        if (!halved && (d + n < rank || s->dims[from + d].size == s->dims[to + d].size)) {
            hlo_shrink_join(s, from + d, to + d, 0, instr);
            continue;
        }
        hlo_shrink_keep(s, from + d, "it is the length of a real transform", instr);
        hlo_shrink_keep(s, to + d, "it is the length of a real transform", instr);
    }
}

void hlo_shrink_relate_topk(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t rank = hlo_operand(instr, 0)->shape->rank, from = operand_dims(s, instr, 0);
    uint32_t own = hlo_shrink_first(s, instr), n = hlo_shrink_count(s, instr);
    for (uint32_t d = 0; d < n; d++) {
        if (d % rank + 1 < rank) {
            hlo_shrink_join(s, from + d % rank, own + d, 0, instr);
            continue;
        }
        hlo_shrink_keep(s, own + d, "it is the number of elements that topk returns", instr);
        hlo_shrink_bind(s, own + d, 0, from + rank - 1, instr);
    }
}

/* Square matrices. */
static void relate_square(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t a = operand_dims(s, instr, 0), rank = hlo_operand(instr, 0)->shape->rank;
    hlo_shrink_join(s, a + rank - 2, a + rank - 1, 0, instr);
    hlo_shrink_join_all(s, operand_dims(s, instr, instr->operand_count - 1),
                        hlo_shrink_first(s, instr), rank, instr);
    if (instr->opcode != HLO_OP_TRIANGULAR_SOLVE) return;
    uint32_t b = operand_dims(s, instr, 1);
    bool left = hlo_attr_int(instr, HLO_ATTR_LEFT_SIDE) != 0;
    hlo_shrink_join_all(s, a, b, rank - 2, instr);
    hlo_shrink_join(s, a + rank - 1, b + (left ? rank - 2 : rank - 1), 0, instr);
}

bool hlo_shrink_relate_sum(hlo_shrink *s, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_DOT: relate_dot(s, instr); return true;
    case HLO_OP_CONVOLUTION: relate_convolution(s, instr); return true;
    case HLO_OP_REDUCE: relate_reduce(s, instr); return true;
    case HLO_OP_REDUCE_WINDOW: relate_reduce_window(s, instr); return true;
    case HLO_OP_SELECT_AND_SCATTER: relate_select_and_scatter(s, instr); return true;
    case HLO_OP_BATCH_NORM_TRAINING:
    case HLO_OP_BATCH_NORM_INFERENCE:
    case HLO_OP_BATCH_NORM_GRAD: relate_batch_norm(s, instr); return true;
    case HLO_OP_FFT: relate_fft(s, instr); return true;
    case HLO_OP_TOPK: hlo_shrink_relate_topk(s, instr); return true;
    case HLO_OP_CHOLESKY:
    case HLO_OP_TRIANGULAR_SOLVE: relate_square(s, instr); return true;
    default: return false;
    }
}
