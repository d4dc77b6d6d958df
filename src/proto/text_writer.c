/* Messages in protobuf's text format, as its library prints them: a line for each value, two blanks
 * for each message around it. */
#include <math.h>

#include "base/decimal.h"
#include "proto/writer.h"

/* ---- layout ---- */

/* Everything before a value of the field, or before the brace of a message. */
static void lead_in(hlo_writer *w, const hlo_proto_field *field) {
    for (uint32_t i = 0; i < w->levels.n; i++) hlo_buf_lit(w->to, "  ");
    hlo_buf_bytes(w->to, field->name, field->name_len);
}

static void begin(hlo_writer *w, const hlo_proto_field *field) {
    lead_in(w, field);
    hlo_buf_lit(w->to, " {\n");
    hlo_writer_push(w);
}

static void close_message(hlo_writer *w) {
    HLO_ASSERT(w->levels.n > 0);
    w->levels.n--;
    for (uint32_t i = 0; i < w->levels.n; i++) hlo_buf_lit(w->to, "  ");
    hlo_buf_lit(w->to, "}\n");
}

static void end(hlo_writer *w) {
    bool is_entry = w->levels.v[w->levels.n - 1].is_entry;
    close_message(w);
    if (is_entry) close_message(w);
}

/* ---- values ---- */

static void put_real(hlo_buf *to, const hlo_proto_field *field, double value) {
    if (isnan(value)) {
        hlo_buf_lit(to, "nan");
    } else if (isinf(value)) {
        hlo_buf_cstr(to, value < 0 ? "-inf" : "inf");
    } else {
        hlo_buf_reserve(to, HLO_NUMBER_SIZE);
        char *at = to->data + to->len;
        at =
            field->kind == HLO_PROTO_FLOAT ? hlo_put_f32(at, (float)value) : hlo_put_f64(at, value);
        to->len = (size_t)(at - to->data);
    }
}

static void put_number(hlo_buf *to, const hlo_proto_field *field, int64_t value) {
    const char *word = NULL;
    if (field->kind == HLO_PROTO_BOOL) word = value ? "true" : "false";
    if (field->kind == HLO_PROTO_ENUM) word = hlo_enum_text((hlo_enum_id)field->type, value);
    if (word) hlo_buf_cstr(to, word);
    else if (field->kind == HLO_PROTO_UINT64) hlo_buf_uint(to, (uint64_t)value);
    else hlo_buf_int(to, value);
}

static void number(hlo_writer *w, const hlo_proto_field *field, int64_t value) {
    lead_in(w, field);
    hlo_buf_lit(w->to, ": ");
    put_number(w->to, field, value);
    hlo_buf_char(w->to, '\n');
}

static void real(hlo_writer *w, const hlo_proto_field *field, double value) {
    lead_in(w, field);
    hlo_buf_lit(w->to, ": ");
    put_real(w->to, field, value);
    hlo_buf_char(w->to, '\n');
}

static void text(hlo_writer *w, const hlo_proto_field *field, hlo_str value) {
    lead_in(w, field);
    hlo_buf_lit(w->to, ": ");
    hlo_buf_quoted(w->to, value);
    hlo_buf_char(w->to, '\n');
}

static void element(hlo_writer *w, const hlo_proto_field *field, const void *v, size_t i) {
    switch ((hlo_proto_kind)field->kind) {
    case HLO_PROTO_FLOAT: real(w, field, (double)((const float *)v)[i]); return;
    case HLO_PROTO_DOUBLE: real(w, field, ((const double *)v)[i]); return;
    case HLO_PROTO_BOOL: number(w, field, ((const uint8_t *)v)[i]); return;
    case HLO_PROTO_UINT32: number(w, field, ((const uint32_t *)v)[i]); return;
    case HLO_PROTO_INT32:
    case HLO_PROTO_ENUM: number(w, field, ((const int32_t *)v)[i]); return;
    case HLO_PROTO_INT64:
    case HLO_PROTO_UINT64:
    case HLO_PROTO_STRING:
    case HLO_PROTO_BYTES:
    case HLO_PROTO_MESSAGE: break;
    }
    number(w, field, ((const int64_t *)v)[i]);
}

static void numbers(hlo_writer *w, const hlo_proto_field *field, const void *v, size_t n) {
    for (size_t i = 0; i < n; i++) element(w, field, v, i);
}

/* ---- maps ---- */

/* Entries have both fields, whatever they hold. */
static void begin_entry(hlo_writer *w, const hlo_proto_field *field, int64_t key) {
    const hlo_proto_field *fields = &hlo_fields[hlo_message_fields[field->type]];
    begin(w, field);
    number(w, &fields[0], key);
    begin(w, &fields[1]);
    w->levels.v[w->levels.n - 1].is_entry = true;
}

static void entry(hlo_writer *w, const hlo_proto_field *field, hlo_str key, hlo_str value) {
    const hlo_proto_field *fields = &hlo_fields[hlo_message_fields[field->type]];
    begin(w, field);
    text(w, &fields[0], key);
    text(w, &fields[1], value);
    end(w);
}

void hlo_pbtxt_writer(hlo_writer *w, hlo_buf *to) {
    static const hlo_writer_ops ops = {begin, end, begin_entry, number, real, text, entry, numbers};
    *w = (hlo_writer){.ops = &ops, .to = to, .body = HLO_BUF_INIT, .has_one_nan = true};
}
