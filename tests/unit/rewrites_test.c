/* Every rewrite of rewrites.def has tests/passes/rewrites/NAME.hlo: a module, a line `// -----`,
 * and what the rewrite alone leaves of it. It must fire there, leave a module that the verifier
 * accepts and that computes the same, and change nothing the second time.
 *
 *   HLO_BLESS=1 build/tests/rewrites_test [NAME...]    writes what comes out into the files
 *
 * The first lines may be remarks: `// option: A=B,...` gives options, `// again: REASON` means that
 * a second run does change something, `// with: NAME` that another rewrite of the pass is needed
 * for this one to have something to do. */
#include "one_rewrite.h"
#include "same_values.h"

static int values_unknown;

typedef enum { VALUES_SAME, VALUES_DIFFER, VALUES_UNKNOWN } values_verdict;

/* Runs the module; NULL when it cannot be run. */
static hlo_run *run_module(hlo_module *module, hlo_input_fill fill, uint64_t seed) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.seed = seed;
    hlo_run *run = NULL;
    if (hlo_run_prepare(module, &options, diags, &run) != HLO_OK ||
        hlo_run_fill_inputs(run, fill, seed, diags) != HLO_OK ||
        hlo_run_execute(run, diags) != HLO_OK) {
        hlo_run_free(run);
        run = NULL;
    }
    hlo_diags_free(diags);
    return run;
}

/* VALUES_UNKNOWN when the first module cannot be run. */
static values_verdict compare_values(hlo_module *before, hlo_module *after, hlo_input_fill fill,
                                     hlo_pass_class class) {
    hlo_run *wanted = run_module(before, fill, 1);
    if (!wanted) return VALUES_UNKNOWN;
    hlo_run *got = run_module(after, fill, 1);
    bool same = got && hlo_run_output_count(got) == hlo_run_output_count(wanted);
    for (uint32_t leaf = 0; same && leaf < hlo_run_output_count(wanted); leaf++)
        same = same_leaf(result_of(got, leaf), result_of(wanted, leaf), class, 0);
    hlo_run_free(got);
    hlo_run_free(wanted);
    return same ? VALUES_SAME : VALUES_DIFFER;
}

static char *printed(hlo_module *module) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_print_options style = hlo_print_default;
    style.made_constants = false; /* their last digits are the C library's */
    hlo_module_print(module, &style, &text);
    hlo_buf_char(&text, 0);
    return text.data;
}

static void bless(const char *path, hlo_source *before, const char *after) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, before->text, before->len);
    hlo_buf_cstr(&text, "// -----\n");
    hlo_buf_cstr(&text, after);
    FILE *file = fopen(path, "w");
    if (file) {
        fwrite(text.data, 1, text.len, file);
        fclose(file);
    }
    hlo_buf_free(&text);
}

static void check_values(hlo_source *before, hlo_module *after) {
    hlo_pass_class class = hlo_passes[hlo_rewrites[id].pass].class;
    if (class == HLO_CLASS_SIGNATURE) return; /* other arguments, other results */
    hlo_module *original = read_module(before, false);
    values_verdict verdict = compare_values(original, after, HLO_FILL_RANDOM, class);
    check(verdict != VALUES_DIFFER, "computes something else");
    values_unknown += verdict == VALUES_UNKNOWN;
    hlo_module_free(original);
}

static void check_again(hlo_source *before, hlo_module *module) {
    uint64_t fired;
    if (remark(before, "// again: ").len) return;
    check(apply_rewrite(module, before, &fired) && fired == 0, "fires again");
}

static void check_parts(const char *path, hlo_source **parts, size_t count) {
    hlo_module *module = read_module(parts[0], false);
    uint64_t fired = 0;
    check(module != NULL, "the module before is not good");
    if (!module) return;
    check(apply_rewrite(module, parts[0], &fired), "the pass failed, or something else fired");
    check(fired > 0, "does not fire");
    char *got = printed(module);
    if (getenv("HLO_BLESS")) bless(path, parts[0], got);
    hlo_module *after = !getenv("HLO_BLESS") && count == 2 ? read_module(parts[1], false) : NULL;
    char *wanted = after ? printed(after) : NULL;
    bool same = wanted && strcmp(got, wanted) == 0;
    check(same || getenv("HLO_BLESS"), "leaves something else");
    if (!same) printf("%s", got);
    check_values(parts[0], module);
    check_again(parts[0], module);
    hlo_free(got);
    hlo_free(wanted);
    hlo_module_free(module);
    hlo_module_free(after);
}

int main(int argc, char **argv) {
    check_rows(argc, argv, check_parts);
    if (values_unknown) printf("%d modules could not be run\n", values_unknown);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
