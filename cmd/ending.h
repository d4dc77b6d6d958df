/* Names of output files that end like another form than the one that is written. */
#ifndef HLO_CMD_ENDING_H
#define HLO_CMD_ENDING_H

/* What follows the last dot of the file's name; NULL: there is none, or no file. */
const char *ending_of(const char *path);

/* A note on standard error when `output` ends like one of the forms "a|b|c" that is not number
 * `form`: the option decides, not the name. */
void ending_note(const char *program, const char *output, const char *option, const char *forms,
                 int form);

#endif
