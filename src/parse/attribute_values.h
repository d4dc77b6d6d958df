/* What the grammar calls to build attribute values. Each `give` hands a value to the instruction
 * (or the header) that is being read, after checking that it takes such an attribute; each `take`
 * turns what lies on a stack from `base` on into a value in the arena. */
#ifndef HLO_PARSE_ATTRIBUTE_VALUES_H
#define HLO_PARSE_ATTRIBUTE_VALUES_H

#include "parse/parser.h"

/* ---- lists ---- */
const hlo_ints *hlo_take_ints(hlo_parser *p, uint32_t base);
const hlo_int_lists *hlo_take_int_lists(hlo_parser *p, uint32_t base);
const void *hlo_take_list(hlo_parser *p,
                          uint32_t base); /* hlo_computations, hlo_shapes, hlo_instrs */
void hlo_push_predecessor(hlo_parser *p, hlo_name *name, hlo_span at);
const hlo_instrs *hlo_take_predecessors(hlo_parser *p, uint32_t base);
void hlo_push_computation(hlo_parser *p, hlo_computation *computation);
void hlo_push_slice(hlo_parser *p, int64_t start, int64_t limit, int64_t stride);
const hlo_slice *hlo_take_slices(hlo_parser *p, uint32_t base);

/* ---- giving values ---- */
/* Reports an attribute that the instruction being read does not take; false when it does. */
bool hlo_refuse_attribute(hlo_parser *p, int id, hlo_span at);
void hlo_give(hlo_parser *p, int id, hlo_span at, const void *value, hlo_span value_at);
void hlo_give_computations(hlo_parser *p, int id, hlo_span at, const void *list, hlo_span value_at);
void hlo_give_int(hlo_parser *p, int id, hlo_span at, int64_t value, hlo_span value_at);
void hlo_give_float(hlo_parser *p, int id, hlo_span at, double value, hlo_span value_at);
void hlo_give_word(hlo_parser *p, int id, hlo_span at, hlo_name *word, hlo_span value_at);
void hlo_give_words(hlo_parser *p, int id, hlo_span at, uint32_t base, hlo_span value_at);
void hlo_give_ints(hlo_parser *p, int id, hlo_span at, const hlo_ints *value, hlo_span value_at);
void hlo_give_int_lists(hlo_parser *p, int id, hlo_span at, const hlo_int_lists *value,
                        hlo_span value_at);
void hlo_give_computation(hlo_parser *p, int id, hlo_span at, hlo_computation *value,
                          hlo_span value_at);
void hlo_give_program_shape(hlo_parser *p, int id, hlo_span at, uint32_t base,
                            const hlo_shape *result);
/* The same for a value whose text means the same wherever it stands: another attribute of that text
 * gets it from memory (fast_values.c). */
void hlo_give_lasting(hlo_parser *p, int id, hlo_span at, const void *value, hlo_span value_at);
void hlo_give_sharding(hlo_parser *p, int id, hlo_span at, hlo_sharding *value, hlo_span value_at);
void hlo_give_synthetic_origin(hlo_parser *p, int id, hlo_span at, hlo_name *word,
                               hlo_span word_at);
void hlo_give_window(hlo_parser *p, int id, hlo_span at, hlo_span value_at);
void hlo_give_labels(hlo_parser *p, int id, hlo_span at, const hlo_str *text, hlo_span value_at);
void hlo_give_padding(hlo_parser *p, int id, hlo_span at, const hlo_str *text, hlo_span value_at);
void hlo_give_domain(hlo_parser *p, int id, hlo_span at, hlo_span value_at);
void hlo_give_sparsity(hlo_parser *p, int id, hlo_span at, hlo_span value_at);

/* ---- keyed parts: key and value pairs that a later `give` or `take` reads ---- */
void hlo_begin_fields(hlo_parser *p);
void hlo_add_field(hlo_parser *p, hlo_name *key, hlo_span key_at, int64_t number, const void *text,
                   hlo_span value_at);
void hlo_add_number_field(hlo_parser *p, hlo_name *key, hlo_span key_at, double number,
                          int64_t integer, bool is_integer, hlo_span value_at);
void hlo_add_sparsity_side(hlo_parser *p, hlo_name *key, hlo_span at);
void hlo_set_domain_kind(hlo_parser *p, hlo_name *key, hlo_span at, const hlo_str *kind,
                         hlo_span value_at);
void hlo_set_domain_side(hlo_parser *p, hlo_name *key, hlo_span at, hlo_sharding *side,
                         hlo_span value_at);
const hlo_frontend *hlo_take_frontend(hlo_parser *p);
const hlo_statistics *hlo_take_statistics(hlo_parser *p, hlo_span at);
const hlo_accuracy *hlo_accuracy_mode(hlo_parser *p, hlo_name *key, hlo_span at, hlo_name *word,
                                      hlo_span word_at);
const hlo_accuracy *hlo_accuracy_tolerance(hlo_parser *p, hlo_name *key, hlo_span at);
void hlo_add_alias(hlo_parser *p, const hlo_ints *output, int64_t parameter, const hlo_ints *index,
                   hlo_name *kind, hlo_span at);
const hlo_aliasing *hlo_take_aliasing(hlo_parser *p);
void hlo_add_file_location(hlo_parser *p, hlo_span at);
void hlo_add_stack_frame(hlo_parser *p, hlo_span at);

/* ---- origins ---- */
const hlo_origin *hlo_origin_leaf(hlo_parser *p, const hlo_str *name, const hlo_ints *index);
const hlo_origin *hlo_origin_tuple(hlo_parser *p, uint32_t base);
void hlo_push_recovery(hlo_parser *p, const hlo_origin *from, const hlo_origin *to,
                       const hlo_str *module, hlo_span at);
const hlo_recovery *hlo_take_recovery(hlo_parser *p, uint32_t base);

/* ---- debug attributes (src/parse/debug_values.c) ---- */
void hlo_begin_debug_entry(hlo_parser *p, const hlo_origin *array);
void hlo_begin_debug_log(hlo_parser *p);
void hlo_debug_word(hlo_parser *p, hlo_name *key, hlo_span key_at, hlo_name *word, hlo_span at);
void hlo_debug_number(hlo_parser *p, hlo_name *key, hlo_span key_at, int64_t number, hlo_span at);
void hlo_debug_flag(hlo_parser *p, hlo_name *key, hlo_span key_at, bool flag, hlo_span at);
void hlo_end_debug_log(hlo_parser *p);
void hlo_no_debug_log(hlo_parser *p); /* the entry has none */
const hlo_debug_table *hlo_take_debug(hlo_parser *p, uint32_t base);

/* ---- shardings, meshes, groups (src/parse/sharding_values.c) ---- */
hlo_sharding *hlo_new_sharding(hlo_parser *p);
void hlo_start_sharding(hlo_parser *p);
void hlo_sharding_kind_part(hlo_parser *p, int kind, hlo_span at);
void hlo_sharding_device(hlo_parser *p, hlo_name *key, hlo_span at, int64_t device,
                         hlo_span value_at);
void hlo_sharding_devices(hlo_parser *p, hlo_name *key, hlo_span key_at, uint32_t dims_base,
                          uint32_t devices_base, const hlo_iota_list *iota, hlo_span at);
void hlo_sharding_last_dims(hlo_parser *p, hlo_name *key, hlo_span at, uint32_t base);
void hlo_sharding_group(hlo_parser *p, int kind, int64_t group);
void hlo_sharding_metadata(hlo_parser *p, const hlo_metadata_list *metadata);
hlo_sharding *hlo_canonical_sharding(hlo_parser *p, hlo_sharding *read, hlo_span at);
hlo_sharding *hlo_tuple_sharding(hlo_parser *p, uint32_t base);
const hlo_iota_list *hlo_iota(hlo_parser *p, uint32_t dims_base, uint32_t perm_base, hlo_span at,
                              hlo_span perm_at);
hlo_mesh *hlo_new_mesh(hlo_parser *p);
void hlo_add_mesh_axis(hlo_parser *p, const hlo_str *name, int64_t size);
hlo_mesh *hlo_mesh_devices(hlo_parser *p, hlo_mesh *mesh, hlo_name *key, hlo_span at, uint32_t base,
                           const hlo_iota_list *iota);
void hlo_start_named(hlo_parser *p, hlo_mesh *mesh, hlo_span at);
void hlo_start_maximal_mesh(hlo_parser *p, hlo_name *key, hlo_span at, int64_t device);
void hlo_push_axis(hlo_parser *p, hlo_axis_ref axis);
hlo_axis_list hlo_take_axes(hlo_parser *p, uint32_t base);
void hlo_push_dim(hlo_parser *p, hlo_axis_list axes, bool open);
void hlo_named_dims(hlo_parser *p, uint32_t base, hlo_span at);
void hlo_named_axes(hlo_parser *p, hlo_name *key, hlo_span at, hlo_axis_list axes);
void hlo_unreduced_by(hlo_parser *p, hlo_name *key, hlo_span at, hlo_name *word, hlo_span word_at);
void hlo_start_unreduced(hlo_parser *p, hlo_mesh *mesh, hlo_span at, hlo_name *key, hlo_span key_at,
                         hlo_name *word, hlo_span word_at);
void hlo_unreduced_axes(hlo_parser *p, hlo_axis_list axes, hlo_span at);
const hlo_groups *hlo_list_groups(hlo_parser *p, const hlo_int_lists *lists);
const hlo_groups *hlo_iota_groups(hlo_parser *p, int64_t count, int64_t size,
                                  const hlo_iota_list *iota, hlo_span at);
const hlo_groups *hlo_mesh_groups(hlo_parser *p, hlo_mesh *mesh, hlo_axis_list axes, hlo_span at);

#endif
