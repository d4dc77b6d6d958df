/* Parts of a statement as the printer writes them: lists of operands, attributes of the frequent
 * kinds. fast_line.c consists of them; and where the rules of grammar/hlo.re read a statement word
 * by word, a whole list as one token saves 14 to 17 % of the instructions that reading takes.
 * unit/fast_parse_test.c and unit/mutate.c in tests hold them to those rules. */
#include "parse/attribute_values.h"
#include "parse/bytes.h"
#include "parse/fast.h"

/* ---- operands ---- */

/* What stands between an operand's comma and the next operand. */
static const char *after_comma(const char *at) {
    if (*at == ' ') at++;
    if (at[0] == '/' && at[1] == '*' && memcmp(at, "/*index=", 8) == 0) {
        for (at += 8; hlo_is_digit(*at); at++) {
        }
        return at[0] == '*' && at[1] == '/' ? at + 2 : NULL;
    }
    return at;
}

const char *hlo_fast_operands(hlo_parser *p, const char *at) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    p->fast.operands.n = 0;
    if (*at == ')') return at;
    while (at && *at == '%') {
        const char *end = hlo_word_end(at + 1);
        uint32_t hash = hlo_name_hash(at + 1, (uint32_t)(end - at - 1));
        hlo_module_prefetch_name(p->module, hash); /* the look-ups then wait together */
        hlo_named_operand operand = {NULL, hlo_span_of(p, at, end), hash};
        hlo_list_push(&p->fast.operands, operand);
        if (*end == ')') return end;
        at = *end == ',' ? after_comma(end + 1) : NULL;
    }
    return NULL;
}

void hlo_resolve_operands(hlo_parser *p) {
    for (uint32_t i = 0; i < p->fast.operands.n; i++) {
        hlo_named_operand *operand = &p->fast.operands.v[i];
        hlo_str text = {p->scan.begin + operand->at.lo + 1, operand->at.hi - operand->at.lo - 1, 0};
        operand->name = hlo_module_intern_hashed(p->module, text, operand->hash);
        __builtin_prefetch(operand->name->bound);
    }
}

const char *hlo_fast_number(const char *at, int64_t *out) {
    const char *end = hlo_few_digits(at, 9, out);
    return end && *end == ')' ? end : NULL;
}

/* ---- values ---- */

static const char *small_number(const char *at, int64_t *out) {
    return hlo_few_digits(at, 18, out);
}

const char *hlo_fast_ints(hlo_parser *p, const char *at, const hlo_ints **out) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    uint32_t base = p->stacks.ints.n;
    bool good = *at++ == '{' && *at == '}';
    while (!good) {
        int64_t v;
        if (!(at = small_number(at, &v))) break;
        hlo_list_push(&p->stacks.ints, v);
        if (*at == '}') good = true;
        else if (*at++ != ',') break;
    }
    if (good) *out = hlo_ints_from(p->arena, p->stacks.ints.v + base, p->stacks.ints.n - base);
    p->stacks.ints.n = base;
    return good ? at + 1 : NULL;
}

static const char *read_ints(hlo_parser *p, const char *at, hlo_line_attr *to) {
    return hlo_fast_ints(p, at, &to->u.ints);
}

static const char *read_int(hlo_parser *p, const char *at, hlo_line_attr *to) {
    (void)p;
    return small_number(at, &to->u.i);
}

static const char *read_bool(hlo_parser *p, const char *at, hlo_line_attr *to) {
    const char *end = hlo_word_end(at);
    (void)p;
    to->u.i = end - at == 4 && memcmp(at, "true", 4) == 0;
    return to->u.i || (end - at == 5 && memcmp(at, "false", 5) == 0) ? end : NULL;
}

/* A name before an equals sign begins a statement instead. */
static bool defines(const char *end) {
    while (hlo_is_blank(*end)) end++;
    return *end == '=';
}

static hlo_name *name_of(hlo_parser *p, const char *from, const char *to) {
    hlo_str text = {from, (uint32_t)(to - from), 0};
    return hlo_module_intern(p->module, text);
}

static const char *read_word(hlo_parser *p, const char *at, hlo_line_attr *to) {
    const char *end = hlo_word_end(at);
    if (*at < 'A' || defines(end) || !hlo_scan_is_name(p, at, end)) return NULL;
    to->u.name = name_of(p, at, end);
    return end;
}

static const char *read_computation(hlo_parser *p, const char *at, hlo_line_attr *to) {
    if (at[0] != '%' || at[1] < 'A') return NULL; /* digits, '-' and '.' begin no name */
    const char *end = hlo_word_end(at + 1);
    if (end == at + 1 || defines(end)) return NULL;
    to->u.name = name_of(p, at + 1, end);
    return end;
}

/* A range of a slice: [FROM:TO] or [FROM:TO:STEP]. */
static const char *read_range(hlo_parser *p, const char *at) {
    int64_t v[3] = {0, 0, 1};
    int n = 0;
    if (*at != '[') return NULL;
    do {
        if (n == 3 || !(at = small_number(at + 1, &v[n++]))) return NULL;
    } while (*at == ':');
    if (n < 2 || *at != ']') return NULL;
    hlo_push_slice(p, v[0], v[1], v[2]);
    return at + 1;
}

static const char *read_slice(hlo_parser *p, const char *at, hlo_line_attr *to) {
    uint32_t base = p->stacks.ints.n;
    if (*at++ != '{') return NULL;
    while ((at = read_range(p, at)) && at[0] == ',' && at[1] == ' ') at += 2;
    if (at && *at == '}') {
        to->u.slice = hlo_take_slices(p, base);
        return at + 1;
    }
    p->stacks.ints.n = base;
    return NULL;
}

/* `[COUNT,SIZE]<=[DIMS]` as the list of all these numbers. */
static const char *read_iota_groups(hlo_parser *p, const char *at, hlo_line_attr *to) {
    uint32_t base = p->stacks.ints.n;
    int64_t v;
    bool dims = false, good = *at == '[';
    while (good && (at = small_number(at + 1, &v))) {
        hlo_list_push(&p->stacks.ints, v);
        if (*at == ',') continue;
        good = *at == ']';
        if (dims || memcmp(at, "]<=[", 4) != 0) break;
        dims = true;
        good = p->stacks.ints.n == base + 2;
        at += 3;
    }
    good = good && at && dims;
    if (good)
        to->u.ints = hlo_ints_from(p->arena, p->stacks.ints.v + base, p->stacks.ints.n - base);
    p->stacks.ints.n = base;
    return good ? at + 1 : NULL;
}

/* A value whose text was seen before. */
static const char *recall_value(hlo_parser *p, const char *at, hlo_line_attr *to) {
    const char *name = p->scan.begin + to->at.lo, *end = *at == '{' ? hlo_braces_end(p, at) : NULL;
    if (!end) return NULL;
    uint32_t len = (uint32_t)(end - name);
    to->u.any = hlo_memo_find(&p->memos.values, hlo_hash_bytes(name, len), name, len);
    return to->u.any ? end : NULL;
}

static const char *read_metadata(hlo_parser *p, const char *at, hlo_line_attr *to) {
    return hlo_fast_metadata(p, at, &to->u.metadata);
}

/* ---- handing over ---- */

static void give_int(hlo_parser *p, const hlo_line_attr *a) {
    hlo_give_int(p, a->id, a->at, a->u.i, a->value_at);
}

static void give_ints(hlo_parser *p, const hlo_line_attr *a) {
    hlo_give_ints(p, a->id, a->at, a->u.ints, a->value_at);
}

static void give_word(hlo_parser *p, const hlo_line_attr *a) {
    hlo_give_word(p, a->id, a->at, a->u.name, a->value_at);
}

static void give_computation(hlo_parser *p, const hlo_line_attr *a) {
    hlo_computation *called = hlo_find_computation(p, a->u.name, a->value_at);
    hlo_give_computation(p, a->id, a->at, called, a->value_at);
}

static void give_iota_groups(hlo_parser *p, const hlo_line_attr *a) {
    const int64_t *v = a->u.ints->v;
    hlo_span dims = a->value_at;
    while (p->scan.begin[dims.lo] != '=') dims.lo++;
    dims.lo++;
    uint32_t base = p->stacks.ints.n;
    for (uint32_t i = 2; i < a->u.ints->n; i++) hlo_list_push(&p->stacks.ints, v[i]);
    const hlo_iota_list *iota = hlo_iota(p, base, UINT32_MAX, dims, dims);
    hlo_give(p, a->id, a->at, hlo_iota_groups(p, v[0], v[1], iota, a->value_at), a->value_at);
}

static void give_any(hlo_parser *p, const hlo_line_attr *a) {
    hlo_give(p, a->id, a->at, a->u.any, a->value_at);
}

/* Other kinds are left to the grammar. */
static const struct {
    const char *(*read)(hlo_parser *, const char *, hlo_line_attr *);
    void (*give)(hlo_parser *, const hlo_line_attr *);
} kinds[] = {
    [HLO_KIND_BOOL] = {read_bool, give_int},
    [HLO_KIND_INT] = {read_int, give_int},
    [HLO_KIND_INT32] = {read_int, give_int},
    [HLO_KIND_WORD] = {read_word, give_word},
    [HLO_KIND_INTS] = {read_ints, give_ints},
    [HLO_KIND_INT_LISTS] = {read_ints, give_ints},
    [HLO_KIND_COMPUTATION] = {read_computation, give_computation},
    [HLO_KIND_METADATA] = {read_metadata, give_any},
    [HLO_KIND_SLICE] = {read_slice, give_any},
    [HLO_KIND_GROUPS] = {read_iota_groups, give_iota_groups},
    [HLO_KIND_SHARDING] = {recall_value, give_any},
    [HLO_KIND_FRONTEND] = {recall_value, give_any},
};
static const unsigned kind_count = sizeof kinds / sizeof *kinds;

static bool is_bracket(char c) {
    return c == '}' || c == ']';
}

/* The value must reach to a comma or to the end of the line, so that nothing longer stands there.
 */
const char *hlo_fast_attribute(hlo_parser *p, const char *at) {
    const char *equals = hlo_word_end(at);
    if (*equals != '=' || equals == at) return NULL;
    hlo_attr_id id = hlo_attr_from_text(at, (size_t)(equals - at));
    if (id == HLO_ATTR_COUNT) return NULL;
    const hlo_attr_info *info = &hlo_attr_table[id];
    if (info->place == HLO_PLACE_HEADER || info->kind >= kind_count || !kinds[info->kind].read)
        return NULL;
    hlo_line_attr attr = {.id = id, .at = hlo_span_of(p, at, equals)};
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    const char *end = kinds[info->kind].read(p, equals + 1, &attr);
    if (!end || (*end != ',' && *end != '\n')) return NULL;
    attr.value_at = hlo_span_of(p, equals + 1, end);
    p->scan.last_piece = attr.value_at;
    if (info->kind == HLO_KIND_METADATA)
        p->scan.last_piece.lo = attr.at.lo; /* one token with its name */
    if (info->kind == HLO_KIND_METADATA) attr.at = p->scan.last_piece;
    else if (info->kind != HLO_KIND_INTS && info->kind != HLO_KIND_INT_LISTS && is_bracket(end[-1]))
        p->scan.last_piece.lo =
            p->scan.last_piece.hi - 1; /* other values in brackets are several tokens */
    hlo_list_push(&p->fast.attrs, attr);
    return end;
}

void hlo_give_line(hlo_parser *p) {
    HLO_ASSERT(!p->fast.attrs.n || p->stacks.pending.n > 0);
    for (uint32_t i = 0; i < p->fast.attrs.n; i++) {
        const hlo_line_attr *a = &p->fast.attrs.v[i];
        kinds[hlo_attr_table[a->id].kind].give(p, a);
    }
}
