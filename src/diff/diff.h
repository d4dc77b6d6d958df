/* What two modules have in common, and what was added, removed or changed between them. The order
 * of lines does not count; names only choose between candidates that the structure does not tell
 * apart. */
#ifndef HLO_DIFF_DIFF_H
#define HLO_DIFF_DIFF_H

#include "base/list.h"
#include "ir/ir.h"

enum { HLO_DIFF_USES = 3 };

/* One module of the two. Arrays are indexed by numbers: base[computation id] + place in source
 * order (hlo_instr.index). */
typedef struct {
    hlo_module *module;
    uint32_t *base;
    uint32_t total;
    hlo_instr **partner;     /* in the other module; NULL: none */
    const hlo_shape **shape; /* as one of the first module, so that equal ones are one pointer */
    uint64_t *own;           /* hash of opcode, shape and attributes */
    uint64_t *value;         /* hash of what the instruction computes, as far as it is matched */
    /* Hashes of what is done with the result: by its users; by them and theirs; down to the root.
     */
    uint64_t *use[HLO_DIFF_USES];
    /* In the counterpart of its computation; NULL: none, or the computation waits for its turn. */
    hlo_instr **namesake;
    bool *settled;         /* has a partner, or is known to have none */
    bool *moved;           /* in the schedule, against the counterparts; NULL: not asked for */
    uint64_t *body;        /* by computation id: hash of what it computes */
    bool *has_effect;      /* by computation id: running it again is not the same */
    hlo_computation **met; /* by computation id: its counterpart */
} hlo_diff_side;

typedef struct {
    hlo_computation *a, *b;
} hlo_diff_pair;

/* What counts. */
typedef struct {
    bool metadata, layouts, schedule;
} hlo_diff_settings;

typedef struct {
    hlo_diff_side a, b;
    hlo_diff_settings settings;
    bool elides; /* one of the texts has {...} for the elements of some constant */
    /* Counterparts in the order in which they were found: the entries first. */
    HLO_LIST(hlo_diff_pair) pairs;
    uint64_t added, removed, changed; /* instructions; `changed` counts header attributes, too */
    uint64_t added_computations, removed_computations;
} hlo_diff;

/* Matches the modules; both must be well formed, and stay until hlo_diff_free. Uses the scratch
 * members of instructions, and the arena and shapes of `a` for what it imports from `b`. */
void hlo_diff_init(hlo_diff *diff, hlo_module *a, hlo_module *b, hlo_diff_settings settings);
void hlo_diff_free(hlo_diff *diff);
static inline bool hlo_diff_is_empty(const hlo_diff *d) {
    return !(d->added || d->removed || d->changed || d->added_computations ||
             d->removed_computations);
}

/* Every difference, or with `brief` their numbers: for people (nothing when there is none) and as
 * one JSON object. */
void hlo_diff_print(const hlo_diff *diff, bool brief, hlo_buf *out);
/* What differs in two counterparts, or in the headers (both NULL), each difference a line of
 * printable text. */
void hlo_diff_list(const hlo_diff *diff, const hlo_instr *a, const hlo_instr *b, hlo_buf *out);
void hlo_diff_print_json(const hlo_diff *diff, bool brief, hlo_buf *out);

/* Compares modules, and the parts of dataflow graphs one by one (parts.c). */
typedef struct {
    hlo_diff_settings settings;
    bool json, brief;
} hlo_diff_report;
/* Whether they are the same; writes the differences to `out`, and their numbers to `counts` unless
 * that is NULL. */
bool hlo_diff_write(hlo_module *a, hlo_module *b, hlo_diff_report how, hlo_buf *out,
                    hlo_buf *counts);

/* ---- between the files of this directory ---- */

static inline uint32_t hlo_diff_number(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->base[instr->parent->id] + instr->index;
}
static inline hlo_instr *hlo_diff_partner(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->partner[hlo_diff_number(side, instr)];
}
static inline bool hlo_diff_same_shape(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    return d->a.shape[hlo_diff_number(&d->a, a)] == d->b.shape[hlo_diff_number(&d->b, b)];
}
/* Whether opcode, shape and attributes are the same. */
static inline bool hlo_diff_looks_same(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b) {
    return d->a.own[hlo_diff_number(&d->a, a)] == d->b.own[hlo_diff_number(&d->b, b)];
}
/* Whether what it gives depends on how often it runs, so that equal values are not enough. */
static inline bool hlo_diff_has_effect(const hlo_diff_side *side, const hlo_instr *instr) {
    if (hlo_instr_has_side_effect(instr)) return true;
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (side->has_effect[called->id]) return true;
    return false;
}
static inline uint64_t hlo_diff_operand_value(const hlo_diff_side *side, const hlo_instr *instr,
                                              uint32_t i) {
    return side->value[hlo_diff_number(side, hlo_operand(instr, i))];
}

/* Attributes that name instructions: uses without a result. They are compared by the counterparts
 * of what they name. */
enum { HLO_DIFF_EDGES = 2 };
extern const hlo_attr_id hlo_diff_edges[HLO_DIFF_EDGES];

/* Numbers and first hashes of side->module. */
void hlo_diff_init_side(const hlo_diff *diff, hlo_diff_side *side);
void hlo_diff_free_side(hlo_diff_side *side);
/* What the instruction computes, from the present values of its operands. */
uint64_t hlo_diff_hash_value(const hlo_diff_side *side, const hlo_instr *instr);
/* The n instructions of the computation, operands before users; to be freed. */
hlo_instr **hlo_diff_order(hlo_computation *computation, uint32_t *n);

/* Makes the computations counterparts, unless one has another; the list `pairs` is their queue. */
void hlo_diff_pair_computations(hlo_diff *diff, hlo_computation *a, hlo_computation *b);
/* The same for instructions, and for what both call. */
void hlo_diff_pair_instrs(hlo_diff *diff, hlo_instr *a, hlo_instr *b);
/* Pairs the instructions of two counterparts; adds to `pairs`. */
void hlo_diff_match(hlo_diff *diff, hlo_computation *a, hlo_computation *b);
/* Finds what moved in the schedules of all pairs, when both modules have one. */
void hlo_diff_find_moved(hlo_diff *diff);
/* How likely b, whose operands are settled as those of a, is what became of a; 0: it is not. */
uint32_t hlo_diff_likeness(const hlo_diff *diff, const hlo_instr *a, const hlo_instr *b);

/* Whether the attribute counts as a value; those that name code are compared by what they name. */
bool hlo_diff_counts(const hlo_diff *diff, const hlo_attr *attr);
/* A shape of either module as one of `a`, and an attribute as it is compared: without layouts when
 * they do not count, and without the number of its stack frame, which is compared by content.
 */
const hlo_shape *hlo_diff_comparable_shape(const hlo_diff *diff, const hlo_shape *shape);
hlo_attr hlo_diff_attr(const hlo_diff *diff, const hlo_attr *attr);

/* Whether one of two constants, and only one, was read without its elements: it is not known
 * whether they are the same. Either may be NULL, or an attribute that is no constant's value. */
bool hlo_diff_is_elided(const hlo_attr *a, const hlo_attr *b);

/* Differences of a matched pair, one call each; `number` is that of an operand. */
typedef enum {
    HLO_DIFF_COMPUTATION,
    HLO_DIFF_OPCODE,
    HLO_DIFF_SHAPE,
    HLO_DIFF_OPERAND,
    HLO_DIFF_OPERAND_COUNT,
    HLO_DIFF_ATTRIBUTE,
    HLO_DIFF_CALLEE,
    HLO_DIFF_ROOT,
    HLO_DIFF_THREAD, /* of a root's computation */
    HLO_DIFF_PLACE,  /* in the schedule */
} hlo_diff_aspect;

typedef void hlo_diff_visit(void *context, hlo_diff_aspect aspect, uint32_t number,
                            const hlo_attr *a, const hlo_attr *b);
/* How many there are; `visit` may be NULL. */
uint32_t hlo_diff_compare(const hlo_diff *diff, const hlo_instr *a, const hlo_instr *b,
                          hlo_diff_visit *visit, void *context);
/* Whether anything differs between two counterparts. */
bool hlo_diff_pair_differs(const hlo_diff *diff, const hlo_computation *a,
                           const hlo_computation *b);
/* The same for the attributes of the headers. */
uint32_t hlo_diff_compare_headers(const hlo_diff *diff, hlo_diff_visit *visit, void *context);

#endif
