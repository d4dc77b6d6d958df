/* The opcode table made from ops.def, and finding a row by its spelling. */
#include "ir/ops.h"

#include <assert.h>

#include "base/spellings.h"

/* The columns of ops.def. */
#define TAKES(least, most, kind, checked)                                       \
    .min_operands = (least), .max_operands = (most), .arity = HLO_ARITY_##kind, \
    .parser_counts = HLO_CHECKED_BY_##checked
#define TEXT(shape, parentheses) \
    .shape_optional = HLO_SHAPE_##shape, .parens = HLO_PARENS_##parentheses
#define CLASS(name) .class = HLO_CLASS_##name
#define FLAGS(set) .flags = (set)
#define ELEMENTS(set) .elements = HLO_ELEMENTS_##set
#define PRECISION(operands, result) \
    .mixes_precisions = HLO_PRECISION_##operands, .keeps_precision = HLO_IS_##result
#define LAYOUT(result) .keeps_layout = HLO_IS_##result
#define RESULT(memory) .result = HLO_RESULT_##memory
#define COST(does, touches) .work = HLO_WORK_##does, .traffic = HLO_TRAFFIC_##touches
#define ATTRS(...)                  \
    .attrs = (const uint16_t[]) {   \
        __VA_ARGS__, HLO_ATTR_COUNT \
    }

#define HLO_CHECKED_BY_PARSER true
#define HLO_CHECKED_BY_VERIFIER false
#define HLO_SHAPE_OMIT true
#define HLO_SHAPE_STATE false
#define HLO_PRECISION_ONE false
#define HLO_PRECISION_MIXED true
#define HLO_IS_FREE false
#define HLO_IS_KEPT true

enum { /* entries of FLAGS */
#define HLO_OP_FLAG(name) name = HLO_OP_##name,
       HLO_OP_FLAGS(HLO_OP_FLAG)
#undef HLO_OP_FLAG
};

/* Entries of ATTRS. */
#define R(id) (HLO_ATTR_##id | HLO_ATTR_REQUIRED)
#define O(id) HLO_ATTR_##id
#define D(id) (HLO_ATTR_##id | HLO_ATTR_DROPPED)
#define NONE HLO_ATTR_COUNT

/* Each row has each column, or does not compile. */
const hlo_op_info hlo_ops[HLO_OP_COUNT] = {
#define HLO_OP(id, spelling, rule, kernel, takes, form, class, flags, elements, precision, layout, \
               result, cost, attrs)                                                                \
    [HLO_OP_##id] = {.text = spelling,                                                             \
                     takes,                                                                        \
                     form,                                                                         \
                     class,                                                                        \
                     flags,                                                                        \
                     elements,                                                                     \
                     precision,                                                                    \
                     layout,                                                                       \
                     result,                                                                       \
                     cost,                                                                         \
                     attrs},
#include "ir/ops.def"
#undef HLO_OP
};

static_assert((int)HLO_ATTR_COUNT < (int)HLO_ATTR_MASK, "marks do not collide with attribute ids");

static hlo_spellings spellings;
static_assert((int)HLO_OP_COUNT <= HLO_MOST_SPELLINGS, "each operation has a spelling");

__attribute__((constructor)) static void add_spellings(void) {
    for (unsigned op = 0; op < HLO_OP_COUNT; op++)
        hlo_spelling_add(&spellings, op, hlo_ops[op].text);
}

hlo_opcode hlo_op_from_text(const char *text, size_t n) {
    int op = hlo_spelling_find(&spellings, text, n);
    return op < 0 ? HLO_OP_COUNT : (hlo_opcode)op;
}

hlo_nearest hlo_op_nearest(const char *text, size_t n) {
    hlo_nearest search = hlo_nearest_to(text, n);
    for (int op = 0; op < HLO_OP_COUNT; op++)
        hlo_nearest_try(&search, hlo_ops[op].text, spellings.length[op], false);
    return search;
}

/* For each attribute the first row of its spelling: rows that share one compare equal by it. */
static uint8_t spelling[HLO_ATTR_COUNT];
static_assert(HLO_ATTR_COUNT < 256, "an attribute id fits a byte");

__attribute__((constructor)) static void fill_spellings(void) {
    for (unsigned id = 0; id < HLO_ATTR_COUNT; id++) {
        unsigned first = 0;
        const char *text = hlo_attr_table[id].text;
        while (hlo_attr_table[first].text[0] != text[0] ||
               strcmp(hlo_attr_table[first].text, text) != 0)
            first++;
        spelling[id] = (uint8_t)first;
    }
}

unsigned hlo_op_attr(hlo_opcode op, hlo_attr_id spelled) {
    HLO_ASSERT(op < HLO_OP_COUNT && spelled < HLO_ATTR_COUNT);
    if (hlo_attr_table[spelled].place == HLO_PLACE_COMMON) return spelled;
    for (const uint16_t *a = hlo_ops[op].attrs; *a != HLO_ATTR_COUNT; a++)
        if (spelling[*a & HLO_ATTR_MASK] == spelling[spelled]) return *a;
    return HLO_ATTR_COUNT;
}

/* The common tail (sharding ... backend_config) comes after all own attributes; result_accuracy
 * is an own attribute that is printed inside the tail. */
unsigned hlo_op_attr_order(hlo_opcode op, hlo_attr_id id) {
    HLO_ASSERT(op < HLO_OP_COUNT && id < HLO_ATTR_COUNT);
    if (id >= HLO_ATTR_SHARDING && id <= HLO_ATTR_BACKEND_CONFIG) return 1000u + id;
    unsigned place = 0;
    for (const uint16_t *a = hlo_ops[op].attrs; *a != HLO_ATTR_COUNT; a++, place++)
        if ((*a & HLO_ATTR_MASK) == id) return place;
    return 999;
}
