/* Whole statements and heads of computations as the printer writes them, and what the grammar does
 * with them. Dumps consist of these: read as one token each, sixteen bytes at a time (bytes.h) and
 * without a step of the grammar for each word, they save 27 to 41 % of the instructions that
 * reading takes by the rules of grammar/hlo.re. unit/fast_parse_test.c and unit/mutate.c in tests
 * hold them to those rules. */
#include "hlo_grammar.h"
#include "parse/attribute_values.h"
#include "parse/bytes.h"
#include "parse/fast.h"

static const char *line_start(const char *at) {
    while (*at == ' ' || *at == '\n') at++;
    return at;
}

/* The end of the name whose '%' stands at `at`, else NULL. */
static const char *name_end(const char *at) {
    if (*at != '%' || at[1] < 'A') return NULL; /* letters and '_' stand after digits, '-', '.' */
    const char *end = hlo_word_end(at + 1);
    return end > at + 1 ? end : NULL;
}

/* ---- statements ---- */

/* The shape before a blank that nothing of a layout follows. */
static const char *shape_end(hlo_parser *p, const char *at, const hlo_shape **out) {
    if (*at == '(') return hlo_recall_shape(p, at, out);
    const char *end = hlo_blank_from(at);
    return hlo_recall_shape_text(p, at, end, out) ? end : NULL;
}

/* `ROOT %name = SHAPE opcode(` into p->fast.statement; returns the parenthesis, or NULL. */
static const char *read_head(hlo_parser *p, const char *from) {
    hlo_statement *s = &p->fast.statement;
    s->is_root = memcmp(from, "ROOT %", 6) == 0;
    const char *name = from + (s->is_root ? 5 : 0), *end = name_end(name);
    if (!end || memcmp(end, " = ", 3) != 0) return NULL;
    hlo_str text = {name + 1, (uint32_t)(end - name - 1), 0};
    uint32_t hash = hlo_name_hash(text.ptr, text.len);
    hlo_module_prefetch_name(p->module, hash);
    const char *shape = end + 3, *blank = shape_end(p, shape, &s->shape);
    if (!blank || *blank != ' ') return NULL;
    const char *opcode = blank + 1, *open = hlo_word_end(opcode);
    if (*open != '(' || open == opcode) return NULL;
    s->opcode = hlo_scan_opcode(opcode, (size_t)(open - opcode));
    if (s->opcode < 0) return NULL;
    s->name = hlo_module_intern_hashed(p->module, text, hash);
    s->at = hlo_span_of(p, name, end);
    s->root_at = hlo_span_of(p, from, from + 4);
    s->shape_at = hlo_span_of(p, shape, blank);
    s->opcode_at = hlo_span_of(p, opcode, open + 1);
    return open;
}

/* What stands in the parentheses; returns the closing one, or NULL. */
static const char *read_parentheses(hlo_parser *p, const char *at) {
    hlo_statement *s = &p->fast.statement;
    p->fast.operands.n = 0;
    if (s->opcode == HLO_OP_PARAMETER) return hlo_fast_number(at, &s->u.number);
    if (s->opcode == HLO_OP_CONSTANT) return hlo_fast_scalar(p, at, s->shape, &s->u.literal);
    return hlo_fast_operands(p, at);
}

int hlo_fast_line(hlo_parser *p, hlo_span *at) {
    HLO_ASSERT(p->scan.cursor >= p->scan.begin && p->scan.cursor <= p->scan.limit);
    hlo_statement *s = &p->fast.statement;
    const char *from = line_start(p->scan.cursor), *open = read_head(p, from);
    if (!open) return 0;
    *at = hlo_span_of(p, from, open + 1);
    p->scan.cursor = open + 1;
    const char *close = read_parentheses(p, open + 1);
    if (!close) return T_STATEMENT;
    s->closed_at = hlo_span_of(p, s->opcode == HLO_OP_PARAMETER ? open + 1 : close, close + 1);
    p->scan.last_piece = s->closed_at;
    hlo_resolve_operands(p);
    p->fast.attrs.n = 0;
    p->scan.cursor = close + 1;
    for (const char *end = p->scan.cursor; end && end[0] == ',' && end[1] == ' ';) {
        end = hlo_fast_attribute(p, end + 2);
        if (end) p->scan.cursor = end;
    }
    return T_LINE;
}

static void begin_line(hlo_parser *p, const hlo_span *root_at) {
    const hlo_statement *s = &p->fast.statement;
    hlo_begin_statement(p, root_at);
    hlo_current(p)->closed_at = s->closed_at;
    if (s->opcode == HLO_OP_PARAMETER) hlo_set_parameter_number(p, s->u.number, s->closed_at);
    else if (s->opcode == HLO_OP_CONSTANT)
        hlo_set_literal(p, s->u.literal, (hlo_span){s->opcode_at.hi, s->closed_at.lo});
    else hlo_add_named_operands(p);
    hlo_give_line(p);
}

/* The grammar needs to see the last of many usual lines only: what it would do between them is done
 * here. The tokens of a line are read before the line above is ended, as with one of look-ahead. */
void hlo_begin_lines(hlo_parser *p, const hlo_span *root_at) {
    hlo_span at;
    begin_line(p, root_at);
    for (;;) {
        const char *cursor = p->scan.cursor;
        if (*cursor != '\n' || cursor[1] == '}') return;
        hlo_span piece = p->scan.last_piece;
        if (hlo_fast_line(p, &at) != T_LINE) {
            p->scan.cursor = cursor;
            p->scan.last_piece = piece;
            return;
        }
        hlo_scan_after_line(p);
        p->scan.token_before = p->scan.token_at;
        p->scan.token_at = p->scan.last_piece;
        hlo_end_instruction(p, at);
        begin_line(p, NULL);
    }
}

/* ---- heads of computations ---- */

/* `(a: SHAPE, b: SHAPE)`; the names are ignored. Returns what stands after it, or NULL. */
static const char *signature_end(hlo_parser *p, const char *at) {
    const hlo_shape *shape;
    if (*at++ != '(') return NULL;
    if (*at == ')') return at + 1;
    for (;; at += 2) {
        const char *end = hlo_word_end(at);
        if (*at < 'A' || end[0] != ':' || end[1] != ' ') return NULL;
        if (!(at = hlo_recall_shape(p, end + 2, &shape))) return NULL;
        if (*at == ')') return at + 1;
        if (at[0] != ',' || at[1] != ' ') return NULL;
    }
}

bool hlo_fast_head(hlo_parser *p, hlo_span *at) {
    HLO_ASSERT(p->scan.cursor >= p->scan.begin && p->scan.cursor <= p->scan.limit);
    hlo_computation_head *head = &p->fast.head;
    const char *from = line_start(p->scan.cursor);
    head->is_entry = memcmp(from, "ENTRY %", 7) == 0;
    const char *name = from + (head->is_entry ? 6 : 0), *end = name_end(name);
    if (!end || *end != ' ') return false;
    const char *result = signature_end(p, end + 1);
    if (!result || memcmp(result, " -> ", 4) != 0) return false;
    result += 4;
    const char *brace = shape_end(p, result, &head->result);
    if (!brace || (memcmp(brace, " {\n  %", 6) != 0 && memcmp(brace, " {\n  ROOT %", 11) != 0))
        return false; /* a brace before a number or a colon begins a layout */
    hlo_str text = {name + 1, (uint32_t)(end - name - 1), 0};
    head->name = hlo_module_intern(p->module, text);
    head->at = hlo_span_of(p, name, end);
    head->entry_at = hlo_span_of(p, from, from + 5);
    head->result_at = hlo_span_of(p, result, brace);
    p->scan.last_piece = hlo_span_of(p, brace + 1, brace + 2);
    p->scan.cursor = brace + 2;
    *at = head->is_entry ? head->entry_at : head->at;
    return true;
}

void hlo_begin_fast_computation(hlo_parser *p) {
    const hlo_computation_head *head = &p->fast.head;
    hlo_begin_computation(p, head->is_entry ? &head->entry_at : NULL, head->name, head->at);
    hlo_set_result(p, head->result, head->result_at);
}
