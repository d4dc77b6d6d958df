/* Calls, loops, conditionals, fusions, and transfers to and from the host. */
#include "stablehlo/write.h"

#include <stdlib.h>

/* All operands as one list of arrays and tokens. */
static void flatten_operands(hlo_sw *w, hlo_mlir_value_list *to) {
    for (uint32_t i = 0; i < w->instr->operand_count && !w->failed; i++)
        hlo_sw_flatten_value(w, hlo_sw_operand(w, i), to);
}

hlo_computation *hlo_sw_called(hlo_sw *w, hlo_attr_id id) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, id);
    return attr ? attr->u.computation : NULL;
}

/* ---- calls ---- */

static bool is_composite_key(hlo_str key) {
    return hlo_str_is(key, "composite.attributes") || hlo_str_is(key, "composite.name") ||
           hlo_str_is(key, "composite.version");
}

static hlo_mlir_value *composite(hlo_sw *w, hlo_computation *c) {
    const hlo_str *name = hlo_frontend_value(w->instr, "composite.name");
    const hlo_str *version = hlo_frontend_value(w->instr, "composite.version");
    const hlo_str *attributes = hlo_frontend_value(w->instr, "composite.attributes");
    if (!name || !version || !attributes)
        return hlo_sw_refuse(w, "a composite has frontend attributes composite.name, "
                                "composite.version and composite.attributes");
    const hlo_mlir_attr *dict = hlo_sw_read_attr(w, *attributes);
    if (!dict) return NULL;
    hlo_sw_push_common(w);
    const hlo_frontend *frontend =
        hlo_instr_attr(w->instr, HLO_ATTR_FRONTEND_ATTRIBUTES)->u.frontend;
    const hlo_mlir_attr *others = hlo_sw_frontend(w, frontend, is_composite_key);
    w->attrs.n--; /* the frontend attributes were pushed last */
    if (others) hlo_sw_push(w, "mhlo.frontend_attributes", others);
    char digits[16] = {0};
    memcpy(digits, version->ptr, version->len < 15 ? version->len : 15);
    int64_t number = strtol(digits, NULL, 10);
    hlo_str callee = {c->name->ptr, c->name->len, 0};
    hlo_sw_push(w, "name", hlo_sw_text(w, HLO_MLIR_STRING, *name));
    if (dict->list.n) hlo_sw_push(w, "composite_attributes", dict);
    hlo_sw_push(w, "decomposition", hlo_sw_text(w, HLO_MLIR_SYMBOL, callee));
    if (number) hlo_sw_push(w, "version", hlo_sw_int(w, HLO_S32, number));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_COMPOSITE);
}

/* What the instruction carries, and its backend_config as one more of its frontend attributes. */
static void push_with_config(hlo_sw *w) {
    const hlo_attr *config = hlo_instr_attr(w->instr, HLO_ATTR_BACKEND_CONFIG);
    hlo_sw_push_common(w);
    if (!config || !config->u.string->len) return;
    const hlo_attr *frontend = hlo_instr_attr(w->instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    uint32_t n = frontend ? frontend->u.frontend->n : 0;
    hlo_mlir_named *v = HLO_NEW_ARRAY(w->arena, hlo_mlir_named, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        v[i].key = frontend->u.frontend->v[i].key;
        v[i].value = hlo_sw_text(w, HLO_MLIR_STRING, frontend->u.frontend->v[i].value);
    }
    v[n].key = HLO_STR("backend_config");
    v[n].value = hlo_sw_text(w, HLO_MLIR_STRING, *config->u.string);
    if (n) w->attrs.n--;
    hlo_sw_push(w, "mhlo.frontend_attributes", hlo_sw_dict(w, v, n + 1));
}

hlo_mlir_value *hlo_sw_write_call(hlo_sw *w) {
    hlo_computation *c = hlo_sw_called(w, HLO_ATTR_TO_APPLY);
    hlo_mlir_op *function = hlo_sw_function(w, c);
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!function || !type) return NULL;
    w->attrs.n = 0;
    if (hlo_attr_int(w->instr, HLO_ATTR_IS_COMPOSITE)) return composite(w, c);
    hlo_mlir_value_list operands = {0};
    hlo_mlir_type_list types = {0};
    flatten_operands(w, &operands);
    hlo_sw_flatten(type, &types);
    hlo_sw_push(w, "callee", hlo_sw_symbol_of(w, function));
    push_with_config(w);
    hlo_mlir_op *op = w->failed ? NULL
                                : hlo_sw_op(w, HLO_MLIR_OP_FUNC_CALL, operands.v, operands.n,
                                            types.v, types.n, 0);
    hlo_list_free(&operands);
    hlo_list_free(&types);
    return hlo_sw_results_as(w, op, type);
}

/* ---- regions whose arguments are what their operation has ---- */

/* An operation on these values, with results of the type's parts. */
static hlo_mlir_op *flat_op(hlo_sw *w, hlo_mlir_op_id id, hlo_mlir_value *const *values, uint32_t n,
                            const hlo_mlir_type *type, uint32_t regions) {
    hlo_mlir_type_list types = {0};
    hlo_sw_flatten(type, &types);
    hlo_mlir_op *op = w->failed ? NULL : hlo_sw_op(w, id, values, n, types.v, types.n, regions);
    hlo_list_free(&types);
    return op;
}

hlo_mlir_value *hlo_sw_write_while(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_operand(w, 0)->type;
    hlo_mlir_value_list values = {0};
    flatten_operands(w, &values);
    hlo_sw_push_common(w);
    hlo_mlir_op *op = flat_op(w, HLO_MLIR_OP_STABLEHLO_WHILE, values.v, values.n, type, 2);
    bool good = op && hlo_sw_region(w, op, 0, hlo_sw_called(w, HLO_ATTR_CONDITION)) &&
                hlo_sw_region(w, op, 1, hlo_sw_called(w, HLO_ATTR_BODY));
    hlo_list_free(&values);
    return good ? hlo_sw_results_as(w, op, type) : NULL;
}

hlo_mlir_value *hlo_sw_write_fusion(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!type) return NULL;
    hlo_mlir_value_list values = {0};
    flatten_operands(w, &values);
    const hlo_attr *aliasing = hlo_instr_attr(w->instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    const char *kind = hlo_word_text(HLO_WORDS_FUSION_KIND, hlo_attr_int(w->instr, HLO_ATTR_KIND));
    hlo_sw_push_common(w);
    hlo_sw_push(w, "fusion_kind", hlo_sw_word(w, "mhlo.fusion_kind", kind));
    hlo_sw_push(
        w, "output_operand_aliasing",
        hlo_sw_aliases(w, "mhlo.output_operand_alias", aliasing ? aliasing->u.aliasing : NULL));
    hlo_mlir_op *op = flat_op(w, HLO_MLIR_OP_MHLO_FUSION, values.v, values.n, type, 1);
    bool good = op && hlo_sw_region(w, op, 0, hlo_sw_called(w, HLO_ATTR_CALLS));
    hlo_list_free(&values);
    return good ? hlo_sw_results_as(w, op, type) : NULL;
}

/* Arguments of branches go: in all regions in turn they stand for the values after the first. */
static bool inline_arguments(hlo_mlir_op *op, hlo_mlir_value *const *values, uint32_t n) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < op->region_count; i++) {
        hlo_mlir_block *block = op->regions[i].first;
        for (uint32_t k = 0; k < block->argument_count; k++) {
            if (at == n) return false;
            hlo_mlir_value *value = values[at++];
            if (block->arguments[k].first_use) hlo_mlir_replace_uses(&block->arguments[k], value);
        }
        block->argument_count = 0;
    }
    return true;
}

hlo_mlir_value *hlo_sw_write_conditional(hlo_sw *w) {
    uint32_t branches = hlo_called_count(w->instr);
    const hlo_mlir_type *type =
        branches ? hlo_sw_type(w, hlo_called(w->instr, 0)->root->shape) : NULL;
    bool is_if = hlo_operand(w->instr, 0)->shape->type == HLO_PRED;
    if (!type) return hlo_sw_refuse(w, "it has no branches");
    hlo_mlir_value_list values = {0};
    flatten_operands(w, &values);
    hlo_sw_push_common(w);
    hlo_mlir_op_id id = is_if ? HLO_MLIR_OP_STABLEHLO_IF : HLO_MLIR_OP_STABLEHLO_CASE;
    hlo_mlir_op *op = flat_op(w, id, values.v, 1, type, branches);
    bool good = op != NULL;
    for (uint32_t i = 0; i < branches && good; i++)
        good = hlo_sw_region(w, op, i, hlo_called(w->instr, i));
    if (good && !inline_arguments(op, values.v + 1, values.n - 1))
        good = hlo_sw_refuse(w, "its operands are not those of its branches") != NULL;
    hlo_list_free(&values);
    return good ? hlo_sw_results_as(w, op, type) : NULL;
}

hlo_mlir_value *hlo_sw_write_opt_barrier(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_operand(w, 0)->type;
    hlo_mlir_value_list values = {0};
    flatten_operands(w, &values);
    hlo_sw_push_common(w);
    hlo_mlir_op *op =
        flat_op(w, HLO_MLIR_OP_STABLEHLO_OPTIMIZATION_BARRIER, values.v, values.n, type, 0);
    hlo_list_free(&values);
    return hlo_sw_results_as(w, op, type);
}

hlo_mlir_value *hlo_sw_write_domain(hlo_sw *w) {
    const hlo_domain *domain = hlo_instr_attr(w->instr, HLO_ATTR_DOMAIN)->u.domain;
    hlo_sw_push_common(w);
    hlo_sw_push(w, "kind", hlo_sw_word(w, "mhlo.kind", "sharding"));
    hlo_sw_push(w, "exit_metadata", hlo_sw_sharding(w, domain->exit));
    hlo_sw_push(w, "entry_metadata", hlo_sw_sharding(w, domain->entry));
    return hlo_sw_same(w, HLO_MLIR_OP_MHLO_DOMAIN);
}

/* ---- the host ---- */

/* A list of the orders of dimensions of all arrays; tokens have none. */
static void add_orders(hlo_sw *w, const hlo_shape *shape, const hlo_mlir_attr **v, uint32_t *n) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++) add_orders(w, shape->elements[i], v, n);
    } else if (hlo_shape_is_array(shape)) {
        const hlo_mlir_attr **order =
            HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, shape->layout->n);
        for (uint32_t i = 0; i < shape->layout->n; i++)
            order[i] = hlo_sw_int(w, HLO_S64, shape->layout->minor_to_major[i]);
        v[(*n)++] = hlo_sw_list(w, order, shape->layout->n);
    }
}

hlo_mlir_value *hlo_sw_write_infeed(hlo_sw *w) {
    const hlo_shape *shape = w->instr->shape;
    const hlo_mlir_type *type = hlo_sw_type(w, shape);
    const hlo_mlir_attr **v =
        HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, hlo_shape_leaf_count(shape));
    uint32_t n = 0;
    if (!type) return NULL;
    const hlo_shape *data = hlo_shape_is_tuple(shape) && shape->rank ? shape->elements[0] : NULL;
    for (uint32_t i = 0; data && hlo_shape_is_tuple(data) && i < data->rank; i++)
        if (hlo_shape_is_tuple(data->elements[i]))
            return hlo_sw_refuse(w, "StableHLO has no infeed of tuples in tuples");
    add_orders(w, shape, v, &n);
    hlo_sw_push_common(w);
    hlo_sw_push(w, "infeed_config",
                hlo_sw_text(w, HLO_MLIR_STRING, hlo_sw_text_of(w, HLO_ATTR_INFEED_CONFIG)));
    hlo_sw_push(w, "layout", hlo_sw_list(w, v, n));
    hlo_mlir_op *op = flat_op(w, HLO_MLIR_OP_STABLEHLO_INFEED, hlo_sw_operands(w),
                              w->instr->operand_count, type, 0);
    return hlo_sw_results_as(w, op, type);
}

hlo_mlir_value *hlo_sw_write_outfeed(hlo_sw *w) {
    hlo_mlir_value_list values = {0};
    hlo_sw_flatten_value(w, hlo_sw_operand(w, 0), &values);
    for (uint32_t i = 1; i < w->instr->operand_count; i++)
        hlo_list_push(&values, hlo_sw_operand(w, i));
    hlo_sw_push_common(w);
    hlo_sw_push(w, "outfeed_config",
                hlo_sw_text(w, HLO_MLIR_STRING, hlo_sw_text_of(w, HLO_ATTR_OUTFEED_CONFIG)));
    hlo_mlir_value *token = w->failed ? NULL
                                      : hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_OUTFEED, values.v,
                                                   values.n, hlo_sw_type(w, w->instr->shape));
    hlo_list_free(&values);
    return token;
}
