/* Names of messages, which may be any text, as names that text can have: XLA's reader does the
 * same. Called by from_module.c and from_instr.c. */
#include "proto/from_instr.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

static bool is_fine(hlo_str text) {
    for (uint32_t i = 0; i < text.len; i++)
        if (!is_name_char(text.ptr[i])) return false;
    if (!is_letter(text.ptr[0]) || (text.len > 1 && text.ptr[0] == '_' && text.ptr[1] == '_'))
        return false;
    return text.len > 13 || hlo_type_from_text(text.ptr, text.len) == HLO_TYPE_COUNT;
}

const hlo_name *hlo_from_name(hlo_reader *r, hlo_str text) {
    if (is_fine(text)) return hlo_module_intern(r->module, hlo_reader_keep(r, text));
    char *fixed = hlo_arena_alloc(&r->module->arena, text.len + 1);
    uint32_t n = text.len;
    for (uint32_t i = 0; i < n; i++)
        fixed[i] = (i ? is_name_char(text.ptr[i]) : is_letter(text.ptr[i])) ? text.ptr[i] : '_';
    if (n <= 13 && hlo_type_from_text(fixed, n) != HLO_TYPE_COUNT) fixed[n++] = '_';
    bool reserved = n >= 2 && fixed[0] == '_' && fixed[1] == '_';
    if (reserved && (n < 6 || memcmp(fixed, "__xla_", 6) != 0)) fixed[0] = 'a';
    return hlo_module_intern(r->module, (hlo_str){fixed, n, 0});
}
