/* See measure.h. */
#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

hlo_source *measure_open(const char *path) {
    hlo_source *source = hlo_source_open(path);
    if (!source) measure_fail(path, NULL);
    return source;
}
