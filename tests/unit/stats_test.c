/* Statistics through hlo.h: tables agree with hlo_module_estimate and with each other, loops and
 * branches count as documented, and what makes no sense is refused. Only hlo.h is included. */
#include <hlo.h>
#include <stdlib.h>
#include <string.h>

#include "unit/check.h"

/* Without the loop's body twice: 8 flops of the loop's add (32 with trip counts), of the branches
 * the one that multiplies twice, a fusion of two, a reduction. */
static const char text[] =
    "HloModule m\n"
    "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }\n"
    "fused { p = f32[8] parameter(0)  q = f32[8] multiply(p, p)  ROOT r = f32[8] add(q, p) }\n"
    "body { s = (s32[], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  v = f32[8] get-tuple-element(s), index=1\n"
    "  w = f32[8] exponential(v)\n"
    "  x = f32[8] subtract(w, v)\n"
    "  ROOT t = (s32[], f32[8]) tuple(next, x) }\n"
    "cond { s = (s32[], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(4)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT }\n"
    "small { p = f32[8] parameter(0)  ROOT n = f32[8] negate(p) }\n"
    "large { p = f32[8] parameter(0)  q = f32[8] multiply(p, p)  ROOT r = f32[8] multiply(q, p) }\n"
    "ENTRY e { x = f32[8] parameter(0)\n"
    "  which = pred[] parameter(1)\n"
    "  zero = s32[] constant(0)\n"
    "  z = f32[] constant(0)\n"
    "  start = (s32[], f32[8]) tuple(zero, x)\n"
    "  loop = (s32[], f32[8]) while(start), condition=cond, body=body\n"
    "  y = f32[8] get-tuple-element(loop), index=1\n"
    "  f = f32[8] fusion(y), kind=kLoop, calls=fused\n"
    "  c = f32[8] conditional(which, f, f), true_computation=small, false_computation=large\n"
    "  k = f32[8] custom-call(c), custom_call_target=\"t\"\n"
    "  ROOT r = f32[] reduce(k, z), dimensions={0}, to_apply=sum }\n";

static hlo_diags *diags;

static size_t table_named(const char *name) {
    hlo_table_row row;
    size_t t = 0;
    while (hlo_stats_table_row(t, &row) && strcmp(row.name, name) != 0) t++;
    return t;
}

static size_t column_named(size_t table, const char *name) {
    hlo_table_row row;
    size_t k = 0;
    while (hlo_stats_column_row(table, k, &row) && strcmp(row.name, name) != 0) k++;
    return k;
}

/* What the row of that key has in the column; -1: there is no such row. */
static double cell(const hlo_stats *stats, const char *table, const char *key, const char *column) {
    size_t t = table_named(table), k = column_named(t, column);
    hlo_stats_value value;
    for (size_t r = 0; r < hlo_stats_rows(stats, t); r++) {
        hlo_stats_cell(stats, t, r, 0, &value);
        if (value.text_len != strlen(key) || memcmp(value.text, key, value.text_len) != 0) continue;
        hlo_stats_cell(stats, t, r, k, &value);
        return value.number;
    }
    return -1;
}

static double sum(const hlo_stats *stats, const char *table, const char *column) {
    size_t t = table_named(table), k = column_named(t, column);
    hlo_stats_value value;
    double all = 0;
    for (size_t r = 0; r < hlo_stats_rows(stats, t); r++)
        if (hlo_stats_cell(stats, t, r, k, &value) && value.number == value.number)
            all += value.number;
    return all;
}

static double figure(const hlo_stats *stats, const char *name) {
    return cell(stats, "summary", name, "value");
}

static hlo_stats *count(hlo_module *module, bool trip_counts) {
    hlo_stats_options options = HLO_STATS_OPTIONS_INIT;
    hlo_stats *stats;
    options.trip_counts = trip_counts;
    options.peak_bandwidth = 1e9;
    check(hlo_stats_create(module, &options, diags, &stats) == HLO_OK, "counted");
    return stats;
}

static void check_sums(const hlo_stats *stats) {
    static const char *const tables[] = {"operations", "computations", "instructions",
                                         "types",      "scopes",       "sources"};
    static const char *const columns[] = {"flops", "transcendentals", "bytes"};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            check(sum(stats, tables[t], columns[k]) == figure(stats, columns[k]), tables[t]);
}

/* The row of the module has the figures of the summary, and the name of the module. */
static void check_modules(const hlo_stats *stats) {
    size_t summary = table_named("summary"), modules = table_named("modules");
    hlo_stats_value name, value, same;
    check(hlo_stats_rows(stats, modules) == 1, "one row");
    check(hlo_stats_cell(stats, modules, 0, column_named(modules, "module"), &value) &&
              value.text_len == 1 && *value.text == 'm',
          "the name of the module");
    for (size_t r = 0; hlo_stats_cell(stats, summary, r, 0, &name); r++) {
        char column[64];
        snprintf(column, sizeof column, "%.*s", (int)name.text_len, name.text);
        hlo_stats_cell(stats, summary, r, 1, &value);
        check(hlo_stats_cell(stats, modules, 0, column_named(modules, column), &same), column);
        check(value.text ? value.text_len == same.text_len : value.number == same.number, column);
    }
}

/* XLA counts -1 for the custom call, we nothing. */
static void test_counts(hlo_module *module) {
    hlo_module_cost cost = hlo_module_estimate(module);
    hlo_stats *stats = count(module, false);
    check(figure(stats, "flops") == cost.flops + 1, "flops");
    check(figure(stats, "bytes") == cost.bytes + 1, "bytes");
    check(figure(stats, "transcendentals") == cost.transcendentals, "transcendentals");
    check(figure(stats, "peak_bytes") == cost.peak_bytes, "memory");
    check(figure(stats, "run_flops") == cost.run_flops + 1, "flops of a run");
    check(figure(stats, "run_bytes") == cost.run_bytes + 1, "bytes of a run");
    check(figure(stats, "run_transcendentals") == cost.run_transcendentals, "functions of a run");
    check(cost.run_transcendentals == 4 * 8 && cost.unknown_loops == 0, "of all iterations");
    check(figure(stats, "not_counted") == 1, "custom calls are not counted");
    check(figure(stats, "flops") == 9 + 1 + 16 + 16 + 7, "loop, condition, fusion, branch, reduce");
    check(cell(stats, "operations", "negate", "flops") == 0, "the cheaper branch does not count");
    check(cell(stats, "operations", "multiply", "flops") == 24, "the other does, and the fusion");
    check(cell(stats, "instructions", "f", "flops") == 16, "a fusion has what is in it");
    check(cell(stats, "computations", "fused", "flops") == -1, "its body is no computation here");
    check(cell(stats, "computations", "body", "runs") == 4, "runs of the body");
    double custom = cell(stats, "operations", "custom-call", "flops");
    check(custom != custom, "is not known");
    check_sums(stats);
    check_modules(stats);
    hlo_stats_free(stats);
}

static void test_trip_counts(hlo_module *module) {
    hlo_stats *stats = count(module, true);
    check(figure(stats, "flops") == 4 * 9 + 5 + 16 + 16 + 7, "flops of all iterations");
    check(figure(stats, "transcendentals") == 4 * 8, "transcendentals of all iterations");
    check(figure(stats, "seconds") * 1e9 > 0.999 * figure(stats, "bytes"), "time");
    check_sums(stats);
    hlo_stats_free(stats);
}

#define REFUSED(call)                                                          \
    do {                                                                       \
        uint32_t before = hlo_diags_error_count(diags);                        \
        check((call) == HLO_BAD_USE, #call);                                   \
        check(hlo_diags_error_count(diags) == before + 1, #call ": an error"); \
    } while (0)

static void test_misuse(hlo_module *module) {
    hlo_stats *stats;
    hlo_stats_value value;
    hlo_link_options links = HLO_LINK_OPTIONS_INIT;
    hlo_stats_options options = HLO_STATS_OPTIONS_INIT;
    REFUSED(hlo_stats_create(NULL, NULL, diags, &stats));
    REFUSED(hlo_stats_create(module, NULL, diags, NULL));
    check(hlo_stats_create(module, NULL, NULL, &stats) == HLO_BAD_USE, "no list");
    options.peak_flops = -1;
    REFUSED(hlo_stats_create(module, &options, diags, &stats));
    options.peak_flops = 0;
    options.links = &links;
    links.gigabits = 0;
    REFUSED(hlo_stats_create(module, &options, diags, &stats));
    hlo_stats_free(NULL);
    check(hlo_stats_rows(NULL, 0) == 0, "no rows of nothing");
    check(!hlo_stats_cell(NULL, 0, 0, 0, &value) && !value.text, "no cell of nothing");
    stats = count(module, false);
    check(hlo_stats_rows(stats, 1 << 20) == 0, "no such table");
    check(!hlo_stats_cell(stats, 0, 1 << 20, 0, &value), "no such row");
    check(!hlo_stats_cell(stats, 0, 0, 1 << 20, &value), "no such column");
    check(!hlo_stats_cell(stats, 0, 0, 0, NULL), "no place for a cell");
    hlo_stats_free(stats);
}

static void test_report_misuse(void) {
    hlo_table_row row;
    hlo_output *output = hlo_output_to_memory();
    hlo_stats_report *report;
    hlo_stats_report_options options = HLO_STATS_REPORT_OPTIONS_INIT;
    REFUSED(hlo_stats_report_begin(&options, NULL, diags, &report));
    REFUSED(hlo_stats_report_begin(&options, output, diags, NULL));
    options.sort = "no such column";
    REFUSED(hlo_stats_report_begin(&options, output, diags, &report));
    options.sort = NULL;
    options.tables = UINT64_MAX;
    REFUSED(hlo_stats_report_begin(&options, output, diags, &report));
    options.tables = 3;
    options.form = HLO_STATS_CSV;
    REFUSED(hlo_stats_report_begin(&options, output, diags, &report));
    options.form = (hlo_stats_form)99;
    REFUSED(hlo_stats_report_begin(&options, output, diags, &report));
    check(hlo_stats_report_begin(NULL, output, diags, &report) == HLO_OK, "defaults");
    hlo_stats_report_add(report, NULL, NULL);
    hlo_stats_report_compare(report, NULL, NULL, NULL, NULL);
    hlo_stats_report_end(report);
    hlo_stats_report_add(NULL, NULL, NULL);
    hlo_stats_report_end(NULL);
    check(!hlo_stats_table_row(1 << 20, &row) && !hlo_stats_table_row(0, NULL), "tables");
    check(!hlo_stats_column_row(0, 1 << 20, &row) && !hlo_stats_column_row(1 << 20, 0, &row),
          "columns");
    hlo_output_free(output);
}

int main(void) {
    hlo_source *source = NULL;
    hlo_module *module = NULL;
    diags = hlo_diags_create(0);
    source = hlo_source_from_text("m", text, strlen(text));
    check(hlo_read_module(source, diags, &module) == HLO_OK, "read");
    check(module && hlo_verify(module, diags) == HLO_OK, "verified");
    hlo_diags_render(diags, stdout, false);
    test_counts(module);
    test_trip_counts(module);
    test_misuse(module);
    test_report_misuse();
    hlo_module_free(module);
    hlo_source_free(source);
    hlo_diags_free(diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
