/* Collectives of a run on one device: what one device exchanges with itself. Called through the
 * kernel table. */
#include "eval/eval.h"
#include "eval/ref/strides.h"

static bool is_alone(hlo_eval *eval, const hlo_instr *instr) {
    const hlo_program_options *options = &eval->program->options;
    if (options->replicas == 1 && options->partitions == 1) return true;
    hlo_eval_error(eval, instr, "exchanges data between devices; only one is supported");
    return false;
}

/* The operands as a value of `shape`: the only one, or all of them as a tuple. */
static hlo_value *operands_as(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                              const hlo_shape *shape) {
    uint32_t n = instr->operand_count;
    bool is_tuple = hlo_shape_is_tuple(shape);
    bool fits = is_tuple ? shape->rank == n : n == 1;
    for (uint32_t i = 0; i < n && fits; i++)
        fits = hlo_shape_compatible(is_tuple ? shape->elements[i] : shape, args[i]->shape);
    if (!fits) {
        hlo_eval_error(eval, instr, "has a result that requires more than one device");
        return NULL;
    }
    if (!is_tuple) return hlo_value_retain(args[0]);
    hlo_value *tuple = hlo_value_new(shape);
    for (uint32_t i = 0; i < n && tuple; i++) tuple->elements[i] = hlo_value_retain(args[i]);
    return tuple;
}

static hlo_value *exchange(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    return is_alone(eval, instr) ? operands_as(eval, instr, args, instr->shape) : NULL;
}

/* (operands, result, contexts ...) of a start half; `result` is taken. */
static hlo_value *start_half(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                             hlo_value *result) {
    const hlo_shape *shape = instr->shape;
    hlo_value *first = result ? operands_as(eval, instr, args, shape->elements[0]) : NULL;
    hlo_value *tuple = first ? hlo_value_zeros(shape) : NULL;
    if (!tuple) {
        hlo_value_release(first);
        hlo_value_release(result);
        return NULL;
    }
    hlo_value_release(tuple->elements[0]);
    hlo_value_release(tuple->elements[1]);
    tuple->elements[0] = first;
    tuple->elements[1] = result;
    return tuple;
}

static bool is_start_shape(hlo_eval *eval, const hlo_instr *instr) {
    if (hlo_shape_is_tuple(instr->shape) && instr->shape->rank >= 2) return true;
    hlo_eval_error(eval, instr, "has a result that is not (operands, result, contexts ...)");
    return false;
}

static hlo_value *done_half(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (args[0]->elements && args[0]->shape->rank >= 2)
        return hlo_value_retain(args[0]->elements[1]);
    hlo_eval_error(eval, instr, "has an operand that is not (operands, result, contexts ...)");
    return NULL;
}

/* ---- ops that give one device its own operands ---- */

hlo_value *hlo_eval_all_reduce(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    return exchange(eval, instr, args);
}

hlo_value *hlo_eval_all_reduce_start(hlo_eval *eval, const hlo_instr *instr,
                                     hlo_value *const *args) {
    return exchange(eval, instr, args);
}

hlo_value *hlo_eval_all_reduce_done(hlo_eval *eval, const hlo_instr *instr,
                                    hlo_value *const *args) {
    (void)eval;
    (void)instr;
    return hlo_value_retain(args[0]);
}

hlo_value *hlo_eval_all_gather(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    return exchange(eval, instr, args);
}

hlo_value *hlo_eval_all_gather_start(hlo_eval *eval, const hlo_instr *instr,
                                     hlo_value *const *args) {
    if (!is_alone(eval, instr) || !is_start_shape(eval, instr)) return NULL;
    return start_half(eval, instr, args, operands_as(eval, instr, args, instr->shape->elements[1]));
}

hlo_value *hlo_eval_all_gather_done(hlo_eval *eval, const hlo_instr *instr,
                                    hlo_value *const *args) {
    return done_half(eval, instr, args);
}

hlo_value *hlo_eval_all_to_all(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    return exchange(eval, instr, args);
}

hlo_value *hlo_eval_reduce_scatter(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    return exchange(eval, instr, args);
}

hlo_value *hlo_eval_collective_broadcast(hlo_eval *eval, const hlo_instr *instr,
                                         hlo_value *const *args) {
    return exchange(eval, instr, args);
}

/* ---- collective-permute ---- */

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

/* One buffer: offsets are one tuple, or a tuple of them with one slice each; the k-th pair of the
 * device with itself moves slice k. *used counts entries of slice_sizes. */
static bool permute_buffer(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                           hlo_value *to, uint32_t *used) {
    const hlo_int_lists *sizes = hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES)->u.int_lists;
    const hlo_value *from = args[0], *from_at = args[2], *to_at = args[3];
    const hlo_attr *pairs = hlo_instr_attr(instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    uint32_t moves = pairs ? pairs->u.int_lists->n : 0;
    bool has_many = from_at->shape->rank && hlo_shape_is_tuple(from_at->shape->elements[0]);
    uint32_t slices = has_many ? from_at->shape->rank : 1;
    for (uint32_t k = 0; k < slices; k++, ++*used) {
        bool fits = *used < sizes->n && to_at->shape->rank >= (has_many ? slices : 0) &&
                    slice_fits(to, from, sizes->v[*used]);
        if (!fits) {
            hlo_eval_error(eval, instr, "has slices outside of its buffers");
            return false;
        }
        if (k < moves)
            copy_slice(to, has_many ? to_at->elements[k] : to_at, from,
                       has_many ? from_at->elements[k] : from_at, sizes->v[*used]);
    }
    return true;
}

/* Operands: input, output, offsets in the input, offsets in the output; buffers may be tuples. The
 * result is the output with slices of the input. */
static hlo_value *permuted_in_place(hlo_eval *eval, const hlo_instr *instr,
                                    hlo_value *const *args) {
    uint32_t used = 0, buffers = args[0]->elements ? args[0]->shape->rank : 1;
    bool is_tuple = args[0]->elements != NULL, good = true;
    hlo_value *out =
        is_tuple ? hlo_value_new(args[1]->shape) : hlo_value_reuse(args[1], args[1]->shape);
    for (uint32_t i = 0; out && good && i < buffers; i++) {
        if (is_tuple)
            out->elements[i] = hlo_value_reuse(args[1]->elements[i], args[1]->shape->elements[i]);
        hlo_value *const one[] = {is_tuple ? args[0]->elements[i] : args[0], NULL,
                                  is_tuple ? args[2]->elements[i] : args[2],
                                  is_tuple ? args[3]->elements[i] : args[3]};
        hlo_value *to = is_tuple ? out->elements[i] : out;
        good = to && permute_buffer(eval, instr, one, to, &used);
    }
    if (good) return out;
    hlo_value_release(out);
    return NULL;
}

/* A device that receives from nobody gets zeros. */
static hlo_value *permuted(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                           const hlo_shape *shape) {
    if (hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES))
        return permuted_in_place(eval, instr, args);
    const hlo_attr *pairs = hlo_instr_attr(instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    bool receives = pairs && pairs->u.int_lists->n;
    return receives ? operands_as(eval, instr, args, shape) : hlo_value_zeros(shape);
}

hlo_value *hlo_eval_collective_permute(hlo_eval *eval, const hlo_instr *instr,
                                       hlo_value *const *args) {
    return is_alone(eval, instr) ? permuted(eval, instr, args, instr->shape) : NULL;
}

hlo_value *hlo_eval_collective_permute_start(hlo_eval *eval, const hlo_instr *instr,
                                             hlo_value *const *args) {
    if (!is_alone(eval, instr) || !is_start_shape(eval, instr)) return NULL;
    hlo_value *result = permuted(eval, instr, args, instr->shape->elements[1]);
    if (!result || !hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES))
        return start_half(eval, instr, args, result);
    hlo_value *tuple = hlo_value_zeros(instr->shape);
    if (tuple) {
        hlo_value_release(tuple->elements[0]);
        hlo_value_release(tuple->elements[1]);
        tuple->elements[0] = hlo_value_retain(args[0]);
        tuple->elements[1] = hlo_value_retain(result);
    }
    hlo_value_release(result);
    return tuple;
}

hlo_value *hlo_eval_collective_permute_done(hlo_eval *eval, const hlo_instr *instr,
                                            hlo_value *const *args) {
    return done_half(eval, instr, args);
}

/* ---- ragged-all-to-all ---- */

/* Operands: data, target, input offsets, send sizes, output offsets, receive sizes. Rows of the
 * data go to rows of the target. */
hlo_value *hlo_eval_ragged_all_to_all(hlo_eval *eval, const hlo_instr *instr,
                                      hlo_value *const *args) {
    if (!is_alone(eval, instr)) return NULL;
    const hlo_shape *from = args[0]->shape, *to = args[1]->shape;
    hlo_value *out = hlo_value_reuse(args[1], instr->shape);
    if (!out || !from->rank || !from->dims[0] || !hlo_shape_elements(to)) return out;
    int64_t row = hlo_shape_elements(from) / from->dims[0] * hlo_element_bytes(from);
    for (int64_t i = 0; i < hlo_shape_elements(args[2]->shape); i++) {
        int64_t source = hlo_index_at(args[2], i), n = hlo_index_at(args[3], i);
        int64_t target = hlo_index_at(args[4], i);
        if (n < 0 || source < 0 || target < 0 || source > from->dims[0] - n ||
            target > to->dims[0] - n) {
            hlo_eval_error(eval, instr, "sends or receives rows that its operands do not have");
            hlo_value_release(out);
            return NULL;
        }
        memcpy((char *)out->data + target * row, (const char *)args[0]->data + source * row,
               (size_t)(n * row));
    }
    return out;
}
