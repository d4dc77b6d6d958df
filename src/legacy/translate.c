/* The old forms, one after the other, from text to text; warnings about them. */
#include "legacy/old_text.h"

const hlo_old_form hlo_old_forms[HLO_OLD_COUNT] = {
#define HLO_OLD_FORM(ID, function, name, until, dialects, old, now) \
    [HLO_OLD_##ID] = {name, until, dialects, old, now},
#define HLO_OLD_ATTRIBUTE(...)
#define HLO_OLD_OPCODE(...)
#include "legacy/forms.def"
#undef HLO_OLD_OPCODE
#undef HLO_OLD_ATTRIBUTE
#undef HLO_OLD_FORM
};

/* By hlo_dialect. */
static const char *const dialect_names[] = {"xla", "extended", "2018", "2019", "2024", "2025"};

bool hlo_old_form_is_of(const hlo_old_form *form, hlo_dialect dialect) {
    if (dialect == HLO_DIALECT_XLA) return false;
    return strcmp(form->dialects, "all") == 0 || strstr(form->dialects, dialect_names[dialect]);
}

const char *hlo_old_form_editions(const hlo_old_form *form) {
    static const char extended[] = "extended|";
    const size_t n = sizeof extended - 1;
    if (strcmp(form->dialects, "all") == 0) return "2018|2019|2024|2025";
    return strncmp(form->dialects, extended, n) == 0 ? form->dialects + n : form->dialects;
}

static void step(hlo_old_text *t, hlo_old_id form, hlo_old_translate *translate) {
    if (!hlo_old_form_is_of(&hlo_old_forms[form], t->dialect)) return;
    t->form = form;
    translate(t);
    hlo_source *now = hlo_old_apply(t);
    if (!now) return;
    if (t->source != t->first) hlo_source_close(t->source);
    t->source = now;
    t->bases.n = 0;
    hlo_arena_reset(&t->arena);
    hlo_old_read(t);
}

static void translate_all(hlo_old_text *t) {
    hlo_old_read(t);
#define HLO_OLD_FORM(ID, function, ...) step(t, HLO_OLD_##ID, hlo_old_##function);
#define HLO_OLD_ATTRIBUTE(...)
#define HLO_OLD_OPCODE(...)
#include "legacy/forms.def"
#undef HLO_OLD_OPCODE
#undef HLO_OLD_ATTRIBUTE
#undef HLO_OLD_FORM
}

static void begin(hlo_old_text *t, hlo_source *source, hlo_dialect dialect, hlo_diags *diags) {
    *t = (hlo_old_text){.source = source, .first = source, .dialect = dialect, .diags = diags};
    hlo_arena_init(&t->arena);
}

static void end(hlo_old_text *t) {
    hlo_list_free(&t->places);
    hlo_list_free(&t->bases);
    hlo_list_free(&t->changes);
    hlo_list_free(&t->statements);
    hlo_list_free(&t->computations);
    hlo_arena_free(&t->arena);
}

/* ---- warnings ---- */

static void warn(const hlo_old_place *place, hlo_diags *diags) {
    const hlo_old_form *form = &hlo_old_forms[place->form];
    if (!form->now[0]) return;
    if (form->until[0])
        hlo_warning(diags, HLO_RULE_OLD_FORM, place->source, place->at,
                    "old form %s: XLA has not read it since about %s", form->name, form->until);
    else
        hlo_warning(diags, HLO_RULE_OLD_FORM, place->source, place->at,
                    "old form %s: never part of XLA's text", form->name);
    hlo_hint(diags, "instead of '%s', today: %s", form->old, form->now);
}

hlo_source *hlo_dialect_translate(hlo_source *source, hlo_diags *diags) {
    hlo_old_text t;
    bool told[HLO_OLD_COUNT] = {0};
    begin(&t, source, (hlo_dialect)source->dialect, diags);
    translate_all(&t);
    for (uint32_t i = 0; i < t.places.n; i++) {
        if (!told[t.places.v[i].form]) warn(&t.places.v[i], diags);
        told[t.places.v[i].form] = true;
    }
    end(&t);
    return t.source;
}

static uint32_t line_of(hlo_source *source, hlo_span at) {
    source = hlo_source_written(source, &at);
    return hlo_source_position(source, at.lo).line;
}

/* Beside a hint that is there already, but for a guess at what is meant. */
static void hint_at_form(hlo_diags *diags, hlo_diag *error, const hlo_old_place *place) {
    hlo_diag *last = diags->last;
    bool keeps = error->hint && strncmp(error->hint, "did you mean", 12) != 0;
    const char *before = keeps ? error->hint : "", *between = keeps ? "; " : "";
    const char *option = hlo_advice_text(diags, HLO_ADVICE_DIALECT);
    const char *name = hlo_old_forms[place->form].name;
    const hlo_old_example e = hlo_old_example_of(place);
    diags->last = error;
    if (!e.now[0])
        hlo_hint(diags, "%s%sthis is the old form %s, '%s'; it has no meaning today", before,
                 between, name, e.old);
    else
        hlo_hint(diags, "%s%sthis is the old form %s, '%s'; today: %s%s; %s", before, between, name,
                 e.old, e.now, e.attributes, option);
    diags->last = last;
}

static bool begins_at(const hlo_old_place *place, const hlo_diag *error) {
    hlo_span at = place->at;
    return hlo_source_written(place->source, &at) == error->source && at.lo == error->span.lo;
}

/* The form at the error, or else the first in its line. */
static void explain(hlo_diag *error, const hlo_old_text *t, hlo_source *source, hlo_diags *diags) {
    uint32_t line = line_of(error->source, error->span);
    const hlo_old_place *found = NULL;
    for (uint32_t i = 0; i < t->places.n; i++) {
        const hlo_old_place *place = &t->places.v[i];
        const hlo_old_form *form = &hlo_old_forms[place->form];
        bool is_told = hlo_old_form_is_of(form, (hlo_dialect)source->dialect);
        if (is_told || line_of(place->source, place->at) != line) continue;
        bool is_there = begins_at(place, error);
        if (is_there || !found) found = place;
        if (is_there) break;
    }
    if (found) hint_at_form(diags, error, found);
}

static bool is_from(const hlo_source *made, const hlo_source *source) {
    while (made && made != source) made = made->from;
    return made;
}

void hlo_dialect_explain(hlo_source *source, hlo_diags *diags, hlo_diag *first) {
    hlo_diags discarded;
    hlo_old_text t;
    hlo_diags_init(&discarded);
    begin(&t, source, HLO_DIALECT_EXTENDED, &discarded);
    translate_all(&t);
    for (hlo_diag *d = first; d; d = d->next)
        if (d->severity == HLO_ERROR && is_from(d->source, source)) explain(d, &t, source, diags);
    if (t.source != source) hlo_source_close(t.source);
    end(&t);
    hlo_diags_drop(&discarded);
}
