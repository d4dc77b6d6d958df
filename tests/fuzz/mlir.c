/* libFuzzer target: any bytes as StableHLO, text or bytecode. What is read prints; what is refused
 * has a reason, at a place in the text. Built and run by `make fuzz`; run.sh makes seeds and
 * dictionary. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hlo_module *module = read_mlir((const char *)data, size);
    if (!module) return 0;
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &text);
    hlo_module_free(module);
    hlo_buf_free(&text);
    return 0;
}
