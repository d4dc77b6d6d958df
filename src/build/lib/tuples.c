/* Tuples of tuples as lists of their leaves: XLA's tuple.h. */
#include "build/lib/scalars.h"

enum { MOST_LEAVES = 1 << 24 };

/* Stops counting where there are too many. */
static void count_leaves(const hlo_shape *shape, size_t *count) {
    if (!hlo_shape_is_tuple(shape)) {
        ++*count;
        return;
    }
    for (uint32_t i = 0; i < shape->rank && *count <= MOST_LEAVES; i++)
        count_leaves(shape->elements[i], count);
}

size_t hlo_lib_leaf_count(const hlo_shape *shape) {
    size_t count = 0;
    if (shape) count_leaves(shape, &count);
    return count <= MOST_LEAVES ? count : 0;
}

static void split(hlo_builder *b, hlo_term value, hlo_term **next) {
    if (!value) return;
    if (!hlo_shape_is_tuple(value->shape)) {
        *(*next)++ = value;
        return;
    }
    for (uint32_t i = 0; i < value->shape->rank && !hlo_builder_failed(b); i++)
        split(b, hlo_builder_get_tuple_element(b, value, i), next);
}

bool hlo_lib_disassemble_tuple(hlo_builder *b, hlo_term tuple, const hlo_instr **leaves) {
    HLO_BUILDER_CALL(b, false);
    if (!tuple || !leaves) hlo_builder_misuse(b, "%s: an argument is NULL", __func__);
    else if (hlo_shape_is_tuple(tuple->shape) && tuple->shape->rank &&
             !hlo_lib_leaf_count(tuple->shape))
        hlo_builder_misuse(b, "%s: the tuple has no leaves, or too many", __func__);
    else split(b, tuple, &leaves);
    return !hlo_builder_failed(b);
}

static hlo_term join(hlo_builder *b, const hlo_shape *shape, const hlo_term **next) {
    if (!hlo_shape_is_tuple(shape)) return *(*next)++;
    hlo_term *elements = HLO_NEW_ARRAY(&b->module->arena, hlo_term, shape->rank + 1);
    for (uint32_t i = 0; i < shape->rank && !hlo_builder_failed(b); i++)
        elements[i] = join(b, shape->elements[i], next);
    return hlo_builder_failed(b) ? NULL
                                 : hlo_builder_tuple(b, (hlo_instrs_list){shape->rank, elements});
}

hlo_term hlo_lib_assemble_tuple(hlo_builder *b, const hlo_shape *shape, hlo_instrs_list leaves) {
    HLO_BUILDER_TAKES(b, shape);
    if (!hlo_builder_has_list(b, __func__, leaves)) return NULL;
    size_t wanted = 0;
    count_leaves(shape, &wanted);
    if (wanted != leaves.count || wanted > MOST_LEAVES)
        return hlo_builder_misuse(b, "%s: the shape has %zu leaves, %zu are given", __func__,
                                  wanted, leaves.count);
    const hlo_term *next = leaves.values;
    return join(b, shape, &next);
}
