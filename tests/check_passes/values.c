/* What a module computes before and after passes, and what leaves it through outfeeds on the way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_passes/check.h"
#include "unit/same_values.h"

/* ---- effects ---- */

enum { INFEED_VALUES = 256 };

/* Infeeds take 0, 1, 2 ... and outfeeds leave their arrays in files of this process. */
typedef struct {
    char infeed[64], outfeed[64];
    const char *infeeds[1];
} effect_files;

/* A .npy file of the scalar. */
static void put_scalar(FILE *file, uint32_t value) {
    static const char header[] = "{'descr': '<u4', 'fortran_order': False, 'shape': (), }";
    char head[128] = "\x93NUMPY\x01\x00";
    _Static_assert(sizeof header <= sizeof head - 10, "the header fits");
    memset(head + 8, ' ', sizeof head - 8);
    head[8] = (char)(sizeof head - 10);
    head[9] = 0;
    memcpy(head + 10, header, sizeof header - 1);
    head[sizeof head - 1] = '\n';
    fwrite(head, 1, sizeof head, file);
    fwrite(&value, sizeof value, 1, file);
}

static bool make_files(effect_files *files) {
    snprintf(files->infeed, sizeof files->infeed, "/tmp/check-passes-%d-in.npy", (int)getpid());
    snprintf(files->outfeed, sizeof files->outfeed, "/tmp/check-passes-%d-out.npy", (int)getpid());
    files->infeeds[0] = files->infeed;
    FILE *file = fopen(files->infeed, "w");
    for (uint32_t i = 0; file && i < INFEED_VALUES; i++) put_scalar(file, i);
    return file && fclose(file) == 0;
}

/* What came out, to be freed; NULL: nothing. */
static char *take_effects(const effect_files *files, size_t *bytes) {
    FILE *file = fopen(files->outfeed, "r");
    char *text = NULL;
    *bytes = 0;
    if (file && fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        *bytes = (size_t)ftell(file);
        rewind(file);
        text = hlo_malloc(*bytes);
        if (fread(text, 1, *bytes, file) != *bytes) *bytes = 0;
    }
    if (file) fclose(file);
    unlink(files->outfeed);
    return text;
}

/* ---- runs ---- */

hlo_run *check_run(const check_case *c, hlo_module *module, hlo_run_options how, char **effects,
                   size_t *bytes) {
    hlo_diags *diags = hlo_diags_create(1);
    const char *infeed = c->directory;
    effect_files files;
    how.host.infeed = &infeed;
    how.host.infeed_count = 1;
    *effects = NULL;
    if (c->has_effects && make_files(&files)) {
        how.host.infeed = files.infeeds;
        how.host.outfeed = files.outfeed;
    }
    hlo_run *run = NULL;
    if (hlo_run_prepare(module, &how, diags, &run) != HLO_OK ||
        (c->directory[0] && hlo_run_read_inputs(run, c->directory, true, diags) != HLO_OK) ||
        hlo_run_fill_inputs(run, HLO_FILL_RANDOM, 1, diags) != HLO_OK ||
        hlo_run_execute(run, diags) != HLO_OK) {
        hlo_run_free(run);
        run = NULL;
    }
    if (c->has_effects) {
        *effects = take_effects(&files, bytes);
        unlink(files.infeed);
    }
    hlo_diags_free(diags);
    return run;
}

/* By the engine that constant folding agrees with to the bit. */
static hlo_run *run_plainly(const check_case *c, hlo_module *module, char **effects,
                            size_t *bytes) {
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    how.threads = 1;
    how.as_written = true;
    how.engine = HLO_ENGINE_REFERENCE;
    return check_run(c, module, how, effects, bytes);
}

static bool original_runs(check_case *c) {
    if (!c->wanted && !c->cannot_run)
        c->wanted = run_plainly(c, c->original, &c->wanted_effects, &c->wanted_effect_bytes);
    c->cannot_run = !c->wanted;
    return c->wanted != NULL;
}

void check_forget_values(check_case *c) {
    hlo_run_free(c->wanted);
    hlo_free(c->wanted_effects);
    hlo_free(c->tolerance);
}

/* ---- comparing ---- */

bool check_same_results(const check_case *c, const hlo_run *got, const hlo_run *wanted,
                        hlo_pass_class class) {
    uint32_t n = hlo_run_output_count(wanted);
    if (hlo_run_output_count(got) != n) return false;
    for (uint32_t leaf = 0; leaf < n; leaf++) {
        double more =
            class != HLO_CLASS_EXACT && leaf < c->tolerance_count ? c->tolerance[leaf] : 0;
        if (!same_leaf(result_of(got, leaf), result_of(wanted, leaf), class, more)) return false;
    }
    return true;
}

static bool same_effects(const check_case *c, const char *effects, size_t bytes) {
    return bytes == c->wanted_effect_bytes &&
           (bytes == 0 || memcmp(effects, c->wanted_effects, bytes) == 0);
}

void check_values(check_case *c, hlo_module *module, const char *passes, hlo_pass_class class) {
    if (!original_runs(c)) {
        c->tally->unknown++;
        return;
    }
    char *effects;
    size_t bytes = 0;
    hlo_run *got = run_plainly(c, module, &effects, &bytes);
    c->tally->evaluated++;
    if (!got) check_fail(c, passes, "does not run any more");
    else if (!check_same_results(c, got, c->wanted, class))
        check_fail(c, passes, "computes something else");
    else if (class != HLO_CLASS_VALUES && !same_effects(c, effects, bytes))
        check_fail(c, passes, "sends something else out, or in another order");
    else c->tally->passed++;
    c->tally->ordered += c->wanted_effect_bytes != 0;
    hlo_run_free(got);
    hlo_free(effects);
}
