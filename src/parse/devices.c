/* A dataflow graph in parts: a text with several modules, each a device's part of the graph
 * (docs/dataflow.md). XLA reads one module only, and so does the parser unless their headers have
 * is_dataflow=true and they are named after devices. */
#include "parse/devices.h"

#include <stdio.h>

static const char keyword[] = "HloModule ";
enum { KEYWORD = sizeof keyword - 1 };

static const char *line_end(const char *at, const char *limit) {
    const char *newline = memchr(at, '\n', (size_t)(limit - at));
    return newline ? newline + 1 : limit;
}

static bool is_header(const char *line, const char *end) {
    return end - line > KEYWORD && memcmp(line, keyword, KEYWORD) == 0;
}

/* The next line that is a header from `at` on, or `limit`. *lines counts those before it. */
static const char *next_header(const char *at, const char *limit, uint32_t *lines) {
    for (const char *end; at < limit; at = end, ++*lines) {
        end = line_end(at, limit);
        if (is_header(at, end)) return at;
    }
    return limit;
}

static bool has_text(const char *line, const char *end, const char *text) {
    return memmem(line, (size_t)(end - line), text, strlen(text)) != NULL;
}

/* `HloModule NAME.device3, is_dataflow=true` of device 3. */
static bool is_part(const char *header, const char *limit, uint32_t device) {
    char name[32];
    const char *end = line_end(header, limit);
    snprintf(name, sizeof name, ".device%u, ", device);
    return has_text(header, end, "is_dataflow=true") && has_text(header, end, name);
}

bool hlo_is_text_of_devices(const hlo_source *source) {
    const char *limit = source->text + source->len;
    uint32_t lines = 0, count = 0;
    for (const char *at = next_header(source->text, limit, &lines); at < limit; count++) {
        if (!is_part(at, limit, count)) return false;
        at = next_header(line_end(at, limit), limit, &lines);
    }
    return count > 1;
}

static hlo_status parse_part(hlo_source *source, const char *from, const char *to, uint32_t line,
                             hlo_parse_part *parse, hlo_diags *diags, hlo_module **out) {
    hlo_source *part = hlo_source_from_text(source->name, from, (size_t)(to - from));
    part->first_line = line;
    part->dialect = source->dialect;
    hlo_status status = parse(part, diags, out);
    hlo_source_close(part);
    return status;
}

hlo_status hlo_parse_devices(hlo_source *source, hlo_parse_part *parse, hlo_diags *diags,
                             hlo_module **out) {
    const char *limit = source->text + source->len, *from = source->text;
    uint32_t line = source->first_line, lines = 0;
    hlo_status worst = HLO_OK;
    hlo_module **link = out;
    *out = NULL;
    const char *header = next_header(from, limit, &lines);
    while (header < limit) {
        uint32_t first = line;
        lines++;
        header = next_header(line_end(header, limit), limit, &lines);
        hlo_status status = parse_part(source, from, header, first, parse, diags, link);
        if (status != HLO_OK) worst = status;
        else link = &(*link)->next_device;
        from = header;
        line = source->first_line + lines;
    }
    if (worst == HLO_OK) return HLO_OK;
    hlo_module_free(*out);
    *out = NULL;
    return worst;
}
