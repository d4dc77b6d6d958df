/* Machine code on vectors of 512 bits, of sixteen lanes of 32 bits each: what AVX-512 has for
 * clusters, F and DQ of it. Called by kernels/cluster_code.c. */
#ifndef HLO_EVAL_JIT_VECTORS_H
#define HLO_EVAL_JIT_VECTORS_H

#include "eval/jit/assembler.h"

/* name, map of operations (1: 0F, 2: 0F38, 3: 0F3A), prefix (0: none, 1: 66), operation */
#define HLO_VECTOR_OPS(X)             \
    X(ADD, 1, 0, 0x58)                \
    X(SUBTRACT, 1, 0, 0x5c)           \
    X(MULTIPLY, 1, 0, 0x59)           \
    X(DIVIDE, 1, 0, 0x5e)             \
    X(MINIMUM, 1, 0, 0x5d)            \
    X(MAXIMUM, 1, 0, 0x5f)            \
    X(ROOT, 1, 0, 0x51)               \
    X(RANGE, 3, 1, 0x50)              \
    X(FIX, 3, 1, 0x54)                \
    X(AND, 1, 1, 0xdb)                \
    X(OR, 1, 1, 0xeb)                 \
    X(XOR, 1, 1, 0xef)                \
    X(ADD_S32, 1, 1, 0xfe)            \
    X(SUB_S32, 1, 1, 0xfa)            \
    X(MUL_S32, 2, 1, 0x40)            \
    X(COMPARE, 1, 0, 0xc2)            \
    X(CMP_S32, 3, 1, 0x1f)            \
    X(CMP_U32, 3, 1, 0x1e)            \
    X(MAX_S32, 2, 1, 0x3d)            \
    X(MAX_U32, 2, 1, 0x3f)            \
    X(MIN_S32, 2, 1, 0x39)            \
    X(MIN_U32, 2, 1, 0x3b)            \
    X(SHIFT_LEFT, 2, 1, 0x47)         \
    X(SHIFT_RIGHT, 2, 1, 0x45)        \
    X(SHIFT_RIGHT_SIGNED, 2, 1, 0x46) \
    X(FLOAT_OF_S32, 1, 0, 0x5b)       \
    X(BLEND, 2, 1, 0x65)              \
    X(MOVE, 1, 0, 0x28)               \
    X(LOAD, 1, 0, 0x10)               \
    X(STORE, 1, 0, 0x11)              \
    X(BROADCAST, 2, 1, 0x18)          \
    X(BROADCAST_GENERAL, 2, 1, 0x7c)

typedef enum {
#define HLO_VECTOR_NAME(name, map, prefix, code) HLO_VECTOR_##name,
    HLO_VECTOR_OPS(HLO_VECTOR_NAME)
#undef HLO_VECTOR_NAME
} hlo_vector_op;

/* A vector, or memory: at a register's address and `at` bytes, for each vector also rcx bytes. */
typedef struct {
    bool is_memory;
    bool is_one;    /* of memory: one element, for all lanes */
    uint8_t number; /* of the vector, or of the register */
    uint32_t at;
} hlo_vector_operand;

/* `to` and `first` are numbers of vectors, `to` of comparisons is that of a mask; operations with
 * one operand have it as `second`, and 0 as `first`. Of STORE: `to` is what is stored, in `second`.
 */
typedef struct {
    hlo_vector_op op;
    uint8_t to, first;
    hlo_vector_operand second;
    uint8_t mask; /* lanes that are written; 0: all of them */
    bool zeroes;  /* the other lanes */
    bool has_immediate;
    uint8_t immediate;
} hlo_vector_instr;
void hlo_put_vector(hlo_assembler *a, const hlo_vector_instr *instr);

/* Masks are registers of their own, 1 to 7. */
void hlo_put_mask_and(hlo_assembler *a, uint8_t to, uint8_t first, uint8_t second);
void hlo_put_mask_or(hlo_assembler *a, uint8_t to, uint8_t first, uint8_t second);
void hlo_put_mask_not(hlo_assembler *a, uint8_t to, uint8_t from);

/* The bits in all lanes, by eax. */
void hlo_put_lanes(hlo_assembler *a, uint8_t to, uint32_t bits);
/* The word that is `at` bytes after the address in rdi. */
void hlo_put_pointer(hlo_assembler *a, uint8_t to, uint32_t at);

/* A function of pointers (rdi) and a number of elements (rsi) whose loop has one vector in each
 * iteration. Between `begin` and `loop` is what is done once; then follow the body, the `tail`, the
 * body with what the mask HLO_VECTOR_TAIL has of memory, and the end. */
enum { HLO_VECTOR_TAIL = 7, HLO_VECTOR_MASKS = 7, HLO_VECTORS = 32 };
typedef struct {
    uint32_t body, past_body, past_tail; /* in the code; jumps that go past */
} hlo_vector_loop;
uint32_t hlo_begin_vectors(hlo_assembler *a); /* where the function is */
void hlo_put_vector_loop(hlo_assembler *a, hlo_vector_loop *loop);
void hlo_put_vector_tail(hlo_assembler *a, hlo_vector_loop *loop);
void hlo_end_vectors(hlo_assembler *a, const hlo_vector_loop *loop);

#endif
