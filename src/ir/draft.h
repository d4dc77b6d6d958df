/* An instruction before it is made, as given by a text, a message, a pass or a builder. Shape
 * inference computes the shape of its result; src/form checks it, completes it and makes
 * the instruction. */
#ifndef HLO_IR_DRAFT_H
#define HLO_IR_DRAFT_H

#include "ir/ir.h"

/* The origin decides what may be left out and what is rebuilt. */
typedef enum {
    HLO_DRAFT_OF_CODE,    /* passes and builders: a shape of NULL is inferred, a given one stays */
    HLO_DRAFT_OF_TEXT,    /* as XLA's parser: forgives some spellings, rebuilds some shapes, infers
                             only where the text may leave the shape out */
    HLO_DRAFT_OF_MESSAGE, /* HloInstructionProto: all of it is given, nothing is rebuilt */
} hlo_draft_origin;

/* What an error about a draft points at. */
typedef enum {
    HLO_PART_NAME,     /* of a nested operand: the opcode */
    HLO_PART_AROUND,   /* the name of the instruction that a nested operand is part of */
    HLO_PART_SHAPE,    /* as written */
    HLO_PART_OPCODE,   /* the word */
    HLO_PART_OPERANDS, /* with their parentheses */
    HLO_PART_FIRST_OPERAND,
    HLO_PART_CLOSE,          /* the parenthesis after the operands */
    HLO_PART_AFTER_OPERANDS, /* the byte after that: what is missing could stand there */
    HLO_PART_NEXT,           /* the token after the instruction */
    HLO_PART_ATTR,           /* and more: see hlo_part_attr */
} hlo_part;

static inline hlo_part hlo_part_attr(hlo_attr_id id) {
    return (hlo_part)(HLO_PART_ATTR + (unsigned)id);
}

typedef struct hlo_draft hlo_draft;

/* How the errors of one origin are reported; no host: to the draft's diagnostics, at `at`. */
typedef struct {
    void (*error)(const hlo_draft *, hlo_rule, hlo_part, const char *message);
    /* Where a part stands in the module's source; NULL: errors get no notes. */
    hlo_span (*place)(const hlo_draft *, hlo_part);
} hlo_draft_host;

struct hlo_draft {
    hlo_computation *computation; /* in which the instruction will stand */
    hlo_name *name;               /* not needed by inference */
    hlo_opcode opcode;
    hlo_draft_origin origin;
    const hlo_shape *shape; /* as written or wanted; NULL: not given. Some opcodes check it when the
                               shape is inferred, dot and convolution take its element type */
    hlo_instr *const *operands;
    uint32_t operand_count;
    /* In any order, with the ids that the opcode lists; called computations are among them. The
     * array is the caller's; when it is full the next one moves all to the module's arena. */
    uint32_t attr_count, attr_capacity;
    hlo_attr *attrs;
    hlo_span at; /* of the name, in the module's source; 0,0: nowhere */
    hlo_diags *diags;
    const hlo_draft_host *host; /* or NULL */
    void *context;              /* the host's */
};

/* The draft's value of an attribute; NULL: none. */
static inline hlo_attr *hlo_draft_attr(const hlo_draft *draft, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    for (uint32_t i = 0; i < draft->attr_count; i++)
        if (draft->attrs[i].id == id) return &draft->attrs[i];
    return NULL;
}

/* One more attribute, which the draft must not have yet. */
void hlo_draft_add(hlo_draft *draft, hlo_attr attr);
/* Adds the attribute, or gives it another value, which the module's arena holds. */
void hlo_draft_set(hlo_draft *draft, hlo_attr_id id, const void *value);
/* Does nothing when the draft has none. The others keep their order. */
void hlo_draft_drop(hlo_draft *draft, hlo_attr_id id);

/* The draft's instruction with operands and attributes as they are, appended to its computation.
 * See src/form for what makes it a good one. */
hlo_instr *hlo_draft_make(const hlo_draft *draft);

#endif
