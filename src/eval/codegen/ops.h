/* What a loop is made of before it is machine code: operations on words of a frame. generate.c
 * makes them from plans, emit.c makes code of them. */
#ifndef HLO_EVAL_CODEGEN_OPS_H
#define HLO_EVAL_CODEGEN_OPS_H

#include "eval/codegen/assembler.h"
#include "eval/kernel/lanes.h"

enum { HLO_MOST_JIT_OPERANDS = 3 };

/* A word of the frame, which code may keep in a register instead: a scalar of up to eight bytes, or
 * an address. */
typedef struct {
    bool is_vector;  /* f32, f64: in registers of that kind */
    bool is_wide;    /* elements of a short array, in a register of that kind: both words */
    bool is_address; /* of an array; else the element itself */
    bool is_set;     /* before the code begins */
    bool is_result;  /* wanted in the frame when it has ended */
    uint32_t reads, writes;
    uint32_t first, last; /* operations, counted from 1; 0 is before them */
    double weight;        /* how often it is read and written, loops considered */
    int8_t home;          /* register; negative: none */
} hlo_jit_word;

typedef enum {
    HLO_JIT_STENCIL,
    HLO_JIT_MOVE,
    HLO_JIT_LANES, /* a lane function, on words or on what their addresses point to */
    HLO_JIT_CALL,  /* a step's kernel, in the same way: no in and out */
    HLO_JIT_LABEL,
    HLO_JIT_LOOP, /* the label of a loop, which ends with the same label's HLO_JIT_REPEAT */
    HLO_JIT_REPEAT,
    HLO_JIT_JUMP,
    HLO_JIT_JUMP_IF_FALSE, /* in[0], a predicate */
    HLO_JIT_JUMP_UNLESS    /* in[0], 32 bits, is `number` */
} hlo_jit_kind;

typedef struct {
    hlo_jit_kind kind;
    const hlo_stencil *stencil;
    const hlo_lanes *lanes;
    const struct hlo_loop_call *call;
    size_t lane_count;
    uint32_t in[HLO_MOST_JIT_OPERANDS], in_count;
    uint32_t out; /* HLO_NO_WORD: none. Of lanes at an address: read, not written */
    uint32_t label;
    int32_t number;
} hlo_jit_op;

#define HLO_NO_WORD UINT32_MAX

enum { HLO_JIT_WORK = 1 << 16 }; /* operations and elements until the run may be stopped */

/* Words of every frame. */
enum {
    HLO_WORD_COUNTDOWN, /* of HLO_JIT_WORK, until the code checks whether the run goes on */
    HLO_WORD_GOES_ON,   /* the function to ask */
    HLO_WORD_THREAD,    /* that runs the code */
    HLO_WORD_OPERANDS,  /* addresses of a lane function's operands */
    HLO_FIRST_WORD = HLO_WORD_OPERANDS + HLO_MOST_JIT_OPERANDS
};

typedef struct {
    HLO_LIST(hlo_jit_op) ops;
    HLO_LIST(hlo_jit_word) words;
    uint32_t labels;
} hlo_jit_code;

/* Appends the machine code to `to`; returns where it begins there. */
uint32_t hlo_jit_emit(hlo_jit_code *code, hlo_assembler *to);

#endif
