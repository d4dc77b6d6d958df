/* Figures of the whole module, as rows of the summary and as columns of the table of modules. */
#include <math.h>

#include "stat/stat.h"

typedef enum {
#define HLO_STAT_FIGURE(id, name, heading, kind, when, meaning) FIGURE_##id,
#include "stat/figures.def"
    FIGURES
} figure;

enum { ALWAYS = 0, TIMED = 1 };

static const struct {
    const char *name, *meaning;
    hlo_stat_kind kind;
    bool is_timed;
} figures[FIGURES] = {
#define HLO_STAT_FIGURE(id, name, heading, kind, when, meaning) \
    {name, meaning, HLO_STAT_##kind, when},
#include "stat/figures.def"
};

static double sum_of(const hlo_stat_counting *c, hlo_stat_table_id id, const char *column) {
    const hlo_stat_table *table = &c->stats->tables[id];
    uint32_t number = hlo_stat_find_column(table, column);
    return hlo_stat_sum(table, number, 0, hlo_stat_rows(table)).number;
}

static double rows_of(const hlo_stat_counting *c, hlo_stat_table_id id) {
    return hlo_stat_rows(&c->stats->tables[id]);
}

static double quotient(double a, double b) {
    return b > 0 ? a / b : NAN;
}

static double computations_of(const hlo_stat_counting *c) {
    double sum = 0;
    for (uint32_t p = 0; p < c->parts.n; p++) sum += c->parts.v[p].module->computation_count;
    return sum;
}

/* What peak figures make of the costs of a run. */
static double time_figure(const hlo_stat_counting *c, figure f) {
    const hlo_cost *cost = &c->run_total;
    double flops = c->options.peak_flops, bytes = c->options.peak_bandwidth;
    switch (f) {
    case FIGURE_COMPUTE_SECONDS: return quotient(cost->flops, flops);
    case FIGURE_MEMORY_SECONDS: return quotient(cost->bytes, bytes);
    case FIGURE_LINK_SECONDS: return c->options.links ? c->link_seconds : NAN;
    case FIGURE_SECONDS: return c->stats->has_times ? hlo_stat_seconds(&c->total) : NAN;
    case FIGURE_RIDGE: return flops > 0 ? quotient(flops, bytes) : NAN;
    default: return NAN;
    }
}

static double number_of(const hlo_stat_counting *c, figure f) {
    const hlo_cost *cost = &c->total.cost;
    switch (f) {
    case FIGURE_INSTRUCTIONS: return c->total.count;
    case FIGURE_COMPUTATIONS: return computations_of(c);
    case FIGURE_FLOPS: return cost->flops;
    case FIGURE_TRANSCENDENTALS: return cost->transcendentals;
    case FIGURE_BYTES: return cost->bytes;
    case FIGURE_INTENSITY: return quotient(cost->flops, cost->bytes);
    case FIGURE_RUN_FLOPS: return c->run_total.flops;
    case FIGURE_RUN_TRANSCENDENTALS: return c->run_total.transcendentals;
    case FIGURE_RUN_BYTES: return c->run_total.bytes;
    case FIGURE_NOT_COUNTED: return c->total.unknown;
    case FIGURE_UNKNOWN_LOOPS: return c->unknown_loops;
    case FIGURE_PEAK_BYTES: return c->peak;
    case FIGURE_PARAMETERS: return rows_of(c, HLO_STAT_PARAMETERS);
    case FIGURE_PARAMETER_BYTES: return sum_of(c, HLO_STAT_PARAMETERS, "bytes");
    case FIGURE_OUTPUTS: return rows_of(c, HLO_STAT_OUTPUTS);
    case FIGURE_OUTPUT_BYTES: return sum_of(c, HLO_STAT_OUTPUTS, "bytes");
    case FIGURE_CONSTANTS: return rows_of(c, HLO_STAT_CONSTANTS);
    case FIGURE_CONSTANT_BYTES: return sum_of(c, HLO_STAT_CONSTANTS, "bytes");
    case FIGURE_COLLECTIVES: return sum_of(c, HLO_STAT_COLLECTIVES, "count");
    case FIGURE_BYTES_SENT: return sum_of(c, HLO_STAT_COLLECTIVES, "bytes_sent");
    default: return time_figure(c, f);
    }
}

static hlo_str text_of(const hlo_stat_counting *c, figure f) {
    return f == FIGURE_PEAK_AT ? c->peak_at : hlo_stat_bound(&c->total);
}

static hlo_stat_cell cell_of(const hlo_stat_counting *c, figure f) {
    hlo_stat_cell cell = {figures[f].kind, {0}, NAN};
    if (cell.kind == HLO_STAT_TEXT) cell.text = text_of(c, f);
    else cell.number = number_of(c, f);
    return cell;
}

void hlo_stat_fill_figures(hlo_stat_counting *c) {
    hlo_stat_table *summary = &c->stats->tables[HLO_STAT_SUMMARY];
    hlo_stat_table *modules = &c->stats->tables[HLO_STAT_MODULES];
    hlo_stat_put_text(modules, HLO_STR(""));
    hlo_stat_put_text(modules, c->stats->module);
    for (int f = 0; f < FIGURES; f++) {
        hlo_stat_cell cell = cell_of(c, (figure)f);
        bool is_there = cell.kind == HLO_STAT_TEXT ? c->stats->has_times : !isnan(cell.number);
        hlo_list_push(&modules->cells, cell);
        if (figures[f].is_timed && !is_there) continue;
        hlo_stat_put_text(summary, hlo_str_from(figures[f].name));
        hlo_list_push(&summary->cells, cell);
        hlo_stat_put_text(summary, hlo_str_from(figures[f].meaning));
    }
}
