/* The elements of constants, and arithmetic on them by their type, with the results that MLIR's
 * folding has: whole numbers of a width that wrap around, and floats that are rounded once. */
#ifndef HLO_STABLEHLO_DENSE_H
#define HLO_STABLEHLO_DENSE_H

#include "mlir/mlir.h"

/* Elements of one constant. A splat has one, which stands for all. */
typedef struct {
    const hlo_mlir_type *type;
    hlo_type element;
    unsigned bytes, bits; /* of an element where it is stored; of a number of the type */
    bool is_splat;
    int64_t n; /* of the type, also of a splat */
    const char *data;
} hlo_dense;

/* False: the attribute has no elements, or their type is none of HLO. */
bool hlo_dense_from(const hlo_mlir_attr *attr, hlo_dense *out);
/* Of the constant that defines the value; false: none does. */
bool hlo_dense_of(const hlo_mlir_value *value, hlo_dense *out);
static inline const char *hlo_dense_at(const hlo_dense *dense, int64_t i) {
    HLO_ASSERT(i < dense->n);
    return dense->data + (dense->is_splat ? 0 : (size_t)i * dense->bytes);
}
/* The bits of an element that is no complex number, those above its width zero. */
uint64_t hlo_dense_bits(const hlo_dense *dense, int64_t i);
/* An element of whole numbers, where the highest bit is the sign, of unsigned types too. */
int64_t hlo_dense_signed(const hlo_dense *dense, int64_t i);

/* Space for `n` elements of a tensor of the type. */
char *hlo_dense_new(hlo_mlir_module *module, const hlo_mlir_type *type, int64_t n);
void hlo_dense_set(hlo_type element, char *data, int64_t i, uint64_t bits);
/* The constant with these elements, which it keeps; one where is_splat. Elements that are all the
 * same become a splat. */
const hlo_mlir_attr *hlo_dense_attr(hlo_mlir_module *module, const hlo_mlir_type *type,
                                    const char *data, bool is_splat);
/* The same elements as a tensor of another shape. */
const hlo_mlir_attr *hlo_dense_reshape(hlo_mlir_module *module, const hlo_dense *dense,
                                       const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_dense_zeros(hlo_mlir_module *module, const hlo_mlir_type *type);
bool hlo_dense_same(const hlo_dense *a, const hlo_dense *b);
/* An attribute of equal elements becomes a splat, if it is none. */
const hlo_mlir_attr *hlo_dense_normal(hlo_mlir_module *module, const hlo_mlir_attr *attr);

/* ---- splats by value ---- */

bool hlo_dense_is_int_zero(const hlo_mlir_attr *attr);
bool hlo_dense_is_int_one(const hlo_mlir_attr *attr);
bool hlo_dense_is_all_ones(const hlo_mlir_attr *attr);
bool hlo_dense_is_zero(const hlo_mlir_attr *attr); /* of floats too, of both signs */
bool hlo_dense_is_one(const hlo_mlir_attr *attr);

/* ---- one element ---- */

bool hlo_is_whole(hlo_type type); /* pred, signed and unsigned numbers */
unsigned hlo_width(hlo_type type);
bool hlo_bits_are_nan(hlo_type type, uint64_t bits);
/* a OP b of floats or of whole numbers; false: there is no result that folding gives. */
bool hlo_fold_two(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t b, uint64_t *out);
bool hlo_fold_one(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t *out);
bool hlo_fold_convert(hlo_type from, hlo_type to, uint64_t a, uint64_t *out);
/* By the two letters of a direction. */
bool hlo_fold_compare(const char *direction, hlo_type type, bool is_unsigned, uint64_t a,
                      uint64_t b);

#endif
