/* An instruction on its way from the parser's stacks into the module. Private to src/parse. */
#ifndef HLO_PARSE_FINISH_H
#define HLO_PARSE_FINISH_H

#include <stdio.h>

#include "parse/parser.h"

typedef struct {
    hlo_parser *p;
    hlo_pending *pending;
    const hlo_name *name;
    hlo_span next;          /* the token behind the instruction */
    const hlo_shape *shape; /* as written, later as inferred or rebuilt */
} hlo_reading;

hlo_attr *hlo_reading_attr(const hlo_reading *r, hlo_attr_id id); /* NULL: not given */
void hlo_reading_set(hlo_reading *r, hlo_attr_id id, const void *value);
void hlo_reading_drop(hlo_reading *r, hlo_attr_id id);
hlo_instr *const *hlo_reading_operands(const hlo_reading *r);
uint32_t hlo_reading_count(const hlo_reading *r);
hlo_span hlo_reading_attr_at(const hlo_reading *r, const hlo_attr *attr);
hlo_span hlo_reading_operands_at(const hlo_reading *r);
hlo_span hlo_reading_operand_at(const hlo_reading *r, uint32_t i);
hlo_span hlo_reading_behind_operands(const hlo_reading *r);
/* An error at the opcode, or elsewhere, the message behind the opcode and a colon; both are false.
 */
bool hlo_reading_fail(hlo_reading *r, hlo_rule rule, const char *message);
bool hlo_reading_fail_at(hlo_reading *r, hlo_rule rule, hlo_span at, const char *message);
hlo_instr *hlo_reading_make(hlo_reading *r);

/* src/parse/normalise.c: by opcode, in this order: spellings and missing attributes that XLA's
 * parser forgives; relations between attributes and operands; shapes that it rebuilds. */
bool hlo_normalise(hlo_reading *r);
bool hlo_normalise_values(hlo_reading *r);
bool hlo_normalise_shape(hlo_reading *r);
const hlo_groups *hlo_no_groups(hlo_parser *p);

/* src/parse/async_sugar.c */
hlo_instr *hlo_finish_async_sugar(hlo_reading *r);
bool hlo_check_async_done(hlo_reading *r);

#endif
