/* Custom calls: layouts, configurations in the syntax of MLIR, and the operations that HLO has as
 * custom calls. */
#include "stablehlo/write.h"

const hlo_mlir_attr *hlo_sw_read_attr(hlo_sw *w, hlo_str text) {
    hlo_diags found;
    hlo_diags_init(&found);
    const hlo_mlir_attr *attr = hlo_mlir_parse_attr(w->tree, text, &found);
    if (!attr)
        hlo_sw_refuse(w, "'%.*s' is no attribute of MLIR: %s", text.len < 80 ? (int)text.len : 80,
                      text.ptr, found.first ? found.first->message : "it is several");
    hlo_diags_drop(&found);
    return attr;
}

hlo_str hlo_sw_text_of(hlo_sw *w, hlo_attr_id id) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, id);
    return attr ? *attr->u.string : (hlo_str){0};
}

static bool push_callees(hlo_sw *w) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_CALLED_COMPUTATIONS);
    hlo_computation *one = hlo_sw_called(w, HLO_ATTR_TO_APPLY);
    uint32_t n = attr ? attr->u.computations->n : one ? 1 : 0;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        hlo_mlir_op *function = hlo_sw_function(w, attr ? attr->u.computations->v[i] : one);
        if (!function) return false;
        v[i] = hlo_sw_symbol_of(w, function);
    }
    w->attrs.n = 0;
    hlo_sw_push_common(w);
    if (n) hlo_sw_push(w, "called_computations", hlo_sw_list(w, v, n));
    return true;
}

/* Orders of dimensions of arrays; tuples in them have no place. */
static const hlo_mlir_attr *layouts(hlo_sw *w, const hlo_shape *const *shapes, uint32_t n) {
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        if (hlo_shape_is_tuple(shapes[i]))
            return hlo_sw_refuse(w, "StableHLO has no layouts of tuples in tuples");
        const hlo_layout_parts *parts =
            hlo_shape_is_array(shapes[i]) ? shapes[i]->layout->parts : NULL;
        if (parts && parts->memory_space)
            return hlo_sw_refuse(w, "StableHLO has no layouts in another memory space");
        v[i] = hlo_sw_layout(w, shapes[i]);
    }
    return hlo_sw_list(w, v, n);
}

static bool push_layouts(hlo_sw *w) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS);
    const hlo_shape *shape = w->instr->shape;
    if (!attr) return true;
    const hlo_mlir_attr *of_operands = layouts(w, attr->u.shapes->v, attr->u.shapes->n);
    const hlo_mlir_attr *of_results = hlo_shape_is_tuple(shape)
                                          ? layouts(w, shape->elements, shape->rank)
                                          : layouts(w, &shape, 1);
    if (w->failed) return false;
    hlo_sw_push(w, "operand_layouts", of_operands);
    hlo_sw_push(w, "result_layouts", of_results);
    return true;
}

/* The typed interface has a dictionary. */
static bool push_config(hlo_sw *w, int64_t api_version) {
    enum { TYPED = 4 };
    hlo_str text = hlo_sw_text_of(w, HLO_ATTR_BACKEND_CONFIG);
    const hlo_mlir_attr *config = hlo_sw_text(w, HLO_MLIR_STRING, text);
    if (api_version == TYPED) {
        config = text.len ? hlo_sw_read_attr(w, text) : hlo_sw_dict(w, NULL, 0);
        if (!config) return false;
        if (config->kind != HLO_MLIR_DICT)
            return hlo_sw_refuse(w, "its backend_config is no dictionary of MLIR") != NULL;
    }
    hlo_sw_push(w, "backend_config", config);
    return true;
}

static bool is_pin(hlo_str target) {
    return hlo_str_is(target, "Pin") || hlo_str_is(target, "Unpin");
}

/* ---- operations that HLO has as custom calls ---- */

static hlo_mlir_value *dynamic_broadcast(hlo_sw *w, hlo_str config) {
    const hlo_mlir_attr *dict = config.len ? hlo_sw_read_attr(w, config) : NULL;
    const hlo_mlir_attr *dims = dict ? hlo_mlir_member(dict, "broadcast_dimensions") : NULL;
    uint32_t n;
    const int64_t *v;
    if (!dims || dims->kind != HLO_MLIR_LIST || !hlo_mlir_ints(w->tree, dims, &n, &v))
        return hlo_sw_refuse(w, "its backend_config has no broadcast_dimensions");
    hlo_sw_push(w, "broadcast_dimensions", hlo_sw_i64s(w, v, n));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_DYNAMIC_BROADCAST_IN_DIM);
}

/* What StableHLO has as an operation. */
static hlo_mlir_value *encoded(hlo_sw *w, hlo_str target) {
    hlo_str config = hlo_sw_text_of(w, HLO_ATTR_BACKEND_CONFIG);
    uint32_t n = w->instr->operand_count;
    if (hlo_str_is(target, "mhlo.dynamic_broadcast_in_dim") && n == 2)
        return dynamic_broadcast(w, config);
    if (hlo_str_is(target, "mhlo.dynamic_reshape") && n == 2 && !config.len)
        return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_DYNAMIC_RESHAPE);
    if (hlo_str_is(target, "mhlo.real_dynamic_slice") && n == 4 && !config.len)
        return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_REAL_DYNAMIC_SLICE);
    return hlo_sw_refuse(w, "StableHLO has no operation %.*s of these operands", (int)target.len,
                         target.ptr);
}

hlo_mlir_value *hlo_sw_write_custom_call(hlo_sw *w) {
    hlo_str target = hlo_sw_text_of(w, HLO_ATTR_CUSTOM_CALL_TARGET);
    int64_t api_version = hlo_attr_int(w->instr, HLO_ATTR_API_VERSION);
    const hlo_attr *aliasing = hlo_instr_attr(w->instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    const hlo_attr *literal = hlo_instr_attr(w->instr, HLO_ATTR_LITERAL);
    if (target.len > 5 && memcmp(target.ptr, "mhlo.", 5) == 0) return encoded(w, target);
    int64_t schedule = hlo_attr_int(w->instr, HLO_ATTR_SCHEDULE);
    if (!push_callees(w) || !push_layouts(w)) return NULL;
    hlo_sw_push(w, "call_target_name", hlo_sw_text(w, HLO_MLIR_STRING, target));
    if (hlo_attr_int(w->instr, HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT))
        hlo_sw_push(w, "has_side_effect", hlo_sw_bool(w, true));
    if (!push_config(w, api_version)) return NULL;
    if (literal) {
        const hlo_mlir_type *type = hlo_sw_type(w, literal->u.literal->shape);
        if (!type) return NULL;
        if (type->kind != HLO_MLIR_TENSOR)
            return hlo_sw_refuse(w, "a literal of StableHLO is an array");
        hlo_sw_push(w, "mhlo.literal", hlo_sw_dense(w, literal->u.literal, type));
    }
    if (api_version != 1) hlo_sw_push(w, "api_version", hlo_sw_int(w, HLO_S32, api_version));
    if (aliasing && aliasing->u.aliasing->n && !is_pin(target))
        hlo_sw_push(w, "output_operand_aliases",
                    hlo_sw_aliases(w,
                                   schedule ? "mhlo.output_operand_alias"
                                            : "stablehlo.output_operand_alias",
                                   aliasing->u.aliasing));
    if (!schedule) return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL);
    hlo_sw_push(w, "custom_call_schedule",
                hlo_sw_word(w, "mhlo.custom_call_schedule", schedule == 1 ? "LATEST" : "EARLIEST"));
    return hlo_sw_same(w, HLO_MLIR_OP_MHLO_CUSTOM_CALL);
}
