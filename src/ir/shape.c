/* Interned shapes: making them, comparing, sizes, and their text. */
#include "ir/shape.h"

void hlo_shapes_init(hlo_shapes_table *table, hlo_arena *arena) {
    *table = (hlo_shapes_table){.arena = arena, .by_hash.is_kept = true};
    hlo_list_reserve(&table->shapes, 16);
    hlo_keep(table->shapes.v);
}

void hlo_shapes_free(hlo_shapes_table *table) {
    hlo_list_free(&table->shapes);
    hlo_hash_free(&table->by_hash);
    *table = (hlo_shapes_table){0};
}

/* ---- equality and hash of layouts ---- */

static bool same_ints(const int64_t *a, const int64_t *b, uint32_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_parts(const hlo_layout_parts *a, const hlo_layout_parts *b) {
    if (!a || !b) return a == b;
    if (a->tile_count != b->tile_count || a->split_count != b->split_count ||
        a->tail_padding_alignment != b->tail_padding_alignment ||
        a->element_bits != b->element_bits || a->memory_space != b->memory_space ||
        a->metadata_prefix_bytes != b->metadata_prefix_bytes || a->index_type != b->index_type ||
        a->pointer_type != b->pointer_type)
        return false;
    for (uint32_t i = 0; i < a->tile_count; i++)
        if (a->tiles[i].n != b->tiles[i].n ||
            !same_ints(a->tiles[i].v, b->tiles[i].v, a->tiles[i].n))
            return false;
    for (uint32_t i = 0; i < a->split_count; i++)
        if (a->splits[i].dimension != b->splits[i].dimension || a->splits[i].n != b->splits[i].n ||
            !same_ints(a->splits[i].indices, b->splits[i].indices, a->splits[i].n))
            return false;
    return true;
}

static uint64_t hash_parts(uint64_t h, const hlo_layout_parts *p) {
    if (!p) return h;
    h = hlo_hash_mix(h, (uint64_t)p->memory_space * 31 + (uint64_t)p->element_bits);
    for (uint32_t i = 0; i < p->tile_count; i++)
        h = hlo_hash_mix(h, hlo_hash_bytes(p->tiles[i].v, p->tiles[i].n * sizeof(int64_t)));
    return hlo_hash_mix(h, p->split_count);
}

static bool parts_are_empty(const hlo_layout_parts *p) {
    return p->tile_count == 0 && p->split_count == 0 && p->tail_padding_alignment == 1 &&
           p->element_bits == 0 && p->memory_space == 0 && p->metadata_prefix_bytes == 0 &&
           p->index_type == HLO_TYPE_COUNT && p->pointer_type == HLO_TYPE_COUNT;
}

static const hlo_layout_parts *copy_parts(hlo_arena *arena, const hlo_layout_parts *from) {
    hlo_layout_parts *to = hlo_arena_copy(arena, from, sizeof *from);
    HLO_ASSERT(from->tiles || !from->tile_count);
    hlo_tile *tiles = hlo_arena_copy(arena, from->tiles, from->tile_count * sizeof *tiles);
    for (uint32_t i = 0; i < from->tile_count; i++)
        tiles[i].v = hlo_arena_copy(arena, tiles[i].v, tiles[i].n * sizeof(int64_t));
    hlo_split *splits = hlo_arena_copy(arena, from->splits, from->split_count * sizeof *splits);
    for (uint32_t i = 0; i < from->split_count; i++)
        splits[i].indices = hlo_arena_copy(arena, splits[i].indices, splits[i].n * sizeof(int64_t));
    to->tiles = tiles;
    to->splits = splits;
    return to;
}

/* ---- interning ---- */

static bool same_shape(const hlo_shape *a, const hlo_shape *b) {
    if (a->hash != b->hash || a->type != b->type || a->rank != b->rank) return false;
    if (a->elements || b->elements)
        return a->elements && b->elements &&
               memcmp(a->elements, b->elements, a->rank * sizeof *a->elements) == 0;
    if (!same_ints(a->dims, b->dims, a->rank)) return false;
    if (!a->is_dynamic != !b->is_dynamic ||
        (a->is_dynamic && memcmp(a->is_dynamic, b->is_dynamic, a->rank) != 0))
        return false;
    if (!a->layout || !b->layout) return a->layout == b->layout;
    return a->layout->n == b->layout->n &&
           same_ints(a->layout->minor_to_major, b->layout->minor_to_major, a->layout->n) &&
           same_parts(a->layout->parts, b->layout->parts);
}

static uint32_t hash_shape(const hlo_shape *s) {
    HLO_ASSERT(s->type < HLO_TYPE_COUNT);
    uint64_t h = hlo_hash_mix(s->type, s->rank);
    if (s->elements) {
        for (uint32_t i = 0; i < s->rank; i++) h = hlo_hash_mix(h, s->elements[i]->hash);
    } else {
        for (uint32_t i = 0; i < s->rank; i++) h = hlo_hash_mix(h, (uint64_t)s->dims[i]);
        for (uint32_t i = 0; s->is_dynamic && i < s->rank; i++)
            h = hlo_hash_mix(h, s->is_dynamic[i]);
        if (s->layout && !s->plain_layout) {
            for (uint32_t i = 0; i < s->layout->n; i++)
                h = hlo_hash_mix(h, (uint64_t)s->layout->minor_to_major[i]);
            h = hash_parts(h, s->layout->parts);
        }
    }
    return (uint32_t)(h ^ h >> 32);
}

/* A copy of `made` whose arrays live in the arena. */
static hlo_shape *keep(hlo_arena *arena, const hlo_shape *made) {
    hlo_shape *s = hlo_arena_copy(arena, made, sizeof *made);
    if (made->elements) {
        s->elements = hlo_arena_copy(arena, made->elements, made->rank * sizeof *made->elements);
        return s;
    }
    s->dims = hlo_arena_copy(arena, made->dims, made->rank * sizeof *made->dims);
    if (made->is_dynamic) s->is_dynamic = hlo_arena_copy(arena, made->is_dynamic, made->rank);
    if (made->layout) {
        hlo_layout *layout = hlo_arena_copy(arena, made->layout, sizeof *layout);
        layout->minor_to_major =
            hlo_arena_copy(arena, layout->minor_to_major, layout->n * sizeof(int64_t));
        if (layout->parts) layout->parts = copy_parts(arena, layout->parts);
        s->layout = layout;
    }
    return s;
}

static const hlo_shape *make_bare(hlo_shapes_table *table, const hlo_shape *s);

static const hlo_shape *intern(hlo_shapes_table *table, hlo_shape *made) {
    made->hash = hash_shape(made);
    hlo_hash_each (number, &table->by_hash, made->hash)
        if (same_shape(table->shapes.v[number - 1], made)) return table->shapes.v[number - 1];
    hlo_shape *kept = keep(table->arena, made);
    kept->text = (hlo_str){0};
    hlo_list_push(&table->shapes, kept);
    hlo_hash_add(&table->by_hash, kept->hash, table->shapes.n);
    kept->bare = make_bare(table, kept);
    HLO_ASSERT(kept->bare->bare == kept->bare);
    return kept;
}

static void default_layout(int64_t *minor_to_major, uint32_t rank) {
    for (uint32_t i = 0; i < rank; i++) minor_to_major[i] = (int64_t)(rank - 1 - i);
}

enum { SMALL_RANK = 16 };

const hlo_shape *hlo_shape_array(hlo_shapes_table *table, hlo_type type, const int64_t *dims,
                                 uint32_t rank, const uint8_t *is_dynamic,
                                 const int64_t *minor_to_major, const hlo_layout_parts *parts) {
    HLO_ASSERT(type < HLO_TUPLE);
    int64_t small[SMALL_RANK];
    int64_t *order = rank <= SMALL_RANK ? small : hlo_malloc(rank * sizeof *order);
    default_layout(order, rank);
    bool plain = !minor_to_major || same_ints(order, minor_to_major, rank);
    if (parts && parts_are_empty(parts)) parts = NULL;
    hlo_layout layout = {rank, minor_to_major ? minor_to_major : order, parts};
    bool dynamic = false;
    for (uint32_t i = 0; is_dynamic && i < rank; i++) dynamic |= is_dynamic[i] != 0;
    hlo_shape made = {.type = (uint8_t)type,
                      .dynamic = dynamic,
                      .plain_layout = plain && !parts,
                      .rank = rank,
                      .dims = dims,
                      .is_dynamic = dynamic ? is_dynamic : NULL,
                      .layout = hlo_type_is_array(type) ? &layout : NULL};
    const hlo_shape *s = intern(table, &made);
    if (order != small) hlo_free(order);
    return s;
}

static const hlo_shape *with_elements(hlo_shapes_table *table, hlo_type type,
                                      const hlo_shape *const *elements, uint32_t n) {
    HLO_ASSERT(type == HLO_TUPLE || (type == HLO_BUFFER && n == 1));
    static const hlo_shape *const none[1];
    hlo_shape made = {.type = (uint8_t)type, .rank = n, .elements = n ? elements : none};
    for (uint32_t i = 0; i < n; i++) {
        made.dynamic |= elements[i]->dynamic;
        if (elements[i]->depth + 1 > made.depth) made.depth = elements[i]->depth + 1;
    }
    if (n == 0) made.depth = 1;
    return intern(table, &made);
}

const hlo_shape *hlo_shape_tuple(hlo_shapes_table *table, const hlo_shape *const *elements,
                                 uint32_t n) {
    return with_elements(table, HLO_TUPLE, elements, n);
}

const hlo_shape *hlo_shape_buffer(hlo_shapes_table *table, const hlo_shape *contents) {
    return with_elements(table, HLO_BUFFER, &contents, 1);
}

const hlo_shape *hlo_shape_scalar(hlo_shapes_table *table, hlo_type type) {
    return hlo_shape_array(table, type, NULL, 0, NULL, NULL, NULL);
}

const hlo_shape *hlo_shape_token(hlo_shapes_table *table) {
    return hlo_shape_scalar(table, HLO_TOKEN);
}

const hlo_shape *hlo_shape_opaque(hlo_shapes_table *table) {
    return hlo_shape_scalar(table, HLO_OPAQUE);
}

const hlo_shape *hlo_shape_with_type(hlo_shapes_table *table, const hlo_shape *s, hlo_type type) {
    HLO_ASSERT(hlo_shape_is_array(s));
    return hlo_shape_array(table, type, s->dims, s->rank, s->is_dynamic, s->layout->minor_to_major,
                           s->layout->parts);
}

/* Rebuilds a tuple or buffer with each element mapped. */
static const hlo_shape *map_elements(hlo_shapes_table *table, const hlo_shape *s,
                                     const hlo_shape *(*map)(hlo_shapes_table *,
                                                             const hlo_shape *)) {
    HLO_ASSERT(s->elements);
    const hlo_shape **elements = hlo_malloc(s->rank * sizeof *elements);
    for (uint32_t i = 0; i < s->rank; i++) elements[i] = map(table, s->elements[i]);
    const hlo_shape *out = with_elements(table, (hlo_type)s->type, elements, s->rank);
    hlo_free(elements);
    return out;
}

static const hlo_shape *bare_of(hlo_shapes_table *table, const hlo_shape *s) {
    (void)table;
    return s->bare;
}

static const hlo_shape *make_bare(hlo_shapes_table *table, const hlo_shape *s) {
    if (s->elements) {
        bool changes = false;
        for (uint32_t i = 0; i < s->rank; i++) changes |= s->elements[i]->bare != s->elements[i];
        return changes ? map_elements(table, s, bare_of) : s;
    }
    if (!s->layout || (s->plain_layout && !s->is_dynamic)) return s;
    return hlo_shape_array(table, (hlo_type)s->type, s->dims, s->rank, NULL, NULL, NULL);
}

const hlo_shape *hlo_shape_import(hlo_shapes_table *table, const hlo_shape *s) {
    if (s->elements) return map_elements(table, s, hlo_shape_import);
    hlo_shape made = *s;
    HLO_ASSERT(s->type < HLO_TYPE_COUNT);
    return intern(table, &made);
}

bool hlo_shape_same_marks(const hlo_shape *a, const hlo_shape *b) {
    if (a == b) return true;
    if (a->rank != b->rank || !a->elements != !b->elements) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->elements
                ? !hlo_shape_same_marks(a->elements[i], b->elements[i])
                : (a->is_dynamic && a->is_dynamic[i]) != (b->is_dynamic && b->is_dynamic[i]))
            return false;
    return true;
}

/* ---- sizes ---- */

int64_t hlo_shape_elements(const hlo_shape *s) {
    if (!hlo_shape_is_array(s)) return -1;
    int64_t n = 1;
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] < 0) return -1;
        if (s->dims[i] == 0) n = 0;
    }
    for (uint32_t i = 0; i < s->rank && n; i++)
        if (__builtin_mul_overflow(n, s->dims[i], &n)) return -1;
    return n;
}

int64_t hlo_shape_bytes(const hlo_shape *s) {
    if (s->elements) {
        int64_t total = 0;
        for (uint32_t i = 0; i < s->rank; i++) {
            int64_t part = hlo_shape_bytes(s->elements[i]);
            if (part < 0 || __builtin_add_overflow(total, part, &total)) return -1;
        }
        return total;
    }
    if (!hlo_shape_is_array(s)) return 0;
    int64_t n = hlo_shape_elements(s), bytes;
    if (n < 0 || __builtin_mul_overflow(n, (int64_t)hlo_types[s->type].bytes, &bytes)) return -1;
    return bytes;
}

uint32_t hlo_shape_leaf_count(const hlo_shape *s) {
    if (!s->elements) return 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->rank; i++) n += hlo_shape_leaf_count(s->elements[i]);
    return n;
}

uint32_t hlo_shape_leaves_before(const hlo_shape *tuple, int64_t element) {
    HLO_ASSERT(hlo_shape_is_tuple(tuple) && element >= 0 && element <= tuple->rank);
    uint32_t n = 0;
    for (int64_t i = 0; i < element; i++) n += hlo_shape_leaf_count(tuple->elements[i]);
    return n;
}

bool hlo_shape_is_row_major(const hlo_shape *array) {
    HLO_ASSERT(hlo_shape_is_array(array));
    for (uint32_t i = 0; i < array->rank; i++)
        if (array->layout->minor_to_major[i] != array->rank - 1 - i) return false;
    return true;
}

const hlo_shape *hlo_shape_leaf(const hlo_shape *s, uint32_t leaf) {
    HLO_ASSERT(leaf < hlo_shape_leaf_count(s));
    if (hlo_shape_is_tuple(s) && s->depth == 1) return s->elements[leaf];
    while (hlo_shape_is_tuple(s)) {
        uint32_t i = 0;
        for (uint32_t n; (n = hlo_shape_leaf_count(s->elements[i])) <= leaf; i++) leaf -= n;
        s = s->elements[i];
    }
    return s;
}
