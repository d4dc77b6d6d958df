/* Operations of CHLO that HLO has. */
#include "stablehlo/emit.h"
#include "stablehlo/steps.h"

/* ---- ragged_dot ---- */

static bool contains(hlo_mlir_module *module, const hlo_mlir_attr *list, const hlo_mlir_attr *of) {
    uint32_t n, m;
    const int64_t *v, *w;
    if (!hlo_mlir_ints(module, list, &n, &v) || !hlo_mlir_ints(module, of, &m, &w) || !m)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] == w[0]) return true;
    return false;
}

static const hlo_mlir_attr *stablehlo_precisions(hlo_mlir_emitter *e, const hlo_mlir_attr *attr) {
    hlo_arena *arena = &e->module->arena;
    hlo_mlir_attr *out = hlo_arena_copy(arena, attr, sizeof *attr);
    hlo_mlir_named *v = HLO_NEW_ARRAY(arena, hlo_mlir_named, attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        v[i] = attr->list.v[i];
        v[i].value = hlo_mlir_emit_word_of(e, "stablehlo.precision", v[i].value);
    }
    out->list.v = v;
    return out;
}

/* Where the ragged dimension is a batch dimension, groups make no difference. */
/* NULL: it is a ragged one. */
static hlo_mlir_op *batch_dot(hlo_mlir_module *module, hlo_mlir_op *op) {
    static const char *const keys[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                       "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
    const hlo_mlir_attr *numbers = hlo_mlir_attr_of(op, "ragged_dot_dimension_numbers");
    const hlo_mlir_attr *precision = hlo_mlir_attr_of(op, "precision_config");
    const hlo_mlir_attr *frontend = hlo_mlir_attr_of(op, "mhlo.frontend_attributes");
    if (op->operand_count != 3 || !numbers ||
        !contains(module, hlo_mlir_member(numbers, keys[0]),
                  hlo_mlir_member(numbers, "lhs_ragged_dimensions")))
        return NULL;
    hlo_mlir_emitter e = hlo_mlir_emitter_of(module, op);
    hlo_mlir_value *operands[] = {hlo_mlir_operand(op, 0), hlo_mlir_operand(op, 1)};
    hlo_mlir_op *dot =
        hlo_mlir_emit_op(&e, HLO_MLIR_OP_STABLEHLO_DOT_GENERAL, op->results[0].type, 2, operands);
    hlo_mlir_attr *attr = hlo_arena_copy(&module->arena, numbers, sizeof *numbers);
    hlo_mlir_named *v = HLO_NEW_ARRAY(&module->arena, hlo_mlir_named, 4);
    uint32_t n = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const hlo_mlir_attr *member = hlo_mlir_member(numbers, keys[i]);
        if (member) v[n++] = (hlo_mlir_named){hlo_str_from(keys[i]), member, numbers->at.lo};
    }
    attr->u.text = HLO_STR("stablehlo.dot");
    attr->list = (hlo_mlir_list){n, v};
    hlo_mlir_set_attr(module, dot, "dot_dimension_numbers", attr);
    if (precision)
        hlo_mlir_set_attr(module, dot, "precision_config", stablehlo_precisions(&e, precision));
    if (frontend) hlo_mlir_set_attr(module, dot, "mhlo.frontend_attributes", frontend);
    return dot;
}

/* ---- all ---- */

/* The same operation; its regions move to it. */
static hlo_mlir_op *remake(hlo_mlir_module *module, hlo_mlir_op *op, hlo_mlir_op *before) {
    hlo_mlir_op *made = hlo_mlir_op_new(module, op->block, before, op->name, op->operand_count,
                                        op->result_count, op->attr_count, op->region_count);
    made->at = op->at;
    made->location = op->location;
    for (uint32_t i = 0; i < op->attr_count; i++) made->attrs[i] = op->attrs[i];
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(made, i, hlo_mlir_operand(op, i));
    for (uint32_t i = 0; i < op->result_count; i++) {
        made->results[i].type = op->results[i].type;
        made->results[i].name = op->results[i].name;
        made->results[i].at = op->results[i].at;
    }
    hlo_expand_take_regions(op, made);
    return made;
}

/* The end of a scan's body is made once more, too. */
static void remake_end(hlo_mlir_module *module, hlo_mlir_op *scan) {
    hlo_mlir_block *block = scan->region_count ? scan->regions[0].first : NULL;
    if (!block || !block->last) return;
    hlo_mlir_op *end = block->last;
    remake(module, end, NULL);
    hlo_expand_erase(end);
}

bool hlo_expand_is_kept(const hlo_mlir_op *op) {
    return op->id == HLO_MLIR_OP_CHLO_ERF || op->id == HLO_MLIR_OP_CHLO_MULHI ||
           op->id == HLO_MLIR_OP_CHLO_RAGGED_DOT || op->id == HLO_MLIR_OP_CHLO_SCAN ||
           op->id == HLO_MLIR_OP_CHLO_TOP_K;
}

void hlo_expand_keep(hlo_mlir_module *module, hlo_mlir_op *function) {
    hlo_replaced_ops replaced = {0};
    hlo_mlir_op *next;
    for (hlo_mlir_op *op = hlo_expand_next(function, function); op; op = next) {
        next = hlo_expand_next(op, function);
        bool is_legal = hlo_expand_is_of(op, "chlo.") || hlo_expand_is_of(op, "mhlo.");
        if (!is_legal) hlo_expand_touch(op);
        if (!hlo_expand_is_kept(op) || hlo_expand_is_replaced(op)) continue;
        hlo_mlir_op *made = op->id == HLO_MLIR_OP_CHLO_RAGGED_DOT ? batch_dot(module, op) : NULL;
        if (!made) made = remake(module, op, op);
        if (op->id == HLO_MLIR_OP_CHLO_SCAN) {
            remake_end(module, made);
            next = hlo_expand_next(made, function); /* which may have been the end */
        }
        hlo_expand_replace(&replaced, op, made->results);
    }
    hlo_expand_finish(&replaced);
}
