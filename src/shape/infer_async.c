/* Shapes of async-start, async-update and async-done: ((operands...), result, contexts...) of the
 * wrapped computation, passed along a chain. */
#include "shape/rules.h"

/* The async-start at the head of the operand's chain, or NULL where the operand is none. Chains are
 * as long as the text makes them: this walks, it does not recurse. */
static const hlo_instr *chain_start(const hlo_inference *in) {
    const hlo_instr *at = in->draft->operands[0];
    while (at->opcode == HLO_OP_ASYNC_UPDATE && at->operand_count) at = hlo_operand(at, 0);
    return at->opcode == HLO_OP_ASYNC_START ? at : NULL;
}

static bool wrapped_signature(hlo_inference *in, const hlo_instr *start, hlo_signature *out) {
    const hlo_attr *calls = hlo_instr_attr(start, HLO_ATTR_CALLS);
    if (calls && calls->u.computation) return hlo_infer_signature(in, calls->u.computation, out);
    return hlo_refuse(in, HLO_RULE_ASYNC, 0, "the async-start calls no computation");
}

/* The stated shape binds the first parameters of the computation and what is known of its result.
 */
static bool check_form(hlo_inference *in, const hlo_signature *wrapped) {
    const hlo_shape *stated = in->stated;
    if (!hlo_is_async_shape(stated))
        return hlo_refuse(in, HLO_RULE_ASYNC_SHAPE, HLO_NOWHERE,
                          "the result is %s and must be ((operands...), result, ...)",
                          hlo_infer_text(in, stated));
    const hlo_shape *parameters = hlo_make_tuple(in, wrapped->parameters, wrapped->n);
    if (!hlo_shape_is_prefix(stated->elements[0], parameters, hlo_shapes_compatible) ||
        !hlo_shape_is_prefix(stated->elements[1], wrapped->result, hlo_shapes_compatible))
        return hlo_refuse(in, HLO_RULE_ASYNC_SHAPE, HLO_NOWHERE, "the result is %s and %s is %s",
                          hlo_infer_text(in, stated), wrapped->name,
                          hlo_infer_signature_text(in, wrapped));
    return true;
}

const hlo_shape *hlo_infer_async_start(hlo_inference *in) {
    hlo_signature wrapped;
    if (!hlo_expect_stated(in) || !hlo_infer_callee(in, HLO_ATTR_CALLS, &wrapped) ||
        !check_form(in, &wrapped))
        return NULL;
    const hlo_shape *bound = in->stated->elements[0];
    if (bound->rank != in->n)
        return hlo_infer_fail(in, HLO_RULE_ASYNC_SHAPE, HLO_NOWHERE,
                              "it has %s, but the result, %s, lists %u",
                              hlo_infer_count_text(in, in->n, "operand"),
                              hlo_infer_text(in, in->stated), bound->rank);
    for (uint32_t i = 0; i < in->n; i++)
        if (!hlo_shapes_compatible(bound->elements[i], in->operands[i], 0))
            return hlo_infer_fail(
                in, HLO_RULE_ASYNC_SHAPE, (int)i, "operand %u is %s, but %s in the result", i,
                hlo_infer_text(in, in->operands[i]), hlo_infer_text(in, bound->elements[i]));
    return in->stated;
}

/* An operand that is no link of a chain is a separate error. */
static bool read_chain(hlo_inference *in, hlo_signature *wrapped) {
    const hlo_instr *start = chain_start(in);
    if (!start || !hlo_is_async_shape(in->operands[0]))
        return hlo_refuse(in, HLO_RULE_ASYNC, 0,
                          "operand 0, %s, must be an async-start or an async-update",
                          hlo_infer_text(in, in->operands[0]));
    return wrapped_signature(in, start, wrapped);
}

/* Operands after the first bind further parameters. */
static bool check_bound(hlo_inference *in, const hlo_shape *before, const hlo_shape *after) {
    if (after->rank - before->rank != in->n - 1)
        return hlo_refuse(in, HLO_RULE_ASYNC_SHAPE, 0, "%s more and %s becomes %s",
                          hlo_infer_count_text(in, in->n - 1, "operand"),
                          hlo_infer_text(in, before), hlo_infer_text(in, after));
    for (uint32_t i = 1; i < in->n; i++) {
        const hlo_shape *bound = after->elements[before->rank + i - 1];
        if (!hlo_shapes_compatible(bound, in->operands[i], 0))
            return hlo_refuse(in, HLO_RULE_ASYNC_SHAPE, (int)i,
                              "operand %u is %s, but %s in the result", i,
                              hlo_infer_text(in, in->operands[i]), hlo_infer_text(in, bound));
    }
    return true;
}

const hlo_shape *hlo_infer_async_update(hlo_inference *in) {
    hlo_signature wrapped;
    if (!hlo_expect_stated(in) || !read_chain(in, &wrapped) || !check_form(in, &wrapped))
        return NULL;
    const hlo_shape *before = in->operands[0], *after = in->stated;
    if (!hlo_shape_is_prefix(before->elements[0], after->elements[0], hlo_shapes_compatible) ||
        !hlo_shape_is_prefix(before->elements[1], after->elements[1], hlo_shapes_compatible))
        return hlo_infer_fail(in, HLO_RULE_ASYNC_SHAPE, 0, "operand 0 is %s and the result is %s",
                              hlo_infer_text(in, before), hlo_infer_text(in, after));
    return check_bound(in, before->elements[0], after->elements[0]) ? after : NULL;
}

const hlo_shape *hlo_infer_async_done(hlo_inference *in) {
    hlo_signature wrapped;
    if (!read_chain(in, &wrapped)) return NULL;
    const hlo_shape *parameters = hlo_make_tuple(in, wrapped.parameters, wrapped.n);
    if (!hlo_shapes_compatible(in->operands[0]->elements[0], parameters, 0))
        return hlo_infer_fail(in, HLO_RULE_ASYNC_SHAPE, 0,
                              "operand 0, %s, does not bind all parameters of %s, %s",
                              hlo_infer_text(in, in->operands[0]), wrapped.name,
                              hlo_infer_signature_text(in, &wrapped));
    return wrapped.result;
}
