/* Counts what holds and prints what does not. For unit tests; independent of the library. */
#ifndef HLO_TESTS_CHECK_H
#define HLO_TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>

static int passed, failed;

static inline void check(bool holds, const char *what) {
    if (holds) passed++;
    else failed++;
    if (!holds) printf("failed: %s\n", what);
}

#endif
