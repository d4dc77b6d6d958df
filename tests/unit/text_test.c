/* The cursor over text, and the kinds of bytes (base/text.h). */
#include <string.h>

#include "base/text.h"
#include "unit/check.h"

static void test_comments(void) {
    static const struct {
        const char *text;
        int end; /* offset; -1: not closed */
    } cases[] = {
        {"a", 0},         {"/", 0},         {"/ a", 0},       {"// a", 4},    {"// a\nb", 4},
        {"// a\rb", 4},   {"/* a */b", 7},  {"/* a", -1},     {"/*/", -1},    {"/**/b", 4},
        {"/* a **/b", 8}, {"/* // */b", 8}, {"// /* \nb", 6}, {"/* a *", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text, *end = hlo_comment_end(text, text + strlen(text));
        check(cases[i].end < 0 ? !end : end == text + cases[i].end, text);
    }
    static const char nul[] = "// a\0b", block[] = "/* a\0*/";
    check(hlo_comment_end(nul, nul + sizeof nul - 1) == nul + 4,
          "a NUL byte ends a line's comment");
    check(!hlo_comment_end(block, block + 7), "a NUL byte in a comment");
    static const char blanks[] = " /* a */\t// b\r\n c", odd[] = "\v";
    check(*hlo_after_comments(blanks, blanks + sizeof blanks - 1) == 'c', "blanks and comments");
    check(hlo_after_comments(odd, odd + 1) == odd, "a vertical tab is no blank");
}

static void test_strings(void) {
    static const struct {
        const char *text;
        int end;
    } cases[] = {{"\"a\"b", 3}, {"'a\"'b", 4}, {"\"a\\\"\"b", 5}, {"\"a\\", -1},
                 {"\"a'", -1},  {"\"\"", 2},   {"\"\\\\\"b", 4},  {"'\\''", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text, *end = hlo_quoted_end(text, text + strlen(text));
        check(cases[i].end < 0 ? !end : end == text + cases[i].end, text);
    }
}

static bool number_is(const char *text, uint64_t most, uint64_t number) {
    uint64_t read;
    const char *at = text, *end = text + strlen(text);
    return hlo_digits(&at, end, most, &read) && at == end && read == number;
}

static bool int_is(bool read(hlo_str, int64_t *), const char *text, int64_t number) {
    int64_t value;
    return read(hlo_str_from(text), &value) && value == number;
}

static void test_numbers(void) {
    check(number_is("0", 0, 0) && number_is("00012", 12, 12), "the most there may be");
    check(!number_is("13", 12, 13) && !number_is("5", 0, 5) && !number_is("", 9, 0), "and more");
    check(number_is("18446744073709551615", UINT64_MAX, UINT64_MAX), "64 bits");
    check(!number_is("18446744073709551616", UINT64_MAX, 0), "one more");
    check(int_is(hlo_int_from_text, "9223372036854775807", INT64_MAX), "the greatest");
    check(int_is(hlo_int_from_text, "-9223372036854775808", INT64_MIN), "the least");
    static const char *const refused[] = {"",   "-",  "+1",  " 1",
                                          "1 ", "1a", "--1", "9223372036854775808"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check(!int_is(hlo_int_from_text, refused[i], 1), refused[i]);
    check(int_is(hlo_int_as_abseil, " \v+12\f", 12) && int_is(hlo_int_as_abseil, "-0", 0),
          "as Abseil reads numbers");
    check(!int_is(hlo_int_as_abseil, "+-1", -1) && !int_is(hlo_int_as_abseil, "+", 0), "one sign");
    check(hlo_final_digits(HLO_STR("x.12")) == 2 && hlo_final_digits(HLO_STR("x")) == 1, "suffix");
}

static void test_cursor(void) {
    uint64_t number;
    hlo_cursor c = hlo_cursor_of(HLO_STR(" { 12 , a-b.c_1} "));
    check(hlo_take(&c, '{') && hlo_take_number(&c, 99, &number) && number == 12, "a number");
    check(!hlo_take(&c, '}') && hlo_take_text(&c, ",") && !hlo_cursor_is_done(&c), "a mark");
    check(hlo_str_is(hlo_take_word(&c), "a-b.c_1") && hlo_take(&c, '}'), "a word");
    check(hlo_cursor_is_done(&c) && !hlo_take(&c, 0) && !hlo_take_word(&c).len, "the end");
    for (int c1 = 0; c1 < 256; c1++) {
        char byte = (char)c1;
        bool hexadecimal = byte && strchr("0123456789abcdefABCDEF", byte);
        if ((hlo_digit_value(byte) < 16) != hexadecimal) check(false, "hexadecimal digits");
    }
}

int main(void) {
    test_comments();
    test_strings();
    test_numbers();
    test_cursor();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
