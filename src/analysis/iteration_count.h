/* How many iterations loops have, as far as their text shows: a counter in the state that starts at
 * a constant, moves by a constant in each iteration, and is compared with a constant. */
#ifndef HLO_ANALYSIS_ITERATION_COUNT_H
#define HLO_ANALYSIS_ITERATION_COUNT_H

#include "ir/ir.h"

/* ---- the state of a loop: a tuple of elements, or one value that is no tuple ---- */

hlo_computation *hlo_loop_body(const hlo_instr *loop);
hlo_computation *hlo_loop_condition(const hlo_instr *loop);

enum { HLO_WHOLE_STATE = -1, HLO_NOT_STATE = -2 };
/* Which element of the state an instruction of the body or the condition is, seen through copies:
 * HLO_WHOLE_STATE for the parameter itself. */
int64_t hlo_state_element(const hlo_instr *instr);
/* What an element (or HLO_WHOLE_STATE) starts as, and what an iteration makes of it; NULL when the
 * text does not show it. */
hlo_instr *hlo_state_start(const hlo_instr *loop, int64_t element);
hlo_instr *hlo_state_next(const hlo_instr *loop, int64_t element);
/* Every iteration passes the element on. */
bool hlo_state_is_invariant(const hlo_instr *loop, int64_t element);
/* An integer that is the same in every iteration: a constant, or an element that starts as one and
 * is passed on. For instructions of the body and of the condition. */
bool hlo_loop_integer(const hlo_instr *loop, const hlo_instr *instr, int64_t *value);

/* ---- counting ---- */

typedef struct {
    int64_t element;    /* of the counter, or HLO_WHOLE_STATE */
    int64_t init, step; /* step is not 0 */
    int64_t count;      /* iterations until the condition is false, from 0 */
} hlo_iterations;

/* Whether the number of iterations is known; *iterations is then filled. Counters that would leave
 * their type's range on the way are not known. */
bool hlo_count_iterations(const hlo_instr *loop, hlo_iterations *iterations);

#endif
