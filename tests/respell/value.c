/* Another value of one attribute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "respell/respell.h"

/* Attributes that XLA reads and prints in a normalised form: their text may change. */
static bool is_recomputed(const line *l, const attribute *a) {
    return !l->is_header && token_is(&tokens[l->opcode], "map") &&
           token_is(&tokens[a->name], "dimensions=");
}

/* Printed always, and the default when not given: dropping them changes nothing. */
static bool is_default(const attribute *a) {
    static const char *const rows[][2] = {{"lhs_contracting_dims=", "{}"},
                                          {"rhs_contracting_dims=", "{}"},
                                          {"replica_groups=", "{}"},
                                          {"dimensions=", "{}"},
                                          {"largest=", "true"},
                                          {"is_associative=", "false"},
                                          {"outfeed_shape=", NULL},
                                          {"entry_computation_layout=", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!token_is(&tokens[a->name], rows[i][0])) continue;
        if (!rows[i][1]) return true;
        const char *want = rows[i][1];
        for (uint32_t t = a->value; t < a->end; want += tokens[t++].len)
            if (strncmp(want, tokens[t].text, tokens[t].len) != 0) return false;
        return !*want;
    }
    return false;
}

static void copy_source(const char *from, const char *to) {
    fwrite(from, 1, (size_t)(to - from), stdout);
}

static const char *end_of(uint32_t token_number) {
    return tokens[token_number].text + tokens[token_number].len;
}

static bool can_change(const token *t) {
    return t->kind == NUMBER || t->kind == STRING || token_is(t, "true") || token_is(t, "false");
}

static void put_changed(const token *t) {
    if (t->kind == NUMBER) {
        bool is_int = !memchr(t->text, '.', t->len) && !memchr(t->text, 'e', t->len);
        if (is_int) printf("%lld", strtoll(t->text, NULL, 10) + 1);
        else printf("%.17g", strtod(t->text, NULL) * 3 + 1); /* %g hides small changes */
    } else if (t->kind == STRING) {
        printf("%.*sx%c", (int)t->len - 1, t->text, *t->text);
    } else {
        fputs(token_is(t, "true") ? "false" : "true", stdout);
    }
}

/* One token of the value becomes another; without such a token the attribute goes. */
static bool change_attribute(const line *l, const attribute *a, const char *text, const char *end) {
    uint32_t candidates = 0, chosen = 0;
    for (uint32_t t = a->value; t < a->end; t++)
        if (can_change(&tokens[t]) && one_in(++candidates)) chosen = t;
    bool drop = !candidates || one_in(2);
    if (drop && is_default(a)) return false;
    if (is_recomputed(l, a)) return false;
    const char *from = drop ? end_of(a->name - 2) : tokens[chosen].text;
    copy_source(text, from);
    if (!drop) put_changed(&tokens[chosen]);
    const char *to = drop ? end_of(a->end - 1) : end_of(chosen);
    copy_source(to, end);
    fprintf(stderr, "%s %.*s%.*s\n", drop ? "dropped" : "changed", (int)tokens[a->name].len,
            tokens[a->name].text, (int)(end_of(a->end - 1) - tokens[a->value].text),
            tokens[a->value].text);
    return true;
}

void write_changed(const char *text, const char *end) {
    for (int tries = 0; attribute_count && tries < 100; tries++) {
        uint32_t chosen = below(attribute_count), i = 0;
        while (lines[i].attribute_first + lines[i].attribute_count <= chosen) i++;
        const attribute *a = &attributes[chosen];
        if (a->end > a->value && may_reorder(&lines[i]) &&
            change_attribute(&lines[i], a, text, end))
            return;
    }
    fail("no attribute to change");
}
