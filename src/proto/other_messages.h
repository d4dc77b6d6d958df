/* Messages of XLA, and flatbuffers of JAX, that hold no module. */
#ifndef HLO_PROTO_OTHER_MESSAGES_H
#define HLO_PROTO_OTHER_MESSAGES_H

#include "parse/foreign_kinds.h"

/* Which one a binary file that starts with these bytes is; NULL: none of them, perhaps a module. */
const hlo_foreign_kind *hlo_other_message(const char *start, size_t count);

#endif
