/* The name that was probably meant by a misspelt one. */
#ifndef HLO_PARSE_SUGGEST_H
#define HLO_PARSE_SUGGEST_H

#include "parse/parser.h"

/* Add a hint to the newest error when a name of the kind differs from `text` in a letter or two. */
void hlo_suggest_opcode(hlo_parser *p, const char *text, size_t n);
void hlo_suggest_attribute(hlo_parser *p, const char *text, size_t n, bool header);

#endif
