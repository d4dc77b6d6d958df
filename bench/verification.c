/* verification RUNS HLO-VERIFY FOLDER: what verifying costs relative to parsing, how fast
 * hlo-verify is over the modules of a directory, and what a second thread brings. Prints rows of a
 * markdown table.
 *
 * Other processes may keep the machine busy. So one thread is measured in processor time, the best
 * of RUNS; and runs with one and with two threads take turns, so that both meet the same load: the
 * table has the ratio of the best times and the median of the ratios of neighbours. Half of what
 * two threads take together in processor time estimates what a machine with two idle cores would
 * give. */
#include <fcntl.h>
#include <hlo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RUNS = 99 };

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void fail(const char *path) {
    fprintf(stderr, "verification: %s\n", path);
    exit(1);
}

/* ---- the library ---- */

typedef struct {
    double parse, verify; /* seconds of processor time */
} costs;

static costs costs_of(const char *path) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source;
    hlo_module *module;
    double start = now(CLOCK_THREAD_CPUTIME_ID);
    if (hlo_read_source(path, diags, &source) != HLO_OK ||
        hlo_read_module(source, diags, &module) != HLO_OK)
        fail(path);
    double parsed = now(CLOCK_THREAD_CPUTIME_ID);
    if (hlo_verify(module, diags) != HLO_OK) fail(path);
    double verified = now(CLOCK_THREAD_CPUTIME_ID);
    hlo_module_free(module);
    hlo_source_free(source);
    hlo_diags_free(diags);
    return (costs){parsed - start, verified - parsed};
}

/* The best of each file, added up. */
static costs best_costs(char **paths, size_t count, int runs) {
    costs all = {0, 0};
    for (size_t i = 0; i < count; i++) {
        costs best = {1e9, 1e9};
        for (int run = 0; run < runs; run++) {
            costs one = costs_of(paths[i]);
            if (one.parse < best.parse) best.parse = one.parse;
            if (one.verify < best.verify) best.verify = one.verify;
        }
        all.parse += best.parse;
        all.verify += best.verify;
    }
    return all;
}

/* ---- the program ---- */

typedef struct {
    double processor, wall; /* seconds */
} times;

static times run_program(const char *program, const char *jobs, const char *directory) {
    double start = now(CLOCK_MONOTONIC);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "--quiet", jobs, directory, (char *)NULL);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status) fail(program);
    struct timeval user = usage.ru_utime, kernel = usage.ru_stime;
    double processor =
        (double)(user.tv_sec + kernel.tv_sec) + 1e-6 * (double)(user.tv_usec + kernel.tv_usec);
    return (times){processor, now(CLOCK_MONOTONIC) - start};
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_program(const char *program, const char *directory, double megabytes,
                            int runs) {
    double processor = 1e9, shared = 1e9, one = 1e9, two = 1e9, ratios[MOST_RUNS];
    for (int run = 0; run < runs; run++) {
        times alone = run_program(program, "--jobs=1", directory);
        times both = run_program(program, "--jobs=2", directory);
        processor = least(processor, alone.processor);
        shared = least(shared, both.processor);
        one = least(one, alone.wall);
        two = least(two, both.wall);
        ratios[run] = alone.wall / both.wall;
    }
    qsort(ratios, (size_t)runs, sizeof *ratios, by_value);
    printf("| hlo-verify, one thread, start to end | %.0f MB/s |\n", megabytes / processor);
    printf("| --jobs=2 against --jobs=1, by processor time | %.2f× |\n", 2 * processor / shared);
    printf("| --jobs=2 against --jobs=1, best wall times | %.2f× |\n", one / two);
    printf("| --jobs=2 against --jobs=1, median of %d pairs | %.2f× |\n", runs, ratios[runs / 2]);
}

int main(int argc, char **argv) {
    int runs = argc == 4 ? atoi(argv[1]) : 0;
    if (runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: verification RUNS HLO-VERIFY FOLDER\n");
        return 2;
    }
    hlo_diags *diags = hlo_diags_create(0);
    char **paths;
    size_t count;
    if (hlo_find_modules(argv + 3, 1, diags, &paths, &count) != HLO_OK) fail(argv[3]);
    double megabytes = 0;
    struct stat st;
    for (size_t i = 0; i < count; i++)
        if (stat(paths[i], &st) == 0) megabytes += (double)st.st_size / 1e6;
    costs best = best_costs(paths, count, runs);
    printf("| %zu modules of %.1f MB | |\n| --- | ---: |\n", count, megabytes);
    printf("| parse | %.0f MB/s |\n", megabytes / best.parse);
    printf("| verify | %.0f MB/s, %.2f of parsing |\n", megabytes / best.verify,
           best.verify / best.parse);
    measure_program(argv[2], argv[3], megabytes, runs);
    hlo_paths_free(paths, count);
    hlo_diags_free(diags);
    return 0;
}
