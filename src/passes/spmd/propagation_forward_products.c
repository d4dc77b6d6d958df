/* Shardings from operands to dots and convolutions. */
#include "passes/spmd/propagation_forward.h"

/* The sharding that the only user of the only user ... wants here; NULL: none. What is between them
 * has none, and gets one for the moment. */
static const hlo_sharding *look_ahead(hlo_propagation *p, const hlo_instr *instr) {
    hlo_instr_list chain = {0};
    const hlo_sharding *found = NULL;
    const hlo_instr *at = instr;
    while (at == instr || !hlo_sharding_on(p, at)) {
        if (hlo_node(p, at)->user_count != 1) break;
        at = hlo_node(p, at)->users[0];
        hlo_list_push(&chain, hlo_node(p, at)->instr);
    }
    bool ends_well = chain.n && hlo_sharding_on(p, at);
    for (uint32_t i = chain.n; ends_well && i-- > 0;) {
        const hlo_instr *operand = i ? chain.v[i - 1] : instr;
        found = hlo_sharding_from_user(p, operand, chain.v[i], HLO_LEVEL_ANY);
        if (!found || !i) break;
        hlo_node(p, operand)->sharding = found;
    }
    for (uint32_t i = 0; i + 1 < chain.n; i++) hlo_node(p, chain.v[i])->sharding = NULL;
    hlo_list_free(&chain);
    return found;
}

/* Which operand's sharding comes first: the one that users of the result want, or that of the
 * larger operand. */
static uint32_t first_choice(hlo_propagation *p, const hlo_instr *instr,
                             const hlo_sharding *const by[2]) {
    const hlo_sharding *wanted = look_ahead(p, instr);
    if (wanted) {
        bool fits[2];
        for (int i = 0; i < 2; i++)
            fits[i] = hlo_sharding_is_within(&p->arena, instr->shape, wanted, by[i]);
        if (fits[0] != fits[1]) return fits[1];
    }
    return hlo_shape_bytes(hlo_operand(instr, 0)->shape) <
           hlo_shape_bytes(hlo_operand(instr, 1)->shape);
}

static bool from_factors(hlo_propagation *p, const hlo_instr *instr, const hlo_product_dims *d) {
    const hlo_sharding *by[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_sharding *s = hlo_split_operand(p, instr, i);
        if (s) s = hlo_product_from_operand(&p->arena, d, i, s);
        if (s)
            by[i] = hlo_sharding_improved(&p->arena, s, hlo_sharding_on(p, instr), instr->shape,
                                          hlo_may_combine(p), false);
    }
    if (!by[0] && !by[1]) return false;
    uint32_t first = !by[0];
    if (by[0] && by[1]) first = first_choice(p, instr, by);
    hlo_set_sharding(p, instr, by[first]);
    if (by[1 - first]) hlo_improve(p, instr, by[1 - first], false);
    return true;
}

bool hlo_shard_from_dot(hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_DOT);
    hlo_product_dims d = hlo_product_dims_of(&p->arena, instr);
    return from_factors(p, instr, &d);
}

/* Smaller than the result in each spatial dimension, or a little larger in later ones. */
static bool has_small_kernel(const hlo_instr *conv) {
    const hlo_dim_labels *labels = hlo_instr_attr(conv, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    int64_t kernel_size = 1, result_size = 1;
    for (uint32_t i = 0; i < labels->n; i++) {
        int64_t kernel = hlo_operand(conv, 1)->shape->dims[labels->kernel_spatial[i]];
        int64_t result = conv->shape->dims[labels->output_spatial[i]];
        kernel_size *= kernel;
        result_size *= result;
        if (kernel >= result && (i < 2 || kernel > 3 || kernel_size >= result_size)) return false;
    }
    return true;
}

static bool splits_spatial(const hlo_propagation *p, const hlo_instr *conv,
                           const hlo_product_dims *d) {
    for (uint32_t side = 0; side < 2; side++) {
        const hlo_sharding *s = hlo_operand_sharding(p, conv, side);
        for (uint32_t i = 0; s && i < d->spatial.n; i++)
            if (hlo_tiles_along(s, d->spatial.v[i].side[side]) > 1) return true;
    }
    return false;
}

/* Each dimension of the result is split as that of its role in the input. */
static const hlo_sharding *like_input(hlo_propagation *p, const hlo_instr *conv,
                                      const hlo_sharding *s) {
    const hlo_dim_labels *labels = hlo_instr_attr(conv, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    hlo_ints *from = hlo_ints_new(&p->arena, conv->shape->rank);
    for (uint32_t i = 0; i < from->n; i++) from->v[i] = -1; /* dimensions without a role */
    from->v[labels->output_batch] = labels->input_batch;
    from->v[labels->output_feature] = labels->input_feature;
    for (uint32_t i = 0; i < labels->n; i++)
        from->v[labels->output_spatial[i]] = labels->input_spatial[i];
    return hlo_sharding_mapped(&p->arena, s, from->v, from->n);
}

/* One that is no product in disguise keeps its input's sharding, if its kernel is small, or the
 * batch dimension's. */
bool hlo_shard_from_convolved(hlo_propagation *p, const hlo_instr *conv) {
    if (hlo_shape_is_tuple(hlo_operand(conv, 1)->shape)) return false; /* sparse */
    hlo_product_dims d = hlo_product_dims_of(&p->arena, conv);
    const hlo_dim_labels *labels = hlo_instr_attr(conv, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    bool grouped = hlo_attr_int(conv, HLO_ATTR_BATCH_GROUP_COUNT) != 1 ||
                   hlo_attr_int(conv, HLO_ATTR_FEATURE_GROUP_COUNT) != 1;
    if (d.spatial.n == 0 || (!grouped && !splits_spatial(p, conv, &d)))
        return from_factors(p, conv, &d);
    const hlo_sharding *s = hlo_split_operand(p, conv, 0);
    HLO_ASSERT(conv->opcode == HLO_OP_CONVOLUTION);
    if (!s) return false;
    if (s->kind != HLO_SHARDING_TILED) return hlo_improve(p, conv, s, false);
    if (has_small_kernel(conv)) {
        if (hlo_tiles_along(s, labels->input_feature) > 1) return false;
        return hlo_improve(p, conv, like_input(p, conv, s), false);
    }
    hlo_ints *batch = hlo_ints_from(&p->arena, &labels->input_batch, 1);
    s = hlo_sharding_keep(&p->arena, s, batch);
    return hlo_improve(p, conv, s, false);
}
