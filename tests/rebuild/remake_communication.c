/* Remade instructions: collectives, transfers from and to the host, and asynchronous operations. */
#include "rebuild/remake.h"

/* ---- arguments ---- */

static hlo_group_list lists(const remaking *r, const hlo_int_lists *from) {
    hlo_int_list *list = HLO_NEW_ARRAY(r->scratch, hlo_int_list, from->n);
    for (uint32_t i = 0; i < from->n; i++) list[i] = (hlo_int_list){from->v[i]->n, from->v[i]->v};
    return (hlo_group_list){from->n, list};
}

/* Groups that are no lists are words. */
static hlo_group_list groups(remaking *r, const hlo_instr *old) {
    const hlo_attr *attr = hlo_instr_attr(old, HLO_ATTR_REPLICA_GROUPS);
    if (attr && attr->u.groups->form == HLO_GROUPS_LIST) return lists(r, attr->u.groups->lists);
    if (attr) remake_in_words(r, attr);
    return (hlo_group_list){0, NULL};
}

static hlo_group_list pairs(const remaking *r, const hlo_instr *old) {
    return lists(r, hlo_instr_attr(old, HLO_ATTR_SOURCE_TARGET_PAIRS)->u.int_lists);
}

/* A channel 0 is one in words only. */
static int64_t channel(remaking *r, const hlo_instr *old) {
    const hlo_attr *attr = hlo_instr_attr(old, HLO_ATTR_CHANNEL_ID);
    if (attr && !attr->u.i) remake_in_words(r, attr);
    return attr ? attr->u.i : 0;
}
/* ---- asynchronous operations ---- */

const hlo_instr *remake_async_start(remaking *r, const hlo_instr *old) {
    return hlo_builder_async_start(r->b, callee(r, old, HLO_ATTR_CALLS), all_ops(r), NULL);
}

const hlo_instr *remake_async_update(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_async_update(r->b, op(r, 0), ops_after(r, 1));
}

#define REMAKE_DONE(name)                                               \
    const hlo_instr *remake_##name(remaking *r, const hlo_instr *old) { \
        (void)old;                                                      \
        return hlo_builder_##name(r->b, op(r, 0));                      \
    }
REMAKE_DONE(async_done)
REMAKE_DONE(copy_start)
REMAKE_DONE(copy_done)
REMAKE_DONE(all_gather_done)
REMAKE_DONE(all_reduce_done)
REMAKE_DONE(collective_permute_done)

/* ---- host and transfers ---- */

const hlo_instr *remake_infeed(remaking *r, const hlo_instr *old) {
    return hlo_builder_infeed_with_token(r->b, op(r, 0), part(old, 0), NULL);
}

const hlo_instr *remake_outfeed(remaking *r, const hlo_instr *old) {
    const hlo_attr *shape = hlo_instr_attr(old, HLO_ATTR_OUTFEED_SHAPE);
    return hlo_builder_outfeed_with_token(
        r->b, op(r, 0), op(r, 1), shape ? shape->u.shape : hlo_operand(old, 0)->shape, NULL);
}

const hlo_instr *remake_send(remaking *r, const hlo_instr *old) {
    return hlo_builder_send_with_token(r->b, op(r, 0), op(r, 1), channel(r, old),
                                       number(old, HLO_ATTR_IS_HOST_TRANSFER));
}

const hlo_instr *remake_send_done(remaking *r, const hlo_instr *old) {
    return hlo_builder_send_done_with_token(r->b, op(r, 0), channel(r, old),
                                            number(old, HLO_ATTR_IS_HOST_TRANSFER));
}

const hlo_instr *remake_recv(remaking *r, const hlo_instr *old) {
    return hlo_builder_recv_with_token(r->b, op(r, 0), part(old, 0), channel(r, old),
                                       number(old, HLO_ATTR_IS_HOST_TRANSFER));
}

const hlo_instr *remake_recv_done(remaking *r, const hlo_instr *old) {
    return hlo_builder_recv_done_with_token(r->b, op(r, 0), channel(r, old),
                                            number(old, HLO_ATTR_IS_HOST_TRANSFER));
}

/* ---- collectives ---- */

const hlo_instr *remake_all_gather(remaking *r, const hlo_instr *old) {
    return hlo_builder_all_gather_tuple(r->b, all_ops(r), first_of(old, HLO_ATTR_DIMENSIONS), 0,
                                        groups(r, old), channel(r, old));
}

const hlo_instr *remake_all_gather_start(remaking *r, const hlo_instr *old) {
    return hlo_builder_all_gather_start(r->b, all_ops(r), first_of(old, HLO_ATTR_DIMENSIONS), 0,
                                        groups(r, old), channel(r, old));
}

const hlo_instr *remake_all_reduce(remaking *r, const hlo_instr *old) {
    return hlo_builder_all_reduce_tuple(r->b, all_ops(r), callee(r, old, HLO_ATTR_TO_APPLY),
                                        groups(r, old), channel(r, old));
}

const hlo_instr *remake_all_reduce_start(remaking *r, const hlo_instr *old) {
    return hlo_builder_all_reduce_start(r->b, all_ops(r), callee(r, old, HLO_ATTR_TO_APPLY),
                                        groups(r, old), channel(r, old));
}

const hlo_instr *remake_reduce_scatter(remaking *r, const hlo_instr *old) {
    return hlo_builder_reduce_scatter_tuple(r->b, all_ops(r), callee(r, old, HLO_ATTR_TO_APPLY),
                                            first_of(old, HLO_ATTR_DIMENSIONS), 0, groups(r, old),
                                            channel(r, old));
}

/* One array is cut and joined along a dimension, by as many as there are in a group that is listed;
 * without such a group the dimension is set as text. */
const hlo_instr *remake_all_to_all(remaking *r, const hlo_instr *old) {
    const hlo_attr *dims = hlo_instr_attr(old, HLO_ATTR_DIMENSIONS);
    hlo_group_list list = groups(r, old);
    if (dims && dims->u.ints->n == 1 && old->operand_count == 1 && list.count)
        return hlo_builder_all_to_all(r->b, op(r, 0), dims->u.ints->v[0], dims->u.ints->v[0],
                                      (int64_t)list.values[0].count, list, channel(r, old));
    if (dims) remake_in_words(r, dims);
    return hlo_builder_all_to_all_tuple(r->b, all_ops(r), list, channel(r, old));
}

const hlo_instr *remake_ragged_all_to_all(remaking *r, const hlo_instr *old) {
    return hlo_builder_ragged_all_to_all(r->b, op(r, 0), op(r, 1), op(r, 2), op(r, 3), op(r, 4),
                                         op(r, 5), groups(r, old), channel(r, old));
}

const hlo_instr *remake_collective_permute(remaking *r, const hlo_instr *old) {
    return hlo_builder_collective_permute_tuple(r->b, all_ops(r), pairs(r, old), channel(r, old));
}

const hlo_instr *remake_collective_permute_start(remaking *r, const hlo_instr *old) {
    return hlo_builder_collective_permute_start(r->b, all_ops(r), pairs(r, old), channel(r, old));
}

const hlo_instr *remake_collective_broadcast(remaking *r, const hlo_instr *old) {
    return hlo_builder_collective_broadcast_tuple(r->b, all_ops(r), groups(r, old), channel(r, old),
                                                  number(old, HLO_ATTR_HAS_DYNAMIC_ROOT));
}

const hlo_instr *remake_replica_id(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_replica_id(r->b);
}

const hlo_instr *remake_partition_id(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_partition_id(r->b);
}
