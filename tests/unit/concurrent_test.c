/* Threads that use the library at once, each on separate modules: parse, verify, optimise, print,
 * write and read messages, diff, draw, run, make mistakes. Each must write the bytes that one
 * thread alone writes; under ThreadSanitizer nothing that they share may race. Only hlo.h is
 * included. */
#include <hlo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, MODULES = 4, TIMES = 5 };

/* Loops, calls, random numbers, conversions of small floats, a product, and a factorisation, for
 * which LAPACK is loaded. */
static const char *const texts[MODULES] = {
    "HloModule loop\n"
    "body { s = (s32[], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  v = f32[8] get-tuple-element(s), index=1\n"
    "  w = f32[8] exponential(v)\n"
    "  ROOT r = (s32[], f32[8]) tuple(next, w) }\n"
    "cond { s = (s32[], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(2)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT }\n"
    "ENTRY e { x = f32[8] parameter(0)\n"
    "  zero = s32[] constant(0)\n"
    "  start = (s32[], f32[8]) tuple(zero, x)\n"
    "  unused = f32[8] negate(x)\n"
    "  ROOT w = (s32[], f32[8]) while(start), condition=cond, body=body }\n",
    "HloModule random\n"
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
    "ENTRY e { x = f8e4m3fn[16] parameter(0)\n"
    "  y = f32[16] convert(x)\n"
    "  low = f32[] constant(0)\n"
    "  high = f32[] constant(1)\n"
    "  r = f32[16] rng(low, high), distribution=rng_uniform\n"
    "  s = f32[16] multiply(r, y)\n"
    "  ROOT t = f32[] reduce(s, low), dimensions={0}, to_apply=add }\n",
    "HloModule product\n"
    "ENTRY e { a = f64[6,6] parameter(0)\n"
    "  b = f64[6,6] parameter(1)\n"
    "  d = f64[6,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  t = f64[6,6] transpose(d), dimensions={1,0}\n"
    "  again = f64[6,6] transpose(t), dimensions={1,0}\n"
    "  ROOT s = f64[6,6] sort(again), dimensions={0}, to_apply=less }\n",
    "HloModule factors\n"
    "ENTRY e { a = f32[3,3] parameter(0)\n"
    "  ROOT c = (f32[3,3], f32[3]) custom-call(a), custom_call_target=\"lapack_sgeqrf_ffi\", "
    "api_version=API_VERSION_TYPED_FFI }\n",
};

/* A module may need computations that are defined before. */
static const char comparator[] = "less { p = f64[] parameter(0)\n q = f64[] parameter(1)\n"
                                 "  ROOT l = pred[] compare(p, q), direction=LT }\n";

static const char broken[] = "HloModule b\nENTRY e { x = f32[2] parameter(0)\n"
                             "  y = f32[3] no-such-op(x)\n  z = f32[3] add(y, y) }\n";

static int failures; /* of the main thread, before and after the others */

static void put(hlo_output *to, const char *what, hlo_status status) {
    char line[64];
    int n = snprintf(line, sizeof line, "%s: %d\n", what, (int)status);
    hlo_output_write(to, line, (size_t)n);
}

static hlo_module *parse(const char *text, hlo_diags *diags) {
    hlo_source *source = hlo_source_from_text("text", text, strlen(text));
    hlo_module *module;
    hlo_read_module(source, diags, &module);
    hlo_source_free(source);
    return module;
}

static hlo_module *parse_number(size_t number, hlo_diags *diags) {
    char text[2048];
    const char *end = strchr(texts[number], '\n') + 1;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(end - texts[number]), texts[number],
             strstr(texts[number], "less }") ? comparator : "", end);
    return parse(text, diags);
}

static void optimise(hlo_module *module, hlo_output *to, hlo_diags *diags) {
    hlo_pipeline *pipeline;
    hlo_pass_stats *stats = hlo_pass_stats_create();
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.stats = stats;
    hlo_status status =
        hlo_pipeline_parse("passes", "fix(algsimp,constant-folding,cse,dce)", diags, &pipeline);
    if (status == HLO_OK)
        status = hlo_pipeline_execute_with(pipeline, module, &options, diags, NULL);
    put(to, "passes", status);
    hlo_pipeline_free(pipeline);
    hlo_pass_stats_free(stats);
}

static void write_forms(hlo_module *module, hlo_output *to, hlo_diags *diags) {
    hlo_graph_options graph = HLO_GRAPH_OPTIONS_INIT;
    put(to, "text", hlo_write_text(module, NULL, to, diags));
    put(to, "json", hlo_write_json(module, HLO_AS_MODULE_PROTO, true, to, diags));
    put(to, "proto", hlo_write_proto(module, HLO_AS_HLO_PROTO, to, diags));
    put(to, "graph", hlo_write_graph(module, NULL, to, diags));
    graph.layout = HLO_LAYOUT_FAST;
    put(to, "layout", hlo_write_graph(module, &graph, to, diags));
}

/* The message of a module is read again, and is the module. */
static void read_message(hlo_module *module, hlo_output *to, hlo_diags *diags) {
    hlo_output *message = hlo_output_to_memory();
    hlo_module *again = NULL;
    bool same = false;
    size_t n;
    put(to, "proto", hlo_write_proto(module, HLO_AS_MODULE_PROTO, message, diags));
    const char *bytes = hlo_output_bytes(message, &n);
    hlo_source *source = hlo_source_from_text("message", bytes, n);
    put(to, "read", hlo_read_module(source, diags, &again));
    put(to, "diff", hlo_write_diff(module, again, NULL, to, diags, &same));
    put(to, "same", (hlo_status)same);
    hlo_module_free(again);
    hlo_source_free(source);
    hlo_output_free(message);
}

static void run(hlo_module *module, hlo_output *to, hlo_diags *diags) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run;
    options.threads = 2;
    options.seed = 3;
    hlo_status status = hlo_run_prepare(module, &options, diags, &run);
    put(to, "prepare", status);
    if (status != HLO_OK) return;
    put(to, "fill", hlo_run_fill_inputs(run, HLO_FILL_HASH_POSITIVE, 7, diags));
    put(to, "run", hlo_run_repeat(run, 2, diags));
    put(to, "literal", hlo_run_write_literal(run, 0, to, diags));
    hlo_run_free(run);
}

/* Errors, and what explains them. */
static void make_mistakes(hlo_output *to, hlo_diags *diags) {
    hlo_module *none = parse(broken, diags);
    hlo_pipeline *pipeline;
    put(to, "broken", none ? HLO_OK : HLO_BAD_MODULE);
    put(to, "pass", hlo_pipeline_parse("passes", "dec", diags, &pipeline));
    put(to, "rule", hlo_explain_rule("operand-count", to, diags));
    put(to, "pass", hlo_explain_pass("algsimp", to, diags));
    hlo_module_free(none);
}

/* All that is done with a module, and what the list of diagnostics holds then. */
static void work(size_t number, hlo_output *to) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse_number(number, diags), *before = parse_number(number, diags);
    hlo_lint *lint = hlo_lint_create();
    hlo_lint_set(lint, "all", HLO_LINT_WARN, diags);
    put(to, "verify", hlo_verify(module, diags));
    put(to, "lint", hlo_lint_module(lint, module, diags));
    hlo_lint_free(lint);
    optimise(module, to, diags);
    put(to, "diff", hlo_write_diff(before, module, NULL, to, diags, NULL));
    write_forms(module, to, diags);
    read_message(module, to, diags);
    run(module, to, diags);
    make_mistakes(to, diags);
    hlo_report *report = hlo_report_begin(HLO_REPORT_SARIF, to);
    hlo_report_add(report, diags);
    hlo_report_end(report);
    hlo_module_free(module);
    hlo_module_free(before);
    hlo_diags_free(diags);
}

typedef struct {
    pthread_t thread;
    size_t first; /* the module that it begins with */
    hlo_output *written[MODULES];
    int differences;
} worker;

static bool is_same(const hlo_output *a, const hlo_output *b) {
    size_t n, m;
    const char *left = hlo_output_bytes(a, &n), *right = hlo_output_bytes(b, &m);
    return n == m && memcmp(left, right, n) == 0;
}

static void *work_often(void *context) {
    worker *w = context;
    for (int time = 0; time < TIMES; time++) {
        for (size_t i = 0; i < MODULES; i++) {
            size_t number = (w->first + i) % MODULES;
            hlo_output *written = hlo_output_to_memory();
            work(number, written);
            if (w->written[number]) {
                w->differences += !is_same(w->written[number], written);
                hlo_output_free(written);
            } else {
                w->written[number] = written;
            }
        }
    }
    return NULL;
}

/* What the first module of each kind must have done: all is well with them. */
static void check_good(const hlo_output *written, size_t number) {
    static const char *const good[] = {"verify: 0\n", "passes: 0\n", "graph: 0\n",  "read: 0\n",
                                       "same: 1\n",   "run: 0\n",    "literal: 0\n"};
    size_t n;
    const char *bytes = hlo_output_bytes(written, &n);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (memmem(bytes, n, good[i], strlen(good[i]))) continue;
        printf("failed: module %zu: no %s", number, good[i]);
        failures++;
    }
}

int main(void) {
    static worker workers[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        workers[t].first = t;
        if (pthread_create(&workers[t].thread, NULL, work_often, &workers[t]) != 0) abort();
    }
    for (size_t t = 0; t < THREADS; t++) pthread_join(workers[t].thread, NULL);
    for (size_t number = 0; number < MODULES; number++) {
        hlo_output *alone = hlo_output_to_memory();
        work(number, alone);
        check_good(alone, number);
        for (size_t t = 0; t < THREADS; t++) {
            if (is_same(workers[t].written[number], alone)) continue;
            printf("failed: thread %zu writes something else of module %zu\n", t, number);
            failures++;
        }
        hlo_output_free(alone);
    }
    for (size_t t = 0; t < THREADS; t++) {
        failures += workers[t].differences;
        for (size_t i = 0; i < MODULES; i++) hlo_output_free(workers[t].written[i]);
    }
    int checks = THREADS * MODULES * TIMES;
    printf("%d passed, %d failed, 0 skipped\n", failures ? 0 : checks, failures);
    return failures != 0;
}
