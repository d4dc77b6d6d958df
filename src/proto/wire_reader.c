/* Protobuf's wire format into nodes. Functions take where they are in the source, and return where
 * they are then, or NULL after reporting an error. Messages that are open are in a list and not on
 * the stack: a source chooses how deep they nest. */
#include <stdio.h>

#include "base/list.h"
#include "proto/reader.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* What is left of a message, or of one of several pieces of it. */
typedef struct {
    hlo_node *message;
    const char *at, *end;
} piece;

typedef HLO_LIST(piece) pieces; /* outermost first */

/* An open message. */
typedef struct {
    hlo_reader *r;
    hlo_node *message;
    const char *text, *end; /* of the source, of the message */
    pieces *open;
} wire;

static inline uint32_t offset(const wire *w, const char *at) {
    return (uint32_t)(at - w->text);
}

static const char *truncated(const wire *w, const char *at) {
    hlo_read_bad(w->r, w->message, offset(w, at), offset(w, at) + 1, HLO_RULE_MESSAGE,
                 "unexpected end of input inside a value");
    return NULL;
}

/* ---- what a field's value is made of ---- */

/* Puts the low seven bits of eight bytes together. */
static inline uint64_t join_sevens(uint64_t x) {
    x = (x & UINT64_C(0x007f007f007f007f)) | (x & UINT64_C(0x7f007f007f007f00)) >> 1;
    x = (x & UINT64_C(0x00003fff00003fff)) | (x & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (x & UINT64_C(0x0fffffff)) | (x & UINT64_C(0x0fffffff00000000)) >> 4;
}

static const char *longest_varint(const wire *w, const char *from, uint64_t *out) {
    const char *at = from;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (at == w->end) return truncated(w, from);
        uint8_t byte = (uint8_t)*at++;
        value |= (uint64_t)(byte & 0x7f) << (shift < 64 ? shift : 63);
        if (byte < 0x80) {
            *out = value;
            return at;
        }
    }
    hlo_read_bad(w->r, w->message, offset(w, from), offset(w, at), HLO_RULE_MESSAGE,
                 "varint of more than ten bytes");
    return NULL;
}

static const char *long_varint(const wire *w, const char *at, uint64_t *out) {
    if (w->text + w->r->source->len - at < 8) return longest_varint(w, at, out);
    uint64_t eight;
    memcpy(&eight, at, 8);
    uint64_t ends = ~eight & UINT64_C(0x8080808080808080); /* the last byte's top bit is clear */
    const char *after = ends ? at + __builtin_ctzll(ends) / 8 + 1 : NULL;
    if (!after || after > w->end) return longest_varint(w, at, out);
    *out = join_sevens(eight & (ends ^ (ends - 1)));
    return after;
}

/* Most numbers are small. */
static inline const char *varint(const wire *w, const char *at, uint64_t *out) {
    size_t left = (size_t)(w->end - at);
    if (left && (uint8_t)at[0] < 0x80) {
        *out = (uint8_t)at[0];
        return at + 1;
    }
    if (left < 2 || (uint8_t)at[1] >= 0x80) return long_varint(w, at, out);
    *out = ((uint8_t)at[0] & 0x7fu) | (uint64_t)(uint8_t)at[1] << 7;
    return at + 2;
}

/* The bytes of a length-delimited value go from *from to what is returned. */
static inline const char *bytes(const wire *w, const char *at, const char **from) {
    uint64_t length = 0;
    const char *start = varint(w, at, &length);
    if (!start) return NULL;
    *from = start;
    return length > (uint64_t)(w->end - start) ? truncated(w, at) : start + length;
}

static const char *fixed(const wire *w, const char *at, void *out, size_t size) {
    if ((size_t)(w->end - at) < size) return truncated(w, at);
    memcpy(out, at, size);
    return at + size;
}

static const char *skip(const wire *w, const char *at, unsigned type) {
    const char *from;
    uint64_t value;
    switch (type) {
    case WIRE_VARINT: return varint(w, at, &value);
    case WIRE_FIXED64: return fixed(w, at, &value, 8);
    case WIRE_FIXED32: return fixed(w, at, &value, 4);
    case WIRE_BYTES: return bytes(w, at, &from);
    default:
        hlo_read_bad(w->r, w->message, offset(w, at), offset(w, at) + 1, HLO_RULE_MESSAGE,
                     "unsupported wire type %u", type);
        return NULL;
    }
}

static inline unsigned wire_type(hlo_proto_kind kind) {
    if (kind < HLO_PROTO_FLOAT) return WIRE_VARINT;
    if (kind == HLO_PROTO_FLOAT) return WIRE_FIXED32;
    return kind == HLO_PROTO_DOUBLE ? WIRE_FIXED64 : WIRE_BYTES;
}

/* ---- numbers ---- */

static inline int64_t integer_of(hlo_proto_kind kind, uint64_t value) {
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

static inline void put_integer(void *to, size_t size, uint64_t value) {
    uint32_t four = (uint32_t)value;
    uint8_t one = value != 0;
    switch (size) {
    case 1: memcpy(to, &one, 1); break;
    case 4: memcpy(to, &four, 4); break;
    default: memcpy(to, &value, 8); break;
    }
}

static size_t count_varints(const char *from, const char *to) {
    size_t n = 0;
    for (; to - from >= 8; from += 8) {
        uint64_t eight;
        memcpy(&eight, from, 8);
        n += ((~eight >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0101010101010101)) >> 56;
    }
    for (; from < to; from++) n += (uint8_t)*from < 0x80;
    return n;
}

static const char *packed_varints(const wire *w, hlo_node *node, const char *at, const char *to) {
    size_t n = count_varints(at, to), size = hlo_kind_size((hlo_proto_kind)node->field->kind);
    char *out = n ? hlo_node_more_numbers(w->r, node, n) : NULL;
    wire inner = {w->r, w->message, w->text, to, NULL};
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;
        at = varint(&inner, at, &value);
        if (!at) return NULL;
        put_integer(out + i * size, size, value);
    }
    return at == to ? at : truncated(&inner, at);
}

static const char *packed(const wire *w, hlo_node *node, const char *at) {
    const char *from, *to = bytes(w, at, &from);
    if (!to) return NULL;
    hlo_proto_kind kind = (hlo_proto_kind)node->field->kind;
    if (wire_type(kind) == WIRE_VARINT) return packed_varints(w, node, from, to);
    size_t size = hlo_kind_size(kind), n = (size_t)(to - from) / size;
    if (n * size != (size_t)(to - from)) return truncated(w, to);
    if (!node->u.numbers.n) {
        node->u.numbers.v = from;
        node->u.numbers.n = n;
    } else if (n) {
        memcpy(hlo_node_more_numbers(w->r, node, n), from, n * size);
    }
    return to;
}

static const char *one_more_number(const wire *w, hlo_node *node, const char *at) {
    hlo_proto_kind kind = (hlo_proto_kind)node->field->kind;
    uint64_t value = 0;
    size_t size = hlo_kind_size(kind);
    bool is_varint = wire_type(kind) == WIRE_VARINT;
    at = is_varint ? varint(w, at, &value) : fixed(w, at, &value, size);
    if (!at) return NULL;
    void *to = hlo_node_more_numbers(w->r, node, 1);
    if (is_varint) put_integer(to, size, value);
    else memcpy(to, &value, size);
    return at;
}

static inline const char *one_number(const wire *w, hlo_node *node, const char *at) {
    hlo_proto_kind kind = (hlo_proto_kind)node->field->kind;
    float single = 0;
    uint64_t value = 0;
    if (kind == HLO_PROTO_DOUBLE) return fixed(w, at, &node->u.f, 8);
    if (kind == HLO_PROTO_FLOAT) {
        at = fixed(w, at, &single, 4);
        node->u.f = (double)single;
        return at;
    }
    at = varint(w, at, &value);
    node->u.i = integer_of(kind, value);
    return at;
}

/* ---- messages ---- */

/* It is read before the rest of those around it. */
static bool open_message(const wire *w, hlo_node *node, const char *from, const char *to) {
    hlo_reader *r = w->r;
    if (r->depth >= HLO_MOST_NESTED_MESSAGES)
        return hlo_node_bad(r, node, HLO_RULE_NESTING, "messages nest more than %d deep",
                            HLO_MOST_NESTED_MESSAGES);
    if (hlo_is_built(node) && !hlo_reader_enter(r, node)) return false;
    r->depth++;
    hlo_list_push(w->open, ((piece){node, from, to}));
    return true;
}

static bool close_message(hlo_reader *r, pieces *open) {
    hlo_node *node = open->v[--open->n].message;
    if (!open->n) return true; /* the outermost */
    HLO_ASSERT(r->depth > 0);
    r->depth--;
    return !hlo_is_built(node) || hlo_reader_leave(r, node);
}

/* A message that is given again goes on where its first piece ended. */
static bool next_piece(const wire *w, hlo_node *node, const char *from, const char *to) {
    bool was_known = node->is_known;
    hlo_node_open(w->r, node);
    node->is_merged = true;
    return open_message(w, node, from, to) &&
           (!was_known || open_message(w, node, w->text + node->at, w->text + node->end));
}

/* A message of the source's bytes [from, to). */
static bool part(const wire *w, const hlo_proto_field *field, const char *from, const char *to) {
    uint32_t at = offset(w, from), end = offset(w, to);
    bool again = !hlo_field_is_many(field) && hlo_node_has(w->message, field);
    bool may_be_known = field->type == HLO_MESSAGE_ShapeProto && !again;
    const hlo_shape *shape = may_be_known ? hlo_shape_lookup(w->r, at, end) : NULL;
    hlo_node *node = hlo_node_add(w->r, w->message, field, at);
    if (again) return next_piece(w, node, from, to);
    node->end = end;
    if (shape) {
        node->is_known = true;
        node->u.shape = shape;
    } else if (from == to) {
        node->u.members = (hlo_node_list *)hlo_no_members;
    } else {
        hlo_node_open(w->r, node);
    }
    bool is_done = shape || (from == to && !hlo_is_built(node));
    if (is_done || hlo_reader_skips(w->r, field, at)) return true;
    return open_message(w, node, from, to);
}

static inline const char *text(const wire *w, hlo_node *node, const char *at) {
    const char *start;
    at = bytes(w, at, &start);
    if (!at) return NULL;
    node->u.text = (hlo_str){start, (uint32_t)(at - start), 0};
    if (node->field == HLO_F(HloInstructionProto, name)) hlo_reader_fetch_name(w->r, node->u.text);
    return at;
}

static const char *wrong_type(const wire *w, const hlo_proto_field *field, unsigned type,
                              const char *from, const char *at) {
    hlo_read_bad(w->r, w->message, offset(w, from), offset(w, at), HLO_RULE_MESSAGE,
                 "field %s has wire type %u, expected %u", field->name, type,
                 wire_type((hlo_proto_kind)field->kind));
    return NULL;
}

/* A value whose tag starts at `from` and ends at `at`. */
static inline const char *value(const wire *w, const hlo_proto_field *field, unsigned type,
                                const char *from, const char *at) {
    bool numeric = hlo_field_is_numeric(field), many = numeric && field->label == HLO_PROTO_MANY;
    if (type != wire_type((hlo_proto_kind)field->kind) && !(many && type == WIRE_BYTES))
        return wrong_type(w, field, type, from, at);
    const char *start;
    if (field->kind == HLO_PROTO_MESSAGE) {
        at = bytes(w, at, &start);
        return at && part(w, field, start, at) ? at : NULL;
    }
    hlo_node *node = hlo_node_add(w->r, w->message, field, offset(w, from));
    if (many) at = type == WIRE_BYTES ? packed(w, node, at) : one_more_number(w, node, at);
    else if (numeric) at = one_number(w, node, at);
    else at = text(w, node, at);
    if (at) node->end = offset(w, at);
    return at;
}

static const char *unknown(const wire *w, hlo_message_id id, uint64_t tag, const char *from,
                           const char *at) {
    const char *to = skip(w, at, (unsigned)tag & 7);
    if (!to) return NULL;
    char number[24];
    int n = snprintf(number, sizeof number, "%llu", (unsigned long long)(tag >> 3));
    hlo_reader_unknown(w->r, id, (hlo_str){number, (uint32_t)n, 1}, offset(w, from), offset(w, to));
    return to;
}

/* Reads on in the innermost message, to its end or to where one begins in it. */
static bool fields(wire *w) {
    uint32_t depth = w->open->n;
    const char *at = w->open->v[depth - 1].at, *end = w->end = w->open->v[depth - 1].end;
    hlo_node *message = w->message = w->open->v[depth - 1].message;
    hlo_message_id id =
        message->field ? (hlo_message_id)message->field->type : (hlo_message_id)message->index;
    const uint16_t *by_number = hlo_fields_by_number[id];
    while (at < end && w->open->n == depth) {
        const char *from = at;
        uint64_t tag = 0;
        at = varint(w, at, &tag);
        if (!at) return false;
        const hlo_proto_field *field = hlo_field_by_number(by_number, tag >> 3);
        if (!field) at = unknown(w, id, tag, from, at);
        else if (field->kind != HLO_PROTO_MESSAGE && hlo_reader_skips(w->r, field, offset(w, from)))
            at = skip(w, at, (unsigned)tag & 7);
        else at = value(w, field, (unsigned)tag & 7, from, at);
        if (!at) return false;
    }
    w->open->v[depth - 1].at = at;
    return w->open->n != depth || close_message(w->r, w->open);
}

bool hlo_read_wire(hlo_reader *r, hlo_node *root, hlo_message_id id) {
    const char *text = r->source->text;
    pieces open = {0};
    wire w = {.r = r, .text = text, .open = &open};
    uint32_t depth = r->depth;
    root->index = id; /* the outermost message has no field that identifies it */
    hlo_list_push(&open, ((piece){root, text + root->at, text + root->end}));
    bool good = true;
    while (good && open.n) good = fields(&w);
    r->depth = depth;
    hlo_list_free(&open);
    return good;
}
