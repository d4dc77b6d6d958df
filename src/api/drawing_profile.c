/* The profile of a run, from its JSON, as seconds of a module's instructions. */
#include <math.h>

#include <hlo.h>

#include "api/drawing.h"
#include "host/json_values.h"

/* ---- places ---- */

/* The instructions of one part, by name. */
typedef struct {
    hlo_module *module;
    uint32_t *base;
    double *seconds; /* by number */
} part_places;

typedef struct {
    part_places *parts;
    uint32_t count;
    double all, lost; /* seconds of rows; of those whose instructions the module does not have */
    const char *stranger;
} profile_places;

/* The first of a name has it: names are unique but in texts that were edited. */
static void bind_names(hlo_module *module) {
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            hlo_name *name = (hlo_name *)i->name;
            if (!name->bound) name->bound = i;
        }
}

static void open_places(profile_places *p, hlo_dot_extras *extras, hlo_module *first) {
    *p = (profile_places){0};
    for (const hlo_module *m = first; m; m = m->next_device) p->count++;
    p->parts = hlo_calloc(p->count, sizeof *p->parts);
    extras->seconds = hlo_calloc(p->count + 1u, sizeof *extras->seconds);
    uint32_t k = 0;
    for (hlo_module *m = first; m; m = m->next_device, k++) {
        uint32_t total;
        p->parts[k] = (part_places){.module = m, .base = hlo_graph_number(m, &total)};
        p->parts[k].seconds = extras->seconds[k] = hlo_calloc(total + 1u, sizeof(double));
        for (uint32_t i = 0; i < total; i++) extras->seconds[k][i] = -1;
        hlo_module_forget_scratch(m);
        bind_names(m);
    }
}

static void close_places(profile_places *p) {
    for (uint32_t k = 0; k < p->count; k++) {
        hlo_module_forget_scratch(p->parts[k].module);
        hlo_free(p->parts[k].base);
    }
    hlo_free(p->parts);
}

/* NULL: no part has an instruction of that name. */
static double *seconds_of(const profile_places *p, const json_t *name) {
    const char *text = json_string_value(name);
    hlo_str wanted = {text, (uint32_t)json_string_length(name), 0};
    for (uint32_t k = 0; k < p->count; k++) {
        const part_places *part = &p->parts[k];
        const hlo_name *found = hlo_module_find_name(part->module, wanted);
        const hlo_instr *instr = found ? found->bound : NULL;
        if (instr) return &part->seconds[part->base[instr->parent->id] + instr->index];
    }
    return NULL;
}

/* ---- rows ---- */

static bool are_names(const json_t *list) {
    if (!json_is_array(list) || !json_array_size(list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i))) return false;
    return true;
}

/* Several instructions that run as one share its time. */
static bool add_row(profile_places *p, const json_t *row) {
    const json_t *names = json_object_get(row, "instructions");
    const json_t *seconds = json_object_get(row, "seconds");
    if (!are_names(names) || !json_is_number(seconds)) return false;
    size_t count = json_array_size(names);
    double each = json_number_value(seconds) / (double)count;
    if (!(each >= 0)) return false;
    for (size_t i = 0; i < count; i++) {
        double *to = seconds_of(p, json_array_get(names, i));
        p->all += each;
        if (to) *to = fmax(*to, 0) + each;
        else p->lost += each;
        if (!to && !p->stranger) p->stranger = json_string_value(json_array_get(names, i));
    }
    return true;
}

static hlo_status refuse(hlo_diags *diags, const char *path) {
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "%s is not a profile in JSON", path);
    return HLO_BAD_USE;
}

static hlo_status check_names(const profile_places *p, const char *path, hlo_diags *diags) {
    if (!p->stranger) return HLO_OK;
    if (p->lost >= p->all) {
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "%s is the profile of another module: this one has no '%.80s'", path,
                  p->stranger);
        return HLO_BAD_USE;
    }
    hlo_warning(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                "%s: %d %% of the time is of instructions that the module does not have, like "
                "'%.80s'",
                path, (int)lround(100 * p->lost / p->all), p->stranger);
    return HLO_OK;
}

static hlo_status add_rows(profile_places *p, const json_t *json, const char *path,
                           hlo_diags *diags) {
    const json_t *rows = json_object_get(json, "instructions");
    if (!json_is_array(rows)) return refuse(diags, path);
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (!add_row(p, json_array_get(rows, i))) return refuse(diags, path);
    return check_names(p, path, diags);
}

hlo_status hlo_graph_read_profile(hlo_dot_extras *extras, hlo_module *module, const char *path,
                                  hlo_diags *diags) {
    json_t *json;
    profile_places places;
    hlo_status status = hlo_json_load(path, diags, &json);
    if (status != HLO_OK) return status;
    open_places(&places, extras, module);
    status = add_rows(&places, json, path, diags);
    extras->all_seconds = places.all;
    close_places(&places);
    json_decref(json);
    return status;
}
