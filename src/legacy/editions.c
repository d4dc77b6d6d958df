/* What one edition of the operation semantics means otherwise than today's text, and what it
 * forbids. */
#include "legacy/old_text.h"

/* ---- operands, values ---- */

void hlo_old_clamp_order(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "clamp") || s->operand_count != 3) continue;
        hlo_old_found(t, s->opcode);
        hlo_old_edit(t, s->operands[0].all, "%.*s", HLO_OLD(t, s->operands[1].all));
        hlo_old_edit(t, s->operands[1].all, "%.*s", HLO_OLD(t, s->operands[0].all));
    }
}

/* A constant in all places of the result. */
static const char *splat(hlo_old_text *t, const hlo_old_statement *s, const char *base,
                         const char *value) {
    hlo_span type = hlo_old_element_type(t, s->shape);
    const char *scalar = hlo_old_before(t, s, base, "%.*s[] constant(%s)", HLO_OLD(t, type), value);
    return hlo_old_before(t, s, base, "%.*s broadcast(%%%s), dimensions={}", HLO_OLD(t, s->shape),
                          scalar);
}

void hlo_old_sign_by_comparison(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_span type = hlo_old_element_type(t, s->shape);
        bool is_float = hlo_old_is_float(t, type);
        if (!hlo_old_is(t, s->opcode, "sign") || s->operand_count != 1 || !is_float) continue;
        hlo_span sizes = {type.hi, hlo_old_brackets_end(t, type.hi)}, x = s->operands[0].all;
        const char *zero = splat(t, s, "sign_zero", "0"), *one = splat(t, s, "sign_one", "1");
        const char *minus = splat(t, s, "sign_minus", "-1");
        const char *less =
            hlo_old_before(t, s, "sign_less", "pred%.*s compare(%.*s, %%%s), direction=LT",
                           HLO_OLD(t, sizes), HLO_OLD(t, x), zero);
        const char *other = hlo_old_before(t, s, "sign_other", "%.*s select(%%%s, %%%s, %%%s)",
                                           HLO_OLD(t, s->shape), less, minus, one);
        const char *equal =
            hlo_old_before(t, s, "sign_equal", "pred%.*s compare(%.*s, %%%s), direction=EQ",
                           HLO_OLD(t, sizes), HLO_OLD(t, x), zero);
        hlo_old_found(t, s->opcode);
        hlo_old_edit(t, s->opcode, "select");
        hlo_old_set_operands(t, s, "%%%s, %%%s, %%%s", equal, zero, other);
    }
}

/* ---- what an edition forbids ---- */

/* `2:4`: whether nothing is between the numbers. */
static bool is_empty_range(const hlo_old_text *t, hlo_span range) {
    hlo_span inner = {range.lo + 1, range.hi - 1};
    if (range.hi < range.lo + 2 || t->text[range.lo] != '[') return false;
    hlo_old_numbers ends = hlo_old_read_numbers(t, inner, ':');
    return ends.n >= 2 && ends.v[0] >= ends.v[1];
}

void hlo_old_empty_slice(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *slice = hlo_old_attribute(t, s, "slice");
        hlo_span range;
        if (!slice || t->text[slice->value.lo] != '{' || !hlo_old_is(t, s->opcode, "slice"))
            continue;
        for (uint32_t at = slice->value.lo + 1;
             hlo_old_next_part(t, &at, slice->value.hi - 1, &range);)
            if (is_empty_range(t, range))
                hlo_old_refuse(t, range,
                               "the edition of 2018 requires the limit of a slice to be greater "
                               "than its start");
    }
}

/* Notes the computations that the value names, alone or in a list. */
static void mark_named(const hlo_old_text *t, hlo_span value, bool *marks, bool *changed) {
    bool is_list = t->text[value.lo] == '{';
    uint32_t at = value.lo + is_list, end = value.hi - is_list;
    hlo_span part;
    while (hlo_old_next_part(t, &at, end, &part)) {
        const hlo_old_computation *c = hlo_old_find_computation(t, part);
        if (!c || marks[c - t->computations.v]) continue;
        marks[c - t->computations.v] = *changed = true;
    }
}

static bool names_computations(const hlo_old_text *t, const hlo_old_attr *attr) {
    hlo_str name = hlo_old_str(t, attr->name);
    for (int id = 0; id < HLO_ATTR_COUNT; id++) {
        hlo_attr_kind kind = hlo_attr_table[id].kind;
        if ((kind == HLO_KIND_COMPUTATION || kind == HLO_KIND_COMPUTATIONS) &&
            hlo_str_is(name, hlo_attr_table[id].text))
            return true;
    }
    return false;
}

/* The computations that loops call, directly or not; repeated until none is added. */
static void mark_looped(const hlo_old_text *t, bool *looped) {
    for (bool changed = true; changed;) {
        changed = false;
        HLO_OLD_EACH(t, s) {
            if (!hlo_old_is(t, s->opcode, "while") && !looped[s->computation]) continue;
            for (uint32_t i = 0; i < s->attr_count; i++)
                if (names_computations(t, &s->attrs[i]))
                    mark_named(t, s->attrs[i].value, looped, &changed);
        }
    }
}

void hlo_old_nested_while(hlo_old_text *t) {
    bool *looped = HLO_NEW_ARRAY(&t->arena, bool, t->computations.n + 1);
    memset(looped, 0, t->computations.n + 1);
    mark_looped(t, looped);
    HLO_OLD_EACH(t, s)
    if (hlo_old_is(t, s->opcode, "while") && looped[s->computation])
        hlo_old_refuse(t, s->opcode, "the edition of 2018 does not allow a while in another");
}

void hlo_old_inverted_gradient(hlo_old_text *t) {
    HLO_OLD_EACH(t, s)
    if (hlo_old_is(t, s->opcode, "batch-norm-grad"))
        hlo_old_refuse(t, s->opcode,
                       "the edition of 2018 multiplies by the root of the variance; later editions "
                       "and XLA divide by it");
}

static unsigned element_bits(const hlo_old_text *t, hlo_span array) {
    hlo_span type = hlo_old_element_type(t, array);
    hlo_type id = hlo_type_from_text(t->text + type.lo, type.hi - type.lo);
    return id == HLO_TYPE_COUNT ? 0 : hlo_types[id].bits;
}

void hlo_old_unequal_widths(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "bitcast-convert") || s->operand_count != 1) continue;
        unsigned to = element_bits(t, s->shape);
        unsigned from = element_bits(t, hlo_old_operand_shape(t, s, 0, s->shape));
        if (from && to && from != to)
            hlo_old_refuse(t, s->opcode,
                           "the edition of 2019 converts bits between types of one width: expected "
                           "%u bits, found %u",
                           from, to);
    }
}

/* 0, 1, ... */
static bool are_leading(const hlo_old_numbers *dims) {
    for (int i = 0; i < dims->n; i++)
        if (dims->v[i] != i) return false;
    return true;
}

void hlo_old_batch_order(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_old_numbers lhs = hlo_old_numbers_of(t, s, "lhs_batch_dims");
        hlo_old_numbers rhs = hlo_old_numbers_of(t, s, "rhs_batch_dims");
        if (hlo_old_is(t, s->opcode, "dot") && (!are_leading(&lhs) || !are_leading(&rhs)))
            hlo_old_refuse(t, s->opcode,
                           "the edition of 2019 requires the batch dimensions of both sides to be "
                           "the leading ones, in order");
    }
}
