/* Finding options by name, and suggesting names. */
#ifndef HLO_CMD_OPTION_NAMES_H
#define HLO_CMD_OPTION_NAMES_H

#include "options.h"

typedef struct {
    const option_row *row;
    bool negated; /* --no-NAME of a switch */
} option_found;

/* The row of a table of the library whose name is nearest to the word; NULL: none is near. */
const char *options_nearest_row(const char *word, bool row_at(size_t number, hlo_table_row *row));

/* The option of either table that the n bytes at `text`, which begin with two dashes, spell, or
 * that alone begins so. False after a message about wrong use. */
bool option_find(const program_info *program, const option_row *const tables[2], const char *text,
                 size_t n, option_found *out);

/* The same without a message, and NULL for none. */
const option_row *option_named(const option_row *const tables[2], const char *text, size_t n);
const option_row *option_of_letter(const option_row *const tables[2], char letter);
/* Whether a value must stand after it. */
bool option_takes_value(const option_row *o);

/* The place in "a|b|c" of the choice that the text spells, or that alone begins so. */
bool option_choice(const char *choices, const char *text, int *place);

#endif
