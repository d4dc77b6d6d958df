/* One interface to write messages, with three implementations: the wire format (wire_writer.c),
 * JSON (json_writer.c) and text (text_writer.c). All stream: nothing but the open messages is kept.
 */
#ifndef HLO_PROTO_WRITER_H
#define HLO_PROTO_WRITER_H

#include "base/buf.h"
#include "base/list.h"
#include "proto/schema.h"

typedef struct hlo_writer hlo_writer;

/* Fields of a message must come in the order of their numbers; those of one MANY or MAP field in a
 * row. */
typedef struct {
    void (*begin)(hlo_writer *, const hlo_proto_field *);
    void (*end)(hlo_writer *);
    void (*begin_entry)(hlo_writer *, const hlo_proto_field *, int64_t key);
    void (*number)(hlo_writer *, const hlo_proto_field *, int64_t);
    void (*real)(hlo_writer *, const hlo_proto_field *, double);
    void (*text)(hlo_writer *, const hlo_proto_field *, hlo_str);
    void (*entry)(hlo_writer *, const hlo_proto_field *, hlo_str key, hlo_str value);
    void (*numbers)(hlo_writer *, const hlo_proto_field *, const void *, size_t n);
} hlo_writer_ops;

typedef struct {
    size_t at;                   /* wire: where the message's bytes begin */
    const hlo_proto_field *open; /* JSON: the MANY or MAP field whose bracket is open */
    bool any, is_entry, is_map_value;
} hlo_writer_level;

struct hlo_writer {
    const hlo_writer_ops *ops;
    hlo_buf *to;
    hlo_buf body; /* wire: the outermost message that is open */
    bool pretty;
    bool has_one_nan; /* the form does not distinguish nans */
    const char *bad;  /* what of the module the form cannot express; NULL: nothing */
    HLO_LIST(hlo_writer_level) levels; /* messages that are open, outermost first */
};

void hlo_wire_writer(hlo_writer *writer, hlo_buf *to);
void hlo_json_writer(hlo_writer *writer, hlo_buf *to, bool pretty);
void hlo_pbtxt_writer(hlo_writer *writer, hlo_buf *to);
/* Ends the module's own message and frees what the writer holds. */
void hlo_writer_finish(hlo_writer *writer);
hlo_writer_level *hlo_writer_push(hlo_writer *writer); /* the new innermost message */

/* ---- what to_*.c calls ---- */

static inline void hlo_emit_begin(hlo_writer *w, const hlo_proto_field *field) {
    w->ops->begin(w, field);
}
static inline void hlo_emit_end(hlo_writer *w) {
    w->ops->end(w);
}
/* A message of a map from numbers, ended by hlo_emit_end. */
static inline void hlo_emit_begin_entry(hlo_writer *w, const hlo_proto_field *field, int64_t key) {
    w->ops->begin_entry(w, field, key);
}
/* Integers, bools and enums. Left out when it is the default; a PRESENT field is always written. */
static inline void hlo_emit_int(hlo_writer *w, const hlo_proto_field *field, int64_t value) {
    if (value || field->label == HLO_PROTO_PRESENT) w->ops->number(w, field, value);
}
/* Floats and doubles; left out when +0. */
static inline void hlo_emit_real(hlo_writer *w, const hlo_proto_field *field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits || field->label == HLO_PROTO_PRESENT) w->ops->real(w, field, value);
}
/* Strings and bytes; left out when empty, unless the field is MANY or PRESENT. */
static inline void hlo_emit_text(hlo_writer *w, const hlo_proto_field *field, hlo_str text) {
    if (text.len || field->label != HLO_PROTO_ONE) w->ops->text(w, field, text);
}
/* An entry of a map from strings to strings. */
static inline void hlo_emit_entry(hlo_writer *w, const hlo_proto_field *field, hlo_str key,
                                  hlo_str value) {
    w->ops->entry(w, field, key, value);
}
/* All numbers of a MANY field as an array of elements of hlo_kind_size bytes; none: left out. */
static inline void hlo_emit_array(hlo_writer *w, const hlo_proto_field *field, const void *v,
                                  size_t n) {
    if (n) w->ops->numbers(w, field, v, n);
}
/* The same from 64-bit numbers, whatever the field's kind. */
void hlo_emit_ints(hlo_writer *w, const hlo_proto_field *field, const int64_t *v, uint32_t n);

#endif
