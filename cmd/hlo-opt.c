/* hlo-opt: runs passes over modules and prints them again. */
#include <string.h>

#include "bisect.h"
#include "communication.h"
#include "descriptions.h"
#include "emit.h"
#include "ending.h"
#include "json_lines.h"
#include "modules.h"
#include "pass_watch.h"
#include "process.h"
#include "strictness.h"
#include "tables.h"
#include "value_words.h"
#include "xla_flags.h"

typedef struct {
    const char *passes, *pipeline, *explain, *disabled;
    trials_options bisect;
    int format, caught;
    bool list, list_pipelines, print_pipeline, communication;
    link_texts link_texts;
    hlo_link_options links;
    emit_options emit;
    uint64_t pass_limit;
    hlo_switch verify_each;
    pass_watch watch;
} opt_options;

typedef struct {
    const hlo_pipeline *pipeline; /* NULL: only read and print */
    opt_options *options;
    hlo_output *output;
    hlo_pass_stats *stats;
    size_t printed;
} opt_work;

static hlo_status run_passes(hlo_module *module, opt_work *work, hlo_diags *diags) {
    hlo_pipeline_options how = HLO_PIPELINE_OPTIONS_INIT;
    how.verify_each = work->options->verify_each;
    how.strictness = strictness();
    how.max_rewrites = work->options->pass_limit;
    how.stats = work->stats;
    return pass_watch_run(&work->options->watch, work->pipeline, &how, module, diags);
}

static hlo_status optimise(hlo_module *module, void *context, hlo_diags *diags) {
    opt_work *work = context;
    hlo_module_forget_extras(module, diags);
    bool is_checked = work->options->verify_each == HLO_ON || strictness_is_chosen();
    if (work->pipeline || work->options->communication || is_checked) {
        hlo_status status = hlo_verify_with(module, strictness(), diags);
        if (status == HLO_OK && work->pipeline) status = run_passes(module, work, diags);
        if (status != HLO_OK) return status;
    }
    bool json = work->options->format == REPORT_JSON;
    if (work->options->communication)
        return write_communication(module, &work->options->links, json, work->output, diags);
    return emit_module(module, &work->options->emit, work->printed++, work->output, diags);
}

/* What is written instead of modules; false when modules are wanted. */
static bool write_tables(const opt_work *work, const common_options *common, hlo_diags *diags,
                         hlo_status *status) {
    const opt_options *options = work->options;
    listing list = listing_to(work->output, common);
    if (options->explain) {
        *status = hlo_explain_pass(options->explain, work->output, diags);
    } else if (options->print_pipeline) {
        if (work->pipeline) hlo_pipeline_write(work->pipeline, work->output);
        hlo_output_write(work->output, "\n", 1);
    } else if (options->list) {
        list_passes(&list, options->format == REPORT_JSON);
    } else if (options->list_pipelines) {
        list_pipelines(&list, options->format == REPORT_JSON);
    } else {
        return false;
    }
    return true;
}

/* An -o file appears only when all went well; standard output shows the good modules anyway. */
static hlo_status optimise_all(opt_options *options, const common_options *common,
                               const hlo_pipeline *pipeline, hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(common->output, diags, &output);
    if (status != HLO_OK) return status;
    hlo_pass_stats *stats = process_made(hlo_pass_stats_create(), "counts of rewrites");
    opt_work work = {pipeline, options, output, stats, 0};
    if (!write_tables(&work, common, diags, &status)) {
        bool bisects = options->bisect.command;
        if (!bisects && !options->communication && !options->emit.hash)
            ending_note("hlo-opt", common->output, "emit", EMIT_FORMS, options->emit.form);
        status = bisects
                     ? bisect(&options->bisect, pipeline, common, output, diags, &options->caught)
                     : modules_each(common->arguments[0], common, optimise, &work, diags);
        if (!bisects) pass_watch_report(&options->watch, work.stats);
    }
    if (status == HLO_OK || !common->output)
        status = worse(status, hlo_output_commit(output, diags));
    hlo_output_free(output);
    hlo_pass_stats_free(work.stats);
    return status;
}

static hlo_status run(opt_options *options, const common_options *common, hlo_diags *diags) {
    hlo_pipeline *pipeline = NULL;
    hlo_status status = HLO_OK;
    options->watch.diags = diags;
    options->watch.colour = common->colour;
    options->watch.json = options->format == REPORT_JSON;
    if (options->passes[0] || pass_watch_is_wanted(&options->watch) || options->watch.stats)
        status = hlo_pipeline_parse("--passes", options->passes, diags, &pipeline);
    hlo_pipeline_disable(pipeline, options->disabled);
    if (options->bisect.command && !process_can_write(common->output)) status = HLO_BAD_SYSTEM;
    if (status == HLO_OK) status = strictness_read(diags);
    if (status == HLO_OK) status = optimise_all(options, common, pipeline, diags);
    hlo_pipeline_free(pipeline);
    return status;
}

/* OPTIONS_GO_ON, or the exit status after a message. */
static int check_options(const program_info *self, opt_options *o, const common_options *common) {
    int ended = pass_watch_check(&o->watch, self);
    if (ended != OPTIONS_GO_ON) return ended;
    if (o->pipeline && o->passes[0])
        return options_wrong_use(self, "--pipeline and --passes are mutually exclusive");
    if (o->pipeline && !(o->passes = hlo_pipeline_passes(o->pipeline)))
        return options_unknown_row(self, "pipeline", o->pipeline, hlo_pipeline_row);
    bool typed = o->disabled;
    if (o->passes[0]) xla_flags_use(&o->disabled, &o->watch.dump);
    xla_flags_note_passes(o->disabled, typed);
    const char *pattern = pass_dump_bad_pattern(&o->watch.dump);
    if (pattern) return options_wrong_use(self, "'%s' is not a regular expression", pattern);
    if (o->bisect.command && !o->passes[0])
        return options_wrong_use(self, "--bisect requires --passes or --pipeline");
    const char *wrong = emit_read(&o->emit, common);
    if (wrong) return options_wrong_use(self, "%s", wrong);
    return links_check(self, &o->link_texts, &o->links);
}

static opt_options chosen = {.passes = "",
                             .bisect = {.program = "hlo-opt", .jobs = 1, .timeout = 60},
                             .pass_limit = UINT64_MAX,
                             .emit.text = HLO_TEXT_OPTIONS_INIT};

static const option_row own[] = {
    {"Passes", "passes", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.passes, "PASSES",
     "passes to run, in order: name, name{option=value,...}, fix(name,...); empty: none", 0, 0},
    {"Passes", "pipeline", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.pipeline, "PIPELINE",
     "run a named pipeline, such as default or canonical", 0, 0},
    {"Passes", "list-passes", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.list, NULL,
     "list the passes and their options and exit", 0, 0},
    {"Passes", "list-pipelines", 0, OPTION_FLAG, &chosen.list_pipelines, NULL,
     "list the named pipelines and exit", 0, 0},
    {"Passes", "print-pipeline", 0, OPTION_FLAG, &chosen.print_pipeline, NULL,
     "print the chosen pipeline and exit", 0, 0},
    {"Passes", "explain", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.explain, "PASS",
     "explain a pass: its options and rewrites", 0, 0},
    {"Passes", "verify-each", 0, OPTION_SWITCH | OPTION_OFTEN, &chosen.verify_each, NULL,
     "verify after every pass that changed the module; default in debug builds", 0, 0},
    {"Passes", "pass-limit", 0, OPTION_NUMBER, &chosen.pass_limit, "N", "stop after N rewrites", 0,
     0},
    {"Passes", "bisect", 0, OPTION_TEXT, (void *)&chosen.bisect.command, "COMMAND",
     "find the first rewrite after which COMMAND FILE fails; {} in COMMAND is replaced by the file",
     0, 0},
    {"Passes", "timeout", 0, OPTION_NUMBER, &chosen.bisect.timeout, "SECONDS",
     "time limit of the command, which fails when it is exceeded (60); 0: no limit", 0, 1000000000},
    {"Passes", "verbose", 'v', OPTION_FLAG, &chosen.bisect.shows, NULL,
     "print the output of the --bisect command", 0, 0},
    {"Passes", "xla_disable_hlo_passes", 0, OPTION_TEXT, (void *)&chosen.disabled, "PASS,...",
     "skip these passes; also read from XLA_FLAGS", 0, 0},
    {"Watching", "print-ir-before", 0, OPTION_TEXT, (void *)&chosen.watch.before, "PASS,...",
     "print the module before these passes (default: every pass) to standard error", 0, 0},
    {"Watching", "print-ir-after", 0, OPTION_TEXT, (void *)&chosen.watch.after, "PASS,...",
     "print the module after these passes", 0, 0},
    {"Watching", "print-changed", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.watch.changed, NULL,
     "print a diff for each pass that changed the module", 0, 0},
    {"Watching", "time-passes", 0, OPTION_FLAG, &chosen.watch.time, NULL,
     "print the time of each pass", 0, 0},
    {"Watching", "stats", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.watch.stats, NULL,
     "print the count of each rewrite, and size and cost before and after", 0, 0},
    {"Watching", "communication", 0, OPTION_FLAG, &chosen.communication, NULL,
     "print the bytes and times of collectives instead of the module", 0, 0},
    {"Watching", "topology", 0, OPTION_CHOICE, &chosen.link_texts.topology, TOPOLOGIES,
     "topology of the links between devices, for --communication", 0, 0},
    {"Watching", "link-gbps", 0, OPTION_TEXT, (void *)&chosen.link_texts.gigabits, "G",
     "gigabits per second of a link, in each direction (100)", 0, 0},
    {"Watching", "link-us", 0, OPTION_TEXT, (void *)&chosen.link_texts.microseconds, "L",
     "latency of a link in microseconds (1)", 0, 0},
    {"Watching", "format", 0, OPTION_CHOICE, &chosen.format, REPORT_FORMS,
     "format of lists, --stats, --time-passes and --communication: tables, or a JSON object per "
     "line",
     0, 0},
    {"Watching", "xla_dump_to", 0, OPTION_TEXT, (void *)&chosen.watch.dump.to, "DIR",
     "dump the module to DIR before passes, after each that changes it, and at the end", 0, 0},
    {"Watching", "xla_dump_hlo_pass_re", 0, OPTION_TEXT, (void *)&chosen.watch.dump.passes, "RE",
     "only passes whose name matches the regular expression", 0, 0},
    {"Watching", "xla_dump_hlo_module_re", 0, OPTION_TEXT, (void *)&chosen.watch.dump.modules, "RE",
     "only modules whose name matches the regular expression", 0, 0},
    {"Watching", "xla_dump_hlo_as_text", 0, OPTION_FLAG, &chosen.watch.dump.as_text, NULL,
     "as text (default); XLA_FLAGS can have these, too", 0, 0},
    {"Watching", "xla_dump_hlo_as_proto", 0, OPTION_FLAG, &chosen.watch.dump.as_proto, NULL,
     "as HloProto", 0, 0},
    {"Printing", "emit", 0, OPTION_CHOICE | OPTION_OFTEN, &chosen.emit.form, EMIT_FORMS,
     "XLA's text; HloModuleProto as JSON, binary, text, or in an HloProto; StableHLO", 0, 0},
    {"Printing", "emit-proto", 0, OPTION_FLAG, &chosen.emit.proto, NULL, "the same as --emit=proto",
     0, 0},
    {"Printing", "pretty", 0, OPTION_FLAG, &chosen.emit.pretty, NULL, "indented JSON", 0, 0},
    {"Printing", "compact", 0, OPTION_FLAG, &chosen.emit.compact, NULL,
     "JSON on one line (default)", 0, 0},
    {"Printing", "hash", 0, OPTION_FLAG, &chosen.emit.hash, NULL,
     "print a hash of the module, independent of names and metadata", 0, 0},
    {"Printing", "print", 0, OPTION_CHOICE, &chosen.emit.style,
     "default|short|canonical|fingerprint", "print style; default: as XLA", 0, 0},
    {"Printing", "metadata", 0, OPTION_SWITCH, &chosen.emit.text.metadata, NULL,
     "metadata={...} of instructions", 0, 0},
    {"Printing", "backend-config", 0, OPTION_SWITCH, &chosen.emit.text.backend_config, NULL,
     "backend_config=... of instructions", 0, 0},
    {"Printing", "large-constants", 0, OPTION_SWITCH, &chosen.emit.text.large_constants, NULL,
     "all elements of large constants, or {...}", 0, 0},
    {"Printing", "literals", 0, OPTION_CHOICE, &chosen.emit.literals, LITERALS_VALUE, 0, 0},
    {"Printing", "operand-shapes", 0, OPTION_SWITCH, &chosen.emit.text.operand_shapes, NULL,
     "shapes before operands", 0, 0},
    {"Printing", "percent", 0, OPTION_SWITCH, &chosen.emit.text.percent, NULL, "% before names", 0,
     0},
    {"Printing", "layouts", 0, OPTION_SWITCH, &chosen.emit.text.layouts, NULL, "layouts of results",
     0, 0},
    {"Printing", "control-predecessors", 0, OPTION_SWITCH, &chosen.emit.text.control_predecessors,
     NULL, "control-predecessors={...} of instructions", 0, 0},
    {"Printing", "compact-gte", 0, OPTION_SWITCH, &chosen.emit.text.compact_gte, NULL,
     "print uses of tuple elements as %tuple#0, as XLA does since 2026", 0, 0},
    {0},
};

static program_info self = {
    .name = "hlo-opt",
    .usage = "[OPTION...] [MODULE]",
    .purpose = "Runs passes over an HLO module and prints it. Without MODULE, or for -, reads "
               "standard input.",
    .description = description_of_opt,
    .files = files_of_opt,
    .options = own,
    .words = pass_value_words,
    .variables = variables_of_opt,
    .examples = "  hlo-opt dump.hlo                          print as XLA prints\n"
                "  hlo-opt --pipeline=default --stats -o small.hlo dump.hlo\n"
                "  hlo-opt --passes='algsimp{add_zero=false},dce' --print-changed dump.hlo\n"
                "  hlo-opt --large-constants --literals=exact dump.hlo | hlo-run - x.npy\n"
                "  hlo-opt --emit=json dump.hlo | jq .name\n"
                "  hlo-opt --emit=proto -o dump.pb dump.hlo\n",
};

int main(int argc, char **argv) {
    common_options common;
    self.options = strictness_with(own);
    process_begin();
    if (!options_completes(argv)) argc = xla_flags_drop(argc, argv);
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = at_most_one_module(&self, &common);
    if (ended == OPTIONS_GO_ON) ended = check_options(&self, &chosen, &common);
    if (ended == OPTIONS_GO_ON) {
        hlo_diags *diags = new_diags((uint32_t)common.max_errors);
        ended = finish(diags, &common, run(&chosen, &common, diags));
    }
    strictness_forget();
    trials_pass_on(chosen.caught);
    return ended;
}
