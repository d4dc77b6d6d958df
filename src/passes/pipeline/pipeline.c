/* Reading and printing pipelines; manager.c runs them. */
#include <hlo/numbers.h>

#include "base/nearest.h"
#include "base/text.h"
#include "passes/pipeline/steps.h"

typedef hlo_step step;

/* ---- reading ---- */

typedef struct {
    hlo_pipeline *pipeline;
    hlo_source *source;
    hlo_diags *diags;
    hlo_cursor in;
} reader;

static hlo_span span_of(const reader *r, hlo_str word) {
    uint32_t lo = (uint32_t)(word.ptr - r->source->text);
    return (hlo_span){lo, lo + word.len};
}

static bool expected(reader *r, const char *what) {
    bool ends = hlo_cursor_is_done(&r->in);
    uint32_t at = (uint32_t)(r->in.at - r->source->text);
    hlo_span here = {at, at + !ends};
    if (ends)
        hlo_error(r->diags, HLO_RULE_PIPELINE, r->source, here,
                  "expected %s, but the pipeline ends", what);
    else
        hlo_error(r->diags, HLO_RULE_PIPELINE, r->source, here, "expected %s, got '%c'", what,
                  *r->in.at);
    return false;
}

static void hint_nearest(reader *r, const char *nearest) {
    if (nearest) hlo_hint(r->diags, "did you mean '%s'?", nearest);
}

static bool unknown_option(reader *r, const hlo_pass_info *pass, hlo_str word) {
    hlo_error(r->diags, HLO_RULE_PIPELINE, r->source, span_of(r, word),
              "unknown option '%.*s' of pass '%s'", (int)word.len, word.ptr, pass->name);
    hint_nearest(r, hlo_pass_nearest_option(pass, word));
    return false;
}

static void unknown_pass(reader *r, hlo_str name) {
    bool is_pipeline = hlo_named_pipeline_find(name) != NULL;
    const char *nearest = is_pipeline ? NULL : hlo_pass_nearest(name);
    hlo_error(r->diags, HLO_RULE_PIPELINE, r->source, span_of(r, name), "unknown pass '%.*s'",
              (int)name.len, name.ptr);
    hint_nearest(r, nearest);
    if (is_pipeline) hlo_advise(r->diags, HLO_ADVICE_PIPELINE);
    else if (!nearest) hlo_advise(r->diags, HLO_ADVICE_PASSES);
}

/* The text goes on after the word, or ends. */
static bool parse_bytes(hlo_str word, int64_t *value) {
    uint64_t bytes;
    bool fits;
    const char *end = hlo_read_size(word.ptr, &bytes, &fits);
    *value = (int64_t)bytes;
    return end == word.ptr + word.len && fits && *value >= 0;
}

static const char *const wanted_values[] = {
    [HLO_OPTION_BOOL] = "true or false",
    [HLO_OPTION_INT] = "an integer",
    [HLO_OPTION_BYTES] = "a size such as 500M or 16G",
    [HLO_OPTION_TYPE] = "an element type",
};

static void hint_type(reader *r, hlo_str word) {
    hlo_nearest search = hlo_nearest_to(word.ptr, word.len);
    for (int i = 0; i < HLO_TYPE_COUNT; i++)
        if (hlo_types[i].text)
            hlo_nearest_try(&search, hlo_types[i].text, strlen(hlo_types[i].text), false);
    hlo_hint_nearest(r->diags, &search);
}

static bool read_value(reader *r, const hlo_pass_option *option, int64_t *value) {
    hlo_str word = hlo_take_word(&r->in);
    bool good = false;
    if (option->kind == HLO_OPTION_INT) {
        good = hlo_int_from_text(word, value);
    } else if (option->kind == HLO_OPTION_BYTES) {
        good = parse_bytes(word, value);
    } else if (option->kind == HLO_OPTION_TYPE) {
        *value = hlo_type_from_text(word.ptr, word.len);
        good = *value != HLO_TYPE_COUNT;
    } else if (hlo_str_is(word, "true") || hlo_str_is(word, "false")) {
        *value = word.len == 4;
        good = true;
    }
    if (!good)
        hlo_error(r->diags, HLO_RULE_PIPELINE, r->source, span_of(r, word),
                  "option '%s' takes %s, got '%.*s'", option->name, wanted_values[option->kind],
                  (int)word.len, word.ptr);
    if (!good && option->kind == HLO_OPTION_TYPE) hint_type(r, word);
    return good;
}

static const char *copied(reader *r, hlo_str word) {
    char *copy = hlo_arena_alloc(&r->pipeline->arena, word.len + 1u);
    memcpy(copy, word.ptr, word.len);
    copy[word.len] = 0;
    return copy;
}

/* The content of a quoted text, after the opening quote. */
static bool take_quoted(reader *r, hlo_str *text) {
    const char *from = r->in.at;
    while (r->in.at < r->in.end && *r->in.at != '"') r->in.at++;
    *text = (hlo_str){from, (uint32_t)(r->in.at - from), 0};
    return hlo_take(&r->in, '"') || expected(r, "'\"' after the text");
}

/* Numbers with commas between them, which end where no digit follows a comma. */
static bool read_numbers(reader *r, const char **text) {
    hlo_cursor *in = &r->in;
    hlo_str list = hlo_take_word(in);
    while (in->end - in->at > 1 && *in->at == ',' && hlo_is_digit(in->at[1]))
        list.len += 1 + (in->at++, hlo_take_word(in).len);
    bool good = list.len > 0;
    for (uint32_t i = 0; i < list.len; i++) good &= strchr("0123456789,", list.ptr[i]) != NULL;
    if (good) *text = copied(r, list);
    else in->at = list.ptr;
    return good || expected(r, "numbers");
}

/* A name, with or without its %, or any text in quotes. */
static bool read_text(reader *r, const char **text) {
    hlo_str word;
    if (hlo_take(&r->in, '"')) {
        if (!take_quoted(r, &word)) return false;
    } else {
        hlo_take(&r->in, '%');
        word = hlo_take_word(&r->in);
        if (!word.len) return expected(r, "a name");
    }
    *text = copied(r, word);
    return true;
}

static const hlo_pass_option rewrite_switch = {"a rewrite", HLO_OPTION_BOOL, 1, NULL};

static bool is_of(const step *s, int id) {
    return hlo_rewrites[id].pass == hlo_pass_id_of(s->pass);
}

static bool is_fast_math(int id) {
    return hlo_rewrites[id].kind == HLO_KIND_FAST_MATH;
}

static bool is_fast_math_option(const hlo_pass_option *option) {
    return option->name && strcmp(option->name, "fast_math") == 0;
}

/* Whether the step's fast_math, or the default of that, has the rewrite on. */
static bool is_usually_on(const step *s, int id) {
    for (int i = 0; is_fast_math(id) && s->pass->options[i].name; i++)
        if (is_fast_math_option(&s->pass->options[i])) return s->values[i] != 0;
    return !is_fast_math(id);
}

/* `rewrites` switches all rewrites of the pass (on: those that usually are), the name of a rewrite
 * that one. */
static bool read_switch(reader *r, const step *s, hlo_str name, bool *good) {
    int64_t on;
    int id = hlo_pass_find_rewrite(s->pass, name);
    bool all = id == HLO_REWRITE_COUNT && hlo_str_is(name, "rewrites");
    if (id == HLO_REWRITE_COUNT && !all) return false;
    *good = (hlo_take(&r->in, '=') || expected(r, "'=' after the name of an option")) &&
            read_value(r, &rewrite_switch, &on);
    for (int k = 0; *good && k < HLO_REWRITE_COUNT; k++)
        if (k == id || (all && is_of(s, k) && (!on || is_usually_on(s, k))))
            s->enabled[k] = on != 0;
    return true;
}

static void switch_fast_math(const step *s, bool on) {
    for (int k = 0; k < HLO_REWRITE_COUNT; k++)
        if (is_of(s, k) && is_fast_math(k)) s->enabled[k] = on;
}

static bool read_option_value(reader *r, const step *s, int i) {
    const hlo_pass_option *option = &s->pass->options[i];
    if (!hlo_take(&r->in, '=')) {
        s->values[i] = 1;
        return option->kind == HLO_OPTION_BOOL || expected(r, "'=' after the name of an option");
    }
    if (option->kind == HLO_OPTION_TEXT) return read_text(r, &s->texts[i]);
    if (option->kind == HLO_OPTION_NUMBERS) return read_numbers(r, &s->texts[i]);
    return read_value(r, option, &s->values[i]);
}

static bool read_option(reader *r, const step *s) {
    hlo_str name = hlo_take_word(&r->in);
    bool good;
    if (!name.len) return expected(r, "the name of an option");
    int i = hlo_pass_find_option(s->pass, name);
    if (i < 0) {
        if (read_switch(r, s, name, &good)) return good;
        return unknown_option(r, s->pass, name);
    }
    good = read_option_value(r, s, i);
    if (good && is_fast_math_option(&s->pass->options[i])) switch_fast_math(s, s->values[i] != 0);
    return good;
}

/* After the opening brace. */
static bool read_options(reader *r, step *s) {
    if (hlo_take(&r->in, '}')) return true;
    do {
        if (!read_option(r, s)) return false;
    } while (hlo_take(&r->in, ','));
    return hlo_take(&r->in, '}') || expected(r, "',' or '}'");
}

static step *new_step(reader *r, const hlo_pass_info *pass) {
    hlo_arena *arena = &r->pipeline->arena;
    step *s = HLO_NEW(arena, step);
    s->pass = pass;
    if (!pass) return s;
    size_t n = 0;
    while (pass->options[n].name) n++;
    s->values = HLO_NEW_ARRAY(arena, int64_t, n);
    s->texts = HLO_NEW_ARRAY(arena, const char *, n);
    for (size_t i = 0; i < n; i++) {
        s->values[i] = pass->options[i].fallback;
        s->texts[i] = "";
    }
    s->enabled = HLO_NEW_ARRAY(arena, bool, HLO_REWRITE_COUNT);
    for (int k = 0; k < HLO_REWRITE_COUNT; k++) s->enabled[k] = is_of(s, k) && is_usually_on(s, k);
    return s;
}

static bool read_steps(reader *r, step **first, unsigned depth);

static step *read_step(reader *r, unsigned depth) {
    hlo_str name = hlo_take_word(&r->in);
    if (!name.len) return expected(r, "the name of a pass"), NULL;
    if (hlo_str_is(name, "fix")) {
        step *s = new_step(r, NULL);
        if (depth == HLO_MAX_FIX_DEPTH) {
            hlo_error(r->diags, HLO_RULE_PIPELINE, r->source, span_of(r, name),
                      "fix(...) nests at most %d deep", HLO_MAX_FIX_DEPTH);
            return NULL;
        }
        if (!hlo_take(&r->in, '(')) return expected(r, "'(' after fix"), NULL;
        if (!read_steps(r, &s->inner, depth + 1)) return NULL;
        return hlo_take(&r->in, ')') ? s : (expected(r, "',' or ')'"), NULL);
    }
    hlo_type type = HLO_TYPE_COUNT;
    const hlo_pass_info *pass = hlo_pass_find(name);
    if (!pass) pass = hlo_pass_find_with_type(name, &type);
    if (!pass) return unknown_pass(r, name), NULL;
    step *s = new_step(r, pass);
    if (type != HLO_TYPE_COUNT) s->values[hlo_pass_type_option(pass)] = type;
    return !hlo_take(&r->in, '{') || read_options(r, s) ? s : NULL;
}

/* Up to the end of the text or the bracket that ends a fix. */
static bool read_steps(reader *r, step **first, unsigned depth) {
    if (hlo_cursor_is_done(&r->in) || (depth && *r->in.at == ')')) return true;
    do {
        step *s = read_step(r, depth);
        if (!s) return false;
        *first = s;
        first = &s->next;
    } while (hlo_take(&r->in, ','));
    return true;
}

hlo_status hlo_pipeline_parse(const char *name, const char *text, hlo_diags *diags,
                              hlo_pipeline **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, text);
    *out = NULL;
    size_t len = strlen(text);
    if (len > UINT32_MAX / 2) {
        hlo_error(diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0}, "the pipeline is too long");
        return HLO_BAD_USE;
    }
    hlo_pipeline *pipeline = hlo_calloc(1, sizeof *pipeline);
    hlo_arena_init(&pipeline->arena);
    hlo_source *source = hlo_source_from_text(name, text, len);
    reader r = {pipeline, source, diags, {source->text, source->text + len}};
    bool good = read_steps(&r, &pipeline->first, 0);
    if (good && !hlo_cursor_is_done(&r.in)) good = expected(&r, "',' or the end of the pipeline");
    hlo_source_close(source);
    if (good) *out = pipeline;
    else hlo_pipeline_free(pipeline);
    return good ? HLO_OK : HLO_BAD_USE;
}

static bool is_named(const char *passes, const hlo_pass_info *pass) {
    for (const char *at = passes; *at; at += *at == ',') {
        uint32_t n = (uint32_t)strcspn(at, ",");
        if (hlo_pass_find((hlo_str){at, n, 0}) == pass) return true;
        at += n;
    }
    return false;
}

static void disable(step **first, const char *passes) {
    for (step **at = first; *at;) {
        step *s = *at;
        if (!s->pass) disable(&s->inner, passes);
        if (s->pass ? is_named(passes, s->pass) : !s->inner) *at = s->next;
        else at = &s->next;
    }
}

void hlo_pipeline_disable(hlo_pipeline *pipeline, const char *passes) {
    if (pipeline && passes) disable(&pipeline->first, passes);
}

void hlo_pipeline_free(hlo_pipeline *pipeline) {
    if (!pipeline) return;
    hlo_arena_free(&pipeline->arena);
    hlo_free(pipeline);
}

/* ---- printing ---- */

/* `before` is the separator before the next option: an opening brace, then commas. */
static void print_option(hlo_buf *to, char *before, const char *name) {
    hlo_buf_char(to, *before);
    hlo_buf_cstr(to, name);
    hlo_buf_char(to, '=');
    *before = ',';
}

static void print_text(const char *text, hlo_buf *to) {
    bool is_name = true;
    for (const char *c = text; *c; c++) is_name &= hlo_is_word_byte(*c);
    if (!is_name) hlo_buf_char(to, '"');
    hlo_buf_cstr(to, text);
    if (!is_name) hlo_buf_char(to, '"');
}

static void print_values(const step *s, hlo_buf *to, char *before) {
    for (int i = 0; s->pass->options[i].name; i++) {
        const hlo_pass_option *option = &s->pass->options[i];
        if (s->values[i] == option->fallback && !s->texts[i][0]) continue;
        print_option(to, before, option->name);
        if (option->kind == HLO_OPTION_TEXT) print_text(s->texts[i], to);
        else if (option->kind == HLO_OPTION_NUMBERS) hlo_buf_cstr(to, s->texts[i]);
        else if (option->kind == HLO_OPTION_TYPE) hlo_buf_cstr(to, hlo_types[s->values[i]].text);
        else if (option->kind != HLO_OPTION_BOOL) hlo_buf_int(to, s->values[i]);
        else hlo_buf_cstr(to, s->values[i] ? "true" : "false");
    }
}

/* All off but some, or those that differ from what is usual, whatever is shorter. */
static void print_switches(const step *s, hlo_buf *to, char *before) {
    int same = 0, other = 0;
    for (int k = 0; k < HLO_REWRITE_COUNT; k++)
        if (is_of(s, k)) ++*(s->enabled[k] == is_usually_on(s, k) ? &same : &other);
    bool mostly_usual = same >= other;
    if (!mostly_usual) {
        print_option(to, before, "rewrites");
        hlo_buf_lit(to, "false");
    }
    for (int k = 0; k < HLO_REWRITE_COUNT; k++) {
        if (!is_of(s, k) || s->enabled[k] == (mostly_usual && is_usually_on(s, k))) continue;
        print_option(to, before, hlo_rewrites[k].name);
        hlo_buf_cstr(to, s->enabled[k] ? "true" : "false");
    }
}

void hlo_step_print(const step *s, hlo_buf *to) {
    char before = '{';
    hlo_buf_cstr(to, s->pass->name);
    print_values(s, to, &before);
    print_switches(s, to, &before);
    if (before == ',') hlo_buf_char(to, '}');
}

/* Recursion is as deep as fix nests: HLO_MAX_FIX_DEPTH. */
static void print_steps(const step *s, hlo_buf *to) {
    for (; s; s = s->next) {
        if (s->pass) {
            hlo_step_print(s, to);
        } else {
            hlo_buf_lit(to, "fix(");
            print_steps(s->inner, to);
            hlo_buf_char(to, ')');
        }
        if (s->next) hlo_buf_char(to, ',');
    }
}

void hlo_pipeline_print(const hlo_pipeline *pipeline, hlo_buf *to) {
    print_steps(pipeline->first, to);
}

static hlo_pass_class class_of(const step *s) {
    hlo_pass_class least = HLO_CLASS_EXACT;
    for (; s; s = s->next) {
        hlo_pass_class one = s->pass ? s->pass->class : class_of(s->inner);
        if (one > least) least = one;
    }
    return least;
}

hlo_pass_class hlo_pipeline_class(const hlo_pipeline *pipeline) {
    return class_of(pipeline->first);
}

/* ---- pipelines with a name ---- */

static const hlo_named_pipeline named[] = {
#define HLO_PIPELINE(id, name, passes, about) {name, passes, about},
#include "passes/pipeline/pipelines.def"
#undef HLO_PIPELINE
};

const hlo_named_pipeline *hlo_named_pipeline_at(size_t number) {
    return number < sizeof named / sizeof *named ? &named[number] : NULL;
}

const hlo_named_pipeline *hlo_named_pipeline_find(hlo_str name) {
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (hlo_str_is(name, named[i].name)) return &named[i];
    return NULL;
}
