/* Which dimensions of operands and results correspond in products, gathers and scatters, and what
 * shardings follow from that. On top of sharding_rules.h. Lists are allocated in the given arena.
 */
#ifndef HLO_PASSES_SPMD_SHARDING_RULES_OPS_H
#define HLO_PASSES_SPMD_SHARDING_RULES_OPS_H

#include "analysis/call_graph.h"
#include "ir/index_dims.h"
#include "passes/spmd/sharding_rules.h"

/* ---- dot and convolution (sharding_rules_products.c) ---- */

/* A dimension of a product where it stands in both operands and the result; -1: in none. */
typedef struct {
    int64_t side[2]; /* of operand 0 and operand 1 */
    int64_t output;
} hlo_product_dim;

typedef struct {
    uint32_t n;
    hlo_product_dim *v;
} hlo_product_dim_list;

/* Spatial dimensions of a convolution count as one of the others where their window makes them so;
 * `spatial` has those that are left. */
typedef struct {
    hlo_product_dim_list batch, contracting, spatial;
    hlo_product_dim_list free[2]; /* of each operand */
    uint32_t rank[2], output_rank;
} hlo_product_dims;

hlo_product_dims hlo_product_dims_of(hlo_arena *, const hlo_instr *product);
/* Of the result on account of an operand alone. */
const hlo_sharding *hlo_product_from_operand(hlo_arena *, const hlo_product_dims *,
                                             uint32_t operand, const hlo_sharding *);
/* Of an operand on account of the result (NULL: unknown) and the other operand (the same). No
 * dimension may be spatial. */
const hlo_sharding *hlo_product_to_operand(hlo_arena *, const hlo_product_dims *, uint32_t operand,
                                           const hlo_sharding *result, const hlo_sharding *other,
                                           bool may_combine);

/* ---- custom calls (sharding_rules_products.c) ---- */

/* How many leading dimensions of all operands and results are a batch, of which a custom call
 * treats each member by itself: what JAX states of calls of LAPACK (num_batch_dims). 0: none. */
uint32_t hlo_call_batch_dims(const hlo_instr *call);

/* ---- gather and scatter (sharding_rules_indexed.c) ---- */

/* Dimensions of the operand, the indices and the windows (a gather's result, a scatter's updates)
 * that correspond, in parallel lists. One that does not matter is NULL. */
typedef struct {
    const hlo_ints *operand, *indices, *windows;
} hlo_indexed_dims;

/* What a gather or scatter is for its dimensions. */
typedef struct {
    const hlo_instr *instr, *operand, *indices;
    const hlo_shape *windows;
    hlo_index_dims numbers;
    const hlo_ints *slice_sizes;                     /* by dimension of the operand */
    hlo_indexed_dims explicit_batch, implicit_batch; /* without entries: none */
} hlo_indexed;

/* `graph` finds out what calls a computation, when that is one instruction. */
hlo_indexed hlo_indexed_of(hlo_arena *, const hlo_instr *, const hlo_call_graph *graph);
/* Dimensions of indices and windows that are not those of a slice. */
hlo_indexed_dims hlo_indexed_index_dims(hlo_arena *, const hlo_indexed *);
/* Dimensions of operand and windows along which slices take everything. */
hlo_indexed_dims hlo_indexed_slice_dims(hlo_arena *, const hlo_indexed *);

/* The dimension along which an array counts from 0; -1: none (sharding_rules_counting.c). */
int64_t hlo_counted_dimension(hlo_arena *, const hlo_instr *array, const hlo_call_graph *graph);

/* Of windows from indices and back. */
const hlo_sharding *hlo_indexed_indices_to_windows(hlo_arena *, const hlo_indexed *,
                                                   const hlo_sharding *);
const hlo_sharding *hlo_indexed_windows_to_indices(hlo_arena *, const hlo_indexed *,
                                                   const hlo_sharding *);
/* Of windows from the operand (or a scatter's result) along slices; NULL: nothing is split. */
const hlo_sharding *hlo_indexed_operand_to_windows(hlo_arena *, const hlo_indexed *,
                                                   const hlo_sharding *);
const hlo_sharding *hlo_indexed_windows_to_operand(hlo_arena *, const hlo_indexed *,
                                                   const hlo_sharding *);
/* The same along slices and batch dimensions. */
const hlo_sharding *hlo_gather_operand_from_result(hlo_arena *, const hlo_indexed *,
                                                   const hlo_sharding *);
const hlo_sharding *hlo_scatter_update_from_result(hlo_arena *, const hlo_indexed *,
                                                   const hlo_sharding *);

#endif
