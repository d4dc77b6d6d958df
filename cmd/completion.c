/* What may stand in place of the last argument of a command line: see completion.h. */
#include "completion.h"

#include <string.h>

#include "option_names.h"
#include "value_words.h"

/* ---- candidates ---- */

static void begin(completion *c) {
    if (!c->has_begun) printf("%s %zu\n", c->kind, (size_t)(c->at - c->last));
    c->has_begun = true;
}

/* - and _ are the same. */
static bool begins(const char *name, const char *typed) {
    for (; *typed; name++, typed++)
        if (*name != *typed && !(strchr("-_", *typed) && *name && strchr("-_", *name)))
            return false;
    return true;
}

void completion_offer(completion *c, const char *name, const char *about) {
    if (!begins(name, c->at)) return;
    begin(c);
    printf("%s%s%s\n", name, about && *about ? "\t" : "", about ? about : "");
}

void completion_member(completion *c) {
    const char *comma = strrchr(c->at, ',');
    if (comma) c->at = comma + 1;
    c->kind = "open";
}

/* ---- values ---- */

static const value_words *find_words(const value_words *table, const char *word, size_t n) {
    for (; table && table->word; table++)
        if (strncmp(table->word, word, n) == 0 && !table->word[n]) return table;
    return NULL;
}

/* Up to where an ending is demanded: FILE.svg is a FILE. */
static size_t plain_length(const char *form, size_t n) {
    size_t plain = strcspn(form, ".");
    return plain < n ? plain : n;
}

/* One of the forms of a value: a choice, or a word in capitals. */
static void offer_form(completion *c, const program_info *program, const char *form, size_t n) {
    static const char choice_letters[] = "abcdefghijklmnopqrstuvwxyz_-0123456789";
    char choice[64];
    const value_words *words = find_words(program->words, form, n);
    if (!words) words = find_words(shared_value_words, form, plain_length(form, n));
    if (words) {
        words->offer(c);
    } else if (n < sizeof choice && strspn(form, choice_letters) >= n) {
        snprintf(choice, sizeof choice, "%.*s", (int)n, form);
        completion_offer(c, choice, NULL);
    }
}

/* What follows KEY= in a form with one, once the key is typed; "" before. */
static const char *after_key(completion *c, const char *form) {
    const char *equals = strchr(form, '='), *typed = strchr(c->at, '=');
    if (!equals) return form;
    if (!typed) return "";
    c->at = typed + 1;
    return equals + 1;
}

static void offer_value(completion *c, const program_info *program, const option_row *o) {
    const char *form = after_key(c, o->argument), *last = strrchr(form, '|');
    /* The kind is announced before all candidates. */
    if (last && strncmp(last + 1, "FILE", 4) == 0) c->kind = "files";
    while (*form) {
        size_t n = strcspn(form, "|");
        offer_form(c, program, form, n);
        form += n + (form[n] != 0);
    }
}

/* ---- options ---- */

static void offer_spelling(completion *c, const option_row *o, const char *before) {
    char name[96];
    bool valued = option_takes_value(o);
    snprintf(name, sizeof name, "--%s%s%s", before, o->name, valued ? "=" : "");
    completion_offer(c, name, o->help);
    if (option_kind_of(o) != OPTION_MAYBE) return;
    snprintf(name, sizeof name, "--%s=", o->name);
    completion_offer(c, name, o->help);
}

static void offer_options(completion *c, const option_row *const tables[2]) {
    for (int t = 0; t < 2; t++) {
        for (const option_row *o = tables[t]; o->name; o++) {
            char letter[] = {'-', o->letter, 0};
            offer_spelling(c, o, "");
            if (option_kind_of(o) == OPTION_SWITCH) offer_spelling(c, o, "no-");
            if (o->letter) completion_offer(c, letter, o->help);
        }
    }
}

/* The option whose value stands at *value: in its own argument or in the next. */
static const option_row *valued_option(const option_row *const tables[2], const completion *c,
                                       const char **value) {
    const char *before = c->argument_count ? c->arguments[c->argument_count - 1] : "";
    size_t n = strcspn(c->last, "=");
    if (strncmp(c->last, "--", 2) == 0 && c->last[n]) {
        *value = c->last + n + 1;
        return option_named(tables, c->last, n);
    }
    *value = c->last;
    if (before[0] != '-' || strchr(before, '=') || c->last[0] == '-') return NULL;
    const option_row *o = before[1] == '-' ? option_named(tables, before, strlen(before))
                                           : option_of_letter(tables, before[strlen(before) - 1]);
    return o && option_takes_value(o) ? o : NULL;
}

static bool options_have_ended(const completion *c) {
    for (int i = 0; i < c->argument_count; i++)
        if (strcmp(c->arguments[i], "--") == 0) return true;
    return false;
}

void completion_answer(const program_info *program, const option_row *const tables[2],
                       char *const *arguments, int count) {
    completion c = {.kind = "words", .last = count ? arguments[count - 1] : ""};
    c.arguments = arguments;
    c.argument_count = count ? count - 1 : 0;
    const char *value = c.at = c.last;
    bool ended = options_have_ended(&c);
    const option_row *o = ended ? NULL : valued_option(tables, &c, &value);
    if (o) {
        c.at = value;
        offer_value(&c, program, o);
    } else if (c.last[0] == '-' && !ended && value == c.last) {
        offer_options(&c, tables);
    } else if (value == c.last) {
        c.kind = "files";
    }
    begin(&c);
}
