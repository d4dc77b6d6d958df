/* Values of the IR as messages: each writes one field. */
#ifndef HLO_PROTO_TO_VALUES_H
#define HLO_PROTO_TO_VALUES_H

#include "ir/ir.h"
#include "proto/writer.h"

void hlo_write_shape(hlo_writer *w, const hlo_proto_field *field, const hlo_shape *shape);
/* `shape` is that of the message: the literal's own, or that of the constant that has it. */
void hlo_write_literal(hlo_writer *w, const hlo_proto_field *field, const hlo_literal *literal,
                       const hlo_shape *shape);
void hlo_write_metadata(hlo_writer *w, const hlo_proto_field *field, const hlo_metadata *metadata);
void hlo_write_sharding(hlo_writer *w, const hlo_proto_field *field, const hlo_sharding *sharding);
/* Writes only when `field` is the one for the form of the groups; NULL: no groups. */
void hlo_write_groups(hlo_writer *w, const hlo_proto_field *field, const hlo_groups *groups);
/* `nans`: what nans.h makes of a constant's literal, or empty. */
void hlo_write_frontend(hlo_writer *w, const hlo_proto_field *field, const hlo_frontend *frontend,
                        hlo_str nans);
void hlo_write_statistics(hlo_writer *w, const hlo_proto_field *field,
                          const hlo_statistics *statistics);
void hlo_write_accuracy(hlo_writer *w, const hlo_proto_field *field, const hlo_accuracy *accuracy);
void hlo_write_array_origin(hlo_writer *w, const hlo_proto_field *field, const hlo_origin *leaf);
void hlo_write_origin(hlo_writer *w, const hlo_proto_field *field, const hlo_origin *origin);
void hlo_write_window(hlo_writer *w, const hlo_proto_field *field,
                      const hlo_window *window); /* may be NULL */
void hlo_write_dim_labels(hlo_writer *w, const hlo_proto_field *field,
                          const hlo_dim_labels *labels);
void hlo_write_sparsity(hlo_writer *w, const hlo_proto_field *field,
                        const hlo_sparsity *sparsity); /* NULL */

static inline void hlo_write_ints(hlo_writer *w, const hlo_proto_field *field,
                                  const hlo_ints *list) {
    if (list) hlo_emit_ints(w, field, list->v, list->n);
}

#endif
