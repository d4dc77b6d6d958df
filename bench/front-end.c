/* front-end [RUNS] FILE...: how fast the scanner, the parser and the printer are on one thread, and how
 * much memory reading takes. Prints rows of a markdown table: best of RUNS (3), megabytes (10^6) of
 * input text a second, for print of output text; peak memory of a process that only reads and parses,
 * mapped text included, over the size of the file. Called by run.sh. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "parse/parse.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void fail(const char *path, hlo_diags *diags) {
    if (diags) hlo_diags_render(diags, stderr, false);
    else fprintf(stderr, "front-end: %s: %s\n", path, strerror(errno));
    exit(1);
}

static hlo_source *open_source(const char *path) {
    hlo_source *source = hlo_source_open(path);
    if (!source) fail(path, NULL);
    return source;
}

static hlo_module *parse(const char *path, hlo_source *source) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module;
    if (hlo_parse(source, &diags, &module) != HLO_OK) fail(path, &diags);
    hlo_diags_free(&diags);
    return module;
}

static double scan_seconds(const char *path, int runs) {
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        hlo_source *source = open_source(path);
        hlo_diags diags;
        hlo_diags_init(&diags);
        double start = now();
        if (!hlo_scan_only(source, &diags)) fail(path, &diags);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
        hlo_diags_free(&diags);
        hlo_source_release(source);
    }
    return best;
}

/* Mapping the file is part of reading it. */
static double parse_seconds(const char *path, int runs) {
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        double start = now();
        hlo_source *source = open_source(path);
        hlo_module *module = parse(path, source);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
        hlo_module_free(module);
        hlo_source_release(source);
    }
    return best;
}

/* The text drains into /dev/null as it would into a pipe; a run in memory says how long it is. */
static double print_seconds(const char *path, int runs, double *printed) {
    hlo_source *source = open_source(path);
    hlo_module *module = parse(path, source);
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &text);
    *printed = (double)text.len;
    hlo_buf_free(&text);
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0) fail("/dev/null", NULL);
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        double start = now();
        hlo_buf_to_fd(&text, fd);
        hlo_module_print(module, &hlo_print_default, &text);
        hlo_buf_flush(&text);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
        hlo_buf_free(&text);
    }
    close(fd);
    hlo_module_free(module);
    hlo_source_release(source);
    return best;
}

static long peak_kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Asked of a child, whose peak is nobody else's. */
static double peak_bytes(const char *path) {
    int ends[2];
    if (pipe(ends)) fail(path, NULL);
    pid_t child = fork();
    if (child < 0) fail(path, NULL);
    if (child == 0) {
        long before = peak_kilobytes();
        hlo_source *source = open_source(path);
        parse(path, source);
        long grown = peak_kilobytes() - before;
        _exit(write(ends[1], &grown, sizeof grown) != sizeof grown);
    }
    close(ends[1]);
    long grown = 0;
    if (read(ends[0], &grown, sizeof grown) != sizeof grown) fail(path, NULL);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return 1024.0 * (double)grown;
}

static void measure(const char *path, int runs) {
    double peak = peak_bytes(path), printed;
    hlo_source *source = open_source(path);
    double size = (double)source->len;
    hlo_source_release(source);
    double scan = scan_seconds(path, runs), read = parse_seconds(path, runs);
    double print = print_seconds(path, runs, &printed);
    const char *name = strrchr(path, '/');
    printf("| %s | %.2f | %.0f | %.0f | %.0f | %.1f |\n", name ? name + 1 : path, size / 1e6,
           size / 1e6 / scan, size / 1e6 / read, printed / 1e6 / print, peak / size);
    fflush(stdout);
}

int main(int argc, char **argv) {
    int first = 1, runs = 3;
    if (argc > 1 && argv[1][0] >= '1' && argv[1][0] <= '9' && !strchr(argv[1], '.'))
        runs = atoi(argv[first++]);
    if (first == argc) {
        fprintf(stderr, "usage: front-end [RUNS] FILE...\n");
        return 2;
    }
    puts("| file | MB | scan MB/s | parse MB/s | print MB/s | peak bytes a byte |");
    puts("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (; first < argc; first++) measure(argv[first], runs);
    return 0;
}
