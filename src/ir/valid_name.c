/* Names of messages and of the builder, which may be any text, as names that text can have: see
 * valid_name.h. */
#include "ir/valid_name.h"

#include "ir/types.h"

/* What a byte can be: anywhere in a name, its first, in an element type. */
enum { INSIDE = 1, FIRST = 2, OF_TYPE = 4, LETTER = INSIDE | FIRST | OF_TYPE };

static const uint8_t bytes[256] = {
    ['.'] = INSIDE,         ['-'] = INSIDE,         ['0' ... '9'] = INSIDE | OF_TYPE,
    ['a' ... 'z'] = LETTER, ['A' ... 'Z'] = LETTER, ['_'] = LETTER,
};

static bool can_be(char c, uint8_t what) {
    return bytes[(uint8_t)c] & what;
}

bool hlo_is_valid_name(hlo_str text) {
    if (!text.len) return false;
    uint8_t all = LETTER;
    for (uint32_t i = 0; i < text.len; i++) all &= bytes[(uint8_t)text.ptr[i]];
    if (!(all & INSIDE) || !can_be(text.ptr[0], FIRST)) return false;
    if (text.len > 1 && text.ptr[0] == '_' && text.ptr[1] == '_') return false;
    return !(all & OF_TYPE) || hlo_type_from_text(text.ptr, text.len) == HLO_TYPE_COUNT;
}

/* Words that the header's grammar takes for something else. */
static bool is_taken(hlo_str text) {
    static const char *const words[] = {"ENTRY", "ROOT", "false", "inf", "nan", "true"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hlo_str_is(text, words[i])) return true;
    return false;
}

/* In the arena, and ends with a zero byte; `tail` is added. */
static hlo_str fixed(hlo_arena *arena, hlo_str text, const char *tail) {
    char *to = hlo_arena_zero(arena, text.len + 2u + strlen(tail));
    uint32_t n = text.len;
    for (uint32_t i = 0; i < n; i++)
        to[i] = can_be(text.ptr[i], i ? INSIDE : FIRST) ? text.ptr[i] : '_';
    if (n <= 13 && hlo_type_from_text(to, n) != HLO_TYPE_COUNT) to[n++] = '_';
    bool reserved = n >= 2 && to[0] == '_' && to[1] == '_';
    if (reserved && (n < 6 || memcmp(to, "__xla_", 6) != 0)) to[0] = 'a';
    memcpy(to + n, tail, strlen(tail));
    return (hlo_str){to, n + (uint32_t)strlen(tail), 0};
}

hlo_str hlo_valid_name(hlo_arena *arena, hlo_str text) {
    return !text.len || hlo_is_valid_name(text) ? text : fixed(arena, text, "");
}

hlo_str hlo_valid_module_name(hlo_arena *arena, hlo_str text) {
    if (!text.len || (hlo_is_valid_name(text) && !is_taken(text))) return text;
    hlo_str name = fixed(arena, text, "");
    return is_taken(name) ? fixed(arena, text, "_") : name;
}

bool hlo_is_key(hlo_str text) {
    if (!text.len || !can_be(text.ptr[0], FIRST)) return false;
    for (uint32_t i = 1; i < text.len; i++)
        if (!can_be(text.ptr[i], INSIDE)) return false;
    return true;
}
