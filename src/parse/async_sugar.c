/* The sugar OP-start, OP-update, OP-done of asynchronous instructions (docs/text-format.md, 7.5): a
 * start wraps OP into a separate computation, which updates and done complete. */
#include "form/refuse.h"
#include "parse/finish.h"
#include "shape/compatible.h"

static bool check_shape(const hlo_draft *draft) {
    if (draft->shape && hlo_is_async_shape(draft->shape)) return true;
    return hlo_form_refuse(draft, HLO_RULE_RESULT_FORM, HLO_PART_SHAPE,
                           "the result of an async start or update is ((operands), result, ...)");
}

/* ---- names that are opcodes, too ---- */

/* What an opcode is the sugar of when its operands or its result are those of an async chain. */
static const struct {
    hlo_opcode opcode, wrapped;
    hlo_sugar sugar;
} also_sugar[] = {
    {HLO_OP_ALL_GATHER_DONE, HLO_OP_ALL_GATHER, HLO_SUGAR_DONE},
    {HLO_OP_ALL_GATHER_START, HLO_OP_ALL_GATHER, HLO_SUGAR_START},
    {HLO_OP_ALL_REDUCE_DONE, HLO_OP_ALL_REDUCE, HLO_SUGAR_DONE},
    {HLO_OP_ALL_REDUCE_START, HLO_OP_ALL_REDUCE, HLO_SUGAR_START},
    {HLO_OP_COLLECTIVE_PERMUTE_DONE, HLO_OP_COLLECTIVE_PERMUTE, HLO_SUGAR_DONE},
    {HLO_OP_COLLECTIVE_PERMUTE_START, HLO_OP_COLLECTIVE_PERMUTE, HLO_SUGAR_START},
    {HLO_OP_COPY_DONE, HLO_OP_COPY, HLO_SUGAR_DONE},
    {HLO_OP_COPY_START, HLO_OP_COPY, HLO_SUGAR_START},
    {HLO_OP_RECV_DONE, HLO_OP_RECV, HLO_SUGAR_DONE},
    {HLO_OP_SEND_DONE, HLO_OP_SEND, HLO_SUGAR_DONE},
};

/* ((operands), results, ...), as an async-start has it. */
static bool is_of_operands(const hlo_shape *shape, hlo_instr *const *operands, uint32_t n) {
    if (!shape || !hlo_is_async_shape(shape) || shape->elements[0]->rank != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_shapes_compatible(shape->elements[0]->elements[i], operands[i]->shape, 0))
            return false;
    return true;
}

/* The same is the shape of some opcodes when they have several operands; they mean the same. */
static bool is_own_shape(hlo_opcode opcode, const hlo_shape *shape, uint32_t n) {
    if (n < 2) return false;
    if (opcode == HLO_OP_ALL_GATHER_START) return shape->rank == 2;
    return opcode == HLO_OP_COLLECTIVE_PERMUTE_START &&
           hlo_shapes_compatible(shape->elements[0], shape->elements[1], 0);
}

void hlo_settle_sugar(hlo_parser *p, hlo_pending *pending) {
    hlo_draft *draft = &pending->draft;
    if (pending->sugar || !(hlo_ops[draft->opcode].flags & HLO_OP_IS_ASYNC)) return;
    hlo_instr **operands = p->stacks.operands.v + pending->operand_base;
    uint32_t n = p->stacks.operands.n - pending->operand_base;
    size_t row = 0, rows = sizeof also_sugar / sizeof *also_sugar;
    while (row < rows && also_sugar[row].opcode != draft->opcode) row++;
    if (row == rows || !n) return;
    bool is_sugar = also_sugar[row].sugar == HLO_SUGAR_DONE
                        ? operands[0]->opcode == HLO_OP_ASYNC_START ||
                              operands[0]->opcode == HLO_OP_ASYNC_UPDATE
                        : is_of_operands(draft->shape, operands, n) &&
                              !is_own_shape(draft->opcode, draft->shape, n);
    if (!is_sugar) return;
    pending->sugar = also_sugar[row].sugar;
    draft->opcode = also_sugar[row].wrapped;
}

/* ---- the start ---- */

/* Aliasing is the start's where the wrapped instruction takes none. */
static bool stays_outside(hlo_opcode wrapped, hlo_attr_id id) {
    HLO_ASSERT(wrapped < HLO_OP_COUNT && id < HLO_ATTR_COUNT);
    if (id == HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING)
        return hlo_op_attr(wrapped, id) == HLO_ATTR_COUNT;
    return id == HLO_ATTR_ASYNC_EXECUTION_THREAD || hlo_attr_table[id].place == HLO_PLACE_COMMON;
}

static hlo_name *name_of(hlo_parser *p, const char *text) {
    return hlo_module_intern(p->module, hlo_str_from(text));
}

static hlo_instr *add_parameter(hlo_parser *p, hlo_computation *c, const hlo_shape *shape,
                                uint32_t i) {
    hlo_name *name = name_of(p, "async_param");
    hlo_attr number = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = i};
    hlo_count_name(p, name);
    return hlo_instr_new(c, HLO_OP_PARAMETER, shape, name, NULL, 0, &number, 1);
}

/* A computation `async_wrapped` with a parameter for each operand in the shape of the
 * start, complete but for its root. Operands that an update is to bind later stand as f32[1]
 * where the opcode needs them now. */
static hlo_computation *new_wrapper(hlo_parser *p, hlo_opcode opcode, const hlo_shape *bound) {
    static const int64_t one = 1;
    const hlo_op_info *op = &hlo_ops[opcode];
    uint32_t n = bound->rank;
    if (op->min_operands == op->max_operands && (int64_t)n < op->min_operands)
        n = (uint32_t)op->min_operands;
    hlo_computation *c = hlo_computation_new(p->module, name_of(p, "async_wrapped"));
    c->is_async_body = true;
    c->id = p->made.closed++;
    const hlo_shape *later =
        hlo_shape_array(&p->module->shapes, HLO_F32, &one, 1, NULL, NULL, NULL);
    for (uint32_t i = 0; i < n; i++)
        add_parameter(p, c, i < bound->rank ? bound->elements[i] : later, i);
    hlo_computation_index_parameters(c);
    return c;
}

/* The wrapped instruction in the new computation; it takes its attributes out of the draft. */
static hlo_instr *finish_wrapped(hlo_parser *p, hlo_draft *draft, hlo_computation *wrapper) {
    hlo_name *name = name_of(p, hlo_ops[draft->opcode].text);
    hlo_draft inner = *draft;
    inner.computation = wrapper;
    inner.name = name;
    inner.shape = draft->shape->elements[1];
    inner.operands = wrapper->parameters;
    inner.operand_count = wrapper->parameter_count;
    inner.attrs = NULL;
    inner.attr_count = inner.attr_capacity = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < draft->attr_count; i++) {
        bool outside = stays_outside(draft->opcode, (hlo_attr_id)draft->attrs[i].id);
        if (outside) draft->attrs[kept++] = draft->attrs[i];
        else hlo_draft_add(&inner, draft->attrs[i]);
    }
    draft->attr_count = kept;
    hlo_instr *root = hlo_form_make(&inner);
    if (root) hlo_count_name(p, name);
    return wrapper->root = root;
}

/* What is known of operands and result by now: more parameters, other shapes. */
static void bind(hlo_parser *p, hlo_computation *wrapper, const hlo_shape *const *operands,
                 uint32_t count, const hlo_shape *result) {
    hlo_instr *root = wrapper->root;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= wrapper->parameter_count) {
            hlo_instr *parameter = add_parameter(p, wrapper, operands[i], i);
            hlo_instr_move_before(parameter, root);
            hlo_instr_add_operands(root, &parameter, 1);
        } else if (!hlo_shapes_compatible(wrapper->parameters[i]->shape, operands[i], 0)) {
            wrapper->parameters[i]->shape = operands[i];
        }
    }
    if (count > wrapper->parameter_count) hlo_computation_index_parameters(wrapper);
    if (!hlo_shapes_compatible(root->shape, result, 0)) root->shape = result;
}

/* A call or fusion names the computation that knows all of them. */
static void bind_as_called(hlo_parser *p, hlo_computation *wrapper) {
    hlo_opcode opcode = (hlo_opcode)wrapper->root->opcode;
    if (opcode != HLO_OP_CALL && opcode != HLO_OP_FUSION) return;
    const hlo_computation *called = hlo_called(wrapper->root, 0);
    const hlo_shape **shapes = HLO_NEW_ARRAY(p->arena, const hlo_shape *, called->parameter_count);
    for (uint32_t i = 0; i < called->parameter_count; i++) shapes[i] = called->parameters[i]->shape;
    bind(p, wrapper, shapes, called->parameter_count, called->root->shape);
}

static hlo_instr *finish_start(hlo_parser *p, hlo_draft *draft) {
    if (!check_shape(draft)) return NULL;
    hlo_computation *wrapper = new_wrapper(p, draft->opcode, draft->shape->elements[0]);
    hlo_instr *root = finish_wrapped(p, draft, wrapper);
    if (!root) {
        hlo_computation_remove(wrapper);
        return NULL;
    }
    bind_as_called(p, wrapper);
    hlo_draft_set(draft, HLO_ATTR_CALLS, wrapper);
    draft->opcode = HLO_OP_ASYNC_START;
    hlo_form_spread_sharding(draft);
    return hlo_draft_make(draft);
}

/* ---- update and done ---- */

static bool check_wrapped(const hlo_draft *draft, const hlo_instr *start, const hlo_instr *root) {
    HLO_ASSERT(draft->opcode < HLO_OP_COUNT);
    if (root->opcode == draft->opcode) return true;
    hlo_form_refuse(draft, HLO_RULE_ASYNC, HLO_PART_OPCODE, "the start is of %s, not of %s",
                    hlo_info(root)->text, hlo_ops[draft->opcode].text);
    hlo_form_note_refusal(draft, HLO_PART_NEXT);
    hlo_form_note_instr(draft, start, "the start is here");
    return false;
}

static bool check_link(hlo_draft *draft, bool update) {
    if (!draft->shape)
        return hlo_form_refuse_op(draft, HLO_RULE_SHAPE_REQUIRED, HLO_PART_OPCODE,
                                  "the result shape of an async update or done must be written");
    if (!hlo_form_check_async_operand(draft, update)) return false;
    if (update && (!check_shape(draft) || !hlo_form_check_async_update(draft))) return false;
    const hlo_instr *start = hlo_async_start_of(draft->operands[0]);
    const hlo_instr *root = start ? hlo_async_body(start)->root : NULL;
    return (!root || check_wrapped(draft, start, root)) &&
           (!start || hlo_form_check_async_thread(draft, start));
}

static hlo_instr *finish_link(hlo_parser *p, hlo_draft *draft, bool update) {
    if (!check_link(draft, update)) return NULL;
    const hlo_instr *start = hlo_async_start_of(draft->operands[0]);
    hlo_computation *wrapper = start ? hlo_async_body(start) : NULL;
    const hlo_shape *form = update ? draft->shape : draft->operands[0]->shape;
    hlo_draft_drop(draft, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    if (wrapper && wrapper->root && hlo_is_async_shape(form))
        bind(p, wrapper, form->elements[0]->elements, form->elements[0]->rank,
             update ? form->elements[1] : draft->shape);
    draft->opcode = update ? HLO_OP_ASYNC_UPDATE : HLO_OP_ASYNC_DONE;
    hlo_form_spread_sharding(draft);
    return hlo_draft_make(draft);
}

hlo_instr *hlo_finish_async_sugar(hlo_parser *p, hlo_sugar sugar, hlo_draft *draft) {
    if (sugar == HLO_SUGAR_START) return finish_start(p, draft);
    return finish_link(p, draft, sugar == HLO_SUGAR_UPDATE);
}
