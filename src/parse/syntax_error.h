/* Wording a syntax error: what stood there, what was expected. Called by the grammar. */
#ifndef HLO_PARSE_SYNTAX_ERROR_H
#define HLO_PARSE_SYNTAX_ERROR_H

#include "parse/parser.h"

/* `expected` holds the display names of `n` tokens (of more: the first ones). Starts the recovery. */
void hlo_syntax_error(hlo_parser *p, hlo_span at, const char *found, const char *const *expected, int n);

#endif
