/* The report of two folders of modules: see folder_diff.h. */
#include "folder_diff.h"

#include <stdlib.h>
#include <string.h>

#include "folder_pairs.h"
#include "json_lines.h"
#include "listing.h"
#include "process.h"
#include "progress.h"
#include "say.h"

/* A pair: what hlo_write_diff writes, in short and whole. */
typedef struct {
    const folder_module *a, *b;
    hlo_output *brief, *whole;
    bool same;
} pair;

typedef struct {
    const folder_diff *diff;
    hlo_status status; /* the worst */
    folder a, b;
    pair *pairs;
    size_t pair_count, differing, only_a, only_b;
} comparison;

/* ---- reading ---- */

typedef struct {
    comparison *all;
    folder_module *module;
    hlo_module *with; /* the first of a pair */
    pair *pair;
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
static hlo_status each(comparison *all, const char *path, module_work *work, reading *r) {
    hlo_diags *diags = new_diags((uint32_t)all->diff->common->max_errors);
    hlo_diags_set_file(diags, path);
    hlo_status status = modules_each(path, all->diff->common, work, r, diags);
    status = worse(status, show_diags(diags, all->diff->common));
    hlo_diags_free(diags);
    all->status = worse(all->status, status);
    return status;
}

/* A module that cannot be read is an error, and in no pair. */
static void read_folder(comparison *all, char *path, folder *to, hlo_diags *diags) {
    char *arguments[] = {path, NULL};
    all->status =
        worse(all->status, hlo_find_modules(arguments, 1, diags, &to->paths, &to->path_count));
    to->v = process_made(calloc(to->path_count + 1, sizeof *to->v), "the modules");
    size_t n = strlen(path);
    while (n && path[n - 1] == '/') n--;
    for (size_t i = 0; i < to->path_count; i++) {
        folder_module *module = &to->v[to->count];
        const char *below = to->paths[i] + n;
        *module = (folder_module){
            .path = to->paths[i], .shown = below + strspn(below, "/"), .partner = NO_PARTNER};
        reading r = {.all = all, .module = module};
        if (each(all, module->path, note_module, &r) == HLO_OK) to->count++;
    }
}

/* ---- differences ---- */

static hlo_status write_difference(reading *r, hlo_module *second, hlo_diags *diags) {
    hlo_diff_options options = r->all->diff->options;
    pair *p = r->pair;
    p->brief = process_made(hlo_output_to_memory(), "the differences");
    if (options.brief) return hlo_write_diff(r->with, second, &options, p->brief, diags, &p->same);
    p->whole = process_made(hlo_output_to_memory(), "the differences");
    options.counts = p->brief;
    return hlo_write_diff(r->with, second, &options, p->whole, diags, &p->same);
}

/* Of modules that are the same the numbers are enough. */
static hlo_status with_second(hlo_module *second, void *context, hlo_diags *diags) {
    reading *r = context;
    pair *p = r->pair;
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
static bool are_known_equal(const comparison *all, const pair *p) {
    const hlo_diff_options *options = &all->diff->options;
    bool covered = !options->metadata && !options->schedule && !options->json;
    return covered && strcmp(p->a->hash, p->b->hash) == 0;
}

static void compare_pair(comparison *all, pair *p) {
    bool shows = progress_begin_stage("comparing %s", p->a->shown);
    reading r = {.all = all, .pair = p};
    each(all, p->a->path, with_first, &r);
    progress_end_stage(shows);
}

static void compare_pairs(comparison *all) {
    all->pairs = process_made(calloc(all->a.count + 1, sizeof *all->pairs), "the pairs");
    for (size_t i = 0; i < all->a.count; i++) {
        const folder_module *a = &all->a.v[i];
        if (a->partner == NO_PARTNER) continue;
        pair *p = &all->pairs[all->pair_count++];
        *p = (pair){.a = a, .b = &all->b.v[a->partner]};
        if (are_known_equal(all, p)) p->same = true;
        else compare_pair(all, p);
        all->differing += !p->same;
    }
    all->only_a = all->a.count - all->pair_count;
    all->only_b = all->b.count - all->pair_count;
}

/* ---- text ---- */

static void put_pair(const listing *list, const pair *p) {
    char *a = process_made(escaped(p->a->shown), "a name");
    char *b = process_made(escaped(p->b->shown), "a name");
    size_t n = 0;
    const char *counts = p->brief ? hlo_output_bytes(p->brief, &n) : "not compared\n";
    if (strcmp(a, b) == 0) listing_put(list, "~ %s: ", a);
    else listing_put(list, "~ %s -> %s: ", a, b);
    listing_put(list, "%.*s", (int)(p->brief ? n : strlen(counts)), counts);
    free(a);
    free(b);
}

static void put_lone(const listing *list, const folder *modules, const char *mark) {
    for (size_t i = 0; i < modules->count; i++) {
        if (modules->v[i].partner != NO_PARTNER) continue;
        char *name = process_made(escaped(modules->v[i].shown), "a name");
        listing_put(list, "%s %s: %zu instructions\n", mark, name, modules->v[i].instructions);
        free(name);
    }
}

static void put_details(const comparison *all, const listing *list) {
    for (size_t i = 0; i < all->pair_count; i++) {
        const pair *p = &all->pairs[i];
        size_t n;
        if (!p->whole) continue;
        const char *text = hlo_output_bytes(p->whole, &n);
        char *name = process_made(escaped(p->a->shown), "a name");
        listing_put(list, "\n");
        listing_heading(list, name);
        if (list->colour) listing_paint(list->to, text, n, listing_of_changes);
        else hlo_output_write(list->to, text, n);
        free(name);
    }
}

static void put_text(const comparison *all, hlo_output *output) {
    listing list = listing_to(output, all->diff->common);
    listing_put(&list,
                "%zu pair%s: %zu differ%s; %zu only in the first folder, %zu in the second\n",
                all->pair_count, all->pair_count == 1 ? "" : "s", all->differing,
                all->differing == 1 ? "s" : "", all->only_a, all->only_b);
    for (size_t i = 0; i < all->pair_count; i++)
        if (!all->pairs[i].same) put_pair(&list, &all->pairs[i]);
    put_lone(&list, &all->a, "-");
    put_lone(&list, &all->b, "+");
    put_details(all, &list);
}

/* ---- JSON ---- */

static void put_json_pair(json_lines *json, const pair *p) {
    const hlo_output *found = p->whole ? p->whole : p->brief;
    size_t n = 0;
    const char *object = found ? hlo_output_bytes(found, &n) : NULL;
    while (n && object[n - 1] == '\n') n--;
    json_open(json, NULL, '{');
    json_text(json, "first", p->a->shown, strlen(p->a->shown));
    json_text(json, "second", p->b->shown, strlen(p->b->shown));
    json_flag(json, "same", p->same);
    if (n) json_raw(json, "difference", object, n);
    json_close(json, '}');
}

static void put_json_lone(json_lines *json, const char *key, const folder *modules) {
    json_open(json, key, '[');
    for (size_t i = 0; i < modules->count; i++)
        if (modules->v[i].partner == NO_PARTNER)
            json_text(json, NULL, modules->v[i].shown, strlen(modules->v[i].shown));
    json_close(json, ']');
}

static void put_json(const comparison *all, hlo_output *output) {
    json_lines json = {.to = output};
    json_open(&json, NULL, '{');
    json_count(&json, "pair_count", all->pair_count);
    json_count(&json, "differing", all->differing);
    json_open(&json, "pairs", '[');
    for (size_t i = 0; i < all->pair_count; i++) put_json_pair(&json, &all->pairs[i]);
    json_close(&json, ']');
    put_json_lone(&json, "only_first", &all->a);
    put_json_lone(&json, "only_second", &all->b);
    json_close(&json, '}');
    json_end_line(&json);
}

/* ---- all ---- */

static hlo_status put(const comparison *all, hlo_diags *diags) {
    hlo_output *output;
    const common_options *common = all->diff->common;
    hlo_status status = hlo_output_open(common->output, diags, &output);
    if (status != HLO_OK) return status;
    if (all->diff->options.json) put_json(all, output);
    else put_text(all, output);
    status = modules_commit(output, common->output, diags);
    hlo_output_free(output);
    return status;
}

static void forget(comparison *all) {
    for (size_t i = 0; i < all->pair_count; i++) {
        hlo_output_free(all->pairs[i].brief);
        hlo_output_free(all->pairs[i].whole);
    }
    free(all->pairs);
    folder_free(&all->a);
    folder_free(&all->b);
}

hlo_status folder_diff_write(const folder_diff *diff, hlo_diags *diags, bool *same) {
    comparison all = {.diff = diff};
    read_folder(&all, diff->common->arguments[0], &all.a, diags);
    read_folder(&all, diff->common->arguments[1], &all.b, diags);
    folder_pair(&all.a, &all.b);
    compare_pairs(&all);
    hlo_status status = worse(all.status, put(&all, diags));
    *same = !all.differing && !all.only_a && !all.only_b;
    forget(&all);
    return status;
}
