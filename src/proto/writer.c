/* What all forms of writers share. */
#include "proto/writer.h"

hlo_writer_level *hlo_writer_push(hlo_writer *w) {
    hlo_writer_level *level = hlo_list_add(&w->levels);
    *level = (hlo_writer_level){0};
    return level;
}

void hlo_emit_ints(hlo_writer *w, const hlo_proto_field *field, const int64_t *v, uint32_t n) {
    size_t size = hlo_kind_size((hlo_proto_kind)field->kind);
    if (size == 8) {
        hlo_emit_array(w, field, v, n);
        return;
    }
    char few[256], *narrow = n * size > sizeof few ? hlo_malloc(n * size) : few;
    for (uint32_t i = 0; i < n; i++) {
        int32_t four = (int32_t)v[i];
        uint8_t one = v[i] != 0;
        if (size == 1) memcpy(narrow + i, &one, 1);
        else memcpy(narrow + i * size, &four, 4);
    }
    hlo_emit_array(w, field, narrow, n);
    if (narrow != few) hlo_free(narrow);
}

void hlo_writer_finish(hlo_writer *w) {
    if (w->levels.n) {
        w->ops->end(w);
        hlo_buf_char(w->to, '\n');
    }
    hlo_buf_free(&w->body);
    hlo_list_free(&w->levels);
}
