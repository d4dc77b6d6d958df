/* Comparing the results of a run with stored ones, and of one run with another. */
#include "eval/compare.h"
#include "run/output.h"
#include "run/store.h"

static hlo_literal literal_of(const hlo_value *value) {
    return (hlo_literal){value->shape, value->data, NULL};
}

typedef struct {
    hlo_store *store;
    const hlo_tolerance *tolerance;
    hlo_output *report;
    hlo_diags *diags;
    bool agrees;
} comparison;

/* A part of the report: result `number` against the stored one, which goes to *expected. */
static hlo_status compare_result(comparison *c, uint32_t number, const hlo_value *result,
                                 hlo_run_leaf *expected) {
    bool found;
    char name[32];
    hlo_status status = hlo_store_read_number(c->store, "out", number, expected, &found, c->diags);
    if (status != HLO_OK) return status;
    snprintf(name, sizeof name, "out%u", number);
    if (!found) {
        hlo_error(c->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "there is no %s in %s", name,
                  c->store->path);
        return HLO_BAD_SYSTEM;
    }
    const hlo_literal got = literal_of(result), wanted = literal_of(expected->value);
    hlo_comparison found_difference = hlo_compare_arrays(&got, &wanted, c->tolerance);
    hlo_comparison_print(&c->report->buf, name, &found_difference, &got, &wanted);
    c->agrees &= found_difference.different == 0;
    return HLO_OK;
}

static void forget_input(void *leaf) {
    hlo_run_forget_input(leaf);
}

static hlo_status compare_and_forget(comparison *c, uint32_t number, const hlo_value *result) {
    hlo_run_leaf expected = {.shape = result->shape};
    hlo_cleanup forgetting;
    hlo_cleanup_add(&forgetting, forget_input, &expected);
    hlo_status status = compare_result(c, number, result, &expected);
    hlo_cleanup_remove(&forgetting);
    hlo_run_forget_input(&expected);
    return status;
}

hlo_status hlo_run_compare(const hlo_run *run, const char *path, const hlo_compare_options *options,
                           hlo_output *report, hlo_diags *diags) {
    HLO_API_CALL(diags) {
        hlo_output_lost(report);
        return HLO_BAD_SYSTEM;
    }
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, report);
    HLO_REQUIRE(diags, path);
    hlo_status status = hlo_run_check_result(run, diags);
    if (status != HLO_OK) return status;
    hlo_compare_options given = HLO_COMPARE_OPTIONS_INIT;
    status = hlo_take_options(options, &given, sizeof given, diags);
    if (status != HLO_OK) return status;
    const hlo_tolerance tolerance = {given.rtol, given.atol, given.max_ulp};
    hlo_store store;
    status = hlo_store_open(path, diags, &store);
    comparison c = {&store, &tolerance, report, diags, true};
    for (uint32_t k = 0; k < run->output_count && status == HLO_OK; k++)
        status = compare_and_forget(&c, k, run->outputs[k]);
    hlo_store_close(&store);
    return status == HLO_OK && !c.agrees ? HLO_BAD_MODULE : status;
}

/* Whether the results are, bit for bit, the leaves of an earlier result. */
static bool is_same(const hlo_run *run, hlo_value *const *earlier, uint32_t *number) {
    for (*number = 0; *number < run->output_count; ++*number) {
        const hlo_value *a = run->outputs[*number], *b = earlier[*number];
        int64_t bytes = hlo_shape_bytes(a->shape);
        if (a->shape != b->shape && !hlo_shape_compatible(a->shape, b->shape)) return false;
        if (bytes > 0 && memcmp(a->data, b->data, (size_t)bytes) != 0) return false;
    }
    return true;
}

static hlo_status run_again(hlo_run *run, uint64_t count, hlo_value *const *earlier,
                            hlo_diags *diags) {
    for (uint64_t i = 2; i <= count; i++) {
        hlo_status status = hlo_run_execute(run, diags);
        if (status != HLO_OK) return status;
        uint32_t number;
        if (is_same(run, earlier, &number)) continue;
        hlo_error(diags, HLO_RULE_RUN, NULL, (hlo_span){0},
                  "run %llu differs from the first run in out%u", (unsigned long long)i, number);
        return HLO_BAD_MODULE;
    }
    return HLO_OK;
}

hlo_status hlo_run_repeat(hlo_run *run, uint64_t count, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    hlo_status status = hlo_run_execute(run, diags);
    if (status != HLO_OK || count < 2) return status;
    hlo_value **leaves = hlo_calloc(run->output_count, sizeof *leaves);
    hlo_value *first = hlo_value_retain(run->result);
    hlo_leaf_values(first, leaves);
    status = run_again(run, count, leaves, diags);
    hlo_free(leaves);
    hlo_value_release(first);
    return status;
}
