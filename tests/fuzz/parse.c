/* libFuzzer target: any bytes through the text parser and the printer. Beyond not crashing, the
 * text has to settle: the second print reads back to the same (reference: `-0`, blank-led
 * JSON and a few more change once). Built and run by `make fuzz`; run.sh makes seeds and
 * dictionary. */
#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hlo_module *parse(const char *text, size_t len) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("<fuzz>", text, len);
    hlo_module *module = NULL;
    hlo_status status = hlo_parse(source, &diags, &module);
    hlo_source_release(source);
    if ((status == HLO_OK) != (module != NULL)) __builtin_trap();
    if (status != HLO_OK && diags.errors == 0) __builtin_trap(); /* refused without a reason */
    for (const hlo_diag *d = diags.first; d; d = d->next)
        if (d->source && d->span.lo > len) __builtin_trap(); /* points after the text */
    hlo_diags_drop(&diags);
    return module;
}

/* The module that the text stands for, printed; false when the text does not parse. */
static bool reprint(const char *text, size_t len, hlo_buf *out) {
    hlo_module *module = parse(text, len);
    if (!module) return false;
    hlo_module_print(module, &hlo_print_default, out);
    hlo_module_free(module);
    return true;
}

static bool contains(const hlo_buf *text, const char *what) {
    return memmem(text->data, text->len, what, strlen(what)) != NULL;
}

/* XLA prints some strings without escapes; with a backslash inside they change at every turn. */
static bool may_never_settle(const hlo_buf *text) {
    return contains(text, "\\") &&
           (contains(text, "origin") || contains(text, "execution_thread") ||
            contains(text, "scheduling_name"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hlo_buf first = HLO_BUF_INIT, second = HLO_BUF_INIT, third = HLO_BUF_INIT;
    if (reprint((const char *)data, size, &first) && !may_never_settle(&first) &&
        reprint(first.data, first.len, &second)) {
        if (!reprint(second.data, second.len, &third)) __builtin_trap();
        if (second.len != third.len || memcmp(second.data, third.data, third.len) != 0)
            __builtin_trap();
    }
    hlo_buf_free(&first);
    hlo_buf_free(&second);
    hlo_buf_free(&third);
    return 0;
}
