/* Attributes and types of the tree as bytecode files need them. */
#include "base/math.h"
#include "base/text.h"
#include "mlir/bytecode.h"

/* ---- attributes ---- */

hlo_mlir_attr *hlo_bc_new_attr(hlo_bc *r, hlo_mlir_attr_kind kind) {
    hlo_mlir_attr *attr = HLO_NEW(r->arena, hlo_mlir_attr);
    attr->kind = kind;
    return attr;
}

const hlo_mlir_attr *hlo_bc_text_attr(hlo_bc *r, hlo_mlir_attr_kind kind, hlo_str text) {
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, kind);
    attr->u.text = text;
    return attr;
}

const hlo_mlir_attr *hlo_bc_word(hlo_bc *r, const char *text) {
    return hlo_bc_text_attr(r, HLO_MLIR_WORD, hlo_str_from(text));
}

const hlo_mlir_attr *hlo_bc_int_attr(hlo_bc *r, int64_t value, const hlo_mlir_type *type) {
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_INT);
    attr->u.i = value;
    attr->type = type;
    return attr;
}

const hlo_mlir_attr *hlo_bc_bool_attr(hlo_bc *r, bool value) {
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_BOOL);
    attr->type = hlo_bc_scalar(r, HLO_PRED);
    attr->u.i = value;
    return attr;
}

const hlo_mlir_attr *hlo_bc_type_attr(hlo_bc *r, const hlo_mlir_type *type) {
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_TYPE);
    attr->type = type;
    return attr;
}

const hlo_mlir_attr *hlo_bc_list_attr(hlo_bc *r, char bracket, uint32_t n,
                                      const hlo_mlir_attr *const *v) {
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_LIST);
    hlo_mlir_named *named = HLO_NEW_ARRAY(r->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++) named[i].value = v[i];
    attr->bracket = bracket;
    attr->list = (hlo_mlir_list){n, named};
    return attr;
}

const hlo_mlir_attr *hlo_bc_numbers(hlo_bc *r, uint32_t n, const int64_t *v) {
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_LIST);
    hlo_mlir_named *named = HLO_NEW_ARRAY(r->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++) named[i].value = hlo_bc_int_attr(r, v[i], NULL);
    attr->bracket = '[';
    attr->list = (hlo_mlir_list){n, named};
    return attr;
}

bool hlo_bc_ints_attr(hlo_bc_in *in, hlo_type element, uint32_t n, const int64_t *v,
                      const hlo_mlir_attr **out) {
    int64_t dims[] = {n};
    hlo_mlir_type type = {.kind = HLO_MLIR_TENSOR, .element = element, .rank = 1, .dims = dims};
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_INTS);
    attr->u.ints.n = n;
    attr->u.ints.v = v;
    *out = attr;
    return hlo_bc_intern(in, &type, &attr->type);
}

/* A name alone is a unit. */
const hlo_mlir_attr *hlo_bc_braces(hlo_bc *r, uint32_t n, const hlo_mlir_attr *const *v) {
    for (uint32_t i = 0; i < n; i++)
        if (v[i]->kind != HLO_MLIR_WORD) return hlo_bc_list_attr(r, '{', n, v);
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_DICT);
    hlo_mlir_named *named = HLO_NEW_ARRAY(r->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++)
        named[i] = (hlo_mlir_named){.key = hlo_mlir_text_of(v[i]),
                                    .value = hlo_bc_new_attr(r, HLO_MLIR_UNIT)};
    attr->bracket = '{';
    attr->list = (hlo_mlir_list){n, named};
    return attr;
}

/* ---- attributes of dialects ---- */

void hlo_bc_member(hlo_bc_members *m, const char *key, const hlo_mlir_attr *value) {
    HLO_ASSERT(m->n < sizeof m->v / sizeof *m->v);
    m->v[m->n++] = (hlo_mlir_named){.key = key ? hlo_str_from(key) : (hlo_str){0}, .value = value};
}

void hlo_bc_number_member(hlo_bc_members *m, const char *key, int64_t value) {
    if (value) hlo_bc_member(m, key, hlo_bc_int_attr(m->r, value, NULL));
}

void hlo_bc_numbers_member(hlo_bc_members *m, const char *key, uint32_t n, const int64_t *v) {
    if (n) hlo_bc_member(m, key, hlo_bc_numbers(m->r, n, v));
}

const hlo_mlir_attr *hlo_bc_struct(hlo_bc_members *m, const char *name) {
    hlo_mlir_attr *attr = hlo_bc_new_attr(m->r, HLO_MLIR_STRUCT);
    attr->bracket = '<';
    attr->u.text = hlo_str_from(name);
    attr->list = (hlo_mlir_list){m->n, hlo_arena_copy(m->r->arena, m->v, m->n * sizeof *m->v)};
    return attr;
}

const hlo_mlir_attr *hlo_bc_unnamed(hlo_bc *r, const hlo_mlir_attr *list) {
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(r->arena, const hlo_mlir_attr *, list->list.n);
    for (uint32_t i = 0; i < list->list.n; i++) {
        hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_LIST);
        attr->bracket = '<';
        attr->list = list->list.v[i].value->list;
        v[i] = attr;
    }
    return hlo_bc_list_attr(r, '[', list->list.n, v);
}

const hlo_mlir_attr *hlo_bc_enum_attr(hlo_bc *r, const char *name, const char *word) {
    hlo_bc_members m = {.r = r};
    hlo_bc_member(&m, NULL, hlo_bc_word(r, word));
    return hlo_bc_struct(&m, name);
}

bool hlo_bc_enum_of(hlo_bc_in *in, const hlo_bc_enum *e, const hlo_mlir_attr **out) {
    const char *from = in->at;
    uint64_t value;
    if (!hlo_bc_varint(in, &value)) return false;
    if (value >= e->n || !e->words[value])
        return hlo_bc_bad_at(in->r, from, HLO_RULE_MESSAGE, "%s has no value %llu", e->name,
                             (unsigned long long)value);
    *out = hlo_bc_enum_attr(in->r, e->name, e->words[value]);
    return true;
}

/* ---- types ---- */

/* A type may name another one twice, and so on: its text is longer than the file then. */
bool hlo_bc_intern(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_type **out) {
    enum { NUMBER = 21, AROUND = 64, MOST_BYTES = 1 << 20 };
    uint64_t bytes = AROUND + (uint64_t)type->rank * (type->bounds ? 2 : 1) * NUMBER;
    if (type->other) bytes += type->other->text.len;
    for (uint32_t i = 0; i < type->part_count; i++) bytes += type->parts[i]->text.len + 2;
    if (bytes > MOST_BYTES)
        return hlo_bc_bad_at(in->r, in->at, HLO_RULE_LIMIT,
                             "a type whose text has more than %d bytes", MOST_BYTES);
    if (!hlo_bc_charge(in, bytes / 8)) return false;
    *out = hlo_mlir_type_of(in->r->module, type);
    return true;
}

const hlo_mlir_type *hlo_bc_scalar(hlo_bc *r, hlo_type type) {
    return hlo_mlir_type_of(r->module, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = type});
}

bool hlo_bc_named_type(hlo_bc_in *in, hlo_str name, const hlo_mlir_type **out) {
    hlo_mlir_type type = {.kind = HLO_MLIR_SCALAR, .element = hlo_mlir_element(name)};
    if (type.element == HLO_TYPE_COUNT) {
        type.kind = HLO_MLIR_OTHER;
        type.text = name;
    }
    return hlo_bc_intern(in, &type, out);
}

uint32_t hlo_bc_int_width(const hlo_mlir_type *type, bool *is_unsigned) {
    *is_unsigned = false;
    if (type->kind == HLO_MLIR_SCALAR) {
        hlo_type element = type->element;
        *is_unsigned = hlo_types[element].class == HLO_CLASS_UNSIGNED;
        if (element == HLO_PRED) return 1;
        return hlo_type_is_integral(element) ? hlo_types[element].bits : 0;
    }
    if (type->kind != HLO_MLIR_OTHER) return 0;
    if (hlo_str_is(type->text, "index")) return 64;
    const char *at = type->text.ptr, *end = at + type->text.len;
    *is_unsigned = at < end && *at == 'u';
    if (at < end && (*at == 'u' || *at == 's')) at++;
    uint64_t width;
    bool good = at < end && *at++ == 'i' && hlo_digits(&at, end, 1 << 24, &width) && at == end;
    return good ? (uint32_t)width : 0;
}

/* Bounds of dimensions: #stablehlo.bounds<?, 3>. */
static bool bounds_of(hlo_bc_in *in, const hlo_mlir_attr *encoding, uint32_t rank,
                      const int64_t **out) {
    if (encoding->kind != HLO_MLIR_STRUCT ||
        !hlo_str_is(hlo_mlir_text_of(encoding), "stablehlo.bounds"))
        return hlo_bc_bad(in, "a tensor type with an encoding other than #stablehlo.bounds");
    if (encoding->list.n != rank)
        return hlo_bc_bad(in, "%u bounds of a tensor of %u dimensions", encoding->list.n, rank);
    int64_t *bounds = HLO_NEW_ARRAY(in->r->arena, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++) {
        const hlo_mlir_attr *bound = encoding->list.v[i].value;
        bounds[i] = bound->kind == HLO_MLIR_INT ? hlo_mlir_int_of(bound) : HLO_UNBOUNDED;
        if (bounds[i] < 0 && bounds[i] != HLO_UNBOUNDED)
            return hlo_bc_bad(in, "a bound of %lld", (long long)bounds[i]);
    }
    *out = bounds;
    return true;
}

static bool is_element(const hlo_mlir_type *type) {
    return type->kind == HLO_MLIR_SCALAR || type->kind == HLO_MLIR_OTHER;
}

bool hlo_bc_tensor(hlo_bc_in *in, hlo_mlir_type_kind kind, uint32_t n, const int64_t *dims,
                   const hlo_mlir_attr *encoding, const hlo_mlir_type *element,
                   const hlo_mlir_type **out) {
    if (!is_element(element))
        return hlo_bc_bad(in, "a tensor type with elements of type %.*s",
                          HLO_BC_SHOWN(element->text));
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] < 0 && dims[i] != HLO_UNBOUNDED)
            return hlo_bc_bad(in, "a dimension of size %lld", (long long)dims[i]);
    hlo_mlir_type type = {.kind = kind, .rank = n, .dims = dims, .element = HLO_TYPE_COUNT};
    if (element->kind == HLO_MLIR_SCALAR) type.element = element->element;
    else type.other = element;
    if (encoding && !bounds_of(in, encoding, n, &type.bounds)) return false;
    return hlo_bc_intern(in, &type, out);
}

bool hlo_bc_parts(hlo_bc_in *in, hlo_mlir_type_kind kind, uint32_t inputs, uint32_t n,
                  const hlo_mlir_type *const *parts, const hlo_mlir_type **out) {
    return hlo_bc_intern(in,
                         &(hlo_mlir_type){.kind = kind,
                                          .element = HLO_TYPE_COUNT,
                                          .inputs = inputs,
                                          .part_count = n,
                                          .parts = parts},
                         out);
}

bool hlo_bc_around(hlo_bc_in *in, const char *before, const hlo_mlir_type *inside,
                   const hlo_mlir_type **out) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_cstr(&text, before);
    hlo_buf_str(&text, inside->text);
    hlo_buf_char(&text, '>');
    bool good = hlo_bc_charge(in, text.len / 8) &&
                hlo_bc_named_type(in, (hlo_str){text.data, (uint32_t)text.len, 0}, out);
    hlo_buf_free(&text);
    return good;
}

bool hlo_bc_complex(hlo_bc_in *in, const hlo_mlir_type *part, const hlo_mlir_type **out) {
    bool is_scalar = part->kind == HLO_MLIR_SCALAR;
    if (!is_scalar || (part->element != HLO_F32 && part->element != HLO_F64))
        return hlo_bc_around(in, "complex<", part, out);
    *out = hlo_bc_scalar(in->r, part->element == HLO_F32 ? HLO_C64 : HLO_C128);
    return true;
}
