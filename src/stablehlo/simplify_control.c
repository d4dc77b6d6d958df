/* Patterns of control flow, tuples, sorting and custom calls. */
#include "stablehlo/simplify.h"

static hlo_mlir_block *body_of(const hlo_mlir_op *op, uint32_t region) {
    return region < op->region_count ? op->regions[region].first : NULL;
}

/* The return of a block, or NULL. */
static hlo_mlir_op *return_of(const hlo_mlir_block *block) {
    return block && block->last && block->last->id == HLO_MLIR_OP_STABLEHLO_RETURN ? block->last
                                                                                   : NULL;
}

/* ---- case ---- */

bool hlo_simplify_inline_case(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense index;
    if (!hlo_dense_of(hlo_mlir_operand(op, 0), &index) || !index.is_splat ||
        !hlo_is_whole(index.element) || !op->region_count)
        return false;
    int64_t branch = hlo_dense_signed(&index, 0);
    if (branch < 0 || branch >= op->region_count) branch = op->region_count - 1;
    hlo_mlir_block *block = body_of(op, (uint32_t)branch);
    hlo_mlir_op *last = return_of(block);
    if (!last || last->operand_count != op->result_count) return false;
    hlo_mlir_value **values = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) values[i] = hlo_mlir_operand(last, i);
    while (block->first) {
        hlo_mlir_op *moved = block->first;
        hlo_mlir_move(moved, op->block, op);
        hlo_simplify_notify(s, moved);
    }
    hlo_simplify_replace(s, op, values);
    hlo_simplify_erase(s, last);
    return true;
}

/* ---- while ---- */

static bool is_never_entered(const hlo_mlir_op *op) {
    const hlo_mlir_op *last = return_of(body_of(op, 0));
    return last && last->operand_count == 1 &&
           hlo_dense_is_int_zero(hlo_mlir_constant_of(hlo_mlir_operand(last, 0)));
}

static bool declares_effects(const hlo_mlir_op *op) {
    hlo_mlir_effects effects = hlo_mlir_effects_of(op);
    if (effects == HLO_MLIR_NO_EFFECTS || effects == HLO_MLIR_SOME_EFFECTS)
        return effects == HLO_MLIR_SOME_EFFECTS;
    for (uint32_t i = 0; i < op->region_count; i++)
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            for (hlo_mlir_op *inner = block->first; inner; inner = inner->next)
                if (declares_effects(inner)) return true;
    return false;
}

bool hlo_simplify_drop_idle_loop(hlo_simplifier *s, hlo_mlir_op *op) {
    if (hlo_mlir_is_used(op) || !is_never_entered(op) || declares_effects(op)) return false;
    hlo_simplify_erase(s, op);
    return true;
}

bool hlo_simplify_skip_idle_loop(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!hlo_mlir_is_used(op) || !is_never_entered(op)) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        hlo_simplify_replace_uses(s, &op->results[i], hlo_mlir_operand(op, i));
    return true;
}

static void forward(hlo_mlir_value *from, hlo_mlir_value *to) {
    if (from != to) hlo_mlir_replace_uses(from, to);
}

/* XLA does not note here which operations it changes. */
bool hlo_simplify_capture_invariants(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_block *condition = body_of(op, 0), *body = body_of(op, 1);
    hlo_mlir_op *last = return_of(body);
    uint32_t n = op->operand_count, kept = 0, some = 0;
    if (!last || !condition || last->operand_count != n || condition->argument_count != n ||
        body->argument_count != n || op->result_count != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        hlo_mlir_value *next = hlo_mlir_operand(last, i);
        some += next == hlo_mlir_operand(op, i) || next == &body->arguments[i];
    }
    if (!some) return false;
    hlo_arena *arena = &s->module->arena;
    bool *marked = HLO_NEW_ARRAY(arena, bool, n);
    hlo_mlir_value **values = HLO_NEW_ARRAY(arena, hlo_mlir_value *, n);
    hlo_mlir_value **results = HLO_NEW_ARRAY(arena, hlo_mlir_value *, n);
    for (uint32_t i = 0; i < n; i++) {
        hlo_mlir_value *value = hlo_mlir_operand(op, i), *next = hlo_mlir_operand(last, i);
        marked[i] = next == value || next == &body->arguments[i];
        if (!marked[i]) {
            results[kept] = &op->results[i];
            values[kept++] = value;
            continue;
        }
        forward(&condition->arguments[i], value);
        forward(&body->arguments[i], value);
        forward(&op->results[i], value);
    }
    hlo_mlir_drop_arguments(condition, marked);
    hlo_mlir_drop_arguments(body, marked);
    hlo_mlir_drop_operands(last, marked);
    const hlo_mlir_type **types = HLO_NEW_ARRAY(arena, const hlo_mlir_type *, kept);
    for (uint32_t i = 0; i < kept; i++) types[i] = hlo_mlir_operand(last, i)->type;
    hlo_mlir_op *loop =
        hlo_simplify_new(s, op->id, op->location, kept, types, kept, values, op->region_count);
    loop->attr_count = op->attr_count;
    if (op->attr_count)
        loop->attrs = hlo_arena_copy(arena, op->attrs, op->attr_count * sizeof *op->attrs);
    for (uint32_t i = 0; i < op->region_count; i++)
        hlo_mlir_take_body(&loop->regions[i], &op->regions[i]);
    for (uint32_t i = 0; i < kept; i++) forward(results[i], &loop->results[i]);
    hlo_simplify_erase(s, op);
    return true;
}

/* ---- tuples ---- */

bool hlo_simplify_element_of_tuple(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *tuple = hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_TUPLE);
    int64_t index = hlo_mlir_number_of(op, "index", -1);
    return tuple && index >= 0 && index < tuple->operand_count &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(tuple, (uint32_t)index));
}

bool hlo_simplify_tuple_of_elements(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value *whole = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_op *element =
            hlo_mlir_defined_by(hlo_mlir_operand(op, i), HLO_MLIR_OP_STABLEHLO_GET_TUPLE_ELEMENT);
        if (!element || hlo_mlir_number_of(element, "index", -1) != i) return false;
        if (whole && hlo_mlir_operand(element, 0) != whole) return false;
        whole = hlo_mlir_operand(element, 0);
    }
    return whole && whole->type == hlo_simplify_type(op) && hlo_simplify_replace_by(s, op, whole);
}

/* ---- sort ---- */

/* The block of the comparator goes to a sort of these operands, whose results are made. */
static hlo_mlir_op *new_sort(hlo_simplifier *s, hlo_mlir_op *op, uint32_t n,
                             const hlo_mlir_type *const *types, hlo_mlir_value *const *values,
                             int64_t dimension) {
    hlo_mlir_op *sort = hlo_simplify_new(s, op->id, op->location, n, types, n, values, 1);
    const hlo_mlir_attr *is_stable = hlo_mlir_attr_of(op, "is_stable");
    if (!is_stable) {
        hlo_mlir_attr *attr = HLO_NEW(&s->module->arena, hlo_mlir_attr);
        attr->kind = HLO_MLIR_BOOL;
        is_stable = attr;
    }
    hlo_mlir_set_attr(s->module, sort, "dimension", hlo_mlir_int_new(s->module, dimension));
    hlo_mlir_set_attr(s->module, sort, "is_stable", is_stable);
    hlo_mlir_take_body(&sort->regions[0], &op->regions[0]);
    return sort;
}

bool hlo_simplify_sort_unused(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_block *block = body_of(op, 0);
    uint32_t n = op->operand_count, kept = 0;
    if (!block || block->argument_count != 2 * n || op->result_count != n) return false;
    hlo_arena *arena = &s->module->arena;
    bool *marked = HLO_NEW_ARRAY(arena, bool, 2 * n);
    hlo_mlir_value **values = HLO_NEW_ARRAY(arena, hlo_mlir_value *, n);
    const hlo_mlir_type **types = HLO_NEW_ARRAY(arena, const hlo_mlir_type *, n);
    for (uint32_t i = 0; i < n; i++) {
        bool drops = !op->results[i].first_use && !block->arguments[2 * i].first_use &&
                     !block->arguments[2 * i + 1].first_use;
        marked[2 * i] = marked[2 * i + 1] = drops;
        if (drops) continue;
        types[kept] = op->results[i].type;
        values[kept++] = hlo_mlir_operand(op, i);
    }
    if (kept == n) return false;
    hlo_mlir_op *sort =
        new_sort(s, op, kept, types, values, hlo_mlir_number_of(op, "dimension", -1));
    hlo_mlir_drop_arguments(sort->regions[0].first, marked);
    hlo_mlir_value **results = HLO_NEW_ARRAY(arena, hlo_mlir_value *, n);
    for (uint32_t i = 0, k = 0; i < n; i++) results[i] = marked[2 * i] ? NULL : &sort->results[k++];
    hlo_simplify_replace(s, op, results);
    return true;
}

bool hlo_simplify_sort_dimension(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!op->result_count || hlo_mlir_number_of(op, "dimension", -1) != -1) return false;
    uint32_t n = op->result_count;
    hlo_mlir_value **values = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, n);
    const hlo_mlir_type **types = HLO_NEW_ARRAY(&s->module->arena, const hlo_mlir_type *, n);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = hlo_mlir_operand(op, i);
        types[i] = op->results[i].type;
    }
    hlo_mlir_op *sort = new_sort(s, op, n, types, values, (int64_t)types[0]->rank - 1);
    for (uint32_t i = 0; i < n; i++) values[i] = &sort->results[i];
    hlo_simplify_replace(s, op, values);
    return true;
}

/* ---- custom_call ---- */

bool hlo_simplify_backend_config(hlo_simplifier *s, hlo_mlir_op *op) {
    enum { ORIGINAL = 1, TYPED_FFI = 4 };
    const hlo_mlir_attr *config = hlo_mlir_attr_of(op, "mhlo.backend_config");
    const hlo_mlir_attr *old = hlo_mlir_attr_of(op, "backend_config");
    if (!config || hlo_mlir_number_of(op, "api_version", ORIGINAL) != ORIGINAL) return false;
    if (old && (old->kind != HLO_MLIR_STRING || hlo_mlir_text_of(old).len)) return false;
    hlo_mlir_attr *version = HLO_NEW(&s->module->arena, hlo_mlir_attr);
    version->kind = HLO_MLIR_INT;
    version->type =
        hlo_mlir_type_of(s->module, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = HLO_S32});
    version->u.i = TYPED_FFI;
    hlo_mlir_set_attr(s->module, op, "backend_config", config);
    hlo_mlir_set_attr(s->module, op, "api_version", version);
    hlo_mlir_drop_attr(op, "mhlo.backend_config");
    return true;
}
