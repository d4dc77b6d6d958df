/* Lists of numbers and sizes of arrays in an old text. */
#include <stdio.h>

#include "base/text.h"
#include "legacy/old_text.h"

bool hlo_old_read_number(const hlo_old_text *t, hlo_span span, int64_t *value) {
    const int64_t most = INT64_C(10) * INT32_MAX;
    return hlo_int_from_text((hlo_str){t->text + span.lo, span.hi - span.lo, 0}, value) &&
           *value <= most && *value >= -most;
}

static void push_number(const hlo_old_text *t, hlo_old_numbers *list, hlo_span number) {
    int64_t value;
    bool good = list->n < HLO_OLD_MOST_DIMENSIONS && hlo_old_read_number(t, number, &value);
    if (good) list->v[list->n++] = value;
    else list->n = -1;
}

hlo_old_numbers hlo_old_read_numbers(const hlo_old_text *t, hlo_span in, char between) {
    hlo_old_numbers list = {.n = 0};
    for (uint32_t at = in.lo; at < in.hi && list.n >= 0;) {
        uint32_t end = at;
        while (end < in.hi && t->text[end] != between) end++;
        push_number(t, &list, (hlo_span){at, end});
        at = end + 1;
    }
    return list;
}

/* From bracket to bracket; the list may have blanks and comments. */
static hlo_old_numbers read_bracketed(const hlo_old_text *t, uint32_t open) {
    hlo_old_numbers list = {.n = 0};
    uint32_t end = hlo_old_brackets_end(t, open) - 1;
    hlo_span part;
    for (uint32_t at = open + 1; list.n >= 0 && hlo_old_next_part(t, &at, end, &part);)
        push_number(t, &list, part);
    return list;
}

hlo_old_numbers hlo_old_sizes(const hlo_old_text *t, hlo_span array) {
    hlo_span type = hlo_old_element_type(t, array);
    return type.hi > type.lo ? read_bracketed(t, type.hi) : (hlo_old_numbers){.n = -1};
}

hlo_old_numbers hlo_old_operand_sizes(const hlo_old_text *t, const hlo_old_statement *s,
                                      uint32_t operand) {
    hlo_span nowhere = {s->shape.lo, s->shape.lo};
    if (operand >= s->operand_count) return (hlo_old_numbers){.n = -1};
    return hlo_old_sizes(t, hlo_old_operand_shape(t, s, operand, nowhere));
}

hlo_old_numbers hlo_old_numbers_of(const hlo_old_text *t, const hlo_old_statement *s,
                                   const char *name) {
    const hlo_old_attr *attr = hlo_old_attribute(t, s, name);
    if (!attr || t->text[attr->value.lo] != '{') return (hlo_old_numbers){.n = -1};
    return read_bracketed(t, attr->value.lo);
}

const char *hlo_old_numbers_text(hlo_old_text *t, const hlo_old_numbers *list) {
    enum { WIDEST = 21 };
    char *text = hlo_arena_alloc(&t->arena, WIDEST * (size_t)(list->n > 0 ? list->n : 0) + 1);
    char *to = text;
    for (int i = 0; i < list->n; i++)
        to += sprintf(to, i ? ",%lld" : "%lld", (long long)list->v[i]);
    *to = 0;
    return text;
}
