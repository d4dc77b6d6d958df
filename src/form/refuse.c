/* Errors about drafts: see refuse.h. */
#include "form/refuse.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/places.h"
#include "shape/dialects.h"

enum { LONGEST_MESSAGE = 1024 };

static hlo_source *source_of(const hlo_draft *draft) {
    return hlo_form_module(draft)->source;
}

const char *hlo_form_text(const hlo_draft *draft, const hlo_shape *shape) {
    return hlo_shape_name(&hlo_form_module(draft)->arena, shape);
}

hlo_shape_texts hlo_form_texts(const hlo_draft *draft, const hlo_shape *a, const hlo_shape *b) {
    return hlo_shape_names(&hlo_form_module(draft)->arena, a, b);
}

/* ---- errors ---- */

bool hlo_form_refuse(const hlo_draft *draft, hlo_rule rule, hlo_part at, const char *format, ...) {
    char message[LONGEST_MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    uint32_t errors = draft->diags->errors;
    if (draft->host) draft->host->error(draft, rule, at, message);
    else
        hlo_error(draft->diags, rule, draft->at.hi ? source_of(draft) : NULL, draft->at, "%s",
                  message);
    bool is_new = draft->diags->errors > errors; /* a parser that recovers may drop it */
    if (is_new) hlo_place_finding(draft->diags, draft->computation, draft->name);
    return false;
}

bool hlo_form_refuse_op(const hlo_draft *draft, hlo_rule rule, hlo_part at, const char *message) {
    hlo_form_refuse(draft, rule, at, "%s: %s", hlo_form_op(draft)->text, message);
    hlo_form_note_refusal(draft, HLO_PART_NEXT);
    return false;
}

/* ---- notes ---- */

static bool knows_places(const hlo_draft *draft) {
    return draft->host && draft->host->place;
}

static void note(const hlo_draft *draft, hlo_span at, const char *format, va_list args) {
    char text[LONGEST_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    hlo_note(draft->diags, source_of(draft), at, "%s", text);
}

void hlo_form_note(const hlo_draft *draft, hlo_part at, const char *format, ...) {
    if (!knows_places(draft)) return;
    va_list args;
    va_start(args, format);
    note(draft, draft->host->place(draft, at), format, args);
    va_end(args);
}

void hlo_form_note_instr(const hlo_draft *draft, const hlo_instr *instr, const char *format, ...) {
    if (!knows_places(draft)) return;
    va_list args;
    va_start(args, format);
    note(draft, instr->at, format, args);
    va_end(args);
}

void hlo_form_note_refusal(const hlo_draft *draft, hlo_part at) {
    if (!knows_places(draft)) return;
    hlo_aside(draft->diags, source_of(draft), draft->host->place(draft, at),
              "XLA's parser reports it here");
}

/* ---- hints ---- */

static const char *sample_of(const hlo_attr_info *info) {
    static const char *const samples[HLO_KIND_COUNT] = {
#define HLO_KIND(id, member, token, printer, is_left_out, sample) [HLO_KIND_##id] = (sample),
#include "ir/kinds.def"
    };
    if (info->kind == HLO_KIND_WORD) return hlo_word_text(info->words, info->fallback);
    return samples[info->kind];
}

void hlo_suggest_value(hlo_diags *diags, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const hlo_attr_info *info = &hlo_attr_table[id];
    const char *sample = sample_of(info);
    if (sample) hlo_hint(diags, "after the operands, such as %s=%s", info->text, sample);
}

void hlo_form_suggest(const hlo_draft *draft, hlo_attr_id missing) {
    HLO_ASSERT(missing < HLO_ATTR_COUNT);
    if (!knows_places(draft)) return;
    const char *name = hlo_attr_table[missing].text;
    if (!hlo_dialect_claims(draft->diags, HLO_DIALECT_MISSING, draft->opcode, name, strlen(name)))
        hlo_suggest_value(draft->diags, missing);
}
