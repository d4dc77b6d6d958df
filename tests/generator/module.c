/* Random modules, decided by a seed: the choice of recipes, and what a module needs around its
 * instructions. */
#include <stdio.h>

#include "generator/generator.h"

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
#define HLO_OP(id, text, rule, ...) [HLO_OP_##id] = RULE_##rule,
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

const char *generator_refusal(hlo_opcode opcode) {
    return rules[rule_of[opcode]].why_not;
}

void generate_steps(generator *g, uint32_t count) {
    for (uint32_t attempts = 8 * count; count && attempts; attempts--) {
        hlo_opcode opcode = choose_opcode(g);
        if (opcode == HLO_OP_COUNT) return;
        if (!rules[rule_of[opcode]].make(g, opcode)) continue;
        count--;
        if (g->options.effects && one_in(g, 4)) generate_outfeed(g, HLO_OP_OUTFEED);
        if (g->options.effects && one_in(g, 6)) generate_infeed(g, HLO_OP_INFEED);
        if (g->options.fences && one_in(g, 3)) generate_opt_barrier(g, HLO_OP_OPT_BARRIER);
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

/* Unused values are the results; the tolerance of each goes into the header. */
static hlo_instr *make_root(generator *g) {
    scope *s = g->scope;
    uint32_t count = 0;
    hlo_instr **results = hlo_malloc(sizeof *results * (s->values.n + 1));
    hlo_buf tolerance = HLO_BUF_INIT;
    for (uint32_t i = 0; i < s->values.n; i++) {
        if (!is_result(s->values.v[i])) continue;
        hlo_buf_printf(&tolerance, count ? " %.3g" : "%.3g", 2 * facts_of(g, s->values.v[i]).error);
        results[count++] = s->values.v[i];
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

generator_options generator_defaults(uint64_t seed) {
    generator_options options = {.seed = seed, .size = 12, .elements = 64};
    memset(options.opcodes, true, sizeof options.opcodes);
    memset(options.types, true, sizeof options.types);
    return options;
}

hlo_module *generate_module(const generator_options *options) {
    char name[64];
    generator g = {.options = *options, .module = hlo_module_new(), .dice = options->seed};
    snprintf(name, sizeof name, "generated_%llu", (unsigned long long)options->seed);
    g.module->name = hlo_str_from(hlo_arena_copy(&g.module->arena, name, strlen(name) + 1));
    scope entry;
    open_scope(&g, &entry, "entry", false);
    g.module->entry = entry.computation;
    start_effects(&g);
    generate_steps(&g, options->size);
    hlo_instr *root = make_root(&g);
    close_scope(&g, root);
    drop_unreached(g.module);
    set_entry_layout(g.module);
    hlo_list_free(&g.known);
    return g.module;
}
