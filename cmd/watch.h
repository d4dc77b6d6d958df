/* Around a run of hlo-run: Ctrl-C stops it in good order, and a terminal shows how far it is. */
#ifndef HLO_CMD_WATCH_H
#define HLO_CMD_WATCH_H

#include <hlo.h>

/* From now on SIGINT and SIGTERM interrupt the run; the program ends 150 ms later if it is still
 * there, whatever it is doing then, and at once by a second one. When `shows` and standard error is
 * a terminal, a line there shows the progress of a run of more than a second. */
void watch_begin(hlo_run *run, bool shows);
/* Before the run is freed. */
void watch_end(void);
/* The signal that came since the program started, or 0. */
int watch_signal(void);
/* The run has stopped: what is written now is not cut off after 150 ms. */
void watch_settle(void);
/* The exit status again; an interrupted run ends by the signal, so that the shell sees it. */
int watch_ended(int status);

#endif
