/* What the operation semantics leave unsaid: broadcasts of operands of elementwise operations, and
 * the dimensions that a dot contracts. Called by the table forms.def. */
#include "dialect/old_text.h"

static bool is_array(const hlo_old_text *t, hlo_span shape) {
    hlo_span type = hlo_old_element_type(t, shape);
    return hlo_type_from_text(t->text + type.lo, type.hi - type.lo) != HLO_TYPE_COUNT;
}

/* The shapes of an operation of two arrays whose result is one. */
static bool take_shapes(const hlo_old_text *t, const hlo_old_statement *s, hlo_span shapes[2]) {
    if (s->operand_count != 2 || !is_array(t, s->shape)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_span nowhere = {s->shape.lo, s->shape.lo};
        shapes[i] = hlo_old_operand_shape(t, s, i, nowhere);
        if (!is_array(t, shapes[i])) return false;
    }
    return true;
}

/* ---- broadcasts ---- */

static bool is_elementwise(const hlo_old_text *t, const hlo_old_statement *s) {
    hlo_str word = hlo_old_str(t, s->opcode);
    hlo_opcode op = hlo_op_from_text(word.ptr, word.len);
    return op != HLO_OP_COUNT && hlo_ops[op].flags & HLO_OP_IS_ELEMENTWISE;
}

/* The operand becomes one with the dimensions of the result, where it stands at `dims`. */
static void broadcast(hlo_old_text *t, const hlo_old_statement *s, uint32_t operand, hlo_span shape,
                      hlo_str dims) {
    hlo_span type = hlo_old_element_type(t, shape), sizes = hlo_old_element_type(t, s->shape);
    sizes = (hlo_span){sizes.hi, hlo_old_brackets_end(t, sizes.hi)};
    const char *name = hlo_old_new_name(t, "broadcast_of_operand");
    hlo_old_insert(t, s->root.lo, "%%%s = %.*s%.*s broadcast(%.*s), dimensions=%.*s\n  ", name,
                   HLO_OLD(t, type), HLO_OLD(t, sizes), HLO_OLD(t, s->operands[operand].all),
                   (int)dims.len, dims.ptr);
    hlo_old_edit(t, s->operands[operand].all, "%%%s", name);
}

/* Operands of one rank need no broadcast: then the attribute says nothing. */
void hlo_old_broadcast_dimensions(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *dims = hlo_old_attribute(t, s, "broadcast_dimensions");
        hlo_span shapes[2];
        if (!dims || !is_elementwise(t, s) || !take_shapes(t, s, shapes)) continue;
        uint32_t ranks[2] = {hlo_old_rank(t, shapes[0]), hlo_old_rank(t, shapes[1])};
        uint32_t lower = ranks[1] < ranks[0];
        hlo_old_found(t, dims->name);
        if (ranks[0] != ranks[1])
            broadcast(t, s, lower, shapes[lower], hlo_old_str(t, dims->value));
        hlo_old_remove_attr(t, dims);
    }
}

void hlo_old_scalar_operand(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_span shapes[2];
        if (!is_elementwise(t, s) || !take_shapes(t, s, shapes)) continue;
        uint32_t ranks[2] = {hlo_old_rank(t, shapes[0]), hlo_old_rank(t, shapes[1])};
        if (!ranks[0] == !ranks[1] || !hlo_old_rank(t, s->shape)) continue;
        uint32_t scalar = !ranks[1];
        hlo_old_found(t, s->operands[scalar].all);
        broadcast(t, s, scalar, shapes[scalar], HLO_STR("{}"));
    }
}

/* ---- dot ---- */

/* Vectors and matrices, and a result that lacks the two dimensions which are contracted: without
 * them, a dot of today is an outer product. */
void hlo_old_dot_dimensions(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_span shapes[2];
        if (!hlo_old_is(t, s->opcode, "dot") || !take_shapes(t, s, shapes)) continue;
        bool has_dims = hlo_old_attribute(t, s, "lhs_contracting_dims") ||
                        hlo_old_attribute(t, s, "rhs_contracting_dims") ||
                        hlo_old_attribute(t, s, "lhs_batch_dims");
        if (has_dims) continue;
        uint32_t left = hlo_old_rank(t, shapes[0]), right = hlo_old_rank(t, shapes[1]);
        bool small = left >= 1 && left <= 2 && right >= 1 && right <= 2;
        if (!small || hlo_old_rank(t, s->shape) + 2 != left + right) continue;
        hlo_old_found(t, s->opcode);
        hlo_old_add_attr(t, s, ", lhs_contracting_dims={%u}, rhs_contracting_dims={0}", left - 1);
    }
}
