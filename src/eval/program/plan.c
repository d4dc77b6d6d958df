/* Plans: which instructions of a computation run, in which order, and when values die. Called while
 * a program is made. */
#include "eval/program/plan.h"

#include "eval/program/transfer_order.h"

/* What is known about a computation: whether running it can be seen from outside. */
enum { EFFECT_UNKNOWN, EFFECT_ASKED, EFFECT_NONE, EFFECT_SOME };

static bool has_side_effect(hlo_planner *planner, const hlo_instr *instr, uint32_t depth);

/* A computation that is still being asked about calls itself, which its run reports. */
static bool computation_has_side_effect(hlo_planner *planner, const hlo_computation *computation,
                                        uint32_t depth) {
    HLO_ASSERT(computation->id < planner->program->module->next_id);
    uint8_t *known = &planner->effects[computation->id];
    if (*known != EFFECT_UNKNOWN) return *known == EFFECT_SOME;
    if (depth > HLO_EVAL_MAX_DEPTH) return true;
    *known = EFFECT_ASKED;
    const hlo_instr *instr = computation->first;
    while (instr && !has_side_effect(planner, instr, depth)) instr = instr->next;
    *known = instr ? EFFECT_SOME : EFFECT_NONE;
    return instr;
}

/* Devices come to their exchanges in one order. */
static bool is_exchange(const hlo_planner *planner, const hlo_instr *instr) {
    const hlo_program_options *options = &planner->program->options;
    return options->replicas * options->partitions > 1 &&
           hlo_info(instr)->class == HLO_CLASS_COLLECTIVE;
}

static bool has_side_effect(hlo_planner *planner, const hlo_instr *instr, uint32_t depth) {
    if (hlo_instr_has_side_effect(instr) || is_exchange(planner, instr)) return true;
    uint32_t called = hlo_called_count(instr);
    for (uint32_t k = 0; k < called; k++) {
        const hlo_computation *computation = hlo_called(instr, k);
        if (computation && computation_has_side_effect(planner, computation, depth + 1))
            return true;
    }
    return false;
}

/* What the instruction's kernel gets as operand i; with observers, the operand itself. */
static hlo_instr *operand_given(const hlo_planner *planner, const hlo_instr *instr, uint32_t i) {
    const hlo_program_options *options = &planner->program->options;
    return options->one_by_one ? hlo_operand(instr, i)
                               : hlo_operand_given(instr, options->engine, i);
}

static void mark_needed(const hlo_planner *planner, const hlo_instr *instr, uint32_t mark) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operand_given(planner, instr, i)->mark = mark;
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    if (!attr) return;
    for (uint32_t i = 0; i < attr->u.instructions->n; i++) attr->u.instructions->v[i]->mark = mark;
}

/* Marks what the root or a side effect needs; in `order` an instruction comes after what it needs,
 * so that one walk back is enough.
 */
static uint32_t mark_live(hlo_planner *planner, hlo_computation *computation,
                          hlo_instr *const *order, uint32_t count, hlo_instr *root) {
    uint32_t live = hlo_module_new_mark(computation->module);
    bool is_part = root != computation->root; /* and nothing else is wanted */
    root->mark = live;
    const hlo_instr *also = planner->program->options.also;
    if (also && also->parent == computation) ((hlo_instr *)also)->mark = live;
    for (uint32_t k = count; k-- > 0;) {
        hlo_instr *instr = order[k];
        if (!is_part && instr->mark != live && has_side_effect(planner, instr, 0))
            instr->mark = live;
        if (instr->mark == live) mark_needed(planner, instr, live);
    }
    return live;
}

static void append(hlo_plan *plan, hlo_instr *instr, uint32_t placed) {
    HLO_ASSERT(instr->mark != placed);
    instr->mark = placed;
    instr->index = plan->count;
    plan->steps[plan->count++].instr = instr;
}

/* Puts the live instructions into running order: post-order, but the elements of a tuple are taken
 * as soon as there is the tuple, which then dies early, so that they can be changed in place. */
static void place_steps(hlo_plan *plan, hlo_instr *const *order, uint32_t count, uint32_t live,
                        uint32_t placed) {
    for (uint32_t k = 0; k < count; k++) {
        if (order[k]->mark != live) continue;
        uint32_t next = plan->count;
        append(plan, order[k], placed);
        for (; next < plan->count; next++) {
            const hlo_instr *instr = plan->steps[next].instr;
            if (!hlo_shape_is_tuple(instr->shape)) continue;
            for (const hlo_use *use = instr->first_use; use; use = use->next)
                if (use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT && use->user->mark == live)
                    append(plan, use->user, placed);
        }
    }
}

static bool size_fits_memory(const hlo_planner *planner, const hlo_shape *shape) {
    if (!hlo_shape_is_array(hlo_shape_held(shape))) return true;
    int64_t bytes = hlo_shape_bytes(shape);
    return bytes >= 0 && (uint64_t)bytes <= planner->program->options.max_bytes;
}

/* Fills in kernels, operands and uses of the steps that stand in order. An instruction's index is
 * its step's now; nothing else may number the instructions until the plan is made. */
static void link_steps(hlo_planner *planner, hlo_plan *plan) {
    enum { HEAVY = 100000 }; /* ns: a step that takes less is not worth waking a thread for */
    uint32_t operands = 0;
    for (uint32_t k = 0; k < plan->count; k++) {
        hlo_plan_step *step = &plan->steps[k];
        step->kernel =
            hlo_kernel_of((hlo_opcode)step->instr->opcode, planner->program->options.engine);
        step->fits = size_fits_memory(planner, step->instr->shape);
        step->has_effect = has_side_effect(planner, step->instr, 0);
        step->is_heavy = hlo_planner_cost(planner, step->instr) >= HEAVY;
        step->operands = operands;
        for (uint32_t i = 0; i < step->instr->operand_count; i++) {
            uint32_t operand = operand_given(planner, step->instr, i)->index;
            HLO_ASSERT(operand < k && plan->steps[operand].instr);
            plan->operand_steps[operands++] = operand;
            plan->steps[operand].uses++;
        }
    }
    HLO_ASSERT(plan->root < plan->count);
    plan->steps[plan->root].uses++;
}

/* ---- which steps may run at once ---- */

/* Calls `add` for every step that step k has to wait for. */
static void each_wait(const hlo_plan *plan, uint32_t k,
                      void (*add)(hlo_plan *plan, uint32_t before, uint32_t k), hlo_plan *to) {
    const hlo_plan_step *step = &plan->steps[k];
    for (uint32_t i = 0; i < step->instr->operand_count; i++)
        add(to, plan->operand_steps[step->operands + i], k);
    /* A control predecessor has a step: mark_needed keeps it, though no value comes from it. */
    const hlo_attr *attr = hlo_instr_attr(step->instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t i = 0; attr && i < attr->u.instructions->n; i++)
        add(to, attr->u.instructions->v[i]->index, k);
}

static void count_wait(hlo_plan *plan, uint32_t before, uint32_t k) {
    HLO_ASSERT(before < k && k < plan->count);
    plan->steps[before + 1].followers++;
    plan->steps[k].waits_for++;
}

/* While the lists are filled, a step's `followers` is where its next one goes. */
static void put_wait(hlo_plan *plan, uint32_t before, uint32_t k) {
    HLO_ASSERT(before < k && plan->steps[before].followers < plan->steps[plan->count].followers);
    plan->followers[plan->steps[before].followers++] = k;
}

/* Lists of all steps in one array, by counting: numbers of followers, their running sums, the
 * followers themselves, and last the sums moved back to where each list begins. */
static void list_followers(hlo_plan *plan, hlo_arena *arena) {
    for (uint32_t k = 0; k < plan->count; k++) each_wait(plan, k, count_wait, plan);
    for (uint32_t k = 0; k < plan->count; k++)
        plan->steps[k + 1].followers += plan->steps[k].followers;
    plan->followers = HLO_NEW_ARRAY(arena, uint32_t, plan->steps[plan->count].followers + 1);
    for (uint32_t k = 0; k < plan->count; k++) each_wait(plan, k, put_wait, plan);
    for (uint32_t k = plan->count; k > 0; k--)
        plan->steps[k].followers = plan->steps[k - 1].followers;
    plan->steps[0].followers = 0;
}

/* Whether some two heavy steps are independent: else they are all in one chain, and the longest
 * chain has as many as there are. */
static bool has_independent_steps(const hlo_plan *plan) {
    uint32_t heavy = 0, longest = 0;
    uint32_t *chain = hlo_calloc(plan->count, sizeof *chain);
    for (uint32_t k = 0; k < plan->count; k++) {
        const hlo_plan_step *step = &plan->steps[k];
        for (uint32_t i = 0; i < step->instr->operand_count; i++) {
            uint32_t before = chain[plan->operand_steps[step->operands + i]];
            if (before > chain[k]) chain[k] = before;
        }
        chain[k] += step->is_heavy;
        heavy += step->is_heavy;
        if (chain[k] > longest) longest = chain[k];
    }
    hlo_free(chain);
    return heavy > longest;
}

/* ---- making plans ---- */

static hlo_plan *new_plan(hlo_planner *planner, uint32_t steps) {
    hlo_program *program = planner->program;
    if (program->plan_count == program->plan_capacity) {
        program->plan_capacity = program->plan_capacity ? 2 * program->plan_capacity : 8;
        program->plans =
            hlo_realloc(program->plans, program->plan_capacity * sizeof *program->plans);
    }
    hlo_plan *plan = HLO_NEW(&program->arena, hlo_plan);
    plan->steps = HLO_NEW_ARRAY(&program->arena, hlo_plan_step, steps + 1);
    plan->number = program->plan_count;
    program->plans[program->plan_count++] = plan;
    return plan;
}

/* With --only the entry computation ends at another instruction. */
static hlo_instr *root_of(const hlo_planner *planner, const hlo_computation *computation) {
    const hlo_instr *root = planner->program->options.root;
    return root && root->parent == computation ? (hlo_instr *)root : computation->root;
}

/* Whether the order of steps is left to the plan, and a recv does not wait. */
static bool orders_transfers(const hlo_planner *planner) {
    return !planner->program->options.handshake &&
           !hlo_module_flag(planner->program->module, HLO_ATTR_IS_SCHEDULED);
}

static bool is_transfer(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_SEND || instr->opcode == HLO_OP_SEND_DONE ||
           instr->opcode == HLO_OP_RECV || instr->opcode == HLO_OP_RECV_DONE;
}

/* A device alone waits for none. Several come to their exchanges in one order, across which a send
 * may not move: its receiver can be waiting there. */
static void order_transfers(hlo_planner *planner, hlo_instr **order, uint32_t count) {
    const hlo_program_options *options = &planner->program->options;
    if (!orders_transfers(planner)) return;
    if (options->replicas * options->partitions == 1) {
        hlo_put_sends_early(order, count, NULL);
        return;
    }
    hlo_put_receivers_first(order, count);
    bool *bars = hlo_malloc((count + 1u) * sizeof *bars);
    for (uint32_t k = 0; k < count; k++)
        bars[k] = !is_transfer(order[k]) && has_side_effect(planner, order[k], 0);
    hlo_put_sends_early(order, count, bars);
    hlo_free(bars);
}

static hlo_plan *make_plan(hlo_planner *planner, hlo_computation *computation) {
    uint32_t count = computation->instr_count;
    hlo_instr **order = hlo_malloc(sizeof *order * count);
    count = hlo_run_order(computation, order);
    order_transfers(planner, order, count);
    hlo_arena *arena = &planner->program->arena;
    hlo_plan *plan = new_plan(planner, count);
    plan->computation = computation;
    hlo_instr *root = root_of(planner, computation);
    uint32_t live = mark_live(planner, computation, order, count, root);
    place_steps(plan, order, count, live, hlo_module_new_mark(computation->module));
    hlo_free(order);
    size_t operands = 0;
    for (uint32_t k = 0; k < plan->count; k++) {
        uint32_t n = plan->steps[k].instr->operand_count;
        operands += n;
        if (n > plan->most_operands) plan->most_operands = n;
    }
    plan->root = root->index;
    plan->operand_steps = HLO_NEW_ARRAY(arena, uint32_t, operands);
    link_steps(planner, plan);
    if (has_independent_steps(plan)) list_followers(plan, arena);
    return plan;
}

/* The arrays by computation id are made once there is a computation: most programs of one
 * instruction need none. */
static void need_arrays(hlo_planner *planner) {
    uint32_t ids = planner->program->module->next_id;
    if (planner->plans) return;
    planner->plans = hlo_calloc(ids, sizeof *planner->plans);
    planner->scalars = hlo_calloc(ids, sizeof *planner->scalars);
    planner->effects = hlo_calloc(ids, sizeof *planner->effects);
    planner->costs = hlo_calloc(ids, sizeof *planner->costs);
}

hlo_plan *hlo_planner_plan(hlo_planner *planner, hlo_computation *computation) {
    HLO_ASSERT(computation->id < planner->program->module->next_id);
    need_arrays(planner);
    hlo_plan **plan = &planner->plans[computation->id];
    if (!*plan) *plan = make_plan(planner, computation);
    return *plan;
}

hlo_plan *hlo_planner_plan_instr(hlo_planner *planner, const hlo_instr *instr) {
    hlo_plan *plan = new_plan(planner, 1);
    plan->count = 1;
    plan->most_operands = instr->operand_count;
    hlo_engine engine = planner->program->options.engine;
    plan->steps[0] = (hlo_plan_step){.instr = instr,
                                     .kernel = hlo_kernel_of((hlo_opcode)instr->opcode, engine),
                                     .fits = size_fits_memory(planner, instr->shape)};
    return plan;
}
