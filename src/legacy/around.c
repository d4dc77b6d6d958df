/* Old forms around the module: what logs, pages and editors add to its lines. */
#include "base/text.h"
#include "legacy/old_text.h"

static uint32_t next_line(const hlo_old_text *t, uint32_t at) {
    const char *end = memchr(t->text + at, '\n', t->length - at);
    return end ? (uint32_t)(end - t->text) + 1 : t->length;
}

/* ---- logs ---- */

static bool are_digits(const char *at, const char *pattern) {
    for (; *pattern; at++, pattern++)
        if (*pattern == '0' ? !hlo_is_digit(*at) : *at != *pattern) return false;
    return true;
}

/* `I0521 12:04:45.883483    1509 service.cc:186]` or `2018-03-01 12:04:45.883483: I
 * service.cc:186]` and the blank after it: where it ends, or `at`. The text is padded, so that
 * patterns may be compared at its end. */
static uint32_t log_end(const hlo_old_text *t, uint32_t at, uint32_t line_end) {
    const char *from = t->text + at;
    bool is_glog = *from && strchr("IWEF", *from) && are_digits(from + 1, "0000 00:00:00.000000");
    if (!is_glog && !are_digits(from, "0000-00-00 00:00:00.000000: ")) return at;
    const char *end = memchr(from, ']', line_end - at);
    if (!end) return at;
    uint32_t after = (uint32_t)(end - t->text) + 1;
    return after < line_end && t->text[after] == ' ' ? after + 1 : after;
}

void hlo_old_log_prefix(hlo_old_text *t) {
    for (uint32_t at = 0, end; at < t->length; at = end) {
        end = next_line(t, at);
        hlo_span prefix = {at, log_end(t, at, end)};
        if (prefix.hi == at) continue;
        hlo_old_found(t, prefix);
        hlo_old_remove(t, prefix);
    }
}

/* ---- pages ---- */

void hlo_old_markdown_fence(hlo_old_text *t) {
    for (uint32_t at = 0, end; at < t->length; at = end) {
        end = next_line(t, at);
        uint32_t from = at;
        while (from < end && (t->text[from] == ' ' || t->text[from] == '\t')) from++;
        if (memcmp(t->text + from, "```", 3) != 0 && memcmp(t->text + from, "~~~", 3) != 0)
            continue;
        uint32_t to = end > from && t->text[end - 1] == '\n' ? end - 1 : end;
        hlo_old_found(t, (hlo_span){from, to});
        hlo_old_remove(t, (hlo_span){from, to});
    }
}

void hlo_old_no_break_space(hlo_old_text *t) {
    for (uint32_t at = 0; at < t->length; at = hlo_old_next(t, at)) {
        if (memcmp(t->text + at, "\xc2\xa0", 2) != 0) continue;
        hlo_span space = {at, at + 2};
        hlo_old_found(t, space);
        hlo_old_edit(t, space, " ");
    }
}

/* ---- the header ---- */

/* `{}: 0` of input_output_alias: the parameter is the whole of it. */
static void alias_entries(hlo_old_text *t, uint32_t at, uint32_t end) {
    hlo_span part;
    while (hlo_old_next_part(t, &at, end, &part)) {
        if (t->text[part.lo] != '{') continue;
        uint32_t colon = hlo_old_skip_blanks(t, hlo_old_brackets_end(t, part.lo));
        if (colon >= part.hi || t->text[colon] != ':') continue;
        hlo_span number = {hlo_old_skip_blanks(t, colon + 1), part.hi};
        if (number.lo >= number.hi || !hlo_is_digit(t->text[number.lo])) continue;
        hlo_old_found(t, part);
        hlo_old_edit(t, number, "(%.*s, {})", HLO_OLD(t, number));
    }
}

void hlo_old_alias_without_index(hlo_old_text *t) {
    static const char key[] = "input_output_alias=";
    if (t->header.hi == t->header.lo) return;
    const char *from = t->text + t->header.lo;
    const char *found = memmem(from, t->header.hi - t->header.lo, key, sizeof key - 1);
    if (!found) return;
    uint32_t open = hlo_old_skip_blanks(t, (uint32_t)(found - t->text) + (uint32_t)sizeof key - 1);
    if (open < t->header.hi && t->text[open] == '{')
        alias_entries(t, open + 1, hlo_old_brackets_end(t, open) - 1);
}
