/* The description of every attribute value: which bytes, strings and pointers it is made of. */
#include "ir/attr_layout.h"

#include <stddef.h>

#include "ir/sharding.h"

/* Rows of a type's fields. S is the struct that is described at the moment. */
#define BYTES(member) \
    { HLO_FIELD_BYTES, offsetof(S, member), sizeof(((S *)0)->member), 0, NULL }
#define STRING(member) \
    { HLO_FIELD_STRING, offsetof(S, member), 0, 0, NULL }
#define SHAPE(member) \
    { HLO_FIELD_SHAPE, offsetof(S, member), 0, 0, NULL }
#define ONE(member, of) \
    { HLO_FIELD_ONE, offsetof(S, member), 0, 0, &of }
#define ARRAY(n, member, of) \
    { HLO_FIELD_ARRAY, offsetof(S, member), 0, offsetof(S, n), &of }
#define TAIL(of) \
    { HLO_FIELD_TAIL, offsetof(S, v), 0, offsetof(S, n), &of }

#define END \
    { HLO_FIELD_END, 0, 0, 0, NULL }
#define FIELDS(...)             \
    (const hlo_value_field[]) { \
        __VA_ARGS__, END        \
    }
/* A struct that ends in v[] has its size counted up to there. */
#define FIXED(name, ...) static const hlo_value_type name = {sizeof(S), false, FIELDS(__VA_ARGS__)}
#define TAILED(name, of) \
    static const hlo_value_type name = {offsetof(S, v), false, FIELDS(TAIL(of))}
/* One number or identity that fills its place. */
#define FLAT(name, T)                                    \
    static const hlo_value_type name = {sizeof(T), true, \
                                        FIELDS({HLO_FIELD_BYTES, 0, sizeof(T), 0, NULL})}
/* An element that is itself a pointer. */
#define POINTER(name, how, of) \
    static const hlo_value_type name = {sizeof(void *), false, FIELDS({how, 0, 0, 0, of})}

FLAT(int64_value, int64_t);
FLAT(byte_value, uint8_t);
FLAT(identity, void *);
FLAT(padding_dim, ((hlo_padding *)0)->v[0]);
FLAT(slice_dim, ((hlo_slice *)0)->v[0]);

#define S hlo_str
static const hlo_value_type string_value = {sizeof(S), false,
                                            FIELDS({HLO_FIELD_STRING, 0, 0, 0, NULL})};
#undef S

#define S hlo_ints
TAILED(ints, int64_value);
#undef S
POINTER(ints_pointer, HLO_FIELD_ONE, &ints);

#define S hlo_int_lists
TAILED(int_lists, ints_pointer);
#undef S

#define S hlo_computations
TAILED(computations, identity);
#undef S

#define S hlo_instrs
TAILED(instructions, identity);
#undef S

POINTER(shape_pointer, HLO_FIELD_SHAPE, NULL);
#define S hlo_shapes
TAILED(shapes, shape_pointer);
#undef S

#define S hlo_program_shape
FIXED(program_shape, ONE(parameters, shapes), SHAPE(result));
#undef S

#define S __typeof__(((hlo_frontend *)0)->v[0])
FIXED(frontend_entry, STRING(key), STRING(value));
#undef S
#define S hlo_frontend
TAILED(frontend, frontend_entry);
#undef S

#define S __typeof__(((hlo_statistics *)0)->v[0])
FIXED(statistic, STRING(name), BYTES(value));
#undef S
#define S hlo_statistics
static const hlo_value_type statistics = {offsetof(S, v), false,
                                          FIELDS(BYTES(visualizing_index), TAIL(statistic))};
#undef S

#define S hlo_accuracy
FIXED(accuracy, BYTES(is_tolerance), BYTES(mode), BYTES(atol), BYTES(rtol), BYTES(ulps));
#undef S

#define S hlo_origin
static const hlo_value_type origin;
POINTER(origin_pointer, HLO_FIELD_ONE, &origin);
FIXED(origin, BYTES(form), STRING(name), ONE(index, ints), ARRAY(n, elements, origin_pointer));
#undef S

#define S __typeof__(((hlo_recovery *)0)->v[0])
FIXED(recovery_entry, ONE(from, origin), ONE(to, origin), STRING(module));
#undef S
#define S hlo_recovery
TAILED(recovery, recovery_entry);
#undef S

#define S hlo_debug_log
FIXED(debug_log, ONE(array, origin), BYTES(mode), BYTES(callback_id), BYTES(op_id),
      BYTES(partitioned));
#undef S
#define S hlo_debug_table
TAILED(debug, debug_log);
#undef S

#define S hlo_metadata
FIXED(metadata, STRING(op_type), STRING(op_name), STRING(source_file), STRING(deduplicated_name),
      STRING(scheduling_name), STRING(payload), BYTES(source_line), BYTES(source_end_line),
      BYTES(source_column), BYTES(source_end_column), BYTES(stack_frame), ONE(profile_type, ints));
#undef S
POINTER(metadata_pointer, HLO_FIELD_ONE, &metadata);

#define S hlo_window_dim
FIXED(window_dim, BYTES(size), BYTES(stride), BYTES(pad_low), BYTES(pad_high), BYTES(base_dilation),
      BYTES(window_dilation), BYTES(reversed));
#undef S
#define S hlo_window
TAILED(window, window_dim);
#undef S

#define S hlo_dim_labels
FIXED(dim_labels, BYTES(n), BYTES(input_batch), BYTES(input_feature), BYTES(kernel_input_feature),
      BYTES(kernel_output_feature), BYTES(output_batch), BYTES(output_feature),
      ARRAY(n, input_spatial, int64_value), ARRAY(n, kernel_spatial, int64_value),
      ARRAY(n, output_spatial, int64_value));
#undef S

#define S hlo_padding
TAILED(padding, padding_dim);
#undef S

#define S hlo_slice
TAILED(slice, slice_dim);
#undef S

#define S __typeof__(((hlo_aliasing *)0)->v[0])
FIXED(alias, ONE(output, ints), BYTES(parameter), ONE(index, ints), BYTES(kind));
#undef S
#define S hlo_aliasing
TAILED(aliasing, alias);
#undef S

#define S hlo_sparsity
FIXED(sparsity, BYTES(lhs.given), BYTES(lhs.nonzeros), BYTES(lhs.block), BYTES(lhs.dimension),
      BYTES(lhs.stride), BYTES(rhs.given), BYTES(rhs.nonzeros), BYTES(rhs.block),
      BYTES(rhs.dimension), BYTES(rhs.stride));
#undef S

#define S hlo_iota_list
FIXED(iota_list, ONE(dims, ints), ONE(perm, ints));
#undef S

#define S hlo_mesh_axis
FIXED(mesh_axis, STRING(name), BYTES(size));
#undef S
#define S hlo_mesh
FIXED(mesh, BYTES(maximal), BYTES(device_id), ARRAY(n, axes, mesh_axis), ONE(device_ids, ints),
      ONE(device_iota, iota_list));
#undef S

#define S hlo_axis_ref
FIXED(axis_ref, STRING(name), BYTES(is_sub_axis), BYTES(pre_size), BYTES(size));
#undef S
#define S hlo_dim_sharding
FIXED(dim_sharding, ARRAY(axes.n, axes.v, axis_ref), BYTES(open));
#undef S

#define S hlo_sharding
static const hlo_value_type sharding;
POINTER(sharding_pointer, HLO_FIELD_ONE, &sharding);
FIXED(sharding, BYTES(kind), BYTES(device), ONE(tile_dims, ints), ONE(devices, ints),
      ONE(iota, iota_list), BYTES(replicate_last), ARRAY(last_kind_count, last_kinds, byte_value),
      BYTES(group_kind), BYTES(group), BYTES(has_metadata),
      ARRAY(metadata.n, metadata.v, metadata_pointer), ARRAY(n, elements, sharding_pointer),
      ONE(mesh, mesh), BYTES(named_word), BYTES(word), BYTES(has_dims),
      ARRAY(dim_count, dims, dim_sharding), ARRAY(replicated.n, replicated.v, axis_ref),
      ARRAY(unreduced.n, unreduced.v, axis_ref), ARRAY(manual.n, manual.v, axis_ref),
      BYTES(reduction));
#undef S

#define S hlo_domain
FIXED(domain, ONE(entry, sharding), ONE(exit, sharding));
#undef S

#define S hlo_groups
FIXED(groups, BYTES(form), ONE(lists, int_lists), BYTES(group_count), BYTES(group_size),
      ONE(iota, iota_list), ONE(mesh, mesh), ARRAY(axes.n, axes.v, axis_ref));
#undef S

/* Layouts of members, columns of kinds.def. */
#define NUMBER \
    { HLO_FIELD_BYTES, 0, sizeof(((hlo_attr *)0)->u), 0, NULL }
#define VALUE(of) \
    { HLO_FIELD_ONE, 0, 0, 0, &of }
#define SHAPE_POINTER \
    { HLO_FIELD_SHAPE, 0, 0, 0, NULL }
#define LITERAL_POINTER \
    { HLO_FIELD_LITERAL, 0, 0, 0, NULL }

enum {
#define HLO_MEMBER(name, ...) MEMBER_##name,
#include "ir/kinds.def"
    MEMBER_COUNT
};

static const hlo_value_field members[MEMBER_COUNT] = {
#define HLO_MEMBER(name, type, layout) [MEMBER_##name] = layout,
#include "ir/kinds.def"
};

const hlo_value_field *const hlo_kind_fields[HLO_KIND_COUNT] = {
#define HLO_KIND(id, member, ...) [HLO_KIND_##id] = &members[MEMBER_##member],
#include "ir/kinds.def"
};
