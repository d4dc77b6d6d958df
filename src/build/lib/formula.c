/* Formulas made into instructions while they are read: see formula.h. */
#include "build/lib/formula.h"

#include <math.h>

#include "base/decimal.h"
#include "build/lib/coefficients.h"

#define NO_DIMS ((hlo_int_list){0, NULL})

/* ---- names ---- */

static void add_name(hlo_formula *f, const char *text, size_t length, hlo_term term,
                     double number) {
    size_t i = 0;
    while (i < f->count &&
           (f->names[i].length != length || memcmp(f->names[i].text, text, length) != 0))
        i++;
    if (i == HLO_FORMULA_NAMES) {
        hlo_builder_misuse(f->b, "a formula has more than %d names", HLO_FORMULA_NAMES);
        return;
    }
    if (i == f->count) f->count++;
    f->names[i].text = text;
    f->names[i].length = length;
    f->names[i].term = term;
    f->names[i].number = number;
}

void hlo_formula_set(hlo_formula *f, const char *name, hlo_term term) {
    add_name(f, name, strlen(name), term, NAN);
}

void hlo_formula_set_number(hlo_formula *f, const char *name, double number) {
    add_name(f, name, strlen(name), NULL, number);
}

static size_t find(const hlo_formula *f, const char *text, size_t length) {
    for (size_t i = 0; i < f->count; i++)
        if (f->names[i].length == length && memcmp(f->names[i].text, text, length) == 0) return i;
    return f->count;
}

hlo_term hlo_formula_get(const hlo_formula *f, const char *name) {
    size_t i = find(f, name, strlen(name));
    return i < f->count ? f->names[i].term : NULL;
}

hlo_formula hlo_formula_of(hlo_builder *b, const char *names, const hlo_term *terms) {
    hlo_formula f = {.b = b, .like = terms[0]};
    hlo_formula_set_number(&f, "pi", 3.14159265358979323846);
    hlo_formula_set_number(&f, "inf", INFINITY);
    hlo_formula_set_number(&f, "nan", NAN);
    for (size_t i = 0; *names; i++) {
        size_t length = strcspn(names, " ");
        add_name(&f, names, length, terms[i], NAN);
        names += length + strspn(names + length, " ");
    }
    return f;
}

/* ---- words ---- */

static bool fault(hlo_formula *f, const char *what) {
    hlo_builder_misuse(f->b, "formula: %s at '%.20s'", what, f->at);
    return false;
}

static void skip_spaces(hlo_formula *f) {
    f->at += strspn(f->at, " \n");
}

static bool take(hlo_formula *f, const char *sign) {
    skip_spaces(f);
    size_t n = strlen(sign);
    if (strncmp(f->at, sign, n) != 0) return false;
    f->at += n;
    return true;
}

static void expect(hlo_formula *f, const char *sign) {
    if (!take(f, sign)) fault(f, "unexpected text");
}

static size_t name_length(const char *at) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t first = strspn(at, letters);
    return first ? first + strspn(at + first, "abcdefghijklmnopqrstuvwxyz"
                                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
                 : 0;
}

static bool starts_number(const char *at) {
    return at[0] >= '0' && at[0] <= '9';
}

/* digits[.digits][e[+-]digits] */
static size_t number_length(const char *at) {
    size_t n = strspn(at, "0123456789.");
    if (at[n] != 'e') return n;
    n += at[n + 1] == '-' || at[n + 1] == '+' ? 2 : 1;
    return n + strspn(at + n, "0123456789");
}

/* Digits, or the name of a number, after a sign. */
static double read_number(hlo_formula *f) {
    bool negative = take(f, "-");
    skip_spaces(f);
    double value = 0;
    size_t length = name_length(f->at), i = find(f, f->at, length);
    if (length && i < f->count && !f->names[i].term) {
        value = f->names[i].number;
        f->at += length;
    } else if (starts_number(f->at)) {
        length = number_length(f->at);
        value = hlo_decimal_text(f->at, length);
        f->at += length;
    } else {
        fault(f, "no number");
    }
    return negative ? -value : value;
}

/* ---- functions ---- */

typedef hlo_term one_term(hlo_builder *, hlo_term);
typedef hlo_term two_terms(hlo_builder *, hlo_term, hlo_term);
typedef hlo_term two_terms_spread(hlo_builder *, hlo_term, hlo_term, hlo_int_list);
typedef hlo_term of_type(hlo_builder *, hlo_element_type);

typedef struct {
    const char *name;
    one_term *one;
    two_terms *two;
    two_terms_spread *spread;
    of_type *typed;
} function_row;

static const function_row functions[] = {
#define HLO_FORMULA_1(name, function) {#name, function, NULL, NULL, NULL},
#define HLO_FORMULA_2(name, function) {#name, NULL, function, NULL, NULL},
#define HLO_FORMULA_2D(name, function) {#name, NULL, NULL, function, NULL},
#define HLO_FORMULA_TYPED(name, function) {#name, NULL, NULL, NULL, function},
#include "build/lib/formula.def"
};

static const function_row *find_function(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, text, length) == 0)
            return &functions[i];
    return NULL;
}

static hlo_term read_or(hlo_formula *f);

static hlo_term call_row(hlo_formula *f, const function_row *row) {
    hlo_term first = read_or(f), second = NULL;
    if (row->two || row->spread) {
        expect(f, ",");
        second = read_or(f);
    }
    if (!first || hlo_builder_failed(f->b)) return NULL;
    if (row->one) return row->one(f->b, first);
    if (row->two) return row->two(f->b, first, second);
    if (row->spread) return row->spread(f->b, first, second, NO_DIMS);
    return row->typed(f->b, hlo_lib_public((hlo_type)first->shape->type));
}

static hlo_term call_select(hlo_formula *f) {
    hlo_term pred = read_or(f);
    expect(f, ",");
    hlo_term yes = read_or(f);
    expect(f, ",");
    return hlo_lib_select(f->b, pred, yes, read_or(f));
}

static hlo_term call_polynomial(hlo_formula *f, bool is_chebyshev) {
    hlo_term x = read_or(f);
    expect(f, ",");
    skip_spaces(f);
    size_t length = name_length(f->at);
    const hlo_coefficients *c = hlo_coefficients_find(f->at, length);
    f->at += length;
    if (!c) return fault(f, "no such coefficients before"), NULL;
    return (is_chebyshev ? hlo_lib_evaluate_chebyshev_polynomial
                         : hlo_lib_evaluate_polynomial)(f->b, x, c->values, c->count);
}

static hlo_term call_number(hlo_formula *f, char kind) {
    hlo_term x = read_or(f);
    expect(f, ",");
    double number = read_number(f);
    if (!x) return NULL;
    hlo_type type = (hlo_type)x->shape->type;
    if (kind == 'f') return hlo_lib_full(f->b, x, number);
    return hlo_lib_number(f->b, kind == 'p' ? hlo_type_part(type) : type, number);
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static hlo_term read_call(hlo_formula *f, const char *name, size_t length) {
    const function_row *row = find_function(name, length);
    hlo_term value = NULL;
    if (row) value = call_row(f, row);
    else if (is_word(name, length, "select")) value = call_select(f);
    else if (is_word(name, length, "like")) value = call_number(f, 'l');
    else if (is_word(name, length, "full")) value = call_number(f, 'f');
    else if (is_word(name, length, "part")) value = call_number(f, 'p');
    else if (is_word(name, length, "poly")) value = call_polynomial(f, false);
    else if (is_word(name, length, "chebyshev")) value = call_polynomial(f, true);
    else fault(f, "no such function before");
    expect(f, ")");
    return value;
}

/* ---- expressions ---- */

static hlo_term read_named(hlo_formula *f, size_t length) {
    const char *name = f->at;
    size_t i = find(f, name, length);
    if (name[length] == '(') {
        f->at += length + 1;
        return read_call(f, name, length);
    }
    if (i < f->count && !f->names[i].term) return hlo_lib_like(f->b, f->like, read_number(f));
    f->at += length;
    if (i == f->count) return fault(f, "no such name before"), NULL;
    return f->names[i].term;
}

static hlo_term read_primary(hlo_formula *f) {
    skip_spaces(f);
    if (hlo_builder_failed(f->b)) return NULL;
    if (take(f, "(")) {
        hlo_term inner = read_or(f);
        expect(f, ")");
        return inner;
    }
    size_t length = name_length(f->at);
    return length ? read_named(f, length) : hlo_lib_like(f->b, f->like, read_number(f));
}

static hlo_term read_unary(hlo_formula *f) {
    skip_spaces(f);
    if (f->at[0] == '-' && !starts_number(f->at + 1)) {
        f->at++;
        return hlo_builder_neg(f->b, read_unary(f));
    }
    if (f->at[0] == '!') {
        f->at++;
        return hlo_builder_not(f->b, read_unary(f));
    }
    return read_primary(f);
}

static hlo_term read_product(hlo_formula *f) {
    hlo_term value = read_unary(f);
    for (;;) {
        two_terms_spread *function = take(f, "*")   ? hlo_builder_mul
                                     : take(f, "/") ? hlo_builder_div
                                     : take(f, "%") ? hlo_builder_rem
                                                    : NULL;
        if (!function) return value;
        value = function(f->b, value, read_unary(f), NO_DIMS);
    }
}

static hlo_term read_sum(hlo_formula *f) {
    hlo_term value = read_product(f);
    for (;;) {
        two_terms_spread *function = take(f, "+")   ? hlo_builder_add
                                     : take(f, "-") ? hlo_builder_sub
                                                    : NULL;
        if (!function) return value;
        value = function(f->b, value, read_product(f), NO_DIMS);
    }
}

static two_terms_spread *take_relation(hlo_formula *f) {
    if (take(f, "<=")) return hlo_builder_le;
    if (take(f, ">=")) return hlo_builder_ge;
    if (take(f, "==")) return hlo_builder_eq;
    if (take(f, "!=")) return hlo_builder_ne;
    if (take(f, "<")) return hlo_builder_lt;
    return take(f, ">") ? hlo_builder_gt : NULL;
}

static hlo_term read_relation(hlo_formula *f) {
    hlo_term value = read_sum(f);
    two_terms_spread *function = take_relation(f);
    return function ? function(f->b, value, read_sum(f), NO_DIMS) : value;
}

static hlo_term read_and(hlo_formula *f) {
    hlo_term value = read_relation(f);
    while (take(f, "&&")) value = hlo_builder_and(f->b, value, read_relation(f), NO_DIMS);
    return value;
}

static hlo_term read_or(hlo_formula *f) {
    hlo_term value = read_and(f);
    while (take(f, "||")) value = hlo_builder_or(f->b, value, read_and(f), NO_DIMS);
    return value;
}

/* ---- statements ---- */

static hlo_term read_statement(hlo_formula *f) {
    skip_spaces(f);
    size_t length = name_length(f->at);
    const char *name = f->at, *after = name + length + strspn(name + length, " ");
    bool is_named = length && after[0] == '=' && after[1] != '=';
    if (is_named) f->at = after + 1;
    hlo_term value = read_or(f);
    if (is_named && value) add_name(f, name, length, value, NAN);
    return value;
}

hlo_term hlo_formula_run(hlo_formula *f, const char *text) {
    f->at = text;
    hlo_term value = read_statement(f);
    while (!hlo_builder_failed(f->b) && take(f, ";")) value = read_statement(f);
    skip_spaces(f);
    if (*f->at && !hlo_builder_failed(f->b)) fault(f, "unexpected text");
    return hlo_builder_failed(f->b) ? NULL : value;
}

hlo_term hlo_formula_once(hlo_builder *b, const char *text, const char *names,
                          const hlo_term *terms) {
    hlo_formula f = hlo_formula_of(b, names, terms);
    return hlo_formula_run(&f, text);
}
