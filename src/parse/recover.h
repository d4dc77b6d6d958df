/* Going on after an error, so that one reading reports several.
 *
 * After an error that the grammar cannot read past, hlo_skip is called. From then on the
 * scanner reads no tokens: it searches for a place where reading can go on (hlo_resynchronise),
 * sets its cursor there and returns SYNC in the body of a computation, SYNC_TOP between
 * computations, END when there is no such place. Bison takes those after `error` (hlo.y), and a
 * statement that was being read is given up (hlo_drop_instruction). */
#ifndef HLO_PARSE_RECOVER_H
#define HLO_PARSE_RECOVER_H

#include "parse/parser.h"

/* The grammar refuses a token that ends at `end`. The scanner entered or left a place when it read
 * the token (a brace opens or closes a body); that is undone. */
void hlo_scan_take_back(hlo_parser *p, int token, const char *end);
/* Moves the cursor to where reading goes on and returns the token that the grammar takes there. */
int hlo_resynchronise(hlo_parser *p);
/* After a syntax error in a body: what was pending there is forgotten. */
void hlo_drop_instruction(hlo_parser *p);
/* Where the line of `at` begins, if a computation does so inside of another one; else NULL. */
const char *hlo_computation_inside(const hlo_parser *p, const char *at);

#endif
