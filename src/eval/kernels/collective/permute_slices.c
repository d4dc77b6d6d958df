/* Slices of buffers that a collective-permute with slice_sizes moves: see permute_slices.h. */
#include "eval/kernels/collective/permute_slices.h"

#include "eval/kernel/strides.h"

/* ---- boxes ---- */

/* Copies a box of `sizes` between two arrays; offsets are tuples of scalars, clamped so that the
 * box fits. */
static void copy_slice(hlo_value *to, const hlo_value *to_offsets, const hlo_value *from,
                       const hlo_value *from_offsets, const hlo_ints *sizes) {
    uint32_t bytes = hlo_element_bytes(to->shape);
    int64_t *to_strides = hlo_new_strides(to->shape, bytes);
    int64_t *from_strides = hlo_new_strides(from->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < sizes->n; d++) {
        int64_t size = sizes->v[d];
        int64_t there = hlo_index_at(to_offsets->elements[d], 0);
        int64_t here = hlo_index_at(from_offsets->elements[d], 0);
        walk.at[0] += hlo_clamp_index(there, 0, to->shape->dims[d] - size) * to_strides[d];
        walk.at[1] += hlo_clamp_index(here, 0, from->shape->dims[d] - size) * from_strides[d];
        hlo_walk_dim2(&walk, size, to_strides[d], from_strides[d]);
    }
    hlo_copy_walk(&walk, to->data, from->data, bytes);
    hlo_free(to_strides);
    hlo_free(from_strides);
}

static bool slice_fits(const hlo_value *to, const hlo_value *from, const hlo_ints *sizes) {
    bool fits = sizes->n == to->shape->rank && sizes->n == from->shape->rank &&
                to->shape->type == from->shape->type;
    for (uint32_t d = 0; fits && d < sizes->n; d++)
        fits = sizes->v[d] >= 0 && sizes->v[d] <= to->shape->dims[d] &&
               sizes->v[d] <= from->shape->dims[d];
    return fits;
}

/* ---- offsets ---- */

/* Offsets are one tuple, or a tuple of them with one slice each. */
static bool have_many(const hlo_shape *offsets) {
    return offsets->rank && hlo_shape_is_tuple(offsets->elements[0]);
}

/* A tuple with an integer for each dimension of the buffer. */
static bool is_offset(const hlo_shape *shape, const hlo_shape *buffer) {
    if (!hlo_shape_is_tuple(shape) || shape->rank != buffer->rank) return false;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!hlo_shape_is_scalar(shape->elements[i]) ||
            !hlo_type_is_integral((hlo_type)shape->elements[i]->type))
            return false;
    return true;
}

/* Offsets in the buffer, as many as those in the input. */
static bool are_offsets(const hlo_shape *offsets, const hlo_shape *buffer,
                        const hlo_shape *in_input) {
    if (!have_many(in_input)) return is_offset(offsets, buffer);
    if (!hlo_shape_is_tuple(offsets) || offsets->rank != in_input->rank) return false;
    for (uint32_t i = 0; i < offsets->rank; i++)
        if (!is_offset(offsets->elements[i], buffer)) return false;
    return true;
}

/* The verifier, like XLA's, counts offsets and does not look at what they are. */
bool hlo_prepare_slice_offsets(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    uint32_t buffers = hlo_shape_part_count(hlo_operand(instr, 0)->shape);
    for (uint32_t i = 0; i < 2 * buffers; i++) {
        const hlo_shape *buffer = hlo_shape_part(hlo_operand(instr, i % 2)->shape, i / 2);
        const hlo_shape *in_input = hlo_operand(instr, 2)->shape, *offsets = in_input;
        if (i % 2) offsets = hlo_operand(instr, 3)->shape;
        if (hlo_shape_is_tuple(hlo_operand(instr, 0)->shape)) {
            in_input = in_input->elements[i / 2];
            offsets = offsets->elements[i / 2];
        }
        if (!are_offsets(offsets, buffer, in_input))
            return hlo_prepare_error(p, HLO_RULE_PERMUTE_BUFFERS,
                                     "has %s as offsets in %s, not an integer for each dimension "
                                     "of every slice",
                                     hlo_shape_name(p->arena, offsets),
                                     hlo_shape_name(p->arena, buffer));
    }
    return true;
}

/* ---- moving ---- */

/* One input, one output, and offsets in both. */
typedef struct {
    const hlo_value *from, *from_at, *to_at;
    hlo_value *to;
} permuted_buffer;

/* Checks slice k, and copies it when it moves. */
static bool move_slice(hlo_call *call, const permuted_buffer *b, const hlo_ints *sizes, uint32_t k,
                       bool moves) {
    bool has_many = have_many(b->from_at->shape);
    if (!slice_fits(b->to, b->from, sizes))
        return hlo_call_error(call, "has slices outside of its buffers");
    if (moves)
        copy_slice(b->to, has_many ? b->to_at->elements[k] : b->to_at, b->from,
                   has_many ? b->from_at->elements[k] : b->from_at, sizes);
    return true;
}

/* The slice of number `slice` moves. *used counts entries of slice_sizes. */
static bool permute_buffer(hlo_call *call, const hlo_int_lists *sizes, const permuted_buffer *b,
                           uint32_t slice, uint32_t *used) {
    uint32_t slices = have_many(b->from_at->shape) ? b->from_at->shape->rank : 1;
    for (uint32_t k = 0; k < slices; k++, ++*used) {
        if (*used >= sizes->n) return hlo_call_error(call, "has slices outside of its buffers");
        if (!move_slice(call, b, sizes->v[*used], k, k == slice)) return false;
    }
    return true;
}

bool hlo_take_slice(hlo_call *call, const hlo_int_lists *sizes, const hlo_value *message,
                    uint32_t slice, hlo_value *out) {
    hlo_value *const *in = message->elements;
    uint32_t used = 0, buffers = in[0]->elements ? in[0]->shape->rank : 1;
    bool good = true;
    for (uint32_t i = 0; good && i < buffers; i++) {
        permuted_buffer b = {in[0], in[2], in[3], out};
        if (in[0]->elements)
            b = (permuted_buffer){in[0]->elements[i], in[2]->elements[i], in[3]->elements[i],
                                  out->elements[i]};
        good = permute_buffer(call, sizes, &b, slice, &used);
    }
    return good;
}
