/* What a line of a text begins: a statement, a kind of file. */
#ifndef HLO_PARSE_SCAN_LINES_H
#define HLO_PARSE_SCAN_LINES_H

#include "parse/parser.h"

/* The start token of the kind of file that the text is (docs/text-format.md, 2.1). */
int hlo_kind_of_file(hlo_parser *p);
/* Whether a line that begins at `at` begins a statement or closes a body. */
bool hlo_statement_starts(const char *at);

#endif
