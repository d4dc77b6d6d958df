/* The XML of JUnit: see junit.h. */
#include "junit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "say.h"

static void put(hlo_output *to, const char *text) {
    hlo_output_write(to, text, strlen(text));
}

static void put_number(hlo_output *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put_number(hlo_output *to, const char *format, ...) {
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(to, text);
}

/* ---- texts ---- */

static void put_byte(hlo_output *to, char byte) {
    switch (byte) {
    case '&': put(to, "&amp;"); return;
    case '<': put(to, "&lt;"); return;
    case '>': put(to, "&gt;"); return;
    case '"': put(to, "&quot;"); return;
    default: hlo_output_write(to, &byte, 1);
    }
}

/* Control characters and others that XML does not have are escaped as in messages. */
static void put_line(hlo_output *to, const char *line, size_t length) {
    char *copy = process_made(strndup(line, length), "a line");
    char *shown = process_made(escaped(copy), "a line");
    for (const char *at = shown; *at; at++) put_byte(to, *at);
    free(shown);
    free(copy);
}

static void put_lines(hlo_output *to, const char *text) {
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, "\n");
        put_line(to, at, n);
        at += n;
        if (!*at) return;
        put(to, "\n");
    }
}

static void put_attribute(hlo_output *to, const char *name, const char *text, size_t length) {
    put(to, " ");
    put(to, name);
    put(to, "=\"");
    put_line(to, text, length);
    put(to, "\"");
}

/* ---- cases ---- */

static void put_outcome(hlo_output *to, const regression_case *one) {
    static const char *const elements[CASE_OUTCOMES] = {NULL, "failure", "error", "skipped"};
    const char *element = elements[one->outcome];
    put(to, "><");
    put(to, element);
    put_attribute(to, "message", one->reason, strlen(one->reason));
    put(to, ">");
    if (one->details) put_lines(to, one->details);
    put(to, "</");
    put(to, element);
    put(to, "></testcase>\n");
}

static void put_case(hlo_output *to, const regression_case *one) {
    const char *slash = strrchr(one->path, '/'), *name = slash ? slash + 1 : one->path;
    put(to, "    <testcase");
    put_attribute(to, "classname", one->path, slash ? (size_t)(slash - one->path) : 0);
    put_attribute(to, "name", name, strlen(name));
    put_number(to, " time=\"%.3f\"", one->seconds);
    if (one->reason) put_outcome(to, one);
    else put(to, "/>\n");
}

static void put_counts(hlo_output *to, const regression_case *cases, size_t count) {
    size_t sums[CASE_OUTCOMES] = {0};
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        sums[cases[i].outcome]++;
        seconds += cases[i].seconds;
    }
    put_number(to, " tests=\"%zu\" failures=\"%zu\"", count, sums[CASE_DIFFERS]);
    put_number(to, " errors=\"%zu\" skipped=\"%zu\"", sums[CASE_FAILED], sums[CASE_SKIPPED]);
    put_number(to, " time=\"%.3f\">\n", seconds);
}

void junit_write(hlo_output *to, const char *suite, const regression_case *cases, size_t count) {
    put(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_counts(to, cases, count);
    put(to, "  <testsuite");
    put_attribute(to, "name", suite, strlen(suite));
    put_counts(to, cases, count);
    for (size_t i = 0; i < count; i++) put_case(to, &cases[i]);
    put(to, "  </testsuite>\n</testsuites>\n");
}
