/* dot, ragged-dot and scaled-dot: operands are packed to matrices and multiplied. Called through
 * the kernel table. */
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/products.h"

/* Both operands of a product as matrices of one type. */
typedef struct {
    hlo_product_dims dims;
    hlo_type type;
    int64_t bytes; /* of an element of the type */
    hlo_packed lhs, rhs;
    char *sums; /* [batch, m, n] */
} product;

static product start_product(const hlo_instr *instr, const hlo_value *lhs, const hlo_value *rhs,
                             hlo_value *out, int64_t absent) {
    product p = {.type = hlo_product_type(lhs->shape, rhs->shape, out->shape)};
    p.bytes = hlo_types[p.type].bytes;
    p.dims = hlo_product_dims_of(instr, lhs->shape, rhs->shape, absent);
    if (p.dims.batch) { /* else some operand has no elements */
        p.lhs = hlo_pack(lhs, p.dims.lhs_order, p.type);
        p.rhs = hlo_pack(rhs, p.dims.rhs_order, p.type);
    }
    p.sums = hlo_new_sums(out, p.type);
    return p;
}

static void finish_product(product *p, hlo_value *out) {
    hlo_finish_sums(out, p->type, p->sums);
    hlo_block_free(p->lhs.copy);
    hlo_block_free(p->rhs.copy);
    hlo_product_dims_free(&p->dims);
}

static void multiply_batches(product *p) {
    const hlo_product_dims *d = &p->dims;
    for (int64_t b = 0; b < d->batch; b++)
        hlo_matmul(p->type, d->m, d->n, d->k,
                   (hlo_matrix){p->lhs.data + b * d->m * d->k * p->bytes, d->k},
                   (hlo_matrix){p->rhs.data + b * d->k * d->n * p->bytes, d->n},
                   p->sums + b * d->m * d->n * p->bytes, d->n);
}

/* The result's dimensions are the batch dimensions and the free dimensions of either side. */
static void set_sizes(hlo_value *out, const hlo_product_dims *d, const hlo_value *lhs,
                      const hlo_value *rhs, uint32_t batch, uint32_t contracting) {
    if (!out->shape->dynamic || !d->lhs_order) return;
    int64_t *sizes = hlo_result_sizes(out);
    uint32_t n = 0;
    for (uint32_t i = 0; i + contracting < lhs->shape->rank; i++)
        sizes[n++] = hlo_value_size(lhs, d->lhs_order[i]);
    for (uint32_t i = batch + contracting; i < rhs->shape->rank; i++)
        sizes[n++] = hlo_value_size(rhs, d->rhs_order[i]);
}

static hlo_value *dot(const hlo_instr *instr, const hlo_value *lhs, const hlo_value *rhs) {
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    product p = start_product(instr, lhs, rhs, out, -1);
    multiply_batches(&p);
    set_sizes(out, &p.dims, lhs, rhs, hlo_attr_ints(instr, HLO_ATTR_LHS_BATCH_DIMS)->n,
              hlo_attr_ints(instr, HLO_ATTR_LHS_CONTRACTING_DIMS)->n);
    finish_product(&p, out);
    return out;
}

hlo_value *hlo_eval_dot(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    return dot(instr, args[0], args[1]);
}

/* ---- scaled-dot ---- */

/* x times its scales in f32: one scale covers an equal run of every dimension. */
static hlo_value *scaled(hlo_eval *eval, const hlo_value *x, const hlo_value *scale) {
    hlo_shapes_table *shapes = &hlo_eval_module(eval)->shapes;
    hlo_eval_lock_module(eval);
    const hlo_shape *shape = hlo_shape_with_type(shapes, x->shape, HLO_F32);
    hlo_eval_unlock_module(eval);
    hlo_value *out = hlo_value_new(shape);
    if (!out || !hlo_shape_elements(x->shape)) return out;
    int64_t elements = hlo_shape_elements(x->shape), scales = hlo_shape_elements(scale->shape);
    hlo_convert_elements((hlo_type)x->shape->type, HLO_F32, x->data, out->data, (size_t)elements);
    float *factors = hlo_malloc((size_t)scales * sizeof *factors);
    hlo_convert_elements((hlo_type)scale->shape->type, HLO_F32, scale->data, factors,
                         (size_t)scales);
    int64_t *at = hlo_new_strides(out->shape, 1), *from = hlo_new_strides(out->shape, 0);
    if (scale->shape->rank == x->shape->rank) hlo_row_major(scale->shape, 1, from);
    hlo_walk walk; /* a dimension is walked as blocks and the elements of a block */
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < x->shape->rank; d++) {
        int64_t blocks = scale->shape->rank == x->shape->rank ? scale->shape->dims[d] : 1;
        int64_t block = x->shape->dims[d] / blocks;
        hlo_walk_dim2(&walk, blocks, at[d] * block, from[d]);
        hlo_walk_dim2(&walk, block, at[d], 0);
    }
    float *values = out->data;
    for (bool more = hlo_walk_start(&walk); more; more = hlo_walk_next(&walk))
        for (int64_t i = 0; i < walk.row; i++)
            values[walk.at[0] + i * walk.row_stride[0]] *=
                factors[walk.at[1] + i * walk.row_stride[1]];
    hlo_free(factors);
    hlo_free(at);
    hlo_free(from);
    return out;
}

hlo_value *hlo_eval_scaled_dot(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    for (uint32_t i = 0; i < 4; i++) {
        hlo_type type = (hlo_type)args[i]->shape->type;
        if (hlo_type_is_float(type)) continue;
        hlo_eval_rule_error(eval, HLO_RULE_UNSUPPORTED, instr,
                            "scales floats and has operand %u of type %s", i, hlo_types[type].text);
        return NULL;
    }
    if (hlo_shape_elements(args[2]->shape) <= 0 || hlo_shape_elements(args[3]->shape) <= 0) {
        hlo_eval_error(eval, instr, "has a scale operand without elements");
        return NULL;
    }
    hlo_value *lhs = scaled(eval, args[0], args[2]), *rhs = scaled(eval, args[1], args[3]);
    hlo_value *out = lhs && rhs ? dot(instr, lhs, rhs) : NULL;
    hlo_value_release(lhs);
    hlo_value_release(rhs);
    return out;
}

/* ---- ragged-dot ---- */

/* The ragged dimension inside the rows (or the contracted elements) of a matrix: `outer` times the
 * dimension times `inner`. */
typedef struct {
    int64_t outer, size, inner;
    int64_t groups;
    bool shared; /* one list of group sizes for everything, else one for each batch and outer */
    const hlo_value *group_sizes;
} ragged;

static ragged ragged_of(const hlo_shape *shape, const uint32_t *order, uint32_t first,
                        uint32_t last, int64_t dimension, const hlo_value *group_sizes) {
    const hlo_shape *sizes = group_sizes->shape;
    ragged r = {.outer = 1, .size = shape->dims[dimension], .inner = 1};
    r.groups = sizes->dims[sizes->rank - 1];
    r.shared = sizes->rank == 1;
    r.group_sizes = group_sizes;
    bool passed = false;
    for (uint32_t i = first; i < last; i++) {
        if (order[i] == dimension) passed = true;
        else if (passed) r.inner *= shape->dims[order[i]];
        else r.outer *= shape->dims[order[i]];
    }
    return r;
}

/* A group's run of ragged elements, behind those of earlier groups; the dimension cuts it off. */
typedef struct {
    int64_t start, end;
} run;

static run next_group(const ragged *r, int64_t batch, int64_t outer, int64_t group, run before) {
    int64_t list = r->shared ? 0 : (batch * r->outer + outer) * r->groups;
    int64_t size = hlo_index_at(r->group_sizes, list + group), left = r->size - before.end;
    return (run){before.end, before.end + hlo_clamp_index(size, 0, left)};
}

/* Rows of lhs meet the matrix of their group: rhs is [groups, batch, k, n]. */
static void multiply_row_groups(product *p, const ragged *r, int64_t batch, int64_t outer) {
    const hlo_product_dims *d = &p->dims;
    run rows = {0, 0};
    for (int64_t g = 0; g < r->groups; g++) {
        rows = next_group(r, batch, outer, g, rows);
        int64_t first = batch * d->m + (outer * r->size + rows.start) * r->inner;
        hlo_matmul(
            p->type, (rows.end - rows.start) * r->inner, d->n, d->k,
            (hlo_matrix){p->lhs.data + first * d->k * p->bytes, d->k},
            (hlo_matrix){p->rhs.data + (g * d->batch + batch) * d->k * d->n * p->bytes, d->n},
            p->sums + first * d->n * p->bytes, d->n);
    }
}

/* Every group contracts its own run and has a result of its own: sums are [groups, batch, m, n]. */
static void multiply_contracted_groups(product *p, const ragged *r, int64_t batch, int64_t outer) {
    const hlo_product_dims *d = &p->dims;
    run depth = {0, 0};
    for (int64_t g = 0; g < r->groups; g++) {
        depth = next_group(r, batch, outer, g, depth);
        int64_t first = (outer * r->size + depth.start) * r->inner;
        hlo_matmul(p->type, d->m, d->n, (depth.end - depth.start) * r->inner,
                   (hlo_matrix){p->lhs.data + (batch * d->m * d->k + first) * p->bytes, d->k},
                   (hlo_matrix){p->rhs.data + (batch * d->k + first) * d->n * p->bytes, d->n},
                   p->sums + (g * d->batch + batch) * d->m * d->n * p->bytes, d->n);
    }
}

static bool holds(const hlo_ints *list, int64_t value) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == value) return true;
    return false;
}

hlo_value *hlo_eval_ragged_dot(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    const hlo_value *lhs = args[0];
    const hlo_ints *batch_dims = hlo_attr_ints(instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *contracting = hlo_attr_ints(instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *group_dims = hlo_attr_ints(instr, HLO_ATTR_RHS_GROUP_DIMS);
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_LHS_RAGGED_DIMS)->v[0];
    if (holds(batch_dims, dimension)) return dot(instr, lhs, args[1]); /* groups change nothing */
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    product p = start_product(instr, lhs, args[1], out, group_dims->n ? group_dims->v[0] : -1);
    uint32_t rank = lhs->shape->rank, free_end = rank - contracting->n;
    bool contracts = holds(contracting, dimension);
    for (int64_t b = 0; b < p.dims.batch; b++) {
        ragged r = ragged_of(lhs->shape, p.dims.lhs_order, contracts ? free_end : batch_dims->n,
                             contracts ? rank : free_end, dimension, args[2]);
        for (int64_t outer = 0; outer < r.outer; outer++)
            (contracts ? multiply_contracted_groups : multiply_row_groups)(&p, &r, b, outer);
    }
    finish_product(&p, out);
    return out;
}
