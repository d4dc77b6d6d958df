/* The table of attr_fields.def: which field of HloInstructionProto carries which attribute, and
 * how. */
#ifndef HLO_PROTO_ATTR_FIELDS_H
#define HLO_PROTO_ATTR_FIELDS_H

#include "base/arena.h"
#include "ir/ops.h"
#include "proto/schema.h"

/* How a value is written and read (forms.def). */
typedef enum {
#define HLO_FORM(id, ...) HLO_FORM_##id,
#include "proto/forms.def"
#undef HLO_FORM
    HLO_FORM_COUNT_OF_FORMS
} hlo_form;

typedef struct {
    uint16_t attr;   /* hlo_attr_id; HLO_ATTR_COUNT: none */
    uint16_t opcode; /* HLO_OP_COUNT: any */
    uint8_t form;
    bool always;
    uint8_t depth;    /* of the path */
    uint16_t path[3]; /* hlo_field_id: messages, then the field itself */
} hlo_attr_field;

enum { HLO_MOST_INSTR_FIELDS = 64 };

/* The fields of opcodes' instructions, made when an opcode is first met. Starts as zeros. */
typedef struct {
    struct {
        uint32_t n; /* 0: not met yet */
        const hlo_attr_field **v;
    } of[HLO_OP_COUNT];
} hlo_instr_fields_cache;

/* In the order of their numbers; *n: how many. Valid as long as the cache. */
const hlo_attr_field *const *hlo_instr_fields(hlo_instr_fields_cache *cache, hlo_opcode opcode,
                                              uint32_t *n);
void hlo_instr_fields_free(hlo_instr_fields_cache *cache);

static inline const hlo_proto_field *hlo_attr_field_of(const hlo_attr_field *row) {
    return &hlo_fields[row->path[row->depth - 1]];
}

#endif
