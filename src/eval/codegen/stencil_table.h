/* The stencils that this library was built with: see stencils/stencil.h. The table is written by
 * tools/cut_stencils.c; it is empty where the machine, or the compiler, has none. Read by
 * assembler.c.
 */
#ifndef HLO_EVAL_CODEGEN_STENCIL_TABLE_H
#define HLO_EVAL_CODEGEN_STENCIL_TABLE_H

#include <stdint.h>

/* A 32-bit distance from the end of itself, to be filled in. */
typedef struct {
    uint32_t at;    /* in the code */
    bool is_next;   /* to what comes after the stencil; else to hlo_stencil_data + data */
    uint32_t data;  /* where the constant is */
    int32_t addend; /* as in ELF: the distance is target + addend - place */
} hlo_stencil_hole;

/* Places instead of pointers, which the loader would have to relocate in programs that never run
 * anything. */
typedef struct {
    char name[32];       /* as in stencils/stencil.h: "ADD_S32", "LT_float", "LOAD_uint8_t" */
    uint32_t code, size; /* in hlo_stencil_code */
    uint32_t holes, hole_count; /* in hlo_stencil_holes */
} hlo_stencil;

extern const hlo_stencil hlo_stencils[]; /* by name */
extern const uint32_t hlo_stencil_count;
extern const uint8_t hlo_stencil_code[];
extern const hlo_stencil_hole hlo_stencil_holes[];
/* Constants of all stencils, aligned to 16. */
extern const uint8_t hlo_stencil_data[];
extern const uint32_t hlo_stencil_data_bytes;

#endif
