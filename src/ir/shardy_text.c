/* Reads attributes of Shardy as MLIR prints them, and turns its shardings into those of HLO. A name
 * stands in quotes, which a text in quotes has escaped. */
#include "ir/shardy_text.h"

#include "base/text.h"
#include "ir/sharding_named.h"

typedef struct {
    hlo_arena *arena;
    hlo_cursor c;
    const hlo_shardy_meshes *meshes;
    const char **why;
} shardy_reader;

/* Always false: the text does not go on as it should. A message that was set before stays. */
static bool expected(shardy_reader *r, const char *what) {
    size_t left = (size_t)(r->c.end - r->c.at);
    if (*r->why) return false;
    if (left)
        hlo_refuse(r->arena, r->why, "%s is expected before '%.*s'", what,
                   (int)(left < 20 ? left : 20), r->c.at);
    else hlo_refuse(r->arena, r->why, "%s is expected at the end", what);
    return false;
}

static bool take(shardy_reader *r, const char *text) {
    return hlo_take_text(&r->c, text) || expected(r, text);
}

/* ---- names and numbers ---- */

static const char *const quotes[] = {"\"", "\\\"", "\\22"};

/* A text in quotes; false when none follows. */
static bool take_quoted(shardy_reader *r, hlo_str *out) {
    for (size_t q = 0; q < sizeof quotes / sizeof *quotes; q++) {
        if (!hlo_take_text(&r->c, quotes[q])) continue;
        const char *from = r->c.at;
        size_t n = strlen(quotes[q]);
        while ((size_t)(r->c.end - r->c.at) >= n && memcmp(r->c.at, quotes[q], n)) r->c.at++;
        *out = (hlo_str){from, (uint32_t)(r->c.at - from), 0};
        return take(r, quotes[q]);
    }
    return false;
}

/* `name` or `"name"`. */
static bool take_name(shardy_reader *r, hlo_str *out) {
    if (take_quoted(r, out)) return true;
    *out = hlo_take_word(&r->c);
    return out->len > 0 || expected(r, "a name");
}

static bool take_size(shardy_reader *r, int64_t *out) {
    uint64_t value = 0;
    bool good = hlo_take_number(&r->c, INT64_MAX, &value);
    *out = (int64_t)value;
    return good || expected(r, "a number");
}

/* ---- meshes ---- */

typedef HLO_LIST(hlo_mesh_axis) axis_sizes;

static bool read_mesh_axes(shardy_reader *r, hlo_mesh *mesh) {
    axis_sizes axes = {0};
    if (!take(r, "[")) return false;
    while (!hlo_take(&r->c, ']')) {
        hlo_mesh_axis axis;
        if (axes.n && !take(r, ",")) return false;
        if (!take_quoted(r, &axis.name)) return expected(r, "the name of an axis");
        if (!take(r, "=") || !take_size(r, &axis.size)) return false;
        hlo_list_push_in(r->arena, &axes, axis);
    }
    mesh->axes = axes.v;
    mesh->n = axes.n;
    return true;
}

/* `, device_ids=[0, 1]`, or nothing. Without axes the mesh is the one device that it names. */
static bool read_device_ids(shardy_reader *r, hlo_mesh *mesh) {
    if (!hlo_take(&r->c, ',')) return true;
    hlo_ints *ids = hlo_ints_new(r->arena, (uint32_t)(r->c.end - r->c.at));
    ids->n = 0;
    if (!take(r, "device_ids") || !take(r, "=") || !take(r, "[")) return false;
    while (!hlo_take(&r->c, ']')) {
        if (ids->n && !take(r, ",")) return false;
        if (!take_size(r, &ids->v[ids->n])) return false;
        ids->n++;
    }
    if (mesh->n) mesh->device_ids = ids;
    else if (ids->n) {
        mesh->maximal = true;
        mesh->device_id = ids->v[0];
    }
    return true;
}

/* `<["x"=2, "y"=4]>` */
static const hlo_mesh *read_mesh(shardy_reader *r) {
    hlo_mesh *mesh = HLO_NEW(r->arena, hlo_mesh);
    bool good = take(r, "<") && read_mesh_axes(r, mesh) && read_device_ids(r, mesh) && take(r, ">");
    return good ? hlo_mesh_canonical(r->arena, mesh, r->why) : NULL;
}

bool hlo_shardy_read_meshes(hlo_arena *arena, hlo_str text, hlo_shardy_meshes *out,
                            const char **why) {
    shardy_reader r = {arena, hlo_cursor_of(text), NULL, why};
    *why = NULL;
    *out = (hlo_shardy_meshes){0};
    if (!take(&r, "{")) return false;
    while (!hlo_take(&r.c, '}')) {
        hlo_shardy_mesh mesh;
        if (out->n && !take(&r, ",")) return false;
        if (!take_name(&r, &mesh.name) || !take(&r, "=") || !take(&r, "#sdy.mesh")) return false;
        mesh.mesh = read_mesh(&r);
        if (!mesh.mesh) return false;
        hlo_list_push_in(arena, out, mesh);
    }
    return hlo_cursor_is_done(&r.c) || expected(&r, "the end");
}

/* `@NAME`, or `mesh<[...]>` */
static const hlo_mesh *read_mesh_or_name(shardy_reader *r) {
    hlo_str name;
    if (hlo_take_text(&r->c, "mesh")) return read_mesh(r);
    if (!take(r, "@") || !take_name(r, &name)) return NULL;
    for (uint32_t i = 0; i < r->meshes->n; i++)
        if (hlo_str_equal(r->meshes->v[i].name, name)) return r->meshes->v[i].mesh;
    return hlo_refuse(r->arena, r->why, "the module has no mesh '%.*s'", (int)name.len, name.ptr);
}

/* ---- axes ---- */

typedef HLO_LIST(hlo_axis_ref) axis_refs;

/* `"x"` or, of an axis that is used in parts, `"x":(2)4`; false when none follows. */
static bool take_axis(shardy_reader *r, hlo_axis_ref *axis) {
    *axis = (hlo_axis_ref){0};
    if (!take_quoted(r, &axis->name)) return false;
    axis->is_sub_axis = hlo_take_text(&r->c, ":(");
    if (!axis->is_sub_axis) return true;
    return take_size(r, &axis->pre_size) && take(r, ")") && take_size(r, &axis->size);
}

/* `{"x", "y"}`; with `open`, which becomes whether it is there, a last '?' too. */
static bool read_axes(shardy_reader *r, hlo_axis_list *out, bool *open) {
    axis_refs axes = {0};
    bool is_open = false;
    if (!take(r, "{")) return false;
    while (!hlo_take(&r->c, '}')) {
        hlo_axis_ref axis;
        if (is_open) return expected(r, "}");
        if (axes.n && !take(r, ",")) return false;
        is_open = open && hlo_take(&r->c, '?');
        if (is_open) continue;
        if (!take_axis(r, &axis)) return expected(r, "the name of an axis");
        hlo_list_push_in(r->arena, &axes, axis);
    }
    if (open) *open = is_open;
    *out = (hlo_axis_list){axes.n, axes.v};
    return true;
}

bool hlo_shardy_read_axes(hlo_arena *arena, hlo_str text, hlo_axis_list *out, const char **why) {
    shardy_reader r = {arena, hlo_cursor_of(text), NULL, why};
    *why = NULL;
    if (!take(&r, "#sdy<manual_axes")) return false;
    return read_axes(&r, out, NULL) && take(&r, ">") &&
           (hlo_cursor_is_done(&r.c) || expected(&r, "the end"));
}

/* ---- shardings ---- */

typedef HLO_LIST(hlo_dim_sharding) dim_shardings;

/* `[{"x"}, {"y", ?}p1]` */
static bool read_dims(shardy_reader *r, hlo_shardy_sharding *s) {
    dim_shardings dims = {0};
    int64_t priority;
    if (!take(r, "[")) return false;
    while (!hlo_take(&r->c, ']')) {
        hlo_dim_sharding dim;
        if (dims.n && !take(r, ",")) return false;
        if (!read_axes(r, &dim.axes, &dim.open)) return false;
        if (hlo_take(&r->c, 'p') && !take_size(r, &priority)) return false;
        hlo_list_push_in(r->arena, &dims, dim);
    }
    s->rank = dims.n;
    s->dims = dims.v;
    return true;
}

/* `, replicated={"x"}, unreduced=max{"y"}`: each may be missing. */
static bool read_other_axes(shardy_reader *r, hlo_shardy_sharding *s) {
    while (hlo_take(&r->c, ',')) {
        if (hlo_take_text(&r->c, "replicated=")) {
            if (!read_axes(r, &s->replicated, NULL)) return false;
        } else if (hlo_take_text(&r->c, "unreduced=")) {
            hlo_str word = hlo_take_word(&r->c);
            const hlo_word_info *info = hlo_word_find(HLO_WORDS_REDUCTION, word);
            if (word.len && !info) return expected(r, "max, min or {");
            s->reduction = info ? info->number : 0;
            if (!read_axes(r, &s->unreduced, NULL)) return false;
        } else {
            return expected(r, "replicated= or unreduced=");
        }
    }
    return true;
}

/* `<@mesh, [...]>` */
static bool read_sharding(shardy_reader *r, hlo_shardy_sharding *s) {
    *s = (hlo_shardy_sharding){0};
    if (!take(r, "<")) return false;
    s->mesh = read_mesh_or_name(r);
    return s->mesh && take(r, ",") && read_dims(r, s) && read_other_axes(r, s) && take(r, ">");
}

static bool read_per_value(shardy_reader *r, hlo_shardy_shardings *out) {
    if (!take(r, "<") || !take(r, "[")) return false;
    while (!hlo_take(&r->c, ']')) {
        hlo_shardy_sharding s;
        if (out->n && !take(r, ",")) return false;
        if (!read_sharding(r, &s)) return false;
        hlo_list_push_in(r->arena, out, s);
    }
    return take(r, ">");
}

bool hlo_shardy_read_shardings(hlo_arena *arena, const hlo_shardy_meshes *meshes, hlo_str text,
                               hlo_shardy_shardings *out, const char **why) {
    shardy_reader r = {arena, hlo_cursor_of(text), meshes, why};
    hlo_shardy_sharding one;
    *why = NULL;
    *out = (hlo_shardy_shardings){0};
    if (hlo_take_text(&r.c, "#sdy.sharding_per_value")) {
        if (!read_per_value(&r, out)) return false;
    } else {
        if (!take(&r, "#sdy.sharding") || !read_sharding(&r, &one)) return false;
        hlo_list_push_in(arena, out, one);
    }
    return hlo_cursor_is_done(&r.c) || expected(&r, "the end");
}

/* ---- in terms of HLO ---- */

bool hlo_shardy_has_axis(hlo_axis_list axes, hlo_str name) {
    for (uint32_t i = 0; i < axes.n; i++)
        if (hlo_str_equal(axes.v[i].name, name)) return true;
    return false;
}

static hlo_axis_list without(hlo_arena *arena, hlo_axis_list from, hlo_axis_list axes) {
    axis_refs rest = {0};
    for (uint32_t i = 0; i < from.n; i++)
        if (!hlo_shardy_has_axis(axes, from.v[i].name)) hlo_list_push_in(arena, &rest, from.v[i]);
    return (hlo_axis_list){rest.n, rest.v};
}

hlo_shardy_sharding hlo_shardy_without(hlo_arena *arena, const hlo_shardy_sharding *sharding,
                                       hlo_axis_list axes) {
    hlo_shardy_sharding s = *sharding;
    hlo_dim_sharding *dims = HLO_NEW_ARRAY(arena, hlo_dim_sharding, s.rank);
    for (uint32_t i = 0; i < s.rank; i++) {
        dims[i] = s.dims[i];
        dims[i].axes = without(arena, s.dims[i].axes, axes);
    }
    s.dims = dims;
    s.replicated = without(arena, s.replicated, axes);
    s.unreduced = without(arena, s.unreduced, axes);
    return s;
}

const hlo_sharding *hlo_shardy_as_tiles(hlo_arena *arena, const hlo_shardy_sharding *sharding,
                                        hlo_axis_list manual, const char **why) {
    hlo_sharding read = {.kind = HLO_SHARDING_NAMED,
                         .mesh = sharding->mesh,
                         .has_dims = true,
                         .dim_count = sharding->rank,
                         .dims = sharding->dims,
                         .replicated = sharding->replicated,
                         .unreduced = sharding->unreduced,
                         .manual = manual,
                         .reduction = sharding->reduction};
    hlo_sharding all_manual = {.kind = HLO_SHARDING_MANUAL};
    if (manual.n && manual.n == sharding->mesh->n)
        return hlo_sharding_canonical(arena, &all_manual, why);
    const hlo_sharding *named = hlo_sharding_canonical(arena, &read, why);
    return named ? hlo_sharding_as_tiles(arena, named, why) : NULL;
}
