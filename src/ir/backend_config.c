/* The text of a backend_config as XLA keeps it: without a key that its configurations had until
 * 2026. */
#include "ir/attrs.h"

/* The blanks of XLA's regular expressions. */
static const char *after_blanks(const char *at, const char *limit) {
    while (at < limit && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' || *at == '\f'))
        at++;
    return at;
}

static const char *after_mark(const char *at, const char *limit, char mark) {
    at = after_blanks(at, limit);
    return at < limit && *at == mark ? at + 1 : NULL;
}

/* The end of `"wait_on_operation_queues": [],` whose key ends at `at`, or NULL. */
static const char *value_end(const char *at, const char *limit) {
    static const char marks[] = ":[],";
    for (const char *mark = marks; at && *mark; mark++) at = after_mark(at, limit, *mark);
    return at;
}

static const char *find_key(const char *at, const char *limit, const char **end) {
    static const char key[] = "\"wait_on_operation_queues\"";
    const size_t n = sizeof key - 1;
    while ((at = memmem(at, (size_t)(limit - at), key, n))) {
        *end = value_end(at + n, limit);
        if (*end) return at;
        at += n;
    }
    return NULL;
}

const hlo_str *hlo_kept_config(hlo_arena *arena, const hlo_str *read) {
    const char *at = read->ptr, *limit = at + read->len, *end;
    const char *key = read->len ? find_key(at, limit, &end) : NULL;
    if (!key) return read;
    char *text = hlo_arena_alloc(arena, read->len);
    hlo_str *kept = HLO_NEW(arena, hlo_str);
    *kept = (hlo_str){text, 0, read->plain};
    for (; key; at = end, key = find_key(at, limit, &end)) {
        memcpy(text + kept->len, at, (size_t)(key - at));
        kept->len += (uint32_t)(key - at);
    }
    memcpy(text + kept->len, at, (size_t)(limit - at));
    kept->len += (uint32_t)(limit - at);
    return kept;
}
