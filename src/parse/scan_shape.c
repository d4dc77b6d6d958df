/* The shape sub-scanner: one shape with its layout becomes one token (docs/text-format.md, section
 * 5). A shape's text is looked up among those seen before, so most are never taken apart. */
#include "parse/bytes.h"
#include "parse/number.h"
#include "parse/parser.h"
#include "parse/suggest.h"

enum { MOST_DIMS = 1024 };

/* ---- taking a shape apart ---- */

typedef struct {
    hlo_parser *p;
    const char *from;
    const char *at; /* NULL after an error */
} reader;

static const char *word_end(const char *at) {
    while (hlo_begins_word(*at) || hlo_is_digit(*at)) at++;
    return at;
}

/* The end of what stands at `at`, for an error: a word, a number or one byte. */
static const char *piece_end(const reader *r, const char *at) {
    const char *end = word_end(at + (*at == '-'));
    if (*end == '.' && hlo_is_digit(*at)) end = word_end(end + 1);
    return end > at ? end : at + (at < r->p->scan.limit);
}

static bool refuse(reader *r, const char *at, const char *message) {
    hlo_parse_error(r->p, HLO_RULE_SHAPE_SYNTAX, hlo_span_of(r->p, at, piece_end(r, at)), "%s",
                    message);
    r->at = NULL;
    return false;
}

static bool fail(reader *r, const char *at, const char *expected) {
    const char *end = piece_end(r, at);
    hlo_span span = hlo_span_of(r->p, at, end);
    int n = end - at > 40 ? 40 : (int)(end - at);
    if (at >= r->p->scan.limit)
        hlo_parse_error(r->p, HLO_RULE_SHAPE_SYNTAX, span,
                        "expected %s in a shape, but the text ends here", expected);
    else if ((unsigned char)*at >= ' ')
        hlo_parse_error(r->p, HLO_RULE_SHAPE_SYNTAX, span, "expected %s in a shape, found '%.*s'",
                        expected, n, at);
    else hlo_parse_error(r->p, HLO_RULE_SHAPE_SYNTAX, span, "expected %s in a shape", expected);
    hlo_suggest_type(r->p, at, (size_t)n);
    r->at = NULL;
    return false;
}

static bool blanks(reader *r) {
    return r->at && (r->at = hlo_skip_blanks(r->p, r->at)) != NULL;
}

/* Skips blanks and takes `c` when it stands there. */
static bool take(reader *r, char c) {
    if (!blanks(r) || *r->at != c) return false;
    r->at++;
    return true;
}

static bool want(reader *r, char c, const char *expected) {
    return take(r, c) || (r->at && fail(r, r->at, expected));
}

static bool read_int(reader *r, int64_t *out, const char *expected) {
    if (!blanks(r)) return false;
    const char *from = r->at;
    bool negative = *r->at == '-';
    if (negative) r->at++;
    if (!hlo_is_digit(*r->at)) return fail(r, from, expected);
    uint64_t value, most = negative ? UINT64_C(1) << 63 : UINT64_MAX;
    if (!hlo_digits(&r->at, r->p->scan.limit, most, &value))
        return refuse(r, from, "this number does not fit 64 bits");
    *out = (int64_t)(negative ? 0 - value : value);
    return true;
}

static bool read_type(reader *r, hlo_type *out) {
    if (!blanks(r)) return false;
    const char *end = word_end(r->at);
    *out =
        hlo_begins_word(*r->at) ? hlo_type_from_text(r->at, (size_t)(end - r->at)) : HLO_TYPE_COUNT;
    if (*out == HLO_TYPE_COUNT) {
        const char *word = r->at;
        fail(r, word, "an element type");
        hlo_suggest_near_type(r->p, word, (size_t)(end - word));
        return false;
    }
    r->at = end;
    return true;
}

/* ---- dimensions ---- */

static bool read_dim(reader *r, int64_t *size, uint8_t *dynamic) {
    if (!blanks(r)) return false;
    *dynamic = 0;
    if (take(r, '?')) {
        *size = HLO_UNBOUNDED;
        *dynamic = 1;
        return true;
    }
    if (r->at[0] == '<' && r->at[1] == '=') {
        *dynamic = 1;
        r->at += 2;
    }
    const char *from = r->at;
    if (!read_int(r, size, *dynamic ? "a bound" : "a dimension size, '<=' or '?'")) return false;
    if (hlo_begins_word(*r->at) || *r->at == '.') return fail(r, from, "a whole number");
    if (*size >= 0) return true;
    refuse(r, from, "a size is not negative");
    hlo_note_instruction(r->p);
    return false;
}

static bool read_dims(reader *r, int64_t *dims, uint8_t *dynamic, uint32_t *rank) {
    if (!want(r, '[', "'['")) return false;
    *rank = 0;
    if (take(r, ']')) return true;
    do {
        if (!r->at) return false;
        if (*rank == MOST_DIMS) return refuse(r, r->at, "a shape has at most 1024 dimensions");
        if (!read_dim(r, &dims[*rank], &dynamic[*rank])) return false;
        ++*rank;
    } while (take(r, ','));
    return want(r, ']', "',' or ']'");
}

/* ---- layouts ---- */

static bool read_level_types(reader *r) { /* D(...): read and dropped, as XLA does */
    if (!want(r, '(', "'('")) return false;
    if (take(r, ')')) return true;
    do {
        if (!blanks(r)) return false;
        if (!strchr("DCSH", *r->at) || !*r->at) return fail(r, r->at, "a level type D, C, S or H");
        r->at++;
        take(r, '+');
        take(r, '~');
    } while (take(r, ','));
    return want(r, ')', "')'");
}

static bool read_int_list(reader *r, bool star, hlo_ints **out, char close) {
    uint32_t base = r->p->stacks.ints.n;
    if (blanks(r) && *r->at != close) {
        do {
            int64_t v = HLO_COMBINE;
            if (!(star && take(r, '*')) &&
                !read_int(r, &v, star ? "a tile size or '*'" : "a number"))
                break;
            if (star && v < 0 && v != HLO_COMBINE) {
                refuse(r, r->at - 1, "a tile size is not negative");
                break;
            }
            hlo_list_push(&r->p->stacks.ints, v);
        } while (take(r, ','));
    }
    *out = hlo_ints_from(r->p->arena, r->p->stacks.ints.v + base, r->p->stacks.ints.n - base);
    r->p->stacks.ints.n = base;
    /* XLA does not mind when a tile is not closed before its layout is. */
    if (star && blanks(r) && *r->at == '}') return true;
    return r->at && want(r, close, "',' or the closing bracket");
}

static bool read_tiles(reader *r, hlo_layout_parts *parts) {
    hlo_tile tiles[64];
    uint32_t n = 0;
    if (!blanks(r) || *r->at != '(') return r->at && fail(r, r->at, "'('");
    while (take(r, '(')) {
        if (n == 64) return refuse(r, r->at, "a layout has at most 64 tiles");
        hlo_ints *sizes;
        if (!read_int_list(r, true, &sizes, ')')) return false;
        tiles[n++] = (hlo_tile){sizes->n, sizes->v};
    }
    parts->tile_count = n;
    parts->tiles = hlo_arena_copy(r->p->arena, tiles, n * sizeof *tiles);
    return r->at != NULL;
}

static bool read_splits(reader *r, hlo_layout_parts *parts) {
    hlo_split splits[64];
    uint32_t n = 0;
    if (!blanks(r) || *r->at != '(') return r->at && fail(r, r->at, "'('");
    while (take(r, '(')) {
        if (n == 64) return refuse(r, r->at, "a layout has at most 64 split configurations");
        hlo_ints *indices;
        if (!read_int(r, &splits[n].dimension, "a dimension") || !want(r, ':', "':'") ||
            !read_int_list(r, false, &indices, ')'))
            return false;
        splits[n].n = indices->n;
        splits[n++].indices = indices->v;
    }
    parts->split_count = n;
    parts->splits = hlo_arena_copy(r->p->arena, splits, n * sizeof *splits);
    return r->at != NULL;
}

static bool read_number_part(reader *r, int64_t *out) {
    return want(r, '(', "'('") && read_int(r, out, "a number") && want(r, ')', "')'");
}

static bool read_type_part(reader *r, hlo_type *out) {
    if (!want(r, '(', "'('") || !blanks(r)) return false;
    const char *from = r->at;
    if (!read_type(r, out)) return false;
    if (hlo_types[*out].class != HLO_CLASS_UNSIGNED)
        return fail(r, from, "an unsigned integer type");
    return want(r, ')', "')'");
}

/* Is the word at r->at exactly `name`? Takes it. */
static bool take_word(reader *r, const char *name) {
    if (!blanks(r)) return false;
    size_t n = strlen(name);
    if ((size_t)(word_end(r->at) - r->at) != n || memcmp(r->at, name, n) != 0) return false;
    r->at += n;
    return true;
}

/* The parts after the colon, each at most once and in this order. */
static bool read_parts(reader *r, hlo_layout_parts *parts) {
    if (take_word(r, "D") && !read_level_types(r)) return false;
    if (take_word(r, "T") && !read_tiles(r, parts)) return false;
    if (take_word(r, "L") && !read_number_part(r, &parts->tail_padding_alignment)) return false;
    if (take(r, '#') && !read_type_part(r, &parts->index_type)) return false;
    if (take(r, '*') && !read_type_part(r, &parts->pointer_type)) return false;
    if (take_word(r, "E") && !read_number_part(r, &parts->element_bits)) return false;
    if (take_word(r, "S") && !read_number_part(r, &parts->memory_space)) return false;
    if (take_word(r, "SC") && !read_splits(r, parts)) return false;
    if (r->at && *r->at == 'P') return refuse(r, r->at, "only sparse arrays have a physical shape");
    if (take_word(r, "M") && !read_number_part(r, &parts->metadata_prefix_bytes)) return false;
    return r->at != NULL;
}

/* Does a layout stand at `at`? Only when a whole number or a colon follows the brace: of a literal
 * after its shape the first element may be a decimal one. */
static bool layout_follows(hlo_parser *p, const char *at) {
    if (*at != '{') return false;
    const char *inside = hlo_skip_blanks(p, at + 1);
    if (!inside || *inside == ':') return inside != NULL;
    if (!hlo_is_digit(inside[*inside == '-'])) return false;
    return hlo_scan_number(inside).kind != HLO_NUMBER_DECIMAL;
}

static bool read_layout(reader *r, uint32_t rank, hlo_ints **order, hlo_layout_parts *parts) {
    const char *from = r->at++;
    uint32_t base = r->p->stacks.ints.n;
    if (blanks(r) && *r->at != ':') {
        do {
            int64_t v = 0;
            if (!read_int(r, &v, "a dimension number")) break;
            hlo_list_push(&r->p->stacks.ints, v);
        } while (take(r, ','));
    }
    *order = hlo_ints_from(r->p->arena, r->p->stacks.ints.v + base, r->p->stacks.ints.n - base);
    r->p->stacks.ints.n = base;
    if (!r->at) return false;
    if (take(r, ':') && !read_parts(r, parts)) return false;
    if (!want(r, '}', "',', ':' or '}'")) return false;
    if ((*order)->n == rank) return true;
    hlo_parse_error(r->p, HLO_RULE_SHAPE_SYNTAX, hlo_span_of(r->p, from, r->at),
                    "the layout lists %u dimension%s, the shape has %u", (*order)->n,
                    (*order)->n == 1 ? "" : "s", rank);
    hlo_note_after(r->p, (uint32_t)(r->at - r->p->scan.begin));
    r->at = NULL;
    return false;
}

/* ---- shapes ---- */

static const hlo_shape *read_array(reader *r) {
    hlo_type type;
    int64_t dims[MOST_DIMS];
    uint8_t dynamic[MOST_DIMS];
    uint32_t rank;
    const char *from = r->at;
    if (!read_type(r, &type) || !read_dims(r, dims, dynamic, &rank)) return NULL;
    if (!hlo_type_is_array(type) && rank) {
        refuse(r, from, "tokens and opaques have no dimensions");
        return NULL;
    }
    hlo_layout_parts parts = {
        .tail_padding_alignment = 1, .index_type = HLO_TYPE_COUNT, .pointer_type = HLO_TYPE_COUNT};
    hlo_ints *order = NULL;
    const char *after = hlo_skip_blanks(r->p, r->at);
    if (after && layout_follows(r->p, after)) {
        r->at = after;
        if (!read_layout(r, rank, &order, &parts)) return NULL;
    }
    return hlo_shape_array(&r->p->module->shapes, type, dims, rank, dynamic,
                           order ? order->v : NULL, &parts);
}

static const hlo_shape *read_shape(reader *r, uint32_t depth);

static const hlo_shape *read_tuple(reader *r, uint32_t depth) {
    uint32_t base = r->p->stacks.pointers.n;
    r->at++;
    if (!take(r, ')')) {
        do {
            const hlo_shape *element = r->at ? read_shape(r, depth + 1) : NULL;
            if (!element) break;
            hlo_list_push(&r->p->stacks.pointers, element);
        } while (take(r, ','));
        if (r->at) want(r, ')', "',' or ')'");
    }
    const hlo_shape *tuple = NULL;
    if (r->at)
        tuple = hlo_shape_tuple(&r->p->module->shapes,
                                (const hlo_shape *const *)(r->p->stacks.pointers.v + base),
                                r->p->stacks.pointers.n - base);
    r->p->stacks.pointers.n = base;
    return tuple;
}

static const hlo_shape *read_buffer(reader *r, uint32_t depth) {
    r->at++;
    if (!want(r, '(', "'('")) return NULL;
    const hlo_shape *contents = read_shape(r, depth + 1);
    if (contents && !hlo_shape_is_array(contents)) {
        hlo_parse_error(r->p, HLO_RULE_SHAPE_SYNTAX, hlo_span_of(r->p, r->from, r->at),
                        "a buffer holds one array");
        hlo_note_instruction(r->p);
        return NULL;
    }
    if (!contents || !want(r, ')', "')'")) return NULL;
    return hlo_shape_buffer(&r->p->module->shapes, contents);
}

static const hlo_shape *read_shape(reader *r, uint32_t depth) {
    if (!blanks(r)) return NULL;
    if (depth > HLO_MAX_NESTING) {
        hlo_parse_error(r->p, HLO_RULE_NESTING, hlo_span_of(r->p, r->at, r->at + 1),
                        "shapes nest deeper than %d", HLO_MAX_NESTING);
        hlo_note_instruction(r->p);
        r->at = NULL;
        return NULL;
    }
    if (*r->at == '(') return read_tuple(r, depth);
    if (*r->at == 'b' && word_end(r->at) == r->at + 1) return read_buffer(r, depth);
    return read_array(r);
}

/* ---- the fast way ---- */

/* Where the shape at `at` ends if it is written without surprises, else NULL. */
static const char *simple_array_end(const char *at) {
    while (hlo_begins_word(*at) || hlo_is_digit(*at)) at++;
    if (*at != '[') return NULL;
    for (at++; hlo_is_digit(*at) || *at == ',' || *at == '<' || *at == '=' || *at == '?'; at++) {
    }
    if (*at != ']') return NULL;
    at++;
    if (*at == '{' && (hlo_is_digit(at[1]) || at[1] == ':')) {
        while (*at && *at != '}' && *at != '\n' && *at != '"') at++;
        return *at == '}' ? at + 1 : NULL;
    }
    if (*at == ',' || *at == ')') return at;
    /* A layout may still follow after a blank. */
    return *at == ' ' && at[1] != ' ' && at[1] != '{' && at[1] != '/' && at[1] != '\n' ? at : NULL;
}

static const char *simple_tuple_end(const char *at) {
    uint32_t depth = 0;
    for (;; at++) {
        at = hlo_tuple_mark_from(at);
        if (*at == '(') depth++;
        else if (*at == ')' && --depth == 0) return at + 1;
        else if (*at == 0 || *at == '\n' || *at == '"' || *at == '%' ||
                 (*at == '/' && at[1] == '/'))
            return NULL;
    }
}

bool hlo_recall_shape_text(hlo_parser *p, const char *at, const char *end, const hlo_shape **out) {
    uint32_t len = (uint32_t)(end - at);
    *out = hlo_memo_find(&p->memos.shapes, hlo_hash_bytes(at, len), at, len);
    return *out != NULL;
}

const char *hlo_recall_shape(hlo_parser *p, const char *at, const hlo_shape **out) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    const char *end = *at == '(' ? simple_tuple_end(at) : simple_array_end(at);
    return end && hlo_recall_shape_text(p, at, end, out) ? end : NULL;
}

const char *hlo_scan_shape(hlo_parser *p, const char *at, const hlo_shape **out) {
    const char *end = *at == '(' ? simple_tuple_end(at) : simple_array_end(at);
    uint32_t len = 0;
    uint64_t hash = 0;
    if (p->fast.off) end = NULL;
    if (end) {
        len = (uint32_t)(end - at);
        hash = hlo_hash_bytes(at, len);
        *out = hlo_memo_find(&p->memos.shapes, hash, at, len);
        if (*out) return end;
    }
    reader r = {p, at, at};
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    *out = read_shape(&r, 0);
    if (!*out) return NULL;
    if (end == r.at) hlo_memo_add(&p->memos.shapes, hash, at, len, *out);
    return r.at;
}
