/* Running pipelines: counts, limits, time, verification after passes, and who watches. */
#include <stdio.h>

#include "base/clock.h"
#include "ir/links.h"
#include "passes/pipeline/fusion_bodies.h"
#include "passes/pipeline/steps.h"
#include "shape/verify.h"

/* Builds with assertions and unoptimised ones are for finding mistakes. */
#if !defined(__OPTIMIZE__) || defined(HLO_DEBUG)
enum { IS_DEBUG_BUILD = 1 };
#else
enum { IS_DEBUG_BUILD = 0 };
#endif

typedef struct {
    uint64_t runs, changes;
    double seconds;
} pass_counts;

struct hlo_pass_stats {
    hlo_rewrite_log log;
    pass_counts passes[HLO_PASS_COUNT];
};

typedef struct {
    hlo_module *module;
    hlo_diags *diags;
    hlo_pipeline_options options;
    hlo_rewrite_log log; /* of this run */
    hlo_pass_stats *stats;
    size_t number;      /* of passes that ran or run */
    hlo_status watched; /* the watcher's last status */
} manager;

/* ---- counting ---- */

hlo_pass_stats *hlo_pass_stats_create(void) {
    HLO_API_CALL(NULL) return NULL;
    return hlo_calloc(1, sizeof(hlo_pass_stats));
}

void hlo_pass_stats_free(hlo_pass_stats *stats) {
    hlo_free(stats);
}

uint64_t hlo_pass_stats_fired(const hlo_pass_stats *stats, size_t rewrite) {
    if (!stats) return 0;
    return rewrite < HLO_REWRITE_COUNT ? stats->log.fired[rewrite] : 0;
}

uint64_t hlo_pass_stats_total(const hlo_pass_stats *stats) {
    if (!stats) return 0;
    return stats->log.total;
}

const char *hlo_pass_stats_last(const hlo_pass_stats *stats, size_t *rewrite) {
    if (rewrite) *rewrite = stats ? stats->log.last : 0;
    return stats && stats->log.total ? stats->log.last_place : NULL;
}

bool hlo_pass_stats_pass(const hlo_pass_stats *stats, size_t pass, uint64_t *runs,
                         uint64_t *changes, double *seconds) {
    static const pass_counts none;
    bool ran = stats && pass < HLO_PASS_COUNT && stats->passes[pass].runs;
    const pass_counts *counts = ran ? &stats->passes[pass] : &none;
    if (runs) *runs = counts->runs;
    if (changes) *changes = counts->changes;
    if (seconds) *seconds = counts->seconds;
    return ran;
}

static void add_log(hlo_pass_stats *stats, const hlo_rewrite_log *log) {
    stats->log.total += log->total;
    for (int id = 0; id < HLO_REWRITE_COUNT; id++) stats->log.fired[id] += log->fired[id];
    if (!log->total) return;
    stats->log.last = log->last;
    memcpy(stats->log.last_place, log->last_place, sizeof log->last_place);
}

/* ---- one pass ---- */

static double now(void) {
    return (double)hlo_clock() * 1e-9;
}

/* The watcher is the caller's code, which may call the library: its calls must not become part of
 * this one, whose memory is undone as a whole. */
static bool tell(manager *m, const hlo_pass_event *event) {
    if (!m->options.watch) return true;
    hlo_unwind_state state = hlo_unwind_suspend();
    m->watched = m->options.watch(m->options.watch_context, m->module, event);
    hlo_unwind_resume(state);
    return m->watched == HLO_OK;
}

static bool verifies(const manager *m) {
    return m->options.verify_each == HLO_BY_STYLE ? IS_DEBUG_BUILD
                                                  : m->options.verify_each == HLO_ON;
}

static bool is_still_good(const manager *m, const hlo_pass_event *event) {
    if (hlo_verify_with(m->module, m->options.strictness, m->diags) == HLO_OK) return true;
    hlo_error(m->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
              "pass %zu, %s, produced an invalid module", event->number, event->text);
    return false;
}

static hlo_pass_result refuse_forms(manager *m, const hlo_step *s, const hlo_diags *refusals) {
    hlo_diags_append(m->diags, refusals);
    hlo_error(m->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
              "%s created an instruction that violates the form check", s->pass->name);
    return HLO_PASS_FAILED;
}

/* Shardings of the parameters and results that the module had before. */
static void forget_shardings(manager *m, const hlo_step *s, const hlo_spmd_shardings *before) {
    bool is_kept = s->pass->class != HLO_CLASS_SIGNATURE || m->module->spmd != before;
    if (!is_kept) m->module->spmd = NULL;
}

static hlo_pass_result run_pass(manager *m, const hlo_step *s) {
    hlo_rewriter rewriter;
    hlo_pass_id id = hlo_pass_id_of(s->pass);
    hlo_rewriter_init(&rewriter, m->module, s->enabled, &m->log);
    rewriter.values = s->values;
    hlo_pass_call call = {
        id, m->module, s->values, s->texts, &rewriter, m->diags, m->options.strictness};
    double start = now();
    uint32_t computations = m->module->next_id;
    const hlo_spmd_shardings *spmd = m->module->spmd;
    hlo_pass_result result = s->pass->run(&call);
    if (m->module->next_id != computations) hlo_uniquify_names(m->module); /* of copies */
    if (result == HLO_CHANGED) {
        hlo_clean_fusions(m->module);
        m->module->is_rewritten = true;
        forget_shardings(m, s, spmd);
    }
    double seconds = now() - start;
    if (result != HLO_PASS_FAILED) hlo_check_links(m->module);
    if (rewriter.refusals.errors) result = refuse_forms(m, s, &rewriter.refusals);
    hlo_rewriter_free(&rewriter);
    if (m->stats) {
        m->stats->passes[id].runs++;
        m->stats->passes[id].changes += result == HLO_CHANGED;
        m->stats->passes[id].seconds += seconds;
    }
    return result;
}

static hlo_pass_result run_watched(manager *m, const hlo_step *s, hlo_pass_event *event) {
    event->number = ++m->number;
    if (!tell(m, event)) return HLO_PASS_FAILED;
    double start = now();
    hlo_pass_result result = run_pass(m, s);
    event->seconds = now() - start;
    event->done = true;
    event->changed = result == HLO_CHANGED;
    if (result != HLO_PASS_FAILED && !tell(m, event)) return HLO_PASS_FAILED;
    if (event->changed && verifies(m) && !is_still_good(m, event)) return HLO_PASS_FAILED;
    return result;
}

static hlo_pass_result run_one(manager *m, const hlo_step *s) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_step_print(s, &text);
    hlo_buf_char(&text, 0);
    hlo_pass_event event = {.pass = s->pass->name, .text = text.data};
    hlo_pass_result result = run_watched(m, s, &event);
    hlo_buf_free(&text);
    return result;
}

/* ---- graphs ---- */

static hlo_pass_result run_named(manager *m, const char *name) {
    hlo_pipeline *pipeline;
    if (hlo_pipeline_parse("pipeline", name, m->diags, &pipeline) != HLO_OK) return HLO_PASS_FAILED;
    hlo_pass_result result = run_one(m, pipeline->first);
    hlo_pipeline_free(pipeline);
    return result;
}

/* As many as the loop that has most. */
static int64_t parallel_iterations_of(const hlo_module *graph) {
    int64_t most = 0;
    for (const hlo_instr *i = graph->entry->first; i; i = i->next)
        if (i->opcode == HLO_OP_ENTER) {
            int64_t limit = hlo_attr_int(i, HLO_ATTR_PARALLEL_ITERATIONS);
            if (limit > most) most = limit;
        }
    return most;
}

static hlo_pass_result lower_again(manager *m, int64_t parallel_iterations) {
    char pass[64] = "lower-control-flow";
    if (parallel_iterations)
        snprintf(pass, sizeof pass, "lower-control-flow{parallel_iterations=%lld}",
                 (long long)parallel_iterations);
    return run_named(m, pass);
}

static hlo_pass_result run_between(manager *m, const hlo_step *s, int64_t parallel_iterations) {
    hlo_pass_result result = run_named(m, "raise-control-flow");
    if (result == HLO_CHANGED) result = run_one(m, s);
    if (result == HLO_PASS_FAILED) return result;
    return lower_again(m, parallel_iterations) == HLO_PASS_FAILED ? HLO_PASS_FAILED : result;
}

/* On what the graph was lowered from, done whole or not at all: a pass that fails, or a limit of
 * rewrites that ends among the three, leaves the graph as it was. */
static hlo_pass_result run_raised(manager *m, const hlo_step *s) {
    hlo_module *copy = hlo_module_clone(m->module);
    hlo_pass_result result = run_between(m, s, parallel_iterations_of(copy));
    bool is_graph = hlo_module_flag(m->module, HLO_ATTR_IS_DATAFLOW);
    if (result == HLO_PASS_FAILED || !is_graph) hlo_module_restore(m->module, copy);
    if (result != HLO_PASS_FAILED && !is_graph) result = HLO_UNCHANGED;
    hlo_module_free(copy);
    return result;
}

static hlo_pass_result run_on_graph(manager *m, const hlo_step *s) {
    switch (hlo_pass_graph_use_of(hlo_pass_id_of(s->pass))) {
    case HLO_GRAPH_TAKEN: return run_one(m, s);
    case HLO_GRAPH_RAISED: return run_raised(m, s);
    case HLO_GRAPH_REFUSED: break;
    }
    hlo_error(m->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
              "%s does not support dataflow graphs", s->pass->name);
    hlo_hint(m->diags, "run it before lower-control-flow, or after raise-control-flow");
    return HLO_PASS_FAILED;
}

static hlo_pass_result run_step(manager *m, const hlo_step *s) {
    bool is_graph = hlo_module_flag(m->module, HLO_ATTR_IS_DATAFLOW);
    return is_graph ? run_on_graph(m, s) : run_one(m, s);
}

/* ---- steps ---- */

static hlo_pass_result run_steps(manager *m, const hlo_step *s);

static hlo_pass_result run_fix(manager *m, const hlo_step *s) {
    hlo_pass_result result = HLO_UNCHANGED;
    for (int iteration = 0; iteration < HLO_MAX_FIX_ITERATIONS; iteration++) {
        hlo_pass_result now_done = run_steps(m, s->inner);
        if (now_done == HLO_PASS_FAILED) return now_done;
        if (now_done == HLO_UNCHANGED) return result;
        result = HLO_CHANGED;
    }
    hlo_warning(m->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                "fix(...) does not converge after %d iterations", HLO_MAX_FIX_ITERATIONS);
    return result;
}

/* Recursion is as deep as fix nests: HLO_MAX_FIX_DEPTH. */
static hlo_pass_result run_steps(manager *m, const hlo_step *s) {
    hlo_pass_result result = HLO_UNCHANGED;
    for (; s; s = s->next) {
        hlo_pass_result one = s->pass ? run_step(m, s) : run_fix(m, s);
        if (one == HLO_PASS_FAILED) return one;
        if (one == HLO_CHANGED) result = one;
    }
    return result;
}

hlo_status hlo_pipeline_execute_with(const hlo_pipeline *pipeline, hlo_module *module,
                                     const hlo_pipeline_options *options, hlo_diags *diags,
                                     bool *changed) {
    hlo_module *const parts = module ? module->next_device : NULL;
    if (changed) *changed = false;
    HLO_API_CALL(diags) {
        if (!module) return HLO_BAD_SYSTEM;
        module->is_half_changed = true;
        module->next_device = parts; /* those that the call made are gone */
        return HLO_BAD_SYSTEM;
    }
    HLO_REQUIRE(diags, pipeline);
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    manager m = {.module = module, .diags = diags, .options = HLO_PIPELINE_OPTIONS_INIT};
    if (hlo_take_options(options, &m.options, sizeof m.options, diags) != HLO_OK)
        return HLO_BAD_USE;
    m.log.limit = m.options.max_rewrites;
    m.stats = m.options.stats;
    hlo_pass_result result = run_steps(&m, pipeline->first);
    if (m.log.inlining_ended)
        hlo_warning(diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                    "some calls, branches and loops are not inlined: more than %llu instructions "
                    "would be copied",
                    (unsigned long long)m.log.most_inlined);
    if (m.stats) add_log(m.stats, &m.log);
    if (changed) *changed = result == HLO_CHANGED;
    if (result != HLO_PASS_FAILED) return HLO_OK;
    return m.watched != HLO_OK ? m.watched : HLO_BAD_MODULE;
}

hlo_status hlo_pipeline_execute(const hlo_pipeline *pipeline, hlo_module *module, hlo_diags *diags,
                                bool *changed) {
    return hlo_pipeline_execute_with(pipeline, module, NULL, diags, changed);
}

hlo_status hlo_pipeline_run(hlo_module *module, const char *text, hlo_diags *diags) {
    hlo_pipeline *pipeline;
    hlo_status status = hlo_pipeline_parse("pipeline", text, diags, &pipeline);
    if (status != HLO_OK) return status;
    status = hlo_pipeline_execute(pipeline, module, diags, NULL);
    hlo_pipeline_free(pipeline);
    return status;
}
