/* Attributes of MLIR, made of what HLO has. */
#include "stablehlo/write.h"

#include <stdio.h>

static hlo_mlir_attr *new_attr(hlo_sw *w, hlo_mlir_attr_kind kind) {
    hlo_mlir_attr *attr = HLO_NEW(w->arena, hlo_mlir_attr);
    attr->kind = kind;
    return attr;
}

static const hlo_mlir_type *scalar(hlo_sw *w, hlo_type element) {
    return hlo_mlir_type_of(w->tree, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = element});
}

/* ---- numbers and texts ---- */

const hlo_mlir_attr *hlo_sw_int(hlo_sw *w, hlo_type type, int64_t value) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_INT);
    attr->type = scalar(w, type);
    attr->u.i = value;
    return attr;
}

const hlo_mlir_attr *hlo_sw_plain_int(hlo_sw *w, int64_t value) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_INT);
    attr->u.i = value;
    return attr;
}

const hlo_mlir_attr *hlo_sw_bool(hlo_sw *w, bool value) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_BOOL);
    attr->u.i = value;
    return attr;
}

const hlo_mlir_attr *hlo_sw_f32(hlo_sw *w, double value) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_FLOAT);
    attr->type = scalar(w, HLO_F32);
    attr->u.f = (float)value;
    return attr;
}

const hlo_mlir_attr *hlo_sw_text(hlo_sw *w, hlo_mlir_attr_kind kind, hlo_str text) {
    hlo_mlir_attr *attr = new_attr(w, kind);
    attr->u.text = text;
    return attr;
}

const hlo_mlir_attr *hlo_sw_word(hlo_sw *w, const char *name, const char *word) {
    hlo_sw_members only = {.n = 1};
    only.v[0].value = hlo_sw_text(w, HLO_MLIR_WORD, hlo_str_from(word));
    return hlo_sw_struct(w, name, &only);
}

const char *hlo_sw_capitals(hlo_sw *w, hlo_word_set set, int64_t number) {
    const char *text = hlo_word_text(set, number);
    HLO_ASSERT(text);
    size_t n = strlen(text);
    char *copy = hlo_arena_copy(w->arena, text, n + 1);
    for (char *c = copy; *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c & ~0x20);
    return copy;
}

/* ---- lists ---- */

const hlo_mlir_attr *hlo_sw_list(hlo_sw *w, const hlo_mlir_attr *const *v, uint32_t n) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_LIST);
    hlo_mlir_named *named = HLO_NEW_ARRAY(w->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++) named[i].value = v[i];
    attr->bracket = '[';
    attr->list = (hlo_mlir_list){n, named};
    return attr;
}

static const hlo_mlir_attr *ints_of(hlo_sw *w, hlo_type element, const int64_t *v, uint32_t n) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_INTS);
    int64_t count = n;
    attr->type = hlo_sw_tensor(w, element, 1, &count);
    attr->u.ints.n = n;
    attr->u.ints.v = n ? hlo_arena_copy(w->arena, v, n * sizeof *v) : NULL;
    return attr;
}

const hlo_mlir_attr *hlo_sw_i64s(hlo_sw *w, const int64_t *v, uint32_t n) {
    return ints_of(w, HLO_S64, v, n);
}

const hlo_mlir_attr *hlo_sw_bools(hlo_sw *w, const int64_t *v, uint32_t n) {
    return ints_of(w, HLO_PRED, v, n);
}

const hlo_mlir_attr *hlo_sw_numbers(hlo_sw *w, const int64_t *v, uint32_t n) {
    const hlo_mlir_attr **list = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) list[i] = hlo_sw_plain_int(w, v[i]);
    return hlo_sw_list(w, list, n);
}

/* ---- elements ---- */

/* Whether all elements have the bits of the first one; there is one at least. */
static bool is_uniform(const char *data, size_t each, int64_t n) {
    return n > 0 && (n == 1 || memcmp(data, data + each, (size_t)(n - 1) * each) == 0);
}

const hlo_mlir_attr *hlo_sw_dense(hlo_sw *w, const hlo_literal *literal,
                                  const hlo_mlir_type *type) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_DENSE);
    hlo_type element = (hlo_type)literal->shape->type;
    int64_t n = hlo_shape_elements(literal->shape);
    attr->type = type;
    attr->literal = literal;
    attr->is_splat =
        type->rank && is_uniform(hlo_literal_data(literal), hlo_types[element].bytes, n);
    return attr;
}

static const hlo_mlir_attr *dense_numbers(hlo_sw *w, const hlo_mlir_type *type, const int64_t *v,
                                          int64_t n) {
    hlo_literal *literal = HLO_NEW(w->arena, hlo_literal);
    literal->shape =
        hlo_shape_array(&w->tree->shapes, HLO_S64, type->dims, type->rank, NULL, NULL, NULL);
    literal->data = n ? hlo_arena_copy(w->arena, v, (size_t)n * sizeof *v) : NULL;
    return hlo_sw_dense(w, literal, type);
}

const hlo_mlir_attr *hlo_sw_indices(hlo_sw *w, const int64_t *v, uint32_t n) {
    const hlo_mlir_type *index = hlo_mlir_type_of(
        w->tree, &(hlo_mlir_type){.kind = HLO_MLIR_OTHER, .text = HLO_STR("index")});
    int64_t count = n;
    hlo_mlir_type type = {.kind = HLO_MLIR_TENSOR,
                          .element = HLO_TYPE_COUNT,
                          .other = index,
                          .rank = 1,
                          .dims = &count};
    return dense_numbers(w, hlo_mlir_type_of(w->tree, &type), v, n);
}

const hlo_mlir_attr *hlo_sw_dense_i64s(hlo_sw *w, const int64_t *v, uint32_t rank,
                                       const int64_t dims[2]) {
    int64_t n = rank == 2 ? dims[0] * dims[1] : dims[0];
    return dense_numbers(w, hlo_sw_tensor(w, HLO_S64, rank, dims), v, n);
}

const hlo_mlir_attr *hlo_sw_zeros(hlo_sw *w, const hlo_mlir_type *type) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_DENSE);
    int64_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++) n *= type->dims[i];
    attr->type = type;
    attr->is_splat = type->rank && n;
    attr->literal = hlo_literal_new(w->arena, hlo_shape_scalar(&w->tree->shapes, type->element));
    return attr;
}

/* ---- structs and dictionaries ---- */

void hlo_sw_member(hlo_sw_members *to, const char *key, const hlo_mlir_attr *value) {
    HLO_ASSERT(to->n < sizeof to->v / sizeof *to->v);
    to->v[to->n++] = (hlo_mlir_named){hlo_str_from(key), value, 0};
}

void hlo_sw_number_member(hlo_sw *w, hlo_sw_members *to, const char *key, int64_t value) {
    if (value) hlo_sw_member(to, key, hlo_sw_plain_int(w, value));
}

void hlo_sw_numbers_member(hlo_sw *w, hlo_sw_members *to, const char *key, const hlo_ints *list) {
    if (list->n) hlo_sw_member(to, key, hlo_sw_numbers(w, list->v, list->n));
}

const hlo_mlir_attr *hlo_sw_dict(hlo_sw *w, const hlo_mlir_named *v, uint32_t n) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_DICT);
    attr->bracket = '{';
    attr->list.n = n;
    attr->list.v = n ? hlo_arena_copy(w->arena, v, n * sizeof *v) : NULL;
    return attr;
}

const hlo_mlir_attr *hlo_sw_struct(hlo_sw *w, const char *name, const hlo_sw_members *members) {
    hlo_mlir_attr *attr = new_attr(w, HLO_MLIR_STRUCT);
    attr->bracket = '<';
    attr->u.text = hlo_str_from(name);
    attr->list.n = members->n;
    attr->list.v =
        members->n ? hlo_arena_copy(w->arena, members->v, members->n * sizeof *members->v) : NULL;
    return attr;
}

/* ---- what HLO has ---- */

/* Tiles on one device are replication, as in messages. */
static bool is_one_device(const hlo_sharding *s) {
    int64_t tiles = 1;
    if (s->kind != HLO_SHARDING_TILED) return false;
    for (uint32_t i = 0; i < s->tile_dims->n; i++) tiles *= s->tile_dims->v[i];
    return tiles == 1;
}

const hlo_mlir_attr *hlo_sw_sharding(hlo_sw *w, const hlo_sharding *sharding) {
    static const hlo_sharding replicated = {.kind = HLO_SHARDING_REPLICATED};
    hlo_buf text = HLO_BUF_INIT;
    hlo_attr attr = {.id = HLO_ATTR_SHARDING,
                     .u.sharding = is_one_device(sharding) ? &replicated : sharding};
    hlo_attr_print_value(&attr, &hlo_print_default, &text);
    char *kept = hlo_arena_copy(w->arena, text.data, text.len);
    const hlo_mlir_attr *made =
        hlo_sw_text(w, HLO_MLIR_STRING, (hlo_str){kept, (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return made;
}

const hlo_mlir_attr *hlo_sw_frontend(hlo_sw *w, const hlo_frontend *frontend,
                                     bool (*leaves_out)(hlo_str key)) {
    hlo_mlir_named *v = HLO_NEW_ARRAY(w->arena, hlo_mlir_named, frontend->n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < frontend->n; i++) {
        if (leaves_out && leaves_out(frontend->v[i].key)) continue;
        v[n].key = frontend->v[i].key;
        v[n++].value = hlo_sw_text(w, HLO_MLIR_STRING, frontend->v[i].value);
    }
    return n ? hlo_sw_dict(w, v, n) : NULL;
}

bool hlo_sw_has_layout(const hlo_shape *shape) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++)
            if (hlo_sw_has_layout(shape->elements[i])) return true;
        return false;
    }
    return hlo_shape_is_array(shape) && shape->rank && !shape->plain_layout;
}

const hlo_mlir_attr *hlo_sw_layout(hlo_sw *w, const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) {
        bool is_array = hlo_shape_is_array(shape);
        return hlo_sw_indices(w, is_array ? shape->layout->minor_to_major : NULL,
                              is_array ? shape->layout->n : 0);
    }
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++) v[i] = hlo_sw_layout(w, shape->elements[i]);
    return hlo_sw_list(w, v, shape->rank);
}

const hlo_mlir_attr *hlo_sw_tiles(hlo_sw *w, const hlo_shape *shape) {
    const hlo_layout_parts *parts = hlo_shape_is_array(shape) ? shape->layout->parts : NULL;
    uint32_t n = parts ? parts->tile_count : 0;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) v[i] = hlo_sw_indices(w, parts->tiles[i].v, parts->tiles[i].n);
    return hlo_sw_list(w, v, n);
}

const hlo_mlir_attr *hlo_sw_aliases(hlo_sw *w, const char *name, const hlo_aliasing *aliasing) {
    uint32_t n = aliasing ? aliasing->n : 0;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_ints *output = aliasing->v[i].output, *index = aliasing->v[i].index;
        hlo_sw_members m = {0};
        hlo_sw_member(&m, "output_tuple_indices", hlo_sw_numbers(w, output->v, output->n));
        hlo_sw_member(&m, "operand_index", hlo_sw_plain_int(w, aliasing->v[i].parameter));
        hlo_sw_member(&m, "operand_tuple_indices", hlo_sw_numbers(w, index->v, index->n));
        v[i] = hlo_sw_struct(w, name, &m);
    }
    return hlo_sw_list(w, v, n);
}
