/* Shapes of transfers between devices and hosts, of asynchronous copies, and of random numbers. */
#include "shape/rules.h"

static const hlo_shape *token(hlo_inference *in) {
    return hlo_shape_token(&in->module->shapes);
}

/* (data, context of type u32, token): what send and recv pass to their done instruction. */
static const hlo_shape *with_context(hlo_inference *in, const hlo_shape *data) {
    const hlo_shape *elements[] = {data, hlo_make_scalar(in, HLO_U32), token(in)};
    return hlo_make_tuple(in, elements, 3);
}

/* The first element of a stated tuple, which is the shape of the data. */
static const hlo_shape *stated_data(hlo_inference *in) {
    if (!hlo_expect_stated(in)) return NULL;
    if (hlo_shape_is_tuple(in->stated) && in->stated->rank > 0) return in->stated->elements[0];
    return hlo_infer_fail(in, HLO_RULE_RESULT_SHAPE, HLO_NOWHERE,
                          "the result is %s and must be a tuple that begins with the data",
                          hlo_infer_text(in, in->stated));
}

static const hlo_shape *element_of(hlo_inference *in, uint32_t element) {
    HLO_ASSERT(in->n > 0);
    const hlo_shape *operand = in->operands[0];
    if (hlo_shape_is_tuple(operand) && operand->rank > element) return operand->elements[element];
    return hlo_infer_fail(in, HLO_RULE_TUPLE_INDEX, 0,
                          "operand 0 is %s and must be a tuple of more than %u elements",
                          hlo_infer_text(in, operand), element);
}

const hlo_shape *hlo_infer_infeed(hlo_inference *in) {
    const hlo_shape *data = stated_data(in);
    return data && hlo_expect_token(in, 0) ? hlo_make_pair(in, data, token(in)) : NULL;
}

const hlo_shape *hlo_infer_outfeed(hlo_inference *in) {
    const hlo_attr *shape = hlo_infer_attr(in, HLO_ATTR_OUTFEED_SHAPE);
    if (!hlo_expect_token(in, 1)) return NULL;
    if (shape && !hlo_shapes_compatible(shape->u.shape, in->operands[0], 0))
        return hlo_infer_fail(
            in, HLO_RULE_OUTFEED_SHAPE, 0, "operand 0 is %s and outfeed_shape is %s",
            hlo_infer_text(in, in->operands[0]), hlo_infer_text(in, shape->u.shape));
    return token(in);
}

const hlo_shape *hlo_infer_send(hlo_inference *in) {
    return hlo_expect_token(in, 1) ? with_context(in, in->operands[0]) : NULL;
}

const hlo_shape *hlo_infer_send_done(hlo_inference *in) {
    return token(in);
}

const hlo_shape *hlo_infer_recv(hlo_inference *in) {
    const hlo_shape *data = hlo_expect_token(in, 0) ? stated_data(in) : NULL;
    return data ? with_context(in, data) : NULL;
}

const hlo_shape *hlo_infer_recv_done(hlo_inference *in) {
    const hlo_shape *data = element_of(in, 0);
    return data ? hlo_make_pair(in, data, token(in)) : NULL;
}

const hlo_shape *hlo_infer_copy_start(hlo_inference *in) {
    const hlo_shape *elements[] = {in->operands[0], in->operands[0], hlo_make_scalar(in, HLO_U32)};
    return hlo_make_tuple(in, elements, 3);
}

const hlo_shape *hlo_infer_copy_done(hlo_inference *in) {
    const hlo_shape *source = element_of(in, 1), *destination = source ? element_of(in, 0) : NULL;
    if (!destination) return NULL;
    if (hlo_shapes_compatible(destination, source, 0)) return destination;
    return hlo_infer_fail(in, HLO_RULE_COPY_BUFFERS, 0,
                          "the destination is %s and the source is %s",
                          hlo_infer_text(in, destination), hlo_infer_text(in, source));
}

/* ---- random numbers ---- */

/* Proto numbers of the words of attribute distribution. */
enum { UNIFORM = 1 };

/* A third operand is the result's shape, as StableHLO has it. Nothing reads it. */
static bool check_shape_operand(hlo_inference *in) {
    if (in->n < 3) return true;
    const hlo_shape *shape = in->operands[2];
    if (hlo_type_is_integral((hlo_type)shape->type) && shape->rank == 1 &&
        shape->dims[0] == in->stated->rank)
        return true;
    return hlo_refuse(in, HLO_RULE_RNG_OPERANDS, 2,
                      "operand 2 is %s and must be an integer for each dimension of %s, its shape",
                      hlo_infer_text(in, shape), hlo_infer_text(in, in->stated));
}

const hlo_shape *hlo_infer_rng(hlo_inference *in) {
    if (!hlo_expect_stated(in)) return NULL;
    const hlo_shape *a = in->operands[0], *b = in->operands[1];
    if (!hlo_shape_is_scalar(a) || !hlo_shape_is_scalar(b) || a->type != b->type)
        return hlo_infer_fail(in, HLO_RULE_RNG_OPERANDS, 1,
                              "operands are %s and %s and must be scalars of one type",
                              hlo_infer_text(in, a), hlo_infer_text(in, b));
    if (!hlo_same_type(in, in->stated, a))
        return hlo_infer_fail(in, HLO_RULE_RNG_OPERANDS, 0,
                              "operands are %s and the result is %s: their element types differ",
                              hlo_infer_text(in, a), hlo_infer_text(in, in->stated));
    bool uniform = hlo_infer_int(in, HLO_ATTR_DISTRIBUTION) == UNIFORM;
    if (uniform ? hlo_type_is_complex((hlo_type)a->type) : !hlo_type_is_float((hlo_type)a->type))
        return hlo_infer_fail(in, HLO_RULE_ELEMENT_TYPE, 0,
                              "operand 0 is %s and must be of %s type", hlo_infer_text(in, a),
                              uniform ? "pred, integer or floating-point" : "floating-point");
    return check_shape_operand(in) ? in->stated : NULL;
}

const hlo_shape *hlo_infer_rng_bit_generator(hlo_inference *in) {
    if (!hlo_expect_stated(in)) return NULL;
    const hlo_shape *stated = in->stated, *state = in->operands[0];
    if (!hlo_shape_is_tuple(stated)) return stated;
    if (stated->rank == 2 && hlo_shapes_compatible(state, stated->elements[0], 0)) return stated;
    return hlo_infer_fail(in, HLO_RULE_RNG_STATE, 0,
                          "operand 0 is %s and the result is %s: it must be the state and the data",
                          hlo_infer_text(in, state), hlo_infer_text(in, stated));
}

const hlo_shape *hlo_infer_rng_get_and_update_state(hlo_inference *in) {
    hlo_dims dims = hlo_dims_new(in, 1);
    dims.size[0] = 2;
    return hlo_make_array(in, HLO_U64, dims);
}
