/* Operations and attributes of Shardy become what XLA keeps of them in HLO, in XLA's order: custom
 * calls of constraints, groups and barriers; functions of manual computations; frontend attributes
 * of shardings, and the shardings of HLO that they stand for. */
#include "stablehlo/shardy.h"

#include <stdlib.h>

#include "base/buf.h"
#include "ir/sharding.h"
#include "ir/shardy_text.h"
#include "stablehlo/edit.h"

typedef struct {
    hlo_mlir_module *module;
    hlo_mlir_block *top;
    hlo_diags *diags;
    hlo_shardy_meshes meshes;
    uint32_t bodies; /* functions of manual computations */
    bool failed, has_shardy;
} exporter;

static void fail(exporter *e, const hlo_mlir_op *op, const char *what, const char *why) {
    if (e->failed) return;
    e->failed = true;
    hlo_error(e->diags, HLO_RULE_UNSUPPORTED_STABLEHLO, e->module->source, op->at, "'%.*s': %s: %s",
              (int)op->name.len, op->name.ptr, what, why);
}

/* ---- attributes ---- */

static const hlo_mlir_attr *text_attr(exporter *e, hlo_str text) {
    hlo_mlir_attr *attr = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_STRING;
    attr->u.text = (hlo_str){hlo_arena_copy(&e->module->arena, text.ptr, text.len), text.len, 0};
    return attr;
}

static const hlo_mlir_attr *taken(exporter *e, hlo_buf *text) {
    const hlo_mlir_attr *attr = text_attr(e, (hlo_str){text->data, (uint32_t)text->len, 0});
    hlo_buf_free(text);
    return attr;
}

/* The dictionary, or a new one, with this entry. */
static const hlo_mlir_attr *with_entry(exporter *e, const hlo_mlir_attr *dict, const char *key,
                                       const hlo_mlir_attr *value) {
    uint32_t n = dict ? dict->list.n : 0, k = 0;
    hlo_mlir_named *list = HLO_NEW_ARRAY(&e->module->arena, hlo_mlir_named, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_str_is(dict->list.v[i].key, key)) list[k++] = dict->list.v[i];
    list[k++] = (hlo_mlir_named){hlo_str_from(key), value, 0};
    hlo_mlir_attr *made = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    made->kind = HLO_MLIR_DICT;
    made->bracket = '{';
    made->list = (hlo_mlir_list){k, list};
    return made;
}

static void set_frontend(exporter *e, hlo_mlir_op *op, const char *key,
                         const hlo_mlir_attr *value) {
    const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "mhlo.frontend_attributes");
    hlo_mlir_set_attr(e->module, op, "mhlo.frontend_attributes", with_entry(e, own, key, value));
}

hlo_mlir_list hlo_shardy_list(const hlo_mlir_attr *attr) {
    if (attr && attr->kind == HLO_MLIR_STRUCT && attr->list.n == 1) attr = attr->list.v[0].value;
    return attr ? attr->list : (hlo_mlir_list){0};
}

static const hlo_mlir_attr *per_value_text(exporter *e, const hlo_mlir_list *shardings) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_shardy_print_per_value(&text, shardings);
    return taken(e, &text);
}

static const hlo_mlir_attr *sharding_text(exporter *e, const hlo_mlir_attr *sharding) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_cstr(&text, "#sdy.sharding");
    hlo_shardy_print_sharding(&text, sharding);
    return taken(e, &text);
}

/* ---- meshes ---- */

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

static int by_name(const void *a, const void *b) {
    return hlo_str_compare(hlo_mlir_attr_of(*(hlo_mlir_op *const *)a, "sym_name")->u.text,
                           hlo_mlir_attr_of(*(hlo_mlir_op *const *)b, "sym_name")->u.text);
}

/* {mesh = #sdy.mesh<["x"=2]>, ...} of all meshes, in the order of their names. */
static bool export_meshes(exporter *e) {
    HLO_LIST(hlo_mlir_op *) meshes = {0};
    for (hlo_mlir_op *op = e->top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH) continue;
        const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
        const hlo_mlir_attr *mesh = hlo_mlir_attr_of(op, "mesh");
        if (!name || !mesh || (name->kind != HLO_MLIR_STRING && name->kind != HLO_MLIR_SYMBOL))
            fail(e, op, "the mesh", "it has a name and axes");
        else hlo_list_push_in(&e->module->arena, &meshes, op);
    }
    if (!meshes.n || e->failed) return !e->failed;
    qsort(meshes.v, meshes.n, sizeof *meshes.v, by_name);
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < meshes.n; i++) {
        hlo_buf_cstr(&text, i ? ", " : "{");
        hlo_buf_str(&text, hlo_mlir_attr_of(meshes.v[i], "sym_name")->u.text);
        hlo_buf_cstr(&text, " = ");
        hlo_shardy_print_mesh(&text, hlo_mlir_attr_of(meshes.v[i], "mesh"));
    }
    hlo_buf_char(&text, '}');
    const hlo_mlir_attr *all = taken(e, &text);
    const char *why;
    if (!hlo_shardy_read_meshes(&e->module->arena, all->u.text, &e->meshes, &why))
        fail(e, meshes.v[0], "the meshes", why);
    set_frontend(e, e->module->root, "xla.sdy.meshes", all);
    return !e->failed;
}

/* ---- shardings of HLO ---- */

/* `text` is that of one sharding or of many. NULL after an error. */
static const hlo_mlir_attr *tiles_text(exporter *e, const hlo_mlir_op *op,
                                       const hlo_mlir_attr *text, const hlo_mlir_type *const *types,
                                       uint32_t results) {
    hlo_arena *arena = &e->module->arena;
    hlo_shardy_shardings read;
    const char *why;
    hlo_buf to = HLO_BUF_INIT;
    if (!hlo_shardy_read_shardings(arena, &e->meshes, text->u.text, &read, &why)) {
        fail(e, op, "its sharding", why);
        return NULL;
    }
    if (read.n != results && !(results == 0 && read.n == 1)) {
        fail(e, op, "its sharding", "each result has one");
        return NULL;
    }
    if (read.n != 1) hlo_buf_char(&to, '{');
    for (uint32_t i = 0; i < read.n; i++) {
        bool is_array = results && types[i]->kind == HLO_MLIR_TENSOR;
        if (is_array && !read.v[i].mesh->maximal && types[i]->rank != read.v[i].rank) {
            fail(e, op, "its sharding", "there must be one part for each dimension");
            break;
        }
        const hlo_sharding *tiles =
            hlo_shardy_as_tiles(arena, &read.v[i], (hlo_axis_list){0}, &why);
        if (!tiles) {
            fail(e, op, "its sharding", why);
            break;
        }
        if (i) hlo_buf_cstr(&to, ", ");
        hlo_sharding_print(&to, tiles, false);
    }
    if (read.n != 1) hlo_buf_char(&to, '}');
    return taken(e, &to);
}

/* ---- functions ---- */

/* The list of attributes of arguments or results, each with what `change` makes of it. */
typedef const hlo_mlir_attr *change_attr(exporter *e, const hlo_mlir_op *op,
                                         const hlo_mlir_attr *dict, const hlo_mlir_type *type);

static const hlo_mlir_attr *without_sharding(exporter *e, const hlo_mlir_attr *dict) {
    hlo_mlir_attr *made = hlo_arena_copy(&e->module->arena, dict, sizeof *dict);
    hlo_mlir_named *list = HLO_NEW_ARRAY(&e->module->arena, hlo_mlir_named, dict->list.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < dict->list.n; i++)
        if (!hlo_str_is(dict->list.v[i].key, "sdy.sharding")) list[n++] = dict->list.v[i];
    made->list = (hlo_mlir_list){n, list};
    return made;
}

static const hlo_mlir_attr *export_result(exporter *e, const hlo_mlir_op *op,
                                          const hlo_mlir_attr *dict, const hlo_mlir_type *type) {
    const hlo_mlir_attr *sharding = hlo_mlir_member(dict, "sdy.sharding");
    if (!sharding) return dict;
    const hlo_mlir_attr *tiles = tiles_text(e, op, sharding_text(e, sharding), &type, 1);
    return tiles ? with_entry(e, without_sharding(e, dict), "mhlo.sharding", tiles) : dict;
}

static const hlo_mlir_attr *export_argument(exporter *e, const hlo_mlir_op *op,
                                            const hlo_mlir_attr *dict, const hlo_mlir_type *type) {
    const hlo_mlir_attr *sharding = hlo_mlir_member(dict, "sdy.sharding");
    if (!sharding) return dict;
    const hlo_mlir_attr *frontend = hlo_mlir_member(dict, "mhlo.frontend_attributes");
    frontend = with_entry(e, frontend, "xla.sdy.sharding", sharding_text(e, sharding));
    return with_entry(e, export_result(e, op, dict, type), "mhlo.frontend_attributes", frontend);
}

static void change_list(exporter *e, hlo_mlir_op *function, const char *name, change_attr *change) {
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

static const hlo_mlir_attr *true_attr(exporter *e) {
    hlo_mlir_attr *attr = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_BOOL;
    attr->u.i = 1;
    return attr;
}

/* Before `before`, with the results' types to fill in. */
static hlo_mlir_op *custom_call(exporter *e, hlo_mlir_op *before, const char *target,
                                bool has_side_effect, uint32_t operands, uint32_t results) {
    hlo_mlir_op *call = hlo_mlir_op_new(e->module, before->block, before,
                                        HLO_STR("stablehlo.custom_call"), operands, results, 0, 0);
    call->at = before->at;
    call->location = before->location;
    hlo_mlir_set_attr(e->module, call, "call_target_name", text_attr(e, hlo_str_from(target)));
    if (has_side_effect) hlo_mlir_set_attr(e->module, call, "has_side_effect", true_attr(e));
    return call;
}

/* HLO keeps no frontend attributes of results: a custom call at each does. */
static void mark_results(exporter *e, hlo_mlir_op *function) {
    const hlo_mlir_attr *all = hlo_mlir_attr_of(function, "res_attrs");
    const hlo_mlir_block *body = function->regions[0].first;
    hlo_mlir_op *end = body ? body->last : NULL;
    for (uint32_t i = 0; all && end && i < all->list.n && i < end->operand_count; i++) {
        const hlo_mlir_attr *sharding = hlo_mlir_member(all->list.v[i].value, "sdy.sharding");
        if (!sharding) continue;
        hlo_mlir_value *value = hlo_mlir_operand(end, i);
        hlo_mlir_op *call = custom_call(e, end, "xla.sdy.FuncResultSharding", true, 1, 1);
        call->location = value->op ? value->op->location : value->location;
        call->results[0].type = value->type;
        hlo_mlir_set_operand(call, 0, value);
        hlo_mlir_list one = {1, &(hlo_mlir_named){.value = sharding}};
        set_frontend(e, call, "xla.sdy.sharding", per_value_text(e, &one));
        hlo_mlir_set_operand(end, i, &call->results[0]);
    }
}

/* ---- operations ---- */

static const hlo_mlir_type *const *result_types(exporter *e, const hlo_mlir_op *op) {
    const hlo_mlir_type **types =
        HLO_NEW_ARRAY(&e->module->arena, const hlo_mlir_type *, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    return types;
}

static void export_op_sharding(hlo_mlir_op *op, void *context) {
    exporter *e = context;
    const hlo_mlir_attr *sharding = hlo_mlir_attr_of(op, "sdy.sharding");
    if (!sharding || e->failed) return;
    hlo_mlir_list list = hlo_shardy_list(sharding);
    const hlo_mlir_attr *text = per_value_text(e, &list);
    if (!list.n) fail(e, op, "its sharding", "there is none in it");
    const hlo_mlir_attr *tiles =
        list.n ? tiles_text(e, op, text, result_types(e, op), op->result_count) : NULL;
    if (!tiles) return;
    set_frontend(e, op, "xla.sdy.sharding", text);
    hlo_mlir_set_attr(e->module, op, "mhlo.sharding", tiles);
    hlo_mlir_drop_attr(op, "sdy.sharding");
}

static void replace(hlo_mlir_op *op, hlo_mlir_op *by) {
    for (uint32_t i = 0; i < op->result_count; i++)
        hlo_mlir_replace_uses(&op->results[i], &by->results[i]);
    hlo_mlir_remove(op);
}

static void export_constraint(exporter *e, hlo_mlir_op *op) {
    const hlo_mlir_attr *sharding = hlo_mlir_attr_of(op, "sharding");
    if (!sharding || op->operand_count != 1 || op->result_count != 1) {
        fail(e, op, "the operation", "it has an operand, a result and a sharding");
        return;
    }
    hlo_mlir_op *call =
        custom_call(e, op, "Sharding", hlo_mlir_member(sharding, "unreduced") != NULL, 1, 1);
    call->results[0].type = op->results[0].type;
    hlo_mlir_set_operand(call, 0, hlo_mlir_operand(op, 0));
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (hlo_mlir_is_discardable(op->attrs[i].key)) {
            char *key = hlo_arena_alloc(&e->module->arena, (size_t)op->attrs[i].key.len + 1);
            memcpy(key, op->attrs[i].key.ptr, op->attrs[i].key.len);
            key[op->attrs[i].key.len] = '\0';
            hlo_mlir_set_attr(e->module, call, key, op->attrs[i].value);
        }
    hlo_mlir_named *one = HLO_NEW(&e->module->arena, hlo_mlir_named);
    one->value = sharding;
    hlo_mlir_attr *list = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    list->kind = HLO_MLIR_LIST;
    list->bracket = '[';
    list->list = (hlo_mlir_list){1, one};
    hlo_mlir_set_attr(e->module, call, "sdy.sharding", list);
    replace(op, call);
}

/* A group or a barrier: a custom call with one frontend attribute. */
static void export_marker(exporter *e, hlo_mlir_op *op, const char *target, const char *key,
                          const hlo_mlir_attr *value) {
    hlo_mlir_op *call = custom_call(e, op, target, true, op->operand_count, op->result_count);
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(call, i, hlo_mlir_operand(op, i));
    for (uint32_t i = 0; i < op->result_count; i++) call->results[i].type = op->results[i].type;
    set_frontend(e, call, key, value);
    replace(op, call);
}

static void export_group(exporter *e, hlo_mlir_op *op) {
    const hlo_mlir_attr *id = hlo_mlir_attr_of(op, "group_id");
    hlo_buf text = HLO_BUF_INIT;
    if (!id || id->kind != HLO_MLIR_INT) {
        fail(e, op, "the operation", "it has a group_id");
        return;
    }
    hlo_mlir_print_attr(&text, id);
    export_marker(e, op, "xla.sdy.ShardingGroup", "xla.sdy.sharding_group_id", taken(e, &text));
}

static void export_barrier(exporter *e, hlo_mlir_op *op) {
    static const char *const directions[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
    const hlo_mlir_attr *direction = hlo_mlir_attr_of(op, "allowed_direction");
    hlo_str word = hlo_mlir_word_of(direction);
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        if (!hlo_str_is(word, directions[i]) &&
            !(direction && direction->kind == HLO_MLIR_INT && direction->u.i == (int64_t)i))
            continue;
        hlo_buf text = HLO_BUF_INIT;
        hlo_buf_printf(&text, "%zu : i32", i);
        export_marker(e, op, "xla.sdy.PropagationBarrier", "xla.sdy.allowed_direction",
                      taken(e, &text));
        return;
    }
    fail(e, op, "the operation", "it has an allowed_direction");
}

static void export_op(hlo_mlir_op *op, void *context) {
    exporter *e = context;
    if (e->failed) return;
    if (op->id == HLO_MLIR_OP_SDY_SHARDING_CONSTRAINT) export_constraint(e, op);
    else if (op->id == HLO_MLIR_OP_SDY_SHARDING_GROUP) export_group(e, op);
    else if (op->id == HLO_MLIR_OP_SDY_PROPAGATION_BARRIER) export_barrier(e, op);
}

/* ---- manual computations ---- */

static bool has_symbol(const exporter *e, hlo_str name) {
    for (const hlo_mlir_op *op = e->top->first; op; op = op->next) {
        const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "sym_name");
        if (own && hlo_str_equal(own->u.text, name)) return true;
    }
    return false;
}

static const hlo_mlir_attr *body_name(exporter *e) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_cstr(&text, "xla.sdy.manual_computation_body");
    size_t n = text.len;
    while (has_symbol(e, (hlo_str){text.data, (uint32_t)text.len, 0})) {
        text.len = n;
        hlo_buf_printf(&text, "_%u", e->bodies++);
    }
    return taken(e, &text);
}

/* The function that has the body, at the end of the module. */
static const hlo_mlir_attr *body_function(exporter *e, hlo_mlir_op *manual) {
    hlo_mlir_op *function =
        hlo_mlir_op_new(e->module, e->top, NULL, HLO_STR("func.func"), 0, 0, 0, 1);
    function->at = manual->at;
    function->location = manual->location;
    const hlo_mlir_attr *name = body_name(e);
    hlo_mlir_set_attr(e->module, function, "sym_name", name);
    hlo_mlir_take_body(&function->regions[0], &manual->regions[0]);
    hlo_mlir_block *body = function->regions[0].first;
    hlo_mlir_op *end = body->last;
    hlo_mlir_op *made =
        hlo_mlir_op_new(e->module, body, NULL, HLO_STR("func.return"), end->operand_count, 0, 0, 0);
    made->at = end->at;
    made->location = end->location;
    for (uint32_t i = 0; i < end->operand_count; i++)
        hlo_mlir_set_operand(made, i, hlo_mlir_operand(end, i));
    hlo_mlir_remove(end);
    return name;
}

/* The custom call between global and local shapes. */
static hlo_mlir_op *between(exporter *e, hlo_mlir_op *manual, const char *target, const char *key,
                            const char *list, uint32_t operands, uint32_t results) {
    hlo_mlir_list shardings = hlo_shardy_list(hlo_mlir_attr_of(manual, list));
    hlo_buf axes = HLO_BUF_INIT;
    hlo_mlir_op *call = custom_call(e, manual, target, true, operands, results);
    set_frontend(e, call, key, per_value_text(e, &shardings));
    hlo_shardy_print_manual_axes(&axes, hlo_mlir_attr_of(manual, "manual_axes"));
    set_frontend(e, call, "xla.sdy.manual_axes", taken(e, &axes));
    return call;
}

typedef struct {
    exporter *e;
    const hlo_mlir_region *region;
} isolation;

static bool is_inside(const hlo_mlir_value *value, const hlo_mlir_region *region) {
    for (const hlo_mlir_region *r = hlo_mlir_region_of(value); r;
         r = r->op && r->op->block ? r->op->block->region : NULL)
        if (r == region) return true;
    return false;
}

/* A body that becomes a function uses only what is in it. */
static void check_isolated(hlo_mlir_op *op, void *context) {
    isolation *i = context;
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (!is_inside(hlo_mlir_operand(op, k), i->region))
            fail(i->e, op, "its operand", "it stands outside of the manual computation");
}

static void export_manual(hlo_mlir_op *op, void *context) {
    exporter *e = context;
    if (op->id != HLO_MLIR_OP_SDY_MANUAL_COMPUTATION || e->failed) return;
    hlo_mlir_block *body = op->region_count == 1 ? op->regions[0].first : NULL;
    if (!body || body->next || !body->last || body->last->id != HLO_MLIR_OP_SDY_RETURN ||
        body->argument_count != op->operand_count ||
        body->last->operand_count != op->result_count) {
        fail(e, op, "the operation", "its body has all operands, and returns all results");
        return;
    }
    isolation inside = {e, &op->regions[0]};
    hlo_mlir_walk(&op->regions[0], check_isolated, &inside);
    if (e->failed) return;
    hlo_mlir_op *local = NULL, *global = NULL, *end = body->last;
    if (op->operand_count)
        local = between(e, op, "xla.sdy.GlobalToLocalShape", "xla.sdy.in_shardings", "in_shardings",
                        op->operand_count, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_set_operand(local, i, hlo_mlir_operand(op, i));
        local->results[i].type = body->arguments[i].type;
    }
    hlo_mlir_op *call = hlo_mlir_op_new(e->module, op->block, op, HLO_STR("func.call"),
                                        op->operand_count, op->result_count, 0, 0);
    call->at = op->at;
    call->location = op->location;
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(call, i, &local->results[i]);
    for (uint32_t i = 0; i < op->result_count; i++)
        call->results[i].type = hlo_mlir_operand(end, i)->type;
    set_frontend(e, call, "inlineable", text_attr(e, HLO_STR("false")));
    if (op->result_count)
        global = between(e, op, "xla.sdy.LocalToGlobalShape", "xla.sdy.out_shardings",
                         "out_shardings", op->result_count, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) {
        hlo_mlir_set_operand(global, i, &call->results[i]);
        global->results[i].type = op->results[i].type;
    }
    hlo_mlir_attr *callee = hlo_arena_copy(&e->module->arena, body_function(e, op), sizeof *callee);
    callee->kind = HLO_MLIR_SYMBOL;
    hlo_mlir_set_attr(e->module, call, "callee", callee);
    if (global) replace(op, global);
    else hlo_mlir_remove(op);
}

/* ---- all ---- */

static bool is_of_shardy(hlo_str key) {
    return key.len > 4 && memcmp(key.ptr, "sdy.", 4) == 0 && !hlo_str_is(key, "sdy.sharding_rule");
}

/* Whether an attribute of Shardy is there, or in the lists of arguments and results. */
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
    exporter *e = context;
    const hlo_mlir_attr *rule = hlo_mlir_attr_of(op, "sdy.sharding_rule");
    hlo_buf text = HLO_BUF_INIT;
    if (!rule || rule->kind != HLO_MLIR_STRUCT) return;
    hlo_shardy_print_rule(&text, rule);
    hlo_mlir_attr *made = hlo_arena_copy(&e->module->arena, taken(e, &text), sizeof *made);
    made->kind = HLO_MLIR_WORD;
    hlo_mlir_set_attr(e->module, op, "sdy.sharding_rule", made);
}

static void find_shardy(hlo_mlir_op *op, void *context) {
    exporter *e = context;
    e->has_shardy |= hlo_mlir_is_of_dialect(op, "sdy") || names_shardy(op->attrs, op->attr_count);
}

static void find_and_export_rule(hlo_mlir_op *op, void *context) {
    if (!op->attr_count && !hlo_mlir_is_of_dialect(op, "sdy")) return;
    export_rule(op, context);
    find_shardy(op, context);
}

bool hlo_stablehlo_export_shardy(hlo_mlir_module *module, hlo_diags *diags) {
    exporter e = {.module = module, .diags = diags, .top = module->root->regions[0].first};
    if (!e.top) return true;
    hlo_mlir_walk_functions(module, find_and_export_rule, &e);
    for (hlo_mlir_op *op = e.top->first; op; op = op->next) find_shardy(op, &e);
    if (!e.has_shardy) return true;
    if (!hlo_shardy_simplify(module, diags)) return false;
    hlo_mlir_walk_functions(module, export_op, &e);
    hlo_mlir_walk_functions(module, export_manual, &e);
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
