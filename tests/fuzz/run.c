/* libFuzzer target: what the verifier accepts is run, or refused with a reason: no kernel reads or
 * writes beyond its operands whatever attributes and indices say. Its mutator draws numbers at and
 * beyond limits, changes lists, types and bounds, and adds what windows may have. HLO_FUZZ_ELEMENTS
 * is the most elements of an array (4096), HLO_FUZZ_MILLISECONDS the processor time after which a
 * run is interrupted (500). Built and run by `make fuzz`. */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <hlo.h>

#include "ir/ir.h"
#include "parse/parse.h"
#include "shape/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);
/* Of libFuzzer; not there when replay.c is the driver. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/* ---- what is small enough to run ---- */

enum { MOST_INSTRUCTIONS = 500, MOST_RANK = 8, MEMORY = 1 << 26 };

static int64_t setting(const char *name, int64_t otherwise) {
    const char *text = getenv(name);
    return text ? atoll(text) : otherwise;
}

static bool is_small_shape(const hlo_shape *shape, int64_t most) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++)
            if (!is_small_shape(shape->elements[i], most)) return false;
        return shape->rank <= 64;
    }
    if (!hlo_shape_is_array(shape)) return true;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] > most) return false; /* of no elements: there is much to print */
    return shape->rank <= MOST_RANK && hlo_shape_elements(shape) <= most;
}

static bool is_small(const hlo_module *module) {
    int64_t most = setting("HLO_FUZZ_ELEMENTS", 4096), count = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (++count > MOST_INSTRUCTIONS || !is_small_shape(i->shape, most)) return false;
    return true;
}

/* A module that the verifier accepts, or NULL. */
static hlo_module *good_module(const char *text, size_t len) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("<fuzz>", text, len);
    hlo_module *module = NULL;
    if (hlo_parse(source, diags, &module) == HLO_OK &&
        (hlo_verify(module, diags) != HLO_OK || !is_small(module))) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_source_free(source);
    hlo_diags_free(diags);
    return module;
}

/* ---- the run ---- */

static hlo_run *running;

static void interrupt(int number) {
    (void)number;
    hlo_run_interrupt(running);
}

static void set_alarm(int64_t milliseconds) {
    struct itimerval timer = {
        .it_value = {milliseconds / 1000, (suseconds_t)(milliseconds % 1000 * 1000)}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* ---- inputs ---- */

enum { MOST_INPUTS = 64 };

/* Zero, -1, the least and the greatest number, 1, -2: indices that are in no array. */
static void put_extreme(uint8_t *element, size_t size, size_t kind) {
    memset(element, kind % 2 ? 0xff : 0, size);
    if (kind == 2) element[size - 1] = 0x80;
    if (kind == 3) element[size - 1] = 0x7f;
    if (kind == 4) element[0] = 1;
    if (kind == 5) element[0] = 0xfe;
}

/* The run borrows the array, which is returned; NULL when there are no elements. */
static uint8_t *set_extremes(hlo_run *run, uint32_t leaf, size_t seed, hlo_diags *diags) {
    hlo_array array;
    if (hlo_run_input(run, 0, leaf, diags, &array) != HLO_OK) return NULL;
    size_t bytes = hlo_array_bytes(&array), size = hlo_element_type_bytes(array.type);
    uint8_t *data = bytes ? malloc(bytes) : NULL;
    if (!data) return NULL;
    for (size_t i = 0; i < bytes / size; i++)
        put_extreme(data + i * size, size, (i / 3 * 5 + i + seed + leaf) % 6);
    array.data = data;
    hlo_run_set_input(run, 0, leaf, &array, diags);
    return data;
}

/* Reading all results lets sanitizers find elements that were never written. */
static hlo_status execute(hlo_run *run, hlo_input_fill fill, hlo_diags *diags) {
    hlo_status status = hlo_run_fill_inputs(run, fill, 1, diags);
    if (status != HLO_OK) return status;
    running = run;
    signal(SIGPROF, interrupt);
    set_alarm(setting("HLO_FUZZ_MILLISECONDS", 500));
    status = hlo_run_execute(run, diags);
    set_alarm(0);
    if (status != HLO_OK) return status;
    hlo_output *output = hlo_output_to_memory();
    hlo_run_write_literal(run, 0, output, diags);
    hlo_output_free(output);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const hlo_input_fill fills[] = {HLO_FILL_HASH, HLO_FILL_ZEROS, HLO_FILL_ONES,
                                           HLO_FILL_IOTA, HLO_FILL_RANDOM};
    hlo_module *module = good_module((const char *)data, size);
    if (!module) return 0;
    hlo_diags *diags = hlo_diags_create(0);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    options.engine = size / 3 % 4 ? HLO_ENGINE_FAST : HLO_ENGINE_REFERENCE;
    options.memory_limit = MEMORY;
    hlo_run *run = NULL;
    uint8_t *extremes[MOST_INPUTS] = {0};
    hlo_status status = hlo_run_prepare(module, &options, diags, &run);
    for (uint32_t i = 0;
         status == HLO_OK && size % 3 == 0 && i < MOST_INPUTS && i < hlo_run_input_count(run); i++)
        extremes[i] = set_extremes(run, i, size, diags);
    if (status == HLO_OK)
        status = execute(run, fills[size % (sizeof fills / sizeof *fills)], diags);
    if (status != HLO_OK && diags->errors == 0) __builtin_trap(); /* without a reason */
    hlo_run_free(run);
    for (size_t i = 0; i < MOST_INPUTS; i++) free(extremes[i]);
    hlo_diags_free(diags);
    hlo_module_free(module);
    return 0;
}

/* ---- the mutator ---- */

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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    mutant m = {(char *)data, size, capacity, seed};
    if (LLVMFuzzerMutate && (!size || below(&m, 8) == 0))
        return LLVMFuzzerMutate(data, size, capacity);
    if (below(&m, 2)) drop_shapes(&m);
    for (size_t times = 1 + below(&m, 3); times && m.len; times--) {
        static void (*const ways[])(mutant *) = {
            change_type,   change_type_everywhere, change_bound,
            change_list,   add_to_window,          copy_number,
            copy_number,   change_number,          change_number,
            change_number, change_number};
        ways[below(&m, sizeof ways / sizeof *ways)](&m);
    }
    return m.len;
}
