/* Lists of a page's data as JSON: members by name, with commas where they belong. */
#ifndef HLO_GRAPH_HTML_JSON_H
#define HLO_GRAPH_HTML_JSON_H

#include "base/buf.h"

/* A comma, unless what follows is the first of a list or an object. */
static inline void hlo_page_separate(hlo_buf *out) {
    char last = out->data[out->len - 1];
    if (last != '[' && last != '{') hlo_buf_char(out, ',');
}

static inline void hlo_page_put_uint(hlo_buf *out, uint64_t number) {
    hlo_page_separate(out);
    hlo_buf_uint(out, number);
}

/* A member of the object that is being written, to be closed. */
static inline void hlo_page_open_list(hlo_buf *out, const char *name) {
    hlo_page_separate(out);
    hlo_buf_printf(out, "\n\"%s\":[", name);
}

static inline void hlo_page_close_list(hlo_buf *out) {
    hlo_buf_char(out, ']');
}

#endif
