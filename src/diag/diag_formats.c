/* JSON lines, SARIF and GitHub workflow commands, written as the diagnostics come. */
#include "diag/diag_formats.h"

#include "base/json_string.h"

static const char *const severity_words[] = {"note", "warning", "error"};

static void put_json(hlo_buf *to, const char *text) {
    hlo_json_string(to, text, strlen(text));
}

/* Where a diagnostic starts and ends: lines and columns from 1, the end one past the last. */
typedef struct {
    hlo_position start, end;
} place;

static place place_of(const hlo_diag *d) {
    uint32_t size = (uint32_t)d->source->len;
    uint32_t from = d->span.lo < size ? d->span.lo : size;
    uint32_t to = d->span.hi > from ? d->span.hi : from + 1;
    if (to > size) to = size > from ? size : from;
    return (place){hlo_source_position(d->source, from), hlo_source_position(d->source, to)};
}

/* ---- JSON lines ---- */

static void put_json_place(hlo_buf *to, const hlo_diag *d) {
    if (!d->source) return;
    place at = place_of(d);
    hlo_buf_lit(to, "\"file\":");
    put_json(to, d->source->name);
    hlo_buf_printf(to, ",\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u,",
                   at.start.line, at.start.column, at.end.line, at.end.column);
}

static void put_json_note(hlo_buf *to, const hlo_diag *note) {
    hlo_buf_char(to, '{');
    put_json_place(to, note);
    hlo_buf_lit(to, "\"message\":");
    put_json(to, note->message);
    hlo_buf_char(to, '}');
}

static void put_json_line(hlo_buf *to, const hlo_diag *d) {
    hlo_buf_char(to, '{');
    put_json_place(to, d);
    hlo_buf_printf(to, "\"severity\":\"%s\",\"rule\":\"%s\",\"stage\":\"%s\",\"message\":",
                   severity_words[d->severity], hlo_rule_name(d->rule),
                   hlo_stage_name(hlo_rule_stage(d->rule)));
    put_json(to, d->message);
    if (d->hint) {
        hlo_buf_lit(to, ",\"hint\":");
        put_json(to, d->hint);
    }
    hlo_buf_lit(to, ",\"notes\":[");
    for (const hlo_diag *note = d->notes; note; note = note->next) {
        if (note != d->notes) hlo_buf_char(to, ',');
        put_json_note(to, note);
    }
    hlo_buf_lit(to, "]}\n");
}

/* ---- SARIF ---- */

/* A path as a URI reference; absolute paths get a scheme. */
static void put_uri(hlo_buf *to, const char *path) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    hlo_buf_char(to, '"');
    if (path[0] == '/') hlo_buf_lit(to, "file://");
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        if (strchr(plain, *p)) hlo_buf_char(to, (char)*p);
        else hlo_buf_printf(to, "%%%02X", *p);
    }
    hlo_buf_char(to, '"');
}

/* SARIF counts columns in characters: bytes that continue one do not count. */
static uint32_t characters_before(hlo_source *source, uint32_t offset, hlo_position at) {
    const char *line = hlo_source_line(source, offset).ptr;
    uint32_t column = 1;
    for (uint32_t i = 0; i + 1 < at.column; i++) column += (line[i] & 0xc0) != 0x80;
    return column;
}

static void put_sarif_place(hlo_buf *to, const hlo_diag *d) {
    hlo_buf_lit(to, "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_uri(to, d->source->name);
    place at = place_of(d);
    uint32_t end = d->span.hi > d->span.lo ? d->span.hi : d->span.lo;
    if (end > d->source->len) end = (uint32_t)d->source->len;
    hlo_buf_printf(to, "},\"region\":{\"startLine\":%u,\"startColumn\":%u", at.start.line,
                   characters_before(d->source, d->span.lo, at.start));
    if (at.end.line > at.start.line || at.end.column > at.start.column)
        hlo_buf_printf(to, ",\"endLine\":%u,\"endColumn\":%u", at.end.line,
                       characters_before(d->source, end, at.end));
    hlo_buf_lit(to, "}}");
}

static void put_sarif_message(hlo_buf *to, const hlo_diag *d) {
    hlo_buf_lit(to, "\"message\":{\"text\":");
    if (!d->hint) {
        put_json(to, d->message);
    } else {
        hlo_buf text = HLO_BUF_INIT;
        hlo_buf_printf(&text, "%s\nhint: %s", d->message, d->hint);
        hlo_json_string(to, text.data, text.len);
        hlo_buf_free(&text);
    }
    hlo_buf_char(to, '}');
}

static void put_sarif_result(hlo_buf *to, const hlo_diag *d) {
    hlo_buf_printf(to, "{\"ruleId\":\"%s\",\"ruleIndex\":%d,\"level\":\"%s\",",
                   hlo_rule_name(d->rule), (int)d->rule, severity_words[d->severity]);
    put_sarif_message(to, d);
    if (d->source) {
        hlo_buf_lit(to, ",\"locations\":[");
        put_sarif_place(to, d);
        hlo_buf_lit(to, "}]");
    }
    bool any = false;
    for (const hlo_diag *note = d->notes; note; note = note->next) {
        if (!note->source) continue;
        hlo_buf_cstr(to, any ? "," : ",\"relatedLocations\":[");
        any = true;
        put_sarif_place(to, note);
        hlo_buf_char(to, ',');
        put_sarif_message(to, note);
        hlo_buf_char(to, '}');
    }
    hlo_buf_cstr(to, any ? "]}" : "}");
}

static void put_sarif_rules(hlo_buf *to) {
    for (int i = 0; i < HLO_RULE_COUNT; i++) {
        hlo_rule rule = (hlo_rule)i;
        bool lint = hlo_rule_stage(rule) == HLO_STAGE_LINT;
        hlo_buf_printf(to, "%s\n{\"id\":\"%s\",\"shortDescription\":{\"text\":", i ? "," : "",
                       hlo_rule_name(rule));
        put_json(to, hlo_rule_text(rule));
        hlo_buf_printf(to,
                       "},\"defaultConfiguration\":{\"enabled\":%s,\"level\":\"%s\"},"
                       "\"properties\":{\"stage\":\"%s\"}}",
                       lint ? "false" : "true", lint ? "warning" : "error",
                       hlo_stage_name(hlo_rule_stage(rule)));
    }
}

static void put_sarif_head(hlo_buf *to) {
    hlo_buf_lit(to,
                "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                "sarif-schema-2.1.0.json\",\n\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":"
                "{\"name\":\"hlo-verify\",\"version\":\"" HLO_VERSION "\",\"rules\":[");
    put_sarif_rules(to);
    hlo_buf_lit(to, "\n]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
}

/* ---- GitHub workflow commands ---- */

/* Properties end at a comma or colon, so those are escaped there; text only needs to stay one line,
 * and names of files no control characters. */
static void put_escaped(hlo_buf *to, const char *text, const char *special) {
    for (; *text; text++) {
        if (strchr(special, *text) || (unsigned char)*text < ' ')
            hlo_buf_printf(to, "%%%02X", (unsigned char)*text);
        else hlo_buf_char(to, *text);
    }
}

static void put_github(hlo_buf *to, const hlo_diag *d) {
    static const char in_text[] = "%\r\n", in_property[] = "%\r\n:,";
    hlo_buf_printf(to, "::%s ", d->severity == HLO_WARNING ? "warning" : "error");
    if (d->source) {
        place at = place_of(d);
        hlo_buf_lit(to, "file=");
        put_escaped(to, d->source->name, in_property);
        hlo_buf_printf(to, ",line=%u,col=%u", at.start.line, at.start.column);
        if (at.end.line == at.start.line) hlo_buf_printf(to, ",endColumn=%u", at.end.column);
        hlo_buf_char(to, ',');
    }
    hlo_buf_printf(to, "title=%s::", hlo_rule_name(d->rule));
    put_escaped(to, d->message, in_text);
    for (const hlo_diag *note = d->notes; note; note = note->next) {
        hlo_buf_lit(to, "%0A");
        if (note->source)
            hlo_buf_printf(to, "line %u: ", hlo_source_position(note->source, note->span.lo).line);
        put_escaped(to, note->message, in_text);
    }
    if (d->hint) {
        hlo_buf_lit(to, "%0Ahint: ");
        put_escaped(to, d->hint, in_text);
    }
    hlo_buf_char(to, '\n');
}

/* ---- the writer ---- */

void hlo_diag_writer_begin(hlo_diag_writer *writer, hlo_report_format format, hlo_buf *to) {
    *writer = (hlo_diag_writer){.to = to, .format = format};
    if (format == HLO_REPORT_SARIF) put_sarif_head(to);
}

void hlo_diag_writer_add(hlo_diag_writer *writer, const hlo_diags *diags) {
    size_t n;
    const hlo_diag **sorted = hlo_diags_sorted(diags, &n);
    for (size_t i = 0; i < n; i++) {
        switch (writer->format) {
        case HLO_REPORT_JSON: put_json_line(writer->to, sorted[i]); break;
        case HLO_REPORT_GITHUB: put_github(writer->to, sorted[i]); break;
        case HLO_REPORT_SARIF:
            hlo_buf_cstr(writer->to, writer->written ? ",\n" : "\n");
            put_sarif_result(writer->to, sorted[i]);
            break;
        }
        writer->written++;
    }
    hlo_free(sorted);
}

void hlo_diag_writer_end(hlo_diag_writer *writer) {
    if (writer->format == HLO_REPORT_SARIF) hlo_buf_lit(writer->to, "\n]}]}\n");
}
