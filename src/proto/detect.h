/* Which form a source has, by its content. */
#ifndef HLO_PROTO_DETECT_H
#define HLO_PROTO_DETECT_H

#include "base/source.h"
#include "proto/proto.h"
#include "proto/schema.h"

typedef enum { HLO_INPUT_TEXT, HLO_INPUT_JSON, HLO_INPUT_WIRE, HLO_INPUT_PBTXT } hlo_input_form;

hlo_input_form hlo_input_form_of(const hlo_source *source);
/* Whether bytes that a file starts with, some thousand of them, are those of a message of XLA, and
 * not of just any JSON, text protobuf or binary file. */
bool hlo_starts_like_message(const char *start, size_t count);

/* HloModuleProto, HloProto, HloSnapshot or HloUnoptimizedSnapshot, in the bytes [at, end) of a
 * source: all but for the length before an HloUnoptimizedSnapshot and the literals after it. */
typedef struct {
    hlo_message_id id;
    uint32_t at, end;
} hlo_message_place;

hlo_message_place hlo_message_in(const hlo_source *source, hlo_proto_form form);

#endif
