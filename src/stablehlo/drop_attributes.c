/* Removes discardable attributes, except those that XLA reads, which known_attrs.def lists, and
 * those of Shardy, which are read later. */
#include "stablehlo/edit.h"
#include "stablehlo/prepare.h"

typedef enum { MODULE, FUNCTION, OPERATION } holder;

static const struct {
    holder of;
    const char *name;
} known[] = {
#define HLO_KNOWN_ATTR(holder, name) {holder, name},
#include "stablehlo/known_attrs.def"
#undef HLO_KNOWN_ATTR
};

static bool stays(holder of, hlo_str key) {
    if (!hlo_mlir_is_discardable(key) || (key.len > 4 && memcmp(key.ptr, "sdy.", 4) == 0))
        return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].of == of && hlo_str_is(key, known[i].name)) return true;
    return false;
}

static void drop_own(hlo_mlir_op *op, holder of) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (stays(of, op->attrs[i].key)) op->attrs[n++] = op->attrs[i];
    op->attr_count = n;
}

/* [{...}, ...] without the attributes to remove; the same one if there are none. */
static const hlo_mlir_attr *sieve(hlo_mlir_module *module, const hlo_mlir_attr *attr) {
    if (attr->kind != HLO_MLIR_LIST && attr->kind != HLO_MLIR_DICT) return attr;
    hlo_mlir_named *list = HLO_NEW_ARRAY(&module->arena, hlo_mlir_named, attr->list.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < attr->list.n; i++) {
        const hlo_mlir_named *named = &attr->list.v[i];
        if (attr->kind == HLO_MLIR_DICT && !stays(FUNCTION, named->key)) continue;
        list[n] = *named;
        if (attr->kind == HLO_MLIR_LIST) list[n].value = sieve(module, named->value);
        n++;
    }
    hlo_mlir_attr *copy = hlo_arena_copy(&module->arena, attr, sizeof *attr);
    copy->list.n = n;
    copy->list.v = list;
    return copy;
}

static bool is_empty(const hlo_mlir_attr *attr) {
    for (uint32_t i = 0; i < attr->list.n; i++)
        if (attr->list.v[i].value->list.n) return false;
    return true;
}

static void drop_of_function(hlo_mlir_module *module, hlo_mlir_op *op) {
    uint32_t n = 0;
    drop_own(op, FUNCTION);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        hlo_mlir_named named = op->attrs[i];
        if (hlo_str_is(named.key, "arg_attrs") || hlo_str_is(named.key, "res_attrs")) {
            named.value = sieve(module, named.value);
            if (is_empty(named.value)) continue;
        }
        op->attrs[n++] = named;
    }
    op->attr_count = n;
}

static void visit(hlo_mlir_op *op, void *context) {
    (void)context;
    drop_own(op, OPERATION);
    if (op->id == HLO_MLIR_OP_STABLEHLO_DOT) hlo_mlir_drop_attr(op, "algorithm"); /* no property */
}

void hlo_stablehlo_drop_attributes(hlo_mlir_module *module) {
    hlo_mlir_block *top = module->root->regions[0].first;
    drop_own(module->root, MODULE);
    for (hlo_mlir_op *op = top ? top->first : NULL; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC) drop_of_function(module, op);
    hlo_mlir_walk_functions(module, visit, NULL);
}
