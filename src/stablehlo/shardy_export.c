/* Errors, attributes and custom calls that the export of Shardy makes. */
#include "stablehlo/shardy_export.h"

#include "base/buf.h"
#include "stablehlo/edit.h"

void hlo_shardy_export_error(hlo_shardy_exporter *e, const hlo_mlir_op *op, const char *what,
                             const char *why) {
    if (e->failed) return;
    e->failed = true;
    hlo_error(e->diags, HLO_RULE_UNSUPPORTED_STABLEHLO, e->module->source, op->at, "'%.*s': %s: %s",
              (int)op->name.len, op->name.ptr, what, why);
}

/* ---- attributes ---- */

const hlo_mlir_attr *hlo_shardy_text_attr(hlo_shardy_exporter *e, hlo_str text) {
    hlo_mlir_attr *attr = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_STRING;
    attr->u.text = (hlo_str){hlo_arena_copy(&e->module->arena, text.ptr, text.len), text.len, 0};
    return attr;
}

const hlo_mlir_attr *hlo_shardy_taken(hlo_shardy_exporter *e, hlo_buf *text) {
    const hlo_mlir_attr *attr =
        hlo_shardy_text_attr(e, (hlo_str){text->data, (uint32_t)text->len, 0});
    hlo_buf_free(text);
    return attr;
}

const hlo_mlir_attr *hlo_shardy_with_entry(hlo_shardy_exporter *e, const hlo_mlir_attr *dict,
                                           const char *key, const hlo_mlir_attr *value) {
    uint32_t n = dict ? dict->list.n : 0, k = 0;
    hlo_mlir_named *list = HLO_NEW_ARRAY(&e->module->arena, hlo_mlir_named, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_str_is(dict->list.v[i].key, key)) list[k++] = dict->list.v[i];
    list[k++] = (hlo_mlir_named){hlo_str_from(key), value, 0};
    hlo_mlir_attr *made = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    made->kind = HLO_MLIR_DICT;
    made->bracket = '{';
    made->list = (hlo_mlir_list){k, list};
    return made;
}

void hlo_shardy_set_frontend(hlo_shardy_exporter *e, hlo_mlir_op *op, const char *key,
                             const hlo_mlir_attr *value) {
    const hlo_mlir_attr *own = hlo_mlir_attr_of(op, "mhlo.frontend_attributes");
    hlo_mlir_set_attr(e->module, op, "mhlo.frontend_attributes",
                      hlo_shardy_with_entry(e, own, key, value));
}

const hlo_mlir_attr *hlo_shardy_per_value_text(hlo_shardy_exporter *e,
                                               const hlo_mlir_list *shardings) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_shardy_print_per_value(&text, shardings);
    return hlo_shardy_taken(e, &text);
}

const hlo_mlir_attr *hlo_shardy_sharding_text(hlo_shardy_exporter *e,
                                              const hlo_mlir_attr *sharding) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_cstr(&text, "#sdy.sharding");
    hlo_shardy_print_sharding(&text, sharding);
    return hlo_shardy_taken(e, &text);
}

/* ---- operations ---- */

static const hlo_mlir_attr *true_attr(hlo_shardy_exporter *e) {
    hlo_mlir_attr *attr = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_BOOL;
    attr->u.i = 1;
    return attr;
}

hlo_mlir_op *hlo_shardy_custom_call(hlo_shardy_exporter *e, hlo_mlir_op *before, const char *target,
                                    bool has_side_effect, uint32_t operands, uint32_t results) {
    hlo_mlir_op *call = hlo_mlir_op_new(e->module, before->block, before,
                                        HLO_STR("stablehlo.custom_call"), operands, results, 0, 0);
    call->at = before->at;
    call->location = before->location;
    hlo_mlir_set_attr(e->module, call, "call_target_name",
                      hlo_shardy_text_attr(e, hlo_str_from(target)));
    if (has_side_effect) hlo_mlir_set_attr(e->module, call, "has_side_effect", true_attr(e));
    return call;
}

void hlo_sdy_replace(hlo_mlir_op *op, hlo_mlir_op *by) {
    for (uint32_t i = 0; i < op->result_count; i++)
        hlo_mlir_replace_uses(&op->results[i], &by->results[i]);
    hlo_mlir_remove(op);
}
