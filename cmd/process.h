/* What a program has to settle with the system: standard streams that are closed, signals that end
 * it, memory that is not there. */
#ifndef HLO_CMD_PROCESS_H
#define HLO_CMD_PROCESS_H

#include <stdbool.h>

/* First in every main. Files never get the number of a standard stream that is closed, so that no
 * message lands in one; signals that end the process leave no unfinished file. */
void process_begin(void);

/* False, after a message, when standard output is closed: for programs that work long before they
 * write to it. `output` is what -o names, or NULL. */
bool process_can_write(const char *output);

/* Called when the process is ended by a signal or for want of memory, besides removing unfinished
 * files; NULL: nothing is. Must do with what a handler may do. */
void process_set_cleanup(void (*cleanup)(void));
/* What is done then. */
void process_clean_up(void);

/* Ends the process by the signal. Handlers may call it. */
_Noreturn void process_end_by(int number);

/* Ends the process with a message that memory for `what` is missing. */
_Noreturn void process_no_memory(const char *what);
/* The object that a function without diagnostics made; NULL ends the process in that way. */
void *process_made(void *object, const char *what);

#endif
