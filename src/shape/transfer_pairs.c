/* Reading pairs of devices from a frontend attribute: see transfer_pairs.h. */
#include "shape/transfer_pairs.h"

#include "base/list.h"

const hlo_str *hlo_transfer_pairs_text(const hlo_instr *instr) {
    return hlo_frontend_value(instr, "_xla_send_recv_source_target_pairs");
}

static void skip_blanks(const char **at, const char *end) {
    HLO_ASSERT(*at <= end);
    while (*at < end && strchr(" \t\n\r", **at)) (*at)++;
}

static bool take(const char **at, const char *end, char c) {
    skip_blanks(at, end);
    if (*at == end || **at != c) return false;
    (*at)++;
    return true;
}

static bool take_number(const char **at, const char *end, int64_t *out) {
    skip_blanks(at, end);
    const char *start = *at;
    HLO_ASSERT(*at <= end);
    for (*out = 0; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, **at - '0', out))
            return false;
    return *at > start;
}

typedef HLO_LIST(const hlo_ints *) pairs;

static bool take_pairs(hlo_arena *arena, const char *at, const char *end, pairs *list) {
    bool good = take(&at, end, '{');
    bool more = good && !take(&at, end, '}');
    while (good && more) {
        int64_t pair[2] = {0, 0};
        good = take(&at, end, '{') && take_number(&at, end, &pair[0]) && take(&at, end, ',') &&
               take_number(&at, end, &pair[1]) && take(&at, end, '}');
        if (good) hlo_list_push(list, hlo_ints_from(arena, pair, 2));
        more = take(&at, end, ',');
        good = good && (more || take(&at, end, '}'));
    }
    skip_blanks(&at, end);
    return good && at == end;
}

const hlo_int_lists *hlo_transfer_pairs(hlo_arena *arena, const hlo_str *text) {
    pairs list = {0};
    hlo_int_lists *out = NULL;
    if (take_pairs(arena, text->ptr, text->ptr + text->len, &list)) {
        out = hlo_arena_alloc(arena, sizeof *out + list.n * sizeof *out->v);
        out->n = list.n;
        for (uint32_t i = 0; i < list.n; i++) out->v[i] = list.v[i];
    }
    hlo_list_free(&list);
    return out;
}
