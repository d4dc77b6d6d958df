/* Shapes of dot, ragged-dot and scaled-dot. */
#include "shape/rules.h"

/* The dimension numbers of one side. */
typedef struct {
    const hlo_shape *shape;
    uint32_t operand; /* its number */
    hlo_attr_id batch_id, contracting_id;
    const hlo_ints *batch, *contracting;
    uint8_t *taken; /* 1 where a dimension is batch or contracting */
} dot_side;

static bool read_side(hlo_inference *in, dot_side *side, uint32_t operand, hlo_attr_id batch,
                      hlo_attr_id contracting) {
    HLO_ASSERT(operand < in->n);
    if (!hlo_expect_array(in, operand)) return false;
    *side = (dot_side){
        in->operands[operand],           operand, batch, contracting, hlo_infer_ints(in, batch),
        hlo_infer_ints(in, contracting), NULL};
    uint32_t rank = side->shape->rank;
    if (!hlo_expect_range(in, HLO_RULE_DOT_CONTRACTING, contracting, rank) ||
        !hlo_expect_range(in, HLO_RULE_DOT_BATCH, batch, rank) ||
        !hlo_expect_unique(in, HLO_RULE_DOT_CONTRACTING, contracting) ||
        !hlo_expect_unique(in, HLO_RULE_DOT_BATCH, batch))
        return false;
    side->taken = hlo_mark_dims(in, NULL, rank, contracting);
    for (uint32_t i = 0; i < side->batch->n; i++)
        if (side->taken[side->batch->v[i]])
            return hlo_refuse(in, HLO_RULE_DOT_BATCH, hlo_at_attr(batch),
                              "dimension %lld of operand %u, %s, is both batch and contracting",
                              (long long)side->batch->v[i], operand,
                              hlo_infer_text(in, side->shape));
    hlo_mark_dims(in, side->taken, rank, batch);
    return true;
}

static bool match_dimensions(hlo_inference *in, hlo_rule rule, const dot_side *lhs,
                             const dot_side *rhs, bool batch) {
    const hlo_ints *a = batch ? lhs->batch : lhs->contracting,
                   *b = batch ? rhs->batch : rhs->contracting;
    const char *kind = batch ? "batch" : "contracting";
    int where = hlo_at_attr(batch ? rhs->batch_id : rhs->contracting_id);
    if (a->n != b->n)
        return hlo_refuse(in, rule, where, "%s dimensions %s of %s and %s of %s differ in number",
                          kind, hlo_infer_ints_text(in, a->v, a->n), hlo_infer_text(in, lhs->shape),
                          hlo_infer_ints_text(in, b->v, b->n), hlo_infer_text(in, rhs->shape));
    for (uint32_t i = 0; i < a->n; i++)
        if (!hlo_sizes_compatible(lhs->shape->dims[a->v[i]], rhs->shape->dims[b->v[i]]))
            return hlo_refuse(
                in, rule, where,
                "%s dimension %lld of operand %u, %s, and %lld of operand %u, %s, differ in "
                "size",
                kind, (long long)a->v[i], lhs->operand, hlo_infer_text(in, lhs->shape),
                (long long)b->v[i], rhs->operand, hlo_infer_text(in, rhs->shape));
    return true;
}

static bool read_sides(hlo_inference *in, dot_side *lhs, dot_side *rhs, uint32_t rhs_operand) {
    return read_side(in, lhs, 0, HLO_ATTR_LHS_BATCH_DIMS, HLO_ATTR_LHS_CONTRACTING_DIMS) &&
           read_side(in, rhs, rhs_operand, HLO_ATTR_RHS_BATCH_DIMS,
                     HLO_ATTR_RHS_CONTRACTING_DIMS) &&
           match_dimensions(in, HLO_RULE_DOT_CONTRACTING, lhs, rhs, false) &&
           match_dimensions(in, HLO_RULE_DOT_BATCH, lhs, rhs, true);
}

static void push_free(hlo_dims *dims, const dot_side *side) {
    for (uint32_t i = 0; i < side->shape->rank; i++)
        if (!side->taken[i])
            hlo_dims_push(dims, side->shape->dims[i], hlo_dim_is_dynamic(side->shape, i));
}

/* Batch dimensions, then the free dimensions of lhs, then of rhs, after `leading` (ragged groups).
 * The written shape may choose the element type. */
static const hlo_shape *dot_result(hlo_inference *in, const dot_side *lhs, const dot_side *rhs,
                                   const int64_t *leading, bool leading_is_dynamic) {
    hlo_dims dims = hlo_dims_new(in, lhs->shape->rank + rhs->shape->rank + 1);
    dims.rank = 0;
    if (leading) hlo_dims_push(&dims, *leading, leading_is_dynamic);
    for (uint32_t i = 0; i < lhs->batch->n; i++) {
        uint32_t d = (uint32_t)lhs->batch->v[i];
        hlo_dims_push(&dims, lhs->shape->dims[d], hlo_dim_is_dynamic(lhs->shape, d));
    }
    push_free(&dims, lhs);
    push_free(&dims, rhs);
    hlo_type type = hlo_higher_precision(lhs->shape->type, rhs->shape->type);
    if (in->stated && hlo_shape_is_array(in->stated)) type = (hlo_type)in->stated->type;
    return hlo_make_array(in, type, dims);
}

const hlo_shape *hlo_infer_dot(hlo_inference *in) {
    dot_side lhs, rhs;
    return read_sides(in, &lhs, &rhs, 1) ? dot_result(in, &lhs, &rhs, NULL, false) : NULL;
}

/* ---- ragged-dot ---- */

typedef enum { RAGGED_FREE, RAGGED_CONTRACTING, RAGGED_BATCH } ragged_mode;

static uint32_t place_in(const hlo_ints *list, int64_t value) {
    uint32_t i = 0;
    while (i < list->n && list->v[i] != value) i++;
    return i;
}

static ragged_mode mode_of(const dot_side *lhs, int64_t ragged) {
    if (place_in(lhs->batch, ragged) < lhs->batch->n) return RAGGED_BATCH;
    return place_in(lhs->contracting, ragged) < lhs->contracting->n ? RAGGED_CONTRACTING
                                                                    : RAGGED_FREE;
}

/* group_sizes may spell out the dimensions outside of the ragged one: [batch..., before it...,
 * groups]. */
static hlo_dims group_prefix(hlo_inference *in, const dot_side *lhs, int64_t ragged,
                             ragged_mode mode) {
    const hlo_shape *shape = lhs->shape;
    hlo_dims dims = hlo_dims_new(in, shape->rank);
    dims.rank = 0;
    uint32_t batch = mode == RAGGED_BATCH ? place_in(lhs->batch, ragged) : lhs->batch->n;
    for (uint32_t i = 0; i < batch; i++) hlo_dims_push(&dims, shape->dims[lhs->batch->v[i]], false);
    if (mode == RAGGED_CONTRACTING)
        for (uint32_t i = 0; lhs->contracting->v[i] != ragged; i++)
            hlo_dims_push(&dims, shape->dims[lhs->contracting->v[i]], false);
    if (mode == RAGGED_FREE)
        for (uint32_t i = 0; i < ragged; i++)
            if (!lhs->taken[i]) hlo_dims_push(&dims, shape->dims[i], false);
    return dims;
}

static bool check_group_sizes(hlo_inference *in, const dot_side *lhs, int64_t ragged,
                              ragged_mode mode) {
    const hlo_shape *sizes = in->operands[2];
    if (!hlo_expect_array(in, 2)) return false;
    if (sizes->rank == 1) return true;
    hlo_dims prefix = group_prefix(in, lhs, ragged, mode);
    bool fits = sizes->rank == prefix.rank + 1;
    for (uint32_t i = 0; fits && i < prefix.rank; i++) fits = sizes->dims[i] == prefix.size[i];
    if (fits) return true;
    return hlo_refuse(in, HLO_RULE_RAGGED_DOT_GROUPS, 2,
                      "operand 2 is %s and must have one dimension, or %s and one for the groups",
                      hlo_infer_text(in, sizes), hlo_infer_ints_text(in, prefix.size, prefix.rank));
}

static bool check_group_dimension(hlo_inference *in, dot_side *rhs, ragged_mode mode,
                                  int64_t groups) {
    const hlo_ints *list = hlo_infer_ints(in, HLO_ATTR_RHS_GROUP_DIMS);
    int where = HLO_AT(RHS_GROUP_DIMS);
    if (!hlo_expect_range(in, HLO_RULE_RAGGED_DOT_GROUPS, HLO_ATTR_RHS_GROUP_DIMS,
                          rhs->shape->rank))
        return false;
    for (uint32_t i = 0; i < list->n; i++)
        if (rhs->taken[list->v[i]])
            return hlo_refuse(
                in, HLO_RULE_RAGGED_DOT_GROUPS, where,
                "dimension %lld of operand 1, %s, cannot be a group dimension and batch or "
                "contracting",
                (long long)list->v[i], hlo_infer_text(in, rhs->shape));
    uint32_t wanted = mode == RAGGED_FREE;
    if (list->n != wanted)
        return hlo_refuse(in, HLO_RULE_RAGGED_DOT_GROUPS, where,
                          "rhs_group_dims=%s must have %s where the ragged dimension is %s",
                          hlo_infer_ints_text(in, list->v, list->n),
                          wanted ? "one entry" : "no entry",
                          wanted ? "neither batch nor contracting" : "batch or contracting");
    if (wanted && !hlo_sizes_compatible(groups, rhs->shape->dims[list->v[0]]))
        return hlo_refuse(
            in, HLO_RULE_RAGGED_DOT_GROUPS, where,
            "group dimension %lld of operand 1, %s, must have the size %lld of the groups",
            (long long)list->v[0], hlo_infer_text(in, rhs->shape), (long long)groups);
    hlo_mark_dims(in, rhs->taken, rhs->shape->rank, HLO_ATTR_RHS_GROUP_DIMS);
    return true;
}

const hlo_shape *hlo_infer_ragged_dot(hlo_inference *in) {
    dot_side lhs, rhs;
    if (!read_sides(in, &lhs, &rhs, 1)) return NULL;
    const hlo_ints *list = hlo_infer_ints(in, HLO_ATTR_LHS_RAGGED_DIMS);
    if (list->n != 1)
        return hlo_infer_fail(in, HLO_RULE_RAGGED_DOT_GROUPS, HLO_AT(LHS_RAGGED_DIMS),
                              "lhs_ragged_dims=%s must have one entry",
                              hlo_infer_ints_text(in, list->v, list->n));
    if (!hlo_expect_range(in, HLO_RULE_RAGGED_DOT_GROUPS, HLO_ATTR_LHS_RAGGED_DIMS,
                          lhs.shape->rank))
        return NULL;
    int64_t ragged = list->v[0];
    ragged_mode mode = mode_of(&lhs, ragged);
    if (!check_group_sizes(in, &lhs, ragged, mode)) return NULL;
    const hlo_shape *sizes = in->operands[2];
    int64_t groups = sizes->dims[sizes->rank - 1];
    if (!check_group_dimension(in, &rhs, mode, groups)) return NULL;
    return dot_result(in, &lhs, &rhs, mode == RAGGED_CONTRACTING ? &groups : NULL,
                      hlo_dim_is_dynamic(sizes, sizes->rank - 1));
}

/* ---- scaled-dot ---- */

/* A bf16 operand may come with a scale of the same type whose sizes are all 1: no scale at all. */
static bool is_no_scale(const hlo_shape *operand, const hlo_shape *scale) {
    if (scale->type != operand->type || operand->type != HLO_BF16) return false;
    for (uint32_t i = 0; i < scale->rank; i++)
        if (scale->dims[i] != 1) return false;
    for (uint32_t i = 0; i < operand->rank; i++)
        if (operand->dims[i] != 1) return true;
    return false;
}

static bool check_scale(hlo_inference *in, uint32_t operand_number, uint32_t scale_number,
                        hlo_attr_id contracting) {
    HLO_ASSERT(scale_number < in->n);
    HLO_ASSERT(operand_number < in->n);
    const hlo_shape *operand = in->operands[operand_number], *scale = in->operands[scale_number];
    if (is_no_scale(operand, scale)) return true;
    if (scale->rank != operand->rank)
        return hlo_refuse(in, HLO_RULE_SCALED_DOT_SCALES, (int)scale_number,
                          "scale %u is %s and must have the rank of operand %u, %s", scale_number,
                          hlo_infer_text(in, scale), operand_number, hlo_infer_text(in, operand));
    if (hlo_infer_ints(in, contracting)->n != 1)
        return hlo_refuse(in, HLO_RULE_SCALED_DOT_SCALES, hlo_at_attr(contracting),
                          "operand %u has a scale and must have one contracting dimension",
                          operand_number);
    for (uint32_t i = 0; i < operand->rank; i++)
        if (scale->dims[i] == 0 || operand->dims[i] % scale->dims[i] != 0)
            return hlo_refuse(in, HLO_RULE_SCALED_DOT_SCALES, (int)scale_number,
                              "dimension %u of scale %u, %s, must divide that of operand %u, %s", i,
                              scale_number, hlo_infer_text(in, scale), operand_number,
                              hlo_infer_text(in, operand));
    return true;
}

const hlo_shape *hlo_infer_scaled_dot(hlo_inference *in) {
    dot_side lhs, rhs;
    /* where the shape is left out, XLA's parser infers it from operand 2 in place of operand 1 */
    bool omitted = in->as_parser;
    if (!hlo_expect_arrays(in) || !read_sides(in, &lhs, &rhs, omitted ? 2 : 1)) return NULL;
    if (omitted) return dot_result(in, &lhs, &rhs, NULL, false);
    if (!check_scale(in, 0, 2, HLO_ATTR_LHS_CONTRACTING_DIMS) ||
        !check_scale(in, 1, 3, HLO_ATTR_RHS_CONTRACTING_DIMS))
        return NULL;
    if (in->operands[2]->rank == 0 && in->operands[3]->rank == 0)
        return hlo_infer_fail(in, HLO_RULE_SCALED_DOT_SCALES, 2,
                              "one of the scales must not be a scalar");
    return dot_result(in, &lhs, &rhs, NULL, false);
}
