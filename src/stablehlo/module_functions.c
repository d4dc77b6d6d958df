/* Functions of the module and their computations, which calls name. */
#include "stablehlo/convert.h"

bool hlo_stablehlo_collect_functions(hlo_stablehlo *s) {
    bool has_main = false;
    const hlo_mlir_block *body = s->tree->root->regions[0].first;
    for (const hlo_mlir_op *op = body ? body->first : NULL; op; op = op->next) {
        s->op = op;
        if (op->id == HLO_MLIR_OP_SDY_MESH) continue;
        if (op->id != HLO_MLIR_OP_FUNC_FUNC)
            return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO,
                                      "a module has functions, and meshes of devices") != NULL;
        const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
        if (!name || name->kind != HLO_MLIR_STRING)
            return hlo_stablehlo_fail(s, HLO_RULE_SYNTAX, "a function has a name") != NULL;
        if (!op->region_count || !op->regions[0].first) continue; /* a declaration */
        has_main |= hlo_str_is(name->u.text, "main");
        hlo_list_push(&s->functions, (hlo_stablehlo_function){.op = op, .name = name->u.text});
        hlo_hash_add(&s->functions_by_name,
                     (uint32_t)hlo_hash_bytes(name->u.text.ptr, name->u.text.len), s->functions.n);
    }
    s->op = NULL;
    if (has_main) return true;
    return hlo_stablehlo_fail_at(s, s->tree->root, (hlo_span){0, 0}, HLO_RULE_ENTRY,
                                 "the module has no function '@main'") != NULL;
}

static bool convert_function(hlo_stablehlo *s, hlo_stablehlo_function *f) {
    f->is_open = true;
    f->computation = hlo_stablehlo_function_body(s, f->op, f->name);
    f->is_open = false;
    if (f->computation && hlo_str_is(f->name, "main")) s->module->entry = f->computation;
    return f->computation != NULL;
}

bool hlo_stablehlo_convert_functions(hlo_stablehlo *s) {
    for (uint32_t i = 0; i < s->functions.n; i++)
        if (!s->functions.v[i].computation && !convert_function(s, &s->functions.v[i]))
            return false;
    return true;
}

static hlo_stablehlo_function *function_named(hlo_stablehlo *s, hlo_str name) {
    uint32_t hash = (uint32_t)hlo_hash_bytes(name.ptr, name.len);
    hlo_hash_each (number, &s->functions_by_name, hash)
        if (hlo_str_equal(s->functions.v[number - 1].name, name))
            return &s->functions.v[number - 1];
    return NULL;
}

/* The one of that name, which is not being converted. */
static hlo_stablehlo_function *callee_named(hlo_stablehlo *s, hlo_str name) {
    hlo_stablehlo_function *f = function_named(s, name);
    if (!f)
        return hlo_stablehlo_fail(s, HLO_RULE_UNKNOWN_NAME, "there is no function '@%.*s'",
                                  (int)name.len, name.ptr);
    if (f->is_open)
        return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "'@%.*s' calls itself",
                                  (int)name.len, name.ptr);
    return f;
}

hlo_computation *hlo_stablehlo_function_of(hlo_stablehlo *s, hlo_str name) {
    hlo_stablehlo_function *f = callee_named(s, name);
    if (f && !f->computation) convert_function(s, f);
    return f ? f->computation : NULL;
}

/* Composites of composites double at each level. */
static bool may_copy(hlo_stablehlo *s, const hlo_mlir_op *function) {
    enum { AT_LEAST = 1 << 16 };
    const hlo_mlir_block *block = function->regions[0].first;
    for (const hlo_mlir_op *op = block ? block->first : NULL; op; op = op->next) s->copied++;
    return s->copied <= AT_LEAST + (uint64_t)s->source->len ||
           hlo_stablehlo_fail(s, HLO_RULE_NESTING, "composites stand for too many operations");
}

hlo_computation *hlo_stablehlo_copy_of(hlo_stablehlo *s, hlo_str name) {
    hlo_stablehlo_function *f = callee_named(s, name);
    if (!f || !may_copy(s, f->op)) return NULL;
    hlo_stablehlo_function copy = *f;
    f->is_open = true;
    convert_function(s, &copy);
    f->is_open = false;
    return copy.computation;
}
