/* differential: makes valid modules by mutation and compares all that the tools make of them.
 *
 *   differential [OPTION...] FOLDER...   mutants of the modules below the folders
 *   differential --check FILE...         these modules, through every comparison: exit 1 when one
 * fails
 *
 *   --seed=N      of the first case (0); each case has the next number
 *   --count=N     cases (unlimited)
 *   --seconds=N   of time (unlimited)
 *   --workers=N   processes (the processors)
 *   --found=DIR   where findings go: NUMBER.hlo, and NUMBER.txt with what was found
 *
 * Each case runs in a separate process, so that crashes and endless work are findings, too. Ends
 * with `N passed, N failed, N skipped`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "differential/differential.h"

enum { MOST_WORKERS = 64, CASE_SECONDS = 6, FOUND = 1, NO_MUTANT = 2 };

typedef struct {
    uint64_t seed, count, seconds;
    uint32_t workers;
    const char *folder;
} options;

/* What the process of a case shares with the one that waits for it. */
typedef struct {
    char stage[STAGE_BYTES];
    uint64_t excused[EXCUSE_COUNT];
    mutant_text text;
} shared_case;

typedef struct {
    pid_t pid;
    uint64_t number;
    shared_case *shared;
} worker;

typedef struct {
    uint64_t passed, failed, skipped;
} tally;

/* ---- what is not compared ---- */

static uint64_t all_excused[EXCUSE_COUNT];
uint64_t *excused = all_excused;

static void print_excused(void) {
#define EXCUSE(id, meaning) meaning,
    static const char *const meanings[] = {EXCUSES(EXCUSE)};
#undef EXCUSE
    for (size_t i = 0; i < EXCUSE_COUNT; i++)
        if (all_excused[i])
            printf("not compared: %llu, %s\n", (unsigned long long)all_excused[i], meanings[i]);
}

/* ---- the process of a case ---- */

static void limit_work(void) {
    const char *more = getenv("HLO_CASE_SECONDS");
    rlim_t seconds = more ? (rlim_t)atoll(more) : CASE_SECONDS;
    struct rlimit limit = {seconds, seconds + 5};
    setrlimit(RLIMIT_CPU, &limit);
}

static char *report_path(const options *o, uint64_t number, const char *ending) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%llu.%s", o->folder, (unsigned long long)number, ending);
    return path;
}

/* Both streams go to the report, sanitizers' too. */
static void open_report(const options *o, uint64_t number) {
    if (!freopen(report_path(o, number, "txt"), "w", stdout)) _exit(3);
    dup2(fileno(stdout), STDERR_FILENO);
}

static _Noreturn void run_number(const options *o, uint64_t number, shared_case *shared) {
    dice d = {number * UINT64_C(0x2545F4914F6CDD1D)};
    limit_work();
    open_report(o, number);
    excused = shared->excused;
    snprintf(shared->stage, sizeof shared->stage, "making a mutant");
    if (!make_mutant(&d, &shared->text)) exit(NO_MUTANT);
    bool good = check_text(&shared->text, &d, shared->stage, sizeof shared->stage);
    fflush(stdout);
    _exit(good ? 0 : FOUND);
}

/* ---- findings ---- */

static void keep_module(const options *o, uint64_t number, const mutant_text *text) {
    FILE *file = fopen(report_path(o, number, "hlo"), "w");
    if (!file) return;
    fwrite(text->bytes, 1, text->len, file);
    fclose(file);
}

/* The first line of the report, or what ended the process. */
static void print_finding(const options *o, const worker *w, int status) {
    char line[512] = "";
    FILE *file = fopen(report_path(o, w->number, "txt"), "r");
    if (file && !fgets(line, sizeof line, file)) *line = '\0';
    if (file) fclose(file);
    line[strcspn(line, "\n")] = '\0';
    if (WIFSIGNALED(status))
        snprintf(line, sizeof line, "%s: signal %d (%s)", w->shared->stage, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != FOUND)
        snprintf(line, sizeof line, "%s: exit status %d", w->shared->stage, WEXITSTATUS(status));
    printf("%llu: %s\n", (unsigned long long)w->number, line);
    fflush(stdout);
}

/* Work without end counts only where the reference engine had an end. */
static bool is_slow_module(const worker *w, int status) {
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL) &&
           (strncmp(w->shared->stage, "reference", 9) == 0 ||
            strncmp(w->shared->stage, "making", 6) == 0);
}

static void judge(const options *o, const worker *w, int status, tally *t) {
    for (size_t i = 0; i < EXCUSE_COUNT; i++) all_excused[i] += w->shared->excused[i];
    bool is_over =
        WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_MUTANT);
    if (is_over || is_slow_module(w, status)) {
        unlink(report_path(o, w->number, "txt"));
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) t->passed++;
        else t->skipped++;
        return;
    }
    t->failed++;
    print_finding(o, w, status);
    keep_module(o, w->number, &w->shared->text);
}

/* ---- all cases ---- */

static bool start(const options *o, worker *w, uint64_t number) {
    w->number = number;
    w->shared->text.len = 0;
    memset(w->shared->excused, 0, sizeof w->shared->excused);
    w->shared->stage[0] = '\0';
    fflush(stdout);
    w->pid = fork();
    if (w->pid == 0) run_number(o, number, w->shared);
    return w->pid > 0;
}

static worker *worker_of(worker *workers, uint32_t n, pid_t pid) {
    for (uint32_t i = 0; i < n; i++)
        if (workers[i].pid == pid) return &workers[i];
    return NULL;
}

static bool goes_on(const options *o, uint64_t next, time_t began) {
    return next - o->seed < o->count && (uint64_t)(time(NULL) - began) < o->seconds;
}

static void run_all(const options *o, tally *t) {
    worker workers[MOST_WORKERS] = {0};
    uint64_t next = o->seed;
    uint32_t working = 0;
    time_t began = time(NULL);
    for (uint32_t i = 0; i < o->workers; i++) {
        workers[i].shared = mmap(NULL, sizeof(shared_case), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (workers[i].shared == MAP_FAILED) exit(3);
        if (goes_on(o, next, began)) working += start(o, &workers[i], next++);
    }
    while (working) {
        int status;
        pid_t pid = wait(&status);
        worker *w = worker_of(workers, o->workers, pid);
        if (!w) break;
        judge(o, w, status, t);
        working--;
        w->pid = 0;
        if (goes_on(o, next, began)) working += start(o, w, next++);
    }
}

/* ---- given files ---- */

static int check_files(char **paths, int count) {
    static mutant_text text;
    char stage[STAGE_BYTES];
    tally t = {0};
    for (int i = 0; i < count; i++) {
        if (!read_text(paths[i], &text)) {
            fprintf(stderr, "differential: %s: %s\n", paths[i], strerror(errno));
            return 3;
        }
        if (check_text(&text, NULL, stage, sizeof stage)) {
            t.passed++;
        } else {
            t.failed++;
            printf("%s: found\n", paths[i]);
        }
    }
    print_excused();
    printf("%llu passed, %llu failed, 0 skipped\n", (unsigned long long)t.passed,
           (unsigned long long)t.failed);
    return t.failed != 0;
}

/* ---- arguments ---- */

static bool read_option(options *o, const char *argument) {
    static const char *const names[] = {"--seed=", "--count=", "--seconds=", "--workers="};
    uint64_t workers = o->workers, *const values[] = {&o->seed, &o->count, &o->seconds, &workers};
    if (strncmp(argument, "--found=", 8) == 0) return *(o->folder = argument + 8) != '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(argument, names[i], n) != 0) continue;
        char *end;
        *values[i] = strtoull(argument + n, &end, 10);
        o->workers = (uint32_t)workers;
        return argument[n] && !*end && workers >= 1 && workers <= MOST_WORKERS;
    }
    return false;
}

static int use(void) {
    fputs("usage: differential [--seed=N] [--count=N] [--seconds=N] [--workers=N] [--found=DIR] "
          "FOLDER...\n"
          "       differential --check FILE...\n",
          stderr);
    return 2;
}

int main(int argc, char **argv) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    options o = {.count = UINT64_MAX, .seconds = UINT64_MAX, .folder = "found"};
    o.workers = processors < 1              ? 1
                : processors > MOST_WORKERS ? MOST_WORKERS
                                            : (uint32_t)processors;
    tally t = {0};
    if (argc > 2 && strcmp(argv[1], "--check") == 0) return check_files(argv + 2, argc - 2);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') corpus_add(argv[i]);
        else if (!read_option(&o, argv[i])) return use();
    }
    if (corpus_size() == 0) return use();
    if (mkdir(o.folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "differential: %s: %s\n", o.folder, strerror(errno));
        return 3;
    }
    printf("%zu modules to mutate\n", corpus_size());
    run_all(&o, &t);
    corpus_free();
    print_excused();
    printf("%llu passed, %llu failed, %llu skipped\n", (unsigned long long)t.passed,
           (unsigned long long)t.failed, (unsigned long long)t.skipped);
    return t.failed != 0;
}
