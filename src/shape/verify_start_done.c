/* Start/done pairs: each start of a transfer or async call has exactly one user, the matching done
 * or update. */
#include <stdlib.h>

#include "shape/verifier.h"

/* The opcodes that may use a start, or that may be the operand of a done. HLO_OP_COUNT: none. */
typedef struct {
    hlo_opcode users[2], operands[2];
} partners;

#define NEITHER \
    { HLO_OP_COUNT, HLO_OP_COUNT }
#define EITHER(a, b) \
    { HLO_OP_##a, HLO_OP_##b }

/* The operands of async-update and async-done are a matter of their shapes. */
static const struct {
    hlo_opcode opcode;
    partners partners;
} rules[] = {
    {HLO_OP_ASYNC_START, {EITHER(ASYNC_UPDATE, ASYNC_DONE), NEITHER}},
    {HLO_OP_ASYNC_UPDATE, {EITHER(ASYNC_UPDATE, ASYNC_DONE), NEITHER}},
    {HLO_OP_ALL_REDUCE_START, {EITHER(ALL_REDUCE_DONE, ALL_REDUCE_DONE), NEITHER}},
    {HLO_OP_ALL_REDUCE_DONE, {NEITHER, EITHER(ALL_REDUCE_START, ALL_REDUCE_START)}},
    {HLO_OP_ALL_GATHER_START, {EITHER(ALL_GATHER_DONE, ALL_GATHER_DONE), NEITHER}},
    {HLO_OP_ALL_GATHER_DONE, {NEITHER, EITHER(ALL_GATHER_START, ALL_GATHER_START)}},
    {HLO_OP_COPY_START, {EITHER(COPY_DONE, COPY_DONE), NEITHER}},
    {HLO_OP_COPY_DONE, {NEITHER, EITHER(COPY_START, COPY_START)}},
    {HLO_OP_COLLECTIVE_PERMUTE_START,
     {EITHER(COLLECTIVE_PERMUTE_DONE, COLLECTIVE_PERMUTE_DONE), NEITHER}},
    {HLO_OP_COLLECTIVE_PERMUTE_DONE,
     {NEITHER, EITHER(COLLECTIVE_PERMUTE_START, COLLECTIVE_PERMUTE_START)}},
    {HLO_OP_SEND, {EITHER(SEND_DONE, TUPLE), NEITHER}},
    {HLO_OP_SEND_DONE, {NEITHER, EITHER(SEND, GET_TUPLE_ELEMENT)}},
    {HLO_OP_RECV, {EITHER(RECV_DONE, TUPLE), NEITHER}},
    {HLO_OP_RECV_DONE, {NEITHER, EITHER(RECV, GET_TUPLE_ELEMENT)}},
};

static bool is_one_of(hlo_opcode opcode, const hlo_opcode choices[2]) {
    return opcode == choices[0] || opcode == choices[1];
}

static bool is_transfer(hlo_opcode opcode) {
    return opcode == HLO_OP_SEND || opcode == HLO_OP_RECV;
}

/* A control dependency in the guise of a custom call is no use. */
static bool is_real(const hlo_instr *user) {
    if (user->opcode != HLO_OP_CUSTOM_CALL) return true;
    const hlo_attr *target = hlo_instr_attr(user, HLO_ATTR_CUSTOM_CALL_TARGET);
    return !target || !hlo_str_is(*target->u.string, "control_dep");
}

/* The only real user, or NULL; *several where there is more than one. */
static const hlo_instr *only_user(const hlo_instr *instr, bool *several) {
    const hlo_instr *user = NULL;
    *several = false;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        if (!is_real(use->user) || use->user == user) continue;
        *several |= user != NULL;
        user = use->user;
    }
    return *several ? NULL : user;
}

static bool check_users(hlo_verifier *v, const hlo_instr *instr, const hlo_opcode wanted[2]) {
    /* an async computation may consist of one transfer, which has no user there */
    if (is_transfer(instr->opcode) && instr == instr->parent->root && instr->parent->is_async_body)
        return true;
    bool several;
    const hlo_instr *user = only_user(instr, &several);
    if (user && is_one_of(user->opcode, wanted)) return true;
    const char *other = wanted[0] == wanted[1] ? "" : hlo_ops[wanted[1]].text;
    hlo_verify_fail(v, HLO_RULE_START_DONE, instr, "%s and must have one: %s%s%s",
                    several ? "it has several users"
                    : user  ? "its user is a different operation"
                            : "it has no user",
                    hlo_ops[wanted[0]].text, *other ? " or " : "", other);
    if (user) hlo_verify_note(v, user, "the user");
    return false;
}

static bool check_operand(hlo_verifier *v, const hlo_instr *instr, const hlo_opcode wanted[2]) {
    if (instr->operand_count == 0 || is_one_of(hlo_operand(instr, 0)->opcode, wanted)) return true;
    const char *other = wanted[0] == wanted[1] ? "" : hlo_ops[wanted[1]].text;
    hlo_verify_fail(v, HLO_RULE_START_DONE, instr, "its operand is %s and must be %s%s%s",
                    hlo_ops[hlo_operand(instr, 0)->opcode].text, hlo_ops[wanted[0]].text,
                    *other ? " or " : "", other);
    return hlo_verify_at_operand(v, instr, 0);
}

/* Values of async-start and async-update go nowhere but along their chain. */
static bool check_async_uses(hlo_verifier *v, const hlo_instr *instr) {
    bool continues = instr->opcode == HLO_OP_ASYNC_UPDATE || instr->opcode == HLO_OP_ASYNC_DONE;
    for (uint32_t i = continues ? 1 : 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        if (operand->opcode != HLO_OP_ASYNC_START && operand->opcode != HLO_OP_ASYNC_UPDATE)
            continue;
        hlo_verify_fail(v, HLO_RULE_START_DONE, instr,
                        "operand %u is an %s, which only async-update or async-done may use", i,
                        hlo_ops[operand->opcode].text);
        return hlo_verify_at_operand(v, instr, i);
    }
    return true;
}

static bool check_channel(hlo_verifier *v, const hlo_instr *instr) {
    bool several;
    const hlo_attr *channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    const hlo_instr *done = only_user(instr, &several);
    if (!channel || !done || (done->opcode != HLO_OP_SEND_DONE && done->opcode != HLO_OP_RECV_DONE))
        return true;
    const hlo_attr *other = hlo_instr_attr(done, HLO_ATTR_CHANNEL_ID);
    bool same_channel = other && other->u.i == channel->u.i;
    if (same_channel && hlo_attr_int(instr, HLO_ATTR_IS_HOST_TRANSFER) ==
                            hlo_attr_int(done, HLO_ATTR_IS_HOST_TRANSFER))
        return true;
    hlo_verify_fail(v, HLO_RULE_HOST_TRANSFER, instr, "it and its %s differ in %s",
                    hlo_ops[done->opcode].text, same_channel ? "is_host_transfer" : "channel_id");
    hlo_verify_note(v, done, "the matching instruction");
    return false;
}

bool hlo_verify_start_done(hlo_verifier *v, const hlo_instr *instr) {
    if (!check_async_uses(v, instr)) return false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].opcode != instr->opcode) continue;
        const partners *h = &rules[i].partners;
        if (h->users[0] != HLO_OP_COUNT && !check_users(v, instr, h->users)) return false;
        if (h->operands[0] != HLO_OP_COUNT && !check_operand(v, instr, h->operands)) return false;
    }
    return !is_transfer(instr->opcode) || check_channel(v, instr);
}

/* ---- host transfers that share a channel ---- */

typedef struct {
    const hlo_instr *instr;
    int64_t channel;
    size_t order;
} host_transfer;

static int by_channel(const void *a, const void *b) {
    const host_transfer *x = a, *y = b;
    if (x->channel != y->channel) return x->channel < y->channel ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool same_attr(const hlo_instr *a, const hlo_instr *b, hlo_attr_id id) {
    const hlo_attr *x = hlo_instr_attr(a, id), *y = hlo_instr_attr(b, id);
    return x && y ? hlo_attr_equal(x, y) : x == y;
}

static bool are_equal_transfers(const hlo_instr *a, const hlo_instr *b) {
    if (a->opcode != b->opcode || a->shape != b->shape || a->operand_count != b->operand_count)
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (hlo_operand(a, i)->shape != hlo_operand(b, i)->shape) return false;
    return same_attr(a, b, HLO_ATTR_BACKEND_CONFIG) &&
           same_attr(a, b, HLO_ATTR_FRONTEND_ATTRIBUTES);
}

static size_t collect(const hlo_module *module, host_transfer *out) {
    size_t n = 0;
    for (const hlo_computation *c = module->first; c; c = c->next) {
        for (const hlo_instr *instr = c->first; instr; instr = instr->next) {
            const hlo_attr *channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
            if (!is_transfer(instr->opcode) || !channel) continue;
            if (!hlo_attr_int(instr, HLO_ATTR_IS_HOST_TRANSFER)) continue;
            if (out) out[n] = (host_transfer){instr, channel->u.i, n};
            n++;
        }
    }
    return n;
}

void hlo_verify_host_transfers(hlo_verifier *v) {
    size_t n = collect(v->module, NULL), first = 0;
    if (n < 2) return;
    host_transfer *transfers = hlo_malloc(n * sizeof *transfers);
    collect(v->module, transfers);
    qsort(transfers, n, sizeof *transfers, by_channel);
    for (size_t i = 1; i < n; i++) {
        if (transfers[i].channel != transfers[first].channel) first = i;
        if (i == first || are_equal_transfers(transfers[first].instr, transfers[i].instr)) continue;
        hlo_verify_fail(v, HLO_RULE_HOST_TRANSFER, transfers[i].instr,
                        "it shares channel %lld with a different host transfer",
                        (long long)transfers[i].channel);
        hlo_verify_note(v, transfers[first].instr, "the first on this channel");
    }
    hlo_free(transfers);
}
