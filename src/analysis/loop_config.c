/* The backend_config of loops: see loop_config.h. */
#include "analysis/loop_config.h"

#include "base/text.h"

/* After `"key"`, a colon and a quote; empty when they are not there. */
hlo_str hlo_loop_config_digits(const hlo_str *config, const char *key) {
    const char *at = config->ptr, *end = config->ptr + config->len;
    size_t n = strlen(key);
    for (; at < end; at++) {
        if (*at != '"' || (size_t)(end - at) < n + 2 || memcmp(at + 1, key, n) != 0) continue;
        if (at[n + 1] == '"') break;
    }
    at = at < end ? at + n + 2 : end;
    while (at < end && (*at == ' ' || *at == ':' || *at == '"')) at++;
    hlo_str found = {at, 0, 1};
    while (at < end && hlo_is_digit(*at)) at++, found.len++;
    return found;
}

bool hlo_loop_config_number(const hlo_str *config, const char *key, int64_t *number) {
    return hlo_int_from_text(hlo_loop_config_digits(config, key), number);
}

bool hlo_known_trip_count(const hlo_instr *loop, int64_t *count) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_attr *config = hlo_instr_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    if (!config) return false;
    const hlo_str *text = config->u.string;
    static const char key[] = "known_trip_count";
    const char *at = memmem(text->ptr, text->len, key, sizeof key - 1);
    if (!at) return false;
    hlo_str rest = {at, text->len - (uint32_t)(at - text->ptr), 0};
    return hlo_loop_config_number(&rest, "n", count);
}
