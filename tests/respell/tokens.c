/* Tokens of a printed module, read without the scanner that is under test. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "respell/respell.h"

token *tokens;
uint32_t token_count;
static uint32_t capacity;

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

bool token_is(const token *t, const char *text) {
    return t->len == strlen(text) && memcmp(t->text, text, t->len) == 0;
}

static const char *end_of_string(const char *at) {
    for (char quote = *at++; *at && *at != quote; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

static const char *end_of_region(const char *at) {
    int depth = 0;
    while (*at) {
        if (*at == '"') {
            at = end_of_string(at);
            continue;
        }
        if (*at == '{') depth++;
        if (*at++ == '}' && --depth == 0) break;
    }
    return at;
}

static const char *end_of_word(const char *at, token_kind *kind) {
    bool percent = *at == '%';
    at += percent;
    while (is_word_char(*at)) at++;
    *kind = NAME;
    if (!percent && *at == '=') *kind = ATTR;
    if (!percent && *at == ':') *kind = COLON;
    return *kind == NAME ? at : at + 1;
}

/* 3x3, 0_0x1_1, nan(0x1), -inf, b01f_01io->b01f: what is copied as it stands. */
static const char *end_of_other(const char *at) {
    const char *from = at;
    while (is_word_char(*at) || *at == '?' || (*at == '>' && at[-1] == '-')) at++;
    if (*at == '(' && at - from >= 3 && memcmp(at - 3, "nan", 3) == 0)
        while (*at && *at++ != ')') {
        }
    return at;
}

static const char *end_of_number(const char *from, token_kind *kind) {
    const char *at = from;
    if (isdigit((unsigned char)from[*from == '-'])) strtod(from, (char **)(uintptr_t)&at);
    *kind = NUMBER;
    bool hexadecimal = memchr(from, 'x', (size_t)(at - from)); /* to strtod; here 0x1 is a list */
    bool ended = !is_word_char(*at) && *at != '?' && !isalpha((unsigned char)at[-1]);
    if (at != from && ended && !hexadecimal) return at;
    *kind = OTHER;
    return end_of_other(from);
}

static bool is_labels_or_nan(const char *from) {
    const char *to = end_of_other(from);
    if (to[-1] == ')') return true;
    for (const char *p = from; p < to; p++)
        if (p[0] == '-' && p[1] == '>') return true;
    return false;
}

static const char *next_token(const char *at, token *t, bool raw_region) {
    const char *from = at;
    t->kind = PUNCTUATION;
    if (raw_region && *at == '{') {
        at = end_of_region(at);
        t->kind = OTHER;
    } else if (*at == '"' || *at == '\'') {
        at = end_of_string(at);
        t->kind = STRING;
    } else if (isalpha((unsigned char)*at) || *at == '_' || *at == '%') {
        at = end_of_word(at, &t->kind);
        if (*from != '%' && is_labels_or_nan(from)) at = end_of_other(from), t->kind = OTHER;
    } else if (isdigit((unsigned char)*at) ||
               (*at == '-' && (isdigit((unsigned char)at[1]) || isalpha((unsigned char)at[1])))) {
        at = end_of_number(at, &t->kind);
    } else if (strncmp(at, "...", 3) == 0) {
        at += 3;
    } else if (strncmp(at, "->", 2) == 0 || strncmp(at, "<=", 2) == 0) {
        at += 2;
    } else {
        at++;
    }
    t->text = from;
    t->len = (uint32_t)(at - from);
    return at;
}

static const char *skip_blanks(const char *at, bool *starts_line) {
    for (;;) {
        if (*at == '\n') *starts_line = true;
        if (*at && strchr(" \t\r\n", *at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '*') {
            at = strstr(at, "*/");
            if (!at) fail("a comment does not end");
            at += 2;
        } else {
            return at;
        }
    }
}

/* A brace after backend_config= or after a key of frontend_attributes opens a raw region. */
void tokenise(const char *text) {
    int frontend_depth = 0, depth = 0;
    bool starts_line = true;
    for (const char *at = skip_blanks(text, &starts_line); *at;
         at = skip_blanks(at, &starts_line)) {
        if (token_count == capacity) {
            capacity = capacity ? capacity * 2 : 4096;
            tokens = grow(tokens, capacity, sizeof *tokens);
        }
        token *t = &tokens[token_count], *before = token_count ? t - 1 : NULL;
        bool value = before && before->kind == ATTR;
        bool raw = value && (token_is(before, "backend_config=") ||
                             (frontend_depth && depth == frontend_depth));
        if (value && token_is(before, "frontend_attributes=") && *at == '{')
            frontend_depth = depth + 1;
        at = next_token(at, t, raw);
        t->starts_line = starts_line;
        starts_line = false;
        if (t->kind == PUNCTUATION && strchr("{[(", *t->text)) depth++;
        if (t->kind == PUNCTUATION && strchr("}])", *t->text)) depth--;
        if (depth < frontend_depth) frontend_depth = 0;
        token_count++;
    }
}
