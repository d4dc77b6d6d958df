/* A small reader of one line `NAME = SHAPE OPCODE(OPERANDS), ATTRIBUTES`. It knows brackets,
 * strings and comments, and stops at the line's end. */
#include "parse/locate.h"

#include "base/text.h"

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

/* After blanks and comments. */
static void skip_blanks(line_reader *r) {
    const char *after = hlo_after_comments(r->text + r->at, r->text + r->end);
    r->at = after ? (uint32_t)(after - r->text) : r->end;
}

static void skip_word(line_reader *r) {
    while (r->at < r->end && hlo_is_word_byte(r->text[r->at])) r->at++;
}

static void skip_string(line_reader *r) {
    const char *after = hlo_quoted_end(r->text + r->at, r->text + r->end);
    r->at = after ? (uint32_t)(after - r->text) : r->end;
}

/* To the next comma or closing bracket outside of brackets, or the line's end. Returns where the
 * item ends, without the blanks and comments after it. */
static uint32_t skip_item(line_reader *r) {
    uint32_t depth = 0, item_end = r->at;
    for (skip_blanks(r); r->at < r->end; skip_blanks(r)) {
        char c = r->text[r->at];
        bool closes = c == ')' || c == '}' || c == ']';
        if (depth == 0 && (closes || c == ',')) break;
        depth += c == '(' || c == '{' || c == '[';
        depth -= closes;
        if (c == '"' || c == '\'') skip_string(r);
        else r->at++;
        item_end = r->at;
    }
    return item_end;
}

/* A bracket and what it holds. */
static void skip_brackets(line_reader *r) {
    for (r->at++; r->at < r->end; r->at++) {
        skip_item(r);
        if (!is_at(r, ',')) break;
    }
    if (r->at < r->end) r->at++;
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
        uint32_t from = r.at, to = skip_item(&r);
        if (i == operand) return r.at < r.end && to > from ? (hlo_span){from, to} : name;
        if (!is_at(&r, ',')) return name;
    }
}

/* NAME=VALUE from its name on, to the line's end at most. */
static hlo_span whole_attr(const hlo_source *source, const hlo_attr *attr) {
    line_reader r;
    uint32_t length = (uint32_t)strlen(hlo_attr_table[attr->id].text);
    if (!start_line(&r, source, (hlo_span){attr->at, attr->at + length})) return (hlo_span){0, 0};
    return (hlo_span){attr->at, skip_item(&r)};
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
