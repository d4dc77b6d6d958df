/* shrink-dims: new shapes, and the attributes and constants that have sizes in them. */
#include "ir/literal.h"
#include "passes/tools/shrink_dims.h"

/* ---- shapes ---- */

/* The shape with the sizes from *dim on, which moves past them. */
static const hlo_shape *new_shape(hlo_shrink *s, const hlo_shape *shape, uint32_t *dim) {
    hlo_shapes_table *table = &s->module->shapes;
    uint32_t n = shape->rank;
    const hlo_shape *made = shape;
    if (hlo_shape_is_array(shape)) {
        int64_t *sizes = hlo_malloc((n + 1u) * sizeof *sizes);
        for (uint32_t d = 0; d < n; d++)
            sizes[d] = s->dims[*dim + d].size == shape->dims[d] ? hlo_shrink_new_size(s, *dim + d)
                                                                : shape->dims[d];
        *dim += n;
        made = hlo_shape_array(table, (hlo_type)shape->type, sizes, n, shape->is_dynamic,
                               shape->layout->minor_to_major, shape->layout->parts);
        hlo_free(sizes);
    } else if (shape->elements) {
        const hlo_shape **elements = hlo_malloc((n + 1u) * sizeof *elements);
        for (uint32_t i = 0; i < n; i++) elements[i] = new_shape(s, shape->elements[i], dim);
        made = shape->type == HLO_BUFFER ? hlo_shape_buffer(table, elements[0])
                                         : hlo_shape_tuple(table, elements, n);
        hlo_free(elements);
    }
    return made;
}

/* A shape of the same structure as the result of the instruction, such as another layout of it. */
static const hlo_shape *new_shape_of(hlo_shrink *s, const hlo_instr *instr,
                                     const hlo_shape *shape) {
    uint32_t dim = hlo_shrink_first(s, instr);
    return new_shape(s, shape, &dim);
}

/* ---- constants ---- */

/* The elements with the smallest indices. */
static void take_leading(const hlo_literal *from, hlo_literal *to) {
    const hlo_shape *old = from->shape, *shape = to->shape;
    size_t bytes = hlo_types[shape->type].bytes;
    int64_t n = hlo_shape_elements(shape), row = shape->dims[shape->rank - 1];
    const char *data = hlo_literal_data(from);
    for (int64_t i = 0; i < n; i += row) {
        int64_t rest = i / row, place = 0, step = old->dims[shape->rank - 1];
        for (uint32_t d = shape->rank - 1; d-- > 0;) {
            place += rest % shape->dims[d] * step;
            rest /= shape->dims[d];
            step *= old->dims[d];
        }
        memcpy((char *)to->data + (size_t)i * bytes, data + (size_t)place * bytes,
               (size_t)row * bytes);
    }
}

/* Elements that the text does not list are made when they are needed, as before. */
static hlo_literal *new_literal(hlo_shrink *s, const hlo_literal *old, const hlo_shape *shape) {
    hlo_arena *arena = &s->module->arena;
    hlo_literal *made = hlo_arena_copy(arena, old, sizeof *old);
    made->shape = shape;
    if (old->elements) {
        hlo_literal **elements = HLO_NEW_ARRAY(arena, hlo_literal *, shape->rank);
        for (uint32_t i = 0; i < shape->rank; i++)
            elements[i] = new_literal(s, old->elements[i], shape->elements[i]);
        made->elements = elements;
    } else if (old->data && shape->rank) {
        made = hlo_literal_new_raw(arena, shape);
        take_leading(old, made);
    }
    return made;
}

/* ---- attributes ---- */

static const hlo_ints *new_sizes(hlo_shrink *s, const hlo_ints *old, uint32_t first) {
    hlo_ints *sizes = hlo_ints_new(&s->module->arena, old->n);
    for (uint32_t d = 0; d < old->n; d++) sizes->v[d] = hlo_shrink_new_size(s, first + d);
    return sizes;
}

/* After the last element; of every k-th one, as far from the end as before. */
static int64_t new_limit(hlo_shrink *s, hlo_shrink_cut cut, uint32_t whole, uint32_t part,
                         int64_t start, int64_t after, int64_t stride) {
    int64_t left = hlo_shrink_new_size(s, part);
    if (cut == HLO_CUT_STRIDE) return hlo_shrink_new_size(s, whole) - after;
    return left ? start + (left - 1) * stride + 1 : start;
}

static void change_slice(hlo_shrink *s, const hlo_instr *instr, hlo_attr *attr) {
    const hlo_slice *old = attr->u.slice;
    size_t bytes = sizeof *old + old->n * sizeof old->v[0];
    hlo_slice *slice = hlo_arena_copy(&s->module->arena, old, bytes);
    for (uint32_t d = 0; d < old->n; d++) {
        uint32_t whole = hlo_shrink_first(s, hlo_operand(instr, 0)) + d;
        uint32_t part = hlo_shrink_first(s, instr) + d;
        int64_t size = s->dims[whole].size, stride = old->v[d].stride;
        if (size == hlo_shrink_new_size(s, whole)) continue;
        int64_t after = size - old->v[d].limit;
        hlo_shrink_cut cut =
            hlo_shrink_cut_of(s, size, old->v[d].start, s->dims[part].size, stride);
        slice->v[d].start = hlo_shrink_new_start(s, cut, whole, old->v[d].start, part);
        slice->v[d].limit = new_limit(s, cut, whole, part, slice->v[d].start, after, stride);
    }
    attr->u.slice = slice;
}

static void change_padding(hlo_shrink *s, const hlo_instr *instr, hlo_attr *attr) {
    const hlo_padding *old = attr->u.padding;
    size_t bytes = sizeof *old + old->n * sizeof old->v[0];
    hlo_padding *padding = hlo_arena_copy(&s->module->arena, old, bytes);
    for (uint32_t d = 0; d < old->n; d++) {
        int64_t low = old->v[d].low, interior = old->v[d].interior;
        uint32_t part = hlo_shrink_first(s, hlo_operand(instr, 0)) + d;
        uint32_t whole = hlo_shrink_first(s, instr) + d;
        bool is_spread = interior && s->dims[part].size > 1;
        int64_t left = hlo_shrink_new_size(s, part);
        if (!is_spread && (low < 0 || old->v[d].high < 0)) continue;
        hlo_shrink_cut cut =
            is_spread ? HLO_CUT_STRIDE
                      : hlo_shrink_cut_of(s, s->dims[whole].size, low, s->dims[part].size, 1);
        padding->v[d].low = hlo_shrink_new_start(s, cut, whole, low, part);
        padding->v[d].high = hlo_shrink_new_size(s, whole) - padding->v[d].low - left -
                             (is_spread ? (left - 1) * interior : 0);
    }
    attr->u.padding = padding;
}

/* Of dimensions that are whole windows, those of the operand; else those of the result, or one. */
static void change_slice_sizes(hlo_shrink *s, const hlo_instr *instr, hlo_attr *attr) {
    const hlo_ints *old = attr->u.ints, *offset = hlo_attr_ints(instr, HLO_ATTR_OFFSET_DIMS);
    const hlo_ints *collapsed = hlo_attr_ints(instr, HLO_ATTR_COLLAPSED_SLICE_DIMS);
    const hlo_ints *batching = hlo_attr_ints(instr, HLO_ATTR_OPERAND_BATCHING_DIMS);
    hlo_ints *sizes = hlo_ints_from(&s->module->arena, old->v, old->n);
    uint32_t next = 0;
    for (uint32_t d = 0; d < old->n; d++)
        if (!hlo_ints_contain(collapsed, d) && !hlo_ints_contain(batching, d))
            sizes->v[d] =
                hlo_shrink_new_size(s, hlo_shrink_first(s, instr) + (uint32_t)offset->v[next++]);
    attr->u.ints = sizes;
}

static void change_lengths(hlo_shrink *s, const hlo_instr *instr, hlo_attr *attr) {
    const hlo_ints *old = attr->u.ints;
    uint32_t rank = instr->shape->rank;
    hlo_ints *lengths = hlo_ints_from(&s->module->arena, old->v, old->n);
    for (uint32_t i = 0; i < old->n; i++) {
        uint32_t dim = hlo_shrink_first(s, instr) + rank - old->n + i;
        if (s->dims[dim].size == old->v[i]) lengths->v[i] = hlo_shrink_new_size(s, dim);
    }
    attr->u.ints = lengths;
}

/* Windows of all elements of a dimension. */
static void change_window(hlo_shrink *s, const hlo_instr *instr, hlo_attr *attr) {
    const hlo_window *old = attr->u.window;
    size_t bytes = sizeof *old + old->n * sizeof old->v[0];
    hlo_window *window = hlo_arena_copy(&s->module->arena, old, bytes);
    for (uint32_t d = 0; d < old->n; d++) {
        uint32_t dim = hlo_shrink_first(s, hlo_operand(instr, 0)) + d;
        hlo_window_dim *w = &window->v[d];
        if (!hlo_shrink_is_whole_window(w, s->dims[dim].size)) continue;
        w->size = hlo_shrink_new_size(s, dim);
        if (w->pad_low) w->pad_low = w->size - 1;
        if (w->pad_high) w->pad_high = w->size - 1;
    }
    attr->u.window = window;
}

/* As many groups as dimension `d` of the input has elements. */
static void change_groups(hlo_shrink *s, const hlo_instr *instr, hlo_attr *attr, int64_t d) {
    uint32_t dim = hlo_shrink_first(s, hlo_operand(instr, 0)) + (uint32_t)d;
    if (attr->u.i == s->dims[dim].size) attr->u.i = hlo_shrink_new_size(s, dim);
}

static const hlo_dim_labels *labels_of(const hlo_instr *convolution) {
    return hlo_instr_attr(convolution, HLO_ATTR_DIM_LABELS)->u.dim_labels;
}

static void change_operand_shapes(hlo_shrink *s, const hlo_instr *instr, hlo_attr *attr) {
    const hlo_shapes *old = attr->u.shapes;
    size_t bytes = sizeof *old + old->n * sizeof old->v[0];
    hlo_shapes *shapes = hlo_arena_copy(&s->module->arena, old, bytes);
    for (uint32_t i = 0; i < old->n; i++)
        shapes->v[i] = new_shape_of(s, hlo_operand(instr, i), old->v[i]);
    attr->u.shapes = shapes;
}

/* Called while shapes are still the old ones. */
static void change_attrs(hlo_shrink *s, hlo_instr *instr, const hlo_shape *shape) {
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        hlo_attr *attr = &instr->attrs[i];
        switch (attr->id) {
        case HLO_ATTR_VALUE:
            if (shape != instr->shape) attr->u.literal = new_literal(s, attr->u.literal, shape);
            break;
        case HLO_ATTR_SLICE: change_slice(s, instr, attr); break;
        case HLO_ATTR_PADDING: change_padding(s, instr, attr); break;
        case HLO_ATTR_DYNAMIC_SLICE_SIZES:
            attr->u.ints = new_sizes(s, attr->u.ints, hlo_shrink_first(s, instr));
            break;
        case HLO_ATTR_SLICE_SIZES: change_slice_sizes(s, instr, attr); break;
        case HLO_ATTR_FFT_LENGTH: change_lengths(s, instr, attr); break;
        case HLO_ATTR_WINDOW:
            if (instr->opcode == HLO_OP_REDUCE_WINDOW) change_window(s, instr, attr);
            break;
        case HLO_ATTR_FEATURE_GROUP_COUNT:
            if (instr->opcode == HLO_OP_CONVOLUTION)
                change_groups(s, instr, attr, labels_of(instr)->input_feature);
            break;
        case HLO_ATTR_BATCH_GROUP_COUNT:
            if (instr->opcode == HLO_OP_CONVOLUTION)
                change_groups(s, instr, attr, labels_of(instr)->input_batch);
            break;
        case HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS: change_operand_shapes(s, instr, attr); break;
        default: break;
        }
    }
}

/* ---- the module ---- */

static void change_header(hlo_shrink *s) {
    const hlo_computation *entry = s->module->entry;
    const hlo_attr *attr = hlo_module_attr(s->module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT);
    const hlo_program_shape *old = attr->u.program_shape;
    size_t bytes = sizeof *old->parameters + old->parameters->n * sizeof old->parameters->v[0];
    hlo_shapes *parameters = hlo_arena_copy(&s->module->arena, old->parameters, bytes);
    for (uint32_t i = 0; i < parameters->n; i++)
        parameters->v[i] = new_shape_of(s, entry->parameters[i], old->parameters->v[i]);
    hlo_program_shape *layout = HLO_NEW(&s->module->arena, hlo_program_shape);
    *layout = (hlo_program_shape){parameters, new_shape_of(s, entry->root, old->result)};
    hlo_module_set_attr(s->module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT,
                                              .at = attr->at,
                                              .u.program_shape = layout});
}

bool hlo_shrink_change(hlo_shrink *s) {
    bool changed = false;
    for (uint32_t n = 0; n < s->count && !changed; n++)
        changed = hlo_shrink_new_size(s, n) != s->dims[n].size;
    if (!changed) return false;
    change_header(s);
    for (hlo_computation *c = s->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            change_attrs(s, i, new_shape_of(s, i, i->shape));
    for (hlo_computation *c = s->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) i->shape = new_shape_of(s, i, i->shape);
    return true;
}
