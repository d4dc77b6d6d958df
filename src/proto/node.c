/* Nodes of messages, maps of ids, and errors with their place. */
#include "proto/node.h"

#include <stdarg.h>
#include <stdio.h>

#include "proto/reader.h"

/* ---- nodes ---- */

static hlo_node_list *new_members(hlo_reader *r, hlo_message_id id) {
    uint32_t n = (uint32_t)(hlo_message_fields[id + 1] - hlo_message_fields[id]);
    return HLO_NEW_ARRAY(r->arena, hlo_node_list, n);
}

hlo_node *hlo_node_root(hlo_reader *r, hlo_message_id id, uint32_t at, uint32_t end) {
    hlo_node *node = HLO_NEW(r->arena, hlo_node);
    node->at = at;
    node->end = end;
    node->u.members = new_members(r, id);
    return node;
}

/* What all empty messages share; nothing is ever put in here. */
const hlo_node_list hlo_no_members[HLO_FIELD_COUNT];

void hlo_node_open(hlo_reader *r, hlo_node *node) {
    if (node->is_known || !node->u.members || node->u.members == hlo_no_members)
        node->u.members = new_members(r, (hlo_message_id)node->field->type);
    node->is_known = false;
}

void hlo_node_drop_last(hlo_node *message, const hlo_proto_field *field) {
    hlo_node_list *list = &message->u.members[field->place];
    /* The others were dropped before: only their count remains. */
    list->first = list->last = NULL;
}

void *hlo_node_more_numbers(hlo_reader *r, hlo_node *node, size_t n) {
    HLO_ASSERT(n > 0);
    size_t size = hlo_kind_size((hlo_proto_kind)node->field->kind);
    size_t have = node->u.numbers.n, wanted = have + n;
    if (wanted > node->u.numbers.capacity) {
        size_t capacity = have ? wanted + wanted / 2 : wanted;
        void *v = hlo_arena_alloc(r->arena, capacity * size);
        if (have) memcpy(v, node->u.numbers.v, have * size);
        node->u.numbers.v = v;
        node->u.numbers.capacity = capacity;
    }
    node->u.numbers.n = wanted;
    return (char *)(uintptr_t)node->u.numbers.v + have * size;
}

void hlo_node_add_int(hlo_reader *r, hlo_node *node, int64_t value) {
    void *to = hlo_node_more_numbers(r, node, 1);
    int32_t four = (int32_t)value;
    uint8_t one = (uint8_t)value;
    switch (hlo_kind_size((hlo_proto_kind)node->field->kind)) {
    case 1: memcpy(to, &one, 1); break;
    case 4: memcpy(to, &four, 4); break;
    default: memcpy(to, &value, 8); break;
    }
}

void hlo_node_add_real(hlo_reader *r, hlo_node *node, double value) {
    void *to = hlo_node_more_numbers(r, node, 1);
    float single = (float)value;
    if (node->field->kind == HLO_PROTO_FLOAT) memcpy(to, &single, sizeof single);
    else memcpy(to, &value, sizeof value);
}

size_t hlo_node_number_count(const hlo_node *message, const hlo_proto_field *field) {
    const hlo_node *node = hlo_node_get(message, field);
    return node ? node->u.numbers.n : 0;
}

int64_t hlo_node_number(const hlo_node *message, const hlo_proto_field *field, size_t i) {
    const char *v = hlo_node_get(message, field)->u.numbers.v;
    int64_t eight;
    int32_t four;
    uint8_t one;
    switch (hlo_kind_size((hlo_proto_kind)field->kind)) {
    case 1: memcpy(&one, v + i, 1); return one;
    case 4: memcpy(&four, v + 4 * i, 4); return four;
    default: memcpy(&eight, v + 8 * i, 8); return eight;
    }
}

/* ---- maps ---- */

static void grow_dense(hlo_id_map *map, size_t wanted) {
    size_t capacity = wanted < 64 ? 64 : wanted + wanted / 2;
    map->dense = hlo_realloc(map->dense, capacity * sizeof *map->dense);
    memset(map->dense + map->dense_capacity, 0,
           (capacity - map->dense_capacity) * sizeof *map->dense);
    map->dense_capacity = capacity;
}

bool hlo_id_map_add(hlo_id_map *map, int64_t id, void *value) {
    if (hlo_id_map_find(map, id)) return false;
    map->count++;
    if (id >= 0 && (uint64_t)id < 2 * (map->count + 32)) {
        if ((uint64_t)id >= map->dense_capacity) grow_dense(map, (size_t)id + 1);
        map->dense[id] = value;
        return true;
    }
    hlo_list_push(&map->sparse, (hlo_id_entry){id, value});
    hlo_hash_add(&map->by_hash, hlo_hash_mix(0, (uint64_t)id), map->sparse.n);
    return true;
}

void *hlo_id_map_find(const hlo_id_map *map, int64_t id) {
    if (id >= 0 && (uint64_t)id < map->dense_capacity && map->dense[id]) return map->dense[id];
    hlo_hash_each (number, &map->by_hash, hlo_hash_mix(0, (uint64_t)id))
        if (map->sparse.v[number - 1].id == id) return map->sparse.v[number - 1].value;
    return NULL;
}

void hlo_id_map_clear(hlo_id_map *map) {
    /* A map that one large computation made would cost its size for each small one after it. */
    size_t capacity = map->by_hash.capacity + map->dense_capacity;
    if (capacity > 1024 && map->count * 8 < capacity) hlo_id_map_free(map);
    if (map->dense_capacity) memset(map->dense, 0, map->dense_capacity * sizeof *map->dense);
    hlo_hash_clear(&map->by_hash);
    map->sparse.n = 0;
    map->count = 0;
}

void hlo_id_map_free(hlo_id_map *map) {
    hlo_list_free(&map->sparse);
    hlo_hash_free(&map->by_hash);
    hlo_free(map->dense);
    *map = (hlo_id_map){0};
}

/* ---- errors ---- */

/* The key of a map's entry, as JSON pointers have it; its number before the key is read. */
static void put_key(hlo_buf *to, const hlo_node *entry) {
    const hlo_node *key = entry->u.members ? entry->u.members[0].first : NULL;
    if (!key) hlo_buf_uint(to, entry->index);
    else if (hlo_field_is_numeric(key->field)) hlo_buf_int(to, key->u.i);
    else
        for (uint32_t i = 0; i < key->u.text.len; i++) {
            char c = key->u.text.ptr[i];
            if (c == '~') hlo_buf_lit(to, "~0");
            else if (c == '/') hlo_buf_lit(to, "~1");
            else hlo_buf_char(to, c);
        }
}

static void put_pointer(const hlo_reader *r, hlo_buf *to, const hlo_node *around,
                        const hlo_node *node, uint32_t depth) {
    if (!node || !node->field) {
        if (around) put_pointer(r, to, NULL, around, depth + 1);
        return;
    }
    if (depth < HLO_MOST_NESTED_MESSAGES) put_pointer(r, to, around, node->parent, depth + 1);
    bool is_in_entry =
        node->parent && node->parent->field && node->parent->field->label == HLO_PROTO_MAP;
    if (is_in_entry) return; /* key and value of an entry have no names */
    hlo_buf_char(to, '/');
    hlo_buf_cstr(to, hlo_reader_called(r, node->field));
    if (!hlo_field_is_many(node->field) || node->stands_for == HLO_NODE_LIST ||
        (hlo_field_is_numeric(node->field) && node->stands_for != HLO_NODE_ELEMENT))
        return;
    hlo_buf_char(to, '/');
    if (node->field->label == HLO_PROTO_MAP) put_key(to, node);
    else hlo_buf_uint(to, node->index);
}

enum { SHOWN_POINTER = 400 };

static void report(hlo_reader *r, const hlo_node *node, hlo_span at, hlo_rule rule,
                   const char *format, va_list args) {
    hlo_buf pointer = HLO_BUF_INIT;
    put_pointer(r, &pointer, r->around, node, 0);
    if (!pointer.len) hlo_buf_char(&pointer, '/');
    char message[1024];
    vsnprintf(message, sizeof message, format, args);
    int shown = (int)(pointer.len > SHOWN_POINTER ? SHOWN_POINTER : pointer.len);
    const char *more = pointer.len > SHOWN_POINTER ? "..." : "";
    if (r->has_lines)
        hlo_error(r->diags, rule, r->source, at, "%.*s%s: %s", shown, pointer.data, more, message);
    else
        hlo_error(r->diags, rule, NULL, (hlo_span){0}, "%s: byte %u: %.*s%s: %s", r->source->name,
                  at.lo, shown, pointer.data, more, message);
    hlo_buf_free(&pointer);
}

bool hlo_node_bad(hlo_reader *r, const hlo_node *node, hlo_rule rule, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(r, node, (hlo_span){node->at, node->end}, rule, format, args);
    va_end(args);
    return false;
}

bool hlo_read_bad(hlo_reader *r, const hlo_node *message, uint32_t at, uint32_t end, hlo_rule rule,
                  const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(r, message, (hlo_span){at, end}, rule, format, args);
    va_end(args);
    return false;
}

bool hlo_reader_enum(hlo_reader *r, const hlo_node *node, hlo_enum_id id, hlo_str text, uint32_t at,
                     uint32_t end, int64_t *out) {
    int32_t found;
    if (hlo_enum_number(id, text, &found)) {
        *out = found;
        return true;
    }
    hlo_read_bad(r, node, at, end, HLO_RULE_MESSAGE, "'%.*s' is not a value of this enum",
                 (int)(text.len < 80 ? text.len : 80), text.ptr);
    const hlo_nearest search = hlo_enum_nearest(id, text);
    hlo_hint_nearest(r->diags, &search);
    return false;
}
