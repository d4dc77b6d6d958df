/* layout-assignment: arrays get default layouts, as XLA's CPU backend wants them, with the
 * exceptions of assigned_shape. Copies stand where an operand has another layout than its user
 * takes. */
#include "analysis/call_graph.h"
#include "passes/pipeline/emit.h"
#include "shape/storage.h"

/* One computation, while its layouts are assigned; arrays are by hlo_instr.index. */
typedef struct {
    hlo_rewriter *rewriter;
    hlo_computation *computation;
    const hlo_program_shape *entry; /* NULL: not the entry */
    const hlo_shape **before;       /* the shapes that instructions had */
    const hlo_shape **wanted;       /* by users that take no other; NULL: nothing special */
    bool changed;
} assignment;

/* ---- shapes ---- */

/* With default layouts, but for those that hold more than an order. Recursion is as deep as tuples
 * nest. */
static const hlo_shape *default_shape(hlo_module *module, const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) {
        if (shape->plain_layout || shape->layout->parts) return shape;
        return hlo_shape_array(&module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                               shape->is_dynamic, NULL, NULL);
    }
    if (!hlo_shape_is_tuple(shape)) return shape;
    const hlo_shape **parts = hlo_malloc((shape->rank + 1) * sizeof *parts);
    for (uint32_t i = 0; i < shape->rank; i++) parts[i] = default_shape(module, shape->elements[i]);
    const hlo_shape *out = hlo_shape_tuple(&module->shapes, parts, shape->rank);
    hlo_free(parts);
    return out;
}

/* `shape` with the layouts of another one of the same structure, which may differ in run-time
 * sizes. */
static const hlo_shape *with_layouts(hlo_module *module, const hlo_shape *shape,
                                     const hlo_shape *from) {
    if (shape == from) return shape;
    if (hlo_shape_is_array(shape))
        return hlo_shape_array(&module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                               shape->is_dynamic, from->layout->minor_to_major,
                               from->layout->parts);
    if (!hlo_shape_is_tuple(shape)) return shape;
    const hlo_shape **parts = hlo_malloc((shape->rank + 1) * sizeof *parts);
    for (uint32_t i = 0; i < shape->rank; i++)
        parts[i] = with_layouts(module, shape->elements[i], from->elements[i]);
    const hlo_shape *out = hlo_shape_tuple(&module->shapes, parts, shape->rank);
    hlo_free(parts);
    return out;
}

static const hlo_shape *tuple_of_operands(hlo_module *module, const hlo_instr *tuple) {
    const hlo_shape **parts = hlo_malloc((tuple->operand_count + 1u) * sizeof *parts);
    for (uint32_t i = 0; i < tuple->operand_count; i++) parts[i] = hlo_operand(tuple, i)->shape;
    const hlo_shape *out = hlo_shape_tuple(&module->shapes, parts, tuple->operand_count);
    hlo_free(parts);
    return out;
}

/* The layout in which a transpose of an array with the default layout moves nothing. */
static const hlo_shape *transposed_shape(hlo_module *module, const hlo_instr *transpose) {
    HLO_ASSERT(transpose->opcode == HLO_OP_TRANSPOSE);
    const hlo_shape *shape = default_shape(module, transpose->shape);
    const hlo_ints *dims = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS);
    if (shape->layout->parts) return shape;
    hlo_ints *order = hlo_ints_new(&module->arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) order->v[dims->n - 1 - (uint32_t)dims->v[i]] = i;
    return hlo_shape_array(&module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                           shape->is_dynamic, order->v, NULL);
}

/* ---- what has which layout ---- */

/* Its result and operands keep the layouts that they have. */
static bool is_fixed(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_ASYNC_DONE:
    case HLO_OP_ASYNC_START:
    case HLO_OP_ASYNC_UPDATE:
    case HLO_OP_BITCAST:
    case HLO_OP_CUSTOM_CALL:
    case HLO_OP_FUSION:
    case HLO_OP_OPT_BARRIER: return true; /* its two sides do not know of each other */
    default:
        return hlo_info(instr)->class == HLO_CLASS_HOST ||
               hlo_attr_int(instr, HLO_ATTR_CONSTRAIN_LAYOUT) != 0;
    }
}

/* Takes any layout, and passes it on if it is no copy. */
static bool takes_any_layout(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_COPY:
    case HLO_OP_DOMAIN:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_TUPLE: return true;
    default: return false;
    }
}

/* Computes its result in any layout. A reshape does if it moves nothing; products would lose their
 * fast kernels. */
static bool gives_any_layout(const hlo_instr *instr) {
    const hlo_op_info *info = hlo_info(instr);
    if (instr->opcode == HLO_OP_CONSTANT || instr->opcode == HLO_OP_COPY ||
        instr->opcode == HLO_OP_RESHAPE)
        return true;
    return info->class != HLO_CLASS_DENSE && !info->keeps_layout &&
           info->class <= HLO_CLASS_RANDOM && info->result == HLO_RESULT_FRESH;
}

static const hlo_shape *parameter_shape(const assignment *a, const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    int64_t number = hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
    return a->entry ? a->entry->parameters->v[number]
                    : default_shape(a->computation->module, parameter->shape);
}

static bool may_have(hlo_module *module, const hlo_instr *instr, const hlo_shape *wanted) {
    return instr->opcode != HLO_OP_RESHAPE ||
           hlo_reshape_is_bitcast(default_shape(module, hlo_operand(instr, 0)->shape),
                                  with_layouts(module, instr->shape, wanted));
}

/* Not default are the layouts of the entry's parameters and results, which are given, those of
 * transposes, in which they move nothing, and those of instructions that communicate with the
 * outside or read memory as it lies (bitcasts, custom calls, fusions). */
static const hlo_shape *assigned_shape(const assignment *a, const hlo_instr *instr) {
    hlo_module *module = a->computation->module;
    const hlo_shape *wanted = a->wanted[instr->index];
    if (is_fixed(instr)) return instr->shape;
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: return parameter_shape(a, instr);
    case HLO_OP_GET_TUPLE_ELEMENT:
        return hlo_operand(instr, 0)->shape->elements[hlo_attr_int(instr, HLO_ATTR_INDEX)];
    case HLO_OP_TUPLE: return tuple_of_operands(module, instr);
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_DOMAIN: return hlo_operand(instr, 0)->shape;
    case HLO_OP_TRANSPOSE: return transposed_shape(module, instr);
    case HLO_OP_CALL: return hlo_called(instr, 0)->root->shape;
    case HLO_OP_WHILE: return hlo_called(instr, 0)->parameters[0]->shape;
    case HLO_OP_CONDITIONAL: return hlo_called(instr, 0)->root->shape;
    default:
        return wanted && may_have(module, instr, wanted) ? wanted
                                                         : default_shape(module, instr->shape);
    }
}

/* ---- what is wanted ---- */

static void want(assignment *a, const hlo_instr *instr, const hlo_shape *shape) {
    if (!a->wanted[instr->index]) a->wanted[instr->index] = shape;
}

/* What makes up the value that is wanted in that shape. */
static void want_parts(assignment *a, const hlo_instr *instr, const hlo_shape *shape) {
    for (uint32_t k = 0; instr->opcode == HLO_OP_TUPLE && k < instr->operand_count; k++)
        want(a, hlo_operand(instr, k), shape->elements[k]);
    if (instr->opcode != HLO_OP_GET_TUPLE_ELEMENT) return;
    const hlo_instr *tuple = hlo_operand(instr, 0);
    if (tuple->opcode == HLO_OP_TUPLE)
        want(a, hlo_operand(tuple, (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX)), shape);
}

/* Elements of the result, and operands whose layout must stay, take it where they are computed.
 * Users stand after what they use. */
static void find_wanted(assignment *a) {
    if (a->entry) want(a, a->computation->root, a->entry->result);
    for (const hlo_instr *i = a->computation->last; i; i = i->prev) {
        const hlo_shape **wanted = &a->wanted[i->index];
        for (uint32_t k = 0; is_fixed(i) && k < i->operand_count; k++)
            want(a, hlo_operand(i, k), hlo_operand(i, k)->shape);
        if (*wanted) want_parts(a, i, *wanted);
        if (!gives_any_layout(i)) *wanted = NULL;
    }
}

/* The operand in the layout in which its dimensions have the order of the result, if it has that;
 * else in the default one. */
static const hlo_shape *broadcast_shape(hlo_module *module, const hlo_instr *broadcast) {
    HLO_ASSERT(broadcast->opcode == HLO_OP_BROADCAST);
    const hlo_shape *from = hlo_operand(broadcast, 0)->shape, *to = broadcast->shape;
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    uint32_t n = 0;
    for (uint32_t k = 0; k < to->rank; k++) {
        int64_t d = hlo_ints_find(dims, to->layout->minor_to_major[k]);
        if (d >= 0 && from->layout->minor_to_major[n++] != d) return default_shape(module, from);
    }
    return from;
}

/* What the instruction needs operand k to be. */
static const hlo_shape *needed_shape(const assignment *a, const hlo_instr *instr, uint32_t k) {
    const hlo_instr *operand = hlo_operand(instr, k);
    if (is_fixed(instr)) return a->before[operand->index];
    if (takes_any_layout(instr)) return operand->shape;
    switch (instr->opcode) {
    case HLO_OP_BROADCAST: return broadcast_shape(a->computation->module, instr);
    case HLO_OP_CALL: return hlo_called(instr, 0)->parameters[k]->shape;
    case HLO_OP_WHILE: return hlo_called(instr, 0)->parameters[0]->shape;
    case HLO_OP_CONDITIONAL:
        return k ? hlo_called(instr, k - 1)->parameters[0]->shape : operand->shape;
    default: return default_shape(a->computation->module, operand->shape);
    }
}

/* ---- copies ---- */

static hlo_instr *copied_to(hlo_rewriter *r, hlo_instr *value, const hlo_shape *shape);

/* Elements that are copied are the value's work. */
static hlo_instr *copied_parts(hlo_rewriter *r, hlo_instr *value, const hlo_shape *shape) {
    hlo_instr **parts = hlo_malloc((shape->rank + 1) * sizeof *parts);
    for (uint32_t i = 0; i < shape->rank; i++) {
        parts[i] = hlo_emit_element(r, value, i);
        if (parts[i]->shape == shape->elements[i]) continue;
        hlo_inherit_metadata(value, parts[i]);
        parts[i] = copied_to(r, parts[i], shape->elements[i]);
    }
    hlo_instr *tuple = hlo_emit_tuple(r, parts, shape->rank);
    hlo_free(parts);
    return tuple;
}

/* The value, which is not there yet in the shape: layouts differ. Tuples are taken apart. */
static hlo_instr *copied_to(hlo_rewriter *r, hlo_instr *value, const hlo_shape *shape) {
    hlo_instr *out = hlo_shape_is_array(shape) ? hlo_emit_unary(r, HLO_OP_COPY, shape, value)
                                               : copied_parts(r, value, shape);
    const hlo_attr *sharding = hlo_instr_attr(value, HLO_ATTR_SHARDING);
    hlo_inherit_metadata(value, out);
    if (sharding) hlo_instr_set_attr(out, *sharding);
    return out;
}

static void copy_operands(assignment *a, hlo_instr *instr) {
    hlo_rewriter_aim(a->rewriter, instr);
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        hlo_instr *operand = hlo_operand(instr, k);
        const hlo_shape *needed =
            with_layouts(a->computation->module, operand->shape, needed_shape(a, instr, k));
        if (operand->shape == needed) continue;
        hlo_instr_set_operand(instr, k, copied_to(a->rewriter, operand, needed));
        a->changed = true;
    }
}

/* The copies are made before the root, which then moves before them. */
static void copy_root(assignment *a) {
    hlo_computation *c = a->computation;
    hlo_instr *root = c->root;
    const hlo_shape *needed = a->entry ? with_layouts(c->module, root->shape, a->entry->result)
                                       : default_shape(c->module, root->shape);
    if (root->shape == needed) return;
    a->changed = true;
    hlo_rewriter_aim(a->rewriter, root);
    c->root = copied_to(a->rewriter, root, needed);
    hlo_instr_move_before(root, a->rewriter->fresh.v[0]);
}

/* ---- computations ---- */

/* A constant's literal holds its shape. */
static void set_shape(hlo_instr *instr, const hlo_shape *shape) {
    instr->shape = shape;
    if (instr->opcode != HLO_OP_CONSTANT) return;
    hlo_arena *arena = &instr->parent->module->arena;
    const hlo_literal *old = hlo_instr_attr(instr, HLO_ATTR_VALUE)->u.literal;
    hlo_literal *literal = hlo_arena_copy(arena, old, sizeof *old);
    literal->shape = shape;
    hlo_instr_set_attr(instr, (hlo_attr){.id = HLO_ATTR_VALUE, .u.literal = literal});
}

/* Layouts change in place: an instruction that control dependencies tie stays what it is. */
static void assign_all(assignment *a) {
    hlo_computation *c = a->computation;
    find_wanted(a);
    for (hlo_instr *i = c->first; i; i = i->next) {
        a->before[i->index] = i->shape;
        const hlo_shape *shape = with_layouts(c->module, i->shape, assigned_shape(a, i));
        if (i->shape != shape) set_shape(i, shape);
        a->changed |= i->shape != a->before[i->index];
        copy_operands(a, i);
    }
    copy_root(a);
}

static bool assign_in(hlo_rewriter *r, hlo_computation *c) {
    hlo_module *module = c->module;
    assignment a = {.rewriter = r, .computation = c};
    if (!hlo_rewrite_allowed(r, HLO_REWRITE_assign_layouts)) return false;
    if (c == module->entry)
        a.entry = hlo_module_attr(module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT)->u.program_shape;
    a.before = hlo_calloc(c->instr_count + 1u, sizeof *a.before);
    a.wanted = hlo_calloc(c->instr_count + 1u, sizeof *a.wanted);
    hlo_number_instructions(c);
    assign_all(&a);
    hlo_free(a.before);
    hlo_free(a.wanted);
    if (a.changed) hlo_rewrite_count(r, HLO_REWRITE_assign_layouts, c->name);
    return a.changed;
}

/* Callees come first, so that the shapes of their parameters and results are known. */
hlo_pass_result hlo_pass_layout_assignment(const hlo_pass_call *call) {
    hlo_call_graph graph;
    bool changed = false;
    hlo_call_graph_init(&graph, call->module);
    for (uint32_t n = graph.count; n-- > 0;) {
        hlo_computation *c = graph.order[n];
        if (c->root && !c->is_fusion_body && !c->is_async_body)
            changed |= assign_in(call->rewriter, c);
    }
    hlo_call_graph_free(&graph);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
