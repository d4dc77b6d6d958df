/* Machine code of operations: which words live in registers, and for each operation its operands'
 * moves into place, its stencil or call, and the move of what it gives. */
#include <stdlib.h>
#include <string.h>

#include "eval/codegen/loop_code.h"
#include "eval/codegen/ops.h"

/* Registers that no stencil touches (STENCIL_KEPT in the Makefile). Called functions keep some of
 * the general ones. */
static const uint8_t general_homes[] = {R8, R9, R10, R11, RBX, R12, R13, R14, R15};
enum { GENERAL_HOMES = sizeof general_homes, LOST_IN_CALLS = 4 };
enum { FIRST_VECTOR_HOME = 6, VECTOR_HOMES = 10 };

/* Where operands of a stencil come, by the calling convention. */
static const uint8_t general_places[HLO_MOST_JIT_OPERANDS] = {RDI, RSI, RDX};

typedef struct {
    hlo_jit_code *code;
    hlo_assembler *a;
    uint32_t *calls;      /* by operation, counted from 1: how many of those before it call */
    uint32_t *loops;      /* by label: where the loop begins, counted in the same way */
    uint32_t first_label; /* of the assembler's */
    uint32_t stop;        /* the label of what ends the code when the run does not go on */
    uint32_t held[2];     /* by kind of register: the word whose value the first place has */
    struct {
        HLO_LIST(uint32_t) words;
    } homes[GENERAL_HOMES + VECTOR_HOMES];
} emission;

static hlo_jit_word *word(const emission *e, uint32_t w) {
    HLO_ASSERT(w < e->code->words.n);
    return &e->code->words.v[w];
}

/* ---- where words are used ---- */

static void note_use(emission *e, uint32_t w, uint32_t at, double weight) {
    HLO_ASSERT(w < e->code->words.n);
    hlo_jit_word *it = word(e, w);
    if (!it->reads && !it->writes) it->first = it->is_set ? 0 : at;
    it->last = at;
    it->weight += weight;
}

static bool writes_out(const emission *e, const hlo_jit_op *op) {
    return op->kind != HLO_JIT_LANES || !word(e, op->out)->is_address;
}

/* Elements of results may be there before, and what the kernel makes of them is there after it. */
static void note_uses_of_call(emission *e, const hlo_loop_call *call, uint32_t at, double weight) {
    for (uint32_t i = 0; i < call->in_count + call->out_count; i++) {
        const hlo_loop_place *place = &call->places[i];
        note_use(e, place->word, at, weight);
        word(e, place->word)->reads++;
        if (i >= call->in_count && !place->is_address) word(e, place->word)->writes++;
    }
}

static void note_uses_of(emission *e, const hlo_jit_op *op, uint32_t at, double weight) {
    if (op->call) note_uses_of_call(e, op->call, at, weight);
    for (uint32_t i = 0; i < op->in_count; i++) {
        note_use(e, op->in[i], at, weight);
        word(e, op->in[i])->reads++;
    }
    if (op->out == HLO_NO_WORD) return;
    note_use(e, op->out, at, weight);
    if (writes_out(e, op)) word(e, op->out)->writes++;
    else word(e, op->out)->reads++;
}

static void note_uses(emission *e) {
    double weight = 1;
    uint32_t count = e->code->ops.n;
    for (uint32_t k = 0; k < count; k++) {
        const hlo_jit_op *op = &e->code->ops.v[k];
        if (op->kind == HLO_JIT_LOOP) weight *= 8;
        if (op->kind == HLO_JIT_REPEAT) weight /= 8;
        if (op->kind == HLO_JIT_LOOP) e->loops[op->label] = k + 1;
        note_uses_of(e, op, k + 1, weight);
        bool is_call = op->kind == HLO_JIT_LANES || op->kind == HLO_JIT_CALL;
        e->calls[k + 2] = e->calls[k + 1] + is_call;
    }
    for (uint32_t w = 0; w < e->code->words.n; w++)
        if (word(e, w)->is_result) word(e, w)->last = count + 1;
}

/* A word defined before a loop and used in it is live until the loop ends. */
static void lengthen_over_loop(emission *e, uint32_t first, uint32_t last) {
    HLO_ASSERT(first <= last);
    for (uint32_t w = 0; w < e->code->words.n; w++) {
        hlo_jit_word *it = word(e, w);
        if (it->first < first && it->last > first && it->last < last) it->last = last;
    }
}

/* Inner loops end first. */
static void lengthen_over_loops(emission *e) {
    for (uint32_t k = 0; k < e->code->ops.n; k++)
        if (e->code->ops.v[k].kind == HLO_JIT_REPEAT)
            lengthen_over_loop(e, e->loops[e->code->ops.v[k].label], k + 1);
}

/* ---- registers ---- */

/* Whether something is called between the operation that makes the word and the last that reads it.
 */
static bool is_over_call(const emission *e, const hlo_jit_word *it) {
    return it->last > it->first && e->calls[it->last] > e->calls[it->first + 1];
}

/* What ends where another begins is read before that is written. */
static bool is_free(const emission *e, uint32_t home, const hlo_jit_word *it) {
    for (uint32_t i = 0; i < e->homes[home].words.n; i++) {
        const hlo_jit_word *other = word(e, e->homes[home].words.v[i]);
        if (other->first < it->last && it->first < other->last) return false;
        if (other->first == it->first) return false;
    }
    return true;
}

static void find_home(emission *e, uint32_t w) {
    HLO_ASSERT(w < e->code->words.n);
    hlo_jit_word *it = word(e, w);
    bool is_over = is_over_call(e, it);
    if (it->is_vector && is_over) return;
    uint32_t first = it->is_vector ? GENERAL_HOMES : is_over ? LOST_IN_CALLS : 0;
    uint32_t end = it->is_vector ? GENERAL_HOMES + VECTOR_HOMES : GENERAL_HOMES;
    for (uint32_t h = first; h < end; h++) {
        if (!is_free(e, h, it)) continue;
        hlo_list_push(&e->homes[h].words, w);
        it->home =
            (int8_t)(it->is_vector ? FIRST_VECTOR_HOME + h - GENERAL_HOMES : general_homes[h]);
        return;
    }
}

typedef struct {
    double weight;
    uint32_t word;
} candidate;

static int by_weight(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->word < y->word ? -1 : 1;
}

/* Those that are used most in the least time come first. */
static void find_homes(emission *e) {
    uint32_t count = e->code->words.n, n = 0;
    candidate *all = hlo_malloc(((size_t)count + 1) * sizeof *all);
    for (uint32_t w = HLO_FIRST_WORD; w < count; w++)
        if (word(e, w)->reads + word(e, w)->writes + word(e, w)->is_result > 1)
            all[n++] = (candidate){word(e, w)->weight, w};
    qsort(all, n, sizeof *all, by_weight);
    for (uint32_t i = 0; i < n; i++) find_home(e, all[i].word);
    hlo_free(all);
}

/* ---- moves ---- */

static hlo_register home_of(const hlo_jit_word *it) {
    return (hlo_register){(uint8_t)it->home, it->is_vector, it->is_wide};
}

static void load_word(emission *e, hlo_register to, uint32_t w) {
    const hlo_jit_word *it = word(e, w);
    if (it->home >= 0) hlo_put_move(e->a, to, home_of(it));
    else hlo_put_load(e->a, to, w);
}

static void store_word(emission *e, uint32_t w, hlo_register from) {
    const hlo_jit_word *it = word(e, w);
    if (it->home >= 0) hlo_put_move(e->a, home_of(it), from);
    else hlo_put_store(e->a, w, from);
}

static void hold_nothing(emission *e) {
    e->held[0] = e->held[1] = HLO_NO_WORD;
}

static hlo_register place_of(const hlo_jit_word *it, uint32_t place) {
    return (hlo_register){it->is_vector ? (uint8_t)place : general_places[place], it->is_vector,
                          it->is_wide};
}

/* An operand in the first place of its kind, where it may be already. */
static void load_first(emission *e, uint32_t w) {
    const hlo_jit_word *it = word(e, w);
    if (e->held[it->is_vector] != w) load_word(e, place_of(it, 0), w);
    e->held[it->is_vector] = w;
}

static void load_operands(emission *e, const hlo_jit_op *op) {
    uint32_t general = 0, vector = 0;
    for (uint32_t i = 0; i < op->in_count; i++) {
        const hlo_jit_word *it = word(e, op->in[i]);
        uint32_t place = it->is_vector ? vector++ : general++;
        if (place) load_word(e, place_of(it, place), op->in[i]);
        else load_first(e, op->in[i]);
    }
}

/* Whether the next operation takes the word where it is, as its only use. */
static bool is_taken_at_once(const emission *e, uint32_t k, uint32_t w) {
    const hlo_jit_word *it = word(e, w);
    if (it->reads != 1 || it->writes != 1 || it->is_result || k + 1 == e->code->ops.n) return false;
    const hlo_jit_op *next = &e->code->ops.v[k + 1];
    if (next->kind == HLO_JIT_JUMP_IF_FALSE || next->kind == HLO_JIT_JUMP_UNLESS ||
        next->kind == HLO_JIT_MOVE)
        return next->in[0] == w;
    if (next->kind != HLO_JIT_STENCIL) return false;
    for (uint32_t i = 0; i < next->in_count; i++)
        if (word(e, next->in[i])->is_vector == it->is_vector) return next->in[i] == w;
    return false;
}

/* ---- operations ---- */

static void give(emission *e, uint32_t k, uint32_t w) {
    hold_nothing(e);
    if (w == HLO_NO_WORD) return;
    bool is_vector = word(e, w)->is_vector;
    e->held[is_vector] = w;
    if (!is_taken_at_once(e, k, w)) store_word(e, w, place_of(word(e, w), 0));
}

/* From the first place where the value is there, from its register, or through the first place. */
static void emit_move(emission *e, const hlo_jit_op *op) {
    const hlo_jit_word *from = word(e, op->in[0]);
    bool is_vector = from->is_vector, is_held = e->held[is_vector] == op->in[0];
    hlo_register at = is_held || from->home < 0 ? place_of(from, 0) : home_of(from);
    if (from->home < 0) load_first(e, op->in[0]);
    store_word(e, op->out, at);
    if (e->held[is_vector] == op->out) e->held[is_vector] = HLO_NO_WORD;
}

/* The address of a word that the frame holds, or the one that it is. */
static void load_address(emission *e, uint8_t to, uint32_t w) {
    if (word(e, w)->is_address) load_word(e, (hlo_register){.number = to}, w);
    else hlo_put_address(e->a, to, w);
}

static void emit_lanes(emission *e, const hlo_jit_op *op) {
    for (uint32_t i = 0; i < op->in_count; i++) {
        const hlo_jit_word *it = word(e, op->in[i]);
        if (!it->is_address && it->home >= 0) hlo_put_store(e->a, op->in[i], home_of(it));
        load_address(e, RAX, op->in[i]);
        hlo_put_store(e->a, HLO_WORD_OPERANDS + i, (hlo_register){.number = RAX});
    }
    load_address(e, RSI, op->out);
    hlo_put_number(e->a, RDI, (uintptr_t)op->lanes);
    hlo_put_address(e->a, RDX, HLO_WORD_OPERANDS);
    hlo_put_number(e->a, RCX, op->lane_count);
    hlo_put_number(e->a, RAX, (uintptr_t)op->lanes->run);
    hlo_put_call(e->a);
    const hlo_jit_word *out = word(e, op->out);
    if (!out->is_address && out->home >= 0) hlo_put_load(e->a, home_of(out), op->out);
    hold_nothing(e);
}

/* All words that the kernel may see are in the frame, and what it makes is read from there. */
static void emit_call(emission *e, const hlo_jit_op *op) {
    const hlo_loop_call *call = op->call;
    uint32_t count = call->in_count + call->out_count;
    for (uint32_t i = 0; i < count; i++) {
        const hlo_jit_word *it = word(e, call->places[i].word);
        if (it->home >= 0) hlo_put_store(e->a, call->places[i].word, home_of(it));
    }
    hlo_put_move(e->a, (hlo_register){.number = RDI}, (hlo_register){.number = RBP});
    hlo_put_number(e->a, RSI, (uintptr_t)call);
    hlo_put_number(e->a, RAX, (uintptr_t)hlo_loop_call_kernel);
    hlo_put_call(e->a);
    hlo_put_jump_if_zero(e->a, RAX, e->stop);
    for (uint32_t i = call->in_count; i < count; i++) {
        const hlo_jit_word *it = word(e, call->places[i].word);
        if (it->home >= 0 && !call->places[i].is_address)
            hlo_put_load(e->a, home_of(it), call->places[i].word);
    }
    hold_nothing(e);
}

/* Of an iteration that ends with operation k, loops inside counted once. */
static uint32_t work_of_iteration(const emission *e, uint32_t k) {
    uint64_t work = 0;
    for (uint32_t i = e->loops[e->code->ops.v[k].label]; i <= k; i++)
        work += 1 + e->code->ops.v[i].lane_count;
    return work < HLO_JIT_WORK ? (uint32_t)work : HLO_JIT_WORK;
}

/* Checks after so much work whether the run goes on. */
static void emit_repeat(emission *e, uint32_t k) {
    HLO_ASSERT(k < e->code->ops.n);
    const hlo_jit_op *op = &e->code->ops.v[k];
    uint32_t question = e->first_label + e->code->labels + (uint32_t)op->number;
    hlo_put_count_down(e->a, HLO_WORD_COUNTDOWN, work_of_iteration(e, k), question);
    hlo_put_jump(e->a, e->first_label + op->label);
}

static void emit_op(emission *e, uint32_t k) {
    HLO_ASSERT(k < e->code->ops.n);
    const hlo_jit_op *op = &e->code->ops.v[k];
    uint32_t label = e->first_label + op->label;
    switch (op->kind) {
    case HLO_JIT_STENCIL:
        load_operands(e, op);
        hlo_put_stencil(e->a, op->stencil);
        give(e, k, op->out);
        break;
    case HLO_JIT_MOVE: emit_move(e, op); break;
    case HLO_JIT_LANES: emit_lanes(e, op); break;
    case HLO_JIT_CALL: emit_call(e, op); break;
    case HLO_JIT_LABEL:
    case HLO_JIT_LOOP:
        hlo_put_label(e->a, label);
        hold_nothing(e);
        break;
    case HLO_JIT_JUMP: hlo_put_jump(e->a, label); break;
    case HLO_JIT_JUMP_IF_FALSE:
        load_first(e, op->in[0]);
        hlo_put_jump_if_zero(e->a, RDI, label);
        break;
    case HLO_JIT_JUMP_UNLESS:
        load_first(e, op->in[0]);
        hlo_put_jump_unless(e->a, op->number, label);
        break;
    case HLO_JIT_REPEAT: emit_repeat(e, k); break;
    }
}

/* ---- whether the run goes on ---- */

static void move_live_words(emission *e, uint32_t k, bool to_frame) {
    for (uint32_t w = HLO_FIRST_WORD; w < e->code->words.n; w++) {
        const hlo_jit_word *it = word(e, w);
        if (it->home < 0 || it->first > k + 1 || it->last < k + 1) continue;
        if (to_frame) hlo_put_store(e->a, w, home_of(it));
        else hlo_put_load(e->a, home_of(it), w);
    }
}

/* The check, outside of the loops, with all registers in the frame. */
static void emit_question(emission *e, uint32_t k) {
    HLO_ASSERT(k < e->code->ops.n);
    const hlo_jit_op *op = &e->code->ops.v[k];
    hlo_put_label(e->a, e->first_label + e->code->labels + (uint32_t)op->number);
    move_live_words(e, k, true);
    hlo_put_move(e->a, (hlo_register){.number = RDI}, (hlo_register){.number = RBP});
    hlo_put_load(e->a, (hlo_register){.number = RAX}, HLO_WORD_GOES_ON);
    hlo_put_call(e->a);
    hlo_put_jump_if_zero(e->a, RAX, e->stop);
    move_live_words(e, k, false);
    hlo_put_jump(e->a, e->first_label + op->label);
}

static void emit_questions(emission *e) {
    for (uint32_t k = 0; k < e->code->ops.n; k++)
        if (e->code->ops.v[k].kind == HLO_JIT_REPEAT) emit_question(e, k);
}

/* ---- all of it ---- */

/* Numbers the ends of loops: each has a label for its question, after the code's own. */
static void make_labels(emission *e) {
    uint32_t ends = 0;
    for (uint32_t k = 0; k < e->code->ops.n; k++)
        if (e->code->ops.v[k].kind == HLO_JIT_REPEAT) e->code->ops.v[k].number = (int32_t)ends++;
    e->first_label = e->a->labels.n;
    for (uint32_t i = 0; i < e->code->labels + ends; i++) hlo_new_label(e->a);
}

/* Words that are set before, into their registers; what leaves is left to the frame at the end. */
static void move_set_words(emission *e, bool to_frame) {
    for (uint32_t w = HLO_FIRST_WORD; w < e->code->words.n; w++) {
        const hlo_jit_word *it = word(e, w);
        if (it->home < 0) continue;
        if (to_frame && it->is_result) hlo_put_store(e->a, w, home_of(it));
        if (!to_frame && it->is_set) hlo_put_load(e->a, home_of(it), w);
    }
}

static void emit_code(emission *e) {
    note_uses(e);
    lengthen_over_loops(e);
    find_homes(e);
    make_labels(e);
    e->stop = hlo_new_label(e->a);
    hlo_put_entry(e->a);
    move_set_words(e, false);
    hold_nothing(e);
    for (uint32_t k = 0; k < e->code->ops.n; k++) emit_op(e, k);
    move_set_words(e, true);
    hlo_put_return(e->a, true);
    emit_questions(e);
    hlo_put_label(e->a, e->stop);
    hlo_put_return(e->a, false);
}

uint32_t hlo_jit_emit(hlo_jit_code *code, hlo_assembler *to) {
    emission e = {.code = code, .a = to};
    e.calls = hlo_calloc(code->ops.n + 3u, sizeof *e.calls);
    e.loops = hlo_calloc(code->labels + 1u, sizeof *e.loops);
    for (uint32_t w = 0; w < code->words.n; w++) code->words.v[w].home = -1;
    uint32_t start = to->code.n;
    emit_code(&e);
    for (uint32_t h = 0; h < GENERAL_HOMES + VECTOR_HOMES; h++) hlo_list_free(&e.homes[h].words);
    hlo_free(e.loops);
    hlo_free(e.calls);
    return start;
}
