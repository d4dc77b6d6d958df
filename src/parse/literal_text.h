/* The dedicated scanner of literals: large constants never pass through the grammar's tokens. */
#ifndef HLO_PARSE_LITERAL_TEXT_H
#define HLO_PARSE_LITERAL_TEXT_H

#include "diag/diag.h"
#include "ir/ir.h"
#include "ir/literal.h"

typedef struct {
    hlo_arena *arena; /* of the literal */
    hlo_source *source;
    hlo_diags *diags;
    const char *begin, *end; /* the text; zero bytes follow its end */
    /* Running counters after {...}, which stands for invented values: one set per module, so that
     * no two elided constants are equal. */
    uint32_t *fill_words, *fill_bytes;
    hlo_places *elided, *minus_zeros; /* what was met */
} hlo_literal_reader;

/* Reads one literal of the shape at `at` (blanks and comments may stand before it) and returns
 * where it ends, or NULL after reporting one error at the byte where it was found. */
const char *hlo_literal_read(hlo_literal_reader *reader, const char *at, const hlo_shape *shape,
                             hlo_literal **out);

#endif
