/* Kernels of infeed and outfeed: values from and to the host, through the functions of
 * hlo_eval_options. Called through the kernel table. */
#include "eval/context.h"

/* (data, token) */
hlo_value *hlo_eval_infeed(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_shape *shape = instr->shape;
    if (!hlo_shape_is_tuple(shape) || shape->rank != 2 || !eval->options.infeed) {
        hlo_eval_error(eval, instr, "has no (data, token) to take from the host");
        return NULL;
    }
    hlo_value *result = hlo_value_new(shape);
    if (!result) return NULL;
    result->elements[0] =
        eval->options.infeed(eval->options.feed_context, instr, shape->elements[0]);
    result->elements[1] = hlo_value_retain(args[0]);
    if (result->elements[0]) return result;
    hlo_value_release(result);
    return NULL;
}

hlo_value *hlo_eval_outfeed(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!eval->options.outfeed) {
        hlo_eval_error(eval, instr, "has nowhere to go on the host");
        return NULL;
    }
    if (!eval->options.outfeed(eval->options.feed_context, instr, args[0])) return NULL;
    return hlo_value_retain(args[1]);
}
