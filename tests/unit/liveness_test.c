/* When arrays are in memory, and how many bytes that takes: src/analysis/liveness.h. */
#include <stdio.h>

#include "analysis/liveness.h"
#include "unit/read_text.h"

static int passed, failed;

/* A body of the entry computation, and the bytes that it needs at a time. */
typedef struct {
    const char *what;
    const char *header; /* of the module */
    const char *body;
    double peak;
} example;

#define X "x = f32[100] parameter(0)\n"
#define CALLED                      \
    "square {\n"                    \
    "  p = f32[100] parameter(0)\n" \
    "  n = f32[100] negate(p)\n"    \
    "  ROOT m = f32[100] multiply(n, n)\n}\n"

static const example examples[] = {
    {"a parameter is there all the time", "", X "a = f32[100] negate(x)\nROOT b = f32[100] abs(a)",
     1200},
    {"one that is given away goes after its last use",
     ", input_output_alias={ {}: (0, {}, may-alias) }",
     X "a = f32[100] negate(x)\nROOT b = f32[100] abs(a)", 800},
    {"so does one of a tuple, alone", ", buffer_donor={ (0, {1}) }",
     "x = (f32[100], f32[100]) parameter(0)\n"
     "y = f32[100] get-tuple-element(x), index=0\n"
     "z = f32[100] get-tuple-element(x), index=1\n"
     "a = f32[100] add(y, z)\nROOT b = f32[100] abs(a)",
     1200},
    {"a constant is there all the time", "",
     X "c = f32[2] constant({1, 2})\na = f32[100] negate(x)\nROOT b = f32[100] abs(a)", 1208},
    {"an array that nothing uses is there once", "",
     X "a = f32[100] negate(x)\nROOT b = f32[2] iota(), iota_dimension=0", 800},
    {"tuples hold what they are made of", "",
     X "a = f32[100] negate(x)\nt = (f32[100], f32[100]) tuple(a, x)\n"
       "g = f32[100] get-tuple-element(t), index=0\nb = f32[10,10] bitcast(g)\n"
       "ROOT c = f32[10,10] abs(b)",
     1200},
    {"an update is in place", "",
     X "a = f32[100] negate(x)\nu = f32[1] slice(x), slice={[0:1]}\nz = s32[] constant(0)\n"
       "ROOT d = f32[100] dynamic-update-slice(a, u, z)",
     808},
    {"but where its operand is read later", "",
     X "a = f32[100] negate(x)\nu = f32[1] slice(x), slice={[0:1]}\nz = s32[] constant(0)\n"
       "d = f32[100] dynamic-update-slice(a, u, z)\n"
       "ROOT t = (f32[100], f32[100]) tuple(a, d)",
     1208},
    {"and where that is the caller's", "",
     X "u = f32[1] slice(x), slice={[0:1]}\nz = s32[] constant(0)\n"
       "ROOT d = f32[100] dynamic-update-slice(x, u, z)",
     808},
    {"a transfer reads its operand until it is done, and no longer", "",
     X "a = f32[100] negate(x)\n"
       "s = (f32[100], f32[100], u32[]) copy-start(a)\nb = f32[100] abs(x)\n"
       "d = f32[100] copy-done(s)\n"
       "t = (f32[100], f32[100], u32[]) copy-start(d)\nc = f32[100] negate(b)\n"
       "e = f32[100] copy-done(t)\nROOT f = f32[100] add(c, e)",
     2404},
    {"a call needs what its computation does, beyond arguments", "",
     X "ROOT c = f32[100] call(x), to_apply=square", 1600},
};

static void check(const example *e) {
    char text[2048];
    snprintf(text, sizeof text, "HloModule m%s\n%sENTRY main {\n%s\n}\n", e->header, CALLED,
             e->body);
    hlo_module *module = read_text(text);
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    double *peaks = hlo_computation_peaks(&graph, module);
    double peak = peaks[module->entry->id];
    bool good = peak == e->peak; /* NOLINT: whole numbers */
    if (good) passed++;
    else failed++;
    if (!good) printf("%s: %.0f bytes instead of %.0f\n", e->what, peak, e->peak);
    hlo_free(peaks);
    hlo_call_graph_free(&graph);
    hlo_module_free(module);
}

int main(void) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i]);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
