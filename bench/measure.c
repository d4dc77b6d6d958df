/* See measure.h. */
#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double measure_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

_Noreturn void measure_fail(const char *path, hlo_diags *diags) {
    if (diags) hlo_diags_render(diags, stderr, false);
    else fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, path, strerror(errno));
    exit(1);
}

static double peak_of(const char *option, const char *path) {
    pid_t child = fork();
    if (child < 0) measure_fail(path, NULL);
    if (child == 0) {
        execl("/proc/self/exe", program_invocation_short_name, option, path, (char *)NULL);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) measure_fail(path, NULL);
    if (status) exit(1); /* it has reported why */
    return 1024.0 * (double)usage.ru_maxrss;
}

double measure_peak(const char *option, const char *path) {
    double with = peak_of(option, path), without = peak_of(option, "");
    return with > without ? with - without : 0;
}

hlo_source *measure_open(const char *path) {
    hlo_source *source = hlo_source_open(path);
    if (!source) measure_fail(path, NULL);
    return source;
}
