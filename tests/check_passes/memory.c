/* After copy-insertion, values that have to be in one memory are not there at the same time. Here
 * the module runs with one cell for each memory: what makes a value writes a new number into its
 * cell, copies write the number of their operand, and what reads a value must find the number that
 * was written for it. Loops run three times, and of conditionals each branch in turn. */
#include "analysis/dataflow.h"
#include "check_passes/check.h"
#include "passes/memory/in_place.h"
#include "passes/memory/lifetimes.h"
#include "passes/memory/schedule.h"

enum { MAX_STEPS = 200000 };

typedef struct {
    hlo_memory_values values;
    uint32_t **numbers; /* by hlo_instr.index: of the leaves of the result */
    uint32_t *cells;    /* by memory */
    uint32_t next, steps, turn;
    bool is_wrong;
} simulation;

static void run(simulation *s, hlo_computation *c, uint32_t *const *arguments);

static uint32_t *cell_of(simulation *s, const hlo_instr *instr, uint32_t leaf) {
    return &s->cells[hlo_memory_of(&s->values, s->values.leaves[instr->index][leaf])];
}

static bool is_array(const hlo_instr *instr, uint32_t leaf) {
    const hlo_shape *shape = instr->shape;
    while (hlo_shape_is_tuple(shape)) {
        uint32_t i = 0;
        for (uint32_t n; (n = hlo_shape_leaf_count(shape->elements[i])) <= leaf; i++) leaf -= n;
        shape = shape->elements[i];
    }
    return hlo_shape_is_array(shape);
}

/* The value is where it should be. */
static void look_at_leaf(simulation *s, const hlo_instr *value, uint32_t i) {
    s->is_wrong |= is_array(value, i) && *cell_of(s, value, i) != s->numbers[value->index][i];
}

static void look_at(simulation *s, const hlo_instr *value) {
    for (uint32_t i = 0; i < hlo_shape_leaf_count(value->shape); i++) look_at_leaf(s, value, i);
}

static uint32_t *new_numbers(simulation *s, const hlo_instr *instr) {
    uint32_t n = hlo_shape_leaf_count(instr->shape);
    uint32_t *numbers = HLO_NEW_ARRAY(&s->values.arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) numbers[i] = ++s->next;
    return s->numbers[instr->index] = numbers;
}

static void write_numbers(simulation *s, const hlo_instr *instr) {
    for (uint32_t i = 0; i < hlo_shape_leaf_count(instr->shape); i++)
        *cell_of(s, instr, i) = s->numbers[instr->index][i];
}

static void run_loop(simulation *s, hlo_instr *loop) {
    uint32_t *state = s->numbers[hlo_operand(loop, 0)->index];
    for (int i = 0; i < 3; i++) {
        run(s, hlo_called(loop, 1), &state);
        run(s, hlo_called(loop, 0), &state);
        state = s->numbers[hlo_called(loop, 0)->root->index];
    }
    s->numbers[loop->index] = state;
    look_at(s, loop);
}

static void run_conditional(simulation *s, hlo_instr *conditional) {
    uint32_t k = s->turn++ % hlo_called_count(conditional);
    look_at(s, hlo_operand(conditional, 0));
    run(s, hlo_called(conditional, k), &s->numbers[hlo_operand(conditional, k + 1)->index]);
    s->numbers[conditional->index] = s->numbers[hlo_called(conditional, k)->root->index];
    look_at(s, conditional);
}

static void run_call(simulation *s, hlo_instr *call) {
    uint32_t **arguments = HLO_NEW_ARRAY(&s->values.arena, uint32_t *, call->operand_count + 1);
    for (uint32_t k = 0; k < call->operand_count; k++)
        arguments[k] = s->numbers[hlo_operand(call, k)->index];
    run(s, hlo_called(call, 0), arguments);
    s->numbers[call->index] = s->numbers[hlo_called(call, 0)->root->index];
}

/* Elements are read where they are written, or in whatever order: then operands must still be there
 * when all of the result is written. What fusions and foreign code do is not known here. */
static bool reads_in_any_order(const hlo_instr *instr) {
    return !(hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) && instr->opcode != HLO_OP_FUSION &&
           instr->opcode != HLO_OP_CUSTOM_CALL && instr->opcode != HLO_OP_COPY;
}

static bool is_updated(const hlo_in_place_list *list, uint32_t operand, uint32_t leaf) {
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].operand == operand && list->v[i].from == leaf) return true;
    return false;
}

/* What the instruction did not update is where it was. */
static void look_at_rest(simulation *s, const hlo_instr *instr) {
    hlo_in_place_list updated = {0};
    hlo_list_in_place(instr, &updated);
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const hlo_instr *operand = hlo_operand(instr, k);
        for (uint32_t i = 0; i < hlo_shape_leaf_count(operand->shape); i++)
            if (!is_updated(&updated, k, i)) look_at_leaf(s, operand, i);
    }
    hlo_list_free(&updated);
}

static void run_plain(simulation *s, hlo_instr *instr) {
    for (uint32_t k = 0; k < instr->operand_count; k++) look_at(s, hlo_operand(instr, k));
    uint32_t *numbers = new_numbers(s, instr);
    if (instr->opcode == HLO_OP_COPY) numbers[0] = s->numbers[hlo_operand(instr, 0)->index][0];
    write_numbers(s, instr);
    if (reads_in_any_order(instr)) look_at_rest(s, instr);
}

/* What hands its operand on: a part of it, several, or all. */
static bool hand_on(simulation *s, hlo_instr *instr) {
    uint32_t n = 0, first = 0, *numbers;
    if (!hlo_hands_on(instr) || !instr->operand_count) return false;
    const hlo_instr *operand = hlo_operand(instr, 0);
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
        for (int64_t i = 0; i < hlo_attr_int(instr, HLO_ATTR_INDEX); i++)
            first += hlo_shape_leaf_count(operand->shape->elements[i]);
        s->numbers[instr->index] = s->numbers[operand->index] + first;
        return true;
    }
    numbers = new_numbers(s, instr);
    uint32_t operands = instr->opcode == HLO_OP_TUPLE ? instr->operand_count : 1;
    for (uint32_t k = 0; k < operands; k++) {
        operand = hlo_operand(instr, k);
        for (uint32_t i = 0; i < hlo_shape_leaf_count(operand->shape); i++)
            numbers[n++] = s->numbers[operand->index][i];
    }
    return true;
}

static void run(simulation *s, hlo_computation *c, uint32_t *const *arguments) {
    for (hlo_instr *i = c->first; i && s->steps < MAX_STEPS; i = i->next, s->steps++) {
        if (i->opcode == HLO_OP_PARAMETER)
            s->numbers[i->index] = arguments[hlo_attr_int(i, HLO_ATTR_PARAMETER_NUMBER)];
        else if (i->opcode == HLO_OP_WHILE) run_loop(s, i);
        else if (i->opcode == HLO_OP_CONDITIONAL) run_conditional(s, i);
        else if (i->opcode == HLO_OP_CALL) run_call(s, i);
        else if (!hand_on(s, i)) run_plain(s, i);
    }
    if (s->steps < MAX_STEPS) look_at(s, c->root);
}

static void run_entry(simulation *s, hlo_computation *entry) {
    uint32_t **arguments = HLO_NEW_ARRAY(&s->values.arena, uint32_t *, entry->parameter_count + 1);
    for (uint32_t k = 0; k < entry->parameter_count; k++) {
        arguments[k] = new_numbers(s, entry->parameters[k]);
        write_numbers(s, entry->parameters[k]);
    }
    run(s, entry, arguments);
}

void check_memory(const check_case *c, const char *passes, hlo_module *module) {
    simulation s = {0};
    bool is_done = true;
    uint32_t count = 0;
    for (hlo_computation *each = module->first; each; each = each->next) count += each->instr_count;
    hlo_order_as_run(module);
    hlo_memory_values_init(&s.values, module);
    if (!s.values.is_given_up) {
        hlo_drop_copies(&s.values);
        for (uint32_t i = 0; i < s.values.copies.n; i++)
            is_done &=
                s.values.copies.v[i].place == HLO_COPY_WRITTEN || !s.values.copies.v[i].is_needed;
        s.numbers = hlo_calloc(count + 1u, sizeof *s.numbers);
        s.cells = hlo_calloc(s.values.values.n + 1u, sizeof *s.cells);
        run_entry(&s, module->entry);
    }
    if (!is_done) check_fail(c, passes, "leaves values without a copy that they need");
    else if (s.is_wrong) check_fail(c, passes, "lets values overwrite each other");
    hlo_free(s.numbers);
    hlo_free(s.cells);
    hlo_memory_values_free(&s.values);
}
