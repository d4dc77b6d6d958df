/* Modules as HloModuleProto: on the wire, in JSON and as text. */
#ifndef HLO_PROTO_PROTO_H
#define HLO_PROTO_PROTO_H

#include <hlo/text.h>

#include "ir/ir.h"

typedef enum {
    HLO_PROTO_WIRE,
    HLO_PROTO_JSON,
    HLO_PROTO_PRETTY_JSON, /* to be written; what is read is JSON */
    HLO_PROTO_PBTXT
} hlo_proto_form;

/* Writes the module as a message in a form. HLO_BAD_MODULE when the form cannot hold it: strings of
 * JSON are UTF-8, and a literal on the wire has less than 4 GiB. */
hlo_status hlo_proto_write(hlo_module *module, hlo_message_form message, hlo_proto_form form,
                           hlo_buf *to, hlo_diags *diags);

/* Reads an HloModuleProto, or an HloProto or a snapshot around one. Same contract as hlo_parse. */
hlo_status hlo_proto_read(hlo_source *source, hlo_proto_form form, hlo_diags *diags,
                          hlo_module **out);

/* Attributes of the text's header that the messages have no field for travel as frontend attributes
 * of the module whose names start so. */
#define HLO_HEADER_PREFIX "hlo_header."

#endif
