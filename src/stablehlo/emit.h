/* Operations that are added before the one that they replace, at its location. Private to
 * src/stablehlo. */
#ifndef HLO_STABLEHLO_EMIT_H
#define HLO_STABLEHLO_EMIT_H

#include "mlir/mlir.h"

typedef struct {
    hlo_mlir_module *module;
    hlo_mlir_op *op; /* which is replaced */
    const hlo_mlir_location *location;
    const char *fault; /* why there is no expansion; NULL: there is one until now */
} hlo_mlir_emitter;

/* A number as an element: rounded to its type, or given by its bits. */
typedef struct {
    bool is_bits;
    double value;
    uint64_t bits;
} hlo_mlir_emit_number;

hlo_mlir_emitter hlo_mlir_emitter_of(hlo_mlir_module *module, hlo_mlir_op *op);

/* ---- types ---- */

/* The type with other elements. */
const hlo_mlir_type *hlo_mlir_emit_type(hlo_mlir_emitter *, const hlo_mlir_type *like,
                                        hlo_type element);
/* A tensor; bounds NULL: none. */
const hlo_mlir_type *hlo_mlir_emit_tensor(hlo_mlir_emitter *, hlo_type element, uint32_t rank,
                                          const int64_t *dims, const int64_t *bounds);

/* ---- operations ---- */

/* An operation with one result of the type; its attributes are to be set. */
hlo_mlir_op *hlo_mlir_emit_op(hlo_mlir_emitter *, hlo_mlir_op_id, const hlo_mlir_type *, uint32_t n,
                              hlo_mlir_value *const *operands);
/* The same for operations whose result has the type that follows from the operands. */
hlo_mlir_value *hlo_mlir_emit(hlo_mlir_emitter *, hlo_mlir_op_id, uint32_t n,
                              hlo_mlir_value *const *operands);
hlo_mlir_value *hlo_mlir_emit_as(hlo_mlir_emitter *, hlo_mlir_op_id, hlo_type element,
                                 hlo_mlir_value *);
hlo_mlir_value *hlo_mlir_emit_compare(hlo_mlir_emitter *, const char *direction, hlo_mlir_value *,
                                      hlo_mlir_value *);
/* The number everywhere in a tensor of that element type and of the sizes of `like`. Where sizes
 * have bounds only, it is a chlo.constant_like of a scalar, to be expanded; where they have none,
 * it is a fault. */
hlo_mlir_value *hlo_mlir_emit_full(hlo_mlir_emitter *, hlo_type element, hlo_mlir_emit_number,
                                   hlo_mlir_value *like);
/* dense<number> of a scalar, broadcast to the sizes of `like`. */
hlo_mlir_value *hlo_mlir_emit_scalar_like(hlo_mlir_emitter *, const hlo_mlir_attr *scalar,
                                          hlo_mlir_value *like);
hlo_mlir_value *hlo_mlir_emit_constant(hlo_mlir_emitter *, const hlo_mlir_type *,
                                       const hlo_mlir_attr *);
/* The values, each broadcast to the sizes of all, as NumPy does. False is a fault. */
bool hlo_mlir_emit_broadcast(hlo_mlir_emitter *, hlo_mlir_value **values, uint32_t n,
                             bool at_their_locations);

/* ---- attributes ---- */

const hlo_mlir_attr *hlo_mlir_emit_word(hlo_mlir_emitter *, const char *name, hlo_str word);
/* #dialect<name word> of another dialect, by the word that it has. */
const hlo_mlir_attr *hlo_mlir_emit_word_of(hlo_mlir_emitter *, const char *name,
                                           const hlo_mlir_attr *of);
const hlo_mlir_attr *hlo_mlir_emit_ints(hlo_mlir_emitter *, uint32_t n, const int64_t *v);
const hlo_mlir_attr *hlo_mlir_emit_int(hlo_mlir_emitter *, hlo_type type, int64_t value);
/* dense<element> of the type, also where it has no elements: there constants differ by it. */
const hlo_mlir_attr *hlo_mlir_emit_splat(hlo_mlir_emitter *, const hlo_mlir_type *,
                                         const void *element);

#endif
