/* Entry to the text parser: sets up its state, runs the grammar, hands over the module. */
#include "parse/parse.h"

#include "base/text.h"
#include "hlo_grammar.h"
#include "legacy/dialect.h"
#include "parse/devices.h"
#include "parse/fast.h"
#include "parse/literal_text.h"
#include "parse/locate.h"
#include "parse/parser.h"
#include "parse/where.h"

enum { FIRST_CAPACITY = 64 }; /* of the stacks that are used by almost every text */

hlo_parser *hlo_parser_new(hlo_source *source, hlo_diags *diags) {
    hlo_parser *p = hlo_calloc(1, sizeof *p);
    p->module = hlo_module_new();
    /* Dumps hold a name per 100 to 200 bytes and take two to three bytes a byte. */
    hlo_module_reserve(p->module, source->len / 130, source->len * 2);
    p->module->source = hlo_source_retain(source);
    p->module->locator = &hlo_text_locator;
    p->arena = &p->module->arena;
    p->source = source;
    p->diags = diags;
    p->recovery.errors = diags->errors;
    p->recovery.broken = HLO_NEW(p->arena, hlo_computation);
    p->recovery.missing = HLO_NEW(p->arena, hlo_computation);
    p->made.end_at = (hlo_span){(uint32_t)source->len, (uint32_t)source->len};
    hlo_list_reserve(&p->stacks.operands, FIRST_CAPACITY);
    hlo_list_reserve(&p->stacks.attrs, FIRST_CAPACITY);
    hlo_list_reserve(&p->stacks.ints, FIRST_CAPACITY);
    hlo_list_reserve(&p->stacks.pointers, FIRST_CAPACITY);
    hlo_list_reserve(&p->stacks.axes, FIRST_CAPACITY);
    hlo_list_reserve(&p->stacks.pending, FIRST_CAPACITY);
    hlo_list_reserve(&p->stacks.fields, FIRST_CAPACITY);
    hlo_list_reserve(&p->fast.operands, FIRST_CAPACITY);
    hlo_list_reserve(&p->fast.attrs, FIRST_CAPACITY);
    hlo_scan_begin(p);
    return p;
}

void hlo_parser_free(hlo_parser *p) {
    void *stacks[] = {p->scan.outer_places.v, p->stacks.pending.v,    p->stacks.operands.v,
                      p->stacks.attrs.v,      p->stacks.ints.v,       p->stacks.pointers.v,
                      p->stacks.scopes.v,     p->stacks.shadowed.v,   p->stacks.fields.v,
                      p->stacks.aliases.v,    p->stacks.axes.v,       p->made.header.v,
                      p->frames.files.v,      p->frames.functions.v,  p->frames.locations.v,
                      p->frames.rows.v,       p->frames.framed.v,     p->fast.operands.v,
                      p->made.dot_zero.v,     p->stacks.parameters.v, p->stacks.forward.v,
                      p->fast.attrs.v};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) hlo_free(stacks[i]);
    hlo_memo_free(&p->memos.shapes);
    hlo_memo_free(&p->memos.metadata);
    hlo_memo_free(&p->memos.values);
    hlo_free(p);
}

static const char *read_literal(hlo_parser *p, hlo_diags *diags, const char *at,
                                const hlo_shape *shape, hlo_literal **out) {
    hlo_literal_reader reader = {.arena = p->arena,
                                 .source = p->source,
                                 .diags = diags,
                                 .begin = p->scan.begin,
                                 .end = p->scan.limit,
                                 .fill_words = &p->scan.fill_words,
                                 .fill_bytes = &p->scan.fill_bytes,
                                 .elided = &p->module->elided,
                                 .minus_zeros = &p->module->minus_zeros};
    return hlo_literal_read(&reader, at, shape, out);
}

const char *hlo_scan_literal(hlo_parser *p, const char *at, const hlo_shape *shape,
                             hlo_literal **out) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    return read_literal(p, p->diags, at, shape, out);
}

/* What is wrong with a number is reported when it is read again. */
const char *hlo_fast_scalar(hlo_parser *p, const char *at, const hlo_shape *shape,
                            hlo_literal **out) {
    bool number = *at == '-' || hlo_is_digit(*at);
    if (!number && *at != 't' && *at != 'f') return NULL;
    if (!hlo_shape_is_array(shape) || shape->rank) return NULL;
    hlo_diags discarded;
    hlo_diags_init(&discarded);
    const char *end = read_literal(p, &discarded, at, shape, out);
    if (discarded.errors) end = NULL;
    hlo_diags_drop(&discarded);
    return end && *end == ')' ? end : NULL;
}

/* `SHAPE LITERAL`, or `(SHAPE LITERAL, ...)` for a tuple. */
const char *hlo_scan_shaped_literal(hlo_parser *p, const char *at, hlo_literal **out,
                                    uint32_t depth) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    const hlo_shape *shape;
    if (*at != '(') {
        if (!(at = hlo_scan_shape(p, at, &shape))) return NULL;
        if ((at = hlo_skip_blanks(p, at))) at = hlo_scan_literal(p, at, shape, out);
        return at;
    }
    if (depth >= HLO_MAX_NESTING) {
        hlo_parse_error(p, HLO_RULE_NESTING, hlo_span_of(p, at, at + 1), "literals nest too deep");
        return NULL;
    }
    uint32_t base = p->stacks.pointers.n;
    at = hlo_skip_blanks(p, at + 1);
    while (at && *at != ')') {
        hlo_literal *element;
        at = hlo_scan_shaped_literal(p, at, &element, depth + 1);
        if (!at || !(at = hlo_skip_blanks(p, at))) break;
        hlo_list_push(&p->stacks.pointers, element);
        if (*at == ',') {
            at = hlo_skip_blanks(p, at + 1);
        } else if (*at != ')') {
            hlo_parse_error(p, HLO_RULE_LITERAL_SYNTAX, hlo_span_of(p, at, at + 1),
                            "expected ',' or ')' in a tuple literal");
            at = NULL;
        }
    }
    uint32_t n = p->stacks.pointers.n - base;
    if (at) {
        hlo_literal *const *elements =
            hlo_arena_copy(p->arena, p->stacks.pointers.v + base, n * sizeof *elements);
        for (uint32_t i = 0; i < n; i++) p->stacks.pointers.v[base + i] = elements[i]->shape;
        *out = HLO_NEW(p->arena, hlo_literal);
        (*out)->shape = hlo_shape_tuple(&p->module->shapes,
                                        (const hlo_shape *const *)(p->stacks.pointers.v + base), n);
        (*out)->elements = elements;
        (*out)->is_read = true;
    }
    p->stacks.pointers.n = base;
    return at ? at + 1 : NULL;
}

/* The parser is freed. */
static hlo_status run_parser(hlo_parser *p, hlo_module **out) {
    hlo_module *module = p->module;
    hlo_source *source = p->source;
    hlo_diags *diags = p->diags;
    uint32_t errors = diags->errors;
    const hlo_diag *newest = diags->last;
    int failed = hlo_yyparse(p);
    if (diags->errors != errors) {
        hlo_note_cut(p);
        hlo_hint_at_module(p);
    }
    hlo_parser_free(p);
    hlo_span nowhere = {0, 0};
    if (diags->last != newest || diags->errors != errors)
        hlo_name_places(hlo_source_written(source, &nowhere), diags);
    *out = NULL;
    if (!failed && diags->errors == errors) {
        *out = module;
        return HLO_OK;
    }
    hlo_module_free(module);
    return HLO_BAD_MODULE;
}

static hlo_status parse_today(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    return run_parser(hlo_parser_new(source, diags), out);
}

static hlo_status parse_slowly(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    hlo_parser *p = hlo_parser_new(source, diags);
    p->fast.off = true;
    return run_parser(p, out);
}

/* Errors of the translation are about what has no meaning today: then nothing else is reported. */
static hlo_status parse_translated(hlo_source *source, hlo_parse_part *parse, hlo_diags *diags,
                                   hlo_module **out) {
    uint32_t errors = diags->errors;
    hlo_source *today = hlo_dialect_translate(source, diags);
    hlo_status status = HLO_BAD_MODULE;
    if (diags->errors == errors) {
        hlo_diag **first = diags->tail;
        status = parse(today, diags, out);
        if (status == HLO_BAD_MODULE) hlo_dialect_explain(source, diags, *first);
    }
    if (today != source) hlo_source_close(today);
    return status;
}

static hlo_status parse_any(hlo_source *source, hlo_parse_part *parse, hlo_diags *diags,
                            hlo_module **out) {
    if (hlo_is_text_of_devices(source)) return hlo_parse_devices(source, parse, diags, out);
    if (source->dialect != HLO_DIALECT_XLA) return parse_translated(source, parse, diags, out);
    hlo_diag **first = diags->tail;
    hlo_status status = parse(source, diags, out);
    if (status == HLO_BAD_MODULE) hlo_dialect_explain(source, diags, *first);
    return status;
}

hlo_status hlo_parse(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, source);
    return parse_any(source, parse_today, diags, out);
}

hlo_status hlo_parse_by_rules(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    HLO_API_CALL_FOR(diags, out);
    return parse_any(source, parse_slowly, diags, out);
}
