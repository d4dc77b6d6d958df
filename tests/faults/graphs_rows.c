/* Calls of runs that are not of one structured program on one device: dataflow graphs, whole, cut
 * over devices and with events, and stacks in a file. */
#include <string.h>

#include "faults/rows.h"

/* A loop of arrays, one of scalars, a conditional, constants of tuples. */
static const char graph_text[] =
    "HloModule graph\n"
    "condition { p = (s32[], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  n = s32[] constant(3)\n"
    "  ROOT l = pred[] compare(i, n), direction=LT }\n"
    "body { p = (s32[], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  v = f32[8] get-tuple-element(p), index=1\n"
    "  k = (s32[], f32[]) constant((1, 2))\n"
    "  one = s32[] get-tuple-element(k), index=0\n"
    "  two = f32[] get-tuple-element(k), index=1\n"
    "  twos = f32[8] broadcast(two), dimensions={}\n"
    "  next = s32[] add(i, one)\n"
    "  w = f32[8] multiply(v, twos)\n"
    "  ROOT r = (s32[], f32[8]) tuple(next, w) }\n"
    "counted { p = (s32[], s32[]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  n = s32[] constant(5)\n"
    "  ROOT l = pred[] compare(i, n), direction=LT }\n"
    "count { p = (s32[], s32[]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  s = s32[] get-tuple-element(p), index=1\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  sum = s32[] add(s, next)\n"
    "  ROOT r = (s32[], s32[]) tuple(next, sum) }\n"
    "yes { a = f32[8] parameter(0) ROOT b = f32[8] sine(a) }\n"
    "no { a = f32[8] parameter(0) ROOT b = f32[8] negate(a) }\n"
    "ENTRY main { x = f32[8] parameter(0)\n"
    "  zero = s32[] constant(0)\n"
    "  s = (s32[], f32[8]) tuple(zero, x)\n"
    "  w = (s32[], f32[8]) while(s), condition=condition, body=body\n"
    "  v = f32[8] get-tuple-element(w), index=1\n"
    "  t = (s32[], s32[]) tuple(zero, zero)\n"
    "  c = (s32[], s32[]) while(t), condition=counted, body=count\n"
    "  m = s32[] get-tuple-element(c), index=1\n"
    "  k = s32[] constant(14)\n"
    "  q = pred[] compare(m, k), direction=GT\n"
    "  y = f32[8] conditional(q, v, x), true_computation=yes, false_computation=no\n"
    "  ROOT r = (f32[8], s32[]) tuple(y, m) }\n";

/* Threads take longer to begin than all else. */
static const char branches_text[] =
    "HloModule branches\n"
    "yes { a = f32[64] parameter(0) ROOT b = f32[64] sine(a) }\n"
    "no { a = f32[64] parameter(0) ROOT b = f32[64] negate(a) }\n"
    "ENTRY main { x = f32[64] parameter(0) q = pred[] parameter(1)\n"
    "  ROOT y = f32[64] conditional(q, x, x), true_computation=yes, false_computation=no }\n";

static const char stacks_text[] = "HloModule stacks\n"
                                  "ENTRY main { x = f32[512] parameter(0)\n"
                                  "  y = f32[512] negate(x)\n"
                                  "  e = opaque[] stack-create(), element=f32[512]\n"
                                  "  a = opaque[] stack-push(e, x)\n"
                                  "  b = opaque[] stack-push(a, y)\n"
                                  "  c = opaque[] stack-push(b, x)\n"
                                  "  d = (opaque[], f32[512]) stack-pop(c)\n"
                                  "  g = opaque[] get-tuple-element(d), index=0\n"
                                  "  h = f32[512] get-tuple-element(d), index=1\n"
                                  "  i = (opaque[], f32[512]) stack-pop(g)\n"
                                  "  j = opaque[] get-tuple-element(i), index=0\n"
                                  "  k = f32[512] get-tuple-element(i), index=1\n"
                                  "  l = (opaque[], f32[512]) stack-pop(j)\n"
                                  "  m = f32[512] get-tuple-element(l), index=1\n"
                                  "  n = f32[512] add(h, k)\n"
                                  "  ROOT r = f32[512] add(n, m) }\n";

static bool digest_results(faults_case *c) {
    for (uint32_t k = 0; k < hlo_run_output_count(c->run); k++) {
        hlo_array array;
        if (hlo_run_output(c->run, 0, k, c->diags, &array) != HLO_OK) return false;
        faults_digest(c, array.data, hlo_array_bytes(&array));
    }
    return true;
}

/* A failed execution leaves a run that can be executed. */
static bool run_text(faults_case *c, const char *text, const hlo_run_options *options) {
    c->made_source = hlo_source_from_text("graph", text, strlen(text));
    return c->made_source && hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK &&
           hlo_verify(c->made, c->diags) == HLO_OK &&
           hlo_run_prepare(c->made, options, c->diags, &c->run) == HLO_OK &&
           hlo_run_fill_inputs(c->run, HLO_FILL_HASH, 1, c->diags) == HLO_OK &&
           (hlo_run_execute(c->run, c->diags) == HLO_OK ||
            hlo_run_execute(c->run, c->diags) == HLO_OK) &&
           digest_results(c);
}

static hlo_run_options dataflow_on(uint32_t threads) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.graph.executor = HLO_EXECUTOR_DATAFLOW;
    options.threads = threads;
    return options;
}

CALL(run_graph) {
    hlo_run_options options = dataflow_on(1);
    return run_text(c, graph_text, &options);
}

CALL(run_graph_tokens) {
    hlo_run_options options = dataflow_on(1);
    options.graph.lower_scalar_loops = true;
    options.engine = HLO_ENGINE_REFERENCE;
    return run_text(c, graph_text, &options);
}

CALL(run_graph_threads) {
    hlo_run_options options = dataflow_on(3);
    return run_text(c, branches_text, &options);
}

CALL(run_graph_devices) {
    hlo_run_options options = dataflow_on(1);
    options.graph.devices = 3;
    return run_text(c, graph_text, &options);
}

static bool run_events(faults_case *c, const char *name, bool is_chrome) {
    char path[4096];
    hlo_run_options options = dataflow_on(1);
    strcpy(path, faults_path(c, name));
    options.graph.events = path;
    options.graph.chrome_events = is_chrome;
    bool good = run_text(c, graph_text, &options);
    hlo_run_free(c->run); /* which has the name */
    c->run = NULL;
    return good;
}

CALL(run_graph_events) {
    return run_events(c, "events.jsonl", false);
}
CALL(run_graph_trace) {
    return run_events(c, "events.json", true);
}

static bool run_stacks(faults_case *c, hlo_run_options options) {
    char path[4096];
    strcpy(path, faults_path(c, "."));
    options.memory.swap_directory = path;
    options.memory.swap_threshold = 1;
    bool good = run_text(c, stacks_text, &options);
    hlo_run_free(c->run);
    c->run = NULL;
    return good;
}

CALL(run_stacks) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    return run_stacks(c, options);
}

CALL(run_graph_stacks) {
    return run_stacks(c, dataflow_on(1));
}

CALL(run_reference) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    options.engine = HLO_ENGINE_REFERENCE;
    return run_text(c, graph_text, &options);
}

const faults_row faults_graphs_rows[] = {
    {"hlo_run_execute", "reference", SPENDS, call_run_reference},
    {"hlo_run_execute", "swapping", SPENDS | IS_THREADED, call_run_stacks},
    {"hlo_run_execute", "graph", SPENDS, call_run_graph},
    {"hlo_run_execute", "graph, tokens", SPENDS, call_run_graph_tokens},
    {"hlo_run_execute", "graph, threads", SPENDS | IS_THREADED, call_run_graph_threads},
    {"hlo_run_execute", "graph, parts", SPENDS, call_run_graph_devices},
    {"hlo_run_execute", "graph, events", SPENDS, call_run_graph_events},
    {"hlo_run_execute", "graph, trace", SPENDS, call_run_graph_trace},
    {"hlo_run_execute", "graph, swap", SPENDS | IS_THREADED, call_run_graph_stacks},
    {0},
};
