/* A line on the terminal that shows the progress of long work. */
#ifndef HLO_CMD_PROGRESS_H
#define HLO_CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the current text; called on another thread. Nothing written: the line stays. */
typedef void progress_text(char *line, size_t bytes, void *context);

/* No line is shown from now on: --no-progress. */
void progress_forbid(void);
/* Whether there would be a line: standard error is a terminal that can replace one. */
bool progress_is_possible(void);

/* Shows a line once a second has passed, until progress_end, which erases it. `text` may be NULL:
 * then it is the last progress_show. False: there is no line, or one for the work around this,
 * which goes on. */
bool progress_begin(progress_text *text, void *context);
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_end(void);

/* A line for one stage of the work, unless there is one already: a pair around the stage. */
bool progress_begin_stage(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_end_stage(bool begun);

/* Around other output on the terminal: the line is erased, and comes back later. */
void progress_hold(void);
void progress_release(void);

#endif
