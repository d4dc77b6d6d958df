/* JSON lines, SARIF and GitHub workflow commands, written as the diagnostics come. */
#include "diag/diag_formats.h"

#include <hlo/version.h>

#include "base/json_string.h"
#include "base/uri.h"
#include "diag/fingerprint.h"

static const char *const severity_words[] = {"note", "warning", "error"};

static void put_json(hlo_buf *to, const char *text) {
    hlo_json_string(to, text, strlen(text));
}

hlo_diag_place hlo_diag_place_of(const hlo_diag *d) {
    HLO_ASSERT(d->source);
    uint32_t size = (uint32_t)d->source->len;
    uint32_t from = d->span.lo < size ? d->span.lo : size;
    uint32_t to = d->span.hi > from ? d->span.hi : from + 1;
    if (to > size) to = size > from ? size : from;
    return (hlo_diag_place){hlo_source_position(d->source, from),
                            hlo_source_position(d->source, to)};
}

/* ---- JSON lines ---- */

static void put_json_file(hlo_buf *to, const char *file) {
    if (!file) return;
    hlo_buf_lit(to, "\"file\":");
    put_json(to, file);
    hlo_buf_char(to, ',');
}

static void put_json_place(hlo_buf *to, const hlo_diag *d) {
    put_json_file(to, hlo_diag_file(d));
    if (!d->source) return;
    hlo_diag_place at = hlo_diag_place_of(d);
    hlo_buf_printf(to, "\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u,",
                   at.start.line, at.start.column, at.end.line, at.end.column);
}

static void put_json_note(hlo_buf *to, const hlo_diag *note) {
    hlo_buf_char(to, '{');
    put_json_place(to, note);
    hlo_buf_lit(to, "\"message\":");
    put_json(to, note->message);
    hlo_buf_char(to, '}');
}

static void put_json_name(hlo_buf *to, const char *key, hlo_str name) {
    if (!name.len) return;
    hlo_buf_printf(to, ",\"%s\":", key);
    hlo_json_string(to, name.ptr, name.len);
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
    put_json_name(to, "computation", d->computation);
    put_json_name(to, "instruction", d->instruction);
    hlo_buf_printf(to, ",\"fingerprint\":\"%016llx\"", (unsigned long long)hlo_diag_fingerprint(d));
    hlo_buf_lit(to, ",\"notes\":[");
    for (const hlo_diag *note = d->notes; note; note = note->next) {
        if (note != d->notes) hlo_buf_char(to, ',');
        put_json_note(to, note);
    }
    hlo_buf_lit(to, "]}\n");
}

/* That some findings are not in the report. */
static void put_json_rest(hlo_buf *to, const char *file, hlo_rule rule, const char *text) {
    hlo_buf_char(to, '{');
    put_json_file(to, file);
    hlo_buf_lit(to, "\"severity\":\"note\",");
    if (rule != HLO_RULE_COUNT)
        hlo_buf_printf(to, "\"rule\":\"%s\",\"stage\":\"%s\",", hlo_rule_name(rule),
                       hlo_stage_name(hlo_rule_stage(rule)));
    hlo_buf_lit(to, "\"message\":");
    put_json(to, text);
    hlo_buf_lit(to, ",\"cut\":true,\"notes\":[]}\n");
}

/* ---- SARIF ---- */

/* A path as a URI reference; absolute paths get a scheme. */
static void put_path(hlo_buf *to, const char *path) {
    hlo_buf_char(to, '"');
    if (path[0] == '/') hlo_buf_lit(to, "file://");
    hlo_uri_put_path(to, hlo_str_from(path));
    hlo_buf_char(to, '"');
}

/* SARIF counts columns in characters: bytes that continue one do not count. */
static uint32_t characters_before(hlo_source *source, uint32_t offset, hlo_position at) {
    const char *line = hlo_source_line(source, offset).ptr;
    uint32_t column = 1;
    for (uint32_t i = 0; i + 1 < at.column; i++) column += (line[i] & 0xc0) != 0x80;
    return column;
}

static void put_sarif_region(hlo_buf *to, const hlo_diag *d) {
    hlo_diag_place at = hlo_diag_place_of(d);
    uint32_t end = d->span.hi > d->span.lo ? d->span.hi : d->span.lo;
    if (end > d->source->len) end = (uint32_t)d->source->len;
    hlo_buf_printf(to, ",\"region\":{\"startLine\":%u,\"startColumn\":%u", at.start.line,
                   characters_before(d->source, d->span.lo, at.start));
    if (at.end.line > at.start.line || at.end.column > at.start.column)
        hlo_buf_printf(to, ",\"endLine\":%u,\"endColumn\":%u", at.end.line,
                       characters_before(d->source, end, at.end));
    hlo_buf_char(to, '}');
}

static void put_sarif_file(hlo_buf *to, const char *file) {
    hlo_buf_lit(to, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_path(to, file);
    hlo_buf_char(to, '}');
}

/* The place by names: of the instruction, or of the computation when it is in none. */
static void put_sarif_names(hlo_buf *to, const hlo_diag *d) {
    hlo_str name = d->instruction.len ? d->instruction : d->computation;
    if (!name.len) return;
    hlo_buf full = HLO_BUF_INIT;
    hlo_buf_str(&full, d->computation);
    if (d->computation.len && d->instruction.len) hlo_buf_char(&full, '/');
    hlo_buf_str(&full, d->instruction);
    hlo_buf_lit(to, ",\"logicalLocations\":[{\"name\":");
    hlo_json_string(to, name.ptr, name.len);
    hlo_buf_lit(to, ",\"fullyQualifiedName\":");
    hlo_json_string(to, full.data, full.len);
    hlo_buf_printf(to, ",\"kind\":\"%s\"}]", d->instruction.len ? "instruction" : "computation");
    hlo_buf_free(&full);
}

/* The members of a location: of a finding that knows its file. */
static void put_sarif_place(hlo_buf *to, const hlo_diag *d) {
    hlo_buf_char(to, '{');
    put_sarif_file(to, hlo_diag_file(d));
    if (d->source) put_sarif_region(to, d);
    hlo_buf_char(to, '}');
    put_sarif_names(to, d);
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
    if (hlo_diag_file(d)) {
        hlo_buf_lit(to, ",\"locations\":[");
        put_sarif_place(to, d);
        hlo_buf_lit(to, "}]");
    }
    hlo_buf_printf(to, ",\"partialFingerprints\":{\"hloVerify/v1\":\"%016llx\"}",
                   (unsigned long long)hlo_diag_fingerprint(d));
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

static void put_sarif_rest(hlo_buf *to, const char *file, hlo_rule rule, const char *text) {
    hlo_buf_cstr(to, to->len ? ",\n" : "\n");
    hlo_buf_lit(to, "{\"level\":\"warning\",\"message\":{\"text\":");
    hlo_buf sentence = HLO_BUF_INIT;
    hlo_buf_printf(&sentence, "%s: %s", rule == HLO_RULE_COUNT ? "errors" : hlo_rule_name(rule),
                   text);
    hlo_json_string(to, sentence.data, sentence.len);
    hlo_buf_free(&sentence);
    hlo_buf_char(to, '}');
    if (file) {
        hlo_buf_lit(to, ",\"locations\":[{");
        put_sarif_file(to, file);
        hlo_buf_lit(to, "}}]");
    }
    hlo_buf_char(to, '}');
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

/* The run ends with its invocation object. */
static void put_sarif_end(hlo_diag_writer *w) {
    hlo_buf_printf(w->to,
                   "\n],\"invocations\":[{\"executionSuccessful\":%s,"
                   "\"toolExecutionNotifications\":[",
                   w->lacks ? "false" : "true");
    hlo_buf_bytes(w->to, w->cut.data, w->cut.len);
    hlo_buf_lit(w->to, "]}]}]}\n");
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

static const char in_text[] = "%\r\n", in_property[] = "%\r\n:,";

static void put_github_rest(hlo_buf *to, const char *file, hlo_rule rule, const char *text) {
    hlo_buf_lit(to, "::notice ");
    if (file) {
        hlo_buf_lit(to, "file=");
        put_escaped(to, file, in_property);
        hlo_buf_char(to, ',');
    }
    hlo_buf_printf(to, "title=%s::", rule == HLO_RULE_COUNT ? "errors" : hlo_rule_name(rule));
    put_escaped(to, text, in_text);
    hlo_buf_char(to, '\n');
}

static void put_github(hlo_buf *to, const hlo_diag *d) {
    hlo_buf_printf(to, "::%s ", d->severity == HLO_WARNING ? "warning" : "error");
    if (hlo_diag_file(d)) {
        hlo_buf_lit(to, "file=");
        put_escaped(to, hlo_diag_file(d), in_property);
        if (!d->source) hlo_buf_char(to, ',');
    }
    if (d->source) {
        hlo_diag_place at = hlo_diag_place_of(d);
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
    *writer = (hlo_diag_writer){.to = to, .format = format, .cut = HLO_BUF_INIT};
    hlo_buf_reserve(&writer->cut, 1); /* from the start: a later call only makes it larger */
    if (format == HLO_REPORT_SARIF) put_sarif_head(to);
}

static void put_one(hlo_diag_writer *writer, const hlo_diag *d) {
    switch (writer->format) {
    case HLO_REPORT_JSON: put_json_line(writer->to, d); break;
    case HLO_REPORT_GITHUB: put_github(writer->to, d); break;
    case HLO_REPORT_SARIF:
        hlo_buf_cstr(writer->to, writer->written ? ",\n" : "\n");
        put_sarif_result(writer->to, d);
        break;
    }
    writer->lacks |= d->rule == HLO_RULE_SYSTEM;
    writer->written++;
}

typedef struct {
    hlo_diag_writer *writer;
    const char *file; /* of the newest finding */
} rest_context;

static void put_rest(void *context, hlo_rule rule, const char *text) {
    const rest_context *c = context;
    switch (c->writer->format) {
    case HLO_REPORT_JSON: put_json_rest(c->writer->to, c->file, rule, text); break;
    case HLO_REPORT_GITHUB: put_github_rest(c->writer->to, c->file, rule, text); break;
    case HLO_REPORT_SARIF: put_sarif_rest(&c->writer->cut, c->file, rule, text); break;
    }
}

void hlo_diag_writer_add(hlo_diag_writer *writer, const hlo_diags *diags) {
    size_t n;
    const hlo_diag **sorted = hlo_diags_sorted(diags, &n);
    for (size_t i = 0; i < n; i++) put_one(writer, sorted[i]);
    rest_context rest = {writer, n ? hlo_diag_file(sorted[n - 1]) : diags->file};
    hlo_diags_rest(diags, put_rest, &rest);
    hlo_free(sorted);
}

void hlo_diag_writer_end(hlo_diag_writer *writer) {
    if (writer->format == HLO_REPORT_SARIF) put_sarif_end(writer);
}

void hlo_diag_writer_free(hlo_diag_writer *writer) {
    hlo_buf_free(&writer->cut);
}
