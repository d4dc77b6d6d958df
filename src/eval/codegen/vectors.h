/* Machine code on vectors of lanes of 32 bits, for clusters: what AVX2 and AVX-512 (F and DQ of it)
 * have for them. */
#ifndef HLO_EVAL_CODEGEN_VECTORS_H
#define HLO_EVAL_CODEGEN_VECTORS_H

#include "eval/codegen/assembler.h"

/* name, map of operations (1: 0F, 2: 0F38, 3: 0F3A), prefix (0: none, 1: 66), operation */
#define HLO_VECTOR_OPS(X)                                \
    X(ADD, 1, 0, 0x58)                                   \
    X(SUBTRACT, 1, 0, 0x5c)                              \
    X(MULTIPLY, 1, 0, 0x59)                              \
    X(DIVIDE, 1, 0, 0x5e)                                \
    X(MINIMUM, 1, 0, 0x5d)                               \
    X(MAXIMUM, 1, 0, 0x5f)                               \
    X(ROOT, 1, 0, 0x51)                                  \
    X(AND, 1, 1, 0xdb)                                   \
    X(OR, 1, 1, 0xeb)                                    \
    X(XOR, 1, 1, 0xef)                                   \
    X(ADD_S32, 1, 1, 0xfe)                               \
    X(SUB_S32, 1, 1, 0xfa)                               \
    X(MUL_S32, 2, 1, 0x40)                               \
    X(COMPARE, 1, 0, 0xc2)                               \
    X(MAX_S32, 2, 1, 0x3d)                               \
    X(MAX_U32, 2, 1, 0x3f)                               \
    X(MIN_S32, 2, 1, 0x39)                               \
    X(MIN_U32, 2, 1, 0x3b)                               \
    X(SHIFT_LEFT, 2, 1, 0x47)                            \
    X(SHIFT_RIGHT, 2, 1, 0x45)                           \
    X(SHIFT_RIGHT_SIGNED, 2, 1, 0x46)                    \
    X(FLOAT_OF_S32, 1, 0, 0x5b)                          \
    X(LOAD, 1, 0, 0x10)                                  \
    X(STORE, 1, 0, 0x11)                                 \
    X(BROADCAST, 2, 1, 0x18)                             \
    /* of sets that have separate registers for masks */ \
    X(RANGE, 3, 1, 0x50)                                 \
    X(FIX, 3, 1, 0x54)                                   \
    X(CMP_S32, 3, 1, 0x1f)                               \
    X(CMP_U32, 3, 1, 0x1e)                               \
    X(CHOOSE, 2, 1, 0x65)                                \
    X(MOVE, 1, 0, 0x28)                                  \
    X(BROADCAST_GENERAL, 2, 1, 0x7c)                     \
    /* of sets whose masks are vectors */                \
    X(EQUAL_S32, 1, 1, 0x76)                             \
    X(BLEND, 3, 1, 0x4a)                                 \
    X(MASKED_LOAD, 2, 1, 0x2c)                           \
    X(MASKED_STORE, 2, 1, 0x2e)                          \
    X(BROADCAST_FIRST, 2, 1, 0x58)

typedef enum {
#define HLO_VECTOR_NAME(name, map, prefix, code) HLO_VECTOR_##name,
    HLO_VECTOR_OPS(HLO_VECTOR_NAME)
#undef HLO_VECTOR_NAME
} hlo_vector_op;

/* What a set of instructions has. Masks are separate registers, 1 to 7, where has_masks; else
 * vectors, whose lanes have all bits set or none, and a number for all lanes must be made a vector
 * before it is used. */
typedef struct {
    const char *name; /* how the names of such instruction sets (kernels/isa.h) begin */
    uint8_t bytes;    /* of a vector */
    uint8_t vectors;  /* registers */
    bool has_masks;
} hlo_vector_set;

/* NULL when there is no code of vectors for the instruction set. */
const hlo_vector_set *hlo_find_vector_set(const char *isa);

/* Where code is put, and of which set it is. */
typedef struct {
    hlo_assembler *a;
    const hlo_vector_set *set;
} hlo_vector_code;

/* A vector, or memory: at a register's address and `at` bytes, for each vector also rcx bytes. */
typedef struct {
    bool is_memory;
    bool is_one;    /* of memory: one element, for all lanes */
    uint8_t number; /* of the vector, or of the register */
    uint32_t at;
} hlo_vector_operand;

/* `to` and `first` are numbers of vectors, `to` of comparisons is that of a mask; operations with
 * one operand have it as `second`, and 0 as `first`. Of STORE: `to` is what is stored, in `second`.
 * Of MASKED_LOAD and MASKED_STORE `first` is the mask; BLEND has its mask in the immediate's high
 * bits. */
typedef struct {
    hlo_vector_op op;
    uint8_t to, first;
    hlo_vector_operand second;
    uint8_t mask; /* where has_masks: lanes that are written; 0: all of them */
    bool zeroes;  /* the other lanes */
    bool has_immediate;
    uint8_t immediate;
} hlo_vector_instr;
void hlo_put_vector(const hlo_vector_code *code, const hlo_vector_instr *instr);

/* Where has_masks. */
void hlo_put_mask_and(const hlo_vector_code *code, uint8_t to, uint8_t first, uint8_t second);
void hlo_put_mask_or(const hlo_vector_code *code, uint8_t to, uint8_t first, uint8_t second);
void hlo_put_mask_not(const hlo_vector_code *code, uint8_t to, uint8_t from);

/* A vector from memory and back; `tail`: those of its lanes that the mask has, which is 0 for all
 * of them. */
void hlo_put_vector_load(const hlo_vector_code *code, uint8_t to, hlo_vector_operand memory,
                         uint8_t tail);
void hlo_put_vector_store(const hlo_vector_code *code, uint8_t from, hlo_vector_operand memory,
                          uint8_t tail);

/* The bits in all lanes, by eax. */
void hlo_put_lanes(const hlo_vector_code *code, uint8_t to, uint32_t bits);
/* The word that is `at` bytes after the address in rdi. */
void hlo_put_pointer(const hlo_vector_code *code, uint8_t to, uint32_t at);

/* A function of pointers (rdi) and a number of elements (rsi) whose loop has one vector in each
 * iteration. Between `begin` and `loop` is what is done once; then follow the body, the `tail`,
 * which makes the mask of the elements that are left, the body with what it has of memory, and the
 * end. */
typedef struct {
    uint32_t body, past_body, past_tail; /* in the code; jumps that go past */
    uint32_t lanes;                      /* address of what masks are made of */
} hlo_vector_loop;
uint32_t hlo_begin_vectors(const hlo_vector_code *code); /* where the function is */
void hlo_put_vector_loop(const hlo_vector_code *code, hlo_vector_loop *loop);
void hlo_put_vector_tail(const hlo_vector_code *code, hlo_vector_loop *loop, uint8_t mask);
void hlo_end_vectors(const hlo_vector_code *code, const hlo_vector_loop *loop);

#endif
