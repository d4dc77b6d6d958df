/* The inside of a loop: what generate.c makes and run.c runs. */
#ifndef HLO_EVAL_CODEGEN_LOOP_CODE_H
#define HLO_EVAL_CODEGEN_LOOP_CODE_H

#include "eval/kernel/loop.h"

/* A leaf of the state, depth first. */
typedef struct {
    uint32_t word; /* its element, its elements, or the address of its elements */
    uint8_t bytes; /* of the elements; 0: an array in memory */
    bool is_changed;
} hlo_loop_leaf;

/* Memory in the frame after its words. */
typedef struct {
    uint32_t word; /* that has its address */
    uint64_t at, bytes;
} hlo_loop_array;

/* An array that a kernel reads or writes: its element is the word, or the word is the address of
 * its elements. */
typedef struct {
    const hlo_shape *shape;
    uint32_t word;
    bool is_address;
} hlo_loop_place;

/* A call of a step's kernel; most of its operands, and most leaves of its result. */
enum { HLO_MOST_CALL_PLACES = 16 };
typedef struct hlo_loop_call {
    const hlo_plan *plan;
    const struct hlo_plan_step *step;
    uint32_t in_count, out_count;
    const hlo_loop_place *places; /* operands, then leaves */
} hlo_loop_call;

/* Called by the code: false when the loop has to end, stopped or after an error. (run.c) */
bool hlo_loop_call_kernel(uint64_t *frame, const hlo_loop_call *call);

typedef struct hlo_loop {
    uint32_t start;      /* in the code of the program */
    const uint64_t *set; /* words as they are at first */
    uint32_t word_count, leaf_count, array_count;
    const hlo_loop_leaf *leaves;
    const hlo_loop_array *arrays;
} hlo_loop;

#endif
