/* Wording a syntax error: what stood there, what was expected. */
#ifndef HLO_PARSE_SYNTAX_ERROR_H
#define HLO_PARSE_SYNTAX_ERROR_H

#include "parse/parser.h"

/* `token` stands at `at`; `expected` holds the names of `n` tokens that could. Starts the recovery.
 */
void hlo_syntax_error(hlo_parser *p, hlo_span at, int token, const char *const *expected, int n);

#endif
