/* JSON text by jansson, which does not survive every failed allocation: here none of its
 * allocations fails. */
#ifndef HLO_BASE_JSON_TEXT_H
#define HLO_BASE_JSON_TEXT_H

#include <jansson.h>

/* json_loadb. Where memory runs out the call is undone (unwind.h), with `name` in the error, and
 * nothing that jansson had allocated is left. */
json_t *hlo_json_load_text(const char *text, size_t len, size_t flags, const char *name,
                           json_error_t *error);

#endif
