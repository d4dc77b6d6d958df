/* By what a finding is known from one run to the next. */
#ifndef HLO_DIAG_FINGERPRINT_H
#define HLO_DIAG_FINGERPRINT_H

#include "diag/diag.h"

/* Of what stays the same when lines move, instructions are renumbered and files have other names:
 * rule, message, and the names of computation and instruction, names without the numbers at their
 * end (`add.17`, `region_12.34`). */
uint64_t hlo_diag_fingerprint(const hlo_diag *d);
/* The file that the finding is in, or NULL. */
const char *hlo_diag_file(const hlo_diag *d);
/* `./a.hlo`, `a.hlo` and the absolute path of it are one file: the path as seen from the working
 * directory. Points into `path`. */
const char *hlo_relative_path(const char *path);

#endif
