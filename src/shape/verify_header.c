/* The module header against the entry computation: layout, aliased and donated parameters;
 * schedules. */
#include <stdio.h>

#include "shape/storage.h"
#include "shape/verifier.h"

/* ---- entry_computation_layout ---- */

static bool has_sound_layouts(hlo_verifier *v, const hlo_shape *shape) {
    if (hlo_layouts_are_sound(&v->scratch, shape)) return true;
    return hlo_verify_fail_header(v, HLO_RULE_LAYOUT, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT,
                                  "the layout of %s is not well formed", hlo_verify_text(v, shape));
}

/* Layout assignment sets neither tiles nor memory spaces in the header. */
enum { NOT_ASSIGNED = HLO_IGNORE_TILES | HLO_IGNORE_TAIL_PADDING | HLO_IGNORE_MEMORY_SPACE };

static bool fits(const hlo_verifier *v, const hlo_shape *header, const hlo_shape *instr) {
    return v->options->layout_sensitive ? hlo_shapes_equal(header, instr, NOT_ASSIGNED)
                                        : hlo_shapes_compatible(header, instr, 0);
}

static bool fail_entry(hlo_verifier *v, const char *what, const hlo_shape *header,
                       const hlo_shape *is, const hlo_instr *instr) {
    bool layouts = v->options->layout_sensitive;
    const char *at =
        hlo_verify_difference(v, &header, &is, layouts ? hlo_shapes_equal : hlo_shapes_compatible,
                              layouts ? NOT_ASSIGNED : 0);
    hlo_verify_fail_header(v, HLO_RULE_ENTRY_LAYOUT, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT,
                           "it lists %s as %s%s, which is %s",
                           layouts ? hlo_verify_layout_text(v, header) : hlo_verify_text(v, header),
                           what, at,
                           layouts ? hlo_verify_layout_text(v, is) : hlo_verify_text(v, is));
    hlo_verify_note(v, instr, instr == v->module->entry->root ? "the root" : "the parameter");
    return false;
}

static bool check_entry_layout(hlo_verifier *v, const hlo_program_shape *layout) {
    const hlo_computation *entry = v->module->entry;
    const hlo_attr_id header = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT;
    if (!has_sound_layouts(v, layout->result)) return false;
    if (!fits(v, layout->result, entry->root->shape))
        return fail_entry(v, "result", layout->result, entry->root->shape, entry->root);
    if (layout->parameters->n != entry->parameter_count)
        return hlo_verify_fail_header(v, HLO_RULE_ENTRY_LAYOUT, header,
                                      "it lists %u parameters, the entry computation has %u",
                                      layout->parameters->n, entry->parameter_count);
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        const hlo_instr *parameter = entry->parameters[i];
        if (!has_sound_layouts(v, layout->parameters->v[i])) return false;
        if (fits(v, layout->parameters->v[i], parameter->shape)) continue;
        char what[32];
        snprintf(what, sizeof what, "parameter %u", i);
        return fail_entry(v, what, layout->parameters->v[i], parameter->shape, parameter);
    }
    return true;
}

/* ---- aliased and donated parameters ---- */

/* The array of a parameter that an entry names; NULL after an error. */
static const hlo_shape *named_array(hlo_verifier *v, hlo_attr_id header,
                                    const hlo_program_shape *layout, int64_t parameter,
                                    const hlo_ints *index) {
    const hlo_shape *part = NULL;
    if (parameter >= 0 && parameter < layout->parameters->n)
        part = hlo_shape_at(layout->parameters->v[parameter], index);
    if (part && hlo_shape_is_array(part)) return part;
    hlo_verify_fail_header(v, HLO_RULE_PARAMETER_ALIAS, header,
                           "there is no array at %s of parameter %lld", hlo_verify_index(v, index),
                           (long long)parameter);
    return NULL;
}

static bool same_index(const hlo_ints *a, const hlo_ints *b) {
    uint32_t n = a ? a->n : 0;
    return n == (b ? b->n : 0) && (n == 0 || memcmp(a->v, b->v, n * sizeof *a->v) == 0);
}

static bool names_parameter(const hlo_aliasing *list, uint32_t count, int64_t parameter,
                            const hlo_ints *index) {
    for (uint32_t i = 0; i < count; i++)
        if (list->v[i].parameter == parameter && same_index(list->v[i].index, index)) return true;
    return false;
}

static bool check_alias(hlo_verifier *v, const hlo_program_shape *layout, const hlo_aliasing *list,
                        uint32_t i) {
    HLO_ASSERT(i < list->n);
    const hlo_attr_id header = HLO_ATTR_INPUT_OUTPUT_ALIAS;
    const hlo_ints *index = list->v[i].index;
    int64_t parameter = list->v[i].parameter;
    const hlo_shape *input = named_array(v, header, layout, parameter, index);
    const hlo_shape *output = hlo_shape_at(layout->result, list->v[i].output);
    if (!input) return false;
    if (!output || !hlo_shape_is_array(output))
        return hlo_verify_fail_header(v, HLO_RULE_PARAMETER_ALIAS, header,
                                      "there is no array at %s of the result",
                                      hlo_verify_index(v, list->v[i].output));
    if (names_parameter(list, i, parameter, index))
        return hlo_verify_fail_header(v, HLO_RULE_PARAMETER_ALIAS, header,
                                      "%s of parameter %lld is aliased twice",
                                      hlo_verify_index(v, index), (long long)parameter);
    if (v->options->layout_sensitive &&
        hlo_shape_stored_bytes(input) != hlo_shape_stored_bytes(output))
        return hlo_verify_fail_header(
            v, HLO_RULE_PARAMETER_ALIAS, header,
            "parameter %lld is %s at %s and aliases %s: their sizes differ", (long long)parameter,
            hlo_verify_text(v, input), hlo_verify_index(v, index), hlo_verify_text(v, output));
    const char *kind = hlo_word_text(HLO_WORDS_ALIAS_KIND, list->v[i].kind);
    if (input == output || !kind || strcmp(kind, "must-alias") != 0) return true;
    hlo_shape_texts texts = hlo_verify_texts(v, input, output);
    return hlo_verify_fail_header(
        v, HLO_RULE_MUST_ALIAS, header,
        "parameter %lld is %s at %s and must alias %s of the result: shapes or layouts differ",
        (long long)parameter, texts.first, hlo_verify_index(v, index), texts.second);
}

static void check_aliases(hlo_verifier *v, const hlo_program_shape *layout,
                          const hlo_aliasing *aliases) {
    for (uint32_t i = 0; i < aliases->n; i++)
        if (!check_alias(v, layout, aliases, i)) return;
}

static void check_donors(hlo_verifier *v, const hlo_program_shape *layout,
                         const hlo_aliasing *donors, const hlo_aliasing *aliases) {
    for (uint32_t i = 0; i < donors->n; i++) {
        const hlo_ints *index = donors->v[i].index;
        int64_t parameter = donors->v[i].parameter;
        if (!named_array(v, HLO_ATTR_BUFFER_DONOR, layout, parameter, index)) return;
        if (!aliases || !names_parameter(aliases, aliases->n, parameter, index)) continue;
        hlo_verify_fail_header(v, HLO_RULE_PARAMETER_ALIAS, HLO_ATTR_BUFFER_DONOR,
                               "%s of parameter %lld is in input_output_alias too",
                               hlo_verify_index(v, index), (long long)parameter);
        return;
    }
}

/* ---- schedules ---- */

/* The text's order is the schedule: control predecessors come first. */
static void check_schedule(hlo_verifier *v, hlo_computation *computation) {
    hlo_number_instructions(computation);
    for (const hlo_instr *instr = computation->first; instr; instr = instr->next) {
        const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
        uint32_t n = control ? control->u.instructions->n : 0;
        for (uint32_t i = 0; i < instr->operand_count + n; i++) {
            const hlo_instr *before = i < instr->operand_count
                                          ? hlo_operand(instr, i)
                                          : control->u.instructions->v[i - instr->operand_count];
            if (before->index < instr->index) continue;
            hlo_verify_fail(v, HLO_RULE_SCHEDULE, instr,
                            "it is scheduled before its control predecessor");
            hlo_verify_note(v, before, "this comes later");
            break;
        }
    }
}

void hlo_verify_header(hlo_verifier *v) {
    const hlo_module *module = v->module;
    const hlo_attr *layout = hlo_module_attr(module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT);
    const hlo_attr *aliases = hlo_module_attr(module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    const hlo_attr *donors = hlo_module_attr(module, HLO_ATTR_BUFFER_DONOR);
    if (!module->entry || !layout) return;
    if (module->entry->is_fusion_body)
        hlo_verify_fail(v, HLO_RULE_FUSION_ENTRY, module->entry->root,
                        "the entry computation is a fused one");
    if (check_entry_layout(v, layout->u.program_shape)) {
        if (aliases) check_aliases(v, layout->u.program_shape, aliases->u.aliasing);
        if (donors)
            check_donors(v, layout->u.program_shape, donors->u.aliasing,
                         aliases ? aliases->u.aliasing : NULL);
    }
    if (!hlo_module_flag(module, HLO_ATTR_IS_SCHEDULED)) return;
    for (hlo_computation *c = module->first; c; c = c->next)
        if (!c->is_fusion_body) check_schedule(v, c);
}
