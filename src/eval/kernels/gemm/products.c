/* Operand packing and dimension bookkeeping of dot-like ops: see products.h. */
#include "eval/kernels/gemm/products.h"

#include "base/blocks.h"
#include "eval/kernel/combine.h"

/* Products of small floats are exact in f32, and sums of them lose less there. Integers wrap, so
 * that any type at least as wide as the result gives the same low bits. */
hlo_type hlo_product_type(hlo_type lhs, hlo_type rhs, hlo_type result) {
    const hlo_type types[] = {lhs, rhs, result};
    bool is_complex = false, is_float = false, is_wide = false;
    for (int i = 0; i < 3; i++) {
        hlo_type type = types[i];
        is_complex |= hlo_type_is_complex(type);
        is_float |= hlo_type_is_float(type);
        is_wide |= type == HLO_C128 || type == HLO_F64;
    }
    if (is_complex) return is_wide ? HLO_C128 : HLO_C64;
    if (is_float) return is_wide ? HLO_F64 : HLO_F32;
    return hlo_types[result].bytes > 4 ? HLO_S64 : HLO_S32;
}

static bool is_row_major(const uint32_t *order, uint32_t rank) {
    for (uint32_t d = 0; order && d < rank; d++)
        if (order[d] != d) return false;
    return true;
}

/* A copy in the order: how far neighbours of the packed array lie apart there and in the array. */
static void prepare_order(hlo_preparation *p, hlo_packing *packing, const hlo_shape *shape,
                          const uint32_t *order) {
    uint32_t rank = shape->rank;
    int64_t bytes = hlo_types[packing->from].bytes, unit = bytes;
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, rank);
    int64_t *to = HLO_NEW_ARRAY(p->arena, int64_t, rank);
    int64_t *from = HLO_NEW_ARRAY(p->arena, int64_t, rank);
    int64_t *strides = HLO_NEW_ARRAY(p->arena, int64_t, rank);
    hlo_row_major(shape, bytes, strides);
    for (uint32_t d = rank; d-- > 0; unit *= sizes[d]) {
        sizes[d] = shape->dims[order[d]];
        from[d] = strides[order[d]];
        to[d] = unit;
    }
    packing->sizes = sizes;
    packing->to_strides = to;
    packing->from_strides = from;
    packing->ordered_at = hlo_prepare_scratch(p, (size_t)(packing->elements * bytes));
}

void hlo_prepare_packing(hlo_preparation *p, hlo_packing *packing, const hlo_shape *shape,
                         hlo_type from, const uint32_t *order, hlo_type type) {
    *packing = (hlo_packing){.from = from, .type = type, .rank = shape->rank};
    packing->elements = hlo_shape_elements(shape);
    if (packing->elements <= 0) return;
    if (!is_row_major(order, shape->rank)) prepare_order(p, packing, shape, order);
    if (from == type) return;
    packing->converted_at =
        hlo_prepare_scratch(p, (size_t)packing->elements * hlo_types[type].bytes);
}

/* The operand itself where neither order nor type has to change. */
const void *hlo_pack(const hlo_packing *packing, const hlo_call *call, const void *data) {
    char *scratch = call->scratch;
    if (packing->elements <= 0) return data;
    if (packing->to_strides) {
        void *ordered = scratch + packing->ordered_at;
        hlo_walk walk;
        hlo_walk_init(&walk, 2);
        for (uint32_t d = 0; d < packing->rank; d++)
            hlo_walk_dim2(&walk, packing->sizes[d], packing->to_strides[d],
                          packing->from_strides[d]);
        hlo_copy_walk(&walk, ordered, data, hlo_types[packing->from].bytes);
        data = ordered;
    }
    if (packing->from == packing->type) return data;
    void *converted = scratch + packing->converted_at;
    hlo_convert_elements(packing->from, packing->type, data, converted, (size_t)packing->elements);
    return converted;
}

/* ---- dimensions ---- */

/* Appends the listed dimensions to the order. */
static void append_listed(uint32_t *order, uint32_t *count, const hlo_ints *list) {
    for (uint32_t i = 0; i < list->n; i++) order[(*count)++] = (uint32_t)list->v[i];
}

/* The same for the dimensions that are in neither list, in ascending order. */
static void append_free(uint32_t *order, uint32_t *count, const hlo_shape *shape,
                        const hlo_ints *batch, const hlo_ints *contracting, int64_t absent) {
    for (uint32_t d = 0; d < shape->rank; d++)
        if (!hlo_ints_contain(batch, d) && !hlo_ints_contain(contracting, d) && d != absent)
            order[(*count)++] = d;
}

/* How many elements the dimensions order[from..to-1] span. */
static int64_t span(const hlo_shape *shape, const uint32_t *order, uint32_t from, uint32_t to) {
    int64_t size = 1;
    for (uint32_t i = from; i < to; i++) size *= shape->dims[order[i]];
    return size;
}

hlo_product_dims hlo_prepare_product_dims(hlo_preparation *p, int64_t absent) {
    const hlo_shape *lhs = hlo_operand(p->instr, 0)->shape, *rhs = hlo_operand(p->instr, 1)->shape;
    const hlo_ints *lhs_batch = hlo_attr_ints(p->instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *rhs_batch = hlo_attr_ints(p->instr, HLO_ATTR_RHS_BATCH_DIMS);
    const hlo_ints *lhs_contracting = hlo_attr_ints(p->instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *rhs_contracting = hlo_attr_ints(p->instr, HLO_ATTR_RHS_CONTRACTING_DIMS);
    hlo_product_dims dims = {.batch_dims = lhs_batch->n, .contracting_dims = lhs_contracting->n};
    uint32_t *lhs_order = dims.lhs_order = HLO_NEW_ARRAY(p->arena, uint32_t, lhs->rank);
    uint32_t *rhs_order = dims.rhs_order = HLO_NEW_ARRAY(p->arena, uint32_t, rhs->rank), n = 0;
    append_listed(lhs_order, &n, lhs_batch);
    append_free(lhs_order, &n, lhs, lhs_batch, lhs_contracting, -1);
    append_listed(lhs_order, &n, lhs_contracting);
    n = 0;
    if (absent >= 0) rhs_order[n++] = (uint32_t)absent;
    append_listed(rhs_order, &n, rhs_batch);
    append_listed(rhs_order, &n, rhs_contracting);
    uint32_t rhs_free = n, lhs_free = lhs->rank - lhs_contracting->n;
    append_free(rhs_order, &n, rhs, rhs_batch, rhs_contracting, absent);
    if (hlo_shape_elements(lhs) <= 0 || hlo_shape_elements(rhs) <= 0) return dims;
    dims.batch = span(lhs, lhs_order, 0, lhs_batch->n);
    dims.m = span(lhs, lhs_order, lhs_batch->n, lhs_free);
    dims.k = span(lhs, lhs_order, lhs_free, lhs->rank);
    dims.n = span(rhs, rhs_order, rhs_free, n);
    return dims;
}

/* ---- operands as matrices ---- */

/* Distances of neighbours along the dimensions of `order`. */
typedef struct {
    uint32_t rank;
    const int64_t *sizes, *strides;
} layout;

/* The distance of neighbours along some dimensions together, or 0 when they have none. */
static int64_t joint_stride(const layout *l, uint32_t first, uint32_t last) {
    int64_t stride = 0, next = 0;
    for (uint32_t i = last; i-- > first;) {
        if (l->sizes[i] == 1) continue;
        if (!stride) stride = l->strides[i];
        else if (l->strides[i] != next) return 0;
        next = l->strides[i] * l->sizes[i];
    }
    return stride ? stride : 1;
}

static int64_t joint_size(const layout *l, uint32_t first, uint32_t last) {
    int64_t size = 1;
    for (uint32_t i = first; i < last; i++) size *= l->sizes[i];
    return size;
}

/* Whether these are matrices whose rows or columns are neighbours; a single row or column is. */
static bool is_list(hlo_gemm_operand *operand, const layout *l, uint32_t batch, uint32_t rows) {
    operand->row = joint_stride(l, batch, batch + rows);
    operand->column = joint_stride(l, batch + rows, l->rank);
    if (!operand->row || !operand->column) return false;
    if (operand->row == 1 || operand->column == 1) return true;
    if (joint_size(l, batch + rows, l->rank) == 1) operand->column = 1;
    else if (joint_size(l, batch, batch + rows) == 1) operand->row = 1;
    return operand->row == 1 || operand->column == 1;
}

/* The layout of an array packed in the order, or of one as it lies. */
static layout layout_of(hlo_preparation *p, const hlo_shape *shape, const uint32_t *order,
                        bool is_packed) {
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, shape->rank), unit = 1;
    int64_t *strides = HLO_NEW_ARRAY(p->arena, int64_t, shape->rank);
    int64_t *lying = HLO_NEW_ARRAY(p->arena, int64_t, shape->rank);
    hlo_row_major(shape, 1, lying);
    for (uint32_t i = shape->rank; i-- > 0; unit *= sizes[i]) {
        sizes[i] = shape->dims[order[i]];
        strides[i] = is_packed ? unit : lying[order[i]];
    }
    return (layout){shape->rank, sizes, strides};
}

bool hlo_lay_out_operand(hlo_preparation *p, hlo_gemm_operand *operand, const hlo_shape *shape,
                         const uint32_t *order, uint32_t batch_dims, uint32_t rows) {
    layout lying = layout_of(p, shape, order, false), packed;
    operand->batches = lying.strides;
    if (is_list(operand, &lying, batch_dims, rows)) return true;
    packed = layout_of(p, shape, order, true);
    operand->batches = packed.strides;
    is_list(operand, &packed, batch_dims, rows);
    return false;
}
