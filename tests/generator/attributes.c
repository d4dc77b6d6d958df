/* Attribute values in the module's arena. */
#include "generator/generator.h"

hlo_attr attr_int(hlo_attr_id id, int64_t value) {
    return (hlo_attr){.id = (uint16_t)id, .u.i = value};
}

hlo_attr attr_real(hlo_attr_id id, double value) {
    return (hlo_attr){.id = (uint16_t)id, .u.f = value};
}

hlo_attr attr_word(hlo_attr_id id, const char *word) {
    const hlo_word_info *row = hlo_word_find(hlo_attr_table[id].words, hlo_str_from(word));
    return attr_int(id, row ? row->number : 0);
}

hlo_attr attr_ints(generator *g, hlo_attr_id id, const int64_t *v, uint32_t n) {
    return (hlo_attr){.id = (uint16_t)id, .u.ints = hlo_ints_from(&g->module->arena, v, n)};
}

hlo_attr attr_computation(hlo_attr_id id, hlo_computation *computation) {
    return (hlo_attr){.id = (uint16_t)id, .u.computation = computation};
}

hlo_attr attr_text(generator *g, hlo_attr_id id, const char *text) {
    hlo_str *copy = HLO_NEW(&g->module->arena, hlo_str);
    *copy = hlo_str_from(hlo_arena_copy(&g->module->arena, text, strlen(text) + 1));
    return (hlo_attr){.id = (uint16_t)id, .u.string = copy};
}

hlo_attr attr_window(generator *g, const hlo_window_dim *dims, uint32_t n) {
    hlo_window *window = hlo_arena_alloc(&g->module->arena, sizeof *window + n * sizeof *dims);
    window->n = n;
    for (uint32_t i = 0; i < n; i++) window->v[i] = dims[i];
    return (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = window};
}
