/* Actions for attributes, aliases and locations. */
#include "mlir/parser.h"

#include "base/text.h"
#include "ir/float_types.h"

/* ---- attributes ---- */

hlo_mlir_attr *hlo_mlir_attr_new(hlo_mlir_parser *p, hlo_mlir_attr_kind kind, hlo_span at) {
    hlo_mlir_attr *attr = HLO_NEW(p->arena, hlo_mlir_attr);
    attr->kind = kind;
    attr->at = at;
    return attr;
}

const hlo_mlir_attr *hlo_mlir_text_attr(hlo_mlir_parser *p, hlo_mlir_attr_kind kind, hlo_span at,
                                        hlo_str text) {
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, kind, at);
    attr->u.text = text;
    return attr;
}

static const hlo_mlir_type *scalar(hlo_mlir_parser *p, hlo_type element) {
    return hlo_mlir_type_of(p->module,
                            &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = element});
}

const hlo_mlir_attr *hlo_mlir_int_attr(hlo_mlir_parser *p, hlo_span at, int64_t value,
                                       const hlo_mlir_type *type) {
    bool is_float = type && type->kind == HLO_MLIR_SCALAR && hlo_type_is_float(type->element);
    if (is_float) return hlo_mlir_float_attr(p, at, (double)value, type);
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_INT, at);
    attr->type = type;
    attr->u.i = value;
    return attr;
}

const hlo_mlir_attr *hlo_mlir_float_attr(hlo_mlir_parser *p, hlo_span at, double value,
                                         const hlo_mlir_type *type) {
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_FLOAT, at);
    attr->type = type;
    attr->u.f = value;
    return attr;
}

/* A float by its bits, or an integer. */
const hlo_mlir_attr *hlo_mlir_bits_attr(hlo_mlir_parser *p, hlo_span at, int64_t bits,
                                        const hlo_mlir_type *type) {
    if (type->kind != HLO_MLIR_SCALAR || !hlo_type_is_float(type->element))
        return hlo_mlir_int_attr(p, at, bits, type);
    unsigned width = hlo_types[type->element].bits;
    if (width < 64 && (uint64_t)bits >> width) {
        hlo_mlir_error(p, HLO_RULE_ATTRIBUTE_VALUE, at, "these are more bits than %.*s has",
                       (int)type->text.len, type->text.ptr);
        return NULL;
    }
    return hlo_mlir_float_attr(p, at, hlo_float_decode(type->element, (uint64_t)bits), type);
}

const hlo_mlir_attr *hlo_mlir_bool_attr(hlo_mlir_parser *p, hlo_span at, bool value) {
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_BOOL, at);
    attr->type = scalar(p, HLO_PRED);
    attr->u.i = value;
    return attr;
}

const hlo_mlir_attr *hlo_mlir_type_attr(hlo_mlir_parser *p, hlo_span at,
                                        const hlo_mlir_type *type) {
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_TYPE, at);
    attr->type = type;
    return attr;
}

const hlo_mlir_attr *hlo_mlir_function_type_attr(hlo_mlir_parser *p, hlo_span at, uint32_t base,
                                                 uint32_t results) {
    hlo_mlir_type type = {.kind = HLO_MLIR_FUNCTION,
                          .element = HLO_TYPE_COUNT,
                          .part_count = p->types.n - base,
                          .inputs = results - base,
                          .parts = p->types.v + base};
    const hlo_mlir_type *made = hlo_mlir_type_of(p->module, &type);
    p->types.n = base;
    return hlo_mlir_type_attr(p, at, made);
}

void hlo_mlir_push_named(hlo_mlir_parser *p, hlo_str key, const hlo_mlir_attr *value, hlo_span at) {
    hlo_list_push(&p->named, (hlo_mlir_named){key, value, at.lo});
}

/* Later steps follow lists by recursion. */
static uint16_t depth_of(hlo_mlir_parser *p, uint32_t base, hlo_span at) {
    uint16_t depth = 0;
    for (uint32_t i = base; i < p->named.n; i++) {
        const hlo_mlir_attr *value = p->named.v[i].value;
        if (value && value->depth > depth) depth = value->depth;
    }
    if (depth >= HLO_MLIR_MOST_NESTED)
        hlo_mlir_error(p, HLO_RULE_NESTING, at, "lists nest too deep");
    return depth + 1;
}

static hlo_mlir_list take_named(hlo_mlir_parser *p, uint32_t base) {
    uint32_t n = p->named.n - base;
    hlo_mlir_list list = {n, n ? hlo_arena_copy(p->arena, p->named.v + base, n * sizeof *p->named.v)
                               : NULL};
    p->named.n = base;
    return list;
}

const hlo_mlir_attr *hlo_mlir_list_attr(hlo_mlir_parser *p, hlo_mlir_attr_kind kind, hlo_span at,
                                        char bracket, hlo_str name, uint32_t base) {
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, kind, at);
    attr->bracket = bracket;
    attr->u.text = name;
    attr->depth = depth_of(p, base, at);
    attr->list = take_named(p, base);
    return attr;
}

/* Each has a key, or is a name alone, which is a unit. */
static bool are_named(hlo_mlir_parser *p, uint32_t base) {
    for (uint32_t i = base; i < p->named.n; i++) {
        const hlo_mlir_named *entry = &p->named.v[i];
        if (!entry->key.len && entry->value->kind != HLO_MLIR_WORD) return false;
    }
    return true;
}

const hlo_mlir_attr *hlo_mlir_braces_attr(hlo_mlir_parser *p, hlo_span at, uint32_t base) {
    if (!are_named(p, base))
        return hlo_mlir_list_attr(p, HLO_MLIR_LIST, at, '{', (hlo_str){0}, base);
    for (uint32_t i = base; i < p->named.n; i++) {
        hlo_mlir_named *entry = &p->named.v[i];
        if (entry->key.len) continue;
        entry->key = hlo_mlir_text_of(entry->value);
        entry->value = hlo_mlir_attr_new(p, HLO_MLIR_UNIT, entry->value->at);
    }
    return hlo_mlir_list_attr(p, HLO_MLIR_DICT, at, '{', (hlo_str){0}, base);
}

/* #dialect<name ...> is #dialect.name<...>. */
const hlo_mlir_attr *hlo_mlir_struct_attr(hlo_mlir_parser *p, hlo_span at, hlo_str name,
                                          uint32_t base) {
    bool has_name = memchr(name.ptr, '.', name.len) || base == p->named.n ||
                    p->named.v[base].key.len || p->named.v[base].value->kind != HLO_MLIR_WORD;
    if (has_name) return hlo_mlir_list_attr(p, HLO_MLIR_STRUCT, at, '<', name, base);
    hlo_str first = hlo_mlir_text_of(p->named.v[base].value);
    char *joined = hlo_arena_alloc(p->arena, (size_t)name.len + 1 + first.len);
    memcpy(joined, name.ptr, name.len);
    joined[name.len] = '.';
    memcpy(joined + name.len + 1, first.ptr, first.len);
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_STRUCT, at);
    attr->bracket = '<';
    attr->depth = depth_of(p, base, at);
    attr->u.text = (hlo_str){joined, name.len + 1 + first.len, 0};
    attr->list = take_named(p, base + 1);
    p->named.n = base;
    return attr;
}

/* START:LIMIT:STRIDE of a slice. */
const hlo_mlir_attr *hlo_mlir_range_attr(hlo_mlir_parser *p, hlo_span at, int64_t start,
                                         int64_t limit, int64_t stride) {
    int64_t *v = HLO_NEW_ARRAY(p->arena, int64_t, 3);
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_INTS, at);
    v[0] = start;
    v[1] = limit;
    v[2] = stride;
    attr->bracket = ':';
    attr->u.ints.n = 3;
    attr->u.ints.v = v;
    return attr;
}

/* "axis":(PRE)SIZE */
const hlo_mlir_attr *hlo_mlir_sub_axis_attr(hlo_mlir_parser *p, hlo_span at, hlo_str name,
                                            int64_t pre, int64_t size) {
    uint32_t base = p->named.n;
    hlo_mlir_push_named(p, HLO_STR("name"), hlo_mlir_text_attr(p, HLO_MLIR_STRING, at, name), at);
    hlo_mlir_push_named(p, HLO_STR("pre_size"), hlo_mlir_int_attr(p, at, pre, NULL), at);
    hlo_mlir_push_named(p, HLO_STR("size"), hlo_mlir_int_attr(p, at, size, NULL), at);
    return hlo_mlir_list_attr(p, HLO_MLIR_STRUCT, at, '(', HLO_STR("sdy.axis_ref"), base);
}

const hlo_mlir_attr *hlo_mlir_move_attr(hlo_mlir_parser *p, hlo_span at, const hlo_mlir_attr *axes,
                                        int64_t from, int64_t to) {
    uint32_t base = p->named.n;
    hlo_mlir_push_named(p, HLO_STR("axes"), axes, axes->at);
    hlo_mlir_push_named(p, HLO_STR("src_dim"), hlo_mlir_int_attr(p, at, from, NULL), at);
    hlo_mlir_push_named(p, HLO_STR("tgt_dim"), hlo_mlir_int_attr(p, at, to, NULL), at);
    return hlo_mlir_list_attr(p, HLO_MLIR_STRUCT, at, '<', HLO_STR("sdy.all_to_all_param"), base);
}

const hlo_mlir_attr *hlo_mlir_location_attr(hlo_mlir_parser *p, hlo_span at,
                                            const hlo_mlir_location *location) {
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_LOCATION, at);
    attr->u.location = location;
    return attr;
}

hlo_str hlo_mlir_join_symbols(hlo_mlir_parser *p, hlo_str outer, hlo_str inner) {
    char *joined = hlo_arena_alloc(p->arena, (size_t)outer.len + 2 + inner.len);
    memcpy(joined, outer.ptr, outer.len);
    memcpy(joined + outer.len, "::", 2);
    memcpy(joined + outer.len + 2, inner.ptr, inner.len);
    return (hlo_str){joined, outer.len + 2 + inner.len, 0};
}

/* ---- aliases ---- */

static hlo_mlir_alias *alias_of(hlo_mlir_parser *p, hlo_str name, hlo_span at) {
    uint32_t hash = (uint32_t)hlo_hash_bytes(name.ptr, name.len);
    hlo_hash_each (number, &p->aliases_by_hash, hash)
        if (hlo_str_equal(p->aliases.v[number - 1].text, name)) return &p->aliases.v[number - 1];
    hlo_list_push(&p->aliases, (hlo_mlir_alias){.text = name, .used_at = at.lo});
    hlo_hash_add(&p->aliases_by_hash, hash, p->aliases.n);
    return &p->aliases.v[p->aliases.n - 1];
}

const hlo_mlir_location *hlo_mlir_location_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at) {
    hlo_mlir_alias *alias = alias_of(p, name, at);
    if (alias->is_defined && !alias->location) {
        hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "'%.*s' is no location", (int)name.len, name.ptr);
        return NULL;
    }
    if (!alias->location) alias->location = hlo_mlir_location_new(p, HLO_MLIR_UNKNOWN_PLACE);
    return alias->location;
}

const hlo_mlir_attr *hlo_mlir_attr_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at) {
    hlo_mlir_alias *alias = alias_of(p, name, at);
    if (alias->attr) return alias->attr;
    hlo_mlir_error(p, HLO_RULE_UNKNOWN_NAME, at, "no alias '%.*s' is defined before", (int)name.len,
                   name.ptr);
    return NULL;
}

const hlo_mlir_type *hlo_mlir_type_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at) {
    hlo_mlir_alias *alias = alias_of(p, name, at);
    enum { AT_LEAST = 1 << 20, EACH = 16 };
    if (alias->type) p->unfolded += alias->type->text.len;
    if (p->unfolded > AT_LEAST + EACH * (uint64_t)(p->limit - p->begin)) {
        hlo_mlir_error(p, HLO_RULE_NESTING, at, "aliases of types stand for too much");
        return NULL;
    }
    if (alias->type) return alias->type;
    hlo_mlir_error(p, HLO_RULE_UNKNOWN_NAME, at, "no type alias '%.*s' is defined before",
                   (int)name.len, name.ptr);
    return NULL;
}

void hlo_mlir_define_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at, const hlo_mlir_type *type,
                           const hlo_mlir_attr *attr) {
    hlo_mlir_alias *alias = alias_of(p, name, at);
    if (alias->is_defined) {
        hlo_mlir_error(p, HLO_RULE_DUPLICATE_NAME, at, "the alias '%.*s' is defined twice",
                       (int)name.len, name.ptr);
        return;
    }
    alias->is_defined = true;
    alias->type = type;
    alias->attr = attr;
    if (!attr || attr->kind != HLO_MLIR_LOCATION) return;
    if (!alias->location) alias->location = hlo_mlir_location_new(p, HLO_MLIR_UNKNOWN_PLACE);
    *alias->location = *attr->u.location; /* where it is used already, too */
}

/* ---- locations ---- */

hlo_mlir_location *hlo_mlir_location_new(hlo_mlir_parser *p, hlo_mlir_place_kind kind) {
    hlo_mlir_location *location = HLO_NEW(p->arena, hlo_mlir_location);
    location->kind = kind;
    return location;
}

const hlo_mlir_location *hlo_mlir_named_location(hlo_mlir_parser *p, hlo_str name,
                                                 const hlo_mlir_location *child) {
    hlo_mlir_location *location = hlo_mlir_location_new(p, HLO_MLIR_NAMED_PLACE);
    location->name = name;
    location->first = child;
    return location;
}

const hlo_mlir_location *hlo_mlir_file_location(hlo_mlir_parser *p, hlo_str file, int64_t line,
                                                int64_t column, int64_t end_line,
                                                int64_t end_column) {
    hlo_mlir_location *location = hlo_mlir_location_new(p, HLO_MLIR_FILE_PLACE);
    location->name = file;
    location->line = (uint32_t)line;
    location->column = (uint32_t)column;
    location->end_line = (uint32_t)end_line;
    location->end_column = (uint32_t)end_column;
    return location;
}

/* The line is looked for from the one that was asked for last: most operations follow another. */
static hlo_position position(hlo_mlir_parser *p, uint32_t offset) {
    const char *at = p->begin + offset, *newline;
    if (!p->line_begin || at < p->line_begin) {
        hlo_position found = hlo_source_position(p->source, offset);
        p->line_begin = at - (found.column - 1);
        p->line_number = found.line;
        return found;
    }
    while ((newline = memchr(p->line_begin, '\n', (size_t)(at - p->line_begin)))) {
        p->line_begin = newline + 1;
        p->line_number++;
    }
    return (hlo_position){p->line_number, (uint32_t)(at - p->line_begin) + 1};
}

const hlo_mlir_location *hlo_mlir_implicit_location(hlo_mlir_parser *p, uint32_t offset) {
    hlo_position at = position(p, offset);
    return hlo_mlir_file_location(p, HLO_STR("-"), at.line, at.column, at.line, at.column);
}

const hlo_mlir_location *hlo_mlir_call_location(hlo_mlir_parser *p, const hlo_mlir_location *callee,
                                                const hlo_mlir_location *caller) {
    hlo_mlir_location *location = hlo_mlir_location_new(p, HLO_MLIR_CALL_PLACE);
    location->first = callee;
    location->caller = caller;
    return location;
}

const hlo_mlir_location *hlo_mlir_fused_location(hlo_mlir_parser *p, uint32_t base) {
    hlo_mlir_location *location = hlo_mlir_location_new(p, HLO_MLIR_FUSED_PLACE);
    uint32_t n = p->locations.n - base;
    location->part_count = n;
    if (n)
        location->parts =
            hlo_arena_copy(p->arena, p->locations.v + base, n * sizeof *p->locations.v);
    p->locations.n = base;
    return location;
}
