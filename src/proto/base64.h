/* Bytes as base64 text, as JSON carries them. */
#ifndef HLO_PROTO_BASE64_H
#define HLO_PROTO_BASE64_H

#include "base/buf.h"

/* Standard alphabet, with padding. */
void hlo_base64_put(hlo_buf *to, const void *bytes, size_t n);
/* Decodes n characters to `to`, which has space for n / 4 * 3 + 3 bytes; also takes the alphabet of
 * URLs and text without padding. False when it is no base64. */
bool hlo_base64_read(const char *text, size_t n, uint8_t *to, size_t *len);

#endif
