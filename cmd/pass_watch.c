/* Watching passes: see pass_watch.h. */
#include "pass_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "listing.h"
#include "module_diff.h"
#include "modules.h"
#include "option_names.h"
#include "pass_report.h"
#include "process.h"
#include "progress.h"
#include "say.h"

/* ---- names ---- */

/* Whether the list A,B has the pass, under any of its names, or is `all`. */
static bool is_chosen(const char *chosen, const char *pass) {
    if (chosen && strcmp(chosen, "all") == 0) return true;
    for (const char *at = chosen; at && *at;) {
        size_t n = strcspn(at, ",");
        const char *name = hlo_pass_name(at, n);
        if (name && strcmp(name, pass) == 0) return true;
        at += n + (at[n] == ',');
    }
    return false;
}

/* The part of the list that is no pass, copied to `buffer`; NULL when there is none. */
static const char *unknown_part(const char *chosen, char *buffer, size_t bytes) {
    if (!chosen || strcmp(chosen, "all") == 0) return NULL;
    for (const char *at = chosen;; at++) {
        size_t n = strcspn(at, ",");
        if (!hlo_pass_name(at, n)) {
            snprintf(buffer, bytes, "%.*s", (int)n, at);
            return buffer;
        }
        at += n;
        if (!*at) return NULL;
    }
}

int pass_watch_check(const pass_watch *watch, const program_info *program) {
    char buffer[128];
    const char *unknown = unknown_part(watch->before, buffer, sizeof buffer);
    if (!unknown) unknown = unknown_part(watch->after, buffer, sizeof buffer);
    if (!unknown) return OPTIONS_GO_ON;
    if (options_nearest_row(unknown, hlo_pass_row))
        return options_unknown_row(program, "pass", unknown, hlo_pass_row);
    return options_wrong_use(program, "unknown pass '%s'; --list-passes names the passes", unknown);
}

bool pass_watch_is_wanted(const pass_watch *watch) {
    return watch->before || watch->after || watch->dump.to || watch->changed;
}

/* ---- texts ---- */

static hlo_output *text_of(pass_watch *watch, hlo_module *module) {
    hlo_output *text = process_made(hlo_output_to_memory(), "the text of a module");
    hlo_status status = hlo_write_text(module, NULL, text, watch->diags);
    hlo_output_write(text, "", 1);
    status = worse(status, hlo_output_commit(text, watch->diags));
    watch->status = worse(watch->status, status);
    return text;
}

static void show(pass_watch *watch, hlo_module *module, const char *when,
                 const hlo_pass_event *event) {
    hlo_output *text = text_of(watch, module);
    size_t n;
    print_lines("// %s pass %zu, %s\n%s", when, event->number, event->text,
                hlo_output_bytes(text, &n));
    hlo_output_free(text);
}

static void remember(pass_watch *watch, hlo_module *module) {
    hlo_output *text = text_of(watch, module);
    size_t n;
    const char *bytes = hlo_output_bytes(text, &n);
    free(watch->text);
    watch->text = memcpy(process_made(malloc(n), "the text of a module"), bytes, n);
    hlo_output_free(text);
}

static void write_changes(const char *before, const char *after, bool colour) {
    static const char what[] = "the difference of two texts";
    char *difference = NULL;
    size_t n;
    FILE *to = colour ? process_made(open_memstream(&difference, &n), what) : stderr;
    int shown = module_diff(before, after, to);
    if ((colour && (fclose(to) != 0 || !difference)) || shown != 0) process_no_memory(what);
    if (!colour) return;
    hlo_output *painted = process_made(hlo_output_to_memory(), what);
    listing_paint(painted, difference, n, listing_of_changes);
    const char *bytes = hlo_output_bytes(painted, &n);
    print_escaped_bytes(bytes, n);
    hlo_output_free(painted);
    free(difference);
}

static void show_difference(pass_watch *watch, hlo_module *module, const hlo_pass_event *event) {
    hlo_output *text = text_of(watch, module);
    size_t n;
    print_lines("// changed by pass %zu, %s\n", event->number, event->text);
    write_changes(watch->text, hlo_output_bytes(text, &n), watch->colour);
    hlo_output_free(text);
}

/* ---- events ---- */

static hlo_module_cost cost_of(hlo_module *module) {
    hlo_module_cost cost = hlo_module_estimate(module);
    if (cost.flops != cost.flops) process_no_memory("the cost of a module");
    return cost;
}

static hlo_status begin(pass_watch *watch, hlo_module *module) {
    watch->facts_before = hlo_module_describe(module).instructions;
    if (watch->stats) watch->cost_before = cost_of(module);
    return pass_dump_begin(&watch->dump, module, watch->module_number, watch->diags);
}

static hlo_status end(pass_watch *watch, hlo_module *module) {
    hlo_status status = pass_dump_end(&watch->dump, module, watch->module_number, watch->diags);
    if (watch->stats) report_module(module, watch->facts_before, &watch->cost_before, watch->json);
    watch->module_number++;
    free(watch->text);
    watch->text = NULL;
    return status;
}

static hlo_status show_wanted(pass_watch *watch, hlo_module *module, const hlo_pass_event *event) {
    if (!event->done) {
        if (is_chosen(watch->before, event->pass)) show(watch, module, "before", event);
        if (watch->changed) remember(watch, module);
        return watch->status;
    }
    if (is_chosen(watch->after, event->pass)) show(watch, module, "after", event);
    if (watch->changed && event->changed) show_difference(watch, module, event);
    if (watch->status != HLO_OK || !event->changed) return watch->status;
    return pass_dump_after(&watch->dump, module, watch->module_number, event, watch->diags);
}

/* The hlo_pass_watcher. */
static hlo_status show_event(void *context, hlo_module *module, const hlo_pass_event *event) {
    if (!event->done) progress_show("pass %zu: %s", event->number, event->text);
    progress_hold();
    hlo_status status = show_wanted(context, module, event);
    progress_release();
    return status;
}

hlo_status pass_watch_run(pass_watch *watch, const hlo_pipeline *pipeline,
                          hlo_pipeline_options *how, hlo_module *module, hlo_diags *diags) {
    if (pass_watch_is_wanted(watch) || progress_is_possible()) {
        how->watch = show_event;
        how->watch_context = watch;
    }
    hlo_status status = begin(watch, module);
    progress_begin(NULL, NULL);
    if (status == HLO_OK) status = hlo_pipeline_execute_with(pipeline, module, how, diags, NULL);
    progress_end();
    return status == HLO_OK ? end(watch, module) : status;
}

void pass_watch_report(const pass_watch *watch, const hlo_pass_stats *stats) {
    if (watch->stats) report_rewrites(stats, watch->json);
    if (watch->time) report_times(stats, watch->json);
}
