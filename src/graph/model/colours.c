/* What nodes are filled with, and the legend that explains it. */
#include "graph/model/colours.h"

#include "base/text.h"
#include "graph/model/devices.h"
#include "graph/model/label.h"
#include "ir/plan_keys.h"

_Static_assert((int)HLO_STYLE_COUNT <= (int)HLO_DOT_PALETTE, "classes are marked like colours");

_Static_assert((int)HLO_CHANGE_STYLES == (int)HLO_DOT_REMOVED + 1, "every change has a style");

/* ---- of a node ---- */

/* The number of the buffer that the result is in; HLO_DOT_NONE: it is in none. */
static uint32_t buffer_of(const hlo_instr *instr) {
    static const char before[] = "buffer ";
    enum { LENGTH = sizeof before - 1 };
    const hlo_str *memory = hlo_frontend_value(instr, HLO_PLAN_MEMORY);
    uint64_t number;
    if (!memory || memory->len <= LENGTH || memcmp(memory->ptr, before, LENGTH))
        return HLO_DOT_NONE;
    const char *at = memory->ptr + LENGTH, *end = memory->ptr + memory->len;
    return hlo_digits(&at, end, HLO_DOT_NONE, &number) && at == end ? (uint32_t)number
                                                                    : HLO_DOT_NONE;
}

/* There are more buffers than colours, which serve again. */
static uint32_t colour_of_buffer(const hlo_instr *instr) {
    uint32_t buffer = buffer_of(instr);
    return buffer == HLO_DOT_NONE ? buffer : buffer % HLO_DOT_PALETTE;
}

/* The same sharding again has the same colour. */
static uint32_t palette_of(hlo_dot_colours *colours, const hlo_instr *instr) {
    const hlo_attr *sharding = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (!sharding) return HLO_DOT_NONE;
    for (uint32_t i = 0; i < colours->sharding_count; i++)
        if (hlo_attr_equal(colours->shardings[i], sharding)) return i;
    if (colours->sharding_count == HLO_DOT_PALETTE) return HLO_DOT_PALETTE;
    colours->shardings[colours->sharding_count] = sharding;
    return colours->sharding_count++;
}

static uint32_t colour_of_instr(hlo_dot_graph *g, const hlo_instr *instr) {
    switch (g->options->colour) {
    case HLO_COLOUR_SHARDING: return palette_of(g->colours, instr);
    case HLO_COLOUR_DEVICE: return hlo_dot_colour_of_devices(g->colours, instr);
    case HLO_COLOUR_PLAN: return colour_of_buffer(instr);
    case HLO_COLOUR_FLOPS:
    case HLO_COLOUR_BYTES:
    case HLO_COLOUR_TIME: return hlo_dot_heat_step(&g->colours->heat, g->selection, instr);
    case HLO_COLOUR_DIFF: return g->colours->extras->changes[hlo_dot_number(g->selection, instr)];
    case HLO_COLOUR_CLASS: break;
    }
    return (uint32_t)hlo_info(instr)->class;
}

static void use_colour(hlo_dot_colours *colours, uint32_t colour) {
    if (colour < HLO_DOT_PALETTE) colours->drawn[colour] = true;
    else if (colour == HLO_DOT_PALETTE) colours->others = true;
    else if (colour == HLO_DOT_PALETTE_ALL) colours->all = true;
    else if (colour == HLO_DOT_NONE) colours->none = true;
}

uint32_t hlo_dot_colour_of(hlo_dot_graph *g, const hlo_instr *instr) {
    uint32_t colour = colour_of_instr(g, instr);
    use_colour(g->colours, colour);
    return colour;
}

uint32_t hlo_dot_colour_of_lone(hlo_dot_graph *g) {
    use_colour(g->colours, HLO_DOT_REMOVED);
    return HLO_DOT_REMOVED;
}

bool hlo_dot_is_striped(const hlo_dot_graph *g, uint32_t colour) {
    return g->options->colour == HLO_COLOUR_DEVICE && colour >= HLO_DOT_STRIPES &&
           colour != HLO_DOT_NONE;
}

const char *hlo_dot_fill(const hlo_dot_graph *g, uint32_t colour) {
    if (hlo_dot_is_striped(g, colour)) return g->colours->stripes.v[colour - HLO_DOT_STRIPES].fill;
    if (g->options->colour == HLO_COLOUR_CLASS) return hlo_styles[colour].fill;
    if (g->options->colour == HLO_COLOUR_DIFF) return hlo_change_styles[colour].fill;
    return hlo_dot_is_heat(g->options) ? hlo_dot_heat_fill(colour) : hlo_dot_palette(colour);
}

/* ---- the legend ---- */

static void legend_row(hlo_dot_graph *g, uint32_t cluster, uint32_t colour, const char *text) {
    hlo_dot_node *node = hlo_dot_new_node(g, HLO_DOT_NODE_LEGEND, NULL, cluster);
    node->colour = colour;
    hlo_dot_escape(&g->texts, text, strlen(text), 100);
    hlo_dot_end_text(g);
}

static void legend_of_classes(hlo_dot_graph *g, uint32_t cluster) {
    for (uint32_t class = 0; class < HLO_STYLE_COUNT; class ++)
        if (g->colours->drawn[class]) legend_row(g, cluster, class, hlo_styles[class].legend);
}

static void legend_of_shardings(hlo_dot_graph *g, uint32_t cluster) {
    const hlo_dot_colours *colours = g->colours;
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < colours->sharding_count; i++) {
        text.len = 0;
        hlo_attr_print(colours->shardings[i], &hlo_print_default, &text);
        hlo_buf_char(&text, 0);
        legend_row(g, cluster, i, strncmp(text.data, ", ", 2) == 0 ? text.data + 2 : text.data);
    }
    hlo_buf_free(&text);
    if (colours->others) legend_row(g, cluster, HLO_DOT_PALETTE, "another sharding");
    if (colours->none) legend_row(g, cluster, HLO_DOT_NONE, "no sharding");
}

/* Numbers beyond the palette use its colours again. */
static void legend_of_buffers(hlo_dot_graph *g, uint32_t cluster) {
    for (uint32_t i = 0; i < HLO_DOT_PALETTE; i++) {
        char text[64];
        snprintf(text, sizeof text, "buffer %u, %u, ... of a computation", i, i + HLO_DOT_PALETTE);
        if (g->colours->drawn[i]) legend_row(g, cluster, i, text);
    }
    if (g->colours->none) legend_row(g, cluster, HLO_DOT_NONE, "no buffer of a plan");
}

static void legend_of_devices(hlo_dot_graph *g, uint32_t cluster) {
    const hlo_dot_colours *colours = g->colours;
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < HLO_DOT_PALETTE; i++) {
        if (!colours->drawn[i]) continue;
        text.len = 0;
        hlo_dot_name_devices(colours, i, &text);
        hlo_buf_char(&text, 0);
        legend_row(g, cluster, i, text.data);
    }
    hlo_buf_free(&text);
    if (colours->stripes.n) legend_row(g, cluster, HLO_DOT_STRIPES, "parts on several devices");
    char many[64];
    snprintf(many, sizeof many, "parts on more than %d devices, or manual", HLO_DOT_MOST_STRIPES);
    if (colours->others) legend_row(g, cluster, HLO_DOT_PALETTE, many);
    if (colours->all) legend_row(g, cluster, HLO_DOT_PALETTE_ALL, "the whole on every device");
    if (g->colours->none) legend_row(g, cluster, HLO_DOT_NONE, "no sharding");
}

static void legend_of_costs(hlo_dot_graph *g, uint32_t cluster) {
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t k = 0; k < HLO_DOT_HEAT_STEPS; k++) {
        /* The most expensive first, what is not known last. */
        uint32_t step = k <= HLO_DOT_HEAT_MOST ? HLO_DOT_HEAT_MOST - k : k;
        text.len = 0;
        hlo_dot_heat_explain(&g->colours->heat, step, &text);
        hlo_buf_char(&text, 0);
        if (g->colours->drawn[step]) legend_row(g, cluster, step, text.data);
    }
    hlo_buf_free(&text);
}

static void legend_of_changes(hlo_dot_graph *g, uint32_t cluster) {
    for (uint32_t k = 0; k < HLO_CHANGE_STYLES; k++)
        if (g->colours->drawn[k]) legend_row(g, cluster, k, hlo_change_styles[k].legend);
    uint32_t left = g->colours->extras->lone_elsewhere;
    char text[128];
    snprintf(text, sizeof text, "... and %u more, in computations that only the other module has",
             left);
    if (left) legend_row(g, cluster, HLO_DOT_REMOVED, text);
}

void hlo_dot_add_legend(hlo_dot_graph *g) {
    uint32_t cluster = hlo_dot_new_cluster(g, NULL);
    g->clusters[cluster].label = g->texts.len;
    hlo_buf_lit(&g->texts, "colours");
    hlo_dot_end_text(g);
    if (g->options->colour == HLO_COLOUR_SHARDING) legend_of_shardings(g, cluster);
    else if (g->options->colour == HLO_COLOUR_DEVICE) legend_of_devices(g, cluster);
    else if (g->options->colour == HLO_COLOUR_PLAN) legend_of_buffers(g, cluster);
    else if (g->options->colour == HLO_COLOUR_DIFF) legend_of_changes(g, cluster);
    else if (hlo_dot_is_heat(g->options)) legend_of_costs(g, cluster);
    else legend_of_classes(g, cluster);
}
