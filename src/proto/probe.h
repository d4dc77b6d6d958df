/* What a message on the wire looks like: enough to tell messages of XLA apart. */
#ifndef HLO_PROTO_PROBE_H
#define HLO_PROTO_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* The fields of some bytes as they stand, a cut-off last one included. */
typedef struct {
    bool well_formed;
    uint32_t fields, messages;     /* bits by number, 0 for large ones: all, and those of bytes */
    const char *first, *first_end; /* the bytes of the first field 1 */
} hlo_probe;

hlo_probe hlo_probe_of(const char *at, const char *end);
/* The number at *at, which is moved past it. */
bool hlo_probe_varint(const char **at, const char *end, uint64_t *out);
/* The bytes of the first field of a number, as far as they are there; false: no such field. */
bool hlo_probe_field(const char *at, const char *end, unsigned number, const char **from,
                     const char **to);

#endif
