/* Old attributes that are more than another name (those are rows in forms.def), and the attributes
 * of asynchronous chains. */
#include <strings.h>

#include "legacy/old_text.h"

/* What is blank may stand after the sign, but not before it. */
void hlo_old_blank_equals(hlo_old_text *t) {
    HLO_OLD_EACH(t, s)
    for (uint32_t i = 0; i < s->attr_count; i++) {
        hlo_span name = s->attrs[i].name;
        uint32_t equals = hlo_old_skip_blanks(t, name.hi);
        if (equals == name.hi) continue;
        hlo_old_found(t, name);
        hlo_old_remove(t, (hlo_span){name.hi, equals});
    }
}

void hlo_old_cross_program_prefetch(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "is_cross_program_prefetch");
        if (!attr) continue;
        hlo_old_found(t, attr->name);
        if (hlo_old_is(t, attr->value, "true"))
            hlo_old_edit(t, (hlo_span){attr->name.lo, attr->value.hi},
                         "cross_program_prefetch_index=0");
        else hlo_old_remove_attr(t, attr);
    }
}

void hlo_old_packed_nibble(hlo_old_text *t) {
    static const char word[] = "PACKED_NIBBLE";
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "operand_precision");
        if (!attr || t->text[attr->value.lo] != '{') continue;
        hlo_span part;
        for (uint32_t at = attr->value.lo + 1;
             hlo_old_next_part(t, &at, attr->value.hi - 1, &part);) {
            bool is_old = part.hi - part.lo == sizeof word - 1 &&
                          strncasecmp(t->text + part.lo, word, sizeof word - 1) == 0;
            if (is_old) hlo_old_found(t, part);
            if (is_old) hlo_old_edit(t, part, "default");
        }
    }
}

/* `key=value` in metadata, and the blanks before it, from the brace at `at` on. */
static hlo_span find_key(const hlo_old_text *t, uint32_t at, uint32_t end, const char *key) {
    size_t n = strlen(key);
    for (at++; at < end;) {
        uint32_t from = hlo_old_skip_blanks(t, at), to = hlo_old_word_end(t, from);
        if (to - from == n && memcmp(t->text + from, key, n) == 0 && t->text[to] == '=')
            return (hlo_span){at, hlo_old_word_end(t, to + 1)};
        at = to > from ? to : hlo_old_next(t, from);
    }
    return (hlo_span){0, 0};
}

void hlo_old_preserve_layout(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "metadata");
        if (!attr || t->text[attr->value.lo] != '{') continue;
        hlo_span key = find_key(t, attr->value.lo, attr->value.hi, "preserve_layout");
        if (!key.hi) continue;
        hlo_old_found(t, (hlo_span){hlo_old_skip_blanks(t, key.lo), key.hi});
        bool alone =
            key.lo == attr->value.lo + 1 && hlo_old_skip_blanks(t, key.hi) == attr->value.hi - 1;
        if (alone) hlo_old_remove_attr(t, attr);
        else hlo_old_remove(t, key);
    }
}

void hlo_old_sparse_dot(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "sparsity");
        if (!attr || !hlo_old_is(t, s->opcode, "dot")) continue;
        hlo_old_found(t, attr->name);
        hlo_old_refuse(t, (hlo_span){attr->name.lo, attr->value.hi},
                       "a dot of operands stored as sparse has no meaning today: both are dense");
    }
}

/* ---- asynchronous chains ---- */

/* The opcode that an update or a done of a chain is, written with the name of what it wraps or not;
 * HLO_OP_COUNT: neither. */
static hlo_opcode link_opcode(const hlo_old_text *t, const hlo_old_statement *s) {
    static const struct {
        const char *end;
        hlo_opcode op;
    } ends[] = {{"-update", HLO_OP_ASYNC_UPDATE}, {"-done", HLO_OP_ASYNC_DONE}};
    hlo_str word = hlo_old_str(t, s->opcode);
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(ends[i].end);
        if (word.len <= n || memcmp(word.ptr + word.len - n, ends[i].end, n) != 0) continue;
        hlo_opcode whole = hlo_op_from_text(word.ptr, word.len);
        return whole == HLO_OP_COUNT ? ends[i].op : whole == ends[i].op ? whole : HLO_OP_COUNT;
    }
    return HLO_OP_COUNT;
}

/* An attribute of some operation, but not of this one. */
static bool is_others(hlo_str name, hlo_opcode op) {
    bool known = false;
    for (int id = 0; id < HLO_ATTR_COUNT; id++) {
        if (!hlo_str_is(name, hlo_attr_table[id].text)) continue;
        if (hlo_op_attr(op, (hlo_attr_id)id) != HLO_ATTR_COUNT) return false;
        known = true;
    }
    return known;
}

void hlo_old_async_attributes(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_opcode op = link_opcode(t, s);
        if (op == HLO_OP_COUNT || !s->operand_count) continue;
        for (uint32_t i = 0; i < s->attr_count; i++) {
            if (!is_others(hlo_old_str(t, s->attrs[i].name), op)) continue;
            hlo_old_found(t, s->attrs[i].name);
            hlo_old_remove_attr(t, &s->attrs[i]);
        }
    }
}

static const hlo_old_statement *chain_start(const hlo_old_text *t, const hlo_old_statement *s) {
    while (s && link_opcode(t, s) != HLO_OP_COUNT) s = hlo_old_definition(t, s, 0);
    return s;
}

void hlo_old_async_calls(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (link_opcode(t, s) == HLO_OP_COUNT) continue;
        const hlo_old_attr *mine = hlo_old_attribute(t, s, "calls");
        const hlo_old_statement *start = mine ? chain_start(t, s) : NULL;
        const hlo_old_attr *theirs = start ? hlo_old_attribute(t, start, "calls") : NULL;
        if (!theirs || hlo_str_equal(hlo_old_name(t, mine->value), hlo_old_name(t, theirs->value)))
            continue;
        hlo_old_found(t, s->opcode);
        hlo_old_remove_attr(t, mine);
    }
}
