/* conditional-code-motion: when every branch ends an output with the same operation on one value
 * and equal constants, that operation is executed once, after the conditional. */
#include "analysis/equal.h"
#include "analysis/match.h"
#include "passes/control_flow/loops.h"

enum { WHOLE = -1 };

typedef struct {
    hlo_flow_walk *walk;
    hlo_instr *conditional;
    int64_t output;   /* an element of the result, or WHOLE */
    uint32_t varying; /* the operand that is not a constant */
} motion;

/* What makes the output in a branch. */
static hlo_instr *last_step(const motion *m, uint32_t branch) {
    HLO_ASSERT(branch < hlo_called_count(m->conditional));
    hlo_instr *root = hlo_called(m->conditional, branch)->root;
    return m->output == WHOLE ? root : hlo_operand(root, (uint32_t)m->output);
}

/* ---- what may move ---- */

static bool has_same_attrs(const hlo_instr *a, const hlo_instr *b) {
    for (uint32_t i = 0; i < a->attr_count; i++) {
        const hlo_attr *attr = &a->attrs[i];
        const hlo_attr *other = hlo_instr_attr(b, (hlo_attr_id)attr->id);
        bool counts = attr->id == HLO_ATTR_SHARDING || attr->id == HLO_ATTR_BACKEND_CONFIG ||
                      hlo_attr_table[attr->id].place == HLO_PLACE_OWN;
        if (counts && (!other || !hlo_attr_equal(attr, other))) return false;
    }
    return true;
}

static bool is_of_a_kind(const hlo_instr *op) {
    bool moves = (hlo_info(op)->flags & HLO_OP_IS_ELEMENTWISE) || op->opcode == HLO_OP_RESHAPE ||
                 op->opcode == HLO_OP_TRANSPOSE;
    return moves && op->operand_count && hlo_info(op)->class != HLO_CLASS_RANDOM &&
           !hlo_instr_attr(op, HLO_ATTR_SHARDING) && !hlo_called(op, 0);
}

static bool only_ends_output(const motion *m, const hlo_instr *op) {
    return m->output == WHOLE ? !op->first_use : hlo_has_one_user(op);
}

/* Finds the operand that varies; the others are constants. */
static bool find_varying(motion *m, const hlo_instr *op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (hlo_operand(op, i)->opcode == HLO_OP_CONSTANT) continue;
        m->varying = i;
        count++;
    }
    return count == 1;
}

static bool does_the_same(const motion *m, const hlo_instr *op, const hlo_instr *other) {
    if (other->opcode != op->opcode || other->shape != op->shape || !only_ends_output(m, other) ||
        other->operand_count != op->operand_count || hlo_flow_has_effect(m->walk, other) ||
        !has_same_attrs(op, other) || !has_same_attrs(other, op))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const hlo_instr *a = hlo_operand(op, i), *b = hlo_operand(other, i);
        if (i == m->varying ? a->shape != b->shape : !hlo_computes_same(a, b)) return false;
    }
    return true;
}

/* The branches must not return more bytes than before. */
static bool can_move(motion *m) {
    const hlo_instr *op = last_step(m, 0);
    if (!is_of_a_kind(op) || !find_varying(m, op)) return false;
    const hlo_shape *from = hlo_operand(op, m->varying)->shape;
    if (!hlo_shape_is_array(from) || from->dynamic ||
        hlo_shape_bytes(from) > hlo_shape_bytes(op->shape))
        return false;
    for (uint32_t k = 0; k < hlo_called_count(m->conditional); k++)
        if (!does_the_same(m, op, last_step(m, k))) return false;
    return true;
}

/* ---- moving ---- */

/* The operation on `value`, after it, for all that used it: with its layout, which bitcasts read.
 */
static void follow_by(motion *m, const hlo_instr *op, hlo_instr *value) {
    bool has_own = hlo_shape_has_other_order(op->shape, value->shape);
    const hlo_shape *shape = has_own ? value->shape : op->shape;
    hlo_rewriter *r = m->walk->rewriter;
    hlo_instr **operands = hlo_malloc(op->operand_count * sizeof *operands);
    hlo_rewriter_aim(r, value);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(op, i);
        operands[i] = i == m->varying ? value : hlo_emit_like(r, operand, operand->shape, NULL, 0);
    }
    hlo_instr *moved = hlo_emit_like(r, op, shape, operands, op->operand_count);
    hlo_free(operands);
    hlo_instr_move_before(value, r->fresh.v[0]); /* emitting puts instructions before the target */
    value->shape = hlo_operand(op, m->varying)->shape;
    hlo_instr_remove_attr(value, HLO_ATTR_ORIGIN); /* it is of the value that is made now */
    hlo_flow_redirect(value, moved, moved);
    if (value->parent->root == value) value->parent->root = moved;
}

static const hlo_shape *changed_shape(motion *m, const hlo_shape *tuple, const hlo_shape *element) {
    const hlo_shape **elements = hlo_malloc((tuple->rank + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < tuple->rank; i++)
        elements[i] = i == m->output ? element : tuple->elements[i];
    const hlo_shape *shape =
        hlo_shape_tuple(&m->walk->rewriter->module->shapes, elements, tuple->rank);
    hlo_free(elements);
    return shape;
}

/* The readers are listed before the first of them changes. */
static void follow_elements(motion *m, const hlo_instr *op) {
    hlo_instr *conditional = m->conditional;
    hlo_instr_list readers = {0};
    for (hlo_use *use = conditional->first_use; use; use = use->next)
        if (hlo_attr_int(use->user, HLO_ATTR_INDEX) == m->output)
            hlo_list_push(&readers, use->user);
    conditional->shape = changed_shape(m, conditional->shape, hlo_operand(op, m->varying)->shape);
    hlo_instr_remove_attr(conditional, HLO_ATTR_ORIGIN);
    for (size_t i = 0; i < readers.n; i++) follow_by(m, op, readers.v[i]);
    hlo_list_free(&readers);
}

static void shorten_branch(motion *m, hlo_computation *branch, hlo_instr *op) {
    hlo_instr *value = hlo_operand(op, m->varying), *root = branch->root;
    if (m->output == WHOLE) {
        branch->root = value;
    } else {
        hlo_instr_set_operand(root, (uint32_t)m->output, value);
        root->shape = changed_shape(m, root->shape, value->shape);
        hlo_instr_remove_attr(root, HLO_ATTR_ORIGIN);
    }
    hlo_flow_remove_unused(m->walk, op);
}

/* On separate copies, where other instructions call the branches too: these still need the
 * operation. */
static void move_out(motion *m) {
    hlo_flow_own(m->walk, m->conditional);
    const hlo_instr *op = last_step(m, 0);
    if (m->output == WHOLE) follow_by(m, op, m->conditional);
    else follow_elements(m, op);
    for (uint32_t k = 0; k < hlo_called_count(m->conditional); k++)
        shorten_branch(m, hlo_called(m->conditional, k), last_step(m, k));
    hlo_flow_count(m->walk, HLO_REWRITE_move_out_of_branches, m->conditional);
}

/* ---- the pass ---- */

/* Its outputs may change their shapes: users of a tuple only take it apart. */
static bool is_flexible(const hlo_flow_walk *walk, const hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    bool is_tuple = hlo_shape_is_tuple(conditional->shape);
    const hlo_computation *branch;
    if (!hlo_flow_is_free(walk, conditional)) return false;
    if (is_tuple && conditional->parent->root == conditional) return false;
    for (const hlo_use *use = is_tuple ? conditional->first_use : NULL; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT || !hlo_flow_is_free(walk, use->user))
            return false;
    for (uint32_t k = 0; (branch = hlo_called(conditional, k)); k++) {
        if (hlo_ties_something(walk->rewriter, branch) ||
            branch->root->shape != conditional->shape ||
            (is_tuple && (branch->root->opcode != HLO_OP_TUPLE || branch->root->first_use ||
                          !hlo_flow_is_free(walk, branch->root))))
            return false;
    }
    return true;
}

static void move_steps(hlo_flow_walk *walk, hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    bool is_tuple = hlo_shape_is_tuple(conditional->shape);
    int64_t outputs = is_tuple ? conditional->shape->rank : 1;
    if (!is_flexible(walk, conditional)) return;
    for (int64_t i = 0; i < outputs; i++) {
        motion m = {.walk = walk, .conditional = conditional, .output = is_tuple ? i : WHOLE};
        while (hlo_flow_may(walk, HLO_REWRITE_move_out_of_branches) && can_move(&m)) move_out(&m);
    }
}

hlo_pass_result hlo_pass_conditional_code_motion(const hlo_pass_call *call) {
    return hlo_flow_visit_all(call, HLO_OP_CONDITIONAL, HLO_INNER_FIRST, move_steps);
}
