/* while-loop-invariant-code-motion: invariant instructions of a body are computed once, before the
 * loop. It may iterate zero times, so none is moved that has an effect or can fail visibly. */
#include "passes/control_flow/loops.h"

typedef struct {
    hlo_flow_walk *walk;
    hlo_instr *loop;
    uint32_t invariant;   /* mark: invariant */
    hlo_instr_list moved; /* worth a place in the state */
    hlo_instr **copies;   /* before the loop, by hlo_instr.index of the body; NULL: none */
} motion;

/* What is cheap, or small only where it is used, moves when something else needs it. */
static bool is_worth_it(const motion *m, const hlo_instr *instr) {
    const hlo_pass_call *call = m->walk->call;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_GET_TUPLE_ELEMENT:
        return hlo_operand(instr, 0)->opcode != HLO_OP_PARAMETER; /* others are state already */
    case HLO_OP_CONSTANT:
        return HLO_OPTION(call, WHILE_LOOP_INVARIANT_CODE_MOTION, hoist_constants);
    case HLO_OP_RESHAPE: return HLO_OPTION(call, WHILE_LOOP_INVARIANT_CODE_MOTION, hoist_reshapes);
    case HLO_OP_BITCAST:
    case HLO_OP_BROADCAST:
    case HLO_OP_IOTA:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_TUPLE: return false;
    default: return HLO_OPTION(call, WHILE_LOOP_INVARIANT_CODE_MOTION, hoist_other);
    }
}

static double bytes_of(const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) return (double)hlo_shape_bytes(shape);
    double sum = 0;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++)
        sum += bytes_of(shape->elements[i]);
    return sum;
}

/* A result that lives as long as the loop must not be much larger than what it is made of. */
static bool inflates(const motion *m, const hlo_instr *instr) {
    int64_t most =
        HLO_OPTION(m->walk->call, WHILE_LOOP_INVARIANT_CODE_MOTION, hoist_size_inflation_ratio);
    double from = 0;
    if (most <= 0 || instr->opcode == HLO_OP_CONSTANT) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        from += bytes_of(hlo_operand(instr, i)->shape);
    return bytes_of(instr->shape) > from * (double)most;
}

/* Engines take a state of u64[2] for bits of integers, by every algorithm. */
static bool is_usual(const hlo_instr *generator) {
    const hlo_shape *state = hlo_operand(generator, 0)->shape;
    const hlo_shape *bits =
        hlo_shape_part(generator->shape, hlo_shape_part_count(generator->shape) - 1);
    return state->type == HLO_U64 && state->rank == 1 && state->dims[0] == 2 &&
           hlo_type_is_integral((hlo_type)bits->type);
}

/* It may be an error where it runs, or never end, and the loop may not run. */
static bool may_fail(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_WHILE || instr->opcode == HLO_OP_CUSTOM_CALL ||
           (instr->opcode == HLO_OP_RNG_BIT_GENERATOR && !is_usual(instr));
}

/* The same of what it calls, by a worklist. */
static bool calls_what_may_fail(const hlo_instr *instr) {
    HLO_LIST(const hlo_computation *) worklist = {0};
    const hlo_computation *called;
    bool *seen = NULL, may = false;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) hlo_list_push(&worklist, called);
    if (worklist.n) seen = hlo_calloc(instr->parent->module->next_id + 1u, sizeof *seen);
    for (size_t n = 0; n < worklist.n && !may; n++) {
        if (seen[worklist.v[n]->id]) continue;
        seen[worklist.v[n]->id] = true;
        for (const hlo_instr *i = worklist.v[n]->first; i && !may; i = i->next) {
            may = may_fail(i);
            for (uint32_t k = 0; (called = hlo_called(i, k)); k++) hlo_list_push(&worklist, called);
        }
    }
    hlo_free(seen);
    hlo_list_free(&worklist);
    return may;
}

static bool stays_in_place(const motion *m, const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_AFTER_ALL:
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_DOMAIN:
    case HLO_OP_RNG:
    case HLO_OP_PARTITION_ID:
    case HLO_OP_REPLICA_ID: return true;
    default: break;
    }
    return (hlo_info(instr)->flags & HLO_OP_IS_ASYNC) ||
           hlo_info(instr)->class == HLO_CLASS_COLLECTIVE || instr->shape->dynamic ||
           hlo_instr_attr(instr, HLO_ATTR_SHARDING) || hlo_is_tied(m->walk->rewriter, instr) ||
           hlo_flow_has_effect(m->walk, instr) || may_fail(instr) || calls_what_may_fail(instr);
}

static bool is_invariant(const motion *m, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
        hlo_operand(instr, 0)->opcode == HLO_OP_PARAMETER)
        return hlo_shape_is_array(instr->shape) && !instr->shape->dynamic &&
               hlo_state_is_invariant(m->loop, hlo_attr_int(instr, HLO_ATTR_INDEX));
    if (stays_in_place(m, instr) || inflates(m, instr)) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i)->mark != m->invariant) return false;
    return true;
}

/* A constant that only the root reads is passed on already. */
static bool has_reader(const hlo_instr *instr) {
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user != instr->parent->root) return true;
    return instr->opcode != HLO_OP_CONSTANT && instr->first_use;
}

static void find_invariants(motion *m) {
    hlo_computation *body = hlo_loop_body(m->loop);
    hlo_number_instructions(body);
    m->invariant = hlo_module_new_mark(m->walk->rewriter->module);
    for (hlo_instr *i = body->first; i; i = i->next) {
        if (i == body->root || !is_invariant(m, i)) continue;
        i->mark = m->invariant;
        if (is_worth_it(m, i) && has_reader(i)) hlo_list_push(&m->moved, i);
    }
}

/* Places that only moved instructions read need no place in the state. */
static bool is_read_in_body(const motion *m, const hlo_instr *instr) {
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (!m->copies[use->user->index] || use->user->mark != m->invariant) return true;
    return false;
}

static hlo_instr *copy_of(motion *m, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
        hlo_operand(instr, 0)->opcode == HLO_OP_PARAMETER) {
        uint32_t index = (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX);
        hlo_instr *start = hlo_operand(m->loop, 0);
        return start->opcode == HLO_OP_TUPLE ? hlo_operand(start, index)
                                             : hlo_emit_element(m->walk->rewriter, start, index);
    }
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = m->copies[hlo_operand(instr, i)->index];
    hlo_instr *copy =
        hlo_emit_like(m->walk->rewriter, instr, instr->shape, operands, instr->operand_count);
    hlo_free(operands);
    return copy;
}

/* Marks by `needed` what the moved instructions are made of, back to front. */
static void find_needed(const motion *m, bool *needed) {
    for (size_t i = m->moved.n; i-- > 0;) needed[m->moved.v[i]->index] = true;
    for (hlo_instr *i = hlo_loop_body(m->loop)->last; i; i = i->prev)
        for (uint32_t k = 0; needed[i->index] && k < i->operand_count; k++)
            if (hlo_operand(i, k)->mark == m->invariant) needed[hlo_operand(i, k)->index] = true;
}

static void copy_needed(motion *m) {
    hlo_computation *body = hlo_loop_body(m->loop);
    bool *needed = hlo_calloc(body->instr_count + 1u, sizeof *needed);
    m->copies = hlo_calloc(body->instr_count + 1u, sizeof *m->copies);
    find_needed(m, needed);
    hlo_rewriter_aim(m->walk->rewriter, m->loop);
    for (hlo_instr *i = body->first; i; i = i->next)
        if (needed[i->index]) m->copies[i->index] = copy_of(m, i);
    hlo_free(needed);
}

/* The body reads them from the state from now on. */
static void read_from_state(motion *m) {
    hlo_flow_walk *walk = m->walk;
    size_t n = 0;
    for (size_t i = 0; i < m->moved.n; i++)
        if (is_read_in_body(m, m->moved.v[i])) m->moved.v[n++] = m->moved.v[i];
    hlo_instr **values = hlo_malloc((n + 1) * sizeof *values);
    hlo_instr **elements = hlo_malloc((n + 1) * sizeof *elements);
    for (size_t i = 0; i < n; i++) values[i] = m->copies[m->moved.v[i]->index];
    hlo_loop_widen(walk, m->loop, values, (uint32_t)n, elements);
    for (size_t i = 0; i < n; i++) {
        hlo_flow_count(walk, HLO_REWRITE_hoist_invariant, m->moved.v[i]);
        hlo_flow_redirect(m->moved.v[i], elements[i], NULL);
    }
    for (size_t i = n; i-- > 0;) hlo_flow_remove_unused(walk, m->moved.v[i]);
    hlo_free(values);
    hlo_free(elements);
}

static bool runs_once(const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_iterations iterations;
    return hlo_count_iterations(loop, &iterations) && iterations.count <= 1;
}

static void move_invariants(hlo_flow_walk *walk, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (!hlo_flow_may(walk, HLO_REWRITE_hoist_invariant) || !hlo_loop_is_flexible(walk, loop) ||
        hlo_flow_has_hint(loop, "_xla_disable_loop_instr_hoisting", true) || runs_once(loop))
        return;
    motion m = {.walk = walk, .loop = loop};
    find_invariants(&m);
    if (m.moved.n && hlo_flow_own(walk, loop)) { /* the copies are other instructions */
        m.moved.n = 0;
        find_invariants(&m);
    }
    if (m.moved.n) {
        copy_needed(&m);
        read_from_state(&m);
    }
    hlo_list_free(&m.moved);
    hlo_free(m.copies);
}

hlo_pass_result hlo_pass_while_loop_invariant_code_motion(const hlo_pass_call *call) {
    return hlo_flow_visit_all(call, HLO_OP_WHILE, HLO_INNER_FIRST, move_invariants);
}
