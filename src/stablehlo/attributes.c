/* Attributes of the operation that is converted, with messages for those that are missing or wrong.
 */
#include "stablehlo/convert.h"

const hlo_mlir_attr *hlo_stablehlo_attr(hlo_stablehlo *s, const char *name) {
    return hlo_mlir_attr_of(s->op, name);
}

static bool missing(hlo_stablehlo *s, const char *name) {
    return hlo_stablehlo_fail(s, HLO_RULE_MISSING_ATTRIBUTE, "the attribute '%s' is missing",
                              name) != NULL;
}

static bool wrong(hlo_stablehlo *s, const hlo_mlir_attr *attr, const char *name,
                  const char *wanted) {
    hlo_str op = s->op->name;
    return hlo_stablehlo_fail_at(s, s->op, attr->at, HLO_RULE_ATTRIBUTE_VALUE,
                                 "'%.*s': the attribute '%s' is %s", (int)op.len, op.ptr, name,
                                 wanted) != NULL;
}

bool hlo_stablehlo_int(hlo_stablehlo *s, const char *name, int64_t *out) {
    return hlo_stablehlo_attr(s, name) ? hlo_stablehlo_optional_int(s, name, 0, out)
                                       : missing(s, name);
}

bool hlo_stablehlo_optional_int(hlo_stablehlo *s, const char *name, int64_t otherwise,
                                int64_t *out) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    *out = otherwise;
    if (!attr) return true;
    /* `[3]` is an index in the pretty form */
    if (attr->kind == HLO_MLIR_LIST && attr->list.n == 1) attr = attr->list.v[0].value;
    if (attr->kind != HLO_MLIR_INT && attr->kind != HLO_MLIR_BOOL)
        return wrong(s, attr, name, "a whole number");
    *out = hlo_mlir_int_of(attr);
    return true;
}

bool hlo_stablehlo_optional_bool(hlo_stablehlo *s, const char *name, bool otherwise, bool *out) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    *out = otherwise;
    if (!attr) return true;
    if (attr->kind == HLO_MLIR_UNIT) return *out = true;
    if (attr->kind != HLO_MLIR_BOOL) return wrong(s, attr, name, "true or false");
    *out = hlo_mlir_int_of(attr) != 0;
    return true;
}

bool hlo_stablehlo_float(hlo_stablehlo *s, const char *name, double *out) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    if (!attr) return missing(s, name);
    if (attr->kind != HLO_MLIR_FLOAT) return wrong(s, attr, name, "a floating-point number");
    *out = hlo_mlir_float_of(attr);
    return true;
}

bool hlo_stablehlo_ints(hlo_stablehlo *s, const char *name, hlo_int_view *out) {
    return hlo_stablehlo_attr(s, name) ? hlo_stablehlo_optional_ints(s, name, out)
                                       : missing(s, name);
}

bool hlo_stablehlo_optional_ints(hlo_stablehlo *s, const char *name, hlo_int_view *out) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    *out = (hlo_int_view){0};
    return !attr || hlo_mlir_ints(s->tree, attr, &out->n, &out->v) ||
           wrong(s, attr, name, "a list of whole numbers");
}

bool hlo_stablehlo_text(hlo_stablehlo *s, const char *name, hlo_str *out) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    if (!attr) return missing(s, name);
    if (attr->kind != HLO_MLIR_STRING && attr->kind != HLO_MLIR_SYMBOL)
        return wrong(s, attr, name, "a text");
    *out = hlo_mlir_text_of(attr);
    return true;
}

bool hlo_stablehlo_word_of(const hlo_mlir_attr *attr, hlo_str *out) {
    if (attr->kind == HLO_MLIR_STRUCT && attr->list.n == 1) attr = attr->list.v[0].value;
    if (attr->kind != HLO_MLIR_WORD && attr->kind != HLO_MLIR_STRING) return false;
    *out = hlo_mlir_text_of(attr);
    return true;
}

bool hlo_stablehlo_word(hlo_stablehlo *s, const char *name, hlo_str *out) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    if (!attr) return missing(s, name);
    return hlo_stablehlo_word_of(attr, out) || wrong(s, attr, name, "a word");
}

bool hlo_stablehlo_member_ints(hlo_stablehlo *s, const hlo_mlir_attr *of, const char *key,
                               hlo_int_view *out) {
    const hlo_mlir_attr *member = hlo_mlir_member(of, key);
    *out = (hlo_int_view){0};
    return !member || hlo_mlir_ints(s->tree, member, &out->n, &out->v) ||
           wrong(s, member, key, "a list of whole numbers");
}

int64_t hlo_stablehlo_member_int(const hlo_mlir_attr *of, const char *key, int64_t otherwise) {
    const hlo_mlir_attr *member = hlo_mlir_member(of, key);
    return member && member->kind == HLO_MLIR_INT ? hlo_mlir_int_of(member) : otherwise;
}
