/* What a file is that holds no module: see foreign_kinds.h. */
#include "parse/foreign_kinds.h"

#include "base/text.h"

typedef enum { BYTES, MACHINE, TEXT, NAME, FIELD, KEY } mark_place;

#define LOWER                                                                                \
    "jax.jit(f).lower(x).as_text('hlo') is HLO, and so are the .txt files of a dump folder " \
    "of XLA"
#define DUMPS "dumps of HLO are the files that begin with HloModule"
#define MEMORY "hlo-stat MODULE has the memory of a module, which is the file without this ending"
#define FLAGS "hlo-opt reads those that it has from XLA_FLAGS"
#define OPTIONS "it goes with a module, which is another file"
#define PROFILE "XProf shows it; hlo-run can measure a module"

typedef struct {
    mark_place place;
    uint32_t length;
    const char *mark;
    hlo_foreign_kind kind;
} row;

static const row rows[] = {
#define HLO_FOREIGN(place, mark, name, sentence, hint) \
    {place, sizeof mark - 1, mark, {name, sentence, hint, place == TEXT || place == NAME}},
#include "parse/foreign.def"
#undef HLO_FOREIGN
};

/* Where the marks of a file would stand; NULL: it has no such place. */
typedef struct {
    const char *start, *end;
    const char *machine, *text, *key;
} places;

static bool begins(const char *at, const char *end, const char *mark, uint32_t length) {
    return at && (size_t)(end - at) >= length && memcmp(at, mark, length) == 0;
}

/* The first key of an object, or of the first object in an array. */
static const char *first_key(const char *at, const char *end) {
    at = hlo_after_blanks_at(at, end);
    if (at < end && *at == '[') at = hlo_after_blanks_at(at + 1, end);
    if (at == end || *at != '{') return NULL;
    at = hlo_after_blanks_at(at + 1, end);
    return at < end && *at == '"' ? at + 1 : NULL;
}

static places find_places(const char *start, const char *end) {
    enum { MACHINE_AT = 18 };
    bool is_elf = begins(start, end,
                         "\x7f"
                         "ELF",
                         4) &&
                  end - start > MACHINE_AT;
    return (places){start, end, is_elf ? start + MACHINE_AT : NULL, hlo_after_comments(start, end),
                    first_key(start, end)};
}

static const char *name_end(const char *at, const char *end) {
    while (at < end && (hlo_is_letter(*at) || hlo_is_digit(*at) || *at == '_')) at++;
    return at;
}

static bool is_named(const char *at, const char *end) {
    at = name_end(at, end);
    return at < end && *at == ':';
}

/* A brace, and the name of a field before its colon or brace. */
static bool holds_field(const char *at, const char *end) {
    at = hlo_after_blanks_at(at, end);
    if (at == end || *at != '{') return false;
    const char *name = hlo_after_blanks_at(at + 1, end);
    at = hlo_after_blanks_at(name_end(name, end), end);
    return at > name && at < end && (*at == ':' || *at == '{');
}

static bool is_key(const char *at, const char *end, const row *r) {
    return begins(at, end, r->mark, r->length) && at + r->length < end && at[r->length] == '"';
}

static bool fits(const row *r, const places *p) {
    const char *end = p->end;
    switch (r->place) {
    case BYTES: return begins(p->start, end, r->mark, r->length);
    case MACHINE: return begins(p->machine, end, r->mark, r->length);
    case TEXT: return begins(p->text, end, r->mark, r->length);
    case NAME: return begins(p->text, end, r->mark, r->length) && is_named(p->text, end);
    case FIELD:
        return begins(p->text, end, r->mark, r->length) && holds_field(p->text + r->length, end);
    case KEY: return is_key(p->key, end, r);
    }
    return false;
}

const hlo_foreign_kind *hlo_foreign_kind_of(const char *start, size_t count) {
    const places p = find_places(start, start + count);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fits(&rows[i], &p)) return &rows[i].kind;
    return NULL;
}
