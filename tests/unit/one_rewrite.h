/* Rows of rewrites.def one after the other, and one rewrite alone on the module of its test,
 * tests/passes/rewrites/NAME.hlo. For the unit programs about rewrites. */
#ifndef TESTS_UNIT_ONE_REWRITE_H
#define TESTS_UNIT_ONE_REWRITE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/parse.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/rewrite.h"
#include "shape/verify.h"

static int passed, failed;
static hlo_rewrite_id id; /* the row that is looked at */

static void check(bool good, const char *what) {
    good ? passed++ : failed++;
    if (!good) printf("%s: %s\n", hlo_rewrites[id].name, what);
}

/* Verified; NULL after messages, which are printed unless `quiet`. */
static hlo_module *read_module(hlo_source *source, bool quiet) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module = NULL;
    if (hlo_parse(source, &diags, &module) == HLO_OK &&
        hlo_verify_with(module, NULL, &diags) != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    if (diags.errors && !quiet) hlo_diags_render(&diags, stdout, false);
    hlo_diags_drop(&diags);
    return module;
}

/* What follows `// KEY: ` on one of the first lines, up to its end; empty when none has it. */
static hlo_str remark(const hlo_source *source, const char *key) {
    size_t n = strlen(key);
    const char *line = source->text;
    for (; strncmp(line, "//", 2) == 0; line += strcspn(line, "\n") + 1)
        if (strncmp(line, key, n) == 0)
            return (hlo_str){line + n, (uint32_t)(strcspn(line, "\n") - n), 0};
    return (hlo_str){"", 0, 0};
}

/* Runs the pass with this rewrite alone; how often it fired goes to *fired. */
static bool apply_rewrite(hlo_module *module, const hlo_source *source, uint64_t *fired) {
    hlo_str with = remark(source, "// with: "), option = remark(source, "// option: ");
    char text[256];
    hlo_diags diags;
    hlo_pipeline *pipeline;
    hlo_pass_stats *stats = hlo_pass_stats_create();
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    options.stats = stats;
    snprintf(text, sizeof text, "%s{rewrites=false,%s=true%s%.*s%s%s%.*s}",
             hlo_passes[hlo_rewrites[id].pass].name, hlo_rewrites[id].name, with.len ? "," : "",
             (int)with.len, with.ptr, with.len ? "=true" : "", option.len ? "," : "",
             (int)option.len, option.ptr);
    hlo_diags_init(&diags);
    bool good = hlo_pipeline_parse("pipeline", text, &diags, &pipeline) == HLO_OK &&
                hlo_pipeline_execute_with(pipeline, module, &options, &diags, NULL) == HLO_OK;
    *fired = hlo_pass_stats_fired(stats, id);
    good &= with.len || *fired == hlo_pass_stats_total(stats);
    if (diags.errors) hlo_diags_render(&diags, stdout, false);
    hlo_pipeline_free(pipeline);
    hlo_pass_stats_free(stats);
    hlo_diags_drop(&diags);
    return good;
}

/* Gets the parts of the file at `path`, of which there are `count`. */
typedef void row_check(const char *path, hlo_source **parts, size_t count);

static void check_row(const char *root, row_check *check_parts) {
    char path[4096];
    hlo_diags diags;
    hlo_source *source = NULL, **parts;
    snprintf(path, sizeof path, "%s/tests/passes/rewrites/%s.hlo", root, hlo_rewrites[id].name);
    hlo_diags_init(&diags);
    bool found = hlo_read_source(path, &diags, &source) == HLO_OK;
    hlo_diags_drop(&diags);
    if (!found) {
        char what[sizeof path + 32];
        snprintf(what, sizeof what, "there is no %s", path);
        check(false, what);
        return;
    }
    size_t count = hlo_source_split(source, &parts);
    check_parts(path, parts, count);
    hlo_source_parts_free(parts, count);
    hlo_source_release(source);
}

static bool is_chosen(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], hlo_rewrites[id].name) == 0) return true;
    return argc <= 1;
}

/* All rows, or those that are named. */
static void check_rows(int argc, char **argv, row_check *check_parts) {
    const char *root = getenv("HLO_ROOT");
    for (int i = 0; i < HLO_REWRITE_COUNT; i++) {
        id = (hlo_rewrite_id)i;
        if (is_chosen(argc, argv)) check_row(root ? root : ".", check_parts);
    }
}

#endif
