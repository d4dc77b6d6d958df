/* The hub: modules, computations and instructions as plain structs, and how to build and edit them.
 * Every other directory turns something into this or this into something. */
#ifndef HLO_IR_IR_H
#define HLO_IR_IR_H

#include "base/arena.h"
#include "base/list.h"
#include "base/source.h"
#include "diag/diag.h"
#include "ir/attrs.h"
#include "ir/literal.h"
#include "ir/ops.h"
#include "ir/shape.h"
#include "ir/sharding.h"

typedef struct hlo_module hlo_module;
typedef struct hlo_computation hlo_computation;
typedef struct hlo_instr hlo_instr;

/* An interned name: within one module equal names are one pointer. The last three members are
 * scratch of the pass that resolves names (parser or uniquifier). */
typedef struct hlo_name {
    const char *ptr;
    uint32_t len;
    uint32_t hash;
    uint32_t scope; /* which computation `bound` belongs to */
    uint32_t uses;  /* how many instructions of the module were given this name */
    void *bound;
    struct hlo_computation *computation; /* the computation of this name, while parsing */
} hlo_name;

/* All names of a module, by number in blocks that never move. */
typedef struct {
    hlo_hash by_hash; /* numbers of them, from 1 */
    HLO_LIST(hlo_name *) blocks;
} hlo_names_table;

/* An operand edge: entry i of user->operands, and a link of def's list of uses. */
typedef struct hlo_use {
    hlo_instr *def;
    hlo_instr *user;
    struct hlo_use *next, *prev; /* uses of def, oldest first; prev of the first is NULL */
} hlo_use;

struct hlo_instr {
    hlo_computation *parent;
    hlo_instr *prev, *next; /* source order */
    const hlo_shape *shape;
    hlo_name *name;
    hlo_use *operands; /* operand_count entries */
    hlo_use *first_use, *last_use;
    hlo_attr *attrs; /* attr_count entries in printed order */
    hlo_span at; /* the name in the source, of what it replaces when made by a pass; 0,0: none */
    uint16_t opcode; /* hlo_opcode */
    uint16_t attr_count;
    uint32_t operand_count;
    uint32_t mark;  /* scratch: valid only inside one walk */
    uint32_t index; /* scratch: number given by the last hlo_number_instructions */
};

struct hlo_computation {
    hlo_module *module;
    hlo_computation *prev, *next; /* module order */
    hlo_name *name;
    hlo_instr *first, *last; /* source order */
    hlo_instr *root;
    hlo_instr **parameters; /* by number */
    uint32_t parameter_count;
    uint32_t instr_count;
    uint32_t id;              /* position in module order when read; unique */
    uint32_t mark;            /* scratch */
    bool is_fusion_body;      /* some fusion calls it */
    bool is_async_body;       /* an async-start calls it */
    hlo_str execution_thread; /* "main" by default */
    hlo_span at;
};

/* One frame of the module's stack-frame table: rows are 1-based, parent 0 means none. */
typedef struct {
    uint32_t file, function; /* rows of the name tables, 1-based */
    int32_t line, end_line, column, end_column;
} hlo_file_location;

typedef struct {
    uint32_t location, parent;
} hlo_stack_frame;

typedef struct {
    uint32_t file_count, function_count, location_count, frame_count;
    hlo_str *files, *functions;
    hlo_file_location *locations;
    hlo_stack_frame *frames;
} hlo_stack_frames;

/* What was recorded of a run of the module. */
typedef struct {
    /* Device by device, so many for each: one for each parameter of the entry; NULL: none. */
    const hlo_literal *const *arguments;
    uint32_t device_count, argument_count;
    const hlo_literal *result; /* NULL: none */
    hlo_str platform;
} hlo_recording;

/* Something of the module's message that has no place in a module. */
typedef struct hlo_unkept {
    struct hlo_unkept *next;
    hlo_str what;
    hlo_span at; /* in the module's source, when it has one */
} hlo_unkept;

/* Pieces of text of one kind: how many, and where the first one is. */
typedef struct {
    uint32_t count;
    hlo_span first;
} hlo_places;

typedef struct hlo_locator hlo_locator;

/* Of the program of one device: of which arrays its parameters and its result are tiles. */
typedef struct {
    const hlo_sharding *result; /* NULL: unknown */
    uint32_t n;                 /* 0: unknown */
    const hlo_sharding **parameters;
    bool is_read; /* from a message, which has fields for it; text has none */
} hlo_spmd_shardings;

struct hlo_module {
    hlo_arena arena;
    hlo_shapes_table shapes;
    hlo_source *source; /* retained, names and strings point into it; NULL for built modules */
    const hlo_locator *locator; /* finds parts of instructions in it (places.h); NULL: cannot */
    hlo_str name;
    hlo_computation *first, *last; /* module order */
    hlo_computation *entry;
    uint32_t computation_count;
    uint32_t next_id;
    uint32_t epoch;  /* for marks: see hlo_module_new_mark */
    hlo_attr *attrs; /* HEADER attributes in printed order; entry_computation_layout always there */
    uint32_t attr_count;
    hlo_stack_frames frames;
    hlo_names_table names;
    const hlo_recording *recording; /* NULL: nothing; a clone has none */
    hlo_unkept *unkept;             /* the same; in the order in which it was met */
    const hlo_spmd_shardings *spmd; /* NULL: unknown */
    hlo_places elided;              /* constants {...}: the parser makes their elements up */
    hlo_places minus_zeros;         /* floats whose text is the integer -0, which is +0 */
    unsigned losses_told;           /* what hlo_warn_of_losses has reported */
    hlo_module *next_device;        /* the next device's part of a dataflow graph, owned; or NULL */
    bool is_rewritten;              /* by a pass or an edit since it was read */
    bool names_are_unique; /* the parser saw no two instructions of one name: nothing to do */
    hlo_cleanup cleanup;   /* frees a module whose maker ran out of memory */
    bool is_half_changed;  /* memory ran out within a pass: it can only be freed */
    bool is_lenient;       /* verified last with options that allow shapes which no kernel takes */
};

/* ---- module ---- */
hlo_module *hlo_module_new(void);
/* For a module that is about to be filled: space for so many names and bytes. */
void hlo_module_reserve(hlo_module *module, size_t names, size_t bytes);
void hlo_module_free(hlo_module *module);
/* False, with an error in `diags` (or NULL), when a pass ran out of memory while it changed the
 * module. For public functions, before they look at it. */
bool hlo_module_is_usable(const hlo_module *module, hlo_diags *diags);
hlo_name *hlo_module_intern(hlo_module *module, hlo_str text); /* keeps a pointer to text */
/* The same in two steps for a reader of large texts: the hash, whose slot can be fetched from
 * memory while other work goes on, and the name. */
static inline uint32_t hlo_name_hash(const char *text, uint32_t len) {
    return (uint32_t)hlo_hash_bytes(text, len);
}
static inline void hlo_module_prefetch_name(const hlo_module *module, uint32_t hash) {
    hlo_hash_prefetch(&module->names.by_hash, hash);
}
hlo_name *hlo_module_intern_hashed(hlo_module *module, hlo_str text, uint32_t hash);
hlo_name *hlo_module_intern_copy(hlo_module *module, hlo_str text);
/* Clears the scratch members of all names. */
void hlo_module_forget_scratch(hlo_module *module);
const hlo_name *hlo_module_find_name(const hlo_module *module, hlo_str text); /* NULL: none */
/* A value that no mark of the module has: walks compare and set marks, and need no clearing. */
uint32_t hlo_module_new_mark(hlo_module *module);
bool hlo_module_flag(const hlo_module *module, hlo_attr_id header_bool);
int64_t hlo_module_int(const hlo_module *module, hlo_attr_id header_int);
const hlo_attr *hlo_module_attr(const hlo_module *module, hlo_attr_id header_attr);
void hlo_module_set_attr(hlo_module *module, hlo_attr value);

/* ---- computations ---- */
hlo_computation *hlo_computation_new(hlo_module *module, hlo_name *name); /* appended */
void hlo_computation_remove(hlo_computation *computation);
void hlo_computation_move_last(hlo_computation *computation); /* in the module's order */
/* Parameters by number from its parameter instructions; false when numbers have gaps or repeats. */
bool hlo_computation_index_parameters(hlo_computation *computation);
/* The same where the caller has collected those instructions. */
bool hlo_computation_set_parameters(hlo_computation *computation, hlo_instr *const *parameters,
                                    uint32_t n);

/* Parameters in the order of their numbers, which may have gaps: those of a dataflow graph, of
 * which each device has some. Returns one whose number another has too; NULL: none. */
const hlo_instr *hlo_computation_sort_parameters(hlo_computation *computation,
                                                 hlo_instr *const *parameters, uint32_t n);

/* ---- instructions ---- */
/* Appends to the computation. Operands and attributes are copied; attributes are put into printed
 * order. */
hlo_instr *hlo_instr_new(hlo_computation *, hlo_opcode, const hlo_shape *, hlo_name *name,
                         hlo_instr *const *operands, uint32_t operand_count, const hlo_attr *attrs,
                         uint32_t attr_count);
void hlo_instr_move_before(hlo_instr *instr, hlo_instr *place);
void hlo_instr_set_operand(hlo_instr *instr, uint32_t i, hlo_instr *def);
/* Appended after the others. */
void hlo_instr_add_operands(hlo_instr *instr, hlo_instr *const *defs, uint32_t count);
/* Drops the operands i with !keep[i]; the others move down. */
void hlo_instr_keep_operands(hlo_instr *instr, const bool *keep);
/* Every use of `old` as an operand, or as the root, becomes one of another instruction. */
void hlo_instr_replace_operand_uses(hlo_instr *old, hlo_instr *new_def);
/* The same for control predecessors too, which takes a walk over the computation. */
void hlo_instr_replace_all_uses(hlo_instr *old, hlo_instr *new_def);
/* Unlinks an instruction without users. */
void hlo_instr_remove(hlo_instr *instr);
void hlo_instr_set_attr(hlo_instr *instr, hlo_attr value);
void hlo_instr_remove_attr(hlo_instr *instr, hlo_attr_id id);
/* A copy in `to` (same or other computation, same or other module) with the given operands. Called
 * computations are kept when the module is the same; else `map` (from cloning) names the copies. */
hlo_instr *hlo_instr_clone(hlo_instr *instr, hlo_computation *to, hlo_instr *const *operands,
                           uint32_t operand_count);
/* A fusion and an async-start own what they call: gives a copy of one a separate body. */
void hlo_instr_own_body(hlo_instr *copy, const char *suffix);
/* With bodies that its instructions own. */
hlo_computation *hlo_computation_clone(hlo_computation *computation, const char *suffix);
hlo_module *hlo_module_clone(const hlo_module *module);
/* Makes the module again what it was when the copy was made. */
void hlo_module_restore(hlo_module *module, const hlo_module *copy);
/* Puts copies of all that `from` holds in place of what `to` holds; computations in that order. */
void hlo_module_take_copy(hlo_module *to, const hlo_module *from, hlo_computation *const *order);
/* The same without metadata, and with the elements of the original's constants, which must outlive
 * it. */
hlo_module *hlo_module_clone_to_run(const hlo_module *module);

/* Of names that may be those of different modules. */
static inline bool hlo_same_name(const hlo_name *a, const hlo_name *b) {
    return a->len == b->len && memcmp(a->ptr, b->ptr, a->len) == 0;
}
static inline hlo_instr *hlo_operand(const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    return instr->operands[i].def;
}
/* The first operand that is `def`; as many as there are operands: none is. */
static inline uint32_t hlo_operand_number(const hlo_instr *user, const hlo_instr *def) {
    uint32_t i = 0;
    while (i < user->operand_count && hlo_operand(user, i) != def) i++;
    return i;
}
static inline const hlo_op_info *hlo_info(const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode < HLO_OP_COUNT);
    return &hlo_ops[instr->opcode];
}
static inline bool hlo_instr_has_side_effect(const hlo_instr *instr);
/* A fusion's body may hold it although nothing uses it: channels are no reason. */
static inline bool hlo_may_be_unused_in_fusion(const hlo_instr *instr);

/* The attribute, or NULL when the instruction has none. */
static inline const hlo_attr *hlo_instr_attr(const hlo_instr *instr, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (instr->attrs[i].id == id) return &instr->attrs[i];
    return NULL;
}
static inline const hlo_metadata *hlo_metadata_of(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    return attr ? attr->u.metadata : NULL;
}
/* The value of a BOOL, INT or WORD attribute, or its default. */
static inline int64_t hlo_attr_int(const hlo_instr *instr, hlo_attr_id id) {
    HLO_ASSERT(hlo_attr_is_integer(id));
    const hlo_attr *a = hlo_instr_attr(instr, id);
    return a ? a->u.i : hlo_attr_table[id].fallback;
}
/* The value of an INTS attribute; the empty list when absent. Never NULL. */
const hlo_ints *hlo_attr_ints(const hlo_instr *instr, hlo_attr_id id);
/* The value of a key of its frontend attributes; NULL: none. */
const hlo_str *hlo_frontend_value(const hlo_instr *instr, const char *key);
/* The same of the module's. */
const hlo_str *hlo_module_frontend_value(const hlo_module *module, const char *key);
/* It is a custom call of that target. */
bool hlo_calls_target(const hlo_instr *instr, const char *target);

/* The next-iteration that feeds a merge over its back edge; NULL: none. */
static inline hlo_instr *hlo_back_edge(const hlo_instr *instr) {
    const hlo_attr *edge =
        instr->opcode == HLO_OP_MERGE ? hlo_instr_attr(instr, HLO_ATTR_BACK_EDGE) : NULL;
    HLO_ASSERT(!edge || edge->u.instructions->n == 1);
    return edge ? edge->u.instructions->v[0] : NULL;
}
void hlo_instr_set_back_edge(hlo_instr *merge, hlo_instr *next_iteration);

/* Without regard to called computations. A collective has one when its layout is pinned or when it
 * talks through a channel. */
static inline bool hlo_instr_has_side_effect(const hlo_instr *instr) {
    if (hlo_info(instr)->flags & HLO_OP_HAS_SIDE_EFFECT) return true;
    if (instr->opcode == HLO_OP_CUSTOM_CALL)
        return hlo_attr_int(instr, HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT) != 0;
    return hlo_info(instr)->class == HLO_CLASS_COLLECTIVE &&
           instr->opcode != HLO_OP_RAGGED_ALL_TO_ALL &&
           (hlo_attr_int(instr, HLO_ATTR_CONSTRAIN_LAYOUT) != 0 ||
            hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID));
}

static inline bool hlo_may_be_unused_in_fusion(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_REDUCE_SCATTER: return hlo_attr_int(instr, HLO_ATTR_CONSTRAIN_LAYOUT) != 0;
    default: return hlo_instr_has_side_effect(instr);
    }
}

/* ---- called computations ---- */
/* The k-th computation that the instruction calls, in XLA's order (while: body, condition;
 * conditional: true, false or the branches; select-and-scatter: select, scatter), or NULL. */
hlo_computation *hlo_called(const hlo_instr *instr, uint32_t k);
uint32_t hlo_called_count(const hlo_instr *instr);

/* ---- walks ---- */
/* XLA's printing and processing order of a computation (docs/text-format.md, 8.3): fills
 * `order`, which has space for instr_count entries, and returns how many there are. */
uint32_t hlo_post_order(hlo_computation *computation, hlo_instr **order);
/* The same, unless the module has a schedule: then its order, in which it is printed and runs. */
uint32_t hlo_run_order(hlo_computation *computation, hlo_instr **order);
/* The order in which computations are printed (3.2): fills `order` (computation_count entries). Of
 * a module that is as it was read it is XLA's, unless that lists one before what it calls, which
 * cannot be read. */
uint32_t hlo_print_order(hlo_module *module, hlo_computation **order);
/* The same, with every computation after what it calls. */
uint32_t hlo_callees_first_order(hlo_module *module, hlo_computation **order);
/* Numbers the instructions of a computation 0, 1, 2 ... in source order (hlo_instr.index). */
void hlo_number_instructions(hlo_computation *computation);

/* ---- names ---- */
typedef enum {
    HLO_NAME_PLAIN, /* comes back from the uniquifier as it is, when no other instruction has it */
    HLO_NAME_DOT_ZERO, /* ends with ".0": the same, when nothing has the name without that */
    HLO_NAME_RESPELT,  /* the uniquifier spells it differently, like x.007 */
} hlo_name_form;
hlo_name_form hlo_name_form_of(const hlo_name *name);
/* 'NAME', terminated, in the arena: for messages. */
const char *hlo_name_quoted(hlo_arena *arena, const hlo_name *name);
/* Makes computation names and instruction names unique in the whole module by XLA's rule (8.1). */
void hlo_uniquify_names(hlo_module *module);
/* The same rule name by name, for who makes a module as XLA's builder does: the name that was
 * wanted, or its root with the next free number. Uses the scratch members of names until it is
 * freed. */
typedef struct hlo_uniquifier hlo_uniquifier;
hlo_uniquifier *hlo_uniquifier_new(hlo_module *module);
hlo_name *hlo_unique_name(hlo_uniquifier *u, hlo_name *wanted);
/* In two steps, for names that are made unique twice: the first takes what hlo_unique_name would
 * return, and returns its root; the second makes that name unique once more, which gives it the
 * next free number, since its own is taken. */
hlo_name *hlo_take_name(hlo_uniquifier *u, hlo_name *wanted);
hlo_name *hlo_next_name(hlo_uniquifier *u, hlo_name *root);
void hlo_uniquifier_free(hlo_uniquifier *u);
/* A name for a new instruction: `base`, or `base.N` when taken (in the module). */
hlo_name *hlo_fresh_name(hlo_module *module, const char *base);
/* The same, which counts as given to an instruction. */
hlo_name *hlo_take_fresh_name(hlo_module *module, const char *base);
/* The instruction has that name from now on, and its former one once less. */
void hlo_instr_take_name(hlo_instr *instr, hlo_name *name);
/* A parameter with such a name, at the end of the computation. */
hlo_instr *hlo_parameter_new(hlo_computation *computation, const hlo_shape *shape, const char *base,
                             int64_t number);
/* Recounts how many instructions have each name; passes find free names by this. */
void hlo_count_names(hlo_module *module);

/* ---- printing ---- */
typedef struct {
    bool percent, signatures, large_constants, metadata, backend_config, control_predecessors;
    bool operand_shapes, operand_index_comments, result_layouts;
    bool compact_gte;    /* elements of tuples as %tuple#0 where they are used */
    bool canonical;      /* names tmp_N, bodies inline, no backend_config */
    bool fingerprint;    /* no names of modules and computations, constants by XLA's rule */
    bool made_constants; /* all elements of constants that passes made, however large */
    bool exact_literals; /* -0.0 for negative zeros, which XLA prints as -0 */
} hlo_print_options;

extern const hlo_print_options hlo_print_default, hlo_print_short, hlo_print_canonical,
    hlo_print_fingerprint;

/* The module's text, ended by exactly one newline. */
void hlo_module_print(hlo_module *module, const hlo_print_options *options, hlo_buf *to);
/* Whether a constant is printed with its elements, not as {...}. */
bool hlo_literal_is_shown(const hlo_literal *literal, const hlo_print_options *options);
/* One instruction without indentation and without ROOT. */
void hlo_instr_print(const hlo_instr *instr, const hlo_print_options *options, hlo_buf *to);
/* `, name=value` of one attribute, or nothing when it is not printed. */
void hlo_attr_print(const hlo_attr *attr, const hlo_print_options *options, hlo_buf *to);
/* Its value alone, always. */
void hlo_attr_print_value(const hlo_attr *attr, const hlo_print_options *options, hlo_buf *to);

#endif
