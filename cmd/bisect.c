/* Halving the number of rewrites until one is left: see bisect.h. */
#include "bisect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text_diff.h"

typedef struct {
    const char *command;
    const hlo_pipeline *pipeline;
    hlo_source *source;
    hlo_diags *diags;
    char folder[64], file[96];
    hlo_pass_stats *stats; /* of the last try */
} search;

/* The module after `limit` rewrites as text that the caller frees; NULL after an error. */
static hlo_output *rewritten(search *s, uint64_t limit) {
    hlo_module *module;
    hlo_pipeline_options how = HLO_PIPELINE_OPTIONS_INIT;
    how.max_rewrites = limit;
    how.verify_each = HLO_OFF;
    hlo_pass_stats_free(s->stats);
    how.stats = s->stats = hlo_pass_stats_create();
    if (hlo_read_module(s->source, s->diags, &module) != HLO_OK) return NULL;
    hlo_output *text = NULL;
    if (hlo_verify(module, s->diags) == HLO_OK &&
        hlo_pipeline_execute_with(s->pipeline, module, &how, s->diags, NULL) == HLO_OK) {
        text = hlo_output_to_memory();
        hlo_write_text(module, NULL, text);
        hlo_output_write(text, "", 1);
    }
    hlo_module_free(module);
    return text;
}

static hlo_status put_file(search *s, const hlo_output *text) {
    hlo_output *file;
    size_t n;
    const char *bytes = hlo_output_bytes(text, &n);
    hlo_status status = hlo_output_open(s->file, s->diags, &file);
    if (status != HLO_OK) return status;
    hlo_output_write(file, bytes, n - 1);
    status = hlo_output_commit(file, s->diags);
    hlo_output_free(file);
    return status;
}

/* Runs `COMMAND FILE` in a shell, with its output on standard error. */
static hlo_status run_command(const search *s, bool *failed) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return HLO_BAD_SYSTEM;
    if (child == 0) {
        char *line = NULL;
        dup2(STDERR_FILENO, STDOUT_FILENO);
        if (asprintf(&line, "%s \"$1\"", s->command) >= 0)
            execl("/bin/sh", "sh", "-c", line, "sh", s->file, (char *)NULL);
        _exit(127);
    }
    int status;
    if (waitpid(child, &status, 0) != child) return HLO_BAD_SYSTEM;
    *failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    return HLO_OK;
}

static hlo_status try_limit(search *s, uint64_t limit, bool *failed) {
    hlo_output *text = rewritten(s, limit);
    if (!text) return HLO_BAD_MODULE;
    hlo_status status = put_file(s, text);
    hlo_output_free(text);
    return status == HLO_OK ? run_command(s, failed) : status;
}

static void put(hlo_output *report, const char *text) {
    hlo_output_write(report, text, strlen(text));
}

/* Names rewrite number `n` and shows what it changed. */
static hlo_status describe(search *s, uint64_t n, uint64_t total, hlo_output *report) {
    hlo_output *before = rewritten(s, n - 1), *after = before ? rewritten(s, n) : NULL;
    if (!after) {
        hlo_output_free(before);
        return HLO_BAD_MODULE;
    }
    size_t rewrite, size;
    const char *place = hlo_pass_stats_last(s->stats, &rewrite);
    hlo_table_row row = {0};
    if (place) hlo_rewrite_row(rewrite, &row);
    char line[512], *difference = NULL;
    snprintf(line, sizeof line, "rewrite %llu of %llu: %s of %s at %s\n", (unsigned long long)n,
             (unsigned long long)total, place ? row.name : "?", place ? row.group : "?",
             place ? place : "?");
    put(report, line);
    FILE *to = open_memstream(&difference, &size);
    int shown =
        to ? text_diff(hlo_output_bytes(before, &size), hlo_output_bytes(after, &size), to) : -1;
    if (to) fclose(to);
    if (shown == 0) put(report, difference);
    free(difference);
    hlo_output_free(before);
    hlo_output_free(after);
    return HLO_OK;
}

/* The command succeeds after `good` rewrites and fails after `bad`. */
static hlo_status halve(search *s, uint64_t good, uint64_t bad, hlo_output *report) {
    uint64_t total = bad;
    while (bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;
        bool failed;
        hlo_status status = try_limit(s, middle, &failed);
        if (status != HLO_OK) return status;
        *(failed ? &bad : &good) = middle;
    }
    return describe(s, bad, total, report);
}

static hlo_status find(search *s, hlo_output *report) {
    bool failed;
    hlo_status status = try_limit(s, 0, &failed);
    if (status != HLO_OK) return status;
    if (failed) {
        put(report, "the command fails before the first rewrite\n");
        return HLO_BAD_MODULE;
    }
    status = try_limit(s, UINT64_MAX, &failed);
    if (status != HLO_OK) return status;
    if (!failed) {
        put(report, "the command succeeds after all rewrites\n");
        return HLO_OK;
    }
    return halve(s, 0, hlo_pass_stats_total(s->stats), report);
}

hlo_status bisect(const char *command, const hlo_pipeline *pipeline, const char *path,
                  hlo_output *report, hlo_diags *diags) {
    const char *temporary = getenv("TMPDIR");
    search s = {.command = command, .pipeline = pipeline, .diags = diags};
    hlo_status status = hlo_read_source(path, diags, &s.source);
    if (status != HLO_OK) return status;
    snprintf(s.folder, sizeof s.folder, "%s/hlo-bisect-XXXXXX",
             temporary && strlen(temporary) < 32 ? temporary : "/tmp");
    if (mkdtemp(s.folder)) {
        snprintf(s.file, sizeof s.file, "%s/module.hlo", s.folder);
        status = find(&s, report);
        unlink(s.file);
        rmdir(s.folder);
    } else {
        put(report, "no folder for modules can be made\n");
        status = HLO_BAD_SYSTEM;
    }
    hlo_pass_stats_free(s.stats);
    hlo_source_release(s.source);
    return status;
}
