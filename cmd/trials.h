/* Running a command on modules, several at the same time. Called by hlo-reduce. */
#ifndef HLO_CMD_TRIALS_H
#define HLO_CMD_TRIALS_H

#include <hlo.h>

typedef struct trials trials;

/* `COMMAND FILE` in a shell, or COMMAND with the file's name for each `{}`; the module is on its
 * standard input too. `timeout`: seconds after which a command has failed; 0: none. What commands
 * write is dropped unless `shows`: then it goes to standard error. From now on SIGINT and SIGTERM
 * end the trials instead of the program. NULL after an error, which is
 * told on standard error. */
trials *trials_open(const char *command, int jobs, uint64_t timeout, bool shows);
/* An hlo_reduce_test: the first module in order for which the command ends with status 0. Commands
 * whose result does not matter any more are killed. HLO_REDUCE_STOP after a signal or an error. */
int trials_first_good(trials *t, const hlo_candidate *candidates, int count, hlo_diags *diags);
/* The signal that came, or 0. */
int trials_signal(const trials *t);
void trials_close(trials *t);

#endif
