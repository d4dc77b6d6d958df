/* Fewer operands for an async-start: see async_parameters.h. */
#include "passes/simplify/async_parameters.h"

#include "base/list.h"
#include "ir/shape.h"

typedef HLO_LIST(hlo_instr *) links;

/* The start and its updates, all of which have the shape ((operands), result, ...). */
static bool find_links(links *list, hlo_instr *start) {
    hlo_list_push(list, start);
    for (uint32_t n = 0; n < list->n; n++)
        for (const hlo_use *use = list->v[n]->first_use; use; use = use->next) {
            if (use->user->opcode == HLO_OP_ASYNC_DONE) continue;
            if (use->user->opcode != HLO_OP_ASYNC_UPDATE || use->user->operand_count != 1)
                return false;
            hlo_list_push(list, use->user);
        }
    return true;
}

static const hlo_shape *without(const hlo_instr *link, const bool *needed) {
    hlo_shapes_table *shapes = &link->parent->module->shapes;
    const hlo_shape *whole = link->shape, *operands = whole->elements[0];
    const hlo_shape **kept = hlo_calloc(operands->rank, sizeof *kept);
    const hlo_shape **elements = hlo_calloc(whole->rank, sizeof *elements);
    uint32_t n = 0;
    for (uint32_t i = 0; i < operands->rank; i++)
        if (needed[i]) kept[n++] = operands->elements[i];
    elements[0] = hlo_shape_tuple(shapes, kept, n);
    for (uint32_t i = 1; i < whole->rank; i++) elements[i] = whole->elements[i];
    const hlo_shape *shape = hlo_shape_tuple(shapes, elements, whole->rank);
    hlo_free(elements);
    hlo_free(kept);
    return shape;
}

/* What names operands by number, or follows the shape of the links. */
static bool has_numbered_operands(const hlo_instr *link) {
    return hlo_instr_attr(link, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING) ||
           hlo_instr_attr(link, HLO_ATTR_SHARDING) || hlo_instr_attr(link, HLO_ATTR_ORIGIN);
}

static bool can_lose_operands(const links *list, uint32_t operands) {
    for (uint32_t n = 0; n < list->n; n++) {
        const hlo_shape *shape = list->v[n]->shape;
        if (has_numbered_operands(list->v[n]) || !hlo_shape_is_tuple(shape) || !shape->rank ||
            !hlo_shape_is_tuple(shape->elements[0]) || shape->elements[0]->rank != operands)
            return false;
    }
    return true;
}

bool hlo_async_start_can_lose_operands(hlo_instr *start) {
    links list = {0};
    bool can = find_links(&list, start) && can_lose_operands(&list, start->operand_count);
    hlo_list_free(&list);
    return can;
}

void hlo_async_start_keep_operands(hlo_instr *start, const bool *needed) {
    links list = {0};
    find_links(&list, start);
    for (uint32_t n = 0; n < list.n; n++) list.v[n]->shape = without(list.v[n], needed);
    hlo_instr_keep_operands(start, needed);
    hlo_list_free(&list);
}
