/* The forms in which hlo-opt writes modules, as its --emit lists them. */
#ifndef HLO_CMD_EMIT_H
#define HLO_CMD_EMIT_H

#include <hlo.h>
#include <stdbool.h>

#include "literals.h"
#include "options.h"

enum {
    EMIT_TEXT,
    EMIT_JSON,
    EMIT_PROTO,
    EMIT_PBTXT,
    EMIT_HLO_JSON, /* this and the following two: an HloProto around the module */
    EMIT_HLO_PROTO,
    EMIT_HLO_PBTXT,
    EMIT_STABLEHLO, /* each operation in its own form; or all in the generic one */
    EMIT_STABLEHLO_GENERIC
};
#define EMIT_FORMS "text|json|proto|pbtxt|hlo-json|hlo-proto|hlo-pbtxt|stablehlo|stablehlo-generic"

typedef struct {
    int form;             /* one of EMIT_... */
    bool proto;           /* the same as EMIT_PROTO, from a separate option */
    bool pretty, compact; /* JSON on many lines, or one */
    bool hash;            /* a line with the module's hash instead of any form */
    int style, literals;  /* of the text, as the command line has them */
    hlo_text_options text;
} emit_options;

/* Forms whose files hold one module. */
static inline bool emit_is_binary(int form) {
    return form == EMIT_PROTO || form == EMIT_HLO_PROTO;
}
/* The text format of protobuf. */
static inline bool emit_is_pbtxt(int form) {
    return form == EMIT_PBTXT || form == EMIT_HLO_PBTXT;
}

/* Settles the form; NULL, or what cannot be together. A terminal does not get all elements of the
 * constants that passes made: nothing reads them again. */
const char *emit_read(emit_options *options, const common_options *common);

/* Writes one of the modules of an output, `written` of which are there already. */
hlo_status emit_module(hlo_module *module, const emit_options *options, size_t written,
                       hlo_output *output, hlo_diags *diags);

#endif
