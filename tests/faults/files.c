/* The modules and files that the rows read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "faults/faults.h"

#define BODY(constant)                                                                       \
    "HloModule faults\n"                                                                     \
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"       \
    "less { a = f32[] parameter(0) b = f32[] parameter(1)\n"                                 \
    "  ROOT c = pred[] compare(a, b), direction=LT }\n"                                      \
    "square { v = f32[4] parameter(0) ROOT w = f32[4] multiply(v, v) }\n"                    \
    "body { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0\n"      \
    "  one = s32[] constant(1) next = s32[] add(i, one)\n"                                   \
    "  v = f32[4] get-tuple-element(p), index=1\n"                                           \
    "  w = f32[4] fusion(v), kind=kLoop, calls=square,\n"                                    \
    "    metadata={op_name=\"loop/multiply\" source_file=\"a.py\" source_line=3}\n"          \
    "  ROOT r = (s32[], f32[4]) tuple(next, w) }\n"                                          \
    "condition { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0\n" \
    "  n = s32[] constant(2) ROOT l = pred[] compare(i, n), direction=LT }\n"                \
    "ENTRY main {\n"                                                                         \
    "  x = f32[8,16] parameter(0), sharding={replicated}\n"                                  \
    "  y = f32[16,4] parameter(1)\n"                                                         \
    "  z = s32[4] parameter(2), frontend_attributes={kind=\"index\"}\n"                      \
    "  d = f32[8,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"         \
    "  zero = f32[] constant(0)\n"                                                           \
    "  s = f32[4] reduce(d, zero), dimensions={0}, to_apply=add\n"                           \
    "  c = f32[4] constant(" constant ")\n"                                                  \
    "  k = f32[4] add(c, c) e = f32[4] multiply(s, k) again = f32[4] multiply(s, k)\n"       \
    "  both = f32[4] maximum(e, again) start = s32[] constant(0)\n"                          \
    "  t = (s32[], f32[4]) tuple(start, both)\n"                                             \
    "  l = (s32[], f32[4]) while(t), condition=condition, body=body\n"                       \
    "  g = f32[4] get-tuple-element(l), index=1\n"                                           \
    "  sorted = f32[8,4] sort(d), dimensions={0}, to_apply=less\n"                           \
    "  turned = f32[4,8] transpose(sorted), dimensions={1,0}\n"                              \
    "  padding = f32[] constant(1)\n"                                                        \
    "  padded = f32[6,8] pad(turned, padding), padding=1_1x0_0\n"                            \
    "  window = f32[5,8] reduce-window(padded, zero), window={size=2x1}, to_apply=add\n"     \
    "  picked = f32[4,16] gather(x, z), offset_dims={1}, collapsed_slice_dims={0},\n"        \
    "    start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}\n"                      \
    "  ROOT out = (f32[4], f32[5,8], f32[4,16]) tuple(g, window, picked)\n"                  \
    "}\n"

const char faults_text[] = BODY("{1, 2, 3, 4}");
const char faults_second_text[] = BODY("{1, 2, 3, 5}");

/* Two heavy steps that do not depend on each other, with pieces within each. */
const char faults_threaded_text[] =
    "HloModule threaded\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
    "ENTRY main {\n"
    "  x = f32[192,192] parameter(0) y = f32[192,192] parameter(1)\n"
    "  d = f32[192,192] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  e = f32[192,192] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  p = f32[192,192] exponential(x) q = f32[192,192] multiply(p, d)\n"
    "  zero = f32[] constant(0)\n"
    "  s = f32[192] reduce(e, zero), dimensions={0}, to_apply=add\n"
    "  ROOT out = (f32[192,192], f32[192]) tuple(q, s)\n"
    "}\n";

const char faults_broken_text[] = "HloModule broken\n"
                                  "ENTRY main {\n"
                                  "  x = f32[8,16] parametr(0)\n"
                                  "  y = f32[8,16] add(x, missing)\n"
                                  "  z = f32[8,16] multiply(y, y), dimensions={1}\n"
                                  "  ROOT w = f32[8 tuple(z)\n"
                                  "}\n";

const char *faults_path(faults_case *c, const char *name) {
    snprintf(c->path, sizeof c->path, "%s/%s", c->folder, name);
    return c->path;
}

/* One array goes in, two come out, and then the result. */
static const char feeds[] = "HloModule feeds\n"
                            "ENTRY main {\n"
                            "  t = token[] after-all()\n"
                            "  i = (f32[8,16], token[]) infeed(t)\n"
                            "  u = token[] get-tuple-element(i), index=1\n"
                            "  x = f32[8,16] get-tuple-element(i), index=0\n"
                            "  v = token[] outfeed(x, u), outfeed_shape=f32[8,16]\n"
                            "  y = f32[8,16] negate(x)\n"
                            "  w = token[] outfeed(y, v), outfeed_shape=f32[8,16]\n"
                            "  ROOT r = f32[8,16] add(x, y)\n"
                            "}\n";

static void must(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "faults: cannot make %s\n", what);
    exit(2);
}

static void write_bytes(faults_case *c, const char *name, const void *bytes, size_t count) {
    FILE *to = fopen(faults_path(c, name), "wb");
    must(to && fwrite(bytes, 1, count, to) == count, name);
    fclose(to);
}

static void write_packed(faults_case *c) {
    static char packed[1 << 16];
    size_t n = ZSTD_compress(packed, sizeof packed, faults_text, strlen(faults_text), 1);
    write_bytes(c, "m.hlo.zst", packed, n);
    gzFile to = gzopen(faults_path(c, "m.hlo.gz"), "wb");
    must(to && gzwrite(to, faults_text, (unsigned)strlen(faults_text)) > 0, "m.hlo.gz");
    gzclose(to);
}

static void parse(faults_case *c, const char *text) {
    hlo_source *source = hlo_source_from_text("text", text, strlen(text));
    must(hlo_parse(source, c->diags, &c->module) == HLO_OK, text);
    hlo_source_free(source);
}

static void commit(faults_case *c, const char *name, bool is_json) {
    hlo_output *output;
    must(hlo_output_open(faults_path(c, name), c->diags, &output) == HLO_OK, name);
    hlo_status status = is_json
                            ? hlo_write_json(c->module, HLO_AS_MODULE_PROTO, true, output, c->diags)
                            : hlo_write_proto(c->module, HLO_AS_MODULE_PROTO, output, c->diags);
    must(status == HLO_OK && hlo_output_commit(output, c->diags) == HLO_OK, name);
    hlo_output_free(output);
}

/* Runs the module on the inputs of the rows and leaves its results in files. */
static void run(faults_case *c, const char *const *names, const char *literal) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    must(hlo_run_prepare(c->module, &options, c->diags, &c->run) == HLO_OK &&
             hlo_run_fill_inputs(c->run, HLO_FILL_HASH_POSITIVE, 1, c->diags) == HLO_OK &&
             hlo_run_execute(c->run, c->diags) == HLO_OK,
         "results");
    for (; *names; names++)
        must(hlo_run_write_outputs(c->run, faults_path(c, *names), c->diags) == HLO_OK, *names);
    if (literal) {
        hlo_output *output;
        must(hlo_output_open(faults_path(c, literal), c->diags, &output) == HLO_OK, literal);
        hlo_run_write_literal(c->run, 0, output, c->diags);
        must(hlo_output_commit(output, c->diags) == HLO_OK, literal);
        hlo_output_free(output);
    }
    hlo_run_free(c->run);
    hlo_module_free(c->module);
}

/* A snapshot: a module, what it was run on, and what came out. */
static void write_recording(faults_case *c) {
    static char text[1 << 13];
#define RECORDED                                                                   \
    "{\"shape\": {\"elementType\": \"F32\", \"dimensions\": [\"2\"], \"layout\": " \
    "{\"minorToMajor\": [\"0\"]}}, \"f32s\": "
    parse(c, "HloModule r\nENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] add(x, x) }\n");
    hlo_output *output = hlo_output_to_memory();
    size_t count;
    must(hlo_write_json(c->module, HLO_AS_MODULE_PROTO, false, output, c->diags) == HLO_OK,
         "a recording");
    const char *module = hlo_output_bytes(output, &count);
    int n = snprintf(text, sizeof text,
                     "{\"hlo\": {\"hloModule\": %.*s}, \"executionPlatform\": \"cpu\",\n"
                     "\"arguments\": [" RECORDED "[1, 2]}], \"result\": " RECORDED "[2, 4]}}\n",
                     (int)count, module);
    write_bytes(c, "recorded.json", text, (size_t)n);
    hlo_output_free(output);
    hlo_module_free(c->module);
}

void faults_write_files(const char *folder) {
    static const char *const results[] = {"expected", "expected.npz", "expected.json", NULL};
    static const char *const input[] = {"x.npy", "x.npz", "x.json", NULL};
    static const char inputs[] = "{\"in2\": [0, 1, 2, 3], \"out9\": [\"a\"]}\n";
    faults_case c = {.folder = folder, .diags = hlo_diags_create(0)};
    write_bytes(&c, "m.hlo", faults_text, strlen(faults_text));
    write_bytes(&c, "feeds.hlo", feeds, strlen(feeds));
    write_bytes(&c, "inputs.json", inputs, strlen(inputs));
    write_packed(&c);
    parse(&c, faults_text);
    commit(&c, "m.json", true);
    commit(&c, "m.pb", false);
    run(&c, results, NULL);
    parse(&c, "HloModule x\nENTRY main { ROOT x = f32[8,16] parameter(0) }\n");
    run(&c, input, "x.txt");
    write_recording(&c);
    must(mkdir(faults_path(&c, "inputs"), 0777) == 0, "inputs");
    char from[4096];
    snprintf(from, sizeof from, "%s", faults_path(&c, "x.npy"));
    must(link(from, faults_path(&c, "inputs/in0.npy")) == 0, "inputs/in0.npy");
    hlo_diags_free(c.diags);
}
