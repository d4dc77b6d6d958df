/* Collectives with the arguments that the functions of the operation semantics have. */
#include "base/buf.h"
#include "legacy/old_text.h"

static bool is_any(const hlo_old_text *t, const hlo_old_statement *s, const char *first,
                   const char *second) {
    return hlo_old_is(t, s->opcode, first) || hlo_old_is(t, s->opcode, second);
}

/* A number that is written alone; -1: none. */
static int64_t number_of(const hlo_old_text *t, const hlo_old_attr *attr) {
    if (!attr) return -1;
    hlo_old_numbers list = hlo_old_read_numbers(t, attr->value, ',');
    return list.n == 1 && list.v[0] >= 0 ? list.v[0] : -1;
}

/* The number of members in [GROUPS,MEMBERS]<=[...]; -1 in another form. */
static int64_t members_of_iota(const hlo_old_text *t, hlo_span groups) {
    uint32_t end = groups.lo;
    while (end < groups.hi && t->text[end] != ']') end++;
    hlo_old_numbers sizes = hlo_old_read_numbers(t, (hlo_span){groups.lo + 1, end}, ',');
    return sizes.n == 2 ? sizes.v[1] : -1;
}

/* Whether each group that is written has so many members; true when none is. */
static bool groups_have(const hlo_old_text *t, const hlo_old_statement *s, int64_t members) {
    const hlo_old_attr *groups = hlo_old_attribute(t, s, "replica_groups");
    if (!groups) return true;
    if (t->text[groups->value.lo] == '[') return members_of_iota(t, groups->value) == members;
    if (t->text[groups->value.lo] != '{') return true;
    hlo_span group, member;
    for (uint32_t at = groups->value.lo + 1;
         hlo_old_next_part(t, &at, groups->value.hi - 1, &group);) {
        int64_t n = 0;
        for (uint32_t i = group.lo + 1; hlo_old_next_part(t, &i, group.hi - 1, &member);) n++;
        if (n != members) return false;
    }
    return true;
}

static void add_groups(hlo_old_text *t, const hlo_old_statement *s) {
    if (!hlo_old_attribute(t, s, "replica_groups")) hlo_old_add_attr(t, s, ", replica_groups={}");
}

/* ---- shard_count ---- */

/* The sizes along the dimension: of what is whole, and of a part; false: not known. */
static bool shard_sizes(const hlo_old_text *t, const hlo_old_statement *s, int64_t *whole,
                        int64_t *part) {
    hlo_old_numbers operand = hlo_old_operand_sizes(t, s, 0), result = hlo_old_sizes(t, s->shape);
    hlo_old_numbers dims = hlo_old_numbers_of(t, s, "dimensions");
    int64_t dim = dims.n == 1 ? dims.v[0] : -1;
    if (dim < 0 || dim >= operand.n || dim >= result.n) return false;
    bool gathers = hlo_old_is(t, s->opcode, "all-gather");
    *whole = gathers ? result.v[dim] : operand.v[dim];
    *part = gathers ? operand.v[dim] : result.v[dim];
    return true;
}

/* Its value follows from the shapes, and from the groups where they are given. */
void hlo_old_shard_count(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "shard_count");
        if (!attr || !is_any(t, s, "all-gather", "reduce-scatter")) continue;
        int64_t count = number_of(t, attr), whole, part;
        bool known = shard_sizes(t, s, &whole, &part);
        hlo_old_found(t, attr->name);
        if (count < 1 || !groups_have(t, s, count) || (known && whole != part * count)) {
            hlo_old_refuse(t, attr->value,
                           "expected the size of each group, by which the shapes differ along the "
                           "dimension");
            continue;
        }
        hlo_old_remove_attr(t, attr);
        add_groups(t, s);
    }
}

/* ---- all-to-all ---- */

typedef struct {
    const hlo_old_attr *split, *concat, *count;
    int64_t from, to, parts; /* dimensions, and how many parts */
} exchange;

static void read_exchange(const hlo_old_text *t, const hlo_old_statement *s, exchange *e) {
    e->split = hlo_old_attribute(t, s, "split_dimension");
    e->concat = hlo_old_attribute(t, s, "concat_dimension");
    e->count = hlo_old_attribute(t, s, "split_count");
    e->from = number_of(t, e->split);
    e->to = number_of(t, e->concat);
    e->parts = number_of(t, e->count);
}

#define REFUSE(t, at, ...) (hlo_old_refuse(t, at, __VA_ARGS__), false)

/* A dimension of the operand, as one attribute has it. */
static bool check_dimension(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_attr *attr,
                            const char *name, int64_t dimension, int rank) {
    if (!attr) return REFUSE(t, s->opcode, "all-to-all: %s= is missing", name);
    if (dimension < 0)
        return REFUSE(t, attr->value, "%s is a number, not %.*s", name, HLO_OLD(t, attr->value));
    if (dimension >= rank)
        return REFUSE(t, attr->value, "%s is %lld, and the operand has %d dimension%s", name,
                      (long long)dimension, rank, rank == 1 ? "" : "s");
    return true;
}

static bool check_count(hlo_old_text *t, const hlo_old_statement *s, const exchange *e,
                        const hlo_old_numbers *sizes) {
    if (!e->count) return REFUSE(t, s->opcode, "all-to-all: split_count= is missing");
    if (e->parts <= 0)
        return REFUSE(t, e->count->value, "split_count is a positive number, not %.*s",
                      HLO_OLD(t, e->count->value));
    if (sizes->v[e->from] % e->parts != 0)
        return REFUSE(t, e->count->value,
                      "split_count is %lld, which does not divide dimension %lld of size %lld",
                      (long long)e->parts, (long long)e->from, (long long)sizes->v[e->from]);
    if (!groups_have(t, s, e->parts))
        return REFUSE(t, e->count->value,
                      "split_count is %lld, and is the size of each of the replica_groups",
                      (long long)e->parts);
    return true;
}

static bool check_exchange(hlo_old_text *t, const hlo_old_statement *s, const exchange *e) {
    hlo_old_numbers sizes = hlo_old_operand_sizes(t, s, 0);
    if (s->operand_count != 1)
        return REFUSE(t, s->parens, "all-to-all with split_dimension= takes one array, not %u",
                      s->operand_count);
    if (sizes.n < 0 || sizes.n >= HLO_OLD_MOST_DIMENSIONS)
        return REFUSE(t, s->operands[0].all, "the operand is an array whose shape is written");
    return check_dimension(t, s, e->split, "split_dimension", e->from, sizes.n) &&
           check_dimension(t, s, e->concat, "concat_dimension", e->to, sizes.n) &&
           check_count(t, s, e, &sizes);
}

/* The list with the dimension `at` moved to `to`, or with a new one there. */
static hlo_old_numbers moved(const hlo_old_numbers *list, int64_t at, int64_t to) {
    hlo_old_numbers result = {.n = 0};
    for (int i = 0; i < list->n; i++) {
        if (result.n == to) result.v[result.n++] = list->v[at];
        if (i != at) result.v[result.n++] = list->v[i];
    }
    if (result.n < list->n) result.v[result.n++] = list->v[at];
    return result;
}

static hlo_old_numbers counted(int n) {
    hlo_old_numbers list = {.n = n};
    for (int i = 0; i < n; i++) list.v[i] = i;
    return list;
}

/* A transpose that moves a dimension. */
static const char *put_moved(hlo_old_text *t, const hlo_old_statement *s, const char *x,
                             hlo_old_numbers *sizes, int64_t at, int64_t to) {
    hlo_old_numbers order = counted(sizes->n), dims = moved(&order, at, to);
    *sizes = moved(sizes, at, to);
    return hlo_old_before(t, s, "exchange", "%.*s[%s] transpose(%%%s), dimensions={%s}",
                          HLO_OLD(t, hlo_old_element_type(t, s->shape)),
                          hlo_old_numbers_text(t, sizes), x, hlo_old_numbers_text(t, &dims));
}

/* Without groups, all devices are one: that these are as many as there are parts is in the text
 * only when the group is written out. */
static bool has_groups(const hlo_old_text *t, const hlo_old_statement *s) {
    const hlo_old_attr *groups = hlo_old_attribute(t, s, "replica_groups");
    return groups && !(t->text[groups->value.lo] == '{' &&
                       hlo_old_skip_blanks(t, groups->value.lo + 1) == groups->value.hi - 1);
}

static const char *group_of_parts(hlo_old_text *t, const hlo_old_statement *s, const exchange *e) {
    char text[80];
    if (has_groups(t, s)) return "";
    int length = snprintf(text, sizeof text, ", replica_groups=[1,%lld]<=[%lld]",
                          (long long)e->parts, (long long)e->parts);
    return hlo_arena_copy(&t->arena, text, (size_t)length + 1);
}

/* The attributes of an exchange of the parts along its first dimension. */
static const char *kept_attributes(hlo_old_text *t, const hlo_old_statement *s, const exchange *e) {
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < s->attr_count; i++) {
        const hlo_old_attr *attr = &s->attrs[i];
        if (attr == e->split || attr == e->concat || attr == e->count) continue;
        if (!has_groups(t, s) && attr == hlo_old_attribute(t, s, "replica_groups")) continue;
        hlo_buf_printf(&text, ", %.*s=%.*s", HLO_OLD(t, attr->name), HLO_OLD(t, attr->value));
    }
    char *copy = hlo_arena_alloc(&t->arena, text.len + 1);
    if (text.len) memcpy(copy, text.data, text.len);
    copy[text.len] = 0;
    hlo_buf_free(&text);
    return copy;
}

/* The last step is a reshape, which would make any shape of as many elements. */
static bool check_joined(hlo_old_text *t, const hlo_old_statement *s, const exchange *e) {
    hlo_old_numbers joined = hlo_old_operand_sizes(t, s, 0), written = hlo_old_sizes(t, s->shape);
    joined.v[e->from] /= e->parts;
    joined.v[e->to] *= e->parts;
    bool same = joined.n == written.n;
    for (int i = 0; same && i < joined.n; i++) same = joined.v[i] == written.v[i];
    return same || REFUSE(t, s->shape, "the parts are joined to the sizes [%s], not to %.*s",
                          hlo_old_numbers_text(t, &joined), HLO_OLD(t, s->shape));
}

/* The dimension that is split becomes two; its parts are exchanged along the outer one, which moves
 * before the dimension where they are joined. */
static void put_exchange(hlo_old_text *t, const hlo_old_statement *s, const exchange *e) {
    hlo_span type = hlo_old_element_type(t, s->shape);
    hlo_old_numbers sizes = hlo_old_operand_sizes(t, s, 0);
    sizes.v[e->from] /= e->parts;
    sizes.v[sizes.n++] = e->parts;
    sizes = moved(&sizes, sizes.n - 1, e->from);
    const char *x = hlo_old_before(t, s, "exchange", "%.*s[%s] reshape(%.*s)", HLO_OLD(t, type),
                                   hlo_old_numbers_text(t, &sizes), HLO_OLD(t, s->operands[0].all));
    x = put_moved(t, s, x, &sizes, e->from, 0);
    x = hlo_old_before(t, s, "exchange", "%.*s[%s] all-to-all(%%%s), dimensions={0}%s%s",
                       HLO_OLD(t, type), hlo_old_numbers_text(t, &sizes), x,
                       group_of_parts(t, s, e), kept_attributes(t, s, e));
    x = put_moved(t, s, x, &sizes, 0, e->to);
    hlo_old_edit(t, s->opcode, "reshape");
    hlo_old_set_operands(t, s, "%%%s", x);
    hlo_old_remove(t, (hlo_span){s->parens.hi, s->end});
}

void hlo_old_all_to_all(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        exchange e;
        if (!hlo_old_is(t, s->opcode, "all-to-all")) continue;
        read_exchange(t, s, &e);
        if (!e.split && !e.concat && !e.count) continue;
        hlo_old_found(t, s->opcode);
        if (!check_exchange(t, s, &e)) continue;
        if (e.from == e.to) {
            hlo_old_edit(t, (hlo_span){e.split->name.lo, e.split->value.hi}, "dimensions={%lld}",
                         (long long)e.from);
            hlo_old_remove_attr(t, e.concat);
            hlo_old_remove_attr(t, e.count);
            if (!has_groups(t, s) && hlo_old_attribute(t, s, "replica_groups"))
                hlo_old_remove_attr(t, hlo_old_attribute(t, s, "replica_groups"));
            hlo_old_add_attr(t, s, "%s", group_of_parts(t, s, &e));
        } else if (check_joined(t, s, &e)) {
            put_exchange(t, s, &e);
        }
    }
}

/* ---- tuples of arrays ---- */

static bool is_tuple(const hlo_old_text *t, hlo_span shape) {
    return shape.hi > shape.lo && t->text[shape.lo] == '(';
}

/* One operand for each element. Today the result of one operand is an array. */
static void put_elements(hlo_old_text *t, const hlo_old_statement *s, hlo_span shape) {
    hlo_buf names = HLO_BUF_INIT;
    hlo_span element = shape;
    unsigned n = 0;
    for (uint32_t at = shape.lo + 1; hlo_old_next_part(t, &at, shape.hi - 1, &element); n++)
        hlo_buf_printf(&names, n ? ", %%%s" : "%%%s",
                       hlo_old_before(t, s, "element", "%.*s get-tuple-element(%.*s), index=%u",
                                      HLO_OLD(t, element), HLO_OLD(t, s->operands[0].all), n));
    hlo_old_set_operands(t, s, "%.*s", (int)names.len, names.data);
    hlo_buf_free(&names);
    if (n != 1) return;
    uint32_t at = s->shape.lo + 1;
    const char *only = hlo_old_new_name(t, "element");
    hlo_old_edit(t, (hlo_span){s->root.lo, s->name.hi}, "%%%s", only);
    if (hlo_old_next_part(t, &at, s->shape.hi - 1, &element))
        hlo_old_edit(t, s->shape, "%.*s", HLO_OLD(t, element));
    hlo_old_insert(t, s->end, "\n  %.*s%s%.*s = %.*s tuple(%%%s)", HLO_OLD(t, s->root),
                   s->root.hi > s->root.lo ? " " : "", HLO_OLD(t, s->name), HLO_OLD(t, s->shape),
                   only);
}

void hlo_old_tuple_operand(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!is_any(t, s, "all-reduce", "reduce-scatter") || s->operand_count != 1) continue;
        hlo_span nowhere = {s->shape.lo, s->shape.lo};
        hlo_span shape = hlo_old_operand_shape(t, s, 0, nowhere);
        if (!is_tuple(t, shape) || !is_tuple(t, s->shape)) continue;
        hlo_old_found(t, s->operands[0].all);
        if (hlo_old_skip_blanks(t, shape.lo + 1) < shape.hi - 1) put_elements(t, s, shape);
        else hlo_old_refuse(t, s->operands[0].all, "expected a tuple of at least one array");
    }
}
