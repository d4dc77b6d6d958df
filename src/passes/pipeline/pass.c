/* The table of passes made from pass.def, and finding rows by name. */
#include "base/nearest.h"
#include "passes/pipeline/rewrite.h"

#define BOOL(name, fallback, about) \
    { #name, HLO_OPTION_BOOL, fallback, about }
#define INT(name, fallback, about) \
    { #name, HLO_OPTION_INT, fallback, about }
#define BYTES(name, fallback, about) \
    { #name, HLO_OPTION_BYTES, fallback, about }
#define TEXT(name, about) \
    { #name, HLO_OPTION_TEXT, 0, about }
#define NUMBERS(name, about) \
    { #name, HLO_OPTION_NUMBERS, 0, about }
#define TYPE(name, about) \
    { #name, HLO_OPTION_TYPE, HLO_TYPE_COUNT, about }
/* Of passes that have rewrites of the kind: see rewrites.def. */
#define FAST_MATH(fallback)                                                                       \
    BOOL(fast_math, fallback,                                                                     \
         "also rewrites that affect overflow, signs of zeros, NaNs, or more than 4 units in the " \
         "last place")
#define NO_OPTIONS \
    { NULL, HLO_OPTION_BOOL, 0, NULL }

const hlo_pass_info hlo_passes[HLO_PASS_COUNT] = {
#define HLO_PASS(id, name, group, class, function, about, ...) \
    [HLO_PASS_##id] = {name,                                   \
                       HLO_GROUP_##group,                      \
                       HLO_CLASS_##class,                      \
                       hlo_pass_##function,                    \
                       about,                                  \
                       (const hlo_pass_option[]){__VA_ARGS__, NO_OPTIONS}},
#include "passes/pipeline/pass.def"
#undef HLO_PASS
};

static const char *const group_names[HLO_GROUP_COUNT] = {
    [HLO_GROUP_AUTODIFF] = "differentiation",
    [HLO_GROUP_CLEANUP] = "clean-up",
    [HLO_GROUP_COLLECTIVE] = "collectives",
    [HLO_GROUP_CONTROL_FLOW] = "control flow",
    [HLO_GROUP_DATAFLOW] = "dataflow",
    [HLO_GROUP_EXPANDER] = "expanders",
    [HLO_GROUP_LAYOUT] = "layouts",
    [HLO_GROUP_MEMORY] = "memory",
    [HLO_GROUP_SPMD] = "SPMD",
    [HLO_GROUP_TOOL] = "tools",
};

static const char *const class_names[] = {
    [HLO_CLASS_EXACT] = "exact",
    [HLO_CLASS_TOLERANCE] = "within tolerance",
    [HLO_CLASS_VALUES] = "changes values",
    [HLO_CLASS_SIGNATURE] = "changes signature",
};

static const hlo_pass_graph_use graph_uses[HLO_PASS_COUNT] = {
#define HLO_PASS(id, ...)
#define HLO_PASS_OF_GRAPHS(id, use) [HLO_PASS_##id] = HLO_GRAPH_##use,
#include "passes/pipeline/pass.def"
#undef HLO_PASS_OF_GRAPHS
#undef HLO_PASS
};

hlo_pass_graph_use hlo_pass_graph_use_of(hlo_pass_id pass) {
    HLO_ASSERT(pass < sizeof graph_uses / sizeof *graph_uses);
    return graph_uses[pass];
}

const char *hlo_pass_group_name(hlo_pass_group group) {
    HLO_ASSERT(group < sizeof group_names / sizeof *group_names);
    return group_names[group];
}

const char *hlo_pass_class_name(hlo_pass_class class) {
    HLO_ASSERT(class < sizeof class_names / sizeof *class_names);
    return class_names[class];
}

/* ---- names ---- */

static char dashed(char c) {
    if (c == '_') return '-';
    return c;
}

static bool same_name(hlo_str given, const char *name) {
    if (strlen(name) != given.len) return false;
    for (uint32_t i = 0; i < given.len; i++)
        if (dashed(given.ptr[i]) != dashed(name[i])) return false;
    return true;
}

static const struct {
    hlo_pass_id pass;
    const char *name;
} aliases[] = {
#define HLO_PASS(id, ...)
#define HLO_PASS_ALIAS(id, name) {HLO_PASS_##id, name},
#include "passes/pipeline/pass.def"
#undef HLO_PASS_ALIAS
#undef HLO_PASS
};

const hlo_pass_info *hlo_pass_find(hlo_str name) {
    for (int i = 0; i < HLO_PASS_COUNT; i++)
        if (same_name(name, hlo_passes[i].name)) return &hlo_passes[i];
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (same_name(name, aliases[i].name)) return &hlo_passes[aliases[i].pass];
    return NULL;
}

int hlo_pass_type_option(const hlo_pass_info *pass) {
    for (int i = 0; pass->options[i].name; i++)
        if (pass->options[i].kind == HLO_OPTION_TYPE) return i;
    return -1;
}

const hlo_pass_info *hlo_pass_find_with_type(hlo_str name, hlo_type *type) {
    uint32_t dash = name.len;
    while (dash > 0 && dashed(name.ptr[dash - 1]) != '-') dash--;
    if (dash == 0) return NULL;
    const hlo_pass_info *pass = hlo_pass_find((hlo_str){name.ptr, dash - 1, 0});
    if (!pass || hlo_pass_type_option(pass) < 0) return NULL;
    *type = hlo_type_from_text(name.ptr + dash, name.len - dash);
    return *type == HLO_TYPE_COUNT ? NULL : pass;
}

int hlo_pass_find_option(const hlo_pass_info *pass, hlo_str name) {
    for (int i = 0; pass->options[i].name; i++)
        if (same_name(name, pass->options[i].name)) return i;
    return -1;
}

int hlo_pass_find_rewrite(const hlo_pass_info *pass, hlo_str name) {
    int id = 0;
    for (; id < HLO_REWRITE_COUNT; id++)
        if (hlo_rewrites[id].pass == hlo_pass_id_of(pass) && same_name(name, hlo_rewrites[id].name))
            break;
    return id;
}

/* ---- the nearest name ---- */

static void consider(hlo_nearest *search, const char *name) {
    hlo_nearest_try(search, name, strlen(name), false);
}

const char *hlo_pass_nearest(hlo_str name) {
    hlo_nearest search = hlo_nearest_to(name.ptr, name.len);
    for (int i = 0; i < HLO_PASS_COUNT; i++) consider(&search, hlo_passes[i].name);
    consider(&search, "fix");
    return search.name;
}

const char *hlo_pass_nearest_option(const hlo_pass_info *pass, hlo_str name) {
    hlo_nearest search = hlo_nearest_to(name.ptr, name.len);
    for (int i = 0; pass->options[i].name; i++) consider(&search, pass->options[i].name);
    for (int k = 0; k < HLO_REWRITE_COUNT; k++)
        if (hlo_rewrites[k].pass == hlo_pass_id_of(pass)) consider(&search, hlo_rewrites[k].name);
    consider(&search, "rewrites");
    return search.name;
}
