/* Messages in protobuf's wire format. The outermost field that is open is collected in memory,
 * because its length precedes it; the length is filled in when the message ends. */
#include "proto/writer.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5, VARINT_SIZE = 10 };

static size_t put_varint(char *to, uint64_t value) {
    size_t n = 0;
    while (value >= 0x80) {
        to[n++] = (char)(value | 0x80);
        value >>= 7;
    }
    to[n++] = (char)value;
    return n;
}

static void long_varint(hlo_buf *to, uint64_t value) {
    to->len += put_varint(to->data + to->len, value);
}

static inline void varint(hlo_buf *to, uint64_t value) {
    hlo_buf_reserve(to, VARINT_SIZE);
    if (value < 0x80) to->data[to->len++] = (char)value;
    else long_varint(to, value);
}

/* Two bytes are enough for HLO_MOST_FIELD_NUMBER. */
static inline void tag(hlo_buf *to, const hlo_proto_field *field, unsigned type) {
    unsigned value = (unsigned)field->number << 3 | type;
    hlo_buf_reserve(to, 2);
    char *at = to->data + to->len;
    bool is_long = value >= 0x80;
    at[0] = (char)(is_long ? value | 0x80 : value);
    at[1] = (char)(value >> 7);
    to->len += 1 + is_long;
}

/* A finished outermost field goes out. */
static void drain(hlo_writer *w) {
    if (w->levels.n) return;
    hlo_buf_bytes(w->to, w->body.data, w->body.len);
    w->body.len = 0;
}

static void begin(hlo_writer *w, const hlo_proto_field *field) {
    tag(&w->body, field, WIRE_BYTES);
    hlo_buf_char(&w->body, 0); /* space for a length of one byte */
    hlo_writer_push(w)->at = w->body.len;
}

/* Most messages are shorter than 128 bytes; longer ones move to make space for their length. */
static inline void close_message(hlo_writer *w) {
    hlo_writer_level *level = &w->levels.v[--w->levels.n];
    if (w->body.len - level->at < 0x80) {
        w->body.data[level->at - 1] = (char)(w->body.len - level->at);
        return;
    }
    char length[VARINT_SIZE];
    size_t size = w->body.len - level->at, n = put_varint(length, size);
    if (n > 1) {
        hlo_buf_reserve(&w->body, n - 1);
        memmove(w->body.data + level->at + n - 1, w->body.data + level->at, size);
        w->body.len += n - 1;
    }
    memcpy(w->body.data + level->at - 1, length, n);
}

static void end(hlo_writer *w) {
    bool is_entry = w->levels.v[w->levels.n - 1].is_entry;
    close_message(w);
    if (is_entry) close_message(w);
    drain(w);
}

static void number(hlo_writer *w, const hlo_proto_field *field, int64_t value) {
    tag(&w->body, field, WIRE_VARINT);
    varint(&w->body, (uint64_t)value);
    drain(w);
}

static void begin_entry(hlo_writer *w, const hlo_proto_field *field, int64_t key) {
    begin(w, field);
    const hlo_proto_field *fields = &hlo_fields[hlo_message_fields[field->type]];
    if (key) number(w, &fields[0], key);
    begin(w, &fields[1]);
    w->levels.v[w->levels.n - 1].is_entry = true;
}

static void real(hlo_writer *w, const hlo_proto_field *field, double value) {
    float single = (float)value;
    bool is_single = field->kind == HLO_PROTO_FLOAT;
    tag(&w->body, field, is_single ? WIRE_FIXED32 : WIRE_FIXED64);
    if (is_single) hlo_buf_bytes(&w->body, &single, sizeof single);
    else hlo_buf_bytes(&w->body, &value, sizeof value);
    drain(w);
}

static void text(hlo_writer *w, const hlo_proto_field *field, hlo_str value) {
    tag(&w->body, field, WIRE_BYTES);
    varint(&w->body, value.len);
    hlo_buf_bytes(&w->body, value.ptr, value.len);
    drain(w);
}

static void entry(hlo_writer *w, const hlo_proto_field *field, hlo_str key, hlo_str value) {
    const hlo_proto_field *fields = &hlo_fields[hlo_message_fields[field->type]];
    begin(w, field);
    text(w, &fields[0], key);
    text(w, &fields[1], value);
    end(w);
}

static uint64_t element(hlo_proto_kind kind, const void *v, size_t i) {
    switch (kind) {
    case HLO_PROTO_INT64:
    case HLO_PROTO_UINT64: return ((const uint64_t *)v)[i];
    case HLO_PROTO_UINT32: return ((const uint32_t *)v)[i];
    case HLO_PROTO_INT32:
    case HLO_PROTO_ENUM: return (uint64_t)(int64_t)((const int32_t *)v)[i];
    case HLO_PROTO_BOOL: return ((const uint8_t *)v)[i] != 0;
    case HLO_PROTO_FLOAT:
    case HLO_PROTO_DOUBLE:
    case HLO_PROTO_STRING:
    case HLO_PROTO_BYTES:
    case HLO_PROTO_MESSAGE: break;
    }
    return 0;
}

static void numbers(hlo_writer *w, const hlo_proto_field *field, const void *v, size_t n) {
    begin(w, field);
    if (field->kind == HLO_PROTO_FLOAT || field->kind == HLO_PROTO_DOUBLE)
        hlo_buf_bytes(&w->body, v, n * hlo_kind_size((hlo_proto_kind)field->kind));
    else
        for (size_t i = 0; i < n; i++) varint(&w->body, element((hlo_proto_kind)field->kind, v, i));
    end(w);
}

void hlo_wire_writer(hlo_writer *w, hlo_buf *to) {
    static const hlo_writer_ops ops = {begin, end, begin_entry, number, real, text, entry, numbers};
    *w = (hlo_writer){.ops = &ops, .to = to, .body = HLO_BUF_INIT};
}
