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
    "  --ops=A,B         only these operations, and what they need; --without=A,B: all but these\n"
    "  --types=A,B       only these element types; --without-types=A,B: all but these\n"
    "  --values=safe|any any: whatever numbers come, so that only bits can be compared\n"
    "  --dynamic         also bounded dynamic dimensions\n"
    "  --output-dir=DIR  write DIR/SEED.hlo instead\n"
    "  --list            the operations, each with why it is not generated, if so\n"
    "\n"
    "--shrink makes MODULE smaller as long as `COMMAND... FILE` fails on it, and prints it.\n";

/* ---- the recipes ---- */

static const struct {
    recipe *make;
    const char *why_not;
} rules[] = {
#define RECIPE(rule) {generate_##rule, NULL},
#define NO_RECIPE(rule, why) {NULL, why},
#include "generator/recipes.def"
#undef RECIPE
#undef NO_RECIPE
};

enum {
#define RECIPE(rule) RULE_##rule,
#define NO_RECIPE(rule, why) RULE_##rule,
#include "generator/recipes.def"
#undef RECIPE
#undef NO_RECIPE
};

/* Every opcode has a row of recipes.def, by its shape rule. */
static const uint8_t rule_of[HLO_OP_COUNT] = {
#define HLO_OP(id, text, least, most, arity, checked, shape, parens, class, flags, rule, ...) \
    [HLO_OP_##id] = RULE_##rule,
#include "ir/ops.def"
#undef HLO_OP
};

static hlo_opcode choose_opcode(generator *g) {
    hlo_opcode chosen = HLO_OP_COUNT;
    uint64_t seen = 0;
    for (unsigned op = 0; op < HLO_OP_COUNT; op++) {
        if (!g->options.opcodes[op] || !rules[rule_of[op]].make) continue;
        /* Transcendental functions are many, but one like the other. */
        uint64_t weight = hlo_ops[op].class == HLO_CLASS_TRANSCENDENTAL ? 1 : 2;
        seen += weight;
        if (roll(g, seen) < weight) chosen = (hlo_opcode)op;
    }
    return chosen;
}

void generate_steps(generator *g, uint32_t count) {
    for (uint32_t attempts = 8 * count; count && attempts; attempts--) {
        hlo_opcode opcode = choose_opcode(g);
        if (opcode == HLO_OP_COUNT) return;
        if (rules[rule_of[opcode]].make(g, opcode)) count--;
    }
}

/* ---- a module ---- */

static void drop_unreached(hlo_module *module) {
    hlo_computation **order = hlo_malloc(sizeof *order * (module->computation_count + 1));
    uint32_t mark = hlo_module_new_mark(module), count = 0;
    module->entry->mark = mark;
    order[count++] = module->entry;
    for (uint32_t at = 0; at < count; at++)
        for (const hlo_instr *i = order[at]->first; i; i = i->next)
            for (uint32_t k = 0; k < hlo_called_count(i); k++) {
                hlo_computation *called = hlo_called(i, k);
                if (called->mark == mark) continue;
                called->mark = mark;
                order[count++] = called;
            }
    hlo_free(order);
    for (hlo_computation *c = module->last, *before; c; c = before) {
        before = c->prev;
        if (c->mark != mark) hlo_computation_remove(c);
    }
}

static bool is_result(const hlo_instr *value) {
    return !value->first_use && hlo_shape_is_array(value->shape) && !value->shape->dynamic;
}

/* What nobody uses is the result; how far apart right results may be goes into the header. */
static hlo_instr *make_root(generator *g) {
    scope *s = g->scope;
    uint32_t count = 0;
    hlo_instr **results = hlo_malloc(sizeof *results * (s->count + 1));
    hlo_buf tolerance = HLO_BUF_INIT;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!is_result(s->values[i])) continue;
        hlo_buf_printf(&tolerance, count ? " %.3g" : "%.3g", 2 * facts_of(g, s->values[i]).error);
        results[count++] = s->values[i];
    }
    hlo_instr *root = count == 1
                          ? results[0]
                          : emit_value(g, HLO_OP_TUPLE, NULL, results, count, NULL, 0, (facts){0});
    hlo_free(results);
    hlo_frontend *said = hlo_arena_alloc(&g->module->arena, sizeof *said + sizeof said->v[0]);
    hlo_buf_char(&tolerance, '\0');
    said->n = 1;
    said->v[0].key = HLO_STR("tolerance");
    said->v[0].value =
        hlo_str_from(hlo_arena_copy(&g->module->arena, tolerance.data, tolerance.len));
    hlo_buf_free(&tolerance);
    if (!g->options.any_values)
        hlo_module_set_attr(
            g->module, (hlo_attr){.id = HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES, .u.frontend = said});
    return root;
}

static void set_entry_layout(hlo_module *module) {
    hlo_computation *entry = module->entry;
    hlo_shapes *parameters = hlo_arena_alloc(
        &module->arena, sizeof *parameters + entry->parameter_count * sizeof parameters->v[0]);
    parameters->n = entry->parameter_count;
    for (uint32_t i = 0; i < parameters->n; i++) parameters->v[i] = entry->parameters[i]->shape;
    hlo_program_shape *layout = HLO_NEW(&module->arena, hlo_program_shape);
    *layout = (hlo_program_shape){parameters, entry->root->shape};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = layout});
}

static hlo_module *generate_module(const generator_options *options) {
    char name[64];
    generator g = {.options = *options, .module = hlo_module_new(), .dice = options->seed};
    snprintf(name, sizeof name, "generated_%llu", (unsigned long long)options->seed);
    g.module->name = hlo_str_from(hlo_arena_copy(&g.module->arena, name, strlen(name) + 1));
    scope entry;
    open_scope(&g, &entry, "entry", false);
    g.module->entry = entry.computation;
    generate_steps(&g, options->size);
    hlo_instr *root = make_root(&g);
    close_scope(&g, root);
    drop_unreached(g.module);
    set_entry_layout(g.module);
    hlo_free(g.known);
    return g.module;
}

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
    hlo_diags_destroy(diags);
    hlo_source_release(source);
    if (module) hlo_module_free(module);
    return status == HLO_OK;
}

static bool write_module(hlo_buf text, const char *folder, uint64_t seed) {
    if (!folder) return fwrite(text.data, 1, text.len, stdout) == text.len;
    char path[4096];
    snprintf(path, sizeof path, "%s/%llu.hlo", folder, (unsigned long long)seed);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool good = fwrite(text.data, 1, text.len, file) == text.len;
    return fclose(file) == 0 && good;
}

static int generate_all(const generator_options *options, uint64_t count, const char *folder) {
    generator_options one = *options;
    int status = 0;
    for (uint64_t i = 0; i < count; i++, one.seed++) {
        hlo_module *module = generate_module(&one);
        hlo_print_options style = hlo_print_default;
        style.large_constants = true;
        hlo_buf text = HLO_BUF_INIT;
        if (i && !folder) hlo_buf_lit(&text, "// -----\n");
        hlo_module_print(module, &style, &text);
        hlo_module_free(module);
        bool good = is_valid(text, one.seed);
        if (!good)
            fprintf(stderr, "hlo-generate: the module of seed %llu is not valid\n",
                    (unsigned long long)one.seed);
        if (!write_module(text, folder, one.seed)) good = !fail("cannot write: ", strerror(errno));
        hlo_buf_free(&text);
        if (!good) status = 1;
    }
    return status;
}

static int list_operations(void) {
    for (unsigned op = 0; op < HLO_OP_COUNT; op++) {
        const char *why = rules[rule_of[op]].why_not;
        printf("%s%s%s\n", hlo_ops[op].text, why ? "\t" : "", why ? why : "");
    }
    return 0;
}

/* Marks the names of a comma-separated list; false when one is unknown. */
static bool mark_names(const char *list, bool *marks, bool mark, bool of_types) {
    size_t n = of_types ? HLO_TYPE_COUNT : HLO_OP_COUNT;
    if (mark) memset(marks, 0, n * sizeof *marks);
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = strchr(list, ',');
        if (!end) end = list + strlen(list);
        unsigned found = of_types ? hlo_type_from_text(list, (size_t)(end - list))
                                  : hlo_op_from_text(list, (size_t)(end - list));
        if (found == n) return false;
        marks[found] = mark;
    }
    return true;
}

typedef struct {
    generator_options generator;
    uint64_t count;
    const char *folder, *shrink;
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
    if (IS("--ops")) return mark_names(value, o->opcodes, true, false);
    if (IS("--without")) return mark_names(value, o->opcodes, false, false);
    if (IS("--types")) return mark_names(value, o->types, true, true);
    if (IS("--without-types")) return mark_names(value, o->types, false, true);
    if (IS("--output-dir")) return (a->folder = value) != NULL;
    if (IS("--shrink")) return (a->shrink = value) != NULL;
    if (IS("--values")) {
        o->any_values = strcmp(value, "any") == 0;
        return o->any_values || strcmp(value, "safe") == 0;
    }
    if (IS("--dynamic")) return o->dynamic = true;
    if (!is_number) return false;
    if (IS("--seed")) return o->seed = number, true;
    if (IS("--count")) return a->count = number, true;
    if (IS("--size")) return o->size = (uint32_t)number, number <= 100000;
    if (IS("--elements")) return o->elements = (int64_t)number, number > 0 && number <= 1 << 24;
#undef IS
    return false;
}

int main(int argc, char **argv) {
    arguments a = {.count = 1, .generator = {.size = 12, .elements = 64}};
    memset(a.generator.opcodes, true, sizeof a.generator.opcodes);
    memset(a.generator.types, true, sizeof a.generator.types);
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
    if (!a.shrink) return generate_all(&a.generator, a.count, a.folder);
    if (!a.command || !*a.command) return fail("--shrink wants a command behind --", "");
    return shrink(a.shrink, a.command);
}
