/* Is a source MLIR? By its first bytes, or its first words. */
#include "base/text.h"
#include "mlir/mlir.h"
#include "stablehlo/stablehlo.h"

static bool starts(const char *at, const char *end, const char *text) {
    size_t n = strlen(text);
    return (size_t)(end - at) >= n && memcmp(at, text, n) == 0;
}

/* `word` and no more of a name. */
static bool starts_with_word(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    return starts(at, end, word) && (at + n == end || !hlo_is_word_byte(at[n]));
}

/* #name = or !name = */
static bool is_alias(const char *at, const char *end) {
    if (*at != '#' && *at != '!') return false;
    const char *name = ++at;
    while (at < end && (hlo_is_word_byte(*at) || *at == '$')) at++;
    return at > name && hlo_after_blanks_at(at, end) < end && *hlo_after_blanks_at(at, end) == '=';
}

/* After `{`: `name = `, which is an instruction of a computation in HLO. */
static bool is_instruction(const char *at, const char *end) {
    at = hlo_after_blanks_at(at, end);
    if (starts_with_word(at, end, "ROOT")) return true;
    if (at < end && *at == '%') at++;
    const char *name = at;
    while (at < end && hlo_is_word_byte(*at)) at++;
    at = hlo_after_blanks_at(at, end);
    return at > name && at < end && *at == '=';
}

bool hlo_starts_like_mlir(const char *at, size_t n) {
    static const char *const words[] = {"builtin.module", "func.func", "sdy.mesh"};
    static const char *const quoted[] = {"\"builtin.module\"(", "\"func.func\"("};
    const char *end = at + n;
    if (starts(at, end, "ML\xefR") || hlo_is_jax_export(at, n)) return true;
    for (;;) {
        at = hlo_after_blanks_at(at, end);
        if (!starts(at, end, "//")) break;
        while (at < end && *at != '\n') at++;
    }
    if (at >= end) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (starts_with_word(at, end, words[i])) return true;
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++)
        if (starts(at, end, quoted[i])) return true;
    if (starts_with_word(at, end, "module")) {
        const char *next = hlo_after_blanks_at(at + strlen("module"), end);
        if (next == end) return false;
        if (*next == '{') return !is_instruction(next + 1, end);
        return *next == '@' || starts_with_word(next, end, "attributes");
    }
    return is_alias(at, end);
}

bool hlo_is_mlir(const hlo_source *source) {
    return hlo_starts_like_mlir(source->text, source->len);
}
