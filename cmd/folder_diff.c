/* Reading and comparing the modules of two folders: see folder_diff.h. */
#include "folder_diff.h"

#include <stdlib.h>
#include <string.h>

#include "folder_report.h"
#include "process.h"
#include "progress.h"

/* ---- reading ---- */

typedef struct {
    folder_comparison *all;
    folder_module *module;
    hlo_module *with; /* the first of a pair */
    module_pair *pair;
} reading;

hlo_status diff_prepare(const hlo_pipeline *pipeline, hlo_module *module, hlo_diags *diags) {
    return pipeline ? hlo_pipeline_execute(pipeline, module, diags, NULL) : HLO_OK;
}

static hlo_status note_module(hlo_module *module, void *context, hlo_diags *diags) {
    reading *r = context;
    hlo_status status = diff_prepare(r->all->diff->pipeline, module, diags);
    if (status == HLO_OK) status = hlo_module_hash(module, r->module->hash, diags);
    if (status == HLO_OK) folder_name_module(r->module, module);
    return status;
}

/* Errors are counted for each file. */
static hlo_status each(folder_comparison *all, const char *path, module_work *work, reading *r) {
    hlo_diags *diags = new_diags((uint32_t)all->diff->common->max_errors);
    hlo_diags_set_file(diags, path);
    hlo_status status = modules_each(path, all->diff->common, work, r, diags);
    status = worse(status, show_diags(diags, all->diff->common));
    hlo_diags_free(diags);
    all->status = worse(all->status, status);
    return status;
}

/* A module that cannot be read is an error. */
static void read_folder(folder_comparison *all, char *path, folder *to, hlo_diags *diags) {
    char *arguments[] = {path, NULL};
    all->status =
        worse(all->status, hlo_find_modules(arguments, 1, diags, &to->paths, &to->path_count));
    to->v = process_made(calloc(to->path_count + 1, sizeof *to->v), "the modules");
    size_t n = strlen(path);
    while (n && path[n - 1] == '/') n--;
    for (size_t i = 0; i < to->path_count; i++) {
        folder_module *module = &to->v[to->count++];
        const char *below = to->paths[i] + n;
        *module = folder_module_at(to->paths[i], below + strspn(below, "/"));
        reading r = {.all = all, .module = module};
        each(all, module->path, note_module, &r);
    }
}

/* ---- differences ---- */

static hlo_status write_difference(reading *r, hlo_module *second, hlo_diags *diags) {
    hlo_diff_options options = r->all->diff->options;
    module_pair *p = r->pair;
    p->brief = process_made(hlo_output_to_memory(), "the differences");
    if (options.brief) return hlo_write_diff(r->with, second, &options, p->brief, diags, &p->same);
    p->whole = process_made(hlo_output_to_memory(), "the differences");
    options.counts = p->brief;
    return hlo_write_diff(r->with, second, &options, p->whole, diags, &p->same);
}

/* Of modules that are the same the numbers are enough. */
static hlo_status with_second(hlo_module *second, void *context, hlo_diags *diags) {
    reading *r = context;
    module_pair *p = r->pair;
    hlo_status status = diff_prepare(r->all->diff->pipeline, second, diags);
    if (status == HLO_OK) status = write_difference(r, second, diags);
    if (status == HLO_OK) status = hlo_output_commit(p->brief, diags);
    if (status == HLO_OK && p->whole && !p->same) return hlo_output_commit(p->whole, diags);
    hlo_output_free(p->whole);
    p->whole = NULL;
    return status;
}

static hlo_status with_first(hlo_module *first, void *context, hlo_diags *diags) {
    reading *r = context;
    hlo_status status = diff_prepare(r->all->diff->pipeline, first, diags);
    r->with = first;
    if (status != HLO_OK) return status;
    hlo_diags_set_file(diags, r->pair->b->path);
    return modules_each(r->pair->b->path, r->all->diff->common, with_second, r, diags);
}

/* The hash covers all that counts by default, and text shows nothing of modules that are the same.
 */
static bool are_known_equal(const folder_comparison *all, const module_pair *p) {
    const hlo_diff_options *options = &all->diff->options;
    bool covered = !options->metadata && !options->schedule && !options->json;
    return covered && strcmp(p->a->hash, p->b->hash) == 0;
}

static void compare_pair(folder_comparison *all, module_pair *p) {
    bool shows = progress_begin_stage("comparing %s", p->a->shown);
    reading r = {.all = all, .pair = p};
    p->is_compared = each(all, p->a->path, with_first, &r) == HLO_OK;
    progress_end_stage(shows);
}

static void count_lone(const folder *modules, size_t *only, size_t *not_compared) {
    for (size_t i = 0; i < modules->count; i++)
        if (modules->v[i].partner == NO_PARTNER) ++*(modules->v[i].is_unread ? not_compared : only);
}

static void compare_pairs(folder_comparison *all) {
    all->pairs = process_made(calloc(all->a.count + 1, sizeof *all->pairs), "the pairs");
    for (size_t i = 0; i < all->a.count; i++) {
        const folder_module *a = &all->a.v[i];
        if (a->partner == NO_PARTNER) continue;
        module_pair *p = &all->pairs[all->pair_count++];
        *p = (module_pair){.a = a, .b = &all->b.v[a->partner]};
        if (p->a->is_unread || p->b->is_unread) p->is_compared = false;
        else if (are_known_equal(all, p)) p->is_compared = p->same = true;
        else compare_pair(all, p);
        all->compared += p->is_compared;
        all->differing += p->is_compared && !p->same;
    }
    all->not_compared = all->pair_count - all->compared;
    count_lone(&all->a, &all->only_a, &all->not_compared);
    count_lone(&all->b, &all->only_b, &all->not_compared);
}

/* ---- all ---- */

static hlo_status put(const folder_comparison *all, hlo_diags *diags) {
    hlo_output *output;
    const common_options *common = all->diff->common;
    hlo_status status = hlo_output_open(common->output, diags, &output);
    if (status != HLO_OK) return status;
    if (all->diff->options.json) folder_report_json(all, output);
    else folder_report_text(all, output);
    status = modules_commit(output, common->output, diags);
    hlo_output_free(output);
    return status;
}

static void forget(folder_comparison *all) {
    for (size_t i = 0; i < all->pair_count; i++) {
        hlo_output_free(all->pairs[i].brief);
        hlo_output_free(all->pairs[i].whole);
    }
    free(all->pairs);
    folder_free(&all->a);
    folder_free(&all->b);
}

hlo_status folder_diff_write(const folder_diff *diff, hlo_diags *diags, bool *same) {
    folder_comparison all = {.diff = diff};
    read_folder(&all, diff->common->arguments[0], &all.a, diags);
    read_folder(&all, diff->common->arguments[1], &all.b, diags);
    folder_pair(&all.a, &all.b);
    compare_pairs(&all);
    hlo_status status = worse(all.status, put(&all, diags));
    *same = !all.differing && !all.only_a && !all.only_b && !all.not_compared;
    forget(&all);
    return status;
}
