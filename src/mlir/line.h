/* Statements that stand on one line, as MLIR's printer writes them, read without a step of the
 * grammar for each token. */
#ifndef HLO_MLIR_LINE_H
#define HLO_MLIR_LINE_H

#include "mlir/parser.h"

/* Whether a whole statement of usual form begins at `from`, up to the end of its line; then p->line
 * has its parts, `*at` is the place of its first token and the cursor stands after it. Reports
 * nothing and changes nothing else, so that the statement before it may still be open. */
bool hlo_mlir_scan_line(hlo_mlir_parser *p, const char *from, hlo_span *at);
/* Makes the operation of p->line, and those of the lines that follow it. */
void hlo_mlir_take_lines(hlo_mlir_parser *p);

#endif
