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

/* ---- hints ---- */

enum { NAMED_AT_MOST = 5 };

/* What `text` may stand for. */
typedef struct {
    hlo_str text;
    hlo_nearest nearest;
    uint32_t count; /* of names that begin so */
    hlo_buf names;  /* some of them */
} name_search;

static name_search search_for(hlo_str text) {
    return (name_search){text, hlo_nearest_to(text.ptr, text.len), 0, HLO_BUF_INIT};
}

static void try_name(name_search *search, const hlo_name *name) {
    hlo_nearest_try(&search->nearest, name->ptr, name->len, false);
    if (!begins(name, search->text) || search->count++ >= NAMED_AT_MOST) return;
    hlo_buf_printf(&search->names, "%s'%.*s'", search->count > 1 ? ", " : "", (int)name->len,
                   name->ptr);
}

static void hint_at(hlo_diags *diags, name_search *search) {
    if (search->count > 1)
        hlo_hint(diags, "%u names begin so: %.*s%s", search->count, (int)search->names.len,
                 search->names.data, search->count > NAMED_AT_MOST ? ", ..." : "");
    else hlo_hint_nearest(diags, &search->nearest);
    hlo_buf_free(&search->names);
}

void hlo_hint_at_instr(hlo_diags *diags, const hlo_module *module, hlo_str text) {
    name_search search = search_for(text);
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) try_name(&search, i->name);
    hint_at(diags, &search);
}

void hlo_hint_at_computation(hlo_diags *diags, const hlo_module *module, hlo_str text) {
    name_search search = search_for(text);
    for (const hlo_computation *c = module->first; c; c = c->next) try_name(&search, c->name);
    hint_at(diags, &search);
}
