/* Results in the memory of operands: see in_place.h. */
#include "passes/memory/in_place.h"

#include "analysis/liveness.h"

enum { MOST_NESTED = 16 };

static void add(hlo_in_place_list *list, uint32_t operand, uint32_t from, uint32_t to) {
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].to == to) return;
    hlo_list_push(list, (hlo_in_place){operand, from, to});
}

static void add_aliases(const hlo_instr *instr, hlo_in_place_list *list) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    const hlo_aliasing *alias = attr ? attr->u.aliasing : NULL;
    for (uint32_t i = 0; alias && i < alias->n; i++) {
        uint32_t k = (uint32_t)alias->v[i].parameter;
        add(list, k, hlo_leaf_at(hlo_operand(instr, k)->shape, alias->v[i].index),
            hlo_leaf_at(instr->shape, alias->v[i].output));
    }
}

/* A parameter that a root of a fusion updates and nothing else reads. */
static void add_fused(const hlo_instr *root, uint32_t to, hlo_in_place_list *list) {
    if (hlo_info(root)->result != HLO_RESULT_UPDATE || !hlo_shape_is_array(root->shape)) return;
    const hlo_instr *target = hlo_operand(root, 0);
    if (target->opcode == HLO_OP_PARAMETER && target->first_use == target->last_use)
        add(list, (uint32_t)hlo_attr_int(target, HLO_ATTR_PARAMETER_NUMBER), 0, to);
}

static void add_fusion(const hlo_instr *fusion, hlo_in_place_list *list) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    const hlo_instr *root = hlo_called(fusion, 0)->root;
    if (root->opcode != HLO_OP_TUPLE) add_fused(root, 0, list);
    else
        for (uint32_t k = 0; k < root->operand_count; k++)
            add_fused(hlo_operand(root, k), hlo_shape_leaves_before(root->shape, k), list);
}

/* The operation that an asynchronous one begins: the root of what it calls, or of what that calls
 * with its own parameters; NULL when it is nested otherwise. */
static const hlo_instr *started_operation(const hlo_instr *start) {
    const hlo_instr *root = hlo_called(start, 0)->root;
    for (int depth = 0; root->opcode == HLO_OP_CALL && depth < MOST_NESTED; depth++) {
        for (uint32_t k = 0; k < root->operand_count; k++) {
            const hlo_instr *operand = hlo_operand(root, k);
            if (operand->opcode != HLO_OP_PARAMETER ||
                hlo_attr_int(operand, HLO_ATTR_PARAMETER_NUMBER) != k)
                return NULL;
        }
        root = hlo_called(root, 0)->root;
    }
    return root->opcode == HLO_OP_CALL ? NULL : root;
}

static bool has_result_beside(const hlo_instr *instr) {
    return hlo_shape_is_tuple(instr->shape) && instr->shape->rank >= 2;
}

/* What the operation makes in the memory of a parameter that nothing else reads is in element 1 of
 * the start or update which gives it that parameter: its operand
 * `first` is parameter `bound`. */
static void add_started(const hlo_instr *instr, const hlo_instr *start, uint32_t first,
                        uint32_t bound, hlo_in_place_list *list) {
    const hlo_instr *root = started_operation(start);
    if (!root || !has_result_beside(instr)) return;
    hlo_in_place_list own = {0};
    hlo_list_in_place(root, &own);
    uint32_t n = hlo_shape_leaf_count(instr->shape->elements[1]);
    for (size_t i = 0; i < own.n; i++) {
        const hlo_instr *target = hlo_operand(root, own.v[i].operand);
        if (target->opcode != HLO_OP_PARAMETER || target->first_use != target->last_use) continue;
        uint32_t number = (uint32_t)hlo_attr_int(target, HLO_ATTR_PARAMETER_NUMBER);
        if (number >= bound && number - bound + first < instr->operand_count && own.v[i].to < n)
            add(list, number - bound + first, own.v[i].from,
                hlo_shape_leaves_before(instr->shape, 1) + own.v[i].to);
    }
    hlo_list_free(&own);
}

/* Element 1 of what it goes on with, or ends, is its result. */
static void add_handed_on(const hlo_instr *from, const hlo_shape *to, uint32_t to_leaf,
                          hlo_in_place_list *list) {
    if (!has_result_beside(from)) return;
    uint32_t n = hlo_shape_leaf_count(to), leaf = hlo_shape_leaves_before(from->shape, 1);
    if (hlo_shape_leaf_count(from->shape->elements[1]) != n) return;
    for (uint32_t k = 0; k < n; k++) add(list, 0, leaf + k, to_leaf + k);
}

static const hlo_instr *start_of(const hlo_instr *update) {
    while (update->opcode == HLO_OP_ASYNC_UPDATE) update = hlo_operand(update, 0);
    return update;
}

static void add_asynchronous(const hlo_instr *instr, hlo_in_place_list *list) {
    const hlo_instr *before = instr->operand_count ? hlo_operand(instr, 0) : NULL;
    if (instr->opcode == HLO_OP_ASYNC_START) {
        add_started(instr, instr, 0, 0, list);
    } else if (instr->opcode == HLO_OP_ASYNC_DONE) {
        add_handed_on(before, instr->shape, 0, list);
    } else if (instr->opcode == HLO_OP_ASYNC_UPDATE && has_result_beside(instr)) {
        add_handed_on(before, instr->shape->elements[1], hlo_shape_leaves_before(instr->shape, 1),
                      list);
        const hlo_instr *start = start_of(instr);
        if (start->opcode == HLO_OP_ASYNC_START && hlo_shape_is_tuple(before->shape->elements[0]))
            add_started(instr, start, 1, before->shape->elements[0]->rank, list);
    } else if (instr->opcode == HLO_OP_RECV_DONE && hlo_shape_is_tuple(before->shape)) {
        add(list, 0, 0, 0);
    }
}

void hlo_list_in_place(const hlo_instr *instr, hlo_in_place_list *list) {
    uint32_t n = hlo_shape_leaf_count(instr->shape);
    add_aliases(instr, list);
    if (hlo_info(instr)->result == HLO_RESULT_UPDATE) /* operand k of a scatter to element k */
        for (uint32_t k = 0; k < n; k++) add(list, k, 0, k);
    if (instr->opcode == HLO_OP_FUSION) add_fusion(instr, list);
    add_asynchronous(instr, list);
    if (instr->opcode == HLO_OP_COLLECTIVE_PERMUTE && instr->operand_count == 4)
        for (uint32_t k = 0; k < n; k++) add(list, 1, k, k);
}
