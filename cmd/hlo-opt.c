/* hlo-opt: runs passes over modules and prints them again. */
#include "modules.h"
#include "tables.h"

typedef struct {
    const char *passes;
    int emit, style;
    bool list, emit_proto, pretty, compact;
    hlo_text_options text;
} opt_options;

enum { EMIT_TEXT, EMIT_JSON, EMIT_PROTO }; /* as --emit lists them */

typedef struct {
    const hlo_pipeline *pipeline; /* NULL: only read and print */
    const opt_options *options;
    hlo_output *output;
    size_t printed;
} opt_work;

static hlo_status write_module(hlo_module *module, opt_work *work, hlo_diags *diags) {
    static const char separator[] = "// -----\n";
    if (work->options->emit == EMIT_PROTO) return hlo_write_proto(module, work->output, diags);
    if (work->printed++) hlo_output_write(work->output, separator, sizeof separator - 1);
    if (work->options->emit == EMIT_JSON)
        return hlo_write_json(module, work->options->pretty, work->output, diags);
    hlo_write_text(module, &work->options->text, work->output);
    return HLO_OK;
}

static hlo_status optimise(hlo_module *module, void *context, hlo_diags *diags) {
    opt_work *work = context;
    if (work->pipeline) {
        hlo_status status = hlo_verify(module, diags);
        if (status == HLO_OK) status = hlo_pipeline_execute(work->pipeline, module, diags, NULL);
        if (status != HLO_OK) return status;
    }
    return write_module(module, work, diags);
}

/* An -o file appears only when all went well; standard output shows the good modules anyway. */
static hlo_status optimise_all(const opt_options *options, const common_options *common,
                               const hlo_pipeline *pipeline, hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(common->output, diags, &output);
    if (status != HLO_OK) return status;
    opt_work work = {pipeline, options, output, 0};
    if (options->list) list_passes(output);
    else status = modules_each(common->arguments[0], common, optimise, &work, diags);
    if (status == HLO_OK || !common->output)
        status = worse(status, hlo_output_commit(output, diags));
    hlo_output_free(output);
    return status;
}

static hlo_status run(opt_options *options, const common_options *common, hlo_diags *diags) {
    hlo_pipeline *pipeline = NULL;
    hlo_status status = HLO_OK;
    if (options->passes[0]) status = hlo_pipeline_parse(options->passes, diags, &pipeline);
    if (status == HLO_OK) status = optimise_all(options, common, pipeline, diags);
    hlo_pipeline_free(pipeline);
    return status;
}

int main(int argc, char **argv) {
    opt_options o = {.passes = "", .text = HLO_TEXT_OPTIONS_INIT};
    const option_row table[] = {
        {"Passes", "passes", 0, OPTION_TEXT, (void *)&o.passes, "LIST", NULL,
         "passes in order: name, name{option=value,...}, fix(name,...); empty: none", 0, 0},
        {"Passes", "list-passes", 0, OPTION_FLAG, &o.list, NULL, NULL,
         "list the passes and their options instead", 0, 0},
        {"Printing", "emit", 0, OPTION_CHOICE, &o.emit, "text|json|proto", NULL,
         "the form of the output: XLA's text, or its HloModuleProto in JSON or binary", 0, 0},
        {"Printing", "emit-proto", 0, OPTION_FLAG, &o.emit_proto, NULL, NULL,
         "the same as --emit=proto", 0, 0},
        {"Printing", "pretty", 0, OPTION_FLAG, &o.pretty, NULL, NULL, "JSON with line breaks", 0,
         0},
        {"Printing", "compact", 0, OPTION_FLAG, &o.compact, NULL, NULL,
         "JSON on one line, as it is by default", 0, 0},
        {"Printing", "print", 0, OPTION_CHOICE, &o.style, "default|short|canonical|fingerprint",
         NULL, "the style of the text; default is what XLA prints", 0, 0},
        {"Printing", "metadata", 0, OPTION_SWITCH, &o.text.metadata, NULL, NULL,
         "metadata={...} of instructions", 0, 0},
        {"Printing", "backend-config", 0, OPTION_SWITCH, &o.text.backend_config, NULL, NULL,
         "backend_config=... of instructions", 0, 0},
        {"Printing", "large-constants", 0, OPTION_SWITCH, &o.text.large_constants, NULL, NULL,
         "all elements of long constants, or {...}", 0, 0},
        {"Printing", "operand-shapes", 0, OPTION_SWITCH, &o.text.operand_shapes, NULL, NULL,
         "shapes before operands", 0, 0},
        {"Printing", "percent", 0, OPTION_SWITCH, &o.text.percent, NULL, NULL, "% before names", 0,
         0},
        {"Printing", "layouts", 0, OPTION_SWITCH, &o.text.layouts, NULL, NULL, "layouts of results",
         0, 0},
        {"Printing", "control-predecessors", 0, OPTION_SWITCH, &o.text.control_predecessors, NULL,
         NULL, "control-predecessors={...} of instructions", 0, 0},
        {0},
    };
    const program_info self = {
        "hlo-opt",
        "[OPTION...] [MODULE]",
        "Runs passes over an HLO module and prints it. Without MODULE, or for -, reads standard "
        "input.",
        table,
        "  hlo-opt dump.hlo                          print as XLA prints\n"
        "  hlo-opt --passes=dce -o small.hlo dump.hlo\n"
        "  hlo-opt --passes=dce dump.hlo | hlo-run - --inputs=hash\n"
        "  hlo-opt --print=short --no-metadata dump.hlo\n"
        "  hlo-opt --emit=json dump.hlo | jq .name\n"
        "  hlo-opt --emit=proto -o dump.pb dump.hlo\n",
    };
    common_options common;
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = at_most_one_module(&self, &common);
    if (ended != OPTIONS_GO_ON) return ended;
    o.text.style = (hlo_text_style)o.style;
    if (o.emit_proto) o.emit = EMIT_PROTO;
    if (o.pretty && o.compact)
        return options_wrong_use(&self, "--pretty and --compact exclude each other");
    if (o.emit == EMIT_PROTO && common.split_input)
        return options_wrong_use(
            &self, "--emit=proto writes one module: --split-input-file is for text and JSON");
    hlo_diags *diags = hlo_diags_create((uint32_t)common.max_errors);
    return finish(diags, &common, run(&o, &common, diags));
}
