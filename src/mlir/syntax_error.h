/* Messages for what the grammar of MLIR does not have. */
#ifndef HLO_MLIR_SYNTAX_ERROR_H
#define HLO_MLIR_SYNTAX_ERROR_H

#include "mlir/parser.h"

/* `found` stands at `at`; it is the name of a token in the grammar, as those that may stand there.
 */
void hlo_mlir_syntax_error(hlo_mlir_parser *p, hlo_span at, const char *found,
                           const char *const *expected, size_t n);

#endif
