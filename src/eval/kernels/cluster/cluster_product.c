/* The product of a cluster: which one it can be, its kernel inside of the fusion's, and the cluster
 * that follows it part by part. */
#include "eval/kernels/cluster/cluster_program.h"
#include "eval/kernels/gemm/products.h"

/* ---- which ---- */

static bool has_fixed_sizes(const hlo_instr *instr) {
    bool is_fixed = hlo_shape_is_array(instr->shape) && !instr->shape->is_dynamic;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_shape *shape = hlo_operand(instr, i)->shape;
        is_fixed &= hlo_shape_is_array(shape) && !shape->is_dynamic;
    }
    return is_fixed;
}

static int64_t joint_size(const hlo_shape *shape, const hlo_ints *dims) {
    int64_t size = 1;
    for (uint32_t i = 0; i < dims->n; i++) size *= shape->dims[dims->v[i]];
    return size;
}

/* Products of few rows or columns are complete at the end only, those of small matrices too soon;
 * a transpose that the product reads through is not there in a fusion. */
static bool follows_dot(const hlo_instr *dot) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    enum { FEW = 3, TINY = 4096 };
    const hlo_shape *lhs = hlo_operand(dot, 0)->shape;
    int64_t batch = joint_size(lhs, hlo_attr_ints(dot, HLO_ATTR_LHS_BATCH_DIMS));
    int64_t k = joint_size(lhs, hlo_attr_ints(dot, HLO_ATTR_LHS_CONTRACTING_DIMS));
    int64_t elements = hlo_shape_elements(dot->shape), left = hlo_shape_elements(lhs);
    if (elements <= 0 || left <= 0 || hlo_shape_elements(hlo_operand(dot, 1)->shape) <= 0)
        return false;
    int64_t m = left / batch / k, n = elements / batch / m;
    for (uint32_t i = 0; i < 2; i++)
        if (hlo_given_to_dot(dot, i) != hlo_operand(dot, i)) return false;
    return m > FEW && n > FEW && n * k > TINY / m;
}

/* Those whose tiles are rows of the result. */
static bool follows_convolution(const hlo_instr *convolution) {
    HLO_ASSERT(convolution->opcode == HLO_OP_CONVOLUTION);
    const hlo_dim_labels *labels = hlo_instr_attr(convolution, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    const hlo_attr *window = hlo_instr_attr(convolution, HLO_ATTR_WINDOW);
    bool follows = labels->output_batch == 0 &&
                   !hlo_instr_attr(convolution, HLO_ATTR_SPARSITY_CONFIG) &&
                   hlo_attr_int(convolution, HLO_ATTR_FEATURE_GROUP_COUNT) == 1 &&
                   hlo_attr_int(convolution, HLO_ATTR_BATCH_GROUP_COUNT) == 1;
    for (uint32_t d = 0; d < labels->n; d++)
        follows &= labels->output_spatial[d] == d + 1 && window->u.window->v[d].base_dilation == 1;
    return follows;
}

bool hlo_cluster_follows(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_DOT && instr->opcode != HLO_OP_CONVOLUTION) return false;
    if (instr->operand_count != HLO_CLUSTER_PRODUCT_OPERANDS || !has_fixed_sizes(instr))
        return false;
    return instr->opcode == HLO_OP_DOT ? follows_dot(instr) : follows_convolution(instr);
}

const hlo_instr *hlo_cluster_operand(const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    const hlo_instr *operand = hlo_operand(instr, i);
    while (operand->opcode != HLO_OP_BROADCAST && operand->operand_count == 1 &&
           hlo_cluster_role_of(operand) == HLO_CLUSTER_MOVE)
        operand = hlo_operand(operand, 0);
    return operand;
}

/* ---- preparing ---- */

static bool find_product(const hlo_computation *body, const hlo_instr **product) {
    *product = NULL;
    for (const hlo_instr *i = body->first; i; i = i->next) {
        if (!hlo_cluster_follows(i)) continue;
        if (*product) return false;
        *product = i;
    }
    return true;
}

static bool set_operands(hlo_cluster_product *product) {
    for (uint32_t i = 0; i < HLO_CLUSTER_PRODUCT_OPERANDS; i++) {
        const hlo_instr *operand = hlo_cluster_operand(product->instr, i);
        product->shapes[i] = hlo_operand(product->instr, i)->shape;
        if (operand->opcode != HLO_OP_PARAMETER) return false;
        product->operands[i] = (uint32_t)hlo_attr_int(operand, HLO_ATTR_PARAMETER_NUMBER);
    }
    return true;
}

bool hlo_prepare_cluster_product(hlo_preparation *p, const hlo_cluster_product **product) {
    const hlo_instr *instr;
    *product = NULL;
    if (!find_product(hlo_called(p->instr, 0), &instr) || !instr) return !instr;
    hlo_cluster_product *own = HLO_NEW(p->arena, hlo_cluster_product);
    *own = (hlo_cluster_product){.instr = instr, .shape = instr->shape};
    own->kernel = hlo_prepare_kernel(p, instr);
    if (!own->kernel || !set_operands(own)) return false;
    hlo_preparation inner = *p;
    inner.instr = instr;
    inner.is_followed = true;
    if (!own->kernel->prepare(&inner)) return false;
    p->scratch_bytes = inner.scratch_bytes;
    p->piece_bytes = inner.piece_bytes;
    own->state = inner.state;
    own->handed_on = inner.hands_on;
    own->unit = inner.hands_on_unit;
    own->memory = (inner.piece_bytes + 63) / 64 * 64;
    *product = own;
    return true;
}

/* ---- running ---- */

char *hlo_cluster_product_at(const hlo_cluster_product *product, const hlo_call *call) {
    return product->in_leaf ? call->out->data : (char *)call->scratch + product->at;
}

typedef struct {
    hlo_follower base;
    const hlo_cluster *cluster;
    hlo_call *call; /* of the fusion */
} following;

static void follow(const hlo_follower *follower, char *piece, int64_t first, int64_t last) {
    const following *f = (const following *)follower;
    hlo_run_cluster_part(f->cluster, f->call, piece, first, last);
}

bool hlo_run_cluster_product(const hlo_cluster *cluster, hlo_call *call) {
    const hlo_cluster_product *product = cluster->product;
    following f = {{follow}, cluster, call};
    hlo_value values[HLO_CLUSTER_PRODUCT_OPERANDS], *in[HLO_CLUSTER_PRODUCT_OPERANDS];
    hlo_value out = {.shape = product->shape, .refs = 1, .borrowed = true};
    hlo_call inner = *call;
    for (uint32_t i = 0; i < HLO_CLUSTER_PRODUCT_OPERANDS; i++) {
        values[i] = (hlo_value){.shape = product->shapes[i], .refs = 1, .borrowed = true};
        values[i].data = call->in[product->operands[i]]->data;
        in[i] = &values[i];
    }
    out.data = hlo_cluster_product_at(product, call);
    inner.state = product->state;
    inner.in = in;
    inner.count = HLO_CLUSTER_PRODUCT_OPERANDS;
    inner.shape = product->shape;
    inner.out = &out;
    inner.follower = product->handed_on ? &f.base : NULL;
    return product->kernel->run(&inner);
}
