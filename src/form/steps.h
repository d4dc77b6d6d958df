/* What single opcodes ask of their drafts: a function for each opcode or family that asks for
 * something, found through one table. Private to src/form. */
#ifndef HLO_FORM_STEPS_H
#define HLO_FORM_STEPS_H

#include "ir/draft.h"

/* False after one error. */
typedef bool hlo_form_step(hlo_draft *draft);

typedef struct {
    hlo_form_step *respell; /* before required attributes are looked for: what XLA's parser forgives
                             */
    hlo_form_step *relate;  /* how attributes and operands go together; the shape may be missing */
    hlo_form_step *reshape; /* what the shape must be, and what XLA's parser makes of it */
} hlo_form_steps;

extern const hlo_form_steps hlo_form_steps_of[HLO_OP_COUNT];

/* operands.c */
hlo_form_step hlo_form_conditional, hlo_form_dynamic_slice, hlo_form_dynamic_update, hlo_form_tuple,
    hlo_form_tuple_index, hlo_form_scan, hlo_form_permute, hlo_form_respell_dot;

/* attributes.c */
hlo_form_step hlo_form_one_dimension, hlo_form_grouped, hlo_form_gathered, hlo_form_compare,
    hlo_form_constraints, hlo_form_precision, hlo_form_send_done, hlo_form_recv_done,
    hlo_form_parameter, hlo_form_respell_broadcast, hlo_form_respell_custom_call;

/* shapes.c */
hlo_form_step hlo_form_constant, hlo_form_token, hlo_form_outfeed, hlo_form_add_dependency,
    hlo_form_send, hlo_form_data_and_token, hlo_form_received, hlo_form_map, hlo_form_async_shape;

/* async.c */
hlo_form_step hlo_form_async_link;

#endif
