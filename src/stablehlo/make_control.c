/* Calls, conditionals, loops, tuples, custom calls, composites, transfers to and from the host. */
#include "stablehlo/convert.h"

#include <stdio.h>

#include "base/buf.h"

/* ---- calls ---- */

/* XLA takes a frontend attribute `backend_config` of a call for its configuration. */
static void push_config_of_call(hlo_stablehlo *s) {
    const hlo_frontend *all = s->carried.frontend;
    for (uint32_t i = 0; all && i < all->n; i++) {
        if (!hlo_str_is(all->v[i].key, "backend_config")) continue;
        size_t each = sizeof all->v[0];
        hlo_frontend *others = hlo_arena_copy(s->arena, all, sizeof *all + all->n * each);
        others->n--;
        memmove(others->v + i, all->v + i + 1, (others->n - i) * each);
        s->carried.frontend = others->n ? others : NULL;
        hlo_stablehlo_push_text(s, HLO_ATTR_BACKEND_CONFIG, all->v[i].value);
        return;
    }
}

bool hlo_shlo_call(hlo_stablehlo *s) {
    hlo_str callee;
    if (!hlo_stablehlo_text(s, "callee", &callee)) return false;
    hlo_computation *c = hlo_stablehlo_function_of(s, callee);
    if (!c) return false;
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_stablehlo_push_computation(s, HLO_ATTR_TO_APPLY, c);
    push_config_of_call(s);
    hlo_stablehlo_push_operands(s);
    return hlo_stablehlo_set_results(s, hlo_stablehlo_make(s, HLO_OP_CALL, shape));
}

bool hlo_shlo_composite(hlo_stablehlo *s) {
    hlo_str name, callee;
    int64_t version;
    if (!hlo_stablehlo_text(s, "name", &name) || !hlo_stablehlo_text(s, "decomposition", &callee) ||
        !hlo_stablehlo_optional_int(s, "version", 0, &version))
        return false;
    hlo_computation *c = hlo_stablehlo_copy_of(s, callee);
    if (!c) return false;
    const hlo_mlir_attr *attributes = hlo_stablehlo_attr(s, "composite_attributes");
    hlo_buf text = HLO_BUF_INIT;
    if (attributes) hlo_mlir_print_attr(&text, attributes);
    else hlo_buf_cstr(&text, "{}");
    hlo_frontend *frontend =
        hlo_arena_alloc(s->arena, sizeof *frontend + 3 * sizeof frontend->v[0]);
    char number[24];
    int digits = snprintf(number, sizeof number, "%lld", (long long)version);
    frontend->n = 3;
    frontend->v[0] = (hlo_frontend_entry){
        HLO_STR("composite.attributes"),
        {hlo_arena_copy(s->arena, text.data, text.len), (uint32_t)text.len, 0}};
    frontend->v[1] = (hlo_frontend_entry){
        HLO_STR("composite.name"), {hlo_arena_copy(s->arena, name.ptr, name.len), name.len, 0}};
    frontend->v[2] = (hlo_frontend_entry){
        HLO_STR("composite.version"),
        {hlo_arena_copy(s->arena, number, (size_t)digits), (uint32_t)digits, 0}};
    hlo_buf_free(&text);
    s->carried = (hlo_carried){.frontend = frontend}; /* XLA gives it nothing else */
    hlo_stablehlo_push_computation(s, HLO_ATTR_TO_APPLY, c);
    hlo_stablehlo_push_int(s, HLO_ATTR_IS_COMPOSITE, 1);
    hlo_stablehlo_push_operands(s);
    hlo_instr *made = hlo_stablehlo_make(s, HLO_OP_CALL, hlo_stablehlo_result_shape(s, s->op));
    s->carried = (hlo_carried){0};
    return hlo_stablehlo_set_results(s, made);
}

/* ---- conditionals and loops ---- */

/* The operand of a branch: nothing, a value, or a tuple of values. */
static hlo_instr *branch_operand(hlo_stablehlo *s, hlo_mlir_value *const *captured, uint32_t n) {
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, n);
    for (uint32_t i = 0; i < n; i++) values[i] = captured[i]->made;
    if (n == 1) return values[0];
    return hlo_stablehlo_tuple(s, values, n);
}

bool hlo_shlo_if(hlo_stablehlo *s) {
    hlo_mlir_value **captured[2];
    uint32_t n[2];
    hlo_computation *branches[2];
    if (!hlo_stablehlo_has_regions(s, 2)) return false;
    for (int i = 0; i < 2; i++)
        n[i] = hlo_stablehlo_captured(s, &s->op->regions[i], 1, &captured[i]);
    for (int i = 0; i < 2; i++)
        if (!(branches[i] = hlo_stablehlo_body(s, &s->op->regions[i], captured[i], n[i], false)))
            return false;
    hlo_instr *operands[3] = {hlo_stablehlo_operand(s, 0), NULL, NULL};
    for (int i = 0; i < 2; i++) operands[i + 1] = branch_operand(s, captured[i], n[i]);
    hlo_stablehlo_push_computation(s, HLO_ATTR_TRUE_COMPUTATION, branches[0]);
    hlo_stablehlo_push_computation(s, HLO_ATTR_FALSE_COMPUTATION, branches[1]);
    return hlo_stablehlo_set_results(s, hlo_stablehlo_make_of(s, HLO_OP_CONDITIONAL,
                                                              hlo_stablehlo_result_shape(s, s->op),
                                                              operands, 3));
}

bool hlo_shlo_case(hlo_stablehlo *s) {
    uint32_t n = s->op->region_count;
    hlo_computations *branches =
        hlo_arena_alloc(s->arena, sizeof *branches + n * sizeof branches->v[0]);
    hlo_instr **operands = HLO_NEW_ARRAY(s->arena, hlo_instr *, n + 1);
    branches->n = n;
    for (uint32_t i = 0; i < n; i++) {
        hlo_mlir_value **captured;
        uint32_t count = hlo_stablehlo_captured(s, &s->op->regions[i], 1, &captured);
        if (!(operands[i + 1] = branch_operand(s, captured, count)) ||
            !(branches->v[i] = hlo_stablehlo_body(s, &s->op->regions[i], captured, count, false)))
            return false;
    }
    if (!(operands[0] = hlo_stablehlo_operand(s, 0))) return false;
    hlo_stablehlo_push_any(s, HLO_ATTR_BRANCH_COMPUTATIONS, branches);
    return hlo_stablehlo_set_results(s, hlo_stablehlo_make_of(s, HLO_OP_CONDITIONAL,
                                                              hlo_stablehlo_result_shape(s, s->op),
                                                              operands, n + 1));
}

/* Values that the regions use from outside become operands and results of the loop. Region 0 is the
 * condition, and the body is lowered first. */
bool hlo_shlo_while(hlo_stablehlo *s) {
    hlo_mlir_value **captured;
    if (!hlo_stablehlo_has_regions(s, 2)) return false;
    uint32_t n = hlo_stablehlo_captured(s, s->op->regions, 2, &captured);
    hlo_computation *body = hlo_stablehlo_body(s, &s->op->regions[1], captured, n, true);
    hlo_computation *condition =
        body ? hlo_stablehlo_body(s, &s->op->regions[0], captured, n, false) : NULL;
    if (!condition) return false;
    uint32_t count = s->op->operand_count + n;
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, count);
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!(values[i] = hlo_stablehlo_operand(s, i))) return false;
    for (uint32_t i = 0; i < n; i++) values[s->op->operand_count + i] = captured[i]->made;
    if (count == 0)
        return hlo_stablehlo_refuse_value(s, "a loop has operands, or uses values from outside");
    hlo_instr *init = count == 1 ? values[0] : hlo_stablehlo_tuple(s, values, count);
    if (!init) return false;
    hlo_stablehlo_push_computation(s, HLO_ATTR_CONDITION, condition);
    hlo_stablehlo_push_computation(s, HLO_ATTR_BODY, body);
    hlo_instr *made = hlo_stablehlo_make_of(s, HLO_OP_WHILE, init->shape, &init, 1);
    if (count == 1) return made && (!s->op->result_count || hlo_stablehlo_set_result(s, made));
    return hlo_stablehlo_set_elements(s, made);
}

/* ---- tuples, barriers ---- */

bool hlo_shlo_tuple(hlo_stablehlo *s) {
    hlo_stablehlo_push_operands(s);
    return hlo_stablehlo_set_result(
        s, hlo_stablehlo_make(s, HLO_OP_TUPLE, hlo_stablehlo_result_shape(s, s->op)));
}

bool hlo_shlo_get_tuple_element(hlo_stablehlo *s) {
    int64_t index;
    hlo_instr *tuple = hlo_stablehlo_operand(s, 0);
    if (!tuple || !hlo_stablehlo_int(s, "index", &index)) return false;
    if (!hlo_shape_is_tuple(tuple->shape) || index < 0 || index >= tuple->shape->rank)
        return hlo_stablehlo_refuse_value(s, "the index is beyond the elements of the tuple");
    return hlo_stablehlo_set_result(s, hlo_stablehlo_element(s, tuple, index));
}

bool hlo_shlo_optimization_barrier(hlo_stablehlo *s) {
    uint32_t n = s->op->operand_count;
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, n);
    if (!n) return true;
    for (uint32_t i = 0; i < n; i++)
        if (!(values[i] = hlo_stablehlo_operand(s, i))) return false;
    hlo_instr *operand = n == 1 ? values[0] : hlo_stablehlo_tuple(s, values, n);
    hlo_instr *made =
        operand ? hlo_stablehlo_make_of(s, HLO_OP_OPT_BARRIER, operand->shape, &operand, 1) : NULL;
    return hlo_stablehlo_set_results(s, made);
}

bool hlo_shlo_create_token(hlo_stablehlo *s) {
    return hlo_stablehlo_set_result(
        s,
        hlo_stablehlo_make_of(s, HLO_OP_AFTER_ALL, hlo_shape_token(&s->module->shapes), NULL, 0));
}

/* ---- custom calls ---- */

/* backend_config: a text, or for the typed interface a dictionary, which is printed. */
static void push_config(hlo_stablehlo *s, int64_t version) {
    const hlo_mlir_attr *config = hlo_stablehlo_attr(s, "backend_config");
    hlo_buf text = HLO_BUF_INIT;
    if (!config) return;
    if (version == 4 && config->kind == HLO_MLIR_DICT) hlo_mlir_print_attr(&text, config);
    if (version != 4 && config->kind == HLO_MLIR_STRING)
        hlo_buf_str(&text, hlo_mlir_text_of(config));
    if (text.len)
        hlo_stablehlo_push_text(s, HLO_ATTR_BACKEND_CONFIG,
                                (hlo_str){text.data, (uint32_t)text.len, 0});
    hlo_buf_free(&text);
}

static const hlo_shape *with_layout(hlo_stablehlo *s, const hlo_shape *shape,
                                    const hlo_mlir_attr *order) {
    hlo_int_view v;
    if (!hlo_shape_is_array(shape)) return shape;
    if (!hlo_mlir_ints(s->tree, order, &v.n, &v.v) || v.n != shape->rank)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "a layout lists the dimensions of its array");
    return hlo_shape_array(&s->module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                           shape->is_dynamic, v.v, NULL);
}

static const hlo_shape *result_with_layouts(hlo_stablehlo *s, const hlo_shape *shape,
                                            const hlo_mlir_attr *layouts) {
    if (!hlo_shape_is_tuple(shape))
        return layouts->list.n == 1 ? with_layout(s, shape, layouts->list.v[0].value) : NULL;
    if (layouts->list.n != shape->rank)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "result_layouts has a layout for each result");
    const hlo_shape **parts = HLO_NEW_ARRAY(s->arena, const hlo_shape *, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!(parts[i] = with_layout(s, shape->elements[i], layouts->list.v[i].value))) return NULL;
    return hlo_shape_tuple(&s->module->shapes, parts, shape->rank);
}

static bool push_operand_layouts(hlo_stablehlo *s, const hlo_mlir_attr *layouts) {
    uint32_t n = s->op->operand_count;
    if (layouts->list.n != n)
        return hlo_stablehlo_refuse_value(s, "operand_layouts has a layout for each operand");
    hlo_shapes *shapes = hlo_arena_alloc(s->arena, sizeof *shapes + n * sizeof shapes->v[0]);
    shapes->n = n;
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *operand = hlo_stablehlo_operand(s, i);
        if (!operand || !(shapes->v[i] = with_layout(s, operand->shape, layouts->list.v[i].value)))
            return false;
    }
    hlo_stablehlo_push_any(s, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS, shapes);
    return true;
}

static bool push_aliases(hlo_stablehlo *s) {
    const hlo_mlir_attr *list = hlo_stablehlo_attr(s, "output_operand_aliases");
    if (!list || !list->list.n) return true;
    hlo_aliasing *aliases =
        hlo_arena_zero(s->arena, sizeof *aliases + list->list.n * sizeof aliases->v[0]);
    aliases->n = list->list.n;
    for (uint32_t i = 0; i < aliases->n; i++) {
        const hlo_mlir_attr *alias = list->list.v[i].value;
        hlo_int_view output, index;
        if (!hlo_stablehlo_member_ints(s, alias, "output_tuple_indices", &output) ||
            !hlo_stablehlo_member_ints(s, alias, "operand_tuple_indices", &index))
            return false;
        aliases->v[i].output = hlo_ints_from(s->arena, output.v, output.n);
        aliases->v[i].parameter = hlo_stablehlo_member_int(alias, "operand_index", 0);
        aliases->v[i].index = hlo_ints_from(s->arena, index.v, index.n);
    }
    hlo_stablehlo_push_any(s, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING, aliases);
    return true;
}

static hlo_computation *called(hlo_stablehlo *s, bool *good) {
    const hlo_mlir_attr *list = hlo_stablehlo_attr(s, "called_computations");
    if (!list || !list->list.n) return NULL;
    *good = list->list.n == 1 && list->list.v[0].value->kind == HLO_MLIR_SYMBOL;
    if (!*good)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "called_computations names one function");
    hlo_computation *c = hlo_stablehlo_function_of(s, hlo_mlir_text_of(list->list.v[0].value));
    *good = c != NULL;
    return c;
}

/* That of mhlo has one. */
static bool push_schedule(hlo_stablehlo *s) {
    hlo_str word;
    if (!hlo_stablehlo_attr(s, "custom_call_schedule")) return true;
    if (!hlo_stablehlo_word(s, "custom_call_schedule", &word)) return false;
    if (hlo_str_is(word, "LATEST")) hlo_stablehlo_push_int(s, HLO_ATTR_SCHEDULE, 1);
    else if (hlo_str_is(word, "EARLIEST")) hlo_stablehlo_push_int(s, HLO_ATTR_SCHEDULE, 2);
    return true;
}

bool hlo_shlo_custom_call(hlo_stablehlo *s) {
    hlo_str target;
    int64_t version;
    bool has_side_effect, good = true;
    if (!hlo_stablehlo_text(s, "call_target_name", &target) ||
        !hlo_stablehlo_optional_int(s, "api_version", 1, &version) ||
        !hlo_stablehlo_optional_bool(s, "has_side_effect", false, &has_side_effect))
        return false;
    hlo_computation *c = called(s, &good);
    if (!good) return false;
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    const hlo_mlir_attr *operand_layouts = hlo_stablehlo_attr(s, "operand_layouts"),
                        *result_layouts = hlo_stablehlo_attr(s, "result_layouts");
    if (!shape) return false;
    hlo_stablehlo_push_text(s, HLO_ATTR_CUSTOM_CALL_TARGET, target);
    if (operand_layouts && result_layouts &&
        (!push_operand_layouts(s, operand_layouts) ||
         !(shape = result_with_layouts(s, shape, result_layouts))))
        return false;
    if (c) {
        hlo_computations *list = hlo_arena_alloc(s->arena, sizeof *list + sizeof list->v[0]);
        list->n = 1;
        list->v[0] = c;
        hlo_stablehlo_push_any(s, HLO_ATTR_CALLED_COMPUTATIONS, list);
    }
    hlo_stablehlo_push_flag(s, HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT, has_side_effect);
    if (!push_schedule(s) || !push_aliases(s)) return false;
    if (version != 1) hlo_stablehlo_push_int(s, HLO_ATTR_API_VERSION, version);
    push_config(s, version);
    hlo_stablehlo_push_operands(s);
    hlo_instr *made = hlo_stablehlo_make(s, HLO_OP_CUSTOM_CALL, shape);
    bool is_between = hlo_str_is(target, "xla.sdy.GlobalToLocalShape") ||
                      hlo_str_is(target, "xla.sdy.LocalToGlobalShape");
    if (is_between) s->carried.frontend = NULL; /* XLA leaves it out at the elements */
    return hlo_stablehlo_set_results(s, made);
}

/* ---- host ---- */

static hlo_str optional_text(hlo_stablehlo *s, const char *name) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    return attr && attr->kind == HLO_MLIR_STRING ? hlo_mlir_text_of(attr) : (hlo_str){0};
}

/* Results but the last one, which is a token. */
static const hlo_shape *data_shape(hlo_stablehlo *s, bool bare_if_one) {
    uint32_t n = s->op->result_count - 1;
    const hlo_shape **parts = HLO_NEW_ARRAY(s->arena, const hlo_shape *, n);
    for (uint32_t i = 0; i < n; i++)
        if (!(parts[i] = hlo_stablehlo_shape(s, s->op->results[i].type))) return NULL;
    return n == 1 && bare_if_one ? parts[0] : hlo_shape_tuple(&s->module->shapes, parts, n);
}

static const hlo_shape *with_token(hlo_stablehlo *s, const hlo_shape *data) {
    const hlo_shape *parts[2] = {data, hlo_shape_token(&s->module->shapes)};
    return data ? hlo_shape_tuple(&s->module->shapes, parts, 2) : NULL;
}

bool hlo_shlo_infeed(hlo_stablehlo *s) {
    hlo_str config = optional_text(s, "infeed_config");
    if (!s->op->result_count) return hlo_stablehlo_refuse_value(s, "its last result is a token");
    const hlo_shape *data = data_shape(s, false);
    const hlo_mlir_attr *layout = hlo_stablehlo_attr(s, "layout");
    hlo_instr *token = hlo_stablehlo_operand(s, 0);
    if (!data || !token) return false;
    if (layout && layout->kind == HLO_MLIR_LIST && layout->list.n)
        data = hlo_stablehlo_laid_out(s, data,
                                      hlo_shape_is_tuple(data) ? layout : layout->list.v[0].value);
    if (config.len) hlo_stablehlo_push_text(s, HLO_ATTR_INFEED_CONFIG, config);
    hlo_instr *made = hlo_stablehlo_make_of(s, HLO_OP_INFEED, with_token(s, data), &token, 1);
    uint32_t last = s->op->result_count - 1;
    if (last) {
        hlo_instr *tuple = hlo_stablehlo_element(s, made, 0);
        for (uint32_t i = 0; tuple && i < last; i++)
            s->op->results[i].made = hlo_stablehlo_element(s, tuple, i);
    }
    return (s->op->results[last].made = hlo_stablehlo_element(s, made, 1)) != NULL;
}

bool hlo_shlo_outfeed(hlo_stablehlo *s) {
    hlo_str config = optional_text(s, "outfeed_config");
    uint32_t n = s->op->operand_count - 1;
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, s->op->operand_count);
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!(values[i] = hlo_stablehlo_operand(s, i))) return false;
    hlo_instr *operands[2] = {hlo_stablehlo_tuple(s, values, n), values[n]};
    if (!operands[0]) return false;
    if (config.len) hlo_stablehlo_push_text(s, HLO_ATTR_OUTFEED_CONFIG, config);
    hlo_stablehlo_push_any(s, HLO_ATTR_OUTFEED_SHAPE, operands[0]->shape);
    return hlo_stablehlo_set_result(
        s,
        hlo_stablehlo_make_of(s, HLO_OP_OUTFEED, hlo_shape_token(&s->module->shapes), operands, 2));
}

static int64_t channel(const hlo_stablehlo *s) {
    return hlo_stablehlo_member_int(hlo_mlir_attr_of(s->op, "channel_handle"), "handle", 0);
}

/* (data, u32[], token[]) */
static const hlo_shape *transfer_shape(hlo_stablehlo *s, const hlo_shape *data) {
    const hlo_shape *parts[3] = {data, hlo_shape_scalar(&s->module->shapes, HLO_U32),
                                 hlo_shape_token(&s->module->shapes)};
    return data ? hlo_shape_tuple(&s->module->shapes, parts, 3) : NULL;
}

static void push_transfer(hlo_stablehlo *s, bool is_host) {
    if (channel(s)) hlo_stablehlo_push_int(s, HLO_ATTR_CHANNEL_ID, channel(s));
    hlo_stablehlo_push_flag(s, HLO_ATTR_IS_HOST_TRANSFER, is_host);
}

bool hlo_shlo_send(hlo_stablehlo *s) {
    bool is_host;
    if (!hlo_stablehlo_optional_bool(s, "is_host_transfer", false, &is_host)) return false;
    uint32_t n = s->op->operand_count - 1;
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, s->op->operand_count);
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!(values[i] = hlo_stablehlo_operand(s, i))) return false;
    hlo_instr *operands[2] = {n == 1 ? values[0] : hlo_stablehlo_tuple(s, values, n), values[n]};
    if (!operands[0]) return false;
    push_transfer(s, is_host);
    hlo_instr *send =
        hlo_stablehlo_make_of(s, HLO_OP_SEND, transfer_shape(s, operands[0]->shape), operands, 2);
    push_transfer(s, is_host);
    return hlo_stablehlo_set_result(
        s,
        hlo_stablehlo_make_of(s, HLO_OP_SEND_DONE, hlo_shape_token(&s->module->shapes), &send, 1));
}

bool hlo_shlo_recv(hlo_stablehlo *s) {
    bool is_host;
    if (!hlo_stablehlo_optional_bool(s, "is_host_transfer", false, &is_host)) return false;
    if (!s->op->result_count) return hlo_stablehlo_refuse_value(s, "its last result is a token");
    const hlo_shape *data = data_shape(s, true);
    hlo_instr *token = hlo_stablehlo_operand(s, 0);
    push_transfer(s, is_host);
    hlo_instr *recv = hlo_stablehlo_make_of(s, HLO_OP_RECV, transfer_shape(s, data), &token, 1);
    push_transfer(s, is_host);
    hlo_instr *done = hlo_stablehlo_make_of(s, HLO_OP_RECV_DONE, with_token(s, data), &recv, 1);
    hlo_instr *value = hlo_stablehlo_element(s, done, 0);
    uint32_t last = s->op->result_count - 1;
    if (last == 1) s->op->results[0].made = value;
    for (uint32_t i = 0; value && last > 1 && i < last; i++)
        s->op->results[i].made = hlo_stablehlo_element(s, value, i);
    return (s->op->results[last].made = hlo_stablehlo_element(s, done, 1)) != NULL;
}
