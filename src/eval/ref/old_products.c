/* Operand packing for kernels of the old form: sort. To go with them. */
#include "eval/ref/old_products.h"

#include "base/blocks.h"
#include "eval/ref/combine.h"

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

hlo_packed hlo_old_pack(const hlo_value *x, const uint32_t *order, hlo_type type) {
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
