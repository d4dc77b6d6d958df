/* A message that was read, whatever its form: values by field. Instructions are read one at a time
 * and their nodes forgotten; the rest of a module stays until it is built. */
#ifndef HLO_PROTO_NODE_H
#define HLO_PROTO_NODE_H

#include "ir/ir.h"
#include "proto/schema.h"

typedef struct hlo_node hlo_node;

typedef struct {
    hlo_node *first, *last;
} hlo_node_list;

/* All values of a MANY or MAP field; one number of an array. */
enum { HLO_NODE_VALUE, HLO_NODE_LIST, HLO_NODE_ELEMENT };

struct hlo_node {
    const hlo_proto_field *field; /* NULL: the outermost message */
    const hlo_node *parent;
    hlo_node *next;     /* the next value of the same field */
    uint32_t at, end;   /* in the source */
    uint32_t index;     /* among the values of the field */
    bool is_known;      /* a shape whose bytes were met before: nothing but u.shape */
    bool is_merged;     /* came in several pieces */
    uint8_t stands_for; /* of a node that is only a place: HLO_NODE_LIST, HLO_NODE_ELEMENT */
    union {
        int64_t i;    /* integers, bools, enums */
        double f;     /* floats, doubles */
        hlo_str text; /* strings, bytes */
        struct {
            const void *v;      /* elements of hlo_kind_size bytes, at any address */
            size_t n, capacity; /* capacity 0: `v` points into the source */
        } numbers;              /* numbers of a MANY field: one node for all */
        hlo_node_list *members; /* messages: by the field's place in its message */
        const hlo_shape *shape;
    } u;
};

typedef struct hlo_reader hlo_reader;

/* ---- making nodes ---- */

/* The outermost message. */
hlo_node *hlo_node_root(hlo_reader *r, hlo_message_id message, uint32_t at, uint32_t end);
/* Makes space for the members of a message, unless it has it. */
void hlo_node_open(hlo_reader *r, hlo_node *node);
/* Space for n more numbers at the end of a node's array. */
void *hlo_node_more_numbers(hlo_reader *r, hlo_node *node, size_t n);
/* One more number at the end of a node's array, as the field's kind has it. */
void hlo_node_add_int(hlo_reader *r, hlo_node *node, int64_t value);
void hlo_node_add_real(hlo_reader *r, hlo_node *node, double value);
/* The node's last value is forgotten. */
void hlo_node_drop_last(hlo_node *message, const hlo_proto_field *field);

/* ---- asking them ---- */

extern const hlo_node_list hlo_no_members[]; /* of all empty messages */
/* A message without a byte on the wire. */
static inline bool hlo_node_is_empty(const hlo_node *message) {
    return message->u.members == hlo_no_members;
}

static inline const hlo_node_list *hlo_node_values(const hlo_node *message,
                                                   const hlo_proto_field *field) {
    HLO_ASSERT(message->u.members);
    return &message->u.members[field->place];
}
/* The first value of a field, or NULL. */
static inline const hlo_node *hlo_node_get(const hlo_node *message, const hlo_proto_field *field) {
    return hlo_node_values(message, field)->first;
}
static inline bool hlo_node_has(const hlo_node *message, const hlo_proto_field *field) {
    return hlo_node_get(message, field) != NULL;
}
static inline uint32_t hlo_node_count(const hlo_node *message, const hlo_proto_field *field) {
    const hlo_node *last = hlo_node_values(message, field)->last;
    return last ? last->index + 1 : 0;
}
static inline int64_t hlo_node_int(const hlo_node *message, const hlo_proto_field *field) {
    const hlo_node *node = hlo_node_get(message, field);
    return node ? node->u.i : 0;
}
static inline double hlo_node_real(const hlo_node *message, const hlo_proto_field *field) {
    const hlo_node *node = hlo_node_get(message, field);
    return node ? node->u.f : 0;
}
static inline hlo_str hlo_node_text(const hlo_node *message, const hlo_proto_field *field) {
    const hlo_node *node = hlo_node_get(message, field);
    return node ? node->u.text : (hlo_str){0};
}
/* How many numbers a MANY field of them has, and one of them. */
size_t hlo_node_number_count(const hlo_node *message, const hlo_proto_field *field);
int64_t hlo_node_number(const hlo_node *message, const hlo_proto_field *field, size_t i);

#endif
