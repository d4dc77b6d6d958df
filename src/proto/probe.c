/* What a message on the wire looks like: see probe.h. */
#include "proto/probe.h"

#include <stddef.h>

enum { MOST_NUMBER = (1 << 29) - 1, WIRE_VARINT = 0, WIRE_BYTES = 2 };

bool hlo_probe_varint(const char **at, const char *end, uint64_t *out) {
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = (uint8_t) * (*at)++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

/* A field, with the bytes that it has unless it is a number. */
typedef struct {
    uint64_t number;
    unsigned type;
    const char *from, *to; /* to: where the next field begins */
} field;

typedef enum { WHOLE, CUT_OFF, NO_FIELD } field_state;

static field_state read_field(const char *at, const char *end, field *out) {
    uint64_t tag, length = 0;
    if (!hlo_probe_varint(&at, end, &tag)) return CUT_OFF;
    *out = (field){.number = tag >> 3, .type = (unsigned)tag & 7};
    if (out->number == 0 || out->number > MOST_NUMBER ||
        (out->type != WIRE_VARINT && out->type != WIRE_BYTES))
        return NO_FIELD;
    bool good = hlo_probe_varint(&at, end, &length);
    if (out->type == WIRE_VARINT) length = 0;
    out->from = at;
    out->to = good && length < (uint64_t)(end - at) ? at + length : end;
    return good ? WHOLE : CUT_OFF;
}

hlo_probe hlo_probe_of(const char *at, const char *end) {
    hlo_probe p = {.well_formed = at < end};
    while (at < end) {
        field f = {0};
        field_state state = read_field(at, end, &f);
        if (state == NO_FIELD) p.well_formed = false;
        if (state == NO_FIELD || !f.number) return p;
        uint32_t bit = f.number < 32 ? 1u << f.number : 1;
        p.fields |= bit;
        if (state == CUT_OFF) return p;
        at = f.to;
        if (f.type == WIRE_VARINT) continue;
        p.messages |= bit;
        if (f.number != 1 || p.first) continue;
        p.first = f.from;
        p.first_end = f.to;
    }
    return p;
}

bool hlo_probe_field(const char *at, const char *end, unsigned number, const char **from,
                     const char **to) {
    for (field f = {0}; at < end; at = f.to) {
        if (read_field(at, end, &f) != WHOLE) return false;
        *from = f.from;
        *to = f.to;
        if (f.number == number && f.type == WIRE_BYTES) return true;
    }
    return false;
}
