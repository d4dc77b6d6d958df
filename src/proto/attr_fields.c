/* Which fields of HloInstructionProto the instructions of an opcode have: attr_fields.def and the
 * lists of ops.def put together. */
#include "proto/attr_fields.h"

#define ANY_OPCODE HLO_OP_COUNT
#define HLO_OP_ANY HLO_OP_COUNT
#define ALWAYS true
#define GIVEN false
#define INSTR(field) HLO_FIELD_HloInstructionProto_##field
#define P(field)     \
    1, {             \
        INSTR(field) \
    }
#define P2(outer, message, field)                   \
    2, {                                            \
        INSTR(outer), HLO_FIELD_##message##_##field \
    }
#define P3(outer, message, inner, inner_message, field)                                  \
    3, {                                                                                 \
        INSTR(outer), HLO_FIELD_##message##_##inner, HLO_FIELD_##inner_message##_##field \
    }

static const hlo_attr_field attr_rows[] = {
#define HLO_ATTR_FIELD(attr, op, form, presence, ...) \
    {HLO_ATTR_##attr, HLO_OP_##op, HLO_FORM_##form, presence, __VA_ARGS__},
#include "proto/attr_fields.def"
#undef HLO_ATTR_FIELD
};
enum { ATTR_ROWS = sizeof attr_rows / sizeof *attr_rows };

static const hlo_attr_field fixed_rows[] = {
    {HLO_ATTR_COUNT, ANY_OPCODE, HLO_FORM_NAME, ALWAYS, P(name)},
    {HLO_ATTR_COUNT, ANY_OPCODE, HLO_FORM_OPCODE, ALWAYS, P(opcode)},
    {HLO_ATTR_COUNT, ANY_OPCODE, HLO_FORM_RESULT, ALWAYS, P(shape)},
    {HLO_ATTR_COUNT, ANY_OPCODE, HLO_FORM_ID, ALWAYS, P(id)},
    {HLO_ATTR_COUNT, ANY_OPCODE, HLO_FORM_OPERANDS, ALWAYS, P(operand_ids)},
    {HLO_ATTR_COUNT, ANY_OPCODE, HLO_FORM_CALLED, ALWAYS, P(called_computation_ids)},
};
enum { FIXED_ROWS = sizeof fixed_rows / sizeof *fixed_rows };

/* Does the opcode's own list have the attribute? Dropped ones never get into a module. */
static bool has_own(hlo_opcode opcode, unsigned attr) {
    for (const uint16_t *a = hlo_ops[opcode].attrs; *a != HLO_ATTR_COUNT; a++)
        if ((*a & HLO_ATTR_MASK) == attr) return !(*a & HLO_ATTR_DROPPED);
    return false;
}

static bool applies(const hlo_attr_field *row, hlo_opcode opcode) {
    if (row->opcode != HLO_OP_COUNT && row->opcode != opcode) return false;
    hlo_attr_place place = hlo_attr_table[row->attr].place;
    if (row->attr == HLO_ATTR_PARAMETER_NUMBER) return opcode == HLO_OP_PARAMETER;
    if (row->attr == HLO_ATTR_VALUE) return opcode == HLO_OP_CONSTANT;
    return place == HLO_PLACE_COMMON || has_own(opcode, row->attr);
}

static bool comes_before(const hlo_attr_field *a, const hlo_attr_field *b) {
    for (int i = 0; i < a->depth && i < b->depth; i++)
        if (a->path[i] != b->path[i]) return a->path[i] < b->path[i];
    return a->depth < b->depth;
}

static uint32_t collect(hlo_opcode opcode, const hlo_attr_field *fields[HLO_MOST_INSTR_FIELDS]) {
    uint32_t n = 0;
    for (size_t i = 0; i < FIXED_ROWS; i++) fields[n++] = &fixed_rows[i];
    for (size_t i = 0; i < ATTR_ROWS && n < HLO_MOST_INSTR_FIELDS; i++) {
        if (!applies(&attr_rows[i], opcode)) continue;
        /* The row for one opcode comes before the one for all. */
        const hlo_attr_field *last = fields[n - 1];
        if (last->opcode != ANY_OPCODE && last->attr == attr_rows[i].attr) continue;
        fields[n++] = &attr_rows[i];
    }
    for (uint32_t i = 1; i < n; i++) {
        const hlo_attr_field *moving = fields[i];
        uint32_t at = i;
        for (; at && comes_before(moving, fields[at - 1]); at--) fields[at] = fields[at - 1];
        fields[at] = moving;
    }
    return n;
}

const hlo_attr_field *const *hlo_instr_fields(hlo_instr_fields_cache *cache, hlo_opcode opcode,
                                              uint32_t *n) {
    if (!cache->of[opcode].n) {
        const hlo_attr_field *fields[HLO_MOST_INSTR_FIELDS];
        uint32_t count = collect(opcode, fields);
        size_t size = count * sizeof *fields;
        cache->of[opcode].v = memcpy(hlo_malloc(size), fields, size);
        cache->of[opcode].n = count;
    }
    *n = cache->of[opcode].n;
    return cache->of[opcode].v;
}

void hlo_instr_fields_free(hlo_instr_fields_cache *cache) {
    for (size_t i = 0; i < HLO_OP_COUNT; i++) hlo_free(cache->of[i].v);
}
