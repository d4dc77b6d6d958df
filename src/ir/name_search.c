/* Searching a module's names for what a user may have meant. */
#include "ir/name_search.h"

#include "base/nearest.h"
#include "diag/diag.h"

static bool begins(const hlo_name *name, hlo_str text) {
    return text.len && name->len > text.len && memcmp(name->ptr, text.ptr, text.len) == 0;
}

hlo_instr *hlo_instr_by_prefix(const hlo_module *module, hlo_str text) {
    hlo_instr *found = NULL;
    for (hlo_computation *c = module->first; c; c = c->next) {
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (!begins(i->name, text)) continue;
            if (found) return NULL;
            found = i;
        }
    }
    return found;
}

hlo_str hlo_without_percent(const char *name) {
    return hlo_str_from(*name == '%' ? name + 1 : name);
}

static bool is_called(const hlo_name *name, hlo_str text) {
    return hlo_str_equal((hlo_str){name->ptr, name->len, 0}, text);
}

hlo_instr *hlo_instr_named(const hlo_module *module, const char *name) {
    hlo_str text = hlo_without_percent(name);
    hlo_instr *found = NULL;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (is_called(i->name, text) && (!found || c == module->entry)) found = i;
    return found ? found : hlo_instr_by_prefix(module, text);
}

hlo_computation *hlo_computation_named(const hlo_module *module, const char *name) {
    hlo_str text = hlo_without_percent(name);
    hlo_computation *found = NULL;
    bool several = false;
    for (hlo_computation *c = module->first; c; c = c->next) {
        if (is_called(c->name, text)) return c;
        if (!begins(c->name, text)) continue;
        several |= found != NULL;
        found = c;
    }
    return several ? NULL : found;
}

static void hint_at(hlo_diags *diags, const hlo_nearest *search) {
    if (search->name)
        hlo_hint(diags, "did you mean '%.*s'?", (int)search->name_length, search->name);
}

void hlo_hint_at_instr(hlo_diags *diags, const hlo_module *module, hlo_str text) {
    hlo_nearest search = hlo_nearest_to(text.ptr, text.len);
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            hlo_nearest_try(&search, i->name->ptr, i->name->len, false);
    hint_at(diags, &search);
}

void hlo_hint_at_computation(hlo_diags *diags, const hlo_module *module, hlo_str text) {
    hlo_nearest search = hlo_nearest_to(text.ptr, text.len);
    for (const hlo_computation *c = module->first; c; c = c->next)
        hlo_nearest_try(&search, c->name->ptr, c->name->len, false);
    hint_at(diags, &search);
}
