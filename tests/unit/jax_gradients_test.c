/* Gradients of every differentiable operation and floating type against JAX's: the modules in
 * tests/autodiff/gradients/OP.hlo, which make-gradients.py there has written. Each is
 * differentiated by all of its parameters, and by one after the other. Every operation that has a
 * rule must have a case for every type, unless tests/autodiff/gradients/without.txt states why
 * there is none.
 *
 * Modules of a file are separated by a line `// -----`. After a module come remarks with values, in
 * the order of parameters and results: `// in`, `// ct` (cotangents), `// out`, `// grad`; those of
 * device 1 of several are `// in.r1`. Before it there may be `// rtol R`. */
#include <glob.h>
#include <stdlib.h>

#include "eval/value/distance.h"
#include "host/run.h"
#include "parse/parse.h"
#include "passes/autodiff/scope.h"
#include "passes/pipeline/pipeline.h"

static int passed, failed;

/* ---- a module and its remarks ---- */

typedef struct {
    const char *file, *text; /* the text ends where the next module begins */
    hlo_module *module;      /* as it is differentiated */
    hlo_arena arena;         /* of values */
    hlo_diags *diags;
    char about[128]; /* passes */
} example;

static void report(example *e, const char *what) {
    int length = (int)strcspn(strstr(e->text, "HloModule "), "\n");
    printf("%s: %.*s: %s: %s\n", e->file, length, strstr(e->text, "HloModule "), e->about, what);
    hlo_diags_render(e->diags, stdout, false);
}

/* The value in the number-th remark of that kind; NULL: there is none. */
static const char *remark(const example *e, const char *kind, uint32_t device, uint32_t number) {
    char start[32];
    snprintf(start, sizeof start, device ? "\n// %s.r%u " : "\n// %s ", kind, device);
    const char *at = e->text;
    for (uint32_t i = 0; at && i <= number; i++) at = strstr(i ? at + 1 : at, start);
    if (!at && device == 0) {
        snprintf(start, sizeof start, "\n// %s.r0 ", kind);
        at = e->text;
        for (uint32_t i = 0; at && i <= number; i++) at = strstr(i ? at + 1 : at, start);
    }
    return at ? at + strlen(start) : NULL;
}

static hlo_literal *value_of(example *e, const char *text, const hlo_shape *shape) {
    hlo_literal *literal = NULL;
    hlo_source *source = hlo_source_from_text("remark", text, strcspn(text, "\n"));
    hlo_parse_literal(source, shape, &e->arena, e->diags, &literal);
    hlo_source_release(source);
    return literal;
}

static hlo_module *read_module(example *e) {
    hlo_source *source = hlo_source_from_text(e->file, e->text, strlen(e->text));
    hlo_module *module = NULL;
    if (hlo_parse(source, e->diags, &module) != HLO_OK) report(e, "is no module");
    hlo_source_release(source);
    return module;
}

static bool differentiate(example *e) {
    hlo_pipeline *pipeline;
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    bool good = hlo_pipeline_parse("pipeline", e->about, e->diags, &pipeline) == HLO_OK &&
                hlo_pipeline_execute_with(pipeline, e->module, &options, e->diags, NULL) == HLO_OK;
    hlo_pipeline_free(pipeline);
    return good;
}

/* ---- a run ---- */

/* Inputs, then cotangents. */
static bool set_input(example *e, hlo_run *run, uint32_t device, uint32_t leaf, uint32_t inputs) {
    const char *text =
        leaf < inputs ? remark(e, "in", device, leaf) : remark(e, "ct", device, leaf - inputs);
    hlo_literal *value = text ? value_of(e, text, run->inputs[leaf].shape) : NULL;
    hlo_array array;
    if (!value || hlo_run_input(run, device, leaf, e->diags, &array) != HLO_OK) return false;
    array.data = value->data;
    return hlo_run_set_input(run, device, leaf, &array, e->diags) == HLO_OK;
}

static hlo_tolerance tolerance_of(const example *e) {
    const char *given = strstr(e->text, "// rtol ");
    if (!given) return (hlo_tolerance){.auto_rtol = true};
    double rtol = strtod(given + strlen("// rtol "), NULL);
    return (hlo_tolerance){.rtol = rtol, .atol = rtol};
}

static bool is_right(example *e, const hlo_value *got, const char *text) {
    hlo_literal *wanted = text ? value_of(e, text, got->shape) : NULL;
    if (!wanted) return false;
    const hlo_literal found = {.shape = got->shape, .data = got->data};
    const hlo_tolerance tolerance = tolerance_of(e);
    hlo_comparison comparison = hlo_compare_arrays(&found, wanted, &tolerance);
    if (!comparison.different) return true;
    hlo_buf text_of = HLO_BUF_INIT;
    hlo_comparison_print(&text_of, "", &comparison, &found, wanted);
    printf("%.*s", (int)text_of.len, text_of.data);
    hlo_buf_free(&text_of);
    return false;
}

/* `only`: there is one gradient, with that number in the remarks; -1: all. */
static bool are_right(example *e, hlo_run *run, uint32_t device, uint32_t results, int only) {
    const hlo_run *of = device ? run->others[device - 1] : run;
    for (uint32_t leaf = 0; leaf < hlo_run_output_count(run); leaf++) {
        uint32_t gradient = only >= 0 ? (uint32_t)only : leaf - results;
        const char *text =
            leaf < results ? remark(e, "out", device, leaf) : remark(e, "grad", device, gradient);
        if (!is_right(e, of->outputs[leaf], text)) return false;
    }
    return true;
}

static bool runs_right(example *e, uint32_t inputs, uint32_t results, int only) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    hlo_run *run;
    bool good = hlo_run_prepare(e->module, &options, e->diags, &run) == HLO_OK;
    for (uint32_t d = 0; good && d < hlo_run_device_count(run); d++)
        for (uint32_t leaf = 0; good && leaf < hlo_run_input_count(run); leaf++)
            good = set_input(e, run, d, leaf, inputs);
    good = good && hlo_run_execute(run, e->diags) == HLO_OK;
    for (uint32_t d = 0; good && d < hlo_run_device_count(run); d++)
        good = are_right(e, run, d, results, only);
    hlo_run_free(run);
    return good;
}

/* ---- a module ---- */

/* By parameter `by`; by all: -1. `only` as above. */
static void test(const example *of, int by, int only) {
    example e = *of;
    e.diags = hlo_diags_create(1);
    hlo_arena_init(&e.arena);
    if (by < 0) snprintf(e.about, sizeof e.about, "autodiff");
    else snprintf(e.about, sizeof e.about, "autodiff{wrt=%d}", by);
    e.module = read_module(&e);
    bool good = false;
    if (e.module) {
        uint32_t inputs = e.module->entry->parameter_count;
        uint32_t results = hlo_shape_leaf_count(e.module->entry->root->shape);
        good = differentiate(&e) && runs_right(&e, inputs, results, only);
    }
    if (good) passed++;
    else failed++, report(&e, "fails");
    hlo_module_free(e.module);
    hlo_arena_free(&e.arena);
    hlo_diags_free(e.diags);
}

/* ---- what there are cases of ---- */

static bool has_case[HLO_OP_COUNT][HLO_TYPE_COUNT];

static void count_leaves(hlo_opcode opcode, const hlo_shape *shape) {
    for (uint32_t i = 0; i < hlo_shape_leaf_count(shape); i++)
        has_case[opcode][hlo_shape_leaf(shape, i)->type] = true;
}

static void count_cases(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            count_leaves((hlo_opcode)i->opcode, i->shape);
            for (uint32_t k = 0; k < i->operand_count; k++)
                count_leaves((hlo_opcode)i->opcode, hlo_operand(i, k)->shape);
        }
}

/* Types that have a sign and a mantissa: JAX computes in them. */
static bool is_wanted(hlo_type type) {
    bool is_small = hlo_types[type].bits < 8 || hlo_types[type].mantissa_bits < 2;
    return hlo_type_is_complex(type) || (hlo_type_is_float(type) && !is_small);
}

/* Why there is no case: a line `OP TYPES REASON`, types separated by commas. */
static const char *excuse(const char *excuses, hlo_opcode opcode, hlo_type type) {
    char start[64], name[32];
    snprintf(start, sizeof start, "\n%s ", hlo_ops[opcode].text);
    snprintf(name, sizeof name, ",%s,", hlo_types[type].text);
    for (const char *at = strstr(excuses, start); at; at = strstr(at + 1, start)) {
        const char *types = at + strlen(start);
        char list[256];
        snprintf(list, sizeof list, ",%.*s,", (int)strcspn(types, " \n"), types);
        if (strstr(list, name)) return at;
    }
    return NULL;
}

static void check_case(const char *excuses, hlo_opcode opcode, hlo_type type) {
    bool is_excused = excuse(excuses, opcode, type) != NULL;
    if (is_excused != has_case[opcode][type]) {
        passed++;
        return;
    }
    failed++;
    printf("%s of %s: %s\n", hlo_ops[opcode].text, hlo_types[type].text,
           is_excused
               ? "there is a case and a reason why there is none (gradients/without.txt)"
               : "there is no case in tests/autodiff/gradients, and no reason in without.txt");
}

static void check_cases(const char *excuses) {
    for (int opcode = 0; opcode < HLO_OP_COUNT; opcode++) {
        hlo_gradient_rule *rule = hlo_gradient_rule_of((hlo_opcode)opcode);
        for (int type = 0; rule && rule != hlo_gradient_none && type < HLO_TYPE_COUNT; type++)
            if (is_wanted((hlo_type)type)) check_case(excuses, (hlo_opcode)opcode, (hlo_type)type);
    }
}

/* ---- files ---- */

static char *read_text_file(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file || getdelim(&text, &size, '\0', file) < 0) {
        printf("%s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* Of the floating parameters, in order. */
static void test_each(const example *e, const hlo_module *module) {
    int number = 0;
    for (uint32_t i = 0; i < module->entry->parameter_count; i++)
        if (hlo_is_floating(module->entry->parameters[i]->shape)) test(e, (int)i, number++);
}

static void test_module(const char *file, const char *text) {
    example e = {.file = file, .text = text, .diags = hlo_diags_create(1)};
    hlo_module *module = read_module(&e);
    if (module) {
        count_cases(module);
        test(&e, -1, -1);
        if (module->entry->parameter_count > 1) test_each(&e, module);
    } else {
        failed++;
    }
    hlo_module_free(module);
    hlo_diags_free(e.diags);
}

static void test_file(const char *file) {
    static const char line[] = "// -----\n";
    char *text = read_text_file(file), *next;
    for (char *at = text; at; at = next) {
        next = strstr(at, line);
        if (next) *next = '\0', next += strlen(line);
        test_module(file, at);
    }
    free(text);
}

int main(int argc, char **argv) {
    char path[4096];
    const char *root = getenv("HLO_ROOT");
    glob_t files;
    snprintf(path, sizeof path, "%s/tests/autodiff/gradients/%s.hlo", root ? root : ".",
             argc > 1 ? argv[1] : "*");
    if (glob(path, 0, NULL, &files) != 0) return 1;
    for (size_t i = 0; i < files.gl_pathc; i++) test_file(files.gl_pathv[i]);
    globfree(&files);
    snprintf(path, sizeof path, "%s/tests/autodiff/gradients/without.txt", root ? root : ".");
    char *excuses = read_text_file(path);
    if (argc == 1) check_cases(excuses);
    free(excuses);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
