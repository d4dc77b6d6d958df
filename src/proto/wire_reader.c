/* Protobuf's wire format into nodes. Called by from_module.c. */
#include <stdio.h>

#include "proto/reader.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

typedef struct {
    hlo_reader *r;
    const char *begin, *at, *end;
    hlo_node *message;
} wire;

static uint32_t offset(const wire *w, const char *at) {
    return (uint32_t)(at - w->begin);
}

static bool truncated(const wire *w, const char *at) {
    return hlo_read_bad(w->r, w->message, offset(w, at), offset(w, at) + 1, HLO_RULE_MESSAGE,
                        "the message ends in the middle of a value");
}

static bool long_varint(wire *w, uint64_t *out) {
    const char *from = w->at;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (w->at == w->end) return truncated(w, from);
        uint8_t byte = (uint8_t)*w->at++;
        value |= (uint64_t)(byte & 0x7f) << (shift < 64 ? shift : 63);
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return hlo_read_bad(w->r, w->message, offset(w, from), offset(w, w->at), HLO_RULE_MESSAGE,
                        "a number of more than ten bytes");
}

/* Most numbers are small. */
static inline bool varint(wire *w, uint64_t *out) {
    size_t left = (size_t)(w->end - w->at);
    if (left && (uint8_t)w->at[0] < 0x80) {
        *out = (uint8_t)*w->at++;
        return true;
    }
    if (left < 2 || (uint8_t)w->at[1] >= 0x80) return long_varint(w, out);
    *out = ((uint8_t)w->at[0] & 0x7fu) | (uint64_t)(uint8_t)w->at[1] << 7;
    w->at += 2;
    return true;
}

/* The bytes of a length-delimited value. */
static bool bytes(wire *w, const char **from, const char **to) {
    uint64_t length = 0;
    const char *start = w->at;
    if (!varint(w, &length)) return false;
    if (length > (uint64_t)(w->end - w->at)) return truncated(w, start);
    *from = w->at;
    *to = w->at += length;
    return true;
}

static bool fixed(wire *w, void *out, size_t size) {
    if ((size_t)(w->end - w->at) < size) return truncated(w, w->at);
    memcpy(out, w->at, size);
    w->at += size;
    return true;
}

static bool skip(wire *w, unsigned type) {
    const char *from = w->at, *to = w->at;
    uint64_t value = 0;
    switch (type) {
    case WIRE_VARINT: return varint(w, &value);
    case WIRE_FIXED64: return fixed(w, &value, 8);
    case WIRE_FIXED32: return fixed(w, &value, 4);
    case WIRE_BYTES: return bytes(w, &from, &to);
    default:
        return hlo_read_bad(w->r, w->message, offset(w, w->at), offset(w, w->at) + 1,
                            HLO_RULE_MESSAGE, "wire type %u does not exist in these messages",
                            type);
    }
}

static unsigned wire_type(hlo_proto_kind kind) {
    if (kind == HLO_PROTO_FLOAT) return WIRE_FIXED32;
    if (kind == HLO_PROTO_DOUBLE) return WIRE_FIXED64;
    return kind < HLO_PROTO_FLOAT ? WIRE_VARINT : WIRE_BYTES;
}

/* ---- numbers ---- */

static int64_t integer_of(hlo_proto_kind kind, uint64_t value) {
    switch (kind) {
    case HLO_PROTO_INT32:
    case HLO_PROTO_ENUM: return (int32_t)value;
    case HLO_PROTO_UINT32: return (uint32_t)value;
    case HLO_PROTO_BOOL: return value != 0;
    case HLO_PROTO_INT64:
    case HLO_PROTO_UINT64:
    case HLO_PROTO_FLOAT:
    case HLO_PROTO_DOUBLE:
    case HLO_PROTO_STRING:
    case HLO_PROTO_BYTES:
    case HLO_PROTO_MESSAGE: break;
    }
    return (int64_t)value;
}

static void put_integer(void *to, hlo_proto_kind kind, uint64_t value) {
    uint32_t four = (uint32_t)value;
    uint8_t one = value != 0;
    switch (hlo_kind_size(kind)) {
    case 1: memcpy(to, &one, 1); break;
    case 4: memcpy(to, &four, 4); break;
    default: memcpy(to, &value, 8); break;
    }
}

static size_t count_varints(const char *from, const char *to) {
    size_t n = 0;
    for (; from < to; from++) n += (uint8_t)*from < 0x80;
    return n;
}

static bool packed_varints(wire *w, hlo_node *node, const char *from, const char *to) {
    hlo_proto_kind kind = (hlo_proto_kind)node->field->kind;
    size_t n = count_varints(from, to), size = hlo_kind_size(kind);
    char *out = n ? hlo_node_more_numbers(w->r, node, n) : NULL;
    wire inner = *w;
    inner.at = from;
    inner.end = to;
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;
        if (!varint(&inner, &value)) return false;
        put_integer(out + i * size, kind, value);
    }
    return inner.at == to || truncated(&inner, inner.at);
}

static bool packed(wire *w, hlo_node *node) {
    const char *from = w->at, *to = w->at;
    if (!bytes(w, &from, &to)) return false;
    hlo_proto_kind kind = (hlo_proto_kind)node->field->kind;
    node->end = offset(w, to);
    if (wire_type(kind) == WIRE_VARINT) return packed_varints(w, node, from, to);
    size_t size = hlo_kind_size(kind), n = (size_t)(to - from) / size;
    if (n * size != (size_t)(to - from)) return truncated(w, to);
    if (!node->u.numbers.n) {
        node->u.numbers.v = from;
        node->u.numbers.n = n;
    } else if (n) {
        memcpy(hlo_node_more_numbers(w->r, node, n), from, n * size);
    }
    return true;
}

static bool one_more_number(wire *w, hlo_node *node) {
    hlo_proto_kind kind = (hlo_proto_kind)node->field->kind;
    uint64_t value = 0;
    if (wire_type(kind) == WIRE_VARINT) {
        if (!varint(w, &value)) return false;
        put_integer(hlo_node_more_numbers(w->r, node, 1), kind, value);
        return true;
    }
    size_t size = hlo_kind_size(kind);
    if (!fixed(w, &value, size)) return false;
    memcpy(hlo_node_more_numbers(w->r, node, 1), &value, size);
    return true;
}

static bool one_number(wire *w, hlo_node *node) {
    hlo_proto_kind kind = (hlo_proto_kind)node->field->kind;
    float single = 0;
    uint64_t value = 0;
    if (kind == HLO_PROTO_DOUBLE) return fixed(w, &node->u.f, 8);
    if (kind == HLO_PROTO_FLOAT) {
        if (!fixed(w, &single, 4)) return false;
        node->u.f = (double)single;
        return true;
    }
    if (!varint(w, &value)) return false;
    node->u.i = integer_of(kind, value);
    return true;
}

/* ---- messages ---- */

static bool fields(wire *w);

static bool message(wire *w, hlo_node *node, const char *from, const char *to) {
    hlo_reader *r = w->r;
    wire inner = {r, w->begin, from, to, node};
    if (r->depth >= HLO_MOST_NESTED_MESSAGES)
        return hlo_node_bad(r, node, HLO_RULE_NESTING, "messages nest more than %d deep",
                            HLO_MOST_NESTED_MESSAGES);
    r->depth++;
    bool good = hlo_reader_enter(r, node) && fields(&inner) && hlo_reader_leave(r, node);
    r->depth--;
    return good;
}

/* A message that is given again goes on where its first piece ended. */
static bool next_piece(wire *w, hlo_node *node, const char *from, const char *to) {
    bool was_known = node->is_known;
    hlo_node_open(w->r, node);
    node->is_merged = true;
    if (was_known && !message(w, node, w->begin + node->at, w->begin + node->end)) return false;
    return message(w, node, from, to);
}

static bool message_value(wire *w, const hlo_proto_field *field) {
    const char *from = w->at, *to = w->at;
    if (!bytes(w, &from, &to)) return false;
    uint32_t at = offset(w, from), end = offset(w, to);
    bool is_shape = field->type == HLO_MESSAGE_ShapeProto;
    bool again = !hlo_field_is_many(field) && hlo_node_has(w->message, field);
    const hlo_shape *shape = is_shape && !again ? hlo_shape_seen(w->r, at, end) : NULL;
    hlo_node *node = shape || from == to ? hlo_node_add_empty(w->r, w->message, field, at)
                                         : hlo_node_add(w->r, w->message, field, at);
    if (again) return next_piece(w, node, from, to);
    node->end = end;
    if (hlo_reader_skips(w->r, field, at)) return true;
    if (!shape) return message(w, node, from, to);
    node->is_known = true;
    node->u.shape = shape;
    return true;
}

static bool value(wire *w, const hlo_proto_field *field, unsigned type, const char *from) {
    bool numeric = hlo_field_is_numeric(field), many = numeric && field->label == HLO_PROTO_MANY;
    unsigned wanted = wire_type((hlo_proto_kind)field->kind);
    if (type != wanted && !(many && type == WIRE_BYTES))
        return hlo_read_bad(w->r, w->message, offset(w, from), offset(w, w->at), HLO_RULE_MESSAGE,
                            "field %s has wire type %u instead of %u", field->name, type, wanted);
    if (field->kind == HLO_PROTO_MESSAGE) return message_value(w, field);
    hlo_node *node = hlo_node_add(w->r, w->message, field, offset(w, from));
    const char *start = w->at, *end = w->at;
    bool good;
    if (many) good = type == WIRE_BYTES ? packed(w, node) : one_more_number(w, node);
    else if (numeric) good = one_number(w, node);
    else if ((good = bytes(w, &start, &end)))
        node->u.text = (hlo_str){start, (uint32_t)(end - start), 0};
    node->end = offset(w, w->at);
    return good;
}

static bool fields(wire *w) {
    hlo_message_id id = w->message->field ? (hlo_message_id)w->message->field->type
                                          : (hlo_message_id)w->message->index;
    while (w->at < w->end) {
        const char *from = w->at;
        uint64_t tag = 0;
        if (!varint(w, &tag)) return false;
        const hlo_proto_field *field = hlo_field_by_number(id, tag >> 3);
        if (field &&
            !(field->kind != HLO_PROTO_MESSAGE && hlo_reader_skips(w->r, field, offset(w, from)))) {
            if (!value(w, field, (unsigned)tag & 7, from)) return false;
            continue;
        }
        if (!skip(w, (unsigned)tag & 7)) return false;
        if (field) continue;
        char number[24];
        int n = snprintf(number, sizeof number, "%llu", (unsigned long long)(tag >> 3));
        hlo_reader_unknown(w->r, id, (hlo_str){number, (uint32_t)n, 1}, offset(w, from),
                           offset(w, w->at));
    }
    return true;
}

bool hlo_read_wire(hlo_reader *r, hlo_node *root, hlo_message_id id) {
    wire w = {r, r->source->text, r->source->text + root->at, r->source->text + root->end, root};
    root->index = id; /* the outermost message has no field that says what it is */
    return fields(&w);
}
