/* Timing runs for hlo-run --bench. */
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "process.h"
#include "say.h"

double bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static hlo_status timed_run(hlo_run *run, double *seconds, hlo_diags *diags) {
    double start = bench_now();
    hlo_status status = hlo_run_execute(run, diags);
    *seconds = bench_now() - start;
    return status;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static hlo_status report(const char *text, const char *json, hlo_diags *diags) {
    if (!json) {
        print_lines("%s", text);
        return HLO_OK;
    }
    hlo_output *output;
    hlo_status status = hlo_output_open(json, diags, &output);
    if (status != HLO_OK) return status;
    hlo_output_write(output, text, strlen(text));
    status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}

/* The peak of getrusage includes the memory of the parent process before exec; VmHWM is the figure
 * of this program alone. */
static int64_t peak_bytes(void) {
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    long long kilobytes = 0;
    while (file && !kilobytes && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtoll(line + 6, NULL, 10);
    if (file) fclose(file);
    struct rusage usage;
    if (!kilobytes && getrusage(RUSAGE_SELF, &usage) == 0) kilobytes = usage.ru_maxrss;
    return kilobytes * 1024;
}

hlo_status bench_run(hlo_run *run, uint64_t repeats, bench_before before, const char *json,
                     hlo_diags *diags) {
    double first, *times = process_made(calloc(repeats, sizeof *times), "the times of the runs");
    hlo_status status = timed_run(run, &first, diags);
    hlo_run_clear_profile(run); /* it is that of the runs that are timed */
    for (uint64_t i = 0; i < repeats && status == HLO_OK; i++)
        status = timed_run(run, &times[i], diags);
    if (status == HLO_OK) {
        qsort(times, repeats, sizeof *times, by_value);
        double median = (times[repeats / 2] + times[(repeats - 1) / 2]) / 2;
        char text[320];
        snprintf(text, sizeof text,
                 "{\"parse_s\": %.9f, \"prepare_s\": %.9f, \"first_run_s\": %.9f, "
                 "\"run_median_s\": %.9f, \"run_min_s\": %.9f, \"peak_bytes\": %" PRId64 "}\n",
                 before.parse, before.prepare, first, median, times[0], peak_bytes());
        status = report(text, json, diags);
    }
    free(times);
    return status;
}
