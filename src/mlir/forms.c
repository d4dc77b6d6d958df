/* Forms of the text of operations: the rows of ops.def, and how the items of an operation become
 * operands and attributes by the words of its row. */
#include "mlir/forms.h"

#include "base/spellings.h"
#include "base/text.h"

/* The form that a row's words are, where they name a production of the grammar. */
static hlo_mlir_form form_from_words(const char *words) {
    static const struct {
        const char *name;
        hlo_mlir_form form;
    } productions[] = {
        {"CONSTANT", HLO_MLIR_FORM_CONSTANT}, {"FUNCTION", HLO_MLIR_FORM_FUNCTION},
        {"GENERIC", HLO_MLIR_FORM_GENERIC},   {"MANUAL", HLO_MLIR_FORM_MANUAL},
        {"MODULE", HLO_MLIR_FORM_MODULE},     {"REDUCE", HLO_MLIR_FORM_REDUCE},
        {"SCAN", HLO_MLIR_FORM_SCAN},         {"WHILE", HLO_MLIR_FORM_WHILE},
    };
    for (size_t i = 0; i < sizeof productions / sizeof *productions; i++)
        if (strcmp(words, productions[i].name) == 0) return productions[i].form;
    return HLO_MLIR_FORM_PLAIN;
}

#define HLO_MLIR_OP(id, name, words, results, types, ...) \
    {name, words, HLO_MLIR_RESULTS_##results, HLO_MLIR_TYPES_##types},
const hlo_mlir_op_info hlo_mlir_ops[HLO_MLIR_OP_COUNT] = {
#include "mlir/ops.def"
};
#undef HLO_MLIR_OP

static hlo_spellings names;
static uint8_t forms[HLO_MLIR_OP_COUNT];

__attribute__((constructor)) static void fill_tables(void) {
    for (unsigned i = 0; i < HLO_MLIR_OP_COUNT; i++) {
        hlo_spelling_add(&names, i, hlo_mlir_ops[i].name);
        forms[i] = (uint8_t)form_from_words(hlo_mlir_ops[i].words);
    }
}

hlo_mlir_op_id hlo_mlir_op_from_name(hlo_str name) {
    int row = hlo_spelling_find(&names, name.ptr, name.len);
    return row < 0 ? HLO_MLIR_OP_COUNT : (hlo_mlir_op_id)row;
}

hlo_mlir_form hlo_mlir_form_of(hlo_str name) {
    hlo_mlir_op_id id = hlo_mlir_op_from_name(name);
    return id == HLO_MLIR_OP_COUNT ? HLO_MLIR_FORM_UNKNOWN : (hlo_mlir_form)forms[id];
}

hlo_mlir_form hlo_mlir_form_of_id(hlo_mlir_op_id id) {
    HLO_ASSERT(id < HLO_MLIR_OP_COUNT);
    return (hlo_mlir_form)forms[id];
}

hlo_nearest hlo_mlir_nearest_op(hlo_str name) {
    hlo_nearest search = hlo_nearest_to(name.ptr, name.len);
    for (unsigned i = 0; i < HLO_MLIR_OP_COUNT; i++)
        hlo_nearest_try(&search, hlo_mlir_ops[i].name, strlen(hlo_mlir_ops[i].name), false);
    return search;
}

bool hlo_mlir_begins_type(hlo_str word, char next) {
    static const char *const with_angles[] = {"tensor", "tuple", "complex", "memref", "vector"};
    char first = *word.ptr;
    if (next == '<')
        for (size_t i = 0; i < sizeof with_angles / sizeof *with_angles; i++)
            if (hlo_str_is(word, with_angles[i])) return true;
    if (first == 'i' || first == 's' || first == 'u' || first == 'f' || first == 'b' ||
        first == 't') {
        if (hlo_mlir_element(word) != HLO_TYPE_COUNT || hlo_str_is(word, "tf32")) return true;
        uint32_t digits = hlo_final_digits(word);
        return hlo_str_is(word, "index") ||
               (digits < word.len &&
                ((digits == 1 && first == 'i') || (digits == 2 && word.ptr[1] == 'i')));
    }
    return hlo_str_is(word, "none");
}

/* ---- words of a row ---- */

hlo_str hlo_mlir_next_word(const char **words) {
    while (**words == ' ') (*words)++;
    const char *from = *words;
    while (**words && **words != ' ') (*words)++;
    return (hlo_str){from, (uint32_t)(*words - from), 0};
}

hlo_str hlo_mlir_bare_attr(hlo_str word) {
    if (word.len > 1 && (*word.ptr == ':' || *word.ptr == '@'))
        return (hlo_str){word.ptr + 1, word.len - 1, 0};
    if (word.len > 3 && *word.ptr == '[') return (hlo_str){word.ptr + 2, word.len - 3, 0};
    return (hlo_str){0};
}

/* ---- an operation's items ---- */

typedef struct {
    hlo_mlir_parser *p;
    const char *words; /* the rest of the row's words */
    uint32_t at, end;  /* the rest of the items */
} matching;

static const hlo_mlir_item *item(const matching *m) {
    return m->at < m->end ? &m->p->items.v[m->at] : NULL;
}

static hlo_str next_word(matching *m) {
    return hlo_mlir_next_word(&m->words);
}

static void fail(matching *m, const char *wanted, uint32_t len) {
    hlo_mlir_parser *p = m->p;
    const hlo_mlir_item *found = item(m);
    hlo_mlir_open_op *op = &p->open.v[p->open.n - 1];
    hlo_span at = found ? found->at : op->at;
    hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "expected %.*s %s of '%.*s'", (int)len, wanted,
                   found ? "here, in the text" : "in the text", (int)op->name.len, op->name.ptr);
}

static bool takes_mark(matching *m, char mark) {
    const hlo_mlir_item *next = item(m);
    if (!next || next->kind != HLO_MLIR_ITEM_MARK || next->mark != mark) return false;
    m->at++;
    return true;
}

static bool take_value(matching *m) {
    const hlo_mlir_item *next = item(m);
    if (!next || next->kind != HLO_MLIR_ITEM_VALUE) return false;
    hlo_str name = next->key;
    hlo_span at = next->at;
    m->at++;
    hlo_mlir_push_operand(m->p, name, at);
    return true;
}

/* Values up to one that no comma follows, or before a comma that no value follows. */
static void take_values(matching *m) {
    if (!take_value(m)) return;
    while (m->at + 1 < m->end && m->p->items.v[m->at].kind == HLO_MLIR_ITEM_MARK &&
           m->p->items.v[m->at].mark == ',' &&
           m->p->items.v[m->at + 1].kind == HLO_MLIR_ITEM_VALUE) {
        m->at++;
        take_value(m);
    }
}

static bool take_keyed(matching *m, hlo_str word) {
    const char *equals = memchr(word.ptr, '=', word.len);
    hlo_str key = {word.ptr, (uint32_t)(equals - word.ptr), 0};
    hlo_str name = {equals + 1, word.len - key.len - 1, 0};
    const hlo_mlir_item *next = item(m);
    if (!next || next->kind != HLO_MLIR_ITEM_KEYED || !hlo_str_equal(next->key, key)) return false;
    hlo_mlir_add_attr(m->p, name, next->attr, next->at);
    m->at++;
    return true;
}

static bool take_attr(matching *m, hlo_str name) {
    const hlo_mlir_item *next = item(m);
    if (!next || next->kind != HLO_MLIR_ITEM_ATTR) return false;
    hlo_mlir_add_attr(m->p, name, next->attr, next->at);
    m->at++;
    return true;
}

static bool take_word(matching *m, hlo_str word) {
    if (hlo_str_is(word, "v")) return take_value(m);
    if (hlo_str_is(word, "v*")) return take_values(m), true;
    if (hlo_str_is(word, "{}")) return true; /* the grammar takes them wherever they stand */
    hlo_str name = hlo_mlir_bare_attr(word);
    if (name.len) return take_attr(m, name);
    if (word.len == 1 && strchr(",()=", *word.ptr)) return takes_mark(m, *word.ptr);
    return take_keyed(m, word);
}

/* Passes over the words up to the bracket that closes. */
static void skip_group(matching *m) {
    for (hlo_str word = next_word(m); word.len && !hlo_str_is(word, "]"); word = next_word(m)) {
    }
}

/* Whether the items go on as the group does: its last word before the comma decides, which is the
 * only one that others may not have too. */
static bool group_follows(const matching *m) {
    matching ahead = *m;
    for (hlo_str word = next_word(&ahead); word.len && !hlo_str_is(word, "]");
         word = next_word(&ahead)) {
        const hlo_mlir_item *next = item(&ahead);
        if (!next) return false;
        if (word.len == 1 && next->kind == HLO_MLIR_ITEM_MARK && next->mark == *word.ptr) {
            ahead.at++;
            continue;
        }
        const char *equals = memchr(word.ptr, '=', word.len);
        if (equals && next->kind == HLO_MLIR_ITEM_KEYED)
            return hlo_str_equal(next->key, (hlo_str){word.ptr, (uint32_t)(equals - word.ptr), 0});
        return hlo_mlir_bare_attr(word).len && next->kind == HLO_MLIR_ITEM_ATTR;
    }
    return false;
}

static const char *describe(hlo_str word) {
    if (*word.ptr == 'v' && word.len <= 2) return "a value";
    if (hlo_mlir_bare_attr(word).len) return "an attribute";
    return NULL;
}

void hlo_mlir_match_form(hlo_mlir_parser *p) {
    hlo_mlir_open_op *op = &p->open.v[p->open.n - 1];
    matching m = {p, "v*", op->items, p->items.n};
    if (op->id != HLO_MLIR_OP_COUNT) m.words = hlo_mlir_ops[op->id].words;
    /* `optimization_barrier()`: no operands, in parentheses */
    bool is_empty_call = m.end - m.at == 2 && strcmp(m.words, "v*") == 0;
    if (is_empty_call && takes_mark(&m, '(') && takes_mark(&m, ')')) {
        p->items.n = op->items;
        return;
    }
    m.at = op->items;
    for (hlo_str word = next_word(&m); word.len && !p->failed; word = next_word(&m)) {
        if (hlo_str_is(word, "]")) continue;
        if (hlo_str_is(word, "[")) {
            if (!group_follows(&m)) skip_group(&m);
            continue;
        }
        if (take_word(&m, word)) continue;
        const char *what = describe(word);
        if (what) fail(&m, what, (uint32_t)strlen(what));
        else {
            const char *equals = memchr(word.ptr, '=', word.len);
            uint32_t shown =
                equals && equals > word.ptr ? (uint32_t)(equals - word.ptr) + 1 : word.len;
            fail(&m, word.ptr, shown);
        }
        return;
    }
    if (!p->failed && m.at < m.end)
        hlo_mlir_error(p, HLO_RULE_SYNTAX, p->items.v[m.at].at, "'%.*s' ends before this",
                       (int)op->name.len, op->name.ptr);
    p->items.n = op->items;
}
