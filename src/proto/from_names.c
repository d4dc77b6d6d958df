/* Names of messages, which may be any text, as names that text can have: XLA's reader does the
 * same. */
#include "proto/from_instr.h"

/* What a byte can be: anywhere in a name, its first, in an element type. */
enum { INSIDE = 1, FIRST = 2, OF_TYPE = 4, LETTER = INSIDE | FIRST | OF_TYPE };

static const uint8_t bytes[256] = {
    ['.'] = INSIDE,         ['-'] = INSIDE,         ['0' ... '9'] = INSIDE | OF_TYPE,
    ['a' ... 'z'] = LETTER, ['A' ... 'Z'] = LETTER, ['_'] = LETTER,
};

static bool can_be(char c, uint8_t what) {
    return bytes[(uint8_t)c] & what;
}

static bool is_fine(hlo_str text) {
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

/* `more` bytes may follow the result. */
static hlo_str fixed(hlo_reader *r, hlo_str text, uint32_t more) {
    char *to = hlo_arena_alloc(&r->module->arena, text.len + 1 + more);
    uint32_t n = text.len;
    for (uint32_t i = 0; i < n; i++)
        to[i] = can_be(text.ptr[i], i ? INSIDE : FIRST) ? text.ptr[i] : '_';
    if (n <= 13 && hlo_type_from_text(to, n) != HLO_TYPE_COUNT) to[n++] = '_';
    bool reserved = n >= 2 && to[0] == '_' && to[1] == '_';
    if (reserved && (n < 6 || memcmp(to, "__xla_", 6) != 0)) to[0] = 'a';
    return (hlo_str){to, n, 0};
}

hlo_name *hlo_from_name(hlo_reader *r, hlo_str text) {
    if (is_fine(text)) {
        bool is_fetched = r->fetched.text == text.ptr && r->fetched.len == text.len;
        uint32_t hash = is_fetched ? r->fetched.hash : hlo_name_hash(text.ptr, text.len);
        return hlo_module_intern_hashed(r->module, hlo_reader_keep(r, text), hash);
    }
    return hlo_module_intern(r->module, fixed(r, text, 0));
}

hlo_str hlo_from_module_name(hlo_reader *r, hlo_str text) {
    if (!text.len || (is_fine(text) && !is_taken(text))) return hlo_reader_keep(r, text);
    hlo_str name = fixed(r, text, 1);
    if (is_taken(name)) ((char *)(uintptr_t)name.ptr)[name.len++] = '_';
    return name;
}

bool hlo_is_key(hlo_str text) {
    if (!text.len || !can_be(text.ptr[0], FIRST)) return false;
    for (uint32_t i = 1; i < text.len; i++)
        if (!can_be(text.ptr[i], INSIDE)) return false;
    return true;
}
