/* Computing results again instead of keeping them: see recompute.h. */
#include "passes/memory/recompute.h"

#include "base/text.h"

/* A computation at the moment. */
typedef struct {
    const hlo_recomputing *how;
    hlo_computation *computation;
    hlo_liveness live;
    hlo_instr **instr;       /* by position */
    double *need;            /* by position: bytes, with what is called */
    uint32_t *sharers;       /* by buffer: arrays in its memory */
    uint32_t *refused;       /* by buffer: at positions before this one it is not worth it */
    HLO_LIST(uint32_t) kept; /* buffers that could be computed again: see find_kept */
    uint32_t seen;           /* buffers before this one were looked at for it */
} state;

/* An array that is in memory at a position, and what happens when it is computed again. */
typedef struct {
    hlo_instr *maker;
    uint32_t buffer;
    uint32_t ends;  /* the last position that still reads it */
    uint32_t again; /* the position of the first later user, before which it is computed */
    bool is_moved;  /* nothing reads it before */
    double gain;    /* bytes less at the position */
} choice;

static void state_init(state *s, const hlo_recomputing *how, hlo_computation *c) {
    *s = (state){.how = how, .computation = c};
    hlo_liveness_init(&s->live, c);
    s->instr = hlo_malloc((s->live.count + 1u) * sizeof *s->instr);
    s->need = hlo_malloc((s->live.count + 1u) * sizeof *s->need);
    s->sharers = hlo_calloc(s->live.flow.buffers.n + 1u, sizeof *s->sharers);
    s->refused = hlo_calloc(s->live.flow.buffers.n + 1u, sizeof *s->refused);
    for (hlo_instr *i = c->first; i; i = i->next) {
        s->instr[i->index] = i;
        s->need[i->index] = s->live.alive[i->index] + hlo_callee_peak(i, how->peaks);
    }
    for (uint32_t b = 0; b < s->live.flow.buffers.n; b++) s->sharers[s->live.memory[b]]++;
}

static void state_free(state *s) {
    hlo_liveness_free(&s->live);
    hlo_free(s->instr);
    hlo_free(s->need);
    hlo_free(s->sharers);
    hlo_free(s->refused);
    hlo_list_free(&s->kept);
}

/* ---- what can be computed again ---- */

static bool is_repeatable(const state *s, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_CONSTANT:
    case HLO_OP_CALL:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_WHILE:
    case HLO_OP_CUSTOM_CALL: return false;
    default: break;
    }
    return hlo_shape_is_array(instr->shape) && !hlo_hands_on(instr) && !hlo_is_plain_copy(instr) &&
           !(hlo_info(instr)->flags & HLO_OP_IS_ASYNC) &&
           hlo_info(instr)->class != HLO_CLASS_COLLECTIVE &&
           !hlo_call_graph_effect(s->how->graph, instr) && !hlo_is_tied(s->how->rewriter, instr);
}

enum { NEVER = UINT32_MAX };

/* Finds who reads the array before and after the position. False when it is read there, or, with
 * c->again NEVER, when what reads it before hands it on, so that others read it too, and when a
 * transfer reads it, which is not over then. */
static bool find_users(const state *s, uint32_t at, choice *c) {
    c->ends = c->maker->index;
    c->again = s->live.count;
    c->is_moved = true;
    for (const hlo_use *use = c->maker->first_use; use; use = use->next) {
        const hlo_instr *user = use->user;
        if (hlo_info(user)->flags & HLO_OP_IS_ASYNC || (user->index < at && hlo_hands_on(user))) {
            c->again = NEVER;
            return false;
        }
        if (user->index == at) return false;
        if (user->index > at) {
            if (user->index < c->again) c->again = user->index;
            continue;
        }
        c->is_moved = false;
        if (user->index > c->ends) c->ends = user->index;
    }
    return c->again < s->live.count;
}

/* ---- what it costs ---- */

typedef HLO_LIST(uint32_t) buffer_list;

/* Adds arrays that are read for it and would have to stay. False: one is updated in place, and then
 * it cannot. */
static bool add_prolonged(const state *s, const hlo_instr *operand, uint32_t until,
                          buffer_list *list) {
    const uint32_t *leaves = hlo_dataflow_leaves(&s->live.flow, operand);
    for (uint32_t i = 0; i < hlo_dataflow_leaf_count(&s->live.flow, operand); i++) {
        uint32_t b = leaves[i], memory = s->live.memory[b], k = 0;
        if (s->live.last[b] >= until) continue;
        if (s->sharers[memory] > 1) return false;
        if (s->live.to[memory] >= until) continue;
        while (k < list->n && list->v[k] != b) k++;
        if (k == list->n) hlo_list_push(list, b);
    }
    return true;
}

/* Bytes of arrays that stay because of it, at a position. */
static double prolonged_at(const state *s, const buffer_list *list, uint32_t at) {
    double sum = 0;
    for (uint32_t k = 0; k < list->n; k++)
        if (s->live.to[list->v[k]] < at) sum += s->live.bytes[list->v[k]];
    return sum;
}

static double made_at(const state *s, uint32_t at) {
    double sum = 0;
    const hlo_instr *instr = s->instr[at];
    const uint32_t *leaves = hlo_dataflow_leaves(&s->live.flow, instr);
    for (uint32_t i = 0; i < hlo_dataflow_leaf_count(&s->live.flow, instr); i++)
        if (s->live.flow.buffers.v[leaves[i]].maker == instr) sum += s->live.bytes[leaves[i]];
    return sum;
}

/* Of the positions whose bytes change, the new one included, the worst gets better. Since this is
 * true of each step, they come to an end, and no step raises the peak. */
static bool is_worth_it(const state *s, const choice *c, const buffer_list *list) {
    uint32_t from = c->ends;
    for (uint32_t k = 0; k < list->n; k++)
        if (s->live.to[list->v[k]] < from) from = s->live.to[list->v[k]];
    double before = 0, after = s->live.alive[c->again] - made_at(s, c->again) +
                               prolonged_at(s, list, c->again) +
                               hlo_callee_peak(c->maker, s->how->peaks);
    for (uint32_t at = from + 1; at < c->again; at++) {
        double more = prolonged_at(s, list, at);
        if (at > c->ends) more -= s->live.bytes[c->buffer];
        if (more >= 0 && more <= 0) continue;
        if (s->need[at] > before) before = s->need[at];
        if (s->need[at] + more > after) after = s->need[at] + more;
    }
    return after < before;
}

/* ---- choosing ---- */

static bool is_better(const choice *a, const choice *b) {
    if (!b->maker || a->is_moved != b->is_moved) return !b->maker || a->is_moved;
    return a->gain > b->gain;
}

/* An array in separate memory that is large enough. */
static bool is_eligible(const state *s, uint32_t buffer) {
    const hlo_liveness *live = &s->live;
    return live->memory[buffer] == buffer && s->sharers[buffer] == 1 && live->bytes[buffer] > 0 &&
           live->bytes[buffer] >= s->how->least &&
           is_repeatable(s, live->flow.buffers.v[buffer].maker);
}

/* Eligible arrays that are made before the position and read after it, to s->kept. Positions come
 * one after the other, and arrays in the order of their makers. */
static void find_kept(state *s, uint32_t at) {
    uint32_t n = 0;
    const hlo_dataflow *flow = &s->live.flow;
    for (; s->seen < flow->buffers.n && flow->buffers.v[s->seen].maker->index < at; s->seen++)
        if (s->live.to[s->seen] > at && is_eligible(s, s->seen)) hlo_list_push(&s->kept, s->seen);
    for (uint32_t k = 0; k < s->kept.n; k++)
        if (s->live.to[s->kept.v[k]] > at) s->kept.v[n++] = s->kept.v[k];
    s->kept.n = n;
}

/* Takes the array for *best if it is better, and worth it. */
static void weigh(state *s, uint32_t buffer, uint32_t at, choice *best) {
    const hlo_instr *maker = s->live.flow.buffers.v[buffer].maker;
    choice c = {.maker = s->instr[maker->index], .buffer = buffer};
    buffer_list list = {0};
    if (at < s->refused[buffer]) return;
    bool fits = find_users(s, at, &c);
    if (!fits) s->refused[buffer] = c.again == NEVER ? NEVER : at;
    if (!fits) return;
    for (uint32_t k = 0; fits && k < maker->operand_count; k++)
        fits = add_prolonged(s, hlo_operand(maker, k), c.again, &list);
    c.gain = s->live.bytes[buffer] - prolonged_at(s, &list, at);
    if (fits && c.gain > 0 && is_better(&c, best)) {
        fits = is_worth_it(s, &c, &list);
        if (fits) *best = c;
    }
    if (!fits) s->refused[buffer] = c.again;
    hlo_list_free(&list);
}

static choice choose_recomputation(state *s, uint32_t at) {
    choice best = {0};
    find_kept(s, at);
    for (uint32_t k = 0; k < s->kept.n; k++) weigh(s, s->kept.v[k], at, &best);
    return best;
}

/* ---- doing it ---- */

/* x.remat, of x.remat x.remat2, of that x.remat3. */
static hlo_name *name_again(hlo_module *module, hlo_name *name) {
    static const char suffix[] = ".remat";
    hlo_buf text = HLO_BUF_INIT;
    uint32_t digits = hlo_final_digits((hlo_str){name->ptr, name->len, 0}), n = sizeof suffix - 1;
    if (digits >= n && name->len - digits < 6 && memcmp(name->ptr + digits - n, suffix, n) == 0) {
        const char *at = name->ptr + digits;
        uint64_t number;
        hlo_digits(&at, name->ptr + name->len, UINT32_MAX, &number);
        hlo_buf_bytes(&text, name->ptr, digits);
        hlo_buf_uint(&text, number ? number + 1 : 2);
    } else {
        hlo_buf_bytes(&text, name->ptr, name->len);
        hlo_buf_cstr(&text, suffix);
    }
    hlo_buf_char(&text, 0);
    hlo_name *fresh = hlo_fresh_name(module, text.data);
    hlo_buf_free(&text);
    return fresh;
}

static hlo_instr *clone_before(hlo_instr *maker, hlo_instr *place) {
    HLO_ASSERT(maker->parent == place->parent);
    hlo_instr **operands = hlo_malloc((maker->operand_count + 1u) * sizeof *operands);
    for (uint32_t k = 0; k < maker->operand_count; k++) operands[k] = hlo_operand(maker, k);
    hlo_instr *again = hlo_instr_clone(maker, maker->parent, operands, maker->operand_count);
    hlo_free(operands);
    hlo_instr_take_name(again, name_again(maker->parent->module, maker->name));
    hlo_instr_own_body(again, "remat");
    hlo_instr_move_before(again, place);
    return again;
}

static void compute_again(const state *s, const choice *c) {
    hlo_rewriter *r = s->how->rewriter;
    hlo_instr *again = clone_before(c->maker, s->instr[c->again]);
    hlo_rewrite_count(r, HLO_REWRITE_rematerialized, c->maker->name);
    for (hlo_use *use = c->maker->first_use, *next; use; use = next) {
        next = use->next;
        if (use->user != again && use->user->index >= c->again)
            hlo_instr_set_operand(use->user, (uint32_t)(use - use->user->operands), again);
    }
    if (!c->maker->first_use) hlo_rewriter_remove(r, c->maker);
}

/* One step, at the first position from *at on where one can be done. */
static bool take_step(const hlo_recomputing *how, hlo_computation *c, uint32_t *at) {
    state s;
    choice best = {0};
    state_init(&s, how, c);
    for (; *at < s.live.count; ++*at) {
        if (s.need[*at] <= how->limit) continue;
        best = choose_recomputation(&s, *at);
        if (best.maker) break;
    }
    if (best.maker) compute_again(&s, &best);
    state_free(&s);
    return best.maker;
}

bool hlo_recompute(const hlo_recomputing *how, hlo_computation *c) {
    bool changed = false;
    for (bool again = true; again;) {
        again = false;
        uint32_t at = 0;
        while (hlo_rewrite_allowed(how->rewriter, HLO_REWRITE_rematerialized) &&
               take_step(how, c, &at))
            again = changed = true;
    }
    return changed;
}
