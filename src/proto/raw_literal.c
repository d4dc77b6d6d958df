/* Literals as XLA serialises them outside of messages (Literal::Serialize): the size of a
 * ShapeProto in eight bytes and that message, then the elements of each array, depth first, in the
 * order of its layout. Elements of less than a byte are packed, the first one lowest; before those
 * of a dynamic array come its sizes. */
#include "proto/raw_literal.h"

#include "proto/from_values.h"
#include "proto/layout_order.h"

/* What is left of the bytes. */
typedef struct {
    hlo_reader *r;
    const hlo_node *place;
    const char *at, *end;
} raw_bytes;

static bool bad(const raw_bytes *b, const char *message) {
    const char *text = b->r->source->text;
    return hlo_read_bad(b->r, b->place, (uint32_t)(b->at - text), (uint32_t)(b->end - text),
                        HLO_RULE_MESSAGE, "%s", message);
}

/* So many bytes, or NULL after an error. */
static const char *take(raw_bytes *b, uint64_t n) {
    const char *from = b->at;
    if (n > (uint64_t)(b->end - b->at)) {
        bad(b, "the literal has more bytes than its size");
        return NULL;
    }
    b->at += n;
    return from;
}

static const hlo_shape *read_shape(raw_bytes *b) {
    const uint8_t *size = (const uint8_t *)take(b, 8);
    uint64_t n = 0;
    if (!size) return NULL;
    for (int i = 7; i >= 0; i--) n = n << 8 | size[i];
    const char *from = take(b, n), *text = b->r->source->text;
    if (!from) return NULL;
    hlo_node *shape = hlo_node_root(b->r, HLO_MESSAGE_ShapeProto, (uint32_t)(from - text),
                                    (uint32_t)(from - text + n));
    return hlo_read_wire(b->r, shape, HLO_MESSAGE_ShapeProto) ? hlo_from_shape(b->r, shape) : NULL;
}

/* Bits of an element here; 0: the type has no such form. */
static unsigned packed_bits(hlo_type type) {
    unsigned bits = type == HLO_PRED ? 1 : hlo_types[type].bits;
    return bits < 8 && 8 % bits ? 0 : bits;
}

static void unpack(const char *from, char *to, int64_t n, unsigned bits) {
    unsigned in_byte = 8 / bits, mask = (1u << bits) - 1;
    for (int64_t i = 0; i < n; i++)
        to[i] = (char)((uint8_t)from[i / in_byte] >> (unsigned)(i % in_byte) * bits & mask);
}

static void put_in_order(const hlo_shape *shape, const char *from, char *to, int64_t n) {
    size_t size = hlo_types[shape->type].bytes;
    if (shape->plain_layout) memcpy(to, from, (size_t)n * size);
    else hlo_from_layout_order(shape, from, to, size, n);
}

/* The sizes of a dynamic array have no place in a module. */
static bool skip_sizes(raw_bytes *b, const hlo_shape *shape) {
    if (!shape->dynamic) return true;
    uint32_t at = (uint32_t)(b->at - b->r->source->text);
    hlo_reader_skips(b->r, HLO_F(LiteralProto, dynamic_sizes), at);
    return take(b, 4 * (uint64_t)shape->rank) != NULL;
}

static hlo_literal *read_array(raw_bytes *b, const hlo_shape *shape) {
    hlo_type type = (hlo_type)shape->type;
    unsigned bits = packed_bits(type);
    int64_t n = hlo_shape_elements(shape), bytes = hlo_shape_bytes(shape);
    if (!bits || n < 0 || bytes < 0) {
        bad(b, "elements of this shape have no serialised form");
        return NULL;
    }
    uint64_t wanted = bits < 8 ? ((uint64_t)n + 8 / bits - 1) / (8 / bits) : (uint64_t)bytes;
    const char *from = skip_sizes(b, shape) ? take(b, wanted) : NULL;
    if (!from) return NULL;
    hlo_literal *literal = hlo_literal_new_raw(&b->r->module->arena, shape);
    if (!n) return literal;
    char *unpacked = bits < 8 ? hlo_malloc((size_t)n) : NULL;
    if (unpacked) unpack(from, unpacked, n, bits);
    put_in_order(shape, unpacked ? unpacked : from, literal->data, n);
    hlo_free(unpacked);
    hlo_elements_normalise(type, literal->data, n);
    return literal;
}

/* Shapes nest less deep than messages. */
static hlo_literal *read_values(raw_bytes *b, const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) return read_array(b, shape);
    if (!hlo_shape_is_tuple(shape)) {
        bad(b, "elements of this shape have no serialised form");
        return NULL;
    }
    hlo_literal *literal = HLO_NEW(&b->r->module->arena, hlo_literal);
    hlo_literal **elements = HLO_NEW_ARRAY(&b->r->module->arena, hlo_literal *, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!(elements[i] = read_values(b, shape->elements[i]))) return NULL;
    literal->shape = shape;
    literal->elements = elements;
    return literal;
}

const hlo_literal *hlo_raw_literal(hlo_reader *r, const hlo_node *place, uint32_t at,
                                   uint32_t end) {
    raw_bytes b = {r, place, r->source->text + at, r->source->text + end};
    const hlo_shape *shape = read_shape(&b);
    hlo_literal *literal = shape ? read_values(&b, shape) : NULL;
    if (!literal) return NULL;
    literal->is_read = true;
    if (b.at == b.end) return literal;
    bad(&b, "the literal has fewer bytes than its size");
    return NULL;
}
