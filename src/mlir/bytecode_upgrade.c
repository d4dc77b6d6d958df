/* Operations of vhlo, the dialect of portable artifacts, as those of stablehlo and func that they
 * are today: vhlo.def. */
#include "mlir/bytecode.h"

typedef struct {
    const char *name, *today, *rules;
} row;

static const row rows[] = {
#define HLO_VHLO_OP(name, today, rules) {name, today, rules},
#include "mlir/vhlo.def"
#undef HLO_VHLO_OP
};

static const row *row_of(hlo_str name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hlo_str_is(name, rows[i].name)) return &rows[i];
    return NULL;
}

/* ---- names ---- */

/* "add_v1" without its version, 1 or 2 so far; empty: another name. */
static hlo_str without_version(hlo_str name) {
    enum { SUFFIX = 3 };
    if (name.len <= SUFFIX) return (hlo_str){0};
    hlo_str suffix = {name.ptr + name.len - SUFFIX, SUFFIX, 0};
    bool has_version = hlo_str_is(suffix, "_v1") || hlo_str_is(suffix, "_v2");
    return has_version ? (hlo_str){name.ptr, name.len - SUFFIX, 0} : (hlo_str){0};
}

bool hlo_bc_old_op(hlo_bc *r, hlo_str name, hlo_bc_op_name *out) {
    hlo_str base = without_version(name);
    if (!base.len) return false;
    const row *known = row_of(base);
    hlo_str prefix = HLO_STR("stablehlo.");
    char *joined = hlo_arena_alloc(r->arena, prefix.len + base.len);
    memcpy(joined, prefix.ptr, prefix.len);
    memcpy(joined + prefix.len, base.ptr, base.len);
    out->name = known && *known->today ? hlo_str_from(known->today)
                                       : (hlo_str){joined, prefix.len + base.len, 0};
    out->rules = known ? known->rules : "";
    return hlo_mlir_op_from_name(out->name) != HLO_MLIR_OP_COUNT;
}

/* ---- values ---- */

static const hlo_mlir_attr *only_member(const hlo_mlir_attr *attr) {
    return attr->kind == HLO_MLIR_STRUCT && attr->list.n == 1 ? attr->list.v[0].value : NULL;
}

/* One word, or a list of such, or an accuracy without tolerances. */
static bool is_default(const hlo_mlir_attr *attr) {
    if (attr->kind == HLO_MLIR_LIST) {
        for (uint32_t i = 0; i < attr->list.n; i++) {
            const hlo_mlir_attr *word = only_member(attr->list.v[i].value);
            if (!word || word->kind != HLO_MLIR_WORD ||
                !hlo_str_is(hlo_mlir_text_of(word), "DEFAULT"))
                return false;
        }
        return true;
    }
    const hlo_mlir_attr *member = only_member(attr);
    if (member && member->kind == HLO_MLIR_STRUCT) member = only_member(member);
    return member && member->kind == HLO_MLIR_WORD &&
           (hlo_str_is(hlo_mlir_text_of(member), "DEFAULT") ||
            hlo_str_is(hlo_mlir_text_of(member), "NOTYPE"));
}

static bool is_empty(const hlo_mlir_attr *attr) {
    switch (attr->kind) {
    case HLO_MLIR_STRING: return !hlo_mlir_text_of(attr).len;
    case HLO_MLIR_LIST:
    case HLO_MLIR_DICT: return !attr->list.n;
    case HLO_MLIR_DENSE: return attr->literal && !attr->literal->data;
    default: return false;
    }
}

/* All elements are this number. */
static bool is_all(const hlo_mlir_attr *attr, int64_t value) {
    if (attr->kind != HLO_MLIR_DENSE || !attr->is_splat) return false;
    if (attr->literal->shape->type == HLO_PRED) return *(const char *)attr->literal->data == value;
    return attr->literal->shape->type == HLO_S64 && *(const int64_t *)attr->literal->data == value;
}

static bool is_int(const hlo_mlir_attr *attr, int64_t value) {
    return attr->kind == HLO_MLIR_INT && hlo_mlir_int_of(attr) == value;
}

/* ---- conversions ---- */

static bool wrong_value(const hlo_bc_in *in, hlo_str key) {
    return hlo_bc_bad(in, "the attribute %.*s of an operation of vhlo has another kind of value",
                      HLO_BC_SHOWN(key));
}

/* Elements as numbers; a few bytes can stand for many of them. */
static bool numbers_of(const hlo_bc_in *in, hlo_str key, const hlo_mlir_attr *attr, uint32_t *n,
                       const int64_t **v) {
    if (attr->kind == HLO_MLIR_DENSE) {
        uint64_t count = 1;
        for (uint32_t i = 0; i < attr->type->rank; i++) count *= (uint64_t)attr->type->dims[i];
        if (!hlo_bc_charge(in, count)) return false;
    }
    return hlo_mlir_ints(in->r->module, attr, n, v) || wrong_value(in, key);
}

static bool to_array(hlo_bc_in *in, hlo_mlir_named *a, hlo_type element) {
    uint32_t n;
    const int64_t *v;
    if (a->value->kind != HLO_MLIR_DENSE || a->value->type->element != element)
        return wrong_value(in, a->key);
    return numbers_of(in, a->key, a->value, &n, &v) &&
           hlo_bc_ints_attr(in, element, n, v, &a->value);
}

static bool to_symbol(hlo_bc_in *in, hlo_mlir_named *a) {
    if (a->value->kind != HLO_MLIR_STRING) return wrong_value(in, a->key);
    a->value = hlo_bc_text_attr(in->r, HLO_MLIR_SYMBOL, hlo_mlir_text_of(a->value));
    return true;
}

static bool to_symbols(hlo_bc_in *in, hlo_mlir_named *a) {
    hlo_mlir_list list = a->value->list;
    if (a->value->kind != HLO_MLIR_LIST) return wrong_value(in, a->key);
    if (!hlo_bc_charge(in, list.n)) return false;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, list.n);
    for (uint32_t i = 0; i < list.n; i++) {
        hlo_mlir_named element = {.key = a->key, .value = list.v[i].value};
        if (!to_symbol(in, &element)) return false;
        v[i] = element.value;
    }
    a->value = hlo_bc_list_attr(in->r, '[', list.n, v);
    return true;
}

static const hlo_mlir_attr *handle_attr(hlo_bc *r, int64_t handle, int64_t type) {
    hlo_bc_members m = {.r = r};
    hlo_bc_member(&m, "handle", hlo_bc_int_attr(r, handle, NULL));
    hlo_bc_member(&m, "type", hlo_bc_int_attr(r, type, NULL));
    return hlo_bc_struct(&m, "stablehlo.channel_handle");
}

/* Channel 0 is none. */
static bool to_channel(hlo_bc_in *in, hlo_mlir_named *a) {
    if (a->value->kind != HLO_MLIR_INT) return wrong_value(in, a->key);
    a->key = HLO_STR("channel_handle");
    a->value = hlo_mlir_int_of(a->value) ? handle_attr(in->r, hlo_mlir_int_of(a->value), 0) : NULL;
    return true;
}

static bool to_flag(hlo_bc_in *in, hlo_mlir_named *a) {
    if (a->value->kind != HLO_MLIR_BOOL) return wrong_value(in, a->key);
    a->value = hlo_mlir_int_of(a->value) ? hlo_bc_new_attr(in->r, HLO_MLIR_UNIT) : NULL;
    return true;
}

/* ---- rules ---- */

/* Is the value one for which the attribute is left out? */
static bool is_left_out(hlo_str word, const hlo_mlir_attr *value) {
    if (hlo_str_is(word, "no")) return value->kind == HLO_MLIR_BOOL && !hlo_mlir_int_of(value);
    if (hlo_str_is(word, "zero")) return is_int(value, 0);
    if (hlo_str_is(word, "one")) return is_int(value, 1);
    if (hlo_str_is(word, "minus_one")) return is_int(value, -1);
    if (hlo_str_is(word, "empty")) return is_empty(value);
    if (hlo_str_is(word, "ones")) return is_all(value, 1);
    if (hlo_str_is(word, "zeros")) return is_all(value, 0);
    if (hlo_str_is(word, "default")) return is_default(value);
    return hlo_str_is(word, "drop");
}

static bool convert(hlo_bc_in *in, hlo_str word, hlo_mlir_named *a) {
    if (hlo_str_is(word, "i64")) return to_array(in, a, HLO_S64);
    if (hlo_str_is(word, "i1")) return to_array(in, a, HLO_PRED);
    if (hlo_str_is(word, "symbol")) return to_symbol(in, a);
    if (hlo_str_is(word, "symbols")) return to_symbols(in, a);
    if (hlo_str_is(word, "channel")) return to_channel(in, a);
    if (hlo_str_is(word, "flag")) return to_flag(in, a);
    return true;
}

static hlo_str word_at(const char *at) {
    return (hlo_str){at, (uint32_t)strcspn(at, ": "), 1};
}

/* After the key: its words. */
static bool apply(hlo_bc_in *in, const char *rule, hlo_mlir_named *a) {
    while (*rule == ':' && a->value) {
        hlo_str word = word_at(rule + 1);
        if (is_left_out(word, a->value)) a->value = NULL;
        else if (!convert(in, word, a)) return false;
        rule += 1 + word.len;
    }
    return true;
}

static bool apply_rules(hlo_bc_in *in, const char *rules, hlo_mlir_named *a) {
    for (const char *at = rules; *at;) {
        hlo_str key = word_at(at);
        if (hlo_str_equal(key, a->key)) return apply(in, at + key.len, a);
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return true;
}

/* ---- groups ---- */

/* Removes an attribute from those of the operation; NULL: it has none of that name. */
static const hlo_mlir_attr *take(hlo_bc *r, const char *key) {
    for (uint32_t i = 0; i < r->named.n; i++) {
        hlo_mlir_named *a = &r->named.v[i];
        if (!a->value || !hlo_str_is(a->key, key)) continue;
        const hlo_mlir_attr *value = a->value;
        a->value = NULL;
        return value;
    }
    return NULL;
}

static bool take_int(hlo_bc_in *in, const char *key, int64_t *out) {
    const hlo_mlir_attr *value = take(in->r, key);
    if (!value || value->kind != HLO_MLIR_INT) return wrong_value(in, hlo_str_from(key));
    *out = hlo_mlir_int_of(value);
    return true;
}

/* Old operations are without some of the lists, which are empty then. */
static bool take_ints(hlo_bc_in *in, const char *key, uint32_t *n, const int64_t **v) {
    const hlo_mlir_attr *value = take(in->r, key);
    *n = 0;
    *v = NULL;
    return !value || numbers_of(in, hlo_str_from(key), value, n, v);
}

static void add(hlo_bc *r, const char *key, const hlo_mlir_attr *value) {
    hlo_list_push(&r->named, (hlo_mlir_named){.key = hlo_str_from(key), .value = value});
}

static bool join_numbers(hlo_bc_in *in, const char *key, const hlo_bc_numbers_form *form) {
    hlo_bc_members m = {.r = in->r};
    for (uint32_t i = 0; i < form->lists; i++) {
        uint32_t n;
        const int64_t *v;
        if (!take_ints(in, form->keys[i], &n, &v)) return false;
        hlo_bc_numbers_member(&m, form->keys[i], n, v);
    }
    int64_t number;
    if (form->has_number) {
        if (!take_int(in, form->keys[form->lists], &number)) return false;
        hlo_bc_number_member(&m, form->keys[form->lists], number);
    }
    add(in->r, key, hlo_bc_struct(&m, form->name));
    return true;
}

static bool join_conv(hlo_bc_in *in) {
    static const char *const keys[3][3] = {
        {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
        {"kernel_input_feature_dimension", "kernel_output_feature_dimension",
         "kernel_spatial_dimensions"},
        {"output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"}};
    hlo_bc_conv conv;
    const hlo_mlir_attr *attr;
    for (int i = 0; i < 3; i++)
        if (!take_int(in, keys[i][0], &conv.first[i]) ||
            !take_int(in, keys[i][1], &conv.second[i]) ||
            !take_ints(in, keys[i][2], &conv.n[i], &conv.spatial[i]))
            return false;
    if (!hlo_bc_conv_attr(in, &conv, &attr)) return false;
    add(in->r, "dimension_numbers", attr);
    return true;
}

static bool join_handle(hlo_bc_in *in) {
    int64_t handle, type;
    if (!take_int(in, "channel_id", &handle) || !take_int(in, "channel_type", &type)) return false;
    add(in->r, "channel_handle", handle_attr(in->r, handle, type));
    return true;
}

static bool is_none(const hlo_mlir_attr *attr) {
    return !attr || (attr->kind == HLO_MLIR_TYPE && hlo_str_is(attr->type->text, "none"));
}

/* All of them, or none. */
static bool join_algorithm(hlo_bc_in *in) {
    static const char *const keys[] = {"lhs_precision_type",          "rhs_precision_type",
                                       "accumulation_type",           "lhs_component_count",
                                       "rhs_component_count",         "num_primitive_operations",
                                       "allow_imprecise_accumulation"};
    static const hlo_mlir_attr_kind kinds[] = {HLO_MLIR_TYPE, HLO_MLIR_TYPE, HLO_MLIR_TYPE,
                                               HLO_MLIR_INT,  HLO_MLIR_INT,  HLO_MLIR_INT,
                                               HLO_MLIR_BOOL};
    enum { COUNT = sizeof keys / sizeof *keys, FIRST_NUMBER = 3 };
    const hlo_mlir_attr *v[COUNT];
    for (int i = 0; i < COUNT; i++) v[i] = take(in->r, keys[i]);
    if (is_none(v[FIRST_NUMBER])) return true;
    hlo_bc_members m = {.r = in->r};
    for (int i = 0; i < COUNT; i++) {
        if (!v[i] || v[i]->kind != kinds[i]) return wrong_value(in, hlo_str_from(keys[i]));
        hlo_bc_member(&m, keys[i],
                      v[i]->kind == HLO_MLIR_INT
                          ? hlo_bc_int_attr(in->r, hlo_mlir_int_of(v[i]), NULL)
                          : v[i]);
    }
    add(in->r, "algorithm", hlo_bc_struct(&m, "stablehlo.dot_algorithm"));
    return true;
}

/* Layouts of operands and results, which are left out together. */
static bool join_layouts(hlo_bc_in *in) {
    const hlo_mlir_attr *operands = take(in->r, "operand_layouts");
    const hlo_mlir_attr *results = take(in->r, "result_layouts");
    if ((!operands || is_empty(operands)) && (!results || is_empty(results))) return true;
    if (operands) add(in->r, "operand_layouts", operands);
    if (results) add(in->r, "result_layouts", results);
    return true;
}

static bool join(hlo_bc_in *in, hlo_str group) {
    if (hlo_str_is(group, "(conv)")) return join_conv(in);
    if (hlo_str_is(group, "(dot)"))
        return join_numbers(in, "dot_dimension_numbers", &hlo_bc_dot_numbers);
    if (hlo_str_is(group, "(gather)"))
        return join_numbers(in, "dimension_numbers", &hlo_bc_gather_numbers);
    if (hlo_str_is(group, "(scatter)"))
        return join_numbers(in, "scatter_dimension_numbers", &hlo_bc_scatter_numbers);
    if (hlo_str_is(group, "(handle)")) return join_handle(in);
    if (hlo_str_is(group, "(algorithm)")) return join_algorithm(in);
    HLO_ASSERT(hlo_str_is(group, "(layouts)"));
    return join_layouts(in);
}

bool hlo_bc_upgrade(hlo_bc_in *in, const char *rules) {
    hlo_bc *r = in->r;
    for (uint32_t i = 0; i < r->named.n; i++)
        if (!apply_rules(in, rules, &r->named.v[i])) return false;
    for (const char *at = strchr(rules, '('); at; at = strchr(at + 1, '('))
        if (!join(in, word_at(at))) return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->named.n; i++)
        if (r->named.v[i].value) r->named.v[kept++] = r->named.v[i];
    r->named.n = kept;
    return true;
}
