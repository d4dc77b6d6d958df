/* Types of StableHLO as shapes of HLO. */
#include "stablehlo/convert.h"

static const hlo_shape *refuse(hlo_stablehlo *s, const hlo_mlir_type *type) {
    return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO,
                              "HLO has no shape for the type %.*s", (int)type->text.len,
                              type->text.ptr);
}

static const hlo_shape *array_shape(hlo_stablehlo *s, const hlo_mlir_type *type) {
    if (type->other) return refuse(s, type);
    int64_t *dims = HLO_NEW_ARRAY(s->arena, int64_t, type->rank);
    uint8_t *dynamic = HLO_NEW_ARRAY(s->arena, uint8_t, type->rank);
    bool any = false;
    for (uint32_t i = 0; i < type->rank; i++) {
        dims[i] = type->dims[i];
        if (dims[i] != HLO_UNBOUNDED) continue;
        any = true;
        dynamic[i] = 1;
        if (type->bounds) dims[i] = type->bounds[i];
    }
    return hlo_shape_array(&s->module->shapes, type->element, dims, type->rank,
                           any ? dynamic : NULL, NULL, NULL);
}

static const hlo_shape *tuple_shape(hlo_stablehlo *s, const hlo_mlir_type *const *parts,
                                    uint32_t n) {
    const hlo_shape **shapes = HLO_NEW_ARRAY(s->arena, const hlo_shape *, n);
    for (uint32_t i = 0; i < n; i++)
        if (!(shapes[i] = hlo_stablehlo_shape(s, parts[i]))) return NULL;
    return hlo_shape_tuple(&s->module->shapes, shapes, n);
}

static const hlo_shape *made_shape(hlo_stablehlo *s, const hlo_mlir_type *type) {
    switch (type->kind) {
    case HLO_MLIR_SCALAR: return hlo_shape_scalar(&s->module->shapes, type->element);
    case HLO_MLIR_TENSOR: return array_shape(s, type);
    case HLO_MLIR_TUPLE:
    case HLO_MLIR_FUTURE:
    case HLO_MLIR_BUNDLE: return tuple_shape(s, type->parts, type->part_count);
    case HLO_MLIR_TOKEN: return hlo_shape_token(&s->module->shapes);
    case HLO_MLIR_BUFFER: {
        const hlo_shape *contents = array_shape(s, type);
        return contents ? hlo_shape_buffer(&s->module->shapes, contents) : NULL;
    }
    case HLO_MLIR_FUNCTION:
    case HLO_MLIR_OTHER: break;
    }
    return refuse(s, type);
}

const hlo_shape *hlo_stablehlo_shape(hlo_stablehlo *s, const hlo_mlir_type *type) {
    if (!type->made) ((hlo_mlir_type *)(uintptr_t)type)->made = made_shape(s, type);
    return type->made;
}

const hlo_shape *hlo_stablehlo_result_shape(hlo_stablehlo *s, const hlo_mlir_op *op) {
    if (op->result_count == 1) return hlo_stablehlo_shape(s, op->results[0].type);
    const hlo_mlir_type **types = HLO_NEW_ARRAY(s->arena, const hlo_mlir_type *, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    return tuple_shape(s, types, op->result_count);
}
