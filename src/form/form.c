/* The form of instructions: what is asked of all of them, in the order in which it is checked. What
 * single opcodes ask for besides is in steps.h. */
#include "form/form.h"

#include <stdio.h>

#include "form/refuse.h"
#include "form/steps.h"
#include "shape/dialects.h"
#include "shape/infer.h"

/* ---- operand counts ---- */

/* async-update and async-done count with what else they demand of their operand. */
static bool counts_itself(const hlo_draft *d) {
    return d->opcode == HLO_OP_ASYNC_UPDATE || d->opcode == HLO_OP_ASYNC_DONE;
}

static bool refuse_count_of_text(const hlo_draft *d, unsigned faults) {
    HLO_ASSERT(faults);
    const hlo_op_info *op = hlo_form_op(d);
    uint32_t n = d->operand_count;
    bool few = faults & HLO_COUNT_FEW, uneven = faults & HLO_COUNT_UNEVEN;
    bool exactly = op->max_operands == op->min_operands;
    char wanted[64];
    if (uneven)
        snprintf(wanted, sizeof wanted, "an %s number of",
                 op->arity == HLO_ARITY_EVEN ? "even" : "odd");
    else snprintf(wanted, sizeof wanted, "%s%d", exactly ? "" : "at least ", op->min_operands);
    hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                    "%s takes %s operand%s, %u %s given", op->text, wanted,
                    op->min_operands == 1 && !uneven ? "" : "s", n, n == 1 ? "is" : "are");
    if (few) hlo_dialect_claims(d->diags, HLO_DIALECT_COUNT, d->opcode, "", 0);
    if (op->parser_counts && exactly) return false;
    hlo_form_note(d, HLO_PART_AROUND, "in this instruction");
    hlo_form_note_refusal(d, HLO_PART_NEXT);
    return false;
}

/* XLA's parser leaves some counts to the verifier, but for operands that it needs itself; of rng it
 * and the reader of messages need none. */
static bool check_count(const hlo_draft *d, unsigned faults) {
    HLO_ASSERT(faults);
    if (d->opcode == HLO_OP_RNG) return true;
    if (!hlo_form_is_text(d))
        return hlo_form_refuse(d, HLO_RULE_OPERAND_COUNT, HLO_PART_OPERANDS,
                               "%s cannot have %u operands", hlo_form_op(d)->text,
                               d->operand_count);
    bool parsers = hlo_form_op(d)->parser_counts || faults & HLO_COUNT_FEW;
    return counts_itself(d) || !parsers || refuse_count_of_text(d, faults);
}

/* ---- attributes ---- */

/* What an opcode asks for: most ask for nothing. Filled when the library is loaded. */
enum { HAS_REQUIRED = 1, HAS_DROPPED = 2, HAS_DEFAULTS = 4, HAS_CONTENT = 8, HAS_STEPS = 16 };
static uint8_t asks[HLO_OP_COUNT];

static bool is_filled_in(uint16_t attr) {
    const hlo_attr_info *info = &hlo_attr_table[attr & HLO_ATTR_MASK];
    return info->printed == HLO_PRINT_ALWAYS && !(attr & (HLO_ATTR_DROPPED | HLO_ATTR_REQUIRED));
}

__attribute__((constructor)) static void fill_asks(void) {
    for (int op = 0; op < HLO_OP_COUNT; op++) {
        const hlo_form_steps *steps = &hlo_form_steps_of[op];
        if (steps->respell || steps->relate || steps->reshape) asks[op] |= HAS_STEPS;
        if (hlo_ops[op].parens != HLO_PARENS_OPERANDS) asks[op] |= HAS_CONTENT;
        for (const uint16_t *a = hlo_ops[op].attrs; *a != HLO_ATTR_COUNT; a++) {
            if (*a & HLO_ATTR_REQUIRED) asks[op] |= HAS_REQUIRED;
            if (*a & HLO_ATTR_DROPPED) asks[op] |= HAS_DROPPED;
            if (is_filled_in(*a)) asks[op] |= HAS_DEFAULTS;
        }
    }
}

/* What a text has in its parentheses. */
static bool check_content(const hlo_draft *d) {
    bool number = hlo_form_op(d)->parens == HLO_PARENS_NUMBER;
    const char *name = hlo_form_op(d)->text, *what = number ? "a number" : "a literal";
    if (hlo_draft_attr(d, number ? HLO_ATTR_PARAMETER_NUMBER : HLO_ATTR_VALUE)) return true;
    if (hlo_form_is_text(d))
        return hlo_form_refuse(d, HLO_RULE_SYNTAX, HLO_PART_CLOSE,
                               "expected %s in the parentheses of %s", what, name);
    return hlo_form_refuse(d, HLO_RULE_MISSING_ATTRIBUTE, HLO_PART_OPCODE, "a %s requires %s", name,
                           what);
}

static bool refuse_missing(const hlo_draft *d, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const char *opcode = hlo_form_op(d)->text, *name = hlo_attr_table[id].text;
    if (hlo_form_is_message(d))
        return hlo_form_refuse(d, HLO_RULE_MISSING_ATTRIBUTE, HLO_PART_OPCODE,
                               "%s requires the fields of %s=", opcode, name);
    hlo_form_refuse(d, HLO_RULE_MISSING_ATTRIBUTE, HLO_PART_OPCODE,
                    "%s needs the attribute %s=", opcode, name);
    hlo_form_note_refusal(d, d->attr_count ? HLO_PART_AFTER_OPERANDS : HLO_PART_NEXT);
    hlo_form_suggest(d, id);
    return false;
}

static bool check_required(const hlo_draft *d) {
    for (const uint16_t *a = hlo_form_op(d)->attrs; *a != HLO_ATTR_COUNT; a++) {
        hlo_attr_id id = (hlo_attr_id)(*a & HLO_ATTR_MASK);
        if (*a & HLO_ATTR_REQUIRED && !hlo_draft_attr(d, id)) return refuse_missing(d, id);
    }
    return true;
}

/* Attributes that are read and checked but mean nothing later. */
static void drop_read_only(hlo_draft *d) {
    for (const uint16_t *a = hlo_form_op(d)->attrs; *a != HLO_ATTR_COUNT; a++)
        if (*a & HLO_ATTR_DROPPED) hlo_draft_drop(d, (hlo_attr_id)(*a & HLO_ATTR_MASK));
}

static const hlo_groups *no_groups(hlo_draft *d) {
    static const hlo_int_lists none = {0};
    hlo_groups *groups = HLO_NEW(&hlo_form_module(d)->arena, hlo_groups);
    groups->form = HLO_GROUPS_LIST;
    groups->lists = &none;
    return groups;
}

/* Optional attributes that are always printed get their default. */
static void fill_defaults(hlo_draft *d) {
    static const hlo_ints none = {0};
    for (const uint16_t *a = hlo_form_op(d)->attrs; *a != HLO_ATTR_COUNT; a++) {
        hlo_attr_id id = (hlo_attr_id)(*a & HLO_ATTR_MASK);
        if (!is_filled_in(*a) || hlo_draft_attr(d, id)) continue;
        hlo_attr attr = {.id = (uint16_t)id};
        switch (hlo_attr_table[id].kind) {
        case HLO_KIND_BOOL:
        case HLO_KIND_INT:
        case HLO_KIND_WORD: attr.u.i = hlo_attr_table[id].fallback; break;
        case HLO_KIND_INTS: attr.u.ints = &none; break;
        case HLO_KIND_GROUPS: attr.u.groups = no_groups(d); break;
        default: continue;
        }
        hlo_draft_add(d, attr);
    }
}

/* ---- shapes ---- */

static bool infer_shape(hlo_draft *d) {
    const char *opcode = hlo_form_op(d)->text;
    if (hlo_form_is_text(d) && !hlo_form_op(d)->shape_optional) {
        hlo_form_refuse(d, HLO_RULE_SHAPE_REQUIRED, HLO_PART_OPCODE,
                        "the result shape of %s must be written", opcode);
        hlo_form_note(d, HLO_PART_OPERANDS, "it cannot be inferred from the operands");
        hlo_hint(d->diags, "before the opcode, such as f32[2,3] %s", opcode);
        return false;
    }
    d->shape = hlo_infer(d, false);
    if (!d->shape)
        hlo_form_note(d, HLO_PART_OPCODE, "the result shape is inferred because it is not written");
    return d->shape != NULL;
}

void hlo_form_spread_sharding(hlo_draft *d) {
    if (!hlo_shape_is_tuple(d->shape)) return;
    hlo_attr *attr = hlo_draft_attr(d, HLO_ATTR_SHARDING);
    if (!attr || attr->u.sharding->kind == HLO_SHARDING_TUPLE) return;
    attr->u.sharding =
        hlo_sharding_for_shape(&hlo_form_module(d)->arena, attr->u.sharding, d->shape);
}

/* ---- what other instructions supply ---- */

void hlo_form_inherit_origin(hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_instr *tuple = hlo_operand(element, 0);
    if (tuple->opcode != HLO_OP_TUPLE || hlo_instr_attr(element, HLO_ATTR_ORIGIN)) return;
    int64_t index = hlo_attr_int(element, HLO_ATTR_INDEX);
    if (index < 0 || index >= tuple->operand_count) return; /* the verifier reports it */
    const hlo_attr *origin = hlo_instr_attr(hlo_operand(tuple, (uint32_t)index), HLO_ATTR_ORIGIN);
    if (origin) hlo_instr_set_attr(element, *origin);
}

/* ---- the whole ---- */

static bool run_step(hlo_draft *d, hlo_form_step *step) {
    return !step || step(d);
}

/* In the order in which XLA's parser finds errors. */
static bool check(hlo_draft *d, uint8_t ask) {
    HLO_ASSERT(d->opcode < HLO_OP_COUNT);
    const hlo_form_steps *steps = &hlo_form_steps_of[d->opcode];
    if (ask & HAS_CONTENT && !check_content(d)) return false;
    if (ask & HAS_STEPS && !run_step(d, steps->respell)) return false;
    if (ask & HAS_REQUIRED && !check_required(d)) return false;
    if (ask & HAS_STEPS && !run_step(d, steps->relate)) return false;
    return (d->shape || infer_shape(d)) && (!(ask & HAS_STEPS) || run_step(d, steps->reshape));
}

bool hlo_form_complete(hlo_draft *d) {
    HLO_ASSERT(d->opcode < HLO_OP_COUNT && d->diags);
    uint8_t ask = asks[d->opcode];
    unsigned faults = hlo_op_count_faults(d->opcode, d->operand_count);
    if ((faults && !check_count(d, faults)) || !check(d, ask)) return false;
    if (hlo_shape_is_tuple(d->shape)) hlo_form_spread_sharding(d);
    if (ask & HAS_DROPPED) drop_read_only(d);
    if (ask & HAS_DEFAULTS) fill_defaults(d);
    return true;
}

hlo_instr *hlo_form_make(hlo_draft *draft) {
    return hlo_form_complete(draft) ? hlo_draft_make(draft) : NULL;
}
