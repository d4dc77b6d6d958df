/* Errors about drafts. */
#ifndef HLO_FORM_REFUSE_H
#define HLO_FORM_REFUSE_H

#include "form/form.h"

/* Reports, and is false. */
bool hlo_form_refuse(const hlo_draft *draft, hlo_rule rule, hlo_part at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a message after the opcode and a colon; ends with hlo_form_note_next. */
bool hlo_form_refuse_op(const hlo_draft *draft, hlo_rule rule, hlo_part at, const char *message);

/* Notes of the newest error, where the host knows places: what stands at a part of the draft, or at
 * an instruction. */
void hlo_form_note(const hlo_draft *draft, hlo_part at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hlo_form_note_instr(const hlo_draft *draft, const hlo_instr *instr, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* XLA's parser names another place than the one that is wrong. */
void hlo_form_note_refusal(const hlo_draft *draft, hlo_part at);
/* An attribute that is missing: which dialect allows that, or how it would be written. */
void hlo_form_suggest(const hlo_draft *draft, hlo_attr_id missing);
/* A hint of the newest error: how an attribute is written, where kinds.def has a sample of it. */
void hlo_suggest_value(hlo_diags *diags, hlo_attr_id id);

static inline bool hlo_form_is_text(const hlo_draft *draft) {
    return draft->origin == HLO_DRAFT_OF_TEXT;
}
static inline bool hlo_form_is_message(const hlo_draft *draft) {
    return draft->origin == HLO_DRAFT_OF_MESSAGE;
}
static inline const hlo_op_info *hlo_form_op(const hlo_draft *draft) {
    return &hlo_ops[draft->opcode];
}
static inline const hlo_shape *hlo_form_operand(const hlo_draft *draft, uint32_t i) {
    return draft->operands[i]->shape;
}
static inline hlo_module *hlo_form_module(const hlo_draft *draft) {
    return draft->computation->module;
}
/* A shape as written in messages. */
const char *hlo_form_text(const hlo_draft *draft, const hlo_shape *shape);
/* See hlo_shape_names. */
hlo_shape_texts hlo_form_texts(const hlo_draft *draft, const hlo_shape *a, const hlo_shape *b);

#endif
