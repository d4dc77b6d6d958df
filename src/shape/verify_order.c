/* Orders that some back ends and the older operation semantics ask for: transfers on a channel that
 * the schedule lets go on, and infeeds and outfeeds that stand in one order. Options of the
 * verifier; called by verify.c. */
#include <stdlib.h>

#include "base/list.h"
#include "shape/verifier.h"

/* ---- transfers ----
 *
 * A back end that does not block until both ends are there goes through recv, send, recv-done and
 * send-done of a channel in that order. Each computation is scheduled in a line. Together that is a
 * graph, and where it has a cycle nothing on it can go on. */

typedef struct {
    uint32_t from, to; /* instructions by number */
} edge;

typedef struct {
    uint32_t once;           /* the mark of computations that have one caller */
    uint32_t n;              /* instructions of the module, */
    const hlo_instr **instr; /* by hlo_instr.index */
    HLO_LIST(edge) edges;    /* by `from`, once sorted */
    uint32_t *first;         /* of the edges that leave an instruction */
    uint32_t *waits;         /* edges from instructions that are still blocked */
    uint32_t *ready;         /* instructions that can go on */
    uint32_t *blocked;       /* one that an instruction waits for, for which that holds too */
} schedule;

static void add_edge(schedule *s, uint32_t from, uint32_t to) {
    hlo_list_push(&s->edges, (edge){from, to});
}

/* Numbers all instructions and marks the computations that have one caller. */
static void number_instructions(hlo_module *module, schedule *s) {
    s->once = hlo_module_new_mark(module);
    uint32_t often = hlo_module_new_mark(module);
    for (hlo_computation *c = module->first; c; c = c->next) s->n += c->instr_count;
    s->instr = hlo_calloc(s->n + 1, sizeof *s->instr);
    uint32_t n = 0;
    for (hlo_computation *c = module->first; c; c = c->next) {
        for (hlo_instr *instr = c->first; instr; instr = instr->next) {
            instr->index = n;
            s->instr[n++] = instr;
            for (uint32_t i = 0; i < hlo_called_count(instr); i++) {
                uint32_t *mark = &hlo_called(instr, i)->mark;
                *mark = *mark == s->once || *mark == often ? often : s->once;
            }
        }
    }
}

/* A line for each computation; one that has a single caller runs inside of the caller's. */
static void add_lines(schedule *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        const hlo_instr *instr = s->instr[i];
        if (instr->prev) add_edge(s, i - 1, i);
        for (uint32_t k = 0; k < hlo_called_count(instr); k++) {
            const hlo_computation *callee = hlo_called(instr, k);
            if (callee->mark != s->once || !callee->first) continue;
            if (instr->prev) add_edge(s, i - 1, callee->first->index);
            if (instr->opcode != HLO_OP_ASYNC_START) add_edge(s, callee->last->index, i);
        }
    }
}

typedef struct {
    int64_t channel;
    const hlo_instr *instr;
} end;

static int by_channel(const void *a, const void *b) {
    const end *x = a, *y = b;
    if (x->channel != y->channel) return x->channel < y->channel ? -1 : 1;
    return (x->instr->index > y->instr->index) - (x->instr->index < y->instr->index);
}

static const hlo_instr *done_of(const hlo_instr *start) {
    const hlo_instr *user = start->first_use ? start->first_use->user : NULL;
    bool done = user && (user->opcode == HLO_OP_SEND_DONE || user->opcode == HLO_OP_RECV_DONE);
    return done ? user : NULL;
}

/* A channel with one send and one recv; with more of them it is open which belong together. */
static void add_channel(schedule *s, const end *a, const end *b) {
    const hlo_instr *send = a->instr, *recv = b->instr;
    if (send->opcode == recv->opcode) return;
    if (send->opcode == HLO_OP_RECV) send = b->instr, recv = a->instr;
    const hlo_instr *sent = done_of(send), *received = done_of(recv);
    add_edge(s, recv->index, send->index);
    if (received) add_edge(s, send->index, received->index);
    if (sent) add_edge(s, send->index, sent->index);
}

static void add_channels(schedule *s) {
    uint32_t n = 0;
    end *ends = hlo_calloc(s->n + 1, sizeof *ends);
    for (uint32_t i = 0; i < s->n; i++) {
        const hlo_instr *instr = s->instr[i];
        const hlo_attr *channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
        bool transfer = instr->opcode == HLO_OP_SEND || instr->opcode == HLO_OP_RECV;
        if (!transfer || !channel || hlo_attr_int(instr, HLO_ATTR_IS_HOST_TRANSFER)) continue;
        ends[n++] = (end){channel->u.i, instr};
    }
    qsort(ends, n, sizeof *ends, by_channel);
    for (uint32_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && ends[next].channel == ends[i].channel;) next++;
        if (next - i == 2) add_channel(s, &ends[i], &ends[i + 1]);
    }
    hlo_free(ends);
}

static int by_from(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Lets everything go on that can. False when something is left. */
static bool runs_through(schedule *s) {
    uint32_t ready = 0, gone = 0;
    qsort(s->edges.v, s->edges.n, sizeof *s->edges.v, by_from);
    s->first = hlo_calloc(s->n + 1, sizeof *s->first);
    s->waits = hlo_calloc(s->n + 1, sizeof *s->waits);
    s->ready = hlo_calloc(s->n + 1, sizeof *s->ready);
    for (uint32_t i = 0; i < s->edges.n; i++) {
        s->first[s->edges.v[i].from + 1]++;
        s->waits[s->edges.v[i].to]++;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        s->first[i + 1] += s->first[i];
        if (s->waits[i] == 0) s->ready[ready++] = i;
    }
    while (gone < ready) {
        uint32_t at = s->ready[gone++];
        for (uint32_t e = s->first[at]; e < s->first[at + 1]; e++)
            if (--s->waits[s->edges.v[e].to] == 0) s->ready[ready++] = s->edges.v[e].to;
    }
    return gone == s->n;
}

static bool is_transfer(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_SEND:
    case HLO_OP_SEND_DONE:
    case HLO_OP_RECV:
    case HLO_OP_RECV_DONE: return true;
    default: return false;
    }
}

/* Walks back from an event that still waits, over others that do, until it meets one again: that
 * one is on a cycle. */
static uint32_t on_cycle(schedule *s) {
    s->blocked = hlo_calloc(s->n + 1, sizeof *s->blocked);
    bool *seen = hlo_calloc(s->n + 1, sizeof *seen);
    uint32_t at = s->n;
    for (uint32_t e = 0; e < s->edges.n; e++) {
        if (s->waits[s->edges.v[e].from] == 0 || s->waits[s->edges.v[e].to] == 0) continue;
        s->blocked[s->edges.v[e].to] = s->edges.v[e].from;
        at = s->edges.v[e].to;
    }
    while (at < s->n && !seen[at]) seen[at] = true, at = s->blocked[at];
    hlo_free(seen);
    return at;
}

enum { MAX_NOTES = 6 };

static void report_cycle(hlo_verifier *v, schedule *s) {
    uint32_t start = on_cycle(s), at = start, first = s->n, notes = 0;
    do {
        if (is_transfer(s->instr[at]) && at < first) first = at;
        at = s->blocked[at];
    } while (at != start);
    if (first == s->n) return; /* no cycle is without a transfer */
    hlo_verify_fail(
        v, HLO_RULE_TRANSFER_ORDER, s->instr[first],
        "deadlock in the schedule: it waits for an instruction that is scheduled after it");
    for (at = s->blocked[first]; at != first && notes < MAX_NOTES; at = s->blocked[at])
        if (is_transfer(s->instr[at]))
            hlo_verify_note(v, s->instr[at], "also part of the cycle"), notes++;
    hlo_hint(v->diags, "the order on a channel is recv, send, recv-done, send-done; back ends with "
                       "blocking transfers require no order");
}

void hlo_verify_transfer_order(hlo_verifier *v) {
    schedule s = {0};
    if (!v->options->transfer_order || !hlo_module_flag(v->module, HLO_ATTR_IS_SCHEDULED)) return;
    number_instructions(v->module, &s);
    add_lines(&s);
    add_channels(&s);
    if (s.edges.n && !runs_through(&s)) report_cycle(v, &s);
    hlo_free(s.instr);
    hlo_list_free(&s.edges);
    hlo_free(s.first);
    hlo_free(s.waits);
    hlo_free(s.ready);
    hlo_free(s.blocked);
}

/* ---- infeeds and outfeeds ---- */

/* Marks the computations that have such an instruction, or call one that has. Callees stand before
 * their callers, but where a pass moved them. */
static void mark_feeding(const hlo_module *module, hlo_opcode feed, uint32_t mark) {
    for (bool again = true; again;) {
        again = false;
        for (hlo_computation *c = module->first; c; c = c->next) {
            for (const hlo_instr *i = c->first; i && c->mark != mark; i = i->next) {
                bool feeds = i->opcode == feed;
                for (uint32_t k = 0; !feeds && k < hlo_called_count(i); k++)
                    feeds = hlo_called(i, k)->mark == mark;
                if (feeds) c->mark = mark, again = true;
            }
        }
    }
}

static bool feeds(const hlo_instr *instr, hlo_opcode feed, uint32_t mark) {
    bool found = instr->opcode == feed;
    for (uint32_t k = 0; !found && k < hlo_called_count(instr); k++)
        found = hlo_called(instr, k)->mark == mark;
    return found;
}

/* hlo_instr.index becomes the number of the last feeding instruction that an instruction depends
 * on, counted from 1: in one order, each depends on the one before it. */
static void check_feeds(hlo_verifier *v, hlo_computation *c, hlo_opcode feed, uint32_t mark) {
    const hlo_instr *last = NULL;
    uint32_t count = 0;
    for (hlo_instr *instr = c->first; instr; instr = instr->next) {
        const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
        instr->index = 0;
        for (uint32_t i = 0; i < instr->operand_count; i++)
            if (hlo_operand(instr, i)->index > instr->index)
                instr->index = hlo_operand(instr, i)->index;
        for (uint32_t i = 0; control && i < control->u.instructions->n; i++)
            if (control->u.instructions->v[i]->index > instr->index)
                instr->index = control->u.instructions->v[i]->index;
        if (!feeds(instr, feed, mark)) continue;
        if (instr->index < count) {
            hlo_verify_fail(
                v, HLO_RULE_FEED_ORDER, instr,
                "the order of the %ss is not defined: it does not depend on the previous one",
                hlo_ops[feed].text);
            hlo_verify_note(v, last, "the previous one");
            hlo_hint(v->diags, "use the token of the previous one as operand");
            return;
        }
        instr->index = ++count;
        last = instr;
    }
}

void hlo_verify_feed_order(hlo_verifier *v) {
    static const hlo_opcode feeding[] = {HLO_OP_INFEED, HLO_OP_OUTFEED};
    /* a schedule is an order, and editions of the operation semantics ask for one */
    bool is_wanted = v->options->feed_order || hlo_verify_is_of_edition(v);
    if (!is_wanted || hlo_module_flag(v->module, HLO_ATTR_IS_SCHEDULED)) return;
    for (size_t k = 0; k < 2; k++) {
        uint32_t mark = hlo_module_new_mark(v->module);
        mark_feeding(v->module, feeding[k], mark);
        for (hlo_computation *c = v->module->first; c; c = c->next)
            if (c->mark == mark) check_feeds(v, c, feeding[k], mark);
    }
}
