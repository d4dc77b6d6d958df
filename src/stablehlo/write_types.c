/* Shapes of HLO as types of MLIR. */
#include "stablehlo/write.h"

static const hlo_mlir_type *array_type(hlo_sw *w, const hlo_shape *shape, hlo_mlir_type_kind kind) {
    int64_t *dims = HLO_NEW_ARRAY(w->arena, int64_t, shape->rank);
    int64_t *bounds = HLO_NEW_ARRAY(w->arena, int64_t, shape->rank);
    bool is_bounded = false;
    for (uint32_t i = 0; i < shape->rank; i++) {
        bool is_dynamic = shape->is_dynamic && shape->is_dynamic[i];
        bounds[i] = is_dynamic ? shape->dims[i] : HLO_UNBOUNDED;
        dims[i] = is_dynamic ? HLO_UNBOUNDED : shape->dims[i];
        is_bounded |= bounds[i] != HLO_UNBOUNDED;
    }
    hlo_mlir_type type = {.kind = kind,
                          .element = (hlo_type)shape->type,
                          .rank = shape->rank,
                          .dims = dims,
                          .bounds = is_bounded ? bounds : NULL};
    return hlo_mlir_type_of(w->tree, &type);
}

const hlo_mlir_type *hlo_sw_tensor(hlo_sw *w, hlo_type element, uint32_t rank,
                                   const int64_t *dims) {
    hlo_mlir_type type = {.kind = HLO_MLIR_TENSOR, .element = element, .rank = rank, .dims = dims};
    return hlo_mlir_type_of(w->tree, &type);
}

const hlo_mlir_type *hlo_sw_parts_type(hlo_sw *w, hlo_mlir_type_kind kind,
                                       const hlo_mlir_type *const *parts, uint32_t n) {
    hlo_mlir_type type = {.kind = kind, .element = HLO_TYPE_COUNT, .part_count = n, .parts = parts};
    return hlo_mlir_type_of(w->tree, &type);
}

static const hlo_mlir_type *tuple_type(hlo_sw *w, const hlo_shape *shape) {
    const hlo_mlir_type **parts = HLO_NEW_ARRAY(w->arena, const hlo_mlir_type *, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!(parts[i] = hlo_sw_type(w, shape->elements[i]))) return NULL;
    return hlo_sw_parts_type(w, HLO_MLIR_TUPLE, parts, shape->rank);
}

const hlo_mlir_type *hlo_sw_type(hlo_sw *w, const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) return array_type(w, shape, HLO_MLIR_TENSOR);
    switch (shape->type) {
    case HLO_TUPLE: return tuple_type(w, shape);
    case HLO_TOKEN: return hlo_sw_parts_type(w, HLO_MLIR_TOKEN, NULL, 0);
    case HLO_BUFFER:
        if (hlo_shape_is_array(shape->elements[0]) && !shape->dynamic)
            return array_type(w, shape->elements[0], HLO_MLIR_BUFFER);
        break;
    default: break;
    }
    return hlo_sw_refuse(w, "StableHLO has no type for %s", hlo_shape_name(w->arena, shape));
}

void hlo_sw_flatten(const hlo_mlir_type *type, hlo_mlir_type_list *to) {
    if (type->kind != HLO_MLIR_TUPLE) {
        hlo_list_push(to, type);
        return;
    }
    for (uint32_t i = 0; i < type->part_count; i++) hlo_sw_flatten(type->parts[i], to);
}

void hlo_sw_untuple(const hlo_mlir_type *type, hlo_mlir_type_list *to) {
    if (type->kind != HLO_MLIR_TUPLE) hlo_list_push(to, type);
    else
        for (uint32_t i = 0; i < type->part_count; i++) hlo_list_push(to, type->parts[i]);
}
