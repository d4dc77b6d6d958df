/* Hints and notes about names that are not found: the nearest one, or why the very name that is
 * elsewhere in the text is not meant. */
#include "parse/suggest.h"

#include "base/nearest.h"
#include "base/text.h"
#include "legacy/dialect.h"
#include "shape/dialects.h"

/* Entry i of a table of names, or NULL when that one cannot be meant here. */
typedef const char *namer(const hlo_parser *p, size_t i);

static void suggest(hlo_parser *p, const char *text, size_t n, namer *name, size_t count) {
    hlo_nearest search = hlo_nearest_to(text, n);
    for (size_t i = 0; i < count; i++) {
        const char *candidate = name(p, i);
        if (candidate) hlo_nearest_try(&search, candidate, strlen(candidate), false);
    }
    hlo_hint_nearest(p->diags, &search);
}

void hlo_suggest_opcode(hlo_parser *p, const char *text, size_t n) {
    if (hlo_dialect_claims(p->diags, HLO_DIALECT_OPCODE, HLO_OP_COUNT, text, n)) return;
    const hlo_nearest search = hlo_op_nearest(text, n);
    const char *today = search.name ? NULL : hlo_old_opcode_today(text, n);
    if (today) hlo_hint(p->diags, "did you mean '%s'?", today);
    else hlo_hint_nearest(p->diags, &search);
}

static const char *header_attribute_name(const hlo_parser *p, size_t i) {
    (void)p;
    return hlo_attr_table[i].place == HLO_PLACE_HEADER ? hlo_attr_table[i].text : NULL;
}

/* Those that the instruction being read takes. */
static const char *attribute_name(const hlo_parser *p, size_t i) {
    hlo_attr_place place = hlo_attr_table[i].place;
    if (place == HLO_PLACE_HEADER || place == HLO_PLACE_PARENS || !p->stacks.pending.n) return NULL;
    hlo_opcode op = p->stacks.pending.v[p->stacks.pending.n - 1].draft.opcode;
    return hlo_op_attr(op, (hlo_attr_id)i) == HLO_ATTR_COUNT ? NULL : hlo_attr_table[i].text;
}

void hlo_suggest_attribute(hlo_parser *p, const char *text, size_t n, bool header) {
    hlo_opcode op = p->stacks.pending.n ? p->stacks.pending.v[p->stacks.pending.n - 1].draft.opcode
                                        : HLO_OP_COUNT;
    if (!header && hlo_dialect_claims(p->diags, HLO_DIALECT_ATTRIBUTE, op, text, n)) return;
    suggest(p, text, n, header ? header_attribute_name : attribute_name, HLO_ATTR_COUNT);
}

/* ---- words ---- */

void hlo_suggest_word(hlo_parser *p, const char *text, size_t n, const char *const *names,
                      size_t count) {
    hlo_nearest search = hlo_nearest_to(text, n);
    for (size_t i = 0; i < count; i++) hlo_nearest_try(&search, names[i], strlen(names[i]), false);
    hlo_hint_nearest(p->diags, &search);
}

void hlo_suggest_listed(hlo_parser *p, const hlo_name *name, const char *names) {
    hlo_nearest search = hlo_nearest_to(name->ptr, name->len);
    for (const char *at = names; *at; at += strspn(at, ", ")) {
        size_t n = strcspn(at, ",");
        hlo_nearest_try(&search, at, n, false);
        at += n;
    }
    hlo_hint_nearest(p->diags, &search);
}

void hlo_suggest_of_set(hlo_parser *p, const hlo_name *word, hlo_word_set set) {
    const hlo_nearest search = hlo_word_nearest(set, (hlo_str){word->ptr, word->len, 0});
    hlo_hint_nearest(p->diags, &search);
}

/* What others call some element types: NumPy, C, LLVM. */
static const struct {
    const char *other, *type;
} other_types[] = {
    {"bool", "pred"},   {"i1", "pred"},       {"int8", "s8"},       {"i8", "s8"},
    {"uint8", "u8"},    {"int16", "s16"},     {"i16", "s16"},       {"uint16", "u16"},
    {"int32", "s32"},   {"i32", "s32"},       {"int", "s32"},       {"uint32", "u32"},
    {"int64", "s64"},   {"i64", "s64"},       {"uint64", "u64"},    {"float16", "f16"},
    {"half", "f16"},    {"bfloat16", "bf16"}, {"float32", "f32"},   {"float", "f32"},
    {"float64", "f64"}, {"double", "f64"},    {"complex64", "c64"}, {"complex128", "c128"},
};

static const char *type_of_others(const char *text, size_t n) {
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        if (strlen(other_types[i].other) == n && memcmp(other_types[i].other, text, n) == 0)
            return other_types[i].type;
    return NULL;
}

void hlo_suggest_type(hlo_parser *p, const char *text, size_t n) {
    const char *type = type_of_others(text, n);
    if (type) hlo_hint(p->diags, "'%.*s' is '%s' here", (int)n, text, type);
}

static const char *type_name(const hlo_parser *p, size_t i) {
    (void)p;
    const char *text = hlo_types[i].text;
    return hlo_type_from_text(text, strlen(text)) == HLO_TYPE_COUNT ? NULL : text;
}

void hlo_suggest_near_type(hlo_parser *p, const char *text, size_t n) {
    if (!type_of_others(text, n)) suggest(p, text, n, type_name, HLO_TYPE_COUNT);
}

/* ---- names of instructions and computations ---- */

/* Where the name is defined after `at`, in the same computation; NULL when it is not. */
static const char *defined_later(const hlo_parser *p, const hlo_name *name, hlo_span at) {
    if (!name->len) return NULL; /* a lone percent sign */
    const char *from = p->scan.begin + at.hi, *limit = p->scan.limit;
    const char *close = memmem(from, (size_t)(limit - from), "\n}", 2);
    if (close) limit = close;
    while ((from = memmem(from, (size_t)(limit - from), name->ptr, name->len))) {
        const char *end = from + name->len;
        bool begins = from[-1] == '%' || hlo_is_blank(from[-1]);
        while (*end == ' ') end++;
        if (begins && *end == '=' && (end > from + name->len || from[-1] == '%')) return from;
        from += name->len;
    }
    return NULL;
}

/* An instruction of that name in another computation that was read. */
static const hlo_instr *namesake(const hlo_parser *p, const hlo_name *name) {
    if (!name->uses) return NULL;
    for (const hlo_computation *c = p->module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (i->name == name) return i;
    return NULL;
}

void hlo_suggest_instruction(hlo_parser *p, const hlo_name *name, hlo_span at) {
    if (!p->diags->last) return; /* the error is one too many, and looking takes long */
    const hlo_computation *c = hlo_scope_now(p)->computation;
    const char *later = defined_later(p, name, at);
    const hlo_instr *other = later ? NULL : namesake(p, name);
    if (later)
        hlo_note(p->diags, p->source, hlo_span_of(p, later, later + name->len),
                 "it is defined here, after its use");
    if (other && other->parent != c)
        hlo_note(p->diags, p->source, other->at, "another computation has one of this name");
    if (later) return;
    hlo_nearest search = hlo_nearest_to(name->ptr, name->len);
    for (const hlo_instr *i = c->first; i; i = i->next)
        hlo_nearest_try(&search, i->name->ptr, i->name->len, true);
    hlo_hint_nearest(p->diags, &search);
}

void hlo_suggest_computation(hlo_parser *p, const hlo_name *name) {
    if (!p->diags->last) return;
    hlo_nearest search = hlo_nearest_to(name->ptr, name->len);
    for (const hlo_computation *c = p->module->first; c; c = c->next)
        if (c->name->computation == c) hlo_nearest_try(&search, c->name->ptr, c->name->len, true);
    hlo_hint_nearest(p->diags, &search);
}
