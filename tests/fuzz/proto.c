/* libFuzzer target: any bytes as a module in JSON, as text protobuf or in binary form. A refusal
 * must have a reason; what is accepted is verified, printed, and written and read again in these
 * forms without a change. Built and run by `make fuzz`; run.sh makes seeds. */
#include <stdio.h>

#include "proto/detect.h"
#include "proto/proto.h"
#include "shape/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hlo_module *read(const char *bytes, size_t n, hlo_proto_form form, bool must) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("<fuzz>", bytes, n);
    hlo_module *module = NULL;
    hlo_status status = hlo_proto_read(source, form, &diags, &module);
    hlo_source_release(source);
    if ((status == HLO_OK) != (module != NULL)) __builtin_trap();
    if (status != HLO_OK && diags.errors == 0) __builtin_trap(); /* refused without a reason */
    if (must && !module) {
        hlo_diags_render(&diags, stderr, false);
        __builtin_trap();
    }
    hlo_diags_drop(&diags);
    return module;
}

static void print(hlo_module *module, hlo_buf *to) {
    to->len = 0;
    hlo_module_print(module, &hlo_print_default, to);
}

/* Written and read again, the module prints the same. JSON may refuse strings that are not UTF-8,
 * and does not distinguish nans. */
static void round_trip(hlo_module *module, hlo_proto_form form) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_buf bytes = HLO_BUF_INIT, before = HLO_BUF_INIT, after = HLO_BUF_INIT;
    if (hlo_proto_write(module, HLO_AS_MODULE_PROTO, form, &bytes, &diags) == HLO_OK) {
        print(module, &before);
        hlo_module *again = read(bytes.data, bytes.len, form, true);
        print(again, &after);
        bool same = before.len == after.len && memcmp(before.data, after.data, after.len) == 0;
        if (!same && form == HLO_PROTO_WIRE) {
            fprintf(stderr, "%.*s---\n%.*s", (int)before.len, before.data, (int)after.len,
                    after.data);
            __builtin_trap();
        }
        hlo_module_free(again);
    }
    hlo_diags_drop(&diags);
    hlo_buf_free(&bytes);
    hlo_buf_free(&before);
    hlo_buf_free(&after);
}

/* By the first byte. On the wire a field of bytes begins with a line feed, never with a letter. */
static hlo_proto_form form_of(const uint8_t *data, size_t size) {
    uint8_t first = size ? data[0] : 0;
    if (first == '{' || first == ' ' || first == '\t') return HLO_PROTO_JSON;
    return first == '#' || (first >= 'a' && first <= 'z') ? HLO_PROTO_PBTXT : HLO_PROTO_WIRE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hlo_module *module = read((const char *)data, size, form_of(data, size), false);
    if (!module) return 0;
    round_trip(module, HLO_PROTO_WIRE);
    round_trip(module, HLO_PROTO_JSON);
    round_trip(module, HLO_PROTO_PBTXT);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_verify(module, &diags);
    hlo_diags_drop(&diags);
    hlo_module_free(module);
    return 0;
}
