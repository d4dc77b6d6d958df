/* The name that was probably meant by a misspelt one. */
#ifndef HLO_PARSE_SUGGEST_H
#define HLO_PARSE_SUGGEST_H

#include "parse/parser.h"

/* Entry i of a table of names, or NULL when that one cannot be meant here. */
typedef const char *hlo_namer(const hlo_parser *p, size_t i);

/* Adds a hint to the newest error when one of `count` names differs from `text` in a letter or two. */
void hlo_suggest(hlo_parser *p, const char *text, size_t n, hlo_namer *name, size_t count);

#endif
