/* front-end [RUNS] FILE...: how fast the scanner, the parser and the printer are on one thread, and
 * how much memory reading takes. Prints rows of a markdown table: best of RUNS (3), megabytes
 * (10^6) of input text a second of processor time, for print of output text; peak memory of a
 * process that only reads and parses, mapped text included, over the size of the file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hlo_grammar.h"
#include "measure.h"
#include "parse/parser.h"

static hlo_module *parse(const char *path, hlo_source *source) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module;
    if (hlo_parse(source, &diags, &module) != HLO_OK) measure_fail(path, &diags);
    hlo_diags_drop(&diags);
    return module;
}

/* Runs only the scanner. */
static void scan(hlo_source *source, hlo_diags *diags) {
    hlo_parser *p = hlo_parser_new(source, diags);
    HLO_YYSTYPE value;
    hlo_span at;
    while (hlo_scan(&value, &at, p) != T_END) {
    }
    hlo_module_free(p->module);
    hlo_parser_free(p);
}

static double scan_seconds(const char *path, int runs) {
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        hlo_source *source = measure_open(path);
        hlo_diags diags;
        hlo_diags_init(&diags);
        double start = measure_now();
        scan(source, &diags);
        if (diags.errors) measure_fail(path, &diags);
        double seconds = measure_now() - start;
        if (seconds < best) best = seconds;
        hlo_diags_drop(&diags);
        hlo_source_release(source);
    }
    return best;
}

/* Mapping the file is part of reading it. */
static double parse_seconds(const char *path, int runs) {
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        double start = measure_now();
        hlo_source *source = measure_open(path);
        hlo_module *module = parse(path, source);
        double seconds = measure_now() - start;
        if (seconds < best) best = seconds;
        hlo_module_free(module);
        hlo_source_release(source);
    }
    return best;
}

/* The text drains into /dev/null as it would into a pipe; a run in memory gives its length. */
static double print_seconds(const char *path, int runs, double *printed) {
    hlo_source *source = measure_open(path);
    hlo_module *module = parse(path, source);
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &text);
    *printed = (double)text.len;
    hlo_buf_free(&text);
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0) measure_fail("/dev/null", NULL);
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        double start = measure_now();
        hlo_buf_to_fd(&text, fd);
        hlo_module_print(module, &hlo_print_default, &text);
        hlo_buf_flush(&text);
        double seconds = measure_now() - start;
        if (seconds < best) best = seconds;
        hlo_buf_free(&text);
    }
    close(fd);
    hlo_module_free(module);
    hlo_source_release(source);
    return best;
}

static int parse_once(const char *path) {
    if (*path) parse(path, measure_open(path));
    return 0;
}

static void measure(const char *path, int runs, double peak) {
    double printed;
    hlo_source *source = measure_open(path);
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
    if (argc == 3 && strcmp(argv[1], "--parse-once") == 0) return parse_once(argv[2]);
    if (argc > 1 && argv[1][0] >= '1' && argv[1][0] <= '9' && !strchr(argv[1], '.'))
        runs = atoi(argv[first++]);
    if (first == argc) {
        fprintf(stderr, "usage: front-end [RUNS] FILE...\n");
        return 2;
    }
    puts("| file | MB | scan MB/s | parse MB/s | print MB/s | peak bytes a byte |");
    puts("| --- | ---: | ---: | ---: | ---: | ---: |");
    /* A process inherits its parent's peak: these are asked while this one is small. */
    double *peaks = hlo_calloc((size_t)argc, sizeof *peaks);
    for (int i = first; i < argc; i++) peaks[i] = measure_peak("--parse-once", argv[i]);
    for (int i = first; i < argc; i++) measure(argv[i], runs, peaks[i]);
    hlo_free(peaks);
    return 0;
}
