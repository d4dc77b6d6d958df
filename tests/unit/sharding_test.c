/* Canonical forms, printing, expansion and equality of shardings and replica groups. The expected
 * texts are what XLA prints for the same input. */
#include <stdio.h>
#include <stdlib.h>

#include "ir/ir.h"
#include "unit/check.h"

static hlo_arena arena;

static void check_text(const char *what, const char *got, size_t n, const char *wanted) {
    if (strlen(wanted) == n && memcmp(got, wanted, n) == 0) {
        passed++;
    } else {
        failed++;
        printf("failed: %s\n  got    %.*s\n  wanted %s\n", what, (int)n, got, wanted);
    }
}

/* ---- building from short texts ---- */

/* "2,3" as a list; NULL stays NULL. */
static const hlo_ints *ints(const char *text) {
    if (!text) return NULL;
    int64_t v[64];
    uint32_t n = 0;
    for (const char *at = text; *at;) {
        char *end;
        v[n++] = strtoll(at, &end, 10);
        at = *end ? end + 1 : end;
    }
    return hlo_ints_from(&arena, v, n);
}

static const hlo_iota_list *iota(const char *dims, const char *perm) {
    if (!dims) return NULL;
    hlo_iota_list *list = HLO_NEW(&arena, hlo_iota_list);
    list->dims = ints(dims);
    list->perm = ints(perm);
    return list;
}

/* The word before the next blank; moves `at` after it. */
static hlo_str word(const char **at) {
    const char *from = *at;
    while (**at && **at != ' ') ++*at;
    hlo_str text = {from, (uint32_t)(*at - from), 0};
    if (**at) ++*at;
    return text;
}

static hlo_str until(hlo_str *text, char stop) {
    const char *end = memchr(text->ptr, stop, text->len);
    hlo_str head = {text->ptr, end ? (uint32_t)(end - text->ptr) : text->len, 0};
    uint32_t used = head.len + (end != NULL);
    *text = (hlo_str){text->ptr + used, text->len - used, 0};
    return head;
}

/* "x=2 y=4" */
static hlo_mesh *mesh(const char *text) {
    hlo_mesh *made = HLO_NEW(&arena, hlo_mesh);
    hlo_mesh_axis *axes = HLO_NEW_ARRAY(&arena, hlo_mesh_axis, 16);
    while (*text) {
        hlo_str size = word(&text), name = until(&size, '=');
        axes[made->n++] = (hlo_mesh_axis){name, strtoll(size.ptr, NULL, 10)};
    }
    made->axes = axes;
    return made;
}

/* "x y:2:4": whole x, the part of y of size 4 with 2 before it */
static hlo_axis_list axes(const char *text) {
    hlo_axis_ref *refs = HLO_NEW_ARRAY(&arena, hlo_axis_ref, 16);
    uint32_t n = 0;
    while (text && *text) {
        hlo_str part = word(&text), name = until(&part, ':');
        refs[n] = (hlo_axis_ref){.name = name, .is_sub_axis = part.len != 0};
        if (part.len) {
            refs[n].pre_size = strtoll(part.ptr, NULL, 10);
            until(&part, ':');
            refs[n].size = strtoll(part.ptr, NULL, 10);
        }
        n++;
    }
    return (hlo_axis_list){n, refs};
}

/* ---- checking one case ---- */

static void check_sharding(const hlo_sharding *read, const char *wanted) {
    const char *why = NULL;
    const hlo_sharding *s = hlo_sharding_canonical(&arena, read, &why);
    if (!wanted) {
        check(!s && why && *why, "an impossible sharding is refused with a message");
        return;
    }
    if (!s) {
        failed++;
        printf("failed: %s was refused: %s\n", wanted, why);
        return;
    }
    hlo_buf buf = HLO_BUF_INIT;
    hlo_sharding_print(&buf, s, true);
    check_text("a sharding prints", buf.data, buf.len, wanted);
    hlo_buf_free(&buf);
    check(hlo_sharding_equal(s, s) &&
              hlo_sharding_equal(s, hlo_sharding_canonical(&arena, read, &why)),
          "a sharding equals itself");
}

/* ---- tiles ---- */

static const struct {
    const char *dims, *devices, *iota, *perm;
    bool replicate_last;
    const char *kinds;  /* Replicated, Manual, Unreduced, maXimal */
    const char *prints; /* NULL: refused */
} tiles[] = {
    {"2,2", "0,1,2,3", NULL, NULL, false, "", "{devices=[2,2]0,1,2,3}"},
    {"2,2", NULL, "4", NULL, false, "", "{devices=[2,2]<=[4]}"},
    {"2,2", NULL, "2,2", "1,0", false, "", "{devices=[2,2]<=[2,2]T(1,0)}"},
    {"2,4", NULL, "2,4", "0,1", false, "", "{devices=[2,4]<=[8]}"},
    {"2,4", NULL, "2,1,4", "2,1,0", false, "", "{devices=[2,4]<=[2,4]T(1,0)}"},
    {"2,4", NULL, "2,2,2", "2,0,1", false, "", "{devices=[2,4]<=[4,2]T(1,0)}"},
    {"1", NULL, "1,1", "1,0", false, "", "{devices=[1]<=[1]}"},
    /* replicated last dimensions */
    {"2,1,2", NULL, "4", NULL, true, "", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
    {"2,1,2", NULL, "4", NULL, false, "R", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
    {"1,1,4", NULL, "4", NULL, false, "R", "{replicated}"},
    {"2,1", "0,1", NULL, NULL, true, "", "{devices=[2]0,1}"},
    {"2,2", "3,2,1,0", NULL, NULL, true, "", "{devices=[2,2]2,3,0,1 last_tile_dim_replicate}"},
    {"2,6", NULL, "3,4", "1,0", true, "",
     "{devices=[2,6]<=[3,2,2]T(1,0,2) last_tile_dim_replicate}"},
    {"3,4", NULL, "2,2,3", "1,0,2", true, "",
     "{devices=[3,4]0,1,2,6,3,4,7,8,5,9,10,11 last_tile_dim_replicate}"},
    /* subgroups */
    {"2,1,2", "0,1,2,3", NULL, NULL, false, "M",
     "{devices=[2,1,2]0,1,2,3 last_tile_dims={manual}}"},
    {"2,1,2,2", NULL, "8", NULL, false, "RM",
     "{devices=[2,1,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}"},
    {"2,2,2,2", NULL, "16", NULL, false, "URM",
     "{devices=[2,2,2,2]<=[2,4,2]T(0,2,1) last_tile_dims={manual, unreduced, replicated}}"},
    {"2,2,2", NULL, "8", NULL, false, "MM", "{devices=[2,4]<=[8] last_tile_dims={manual}}"},
    {"2,2,2", "7,6,5,4,3,2,1,0", NULL, NULL, false, "RM",
     "{devices=[2,2,2]5,7,4,6,1,3,0,2 last_tile_dims={manual, replicated}}"},
    {"2,1,2", NULL, "4", NULL, false, "MR", "{devices=[2,2]<=[4] last_tile_dim_replicate}"},
    {"4", NULL, "4", NULL, false, "U", "{unreduced}"},
    {"2,2", NULL, "4", NULL, false, "XX", "{devices=[4]<=[4] last_tile_dims={maximal}}"},
    {"2,2,2", NULL, "8", NULL, false, "MX",
     "{devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={maximal, manual}}"},
    {"1,1,1", NULL, "1", NULL, false, "RM", "{devices=[1]<=[1]}"},
    /* impossible */
    {"1", "0", NULL, NULL, false, "", NULL},
    {"2,2", "0,1,2", NULL, NULL, false, "", NULL},
    {"2,2", NULL, NULL, NULL, false, "", NULL},
    {"2,2", NULL, "8", NULL, false, "", NULL},
    {"2,2", NULL, "2,2", "0,0", false, "", NULL},
    {"2,2", NULL, "2,2", "2,0", false, "", NULL},
    {"2,2", NULL, "2,2", "-1,0", false, "", NULL},
    {"2,2", NULL, "2,2", "0", false, "", NULL},
    {"2,2", NULL, "2,2", NULL, false, "", NULL},
    {"2,2", "0,1,2,3", "4", NULL, false, "", NULL},
    {"0,2", NULL, "0", NULL, false, "", NULL},
    {"-2,-2", NULL, "4", NULL, false, "", NULL},
    {"2,2", NULL, "4", NULL, false, "MRU", NULL},
    {"2,2", NULL, "4", NULL, true, "M", NULL},
    {"9223372036854775807,9223372036854775807", NULL, "4", NULL, true, "", NULL},
    {"4611686018427387904,4", NULL, "4611686018427387904,4", "1,0", false, "", NULL},
    /* huge, but never written out */
    {"1073741824,1073741824", NULL, "1073741824,1073741824", "1,0", false, "",
     "{devices=[1073741824,1073741824]<=[1073741824,1073741824]T(1,0)}"},
    {"1073741824,1073741824", NULL, "1073741824,1073741824", "1,0", false, "RM", NULL},
};

static hlo_sharding tile_case(size_t i) {
    hlo_sharding s = {.kind = HLO_SHARDING_TILED, .tile_dims = ints(tiles[i].dims)};
    s.devices = ints(tiles[i].devices);
    s.iota = iota(tiles[i].iota, tiles[i].perm);
    s.replicate_last = tiles[i].replicate_last;
    s.last_kind_count = (uint32_t)strlen(tiles[i].kinds);
    uint8_t *kinds = hlo_arena_zero(&arena, s.last_kind_count + 1);
    for (uint32_t k = 0; k < s.last_kind_count; k++) {
        char c = tiles[i].kinds[k];
        kinds[k] = c == 'R'   ? HLO_SHARDING_REPLICATED
                   : c == 'M' ? HLO_SHARDING_MANUAL
                   : c == 'U' ? HLO_SHARDING_UNREDUCED
                              : HLO_SHARDING_MAXIMAL;
    }
    s.last_kinds = kinds;
    return s;
}

static void test_tiles(void) {
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        hlo_sharding s = tile_case(i);
        check_sharding(&s, tiles[i].prints);
    }
    hlo_sharding listed = {
        .kind = HLO_SHARDING_TILED, .tile_dims = ints("2,2"), .devices = ints("0,2,1,3")};
    hlo_sharding counted = {
        .kind = HLO_SHARDING_TILED, .tile_dims = ints("2,2"), .iota = iota("2,2", "1,0")};
    check(hlo_sharding_equal(&listed, &counted), "a list equals the iota that makes it");
    counted.iota = iota("4", "0");
    check(!hlo_sharding_equal(&listed, &counted), "other orders of devices differ");
}

/* ---- words, groups, metadata, tuples ---- */

static void test_words(void) {
    hlo_metadata named = {.op_name = HLO_STR("x")}, empty = {0};
    const hlo_metadata *both[] = {&named, &empty};
    hlo_sharding s = {.kind = HLO_SHARDING_REPLICATED};
    check_sharding(&s, "{replicated}");
    s.iota = iota("2", NULL); /* devices of a word are forgotten when they are an iota */
    check_sharding(&s, "{replicated}");
    s.devices = ints("1");
    check_sharding(&s, NULL);
    s = (hlo_sharding){.kind = HLO_SHARDING_MAXIMAL, .devices = ints("3")};
    check_sharding(&s, "{maximal device=3}");
    s.devices = ints("3,4");
    check_sharding(&s, NULL);
    s = (hlo_sharding){
        .kind = HLO_SHARDING_MANUAL, .group_kind = HLO_SHARD_AS, .group = 2, .has_metadata = true};
    s.metadata = (hlo_metadata_list){1, both};
    check_sharding(&s, "{manual shard_as 2 metadata={op_name=\"x\"}}");
    s.metadata.n = 2;
    s.group_kind = HLO_SHARD_LIKE;
    check_sharding(&s, "{manual shard_like 2 metadata={{op_name=\"x\"}, {}}}");
    s = (hlo_sharding){.kind = HLO_SHARDING_UNKNOWN, .has_metadata = true};
    check_sharding(&s, "{unknown metadata={}}");
}

static void test_tuples(void) {
    hlo_sharding one = {.kind = HLO_SHARDING_REPLICATED};
    const hlo_sharding *six[] = {&one, &one, &one, &one, &one, &one};
    hlo_sharding s = {.kind = HLO_SHARDING_TUPLE, .n = 6, .elements = six};
    check_sharding(&s, "{{replicated}, {replicated}, {replicated}, {replicated}, {replicated}, "
                       "/*index=5*/{replicated}}");
    const hlo_sharding *nested[] = {&s};
    hlo_sharding deep = {.kind = HLO_SHARDING_TUPLE, .n = 1, .elements = nested};
    check_sharding(&deep, NULL);
    s.n = 0;
    check_sharding(&s, "{}");

    hlo_shapes_table shapes;
    hlo_shapes_init(&shapes, &arena);
    const hlo_shape *leaf = hlo_shape_scalar(&shapes, HLO_F32);
    const hlo_shape *pair = hlo_shape_tuple(&shapes, (const hlo_shape *[]){leaf, leaf}, 2);
    const hlo_shape *tree = hlo_shape_tuple(&shapes, (const hlo_shape *[]){pair, leaf}, 2);
    check(hlo_sharding_for_shape(&arena, &one, leaf) == &one, "an array keeps its sharding");
    check(hlo_sharding_for_shape(&arena, &one, tree)->n == 3,
          "one sharding is repeated for each leaf");
    check(hlo_sharding_for_shape(&arena, &one, hlo_shape_tuple(&shapes, NULL, 0))->n == 1,
          "the empty tuple has one sharding");
    check(hlo_sharding_for_shape(&arena, &s, tree) == &s, "a tuple of shardings stays");
    hlo_shapes_free(&shapes);
}

/* ---- the named form ---- */

static const struct {
    const char *mesh, *ids, *iota, *perm;
    char word;           /* r, m, u or 0 */
    const char *dims[3]; /* a leading '?' marks an open dimension */
    const char *replicated, *unreduced, *manual;
    const char *prints;
} names[] = {
    {"x=2 y=2", 0, 0, 0, 0, {"x", "y"}, 0, 0, 0, "{mesh['x'=2,'y'=2], [{'x'}, {'y'}]}"},
    {"x=2 y=4",
     0,
     0,
     0,
     0,
     {"?x", "y:1:2"},
     "y:2:2",
     0,
     0,
     "{mesh['x'=2,'y'=4], [{'x', ?}, {'y':(1)2}], replicated={'y':(2)2}}"},
    {"x=2 y=2", 0, 0, 0, 0, {"0", "?"}, 0, 0, 0, "{mesh['x'=2,'y'=2], [{'x'}, {?}]}"},
    {"x=2 1=3 0=5", 0, 0, 0, 0, {"0", "1"}, 0, 0, 0, "{mesh['x'=2,'1'=3,'0'=5], [{'0'}, {'1'}]}"},
    {"x=2 y=2",
     "3,2,1,0",
     0,
     0,
     0,
     {"x", ""},
     0,
     "y",
     0,
     "{mesh['x'=2,'y'=2], device_ids=(3,2,1,0), [{'x'}, {}], unreduced={'y'}}"},
    {"x=2 y=2",
     0,
     "2,2",
     "1,0",
     0,
     {"x", ""},
     0,
     0,
     "y",
     "{mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)), [{'x'}, {}], manual={'y'}}"},
    {"x=2 y=4", 0, "2,4", "0,1", 0, {"x", ""}, 0, 0, 0, "{mesh['x'=2,'y'=4], [{'x'}, {}]}"},
    {"x=4", 0, 0, 0, 0, {"x:2:2 x:1:2"}, 0, 0, 0, "{mesh['x'=4], [{'x':(2)2, 'x':(1)2}]}"},
    {"x=12", 0, 0, 0, 0, {"x:1:2", "x:6:2"}, 0, 0, 0, "{mesh['x'=12], [{'x':(1)2}, {'x':(6)2}]}"},
    {"x=2", 0, 0, 0, 'r', {0}, 0, 0, 0, "{mesh['x'=2], replicated}"},
    {"x=2", 0, 0, 0, 'm', {0}, 0, 0, 0, "{mesh['x'=2], manual}"},
    {"x=2", 0, 0, 0, 'u', {0}, 0, 0, 0, "{mesh['x'=2], unreduced}"},
    {"", 0, 0, 0, 'r', {0}, 0, 0, 0, "{mesh[], replicated}"},
    {"", 0, 0, 0, 0, {"", "?"}, 0, 0, 0, "{mesh[], [{}, {?}]}"},
    /* no dimensions: a word if one fits */
    {"x=2", 0, 0, 0, 0, {0}, 0, 0, 0, "{mesh['x'=2], replicated}"},
    {"x=2 y=2", 0, 0, 0, 0, {0}, 0, 0, "x y", "{mesh['x'=2,'y'=2], manual}"},
    {"x=1 y=2", 0, 0, 0, 0, {0}, 0, 0, "y", "{mesh['x'=1,'y'=2], manual}"},
    {"x=2 y=2", 0, 0, 0, 0, {0}, 0, "x", 0, "{mesh['x'=2,'y'=2], [], unreduced={'x'}}"},
    {"x=2 y=2",
     0,
     0,
     0,
     0,
     {0},
     "x",
     0,
     "y",
     "{mesh['x'=2,'y'=2], [], replicated={'x'}, manual={'y'}}"},
    /* impossible */
    {"", 0, 0, 0, 'm', {0}, 0, 0, 0, NULL},
    {"x=2", 0, 0, 0, 0, {"z"}, 0, 0, 0, NULL},
    {"x=2", 0, 0, 0, 0, {"1"}, 0, 0, 0, NULL},
    {"x=2", 0, 0, 0, 0, {"-1"}, 0, 0, 0, NULL},
    {"x=2", 0, 0, 0, 0, {"x", "x"}, 0, 0, 0, NULL},
    {"x=2 x=2", 0, 0, 0, 0, {"x"}, 0, 0, 0, NULL},
    {"x=2", 0, 0, 0, 0, {"x"}, "x", 0, 0, NULL},
    {"x=2 y=2", 0, 0, 0, 0, {"", ""}, "y x", 0, 0, NULL},
    {"x=4", 0, 0, 0, 0, {"x:1:2 x:2:2"}, 0, 0, 0, NULL},
    {"x=4", 0, 0, 0, 0, {"x:1:4"}, 0, 0, 0, NULL},
    {"x=4", 0, 0, 0, 0, {"x:1:1"}, 0, 0, 0, NULL},
    {"x=4", 0, 0, 0, 0, {"x:0:2"}, 0, 0, 0, NULL},
    {"x=4", 0, 0, 0, 0, {"x:4:2"}, 0, 0, 0, NULL},
    {"x=4611686018427387904",
     0,
     0,
     0,
     0,
     {"x:4611686018427387904:4611686018427387904"},
     0,
     0,
     0,
     NULL},
    {"x=12", 0, 0, 0, 0, {"x:1:2", "x:3:2"}, 0, 0, 0, NULL},
    {"x=2 y=2", "0,1,2,3", 0, 0, 0, {"x"}, 0, 0, 0, NULL},
    {"x=2 y=2", "0,1,3,3", 0, 0, 0, {"x"}, 0, 0, 0, NULL},
    {"x=2 y=2", "1,0,2", 0, 0, 0, {"x"}, 0, 0, 0, NULL},
    {"x=2 y=2", 0, "8", NULL, 0, {"x"}, 0, 0, 0, NULL},
    {"x=0", 0, 0, 0, 0, {"x"}, 0, 0, 0, NULL},
    {"x=4611686018427387904 y=4611686018427387904", 0, 0, 0, 0, {"x"}, 0, 0, 0, NULL},
};

static hlo_sharding name_case(size_t i) {
    hlo_mesh *m = mesh(names[i].mesh);
    m->device_ids = ints(names[i].ids);
    m->device_iota = iota(names[i].iota, names[i].perm);
    hlo_sharding s = {.kind = HLO_SHARDING_NAMED, .mesh = m, .named_word = names[i].word != 0};
    s.word = names[i].word == 'm'   ? HLO_SHARDING_MANUAL
             : names[i].word == 'u' ? HLO_SHARDING_UNREDUCED
                                    : HLO_SHARDING_REPLICATED;
    hlo_dim_sharding *dims = HLO_NEW_ARRAY(&arena, hlo_dim_sharding, 3);
    for (; s.dim_count < 3 && names[i].dims[s.dim_count]; s.dim_count++) {
        const char *text = names[i].dims[s.dim_count];
        dims[s.dim_count].open = *text == '?';
        dims[s.dim_count].axes = axes(text + (*text == '?'));
    }
    s.dims = dims;
    s.replicated = axes(names[i].replicated);
    s.unreduced = axes(names[i].unreduced);
    s.manual = axes(names[i].manual);
    return s;
}

static void test_names(void) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hlo_sharding s = name_case(i);
        check_sharding(&s, names[i].prints);
    }
    hlo_mesh maximal = {.maximal = true, .device_id = 3};
    hlo_sharding s = {.kind = HLO_SHARDING_NAMED, .mesh = &maximal};
    check_sharding(&s, "{maximal_mesh[device_id=3]}");
    s.has_metadata = true;
    check_sharding(&s, "{maximal_mesh[device_id=3], metadata={{}}}");
}

/* ---- replica groups ---- */

static const struct {
    const char *iota, *perm; /* or */
    const char *mesh, *axes;
    int64_t count, size;
    const char *prints, *expanded;
} groups[] = {
    {"8", 0, 0, 0, 2, 4, "[2,4]<=[8]", "{{0,1,2,3},{4,5,6,7}}"},
    {"2,1,4", "2,1,0", 0, 0, 2, 4, "[2,4]<=[2,4]T(1,0)", "{{0,4,1,5},{2,6,3,7}}"},
    {0, 0, "x=2 y=2", "x", 0, 0, "mesh['x'=2,'y'=2] {'x'}", "{{0,2},{1,3}}"},
    {0, 0, "x=2 y=2", "y x", 0, 0, "mesh['x'=2,'y'=2] {'y','x'}", "{{0,2,1,3}}"},
    {0, 0, "x=2 y=4", "y:2:2 x", 0, 0, "mesh['x'=2,'y'=4] {'y':(2)2,'x'}", "{{0,4,1,5},{2,6,3,7}}"},
    {0, 0, "x=8", "x:4:2 x:1:2", 0, 0, "mesh['x'=8] {'x':(4)2,'x':(1)2}", "{{0,4,1,5},{2,6,3,7}}"},
    {0, 0, "x=1 y=2", "x y", 0, 0, "mesh['x'=1,'y'=2] {'x','y'}", "{{0,1}}"},
    {"8", 0, 0, 0, 2, 2, NULL, NULL},
    {"4", 0, 0, 0, -2, -2, NULL, NULL},
    {"1073741824,1073741824", "1,0", 0, 0, 1073741824, 1073741824, NULL, NULL},
    {0, 0, "x=2 y=2", "x x", 0, 0, NULL, NULL},
    {0, 0, "", "", 0, 0, NULL, NULL},
};

static void check_groups(const hlo_groups *read, const char *prints, const char *expanded) {
    const char *why = NULL;
    const hlo_groups *g = hlo_groups_canonical(&arena, read, &why);
    if (!prints || !g) {
        check(!prints && !g && why, "impossible groups are refused");
        return;
    }
    hlo_buf buf = HLO_BUF_INIT;
    hlo_groups_print(&buf, g);
    check_text("groups print", buf.data, buf.len, prints);
    buf.len = 0;
    hlo_groups listed = {.form = HLO_GROUPS_LIST, .lists = hlo_groups_expand(&arena, g)};
    hlo_groups_print(&buf, &listed);
    check_text("groups written out", buf.data, buf.len, expanded);
    hlo_buf_free(&buf);
}

static void test_groups(void) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        hlo_groups g = {.group_count = groups[i].count, .group_size = groups[i].size};
        g.form = groups[i].iota ? HLO_GROUPS_IOTA : HLO_GROUPS_MESH;
        g.iota = iota(groups[i].iota, groups[i].perm);
        if (groups[i].mesh) g.mesh = mesh(groups[i].mesh);
        g.axes = axes(groups[i].axes);
        check_groups(&g, groups[i].prints, groups[i].expanded);
    }
    hlo_groups none = {.form = HLO_GROUPS_LIST};
    check_groups(&none, "{}", "{}");
    check(!hlo_groups_expand(&arena, &none), "no groups are all devices");
    hlo_int_lists *one = hlo_arena_zero(&arena, sizeof *one + sizeof *one->v);
    one->n = 1;
    one->v[0] = hlo_ints_new(&arena, 0);
    none.lists = one;
    check_groups(&none, "{{}}", "{{}}");
}

int main(void) {
    hlo_arena_init(&arena);
    test_tiles();
    test_words();
    test_tuples();
    test_names();
    test_groups();
    hlo_arena_free(&arena);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
