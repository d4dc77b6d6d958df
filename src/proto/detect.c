/* Text, JSON, text protobuf or binary? And which of XLA's messages? Called by from_module.c and
 * src/api. */
#include "proto/detect.h"

#include "base/text.h"
#include "proto/probe.h"
#include "proto/text_tokens.h"

enum { PROBED_BYTES = 4096 };

/* ---- the wire format ---- */

enum {
    ONLY_HLO_PROTO = 1 << 1 | 1 << 3,
    ONLY_HLO_SNAPSHOT = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4,
    ONLY_UNOPTIMIZED = 1 << 1 | 1 << 2 | 1 << 3
};

static bool is_module(const char *at, const char *end) {
    hlo_probe p = hlo_probe_of(at, end);
    return p.well_formed && (p.messages & (1 << 2 | 1 << 3)) && p.first;
}

static bool is_around_module(hlo_probe p) {
    return p.well_formed && p.first && !(p.fields & ~ONLY_HLO_PROTO) &&
           is_module(p.first, p.first_end);
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

/* A module with a name that could be one. */
static bool is_named_module(const char *at, const char *end) {
    if (!is_module(at, end)) return false;
    hlo_probe p = hlo_probe_of(at, end);
    return p.first < p.first_end && !has_control_bytes(p.first, (size_t)(p.first_end - p.first));
}

/* With messages as field 2, or a number as field 3. */
static bool is_unoptimized(hlo_probe p) {
    bool has_inputs = p.messages & 1 << 2, has_version = (p.fields & ~p.messages) & 1 << 3;
    return p.well_formed && p.first && !(p.fields & ~ONLY_UNOPTIMIZED) && !(p.messages & 1 << 3) &&
           (has_inputs || has_version) && is_named_module(p.first, p.first_end);
}

/* A length, and an HloUnoptimizedSnapshot that is so long. */
static bool is_delimited(const char *text, size_t count, hlo_message_place *place) {
    const char *at = text, *end = text + count;
    uint64_t length;
    if (!hlo_probe_varint(&at, end, &length) || !length || length > (uint64_t)(end - at))
        return false;
    *place = (hlo_message_place){HLO_MESSAGE_HloUnoptimizedSnapshot, (uint32_t)(at - text),
                                 (uint32_t)(at - text + length)};
    hlo_probe p = hlo_probe_of(at, at + length);
    return is_unoptimized(p) || is_around_module(p);
}

static hlo_message_place wire_message(const hlo_source *source) {
    hlo_message_place whole = {HLO_MESSAGE_HloModuleProto, 0, (uint32_t)source->len}, part;
    hlo_probe p = hlo_probe_of(source->text, source->text + source->len);
    if (is_unoptimized(p)) whole.id = HLO_MESSAGE_HloUnoptimizedSnapshot;
    else if (is_around_module(p)) whole.id = HLO_MESSAGE_HloProto;
    else if (p.well_formed && p.first && !(p.fields & ~ONLY_HLO_SNAPSHOT) &&
             is_around_module(hlo_probe_of(p.first, p.first_end)))
        whole.id = HLO_MESSAGE_HloSnapshot;
    else if (is_delimited(source->text, source->len, &part)) return part;
    return whole;
}

/* ---- JSON and text ---- */

/* The name of a field, in JSON in quotes, which moves *at past it. */
static bool take_key(const char **at, const char *end, bool is_json, hlo_str *key) {
    const char *from = *at + is_json, *to = from;
    if (*at >= end || (is_json && **at != '"')) return false;
    while (to < end && (hlo_is_letter(*to) || hlo_is_digit(*to) || *to == '_')) to++;
    *key = (hlo_str){from, (uint32_t)(to - from), 0};
    *at = to + is_json;
    return to > from && (!is_json || (to < end && *to == '"'));
}

/* No module has the fields of the messages around it. */
static hlo_message_id message_with(hlo_str key) {
    static const hlo_message_id outer[] = {HLO_MESSAGE_HloProto, HLO_MESSAGE_HloSnapshot,
                                           HLO_MESSAGE_HloUnoptimizedSnapshot};
    for (size_t i = 0; i < sizeof outer / sizeof *outer; i++) {
        uint32_t hint = 0;
        if (hlo_field_by_name(outer[i], key, &hint)) return outer[i];
    }
    return HLO_MESSAGE_HloModuleProto;
}

/* The key after the message whose key ends at `at`. */
static bool take_next_key(const char *at, const char *end, bool is_json, hlo_str *key) {
    const char *wrong;
    at = hlo_pbtxt_after_blanks(at, end);
    if (at < end && *at == ':') at = hlo_pbtxt_after_blanks(at + 1, end);
    if (at >= end || !hlo_pbtxt_opens(*at)) return false;
    at = hlo_pbtxt_brackets_end(at, end, &wrong);
    if (!at) return false;
    at = hlo_pbtxt_after_blanks(at, end);
    if (at < end && (*at == ',' || *at == ';')) at = hlo_pbtxt_after_blanks(at + 1, end);
    return take_key(&at, end, is_json, key);
}

/* The first key identifies the message; what begins with a module has a second one. */
static hlo_message_id message_of_text(const hlo_source *source, bool is_json) {
    const char *end = source->text + source->len;
    const char *at = hlo_pbtxt_after_blanks(source->text, end);
    hlo_str key;
    if (is_json && at < end && *at == '{') at = hlo_pbtxt_after_blanks(at + 1, end);
    if (!take_key(&at, end, is_json, &key)) return HLO_MESSAGE_HloModuleProto;
    hlo_message_id id = message_with(key);
    if (id != HLO_MESSAGE_HloProto || !take_next_key(at, end, is_json, &key)) return id;
    return message_with(key) == HLO_MESSAGE_HloUnoptimizedSnapshot
               ? HLO_MESSAGE_HloUnoptimizedSnapshot
               : id;
}

hlo_message_place hlo_message_in(const hlo_source *source, hlo_proto_form form) {
    if (form == HLO_PROTO_WIRE) return wire_message(source);
    return (hlo_message_place){message_of_text(source, form != HLO_PROTO_PBTXT), 0,
                               (uint32_t)source->len};
}

/* ---- forms ---- */

/* A field of a module, or of a message around one. Other messages begin with a version. */
static const hlo_proto_field *known_field(hlo_str name) {
    uint32_t hint = 0;
    const hlo_proto_field *field = hlo_field_by_name(message_with(name), name, &hint);
    return field == HLO_F(HloUnoptimizedSnapshot, version) ? NULL : field;
}

/* After the brace of a message comes a field, where a computation has an instruction. */
static bool is_open_message(const char *at, const char *end) {
    hlo_str inner;
    at = hlo_pbtxt_after_blanks(at + 1, end);
    if (at < end && (*at == '}' || *at == '>' || *at == '[')) return true;
    if (!take_key(&at, end, false, &inner)) return false;
    at = hlo_pbtxt_after_blanks(at, end);
    return at < end && (*at == ':' || *at == '{' || *at == '<');
}

static bool is_pbtxt(const char *at, const char *end) {
    hlo_str name;
    at = hlo_pbtxt_after_blanks(at, end);
    if (!take_key(&at, end, false, &name)) return false;
    const hlo_proto_field *field = known_field(name);
    at = hlo_pbtxt_after_blanks(at, end);
    if (!field || at >= end) return false;
    bool has_colon = *at == ':', is_message = field->kind == HLO_PROTO_MESSAGE;
    if (has_colon) at = hlo_pbtxt_after_blanks(at + 1, end);
    if (at >= end) return has_colon;
    if (*at == '[') return has_colon && hlo_field_is_many(field);
    if (is_message) return (*at == '{' || *at == '<') && is_open_message(at, end);
    if (field->kind == HLO_PROTO_STRING) return has_colon && hlo_pbtxt_quotes(*at);
    return has_colon;
}

/* A text may begin with a brace too, but no string or closing brace follows it there. */
hlo_input_form hlo_input_form_of(const hlo_source *source) {
    const char *end = source->text + source->len, *at = hlo_after_blanks_at(source->text, end);
    hlo_message_place place;
    if (at < end && *at == '{') {
        at = hlo_after_blanks_at(at + 1, end);
        if (*at == '"' || *at == '}') return HLO_INPUT_JSON;
    }
    if (is_pbtxt(source->text, end)) return HLO_INPUT_PBTXT;
    if (!has_control_bytes(source->text, source->len)) return HLO_INPUT_TEXT;
    bool is_wire = hlo_probe_of(source->text, end).well_formed ||
                   is_delimited(source->text, source->len, &place);
    return is_wire ? HLO_INPUT_WIRE : HLO_INPUT_TEXT;
}

/* ---- files whose name does not decide ---- */

/* At the start, or as the first field of one message or two around it. */
static bool is_wire_message(const char *at, const char *end) {
    for (int around = 0; around < 3; around++) {
        if (is_named_module(at, end)) return true;
        hlo_probe p = hlo_probe_of(at, end);
        if (!p.well_formed || !p.first || (p.fields & ~ONLY_HLO_SNAPSHOT)) return false;
        at = p.first;
        end = p.first_end;
    }
    return false;
}

/* The same after the length of an HloUnoptimizedSnapshot, whose first field is the module. */
static bool is_delimited_start(const char *at, const char *end) {
    uint64_t length;
    if (!hlo_probe_varint(&at, end, &length)) return false;
    if (length < (uint64_t)(end - at)) end = at + length;
    hlo_probe p = hlo_probe_of(at, end);
    return p.well_formed && p.first && !(p.fields & ~ONLY_UNOPTIMIZED) &&
           is_named_module(p.first, p.first_end);
}

static bool has_one_of(const char *at, const char *end, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memmem(at, (size_t)(end - at), words[i], strlen(words[i]))) return true;
    return false;
}

bool hlo_starts_like_message(const char *start, size_t count) {
    static const char *const keys[] = {"\"computations\"", "\"entryComputationName\"",
                                       "\"entry_computation_name\"", "\"hloModule\"",
                                       "\"hlo_module\""};
    static const char *const names[] = {"computations", "entry_computation_name", "hlo_module"};
    const char *end = start + count, *at = hlo_after_blanks_at(start, end);
    if (at < end && *at == '{') return has_one_of(at, end, keys, sizeof keys / sizeof *keys);
    if (is_pbtxt(at, end)) return has_one_of(at, end, names, sizeof names / sizeof *names);
    return is_wire_message(start, end) || is_delimited_start(start, end);
}
