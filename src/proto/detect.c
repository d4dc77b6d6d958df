/* Text, JSON or binary? And which of XLA's messages? Called by from_module.c and src/api. */
#include "proto/detect.h"

#include "base/text.h"

enum { PROBED_BYTES = 4096, MOST_NUMBER = (1 << 29) - 1 };

/* ---- the wire format ---- */

/* What the fields of [at, end) look like as they stand, a cut-off last one included. */
typedef struct {
    bool well_formed;
    uint32_t fields, messages;     /* bits by number, 0 for large ones: all, and those of bytes */
    const char *first, *first_end; /* the bytes of the first field 1 */
} probe;

static bool varint(const char **at, const char *end, uint64_t *out) {
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = (uint8_t) * (*at)++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

static probe look(const char *at, const char *end) {
    probe p = {.well_formed = at < end};
    while (at < end) {
        uint64_t tag, length = 0;
        if (!varint(&at, end, &tag)) return p;
        uint64_t number = tag >> 3, type = tag & 7;
        if (number == 0 || number > MOST_NUMBER || (type != 0 && type != 2)) {
            p.well_formed = false;
            return p;
        }
        uint32_t bit = number < 32 ? 1u << number : 1;
        p.fields |= bit;
        if (!varint(&at, end, &length)) return p;
        if (type == 0) continue;
        p.messages |= bit;
        const char *from = at;
        at = length < (uint64_t)(end - at) ? at + length : end;
        if (number != 1 || p.first) continue;
        p.first = from;
        p.first_end = at;
    }
    return p;
}

enum { ONLY_HLO_PROTO = 1 << 1 | 1 << 3, ONLY_HLO_SNAPSHOT = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 };

static bool is_module(const char *at, const char *end) {
    probe p = look(at, end);
    return p.well_formed && (p.messages & (1 << 2 | 1 << 3)) && p.first;
}

static bool is_around_module(probe p) {
    return p.well_formed && p.first && !(p.fields & ~ONLY_HLO_PROTO) &&
           is_module(p.first, p.first_end);
}

hlo_message_id hlo_wire_message(const hlo_source *source) {
    probe p = look(source->text, source->text + source->len);
    if (is_around_module(p)) return HLO_MESSAGE_HloProto;
    if (p.well_formed && p.first && !(p.fields & ~ONLY_HLO_SNAPSHOT) &&
        is_around_module(look(p.first, p.first_end)))
        return HLO_MESSAGE_HloSnapshot;
    return HLO_MESSAGE_HloModuleProto;
}

/* Text has no control bytes but blanks. */
static bool has_control_bytes(const char *start, size_t count) {
    size_t n = count < PROBED_BYTES ? count : PROBED_BYTES;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)start[i];
        if (c < 0x20 && c != '\n' && c != '\t' && c != '\r' && c != '\f' && c != '\v') return true;
    }
    return false;
}

/* ---- JSON ---- */

hlo_message_id hlo_json_message(const hlo_source *source) {
    static const struct {
        const char *key;
        hlo_message_id id;
    } outer[] = {
        {"\"hloModule\"", HLO_MESSAGE_HloProto},
        {"\"hlo_module\"", HLO_MESSAGE_HloProto},
        {"\"bufferAssignment\"", HLO_MESSAGE_HloProto},
        {"\"buffer_assignment\"", HLO_MESSAGE_HloProto},
        {"\"hlo\"", HLO_MESSAGE_HloSnapshot},
        {"\"arguments\"", HLO_MESSAGE_HloSnapshot},
        {"\"executionPlatform\"", HLO_MESSAGE_HloSnapshot},
        {"\"execution_platform\"", HLO_MESSAGE_HloSnapshot},
    };
    const char *end = source->text + source->len, *at = hlo_after_blanks_at(source->text, end);
    if (*at == '{') at = hlo_after_blanks_at(at + 1, end);
    /* No module has these keys, so that one of them at the start identifies the message. */
    for (size_t i = 0; i < sizeof outer / sizeof *outer; i++) {
        size_t n = strlen(outer[i].key);
        if ((size_t)(end - at) > n && memcmp(at, outer[i].key, n) == 0) return outer[i].id;
    }
    return HLO_MESSAGE_HloModuleProto;
}

/* A text may begin with a brace too, but no string or closing brace follows it there. */
hlo_input_form hlo_input_form_of(const hlo_source *source) {
    const char *end = source->text + source->len, *at = hlo_after_blanks_at(source->text, end);
    if (at < end && *at == '{') {
        at = hlo_after_blanks_at(at + 1, end);
        if (*at == '"' || *at == '}') return HLO_INPUT_JSON;
    }
    if (!has_control_bytes(source->text, source->len)) return HLO_INPUT_TEXT;
    return look(source->text, source->text + source->len).well_formed ? HLO_INPUT_WIRE
                                                                      : HLO_INPUT_TEXT;
}

/* ---- files whose name does not decide ---- */

/* A module with a name that could be one. */
static bool is_named_module(const char *at, const char *end) {
    if (!is_module(at, end)) return false;
    probe p = look(at, end);
    return p.first < p.first_end && !has_control_bytes(p.first, (size_t)(p.first_end - p.first));
}

/* At the start, or as the first field of one message or two around it. */
static bool is_wire_message(const char *at, const char *end) {
    for (int around = 0; around < 3; around++) {
        if (is_named_module(at, end)) return true;
        probe p = look(at, end);
        if (!p.well_formed || !p.first || (p.fields & ~ONLY_HLO_SNAPSHOT)) return false;
        at = p.first;
        end = p.first_end;
    }
    return false;
}

static bool is_json_message(const char *at, const char *end) {
    static const char *const keys[] = {"\"computations\"", "\"entryComputationName\"",
                                       "\"entry_computation_name\"", "\"hloModule\"",
                                       "\"hlo_module\""};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (memmem(at, (size_t)(end - at), keys[i], strlen(keys[i]))) return true;
    return false;
}

bool hlo_starts_like_message(const char *start, size_t count) {
    const char *end = start + count, *at = hlo_after_blanks_at(start, end);
    if (at < end && *at == '{') return is_json_message(at, end);
    return is_wire_message(start, end);
}
