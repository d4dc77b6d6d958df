/* The metadata sub-scanner: `{op_name="..." source_line=3 ...}` becomes one token, and texts seen
 * before are not taken apart again (docs/text-format.md, 7.2). */
#include "parse/bytes.h"
#include "parse/parser.h"
#include "parse/suggest.h"

#include <stddef.h>

typedef enum { STRING, INT32, INT_LIST } field_kind;

static const struct {
    const char *name;
    field_kind kind;
    size_t offset;
} fields[] = {
    {"op_name", STRING, offsetof(hlo_metadata, op_name)},
    {"source_file", STRING, offsetof(hlo_metadata, source_file)},
    {"source_line", INT32, offsetof(hlo_metadata, source_line)},
    {"stack_frame_id", INT32, offsetof(hlo_metadata, stack_frame)},
    {"op_type", STRING, offsetof(hlo_metadata, op_type)},
    {"source_end_line", INT32, offsetof(hlo_metadata, source_end_line)},
    {"source_column", INT32, offsetof(hlo_metadata, source_column)},
    {"source_end_column", INT32, offsetof(hlo_metadata, source_end_column)},
    {"profile_type", INT_LIST, offsetof(hlo_metadata, profile_type)},
    {"deduplicated_name", STRING, offsetof(hlo_metadata, deduplicated_name)},
    {"scheduling_name", STRING, offsetof(hlo_metadata, scheduling_name)},
    {"metadata_payload", STRING, offsetof(hlo_metadata, payload)},
};
enum { FIELDS = sizeof fields / sizeof *fields, MOST_PROFILE_TYPES = 64 };

static const char *fail(hlo_parser *p, const char *at, const char *expected) {
    const char *end = at;
    while (end < p->scan.limit && (unsigned char)*end > ' ' && *end != ',' && *end != '}') end++;
    if (end == at && end < p->scan.limit) end++;
    if (hlo_report_unclosed_string(p, hlo_span_of(p, at, end))) return NULL;
    hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, hlo_span_of(p, at, end), "expected %s in metadata",
                    expected);
    return NULL;
}

static const char *read_int(hlo_parser *p, const char *at, int64_t *out) {
    const char *from = at;
    bool negative = *at == '-';
    at += negative;
    if (!hlo_is_digit(*at)) return fail(p, from, "a number");
    uint64_t v;
    if (!hlo_digits(&at, p->scan.limit, (uint64_t)INT32_MAX + negative, &v))
        return fail(p, from, "a number of 32 bits");
    *out = negative ? -(int64_t)v : (int64_t)v;
    return at;
}

/* Numbers 0 to 3 of the ProfileType enum in braces. */
static const char *read_profile_types(hlo_parser *p, const char *at, const hlo_ints **out) {
    int64_t list[MOST_PROFILE_TYPES];
    uint32_t n = 0;
    if (*at != '{') return fail(p, at, "'{'");
    at = hlo_skip_blanks(p, at + 1);
    while (at && *at != '}') {
        if (n == MOST_PROFILE_TYPES) return fail(p, at, "at most 64 profile types");
        const char *from = at;
        if (!(at = read_int(p, at, &list[n]))) return NULL;
        if (list[n] < 0 || list[n] > 3) return fail(p, from, "a profile type from 0 to 3");
        n++;
        at = hlo_skip_blanks(p, at);
        if (at && *at == ',') {
            at = hlo_skip_blanks(p, at + 1);
            if (at && *at == '}') return fail(p, at, "a profile type");
        } else if (at && *at != '}') {
            return fail(p, at, "',' or '}'");
        }
    }
    *out = hlo_ints_from(p->arena, list, n);
    return at ? at + 1 : NULL;
}

static const char *read_value(hlo_parser *p, const char *at, int field, hlo_metadata *out) {
    HLO_ASSERT((size_t)field < sizeof fields / sizeof *fields);
    char *to = (char *)out + fields[field].offset;
    if (fields[field].kind == STRING) {
        if (*at != '"' && *at != '\'') return fail(p, at, "a string");
        hlo_str text;
        if (!(at = hlo_scan_string(p, at, &text))) return NULL;
        memcpy(to, &text, sizeof text);
    } else if (fields[field].kind == INT32) {
        int64_t v = 0;
        if (!(at = read_int(p, at, &v))) return NULL;
        int32_t narrow = (int32_t)v;
        memcpy(to, &narrow, sizeof narrow);
    } else {
        const hlo_ints *list;
        if (!(at = read_profile_types(p, at, &list))) return NULL;
        memcpy(to, &list, sizeof list);
    }
    return at;
}

static int find_field(const char *name, size_t n) {
    for (int i = 0; i < FIELDS; i++)
        if (strlen(fields[i].name) == n && memcmp(fields[i].name, name, n) == 0) return i;
    return -1;
}

/* A word that is no field: misspelt, or of what follows metadata whose brace is missing. */
static const char *refuse_field(hlo_parser *p, const char *brace, const char *name, size_t n) {
    const char *names[FIELDS];
    if (hlo_report_unclosed_string(p, hlo_span_of(p, name, name))) return NULL;
    for (int i = 0; i < FIELDS; i++) names[i] = fields[i].name;
    fail(p, name, "a field such as op_name=");
    hlo_suggest_word(p, name, n, names, FIELDS);
    if (memchr(brace, '\n', (size_t)(name - brace)))
        hlo_note(p->diags, p->source, hlo_span_of(p, brace, brace + 1),
                 "this brace of metadata is still open");
    return NULL;
}

static const char *read_fields(hlo_parser *p, const char *at, hlo_metadata *out) {
    const char *brace = at;
    unsigned seen = 0;
    at = hlo_skip_blanks(p, at + 1);
    while (at && *at != '}') {
        if (*at == ',' && !(at = hlo_skip_blanks(p, at + 1))) return NULL;
        const char *name = at;
        at = hlo_word_end(at);
        int field = find_field(name, (size_t)(at - name));
        if (field < 0 || *at != '=') return refuse_field(p, brace, name, (size_t)(at - name));
        if (seen & 1u << field) return fail(p, name, "each field once");
        seen |= 1u << field;
        if (!(at = hlo_skip_blanks(p, at + 1))) return NULL;
        if (!(at = read_value(p, at, field, out))) return NULL;
        at = hlo_skip_blanks(p, at);
    }
    return at ? at + 1 : NULL;
}

/* ---- texts seen before, usual texts ---- */

typedef struct {
    const char *text, *end;
    uint64_t hash;
} region;

static void remember(hlo_parser *p, const region *text, const hlo_metadata *metadata) {
    hlo_memo_add(&p->memos.metadata, text->hash, text->text, (uint32_t)(text->end - text->text),
                 metadata);
}

/* False when there is no such region; else *out is what it meant before, or NULL. */
static bool recall(hlo_parser *p, const char *at, region *text, const hlo_metadata **out) {
    *text = (region){at, p->fast.off ? NULL : hlo_braces_end(p, at), 0};
    if (!text->end) return false;
    uint32_t len = (uint32_t)(text->end - at);
    text->hash = hlo_hash_bytes(at, len);
    *out = hlo_memo_find(&p->memos.metadata, text->hash, at, len);
    return true;
}

/* Strings without escapes and numbers up to 9 digits, each field once; NULL for anything else. */
static const char *read_fast_fields(hlo_parser *p, const char *at, hlo_metadata *out) {
    unsigned seen = 0;
    while (*at != '}') {
        at += *at == ' ';
        const char *end = hlo_word_end(at);
        int field = find_field(at, (size_t)(end - at));
        if (field < 0 || *end != '=' || seen & 1u << field) return NULL;
        seen |= 1u << field;
        char *to = (char *)out + fields[field].offset;
        at = end + 1;
        if (fields[field].kind == STRING && *at == '"') {
            hlo_str text;
            if (!(at = hlo_plain_string(p, at, &text))) return NULL;
            memcpy(to, &text, sizeof text);
        } else if (fields[field].kind == INT32) {
            int64_t v;
            if (!(at = hlo_few_digits(at, 9, &v))) return NULL;
            memcpy(to, &(int32_t){(int32_t)v}, sizeof(int32_t));
        } else {
            return NULL;
        }
    }
    return at + 1;
}

const char *hlo_fast_metadata(hlo_parser *p, const char *at, const hlo_metadata **out) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    region text;
    if (*at != '{' || !recall(p, at, &text, out)) return NULL;
    if (*out) return text.end;
    hlo_metadata read = {0};
    if (read_fast_fields(p, at + 1, &read) != text.end) return NULL;
    hlo_metadata *kept = hlo_arena_copy(p->arena, &read, sizeof read);
    if (kept->stack_frame) hlo_list_push(&p->frames.framed, kept);
    remember(p, &text, kept);
    *out = kept;
    return text.end;
}

const char *hlo_scan_metadata(hlo_parser *p, const char *at, const hlo_metadata **out) {
    region text;
    if (*at != '{') return fail(p, at, "'{'");
    if (recall(p, at, &text, out) && *out) return text.end;
    hlo_metadata *metadata = HLO_NEW(p->arena, hlo_metadata);
    const char *done = read_fields(p, at, metadata);
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    if (!done) return NULL;
    *out = metadata;
    if (metadata->stack_frame) hlo_list_push(&p->frames.framed, metadata);
    if (text.end == done) remember(p, &text, metadata);
    return done;
}

/* In shardings: one metadata, or a list of them in braces. */
const char *hlo_scan_metadata_list(hlo_parser *p, const char *at, const hlo_metadata_list **out) {
    uint32_t base = p->stacks.pointers.n;
    if (*at != '{') return fail(p, at, "'{'");
    p->frames.out_of_order = true;
    const char *inside = hlo_skip_blanks(p, at + 1);
    const hlo_metadata *one;
    if (inside && *inside == '{') {
        at = inside;
        for (;;) {
            if (!(at = hlo_scan_metadata(p, at, &one))) break;
            hlo_list_push(&p->stacks.pointers, one);
            if (!(at = hlo_skip_blanks(p, at))) break;
            if (*at == '}') {
                at++;
                break;
            }
            if (*at != ',') {
                at = fail(p, at, "',' or '}'");
                break;
            }
            if (!(at = hlo_skip_blanks(p, at + 1))) break;
        }
    } else if (inside) {
        if ((at = hlo_scan_metadata(p, at, &one))) hlo_list_push(&p->stacks.pointers, one);
    } else {
        at = NULL;
    }
    if (at) {
        hlo_metadata_list *list = HLO_NEW(p->arena, hlo_metadata_list);
        list->n = p->stacks.pointers.n - base;
        list->v = hlo_arena_copy(p->arena, p->stacks.pointers.v + base, list->n * sizeof *list->v);
        *out = list;
    }
    p->stacks.pointers.n = base;
    return at;
}
