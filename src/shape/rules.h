/* What the rules of shape inference share: the state of one inference, its errors, and making
 * shapes. Private to src/shape. */
#ifndef HLO_SHAPE_RULES_H
#define HLO_SHAPE_RULES_H

#include "shape/compatible.h"
#include "shape/infer.h"

typedef struct {
    const hlo_draft *draft;
    hlo_module *module;
    hlo_opcode opcode;
    const hlo_shape *const *operands;
    uint32_t n;              /* operands */
    const hlo_shape *stated; /* the draft's; or NULL */
    bool as_parser;     /* the text leaves the shape out: infer as little as XLA's parser does */
    bool any_precision; /* floating-point types may meet */
    hlo_arena scratch;  /* lives as long as this inference */
} hlo_inference;

/* A rule returns the inferred shape or NULL after one error. One function per distinct name in the
 * column `shape rule` of ops.def. Operand counts were checked against ops.def before. */
#define HLO_OP(id, text, rule, ...) const hlo_shape *hlo_infer_##rule(hlo_inference *in);
#include "ir/ops.def"
#undef HLO_OP

/* ---- errors ---- */
/* What an error points at besides the instruction's name: an operand (by number), an attribute, or
 * nothing. A note shows the place. */
enum { HLO_NOWHERE = -1 };
static inline int hlo_at_attr(hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    return HLO_NOWHERE - 1 - (int)id;
}
#define HLO_AT(id) hlo_at_attr(HLO_ATTR_##id)
/* Reports and returns NULL. The message follows the opcode and a colon. */
const hlo_shape *hlo_infer_fail(hlo_inference *in, hlo_rule rule, int where, const char *format,
                                ...) __attribute__((format(printf, 4, 5)));
/* Reports and is false: for checks. */
#define hlo_refuse(...) ((void)hlo_infer_fail(__VA_ARGS__), false)
/* "1 operand", "2 operands"; a shape; and a list of numbers as {1,2}, for a message. */
const char *hlo_infer_count_text(hlo_inference *in, uint64_t n, const char *noun);
const char *hlo_infer_text(hlo_inference *in, const hlo_shape *shape);
/* See hlo_shape_names. */
hlo_shape_texts hlo_infer_texts(hlo_inference *in, const hlo_shape *a, const hlo_shape *b);
const char *hlo_infer_ints_text(hlo_inference *in, const int64_t *v, uint32_t n);

/* ---- values of the draft ---- */
const hlo_attr *hlo_infer_attr(const hlo_inference *in, hlo_attr_id id); /* or NULL */
int64_t hlo_infer_int(const hlo_inference *in, hlo_attr_id id);          /* or its default */
const hlo_ints *hlo_infer_ints(const hlo_inference *in, hlo_attr_id id); /* never NULL */
/* The only entry of an INTS attribute; false after an error when it has not exactly one. */
bool hlo_infer_single(hlo_inference *in, hlo_attr_id id, int64_t *out);

/* A called computation as a function type. */
typedef struct {
    const char *name; /* quoted */
    uint32_t n;
    const hlo_shape **parameters;
    const hlo_shape *result;
} hlo_signature;

/* False after an error: the computation has no root or gaps in its parameters. */
bool hlo_infer_signature(hlo_inference *in, const hlo_computation *computation, hlo_signature *out);
bool hlo_infer_callee(hlo_inference *in, hlo_attr_id id, hlo_signature *out);
const char *hlo_infer_signature_text(hlo_inference *in, const hlo_signature *signature);

/* ---- checks shared by families; false after an error ---- */
bool hlo_expect_array(hlo_inference *in, uint32_t operand);
bool hlo_expect_arrays(hlo_inference *in);
/* The operand is an array whose elements are of the types that the opcode's row in ops.def names.
 */
bool hlo_expect_elements(hlo_inference *in, uint32_t operand);
bool hlo_expect_token(hlo_inference *in, uint32_t operand);
bool hlo_expect_stated(hlo_inference *in);
/* Every entry of an INTS attribute is in 0..limit-1. */
bool hlo_expect_range(hlo_inference *in, hlo_rule rule, hlo_attr_id id, int64_t limit);
bool hlo_expect_unique(hlo_inference *in, hlo_rule rule, hlo_attr_id id);
bool hlo_expect_sorted(hlo_inference *in, hlo_rule rule, hlo_attr_id id);
/* One byte per dimension, 1 where the attribute names it. `marks` is added to, or made when NULL.
 */
uint8_t *hlo_mark_dims(hlo_inference *in, uint8_t *marks, uint32_t rank, hlo_attr_id id);
/* The signature is a reducer over `count` inputs: (accumulators..., inputs...) -> accumulators,
 * where accumulator i can hold inits[i] and takes in elements of type elements[i]. */
bool hlo_expect_reducer(hlo_inference *in, hlo_attr_id id, const hlo_signature *reducer,
                        uint32_t count, const hlo_shape *const *inits, const hlo_type *elements);

/* Equal types, or both floating-point where precisions may mix. */
static inline bool hlo_same_type(const hlo_inference *in, const hlo_shape *a, const hlo_shape *b) {
    return a->type == b->type ||
           (in->any_precision && hlo_types_agree((hlo_type)a->type, (hlo_type)b->type));
}

/* ---- dimensions under construction ---- */
typedef struct {
    uint32_t rank;
    int64_t *size;    /* HLO_UNBOUNDED allowed */
    uint8_t *dynamic; /* marks */
} hlo_dims;

hlo_dims hlo_dims_new(hlo_inference *in, uint32_t rank); /* zeros */
hlo_dims hlo_dims_of(hlo_inference *in, const hlo_shape *shape);
void hlo_dims_push(hlo_dims *dims, int64_t size, bool dynamic); /* space for it was made before */
static inline bool hlo_dim_is_dynamic(const hlo_shape *s, uint32_t i) {
    HLO_ASSERT(i < s->rank && hlo_shape_is_array(s));
    return s->dims[i] == HLO_UNBOUNDED || (s->is_dynamic && s->is_dynamic[i]);
}
static inline bool hlo_dim_is_bounded(const hlo_shape *s, uint32_t i) {
    HLO_ASSERT(i < s->rank && hlo_shape_is_array(s));
    return s->dims[i] != HLO_UNBOUNDED && s->is_dynamic && s->is_dynamic[i];
}

/* Arrays of those dimensions: with the default layout, or with the layout of a shape of the same
 * rank. NULL after an error when a size is negative or the bytes pass INT64_MAX. */
const hlo_shape *hlo_make_array(hlo_inference *in, hlo_type type, hlo_dims dims);
const hlo_shape *hlo_make_like(hlo_inference *in, const hlo_shape *like, hlo_type type,
                               hlo_dims dims);
/* The same array as the result of computing in `type`, which may be its own: as XLA does it, the
 * layout's element size stays for sub-byte types only. */
const hlo_shape *hlo_make_retyped(hlo_inference *in, const hlo_shape *shape, hlo_type type);
const hlo_shape *hlo_make_scalar(hlo_inference *in, hlo_type type);
const hlo_shape *hlo_make_tuple(hlo_inference *in, const hlo_shape *const *elements, uint32_t n);
const hlo_shape *hlo_make_pair(hlo_inference *in, const hlo_shape *first, const hlo_shape *second);
/* The shape itself when there is one, else a tuple of all. */
const hlo_shape *hlo_make_one_or_tuple(hlo_inference *in, const hlo_shape *const *shapes,
                                       uint32_t n);

/* ---- windows (convolution, reduce-window, select-and-scatter) ---- */
/* Sizes of the result when `window` slides over dims; false after an error. dims is rewritten. */
bool hlo_infer_window(hlo_inference *in, const hlo_window *window, hlo_dims *dims);
const hlo_window *hlo_infer_window_attr(const hlo_inference *in); /* of no dimensions when absent */

#endif
