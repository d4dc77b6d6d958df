/* Messages in the JSON mapping of protobuf (docs/messages.md), printed straight to the sink. */
#include <float.h>
#include <math.h>

#include "base/decimal.h"
#include "base/floats.h"
#include "proto/base64.h"
#include "proto/writer.h"

/* ---- layout ---- */

/* Brackets that are open: a message's, and that of its repeated field. */
static uint32_t indentation(const hlo_writer *w) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->levels.n; i++) n += 1 + (w->levels.v[i].open != NULL);
    return n;
}

static void new_line(hlo_writer *w) {
    if (!w->pretty) return;
    static const char blanks[] = "                                ";
    uint32_t n = indentation(w);
    hlo_buf_char(w->to, '\n');
    for (; n > sizeof blanks - 1; n -= (uint32_t)sizeof blanks - 1)
        hlo_buf_bytes(w->to, blanks, sizeof blanks - 1);
    hlo_buf_bytes(w->to, blanks, n);
}

static hlo_writer_level *innermost(hlo_writer *w) {
    return &w->levels.v[w->levels.n - 1];
}

static void close_list(hlo_writer *w) {
    hlo_writer_level *level = innermost(w);
    if (!level->open) return;
    char bracket = level->open->label == HLO_PROTO_MAP ? '}' : ']';
    level->open = NULL;
    new_line(w);
    hlo_buf_char(w->to, bracket);
}

static void colon(hlo_writer *w) {
    if (w->pretty) hlo_buf_lit(w->to, ": ");
    else hlo_buf_char(w->to, ':');
}

/* Everything before a value of the field. */
static void lead_in(hlo_writer *w, const hlo_proto_field *field) {
    hlo_writer_level *level = innermost(w);
    if (level->open == field) {
        hlo_buf_char(w->to, ',');
        new_line(w);
        return;
    }
    close_list(w);
    if (level->any) hlo_buf_char(w->to, ',');
    level->any = true;
    new_line(w);
    hlo_buf_char(w->to, '"');
    hlo_buf_bytes(w->to, field->json_name, field->json_len);
    hlo_buf_char(w->to, '"');
    colon(w);
    if (!hlo_field_is_many(field)) return;
    hlo_buf_char(w->to, field->label == HLO_PROTO_MAP ? '{' : '[');
    level->open = field;
    new_line(w);
}

/* ---- strings ---- */

/* Bytes of the UTF-8 character at `at`; 0: it is none. */
static size_t utf8_length(const unsigned char *at, size_t left) {
    unsigned char lead = at[0];
    size_t n = lead < 0x80   ? 1
               : lead < 0xc2 ? 0
               : lead < 0xe0 ? 2
               : lead < 0xf0 ? 3
               : lead < 0xf5 ? 4
                             : 0;
    if (n == 0 || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (lead == 0xe0 && at[1] < 0xa0) return 0;
    if (lead == 0xed && at[1] >= 0xa0) return 0; /* surrogates */
    if (lead == 0xf0 && at[1] < 0x90) return 0;
    if (lead == 0xf4 && at[1] >= 0x90) return 0;
    return n;
}

static void put_escape(hlo_buf *to, unsigned char c) {
    static const char letters[32] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    if (c == '"' || c == '\\') {
        hlo_buf_char(to, '\\');
        hlo_buf_char(to, (char)c);
    } else if (c < 32 && letters[c]) {
        hlo_buf_char(to, '\\');
        hlo_buf_char(to, letters[c]);
    } else {
        static const char digits[] = "0123456789abcdef";
        hlo_buf_lit(to, "\\u00");
        hlo_buf_char(to, digits[c >> 4]);
        hlo_buf_char(to, digits[c & 15]);
    }
}

static bool is_plain(unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_string(hlo_writer *w, const hlo_proto_field *field, hlo_str text) {
    const unsigned char *p = (const unsigned char *)text.ptr;
    size_t done = 0, at = 0;
    hlo_buf_char(w->to, '"');
    while (at < text.len) {
        if (is_plain(p[at])) {
            at++;
            continue;
        }
        size_t n = utf8_length(p + at, text.len - at);
        if (n > 1) {
            at += n;
            continue;
        }
        hlo_buf_bytes(w->to, p + done, at - done);
        if (n == 1) {
            put_escape(w->to, p[at]);
        } else {
            hlo_buf_lit(w->to, "\xef\xbf\xbd");
            w->bad = field->name;
        }
        done = ++at;
    }
    hlo_buf_bytes(w->to, p + done, at - done);
    hlo_buf_char(w->to, '"');
}

static void put_text(hlo_writer *w, const hlo_proto_field *field, hlo_str text) {
    if (field->kind == HLO_PROTO_STRING) {
        put_string(w, field, text);
        return;
    }
    hlo_buf_char(w->to, '"');
    hlo_base64_put(w->to, text.ptr, text.len);
    hlo_buf_char(w->to, '"');
}

/* ---- numbers ---- */

/* The fewest digits that read back to the same value. */
static char *shortest(char *to, double value, bool is_single) {
    int digits = is_single ? 6 : 15, most = 17;
    for (;; digits++) {
        char *end = hlo_put_g(to, value, digits);
        if (digits == most) return end;
        double back = hlo_decimal_text(to, (size_t)(end - to));
        /* The protobuf library compares with the largest float before it rounds. */
        if (is_single && fabs(back) > (double)FLT_MAX) continue;
        if (is_single ? (float)back == (float)value : back == value) return end;
    }
}

static void put_real(hlo_buf *to, double value, bool is_single) {
    if (isnan(value)) {
        hlo_buf_lit(to, "\"NaN\"");
    } else if (isinf(value)) {
        hlo_buf_cstr(to, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    } else if (value == 0) {
        hlo_buf_cstr(to, signbit(value) ? "-0.0" : "0.0");
    } else {
        hlo_buf_reserve(to, HLO_NUMBER_SIZE);
        to->len = (size_t)(shortest(to->data + to->len, value, is_single) - to->data);
    }
}

static void put_number(hlo_writer *w, const hlo_proto_field *field, int64_t value) {
    const char *word;
    switch ((hlo_proto_kind)field->kind) {
    case HLO_PROTO_BOOL: hlo_buf_cstr(w->to, value ? "true" : "false"); return;
    case HLO_PROTO_INT64:
    case HLO_PROTO_UINT64:
        hlo_buf_char(w->to, '"');
        if (field->kind == HLO_PROTO_INT64) hlo_buf_int(w->to, value);
        else hlo_buf_uint(w->to, (uint64_t)value);
        hlo_buf_char(w->to, '"');
        return;
    case HLO_PROTO_ENUM:
        word = hlo_enum_text((hlo_enum_id)field->type, value);
        if (!word) break;
        hlo_buf_char(w->to, '"');
        hlo_buf_cstr(w->to, word);
        hlo_buf_char(w->to, '"');
        return;
    case HLO_PROTO_INT32:
    case HLO_PROTO_UINT32:
    case HLO_PROTO_FLOAT:
    case HLO_PROTO_DOUBLE:
    case HLO_PROTO_STRING:
    case HLO_PROTO_BYTES:
    case HLO_PROTO_MESSAGE: break;
    }
    hlo_buf_int(w->to, value);
}

static void put_element(hlo_writer *w, const hlo_proto_field *field, const void *v, size_t i) {
    switch ((hlo_proto_kind)field->kind) {
    case HLO_PROTO_FLOAT: put_real(w->to, (double)((const float *)v)[i], true); return;
    case HLO_PROTO_DOUBLE: put_real(w->to, ((const double *)v)[i], false); return;
    case HLO_PROTO_BOOL: put_number(w, field, ((const uint8_t *)v)[i]); return;
    case HLO_PROTO_UINT32: put_number(w, field, ((const uint32_t *)v)[i]); return;
    case HLO_PROTO_INT32:
    case HLO_PROTO_ENUM: put_number(w, field, ((const int32_t *)v)[i]); return;
    case HLO_PROTO_INT64:
    case HLO_PROTO_UINT64:
    case HLO_PROTO_STRING:
    case HLO_PROTO_BYTES:
    case HLO_PROTO_MESSAGE: break;
    }
    put_number(w, field, ((const int64_t *)v)[i]);
}

/* ---- the interface ---- */

static void open_message(hlo_writer *w) {
    hlo_buf_char(w->to, '{');
    hlo_writer_push(w);
}

static void begin(hlo_writer *w, const hlo_proto_field *field) {
    lead_in(w, field);
    open_message(w);
}

static void end(hlo_writer *w) {
    close_list(w);
    bool any = innermost(w)->any;
    HLO_ASSERT(w->levels.n > 0);
    w->levels.n--;
    if (any) new_line(w);
    hlo_buf_char(w->to, '}');
}

static void begin_entry(hlo_writer *w, const hlo_proto_field *field, int64_t key) {
    lead_in(w, field);
    hlo_buf_char(w->to, '"');
    hlo_buf_int(w->to, key);
    hlo_buf_char(w->to, '"');
    colon(w);
    open_message(w);
}

static void number(hlo_writer *w, const hlo_proto_field *field, int64_t value) {
    lead_in(w, field);
    put_number(w, field, value);
}

static void real(hlo_writer *w, const hlo_proto_field *field, double value) {
    lead_in(w, field);
    put_real(w->to, value, field->kind == HLO_PROTO_FLOAT);
}

static void text(hlo_writer *w, const hlo_proto_field *field, hlo_str value) {
    lead_in(w, field);
    put_text(w, field, value);
}

static void entry(hlo_writer *w, const hlo_proto_field *field, hlo_str key, hlo_str value) {
    lead_in(w, field);
    put_string(w, field, key);
    colon(w);
    put_string(w, field, value);
}

static void numbers(hlo_writer *w, const hlo_proto_field *field, const void *v, size_t n) {
    for (size_t i = 0; i < n; i++) {
        lead_in(w, field);
        put_element(w, field, v, i);
    }
}

void hlo_json_writer(hlo_writer *w, hlo_buf *to, bool pretty) {
    static const hlo_writer_ops ops = {begin, end, begin_entry, number, real, text, entry, numbers};
    *w = (hlo_writer){
        .ops = &ops, .to = to, .body = HLO_BUF_INIT, .pretty = pretty, .has_one_nan = true};
    open_message(w);
}
