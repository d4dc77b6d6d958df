/* Finding options by name, and suggesting names. Called by options.c. */
#ifndef HLO_CMD_OPTION_NAMES_H
#define HLO_CMD_OPTION_NAMES_H

#include "options.h"

typedef struct {
    const option_row *row;
    bool negated; /* --no-NAME of a switch */
} option_found;

/* The option of either table that the n bytes at `text`, which begin with two dashes, spell, or
 * that alone begins so. False after a message about wrong use. */
bool option_find(const program_info *program, const option_row *const tables[2], const char *text,
                 size_t n, option_found *out);

/* The place in "a|b|c" of the choice that the text spells, or that alone begins so. */
bool option_choice(const char *choices, const char *text, int *place);

#endif
