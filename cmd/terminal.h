/* What the programs know about the terminal that shows what they print. */
#ifndef HLO_CMD_TERMINAL_H
#define HLO_CMD_TERMINAL_H

#include <stdbool.h>

/* The values of --color. */
#define COLOR_CHOICES "auto|always|never"
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Columns of the terminal that a file descriptor is, or `otherwise` where there is none. */
int terminal_width(int descriptor, int otherwise);
/* Whether what goes there gets colours: by --color, else by NO_COLOR and CLICOLOR_FORCE, else on a
 * terminal that is not a dumb one. */
bool terminal_colour(int color, int descriptor);
/* Whether what is written to `path` goes to standard output. */
bool terminal_is_output(const char *path);
/* The same for messages, on standard error, and for what is written to `path`: a file has none. */
void terminal_colours(int color, const char *path, bool *messages, bool *output);
/* Whether a line there can be replaced by another one. */
bool terminal_moves(int descriptor);

#endif
