/* The shardings of a program of Shardy, in all attributes that hold one, its meshes and axes. */
#include "stablehlo/shardy_program.h"

#include "stablehlo/edit.h"

void hlo_sdy_refuse(hlo_shardy_program *c, const hlo_mlir_op *op, const char *why) {
    if (!c->failed)
        hlo_error(c->diags, HLO_RULE_UNSUPPORTED_STABLEHLO, c->module->source, op->at, "'%.*s': %s",
                  (int)op->name.len, op->name.ptr, why);
    c->failed = true;
}

hlo_mlir_attr *hlo_shardy_with_list(hlo_shardy_program *c, const hlo_mlir_attr *like, uint32_t n,
                                    const hlo_mlir_named *v) {
    hlo_mlir_attr *made = hlo_arena_copy(&c->module->arena, like, sizeof *like);
    made->list = (hlo_mlir_list){n, v};
    return made;
}

const hlo_mlir_attr *hlo_shardy_symbol(hlo_shardy_program *c, hlo_str name) {
    hlo_mlir_attr *attr = HLO_NEW(&c->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_SYMBOL;
    attr->u.text = name;
    return attr;
}

hlo_mlir_list hlo_shardy_list(const hlo_mlir_attr *attr) {
    if (attr && attr->kind == HLO_MLIR_STRUCT && attr->list.n == 1) attr = attr->list.v[0].value;
    return attr ? attr->list : (hlo_mlir_list){0};
}

hlo_mlir_list hlo_shardy_axes_of(const hlo_mlir_op *mesh) {
    const hlo_mlir_attr *attr = mesh ? hlo_mlir_attr_of(mesh, "mesh") : NULL;
    return attr && attr->list.n ? attr->list.v[0].value->list : (hlo_mlir_list){0};
}

const hlo_mlir_named *hlo_shardy_axis_named(hlo_mlir_list axes, hlo_str name) {
    for (uint32_t i = 0; i < axes.n; i++)
        if (hlo_str_equal(axes.v[i].key, name)) return &axes.v[i];
    return NULL;
}

/* The mesh of its shardings, or NULL. */
hlo_mlir_op *hlo_shardy_mesh_of_manual(hlo_shardy_program *c, const hlo_mlir_op *op) {
    hlo_mlir_list in = hlo_shardy_list(hlo_mlir_attr_of(op, "in_shardings"));
    hlo_mlir_list out = hlo_shardy_list(hlo_mlir_attr_of(op, "out_shardings"));
    if (in.n) return hlo_shardy_mesh_of(c->module, in.v[0].value);
    return out.n ? hlo_shardy_mesh_of(c->module, out.v[0].value) : NULL;
}

/* ---- meshes of the module ---- */

hlo_mlir_op *hlo_shardy_mesh_named(const hlo_mlir_module *module, hlo_str name) {
    const hlo_mlir_block *top = module->root->regions[0].first;
    for (hlo_mlir_op *op = top ? top->first : NULL; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH) continue;
        const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "sym_name");
        if (own && hlo_str_equal(own->u.text, name)) return op;
    }
    return NULL;
}

hlo_mlir_op *hlo_shardy_mesh_of(const hlo_mlir_module *module, const hlo_mlir_attr *sharding) {
    if (!sharding->list.n || sharding->list.v[0].value->kind != HLO_MLIR_SYMBOL) return NULL;
    return hlo_shardy_mesh_named(module, sharding->list.v[0].value->u.text);
}

/* ---- shardings in attributes ---- */

static bool is_sharding(const hlo_mlir_attr *attr) {
    if (!attr->list.n || (attr->kind != HLO_MLIR_LIST && attr->kind != HLO_MLIR_STRUCT))
        return false;
    const hlo_mlir_attr *first = attr->list.v[0].value;
    bool is_mesh = first->kind == HLO_MLIR_WORD && hlo_str_is(first->u.text, "mesh");
    return attr->bracket == '<' && (first->kind == HLO_MLIR_SYMBOL || is_mesh);
}

static const hlo_mlir_attr *changed(hlo_shardy_program *c, const hlo_mlir_op *op,
                                    const hlo_mlir_attr *attr, hlo_shardy_change *change) {
    if (is_sharding(attr)) return change(c, op, attr);
    if (!attr->list.n || attr->kind == HLO_MLIR_DENSE) return attr;
    hlo_mlir_named *list =
        hlo_arena_copy(&c->module->arena, attr->list.v, attr->list.n * sizeof *list);
    for (uint32_t i = 0; i < attr->list.n; i++)
        list[i].value = changed(c, op, list[i].value, change);
    return hlo_shardy_with_list(c, attr, attr->list.n, list);
}

/* Attributes of arguments and results: [{sdy.sharding = ...}, ...]. */
static const hlo_mlir_attr *changed_list(hlo_shardy_program *c, const hlo_mlir_op *op,
                                         const hlo_mlir_attr *attr, hlo_shardy_change *change) {
    hlo_mlir_named *list =
        hlo_arena_copy(&c->module->arena, attr->list.v, attr->list.n * sizeof *list);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        if (attr->kind == HLO_MLIR_LIST) list[i].value = changed_list(c, op, list[i].value, change);
        else if (hlo_str_is(list[i].key, "sdy.sharding"))
            list[i].value = changed(c, op, list[i].value, change);
    }
    return hlo_shardy_with_list(c, attr, attr->list.n, list);
}

static void change_op(hlo_shardy_program *c, hlo_mlir_op *op, hlo_shardy_change *change) {
    for (uint32_t i = 0; i < op->attr_count; i++) {
        hlo_mlir_named *attr = &op->attrs[i];
        if (hlo_str_is(attr->key, "arg_attrs") || hlo_str_is(attr->key, "res_attrs")) {
            if (attr->value->list.n) attr->value = changed_list(c, op, attr->value, change);
        } else if (hlo_mlir_is_of_dialect(op, "sdy") || hlo_str_is(attr->key, "sdy.sharding")) {
            attr->value = changed(c, op, attr->value, change);
        }
    }
}

typedef struct {
    hlo_shardy_program *c;
    hlo_shardy_change *change;
} changing;

static void visit_change(hlo_mlir_op *op, void *context) {
    changing *to = context;
    change_op(to->c, op, to->change);
}

void hlo_shardy_change_all(hlo_shardy_program *c, hlo_shardy_change *change) {
    changing to = {c, change};
    for (hlo_mlir_op *op = c->top->first; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC) change_op(c, op, change);
    hlo_mlir_walk_functions(c->module, visit_change, &to);
}
