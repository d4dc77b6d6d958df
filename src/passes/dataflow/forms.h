/* What graphs have no place for, and raising restores: the attributes of a loop or a conditional,
 * and how tuples nest. */
#ifndef HLO_PASSES_DATAFLOW_FORMS_H
#define HLO_PASSES_DATAFLOW_FORMS_H

#include "ir/ir.h"

/* Metadata, frontend attributes and the configuration of `from`. */
void hlo_flow_carry(const hlo_instr *from, hlo_instr *to);

/* The form of a value: "." is a leaf, "((..).)" a tuple of a pair and a leaf. A primitive of the
 * value has it in a frontend attribute, where it is not what raising makes of so many leaves: the
 * leaf where there is one, else one tuple of all. */
void hlo_flow_set_form(hlo_instr *primitive, const hlo_shape *shape);
/* NULL: it is that, or the attribute has another number of leaves. */
const char *hlo_flow_form(const hlo_instr *primitive, uint32_t leaves);
void hlo_flow_forget_form(hlo_instr *instr);

enum { HLO_FORM_DEPTH = 1000 };
/* The indices of a leaf, from the outermost tuple; how many there are. */
uint32_t hlo_flow_path(const char *form, uint32_t leaf, uint32_t path[HLO_FORM_DEPTH]);

#endif
