/* A module in the form that --emit names. */
#include "emit.h"

#include <unistd.h>

#include "terminal.h"

const char *emit_read(emit_options *o, const common_options *common) {
    o->text.style = (hlo_text_style)o->style;
    if (o->literals == LITERALS_EXACT) o->text.exact_literals = HLO_ON;
    if (terminal_is_output(common->output) && isatty(STDOUT_FILENO))
        o->text.made_constants = HLO_OFF;
    if (o->proto) o->form = EMIT_PROTO;
    if (o->hash && o->form != EMIT_TEXT) return "--hash and --emit are mutually exclusive";
    if (o->pretty && o->compact) return "--pretty and --compact are mutually exclusive";
    if (emit_is_binary(o->form) && common->split_input)
        return "--split-input-file is supported for text and JSON output only";
    return NULL;
}

static hlo_status emit_hash(hlo_module *module, hlo_output *output, hlo_diags *diags) {
    char hash[HLO_HASH_SIZE];
    hlo_status status = hlo_module_hash(module, hash, diags);
    if (status != HLO_OK) return status;
    hlo_output_write(output, hash, HLO_HASH_SIZE - 1);
    hlo_output_write(output, "\n", 1);
    return HLO_OK;
}

hlo_status emit_module(hlo_module *module, const emit_options *options, size_t written,
                       hlo_output *output, hlo_diags *diags) {
    static const char separator[] = "// -----\n";
    if (options->hash) return emit_hash(module, output, diags);
    bool is_inner = options->form >= EMIT_HLO_JSON && options->form <= EMIT_HLO_PBTXT;
    hlo_message_form message = is_inner ? HLO_AS_HLO_PROTO : HLO_AS_MODULE_PROTO;
    if (emit_is_binary(options->form)) return hlo_write_proto(module, message, output, diags);
    if (written) hlo_output_write(output, separator, sizeof separator - 1);
    if (emit_is_pbtxt(options->form)) return hlo_write_pbtxt(module, message, output, diags);
    if (options->form >= EMIT_STABLEHLO)
        return hlo_write_stablehlo(
            module, options->form == EMIT_STABLEHLO ? HLO_STABLEHLO_PRETTY : HLO_STABLEHLO_GENERIC,
            output, diags);
    if (options->form != EMIT_TEXT)
        return hlo_write_json(module, message, options->pretty, output, diags);
    return hlo_write_text(module, &options->text, output, diags);
}
