/* Sources as the public interface reads and splits them. */
#include <errno.h>

#include <hlo.h>

#include "base/inflate.h"
#include "base/list.h"
#include "diag/diag.h"
#include "host/npy.h"
#include "stablehlo/stablehlo.h"

static hlo_status refuse_content(const hlo_inflation *found, hlo_source *source, hlo_diags *diags) {
    uint32_t end = (uint32_t)source->len;
    if (found->why) {
        hlo_error(diags, HLO_RULE_LEX, source, (hlo_span){end, end},
                  "the compressed file %s: what could be read ends here", found->why);
    } else {
        hlo_error(diags, HLO_RULE_LEX, source, (hlo_span){0, 1}, "this is compressed twice");
        hlo_hint(diags, "gzip -d or zstd -d decompresses it once");
    }
    return HLO_BAD_MODULE;
}

/* A limit that was given, or 4 GiB, is the system's; the other one keeps bad files out. */
static hlo_status refuse_size(const hlo_inflation *found, const hlo_source *source,
                              hlo_diags *diags) {
    if (found->limit)
        hlo_error(diags, HLO_RULE_LIMIT, NULL, (hlo_span){0},
                  "%s %s %llu bytes decompressed, %llu times the compressed size: above the limit "
                  "for compressed files",
                  source->name, found->why, (unsigned long long)found->limit,
                  (unsigned long long)(found->limit / (source->len + 1u)));
    else hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "%s %s", source->name, found->why);
    return HLO_BAD_SYSTEM;
}

static hlo_status refuse_packer(const char *packer, hlo_source *source, hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_LEX, source, (hlo_span){0, 1}, "this is compressed by %s", packer);
    hlo_hint(diags, "%s -d decompresses it", packer);
    return HLO_BAD_MODULE;
}

static hlo_status inflate(hlo_source **source, uint64_t most, hlo_diags *diags) {
    const hlo_inflation found = hlo_source_inflate(source, most);
    const char *packer = hlo_source_packer(*source);
    hlo_status status = HLO_OK;
    if (found.is_bad_content) status = refuse_content(&found, *source, diags);
    else if (found.why) status = refuse_size(&found, *source, diags);
    else if (packer) status = refuse_packer(packer, *source, diags);
    if (status == HLO_OK) return status;
    hlo_source_close(*source);
    *source = NULL;
    return status;
}

hlo_status hlo_read_source(const char *path, hlo_diags *diags, hlo_source **out) {
    return hlo_read_source_within(path, 0, diags, out);
}

hlo_status hlo_read_source_within(const char *path, uint64_t most, hlo_diags *diags,
                                  hlo_source **out) {
    HLO_API_CALL_FOR(diags, out);
    const char *name = path ? path : "-";
    *out = hlo_source_open(name);
    if (*out) return inflate(out, most, diags);
    const char *shown = strcmp(name, "-") == 0 ? "standard input" : *name ? name : "''";
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot read %s: %s", shown,
              strerror(errno));
    return HLO_BAD_SYSTEM;
}

void hlo_source_free(hlo_source *source) {
    hlo_source_release(source);
}

void hlo_source_read_as(hlo_source *source, hlo_dialect dialect) {
    bool is_known = dialect >= HLO_DIALECT_XLA && dialect <= HLO_DIALECT_2025;
    if (source && is_known) source->dialect = dialect;
}

hlo_status hlo_source_give_shapes(hlo_source *source, const char *shapes, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, source);
    hlo_source_set_shapes(source, shapes);
    source->guesses_shapes = false;
    return HLO_OK;
}

hlo_status hlo_source_give_shapes_of(hlo_source *source, char *const *paths, size_t count,
                                     hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, source);
    hlo_buf shapes = HLO_BUF_INIT;
    bool good = hlo_is_mlir(source);
    for (size_t i = 0; i < count && good; i++) {
        if (i) hlo_buf_char(&shapes, ',');
        good = hlo_npy_append_sizes(paths[i], &shapes);
    }
    hlo_buf_char(&shapes, 0);
    if (good) hlo_source_set_shapes(source, shapes.data);
    if (good) source->guesses_shapes = true;
    hlo_buf_free(&shapes);
    return HLO_OK;
}

typedef HLO_LIST(hlo_source *) part_list;

static void add_part(part_list *parts, hlo_source *whole, size_t from, size_t to, uint32_t line) {
    HLO_ASSERT(from <= to && to <= whole->len);
    hlo_source *part = hlo_source_from_text(whole->name, whole->text + from, to - from);
    part->first_line = line;
    part->dialect = whole->dialect;
    hlo_source_set_shapes(part, whole->input_shapes);
    part->guesses_shapes = whole->guesses_shapes;
    hlo_list_push(parts, part);
}

size_t hlo_source_split(hlo_source *source, hlo_source ***out) {
    HLO_API_CALL(NULL) {
        if (out) *out = NULL;
        return 0;
    }
    if (!out) return 0;
    *out = NULL;
    if (!source) return 0;
    static const char separator[] = "// -----";
    enum { LENGTH = sizeof separator - 1 };
    part_list parts = {0};
    size_t from = 0;
    uint32_t line = source->first_line, from_line = line;
    for (size_t at = 0; at < source->len; line++) {
        const char *newline = memchr(source->text + at, '\n', source->len - at);
        size_t next = newline ? (size_t)(newline - source->text) + 1 : source->len;
        if (next - at >= LENGTH && memcmp(source->text + at, separator, LENGTH) == 0) {
            add_part(&parts, source, from, at, from_line);
            from = next;
            from_line = line + 1;
        }
        at = next;
    }
    add_part(&parts, source, from, source->len, from_line);
    *out = parts.v;
    return parts.n;
}

void hlo_source_parts_free(hlo_source **parts, size_t count) {
    for (size_t i = 0; i < count; i++) hlo_source_release(parts[i]);
    hlo_free(parts);
}
