/* Which form a source has, by its content. Called by from_module.c and src/api. */
#ifndef HLO_PROTO_DETECT_H
#define HLO_PROTO_DETECT_H

#include "base/source.h"
#include "proto/schema.h"

typedef enum { HLO_INPUT_TEXT, HLO_INPUT_JSON, HLO_INPUT_WIRE } hlo_input_form;

hlo_input_form hlo_input_form_of(const hlo_source *source);
/* HloModuleProto, HloProto or HloSnapshot. */
hlo_message_id hlo_json_message(const hlo_source *source);
hlo_message_id hlo_wire_message(const hlo_source *source);

/* Whether a file that begins with these bytes, a 0 behind them, holds a module as a message. Stricter
 * than hlo_input_form_of: other JSON and other binary files are not taken for one. */
bool hlo_starts_like_message(const char *start, size_t count);

#endif
