/* Running two modules on the same made-up inputs and comparing what comes out. For the unit
 * programs about passes. */
#ifndef TESTS_UNIT_SAME_VALUES_H
#define TESTS_UNIT_SAME_VALUES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/compare.h"
#include "passes/pass.h"

typedef enum { VALUES_SAME, VALUES_DIFFER, VALUES_UNKNOWN } values_verdict;

/* Runs the module; NULL when it cannot be run. */
static hlo_run *run_module(hlo_module *module, hlo_input_fill fill, uint64_t seed) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.seed = seed;
    hlo_run *run = NULL;
    if (hlo_run_prepare(module, &options, diags, &run) != HLO_OK ||
        hlo_run_fill_inputs(run, fill, seed, diags) != HLO_OK ||
        hlo_run_execute(run, diags) != HLO_OK) {
        hlo_run_free(run);
        run = NULL;
    }
    hlo_diags_destroy(diags);
    return run;
}

/* Rounding of the type, with room for sums in another order. */
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

static bool same_leaf(hlo_array got, hlo_array wanted, hlo_pass_class class) {
    hlo_arena arena;
    hlo_shapes_table shapes;
    hlo_arena_init(&arena);
    hlo_shapes_init(&shapes, &arena);
    hlo_type type = hlo_type_from_text(wanted.type, strlen(wanted.type));
    const hlo_shape *shape =
        hlo_shape_array(&shapes, type, wanted.dims, wanted.rank, NULL, NULL, NULL);
    bool same = strcmp(got.type, wanted.type) == 0 && got.bytes == wanted.bytes;
    if (same) {
        hlo_literal a = {shape, (void *)(uintptr_t)got.data, NULL};
        hlo_literal b = {shape, (void *)(uintptr_t)wanted.data, NULL};
        hlo_tolerance tolerance = tolerance_of(type, class);
        same = hlo_compare_arrays(&a, &b, &tolerance).different == 0;
    }
    hlo_shapes_free(&shapes);
    hlo_arena_free(&arena);
    return same;
}

/* VALUES_UNKNOWN when the first module cannot be run. */
static values_verdict compare_values(hlo_module *before, hlo_module *after, hlo_input_fill fill,
                                     hlo_pass_class class) {
    hlo_run *wanted = run_module(before, fill, 1);
    if (!wanted) return VALUES_UNKNOWN;
    hlo_run *got = run_module(after, fill, 1);
    bool same = got && hlo_run_output_count(got) == hlo_run_output_count(wanted);
    for (uint32_t leaf = 0; same && leaf < hlo_run_output_count(wanted); leaf++)
        same = same_leaf(hlo_run_output(got, leaf), hlo_run_output(wanted, leaf), class);
    hlo_run_free(got);
    hlo_run_free(wanted);
    return same ? VALUES_SAME : VALUES_DIFFER;
}

#endif
