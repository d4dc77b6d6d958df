/* A StableHLO program in any of its forms as a module: the steps, in order. */
#include "stablehlo/convert.h"
#include "stablehlo/edit.h"
#include "stablehlo/expand.h"
#include "stablehlo/prepare.h"
#include "stablehlo/refine.h"
#include "stablehlo/refused.h"
#include "stablehlo/shardy.h"
#include "stablehlo/stablehlo.h"

/* The shapes of inputs are those that `given` has. */
static hlo_status read_text_or_bytecode(hlo_source *source, const hlo_source *given,
                                        hlo_diags *diags, hlo_module **out) {
    hlo_mlir_module *tree;
    bool is_binary = source->len >= 4 && memcmp(source->text, "ML\xefR", 4) == 0;
    hlo_status status = is_binary ? hlo_mlir_parse_bytecode(source, diags, &tree)
                                  : hlo_mlir_parse(source, diags, &tree);
    if (status != HLO_OK) return status;
    hlo_diags earlier, later;
    hlo_refused_begin(&earlier, diags);
    hlo_refused_begin(&later, diags);
    bool good = hlo_stablehlo_check(tree, &earlier);
    status = HLO_BAD_MODULE;
    if (good) {
        status = hlo_stablehlo_refine(tree, given->input_shapes, given->guesses_shapes, &later);
        good = status == HLO_OK;
    }
    if (good) status = HLO_BAD_MODULE;
    if (good && hlo_stablehlo_export_shardy(tree, &later) && hlo_stablehlo_expand(tree, &later)) {
        hlo_stablehlo_prepare(tree);
        hlo_stablehlo_drop_unused_functions(tree); /* whose calls the simplification removed */
        status = hlo_stablehlo_make_module(tree, !earlier.errors, &later, out);
    }
    hlo_refused_merge(diags, &earlier, &later);
    hlo_mlir_free(tree);
    return status;
}

/* The bytecode in a file of jax.export is read as a source of the same name. */
hlo_status hlo_stablehlo_read(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    *out = NULL;
    if (!hlo_is_jax_export(source->text, source->len))
        return read_text_or_bytecode(source, source, diags, out);
    hlo_str inner = hlo_jax_export_module(source);
    if (!inner.len) {
        hlo_error(diags, HLO_RULE_SYNTAX, source, (hlo_span){0, 1},
                  "this file of jax.export is cut off before its module ends");
        return HLO_BAD_MODULE;
    }
    hlo_source *bytecode = hlo_source_from_text(source->name, inner.ptr, inner.len);
    hlo_status status = read_text_or_bytecode(bytecode, source, diags, out);
    hlo_source_release(bytecode);
    return status;
}
