/* hlo-generate: random modules that verify, decided by a seed; and smaller ones of a module that
 * makes a command fail. For tests of passes, engines and executors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "generator/generator.h"
#include "generator/shrink.h"
#include "shape/verify.h"

static const char usage[] =
    "usage: hlo-generate [OPTION=VALUE...]\n"
    "       hlo-generate --shrink=MODULE -- COMMAND...\n"
    "\n"
    "Prints random modules, between lines `// -----`. Their results on the inputs of\n"
    "`hlo-run --inputs=random` differ between right implementations by no more than what the "
    "header's\n"
    "frontend attribute `tolerance` lists for each result.\n"
    "  --seed=N          the first module's seed (0); the next modules have the next numbers\n"
    "  --count=N         modules (1)\n"
    "  --size=N          how many operations are asked for in the entry computation (12)\n"
    "  --elements=N      of one array, at most (64)\n"
    "  --ops=A,B         only these operations, and what they need; --without=A,B: all but these,\n"
    "                    or not on a type (sort:s2)\n"
    "  --types=A,B       only these element types; --without-types=A,B: all but these\n"
    "  --values=safe|any any: whatever numbers come, so that only bits can be compared\n"
    "  --dynamic         also bounded dynamic dimensions\n"
    "  --fences          opt-barriers everywhere\n"
    "  --effects         also infeeds (of u32 scalars) and outfeeds, in one order\n"
    "  --output-dir=DIR  write DIR/SEED.hlo instead\n"
    "  --list            the operations, each with why it is not generated, if so\n"
    "\n"
    "--shrink makes MODULE smaller as long as `COMMAND... FILE` fails on it, and prints it.\n";

/* ---- the program ---- */

static int fail(const char *what, const char *value) {
    fprintf(stderr, "hlo-generate: %s%s\n", what, value);
    return 2;
}

/* Parses the module's own text again, so that what is verified is what is printed. */
static bool is_valid(hlo_buf text, uint64_t seed) {
    char name[32];
    snprintf(name, sizeof name, "%llu.hlo", (unsigned long long)seed);
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text(name, text.data, text.len);
    hlo_module *module = NULL;
    hlo_status status = hlo_parse(source, diags, &module);
    if (status == HLO_OK) status = hlo_verify(module, diags);
    hlo_diags_render(diags, stderr, false);
    hlo_diags_free(diags);
    hlo_source_free(source);
    if (module) hlo_module_free(module);
    return status == HLO_OK;
}

static bool write_module(hlo_buf text, const char *directory, uint64_t seed) {
    if (!directory) return fwrite(text.data, 1, text.len, stdout) == text.len;
    char path[4096];
    snprintf(path, sizeof path, "%s/%llu.hlo", directory, (unsigned long long)seed);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool good = fwrite(text.data, 1, text.len, file) == text.len;
    return fclose(file) == 0 && good;
}

static int generate_all(const generator_options *options, uint64_t count, const char *directory) {
    generator_options one = *options;
    int status = 0;
    for (uint64_t i = 0; i < count; i++, one.seed++) {
        hlo_module *module = generate_module(&one);
        hlo_print_options style = hlo_print_default;
        style.large_constants = true;
        hlo_buf text = HLO_BUF_INIT;
        if (i && !directory) hlo_buf_lit(&text, "// -----\n");
        hlo_module_print(module, &style, &text);
        hlo_module_free(module);
        bool good = is_valid(text, one.seed);
        if (!good)
            fprintf(stderr, "hlo-generate: the module of seed %llu is not valid\n",
                    (unsigned long long)one.seed);
        if (!write_module(text, directory, one.seed))
            good = !fail("cannot write: ", strerror(errno));
        hlo_buf_free(&text);
        if (!good) status = 1;
    }
    return status;
}

static int list_operations(void) {
    for (unsigned op = 0; op < HLO_OP_COUNT; op++) {
        const char *why = generator_refusal((hlo_opcode)op);
        printf("%s%s%s\n", hlo_ops[op].text, why ? "\t" : "", why ? why : "");
    }
    return 0;
}

/* The next name of a comma-separated list; an empty one at its end. */
static hlo_str next_name(const char **list) {
    size_t n = strcspn(*list, ",");
    hlo_str name = {.ptr = *list, .len = (uint32_t)n};
    *list += n + ((*list)[n] == ',');
    return name;
}

static bool mark_types(const char *list, bool *marks, bool mark) {
    if (mark) memset(marks, 0, HLO_TYPE_COUNT * sizeof *marks);
    while (*list) {
        hlo_str name = next_name(&list);
        hlo_type type = hlo_type_from_text(name.ptr, name.len);
        if (type == HLO_TYPE_COUNT) return false;
        marks[type] = mark;
    }
    return true;
}

static bool take_only(const char *list, generator_options *o) {
    memset(o->opcodes, 0, sizeof o->opcodes);
    while (*list) {
        hlo_str name = next_name(&list);
        hlo_opcode opcode = hlo_op_from_text(name.ptr, name.len);
        if (opcode == HLO_OP_COUNT) return false;
        o->opcodes[opcode] = true;
    }
    return true;
}

/* Names of operations, alone or with a type. */
static bool take_without(const char *list, generator_options *o) {
    while (*list) {
        hlo_str name = next_name(&list);
        const char *colon = memchr(name.ptr, ':', name.len);
        size_t n = colon ? (size_t)(colon - name.ptr) : name.len;
        hlo_opcode opcode = hlo_op_from_text(name.ptr, n);
        if (opcode == HLO_OP_COUNT) return false;
        if (!colon) {
            o->opcodes[opcode] = false;
            continue;
        }
        hlo_type type = hlo_type_from_text(colon + 1, name.len - n - 1);
        if (type == HLO_TYPE_COUNT) return false;
        o->excluded[opcode][type] = true;
    }
    return true;
}

typedef struct {
    generator_options generator;
    uint64_t count;
    const char *directory, *shrink;
    char **command;
} arguments;

static bool read_number(const char *text, uint64_t *number) {
    char *end;
    *number = strtoull(text, &end, 10);
    return *text && !*end;
}

/* One NAME=VALUE; false when there is no such option. */
static bool read_option(arguments *a, const char *name, size_t n, const char *value) {
    generator_options *o = &a->generator;
    uint64_t number = 0;
    bool is_number = read_number(value, &number);
#define IS(text) (n == sizeof(text) - 1 && memcmp(name, text, n) == 0)
    if (IS("--ops")) return take_only(value, o);
    if (IS("--without")) return take_without(value, o);
    if (IS("--types")) return mark_types(value, o->types, true);
    if (IS("--without-types")) return mark_types(value, o->types, false);
    if (IS("--output-dir")) return (a->directory = value) != NULL;
    if (IS("--shrink")) return (a->shrink = value) != NULL;
    if (IS("--values")) {
        o->any_values = strcmp(value, "any") == 0;
        return o->any_values || strcmp(value, "safe") == 0;
    }
    if (IS("--dynamic")) return o->dynamic = true;
    if (IS("--fences")) return o->fences = true;
    if (IS("--effects")) return o->effects = true;
    if (!is_number) return false;
    if (IS("--seed")) return o->seed = number, true;
    if (IS("--count")) return a->count = number, true;
    if (IS("--size")) return o->size = (uint32_t)number, number <= 100000;
    if (IS("--elements")) return o->elements = (int64_t)number, number > 0 && number <= 1 << 24;
#undef IS
    return false;
}

int main(int argc, char **argv) {
    arguments a = {.count = 1, .generator = generator_defaults(0)};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) return fputs(usage, stdout) < 0;
        if (strcmp(argv[i], "--list") == 0) return list_operations();
        if (strcmp(argv[i], "--") == 0) {
            a.command = argv + i + 1;
            break;
        }
        const char *equals = strchr(argv[i], '=');
        size_t n = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        if (!read_option(&a, argv[i], n, equals ? equals + 1 : ""))
            return fail("what is this (see --help): ", argv[i]);
    }
    if (!a.shrink) return generate_all(&a.generator, a.count, a.directory);
    if (!a.command || !*a.command) return fail("--shrink requires a command after --", "");
    return shrink(a.shrink, a.command);
}
