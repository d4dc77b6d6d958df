/* Operations whose sizes are operands become those whose sizes are attributes, where the operands
 * are constants by now. */
#include "stablehlo/refine.h"

#include "stablehlo/infer_type.h"
#include "stablehlo/simplify.h"

static bool known(hlo_simplifier *s, const hlo_mlir_op *op, uint32_t i, hlo_mlir_numbers *out) {
    return i < op->operand_count &&
           hlo_infer_numbers(s->module, hlo_mlir_operand(op, i), &out->n, &out->v);
}

static void copy_attr(hlo_simplifier *s, hlo_mlir_op *to, const hlo_mlir_op *from,
                      const char *name) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(from, name);
    if (attr) hlo_mlir_set_attr(s->module, to, name, attr);
}

static void copy_attrs(hlo_simplifier *s, hlo_mlir_op *to, const hlo_mlir_op *from) {
    to->attr_count = from->attr_count;
    if (from->attr_count)
        to->attrs =
            hlo_arena_copy(&s->module->arena, from->attrs, from->attr_count * sizeof *from->attrs);
}

/* The operation of this kind on the first `n` operands, of the same types, at the same place. */
static hlo_mlir_op *instead(hlo_simplifier *s, const hlo_mlir_op *op, hlo_mlir_op_id id,
                            uint32_t n) {
    hlo_arena *arena = &s->module->arena;
    const hlo_mlir_type **types = HLO_NEW_ARRAY(arena, const hlo_mlir_type *, op->result_count + 1);
    hlo_mlir_value **values = HLO_NEW_ARRAY(arena, hlo_mlir_value *, n + 1);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    for (uint32_t i = 0; i < n; i++) values[i] = hlo_mlir_operand(op, i);
    hlo_mlir_op *made =
        hlo_simplify_new(s, id, op->location, op->result_count, types, n, values, 0);
    made->at = op->at;
    return made;
}

static bool replace(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_op *made) {
    hlo_mlir_value **values =
        HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, op->result_count + 1);
    for (uint32_t i = 0; i < op->result_count; i++) values[i] = &made->results[i];
    hlo_simplify_replace(s, op, values);
    return true;
}

/* ---- sizes that the result has ---- */

static bool is_static_result(hlo_simplifier *s, const hlo_mlir_op *op, uint32_t sizes) {
    hlo_mlir_numbers v;
    return hlo_mlir_is_static(hlo_simplify_type(op)) && known(s, op, sizes, &v);
}

static bool broadcast(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!is_static_result(s, op, 1) || !hlo_mlir_is_static(hlo_mlir_operand(op, 0)->type))
        return false;
    hlo_mlir_op *made = instead(s, op, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM, 1);
    copy_attr(s, made, op, "broadcast_dimensions");
    return replace(s, op, made);
}

static bool iota(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!is_static_result(s, op, 0)) return false;
    hlo_mlir_op *made = instead(s, op, HLO_MLIR_OP_STABLEHLO_IOTA, 0);
    copy_attr(s, made, op, "iota_dimension");
    return replace(s, op, made);
}

/* Of as many elements: the rest of the program relies on it. */
static bool reshape(hlo_simplifier *s, hlo_mlir_op *op) {
    if (op->operand_count != 2) return false;
    const hlo_mlir_type *from = hlo_mlir_operand(op, 0)->type;
    if (!is_static_result(s, op, 1) || !hlo_mlir_is_static(from) ||
        hlo_mlir_element_count(from) != hlo_mlir_element_count(hlo_simplify_type(op)))
        return false;
    return replace(s, op, instead(s, op, HLO_MLIR_OP_STABLEHLO_RESHAPE, 1));
}

/* ---- numbers that become attributes ---- */

/* Rows of two numbers. */
static const hlo_mlir_attr *pairs(hlo_simplifier *s, hlo_mlir_numbers v) {
    int64_t dims[] = {v.n / 2, 2};
    return hlo_dense_attr(s->module, hlo_mlir_tensor_of(s->module, HLO_S64, 2, dims),
                          v.n ? hlo_arena_copy(&s->module->arena, v.v, v.n * sizeof *v.v) : NULL,
                          false);
}

static bool convolution(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char *const names[] = {
        "window_strides",    "lhs_dilation",        "rhs_dilation",      "window_reversal",
        "dimension_numbers", "feature_group_count", "batch_group_count", "precision_config"};
    hlo_mlir_numbers padding;
    if (!known(s, op, 2, &padding) || padding.n % 2) return false;
    hlo_mlir_op *made = instead(s, op, HLO_MLIR_OP_STABLEHLO_CONVOLUTION, 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) copy_attr(s, made, op, names[i]);
    hlo_mlir_set_attr(s->module, made, "padding", pairs(s, padding));
    return replace(s, op, made);
}

static bool gather(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers sizes;
    if (!known(s, op, 2, &sizes)) return false;
    hlo_mlir_op *made = instead(s, op, HLO_MLIR_OP_STABLEHLO_GATHER, 2);
    copy_attr(s, made, op, "dimension_numbers");
    hlo_simplify_set_ints(s, made, "slice_sizes", sizes.n, sizes.v);
    copy_attr(s, made, op, "indices_are_sorted");
    return replace(s, op, made);
}

/* The three operands from the `kept`-th on become attributes of these names. */
static hlo_mlir_op *with_lists(hlo_simplifier *s, const hlo_mlir_op *op, hlo_mlir_op_id id,
                               uint32_t kept, const char *const *names) {
    hlo_mlir_numbers lists[3];
    for (uint32_t i = 0; i < 3; i++)
        if (!known(s, op, kept + i, &lists[i])) return NULL;
    hlo_mlir_op *made = instead(s, op, id, kept);
    for (uint32_t i = 0; i < 3; i++)
        hlo_simplify_set_ints(s, made, names[i], lists[i].n, lists[i].v);
    return made;
}

static bool pad(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char *const names[] = {"edge_padding_low", "edge_padding_high",
                                        "interior_padding"};
    hlo_mlir_op *made = with_lists(s, op, HLO_MLIR_OP_STABLEHLO_PAD, 2, names);
    return made && replace(s, op, made);
}

static bool slice(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    if (hlo_simplify_real_dynamic_slice_to_dynamic_slice(s, op)) return true;
    hlo_mlir_op *made = with_lists(s, op, HLO_MLIR_OP_STABLEHLO_SLICE, 1, names);
    if (!made) return false;
    hlo_simplify_merge_attrs(s, op, made);
    return replace(s, op, made);
}

/* ---- custom calls ---- */

static bool contains(hlo_mlir_numbers list, int64_t number) {
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] == number) return true;
    return false;
}

/* Elements of a list without those of these numbers. */
static const hlo_mlir_attr *without(hlo_simplifier *s, const hlo_mlir_attr *list,
                                    hlo_mlir_numbers dropped) {
    hlo_mlir_attr *kept = hlo_arena_copy(&s->module->arena, list, sizeof *list);
    hlo_mlir_named *v = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_named, list->list.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->list.n; i++)
        if (!contains(dropped, i)) v[n++] = list->list.v[i];
    kept->list = (hlo_mlir_list){n, v};
    return kept;
}

/* Operands that are the sizes of results go, when these have them. */
static bool without_sizes(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char indices[] = "indices_of_shape_operands", layouts[] = "operand_layouts";
    hlo_mlir_numbers dropped, sizes;
    if (!hlo_mlir_numbers_of(s->module, op, indices, &dropped) || dropped.n != op->result_count)
        return false;
    for (uint32_t i = 0; i < dropped.n; i++)
        if (dropped.v[i] < 0 || dropped.v[i] >= op->operand_count ||
            !known(s, op, (uint32_t)dropped.v[i], &sizes) ||
            !hlo_mlir_is_static(op->results[i].type))
            return false;
    hlo_mlir_op *made = instead(s, op, op->id, op->operand_count);
    hlo_mlir_value **values =
        HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, op->operand_count + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!contains(dropped, i)) values[n++] = hlo_mlir_operand(op, i);
    hlo_mlir_set_operands(s->module, made, n, values);
    copy_attrs(s, made, op);
    const hlo_mlir_attr *list = hlo_mlir_attr_of(op, layouts);
    if (list && list->kind == HLO_MLIR_LIST)
        hlo_mlir_set_attr(s->module, made, layouts, without(s, list, dropped));
    hlo_mlir_drop_attr(made, indices);
    return replace(s, op, made);
}

static bool generator(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers sizes;
    const hlo_mlir_attr *algorithm = hlo_mlir_attr_of(op, "rng_algorithm");
    if (op->operand_count != 2 || op->result_count != 2 || !algorithm || !known(s, op, 1, &sizes) ||
        !hlo_mlir_is_static(op->results[1].type))
        return false;
    hlo_mlir_op *made = instead(s, op, HLO_MLIR_OP_STABLEHLO_RNG_BIT_GENERATOR, 1);
    hlo_mlir_set_attr(s->module, made, "rng_algorithm", algorithm);
    return replace(s, op, made);
}

static const hlo_mlir_attr *new_bool(hlo_simplifier *s, bool value) {
    hlo_mlir_attr *attr = HLO_NEW(&s->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_BOOL;
    attr->u.i = value;
    return attr;
}

static bool top_k(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers k;
    if (op->operand_count != 2 || op->result_count != 2 || !known(s, op, 1, &k) || k.n != 1)
        return false;
    const hlo_mlir_type *type = op->results[0].type;
    if (!hlo_mlir_is_static(type) || !type->rank || type->dims[type->rank - 1] != *k.v)
        return false;
    hlo_mlir_op *made = instead(s, op, HLO_MLIR_OP_CHLO_TOP_K, 1);
    hlo_mlir_set_attr(s->module, made, "k", hlo_mlir_int_new(s->module, *k.v));
    if (!hlo_mlir_number_of(op, "is_stable", true))
        hlo_mlir_set_attr(s->module, made, "is_stable", new_bool(s, false));
    return replace(s, op, made);
}

/* k becomes `top_k` of mhlo.backend_config. */
static bool approximate_top_k(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char name[] = "mhlo.backend_config";
    hlo_mlir_numbers k;
    const hlo_mlir_attr *config = hlo_mlir_attr_of(op, name);
    uint32_t last = op->operand_count - 1;
    if (op->operand_count < 3 || last % 2 || op->result_count != last / 2 || !config ||
        config->kind != HLO_MLIR_DICT || hlo_mlir_member(config, "top_k") ||
        !known(s, op, last, &k) || k.n != 1)
        return false;
    hlo_mlir_op *made = instead(s, op, op->id, last);
    copy_attrs(s, made, op);
    hlo_mlir_attr *target = HLO_NEW(&s->module->arena, hlo_mlir_attr);
    target->kind = HLO_MLIR_STRING;
    target->u.text = HLO_STR("ApproxTopK");
    hlo_mlir_attr *longer = hlo_arena_copy(&s->module->arena, config, sizeof *config);
    hlo_mlir_named *v = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_named, config->list.n + 1);
    if (config->list.n) memcpy(v, config->list.v, config->list.n * sizeof *v);
    v[config->list.n] =
        (hlo_mlir_named){HLO_STR("top_k"), hlo_mlir_int_new(s->module, *k.v), config->at.lo};
    longer->list = (hlo_mlir_list){config->list.n + 1, v};
    hlo_mlir_set_attr(s->module, made, "call_target_name", target);
    hlo_mlir_set_attr(s->module, made, name, longer);
    return replace(s, op, made);
}

/* ---- windows ---- */

/* The only function that the call names, or NULL. */
static hlo_mlir_op *called_by(hlo_simplifier *s, const hlo_mlir_op *op) {
    const hlo_mlir_attr *called = hlo_mlir_attr_of(op, "called_computations");
    if (!called || called->kind != HLO_MLIR_LIST || called->list.n != 1 ||
        called->list.v[0].value->kind != HLO_MLIR_SYMBOL)
        return NULL;
    return hlo_mlir_function_named(s->module, called->list.v[0].value->u.text);
}

/* The body of the function, whose return becomes one of StableHLO. */
static bool copy_body(hlo_simplifier *s, const hlo_mlir_op *function, hlo_mlir_op *to) {
    hlo_mlir_copy_region(s->module, &function->regions[0], &to->regions[0]);
    hlo_mlir_block *block = to->regions[0].first;
    hlo_mlir_op *end = block ? block->last : NULL;
    if (!end || end->id != HLO_MLIR_OP_FUNC_RETURN) return false;
    hlo_mlir_op *made =
        hlo_mlir_op_new(s->module, block, NULL, hlo_mlir_name_of(HLO_MLIR_OP_STABLEHLO_RETURN),
                        end->operand_count, 0, 0, 0);
    made->location = end->location;
    made->at = end->at;
    for (uint32_t i = 0; i < end->operand_count; i++)
        hlo_mlir_set_operand(made, i, hlo_mlir_operand(end, i));
    hlo_mlir_remove(end);
    return true;
}

static bool reduce_window(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char *const names[] = {"window_dimensions", "window_strides", "base_dilations",
                                        "window_dilations"};
    hlo_mlir_numbers lists[5];
    uint32_t n = op->operand_count;
    const hlo_mlir_op *function = called_by(s, op);
    if (!op->result_count || n != 2 * op->result_count + 5 || !function ||
        !function->region_count || !function->regions[0].first ||
        !function->regions[0].first->last ||
        function->regions[0].first->last->id != HLO_MLIR_OP_FUNC_RETURN)
        return false;
    for (uint32_t i = 0; i < 5; i++)
        if (!known(s, op, n - 5 + i, &lists[i])) return false;
    if (lists[4].n % 2) return false;
    hlo_arena *arena = &s->module->arena;
    const hlo_mlir_type **types = HLO_NEW_ARRAY(arena, const hlo_mlir_type *, op->result_count);
    hlo_mlir_value **values = HLO_NEW_ARRAY(arena, hlo_mlir_value *, n);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    for (uint32_t i = 0; i < n - 5; i++) values[i] = hlo_mlir_operand(op, i);
    hlo_mlir_op *made = hlo_simplify_new(s, HLO_MLIR_OP_STABLEHLO_REDUCE_WINDOW, op->location,
                                         op->result_count, types, n - 5, values, 1);
    made->at = op->at;
    for (uint32_t i = 0; i < 4; i++)
        hlo_simplify_set_ints(s, made, names[i], lists[i].n, lists[i].v);
    hlo_mlir_set_attr(s->module, made, "padding", pairs(s, lists[4]));
    bool has_body = copy_body(s, function, made);
    HLO_ASSERT(has_body);
    return has_body && replace(s, op, made);
}

static bool custom_call(hlo_simplifier *s, hlo_mlir_op *op) {
    if (without_sizes(s, op)) return true;
    if (hlo_refine_is_target(op, "stablehlo.dynamic_reduce_window")) return reduce_window(s, op);
    if (hlo_refine_is_target(op, "stablehlo.dynamic_rng_bit_generator")) return generator(s, op);
    if (hlo_refine_is_target(op, "stablehlo.dynamic_top_k")) return top_k(s, op);
    return hlo_refine_is_target(op, "stablehlo.dynamic_approx_top_k") && approximate_top_k(s, op);
}

/* ---- all ---- */

static bool apply(hlo_simplifier *s, hlo_mlir_op *op) {
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL: return custom_call(s, op);
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_BROADCAST_IN_DIM: return broadcast(s, op);
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_CONV: return convolution(s, op);
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_GATHER: return gather(s, op);
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_IOTA: return iota(s, op);
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_PAD: return pad(s, op);
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_RESHAPE: return reshape(s, op);
    case HLO_MLIR_OP_STABLEHLO_REAL_DYNAMIC_SLICE: return slice(s, op);
    default: return false;
    }
}

void hlo_refine_to_static(hlo_mlir_module *module, hlo_mlir_op *function) {
    static const hlo_simplify_plan plan = {apply, true, 2};
    hlo_simplify_function(module, function, &plan);
}
