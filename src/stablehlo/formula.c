/* The reader of formulas, which emits as it reads: an operation for each sign and each function. */
#include "stablehlo/formula.h"

#include "base/decimal.h"
#include "ir/float_types.h"
#include "stablehlo/coefficients.h"

#include <math.h>
#include <stdio.h>

typedef hlo_mlir_value *term;

static term read_or(hlo_expansion *f);

/* ---- names ---- */

static uint32_t find(const hlo_expansion *f, hlo_str text) {
    uint32_t i = 0;
    while (i < f->count && !hlo_str_equal(f->names[i].text, text)) i++;
    return i;
}

static uint32_t place(hlo_expansion *f, hlo_str text) {
    uint32_t i = find(f, text);
    HLO_ASSERT(i < HLO_EXPANSION_NAMES);
    if (i == f->count) f->count++;
    f->names[i].text = text;
    f->names[i].value = NULL;
    return i;
}

void hlo_expansion_begin(hlo_expansion *f, hlo_mlir_emitter *e, hlo_mlir_value *like) {
    f->e = e;
    f->like = like;
    f->element = like->type->element;
    f->count = 0;
}

void hlo_expansion_set(hlo_expansion *f, const char *name, hlo_mlir_value *value) {
    f->names[place(f, hlo_str_from(name))].value = value;
}

void hlo_expansion_number(hlo_expansion *f, const char *name, double value) {
    f->names[place(f, hlo_str_from(name))].number = (hlo_mlir_emit_number){.value = value};
}

void hlo_expansion_bits(hlo_expansion *f, const char *name, uint64_t bits) {
    f->names[place(f, hlo_str_from(name))].number = (hlo_mlir_emit_number){true, 0, bits};
}

/* ---- words ---- */

static void skip_spaces(hlo_expansion *f) {
    while (*f->at == ' ') f->at++;
}

static bool take(hlo_expansion *f, const char *sign) {
    size_t n = strlen(sign);
    skip_spaces(f);
    if (strncmp(f->at, sign, n) != 0) return false;
    f->at += n;
    return true;
}

static void expect(hlo_expansion *f, const char *sign) {
    bool found = take(f, sign);
    HLO_ASSERT(found);
    (void)found;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The name that stands here; empty: none does. */
static hlo_str name_here(hlo_expansion *f) {
    skip_spaces(f);
    uint32_t n = 0;
    if (is_letter(*f->at))
        while (is_letter(f->at[n]) || is_digit(f->at[n])) n++;
    return (hlo_str){f->at, n, 0};
}

/* ---- numbers ---- */

static hlo_mlir_emit_number of_bits(uint64_t bits) {
    return (hlo_mlir_emit_number){true, 0, bits};
}

static bool read_special(const hlo_expansion *f, hlo_str name, hlo_mlir_emit_number *out) {
    const hlo_float_format *format = hlo_type_float_format(f->element);
    if (hlo_str_is(name, "pi")) *out = (hlo_mlir_emit_number){.value = 3.14159265358979323846};
    else if (hlo_str_is(name, "inf")) *out = (hlo_mlir_emit_number){.value = INFINITY};
    else if (hlo_str_is(name, "nan")) *out = (hlo_mlir_emit_number){.value = NAN};
    else if (!format) return false;
    else if (hlo_str_is(name, "largest")) *out = of_bits(format->max_finite);
    else if (hlo_str_is(name, "smallest")) *out = of_bits(1);
    else if (hlo_str_is(name, "smallest_normal"))
        *out = of_bits(UINT64_C(1) << format->mantissa_bits);
    else return false;
    return true;
}

static size_t digits_here(const char *at) {
    size_t n = strspn(at, "0123456789.");
    if (!n || at[n] != 'e') return n;
    n += at[n + 1] == '-' || at[n + 1] == '+' ? 2 : 1;
    return n + strspn(at + n, "0123456789");
}

static bool read_number(hlo_expansion *f, hlo_mlir_emit_number *out) {
    hlo_str name = name_here(f);
    size_t n = digits_here(f->at);
    if (n) {
        *out = (hlo_mlir_emit_number){.value = hlo_decimal_text(f->at, n)};
        f->at += n;
        return true;
    }
    uint32_t i = find(f, name);
    if (i < f->count) {
        if (f->names[i].value) return false;
        *out = f->names[i].number;
    } else if (!name.len || name.ptr[name.len] == '(' || !read_special(f, name, out)) {
        return false;
    }
    f->at += name.len;
    return true;
}

static term emit_number(hlo_expansion *f, hlo_mlir_emit_number number) {
    return hlo_mlir_emit_full(f->e, f->element, number, f->like);
}

/* ---- functions ---- */

static term emit_two(hlo_expansion *f, hlo_mlir_op_id id, term a, term b) {
    return hlo_mlir_emit(f->e, id, 2, (term[]){a, b});
}

static term plus(hlo_expansion *f, term a, double number) {
    return emit_two(f, HLO_MLIR_OP_STABLEHLO_ADD, a,
                    emit_number(f, (hlo_mlir_emit_number){.value = number}));
}

/* By Horner's rule. */
static term emit_poly(hlo_expansion *f, term x, const hlo_coefficients *c) {
    term sum = emit_number(f, (hlo_mlir_emit_number){.value = c->values[0]});
    for (size_t i = 1; i < c->count; i++)
        sum = plus(f, emit_two(f, HLO_MLIR_OP_STABLEHLO_MULTIPLY, sum, x), c->values[i]);
    return sum;
}

/* By Clenshaw's recurrence. */
static term emit_chebyshev(hlo_expansion *f, term x, const hlo_coefficients *c) {
    term b0 = emit_number(f, (hlo_mlir_emit_number){0}),
         b1 = emit_number(f, (hlo_mlir_emit_number){0});
    term b2 = emit_number(f, (hlo_mlir_emit_number){0});
    for (size_t i = 0; i < c->count; i++) {
        b2 = b1;
        b1 = b0;
        b0 = emit_two(f, HLO_MLIR_OP_STABLEHLO_MULTIPLY, x, b1);
        b0 = plus(f, emit_two(f, HLO_MLIR_OP_STABLEHLO_SUBTRACT, b0, b2), c->values[i]);
    }
    b0 = emit_two(f, HLO_MLIR_OP_STABLEHLO_SUBTRACT, b0, b2);
    return emit_two(f, HLO_MLIR_OP_STABLEHLO_MULTIPLY, b0,
                    emit_number(f, (hlo_mlir_emit_number){.value = 0.5}));
}

/* (t, C) */
static term read_series(hlo_expansion *f, bool is_poly) {
    expect(f, "(");
    term x = read_or(f);
    expect(f, ",");
    hlo_str name = name_here(f);
    const hlo_coefficients *c = hlo_expansion_coefficients(name);
    term like = f->like;
    f->at += name.len;
    expect(f, ")");
    f->like = x;
    term sum = is_poly ? emit_poly(f, x, c) : emit_chebyshev(f, x, c);
    f->like = like;
    return sum;
}

static hlo_mlir_op_id operation(hlo_str name) {
    static const char *const dialects[] = {"stablehlo", "chlo"};
    char text[64];
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        snprintf(text, sizeof text, "%s.%.*s", dialects[i], (int)name.len, name.ptr);
        hlo_mlir_op_id id = hlo_mlir_op_from_name(hlo_str_from(text));
        if (id != HLO_MLIR_OP_COUNT) return id;
    }
    HLO_UNREACHABLE();
    return HLO_MLIR_OP_COUNT;
}

static term read_call(hlo_expansion *f, hlo_str name) {
    term operands[3];
    uint32_t n = 0;
    if (hlo_str_is(name, "poly")) return read_series(f, true);
    if (hlo_str_is(name, "chebyshev")) return read_series(f, false);
    expect(f, "(");
    do {
        HLO_ASSERT(n < 3);
        operands[n++] = read_or(f);
    } while (take(f, ","));
    expect(f, ")");
    hlo_mlir_op_id id = operation(name);
    term made = hlo_mlir_emit(f->e, id, n, operands);
    bool is_part = id == HLO_MLIR_OP_STABLEHLO_REAL || id == HLO_MLIR_OP_STABLEHLO_IMAG;
    if (is_part && f->like->type->element != f->element) f->like = made;
    return made;
}

/* ---- the grammar ---- */

static term read_primary(hlo_expansion *f) {
    hlo_mlir_emit_number number;
    if (take(f, "(")) {
        term inner = read_or(f);
        expect(f, ")");
        return inner;
    }
    if (read_number(f, &number)) return emit_number(f, number);
    hlo_str name = name_here(f);
    uint32_t i = find(f, name);
    f->at += name.len;
    if (*f->at == '(') return read_call(f, name);
    HLO_ASSERT(i < f->count);
    return f->names[i].value;
}

static term read_unary(hlo_expansion *f) {
    hlo_mlir_emit_number number;
    if (take(f, "-")) {
        if (!read_number(f, &number))
            return hlo_mlir_emit(f->e, HLO_MLIR_OP_STABLEHLO_NEGATE, 1, (term[]){read_unary(f)});
        HLO_ASSERT(!number.is_bits);
        number.value = -number.value;
        return emit_number(f, number);
    }
    if (take(f, "!"))
        return hlo_mlir_emit(f->e, HLO_MLIR_OP_STABLEHLO_NOT, 1, (term[]){read_unary(f)});
    return read_primary(f);
}

static term read_product(hlo_expansion *f) {
    term left = read_unary(f);
    for (;;) {
        hlo_mlir_op_id id = take(f, "*")   ? HLO_MLIR_OP_STABLEHLO_MULTIPLY
                            : take(f, "/") ? HLO_MLIR_OP_STABLEHLO_DIVIDE
                            : take(f, "%") ? HLO_MLIR_OP_STABLEHLO_REMAINDER
                                           : HLO_MLIR_OP_COUNT;
        if (id == HLO_MLIR_OP_COUNT) return left;
        left = emit_two(f, id, left, read_unary(f));
    }
}

static term read_sum(hlo_expansion *f) {
    term left = read_product(f);
    for (;;) {
        if (take(f, "+")) left = emit_two(f, HLO_MLIR_OP_STABLEHLO_ADD, left, read_product(f));
        else if (take(f, "-"))
            left = emit_two(f, HLO_MLIR_OP_STABLEHLO_SUBTRACT, left, read_product(f));
        else return left;
    }
}

static term read_relation(hlo_expansion *f) {
    static const char *const signs[][2] = {{"<=", "LE"}, {">=", "GE"}, {"==", "EQ"},
                                           {"!=", "NE"}, {"<", "LT"},  {">", "GT"}};
    term left = read_sum(f);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (take(f, signs[i][0]))
            return hlo_mlir_emit_compare(f->e, signs[i][1], left, read_sum(f));
    return left;
}

static term read_and(hlo_expansion *f) {
    term left = read_relation(f);
    while (take(f, "&")) left = emit_two(f, HLO_MLIR_OP_STABLEHLO_AND, left, read_relation(f));
    return left;
}

static term read_or(hlo_expansion *f) {
    term left = read_and(f);
    while (take(f, "|")) left = emit_two(f, HLO_MLIR_OP_STABLEHLO_OR, left, read_and(f));
    return left;
}

/* A name before '=' that is not '=='. */
static bool read_target(hlo_expansion *f, hlo_str *name) {
    const char *from = f->at;
    *name = name_here(f);
    f->at += name->len;
    if (name->len && take(f, "=") && *f->at != '=') return true;
    f->at = from;
    return false;
}

hlo_mlir_value *hlo_expansion_run(hlo_expansion *f, const char *text) {
    term value = NULL;
    hlo_str name;
    f->at = text;
    do {
        bool is_named = read_target(f, &name);
        value = read_or(f);
        if (is_named) f->names[place(f, name)].value = value;
    } while (take(f, ";"));
    HLO_ASSERT(!*f->at);
    return value;
}
