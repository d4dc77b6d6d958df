/* Arrays that count along one of their dimensions, as indices of batched gathers and scatters do.
 */
#include "passes/spmd/sharding_rules_ops.h"

/* Dimensions along which a constant counts from 0; -1: none. */
static int64_t counting_dimension(const hlo_literal *literal) {
    const hlo_shape *shape = literal->shape;
    int64_t elements = hlo_shape_elements(shape), inner = elements;
    const int32_t *v = hlo_literal_data(literal);
    if (!v || elements <= 0) return -1;
    for (uint32_t d = 0; d < shape->rank; d++) {
        inner /= shape->dims[d];
        int64_t k = 0;
        while (k < elements && v[k] == k / inner % shape->dims[d]) k++;
        if (k == elements && shape->dims[d] > 1) return d;
    }
    return -1;
}

/* What an element of a tuple, which a computation takes as its parameter, is where it is called;
 * NULL when that changes or is not known. */
static const hlo_instr *passed_element(const hlo_instr *element, const hlo_call_graph *graph) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_computation *c = element->parent;
    uint32_t index = (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX);
    if (hlo_operand(element, 0)->opcode != HLO_OP_PARAMETER || c == c->module->entry ||
        c->id >= graph->ids || graph->call_count[c->id] != 1)
        return NULL;
    const hlo_instr *caller = graph->caller[c->id], *tuple = NULL;
    if (caller->opcode == HLO_OP_WHILE && c->root->opcode == HLO_OP_TUPLE &&
        hlo_operand(c->root, index) == element)
        tuple = hlo_operand(caller, 0);
    for (uint32_t i = 0; caller->opcode == HLO_OP_CONDITIONAL && i + 1 < caller->operand_count; i++)
        if (hlo_called(caller, i) == c) tuple = hlo_operand(caller, i + 1);
    return tuple && tuple->opcode == HLO_OP_TUPLE ? hlo_operand(tuple, index) : NULL;
}

/* Dimension i of the broadcast's operand is dimension out[i] of the array that `of` maps to (NULL:
 * of the broadcast itself). */
static const hlo_ints *map_broadcast(hlo_arena *arena, const hlo_instr *broadcast,
                                     const hlo_ints *of) {
    HLO_ASSERT(broadcast->opcode == HLO_OP_BROADCAST);
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    if (!of) return dims;
    hlo_ints *out = hlo_ints_new(arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) out->v[i] = of->v[dims->v[i]];
    return out;
}

static int64_t own_iota_dimension(const hlo_instr *array) {
    if (array->opcode == HLO_OP_IOTA) return hlo_attr_int(array, HLO_ATTR_IOTA_DIMENSION);
    if (array->opcode != HLO_OP_CONSTANT || array->shape->type != HLO_S32) return -1;
    return counting_dimension(hlo_instr_attr(array, HLO_ATTR_VALUE)->u.literal);
}

int64_t hlo_counted_dimension(hlo_arena *arena, const hlo_instr *array,
                              const hlo_call_graph *graph) {
    const hlo_ints *outer = NULL;
    while (array && array->shape->type == HLO_S32) {
        if (array->opcode == HLO_OP_BROADCAST) {
            outer = map_broadcast(arena, array, outer);
            array = hlo_operand(array, 0);
        } else if (array->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
            array = passed_element(array, graph);
        } else {
            break;
        }
    }
    int64_t own = array ? own_iota_dimension(array) : -1;
    return own < 0 || !outer ? own : outer->v[own];
}
