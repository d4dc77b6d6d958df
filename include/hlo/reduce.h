/* Making a module smaller. Part of hlo.h. */
#ifndef HLO_PUBLIC_REDUCE_H
#define HLO_PUBLIC_REDUCE_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A module that verifies, as text that is not NUL-terminated; lives until the test returns. */
typedef struct {
    const char *text;
    size_t len, instructions;
} hlo_candidate;

enum { HLO_REDUCE_NONE = -1, HLO_REDUCE_STOP = -2 };

/* Returns the first candidate in order that still has what is looked for: its number,
 * HLO_REDUCE_NONE, or HLO_REDUCE_STOP when no more tests should run. No text is tested twice,
 * unless its batch contained an accepted one. */
typedef int hlo_reduce_test(void *context, const hlo_candidate *candidates, int count);

typedef struct {
    size_t size;
    hlo_reduce_test *test;
    void *context;
    uint32_t batch;     /* candidates that are handed over at once; 0: one */
    uint64_t max_tests; /* 0: any number */
    bool xla_literals;  /* negative zeros are -0, not -0.0: see hlo_text_options */
} hlo_reduce_options;

#define HLO_REDUCE_OPTIONS_INIT \
    { sizeof(hlo_reduce_options), NULL, NULL, 1, 0, false }

typedef struct {
    uint64_t tests; /* the same for any size of batches */
    size_t instructions_before, instructions_after;
    bool is_done; /* no known edit makes it smaller: the end, not a stop */
} hlo_reduction;

/* Makes a module smaller, one edit after the other, as long as the test accepts the module; the
 * last one that it accepted is the result. It is asked about the original first, which is not
 * changed. HLO_BAD_MODULE when it does not verify or the test does not accept it. */
HLO_API hlo_status hlo_reduce(hlo_module *module, const hlo_reduce_options *options,
                              hlo_diags *diags, hlo_reduction *out);

#ifdef __cplusplus
}
#endif
#endif
