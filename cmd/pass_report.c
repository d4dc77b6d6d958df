/* What passes did to modules: see pass_report.h. */
#include "pass_report.h"

#include <stdio.h>

#include "hints.h"
#include "json_lines.h"
#include "process.h"
#include "say.h"

/* ---- lines of JSON ---- */

/* Lines are collected, so that each is on standard error in one piece. */
static json_lines begin(const char *table) {
    json_lines json = {.to = process_made(hlo_output_to_memory(), "a report")};
    json_open(&json, NULL, '{');
    json_word(&json, "table", table);
    return json;
}

static void end(json_lines *json) {
    size_t n;
    json_close(json, '}');
    json_end_line(json);
    hlo_diags *diags = new_diags(1);
    if (hlo_output_commit(json->to, diags) != HLO_OK) process_no_memory("a report");
    hlo_diags_free(diags);
    const char *bytes = hlo_output_bytes(json->to, &n);
    print_escaped_bytes(bytes, n);
    hlo_output_free(json->to);
}

/* ---- a module ---- */

typedef struct {
    const char *name;
    double before, after;
} quantity;

static void put_quantity(hlo_module *module, const quantity *q, bool json) {
    if (!json) {
        print_lines("%-24s %16.6g %16.6g\n", q->name, q->before, q->after);
        return;
    }
    hlo_module_facts facts = hlo_module_describe(module);
    json_lines line = begin("module");
    json_text(&line, "module", facts.name, facts.name_len);
    json_word(&line, "quantity", q->name);
    json_double(&line, "before", q->before);
    json_double(&line, "after", q->after);
    end(&line);
}

void report_module(hlo_module *module, size_t instructions_before, const hlo_module_cost *before,
                   bool json) {
    hlo_module_cost after = hlo_module_estimate(module);
    if (after.flops != after.flops) process_no_memory("the cost of a module");
    double size_before = (double)instructions_before;
    double size_after = (double)hlo_module_describe(module).instructions;
    const quantity all[] = {
        {"instructions", size_before, size_after},
        {"flops", before->flops, after.flops},
        {"transcendentals", before->transcendentals, after.transcendentals},
        {"bytes accessed", before->bytes, after.bytes},
        {"peak bytes", before->peak_bytes, after.peak_bytes},
    };
    if (!json) print_lines("%-24s %16s %16s\n", "module", "before", "after");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) put_quantity(module, &all[i], json);
}

/* ---- passes ---- */

static void put_pass(const char *name, uint64_t runs, uint64_t changes, double seconds, bool json) {
    if (!json) {
        print_lines("%-32s %8llu %8llu %12.3f\n", name, (unsigned long long)runs,
                    (unsigned long long)changes, 1e3 * seconds);
        return;
    }
    json_lines line = begin("passes");
    json_word(&line, "name", name);
    json_count(&line, "runs", runs);
    json_count(&line, "changed", changes);
    json_double(&line, "time_s", seconds);
    end(&line);
}

void report_times(const hlo_pass_stats *stats, bool json) {
    hlo_table_row row;
    uint64_t runs, changes;
    double seconds, all = 0;
    if (!json) print_lines("%-32s %8s %8s %12s\n", "pass", "runs", "changed", "ms");
    for (size_t i = 0; hlo_pass_row(i, &row); i++) {
        if (!hlo_pass_stats_pass(stats, i, &runs, &changes, &seconds)) continue;
        put_pass(row.name, runs, changes, seconds, json);
        all += seconds;
    }
    if (!json) print_lines("%-32s %8s %8s %12.3f\n", "all passes", "", "", 1e3 * all);
}

/* ---- rewrites ---- */

static void put_rewrite(const hlo_table_row *row, uint64_t fired, bool json) {
    if (!json) {
        print_lines("%-24s %-40s %8llu\n", row->group, row->name, (unsigned long long)fired);
        return;
    }
    json_lines line = begin("rewrites");
    json_word(&line, "pass", row->group);
    json_word(&line, "name", row->name);
    json_count(&line, "fired", fired);
    end(&line);
}

void report_rewrites(const hlo_pass_stats *stats, bool json) {
    hlo_table_row row;
    if (!json) print_lines("%-24s %-40s %8s\n", "pass", "rewrite", "fired");
    for (size_t i = 0; hlo_rewrite_row(i, &row); i++) {
        uint64_t fired = hlo_pass_stats_fired(stats, i);
        if (fired) put_rewrite(&row, fired, json);
    }
    if (!json)
        print_lines("%-24s %-40s %8llu\n", "all passes", "",
                    (unsigned long long)hlo_pass_stats_total(stats));
}
