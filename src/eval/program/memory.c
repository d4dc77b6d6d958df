/* How much memory a run needs: its plans are gone through in order, with arrays in place of values,
 * which die at their last use and are changed in place where kernels do so. */
#include "eval/program/operand_cache.h"
#include "eval/program/pieces.h"
#include "eval/program/plan_leaves.h"

/* An array that a computation has made. Those of arguments and constants take nothing here: the
 * caller has them. */
typedef struct {
    uint64_t bytes;
    uint32_t holders; /* steps whose values have it as a leaf, and are still needed */
    int32_t argument; /* the number of the argument's leaf; -1: another array */
    bool is_fixed;    /* a constant's, or the caller's: never written over */
} array;

/* What callers need to know of a computation. */
typedef struct {
    uint64_t peak;      /* of arrays made inside */
    uint32_t leaves;    /* of the result */
    int32_t *arguments; /* by leaf of the result: the argument's leaf whose place it takes, or -1 */
    const hlo_instr *at; /* where the peak is */
    bool is_known, is_asked;
} demand;

typedef struct {
    hlo_planner *planner;
    demand *demands; /* by computation id */
    uint32_t depth;
    hlo_arena arena;
} estimate;

/* A computation that is gone through. */
typedef struct {
    estimate *all;
    const hlo_plan *plan;
    array *arrays;
    uint32_t count, capacity;
    hlo_plan_leaves leaves; /* numbers of arrays */
    uint32_t *uses;         /* by step: those still to come */
    uint64_t live;
    demand *demand;
} walk;

static const demand *demand_of(estimate *all, hlo_computation *computation);

static uint32_t add_array(walk *w, array a) {
    HLO_ASSERT(w->count <= w->capacity);
    if (w->count == w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 64;
        w->arrays = hlo_realloc(w->arrays, w->capacity * sizeof *w->arrays);
    }
    w->arrays[w->count] = a;
    w->live += a.bytes;
    return w->count++;
}

static void note_peak(walk *w, uint64_t more, const hlo_instr *at) {
    if (w->live + more <= w->demand->peak && w->demand->at) return;
    w->demand->peak = w->live + more;
    w->demand->at = at;
}

/* ---- leaves ---- */

/* New arrays for the leaves of a shape. */
static uint32_t *make_leaves(walk *w, const hlo_shape *shape, uint32_t *to) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++) to = make_leaves(w, shape->elements[i], to);
    } else {
        int64_t bytes = hlo_shape_bytes(shape);
        *to++ = add_array(w, (array){.bytes = bytes > 0 ? (uint64_t)bytes : 0, .argument = -1});
    }
    return to;
}

/* Those of the entry computation stay the caller's. */
static void set_argument(walk *w, const hlo_instr *instr, uint32_t *to) {
    bool is_fixed = w->plan->number == 0;
    uint32_t first = hlo_first_argument_leaf(&w->leaves, instr),
             n = hlo_shape_leaf_count(instr->shape);
    for (uint32_t i = 0; i < n; i++)
        to[i] = add_array(w, (array){.argument = (int32_t)(first + i), .is_fixed = is_fixed});
}

/* ---- results in the place of an operand ---- */

static bool is_dying(const walk *w, uint32_t step, uint32_t a) {
    return w->uses[step] == 1 && w->arrays[a].holders == 1 && !w->arrays[a].is_fixed;
}

/* Whether the kernel writes over operand i when it has no later use. */
static bool may_overwrite(const hlo_plan_step *step, uint32_t i) {
    switch ((hlo_op_result)step->result) {
    case HLO_RESULT_OVERWRITE: return i < 32 && (step->overwrites >> i & 1);
    case HLO_RESULT_UPDATE: return i == 0;
    default: return false;
    }
}

static void make_result(walk *w, const hlo_plan_step *step, uint32_t *to) {
    const hlo_instr *instr = step->instr;
    for (uint32_t i = 0; hlo_shape_is_array(instr->shape) && i < instr->operand_count; i++) {
        uint32_t operand = w->plan->operand_steps[step->operands + i];
        uint32_t leaf = w->leaves.of[operand][0];
        if (!may_overwrite(step, i) || !is_dying(w, operand, leaf)) continue;
        *to = leaf;
        return;
    }
    make_leaves(w, instr->shape, to);
}

/* ---- calls ---- */

/* Leaves of the result that take an argument's place, from operand `first` on; others are new. */
static void take_results(walk *w, const hlo_plan_step *step, const demand *called, uint32_t first,
                         uint32_t *to) {
    uint32_t before = w->count, n = hlo_shape_leaf_count(step->instr->shape);
    uint32_t arguments = hlo_operand_leaf_count(step->instr, first);
    uint32_t *given = HLO_NEW_ARRAY(&w->all->arena, uint32_t, arguments);
    hlo_join_operand_leaves(&w->leaves, step, first, given);
    make_leaves(w, step->instr->shape, to);
    for (uint32_t i = 0; called && i < n && i < called->leaves; i++) {
        int32_t argument = called->arguments[i];
        if (argument < 0 || (uint32_t)argument >= arguments) continue;
        w->live -= w->arrays[before + i].bytes;
        w->arrays[before + i].bytes = 0;
        to[i] = given[argument];
    }
}

/* Of what the step calls, that which needs most while it runs; NULL: nothing is known to be
 * needed. The results are not yet made. */
static const demand *note_called(walk *w, const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    const demand *greatest = NULL;
    uint32_t called = hlo_called_count(instr);
    for (uint32_t k = 0; k < called; k++) {
        const demand *one = hlo_called(instr, k) ? demand_of(w->all, hlo_called(instr, k)) : NULL;
        if (one && (!greatest || one->peak > greatest->peak)) greatest = one;
    }
    if (greatest) note_peak(w, greatest->peak, instr);
    return greatest;
}

/* Each iteration's state takes the place of the one before; the first one takes that of the
 * operand, but for arrays that are not to be written over and do not stay what they are. */
static void take_state(walk *w, const hlo_plan_step *step, uint32_t *to) {
    uint32_t operand = w->plan->operand_steps[step->operands];
    uint32_t n = hlo_shape_leaf_count(step->instr->shape);
    const demand *body =
        hlo_called(step->instr, 0) ? demand_of(w->all, hlo_called(step->instr, 0)) : NULL;
    make_leaves(w, step->instr->shape, to);
    for (uint32_t i = 0; i < n && w->uses[operand] == 1; i++) {
        uint32_t leaf = w->leaves.of[operand][i];
        if (w->arrays[leaf].is_fixed &&
            !(body && (i < body->leaves && body->arguments[i] == (int32_t)i)))
            continue;
        w->live -= w->arrays[to[i]].bytes;
        w->arrays[to[i]].bytes = 0;
        to[i] = leaf;
    }
}

static void call(walk *w, const hlo_plan_step *step, uint32_t *to) {
    const hlo_instr *instr = step->instr;
    const demand *greatest = note_called(w, step);
    if (instr->opcode == HLO_OP_WHILE) {
        take_state(w, step, to);
        return;
    }
    /* The result of an async start holds the called computation's among others. */
    bool is_result = hlo_called_count(instr) == 1 && instr->opcode != HLO_OP_ASYNC_START;
    take_results(w, step, is_result ? greatest : NULL, instr->opcode == HLO_OP_CONDITIONAL ? 1 : 0,
                 to);
}

/* ---- steps ---- */

static void put_constant(walk *w, const hlo_instr *instr, uint32_t *to) {
    uint32_t n = hlo_shape_leaf_count(instr->shape);
    for (uint32_t i = 0; i < n; i++)
        to[i] = add_array(w, (array){.argument = -1, .is_fixed = true});
}

static void put_view(walk *w, const hlo_plan_step *step, uint32_t *to) {
    const hlo_instr *instr = step->instr;
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: set_argument(w, instr, to); break;
    case HLO_OP_CONSTANT: put_constant(w, instr, to); break;
    case HLO_OP_TUPLE: hlo_join_operand_leaves(&w->leaves, step, 0, to); break;
    case HLO_OP_GET_TUPLE_ELEMENT: hlo_take_element_leaves(&w->leaves, step, to); break;
    default:
        if (hlo_is_whole_operand(instr))
            hlo_copy_leaves(to, hlo_operand_leaves(&w->leaves, step, 0),
                            hlo_shape_leaf_count(instr->shape));
        else make_leaves(w, instr->shape, to);
    }
}

/* A cluster calls its computation after all on operands with run-time sizes. */
static bool is_called_cluster(const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    bool is_dynamic = instr->shape->dynamic;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        is_dynamic |= hlo_operand(instr, i)->shape->dynamic;
    return is_dynamic && instr->opcode == HLO_OP_FUSION;
}

static void put_leaves(walk *w, const hlo_plan_step *step, uint32_t *to) {
    if (is_called_cluster(step)) {
        call(w, step, to);
        return;
    }
    switch ((hlo_op_result)step->result) {
    case HLO_RESULT_VIEW: put_view(w, step, to); break;
    case HLO_RESULT_CALL: call(w, step, to); break;
    case HLO_RESULT_FRESH:
    case HLO_RESULT_OVERWRITE:
    case HLO_RESULT_UPDATE: make_result(w, step, to); break;
    }
}

/* Gives up one use of a step's value; its arrays die with the last holder. */
static void drop_use(walk *w, uint32_t step) {
    HLO_ASSERT(w->uses[step] > 0);
    if (--w->uses[step]) return;
    uint32_t n = hlo_shape_leaf_count(w->plan->steps[step].instr->shape);
    for (uint32_t i = 0; i < n; i++) {
        array *a = &w->arrays[w->leaves.of[step][i]];
        HLO_ASSERT(a->holders > 0);
        if (--a->holders) continue;
        HLO_ASSERT(w->live >= a->bytes);
        w->live -= a->bytes;
        a->bytes = 0;
    }
}

static uint64_t scratch_bytes(const walk *w, const hlo_plan_step *step) {
    hlo_pieces pieces;
    uint32_t threads = w->all->planner->program->options.threads;
    return hlo_pieces_plan(&pieces, step->scratch_bytes, step->piece_bytes, threads);
}

static void take_step(walk *w, uint32_t k) {
    HLO_ASSERT(k < w->plan->count);
    const hlo_plan_step *step = &w->plan->steps[k];
    uint32_t n = hlo_shape_leaf_count(step->instr->shape);
    put_leaves(w, step, w->leaves.of[k]);
    note_peak(w, scratch_bytes(w, step), step->instr);
    /* A leaf is the number of an array, so that there are some. */
    for (uint32_t i = 0; i < n; i++)
        w->arrays[w->leaves.of[k][i]].holders++; /* NOLINT(clang-analyzer-core.NullDereference) */
    w->uses[k] = step->uses + 1;
    for (uint32_t i = 0; i < step->instr->operand_count; i++)
        drop_use(w, w->plan->operand_steps[step->operands + i]);
    drop_use(w, k); /* the value of a step without uses is released at once */
}

static void set_result(walk *w) {
    demand *d = w->demand;
    d->leaves = hlo_shape_leaf_count(w->plan->steps[w->plan->root].instr->shape);
    d->arguments = HLO_NEW_ARRAY(&w->all->arena, int32_t, d->leaves + 1);
    for (uint32_t i = 0; i < d->leaves; i++)
        d->arguments[i] = w->arrays[w->leaves.of[w->plan->root][i]].argument;
}

/* NULL for a computation that calls itself or is called too deep, which the run reports. */
static const demand *demand_of(estimate *all, hlo_computation *computation) {
    HLO_ASSERT(computation->id < all->planner->program->module->next_id);
    demand *d = &all->demands[computation->id];
    if (d->is_known) return d;
    if (d->is_asked || all->depth >= HLO_EVAL_MAX_DEPTH) return NULL;
    d->is_asked = true;
    all->depth++;
    walk w = {.all = all, .plan = hlo_planner_plan(all->planner, computation), .demand = d};
    hlo_plan_leaves_init(&w.leaves, w.plan, &all->arena);
    w.uses = HLO_NEW_ARRAY(&all->arena, uint32_t, w.plan->count);
    for (uint32_t k = 0; k < w.plan->count; k++) take_step(&w, k);
    set_result(&w);
    hlo_free(w.arrays);
    HLO_ASSERT(all->depth > 0);
    all->depth--;
    d->is_known = true;
    return d;
}

/* What steps that run ahead of their turn may keep alive besides. */
static uint64_t ahead_bytes(const hlo_plan *plan) {
    uint64_t sum = 0, most = 0;
    for (uint32_t k = 0; k < plan->count; k++) {
        sum += hlo_tree_bytes(plan->steps[k].instr->shape);
        if (k >= HLO_PLAN_AHEAD)
            sum -= hlo_tree_bytes(plan->steps[k - HLO_PLAN_AHEAD].instr->shape);
        if (sum > most) most = sum;
    }
    return 2 * most;
}

/* Gives up running ahead where there is no memory for it. */
static void stay_within(const hlo_program *program, uint64_t peak) {
    uint64_t limit = program->options.max_bytes;
    for (uint32_t n = 0; n < program->plan_count; n++) {
        hlo_plan *plan = program->plans[n];
        if (!plan->followers) continue;
        if (peak > limit || ahead_bytes(plan) > limit - peak) plan->followers = NULL;
    }
}

/* Of parameters, which the caller gives whether or not they are used, unless a part of the
 * computation is run. */
static uint64_t input_bytes(const hlo_program *program) {
    const hlo_computation *entry = program->module->entry;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        if (!program->options.root || hlo_program_needs(program, entry->parameters[i]))
            sum += hlo_tree_bytes(entry->parameters[i]->shape);
    return sum;
}

static uint64_t implied_bytes(const hlo_literal *literal) {
    uint64_t sum = literal->implied ? hlo_tree_bytes(literal->shape) : 0;
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++)
        sum += implied_bytes(literal->elements[i]);
    return sum;
}

/* Of constants that the run makes, and keeps. */
static uint64_t constant_bytes(const hlo_program *program) {
    uint64_t sum = 0;
    for (uint32_t n = 0; n < program->plan_count; n++)
        for (uint32_t k = 0; k < program->plans[n]->count; k++) {
            const hlo_instr *instr = program->plans[n]->steps[k].instr;
            if (instr->opcode == HLO_OP_CONSTANT)
                sum += implied_bytes(hlo_instr_attr(instr, HLO_ATTR_VALUE)->u.literal);
        }
    return sum;
}

/* Of the entry, or of what its root names where each of that is called by itself. */
static const demand *greatest_demand(estimate *all, hlo_computation *entry) {
    const demand *most = demand_of(all, entry);
    uint32_t called = hlo_called_count(entry->root);
    for (uint32_t k = 0; all->planner->program->options.calls_scalars && k < called; k++) {
        const demand *d = demand_of(all, hlo_called(entry->root, k));
        if (d && d->peak > most->peak) most = d;
    }
    return most;
}

void hlo_planner_measure(hlo_planner *planner) {
    hlo_program *program = planner->program;
    estimate all = {.planner = planner};
    hlo_arena_init(&all.arena);
    all.demands = HLO_NEW_ARRAY(&all.arena, demand, program->module->next_id);
    const demand *d = greatest_demand(&all, program->module->entry);
    hlo_program_memory *memory = &program->memory;
    *memory = (hlo_program_memory){.at = d->at, .peak = d->peak};
    memory->inputs = input_bytes(program);
    memory->outside = memory->inputs + constant_bytes(program);
    memory->cached = hlo_planner_cache(planner, memory->peak + memory->outside);
    memory->outside += memory->cached;
    memory->peak += memory->outside;
    stay_within(program, memory->peak);
    hlo_arena_free(&all.arena);
}
