/* Tables of what devices exchange: see communication.h. */
#include "communication.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_lines.h"
#include "process.h"

/* ---- options ---- */

static bool read_number(const char *text, double *number) {
    const char *end = hlo_read_number(text, number);
    return end && !*end && *number < 1e30;
}

int links_check(const program_info *program, const link_texts *given, hlo_link_options *links) {
    const char *gigabits = given->gigabits, *microseconds = given->microseconds;
    *links = (hlo_link_options)HLO_LINK_OPTIONS_INIT;
    links->topology = (hlo_topology)given->topology;
    if (gigabits && !(read_number(gigabits, &links->gigabits) && links->gigabits > 0))
        return options_wrong_use(program, "--link-gbps takes a number above 0, not '%s'", gigabits);
    if (microseconds && !read_number(microseconds, &links->microseconds))
        return options_wrong_use(program, "--link-us takes a number from 0, not '%s'",
                                 microseconds);
    return OPTIONS_GO_ON;
}

/* ---- the table ---- */

enum { MOST_KINDS = 16 };

/* Sums of a kind, or of all. */
typedef struct {
    const char *kind;
    double times, sent, received, seconds;
} totals_row;

typedef struct {
    hlo_module_facts facts;
    hlo_output *output;
    bool json;
    totals_row kinds[MOST_KINDS], all;
    size_t count;
} table;

static void put(hlo_output *output, const char *text) {
    hlo_output_write(output, text, strlen(text));
}

static void add(totals_row *row, const hlo_transfer *x) {
    row->times += x->times;
    row->sent += x->bytes_sent;
    row->received += x->bytes_received;
    row->seconds += x->seconds;
}

static void add_to_kind(table *t, const hlo_transfer *x) {
    size_t k = 0;
    while (k < t->count && strcmp(t->kinds[k].kind, x->kind) != 0) k++;
    if (k == MOST_KINDS) return;
    if (k == t->count) t->kinds[t->count++].kind = x->kind;
    add(&t->kinds[k], x);
    add(&t->all, x);
}

static void put_numbers(table *t, const char *kind, const char *devices, double times, bool known,
                        const totals_row *sums) {
    char line[5 * HLO_FIGURE_SIZE], count[HLO_FIGURE_SIZE], sent[HLO_FIGURE_SIZE];
    char received[HLO_FIGURE_SIZE], seconds[HLO_FIGURE_SIZE];
    snprintf(line, sizeof line, "%-24s %8s %11s%s %10s %10s %10s", kind, devices,
             hlo_write_figure(HLO_FIGURE_COUNT, times, count), known ? " " : "?",
             hlo_write_figure(HLO_FIGURE_BYTES, sums->sent, sent),
             hlo_write_figure(HLO_FIGURE_BYTES, sums->received, received),
             hlo_write_figure(HLO_FIGURE_SECONDS, sums->seconds, seconds));
    put(t->output, line);
}

static json_lines begin(const table *t, const char *name, const char *kind) {
    json_lines json = {.to = t->output};
    json_open(&json, NULL, '{');
    json_word(&json, "table", name);
    json_text(&json, "module", t->facts.name, t->facts.name_len);
    json_word(&json, "kind", kind);
    return json;
}

static void end(json_lines *json, const totals_row *sums) {
    json_double(json, "bytes_sent", sums->sent);
    json_double(json, "bytes_received", sums->received);
    json_double(json, "seconds", sums->seconds);
    json_close(json, '}');
    json_end_line(json);
}

static void put_exchange(void *context, const hlo_transfer *x) {
    table *t = context;
    totals_row own = {.kind = x->kind};
    add(&own, x);
    add_to_kind(t, x);
    if (!t->json) {
        char devices[24];
        snprintf(devices, sizeof devices, "%llu", (unsigned long long)x->devices);
        put_numbers(t, x->kind, devices, x->times, x->times_known, &own);
        put(t->output, "  ");
        hlo_output_write(t->output, x->instruction, x->instruction_len);
        put(t->output, "\n");
        return;
    }
    json_lines json = begin(t, "exchanges", x->kind);
    json_text(&json, "computation", x->computation, x->computation_len);
    json_text(&json, "instruction", x->instruction, x->instruction_len);
    json_count(&json, "devices", x->devices);
    json_double(&json, "times", x->times);
    json_flag(&json, "times_known", x->times_known);
    end(&json, &own);
}

static void put_total(table *t, const totals_row *row) {
    if (!t->json) {
        put_numbers(t, row->kind, "", row->times, true, row);
        put(t->output, "\n");
        return;
    }
    json_lines json = begin(t, "exchange_totals", row->kind);
    json_double(&json, "times", row->times);
    end(&json, row);
}

/* Nothing when all loops are known. */
static void put_unknown_loops(table *t, hlo_module *module) {
    double loops = hlo_module_estimate(module).unknown_loops;
    if (loops != loops) process_no_memory("the cost of a module");
    if (t->json) {
        json_lines json = {.to = t->output};
        json_open(&json, NULL, '{');
        json_word(&json, "table", "unknown_loops");
        json_text(&json, "module", t->facts.name, t->facts.name_len);
        json_double(&json, "count", loops);
        json_close(&json, '}');
        json_end_line(&json);
    } else if (loops > 0) {
        char line[128];
        snprintf(line, sizeof line, "%.0f loop%s of unknown trip count, counted once\n", loops,
                 loops > 1 ? "s" : "");
        put(t->output, line);
    }
}

hlo_status write_communication(hlo_module *module, const hlo_link_options *links, bool json,
                               hlo_output *output, hlo_diags *diags) {
    table t = {.facts = hlo_module_describe(module),
               .output = output,
               .json = json,
               .all.kind = "all collectives"};
    char head[256];
    snprintf(head, sizeof head, "%-24s %8s %11s  %10s %10s %10s  %s\n", "collective", "devices",
             "times", "sent", "received", "time", "instruction");
    if (!json) put(output, head);
    hlo_status status = hlo_module_transfers(module, links, put_exchange, &t, diags);
    for (size_t k = 0; k < t.count; k++) put_total(&t, &t.kinds[k]);
    put_total(&t, &t.all);
    put_unknown_loops(&t, module);
    return status;
}
