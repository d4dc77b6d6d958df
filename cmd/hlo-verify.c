/* hlo-verify: says nothing about good modules and everything about bad ones. */
#include <inttypes.h>
#include <string.h>

#include "modules.h"
#include "tables.h"

typedef struct {
    bool verbose, operations, rules;
} verify_options;

typedef struct {
    size_t modules, computations, instructions;
} verify_totals;

static hlo_status verify_module(hlo_module *module, void *context, hlo_diags *diags) {
    verify_totals *totals = context;
    hlo_status status = hlo_verify(module, diags);
    if (status != HLO_OK) return status;
    hlo_module_facts facts = hlo_module_describe(module);
    totals->modules++;
    totals->computations += facts.computations;
    totals->instructions += facts.instructions;
    return HLO_OK;
}

static void summarise(hlo_output *output, const char *path, hlo_status status,
                      const verify_totals *totals) {
    char text[160];
    if (status == HLO_OK)
        snprintf(text, sizeof text, ": good: %zu %s, %zu computations, %zu instructions\n",
                 totals->modules, totals->modules == 1 ? "module" : "modules",
                 totals->computations, totals->instructions);
    else snprintf(text, sizeof text, ": %s\n", status == HLO_BAD_MODULE ? "bad" : "not read");
    hlo_output_write(output, path, strlen(path));
    hlo_output_write(output, text, strlen(text));
}

/* Each file has its own diagnostics, so that --max-errors counts per file. */
static hlo_status verify_file(const char *path, const common_options *common, bool verbose,
                              hlo_output *output) {
    verify_totals totals = {0};
    hlo_diags *diags = hlo_diags_create((uint32_t)common->max_errors);
    hlo_status status = modules_each(path, common, verify_module, &totals, diags);
    if (verbose) summarise(output, path, status, &totals);
    return (hlo_status)finish(diags, common, status);
}

static hlo_status verify_all(const verify_options *options, common_options *common,
                             hlo_output *output) {
    if (options->operations) list_operations(output);
    if (options->rules) list_rules(output);
    if (options->operations || options->rules) return HLO_OK;
    static char *standard_input[] = {"-"};
    if (common->argument_count == 0) {
        common->arguments = standard_input;
        common->argument_count = 1;
    }
    hlo_status status = HLO_OK;
    for (int i = 0; i < common->argument_count; i++)
        status = worse(status,
                       verify_file(common->arguments[i], common, options->verbose, output));
    return status;
}

int main(int argc, char **argv) {
    verify_options options = {0};
    const option_row table[] = {
        {"Verifying", "verbose", 'v', OPTION_FLAG, &options.verbose, NULL, NULL,
         "a line for each file, good or bad", 0, 0},
        {"Verifying", "list-operations", 0, OPTION_FLAG, &options.operations, NULL, NULL,
         "list the operations instead", 0, 0},
        {"Verifying", "list-rules", 0, OPTION_FLAG, &options.rules, NULL, NULL,
         "list the rules that messages name in brackets instead", 0, 0},
        {0},
    };
    const program_info self = {
        "hlo-verify",
        "[OPTION...] [MODULE...]",
        "Checks HLO modules: the text, every shape, every constraint of every operation. Without\n"
        "MODULE, or for -, reads standard input. Good modules are passed over in silence.",
        table,
        "  hlo-verify dump.hlo\n"
        "  hlo-verify -v dumps/*.hlo\n",
    };
    common_options common;
    int ended = options_read(&self, argc, argv, &common);
    if (ended != OPTIONS_GO_ON) return ended;
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *output;
    hlo_status status = hlo_output_open(common.output, diags, &output);
    if (status == HLO_OK) {
        status = verify_all(&options, &common, output);
        status = worse(status, hlo_output_commit(output, diags));
        hlo_output_free(output);
    }
    return finish(diags, &common, status);
}
