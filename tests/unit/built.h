/* A builder, and what it builds: verified, printed and run. For unit tests of
 * builders; includes only public headers of the library. */
#ifndef HLO_TESTS_BUILT_H
#define HLO_TESTS_BUILT_H

#include <hlo_builder.h>
#include <string.h>

#include "unit/check.h"

static hlo_builder *b;

/* ---- small things ---- */

static inline const hlo_shape *f32(hlo_int_list dims) {
    return hlo_builder_shape(b, HLO_TYPE_F32, dims);
}

static inline const hlo_instr *floats(hlo_int_list dims, const float *values) {
    return hlo_builder_constant(
        b, &(hlo_array){HLO_TYPE_F32, (uint32_t)dims.count, dims.values, NULL, values});
}

static inline const hlo_instr *ints(hlo_int_list dims, const int32_t *values) {
    return hlo_builder_constant(
        b, &(hlo_array){HLO_TYPE_S32, (uint32_t)dims.count, dims.values, NULL, values});
}

static inline const hlo_instr *counting(hlo_int_list dims) {
    return hlo_builder_iota(b, f32(dims), (int64_t)dims.count - 1);
}

#define VALUES(...) ((const float[]){__VA_ARGS__})
#define NUMBERS(...) ((const int32_t[]){__VA_ARGS__})

/* ---- what is built: verified, printed and run ---- */

static inline hlo_module *built(const char *what, const hlo_instr *root) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = NULL;
    hlo_status status = hlo_builder_build(b, root, diags, &module);
    if (status == HLO_OK) status = hlo_verify(module, diags);
    check(status == HLO_OK, what);
    if (status != HLO_OK) hlo_diags_render(diags, stdout, false);
    hlo_diags_free(diags);
    hlo_builder_free(b);
    b = NULL;
    return module;
}

static inline void write_shape(const hlo_module *module, hlo_output *to, hlo_diags *diags) {
    hlo_shape_write(hlo_instr_shape(hlo_computation_root(hlo_module_entry(module))), false, to,
                    diags);
}

/* The root's shape. */
static inline void check_shape(const char *what, const hlo_module *module, const char *wanted) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *to = hlo_output_to_memory();
    write_shape(module, to, diags);
    size_t n;
    const char *text = hlo_output_bytes(to, &n);
    bool same = n == strlen(wanted) && memcmp(text, wanted, n) == 0;
    check(same, what);
    if (!same) printf("  is %.*s, wanted %s\n", (int)n, text, wanted);
    hlo_output_free(to);
    hlo_diags_free(diags);
}

/* The root's value as a literal; `wanted` NULL: any. */
static inline void run_module(const char *what, hlo_module *module, const char *wanted) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_run *run = NULL;
    hlo_output *to = hlo_output_to_memory();
    hlo_status status = hlo_run_prepare(module, NULL, diags, &run);
    if (status == HLO_OK) status = hlo_run_execute(run, diags);
    if (status == HLO_OK) status = hlo_run_write_literal(run, 0, to, diags);
    size_t n = 0;
    const char *text = hlo_output_bytes(to, &n);
    bool same = status == HLO_OK &&
                (!wanted || (n == strlen(wanted) + 1 && memcmp(text, wanted, n - 1) == 0));
    check(same, what);
    if (!same) printf("  is %.*s", (int)n, text);
    if (status != HLO_OK) hlo_diags_render(diags, stdout, false);
    hlo_output_free(to);
    hlo_run_free(run);
    hlo_diags_free(diags);
}

/* Builds what ends with `root`, and runs it. */
static inline void runs(const char *what, const hlo_instr *root, const char *wanted) {
    hlo_module *module = built(what, root);
    if (module) run_module(what, module, wanted);
    hlo_module_free(module);
}

/* Builds what ends with `root`, for several devices or a host. */
static inline void builds(const char *what, const hlo_instr *root, const char *shape) {
    hlo_module *module = built(what, root);
    if (module) check_shape(what, module, shape);
    hlo_module_free(module);
}

static inline void start(void) {
    b = hlo_builder_create("test");
}

/* ---- errors ---- */

/* The first error has a text with `words`, and every later call gives NULL. */
static inline void fails(const char *what, hlo_status wanted, const char *words) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = NULL;
    check(hlo_builder_failed(b) && !hlo_builder_replica_id(b), what);
    check(hlo_builder_build(b, NULL, diags, &module) == wanted && !module, what);
    FILE *to = tmpfile();
    hlo_diags_render(diags, to, false);
    char text[1024] = "";
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = 0;
    fclose(to);
    check(strstr(text, words) && hlo_diags_error_count(diags) == 1, words);
    if (!strstr(text, words)) printf("  is %s", text);
    hlo_diags_free(diags);
    hlo_builder_free(b);
}

#endif
