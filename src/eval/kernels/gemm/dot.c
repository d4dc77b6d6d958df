/* dot, ragged-dot and scaled-dot: operands are packed to matrices and multiplied. */
#include "base/blocks.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel.h"
#include "eval/kernels/gemm/products.h"

/* How operands become matrices, and these a product. */
typedef struct {
    hlo_product_dims dims;
    hlo_gemm gemm; /* unless an operand has no elements */
    hlo_packing lhs, rhs;
    hlo_accumulators sums; /* [batch, m, n] */
    int64_t hands_on;      /* elements that a follower gets */
} product_state;

/* A product that runs. */
typedef struct {
    const product_state *state;
    const hlo_call *call;
    hlo_gemm_operands operands; /* packed */
    char *sums;
} product;

/* The state but for the packing; `lhs` and `rhs`: types of the elements that will be packed. */
static product_state *start_state(hlo_preparation *p, hlo_type lhs, hlo_type rhs, int64_t absent) {
    product_state *state = HLO_NEW_STATE(p, product_state);
    state->dims = hlo_prepare_product_dims(p, absent);
    const hlo_product_dims *d = &state->dims;
    hlo_type type = hlo_product_type(lhs, rhs, (hlo_type)p->instr->shape->type);
    state->gemm = (hlo_gemm){.type = type, .m = d->m, .n = d->n, .k = d->k};
    state->gemm.a.type = lhs;
    state->gemm.b.type = rhs;
    state->gemm.is_followed = p->is_followed;
    hlo_prepare_accumulators(p, &state->sums, p->instr->shape, type);
    p->state = state;
    return state;
}

static void set_batches(hlo_preparation *p, hlo_gemm *g, const hlo_product_dims *d) {
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, d->batch_dims);
    const hlo_shape *lhs = hlo_operand(p->instr, 0)->shape;
    for (uint32_t i = 0; i < d->batch_dims; i++) sizes[i] = lhs->dims[d->lhs_order[i]];
    g->batch_rank = d->batch_dims;
    g->batch_sizes = sizes;
}

/* How an operand of the product lies, and how it is packed; NULL: not at all. */
typedef struct {
    const hlo_shape *shape;
    uint32_t *order;
    bool is_turned;
} given_operand;

/* Operand i as the kernel gets it, perhaps before a transpose of matrices. */
static given_operand given_to_product(hlo_preparation *p, uint32_t i, const uint32_t *order) {
    const hlo_instr *operand = hlo_operand(p->instr, i), *given = hlo_prepare_given(p, i);
    given_operand it = {.shape = given->shape, .is_turned = given != operand};
    it.order = hlo_arena_copy(p->arena, order, it.shape->rank * sizeof *order);
    for (uint32_t d = 0; d < it.shape->rank && it.is_turned; d++) it.order[d] = 1 - order[d];
    return it;
}

/* Operands are read where they lie if that is possible. `keeps`: they are those of the instruction
 * as it gets them. */
static product_state *prepare_product(hlo_preparation *p, hlo_type lhs, hlo_type rhs, bool keeps) {
    product_state *state = start_state(p, lhs, rhs, -1);
    const hlo_product_dims *d = &state->dims;
    hlo_gemm *g = &state->gemm;
    if (!d->batch) return state;
    set_batches(p, g, d);
    g->keeps = keeps;
    given_operand left = given_to_product(p, 0, d->lhs_order);
    given_operand right = given_to_product(p, 1, d->rhs_order);
    uint32_t rows = left.shape->rank - d->batch_dims - d->contracting_dims;
    bool lhs_lies = hlo_lay_out_operand(p, &g->a, left.shape, left.order, d->batch_dims, rows);
    bool rhs_lies =
        hlo_lay_out_operand(p, &g->b, right.shape, right.order, d->batch_dims, d->contracting_dims);
    g->a.is_turned = left.is_turned;
    g->b.is_turned = right.is_turned;
    hlo_prepare_gemm(p, g);
    p->hands_on = state->hands_on = hlo_gemm_hands_on(g);
    p->hands_on_unit = g->n;
    hlo_prepare_packing(p, &state->lhs, left.shape, lhs, lhs_lies ? NULL : left.order,
                        hlo_gemm_lhs_type(g));
    hlo_prepare_packing(p, &state->rhs, right.shape, rhs, rhs_lies ? NULL : right.order,
                        hlo_gemm_rhs_type(g));
    return state;
}

/* The product with packed operands, and with sums where they are computed. */
static product start_product(const product_state *state, const hlo_call *call, const void *lhs,
                             const void *rhs) {
    product p = {.state = state, .call = call};
    hlo_cached_memory cached = hlo_call_cached(call, state->gemm.cached);
    bool has_lhs = cached.is_made && state->gemm.is_swapped;
    bool has_rhs = cached.is_made && !state->gemm.is_swapped;
    p.sums = hlo_accumulators_at(&state->sums, call, call->out);
    p.operands.lhs = has_lhs ? lhs : hlo_pack(&state->lhs, call, lhs);
    p.operands.rhs = has_rhs ? rhs : hlo_pack(&state->rhs, call, rhs);
    p.operands.cached = cached;
    return p;
}

static void clear_sums(const product *p) {
    const product_state *s = p->state;
    hlo_zero_bytes(p->sums, (size_t)(s->sums.elements * hlo_types[s->gemm.type].bytes));
}

/* Complete sums become elements of the result, for who follows the product. */
typedef struct {
    hlo_follower base;
    const product *product;
} product_end;

static void end_part(const hlo_follower *follower, char *piece, int64_t first, int64_t last) {
    const product *p = ((const product_end *)follower)->product;
    hlo_accumulators_finish_part(&p->state->sums, p->call->out, p->sums, first, last);
    p->call->follower->follow(p->call->follower, piece, first, last);
}

static void run_product(const product_state *state, const hlo_call *call, const void *lhs,
                        const void *rhs) {
    product p = start_product(state, call, lhs, rhs);
    product_end end = {{end_part}, &p};
    if (state->dims.batch)
        hlo_gemm_run(&state->gemm, call, &p.operands, p.sums, call->follower ? &end.base : NULL);
    else clear_sums(&p);
    int64_t first = call->follower ? state->hands_on : 0;
    hlo_accumulators_finish_part(&state->sums, call->out, p.sums, first, state->sums.elements);
}

/* ---- dot ---- */

/* An operand is not kept in packed form where the other one has run-time sizes: it may have zeros.
 */
static bool prepare_dot(hlo_preparation *p) {
    const hlo_shape *lhs = hlo_operand(p->instr, 0)->shape, *rhs = hlo_operand(p->instr, 1)->shape;
    return prepare_product(p, (hlo_type)lhs->type, (hlo_type)rhs->type,
                           !lhs->dynamic && !rhs->dynamic);
}

/* The result's dimensions are the batch dimensions and the free dimensions of either side. A batch
 * that is short on one side only is static on the other. */
static void set_sizes(hlo_value *out, const hlo_product_dims *d, const hlo_value *lhs,
                      const hlo_value *rhs) {
    if (!out->shape->dynamic || (!lhs->sizes && !rhs->sizes)) return;
    int64_t *sizes = hlo_result_sizes(out);
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->batch_dims; i++)
        sizes[n++] =
            hlo_smaller(hlo_value_size(lhs, d->lhs_order[i]), hlo_value_size(rhs, d->rhs_order[i]));
    for (uint32_t i = d->batch_dims; i + d->contracting_dims < lhs->shape->rank; i++)
        sizes[n++] = hlo_value_size(lhs, d->lhs_order[i]);
    for (uint32_t i = d->batch_dims + d->contracting_dims; i < rhs->shape->rank; i++)
        sizes[n++] = hlo_value_size(rhs, d->rhs_order[i]);
}

/* The dimension of operand i, as the kernel gets it, that is contracted as the k-th. */
static uint32_t contracted_dim(const product_state *state, uint32_t i, uint32_t k, uint32_t rank) {
    const hlo_product_dims *d = &state->dims;
    uint32_t dim =
        i ? d->rhs_order[d->batch_dims + k] : d->lhs_order[rank - d->contracting_dims + k];
    bool is_turned = i ? state->gemm.b.is_turned : state->gemm.a.is_turned;
    return is_turned ? 1 - dim : dim;
}

/* An operand and what it meets. */
typedef struct {
    const product_state *state;
    const hlo_value *other;
    uint32_t number; /* of the operand */
} met_operand;

/* What both have along a contracted dimension at run time, all of another one. */
static hlo_part met_part(const void *context, const hlo_value *x, uint32_t d) {
    const met_operand *o = context;
    for (uint32_t k = 0; k < o->state->dims.contracting_dims; k++) {
        if (contracted_dim(o->state, o->number, k, x->shape->rank) != d) continue;
        uint32_t at = contracted_dim(o->state, 1 - o->number, k, o->other->shape->rank);
        return (hlo_part){0, hlo_smaller(hlo_value_size(x, d), hlo_value_size(o->other, at))};
    }
    return (hlo_part){0, x->shape->dims[d]};
}

/* Operand i with zeros for what it or the other one lacks along contracted dimensions at run time:
 * no element meets one that is not there, which times infinity would be a NaN. */
static hlo_value *live_operand(const product_state *state, const hlo_call *call, uint32_t i) {
    met_operand operand = {state, call->in[1 - i], i};
    if (!call->in[0]->sizes && !call->in[1]->sizes) return hlo_value_retain(call->in[i]);
    return hlo_zero_outside(call, call->in[i], met_part, &operand);
}

static bool run_dot(hlo_call *call) {
    const product_state *state = call->state;
    const hlo_product_dims *dims = &state->dims;
    for (uint32_t i = 0; i < dims->batch_dims; i++)
        if (!hlo_check_batch_size(call, dims->lhs_order[i], dims->rhs_order[i])) return false;
    hlo_value *lhs = live_operand(state, call, 0);
    hlo_value *rhs = live_operand(state, call, 1);
    if (lhs && rhs) run_product(state, call, lhs->data, rhs->data);
    set_sizes(call->out, &state->dims, call->in[0], call->in[1]);
    hlo_value_release(lhs);
    hlo_value_release(rhs);
    return lhs && rhs;
}

const hlo_kernel hlo_kernel_dot = {prepare_dot, run_dot};

/* Whether the instruction turns a matrix of some size around, all of it at run time, too. */
static bool turns_matrix(const hlo_instr *instr) {
    enum { LEAST = 16, ELEMENTS = 4096 };
    const int64_t *dims = instr->shape->dims;
    return instr->opcode == HLO_OP_TRANSPOSE && instr->shape->rank == 2 &&
           hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0] == 1 && dims[0] >= LEAST &&
           dims[1] >= LEAST && dims[0] >= ELEMENTS / dims[1];
}

/* A few rows, or columns, meet a matrix that a transpose turns where it lies: they are the sums of
 * rows of the transposed one. With more of them, turning takes little of the time; but as long as
 * no two shares of columns copy the same rows, these are as well copied from there. */
hlo_instr *hlo_given_to_dot(const hlo_instr *instr, uint32_t i) {
    enum { FEW = 3, ONE_SHARE = 128 };
    hlo_instr *operand = hlo_operand(instr, i), *other = hlo_operand(instr, 1 - i);
    if (!turns_matrix(operand) || instr->shape->rank != 2 || other->shape->rank != 2 ||
        instr->shape->dynamic || operand->shape->dynamic || other->shape->dynamic ||
        hlo_operand(operand, 0)->shape->dynamic)
        return operand;
    const hlo_ints *contracting =
        hlo_attr_ints(instr, i ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS);
    if (contracting->n != 1) return operand;
    bool adds_rows = instr->shape->dims[1 - i] <= FEW && contracting->v[0] == 0;
    bool copies_once = i == 0 && contracting->v[0] == 1 && !operand->first_use->next &&
                       instr->shape->dims[1] > FEW && instr->shape->dims[1] <= ONE_SHARE;
    return adds_rows || copies_once ? hlo_operand(operand, 0) : operand;
}

/* ---- scaled-dot ---- */

/* x times its scales in f32: one scale covers an equal run of every dimension. */
typedef struct {
    hlo_type type, scale_type;
    int64_t elements, scales;
    hlo_walk walk; /* over x and its scales, as f32 */
    size_t values_at, factors_at;
} scaling;

typedef struct {
    const product_state *product;
    scaling lhs, rhs;
} scaled_state;

/* A dimension is walked as blocks and the elements of a block. */
static void prepare_scaling(hlo_preparation *p, scaling *s, const hlo_shape *x,
                            const hlo_shape *scale) {
    s->type = (hlo_type)x->type;
    s->scale_type = (hlo_type)scale->type;
    s->elements = hlo_shape_elements(x);
    s->scales = hlo_shape_elements(scale);
    int64_t *at = HLO_NEW_ARRAY(p->arena, int64_t, x->rank);
    int64_t *from = HLO_NEW_ARRAY(p->arena, int64_t, x->rank);
    hlo_row_major(x, 1, at);
    if (scale->rank == x->rank) hlo_row_major(scale, 1, from);
    hlo_walk_init(&s->walk, 2);
    for (uint32_t d = 0; d < x->rank; d++) {
        int64_t blocks = scale->rank == x->rank ? scale->dims[d] : 1;
        int64_t block = x->dims[d] / blocks;
        hlo_walk_dim2(&s->walk, blocks, at[d] * block, from[d]);
        hlo_walk_dim2(&s->walk, block, at[d], 0);
    }
    s->values_at = hlo_prepare_scratch(p, (size_t)s->elements * sizeof(float));
    s->factors_at = hlo_prepare_scratch(p, (size_t)s->scales * sizeof(float));
}

static const float *scaled(const scaling *s, const hlo_call *call, const hlo_value *x,
                           const hlo_value *scale) {
    char *scratch = call->scratch;
    float *values = (float *)(scratch + s->values_at),
          *factors = (float *)(scratch + s->factors_at);
    hlo_convert_elements(s->type, HLO_F32, x->data, values, (size_t)s->elements);
    hlo_convert_elements(s->scale_type, HLO_F32, scale->data, factors, (size_t)s->scales);
    hlo_walk walk = s->walk;
    for (bool more = hlo_walk_start(&walk); more; more = hlo_walk_next(&walk))
        for (int64_t i = 0; i < walk.row; i++)
            values[walk.at[0] + i * walk.row_stride[0]] *=
                factors[walk.at[1] + i * walk.row_stride[1]];
    return values;
}

bool hlo_check_scales(hlo_preparation *p) {
    for (uint32_t i = 0; i < 4; i++) {
        hlo_type type = (hlo_type)hlo_operand(p->instr, i)->shape->type;
        if (!hlo_type_is_float(type))
            return hlo_prepare_error(p, HLO_RULE_UNSUPPORTED,
                                     "scales floats and has operand %u of type %s", i,
                                     hlo_types[type].text);
    }
    for (uint32_t i = 2; i < 4; i++)
        if (hlo_shape_elements(hlo_operand(p->instr, i)->shape) <= 0)
            return hlo_prepare_error(p, HLO_RULE_RUN, "has a scale operand without elements");
    return true;
}

static bool prepare_scaled_dot(hlo_preparation *p) {
    if (!hlo_check_scales(p)) return false;
    scaled_state *state = HLO_NEW_STATE(p, scaled_state);
    state->product = prepare_product(p, HLO_F32, HLO_F32, false);
    prepare_scaling(p, &state->lhs, hlo_operand(p->instr, 0)->shape,
                    hlo_operand(p->instr, 2)->shape);
    prepare_scaling(p, &state->rhs, hlo_operand(p->instr, 1)->shape,
                    hlo_operand(p->instr, 3)->shape);
    p->state = state;
    return true;
}

static bool run_scaled_dot(hlo_call *call) {
    const scaled_state *state = call->state;
    if (!hlo_operands_are_full(call)) return false;
    run_product(state->product, call, scaled(&state->lhs, call, call->in[0], call->in[2]),
                scaled(&state->rhs, call, call->in[1], call->in[3]));
    return true;
}

const hlo_kernel hlo_kernel_scaled_dot = {prepare_scaled_dot, run_scaled_dot};

/* ---- ragged-dot ---- */

/* The ragged dimension inside the rows (or the contracted elements) of a matrix: `outer` times the
 * dimension times `inner`. */
typedef struct {
    const product_state *product;
    int64_t outer, size, inner;
    int64_t groups;
    bool shared;    /* one list of group sizes for everything, else one for each batch and outer */
    bool is_batch;  /* the ragged dimension is a batch dimension: groups change nothing */
    bool contracts; /* it is contracted */
} ragged_state;

/* Takes the dimensions of the operand's order from `first` to `last`. */
static void set_extents(ragged_state *r, const hlo_shape *shape, uint32_t first, uint32_t last,
                        int64_t dimension) {
    const uint32_t *order = r->product->dims.lhs_order;
    bool passed = false;
    r->outer = r->inner = 1;
    for (uint32_t i = first; r->product->dims.batch && i < last; i++) {
        if (order[i] == dimension) passed = true;
        else if (passed) r->inner *= shape->dims[order[i]];
        else r->outer *= shape->dims[order[i]];
    }
}

/* Operands are packed to [batch, m, k] and [groups, batch, k, n], or as many as there are of these.
 * Products of groups are smaller than that of the state. */
static product_state *prepare_packed_product(hlo_preparation *p, int64_t absent) {
    const hlo_shape *left = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *right = hlo_operand(p->instr, 1)->shape;
    hlo_type lhs = (hlo_type)left->type, rhs = (hlo_type)right->type;
    product_state *state = start_state(p, lhs, rhs, absent);
    hlo_gemm *g = &state->gemm;
    if (!state->dims.batch) return state;
    g->a.row = g->k;
    g->b.row = g->n;
    g->a.column = g->b.column = 1;
    g->is_resized = true;
    hlo_prepare_gemm(p, g);
    hlo_prepare_packing(p, &state->lhs, left, lhs, state->dims.lhs_order, g->a.type);
    hlo_prepare_packing(p, &state->rhs, right, rhs, state->dims.rhs_order, g->b.type);
    return state;
}

static bool prepare_ragged_dot(hlo_preparation *p) {
    const hlo_shape *lhs = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *sizes = hlo_operand(p->instr, 2)->shape;
    const hlo_ints *batch_dims = hlo_attr_ints(p->instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *contracting = hlo_attr_ints(p->instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *group_dims = hlo_attr_ints(p->instr, HLO_ATTR_RHS_GROUP_DIMS);
    int64_t dimension = hlo_attr_ints(p->instr, HLO_ATTR_LHS_RAGGED_DIMS)->v[0];
    uint32_t free_end = lhs->rank - contracting->n;
    ragged_state *state = HLO_NEW_STATE(p, ragged_state);
    state->is_batch = hlo_ints_contain(batch_dims, dimension);
    state->contracts = hlo_ints_contain(contracting, dimension);
    int64_t absent = !state->is_batch && group_dims->n ? group_dims->v[0] : -1;
    state->product = prepare_packed_product(p, absent);
    state->size = lhs->dims[dimension];
    state->groups = sizes->rank ? sizes->dims[sizes->rank - 1] : 0;
    state->shared = sizes->rank == 1;
    if (state->contracts) set_extents(state, lhs, free_end, lhs->rank, dimension);
    else set_extents(state, lhs, batch_dims->n, free_end, dimension);
    p->state = state;
    return true;
}

/* A group's run of ragged elements, after those of earlier groups; the dimension cuts it off. */
typedef struct {
    int64_t start, end;
} run;

static run next_group(const ragged_state *r, const hlo_value *group_sizes, int64_t batch,
                      int64_t outer, int64_t group, run before) {
    int64_t list = r->shared ? 0 : (batch * r->outer + outer) * r->groups;
    int64_t size = hlo_index_at(group_sizes, list + group), left = r->size - before.end;
    return (run){before.end, before.end + hlo_clamp_index(size, 0, left)};
}

/* Adds a group's product, of m rows over a depth of k: where its operands and its sums begin. */
static void multiply_group(const product *p, int64_t m, int64_t k, int64_t lhs, int64_t rhs,
                           int64_t sums) {
    hlo_gemm g = p->state->gemm;
    hlo_gemm_resize(&g, m, k);
    hlo_gemm_operands operands = {
        .lhs = (const char *)p->operands.lhs + lhs * hlo_types[g.a.type].bytes,
        .rhs = (const char *)p->operands.rhs + rhs * hlo_types[g.b.type].bytes};
    hlo_gemm_run(&g, p->call, &operands, p->sums + sums * hlo_types[g.type].bytes, NULL);
}

/* Groups change nothing: a product for each batch. */
static void multiply_batches(const product *p) {
    const hlo_product_dims *d = &p->state->dims;
    for (int64_t b = 0; b < d->batch; b++)
        multiply_group(p, d->m, d->k, b * d->m * d->k, b * d->k * d->n, b * d->m * d->n);
}

/* Rows of lhs meet the matrix of their group: rhs is [groups, batch, k, n]. */
static void multiply_row_groups(const product *p, const ragged_state *r,
                                const hlo_value *group_sizes, int64_t batch, int64_t outer) {
    const hlo_product_dims *d = &p->state->dims;
    run rows = {0, 0};
    for (int64_t g = 0; g < r->groups; g++) {
        rows = next_group(r, group_sizes, batch, outer, g, rows);
        int64_t first = batch * d->m + (outer * r->size + rows.start) * r->inner;
        multiply_group(p, (rows.end - rows.start) * r->inner, d->k, first * d->k,
                       (g * d->batch + batch) * d->k * d->n, first * d->n);
    }
}

/* Every group contracts its own run and has a separate result: sums are [groups, batch, m, n]. */
static void multiply_contracted_groups(const product *p, const ragged_state *r,
                                       const hlo_value *group_sizes, int64_t batch, int64_t outer) {
    const hlo_product_dims *d = &p->state->dims;
    run depth = {0, 0};
    for (int64_t g = 0; g < r->groups; g++) {
        depth = next_group(r, group_sizes, batch, outer, g, depth);
        int64_t first = (outer * r->size + depth.start) * r->inner;
        multiply_group(p, d->m, (depth.end - depth.start) * r->inner, batch * d->m * d->k + first,
                       (batch * d->k + first) * d->n, (g * d->batch + batch) * d->m * d->n);
    }
}

static bool run_ragged_dot(hlo_call *call) {
    const ragged_state *state = call->state;
    if (!hlo_operands_are_full(call)) return false;
    product p = start_product(state->product, call, call->in[0]->data, call->in[1]->data);
    clear_sums(&p);
    if (state->is_batch) multiply_batches(&p);
    for (int64_t b = 0; !state->is_batch && b < state->product->dims.batch; b++)
        for (int64_t outer = 0; outer < state->outer; outer++)
            (state->contracts ? multiply_contracted_groups
                              : multiply_row_groups)(&p, state, call->in[2], b, outer);
    hlo_accumulators_finish(&state->product->sums, call->out, p.sums);
    return true;
}

const hlo_kernel hlo_kernel_ragged_dot = {prepare_ragged_dot, run_ragged_dot};
