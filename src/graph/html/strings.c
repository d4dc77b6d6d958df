/* Interned strings, and strings of JSON inside of HTML: see strings.h. */
#include "graph/html/strings.h"

#include "base/json_string.h"
#include "base/printable.h"

void hlo_page_strings_init(hlo_page_strings *s) {
    *s = (hlo_page_strings){.text = HLO_BUF_INIT};
    hlo_page_string_row(s, HLO_STR(""));
}

void hlo_page_strings_free(hlo_page_strings *s) {
    hlo_buf_free(&s->text);
    hlo_list_free(&s->rows);
    hlo_hash_free(&s->by_hash);
}

uint32_t hlo_page_string_row(hlo_page_strings *s, hlo_str text) {
    uint64_t hash = hlo_hash_bytes(text.ptr, text.len);
    hlo_hash_each (number, &s->by_hash, hash) {
        const hlo_page_string *row = &s->rows.v[number - 1];
        if (row->len == text.len &&
            (!text.len || memcmp(s->text.data + row->begin, text.ptr, text.len) == 0))
            return number - 1;
    }
    hlo_list_push(&s->rows, (hlo_page_string){s->text.len, text.len});
    hlo_buf_str(&s->text, text);
    hlo_hash_add(&s->by_hash, hash, s->rows.n);
    return s->rows.n - 1;
}

/* Most texts are plain. */
static bool is_plain(hlo_str text) {
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '<') return false;
    }
    return true;
}

/* `<` would begin an end tag or a comment: it is written as an escape. */
static void put_without_tags(hlo_buf *out, const char *json, size_t n) {
    while (n) {
        const char *tag = memchr(json, '<', n);
        size_t before = tag ? (size_t)(tag - json) : n;
        hlo_buf_bytes(out, json, before);
        if (!tag) return;
        hlo_buf_lit(out, "\\u003c");
        json += before + 1;
        n -= before + 1;
    }
}

static void put_escaped(hlo_buf *out, hlo_str text, bool are_lines) {
    hlo_buf shown = HLO_BUF_INIT, json = HLO_BUF_INIT;
    if (are_lines) hlo_buf_str(&shown, text);
    else hlo_put_printable(&shown, text.ptr, text.len);
    hlo_json_string(&json, shown.data, shown.len);
    put_without_tags(out, json.data, json.len);
    hlo_buf_free(&shown);
    hlo_buf_free(&json);
}

static void put_string(hlo_buf *out, hlo_str text, bool are_lines) {
    if (!is_plain(text)) {
        put_escaped(out, text, are_lines);
        return;
    }
    hlo_buf_char(out, '"');
    hlo_buf_str(out, text);
    hlo_buf_char(out, '"');
}

void hlo_page_put_string(hlo_buf *out, hlo_str text) {
    put_string(out, text, false);
}

void hlo_page_put_strings(hlo_buf *out, const hlo_page_strings *s, bool are_lines) {
    hlo_buf_char(out, '[');
    for (uint32_t i = 0; i < s->rows.n; i++) {
        const hlo_page_string *row = &s->rows.v[i];
        if (i) hlo_buf_lit(out, ",\n");
        /* There is no text at all where all strings are empty. */
        const char *text = row->len ? s->text.data + row->begin : "";
        put_string(out, (hlo_str){text, row->len, 0}, are_lines);
    }
    hlo_buf_char(out, ']');
}
