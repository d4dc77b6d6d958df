/* One module in several ways in one process: the same bits, or the same within a tolerance, as the
 * first way gives. A start of hlo-run for each, and files to compare, take longer than most runs.
 *
 *   run_ways [OPTION...] MODULE [INPUT...] -- WAY...
 *   run_ways --each <LIST      such arguments in each line, without blanks in them; each in a
 *                              child process, whose lines are followed by `= STATUS`
 *
 *   --inputs=FILL, --seed=N   as of hlo-run, for inputs without a file
 *   --rtol=X|auto, --atol=X, --max-ulp=N   for ways with ~, and for --expect
 *   --expect=PATH             every way gives what is stored there, as hlo-run --expect has it
 *   --stream-bytes=N          results of so many bytes are stored past the caches
 *
 * A way is options of hlo-run with commas between them: threads=N, isa=NAME, isa=all (a way for
 * each set of the machine) or isa=narrower (for each but the widest), engine=reference, jit=0,
 * as-written, repeat=N, trace-values, executor=dataflow, parallel-iterations=N, devices=N,
 * lower-scalar-loops; of=FILE runs another module, and `default` stands for none. A way that begins
 * with ~ agrees with the first one within the tolerance. Prints `ok WAY` or `FAILED WAY: REASON`
 * for each. */
#include <hlo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eval/kernel/isa.h"
#include "eval/kernels/moves/move_kernels.h"
#include "eval/value/distance.h"
#include "host/zip_library.h"
#include "passes/pipeline/pass.h"

enum { MOST_INPUTS = 64, MOST_NAME = 1024, MOST_WORDS = 128 };

static struct {
    const char *module, *inputs[MOST_INPUTS], *expect;
    uint32_t input_count;
    bool fills;
    hlo_input_fill fill;
    uint64_t seed;
    hlo_tolerance tolerance;
} asked;

typedef struct {
    char *words;
    hlo_run_options how;
    uint64_t repeats; /* 0: one run */
    const char *path;
    hlo_module *module;
    hlo_run *run; /* NULL: it failed */
} way;

static way first;
static FILE *nowhere; /* where traces go */
static bool failed;

static void wrong_use(const char *word) {
    fprintf(stderr, "run_ways: what is %s?\n", word);
    exit(2);
}

/* The value of NAME=VALUE; NULL when the word is another one. */
static const char *value_of(const char *word, const char *name) {
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* ---- one way ---- */

static void take_word(way *w, const char *word) {
    hlo_run_options *how = &w->how;
    const char *value;
    if ((value = value_of(word, "of"))) w->path = value;
    else if ((value = value_of(word, "repeat"))) w->repeats = (uint64_t)atoi(value);
    else if ((value = value_of(word, "threads"))) how->threads = (uint32_t)atoi(value);
    else if ((value = value_of(word, "isa"))) how->isa = value;
    else if ((value = value_of(word, "parallel-iterations")))
        how->graph.parallel_iterations = (uint64_t)atoi(value);
    else if ((value = value_of(word, "devices"))) how->graph.devices = (uint32_t)atoi(value);
    else if (strcmp(word, "engine=reference") == 0) how->engine = HLO_ENGINE_REFERENCE;
    else if (strcmp(word, "executor=dataflow") == 0) how->graph.executor = HLO_EXECUTOR_DATAFLOW;
    else if (strcmp(word, "lower-scalar-loops") == 0) how->graph.lower_scalar_loops = true;
    else if (strcmp(word, "jit=0") == 0) how->no_jit = true;
    else if (strcmp(word, "as-written") == 0) how->as_written = true;
    else if (strcmp(word, "trace-values") == 0) how->watch.trace = nowhere;
    else if (strcmp(word, "default") != 0) wrong_use(word);
}

static hlo_status read_module(way *w, hlo_diags *diags) {
    hlo_source *source = NULL;
    hlo_status status = hlo_read_source(w->path, diags, &source);
    if (status == HLO_OK) status = hlo_read_module(source, diags, &w->module);
    if (status == HLO_OK) status = hlo_verify(w->module, diags);
    hlo_source_free(source);
    return status;
}

static hlo_status set_inputs(hlo_run *run, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (uint32_t i = 0; i < asked.input_count && status == HLO_OK; i++)
        status = hlo_run_read_input(run, i, asked.inputs[i], diags);
    if (asked.fills && status == HLO_OK)
        status = hlo_run_fill_inputs(run, asked.fill, asked.seed, diags);
    return status;
}

static void run_module(way *w, hlo_diags *diags) {
    if (read_module(w, diags) == HLO_OK &&
        hlo_run_prepare(w->module, &w->how, diags, &w->run) == HLO_OK &&
        set_inputs(w->run, diags) == HLO_OK &&
        (w->repeats ? hlo_run_repeat(w->run, w->repeats, diags) : hlo_run_execute(w->run, diags)) ==
            HLO_OK)
        return;
    hlo_run_free(w->run);
    w->run = NULL;
}

static void drop(way *w) {
    hlo_run_free(w->run);
    hlo_module_free(w->module);
    free(w->words);
}

/* ---- comparing ---- */

static bool same_bits(const hlo_array *a, const hlo_array *b) {
    size_t bytes = hlo_array_bytes(a);
    return bytes == hlo_array_bytes(b) && (bytes == 0 || memcmp(a->data, b->data, bytes) == 0);
}

static bool agree(const hlo_array *got, const hlo_array *wanted) {
    hlo_arena arena;
    hlo_shapes_table shapes;
    hlo_arena_init(&arena);
    hlo_shapes_init(&shapes, &arena);
    const char *name = hlo_element_type_name(wanted->type);
    const hlo_shape *shape = hlo_shape_array(&shapes, hlo_type_from_text(name, strlen(name)),
                                             wanted->dims, wanted->rank, NULL, NULL, NULL);
    hlo_literal a = {.shape = shape, .data = (void *)(uintptr_t)got->data};
    hlo_literal b = {.shape = shape, .data = (void *)(uintptr_t)wanted->data};
    bool same = hlo_array_bytes(got) == hlo_array_bytes(wanted) &&
                hlo_compare_arrays(&a, &b, &asked.tolerance).different == 0;
    hlo_shapes_free(&shapes);
    hlo_arena_free(&arena);
    return same;
}

/* The number of the first result, of all devices one after the other, that differs from the first
 * way's; -1: none does. */
static int64_t difference(const hlo_run *run, bool to_the_bit, hlo_diags *diags) {
    uint32_t n = hlo_run_output_count(first.run), devices = hlo_run_device_count(first.run);
    if (hlo_run_output_count(run) != n || hlo_run_device_count(run) != devices) return 0;
    for (uint32_t i = 0; i < devices * n; i++) {
        hlo_array got, wanted;
        if (hlo_run_output(run, i / n, i % n, diags, &got) != HLO_OK ||
            hlo_run_output(first.run, i / n, i % n, diags, &wanted) != HLO_OK ||
            got.type != wanted.type ||
            !(to_the_bit ? same_bits(&got, &wanted) : agree(&got, &wanted)))
            return i;
    }
    return -1;
}

/* Whether the run gives what is stored; what differs goes to the diagnostics or to standard
 * output. */
static bool is_expected(const hlo_run *run, hlo_diags *diags) {
    hlo_compare_options options = HLO_COMPARE_OPTIONS_INIT;
    options.rtol = asked.tolerance.rtol;
    options.atol = asked.tolerance.atol;
    options.max_ulp = asked.tolerance.max_ulp;
    hlo_output *report = hlo_output_to_memory();
    bool same = hlo_run_compare(run, asked.expect, &options, report, diags) == HLO_OK;
    size_t n;
    const char *text = hlo_output_bytes(report, &n);
    if (!same) printf("%.*s", (int)n, text);
    hlo_output_free(report);
    return same;
}

/* ---- all ways ---- */

static void judge(const char *name, const way *w, hlo_diags *diags) {
    int64_t leaf;
    bool good = false;
    if (!w->run) printf("FAILED %s: it does not run\n", name);
    else if (asked.expect && !is_expected(w->run, diags)) printf("FAILED %s: as above\n", name);
    else if (!asked.expect && first.run && (leaf = difference(w->run, name[0] != '~', diags)) >= 0)
        printf("FAILED %s: result %d differs from the first way's\n", name, (int)leaf);
    else good = true;
    if (good) printf("ok %s\n", name);
    else hlo_diags_render(diags, stdout, false);
    failed |= !good;
}

/* The words of `name`, with `isa` where a way is for each set. */
static void run_way(const char *name, const char *isa) {
    char *save, whole[MOST_NAME];
    way w = {.how = HLO_RUN_OPTIONS_INIT,
             .path = asked.module,
             .words = strdup(name + (name[0] == '~'))};
    hlo_diags *diags = hlo_diags_create(1);
    for (char *word = strtok_r(w.words, ",", &save); word; word = strtok_r(NULL, ",", &save))
        take_word(&w, word);
    if (isa) w.how.isa = isa;
    snprintf(whole, sizeof whole, "%s%s%s", name, isa ? ": " : "", isa ? isa : "");
    run_module(&w, diags);
    judge(whole, &w, diags);
    if (w.run && !first.run && !asked.expect) first = w;
    else drop(&w);
    hlo_diags_free(diags);
}

static void run_each(const char *name) {
    const char *isa;
    bool all = strstr(name, "isa=all");
    if (!all && !strstr(name, "isa=narrower")) {
        run_way(name, NULL);
        return;
    }
    for (uint32_t i = 0; (isa = hlo_isa_name(i)); i++)
        if (all || hlo_isa_name(i + 1)) run_way(name, isa);
}

/* ---- the command line ---- */

static void take_fill(const char *name) {
    hlo_table_row row;
    for (size_t i = 0; hlo_fill_row(i, &row); i++) {
        if (strcmp(row.name, name) != 0) continue;
        asked.fills = true;
        asked.fill = (hlo_input_fill)i;
        return;
    }
    wrong_use(name);
}

static void take_argument(const char *word) {
    const char *value;
    if ((value = value_of(word, "--inputs"))) take_fill(value);
    else if ((value = value_of(word, "--seed"))) asked.seed = strtoull(value, NULL, 10);
    else if (strcmp(word, "--rtol=auto") == 0) asked.tolerance.auto_rtol = true;
    else if ((value = value_of(word, "--rtol"))) asked.tolerance.rtol = strtod(value, NULL);
    else if ((value = value_of(word, "--atol"))) asked.tolerance.atol = strtod(value, NULL);
    else if ((value = value_of(word, "--max-ulp")))
        asked.tolerance.max_ulp = strtoull(value, NULL, 10);
    else if ((value = value_of(word, "--expect"))) asked.expect = value;
    else if ((value = value_of(word, "--stream-bytes")))
        atomic_store(&hlo_stream_bytes, strtoll(value, NULL, 10));
    else if (word[0] == '-') wrong_use(word);
    else if (!asked.module) asked.module = word;
    else if (asked.input_count < MOST_INPUTS) asked.inputs[asked.input_count++] = word;
    else wrong_use(word);
}

static int run_command(int argc, char **argv) {
    int i = 0;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) take_argument(argv[i]);
    if (!asked.module || i + 1 >= argc) wrong_use("to be run");
    nowhere = fopen("/dev/null", "w");
    for (i++; i < argc; i++) run_each(argv[i]);
    drop(&first);
    if (nowhere) fclose(nowhere);
    return failed;
}

/* ---- a list of command lines ---- */

static void run_in_child(char *line) {
    char *words[MOST_WORDS], *save;
    int n = 0, status = 0;
    for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (n == MOST_WORDS) wrong_use("a line with so many words");
        words[n++] = word;
    }
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) exit(run_command(n, words));
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        perror("run_ways");
        exit(3);
    }
    printf("= %d\n", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* The whole list is read before the first child begins: its exit would move the shared file's
 * position. What archives need is loaded here, which takes each child longer than most runs; where
 * it is missing, a child that reads an archive reports it. */
static int run_list(void) {
    char *list = NULL, *save;
    size_t size = 0;
    (void)hlo_library_missing(&hlo_zip_library);
    if (getdelim(&list, &size, '\0', stdin) < 0) wrong_use("to be run");
    for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        run_in_child(line);
    free(list);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--each") == 0) return run_list();
    return run_command(argc - 1, argv + 1);
}
