/* Modules in any form: text, JSON and protobuf in, told apart by their content; JSON and protobuf
 * out. */
#include "parse/parse.h"
#include "proto/detect.h"
#include "proto/proto.h"
#include "run/output.h"

hlo_status hlo_read_module(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    HLO_API_CALL(diags) {
        if (out) *out = NULL;
        return HLO_BAD_SYSTEM;
    }
    if (out) *out = NULL;
    HLO_REQUIRE(diags, out);
    HLO_REQUIRE(diags, source);
    hlo_input_form form = hlo_input_form_of(source);
    if (form == HLO_INPUT_TEXT) return hlo_parse(source, diags, out);
    return hlo_proto_read(source, form == HLO_INPUT_JSON, diags, out);
}

hlo_status hlo_write_json(hlo_module *module, hlo_message_form form, bool pretty,
                          hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) {
        hlo_output_lost(output);
        return HLO_BAD_SYSTEM;
    }
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    if (form > HLO_AS_HLO_PROTO)
        return hlo_misuse(diags, "unknown form of a message %d", (int)form);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    return hlo_proto_write(module, form, pretty ? HLO_PROTO_PRETTY_JSON : HLO_PROTO_JSON,
                           &output->buf, diags);
}

hlo_status hlo_write_proto(hlo_module *module, hlo_message_form form, hlo_output *output,
                           hlo_diags *diags) {
    HLO_API_CALL(diags) {
        hlo_output_lost(output);
        return HLO_BAD_SYSTEM;
    }
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    if (form > HLO_AS_HLO_PROTO)
        return hlo_misuse(diags, "unknown form of a message %d", (int)form);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    return hlo_proto_write(module, form, HLO_PROTO_WIRE, &output->buf, diags);
}
