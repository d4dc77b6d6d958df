/* Operations of CHLO that HLO lacks: constants, operations that broadcast, and those that have a
 * formula. */
#include "stablehlo/emit.h"
#include "stablehlo/steps.h"

/* ---- constants ---- */

static bool expand_constant(hlo_mlir_module *module, hlo_mlir_op *op, hlo_replaced_ops *replaced,
                            hlo_diags *diags) {
    hlo_mlir_emitter e = hlo_mlir_emitter_of(module, op);
    const hlo_mlir_attr *value = hlo_mlir_attr_of(op, "value");
    if (!value || op->result_count != 1)
        return hlo_expand_error(module, diags, op, "without a value");
    hlo_expand_replace(replaced, op, hlo_mlir_emit_constant(&e, op->results[0].type, value));
    return true;
}

static bool number_of(const hlo_mlir_attr *attr, hlo_mlir_emit_number *out) {
    if (!attr) return false;
    if (attr->kind == HLO_MLIR_INT || attr->kind == HLO_MLIR_BOOL)
        *out = (hlo_mlir_emit_number){true, 0, (uint64_t)attr->u.i};
    else if (attr->kind == HLO_MLIR_FLOAT) *out = (hlo_mlir_emit_number){.value = attr->u.f};
    else return false;
    return true;
}

/* Of sizes with bounds in two steps: the number becomes a scalar first. */
static bool expand_constant_like(hlo_mlir_module *module, hlo_mlir_op *op,
                                 hlo_replaced_ops *replaced, hlo_diags *diags) {
    hlo_mlir_emitter e = hlo_mlir_emitter_of(module, op);
    hlo_mlir_emit_number number;
    bool is_plain = op->operand_count == 1 && op->result_count == 1 &&
                    op->results[0].type->kind == HLO_MLIR_TENSOR && !op->results[0].type->other;
    const hlo_mlir_attr *value = hlo_mlir_attr_of(op, "value");
    bool is_scalar = value && value->kind == HLO_MLIR_DENSE;
    if (!is_plain || (!is_scalar && !number_of(value, &number)))
        return hlo_expand_error(module, diags, op, "of this value");
    hlo_mlir_value *like = hlo_expand_operand(op, 0);
    hlo_mlir_value *made = is_scalar
                               ? hlo_mlir_emit_scalar_like(&e, value, like)
                               : hlo_mlir_emit_full(&e, op->results[0].type->element, number, like);
    if (e.fault) return hlo_expand_error(module, diags, op, e.fault);
    hlo_expand_replace(replaced, op, made);
    return true;
}

/* ---- broadcasting ---- */

/* chlo.broadcast_add is stablehlo.add of operands that are broadcast; a few are of CHLO. */
static hlo_mlir_op_id after_broadcast(hlo_str name) {
    static const char prefix[] = "chlo.broadcast_", stablehlo[] = "stablehlo.", chlo[] = "chlo.";
    char text[64];
    hlo_mlir_op_id id = HLO_MLIR_OP_COUNT;
    size_t skipped = sizeof prefix - 1, n = name.len - skipped;
    for (int i = 0; i < 2 && id == HLO_MLIR_OP_COUNT; i++) {
        size_t before = i ? sizeof chlo - 1 : sizeof stablehlo - 1;
        HLO_ASSERT(name.len > skipped && before + n <= sizeof text);
        memcpy(text, i ? chlo : stablehlo, before);
        memcpy(text + before, name.ptr + skipped, n);
        id = hlo_mlir_op_from_name((hlo_str){text, (uint32_t)(before + n), 0});
    }
    return id;
}

/* The dimensions of the operand of lower rank are the last ones of the other. */
static bool is_like_numpy(hlo_mlir_module *module, const hlo_mlir_op *op) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(op, "broadcast_dimensions");
    uint32_t a = hlo_mlir_operand(op, 0)->type->rank, b = hlo_mlir_operand(op, 1)->type->rank;
    uint32_t n, low = a < b ? a : b, high = a < b ? b : a;
    const int64_t *dims;
    if (!attr || a == b) return true;
    if (!hlo_mlir_ints(module, attr, &n, &dims) || n != low) return false;
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] != high - low + i) return false;
    return true;
}

static void copy_comparison(hlo_mlir_emitter *e, const hlo_mlir_op *from, hlo_mlir_op *to) {
    static const char *const attrs[][2] = {
        {"comparison_direction", "stablehlo.comparison_direction"},
        {"compare_type", "stablehlo.comparison_type"}};
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
        const hlo_mlir_attr *attr = hlo_mlir_attr_of(from, attrs[i][0]);
        if (attr)
            hlo_mlir_set_attr(e->module, to, attrs[i][0],
                              hlo_mlir_emit_word_of(e, attrs[i][1], attr));
    }
}

static bool expand_broadcast(hlo_mlir_module *module, hlo_mlir_op *op, hlo_replaced_ops *replaced,
                             hlo_diags *diags) {
    hlo_mlir_emitter e = hlo_mlir_emitter_of(module, op);
    hlo_mlir_value *operands[2];
    hlo_mlir_op_id id = after_broadcast(op->name);
    if (id == HLO_MLIR_OP_COUNT || op->operand_count != 2 || op->result_count != 1)
        return hlo_expand_error(module, diags, op, "with these operands and results");
    for (uint32_t i = 0; i < 2; i++) {
        operands[i] = hlo_expand_operand(op, i);
        if (operands[i]->type->kind != HLO_MLIR_TENSOR || operands[i]->type->other)
            return hlo_expand_error(module, diags, op, "of this type");
    }
    if (!is_like_numpy(module, op))
        return hlo_expand_error(module, diags, op, "with these broadcast_dimensions");
    if (!hlo_mlir_emit_broadcast(&e, operands, 2, true))
        return hlo_expand_error(module, diags, op, e.fault);
    hlo_mlir_op *made = hlo_mlir_emit_op(&e, id, op->results[0].type, 2, operands);
    if (id == HLO_MLIR_OP_STABLEHLO_COMPARE) copy_comparison(&e, op, made);
    hlo_expand_replace(replaced, op, made->results);
    return true;
}

/* A scalar predicate is left as it is. */
static bool expand_broadcast_select(hlo_mlir_module *module, hlo_mlir_op *op,
                                    hlo_replaced_ops *replaced, hlo_diags *diags) {
    hlo_mlir_emitter e = hlo_mlir_emitter_of(module, op);
    hlo_mlir_value *operands[3];
    if (op->operand_count != 3 || op->result_count != 1)
        return hlo_expand_error(module, diags, op, "with these operands and results");
    for (uint32_t i = 0; i < 3; i++) {
        operands[i] = hlo_expand_operand(op, i);
        if (operands[i]->type->kind != HLO_MLIR_TENSOR || operands[i]->type->other)
            return hlo_expand_error(module, diags, op, "of this type");
    }
    bool is_scalar = operands[0]->type->rank == 0;
    if (!hlo_mlir_emit_broadcast(&e, operands + is_scalar, 3 - is_scalar, false))
        return hlo_expand_error(module, diags, op, e.fault);
    hlo_expand_replace(
        replaced, op,
        hlo_mlir_emit_op(&e, HLO_MLIR_OP_STABLEHLO_SELECT, op->results[0].type, 3, operands)
            ->results);
    return true;
}

/* ---- all ---- */

static bool expand(hlo_mlir_module *module, hlo_mlir_op *op, hlo_replaced_ops *replaced,
                   hlo_diags *diags) {
    if (hlo_expand_is_kept(op)) return true;
    switch (op->id) {
    case HLO_MLIR_OP_CHLO_CONSTANT: return expand_constant(module, op, replaced, diags);
    case HLO_MLIR_OP_CHLO_CONSTANT_LIKE: return expand_constant_like(module, op, replaced, diags);
    case HLO_MLIR_OP_CHLO_BROADCAST_SELECT:
        return expand_broadcast_select(module, op, replaced, diags);
    default: break;
    }
    static const char prefix[] = "chlo.broadcast_";
    if (op->name.len > sizeof prefix && memcmp(op->name.ptr, prefix, sizeof prefix - 1) == 0)
        return expand_broadcast(module, op, replaced, diags);
    return hlo_expand_by_formula(module, op, true, replaced, diags);
}

/* MLIR's conversion treats operations of other dialects as neither legal nor illegal, and so those
 * of CHLO that became operations of HLO, and the end of a scan's body. */
static bool is_open(const hlo_mlir_op *op) {
    static const char *const legal[] = {"stablehlo.", "chlo.", "func.", "arith.", "tensor."};
    const hlo_mlir_op *parent = op->block->region->op;
    if (hlo_expand_is_kept(op)) return true;
    if (op->id == HLO_MLIR_OP_STABLEHLO_RETURN && parent->id == HLO_MLIR_OP_CHLO_SCAN) return true;
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        if (hlo_expand_is_of(op, legal[i])) return false;
    return true;
}

/* Operations that an expansion adds are visited too: they precede the replaced one, which is
 * removed at the end. */
bool hlo_expand_chlo(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags) {
    hlo_replaced_ops replaced = {0};
    bool ok = true;
    for (hlo_mlir_op *op = hlo_expand_next(function, function); op && ok;) {
        hlo_mlir_op *prev = op->prev, *first = op;
        if (is_open(op)) hlo_expand_touch(op);
        if (hlo_expand_is_of(op, "chlo.") && !hlo_expand_is_replaced(op)) {
            ok = expand(module, op, &replaced, diags);
            first = prev ? prev->next : op->block->first;
        }
        op = first == op ? hlo_expand_next(op, function) : first;
    }
    hlo_expand_finish(&replaced);
    return ok;
}
