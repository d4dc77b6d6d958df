/* An instruction on its way from the parser's stacks into the module. Private to src/parse. */
#ifndef HLO_PARSE_FINISH_H
#define HLO_PARSE_FINISH_H

#include "parse/parser.h"

/* What places of errors about a draft are found by; the draft's context. */
typedef struct {
    hlo_parser *p;
    const hlo_pending *pending;
    hlo_span next; /* the token after the instruction */
} hlo_reading;

/* The sugar OP-start, -update, -done; `draft` is that of OP. */
hlo_instr *hlo_finish_async_sugar(hlo_parser *p, hlo_sugar sugar, hlo_draft *draft);

#endif
