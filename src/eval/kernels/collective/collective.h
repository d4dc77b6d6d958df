/* What the kernels of collectives share: exchanges of operands in groups of devices, in one step or
 * as a start and its end. */
#ifndef HLO_EVAL_KERNELS_COLLECTIVE_COLLECTIVE_H
#define HLO_EVAL_KERNELS_COLLECTIVE_COLLECTIVE_H

#include "eval/kernel/kernel_device.h"

/* Makes the result, of `shape`, of what the members offer; NULL after an error. */
typedef hlo_value *hlo_collective_body(hlo_call *call, const void *state, hlo_meeting *meeting,
                                       const hlo_shape *shape);

/* What the state of such a kernel begins with. */
typedef struct {
    hlo_device_exchange exchange;
    bool is_alone;    /* the only device of the run gives itself its operands */
    bool are_kept;    /* results are made of the offered values */
    uint32_t offered; /* operands that are offered, from the first on */
    hlo_collective_body *body;
} hlo_collective;

/* Fills in a collective of p->instr, whose state and result it sets; false after an error. */
bool hlo_prepare_collective(hlo_preparation *p, hlo_collective *collective,
                            hlo_collective_body *body);
/* The run function of such kernels, and those of starts and of what ends them. */
bool hlo_run_collective(hlo_call *call);
bool hlo_run_collective_start(hlo_call *call);

bool hlo_prepare_done(hlo_preparation *p);
bool hlo_run_done(hlo_call *call);

/* Whether the result of a start is (operands, result, contexts ...); reports when not. */
bool hlo_prepare_start_parts(hlo_preparation *p);
/* Gives them; takes over both references, which may be NULL. */
bool hlo_give_start(hlo_call *call, hlo_value *operands, hlo_value *result);

/* The operands as a value of `shape`: the only one, or all of them as a tuple. NULL after an error.
 */
hlo_value *hlo_operands_as(hlo_call *call, const hlo_shape *shape);

/* The i-th array of a value with one for each operand. */
static inline hlo_value *hlo_part_of(hlo_value *value, uint32_t i) {
    return value->elements ? value->elements[i] : value;
}

/* Arrays as rows of bytes: `count` of them, of `bytes` each, one after the other along everything
 * outside dimension `dimension`. */
typedef struct {
    int64_t count, bytes;
} hlo_rows;
hlo_rows hlo_rows_along(const hlo_shape *shape, uint32_t dimension);
/* Copies `size` positions along the dimension, from position `from_at` to position `at`; the shapes
 * differ in that dimension only. */
void hlo_copy_slab(hlo_value *to, int64_t at, const hlo_value *from, int64_t from_at, int64_t size,
                   uint32_t dimension);

#endif
