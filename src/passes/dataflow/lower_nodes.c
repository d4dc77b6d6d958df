/* Nodes of the graph that lower-control-flow makes, and the devices that they are on. */
#include "ir/sharding.h"
#include "passes/dataflow/lower.h"
#include "passes/pipeline/inline.h"

/* ---- devices ---- */

int64_t hlo_flow_device(const hlo_lowering *l, const hlo_instr *node) {
    return l->devices.v[node->index];
}

int64_t hlo_flow_device_named(const hlo_instr *instr) {
    const hlo_attr *sharding = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    return sharding ? hlo_sharding_device_of(sharding->u.sharding) : HLO_NO_DEVICE;
}

static int64_t device_by_rule(const hlo_lowering *l, const hlo_instr *node) {
    int64_t named = hlo_flow_device_named(node);
    if (named != HLO_NO_DEVICE) return named;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        int64_t device = hlo_flow_device(l, hlo_operand(node, i));
        if (device != HLO_NO_DEVICE) return device;
    }
    return HLO_NO_DEVICE;
}

hlo_instr *hlo_flow_enlist(hlo_lowering *l, hlo_instr *node) {
    node->index = l->devices.n;
    hlo_list_push(&l->devices, device_by_rule(l, node));
    return node;
}

void hlo_flow_place(hlo_lowering *l, hlo_instr *node, int64_t device) {
    if (hlo_flow_device(l, node) == device) return;
    hlo_arena *arena = &node->parent->module->arena;
    if (device == HLO_NO_DEVICE) device = 0;
    const hlo_sharding *sharding = hlo_sharding_on_device(arena, device, node->shape);
    hlo_instr_set_attr(node, (hlo_attr){.id = HLO_ATTR_SHARDING, .u.sharding = sharding});
    l->devices.v[node->index] = device;
}

/* ---- control edges ---- */

void hlo_flow_wait(hlo_lowering *l, hlo_instr *node, const hlo_instrs *after) {
    if (!after || after->n == 0) return;
    const hlo_attr *own = hlo_instr_attr(node, HLO_ATTR_CONTROL_PREDECESSORS);
    uint32_t before = own ? own->u.instructions->n : 0, n = before + after->n;
    hlo_instrs *all = hlo_arena_alloc(&l->r->module->arena, sizeof *all + n * sizeof all->v[0]);
    all->n = n;
    for (uint32_t i = 0; i < n; i++)
        all->v[i] = i < before ? own->u.instructions->v[i] : after->v[i - before];
    hlo_instr_set_attr(node,
                       (hlo_attr){.id = HLO_ATTR_CONTROL_PREDECESSORS, .u.instructions = all});
}

/* ---- shapes ---- */

static void list_shapes(const hlo_shape *shape, const hlo_shape ***at) {
    if (!hlo_shape_is_tuple(shape)) *(*at)++ = shape;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++)
        list_shapes(shape->elements[i], at);
}

const hlo_shape *const *hlo_flow_shapes(hlo_lowering *l, const hlo_shape *shape) {
    const hlo_shape **shapes =
        HLO_NEW_ARRAY(&l->scratch, const hlo_shape *, hlo_shape_leaf_count(shape) + 1u);
    const hlo_shape **at = shapes;
    list_shapes(shape, &at);
    return shapes;
}

void hlo_flow_lay_out(hlo_instr *node, const hlo_shape *shape) {
    bool same =
        hlo_shape_compatible(node->shape, shape) && !node->shape->dynamic && !shape->dynamic;
    if (same) node->shape = shape;
}

/* ---- nodes ---- */

hlo_instr *hlo_flow_primitive(hlo_lowering *l, hlo_opcode opcode, hlo_instr *operand) {
    return hlo_flow_enlist(l, hlo_emit_unary(l->r, opcode, operand->shape, operand));
}

hlo_instr *hlo_flow_switch(hlo_lowering *l, hlo_instr *data, hlo_instr *predicate) {
    const hlo_shape *sides[] = {data->shape, data->shape};
    const hlo_shape *pair = hlo_shape_tuple(&l->r->module->shapes, sides, 2);
    hlo_instr *decided =
        hlo_flow_enlist(l, hlo_emit_binary(l->r, HLO_OP_SWITCH, pair, data, predicate));
    hlo_flow_place(l, decided, hlo_flow_device(l, data));
    return decided;
}

hlo_instr *hlo_flow_element(hlo_lowering *l, hlo_instr *tuple, int64_t index) {
    HLO_ASSERT(index >= 0);
    return hlo_flow_enlist(l, hlo_emit_element(l->r, tuple, index));
}

hlo_instr *hlo_flow_merge(hlo_lowering *l, hlo_instr *const *values, uint32_t n) {
    HLO_ASSERT(n >= 1);
    return hlo_flow_enlist(l, hlo_emit(l->r, HLO_OP_MERGE, values[0]->shape, values, n, NULL, 0));
}

static hlo_instr *add_enter(hlo_lowering *l, hlo_instr *value, const hlo_str *frame,
                            hlo_attr second) {
    hlo_attr attrs[] = {{.id = HLO_ATTR_FRAME_NAME, .u.string = frame}, second};
    return hlo_flow_enlist(l, hlo_emit(l->r, HLO_OP_ENTER, value->shape, &value, 1, attrs, 2));
}

hlo_instr *hlo_flow_constant_enter(hlo_lowering *l, hlo_instr *value, const hlo_str *frame) {
    return add_enter(l, value, frame, hlo_attr_of_int(HLO_ATTR_IS_CONSTANT, true));
}

hlo_instr *hlo_flow_variable_enter(hlo_lowering *l, hlo_instr *value, const hlo_str *frame) {
    return add_enter(l, value, frame,
                     hlo_attr_of_int(HLO_ATTR_PARALLEL_ITERATIONS, l->parallel_iterations));
}

hlo_instr *hlo_flow_tuple(hlo_lowering *l, hlo_instr *const *operands, uint32_t n) {
    return hlo_flow_enlist(l, hlo_emit_tuple(l->r, operands, n));
}

hlo_instr *hlo_flow_number(hlo_lowering *l, const hlo_shape *shape, int64_t number) {
    return hlo_flow_enlist(l, hlo_emit_filled(l->r, shape, number));
}

hlo_instr *hlo_flow_token(hlo_lowering *l) {
    const hlo_shape *token = hlo_shape_token(&l->r->module->shapes);
    return hlo_flow_enlist(l, hlo_emit(l->r, HLO_OP_AFTER_ALL, token, NULL, 0, NULL, 0));
}

/* The first copy takes over what only one instruction may call. */
static void own_body(hlo_lowering *l, hlo_instr *copy) {
    hlo_computation *body = copy->opcode == HLO_OP_FUSION ? hlo_called(copy, 0) : NULL;
    if (body && body->mark == l->seen) hlo_instr_own_body(copy, "clone");
    else if (body) body->mark = l->seen;
}

hlo_instr *hlo_flow_copy(hlo_lowering *l, hlo_instr *instr, hlo_instr *const *operands,
                         uint32_t n) {
    hlo_instr *copy = hlo_instr_clone(instr, l->to, operands, n);
    hlo_instr_move_before(copy, l->r->target);
    if (instr->mark != l->seen) hlo_instr_take_name(copy, instr->name);
    instr->mark = l->seen;
    own_body(l, copy);
    return hlo_flow_enlist(l, copy);
}
