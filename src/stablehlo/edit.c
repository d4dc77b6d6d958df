/* Changes to the tree of operations that the passes over StableHLO share, and queries about
 * operations, attributes and types. */
#include "stablehlo/edit.h"

/* ---- walks ---- */

void hlo_mlir_walk(hlo_mlir_region *region, hlo_mlir_visit *visit, void *context) {
    for (hlo_mlir_block *block = region->first; block; block = block->next) {
        for (hlo_mlir_op *op = block->first, *next; op; op = next) {
            next = op->next;
            for (uint32_t i = 0; i < op->region_count; i++)
                hlo_mlir_walk(&op->regions[i], visit, context);
            visit(op, context);
        }
    }
}

void hlo_mlir_walk_functions(hlo_mlir_module *module, hlo_mlir_visit *visit, void *context) {
    hlo_mlir_region *top = &module->root->regions[0];
    for (hlo_mlir_op *op = top->first ? top->first->first : NULL; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC && op->region_count)
            hlo_mlir_walk(&op->regions[0], visit, context);
}

bool hlo_mlir_is_within(const hlo_mlir_op *op, const hlo_mlir_region *region) {
    while (op && op->block) {
        if (op->block->region == region) return true;
        op = op->block->region->op;
    }
    return false;
}

/* ---- operations ---- */

#define HLO_MLIR_OP(id, name, ...) {name, sizeof(name) - 1, 0},
static const hlo_str names[HLO_MLIR_OP_COUNT] = {
#include "mlir/ops.def"
};
#undef HLO_MLIR_OP

hlo_str hlo_mlir_name_of(hlo_mlir_op_id id) {
    HLO_ASSERT(id < HLO_MLIR_OP_COUNT);
    return names[id];
}

bool hlo_mlir_is_terminator(const hlo_mlir_op *op) {
    return op->id == HLO_MLIR_OP_FUNC_RETURN || op->id == HLO_MLIR_OP_STABLEHLO_RETURN ||
           op->id == HLO_MLIR_OP_SDY_RETURN;
}

bool hlo_mlir_is_constant(const hlo_mlir_op *op) {
    return op->id == HLO_MLIR_OP_STABLEHLO_CONSTANT || op->id == HLO_MLIR_OP_ARITH_CONSTANT ||
           op->id == HLO_MLIR_OP_CHLO_CONSTANT || op->id == HLO_MLIR_OP_SDY_CONSTANT;
}

const hlo_mlir_attr *hlo_mlir_constant_of(const hlo_mlir_value *value) {
    if (!value->op || !hlo_mlir_is_constant(value->op)) return NULL;
    return hlo_mlir_attr_of(value->op, "value");
}

hlo_mlir_effects hlo_mlir_effects_of(const hlo_mlir_op *op) {
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_IF:
    case HLO_MLIR_OP_STABLEHLO_CASE:
    case HLO_MLIR_OP_STABLEHLO_WHILE:
    case HLO_MLIR_OP_STABLEHLO_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_MAP:
    case HLO_MLIR_OP_STABLEHLO_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_SELECT_AND_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_SORT:
    case HLO_MLIR_OP_STABLEHLO_REDUCE_WINDOW:
    case HLO_MLIR_OP_SDY_MANUAL_COMPUTATION: return HLO_MLIR_NESTED_EFFECTS;
    case HLO_MLIR_OP_STABLEHLO_INFEED:
    case HLO_MLIR_OP_STABLEHLO_OUTFEED:
    case HLO_MLIR_OP_STABLEHLO_SEND:
    case HLO_MLIR_OP_STABLEHLO_RECV: return HLO_MLIR_SOME_EFFECTS;
    case HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL:
        return hlo_mlir_number_of(op, "has_side_effect", 0) ? HLO_MLIR_SOME_EFFECTS
                                                            : HLO_MLIR_NO_EFFECTS;
    case HLO_MLIR_OP_STABLEHLO_ALL_GATHER:
    case HLO_MLIR_OP_STABLEHLO_ALL_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_REDUCE_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_ALL_TO_ALL:
    case HLO_MLIR_OP_STABLEHLO_COLLECTIVE_BROADCAST:
    case HLO_MLIR_OP_STABLEHLO_COLLECTIVE_PERMUTE:
    case HLO_MLIR_OP_STABLEHLO_COLLECTIVE_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_CROSS_REPLICA_SUM:
    case HLO_MLIR_OP_STABLEHLO_ASYNC_START:
    case HLO_MLIR_OP_STABLEHLO_ASYNC_DONE:
    case HLO_MLIR_OP_STABLEHLO_COMPOSITE:
    case HLO_MLIR_OP_STABLEHLO_RNG: return HLO_MLIR_UNKNOWN_EFFECTS;
    case HLO_MLIR_OP_ARITH_CONSTANT:
    case HLO_MLIR_OP_TENSOR_CAST: return HLO_MLIR_NO_EFFECTS;
    case HLO_MLIR_OP_COUNT: return HLO_MLIR_UNKNOWN_EFFECTS;
    default: break;
    }
    return hlo_mlir_is_of_dialect(op, "stablehlo") || hlo_mlir_is_of_dialect(op, "chlo")
               ? HLO_MLIR_NO_EFFECTS
               : HLO_MLIR_UNKNOWN_EFFECTS;
}

hlo_mlir_op *hlo_mlir_clone(hlo_mlir_module *module, const hlo_mlir_op *op, hlo_mlir_block *block,
                            hlo_mlir_op *before) {
    HLO_ASSERT(!op->region_count);
    hlo_mlir_op *copy = hlo_mlir_op_new(module, block, before, op->name, op->operand_count,
                                        op->result_count, op->attr_count, 0);
    copy->at = op->at;
    copy->location = op->location;
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(copy, i, op->operands[i].value);
    for (uint32_t i = 0; i < op->attr_count; i++) copy->attrs[i] = op->attrs[i];
    for (uint32_t i = 0; i < op->result_count; i++) {
        copy->results[i].type = op->results[i].type;
        copy->results[i].at = op->results[i].at;
        copy->results[i].name = op->results[i].name;
    }
    return copy;
}

static void copy_value(const hlo_mlir_value *from, hlo_mlir_value *to) {
    to->type = from->type;
    to->at = from->at;
    to->name = from->name;
    to->location = from->location;
}

static void copy_blocks(hlo_mlir_module *module, hlo_mlir_region *from, hlo_mlir_region *to) {
    for (hlo_mlir_block *block = from->first; block; block = block->next) {
        hlo_mlir_block *copy = hlo_mlir_block_new(module, to, block->argument_count);
        for (uint32_t i = 0; i < block->argument_count; i++) {
            copy_value(&block->arguments[i], &copy->arguments[i]);
            block->arguments[i].made = &copy->arguments[i];
        }
        for (hlo_mlir_op *op = block->first; op; op = op->next)
            hlo_mlir_copy(module, op, copy, NULL);
    }
}

hlo_mlir_op *hlo_mlir_copy(hlo_mlir_module *module, hlo_mlir_op *op, hlo_mlir_block *block,
                           hlo_mlir_op *before) {
    hlo_mlir_op *copy = hlo_mlir_op_new(module, block, before, op->name, op->operand_count,
                                        op->result_count, op->attr_count, op->region_count);
    copy->at = op->at;
    copy->location = op->location;
    for (uint32_t i = 0; i < op->attr_count; i++) copy->attrs[i] = op->attrs[i];
    for (uint32_t i = 0; i < op->region_count; i++)
        copy_blocks(module, &op->regions[i], &copy->regions[i]);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_value *value = op->operands[i].value;
        hlo_mlir_set_operand(copy, i, value->made ? value->made : value);
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        copy_value(&op->results[i], &copy->results[i]);
        op->results[i].made = &copy->results[i];
    }
    return copy;
}

static void forget_copy(hlo_mlir_op *op, void *context) {
    (void)context;
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].made = NULL;
    for (uint32_t i = 0; i < op->region_count; i++)
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            for (uint32_t k = 0; k < block->argument_count; k++) block->arguments[k].made = NULL;
}

void hlo_mlir_forget_copies(hlo_mlir_region *region) {
    for (hlo_mlir_block *block = region->first; block; block = block->next)
        for (uint32_t k = 0; k < block->argument_count; k++) block->arguments[k].made = NULL;
    hlo_mlir_walk(region, forget_copy, NULL);
}

void hlo_mlir_copy_region(hlo_mlir_module *module, hlo_mlir_region *from, hlo_mlir_region *to) {
    copy_blocks(module, from, to);
    hlo_mlir_forget_copies(from);
}

hlo_mlir_op *hlo_mlir_function_named(const hlo_mlir_module *module, hlo_str name) {
    const hlo_mlir_block *top = module->root->regions[0].first;
    for (hlo_mlir_op *op = top ? top->first : NULL; op; op = op->next) {
        const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "sym_name");
        if (op->id == HLO_MLIR_OP_FUNC_FUNC && own && own->kind == HLO_MLIR_STRING &&
            hlo_str_equal(own->u.text, name))
            return op->region_count && op->regions[0].first ? op : NULL;
    }
    return NULL;
}

/* Moves an operand in memory; its position in the list of uses stays. */
static void move_use(hlo_mlir_use *to, const hlo_mlir_use *from) {
    *to = *from;
    if (!to->value) return;
    *to->back = to;
    if (to->next) to->next->back = &to->next;
}

void hlo_mlir_set_operands(hlo_mlir_module *module, hlo_mlir_op *op, uint32_t n,
                           hlo_mlir_value *const *values) {
    uint32_t old = op->operand_count;
    for (uint32_t i = n; i < old; i++) hlo_mlir_set_operand(op, i, NULL);
    if (n > old) {
        hlo_mlir_use *operands = HLO_NEW_ARRAY(&module->arena, hlo_mlir_use, n);
        for (uint32_t i = 0; i < old; i++) move_use(&operands[i], &op->operands[i]);
        op->operands = operands;
    }
    op->operand_count = n;
    for (uint32_t i = 0; i < n; i++) hlo_mlir_set_operand(op, i, values[i]);
}

void hlo_mlir_drop_operands(hlo_mlir_op *op, const bool *marked) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (marked[i]) hlo_mlir_set_operand(op, i, NULL);
        else if (n++ != i) move_use(&op->operands[n - 1], &op->operands[i]);
    }
    op->operand_count = n;
}

void hlo_mlir_drop_arguments(hlo_mlir_block *block, const bool *marked) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < block->argument_count; i++) {
        hlo_mlir_value *from = &block->arguments[i];
        HLO_ASSERT(!marked[i] || !from->first_use);
        if (marked[i]) continue;
        hlo_mlir_value *to = &block->arguments[n];
        if (n != i) {
            *to = *from;
            to->index = n;
            for (hlo_mlir_use *use = to->first_use; use; use = use->next) use->value = to;
            if (to->first_use) to->first_use->back = &to->first_use;
        }
        n++;
    }
    block->argument_count = n;
}

void hlo_mlir_take_body(hlo_mlir_region *to, hlo_mlir_region *from) {
    HLO_ASSERT(!to->first);
    to->first = from->first;
    to->last = from->last;
    from->first = from->last = NULL;
    for (hlo_mlir_block *block = to->first; block; block = block->next) block->region = to;
}

hlo_str hlo_mlir_symbol_name(const hlo_mlir_op *op) {
    const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
    bool has_name = name && (name->kind == HLO_MLIR_STRING || name->kind == HLO_MLIR_SYMBOL);
    return has_name ? hlo_mlir_text_of(name) : (hlo_str){0};
}

hlo_mlir_op *hlo_mlir_symbol(const hlo_mlir_block *top, hlo_str name) {
    for (hlo_mlir_op *op = top->first; op; op = op->next)
        if (name.len && hlo_str_equal(hlo_mlir_symbol_name(op), name)) return op;
    return NULL;
}

/* ---- attributes ---- */

void hlo_mlir_drop_attr(hlo_mlir_op *op, const char *name) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (!hlo_str_is(op->attrs[i].key, name)) op->attrs[n++] = op->attrs[i];
    op->attr_count = n;
}

static const hlo_mlir_type *number_type(hlo_mlir_module *module) {
    return hlo_mlir_type_of(module, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = HLO_S64});
}

const hlo_mlir_attr *hlo_mlir_ints_new(hlo_mlir_module *module, uint32_t n, const int64_t *v) {
    hlo_mlir_attr *attr = HLO_NEW(&module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_INTS;
    attr->type = number_type(module);
    attr->u.ints.n = n;
    attr->u.ints.v = n ? hlo_arena_copy(&module->arena, v, n * sizeof *v) : NULL;
    return attr;
}

const hlo_mlir_attr *hlo_mlir_int_new(hlo_mlir_module *module, int64_t i) {
    hlo_mlir_attr *attr = HLO_NEW(&module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_INT;
    attr->type = number_type(module);
    attr->u.i = i;
    return attr;
}

hlo_str hlo_mlir_word_of(const hlo_mlir_attr *attr) {
    if (attr && attr->kind == HLO_MLIR_STRUCT && attr->list.n) attr = attr->list.v[0].value;
    if (attr && (attr->kind == HLO_MLIR_WORD || attr->kind == HLO_MLIR_STRING))
        return hlo_mlir_text_of(attr);
    return (hlo_str){0};
}

bool hlo_mlir_numbers_of(hlo_mlir_module *module, const hlo_mlir_op *op, const char *name,
                         hlo_mlir_numbers *out) {
    return hlo_mlir_ints(module, hlo_mlir_attr_of(op, name), &out->n, &out->v);
}

int64_t hlo_mlir_number_of(const hlo_mlir_op *op, const char *name, int64_t otherwise) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(op, name);
    if (!attr || (attr->kind != HLO_MLIR_INT && attr->kind != HLO_MLIR_BOOL)) return otherwise;
    return hlo_mlir_int_of(attr);
}

/* ---- types ---- */

bool hlo_mlir_is_static(const hlo_mlir_type *type) {
    if (type->kind != HLO_MLIR_TENSOR) return false;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] == HLO_UNBOUNDED) return false;
    return true;
}

int64_t hlo_mlir_element_count(const hlo_mlir_type *type) {
    HLO_ASSERT(hlo_mlir_is_static(type));
    int64_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        if (!type->dims[i]) return 0;
    for (uint32_t i = 0; i < type->rank; i++)
        if (__builtin_mul_overflow(n, type->dims[i], &n)) return INT64_MAX;
    return n;
}

const hlo_mlir_type *hlo_mlir_tensor(hlo_mlir_module *module, const hlo_mlir_type *like,
                                     uint32_t rank, const int64_t *dims) {
    hlo_mlir_type type = {.kind = HLO_MLIR_TENSOR, .rank = rank, .dims = dims};
    type.element = like->element;
    type.other = like->other;
    return hlo_mlir_type_of(module, &type);
}

const hlo_mlir_type *hlo_mlir_permuted(hlo_mlir_module *module, const hlo_mlir_type *type,
                                       const int64_t *order) {
    int64_t *dims = HLO_NEW_ARRAY(&module->arena, int64_t, type->rank);
    int64_t *bounds = HLO_NEW_ARRAY(&module->arena, int64_t, type->rank);
    for (uint32_t i = 0; i < type->rank; i++) {
        HLO_ASSERT(order[i] >= 0 && order[i] < type->rank);
        dims[i] = type->dims[order[i]];
        bounds[i] = type->bounds ? type->bounds[order[i]] : HLO_UNBOUNDED;
    }
    hlo_mlir_type permuted = {.kind = HLO_MLIR_TENSOR, .rank = type->rank, .dims = dims};
    permuted.element = type->element;
    permuted.other = type->other;
    permuted.bounds = type->bounds ? bounds : NULL;
    return hlo_mlir_type_of(module, &permuted);
}

const hlo_mlir_type *hlo_mlir_tensor_of(hlo_mlir_module *module, hlo_type element, uint32_t rank,
                                        const int64_t *dims) {
    return hlo_mlir_tensor(module, &(hlo_mlir_type){.element = element}, rank, dims);
}
