/* Constants by run-time type, and what the functions of the builder's library ask of shapes.
 * Private to src/build/lib. */
#ifndef HLO_BUILD_LIB_SCALARS_H
#define HLO_BUILD_LIB_SCALARS_H

#include <hlo/builder_lib.h>

#include "build/builder.h"

/* A term of an expression. */
typedef const hlo_instr *hlo_term;

/* The scalar `value` of the type, rounded as XLA converts a double; NULL after an error. */
hlo_term hlo_lib_number(hlo_builder *b, hlo_type type, double value);
hlo_term hlo_lib_integer(hlo_builder *b, hlo_type type, int64_t value);
/* The same of the operand's type; NULL for NULL. */
hlo_term hlo_lib_like(hlo_builder *b, hlo_term prototype, double value);
/* A broadcast of it to the operand's sizes, also to those of a scalar. */
hlo_term hlo_lib_full(hlo_builder *b, hlo_term prototype, double value);
/* A broadcast of a scalar to sizes, also to none. */
hlo_term hlo_lib_spread(hlo_builder *b, hlo_term scalar, const hlo_shape *like);

/* Bits of a float type as a scalar. */
hlo_term hlo_lib_bits(hlo_builder *b, hlo_type type, uint64_t bits);

/* The public number of a type. */
static inline hlo_element_type hlo_lib_public(hlo_type type) {
    return (hlo_element_type)hlo_types[type].proto_number;
}
hlo_term hlo_lib_convert(hlo_builder *b, hlo_term operand, hlo_type type);

/* The operand's type, and whether it is one of floats: false after an error, which `function`
 * names as XLA does. */
bool hlo_lib_is_real_float(hlo_builder *b, const char *function, hlo_term operand);
/* Both have one shape and type, else an error. */
bool hlo_lib_same_shapes(hlo_builder *b, const char *function, hlo_term first, hlo_term second);

/* An array of at least `rank` dimensions, else an error. */
bool hlo_lib_has_rank(hlo_builder *b, const char *function, hlo_term operand, uint32_t rank);
/* The size of a dimension; negative ones count from the end. */
static inline int64_t hlo_lib_size(hlo_term operand, int64_t dimension) {
    return operand->shape
        ->dims[dimension < 0 ? (int64_t)operand->shape->rank + dimension : dimension];
}
static inline hlo_int_list hlo_lib_dims(hlo_term operand) {
    return (hlo_int_list){operand->shape->rank, operand->shape->dims};
}
/* All but the last `fewer` dimensions. */
static inline hlo_int_list hlo_lib_major_dims(hlo_term operand, uint32_t fewer) {
    return (hlo_int_list){operand->shape->rank - fewer, operand->shape->dims};
}
static inline int64_t hlo_lib_ratio_up(int64_t x, int64_t y) {
    return x / y + (x % y != 0);
}
/* first, first + 1, ...: `count` of them in the module's arena. */
int64_t *hlo_lib_counting(hlo_builder *b, size_t count);
int64_t *hlo_lib_copied(hlo_builder *b, hlo_int_list list);
/* An array of the type with the default layout. */
const hlo_shape *hlo_lib_shape(hlo_builder *b, hlo_type type, hlo_int_list dims);

#endif
