/* Infeed, outfeed and transfers of builders: with tokens, and as XLA Operation Semantics has them,
 * without; then a chain of tokens in each computation keeps them in the order in which they are
 * made. */
#include "build/builder.h"

/* ---- tokens ---- */

static const hlo_shape *token_shape(hlo_builder *b) {
    return hlo_shape_token(hlo_builder_shapes(b));
}

static const hlo_instr *newest_token(hlo_builder *b) {
    if (b->frame->token) return b->frame->token;
    hlo_builder_next next = hlo_builder_take_next(b);
    const hlo_instr *token =
        hlo_builder_made(b, HLO_OP_AFTER_ALL, NULL, HLO_NO_INSTRS, HLO_NO_ATTRS);
    hlo_builder_give_back(b, next);
    return token;
}

static void chain(hlo_builder *b, const hlo_instr *token) {
    if (token) b->frame->token = (hlo_instr *)(uintptr_t)token;
}

/* The data of a tuple of data and token; the token goes on. */
static const hlo_instr *data_of(hlo_builder *b, const hlo_instr *pair) {
    if (!pair) return NULL;
    const hlo_instr *data = hlo_builder_get_tuple_element(b, pair, 0);
    chain(b, hlo_builder_get_tuple_element(b, pair, 1));
    return hlo_builder_failed(b) ? NULL : data;
}

/* ---- infeed and outfeed ---- */

const hlo_instr *hlo_builder_infeed_with_token(hlo_builder *b, const hlo_instr *token,
                                               const hlo_shape *shape, const char *config) {
    HLO_BUILDER_TAKES(b, token, shape);
    const hlo_shape *parts[] = {hlo_builder_own_shape(b, shape), token_shape(b)};
    return hlo_builder_made(b, HLO_OP_INFEED, hlo_shape_tuple(hlo_builder_shapes(b), parts, 2),
                            HLO_INSTRS(token),
                            HLO_ATTRS(hlo_builder_string(b, HLO_ATTR_INFEED_CONFIG, config)));
}

const hlo_instr *hlo_builder_infeed(hlo_builder *b, const hlo_shape *shape, const char *config) {
    HLO_BUILDER_TAKES(b, shape);
    const hlo_instr *token = newest_token(b);
    return token ? data_of(b, hlo_builder_infeed_with_token(b, token, shape, config)) : NULL;
}

const hlo_instr *hlo_builder_outfeed_with_token(hlo_builder *b, const hlo_instr *operand,
                                                const hlo_instr *token, const hlo_shape *shape,
                                                const char *config) {
    HLO_BUILDER_TAKES(b, operand, token, shape);
    hlo_attr layout = {.id = HLO_ATTR_OUTFEED_SHAPE, .u.shape = hlo_builder_own_shape(b, shape)};
    return hlo_builder_made(
        b, HLO_OP_OUTFEED, token_shape(b), HLO_INSTRS(operand, token),
        HLO_ATTRS(layout, hlo_builder_string(b, HLO_ATTR_OUTFEED_CONFIG, config)));
}

const hlo_instr *hlo_builder_outfeed(hlo_builder *b, const hlo_instr *operand,
                                     const hlo_shape *shape, const char *config) {
    HLO_BUILDER_TAKES(b, operand, shape);
    const hlo_instr *token = newest_token(b);
    if (!token) return NULL;
    const hlo_instr *done = hlo_builder_outfeed_with_token(b, operand, token, shape, config);
    chain(b, done);
    return done;
}

/* ---- transfers ---- */

/* What a send or a recv gives: the data, u32[] and a token. */
static const hlo_shape *context_shape(hlo_builder *b, const hlo_shape *data) {
    const hlo_shape *parts[] = {hlo_builder_own_shape(b, data),
                                hlo_shape_scalar(hlo_builder_shapes(b), HLO_U32), token_shape(b)};
    return hlo_shape_tuple(hlo_builder_shapes(b), parts, 3);
}

const hlo_instr *hlo_builder_send_with_token(hlo_builder *b, const hlo_instr *operand,
                                             const hlo_instr *token, int64_t channel_id,
                                             bool is_host_transfer) {
    HLO_BUILDER_TAKES(b, operand, token);
    return hlo_builder_made(
        b, HLO_OP_SEND, context_shape(b, operand->shape), HLO_INSTRS(operand, token),
        HLO_ATTRS(hlo_builder_channel(channel_id),
                  hlo_builder_flag(HLO_ATTR_IS_HOST_TRANSFER, is_host_transfer)));
}

const hlo_instr *hlo_builder_recv_with_token(hlo_builder *b, const hlo_instr *token,
                                             const hlo_shape *shape, int64_t channel_id,
                                             bool is_host_transfer) {
    HLO_BUILDER_TAKES(b, token, shape);
    return hlo_builder_made(
        b, HLO_OP_RECV, context_shape(b, shape), HLO_INSTRS(token),
        HLO_ATTRS(hlo_builder_channel(channel_id),
                  hlo_builder_flag(HLO_ATTR_IS_HOST_TRANSFER, is_host_transfer)));
}

const hlo_instr *hlo_builder_send(hlo_builder *b, const hlo_instr *operand, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    const hlo_instr *token = newest_token(b);
    return token ? hlo_builder_send_with_token(b, operand, token, channel_id, false) : NULL;
}

const hlo_instr *hlo_builder_recv(hlo_builder *b, const hlo_shape *shape, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, shape);
    const hlo_instr *token = newest_token(b);
    return token ? hlo_builder_recv_with_token(b, token, shape, channel_id, false) : NULL;
}

/* The channel and kind of a transfer are those of its start. */
static hlo_attr of_start(const hlo_instr *start, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const hlo_attr *attr = hlo_instr_attr(start, id);
    return attr ? hlo_builder_int(id, attr->u.i) : hlo_builder_no_attr();
}

static const hlo_instr *done(hlo_builder *b, hlo_opcode opcode, hlo_opcode wanted,
                             const hlo_instr *start) {
    if (start->opcode != wanted)
        return hlo_builder_fail(b, HLO_RULE_START_DONE,
                                "%s: the context must be the result of %s, not of %s",
                                hlo_ops[opcode].text, hlo_ops[wanted].text, hlo_info(start)->text);
    return hlo_builder_made(b, opcode, NULL, HLO_INSTRS(start),
                            HLO_ATTRS(of_start(start, HLO_ATTR_CHANNEL_ID),
                                      of_start(start, HLO_ATTR_IS_HOST_TRANSFER)));
}

const hlo_instr *hlo_builder_send_done(hlo_builder *b, const hlo_instr *context) {
    HLO_BUILDER_TAKES(b, context);
    const hlo_instr *token = done(b, HLO_OP_SEND_DONE, HLO_OP_SEND, context);
    chain(b, token);
    return token;
}

const hlo_instr *hlo_builder_recv_done(hlo_builder *b, const hlo_instr *context) {
    HLO_BUILDER_TAKES(b, context);
    return data_of(b, done(b, HLO_OP_RECV_DONE, HLO_OP_RECV, context));
}

static const hlo_instr *done_with_token(hlo_builder *b, hlo_opcode opcode, const hlo_instr *context,
                                        int64_t channel_id, bool is_host_transfer) {
    return hlo_builder_made(
        b, opcode, NULL, HLO_INSTRS(context),
        HLO_ATTRS(hlo_builder_channel(channel_id),
                  hlo_builder_flag(HLO_ATTR_IS_HOST_TRANSFER, is_host_transfer)));
}

const hlo_instr *hlo_builder_send_done_with_token(hlo_builder *b, const hlo_instr *context,
                                                  int64_t channel_id, bool is_host_transfer) {
    HLO_BUILDER_TAKES(b, context);
    return done_with_token(b, HLO_OP_SEND_DONE, context, channel_id, is_host_transfer);
}

const hlo_instr *hlo_builder_recv_done_with_token(hlo_builder *b, const hlo_instr *context,
                                                  int64_t channel_id, bool is_host_transfer) {
    HLO_BUILDER_TAKES(b, context);
    return done_with_token(b, HLO_OP_RECV_DONE, context, channel_id, is_host_transfer);
}
