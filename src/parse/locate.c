/* A small reader of one line `NAME = SHAPE OPCODE(OPERANDS), ATTRIBUTES`. It knows brackets,
 * strings and comments, and stops at the line's end. */
#include "parse/locate.h"

#include <ctype.h>

/* A line from the instruction's name on: [at, end). */
typedef struct {
    const char *text; /* of the source */
    uint32_t at, end;
} line_reader;

static bool start_line(line_reader *r, const hlo_source *source, hlo_span name) {
    if (!source || name.hi <= name.lo || name.hi > source->len) return false;
    const char *newline = memchr(source->text + name.hi, '\n', source->len - name.hi);
    *r = (line_reader){source->text, name.hi,
                       newline ? (uint32_t)(newline - source->text) : (uint32_t)source->len};
    return true;
}

static bool is_at(const line_reader *r, char c) {
    return r->at < r->end && r->text[r->at] == c;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* After blanks and comments. */
static void skip_blanks(line_reader *r) {
    for (;;) {
        while (r->at < r->end && isspace((unsigned char)r->text[r->at])) r->at++;
        if (r->end - r->at < 2 || memcmp(r->text + r->at, "/*", 2) != 0) return;
        const char *close = memmem(r->text + r->at + 2, r->end - r->at - 2, "*/", 2);
        r->at = close ? (uint32_t)(close - r->text) + 2 : r->end;
    }
}

static void skip_word(line_reader *r) {
    while (r->at < r->end && is_word(r->text[r->at])) r->at++;
}

static void skip_string(line_reader *r) {
    for (r->at++; r->at < r->end && r->text[r->at] != '"'; r->at++)
        if (r->text[r->at] == '\\') r->at++;
    r->at = r->at < r->end ? r->at + 1 : r->end;
}

/* To the next comma or closing bracket outside of brackets, or the line's end. */
static void skip_item(line_reader *r) {
    uint32_t depth = 0;
    while (r->at < r->end) {
        char c = r->text[r->at];
        if (c == '"') {
            skip_string(r);
            continue;
        }
        if (c == '/' && r->at + 1 < r->end && r->text[r->at + 1] == '*') {
            skip_blanks(r);
            continue;
        }
        bool closes = c == ')' || c == '}' || c == ']';
        if (depth == 0 && (closes || c == ',')) return;
        depth += c == '(' || c == '{' || c == '[';
        depth -= closes;
        r->at++;
    }
}

/* A bracket and what it holds. */
static void skip_brackets(line_reader *r) {
    for (r->at++; r->at < r->end; r->at++) {
        skip_item(r);
        if (!is_at(r, ',')) break;
    }
    if (r->at < r->end) r->at++;
}

static hlo_span trimmed(const line_reader *r, uint32_t from, hlo_span otherwise) {
    uint32_t to = r->at;
    while (to > from && isspace((unsigned char)r->text[to - 1])) to--;
    return to > from ? (hlo_span){from, to} : otherwise;
}

/* Goes to the opcode; *shape is what stands before it, 0,0 for nothing. */
static bool find_opcode(line_reader *r, hlo_span *shape) {
    *shape = (hlo_span){0, 0};
    skip_blanks(r);
    if (!is_at(r, '=')) return false;
    r->at++;
    skip_blanks(r);
    uint32_t from = r->at;
    if (is_at(r, '(')) {
        skip_brackets(r);
    } else {
        skip_word(r);
        bool buffer = r->at == from + 1 && r->text[from] == 'b' && is_at(r, '(');
        if (!is_at(r, '[') && !buffer) {
            r->at = from;
            return r->at < r->end;
        }
        skip_brackets(r);
        if (is_at(r, '{')) skip_brackets(r);
    }
    *shape = (hlo_span){from, r->at};
    skip_blanks(r);
    return r->at < r->end;
}

static hlo_span locate_shape(const hlo_source *source, hlo_span name) {
    line_reader r;
    hlo_span shape;
    if (!start_line(&r, source, name)) return name;
    find_opcode(&r, &shape);
    return shape.hi ? shape : name;
}

static hlo_span locate_operand(const hlo_source *source, hlo_span name, uint32_t operand) {
    line_reader r;
    hlo_span shape;
    if (!start_line(&r, source, name) || !find_opcode(&r, &shape)) return name;
    skip_word(&r);
    if (!is_at(&r, '(')) return name;
    for (uint32_t i = 0;; i++) {
        r.at++;
        skip_blanks(&r);
        uint32_t from = r.at;
        skip_item(&r);
        if (i == operand) return r.at < r.end ? trimmed(&r, from, name) : name;
        if (!is_at(&r, ',')) return name;
    }
}

/* NAME=VALUE from its name on, to the line's end at most. */
static hlo_span whole_attr(const hlo_source *source, const hlo_attr *attr) {
    line_reader r;
    uint32_t length = (uint32_t)strlen(hlo_attr_table[attr->id].text);
    if (!start_line(&r, source, (hlo_span){attr->at, attr->at + length})) return (hlo_span){0, 0};
    skip_item(&r);
    return trimmed(&r, attr->at, (hlo_span){0, 0});
}

static hlo_span locate_header(const hlo_source *source, const hlo_attr *attr) {
    return whole_attr(source, attr);
}

static hlo_span locate_attr(const hlo_source *source, hlo_span name, const hlo_attr *attr) {
    line_reader r;
    if (!start_line(&r, source, name)) return name;
    if (attr->at < name.hi || attr->at >= r.end) return name;
    hlo_span found = whole_attr(source, attr);
    return found.hi ? found : name;
}

const hlo_locator hlo_text_locator = {locate_operand, locate_shape, locate_attr, locate_header};
