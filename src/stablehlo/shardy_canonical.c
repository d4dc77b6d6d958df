/* What XLA changes first in a program of Shardy: manual computations that divide nothing or that
 * nothing uses go, meshes that shardings have inside them get names, and of meshes with the same
 * devices one stays, by whose axes all shardings are written. */
#include "stablehlo/shardy.h"

#include "base/buf.h"
#include "stablehlo/edit.h"
#include "stablehlo/steps.h"

typedef struct {
    const hlo_mlir_named *axis; /* of the main mesh */
    int64_t pre, size;
} part;

/* A mesh that goes: what its axes are in the one that stays. */
typedef struct {
    hlo_mlir_op *op, *main;
    hlo_mlir_list axes; /* of `op` */
    struct {
        uint32_t n;
        part *v;
    } * parts; /* of each axis; none: its size is 1 */
} duplicate;

typedef struct {
    hlo_mlir_module *module;
    hlo_mlir_block *top;
    hlo_diags *diags;
    HLO_LIST(duplicate) duplicates;
    bool changed, failed;
} canonical;

static void fail(canonical *c, const hlo_mlir_op *op, const char *why) {
    if (!c->failed)
        hlo_error(c->diags, HLO_RULE_UNSUPPORTED_STABLEHLO, c->module->source, op->at, "'%.*s': %s",
                  (int)op->name.len, op->name.ptr, why);
    c->failed = true;
}

/* ---- manual computations ---- */

static hlo_mlir_attr *with_list(canonical *c, const hlo_mlir_attr *like, uint32_t n,
                                const hlo_mlir_named *v) {
    hlo_mlir_attr *made = hlo_arena_copy(&c->module->arena, like, sizeof *like);
    made->list = (hlo_mlir_list){n, v};
    return made;
}

static void drop_unused_arguments(canonical *c, hlo_mlir_op *op) {
    hlo_mlir_block *body = op->regions[0].first;
    const hlo_mlir_attr *in = hlo_mlir_attr_of(op, "in_shardings");
    hlo_mlir_list list = hlo_shardy_list(in);
    uint32_t n = body->argument_count, used = 0;
    if (list.n != n || op->operand_count != n) return;
    bool *marked = HLO_NEW_ARRAY(&c->module->arena, bool, n);
    hlo_mlir_named *left = HLO_NEW_ARRAY(&c->module->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++) {
        marked[i] = !body->arguments[i].first_use;
        if (!marked[i]) left[used++] = list.v[i];
    }
    if (used == n) return;
    c->changed = true;
    hlo_mlir_drop_operands(op, marked);
    hlo_mlir_drop_arguments(body, marked);
    if (in->kind == HLO_MLIR_STRUCT) in = in->list.v[0].value;
    hlo_mlir_set_attr(c->module, op, "in_shardings", with_list(c, in, used, left));
}

static hlo_mlir_list axes_of(const hlo_mlir_op *mesh) {
    const hlo_mlir_attr *attr = mesh ? hlo_mlir_attr_of(mesh, "mesh") : NULL;
    return attr && attr->list.n ? attr->list.v[0].value->list : (hlo_mlir_list){0};
}

static const hlo_mlir_named *axis_named(hlo_mlir_list axes, hlo_str name) {
    for (uint32_t i = 0; i < axes.n; i++)
        if (hlo_str_equal(axes.v[i].key, name)) return &axes.v[i];
    return NULL;
}

/* The mesh of its shardings, or NULL. */
static hlo_mlir_op *mesh_of_manual(canonical *c, const hlo_mlir_op *op) {
    hlo_mlir_list in = hlo_shardy_list(hlo_mlir_attr_of(op, "in_shardings"));
    hlo_mlir_list out = hlo_shardy_list(hlo_mlir_attr_of(op, "out_shardings"));
    if (in.n) return hlo_shardy_mesh_of(c->module, in.v[0].value);
    return out.n ? hlo_shardy_mesh_of(c->module, out.v[0].value) : NULL;
}

static bool is_of_one_device(canonical *c, const hlo_mlir_op *op) {
    hlo_mlir_list manual = hlo_shardy_list(hlo_mlir_attr_of(op, "manual_axes"));
    hlo_mlir_op *mesh = mesh_of_manual(c, op);
    if (!mesh) return !op->operand_count && !op->result_count;
    for (uint32_t i = 0; i < manual.n; i++) {
        if (manual.v[i].value->kind != HLO_MLIR_STRING) return false;
        const hlo_mlir_named *axis = axis_named(axes_of(mesh), manual.v[i].value->u.text);
        if (!axis || axis->value->u.i != 1) return false;
    }
    return true;
}

static void stand_in_line(canonical *c, hlo_mlir_op *op) {
    hlo_mlir_block *body = op->regions[0].first;
    c->changed = true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (body->arguments[i].first_use)
            hlo_mlir_replace_uses(&body->arguments[i], hlo_mlir_operand(op, i));
    while (body->first != body->last) hlo_mlir_move(body->first, op->block, op);
    for (uint32_t i = 0; i < op->result_count; i++)
        hlo_mlir_replace_uses(&op->results[i], hlo_mlir_operand(body->last, i));
    hlo_expand_erase(op);
}

static void simplify_manual(hlo_mlir_op *op, void *context) {
    canonical *c = context;
    if (op->id != HLO_MLIR_OP_SDY_MANUAL_COMPUTATION) return;
    hlo_mlir_block *body = op->region_count == 1 ? op->regions[0].first : NULL;
    if (!body || body->next || !body->last || body->last->operand_count != op->result_count ||
        body->argument_count != op->operand_count)
        return; /* the export reports it */
    drop_unused_arguments(c, op);
    if (is_of_one_device(c, op)) stand_in_line(c, op);
}

/* ---- shardings, wherever they stand ---- */

typedef const hlo_mlir_attr *change_sharding(canonical *c, const hlo_mlir_op *op,
                                             const hlo_mlir_attr *sharding);

static bool is_sharding(const hlo_mlir_attr *attr) {
    if (!attr->list.n || (attr->kind != HLO_MLIR_LIST && attr->kind != HLO_MLIR_STRUCT))
        return false;
    const hlo_mlir_attr *first = attr->list.v[0].value;
    bool is_mesh = first->kind == HLO_MLIR_WORD && hlo_str_is(first->u.text, "mesh");
    return attr->bracket == '<' && (first->kind == HLO_MLIR_SYMBOL || is_mesh);
}

static const hlo_mlir_attr *changed(canonical *c, const hlo_mlir_op *op, const hlo_mlir_attr *attr,
                                    change_sharding *change) {
    if (is_sharding(attr)) return change(c, op, attr);
    if (!attr->list.n || attr->kind == HLO_MLIR_DENSE) return attr;
    hlo_mlir_named *list =
        hlo_arena_copy(&c->module->arena, attr->list.v, attr->list.n * sizeof *list);
    for (uint32_t i = 0; i < attr->list.n; i++)
        list[i].value = changed(c, op, list[i].value, change);
    return with_list(c, attr, attr->list.n, list);
}

/* Attributes of arguments and results: [{sdy.sharding = ...}, ...]. */
static const hlo_mlir_attr *changed_list(canonical *c, const hlo_mlir_op *op,
                                         const hlo_mlir_attr *attr, change_sharding *change) {
    hlo_mlir_named *list =
        hlo_arena_copy(&c->module->arena, attr->list.v, attr->list.n * sizeof *list);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        if (attr->kind == HLO_MLIR_LIST) list[i].value = changed_list(c, op, list[i].value, change);
        else if (hlo_str_is(list[i].key, "sdy.sharding"))
            list[i].value = changed(c, op, list[i].value, change);
    }
    return with_list(c, attr, attr->list.n, list);
}

static void change_op(canonical *c, hlo_mlir_op *op, change_sharding *change) {
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
    canonical *c;
    change_sharding *change;
} changing;

static void visit_change(hlo_mlir_op *op, void *context) {
    changing *to = context;
    change_op(to->c, op, to->change);
}

static void change_all(canonical *c, change_sharding *change) {
    changing to = {c, change};
    for (hlo_mlir_op *op = c->top->first; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC) change_op(c, op, change);
    hlo_mlir_walk_functions(c->module, visit_change, &to);
}

/* ---- meshes inside shardings ---- */

static bool same_text(const hlo_mlir_attr *a, const hlo_mlir_attr *b) {
    hlo_buf one = HLO_BUF_INIT, other = HLO_BUF_INIT;
    hlo_shardy_print_mesh(&one, a);
    hlo_shardy_print_mesh(&other, b);
    bool same = one.len == other.len && memcmp(one.data, other.data, one.len) == 0;
    hlo_buf_free(&one);
    hlo_buf_free(&other);
    return same;
}

static hlo_str kept(canonical *c, hlo_buf *text) {
    hlo_str name = {hlo_arena_copy(&c->module->arena, text->data, text->len), (uint32_t)text->len,
                    0};
    hlo_buf_free(text);
    return name;
}

static bool has_symbol(const canonical *c, const hlo_buf *name) {
    for (const hlo_mlir_op *op = c->top->first; op; op = op->next) {
        const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "sym_name");
        if (own && hlo_str_equal(own->u.text, (hlo_str){name->data, (uint32_t)name->len, 0}))
            return true;
    }
    return false;
}

/* As Shardy names them: empty_mesh, maximal_mesh_3, else mesh; with a number where it is taken. */
static hlo_str mesh_name(canonical *c, const hlo_mlir_attr *mesh) {
    hlo_buf text = HLO_BUF_INIT;
    uint32_t n;
    const int64_t *ids;
    bool has_axes = mesh->list.n && mesh->list.v[0].value->list.n;
    if (has_axes) hlo_buf_cstr(&text, "mesh");
    else if (hlo_mlir_ints(c->module, hlo_mlir_member(mesh, "device_ids"), &n, &ids) && n)
        hlo_buf_printf(&text, "maximal_mesh_%lld", (long long)ids[0]);
    else hlo_buf_cstr(&text, "empty_mesh");
    size_t len = text.len;
    for (uint32_t i = 0; has_symbol(c, &text); i++) {
        text.len = len;
        hlo_buf_printf(&text, "_%u", i);
    }
    return kept(c, &text);
}

static hlo_str mesh_for(canonical *c, const hlo_mlir_attr *mesh) {
    for (hlo_mlir_op *op = c->top->first; op; op = op->next) {
        const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "mesh");
        if (op->id == HLO_MLIR_OP_SDY_MESH && own && same_text(own, mesh))
            return hlo_mlir_attr_of(op, "sym_name")->u.text;
    }
    hlo_mlir_attr *name = HLO_NEW(&c->module->arena, hlo_mlir_attr);
    name->kind = HLO_MLIR_STRING;
    name->u.text = mesh_name(c, mesh);
    hlo_mlir_op *op =
        hlo_mlir_op_new(c->module, c->top, c->top->first, HLO_STR("sdy.mesh"), 0, 0, 0, 0);
    hlo_mlir_set_attr(c->module, op, "sym_name", name);
    hlo_mlir_set_attr(c->module, op, "mesh", mesh);
    return name->u.text;
}

static const hlo_mlir_attr *symbol(canonical *c, hlo_str name) {
    hlo_mlir_attr *attr = HLO_NEW(&c->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_SYMBOL;
    attr->u.text = name;
    return attr;
}

static const hlo_mlir_attr *lift_mesh(canonical *c, const hlo_mlir_op *op,
                                      const hlo_mlir_attr *sharding) {
    uint32_t n = sharding->list.n;
    if (sharding->list.v[0].value->kind == HLO_MLIR_SYMBOL) {
        if (!hlo_shardy_mesh_of(c->module, sharding)) fail(c, op, "the module has no such mesh");
        return sharding;
    }
    if (n < 2 || sharding->list.v[1].value->bracket != '<') {
        fail(c, op, "its sharding has no mesh");
        return sharding;
    }
    hlo_mlir_named *list = HLO_NEW_ARRAY(&c->module->arena, hlo_mlir_named, n - 1);
    memcpy(list, sharding->list.v + 1, (n - 1) * sizeof *list);
    list[0] = (hlo_mlir_named){.value = symbol(c, mesh_for(c, sharding->list.v[1].value))};
    return with_list(c, sharding, n - 1, list);
}

/* ---- meshes of the same devices ---- */

static int64_t device_count(const hlo_mlir_op *mesh) {
    hlo_mlir_list axes = axes_of(mesh);
    int64_t n = 1;
    for (uint32_t i = 0; i < axes.n; i++)
        if (__builtin_mul_overflow(n, axes.v[i].value->u.i, &n)) return -2;
    return axes.n ? n : -1;
}

static bool same_devices(canonical *c, const hlo_mlir_op *a, const hlo_mlir_op *b) {
    uint32_t n = 0, m = 0;
    const int64_t *v = NULL, *w = NULL;
    if (device_count(a) != device_count(b)) return false;
    hlo_mlir_ints(c->module, hlo_mlir_member(hlo_mlir_attr_of(a, "mesh"), "device_ids"), &n, &v);
    hlo_mlir_ints(c->module, hlo_mlir_member(hlo_mlir_attr_of(b, "mesh"), "device_ids"), &m, &w);
    return n == m && (!n || memcmp(v, w, n * sizeof *v) == 0);
}

static uint32_t real_axes(const hlo_mlir_op *mesh) {
    hlo_mlir_list axes = axes_of(mesh);
    uint32_t n = 0;
    for (uint32_t i = 0; i < axes.n; i++) n += axes.v[i].value->u.i > 1;
    return n;
}

static bool is_fake(const hlo_mlir_op *mesh) {
    hlo_mlir_list axes = axes_of(mesh);
    return axes.n && axes.v[0].key.len && axes.v[0].key.ptr[0] == '_';
}

/* Of meshes with the devices of `mesh`: with names of axes that a program chose, with the most
 * axes, the first. */
static hlo_mlir_op *main_of(canonical *c, hlo_mlir_op *mesh) {
    hlo_mlir_op *best = NULL;
    for (hlo_mlir_op *op = c->top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH || !same_devices(c, op, mesh)) continue;
        if (best) {
            if (is_fake(op) && !is_fake(best)) continue;
            if (is_fake(op) == is_fake(best) && real_axes(op) <= real_axes(best)) continue;
        }
        best = op;
    }
    return best;
}

typedef struct {
    hlo_mlir_list axes;
    uint32_t i;
    int64_t pre, left;
} position;

static void next_axis(position *p) {
    while (p->i < p->axes.n && p->axes.v[p->i].value->u.i == 1) p->i++;
    p->pre = 1;
    p->left = p->i < p->axes.n ? p->axes.v[p->i].value->u.i : 1;
}

static void consume(position *p, int64_t size) {
    p->left /= size;
    p->pre *= size;
    if (p->left > 1) return;
    p->i++;
    next_axis(p);
}

/* False: the axes do not divide each other. */
static bool map_axes(canonical *c, duplicate *d) {
    position to = {.axes = axes_of(d->main)}, from = {.axes = d->axes};
    d->parts = hlo_arena_zero(&c->module->arena, (d->axes.n + 1) * sizeof *d->parts);
    for (uint32_t i = 0; i < d->axes.n; i++)
        d->parts[i].v = HLO_NEW_ARRAY(&c->module->arena, part, to.axes.n + 1);
    next_axis(&to);
    next_axis(&from);
    while (to.i < to.axes.n && from.i < from.axes.n) {
        int64_t size = to.left < from.left ? to.left : from.left;
        int64_t larger = to.left < from.left ? from.left : to.left;
        if (size < 1 || larger % size) return false;
        d->parts[from.i].v[d->parts[from.i].n++] = (part){&to.axes.v[to.i], to.pre, size};
        consume(&to, size);
        consume(&from, size);
    }
    return true;
}

static void find_duplicates(canonical *c) {
    for (hlo_mlir_op *op = c->top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH) continue;
        duplicate d = {.op = op, .main = main_of(c, op), .axes = axes_of(op)};
        if (d.main != op && map_axes(c, &d)) hlo_list_push_in(&c->module->arena, &c->duplicates, d);
    }
}

typedef HLO_LIST(part) parts;

/* Joined with the last one where it goes on from there. */
static void add_part(canonical *c, parts *to, part p) {
    part *last = to->n ? &to->v[to->n - 1] : NULL;
    if (last && last->axis == p.axis && last->pre * last->size == p.pre) last->size *= p.size;
    else hlo_list_push_in(&c->module->arena, to, p);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* "x", or "x":(2)4. False: it has no such part in the main mesh. */
static bool add_axis(canonical *c, const duplicate *d, const hlo_mlir_attr *axis, parts *to) {
    bool is_part = axis->kind == HLO_MLIR_STRUCT;
    const hlo_mlir_attr *name = is_part ? hlo_mlir_member(axis, "name") : axis;
    const hlo_mlir_named *own = NULL;
    if (name && name->kind == HLO_MLIR_STRING) own = axis_named(d->axes, name->u.text);
    if (!own) return false;
    uint32_t k = (uint32_t)(own - d->axes.v);
    const hlo_mlir_attr *pre_attr = is_part ? hlo_mlir_member(axis, "pre_size") : NULL;
    const hlo_mlir_attr *size_attr = is_part ? hlo_mlir_member(axis, "size") : NULL;
    int64_t pre = pre_attr ? pre_attr->u.i : 1, size = size_attr ? size_attr->u.i : own->value->u.i;
    for (uint32_t i = 0; i < d->parts[k].n && size > 1; i++) {
        part p = d->parts[k].v[i];
        if (pre >= p.size) {
            if (pre % p.size) return false;
            pre /= p.size;
            continue;
        }
        if (pre < 1 || p.size % pre) return false;
        int64_t used = least(size, p.size / pre);
        if (size % used) return false;
        add_part(c, to, (part){p.axis, p.pre * pre, used});
        pre = 1;
        size /= used;
    }
    return true;
}

static const hlo_mlir_attr *int_attr(canonical *c, int64_t i) {
    return hlo_mlir_int_new(c->module, i);
}

static const hlo_mlir_attr *axis_attr(canonical *c, part p) {
    hlo_mlir_attr *name = HLO_NEW(&c->module->arena, hlo_mlir_attr);
    name->kind = HLO_MLIR_STRING;
    name->u.text = p.axis->key;
    if (p.size == p.axis->value->u.i) return name;
    hlo_mlir_named *list = HLO_NEW_ARRAY(&c->module->arena, hlo_mlir_named, 3);
    list[0] = (hlo_mlir_named){HLO_STR("name"), name, 0};
    list[1] = (hlo_mlir_named){HLO_STR("pre_size"), int_attr(c, p.pre), 0};
    list[2] = (hlo_mlir_named){HLO_STR("size"), int_attr(c, p.size), 0};
    hlo_mlir_attr *attr = HLO_NEW(&c->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_STRUCT;
    attr->bracket = '(';
    attr->u.text = HLO_STR("sdy.axis_ref");
    attr->list = (hlo_mlir_list){3, list};
    return attr;
}

/* {"x", "y", ?} by the axes of the main mesh. */
static const hlo_mlir_attr *renamed(canonical *c, const hlo_mlir_op *op, const duplicate *d,
                                    const hlo_mlir_attr *axes) {
    parts all = {0};
    if (axes->kind != HLO_MLIR_LIST || axes->bracket != '{') return axes;
    const hlo_mlir_named *open = NULL;
    for (uint32_t i = 0; i < axes->list.n; i++) {
        const hlo_mlir_attr *axis = axes->list.v[i].value;
        if (axis->kind == HLO_MLIR_WORD) open = &axes->list.v[i];
        else if (!add_axis(c, d, axis, &all))
            fail(c, op, "an axis of its sharding has no place in the mesh of the same devices");
    }
    hlo_mlir_named *list = HLO_NEW_ARRAY(&c->module->arena, hlo_mlir_named, all.n + 1);
    for (uint32_t i = 0; i < all.n; i++)
        list[i] = (hlo_mlir_named){.value = axis_attr(c, all.v[i])};
    if (open) list[all.n] = *open;
    return with_list(c, axes, all.n + (open != NULL), list);
}

static const duplicate *duplicate_of(canonical *c, const hlo_mlir_op *mesh) {
    for (uint32_t i = 0; i < c->duplicates.n; i++)
        if (c->duplicates.v[i].op == mesh) return &c->duplicates.v[i];
    return NULL;
}

static const hlo_mlir_attr *rewrite_sharding(canonical *c, const hlo_mlir_op *op,
                                             const hlo_mlir_attr *sharding) {
    const duplicate *d = duplicate_of(c, hlo_shardy_mesh_of(c->module, sharding));
    if (!d) return sharding;
    hlo_mlir_named *list =
        hlo_arena_copy(&c->module->arena, sharding->list.v, sharding->list.n * sizeof *list);
    list[0].value = symbol(c, hlo_mlir_attr_of(d->main, "sym_name")->u.text);
    uint32_t n = 1;
    for (uint32_t i = 1; i < sharding->list.n; i++) {
        const hlo_mlir_attr *value = list[i].value;
        bool has_key = list[i].key.len != 0;
        if (value->kind == HLO_MLIR_LIST && value->bracket == '{') {
            value = renamed(c, op, d, value);
            if (has_key && !value->list.n) continue; /* replicated={} is not written */
        } else if (value->kind == HLO_MLIR_LIST) {
            hlo_mlir_named *dims =
                hlo_arena_copy(&c->module->arena, value->list.v, value->list.n * sizeof *dims);
            for (uint32_t k = 0; k < value->list.n; k++)
                dims[k].value = renamed(c, op, d, dims[k].value);
            value = with_list(c, value, value->list.n, dims);
        }
        list[n] = list[i];
        list[n++].value = value;
    }
    return with_list(c, sharding, n, list);
}

static void rewrite_manual_axes(hlo_mlir_op *op, void *context) {
    canonical *c = context;
    if (op->id != HLO_MLIR_OP_SDY_MANUAL_COMPUTATION) return;
    const duplicate *d = duplicate_of(c, mesh_of_manual(c, op));
    const hlo_mlir_attr *axes = hlo_mlir_attr_of(op, "manual_axes");
    if (!d || !axes) return;
    if (axes->kind == HLO_MLIR_STRUCT && axes->list.n) axes = axes->list.v[0].value;
    axes = renamed(c, op, d, axes);
    for (uint32_t i = 0; i < axes->list.n; i++)
        if (axes->list.v[i].value->kind == HLO_MLIR_STRUCT)
            fail(c, op, "a manual axis is a part of one in the mesh of the same devices");
    hlo_mlir_set_attr(c->module, op, "manual_axes", axes);
}

/* ---- all ---- */

/* Meshes have names, and axes of positive sizes. */
static bool check_meshes(canonical *c) {
    for (const hlo_mlir_op *op = c->top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH) continue;
        const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
        bool has_name = name && (name->kind == HLO_MLIR_STRING || name->kind == HLO_MLIR_SYMBOL);
        if (!has_name || !hlo_mlir_attr_of(op, "mesh")) fail(c, op, "a mesh has a name and axes");
        hlo_mlir_list axes = axes_of(op);
        for (uint32_t i = 0; i < axes.n; i++)
            if (axes.v[i].value->kind != HLO_MLIR_INT || axes.v[i].value->u.i < 1)
                fail(c, op, "an axis has a positive size");
    }
    return !c->failed;
}

bool hlo_shardy_simplify(hlo_mlir_module *module, hlo_diags *diags) {
    canonical c = {.module = module, .diags = diags, .top = module->root->regions[0].first};
    if (!check_meshes(&c)) return false;
    change_all(&c, lift_mesh);
    if (!check_meshes(&c)) return false;
    do {
        c.changed = false;
        hlo_mlir_walk_functions(module, simplify_manual, &c);
        for (hlo_mlir_op *op = c.top->first; op; op = op->next)
            if (op->id == HLO_MLIR_OP_FUNC_FUNC && op->region_count)
                c.changed |= hlo_expand_drop_dead(op);
    } while (c.changed);
    find_duplicates(&c);
    hlo_mlir_walk_functions(module, rewrite_manual_axes, &c);
    change_all(&c, rewrite_sharding);
    for (uint32_t i = 0; i < c.duplicates.n; i++) hlo_mlir_remove(c.duplicates.v[i].op);
    return !c.failed;
}
