/* Printing a module: as text, and as a message. Part of hlo.h. */
#ifndef HLO_PUBLIC_TEXT_H
#define HLO_PUBLIC_TEXT_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    HLO_STYLE_DEFAULT, /* what XLA prints by default, byte for byte */
    HLO_STYLE_SHORT,   /* the least that parses again */
    HLO_STYLE_CANONICAL,
    HLO_STYLE_FINGERPRINT
} hlo_text_style;

typedef struct {
    size_t size;
    hlo_text_style style;
    hlo_switch metadata, backend_config, large_constants, operand_shapes, percent, layouts;
    hlo_switch control_predecessors;
    hlo_switch compact_gte; /* elements of tuples are %tuple#0 where they are used */
    /* Negative zeros are -0.0, which reads back to the same bits, in XLA too. Otherwise they are -0
     * as XLA prints them, which is read as +0. */
    hlo_switch exact_literals;
    /* All elements of constants that no text or message had, as passes make them: no dump has
     * their elements. By the style they are there, except for canonical and fingerprint. */
    hlo_switch made_constants;
} hlo_text_options;

#define HLO_TEXT_OPTIONS_INIT                                                                   \
    {                                                                                           \
        sizeof(hlo_text_options), HLO_STYLE_DEFAULT, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE,  \
            HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, \
            HLO_BY_STYLE                                                                        \
    }

/* The module's text, ended by exactly one newline. A warning for each kind of thing that does not
 * read back as it is in the module (rule lossy-text), once for a module. */
HLO_API hlo_status hlo_write_text(hlo_module *module, const hlo_text_options *options,
                                  hlo_output *output, hlo_diags *diags);
/* The message that a module becomes: its HloModuleProto, or an HloProto around that, which is what
 * XLA's dumps have. */
typedef enum { HLO_AS_MODULE_PROTO, HLO_AS_HLO_PROTO } hlo_message_form;
/* The module as such a message: in protobuf's JSON mapping, on one line or indented, ended by a
 * newline; and on the wire. HLO_BAD_MODULE when the form cannot hold it: strings of JSON are UTF-8.
 */
HLO_API hlo_status hlo_write_json(hlo_module *module, hlo_message_form form, bool pretty,
                                  hlo_output *output, hlo_diags *diags);
HLO_API hlo_status hlo_write_proto(hlo_module *module, hlo_message_form form, hlo_output *output,
                                   hlo_diags *diags);
/* The same in the text format of protobuf, as its library prints it. */
HLO_API hlo_status hlo_write_pbtxt(hlo_module *module, hlo_message_form form, hlo_output *output,
                                   hlo_diags *diags);
/* How StableHLO prints operations: each in its own form, or all in one form. */
typedef enum { HLO_STABLEHLO_PRETTY, HLO_STABLEHLO_GENERIC } hlo_stablehlo_form;
/* The module as a StableHLO program, in MLIR text with locations: what XLA makes of it. An
 * instruction that has no counterpart there is an error with its place (rule stablehlo), and
 * HLO_BAD_MODULE. */
HLO_API hlo_status hlo_write_stablehlo(hlo_module *module, hlo_stablehlo_form form,
                                       hlo_output *output, hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
