/* What functions report: a status, and diagnostics with their places. Part of hlo.h. */
#ifndef HLO_PUBLIC_DIAGS_H
#define HLO_PUBLIC_DIAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define HLO_API __attribute__((visibility("default")))
#else
#define HLO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a function reports; the numbers are the exit statuses of the programs. */
typedef enum {
    HLO_OK = 0,
    HLO_BAD_MODULE = 1, /* the module breaks a rule, or what was asked of it failed */
    HLO_BAD_USE = 2,    /* the arguments make no sense */
    HLO_BAD_SYSTEM = 3, /* a file cannot be read or written, memory is missing */
} hlo_status;

/* A choice in a struct of options. */
typedef enum { HLO_BY_STYLE, HLO_ON, HLO_OFF } hlo_switch;

typedef struct hlo_output hlo_output; /* output.h: where output goes */

/* A list of errors, warnings and notes with their places. */
typedef struct hlo_diags hlo_diags;

/* `max_errors` are kept; the parser stops there, others go on and only count. As many warnings, or
 * findings of a lint rule, are kept of each rule. 0 means 20. */
HLO_API hlo_diags *hlo_diags_create(uint32_t max_errors);
HLO_API void hlo_diags_free(hlo_diags *diags);
/* Hints that name something to set or to call do it in the words of this header. A program whose
 * users know it by another name has a separate text for such a topic (hlo_advice_row lists them);
 * NULL: the library's. The text is copied; both must stay as long as the list is used. */
typedef const char *hlo_hint_text(void *context, const char *topic);
HLO_API void hlo_diags_set_hints(hlo_diags *diags, hlo_hint_text *text, void *context);
/* `name: ` then begins messages that name no file but standard input, or none; NULL: nothing does.
 * The text is not copied. */
HLO_API void hlo_diags_set_program(hlo_diags *diags, const char *name);
HLO_API uint32_t hlo_diags_error_count(const hlo_diags *diags);
HLO_API uint32_t hlo_diags_warning_count(const hlo_diags *diags);
/* Errors and warnings of one rule, by its number in hlo_rule_row, kept or not. */
HLO_API uint32_t hlo_diags_rule_count(const hlo_diags *diags, size_t rule);
/* What is found from now on is about this file, or NULL. Findings in a text name the text all the
 * same; those without, like findings in a binary message, name the file. The name is copied. */
HLO_API void hlo_diags_set_file(hlo_diags *diags, const char *file);
/* Writes them in order of position, each as `FILE:LINE:COLUMN: error: MESSAGE [RULE]`, the source
 * line and a caret, notes and a hint. `colour` adds terminal escapes. Without memory a line states
 * that not all are shown. */
HLO_API void hlo_diags_render(hlo_diags *diags, FILE *to, bool colour);
/* The same to an output, which may be in memory. */
HLO_API hlo_status hlo_diags_write(hlo_diags *diags, bool colour, hlo_output *output);

/* ---- as data ---- */

typedef enum { HLO_NOTE, HLO_WARNING, HLO_ERROR } hlo_severity;

/* An error, a warning or a note of a list, which owns it and its texts: they hold until something
 * is added to the list, or it is freed. */
typedef struct hlo_diag hlo_diag;

typedef struct {
    hlo_severity severity;
    const char *rule, *stage; /* as hlo_rule_row has them; NULL for a note */
    const char *message;      /* without capital and full stop; may hold any bytes but zero */
    const char *hint;         /* one line of advice, or NULL */
    const char *file;         /* what it is about, or NULL */
    /* From 1, in bytes; the end is one past the last. All are 0 without a place in a text. */
    uint32_t line, column, end_line, end_column;
    /* Names in which it is, without a zero at the end; lengths are 0 where none is known. */
    const char *computation, *instruction;
    size_t computation_length, instruction_length;
} hlo_diag_info;

/* Those that are kept, in the order in which they were found; NULL: no more. */
HLO_API const hlo_diag *hlo_diags_first(const hlo_diags *diags);
HLO_API const hlo_diag *hlo_diag_next(const hlo_diag *diag);
/* The first note of an error or a warning; hlo_diag_next gives the others. */
HLO_API const hlo_diag *hlo_diag_notes(const hlo_diag *diag);
/* False, and nothing is known, without a diagnostic. */
HLO_API bool hlo_diag_describe(const hlo_diag *diag, hlo_diag_info *info);

/* ---- texts ---- */

/* Copies a text as messages show names and strings: control characters, marks of direction and what
 * is no UTF-8 become \n, \t, \r or \xHH, so that it stays in its line, and so does the first byte
 * of what CI services take for a command (`::` in front, `##[`). Writes as much as fits into
 * `capacity` bytes with the zero after it, and returns the length of the whole. */
HLO_API size_t hlo_escape(const char *text, char *out, size_t capacity);
/* Of `count` names (NULL: skipped) the one that `text` probably misspells, or NULL. */
HLO_API const char *hlo_nearest_name(const char *text, const char *const *names, size_t count);

/* Formats for other programs: a JSON object per line; one SARIF 2.1.0 document with all rules; the
 * commands by which a GitHub workflow annotates lines. */
typedef enum { HLO_REPORT_JSON, HLO_REPORT_SARIF, HLO_REPORT_GITHUB } hlo_report_format;
typedef struct hlo_report hlo_report;

/* Writes to `output`, which must live until the end; the diagnostics of any number of modules may
 * be added. hlo_output_commit reports that memory ran out; the result here is NULL. */
HLO_API hlo_report *hlo_report_begin(hlo_report_format format, hlo_output *output);
HLO_API void hlo_report_add(hlo_report *report, const hlo_diags *diags);
HLO_API void hlo_report_end(hlo_report *report);

/* Findings that were there before, so that only new ones count. A finding is known by its rule,
 * its message and the names of computation and instruction, without the numbers at the end of
 * names, whatever its file and line. The baseline counts them: of equal findings, as many as were
 * added are known. Lists for a baseline should keep all findings (max_errors: UINT32_MAX). */
typedef struct hlo_baseline hlo_baseline;

HLO_API hlo_baseline *hlo_baseline_create(void); /* nothing is known */
HLO_API void hlo_baseline_free(hlo_baseline *baseline);
/* Adds what a file holds that hlo_baseline_write has written. HLO_BAD_USE when it is none. */
HLO_API hlo_status hlo_baseline_read(hlo_baseline *baseline, const char *path, hlo_diags *diags);
/* Adds the findings of a list. */
HLO_API hlo_status hlo_baseline_add(hlo_baseline *baseline, const hlo_diags *found,
                                    hlo_diags *diags);
/* A line of text per finding, in an order that does not depend on that of the findings. */
HLO_API void hlo_baseline_write(const hlo_baseline *baseline, hlo_output *output);
/* Appends to `news` what is not known, and returns how many were: each of these is known once less
 * from now on. For a baseline that was read. */
HLO_API size_t hlo_baseline_subtract(hlo_baseline *baseline, const hlo_diags *found,
                                     hlo_diags *news);
/* How many known findings no list had. */
HLO_API size_t hlo_baseline_left(const hlo_baseline *baseline);

#ifdef __cplusplus
}
#endif
#endif
