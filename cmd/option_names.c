/* What a word on the command line names: long options by their spelling or its beginning, and the
 * nearest name of a set for words that name nothing; names of variables for options. */
#include "option_names.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int unknown(const program_info *program, const char *what, const char *word,
                   const char *nearest) {
    if (nearest)
        return options_wrong_use(program, "unknown %s '%s'; did you mean '%s'?", what, word,
                                 nearest);
    return options_wrong_use(program, "unknown %s '%s'", what, word);
}

int options_unknown(const program_info *program, const char *what, const char *word,
                    const char *const *names, size_t count) {
    return unknown(program, what, word, hlo_nearest_name(word, names, count));
}

const char *options_nearest_row(const char *word, bool row_at(size_t number, hlo_table_row *row)) {
    const char *names[256];
    size_t count = 0;
    hlo_table_row row;
    while (count < sizeof names / sizeof *names && row_at(count, &row)) names[count++] = row.name;
    return hlo_nearest_name(word, names, count);
}

int options_unknown_row(const program_info *program, const char *what, const char *word,
                        bool row_at(size_t number, hlo_table_row *row)) {
    enum { MOST_LISTED = 24 };
    const char *nearest = options_nearest_row(word, row_at);
    char all[1024] = "";
    size_t count = 0, used = 0;
    hlo_table_row row;
    for (; count <= MOST_LISTED && row_at(count, &row) && used < sizeof all; count++)
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "", row.name);
    if (nearest || count > MOST_LISTED || used >= sizeof all)
        return unknown(program, what, word, nearest);
    return options_wrong_use(program, "unknown %s '%s'; it is one of %s", what, word, all);
}

enum { MOST_NAMES = 256, NAME_BYTES = 64 };

/* Every spelling of every option of two tables. */
typedef struct {
    char names[MOST_NAMES][NAME_BYTES];
    const option_row *rows[MOST_NAMES];
    bool negated[MOST_NAMES];
    size_t count;
} spellings;

static void add_spelling(spellings *all, const option_row *o, bool negated) {
    if (all->count == MOST_NAMES) return;
    snprintf(all->names[all->count], NAME_BYTES, "--%s%s", negated ? "no-" : "", o->name);
    all->rows[all->count] = o;
    all->negated[all->count++] = negated;
}

static void list_spellings(const option_row *const tables[2], spellings *all) {
    all->count = 0;
    for (int t = 0; t < 2; t++) {
        for (const option_row *o = tables[t]; o->name; o++) {
            add_spelling(all, o, false);
            if (option_kind_of(o) == OPTION_SWITCH) add_spelling(all, o, true);
        }
    }
}

/* The letter that counts at `at`: - and _ are the same, and the u of colour is none. */
static char letter_at(const char **at) {
    if (strncmp(*at, "ur", 2) == 0 && (*at)[-1] == 'o' && (*at)[-2] == 'l') ++*at;
    char c = *(*at)++;
    return c == '_' ? '-' : c;
}

/* Whether `text` spells the name, or its beginning; *whole: all of it. */
static bool begins(const char *name, const char *text, bool *whole) {
    const char *a = name + 2, *b = text + 2, *end = text + strlen(text);
    while (b < end)
        if (letter_at(&a) != letter_at(&b)) return false;
    *whole = !*a;
    return true;
}

typedef struct {
    char text[128], several[512]; /* what was typed, and the names that it may mean */
    spellings all;
    option_found found; /* the last of them */
    int count;          /* 1: it is that one */
} option_search;

static void search(option_search *s, const option_row *const tables[2], const char *text,
                   size_t n) {
    s->several[0] = 0;
    s->count = 0;
    snprintf(s->text, sizeof s->text, "%.*s", (int)(n < sizeof s->text ? n : sizeof s->text - 1),
             text);
    list_spellings(tables, &s->all);
    for (size_t i = 0; i < s->all.count; i++) {
        bool whole;
        if (!begins(s->all.names[i], s->text, &whole)) continue;
        s->found = (option_found){s->all.rows[i], s->all.negated[i]};
        size_t used = strlen(s->several);
        snprintf(s->several + used, sizeof s->several - used, "%s%s", s->count++ ? ", " : "",
                 s->all.names[i]);
        if (!whole) continue;
        s->count = 1;
        return;
    }
}

/* What does the same here as an option of XLA's tools; NULL: it is none. */
static const char *peer_option(const char *program, const char *text) {
    static const struct {
        const char *program, *there, *here;
    } table[] = {
#define HLO_PEER_OPTION(program, there, here) {program, "--" there, here},
#include "peer_options.def"
#undef HLO_PEER_OPTION
    };
    bool whole;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].program, program) == 0 && begins(table[i].there, text, &whole) && whole)
            return table[i].here;
    return NULL;
}

bool option_find(const program_info *program, const option_row *const tables[2], const char *text,
                 size_t n, option_found *out) {
    option_search s;
    const char *names[MOST_NAMES];
    search(&s, tables, text, n);
    for (size_t i = 0; i < s.all.count; i++) names[i] = s.all.names[i];
    if (s.count > 1) options_wrong_use(program, "'%s' is ambiguous: %s", s.text, s.several);
    const char *here = s.count ? NULL : peer_option(program->name, s.text);
    if (here)
        options_wrong_use(program, "'%s' is an option of XLA's tools; here: %s", s.text, here);
    else if (!s.count) options_unknown(program, "option", s.text, names, s.all.count);
    *out = s.found;
    return s.count == 1;
}

const option_row *option_named(const option_row *const tables[2], const char *text, size_t n) {
    option_search s;
    search(&s, tables, text, n);
    return s.count == 1 ? s.found.row : NULL;
}

const option_row *option_of_letter(const option_row *const tables[2], char letter) {
    for (int t = 0; t < 2; t++)
        for (const option_row *o = tables[t]; o->name; o++)
            if (letter && o->letter == letter) return o;
    return NULL;
}

bool option_takes_value(const option_row *o) {
    option_kind kind = option_kind_of(o);
    return kind != OPTION_FLAG && kind != OPTION_SWITCH && kind != OPTION_MAYBE;
}

/* ---- choices ---- */

/* The place of the choice of "a|b|c" that is `text` or, with `prefix`, alone begins with it; -1:
 * none or several. */
static int place_of(const char *choices, const char *text, bool prefix) {
    size_t length = strlen(text);
    int place = -1;
    for (int i = 0; choices; i++) {
        size_t n = strcspn(choices, "|");
        if ((prefix ? n > length : n == length) && memcmp(choices, text, length) == 0)
            place = place < 0 ? i : INT_MAX;
        choices = choices[n] ? choices + n + 1 : NULL;
    }
    return place == INT_MAX ? -1 : place;
}

bool option_choice(const char *choices, const char *text, int *place) {
    *place = place_of(choices, text, false);
    if (*place < 0 && *text) *place = place_of(choices, text, true);
    return *place >= 0;
}

int options_unknown_choice(const program_info *program, const char *name, const char *choices,
                           const char *text) {
    enum { MOST_CHOICES = 32 };
    char copy[512];
    const char *names[MOST_CHOICES];
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", choices);
    for (char *at = copy, *choice; count < MOST_CHOICES && (choice = strsep(&at, "|"));)
        names[count++] = choice;
    const char *nearest = hlo_nearest_name(text, names, count);
    if (!nearest) return options_wrong_use(program, "--%s takes %s, not '%s'", name, choices, text);
    return options_wrong_use(program, "--%s takes %s, not '%s'; did you mean '%s'?", name, choices,
                             text, nearest);
}

/* What a user wants everywhere: HLO_ and the name in upper case is a variable for it. */
static const char *const with_variable[] = {"color", "dialect",    "engine",       "isa",    "jit",
                                            "jobs",  "max-errors", "memory-limit", "threads"};

bool options_variable(const option_row *o, char *name, size_t capacity) {
    size_t i = 0, count = sizeof with_variable / sizeof *with_variable;
    while (i < count && strcmp(with_variable[i], o->name) != 0) i++;
    snprintf(name, capacity, "HLO_%s", o->name);
    for (char *c = name; *c; c++) *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    return i < count;
}
