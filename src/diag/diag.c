/* The list of diagnostics. */
#include "diag/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/printable.h"

static const struct {
    const char *name, *text;
    hlo_stage stage;
} rules[] = {
#define HLO_RULE(id, name, stage, text) [HLO_RULE_##id] = {name, text, HLO_STAGE_##stage},
#include "diag/rules.def"
#undef HLO_RULE
};

static const struct {
    const char *topic, *text, *of_programs;
} advices[] = {
#define HLO_ADVICE(id, ...) [HLO_ADVICE_##id] = {__VA_ARGS__},
#include "diag/advice.def"
#undef HLO_ADVICE
};

hlo_status hlo_rule_status(hlo_rule rule) {
    HLO_ASSERT(rule < HLO_RULE_COUNT);
    if (rule == HLO_RULE_SYSTEM) return HLO_BAD_SYSTEM;
    return rule == HLO_RULE_INPUT || rule == HLO_RULE_USAGE ? HLO_BAD_USE : HLO_BAD_MODULE;
}

const char *hlo_rule_name(hlo_rule rule) {
    HLO_ASSERT(rule < HLO_RULE_COUNT);
    return rules[rule].name;
}

hlo_stage hlo_rule_stage(hlo_rule rule) {
    HLO_ASSERT(rule < HLO_RULE_COUNT);
    return rules[rule].stage;
}

const char *hlo_rule_text(hlo_rule rule) {
    HLO_ASSERT(rule < HLO_RULE_COUNT);
    return rules[rule].text;
}

const char *hlo_stage_name(hlo_stage stage) {
    static const char *const names[] = {
        [HLO_STAGE_LEX] = "lex", [HLO_STAGE_PARSE] = "parse",   [HLO_STAGE_SHAPE] = "shape",
        [HLO_STAGE_RUN] = "run", [HLO_STAGE_VERIFY] = "verify", [HLO_STAGE_LINT] = "lint",
        [HLO_STAGE_USE] = "use", [HLO_STAGE_SYSTEM] = "system",
    };
    HLO_ASSERT(stage < sizeof names / sizeof *names && names[stage]);
    return names[stage];
}

hlo_rule hlo_rule_from_name(const char *name, size_t n) {
    for (int i = 0; i < HLO_RULE_COUNT; i++)
        if (strlen(rules[i].name) == n && memcmp(rules[i].name, name, n) == 0) return (hlo_rule)i;
    return HLO_RULE_COUNT;
}

hlo_rule hlo_lint_rule_by_prefix(const char *name, size_t n) {
    hlo_rule found = HLO_RULE_COUNT;
    for (int i = 0; n && i < HLO_RULE_COUNT; i++) {
        if (rules[i].stage != HLO_STAGE_LINT || strncmp(rules[i].name, name, n) != 0) continue;
        if (found != HLO_RULE_COUNT) return HLO_RULE_COUNT;
        found = (hlo_rule)i;
    }
    return found;
}

void hlo_hint_at_rule(hlo_diags *diags, const char *name, size_t n, hlo_advice otherwise) {
    hlo_nearest search = hlo_nearest_to(name, n);
    for (int i = 0; i < HLO_RULE_COUNT; i++)
        hlo_nearest_try(&search, rules[i].name, strlen(rules[i].name), false);
    if (search.name) hlo_hint_nearest(diags, &search);
    else hlo_advise(diags, otherwise);
}

static void free_list(void *diags) {
    hlo_diags_drop(diags);
}

void hlo_diags_init(hlo_diags *diags) {
    *diags = (hlo_diags){.max_errors = 20};
    hlo_arena_init(&diags->arena);
    diags->tail = &diags->first;
    hlo_cleanup_add(&diags->cleanup, free_list, diags);
}

void hlo_diags_keep(hlo_diags *diags) {
    HLO_ASSERT(diags->tail);
    hlo_cleanup_remove(&diags->cleanup);
    diags->arena.is_kept = true;
}

static void release_sources(const hlo_diags *diags) {
    for (hlo_diag *d = diags->first; d; d = d->next) {
        for (hlo_diag *note = d->notes; note; note = note->next) hlo_source_release(note->source);
        hlo_source_release(d->source);
    }
}

void hlo_diags_drop(hlo_diags *diags) {
    hlo_cleanup_remove(&diags->cleanup);
    release_sources(diags);
    hlo_arena_free(&diags->arena);
    *diags = (hlo_diags){0};
    diags->tail = &diags->first;
}

void hlo_diags_clear(hlo_diags *diags) {
    hlo_cleanup cleanup = diags->cleanup;
    release_sources(diags);
    hlo_arena_free(&diags->arena);
    *diags = (hlo_diags){.max_errors = diags->max_errors,
                         .arena = diags->arena,
                         .program = diags->program,
                         .hints = diags->hints,
                         .hints_context = diags->hints_context};
    diags->tail = &diags->first;
    diags->cleanup = cleanup; /* where it is: in its ring */
}

void hlo_diags_about(hlo_diags *diags, const char *file) {
    diags->file = file ? hlo_arena_copy(&diags->arena, file, strlen(file) + 1) : NULL;
}

uint32_t hlo_diags_capacity(const hlo_diags *diags) {
    return diags->max_errors ? diags->max_errors : 20;
}

bool hlo_diags_full(const hlo_diags *diags) {
    HLO_ASSERT(diags->errors >= diags->lint_errors);
    return diags->errors - diags->lint_errors >= hlo_diags_capacity(diags);
}

/* Names, strings and paths come from untrusted files: here they become printable. */
static const char *printable(hlo_diags *diags, const char *text, size_t n) {
    hlo_buf clean = HLO_BUF_INIT;
    hlo_put_printable(&clean, text, n);
    hlo_buf_char(&clean, 0);
    const char *kept = hlo_arena_copy(&diags->arena, clean.data, clean.len);
    hlo_buf_free(&clean);
    return kept;
}

static bool is_printable(const char *text, size_t n) {
    for (size_t i = 0, length; i < n; i += length)
        if (!(length = hlo_printable(text + i, n - i))) return false;
    return true;
}

static const char *format_text(hlo_diags *diags, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0) return format;
    char *text = hlo_arena_alloc(&diags->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, args);
    return is_printable(text, (size_t)n) ? text : printable(diags, text, (size_t)n);
}

static hlo_diag *new_diag(hlo_diags *diags, hlo_severity severity, hlo_rule rule,
                          hlo_source *source, hlo_span span, const char *format, va_list args) {
    hlo_diag *d = HLO_NEW(&diags->arena, hlo_diag);
    d->severity = severity;
    d->rule = rule;
    source = hlo_source_written(source, &span);
    d->span = span;
    d->file = diags->file;
    d->message = format_text(diags, format, args);
    d->source = hlo_source_retain(source); /* last: from here on the list releases it */
    return d;
}

static void append(hlo_diags *diags, hlo_diag *d) {
    HLO_ASSERT(!*diags->tail && !d->next);
    *diags->tail = d;
    diags->tail = &d->next;
    diags->last = d;
}

/* Lint rules and warnings are counted, and kept, by rule. */
static bool is_counted_apart(hlo_severity severity, hlo_rule rule) {
    HLO_ASSERT(rule < HLO_RULE_COUNT);
    return severity != HLO_ERROR || rules[rule].stage == HLO_STAGE_LINT;
}

static bool is_kept(const hlo_diags *diags, hlo_severity severity, hlo_rule rule) {
    return is_counted_apart(severity, rule) ? diags->findings[rule] < hlo_diags_capacity(diags)
                                            : !hlo_diags_full(diags);
}

/* Counts a finding and appends it. NULL when it is not kept: its notes and hint go nowhere either.
 */
static void add(hlo_diags *diags, hlo_severity severity, hlo_rule rule, hlo_diag *d) {
    HLO_ASSERT(!d || d->rule == rule);
    bool is_error = severity == HLO_ERROR, apart = is_counted_apart(severity, rule);
    if (!diags->counts && d != &diags->out_of_memory)
        diags->counts = HLO_NEW_ARRAY(&diags->arena, uint32_t, HLO_RULE_COUNT);
    if (diags->counts) diags->counts[rule]++;
    diags->findings[rule] += apart;
    diags->errors += is_error;
    diags->lint_errors += is_error && apart;
    diags->warnings += !is_error;
    HLO_ASSERT(diags->lint_errors <= diags->errors);
    if (d) append(diags, d);
    else diags->last = NULL;
}

static void report(hlo_diags *diags, hlo_severity severity, hlo_rule rule, hlo_source *source,
                   hlo_span span, const char *format, va_list args) {
    hlo_diag *d = NULL;
    if (is_kept(diags, severity, rule))
        d = new_diag(diags, severity, rule, source, span, format, args);
    add(diags, severity, rule, d);
}

void hlo_error(hlo_diags *diags, hlo_rule rule, hlo_source *source, hlo_span span,
               const char *format, ...) {
    diags->status = hlo_rule_status(rule);
    va_list args;
    va_start(args, format);
    report(diags, HLO_ERROR, rule, source, span, format, args);
    va_end(args);
}

void hlo_warning(hlo_diags *diags, hlo_rule rule, hlo_source *source, hlo_span span,
                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(diags, HLO_WARNING, rule, source, span, format, args);
    va_end(args);
}

void hlo_diags_place(hlo_diags *diags, hlo_diag *d, hlo_str computation, hlo_str instruction) {
    hlo_str *const to[] = {&d->computation, &d->instruction};
    const hlo_str from[] = {computation, instruction};
    for (int i = 0; d && i < 2; i++)
        if (from[i].len)
            *to[i] = (hlo_str){hlo_arena_copy(&diags->arena, from[i].ptr, from[i].len), from[i].len,
                               from[i].plain};
}

static void append_note(hlo_diags *diags, hlo_diag *note) {
    HLO_ASSERT(diags->last && note->severity == HLO_NOTE && !note->next);
    hlo_diag **tail = &diags->last->notes;
    while (*tail) tail = &(*tail)->next;
    *tail = note;
}

void hlo_note(hlo_diags *diags, hlo_source *source, hlo_span span, const char *format, ...) {
    if (!diags->last) return;
    va_list args;
    va_start(args, format);
    append_note(diags, new_diag(diags, HLO_NOTE, diags->last->rule, source, span, format, args));
    va_end(args);
}

void hlo_aside(hlo_diags *diags, hlo_source *source, hlo_span span, const char *text) {
    if (!diags->last) return;
    hlo_diag *note = HLO_NEW(&diags->arena, hlo_diag);
    source = hlo_source_written(source, &span);
    *note = (hlo_diag){.severity = HLO_NOTE, .rule = diags->last->rule, .span = span};
    note->is_aside = true;
    note->message = printable(diags, text, strlen(text));
    note->source = hlo_source_retain(source);
    append_note(diags, note);
}

void hlo_hint(hlo_diags *diags, const char *format, ...) {
    if (!diags->last) return;
    va_list args;
    va_start(args, format);
    diags->last->hint = format_text(diags, format, args);
    va_end(args);
}

void hlo_hint_nearest(hlo_diags *diags, const hlo_nearest *search) {
    if (search->name)
        hlo_hint(diags, "did you mean '%.*s'?", (int)search->name_length, search->name);
}

/* ---- misuse ---- */

hlo_status hlo_misuse(hlo_diags *diags, const char *format, ...) {
    if (!diags) return HLO_BAD_USE;
    va_list args;
    va_start(args, format);
    diags->status = HLO_BAD_USE;
    report(diags, HLO_ERROR, HLO_RULE_USAGE, NULL, (hlo_span){0}, format, args);
    va_end(args);
    return HLO_BAD_USE;
}

hlo_status hlo_missing_argument(hlo_diags *diags, const char *function, const char *argument) {
    return hlo_misuse(diags, "%s: %s is NULL", function, argument);
}

hlo_status hlo_take_options(const void *given, void *options, size_t size, hlo_diags *diags) {
    HLO_ASSERT(size >= sizeof size);
    size_t known;
    if (!given) return HLO_OK;
    memcpy(&known, given, sizeof known);
    if (known < sizeof known)
        return hlo_misuse(diags, "options of %zu bytes: they start from HLO_..._INIT", known);
    memcpy(options, given, known < size ? known : size);
    memcpy(options, &size, sizeof size);
    return HLO_OK;
}

/* ---- advice ---- */

const char *hlo_advice_topic(hlo_advice advice) {
    HLO_ASSERT(advice < HLO_ADVICE_COUNT);
    return advices[advice].topic;
}

const char *hlo_advice_of_programs(hlo_advice advice) {
    return advices[advice].of_programs;
}

const char *hlo_advice_text(const hlo_diags *diags, hlo_advice advice) {
    HLO_ASSERT(advice < HLO_ADVICE_COUNT);
    const char *own = NULL;
    if (diags && diags->hints) {
        hlo_unwind_state suspended = hlo_unwind_suspend();
        own = diags->hints(diags->hints_context, advices[advice].topic);
        hlo_unwind_resume(suspended);
    }
    return own ? own : advices[advice].text;
}

void hlo_advise(hlo_diags *diags, hlo_advice advice) {
    hlo_hint(diags, "%s", hlo_advice_text(diags, advice));
}

void hlo_diags_append_one(hlo_diags *to, const hlo_diag *d) {
    if (d->severity == HLO_ERROR) hlo_error(to, d->rule, d->source, d->span, "%s", d->message);
    else hlo_warning(to, d->rule, d->source, d->span, "%s", d->message);
    if (!to->last) return;
    hlo_diags_place(to, to->last, d->computation, d->instruction);
    if (d->file && !to->last->file)
        to->last->file = hlo_arena_copy(&to->arena, d->file, strlen(d->file) + 1);
    for (const hlo_diag *note = d->notes; note; note = note->next) {
        if (note->is_aside) hlo_aside(to, note->source, note->span, note->message);
        else hlo_note(to, note->source, note->span, "%s", note->message);
    }
    if (d->hint) hlo_hint(to, "%s", d->hint);
}

void hlo_diags_append(hlo_diags *to, const hlo_diags *from) {
    for (const hlo_diag *d = from->first; d; d = d->next) hlo_diags_append_one(to, d);
    to->is_cut |= from->is_cut;
}

void hlo_diags_add_out_of_memory(void *to, size_t wanted) {
    hlo_diags *diags = to;
    if (!diags) return;
    diags->status = HLO_BAD_SYSTEM;
    hlo_diag *d = &diags->out_of_memory;
    bool is_there = d->message != NULL;
    char *text = diags->out_of_memory_text;
    size_t size = sizeof diags->out_of_memory_text;
    if (wanted) snprintf(text, size, "out of memory: cannot allocate %zu bytes", wanted);
    else snprintf(text, size, "out of memory for %s", hlo_memory_purpose());
    if (is_there) {
        diags->errors++;
        return;
    }
    *d = (hlo_diag){.severity = HLO_ERROR, .rule = HLO_RULE_SYSTEM, .message = text};
    d->file = diags->file;
    add(diags, HLO_ERROR, HLO_RULE_SYSTEM, d);
}

typedef struct {
    const hlo_diag *diag;
    size_t order;
} sorted_diag;

static int by_position(const void *a, const void *b) {
    const sorted_diag *x = a, *y = b;
    if (x->diag->source == y->diag->source && x->diag->span.lo != y->diag->span.lo)
        return x->diag->span.lo < y->diag->span.lo ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

const hlo_diag **hlo_diags_sorted(const hlo_diags *diags, size_t *count) {
    size_t n = 0;
    for (const hlo_diag *d = diags->first; d; d = d->next) n++;
    *count = n;
    if (n == 0) return NULL;
    sorted_diag *sorted = hlo_malloc(n * sizeof *sorted);
    const hlo_diag **list = hlo_malloc(n * sizeof *list);
    n = 0;
    for (const hlo_diag *d = diags->first; d; d = d->next, n++) sorted[n] = (sorted_diag){d, n};
    qsort(sorted, n, sizeof *sorted, by_position);
    HLO_ASSERT(n == *count);
    for (size_t i = 0; i < n; i++) list[i] = sorted[i].diag;
    hlo_free(sorted);
    return list;
}

static void say_more(uint32_t found, uint32_t kept, hlo_rule rule, bool is_cut, const char *limit,
                     hlo_report_rest *say, void *context) {
    HLO_ASSERT(rule <= HLO_RULE_COUNT);
    char text[256];
    uint32_t more = found - kept;
    if (found <= kept) return;
    snprintf(text, sizeof text, "%s%u more %s not shown (%s)", is_cut ? "at least " : "", more,
             more == 1 ? "is" : "are", limit);
    say(context, rule, text);
}

void hlo_diags_rest(const hlo_diags *diags, hlo_report_rest *say, void *context) {
    uint32_t kept = hlo_diags_capacity(diags), errors = diags->errors - diags->lint_errors;
    const char *limit = hlo_advice_text(diags, HLO_ADVICE_MAX_ERRORS);
    /* The parser has stopped and does not know what it would have found. */
    if (diags->is_cut && errors <= kept) {
        char text[256];
        snprintf(text, sizeof text, "there may be more than %u (%s)", errors, limit);
        say(context, HLO_RULE_COUNT, text);
    }
    say_more(errors, kept, HLO_RULE_COUNT, diags->is_cut, limit, say, context);
    for (int i = 0; i < HLO_RULE_COUNT; i++)
        say_more(diags->findings[i], kept, (hlo_rule)i, false, limit, say, context);
}
