/* What a line of a text begins: distinguishes the kinds of file, and finds where reading goes on
 * after an error. */
#ifndef HLO_PARSE_SCAN_LINES_H
#define HLO_PARSE_SCAN_LINES_H

#include "parse/parser.h"

/* The start token of the kind of file that the text is (docs/text-format.md, 2.1). */
int hlo_kind_of_file(hlo_parser *p);
/* Whether a line that begins at `at` begins a statement or closes a body. */
bool hlo_statement_starts(const char *at);
/* Skips to the next statement or computation and returns its token. */
int hlo_resynchronise(hlo_parser *p);
/* Where the line of `at` begins, if a computation does so inside of another one; else NULL. */
const char *hlo_computation_inside(const hlo_parser *p, const char *at);

#endif
