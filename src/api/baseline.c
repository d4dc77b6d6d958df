/* Known findings: the list, its file of a line per fingerprint, and what remains of it after
 * findings that occur again. */
#include <stdlib.h>

#include <hlo.h>

#include "base/list.h"
#include "base/text.h"
#include "diag/fingerprint.h"
#include "host/output.h"

/* ---- the list ---- */

typedef struct {
    uint64_t fingerprint;
    uint64_t count;   /* of findings that are still to be met */
    const char *text; /* for readers of the file */
} known_finding;

struct hlo_baseline {
    HLO_LIST(known_finding) known; /* after reading: by fingerprint, each once */
    hlo_arena texts;
};

hlo_baseline *hlo_baseline_create(void) {
    HLO_API_CALL(NULL) return NULL;
    hlo_baseline *baseline = hlo_calloc(1, sizeof *baseline);
    hlo_arena_init(&baseline->texts);
    baseline->texts.is_kept = true;
    hlo_list_reserve(&baseline->known, 64);
    return baseline;
}

void hlo_baseline_free(hlo_baseline *baseline) {
    if (!baseline) return;
    hlo_arena_free(&baseline->texts);
    hlo_free(baseline->known.v);
    hlo_free(baseline);
}

static int by_fingerprint(const void *a, const void *b) {
    const known_finding *x = a, *y = b;
    return x->fingerprint < y->fingerprint ? -1 : x->fingerprint > y->fingerprint;
}

/* By text, so that the file changes where findings do. */
static int by_text(const void *a, const void *b) {
    const known_finding *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : by_fingerprint(a, b);
}

/* Sorts by fingerprint and adds up the counts of equal ones, which keep the first of their texts.
 */
static void merge(hlo_baseline *b) {
    uint32_t n = 0;
    if (b->known.n) qsort(b->known.v, b->known.n, sizeof *b->known.v, by_fingerprint);
    for (uint32_t i = 0; i < b->known.n; i++) {
        known_finding *last = n ? &b->known.v[n - 1] : NULL;
        if (!last || last->fingerprint != b->known.v[i].fingerprint) {
            b->known.v[n++] = b->known.v[i];
        } else {
            last->count += b->known.v[i].count;
            if (strcmp(b->known.v[i].text, last->text) < 0) last->text = b->known.v[i].text;
        }
    }
    b->known.n = n;
}

/* ---- its file ---- */

/* FINGERPRINT COUNT, and whatever follows a blank. */
static bool read_line(hlo_baseline *b, const char *line, size_t n) {
    enum { DIGITS = 16 };
    uint64_t fingerprint = 0, count;
    size_t at = 0;
    for (; at < n && at < DIGITS; at++) {
        const char *digits = "0123456789abcdef", *digit = memchr(digits, line[at], 16);
        if (!digit) return false;
        fingerprint = fingerprint << 4 | (uint64_t)(digit - digits);
    }
    if (at < DIGITS || at >= n || line[at++] != ' ') return false;
    const char *digits = line + at, *end = line + n;
    if (!hlo_digits(&digits, end, 999999999, &count) || !count || (digits < end && *digits != ' '))
        return false;
    hlo_list_push(&b->known, ((known_finding){fingerprint, count, ""}));
    return true;
}

static hlo_status read_lines(hlo_baseline *b, hlo_source *source, hlo_diags *diags) {
    for (size_t at = 0; at < source->len;) {
        hlo_str line = hlo_source_line(source, (uint32_t)at);
        bool is_note = line.len == 0 || line.ptr[0] == '#';
        if (!is_note && !read_line(b, line.ptr, line.len)) {
            hlo_error(diags, HLO_RULE_USAGE, source,
                      (hlo_span){(uint32_t)at, (uint32_t)at + line.len},
                      "expected a fingerprint of 16 hexadecimal digits and a count");
            return HLO_BAD_USE;
        }
        const char *end = memchr(source->text + at, '\n', source->len - at);
        at = end ? (size_t)(end - source->text) + 1 : source->len;
    }
    merge(b);
    return HLO_OK;
}

hlo_status hlo_baseline_read(hlo_baseline *baseline, const char *path, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, baseline);
    HLO_REQUIRE(diags, path);
    hlo_source *source;
    hlo_status status = hlo_read_source(path, diags, &source);
    if (status != HLO_OK) return status;
    status = read_lines(baseline, source, diags);
    hlo_source_close(source);
    return status;
}

void hlo_baseline_write(const hlo_baseline *baseline, hlo_output *output) {
    HLO_API_CALL(NULL) {
        hlo_output_lost(output);
        return;
    }
    if (!baseline || !output) return;
    hlo_buf *to = &output->buf;
    hlo_buf_lit(to, "# Known findings: fingerprint, count, description.\n");
    hlo_baseline sorted = *baseline;
    size_t bytes = baseline->known.n * sizeof *sorted.known.v;
    sorted.known.v = bytes ? memcpy(hlo_malloc(bytes), baseline->known.v, bytes) : NULL;
    merge(&sorted);
    if (bytes) qsort(sorted.known.v, sorted.known.n, sizeof *sorted.known.v, by_text);
    for (uint32_t i = 0; i < sorted.known.n; i++) {
        const known_finding *k = &sorted.known.v[i];
        hlo_buf_printf(to, "%016llx %llu %s\n", (unsigned long long)k->fingerprint,
                       (unsigned long long)k->count, k->text);
    }
    hlo_free(sorted.known.v);
}

/* ---- findings ---- */

/* Files that cannot be read and options that make no sense are no findings. */
static bool can_be_known(const hlo_diag *d) {
    return hlo_rule_status(d->rule) == HLO_BAD_MODULE;
}

/* FILE: COMPUTATION/INSTRUCTION: MESSAGE [RULE], on one line. */
static const char *text_of(hlo_baseline *b, const hlo_diag *d) {
    hlo_buf text = HLO_BUF_INIT;
    const char *file = hlo_diag_file(d);
    if (file) hlo_buf_printf(&text, "%s: ", hlo_relative_path(file));
    hlo_buf_str(&text, d->computation);
    if (d->computation.len && d->instruction.len) hlo_buf_char(&text, '/');
    hlo_buf_str(&text, d->instruction);
    if (d->computation.len || d->instruction.len) hlo_buf_lit(&text, ": ");
    hlo_buf_printf(&text, "%s [%s]", d->message, hlo_rule_name(d->rule));
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f) text.data[i] = '?';
    hlo_buf_char(&text, '\0');
    char *copy = hlo_arena_copy(&b->texts, text.data, text.len);
    hlo_buf_free(&text);
    return copy;
}

hlo_status hlo_baseline_add(hlo_baseline *baseline, const hlo_diags *found, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, baseline);
    HLO_REQUIRE(diags, found);
    for (const hlo_diag *d = found->first; d; d = d->next)
        if (can_be_known(d))
            hlo_list_push(&baseline->known,
                          ((known_finding){hlo_diag_fingerprint(d), 1, text_of(baseline, d)}));
    return HLO_OK;
}

static bool take(hlo_baseline *b, const hlo_diag *d) {
    known_finding wanted = {.fingerprint = hlo_diag_fingerprint(d)};
    if (!b->known.n || !can_be_known(d)) return false;
    known_finding *found = bsearch(&wanted, b->known.v, b->known.n, sizeof wanted, by_fingerprint);
    if (!found || !found->count) return false;
    found->count--;
    return true;
}

size_t hlo_baseline_subtract(hlo_baseline *baseline, const hlo_diags *found, hlo_diags *news) {
    HLO_API_CALL(news) return 0;
    if (!baseline || !found || !news) return 0;
    size_t known = 0;
    for (const hlo_diag *d = found->first; d; d = d->next) {
        if (take(baseline, d)) known++;
        else hlo_diags_append_one(news, d);
    }
    return known;
}

size_t hlo_baseline_left(const hlo_baseline *baseline) {
    size_t left = 0;
    for (uint32_t i = 0; baseline && i < baseline->known.n; i++)
        left += (size_t)baseline->known.v[i].count;
    return left;
}
