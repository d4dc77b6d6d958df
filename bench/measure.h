/* What programs that measure the library share: the clock, opening files, giving up. */
#ifndef HLO_BENCH_MEASURE_H
#define HLO_BENCH_MEASURE_H

#include "base/source.h"
#include "diag/diag.h"

/* Seconds of processor time of this thread, the kernel's for it included: what other processes take
 * does not count. */
double measure_now(void);
/* Peak bytes of a separate process of this program, which reads the file after `option`, over those
 * of one without a file (""). Earlier runs do not count. */
double measure_peak(const char *option, const char *path);
/* Never NULL; the caller releases it. */
hlo_source *measure_open(const char *path);
/* Ends the program with the diagnostics, or with the message of errno when there are none. */
_Noreturn void measure_fail(const char *path, hlo_diags *diags);

#endif
