/* The module's attributes: name, layouts of the entry, aliases, donations, numbers of devices. */
#include "ir/valid_name.h"
#include "stablehlo/convert.h"

const hlo_shape *hlo_stablehlo_laid_out(hlo_stablehlo *s, const hlo_shape *shape,
                                        const hlo_mlir_attr *order) {
    if (!order) return shape;
    if (hlo_shape_is_tuple(shape) && order->kind == HLO_MLIR_LIST && order->list.n == shape->rank) {
        const hlo_shape **parts = HLO_NEW_ARRAY(s->arena, const hlo_shape *, shape->rank);
        for (uint32_t i = 0; i < shape->rank; i++)
            parts[i] = hlo_stablehlo_laid_out(s, shape->elements[i], order->list.v[i].value);
        return hlo_shape_tuple(&s->module->shapes, parts, shape->rank);
    }
    uint32_t n;
    const int64_t *v;
    if (!hlo_shape_is_array(shape) || !hlo_mlir_ints(s->tree, order, &n, &v) || n != shape->rank ||
        !n)
        return shape;
    return hlo_shape_array(&s->module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                           shape->is_dynamic, v, NULL);
}

static void set_entry_layout(hlo_stablehlo *s) {
    hlo_module *module = s->module;
    const hlo_computation *c = module->entry;
    HLO_ASSERT(c && c->root);
    const hlo_mlir_attr *orders =
        hlo_mlir_attr_of(s->tree->root, "mhlo.xla_entry_computation_parameter_layouts");
    const hlo_mlir_attr *result =
        hlo_mlir_attr_of(s->tree->root, "mhlo.xla_entry_computation_result_layout");
    if (result && result->list.n == 1) result = result->list.v[0].value;
    hlo_shapes *parameters =
        hlo_arena_alloc(&module->arena, sizeof *parameters + c->parameter_count * sizeof(void *));
    parameters->n = c->parameter_count;
    for (uint32_t i = 0; i < parameters->n; i++)
        parameters->v[i] =
            hlo_stablehlo_laid_out(s, c->parameters[i]->shape,
                                   orders && i < orders->list.n ? orders->list.v[i].value : NULL);
    hlo_program_shape *layout = HLO_NEW(&module->arena, hlo_program_shape);
    *layout = (hlo_program_shape){parameters, hlo_stablehlo_laid_out(s, c->root->shape, result)};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = layout});
}

static void set_module_int(hlo_stablehlo *s, const char *name, hlo_attr_id id) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->tree->root, name);
    if (attr && attr->kind == HLO_MLIR_INT && hlo_mlir_int_of(attr) != hlo_attr_table[id].fallback)
        hlo_module_set_attr(s->module,
                            (hlo_attr){.id = (uint16_t)id, .u.i = hlo_mlir_int_of(attr)});
}

static const hlo_ints *alias_index(hlo_stablehlo *s, const hlo_mlir_attr *of, const char *name) {
    const hlo_mlir_attr *index = hlo_mlir_member(of, name);
    const int64_t *v;
    uint32_t n;
    bool good = index && hlo_mlir_ints(s->tree, index, &n, &v);
    return good ? hlo_ints_from(s->arena, v, n) : NULL;
}

/* Adds the alias of a row of mhlo.input_output_alias; false: the row is incomplete. */
static bool add_alias(hlo_stablehlo *s, hlo_aliasing *to, const hlo_mlir_attr *row) {
    const hlo_mlir_attr *alias = hlo_mlir_member(row, "alias");
    if (!alias) return false;
    const hlo_mlir_attr *parameter = hlo_mlir_member(alias, "parameter_number");
    const hlo_mlir_attr *kind = hlo_mlir_member(alias, "kind");
    const hlo_ints *output = alias_index(s, row, "output_index");
    const hlo_ints *index = alias_index(s, alias, "parameter_index");
    if (!parameter || parameter->kind != HLO_MLIR_INT || !kind || kind->kind != HLO_MLIR_STRING ||
        !output || !index)
        return false;
    uint32_t at = to->n++;
    while (at && hlo_ints_compare(output, to->v[at - 1].output) < 0) {
        to->v[at] = to->v[at - 1];
        at--;
    }
    to->v[at].output = output;
    to->v[at].parameter = hlo_mlir_int_of(parameter);
    to->v[at].index = index;
    to->v[at].kind = hlo_str_is(hlo_mlir_text_of(kind), "must_alias") ? 2 : 1;
    return true;
}

/* The aliases of the module's list replace those of its arguments. */
static void set_aliases(hlo_stablehlo *s, hlo_aliasing *aliases) {
    const hlo_mlir_attr *rows = hlo_mlir_attr_of(s->tree->root, "mhlo.input_output_alias");
    if (rows && rows->kind == HLO_MLIR_LIST) {
        aliases = hlo_arena_zero(s->arena, sizeof *aliases + rows->list.n * sizeof aliases->v[0]);
        for (uint32_t i = 0; i < rows->list.n; i++)
            if (!add_alias(s, aliases, rows->list.v[i].value)) {
                hlo_stablehlo_fail_at(s, s->tree->root, (hlo_span){0, 0}, HLO_RULE_SYNTAX,
                                      "entry %u of mhlo.input_output_alias is not an alias", i);
                return;
            }
    }
    if (aliases->n)
        hlo_module_set_attr(s->module,
                            (hlo_attr){.id = HLO_ATTR_INPUT_OUTPUT_ALIAS, .u.any = aliases});
}

/* Buffers that arguments give away, or share with results. */
static void set_donations(hlo_stablehlo *s) {
    const hlo_mlir_op *main = NULL;
    for (uint32_t i = 0; i < s->functions.n; i++)
        if (hlo_str_is(s->functions.v[i].name, "main")) main = s->functions.v[i].op;
    HLO_ASSERT(main); /* collect_functions has found it */
    uint32_t n = main->regions[0].first->argument_count;
    hlo_aliasing *aliases = hlo_arena_zero(s->arena, sizeof *aliases + n * sizeof aliases->v[0]);
    hlo_aliasing *donors = hlo_arena_zero(s->arena, sizeof *donors + n * sizeof donors->v[0]);
    bool is_tuple = hlo_shape_is_tuple(s->module->entry->root->shape);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *output =
            hlo_stablehlo_argument_attr(main, "arg_attrs", i, "tf.aliasing_output");
        if (hlo_stablehlo_argument_attr(main, "arg_attrs", i, "jax.buffer_donor")) {
            donors->v[donors->n].parameter = i;
            donors->v[donors->n++].index = hlo_ints_new(s->arena, 0);
        }
        if (!output || output->kind != HLO_MLIR_INT) continue;
        aliases->v[aliases->n].output = hlo_ints_from(s->arena, &output->u.i, is_tuple ? 1 : 0);
        aliases->v[aliases->n].parameter = i;
        aliases->v[aliases->n].index = hlo_ints_new(s->arena, 0);
        aliases->v[aliases->n++].kind = 1;
    }
    set_aliases(s, aliases);
    if (donors->n)
        hlo_module_set_attr(s->module, (hlo_attr){.id = HLO_ATTR_BUFFER_DONOR, .u.any = donors});
}

void hlo_stablehlo_finish_module(hlo_stablehlo *s) {
    const hlo_mlir_attr *name = hlo_mlir_attr_of(s->tree->root, "sym_name");
    hlo_str text = name && name->kind == HLO_MLIR_STRING ? hlo_mlir_text_of(name) : HLO_STR("main");
    s->module->name = hlo_valid_module_name(s->arena, text);
    set_entry_layout(s);
    set_module_int(s, "mhlo.num_partitions", HLO_ATTR_NUM_PARTITIONS);
    set_module_int(s, "mhlo.num_replicas", HLO_ATTR_REPLICA_COUNT);
    const hlo_frontend *frontend =
        hlo_stablehlo_frontend_of(s, hlo_mlir_attr_of(s->tree->root, "mhlo.frontend_attributes"));
    if (frontend)
        hlo_module_set_attr(s->module, (hlo_attr){.id = HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES,
                                                  .u.frontend = frontend});
    set_donations(s);
}
