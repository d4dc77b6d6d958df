/* The strings of a page: each text stands once, and is named by its number. */
#ifndef HLO_GRAPH_HTML_STRINGS_H
#define HLO_GRAPH_HTML_STRINGS_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/list.h"

typedef struct {
    size_t begin;
    uint32_t len;
} hlo_page_string;

typedef struct {
    hlo_buf text;
    HLO_LIST(hlo_page_string) rows;
    hlo_hash by_hash; /* row + 1 */
} hlo_page_strings;

/* Row 0 is the empty text. */
void hlo_page_strings_init(hlo_page_strings *strings);
void hlo_page_strings_free(hlo_page_strings *strings);
uint32_t hlo_page_string_row(hlo_page_strings *strings, hlo_str text);
/* A JSON string of the text as it is shown: what is not printable is escaped, and nothing in it
 * ends a script element. */
void hlo_page_put_string(hlo_buf *out, hlo_str text);
/* All rows as a JSON array. Of texts that are made to be shown, lines end where they do. */
void hlo_page_put_strings(hlo_buf *out, const hlo_page_strings *strings, bool are_lines);

#endif
