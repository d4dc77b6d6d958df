/* The builder's inside: one open module, its stack of open computations, and the one function by
 * which every operation is made. Private to src/build, and to the pass that rebuilds modules. */
#ifndef HLO_BUILD_BUILDER_H
#define HLO_BUILD_BUILDER_H

#include <hlo/builder.h>

#include "ir/draft.h"

/* What instructions carry while it is in force. */
typedef struct hlo_builder_scope {
    struct hlo_builder_scope *outer;
    const hlo_metadata *metadata; /* NULL: none, as the others */
    const hlo_sharding *sharding;
    const hlo_frontend *frontend;
} hlo_builder_scope;

/* An attribute in words, until it is known whose it is. */
typedef struct {
    const char *name, *text; /* in the module's arena */
} hlo_builder_words;

typedef struct hlo_builder_frames hlo_builder_frames; /* src/build/stack_frames.c */

/* What was set for the next instruction, and for no other (src/build/next.c). */
typedef struct {
    const char *name; /* in the module's arena, or NULL */
    const hlo_shape *shape;
    const hlo_instrs *predecessors;
    hlo_builder_words *words;
    uint32_t words_count, words_capacity;
} hlo_builder_next;

/* A computation that is open. */
typedef struct hlo_builder_frame {
    struct hlo_builder_frame *outer;
    hlo_computation *computation;
    hlo_instr *token; /* of the newest operation without a written token; NULL: none yet */
    hlo_builder_next outer_next; /* what was set when it was opened: for the outer one */
} hlo_builder_frame;

struct hlo_builder {
    hlo_module *module; /* NULL when it was handed over */
    hlo_diags *diags;   /* the first error */
    hlo_builder_frame *frame;
    hlo_builder_scope *scope;
    hlo_builder_next next;
    bool has_entry_layout;      /* it was set: that of the entry computation is not used */
    hlo_builder_frames *frames; /* NULL: no stack frame yet */
};

/* At the start of a public function that makes something: returns `otherwise` when there was an
 * error, or when memory runs out, which is an error then. */
#define HLO_BUILDER_CALL(b, otherwise)               \
    if (!hlo_builder_can_go_on(b)) return otherwise; \
    HLO_UNWIND_HERE(hlo_builder_out_of_memory, (b)) return otherwise
/* The same where operands are looked at: each of these must be there. */
#define HLO_BUILDER_TAKES(b, ...)                                                          \
    HLO_BUILDER_CALL(b, NULL);                                                             \
    if (!hlo_builder_has_all((b), __func__, (const void *const[]){__VA_ARGS__},            \
                             sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))) \
    return NULL

bool hlo_builder_can_go_on(const hlo_builder *b);
void hlo_builder_out_of_memory(void *builder, size_t wanted);
bool hlo_builder_has_all(hlo_builder *b, const char *function, const void *const *arguments,
                         size_t count);
/* A list of operands, none of which is NULL and whose number is no accident. */
bool hlo_builder_has_list(hlo_builder *b, const char *function, hlo_instrs_list list);

/* The first error; NULL. */
const hlo_instr *hlo_builder_fail(hlo_builder *b, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const hlo_instr *hlo_builder_misuse(hlo_builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The instruction that is made so, or NULL after one error. A shape of NULL is inferred; one that
 * is given must be what is inferred from it. Attributes of the id HLO_ATTR_COUNT do not count. */
const hlo_instr *hlo_builder_made(hlo_builder *b, hlo_opcode opcode, const hlo_shape *shape,
                                  hlo_instrs_list operands, const hlo_attr *attrs,
                                  size_t attr_count);

/* What was set for the next instruction, which is taken away: the caller uses it, or makes others
 * first and gives it back. */
hlo_builder_next hlo_builder_take_next(hlo_builder *b);
void hlo_builder_give_back(hlo_builder *b, hlo_builder_next next);
/* Adds the contents of `next` to the draft; false after an error. */
bool hlo_builder_add_next(hlo_builder *b, hlo_draft *draft, const hlo_builder_next *next);
void hlo_builder_free_frames(hlo_builder *b);

/* Lists of operands and attributes, written where they are used. */
#define HLO_NO_INSTRS ((hlo_instrs_list){0, NULL})
#define HLO_ATTRS(...) \
    (const hlo_attr[]){__VA_ARGS__}, sizeof((const hlo_attr[]){__VA_ARGS__}) / sizeof(hlo_attr)
#define HLO_NO_ATTRS NULL, 0

static inline hlo_attr hlo_builder_no_attr(void) {
    return (hlo_attr){.id = HLO_ATTR_COUNT};
}
static inline hlo_attr hlo_builder_int(hlo_attr_id id, int64_t value) {
    return (hlo_attr){.id = (uint16_t)id, .u.i = value};
}
static inline hlo_attr hlo_builder_float(hlo_attr_id id, double value) {
    return (hlo_attr){.id = (uint16_t)id, .u.f = value};
}
static inline hlo_attr hlo_builder_flag(hlo_attr_id id, bool value) {
    return value ? hlo_builder_int(id, 1) : hlo_builder_no_attr();
}
static inline hlo_attr hlo_builder_channel(int64_t id) {
    return id ? hlo_builder_int(HLO_ATTR_CHANNEL_ID, id) : hlo_builder_no_attr();
}
static inline hlo_attr hlo_builder_callee(hlo_attr_id id, const hlo_computation *c) {
    return (hlo_attr){.id = (uint16_t)id, .u.computation = (hlo_computation *)(uintptr_t)c};
}
hlo_attr hlo_builder_ints(hlo_builder *b, hlo_attr_id id, hlo_int_list list);
/* An attribute that means the same when it is left out as when it is empty. */
hlo_attr hlo_builder_some_ints(hlo_builder *b, hlo_attr_id id, hlo_int_list list);
hlo_attr hlo_builder_one_int(hlo_builder *b, hlo_attr_id id, int64_t value);
/* None for NULL. */
hlo_attr hlo_builder_string(hlo_builder *b, hlo_attr_id id, const char *text);
hlo_str hlo_builder_text(hlo_builder *b, const char *text); /* in the module's arena */

/* ---- shapes ---- */

/* A type of arrays by its public number. */
hlo_type hlo_builder_type(hlo_element_type type);
hlo_shapes_table *hlo_builder_shapes(hlo_builder *b);
/* A shape of any module as one of this. */
const hlo_shape *hlo_builder_own_shape(hlo_builder *b, const hlo_shape *shape);
/* The same array with other sizes, with the default layout. */
const hlo_shape *hlo_builder_resized(hlo_builder *b, const hlo_shape *like, const int64_t *dims,
                                     size_t rank);

/* ---- composed operations ---- */

/* A scalar in all places of the shape. */
const hlo_instr *hlo_builder_filled(hlo_builder *b, const hlo_instr *scalar,
                                    const hlo_shape *shape);

/* Pads as XLA does for SAME: ceil(size / stride) positions. */
void hlo_builder_pad_same(hlo_window_dim *dim, int64_t size);

/* Opens and closes a computation; the public functions are the same. */
void hlo_builder_open(hlo_builder *b, hlo_computation *computation);
hlo_computation *hlo_builder_close(hlo_builder *b, const hlo_instr *root);

#endif
