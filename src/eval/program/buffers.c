/* Plans the memory of frames: which results may be written over which operands, the live range of
 * each array, and its place in one block for all. Arrays that may leave the frame, in its result or
 * through an effect, are not part of it: they have separate memory, freed by reference count.
 * runner.c follows the plan.
 *
 * Values that may share memory are one family: a view and its operand, a tuple and its elements,
 * the result of a call and the arguments that it may return. Its arrays serve as long as any value
 * of it has users. */
#include "base/blocks.h"
#include "eval/program/families.h"
#include "eval/program/operand_cache.h"
#include "eval/program/pieces.h"
#include "eval/program/plan_leaves.h"

enum { NONE = HLO_NO_BUFFER };

/* Bytes of an array that may be better off in separate memory: see hlo_planner_place. */
enum { LARGE = 1 << 20 };

/* What callers have to know of a plan: which argument's leaf each leaf of the result may be. */
typedef struct {
    uint32_t leaf, argument;
} passed;

typedef struct {
    HLO_LIST(passed) passed;
    bool is_known, is_asked;
} summary;

typedef struct {
    hlo_planner *planner;
    summary *summaries; /* by plan */
    uint32_t depth;
    uint64_t most; /* bytes of a leaf that is placed */
    bool wastes;   /* some plan's block is idle while its frame needs other memory */
    hlo_arena arena;
} placing;

/* A plan that is gone through. */
typedef struct {
    placing *all;
    hlo_plan *plan;
    hlo_plan_leaves leaves; /* numbers of families */
    uint32_t *uses;         /* by step: those still to come */
    uint32_t now;           /* the step */
    hlo_families families;
    HLO_LIST(hlo_plan_buffer) buffers;
} walk;

static const summary *summary_of(placing *all, hlo_plan *plan);

static hlo_family *family_of(walk *w, uint32_t leaf) {
    return hlo_family_of(&w->families, leaf);
}

/* ---- buffers ---- */

static uint64_t rounded(uint64_t bytes) {
    return (bytes + 63) / 64 * 64 + HLO_PLACE_GUARD;
}

static uint32_t add_buffer(walk *w, uint64_t bytes, hlo_buffer_use use) {
    HLO_ASSERT(w->now < w->plan->count &&
               (!w->buffers.n || w->buffers.v[w->buffers.n - 1].first <= w->now));
    bool is_own = use == HLO_BUFFER_RETURNED || use == HLO_BUFFER_INSIDE;
    hlo_list_push(&w->buffers, (hlo_plan_buffer){.at = is_own ? HLO_NOT_PLACED : 0,
                                                 .bytes = bytes,
                                                 .first = w->now,
                                                 .last = w->now,
                                                 .use = (uint8_t)use});
    return w->buffers.n - 1;
}

/* A buffer and a family for each leaf; arrays without elements have an address too. */
static uint32_t *make_leaves(walk *w, const hlo_shape *shape, uint32_t *to) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++) to = make_leaves(w, shape->elements[i], to);
        return to;
    }
    uint64_t bytes = 0; /* of a token */
    if (hlo_shape_is_array(hlo_shape_held(shape)))
        bytes = rounded(hlo_tree_bytes(shape) + !hlo_tree_bytes(shape));
    uint32_t b = add_buffer(w, bytes, HLO_BUFFER_RESULT);
    if (bytes > w->all->most) w->buffers.v[b].at = HLO_NOT_PLACED;
    *to = hlo_family_new(&w->families);
    hlo_family_add_buffer(&w->families, *to, b);
    return to + 1;
}

static void make_result(walk *w, hlo_plan_step *step, uint32_t *to) {
    step->takes = 0;
    step->buffers = w->buffers.n;
    make_leaves(w, step->instr->shape, to);
}

/* ---- results in the place of an operand ---- */

/* Whether nothing in this frame needs the operand's memory after this step. */
static bool is_dying(walk *w, const hlo_plan_step *step, uint32_t i) {
    HLO_ASSERT(i < step->instr->operand_count);
    uint32_t operand = w->plan->operand_steps[step->operands + i];
    const hlo_family *f = family_of(w, w->leaves.of[operand][0]);
    return w->uses[operand] == 1 && f->holders == 1 && !f->is_fixed;
}

/* An argument may have users outside, which is known only when the step runs: then the result has
 * separate memory. */
static bool may_be_argument(walk *w, const hlo_plan_step *step, uint32_t i) {
    return family_of(w, hlo_operand_leaves(&w->leaves, step, i)[0])->arguments.first != HLO_NO_CELL;
}

/* The operand that surely dies, else all that may. */
static uint32_t choose_operands(walk *w, const hlo_plan_step *step, uint32_t may) {
    uint32_t maybe = 0;
    for (; may; may &= may - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(may);
        if (!is_dying(w, step, i)) continue;
        if (!may_be_argument(w, step, i)) return UINT32_C(1) << i;
        maybe |= UINT32_C(1) << i;
    }
    return maybe;
}

static void write_over(walk *w, hlo_plan_step *step, uint32_t may, uint32_t *to) {
    uint32_t takes = choose_operands(w, step, may);
    HLO_ASSERT(!hlo_shape_is_tuple(step->instr->shape));
    if (!takes) {
        make_result(w, step, to);
        return;
    }
    step->takes = takes;
    *to = hlo_operand_leaves(&w->leaves, step, (uint32_t)__builtin_ctz(takes))[0];
    for (uint32_t left = takes & (takes - 1); left; left &= left - 1)
        hlo_families_unite(&w->families, *to,
                           hlo_operand_leaves(&w->leaves, step, (uint32_t)__builtin_ctz(left))[0]);
}

/* Each of several arrays is in the operand's memory or in separate memory. */
static void update(walk *w, hlo_plan_step *step, uint32_t *to) {
    const hlo_shape *shape = step->instr->shape;
    if (!hlo_shape_is_tuple(shape)) {
        write_over(w, step, 1, to);
        return;
    }
    step->takes = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        to[i] = i < step->updates ? hlo_operand_leaves(&w->leaves, step, i)[0]
                                  : hlo_family_new(&w->families);
}

/* ---- views ---- */

static void set_shortcut(hlo_plan_step *step, hlo_shortcut shortcut, uint32_t number) {
    step->shortcut = (uint8_t)shortcut;
    step->number = number;
}

static void put_argument(walk *w, hlo_plan_step *step, uint32_t *to) {
    const hlo_instr *instr = step->instr;
    uint32_t n = hlo_shape_leaf_count(instr->shape);
    uint32_t first = hlo_first_argument_leaf(&w->leaves, instr);
    int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    if (number >= 0 && number < UINT32_MAX) set_shortcut(step, HLO_TO_ARGUMENT, (uint32_t)number);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = hlo_family_new(&w->families);
        hlo_family_add_argument(&w->families, to[i], first + i);
        family_of(w, to[i])->is_fixed = w->plan->number == 0;
    }
}

static void put_constant(walk *w, hlo_plan_step *step, uint32_t *to) {
    uint32_t n = hlo_shape_leaf_count(step->instr->shape);
    set_shortcut(step, HLO_TO_CONSTANT, w->plan->constant_count++);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = hlo_family_new(&w->families);
        family_of(w, to[i])->is_fixed = true;
    }
}

/* Each leaf may be any leaf of any operand. */
static void mix_operands(walk *w, const hlo_plan_step *step, uint32_t *to) {
    uint32_t mixed = hlo_family_new(&w->families), n = hlo_shape_leaf_count(step->instr->shape);
    for (uint32_t i = 0; i < step->instr->operand_count; i++) {
        uint32_t count = hlo_shape_leaf_count(hlo_operand(step->instr, i)->shape);
        for (uint32_t l = 0; l < count; l++)
            hlo_families_unite(&w->families, mixed, hlo_operand_leaves(&w->leaves, step, i)[l]);
    }
    for (uint32_t l = 0; l < n; l++) to[l] = mixed;
}

static void put_view(walk *w, hlo_plan_step *step, uint32_t *to) {
    const hlo_instr *instr = step->instr;
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: put_argument(w, step, to); break;
    case HLO_OP_CONSTANT: put_constant(w, step, to); break;
    case HLO_OP_TUPLE: hlo_join_operand_leaves(&w->leaves, step, 0, to); break;
    case HLO_OP_GET_TUPLE_ELEMENT:
        set_shortcut(step, HLO_TO_ELEMENT, (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX));
        hlo_take_element_leaves(&w->leaves, step, to);
        break;
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_BITCAST:
    case HLO_OP_OPT_BARRIER:
        hlo_copy_leaves(to, hlo_operand_leaves(&w->leaves, step, 0),
                        hlo_shape_leaf_count(instr->shape));
        break;
    default: mix_operands(w, step, to);
    }
}

/* ---- calls ---- */

/* The result may be what the computation returns of its arguments: the operands from `first` on. */
static void pass_arguments(walk *w, const hlo_plan_step *step, const summary *called,
                           uint32_t first, const uint32_t *to) {
    uint32_t count = hlo_operand_leaf_count(step->instr, first);
    uint32_t *given = HLO_NEW_ARRAY(&w->all->arena, uint32_t, count);
    hlo_join_operand_leaves(&w->leaves, step, first, given);
    uint32_t n = hlo_shape_leaf_count(step->instr->shape);
    for (uint32_t p = 0; p < called->passed.n; p++) {
        passed it = called->passed.v[p];
        if (it.leaf < n && it.argument < count)
            hlo_families_unite(&w->families, to[it.leaf], given[it.argument]);
    }
}

/* The state is the operand at first; then leaves go where the body puts them. */
static void pass_state(walk *w, const hlo_plan_step *step, const summary *body,
                       const uint32_t *to) {
    HLO_ASSERT(step->instr->opcode == HLO_OP_WHILE && step->instr->operand_count == 1);
    uint32_t n = hlo_shape_leaf_count(step->instr->shape);
    for (uint32_t i = 0; i < n; i++)
        hlo_families_unite(&w->families, to[i], hlo_operand_leaves(&w->leaves, step, 0)[i]);
    for (uint32_t p = 0; p < body->passed.n; p++) {
        passed it = body->passed.v[p];
        if (it.leaf < n && it.argument < n)
            hlo_families_unite(&w->families, to[it.leaf], to[it.argument]);
    }
}

static const summary *called_summary(walk *w, const hlo_plan_step *step, uint32_t k) {
    hlo_computation *called = hlo_called(step->instr, k);
    return called ? summary_of(w->all, hlo_planner_plan(w->all->planner, called)) : NULL;
}

/* Whether what the step returns is known by what it calls. */
static bool returns_results(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_FUSION:
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL: return true;
    default: return false;
    }
}

static bool may_be_passed(const summary *called, uint32_t leaf) {
    for (uint32_t p = 0; p < called->passed.n; p++)
        if (called->passed.v[p].leaf == leaf) return true;
    return false;
}

/* Leaves that no called computation takes from its arguments have separate memory, and so does what
 * serves inside until it returns. Returns the first leaf after those of the shape. */
static uint32_t *add_returned(walk *w, const hlo_plan_step *step, uint32_t called,
                              const hlo_shape *shape, uint32_t *to) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++)
            to = add_returned(w, step, called, shape->elements[i], to);
        return to;
    }
    uint32_t leaf = (uint32_t)(to - w->leaves.of[w->now]);
    HLO_ASSERT(leaf < hlo_shape_leaf_count(step->instr->shape));
    for (uint32_t k = 0; k < called; k++)
        if (may_be_passed(called_summary(w, step, k), leaf)) return to + 1;
    if (!hlo_tree_bytes(shape)) return to + 1;
    uint32_t b = add_buffer(w, rounded(hlo_tree_bytes(shape)), HLO_BUFFER_RETURNED);
    hlo_family_add_buffer(&w->families, *to, b);
    return to + 1;
}

static void put_results(walk *w, const hlo_plan_step *step, uint32_t *to) {
    const hlo_instr *instr = step->instr;
    uint32_t n = hlo_shape_leaf_count(instr->shape), called = hlo_called_count(instr);
    bool is_known = returns_results(instr);
    for (uint32_t k = 0; k < called && is_known; k++) is_known = called_summary(w, step, k);
    if (!is_known) {
        mix_operands(w, step, to);
        return;
    }
    for (uint32_t i = 0; i < n; i++) to[i] = hlo_family_new(&w->families);
    add_returned(w, step, called, instr->shape, to);
    if (instr->opcode == HLO_OP_WHILE) {
        pass_state(w, step, called_summary(w, step, 0), to);
        return;
    }
    for (uint32_t k = 0; k < called; k++)
        pass_arguments(w, step, called_summary(w, step, k),
                       instr->opcode == HLO_OP_CONDITIONAL ? k + 1 : 0, to);
}

/* ---- steps ---- */

static void put_leaves(walk *w, hlo_plan_step *step, uint32_t *to) {
    switch ((hlo_op_result)step->result) {
    case HLO_RESULT_VIEW: put_view(w, step, to); break;
    case HLO_RESULT_CALL: put_results(w, step, to); break;
    case HLO_RESULT_FRESH: make_result(w, step, to); break;
    case HLO_RESULT_OVERWRITE: write_over(w, step, step->overwrites, to); break;
    case HLO_RESULT_UPDATE: update(w, step, to); break;
    }
}

/* A fusion that is a cluster calls nothing but on operands with run-time sizes. */
static bool may_call(const hlo_plan_step *step) {
    return step->calls && (step->instr->opcode != HLO_OP_FUSION || step->result == HLO_RESULT_CALL);
}

/* Scratch memory of the kernel, and frames of what it calls. */
static void add_inner_memory(walk *w, hlo_plan_step *step) {
    hlo_pieces pieces;
    uint32_t threads = w->all->planner->program->options.threads, called = 0;
    size_t scratch = hlo_pieces_plan(&pieces, step->scratch_bytes, step->piece_bytes, threads);
    if (scratch) step->scratch_buffer = add_buffer(w, rounded(scratch), HLO_BUFFER_SCRATCH);
    uint64_t most = 0, heap = 0;
    if (may_call(step)) called = hlo_called_count(step->instr);
    for (uint32_t k = 0; k < called; k++) {
        if (!called_summary(w, step, k)) continue;
        const hlo_plan *plan = hlo_planner_plan(w->all->planner, hlo_called(step->instr, k));
        if (plan->bytes > most) most = plan->bytes;
        if (plan->heap_bytes > heap) heap = plan->heap_bytes;
    }
    if (most) step->called_buffer = add_buffer(w, most, HLO_BUFFER_CALLED);
    if (heap) add_buffer(w, heap, HLO_BUFFER_INSIDE);
}

/* The family's buffers serve up to this step. */
static void end_family(walk *w, hlo_family *f) {
    for (uint32_t c = f->buffers.first; c != HLO_NO_CELL; c = w->families.cells.v[c].next) {
        hlo_plan_buffer *buffer = &w->buffers.v[w->families.cells.v[c].value];
        HLO_ASSERT(buffer->first <= w->now);
        buffer->last = w->now;
        if (f->escapes) buffer->at = HLO_NOT_PLACED;
    }
    f->buffers.first = HLO_NO_CELL;
}

static void drop_use(walk *w, uint32_t step) {
    HLO_ASSERT(w->uses[step] > 0);
    if (--w->uses[step]) return;
    uint32_t n = hlo_shape_leaf_count(w->plan->steps[step].instr->shape);
    for (uint32_t i = 0; i < n; i++) {
        hlo_family *f = family_of(w, w->leaves.of[step][i]);
        HLO_ASSERT(f->holders > 0);
        if (--f->holders == 0) end_family(w, f);
    }
}

/* What an effect sees may be kept by its receiver. */
static void let_escape(walk *w, const hlo_plan_step *step) {
    for (uint32_t i = 0; i < step->instr->operand_count; i++) {
        uint32_t n = hlo_shape_leaf_count(hlo_operand(step->instr, i)->shape);
        for (uint32_t l = 0; l < n; l++)
            family_of(w, hlo_operand_leaves(&w->leaves, step, i)[l])->escapes = true;
    }
}

static void take_step(walk *w, uint32_t k) {
    HLO_ASSERT(k < w->plan->count);
    hlo_plan_step *step = &w->plan->steps[k];
    uint32_t n = hlo_shape_leaf_count(step->instr->shape), *leaves = w->leaves.of[k];
    w->now = k;
    step->buffers = step->scratch_buffer = step->called_buffer = NONE;
    put_leaves(w, step, leaves);
    add_inner_memory(w, step);
    if (step->has_effect) let_escape(w, step);
    for (uint32_t i = 0; i < n; i++) family_of(w, leaves[i])->holders++;
    w->uses[k] = step->uses + 1;
    for (uint32_t i = 0; i < step->instr->operand_count; i++)
        drop_use(w, w->plan->operand_steps[step->operands + i]);
    drop_use(w, k); /* the value of a step without uses is released at once */
}

/* ---- plans ---- */

/* What the result holds leaves the frame. */
static void end_walk(walk *w, summary *s) {
    const hlo_plan *plan = w->plan;
    uint32_t n = hlo_shape_leaf_count(plan->steps[plan->root].instr->shape);
    for (uint32_t i = 0; i < n; i++) {
        hlo_family *f = family_of(w, w->leaves.of[plan->root][i]);
        f->escapes = true;
        const hlo_family_cell *cells = w->families.cells.v;
        for (uint32_t c = f->arguments.first; c != HLO_NO_CELL; c = cells[c].next)
            hlo_list_push_in(&w->all->arena, &s->passed, (passed){i, cells[c].value});
        end_family(w, f);
    }
}

/* How much of the buffers serves at once: of those that have a place, of the others, of both. */
static uint64_t most_at_once(const walk *w, bool placed, bool others) {
    uint64_t now = 0, most = 0;
    uint64_t *ending = hlo_calloc(w->plan->count, sizeof *ending);
    for (uint32_t b = 0, k = 0; k < w->plan->count; k++) {
        for (; b < w->buffers.n && w->buffers.v[b].first == k; b++) {
            const hlo_plan_buffer *buffer = &w->buffers.v[b];
            if (!(buffer->at == HLO_NOT_PLACED ? others : placed)) continue;
            now += buffer->bytes;
            ending[buffer->last] += buffer->bytes;
        }
        if (now > most) most = now;
        now -= ending[k];
    }
    hlo_free(ending);
    return most;
}

static void place(walk *w) {
    hlo_plan *plan = w->plan;
    plan->buffer_count = w->buffers.n;
    plan->buffers = hlo_arena_copy(&w->all->planner->program->arena, w->buffers.v,
                                   w->buffers.n * sizeof *w->buffers.v);
    plan->least_bytes = most_at_once(w, true, false);
    plan->heap_bytes = most_at_once(w, false, true);
    plan->bytes =
        hlo_place_buffers(plan->buffers, plan->buffer_count, plan->count, plan->least_bytes);
    HLO_ASSERT(plan->bytes >= plan->least_bytes);
    plan->has_memory = true;
    uint64_t together = most_at_once(w, true, true);
    if (plan->bytes + plan->heap_bytes > together + together / 16 + LARGE) w->all->wastes = true;
}

/* NULL for a computation that calls itself or is called too deep, which the run reports. */
static const summary *summary_of(placing *all, hlo_plan *plan) {
    HLO_ASSERT(plan->number < all->planner->program->plan_count);
    summary *s = &all->summaries[plan->number];
    if (s->is_known) return s;
    if (s->is_asked || all->depth >= HLO_EVAL_MAX_DEPTH) return NULL;
    s->is_asked = true;
    all->depth++;
    walk w = {.all = all, .plan = plan};
    hlo_plan_leaves_init(&w.leaves, plan, &all->arena);
    w.uses = HLO_NEW_ARRAY(&all->arena, uint32_t, plan->count);
    plan->constant_count = 0;
    for (uint32_t k = 0; k < plan->count; k++) take_step(&w, k);
    end_walk(&w, s);
    place(&w);
    hlo_families_free(&w.families);
    hlo_list_free(&w.buffers);
    HLO_ASSERT(all->depth > 0);
    all->depth--;
    s->is_known = true;
    return s;
}

/* What a run needs with blocks for leaves of up to `most` bytes. *wastes: whether results could use
 * memory that is idle in some block when they are made. */
static uint64_t place_all(hlo_planner *planner, uint64_t most, bool *wastes) {
    const hlo_program *program = planner->program;
    placing all = {.planner = planner, .most = most};
    hlo_arena_init(&all.arena);
    all.summaries = HLO_NEW_ARRAY(&all.arena, summary, program->plan_count);
    for (uint32_t n = 0; n < program->plan_count; n++) summary_of(&all, program->plans[n]);
    hlo_arena_free(&all.arena);
    *wastes = all.wastes;
    return program->memory.outside + program->plans[0]->bytes + program->plans[0]->heap_bytes;
}

/* The block of a frame stays while separate memory is made for what leaves the frame. Where that
 * takes more than the arrays that are alive at once need, large arrays are allocated one by one. */
void hlo_planner_place(hlo_planner *planner) {
    hlo_program *program = planner->program;
    uint64_t limit = program->options.max_bytes;
    if (program->memory.peak > limit) return; /* it will not run */
    bool wastes;
    uint64_t needed = place_all(planner, UINT64_MAX, &wastes);
    if (wastes || needed > limit) needed = place_all(planner, LARGE, &wastes);
    if (needed > limit) needed -= hlo_planner_drop_cached(planner);
    for (uint32_t n = 0; n < program->plan_count && needed > limit; n++)
        program->plans[n]->has_memory = false;
    if (needed <= limit && needed > program->memory.peak) program->memory.peak = needed;
}
