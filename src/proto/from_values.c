/* Shapes, literals, metadata and the smaller values from nodes. */
#include "proto/from_values.h"

#include <stdlib.h>

#include "ir/valid_name.h"
#include "proto/layout_order.h"

static hlo_arena *arena_of(hlo_reader *r) {
    return &r->module->arena;
}

const hlo_ints *hlo_from_ints(hlo_reader *r, const hlo_node *message,
                              const hlo_proto_field *field) {
    uint32_t n = (uint32_t)hlo_node_number_count(message, field);
    hlo_ints *list = hlo_arena_alloc(arena_of(r), sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    for (uint32_t i = 0; i < n; i++) list->v[i] = hlo_node_number(message, field, i);
    return list;
}

const hlo_str *hlo_from_text(hlo_reader *r, const hlo_node *message, const hlo_proto_field *field) {
    hlo_str *text = HLO_NEW(arena_of(r), hlo_str);
    *text = hlo_reader_keep(r, hlo_node_text(message, field));
    return text;
}

/* ---- shapes ---- */

static hlo_type type_of_number(int64_t number) {
    for (int type = 0; type < HLO_TYPE_COUNT; type++)
        if (hlo_types[type].proto_number == number) return (hlo_type)type;
    return HLO_TYPE_COUNT;
}

static bool layout_type(hlo_reader *r, const hlo_node *layout, const hlo_proto_field *field,
                        hlo_type *out) {
    int64_t number = hlo_node_int(layout, field);
    *out = number ? type_of_number(number) : HLO_TYPE_COUNT;
    if (!number || (*out != HLO_TYPE_COUNT && hlo_types[*out].class == HLO_CLASS_UNSIGNED))
        return true;
    if (*out == HLO_TYPE_COUNT)
        return hlo_node_bad(r, hlo_node_get(layout, field), HLO_RULE_MESSAGE,
                            "%lld is not an element type", (long long)number);
    return hlo_node_bad(r, hlo_node_get(layout, field), HLO_RULE_MESSAGE,
                        "%s is not an unsigned integer type", hlo_types[*out].text);
}

static void read_tiles(hlo_reader *r, const hlo_node *layout, hlo_layout_parts *parts) {
    const hlo_proto_field *field = HLO_F(LayoutProto, tiles);
    uint32_t n = hlo_node_count(layout, field), i = 0;
    hlo_tile *tiles = HLO_NEW_ARRAY(arena_of(r), hlo_tile, n);
    for (const hlo_node *tile = hlo_node_get(layout, field); tile; tile = tile->next) {
        const hlo_ints *dims = hlo_from_ints(r, tile, HLO_F(TileProto, dimensions));
        tiles[i++] = (hlo_tile){dims->n, dims->v};
    }
    parts->tiles = tiles;
    parts->tile_count = n;
}

static void read_splits(hlo_reader *r, const hlo_node *layout, hlo_layout_parts *parts) {
    const hlo_proto_field *field = HLO_F(LayoutProto, split_configs);
    uint32_t n = hlo_node_count(layout, field), i = 0;
    hlo_split *splits = HLO_NEW_ARRAY(arena_of(r), hlo_split, n);
    for (const hlo_node *split = hlo_node_get(layout, field); split; split = split->next) {
        const hlo_ints *indices = hlo_from_ints(r, split, HLO_F(SplitConfigProto, split_indices));
        splits[i].dimension = hlo_node_int(split, HLO_F(SplitConfigProto, dimension));
        splits[i].n = indices->n;
        splits[i++].indices = indices->v;
    }
    parts->splits = splits;
    parts->split_count = n;
}

static bool read_parts(hlo_reader *r, const hlo_node *layout, hlo_layout_parts *parts) {
    *parts = (hlo_layout_parts){.tail_padding_alignment = 1};
    if (hlo_node_has(layout, HLO_F(LayoutProto, tiles))) read_tiles(r, layout, parts);
    if (hlo_node_has(layout, HLO_F(LayoutProto, split_configs))) read_splits(r, layout, parts);
    int64_t tail = hlo_node_int(layout, HLO_F(LayoutProto, tail_padding_alignment_in_elements));
    if (tail) parts->tail_padding_alignment = tail;
    parts->element_bits = hlo_node_int(layout, HLO_F(LayoutProto, element_size_in_bits));
    parts->memory_space = hlo_node_int(layout, HLO_F(LayoutProto, memory_space));
    parts->metadata_prefix_bytes =
        hlo_node_int(layout, HLO_F(LayoutProto, dynamic_shape_metadata_prefix_bytes));
    return layout_type(r, layout, HLO_F(LayoutProto, index_primitive_type), &parts->index_type) &&
           layout_type(r, layout, HLO_F(LayoutProto, pointer_primitive_type), &parts->pointer_type);
}

static bool is_permutation(const int64_t *v, uint32_t n, uint8_t *seen) {
    memset(seen, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        if (v[i] < 0 || v[i] >= n || seen[v[i]]) return false;
        seen[v[i]] = 1;
    }
    return true;
}

/* Space for the numbers of one shape. */
typedef struct {
    int64_t *dims, *order;
    uint8_t *dynamic, *seen;
} shape_buffers;

static bool read_dims(hlo_reader *r, const hlo_node *node, uint32_t rank, shape_buffers *buffers) {
    const hlo_proto_field *dims = HLO_F(ShapeProto, dimensions);
    const hlo_proto_field *dynamic = HLO_F(ShapeProto, is_dynamic_dimension);
    size_t marks = hlo_node_number_count(node, dynamic);
    if (marks && marks != rank)
        return hlo_node_bad(r, node, HLO_RULE_MESSAGE,
                            "%zu values of isDynamicDimension for %u dimensions", marks, rank);
    for (uint32_t i = 0; i < rank; i++) {
        buffers->dims[i] = hlo_node_number(node, dims, i);
        buffers->dynamic[i] = marks && hlo_node_number(node, dynamic, i);
        if (buffers->dims[i] == HLO_UNBOUNDED) buffers->dynamic[i] = 1;
        else if (buffers->dims[i] < 0)
            return hlo_node_bad(r, hlo_node_get(node, dims), HLO_RULE_MESSAGE,
                                "dimension %u is %lld", i, (long long)buffers->dims[i]);
    }
    return true;
}

static bool read_order(hlo_reader *r, const hlo_node *layout, uint32_t rank,
                       shape_buffers *buffers) {
    const hlo_proto_field *field = HLO_F(LayoutProto, minor_to_major);
    uint32_t n = (uint32_t)hlo_node_number_count(layout, field);
    for (uint32_t i = 0; i < n && n == rank; i++)
        buffers->order[i] = hlo_node_number(layout, field, i);
    if (n == rank && (r->takes_any_order || is_permutation(buffers->order, rank, buffers->seen)))
        return true;
    return hlo_node_bad(r, layout, HLO_RULE_MESSAGE,
                        "minorToMajor is not a permutation of %u dimensions", rank);
}

static const hlo_shape *array_shape(hlo_reader *r, const hlo_node *node, hlo_type type,
                                    uint32_t rank, shape_buffers *buffers) {
    hlo_layout_parts parts;
    const hlo_node *layout = hlo_node_get(node, HLO_F(ShapeProto, layout));
    if (!read_dims(r, node, rank, buffers)) return NULL;
    if (layout && (!read_order(r, layout, rank, buffers) || !read_parts(r, layout, &parts)))
        return NULL;
    return hlo_shape_array(&r->module->shapes, type, buffers->dims, rank, buffers->dynamic,
                           layout ? buffers->order : NULL, layout ? &parts : NULL);
}

enum { FEW_DIMENSIONS = 16 };

static const hlo_shape *any_array_shape(hlo_reader *r, const hlo_node *node, hlo_type type) {
    size_t n = hlo_node_number_count(node, HLO_F(ShapeProto, dimensions));
    int64_t few[2 * FEW_DIMENSIONS];
    uint8_t marks[2 * FEW_DIMENSIONS];
    shape_buffers buffers = {few, few + FEW_DIMENSIONS, marks, marks + FEW_DIMENSIONS};
    if (n <= FEW_DIMENSIONS) return array_shape(r, node, type, (uint32_t)n, &buffers);
    int64_t *numbers = hlo_malloc(2 * n * sizeof *numbers);
    uint8_t *many = hlo_malloc(2 * n);
    buffers = (shape_buffers){numbers, numbers + n, many, many + n};
    const hlo_shape *shape = array_shape(r, node, type, (uint32_t)n, &buffers);
    hlo_free(numbers);
    hlo_free(many);
    return shape;
}

const hlo_shapes *hlo_from_shapes(hlo_reader *r, const hlo_node *message,
                                  const hlo_proto_field *field) {
    uint32_t n = hlo_node_count(message, field), i = 0;
    hlo_shapes *list = hlo_arena_alloc(arena_of(r), sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    for (const hlo_node *node = hlo_node_get(message, field); node; node = node->next)
        if (!(list->v[i++] = hlo_from_shape(r, node))) return NULL;
    return list;
}

static const hlo_shape *structured_shape(hlo_reader *r, const hlo_node *node, hlo_type type) {
    const hlo_shapes *elements = hlo_from_shapes(r, node, HLO_F(ShapeProto, tuple_shapes));
    if (!elements) return NULL;
    if (type == HLO_TUPLE) return hlo_shape_tuple(&r->module->shapes, elements->v, elements->n);
    if (elements->n == 1 && hlo_shape_is_array(elements->v[0]))
        return hlo_shape_buffer(&r->module->shapes, elements->v[0]);
    hlo_node_bad(r, node, HLO_RULE_MESSAGE, "a buffer holds exactly one array");
    return NULL;
}

static const hlo_shape *read_shape(hlo_reader *r, const hlo_node *node) {
    int64_t number = hlo_node_int(node, HLO_F(ShapeProto, element_type));
    hlo_type type = type_of_number(number);
    if (number == 0 || type == HLO_TYPE_COUNT) {
        if (number)
            hlo_node_bad(r, node, HLO_RULE_MESSAGE, "%lld is not an element type",
                         (long long)number);
        else hlo_node_bad(r, node, HLO_RULE_MESSAGE, "a shape requires an elementType");
        return NULL;
    }
    if (type == HLO_TUPLE || type == HLO_BUFFER) return structured_shape(r, node, type);
    if (hlo_type_is_array(type)) return any_array_shape(r, node, type);
    return hlo_shape_scalar(&r->module->shapes, type);
}

const hlo_shape *hlo_from_shape(hlo_reader *r, const hlo_node *node) {
    if (node->is_known) return node->u.shape;
    const hlo_shape *shape = read_shape(r, node);
    if (shape && !r->has_lines && !node->is_merged && !r->takes_any_order)
        hlo_shape_remember(r, node, shape);
    return shape;
}

/* ---- literals ---- */

/* The field that holds the elements of a type, and its value in `node`. */
static const void *elements_of(const hlo_node *node, hlo_type type, const hlo_proto_field **field,
                               size_t *bytes) {
    uint32_t hint = 0;
    *field = hlo_field_by_name(HLO_MESSAGE_LiteralProto,
                               hlo_str_from(hlo_types[type].literal_field), &hint);
    const hlo_node *data = hlo_node_get(node, *field);
    *bytes = 0;
    if (!data) return NULL;
    if ((*field)->kind == HLO_PROTO_BYTES) {
        *bytes = data->u.text.len;
        return data->u.text.ptr;
    }
    *bytes = data->u.numbers.n * hlo_kind_size((hlo_proto_kind)(*field)->kind);
    return data->u.numbers.v;
}

static hlo_literal *array_literal(hlo_reader *r, const hlo_node *node, const hlo_shape *shape) {
    hlo_type type = (hlo_type)shape->type;
    const hlo_proto_field *field;
    size_t have, size = hlo_types[type].bytes;
    const void *data = elements_of(node, type, &field, &have);
    int64_t n = hlo_shape_elements(shape), wanted = hlo_shape_bytes(shape);
    if (n < 0 || wanted < 0 || (uint64_t)wanted != have) {
        hlo_node_bad(r, node, HLO_RULE_MESSAGE, "%s has %zu bytes of elements, %s %s %lld",
                     hlo_reader_called(r, field), have, hlo_shape_name(&r->scratch, shape),
                     wanted < 0 ? "is too large for" : "needs",
                     (long long)(wanted < 0 ? INT64_MAX : wanted));
        return NULL;
    }
    hlo_literal *literal = hlo_literal_new_raw(arena_of(r), shape);
    if (n == 0) return literal;
    if (shape->plain_layout) memcpy(literal->data, data, have);
    else hlo_from_layout_order(shape, data, literal->data, size, n);
    hlo_elements_normalise(type, literal->data, n);
    return literal;
}

static hlo_literal *literal_of_shape(hlo_reader *r, const hlo_node *node, const hlo_shape *shape);

static hlo_literal *tuple_literal(hlo_reader *r, const hlo_node *node, const hlo_shape *shape) {
    const hlo_proto_field *field = HLO_F(LiteralProto, tuple_literals);
    uint32_t i = 0;
    if (hlo_node_count(node, field) != shape->rank) {
        hlo_node_bad(r, node, HLO_RULE_MESSAGE, "%u tupleLiterals for %u elements",
                     hlo_node_count(node, field), shape->rank);
        return NULL;
    }
    hlo_literal **elements = HLO_NEW_ARRAY(arena_of(r), hlo_literal *, shape->rank);
    for (const hlo_node *element = hlo_node_get(node, field); element; element = element->next, i++)
        if (!(elements[i] = literal_of_shape(r, element, shape->elements[i]))) return NULL;
    hlo_literal *literal = HLO_NEW(arena_of(r), hlo_literal);
    literal->shape = shape;
    literal->elements = elements;
    return literal;
}

/* Elements of a tuple have their shapes again: they must be those of the tuple's. */
static hlo_literal *literal_of_shape(hlo_reader *r, const hlo_node *node, const hlo_shape *shape) {
    const hlo_node *own = hlo_node_get(node, HLO_F(LiteralProto, shape));
    const hlo_shape *said = own ? hlo_from_shape(r, own) : NULL;
    if (!own) hlo_node_bad(r, node, HLO_RULE_MESSAGE, "a literal requires a shape");
    if (!said) return NULL;
    if (shape && said != shape) {
        hlo_node_bad(r, own, HLO_RULE_MESSAGE, "%s is not the element's shape in the tuple, %s",
                     hlo_shape_name(&r->scratch, said), hlo_shape_name(&r->scratch, shape));
        return NULL;
    }
    if (hlo_shape_is_tuple(said)) return tuple_literal(r, node, said);
    if (hlo_shape_is_array(said)) return array_literal(r, node, said);
    if (said->type == HLO_TOKEN) return hlo_literal_new(arena_of(r), said);
    hlo_node_bad(r, own, HLO_RULE_MESSAGE, "a literal has no values of type %s",
                 hlo_types[said->type].text);
    return NULL;
}

hlo_literal *hlo_from_literal(hlo_reader *r, const hlo_node *node) {
    hlo_literal *literal = literal_of_shape(r, node, NULL);
    if (literal) literal->is_read = true;
    return literal;
}

/* ---- metadata ---- */

/* Absent strings of metadata are zeros. */
static hlo_str keep_member(hlo_reader *r, const hlo_node *node, const hlo_proto_field *field) {
    hlo_str text = hlo_node_text(node, field);
    return text.len ? hlo_reader_keep(r, text) : (hlo_str){0};
}

hlo_metadata *hlo_from_metadata(hlo_reader *r, const hlo_node *node) {
    hlo_metadata *m = HLO_NEW(arena_of(r), hlo_metadata);
#define HLO_METADATA_TEXT(field, member) m->member = keep_member(r, node, HLO_F(OpMetadata, field));
#define HLO_METADATA_INT(field, member) \
    m->member = (__typeof__(m->member))hlo_node_int(node, HLO_F(OpMetadata, field));
#define HLO_METADATA_INTS(field, member)              \
    if (hlo_node_has(node, HLO_F(OpMetadata, field))) \
        m->member = hlo_from_ints(r, node, HLO_F(OpMetadata, field));
#define HLO_METADATA_MEMBER(kind, field, member) HLO_METADATA_##kind(field, member)
#include "proto/metadata.def"
#undef HLO_METADATA_MEMBER
    const hlo_node *payload = hlo_node_get(node, HLO_F(OpMetadata, metadata_payload));
    if (payload) {
        hlo_str text = hlo_node_text(payload, HLO_F(Payload, value));
        const hlo_node *id = hlo_node_get(payload, HLO_F(Payload, id));
        hlo_read_payload wanted = {NULL, m, id ? id->u.i : 0, payload->at};
        if (id) hlo_list_push(&r->payloads, wanted);
        m->payload = text.len ? hlo_reader_keep(r, text) : (hlo_str){"", 0, 1};
    }
    return m;
}

bool hlo_metadata_is_empty(const hlo_metadata *metadata) {
    static const hlo_metadata empty;
    return memcmp(metadata, &empty, sizeof empty) == 0;
}

/* ---- frontend attributes, statistics, accuracy ---- */

typedef struct {
    hlo_str key, value;
    uint32_t order;
} frontend_entry;

static int by_key(const void *a, const void *b) {
    const frontend_entry *x = a, *y = b;
    int c = hlo_str_compare(x->key, y->key);
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* A key that no text can have could not be printed. */
static bool is_key(hlo_reader *r, const hlo_node *at, const char *what, hlo_str key) {
    enum { SHOWN = 80 };
    if (hlo_is_key(key)) return true;
    return hlo_node_bad(r, at, HLO_RULE_MESSAGE,
                        "\"%.*s\" is not a name of a %s: expected letters, "
                        "digits, '_', '.' and '-' after a letter or '_'",
                        (int)(key.len < SHOWN ? key.len : SHOWN), key.ptr, what);
}

static bool have_keys(hlo_reader *r, const hlo_node *node) {
    for (const hlo_node *e = hlo_node_get(node, HLO_F(FrontendAttributes, map)); e; e = e->next)
        if (!is_key(r, e, "frontend attribute",
                    hlo_node_text(e, HLO_F(FrontendAttributes_MapEntry, key))))
            return false;
    return true;
}

hlo_frontend *hlo_from_frontend(hlo_reader *r, const hlo_node *node) {
    const hlo_proto_field *map = HLO_F(FrontendAttributes, map);
    if (!have_keys(r, node)) return NULL;
    uint32_t n = hlo_node_count(node, map), i = 0;
    frontend_entry *entries = hlo_malloc(n * sizeof *entries);
    for (const hlo_node *e = hlo_node_get(node, map); e; e = e->next, i++)
        entries[i] =
            (frontend_entry){hlo_node_text(e, HLO_F(FrontendAttributes_MapEntry, key)),
                             hlo_node_text(e, HLO_F(FrontendAttributes_MapEntry, value)), i};
    if (n) qsort(entries, n, sizeof *entries, by_key);
    hlo_frontend *out = hlo_arena_alloc(arena_of(r), sizeof *out + n * sizeof out->v[0]);
    out->n = 0;
    for (i = 0; i < n; i++) {
        /* Of two entries with one key the later counts. */
        if (i + 1 < n && hlo_str_equal(entries[i].key, entries[i + 1].key)) continue;
        out->v[out->n].key = hlo_reader_keep(r, entries[i].key);
        out->v[out->n++].value = hlo_reader_keep(r, entries[i].value);
    }
    hlo_free(entries);
    return out;
}

const hlo_statistics *hlo_from_statistics(hlo_reader *r, const hlo_node *node) {
    const hlo_proto_field *field = HLO_F(StatisticsViz, statistics);
    uint32_t n = hlo_node_count(node, field), i = 0;
    hlo_statistics *out = hlo_arena_alloc(arena_of(r), sizeof *out + n * sizeof out->v[0]);
    out->visualizing_index = hlo_node_int(node, HLO_F(StatisticsViz, stat_index_to_visualize));
    out->n = n;
    for (const hlo_node *s = hlo_node_get(node, field); s; s = s->next, i++) {
        out->v[i].name = hlo_reader_keep(r, hlo_node_text(s, HLO_F(Statistic, stat_name)));
        if (!is_key(r, s, "statistic", out->v[i].name)) return NULL;
        out->v[i].value = hlo_node_real(s, HLO_F(Statistic, stat_val));
    }
    return out;
}

const hlo_accuracy *hlo_from_accuracy(hlo_reader *r, const hlo_node *node) {
    hlo_accuracy *out = HLO_NEW(arena_of(r), hlo_accuracy);
    const hlo_node *tolerance = hlo_node_get(node, HLO_F(ResultAccuracy, tolerance));
    out->mode = (int)hlo_node_int(node, HLO_F(ResultAccuracy, mode));
    if (!hlo_word_text(HLO_WORDS_ACCURACY_MODE, out->mode)) {
        hlo_node_bad(r, node, HLO_RULE_MESSAGE, "%d is not a mode of accuracy", out->mode);
        return NULL;
    }
    if (!tolerance) return out;
    out->is_tolerance = true;
    out->atol = hlo_node_real(tolerance, HLO_F(ResultAccuracy_Tolerance, atol));
    out->rtol = hlo_node_real(tolerance, HLO_F(ResultAccuracy_Tolerance, rtol));
    out->ulps = hlo_node_int(tolerance, HLO_F(ResultAccuracy_Tolerance, ulps));
    if (out->atol >= 0 && out->rtol >= 0 && out->ulps >= 0) return out;
    hlo_node_bad(r, tolerance, HLO_RULE_MESSAGE, "a tolerance is not negative");
    return NULL;
}

/* ---- original values ---- */

const hlo_origin *hlo_from_array_origin(hlo_reader *r, const hlo_node *node) {
    hlo_origin *leaf = HLO_NEW(arena_of(r), hlo_origin);
    leaf->form = HLO_ORIGIN_LEAF;
    leaf->name =
        hlo_reader_keep(r, hlo_node_text(node, HLO_F(OriginalArrayProto, instruction_name)));
    if (hlo_node_has(node, HLO_F(OriginalArrayProto, shape_index)))
        leaf->index = hlo_from_ints(r, node, HLO_F(OriginalArrayProto, shape_index));
    return leaf;
}

/* The elements of one tuple (or leaf) of the tree: those from `first` on whose index begins like
 * its own. They come in order, depth first; returns the first that is not among them. */
static const hlo_node *origin_tree(hlo_reader *r, const hlo_node *first, uint32_t depth,
                                   const hlo_origin **out) {
    const hlo_proto_field *index = HLO_F(OriginalValueElementProto, shape_index);
    size_t length = hlo_node_number_count(first, index);
    *out = NULL;
    if (length <= depth) {
        const hlo_node *array =
            hlo_node_get(first, HLO_F(OriginalValueElementProto, original_array));
        *out = array ? hlo_from_array_origin(r, array) : HLO_NEW(arena_of(r), hlo_origin);
        return first->next;
    }
    if (depth >= HLO_MOST_NESTED_MESSAGES) return NULL;
    HLO_LIST(const hlo_origin *) elements = {0};
    const hlo_node *at = first;
    while (at && hlo_node_number_count(at, index) > depth &&
           hlo_node_number(at, index, depth) == elements.n) {
        bool same = true;
        for (uint32_t i = 0; i < depth; i++)
            same = same && hlo_node_number(at, index, i) == hlo_node_number(first, index, i);
        if (!same) break;
        const hlo_origin *element;
        at = origin_tree(r, at, depth + 1, &element);
        if (!element) return NULL;
        hlo_list_push_in(arena_of(r), &elements, element);
    }
    hlo_origin *tuple = HLO_NEW(arena_of(r), hlo_origin);
    tuple->form = HLO_ORIGIN_TUPLE;
    tuple->n = elements.n;
    tuple->elements = elements.v;
    if (elements.n) *out = tuple;
    return at;
}

const hlo_origin *hlo_from_origin(hlo_reader *r, const hlo_node *node) {
    const hlo_node *first = hlo_node_get(node, HLO_F(OriginalValueProto, elements));
    hlo_origin *whole = HLO_NEW(arena_of(r), hlo_origin);
    if (hlo_node_int(node, HLO_F(OriginalValueProto, is_synthetic_call))) {
        whole->form = HLO_ORIGIN_SYNTHETIC;
        return whole;
    }
    if (!first) {
        whole->form = HLO_ORIGIN_TUPLE;
        return whole;
    }
    const hlo_origin *tree;
    const hlo_node *rest = origin_tree(r, first, 0, &tree);
    if (tree && !rest) return tree;
    hlo_node_bad(r, node, HLO_RULE_MESSAGE, "the elements are not the leaves of a tuple in order");
    return NULL;
}

/* ---- windows and what goes with them ---- */

const hlo_window *hlo_from_window(hlo_reader *r, const hlo_node *node) {
    const hlo_proto_field *field = HLO_F(Window, dimensions);
    uint32_t n = hlo_node_count(node, field), i = 0;
    hlo_window *out = hlo_arena_alloc(arena_of(r), sizeof *out + n * sizeof out->v[0]);
    out->n = n;
    for (const hlo_node *d = hlo_node_get(node, field); d; d = d->next)
        out->v[i++] = (hlo_window_dim){
            .size = hlo_node_int(d, HLO_F(WindowDimension, size)),
            .stride = hlo_node_int(d, HLO_F(WindowDimension, stride)),
            .pad_low = hlo_node_int(d, HLO_F(WindowDimension, padding_low)),
            .pad_high = hlo_node_int(d, HLO_F(WindowDimension, padding_high)),
            .base_dilation = hlo_node_int(d, HLO_F(WindowDimension, base_dilation)),
            .window_dilation = hlo_node_int(d, HLO_F(WindowDimension, window_dilation)),
            .reversed = hlo_node_int(d, HLO_F(WindowDimension, window_reversal)) != 0,
        };
    return out;
}

#define LABEL(field) HLO_F(ConvolutionDimensionNumbers, field)

const hlo_dim_labels *hlo_from_dim_labels(hlo_reader *r, const hlo_node *node) {
    hlo_dim_labels *out = HLO_NEW(arena_of(r), hlo_dim_labels);
    const hlo_ints *input = hlo_from_ints(r, node, LABEL(input_spatial_dimensions));
    const hlo_ints *kernel = hlo_from_ints(r, node, LABEL(kernel_spatial_dimensions));
    const hlo_ints *output = hlo_from_ints(r, node, LABEL(output_spatial_dimensions));
    if (input->n != kernel->n || input->n != output->n) {
        hlo_node_bad(r, node, HLO_RULE_MESSAGE,
                     "input, kernel and output have %u, %u and %u spatial dimensions", input->n,
                     kernel->n, output->n);
        return NULL;
    }
    *out = (hlo_dim_labels){
        .n = input->n,
        .input_batch = hlo_node_int(node, LABEL(input_batch_dimension)),
        .input_feature = hlo_node_int(node, LABEL(input_feature_dimension)),
        .kernel_input_feature = hlo_node_int(node, LABEL(kernel_input_feature_dimension)),
        .kernel_output_feature = hlo_node_int(node, LABEL(kernel_output_feature_dimension)),
        .output_batch = hlo_node_int(node, LABEL(output_batch_dimension)),
        .output_feature = hlo_node_int(node, LABEL(output_feature_dimension)),
        .input_spatial = input->v,
        .kernel_spatial = kernel->v,
        .output_spatial = output->v,
    };
    return out;
}

const hlo_padding *hlo_from_padding(hlo_reader *r, const hlo_node *node) {
    const hlo_proto_field *field = HLO_F(PaddingConfig, dimensions);
    uint32_t n = hlo_node_count(node, field), i = 0;
    hlo_padding *out = hlo_arena_alloc(arena_of(r), sizeof *out + n * sizeof out->v[0]);
    out->n = n;
    for (const hlo_node *d = hlo_node_get(node, field); d; d = d->next, i++) {
        out->v[i].low =
            hlo_node_int(d, HLO_F(PaddingConfig_PaddingConfigDimension, edge_padding_low));
        out->v[i].high =
            hlo_node_int(d, HLO_F(PaddingConfig_PaddingConfigDimension, edge_padding_high));
        out->v[i].interior =
            hlo_node_int(d, HLO_F(PaddingConfig_PaddingConfigDimension, interior_padding));
    }
    return out;
}

#define SPARSITY(field) HLO_F(SparsityConfig_TensorSparsityConfig, field)

const hlo_sparsity *hlo_from_sparsity(hlo_reader *r, const hlo_node *node) {
    hlo_sparsity *out = HLO_NEW(arena_of(r), hlo_sparsity);
    const hlo_node *lhs = hlo_node_get(node, HLO_F(SparsityConfig, lhs));
    const hlo_node *rhs = hlo_node_get(node, HLO_F(SparsityConfig, rhs));
    out->lhs.given = lhs != NULL;
    out->rhs.given = rhs != NULL;
    if (lhs) {
        out->lhs.nonzeros = hlo_node_int(lhs, SPARSITY(num_non_zero));
        out->lhs.block = hlo_node_int(lhs, SPARSITY(block_size));
        out->lhs.dimension = hlo_node_int(lhs, SPARSITY(dimension));
        out->lhs.stride = hlo_node_int(lhs, SPARSITY(stride));
    }
    if (rhs) {
        out->rhs.nonzeros = hlo_node_int(rhs, SPARSITY(num_non_zero));
        out->rhs.block = hlo_node_int(rhs, SPARSITY(block_size));
        out->rhs.dimension = hlo_node_int(rhs, SPARSITY(dimension));
        out->rhs.stride = hlo_node_int(rhs, SPARSITY(stride));
    }
    return out;
}
