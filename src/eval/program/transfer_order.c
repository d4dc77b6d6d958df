/* Orders of instructions in which devices do not wait for each other in vain: see
 * transfer_order.h. */
#include "eval/program/transfer_order.h"

#include "base/list.h"

enum { NEW, OPEN, DONE };

/* Calls `see` for each instruction that has to run before this one. */
static void each_before(const hlo_instr *instr, void (*see)(hlo_instr *before, void *to),
                        void *to) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t i = 0; i < instr->operand_count; i++) see(hlo_operand(instr, i), to);
    for (uint32_t i = 0; attr && i < attr->u.instructions->n; i++)
        see(attr->u.instructions->v[i], to);
}

static void mark(hlo_instr *before, void *to) {
    before->mark = *(uint32_t *)to;
}

void hlo_put_receivers_first(hlo_instr **order, uint32_t count) {
    if (!count) return;
    uint32_t needed = hlo_module_new_mark(order[0]->parent->module), first = 0, rest = 0;
    for (uint32_t k = count; k-- > 0;) {
        if (order[k]->opcode == HLO_OP_RECV) order[k]->mark = needed;
        if (order[k]->mark == needed) each_before(order[k], mark, &needed);
    }
    hlo_instr **others = hlo_malloc((count + 1u) * sizeof *others);
    for (uint32_t k = 0; k < count; k++)
        if (order[k]->mark == needed) order[first++] = order[k];
        else others[rest++] = order[k];
    memcpy(order + first, others, rest * sizeof *others);
    hlo_free(others);
}

/* ---- sends before receptions ---- */

#define NO_PLACE UINT32_MAX

/* Instructions by their places in the order. A recv-done has, beside what it depends on, the send
 * on its channel that it comes after. */
typedef struct {
    hlo_instr **order;
    uint32_t count;
    const bool *bars;
    uint32_t *sends; /* by place of a recv-done; NO_PLACE: none */
    uint8_t *state;
    HLO_LIST(uint32_t) worklist;
} placing;

static bool is_at(const placing *p, uint32_t k, hlo_opcode opcode) {
    const hlo_instr *instr = p->order[k];
    const hlo_attr *host = hlo_instr_attr(instr, HLO_ATTR_IS_HOST_TRANSFER);
    return instr->opcode == opcode && !(host && host->u.i);
}

static int64_t channel_of(const hlo_instr *instr) {
    const hlo_attr *channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    return channel ? channel->u.i : 0;
}

/* How many of the same kind on the same channel come before. */
static uint32_t rank_of(const placing *p, uint32_t place) {
    uint32_t rank = 0;
    for (uint32_t k = 0; k < place; k++)
        rank += is_at(p, k, (hlo_opcode)p->order[place]->opcode) &&
                channel_of(p->order[k]) == channel_of(p->order[place]);
    return rank;
}

/* The first send of a channel goes with its first recv-done, and so on. */
static uint32_t send_for(const placing *p, uint32_t reception) {
    uint32_t rank = rank_of(p, reception);
    for (uint32_t k = 0; k < p->count; k++)
        if (is_at(p, k, HLO_OP_SEND) &&
            channel_of(p->order[k]) == channel_of(p->order[reception]) && rank-- == 0)
            return k;
    return NO_PLACE;
}

static bool is_barred(const placing *p, uint32_t from, uint32_t to) {
    while (p->bars && from < to && !p->bars[from]) from++;
    return p->bars && from < to;
}

static void push_new(placing *p, uint32_t k) {
    if (p->state[k] == NEW) hlo_list_push(&p->worklist, k);
}

static void see(hlo_instr *before, void *to) {
    push_new(to, before->index);
}

/* Whether the instruction at `from` comes after that at `to`. */
static bool comes_after(placing *p, uint32_t from, uint32_t to) {
    memset(p->state, NEW, p->count);
    p->worklist.n = 0;
    push_new(p, from);
    while (p->worklist.n && p->state[to] == NEW) {
        uint32_t k = hlo_list_pop(&p->worklist);
        if (p->state[k] != NEW) continue;
        p->state[k] = DONE;
        each_before(p->order[k], see, p);
        if (p->sends[k] != NO_PLACE) push_new(p, p->sends[k]);
    }
    return p->state[to] != NEW;
}

/* Gives recv-dones their sends, but where that closes a circle. Returns whether one of them stands
 * before its send. */
static bool find_sends(placing *p) {
    bool is_late = false;
    for (uint32_t k = 0; k < p->count; k++) p->sends[k] = NO_PLACE;
    for (uint32_t k = 0; k < p->count; k++) {
        if (!is_at(p, k, HLO_OP_RECV_DONE)) continue;
        uint32_t send = send_for(p, k);
        if (send == NO_PLACE || is_barred(p, k, send) || comes_after(p, send, k)) continue;
        p->sends[k] = send;
        is_late |= send > k;
    }
    return is_late;
}

/* Appends what the instruction comes after, and the instruction. */
static hlo_instr **place(placing *p, uint32_t from, hlo_instr **end) {
    push_new(p, from);
    while (p->worklist.n) {
        uint32_t k = p->worklist.v[p->worklist.n - 1];
        if (p->state[k] == NEW) {
            p->state[k] = OPEN;
            if (p->sends[k] != NO_PLACE) push_new(p, p->sends[k]);
            each_before(p->order[k], see, p);
            continue;
        }
        if (p->state[k] == OPEN) *end++ = p->order[k];
        p->state[k] = DONE;
        HLO_ASSERT(p->worklist.n > 0);
        p->worklist.n--;
    }
    return end;
}

static bool has(hlo_instr *const *order, uint32_t count, hlo_opcode opcode) {
    while (count && order[count - 1]->opcode != opcode) count--;
    return count != 0;
}

void hlo_put_sends_early(hlo_instr **order, uint32_t count, const bool *bars) {
    if (!has(order, count, HLO_OP_RECV_DONE) || !has(order, count, HLO_OP_SEND)) return;
    placing p = {.order = order, .count = count, .bars = bars};
    p.sends = hlo_malloc(count * sizeof *p.sends);
    p.state = hlo_malloc(count);
    for (uint32_t k = 0; k < count; k++) order[k]->index = k;
    if (find_sends(&p)) {
        hlo_instr **sorted = hlo_malloc(count * sizeof(hlo_instr *)), **end = sorted;
        memset(p.state, NEW, count);
        p.worklist.n = 0;
        for (uint32_t k = 0; k < count; k++) end = place(&p, k, end);
        memcpy(order, sorted, count * sizeof(hlo_instr *));
        hlo_free(sorted);
    }
    hlo_list_free(&p.worklist);
    hlo_free(p.state);
    hlo_free(p.sends);
}
