/* Manual computations of Shardy: a function that is called between custom calls, which change
 * global shapes to local ones and back. */
#include "base/buf.h"
#include "stablehlo/edit.h"
#include "stablehlo/shardy_export.h"

static bool has_symbol(const hlo_shardy_exporter *e, hlo_str name) {
    for (const hlo_mlir_op *op = e->top->first; op; op = op->next) {
        const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "sym_name");
        if (own && hlo_str_equal(own->u.text, name)) return true;
    }
    return false;
}

static const hlo_mlir_attr *body_name(hlo_shardy_exporter *e) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_cstr(&text, "xla.sdy.manual_computation_body");
    size_t n = text.len;
    while (has_symbol(e, (hlo_str){text.data, (uint32_t)text.len, 0})) {
        text.len = n;
        hlo_buf_printf(&text, "_%u", e->bodies++);
    }
    return hlo_shardy_taken(e, &text);
}

/* The function that has the body, at the end of the module. */
static const hlo_mlir_attr *body_function(hlo_shardy_exporter *e, hlo_mlir_op *manual) {
    hlo_mlir_op *function =
        hlo_mlir_op_new(e->module, e->top, NULL, HLO_STR("func.func"), 0, 0, 0, 1);
    function->at = manual->at;
    function->location = manual->location;
    const hlo_mlir_attr *name = body_name(e);
    hlo_mlir_set_attr(e->module, function, "sym_name", name);
    hlo_mlir_take_body(&function->regions[0], &manual->regions[0]);
    hlo_mlir_block *body = function->regions[0].first;
    hlo_mlir_op *end = body->last;
    hlo_mlir_op *made =
        hlo_mlir_op_new(e->module, body, NULL, HLO_STR("func.return"), end->operand_count, 0, 0, 0);
    made->at = end->at;
    made->location = end->location;
    for (uint32_t i = 0; i < end->operand_count; i++)
        hlo_mlir_set_operand(made, i, hlo_mlir_operand(end, i));
    hlo_mlir_remove(end);
    return name;
}

/* The custom call between global and local shapes. */
static hlo_mlir_op *between(hlo_shardy_exporter *e, hlo_mlir_op *manual, const char *target,
                            const char *key, const char *list, uint32_t operands,
                            uint32_t results) {
    hlo_mlir_list shardings = hlo_shardy_list(hlo_mlir_attr_of(manual, list));
    hlo_buf axes = HLO_BUF_INIT;
    hlo_mlir_op *call = hlo_shardy_custom_call(e, manual, target, true, operands, results);
    hlo_shardy_set_frontend(e, call, key, hlo_shardy_per_value_text(e, &shardings));
    hlo_shardy_print_manual_axes(&axes, hlo_mlir_attr_of(manual, "manual_axes"));
    hlo_shardy_set_frontend(e, call, "xla.sdy.manual_axes", hlo_shardy_taken(e, &axes));
    return call;
}

typedef struct {
    hlo_shardy_exporter *e;
    const hlo_mlir_region *region;
} isolation;

static bool is_inside(const hlo_mlir_value *value, const hlo_mlir_region *region) {
    for (const hlo_mlir_region *r = hlo_mlir_region_of(value); r;
         r = r->op && r->op->block ? r->op->block->region : NULL)
        if (r == region) return true;
    return false;
}

/* A body that becomes a function uses no values from outside. */
static void check_isolated(hlo_mlir_op *op, void *context) {
    isolation *i = context;
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (!is_inside(hlo_mlir_operand(op, k), i->region))
            hlo_shardy_export_error(i->e, op, "its operand",
                                    "it stands outside of the manual computation");
}

void hlo_shardy_export_manual(hlo_mlir_op *op, void *context) {
    hlo_shardy_exporter *e = context;
    if (op->id != HLO_MLIR_OP_SDY_MANUAL_COMPUTATION || e->failed) return;
    hlo_mlir_block *body = op->region_count == 1 ? op->regions[0].first : NULL;
    if (!body || body->next || !body->last || body->last->id != HLO_MLIR_OP_SDY_RETURN ||
        body->argument_count != op->operand_count ||
        body->last->operand_count != op->result_count) {
        hlo_shardy_export_error(e, op, "the operation",
                                "its body has all operands, and returns all results");
        return;
    }
    isolation inside = {e, &op->regions[0]};
    hlo_mlir_walk(&op->regions[0], check_isolated, &inside);
    if (e->failed) return;
    hlo_mlir_op *local = NULL, *global = NULL, *end = body->last;
    if (op->operand_count)
        local = between(e, op, "xla.sdy.GlobalToLocalShape", "xla.sdy.in_shardings", "in_shardings",
                        op->operand_count, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_set_operand(local, i, hlo_mlir_operand(op, i));
        local->results[i].type = body->arguments[i].type;
    }
    hlo_mlir_op *call = hlo_mlir_op_new(e->module, op->block, op, HLO_STR("func.call"),
                                        op->operand_count, op->result_count, 0, 0);
    call->at = op->at;
    call->location = op->location;
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(call, i, &local->results[i]);
    for (uint32_t i = 0; i < op->result_count; i++)
        call->results[i].type = hlo_mlir_operand(end, i)->type;
    hlo_shardy_set_frontend(e, call, "inlineable", hlo_shardy_text_attr(e, HLO_STR("false")));
    if (op->result_count)
        global = between(e, op, "xla.sdy.LocalToGlobalShape", "xla.sdy.out_shardings",
                         "out_shardings", op->result_count, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) {
        hlo_mlir_set_operand(global, i, &call->results[i]);
        global->results[i].type = op->results[i].type;
    }
    hlo_mlir_attr *callee = hlo_arena_copy(&e->module->arena, body_function(e, op), sizeof *callee);
    callee->kind = HLO_MLIR_SYMBOL;
    hlo_mlir_set_attr(e->module, call, "callee", callee);
    if (global) hlo_sdy_replace(op, global);
    else hlo_mlir_remove(op);
}
