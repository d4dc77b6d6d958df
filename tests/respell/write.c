/* Tokens in one of their spellings. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "respell/respell.h"

static const char *const reserved[] = {"true",
                                       "false",
                                       "inf",
                                       "nan",
                                       "HloModule",
                                       "ENTRY",
                                       "ROOT",
                                       "FileNames",
                                       "FunctionNames",
                                       "FileLocations",
                                       "StackFrames",
                                       "maximal",
                                       "replicated",
                                       "manual",
                                       "unknown",
                                       "unreduced",
                                       "last_tile_dim_replicate",
                                       "shard_as",
                                       "shard_like",
                                       "token",
                                       "opaque",
                                       "pred",
                                       "bf16",
                                       "b"};

/* Words of one letter class and digits (s32, f8e4m3fn) are left alone: some are element types. */
static bool needs_percent(const token *t) {
    const char *name = t->text + 1;
    uint32_t n = t->len - 1;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == n && memcmp(reserved[i], name, n) == 0) return true;
    return strchr("sufc", name[0]) && n > 1 && isdigit((unsigned char)name[1]);
}

static char last_written = '\n';

void put(const char *text, size_t n) {
    if (!n) return;
    fwrite(text, 1, n, stdout);
    last_written = text[n - 1];
}

void put_text(const char *text) {
    put(text, strlen(text));
}

static bool separates(char c) {
    return strchr(",(){}[] \n\t", c) != NULL;
}

void put_blank(char next) {
    static const char *const blanks[] = {" ",          "\n", "\t", "  \r\n  ", " /* a, {b} */ ",
                                         " // \"c\"\n"};
    bool needed = !separates(last_written) && !separates(next);
    if (needed || one_in(3)) put_text(blanks[one_in(4) ? below(6) : 0]);
}

static void put_number(const token *t, bool as_float) {
    const char *exponent = memchr(t->text, 'e', t->len);
    size_t mantissa = exponent ? (size_t)(exponent - t->text) : t->len;
    bool point = memchr(t->text, '.', mantissa), negative = *t->text == '-';
    bool is_int = !point && !exponent,
         is_zero = mantissa == negative + 1u && t->text[negative] == '0';
    put(t->text, negative);
    if (one_in(3)) put_text("00");
    put(t->text + negative, mantissa - negative);
    if (point && one_in(2)) put_text("000");
    else if (exponent && !point && one_in(2)) put_text(".0");
    else if (is_int && as_float && !(is_zero && negative) && one_in(2)) put_text(".");
    if (exponent) put(exponent, t->len - mantissa);
}

void put_token(const token *t, bool as_float) {
    put_blank(*t->text);
    if (t->kind == NUMBER) put_number(t, as_float);
    else if (*t->text == '%' && !needs_percent(t) && one_in(2)) {
        if (!separates(last_written) && last_written != '=') put_text(" ");
        put(t->text + 1, t->len - 1);
        put_text(" "); /* a name that touches '=' or ':' would be another token */
    } else {
        put(t->text, t->len);
    }
}

void put_tokens(uint32_t from, uint32_t to, bool as_float) {
    for (; from < to; from++) put_token(&tokens[from], as_float);
}
