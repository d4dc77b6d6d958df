/* Lines and attributes of a printed module: where they begin and end among the tokens. */
#include <string.h>

#include "respell/respell.h"

attribute *attributes;
line *lines;
uint32_t attribute_count, line_count;
static uint32_t attribute_capacity, line_capacity;

static uint32_t past_brackets(uint32_t at) {
    int depth = 0;
    for (; at < token_count; at++) {
        if (tokens[at].kind != PUNCTUATION) continue;
        if (strchr("{[(", *tokens[at].text)) depth++;
        if (strchr("}])", *tokens[at].text) && --depth == 0) return at + 1;
    }
    return at;
}

static bool is_mark(uint32_t at, char c) {
    return at < token_count && tokens[at].kind == PUNCTUATION && tokens[at].len == 1 &&
           *tokens[at].text == c;
}

/* `, ATTR value` until a line starts or something else follows. */
static uint32_t read_attributes(line *l, uint32_t at) {
    l->attribute_first = attribute_count;
    while (is_mark(at, ',') && at + 1 < token_count && tokens[at + 1].kind == ATTR) {
        if (attribute_count == attribute_capacity) {
            attribute_capacity = attribute_capacity ? attribute_capacity * 2 : 1024;
            attributes = grow(attributes, attribute_capacity, sizeof *attributes);
        }
        attribute *a = &attributes[attribute_count++];
        a->name = at + 1;
        for (at = a->value = at + 2; at < token_count && !is_mark(at, ',');) {
            if (tokens[at].starts_line) break;
            at = strchr("{[(", *tokens[at].text) && tokens[at].kind == PUNCTUATION
                     ? past_brackets(at)
                     : at + 1;
        }
        a->end = at;
    }
    l->attribute_count = attribute_count - l->attribute_first;
    return at;
}

static uint32_t past_shape(uint32_t at) {
    if (is_mark(at, '(')) return past_brackets(at);
    if (token_is(&tokens[at], "b") && is_mark(at + 1, '(')) return past_brackets(at + 1);
    at = past_brackets(at + 1);
    bool layout = is_mark(at, '{') && at + 1 < token_count &&
                  (tokens[at + 1].kind == NUMBER || is_mark(at + 1, ':'));
    return layout ? past_brackets(at) : at;
}

static line *add_line(uint32_t first) {
    if (line_count == line_capacity) {
        line_capacity = line_capacity ? line_capacity * 2 : 1024;
        lines = grow(lines, line_capacity, sizeof *lines);
    }
    lines[line_count] = (line){.first = first};
    return &lines[line_count++];
}

static uint32_t read_instruction(uint32_t at) {
    line *l = add_line(at);
    if (token_is(&tokens[at], "ROOT")) at++;
    if (!is_mark(at + 1, '=')) fail("a line of a computation is no instruction");
    l->shape = at + 2;
    l->opcode = past_shape(l->shape);
    l->arguments = l->opcode + 1;
    l->attributes = past_brackets(l->arguments);
    l->end = read_attributes(l, l->attributes);
    return l->end;
}

/* From a computation's name to after its brace. */
static uint32_t read_computation(uint32_t at) {
    while (at < token_count && !(is_mark(at, '{') && tokens[at + 1].starts_line)) at++;
    if (at == token_count) fail("a computation has no body");
    for (at++; at < token_count && !is_mark(at, '}');) at = read_instruction(at);
    return at + 1;
}

void read_module(void) {
    if (!token_count || !token_is(&tokens[0], "HloModule")) fail("the text is no module");
    line *header = add_line(0);
    header->is_header = true;
    header->attributes = 2;
    uint32_t at = header->end = read_attributes(header, 2);
    while (at < token_count) {
        bool starts = token_is(&tokens[at], "ENTRY") || *tokens[at].text == '%';
        at = starts ? read_computation(at) : at + 1;
    }
}
