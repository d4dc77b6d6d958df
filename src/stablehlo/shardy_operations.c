/* Constraints, groups and barriers of Shardy as custom calls. */
#include "base/buf.h"
#include "stablehlo/edit.h"
#include "stablehlo/shardy_export.h"

static void export_constraint(hlo_shardy_exporter *e, hlo_mlir_op *op) {
    const hlo_mlir_attr *sharding = hlo_mlir_attr_of(op, "sharding");
    if (!sharding || op->operand_count != 1 || op->result_count != 1) {
        hlo_shardy_export_error(e, op, "the operation",
                                "it has an operand, a result and a sharding");
        return;
    }
    hlo_mlir_op *call = hlo_shardy_custom_call(
        e, op, "Sharding", hlo_mlir_member(sharding, "unreduced") != NULL, 1, 1);
    call->results[0].type = op->results[0].type;
    hlo_mlir_set_operand(call, 0, hlo_mlir_operand(op, 0));
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (hlo_mlir_is_discardable(op->attrs[i].key)) {
            char *key = hlo_arena_alloc(&e->module->arena, (size_t)op->attrs[i].key.len + 1);
            memcpy(key, op->attrs[i].key.ptr, op->attrs[i].key.len);
            key[op->attrs[i].key.len] = '\0';
            hlo_mlir_set_attr(e->module, call, key, op->attrs[i].value);
        }
    hlo_mlir_named *one = HLO_NEW(&e->module->arena, hlo_mlir_named);
    one->value = sharding;
    hlo_mlir_attr *list = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    list->kind = HLO_MLIR_LIST;
    list->bracket = '[';
    list->list = (hlo_mlir_list){1, one};
    hlo_mlir_set_attr(e->module, call, "sdy.sharding", list);
    hlo_sdy_replace(op, call);
}

/* A group or a barrier: a custom call with one frontend attribute. */
static void export_marker(hlo_shardy_exporter *e, hlo_mlir_op *op, const char *target,
                          const char *key, const hlo_mlir_attr *value) {
    hlo_mlir_op *call =
        hlo_shardy_custom_call(e, op, target, true, op->operand_count, op->result_count);
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(call, i, hlo_mlir_operand(op, i));
    for (uint32_t i = 0; i < op->result_count; i++) call->results[i].type = op->results[i].type;
    hlo_shardy_set_frontend(e, call, key, value);
    hlo_sdy_replace(op, call);
}

static void export_group(hlo_shardy_exporter *e, hlo_mlir_op *op) {
    const hlo_mlir_attr *id = hlo_mlir_attr_of(op, "group_id");
    hlo_buf text = HLO_BUF_INIT;
    if (!id || id->kind != HLO_MLIR_INT) {
        hlo_shardy_export_error(e, op, "the operation", "it has a group_id");
        return;
    }
    hlo_mlir_print_attr(&text, id);
    export_marker(e, op, "xla.sdy.ShardingGroup", "xla.sdy.sharding_group_id",
                  hlo_shardy_taken(e, &text));
}

static void export_barrier(hlo_shardy_exporter *e, hlo_mlir_op *op) {
    static const char *const directions[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
    const hlo_mlir_attr *direction = hlo_mlir_attr_of(op, "allowed_direction");
    hlo_str word = hlo_mlir_word_of(direction);
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        if (!hlo_str_is(word, directions[i]) &&
            !(direction && direction->kind == HLO_MLIR_INT && direction->u.i == (int64_t)i))
            continue;
        hlo_buf text = HLO_BUF_INIT;
        hlo_buf_printf(&text, "%zu : i32", i);
        export_marker(e, op, "xla.sdy.PropagationBarrier", "xla.sdy.allowed_direction",
                      hlo_shardy_taken(e, &text));
        return;
    }
    hlo_shardy_export_error(e, op, "the operation", "it has an allowed_direction");
}

void hlo_shardy_export_op(hlo_mlir_op *op, void *context) {
    hlo_shardy_exporter *e = context;
    if (e->failed) return;
    if (op->id == HLO_MLIR_OP_SDY_SHARDING_CONSTRAINT) export_constraint(e, op);
    else if (op->id == HLO_MLIR_OP_SDY_SHARDING_GROUP) export_group(e, op);
    else if (op->id == HLO_MLIR_OP_SDY_PROPAGATION_BARRIER) export_barrier(e, op);
}
