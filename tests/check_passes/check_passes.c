/* Passes keep values: every module of the golden cases, and generated ones, through every pass that
 * promises it and every pipeline with a name, is verified after each pass and computes the same as
 * before, by the class of the pass; its text, JSON and protobuf are read back equal;
 * what it sends out comes in the same order; nothing moves across
 * opt-barriers; a pipeline that ran to its end changes nothing the second time; passes
 * that lower the peak of memory do not raise it, and after copy-insertion no value is written over
 * that is read later.
 *
 *   check_passes                         a sample of the modules (part of `make test`)
 *   check_passes --all [--generated=N]   all golden ones and N generated (`make check-passes`)
 *   check_passes [-p PASSES] CASE...     these, through these passes only: files, or seed:N
 *
 * The golden cases are directories with module.hlo and in0.npy, in1.npy...; they lie in
 * $HLO_SHARED/golden. HLO_VERBOSE=1 lists what fired how often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_passes/cases.h"
#include "check_passes/workers.h"
#include "parse/parse.h"
#include "passes/memory/schedule.h"

static case_list cases;
static const char *only; /* these passes */

/* ---- passes ---- */

/* A limit that nothing can keep, so that everything that helps is done. */
static const char least_memory[] = "rematerialization{memory_limit=1}";

/* Passes that may report a module as unsupported: differentiation, and those of graphs. */
static bool may_refuse(const char *passes) {
    const hlo_pass_info *pass = hlo_pass_find(hlo_str_from(passes));
    return pass && (pass->group == HLO_GROUP_AUTODIFF || pass->group == HLO_GROUP_DATAFLOW);
}

/* Runs `passes`; NULL after a failure. */
static hlo_module *rewritten(check_case *c, const char *passes, const hlo_pipeline *pipeline,
                             bool *changed) {
    hlo_diags diags;
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    options.stats = c->stats;
    hlo_diags_init(&diags);
    hlo_module *module = check_read(c, &diags);
    bool good =
        module && hlo_pipeline_execute_with(pipeline, module, &options, &diags, changed) == HLO_OK;
    bool may_warn = strcmp(passes, least_memory) == 0;
    bool is_refused = !good && may_refuse(passes);
    if (module && !is_refused && (!good || (diags.warnings && !may_warn))) {
        check_fail(c, passes, good ? "warns" : "fails");
        hlo_diags_render(&diags, stdout, false);
    }
    if (!good) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_diags_drop(&diags);
    return module;
}

static void check_again(const check_case *c, const char *passes, const hlo_pipeline *pipeline,
                        hlo_module *module) {
    hlo_diags diags;
    bool changed = false;
    hlo_diags_init(&diags);
    if (hlo_pipeline_execute_with(pipeline, module, NULL, &diags, &changed) != HLO_OK || changed)
        check_fail(c, passes, "changes something the second time");
    hlo_diags_drop(&diags);
}

/* The pass with which the pipeline begins; NULL: none has that name. */
static const hlo_pass_info *first_pass(const char *passes) {
    return hlo_pass_find((hlo_str){passes, (uint32_t)strcspn(passes, "{("), 0});
}

static bool lowers_peak(const char *passes) {
    const hlo_pass_info *pass = first_pass(passes);
    return pass && (hlo_pass_id_of(pass) == HLO_PASS_HLO_MEMORY_SCHEDULER ||
                    hlo_pass_id_of(pass) == HLO_PASS_REMATERIALIZATION);
}

static bool copies_all(const char *passes) {
    const hlo_pass_info *pass = first_pass(passes);
    return pass && hlo_pass_id_of(pass) == HLO_PASS_COPY_INSERTION;
}

/* A barrier's result is in the memory of its operand and takes no time, unlike an opaque call's. */
static bool weighs_cost(const char *passes) {
    const hlo_pass_info *pass = first_pass(passes);
    return pass && (pass->group == HLO_GROUP_MEMORY ||
                    hlo_pass_id_of(pass) == HLO_PASS_LATENCY_HIDING_SCHEDULER);
}

/* A barrier's value is on the same devices before and after it. */
static bool spreads_shardings(const char *passes) {
    const hlo_pass_info *pass = first_pass(passes);
    return pass && pass->group == HLO_GROUP_SPMD;
}

/* Without a schedule a module runs in the order in which it is printed. */
static void check_peak(const check_case *c, const char *passes, hlo_module *module) {
    if (!lowers_peak(passes)) return;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *original = check_read(c, &diags);
    hlo_take_schedule(original);
    if (hlo_module_estimate(module).peak_bytes > hlo_module_estimate(original).peak_bytes)
        check_fail(c, passes, "raises the peak of memory");
    hlo_module_free(original);
    hlo_diags_drop(&diags);
}

/* `name` is what failures call them. */
static void check_passes(check_case *c, const char *name, const char *passes, bool again) {
    hlo_diags diags;
    hlo_pipeline *pipeline;
    bool changed = false;
    hlo_diags_init(&diags);
    c->tally->runs++;
    if (hlo_pipeline_parse("pipeline", passes, &diags, &pipeline) != HLO_OK) {
        check_fail(c, name, "no such passes");
    } else if (hlo_pipeline_class(pipeline) != HLO_CLASS_SIGNATURE) {
        hlo_module *module = rewritten(c, name, pipeline, &changed);
        if (module && !changed) c->tally->passed++;
        if (module && changed) {
            c->tally->changed++;
            check_peak(c, passes, module);
            if (copies_all(passes)) check_memory(c, passes, module);
            if (c->may_run) check_values(c, module, name, hlo_pipeline_class(pipeline));
            check_forms(c, name, module);
            if (again) check_again(c, name, pipeline, module);
            if (!weighs_cost(passes) && !spreads_shardings(passes) && !may_refuse(passes))
                check_fences(c, name, pipeline);
        }
        hlo_module_free(module);
    }
    hlo_pipeline_free(pipeline);
    hlo_diags_drop(&diags);
}

static void check_case_through_all(check_case *c) {
    for (int i = 0; i < HLO_PASS_COUNT && !only; i++)
        if (hlo_passes[i].class != HLO_CLASS_SIGNATURE)
            check_passes(c, hlo_passes[i].name, hlo_passes[i].name, false);
    if (!only) check_passes(c, least_memory, least_memory, true);
    const hlo_named_pipeline *named;
    for (size_t i = 0; (named = hlo_named_pipeline_at(i)) && !only; i++)
        check_passes(c, named->name, named->passes, true);
    if (only) check_passes(c, only, only, true);
}

/* ---- cases ---- */

static void take_stats(check_case *c) {
    c->tally->rewrites += hlo_pass_stats_total(c->stats);
    for (int id = 0; id < HLO_REWRITE_COUNT; id++)
        c->tally->fired[id] += hlo_pass_stats_fired(c->stats, (size_t)id);
    hlo_pass_stats_free(c->stats);
}

static void check_one(size_t number, tally *counted) {
    check_case c = {.name = cases.names[number], .tally = counted};
    c.stats = hlo_pass_stats_create();
    case_open(&c);
    if (c.original) {
        counted->modules++;
        check_case_through_all(&c);
    } else {
        counted->skipped += !c.is_generated;
    }
    take_stats(&c);
    case_close(&c);
}

static void died_over(size_t number) {
    printf("%s: the process died\n", cases.names[number]);
}

static void report(const tally *t) {
    hlo_table_row row;
    for (size_t i = 0; getenv("HLO_VERBOSE") && hlo_rewrite_row(i, &row); i++)
        printf("%-24s %-40s %8llu\n", row.group, row.name, (unsigned long long)t->fired[i]);
    printf("%llu modules, %llu runs of passes; %llu of them changed something, by %llu rewrites\n",
           (unsigned long long)t->modules, (unsigned long long)t->runs,
           (unsigned long long)t->changed, (unsigned long long)t->rewrites);
    printf("%llu results compared (%llu with what outfeeds got), %llu cannot be executed, %llu "
           "compared across fences\n",
           (unsigned long long)t->evaluated, (unsigned long long)t->ordered,
           (unsigned long long)t->unknown, (unsigned long long)t->fences);
    printf("%llu results written and read back\n", (unsigned long long)t->trips);
    printf("%llu passed, %llu failed, %llu skipped\n", (unsigned long long)t->passed,
           (unsigned long long)t->failed, (unsigned long long)t->skipped);
}

int main(int argc, char **argv) {
    tally sum = {0};
    if (argc > 2 && strcmp(argv[1], "-p") == 0) only = argv[2];
    int options = only ? 2 : 0;
    sum.skipped = cases_from_arguments(&cases, argc - options, argv + options);
    share_work(cases.count, check_one, died_over, &sum);
    report(&sum);
    cases_free(&cases);
    return sum.failed != 0;
}
