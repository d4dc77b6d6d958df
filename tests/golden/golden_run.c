/* golden_run: runs golden cases, each in a child of this process, so that thousands of them cost no
 * program starts and a crash affects one case only. Reads lines `CASE RESULTS` (two directories),
 * writes a line `CASE <tab> REASON` for each; REASON is empty when the case ran. The results are in
 * RESULTS as hlo-run --output-dir writes them, what its outfeeds gave in RESULTS/feed. HLO_THREADS
 * is the number of threads (1), HLO_ENGINE may be "reference", HLO_ISA an instruction set, HLO_JIT
 * "0". HLO_FRESH, "nan" or "bytes", is what fresh memory is filled with. A case with a file
 * inputs.hash has the inputs of --inputs=hash. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hlo.h>

#include "base/fresh.h"

enum { PATH_BYTES = 4096, CPU_SECONDS = 300 };

static hlo_world *world; /* NULL: no other process */

typedef struct {
    const char *directory;
    char module[PATH_BYTES], feed[PATH_BYTES];
    const char *results;
} golden_case;

static void path_in(char *path, const char *directory, const char *name) {
    if (snprintf(path, PATH_BYTES, "%s/%s", directory, name) < PATH_BYTES) return;
    printf("the path of the case is too long\n");
    exit(1);
}

static bool has_file(const golden_case *c, const char *name) {
    char path[PATH_BYTES];
    path_in(path, c->directory, name);
    return access(path, F_OK) == 0;
}

/* ---- one case, in a separate process ---- */

static hlo_status read_inputs(const golden_case *c, hlo_run *run, hlo_diags *diags) {
    if (has_file(c, "in0.r0.npy")) return hlo_run_read_inputs(run, c->directory, false, diags);
    hlo_status status = HLO_OK;
    char name[32], path[PATH_BYTES];
    for (uint32_t leaf = 0; status == HLO_OK; leaf++) {
        snprintf(name, sizeof name, "in%u.npy", leaf);
        if (!has_file(c, name)) break;
        path_in(path, c->directory, name);
        status = hlo_run_read_input(run, leaf, path, diags);
    }
    if (status == HLO_OK && has_file(c, "inputs.hash"))
        status = hlo_run_fill_inputs(run, HLO_FILL_HASH, 0, diags);
    return status;
}

static uint32_t threads_wanted(void) {
    const char *text = getenv("HLO_THREADS");
    long threads = text ? strtol(text, NULL, 10) : 1;
    return threads > 0 ? (uint32_t)threads : 1;
}

static hlo_engine engine_wanted(void) {
    const char *name = getenv("HLO_ENGINE");
    return name && strcmp(name, "reference") == 0 ? HLO_ENGINE_REFERENCE : HLO_ENGINE_FAST;
}

static bool has_no_jit(void) {
    const char *text = getenv("HLO_JIT");
    return text && strcmp(text, "0") == 0;
}

static void fill_fresh_memory(void) {
    const char *text = getenv("HLO_FRESH");
    if (!text) return;
    atomic_store(&hlo_fresh_pattern, strcmp(text, "nan") == 0 ? HLO_FRESH_NAN : HLO_FRESH_BYTES);
}

static hlo_status run_module(const golden_case *c, hlo_module *module, hlo_diags *diags) {
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    how.threads = threads_wanted();
    how.engine = engine_wanted();
    how.isa = getenv("HLO_ISA");
    how.no_jit = has_no_jit();
    how.devices.world = world;
    fill_fresh_memory();
    if (has_file(c, "infeed0.npy")) how.host.infeed = &c->directory, how.host.infeed_count = 1;
    if (has_file(c, "outfeed0.npy")) how.host.outfeed = c->feed;
    hlo_run *run;
    hlo_status status = hlo_run_prepare(module, &how, diags, &run);
    if (status == HLO_OK) status = read_inputs(c, run, diags);
    status = hlo_world_agree(world, status, NULL);
    if (status == HLO_OK) status = hlo_run_execute(run, diags);
    if (status == HLO_OK && hlo_world_rank(world) == 0)
        status = hlo_run_write_outputs(run, c->results, diags);
    hlo_run_free(run);
    return status;
}

static hlo_status run_case(const golden_case *c, hlo_diags *diags) {
    hlo_source *source;
    hlo_module *module = NULL;
    hlo_status status = hlo_read_source(c->module, diags, &source);
    if (status == HLO_OK) status = hlo_read_module(source, diags, &module);
    hlo_source_free(source);
    if (status == HLO_OK) status = hlo_verify(module, diags);
    if (status == HLO_OK) status = run_module(c, module, diags);
    hlo_module_free(module);
    return status;
}

/* The first line that the diagnostics make. */
static void print_reason(hlo_diags *diags, hlo_status status) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return;
    hlo_diags_render(diags, to, false);
    fclose(to);
    printf("status %d: %.*s\n", (int)status, (int)strcspn(text, "\n"), text);
    free(text);
}

static int child(const golden_case *c) {
    struct rlimit limit = {CPU_SECONDS, CPU_SECONDS};
    setrlimit(RLIMIT_CPU, &limit); /* a case that does not end; processor time, not the clock's */
    hlo_diags *diags = hlo_diags_create(0);
    hlo_status status = run_case(c, diags);
    if (status != HLO_OK) print_reason(diags, status);
    hlo_diags_free(diags);
    return (int)status;
}

/* ---- all cases ---- */

static bool make_directory(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static void run_in_child(const golden_case *c) {
    int status = 0;
    printf("%s\t", c->directory);
    fflush(stdout);
    if (!make_directory(c->results)) {
        printf("%s: %s\n", c->results, strerror(errno));
        return;
    }
    pid_t pid = fork();
    if (pid == 0) exit(child(c));
    if (pid < 0 || waitpid(pid, &status, 0) < 0) printf("fork: %s\n", strerror(errno));
    else if (WIFSIGNALED(status)) printf("ended by signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status) > 3) printf("exit status %d\n", WEXITSTATUS(status));
    else if (WEXITSTATUS(status) == 0) printf("\n");
}

/* One line of rank 0, or of the first rank that failed. */
static void run_together(const golden_case *c) {
    uint32_t first;
    make_directory(c->results);
    hlo_diags *diags = hlo_diags_create(0);
    hlo_status status = run_case(c, diags);
    hlo_status worst = hlo_world_agree(world, status, &first);
    if (first == hlo_world_rank(world)) printf("%s\t%s", c->directory, worst ? "" : "\n");
    if (first == hlo_world_rank(world) && worst) print_reason(diags, status);
    fflush(stdout);
    hlo_diags_free(diags);
}

static void enter_world(void) {
    hlo_diags *diags = hlo_diags_create(0);
    if (hlo_world_open(diags, &world) != HLO_OK) hlo_diags_render(diags, stderr, false);
    hlo_diags_free(diags);
}

/* The whole list is read before the first child begins: its exit would move the shared file's
 * position. */
int main(int argc, char **argv) {
    char *list = NULL, *save;
    size_t size = 0;
    FILE *from = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (argc > 1) enter_world();
    if (!from || getdelim(&list, &size, '\0', from) < 0) return 0;
    for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *space = strchr(line, ' ');
        if (!space) {
            fprintf(stderr, "usage: golden_run <LIST, with lines CASE RESULTS\n");
            return 2;
        }
        *space = '\0';
        golden_case c = {.directory = line, .results = space + 1};
        path_in(c.module, c.directory, "module.hlo");
        path_in(c.feed, c.results, "feed");
        if (world) run_together(&c);
        else run_in_child(&c);
    }
    hlo_world_close(world);
    free(list);
    return 0;
}
