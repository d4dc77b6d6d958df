/* Modules in any form: text, StableHLO, JSON and protobuf in, detected by content; StableHLO, JSON
 * and protobuf out. */
#include <hlo.h>

#include "api/foreign.h"
#include "host/output.h"
#include "parse/parse.h"
#include "proto/detect.h"
#include "proto/proto.h"
#include "stablehlo/stablehlo.h"

hlo_status hlo_read_module(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, source);
    if (hlo_is_mlir(source)) return hlo_stablehlo_read(source, diags, out);
    if (source->input_shapes)
        return hlo_misuse(diags, "shapes of inputs are for programs in StableHLO, and %s is none",
                          source->name);
    if (hlo_report_file_kind(source, diags)) return HLO_BAD_MODULE;
    switch (hlo_input_form_of(source)) {
    case HLO_INPUT_JSON: return hlo_proto_read(source, HLO_PROTO_JSON, diags, out);
    case HLO_INPUT_WIRE: return hlo_proto_read(source, HLO_PROTO_WIRE, diags, out);
    case HLO_INPUT_PBTXT: return hlo_proto_read(source, HLO_PROTO_PBTXT, diags, out);
    case HLO_INPUT_TEXT: break;
    }
    return hlo_parse(source, diags, out);
}

static hlo_status write_message(hlo_module *module, hlo_message_form message, hlo_proto_form form,
                                hlo_output *output, hlo_diags *diags) {
    if (message > HLO_AS_HLO_PROTO)
        return hlo_misuse(diags, "unknown form of a message %d", (int)message);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    if (module->next_device)
        return hlo_misuse(
            diags,
            "a partitioned dataflow graph is several modules, which only the text form supports");
    return hlo_proto_write(module, message, form, &output->buf, diags);
}

hlo_status hlo_write_json(hlo_module *module, hlo_message_form form, bool pretty,
                          hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    hlo_proto_form how = pretty ? HLO_PROTO_PRETTY_JSON : HLO_PROTO_JSON;
    return write_message(module, form, how, output, diags);
}

hlo_status hlo_write_proto(hlo_module *module, hlo_message_form form, hlo_output *output,
                           hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    return write_message(module, form, HLO_PROTO_WIRE, output, diags);
}

hlo_status hlo_write_stablehlo(hlo_module *module, hlo_stablehlo_form form, hlo_output *output,
                               hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    if (form > HLO_STABLEHLO_GENERIC)
        return hlo_misuse(diags, "unknown form of StableHLO %d", (int)form);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    if (module->next_device)
        return hlo_misuse(diags, "a partitioned dataflow graph is no program of StableHLO");
    hlo_mlir_module *tree;
    hlo_status status = hlo_stablehlo_tree(module, diags, &tree);
    if (status != HLO_OK) return status;
    hlo_mlir_print(tree, form == HLO_STABLEHLO_GENERIC, &output->buf);
    hlo_mlir_free(tree);
    return HLO_OK;
}

hlo_status hlo_write_pbtxt(hlo_module *module, hlo_message_form form, hlo_output *output,
                           hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    return write_message(module, form, HLO_PROTO_PBTXT, output, diags);
}
