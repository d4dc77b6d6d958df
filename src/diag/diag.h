/* Diagnostics as values: a list that library functions append to and programs print. The library
 * itself never prints. */
#ifndef HLO_DIAG_DIAG_H
#define HLO_DIAG_DIAG_H

#include <stdio.h>

#include <hlo/diags.h>

#include "base/arena.h"
#include "base/nearest.h"
#include "base/source.h"
#include "base/unwind.h"

typedef enum {
#define HLO_RULE(id, name, stage, text) HLO_RULE_##id,
#include "diag/rules.def"
#undef HLO_RULE
    HLO_RULE_COUNT
} hlo_rule;

/* What a hint can advise, where that is named differently by different users of the library. */
typedef enum {
#define HLO_ADVICE(id, ...) HLO_ADVICE_##id,
#include "diag/advice.def"
#undef HLO_ADVICE
    HLO_ADVICE_COUNT
} hlo_advice;

typedef enum {
    HLO_STAGE_LEX,
    HLO_STAGE_PARSE,
    HLO_STAGE_SHAPE,
    HLO_STAGE_VERIFY,
    HLO_STAGE_LINT,
    HLO_STAGE_RUN,
    HLO_STAGE_SYSTEM,
    HLO_STAGE_USE
} hlo_stage;

struct hlo_diag {
    struct hlo_diag *next;  /* the next diagnostic; for notes, the next note of the same */
    struct hlo_diag *notes; /* in order */
    hlo_severity severity;
    hlo_rule rule;
    hlo_source *source; /* retained; NULL: no place in a text */
    hlo_span span;
    const char *file;                 /* what it is about when no source is known; or NULL */
    hlo_str computation, instruction; /* in which it is; empty: not known, or in none */
    bool is_aside;                    /* a note of one line, without the source line */
    const char *message;              /* a sentence without capital and full stop */
    const char *hint;                 /* one line of advice, or NULL */
};

typedef struct hlo_diags {
    hlo_arena arena;
    hlo_diag *first, **tail;
    hlo_diag *last;
    uint32_t errors, warnings;         /* all of them */
    uint32_t lint_errors;              /* errors of lint rules: they fill nothing */
    uint32_t findings[HLO_RULE_COUNT]; /* of each lint rule; warnings of each other rule */
    uint32_t max_errors;               /* what comes later is counted, not kept; 0 means 20 */
    bool is_cut;                       /* the list was full, and what was left was not looked at */
    uint32_t *counts;                  /* by rule, of all severities; NULL: nothing found */
    hlo_status status;                 /* of the newest error, kept or not; HLO_OK before it */
    const char *program;               /* named where a message names no file, or NULL */
    const char *file;                  /* what findings are about from now on; or NULL */
    hlo_hint_text *hints;              /* the user's own words for advice, or NULL */
    void *hints_context;
    hlo_cleanup cleanup;    /* of a list within one call */
    hlo_diag out_of_memory; /* for when there is nothing to allocate it from */
    char out_of_memory_text[256];
} hlo_diags;

/* A list that is freed in the call of the public interface that made it. */
void hlo_diags_init(hlo_diags *diags);
void hlo_diags_drop(hlo_diags *diags);
/* The list outlives the call. */
void hlo_diags_keep(hlo_diags *diags);
/* Forgets all entries. */
void hlo_diags_clear(hlo_diags *diags);
/* What findings without a source are about from now on: a file, or NULL. The name is copied. */
void hlo_diags_about(hlo_diags *diags, const char *file);
/* How many errors are kept. */
uint32_t hlo_diags_capacity(const hlo_diags *diags);
/* As many errors as are kept. Warnings, and whatever a lint rule finds, have the same limit by
 * rule, so that a rule that finds much hides neither errors nor other rules. */
bool hlo_diags_full(const hlo_diags *diags);

/* Append an error, warning or (to the newest entry) a note. `source` may be NULL. */
void hlo_error(hlo_diags *, hlo_rule, hlo_source *, hlo_span, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void hlo_warning(hlo_diags *, hlo_rule, hlo_source *, hlo_span, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void hlo_note(hlo_diags *, hlo_source *, hlo_span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A note with a location only. */
void hlo_aside(hlo_diags *, hlo_source *, hlo_span, const char *text);
void hlo_hint(hlo_diags *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Which name was probably meant, where the search has found one. */
void hlo_hint_nearest(hlo_diags *, const hlo_nearest *search);
/* A hint in the terms of the caller's interface. */
void hlo_advise(hlo_diags *, hlo_advice advice);
const char *hlo_advice_topic(hlo_advice advice);
const char *hlo_advice_of_programs(hlo_advice advice);
const char *hlo_advice_text(const hlo_diags *diags, hlo_advice advice); /* NULL: hlo.h's words */

/* Sets the computation and instruction of a finding of the list, which may be NULL: one that is not
 * kept. Empty names: in none. */
void hlo_diags_place(hlo_diags *, hlo_diag *, hlo_str computation, hlo_str instruction);

/* Appends the error that memory ran out, without allocating, to an hlo_diags or NULL; `wanted`
 * bytes, or 0: for hlo_memory_purpose. */
void hlo_diags_add_out_of_memory(void *diags, size_t wanted);

/* At the start of a public function that can allocate:
 *
 *     HLO_API_CALL(diags) { *out = NULL; return HLO_BAD_SYSTEM; }
 *
 * The statement runs when memory has run out; the error is in `diags` then, which may be NULL. See
 * HLO_UNWIND_HERE. */
#define HLO_API_CALL(diags) HLO_UNWIND_HERE(hlo_diags_add_out_of_memory, (hlo_diags *)(diags))

/* Appends a finding of another list, with notes and hint; and all that the list has kept. */
void hlo_diags_append_one(hlo_diags *to, const hlo_diag *d);
void hlo_diags_append(hlo_diags *to, const hlo_diags *from);

/* ---- for public functions ---- */

/* An error of the caller's: what it asks for makes no sense. `diags` may be NULL. HLO_BAD_USE. */
hlo_status hlo_misuse(hlo_diags *diags, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
hlo_status hlo_missing_argument(hlo_diags *diags, const char *function, const char *argument);
/* In a public function: returns HLO_BAD_USE when `diags` or an argument that may not be NULL is. */
#define HLO_REQUIRE(diags, argument)                                                          \
    do {                                                                                      \
        if (!(diags) || !(argument)) return hlo_missing_argument(diags, __func__, #argument); \
    } while (0)
/* The start of a public function that sets *out to what it makes: NULL until then, and NULL when
 * memory runs out. */
#define HLO_API_CALL_FOR(diags, out) \
    HLO_API_CALL(diags) {            \
        if (out) *(out) = NULL;      \
        return HLO_BAD_SYSTEM;       \
    }                                \
    if (out) *(out) = NULL;          \
    HLO_REQUIRE(diags, out)
/* Copies the caller's options (NULL: none) over the defaults in `options`, which take `size` bytes:
 * those members that both know. An option struct begins with its size. */
hlo_status hlo_take_options(const void *given, void *options, size_t size, hlo_diags *diags);

/* Whose fault it is that the rule does not hold. */
hlo_status hlo_rule_status(hlo_rule rule);
const char *hlo_rule_name(hlo_rule rule);
hlo_stage hlo_rule_stage(hlo_rule rule);
const char *hlo_rule_text(hlo_rule rule);
const char *hlo_stage_name(hlo_stage stage); /* in lower case */
/* The rule of that name, or HLO_RULE_COUNT. */
hlo_rule hlo_rule_from_name(const char *name, size_t n);

/* Calls `say` for what was counted and not kept: the rule, or HLO_RULE_COUNT for errors of the
 * rules that are no lint, and a sentence. */
typedef void hlo_report_rest(void *context, hlo_rule rule, const char *text);
void hlo_diags_rest(const hlo_diags *diags, hlo_report_rest *say, void *context);

/* The lint rule whose name alone begins so, or HLO_RULE_COUNT. */
hlo_rule hlo_lint_rule_by_prefix(const char *name, size_t n);
/* Adds to the newest error which rule is near to the name, if one is, else `otherwise`. */
void hlo_hint_at_rule(hlo_diags *diags, const char *name, size_t n, hlo_advice otherwise);

/* The kept diagnostics in order of position; free the list with hlo_free. */
const hlo_diag **hlo_diags_sorted(const hlo_diags *diags, size_t *count);

/* file:line:col: error: message [rule], the source line, a caret and tildes, notes, hint; in order
 * of position. `colour` adds terminal escapes. */
void hlo_diags_render(hlo_diags *diags, FILE *to, bool colour);
/* The same; false: memory ran out, and the last line states that not all are shown. */
bool hlo_diags_render_whole(hlo_diags *diags, FILE *to, bool colour);

#endif
