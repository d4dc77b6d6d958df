/* Statements and heads of computations as the printer writes them, each read as one token: whatever
 * is spelled otherwise is left to the finer tokens of the scanner and means the same. Reading them
 * never reports; what their parts mean is checked by the actions. */
#ifndef HLO_PARSE_FAST_H
#define HLO_PARSE_FAST_H

#include "parse/parser.h"

/* ---- tokens (fast_line.c) ---- */
/* A statement at the cursor, when its shape was seen before: T_LINE with its operands and as many
 * of its attributes as are usual, T_STATEMENT when it is usual up to its parenthesis, 0 for others.
 * Moves the cursor after what was read; `at` reaches to the parenthesis in either case. */
int hlo_fast_line(hlo_parser *p, hlo_span *at);
/* A computation's head up to its brace; `at` is that of its first word. */
bool hlo_fast_head(hlo_parser *p, hlo_span *at);
/* Rows of one stack-frame table onto p->frames.rows or p->frames.locations (fast_rows.c); `at` is
 * that of the first. */
int hlo_fast_rows(hlo_parser *p, hlo_span *at);

/* ---- parts; each returns where it ends, or NULL (fast_values.c) ---- */
/* `%a, %b)`, with comments that count, onto p->fast.operands; returns the parenthesis after them.
 */
const char *hlo_fast_operands(hlo_parser *p, const char *at);
/* What they name. */
void hlo_resolve_operands(hlo_parser *p);
/* `3)`; returns the parenthesis. */
const char *hlo_fast_number(const char *at, int64_t *out);
/* The literal of a scalar (parse.c). */
const char *hlo_fast_scalar(hlo_parser *p, const char *at, const hlo_shape *shape,
                            hlo_literal **out);
/* `{1,2,3}` */
const char *hlo_fast_ints(hlo_parser *p, const char *at, const hlo_ints **out);
/* One `name=value` onto p->fast.attrs. */
const char *hlo_fast_attribute(hlo_parser *p, const char *at);

/* ---- what the grammar calls when it takes such a token ---- */
/* The newest LINE and those that follow: the last of them is begun, and its end is the grammar's.
 * root_at: of a ROOT before the first that is a separate token, or NULL. */
void hlo_begin_lines(hlo_parser *p, const hlo_span *root_at);
void hlo_begin_fast_computation(hlo_parser *p);
/* Hands the attributes on p->fast.attrs to the instruction (fast_values.c). */
void hlo_give_line(hlo_parser *p);

#endif
