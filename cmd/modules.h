/* From a module argument to modules: read, split, parse, hand on, report. */
#ifndef HLO_CMD_MODULES_H
#define HLO_CMD_MODULES_H

#include "hints.h"
#include "options.h"

/* What a program does with one module. `context` is the caller's. */
typedef hlo_status module_work(hlo_module *module, void *context, hlo_diags *diags);

/* Reads the source in the dialect that is asked for; it is to be freed. */
hlo_status modules_read_source(const char *path, const common_options *common, hlo_diags *diags,
                               hlo_source **out);

/* Reads `path` (NULL and "-": standard input), parses it (or each of its parts, with
 * --split-input-file) and calls `work` on every module that parsed. Returns the worst status. */
hlo_status modules_each(const char *path, const common_options *common, module_work *work,
                        void *context, hlo_diags *diags);

/* Whether a path names a directory, such as one of modules or of inputs. */
bool is_folder(const char *path);

/* Commits what was written to `path` (NULL and "-": standard output), which is not freed. */
hlo_status modules_commit(hlo_output *output, const char *path, hlo_diags *diags);

/* The worse of two: the system's failures weigh most. */
hlo_status worse(hlo_status a, hlo_status b);

/* Shows the diagnostics on standard error; HLO_BAD_SYSTEM when memory ran out meanwhile. */
hlo_status show_diags(hlo_diags *diags, const common_options *common);
/* Shows the diagnostics on standard error, frees them, and returns the exit status. */
int finish(hlo_diags *diags, const common_options *common, hlo_status status);

/* The second word of the command line is one too many for a program that takes one module. */
int at_most_one_module(const program_info *program, const common_options *common);

#endif
