/* What a file is that holds no module, by what it begins with (foreign.def). */
#ifndef HLO_PARSE_FOREIGN_KINDS_H
#define HLO_PARSE_FOREIGN_KINDS_H

#include "base/str.h"

typedef struct {
    const char *name;     /* what lists of files count */
    const char *sentence; /* a message */
    const char *hint;     /* what to do instead, or NULL */
    bool is_text;         /* its first word has a place in lines */
} hlo_foreign_kind;

/* The kind of a file that starts with these bytes; NULL: none of the table, perhaps a module. */
const hlo_foreign_kind *hlo_foreign_kind_of(const char *start, size_t count);

#endif
