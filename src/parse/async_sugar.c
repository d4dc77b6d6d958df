/* The sugar OP-start, OP-update, OP-done of asynchronous instructions, and what the two halves must
 * agree on (docs/text-format.md, 7.5). Called by finish.c. */
#include "parse/finish.h"

#include "shape/compatible.h"

/* The async-start that an update or done belongs to, or NULL. */
static hlo_instr *start_of(hlo_instr *instr) {
    while (instr->opcode == HLO_OP_ASYNC_UPDATE && instr->operand_count)
        instr = hlo_operand(instr, 0);
    return instr->opcode == HLO_OP_ASYNC_START ? instr : NULL;
}

static hlo_computation *wrapped_by(const hlo_instr *start) {
    return hlo_instr_attr(start, HLO_ATTR_CALLS)->u.computation;
}

/* An update may bind more operands behind the first. */
static bool has_async_operand(hlo_reading *r) {
    bool update =
        r->pending->opcode == HLO_OP_ASYNC_UPDATE || r->pending->sugar == HLO_SUGAR_UPDATE;
    uint32_t count = hlo_reading_count(r);
    if (count == 1 || (update && count > 1)) {
        hlo_instr *operand = hlo_reading_operands(r)[0];
        if (operand->opcode == HLO_OP_ASYNC_START || operand->opcode == HLO_OP_ASYNC_UPDATE)
            return true;
    }
    hlo_parse_error(r->p, HLO_RULE_ASYNC, r->pending->opcode_at,
                    update ? "the first operand of an async update is an async start or update"
                           : "the operand of an async done is one async start or update");
    hlo_note_refusal(r->p, r->next);
    return false;
}

static bool disagree(hlo_reading *r, const hlo_instr *start, const char *what) {
    hlo_reading_fail(r, HLO_RULE_ASYNC, what);
    hlo_note(r->p->diags, r->p->source, start->at, "the start is here");
    return false;
}

bool hlo_check_async_done(hlo_reading *r) {
    if (!has_async_operand(r)) return false;
    hlo_instr *start = start_of(hlo_reading_operands(r)[0]);
    if (!start) return true;
    hlo_attr *calls = hlo_reading_attr(r, HLO_ATTR_CALLS);
    if (calls && calls->u.computation != wrapped_by(start))
        return disagree(r, start, "calls= names another computation than the start");
    hlo_attr *thread = hlo_reading_attr(r, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    const hlo_attr *theirs = hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    if (thread && !hlo_str_equal(*thread->u.string, theirs ? *theirs->u.string : HLO_STR("main")))
        return disagree(r, start, "async_execution_thread= names another thread than the start");
    return true;
}

/* Attributes of any of the three that also are the wrapped instruction's: the last one wins. */
static void copy_to_wrapped(hlo_reading *r, hlo_instr *root) {
    static const hlo_attr_id copied[] = {HLO_ATTR_METADATA, HLO_ATTR_ORIGIN,
                                         HLO_ATTR_BACKEND_CONFIG, HLO_ATTR_FRONTEND_ATTRIBUTES,
                                         HLO_ATTR_STATISTICS};
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        const hlo_attr *attr = hlo_reading_attr(r, copied[i]);
        if (attr) hlo_instr_set_attr(root, *attr);
    }
}

static bool is_async_form(const hlo_shape *shape) {
    return hlo_shape_is_tuple(shape) && shape->rank >= 2 && hlo_shape_is_tuple(shape->elements[0]);
}

static hlo_instr *refuse_form(hlo_reading *r) {
    hlo_parse_error(r->p, HLO_RULE_RESULT_FORM,
                    r->shape ? r->pending->shape_at : r->pending->opcode_at,
                    "the result of an async start or update is ((operands), result, ...)");
    return NULL;
}

/* ---- the start ---- */

/* Aliasing is the start's where the wrapped instruction has none of its own. */
static bool stays_outside(hlo_opcode wrapped, hlo_attr_id id) {
    if (id == HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING)
        return hlo_op_attr(wrapped, id) == HLO_ATTR_COUNT;
    return id == HLO_ATTR_ASYNC_EXECUTION_THREAD || hlo_attr_table[id].place == HLO_PLACE_COMMON;
}

static hlo_instr *add_parameter(hlo_reading *r, hlo_computation *c, const hlo_shape *shape,
                                uint32_t i) {
    hlo_module *module = r->p->module;
    hlo_name *name = (hlo_name *)(uintptr_t)hlo_module_intern(module, HLO_STR("async_param"));
    hlo_attr number = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = i};
    hlo_count_name(r->p, name);
    return hlo_instr_new(c, HLO_OP_PARAMETER, shape, name, NULL, 0, &number, 1);
}

/* A computation `async_wrapped` with a parameter for each operand that the shape of the start
 * speaks of, complete but for its root. Operands that an update is to bind later stand as f32[1]
 * where the opcode needs them now. */
static hlo_computation *new_wrapper(hlo_reading *r, const hlo_shape *bound) {
    static const int64_t one = 1;
    hlo_module *module = r->p->module;
    const hlo_op_info *op = &hlo_ops[r->pending->opcode];
    uint32_t n = bound->rank;
    if (op->min_operands == op->max_operands && (int64_t)n < op->min_operands)
        n = (uint32_t)op->min_operands;
    hlo_computation *c =
        hlo_computation_new(module, hlo_module_intern(module, HLO_STR("async_wrapped")));
    c->is_async_body = true;
    c->id = r->p->closed++;
    r->p->has_async = true;
    for (uint32_t i = 0; i < n; i++)
        add_parameter(r, c,
                      i < bound->rank
                          ? bound->elements[i]
                          : hlo_shape_array(&module->shapes, HLO_F32, &one, 1, NULL, NULL, NULL),
                      i);
    hlo_computation_index_parameters(c);
    return c;
}

/* Reads the wrapped instruction inside the new computation, from the same pending attributes: those
 * that stay outside are put aside meanwhile. */
static hlo_instr *finish_wrapped(hlo_reading *r, hlo_computation *wrapper) {
    hlo_parser *p = r->p;
    uint32_t base = r->pending->attr_base, kept = base;
    hlo_attr outside[32];
    uint32_t n = 0;
    for (uint32_t i = base; i < p->attrs.n; i++) {
        if (stays_outside(r->pending->opcode, (hlo_attr_id)p->attrs.v[i].id) && n < 32)
            outside[n++] = p->attrs.v[i];
        else p->attrs.v[kept++] = p->attrs.v[i];
    }
    p->attrs.n = kept;
    hlo_pending inner = *r->pending;
    inner.sugar = HLO_PLAIN_OP;
    inner.shape = r->shape->elements[1];
    inner.operand_base = p->operands.n;
    for (uint32_t i = 0; i < wrapper->parameter_count; i++)
        hlo_push(&p->operands, wrapper->parameters[i]);
    hlo_scope scope = {.computation = wrapper,
                       .number = ++p->next_scope,
                       .is_nested = true,
                       .shadowed_base = p->shadowed.n};
    hlo_push(&p->scopes, scope);
    hlo_name *name = (hlo_name *)(uintptr_t)hlo_module_intern(
        p->module, hlo_str_from(hlo_ops[inner.opcode].text));
    hlo_instr *root = hlo_finish_instruction(p, &inner, name, r->next);
    if (root) hlo_count_name(p, name);
    p->scopes.n--;
    p->operands.n = inner.operand_base;
    p->attrs.n = base;
    for (uint32_t i = 0; i < n; i++) hlo_push(&p->attrs, outside[i]);
    return wrapper->root = root;
}

/* What is known of operands and result by now: more parameters, other shapes. */
static void bind(hlo_reading *r, hlo_computation *wrapper, const hlo_shape *const *operands,
                 uint32_t count, const hlo_shape *result) {
    hlo_instr *root = wrapper->root;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= wrapper->parameter_count) {
            hlo_instr *parameter = add_parameter(r, wrapper, operands[i], i);
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
static void bind_as_called(hlo_reading *r, hlo_computation *wrapper) {
    hlo_opcode opcode = (hlo_opcode)wrapper->root->opcode;
    if (opcode != HLO_OP_CALL && opcode != HLO_OP_FUSION) return;
    const hlo_computation *called = hlo_called(wrapper->root, 0);
    const hlo_shape **shapes =
        HLO_NEW_ARRAY(r->p->arena, const hlo_shape *, called->parameter_count);
    for (uint32_t i = 0; i < called->parameter_count; i++) shapes[i] = called->parameters[i]->shape;
    bind(r, wrapper, shapes, called->parameter_count, called->root->shape);
}

/* The thread of a start is the thread of all that it runs. */
static void set_thread(hlo_computation *c, hlo_str thread, uint32_t depth) {
    c->execution_thread = thread;
    for (hlo_instr *i = c->first; i && depth < HLO_MAX_NESTING; i = i->next)
        for (uint32_t k = 0; k < hlo_called_count(i); k++)
            if (!hlo_str_equal(hlo_called(i, k)->execution_thread, thread))
                set_thread(hlo_called(i, k), thread, depth + 1);
}

static hlo_instr *finish_start(hlo_reading *r) {
    const hlo_shape *s = r->shape;
    if (!s || !is_async_form(s)) return refuse_form(r);
    hlo_computation *wrapper = new_wrapper(r, s->elements[0]);
    hlo_instr *root = finish_wrapped(r, wrapper);
    if (!root) {
        hlo_computation_remove(wrapper);
        return NULL;
    }
    bind_as_called(r, wrapper);
    copy_to_wrapped(r, root);
    const hlo_attr *thread = hlo_reading_attr(r, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    if (thread) set_thread(wrapper, *thread->u.string, 0);
    hlo_reading_set(r, HLO_ATTR_CALLS, wrapper);
    r->pending->opcode = HLO_OP_ASYNC_START;
    hlo_attr *sharding = hlo_reading_attr(r, HLO_ATTR_SHARDING);
    if (sharding && sharding->u.sharding->kind != HLO_SHARDING_TUPLE)
        sharding->u.sharding = hlo_sharding_for_shape(r->p->arena, sharding->u.sharding, s);
    return hlo_reading_make(r);
}

/* ---- update and done ---- */

static hlo_instr *finish_rest(hlo_reading *r) {
    hlo_opcode wrapped = r->pending->opcode;
    if (!r->shape) {
        hlo_reading_fail(r, HLO_RULE_SHAPE_REQUIRED,
                         "the result shape of an async update or done must be written");
        return NULL;
    }
    bool update = r->pending->sugar == HLO_SUGAR_UPDATE;
    if (!has_async_operand(r)) return NULL;
    if (update && !is_async_form(r->shape)) return refuse_form(r);
    hlo_instr *start = start_of(hlo_reading_operands(r)[0]);
    hlo_instr *root = start ? wrapped_by(start)->root : NULL;
    if (root && root->opcode != wrapped) {
        hlo_parse_error(r->p, HLO_RULE_ASYNC, r->pending->opcode_at, "the start wraps %s, not %s",
                        hlo_info(root)->text, hlo_ops[wrapped].text);
        hlo_note_refusal(r->p, r->next);
        hlo_note(r->p->diags, r->p->source, start->at, "the start is here");
        return NULL;
    }
    const hlo_attr *thread = start ? hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD) : NULL;
    const hlo_attr *mine = hlo_reading_attr(r, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    if (start && mine &&
        !hlo_str_equal(*mine->u.string, thread ? *thread->u.string : HLO_STR("main"))) {
        disagree(r, start, "async_execution_thread= names another thread than the start");
        return NULL;
    }
    hlo_reading_drop(r, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    if (root) {
        copy_to_wrapped(r, root);
        const hlo_shape *form = update ? r->shape : hlo_reading_operands(r)[0]->shape;
        if (is_async_form(form))
            bind(r, wrapped_by(start), form->elements[0]->elements, form->elements[0]->rank,
                 update ? form->elements[1] : r->shape);
    }
    r->pending->opcode = update ? HLO_OP_ASYNC_UPDATE : HLO_OP_ASYNC_DONE;
    hlo_attr *sharding = hlo_reading_attr(r, HLO_ATTR_SHARDING);
    if (sharding && hlo_shape_is_tuple(r->shape) &&
        sharding->u.sharding->kind != HLO_SHARDING_TUPLE)
        sharding->u.sharding = hlo_sharding_for_shape(r->p->arena, sharding->u.sharding, r->shape);
    return hlo_reading_make(r);
}

hlo_instr *hlo_finish_async_sugar(hlo_reading *r) {
    return r->pending->sugar == HLO_SUGAR_START ? finish_start(r) : finish_rest(r);
}
