/* Programs with sizes that are not known, as jax.export writes them for symbolic dimensions: the
 * sizes of given inputs make them programs of known sizes. Private to src/stablehlo.
 *
 * The steps are those of XLA's refinement, in its order, since that decides the order of what is
 * left: calls are replaced by what they call, equal operations become one, sizes are propagated
 * while whole numbers are folded, dynamic operations become static ones, assertions on sizes are
 * checked. */
#ifndef HLO_STABLEHLO_REFINE_H
#define HLO_STABLEHLO_REFINE_H

#include "mlir/mlir.h"

/* All of it, for programs of symbolic dimensions: those with the mark of jax.export, or with a
 * function that has an argument of unknown size; of @main only where `shapes` is not NULL. These
 * are written as HLO's, "f32[4,8],s32[]", one for each argument of @main. Other programs stay as
 * they are; their arguments must be of these shapes too, unless is_guess. On an error: HLO_BAD_USE
 * where the text of the shapes is wrong, else HLO_BAD_MODULE; diags has it. */
hlo_status hlo_stablehlo_refine(hlo_mlir_module *module, const char *shapes, bool is_guess,
                                hlo_diags *diags);

/* ---- the steps ---- */

/* The arguments of @main have these shapes; uses of one that changes see the old type, through a
 * custom call, until its sizes are propagated (refine_arguments.c). */
hlo_status hlo_refine_arguments(hlo_mlir_module *module, hlo_mlir_op *main, const char *shapes,
                                hlo_diags *diags);
/* Each call of a function becomes what it calls (refine_calls.c). */
bool hlo_refine_calls(hlo_mlir_module *module, hlo_diags *diags);
/* Operations without effects that equal an earlier one go (share_operations.c). */
void hlo_refine_share(hlo_mlir_module *module, hlo_mlir_op *function);
/* Types, and whole numbers, follow from operands (refine_types.c). */
void hlo_refine_types(hlo_mlir_module *module, hlo_mlir_op *function);
/* Operations whose sizes are operands become those whose sizes are attributes (refine_static.c). */
void hlo_refine_to_static(hlo_mlir_module *module, hlo_mlir_op *function);
/* Assertions on sizes hold, and no size is unknown; the assertions go (refine_assertions.c). */
bool hlo_refine_check(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags);

/* ---- what the steps share ---- */

/* What stands for an argument whose type has changed: (argument, its sizes) -> the old type. */
extern const char hlo_refine_wrapper[];
bool hlo_refine_is_target(const hlo_mlir_op *op, const char *target); /* of a custom call */
/* dense<v> of tensor<nxi64>. */
const hlo_mlir_attr *hlo_refine_numbers(hlo_mlir_module *module, uint32_t n, const int64_t *v);
/* A constant of it, before an operation. */
hlo_mlir_op *hlo_refine_constant(hlo_mlir_module *module, hlo_mlir_op *before,
                                 const hlo_mlir_location *location, const hlo_mlir_attr *value);
static inline bool hlo_refine_is_unknown(const hlo_mlir_type *type) {
    if (type->kind != HLO_MLIR_TENSOR) return false;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] == HLO_UNBOUNDED && (!type->bounds || type->bounds[i] == HLO_UNBOUNDED))
            return true;
    return false;
}

#endif
