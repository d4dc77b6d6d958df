/* Engines agree: every golden case and generated modules, by the fast engine with kernels of each
 * instruction set that the machine has. On one thread, as it is written, a module's results are
 * those of the reference engine within rounding; they are the same bits on more threads, prepared
 * for a run, fused as far as it goes, and without generated code, whatever the memory of results
 * held before. What outfeeds get, too.
 *
 *   check_engines                         a sample of the modules (part of `make test`)
 *   check_engines --all [--generated=N]   all golden ones and N generated (`make check-engines`)
 *   check_engines CASE...                 these: files, or seed:N */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fresh.h"
#include "check_passes/cases.h"
#include "check_passes/workers.h"
#include "eval/kernel/isa.h"

static case_list cases;

/* What makes no difference to a result. */
typedef enum { AS_WRITTEN, PREPARED, FUSED } form;
static const struct setting {
    const char *name;
    form form;
    uint32_t threads;
    bool without_code; /* generated for the run */
} settings[] = {
    {"two threads", AS_WRITTEN, 2, false},
    {"four threads", AS_WRITTEN, 4, false},
    {"prepared", PREPARED, 1, false},
    {"prepared, four threads", PREPARED, 4, false},
    {"fused", FUSED, 1, false},
    {"fused, two threads", FUSED, 2, false},
    {"without generated code", AS_WRITTEN, 1, true},
    {"fused, two threads, without generated code", FUSED, 2, true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* The pipeline of runs fuses what is worth it; here everything is that can be. */
#define FUSE_ALL ",fusion{min_elements=2,min_loop_elements=2,split_reductions=true},dce"

/* What the memory of results is filled with. */
static void fill_memory_with(uint64_t pattern) {
    atomic_store(&hlo_fresh_pattern, pattern);
}

/* ---- one run ---- */

typedef struct {
    hlo_run *run; /* NULL: it failed */
    char *effects;
    size_t bytes;
} outcome;

static outcome run_with(const check_case *c, hlo_module *module, const char *isa, form as,
                        uint32_t threads, bool without_code) {
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    how.threads = threads;
    how.as_written = as != PREPARED;
    how.isa = isa;
    how.no_jit = without_code;
    outcome o = {0};
    o.run = check_run(c, module, how, &o.effects, &o.bytes);
    return o;
}

static void drop(outcome *o) {
    hlo_run_free(o->run);
    hlo_free(o->effects);
}

static void judge(const check_case *c, const outcome *got, const outcome *wanted,
                  hlo_pass_class class, const char *isa, const char *setting) {
    char where[128];
    snprintf(where, sizeof where, "%s, %s", isa, setting);
    c->tally->evaluated++;
    c->tally->ordered += wanted->bytes != 0;
    if (!got->run) check_fail(c, where, "does not run");
    else if (!check_same_results(c, got->run, wanted->run, class))
        check_fail(c, where, "computes something else");
    else if (got->bytes != wanted->bytes ||
             (got->bytes && class == HLO_CLASS_EXACT &&
              memcmp(got->effects, wanted->effects, got->bytes) != 0))
        check_fail(c, where, "sends something else out, or in another order");
    else c->tally->passed++;
}

/* ---- one case ---- */

/* A copy with everything in fusions that can be; NULL after an error. */
static hlo_module *fused_copy(const check_case *c) {
    hlo_buf passes = HLO_BUF_INIT;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module = check_read(c, &diags);
    hlo_buf_printf(&passes, "%s%s", hlo_named_pipeline_at(HLO_PIPELINE_RUN)->passes, FUSE_ALL);
    hlo_buf_char(&passes, '\0');
    if (module && hlo_pipeline_run(module, passes.data, &diags) != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    if (!module) check_fail(c, "the pipeline run", "fails");
    hlo_buf_free(&passes);
    hlo_diags_drop(&diags);
    return module;
}

static void check_settings(const check_case *c, hlo_module *fused, const char *isa,
                           const outcome *wanted) {
    fill_memory_with(HLO_FRESH_NAN);
    for (size_t s = 0; s < SETTINGS; s++) {
        const struct setting *by = &settings[s];
        hlo_module *module = by->form == FUSED ? fused : c->original;
        if (!module) continue;
        outcome got = run_with(c, module, isa, by->form, by->threads, by->without_code);
        judge(c, &got, wanted, HLO_CLASS_EXACT, isa, by->name);
        drop(&got);
    }
}

static void check_isas(const check_case *c, const outcome *reference) {
    hlo_module *fused = fused_copy(c);
    const char *isa;
    for (uint32_t i = 0; (isa = hlo_isa_name(i)); i++) {
        fill_memory_with(HLO_FRESH_BYTES);
        outcome first = run_with(c, c->original, isa, AS_WRITTEN, 1, false);
        judge(c, &first, reference, HLO_CLASS_TOLERANCE, isa, "as the reference engine");
        if (first.run) check_settings(c, fused, isa, &first);
        drop(&first);
    }
    hlo_module_free(fused);
}

static outcome run_by_reference(const check_case *c, uint64_t pattern) {
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    fill_memory_with(pattern);
    how.engine = HLO_ENGINE_REFERENCE;
    how.threads = 1;
    outcome o = {0};
    o.run = check_run(c, c->original, how, &o.effects, &o.bytes);
    return o;
}

static void check_reference(const check_case *c, const outcome *first) {
    outcome again = run_by_reference(c, HLO_FRESH_NAN);
    judge(c, &again, first, HLO_CLASS_EXACT, "reference engine", "other memory");
    drop(&again);
}

static void check_one(size_t number, tally *counted) {
    check_case c = {.name = cases.names[number], .tally = counted};
    case_open(&c);
    if (c.original && c.may_run) {
        outcome reference = run_by_reference(&c, HLO_FRESH_BYTES);
        counted->modules++;
        if (reference.run) {
            check_reference(&c, &reference);
            check_isas(&c, &reference);
        } else {
            counted->unknown++;
        }
        drop(&reference);
    } else if (!c.is_generated) {
        counted->skipped++;
        printf("skipped: %s: %s\n", c.name, c.original ? "several devices" : "not accepted");
    }
    case_close(&c);
}

static void died_over(size_t number) {
    printf("%s: the process died\n", cases.names[number]);
}

/* ---- all ---- */

static void report(const tally *t) {
    printf("%llu modules, %llu runs compared (%llu with what outfeeds got), %llu cannot be "
           "executed\n",
           (unsigned long long)t->modules, (unsigned long long)t->evaluated,
           (unsigned long long)t->ordered, (unsigned long long)t->unknown);
    printf("%llu passed, %llu failed, %llu skipped\n", (unsigned long long)t->passed,
           (unsigned long long)t->failed, (unsigned long long)t->skipped);
}

int main(int argc, char **argv) {
    tally sum = {0};
    sum.skipped = cases_from_arguments(&cases, argc, argv);
    share_work(cases.count, check_one, died_over, &sum);
    report(&sum);
    cases_free(&cases);
    return sum.failed != 0;
}
