/* Plain dot, scaled-dot and ragged-dot: for each element of the result the sum of its products. */
#include "eval/kernel/dynamic.h"
#include "eval/kernels/gemm/products.h"
#include "eval/ref/contraction.h"

/* ---- dot ---- */

static bool prepare_dot(hlo_preparation *p) {
    hlo_contraction *c = HLO_NEW_STATE(p, hlo_contraction);
    hlo_prepare_contraction(p, c, -1, 0);
    p->state = c;
    return true;
}

/* Whether the element is there at run time, along what is contracted. */
static bool is_live(const hlo_contraction *c, const hlo_value *x, const uint32_t *places,
                    const int64_t *index) {
    for (uint32_t d = 0; x->sizes && d < x->shape->rank; d++)
        if (places[d] >= c->out_rank && index[d] >= x->sizes[d]) return false;
    return true;
}

static hlo_number sum_products(const hlo_contraction *c, const hlo_call *call) {
    int64_t *contracted = hlo_joint_index(c, call) + c->out_rank;
    hlo_number sum = {0};
    for (bool more = hlo_first_index(c->contracted, c->contracted_sizes, contracted); more;
         more = hlo_next_index(c->contracted, c->contracted_sizes, contracted)) {
        const hlo_value *x = call->in[0], *y = call->in[1];
        const int64_t *lhs = hlo_lhs_index(c, call), *rhs = hlo_rhs_index(c, call);
        if (is_live(c, x, c->lhs, lhs) && is_live(c, y, c->rhs, rhs))
            hlo_add_product(c->numbers, &sum, hlo_load_from(x, hlo_offset_in(x, lhs)),
                            hlo_load_from(y, hlo_offset_in(y, rhs)));
    }
    return sum;
}

/* The result's dimensions that an operand has are as long as the operand's, a batch as long as the
 * shorter one's: the other one is static. */
static void set_sizes(const hlo_contraction *c, hlo_value *out, const hlo_value *x,
                      const uint32_t *places) {
    for (uint32_t d = 0; x->sizes && d < x->shape->rank; d++) {
        if (places[d] >= c->out_rank) continue;
        int64_t *size = &hlo_result_sizes(out)[places[d]];
        *size = hlo_smaller(*size, x->sizes[d]);
    }
}

/* Batches are one dimension of the result, from both operands. */
static bool check_batches(const hlo_contraction *c, const hlo_call *call) {
    for (uint32_t l = 0; l < call->in[0]->shape->rank; l++)
        for (uint32_t r = 0; c->lhs[l] < c->out_rank && r < call->in[1]->shape->rank; r++)
            if (c->lhs[l] == c->rhs[r] && !hlo_check_batch_size(call, l, r)) return false;
    return true;
}

static bool run_dot(hlo_call *call) {
    const hlo_contraction *c = call->state;
    const hlo_shape *to = call->shape;
    if (!check_batches(c, call)) return false;
    int64_t *index = hlo_joint_index(c, call);
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index))
        hlo_store_sum(c->numbers, call->out, hlo_offset_in(call->out, index),
                      sum_products(c, call));
    if (!to->dynamic) return true;
    set_sizes(c, call->out, call->in[1], c->rhs);
    set_sizes(c, call->out, call->in[0], c->lhs);
    return true;
}

const hlo_kernel hlo_plain_dot = {prepare_dot, run_dot};

/* ---- scaled-dot ---- */

static bool prepare_scaled_dot(hlo_preparation *p) {
    return hlo_check_scales(p) && prepare_dot(p);
}

/* The element times its scale, in f32: a scale covers an equal run of every dimension. */
static hlo_number scaled_element(const hlo_value *x, const hlo_value *scale, const int64_t *index) {
    const hlo_shape *shape = x->shape, *scales = scale->shape;
    float element = (float)hlo_load_from(x, hlo_offset_in(x, index)).re;
    int64_t at = 0;
    for (uint32_t d = 0; scales->rank == shape->rank && d < shape->rank; d++)
        at = at * scales->dims[d] + index[d] / (shape->dims[d] / scales->dims[d]);
    float product = element * (float)hlo_load_from(scale, at).re;
    return (hlo_number){.re = (double)product};
}

static hlo_number sum_scaled_products(const hlo_contraction *c, const hlo_call *call) {
    int64_t *contracted = hlo_joint_index(c, call) + c->out_rank;
    hlo_number sum = {0};
    for (bool more = hlo_first_index(c->contracted, c->contracted_sizes, contracted); more;
         more = hlo_next_index(c->contracted, c->contracted_sizes, contracted)) {
        hlo_number a = scaled_element(call->in[0], call->in[2], hlo_lhs_index(c, call));
        hlo_number b = scaled_element(call->in[1], call->in[3], hlo_rhs_index(c, call));
        hlo_add_product(c->numbers, &sum, a, b);
    }
    return sum;
}

static bool run_scaled_dot(hlo_call *call) {
    const hlo_contraction *c = call->state;
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_joint_index(c, call);
    if (!hlo_operands_are_full(call)) return false;
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index))
        hlo_store_sum(c->numbers, call->out, hlo_offset_in(call->out, index),
                      sum_scaled_products(c, call));
    return true;
}

const hlo_kernel hlo_plain_scaled_dot = {prepare_scaled_dot, run_scaled_dot};

/* ---- ragged-dot ---- */

typedef enum { RAGGED_BATCH, RAGGED_ROWS, RAGGED_CONTRACTED } ragged_mode;

/* Elements of the ragged dimension belong to groups, one run after the other. */
typedef struct {
    hlo_contraction contraction;
    ragged_mode mode;
    int64_t dimension, size; /* ragged, of the left operand */
    int64_t groups;
    uint32_t prefix_count; /* dimensions of the left operand, each with separate lists of sizes */
    const int64_t *prefix;
} ragged_state;

/* Lists of group sizes are given for all batches and for all that stands before the ragged
 * dimension among its like, unless there is one list for everything. */
static void set_prefix(hlo_preparation *p, ragged_state *s) {
    const hlo_ints *batch = hlo_attr_ints(p->instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *contracting = hlo_attr_ints(p->instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    int64_t *prefix = HLO_NEW_ARRAY(p->arena, int64_t, hlo_operand(p->instr, 0)->shape->rank);
    uint32_t n = 0;
    s->prefix = prefix;
    if (hlo_operand(p->instr, 2)->shape->rank <= 1) return;
    for (uint32_t i = 0; i < batch->n; i++) prefix[n++] = batch->v[i];
    for (int64_t d = 0; s->mode == RAGGED_ROWS && d < s->dimension; d++)
        if (!hlo_ints_contain(batch, d) && !hlo_ints_contain(contracting, d)) prefix[n++] = d;
    for (uint32_t i = 0; s->mode == RAGGED_CONTRACTED && contracting->v[i] != s->dimension; i++)
        prefix[n++] = contracting->v[i];
    s->prefix_count = n;
}

static bool prepare_ragged_dot(hlo_preparation *p) {
    const hlo_shape *sizes = hlo_operand(p->instr, 2)->shape;
    const hlo_ints *group_dims = hlo_attr_ints(p->instr, HLO_ATTR_RHS_GROUP_DIMS);
    ragged_state *s = HLO_NEW_STATE(p, ragged_state);
    p->state = s;
    s->dimension = hlo_attr_ints(p->instr, HLO_ATTR_LHS_RAGGED_DIMS)->v[0];
    s->size = hlo_operand(p->instr, 0)->shape->dims[s->dimension];
    s->groups = sizes->rank ? sizes->dims[sizes->rank - 1] : 0;
    s->mode = RAGGED_ROWS;
    if (hlo_ints_contain(hlo_attr_ints(p->instr, HLO_ATTR_LHS_BATCH_DIMS), s->dimension))
        s->mode = RAGGED_BATCH;
    if (hlo_ints_contain(hlo_attr_ints(p->instr, HLO_ATTR_LHS_CONTRACTING_DIMS), s->dimension))
        s->mode = RAGGED_CONTRACTED;
    int64_t group_dim = s->mode == RAGGED_ROWS && group_dims->n ? group_dims->v[0] : -1;
    hlo_prepare_contraction(p, &s->contraction, group_dim, s->mode == RAGGED_CONTRACTED);
    set_prefix(p, s);
    return true;
}

/* The group of the left operand's element, or -1 when it is in none. */
static int64_t group_of(const ragged_state *s, const hlo_call *call, const int64_t *lhs) {
    int64_t list = 0, end = 0;
    for (uint32_t i = 0; i < s->prefix_count; i++)
        list = list * call->in[0]->shape->dims[s->prefix[i]] + lhs[s->prefix[i]];
    for (int64_t group = 0; group < s->groups; group++) {
        int64_t size = hlo_index_at(call->in[2], list * s->groups + group);
        end += hlo_clamp_index(size, 0, s->size - end);
        if (lhs[s->dimension] < end) return group;
    }
    return -1;
}

/* Rows meet the matrix of their group. Where the ragged dimension is contracted, each group has a
 * result, to which only its own elements contribute. */
static hlo_number sum_of_group(const ragged_state *s, const hlo_call *call) {
    const hlo_contraction *c = &s->contraction;
    int64_t *joint = hlo_joint_index(c, call), *contracted = joint + c->out_rank;
    hlo_number sum = {0};
    for (bool more = hlo_first_index(c->contracted, c->contracted_sizes, contracted); more;
         more = hlo_next_index(c->contracted, c->contracted_sizes, contracted)) {
        const int64_t *lhs = hlo_lhs_index(c, call);
        int64_t group = s->mode == RAGGED_BATCH ? 0 : group_of(s, call, lhs);
        if (group < 0 || (s->mode == RAGGED_CONTRACTED && group != joint[0])) continue;
        joint[c->out_rank + c->contracted] = group;
        hlo_number a = hlo_load_from(call->in[0], hlo_offset_in(call->in[0], lhs));
        int64_t at = hlo_offset_in(call->in[1], hlo_rhs_index(c, call));
        hlo_add_product(c->numbers, &sum, a, hlo_load_from(call->in[1], at));
    }
    return sum;
}

static bool run_ragged_dot(hlo_call *call) {
    const ragged_state *s = call->state;
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_joint_index(&s->contraction, call);
    if (!hlo_operands_are_full(call)) return false;
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index))
        hlo_store_sum(s->contraction.numbers, call->out, hlo_offset_in(call->out, index),
                      sum_of_group(s, call));
    return true;
}

const hlo_kernel hlo_plain_ragged_dot = {prepare_ragged_dot, run_ragged_dot};
