/* Statistics of a module, filled and asked for. */
#include <math.h>

#include "analysis/liveness.h"
#include "stat/stat.h"

/* ---- texts ---- */

hlo_str hlo_stat_keep(hlo_stat_counting *c, const char *text, size_t length) {
    hlo_str wanted = {text, (uint32_t)length, 0};
    uint64_t hash = hlo_hash_bytes(text, length);
    if (!length) return HLO_STR("");
    hlo_hash_each (number, &c->text_numbers, hash)
        if (hlo_str_equal(c->texts.v[number - 1], wanted)) return c->texts.v[number - 1];
    wanted.ptr = hlo_arena_copy(&c->stats->arena, text, length);
    hlo_list_push(&c->texts, wanted);
    hlo_hash_add(&c->text_numbers, hash, c->texts.n);
    return wanted;
}

hlo_str hlo_stat_keep_name(hlo_stat_counting *c, const hlo_name *name) {
    return hlo_stat_keep(c, name->ptr, name->len);
}

hlo_str hlo_stat_keep_shape(hlo_stat_counting *c, const hlo_shape *shape) {
    uint64_t hash = hlo_hash_pointer(shape, 0);
    hlo_hash_each (number, &c->shape_numbers, hash)
        if (c->shapes.v[number - 1].shape == shape) return c->shapes.v[number - 1].text;
    c->text.len = 0;
    hlo_shape_print(&c->text, shape, false);
    hlo_stat_shape_text made = {shape, hlo_stat_keep(c, c->text.data, c->text.len)};
    hlo_list_push(&c->shapes, made);
    hlo_hash_add(&c->shape_numbers, hash, c->shapes.n);
    return made.text;
}

static void free_texts(hlo_stat_counting *c) {
    hlo_list_free(&c->texts);
    hlo_hash_free(&c->text_numbers);
    hlo_list_free(&c->shapes);
    hlo_hash_free(&c->shape_numbers);
    hlo_buf_free(&c->text);
}

/* ---- parts ---- */

/* Callers come first. */
static bool *find_run(const hlo_call_graph *graph) {
    bool *is_run = hlo_calloc(graph->ids + 1u, sizeof *is_run);
    const hlo_computation *called;
    for (uint32_t n = 0; n < graph->count; n++) {
        const hlo_computation *c = graph->order[n];
        is_run[c->id] |= c == c->module->entry;
        for (const hlo_instr *i = c->first; i && is_run[c->id]; i = i->next)
            for (uint32_t k = 0; hlo_info(i)->work == HLO_WORK_CALL && (called = hlo_called(i, k));
                 k++)
                is_run[called->id] = true;
    }
    return is_run;
}

static void add_part(hlo_stat_counting *c, hlo_module *module) {
    hlo_stat_part part = {.module = module};
    hlo_call_graph_init(&part.graph, module);
    part.shares = hlo_share_costs(&part.graph, c->options.trip_counts);
    part.run_shares = hlo_share_costs(&part.graph, true);
    part.runs = hlo_count_runs(&part.graph);
    part.peaks = hlo_computation_peaks(&part.graph, module);
    part.is_run = find_run(&part.graph);
    part.scopes = hlo_stat_find_scopes(c, &part.graph);
    hlo_list_push(&c->parts, part);
}

static void free_shares(const hlo_cost_shares *shares) {
    hlo_free(shares->costs);
    hlo_free(shares->own_times);
}

static void free_parts(hlo_stat_counting *c) {
    for (uint32_t p = 0; p < c->parts.n; p++) {
        hlo_stat_part *part = &c->parts.v[p];
        hlo_call_graph_free(&part->graph);
        free_shares(&part->shares);
        free_shares(&part->run_shares);
        hlo_runs_free(&part->runs);
        hlo_free(part->peaks);
        hlo_free(part->is_run);
        hlo_free(part->scopes);
    }
    hlo_list_free(&c->parts);
}

/* ---- tables ---- */

static void fill_part(hlo_stat_counting *c) {
    hlo_stat_fill_computations(c);
    hlo_stat_fill_instructions(c);
    hlo_stat_fill_buffers(c);
    hlo_stat_fill_values(c);
    hlo_stat_collect_groups(c);
}

static void fill(hlo_stat_counting *c) {
    hlo_stat_count_totals(c);
    for (uint32_t p = 0; p < c->parts.n; p++) {
        c->part = &c->parts.v[p];
        fill_part(c);
    }
    hlo_stat_fill_groups(c);
    hlo_stat_fill_collectives(c);
    hlo_stat_fill_figures(c);
}

/* ---- the public interface ---- */

static bool is_rate(double rate) {
    return rate >= 0 && rate < INFINITY;
}

static hlo_status take_options(hlo_stat_counting *c, const hlo_stats_options *options,
                               hlo_diags *diags) {
    hlo_link_options links = HLO_LINK_OPTIONS_INIT;
    c->options = (hlo_stats_options)HLO_STATS_OPTIONS_INIT;
    hlo_status status = hlo_take_options(options, &c->options, sizeof c->options, diags);
    if (status == HLO_OK && c->options.links)
        status = hlo_take_options(c->options.links, &links, sizeof links, diags);
    if (status != HLO_OK) return HLO_BAD_USE;
    bool are_sound = links.gigabits > 0 && links.microseconds >= 0 && links.topology <= HLO_TORUS;
    if (!is_rate(c->options.peak_flops) || !is_rate(c->options.peak_bandwidth) || !are_sound)
        return hlo_misuse(diags,
                          "peak figures must not be negative, figures of links must be positive");
    c->links = hlo_links_of(&links);
    return HLO_OK;
}

static hlo_stats *new_stats(const hlo_stat_counting *c, const hlo_module *module) {
    const hlo_stats_options *options = &c->options;
    hlo_stats *stats = hlo_calloc(1, sizeof *stats);
    hlo_arena_init(&stats->arena);
    stats->has_times = options->peak_flops > 0 || options->peak_bandwidth > 0 || options->links;
    for (int t = 0; t < HLO_STAT_TABLES; t++)
        stats->tables[t] = hlo_stat_table_of(&stats->arena, (hlo_stat_table_id)t);
    char *name = hlo_arena_copy(&stats->arena, module->name.ptr, module->name.len);
    stats->module = (hlo_str){module->name.len ? name : "", module->name.len, 0};
    return stats;
}

/* Where rows are ranked by nothing else, by what they cost. */
static void sort_tables(hlo_stats *stats) {
    static const char *const by[HLO_STAT_RANKS] = {"seconds", "flops", "count", "bytes"};
    for (int t = HLO_STAT_OPERATIONS; t < HLO_STAT_TABLES; t++)
        if (t != HLO_STAT_PARAMETERS && t != HLO_STAT_OUTPUTS) hlo_stat_sort(&stats->tables[t], by);
}

hlo_status hlo_stats_create(hlo_module *module, const hlo_stats_options *options, hlo_diags *diags,
                            hlo_stats **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_stat_counting c = {.text = HLO_BUF_INIT};
    if (take_options(&c, options, diags) != HLO_OK) return HLO_BAD_USE;
    c.stats = new_stats(&c, module);
    for (hlo_module *part = module; part; part = part->next_device) add_part(&c, part);
    fill(&c);
    free_parts(&c);
    free_texts(&c);
    sort_tables(c.stats);
    *out = c.stats;
    return HLO_OK;
}

void hlo_stats_free(hlo_stats *stats) {
    if (!stats) return;
    for (int t = 0; t < HLO_STAT_TABLES; t++) hlo_stat_free(&stats->tables[t]);
    hlo_arena_free(&stats->arena);
    hlo_free(stats);
}

size_t hlo_stats_rows(const hlo_stats *stats, size_t table) {
    return stats && table < HLO_STAT_TABLES ? hlo_stat_rows(&stats->tables[table]) : 0;
}

bool hlo_stats_cell(const hlo_stats *stats, size_t table, size_t row, size_t column,
                    hlo_stats_value *out) {
    if (!out) return false;
    *out = (hlo_stats_value){.number = NAN};
    if (row >= hlo_stats_rows(stats, table) || column >= stats->tables[table].width) return false;
    const hlo_stat_cell *cell = &hlo_stat_row(&stats->tables[table], (uint32_t)row)[column];
    *out = (hlo_stats_value){cell->text.ptr, cell->text.len, cell->number};
    return true;
}
