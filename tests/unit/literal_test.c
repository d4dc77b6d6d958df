/* Reading and printing literals. What is accepted, printed and refused, and where, is as in
 * XLA. */
#include <stdio.h>
#include <stdlib.h>

#include "ir/float_types.h"
#include "parse/literal_text.h"

static int passed, failed;
static hlo_arena arena;
static hlo_shapes_table shapes;

static void check(bool holds, const char *what, const char *detail) {
    if (holds) {
        passed++;
    } else {
        failed++;
        printf("failed: %s: %s\n", what, detail);
    }
}

/* ---- shapes from short texts: TYPE[2,3]{0,1} or (SHAPE,SHAPE) ---- */

static uint32_t read_ints(const char **at, char close, int64_t *v) {
    uint32_t n = 0;
    while (**at != close) {
        if (**at == ',') ++*at;
        v[n++] = **at == '?' ? (++*at, HLO_UNBOUNDED) : strtoll(*at, (char **)(uintptr_t)at, 10);
    }
    ++*at;
    return n;
}

static const hlo_shape *read_shape(const char **at) {
    if (**at == '(') {
        const hlo_shape *elements[16];
        uint32_t n = 0;
        ++*at;
        while (**at != ')') {
            if (**at == ',') ++*at;
            elements[n++] = read_shape(at);
        }
        ++*at;
        return hlo_shape_tuple(&shapes, elements, n);
    }
    int64_t dims[64], layout[64];
    size_t n = strcspn(*at, "[");
    hlo_type type = hlo_type_from_text(*at, n);
    *at += n + 1;
    uint32_t rank = read_ints(at, ']', dims);
    if (type == HLO_TOKEN) return hlo_shape_token(&shapes);
    bool has_layout = **at == '{';
    if (has_layout) {
        ++*at;
        read_ints(at, '}', layout);
    }
    return hlo_shape_array(&shapes, type, dims, rank, NULL, has_layout ? layout : NULL, NULL);
}

static const hlo_shape *shape_of(const char *text) {
    return read_shape(&text);
}

/* ---- reading ---- */

typedef struct {
    hlo_source *source;
    hlo_diags diags;
    hlo_literal *literal;
    long length; /* bytes read; -1 after an error */
} reading;

static reading read_text(const char *shape, const char *text, size_t n, uint32_t counters[2]) {
    reading r = {.source = hlo_source_from_text("text", text, n)};
    hlo_diags_init(&r.diags);
    hlo_places elided = {0}, minus_zeros = {0};
    hlo_literal_reader reader = {.arena = &arena,
                                 .source = r.source,
                                 .diags = &r.diags,
                                 .begin = r.source->text,
                                 .end = r.source->text + n,
                                 .fill_words = &counters[0],
                                 .fill_bytes = &counters[1],
                                 .elided = &elided,
                                 .minus_zeros = &minus_zeros};
    const char *end = hlo_literal_read(&reader, r.source->text, shape_of(shape), &r.literal);
    r.length = end ? end - r.source->text : -1;
    check((end == NULL) == (r.diags.errors == 1), "one error or none", text);
    return r;
}

static void free_reading(reading *r) {
    hlo_diags_drop(&r->diags);
    hlo_source_release(r->source);
}

/* A literal that must be read up to its end, or up to `rest`, and print like `wanted`. */
static void accept_counting(const char *shape, const char *text, const char *wanted,
                            uint32_t counters[2]) {
    size_t n = strlen(text);
    const char *bar = strchr(text, '|');
    char *copy = hlo_arena_copy(&arena, text, n + 1);
    if (bar) memmove(copy + (bar - text), bar + 1, n-- - (size_t)(bar - text));
    reading r = read_text(shape, copy, n, counters);
    hlo_buf got = HLO_BUF_INIT;
    if (r.length >= 0) hlo_literal_print(&got, r.literal);
    hlo_buf_char(&got, 0);
    bool good = r.length == (bar ? bar - text : (long)n) && strcmp(got.data, wanted) == 0;
    check(good, shape, text);
    if (!good)
        printf("  read %ld of %zu, got %s\n", r.length, n,
               r.diags.first ? r.diags.first->message : got.data);
    hlo_buf_free(&got);
    free_reading(&r);
}

static void accept(const char *shape, const char *text, const char *wanted) {
    uint32_t counters[2] = {0, 0};
    accept_counting(shape, text, wanted, counters);
}

static void reject(const char *shape, const char *text, uint32_t offset, hlo_rule rule) {
    uint32_t counters[2] = {0, 0};
    reading r = read_text(shape, text, strlen(text), counters);
    const hlo_diag *d = r.diags.first;
    bool good = d && d->span.lo == offset && d->rule == rule;
    check(good, shape, text);
    if (!good && d) printf("  at %u: %s [%s]\n", d->span.lo, d->message, hlo_rule_name(d->rule));
    free_reading(&r);
}

static void test_forms(void) {
    accept("s32[]", "7", "7");
    accept("pred[]", "true", "true");
    accept("pred[]", "0", "false");
    accept("pred[4]", "{true, 0,2,-1}", "{1, 0, 1, 1}");
    accept("s32[2]", "{1 2,,}", "{1, 2}");
    accept("s32[2,2]", "{{1 2}{3 4}}", "{ { 1, 2 }, { 3, 4 } }");
    accept("s32[2,2]{0,1}", "{{1,2},{3,4}}", "{ { 1, 2 }, { 3, 4 } }");
    accept("s32[1]", "5", "{5}");
    accept("f32[1,1]", "5", "{ {5} }");
    accept("s32[0]", "{}", "{}");
    accept("s32[2,0]", "{{},{}}", "{ {}, {} }");
    accept("s32[0,2]", "{}", "{  }");
    accept("f32[2,0,3]", "{{},{}}", "{ {  }, {  } }");
    accept("s32[2,1,0,1]", "{{{}},{{}}}",
           "{ { /*i0=0*/ { /*i1=0*/ } }, { /*i0=1*/ { /*i1=0*/ } } }");
    accept("s32[1,2,2,2]", "{{{{1,2},{3,4}},{{5,6},{7,8}}}}",
           "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 }, { 3, 4 } }, { /*i1=1*/ { 5, 6 }, { 7, 8 } } } }");
    accept("f32[1,1,1,1,2]", "{{{{{1,2}}}}}",
           "{ { /*i0=0*/ { /*i1=0*/ { /*i2=0*/ { 1, 2 } } } } }");
    accept("s32[2]", " { /*i0=*/1, // one\n 2 /* two */ }| // behind", "{1, 2}");
    accept("()", "( )", "(  )");
    accept("(s32[],(f32[2],()))", "(1, ({2, 3}, ()))", "( 1, ( {2, 3}, (  ) ) )");
    accept("(s32[],s32[])", "(1 2)", "( 1, 2 )");
    accept("s32[]", "1|, 2", "1");
    accept("f32[]", "-inf|x", "-inf");
    accept("f32[2]", "{-inf1}", "{-inf, 1}");
    accept("f32[2]", "{1-2}", "{1, -2}");
}

static void test_values(void) {
    accept("s64[3]", "{-9223372036854775808, 9223372036854775807, 18446744073709551615}",
           "{-9223372036854775808, 9223372036854775807, -1}");
    accept("u64[2]", "{18446744073709551615, -1}", "{18446744073709551615, 18446744073709551615}");
    accept("s1[2]", "{0,-1}", "{0, -1}");
    accept("s4[2]", "{-8,7}", "{-8, 7}");
    accept("u2[2]", "{0,3}", "{0, 3}");
    accept("f32[6]", "{1, -0, -0.0, 007, 4294967295, 18446744073709551615}",
           "{1, 0, -0, 7, 4.2949673e+09, -1}");
    accept("f32[5]", "{3.40282356779733e38, 1e-45, nan(0x400000), -nan(0x1), 0.1}",
           "{3.40282347e+38, 1.4013e-45, nan, -nan(0x1), 0.1}");
    accept("f64[3]", "{1.7976931348623158e308, 1e-400, nan(0xfffffffffffff)}",
           "{1.7976931348623157e+308, 0, nan(0xfffffffffffff)}");
    accept("f16[3]", "{65519, 1.00048828126, nan(0x3ff)}", "{65504, 1, nan(0x3ff)}");
    accept("bf16[3]", "{0.1, 3.3895313892515355e38, 1.00390630000}", "{0.1001, 3.39e+38, 1}");
    accept("f8e5m2[4]", "{0.1, 61439, -inf, nan(0x1)}", "{0.094, 5.7e+04, -inf, nan(0x1)}");
    accept("f8e4m3[3]", "{247, inf, 1.0625000000009663}", "{240, inf, 1.12}");
    accept("f8e4m3fn[4]", "{464, inf, -inf, -0.0}", "{448, nan, -nan, -0}");
    accept("f8e4m3fnuz[3]", "{-0.0, -1e-30, inf}", "{0, 0, -nan}");
    accept("f8e4m3b11fnuz[2]", "{30.9, nan}", "{30, -nan}");
    accept("f8e5m2fnuz[1]", "{57344}", "{5.7e+04}");
    accept("f8e3m4[2]", "{15.7, nan(0xf)}", "{15.5, nan(0xf)}");
    accept("f8e8m0fnu[5]", "{1e-300, 1.5, 3, -inf, 2.5e38}", "{5.9e-39, 2, 4, nan, 1.7e+38}");
    accept("f4e2m1fn[5]", "{100, -inf, nan, -nan, 1.25}", "{6, -6, -0, 0, 1}");
    accept("f6e2m3fn[3]", "{inf, -1.125, nan}", "{7.5, -1.12, -0}");
    accept("f6e3m2fn[2]", "{28, -1.25}", "{28, -1.2}");
    accept("c64[4]", "{(nan, 1), (1, nan(0x1)) (-inf,-0.0), (-nan(0x1), 2)}",
           "{(nan, nan), (1, nan), (-inf, -0), (-nan(0x1), -nan(0x1))}");
    accept("c64[]", "(1 , /*x*/ nan(0xfffffffffffff))", "(1, nan(0x7fffff))");
    accept("c128[]", "(0.1, nan(0x1))", "(0.1, nan(0x1))");
}

static void test_dots(void) {
    uint32_t counters[2] = {0, 0};
    accept_counting("s32[3,3]", "{...}", "{ { 0, 1, 2 }, { 3, 4, 5 }, { 6, 7, 8 } }", counters);
    accept_counting("pred[6]", "{ ... }", "{1, 0, 1, 0, 0, 0}", counters);
    accept_counting("f32[2]", "{...,}", "{1.4013e-44, 1.54143e-44}", counters);
    accept_counting("s8[3]", "{...}", "{2, 3, 4}", counters);
    accept("s32[2,2]{0,1}", "{...}", "{ { 0, 1 }, { 2, 3 } }");
    accept("s4[9]", "{...}", "{0, 0, 0, 0, 1, 0, 0, 0, 0}");
    accept("f16[5]", "{...}", "{0, 1.5259e-05, 5.9605e-08, 0, 0}");
    accept("c64[2]", "{...}", "{(0, 1.4013e-45), (2.8026e-45, 4.2039e-45)}");
    accept("s32[2,2]", "{{1,2},...}", "{ { 0, 1 }, { 2, 3 } }");
    accept("s32[3]", "{... ...}", "{3, 4, 5}");
    accept("s32[2,0]", "{...}", "{ {}, {} }");
    reject("s32[3]", "{...,1}", 5, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2,2]", "{...,{1,2}}", 5, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2,2]", "{{...},{1,2}}", 2, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[]", "...", 0, HLO_RULE_LEX);
    reject("(s32[])", "{...}", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("f32[100000,100000]", "{...}", 1, HLO_RULE_LIMIT);
}

static void test_counts(void) {
    reject("s32[3]", "{1,2}", 4, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2]", "{1,2,3}", 5, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2]", "{}", 1, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2,2]", "{{1,2}}", 6, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2,2]", "{{1,2},{3,4},{5,6}}", 13, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2,2]", "{{1,2},{3}}", 9, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2]", "{{1,2}}", 1, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2,2]", "{1,2,3,4}", 1, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[]", "{1}", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2]", "1,2}", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2]", "{1,2)", 4, HLO_RULE_LITERAL_SYNTAX);
    reject("f32[0,2]", "{{}}", 1, HLO_RULE_LITERAL_SYNTAX);
    reject("f32[?]", "{1,2}", 0, HLO_RULE_LIMIT);
    reject("s32[9223372036854775807]", "{1}", 2, HLO_RULE_LITERAL_SYNTAX);
    reject("f64[9223372036854775807,2]", "{1}", 0, HLO_RULE_LIMIT);
    reject("s32[1000000000000]", "{1,2,3}", 6, HLO_RULE_LITERAL_SYNTAX);
    reject("(s32[],s32[])", "(1)", 2, HLO_RULE_LITERAL_SYNTAX);
    reject("(s32[])", "(1, 2)", 2, HLO_RULE_LITERAL_SYNTAX);
    reject("(s32[])", "1", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("token[]", "1", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[2]", "{1,", 3, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[]", "", 0, HLO_RULE_LITERAL_SYNTAX);
}

static void test_wrong_values(void) {
    reject("s8[]", "128", 0, HLO_RULE_LITERAL_RANGE);
    reject("s8[2]", "{1, -129}", 4, HLO_RULE_LITERAL_RANGE);
    reject("u8[]", "-1", 0, HLO_RULE_LITERAL_RANGE);
    reject("u4[]", "16", 0, HLO_RULE_LITERAL_RANGE);
    reject("s1[]", "1", 0, HLO_RULE_LITERAL_RANGE);
    reject("u32[]", "4294967296", 0, HLO_RULE_LITERAL_RANGE);
    reject("u64[]", "18446744073709551616", 0, HLO_RULE_LEX);
    reject("s32[]", "1.5", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[]", "true", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("pred[]", "inf", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("s32[]", "0x10", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("f16[]", "65520", 0, HLO_RULE_LITERAL_RANGE);
    reject("f32[]", "1e40", 0, HLO_RULE_LITERAL_RANGE);
    reject("f64[]", "1e400", 0, HLO_RULE_LITERAL_RANGE);
    reject("f8e4m3fn[]", "465", 0, HLO_RULE_LITERAL_RANGE);
    reject("f8e8m0fnu[2]", "{1, 0}", 4, HLO_RULE_LITERAL_RANGE);
    reject("f8e8m0fnu[]", "-1", 0, HLO_RULE_LITERAL_RANGE);
    reject("f32[]", "nan(0x800000)", 0, HLO_RULE_LITERAL_RANGE);
    reject("f8e4m3fn[]", "nan(0x1)", 0, HLO_RULE_LITERAL_RANGE);
    reject("f32[]", "nan(0x0)", 0, HLO_RULE_LEX);
    reject("f32[]", "nan(12)", 0, HLO_RULE_LEX);
    reject("f32[]", ".5", 0, HLO_RULE_LEX);
    reject("f32[2]", "{1.5.2}", 4, HLO_RULE_LEX);
    reject("f32[]", "--1", 0, HLO_RULE_LEX);
    reject("f32[]", "+1", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("f32[]", "infx", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("f32[]", "inf:", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("f32[2]", "{1/*2}", 2, HLO_RULE_LEX);
    reject("f32[2]", "{1\f2}", 2, HLO_RULE_LEX);
    reject("f32[2]", "{1;2}", 2, HLO_RULE_LEX);
    reject("f32[]", "\"1\"", 0, HLO_RULE_LITERAL_SYNTAX);
}

static void test_wrong_complex_values(void) {
    reject("c64[]", "1", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("c64[1]", "(1,2)", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("f32[]", "(1, 2)", 0, HLO_RULE_LITERAL_SYNTAX);
    reject("c64[]", "(1)", 2, HLO_RULE_LITERAL_SYNTAX);
    reject("c64[]", "(1, 2, 3)", 5, HLO_RULE_LITERAL_SYNTAX);
    reject("c64[]", "(a, 1)", 1, HLO_RULE_LITERAL_SYNTAX);
    reject("c64[]", "(3.40282347e+38, 1)", 0, HLO_RULE_LITERAL_RANGE);
    reject("c64[]", "(nan(0x800000),1)", 0, HLO_RULE_LITERAL_RANGE);
}

static void test_bytes_outside_the_language(void) {
    static const char with_zero[] = "{1\0002}", comment[] = "{1 // \0\n2}";
    uint32_t counters[2] = {0, 0};
    reading r = read_text("s32[2]", with_zero, sizeof with_zero - 1, counters);
    check(r.diags.first && r.diags.first->span.lo == 2, "a zero byte", "between elements");
    free_reading(&r);
    r = read_text("s32[2]", comment, sizeof comment - 1, counters);
    check(r.diags.first && r.diags.first->span.lo == 3, "a zero byte", "in a comment");
    free_reading(&r);
}

/* ---- round trips ---- */

static uint64_t random_bits(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* The printed digits of every type name the value again; only -0 comes back as 0. */
static bool comes_back(hlo_type type, const void *before, const void *after) {
    if (!hlo_type_is_float(type)) return memcmp(before, after, hlo_types[type].bytes) == 0;
    unsigned bytes = hlo_types[type].bytes;
    double x = hlo_float_decode(type, hlo_element_bits(before, bytes));
    if (x == 0) return hlo_float_decode(type, hlo_element_bits(after, bytes)) == 0;
    return memcmp(before, after, bytes) == 0;
}

static void test_round_trip(hlo_type type) {
    char shape[64];
    enum { COUNT = 3000 };
    snprintf(shape, sizeof shape, "%s[%d,3]{0,1}", hlo_types[type].text, COUNT / 3);
    hlo_literal *literal = hlo_literal_new(&arena, shape_of(shape));
    size_t bytes = hlo_types[type].bytes;
    char *data = literal->data;
    for (size_t i = 0; i < COUNT * bytes; i++) data[i] = (char)random_bits();
    hlo_elements_normalise(type, data, COUNT);
    hlo_buf text = HLO_BUF_INIT;
    hlo_literal_print(&text, literal);
    uint32_t counters[2] = {0, 0};
    reading r = read_text(shape, text.data, text.len, counters);
    uint32_t wrong = 0;
    check(r.length == (long)text.len, "what was printed can be read", shape);
    if (r.length >= 0)
        for (size_t i = 0; i < COUNT; i++)
            wrong += !comes_back(type, data + i * bytes, (char *)r.literal->data + i * bytes);
    check(wrong == 0, "bits come back", shape);
    hlo_buf_free(&text);
    free_reading(&r);
}

static void test_round_trips(void) {
    for (int t = 0; t < HLO_TOKEN; t++)
        if (!hlo_type_is_complex((hlo_type)t)) test_round_trip((hlo_type)t);
}

/* ---- the rest of literal.h ---- */

static void test_layout(void) {
    const hlo_shape *row = shape_of("s32[2,3]"), *column = shape_of("s32[2,3]{0,1}");
    static const int64_t wanted[] = {0, 3, 1, 4, 2, 5};
    bool good = true;
    for (int64_t i = 0; i < 6; i++) {
        good &= hlo_literal_logical_index(row, i) == i;
        good &= hlo_literal_logical_index(column, i) == wanted[i];
    }
    const hlo_shape *three = shape_of("s32[2,3,4]{1,0,2}");
    for (int64_t i = 0; i < 24; i++) /* dimension 1 is fastest, then 0, then 2 */
        good &= hlo_literal_logical_index(three, i) == i / 3 % 2 * 12 + i % 3 * 4 + i / 6;
    check(good, "physical order", "logical index");
}

static void test_equal(void) {
    uint32_t counters[2] = {0, 0};
    reading a = read_text("(s32[2],f32[])", "({1,2},0.0)", 11, counters);
    reading b = read_text("(s32[2]{0},f32[])", "({1, 2}, 0)", 11, counters);
    reading c = read_text("(s32[2],f32[])", "({1,2},-0.0)", 12, counters);
    reading d = read_text("(s32[2],f32[1])", "({1,2},{0})", 11, counters);
    check(hlo_literal_equal(a.literal, b.literal), "equal", "the same values");
    check(!hlo_literal_equal(a.literal, c.literal), "not equal", "0 and -0");
    check(!hlo_literal_equal(a.literal, d.literal), "not equal", "other ranks");
    free_reading(&a);
    free_reading(&b);
    free_reading(&c);
    free_reading(&d);
}

static void test_normalise(void) {
    uint8_t s4[] = {0x78, 0xf7}, u2[] = {0xff, 0x04}, pred[] = {0, 1, 2, 255};
    hlo_elements_normalise(HLO_S4, s4, 2);
    hlo_elements_normalise(HLO_U2, u2, 2);
    hlo_elements_normalise(HLO_PRED, pred, 4);
    check(s4[0] == 0xf8 && s4[1] == 7, "normalise", "s4");
    check(u2[0] == 3 && u2[1] == 0, "normalise", "u2");
    check(pred[0] == 0 && pred[1] == 1 && pred[2] == 1 && pred[3] == 1, "normalise", "pred");
}

int main(void) {
    hlo_arena_init(&arena);
    hlo_shapes_init(&shapes, &arena);
    test_forms();
    test_values();
    test_dots();
    test_counts();
    test_wrong_values();
    test_wrong_complex_values();
    test_bytes_outside_the_language();
    test_round_trips();
    test_layout();
    test_equal();
    test_normalise();
    hlo_shapes_free(&shapes);
    hlo_arena_free(&arena);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
