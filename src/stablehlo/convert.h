/* A StableHLO program as an HLO module, by the rules of XLA's own conversion: the same instructions
 * in the same order, by the same names. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_CONVERT_H
#define HLO_STABLEHLO_CONVERT_H

#include "ir/ir.h"
#include "mlir/mlir.h"

/* Attributes of all instructions that the current operation becomes. */
typedef struct {
    const hlo_metadata *metadata; /* NULL: none, as the others */
    const hlo_sharding *sharding;
    const hlo_frontend *frontend;
} hlo_carried;

typedef struct {
    const hlo_mlir_op *op;
    hlo_str name;
    hlo_computation *computation; /* NULL: not converted yet */
    bool is_open;                 /* it is being converted: a call of it would not end */
    bool has_failed;              /* its error is reported; calls of it fail with no other */
} hlo_stablehlo_function;

typedef struct hlo_stablehlo_frames hlo_stablehlo_frames; /* locations.c */

typedef struct {
    hlo_mlir_module *tree;
    hlo_module *module;
    hlo_arena *arena; /* of the module */
    hlo_source *source;
    hlo_diags *diags;
    bool failed;
    bool has_refused;             /* operations with errors were passed over (refused.h) */
    hlo_computation *computation; /* the open one */
    const hlo_mlir_op *op;        /* the operation that is converted */
    const hlo_mlir_op *started;   /* an async_start whose collective is converted; or NULL */
    hlo_carried carried;
    hlo_uniquifier *names, *computation_names;
    HLO_LIST(hlo_stablehlo_function) functions;
    hlo_hash functions_by_name; /* numbers of them, from 1 */
    uint64_t copied;            /* operations of functions that were converted repeatedly */
    uint32_t regions, computations;
    uint32_t depth; /* of regions and calls */
    hlo_stablehlo_frames *frames;
    hlo_diags unheard;                   /* what shape inference finds where it is only asked */
    HLO_LIST(hlo_attr) attrs;            /* of the instruction that is made */
    HLO_LIST(hlo_instr *) operands;      /* the same */
    HLO_LIST(hlo_mlir_value *) captured; /* by the regions that are open */
} hlo_stablehlo;

/* ---- errors: only the first one is reported; all return NULL ---- */

void *hlo_stablehlo_fail(hlo_stablehlo *s, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *hlo_stablehlo_fail_at(hlo_stablehlo *s, const hlo_mlir_op *op, hlo_span at, hlo_rule rule,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));

/* An attribute has a value that HLO has not; false. */
bool hlo_stablehlo_refuse_value(hlo_stablehlo *s, const char *message);

/* ---- the conversion (convert.c) ---- */

/* A tree that was checked and prepared, as a module of the caller's. `is_whole`: no operation had
 * an error before; otherwise only errors of the others are looked for. */
hlo_status hlo_stablehlo_make_module(hlo_mlir_module *tree, bool is_whole, hlo_diags *diags,
                                     hlo_module **out);
/* Makes the operation the current one, and its instructions. False after an error. */
bool hlo_stablehlo_convert_op(hlo_stablehlo *s, const hlo_mlir_op *op);
bool hlo_stablehlo_convert_as(hlo_stablehlo *s, hlo_mlir_op_id id); /* by the maker of that row */
/* The opcode of a row; HLO_OP_COUNT: none. */
hlo_opcode hlo_stablehlo_opcode(hlo_mlir_op_id id);
void hlo_stablehlo_hint_at_shardy(hlo_stablehlo *s); /* added to the error before */

/* ---- shapes.c ---- */

/* NULL after an error: HLO has no such shape. */
const hlo_shape *hlo_stablehlo_shape(hlo_stablehlo *s, const hlo_mlir_type *type);
/* Of all results: the shape of the only one, or a tuple. */
const hlo_shape *hlo_stablehlo_result_shape(hlo_stablehlo *s, const hlo_mlir_op *op);
/* The shape with the layout, or of a tuple the layouts, that a list has for it
 * (module_header.c). */
const hlo_shape *hlo_stablehlo_laid_out(hlo_stablehlo *s, const hlo_shape *shape,
                                        const hlo_mlir_attr *order);

/* ---- attributes.c: of the operation that is converted ---- */

typedef struct {
    uint32_t n;
    const int64_t *v;
} hlo_int_view;

const hlo_mlir_attr *hlo_stablehlo_attr(hlo_stablehlo *s, const char *name); /* or NULL */
/* Each reports an attribute that is missing, or of another kind. */
bool hlo_stablehlo_int(hlo_stablehlo *s, const char *name, int64_t *out);
bool hlo_stablehlo_optional_int(hlo_stablehlo *s, const char *name, int64_t otherwise,
                                int64_t *out);
bool hlo_stablehlo_optional_bool(hlo_stablehlo *s, const char *name, bool otherwise, bool *out);
bool hlo_stablehlo_float(hlo_stablehlo *s, const char *name, double *out);
bool hlo_stablehlo_ints(hlo_stablehlo *s, const char *name, hlo_int_view *out);
bool hlo_stablehlo_optional_ints(hlo_stablehlo *s, const char *name, hlo_int_view *out);
bool hlo_stablehlo_text(hlo_stablehlo *s, const char *name, hlo_str *out);
/* The word of an enumeration, in generic or pretty form: LT, #stablehlo<comparison_direction LT>.
 */
bool hlo_stablehlo_word(hlo_stablehlo *s, const char *name, hlo_str *out);
bool hlo_stablehlo_word_of(const hlo_mlir_attr *attr, hlo_str *out);
/* Whole numbers of a member of a struct; none where the member is missing. */
bool hlo_stablehlo_member_ints(hlo_stablehlo *s, const hlo_mlir_attr *of, const char *key,
                               hlo_int_view *out);
int64_t hlo_stablehlo_member_int(const hlo_mlir_attr *of, const char *key, int64_t otherwise);

/* ---- make_dot.c, make_window.c: attributes that have several forms ---- */

/* Dimensions of both operands: `[0] x [1]` of the pretty form, or members of #stablehlo.dot. */
bool hlo_stablehlo_dot_dims(hlo_stablehlo *s, const char *pretty, const char *lhs, const char *rhs,
                            hlo_int_view v[2]);
/* Of a convolution; NULL after an error. They are not checked against ranks. */
const hlo_dim_labels *hlo_stablehlo_dim_labels(hlo_stablehlo *s);
/* A list, or a list of pairs, of a window: the member of `window = {...}`, or an attribute. */
bool hlo_stablehlo_window_ints(hlo_stablehlo *s, const char *key, const char *name,
                               hlo_int_view *out);
bool hlo_stablehlo_window_pairs(hlo_stablehlo *s, const char *key, const char *name,
                                hlo_int_view *out);

/* ---- carried.c ---- */

/* Metadata, sharding and frontend attributes for the instructions of the operation. */
hlo_carried hlo_stablehlo_carried_by(hlo_stablehlo *s, const hlo_mlir_op *op);
/* Of the text in an attribute. NULL: it is none, or not a sharding, which is an error then. */
const hlo_sharding *hlo_stablehlo_sharding_of(hlo_stablehlo *s, const hlo_mlir_attr *attr);
/* Of a dictionary, or NULL; NULL: it has no entries that HLO keeps. */
const hlo_frontend *hlo_stablehlo_frontend_of(hlo_stablehlo *s, const hlo_mlir_attr *dict);
/* Reports a sharding of Shardy, which has no place in HLO. False after an error. */
bool hlo_stablehlo_refuse_shardy(hlo_stablehlo *s, const hlo_mlir_attr *sharding, const char *of);
/* An attribute of argument or result `i` of a function, from its `arg_attrs` or `res_attrs`. */
const hlo_mlir_attr *hlo_stablehlo_argument_attr(const hlo_mlir_op *function, const char *list,
                                                 uint32_t i, const char *name);

/* ---- the instruction that is made (instruction.c): attributes are pushed before it ---- */

void hlo_stablehlo_push_int(hlo_stablehlo *s, hlo_attr_id id, int64_t value);
void hlo_stablehlo_push_ints(hlo_stablehlo *s, hlo_attr_id id, hlo_int_view list);
void hlo_stablehlo_push_flag(hlo_stablehlo *s, hlo_attr_id id, bool value); /* if it is true */
void hlo_stablehlo_push_text(hlo_stablehlo *s, hlo_attr_id id, hlo_str text);
void hlo_stablehlo_push_any(hlo_stablehlo *s, hlo_attr_id id, const void *value);
void hlo_stablehlo_push_computation(hlo_stablehlo *s, hlo_attr_id id, hlo_computation *c);
/* As HLO's text has it. False after an error. */
bool hlo_stablehlo_push_words(hlo_stablehlo *s, hlo_opcode opcode, const char *name, hlo_str text);

/* With the operands and attributes that were pushed, and those of `carried`. */
hlo_instr *hlo_stablehlo_make(hlo_stablehlo *s, hlo_opcode opcode, const hlo_shape *shape);
/* The same with these operands. */
hlo_instr *hlo_stablehlo_make_of(hlo_stablehlo *s, hlo_opcode opcode, const hlo_shape *shape,
                                 hlo_instr *const *operands, uint32_t n);
hlo_instr *hlo_stablehlo_named(hlo_stablehlo *s, hlo_opcode opcode, const hlo_shape *shape,
                               hlo_str name);
void hlo_stablehlo_push_operand(hlo_stablehlo *s, hlo_instr *operand);
void hlo_stablehlo_push_operands(hlo_stablehlo *s); /* all of the operation */
/* The operation's only result, or each of its results as an element of a tuple. */
bool hlo_stablehlo_set_result(hlo_stablehlo *s, hlo_instr *result);
bool hlo_stablehlo_set_elements(hlo_stablehlo *s, hlo_instr *tuple);
bool hlo_stablehlo_set_results(hlo_stablehlo *s, hlo_instr *made); /* one, or a tuple of several */
/* The results are those of one instruction, of the opcode of the operation's row, with all operands
 * and the attributes that were pushed. */
bool hlo_stablehlo_make_same(hlo_stablehlo *s);
hlo_instr *hlo_stablehlo_operand(hlo_stablehlo *s, uint32_t i);
hlo_instr *hlo_stablehlo_element(hlo_stablehlo *s, hlo_instr *tuple, int64_t index);
hlo_instr *hlo_stablehlo_tuple(hlo_stablehlo *s, hlo_instr *const *elements, uint32_t n);
/* A name without a number at its end, and with '_' for '.'. */
hlo_str hlo_stablehlo_plain_name(hlo_stablehlo *s, hlo_str name);

/* ---- regions as computations (computations.c) ---- */

/* A region as a computation with a parameter for each argument of its block. */
hlo_computation *hlo_stablehlo_region(hlo_stablehlo *s, const hlo_mlir_region *region);
/* As one with a single parameter: a tuple of the block's arguments and of the values that are
 * captured; these are results too where `returns_captured`. */
hlo_computation *hlo_stablehlo_body(hlo_stablehlo *s, const hlo_mlir_region *region,
                                    hlo_mlir_value *const *captured, uint32_t n,
                                    bool returns_captured);
/* Whether the operation has so many regions; false is an error. */
bool hlo_stablehlo_has_regions(hlo_stablehlo *s, uint32_t n);
/* The only region of the operation as an attribute; it is converted before operands are looked at,
 * as XLA numbers names. False after an error. */
bool hlo_stablehlo_push_region(hlo_stablehlo *s, hlo_attr_id id);
/* The body of a function; its name gets a number. NULL after an error. */
hlo_computation *hlo_stablehlo_function_body(hlo_stablehlo *s, const hlo_mlir_op *function,
                                             hlo_str name);
/* The values from outside that the regions of the operation use, in the order of their uses
 * (captured.c). */
uint32_t hlo_stablehlo_captured(hlo_stablehlo *s, const hlo_mlir_region *regions, uint32_t n,
                                hlo_mlir_value ***out);

/* ---- functions (module_functions.c) ---- */

/* Lists the functions of the tree, of which one is `main`. False after an error. */
bool hlo_stablehlo_collect_functions(hlo_stablehlo *s);
/* Converts those that no call has converted; that of `main` becomes the entry. False after an error
 * in any of them. */
bool hlo_stablehlo_convert_functions(hlo_stablehlo *s);
/* The computation of a function that is called. NULL after an error: there is none of the name, or
 * it calls itself. */
hlo_computation *hlo_stablehlo_function_of(hlo_stablehlo *s, hlo_str name);
/* Another computation of the function, for one composite. */
hlo_computation *hlo_stablehlo_copy_of(hlo_stablehlo *s, hlo_str name);

/* ---- module_header.c ---- */

/* Sets the name and the attributes of the module, whose entry was made. */
void hlo_stablehlo_finish_module(hlo_stablehlo *s);

/* ---- locations.c ---- */

const hlo_metadata *hlo_stablehlo_metadata(hlo_stablehlo *s, const hlo_mlir_op *op);
/* A text that lives as long as the module: the same one where it stands in the source. */
hlo_str hlo_stablehlo_keep(hlo_stablehlo *s, hlo_str text);
/* The names in a location, joined by ';'. */
hlo_str hlo_stablehlo_debug_name(hlo_stablehlo *s, const hlo_mlir_location *location);
/* Gives the module the tables of frames, renumbered. */
void hlo_stablehlo_finish_frames(hlo_stablehlo *s, bool good);

/* The collective whose attributes were pushed begins, as the start that `started` is; its result
 * has the shape (make_async.c). */
bool hlo_shlo_set_started(hlo_stablehlo *s, const hlo_shape *result);

/* precision_config, where the operation has one (make_dot.c). False after an error. */
bool hlo_stablehlo_push_precision(hlo_stablehlo *s);

/* ---- makers of ops.def ---- */

#define HLO_MLIR_OP(id, name, form, results, types, maker, opcode) \
    bool hlo_shlo_##maker(hlo_stablehlo *s);
#include "mlir/ops.def"
#undef HLO_MLIR_OP

#endif
