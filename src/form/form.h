/* The form of an instruction: how many operands it takes, which attributes it needs and how they go
 * together, defaults for what was left out. The one check of it, for drafts of every origin. */
#ifndef HLO_FORM_FORM_H
#define HLO_FORM_FORM_H

#include "ir/draft.h"

/* Checks the draft and completes it: shape, defaults, attributes as XLA keeps them. False after one
 * error; the draft may then be half completed. Whether shapes and values go together beyond that is
 * the verifier's business. */
bool hlo_form_complete(hlo_draft *draft);

/* The instruction of a complete draft, or NULL after one error. */
hlo_instr *hlo_form_make(hlo_draft *draft);

/* A sharding of one kind for all of a tuple becomes one for each leaf. */
void hlo_form_spread_sharding(hlo_draft *draft);

/* An element of a tuple instruction has the origin of the operand there, unless it is given one. */
void hlo_form_inherit_origin(hlo_instr *element);

/* The COMPARE_TYPE by which operands of that shape are compared when none is given; -1: there is
 * none. */
int hlo_implied_compare_type(const hlo_shape *operand);

/* ---- asynchronous chains (src/form/async.c) ---- */

/* The async-start at the head of a chain that `link` is part of, or NULL. */
hlo_instr *hlo_async_start_of(hlo_instr *link);
/* The computation that a start runs. */
hlo_computation *hlo_async_body(const hlo_instr *start);
/* The operands are those of an update (of a done): the first (only) one is a link of a chain. */
bool hlo_form_check_async_operand(hlo_draft *draft, bool is_update);
/* In a text, an update that binds no operand has the shape of the link before it. */
bool hlo_form_check_async_update(hlo_draft *draft);
/* The thread of a start, or the main one, becomes that of all that it runs. */
void hlo_form_spread_thread(hlo_instr *start);
/* The draft's async_execution_thread, if it has one, is the start's. */
bool hlo_form_check_async_thread(hlo_draft *draft, const hlo_instr *start);

#endif
