/* Arguments of functions of the operation semantics that are one attribute today, or none: bounds
 * of slices, padding, what a composite call is, what the result shape has. */
#include "base/buf.h"
#include "legacy/old_text.h"

/* Instead of the first attribute `text`, which is freed; the others, which may be NULL, go. */
static void replace_attributes(hlo_old_text *t, hlo_buf *text, const hlo_old_attr *const *attrs,
                               int count) {
    const hlo_old_attr *first = attrs[0];
    hlo_old_edit(t, (hlo_span){first->name.lo, first->value.hi}, "%.*s", (int)text->len,
                 text->data);
    for (int i = 1; i < count; i++)
        if (attrs[i]) hlo_old_remove_attr(t, attrs[i]);
    hlo_buf_free(text);
}

/* ---- what the result shape has ---- */

static void drop_element_type(hlo_old_text *t, const hlo_old_statement *s,
                              const hlo_old_attr *attr) {
    hlo_span type = hlo_old_element_type(t, s->shape);
    hlo_old_found(t, attr->name);
    if (type.hi > type.lo && hlo_str_equal(hlo_old_str(t, type), hlo_old_str(t, attr->value)))
        hlo_old_remove_attr(t, attr);
    else
        hlo_old_refuse(t, attr->value, "new_element_type is %.*s, and the result is %.*s",
                       HLO_OLD(t, attr->value), HLO_OLD(t, s->shape));
}

void hlo_old_drop_sizes(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_attr *attr,
                        const char *name) {
    hlo_old_numbers sizes = hlo_old_numbers_of(t, s, name), result;
    result = hlo_old_sizes(t, s->shape);
    bool same = sizes.n >= 0 && sizes.n == result.n;
    for (int i = 0; i < sizes.n && same; i++) same = sizes.v[i] == result.v[i];
    hlo_old_found(t, attr->name);
    if (same) hlo_old_remove_attr(t, attr);
    else
        hlo_old_refuse(t, attr->value, "%s is %.*s, and the result is %.*s", name,
                       HLO_OLD(t, attr->value), HLO_OLD(t, s->shape));
}

void hlo_old_result_arguments(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *type = hlo_old_attribute(t, s, "new_element_type");
        const hlo_old_attr *sizes = hlo_old_attribute(t, s, "new_sizes");
        bool converts =
            hlo_old_is(t, s->opcode, "convert") || hlo_old_is(t, s->opcode, "bitcast-convert");
        if (type && converts) drop_element_type(t, s, type);
        if (sizes && hlo_old_is(t, s->opcode, "reshape"))
            hlo_old_drop_sizes(t, s, sizes, "new_sizes");
    }
}

/* ---- arguments in the parentheses ---- */

static bool is_number(const hlo_old_text *t, hlo_span at) {
    for (uint32_t i = at.lo; i < at.hi; i++)
        if (t->text[i] < '0' || t->text[i] > '9') return false;
    return at.hi > at.lo;
}

void hlo_old_listed_arguments(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (s->operand_count != 2 || !is_number(t, s->operands[1].all)) continue;
        hlo_span first = s->operands[0].all, number = s->operands[1].all;
        bool is_list = first.hi > first.lo + 1 && t->text[first.lo] == '{';
        if (hlo_old_is(t, s->opcode, "get-tuple-element")) {
            hlo_old_found(t, number);
            hlo_old_set_operands(t, s, "%.*s", HLO_OLD(t, first));
            hlo_old_add_attr(t, s, ", index=%.*s", HLO_OLD(t, number));
        } else if (hlo_old_is(t, s->opcode, "concatenate") && is_list) {
            hlo_span inside = {first.lo + 1, first.hi - 1};
            hlo_old_found(t, number);
            hlo_old_set_operands(t, s, "%.*s", HLO_OLD(t, inside));
            hlo_old_add_attr(t, s, ", dimensions={%.*s}", HLO_OLD(t, number));
        }
    }
}

/* ---- slices ---- */

void hlo_old_slice_bounds(hlo_old_text *t) {
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attrs[3];
        hlo_old_numbers values[3];
        for (int i = 0; i < 3; i++) {
            attrs[i] = hlo_old_attribute(t, s, names[i]);
            values[i] = hlo_old_numbers_of(t, s, names[i]);
        }
        if (!attrs[0] || !hlo_old_is(t, s->opcode, "slice")) continue;
        int rank = values[0].n;
        hlo_old_found(t, attrs[0]->name);
        if (rank < 0 || values[1].n != rank || (attrs[2] && values[2].n != rank)) {
            hlo_old_refuse(t, attrs[0]->name,
                           "expected start_indices=, limit_indices= and, if given, strides= to be "
                           "lists of one number for each dimension");
            continue;
        }
        hlo_buf text = HLO_BUF_INIT;
        hlo_buf_lit(&text, "slice={");
        for (int i = 0; i < rank; i++)
            hlo_buf_printf(&text, "%s[%lld:%lld:%lld]", i ? "," : "", (long long)values[0].v[i],
                           (long long)values[1].v[i], attrs[2] ? (long long)values[2].v[i] : 1);
        hlo_buf_char(&text, '}');
        replace_attributes(t, &text, attrs, 3);
    }
}

/* ---- pad ---- */

/* The numbers of one argument; zeros where it is not given. */
static hlo_old_numbers edge_padding(const hlo_old_text *t, const hlo_old_statement *s,
                                    const char *name, int rank) {
    if (hlo_old_attribute(t, s, name)) return hlo_old_numbers_of(t, s, name);
    hlo_old_numbers zeros = {.n = rank};
    return zeros;
}

/* Edges may be negative, what stands between elements not: there is no text for that. */
static bool refuse_interior(hlo_old_text *t, const hlo_old_attr *attr,
                            const hlo_old_numbers *values) {
    for (int i = 0; i < values->n; i++) {
        if (values->v[i] >= 0) continue;
        hlo_old_refuse(t, attr->value,
                       "interior_padding is %lld along dimension %d, and is not negative",
                       (long long)values->v[i], i);
        return true;
    }
    return false;
}

void hlo_old_padding_config(hlo_old_text *t) {
    static const char *const names[] = {"edge_padding_low", "edge_padding_high",
                                        "interior_padding"};
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *given[3];
        int count = 0, rank = hlo_old_operand_sizes(t, s, 0).n;
        for (int i = 0; i < 3; i++) {
            const hlo_old_attr *attr = hlo_old_attribute(t, s, names[i]);
            if (attr) given[count++] = attr;
        }
        if (!count || !hlo_old_is(t, s->opcode, "pad")) continue;
        hlo_old_numbers values[3];
        bool good = rank > 0;
        for (int i = 0; i < 3; i++) {
            values[i] = edge_padding(t, s, names[i], rank);
            good = good && values[i].n == rank;
        }
        hlo_old_found(t, given[0]->name);
        if (!good) {
            hlo_old_refuse(t, given[0]->name,
                           "expected lists of one number for each dimension of the operand");
            continue;
        }
        if (refuse_interior(t, hlo_old_attribute(t, s, "interior_padding"), &values[2])) continue;
        hlo_buf text = HLO_BUF_INIT;
        for (int i = 0; i < rank; i++)
            hlo_buf_printf(&text, "%s%lld_%lld_%lld",
                           i ? "x" : "padding=", (long long)values[0].v[i],
                           (long long)values[1].v[i], (long long)values[2].v[i]);
        replace_attributes(t, &text, given, count);
    }
}

/* ---- composite calls ---- */

static void put_composite(const hlo_old_text *t, const hlo_old_attr *const attrs[3], hlo_buf *to) {
    hlo_buf_lit(to, "is_composite=true, frontend_attributes={");
    if (attrs[1]) hlo_buf_printf(to, "composite.attributes=%.*s,", HLO_OLD(t, attrs[1]->value));
    hlo_buf_printf(to, "composite.name=%.*s,composite.version=\"", HLO_OLD(t, attrs[0]->value));
    if (attrs[2]) hlo_buf_printf(to, "%.*s", HLO_OLD(t, attrs[2]->value));
    else hlo_buf_char(to, '0');
    hlo_buf_lit(to, "\"}");
}

void hlo_old_composite_call(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "composite-call")) continue;
        const hlo_old_attr *attrs[] = {hlo_old_attribute(t, s, "name"),
                                       hlo_old_attribute(t, s, "composite_attributes"),
                                       hlo_old_attribute(t, s, "version")};
        hlo_old_found(t, s->opcode);
        if (!attrs[0] || hlo_old_attribute(t, s, "frontend_attributes")) {
            hlo_old_refuse(t, s->opcode,
                           "expected name= and no frontend_attributes=, which hold the name, the "
                           "attributes and the version");
            continue;
        }
        hlo_buf text = HLO_BUF_INIT;
        put_composite(t, attrs, &text);
        hlo_old_edit(t, s->opcode, "call");
        replace_attributes(t, &text, attrs, 3);
        const hlo_old_attr *computation = hlo_old_attribute(t, s, "computation");
        if (computation) hlo_old_edit(t, computation->name, "to_apply");
    }
}
