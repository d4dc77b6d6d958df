/* The report of two folders as text and as JSON: see folder_report.h. */
#include "folder_report.h"

#include <stdlib.h>
#include <string.h>

#include "json_lines.h"
#include "listing.h"
#include "process.h"
#include "say.h"

/* ---- text ---- */

static void put_pair(const listing *list, const module_pair *p) {
    char *a = process_made(escaped(p->a->shown), "a name");
    char *b = process_made(escaped(p->b->shown), "a name");
    size_t n = 0;
    const char *counts = p->is_compared ? hlo_output_bytes(p->brief, &n) : "not compared\n";
    if (strcmp(a, b) == 0) listing_put(list, "~ %s: ", a);
    else listing_put(list, "~ %s -> %s: ", a, b);
    listing_put(list, "%.*s", (int)(p->is_compared ? n : strlen(counts)), counts);
    free(a);
    free(b);
}

static void put_lone(const listing *list, const folder *modules, const char *mark) {
    for (size_t i = 0; i < modules->count; i++) {
        if (modules->v[i].partner != NO_PARTNER) continue;
        char *name = process_made(escaped(modules->v[i].shown), "a name");
        if (modules->v[i].is_unread) listing_put(list, "%s %s: not compared\n", mark, name);
        else listing_put(list, "%s %s: %zu instructions\n", mark, name, modules->v[i].instructions);
        free(name);
    }
}

static void put_details(const folder_comparison *all, const listing *list) {
    for (size_t i = 0; i < all->pair_count; i++) {
        const module_pair *p = &all->pairs[i];
        size_t n;
        if (!p->whole || !p->is_compared) continue;
        const char *text = hlo_output_bytes(p->whole, &n);
        char *name = process_made(escaped(p->a->shown), "a name");
        listing_put(list, "\n");
        listing_heading(list, name);
        if (list->colour) listing_paint(list->to, text, n, listing_of_changes);
        else hlo_output_write(list->to, text, n);
        free(name);
    }
}

void folder_report_text(const folder_comparison *all, hlo_output *output) {
    listing list = listing_to(output, all->diff->common);
    listing_put(&list, "%zu pair%s: %zu differ%s; %zu only in the first folder, %zu in the second",
                all->compared, all->compared == 1 ? "" : "s", all->differing,
                all->differing == 1 ? "s" : "", all->only_a, all->only_b);
    if (all->not_compared) listing_put(&list, "; %zu not compared", all->not_compared);
    listing_put(&list, "\n");
    for (size_t i = 0; i < all->pair_count; i++)
        if (!all->pairs[i].same) put_pair(&list, &all->pairs[i]);
    put_lone(&list, &all->a, "-");
    put_lone(&list, &all->b, "+");
    put_details(all, &list);
}

/* ---- JSON ---- */

static void put_json_pair(json_lines *json, const module_pair *p) {
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
        if (modules->v[i].partner == NO_PARTNER && !modules->v[i].is_unread)
            json_text(json, NULL, modules->v[i].shown, strlen(modules->v[i].shown));
    json_close(json, ']');
}

static void put_json_module(json_lines *json, const char *key, const folder_module *module) {
    if (module) json_text(json, key, module->shown, strlen(module->shown));
}

static void put_json_uncompared(json_lines *json, const folder_module *a, const folder_module *b) {
    json_open(json, NULL, '{');
    put_json_module(json, "first", a);
    put_json_module(json, "second", b);
    json_close(json, '}');
}

/* Pairs, and modules that could not be read and have no partner. */
static void put_json_not_compared(json_lines *json, const folder_comparison *all) {
    json_open(json, "not_compared", '[');
    for (size_t i = 0; i < all->pair_count; i++)
        if (!all->pairs[i].is_compared) put_json_uncompared(json, all->pairs[i].a, all->pairs[i].b);
    for (size_t i = 0; i < all->a.count; i++)
        if (all->a.v[i].partner == NO_PARTNER && all->a.v[i].is_unread)
            put_json_uncompared(json, &all->a.v[i], NULL);
    for (size_t i = 0; i < all->b.count; i++)
        if (all->b.v[i].partner == NO_PARTNER && all->b.v[i].is_unread)
            put_json_uncompared(json, NULL, &all->b.v[i]);
    json_close(json, ']');
}

void folder_report_json(const folder_comparison *all, hlo_output *output) {
    json_lines json = {.to = output};
    json_open(&json, NULL, '{');
    json_count(&json, "pair_count", all->compared);
    json_count(&json, "differing", all->differing);
    json_open(&json, "pairs", '[');
    for (size_t i = 0; i < all->pair_count; i++)
        if (all->pairs[i].is_compared) put_json_pair(&json, &all->pairs[i]);
    json_close(&json, ']');
    put_json_lone(&json, "only_first", &all->a);
    put_json_lone(&json, "only_second", &all->b);
    put_json_not_compared(&json, all);
    json_close(&json, '}');
    json_end_line(&json);
}
