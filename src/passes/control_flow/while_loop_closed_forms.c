/* while-loop-closed-forms: after a loop with a known trip count, integer elements that iterations
 * change in the same way get their last value from a formula; dce can then remove them. */
#include "analysis/match.h"
#include "passes/control_flow/loop_state.h"
#include "passes/control_flow/loops.h"

typedef struct {
    hlo_rewriter *r;
    hlo_instr *loop;
    hlo_computation *body;
    int64_t count; /* of iterations: 1 or more */
} closing;

/* What an element is after the loop: `update` is what the body makes of it, `by` the operand that
 * is the same in all iterations, NULL for an operation of one operand. */
typedef hlo_instr *formula(const closing *c, const hlo_instr *update, hlo_instr *start,
                           hlo_instr *by);

/* ---- formulas ---- */

/* The low bits that the type has. */
static int64_t wrapped(int64_t number, hlo_type type) {
    int unused = 64 - hlo_types[type].bits;
    uint64_t low = (uint64_t)number << unused;
    return hlo_types[type].class == HLO_CLASS_SIGNED ? (int64_t)low >> unused
                                                     : (int64_t)(low >> unused);
}

static hlo_instr *of_sum(const closing *c, const hlo_instr *update, hlo_instr *start,
                         hlo_instr *by) {
    int64_t count = wrapped(c->count, (hlo_type)update->shape->type);
    hlo_instr *times = hlo_emit_filled(c->r, update->shape, count);
    hlo_instr *way = hlo_emit_binary(c->r, HLO_OP_MULTIPLY, update->shape, by, times);
    return hlo_emit_binary(c->r, (hlo_opcode)update->opcode, update->shape, start, way);
}

/* By squaring. */
static hlo_instr *of_product(const closing *c, const hlo_instr *update, hlo_instr *start,
                             hlo_instr *by) {
    hlo_instr *result = start;
    for (int64_t left = c->count;;) {
        if (left & 1) result = hlo_emit_binary(c->r, HLO_OP_MULTIPLY, update->shape, result, by);
        if (!(left >>= 1)) return result;
        by = hlo_emit_binary(c->r, HLO_OP_MULTIPLY, update->shape, by, by);
    }
}

/* Later iterations change nothing more. */
static hlo_instr *of_once(const closing *c, const hlo_instr *update, hlo_instr *start,
                          hlo_instr *by) {
    return hlo_emit_binary(c->r, (hlo_opcode)update->opcode, update->shape, start, by);
}

/* Two iterations undo each other. */
static hlo_instr *of_parity(const closing *c, const hlo_instr *update, hlo_instr *start,
                            hlo_instr *by) {
    if (c->count % 2 == 0) return start;
    if (by) return of_once(c, update, start, by);
    return hlo_emit_unary(c->r, (hlo_opcode)update->opcode, update->shape, start);
}

static const struct {
    hlo_opcode opcode;
    bool of_pred; /* for predicates too */
    hlo_rewrite_id id;
    formula *formula;
} forms[] = {
    {HLO_OP_ADD, false, HLO_REWRITE_closed_sum, of_sum},
    {HLO_OP_SUBTRACT, false, HLO_REWRITE_closed_sum, of_sum},
    {HLO_OP_MULTIPLY, false, HLO_REWRITE_closed_product, of_product},
    {HLO_OP_AND, true, HLO_REWRITE_closed_bound, of_once},
    {HLO_OP_OR, true, HLO_REWRITE_closed_bound, of_once},
    {HLO_OP_MAXIMUM, true, HLO_REWRITE_closed_bound, of_once},
    {HLO_OP_MINIMUM, true, HLO_REWRITE_closed_bound, of_once},
    {HLO_OP_XOR, true, HLO_REWRITE_closed_parity, of_parity},
    {HLO_OP_NOT, true, HLO_REWRITE_closed_parity, of_parity},
    {HLO_OP_NEGATE, false, HLO_REWRITE_closed_parity, of_parity},
};

/* ---- the body ---- */

/* What all iterations have in common: constants, elements that stay as they are, and broadcasts of
 * these. */
static bool is_invariant(const closing *c, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_BROADCAST) instr = hlo_operand(instr, 0);
    if (instr->opcode == HLO_OP_CONSTANT) return true;
    int64_t i = hlo_state_element(instr);
    return i >= 0 && hlo_loop_keeps(c->loop, (uint32_t)i) && hlo_state_start(c->loop, (uint32_t)i);
}

/* The same before the loop. */
static hlo_instr *outside(const closing *c, hlo_instr *instr) {
    if (instr->opcode == HLO_OP_CONSTANT) return hlo_emit_constant(c->r, hlo_constant_of(instr));
    if (instr->opcode != HLO_OP_BROADCAST)
        return hlo_state_start(c->loop, (uint32_t)hlo_state_element(instr));
    hlo_instr *operand = outside(c, hlo_operand(instr, 0));
    return hlo_emit_like(c->r, instr, instr->shape, &operand, 1);
}

/* As far as the update's operand shows, nothing else reads the element, which may go then; a scalar
 * costs nothing if it stays. */
static bool may_go(const hlo_instr *update, uint32_t i) {
    if (update->shape->rank == 0) return true;
    const hlo_instr *read = hlo_operand(update, 0);
    if (hlo_state_element(read) != i) read = hlo_operand(update, 1);
    return hlo_has_one_user(read) && hlo_has_one_user(update);
}

static bool fits_type(const hlo_instr *update, bool of_pred) {
    hlo_type type = (hlo_type)update->shape->type;
    return type == HLO_PRED ? of_pred : hlo_type_is_integral(type);
}

/* The operand beside the element itself; NULL where the update is no operation of the two. */
static hlo_instr *other_operand(const closing *c, const hlo_instr *update, uint32_t i) {
    if (update->operand_count != 2) return NULL;
    hlo_instr *a = hlo_operand(update, 0), *b = hlo_operand(update, 1);
    if (hlo_state_element(a) == i && is_invariant(c, b)) return b;
    bool commutes = update->opcode != HLO_OP_SUBTRACT;
    return commutes && hlo_state_element(b) == i && is_invariant(c, a) ? a : NULL;
}

/* How an element gets its last value. */
typedef struct {
    hlo_rewrite_id id;
    formula *formula; /* NULL: it is the operand */
    hlo_instr *by;
} closed_form;

static bool find_operation(const closing *c, const hlo_instr *update, uint32_t i,
                           closed_form *form) {
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        if (update->opcode != forms[f].opcode || !fits_type(update, forms[f].of_pred)) continue;
        bool is_alone =
            update->operand_count == 1 && hlo_state_element(hlo_operand(update, 0)) == i;
        *form = (closed_form){forms[f].id, forms[f].formula, other_operand(c, update, i)};
        return is_alone || form->by;
    }
    return false;
}

/* What the body makes of it is invariant, or an operation of the element and what is. */
static bool find_form(const closing *c, uint32_t i, closed_form *form) {
    hlo_instr *update = hlo_operand(c->body->root, i), *start = hlo_state_start(c->loop, i);
    if (!start || start->shape != update->shape) return false;
    *form = (closed_form){HLO_REWRITE_closed_value, NULL, update};
    if (!is_invariant(c, update) && (!find_operation(c, update, i, form) || !may_go(update, i)))
        return false;
    return hlo_rewrite_allowed(c->r, form->id);
}

static hlo_instr *last_value(const closing *c, uint32_t i, const closed_form *form) {
    hlo_instr *by = form->by ? outside(c, form->by) : NULL;
    if (!form->formula) return by;
    return form->formula(c, hlo_operand(c->body->root, i), hlo_state_start(c->loop, i), by);
}

/* ---- after the loop ---- */

static bool has_form(const closing *c) {
    closed_form form;
    for (uint32_t i = 0; i < c->loop->shape->rank; i++)
        if (find_form(c, i, &form)) return true;
    return false;
}

static void close_readers(hlo_flow_walk *walk, const closing *c) {
    closed_form form;
    for (hlo_use *use = c->loop->first_use, *next; use; use = next) {
        next = use->next;
        hlo_instr *reader = use->user;
        if (reader->opcode != HLO_OP_GET_TUPLE_ELEMENT) continue;
        uint32_t i = (uint32_t)hlo_attr_int(reader, HLO_ATTR_INDEX);
        if (!find_form(c, i, &form)) continue;
        hlo_rewriter_aim(c->r, reader);
        walk->changed |= hlo_rewrite_replace(c->r, form.id, reader, last_value(c, i, &form));
    }
}

/* Users of the whole state get a tuple of its elements first. */
static void visit(hlo_flow_walk *walk, hlo_instr *loop) {
    hlo_iterations iterations;
    if (!hlo_loop_is_plain(&walk->graph, loop) || !hlo_count_iterations(loop, &iterations) ||
        iterations.count < 1)
        return;
    closing c = {walk->rewriter, loop, hlo_called(loop, 0), iterations.count};
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (!has_form(&c)) return;
    hlo_instr **own = hlo_calloc(loop->shape->rank + 1u, sizeof *own);
    walk->changed |= hlo_loop_give_tuple(walk->rewriter, loop, own);
    hlo_free(own);
    close_readers(walk, &c);
}

hlo_pass_result hlo_pass_while_loop_closed_forms(const hlo_pass_call *call) {
    return hlo_flow_visit_all(call, HLO_OP_WHILE, HLO_INNER_FIRST, visit);
}
