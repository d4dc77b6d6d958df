/* libFuzzer target: any bytes as text of every dialect. What is read prints and reads back as XLA's
 * text; what is refused has a reason, at a place in the text as it was written. Built and run by
 * `make fuzz`; run.sh makes seeds and dictionary. */
#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hlo_module *parse(const char *text, size_t len, hlo_dialect dialect) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("<fuzz>", text, len);
    hlo_source_read_as(source, dialect);
    hlo_module *module = NULL;
    hlo_status status = hlo_parse(source, &diags, &module);
    hlo_source_release(source);
    if ((status == HLO_OK) != (module != NULL)) __builtin_trap();
    if (status != HLO_OK && diags.errors == 0) __builtin_trap(); /* refused without a reason */
    len -= hlo_byte_order_mark(text, len);                       /* the source skips it */
    for (const hlo_diag *d = diags.first; d; d = d->next) {
        hlo_span at = d->span;
        if (d->source && (hlo_source_written(d->source, &at)->len != len || at.lo > len))
            __builtin_trap(); /* points after the text, or into a text that was not written */
    }
    hlo_diags_drop(&diags);
    return module;
}

/* Strings without escapes, elided constants and the like are for the target `parse`. */
static void read_back(hlo_module *module) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &text);
    hlo_module_free(module);
    module = parse(text.data, text.len, HLO_DIALECT_XLA);
    if (module) hlo_module_free(module);
    hlo_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int dialect = HLO_DIALECT_XLA; dialect <= HLO_DIALECT_2025; dialect++) {
        hlo_module *module = parse((const char *)data, size, (hlo_dialect)dialect);
        if (module) read_back(module);
    }
    return 0;
}
