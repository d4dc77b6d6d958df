/* The inside of a loop: what build.c makes and run.c runs. */
#ifndef HLO_EVAL_JIT_LOOP_CODE_H
#define HLO_EVAL_JIT_LOOP_CODE_H

#include "eval/loop.h"

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

struct hlo_loop {
    uint32_t start;      /* in the code of the program */
    const uint64_t *set; /* words as they are at first */
    uint32_t word_count, leaf_count, array_count;
    const hlo_loop_leaf *leaves;
    const hlo_loop_array *arrays;
};

#endif
