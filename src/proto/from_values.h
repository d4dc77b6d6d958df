/* Nodes as values of the IR. A function that can fail reports why and returns NULL or false. */
#ifndef HLO_PROTO_FROM_VALUES_H
#define HLO_PROTO_FROM_VALUES_H

#include "proto/reader.h"

/* The message or numbers of a field; NULL where the message has none. */
const hlo_ints *hlo_from_ints(hlo_reader *r, const hlo_node *message, const hlo_proto_field *field);
const hlo_str *hlo_from_text(hlo_reader *r, const hlo_node *message, const hlo_proto_field *field);

const hlo_shape *hlo_from_shape(hlo_reader *r, const hlo_node *node);
/* All shapes of a MANY field. */
const hlo_shapes *hlo_from_shapes(hlo_reader *r, const hlo_node *message,
                                  const hlo_proto_field *field);
hlo_literal *hlo_from_literal(hlo_reader *r, const hlo_node *node);
hlo_metadata *hlo_from_metadata(hlo_reader *r, const hlo_node *node);
bool hlo_metadata_is_empty(const hlo_metadata *metadata);
const hlo_sharding *hlo_from_sharding(hlo_reader *r, const hlo_node *node);
/* From the field that is there, for HloInstructionProto's message; no groups when none is. */
const hlo_groups *hlo_from_groups(hlo_reader *r, const hlo_node *instr);
hlo_frontend *hlo_from_frontend(hlo_reader *r, const hlo_node *node);
const hlo_statistics *hlo_from_statistics(hlo_reader *r, const hlo_node *node);
const hlo_accuracy *hlo_from_accuracy(hlo_reader *r, const hlo_node *node);
const hlo_origin *hlo_from_array_origin(hlo_reader *r, const hlo_node *node);
const hlo_origin *hlo_from_origin(hlo_reader *r, const hlo_node *node);
const hlo_window *hlo_from_window(hlo_reader *r, const hlo_node *node);
const hlo_dim_labels *hlo_from_dim_labels(hlo_reader *r, const hlo_node *node);
const hlo_padding *hlo_from_padding(hlo_reader *r, const hlo_node *node);
const hlo_sparsity *hlo_from_sparsity(hlo_reader *r, const hlo_node *node);

#endif
