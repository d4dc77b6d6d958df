/* Text of nodes, clusters and tooltips. */
#ifndef HLO_GRAPH_MODEL_LABEL_H
#define HLO_GRAPH_MODEL_LABEL_H

#include "graph/model/roles.h"

/* At most `limit` bytes of the text, cut between characters with an ellipsis, for use inside a
 * double-quoted Graphviz string. Bytes that are no printable UTF-8 appear as \xNN. */
void hlo_dot_escape(hlo_buf *out, const char *text, size_t len, size_t limit);
void hlo_dot_escape_name(hlo_buf *out, const hlo_name *name);

/* Name, opcode, shape, attributes, and the operands whose sources are texts. Labels and
 * tooltips are the content of a quoted Graphviz string; lines end with \n. */
void hlo_dot_label(hlo_buf *out, const hlo_instr *instr, const hlo_dot_selection *selection);
/* `add.3` already shows that it is an add: the opcode is named where the name does not show it. */
bool hlo_dot_name_has_opcode(const hlo_instr *instr);
/* How it would run, as further lines of the label; nothing where the module has no plan. */
void hlo_dot_plan(hlo_buf *out, const hlo_instr *instr);
/* Where the instruction comes from: op name, source file and line. */
void hlo_dot_tooltip(hlo_buf *out, const hlo_instr *instr);
/* The name in a tooltip, where U+2216 stands for a backslash. */
void hlo_dot_tooltip_name(hlo_buf *out, const hlo_name *name);
/* The address of its source: `template` with {file} and {line} filled in, or the file itself.
 * False, and nothing, for an instruction without a source file that can be linked. */
bool hlo_dot_url(hlo_buf *out, const hlo_instr *instr, const char *template);
/* `[1]`: the element of a tuple that an edge stands for; nothing where it is no element. */
void hlo_dot_element(hlo_buf *out, const hlo_dot_selection *selection, const hlo_instr *def);
/* Name, opcode and shape alone, of an instruction of any module. */
void hlo_dot_label_lone(hlo_buf *out, const hlo_instr *instr);
/* What a cluster is: of a body that is drawn in the place of what calls it, and of the others. */
void hlo_dot_title_in_place(hlo_buf *out, const hlo_instr *caller,
                            const hlo_dot_selection *selection);
void hlo_dot_title(hlo_buf *out, const hlo_computation *computation,
                   const hlo_dot_selection *selection);
void hlo_dot_shape(hlo_buf *out, const hlo_instr *instr);

#endif
