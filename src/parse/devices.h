/* A dataflow graph in parts, one for each device: see devices.c. Private to src/parse. */
#ifndef HLO_PARSE_DEVICES_H
#define HLO_PARSE_DEVICES_H

#include "ir/ir.h"

typedef hlo_status hlo_parse_part(hlo_source *source, hlo_diags *diags, hlo_module **out);

/* Whether the text is several modules with is_dataflow=true in their headers. */
bool hlo_is_text_of_devices(const hlo_source *source);
/* Parses each by `parse`, and links them by hlo_module.next_device. */
hlo_status hlo_parse_devices(hlo_source *source, hlo_parse_part *parse, hlo_diags *diags,
                             hlo_module **out);

#endif
