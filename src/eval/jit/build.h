/* The inside of build.c and build_arrays.c: a loop that is being put together. */
#ifndef HLO_EVAL_JIT_BUILD_H
#define HLO_EVAL_JIT_BUILD_H

#include "eval/jit/loop_code.h"
#include "eval/jit/ops.h"
#include "eval/plan.h"

enum { HLO_MOST_JIT_OPS = 4096, HLO_MOST_JIT_VISITS = 16 * HLO_MOST_JIT_OPS };
enum { HLO_MOST_JIT_LANES = 4096 };           /* more are better off in parallel */
enum { HLO_MOST_JIT_COPIED_BYTES = 1 << 16 }; /* in an iteration */

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

/* An array, or the one element of it. */
typedef struct {
    uint32_t storage; /* HLO_NO_STORAGE: all elements are the word's */
    uint32_t word;
} hlo_jit_leaf;

typedef struct {
    uint32_t count;
    hlo_jit_leaf *v;
} hlo_jit_leaves;

typedef struct {
    uint32_t word;
    uint64_t bits;
} hlo_jit_constant;

typedef struct {
    hlo_making *making;
    hlo_arena *arena;  /* of the program */
    hlo_arena scratch; /* until the loop is built */
    hlo_jit_code code;
    uint32_t visits;
    HLO_LIST(hlo_jit_storage) storages;
    HLO_LIST(hlo_jit_constant) constants; /* words that are set before, and to what */
    HLO_LIST(hlo_loop_array) arrays;
    uint64_t array_bytes;
} hlo_jit_builder;

/* ---- words and operations ---- */

uint32_t hlo_jit_word_of(hlo_jit_builder *b, hlo_type type);
uint32_t hlo_jit_address_word(hlo_jit_builder *b);
/* A word that has these bits before the code begins. */
uint32_t hlo_jit_number(hlo_jit_builder *b, uint64_t bits, bool is_vector);
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
} hlo_jit_step;

/* Each sets the only leaf of the result; false when the loop has to be interpreted. */
bool hlo_jit_elementwise(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);
bool hlo_jit_slice(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);
bool hlo_jit_dynamic_slice(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);
bool hlo_jit_update(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result);

#endif
