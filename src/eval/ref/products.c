/* Operand packing and dimension bookkeeping of dot-like ops: see products.h. */
#include "eval/ref/products.h"

#include "base/blocks.h"
#include "eval/ref/combine.h"

hlo_type hlo_product_type(const hlo_shape *lhs, const hlo_shape *rhs, const hlo_shape *result) {
    const hlo_shape *shapes[] = {lhs, rhs, result};
    bool is_complex = false, is_float = false, is_wide = false;
    for (int i = 0; i < 3; i++) {
        hlo_type type = (hlo_type)shapes[i]->type;
        is_complex |= hlo_type_is_complex(type);
        is_float |= hlo_type_is_float(type);
        is_wide |= type == HLO_C128 || type == HLO_F64;
    }
    if (is_complex) return is_wide ? HLO_C128 : HLO_C64;
    if (is_float) return is_wide ? HLO_F64 : HLO_F32;
    return hlo_types[result->type].bytes > 4 ? HLO_S64 : HLO_S32;
}

static bool is_row_major(const uint32_t *order, uint32_t rank) {
    for (uint32_t d = 0; d < rank; d++)
        if (order[d] != d) return false;
    return true;
}

/* A dense copy of x in the order, in x's own type; zeros where x has no live element. */
static void *new_ordered_copy(const hlo_value *x, const uint32_t *order) {
    const hlo_shape *shape = x->shape;
    uint32_t bytes = hlo_element_bytes(shape);
    size_t size = (size_t)hlo_shape_elements(shape) * bytes;
    char *copy = x->sizes ? hlo_scratch_zeros(size) : hlo_scratch_new(size);
    int64_t *from = hlo_new_strides(shape, bytes), *to = hlo_new_strides(shape, bytes);
    int64_t unit = bytes;
    for (uint32_t d = shape->rank; d-- > 0;) {
        to[d] = unit;
        unit *= shape->dims[order[d]];
    }
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < shape->rank; d++)
        hlo_walk_dim2(&walk, hlo_value_size(x, order[d]), to[d], from[order[d]]);
    hlo_copy_walk(&walk, copy, x->data, bytes);
    hlo_free(from);
    hlo_free(to);
    return copy;
}

hlo_packed hlo_pack(const hlo_value *x, const uint32_t *order, hlo_type type) {
    hlo_packed packed = {.data = x->data};
    hlo_type from = (hlo_type)x->shape->type;
    int64_t elements = hlo_shape_elements(x->shape);
    if (!elements) return packed;
    if (x->sizes || !is_row_major(order, x->shape->rank))
        packed.data = packed.copy = new_ordered_copy(x, order);
    if (from == type) return packed;
    void *converted = hlo_scratch_new((size_t)elements * hlo_types[type].bytes);
    hlo_convert_elements(from, type, packed.data, converted, (size_t)elements);
    hlo_block_free(packed.copy);
    return (hlo_packed){.data = converted, .copy = converted};
}

void *hlo_new_sums(hlo_value *out, hlo_type type) {
    size_t bytes = (size_t)hlo_shape_elements(out->shape) * hlo_types[type].bytes;
    if (out->shape->type != type) return hlo_scratch_zeros(bytes);
    hlo_zero_bytes(out->data, bytes);
    return out->data;
}

void hlo_finish_sums(hlo_value *out, hlo_type type, void *sums) {
    if (sums == out->data) return;
    hlo_convert_elements(type, (hlo_type)out->shape->type, sums, out->data,
                         (size_t)hlo_shape_elements(out->shape));
    hlo_block_free(sums);
}

static bool is_listed(const hlo_ints *list, int64_t dimension) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == dimension) return true;
    return false;
}

/* Appends the listed dimensions to the order; returns how many elements they span. */
static int64_t append_listed(uint32_t *order, uint32_t *count, const hlo_shape *shape,
                             const hlo_ints *list) {
    int64_t size = 1;
    for (uint32_t i = 0; i < list->n; i++) {
        order[(*count)++] = (uint32_t)list->v[i];
        size *= shape->dims[list->v[i]];
    }
    return size;
}

/* The same for the dimensions that are in neither list, in ascending order. */
static int64_t append_free(uint32_t *order, uint32_t *count, const hlo_shape *shape,
                           const hlo_ints *batch, const hlo_ints *contracting, int64_t absent) {
    int64_t size = 1;
    for (uint32_t d = 0; d < shape->rank; d++) {
        if (is_listed(batch, d) || is_listed(contracting, d) || d == absent) continue;
        order[(*count)++] = d;
        size *= shape->dims[d];
    }
    return size;
}

hlo_product_dims hlo_product_dims_of(const hlo_instr *instr, const hlo_shape *lhs,
                                     const hlo_shape *rhs, int64_t absent) {
    const hlo_ints *lhs_batch = hlo_attr_ints(instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *rhs_batch = hlo_attr_ints(instr, HLO_ATTR_RHS_BATCH_DIMS);
    const hlo_ints *lhs_contracting = hlo_attr_ints(instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *rhs_contracting = hlo_attr_ints(instr, HLO_ATTR_RHS_CONTRACTING_DIMS);
    hlo_product_dims dims = {0};
    if (hlo_shape_elements(lhs) <= 0 || hlo_shape_elements(rhs) <= 0) return dims;
    dims.lhs_order = hlo_malloc(lhs->rank * sizeof *dims.lhs_order);
    dims.rhs_order = hlo_malloc(rhs->rank * sizeof *dims.rhs_order);
    uint32_t n = 0;
    dims.batch = append_listed(dims.lhs_order, &n, lhs, lhs_batch);
    dims.m = append_free(dims.lhs_order, &n, lhs, lhs_batch, lhs_contracting, -1);
    dims.k = append_listed(dims.lhs_order, &n, lhs, lhs_contracting);
    n = 0;
    if (absent >= 0) dims.rhs_order[n++] = (uint32_t)absent;
    append_listed(dims.rhs_order, &n, rhs, rhs_batch);
    append_listed(dims.rhs_order, &n, rhs, rhs_contracting);
    dims.n = append_free(dims.rhs_order, &n, rhs, rhs_batch, rhs_contracting, absent);
    return dims;
}

void hlo_product_dims_free(hlo_product_dims *dims) {
    hlo_free(dims->lhs_order);
    hlo_free(dims->rhs_order);
}
