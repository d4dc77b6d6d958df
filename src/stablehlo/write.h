/* A module of HLO as a StableHLO program, by the rules of XLA's own conversion: the same operations
 * in the same order, with the same attributes and locations. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_WRITE_H
#define HLO_STABLEHLO_WRITE_H

#include "ir/ir.h"
#include "mlir/mlir.h"

typedef struct {
    hlo_module *module;
    hlo_mlir_module *tree;
    hlo_arena *arena; /* of the tree */
    hlo_diags *diags;
    bool failed;

    hlo_mlir_op **functions; /* of computations, by their numbers in the order of the module; NULL:
                                not made yet */
    HLO_LIST(hlo_mlir_op *) symbols;
    hlo_hash symbols_by_name;         /* numbers of them, from 1 */
    uint32_t symbol_count;            /* that names which were taken ended with */
    const hlo_mlir_location **frames; /* by number, from 1: made on first use */
    const hlo_mlir_location *unknown;

    hlo_mlir_block *block;             /* the open one */
    hlo_mlir_value **values;           /* of instructions of its computation, by their index */
    const hlo_instr *instr;            /* the one that is written */
    const hlo_mlir_location *location; /* of it */
    HLO_LIST(hlo_mlir_named) attrs;    /* of the operation that is made next */
    uint64_t made, most;               /* operations */
    uint32_t depth;                    /* of regions */
} hlo_sw;

/* Types of results, or values. */
typedef HLO_LIST(const hlo_mlir_type *) hlo_mlir_type_list;
typedef HLO_LIST(hlo_mlir_value *) hlo_mlir_value_list;

/* ---- errors: only the first one is reported ---- */

/* At the instruction that is written, whose opcode and name begin the message. Returns NULL. */
void *hlo_sw_refuse(hlo_sw *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- write_types.c ---- */

const hlo_mlir_type *hlo_sw_type(hlo_sw *w, const hlo_shape *shape); /* NULL: refused */
const hlo_mlir_type *hlo_sw_tensor(hlo_sw *w, hlo_type element, uint32_t rank, const int64_t *dims);
const hlo_mlir_type *hlo_sw_parts_type(hlo_sw *w, hlo_mlir_type_kind kind,
                                       const hlo_mlir_type *const *parts, uint32_t n);
/* Adds the types that are in a tuple, at any depth; another type itself. */
void hlo_sw_flatten(const hlo_mlir_type *type, hlo_mlir_type_list *to);
/* Those in a tuple, not deeper; another type itself. */
void hlo_sw_untuple(const hlo_mlir_type *type, hlo_mlir_type_list *to);

/* ---- write_attrs.c: attributes as MLIR has them ---- */

const hlo_mlir_attr *hlo_sw_int(hlo_sw *w, hlo_type type, int64_t value);
const hlo_mlir_attr *hlo_sw_bool(hlo_sw *w, bool value);
const hlo_mlir_attr *hlo_sw_f32(hlo_sw *w, double value);
const hlo_mlir_attr *hlo_sw_text(hlo_sw *w, hlo_mlir_attr_kind kind, hlo_str text);
const hlo_mlir_attr *hlo_sw_list(hlo_sw *w, const hlo_mlir_attr *const *v, uint32_t n);
/* array<i64: ...>, array<i1: ...> */
const hlo_mlir_attr *hlo_sw_i64s(hlo_sw *w, const int64_t *v, uint32_t n);
const hlo_mlir_attr *hlo_sw_bools(hlo_sw *w, const int64_t *v, uint32_t n);
/* dense<[...]> : tensor<nxindex> */
const hlo_mlir_attr *hlo_sw_indices(hlo_sw *w, const int64_t *v, uint32_t n);
/* dense<[[...], ...]> of that rank, 1 or 2. */
const hlo_mlir_attr *hlo_sw_dense_i64s(hlo_sw *w, const int64_t *v, uint32_t rank,
                                       const int64_t dims[2]);
const hlo_mlir_attr *hlo_sw_dense(hlo_sw *w, const hlo_literal *literal, const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_sw_zeros(hlo_sw *w, const hlo_mlir_type *type);
/* #dialect<name WORD> */
const hlo_mlir_attr *hlo_sw_word(hlo_sw *w, const char *name, const char *word);
/* The word of a set of HLO, in capitals. */
const char *hlo_sw_capitals(hlo_sw *w, hlo_word_set set, int64_t number);

/* Members of a struct, which are left out where they are 0 or empty. */
typedef struct {
    uint32_t n;
    hlo_mlir_named v[10];
} hlo_sw_members;
void hlo_sw_member(hlo_sw_members *to, const char *key, const hlo_mlir_attr *value);
void hlo_sw_number_member(hlo_sw *w, hlo_sw_members *to, const char *key, int64_t value);
void hlo_sw_numbers_member(hlo_sw *w, hlo_sw_members *to, const char *key, const hlo_ints *list);
/* [0, 1] as structs have it. */
const hlo_mlir_attr *hlo_sw_numbers(hlo_sw *w, const int64_t *v, uint32_t n);
const hlo_mlir_attr *hlo_sw_plain_int(hlo_sw *w, int64_t value);
const hlo_mlir_attr *hlo_sw_struct(hlo_sw *w, const char *name, const hlo_sw_members *members);
const hlo_mlir_attr *hlo_sw_dict(hlo_sw *w, const hlo_mlir_named *v, uint32_t n);

const hlo_mlir_attr *hlo_sw_sharding(hlo_sw *w, const hlo_sharding *sharding);
/* Of all entries, but for those that `leaves_out` names; NULL: none is left. */
const hlo_mlir_attr *hlo_sw_frontend(hlo_sw *w, const hlo_frontend *frontend,
                                     bool (*leaves_out)(hlo_str key));
/* The order of dimensions of an array, or a list of those of a tuple. */
const hlo_mlir_attr *hlo_sw_layout(hlo_sw *w, const hlo_shape *shape);
const hlo_mlir_attr *hlo_sw_tiles(hlo_sw *w, const hlo_shape *shape);
bool hlo_sw_has_layout(const hlo_shape *shape); /* other than the default one */
/* [#name<output_tuple_indices = ..., ...>, ...]; `aliasing` may be NULL. */
const hlo_mlir_attr *hlo_sw_aliases(hlo_sw *w, const char *name, const hlo_aliasing *aliasing);
/* What the text is as an attribute of MLIR; NULL: refused. */
const hlo_mlir_attr *hlo_sw_read_attr(hlo_sw *w, hlo_str text);
/* Of the instruction: a text, empty where it has none, and a computation, or NULL. */
hlo_str hlo_sw_text_of(hlo_sw *w, hlo_attr_id id);
hlo_computation *hlo_sw_called(hlo_sw *w, hlo_attr_id id);

/* ---- write_locations.c ---- */

const hlo_mlir_location *hlo_sw_location(hlo_sw *w, const hlo_instr *instr);

/* ---- write.c: operations ---- */

/* An attribute of the next operation. */
void hlo_sw_push(hlo_sw *w, const char *name, const hlo_mlir_attr *value);
/* The sharding, the frontend attributes and the origin of the instruction. */
void hlo_sw_push_common(hlo_sw *w);
void hlo_sw_push_int(hlo_sw *w, const char *name, int64_t value);   /* i64 */
void hlo_sw_push_ints(hlo_sw *w, const char *name, hlo_attr_id id); /* array<i64> */
void hlo_sw_push_flag(hlo_sw *w, const char *name, hlo_attr_id id); /* a bool */

/* An operation at the end of the open block, with the attributes that were pushed. */
hlo_mlir_op *hlo_sw_op(hlo_sw *w, hlo_mlir_op_id id, hlo_mlir_value *const *operands, uint32_t n,
                       const hlo_mlir_type *const *results, uint32_t result_count,
                       uint32_t regions);
/* With one result of the type. */
hlo_mlir_value *hlo_sw_one(hlo_sw *w, hlo_mlir_op_id id, hlo_mlir_value *const *operands,
                           uint32_t n, const hlo_mlir_type *type);
/* With all operands of the instruction, and its type. */
hlo_mlir_value *hlo_sw_same(hlo_sw *w, hlo_mlir_op_id id);
hlo_mlir_value *hlo_sw_operand(hlo_sw *w, uint32_t i);
/* All of them, in memory of the tree. */
hlo_mlir_value **hlo_sw_operands(hlo_sw *w);

/* Elements of tuples, at any depth, of the value. */
void hlo_sw_flatten_value(hlo_sw *w, hlo_mlir_value *value, hlo_mlir_value_list *to);
/* A value of the type, of such elements: the inverse; *values moves past those that are used. */
hlo_mlir_value *hlo_sw_tuple_of(hlo_sw *w, hlo_mlir_value *const **values,
                                const hlo_mlir_type *type);
/* Of the results of the operation: a tuple of that type, or the only one. */
hlo_mlir_value *hlo_sw_results_as(hlo_sw *w, hlo_mlir_op *op, const hlo_mlir_type *type);
/* One tuple of all results. */
hlo_mlir_value *hlo_sw_wrapped(hlo_sw *w, hlo_mlir_op *op);

/* The computation as the operation's region. */
bool hlo_sw_region(hlo_sw *w, hlo_mlir_op *op, uint32_t region, hlo_computation *computation);
/* The computation as a function, made now if it is not yet; NULL after an error. */
hlo_mlir_op *hlo_sw_function(hlo_sw *w, hlo_computation *computation);
/* Adds a function to the module, as its first one or as its last; a name that is taken gets a
 * number. */
void hlo_sw_add_symbol(hlo_sw *w, hlo_mlir_op *function, bool is_first);
const hlo_mlir_attr *hlo_sw_symbol_of(hlo_sw *w, const hlo_mlir_op *function);
/* A function without a body, of those types. */
hlo_mlir_op *hlo_sw_new_function(hlo_sw *w, hlo_str name, bool is_public,
                                 const hlo_mlir_type_list *arguments,
                                 const hlo_mlir_type_list *results);

/* ---- write_module.c ---- */

void hlo_sw_set_module_attrs(hlo_sw *w);
/* Of a function and its arguments and results; false: they do not fit. */
bool hlo_sw_set_function_attrs(hlo_sw *w, hlo_computation *c, hlo_mlir_op *function);

/* ---- writers.def ---- */

/* The value of the instruction that is written; NULL after an error. */
typedef hlo_mlir_value *hlo_sw_write(hlo_sw *w);
#define HLO_WRITER(opcode, writer) hlo_sw_write hlo_sw_write_##writer;
#include "stablehlo/writers.def"
#undef HLO_WRITER

/* The operation of stablehlo or mhlo that has the opcode; HLO_MLIR_OP_COUNT: none. */
hlo_mlir_op_id hlo_sw_op_of(hlo_opcode opcode);

#endif
