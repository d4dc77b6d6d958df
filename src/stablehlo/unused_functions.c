/* Private functions that nothing refers to, such as those of composites that became operations. */
#include "stablehlo/edit.h"
#include "stablehlo/prepare.h"
#include "stablehlo/steps.h"

typedef struct {
    HLO_LIST(hlo_mlir_op *) functions;
    HLO_LIST(uint32_t) waiting; /* which are in use; what they refer to is not looked up yet */
    bool *is_used;
    hlo_hash by_name;
} symbols;

static bool is_private(const hlo_mlir_op *function) {
    return hlo_str_is(hlo_mlir_word_of(hlo_mlir_attr_of(function, "sym_visibility")), "private");
}

static void use(symbols *s, hlo_str name) {
    hlo_hash_each (number, &s->by_name, hlo_hash_bytes(name.ptr, name.len)) {
        if (s->is_used[number - 1] ||
            !hlo_str_equal(hlo_mlir_symbol_name(s->functions.v[number - 1]), name))
            continue;
        s->is_used[number - 1] = true;
        hlo_list_push(&s->waiting, number - 1);
    }
}

static void use_all_of(symbols *s, const hlo_mlir_attr *attr) {
    if (attr->kind == HLO_MLIR_SYMBOL) use(s, hlo_mlir_text_of(attr));
    for (uint32_t i = 0; i < attr->list.n; i++) use_all_of(s, attr->list.v[i].value);
}

static void use_all_in(symbols *s, const hlo_mlir_op *root) {
    for (const hlo_mlir_op *op = root; op; op = hlo_expand_next(op, root))
        for (uint32_t i = 0; i < op->attr_count; i++) use_all_of(s, op->attrs[i].value);
}

static void find_functions(symbols *s, const hlo_mlir_block *block) {
    for (hlo_mlir_op *op = block->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_FUNC_FUNC) continue;
        hlo_str name = hlo_mlir_symbol_name(op);
        hlo_list_push(&s->functions, op);
        hlo_hash_add(&s->by_name, hlo_hash_bytes(name.ptr, name.len), s->functions.n);
    }
    s->is_used = hlo_calloc(s->functions.n + 1, sizeof *s->is_used);
}

static bool has_private(const hlo_mlir_block *block) {
    for (const hlo_mlir_op *op = block->first; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC && is_private(op)) return true;
    return false;
}

void hlo_stablehlo_drop_unused_functions(hlo_mlir_module *module) {
    symbols s = {0};
    const hlo_mlir_block *block = module->root->regions[0].first;
    if (!block || !has_private(block)) return;
    find_functions(&s, block);
    for (uint32_t i = 0; i < s.functions.n; i++)
        if (!is_private(s.functions.v[i])) use(&s, hlo_mlir_symbol_name(s.functions.v[i]));
    for (const hlo_mlir_op *op = block->first; op; op = op->next)
        if (op->id != HLO_MLIR_OP_FUNC_FUNC) use_all_in(&s, op);
    while (s.waiting.n) use_all_in(&s, s.functions.v[hlo_list_pop(&s.waiting)]);
    for (uint32_t i = 0; i < s.functions.n; i++)
        if (!s.is_used[i]) hlo_expand_erase(s.functions.v[i]);
    hlo_list_free(&s.functions);
    hlo_list_free(&s.waiting);
    hlo_free(s.is_used);
    hlo_hash_free(&s.by_name);
}
