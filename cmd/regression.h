/* Running every module of a folder on its recorded inputs, and comparing with its recorded results.
 */
#ifndef HLO_CMD_REGRESSION_H
#define HLO_CMD_REGRESSION_H

#include "modules.h"
#include "run_files.h"

typedef enum { CASE_PASSED, CASE_DIFFERS, CASE_FAILED, CASE_SKIPPED, CASE_OUTCOMES } case_outcome;

/* One module. */
typedef struct {
    const char *path;
    case_outcome outcome;
    hlo_status status; /* as of the module alone */
    char *reason;      /* a line about what did not pass, or NULL */
    char *details;     /* the report of what differs, or the errors, or NULL */
    double seconds;
} regression_case;

typedef struct {
    const common_options *common; /* the argument is the folder */
    run_files *files;             /* of `work`, which are set for each module */
    module_work *work;            /* runs a module and compares */
    void *context;
    const char *junit; /* a file for the outcomes as JUnit writes them, or NULL */
} regression;

/* Whether the argument is a directory, whose modules are run. */
bool regression_is_asked(const common_options *common);

/* Writes a line per module and one with the sums to the output, and the outcomes to how->junit,
 * after a signal those that are known; without any outcome an earlier file is removed.
 * The worst status of the modules, each as when it is run alone: HLO_BAD_SYSTEM for a record that
 * cannot be read. HLO_BAD_MODULE when all are skipped; HLO_BAD_USE for a folder without modules;
 * HLO_BAD_SYSTEM when how->files->expect is no directory. */
hlo_status regression_run(const regression *how, hlo_diags *diags);

#endif
