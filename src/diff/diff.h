/* What two modules have in common, and what was added, removed or changed between them. Names,
 * metadata and the order of lines do not count. Called by hlo-diff (through hlo.h). */
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
    hlo_instr **partner; /* in the other module; NULL: none */
    uint64_t *own;       /* hash of opcode, shape and attributes */
    uint64_t *value;     /* hash of what the instruction computes, as far as it is matched */
    /* Hashes of what is done with the result: by its users; by them and theirs; down to the root.
     */
    uint64_t *use[HLO_DIFF_USES];
    bool *settled;         /* has a partner, or is known to have none */
    uint64_t *body;        /* by computation id: hash of what it computes */
    hlo_computation **met; /* by computation id: its counterpart */
} hlo_diff_side;

typedef struct {
    hlo_computation *a, *b;
} hlo_diff_pair;

typedef struct {
    hlo_diff_side a, b;
    bool metadata; /* counts */
    /* Counterparts in the order in which they were found: the entries first. */
    HLO_LIST(hlo_diff_pair) pairs;
    uint64_t added, removed, changed; /* instructions; `changed` counts header attributes, too */
    uint64_t added_computations, removed_computations;
} hlo_diff;

/* Matches the modules; both must be well formed, and stay until hlo_diff_free. Uses the scratch
 * members of instructions, and the arena and shapes of `a` for what it imports from `b`. */
void hlo_diff_init(hlo_diff *diff, hlo_module *a, hlo_module *b, bool metadata);
void hlo_diff_free(hlo_diff *diff);
static inline bool hlo_diff_is_empty(const hlo_diff *d) {
    return !(d->added || d->removed || d->changed || d->added_computations ||
             d->removed_computations);
}

/* Every difference, for people and as one JSON object. */
void hlo_diff_print(const hlo_diff *diff, hlo_buf *out);
void hlo_diff_print_json(const hlo_diff *diff, hlo_buf *out);

/* ---- between match.c and report.c ---- */

static inline uint32_t hlo_diff_number(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->base[instr->parent->id] + instr->index;
}
static inline hlo_instr *hlo_diff_partner(const hlo_diff_side *side, const hlo_instr *instr) {
    return side->partner[hlo_diff_number(side, instr)];
}

/* Differences of a matched pair, one call each; `number` is that of an operand. */
typedef enum {
    HLO_DIFF_OPCODE,
    HLO_DIFF_SHAPE,
    HLO_DIFF_OPERAND,
    HLO_DIFF_OPERAND_COUNT,
    HLO_DIFF_ATTRIBUTE,
    HLO_DIFF_CALLEE,
    HLO_DIFF_ROOT,
} hlo_diff_aspect;

typedef void hlo_diff_visit(void *context, hlo_diff_aspect aspect, uint32_t number,
                            const hlo_attr *a, const hlo_attr *b);
/* How many there are; `visit` may be NULL. */
uint32_t hlo_diff_compare(const hlo_diff *diff, const hlo_instr *a, const hlo_instr *b,
                          hlo_diff_visit *visit, void *context);
/* The same for the attributes of the headers. */
uint32_t hlo_diff_compare_headers(const hlo_diff *diff, hlo_diff_visit *visit, void *context);

#endif
