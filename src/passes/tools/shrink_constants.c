/* shrink-constants: large constants become what takes a line of text: one number everywhere,
 * numbers that count up, or zeros where nothing else gives the same. For modules to send around or
 * to look at. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

/* An array of at least min_elements; others are no burden. */
static const hlo_literal *large(const hlo_rewriter *r, const hlo_instr *constant) {
    const hlo_literal *literal = hlo_constant_of(constant);
    bool is_array = literal && hlo_shape_is_array(literal->shape) && literal->shape->rank;
    int64_t n = is_array ? hlo_shape_elements(literal->shape) : 0;
    return n > 0 && n >= HLO_OPTION(r, SHRINK_CONSTANTS, min_elements) ? literal : NULL;
}

hlo_instr *hlo_rewrite_splat_constant(hlo_rewriter *r, hlo_instr *constant) {
    if (!large(r, constant)) return NULL;
    const void *element = hlo_splat_of(constant);
    return element ? hlo_emit_filled_with(r, constant->shape, element) : NULL;
}

/* Every element is its place along the dimension. Elements of a literal are in row-major order. */
static bool counts_along(const hlo_literal *literal, uint32_t dimension) {
    const hlo_shape *shape = literal->shape;
    hlo_type type = (hlo_type)shape->type;
    int64_t inner = 1, n = hlo_shape_elements(shape), size = shape->dims[dimension];
    const char *data = hlo_literal_data(literal);
    for (uint32_t d = dimension + 1; d < shape->rank; d++) inner *= shape->dims[d];
    for (int64_t i = 0; i < n; i++) {
        double value;
        if (!hlo_element_number(type, data + i * hlo_types[type].bytes, &value)) return false;
        if (value != (double)(i / inner % size)) return false;
    }
    return true;
}

hlo_instr *hlo_rewrite_iota_constant(hlo_rewriter *r, hlo_instr *constant) {
    const hlo_literal *literal = large(r, constant);
    if (!literal || hlo_literal_is_huge(literal) || constant->shape->type == HLO_PRED ||
        !hlo_literal_data(literal))
        return NULL;
    for (uint32_t d = 0; d < constant->shape->rank; d++)
        if (counts_along(literal, d)) return hlo_build_iota(r, constant->shape, d);
    return NULL;
}

hlo_instr *hlo_rewrite_zero_constant(hlo_rewriter *r, hlo_instr *constant) {
    if (!large(r, constant)) return NULL;
    const hlo_shape *shape = constant->shape;
    bool counts = HLO_OPTION(r, SHRINK_CONSTANTS, counting) && shape->type != HLO_PRED;
    return counts ? hlo_build_iota(r, shape, shape->rank - 1) : hlo_emit_filled(r, shape, 0);
}
