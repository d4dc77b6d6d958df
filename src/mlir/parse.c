/* Entry to the reader of MLIR text: sets up its state, runs the grammar, hands over the tree. */
#include "mlir/parser.h"

static void free_state(hlo_mlir_parser *p) {
    void *stacks[] = {p->items.v,        p->operands.v,  p->operand_places.v, p->attrs.v,
                      p->named.v,        p->regions.v,   p->names.v,          p->types.v,
                      p->locations.v,    p->arguments.v, p->loop_arguments.v, p->argument_attrs.v,
                      p->result_attrs.v, p->open.v,      p->outermost.v,      p->blocks.v,
                      p->scopes.v,       p->shadowed.v,  p->value_names.v,    p->aliases.v,
                      p->seen_types.v,   p->resources.v, p->line.operands.v,  p->line.attrs.v,
                      p->line.types.v};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) hlo_free(stacks[i]);
    hlo_hash_free(&p->value_names_by_hash);
    hlo_hash_free(&p->aliases_by_hash);
    hlo_hash_free(&p->types_by_text);
    hlo_free(p);
}

/* What actions take slices of has a block from the start, so that a slice of nothing is one too. */
static void reserve(hlo_mlir_parser *p) {
    enum { FIRST = 16 };
    hlo_list_reserve(&p->operands, FIRST);
    hlo_list_reserve(&p->attrs, FIRST);
    hlo_list_reserve(&p->named, FIRST);
    hlo_list_reserve(&p->regions, FIRST);
    hlo_list_reserve(&p->types, FIRST);
    hlo_list_reserve(&p->locations, FIRST);
    hlo_list_reserve(&p->arguments, FIRST);
    hlo_list_reserve(&p->loop_arguments, FIRST);
    hlo_list_reserve(&p->argument_attrs, FIRST);
    hlo_list_reserve(&p->result_attrs, FIRST);
    hlo_list_reserve(&p->items, FIRST);
}

static hlo_status parse(hlo_source *source, hlo_diags *diags, bool by_rules,
                        hlo_mlir_module **out) {
    hlo_mlir_parser *p = hlo_calloc(1, sizeof *p);
    p->module = hlo_mlir_new(source);
    p->arena = &p->module->arena;
    p->source = source;
    p->diags = diags;
    p->begin = p->cursor = source->text;
    p->limit = p->begin + source->len;
    p->is_by_rules = by_rules;
    reserve(p);
    bool failed = hlo_mlir_yyparse(p) != 0 || p->failed;
    HLO_ASSERT(!failed || p->failed);
    hlo_mlir_module *module = p->module;
    free_state(p);
    *out = failed ? NULL : module;
    if (failed) hlo_mlir_free(module);
    return failed ? HLO_BAD_MODULE : HLO_OK;
}

hlo_status hlo_mlir_parse(hlo_source *source, hlo_diags *diags, hlo_mlir_module **out) {
    return parse(source, diags, false, out);
}

hlo_status hlo_mlir_parse_by_rules(hlo_source *source, hlo_diags *diags, hlo_mlir_module **out) {
    return parse(source, diags, true, out);
}

/* The attribute of a module without anything in it. */
const hlo_mlir_attr *hlo_mlir_parse_attr(hlo_mlir_module *module, hlo_str text, hlo_diags *diags) {
    static const char before[] = "module attributes {only = ", after[] = "} {\n}\n";
    size_t n = sizeof before - 1 + text.len + sizeof after - 1;
    char *all = hlo_arena_alloc(&module->arena, n + 1);
    memcpy(all, before, sizeof before - 1);
    if (text.len) memcpy(all + sizeof before - 1, text.ptr, text.len);
    memcpy(all + sizeof before - 1 + text.len, after, sizeof after);
    hlo_mlir_op *root = module->root;
    hlo_mlir_parser *p = hlo_calloc(1, sizeof *p);
    p->module = module;
    p->arena = &module->arena;
    p->source = hlo_source_from_text("", all, n);
    p->diags = diags;
    p->begin = p->cursor = all;
    p->limit = all + n;
    reserve(p);
    bool failed = hlo_mlir_yyparse(p) != 0 || p->failed;
    hlo_source_release(p->source);
    free_state(p);
    const hlo_mlir_op *read = module->root;
    module->root = root;
    return failed || read == root || read->attr_count != 1 ? NULL : hlo_mlir_attr_of(read, "only");
}
