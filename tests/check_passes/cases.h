/* Cases: modules of golden cases and of the generator, by name: a path, or seed:N. */
#ifndef CHECK_PASSES_CASES_H
#define CHECK_PASSES_CASES_H

#include "check_passes/check.h"

typedef struct {
    char **names;
    size_t count;
} case_list;

/* Those that the programs' arguments name; their meaning is the same for all of them:
 *   no argument                a sample of the golden modules and of generated ones
 *   --all [--generated=N]      all golden ones and N generated
 *   CASE...                    these
 * Returns how many kinds of cases had to be skipped, and reports them. */
size_t cases_from_arguments(case_list *cases, int argc, char **argv);
void cases_free(case_list *cases);

/* Reads or generates the case of that name: c->original is NULL when it is not valid, which the
 * generator's never may be: that is reported. Close with case_close. */
void case_open(check_case *c);
void case_close(check_case *c);

#endif
