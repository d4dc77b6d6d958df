/* Shardings and frontend attributes of operations, arguments and results. */
#include <stdlib.h>

#include "stablehlo/convert.h"

bool hlo_stablehlo_refuse_shardy(hlo_stablehlo *s, const hlo_mlir_attr *sharding, const char *of) {
    if (!sharding || s->failed) return !s->failed;
    hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO,
                       "a sharding of Shardy, of %s, is not converted", of);
    hlo_stablehlo_hint_at_shardy(s);
    return false;
}

const hlo_sharding *hlo_stablehlo_sharding_of(hlo_stablehlo *s, const hlo_mlir_attr *attr) {
    if (!attr || attr->kind != HLO_MLIR_STRING) return NULL;
    uint32_t base = s->attrs.n;
    if (!hlo_stablehlo_push_words(s, HLO_OP_CUSTOM_CALL, "sharding", attr->u.text)) return NULL;
    const hlo_sharding *sharding = s->attrs.v[base].u.sharding;
    s->attrs.n = base;
    return sharding;
}

static int by_key(const void *a, const void *b) {
    return hlo_str_compare(((const hlo_frontend_entry *)a)->key,
                           ((const hlo_frontend_entry *)b)->key);
}

/* `rule`: a rule of Shardy, which becomes one entry more; or NULL. */
static const hlo_frontend *frontend_with(hlo_stablehlo *s, const hlo_mlir_attr *dict,
                                         const hlo_mlir_attr *rule) {
    uint32_t n = dict && dict->kind == HLO_MLIR_DICT ? dict->list.n : 0;
    if (!n && !rule) return NULL;
    hlo_frontend *frontend =
        hlo_arena_alloc(s->arena, sizeof *frontend + (n + 1) * sizeof frontend->v[0]);
    frontend->n = 0;
    if (rule)
        frontend->v[frontend->n++] = (hlo_frontend_entry){HLO_STR("xla.sdy.sharding_rule"),
                                                          hlo_stablehlo_keep(s, rule->u.text)};
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *value = dict->list.v[i].value;
        hlo_frontend_entry entry = {hlo_stablehlo_keep(s, dict->list.v[i].key), {0}};
        if (hlo_str_is(entry.key, "xla_metadata_payload")) continue;
        if (rule && hlo_str_is(entry.key, "xla.sdy.sharding_rule")) continue;
        if (value->kind == HLO_MLIR_STRING) entry.value = hlo_stablehlo_keep(s, value->u.text);
        else if (value->kind == HLO_MLIR_BOOL)
            entry.value = value->u.i ? HLO_STR("true") : HLO_STR("false");
        else continue;
        frontend->v[frontend->n++] = entry;
    }
    qsort(frontend->v, frontend->n, sizeof frontend->v[0], by_key);
    return frontend->n ? frontend : NULL;
}

const hlo_frontend *hlo_stablehlo_frontend_of(hlo_stablehlo *s, const hlo_mlir_attr *dict) {
    return frontend_with(s, dict, NULL);
}

hlo_carried hlo_stablehlo_carried_by(hlo_stablehlo *s, const hlo_mlir_op *op) {
    const hlo_mlir_attr *rule = hlo_mlir_attr_of(op, "sdy.sharding_rule");
    if (rule && rule->kind != HLO_MLIR_WORD) rule = NULL;
    return (hlo_carried){
        .metadata = hlo_stablehlo_metadata(s, op),
        .sharding = hlo_stablehlo_sharding_of(s, hlo_mlir_attr_of(op, "mhlo.sharding")),
        .frontend = frontend_with(s, hlo_mlir_attr_of(op, "mhlo.frontend_attributes"), rule)};
}

const hlo_mlir_attr *hlo_stablehlo_argument_attr(const hlo_mlir_op *function, const char *list,
                                                 uint32_t i, const char *name) {
    const hlo_mlir_attr *all = hlo_mlir_attr_of(function, list);
    if (!all || i >= all->list.n) return NULL;
    return hlo_mlir_member(all->list.v[i].value, name);
}
