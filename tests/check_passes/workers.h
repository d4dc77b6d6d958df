/* Sharing cases among processes. */
#ifndef CHECK_PASSES_WORKERS_H
#define CHECK_PASSES_WORKERS_H

#include "check_passes/check.h"

/* Calls work(number, tally) for all numbers below `count`, each in one of as many processes as
 * there are processors, and adds up what they counted. `died` is called (here) for a number over
 * which a process died; another one continues with the next. */
void share_work(size_t count, void (*work)(size_t number, tally *counted),
                void (*died)(size_t number), tally *sum);

#endif
