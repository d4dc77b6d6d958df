/* Old operations, and operations that lack what they need now. */
#include <stdlib.h>

#include "base/buf.h"
#include "legacy/old_text.h"

/* ---- shapes, as text ---- */

hlo_span hlo_old_element_type(const hlo_old_text *t, hlo_span array) {
    hlo_span type = {array.lo, hlo_old_word_end(t, array.lo)};
    return type.hi < array.hi && t->text[type.hi] == '[' ? type : (hlo_span){array.lo, array.lo};
}

bool hlo_old_is_float(const hlo_old_text *t, hlo_span type) {
    hlo_type id = hlo_type_from_text(t->text + type.lo, type.hi - type.lo);
    return id != HLO_TYPE_COUNT && hlo_type_is_float(id);
}

uint32_t hlo_old_rank(const hlo_old_text *t, hlo_span array) {
    uint32_t at = hlo_old_element_type(t, array).hi, n = 0;
    hlo_span dim;
    if (at == array.lo) return 0;
    uint32_t end = hlo_old_brackets_end(t, at) - 1;
    for (at++; hlo_old_next_part(t, &at, end, &dim);) n++;
    return n;
}

static bool is_tuple(const hlo_old_text *t, hlo_span shape) {
    return shape.hi > shape.lo && t->text[shape.lo] == '(';
}

/* The next element of a shape, which is its own only element where it is no tuple. */
static bool next_element(const hlo_old_text *t, hlo_span shape, uint32_t *at, hlo_span *element) {
    if (is_tuple(t, shape)) {
        if (*at == shape.lo) ++*at;
        return hlo_old_next_part(t, at, shape.hi - 1, element);
    }
    *element = shape;
    bool first = *at == shape.lo && shape.hi > shape.lo;
    *at = shape.hi;
    return first;
}

static hlo_span first_array(const hlo_old_text *t, hlo_span shape) {
    uint32_t at = shape.lo;
    hlo_span element = shape;
    return next_element(t, shape, &at, &element) ? element : shape;
}

/* ---- compares ---- */

/* Integers have no other order. */
void hlo_old_total_order(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_span nowhere = {s->shape.lo, s->shape.lo};
        if (!hlo_old_is_opcode(t, s) || !s->operand_count) continue;
        hlo_span type = hlo_old_element_type(t, hlo_old_operand_shape(t, s, 0, nowhere));
        bool is_type = hlo_type_from_text(t->text + type.lo, type.hi - type.lo) != HLO_TYPE_COUNT;
        if (hlo_old_is_float(t, type)) hlo_old_add_attr(t, s, ", type=TOTALORDER");
        else if (is_type && t->dialect >= HLO_DIALECT_2018)
            hlo_old_refuse(t, s->opcode, "expected floats for a total order, found %.*s",
                           HLO_OLD(t, type));
    }
    hlo_old_opcodes(t);
}

/* ---- topk ---- */

/* The number of the parameter that operand `i` is; -1: none. */
static int parameter_number(const hlo_old_text *t, const hlo_old_statement *s, uint32_t i) {
    const hlo_old_statement *p = hlo_old_definition(t, s, i);
    if (!p || !hlo_old_is(t, p->opcode, "parameter")) return -1;
    uint32_t at = hlo_old_skip_blanks(t, p->parens.lo + 1);
    return t->text[at] == '0' ? 0 : t->text[at] == '1' ? 1 : -1;
}

/* Whether a comparator puts large values first: 1, small ones: 0; -1: not known. */
static int prefers_large(const hlo_old_text *t, const hlo_old_computation *c) {
    const hlo_old_statement *root = c && c->count ? hlo_old_root(t, c) : NULL;
    const hlo_old_attr *attr = root ? hlo_old_attribute(t, root, "direction") : NULL;
    if (!attr || !hlo_old_is(t, root->opcode, "compare") || root->operand_count != 2) return -1;
    int first = parameter_number(t, root, 0), second = parameter_number(t, root, 1);
    bool greater = t->text[attr->value.lo] == 'G', less = t->text[attr->value.lo] == 'L';
    if (first + second != 1 || first * second != 0 || (!greater && !less)) return -1;
    return greater == (first == 0);
}

void hlo_old_topk_comparator(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "to_apply");
        if (!attr || !hlo_old_is(t, s->opcode, "topk")) continue;
        int large = prefers_large(t, hlo_old_find_computation(t, attr->value));
        hlo_old_found(t, (hlo_span){attr->name.lo, attr->value.hi});
        if (large >= 0)
            hlo_old_edit(t, (hlo_span){attr->name.lo, attr->value.hi}, "largest=%s",
                         large ? "true" : "false");
        else
            hlo_old_refuse(t, attr->value,
                           "today topk selects the largest or the smallest; this comparator is not "
                           "a compare of its two parameters");
    }
}

/* ---- cross-replica-sum ---- */

/* -1: it is no number. */
static int64_t group_of(const hlo_old_text *t, hlo_span number) {
    int64_t n;
    return hlo_old_read_number(t, number, &n) && n >= 0 ? n : -1;
}

typedef HLO_LIST(int64_t) number_list;

/* replica_group_ids gives the group of each replica; groups in order of their first. */
static void put_groups(hlo_buf *to, number_list *ids) {
    bool first = true;
    for (uint32_t i = 0; i < ids->n; i++) {
        int64_t group = ids->v[i];
        if (group < 0) continue;
        hlo_buf_cstr(to, first ? "{" : ",{");
        first = false;
        for (uint32_t j = i; j < ids->n; j++) {
            if (ids->v[j] != group) continue;
            hlo_buf_printf(to, j == i ? "%u" : ",%u", j);
            ids->v[j] = -1;
        }
        hlo_buf_char(to, '}');
    }
}

/* Each number stands as often as any other one; at most 2^16 of them, in time of n log n. */
static bool are_equal_groups(const number_list *ids) {
    number_list sorted = {0};
    for (uint32_t i = 0; i < ids->n; i++) hlo_list_push(&sorted, ids->v[i]);
    if (sorted.n) qsort(sorted.v, sorted.n, sizeof *sorted.v, hlo_by_number);
    uint32_t size = 0, from = 0;
    bool equal = true;
    for (uint32_t i = 1; i <= sorted.n; i++) {
        if (i < sorted.n && sorted.v[i] == sorted.v[from]) continue;
        equal = equal && (!size || i - from == size);
        size = i - from;
        from = i;
    }
    hlo_list_free(&sorted);
    return equal;
}

enum { MOST_REPLICAS = 1 << 16 };

static void translate_group_ids(hlo_old_text *t, const hlo_old_attr *attr) {
    if (t->text[attr->value.lo] != '{') return;
    number_list ids = {0};
    bool good = true;
    hlo_span part;
    for (uint32_t at = attr->value.lo + 1; hlo_old_next_part(t, &at, attr->value.hi - 1, &part);) {
        int64_t group = group_of(t, part);
        good = good && group >= 0 && ids.n < MOST_REPLICAS;
        if (good) hlo_list_push(&ids, group);
    }
    hlo_buf groups = HLO_BUF_INIT;
    good = good && are_equal_groups(&ids);
    put_groups(&groups, &ids);
    hlo_span all = {attr->name.lo, attr->value.hi};
    if (good)
        hlo_old_edit(t, all, "replica_groups={%.*s}", (int)groups.len,
                     groups.len ? groups.data : "");
    else
        hlo_old_refuse(t, attr->value,
                       "expected the number of a group for each replica, and groups of one size");
    hlo_buf_free(&groups);
    hlo_list_free(&ids);
}

static void add_sum(hlo_old_text *t, const hlo_old_statement *s) {
    const char *name = hlo_old_new_name(t, "add_replicas");
    hlo_span type = hlo_old_element_type(t, first_array(t, s->shape));
    hlo_old_add_computation(t, s,
                            "%%%s {\n  %%x = %.*s[] parameter(0)\n  %%y = %.*s[] parameter(1)\n"
                            "  ROOT %%add = %.*s[] add(%%x, %%y)\n}\n\n",
                            name, HLO_OLD(t, type), HLO_OLD(t, type), HLO_OLD(t, type));
    hlo_old_add_attr(t, s, ", to_apply=%%%s", name);
}

void hlo_old_cross_replica_sum(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "cross-replica-sum")) continue;
        hlo_old_found(t, s->opcode);
        hlo_old_edit(t, s->opcode, "all-reduce");
        const hlo_old_attr *ids = hlo_old_attribute(t, s, "replica_group_ids");
        if (ids) translate_group_ids(t, ids);
        if (!hlo_old_attribute(t, s, "to_apply")) add_sum(t, s);
    }
}

/* ---- iota, sort ---- */

void hlo_old_iota_dimension(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        bool is_old =
            hlo_old_is(t, s->opcode, "iota") && !hlo_old_attribute(t, s, "iota_dimension");
        if (!is_old || hlo_old_rank(t, s->shape) != 1) continue;
        hlo_old_found(t, s->opcode);
        hlo_old_add_attr(t, s, ", iota_dimension=0");
    }
}

void hlo_old_sort_dimension(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "sort") || hlo_old_attribute(t, s, "dimensions")) continue;
        uint32_t dims = hlo_old_rank(t, first_array(t, s->shape));
        if (!dims) continue;
        hlo_old_found(t, s->opcode);
        hlo_old_add_attr(t, s, ", dimensions={%u}", dims - 1);
    }
}

/* A comparator of the first operand's elements; the others are parameters without use. */
static void add_comparator(hlo_old_text *t, const hlo_old_statement *s, const char *name) {
    hlo_buf parameters = HLO_BUF_INIT;
    hlo_span element, keys = hlo_old_element_type(t, first_array(t, s->shape));
    uint32_t n = 0;
    for (uint32_t at = s->shape.lo; next_element(t, s->shape, &at, &element); n++) {
        hlo_span type = hlo_old_element_type(t, element);
        hlo_buf_printf(&parameters,
                       "  %%p.%u.lhs = %.*s[] parameter(%u)\n  %%p.%u.rhs = %.*s[] parameter(%u)\n",
                       n, HLO_OLD(t, type), 2 * n, n, HLO_OLD(t, type), 2 * n + 1);
    }
    bool is_float = hlo_old_is_float(t, keys);
    hlo_old_add_computation(
        t, s,
        "%%%s {\n%.*s  ROOT %%lt = pred[] compare(%%p.0.lhs, %%p.0.rhs), direction=LT%s\n}\n\n",
        name, (int)parameters.len, parameters.data, is_float ? ", type=TOTALORDER" : "");
    hlo_buf_free(&parameters);
}

/* Where the shape is not written, there is nothing to make a comparator of. */
void hlo_old_sort_comparator(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "sort") || hlo_old_attribute(t, s, "to_apply")) continue;
        hlo_span keys = hlo_old_element_type(t, first_array(t, s->shape));
        if (hlo_type_from_text(t->text + keys.lo, keys.hi - keys.lo) == HLO_TYPE_COUNT) continue;
        const char *name = hlo_old_new_name(t, "compare_less");
        hlo_old_found(t, s->opcode);
        add_comparator(t, s, name);
        hlo_old_add_attr(t, s, ", to_apply=%%%s", name);
    }
}

/* ---- tuples ---- */

static uint32_t count_elements(const hlo_old_text *t, hlo_span tuple) {
    uint32_t n = 0;
    hlo_span element;
    for (uint32_t at = tuple.lo; next_element(t, tuple, &at, &element);) n++;
    return n;
}

/* An operand that is only a shape is none to XLA. */
static uint32_t count_operands(const hlo_old_statement *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->operand_count; i++) {
        const hlo_old_operand *o = &s->operands[i];
        n += o->shape.hi == o->shape.lo || o->shape.hi < o->all.hi;
    }
    return n;
}

/* XLA took the shape from the operands once, whatever was written. */
void hlo_old_tuple_shape(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "tuple") || !is_tuple(t, s->shape)) continue;
        uint32_t written = count_elements(t, s->shape), given = count_operands(s);
        if (written == given) continue;
        hlo_old_found(t, s->parens);
        hlo_old_refuse(t, s->parens, "the tuple is written with %u element%s, %u operand%s given",
                       written, written == 1 ? "" : "s", given, given == 1 ? " is" : "s are");
    }
}

/* What counts of a shape: no blanks, comments and layouts. */
static uint32_t next_of_shape(const hlo_old_text *t, uint32_t at, uint32_t end) {
    for (;;) {
        at = hlo_old_skip_blanks(t, at);
        if (at >= end || t->text[at] != '{') return at;
        at = hlo_old_brackets_end(t, at);
    }
}

static bool same_shapes(const hlo_old_text *t, hlo_span a, hlo_span b) {
    uint32_t i = a.lo, k = b.lo;
    for (;; i++, k++) {
        i = next_of_shape(t, i, a.hi);
        k = next_of_shape(t, k, b.hi);
        if (i >= a.hi || k >= b.hi) return i >= a.hi && k >= b.hi;
        if (t->text[i] != t->text[k]) return false;
    }
}

/* What a conditional would be refused for, in the words of a select. */
static bool check_select(hlo_old_text *t, const hlo_old_statement *s) {
    hlo_span nowhere = {s->shape.lo, s->shape.lo};
    for (uint32_t i = 0; i < 3; i++) {
        hlo_span shape = hlo_old_operand_shape(t, s, i, nowhere);
        if (shape.hi == shape.lo) continue;
        bool is_pred = hlo_old_is(t, hlo_old_element_type(t, shape), "pred") &&
                       hlo_old_rank(t, shape) == 0 && !is_tuple(t, shape);
        if (i ? same_shapes(t, shape, s->shape) : is_pred) continue;
        if (i)
            hlo_old_refuse(t, s->operands[i].all, "%.*s: operand %u is %.*s, the result %.*s",
                           HLO_OLD(t, s->opcode), i, HLO_OLD(t, shape), HLO_OLD(t, s->shape));
        else
            hlo_old_refuse(t, s->operands[0].all, "%.*s of tuples: operand 0 is %.*s, not pred[]",
                           HLO_OLD(t, s->opcode), HLO_OLD(t, shape));
        return false;
    }
    return true;
}

void hlo_old_tuple_select(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        bool is_old = hlo_old_is(t, s->opcode, "tuple-select") ||
                      (hlo_old_is(t, s->opcode, "select") && is_tuple(t, s->shape));
        if (!is_old || s->operand_count != 3 || s->shape.hi == s->shape.lo) continue;
        hlo_old_found(t, s->opcode);
        if (!check_select(t, s)) continue;
        const char *name = hlo_old_new_name(t, "pass_on");
        hlo_old_edit(t, s->opcode, "conditional");
        hlo_old_add_computation(t, s, "%%%s {\n  ROOT %%p = %.*s parameter(0)\n}\n\n", name,
                                HLO_OLD(t, s->shape));
        hlo_old_add_attr(t, s, ", true_computation=%%%s, false_computation=%%%s", name, name);
    }
}

/* ---- copy-start ---- */

static bool is_pair(const hlo_old_text *t, hlo_span shape) {
    return is_tuple(t, shape) && count_elements(t, shape) == 2;
}

void hlo_old_copy_start_pair(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        bool starts = hlo_old_is(t, s->opcode, "copy-start"),
             ends = hlo_old_is(t, s->opcode, "copy-done");
        if ((!starts && !ends) || s->operand_count != 1) continue;
        const hlo_old_statement *start = starts ? s : hlo_old_definition(t, s, 0);
        if (!start || !is_pair(t, start->shape) || !hlo_old_is(t, start->opcode, "copy-start"))
            continue;
        if (starts) {
            uint32_t after = first_array(t, s->shape).hi;
            hlo_old_found(t, s->shape);
            hlo_old_insert(t, after, ", %.*s",
                           HLO_OLD(t, hlo_old_operand_shape(t, s, 0, first_array(t, s->shape))));
        } else if (s->operands[0].shape.hi > s->operands[0].shape.lo) {
            hlo_old_remove(t, (hlo_span){s->operands[0].shape.lo, s->operands[0].name.lo});
        }
    }
}
