/* Running a command on modules, several at the same time. */
#ifndef HLO_CMD_TRIALS_H
#define HLO_CMD_TRIALS_H

#include <hlo.h>

typedef struct trials trials;

typedef struct {
    const char *program; /* that messages start with */
    const char *command; /* COMMAND FILE in a shell, or COMMAND with the file's name for each {};
                          * the module is on its standard input too */
    int jobs;            /* commands that run at the same time */
    uint64_t timeout;    /* seconds after which a command has failed; 0: none */
    bool shows;          /* what commands write goes to standard error; else it is dropped */
} trials_options;

/* From now on SIGINT, SIGTERM and SIGHUP end the trials instead of the program. A command that the
 * shell does not find (exit status 127) and one that is killed at its timeout are named on standard
 * error, once each. NULL after an error, which is printed there. The options must outlive it. */
trials *trials_open(const trials_options *options);
/* An hlo_reduce_test: the first module in order for which the command ends with status 0. Commands
 * whose result does not matter any more are killed. HLO_REDUCE_STOP after a signal or an error. */
int trials_first_good(trials *t, const hlo_candidate *candidates, int count, hlo_diags *diags);
/* Prints how the command that ended first failed, if it did; for a user who expected it to succeed.
 */
void trials_note_first(const trials *t);
/* The signal that came, or 0. */
int trials_signal(const trials *t);
void trials_close(trials *t);
/* Ends the program by the signal, if one came, so that the shell sees what happened. */
void trials_pass_on(int caught);

#endif
