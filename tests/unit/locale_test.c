/* A program may have set a locale with a decimal comma: what the library reads and writes stays the
 * same. The locale is made here, since systems that build and test have none but "C". */
#include <hlo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/check.h"

/* Numbers of every way to read them: exact, with many digits, beyond 128 bits. */
static const char text[] =
    "HloModule m\n\n"
    "ENTRY e {\n"
    "  x = f64[4]{0} parameter(0), statistics={visualizing_index=0,q=2.5}\n"
    "  c = f64[4]{0} constant({1.5, 0.1234567890123456789012345, 2.25e-310, -3.75e+300})\n"
    "  t = f64[4]{0} tanh(x), result_accuracy={tolerance={atol=0.5,rtol=1e-20,ulps=2}}\n"
    "  ROOT r = f64[4]{0} add(t, c)\n"
    "}\n";

static hlo_diags *diags;

static hlo_module *read_text(const char *bytes, size_t count) {
    hlo_module *module = NULL;
    hlo_source *source = hlo_source_from_text("m.hlo", bytes, count);
    if (hlo_read_module(source, diags, &module) == HLO_OK) hlo_verify(module, diags);
    hlo_source_free(source);
    return module;
}

static void run(hlo_module *module, const char *folder, hlo_output *output) {
    static const double other[] = {0.25, -0.3, 5e-310, 7};
    static const int64_t dims[] = {4};
    static const hlo_array others = {HLO_TYPE_F64, 1, dims, NULL, other};
    hlo_run *run;
    hlo_compare_options options = HLO_COMPARE_OPTIONS_INIT;
    char path[300];
    snprintf(path, sizeof path, "%s/out.json", folder);
    if (hlo_run_prepare(module, NULL, diags, &run) != HLO_OK) return;
    hlo_run_fill_inputs(run, HLO_FILL_HASH, 1, diags);
    hlo_run_execute(run, diags);
    hlo_run_write_literal(run, 0, output, diags);
    hlo_run_write_outputs(run, path, diags);
    hlo_run_compare(run, path, &options, output, diags);
    hlo_run_set_input(run, 0, 0, &others, diags);
    hlo_run_execute(run, diags);
    hlo_run_compare(run, path, &options, output, diags); /* differs: the report has numbers */
    options.auto_rtol = true;
    hlo_run_compare(run, path, &options, output, diags);
    hlo_run_free(run);
}

/* Everything that the library writes about the module that `from` is. */
static hlo_output *write_all(const char *from, size_t count, const char *folder) {
    hlo_output *output = hlo_output_to_memory();
    hlo_module *module = read_text(from, count);
    hlo_graph_options graph = HLO_GRAPH_OPTIONS_INIT;
    graph.layout = HLO_LAYOUT_FAST;
    hlo_write_text(module, NULL, output, diags);
    hlo_write_json(module, HLO_AS_MODULE_PROTO, true, output, diags);
    hlo_write_graph(module, &graph, output, diags);
    run(module, folder, output);
    hlo_module_free(module);
    return output;
}

static bool are_equal(const hlo_output *a, const hlo_output *b) {
    size_t m, n;
    const char *first = hlo_output_bytes(a, &m), *second = hlo_output_bytes(b, &n);
    for (size_t i = 0; i < m && i < n; i++)
        if (first[i] != second[i]) {
            printf("from byte %zu on: '%.60s' and '%.60s'\n", i, first + i, second + i);
            return false;
        }
    return m == n;
}

static bool contains(const hlo_output *output, const char *part) {
    size_t n;
    const char *bytes = hlo_output_bytes(output, &n);
    return memmem(bytes, n, part, strlen(part)) != NULL;
}

/* A module's JSON, read under the locale, prints as the module. */
static void test_json(const char *json, size_t count, const char *wanted) {
    hlo_output *output = hlo_output_to_memory();
    hlo_module *module = read_text(json, count);
    size_t n;
    check(module && hlo_write_text(module, NULL, output, diags) == HLO_OK, "JSON is read");
    const char *bytes = hlo_output_bytes(output, &n);
    check(n == strlen(wanted) && memcmp(bytes, wanted, n) == 0, "JSON means the same");
    hlo_output_free(output);
    hlo_module_free(module);
}

static char *text_of(bool json) {
    hlo_output *output = hlo_output_to_memory();
    hlo_module *module = read_text(text, strlen(text));
    if (json) hlo_write_json(module, HLO_AS_MODULE_PROTO, true, output, diags);
    else hlo_write_text(module, NULL, output, diags);
    size_t n;
    const char *bytes = hlo_output_bytes(output, &n);
    char *copy = strndup(bytes, n);
    hlo_output_free(output);
    hlo_module_free(module);
    return copy;
}

static void compare_locales(const char *folder) {
    char *plain = text_of(false), *json = text_of(true);
    hlo_output *before = write_all(text, strlen(text), folder);
    check(contains(before, " elements differ") && contains(before, "would pass: rtol "),
          "numbers are compared");
    check(setlocale(LC_ALL, "comma") && strtod("1,5", NULL) == 1.5, "the locale has a comma");
    hlo_output *after = write_all(text, strlen(text), folder);
    check(are_equal(before, after), "the same is written under either locale");
    test_json(json, strlen(json), plain);
    check(strtod("1,5", NULL) == 1.5, "the locale is still the program's");
    hlo_output_free(before);
    hlo_output_free(after);
    free(plain);
    free(json);
}

/* A locale of our own: ASCII, of which only the numbers matter. False: there is no localedef. */
static bool make_locale(const char *folder) {
    static const char definition[] = "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\n"
                                     "grouping -1\nEND LC_NUMERIC\n";
    char path[300], command[900];
    snprintf(path, sizeof path, "%s/comma.src", folder);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fputs(definition, file);
    fclose(file);
    snprintf(command, sizeof command, "localedef -c -i %s %s/comma >%s/log 2>&1", path, folder,
             folder);
    bool ended = system(command) != -1; /* its warnings make it fail; the file decides */
    snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", folder);
    return ended && access(path, R_OK) == 0 && setenv("LOCPATH", folder, 1) == 0;
}

int main(void) {
    char folder[] = "/tmp/hlo-locale-XXXXXX", command[100];
    if (!mkdtemp(folder)) return 2;
    diags = hlo_diags_create(0);
    bool is_there = make_locale(folder);
    if (is_there) compare_locales(folder);
    else printf("skipped: localedef cannot make a locale with a decimal comma\n");
    if (hlo_diags_warning_count(diags)) hlo_diags_render(diags, stdout, false);
    hlo_diags_free(diags);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) failed++;
    printf("%d passed, %d failed, %d skipped\n", passed, failed, !is_there);
    return failed != 0;
}
