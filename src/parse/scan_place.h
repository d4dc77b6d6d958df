/* The place that the scanner is at, one of the re2c conditions of grammar/hlo.re, and how it
 * changes. */
#ifndef HLO_PARSE_SCAN_PLACE_H
#define HLO_PARSE_SCAN_PLACE_H

#include "hlo_conditions.h"
#include "parse/parser.h"

static inline void hlo_enter_place(hlo_parser *p, int condition) {
    p->scan.place.condition = condition;
    p->scan.place.depth = p->scan.place.round_depth = 0;
    p->scan.place.attr_class = 0;
    p->scan.place.after_arrow = false;
}

static inline void hlo_enter_body(hlo_parser *p) {
    hlo_list_push(&p->scan.outer_places, p->scan.place);
    hlo_enter_place(p, yycbody);
}

/* A body's brace closes: back to the attribute whose value it was, or between computations. */
static inline void hlo_leave_body(hlo_parser *p) {
    p->scan.body_end = p->scan.cursor;
    if (p->scan.outer_places.n) p->scan.place = p->scan.outer_places.v[--p->scan.outer_places.n];
    else hlo_enter_place(p, yyctop);
}

/* ---- words and blanks ---- */

static inline const char *hlo_after_blanks(hlo_parser *p, const char *at) {
    const char *next = hlo_skip_blanks(p, at);
    return next ? next : at;
}

static inline bool hlo_word_is(const char *from, const char *to, const char *text) {
    size_t n = strlen(text);
    return (size_t)(to - from) == n && memcmp(from, text, n) == 0;
}

#endif
