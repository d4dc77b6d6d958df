/* Rule of convolution: batches, features, groups and spatial dimensions may have tiles, those of
 * the kernel too. */
#include "analysis/match.h"
#include "passes/spmd/partition_windows.h"

static int64_t feature_groups(const hlo_instr *conv) {
    return hlo_attr_int(conv, HLO_ATTR_FEATURE_GROUP_COUNT);
}

static int64_t batch_groups(const hlo_instr *conv) {
    return hlo_attr_int(conv, HLO_ATTR_BATCH_GROUP_COUNT);
}

/* Groups lie one after the other in the features that are made, and in the input's features or
 * batches: whole groups go to a device. */
static void describe_groups(const hlo_instr *conv, const hlo_dim_labels *l, hlo_factors *f) {
    int64_t features = feature_groups(conv), batches = batch_groups(conv);
    int32_t factor = hlo_factor_new(f, false, features * batches > 1 ? features * batches : 0);
    f->operands[1][l->kernel_output_feature] = f->results[0][l->output_feature] = factor;
    if (features > 1) f->operands[0][l->input_feature] = factor;
    else if (batches > 1) f->operands[0][l->input_batch] = factor;
}

/* The kernel has tiles along a spatial dimension and the result none: as gradients of kernels do,
 * devices then sum over their part of the window. */
static bool sums_window(hlo_partitioner *p, const hlo_instr *conv, const hlo_dim_labels *l,
                        uint32_t i) {
    const hlo_window_dim *w = &hlo_window_of(conv)->v[i];
    hlo_shard kernel = hlo_part_array(p, conv, 1);
    return kernel.tiles->only < 0 && kernel.tiles->tiles[l->kernel_spatial[i]] > 1 &&
           w->base_dilation == 1 && !w->reversed;
}

static void describe_spatial(hlo_partitioner *p, const hlo_instr *conv, const hlo_dim_labels *l,
                             hlo_factors *f, uint32_t i) {
    if (sums_window(p, conv, l, i)) {
        int32_t factor = hlo_factor_new(f, true, 0);
        f->operands[0][l->input_spatial[i]] = f->operands[1][l->kernel_spatial[i]] = factor;
        return;
    }
    int64_t size = conv->shape->dims[l->output_spatial[i]];
    hlo_factor_join(f, 0, l->input_spatial[i], l->output_spatial[i]);
    f->divides[f->count - 1] = hlo_window_tiles(&hlo_window_of(conv)->v[i], size);
}

static void describe_convolution(hlo_partitioner *p, const hlo_instr *conv, hlo_factors *f) {
    if (hlo_has_sparse_operand(conv)) return;
    const hlo_dim_labels *l = hlo_labels_of(conv);
    bool one_group = feature_groups(conv) == 1;
    describe_groups(conv, l, f);
    if (batch_groups(conv) == 1) hlo_factor_join(f, 0, l->input_batch, l->output_batch);
    if (one_group)
        f->operands[0][l->input_feature] = f->operands[1][l->kernel_input_feature] =
            hlo_factor_new(f, true, 0);
    for (uint32_t i = 0; i < l->n; i++) describe_spatial(p, conv, l, f, i);
}

/* The elements that a device's part of the window meets, for all outputs. */
static hlo_instr *met_by_part(hlo_partitioner *p, const hlo_placed *s, const hlo_shard *x,
                              uint32_t i, hlo_window_dim *w) {
    const hlo_dim_labels *l = hlo_labels_of(s->instr);
    int64_t outputs = s->shape->dims[l->output_spatial[i]];
    int64_t part = s->operands[1].data->shape->dims[l->kernel_spatial[i]];
    w->size = part;
    int64_t span = outputs ? (outputs - 1) * w->stride + hlo_window_extent(w) : 0;
    hlo_reach reach = {(uint32_t)l->input_spatial[i], -w->pad_low, part * w->window_dilation, span,
                       hlo_scalar_zero(p, x->shape)};
    w->pad_low = w->pad_high = 0;
    return hlo_shard_reach(p, x, &reach);
}

static void cover_spatial(hlo_partitioner *p, const hlo_placed *s, hlo_shard *x, hlo_window *w) {
    const hlo_dim_labels *l = hlo_labels_of(s->instr);
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t d = (uint32_t)l->input_spatial[i];
        int32_t factor = s->factors->operands[0][d];
        int64_t size = s->shape->dims[l->output_spatial[i]];
        if (hlo_factor_tiles(s, factor) == 1) continue;
        if (s->factors->is_summed[factor]) x->data = met_by_part(p, s, x, i, &w->v[i]);
        else if (!hlo_window_is_trivial(&w->v[i]))
            x->data = hlo_window_covered(p, x, d, size, &w->v[i], hlo_scalar_zero(p, x->shape));
    }
}

/* Each device has a part of the groups. */
static void set_groups(const hlo_placed *s, hlo_instr *made) {
    const hlo_dim_labels *l = hlo_labels_of(s->instr);
    int64_t parts = hlo_factor_tiles(s, s->factors->results[0][l->output_feature]);
    int64_t features = feature_groups(s->instr), batches = batch_groups(s->instr);
    if (features > 1)
        hlo_instr_set_attr(made, hlo_attr_of_int(HLO_ATTR_FEATURE_GROUP_COUNT, features / parts));
    if (batches > 1)
        hlo_instr_set_attr(made, hlo_attr_of_int(HLO_ATTR_BATCH_GROUP_COUNT, batches / parts));
}

static hlo_instr *make_convolution(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_CONVOLUTION);
    const hlo_window *old = hlo_window_of(s->instr);
    hlo_window *window = old ? hlo_window_copy(p, old) : NULL;
    hlo_placed_mask(p, s, 0, NULL);
    hlo_placed_mask(p, s, 1, NULL);
    hlo_shard x = s->operands[0];
    if (window) cover_spatial(p, s, &x, window);
    s->data[0] = x.data;
    hlo_instr *made = hlo_part_make_same(p, s);
    if (window) hlo_window_set(made, window);
    set_groups(s, made);
    return made;
}

const hlo_partition_rule hlo_part_convolution = {describe_convolution, make_convolution, NULL};
