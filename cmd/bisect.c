/* Halving the number of rewrites until one is left: see bisect.h. */
#include "bisect.h"

#include <stdlib.h>
#include <string.h>

#include "module_diff.h"
#include "modules.h"
#include "process.h"
#include "strictness.h"

typedef struct {
    trials *trials;
    const hlo_pipeline *pipeline;
    const char *path;
    hlo_source *source;
    hlo_diags *diags;
    hlo_output *report;
    hlo_pass_stats *stats; /* of the last try */
} search;

static hlo_output *new_text(void) {
    return process_made(hlo_output_to_memory(), "a text");
}

static hlo_status write_rewritten(search *s, uint64_t limit, hlo_module *module, hlo_output *text) {
    hlo_pipeline_options how = HLO_PIPELINE_OPTIONS_INIT;
    hlo_text_options style = HLO_TEXT_OPTIONS_INIT;
    style.large_constants = style.exact_literals = HLO_ON;
    how.max_rewrites = limit;
    how.verify_each = HLO_OFF;
    how.stats = s->stats;
    hlo_status status = hlo_verify_with(module, strictness(), s->diags);
    if (status == HLO_OK)
        status = hlo_pipeline_execute_with(s->pipeline, module, &how, s->diags, NULL);
    if (status == HLO_OK) status = hlo_write_text(module, &style, text, s->diags);
    hlo_output_write(text, "", 1);
    return worse(status, hlo_output_commit(text, s->diags));
}

/* The module after `limit` rewrites as a text with a NUL byte at its end, which the caller frees;
 * NULL after an error. Constants are whole: the reader would make up elided ones. */
static hlo_status rewritten(search *s, uint64_t limit, hlo_output **out) {
    hlo_module *module;
    *out = NULL;
    hlo_pass_stats_free(s->stats);
    s->stats = process_made(hlo_pass_stats_create(), "counts of rewrites");
    hlo_status status = hlo_read_module(s->source, s->diags, &module);
    if (status != HLO_OK) return status;
    hlo_output *text = new_text();
    status = write_rewritten(s, limit, module, text);
    hlo_module_free(module);
    if (status == HLO_OK) *out = text;
    else hlo_output_free(text);
    return status;
}

static hlo_status try_limit(search *s, uint64_t limit, bool *failed) {
    hlo_output *text;
    hlo_status status = rewritten(s, limit, &text);
    if (status != HLO_OK) return status;
    size_t count;
    hlo_candidate candidate = {.text = hlo_output_bytes(text, &count)};
    candidate.len = count - 1;
    int good = trials_first_good(s->trials, &candidate, 1, s->diags);
    hlo_output_free(text);
    *failed = good != 0;
    return good == HLO_REDUCE_STOP ? HLO_BAD_SYSTEM : HLO_OK;
}

/* ---- the report ---- */

static void put(search *s, const char *text) {
    hlo_output_write(s->report, text, strlen(text));
}

/* A word for the shell. */
static void put_quoted(search *s, const char *text) {
    put(s, "'");
    for (const char *quote; (quote = strchr(text, '\'')); text = quote + 1) {
        hlo_output_write(s->report, text, (size_t)(quote - text));
        put(s, "'\\''");
    }
    put(s, text);
    put(s, "'");
}

/* The command line that makes the module after `limit` rewrites again. */
static void put_command(search *s, const char *what, uint64_t limit) {
    char line[64];
    size_t count;
    hlo_output *passes = new_text();
    hlo_pipeline_write(s->pipeline, passes);
    hlo_output_write(passes, "", 1);
    if (hlo_output_commit(passes, s->diags) != HLO_OK) process_no_memory("a command line");
    put(s, what);
    put(s, "hlo-opt --passes=");
    put_quoted(s, hlo_output_bytes(passes, &count));
    snprintf(line, sizeof line, " --pass-limit=%llu --large-constants ", (unsigned long long)limit);
    put(s, line);
    put_quoted(s, s->path ? s->path : "-");
    put(s, "\n");
    hlo_output_free(passes);
}

static void put_rewrite(search *s, uint64_t n, uint64_t total) {
    char line[512];
    size_t rewrite;
    const char *place = hlo_pass_stats_last(s->stats, &rewrite);
    hlo_table_row row = {0};
    if (place) hlo_rewrite_row(rewrite, &row);
    snprintf(line, sizeof line, "rewrite %llu of %llu: %s of %s at %s\n", (unsigned long long)n,
             (unsigned long long)total, place ? row.name : "?", place ? row.group : "?",
             place ? place : "?");
    put(s, line);
}

static void put_difference(search *s, const hlo_output *before, const hlo_output *after) {
    static const char what[] = "the difference of two texts";
    char *difference = NULL;
    size_t size;
    FILE *to = process_made(open_memstream(&difference, &size), what);
    int shown = module_diff(hlo_output_bytes(before, &size), hlo_output_bytes(after, &size), to);
    if (fclose(to) != 0 || !difference || shown != 0) process_no_memory(what);
    put(s, difference);
    free(difference);
}

/* Names rewrite number `n`, shows what it changed and how to see it again. */
static hlo_status describe(search *s, uint64_t n, uint64_t total) {
    hlo_output *before, *after = NULL;
    hlo_status status = rewritten(s, n - 1, &before);
    if (status == HLO_OK) status = rewritten(s, n, &after);
    if (status == HLO_OK) {
        put_rewrite(s, n, total);
        put_difference(s, before, after);
        put_command(s, "good: ", n - 1);
        put_command(s, "bad:  ", n);
    }
    hlo_output_free(before);
    hlo_output_free(after);
    return status;
}

/* ---- the search ---- */

/* The command succeeds after `good` rewrites and fails after `bad`. */
static hlo_status halve(search *s, uint64_t good, uint64_t bad) {
    uint64_t total = bad;
    while (bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;
        bool failed;
        hlo_status status = try_limit(s, middle, &failed);
        if (status != HLO_OK) return status;
        *(failed ? &bad : &good) = middle;
    }
    return describe(s, bad, total);
}

static hlo_status find(search *s) {
    bool failed;
    hlo_status status = try_limit(s, 0, &failed);
    if (status != HLO_OK) return status;
    if (failed) {
        put(s, "the command fails before the first rewrite\n");
        trials_note_first(s->trials);
        return HLO_BAD_MODULE;
    }
    status = try_limit(s, UINT64_MAX, &failed);
    if (status != HLO_OK) return status;
    if (!failed) {
        put(s, "the command succeeds after all rewrites\n");
        return HLO_OK;
    }
    return halve(s, 0, hlo_pass_stats_total(s->stats));
}

hlo_status bisect(const trials_options *command, const hlo_pipeline *pipeline,
                  const common_options *common, hlo_output *report, hlo_diags *diags, int *caught) {
    search s = {
        .pipeline = pipeline, .path = common->arguments[0], .report = report, .diags = diags};
    hlo_status status = modules_read_source(s.path, common, diags, &s.source);
    if (status != HLO_OK) return status;
    s.trials = trials_open(command);
    status = s.trials ? find(&s) : HLO_BAD_SYSTEM;
    if (s.trials) *caught = trials_signal(s.trials);
    if (s.trials) trials_close(s.trials);
    hlo_pass_stats_free(s.stats);
    hlo_source_free(s.source);
    return status;
}
