/* The options of the verifier as options of a program: rows of its command line, one per row of the
 * library's table. */
#ifndef HLO_CMD_STRICTNESS_H
#define HLO_CMD_STRICTNESS_H

#include "options.h"

/* A table of the program's own rows, up to the one that ends them, and the verifier's after them.
 */
const option_row *strictness_with(const option_row *own);

/* Makes the options of what the command line chose. HLO_BAD_USE, with an error, for a value that is
 * none. */
hlo_status strictness_read(hlo_diags *diags);
/* They, from then on; NULL before. */
const hlo_verify_options *strictness(void);

/* Whether the command line turns an option of the verifier on. */
bool strictness_is_chosen(void);
/* Frees what the above hold. */
void strictness_forget(void);

#endif
