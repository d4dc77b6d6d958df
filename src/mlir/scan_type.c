/* Types in MLIR text: a whole type is one token; a text that was met before is looked up. Strings
 * and brackets, which other tokens need too. */
#include "mlir/forms.h"

#include "base/text.h"
#include "parse/number.h"

/* ---- strings and angles ---- */

static hlo_span byte_at(const hlo_mlir_parser *p, const char *at) {
    return hlo_mlir_span(p, at, at + (at < p->limit));
}

static bool needs_unescaping(const char *from, const char *to) {
    return memchr(from, '\\', (size_t)(to - from)) != NULL;
}

/* \n, \t, \\, \" and two hexadecimal digits. */
static const char *unescape(hlo_mlir_parser *p, const char *from, const char *to, hlo_str *out) {
    char *text = hlo_arena_alloc(p->arena, (size_t)(to - from) + 1), *at = text;
    for (const char *c = from; c < to; c++) {
        if (*c != '\\') {
            *at++ = *c;
            continue;
        }
        c++;
        if (*c == '"' || *c == '\\') *at++ = *c;
        else if (*c == 'n') *at++ = '\n';
        else if (*c == 't') *at++ = '\t';
        else if (hlo_digit_value(c[0]) < 16 && hlo_digit_value(c[1]) < 16) {
            *at++ = (char)(hlo_digit_value(c[0]) << 4 | hlo_digit_value(c[1]));
            c++;
        } else {
            hlo_mlir_error(p, HLO_RULE_LEX, hlo_mlir_span(p, c - 1, c + 1),
                           "there is no such escape in a string");
            return NULL;
        }
    }
    *out = (hlo_str){text, (uint32_t)(at - text), 0};
    return to + 1;
}

const char *hlo_mlir_scan_string(hlo_mlir_parser *p, const char *at, hlo_str *out) {
    const char *from = at + 1, *to = from;
    while (*to != '"' && *to != '\n' && to < p->limit)
        to += *to == '\\' && to + 1 < p->limit ? 2 : 1;
    if (to >= p->limit || *to != '"') {
        hlo_mlir_error(p, HLO_RULE_LEX, hlo_mlir_span(p, at, to), "this string is not closed");
        return NULL;
    }
    if (needs_unescaping(from, to)) return unescape(p, from, to, out);
    *out = (hlo_str){from, (uint32_t)(to - from), 0};
    return to + 1;
}

const char *hlo_mlir_after_angles(hlo_mlir_parser *p, const char *at) {
    uint32_t depth = 0;
    const char *from = at;
    for (; at < p->limit; at++) {
        if (*at == '<') depth++;
        else if (*at == '>' && at[-1] != '-' && --depth == 0) return at + 1;
        else if (*at == '"') {
            const char *end = hlo_quoted_end(at, p->limit);
            if (!end) break;
            at = end - 1;
        }
    }
    hlo_mlir_error(p, HLO_RULE_LEX, byte_at(p, from), "this '<' is not closed");
    return NULL;
}

/* ---- one type ---- */

static const hlo_mlir_type *read_type(hlo_mlir_parser *p, const char **at, uint32_t depth);

static const hlo_mlir_type *refuse(hlo_mlir_parser *p, const char *at, const char *message) {
    hlo_mlir_error(p, HLO_RULE_SHAPE_SYNTAX, byte_at(p, at), "%s", message);
    return NULL;
}

static const char *skip_blanks(const hlo_mlir_parser *p, const char *at) {
    return hlo_after_blanks_at(at, p->limit);
}

static bool takes(const hlo_mlir_parser *p, const char **at, char mark) {
    const char *next = skip_blanks(p, *at);
    if (*next != mark) return false;
    *at = next + 1;
    return true;
}

static const hlo_mlir_type *other(hlo_mlir_parser *p, const char *from, const char *to) {
    hlo_mlir_type type = {.kind = HLO_MLIR_OTHER,
                          .element = HLO_TYPE_COUNT,
                          .text = {from, (uint32_t)(to - from), 0}};
    return hlo_mlir_type_of(p->module, &type);
}

/* `4x?x`: sizes before the element type. NULL after an error. */
typedef struct {
    uint32_t n;
    int64_t v[64];
} dims_list;

static const char *read_dims(hlo_mlir_parser *p, const char *at, dims_list *dims) {
    for (dims->n = 0;; dims->n++) {
        at = skip_blanks(p, at);
        int64_t size = HLO_UNBOUNDED;
        const char *end = at;
        if (*at == '?') {
            end++;
        } else {
            uint64_t number;
            if (!hlo_is_digit(*at)) return at;
            if (!hlo_digits(&end, p->limit, INT64_MAX, &number)) {
                refuse(p, at, "this size does not fit 63 bits");
                return NULL;
            }
            size = (int64_t)number;
        }
        end = skip_blanks(p, end);
        if (*end != 'x') {
            refuse(p, end, "'x' must follow a size");
            return NULL;
        }
        if (dims->n == sizeof dims->v / sizeof *dims->v) {
            refuse(p, at, "a tensor has at most 64 dimensions");
            return NULL;
        }
        dims->v[dims->n] = size;
        at = end + 1;
    }
}

/* `<4, ?>` or `[4, ?]`, after the words. */
static bool read_bounds(hlo_mlir_parser *p, const char **at, char close, dims_list *bounds) {
    bounds->n = 0;
    while (!takes(p, at, close)) {
        if (bounds->n && !takes(p, at, ',')) return false;
        if (bounds->n == sizeof bounds->v / sizeof *bounds->v) return false;
        uint64_t number;
        *at = skip_blanks(p, *at);
        if (takes(p, at, '?')) bounds->v[bounds->n++] = HLO_UNBOUNDED;
        else if (hlo_is_digit(**at) && hlo_digits(at, p->limit, INT64_MAX, &number))
            bounds->v[bounds->n++] = (int64_t)number;
        else return false;
    }
    return true;
}

static bool takes_text(const char **at, const char *text) {
    size_t n = strlen(text);
    if (strncmp(*at, text, n) != 0) return false;
    *at += n;
    return true;
}

/* #stablehlo.bounds<4, ?> or #stablehlo.type_extensions<bounds = [4, ?]>; others are kept as text.
 */
static bool read_encoding(hlo_mlir_parser *p, const char **at, dims_list *bounds, bool *is_known) {
    const char *from = *at = skip_blanks(p, *at), *word = from;
    *is_known = false;
    bounds->n = 0;
    if (takes_text(at, "#stablehlo.bounds<")) return *is_known = read_bounds(p, at, '>', bounds);
    if (takes_text(&word, "#stablehlo.type_extensions<") ||
        takes_text(&word, "#mhlo.type_extensions<")) {
        word = skip_blanks(p, word);
        if (!takes_text(&word, "bounds") || !takes(p, &word, '=') || !takes(p, &word, '[') ||
            !read_bounds(p, &word, ']', bounds) || !takes(p, &word, '>'))
            return false;
        *at = word;
        return *is_known = true;
    }
    while (hlo_is_word_byte(**at) || **at == '#' || **at == '!') (*at)++;
    if (**at == '<') *at = hlo_mlir_after_angles(p, *at);
    return *at && *at > from;
}

static const hlo_mlir_type *array_type(hlo_mlir_parser *p, const char *from, const char **at,
                                       hlo_mlir_type_kind kind, uint32_t depth) {
    dims_list dims, bounds = {.n = 0};
    if (**at == '*') {
        const char *end = hlo_mlir_after_angles(p, *at - 1);
        if (!end) return NULL;
        *at = end;
        return other(p, from, end);
    }
    if (!(*at = read_dims(p, *at, &dims))) return NULL;
    const hlo_mlir_type *element = read_type(p, at, depth + 1);
    if (!element) return NULL;
    if (element->kind != HLO_MLIR_SCALAR && element->kind != HLO_MLIR_OTHER)
        return refuse(p, from, "a tensor has elements of a scalar type");
    bool is_known = true;
    if (takes(p, at, ',')) {
        const char *encoding = *at;
        if (!read_encoding(p, at, &bounds, &is_known))
            return p->failed ? NULL
                             : refuse(p, skip_blanks(p, encoding),
                                      "this encoding of a tensor cannot be read");
        if (is_known && bounds.n && bounds.n != dims.n)
            return refuse(p, skip_blanks(p, encoding),
                          "a tensor has a bound, or '?', for each dimension");
    }
    if (!takes(p, at, '>'))
        return refuse(p, skip_blanks(p, *at), "expected '>' at the end of a tensor type");
    if (!is_known) return other(p, from, *at);
    bool is_bounded = false;
    for (uint32_t i = 0; i < bounds.n; i++) {
        if (bounds.v[i] != HLO_UNBOUNDED && dims.v[i] != HLO_UNBOUNDED)
            return refuse(p, from, "a dimension of a known size has no bound");
        is_bounded |= bounds.v[i] != HLO_UNBOUNDED;
    }
    hlo_mlir_type type = {.kind = kind,
                          .element =
                              element->kind == HLO_MLIR_OTHER ? HLO_TYPE_COUNT : element->element,
                          .other = element->kind == HLO_MLIR_OTHER ? element : NULL,
                          .rank = dims.n,
                          .dims = dims.v,
                          .bounds = is_bounded ? bounds.v : NULL};
    return hlo_mlir_type_of(p->module, &type);
}

/* TYPE, TYPE, ... up to the mark that closes. */
static bool read_list(hlo_mlir_parser *p, const char **at, char close, uint32_t depth) {
    if (takes(p, at, close)) return true;
    for (;;) {
        const hlo_mlir_type *part = read_type(p, at, depth + 1);
        if (!part) return false;
        hlo_list_push(&p->types, part);
        if (takes(p, at, close)) return true;
        if (!takes(p, at, ',')) {
            refuse(p, skip_blanks(p, *at), "expected ',' between types");
            return false;
        }
    }
}

static const hlo_mlir_type *list_type(hlo_mlir_parser *p, hlo_mlir_type_kind kind, const char **at,
                                      uint32_t depth) {
    uint32_t base = p->types.n;
    const hlo_mlir_type *made = NULL;
    if (read_list(p, at, '>', depth)) {
        hlo_mlir_type type = {.kind = kind,
                              .element = HLO_TYPE_COUNT,
                              .part_count = p->types.n - base,
                              .parts = p->types.v + base};
        made = hlo_mlir_type_of(p->module, &type);
    }
    p->types.n = base;
    return made;
}

static const hlo_mlir_type *complex_type(hlo_mlir_parser *p, const char *from, const char **at,
                                         uint32_t depth) {
    const hlo_mlir_type *part = read_type(p, at, depth + 1);
    if (!part) return NULL;
    if (!takes(p, at, '>')) return refuse(p, *at, "expected '>' after the type of the parts");
    hlo_type element = part->kind != HLO_MLIR_SCALAR ? HLO_TYPE_COUNT
                       : part->element == HLO_F32    ? HLO_C64
                       : part->element == HLO_F64    ? HLO_C128
                                                     : HLO_TYPE_COUNT;
    if (element == HLO_TYPE_COUNT) return other(p, from, *at);
    return hlo_mlir_type_of(p->module,
                            &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = element});
}

/* What an asynchronous operation gives is a tensor, or several. */
static const hlo_mlir_type *future_type(hlo_mlir_parser *p, const char *from, const char **at,
                                        uint32_t depth) {
    bool is_bundle = from[1] == 'm'; /* of MHLO, which has tuples in it */
    const hlo_mlir_type *type =
        list_type(p, is_bundle ? HLO_MLIR_BUNDLE : HLO_MLIR_FUTURE, at, depth);
    for (uint32_t i = 0; type && !is_bundle && i < type->part_count; i++)
        if (type->parts[i]->kind != HLO_MLIR_TENSOR)
            return refuse(p, from, "a future is one of tensors");
    return type;
}

/* !dialect.name, !dialect.name<...>, or an alias. */
static const hlo_mlir_type *dialect_type(hlo_mlir_parser *p, const char *from, const char **at,
                                         uint32_t depth) {
    static const char of_stablehlo[] = "stablehlo.";
    const char *end = from + 1;
    while (hlo_is_word_byte(*end) || *end == '$') end++;
    hlo_str name = {from + 1, (uint32_t)(end - from - 1), 0};
    *at = end;
    if (hlo_str_is(name, "stablehlo.token") || hlo_str_is(name, "mhlo.token"))
        return hlo_mlir_type_of(
            p->module, &(hlo_mlir_type){.kind = HLO_MLIR_TOKEN, .element = HLO_TYPE_COUNT});
    if (*end == '<' &&
        (hlo_str_is(name, "stablehlo.future") || hlo_str_is(name, "mhlo.async_bundle"))) {
        *at = end + 1;
        return future_type(p, from, at, depth);
    }
    if (name.len > sizeof of_stablehlo - 1 &&
        memcmp(name.ptr, of_stablehlo, sizeof of_stablehlo - 1) == 0)
        return refuse(p, from, "StableHLO has no such type");
    if (*end == '<' && !(*at = hlo_mlir_after_angles(p, end))) return NULL;
    if (*end != '<' && !memchr(name.ptr, '.', name.len))
        return hlo_mlir_type_alias(p, (hlo_str){from, name.len + 1, 0},
                                   hlo_mlir_span(p, from, end));
    return other(p, from, *at);
}

static const hlo_mlir_type *named_type(hlo_mlir_parser *p, const char *from, const char **at,
                                       uint32_t depth) {
    const char *end = from;
    while (hlo_is_letter(*end) || hlo_is_digit(*end) || *end == '_') end++;
    hlo_str name = {from, (uint32_t)(end - from), 0};
    *at = end;
    if (*end == '<') {
        *at = end + 1;
        if (hlo_str_is(name, "tensor")) return array_type(p, from, at, HLO_MLIR_TENSOR, depth);
        if (hlo_str_is(name, "memref")) return array_type(p, from, at, HLO_MLIR_BUFFER, depth);
        if (hlo_str_is(name, "tuple")) return list_type(p, HLO_MLIR_TUPLE, at, depth);
        if (hlo_str_is(name, "complex")) return complex_type(p, from, at, depth);
        if (!(*at = hlo_mlir_after_angles(p, end))) return NULL;
        return other(p, from, *at);
    }
    hlo_type element = hlo_mlir_element(name);
    if (element != HLO_TYPE_COUNT)
        return hlo_mlir_type_of(p->module,
                                &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = element});
    if (!hlo_mlir_begins_type(name, *end)) return refuse(p, from, "expected a type");
    return other(p, from, end);
}

static const hlo_mlir_type *read_type(hlo_mlir_parser *p, const char **at, uint32_t depth) {
    const char *from = *at = skip_blanks(p, *at);
    if (depth >= HLO_MLIR_MOST_NESTED) {
        hlo_mlir_error(p, HLO_RULE_NESTING, byte_at(p, from), "types nest too deep");
        return NULL;
    }
    if (*from == '!') return dialect_type(p, from, at, depth);
    if (hlo_begins_word(*from)) return named_type(p, from, at, depth);
    return refuse(p, from, "expected a type");
}

/* ---- the token ---- */

/* Where the text of a type ends, without reading it; NULL: the text does not show it. */
static const char *quick_end(const hlo_mlir_parser *p, const char *at) {
    while (hlo_is_word_byte(*at) || *at == '!') at++;
    if (*at != '<') return at;
    uint32_t depth = 0;
    for (; at < p->limit && *at != '"'; at++) {
        if (*at == '<') depth++;
        else if (*at == '>' && at[-1] != '-' && --depth == 0) return at + 1;
    }
    return NULL;
}

static const hlo_mlir_type *seen(const hlo_mlir_parser *p, hlo_str text, uint32_t hash) {
    hlo_hash_each (number, &p->types_by_text, hash)
        if (hlo_str_equal(p->seen_types.v[number - 1].text, text))
            return p->seen_types.v[number - 1].type;
    return NULL;
}

/* The slot of a type by eight of its bytes, after those of `tensor<`; texts are padded. */
static hlo_mlir_seen_type *recent_slot(hlo_mlir_parser *p, const char *at) {
    uint64_t bytes;
    memcpy(&bytes, at + strlen("tensor<"), sizeof bytes);
    return &p->recent_types[hlo_hash_mix(0, bytes) % HLO_MLIR_RECENT_TYPES];
}

/* A type that ends with its last angle: where one begins with its bytes, it is that type. */
const char *hlo_mlir_recall_type(hlo_mlir_parser *p, const char *at, const hlo_mlir_type **out) {
    hlo_mlir_seen_type *slot = recent_slot(p, at);
    uint32_t n = slot->text.len;
    if (n && n <= p->limit - at && hlo_same_bytes(at, slot->text.ptr, n)) {
        *out = slot->type;
        return at + n;
    }
    const char *end = quick_end(p, at);
    hlo_str text = {at, end ? (uint32_t)(end - at) : 0, 0};
    if (!text.len) return NULL;
    *out = seen(p, text, (uint32_t)hlo_hash_bytes(text.ptr, text.len));
    if (*out && end[-1] == '>') *slot = (hlo_mlir_seen_type){text, *out};
    return *out ? end : NULL;
}

const char *hlo_mlir_scan_type(hlo_mlir_parser *p, const char *at, const hlo_mlir_type **out) {
    const char *end = quick_end(p, at);
    hlo_str text = {at, end ? (uint32_t)(end - at) : 0, 0};
    uint32_t hash = (uint32_t)hlo_hash_bytes(text.ptr, text.len);
    if ((*out = seen(p, text, hash))) return end;
    const char *next = at;
    if (!(*out = read_type(p, &next, 0))) return NULL;
    if (next == end) {
        hlo_list_push(&p->seen_types, (hlo_mlir_seen_type){text, *out});
        hlo_hash_add(&p->types_by_text, hash, p->seen_types.n);
    }
    return next;
}
