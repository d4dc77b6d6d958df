/* Which values of a module are meant to be in the same memory: states of loops, results of
 * conditionals, what is updated in place, parameters that become results; and the times at which
 * each is needed, on one time line with all that is called. */
#ifndef HLO_PASSES_MEMORY_LIFETIMES_H
#define HLO_PASSES_MEMORY_LIFETIMES_H

#include "base/list.h"
#include "ir/ir.h"

/* Where a copy stands, or would stand. Between values that are meant to share there may be copies:
 * those of the text, and those that copy-insertion would have to make, which are here from the
 * beginning, so that those that are needed can be found. */
typedef enum {
    HLO_COPY_WRITTEN,    /* the instruction `at` is one */
    HLO_COPY_OF_OPERAND, /* before `at`, of one of its operands */
    HLO_COPY_OF_RESULT,  /* after the parameter `at`, for all its users */
    HLO_COPY_OF_ROOT,    /* at the end of the computation */
} hlo_copy_place;

typedef struct {
    hlo_copy_place place;
    hlo_computation *computation;
    hlo_instr *at; /* not of roots */
    uint32_t operand, leaf;
    uint32_t from, to; /* values */
    uint32_t time;     /* when it reads */
    uint32_t next;     /* of those that read the same value, an earlier one; from 1; 0: none */
    bool is_needed;
} hlo_memory_copy;

/* A value is there from `from`, when `maker` makes it, to `last`, when it is read for the last
 * time, copies apart. Values are numbers; ask hlo_value_of for the one that a number stands for by
 * now. */
typedef struct {
    uint32_t same;   /* itself, or the value with which it has become one */
    uint32_t memory; /* itself, or another value in the same memory */
    uint32_t next;   /* in a ring of those in the same memory */
    uint32_t from, last;
    uint32_t copies;        /* the latest copy that reads it, counted from 1; 0: none */
    uint32_t copied;        /* the value of which it is a copy; itself: none */
    uint32_t updated;       /* the value that the maker updates in place; itself: none */
    uint32_t operand;       /* through which it does */
    const hlo_instr *maker; /* NULL: a copy that is not there */
    bool is_fixed;     /* must not be overwritten, and is no result: the caller's, the module's */
    bool is_held;      /* by a transfer that is not done: a copy would not be what it moves */
    bool is_result;    /* a leaf of what the entry returns */
    bool begins_state; /* a parameter of a loop's body: the loop's operand is there until it is */
} hlo_memory_value;

/* Each computation but those that operations apply has one caller. */
typedef struct {
    hlo_module *module;
    hlo_arena arena;
    HLO_LIST(hlo_memory_value) values;
    HLO_LIST(hlo_memory_copy) copies; /* of callees before those of callers, and then by time */
    uint32_t **leaves;                /* by hlo_instr.index: values of the leaves of its result */
    uint32_t ***updating;             /* by hlo_instr.index: of what it updates in place, by
                                         operand, the leaves that it reads; NULL: none */
    uint32_t time, depth, visited;
    bool is_given_up; /* calls nest too deep, or a computation has several callers */
} hlo_memory_values;

/* Gives all instructions of the module a unique index. Free with hlo_memory_values_free. */
void hlo_memory_values_init(hlo_memory_values *m, hlo_module *module);
void hlo_memory_values_free(hlo_memory_values *m);

uint32_t hlo_value_of(hlo_memory_values *m, uint32_t value);
/* One of the values in the same memory, which stands for it. */
uint32_t hlo_memory_of(hlo_memory_values *m, uint32_t value);
/* `b` is `a` from now on. */
void hlo_unite_values(hlo_memory_values *m, uint32_t a, uint32_t b);
/* Both ends of the copy are one value. */
bool hlo_is_united(hlo_memory_values *m, const hlo_memory_copy *copy);
/* The leaves of operand `k` as the instruction reads them: of what it updates the copies. */
const uint32_t *hlo_leaves_read(const hlo_memory_values *m, const hlo_instr *instr, uint32_t k);
/* Makes one value of both ends of each copy where that is safe, and clears is_needed. */
void hlo_drop_copies(hlo_memory_values *m);

#endif
