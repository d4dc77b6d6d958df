/* The operations of a function in order, their replacement, and the removal of dead ones. */
#include "stablehlo/steps.h"

/* ---- order ---- */

static hlo_mlir_op *first_from(const hlo_mlir_block *block) {
    while (block && !block->first) block = block->next;
    return block ? block->first : NULL;
}

static hlo_mlir_op *first_in_regions(const hlo_mlir_op *op, uint32_t from) {
    for (uint32_t i = from; i < op->region_count; i++) {
        hlo_mlir_op *first = first_from(op->regions[i].first);
        if (first) return first;
    }
    return NULL;
}

hlo_mlir_op *hlo_expand_after(const hlo_mlir_op *op, const hlo_mlir_op *function) {
    while (op != function) {
        if (op->next) return op->next;
        const hlo_mlir_region *region = op->block->region;
        hlo_mlir_op *next = first_from(op->block->next);
        if (!next)
            next = first_in_regions(region->op, (uint32_t)(region - region->op->regions) + 1);
        if (next) return next;
        op = region->op;
    }
    return NULL;
}

hlo_mlir_op *hlo_expand_next(const hlo_mlir_op *op, const hlo_mlir_op *function) {
    hlo_mlir_op *inside = first_in_regions(op, 0);
    return inside ? inside : hlo_expand_after(op, function);
}

/* ---- removal ---- */

static void drop_operands(hlo_mlir_op *op) {
    for (hlo_mlir_op *inner = hlo_expand_next(op, op); inner; inner = hlo_expand_next(inner, op))
        for (uint32_t i = 0; i < inner->operand_count; i++) hlo_mlir_set_operand(inner, i, NULL);
}

void hlo_expand_erase(hlo_mlir_op *op) {
    drop_operands(op);
    hlo_mlir_remove(op);
}

void hlo_expand_take_regions(hlo_mlir_op *from, hlo_mlir_op *to) {
    HLO_ASSERT(from->region_count == to->region_count);
    for (uint32_t i = 0; i < from->region_count; i++) {
        to->regions[i] = from->regions[i];
        to->regions[i].op = to;
        for (hlo_mlir_block *b = to->regions[i].first; b; b = b->next) b->region = &to->regions[i];
        from->regions[i].first = from->regions[i].last = NULL;
    }
}

/* ---- replacements ---- */

void hlo_expand_replace(hlo_replaced_ops *replaced, hlo_mlir_op *op, hlo_mlir_value *values) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        HLO_ASSERT(!op->results[i].made && &values[i] != &op->results[i]);
        if (replaced) op->results[i].made = &values[i];
        else hlo_mlir_replace_uses(&op->results[i], &values[i]);
    }
    if (replaced) hlo_list_push(replaced, op);
    else hlo_expand_erase(op);
}

void hlo_expand_touch(hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(op, i, hlo_mlir_operand(op, i));
}

void hlo_expand_finish(hlo_replaced_ops *replaced) {
    for (uint32_t i = 0; i < replaced->n; i++) {
        hlo_mlir_op *op = replaced->v[i];
        for (uint32_t k = 0; k < op->result_count; k++)
            hlo_mlir_replace_uses(&op->results[k], hlo_expand_value(&op->results[k]));
    }
    for (uint32_t i = 0; i < replaced->n; i++) {
        hlo_mlir_op *op = replaced->v[i];
        for (uint32_t k = 0; k < op->result_count; k++) op->results[k].made = NULL;
        hlo_expand_erase(op);
    }
    hlo_list_free(replaced);
}

/* ---- effects ---- */

/* Without that of operations inside. */
static bool has_effect(const hlo_mlir_op *op) {
    const hlo_mlir_attr *attr;
    switch (op->id) {
    case HLO_MLIR_OP_ARITH_CONSTANT:
    case HLO_MLIR_OP_TENSOR_CAST: return false;
    case HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL:
        attr = hlo_mlir_attr_of(op, "has_side_effect");
        return attr && attr->kind == HLO_MLIR_BOOL && hlo_mlir_int_of(attr);
    case HLO_MLIR_OP_STABLEHLO_ALL_GATHER:
    case HLO_MLIR_OP_STABLEHLO_ALL_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_ALL_TO_ALL:
    case HLO_MLIR_OP_STABLEHLO_ASYNC_DONE:
    case HLO_MLIR_OP_STABLEHLO_ASYNC_START:
    case HLO_MLIR_OP_STABLEHLO_COLLECTIVE_BROADCAST:
    case HLO_MLIR_OP_STABLEHLO_COLLECTIVE_PERMUTE:
    case HLO_MLIR_OP_STABLEHLO_COLLECTIVE_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_COMPOSITE:
    case HLO_MLIR_OP_STABLEHLO_INFEED:
    case HLO_MLIR_OP_STABLEHLO_OUTFEED:
    case HLO_MLIR_OP_STABLEHLO_RECV:
    case HLO_MLIR_OP_STABLEHLO_REDUCE_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_RNG:
    case HLO_MLIR_OP_STABLEHLO_SEND: return true;
    case HLO_MLIR_OP_COUNT: return true;
    case HLO_MLIR_OP_SDY_ALL_TO_ALL:
    case HLO_MLIR_OP_SDY_CONSTANT:
    case HLO_MLIR_OP_SDY_PROPAGATION_BARRIER:
    case HLO_MLIR_OP_SDY_RESHARD: return false;
    case HLO_MLIR_OP_SDY_NAMED_COMPUTATION:
    case HLO_MLIR_OP_SDY_MANUAL_COMPUTATION:
    case HLO_MLIR_OP_SDY_RETURN: return false; /* except by operations inside */
    default: return !hlo_expand_is_of(op, "stablehlo.") && !hlo_expand_is_of(op, "chlo.");
    }
}

bool hlo_expand_is_dead(const hlo_mlir_op *op) {
    if (op->id == HLO_MLIR_OP_STABLEHLO_RETURN || op->id == HLO_MLIR_OP_SDY_RETURN) return false;
    if (has_effect(op)) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->results[i].first_use) return false;
    for (hlo_mlir_op *inner = hlo_expand_next(op, op); inner; inner = hlo_expand_next(inner, op))
        if (has_effect(inner)) return false;
    return true;
}

/* From the end, so that definitions are visited after their dead users. */
static bool drop_in_region(hlo_mlir_region *region);

static bool drop_in_block(hlo_mlir_block *block) {
    bool has_dropped = false;
    for (hlo_mlir_op *op = block->last, *prev; op; op = prev) {
        prev = op->prev;
        if (hlo_expand_is_dead(op)) {
            hlo_expand_erase(op);
            has_dropped = true;
            continue;
        }
        for (uint32_t i = 0; i < op->region_count; i++)
            has_dropped |= drop_in_region(&op->regions[i]);
    }
    return has_dropped;
}

static bool drop_in_region(hlo_mlir_region *region) {
    bool has_dropped = false;
    for (hlo_mlir_block *block = region->first; block; block = block->next)
        has_dropped |= drop_in_block(block);
    return has_dropped;
}

bool hlo_expand_drop_dead(hlo_mlir_op *function) {
    bool has_dropped = false;
    for (uint32_t i = 0; i < function->region_count; i++)
        has_dropped |= drop_in_region(&function->regions[i]);
    return has_dropped;
}
