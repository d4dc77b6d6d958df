/* hlo-dot: draws a module with Graphviz, or as a page for a browser. */
#include <string.h>

#include "descriptions.h"
#include "ending.h"
#include "modules.h"
#include "process.h"
#include "progress.h"
#include "say.h"

typedef struct {
    hlo_graph_options graph;
    int format, layout, colour, edges, heat; /* places of words in the rows of the table */
    const char *other;
} dot_options;

typedef struct {
    hlo_graph_options graph;
    const common_options *common;
    hlo_output *output;
} dot_work;

enum { MANY_NODES = 5000 };

static hlo_status draw(hlo_module *module, void *context, hlo_diags *diags) {
    const dot_work *work = context;
    size_t nodes = 0;
    hlo_graph_options graph = work->graph;
    graph.node_count = &nodes;
    const char *format = work->graph.format;
    bool is_text = strcmp(format, "dot") == 0;
    bool shows = progress_begin_stage("%s %zu instructions: %s",
                                      is_text ? "drawing" : "laying out and drawing",
                                      hlo_module_describe(module).instructions, format);
    hlo_status status = hlo_write_graph(module, &graph, work->output, diags);
    progress_end_stage(shows);
    if (status == HLO_OK && nodes > MANY_NODES)
        say("hlo-dot", "note: the drawing has %zu nodes; -T html writes a page to search and open",
            nodes);
    return status;
}

static hlo_status draw_each(dot_work *work, hlo_diags *diags) {
    return modules_each(work->common->arguments[0], work->common, draw, work, diags);
}

static hlo_status draw_against(hlo_module *other, void *context, hlo_diags *diags) {
    dot_work *work = context;
    work->graph.other = other;
    return draw_each(work, diags);
}

static hlo_status draw_all(const dot_options *options, const common_options *common,
                           hlo_diags *diags) {
    dot_work work = {.graph = options->graph, .common = common};
    hlo_status status = hlo_output_open(common->output, diags, &work.output);
    if (status != HLO_OK) return status;
    if (options->other) status = modules_each(options->other, common, draw_against, &work, diags);
    else status = draw_each(&work, diags);
    if (status == HLO_OK) status = modules_commit(work.output, common->output, diags);
    hlo_output_free(work.output);
    return status;
}

enum { BY_ENDING = -1, NOT_ASKED = -1 };

/* The value of --format, else the ending of the output's name. */
static const char *format_of(int choice, const char *output) {
    static const char *const formats[] = {"dot", "svg", "png", "pdf", "html"};
    const char *ending = output ? strrchr(output, '.') : NULL;
    for (int i = 0; choice == BY_ENDING && ending && i < 5; i++)
        if (strcmp(ending + 1, formats[i]) == 0) return formats[i];
    return formats[choice == BY_ENDING ? 0 : choice];
}

/* Texts may follow each other in a file, pages may not. */
static int check_page(const program_info *self, const hlo_graph_options *graph,
                      const common_options *common) {
    if (!common->split_input || strcmp(graph->format, "html") != 0) return OPTIONS_GO_ON;
    return options_wrong_use(self, "--split-input-file: a page has one module");
}

/* Whoever writes picture.jpg expects no text. */
static void note_unknown_ending(const dot_options *options, const char *output) {
    static const char *const texts[] = {"dot", "gv", "txt"};
    const char *ending = options->format == BY_ENDING ? ending_of(output) : NULL;
    if (!ending || strcmp(options->graph.format, "dot") != 0) return;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(ending, texts[i]) == 0) return;
    say("hlo-dot",
        "note: %s: writing Graphviz text; the endings .svg, .png, .pdf and .html select those "
        "formats",
        output);
}

static void use_choices(dot_options *options, const char *output) {
    options->graph.format = format_of(options->format, output);
    options->graph.layout = (hlo_graph_layout)options->layout;
    options->graph.colour = (hlo_graph_colour)options->colour;
    if (options->heat != NOT_ASKED)
        options->graph.colour = (hlo_graph_colour)((int)HLO_COLOUR_FLOPS + options->heat);
    else if (options->other && options->graph.colour == HLO_COLOUR_CLASS)
        options->graph.colour = HLO_COLOUR_DIFF;
    else if (options->graph.profile && options->graph.colour == HLO_COLOUR_CLASS)
        options->graph.colour = HLO_COLOUR_TIME;
    options->graph.edges = (hlo_graph_edges)options->edges;
}

static bool has_distance(const hlo_graph_options *graph) {
    const hlo_graph_options none = HLO_GRAPH_OPTIONS_INIT;
    return graph->radius != none.radius || graph->up != none.up || graph->down != none.down;
}

/* What is drawn can be selected in one way only. */
static int check_selection(const program_info *self, const hlo_graph_options *graph) {
    bool is_path = graph->from || graph->to;
    if (graph->entry_only + !!graph->computation + !!graph->around + is_path > 1)
        return options_wrong_use(self, "--entry-only, --computation, --around and --from are "
                                       "mutually exclusive");
    if (!graph->from != !graph->to)
        return options_wrong_use(self, "--from and --to require each other");
    if (!graph->around && has_distance(graph))
        return options_wrong_use(self, "--radius, --up and --down require --around");
    return OPTIONS_GO_ON;
}

static bool is_standard_input(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

static bool is_page(const dot_options *options, const common_options *common) {
    return strcmp(format_of(options->format, common->output), "html") == 0;
}

/* Nodes of a drawing have one colour each; a page begins with one, and has the others, too. */
static int check_colours(const program_info *self, const dot_options *options,
                         const common_options *common) {
    bool hot = options->heat != NOT_ASKED, by_property = options->colour != HLO_COLOUR_CLASS;
    bool timed = hot && (int)HLO_COLOUR_FLOPS + options->heat == (int)HLO_COLOUR_TIME;
    if (hot && by_property)
        return options_wrong_use(self, "--color-by and --heat are mutually exclusive");
    if (timed && !options->graph.profile)
        return options_wrong_use(self, "--heat=time requires --profile");
    if (is_page(options, common)) return OPTIONS_GO_ON;
    if (options->other && (hot || by_property))
        return options_wrong_use(self,
                                 "--color-by, --heat and --diff are mutually exclusive, except "
                                 "with --format=html, where the page has a choice of colours");
    if (options->graph.profile && !timed)
        return options_wrong_use(self, "--profile requires --heat=time, or --format=html");
    return OPTIONS_GO_ON;
}

static int check_other(const program_info *self, const dot_options *options,
                       const common_options *common) {
    if (options->other && common->split_input)
        return options_wrong_use(self, "--diff compares with one module, not with "
                                       "--split-input-file");
    if (options->other && is_standard_input(options->other) &&
        is_standard_input(common->arguments[0]))
        return options_wrong_use(self, "only one of the modules can be standard input");
    return OPTIONS_GO_ON;
}

static dot_options chosen = {
    .graph = HLO_GRAPH_OPTIONS_INIT, .format = BY_ENDING, .heat = NOT_ASKED};

static const option_row table[] = {
    {"Drawing", "format", 'T', OPTION_CHOICE | OPTION_OFTEN, &chosen.format, "dot|svg|png|pdf|html",
     "Graphviz text, an image rendered by Graphviz, or an HTML page; default: by the ending of "
     "--output, or dot",
     0, 0},
    {"Drawing", "layout", 0, OPTION_CHOICE, &chosen.layout, "auto|dot|fast",
     "layout engine: Graphviz' dot, which takes minutes for thousands of nodes, or the built-in "
     "layered layout (auto: fast from 600 nodes on)",
     0, 0},
    {"Drawing", "color-by", 0, OPTION_CHOICE | OPTION_OFTEN, &chosen.colour,
     "class|sharding|plan|device",
     "colour nodes by operation class, by sharding, by buffer of hlo-run --print-plan=module, or "
     "by device of the sharding",
     0, 0},
    {"Drawing", "heat", 0, OPTION_CHOICE | OPTION_OFTEN, &chosen.heat, "flops|bytes|time",
     "colour nodes by cost, and print it in labels: flops, bytes read and written, or the seconds "
     "of --profile",
     0, 0},
    {"Drawing", "profile", 0, OPTION_TEXT, (void *)&chosen.graph.profile, "FILE",
     "for --heat=time and pages: profile of this module by hlo-run --profile=FILE.json", 0, 0},
    {"Drawing", "diff", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.other, "FILE",
     "colour the differences from the older module in FILE; nodes that only FILE has are dashed", 0,
     0},
    {"Drawing", "edges", 0, OPTION_CHOICE, &chosen.edges, "auto|shape|number",
     "label edges with operand numbers, or with shapes too (auto: numbers)", 0, 0},
    {"Drawing", "expand-tuples", 0, OPTION_FLAG, &chosen.graph.expand_tuples, NULL,
     "draw get-tuple-element as a node, not as an edge label", 0, 0},
    {"Drawing", "legend", 0, OPTION_FLAG, &chosen.graph.legend, NULL,
     "add a legend of the colours below the graph", 0, 0},
    {"Drawing", "url", 0, OPTION_TEXT, (void *)&chosen.graph.url, "TEMPLATE",
     "hyperlink of a node; {file} and {line} are replaced by its source location", 0, 0},
    {"Selection", "entry-only", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.graph.entry_only, NULL,
     "only the entry computation and the fusions inside it", 0, 0},
    {"Selection", "computation", 0, OPTION_TEXT, (void *)&chosen.graph.computation, "COMPUTATION",
     "only this computation and the fusions inside it", 0, 0},
    {"Selection", "around", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.graph.around,
     "INSTRUCTION", "only this instruction with its operands and users, up to --radius edges away",
     0, 0},
    {"Selection", "radius", 0, OPTION_NUMBER | OPTION_OFTEN, &chosen.graph.radius, "N",
     "number of edges for --around in both directions (3)", 0, 0},
    {"Selection", "up", 0, OPTION_NUMBER, &chosen.graph.up, "N",
     "number of edges above it, towards operands (--radius)", 0, 0},
    {"Selection", "down", 0, OPTION_NUMBER, &chosen.graph.down, "N",
     "number of edges below it, towards users (--radius)", 0, 0},
    {"Selection", "from", 0, OPTION_TEXT, (void *)&chosen.graph.from, "INSTRUCTION",
     "only paths from this instruction to --to, also through calls", 0, 0},
    {"Selection", "to", 0, OPTION_TEXT, (void *)&chosen.graph.to, "INSTRUCTION",
     "last instruction of the paths of --from", 0, 0},
    {"Selection", "depth", 0, OPTION_NUMBER, &chosen.graph.depth, "N",
     "follow called computations of any kind up to N levels deep", 0, 0},
    {"Selection", "collapse-while", 0, OPTION_FLAG, &chosen.graph.collapse_while, NULL,
     "draw a loop as one node", 0, 0},
    {"Selection", "max-nodes", 0, OPTION_NUMBER | OPTION_OFTEN, &chosen.graph.max_nodes, "N",
     "draw at most N instructions, and report the omitted ones; by cost and distance from the "
     "root, or by distance from --around",
     0, 0},
    {0},
};

static const program_info self = {
    .name = "hlo-dot",
    .usage = "[OPTION...] [MODULE]",
    .purpose = "Draws an HLO module as a graph. Without MODULE, or for -, reads standard input.",
    .description = description_of_dot,
    .files = files_of_dot,
    .options = table,
    .examples = "  hlo-dot dump.hlo > dump.dot\n"
                "  hlo-dot -o dump.svg dump.hlo\n"
                "  hlo-dot -o dump.html dump.hlo\n"
                "  hlo-dot -T svg --entry-only --legend -o entry.svg dump.hlo\n"
                "  hlo-dot -T svg --around=dot.7 --radius=2 -o near.svg dump.hlo\n"
                "  hlo-dot --heat=flops --legend -o hot.svg dump.hlo\n"
                "  hlo-dot --diff=before.hlo --legend -o changes.svg after.hlo\n"
                "  hlo-dot --diff=before.hlo -o changes.html after.hlo\n"
                "  hlo-dot --from=Arg_0.1 --to=tuple.9 dump.hlo > paths.dot\n",
};

/* --colour=sharding was another option than --color=always: it is --color-by=sharding now. */
static void respell_colour(char **argv) {
    static char by_class[] = "--color-by=class", by_sharding[] = "--color-by=sharding";
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        if (strcmp(*argv, "--colour=class") == 0) *argv = by_class;
        if (strcmp(*argv, "--colour=sharding") == 0) *argv = by_sharding;
    }
}

int main(int argc, char **argv) {
    common_options common;
    process_begin();
    respell_colour(argv);
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = at_most_one_module(&self, &common);
    if (ended == OPTIONS_GO_ON) ended = check_selection(&self, &chosen.graph);
    if (ended == OPTIONS_GO_ON) ended = check_colours(&self, &chosen, &common);
    if (ended == OPTIONS_GO_ON) ended = check_other(&self, &chosen, &common);
    if (ended != OPTIONS_GO_ON) return ended;
    use_choices(&chosen, common.output);
    note_unknown_ending(&chosen, common.output);
    ended = check_page(&self, &chosen.graph, &common);
    if (ended != OPTIONS_GO_ON) return ended;
    hlo_diags *diags = new_diags((uint32_t)common.max_errors);
    return finish(diags, &common, draw_all(&chosen, &common, diags));
}
