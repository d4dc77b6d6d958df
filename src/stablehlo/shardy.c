/* Exports a program of Shardy in XLA's order: attributes become frontend attributes, and the
 * shardings of HLO that they are equivalent to. */
#include "stablehlo/shardy.h"

#include <stdlib.h>

#include "base/buf.h"
#include "ir/sharding.h"
#include "stablehlo/edit.h"
#include "stablehlo/shardy_export.h"

/* ---- meshes ---- */

static int by_name(const void *a, const void *b) {
    return hlo_str_compare(hlo_mlir_attr_of(*(hlo_mlir_op *const *)a, "sym_name")->u.text,
                           hlo_mlir_attr_of(*(hlo_mlir_op *const *)b, "sym_name")->u.text);
}

/* {mesh = #sdy.mesh<["x"=2]>, ...} of all meshes, in the order of their names. */
static bool export_meshes(hlo_shardy_exporter *e) {
    HLO_LIST(hlo_mlir_op *) meshes = {0};
    for (hlo_mlir_op *op = e->top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH) continue;
        const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
        const hlo_mlir_attr *mesh = hlo_mlir_attr_of(op, "mesh");
        if (!name || !mesh || (name->kind != HLO_MLIR_STRING && name->kind != HLO_MLIR_SYMBOL))
            hlo_shardy_export_error(e, op, "the mesh", "it has a name and axes");
        else hlo_list_push_in(&e->module->arena, &meshes, op);
    }
    if (!meshes.n || e->failed) return !e->failed;
    qsort(meshes.v, meshes.n, sizeof *meshes.v, by_name);
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < meshes.n; i++) {
        hlo_buf_cstr(&text, i ? ", " : "{");
        hlo_buf_str(&text, hlo_mlir_text_of(hlo_mlir_attr_of(meshes.v[i], "sym_name")));
        hlo_buf_cstr(&text, " = ");
        hlo_shardy_print_mesh(&text, hlo_mlir_attr_of(meshes.v[i], "mesh"));
    }
    hlo_buf_char(&text, '}');
    const hlo_mlir_attr *all = hlo_shardy_taken(e, &text);
    const char *why;
    if (!hlo_shardy_read_meshes(&e->module->arena, hlo_mlir_text_of(all), &e->meshes, &why))
        hlo_shardy_export_error(e, meshes.v[0], "the meshes", why);
    hlo_shardy_set_frontend(e, e->module->root, "xla.sdy.meshes", all);
    return !e->failed;
}

/* ---- shardings of HLO ---- */

/* `text` is that of one sharding or of many. NULL after an error. */
static const hlo_mlir_attr *tiles_text(hlo_shardy_exporter *e, const hlo_mlir_op *op,
                                       const hlo_mlir_attr *text, const hlo_mlir_type *const *types,
                                       uint32_t results) {
    hlo_arena *arena = &e->module->arena;
    hlo_shardy_shardings read;
    const char *why;
    hlo_buf to = HLO_BUF_INIT;
    if (!hlo_shardy_read_shardings(arena, &e->meshes, hlo_mlir_text_of(text), &read, &why)) {
        hlo_shardy_export_error(e, op, "its sharding", why);
        return NULL;
    }
    if (read.n != results && !(results == 0 && read.n == 1)) {
        hlo_shardy_export_error(e, op, "its sharding", "each result has one");
        return NULL;
    }
    if (read.n != 1) hlo_buf_char(&to, '{');
    for (uint32_t i = 0; i < read.n; i++) {
        bool is_array = results && types[i]->kind == HLO_MLIR_TENSOR;
        if (is_array && !read.v[i].mesh->maximal && types[i]->rank != read.v[i].rank) {
            hlo_shardy_export_error(e, op, "its sharding",
                                    "there must be one part for each dimension");
            break;
        }
        const hlo_sharding *tiles =
            hlo_shardy_as_tiles(arena, &read.v[i], (hlo_axis_list){0}, &why);
        if (!tiles) {
            hlo_shardy_export_error(e, op, "its sharding", why);
            break;
        }
        if (i) hlo_buf_cstr(&to, ", ");
        hlo_sharding_print(&to, tiles, false);
    }
    if (read.n != 1) hlo_buf_char(&to, '}');
    return hlo_shardy_taken(e, &to);
}

/* ---- functions ---- */

/* The list of attributes of arguments or results, each changed by `change`. */
typedef const hlo_mlir_attr *change_attr(hlo_shardy_exporter *e, const hlo_mlir_op *op,
                                         const hlo_mlir_attr *dict, const hlo_mlir_type *type);

static const hlo_mlir_attr *without_sharding(hlo_shardy_exporter *e, const hlo_mlir_attr *dict) {
    hlo_mlir_attr *made = hlo_arena_copy(&e->module->arena, dict, sizeof *dict);
    hlo_mlir_named *list = HLO_NEW_ARRAY(&e->module->arena, hlo_mlir_named, dict->list.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < dict->list.n; i++)
        if (!hlo_str_is(dict->list.v[i].key, "sdy.sharding")) list[n++] = dict->list.v[i];
    made->list = (hlo_mlir_list){n, list};
    return made;
}

static const hlo_mlir_attr *export_result(hlo_shardy_exporter *e, const hlo_mlir_op *op,
                                          const hlo_mlir_attr *dict, const hlo_mlir_type *type) {
    const hlo_mlir_attr *sharding = hlo_mlir_member(dict, "sdy.sharding");
    if (!sharding) return dict;
    const hlo_mlir_attr *tiles = tiles_text(e, op, hlo_shardy_sharding_text(e, sharding), &type, 1);
    return tiles ? hlo_shardy_with_entry(e, without_sharding(e, dict), "mhlo.sharding", tiles)
                 : dict;
}

static const hlo_mlir_attr *export_argument(hlo_shardy_exporter *e, const hlo_mlir_op *op,
                                            const hlo_mlir_attr *dict, const hlo_mlir_type *type) {
    const hlo_mlir_attr *sharding = hlo_mlir_member(dict, "sdy.sharding");
    if (!sharding) return dict;
    const hlo_mlir_attr *frontend = hlo_mlir_member(dict, "mhlo.frontend_attributes");
    frontend = hlo_shardy_with_entry(e, frontend, "xla.sdy.sharding",
                                     hlo_shardy_sharding_text(e, sharding));
    return hlo_shardy_with_entry(e, export_result(e, op, dict, type), "mhlo.frontend_attributes",
                                 frontend);
}

static void change_list(hlo_shardy_exporter *e, hlo_mlir_op *function, const char *name,
                        change_attr *change) {
    const hlo_mlir_attr *all = hlo_mlir_attr_of(function, name);
    const hlo_mlir_block *body = function->regions[0].first;
    if (!all || !body || !body->last) return;
    bool is_result = hlo_str_is(hlo_str_from(name), "res_attrs");
    uint32_t n = is_result ? body->last->operand_count : body->argument_count;
    hlo_mlir_attr *made = hlo_arena_copy(&e->module->arena, all, sizeof *all);
    hlo_mlir_named *list = HLO_NEW_ARRAY(&e->module->arena, hlo_mlir_named, all->list.n);
    for (uint32_t i = 0; i < all->list.n; i++) {
        list[i] = all->list.v[i];
        if (i < n)
            list[i].value =
                change(e, function, list[i].value,
                       is_result ? hlo_mlir_operand(body->last, i)->type : body->arguments[i].type);
    }
    made->list.v = list;
    hlo_mlir_set_attr(e->module, function, name, made);
}

/* HLO keeps no frontend attributes of results: a custom call at each does. */
static void mark_results(hlo_shardy_exporter *e, hlo_mlir_op *function) {
    const hlo_mlir_attr *all = hlo_mlir_attr_of(function, "res_attrs");
    const hlo_mlir_block *body = function->regions[0].first;
    hlo_mlir_op *end = body ? body->last : NULL;
    for (uint32_t i = 0; all && end && i < all->list.n && i < end->operand_count; i++) {
        const hlo_mlir_attr *sharding = hlo_mlir_member(all->list.v[i].value, "sdy.sharding");
        if (!sharding) continue;
        hlo_mlir_value *value = hlo_mlir_operand(end, i);
        hlo_mlir_op *call =
            hlo_shardy_custom_call(e, end, "xla.sdy.FuncResultSharding", true, 1, 1);
        call->location = value->op ? value->op->location : value->location;
        call->results[0].type = value->type;
        hlo_mlir_set_operand(call, 0, value);
        hlo_mlir_list one = {1, &(hlo_mlir_named){.value = sharding}};
        hlo_shardy_set_frontend(e, call, "xla.sdy.sharding", hlo_shardy_per_value_text(e, &one));
        hlo_mlir_set_operand(end, i, &call->results[0]);
    }
}

/* ---- operations ---- */

static const hlo_mlir_type *const *result_types(hlo_shardy_exporter *e, const hlo_mlir_op *op) {
    const hlo_mlir_type **types =
        HLO_NEW_ARRAY(&e->module->arena, const hlo_mlir_type *, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    return types;
}

static void export_op_sharding(hlo_mlir_op *op, void *context) {
    hlo_shardy_exporter *e = context;
    const hlo_mlir_attr *sharding = hlo_mlir_attr_of(op, "sdy.sharding");
    if (!sharding || e->failed) return;
    hlo_mlir_list list = hlo_shardy_list(sharding);
    const hlo_mlir_attr *text = hlo_shardy_per_value_text(e, &list);
    if (!list.n) hlo_shardy_export_error(e, op, "its sharding", "there is none in it");
    const hlo_mlir_attr *tiles =
        list.n ? tiles_text(e, op, text, result_types(e, op), op->result_count) : NULL;
    if (!tiles) return;
    hlo_shardy_set_frontend(e, op, "xla.sdy.sharding", text);
    hlo_mlir_set_attr(e->module, op, "mhlo.sharding", tiles);
    hlo_mlir_drop_attr(op, "sdy.sharding");
}

/* ---- all ---- */

static bool is_of_shardy(hlo_str key) {
    return key.len > 4 && memcmp(key.ptr, "sdy.", 4) == 0 && !hlo_str_is(key, "sdy.sharding_rule");
}

/* Whether one is an attribute of Shardy, or has one in its list of arguments or results. */
static bool names_shardy(const hlo_mlir_named *attrs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_named *attr = &attrs[i];
        bool is_list = hlo_str_is(attr->key, "arg_attrs") || hlo_str_is(attr->key, "res_attrs");
        if (is_of_shardy(attr->key)) return true;
        for (uint32_t k = 0; is_list && k < attr->value->list.n; k++) {
            const hlo_mlir_list *inner = &attr->value->list.v[k].value->list;
            if (names_shardy(inner->v, inner->n)) return true;
        }
    }
    return false;
}

/* A rule of bytecode becomes the text that rules of texts are. */
static void export_rule(hlo_mlir_op *op, void *context) {
    hlo_shardy_exporter *e = context;
    const hlo_mlir_attr *rule = hlo_mlir_attr_of(op, "sdy.sharding_rule");
    hlo_buf text = HLO_BUF_INIT;
    if (!rule || rule->kind != HLO_MLIR_STRUCT) return;
    hlo_shardy_print_rule(&text, rule);
    hlo_mlir_attr *made =
        hlo_arena_copy(&e->module->arena, hlo_shardy_taken(e, &text), sizeof *made);
    made->kind = HLO_MLIR_WORD;
    hlo_mlir_set_attr(e->module, op, "sdy.sharding_rule", made);
}

static void find_shardy(hlo_mlir_op *op, void *context) {
    hlo_shardy_exporter *e = context;
    e->has_shardy |= hlo_mlir_is_of_dialect(op, "sdy") || names_shardy(op->attrs, op->attr_count);
}

/* Both in one walk, which is most of the time of programs that have neither. */
static void find_and_export_rule(hlo_mlir_op *op, void *context) {
    if (!op->attr_count && !hlo_mlir_is_of_dialect(op, "sdy")) return;
    export_rule(op, context);
    find_shardy(op, context);
}

bool hlo_stablehlo_export_shardy(hlo_mlir_module *module, hlo_diags *diags) {
    hlo_shardy_exporter e = {
        .module = module, .diags = diags, .top = module->root->regions[0].first};
    if (!e.top) return true;
    hlo_mlir_walk_functions(module, find_and_export_rule, &e);
    for (hlo_mlir_op *op = e.top->first; op; op = op->next) find_shardy(op, &e);
    if (!e.has_shardy) return true;
    if (!hlo_shardy_simplify(module, diags)) return false;
    hlo_mlir_walk_functions(module, hlo_shardy_export_op, &e);
    hlo_mlir_walk_functions(module, hlo_shardy_export_manual, &e);
    if (e.failed || !export_meshes(&e)) return false;
    for (hlo_mlir_op *op = e.top->first, *next; op; op = next) {
        next = op->next;
        if (op->id == HLO_MLIR_OP_SDY_MESH) hlo_mlir_remove(op);
        if (op->id != HLO_MLIR_OP_FUNC_FUNC || !op->region_count) continue;
        mark_results(&e, op);
        change_list(&e, op, "arg_attrs", export_argument);
        change_list(&e, op, "res_attrs", export_result);
    }
    hlo_mlir_walk_functions(module, export_op_sharding, &e);
    return !e.failed;
}
