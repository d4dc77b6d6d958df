/* What is computed element by element: logical operations, and functions of map with operands that
 * are not mapped. */
#include "base/buf.h"
#include "legacy/old_text.h"

/* ---- logical operations ---- */

static bool is_integer(const hlo_old_text *t, hlo_span array) {
    hlo_span type = hlo_old_element_type(t, array);
    hlo_type id = hlo_type_from_text(t->text + type.lo, type.hi - type.lo);
    return id != HLO_TYPE_COUNT && hlo_type_is_integral(id);
}

/* Of pred they are bitwise operations; of integers, what is not 0 is true, and the result 0 or 1.
 */
static void put_logical(hlo_old_text *t, const hlo_old_statement *s) {
    hlo_span type = hlo_old_element_type(t, s->shape), operands[2];
    hlo_span sizes = {type.hi, hlo_old_brackets_end(t, type.hi)};
    const char *zero = hlo_old_before(t, s, "logical_zero", "%.*s[] constant(0)", HLO_OLD(t, type));
    const char *zeros =
        hlo_old_before(t, s, "logical_zero", "%.*s%.*s broadcast(%%%s), dimensions={}",
                       HLO_OLD(t, type), HLO_OLD(t, sizes), zero);
    bool is_not = s->operand_count == 1;
    const char *truth[2] = {0}, *result;
    for (uint32_t i = 0; i < s->operand_count; i++) {
        operands[i] = s->operands[i].all;
        truth[i] =
            hlo_old_before(t, s, "logical", "pred%.*s compare(%.*s, %%%s), direction=%s",
                           HLO_OLD(t, sizes), HLO_OLD(t, operands[i]), zeros, is_not ? "EQ" : "NE");
    }
    bool is_and = hlo_old_is(t, s->opcode, "logical-and");
    result = is_not ? truth[0]
                    : hlo_old_before(t, s, "logical", "pred%.*s %s(%%%s, %%%s)", HLO_OLD(t, sizes),
                                     is_and ? "and" : "or", truth[0], truth[1]);
    hlo_old_edit(t, s->opcode, "convert");
    hlo_old_set_operands(t, s, "%%%s", result);
}

void hlo_old_logical(hlo_old_text *t) {
    HLO_OLD_EACH(t, s)
    if (hlo_old_is_opcode(t, s) && is_integer(t, s->shape) &&
        s->operand_count == (hlo_old_is(t, s->opcode, "logical-not") ? 1 : 2)) {
        hlo_old_found(t, s->opcode);
        put_logical(t, s);
    }
    hlo_old_opcodes(t); /* of those whose opcode has no edit yet */
}

/* ---- map ---- */

enum { MOST_STATIC = 64 };

typedef struct {
    hlo_span at[MOST_STATIC], shapes[MOST_STATIC];
    uint32_t count;
} statics;

/* False: no list, a long one, or one of what has no shape. */
static bool read_statics(const hlo_old_text *t, const hlo_old_statement *s,
                         const hlo_old_attr *attr, statics *list) {
    hlo_span part, nowhere = {s->shape.lo, s->shape.lo};
    list->count = 0;
    if (t->text[attr->value.lo] != '{') return false;
    for (uint32_t at = attr->value.lo + 1; hlo_old_next_part(t, &at, attr->value.hi - 1, &part);) {
        if (list->count == MOST_STATIC) return false;
        hlo_span shape = hlo_old_shape_of(t, s, part, nowhere);
        if (shape.hi == shape.lo) return false;
        list->at[list->count] = part;
        list->shapes[list->count++] = shape;
    }
    return true;
}

static bool are_scalars(const hlo_old_text *t, const statics *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        hlo_span type = hlo_old_element_type(t, list->shapes[i]);
        if (type.hi == type.lo || hlo_old_rank(t, list->shapes[i])) return false;
    }
    return true;
}

/* Scalars are mapped like arrays that have the same element everywhere. */
static void broadcast_statics(hlo_old_text *t, const hlo_old_statement *s, const statics *list) {
    hlo_span sizes = hlo_old_element_type(t, s->shape);
    sizes = (hlo_span){sizes.hi, hlo_old_brackets_end(t, sizes.hi)};
    for (uint32_t i = 0; i < list->count; i++) {
        hlo_span type = hlo_old_element_type(t, list->shapes[i]);
        const char *name =
            hlo_old_before(t, s, "static_operand", "%.*s%.*s broadcast(%.*s), dimensions={}",
                           HLO_OLD(t, type), HLO_OLD(t, sizes), HLO_OLD(t, list->at[i]));
        hlo_old_insert(t, s->parens.hi - 1, ", %%%s", name);
    }
}

/* A map as a loop over the elements: what it carries is the number of the next one, the results,
 * the operands in one dimension, and the static operands. */
typedef struct {
    hlo_buf state, body, first; /* types; statements; what the loop begins with */
    hlo_buf arguments;          /* of the function */
    long long elements;
    uint32_t carried;
} map_loop;

static void carry_operand(hlo_old_text *t, const hlo_old_statement *s, uint32_t i, map_loop *m) {
    hlo_span type = hlo_old_element_type(
        t, hlo_old_operand_shape(t, s, i, (hlo_span){s->shape.lo, s->shape.lo}));
    const char *flat =
        hlo_old_before(t, s, "map_operand", "%.*s[%lld] reshape(%.*s)", HLO_OLD(t, type),
                       m->elements, HLO_OLD(t, s->operands[i].all));
    hlo_buf_printf(&m->first, ", %%%s", flat);
    hlo_buf_printf(&m->state, ", %.*s[%lld]", HLO_OLD(t, type), m->elements);
    m->carried++;
    hlo_buf_printf(&m->body,
                   "  %%c.%u = %.*s[%lld] get-tuple-element(%%state), index=%u\n"
                   "  %%x.%u = %.*s[1] dynamic-slice(%%c.%u, %%i), dynamic_slice_sizes={1}\n"
                   "  %%m.%u = %.*s[] reshape(%%x.%u)\n",
                   m->carried, HLO_OLD(t, type), m->elements, m->carried, m->carried,
                   HLO_OLD(t, type), m->carried, m->carried, HLO_OLD(t, type), m->carried);
    hlo_buf_printf(&m->arguments, i ? ", %%m.%u" : "%%m.%u", m->carried);
}

static void carry_static(hlo_old_text *t, const statics *list, uint32_t i, map_loop *m) {
    hlo_buf_printf(&m->first, ", %.*s", HLO_OLD(t, list->at[i]));
    hlo_buf_printf(&m->state, ", %.*s", HLO_OLD(t, list->shapes[i]));
    m->carried++;
    hlo_buf_printf(&m->body, "  %%c.%u = %.*s get-tuple-element(%%state), index=%u\n", m->carried,
                   HLO_OLD(t, list->shapes[i]), m->carried);
    hlo_buf_printf(&m->arguments, ", %%c.%u", m->carried);
}

static const char *put_condition(hlo_old_text *t, const hlo_old_statement *s, const map_loop *m) {
    const char *name = hlo_old_new_name(t, "map_condition");
    hlo_old_add_computation(t, s,
                            "%%%s {\n  %%state = (%.*s) parameter(0)\n"
                            "  %%i = s64[] get-tuple-element(%%state), index=0\n"
                            "  %%n = s64[] constant(%lld)\n"
                            "  ROOT %%less = pred[] compare(%%i, %%n), direction=LT\n}\n\n",
                            name, (int)m->state.len, m->state.data, m->elements);
    return name;
}

static const char *put_body(hlo_old_text *t, const hlo_old_statement *s, hlo_span function,
                            const map_loop *m) {
    hlo_span type = hlo_old_element_type(t, s->shape);
    const char *name = hlo_old_new_name(t, "map_body");
    hlo_buf kept = HLO_BUF_INIT;
    for (uint32_t i = 2; i <= m->carried; i++) hlo_buf_printf(&kept, ", %%c.%u", i);
    hlo_old_add_computation(t, s,
                            "%%%s {\n  %%state = (%.*s) parameter(0)\n"
                            "  %%i = s64[] get-tuple-element(%%state), index=0\n"
                            "  %%results = %.*s[%lld] get-tuple-element(%%state), index=1\n%.*s"
                            "  %%result = %.*s[] call(%.*s), to_apply=%.*s\n"
                            "  %%part = %.*s[1] reshape(%%result)\n"
                            "  %%next = %.*s[%lld] dynamic-update-slice(%%results, %%part, %%i)\n"
                            "  %%one = s64[] constant(1)\n  %%after = s64[] add(%%i, %%one)\n"
                            "  ROOT %%t = (%.*s) tuple(%%after, %%next%.*s)\n}\n\n",
                            name, (int)m->state.len, m->state.data, HLO_OLD(t, type), m->elements,
                            (int)m->body.len, m->body.data, HLO_OLD(t, type), (int)m->arguments.len,
                            m->arguments.data, HLO_OLD(t, function), HLO_OLD(t, type),
                            HLO_OLD(t, type), m->elements, (int)m->state.len, m->state.data,
                            (int)kept.len, kept.len ? kept.data : "");
    hlo_buf_free(&kept);
    return name;
}

/* The number of the first element, and results that are all zero. */
static void begin_loop(hlo_old_text *t, const hlo_old_statement *s, map_loop *m) {
    hlo_span type = hlo_old_element_type(t, s->shape);
    const char *start = hlo_old_before(t, s, "map_start", "s64[] constant(0)");
    const char *zero =
        hlo_old_before(t, s, "map_zero", "%.*s[] convert(%%%s)", HLO_OLD(t, type), start);
    const char *results =
        hlo_old_before(t, s, "map_results", "%.*s[%lld] broadcast(%%%s), dimensions={}",
                       HLO_OLD(t, type), m->elements, zero);
    hlo_buf_printf(&m->first, "%%%s, %%%s", start, results);
    hlo_buf_printf(&m->state, "s64[], %.*s[%lld]", HLO_OLD(t, type), m->elements);
    m->carried = 1;
}

static void end_loop(hlo_old_text *t, const hlo_old_statement *s, hlo_span function, map_loop *m) {
    hlo_span type = hlo_old_element_type(t, s->shape);
    const char *condition = put_condition(t, s, m), *body = put_body(t, s, function, m);
    const char *state = hlo_old_before(t, s, "map_state", "(%.*s) tuple(%.*s)", (int)m->state.len,
                                       m->state.data, (int)m->first.len, m->first.data);
    const char *loop =
        hlo_old_before(t, s, "map_loop", "(%.*s) while(%%%s), condition=%%%s, body=%%%s",
                       (int)m->state.len, m->state.data, state, condition, body);
    const char *results =
        hlo_old_before(t, s, "map_results", "%.*s[%lld] get-tuple-element(%%%s), index=1",
                       HLO_OLD(t, type), m->elements, loop);
    hlo_old_edit(t, s->opcode, "reshape");
    hlo_old_set_operands(t, s, "%%%s", results);
    hlo_old_remove(t, (hlo_span){s->parens.hi, s->end});
}

/* False: the number of elements is not known, or not one of an array. */
static bool count_elements(const hlo_old_text *t, const hlo_old_statement *s, map_loop *m) {
    hlo_old_numbers sizes = hlo_old_sizes(t, s->shape);
    m->elements = 1;
    for (int i = 0; i < sizes.n; i++) {
        if (sizes.v[i] < 0 || __builtin_mul_overflow(m->elements, sizes.v[i], &m->elements))
            return false;
    }
    return sizes.n >= 0;
}

static void put_loop(hlo_old_text *t, const hlo_old_statement *s, const statics *list,
                     hlo_span function, map_loop *m) {
    begin_loop(t, s, m);
    for (uint32_t i = 0; i < s->operand_count; i++) carry_operand(t, s, i, m);
    for (uint32_t i = 0; i < list->count; i++) carry_static(t, list, i, m);
    end_loop(t, s, function, m);
    hlo_buf_free(&m->state);
    hlo_buf_free(&m->body);
    hlo_buf_free(&m->first);
    hlo_buf_free(&m->arguments);
}

/* A map of no element calls nothing. */
static void put_no_elements(hlo_old_text *t, const hlo_old_statement *s) {
    hlo_span type = hlo_old_element_type(t, s->shape);
    const char *start = hlo_old_before(t, s, "map_start", "s64[] constant(0)");
    const char *zero =
        hlo_old_before(t, s, "map_zero", "%.*s[] convert(%%%s)", HLO_OLD(t, type), start);
    hlo_old_edit(t, s->opcode, "broadcast");
    hlo_old_set_operands(t, s, "%%%s", zero);
    hlo_old_edit(t, (hlo_span){s->parens.hi, s->end}, ", dimensions={}");
}

/* With static operands of any shape; false: something is missing. */
static bool translate_map(hlo_old_text *t, const hlo_old_statement *s, const statics *list) {
    const hlo_old_attr *function = hlo_old_attribute(t, s, "to_apply");
    map_loop m = {HLO_BUF_INIT, HLO_BUF_INIT, HLO_BUF_INIT, HLO_BUF_INIT, 0, 0};
    if (!function || !s->operand_count || !count_elements(t, s, &m)) return false;
    if (m.elements) put_loop(t, s, list, function->value, &m);
    else put_no_elements(t, s);
    return true;
}

void hlo_old_static_operands(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "static_operands");
        statics list;
        if (!attr || !hlo_old_is(t, s->opcode, "map")) continue;
        bool good = read_statics(t, s, attr, &list);
        hlo_old_found(t, attr->name);
        if (good && are_scalars(t, &list)) {
            broadcast_statics(t, s, &list);
            hlo_old_remove_attr(t, attr);
        } else if (!good || !translate_map(t, s, &list)) {
            hlo_old_refuse(t, attr->value,
                           "expected the names of values, in braces, for a map with operands, a "
                           "function and a result of known size");
        }
    }
}
