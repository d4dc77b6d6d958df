/* hlo-verify: no output for valid modules, all findings for invalid ones. */
#include <stdlib.h>
#include <string.h>

#include "descriptions.h"
#include "ending.h"
#include "process.h"
#include "strictness.h"
#include "tables.h"
#include "verification.h"

#define FORMS "text|json|sarif|github"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_SARIF, FORMAT_GITHUB };

typedef struct {
    bool verbose, quiet, operations, types, rules, old_forms;
    const char *explain, *baseline;
    bool writes_baseline, leaves_out_copies;
    uint64_t jobs, large_constant;
    int format;
    option_texts warn, error, suppress;
} verify_options;

/* ---- lint ---- */

static hlo_status lint_levels(const option_texts *texts, hlo_lint_level level, hlo_lint *lint,
                              hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (size_t i = 0; i < texts->count; i++)
        status = worse(status, hlo_lint_set(lint, texts->v[i], level, diags));
    return status;
}

/* --suppress beats --error beats --warn, in whatever order they stand. */
static hlo_status lint_rules(const verify_options *options, hlo_lint *lint, hlo_diags *diags) {
    hlo_lint_set_large_constant(lint, options->large_constant);
    hlo_status status = lint_levels(&options->warn, HLO_LINT_WARN, lint, diags);
    status = worse(status, lint_levels(&options->error, HLO_LINT_ERROR, lint, diags));
    return worse(status, lint_levels(&options->suppress, HLO_LINT_OFF, lint, diags));
}

static bool lists(const verify_options *o) {
    return o->operations || o->types || o->rules || o->old_forms;
}

static hlo_status show_tables(const verify_options *options, const common_options *common,
                              hlo_output *output, hlo_diags *diags) {
    bool json = options->format == FORMAT_JSON;
    listing list = listing_to(output, common);
    if (options->operations) list_operations(&list, json);
    if (options->types) list_types(&list, json);
    if (options->rules) list_rules(&list, json);
    if (options->old_forms) list_old_forms(&list, json);
    return options->explain ? hlo_explain_rule(options->explain, output, diags) : HLO_OK;
}

static hlo_status work(const verify_options *options, const common_options *common,
                       hlo_output *output, hlo_diags *diags) {
    if (options->explain || lists(options)) return show_tables(options, common, output, diags);
    hlo_lint *lint = process_made(hlo_lint_create(), "lint rules");
    hlo_status status = lint_rules(options, lint, diags);
    status = worse(status, strictness_read(diags));
    if (status == HLO_OK) {
        verification_options how = {.common = common,
                                    .jobs = options->jobs,
                                    .verbose = options->verbose,
                                    .quiet = options->quiet,
                                    .strictness = strictness(),
                                    .output = output,
                                    .baseline = options->baseline,
                                    .writes_baseline = options->writes_baseline,
                                    .leaves_out_copies = options->leaves_out_copies};
        if (options->warn.count || options->error.count) how.lint = lint;
        if (options->format != FORMAT_TEXT)
            how.report = process_made(
                hlo_report_begin((hlo_report_format)(options->format - FORMAT_JSON), output),
                "the report");
        status = verify_all(&how, diags);
        hlo_report_end(how.report);
    }
    hlo_lint_free(lint);
    return status;
}

/* ---- the command line ---- */

static void forget_texts(verify_options *options) {
    free(options->warn.v);
    free(options->error.v);
    free(options->suppress.v);
    strictness_forget();
}

static verify_options chosen = {.jobs = 1, .large_constant = 1 << 20};

static const option_row own[] = {
    {"Verifying", "verbose", 'v', OPTION_FLAG | OPTION_OFTEN, &chosen.verbose, NULL,
     "print a line per file, and a summary", 0, 0},
    {"Verifying", "quiet", 'q', OPTION_FLAG, &chosen.quiet, NULL,
     "print no diagnostics; the exit status is the only result", 0, 0},
    {"Verifying", "jobs", 'j', OPTION_NUMBER | OPTION_OFTEN, &chosen.jobs, "N",
     "verify N files in parallel (1); 0: one per processor", 0, 4096},
    {"Verifying", "dedup", 0, OPTION_FLAG, &chosen.leaves_out_copies, NULL,
     "report only the first of several files whose modules are equal up to names and metadata; -v "
     "names it for the others",
     0, 0},
    {"Verifying", "format", 0, OPTION_CHOICE | OPTION_OFTEN, &chosen.format, FORMS,
     "text is written to standard error, the other formats to the output", 0, 0},
    {"Verifying", "baseline", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.baseline, "FILE",
     "report only findings that FILE does not list; line numbers are ignored", 0, 0},
    {"Verifying", "write-baseline", 0, OPTION_FLAG, &chosen.writes_baseline, NULL,
     "write all findings to the FILE of --baseline and report none", 0, 0},
    {"Linting", "warn", 0, OPTION_TEXTS | OPTION_OFTEN, &chosen.warn, "RULES",
     "report findings of these lint rules (a,b; recommended; all) as warnings", 0, 0},
    {"Linting", "error", 0, OPTION_TEXTS, &chosen.error, "RULES", "report them as errors", 0, 0},
    {"Linting", "suppress", 0, OPTION_TEXTS, &chosen.suppress, "RULES", "disable these lint rules",
     0, 0},
    {"Linting", "large-constant", 0, OPTION_SIZE, &chosen.large_constant, "SIZE",
     "threshold of the rule large-constant (1M)", 0, 0},
    {"Asking", "list-operations", 0, OPTION_FLAG, &chosen.operations, NULL,
     "list the operations and exit", 0, 0},
    {"Asking", "list-types", 0, OPTION_FLAG, &chosen.types, NULL,
     "list the element types of arrays with the bytes of an element in memory and exit", 0, 0},
    {"Asking", "list-rules", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.rules, NULL,
     "list the rules that diagnostics name in brackets and exit", 0, 0},
    {"Asking", "list-old-forms", 0, OPTION_FLAG, &chosen.old_forms, NULL,
     "list the old forms, the dialects that accept them and today's forms, and exit", 0, 0},
    {"Asking", "explain", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.explain, "RULE",
     "explain a rule or an operation, with examples", 0, 0},
    {0},
};

static program_info self = {
    .name = "hlo-verify",
    .usage = "[OPTION...] [MODULE...]",
    .purpose =
        "Verifies HLO modules: syntax, shapes, and the constraints of every operation. MODULE is "
        "a\n"
        "file, a glob pattern, or a directory, of which every file that looks like a module is\n"
        "verified. Without MODULE, or for -, reads standard input. Prints nothing for valid "
        "modules.",
    .description = description_of_verify,
    .files = files_of_verify,
    .options = own,
    .examples = "  hlo-verify dump.hlo\n"
                "  hlo-verify -v --jobs=0 dumps/\n"
                "  hlo-verify --warn=recommended dump.hlo\n"
                "  hlo-verify --format=sarif -o report.sarif dumps/\n"
                "  hlo-verify --error=all --baseline=known.txt --write-baseline dumps/\n"
                "  hlo-verify --error=all --baseline=known.txt dumps/\n",
};

static int check_options(const verify_options *o, const char *output) {
    if (lists(o) && o->format > FORMAT_JSON)
        return options_wrong_use(&self, "lists have the formats text and json");
    if (o->writes_baseline && !o->baseline)
        return options_wrong_use(&self, "--write-baseline requires --baseline=FILE");
    if (!lists(o) && !o->explain) ending_note(self.name, output, "format", FORMS, o->format);
    return OPTIONS_GO_ON;
}

static int run(const verify_options *o, const common_options *common) {
    hlo_diags *diags = new_diags(0);
    hlo_output *output;
    hlo_status status = hlo_output_open(common->output, diags, &output);
    if (status == HLO_OK) {
        status = work(o, common, output, diags);
        /* Findings are in lists of their files: an error here means that the result is none. */
        if (!hlo_diags_error_count(diags)) status = worse(status, hlo_output_commit(output, diags));
        hlo_output_free(output);
    }
    return finish(diags, common, status);
}

int main(int argc, char **argv) {
    common_options common;
    self.options = strictness_with(own);
    process_begin();
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = check_options(&chosen, common.output);
    if (ended == OPTIONS_GO_ON) ended = run(&chosen, &common);
    forget_texts(&chosen);
    return ended;
}
