/* Attributes of the dialect sdy in bytecode, in the form that MLIR text has for them:
 * #sdy.sharding<@mesh, [{"x", ?}p1, {}], replicated={"y"}>. */
#include <stdio.h>

#include "mlir/bytecode.h"

/* ---- axes ---- */

static const hlo_mlir_attr *string(hlo_bc *r, hlo_str text) {
    return hlo_bc_text_attr(r, HLO_MLIR_STRING, text);
}

/* Attributes that texts have without their name inside others: what they consist of. */
static bool parts_of(hlo_bc_in *in, const char *name, const hlo_mlir_attr **out) {
    const char *from = in->at;
    if (!hlo_bc_attr_of(in, HLO_MLIR_STRUCT, out)) return false;
    return (hlo_str_is((*out)->u.text, name) && (*out)->list.n) ||
           hlo_bc_bad_at(in->r, from, HLO_RULE_MESSAGE, "#%.*s, where #%s is expected",
                         HLO_BC_SHOWN((*out)->u.text), name);
}

static bool struct_of(hlo_bc *r, const char *name, const hlo_mlir_attr *value,
                      const hlo_mlir_attr **out) {
    hlo_bc_members m = {.r = r};
    hlo_bc_member(&m, NULL, value);
    *out = hlo_bc_struct(&m, name);
    return true;
}

static const hlo_mlir_attr *list_of(hlo_bc *r, char bracket, uint32_t n,
                                    const hlo_mlir_attr *const *v) {
    return bracket == '{' ? hlo_bc_braces(r, n, v) : hlo_bc_list_attr(r, bracket, n, v);
}

/* A list of attributes of that name, whose only parameter is what texts have. */
static bool inner_list(hlo_bc_in *in, const char *name, char bracket, const hlo_mlir_attr **out) {
    uint32_t n;
    if (!hlo_bc_count(in, &n)) return false;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *part;
        if (!parts_of(in, name, &part)) return false;
        v[i] = part->list.v[0].value;
    }
    *out = list_of(in->r, bracket, n, v);
    return true;
}

static bool axes(hlo_bc_in *in, const hlo_mlir_attr **out) {
    return inner_list(in, "sdy.axis_ref", '{', out);
}

static bool sub_axis(hlo_bc_in *in, const hlo_mlir_attr **out) {
    int64_t v[2];
    return hlo_bc_signed(in, &v[0]) && hlo_bc_signed(in, &v[1]) &&
           struct_of(in->r, "sdy.sub_axis_info", hlo_bc_numbers(in->r, 2, v), out);
}

/* "x", or a part of it: "x":(2)4. */
static bool axis_ref(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_str name;
    const hlo_mlir_attr *part;
    if (!hlo_bc_string(in, &name) || !hlo_bc_optional_attr(in, &part)) return false;
    if (!part) return struct_of(in->r, "sdy.axis_ref", string(in->r, name), out);
    bool is_part = part->kind == HLO_MLIR_STRUCT && part->list.n == 1 &&
                   hlo_str_is(part->u.text, "sdy.sub_axis_info");
    hlo_mlir_list numbers = is_part ? part->list.v[0].value->list : (hlo_mlir_list){0};
    if (numbers.n != 2) return hlo_bc_bad(in, "an axis whose part is another attribute");
    hlo_bc_members m = {.r = in->r};
    hlo_bc_member(&m, "name", string(in->r, name));
    hlo_bc_member(&m, "pre_size", numbers.v[0].value);
    hlo_bc_member(&m, "size", numbers.v[1].value);
    return struct_of(in->r, "sdy.axis_ref", hlo_bc_struct(&m, "sdy.axis_ref"), out);
}

static bool manual_axes(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n;
    if (!hlo_bc_count(in, &n)) return false;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &v[i])) return false;
    return struct_of(in->r, "sdy.manual_axes", hlo_bc_braces(in->r, n, v), out);
}

/* ---- meshes ---- */

static bool mesh_axis(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_str name;
    int64_t size;
    if (!hlo_bc_string(in, &name) || !hlo_bc_signed(in, &size)) return false;
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_STRUCT);
    hlo_mlir_named *axis = HLO_NEW(in->r->arena, hlo_mlir_named);
    *axis = (hlo_mlir_named){.key = name, .value = hlo_bc_int_attr(in->r, size, NULL)};
    attr->u.text = HLO_STR("sdy.mesh_axis");
    attr->list = (hlo_mlir_list){1, axis};
    *out = attr;
    return true;
}

static bool mesh(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n, ids;
    int64_t *v;
    const hlo_mlir_attr *axis;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_count(in, &n)) return false;
    hlo_mlir_named *named = HLO_NEW_ARRAY(in->r->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!parts_of(in, "sdy.mesh_axis", &axis)) return false;
        named[i] = axis->list.v[0];
    }
    if (!hlo_bc_ints(in, &ids, &v)) return false;
    hlo_mlir_attr *list = hlo_bc_new_attr(in->r, HLO_MLIR_LIST);
    list->bracket = '[';
    list->list = (hlo_mlir_list){n, named};
    hlo_bc_member(&m, NULL, list);
    hlo_bc_numbers_member(&m, "device_ids", ids, v);
    *out = hlo_bc_struct(&m, "sdy.mesh");
    return true;
}

/* ---- shardings ---- */

/* {"x", ?}p1 is two elements of the list around it: the braces, and a word. */
static bool dimension(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *list;
    uint8_t is_closed;
    uint64_t priority;
    bool has_priority;
    char word[24];
    hlo_bc_members m = {.r = in->r};
    if (!axes(in, &list) || !hlo_bc_byte(in, &is_closed) ||
        !hlo_bc_flagged(in, &priority, &has_priority))
        return false;
    if (!is_closed) {
        uint32_t n = list->list.n;
        const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, n + 1);
        for (uint32_t i = 0; i < n; i++) v[i] = list->list.v[i].value;
        v[n] = hlo_bc_word(in->r, "?");
        list = hlo_bc_braces(in->r, n + 1, v);
    }
    hlo_bc_member(&m, NULL, list);
    if (has_priority) {
        int n = snprintf(word, sizeof word, "p%llu", (unsigned long long)priority);
        hlo_str text = {hlo_arena_copy(in->r->arena, word, (size_t)n), (uint32_t)n, 1};
        hlo_bc_member(&m, NULL, hlo_bc_text_attr(in->r, HLO_MLIR_WORD, text));
    }
    *out = hlo_bc_struct(&m, "sdy.dimension_sharding");
    return true;
}

static bool dimensions(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n, count = 0;
    const hlo_mlir_attr *part;
    if (!hlo_bc_count(in, &n)) return false;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, 2 * (size_t)n);
    for (uint32_t i = 0; i < n; i++) {
        if (!parts_of(in, "sdy.dimension_sharding", &part)) return false;
        for (uint32_t k = 0; k < part->list.n; k++) v[count++] = part->list.v[k].value;
    }
    *out = hlo_bc_list_attr(in->r, '[', count, v);
    return true;
}

/* @mesh, or mesh<...>: a word and its parameters. */
static bool mesh_of(hlo_bc_in *in, hlo_bc_members *m) {
    const hlo_mlir_attr *of;
    if (!hlo_bc_attr(in, &of)) return false;
    if (of->kind == HLO_MLIR_SYMBOL) {
        hlo_bc_member(m, NULL, of);
        return true;
    }
    if (of->kind != HLO_MLIR_STRUCT || !hlo_str_is(of->u.text, "sdy.mesh"))
        return hlo_bc_bad(in, "a sharding whose mesh is neither a symbol nor a mesh");
    hlo_mlir_attr *inside = hlo_bc_new_attr(in->r, HLO_MLIR_LIST);
    inside->bracket = '<';
    inside->list = of->list;
    hlo_bc_member(m, NULL, hlo_bc_word(in->r, "mesh"));
    hlo_bc_member(m, NULL, inside);
    return true;
}

/* Editions: without unreduced axes, with them, and with the operation by which they are reduced. */
static bool sharding(hlo_bc_in *in, int edition, const hlo_mlir_attr **out) {
    static const char *const operations[] = {NULL, "max", "min"};
    hlo_bc_members m = {.r = in->r};
    const hlo_mlir_attr *dims, *replicated, *unreduced = NULL;
    int64_t operation = 0;
    if (!mesh_of(in, &m) || !dimensions(in, &dims) || !axes(in, &replicated) ||
        (edition > 1 && !axes(in, &unreduced)) || (edition > 2 && !hlo_bc_signed(in, &operation)))
        return false;
    if (operation < 0 || operation > 2)
        return hlo_bc_bad(in, "a reduction with number %lld", (long long)operation);
    hlo_bc_member(&m, NULL, dims);
    if (replicated->list.n) hlo_bc_member(&m, "replicated", replicated);
    if (unreduced && unreduced->list.n) {
        const char *word = operations[operation];
        hlo_bc_member(&m, "unreduced", word ? hlo_bc_word(in->r, word) : unreduced);
        if (word) hlo_bc_member(&m, NULL, unreduced);
    }
    *out = hlo_bc_struct(&m, "sdy.sharding");
    return true;
}

static bool per_value(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n;
    if (!hlo_bc_count(in, &n)) return false;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++)
        if (!parts_of(in, "sdy.sharding", &v[i])) return false;
    const hlo_mlir_attr *list = hlo_bc_list_attr(in->r, '[', n, v);
    return struct_of(in->r, "sdy.sharding_per_value", hlo_bc_unnamed(in->r, list), out);
}

/* ---- rules of operations: ([i, j],[j, k])->([i, k]) {i=8, j=16, k=8} reduction={j} ---- */

/* The letters of factors begin at i; after z come z_1, z_2. */
static const hlo_mlir_attr *factor(hlo_bc *r, int64_t number) {
    enum { LETTERS = 17 };
    char name[32];
    int n = number <= LETTERS ? snprintf(name, sizeof name, "%c", (char)('i' + number))
                              : snprintf(name, sizeof name, "z_%lld", (long long)number - LETTERS);
    hlo_str text = {hlo_arena_copy(r->arena, name, (size_t)n), (uint32_t)n, 1};
    return hlo_bc_text_attr(r, HLO_MLIR_WORD, text);
}

static bool factors(hlo_bc_in *in, char bracket, const hlo_mlir_attr **out) {
    uint32_t n;
    int64_t *numbers;
    if (!hlo_bc_ints(in, &n, &numbers)) return false;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] < 0)
            return hlo_bc_bad(in, "a factor with number %lld", (long long)numbers[i]);
        v[i] = factor(in->r, numbers[i]);
    }
    *out = list_of(in->r, bracket, n, v);
    return true;
}

/* The letters of a dimension stand side by side; '*' is for none. */
static bool dim_mapping(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *list;
    hlo_buf text = HLO_BUF_INIT;
    if (!factors(in, '[', &list)) return false;
    for (uint32_t i = 0; i < list->list.n; i++) hlo_buf_str(&text, list->list.v[i].value->u.text);
    if (!text.len) hlo_buf_char(&text, '*');
    hlo_str word = {hlo_arena_copy(in->r->arena, text.data, text.len), (uint32_t)text.len, 1};
    hlo_buf_free(&text);
    return struct_of(in->r, "sdy.dim_mapping", hlo_bc_text_attr(in->r, HLO_MLIR_WORD, word), out);
}

static bool tensor_mapping(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *list;
    return inner_list(in, "sdy.dim_mapping", '[', &list) &&
           struct_of(in->r, "sdy.tensor_mapping", list, out);
}

static bool factor_sizes(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n;
    int64_t *sizes;
    if (!hlo_bc_ints(in, &n, &sizes)) return false;
    hlo_mlir_named *named = HLO_NEW_ARRAY(in->r->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++)
        named[i] = (hlo_mlir_named){.key = factor(in->r, i)->u.text,
                                    .value = hlo_bc_int_attr(in->r, sizes[i], NULL)};
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_DICT);
    attr->bracket = '{';
    attr->list = (hlo_mlir_list){n, named};
    *out = attr;
    return true;
}

static bool sharding_rule(hlo_bc_in *in, const hlo_mlir_attr **out) {
    static const char *const groups[] = {"reduction", "need_replication", "permutation",
                                         "blocked_propagation"};
    hlo_bc_members m = {.r = in->r};
    const hlo_mlir_attr *sizes, *operands, *results, *list;
    uint8_t is_custom;
    if (!factor_sizes(in, &sizes) || !inner_list(in, "sdy.tensor_mapping", '(', &operands) ||
        !inner_list(in, "sdy.tensor_mapping", '(', &results))
        return false;
    hlo_bc_member(&m, NULL, operands);
    hlo_bc_member(&m, NULL, hlo_bc_word(in->r, "->"));
    hlo_bc_member(&m, NULL, results);
    if (sizes->list.n) hlo_bc_member(&m, NULL, sizes);
    for (int i = 0; i < 4; i++) {
        if (!factors(in, '{', &list)) return false;
        if (list->list.n) hlo_bc_member(&m, groups[i], list);
    }
    if (!hlo_bc_byte(in, &is_custom)) return false;
    if (is_custom) hlo_bc_member(&m, NULL, hlo_bc_word(in->r, "custom"));
    *out = hlo_bc_struct(&m, "sdy.op_sharding_rule");
    return true;
}

/* ---- parameters of collectives ---- */

static bool axis_list(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *list;
    return axes(in, &list) && struct_of(in->r, "sdy.axis_ref_list", list, out);
}

static bool axis_lists(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *list;
    return inner_list(in, "sdy.axis_ref_list", '[', &list) &&
           struct_of(in->r, "sdy.list_of_axis_ref_lists", list, out);
}

/* {"x"}: 0->1 */
static bool all_to_all_param(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *list;
    int64_t from, to;
    if (!axes(in, &list) || !hlo_bc_signed(in, &from) || !hlo_bc_signed(in, &to)) return false;
    const hlo_mlir_attr *v[] = {list, hlo_bc_int_attr(in->r, from, NULL), hlo_bc_word(in->r, "->"),
                                hlo_bc_int_attr(in->r, to, NULL)};
    return struct_of(in->r, "sdy.all_to_all_param", hlo_bc_list_attr(in->r, ':', 4, v), out);
}

static bool all_to_all_params(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *list;
    return inner_list(in, "sdy.all_to_all_param", '[', &list) &&
           struct_of(in->r, "sdy.all_to_all_param_list", list, out);
}

/* ---- by code ---- */

bool hlo_bc_sdy_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    switch (code) {
    case 0: return manual_axes(in, out);
    case 1: return mesh_axis(in, out);
    case 2: return mesh(in, out);
    case 3: return sub_axis(in, out);
    case 4: return axis_ref(in, out);
    case 5: return dimension(in, out);
    case 6: return sharding(in, 1, out);
    case 7:
    case 16: return per_value(in, out);
    case 8: return dim_mapping(in, out);
    case 9: return tensor_mapping(in, out);
    case 10: return sharding_rule(in, out);
    case 11: return axis_list(in, out);
    case 12: return axis_lists(in, out);
    case 13: return all_to_all_param(in, out);
    case 14: return all_to_all_params(in, out);
    case 15: return sharding(in, 2, out);
    case 17: return sharding(in, 3, out);
    default:
        return hlo_bc_bad(in, "an unknown attribute of sdy, code %llu", (unsigned long long)code);
    }
}
