/* libFuzzer target: any bytes as StableHLO, text or bytecode. What is read prints; what is refused
 * has a reason, at a place in the text. A module that was read is written as StableHLO in both
 * forms, which are read as the same module. Built and run by `make fuzz`; run.sh makes seeds and
 * dictionary. */
#include "mlir/mlir.h"
#include "parse/parse.h"
#include "stablehlo/stablehlo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hlo_module *read_mlir(const char *text, size_t len) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("<fuzz>", text, len);
    hlo_module *module = NULL;
    hlo_status status = hlo_stablehlo_read(source, &diags, &module);
    hlo_source_release(source);
    if ((status == HLO_OK) != (module != NULL)) __builtin_trap();
    if (status != HLO_OK && diags.errors == 0) __builtin_trap(); /* refused without a reason */
    for (const hlo_diag *d = diags.first; d; d = d->next)
        if (d->source && (d->span.lo > len || d->span.hi < d->span.lo)) __builtin_trap();
    hlo_diags_drop(&diags);
    return module;
}

static void print(hlo_module *module, hlo_buf *to) {
    hlo_print_options options = hlo_print_default;
    options.large_constants = true;
    hlo_module_print(module, &options, to);
}

/* The module that the written text is read as; NULL: XLA's own conversion has modules that it does
 * not take back either (a scan of no elements, say). */
static hlo_module *read_written(const hlo_buf *text) {
    return read_mlir(text->data, text->len);
}

/* Refused by name, or written in two forms that are one module. */
static void write_both(hlo_module *module) {
    hlo_diags diags;
    hlo_mlir_module *tree;
    hlo_diags_init(&diags);
    hlo_status status = hlo_stablehlo_tree(module, &diags, &tree);
    if (status != HLO_OK && diags.errors == 0) __builtin_trap();
    hlo_diags_drop(&diags);
    if (status != HLO_OK) return;
    hlo_buf forms[2] = {HLO_BUF_INIT, HLO_BUF_INIT}, again[2] = {HLO_BUF_INIT, HLO_BUF_INIT};
    bool is_read[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        hlo_mlir_print(tree, i == 1, &forms[i]);
        hlo_module *read = read_written(&forms[i]);
        is_read[i] = read != NULL;
        if (!read) continue;
        print(read, &again[i]);
        hlo_module_free(read);
    }
    if (is_read[0] != is_read[1]) __builtin_trap();
    if (again[0].len != again[1].len ||
        (again[0].len && memcmp(again[0].data, again[1].data, again[0].len) != 0))
        __builtin_trap();
    for (int i = 0; i < 2; i++) {
        hlo_buf_free(&forms[i]);
        hlo_buf_free(&again[i]);
    }
    hlo_mlir_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hlo_module *module = read_mlir((const char *)data, size);
    if (!module) return 0;
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &text);
    write_both(module);
    hlo_module_free(module);
    hlo_buf_free(&text);
    return 0;
}
