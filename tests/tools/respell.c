/* respell spelling|value SEED < MODULE > OTHER: takes a module as the default printer writes it and
 * writes it differently.
 *   spelling  other blanks, comments, order of attributes, explicit defaults, names without '%',
 *             numbers with needless digits, operand shapes: means the same
 *   value     one attribute dropped or given another value, named on standard error: means
 * something else, or nothing The same seed gives the same text. Exit status 2: no attribute to
 * change, or no module. Called by respelling.sh. Reads tokens by itself, so that the scanner is not
 * its own judge. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance ---- */

static uint64_t chance_state;

static uint64_t chance(void) {
    uint64_t z = (chance_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint32_t below(uint32_t n) {
    return (uint32_t)(chance() % n);
}

static bool one_in(uint32_t n) {
    return below(n) == 0;
}

/* ---- tokens ---- */

/* ATTR is `name=`, COLON is `name:`, OTHER what is copied as it stands (3x3, 0_1x0_1, raw braces).
 */
typedef enum { PUNCTUATION, NAME, ATTR, COLON, NUMBER, STRING, OTHER } token_kind;

typedef struct {
    token_kind kind;
    const char *text;
    uint32_t len;
    bool starts_line;
} token;

static token *tokens;
static uint32_t token_count, token_room;

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "respell: %s\n", what);
    exit(2);
}

static void *grow(void *old, size_t count, size_t size) {
    void *memory = realloc(old, count * size);
    if (!memory) fail("out of memory");
    return memory;
}

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

static bool token_is(const token *t, const char *text) {
    return t->len == strlen(text) && memcmp(t->text, text, t->len) == 0;
}

static const char *end_of_string(const char *at) {
    for (char quote = *at++; *at && *at != quote; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

static const char *end_of_region(const char *at) {
    int depth = 0;
    while (*at) {
        if (*at == '"') {
            at = end_of_string(at);
            continue;
        }
        if (*at == '{') depth++;
        if (*at++ == '}' && --depth == 0) break;
    }
    return at;
}

static const char *end_of_word(const char *at, token_kind *kind) {
    bool percent = *at == '%';
    at += percent;
    while (is_word_char(*at)) at++;
    *kind = NAME;
    if (!percent && *at == '=') *kind = ATTR;
    if (!percent && *at == ':') *kind = COLON;
    return *kind == NAME ? at : at + 1;
}

/* 3x3, 0_0x1_1, nan(0x1), -inf, b01f_01io->b01f: what is copied as it stands. */
static const char *end_of_other(const char *at) {
    const char *from = at;
    while (is_word_char(*at) || *at == '?' || (*at == '>' && at[-1] == '-')) at++;
    if (*at == '(' && at - from >= 3 && memcmp(at - 3, "nan", 3) == 0)
        while (*at && *at++ != ')') {
        }
    return at;
}

static const char *end_of_number(const char *from, token_kind *kind) {
    const char *at = from;
    if (isdigit((unsigned char)from[*from == '-'])) strtod(from, (char **)(uintptr_t)&at);
    *kind = NUMBER;
    bool hexadecimal = memchr(from, 'x', (size_t)(at - from)); /* to strtod; here 0x1 is a list */
    bool ended = !is_word_char(*at) && *at != '?' && !isalpha((unsigned char)at[-1]);
    if (at != from && ended && !hexadecimal) return at;
    *kind = OTHER;
    return end_of_other(from);
}

static bool is_labels_or_nan(const char *from) {
    const char *to = end_of_other(from);
    if (to[-1] == ')') return true;
    for (const char *p = from; p < to; p++)
        if (p[0] == '-' && p[1] == '>') return true;
    return false;
}

static const char *next_token(const char *at, token *t, bool raw_region) {
    const char *from = at;
    t->kind = PUNCTUATION;
    if (raw_region && *at == '{') {
        at = end_of_region(at);
        t->kind = OTHER;
    } else if (*at == '"' || *at == '\'') {
        at = end_of_string(at);
        t->kind = STRING;
    } else if (isalpha((unsigned char)*at) || *at == '_' || *at == '%') {
        at = end_of_word(at, &t->kind);
        if (*from != '%' && is_labels_or_nan(from)) at = end_of_other(from), t->kind = OTHER;
    } else if (isdigit((unsigned char)*at) ||
               (*at == '-' && (isdigit((unsigned char)at[1]) || isalpha((unsigned char)at[1])))) {
        at = end_of_number(at, &t->kind);
    } else if (strncmp(at, "...", 3) == 0) {
        at += 3;
    } else if (strncmp(at, "->", 2) == 0 || strncmp(at, "<=", 2) == 0) {
        at += 2;
    } else {
        at++;
    }
    t->text = from;
    t->len = (uint32_t)(at - from);
    return at;
}

static const char *skip_blanks(const char *at, bool *line) {
    for (;;) {
        if (*at == '\n') *line = true;
        if (*at && strchr(" \t\r\n", *at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '*') {
            at = strstr(at, "*/");
            if (!at) fail("a comment does not end");
            at += 2;
        } else {
            return at;
        }
    }
}

/* A brace after backend_config= or after a key of frontend_attributes opens a raw region. */
static void tokenise(const char *text) {
    int frontend_depth = 0, depth = 0;
    bool line = true;
    for (const char *at = skip_blanks(text, &line); *at; at = skip_blanks(at, &line)) {
        if (token_count == token_room) {
            token_room = token_room ? token_room * 2 : 4096;
            tokens = grow(tokens, token_room, sizeof *tokens);
        }
        token *t = &tokens[token_count], *before = token_count ? t - 1 : NULL;
        bool value = before && before->kind == ATTR;
        bool raw = value && (token_is(before, "backend_config=") ||
                             (frontend_depth && depth == frontend_depth));
        if (value && token_is(before, "frontend_attributes=") && *at == '{')
            frontend_depth = depth + 1;
        at = next_token(at, t, raw);
        t->starts_line = line;
        line = false;
        if (t->kind == PUNCTUATION && strchr("{[(", *t->text)) depth++;
        if (t->kind == PUNCTUATION && strchr("}])", *t->text)) depth--;
        if (depth < frontend_depth) frontend_depth = 0;
        token_count++;
    }
}

/* ---- instructions ---- */

typedef struct {
    uint32_t name, value, end; /* tokens: the name, the first of the value, one past it */
} attribute;

/* A line of a computation, or the header: tokens from first to end, attributes after the rest. */
typedef struct {
    uint32_t first, shape, opcode, arguments, attributes, end;
    uint32_t attribute_first, attribute_count;
    bool is_header;
} line;

static attribute *attributes;
static uint32_t attribute_count, attribute_room;
static line *lines;
static uint32_t line_count, line_room;

static uint32_t past_brackets(uint32_t at) {
    int depth = 0;
    for (; at < token_count; at++) {
        if (tokens[at].kind != PUNCTUATION) continue;
        if (strchr("{[(", *tokens[at].text)) depth++;
        if (strchr("}])", *tokens[at].text) && --depth == 0) return at + 1;
    }
    return at;
}

static bool is_mark(uint32_t at, char c) {
    return at < token_count && tokens[at].kind == PUNCTUATION && tokens[at].len == 1 &&
           *tokens[at].text == c;
}

/* `, ATTR value` until a line starts or something else follows. */
static uint32_t read_attributes(line *l, uint32_t at) {
    l->attribute_first = attribute_count;
    while (is_mark(at, ',') && at + 1 < token_count && tokens[at + 1].kind == ATTR) {
        if (attribute_count == attribute_room) {
            attribute_room = attribute_room ? attribute_room * 2 : 1024;
            attributes = grow(attributes, attribute_room, sizeof *attributes);
        }
        attribute *a = &attributes[attribute_count++];
        a->name = at + 1;
        for (at = a->value = at + 2; at < token_count && !is_mark(at, ',');) {
            if (tokens[at].starts_line) break;
            at = strchr("{[(", *tokens[at].text) && tokens[at].kind == PUNCTUATION
                     ? past_brackets(at)
                     : at + 1;
        }
        a->end = at;
    }
    l->attribute_count = attribute_count - l->attribute_first;
    return at;
}

static uint32_t past_shape(uint32_t at) {
    if (is_mark(at, '(')) return past_brackets(at);
    if (token_is(&tokens[at], "b") && is_mark(at + 1, '(')) return past_brackets(at + 1);
    at = past_brackets(at + 1);
    bool layout = is_mark(at, '{') && at + 1 < token_count &&
                  (tokens[at + 1].kind == NUMBER || is_mark(at + 1, ':'));
    return layout ? past_brackets(at) : at;
}

static line *add_line(uint32_t first) {
    if (line_count == line_room) {
        line_room = line_room ? line_room * 2 : 1024;
        lines = grow(lines, line_room, sizeof *lines);
    }
    lines[line_count] = (line){.first = first};
    return &lines[line_count++];
}

static uint32_t read_instruction(uint32_t at) {
    line *l = add_line(at);
    if (token_is(&tokens[at], "ROOT")) at++;
    if (!is_mark(at + 1, '=')) fail("a line of a computation is no instruction");
    l->shape = at + 2;
    l->opcode = past_shape(l->shape);
    l->arguments = l->opcode + 1;
    l->attributes = past_brackets(l->arguments);
    l->end = read_attributes(l, l->attributes);
    return l->end;
}

/* From a computation's name to after its brace. */
static uint32_t read_computation(uint32_t at) {
    while (at < token_count && !(is_mark(at, '{') && tokens[at + 1].starts_line)) at++;
    if (at == token_count) fail("a computation has no body");
    for (at++; at < token_count && !is_mark(at, '}');) at = read_instruction(at);
    return at + 1;
}

static void read_module(void) {
    if (!token_count || !token_is(&tokens[0], "HloModule")) fail("the text is no module");
    line *header = add_line(0);
    header->is_header = true;
    header->attributes = 2;
    uint32_t at = header->end = read_attributes(header, 2);
    while (at < token_count) {
        bool starts = token_is(&tokens[at], "ENTRY") || *tokens[at].text == '%';
        at = starts ? read_computation(at) : at + 1;
    }
}

/* ---- writing ---- */

static const char *const reserved[] = {"true",
                                       "false",
                                       "inf",
                                       "nan",
                                       "HloModule",
                                       "ENTRY",
                                       "ROOT",
                                       "FileNames",
                                       "FunctionNames",
                                       "FileLocations",
                                       "StackFrames",
                                       "maximal",
                                       "replicated",
                                       "manual",
                                       "unknown",
                                       "unreduced",
                                       "last_tile_dim_replicate",
                                       "shard_as",
                                       "shard_like",
                                       "token",
                                       "opaque",
                                       "pred",
                                       "bf16",
                                       "b"};

/* Words of one letter class and digits (s32, f8e4m3fn) are left alone: some are element types. */
static bool needs_percent(const token *t) {
    const char *name = t->text + 1;
    uint32_t n = t->len - 1;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == n && memcmp(reserved[i], name, n) == 0) return true;
    return strchr("sufc", name[0]) && n > 1 && isdigit((unsigned char)name[1]);
}

static char last_written = '\n';

static void put(const char *text, size_t n) {
    if (!n) return;
    fwrite(text, 1, n, stdout);
    last_written = text[n - 1];
}

static void put_text(const char *text) {
    put(text, strlen(text));
}

static bool separates(char c) {
    return strchr(",(){}[] \n\t", c) != NULL;
}

static void put_blank(char next) {
    static const char *const blanks[] = {" ",          "\n", "\t", "  \r\n  ", " /* a, {b} */ ",
                                         " // \"c\"\n"};
    bool needed = !separates(last_written) && !separates(next);
    if (needed || one_in(3)) put_text(blanks[one_in(4) ? below(6) : 0]);
}

static void put_number(const token *t, bool as_float) {
    const char *exponent = memchr(t->text, 'e', t->len);
    size_t mantissa = exponent ? (size_t)(exponent - t->text) : t->len;
    bool point = memchr(t->text, '.', mantissa), negative = *t->text == '-';
    bool is_int = !point && !exponent,
         is_zero = mantissa == negative + 1u && t->text[negative] == '0';
    put(t->text, negative);
    if (one_in(3)) put_text("00");
    put(t->text + negative, mantissa - negative);
    if (point && one_in(2)) put_text("000");
    else if (exponent && !point && one_in(2)) put_text(".0");
    else if (is_int && as_float && !(is_zero && negative) && one_in(2)) put_text(".");
    if (exponent) put(exponent, t->len - mantissa);
}

static void put_token(const token *t, bool as_float) {
    put_blank(*t->text);
    if (t->kind == NUMBER) put_number(t, as_float);
    else if (*t->text == '%' && !needs_percent(t) && one_in(2)) {
        if (!separates(last_written) && last_written != '=') put_text(" ");
        put(t->text + 1, t->len - 1);
        put_text(" "); /* a name that touches '=' or ':' would be another token */
    } else {
        put(t->text, t->len);
    }
}

static void put_tokens(uint32_t from, uint32_t to, bool as_float) {
    for (; from < to; from++) put_token(&tokens[from], as_float);
}

/* ---- another spelling ---- */

typedef struct {
    const char *opcode; /* NULL: any that is no part of an async operation; "": the header */
    const char *name, *value;
} explicit_default;

static const explicit_default defaults[] = {
    {"", "replica_count=", "1"},
    {"", "num_partitions=", "1"},
    {"", "is_scheduled=", "false"},
    {"sort", "is_stable=", "false"},
    {"convolution", "feature_group_count=", "1"},
    {"convolution", "batch_group_count=", "1"},
    {"convolution", "operand_precision=", "{default,default}"},
    {"dot", "operand_precision=", "{DEFAULT, default}"},
    {"dot", "lhs_batch_dims=", "{}"},
    {"dot", "rhs_batch_dims=", "{}"},
    {"gather", "indices_are_sorted=", "false"},
    {"gather", "operand_batching_dims=", "{}"},
    {"scatter", "indices_are_sorted=", "false"},
    {"scatter", "unique_indices=", "false"},
    {"reshape", "inferred_dimension=", "-1"},
    {"cholesky", "lower=", "false"},
    {"triangular-solve", "unit_diagonal=", "false"},
    {"all-reduce", "use_global_device_ids=", "false"},
    {"all-gather", "constrain_layout=", "false"},
    {"custom-call", "custom_call_has_side_effect=", "false"},
    {"custom-call", "api_version=", "API_VERSION_ORIGINAL"},
    {"custom-call", "schedule=", "SCHEDULE_NONE"},
    {"call", "is_composite=", "false"},
    {"exponential", "result_accuracy=", "{mode=default}"},
    {"tanh", "result_accuracy=", "{mode=default}"},
    {NULL, "metadata=", "{}"},
    {NULL, "backend_config=", "\"\""},
    {NULL, "frontend_attributes=", "{}"},
    {NULL, "statistics=", "{}"},
};

static bool has_attribute(const line *l, const char *name) {
    for (uint32_t i = 0; i < l->attribute_count; i++)
        if (token_is(&tokens[attributes[l->attribute_first + i].name], name)) return true;
    return false;
}

static bool ends_with(const token *t, const char *suffix) {
    size_t n = strlen(suffix);
    return t->len >= n && memcmp(t->text + t->len - n, suffix, n) == 0;
}

static bool takes(const line *l, const explicit_default *d) {
    if (has_attribute(l, d->name)) return false;
    const token *opcode = &tokens[l->opcode];
    if (l->is_header) return d->opcode && !*d->opcode;
    if (d->opcode) return token_is(opcode, d->opcode);
    return !ends_with(opcode, "-start") && !ends_with(opcode, "-update") &&
           !ends_with(opcode, "-done");
}

static void put_defaults(const line *l) {
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (!takes(l, &defaults[i]) || !one_in(2)) continue;
        put_text(", ");
        put_text(defaults[i].name);
        put_text(defaults[i].value);
    }
}

/* A mesh has attributes of its own between its commas: such lines keep their order. */
static bool may_reorder(const line *l) {
    for (uint32_t i = l->attributes; i < l->end; i++)
        if (token_is(&tokens[i], "mesh") || token_is(&tokens[i], "maximal_mesh")) return false;
    return true;
}

static void put_attributes(const line *l) {
    uint32_t n = l->attribute_count, *order = grow(NULL, n + 1, sizeof *order);
    for (uint32_t i = 0; i < n; i++) order[i] = l->attribute_first + i;
    for (uint32_t i = n; i > 1 && may_reorder(l); i--) {
        uint32_t k = below(i), moved = order[k];
        order[k] = order[i - 1];
        order[i - 1] = moved;
    }
    bool defaults_first = one_in(2);
    if (defaults_first) put_defaults(l);
    for (uint32_t i = 0; i < n; i++) {
        const attribute *a = &attributes[order[i]];
        put_text(",");
        put_blank('x');
        put(tokens[a->name].text, tokens[a->name].len);
        put_tokens(a->value, a->end, false);
    }
    if (!defaults_first) put_defaults(l);
    free(order);
}

/* The line of the same computation that defines a name; names are unique in a printed module. */
static const line *definition_of(const token *name, uint32_t before) {
    for (uint32_t i = before; i-- > 0;) {
        uint32_t at = lines[i].first + token_is(&tokens[lines[i].first], "ROOT");
        if (!lines[i].is_header && tokens[at].len == name->len &&
            memcmp(tokens[at].text, name->text, name->len) == 0)
            return &lines[i];
    }
    return NULL;
}

enum { LONGEST_SHAPE = 40, FARTHEST_OPERAND = 2000 };

static void put_operands(const line *l) {
    uint32_t number = (uint32_t)(l - lines);
    for (uint32_t at = l->arguments; at < l->attributes; at++) {
        const token *t = &tokens[at];
        if (*t->text == '%' && one_in(2) && number < FARTHEST_OPERAND) {
            const line *definition = definition_of(t, number);
            if (definition && definition->opcode - definition->shape <= LONGEST_SHAPE)
                put_tokens(definition->shape, definition->opcode, false);
        }
        put_token(t, false);
    }
}

static bool is_float_constant(const line *l) {
    const token *type = &tokens[l->shape];
    return token_is(&tokens[l->opcode], "constant") && type->kind == NAME &&
           (strchr("fc", *type->text) || token_is(type, "bf16"));
}

static void write_respelt(void) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < line_count; i++) {
        const line *l = &lines[i];
        put_tokens(at, l->first, false);
        if (l->is_header) {
            put_tokens(l->first, l->attributes, false);
        } else {
            put_tokens(l->first, l->arguments, false);
            if (is_float_constant(l)) put_tokens(l->arguments, l->attributes, true);
            else put_operands(l);
        }
        put_attributes(l);
        at = l->end;
    }
    put_tokens(at, token_count, false);
    put_text("\n");
}

/* ---- another value ---- */

/* Attributes that XLA reads and prints in a normalised form: their text may change.
 */
static bool is_recomputed(const line *l, const attribute *a) {
    return !l->is_header && token_is(&tokens[l->opcode], "map") &&
           token_is(&tokens[a->name], "dimensions=");
}

/* Printed always, and the default when not given: dropping them says the same. */
static bool is_default(const attribute *a) {
    static const char *const rows[][2] = {{"lhs_contracting_dims=", "{}"},
                                          {"rhs_contracting_dims=", "{}"},
                                          {"replica_groups=", "{}"},
                                          {"dimensions=", "{}"},
                                          {"largest=", "true"},
                                          {"is_associative=", "false"},
                                          {"outfeed_shape=", NULL},
                                          {"entry_computation_layout=", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!token_is(&tokens[a->name], rows[i][0])) continue;
        if (!rows[i][1]) return true;
        const char *want = rows[i][1];
        for (uint32_t t = a->value; t < a->end; want += tokens[t++].len)
            if (strncmp(want, tokens[t].text, tokens[t].len) != 0) return false;
        return !*want;
    }
    return false;
}

static void copy_source(const char *from, const char *to) {
    fwrite(from, 1, (size_t)(to - from), stdout);
}

static const char *end_of(uint32_t token_number) {
    return tokens[token_number].text + tokens[token_number].len;
}

static bool can_change(const token *t) {
    return t->kind == NUMBER || t->kind == STRING || token_is(t, "true") || token_is(t, "false");
}

static void put_changed(const token *t) {
    if (t->kind == NUMBER) {
        bool is_int = !memchr(t->text, '.', t->len) && !memchr(t->text, 'e', t->len);
        if (is_int) printf("%lld", strtoll(t->text, NULL, 10) + 1);
        else printf("%.17g", strtod(t->text, NULL) * 3 + 1); /* %g hides small changes */
    } else if (t->kind == STRING) {
        printf("%.*sx%c", (int)t->len - 1, t->text, *t->text);
    } else {
        fputs(token_is(t, "true") ? "false" : "true", stdout);
    }
}

/* One token of the value becomes another; without such a token the attribute goes. */
static bool change_attribute(const line *l, const attribute *a, const char *text, const char *end) {
    uint32_t candidates = 0, chosen = 0;
    for (uint32_t t = a->value; t < a->end; t++)
        if (can_change(&tokens[t]) && one_in(++candidates)) chosen = t;
    bool drop = !candidates || one_in(2);
    if (drop && is_default(a)) return false;
    if (is_recomputed(l, a)) return false;
    const char *from = drop ? end_of(a->name - 2) : tokens[chosen].text;
    copy_source(text, from);
    if (!drop) put_changed(&tokens[chosen]);
    const char *to = drop ? end_of(a->end - 1) : end_of(chosen);
    copy_source(to, end);
    fprintf(stderr, "%s %.*s%.*s\n", drop ? "dropped" : "changed", (int)tokens[a->name].len,
            tokens[a->name].text, (int)(end_of(a->end - 1) - tokens[a->value].text),
            tokens[a->value].text);
    return true;
}

static void write_changed(const char *text, const char *end) {
    for (int tries = 0; attribute_count && tries < 100; tries++) {
        uint32_t chosen = below(attribute_count), i = 0;
        while (lines[i].attribute_first + lines[i].attribute_count <= chosen) i++;
        const attribute *a = &attributes[chosen];
        if (a->end > a->value && may_reorder(&lines[i]) &&
            change_attribute(&lines[i], a, text, end))
            return;
    }
    fail("no attribute to change");
}

/* ---- the program ---- */

static char *read_input(size_t *len) {
    size_t capacity = 1 << 16;
    char *text = grow(NULL, capacity, 1);
    *len = 0;
    for (size_t n; (n = fread(text + *len, 1, capacity - *len - 1, stdin)) > 0;) {
        *len += n;
        if (*len + 1 == capacity) text = grow(text, capacity *= 2, 1);
    }
    text[*len] = 0;
    return text;
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[1], "spelling") != 0 && strcmp(argv[1], "value") != 0))
        fail("usage: respell spelling|value SEED < MODULE > OTHER");
    chance_state = strtoull(argv[2], NULL, 10);
    size_t len;
    char *text = read_input(&len);
    tokenise(text);
    read_module();
    if (strcmp(argv[1], "spelling") == 0) write_respelt();
    else write_changed(text, text + len);
    free(text);
    free(tokens);
    free(attributes);
    free(lines);
    return 0;
}
