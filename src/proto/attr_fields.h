/* The table behind attr_fields.def: which field of HloInstructionProto carries which attribute, and
 * how. Called by to_instr.c and from_instr.c. */
#ifndef HLO_PROTO_ATTR_FIELDS_H
#define HLO_PROTO_ATTR_FIELDS_H

#include "base/arena.h"
#include "ir/ops.h"
#include "proto/schema.h"

typedef enum {
    HLO_FORM_INT,      /* integers, bools, and words by their number */
    HLO_FORM_COUNT,    /* the same; 0 stands for 1 */
    HLO_FORM_POSITIVE, /* the same; 0 and less: not given */
    HLO_FORM_PRESENT,  /* the same; given when the field is there */
    HLO_FORM_FIRST,    /* the first number of a list */
    HLO_FORM_TRI_STATE,
    HLO_FORM_REAL,
    HLO_FORM_TEXT,
    HLO_FORM_THREAD, /* a text; none for the thread "main" */
    HLO_FORM_WORD,   /* words by their spelling */
    HLO_FORM_COMPARE_TYPE,
    HLO_FORM_INTS,
    HLO_FORM_PRECISIONS,
    HLO_FORM_LITERAL,
    HLO_FORM_SHAPE,
    HLO_FORM_CONSTRAINTS,
    HLO_FORM_WINDOW,
    HLO_FORM_DIM_LABELS,
    HLO_FORM_PADDING,
    HLO_FORM_SLICE,
    HLO_FORM_PAIRS,
    HLO_FORM_PERMUTE_SLICES,
    HLO_FORM_SPARSITY,
    HLO_FORM_GROUPS, /* three fields: one for each form of groups */
    HLO_FORM_DOMAIN, /* two fields: entry and exit */
    HLO_FORM_ALIASING,
    HLO_FORM_SHARDING,
    HLO_FORM_FRONTEND,
    HLO_FORM_PREDECESSORS,
    HLO_FORM_STATISTICS,
    HLO_FORM_ACCURACY,
    HLO_FORM_ORIGIN,
    HLO_FORM_METADATA,
    /* What every instruction has and that is no attribute. */
    HLO_FORM_NAME,
    HLO_FORM_OPCODE,
    HLO_FORM_RESULT,
    HLO_FORM_ID,
    HLO_FORM_OPERANDS,
    HLO_FORM_CALLED,
    HLO_FORM_COUNT_OF_FORMS
} hlo_form;

typedef struct {
    uint16_t attr;   /* hlo_attr_id; HLO_ATTR_COUNT: none */
    uint16_t opcode; /* HLO_OP_COUNT: any */
    uint8_t form;
    bool always;
    uint8_t depth;    /* of the path */
    uint16_t path[3]; /* hlo_field_id: messages, then the field itself */
} hlo_attr_field;

enum { HLO_MOST_INSTR_FIELDS = 64 };

/* The fields of opcodes' instructions, made when an opcode is first met. Starts as zeros. */
typedef struct {
    struct {
        uint32_t n; /* 0: not met yet */
        const hlo_attr_field **v;
    } of[HLO_OP_COUNT];
} hlo_instr_fields_cache;

/* In the order of their numbers; *n says how many. Valid as long as the cache. */
const hlo_attr_field *const *hlo_instr_fields(hlo_instr_fields_cache *cache, hlo_opcode opcode,
                                              uint32_t *n);
void hlo_instr_fields_free(hlo_instr_fields_cache *cache);

static inline const hlo_proto_field *hlo_attr_field_of(const hlo_attr_field *row) {
    return &hlo_fields[row->path[row->depth - 1]];
}

/* The COMPARE_TYPE by which operands of that shape are compared when none is given; -1: there is
 * none. */
int hlo_implied_compare_type(const hlo_shape *operand);

#endif
