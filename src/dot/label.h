/* What stands in nodes, clusters and tooltips. Called by dot.c only. */
#ifndef HLO_DOT_LABEL_H
#define HLO_DOT_LABEL_H

#include "ir/ir.h"

/* At most `limit` bytes of the text, cut between characters with an ellipsis, for use inside a
 * double-quoted Graphviz string. Bytes that are no printable UTF-8 appear as \xNN. */
void hlo_dot_escape(hlo_buf *out, const char *text, size_t len, size_t limit);
void hlo_dot_escape_name(hlo_buf *out, const hlo_name *name);

/* A constant that is small enough to be shown inside the nodes of its users. */
bool hlo_dot_is_small_constant(const hlo_instr *instr);

/* The quoted strings of an instruction: name, opcode, shape, attributes, and the operands that are
 * inlined (`is_inlined`) instead of drawn. */
typedef bool hlo_dot_predicate(const hlo_instr *instr, const void *context);
void hlo_dot_label(hlo_buf *out, const hlo_instr *instr, hlo_dot_predicate *is_inlined,
                   const void *context);
/* Where the instruction comes from: op name, source file and line. */
void hlo_dot_tooltip(hlo_buf *out, const hlo_instr *instr);

#endif
