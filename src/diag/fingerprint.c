/* Fingerprints of findings: see fingerprint.h. */
#include "diag/fingerprint.h"

#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"

const char *hlo_diag_file(const hlo_diag *d) {
    return d->source ? d->source->name : d->file;
}

const char *hlo_relative_path(const char *path) {
    char here[4096];
    size_t n = path[0] == '/' && getcwd(here, sizeof here) ? strlen(here) : 0;
    if (n && strncmp(path, here, n) == 0 && path[n] == '/') path += n + 1;
    while (path[0] == '.' && path[1] == '/') path += 2;
    return path;
}

static uint64_t hash_text(uint64_t h, const char *text, size_t n) {
    return hlo_hash_mix(h, hlo_hash_bytes(text, n));
}

/* The length of a name without its numbers: `region` of `region_12.34`. */
static size_t stem(const char *name, size_t n) {
    for (;;) {
        size_t end = hlo_final_digits((hlo_str){name, (uint32_t)n, 0});
        if (end == n || end < 2 || !strchr("._", name[end - 1])) return n;
        n = end - 1;
    }
}

/* Names in messages stand in quotes. */
static uint64_t hash_message(uint64_t h, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "'");
        h = hash_text(h, text, n);
        text += n;
        if (!*text) break;
        size_t name = strcspn(++text, "'");
        h = hash_text(h, text, stem(text, name));
        text += name;
        if (*text) text++;
    }
    return h;
}

uint64_t hlo_diag_fingerprint(const hlo_diag *d) {
    const char *rule = hlo_rule_name(d->rule);
    uint64_t h = hash_text(0, rule, strlen(rule));
    h = hash_text(h, d->computation.ptr, stem(d->computation.ptr, d->computation.len));
    h = hash_text(h, d->instruction.ptr, stem(d->instruction.ptr, d->instruction.len));
    return hash_message(h, d->message);
}
