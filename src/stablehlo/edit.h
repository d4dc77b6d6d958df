/* Changes to the tree of operations that its interface does not have, which the passes over
 * StableHLO share; walks over it; queries about operations and types. */
#ifndef HLO_STABLEHLO_EDIT_H
#define HLO_STABLEHLO_EDIT_H

#include "mlir/mlir.h"

/* ---- walks ---- */

typedef void hlo_mlir_visit(hlo_mlir_op *op, void *context);
/* Each operation of the region after those in its own regions. `visit` may move the operation,
 * remove it, and add others before it. */
void hlo_mlir_walk(hlo_mlir_region *region, hlo_mlir_visit *visit, void *context);
/* The bodies of all functions. */
void hlo_mlir_walk_functions(hlo_mlir_module *module, hlo_mlir_visit *visit, void *context);
/* Whether the operation stands in the region, in a block of it or deeper. */
bool hlo_mlir_is_within(const hlo_mlir_op *op, const hlo_mlir_region *region);
/* The region in which a value is defined. */
static inline hlo_mlir_region *hlo_mlir_region_of(const hlo_mlir_value *value) {
    return hlo_mlir_block_of(value)->region;
}

/* ---- operations ---- */

hlo_str hlo_mlir_name_of(hlo_mlir_op_id id);
/* Of a dialect: "stablehlo". */
static inline bool hlo_mlir_is_of_dialect(const hlo_mlir_op *op, const char *dialect) {
    size_t n = strlen(dialect);
    return op->name.len > n && op->name.ptr[n] == '.' && memcmp(op->name.ptr, dialect, n) == 0;
}
bool hlo_mlir_is_terminator(const hlo_mlir_op *op);
bool hlo_mlir_is_constant(const hlo_mlir_op *op);
/* The value of the constant that defines the operand; NULL: no constant does. */
const hlo_mlir_attr *hlo_mlir_constant_of(const hlo_mlir_value *value);
/* The operation of this kind that defines the value, or NULL. */
static inline hlo_mlir_op *hlo_mlir_defined_by(const hlo_mlir_value *value, hlo_mlir_op_id id) {
    return value->op && value->op->id == id ? value->op : NULL;
}
static inline bool hlo_mlir_is_used(const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->results[i].first_use) return true;
    return false;
}

typedef enum {
    HLO_MLIR_NO_EFFECTS,
    HLO_MLIR_NESTED_EFFECTS, /* those of the operations in its regions */
    HLO_MLIR_SOME_EFFECTS,
    HLO_MLIR_UNKNOWN_EFFECTS, /* nothing is declared */
} hlo_mlir_effects;
hlo_mlir_effects hlo_mlir_effects_of(const hlo_mlir_op *op);

/* A copy of an operation without regions, with the same operands, before `before`. */
hlo_mlir_op *hlo_mlir_clone(hlo_mlir_module *module, const hlo_mlir_op *op, hlo_mlir_block *block,
                            hlo_mlir_op *before);
/* A copy of an operation with all that is inside, before `before`. Operands of which `made` is a
 * value become that; `made` of what is defined in `op` is its copy until hlo_mlir_forget_copies. */
hlo_mlir_op *hlo_mlir_copy(hlo_mlir_module *module, hlo_mlir_op *op, hlo_mlir_block *block,
                           hlo_mlir_op *before);
/* The blocks of `from` once more, as the last ones of `to`; nothing is left in `made`. */
void hlo_mlir_copy_region(hlo_mlir_module *module, hlo_mlir_region *from, hlo_mlir_region *to);
/* `made` of all values that are defined in the region is NULL again. */
void hlo_mlir_forget_copies(hlo_mlir_region *region);
/* The function of that name, which has a body; NULL: there is none. */
hlo_mlir_op *hlo_mlir_function_named(const hlo_mlir_module *module, hlo_str name);
/* Other operands, perhaps fewer or more. */
void hlo_mlir_set_operands(hlo_mlir_module *module, hlo_mlir_op *op, uint32_t n,
                           hlo_mlir_value *const *values);
/* Operands and arguments without those marked; no marked argument is used. */
void hlo_mlir_drop_operands(hlo_mlir_op *op, const bool *marked);
void hlo_mlir_drop_arguments(hlo_mlir_block *block, const bool *marked);
/* The blocks of `from` become those of `to`, which has none. */
void hlo_mlir_take_body(hlo_mlir_region *to, hlo_mlir_region *from);

/* The name of an operation of a module that has one; empty: it has none. */
hlo_str hlo_mlir_symbol_name(const hlo_mlir_op *op);
/* The operation of that name in the block of a module, or NULL. */
hlo_mlir_op *hlo_mlir_symbol(const hlo_mlir_block *top, hlo_str name);

/* ---- attributes ---- */

void hlo_mlir_drop_attr(hlo_mlir_op *op, const char *name);
/* Not a property of the operation: its name has a dialect's before a dot. */
static inline bool hlo_mlir_is_discardable(hlo_str key) {
    return memchr(key.ptr, '.', key.len) != NULL;
}
const hlo_mlir_attr *hlo_mlir_ints_new(hlo_mlir_module *module, uint32_t n, const int64_t *v);
const hlo_mlir_attr *hlo_mlir_int_new(hlo_mlir_module *module, int64_t i);
/* The word of a WORD, or of a STRUCT around one: LT of #stablehlo<comparison_direction LT>. */
hlo_str hlo_mlir_word_of(const hlo_mlir_attr *attr);
/* An attribute of whole numbers. False: the operation has none of the name. */
typedef struct {
    uint32_t n;
    const int64_t *v;
} hlo_mlir_numbers;
bool hlo_mlir_numbers_of(hlo_mlir_module *module, const hlo_mlir_op *op, const char *name,
                         hlo_mlir_numbers *out);
int64_t hlo_mlir_number_of(const hlo_mlir_op *op, const char *name, int64_t otherwise);

/* ---- types ---- */

/* A tensor of static sizes. */
bool hlo_mlir_is_static(const hlo_mlir_type *type);
/* Elements of such a tensor. */
int64_t hlo_mlir_element_count(const hlo_mlir_type *type);
const hlo_mlir_type *hlo_mlir_tensor(hlo_mlir_module *module, const hlo_mlir_type *like,
                                     uint32_t rank, const int64_t *dims);
/* The same with its dimensions, and their bounds, in this order. */
const hlo_mlir_type *hlo_mlir_permuted(hlo_mlir_module *module, const hlo_mlir_type *type,
                                       const int64_t *order);
/* A tensor of a type of HLO. */
const hlo_mlir_type *hlo_mlir_tensor_of(hlo_mlir_module *module, hlo_type element, uint32_t rank,
                                        const int64_t *dims);

#endif
