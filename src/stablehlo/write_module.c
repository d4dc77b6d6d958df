/* Attributes of the module, of functions, their arguments and results. */
#include "stablehlo/write.h"

/* ---- the module ---- */

static void set(hlo_sw *w, const char *name, const hlo_mlir_attr *value) {
    hlo_mlir_set_attr(w->tree, w->tree->root, name, value);
}

/* [{output_index = ..., alias = {...}}, ...] */
static const hlo_mlir_attr *input_output_alias(hlo_sw *w) {
    const hlo_attr *attr = hlo_module_attr(w->module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    const hlo_aliasing *rows = attr ? attr->u.aliasing : NULL;
    uint32_t n = rows ? rows->n : 0;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_ints *index = rows->v[i].index, *output = rows->v[i].output;
        hlo_str kind = rows->v[i].kind == 2 ? HLO_STR("must_alias") : HLO_STR("may_alias");
        hlo_mlir_named alias[] = {
            {HLO_STR("kind"), hlo_sw_text(w, HLO_MLIR_STRING, kind), 0},
            {HLO_STR("parameter_index"), hlo_sw_i64s(w, index->v, index->n), 0},
            {HLO_STR("parameter_number"), hlo_sw_int(w, HLO_S64, rows->v[i].parameter), 0}};
        hlo_mlir_named row[] = {{HLO_STR("alias"), hlo_sw_dict(w, alias, 3), 0},
                                {HLO_STR("output_index"), hlo_sw_i64s(w, output->v, output->n), 0}};
        v[i] = hlo_sw_dict(w, row, 2);
    }
    return hlo_sw_list(w, v, n);
}

static void set_count(hlo_sw *w, const char *name, hlo_attr_id id) {
    int64_t count = hlo_module_int(w->module, id);
    if (count != 1) set(w, name, hlo_sw_int(w, HLO_S32, count));
}

typedef const hlo_mlir_attr *of_shape(hlo_sw *w, const hlo_shape *shape);

/* A list with an entry for each array, also of tuples. */
static void add_leaves(hlo_sw *w, const hlo_shape *shape, of_shape *make, const hlo_mlir_attr **v,
                       uint32_t *n) {
    if (!hlo_shape_is_tuple(shape)) {
        v[(*n)++] = make(w, shape);
        return;
    }
    for (uint32_t i = 0; i < shape->rank; i++) add_leaves(w, shape->elements[i], make, v, n);
}

static const hlo_mlir_attr *of_leaves(hlo_sw *w, const hlo_shape *const *shapes, uint32_t count,
                                      of_shape *make) {
    uint32_t leaves = 0, n = 0;
    for (uint32_t i = 0; i < count; i++) leaves += hlo_shape_leaf_count(shapes[i]);
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, leaves);
    for (uint32_t i = 0; i < count; i++) add_leaves(w, shapes[i], make, v, &n);
    return hlo_sw_list(w, v, n);
}

static void set_entry_layout(hlo_sw *w) {
    const hlo_attr *attr = hlo_module_attr(w->module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT);
    if (!attr) return;
    const hlo_program_shape *layout = attr->u.program_shape;
    const hlo_shapes *parameters = layout->parameters;
    bool has_layout = false;
    for (uint32_t i = 0; i < parameters->n; i++) has_layout |= hlo_sw_has_layout(parameters->v[i]);
    if (has_layout) {
        set(w, "mhlo.xla_entry_computation_parameter_layouts",
            of_leaves(w, parameters->v, parameters->n, hlo_sw_layout));
        set(w, "mhlo.xla_entry_computation_parameter_tiles",
            of_leaves(w, parameters->v, parameters->n, hlo_sw_tiles));
    }
    if (!hlo_sw_has_layout(layout->result)) return;
    set(w, "mhlo.xla_entry_computation_result_layout",
        of_leaves(w, &layout->result, 1, hlo_sw_layout));
    set(w, "mhlo.xla_entry_computation_result_tiles",
        of_leaves(w, &layout->result, 1, hlo_sw_tiles));
}

/* What a program that was partitioned tells of its arrays. */
static void set_spmd(hlo_sw *w) {
    const hlo_spmd_shardings *spmd = w->module->spmd;
    if (!spmd || !spmd->is_read) return;
    if (spmd->result) set(w, "mhlo.spmd_output_sharding", hlo_sw_sharding(w, spmd->result));
    if (!spmd->n) return;
    uint32_t most = 0, n = 0;
    for (uint32_t i = 0; i < spmd->n; i++)
        most += spmd->parameters[i]->kind == HLO_SHARDING_TUPLE ? spmd->parameters[i]->n : 1;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, most);
    for (uint32_t i = 0; i < spmd->n; i++) {
        const hlo_sharding *one = spmd->parameters[i];
        if (one->kind != HLO_SHARDING_TUPLE) v[n++] = hlo_sw_sharding(w, one);
        else
            for (uint32_t k = 0; k < one->n; k++) v[n++] = hlo_sw_sharding(w, one->elements[k]);
    }
    set(w, "mhlo.spmd_parameters_shardings", hlo_sw_list(w, v, n));
}

void hlo_sw_set_module_attrs(hlo_sw *w) {
    const hlo_attr *frontend = hlo_module_attr(w->module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES);
    const hlo_mlir_attr *dict = frontend ? hlo_sw_frontend(w, frontend->u.frontend, NULL) : NULL;
    set(w, "sym_name", hlo_sw_text(w, HLO_MLIR_STRING, w->module->name));
    set(w, "mhlo.cross_program_prefetches", hlo_sw_list(w, NULL, 0));
    if (dict) set(w, "mhlo.frontend_attributes", dict);
    set(w, "mhlo.input_output_alias", input_output_alias(w));
    set(w, "mhlo.is_dynamic", hlo_sw_bool(w, false));
    set_count(w, "mhlo.num_partitions", HLO_ATTR_NUM_PARTITIONS);
    set_count(w, "mhlo.num_replicas", HLO_ATTR_REPLICA_COUNT);
    set_spmd(w);
    set(w, "mhlo.use_auto_spmd_partitioning", hlo_sw_bool(w, false));
    set_entry_layout(w);
}

/* ---- arguments ---- */

typedef struct {
    const hlo_sharding *const *v;
    uint32_t n;
} shardings;

static shardings shardings_of(hlo_sw *w, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (!attr) return (shardings){NULL, 0};
    if (attr->u.sharding->kind == HLO_SHARDING_TUPLE)
        return (shardings){attr->u.sharding->elements, attr->u.sharding->n};
    const hlo_sharding **only = HLO_NEW_ARRAY(w->arena, const hlo_sharding *, 1);
    only[0] = attr->u.sharding;
    return (shardings){only, 1};
}

static bool is_replicated(const hlo_instr *parameter, uint32_t leaf) {
    const hlo_attr *attr = hlo_instr_attr(parameter, HLO_ATTR_PARAMETER_REPLICATION);
    return attr && leaf < attr->u.ints->n && attr->u.ints->v[leaf];
}

static bool add_argument_attrs(hlo_sw *w, const hlo_instr *parameter, const hlo_mlir_attr **v,
                               bool *any) {
    uint32_t leaves = hlo_shape_leaf_count(parameter->shape);
    shardings of = shardings_of(w, parameter);
    const hlo_attr *frontend = hlo_instr_attr(parameter, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (frontend && !frontend->u.frontend->n) frontend = NULL;
    w->instr = parameter;
    if (of.v && of.n != leaves)
        return hlo_sw_refuse(w, "it has %u arrays and a sharding of %u", leaves, of.n) != NULL;
    if (frontend && leaves > 1)
        return hlo_sw_refuse(w, "frontend attributes of a tuple have no place") != NULL;
    for (uint32_t i = 0; i < leaves; i++) {
        hlo_mlir_named named[3];
        uint32_t n = 0;
        if (of.v)
            named[n++] = (hlo_mlir_named){HLO_STR("mhlo.sharding"), hlo_sw_sharding(w, of.v[i]), 0};
        if (frontend)
            named[n++] = (hlo_mlir_named){HLO_STR("mhlo.frontend_attributes"),
                                          hlo_sw_frontend(w, frontend->u.frontend, NULL), 0};
        if (is_replicated(parameter, i)) {
            const hlo_mlir_attr *yes = hlo_sw_bool(w, true);
            named[n++] =
                (hlo_mlir_named){HLO_STR("mhlo.parameter_replication"), hlo_sw_list(w, &yes, 1), 0};
        }
        *any |= n > 0;
        v[i] = hlo_sw_dict(w, named, n);
    }
    return true;
}

static bool set_arguments(hlo_sw *w, hlo_computation *c, hlo_mlir_op *function) {
    hlo_mlir_block *block = function->regions[0].first;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, block->argument_count);
    uint32_t at = 0;
    bool any = false;
    for (uint32_t i = 0; i < c->parameter_count; i++) {
        uint32_t leaves = hlo_shape_leaf_count(c->parameters[i]->shape);
        const hlo_mlir_location *location = hlo_sw_location(w, c->parameters[i]);
        if (!add_argument_attrs(w, c->parameters[i], v + at, &any)) return false;
        for (uint32_t k = 0; k < leaves; k++) block->arguments[at + k].location = location;
        at += leaves;
    }
    if (any) hlo_mlir_set_attr(w->tree, function, "arg_attrs", hlo_sw_list(w, v, at));
    return true;
}

/* ---- results ---- */

static bool set_results(hlo_sw *w, hlo_computation *c, hlo_mlir_op *function) {
    shardings of = shardings_of(w, c->root);
    const hlo_mlir_type *type = hlo_mlir_attr_of(function, "function_type")->type;
    uint32_t n = type->part_count - type->inputs;
    w->instr = c->root;
    if (!of.v) return true;
    if (c->root->shape->type == HLO_TOKEN) { /* of a token any sharding is kept */
        of.v = &hlo_instr_attr(c->root, HLO_ATTR_SHARDING)->u.sharding;
        of.n = 1;
    }
    if (of.n != n)
        return hlo_sw_refuse(w, "the computation has %u results and a sharding of %u", n, of.n) !=
               NULL;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        hlo_mlir_named named = {HLO_STR("mhlo.sharding"), hlo_sw_sharding(w, of.v[i]), 0};
        v[i] = hlo_sw_dict(w, &named, 1);
    }
    hlo_mlir_set_attr(w->tree, function, "res_attrs", hlo_sw_list(w, v, n));
    return true;
}

bool hlo_sw_set_function_attrs(hlo_sw *w, hlo_computation *c, hlo_mlir_op *function) {
    if (!set_arguments(w, c, function) || !set_results(w, c, function)) return false;
    if (!hlo_str_is(c->execution_thread, "main") && c->execution_thread.len)
        hlo_mlir_set_attr(w->tree, function, "execution_thread",
                          hlo_sw_text(w, HLO_MLIR_STRING, c->execution_thread));
    return true;
}
