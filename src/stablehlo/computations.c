/* Regions and bodies of functions as computations: parameters, instructions, the root. */
#include <stdio.h>

#include "ir/valid_name.h"
#include "stablehlo/convert.h"
#include "stablehlo/edit.h"

/* ---- blocks ---- */

static bool is_return(const hlo_mlir_op *op) {
    return op->id == HLO_MLIR_OP_FUNC_RETURN || op->id == HLO_MLIR_OP_STABLEHLO_RETURN ||
           op->id == HLO_MLIR_OP_MHLO_RETURN || op->id == HLO_MLIR_OP_SDY_RETURN;
}

/* A computation that is open, until finish. */
static hlo_computation *begin(hlo_stablehlo *s, hlo_str name) {
    hlo_computation *c = hlo_computation_new(
        s->module, hlo_module_intern_copy(s->module, hlo_valid_name(s->arena, name)));
    s->computation = c;
    return c;
}

/* Computations are numbered in the order in which they end; names are made unique a second time. */
static bool finish(hlo_stablehlo *s, hlo_computation *c, hlo_instr *root) {
    c->root = root ? root : c->last;
    if (!c->root) return hlo_stablehlo_fail(s, HLO_RULE_ROOT, "there is nothing in it") != NULL;
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_bytes(&name, c->name->ptr, c->name->len);
    hlo_buf_char(&name, '.');
    hlo_buf_int(&name, ++s->computations);
    c->name = hlo_module_intern_copy(s->module, (hlo_str){name.data, (uint32_t)name.len, 0});
    hlo_buf_free(&name);
    for (hlo_instr *i = c->first; i; i = i->next) {
        i->name = hlo_next_name(s->names, i->name);
        i->name->uses = 1;
    }
    hlo_computation_index_parameters(c);
    hlo_computation_move_last(c);
    return true;
}

/* The shardings of a function's results, of which some may be NULL; NULL: none has one. The text is
 * that of a tuple of them, in which `replicated` stands for those that have none. */
static const hlo_sharding **result_shardings(hlo_stablehlo *s, const hlo_mlir_op *op,
                                             const hlo_sharding **of_tuple) {
    const hlo_mlir_op *function = op->block->region->op;
    if (op->id != HLO_MLIR_OP_FUNC_RETURN) return NULL;
    const hlo_sharding **all = HLO_NEW_ARRAY(s->arena, const hlo_sharding *, op->operand_count);
    hlo_buf text = HLO_BUF_INIT;
    bool any = false;
    hlo_buf_char(&text, '{');
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const hlo_mlir_attr *attr =
            hlo_stablehlo_argument_attr(function, "res_attrs", i, "mhlo.sharding");
        all[i] = hlo_stablehlo_sharding_of(s, attr);
        hlo_stablehlo_refuse_shardy(
            s, hlo_stablehlo_argument_attr(function, "res_attrs", i, "sdy.sharding"), "a result");
        any |= all[i] != NULL;
        if (i) hlo_buf_cstr(&text, ", ");
        hlo_str own = all[i] ? hlo_mlir_text_of(attr) : HLO_STR("{replicated}");
        bool is_tuple = own.len > 2 && own.ptr[0] == '{' && own.ptr[1] == '{';
        hlo_buf_bytes(&text, own.ptr + is_tuple, own.len - 2 * is_tuple);
    }
    hlo_buf_char(&text, '}');
    if (any) {
        hlo_mlir_attr whole = {.kind = HLO_MLIR_STRING};
        whole.u.text = hlo_stablehlo_keep(s, (hlo_str){text.data, (uint32_t)text.len, 0});
        *of_tuple = hlo_stablehlo_sharding_of(s, &whole);
    }
    hlo_buf_free(&text);
    return any && !s->failed ? all : NULL;
}

/* A reshape to the shape that the result has already; XLA leaves it unused. */
static bool reshape_result(hlo_stablehlo *s, hlo_instr *value, const hlo_sharding *sharding) {
    s->carried = (hlo_carried){.sharding = sharding};
    if (!hlo_shape_is_array(value->shape)) return true;
    return hlo_stablehlo_make_of(s, HLO_OP_RESHAPE, value->shape, &value, 1) != NULL;
}

static hlo_instr *returned_with_shardings(hlo_stablehlo *s, hlo_instr **values, uint32_t n,
                                          const hlo_sharding *const *shardings,
                                          const hlo_sharding *of_tuple) {
    bool is_main = hlo_str_is(
        hlo_mlir_word_of(hlo_mlir_attr_of(s->op->block->region->op, "sym_name")), "main");
    if (n == 1) {
        const hlo_attr *own = hlo_instr_attr(values[0], HLO_ATTR_SHARDING);
        if (own) s->carried.sharding = own->u.sharding;
        hlo_instr *tuple = hlo_stablehlo_tuple(s, values, 1);
        s->carried.sharding = shardings[0];
        return hlo_stablehlo_element(s, tuple, 0);
    }
    for (uint32_t i = 0; i < n && is_main; i++)
        if (!reshape_result(s, values[i], shardings[i])) return NULL;
    s->carried.sharding = of_tuple;
    return hlo_stablehlo_tuple(s, values, n);
}

/* The value of the block's return: its only operand, or a tuple of all. */
static hlo_instr *returned(hlo_stablehlo *s, const hlo_mlir_op *op, hlo_mlir_value *const *captured,
                           uint32_t n) {
    uint32_t count = op->operand_count + n;
    s->op = op;
    s->carried = (hlo_carried){0};
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, count);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!(values[i] = hlo_stablehlo_operand(s, i))) return NULL;
    for (uint32_t i = 0; i < n; i++) values[op->operand_count + i] = captured[i]->made;
    const hlo_sharding *of_tuple = NULL, **shardings = result_shardings(s, op, &of_tuple);
    if (s->failed) return NULL;
    if (shardings && !n) return returned_with_shardings(s, values, count, shardings, of_tuple);
    return count == 1 ? values[0] : hlo_stablehlo_tuple(s, values, count);
}

static hlo_instr *convert_block(hlo_stablehlo *s, const hlo_mlir_block *block,
                                hlo_mlir_value *const *captured, uint32_t n) {
    for (const hlo_mlir_op *op = block->first; op; op = op->next) {
        if (is_return(op)) return returned(s, op, captured, n);
        if (!hlo_stablehlo_convert_op(s, op)) return NULL;
    }
    return hlo_stablehlo_fail(s, HLO_RULE_ROOT, "the block has no return");
}

static const hlo_mlir_block *only_block(hlo_stablehlo *s, const hlo_mlir_region *region) {
    if (!region->first || region->first->next)
        return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "a region has one block");
    return region->first;
}

/* ---- parameters ---- */

/* The file's name of a path, as XLA's builder names a parameter: by the debug name of its place. */
static const hlo_mlir_location *location_of(const hlo_mlir_value *value) {
    return value->op ? value->op->location : value->location;
}

/* `number` -1: without a number. */
static hlo_str parameter_name(hlo_stablehlo *s, const hlo_mlir_value *argument, int64_t number) {
    hlo_str name = hlo_stablehlo_debug_name(s, location_of(argument));
    for (uint32_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/') {
            name = (hlo_str){name.ptr + i, name.len - i, 0};
            break;
        }
    if (name.len) return hlo_stablehlo_plain_name(s, name);
    char text[48];
    int n = number < 0 ? snprintf(text, sizeof text, "Arg_")
                       : snprintf(text, sizeof text, "Arg_%lld", (long long)number);
    return (hlo_str){hlo_arena_copy(s->arena, text, (size_t)n), (uint32_t)n, 0};
}

static const hlo_metadata *parameter_metadata(hlo_stablehlo *s, const hlo_mlir_value *argument) {
    hlo_str name = hlo_stablehlo_debug_name(s, location_of(argument));
    if (!name.len) return NULL;
    hlo_metadata *metadata = HLO_NEW(s->arena, hlo_metadata);
    metadata->op_name = name;
    return metadata;
}

static hlo_instr *parameter(hlo_stablehlo *s, int64_t number, const hlo_shape *shape,
                            hlo_str name) {
    hlo_stablehlo_push_int(s, HLO_ATTR_PARAMETER_NUMBER, number);
    return hlo_stablehlo_named(s, HLO_OP_PARAMETER, shape, name);
}

/* `number` -1: it is the only parameter of a body, whose name has no number. */
static bool argument_parameter(hlo_stablehlo *s, hlo_mlir_value *argument, int64_t number,
                               const hlo_sharding *sharding, const hlo_frontend *frontend) {
    s->carried = (hlo_carried){parameter_metadata(s, argument), sharding, frontend};
    argument->made = parameter(s, number < 0 ? 0 : number, hlo_stablehlo_shape(s, argument->type),
                               parameter_name(s, argument, number));
    hlo_instr *made = argument->made;
    if (made && argument->at)
        made->at = (hlo_span){argument->at, argument->at + argument->name.len + 1};
    return made != NULL;
}

/* Which arrays of the parameter that is made next are equal on all replicas. */
static void push_replication(hlo_stablehlo *s, const hlo_mlir_attr *attr) {
    hlo_int_view v;
    if (attr && attr->kind == HLO_MLIR_LIST && hlo_mlir_ints(s->tree, attr, &v.n, &v.v) && v.n == 1)
        hlo_stablehlo_push_ints(s, HLO_ATTR_PARAMETER_REPLICATION, v);
}

/* With what the function's list has for it: sharding, frontend attributes, replication. */
static bool function_parameter(hlo_stablehlo *s, const hlo_mlir_op *function, uint32_t i) {
    const char *const list = "arg_attrs";
    const hlo_sharding *sharding = hlo_stablehlo_sharding_of(
        s, hlo_stablehlo_argument_attr(function, list, i, "mhlo.sharding"));
    const hlo_frontend *frontend = hlo_stablehlo_frontend_of(
        s, hlo_stablehlo_argument_attr(function, list, i, "mhlo.frontend_attributes"));
    push_replication(s,
                     hlo_stablehlo_argument_attr(function, list, i, "mhlo.parameter_replication"));
    return !s->failed &&
           hlo_stablehlo_refuse_shardy(
               s, hlo_stablehlo_argument_attr(function, list, i, "sdy.sharding"), "an argument") &&
           argument_parameter(s, &function->regions[0].first->arguments[i], i, sharding, frontend);
}

/* ---- computations ---- */

/* The enclosing state while a region is converted. */
typedef struct {
    hlo_computation *computation;
    const hlo_mlir_op *op;
    hlo_carried carried;
} outer_state;

static outer_state enter(hlo_stablehlo *s) {
    outer_state outer = {s->computation, s->op, s->carried};
    if (++s->depth > 500)
        hlo_stablehlo_fail(s, HLO_RULE_NESTING, "regions and calls nest too deep");
    s->attrs.n = s->operands.n = 0;
    return outer;
}

static void leave(hlo_stablehlo *s, outer_state outer) {
    s->depth--;
    s->computation = outer.computation;
    s->op = outer.op;
    s->carried = outer.carried;
}

static hlo_str region_name(hlo_stablehlo *s) {
    char text[32];
    int n = snprintf(text, sizeof text, "region_%u", s->regions++);
    return (hlo_str){hlo_arena_copy(s->arena, text, (size_t)n), (uint32_t)n, 0};
}

hlo_computation *hlo_stablehlo_function_body(hlo_stablehlo *s, const hlo_mlir_op *function,
                                             hlo_str name) {
    HLO_ASSERT(function->id == HLO_MLIR_OP_FUNC_FUNC && function->region_count == 1);
    outer_state outer = enter(s);
    s->op = function;
    const hlo_mlir_block *block = s->failed ? NULL : only_block(s, &function->regions[0]);
    hlo_computation *c = block ? begin(s, name) : NULL;
    bool good = c != NULL;
    for (uint32_t i = 0; good && i < block->argument_count; i++)
        good = function_parameter(s, function, i);
    hlo_instr *root = good ? convert_block(s, block, NULL, 0) : NULL;
    good = root && finish(s, c, root);
    leave(s, outer);
    return good ? c : NULL;
}

hlo_computation *hlo_stablehlo_region(hlo_stablehlo *s, const hlo_mlir_region *region) {
    const hlo_mlir_block *block = only_block(s, region);
    if (!block) return NULL;
    outer_state outer = enter(s);
    hlo_computation *c = begin(s, region_name(s));
    bool good = !s->failed;
    for (uint32_t i = 0; i < block->argument_count && good; i++)
        good = argument_parameter(s, &block->arguments[i], i, NULL, NULL);
    hlo_instr *root = good ? convert_block(s, block, NULL, 0) : NULL;
    good = root && finish(s, c, root);
    leave(s, outer);
    return good ? c : NULL;
}

/* Parameters of a body with one: none, a value, or a tuple of values. */
static bool body_parameters(hlo_stablehlo *s, const hlo_mlir_block *block,
                            hlo_mlir_value *const *captured, uint32_t n) {
    uint32_t count = block->argument_count + n;
    s->carried = (hlo_carried){0};
    if (count == 0)
        return parameter(s, 0, hlo_shape_tuple(&s->module->shapes, NULL, 0),
                         HLO_STR("arg_empty_tuple")) != NULL;
    hlo_mlir_value **values = HLO_NEW_ARRAY(s->arena, hlo_mlir_value *, count);
    for (uint32_t i = 0; i < count; i++)
        values[i] =
            i < block->argument_count ? &block->arguments[i] : captured[i - block->argument_count];
    if (count == 1) return argument_parameter(s, values[0], -1, NULL, NULL);
    const hlo_shape **shapes = HLO_NEW_ARRAY(s->arena, const hlo_shape *, count);
    for (uint32_t i = 0; i < count; i++)
        if (!(shapes[i] = hlo_stablehlo_shape(s, values[i]->type))) return false;
    hlo_instr *tuple =
        parameter(s, 0, hlo_shape_tuple(&s->module->shapes, shapes, count), HLO_STR("arg_tuple"));
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i]->made = hlo_stablehlo_element(s, tuple, i))) return false;
    return true;
}

hlo_computation *hlo_stablehlo_body(hlo_stablehlo *s, const hlo_mlir_region *region,
                                    hlo_mlir_value *const *captured, uint32_t n,
                                    bool returns_captured) {
    const hlo_mlir_block *block = only_block(s, region);
    if (!block) return NULL;
    outer_state outer = enter(s);
    hlo_computation *c = begin(s, region_name(s));
    void **outside = HLO_NEW_ARRAY(s->arena, void *, n);
    for (uint32_t i = 0; i < n; i++) outside[i] = captured[i]->made;
    hlo_instr *root = NULL;
    if (!s->failed && body_parameters(s, block, captured, n))
        root = convert_block(s, block, captured, returns_captured ? n : 0);
    bool good = root && finish(s, c, root);
    for (uint32_t i = 0; i < n; i++) captured[i]->made = outside[i];
    leave(s, outer);
    return good ? c : NULL;
}

bool hlo_stablehlo_has_regions(hlo_stablehlo *s, uint32_t n) {
    return s->op->region_count == n ||
           hlo_stablehlo_fail(s, HLO_RULE_SYNTAX, "it has %u regions, %u are needed",
                              s->op->region_count, n) != NULL;
}

/* The region is lowered before operands are looked at, as XLA numbers names. */
bool hlo_stablehlo_push_region(hlo_stablehlo *s, hlo_attr_id id) {
    if (!hlo_stablehlo_has_regions(s, 1)) return false;
    hlo_computation *c = hlo_stablehlo_region(s, &s->op->regions[0]);
    if (c) hlo_stablehlo_push_computation(s, id, c);
    return c != NULL;
}
