/* raise-control-flow: what its parts share. Each node of the graph gets a region, the place of code
 * that its value is live in: a frame, or a side of a predicate within a region. Regions become
 * computations, from the outside. Private to this directory. */
#ifndef HLO_PASSES_DATAFLOW_RAISE_H
#define HLO_PASSES_DATAFLOW_RAISE_H

#include "ir/frames.h"
#include "passes/dataflow/forms.h"
#include "passes/pipeline/expression.h"

enum { HLO_NOT_RAISED = UINT32_MAX };

/* The first regions are those of the frames, with their numbers. */
typedef struct {
    const hlo_instr *predicate; /* NULL: all of a frame */
    int side;
    uint32_t frame;
    uint32_t parent;            /* of a frame's: where its loop stands */
    uint32_t depth;             /* in the frame; that of the frame's own is 0 */
    uint32_t older;             /* another region of the predicate; HLO_NOT_RAISED: none */
    uint32_t outer, child;      /* last of hlo_raise_child for `outer`; HLO_NOT_RAISED: nothing */
    uint32_t level, unit;       /* of a frame's: the unit of its loop at that level */
    uint32_t group_level, slot; /* of a frame's: its first enter in a conditional of that level */
} hlo_raise_region;

typedef struct {
    hlo_instr *instr;
    uint32_t region;    /* of the value; of a switch: of what it decides on */
    hlo_instr *literal; /* that the value is, wherever it is read; NULL: it is none */
    uint32_t element;   /* of the state: of enters and merges of loops */
    hlo_instr *image;   /* in the computation of its region */
    hlo_instr *copy;    /* in the computation that read it last, of another region */
    const hlo_computation *copy_in;
    uint32_t choice, choice_level; /* as a predicate: the slot of a conditional of that level */
    uint32_t sides;       /* the newest region of it as a predicate; HLO_NOT_RAISED: it is none */
    uint32_t slot, level; /* where the list of that level has it */
} hlo_raise_node;

typedef HLO_LIST(uint32_t) hlo_raise_list; /* of nodes in source order; its block is in the arena */

typedef struct {
    const hlo_pass_call *call;
    hlo_rewriter *r;
    hlo_computation *from;
    hlo_arena scratch;
    hlo_static_frames frames;
    HLO_LIST(hlo_raise_region) regions;
    HLO_LIST(hlo_raise_node) nodes; /* by hlo_instr.index */
    bool *has_merge;                /* by frame: one was met */
    HLO_LIST(hlo_instr *) elements; /* of states and results that were made */
    uint32_t depth, level, seen;    /* seen: a mark of what was copied once */
    bool failed;
} hlo_raising;

/* Several values as one: see forms.h. */
typedef struct {
    uint32_t n;
    const hlo_shape *const *shapes;
    const char *form; /* NULL: the value where there is one alone, else one tuple */
} hlo_raise_tuple;

/* A computation that is being made. */
typedef struct hlo_raise_body {
    struct hlo_raise_body *outer; /* of a branch: whose values it may be given; else NULL */
    uint32_t region;
    hlo_body made;
    hlo_instr *parameter;
    HLO_LIST(hlo_instr *) given;    /* to a branch: values of the outer computation */
    HLO_LIST(hlo_instr *) elements; /* that it reads them by */
    const char *form;               /* of the parameter */
} hlo_raise_body;

static inline hlo_raise_node *hlo_raise_at(const hlo_raising *r, const hlo_instr *instr) {
    return &r->nodes.v[instr->index];
}
static inline const hlo_instr *hlo_raise_predicate(const hlo_raising *r, uint32_t frame) {
    return hlo_operand(r->frames.v[frame].decides, 1);
}
/* A switch that the loop of its frame goes on by. */
bool hlo_raise_is_loop_switch(const hlo_raising *r, const hlo_instr *decides);

/* Reports an error at a node; is false. */
bool hlo_raise_refuse(hlo_raising *r, const hlo_instr *at, const char *message);

/* ---- raise_regions.c ---- */

/* False after an error. */
bool hlo_raise_find_regions(hlo_raising *r);
/* The region within `outer`, one level down, that leads to another region. */
uint32_t hlo_raise_child(hlo_raising *r, uint32_t outer, uint32_t region);
/* The region that what the node is a part of stands in: a loop, a conditional, or itself. */
uint32_t hlo_raise_place(const hlo_raising *r, const hlo_instr *instr);
/* The frame of the loop whose primitive the instruction is; 0: it is none. */
uint32_t hlo_raise_loop_of(const hlo_raising *r, const hlo_instr *instr);
/* The predicate of the conditional whose switch, element or merge it is; NULL: it is none. */
const hlo_instr *hlo_raise_choice_of(const hlo_raising *r, const hlo_instr *instr);

/* ---- raise_units.c ---- */

/* Puts what the nodes compute, in an order that their operands allow, into the body. */
bool hlo_raise_fill(hlo_raising *r, hlo_raise_body *body, const hlo_raise_list *nodes);

/* ---- raise_bodies.c ---- */

void hlo_raise_open(hlo_raising *r, hlo_raise_body *body, uint32_t region, hlo_raise_body *outer,
                    const char *name);
hlo_computation *hlo_raise_close(hlo_raising *r, hlo_raise_body *body,
                                 const hlo_raise_tuple *result, hlo_instr *const *values);
/* What the body is given so far, as one value. */
hlo_raise_tuple hlo_raise_given(hlo_raising *r, const hlo_raise_body *body);
/* What stands for the node's value in the body; NULL after an error at the reader. */
hlo_instr *hlo_raise_value(hlo_raising *r, hlo_raise_body *body, hlo_instr *node,
                           const hlo_instr *reader);
/* One more value for the body: what it reads it by, of that shape. */
hlo_instr *hlo_raise_give(hlo_raising *r, hlo_raise_body *body, hlo_instr *value,
                          const hlo_shape *shape);
/* A copy of the node in the body. */
hlo_instr *hlo_raise_copy(hlo_raising *r, hlo_raise_body *body, hlo_instr *node);

/* ---- raise_tuples.c ---- */

const hlo_shape *hlo_raise_packed(hlo_raising *r, const hlo_raise_tuple *tuple);
hlo_instr *hlo_raise_pack(hlo_raising *r, const hlo_raise_tuple *tuple, hlo_instr *const *values);
/* Leaf i of a value that was packed. */
hlo_instr *hlo_raise_element(hlo_raising *r, const hlo_raise_tuple *tuple, hlo_instr *value,
                             uint32_t i);
/* Elements of a parameter, as if that were one tuple, become what reads them by its form. */
void hlo_raise_read_by_form(hlo_raising *r, hlo_instr *parameter, const char *form,
                            hlo_instr *const *elements, uint32_t n);

/* ---- raise_loop.c, raise_conditional.c: what the primitives and all between them become; NULL
 * after an error ---- */

hlo_instr *hlo_raise_loop(hlo_raising *r, hlo_raise_body *body, uint32_t frame,
                          const hlo_raise_list *nodes);
hlo_instr *hlo_raise_conditional(hlo_raising *r, hlo_raise_body *body, const hlo_instr *predicate,
                                 const hlo_raise_list *nodes);

#endif
