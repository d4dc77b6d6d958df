/* Shapes, literals, metadata and the smaller values as messages. */
#include "proto/to_values.h"

#include <stddef.h>

#include "proto/layout_order.h"
#include "proto/nans.h"

/* ---- shapes ---- */

static void write_tiles(hlo_writer *w, const hlo_layout_parts *parts) {
    for (uint32_t i = 0; i < parts->tile_count; i++) {
        hlo_emit_begin(w, HLO_F(LayoutProto, tiles));
        hlo_emit_ints(w, HLO_F(TileProto, dimensions), parts->tiles[i].v, parts->tiles[i].n);
        hlo_emit_end(w);
    }
}

static void write_splits(hlo_writer *w, const hlo_layout_parts *parts) {
    for (uint32_t i = 0; i < parts->split_count; i++) {
        hlo_emit_begin(w, HLO_F(LayoutProto, split_configs));
        hlo_emit_int(w, HLO_F(SplitConfigProto, dimension), parts->splits[i].dimension);
        hlo_emit_ints(w, HLO_F(SplitConfigProto, split_indices), parts->splits[i].indices,
                      parts->splits[i].n);
        hlo_emit_end(w);
    }
}

static int64_t type_number(hlo_type type) {
    return type == HLO_TYPE_COUNT ? 0 : hlo_types[type].proto_number;
}

static void write_layout(hlo_writer *w, const hlo_layout *layout) {
    static const hlo_layout_parts none = {
        .tail_padding_alignment = 1, .index_type = HLO_TYPE_COUNT, .pointer_type = HLO_TYPE_COUNT};
    const hlo_layout_parts *parts = layout->parts ? layout->parts : &none;
    hlo_emit_begin(w, HLO_F(ShapeProto, layout));
    hlo_emit_ints(w, HLO_F(LayoutProto, minor_to_major), layout->minor_to_major, layout->n);
    write_tiles(w, parts);
    hlo_emit_int(w, HLO_F(LayoutProto, element_size_in_bits), parts->element_bits);
    hlo_emit_int(w, HLO_F(LayoutProto, memory_space), parts->memory_space);
    hlo_emit_int(w, HLO_F(LayoutProto, index_primitive_type), type_number(parts->index_type));
    hlo_emit_int(w, HLO_F(LayoutProto, pointer_primitive_type), type_number(parts->pointer_type));
    hlo_emit_int(w, HLO_F(LayoutProto, dynamic_shape_metadata_prefix_bytes),
                 parts->metadata_prefix_bytes);
    hlo_emit_int(w, HLO_F(LayoutProto, tail_padding_alignment_in_elements),
                 parts->tail_padding_alignment);
    write_splits(w, parts);
    hlo_emit_end(w);
}

static void write_dynamic(hlo_writer *w, const hlo_shape *shape) {
    static const uint8_t none[64];
    const hlo_proto_field *field = HLO_F(ShapeProto, is_dynamic_dimension);
    if (shape->is_dynamic || shape->rank <= sizeof none) {
        hlo_emit_array(w, field, shape->is_dynamic ? shape->is_dynamic : none, shape->rank);
        return;
    }
    uint8_t *many = hlo_calloc(shape->rank, 1);
    hlo_emit_array(w, field, many, shape->rank);
    hlo_free(many);
}

void hlo_write_shape(hlo_writer *w, const hlo_proto_field *field, const hlo_shape *shape) {
    hlo_emit_begin(w, field);
    hlo_emit_int(w, HLO_F(ShapeProto, element_type), type_number((hlo_type)shape->type));
    if (hlo_shape_is_array(shape)) {
        hlo_emit_ints(w, HLO_F(ShapeProto, dimensions), shape->dims, shape->rank);
        write_layout(w, shape->layout);
        write_dynamic(w, shape);
    }
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        hlo_write_shape(w, HLO_F(ShapeProto, tuple_shapes), shape->elements[i]);
    hlo_emit_end(w);
}

/* ---- literals ---- */

static void *in_layout_order(const hlo_shape *shape, const void *data, size_t size, int64_t n) {
    char *out = hlo_malloc((size_t)n * size);
    hlo_to_layout_order(shape, data, out, size, n);
    return out;
}

/* Types below a byte travel without the bits that extend their sign. */
static void *without_extension(hlo_type type, const void *data, int64_t n) {
    uint8_t mask = (uint8_t)((1u << hlo_types[type].bits) - 1), *out = hlo_malloc((size_t)n);
    for (int64_t i = 0; i < n; i++) out[i] = ((const uint8_t *)data)[i] & mask;
    return out;
}

static void write_elements(hlo_writer *w, const hlo_literal *literal, int64_t n) {
    hlo_type type = (hlo_type)literal->shape->type;
    const hlo_type_info *info = &hlo_types[type];
    uint32_t hint = 0;
    const hlo_proto_field *field =
        hlo_field_by_name(HLO_MESSAGE_LiteralProto, hlo_str_from(info->literal_field), &hint);
    void *ordered = NULL, *masked = NULL;
    const void *data = hlo_literal_data(literal);
    if (!hlo_shape_is_row_major(literal->shape))
        data = ordered = in_layout_order(literal->shape, data, info->bytes, n);
    if (info->bits < 8 && info->class != HLO_CLASS_PRED)
        data = masked = without_extension(type, data, n);
    size_t bytes = (size_t)n * info->bytes;
    if (field->kind == HLO_PROTO_BYTES) {
        if (bytes > UINT32_MAX) w->bad = field->name;
        else hlo_emit_text(w, field, (hlo_str){data, (uint32_t)bytes, 0});
    } else {
        hlo_emit_array(w, field, data, bytes / hlo_kind_size((hlo_proto_kind)field->kind));
    }
    hlo_free(ordered);
    hlo_free(masked);
}

void hlo_write_literal(hlo_writer *w, const hlo_proto_field *field, const hlo_literal *literal,
                       const hlo_shape *shape) {
    hlo_emit_begin(w, field);
    hlo_write_shape(w, HLO_F(LiteralProto, shape), shape);
    if (hlo_shape_is_array(literal->shape)) {
        int64_t n = hlo_shape_elements(literal->shape);
        if (n > 0 && hlo_literal_data(literal)) write_elements(w, literal, n);
    }
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++)
        hlo_write_literal(w, HLO_F(LiteralProto, tuple_literals), literal->elements[i],
                          shape->elements[i]);
    hlo_emit_end(w);
}

/* ---- metadata ---- */

void hlo_write_metadata(hlo_writer *w, const hlo_proto_field *field, const hlo_metadata *m) {
    hlo_emit_begin(w, field);
    if (m) {
#define HLO_METADATA_TEXT(field, member) hlo_emit_text(w, HLO_F(OpMetadata, field), m->member);
#define HLO_METADATA_INT(field, member) \
    hlo_emit_int(w, HLO_F(OpMetadata, field), (int32_t)m->member);
#define HLO_METADATA_INTS(field, member) hlo_write_ints(w, HLO_F(OpMetadata, field), m->member);
#define HLO_METADATA_MEMBER(kind, field, member) HLO_METADATA_##kind(field, member)
#include "proto/metadata.def"
#undef HLO_METADATA_MEMBER
        if (m->payload.ptr) {
            hlo_emit_begin(w, HLO_F(OpMetadata, metadata_payload));
            hlo_emit_text(w, HLO_F(Payload, value), m->payload);
            hlo_emit_end(w);
        }
    }
    hlo_emit_end(w);
}

/* ---- frontend attributes, statistics, accuracy ---- */

void hlo_write_frontend(hlo_writer *w, const hlo_proto_field *field, const hlo_frontend *frontend,
                        hlo_str nans) {
    hlo_emit_begin(w, field);
    for (uint32_t i = 0; frontend && i < frontend->n; i++)
        hlo_emit_entry(w, HLO_F(FrontendAttributes, map), frontend->v[i].key, frontend->v[i].value);
    if (nans.len) hlo_emit_entry(w, HLO_F(FrontendAttributes, map), HLO_STR(HLO_NANS_KEY), nans);
    hlo_emit_end(w);
}

void hlo_write_statistics(hlo_writer *w, const hlo_proto_field *field, const hlo_statistics *s) {
    hlo_emit_begin(w, field);
    if (s) hlo_emit_int(w, HLO_F(StatisticsViz, stat_index_to_visualize), s->visualizing_index);
    for (uint32_t i = 0; s && i < s->n; i++) {
        hlo_emit_begin(w, HLO_F(StatisticsViz, statistics));
        hlo_emit_text(w, HLO_F(Statistic, stat_name), s->v[i].name);
        hlo_emit_real(w, HLO_F(Statistic, stat_val), s->v[i].value);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

void hlo_write_accuracy(hlo_writer *w, const hlo_proto_field *field, const hlo_accuracy *accuracy) {
    if (!accuracy->is_tolerance && accuracy->mode == 0) return;
    hlo_emit_begin(w, field);
    if (accuracy->is_tolerance) {
        hlo_emit_begin(w, HLO_F(ResultAccuracy, tolerance));
        hlo_emit_real(w, HLO_F(ResultAccuracy_Tolerance, atol), accuracy->atol);
        hlo_emit_real(w, HLO_F(ResultAccuracy_Tolerance, rtol), accuracy->rtol);
        hlo_emit_int(w, HLO_F(ResultAccuracy_Tolerance, ulps), accuracy->ulps);
        hlo_emit_end(w);
    } else {
        hlo_emit_int(w, HLO_F(ResultAccuracy, mode), accuracy->mode);
    }
    hlo_emit_end(w);
}

/* ---- original values ---- */

void hlo_write_array_origin(hlo_writer *w, const hlo_proto_field *field, const hlo_origin *leaf) {
    hlo_emit_begin(w, field);
    hlo_emit_text(w, HLO_F(OriginalArrayProto, instruction_name), leaf->name);
    hlo_write_ints(w, HLO_F(OriginalArrayProto, shape_index), leaf->index);
    hlo_emit_end(w);
}

/* The leaves of a tree with their places; `index` has space for its depth. */
static void write_origin_leaves(hlo_writer *w, const hlo_origin *tree, hlo_buf *index) {
    if (tree->form == HLO_ORIGIN_TUPLE) {
        size_t depth = index->len;
        for (int64_t i = 0; i < tree->n; i++) {
            hlo_buf_bytes(index, &i, sizeof i);
            write_origin_leaves(w, tree->elements[i], index);
            index->len = depth;
        }
        return;
    }
    hlo_emit_begin(w, HLO_F(OriginalValueProto, elements));
    hlo_emit_array(w, HLO_F(OriginalValueElementProto, shape_index), index->data,
                   index->len / sizeof(int64_t));
    if (tree->form == HLO_ORIGIN_LEAF)
        hlo_write_array_origin(w, HLO_F(OriginalValueElementProto, original_array), tree);
    hlo_emit_end(w);
}

void hlo_write_origin(hlo_writer *w, const hlo_proto_field *field, const hlo_origin *origin) {
    hlo_emit_begin(w, field);
    if (origin->form == HLO_ORIGIN_SYNTHETIC) {
        hlo_emit_int(w, HLO_F(OriginalValueProto, is_synthetic_call), 1);
    } else {
        hlo_buf index = HLO_BUF_INIT;
        write_origin_leaves(w, origin, &index);
        hlo_buf_free(&index);
    }
    hlo_emit_end(w);
}

/* ---- convolutions ---- */

void hlo_write_window(hlo_writer *w, const hlo_proto_field *field, const hlo_window *window) {
    hlo_emit_begin(w, field);
    for (uint32_t i = 0; window && i < window->n; i++) {
        const hlo_window_dim *d = &window->v[i];
        hlo_emit_begin(w, HLO_F(Window, dimensions));
        hlo_emit_int(w, HLO_F(WindowDimension, size), d->size);
        hlo_emit_int(w, HLO_F(WindowDimension, stride), d->stride);
        hlo_emit_int(w, HLO_F(WindowDimension, padding_low), d->pad_low);
        hlo_emit_int(w, HLO_F(WindowDimension, padding_high), d->pad_high);
        hlo_emit_int(w, HLO_F(WindowDimension, window_dilation), d->window_dilation);
        hlo_emit_int(w, HLO_F(WindowDimension, base_dilation), d->base_dilation);
        hlo_emit_int(w, HLO_F(WindowDimension, window_reversal), d->reversed);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

#define LABEL(field) HLO_F(ConvolutionDimensionNumbers, field)

void hlo_write_dim_labels(hlo_writer *w, const hlo_proto_field *field, const hlo_dim_labels *l) {
    hlo_emit_begin(w, field);
    hlo_emit_int(w, LABEL(kernel_input_feature_dimension), l->kernel_input_feature);
    hlo_emit_int(w, LABEL(kernel_output_feature_dimension), l->kernel_output_feature);
    hlo_emit_ints(w, LABEL(kernel_spatial_dimensions), l->kernel_spatial, l->n);
    hlo_emit_int(w, LABEL(input_batch_dimension), l->input_batch);
    hlo_emit_int(w, LABEL(input_feature_dimension), l->input_feature);
    hlo_emit_int(w, LABEL(output_batch_dimension), l->output_batch);
    hlo_emit_int(w, LABEL(output_feature_dimension), l->output_feature);
    hlo_emit_ints(w, LABEL(input_spatial_dimensions), l->input_spatial, l->n);
    hlo_emit_ints(w, LABEL(output_spatial_dimensions), l->output_spatial, l->n);
    hlo_emit_end(w);
}

#define SPARSITY(field) HLO_F(SparsityConfig_TensorSparsityConfig, field)

static void write_tensor_sparsity(hlo_writer *w, const hlo_proto_field *field, int64_t nonzeros,
                                  int64_t block, int64_t dimension, int64_t stride) {
    hlo_emit_begin(w, field);
    hlo_emit_int(w, SPARSITY(num_non_zero), nonzeros);
    hlo_emit_int(w, SPARSITY(block_size), block);
    hlo_emit_int(w, SPARSITY(dimension), dimension);
    hlo_emit_int(w, SPARSITY(stride), stride);
    hlo_emit_end(w);
}

void hlo_write_sparsity(hlo_writer *w, const hlo_proto_field *field, const hlo_sparsity *s) {
    hlo_emit_begin(w, field);
    if (s && s->lhs.given)
        write_tensor_sparsity(w, HLO_F(SparsityConfig, lhs), s->lhs.nonzeros, s->lhs.block,
                              s->lhs.dimension, s->lhs.stride);
    if (s && s->rhs.given)
        write_tensor_sparsity(w, HLO_F(SparsityConfig, rhs), s->rhs.nonzeros, s->rhs.block,
                              s->rhs.dimension, s->rhs.stride);
    hlo_emit_end(w);
}
