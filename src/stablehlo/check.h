/* What an operation of StableHLO must satisfy by itself: the functions of checks.def, and what they
 * share. Each reports at most one error, and returns false then. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_CHECK_H
#define HLO_STABLEHLO_CHECK_H

#include "mlir/mlir.h"

/* The functions of a module by their names. */
typedef struct {
    const hlo_mlir_op **v;
    uint32_t n;
    hlo_hash by_name; /* numbers of them, from 1 */
} hlo_check_functions;
/* NULL: none has the name. */
const hlo_mlir_op *hlo_check_function_named(const hlo_check_functions *functions, hlo_str name);

/* An operation, and where its errors go. */
typedef struct {
    hlo_mlir_module *module;
    hlo_diags *diags;
    const hlo_mlir_op *op;
    const hlo_check_functions *functions;
} hlo_check;

/* The error at the operation, whose name begins the message; false. */
bool hlo_check_refuse(hlo_check *s, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at an attribute of the operation, where that has a place. */
bool hlo_check_refuse_at(hlo_check *s, const hlo_mlir_attr *attr, hlo_rule rule, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* ---- types; sizes that are not known fit all others ---- */

#define HLO_CHECK_TYPE(type) (int)(type)->text.len, (type)->text.ptr /* for %.*s */

static inline const hlo_mlir_type *hlo_check_operand(const hlo_check *s, uint32_t i) {
    return hlo_mlir_operand(s->op, i)->type;
}
static inline const hlo_mlir_type *hlo_check_result(const hlo_check *s, uint32_t i) {
    HLO_ASSERT(i < s->op->result_count);
    return s->op->results[i].type;
}
static inline bool hlo_check_is_tensor(const hlo_mlir_type *type) {
    return type->kind == HLO_MLIR_TENSOR;
}
static inline bool hlo_check_same_size(int64_t a, int64_t b) {
    return a == b || a == HLO_UNBOUNDED || b == HLO_UNBOUNDED;
}
/* Of two tensors. */
bool hlo_check_same_sizes(const hlo_mlir_type *a, const hlo_mlir_type *b);
static inline bool hlo_check_same_elements(const hlo_mlir_type *a, const hlo_mlir_type *b) {
    return a->element == b->element && a->other == b->other;
}
/* Tensors of these sizes and elements; `floats`: floating-point types fit each other. */
bool hlo_check_fits(const hlo_mlir_type *a, const hlo_mlir_type *b, bool floats);
/* Equal types, except for sizes that are not known. */
bool hlo_check_compatible(const hlo_mlir_type *a, const hlo_mlir_type *b);
/* Bits of an element; of a predicate 1. */
int64_t hlo_check_bits(hlo_type element);
/* A tensor of rank 0 of the type's elements. */
const hlo_mlir_type *hlo_check_scalar_of(hlo_check *s, const hlo_mlir_type *type);
bool hlo_check_is_predicate(const hlo_mlir_type *type); /* tensor<i1> */

/* ---- attributes; what makers refuse by itself, as a missing one, is passed over ---- */

/* A whole number; false: the operation has none of the name. */
bool hlo_check_int(const hlo_check *s, const char *name, int64_t *out);
bool hlo_check_ints(hlo_check *s, const char *name, uint32_t *n, const int64_t **v);
bool hlo_check_flag(const hlo_check *s, const char *name);
/* The attribute is a dimension of a tensor of that rank. */
bool hlo_check_dimension(hlo_check *s, const char *name, uint32_t rank);
/* The dimensions of a scatter that are batched. */
bool hlo_check_scatter_batches(hlo_check *s);
/* slice_sizes has a size for each dimension of the type, which is not larger than that. */
bool hlo_check_sizes_of_slice(hlo_check *s, const hlo_mlir_type *of);

/* ---- regions ---- */

/* The region's only block, which ends with a return. */
static inline const hlo_mlir_block *hlo_check_block(const hlo_check *s, uint32_t region) {
    return s->op->regions[region].first;
}
/* A computation that combines `n` values with as many others: of the elements of `inputs`, from
 * `inits` (NULL: scalars of `inputs`). The values may have a subset of the `rank` sizes. */
bool hlo_check_reducer(hlo_check *s, const hlo_mlir_block *block, uint32_t n,
                       const hlo_mlir_type *const *inputs, const hlo_mlir_type *const *inits,
                       uint32_t rank, const int64_t *sizes);

/* ---- functions of checks.def ---- */

typedef bool hlo_check_function(hlo_check *s);

#define HLO_CHECK(op, operands, results, kinds, function) hlo_check_function hlo_check_##function;
#include "stablehlo/checks.def"
#undef HLO_CHECK

/* All that checks.def has for the operation. */
bool hlo_stablehlo_check_op(hlo_check *s);

#endif
