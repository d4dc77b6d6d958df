/* Which form a source has, by its content. */
#ifndef HLO_PROTO_DETECT_H
#define HLO_PROTO_DETECT_H

#include "base/source.h"
#include "proto/schema.h"

typedef enum { HLO_INPUT_TEXT, HLO_INPUT_JSON, HLO_INPUT_WIRE } hlo_input_form;

hlo_input_form hlo_input_form_of(const hlo_source *source);
/* Whether bytes that a file starts with, some thousand of them, are those of a message of XLA, and
 * not of just any JSON or binary file. */
bool hlo_starts_like_message(const char *start, size_t count);
/* HloModuleProto, HloProto or HloSnapshot. */
hlo_message_id hlo_json_message(const hlo_source *source);
hlo_message_id hlo_wire_message(const hlo_source *source);

#endif
