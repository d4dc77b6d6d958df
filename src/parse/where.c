/* A reader that parses just enough to separate computations and instructions in a text with errors:
 * brackets, strings, comments, and words before an equals sign. */
#include "parse/where.h"

#include "parse/bytes.h"

typedef struct {
    const char *text, *at, *end;
    uint32_t depth;    /* of open brackets: 1 in a computation, more in its instructions */
    bool in_header;    /* of the module, which ends with its line */
    char before;       /* the last byte that is no blank */
    hlo_str candidate; /* the first word of a line since a computation ended: the next one's name */
    hlo_str computation, instruction;
} place_reader;

static bool is_word(char c) {
    return hlo_is_word_byte(c) || c == '%';
}

static void skip_string(place_reader *r) {
    const char *line = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *limit = line ? line + 1 : r->end, *close = hlo_quoted_end(r->at, limit);
    r->at = close ? close : limit;
}

/* False when no comment begins there. */
static bool skip_comment(place_reader *r) {
    const char *close = hlo_comment_end(r->at, r->end);
    if (close == r->at) return false;
    r->at = close ? close : r->end;
    return true;
}

/* A row of the tables of stack frames: no name begins with a digit. */
static void skip_line(place_reader *r) {
    while (r->at < r->end && *r->at != '\n') r->at++;
}

static void leave_computation(place_reader *r) {
    r->depth = 0;
    r->candidate = r->computation = r->instruction = (hlo_str){0};
}

static bool is_before_equals(const place_reader *r) {
    const char *at = hlo_after_blanks_at(r->at, r->end);
    return at < r->end && *at == '=';
}

/* `NAME =` is an instruction, unless a comma makes it an attribute. A line that begins with ENTRY
 * begins a computation, whatever is open. */
static void read_word(place_reader *r) {
    bool begins_line = r->at == r->text || r->at[-1] == '\n';
    const char *from = r->at;
    if (begins_line && r->depth == 0 && hlo_is_digit(*from)) {
        skip_line(r);
        return;
    }
    while (r->at < r->end && is_word(*r->at) && !(*r->at == '-' && r->at[1] == '>')) r->at++;
    if (r->at == from) r->at++; /* the minus of an arrow */
    if (*from == '%' && r->at - from > 1) from++;
    hlo_str word = {from, (uint32_t)(r->at - from), 0};
    char before = r->before;
    r->before = r->at[-1];
    if (r->in_header) return;
    if (begins_line && hlo_str_is(word, "ENTRY")) {
        leave_computation(r);
    } else if (r->depth == 0 && hlo_str_is(word, "HloModule")) {
        r->in_header = true;
    } else if (r->depth <= 1 && before != ',' && is_before_equals(r)) {
        r->instruction = word;
    } else if (hlo_str_is(word, "ROOT")) {
        r->instruction = (hlo_str){0};
    } else if (r->depth == 0 && (begins_line || !r->candidate.len)) {
        r->candidate = word;
    }
}

/* The brace of a layout in a signature follows a bracket at once. */
static void read_bracket(place_reader *r) {
    char c = *r->at;
    bool is_layout = c == '{' && r->at > r->text && r->at[-1] == ']';
    if (c == '{' || c == '(' || c == '[') {
        if (r->depth == 0 && c == '{' && !is_layout && !r->in_header) r->computation = r->candidate;
        r->depth++;
    } else if (r->depth) {
        r->depth--;
        bool ends = r->depth == 0 && c == '}' && r->computation.ptr && !r->in_header;
        if (ends) leave_computation(r);
    }
    r->before = c;
    r->at++;
}

static void read_one(place_reader *r) {
    char c = *r->at;
    if (is_word(c)) {
        read_word(r);
    } else if (c == '"' || c == '\'') {
        skip_string(r);
        r->before = c;
    } else if (c != '/' || !skip_comment(r)) {
        if (c == '\n' && r->depth == 0) r->in_header = false;
        if (strchr("{}()[]", c) && c) {
            read_bracket(r);
            return;
        }
        if (!hlo_is_blank(c)) r->before = c;
        r->at++;
    }
}

void hlo_name_places(hlo_source *source, hlo_diags *diags) {
    size_t n;
    const hlo_diag **sorted = hlo_diags_sorted(diags, &n);
    place_reader r = {.text = source->text, .at = source->text, .end = source->text + source->len};
    for (size_t i = 0; i < n; i++) {
        if (sorted[i]->source != source || sorted[i]->instruction.ptr) continue;
        while (r.at < r.end && r.at <= r.text + sorted[i]->span.lo) read_one(&r);
        hlo_diags_place(diags, (hlo_diag *)(uintptr_t)sorted[i], r.computation, r.instruction);
    }
    hlo_free(sorted);
}
