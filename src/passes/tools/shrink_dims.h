/* shrink-dims: which dimensions of a module have sizes that depend on each other, and by what they
 * are divided. */
#ifndef HLO_PASSES_TOOLS_SHRINK_DIMS_H
#define HLO_PASSES_TOOLS_SHRINK_DIMS_H

#include "base/list.h"
#include "ir/ir.h"

/* A dimension of an array that an instruction gives, or of one in its tuple. All arrays of an
 * instruction have their dimensions one after the other. */
typedef struct {
    int64_t size;
    int64_t tiles; /* of its sharding: the new size is divisible by them; else 1 */
    hlo_instr *instr;
    uint32_t parent;  /* towards the root of its class */
    int64_t distance; /* its offset less that of the parent */
    uint32_t next;    /* in a list of the members of its class, from its root; NONE: the last */
} hlo_shrink_dim;

/* Dimensions that are divided by one number, `factor` to the power `power`. The size of each is a
 * number that is divided, less the member's offset, which stays: of a slice without the first
 * element the offset is 1 where that of its operand is 0. */
typedef struct {
    bool is_anchored; /* offsets are known, and not only their differences */
    int64_t base;     /* the offset of the root */
    const char
        *reason; /* why it stays as it is, or is divided less; NULL: nothing speaks against */
    const hlo_instr *at; /* where the reason is */
    bool is_wanted;
    uint32_t most, power;
} hlo_shrink_class;

/* A reshape: the products of the sizes on both sides are one. Numbers of dimensions. */
typedef struct {
    const hlo_instr *instr;
    uint32_t first, left, right; /* from `first` on in the list of terms */
} hlo_shrink_product;

/* At least: the size of `small`, or none, and `more` together are no larger than that of `large`.
 */
typedef struct {
    const hlo_instr *instr;
    uint32_t small, large;
    int64_t more;
} hlo_shrink_bound;

#define HLO_SHRINK_NONE UINT32_MAX

typedef struct {
    hlo_module *module;
    int64_t factor, least;
    const hlo_ints *sizes; /* that are divided; NULL: those of at least `least` */
    uint32_t *first;       /* by hlo_instr.index: its first dimension; one more than instructions */
    uint32_t count;        /* of dimensions */
    hlo_shrink_dim *dims;
    hlo_shrink_class *classes; /* by root */
    HLO_LIST(uint32_t) terms;
    HLO_LIST(hlo_shrink_product) products;
    HLO_LIST(hlo_shrink_bound) bounds;
} hlo_shrink;

/* Numbers the instructions and their dimensions; each is a class. */
void hlo_shrink_init(hlo_shrink *s, hlo_module *module);
void hlo_shrink_free(hlo_shrink *s);

/* The dimensions of all arrays of an instruction. */
static inline uint32_t hlo_shrink_first(const hlo_shrink *s, const hlo_instr *instr) {
    return s->first[instr->index];
}
static inline uint32_t hlo_shrink_count(const hlo_shrink *s, const hlo_instr *instr) {
    return s->first[instr->index + 1] - s->first[instr->index];
}
/* How many dimensions the arrays of a shape have. */
uint32_t hlo_shrink_dims_of(const hlo_shape *shape);

/* ---- what depends on what: `instr` is the reason ---- */

uint32_t hlo_shrink_root(hlo_shrink *s, uint32_t dim);
/* One class; the offset of b is that of a and `more`. */
void hlo_shrink_join(hlo_shrink *s, uint32_t a, uint32_t b, int64_t more, const hlo_instr *instr);
/* The same for several that follow each other, without offsets. */
void hlo_shrink_join_all(hlo_shrink *s, uint32_t a, uint32_t b, uint32_t n, const hlo_instr *instr);
/* One class, although the sizes differ: whole parts of one size are added. */
void hlo_shrink_scale(hlo_shrink *s, uint32_t a, uint32_t b, const hlo_instr *instr);
/* The class is not divided. */
void hlo_shrink_keep(hlo_shrink *s, uint32_t dim, const char *reason, const hlo_instr *instr);
void hlo_shrink_keep_all(hlo_shrink *s, uint32_t dim, uint32_t n, const char *reason,
                         const hlo_instr *instr);
void hlo_shrink_bind(hlo_shrink *s, uint32_t small, int64_t more, uint32_t large,
                     const hlo_instr *instr);
/* The sizes of a reshape, row-major on both sides. */
void hlo_shrink_regroup(hlo_shrink *s, uint32_t from, uint32_t from_rank, uint32_t to,
                        uint32_t to_rank, const hlo_instr *instr);

/* What depends on what in the whole module. */
void hlo_shrink_relate(hlo_shrink *s);
/* The rules of single operations; false: there is none. */
bool hlo_shrink_relate_move(hlo_shrink *s, const hlo_instr *instr);
bool hlo_shrink_relate_sum(hlo_shrink *s, const hlo_instr *instr);
/* Of the instruction, or of a custom call that is one: see topk_call.h. */
void hlo_shrink_relate_topk(hlo_shrink *s, const hlo_instr *instr);
/* Windows of a reduction have all elements of a dimension of that size, or all up to or from one.
 */
bool hlo_shrink_is_whole_window(const hlo_window_dim *window, int64_t size);

/* ---- deciding ---- */

/* Whether the options choose dimensions of the size. */
static inline bool hlo_shrink_is_chosen(const hlo_shrink *s, int64_t size) {
    return s->sizes ? hlo_ints_contain(s->sizes, size) : size >= s->least;
}
/* Finds the powers of all classes. */
void hlo_shrink_solve(hlo_shrink *s);
int64_t hlo_shrink_new_size(hlo_shrink *s, uint32_t dim);
/* By what the class of the dimension is divided. */
int64_t hlo_shrink_divisor(hlo_shrink *s, uint32_t dim);

/* ---- how cuts are read, before and after ---- */

/* Of a dimension of `whole` elements, `part` remain from `start` on; or are padded to `whole`. */
typedef enum {
    HLO_CUT_NONE,   /* all remain */
    HLO_CUT_SCALED, /* both are divided, and the start */
    HLO_CUT_STRIDE, /* every k-th remains */
    HLO_CUT_MARGIN, /* what is cut off stays as large */
    HLO_CUT_FIXED,  /* what remains stays as large */
} hlo_shrink_cut;
hlo_shrink_cut hlo_shrink_cut_of(const hlo_shrink *s, int64_t whole, int64_t start, int64_t part,
                                 int64_t stride);
/* Makes the rule of it. */
void hlo_shrink_relate_cut(hlo_shrink *s, hlo_shrink_cut cut, uint32_t whole, uint32_t part,
                           int64_t stride, const hlo_instr *instr);
/* Where the part of it starts when the sizes are the new ones. */
int64_t hlo_shrink_new_start(hlo_shrink *s, hlo_shrink_cut cut, uint32_t whole, int64_t start,
                             uint32_t part);

/* ---- changing ---- */

/* Gives all instructions and the header the new sizes; whether one changed. */
bool hlo_shrink_change(hlo_shrink *s);

#endif
