/* messages [RUNS] FILE...: how fast modules are read and written as protobuf and as JSON, on one
 * thread. Prints rows of a markdown table: best of RUNS (3), megabytes (10^6) of the form a second
 * of processor time; for reading JSON also how long jansson takes to load the same bytes as a tree,
 * and the peak memory of a process that only reads the JSON, over its size. */
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "parse/parse.h"
#include "proto/proto.h"

static hlo_module *read_text(const char *path) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = measure_open(path);
    hlo_module *module;
    if (hlo_parse(source, &diags, &module) != HLO_OK) measure_fail(path, &diags);
    hlo_diags_drop(&diags);
    hlo_source_release(source);
    return module;
}

static void write_to(hlo_module *module, hlo_proto_form form, hlo_buf *to) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    if (hlo_proto_write(module, HLO_AS_MODULE_PROTO, form, to, &diags) != HLO_OK)
        measure_fail("", &diags);
    hlo_diags_drop(&diags);
}

static void write_file(hlo_module *module, hlo_proto_form form, const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) measure_fail(path, NULL);
    hlo_buf bytes = HLO_BUF_INIT;
    hlo_buf_to_fd(&bytes, fd);
    write_to(module, form, &bytes);
    if (hlo_buf_flush(&bytes)) measure_fail(path, NULL);
    hlo_buf_free(&bytes);
    close(fd);
}

/* ---- what is measured ---- */

static double least(double a, double b) {
    return a < b ? a : b;
}

/* The bytes drain into /dev/null as they would into a pipe. */
static double write_seconds(hlo_module *module, hlo_proto_form form, int runs) {
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0) measure_fail("/dev/null", NULL);
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        hlo_buf bytes = HLO_BUF_INIT;
        double start = measure_now();
        hlo_buf_to_fd(&bytes, fd);
        write_to(module, form, &bytes);
        hlo_buf_flush(&bytes);
        best = least(best, measure_now() - start);
        hlo_buf_free(&bytes);
    }
    close(fd);
    return best;
}

static void read_once(const char *path, bool is_json) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = measure_open(path);
    hlo_module *module;
    if (hlo_proto_read(source, is_json, &diags, &module) != HLO_OK) measure_fail(path, &diags);
    hlo_module_free(module);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
}

static double read_seconds(const char *path, bool is_json, int runs) {
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        double start = measure_now();
        read_once(path, is_json);
        best = least(best, measure_now() - start);
    }
    return best;
}

static double jansson_seconds(const char *path, int runs) {
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        json_error_t error;
        double start = measure_now();
        json_t *tree = json_load_file(path, 0, &error);
        if (!tree) measure_fail(path, NULL);
        json_decref(tree);
        best = least(best, measure_now() - start);
    }
    return best;
}

static double size_of(const char *path) {
    hlo_source *source = measure_open(path);
    double size = (double)source->len;
    hlo_source_release(source);
    return size;
}

/* ---- a file ---- */

typedef struct {
    const char *text;
    char pb[32], json[32]; /* separate files */
    double peak; /* of reading the JSON, without what a process takes that reads nothing */
} input;

static void make_empty(char *path, const char *pattern) {
    int fd = mkstemp(strcpy(path, pattern));
    if (fd < 0) measure_fail(path, NULL);
    close(fd);
}

/* A process inherits its parent's peak, so that a child writes the files and this one stays small
 * until all peaks are known. */
static void prepare(input *in) {
    make_empty(in->pb, "/tmp/hlo-bench-pb-XXXXXX");
    make_empty(in->json, "/tmp/hlo-bench-json-XXXXXX");
    pid_t child = fork();
    if (child < 0) measure_fail(in->text, NULL);
    if (child == 0) {
        hlo_module *module = read_text(in->text);
        write_file(module, HLO_PROTO_WIRE, in->pb);
        write_file(module, HLO_PROTO_JSON, in->json);
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) < 0 || status) measure_fail(in->text, NULL);
    in->peak = measure_peak("--read-once", in->json);
}

static void measure(const input *in, int runs) {
    double pb = size_of(in->pb) / 1e6, json = size_of(in->json) / 1e6;
    hlo_module *module = read_text(in->text);
    double pb_write = write_seconds(module, HLO_PROTO_WIRE, runs);
    double json_write = write_seconds(module, HLO_PROTO_JSON, runs);
    hlo_module_free(module);
    double pb_read = read_seconds(in->pb, false, runs),
           json_read = read_seconds(in->json, true, runs);
    double load = jansson_seconds(in->json, runs);
    const char *name = strrchr(in->text, '/');
    printf("| %s | %.2f | %.0f | %.0f | %.2f | %.0f | %.0f | %.0f | %.2f | %.1f |\n",
           name ? name + 1 : in->text, pb, pb / pb_read, pb / pb_write, json, json / json_write,
           json / json_read, json / load, json_read / load, in->peak / 1e6 / json);
    fflush(stdout);
}

int main(int argc, char **argv) {
    int first = 1, runs = 3;
    if (argc == 3 && strcmp(argv[1], "--read-once") == 0) {
        if (*argv[2]) read_once(argv[2], true);
        return 0;
    }
    if (argc > 1 && argv[1][0] >= '1' && argv[1][0] <= '9' && !strchr(argv[1], '.'))
        runs = atoi(argv[first++]);
    if (first == argc) {
        fprintf(stderr, "usage: messages [RUNS] FILE...\n");
        return 2;
    }
    puts("| file | pb MB | read MB/s | write MB/s | JSON MB | write MB/s | read MB/s | jansson's "
         "load "
         "MB/s | times its time | peak bytes a byte |");
    puts("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    size_t n = (size_t)(argc - first);
    input *inputs = hlo_calloc(n, sizeof *inputs);
    for (size_t i = 0; i < n; i++) {
        inputs[i].text = argv[first + (int)i];
        prepare(&inputs[i]);
    }
    for (size_t i = 0; i < n; i++) {
        measure(&inputs[i], runs);
        unlink(inputs[i].pb);
        unlink(inputs[i].json);
    }
    hlo_free(inputs);
    return 0;
}
