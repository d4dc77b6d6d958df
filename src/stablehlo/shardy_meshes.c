/* Meshes of a program of Shardy: those inside shardings get names, and of meshes with the same
 * devices one stays, by whose axes all shardings are written. */
#include "base/buf.h"
#include "stablehlo/edit.h"
#include "stablehlo/shardy_program.h"

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

static hlo_str kept(hlo_shardy_program *c, hlo_buf *text) {
    hlo_str name = {hlo_arena_copy(&c->module->arena, text->data, text->len), (uint32_t)text->len,
                    0};
    hlo_buf_free(text);
    return name;
}

static bool has_symbol(const hlo_shardy_program *c, const hlo_buf *name) {
    for (const hlo_mlir_op *op = c->top->first; op; op = op->next) {
        const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "sym_name");
        if (own && hlo_str_equal(own->u.text, (hlo_str){name->data, (uint32_t)name->len, 0}))
            return true;
    }
    return false;
}

/* As Shardy names them: empty_mesh, maximal_mesh_3, else mesh; with a number where it is taken. */
static hlo_str mesh_name(hlo_shardy_program *c, const hlo_mlir_attr *mesh) {
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

static hlo_str mesh_for(hlo_shardy_program *c, const hlo_mlir_attr *mesh) {
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

static const hlo_mlir_attr *lift_mesh(hlo_shardy_program *c, const hlo_mlir_op *op,
                                      const hlo_mlir_attr *sharding) {
    uint32_t n = sharding->list.n;
    if (sharding->list.v[0].value->kind == HLO_MLIR_SYMBOL) {
        if (!hlo_shardy_mesh_of(c->module, sharding))
            hlo_sdy_refuse(c, op, "the module has no such mesh");
        return sharding;
    }
    if (n < 2 || sharding->list.v[1].value->bracket != '<') {
        hlo_sdy_refuse(c, op, "its sharding has no mesh");
        return sharding;
    }
    hlo_mlir_named *list = HLO_NEW_ARRAY(&c->module->arena, hlo_mlir_named, n - 1);
    memcpy(list, sharding->list.v + 1, (n - 1) * sizeof *list);
    list[0] =
        (hlo_mlir_named){.value = hlo_shardy_symbol(c, mesh_for(c, sharding->list.v[1].value))};
    return hlo_shardy_with_list(c, sharding, n - 1, list);
}

void hlo_shardy_name_meshes(hlo_shardy_program *c) {
    hlo_shardy_change_all(c, lift_mesh);
}

/* ---- meshes of the same devices ---- */

typedef struct {
    const hlo_mlir_named *axis; /* of the main mesh */
    int64_t pre, size;
} part;

/* A mesh to remove, and its axes in terms of the mesh that is kept. */
typedef struct {
    hlo_mlir_op *op, *main;
    hlo_mlir_list axes; /* of `op` */
    struct {
        uint32_t n;
        part *v;
    } * parts; /* of each axis; none: its size is 1 */
} duplicate;

struct hlo_shardy_duplicates {
    HLO_LIST(duplicate) list;
};

static int64_t device_count(const hlo_mlir_op *mesh) {
    hlo_mlir_list axes = hlo_shardy_axes_of(mesh);
    int64_t n = 1;
    for (uint32_t i = 0; i < axes.n; i++)
        if (__builtin_mul_overflow(n, axes.v[i].value->u.i, &n)) return -2;
    return axes.n ? n : -1;
}

static bool same_devices(hlo_shardy_program *c, const hlo_mlir_op *a, const hlo_mlir_op *b) {
    uint32_t n = 0, m = 0;
    const int64_t *v = NULL, *w = NULL;
    if (device_count(a) != device_count(b)) return false;
    hlo_mlir_ints(c->module, hlo_mlir_member(hlo_mlir_attr_of(a, "mesh"), "device_ids"), &n, &v);
    hlo_mlir_ints(c->module, hlo_mlir_member(hlo_mlir_attr_of(b, "mesh"), "device_ids"), &m, &w);
    return n == m && (!n || memcmp(v, w, n * sizeof *v) == 0);
}

static uint32_t real_axes(const hlo_mlir_op *mesh) {
    hlo_mlir_list axes = hlo_shardy_axes_of(mesh);
    uint32_t n = 0;
    for (uint32_t i = 0; i < axes.n; i++) n += axes.v[i].value->u.i > 1;
    return n;
}

static bool is_fake(const hlo_mlir_op *mesh) {
    hlo_mlir_list axes = hlo_shardy_axes_of(mesh);
    return axes.n && axes.v[0].key.len && axes.v[0].key.ptr[0] == '_';
}

/* Of meshes with the devices of `mesh`: with names of axes that a program chose, with the most
 * axes, the first. */
static hlo_mlir_op *main_of(hlo_shardy_program *c, hlo_mlir_op *mesh) {
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
static bool map_axes(hlo_shardy_program *c, duplicate *d) {
    position to = {.axes = hlo_shardy_axes_of(d->main)}, from = {.axes = d->axes};
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

static void find_duplicates(hlo_shardy_program *c) {
    for (hlo_mlir_op *op = c->top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH) continue;
        duplicate d = {.op = op, .main = main_of(c, op), .axes = hlo_shardy_axes_of(op)};
        if (d.main != op && map_axes(c, &d))
            hlo_list_push_in(&c->module->arena, &c->duplicates->list, d);
    }
}

typedef HLO_LIST(part) parts;

/* Joined with the last part where it continues that. */
static void add_part(hlo_shardy_program *c, parts *to, part p) {
    part *last = to->n ? &to->v[to->n - 1] : NULL;
    if (last && last->axis == p.axis && last->pre * last->size == p.pre) last->size *= p.size;
    else hlo_list_push_in(&c->module->arena, to, p);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* "x", or "x":(2)4. False: it has no such part in the main mesh. */
static bool add_axis(hlo_shardy_program *c, const duplicate *d, const hlo_mlir_attr *axis,
                     parts *to) {
    bool is_part = axis->kind == HLO_MLIR_STRUCT;
    const hlo_mlir_attr *name = is_part ? hlo_mlir_member(axis, "name") : axis;
    const hlo_mlir_named *own = NULL;
    if (name && name->kind == HLO_MLIR_STRING) own = hlo_shardy_axis_named(d->axes, name->u.text);
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

static const hlo_mlir_attr *int_attr(hlo_shardy_program *c, int64_t i) {
    return hlo_mlir_int_new(c->module, i);
}

static const hlo_mlir_attr *axis_attr(hlo_shardy_program *c, part p) {
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
static const hlo_mlir_attr *renamed(hlo_shardy_program *c, const hlo_mlir_op *op,
                                    const duplicate *d, const hlo_mlir_attr *axes) {
    parts all = {0};
    if (axes->kind != HLO_MLIR_LIST || axes->bracket != '{') return axes;
    const hlo_mlir_named *open = NULL;
    for (uint32_t i = 0; i < axes->list.n; i++) {
        const hlo_mlir_attr *axis = axes->list.v[i].value;
        if (axis->kind == HLO_MLIR_WORD) open = &axes->list.v[i];
        else if (!add_axis(c, d, axis, &all))
            hlo_sdy_refuse(c, op,
                           "an axis of its sharding has no place in the mesh of the same devices");
    }
    hlo_mlir_named *list = HLO_NEW_ARRAY(&c->module->arena, hlo_mlir_named, all.n + 1);
    for (uint32_t i = 0; i < all.n; i++)
        list[i] = (hlo_mlir_named){.value = axis_attr(c, all.v[i])};
    if (open) list[all.n] = *open;
    return hlo_shardy_with_list(c, axes, all.n + (open != NULL), list);
}

static const duplicate *duplicate_of(hlo_shardy_program *c, const hlo_mlir_op *mesh) {
    for (uint32_t i = 0; i < c->duplicates->list.n; i++)
        if (c->duplicates->list.v[i].op == mesh) return &c->duplicates->list.v[i];
    return NULL;
}

static const hlo_mlir_attr *rewrite_sharding(hlo_shardy_program *c, const hlo_mlir_op *op,
                                             const hlo_mlir_attr *sharding) {
    const duplicate *d = duplicate_of(c, hlo_shardy_mesh_of(c->module, sharding));
    if (!d) return sharding;
    hlo_mlir_named *list =
        hlo_arena_copy(&c->module->arena, sharding->list.v, sharding->list.n * sizeof *list);
    list[0].value = hlo_shardy_symbol(c, hlo_mlir_attr_of(d->main, "sym_name")->u.text);
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
            value = hlo_shardy_with_list(c, value, value->list.n, dims);
        }
        list[n] = list[i];
        list[n++].value = value;
    }
    return hlo_shardy_with_list(c, sharding, n, list);
}

static void rewrite_manual_axes(hlo_mlir_op *op, void *context) {
    hlo_shardy_program *c = context;
    if (op->id != HLO_MLIR_OP_SDY_MANUAL_COMPUTATION) return;
    const duplicate *d = duplicate_of(c, hlo_shardy_mesh_of_manual(c, op));
    const hlo_mlir_attr *axes = hlo_mlir_attr_of(op, "manual_axes");
    if (!d || !axes) return;
    if (axes->kind == HLO_MLIR_STRUCT && axes->list.n) axes = axes->list.v[0].value;
    axes = renamed(c, op, d, axes);
    for (uint32_t i = 0; i < axes->list.n; i++)
        if (axes->list.v[i].value->kind == HLO_MLIR_STRUCT)
            hlo_sdy_refuse(c, op, "a manual axis is a part of one in the mesh of the same devices");
    hlo_mlir_set_attr(c->module, op, "manual_axes", axes);
}

void hlo_shardy_join_meshes(hlo_shardy_program *c) {
    hlo_shardy_duplicates duplicates = {.list = {0}};
    c->duplicates = &duplicates;
    find_duplicates(c);
    hlo_mlir_walk_functions(c->module, rewrite_manual_axes, c);
    hlo_shardy_change_all(c, rewrite_sharding);
    for (uint32_t i = 0; i < duplicates.list.n; i++) hlo_mlir_remove(duplicates.list.v[i].op);
    c->duplicates = NULL;
}
