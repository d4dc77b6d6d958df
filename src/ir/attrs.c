/* The attribute table made from attrs.def, the fixed words made from words.def, finding a row of
 * either by its spelling, and lists of integers. */
#include "ir/attrs.h"

#include <assert.h>

#include "base/spellings.h"

const hlo_attr_info hlo_attr_table[HLO_ATTR_COUNT] = {
#define HLO_ATTR(id, text, kind, words, place, printed, fallback) \
    [HLO_ATTR_##id] = {text,                                      \
                       HLO_KIND_##kind,                           \
                       HLO_WORDS_##words,                         \
                       HLO_PLACE_##place,                         \
                       HLO_PRINT_##printed,                       \
                       fallback},
#include "ir/attrs.def"
#undef HLO_ATTR
};

const hlo_word_info hlo_words[] = {
#define HLO_WORD(set, text, number) {HLO_WORDS_##set, text, number},
#include "ir/words.def"
#undef HLO_WORD
};
const size_t hlo_word_count = sizeof hlo_words / sizeof *hlo_words;

/* ---- look-up tables, filled when the library is loaded and only read afterwards ---- */

enum { WORDS = sizeof hlo_words / sizeof *hlo_words };
static hlo_spellings spellings; /* of attributes with a name in the text */
static uint8_t set_begin[HLO_WORD_SETS], set_end[HLO_WORD_SETS]; /* rows of a set in hlo_words */
static_assert((int)HLO_ATTR_COUNT <= HLO_MOST_SPELLINGS, "each attribute has a spelling");
static_assert(WORDS < 255, "a row of hlo_words fits a byte");

__attribute__((constructor)) static void fill_tables(void) {
    for (unsigned id = 0; id < HLO_ATTR_COUNT; id++)
        if (hlo_attr_table[id].place != HLO_PLACE_PARENS)
            hlo_spelling_add(&spellings, id, hlo_attr_table[id].text);
    for (int i = 0; i < WORDS; i++) {
        hlo_word_set set = hlo_words[i].set;
        HLO_ASSERT(!set_end[set] || set_end[set] == i);
        if (!set_end[set]) set_begin[set] = (uint8_t)i;
        set_end[set] = (uint8_t)(i + 1);
    }
}

hlo_attr_id hlo_attr_from_text(const char *text, size_t n) {
    int id = hlo_spelling_find(&spellings, text, n);
    return id < 0 ? HLO_ATTR_COUNT : (hlo_attr_id)id;
}

/* ---- words ---- */

static bool ignores_case(hlo_word_set set) {
    return set == HLO_WORDS_PRECISION || set == HLO_WORDS_DOT_ALGORITHM ||
           set == HLO_WORDS_DISTRIBUTION || set == HLO_WORDS_RNG_ALGORITHM ||
           set == HLO_WORDS_ACCURACY_MODE;
}

/* `word` is in lower case where it is compared without regard to case. */
static bool spells(const char *word, hlo_str text, bool any_case) {
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (any_case && c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (word[i] == 0 || word[i] != c) return false;
    }
    return word[text.len] == 0;
}

const hlo_word_info *hlo_word_find(hlo_word_set set, hlo_str text) {
    HLO_ASSERT(set < HLO_WORD_SETS);
    for (int i = set_begin[set]; i < set_end[set]; i++)
        if (spells(hlo_words[i].text, text, ignores_case(set))) return &hlo_words[i];
    return NULL;
}

hlo_nearest hlo_word_nearest(hlo_word_set set, hlo_str text) {
    HLO_ASSERT(set < HLO_WORD_SETS);
    hlo_nearest search = hlo_nearest_to(text.ptr, text.len);
    for (int i = set_begin[set]; i < set_end[set]; i++)
        hlo_nearest_try(&search, hlo_words[i].text, strlen(hlo_words[i].text), false);
    return search;
}

const char *hlo_word_text(hlo_word_set set, int64_t number) {
    HLO_ASSERT(set < HLO_WORD_SETS);
    for (int i = set_begin[set]; i < set_end[set]; i++)
        if (hlo_words[i].number == number) return hlo_words[i].text;
    return NULL;
}

/* ---- lists of integers ---- */

hlo_ints *hlo_ints_new(hlo_arena *arena, uint32_t n) {
    hlo_ints *list = hlo_arena_zero(arena, sizeof *list + n * sizeof *list->v);
    list->n = n;
    return list;
}

hlo_ints *hlo_ints_from(hlo_arena *arena, const int64_t *values, uint32_t n) {
    hlo_ints *list = hlo_arena_alloc(arena, sizeof *list + n * sizeof *list->v);
    list->n = n;
    if (n) memcpy(list->v, values, n * sizeof *list->v);
    return list;
}

bool hlo_ints_equal(const hlo_ints *a, const hlo_ints *b) {
    if (!a || !b) return a == b;
    return a->n == b->n && (a->n == 0 || memcmp(a->v, b->v, a->n * sizeof *a->v) == 0);
}

int hlo_ints_compare(const hlo_ints *a, const hlo_ints *b) {
    for (uint32_t i = 0; i < a->n && i < b->n; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

bool hlo_ints_ascend(const hlo_ints *list) {
    for (uint32_t i = 1; i < list->n; i++)
        if (list->v[i] < list->v[i - 1]) return false;
    return true;
}

int64_t hlo_ints_find(const hlo_ints *list, int64_t value) {
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->v[i] == value) return i;
    return -1;
}

bool hlo_ints_contain(const hlo_ints *list, int64_t value) {
    return hlo_ints_find(list, value) >= 0;
}

bool hlo_ints_repeat(const hlo_ints *list) {
    for (uint32_t i = 0; i < list->n; i++)
        if (hlo_ints_find(list, list->v[i]) != i) return true;
    return false;
}
