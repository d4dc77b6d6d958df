/* Machine code for x86-64: copies of stencils, and the moves, calls and jumps between them. Where
 * there are no stencils nothing is assembled. */
#ifndef HLO_EVAL_CODEGEN_ASSEMBLER_H
#define HLO_EVAL_CODEGEN_ASSEMBLER_H

#include <stdbool.h>

#include "base/list.h"
#include "eval/codegen/stencil_table.h"

/* Numbers of the processor's registers. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* A register of the general or the vector kind. */
typedef struct {
    uint8_t number;
    bool is_vector;
    bool is_wide; /* a vector of 16 bytes: two words of the frame */
} hlo_register;

typedef struct {
    uint32_t at;     /* of a distance of 32 bits */
    uint32_t target; /* a label, or a constant of the stencils */
    int32_t addend;
} hlo_patch;

typedef struct hlo_assembler {
    HLO_LIST(uint8_t) code;
    HLO_LIST(hlo_patch) jumps, constants;
    HLO_LIST(uint32_t) labels; /* where each is; UINT32_MAX before it is placed */
} hlo_assembler;

/* NULL when there is none of the name. */
const hlo_stencil *hlo_find_stencil(const char *name);
void hlo_put_stencil(hlo_assembler *a, const hlo_stencil *stencil);

/* Registers and words of the frame, which begins at rbp. Both are of one kind. */
void hlo_put_move(hlo_assembler *a, hlo_register to, hlo_register from);
void hlo_put_load(hlo_assembler *a, hlo_register to, uint32_t word);
void hlo_put_store(hlo_assembler *a, uint32_t word, hlo_register from);
void hlo_put_address(hlo_assembler *a, uint8_t to, uint32_t word);
void hlo_put_number(hlo_assembler *a, uint8_t to, uint64_t number);

/* Calls the function whose address is in rax. */
void hlo_put_call(hlo_assembler *a);
/* The beginning of a function that gets the frame, and its ends: which bool it returns. */
void hlo_put_entry(hlo_assembler *a);
void hlo_put_return(hlo_assembler *a, bool result);

uint32_t hlo_new_label(hlo_assembler *a);
void hlo_put_label(hlo_assembler *a, uint32_t label);
void hlo_put_jump(hlo_assembler *a, uint32_t label);
/* When the byte in the low end of rdi, rax is 0; when the 32 bits of rdi are not the number. */
void hlo_put_jump_if_zero(hlo_assembler *a, uint8_t number, uint32_t label);
void hlo_put_jump_unless(hlo_assembler *a, int32_t number, uint32_t label);
/* Subtracts from the word's 32 bits; jumps when they were less. */
void hlo_put_count_down(hlo_assembler *a, uint32_t word, uint32_t by, uint32_t label);

/* Places the constants and fills in all distances: the code can be copied to an address that is a
 * multiple of 16. */
void hlo_end_code(hlo_assembler *a);

#endif
