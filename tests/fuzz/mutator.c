/* The mutator of texts for fuzz targets: numbers at and beyond limits, other types, words, opcodes,
 * layouts and targets, lists, bounds, run-time sizes, and what windows may have. Results' shapes
 * are left out at times, so that they follow. Linked to the targets that the Makefile names. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);
/* Of libFuzzer; not there when replay.c is the driver. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

typedef struct {
    char *text;
    size_t len, capacity;
    uint64_t random;
} mutant;

static size_t below(mutant *m, size_t n) {
    m->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = m->random;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return n ? (size_t)((z ^ z >> 31) % n) : 0;
}

/* What does not fit is left as it is. */
static void replace(mutant *m, size_t at, size_t n, const char *with) {
    size_t len = strlen(with);
    if (m->len - n + len > m->capacity) return;
    memmove(m->text + at + len, m->text + at + n, m->len - at - n);
    memcpy(m->text + at, with, len);
    m->len += len - n;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || strchr("_.-%\"", c);
}

/* The number that begins at `at` and is no part of a name or a pair like 0_0x1_1; its length, or 0.
 */
static size_t number_at(const mutant *m, size_t at) {
    if (!isdigit((unsigned char)m->text[at])) return 0;
    char before = at ? m->text[at - 1] : ' ';
    if (is_word(before) && before != '-' && before != '_') return 0;
    size_t n = 1;
    while (at + n < m->len && isdigit((unsigned char)m->text[at + n])) n++;
    return n;
}

/* A number of the entry in which `from` lies, or a later one; the first when there is none. */
static bool find_number(const mutant *m, size_t from, size_t *at, size_t *n) {
    for (size_t i = 0; i < m->len; i++) {
        *at = (from + i) % m->len;
        *n = number_at(m, *at);
        if (*n) return true;
    }
    return false;
}

/* Most often off by one, since limits are where the sizes are; or a limit of the type. */
static void change_number(mutant *m) {
    static const char *const limits[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "8",
                                         "-1",
                                         "-2",
                                         "64",
                                         "1000",
                                         "-3",
                                         "255",
                                         "256",
                                         "2147483647",
                                         "2147483648",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "4611686018427387904"};
    size_t at, n;
    char text[32];
    if (!find_number(m, below(m, m->len), &at, &n)) return;
    snprintf(text, sizeof text, "%.*s", (int)n, m->text + at);
    uint64_t near = strtoull(text, NULL, 10) - 2 + below(m, 5);
    snprintf(text, sizeof text, "%lld", (long long)near);
    if (below(m, 2))
        snprintf(text, sizeof text, "%s", limits[below(m, sizeof limits / sizeof *limits)]);
    bool is_negative = at && m->text[at - 1] == '-';
    replace(m, at - is_negative, n + is_negative, text);
}

/* The same number elsewhere: where operand, attribute and result have one size. */
static void copy_number(mutant *m) {
    size_t from, n, at, old;
    char text[32];
    if (!find_number(m, below(m, m->len), &from, &n) || n >= sizeof text) return;
    snprintf(text, sizeof text, "%.*s", (int)n, m->text + from);
    find_number(m, below(m, m->len), &at, &old);
    replace(m, at, old, text);
}

/* The start of the type's name that ends before `end`; `end` itself when there is none. */
static size_t type_at(const mutant *m, size_t end) {
    size_t at = end;
    if (m->text[end] != '[') return end;
    while (at && isalnum((unsigned char)m->text[at - 1])) at--;
    return at < end && islower((unsigned char)m->text[at]) ? at : end;
}

static void change_type(mutant *m) {
    size_t from = below(m, m->len);
    const char *type = hlo_types[below(m, HLO_TYPE_COUNT)].text;
    for (size_t i = 0; i < m->len; i++) {
        size_t end = (from + i) % m->len, at = type_at(m, end);
        if (at == end) continue;
        replace(m, at, end - at, type);
        return;
    }
}

/* One type becomes another one everywhere, so that operations agree on it. */
static void change_type_everywhere(mutant *m) {
    const char *type = hlo_types[below(m, HLO_TYPE_COUNT)].text;
    char old[16] = "";
    size_t from = below(m, m->len);
    for (size_t i = 0; i < m->len && !*old; i++) {
        size_t end = (from + i) % m->len, at = type_at(m, end);
        if (at != end) snprintf(old, sizeof old, "%.*s", (int)(end - at), m->text + at);
    }
    for (size_t end = 0; end < m->len && *old; end++) {
        size_t at = type_at(m, end);
        if (at == end || end - at != strlen(old) || memcmp(m->text + at, old, end - at) != 0)
            continue;
        size_t before = m->len;
        replace(m, at, end - at, type);
        end = end + m->len - before;
    }
}

/* A dimension becomes one of bounded size, or of fixed size again. */
static void change_bound(mutant *m) {
    size_t at, n;
    if (!find_number(m, below(m, m->len), &at, &n) || at == 0) return;
    char before = m->text[at - 1];
    if (before == '=' && at > 1 && m->text[at - 2] == '<') replace(m, at - 2, 2, "");
    else if (before == '[' || before == ',') replace(m, at, 0, "<=");
}

/* An entry of a list of numbers is left out, doubled, or changes places with the next one. */
static void change_list(mutant *m) {
    size_t at, n;
    char text[64];
    if (!find_number(m, below(m, m->len), &at, &n) || at + n >= m->len || n > 20) return;
    size_t way = below(m, 3), next = at + n + 1, count = 0;
    if (m->text[at + n] != ',') return;
    while (next + count < m->len && isdigit((unsigned char)m->text[next + count])) count++;
    if (way == 0) {
        replace(m, at, n + 1, "");
    } else if (way == 1) {
        snprintf(text, sizeof text, "%.*s,", (int)n, m->text + at);
        replace(m, at, 0, text);
    } else if (count && count < 20) {
        snprintf(text, sizeof text, "%.*s,%.*s", (int)count, m->text + next, (int)n, m->text + at);
        replace(m, at, n + 1 + count, text);
    }
}

/* A window gets what it has not, of as many dimensions as its sizes. */
static void add_to_window(mutant *m) {
    static const char *const parts[] = {
        " stride=", " pad=", " lhs_dilate=", " rhs_dilate=", " rhs_reversal="};
    static const char *const values[] = {"1", "2", "3", "0", "-1", "7", "4611686018427387904"};
    size_t from = below(m, m->len), part = below(m, sizeof parts / sizeof *parts);
    const char *size = memmem(m->text + from, m->len - from, "{size=", 6);
    if (!size) return;
    size_t end = (size_t)(size - m->text) + 6, dims = 1;
    for (; end < m->len && (isdigit((unsigned char)m->text[end]) || m->text[end] == 'x'); end++)
        dims += m->text[end] == 'x';
    char text[512];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", parts[part]);
    for (size_t i = 0; i < dims && n < sizeof text - 64; i++) {
        size_t value = part == 4 ? below(m, 2) * 3 : below(m, sizeof values / sizeof *values);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "x" : "", values[value]);
        if (part == 1) /* on both sides */
            n += (size_t)snprintf(text + n, sizeof text - n, "_%s",
                                  values[below(m, sizeof values / sizeof *values)]);
    }
    replace(m, end, 0, text);
}

/* The end of the result shape that begins at `at`: at a blank outside of brackets. */
static size_t shape_end(const mutant *m, size_t at, size_t end) {
    int depth = 0;
    for (; at < end; at++) {
        depth += strchr("([{", m->text[at]) != NULL;
        depth -= strchr(")]}", m->text[at]) != NULL;
        if (m->text[at] == ' ' && depth == 0) return at;
    }
    return end;
}

/* Leaves out the result's shape where it is inferred, so that it follows the operands. */
static size_t drop_shape(mutant *m, size_t line, size_t end) {
    const char *equals = memmem(m->text + line, end - line, " = ", 3);
    if (!equals) return end;
    size_t shape = (size_t)(equals - m->text) + 3, op = shape_end(m, shape, end) + 1, n = 0;
    while (op + n < end && m->text[op + n] != '(') n++;
    if (op + n >= end) return end;
    hlo_opcode opcode = hlo_op_from_text(m->text + op, n);
    if (opcode >= HLO_OP_COUNT || !hlo_ops[opcode].shape_optional) return end;
    replace(m, shape, op - shape, "");
    return end - (op - shape);
}

static void drop_shapes(mutant *m) {
    for (size_t line = 0; line < m->len;) {
        const char *newline = memchr(m->text + line, '\n', m->len - line);
        size_t end = newline ? (size_t)(newline - m->text) : m->len;
        line = drop_shape(m, line, end) + 1;
    }
    const char *layout = memmem(m->text, m->len, ", entry_computation_layout={", 28);
    const char *end = layout ? memchr(layout, '\n', m->len - (size_t)(layout - m->text)) : NULL;
    if (end) replace(m, (size_t)(layout - m->text), (size_t)(end - layout), "");
}

/* ---- words, opcodes, targets ---- */

static size_t word_length(const mutant *m, size_t at) {
    size_t n = 0;
    while (at + n < m->len &&
           (isalnum((unsigned char)m->text[at + n]) || strchr("_-", m->text[at + n])))
        n++;
    return n;
}

/* The value of an attribute becomes another word of its set. */
static void change_word(mutant *m) {
    size_t from = below(m, m->len);
    for (size_t i = 0; i + 1 < m->len; i++) {
        size_t at = (from + i) % (m->len - 1) + 1,
               n = m->text[at - 1] == '=' ? word_length(m, at) : 0;
        if (n == 0) continue;
        size_t first = below(m, hlo_word_count), known = 0;
        while (known < hlo_word_count && (strlen(hlo_words[known].text) != n ||
                                          memcmp(hlo_words[known].text, m->text + at, n) != 0))
            known++;
        if (known == hlo_word_count) continue;
        while (hlo_words[first].set != hlo_words[known].set) first = (first + 1) % hlo_word_count;
        replace(m, at, n, hlo_words[first].text);
        return;
    }
}

/* The first opcode after `from`, before its parenthesis; false when there is none. */
static bool find_opcode(const mutant *m, size_t from, size_t *at, size_t *n, hlo_opcode *opcode) {
    for (size_t i = 0; i < m->len; i++) {
        *at = (from + i) % m->len;
        if (*at == 0 || m->text[*at - 1] != ' ') continue;
        *n = word_length(m, *at);
        if (*at + *n >= m->len || m->text[*at + *n] != '(') continue;
        *opcode = hlo_op_from_text(m->text + *at, *n);
        if (*opcode < HLO_OP_COUNT) return true;
    }
    return false;
}

/* Another operation of the same class and shape rule, or any. */
static void change_opcode(mutant *m) {
    size_t at, n;
    hlo_opcode opcode;
    if (!find_opcode(m, below(m, m->len), &at, &n, &opcode)) return;
    size_t other = below(m, HLO_OP_COUNT);
    bool any = below(m, 4) == 0;
    for (size_t i = 0; i < HLO_OP_COUNT && !any; i++, other = (other + 1) % HLO_OP_COUNT)
        if (other != opcode && hlo_ops[other].class == hlo_ops[opcode].class) break;
    replace(m, at, n, hlo_ops[other].text);
}

static void change_target(mutant *m) {
    static const char *const targets[] = {
#define HLO_CUSTOM_CALL(name, target) name,
#include "eval/kernel/custom_calls.def"
#undef HLO_CUSTOM_CALL
    };
    size_t from = below(m, m->len);
    const char key[] = "custom_call_target=\"", *at = NULL;
    at = memmem(m->text + from, m->len - from, key, sizeof key - 1);
    if (!at) at = memmem(m->text, m->len, key, sizeof key - 1);
    if (!at) return;
    size_t first = (size_t)(at - m->text) + sizeof key - 1, n = word_length(m, first);
    replace(m, first, n, targets[below(m, sizeof targets / sizeof *targets)]);
}

/* ---- shapes ---- */

/* The dimensions of an array after `from`: [at, at + n) between its brackets. */
static bool find_dimensions(const mutant *m, size_t from, size_t *at, size_t *n) {
    for (size_t i = 0; i < m->len; i++) {
        size_t open = (from + i) % m->len;
        if (type_at(m, open) == open) continue;
        const char *close = memchr(m->text + open, ']', m->len - open);
        if (!close) continue;
        *at = open + 1;
        *n = (size_t)(close - m->text) - *at;
        return true;
    }
    return false;
}

static size_t count_dimensions(const mutant *m, size_t at, size_t n) {
    size_t rank = n > 0;
    for (size_t i = 0; i < n; i++) rank += m->text[at + i] == ',';
    return rank;
}

/* An array gets a layout; in place of the one that it has. */
static void change_layout(mutant *m) {
    size_t at, n, order[8], old = 0;
    char text[64] = "{";
    if (!find_dimensions(m, below(m, m->len), &at, &n)) return;
    size_t rank = count_dimensions(m, at, n), end = at + n + 1, length = 1;
    if (rank > sizeof order / sizeof *order) return;
    for (size_t i = 0; i < rank; i++) {
        size_t j = below(m, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < rank; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, i ? ",%zu" : "%zu", order[i]);
    snprintf(text + length, sizeof text - length, "}");
    const char *close =
        end < m->len && m->text[end] == '{' ? memchr(m->text + end, '}', m->len - end) : NULL;
    if (close) old = (size_t)(close - m->text) + 1 - end;
    replace(m, end, old, text);
}

/* A dimension is left out of an array, or it gets one more. */
static void change_rank(mutant *m) {
    size_t at, n, last = 0;
    if (!find_dimensions(m, below(m, m->len), &at, &n)) return;
    for (size_t i = 0; i < n; i++)
        if (m->text[at + i] == ',') last = i;
    if (below(m, 2)) replace(m, at + last, n - last, "");
    else replace(m, at + n, 0, n ? ",2" : "2");
}

/* A parameter whose first dimension is shorter at run time:
 *   x = f32[4,5] parameter(0)   becomes   x.w = f32[4,5] parameter(0)
 *                                         x.n = s32[] constant(3)
 *                                         x = set-dimension-size(x.w, x.n), dimensions={0} */
static void shorten_parameter(mutant *m) {
    const char key[] = " parameter(", *found = NULL;
    size_t from = below(m, m->len);
    found = memmem(m->text + from, m->len - from, key, sizeof key - 1);
    if (!found) return;
    size_t line = (size_t)(found - m->text), end = line, name = 0, digit, n;
    while (line && m->text[line - 1] != '\n') line--;
    while (line < m->len && m->text[line] == ' ') line++;
    while (end < m->len && m->text[end] != '\n') end++;
    while (line + name < end && m->text[line + name] != ' ') name++;
    size_t at, dims;
    if (name == 0 || name > 40 || memcmp(m->text + line, "ROOT ", 5) == 0) return;
    if (!find_dimensions(m, line, &at, &dims) || at > end || dims == 0) return;
    size_t dimension = below(m, count_dimensions(m, at, dims));
    if (!find_number(m, at, &digit, &n) || digit > end) return;
    char text[400];
    snprintf(text, sizeof text,
             "\n  %.*s.n = s32[] constant(%zu)\n  %.*s = set-dimension-size(%.*s.w, %.*s.n), "
             "dimensions={%zu}",
             (int)name, m->text + line, below(m, 5), (int)name, m->text + line, (int)name,
             m->text + line, (int)name, m->text + line, dimension);
    if (m->len + strlen(text) + 2 > m->capacity) return;
    replace(m, end, 0, text);
    replace(m, line + name, 0, ".w");
    drop_shapes(m);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    static void (*const ways[])(mutant *) = {change_type,   change_type_everywhere,
                                             change_bound,  change_list,
                                             add_to_window, change_word,
                                             change_opcode, change_target,
                                             change_layout, change_rank,
                                             copy_number,   copy_number,
                                             copy_number,   change_number,
                                             change_number, change_number,
                                             change_number, change_number,
                                             change_number, shorten_parameter};
    mutant m = {(char *)data, size, capacity, seed};
    if (LLVMFuzzerMutate && (!size || below(&m, 8) == 0))
        return LLVMFuzzerMutate(data, size, capacity);
    if (m.len && below(&m, 2)) drop_shapes(&m);
    for (size_t times = 1 + below(&m, 3); times && m.len; times--)
        ways[below(&m, sizeof ways / sizeof *ways)](&m);
    return m.len;
}
