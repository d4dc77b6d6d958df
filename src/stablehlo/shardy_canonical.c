/* XLA's first changes to a program of Shardy: manual computations of one device are inlined, those
 * without uses removed; meshes get names, and meshes of the same devices become one. */
#include "stablehlo/edit.h"
#include "stablehlo/shardy_program.h"
#include "stablehlo/steps.h"

/* ---- manual computations ---- */

static void drop_unused_arguments(hlo_shardy_program *c, hlo_mlir_op *op) {
    hlo_mlir_block *body = op->regions[0].first;
    const hlo_mlir_attr *in = hlo_mlir_attr_of(op, "in_shardings");
    hlo_mlir_list list = hlo_shardy_list(in);
    uint32_t n = body->argument_count, used = 0;
    if (list.n != n || op->operand_count != n) return;
    bool *marked = HLO_NEW_ARRAY(&c->module->arena, bool, n);
    hlo_mlir_named *left = HLO_NEW_ARRAY(&c->module->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++) {
        marked[i] = !body->arguments[i].first_use;
        if (!marked[i]) left[used++] = list.v[i];
    }
    if (used == n) return;
    c->changed = true;
    hlo_mlir_drop_operands(op, marked);
    hlo_mlir_drop_arguments(body, marked);
    if (in->kind == HLO_MLIR_STRUCT) in = in->list.v[0].value;
    hlo_mlir_set_attr(c->module, op, "in_shardings", hlo_shardy_with_list(c, in, used, left));
}

static bool is_of_one_device(hlo_shardy_program *c, const hlo_mlir_op *op) {
    hlo_mlir_list manual = hlo_shardy_list(hlo_mlir_attr_of(op, "manual_axes"));
    hlo_mlir_op *mesh = hlo_shardy_mesh_of_manual(c, op);
    if (!mesh) return !op->operand_count && !op->result_count;
    for (uint32_t i = 0; i < manual.n; i++) {
        if (manual.v[i].value->kind != HLO_MLIR_STRING) return false;
        const hlo_mlir_named *axis =
            hlo_shardy_axis_named(hlo_shardy_axes_of(mesh), manual.v[i].value->u.text);
        if (!axis || axis->value->u.i != 1) return false;
    }
    return true;
}

static void inline_manual(hlo_shardy_program *c, hlo_mlir_op *op) {
    hlo_mlir_block *body = op->regions[0].first;
    c->changed = true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (body->arguments[i].first_use)
            hlo_mlir_replace_uses(&body->arguments[i], hlo_mlir_operand(op, i));
    while (body->first != body->last) hlo_mlir_move(body->first, op->block, op);
    for (uint32_t i = 0; i < op->result_count; i++)
        hlo_mlir_replace_uses(&op->results[i], hlo_mlir_operand(body->last, i));
    hlo_expand_erase(op);
}

static void simplify_manual(hlo_mlir_op *op, void *context) {
    hlo_shardy_program *c = context;
    if (op->id != HLO_MLIR_OP_SDY_MANUAL_COMPUTATION) return;
    hlo_mlir_block *body = op->region_count == 1 ? op->regions[0].first : NULL;
    if (!body || body->next || !body->last || body->last->operand_count != op->result_count ||
        body->argument_count != op->operand_count)
        return; /* the export reports it */
    drop_unused_arguments(c, op);
    if (is_of_one_device(c, op)) inline_manual(c, op);
}

/* ---- all ---- */

/* Meshes have names, and axes of positive sizes. */
static bool check_meshes(hlo_shardy_program *c) {
    for (const hlo_mlir_op *op = c->top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_SDY_MESH) continue;
        const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
        bool has_name = name && (name->kind == HLO_MLIR_STRING || name->kind == HLO_MLIR_SYMBOL);
        if (!has_name || !hlo_mlir_attr_of(op, "mesh"))
            hlo_sdy_refuse(c, op, "a mesh has a name and axes");
        hlo_mlir_list axes = hlo_shardy_axes_of(op);
        for (uint32_t i = 0; i < axes.n; i++)
            if (axes.v[i].value->kind != HLO_MLIR_INT || axes.v[i].value->u.i < 1)
                hlo_sdy_refuse(c, op, "an axis has a positive size");
    }
    return !c->failed;
}

bool hlo_shardy_simplify(hlo_mlir_module *module, hlo_diags *diags) {
    hlo_shardy_program c = {
        .module = module, .diags = diags, .top = module->root->regions[0].first};
    if (!check_meshes(&c)) return false;
    hlo_shardy_name_meshes(&c);
    if (!check_meshes(&c)) return false;
    do {
        c.changed = false;
        hlo_mlir_walk_functions(module, simplify_manual, &c);
        for (hlo_mlir_op *op = c.top->first; op; op = op->next)
            if (op->id == HLO_MLIR_OP_FUNC_FUNC && op->region_count)
                c.changed |= hlo_expand_drop_dead(op);
    } while (c.changed);
    hlo_shardy_join_meshes(&c);
    return !c.failed;
}
