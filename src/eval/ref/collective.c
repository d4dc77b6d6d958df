/* Collectives of a run on one device: what one device exchanges with itself. Called through the
 * kernel table. */
#include "eval/ref/strides.h"

static bool is_alone(hlo_eval *eval, const hlo_instr *instr) {
    const hlo_eval_options *options = hlo_eval_get_options(eval);
    if (options->replicas == 1 && options->partitions == 1) return true;
    hlo_eval_error(eval, instr, "exchanges data between devices: this evaluator has one");
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
        hlo_eval_error(eval, instr, "has a result that takes more than one device");
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

/* A device that receives from nobody gets zeros. */
static hlo_value *permuted(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                           const hlo_shape *shape) {
    if (hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES)) {
        hlo_eval_error(eval, instr, "permutes slices in place, which cannot be executed");
        return NULL;
    }
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
    return start_half(eval, instr, args, permuted(eval, instr, args, instr->shape->elements[1]));
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
