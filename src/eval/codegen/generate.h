/* The inside of generate.c and generate_arrays.c: a loop that is being put together. */
#ifndef HLO_EVAL_CODEGEN_GENERATE_H
#define HLO_EVAL_CODEGEN_GENERATE_H

#include "eval/codegen/loop_code.h"
#include "eval/codegen/ops.h"
#include "eval/program/plan.h"

enum { HLO_MOST_JIT_OPS = 4096, HLO_MOST_JIT_VISITS = 16 * HLO_MOST_JIT_OPS };
enum { HLO_MOST_JIT_VECTORS = 4 };            /* of an array */
enum { HLO_MOST_JIT_LANES = 4096 };           /* more are better off in parallel */
enum { HLO_MOST_JIT_COPIED_BYTES = 1 << 16 }; /* in an iteration */
enum { HLO_MOST_JIT_CALLED_BYTES = 1 << 16 }; /* of an array that a called kernel makes */

#define HLO_NO_STORAGE UINT32_MAX

/* Where the elements of an array are. Several leaves may have one. */
typedef struct {
    uint32_t word; /* its address */
    uint64_t bytes;
    uint32_t holders; /* leaves of values that are still needed */
    bool is_fixed;    /* not to be written */
    bool is_scratch;  /* memory of the frame */
    uint32_t pins;    /* loops that are being built and have it as their state */
} hlo_jit_storage;

/* An array: in memory, in vectors, or the one element that all of it are. */
typedef struct {
    uint32_t storage; /* HLO_NO_STORAGE: not in memory */
    uint32_t word;    /* its address; the element; of vectors the first, the others follow */
    uint32_t vectors; /* 0: none */
    bool is_repeated; /* the first vector serves as all */
} hlo_jit_leaf;

static inline hlo_jit_leaf hlo_jit_word_leaf(uint32_t word) {
    return (hlo_jit_leaf){.storage = HLO_NO_STORAGE, .word = word};
}

typedef struct {
    uint32_t count;
    hlo_jit_leaf *v;
} hlo_jit_leaves;

typedef struct {
    uint32_t word;
    uint64_t bits;
} hlo_jit_constant;

typedef struct {
    hlo_planner *planner;
    hlo_arena *arena;  /* of the program */
    hlo_arena scratch; /* until the loop is built */
    hlo_jit_code code;
    uint32_t visits;
    bool has_vectors; /* short arrays are vectors: all that is done to them has to be elementwise */
    HLO_LIST(hlo_jit_storage) storages;
    HLO_LIST(hlo_jit_constant) constants; /* words that are set before, and to what */
    HLO_LIST(hlo_loop_array) arrays;
    uint64_t array_bytes;
    HLO_LIST(hlo_plan_step *) called; /* steps whose kernels are */
} hlo_jit_builder;

/* ---- words and operations ---- */

uint32_t hlo_jit_new_word(hlo_jit_builder *b, bool is_vector, bool is_address);
uint32_t hlo_jit_new_label(hlo_jit_builder *b);
void hlo_jit_jump(hlo_jit_builder *b, hlo_jit_kind kind, uint32_t label);
void hlo_jit_jump_on(hlo_jit_builder *b, hlo_jit_kind kind, uint32_t word, int32_t number,
                     uint32_t label);
uint32_t hlo_jit_word_of(hlo_jit_builder *b, hlo_type type);
uint32_t hlo_jit_address_word(hlo_jit_builder *b);
/* A word that has these bits before the code begins. */
uint32_t hlo_jit_number(hlo_jit_builder *b, uint64_t bits, bool is_vector);
/* NULL when the word is none; until the next constant is made. */
const hlo_jit_constant *hlo_jit_constant_of(const hlo_jit_builder *b, uint32_t word);
void hlo_jit_add(hlo_jit_builder *b, hlo_jit_op op);
void hlo_jit_move(hlo_jit_builder *b, uint32_t to, uint32_t from);
/* The result of a stencil, whose element type is given; HLO_NO_WORD when there is none of the name.
 */
uint32_t hlo_jit_stencil(hlo_jit_builder *b, const char *name, hlo_type type, const uint32_t *in,
                         uint32_t count);
/* How elements of the type are stored, as stencils are named: "int32_t". */
const char *hlo_jit_stored(hlo_type type, char *to, size_t capacity);
/* Whether the array is one element that fits into a word. */
bool hlo_jit_is_scalar(const hlo_shape *shape);
/* Whether the shape can be that of a value in a loop at all. */
bool hlo_jit_can_hold(const hlo_shape *shape);

/* How many vectors the array is held in; 0: it is no such array. */
uint32_t hlo_jit_vectors(const hlo_jit_builder *b, const hlo_shape *shape);
/* New words for so many vectors of the type. */
hlo_jit_leaf hlo_jit_new_vectors(hlo_jit_builder *b, uint32_t count);
static inline uint32_t hlo_jit_vector(hlo_jit_leaf leaf, uint32_t i) {
    return leaf.is_repeated ? leaf.word : leaf.word + 2 * i; /* each takes two words */
}
/* Vectors that are set before the code begins. */
hlo_jit_leaf hlo_jit_constant_vectors(hlo_jit_builder *b, const void *data, uint32_t count);
/* The leaf, of the type, as so many vectors. False when it is in memory. */
bool hlo_jit_in_vectors(hlo_jit_builder *b, hlo_jit_leaf *leaf, hlo_type type, uint32_t count);

/* ---- arrays ---- */

hlo_jit_storage *hlo_jit_storage_of(hlo_jit_builder *b, hlo_jit_leaf leaf);
hlo_jit_leaf hlo_jit_new_array(hlo_jit_builder *b, uint64_t bytes);
hlo_jit_leaf hlo_jit_fixed_array(hlo_jit_builder *b, const void *data, uint64_t bytes);
void hlo_jit_retain(hlo_jit_builder *b, const hlo_jit_leaves *leaves);
void hlo_jit_release(hlo_jit_builder *b, const hlo_jit_leaves *leaves);
void hlo_jit_copy_array(hlo_jit_builder *b, hlo_jit_leaf to, hlo_jit_leaf from, uint64_t bytes);
/* The leaf as n elements of the type in memory. */
hlo_jit_leaf hlo_jit_in_memory(hlo_jit_builder *b, hlo_jit_leaf leaf, hlo_type type, int64_t n);
static inline hlo_jit_leaf hlo_jit_shape_in_memory(hlo_jit_builder *b, hlo_jit_leaf leaf,
                                                   const hlo_shape *shape) {
    return hlo_jit_in_memory(b, leaf, (hlo_type)shape->type, hlo_shape_elements(shape));
}

/* What an instruction's operation gets: its operands, and which of them dies with it. */
typedef struct {
    const hlo_instr *instr;
    const hlo_jit_leaves *operands;
    const bool *is_last; /* by operand: this is the last use of the value */
    const hlo_plan *plan;
    hlo_plan_step *planned;
} hlo_jit_step;

/* Whether nothing needs the operand's memory after the step. */
bool hlo_jit_is_dying(hlo_jit_builder *b, const hlo_jit_step *step, uint32_t i);
/* Whether the functions below are for the step; else its kernel has to be called. */
bool hlo_jit_is_known(const hlo_jit_step *step);

/* Each sets the only leaf of the result; false when the loop has to be interpreted. */
bool hlo_jit_elementwise(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);
bool hlo_jit_slice(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);
bool hlo_jit_dynamic_slice(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);
bool hlo_jit_update(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);

/* ---- kernels (generate_calls.c) ---- */

/* Whether the step's kernel may be called, once all of its operands are arrays. */
bool hlo_jit_may_call(const hlo_plan *plan, const hlo_plan_step *step);
/* Calls it: sets the leaves of the result; false when the loop has to be interpreted. */
bool hlo_jit_call(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result);

/* ---- computations (generate.c), loops and conditionals (generate_control.c) ---- */

hlo_jit_leaves hlo_jit_new_leaves(hlo_jit_builder *b, uint32_t count);
/* The arguments' references end; those of the result are the caller's. All of these are false when
 * the loop has to be interpreted. */
bool hlo_jit_computation(hlo_jit_builder *b, hlo_computation *computation,
                         const hlo_jit_leaves *arguments, uint32_t count, uint32_t depth,
                         hlo_jit_leaves *result);

/* A leaf of a loop's state: where it is, and what the body makes of it. */
typedef struct {
    const hlo_shape *shape;
    hlo_jit_leaf place;
    bool is_kept; /* it is the same in all iterations */
} hlo_jit_state;

hlo_jit_state *hlo_jit_new_state(hlo_jit_builder *b, const hlo_instr *loop);
bool hlo_jit_is_in_memory(const hlo_jit_builder *b, const hlo_shape *shape);
/* Separate words for a leaf that is not in memory. */
hlo_jit_leaf hlo_jit_new_place(hlo_jit_builder *b, const hlo_shape *shape);
/* The loop, whose state is in its places. The places have a reference each, which the parameter of
 * the body takes: what it changes is changed in place. */
bool hlo_jit_iterations(hlo_jit_builder *b, const hlo_instr *loop, hlo_jit_state *state,
                        uint32_t depth);
/* `from`: the operand's leaves, whose references end. The result is where the state is. */
bool hlo_jit_while(hlo_jit_builder *b, const hlo_instr *loop, const hlo_jit_leaves *from,
                   uint32_t depth, hlo_jit_leaves *result);
bool hlo_jit_conditional(hlo_jit_builder *b, const hlo_jit_step *step, uint32_t depth,
                         hlo_jit_leaves *result);

#endif
