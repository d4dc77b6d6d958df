/* Running two modules on the same made-up inputs and comparing what comes out. For the unit
 * programs about passes. */
#ifndef TESTS_UNIT_SAME_VALUES_H
#define TESTS_UNIT_SAME_VALUES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hlo.h>

#include "eval/value/distance.h"
#include "passes/pipeline/pass.h"

/* Rounding of the type, with space for sums in another order. */
static hlo_tolerance tolerance_of(hlo_type type, hlo_pass_class class) {
    hlo_tolerance tolerance = {0};
    if (class == HLO_CLASS_EXACT) return tolerance;
    hlo_type part = hlo_type_part(type);
    double digits = hlo_types[part].mantissa_bits;
    tolerance.rtol = part == HLO_F64   ? 1e-12
                     : part == HLO_F32 ? 2e-5
                                       : 8 / (double)(1 << (int)digits);
    tolerance.atol = tolerance.rtol;
    return tolerance;
}

/* A few bits round so coarsely, and overflow so early, that steps in another order mean nothing. */
static bool is_too_coarse(hlo_type type, hlo_pass_class class) {
    return class != HLO_CLASS_EXACT && hlo_type_is_float(type) && hlo_types[type].mantissa_bits < 7;
}

/* A result of the only device. */
static inline hlo_array result_of(const hlo_run *run, uint32_t leaf) {
    hlo_array array;
    hlo_diags *diags = hlo_diags_create(1);
    if (hlo_run_output(run, 0, leaf, diags, &array) != HLO_OK) abort();
    hlo_diags_free(diags);
    return array;
}

/* `more` is what the result may differ by in any case. */
static inline bool same_leaf(hlo_array got, hlo_array wanted, hlo_pass_class class, double more) {
    hlo_arena arena;
    hlo_shapes_table shapes;
    hlo_arena_init(&arena);
    hlo_shapes_init(&shapes, &arena);
    const char *name = hlo_element_type_name(wanted.type);
    hlo_type type = hlo_type_from_text(name, strlen(name));
    const hlo_shape *shape =
        hlo_shape_array(&shapes, type, wanted.dims, wanted.rank, NULL, NULL, NULL);
    bool same = got.type == wanted.type && hlo_array_bytes(&got) == hlo_array_bytes(&wanted);
    if (same && class != HLO_CLASS_VALUES && !is_too_coarse(type, class)) {
        hlo_literal a = {.shape = shape, .data = (void *)(uintptr_t)got.data};
        hlo_literal b = {.shape = shape, .data = (void *)(uintptr_t)wanted.data};
        hlo_tolerance tolerance = tolerance_of(type, class);
        tolerance.atol += more;
        same = hlo_compare_arrays(&a, &b, &tolerance).different == 0;
    }
    hlo_shapes_free(&shapes);
    hlo_arena_free(&arena);
    return same;
}

#endif
