/* Plain convolution: for each element of the result the sum over its window and the input features
 * of its group. */
#include "eval/kernels/convolution/convolution.h"
#include "eval/kernel/dynamic.h"
#include "eval/ref/element.h"
#include "eval/ref/index.h"

typedef struct {
    const hlo_window *window;
    const hlo_dim_labels *labels;
    int64_t out_batch, in_group, out_group; /* batches of the result; features of one group */
    bool batch_groups;
    const int64_t *sizes; /* of the window, and input features: what is summed */
    hlo_numbers numbers;
    hlo_indices out, summed, input, kernel;
} convolution;

static hlo_numbers numbers_of(const hlo_instr *instr) {
    hlo_numbers most = hlo_numbers_of((hlo_type)instr->shape->type);
    for (uint32_t i = 0; i < 2; i++) {
        hlo_numbers numbers = hlo_numbers_of((hlo_type)hlo_operand(instr, i)->shape->type);
        if (numbers > most) most = numbers;
    }
    return most;
}

static bool prepare_convolution(hlo_preparation *p) {
    if (!hlo_check_dense_operands(p) || !hlo_check_convolution_types(p)) return false;
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    const hlo_shape *kernel = hlo_operand(p->instr, 1)->shape;
    convolution *c = HLO_NEW_STATE(p, convolution);
    const hlo_dim_labels *labels = hlo_instr_attr(p->instr, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    int64_t feature_groups = hlo_attr_int(p->instr, HLO_ATTR_FEATURE_GROUP_COUNT);
    int64_t batch_groups = hlo_attr_int(p->instr, HLO_ATTR_BATCH_GROUP_COUNT);
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, labels->n + 1);
    c->window = window ? window->u.window : NULL;
    c->labels = labels;
    c->batch_groups = batch_groups > 1;
    c->out_batch = p->instr->shape->dims[labels->output_batch];
    c->in_group = kernel->dims[labels->kernel_input_feature];
    c->out_group = kernel->dims[labels->kernel_output_feature] /
                   (c->batch_groups ? batch_groups : feature_groups);
    for (uint32_t i = 0; i < labels->n; i++) sizes[i] = kernel->dims[labels->kernel_spatial[i]];
    sizes[labels->n] = c->in_group;
    c->sizes = sizes;
    c->numbers = numbers_of(p->instr);
    c->out = hlo_prepare_indices(p, 1, p->instr->shape->rank);
    c->summed = hlo_prepare_indices(p, 1, labels->n + 1);
    c->input = hlo_prepare_indices(p, 1, hlo_operand(p->instr, 0)->shape->rank);
    c->kernel = hlo_prepare_indices(p, 1, kernel->rank);
    p->state = c;
    return true;
}

/* The place in a dimension of the input that element w of the window at output place o meets; -1
 * for padding and for what lies between the elements of a dilated input. */
static int64_t input_place(const hlo_window_dim *dim, int64_t o, int64_t w) {
    int64_t at = o * dim->stride + w * dim->window_dilation - dim->pad_low;
    return at < 0 || at % dim->base_dilation ? -1 : at / dim->base_dilation;
}

/* The input's and the kernel's index for an index of the result and one of what is summed. */
static void set_indices(const convolution *c, const int64_t *out, const int64_t *summed,
                        int64_t *input, int64_t *kernel) {
    const hlo_dim_labels *l = c->labels;
    int64_t group = out[l->output_feature] / c->out_group, feature = summed[l->n];
    input[l->input_batch] = out[l->output_batch] + (c->batch_groups ? group * c->out_batch : 0);
    input[l->input_feature] = feature + (c->batch_groups ? 0 : group * c->in_group);
    kernel[l->kernel_input_feature] = feature;
    kernel[l->kernel_output_feature] = out[l->output_feature];
    for (uint32_t i = 0; i < l->n; i++) {
        const hlo_window_dim *dim = &c->window->v[i];
        input[l->input_spatial[i]] = input_place(dim, out[l->output_spatial[i]], summed[i]);
        kernel[l->kernel_spatial[i]] = dim->reversed ? dim->size - 1 - summed[i] : summed[i];
    }
}

static hlo_number sum_products(const convolution *c, const hlo_call *call, const int64_t *out) {
    const hlo_value *x = call->in[0], *y = call->in[1];
    int64_t *summed = hlo_index(call, c->summed, 0);
    int64_t *input = hlo_index(call, c->input, 0), *kernel = hlo_index(call, c->kernel, 0);
    uint32_t rank = x->shape->rank;
    hlo_number sum = {0};
    for (bool more = hlo_first_index(c->labels->n + 1, c->sizes, summed); more;
         more = hlo_next_index(c->labels->n + 1, c->sizes, summed)) {
        set_indices(c, out, summed, input, kernel);
        if (hlo_is_inside(rank, hlo_live_sizes(x), input) &&
            hlo_is_inside(rank, hlo_live_sizes(y), kernel))
            hlo_add_product(c->numbers, &sum, hlo_load_from(x, hlo_offset_in(x, input)),
                            hlo_load_from(y, hlo_offset_in(y, kernel)));
    }
    return sum;
}

static bool run_convolution(hlo_call *call) {
    const convolution *c = call->state;
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, c->out, 0);
    if (!hlo_check_convolution_sizes(call, c->labels, c->batch_groups)) return false;
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index))
        hlo_store_sum(c->numbers, call->out, hlo_offset_in(call->out, index),
                      sum_products(c, call, index));
    hlo_set_convolution_sizes(call, c->labels, c->window ? c->window->v : NULL);
    return true;
}

const hlo_kernel hlo_plain_convolution = {prepare_convolution, run_convolution};
