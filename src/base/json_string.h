/* Strings as JSON writes them. */
#ifndef HLO_BASE_JSON_STRING_H
#define HLO_BASE_JSON_STRING_H

#include "base/buf.h"

/* A JSON string with its quotes. The result is valid UTF-8 whatever the bytes: what is no UTF-8
 * becomes U+FFFD, and characters that a terminal does not print are \u numbers. */
void hlo_json_string(hlo_buf *to, const char *bytes, size_t n);

#endif
