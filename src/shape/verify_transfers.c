/* Sends and receives between devices in a scheduled module, where each blocks until the matching
 * instruction runs: --verify-no-collective-deadlocks, as XLA checks it for GPUs. */
#include <stdlib.h>

#include "base/list.h"
#include "shape/transfer_pairs.h"
#include "shape/verifier.h"

/* ---- source-target pairs ---- */

typedef struct {
    int64_t source, target;
} pair;

typedef HLO_LIST(pair) pairs; /* freed by the caller that had it filled */

/* Adds the attribute's pairs, {{0,1},{1,2}}; false after an error. */
static bool read_pairs(hlo_verifier *v, const hlo_instr *instr, pairs *list) {
    const hlo_str *text = hlo_transfer_pairs_text(instr);
    if (!text)
        return hlo_verify_fail(v, HLO_RULE_COLLECTIVE_DEADLOCK, instr,
                               "the frontend attribute _xla_send_recv_source_target_pairs is "
                               "missing");
    const hlo_int_lists *read = hlo_transfer_pairs(&v->scratch, text);
    for (uint32_t i = 0; read && i < read->n; i++) {
        pair p = {read->v[i]->v[0], read->v[i]->v[1]};
        hlo_list_push(list, p);
    }
    return read ||
           hlo_verify_fail(v, HLO_RULE_COLLECTIVE_DEADLOCK, instr,
                           "_xla_send_recv_source_target_pairs is %.*s and must be a list of pairs",
                           (int)text->len, text->ptr);
}

static int by_source(const void *a, const void *b) {
    int64_t x = ((const pair *)a)->source, y = ((const pair *)b)->source;
    return (x > y) - (x < y);
}

static int by_target(const void *a, const void *b) {
    int64_t x = ((const pair *)a)->target, y = ((const pair *)b)->target;
    return (x > y) - (x < y);
}

/* The sources are distinct and sorted. */
static bool has_cycle(const pairs *list) {
    uint32_t *walk = hlo_calloc(list->n, sizeof *walk);
    bool found = false;
    for (uint32_t i = 0; i < list->n && !found; i++) {
        const pair *at = &list->v[i];
        while (at && walk[at - list->v] == 0) {
            walk[at - list->v] = i + 1;
            pair next = {at->target, 0};
            at = bsearch(&next, list->v, list->n, sizeof next, by_source);
        }
        found = at && walk[at - list->v] == i + 1;
    }
    hlo_free(walk);
    return found;
}

/* What keeps transfers over these pairs from going on together, or NULL. */
static const char *conflict_of(pairs *list) {
    if (list->n == 0) return NULL;
    qsort(list->v, list->n, sizeof *list->v, by_target);
    for (uint32_t i = 1; i < list->n; i++)
        if (by_target(&list->v[i - 1], &list->v[i]) == 0) return "a target occurs twice";
    qsort(list->v, list->n, sizeof *list->v, by_source);
    for (uint32_t i = 1; i < list->n; i++)
        if (by_source(&list->v[i - 1], &list->v[i]) == 0) return "a source occurs twice";
    return has_cycle(list) ? "they form a cycle" : NULL;
}

/* ---- pending sends and receives ---- */

typedef HLO_LIST(const hlo_instr *) waiting; /* in the verifier's scratch arena */

typedef enum { NOTHING, A_SEND, A_RECV } expectation;

typedef struct {
    expectation expected;
    waiting sends, recvs;
} progress;

/* The index of one whose pairs have the same text, or n. */
static uint32_t find_match(const waiting *list, const hlo_instr *instr) {
    const hlo_str *text = hlo_transfer_pairs_text(instr);
    uint32_t i = 0;
    while (i < list->n && !hlo_str_equal(*hlo_transfer_pairs_text(list->v[i]), *text)) i++;
    return i;
}

static void drop_waiting(waiting *list, uint32_t i) {
    list->v[i] = list->v[--list->n];
}

/* May wait at the same time as all the others of its kind. */
static bool fits_others(hlo_verifier *v, const waiting *others, const hlo_instr *instr,
                        const char *kind) {
    for (uint32_t i = 0; i < others->n; i++) {
        pairs both = {0};
        bool read = read_pairs(v, instr, &both) && read_pairs(v, others->v[i], &both);
        const char *why = read ? conflict_of(&both) : NULL;
        hlo_list_free(&both);
        if (!read) return false;
        if (!why) continue;
        hlo_verify_fail(
            v, HLO_RULE_COLLECTIVE_DEADLOCK, instr,
            "expected a %s before it, with the source-target pairs of an earlier %s, %s", kind,
            hlo_info(instr)->text, why);
        hlo_verify_note(v, others->v[i], "the earlier one");
        return false;
    }
    return true;
}

static bool is_left_out(const hlo_instr *transfer) {
    return hlo_attr_int(transfer, HLO_ATTR_IS_HOST_TRANSFER) != 0 ||
           hlo_frontend_value(transfer, "_xla_send_recv_pipeline");
}

static bool pass_transfer(hlo_verifier *v, progress *p, const hlo_instr *instr) {
    bool send = instr->opcode == HLO_OP_SEND;
    waiting *mine = send ? &p->sends : &p->recvs, *theirs = send ? &p->recvs : &p->sends;
    expectation me = send ? A_SEND : A_RECV, other = send ? A_RECV : A_SEND;
    pairs own = {0};
    if (is_left_out(instr)) return true;
    bool read = read_pairs(v, instr, &own);
    const char *why = read ? conflict_of(&own) : NULL;
    hlo_list_free(&own);
    if (!read) return false;
    if (why)
        return hlo_verify_fail(v, HLO_RULE_COLLECTIVE_DEADLOCK, instr,
                               "source-target pairs: %s", why);
    if (p->expected == me) {
        uint32_t match = find_match(theirs, instr);
        if (match == theirs->n) {
            hlo_list_push_in(&v->scratch, mine, instr);
        } else {
            drop_waiting(theirs, match);
            if (theirs->n == 0) p->expected = NOTHING;
        }
        return true;
    }
    if (p->expected == other && !fits_others(v, mine, instr, send ? "recv" : "send")) return false;
    hlo_list_push_in(&v->scratch, mine, instr);
    p->expected = other;
    return true;
}

static bool is_other_collective(hlo_opcode opcode) {
    switch (opcode) {
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_COLLECTIVE_BROADCAST:
    case HLO_OP_COLLECTIVE_PERMUTE:
    case HLO_OP_RAGGED_ALL_TO_ALL:
    case HLO_OP_REDUCE_SCATTER: return true;
    default: return false;
    }
}

static bool pass_collective(hlo_verifier *v, const progress *p, const hlo_instr *instr) {
    if (p->expected == NOTHING) return true;
    hlo_verify_fail(v, HLO_RULE_COLLECTIVE_DEADLOCK, instr,
                    "it is scheduled between a send or recv and the matching instruction");
    if (p->sends.n) hlo_verify_note(v, p->sends.v[0], "this waits for a recv");
    if (p->recvs.n) hlo_verify_note(v, p->recvs.v[0], "this waits for a send");
    return false;
}

static bool fail_waiting(hlo_verifier *v, const hlo_instr *instr) {
    return hlo_verify_fail(v, HLO_RULE_COLLECTIVE_DEADLOCK, instr,
                           "no %s with the same source-target pairs follows",
                           instr->opcode == HLO_OP_SEND ? "recv" : "send");
}

/* At the end nothing may be pending. */
static bool nothing_waits(hlo_verifier *v, progress *p) {
    const waiting sends = p->sends;
    for (uint32_t i = 0; i < sends.n; i++) {
        uint32_t match = find_match(&p->recvs, sends.v[i]);
        if (match == p->recvs.n) return fail_waiting(v, sends.v[i]);
        drop_waiting(&p->recvs, match);
    }
    for (uint32_t i = 0; i < p->recvs.n; i++)
        if (find_match(&sends, p->recvs.v[i]) == sends.n) return fail_waiting(v, p->recvs.v[i]);
    return true;
}

/* ---- the schedule ---- */

enum { MAX_STEPS = 10000000, MAX_DEPTH = 1000 };

static bool is_group(const hlo_computation *c) {
    if (!c->is_async_body) return false;
    for (const hlo_instr *instr = c->first; instr; instr = instr->next)
        if (instr != c->root && instr->opcode != HLO_OP_PARAMETER) return true;
    return false;
}

/* Follows calls; *steps bounds how often shared computations are visited. */
static bool pass_computation(hlo_verifier *v, progress *p, const hlo_computation *c, uint32_t depth,
                             uint32_t *steps) {
    for (const hlo_instr *instr = c->first; instr; instr = instr->next) {
        hlo_opcode opcode = (hlo_opcode)instr->opcode;
        uint32_t n = hlo_called_count(instr);
        bool transfer = n == 0 && (opcode == HLO_OP_SEND || opcode == HLO_OP_RECV);
        if (transfer && !pass_transfer(v, p, instr)) return false;
        if (n == 0 && is_other_collective(opcode) && !pass_collective(v, p, instr)) return false;
        if (n && (depth == MAX_DEPTH || (*steps += n) > MAX_STEPS))
            return hlo_verify_fail(v, HLO_RULE_LIMIT, instr,
                                   "the call graph is too large to analyse");
        for (uint32_t i = 0; i < n; i++) {
            /* a group of transfers waits for itself alone */
            const hlo_computation *callee = hlo_called(instr, i);
            progress inner = {0};
            bool apart = is_group(callee);
            if (!pass_computation(v, apart ? &inner : p, callee, depth + 1, steps)) return false;
            if (apart && p->expected != NOTHING && !nothing_waits(v, &inner)) return false;
        }
    }
    return true;
}

void hlo_verify_deadlocks(hlo_verifier *v) {
    progress p = {0};
    uint32_t steps = 0;
    if (!v->options->no_deadlocks || !v->module->entry) return;
    if (!hlo_module_flag(v->module, HLO_ATTR_IS_SCHEDULED)) return;
    if (pass_computation(v, &p, v->module->entry, 0, &steps) && p.expected != NOTHING)
        nothing_waits(v, &p);
}
