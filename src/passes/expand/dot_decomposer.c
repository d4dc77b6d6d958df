/* dot_decomposer: dot with its dimensions in canonical order: batch, rows, one contracted; batch,
 * one contracted, columns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

/* One side: dimensions in the new order, and the sizes of the three groups. */
typedef struct {
    hlo_instr *operand;
    const hlo_ints *batch, *contracted;
    int64_t *order; /* batch, free, contracted; or batch, contracted, free */
    uint32_t free_count;
    int64_t free_size, contracted_size;
} dot_side;

static bool is_canonical(const dot_side *s) {
    return s->contracted->n == 1 && s->free_count <= 1 && hlo_is_identity_order(s->batch);
}

static dot_side side_of(hlo_instr *dot, uint32_t number, bool free_first) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    dot_side s = {.operand = hlo_operand(dot, number), .free_size = 1, .contracted_size = 1};
    s.batch = hlo_attr_ints(dot, number ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS);
    s.contracted =
        hlo_attr_ints(dot, number ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS);
    uint32_t rank = s.operand->shape->rank;
    s.free_count = rank - s.batch->n - s.contracted->n;
    s.order = hlo_calloc(rank + 1, sizeof *s.order);
    uint32_t free_at = s.batch->n + (free_first ? 0 : s.contracted->n);
    uint32_t contracted_at = s.batch->n + (free_first ? s.free_count : 0);
    for (uint32_t i = 0; i < s.batch->n; i++) s.order[i] = s.batch->v[i];
    for (uint32_t i = 0; i < s.contracted->n; i++) {
        s.order[contracted_at + i] = s.contracted->v[i];
        s.contracted_size *= s.operand->shape->dims[s.contracted->v[i]];
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (hlo_ints_contain(s.batch, d) || hlo_ints_contain(s.contracted, d)) continue;
        s.order[free_at++] = d;
        s.free_size *= s.operand->shape->dims[d];
    }
    return s;
}

/* Transposed, with the free and the contracted dimensions as one each. */
static hlo_instr *canonical(hlo_rewriter *r, const dot_side *s, bool free_first) {
    uint32_t n = 0;
    int64_t *sizes = hlo_calloc(s->batch->n + 3, sizeof *sizes);
    for (uint32_t i = 0; i < s->batch->n; i++) sizes[n++] = s->operand->shape->dims[s->batch->v[i]];
    if (free_first && s->free_count) sizes[n++] = s->free_size;
    sizes[n++] = s->contracted_size;
    if (!free_first && s->free_count) sizes[n++] = s->free_size;
    bool in_order = true;
    for (uint32_t i = 0; i < s->operand->shape->rank; i++) in_order &= s->order[i] == i;
    hlo_instr *sorted = in_order ? s->operand : hlo_build_transpose(r, s->operand, s->order);
    hlo_instr *out =
        n == sorted->shape->rank && !memcmp(sizes, sorted->shape->dims, n * sizeof *sizes)
            ? sorted
            : hlo_build_reshape(r, sorted, sizes, n);
    hlo_free(sizes);
    return out;
}

static hlo_instr *product(hlo_rewriter *r, const hlo_instr *dot, const dot_side *a,
                          const dot_side *b) {
    uint32_t batch = a->batch->n, n = batch;
    int64_t *sizes = hlo_calloc(batch + 3, sizeof *sizes),
            *dims = hlo_calloc(batch + 1, sizeof *dims);
    for (uint32_t i = 0; i < batch; i++) {
        dims[i] = i;
        sizes[i] = a->operand->shape->dims[a->batch->v[i]];
    }
    if (a->free_count) sizes[n++] = a->free_size;
    if (b->free_count) sizes[n++] = b->free_size;
    hlo_instr *operands[2];
    operands[0] = canonical(r, a, true);
    operands[1] = canonical(r, b, false);
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)dot->shape->type, sizes, n);
    hlo_instr *out = hlo_emit_like(r, dot, shape, operands, 2);
    int64_t lhs = batch + (a->free_count ? 1 : 0), rhs = batch;
    if (batch) {
        hlo_instr_set_attr(out, hlo_attr_of_ints(r, HLO_ATTR_LHS_BATCH_DIMS, dims, batch));
        hlo_instr_set_attr(out, hlo_attr_of_ints(r, HLO_ATTR_RHS_BATCH_DIMS, dims, batch));
    }
    hlo_instr_set_attr(out, hlo_attr_of_ints(r, HLO_ATTR_LHS_CONTRACTING_DIMS, &lhs, 1));
    hlo_instr_set_attr(out, hlo_attr_of_ints(r, HLO_ATTR_RHS_CONTRACTING_DIMS, &rhs, 1));
    hlo_free(sizes);
    hlo_free(dims);
    return out;
}

hlo_instr *hlo_rewrite_usual_dot(hlo_rewriter *r, hlo_instr *dot) {
    dot_side a = side_of(dot, 0, true), b = side_of(dot, 1, false);
    hlo_instr *out = NULL;
    if (!is_canonical(&a) || !is_canonical(&b)) {
        hlo_instr *flat = product(r, dot, &a, &b);
        out = flat->shape->rank == dot->shape->rank
                  ? hlo_build_as(flat, dot->shape)
                  : hlo_emit_unary(r, HLO_OP_RESHAPE, dot->shape, flat);
    }
    hlo_free(a.order);
    hlo_free(b.order);
    return out;
}
