/* The inside of cluster_code.c: what is known of lane functions (cluster_code_known.c), which
 * values are in vectors (cluster_code_registers.c), and how a step is done with them
 * (cluster_code_steps.c). */
#ifndef HLO_EVAL_CODEGEN_CLUSTER_CLUSTER_CODER_H
#define HLO_EVAL_CODEGEN_CLUSTER_CLUSTER_CODER_H

#include "eval/codegen/vectors.h"
#include "eval/kernels/cluster/cluster_program.h"

/* ---- lane functions ---- */

typedef enum {
    HLO_CODE_TWO,     /* one instruction with two operands */
    HLO_CODE_ONE,     /* with one */
    HLO_CODE_BITS,    /* with one, and bits that are the same for all */
    HLO_CODE_EXTREME, /* maximum and minimum */
    HLO_CODE_CLAMP,   /* these */
    HLO_CODE_INVERSE, /* one divided by the root */
    HLO_CODE_SAME,    /* the same bits */
    HLO_CODE_COMPARE, /* gives a mask, which others read: */
    HLO_CODE_SELECT,
    HLO_CODE_NUMBER, /* 0 or 1 */
    HLO_CODE_MASK_AND,
    HLO_CODE_MASK_OR,
    HLO_CODE_MASK_NOT
} hlo_code_manner;

/* Bits in all lanes of a vector that the code keeps for them, if it needs them. */
typedef enum {
    HLO_CODE_SIGN,
    HLO_CODE_MAGNITUDE,
    HLO_CODE_ONE_F32,
    HLO_CODE_ONE_S32,
    HLO_CODE_ALL,
    HLO_CODE_NANS, /* FIX: NaNs are replaced, all else stays */
    HLO_CODE_NO_BITS
} hlo_code_bits;

typedef struct {
    hlo_opcode opcode;
    hlo_type from, to;
    hlo_code_manner manner;
    hlo_vector_op op;
    hlo_code_bits bits;
} hlo_code_row;

/* The row of cluster_code.def; NULL: there is no code for the function. */
const hlo_code_row *hlo_code_row_of(hlo_lanes_fn *run);

/* ---- registers ---- */

/* Of each register: the vector or mask that has it; the last of the steps that reads it; whether
 * others read it. What is the same for all lanes may be `held` in
 * a vector through all iterations. */
typedef struct {
    hlo_cluster *cluster;
    hlo_vector_code code;
    uint32_t *defined, *last;
    bool *is_wanted, *is_held;
    uint8_t *vector, *pointer;
    uint32_t first, end, at; /* steps: those of the function, and the one that is put */
    uint32_t free, masks, fewest_free;
    uint32_t kept;          /* which bits the code needs */
    uint32_t pointer_count; /* in registers */
    uint8_t tail;           /* mask of memory */
    bool is_full;           /* there were too few vectors */
} hlo_coder;

enum { HLO_NO_VECTOR = UINT8_MAX };

static inline const hlo_cluster_step *hlo_coder_step(const hlo_coder *c, uint32_t s) {
    return &c->cluster->steps[s];
}

static inline bool hlo_coder_is_mask(const hlo_coder *c, uint32_t r) {
    return c->cluster->registers[r].type == HLO_PRED;
}

/* Whether one lane in memory is that of all elements. */
static inline bool hlo_coder_is_one(const hlo_coder *c, uint32_t r) {
    const hlo_cluster_register *reg = &c->cluster->registers[r];
    return reg->grain == HLO_OF_ONE || reg->place == HLO_IN_ROWS;
}

static inline hlo_vector_operand hlo_of_vector(uint8_t number) {
    return (hlo_vector_operand){.number = number};
}

/* Before an attempt to put the steps: nothing is in vectors or known to be needed. Then, before
 * what is put once: what the attempt needed is loaded. Before each iteration: only what is held is
 * in vectors. */
void hlo_coder_forget(hlo_coder *c);
void hlo_coder_start(hlo_coder *c);
void hlo_coder_begin(hlo_coder *c);
/* The mask that the tail has. */
uint8_t hlo_coder_tail(const hlo_coder *c);

/* A vector for what is no register, until it is given back; for masks, one of their kind. */
uint8_t hlo_coder_take(hlo_coder *c);
uint8_t hlo_coder_take_mask(hlo_coder *c);
void hlo_coder_give_back(hlo_coder *c, uint8_t vector);
hlo_vector_operand hlo_coder_kept(hlo_coder *c, hlo_code_bits bits);

/* The vector that has the register, which is loaded if need be. */
uint8_t hlo_coder_vector(hlo_coder *c, uint32_t r);
/* The same as a last operand: of what all lanes have in common memory may do. */
hlo_vector_operand hlo_coder_operand(hlo_coder *c, uint32_t r);
/* The mask or vector is what the step computes: stored if others read it, and free if no later step
 * does. Ends its operands too. */
void hlo_coder_end_step(hlo_coder *c, uint8_t result);

/* ---- steps ---- */

/* Whether there is code for the step's functions. */
bool hlo_coder_supports(const hlo_cluster_step *step);
void hlo_coder_put_step(hlo_coder *c, uint32_t s);

#endif
