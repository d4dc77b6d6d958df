/* Operations of builders that move data: slices, reshapes, gathers. */
#include "build/builder.h"

static bool is_array(hlo_builder *b, hlo_opcode opcode, const hlo_instr *operand) {
    if (hlo_shape_is_array(operand->shape)) return true;
    hlo_builder_fail(b, HLO_RULE_ARRAY_OPERAND, "%s: the operand is %s and must be an array",
                     hlo_ops[opcode].text, hlo_shape_name(&b->module->arena, operand->shape));
    return false;
}

/* ---- sizes ---- */

static const hlo_instr *transposed(hlo_builder *b, const hlo_instr *operand, hlo_int_list order) {
    return hlo_builder_made(b, HLO_OP_TRANSPOSE, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_DIMENSIONS, order)));
}

const hlo_instr *hlo_builder_transpose(hlo_builder *b, const hlo_instr *operand,
                                       hlo_int_list permutation) {
    HLO_BUILDER_TAKES(b, operand);
    return transposed(b, operand, permutation);
}

static const hlo_instr *reshaped(hlo_builder *b, const hlo_instr *operand, hlo_int_list sizes) {
    bool good = sizes.count <= 64;
    for (size_t i = 0; i < sizes.count; i++) good &= sizes.values[i] >= 0;
    if (!good)
        return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "reshape: a size is out of range");
    return hlo_builder_made(b, HLO_OP_RESHAPE,
                            hlo_builder_resized(b, operand->shape, sizes.values, sizes.count),
                            HLO_INSTRS(operand), HLO_NO_ATTRS);
}

static bool is_ascending(hlo_int_list list) {
    bool ascending = true;
    for (size_t i = 0; i < list.count; i++) ascending &= list.values[i] == (int64_t)i;
    return ascending;
}

/* The elements in another order of the dimensions, unless that is the one that they have. */
static const hlo_instr *reordered(hlo_builder *b, const hlo_instr *operand,
                                  hlo_int_list dimensions) {
    bool all = !dimensions.count || dimensions.count == operand->shape->rank;
    return all && is_ascending(dimensions) ? operand : transposed(b, operand, dimensions);
}

const hlo_instr *hlo_builder_reshape(hlo_builder *b, const hlo_instr *operand,
                                     hlo_int_list dimensions, hlo_int_list new_sizes) {
    HLO_BUILDER_TAKES(b, operand);
    if (!is_array(b, HLO_OP_RESHAPE, operand)) return NULL;
    const hlo_instr *from = reordered(b, operand, dimensions);
    return from ? reshaped(b, from, new_sizes) : NULL;
}

static bool check_consecutive(hlo_builder *b, const hlo_shape *shape, hlo_int_list dimensions) {
    bool good = true;
    for (size_t i = 0; i < dimensions.count && good; i++) {
        int64_t d = dimensions.values[i];
        good = d >= 0 && d < shape->rank && (!i || d == dimensions.values[i - 1] + 1);
    }
    if (!good)
        hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                         "collapse: the dimensions are not consecutive ones of %s, in order",
                         hlo_shape_name(&b->module->arena, shape));
    return good;
}

const hlo_instr *hlo_builder_collapse(hlo_builder *b, const hlo_instr *operand,
                                      hlo_int_list dimensions) {
    HLO_BUILDER_TAKES(b, operand);
    const hlo_shape *shape = operand->shape;
    if (!is_array(b, HLO_OP_RESHAPE, operand) || !check_consecutive(b, shape, dimensions))
        return NULL;
    if (dimensions.count < 2) return operand;
    int64_t *sizes = HLO_NEW_ARRAY(&b->module->arena, int64_t, shape->rank);
    int64_t first = dimensions.values[0], last = dimensions.values[dimensions.count - 1];
    size_t rank = 0;
    for (int64_t i = 0; i < shape->rank; i++) {
        if (i <= first || i > last) sizes[rank++] = shape->dims[i];
        else if (__builtin_mul_overflow(sizes[rank - 1], shape->dims[i], &sizes[rank - 1]))
            return hlo_builder_fail(b, HLO_RULE_SHAPE_SIZE, "collapse: the size is too large");
    }
    return reshaped(b, operand, (hlo_int_list){rank, sizes});
}

const hlo_instr *hlo_builder_concatenate(hlo_builder *b, hlo_instrs_list operands,
                                         int64_t dimension) {
    HLO_BUILDER_CALL(b, NULL);
    return hlo_builder_made(b, HLO_OP_CONCATENATE, NULL, operands,
                            HLO_ATTRS(hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, dimension)));
}

static int64_t entry(hlo_int_list list, size_t i, int64_t otherwise) {
    return list.count ? list.values[i] : otherwise;
}

const hlo_instr *hlo_builder_pad(hlo_builder *b, const hlo_instr *operand,
                                 const hlo_instr *padding_value, hlo_int_list low,
                                 hlo_int_list high, hlo_int_list interior) {
    HLO_BUILDER_TAKES(b, operand, padding_value);
    if (!is_array(b, HLO_OP_PAD, operand)) return NULL;
    uint32_t rank = operand->shape->rank;
    if ((low.count && low.count != rank) || (high.count && high.count != rank) ||
        (interior.count && interior.count != rank))
        return hlo_builder_fail(b, HLO_RULE_PAD_PADDING,
                                "pad: a list must have a number for each of %u dimensions", rank);
    hlo_padding *padding =
        hlo_arena_alloc(&b->module->arena, sizeof *padding + rank * sizeof padding->v[0]);
    padding->n = rank;
    for (uint32_t i = 0; i < rank; i++) {
        padding->v[i].low = entry(low, i, 0);
        padding->v[i].high = entry(high, i, 0);
        padding->v[i].interior = entry(interior, i, 0);
    }
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    return hlo_builder_made(b, HLO_OP_PAD, NULL, HLO_INSTRS(operand, padding_value), &attr, 1);
}

const hlo_instr *hlo_builder_rev(hlo_builder *b, const hlo_instr *operand,
                                 hlo_int_list dimensions) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_made(b, HLO_OP_REVERSE, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_DIMENSIONS, dimensions)));
}

const hlo_instr *hlo_builder_iota(hlo_builder *b, const hlo_shape *shape, int64_t iota_dimension) {
    HLO_BUILDER_TAKES(b, shape);
    return hlo_builder_made(b, HLO_OP_IOTA, shape, HLO_NO_INSTRS,
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_IOTA_DIMENSION, iota_dimension)));
}

/* ---- slices ---- */

const hlo_instr *hlo_builder_slice(hlo_builder *b, const hlo_instr *operand, hlo_int_list start,
                                   hlo_int_list limit, hlo_int_list strides) {
    HLO_BUILDER_TAKES(b, operand);
    if (limit.count != start.count || (strides.count && strides.count != start.count))
        return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                                "slice: %zu starts, %zu limits and %zu strides", start.count,
                                limit.count, strides.count);
    hlo_slice *slice =
        hlo_arena_alloc(&b->module->arena, sizeof *slice + start.count * sizeof slice->v[0]);
    slice->n = (uint32_t)start.count;
    for (size_t i = 0; i < start.count; i++) {
        slice->v[i].start = start.values[i];
        slice->v[i].limit = limit.values[i];
        slice->v[i].stride = entry(strides, i, 1);
    }
    hlo_attr attr = {.id = HLO_ATTR_SLICE, .u.slice = slice};
    return hlo_builder_made(b, HLO_OP_SLICE, NULL, HLO_INSTRS(operand), &attr, 1);
}

/* Operands, and the start indices after them. */
static hlo_instrs_list joined(hlo_builder *b, hlo_instrs_list first, hlo_instrs_list second) {
    size_t n = first.count + second.count;
    const hlo_instr **all = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, n);
    if (first.count) memcpy(all, first.values, first.count * sizeof *all);
    if (second.count) memcpy(all + first.count, second.values, second.count * sizeof *all);
    return (hlo_instrs_list){n, all};
}

const hlo_instr *hlo_builder_dynamic_slice(hlo_builder *b, const hlo_instr *operand,
                                           hlo_instrs_list start_indices,
                                           hlo_int_list size_indices) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_builder_has_list(b, __func__, start_indices)) return NULL;
    return hlo_builder_made(
        b, HLO_OP_DYNAMIC_SLICE, NULL, joined(b, HLO_INSTRS(operand), start_indices),
        HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_DYNAMIC_SLICE_SIZES, size_indices)));
}

const hlo_instr *hlo_builder_dynamic_update_slice(hlo_builder *b, const hlo_instr *operand,
                                                  const hlo_instr *update,
                                                  hlo_instrs_list start_indices) {
    HLO_BUILDER_TAKES(b, operand, update);
    if (!hlo_builder_has_list(b, __func__, start_indices)) return NULL;
    return hlo_builder_made(b, HLO_OP_DYNAMIC_UPDATE_SLICE, NULL,
                            joined(b, HLO_INSTRS(operand, update), start_indices), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_get_dimension_size(hlo_builder *b, const hlo_instr *operand,
                                                int64_t dimension) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_made(b, HLO_OP_GET_DIMENSION_SIZE, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, dimension)));
}

const hlo_instr *hlo_builder_set_dimension_size(hlo_builder *b, const hlo_instr *operand,
                                                const hlo_instr *size, int64_t dimension) {
    HLO_BUILDER_TAKES(b, operand, size);
    return hlo_builder_made(b, HLO_OP_SET_DIMENSION_SIZE, NULL, HLO_INSTRS(operand, size),
                            HLO_ATTRS(hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, dimension)));
}

const hlo_instr *hlo_builder_bitcast(hlo_builder *b, const hlo_instr *operand,
                                     const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, operand, shape);
    return hlo_builder_made(b, HLO_OP_BITCAST, shape, HLO_INSTRS(operand), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_dynamic_reshape(hlo_builder *b, const hlo_instr *operand,
                                             hlo_instrs_list sizes, const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, operand, shape);
    if (!hlo_builder_has_list(b, __func__, sizes)) return NULL;
    return hlo_builder_made(b, HLO_OP_DYNAMIC_RESHAPE, shape, joined(b, HLO_INSTRS(operand), sizes),
                            HLO_NO_ATTRS);
}

/* ---- gather and scatter ---- */

const hlo_instr *hlo_builder_gather(hlo_builder *b, const hlo_instr *operand,
                                    const hlo_instr *start_indices, int64_t index_vector_dim,
                                    hlo_int_list offset_dims, hlo_int_list slice_sizes,
                                    hlo_int_list collapsed_slice_dims, hlo_int_list start_index_map,
                                    bool indices_are_sorted) {
    HLO_BUILDER_TAKES(b, operand, start_indices);
    return hlo_builder_made(
        b, HLO_OP_GATHER, NULL, HLO_INSTRS(operand, start_indices),
        HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_OFFSET_DIMS, offset_dims),
                  hlo_builder_ints(b, HLO_ATTR_COLLAPSED_SLICE_DIMS, collapsed_slice_dims),
                  hlo_builder_ints(b, HLO_ATTR_START_INDEX_MAP, start_index_map),
                  hlo_builder_int(HLO_ATTR_INDEX_VECTOR_DIM, index_vector_dim),
                  hlo_builder_ints(b, HLO_ATTR_SLICE_SIZES, slice_sizes),
                  hlo_builder_flag(HLO_ATTR_INDICES_ARE_SORTED, indices_are_sorted)));
}

const hlo_instr *hlo_builder_scatter(hlo_builder *b, hlo_instrs_list operands,
                                     const hlo_instr *scatter_indices, hlo_instrs_list updates,
                                     const hlo_computation *update_computation,
                                     int64_t index_vector_dim, hlo_int_list update_window_dims,
                                     hlo_int_list inserted_window_dims,
                                     hlo_int_list scatter_dims_to_operand_dims,
                                     bool indices_are_sorted, bool unique_indices) {
    HLO_BUILDER_TAKES(b, scatter_indices, update_computation);
    if (!hlo_builder_has_list(b, __func__, operands) || !hlo_builder_has_list(b, __func__, updates))
        return NULL;
    if (operands.count != updates.count)
        return hlo_builder_fail(b, HLO_RULE_OPERAND_COUNT, "scatter: %zu operands and %zu updates",
                                operands.count, updates.count);
    return hlo_builder_made(
        b, HLO_OP_SCATTER, NULL,
        joined(b, joined(b, operands, HLO_INSTRS(scatter_indices)), updates),
        HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_UPDATE_WINDOW_DIMS, update_window_dims),
                  hlo_builder_ints(b, HLO_ATTR_INSERTED_WINDOW_DIMS, inserted_window_dims),
                  hlo_builder_ints(b, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS,
                                   scatter_dims_to_operand_dims),
                  hlo_builder_int(HLO_ATTR_INDEX_VECTOR_DIM, index_vector_dim),
                  hlo_builder_flag(HLO_ATTR_INDICES_ARE_SORTED, indices_are_sorted),
                  hlo_builder_flag(HLO_ATTR_UNIQUE_INDICES, unique_indices),
                  hlo_builder_callee(HLO_ATTR_TO_APPLY, update_computation)));
}
