/* Wording a syntax error from the parser's state. */
#include "parse/syntax_error.h"

enum { NAMED_AT_MOST = 6 };

static bool is_internal(const char *name) {
    return strstr(name, "SYNC") || strstr(name, "START_") || strcmp(name, "a name glued to '='") == 0;
}

/* All classes of attributes read as one, with the comma that belongs to them. */
static const char *simplified(const char *name) {
    size_t n = strlen(name);
    static const char *const endings[] = {" attribute", " attribute list", " table"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t m = strlen(endings[i]);
        if (n > m && strcmp(name + n - m, endings[i]) == 0) return "',' and an attribute";
    }
    return name;
}

static int distinct(const char *const *expected, int n, const char **out) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        const char *name = simplified(expected[i]);
        bool seen = is_internal(name);
        for (int k = 0; k < count && !seen; k++) seen = strcmp(out[k], name) == 0;
        if (!seen && count < NAMED_AT_MOST) out[count++] = name;
    }
    return count;
}

/* The start of the text at `at`, as much as helps. */
static int excerpt(const hlo_parser *p, hlo_span at, const char **out) {
    *out = p->begin + at.lo;
    uint32_t n = at.hi - at.lo;
    for (uint32_t i = 0; i < n; i++)
        if ((unsigned char)(*out)[i] < ' ') n = i;
    return (int)(n > 40 ? 40 : n);
}

void hlo_syntax_error(hlo_parser *p, hlo_span at, const char *found, const char *const *expected, int n) {
    const char *names[NAMED_AT_MOST], *text;
    int count = distinct(expected, n, names), length = excerpt(p, at, &text);
    hlo_buf words = HLO_BUF_INIT;
    for (int i = 0; i < count; i++) {
        hlo_buf_cstr(&words, i == 0 ? "" : i + 1 == count ? " or " : ", ");
        hlo_buf_cstr(&words, names[i]);
    }
    hlo_buf_char(&words, 0);
    if (length)
        hlo_parse_error(p, HLO_RULE_SYNTAX, at, "expected %s, found '%.*s'", words.data, length, text);
    else
        hlo_parse_error(p, HLO_RULE_SYNTAX, at, "expected %s, found %s", words.data, found ? found : "nothing");
    hlo_buf_free(&words);
    hlo_position here = hlo_source_position(p->source, at.lo), before = hlo_source_position(p->source, p->token_before.lo);
    if (before.line < here.line) hlo_note(p->diags, p->source, p->token_before, "behind this");
    p->cursor = p->begin + at.lo; /* the next statement may begin with this token */
    p->panic = true;
}
