/* Costs as colours: see heat.h. */
#include "graph/model/heat.h"

#include <math.h>

#include <hlo/verify.h>

#include "analysis/cost.h"
#include "graph/model/roles.h"
#include "graph/model/seconds.h"

bool hlo_dot_is_heat(const hlo_graph_options *options) {
    hlo_graph_colour c = options->colour;
    return c == HLO_COLOUR_FLOPS || c == HLO_COLOUR_BYTES || c == HLO_COLOUR_TIME;
}

/* ---- measuring ---- */

typedef struct {
    const hlo_dot_selection *s;
    hlo_graph_colour colour;
    const double *seconds; /* by number */
    hlo_cost *costs;       /* by computation id, with what it calls; of time: `with_called` */
    hlo_dot_seconds with_called;
    double *values; /* to be filled in */
} measuring;

/* What an instruction calls is drawn as clusters that do not stand in its place. */
static bool is_opened(const hlo_dot_selection *s, const hlo_instr *instr) {
    const hlo_computation *called;
    if (hlo_dot_drawn_body(s, instr)) return false;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (s->drawn[called->id] && !s->is_line[called->id]) return true;
    return false;
}

/* What happens inside a fusion touches no memory. */
static bool is_fused(const hlo_dot_selection *s, const hlo_instr *instr) {
    const hlo_instr *caller = hlo_dot_place_of(s, instr->parent);
    return caller && caller->opcode == HLO_OP_FUSION;
}

static double count_cost(const measuring *m, const hlo_instr *instr) {
    bool opened = is_opened(m->s, instr);
    hlo_cost cost = opened ? hlo_own_cost(instr, m->costs) : hlo_instr_cost(instr, m->costs);
    if (m->colour == HLO_COLOUR_FLOPS) return cost.flops;
    return is_fused(m->s, instr) ? 0 : cost.bytes;
}

static double measure(const measuring *m, const hlo_instr *instr) {
    if (m->colour != HLO_COLOUR_TIME) return count_cost(m, instr);
    uint32_t number = hlo_dot_number(m->s, instr);
    return fmax(is_opened(m->s, instr) ? m->seconds[number] : m->with_called.instrs[number], 0);
}

static hlo_cost *costs_of(hlo_module *module) {
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    hlo_cost *costs = hlo_known_costs(&graph);
    hlo_call_graph_free(&graph);
    return costs;
}

static void measure_part(hlo_dot_heat *heat, measuring *m) {
    if (m->colour == HLO_COLOUR_TIME)
        hlo_dot_seconds_init(&m->with_called, m->s->module, m->seconds);
    else m->costs = costs_of(m->s->module);
    for (const hlo_computation *c = m->s->module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            double value = measure(m, i);
            if (!isfinite(value) || value < 0) value = -1;
            m->values[hlo_dot_number(m->s, i)] = value;
            if (m->s->kept[hlo_dot_number(m->s, i)]) heat->most = fmax(heat->most, value);
        }
    hlo_dot_seconds_free(&m->with_called);
    hlo_free(m->costs);
}

hlo_status hlo_dot_heat_init(hlo_dot_heat *heat, const hlo_dot_selection *selections,
                             uint32_t count, const hlo_graph_options *options,
                             const hlo_dot_extras *extras, hlo_diags *diags) {
    *heat = (hlo_dot_heat){.colour = options->colour, .all = extras ? extras->all_seconds : 0};
    for (uint32_t i = 0; i < count; i++)
        if (selections[i].device >= heat->part_count) heat->part_count = selections[i].device + 1;
    heat->values = hlo_calloc(heat->part_count + 1u, sizeof *heat->values);
    for (uint32_t i = 0; i < count; i++) {
        const hlo_dot_selection *s = &selections[i];
        bool timed = options->colour == HLO_COLOUR_TIME;
        hlo_status status = timed ? HLO_OK : hlo_verify(s->module, diags);
        if (status != HLO_OK) return status;
        measuring m = {.s = s, .colour = options->colour};
        m.seconds = timed ? extras->seconds[s->device] : NULL;
        m.values = heat->values[s->device] = hlo_calloc(s->total + 1u, sizeof(double));
        measure_part(heat, &m);
    }
    return HLO_OK;
}

void hlo_dot_heat_free(hlo_dot_heat *heat) {
    for (uint32_t i = 0; i < heat->part_count; i++) hlo_free(heat->values[i]);
    hlo_free(heat->values);
}

/* ---- showing ---- */

static double value_of(const hlo_dot_heat *heat, const hlo_dot_selection *s,
                       const hlo_instr *instr) {
    return heat->values[s->device][hlo_dot_number(s, instr)];
}

uint32_t hlo_dot_heat_step(const hlo_dot_heat *heat, const hlo_dot_selection *s,
                           const hlo_instr *instr) {
    double value = value_of(heat, s, instr);
    if (value < 0) return HLO_DOT_HEAT_UNKNOWN;
    if (value == 0) return HLO_DOT_HEAT_NONE;
    double below = floor(log2(heat->most / value) / 2);
    return below < HLO_DOT_HEAT_MOST - 1 ? HLO_DOT_HEAT_MOST - (uint32_t)fmax(below, 0) : 1;
}

const char *hlo_dot_heat_fill(uint32_t step) {
    HLO_ASSERT(step < HLO_DOT_HEAT_STEPS);
    static const char *const fills[HLO_DOT_HEAT_STEPS] = {"#ffffff",
                                                          "#fff6d1",
                                                          "#ffe39a",
                                                          "#ffc46e",
                                                          "#ff9c66",
                                                          "#f2695c",
                                                          [HLO_DOT_HEAT_UNKNOWN] = "#c8c8c8"};
    HLO_ASSERT(step < sizeof fills / sizeof *fills);
    return fills[step];
}

/* With the prefix that leaves one to three digits before the point. */
static void print_value(const hlo_dot_heat *heat, double value, hlo_buf *to) {
    static const char *const prefixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    const char *unit = heat->colour == HLO_COLOUR_FLOPS   ? "flop"
                       : heat->colour == HLO_COLOUR_BYTES ? "B"
                                                          : "s";
    int at = heat->colour == HLO_COLOUR_TIME ? 0 : 3;
    if (at == 0) value *= 1e9;
    for (; value >= 999.5 && at < 9; at++) value /= 1000;
    hlo_buf_printf(to, "%.3g %s%s", value, prefixes[at], unit);
}

void hlo_dot_put_heat(hlo_buf *out, const hlo_dot_heat *heat, const hlo_dot_selection *s,
                      const hlo_instr *instr, const char *before, const char *after) {
    double value = value_of(heat, s, instr);
    if (value <= 0) return;
    hlo_buf_cstr(out, before);
    print_value(heat, value, out);
    double percent = heat->all > 0 ? 100 * value / heat->all : 0;
    if (percent > 0) hlo_buf_printf(out, " (%.*g %%)", percent >= 99.5 ? 3 : 2, percent);
    hlo_buf_cstr(out, after);
}

void hlo_dot_heat_explain(const hlo_dot_heat *heat, uint32_t step, hlo_buf *to) {
    static const char *const nothing[] = {"no flops", "no bytes", "no self time"};
    if (step == HLO_DOT_HEAT_UNKNOWN) hlo_buf_lit(to, "not known");
    else if (step == HLO_DOT_HEAT_NONE)
        hlo_buf_cstr(to, nothing[(int)heat->colour - (int)HLO_COLOUR_FLOPS]);
    else if (step == 1) hlo_buf_lit(to, "less");
    else {
        print_value(heat, heat->most / pow(4, HLO_DOT_HEAT_MOST + 1 - step), to);
        hlo_buf_lit(to, " and more");
    }
}
