/* The backend_config of loops: see loop_config.h. */
#include "passes/control_flow/loop_config.h"

typedef struct {
    const char *begin, *end;
} digits;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* After `"key"`, a colon and a quote; empty when they are not there. */
static digits find_digits(const hlo_str *config, const char *key) {
    const char *at = config->ptr, *end = config->ptr + config->len;
    size_t n = strlen(key);
    for (; at < end; at++) {
        if (*at != '"' || (size_t)(end - at) < n + 2 || memcmp(at + 1, key, n) != 0) continue;
        if (at[n + 1] == '"') break;
    }
    at = at < end ? at + n + 2 : end;
    while (at < end && (*at == ' ' || *at == ':' || *at == '"')) at++;
    digits found = {at, at};
    while (found.end < end && is_digit(*found.end)) found.end++;
    return found;
}

static bool number_of(digits found, int64_t *number) {
    *number = 0;
    for (const char *at = found.begin; at < found.end; at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, *at - '0', number))
            return false;
    return found.begin < found.end;
}

bool hlo_loop_config_number(const hlo_str *config, const char *key, int64_t *number) {
    return number_of(find_digits(config, key), number);
}

/* The text with another number in the place of those digits, in the module's arena. */
static const hlo_str *exchanged(hlo_module *module, const hlo_str *old, digits place,
                                int64_t number) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, old->ptr, (size_t)(place.begin - old->ptr));
    hlo_buf_int(&text, number);
    hlo_buf_bytes(&text, place.end, (size_t)(old->ptr + old->len - place.end));
    hlo_str new_text = {hlo_arena_copy(&module->arena, text.data, text.len), (uint32_t)text.len,
                        old->plain};
    hlo_buf_free(&text);
    return hlo_arena_copy(&module->arena, &new_text, sizeof new_text);
}

void hlo_loop_config_renumber(hlo_rewriter *r, hlo_instr *loop, uint32_t all, const bool *keep,
                              const int64_t *numbers) {
    const hlo_attr *config = hlo_instr_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    int64_t index;
    if (!config) return;
    digits place = find_digits(config->u.string, "tuple_index");
    if (!number_of(place, &index)) return;
    if (index >= all || !keep[index]) {
        hlo_instr_remove_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    } else if (numbers[index] != index) {
        const hlo_str *text = exchanged(r->module, config->u.string, place, numbers[index]);
        hlo_instr_set_attr(loop, (hlo_attr){.id = HLO_ATTR_BACKEND_CONFIG, .u.string = text});
    }
}
